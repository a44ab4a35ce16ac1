"""Python's built-in functions inside compiled programs, and the few that only TorchScript has."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span
from linstock.tracer import matching
from linstock.tracer.values import (
    Args,
    BuiltinFunction,
    Counter,
    Kwargs,
    Range,
    SimpleValue,
    Special,
    Sugared,
    Zip,
    plain,
)

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter


def _range(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    values, _ = plain(e, span, args, kwargs)
    if not 1 <= len(values) <= 3:
        raise CompileError(f"range expected 1 to 3 arguments, got {len(values)}", span)
    values = [matching.convert(e, v, T.INT, True) for v in values]
    for v in values:
        if v.type != T.INT:
            raise CompileError(f"range takes ints, not {v.type.annotation()}", span)
    zero, one = e.builder.constant(0), e.builder.constant(1)
    start, stop, step = {1: (zero, values[0], one), 2: (*values, one), 3: tuple(values)}[len(values)]
    return Range(start, stop, step)


def _iterable(e: Emitter, span: Span, s: Sugared) -> Sugared:
    return s.iterable(e, span) if isinstance(s, SimpleValue) else s


def _enumerate(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    start = args[1] if len(args) > 1 else kwargs.get("start")
    counter = Counter()
    if start is not None:
        value = start.value(e, span)
        counter = (
            Counter(value.constant, None if value.constant == 0 else value) if value.is_constant else Counter(0, value)
        )
    return Zip((counter, _iterable(e, span, args[0])))


def _zip(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    return Zip(tuple(_iterable(e, span, a) for a in args))


def _cast(name: str, kind: T.Type) -> Callable[..., Sugared]:
    def cast(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        if not args:
            return SimpleValue(
                e.builder.constant({"Int": 0, "Float": 0.0, "Bool": False, "str": "", "Complex": 0j}[name])
            )
        values, named = plain(e, span, args, kwargs)
        if len(values) == 1 and values[0].type == kind:
            return SimpleValue(values[0])
        if name == "Bool":
            return SimpleValue(e.truth(args[0], span).value)
        if name == "Int" and len(values) == 2 and values[1].is_constant and values[1].constant == 10:
            values = values[:1]
        if name == "str" and isinstance(values[0].type, T.ClassType) and "__str__" in values[0].type.methods:
            return args[0].attr(e, span, "__str__").call(e, span, (), {})
        if isinstance(values[0].type, T.ClassType):
            method = {"Int": "__int__", "Float": "__float__", "Complex": "__complex__", "str": "__str__"}[name]
            return args[0].attr(e, span, method).call(e, span, (), {})
        if name == "Float" and values[0].type == T.STRING and values[0].is_constant:
            return SimpleValue(e.builder.constant(float(values[0].constant)))
        return SimpleValue(matching.emit_builtin(e, span, f"aten::{name}", values, named))

    return cast


def _len(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    items = args[0].elements(e, span)
    if items is not None:
        return SimpleValue(e.builder.constant(len(items)))
    if isinstance(args[0], SimpleValue) and isinstance(args[0].it.type, T.ClassType):
        return args[0].attr(e, span, "__len__").call(e, span, (), {})
    if not isinstance(args[0], SimpleValue):
        return SimpleValue(args[0].length(e, span))
    return SimpleValue(matching.emit_builtin(e, span, "aten::len", [args[0].it], {}))


def _getattr(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    name = args[1].value(e, span)
    if not name.is_constant or not isinstance(name.constant, str):
        raise CompileError("getattr takes a constant name", span)
    if len(args) == 3 and not args[0].has_attr(e, span, name.constant):
        return args[2]
    return args[0].attr(e, span, name.constant)


def _list(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    if not args:
        return SimpleValue(e.empty(T.ListType(T.TENSOR), span))
    source = args[0]
    items = source.elements(e, span)
    if items is not None and not isinstance(source, Range):
        values = [i.value(e, span) for i in items]
        joined: T.Type | None = values[0].type if values else T.TENSOR
        for v in values[1:]:
            joined = None if joined is None else T.unify(joined, v.type)
        if joined is None:
            raise CompileError("the elements of a list must have one type", span)
        return SimpleValue(e.list_of(values, joined))
    if isinstance(source, SimpleValue):
        it = source.iterable(e, span)
        assert isinstance(it, SimpleValue)
        if isinstance(it.it.type, T.ListType) or it.it.type == T.STRING:
            return SimpleValue(matching.emit_builtin(e, span, "aten::list", [it.it], {}))
    return SimpleValue(collect(e, span, _iterable(e, span, source)))


def collect(e: Emitter, span: Span, over: Sugared) -> Value:
    """A list of everything a loop over `over` gives."""
    from linstock.ir.graph import Block, Builder

    limit = over.length(e, span)
    probe = e.builder.point.prev
    element = over.element_at(e, span, e.builder.constant(0)).value(e, span).type
    e.undo(probe)
    result = e.list_of([], element)
    node = e.at(span).node("prim::Loop", (limit, e.builder.constant(True)))
    block = Block(e.graph, node)
    node.blocks.append(block)
    index = block.add_input(T.INT, "i")
    before, e.builder = e.builder, Builder(block, span)
    try:
        item = over.element_at(e, span, index).value(e, span)
        e.builder.op("aten::append.t", result, item)
        going = e.builder.constant(True)
    finally:
        e.builder = before
    block.add_output(going)
    return result


def _sum_like(name: str) -> Callable[..., Sugared]:
    def function(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        return SimpleValue(e.call_operator(span, name, values, named))

    return function


def _min_max(name: str) -> Callable[..., Sugared]:
    def function(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        if any(isinstance(v.type, T.TensorType) for v in values):
            return SimpleValue(matching.emit_builtin(e, span, f"aten::{name}", values, named))
        result = values[0]
        if len(values) == 1:
            return SimpleValue(matching.emit_builtin(e, span, f"prim::{name}", values, named))
        for v in values[1:]:
            result = matching.emit_builtin(e, span, f"prim::{name}", [result, v], named)
        return SimpleValue(result)

    return function


def _abs(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    values, named = plain(e, span, args, kwargs)
    name = "aten::abs" if isinstance(values[0].type, T.TensorType) else "prim::abs"
    return SimpleValue(matching.emit_builtin(e, span, name, values, named))


def _round(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    values, named = plain(e, span, args, kwargs)
    if len(values) + len(named) != 1:
        raise CompileError("round() to a number of digits cannot be compiled: use round(x * 100) / 100", span)
    return SimpleValue(matching.emit_builtin(e, span, "aten::round", values, named))


def _sorted(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    values, named = plain(e, span, args, kwargs)
    if isinstance(values[0].type, T.DictType):
        values[0] = matching.emit_builtin(e, span, "aten::keys", values, {})
    reverse = named.pop("reverse", None)
    if reverse is not None:
        copy = matching.emit_builtin(e, span, "aten::sorted", values, {})
        matching.emit_builtin(e, span, "aten::sort", [copy, reverse], {})
        return SimpleValue(copy)
    return SimpleValue(matching.emit_builtin(e, span, "aten::sorted", values, named))


def _dict(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    if not args and not kwargs:
        return SimpleValue(e.empty(T.DictType(T.STRING, T.TENSOR), span))
    if kwargs and not args:
        flat: list[Value] = []
        for k, v in kwargs.items():
            flat += [e.builder.constant(k), v.value(e, span)]
        return SimpleValue(e.builder.value("prim::DictConstruct", flat, T.DictType(T.STRING, flat[1].type)))
    value = args[0].value(e, span) if isinstance(args[0], SimpleValue) else collect(e, span, args[0])
    return SimpleValue(matching.emit_builtin(e, span, "aten::dict", [value], {}))


def _tuple(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    if not args:
        return SimpleValue(e.builder.value("prim::TupleConstruct", (), T.TupleType(())))
    items = args[0].elements(e, span)
    if items is None:
        raise CompileError("a tuple cannot be made of something whose length is not known when compiling", span)
    values = [i.value(e, span) for i in items]
    return SimpleValue(e.builder.value("prim::TupleConstruct", values, T.TupleType(tuple(v.type for v in values))))


def _print(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    return SimpleValue(matching.emit_builtin(e, span, "prim::Print", plain(e, span, args, {})[0], {}))


def _reversed(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    items = args[0].elements(e, span)
    if items is not None:
        from linstock.tracer.values import TupleOf

        return TupleOf(tuple(reversed(items)))
    if isinstance(args[0], Range):
        value = collect(e, span, args[0])
    else:
        value = args[0].value(e, span)
    if isinstance(value.type, T.TensorType):
        raise CompileError("reversed() of a tensor cannot be compiled: use torch.flip(x, [0])", span)
    none, step = e.builder.constant(None), e.builder.constant(-1)
    return SimpleValue(matching.emit_builtin(e, span, "aten::slice", [value, none, none, step], {}))


def _simple(name: str) -> Sugared:
    return BuiltinFunction(name)


BUILTINS: dict[str, Sugared] = {
    name: Special(name, function)
    for name, function in {
        "range": _range, "enumerate": _enumerate, "zip": _zip, "len": _len, "getattr": _getattr, "list": _list, "dict": _dict,
        "tuple": _tuple, "print": _print, "abs": _abs, "sorted": _sorted, "round": _round, "reversed": _reversed, "min": _min_max("min"),
        "max": _min_max("max"), "int": _cast("Int", T.INT), "float": _cast("Float", T.FLOAT), "bool": _cast("Bool", T.BOOL),
        "str": _cast("str", T.STRING), "complex": _cast("Complex", T.NUMBER),
        "sum": _sum_like("aten::sum"), "any": _sum_like("aten::any"), "all": _sum_like("aten::all"),
    }.items()
}  # fmt: skip
BUILTINS |= {name: _simple(f"aten::{name}") for name in ("divmod", "ord", "chr", "hex", "oct", "bin", "hash", "pow")}
BUILTINS |= {"id": _simple("prim::id"), "rangelist": _simple("prim::rangelist")}


def _of_floats(name: str, count: int, compute: Callable[[Emitter, Span, list[Value]], Value]) -> Callable[..., Sugared]:
    """A function of `math` that is written with other operators."""

    def function(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, _ = plain(e, span, args, kwargs)
        if len(values) != count:
            raise CompileError(f"math.{name} takes {count} argument(s), got {len(values)}", span)
        return SimpleValue(compute(e, span, values))

    return function


def _hypot(e: Emitter, span: Span, values: list[Value]) -> Value:
    squares = [matching.emit_builtin(e, span, "aten::mul", [v, v], {}) for v in values]
    return matching.emit_builtin(e, span, "aten::sqrt", [matching.emit_builtin(e, span, "aten::add", squares, {})], {})


#: functions of the module `math` that are no operators themselves
MATH: dict[str, Callable[..., Sugared]] = {
    "trunc": _of_floats("trunc", 1, lambda e, span, v: matching.emit_builtin(e, span, "aten::Int", v, {})),
    "log2": _of_floats("log2", 1, lambda e, span, v: matching.emit_builtin(e, span, "aten::log", [*v, e.builder.constant(2)], {})),
    "exp2": _of_floats("exp2", 1, lambda e, span, v: matching.emit_builtin(e, span, "aten::pow", [e.builder.constant(2.0), *v], {})),
    "hypot": _of_floats("hypot", 2, _hypot),
}  # fmt: skip


def isinstance_types(e: Emitter, node: ast.expr) -> list[T.Type]:
    """The types of the second argument of isinstance()."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    found: list[T.Type] = []
    for part in parts:
        if isinstance(part, (ast.Tuple, ast.List)):
            found += isinstance_types(e, part)
            continue
        found.append(e.resolver.annotation(e, part))
    return found


