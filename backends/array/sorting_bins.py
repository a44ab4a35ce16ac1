"""Searches in sorted sequences, counts and histograms."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from . import promotion as P
from .casting import convert
from .constructors import type_name, unsupported
from .memory import Array
from .registry import kernel

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)


def _search(sequence: Array, values: Array, right: bool) -> Array:
    """First positions at which the values may be inserted, by halving; NaN belongs at the end."""
    lanes = sequence.reshape(prod(sequence.shape[:-1]), sequence.shape[-1])
    wanted = values.reshape(len(lanes), -1) if len(lanes) else values.reshape(0, 0)
    low = np.zeros(wanted.shape, np.int64)
    high = np.full(wanted.shape, lanes.shape[-1])
    row = np.arange(len(lanes))[:, None]
    for _ in range(int(lanes.shape[-1]).bit_length()):
        middle = (low + high) // 2
        found = lanes[row, np.minimum(middle, lanes.shape[-1] - 1)]
        after = ~(found > wanted) if right else ~(found >= wanted)
        after &= low < high
        high = np.where(after | (low >= high), high, middle)
        low = np.where(after, middle + 1, low)
    return low.reshape(values.shape)


def _searched(sequence: Array, values: Array, out_int32: bool, right: bool, sorter: Array | None, name: str) -> Array:
    if sorter is not None:
        if sorter.shape != sequence.shape:
            raise RuntimeError(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(sequence.shape)} and got sorter tensor {list(sorter.shape)}"
            )
        if sorter.dtype != _INT64:
            raise RuntimeError(
                f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {type_name(sorter.dtype)}"
            )
        if sorter.size and (sorter.min() < 0 or sorter.max() >= sequence.shape[-1]):
            raise IndexError("torch.searchsorted(): sorter index out of range")
        sequence = np.take_along_axis(sequence, sorter, -1)
    if out_int32 and sequence.shape[-1] >= 2**31 - 1:
        raise RuntimeError(
            "torch.searchsorted(): the size of boundaries' last dimension should be less than 2^31 for int32"
        )
    sequence, values = P.wide(sequence), P.wide(values)
    if not values.size:
        out = np.empty(values.shape, np.int64)
    elif sequence.ndim == 1 and not (values.dtype.kind == "f" and sequence.size and np.isnan(sequence[-1])):
        out = np.asarray(np.searchsorted(sequence, values, "right" if right else "left"))
        if values.dtype.kind == "f":
            out = np.where(np.isnan(values), sequence.size, out)
    else:
        out = _search(sequence, values, right)
    return out.astype(_INT32 if out_int32 else _INT64, copy=False)


@kernel("aten::searchsorted.Tensor", "aten::searchsorted.Scalar")
def searchsorted(
    sorted_sequence: Array, values: Any, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Array | None = None,
) -> Array:  # fmt: skip
    """Where values belong in sorted sequences (lanes of the last dimension, or one for all values)."""
    if side is not None:
        if side not in ("left", "right"):
            raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
        if right and side == "left":
            raise RuntimeError(
                "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
            )
        right = side == "right"
    if not isinstance(values, np.ndarray):
        if sorted_sequence.ndim > 1:
            raise RuntimeError(
                "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but "
                "we got "
                f"boundaries tensor dim({sorted_sequence.ndim}) and input value's dim(0) numel(1)"
            )
        values = P.cast_scalar(values, P.result_type(sorted_sequence, values))
    elif not sorted_sequence.ndim:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension"
        )
    elif sorted_sequence.ndim > 1 and sorted_sequence.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            "tensor and "
            f"input value tensor must match, but we got boundaries tensor {list(sorted_sequence.shape)} and input "
            "value tensor "
            f"{list(values.shape)}"
        )
    if sorted_sequence.dtype != values.dtype:
        common = P.result_type(sorted_sequence, values)
        sorted_sequence, values = P.cast(sorted_sequence, common), P.cast(values, common)
    if values.dtype.kind in "bc":
        unsupported("searchsorted_out_cpu", values.dtype)
    return _searched(sorted_sequence, values, out_int32, right, sorter, "searchsorted")


@kernel("aten::bucketize.Tensor", "aten::bucketize.Scalar")
def bucketize(values: Any, boundaries: Array, out_int32: bool = False, right: bool = False) -> Array:
    """The bucket between sorted boundaries in which each value is."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, values, out_int32, right)


