"""New tensors made of the elements of others: joining, padding, repeating, reordering, triangles and diagonals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import promotion as P
from .casting import checked_scalar
from .memory import (
    CONTIGUOUS,
    Array,
    copied,
    empty_ordered,
    format_order,
    on,
    row_major,
    suggested_format,
    wrap,
    wrap_all,
)
from .registry import kernel
from .view import diagonal as _diagonal
from .view import narrow, unsqueeze, view

_ALL = slice(None)


# ---- joining ------------------------------------------------------------------------------------------------------


def _common(tensors: Sequence[Array], name: str) -> Sequence[Array]:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    first = tensors[0].dtype
    if all(t.dtype is first for t in tensors):
        return tensors
    dtype = P.result_type(*tensors)
    return [P.cast(t, dtype) for t in tensors]


@kernel("aten::cat", "aten::concat", "aten::concatenate")
def cat(tensors: Sequence[Array], dim: int = 0) -> Array:
    """Arrays joined along a dimension; 1-dimensional empty ones are passed over."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    arrays = _common(tensors, "torch.cat(): ")
    for i, t in enumerate(arrays):
        if not t.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    full = [t for t in arrays if t.ndim > 1 or t.size]
    if not full:
        return np.zeros(0, arrays[0].dtype)
    dim = wrap(dim, full[0].ndim)
    try:
        out = np.concatenate(full, dim)
    except ValueError:
        _cat_mismatch(full, dim)
        raise
    if not out.flags.c_contiguous:
        # NumPy follows the strides of its arguments; PyTorch only where all agree on a channels-last format
        formats = {suggested_format(t) for t in arrays}
        if len(formats) != 1 or CONTIGUOUS in formats:
            return out.copy()
    return out


def _cat_mismatch(arrays: Sequence[Array], dim: int) -> None:
    first = arrays[0]
    for i, t in enumerate(arrays):
        if t.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {t.ndim}")
        for d, (n, m) in enumerate(zip(first.shape, t.shape)):
            if d != dim and n != m:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got size {m} for "
                    "tensor "
                    f"number {i} in the list."
                )


@kernel("aten::stack", "aten::_stack")
def stack(tensors: Sequence[Array], dim: int = 0) -> Array:
    """Arrays of one shape joined along a new dimension."""
    arrays = _common(tensors, "stack")
    first = arrays[0].shape
    for i, t in enumerate(arrays):
        if t.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(t.shape)} "
                f"at entry {i}"
            )
    dim = wrap(dim, len(first) + 1)
    head = (_ALL,) * dim + (None,)
    out = np.concatenate([t[head] for t in arrays], dim)
    return out if out.flags.c_contiguous else out.copy()


@kernel("prim::VarConcat")
def var_concat(*tensors_and_dim: Any) -> Array:
    """`cat` of the arguments before the last, which is the dimension."""
    return cat(tensors_and_dim[:-1], tensors_and_dim[-1])


@kernel("prim::VarStack")
def var_stack(*tensors_and_dim: Any) -> Array:
    """`stack` of the arguments before the last, which is the dimension."""
    return stack(tensors_and_dim[:-1], tensors_and_dim[-1])


def _raised(tensors: Sequence[Array], n: int) -> list[Array]:
    out = []
    for t in tensors:
        if n == 3 and t.ndim == 2:
            t = unsqueeze(t, 2)
        elif t.ndim < n:
            t = t.reshape((1,) * (n - 1 - (n == 3)) + (-1,) + (1,) * (n == 3)) if t.ndim else t.reshape((1,) * n)
        out.append(t)
    return out


@kernel("aten::hstack")
def hstack(tensors: Sequence[Array]) -> Array:
    """Joined side by side: along the second dimension, or the first of 1-dimensional ones."""
    if not tensors:
        raise RuntimeError("hstack expects a non-empty TensorList")
    arrays = _raised(tensors, 1)
    return cat(arrays, 0 if arrays[0].ndim == 1 else 1)


@kernel("aten::vstack", "aten::row_stack")
def vstack(tensors: Sequence[Array]) -> Array:
    """Joined one under the other."""
    if not tensors:
        raise RuntimeError("vstack expects a non-empty TensorList")
    return cat(_raised(tensors, 2), 0)


@kernel("aten::dstack")
def dstack(tensors: Sequence[Array]) -> Array:
    """Joined along the third dimension."""
    if not tensors:
        raise RuntimeError("dstack expects a non-empty TensorList")
    return cat(_raised(tensors, 3), 2)


@kernel("aten::column_stack")
def column_stack(tensors: Sequence[Array]) -> Array:
    """1-dimensional arrays as columns, others side by side."""
    if not tensors:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    return hstack([t.reshape(t.size, 1) if t.ndim <= 1 else t for t in tensors])


