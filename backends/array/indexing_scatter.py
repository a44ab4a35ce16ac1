"""Writes that may meet the same place several times: scatter, index_add and their kin, segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import promotion as P
from .casting import checked_scalar
from .constructors import type_name, unsupported
from .indexing import along, check_index_vector, check_positions, on_axis
from .memory import Array, DType, canonical, copied, on, wrap
from .registry import kernel

#: ufunc of each reduction; a mean is a sum that is divided afterwards
_UFUNCS: dict[str, np.ufunc] = {
    "sum": np.add, "add": np.add, "mean": np.add, "prod": np.multiply, "multiply": np.multiply, "amax": np.maximum,
    "max": np.maximum, "amin": np.minimum, "min": np.minimum,
}  # fmt: skip


def _identity(reduce: str, dtype: DType) -> Any:
    if _UFUNCS[reduce] is np.add:
        return 0
    if _UFUNCS[reduce] is np.multiply:
        return 1
    low = _UFUNCS[reduce] is np.maximum
    if dtype.kind == "b":
        return not low
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return limits.min if low else limits.max
    return -np.inf if low else np.inf


def _flat_places(key: Sequence[Array], shape: Sequence[int]) -> Array:
    """Positions in the row of all elements that a key of one integer array per dimension stands for."""
    places: Any = 0
    for i, step in zip(key, canonical(shape)):
        places = places + i * step
    return np.asarray(places).reshape(-1)


def _combine(a: Array, key: Sequence[Array], values: Array, reduce: str, include_self: bool) -> Array:
    """A copy of `a` in which the values of each place are reduced together, with what was there if that is included.

    Works on the row of all elements, where NumPy's unbuffered operations are several times as fast.
    """
    dtype = a.dtype
    wide = P.wide_dtype(dtype)
    out = a.astype(wide, order="C")
    places, row = _flat_places(key, a.shape), out.reshape(-1)
    values = values.astype(wide, copy=False).reshape(-1) if values.ndim else values.astype(wide)
    if not include_self:
        row[places] = _identity(reduce, wide)
    with np.errstate(all="ignore"):
        _UFUNCS[reduce].at(row, places, values)
        if reduce == "mean":
            count = np.maximum(np.bincount(places, minlength=a.size) + int(include_self), 1).reshape(a.shape)
            out = out // count.astype(wide) if dtype.kind in "iu" else out / count.astype(wide)
    return out.astype(dtype, copy=False)


# ---- scatter ------------------------------------------------------------------------------------------------------


def _scatter_key(a: Array, dim: int, index: Array, src: Any, name: str) -> tuple[Array, tuple[Any, ...], Any]:
    """The array (0-dimensional ones as 1-dimensional), the key that `index` stands for, and the part of `src` used."""
    dim = wrap(dim, a.ndim)
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    shapes = [max(a.ndim, 1), max(index.ndim, 1)]
    is_array = isinstance(src, np.ndarray)
    if is_array:
        if src.dtype != a.dtype:
            raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
        shapes.append(max(src.ndim, 1))
    if index.size and len(set(shapes)) != 1:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor"
                           if shapes[0] != shapes[1] else
                           "Index tensor must have the same number of dimensions as src tensor")  # fmt: skip
    x = a if a.ndim else a.reshape(1)
    i = index if index.ndim else index.reshape(1)
    if not index.size:
        empty = np.empty(0, np.int64)
        return x, (empty,) * x.ndim, empty.astype(a.dtype) if is_array else src
    for d, n in enumerate(i.shape):
        if (d != dim and n > x.shape[d]) or (is_array and n > (src.shape[d] if src.ndim else 1)):
            message = f"Expected index {list(index.shape)} to be no larger than self {list(a.shape)} "
            message += f"apart from dimension {dim}"
            if is_array:
                message += f" and to be no larger than src {list(src.shape)}"
            raise RuntimeError(message)
    check_positions(i, x.shape[dim], dim)
    if is_array:
        src = src[tuple([slice(n) for n in i.shape])] if src.ndim else src.reshape(1)
    return x, along(i, dim), src


@kernel("aten::scatter.src", "aten::scatter.value")
def scatter(a: Array, dim: int, index: Array, src: Any) -> Array:
    """A copy with values written at positions of one dimension; the last one wins."""
    x, key, values = _scatter_key(a, dim, index, src, "scatter")
    out = copied(x, 0)
    out[key] = values if isinstance(values, np.ndarray) else checked_scalar(values, a.dtype)
    return out.reshape(a.shape)


@kernel("aten::scatter.reduce", "aten::scatter.value_reduce")
def scatter_with(a: Array, dim: int, index: Array, src: Any, reduce: str) -> Array:
    """A copy with values added or multiplied in at positions of one dimension."""
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _scatter_reduced(a, dim, index, src, reduce, True, "scatter")


@kernel("aten::scatter_add")
def scatter_add(a: Array, dim: int, index: Array, src: Array) -> Array:
    """A copy with values added at positions of one dimension."""
    return _scatter_reduced(a, dim, index, src, "sum", True, "scatter")


@kernel("aten::scatter_reduce.two")
def scatter_reduce(a: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True) -> Array:
    """A copy in which values meet at positions of one dimension and are summed, multiplied, averaged, or compared."""
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return _scatter_reduced(a, dim, index, src, reduce, include_self, "scatter")


def _scatter_reduced(a: Array, dim: int, index: Array, src: Any, reduce: str, include_self: bool, name: str) -> Array:
    x, key, values = _scatter_key(a, dim, index, src, name)
    if not isinstance(values, np.ndarray):
        values = checked_scalar(values, a.dtype)
    return _combine(x, key, values, reduce, include_self).reshape(a.shape)


# ---- index_add and its kin ----------------------------------------------------------------------------------------


def _slices(a: Array, dim: int, index: Array, source: Array, name: str) -> tuple[Array, int, Array, Array]:
    """Self and source with at least one dimension, the dimension, and the index as a vector within range."""
    wrong = IndexError if name == "index_copy" else RuntimeError
    dim = wrap(dim, a.ndim)
    i = check_index_vector(index, f"{name}()")
    if source.dtype != a.dtype:
        raise RuntimeError(
            f"{name}(): self ({type_name(a.dtype)}) and source ({type_name(source.dtype)}) must have the same scalar "
            "type"
        )
    x = a if a.ndim else a.reshape(1)
    s = source if source.ndim else source.reshape(1)
    if a.ndim and source.ndim and x.ndim != s.ndim:
        raise RuntimeError(
            f"{name}(): self and source must have the same number of dimensions, got {a.ndim} and {source.ndim}"
        )
    if s.ndim != x.ndim or (s.shape[dim] != i.size):
        raise wrong(
            f"{name}(): Number of indices ({i.size}) should be equal to source.size(dim): ({s.shape[dim]}), for dim: "
            f"{dim}"
        )
    if s.shape[:dim] + s.shape[dim + 1 :] != x.shape[:dim] + x.shape[dim + 1 :]:
        raise RuntimeError(
            f"source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(a.shape)} source.shape = {list(source.shape)}"
        )
    if x.size:
        check_positions(i, x.shape[dim], dim, wrong)
    return x, dim, i, s


def _slice_key(x: Array, dim: int, i: Array) -> tuple[Array, ...]:
    """A key of all places in the slices of one dimension at these positions."""
    return along(np.broadcast_to(i.reshape(on_axis(dim, x.ndim)), x.shape[:dim] + (i.size,) + x.shape[dim + 1 :]), dim)


@kernel("aten::index_add")
def index_add(a: Array, dim: int, index: Array, source: Array, alpha: Any = 1) -> Array:
    """A copy with slices, times `alpha`, added at positions of one dimension."""
    x, dim, i, s = _slices(a, dim, index, source, "index_add")
    if alpha != 1:
        wide = P.wide(s)
        s = wide * checked_scalar(alpha, wide.dtype)
    return _combine(x, _slice_key(x, dim, i), s, "sum", True).reshape(a.shape)


@kernel("aten::index_copy")
def index_copy(a: Array, dim: int, index: Array, source: Array) -> Array:
    """A copy with slices replaced at positions of one dimension."""
    x, dim, i, s = _slices(a, dim, index, source, "index_copy")
    out = x.copy()
    out[on(dim, i)] = s
    return out.reshape(a.shape) if not a.ndim else out


@kernel("aten::index_reduce")
def index_reduce(a: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True) -> Array:
    """A copy in which slices meet at positions of one dimension and are multiplied, averaged, or the extreme kept."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either prod, mean, amax or amin, got {reduce}.")
    x, dim, i, s = _slices(a, dim, index, source, "index_reduce")
    return _combine(x, _slice_key(x, dim, i), s, reduce, include_self).reshape(a.shape)


