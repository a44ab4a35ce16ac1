"""Symbolic execution of a program into an ONNX graph.

The program is run once with stand-ins for its inputs. What does not depend on them is computed; what does becomes
nodes. Memory is modelled by
locations: an in-place operator writes its tensor's location (and, through a view, its base's), so that reads in
program order see what
PyTorch's would. Branches and loops that depend on the inputs run into subgraphs; what they wrote outside becomes their
outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linstock.backends.onnx import complex_forms, quantized, registry
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.containers import CONTAINERS
from linstock.backends.onnx.errors import Raised
from linstock.backends.onnx.structure import STRUCTURE
from linstock.backends.onnx.values import (
    SYMBOLIC,
    Cell,
    DictCell,
    ListCell,
    Location,
    ObjectCell,
    Pair,
    View,
    is_known,
    lift,
    plain,
)
from linstock.backends.onnx.views import RESHAPING, inverse_of, keeps_density, shares
from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import ExportError
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.program import Function
from linstock.ir.schema import Schema

Evaluate = Callable[[str, Sequence[Any]], Any]
#: operators that have no effect on a graph
_DROPPED = {
    "aten::warn", "prim::Print", "prim::AddStatValue", "aten::set_grad_enabled", "aten::manual_seed", "aten::record_stream", "aten::requires_grad_",
    "aten::retain_grad",
}  # fmt: skip
_CALLS = {"prim::CallFunction", "prim::CallMethod", "prim::fork"}
#: what is said of every attribute that changes
STATE = "ONNX keeps no state between runs, so every run starts from its present value"
_INTERNAL = (TypeError, ValueError, IndexError, KeyError, AttributeError, ZeroDivisionError, NotImplementedError)


class Exporter:
    """Runs functions symbolically. `evaluate(full_name, arrays and plain values)` computes what is known."""

    def __init__(self, builder: Builder, evaluate: Evaluate) -> None:
        self.builder, self.evaluate = builder, evaluate
        self.journals: list[dict[Location, Any]] = []
        self.objects: dict[int, ObjectCell] = {}
        self.tensors: dict[int, Cell] = {}
        self.alive: list[Any] = []
        #: how the program reaches its own tensors
        self.paths: dict[Cell, str] = {}

    def note_state(self, path: str) -> None:
        """Say that an attribute of the model changes."""
        self.builder.note(f"attribute '{path}' is set by the model: {STATE}")

    # -- memory ------------------------------------------------------------------------------------------------------
    def remember(self, place: Location) -> None:
        """Note in all subgraph runs what was in a location, before it changes."""
        for journal in self.journals:
            if place not in journal:
                journal[place] = place.state()

    def write(self, place: Location, content: Any) -> None:
        """Change a location."""
        self.remember(place)
        place.content = content

    def write_tensor(self, cell: Cell, content: Any) -> None:
        """Write a tensor, and through a view what it is a view of. Raises ExportError where that has no form."""
        if isinstance(cell, View):
            if cell.inverse is None:
                raise ExportError(
                    f"writing in place through {cell.why} has no ONNX form: write the result into a new tensor instead"
                )
            base = cell.inverse(self.tensor(cell.base), self.as_operand(content))
            self.write_tensor(cell.base, self.content(base))
            cell.settle(content)
        else:
            if cell.serial == 0 and cell in self.paths:
                self.note_state(self.paths[cell])
            self.write(cell, content)

    def from_runtime(self, value: Any, path: str = "") -> Any:
        """An attribute or constant of the program as a value of the run; what is shared stays shared."""
        array = getattr(value, "_array", None)
        if array is not None:
            known = self.tensors.get(id(value))
            if known is None:
                self.alive.append(value)
                known = self.tensors[id(value)] = Cell(array)
                known.serial = 0
                if path:
                    self.paths[known] = path
                    self.builder.hints.setdefault(id(array), (array, path))
            return known
        slots = getattr(value, "slots", None)
        if isinstance(slots, dict):
            cell = self.objects.get(id(value))
            if cell is None:
                self.alive.append(value)
                cell = self.objects[id(value)] = ObjectCell(value.type, value, path)
            return cell
        if isinstance(value, (list, dict)):
            made: Location
            if isinstance(value, list):
                made = ListCell(tuple(self.from_runtime(v, f"{path}.{i}" if path else "") for i, v in enumerate(value)))
            else:
                made = DictCell(
                    tuple(
                        (self.from_runtime(k), self.from_runtime(v, f"{path}.{k}" if path else ""))
                        for k, v in value.items()
                    )
                )
            made.serial = 0
            return made
        if isinstance(value, tuple):
            items = [self.from_runtime(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return value

    def slot(self, obj: ObjectCell, name: str) -> Location:
        """The location of an attribute."""
        place = obj.slots.get(name)
        if place is None:
            path = f"{obj.path}.{name}" if obj.path else name
            value = None if obj.source is None else self.from_runtime(obj.source.slots.get(name), path)
            place = obj.slots[name] = Location(value)
            if obj.source is not None:
                place.serial = 0
        return place

    # -- functions and blocks ----------------------------------------------------------------------------------------
    def call(self, function: Function, arguments: Sequence[Any]) -> Any:
        """Run a function inline."""
        graph: Graph = function.graph
        environment = dict(zip(graph.inputs, arguments, strict=True))
        self.block(graph.block, environment)
        return self.value(graph.outputs[0], environment)

    def value(self, value: Value, environment: dict[Value, Any]) -> Any:
        """The value of a graph's value; constants are made when first asked for."""
        if value.node.kind == "prim::Constant" and value not in environment:
            environment[value] = self.constant(value)
        return environment[value]

    def constant(self, value: Value) -> Any:
        """A constant of the program."""
        content = value.node.attributes.get("value")
        return (
            lift(content)
            if isinstance(content, (list, tuple, dict)) and not _holds_tensors(content)
            else self.from_runtime(content)
        )

    def block(self, block: Block, environment: dict[Value, Any]) -> None:
        """Run a block's nodes."""
        for node in block:
            if node.kind == "prim::Constant":
                continue
            if node.span is not None:
                self.builder.span = node.span
            arguments = [self.value(v, environment) for v in node.inputs]
            try:
                results = self.node(node, arguments, environment)
            except (ExportError, Raised) as problem:
                if node.span is None:
                    raise
                if problem.span is None:
                    raise type(problem)(problem.message, node.span) from None
                if node.kind in _CALLS:
                    problem.args = (f"{problem}\n  called from\n{node.span.show()}",)
                raise
            for v, r in zip(node.outputs, results, strict=True):
                environment[v] = r

    def node(self, node: Node, arguments: list[Any], environment: dict[Value, Any]) -> Sequence[Any]:
        """Run one node."""
        handler = STRUCTURE.get(node.kind)
        if handler is not None:
            return handler(self, node, arguments, environment)
        if node.schema is None:
            raise ExportError(f"{node.kind} has no ONNX form")
        return self.operator(node, node.schema, arguments)

    # -- operators ---------------------------------------------------------------------------------------------------
    def operator(self, node: Node, schema: Schema, arguments: list[Any]) -> Sequence[Any]:
        """Compute the operator if everything is known, else convert it."""
        if node.kind in _DROPPED:
            return [arguments[0] for _ in node.outputs]
        special = CONTAINERS.get(node.kind)
        if special is not None:
            result = special(self, node, arguments)
            if result is not NotImplemented:
                return [result] if len(node.outputs) == 1 else result if node.outputs else []
        outs = schema.out_arguments
        if outs:
            return self._out(node, schema, arguments)
        cell = arguments[0] if arguments and isinstance(arguments[0], Cell) and schema.arguments else None
        writes = cell is not None and schema.arguments[0].writes
        if all(map(is_known, arguments)) and not self._random(schema, arguments):
            result = self._evaluated(schema, arguments, writes)
        else:
            result = self.convert(schema, arguments)
        if cell is not None and writes:
            self._store(node, schema, cell, result, arguments[1:])
            return [cell]
        if cell is not None and _aliases(schema):
            return [self._view(node, schema, cell, arguments[1:], result)]
        if len(node.outputs) == 1:
            return [self.typed(result, node.outputs[0].type)]
        return [self.typed(r, o.type) for r, o in zip(result, node.outputs, strict=True)]

    def _random(self, schema: Schema, arguments: Sequence[Any]) -> bool:
        if operators.family(schema.full_name) != "random" or schema.name in (
            "aten::Generator",
            "aten::seed",
            "aten::initial_seed",
        ):
            return False
        names = [a.name for a in schema.arguments]
        return not any(n in ("train", "training") and v is False for n, v in zip(names, arguments, strict=False))

    def _evaluated(self, schema: Schema, arguments: Sequence[Any], writes: bool) -> Any:
        """The result of the kernel; what it writes is a copy."""
        values = [plain(a) for a in arguments]
        if writes:
            values[0] = values[0].copy()
        try:
            result = self.evaluate(schema.full_name, values)
        except ExportError:
            raise
        except Exception as problem:
            raise Raised(f"{type(problem).__name__}: {problem}") from None
        return result

    def convert(self, schema: Schema, arguments: Sequence[Any]) -> Any:
        """The result of the operator's converter. Raises ExportError if it has none."""
        name = schema.full_name
        values = [self.operand(a) for a in arguments]
        flat = [v for a in values for v in (a if isinstance(a, list) else [a])]
        if any(isinstance(v, (Pair, complex)) for v in flat):
            form = complex_forms.find(name)
            why = f"complex numbers are not supported there: {complex_forms.REASON}"
        elif any(quantized.is_quantized(v) for v in flat):
            form, why = quantized.find(name), "quantised tensors are not supported there: dequantize() first"
        else:
            form, why = registry.find(name) or quantized.find(name), registry.reason(name)
        if form is None:
            raise ExportError(
                f"operator {name} has no ONNX form: {why}. Replace it, or export the model without this part"
            )
        try:
            return form(self.builder, *values)
        except _INTERNAL as problem:
            raise ExportError(
                f"operator {name} could not be converted with these arguments: {type(problem).__name__}: {problem}"
            ) from problem

    def operand(self, value: Any) -> Any:
        """An argument as converters take it: tensors as Syms, numbers marked as such."""
        if isinstance(value, Cell):
            return self.as_operand(value.read())
        if isinstance(value, ListCell):
            return value.content if isinstance(value.content, Sym) else [self.operand(v) for v in value.content]
        if isinstance(value, Sym) and not value.number and not value.sequence:
            return replace(value, number=True)
        return [self.operand(v) for v in value] if isinstance(value, tuple) else value

    def as_operand(self, content: Any) -> Any:
        """A tensor's content as a Sym, a Pair or a quantised tensor."""
        if isinstance(content, np.ndarray):
            return (
                complex_forms.constant(self.builder, content)
                if content.dtype.kind == "c"
                else self.builder.constant(content)
            )
        return content

    def tensor(self, cell: Cell) -> Any:
        """A tensor as a Sym (or what stands for one)."""
        return self.as_operand(cell.read())

    def content(self, result: Any) -> Any:
        """A converter's result as a tensor's content: constants become arrays again."""
        if isinstance(result, Sym):
            known = self.builder.arrays.get(result.name)
            return known if known is not None else replace(result, number=False) if result.number else result
        if isinstance(result, Pair):
            real, imag = (self.builder.arrays.get(p.name) for p in (result.real, result.imag))
            return result if real is None or imag is None else real + 1j * imag
        return result

    def typed(self, result: Any, t: T.Type) -> Any:
        """A converter's or kernel's result as a value of the run."""
        if isinstance(t, T.ListType) and isinstance(result, (list, tuple)):
            return ListCell(tuple(self.typed(r, t.element) for r in result))
        if isinstance(t, T.ListType) and isinstance(result, Sym):
            return ListCell(result)
        content = self.content(result)
        if isinstance(content, (np.ndarray, *SYMBOLIC)) or hasattr(content, "ints"):
            if isinstance(t, T.SimpleType) and t in (T.INT, T.FLOAT, T.BOOL, T.NUMBER):
                return content.item() if isinstance(content, np.ndarray) else replace(content, number=True)
            return Cell(content)
        if isinstance(content, np.generic):
            return Cell(np.asarray(content)) if isinstance(t, T.TensorType) else content.item()
        return lift(content)

    # -- views and writes --------------------------------------------------------------------------------------------
    def _again(self, schema: Schema, base: Any, others: Sequence[Any]) -> Any:
        """The operator on new content of its first argument."""
        if not isinstance(base, SYMBOLIC) and all(map(is_known, others)):
            return self.evaluate(schema.full_name, [base, *[plain(a) for a in others]])
        result = self.convert(schema, [Cell(base), *others])
        return [self.content(r) for r in result] if isinstance(result, (list, tuple)) else self.content(result)

    def _view(self, node: Node, schema: Schema, base: Cell, others: Sequence[Any], result: Any) -> Any:
        """A view: reads follow the base, writes go through to it."""
        if isinstance(result, (list, tuple)):
            items = []
            for i, part in enumerate(result):

                def forward(now: Any, i: int = i) -> Any:
                    return self._again(schema, now, others)[i]

                back = inverse_of(self, node.kind, forward, others, i)
                items.append(
                    View(self.content(part), base, forward, back, False, f"an element of {node.kind}", self.remember)
                )
            return ListCell(tuple(items))
        content = self.content(result)
        if not shares(self.builder, schema, base, content, others):
            return Cell(content)

        def whole(now: Any) -> Any:
            return self._again(schema, now, others)

        dense = keeps_density(node.kind, base, others)
        return View(content, base, whole, inverse_of(self, node.kind, whole, others), dense, node.kind, self.remember)

    def _store(self, node: Node, schema: Schema, cell: Cell, result: Any, others: Sequence[Any]) -> None:
        """Put an in-place operator's result into its tensor, in the tensor's own type (and shape, but for those that
        change it).
        """
        new = result[0] if isinstance(result, tuple) else result
        if node.kind in RESHAPING:
            self._reshaped(node, cell, self.content(new))
            return
        old = cell.read()
        if isinstance(new, np.ndarray) and not isinstance(old, SYMBOLIC):
            self.write_tensor(cell, new)
            return
        self.write_tensor(cell, self.content(self._fitted(self.as_operand(old), self.as_operand(new))))

    def _fitted(self, old: Any, new: Any) -> Any:
        """New content in the element type of the old."""
        if isinstance(old, Sym) and isinstance(new, Sym):
            made = self.builder.cast(new, old.dtype)
            return (
                self.builder.shaped(made, old.shape)
                if old.shape is not None and made.rank in (None, old.rank)
                else made
            )
        if isinstance(old, Pair) and isinstance(new, Sym):
            return complex_forms.as_pair(self.builder, new, old.dtype)
        return new

    def _reshaped(self, node: Node, cell: Cell, content: Any) -> None:
        """An operator that changes its tensor's shape, not its memory."""
        if cell.viewed:
            raise ExportError(
                f"{node.kind} on a tensor that has views has no ONNX form: use the variant without underscore"
            )
        if isinstance(cell, View):
            raise ExportError(f"{node.kind} on a view has no ONNX form: use the variant without underscore")
        self.write(cell, content)

    def _out(self, node: Node, schema: Schema, arguments: Sequence[Any]) -> Sequence[Any]:
        """An `out=` overload: the functional result goes into the given tensors."""
        outs = schema.out_arguments
        given = [v for a, v in zip(schema.arguments, arguments, strict=True) if a not in outs]
        targets = [v for a, v in zip(schema.arguments, arguments, strict=True) if a in outs]
        if not all(isinstance(t, Cell) for t in targets):
            raise ExportError(f"operator {schema.full_name} has no ONNX form: use the form without out=")
        if all(map(is_known, arguments)):
            copies = [
                v.copy() if a in outs else v for a, v in zip(schema.arguments, map(plain, arguments), strict=True)
            ]
            result = self.evaluate(schema.full_name, copies)
        else:
            result = self.convert(schema, given)
        for target, new in zip(targets, result if isinstance(result, tuple) else (result,), strict=True):
            old = self.tensor(target)
            self.write_tensor(target, self.content(self.builder.cast(self.as_operand(new), old.dtype)))
        return targets


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_tensors(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_tensors(v) for v in value)
    return hasattr(value, "_array") or hasattr(value, "slots")


def _aliases(schema: Schema) -> bool:
    """Whether the result may share the first argument's memory."""
    first = schema.arguments[0].alias
    return bool(first and schema.returns and schema.returns[0].alias and first in schema.returns[0].alias.split("|"))


__all__ = ["Exporter", "Raised"]
