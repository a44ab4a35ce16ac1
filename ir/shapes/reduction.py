"""Type rules of reductions and scans."""

from __future__ import annotations

from collections.abc import Callable

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import BOOL, LONG, drop, is_integral, to_real, wrap
from linstock.ir.shapes.registry import UNKNOWN, Call, Result, Rule, Sizes, known, rules


def reduced(call: Call, t: T.TensorType, dim: str = "dim") -> Sizes | None:
    """The sizes after the dimensions named by an argument (an int, a list, None or empty for all) are reduced."""
    keep = call.const("keepdim", False)
    if t.rank is None or t.sizes is None or keep is UNKNOWN:
        return None
    value = call.argument(dim)
    if value is None or value.type == T.NONE or (value.is_constant and value.constant is None):
        return drop(t.sizes, range(t.rank), bool(keep))
    dims = [call.number(dim)] if value.type == T.INT else call.known_ints(dim)
    if dims is None:
        return call.fresh(t.rank) if keep else None
    if not dims:
        dims = list(range(t.rank))
    places = [wrap(d, t.rank) for d in dims]
    if any(p is None for p in places):
        return call.fresh(t.rank) if keep else None
    return drop(t.sizes, [p for p in places if p is not None] if t.rank else [], bool(keep))


def _summed(code: int | None) -> int | None:
    return LONG if code is not None and is_integral(code) else code


def reduction(dtype: Callable[[int | None], int | None]) -> Rule:
    """A reduction of the first argument; the element type (unless asked for) by `dtype`."""

    def result(call: Call) -> Result:
        t = call.tensor(0)
        return known(call.dtype("dtype", dtype(t.dtype)), reduced(call, t))

    return result


def _with_indices(call: Call) -> Result:
    """Values and their places; without `dim` only the values."""
    t = call.tensor(0)
    values = known(t.dtype, reduced(call, t))
    return values if len(call.node.outputs) == 1 else (values, known(LONG, values.sizes))


def _truth(code: int | None) -> int | None:
    return None if code is None else code if code == dtypes.uint8.code else BOOL


def _max(call: Call) -> Result:
    """max(x), max(x, dim) or max(x, other)"""
    if call.argument("other") is not None:
        from linstock.ir.shapes.pointwise import same

        return same(call)
    return _with_indices(call)


def _scan(call: Call) -> Result:
    t = call.tensor(0)
    values = known(call.dtype("dtype", _summed(t.dtype)), t.sizes)
    return values


rules("sum nansum prod", reduction(_summed))
rules("mean nanmean amax amin", reduction(lambda code: code))
rules("logsumexp", reduction(lambda code: None if code is None or is_integral(code) else code))
rules("var std linalg_vector_norm", reduction(to_real))
rules("argmax argmin count_nonzero", reduction(lambda code: LONG))
rules("all any", reduction(_truth))
rules("max min", _max)
rules("median nanmedian mode kthvalue", _with_indices)
rules("cumsum cumprod", _scan)
