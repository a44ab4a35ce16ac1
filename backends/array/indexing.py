"""Indexing with tensors: reading, writing, gathering, masks.

Scatters and other accumulating writes are in `indexing_scatter`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device

from . import promotion as P
from .casting import checked_scalar, convert
from .constructors import type_name
from .factory import check_device, item
from .memory import (
    Array,
    DType,
    copied,
    copied_storage,
    empty_ordered,
    order_of,
    overlaps_itself,
    row_major,
    strides_of,
    wrap,
)
from .memory import storage_offset as offset_of
from .registry import kernel
from .view import as_strided, broadcast_shape, diagonal, expand, select, slice_

_ALL = slice(None)
_INTEGERS = ("int64", "int32", "int16", "int8")
Indices = Sequence[Array | None]


def in_range(index: Array, size: int) -> bool:
    """Whether every index counts from the front and is below `size`."""
    if not index.size:
        return True
    if index.dtype == P.INT64:
        return bool(index.view(np.uint64).max() < size)  # a negative one becomes a large one
    return bool(index.min() >= 0 and index.max() < size)


def _refuse(index: Array, size: int, dim: int) -> None:
    """Raise IndexError for the first index outside [-size, size)."""
    bad = index[(index < -size) | (index >= size)]
    if bad.size:
        raise IndexError(f"index {int(bad.reshape(-1)[0])} is out of bounds for dimension {dim} with size {size}")


# ---- reading and writing with a list of indices --------------------------------------------------------------------


def _expanded(a: Array, indices: Indices) -> list[Array | None]:
    """One integer array or None per dimension: masks become the positions of their true elements."""
    out: list[Array | None] = []
    for index in indices:
        if index is None:
            out.append(None)
            continue
        kind = index.dtype.kind
        if kind == "b" or index.dtype == np.uint8:
            at = len(out)
            if len(out) + index.ndim > a.ndim:
                raise IndexError(f"too many indices for tensor of dimension {a.ndim} (got {len(out) + index.ndim})")
            for d, n in enumerate(index.shape):
                if n != a.shape[at + d]:
                    raise IndexError(
                        f"The shape of the mask {list(index.shape)} at index {d} does not match the shape of the "
                        "indexed "
                        f"tensor {list(a.shape)} at index {at + d}"
                    )
            if index.ndim:
                out.extend(np.nonzero(index))
            else:
                out.append(np.nonzero(index.reshape(1))[0])
        elif index.dtype.name in _INTEGERS:
            out.append(index)
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if len(out) > a.ndim:
        raise IndexError(f"too many indices for tensor of dimension {a.ndim} (got {len(out)})")
    return out


def _key(a: Array, indices: list[Array | None]) -> tuple[Any, ...]:
    return tuple([_ALL if i is None else i for i in indices]) + (...,)


def _index_error(a: Array, indices: list[Array | None]) -> Exception:
    try:
        shape = np.broadcast_shapes(*[i.shape for i in indices if i is not None])
    except ValueError:
        listed = ", ".join(str(list(i.shape)) for i in indices if i is not None)
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}")
    for d, i in enumerate(indices):
        if i is not None:
            try:
                _refuse(i, a.shape[d], d)
            except IndexError as error:
                return error
    return IndexError(f"indices of shape {list(shape)} do not fit a tensor of shape {list(a.shape)}")


@kernel("aten::index.Tensor", "aten::index.Tensor_hacked_twin", "aten::_unsafe_index.Tensor",
        "aten::_unsafe_index.Tensor_hacked_twin")  # fmt: skip
def index(a: Array, indices: Indices) -> Array:
    """Elements at integer positions or under masks; indexed dimensions stay if they are neighbours, else lead."""
    arrays = _expanded(a, indices)
    given = [d for d, i in enumerate(arrays) if i is not None]
    if not given:
        return a.copy() if a.ndim else a
    try:
        if len(given) == 1 and a.flags.c_contiguous:
            i = arrays[given[0]]
            assert i is not None
            return np.asarray(a.take(i, given[0]))
        out = a[_key(a, arrays)]
    except IndexError:
        raise _index_error(a, arrays) from None
    if all(arrays[d].ndim == 0 for d in given):  # type: ignore[union-attr]
        return copied(out)
    return row_major(out) if a.flags.c_contiguous else _laid_out(out, a, arrays, given)


def _laid_out(out: Array, a: Array, arrays: list[Array | None], given: list[int]) -> Array:
    """The result with its dimensions in memory in the order that the strides of `a` and of the indices ask for."""
    index = np.broadcast_arrays(*[i for i in arrays if i is not None])[0]
    front = given[0] if given[-1] - given[0] == len(given) - 1 else 0
    rest = [a.strides[d] for d in range(a.ndim) if d not in given]
    own = rest[:front] + [0] * index.ndim + rest[front:]
    theirs = [0] * front + list(index.strides) + [0] * (len(rest) - front)
    order = order_of(out.shape, own, theirs)
    if out.transpose(order).flags.c_contiguous:
        return out
    placed = empty_ordered(out.shape, order, out.dtype, out)
    placed[...] = out
    return placed


def _put(a: Array, indices: Indices, values: Array, accumulate: bool) -> Array:
    if values.dtype != a.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {type_name(a.dtype)} for the "
            "destination and "
            f"{type_name(values.dtype)} for the source."
        )
    arrays = _expanded(a, indices)
    key = _key(a, arrays)
    try:
        if accumulate:
            np.add.at(a, key, values)
        else:
            a[key] = values
    except IndexError:
        raise _index_error(a, arrays) from None
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            "shape "
            f"{list(a[key].shape)}"
        ) from None
    return a


@kernel("aten::index_put_", "aten::index_put_.hacked_twin")
def index_put_(a: Array, indices: Indices, values: Array, accumulate: bool = False) -> Array:
    """Write (or add) values at integer positions or under masks."""
    if overlaps_itself(a):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    return _put(a, indices, values, accumulate)


@kernel("aten::index_put", "aten::index_put.hacked_twin")
def index_put(a: Array, indices: Indices, values: Array, accumulate: bool = False) -> Array:
    """A copy with values written (or added) at integer positions or under masks."""
    return _put(copied(a), indices, values, accumulate)


def _clamped(a: Array, indices: Indices) -> list[Array | None]:
    return [None if i is None else np.clip(i, 0, a.shape[d] - 1) for d, i in enumerate(indices)]


@kernel("aten::_unsafe_masked_index")
def unsafe_masked_index(a: Array, mask: Array, indices: Indices, fill: Any) -> Array:
    """Elements at positions that are clamped into range, `fill` where the mask is false."""
    if not a.size:
        out = np.empty(broadcast_shape(*[i.shape for i in indices if i is not None]), a.dtype)
        out[...] = checked_scalar(fill, a.dtype)
        return out
    return masked_fill(index(a, _clamped(a, indices)), ~mask, fill)


@kernel("aten::_unsafe_masked_index_put_accumulate")
def unsafe_masked_index_put_accumulate(a: Array, mask: Array, indices: Indices, values: Array) -> Array:
    """A copy to which values are added at clamped positions where the mask is true."""
    if not a.size:
        return a.copy()
    return _put(copied(a), _clamped(a, indices), masked_fill(values, ~mask, 0), True)


@kernel("aten::index.list_Tensor")
def index_in_list(values: Sequence[Array], el: Array) -> int:
    """Position of the first equal tensor in a list. Raises RuntimeError where there is none."""
    for i, v in enumerate(values):
        if bool((v == el).all()):
            return i
    raise RuntimeError(f"'{el}' is not in list")


# ---- along one dimension ------------------------------------------------------------------------------------------


def check_index_vector(index: Array, name: str, longs: bool = False) -> Array:
    """The index as a 1-dimensional integer array. Raises IndexError for another rank or type."""
    if index.ndim > 1:
        raise IndexError(f"{name}: Index is supposed to be a vector")
    if index.dtype.name not in ("int64", "int32")[: 1 if longs else 2]:
        raise RuntimeError(f"{name}: Expected dtype int32 or int64 for index")
    return index.reshape(-1)


@kernel("aten::index_select")
def index_select(a: Array, dim: int, index: Array) -> Array:
    """Slices of one dimension at these positions."""
    dim = wrap(dim, a.ndim)
    index = check_index_vector(index, "index_select()")
    if not a.ndim:
        if index.size > 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
        if not in_range(index, 1):
            raise IndexError("index out of range in self")
        return a.copy() if index.size else np.empty(0, a.dtype)
    if not in_range(index, a.shape[dim]):
        raise IndexError("index out of range in self")
    return a.take(index, dim)


def along(index: Array, dim: int) -> tuple[Any, ...]:
    """A key that puts `index` at one dimension and counts along the others."""
    n = index.ndim
    key: list[Any] = [
        np.arange(size).reshape([-1 if i == d else 1 for i in range(n)]) for d, size in enumerate(index.shape)
    ]
    key[dim] = index
    return tuple(key)


def check_positions(index: Array, size: int, dim: int, wrong: type[Exception] = RuntimeError) -> None:
    """Raise unless the index is int64 (or int32) and within [0, size)."""
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if not in_range(index, size):
        bad = index[(index < 0) | (index >= size)]
        raise wrong(f"index {int(bad.reshape(-1)[0])} is out of bounds for dimension {dim} with size {size}")


@kernel("aten::gather")
def gather(a: Array, dim: int, index: Array, sparse_grad: bool = False) -> Array:
    """For every place of `index`, the element at that position of one dimension."""
    dim = wrap(dim, a.ndim)
    if not index.size:
        return np.empty(index.shape, a.dtype)
    if max(a.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    x, i = (a, index) if a.ndim and index.ndim else (a.reshape(-1), index.reshape(-1))
    for d, (have, want) in enumerate(zip(x.shape, i.shape)):
        if d != dim and want > have:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(a.shape)} apart from dimension {dim}"
            )
    check_positions(i, x.shape[dim], dim)
    if i.ndim == 1:
        return x.take(i).reshape(index.shape)
    out = x[along(i, dim)]
    return row_major(out)


@kernel("aten::take_along_dim")
def take_along_dim(a: Array, indices: Array, dim: int | None = None) -> Array:
    """`gather` in which the other dimensions broadcast; without a dimension, over all elements in a row."""
    if indices.dtype != P.INT64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {type_name(indices.dtype)}"
        )
    if dim is None:
        return gather(a.reshape(-1), 0, indices.reshape(-1))
    if a.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{a.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    dim = wrap(dim, a.ndim)
    x, i = list(a.shape), list(indices.shape)
    common = broadcast_shape(x[:dim] + [1] + x[dim + 1 :], i[:dim] + [1] + i[dim + 1 :])
    full = expand(a, common[:dim] + (a.shape[dim],) + common[dim + 1 :]) if a.ndim else a
    if indices.size and indices.min() < 0:
        indices = np.where(indices < 0, indices + (a.shape[dim] if a.ndim else 1), indices)
    return gather(full, dim, expand(indices, common[:dim] + (i[dim],) + common[dim + 1 :]) if a.ndim else indices)


@kernel("aten::take")
def take(a: Array, index: Array) -> Array:
    """Elements at these positions of the array as one row."""
    if index.dtype != P.INT64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {type_name(index.dtype)}")
    if not a.size and index.size:
        raise IndexError("take(): tried to take from an empty tensor")
    try:
        return np.asarray(a.take(index)) if index.size else np.empty(index.shape, a.dtype)
    except IndexError:
        raise IndexError("out of range: tried to access a position outside the tensor") from None


@kernel("aten::put_")
def put_(a: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    """Write (or add) at these positions of the array as one row."""
    if index.dtype != P.INT64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {type_name(index.dtype)}")
    if a.dtype != source.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {type_name(a.dtype)} and "
            f"source.dtype = {type_name(source.dtype)}"
        )
    if index.size != source.size:
        raise RuntimeError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    if not index.size:
        return a
    _refuse_put(index, a.size)
    x = a if a.ndim else a.reshape(1)
    at = np.unravel_index(index.reshape(-1) % a.size, x.shape)
    if accumulate:
        np.add.at(x, at, source.reshape(-1))
    else:
        x[at] = source.reshape(-1)
    return a


def _refuse_put(index: Array, size: int) -> None:
    if index.min() < -size or index.max() >= size:
        bad = index[(index < -size) | (index >= size)]
        raise IndexError(
            f"out of range: tried to access index {int(bad.reshape(-1)[0])} on a tensor of {size} elements."
        )


@kernel("aten::put")
def put(a: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    """A copy with values written (or added) at these positions of the array as one row."""
    return put_(copied(a), index, source, accumulate)


# ---- masks --------------------------------------------------------------------------------------------------------


def _check_mask(mask: Array, name: str) -> None:
    if mask.dtype.kind != "b":
        raise RuntimeError(f"{name} only supports boolean masks, but got mask with dtype {type_name(mask.dtype)}")


def _mask_value(value: Any, dtype: DType) -> Array:
    if isinstance(value, np.ndarray):
        if value.ndim:
            raise RuntimeError(
                f"masked_fill only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
                "dimension(s)."
            )
        value = item(value)
    return checked_scalar(value, dtype)


@kernel("aten::masked_fill.Scalar", "aten::masked_fill.Tensor")
def masked_fill(a: Array, mask: Array, value: Any) -> Array:
    """A copy with one value where the mask is true."""
    _check_mask(mask, "masked_fill")
    if a.shape != mask.shape:
        a = expand(a, broadcast_shape(a.shape, mask.shape))
    out = a.copy()
    np.copyto(out, _mask_value(value, a.dtype), where=mask)
    return out


@kernel("aten::masked_fill_.Scalar", "aten::masked_fill_.Tensor")
def masked_fill_(a: Array, mask: Array, value: Any) -> Array:
    """Write one value where the mask is true."""
    _check_mask(mask, "masked_fill_")
    np.copyto(a, _mask_value(value, a.dtype), where=expand(mask, a.shape))
    return a


@kernel("aten::masked_select")
def masked_select(a: Array, mask: Array) -> Array:
    """The elements under a mask, in one row."""
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shape(a.shape, mask.shape)
    return expand(a, shape)[expand(mask, shape)].reshape(-1)


@kernel("aten::masked_scatter_")
def masked_scatter_(a: Array, mask: Array, source: Array) -> Array:
    """Write the source's elements, in order, where the mask is true."""
    if a.dtype != source.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{type_name(a.dtype)} and {type_name(source.dtype)}"
        )
    _check_mask(mask, "masked_scatter_")
    where = expand(mask, a.shape)
    n = int(np.count_nonzero(where))
    if n > source.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    if n:
        a[where] = source.reshape(-1)[:n]
    return a