# ---- counts -------------------------------------------------------------------------------------------------------


@kernel("aten::bincount")
def bincount(a: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each number occurs, or the sum of its weights."""
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if a.dtype.kind not in "iu":
        unsupported("bincount_cpu", a.dtype)
    if a.ndim == 1 and not a.size:
        return np.zeros(minlength, np.int64)
    if a.ndim != 1 or a.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and (weights.ndim != 1 or weights.size != a.size):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights is None:
        return np.bincount(a.astype(np.int64), minlength=minlength)
    out = np.bincount(a.astype(np.int64), weights.astype(np.float64), minlength)
    return out.astype(np.float32) if weights.dtype == P.FLOAT32 else out


def _outer(x: Array, low: float, high: float, name: str) -> tuple[float, float]:
    """The range of a histogram: as given, or that of the data; widened where it is empty."""
    if low == high and x.size:
        low, high = float(x.min()), float(x.max())
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(f"{name}: range of [{low}, {high}] is not finite")
    return low, high


@kernel("aten::histc")
def histc(a: Array, bins: int = 100, min: Any = 0, max: Any = 0) -> Array:
    """Counts in equal bins between two values, or over the data's range where these are equal."""
    if a.dtype.kind in "cbiu":
        unsupported("histogram_cpu", a.dtype)
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    low, high = _outer(a, float(min), float(max), "torch.histc")
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("max must be larger than min")
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{low}, {high}] is not finite")
    x = a.reshape(-1)
    inner = P.wide_dtype(a.dtype).type
    x = x.astype(inner)
    x = x[(x >= low) & (x <= high)]
    start, width = inner(low), inner(high) - inner(low)

    def rounded(v: Array) -> Array:
        return v.astype(a.dtype).astype(inner)

    place = rounded(rounded(rounded(x - start) * inner(bins)) / width).astype(np.int64)
    return convert(np.bincount(np.minimum(place, bins - 1), minlength=bins), a.dtype)


def _counted(points: Array, edges: Sequence[Array], weight: Array | None, density: bool) -> Array:
    """Weighted counts of the rows of `points` in the boxes between edges, the last edges included."""
    shape = [e.size - 1 for e in edges]
    flat = np.zeros(len(points), np.int64)
    inside = np.ones(len(points), np.bool_)
    for d, e in enumerate(edges):
        x = points[:, d]
        place = np.searchsorted(e, x, "right") - 1
        place = np.where(x == e[-1], e.size - 2, place)
        inside &= (x >= e[0]) & (x <= e[-1])
        flat = flat * shape[d] + place
    w = None if weight is None else weight.reshape(-1)[inside].astype(np.float64)
    hist = np.bincount(flat[inside], w, prod(shape)).reshape(shape).astype(np.float64)
    if density:
        for d, e in enumerate(edges):
            hist = hist / np.diff(e.astype(np.float64)).reshape([-1 if i == d else 1 for i in range(len(edges))])
        hist = hist / hist_total(hist, edges)
    return hist


def hist_total(hist: Array, edges: Sequence[Array]) -> Any:
    """The sum over all boxes of density times volume."""
    for d, e in enumerate(edges):
        hist = hist * np.diff(e.astype(np.float64)).reshape([-1 if i == d else 1 for i in range(len(edges))])
    return hist.sum()


