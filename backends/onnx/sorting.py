"""ONNX forms of the sorting family: order statistics, searches, unique elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import is_nan
from linstock.backends.onnx.reduction import reduce
from linstock.backends.onnx.registry import converter, no_form

INT64, BOOL = 4, 11


def top(b: Builder, x: Sym, k: Any, dim: int, largest: bool) -> tuple[Sym, Sym]:
    """The k largest or smallest along a dimension, in order. Bools are ordered as integers."""
    work = b.cast(x, 3) if x.dtype == BOOL else x
    values, places = b.ops("TopK", work, b.single(k), outputs=2, axis=b.axis(x, dim), largest=int(largest), sorted=1)
    if x.shape is not None:
        shape = list(x.shape)
        shape[b.axis(x, dim)] = b.dims([k])[0]
        values, places = b.shaped(values, shape), b.shaped(places, shape)
    return b.cast(values, x.dtype), places


@converter("topk")
def _topk(b: Builder, x: Sym, k: Any, dim: int = -1, largest: bool = True, is_sorted: bool = True) -> tuple[Sym, Sym]:
    return top(b, x, k, dim, largest) if b.rank(x) else (x, b.constant(np.asarray(0)))


@converter("sort")
def sort(b: Builder, x: Sym, dim: int = -1, descending: bool = False) -> tuple[Sym, Sym]:
    """All elements in order, and where they were. ONNX Runtime's TopK is stable."""
    if not b.rank(x):
        return x, b.constant(np.asarray(0))
    return top(b, x, b.size(x, dim), dim, descending)


converter("sort.stable")(lambda b, x, stable=None, dim=-1, descending=False: sort(b, x, dim, descending))
converter("argsort")(lambda b, x, dim=-1, descending=False: sort(b, x, dim, descending)[1])
converter("argsort.stable")(lambda b, x, stable=True, dim=-1, descending=False: sort(b, x, dim, descending)[1])
converter("msort")(lambda b, x: sort(b, x, 0)[0])


def _picked(b: Builder, x: Sym, place: Any, dim: int, keepdim: bool) -> tuple[Sym, Sym]:
    """The element at a place of the order along a dimension, and where it was."""
    values, places = sort(b, x, dim)
    axis = b.axis(x, dim)
    found = [b.gather(v, place, axis) for v in (values, places)]
    return (b.unsqueeze(found[0], axis), b.unsqueeze(found[1], axis)) if keepdim else (found[0], found[1])


@converter("kthvalue")
def _kthvalue(b: Builder, x: Sym, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Sym, Sym]:
    return _picked(b, x, k - 1, dim, keepdim) if b.rank(x) else (x, b.constant(np.asarray(0)))


def _middle(b: Builder, size: Any) -> Any:
    return (
        (size - 1) // 2 if not isinstance(size, Sym) else b.op("Div", b.op("Sub", size, np.asarray(1)), np.asarray(2))
    )


@converter("median.dim")
def _median_dim(b: Builder, x: Sym, dim: int, keepdim: bool = False) -> tuple[Sym, Sym]:
    return _picked(b, x, _middle(b, b.size(x, dim)), dim, keepdim) if b.rank(x) else (x, b.constant(np.asarray(0)))


@converter("median")
def _median(b: Builder, x: Sym) -> Sym:
    flat = b.reshape(x, [-1])
    return _picked(b, flat, _middle(b, b.size(flat, 0)), 0, False)[0]


def _nan_median(b: Builder, x: Sym, axis: int) -> tuple[Sym, Sym]:
    """The lower median of the numbers along a dimension (kept), NaN where there is none, and where it was."""
    if not x.floating:
        return _picked(b, x, _middle(b, b.size(x, axis)), axis, True)
    missing = is_nan(b, x)
    values, places = sort(b, b.op("Where", missing, float("inf"), x), axis)
    count = b.op("ReduceSum", b.cast(b.op("Not", missing), INT64), b.ints(axis))
    middle = b.op("Div", b.op("Max", b.op("Sub", count, np.asarray(1)), np.asarray(0)), np.asarray(2))
    found = [b.op("GatherElements", v, middle, axis=axis) for v in (values, places)]
    return b.op("Where", b.op("Equal", count, np.asarray(0)), float("nan"), found[0]), found[1]


