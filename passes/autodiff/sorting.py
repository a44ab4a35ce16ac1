"""Derivatives of the sorting family: what was selected gives back to where it was found."""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.pointwise import masked
from linstock.passes.autodiff.reduction import selected
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable


def _ordered(name: str, dim_at: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: selected(ops, grads[0], args[0], args[dim_at], outputs[1], True),)

    derivative(f"aten::{name}", reads_self=False)(rule)


_ordered("sort", 1)
_ordered("sort.stable", 2)
_ordered("topk", 2)


def _one_of(name: str, dim_at: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: selected(ops, grads[0], args[0], args[dim_at], outputs[1], args[dim_at + 1]),)

    derivative(f"aten::{name}", reads_self=False)(rule)


_one_of("kthvalue", 2)
_one_of("mode", 1)
_one_of("median.dim", 1)
_one_of("nanmedian.dim", 1)


@derivative("aten::median", "aten::nanmedian")
def _median(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, y = args[0], outputs[0]

    def own() -> Any:
        hit = ops.logical_or(x == y, ops.logical_and(ops.isnan(x), ops.isnan(y)))
        return masked(ops, hit, grads[0] / ops.sum(hit))

    return (own,)


@decomposed("aten::msort")
def _msort(ops: Any, x: Any) -> Any:
    return ops.sort(x, 0)[0]


def _quantile(ops: Any, x: Any, q: Any, dim: Any, keep: bool, how: str, skip: bool) -> Any:
    rank = x.dim()
    if dim is None:
        ordered = ops.reshape(x, [-1])
    else:
        ordered = ops.movedim(x, dim, -1) if rank else ops.reshape(x, [1])
    ordered = ops.sort(ordered, -1)[0]
    n = ordered.shape[-1]
    known = ops.logical_not(ops.isnan(ordered))
    given = q if hasattr(q, "dtype") else ops.full([], q, dtype=x.dtype)
    wanted = ops.reshape(given, [-1] + [1] * ordered.dim()).to(x.dtype)
    if skip:
        place = wanted * ops.clamp(ops.sum(known, [-1], True) - 1, min=0)
    else:
        place = ops.where(ops.all(known, -1, True), wanted * (n - 1), float(n - 1))
    below = ops.floor(place)
    fraction = place - below
    if how == "lower":
        fraction = fraction * 0
    elif how == "higher":
        fraction = ops.ceil(fraction)
    elif how == "nearest":
        fraction = ops.round(place) - below
    elif how == "midpoint":
        fraction = masked(ops, fraction > 0, 0.5 + fraction * 0)
    low = below.long()
    high = ops.clamp(low + 1, max=n - 1)
    shape = [wanted.shape[0], *ordered.shape]
    at = [ops.expand(v, [*shape[:-1], 1]) for v in (low, high)]
    first, second = (ops.gather(ops.expand(ordered.unsqueeze(0), shape), -1, v) for v in at)
    y = ops.lerp(first, second, ops.expand(fraction, [*shape[:-1], 1]))
    if not rank:
        y = ops.reshape(y, [shape[0]])
    elif not keep:
        y = y.squeeze(-1)
    elif dim is None:
        y = ops.reshape(y, [shape[0], *[1] * rank])
    else:
        y = ops.movedim(y, -1, dim % rank + 1)
    return y if given.dim() else y.squeeze(0)


for _name, _skip in (("quantile", False), ("nanquantile", True)):
    decomposed(f"aten::{_name}", f"aten::{_name}.scalar")(
        lambda ops, x, q, dim, keep, how, skip=_skip: _quantile(ops, x, q, dim, keep, how, skip)
    )

# no gradient --------------------------------------------------------------------------------------------------------

not_differentiable("argsort argsort.stable searchsorted* bucketize*", "the result is an index")
not_differentiable("isin*", "the result is boolean")
not_differentiable("bincount histc histogram* histogramdd*", "the result counts")
not_differentiable("_unique* unique_*", "which values are distinct changes by jumps")
