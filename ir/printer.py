"""The text form of graphs: TorchScript's printed form, which `linstock.ir.parser` reads back.

An operator is printed without its overload where the types of its arguments say which one it is, else with it
(`aten::add.Tensor`). Constants that cannot be written out (large tensors, objects) are printed as `CONSTANTS.cN`:
number N of the list that `constants_of(graph)` gives.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from linstock.ir import dtypes, operators, types
from linstock.ir.device import Device
from linstock.ir.graph import Block, Graph, Node, Value, match_arguments
from linstock.ir.program import Function
from linstock.ir.schema import Schema
from linstock.ir.types import Type

#: tensors of up to this many elements are written out
INLINE_ELEMENTS = 16


def print_graph(graph: Graph, spans: bool = False, constants: list[Any] | None = None) -> str:
    """The graph as text, with source positions if `spans`. Constants that cannot be written out are appended to
    `constants`.
    """
    printer = _Printer(spans, [] if constants is None else constants)
    printer.graph(graph)
    return "\n".join(printer.lines) + "\n"


def print_node(node: Node) -> str:
    """One node (with the blocks inside it) as text, for messages."""
    printer = _Printer(False, [])
    printer.node(node, "")
    return "\n".join(printer.lines)


def constants_of(graph: Graph) -> list[Any]:
    """The table of the constants that `print_graph` prints as `CONSTANTS.cN`, for the parser."""
    constants: list[Any] = []
    print_graph(graph, constants=constants)
    return constants


def resolve_overload(name: str, arguments: list[Type]) -> Schema | None:
    """The first overload of an operator that takes arguments of these types: what a name without an overload means."""
    for schema in operators.schemas(name):
        if match_arguments(schema, arguments)[1] is None:
            return schema
    return None


class _Names:
    """Unique names: a value's own name (with a number behind it where it is taken), or a number."""

    def __init__(self) -> None:
        self.given: dict[Value, str] = {}
        self.taken: dict[str, int] = {}
        self.count = 0

    def __call__(self, value: Value) -> str:
        found = self.given.get(value)
        if found is None:
            found = self.given[value] = self._make(value.name)
        return found

    def _make(self, hint: str) -> str:
        hint = re.sub(r"[^\w.]", "_", hint)
        if not hint or hint.isdigit():
            self.count += 1
            return str(self.count - 1)
        if hint[0].isdigit() or hint[0] == ".":
            hint = f"_{hint}"
        if hint not in self.taken:
            self.taken[hint] = 0
            return hint
        base = re.sub(r"\.\d+$", "", hint)
        number = self.taken.get(base, 0)
        while f"{base}.{number + 1}" in self.taken:
            number += 1
        self.taken[base] = number + 1
        self.taken[f"{base}.{number + 1}"] = 0
        return f"{base}.{number + 1}"


class _Printer:
    def __init__(self, spans: bool, constants: list[Any]) -> None:
        self.spans, self.constants = spans, constants
        self.numbers = {id(c): i for i, c in enumerate(constants)}
        self.name = _Names()
        self.lines: list[str] = []

    def graph(self, graph: Graph) -> None:
        self.lines.append(f"graph({self._parameters(graph.block, ',' + chr(10) + ' ' * 6)}):")
        for node in graph.block:
            self.node(node, "  ")
        self.lines.append(f"  return ({self._values(graph.outputs)})")

    def node(self, node: Node, indent: str) -> None:
        outputs = ", ".join(f"%{self.name(v)} : {v.type}" for v in node.outputs)
        line = f"{indent}{outputs} = {_operator(node)}{self._attributes(node)}({self._values(node.inputs)})"
        if node.scope:
            line += f", scope: {node.scope}"
        if self.spans and node.span is not None:
            line += f" # {node.span.filename}:{node.span.lineno}:{node.span.column}"
        self.lines.append(line)
        for i, block in enumerate(node.blocks):
            self.lines.append(f"{indent}  block{i}({self._parameters(block, ', ')}):")
            for inner in block:
                self.node(inner, indent + "    ")
            self.lines.append(f"{indent}    -> ({self._values(block.outputs)})")

    def _parameters(self, block: Block, separator: str) -> str:
        return separator.join(f"%{self.name(v)} : {v.type}" for v in block.inputs)

    def _values(self, values: list[Value]) -> str:
        return ", ".join(f"%{self.name(v)}" for v in values)

    def _attributes(self, node: Node) -> str:
        if not node.attributes:
            return ""
        if node.kind == "prim::Constant":
            value = node.attributes.get("value")
            return "" if value is None else f"[value={self._constant(value, node.outputs[0].type)}]"
        return f"[{', '.join(f'{k}={self._value(v)}' for k, v in node.attributes.items())}]"

    def _constant(self, value: Any, t: Type) -> str:
        """A constant in the short form that its type allows."""
        if t == types.BOOL and isinstance(value, bool):
            return str(int(value))
        if t == types.DEVICE and isinstance(value, Device):
            return json.dumps(str(value))
        return self._value(value, t)

    def _value(self, value: Any, t: Type | None = None) -> str:
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, (int, str)) and type(value) in (int, str):
            return json.dumps(value, ensure_ascii=False)
        if type(value) is float:
            return _float(value)
        if type(value) is complex:
            return f"complex({_float(value.real)}, {_float(value.imag)})"
        if isinstance(value, Type):
            return str(value)
        if type(value) is list:
            return f"[{', '.join(map(self._value, value))}]"
        if type(value) is tuple:
            return f"({', '.join(map(self._value, value))}{',' if len(value) == 1 else ''})"
        if type(value) is dict:
            return f"{{{', '.join(f'{self._value(k)}: {self._value(v)}' for k, v in value.items())}}}"
        if isinstance(value, Device):
            return f"device({json.dumps(str(value))})"
        if isinstance(t, types.EnumType) and getattr(value, "name", None) in t.members:
            return f"{t.name}.{value.name}"
        if isinstance(value, Function):
            return f"@{value.name}"
        return _tensor(value) or self._reference(value)

    def _reference(self, value: Any) -> str:
        number = self.numbers.setdefault(id(value), len(self.constants))
        if number == len(self.constants):
            self.constants.append(value)
        return f"CONSTANTS.c{number}"


def _operator(node: Node) -> str:
    """The node's kind, with the overload where the types do not tell it."""
    schema = node.schema
    if schema is None or not schema.overload or resolve_overload(node.kind, [v.type for v in node.inputs]) is schema:
        return node.kind
    return schema.full_name


def _float(value: float) -> str:
    text = repr(value)
    return text[:-1] if text.endswith(".0") else text


def _tensor(value: Any) -> str | None:
    """A small tensor written out, or None for anything else."""
    if not hasattr(value, "__dlpack__") or getattr(value, "requires_grad", False):
        return None
    try:
        array = np.asarray(value)
        code = dtypes.code_of(array.dtype)
    except (TypeError, RuntimeError, ValueError):
        return None
    stated = getattr(value, "dtype", None)
    if array.size > INLINE_ELEMENTS or (isinstance(stated, dtypes.dtype) and stated.code != code):
        return None
    if array.dtype.kind == "c":
        items = ", ".join(
            f"complex({_float(x.real)}, {_float(x.imag)})" for x in array.astype(complex).ravel().tolist()
        )
    elif array.dtype.kind in "biu":
        items = ", ".join(str(int(x)) for x in array.ravel())
    else:
        items = ", ".join(_float(float(x)) for x in array.ravel())
    return f"tensor({dtypes.scalar_name(code)}, {list(array.shape)}, [{items}])"