@kernel("aten::index_fill.int_Scalar", "aten::index_fill.int_Tensor")
def index_fill(a: Array, dim: int, index: Array, value: Any) -> Array:
    """A copy with one value in the slices at positions of one dimension."""
    return index_fill_(copied(a), dim, index, value)


@kernel("aten::index_fill_.int_Scalar", "aten::index_fill_.int_Tensor")
def index_fill_(a: Array, dim: int, index: Array, value: Any) -> Array:
    """Write one value in the slices at positions of one dimension."""
    dim = wrap(dim, a.ndim)
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise RuntimeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                "dimension(s)."
            )
        value = float(value) if P.is_low(value.dtype) else value.item()
    if isinstance(value, complex) and a.dtype.kind != "c":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    if index.dtype != P.INT64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    i = check_index_vector(index, "index_fill_()")
    x = a if a.ndim else a.reshape(1)
    size = x.shape[dim]
    if i.size and (i.min() < -size or i.max() >= size):
        bad = i[(i < -size) | (i >= size)]
        raise IndexError(f"index {int(bad[0])} is out of bounds for dimension {dim} with size {size}")
    x[on(dim, i)] = checked_scalar(value, a.dtype)
    return a


# ---- segments -----------------------------------------------------------------------------------------------------


@kernel("aten::segment_reduce")
def segment_reduce(
    data: Array, reduce: str, lengths: Array | None = None, indices: Array | None = None, offsets: Array | None = None,
    axis: int = 0, unsafe: bool = False, initial: Any = None,
) -> Array:  # fmt: skip
    """Neighbouring slices of one dimension, in segments of given lengths or offsets, summed, averaged, multiplied..."""
    axis = wrap(axis, data.ndim)
    if not data.size and data.ndim and not data.shape[axis] and lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if reduce not in ("max", "mean", "min", "sum", "prod"):
        raise RuntimeError(f"unsupported reduction given: {reduce}")
    size = data.shape[axis]
    if offsets is not None:
        starts, ends = offsets[..., :-1], offsets[..., 1:]
    elif lengths is not None:
        if not unsafe and lengths.size and (lengths.min() < 0 or bool((lengths.sum(-1) != size).any())):
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                "!unsafe."
            )
        ends = np.cumsum(lengths, -1)
        starts = ends - lengths
    else:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if not P.is_inexact(data.dtype) or data.dtype.kind == "c":
        unsupported("_segment_reduce_cpu", data.dtype)
    f = _UFUNCS[reduce]
    count = (ends - starts).astype(np.int64)
    wide = P.wide_dtype(data.dtype)
    rows = data.astype(wide, copy=False).reshape((-1,) + data.shape[axis + 1 :])
    shift = (np.arange(int(np.prod(data.shape[:axis]))) * size).reshape(data.shape[:axis] + (1,))
    bounds = np.stack([starts + shift, ends + shift], -1).reshape(-1)
    out_shape = data.shape[:axis] + (count.shape[-1],) + data.shape[axis + 1 :]
    start = _identity(reduce, wide) if initial is None else initial
    filled = np.full((count.size,) + data.shape[axis + 1 :], start, wide)
    full = count.reshape(-1) > 0
    with np.errstate(all="ignore"):
        if full.any():
            padded = np.concatenate([rows, np.zeros_like(rows[:1])])
            pairs = bounds.reshape(-1, 2)[full].reshape(-1)
            filled[full] = f(filled[full], f.reduceat(padded, pairs, 0)[::2])
        out = filled.reshape(out_shape)
        if reduce == "mean":
            per = count.reshape(count.shape + (1,) * (data.ndim - axis - 1))
            out = np.where(per > 0, out / np.maximum(per, 1), np.nan if initial is None else out)
    return np.asarray(out).astype(data.dtype, copy=False)
