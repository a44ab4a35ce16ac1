"""Sorting and order statistics; unique elements, searches and histograms are in `sorting_unique` and `sorting_bins`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import promotion as P
from . import sorting_select as select
from .casting import convert
from .constructors import type_name, unsupported
from .memory import Array, on, placed_like, row_major, wrap
from .registry import kernel


def order(x: Array, dim: int, descending: bool = False) -> Array:
    """Positions in sorted order along a dimension: stable, NaN as the largest."""
    if not descending:
        if x.dtype.kind == "f" and x.shape[dim] > 256:  # the unstable sort is twice as fast, and the same without ties
            quick = np.argsort(x, dim)
            if not select.has_ties(np.take_along_axis(x, quick, dim), dim):
                return quick
        return np.argsort(x, dim, kind="stable")
    back = on(dim, slice(None, None, -1))
    return np.asarray(x.shape[dim] - 1 - order(x[back], dim)[back])


def _sortable(a: Array, name: str, refused: str = "c") -> Array:
    if a.dtype.kind in refused:
        unsupported(name, a.dtype)
    return P.wide(a)


def _sort(a: Array, dim: int, descending: bool) -> tuple[Array, Array]:
    if a.dtype.kind == "c":
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    dim = wrap(dim, a.ndim)
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    indices = order(P.wide(a), dim, descending)
    return placed_like(np.take_along_axis(a, indices, dim), a), placed_like(row_major(indices), a)


@kernel("aten::sort")
def sort(a: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """Elements in order along a dimension, and where they were."""
    return _sort(a, dim, descending)


@kernel("aten::sort.stable")
def sort_stable(a: Array, stable: bool | None, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    """`sort`, which is stable always."""
    return _sort(a, dim, descending)


@kernel("aten::argsort")
def argsort(a: Array, dim: int = -1, descending: bool = False) -> Array:
    """Where the elements in order are."""
    return _sort(a, dim, descending)[1]


@kernel("aten::argsort.stable")
def argsort_stable(a: Array, stable: bool, dim: int = -1, descending: bool = False) -> Array:
    """Where the elements in order are."""
    return _sort(a, dim, descending)[1]


@kernel("aten::msort")
def msort(a: Array) -> Array:
    """Elements in order along the first dimension."""
    return _sort(a, 0, False)[0]


@kernel("aten::sort.int", "aten::sort.float", "aten::sort.bool", "aten::sort.str", "aten::sort.any")
def sort_list(values: list[Any], reverse: bool = False) -> None:
    """Sort a list in place."""
    values.sort(reverse=reverse)


@kernel("aten::sort.Tensor")
def sort_tensors(values: list[Array], reverse: bool = False) -> None:
    """Sort a list of one-element tensors in place."""
    values.sort(key=lambda t: t.item(), reverse=reverse)


# ---- order statistics ---------------------------------------------------------------------------------------------


@kernel("aten::topk")
def topk(a: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    """The `k` largest or smallest elements along a dimension, in order, and where they were."""
    if a.dtype.kind in "bc":
        raise RuntimeError(f"topk does not support {'bool' if a.dtype.kind == 'b' else 'complex'} dtypes on CPU")
    x = P.wide(a)
    dim = wrap(dim, a.ndim)
    if not 0 <= k <= (a.shape[dim] if a.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    n = a.shape[dim]
    if n > 1024 and k < n // 8:
        part = np.argpartition(x, n - k if largest else max(k - 1, 0), dim)
        chosen = np.sort(part[on(dim, slice(n - k, None) if largest else slice(k))], dim)
        among = order(np.take_along_axis(x, chosen, dim), dim, largest)
        indices = np.take_along_axis(chosen, among, dim)
    else:
        indices = order(x, dim, largest)
        tied = k > 0 and x.size <= select.LIMIT and select.has_ties(np.take_along_axis(x, indices, dim), dim)
        indices = (
            _topk_of_ties(x, k, dim, largest, sorted) if tied else np.ascontiguousarray(indices[on(dim, slice(k))])
        )
    return np.take_along_axis(a, indices, dim), indices


def _topk_of_ties(x: Array, k: int, dim: int, largest: bool, sorted: bool) -> Array:
    def pick(lane: list[Any]) -> list[int]:
        less = select.descending(lane) if largest else select.ascending(lane)
        places = list(range(len(lane)))
        if 64 * k <= len(lane):
            select.partial_sort(places, 0, k, len(lane), less)
        else:
            select.nth_element(places, k - 1, less)
            if sorted:
                select.sort(places, k - 1, less)
        return places[:k]

    return np.ascontiguousarray(select.by_lane(x, dim, pick))


def _chosen(a: Array, position: Array, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """Values and indices at one position per lane; `position` has size 1 at `dim`."""
    values = np.take_along_axis(a, position, dim)
    return (values, position) if keepdim else (values.squeeze(dim), position.squeeze(dim))


@kernel("aten::kthvalue")
def kthvalue(a: Array, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """The k-th smallest element along a dimension, and where it was."""
    x = _sortable(a, "kthvalue_cpu", "bc")
    dim = wrap(dim, a.ndim)
    if a.ndim and not a.shape[dim]:
        raise IndexError(f"kthvalue(): Expected reduction dim {dim} to have non-zero size.")
    if not 1 <= k <= (a.shape[dim] if a.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    indices = order(x, dim)
    if x.size <= select.LIMIT and select.has_ties(np.take_along_axis(x, indices, dim), dim):

        def pick(lane: list[Any]) -> list[int]:
            places = list(range(len(lane)))
            select.quickselect(places, k - 1, select.ascending(lane))
            return [places[k - 1]]

        return _chosen(a, select.by_lane(x, dim, pick), dim, keepdim)
    return _chosen(a, np.ascontiguousarray(indices[on(dim, slice(k - 1, k))]), dim, keepdim)


def _median(a: Array, dim: int, keepdim: bool, skip_nan: bool) -> tuple[Array, Array]:
    name = "nanmedian" if skip_nan else "median"
    dim = wrap(dim, a.ndim)
    x = _sortable(a, "median_out", "bc")
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    n = a.shape[dim]
    if not n:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    indices = order(x, dim)
    middle = np.full(x.shape[:dim] + (1,) + x.shape[dim + 1 :], (n - 1) // 2)
    if x.dtype.kind == "f":
        nans = np.count_nonzero(np.isnan(x), dim, keepdims=True)
        # NaNs come last: the first of them where they win, the middle of what is before them otherwise
        if skip_nan:
            middle = np.maximum(n - nans - 1, 0) // 2
            if bool((nans == n).any()):
                places = list(range(n))
                select.nth_element(places, 0, lambda i, j: False)
                middle = np.where(nans == n, places[0], middle)
        else:
            middle = np.where(nans > 0, n - nans, middle)
    return _chosen(a, np.take_along_axis(indices, middle, dim), dim, keepdim)


@kernel("aten::median.dim")
def median_dim(a: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    """The lower median along a dimension, and where it was; NaN where there is one."""
    return _median(a, dim, keepdim, False)


@kernel("aten::nanmedian.dim")
def nanmedian_dim(a: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    """The lower median of what is not NaN along a dimension, and where it was."""
    return _median(a, dim, keepdim, True)


def _whole_median(a: Array, skip_nan: bool) -> Array:
    if a.dtype.kind in "bc":
        unsupported("median_cpu", a.dtype)
    if not a.size:
        return convert(np.array(np.nan), a.dtype)
    return _median(a.reshape(-1), 0, False, skip_nan)[0]


@kernel("aten::median")
def median(a: Array) -> Array:
    """The lower median of all elements."""
    return _whole_median(a, False)


@kernel("aten::nanmedian")
def nanmedian(a: Array) -> Array:
    """The lower median of all elements that are not NaN."""
    return _whole_median(a, True)


@kernel("aten::mode")
def mode(a: Array, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    """The most frequent element along a dimension (the smallest of several), and where it was last."""
    dim = wrap(dim, a.ndim)
    x = _sortable(a, "mode_cpu")
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    if not a.shape[dim]:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    if x.size <= select.LIMIT and (a.shape[dim] > 16 or np.isnan(x).any()):
        return _chosen(a, select.by_lane(x, dim, _mode_place), dim, keepdim)
    indices = order(x, dim)
    run = np.take_along_axis(x, indices, dim)
    place = np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)])
    new = np.ones(run.shape, np.bool_)
    new[on(dim, slice(1, None))] = run[on(dim, slice(1, None))] != run[on(dim, slice(None, -1))]
    length = place - np.maximum.accumulate(np.where(new, place, 0), dim)
    longest = np.argmax(length, dim, keepdims=True)
    return _chosen(a, np.take_along_axis(indices, longest, dim), dim, keepdim)


def _mode_place(lane: list[Any]) -> list[int]:
    """Where the last entry of the longest run in the sorted lane was."""
    places = list(range(len(lane)))
    select.sort(places, len(lane), lambda i, j: lane[i] < lane[j])
    best, most, length = 0, 0, 0
    for i, place in enumerate(places):
        length += 1
        if i + 1 == len(places) or lane[place] != lane[places[i + 1]]:
            if length > most:
                best, most = place, length
            length = 0
    return [best]


# ---- quantiles ----------------------------------------------------------------------------------------------------

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(a: Array, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool) -> Array:
    name = "nanquantile" if skip_nan else "quantile"
    if a.dtype not in (P.FLOAT32, P.FLOAT64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not a.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if isinstance(q, np.ndarray):
        if q.ndim > 1:
            raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
        if q.dtype != a.dtype:
            raise RuntimeError(
                f"{name}() q tensor must be same dtype as the input tensor, got {type_name(q.dtype)} and "
                f"{type_name(a.dtype)}"
            )
    else:
        q = np.array(q, a.dtype)
    if q.size and not bool(((q >= 0) & (q <= 1)).all()):
        raise RuntimeError(f"{name}() q {'values' if q.ndim else 'value'} must be in the range [0, 1]")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    axis = None if dim is None else wrap(dim, a.ndim)
    if axis is None or not a.ndim:
        x = a.reshape(1, -1)
        lanes: tuple[int, ...] = ()
        kept: tuple[int, ...] = (1,) * a.ndim
    else:
        moved = np.moveaxis(a, axis, -1)
        lanes = moved.shape[:-1]
        kept = a.shape[:axis] + (1,) + a.shape[axis + 1 :]
        x = moved.reshape(-1, moved.shape[-1])
    x = np.sort(x, -1)
    nans = np.isnan(x)
    last = x.shape[-1] - 1
    if skip_nan:
        ranks = np.clip(q.reshape(-1, 1) * (last - nans.sum(-1)).astype(a.dtype), 0, None).astype(a.dtype)
    else:
        ranks = np.where(nans[:, -1], a.dtype.type(last), q.reshape(-1, 1) * a.dtype.type(last))
    if interpolation in ("lower", "higher", "nearest"):
        ranks = (
            np.floor(ranks)
            if interpolation == "lower"
            else np.ceil(ranks)
            if interpolation == "higher"
            else np.round(ranks)
        )
    below = ranks.astype(np.int64)
    lane = np.arange(len(x))[:, None]
    ranks, below = ranks.T, below.T
    out = x[lane, below]
    if interpolation in ("linear", "midpoint"):
        weight = a.dtype.type(0.5) if interpolation == "midpoint" else ranks - below.astype(a.dtype)
        high = x[lane, np.ceil(ranks).astype(np.int64)]
        with np.errstate(invalid="ignore"):
            gap = high - out
            out = np.where(weight < 0.5, out + weight * gap, high - gap * (1 - weight))
    shaped = np.ascontiguousarray(out, a.dtype).reshape((kept if keepdim else lanes) + q.shape)
    return np.moveaxis(shaped, -1, 0) if q.ndim else shaped


@kernel("aten::quantile", "aten::quantile.scalar")
def quantile(a: Array, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear") -> Array:
    """Quantiles along a dimension or of all elements; NaN where there is one. Those of several `q` lead."""
    return _quantile(a, q, dim, keepdim, interpolation, False)


@kernel("aten::nanquantile", "aten::nanquantile.scalar")
def nanquantile(
    a: Array, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
) -> Array:
    """Quantiles of what is not NaN."""
    return _quantile(a, q, dim, keepdim, interpolation, True)


from . import sorting_bins, sorting_unique  # noqa: E402, F401  (registration)