@converter("nanmedian.dim")
def _nanmedian_dim(b: Builder, x: Sym, dim: int, keepdim: bool = False) -> tuple[Sym, Sym]:
    if not b.rank(x):
        return x, b.constant(np.asarray(0))
    axis = b.axis(x, dim)
    values, places = _nan_median(b, x, axis)
    return (values, places) if keepdim else (b.squeeze(values, axis), b.squeeze(places, axis))


@converter("nanmedian")
def _nanmedian(b: Builder, x: Sym) -> Sym:
    return b.squeeze(_nan_median(b, b.reshape(x, [-1]), 0)[0], 0)


@converter("quantile.|scalar")
def _quantile(
    b: Builder, x: Sym, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
) -> Sym:
    rank = b.rank(x)
    if dim is None or not rank:
        x, axis = b.reshape(x, [-1]), 0
    else:
        axis = b.axis(x, dim)
    values = sort(b, x, axis)[0]
    last = b.op("Sub", b.cast(b.sym(b.size(x, axis)), x.dtype), 1)
    many = isinstance(q, Sym) and not q.number and b.rank(q) == 1
    place = b.op("Mul", b.reshape(b.cast(q, x.dtype), [-1]), last)
    low, high = b.op("Floor", place), b.op("Ceil", place)
    take = lambda at: b.gather(values, b.cast(at, INT64), axis)  # noqa: E731
    if interpolation in ("lower", "higher", "nearest"):
        made = take({"lower": low, "higher": high, "nearest": b.op("Round", place)}[interpolation])  # type: ignore[no-untyped-call]
    else:
        share = b.op("Sub", place, low) if interpolation == "linear" else b.constant(0.5, x.dtype)
        share = b.reshape(share, [-1, *[1] * (b.rank(x) - axis - 1)]) if share.rank else share
        below, above = take(low), take(high)  # type: ignore[no-untyped-call]
        made = b.op("Add", below, b.op("Mul", b.op("Sub", above, below), share))
    order = [axis, *[i for i in range(b.rank(x)) if i != axis]]
    made = b.transpose(made, order)
    if keepdim:
        if dim is None:
            made = b.unsqueeze(made, *range(1, rank + 1))
        else:
            made = b.unsqueeze(made, axis + 1)
    return made if many else b.squeeze(made, 0)


