"""Calls, attributes, tuples and the other structure of programs while exporting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.onnx import control
from linstock.backends.onnx.builder import Sym
from linstock.backends.onnx.errors import Raised
from linstock.backends.onnx.values import UNSET, Cell, DictCell, ListCell, ObjectCell
from linstock.ir import types as T
from linstock.ir.errors import ExportError
from linstock.ir.graph import Node, Value

if TYPE_CHECKING:
    from linstock.backends.onnx.exporter import Exporter

Environment = dict[Value, Any]
Handler = Callable[["Exporter", Node, list[Any], Environment], Sequence[Any]]


def _get_attr(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    if not isinstance(args[0], ObjectCell):
        raise ExportError("an attribute of something that is no object of the program")
    return [e.slot(args[0], node.attributes["name"]).content]


def _set_attr(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    place = e.slot(args[0], node.attributes["name"])
    if args[0].source is not None and args[1] is not place.content:
        e.note_state(f"{args[0].path}.{node.attributes['name']}".lstrip("."))
    e.write(place, args[1])
    return []


def _call_method(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    return [e.call(args[0].type.methods[node.attributes["name"]], args)]


def _tuple_index(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    if isinstance(args[1], Sym):
        raise ExportError("a tuple is indexed with a number that depends on the inputs")
    return [args[0][args[1]]]


def _tuple_slice(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    return [args[0][node.attributes["beg"] : node.attributes["end"]]]


def _list_unpack(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    content = args[0].content
    if isinstance(content, Sym):
        return [Cell(e.builder.op("SequenceAt", content, np.asarray(i, np.int64))) for i in range(len(node.outputs))]
    if len(content) != len(node.outputs):
        raise Raised(f"expected {len(node.outputs)} elements in a list but found {len(content)}")
    return list(content)


def _raise(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    raise Raised(args[0] if isinstance(args[0], str) else "the program raises here")


def _isinstance(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    return [any(_is_a(args[0], t) for t in node.attributes["types"])]


def _is_a(value: Any, t: T.Type) -> bool:
    """Whether a value is an instance of a type. Lists and dictionaries are looked into only one level deep."""
    if isinstance(t, T.UnionType):
        return any(_is_a(value, m) for m in t.members)
    if isinstance(value, Cell):
        return isinstance(t, T.TensorType)
    if isinstance(value, Sym):
        return t is T.NUMBER or t is {4: T.INT, 7: T.FLOAT, 11: T.BOOL}.get(value.dtype)
    if isinstance(value, ListCell):
        if isinstance(t, T.ListType):
            elements = () if isinstance(value.content, Sym) else value.content
            return all(_is_a(v, t.element) for v in elements)
        return t is T.ANY_LIST
    if isinstance(value, tuple):
        if isinstance(t, T.TupleType):
            return len(t.elements) == len(value) and all(map(_is_a, value, t.elements))
        return t is T.ANY_TUPLE
    if isinstance(value, ObjectCell):
        return t is value.type
    if isinstance(value, DictCell):
        return isinstance(t, T.DictType)
    simple = {bool: T.BOOL, int: T.INT, float: T.FLOAT, complex: T.COMPLEX, str: T.STRING, type(None): T.NONE}
    return t is simple.get(type(value)) or (t is T.NUMBER and type(value) in (int, float, complex, bool))


def _enter(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    return [e.call(args[0].type.methods["__enter__"], [args[0]])]


def _exit(e: Exporter, node: Node, args: list[Any], env: Environment) -> Sequence[Any]:
    e.call(args[0].type.methods["__exit__"], [args[0], None, None, None])
    return []


STRUCTURE: dict[str, Handler] = {
    "prim::GetAttr": _get_attr, "prim::SetAttr": _set_attr, "prim::CallMethod": _call_method,
    "prim::CallFunction": lambda e, n, a, env: [e.call(a[0], a[1:])], "prim::TupleConstruct": lambda e, n, a, env: [tuple(a)],
    "prim::TupleIndex": _tuple_index, "prim::TupleSlice": _tuple_slice, "prim::TupleUnpack": lambda e, n, a, env: list(a[0]),
    "prim::DictConstruct": lambda e, n, a, env: [DictCell(tuple(zip(a[::2], a[1::2], strict=True)))],
    "prim::ListConstruct": lambda e, n, a, env: [ListCell(tuple(a))], "prim::ListUnpack": _list_unpack, "prim::RaiseException": _raise,
    "prim::isinstance": _isinstance, "prim::unchecked_cast": lambda e, n, a, env: [a[0]],
    "prim::unchecked_unwrap_optional": lambda e, n, a, env: [a[0]], "prim::Uninitialized": lambda e, n, a, env: [UNSET],
    "prim::CreateObject": lambda e, n, a, env: [ObjectCell(n.outputs[0].type)], "prim::If": control.if_node, "prim::Loop": control.loop_node,
    "prim::fork": lambda e, n, a, env: [e.call(n.attributes["function"], a)], "prim::Enter": _enter, "prim::Exit": _exit,
    "prim::EnumName": lambda e, n, a, env: [a[0].name], "prim::EnumValue": lambda e, n, a, env: [a[0].value],
    "prim::ModuleContainerIndex": lambda e, n, a, env: [e.slot(a[0], str(a[1])).content],
}  # fmt: skip
