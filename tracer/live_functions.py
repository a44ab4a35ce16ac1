"""Library functions that choose among operators by their arguments: `torch.norm(x, dim=1)` and its kin in a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span
from linstock.tracer import matching
from linstock.tracer.values import Args, Kwargs, SimpleValue, Sugared

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter


def _named(span: Span, function: str, names: str, args: Args, kwargs: Kwargs) -> dict[str, Sugared]:
    """The arguments by name. Raises CompileError for an unknown one."""
    known = names.split()
    if len(args) > len(known):
        raise CompileError(f"{function}() takes {len(known)} positional arguments but {len(args)} were given", span)
    given = {**dict(zip(known, args)), **kwargs}
    unknown = next((n for n in given if n not in known), None)
    if unknown is not None:
        raise CompileError(f"{function}() got an unexpected keyword argument '{unknown}'", span)
    return given


def _constant(e: Emitter, span: Span, given: dict[str, Sugared], name: str, default: Any) -> Any:
    """The value of an argument that must be known when compiling."""
    if name not in given:
        return default
    value = given[name].value(e, span)
    if not value.is_constant:
        raise CompileError(f"the argument '{name}' must be a constant", span)
    return value.constant


def _values(e: Emitter, span: Span, given: dict[str, Sugared], *names: str) -> dict[str, Value]:
    """The arguments of these names that are given and are not None."""
    found = {n: given[n].value(e, span) for n in names if n in given}
    return {n: v for n, v in found.items() if v.type != T.NONE}


def _norm(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    given = _named(span, "norm", "input p dim keepdim out dtype", args, kwargs)
    x = given["input"].value(e, span)
    rest = _values(e, span, given, "dim", "keepdim", "dtype")
    p = given["p"].value(e, span) if "p" in given else e.builder.constant("fro")
    if p.type == T.STRING:
        if not p.is_constant or p.constant not in ("fro", "nuc"):
            raise CompileError("p must be a number, 'fro' or 'nuc', known when compiling", span)
        if p.constant == "nuc":
            return SimpleValue(matching.emit_builtin(e, span, "aten::nuclear_norm", [x], rest))
        p = e.builder.constant(2)
    if p.type == T.NONE:
        p = e.builder.constant(2)
    if "dim" not in rest and ("keepdim" in rest or "dtype" in rest):
        rest["dim"] = e.list_of([], T.INT)
    if "dtype" in rest:
        rest.setdefault("keepdim", e.builder.constant(False))
    return SimpleValue(matching.emit_builtin(e, span, "aten::norm", [x, p], rest))


def _split(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    given = _named(span, "split", "tensor split_size_or_sections dim", args, kwargs)
    x, sizes = given["tensor"].value(e, span), given["split_size_or_sections"].value(e, span)
    return SimpleValue(matching.emit_builtin(e, span, "aten::split", [x, sizes], _values(e, span, given, "dim")))


def _tensordot(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    given = _named(span, "tensordot", "a b dims", args, kwargs)
    tensors = [given[n].value(e, span) for n in ("a", "b")]
    dims = given["dims"].value(e, span) if "dims" in given else e.builder.constant(2)
    if dims.type == T.INT:
        if not dims.is_constant:
            raise CompileError("the number of dimensions must be a constant: give two lists of dimensions", span)
        count = dims.constant
        rows = [e.list_of([e.builder.constant(i) for i in r], T.INT) for r in (range(-count, 0), range(count))]
    else:
        rows = [SimpleValue(dims).getitem(e, span, e.builder.constant(i)).value(e, span) for i in (0, 1)]
    return SimpleValue(matching.emit_builtin(e, span, "aten::tensordot", [*tensors, *rows], {}))


def _chosen(e: Emitter, result: Value, flags: tuple[bool, bool]) -> Sugared:
    """Of values, places and counts those that are asked for; the values alone as a tensor."""
    values, *others = e.unpack_tuple(result)
    kept = [values, *(v for v, wanted in zip(others, flags) if wanted)]
    if len(kept) == 1:
        return SimpleValue(values)
    return SimpleValue(e.builder.value("prim::TupleConstruct", kept, T.TupleType(tuple(v.type for v in kept))))


def _unique(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    given = _named(span, "unique", "input sorted return_inverse return_counts dim", args, kwargs)
    flags = tuple(bool(_constant(e, span, given, n, False)) for n in ("return_inverse", "return_counts"))
    options = {n: e.builder.constant(f) for n, f in zip(("return_inverse", "return_counts"), flags)}
    options["sorted"] = e.builder.constant(bool(_constant(e, span, given, "sorted", True)))
    options |= _values(e, span, given, "dim")
    name = "aten::unique_dim" if "dim" in options else "aten::_unique2"
    return _chosen(
        e, matching.emit_builtin(e, span, name, [given["input"].value(e, span)], options), (flags[0], flags[1])
    )


def _unique_consecutive(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    given = _named(span, "unique_consecutive", "input return_inverse return_counts dim", args, kwargs)
    flags = tuple(bool(_constant(e, span, given, n, False)) for n in ("return_inverse", "return_counts"))
    options = {n: e.builder.constant(f) for n, f in zip(("return_inverse", "return_counts"), flags)}
    options |= _values(e, span, given, "dim")
    result = matching.emit_builtin(e, span, "aten::unique_consecutive", [given["input"].value(e, span)], options)
    return _chosen(e, result, (flags[0], flags[1]))


#: library functions by their plain name
FUNCTIONS: dict[str, Callable[..., Sugared]] = {
    "norm": _norm, "split": _split, "tensordot": _tensordot, "unique": _unique,
    "unique_consecutive": _unique_consecutive,
}  # fmt: skip