@converter("searchsorted.Tensor|Scalar")
def _searchsorted(
    b: Builder,
    sequence: Sym,
    x: Any,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Sym:
    if sorter is not None:
        sequence = b.op("GatherElements", sequence, sorter, axis=b.rank(sequence) - 1)
    sequence, values = b.promote(sequence, x)
    after = right if side is None else side == "right"
    rank = b.rank(values)
    table = b.unsqueeze(sequence, rank - 1) if b.rank(sequence) > 1 else sequence
    before = b.op("LessOrEqual" if after else "Less", table, b.unsqueeze(values, rank))
    return b.op("ReduceSum", b.cast(before, 3 if out_int32 else INT64), b.ints(-1), keepdims=0)


converter("bucketize.Tensor|Scalar")(
    lambda b, x, boundaries, out_int32=False, right=False: _searchsorted(b, boundaries, x, out_int32, right)
)


@converter("isin.Tensor_Tensor|Tensor_Scalar|Scalar_Tensor")
def _isin(b: Builder, elements: Any, tests: Any, assume_unique: bool = False, invert: bool = False) -> Sym:
    elements, tests = b.promote(elements, tests)
    same = b.op("Equal", b.unsqueeze(elements, b.rank(elements)), b.reshape(tests, [-1]))
    found = b.cast(reduce(b, "ReduceMax", b.cast(same, 3), [-1]), BOOL)
    return b.op("Not", found) if invert else found


@converter("bincount")
def _bincount(b: Builder, x: Sym, weights: Sym | None = None, minlength: int = 0) -> Sym:
    x = b.cast(x, INT64)
    size = b.op("Max", b.op("Add", b.op("ReduceMax", x, keepdims=0), np.asarray(1)), np.asarray(minlength))
    code = INT64 if weights is None else weights.dtype if weights.floating else 7
    values = b.cast(1, code) if weights is None else b.cast(weights, code)
    zeros = b.expand(b.constant(0, code), [size])
    return b.op("ScatterElements", zeros, x, b.expand_to(values, x), axis=0, reduction="add")


@converter("histc")
def _histc(b: Builder, x: Sym, bins: int = 100, low: Any = 0, high: Any = 0) -> Sym:
    flat = b.reshape(x, [-1])
    first, last = b.cast(low, x.dtype), b.cast(high, x.dtype)
    if low == high:
        first, last = b.op("ReduceMin", flat, keepdims=0), b.op("ReduceMax", flat, keepdims=0)
        same = b.op("Equal", first, last)
        first, last = b.op("Where", same, b.op("Sub", first, 1), first), b.op("Where", same, b.op("Add", last, 1), last)
    place = b.op("Floor", b.op("Div", b.op("Mul", b.op("Sub", flat, first), bins), b.op("Sub", last, first)))
    inside = b.op("And", b.op("GreaterOrEqual", flat, first), b.op("LessOrEqual", flat, last))
    place = b.cast(b.op("Clip", b.op("Where", inside, place, 0), 0, bins - 1), INT64)
    zeros = b.constant(np.zeros(bins), x.dtype)
    return b.op("ScatterElements", zeros, place, b.cast(inside, x.dtype), axis=0, reduction="add")


def _unique(b: Builder, x: Sym, axis: int | None = None) -> tuple[Sym, Sym, Sym]:
    values, _, inverse, counts = b.ops("Unique", x, outputs=4, axis=axis, sorted=1)
    return values, inverse, counts


@converter("_unique")
def _unique_old(b: Builder, x: Sym, is_sorted: bool = True, return_inverse: bool = False) -> tuple[Sym, Sym]:
    values, inverse, _ = _unique(b, x)
    return values, b.reshape(inverse, b.sizes(x))


@converter("_unique2")
def _unique2(
    b: Builder, x: Sym, is_sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Sym, Sym, Sym]:
    values, inverse, counts = _unique(b, x)
    return values, b.reshape(inverse, b.sizes(x)), counts


@converter("unique_dim")
def _unique_dim(
    b: Builder, x: Sym, dim: int, is_sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Sym, Sym, Sym]:
    return _unique(b, x, b.axis(x, dim))


@converter("unique_consecutive")
def _unique_consecutive(
    b: Builder, x: Sym, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[Sym, Sym, Sym]:
    if dim is not None:
        return _consecutive_slices(b, x, b.axis(x, dim))
    flat = b.reshape(x, [-1])
    changes = b.op("Not", b.op("Equal", b.slice(flat, 0, 1), b.slice(flat, 0, 0, -1)))
    values, groups, counts = _runs(b, flat, changes)
    return values, b.reshape(groups, b.sizes(x)), counts


def _consecutive_slices(b: Builder, x: Sym, axis: int) -> tuple[Sym, Sym, Sym]:
    order = [axis, *[i for i in range(b.rank(x)) if i != axis]]
    front = b.transpose(x, order)
    differs = b.op("Not", b.op("Equal", b.slice(front, 0, 1), b.slice(front, 0, 0, -1)))
    rest = list(range(1, b.rank(x)))
    changes = b.cast(b.op("ReduceMax", b.cast(differs, 3), b.ints(*rest), keepdims=0), BOOL) if rest else differs
    values, groups, counts = _runs(b, front, changes)
    return b.transpose(values, [order.index(i) for i in range(len(order))]), groups, counts


def _runs(b: Builder, x: Sym, changes: Sym) -> tuple[Sym, Sym, Sym]:
    """The first of each run of equal slices of dimension 0, the runs that slices belong to, and the runs' lengths."""
    starts = b.op("Concat", np.asarray([True]), changes, axis=0)
    groups = b.op("Sub", b.op("CumSum", b.cast(starts, INT64), np.asarray(0)), np.asarray(1))
    values = b.op("Compress", x, starts, axis=0)
    size = b.size(values, 0)
    zeros = b.expand(b.constant(np.asarray(0)), [size])
    counts = b.op(
        "ScatterElements", zeros, groups, b.expand_to(b.constant(np.asarray(1)), groups), axis=0, reduction="add"
    )
    return values, groups, counts


no_form(
    "nanquantile",
    "mode",
    "histogram",
    "histogramdd",
    "unique_dim_consecutive",
    reason="ONNX has no operator that counts or orders like this",
)