@kernel("aten::masked_scatter")
def masked_scatter(a: Array, mask: Array, source: Array) -> Array:
    """A copy with the source's elements, in order, where the mask is true."""
    return masked_scatter_(copied(expand(a, broadcast_shape(a.shape, mask.shape)), 0), mask, source)


_BITS = {"f": np.dtype(np.int32), "d": np.dtype(np.int64)}


def _masked(condition: Array, a: Array, bits: np.dtype[Any]) -> Array:
    """The floats where the condition is true, zeros elsewhere: their bits under a mask, which does not branch."""
    mask = condition.astype(bits)
    np.negative(mask, out=mask)
    mask &= a.view(bits)
    made: Array = mask.view(a.dtype)
    return made


@kernel("aten::where.self", "aten::where.ScalarOther", "aten::where.ScalarSelf", "aten::where.Scalar")
def where(condition: Array, a: Any, other: Any) -> Array:
    """Elements of the first where the condition is true, of the second elsewhere, in their promoted type."""
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{type_name(condition.dtype)}"
            )
        condition = condition != 0
    dtype = P.result_type(a, other)
    if type(other) in (int, float) and other == 0 and isinstance(a, np.ndarray) and a.dtype == dtype:
        bits = _BITS.get(a.dtype.char)
        if bits is not None and a.shape == condition.shape and a.size > 1000:
            return _masked(condition, a, bits)  # type: ignore[arg-type]
    try:
        return np.asarray(np.where(condition, P.cast(a, dtype), P.cast(other, dtype)))
    except ValueError:
        broadcast_shape(*[x.shape for x in (condition, a, other) if isinstance(x, np.ndarray)])
        raise