def static_isinstance(value: T.Type, wanted: list[T.Type]) -> bool | None:
    """What isinstance gives where the static type tells, else None."""

    def one(t: T.Type) -> bool | None:
        if t == T.ANY or t == T.NUMBER or isinstance(t, T.InterfaceType):
            return None
        return any(
            T.is_subtype(t, w)
            or (w is T.ANY_LIST and isinstance(t, T.ListType))
            or (w is T.ANY_TUPLE and isinstance(t, T.TupleType))
            for w in wanted
        )

    outcomes = {one(m) for m in T.members_of(value)}
    return outcomes.pop() if len(outcomes) == 1 else None


def narrowed(value: T.Type, wanted: list[T.Type]) -> tuple[T.Type | None, T.Type | None]:
    """The type if isinstance holds, and if it does not (None where nothing is known)."""
    if value == T.ANY:
        return (T.union(wanted) if wanted else None), None
    members = T.members_of(value)
    inside = [m for m in members if any(T.is_subtype(m, w) for w in wanted)]
    outside = [m for m in members if m not in inside]
    return (T.union(inside) if inside else None), (T.union(outside) if outside else None)


def conj_name(name: str) -> str:
    return name


__all__ = ["Any", "BUILTINS", "collect", "isinstance_types", "narrowed", "static_isinstance"]