def _histogramdd(
    a: Array, bins: Sequence[Any], range: Sequence[float] | None, weight: Array | None, density: bool, name: str
) -> tuple[Array, list[Array]]:
    if a.ndim < 2:
        raise RuntimeError(f"torch.{name}: input tensor should have at least 2 dimensions, but got {a.ndim}")
    if not P.is_inexact(a.dtype) or a.dtype.kind == "c":
        unsupported(f"{name}_cpu", a.dtype)
    n = a.shape[-1]
    if len(bins) != n:
        raise RuntimeError(
            f"torch.{name}: The size of bins must be equal to the innermost dimension of the input, got {len(bins)} "
            f"and {n}"
        )
    if weight is not None:
        if weight.dtype != a.dtype:
            raise RuntimeError(
                f"torch.{name}: if weight tensor is provided, it should have the same dtype as the input tensor, but "
                "got "
                f"weight dtype {type_name(weight.dtype)} and input dtype {type_name(a.dtype)}"
            )
        if weight.shape != a.shape[:-1]:
            raise RuntimeError(
                f"torch.{name}: if weight tensor is provided it should have the same shape as the input tensor "
                "excluding its "
                f"innermost dimension, but got input with shape {list(a.shape)} and weight with shape "
                f"{list(weight.shape)}"
            )
    if range is not None and len(range) != 2 * n:
        raise RuntimeError(
            f"torch.{name}: for a {n}-dimensional histogram range should have {2 * n} elements, but got {len(range)}"
        )
    points = a.reshape(-1, n)
    edges: list[Array] = []
    for d, b in enumerate(bins):
        if isinstance(b, np.ndarray):
            if b.ndim != 1:
                raise RuntimeError(f"torch.{name}: bins tensor should have one dimension, but got {b.ndim} dimensions")
            if b.dtype != a.dtype:
                raise RuntimeError(f"torch.{name}: input and bins tensors should have the same dtype")
            edges.append(b)
            continue
        if b <= 0:
            raise RuntimeError(f"torch.{name}(): bins must be > 0, but got {b} for dimension {d}")
        if range is None:
            low, high = (float(points[:, d].min()), float(points[:, d].max())) if len(points) else (0.0, 1.0)
        else:
            low, high = range[2 * d], range[2 * d + 1]
        if not (np.isfinite(low) and np.isfinite(high)):
            raise RuntimeError(f"torch.{name}: dimension {d}'s range [{low}, {high}] is not finite")
        if low > high:
            raise RuntimeError(
                f"torch.{name}: min should not exceed max, but got min {low} max {high} for dimension {d}"
            )
        if low == high:
            low, high = low - 0.5, high + 0.5
        from .factory_range import linspace

        edges.append(linspace(low, high, b + 1, P.code_of(a.dtype)))
    return convert(_counted(P.wide(points), [P.wide(e) for e in edges], weight, density), a.dtype), edges


@kernel("aten::histogram.bins_tensor")
def histogram(a: Array, bins: Array, weight: Array | None = None, density: bool = False) -> tuple[Array, Array]:
    """Counts between given edges."""
    return histogram_count(a, bins.copy(), None, weight, density)


@kernel("aten::histogram.bin_ct")
def histogram_count(
    a: Array, bins: Any = 100, range: Sequence[float] | None = None, weight: Array | None = None, density: bool = False
) -> tuple[Array, Array]:
    """Counts in equal bins."""
    w = None if weight is None else weight.reshape(-1)
    if weight is not None and weight.shape != a.shape:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            "excluding its "
            f"innermost dimension, but got input with shape {list(a.shape)} and weight with shape {list(weight.shape)}"
        )
    hist, edges = _histogramdd(a.reshape(-1, 1), [bins], range, w, density, "histogram")
    return hist, edges[0]


@kernel("aten::histogramdd", "aten::histogramdd.TensorList_bins")
def histogramdd(
    a: Array,
    bins: Sequence[Any],
    range: Sequence[float] | None = None,
    weight: Array | None = None,
    density: bool = False,
) -> tuple[Array, list[Array]]:
    """Counts of points (rows of the last dimension) in boxes."""
    return _histogramdd(a, bins, range, weight, density, "histogramdd")


@kernel("aten::histogramdd.int_bins")
def histogramdd_int(
    a: Array, bins: int, range: Sequence[float] | None = None, weight: Array | None = None, density: bool = False
) -> tuple[Array, list[Array]]:
    """Counts of points in boxes, as many along every dimension."""
    return _histogramdd(a, [bins] * a.shape[-1], range, weight, density, "histogramdd")