@kernel("aten::nonzero", "aten::argwhere")
def nonzero(a: Array) -> Array:
    """Positions of the elements that are not zero, one a row."""
    if not a.ndim:
        return np.zeros((int(bool(a != 0)), 0), np.int64)
    return np.array(np.nonzero(a), np.int64).T


@kernel("aten::nonzero_numpy", "aten::where")
def nonzero_numpy(a: Array) -> list[Array]:
    """Positions of the elements that are not zero, one array per dimension."""
    return list(nonzero(a.reshape(-1) if not a.ndim else a).T)


@kernel("aten::nonzero_static")
def nonzero_static(a: Array, size: int, fill_value: int = -1) -> Array:
    """`nonzero` cut or filled up to a number of rows."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(a)[:size]
    out = np.full((size, a.ndim), fill_value, np.int64)
    out[: len(found)] = found
    return out


# ---- parts of a copy replaced --------------------------------------------------------------------------------------


def _replaced(a: Array, src: Array, part: Any, *args: Any) -> Array:
    out = a.copy() if a.flags.c_contiguous and part is not as_strided else copied_storage(a)
    view = part(out, *args)
    if view.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(view.shape)}"
        )
    view[...] = src if src.dtype == out.dtype else convert(src, out.dtype)
    return out


@kernel("aten::select_scatter")
def select_scatter(a: Array, src: Array, dim: int, index: int) -> Array:
    """A copy with one slice replaced."""
    return _replaced(a, src, select, dim, index)


@kernel("aten::slice_scatter")
def slice_scatter(
    a: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    """A copy with a range replaced."""
    return _replaced(a, src, slice_, dim, start, end, step)


@kernel("aten::diagonal_scatter")
def diagonal_scatter(a: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A copy with a diagonal replaced."""
    return _replaced(a, src, diagonal, offset, dim1, dim2)