@kernel("aten::_chunk_cat")
def chunk_cat(tensors: Sequence[Array], dim: int, num_chunks: int) -> Array:
    """Every array cut into `num_chunks` along `dim` (padded with zeros), chunks of one number joined."""
    dim = wrap(dim, tensors[0].ndim)
    parts = []
    for t in tensors:
        size = -(-t.shape[dim] // num_chunks)
        padded = np.zeros(t.shape[:dim] + (size * num_chunks,) + t.shape[dim + 1 :], t.dtype)
        padded[on(dim, slice(t.shape[dim]))] = t
        parts.append(padded.reshape(t.shape[:dim] + (num_chunks, -1)))
    return cat(_common(parts, "_chunk_cat"), dim + 1)


@kernel("aten::flatten_dense_tensors")
def flatten_dense_tensors(tensors: Sequence[Array]) -> Array:
    """All elements of all arrays in one row."""
    return cat([t.reshape(-1) for t in tensors], 0)


@kernel("aten::unflatten_dense_tensors")
def unflatten_dense_tensors(flat: Array, tensors: Sequence[Array]) -> list[Array]:
    """A row cut into views of the shapes of `tensors`."""
    out, at = [], 0
    for t in tensors:
        out.append(narrow(flat, 0, at, t.size).reshape(t.shape) if t.size else np.zeros(t.shape, flat.dtype))
        at += t.size
    return out


# ---- padding ------------------------------------------------------------------------------------------------------


@kernel("aten::constant_pad_nd")
def constant_pad_nd(a: Array, pad: Sequence[int], value: Any = 0) -> Array:
    """Surrounded by a value; pairs of widths start at the last dimension, negative ones crop."""
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) // 2 > a.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {a.ndim} dimensions."
        )
    shape, source, target = list(a.shape), [_ALL] * a.ndim, [_ALL] * a.ndim
    for i in range(len(pad) // 2):
        d = a.ndim - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        n = shape[d] + before + after
        if n < 0:
            raise RuntimeError(
                f"The input size {shape[d]}, plus negative padding {before} and {after} resulted in a negative "
                "output size, "
                f"which is invalid. Check dimension {d} of your input."
            )
        source[d] = slice(max(-before, 0), max(shape[d] - max(-after, 0), 0))
        target[d] = slice(max(before, 0), max(n - max(after, 0), 0))
        shape[d] = n
    if max(pad, default=0) <= 0:
        return copied(a[tuple(source)])
    kept = suggested_format(a)
    if kept == CONTIGUOUS:
        out = np.empty_like(a, order="C", shape=shape)
    else:
        out = empty_ordered(shape, format_order(kept, a.ndim), a.dtype, a)
    out[...] = checked_scalar(value, a.dtype)
    out[tuple(target)] = a[tuple(source)]
    return out


def _reflected(n: int, before: int, after: int) -> Array:
    index = np.abs(np.arange(-before, n + after))
    return np.where(index >= n, 2 * (n - 1) - index, index)


def _replicated(n: int, before: int, after: int) -> Array:
    return np.clip(np.arange(-before, n + after), 0, n - 1)


def _wrapped(n: int, before: int, after: int) -> Array:
    first, left = max(-before, 0), n - max(-before, 0) - max(-after, 0)
    return np.arange(-max(before, 0), left + max(after, 0)) % max(left, 1) + first


def _pad_by_index(a: Array, pad: Sequence[int], index: Callable[[int, int, int], Array]) -> Array:
    kept = CONTIGUOUS if index is _wrapped else suggested_format(a)
    for i in range(len(pad) // 2):
        d = a.ndim - 1 - i
        before, after = pad[2 * i], pad[2 * i + 1]
        if before or after:
            a = a.take(index(a.shape[d], before, after), d)
        elif not i:
            a = a.copy()
    return row_major(a) if kept == CONTIGUOUS else copied(a, kept)


def _check_pad(a: Array, pad: Sequence[int], dims: int, name: str, reflect: bool) -> None:
    if len(pad) != 2 * dims:
        raise RuntimeError(f"padding size is expected to be {2 * dims}, but got: {len(pad)}")
    if a.ndim not in (dims + 1, dims + 2) or any(n == 0 for n in a.shape[a.ndim - dims - 1 :]):
        kind = {1: "2D or 3D", 2: "3D or 4D", 3: "4D or 5D"}[dims]
        raise RuntimeError(
            f"Expected {kind} (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            "input, but "
            f"got: {list(a.shape)}"
        )
    for i in range(dims):
        d = a.ndim - 1 - i
        n, before, after = a.shape[d], pad[2 * i], pad[2 * i + 1]
        if reflect and (before >= n or after >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but "
                "got: padding "
                f"({before}, {after}) at dimension {d} of input {list(a.shape)}"
            )
        if n + before + after < 1:
            raise RuntimeError(
                f"input ({list(a.shape)}) is too small. Calculated output size {n + before + after} at dimension {d} "
                f"({name})"
            )


def _edge_pad(name: str, dims: int, index: Callable[[int, int, int], Array]) -> Callable[..., Array]:
    def run(a: Array, padding: Sequence[int]) -> Array:
        _check_pad(a, padding, dims, name, index is _reflected)
        return _pad_by_index(a, padding, index)

    return kernel(f"aten::{name}")(run)


_EDGE_PADS = {
    (mode, dims): _edge_pad(f"{word}_pad{dims}d", dims, index)
    for mode, word, index in ((1, "reflection", _reflected), (2, "replication", _replicated))
    for dims in (1, 2, 3)
}


@kernel("aten::_pad_circular")
def pad_circular(a: Array, pad: Sequence[int]) -> Array:
    """Padded with the opposite side; the first two dimensions (batch, channel) are never padded."""
    if len(pad) // 2 + 2 != a.ndim:
        raise RuntimeError(f"Invalid padding size, expected {max(a.ndim - 2, 0) * 2} but got {len(pad)}")
    for i in range(len(pad) // 2):
        n, before, after = a.shape[a.ndim - 1 - i], pad[2 * i], pad[2 * i + 1]
        if before > n or after > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if n + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    return _pad_by_index(a, pad, _wrapped)


_MODES = {"constant": 0, "reflect": 1, "replicate": 2, "circular": 3}


@kernel("aten::_pad_enum")
def pad_enum(a: Array, pad: Sequence[int], mode: int, value: float | None = None) -> Array:
    """Padding of the mode of that number: constant, reflect, replicate, circular."""
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * a.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {a.ndim}"
        )
    if mode == 0:
        return constant_pad_nd(a, pad, 0.0 if value is None else value)
    names = [k for k, v in _MODES.items() if v == mode]
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{names[0]}" doesn\'t take in value argument')
    dims = len(pad) // 2
    if 1 <= dims <= 3 and a.ndim in (dims + 1, dims + 2):
        if mode == 3:
            return pad_circular(a, pad) if a.ndim == dims + 2 else pad_circular(a[None], pad)[0]
        return _EDGE_PADS[mode, dims](a, pad)
    raise NotImplementedError("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now")


@kernel("aten::pad")
def pad(a: Array, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Array:
    """Padding of a mode by name."""
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return pad_enum(a, pad, _MODES[mode], value)


# ---- repeating and reordering -------------------------------------------------------------------------------------


@kernel("aten::repeat")
def repeat(a: Array, repeats: Sequence[int]) -> Array:
    """Repeated that many times along every dimension, new ones in front."""
    new = len(repeats) - a.ndim
    if new < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if min(repeats, default=1) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension in repeat: {list(repeats)}")
    shape = (1,) * new + a.shape
    out = np.empty_like(a, order="C", shape=[n * r for n, r in zip(shape, repeats)])
    if out.size:
        split, source = [], []
        for n, r in zip(shape, repeats):
            split += [r, n]
            source += [1, n]
        out.reshape(split)[...] = a.reshape(source)
    return out


@kernel("aten::tile")
def tile(a: Array, dims: Sequence[int]) -> Array:
    """`repeat` in which missing leading counts are 1."""
    return repeat(a, [1] * (a.ndim - len(dims)) + list(dims))


@kernel("aten::repeat_interleave.self_int")
def repeat_interleave_int(a: Array, repeats: int, dim: int | None = None, output_size: int | None = None) -> Array:
    """Every element repeated in place."""
    return _interleaved(a, repeats, dim, output_size)


@kernel("aten::repeat_interleave.self_Tensor")
def repeat_interleave(a: Array, repeats: Array, dim: int | None = None, output_size: int | None = None) -> Array:
    """Every element repeated its own number of times."""
    _check_repeats(repeats)
    if repeats.size == 1:
        return _interleaved(a, int(repeats.reshape(-1)[0]), dim, output_size)
    n = a.size if dim is None else a.shape[wrap(dim, a.ndim)]
    if repeats.size != n:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {repeats.size} and "
            f"input.size({0 if dim is None else dim}) = {n}"
        )
    return _interleaved(a, repeats, dim, output_size)


@kernel("aten::repeat_interleave.Tensor")
def repeat_interleave_index(repeats: Array, output_size: int | None = None) -> Array:
    """Every position repeated its number of times."""
    _check_repeats(repeats)
    return _interleaved(np.arange(repeats.size, dtype=repeats.dtype), repeats, 0, output_size)


def _check_repeats(repeats: Array) -> None:
    if repeats.ndim > 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype.name not in ("int32", "int64"):
        raise RuntimeError("repeats has to be Long or Int tensor")
    if repeats.size and repeats.min() < 0:
        raise RuntimeError("repeats can not be negative")


def _interleaved(a: Array, repeats: Any, dim: int | None, output_size: int | None) -> Array:
    if isinstance(repeats, int) and repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if dim is not None and not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if dim is None:
        out = a.reshape(-1).repeat(repeats)
        n = out.size
    else:
        dim = wrap(dim, a.ndim)
        out = a.repeat(repeats, dim)
        n = out.shape[dim]
    if output_size is not None and output_size != n:
        raise RuntimeError("repeat_interleave: Invalid output_size, should be the sum of repeats")
    return out


@kernel("aten::flip")
def flip(a: Array, dims: Sequence[int]) -> Array:
    """Reversed along the dimensions."""
    chosen = wrap_all(dims, a.ndim)
    if not a.ndim:
        return a.copy()
    back = slice(None, None, -1)
    return a[tuple([back if d in chosen else _ALL for d in range(a.ndim)])].copy(order="K")


@kernel("aten::fliplr")
def fliplr(a: Array) -> Array:
    """Reversed along the second dimension."""
    if a.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(a, [1])


@kernel("aten::flipud")
def flipud(a: Array) -> Array:
    """Reversed along the first dimension."""
    if a.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(a, [0])


@kernel("aten::roll")
def roll(a: Array, shifts: Sequence[int], dims: Sequence[int] = ()) -> Array:
    """Shifted around; without dimensions, as one row."""
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return view(roll(a.reshape(-1), shifts, [0]), a.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not a.size:
        return copied(a)
    out = a
    for shift, d in zip(shifts, dims):
        d = wrap(d, a.ndim)
        if not a.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        cut = -shift % a.shape[d]
        out = cat([out[on(d, slice(cut, None))], out[on(d, slice(cut))]], d)
    return out


@kernel("aten::rot90")
def rot90(a: Array, k: int = 1, dims: Sequence[int] = (0, 1)) -> Array:
    """Turned by quarters from the first towards the second dimension."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if a.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {a.ndim}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == a.ndim:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    for d in dims:
        if not -a.ndim <= d < a.ndim:
            raise RuntimeError(f"Rotation dim{dims.index(d)} out of range, dim{dims.index(d)} = {d}")
    x, y = dims
    k %= 4
    if k == 1:
        return flip(a, [y]).swapaxes(x, y)
    if k == 2:
        return flip(a, dims)
    if k == 3:
        return flip(a, [x]).swapaxes(x, y)
    return a.copy()


# ---- triangles and diagonals --------------------------------------------------------------------------------------


def _triangle(a: Array, diagonal: int, lower: bool) -> Array:
    if a.ndim < 2:
        raise RuntimeError("input tensor must have at least 2 dimensions")
    rows, cols = a.shape[-2:]
    keep = np.arange(cols) <= np.arange(rows)[:, None] + diagonal
    if not lower:
        keep = np.arange(cols) >= np.arange(rows)[:, None] + diagonal
    out = np.zeros_like(a, order="C")
    np.copyto(out, a, where=keep)
    return out


@kernel("aten::tril")
def tril(a: Array, diagonal: int = 0) -> Array:
    """Matrices with zeros above a diagonal."""
    return _triangle(a, diagonal, True)


@kernel("aten::triu")
def triu(a: Array, diagonal: int = 0) -> Array:
    """Matrices with zeros below a diagonal."""
    return _triangle(a, diagonal, False)


@kernel("aten::diag_embed")
def diag_embed(a: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """The last dimension as the diagonal of new matrices."""
    d1, d2 = wrap(dim1, a.ndim + 1), wrap(dim2, a.ndim + 1)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n = a.shape[-1] + abs(offset)
    shape = list(a.shape[:-1])
    for d in sorted((d1, d2)):
        shape.insert(d, n)
    out = np.zeros_like(a, order="C", shape=shape)
    _diagonal(out, offset, d1, d2)[...] = a
    return out


@kernel("aten::diag")
def diag(a: Array, diagonal: int = 0) -> Array:
    """A matrix with this diagonal, or a copy of a matrix's diagonal."""
    if a.ndim == 1:
        return diag_embed(a, diagonal)
    if a.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {a.ndim}D")
    return _diagonal(a, diagonal).copy()


@kernel("aten::diagflat")
def diagflat(a: Array, offset: int = 0) -> Array:
    """A matrix whose diagonal is all elements of the argument."""
    return diag_embed(a.reshape(-1), offset)
