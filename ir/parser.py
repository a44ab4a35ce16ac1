"""Reads the text form of graphs and types (see `linstock.ir.printer`). Malformed text raises GraphError with line and
column.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from linstock.ir import dtypes, operators, types
from linstock.ir.device import Device
from linstock.ir.errors import GraphError
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.printer import resolve_overload
from linstock.ir.schema import Schema, torchbind
from linstock.ir.source import Source, Span
from linstock.ir.types import Type

MakeTensor = Callable[[np.ndarray, dtypes.dtype], Any]
EnumMember = Callable[[types.EnumType, str], Any]


def parse_graph(
    text: str,
    classes: Mapping[str, Type] | None = None,
    constants: Sequence[Any] = (),
    functions: Mapping[str, Any] | None = None,
    make_tensor: MakeTensor | None = None,
    enum_member: EnumMember | None = None,
) -> Graph:
    """The graph that `text` describes.

    `classes` and `functions` are what class names and `@name` mean, `constants` the table for `CONSTANTS.cN`;
    written-out tensors go through `make_tensor(array, dtype)` (default: the array). Raises GraphError with line and
    column.
    """
    tree = _parse(text, "graph")
    graph = Graph()
    reader = _Reader(text, classes or {}, constants, functions or {}, make_tensor, enum_member)
    reader.body(graph.block, *tree)
    return graph


def parse_type(text: str, classes: Mapping[str, Type] | None = None) -> Type:
    """The type that is printed as `text`. Raises GraphError with line and column."""
    return _Reader(text, classes or {}).type(_parse(text, "type"))


# -- syntax tree: types and values are kept as small tuples with their token, for positions ---------
@dataclass(frozen=True)
class _T:
    """A parsed type: `kind` is how it was written."""

    kind: str
    token: Any
    parts: tuple[Any, ...] = ()


@dataclass(frozen=True)
class _V:
    """A parsed value that needs a table or a type to be understood."""

    kind: str
    token: Any
    parts: tuple[Any, ...] = ()


@dataclass(frozen=True)
class _Statement:
    outputs: list[Any]
    operator: Any
    attributes: list[Any]
    inputs: list[Any]
    scope: Any
    span: Any
    blocks: list[Any]


def _parse(text: str, start: str) -> Any:
    from lark import UnexpectedInput

    try:
        return _lark().parse(text if text.endswith("\n") else text + "\n", start=start)
    except UnexpectedInput as error:
        line, column = max(error.line, 1), max(error.column, 1)
        lines = text.split("\n")
        if not 0 < line <= len(lines) or getattr(getattr(error, "token", None), "type", "") == "$END":
            line, column = len(lines), len(lines[-1]) + 1
        found = getattr(error, "token", None)
        if found is None:
            found = getattr(error, "char", "")
        what = "the text ends too early" if getattr(found, "type", "") == "$END" else f"unexpected {str(found)!r}"
        raise _error(text, what, line, column) from None


def _error(text: str, message: str, line: int, column: int, width: int = 1) -> GraphError:
    span = Span(Source(text, "<graph>"), line, column - 1, line, column - 1 + width)
    return GraphError(f"line {line}, column {column}: {message}", span)


@cache
def _lark() -> Any:
    from lark import Lark

    grammar = files("linstock.ir").joinpath("graph.lark").read_text()
    return Lark(grammar, parser="lalr", start=["graph", "type"], transformer=_transformer(), maybe_placeholders=True)


def _transformer() -> Any:
    from lark import Transformer

    def present(c: list[Any]) -> list[Any]:
        return [x for x in c if x is not None]

    class Build(Transformer):  # type: ignore[type-arg]
        parameters = arguments = attributes = statements = types = values = staticmethod(present)

        def graph(self, c: list[Any]) -> Any:
            return tuple(c)

        def parameter(self, c: list[Any]) -> Any:
            return c[0], c[1]

        def block(self, c: list[Any]) -> Any:
            return tuple(c[1:])

        def statement(self, c: list[Any]) -> _Statement:
            return _Statement(c[0], c[1], c[2], c[3], c[4], c[5], c[6:])

        def attribute(self, c: list[Any]) -> Any:
            return str(c[0]), c[1]

        def types_attribute(self, c: list[Any]) -> Any:
            return "types", _V("types", None, (c[0],))

        def named(self, c: list[Any]) -> _T:
            return _T("name", c[0])

        def generic(self, c: list[Any]) -> _T:
            return _T("generic", c[0], tuple(present(c[1:])))

        def tuple_type(self, c: list[Any]) -> _T:
            return _T("tuple", None, tuple(c[0]))

        def list_type(self, c: list[Any]) -> _T:
            return _T("list", None, (c[0],))

        def optional_type(self, c: list[Any]) -> _T:
            return _T("optional", None, (c[0],))

        def star(self, c: list[Any]) -> _V:
            return _V("star", None)

        def keyword(self, c: list[Any]) -> _V:
            return _V("keyword", c[0], (c[1],))

        def device_keyword(self, c: list[Any]) -> _V:
            return _V("keyword", "device", ("".join(present(c)),))

        def none(self, c: list[Any]) -> _V:
            return _V("none", None)

        def integer(self, c: list[Any]) -> int:
            return int(c[0])

        def number(self, c: list[Any]) -> float:
            return float(c[0])

        def string(self, c: list[Any]) -> Any:
            return json.loads(str(c[0]), strict=False)

        def name(self, c: list[Any]) -> Any:
            fixed = {"True": True, "False": False, "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
            return fixed[c[0]] if str(c[0]) in fixed else _V("name", c[0])

        def function(self, c: list[Any]) -> _V:
            return _V("function", c[0])

        def tuple(self, c: list[Any]) -> _V:
            return _V("tuple", None, tuple_of(present(c)))

        def dict(self, c: list[Any]) -> _V:
            return _V("dict", None, tuple_of(present(c)))

        def pair(self, c: list[Any]) -> Any:
            return c[0], c[1]

        def tensor(self, c: list[Any]) -> _V:
            return _V("tensor", c[0], (c[1], c[2]))

        def complex(self, c: list[Any]) -> complex:
            return complex_of(c[0], c[1])

        def device(self, c: list[Any]) -> Device:
            return Device(json.loads(str(c[0])))

    tuple_of, complex_of = tuple, complex
    return Build()


class _Reader:
    """Builds the graph from the syntax tree."""

    def __init__(
        self,
        text: str,
        classes: Mapping[str, Type],
        constants: Sequence[Any] = (),
        functions: Mapping[str, Any] | None = None,
        make_tensor: MakeTensor | None = None,
        enum_member: EnumMember | None = None,
    ) -> None:
        self.text, self.classes, self.constants, self.functions = text, classes, constants, functions or {}
        self.make_tensor, self.enum_member = make_tensor or (lambda array, dtype: array), enum_member
        self.known: dict[str, Value] = {}
        self.types: dict[_T, Type] = {}

    def fail(self, message: str, token: Any) -> GraphError:
        line, column = getattr(token, "line", 1) or 1, getattr(token, "column", 1) or 1
        return _error(self.text, message, line, column, len(str(token)))

    # -- nodes and blocks ---------------------------------------------------------------------------
    def body(self, block: Block, parameters: list[Any], statements: list[_Statement], results: list[Any]) -> None:
        outer = self.known
        self.known = dict(outer) if block.owner is not None else outer
        for token, t in parameters:
            self.declare(token, block.add_input(self.type(t)))
        for statement in statements:
            self.statement(block, statement)
        for token in results:
            block.add_output(self.value_of(token))
        self.known = outer

    def declare(self, token: Any, value: Value) -> None:
        name = str(token)[1:]
        if name in self.known:
            raise self.fail(f"%{name} is assigned twice", token)
        self.known[name] = value
        if not name.isdigit():
            value.name = name

    def value_of(self, token: Any) -> Value:
        found = self.known.get(str(token)[1:])
        if found is None:
            raise self.fail(f"{token} is not defined here", token)
        return found

    def statement(self, block: Block, s: _Statement) -> None:
        inputs = [self.value_of(t) for t in s.inputs]
        kind, schema = self.operator(s, inputs)
        node = Node(kind, schema, self.span(s.span))
        node.insert_before(block.return_node)
        for v in inputs:
            node.add_input(v)
        for inner in s.blocks:
            self.body(node.add_block(), *inner)
        for token, t in s.outputs:
            self.declare(token, node.add_output(self.type(t)))
        for key, value in s.attributes:
            node.attributes[key] = self.value(value, node.outputs[0].type if key == "value" and node.outputs else None)
        if kind == "prim::Constant":
            node.attributes.setdefault("value", None)
            if isinstance(node.outputs[0].type, types.SimpleType) and node.outputs[0].type is types.FUNCTION:
                node.outputs[0].type = types.FunctionType(node.attributes["value"])
        if s.scope is not None:
            node.scope = str(s.scope)[len(", scope: ") :]

    def operator(self, s: _Statement, inputs: list[Value]) -> tuple[str, Schema | None]:
        """The kind and schema that an operator's printed name means for these inputs."""
        name = str(s.operator)
        kind, _, overload = name.partition(".")
        if overload:
            if not operators.has_schema(name):
                raise self.fail(f"there is no operator {name}", s.operator)
            return kind, operators.schema(name)
        if kind in STRUCTURAL:
            return kind, None
        if not operators.is_known(kind):
            near = operators.nearest(kind)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise self.fail(f"there is no operator {kind}{hint}", s.operator)
        schema = resolve_overload(kind, [v.type for v in inputs])
        if schema is None:
            given = ", ".join(str(v.type) for v in inputs)
            lines = "".join(f"\n    {o}" for o in operators.schemas(kind))
            raise self.fail(f"no overload of {kind} takes ({given}):{lines}", s.operator)
        return kind, schema

    def span(self, token: Any) -> Span | None:
        if token is None:
            return None
        place, line, column = str(token)[1:].strip().rsplit(":", 2)
        return Span(Source("", place), int(line), int(column), int(line), int(column))

    # -- values -------------------------------------------------------------------------------------
    def value(self, value: Any, t: Type | None = None) -> Any:
        """The Python value of an attribute; `t` is the type of the constant whose value it is."""
        if t == types.BOOL and isinstance(value, int):
            return bool(value)
        if t == types.DEVICE and isinstance(value, str):
            return Device(value)
        if isinstance(value, list):
            return [self.value(v) for v in value]
        if not isinstance(value, _V):
            return value
        if value.kind == "none":
            return None
        if value.kind == "types":
            return [self.type(x) for x in value.parts[0]]
        if value.kind == "tuple":
            return tuple(self.value(v) for v in value.parts)
        if value.kind == "dict":
            return {self.value(k): self.value(v) for k, v in value.parts}
        if value.kind == "tensor":
            return self.tensor(value)
        name = str(value.token)
        if value.kind == "function":
            if name not in self.functions:
                raise self.fail(f"there is no function {name}", value.token)
            return self.functions[name]
        if name.startswith("CONSTANTS.c") and name[len("CONSTANTS.c") :].isdigit():
            number = int(name[len("CONSTANTS.c") :])
            if number >= len(self.constants):
                raise self.fail(f"there is no constant {number}: the table has {len(self.constants)}", value.token)
            return self.constants[number]
        return self.member(value.token, name)

    def member(self, token: Any, name: str) -> Any:
        owner, _, member = name.rpartition(".")
        enum = self.classes.get(owner)
        if not isinstance(enum, types.EnumType) or member not in enum.members:
            raise self.fail(f"{name} is not a value: it names no member of an enum", token)
        return enum.members[member] if self.enum_member is None else self.enum_member(enum, member)

    def tensor(self, value: _V) -> Any:
        shape, items = value.parts
        try:
            dtype = dtypes.by_scalar_name(str(value.token))
            array = np.array(items, dtype=dtype.numpy if dtype.numpy.kind != "b" else bool).reshape(shape)
        except (KeyError, ValueError, TypeError) as error:
            raise self.fail(f"this is not a tensor: {error}", value.token) from None
        return self.make_tensor(array, dtype)

    # -- types --------------------------------------------------------------------------------------
    def type(self, t: _T) -> Type:
        if t.kind == "tuple":
            return types.TupleType(tuple(self.type(p) for p in t.parts))
        if t.kind == "list":
            return types.ListType(self.type(t.parts[0]))
        if t.kind == "optional":
            return types.OptionalType(self.type(t.parts[0]))
        name = str(t.token)
        if t.kind == "generic":
            return self.generic(t, name)
        if name in SIMPLE_TYPES:
            return SIMPLE_TYPES[name]
        bare = name[len("Enum<") : -1] if name.startswith("Enum<") else name
        if bare in self.classes:
            return self.classes[bare]
        if name.startswith("__torch__.torch.classes."):
            return torchbind(name)
        raise self.fail(f"there is no type {name}", t.token)

    def generic(self, t: _T, name: str) -> Type:
        arity = {"Dict": 2, "Future": 1, "Await": 1, "RRef": 1}
        if name in arity or name == "Union":
            if not all(isinstance(p, _T) for p in t.parts) or len(t.parts) != arity.get(name, len(t.parts)):
                raise self.fail(f"{name} takes {arity.get(name, 'several')} types", t.token)
            parts = [self.type(p) for p in t.parts]
            if name == "Union":
                return types.UnionType(parts)
            made: dict[str, Any] = {
                "Dict": types.DictType, "Future": types.FutureType, "Await": types.AwaitType, "RRef": types.RRefType,
            }  # fmt: skip
            return made[name](*parts)  # type: ignore[no-any-return]
        return self.tensor_type(t, name)

    def tensor_type(self, t: _T, name: str) -> Type:
        try:
            dtype = None if name == "Tensor" else dtypes.by_scalar_name(name).code
        except KeyError:
            raise self.fail(f"there is no type {name}(...)", t.token) from None
        sizes: list[int | str] = []
        unranked = False
        known: dict[str, Any] = {}
        for part in t.parts:
            if isinstance(part, int):
                sizes.append(part)
            elif isinstance(part, _T) and part.kind == "name":
                sizes.append(str(part.token))
            elif isinstance(part, _V) and part.kind == "star":
                unranked = True
            elif isinstance(part, _V) and str(part.token) in ("strides", "requires_grad", "device"):
                known[str(part.token)] = part.parts[0]
            else:
                raise self.fail(f"{name}(...) holds sizes, strides=, requires_grad= and device=", t.token)
        return types.TensorType(
            dtype,
            None if unranked else tuple(sizes),
            tuple(known["strides"]) if "strides" in known else None,
            known.get("device"),
            bool(known["requires_grad"]) if "requires_grad" in known else None,
        )


#: types that are printed by one fixed name
SIMPLE_TYPES: dict[str, Type] = {
    **{t.name: t for t in types.SIMPLE.values() if isinstance(t, types.SimpleType)},
    "Tensor": types.TENSOR, "Function": types.FUNCTION,
}  # fmt: skip

#: the kinds of nodes that have no schema (the table in ir/README.md)
STRUCTURAL = frozenset(
    f"prim::{kind}"
    for kind in (
        "Constant", "If", "Loop", "ListConstruct", "TupleConstruct", "DictConstruct", "ListUnpack", "TupleUnpack",
        "TupleIndex", "TupleSlice", "GetAttr", "SetAttr", "CreateObject", "CallFunction", "CallMethod", "isinstance",
        "unchecked_cast", "unchecked_unwrap_optional", "Uninitialized", "RaiseException", "fork", "Enter", "Exit",
        "tolist", "ModuleContainerIndex",
    )
)  # fmt: skip