@kernel("aten::as_strided_scatter")
def as_strided_scatter(
    a: Array, src: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Array:
    """A copy with a strided part replaced."""
    return _replaced(a, src, as_strided, size, stride, storage_offset)


@kernel("aten::slice_inverse")
def slice_inverse(
    a: Array, src: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    """The tensor of `src`'s shape of which `a` is the range, over `a`'s storage."""
    at = slice(start, end, step).indices(src.shape[wrap(dim, src.ndim)])[0]
    steps = strides_of(src)
    return as_strided(a, src.shape, steps, offset_of(a) - at * steps[wrap(dim, src.ndim)])


@kernel("aten::fill_diagonal_")
def fill_diagonal_(a: Array, fill_value: Any, wrap: bool = False) -> Array:
    """Write one value on the main diagonal; a tall matrix's starts anew after a gap of one row where `wrap` is set."""
    if a.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    value = checked_scalar(fill_value, a.dtype)
    n = min(a.shape)
    i = np.arange(n)
    a[(i,) * a.ndim] = value
    if wrap and a.ndim == 2 and a.shape[0] > a.shape[1] + 1 and n:
        rows = np.arange(a.shape[0])
        cols = rows % (a.shape[1] + 1)
        keep = cols < a.shape[1]
        a[rows[keep], cols[keep]] = value
    return a


# ---- positions ----------------------------------------------------------------------------------------------------


def _triangle_indices(row: int, col: int, offset: int, dtype: int | None, lower: bool) -> Array:
    if row < 0:
        raise RuntimeError(f"row must be non-negative, got{row}")
    if col < 0:
        raise RuntimeError(f"col must be non-negative, got{col}")
    to = P.INT64 if dtype is None else dtypes.numpy_of(dtype)
    below = np.arange(col) <= np.arange(row)[:, None] + (offset if lower else offset - 1)
    return np.array(np.nonzero(below if lower else ~below)).astype(to)


@kernel("aten::tril_indices")
def tril_indices(
    row: int, col: int, offset: int = 0, dtype: int | None = 4, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Rows and columns of a lower triangle, row by row."""
    check_device(device, layout)
    return _triangle_indices(row, col, offset, dtype, True)


@kernel("aten::triu_indices")
def triu_indices(
    row: int, col: int, offset: int = 0, dtype: int | None = 4, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Rows and columns of an upper triangle, row by row."""
    check_device(device, layout)
    return _triangle_indices(row, col, offset, dtype, False)


@kernel("aten::cartesian_prod")
def cartesian_prod(tensors: Sequence[Array]) -> Array:
    """Every combination of one element of each 1-dimensional array, one a row."""
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    shape = [t.size for t in tensors]
    columns = [np.broadcast_to(t.reshape(on_axis(i, len(shape))), shape) for i, t in enumerate(tensors)]
    return np.stack(columns, -1).reshape(-1, len(shape))


def on_axis(d: int, ndim: int) -> list[int]:
    """A shape that lays a 1-dimensional array along one of `ndim` dimensions."""
    return [-1 if i == d else 1 for i in range(ndim)]


@kernel("aten::combinations")
def combinations(a: Array, r: int = 2, with_replacement: bool = False) -> Array:
    """Every choice of `r` elements in order, one a row."""
    if a.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(a.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return np.empty(0, a.dtype)
    n = a.size
    keep = np.ones((n,) * r, np.bool_)
    for d in range(r - 1):
        x, y = np.arange(n).reshape(on_axis(d, r)), np.arange(n).reshape(on_axis(d + 1, r))
        keep &= (x <= y) if with_replacement else (x < y)
    return a[np.stack(np.nonzero(keep), -1)]


from . import indexing_scatter  # noqa: E402, F401  (registration)
