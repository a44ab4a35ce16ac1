"""Views: reshaping, slicing, permuting, splitting. Results share the argument's memory wherever PyTorch's do."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NoReturn

import numpy as np

from .memory import (
    Array,
    on,
    raw_bytes,
    storage,
    strided,
    strides_of,
    view_strides,
    wrap,
    wrap_all,
)
from .memory import storage_offset as _offset_of
from .registry import kernel

_ALL = slice(None)


def fresh(a: Array) -> Array:
    """A new array object over the same memory."""
    return a.view()


# ---- shapes -------------------------------------------------------------------------------------------------------


def _bad_shape(a: Array, size: Sequence[int]) -> NoReturn:
    shape = list(size)
    for n in shape:
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {shape.index(n)} of shape {shape}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape and prod(n for n in shape if n != -1) == 0 and a.size == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {shape} because the unspecified dimension size -1 can be "
            "any value and is ambiguous"
        )
    raise RuntimeError(f"shape '{shape}' is invalid for input of size {a.size}")


def infer_size(a: Array, size: Sequence[int]) -> tuple[int, ...]:
    """`size` with its -1 replaced. Raises RuntimeError where `a`'s elements do not fill that shape."""
    if -1 in size and min(size) == -1:
        known = -prod(size)
        if known > 0 and a.size % known == 0 and list(size).count(-1) == 1:
            return tuple([a.size // known if n == -1 else n for n in size])
    elif min(size, default=0) >= 0 and prod(size) == a.size:
        return tuple(size)
    _bad_shape(a, size)


@kernel("aten::view", "aten::_unsafe_view")
def view(a: Array, size: Sequence[int]) -> Array:
    """The same elements under another shape. Raises RuntimeError where the strides cannot express it."""
    if a.flags.c_contiguous:
        try:
            out = a.reshape(size)
        except ValueError:
            _bad_shape(a, size)
        if min(size, default=0) < -1:
            _bad_shape(a, size)
        return out
    shape = infer_size(a, size)
    steps = view_strides(a, shape)
    if steps is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return strided(a, shape, steps)


@kernel("aten::reshape")
def reshape(a: Array, shape: Sequence[int]) -> Array:
    """The same elements under another shape: a view if the strides allow it, a copy otherwise."""
    if a.flags.c_contiguous:
        return view(a, shape)
    size = infer_size(a, shape)
    steps = view_strides(a, size)
    return a.reshape(size) if steps is None else strided(a, size, steps)


@kernel("aten::view_as")
def view_as(a: Array, other: Array) -> Array:
    """`view` to the other array's shape."""
    return view(a, other.shape)


@kernel("aten::reshape_as")
def reshape_as(a: Array, other: Array) -> Array:
    """`reshape` to the other array's shape."""
    return reshape(a, other.shape)


@kernel("aten::flatten.using_ints")
def flatten(a: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    """Dimensions `start_dim` to `end_dim` as one. The argument itself where there is nothing to do."""
    start, end = wrap(start_dim, a.ndim), wrap(end_dim, a.ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not a.ndim:
        return reshape(a, (1,))
    if start == end:
        return a
    return reshape(a, a.shape[:start] + (prod(a.shape[start : end + 1]),) + a.shape[end + 1 :])


@kernel("aten::ravel")
def ravel(a: Array) -> Array:
    """All elements in one dimension."""
    return (a if a.flags.c_contiguous else a.copy()).reshape(-1)


@kernel("aten::unflatten.int")
def unflatten(a: Array, dim: int, sizes: Sequence[int]) -> Array:
    """One dimension split into several."""
    dim = wrap(dim, a.ndim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not a.ndim:
        raise RuntimeError("unflatten: a 0-dimensional tensor has no dimension to split")
    shape = list(sizes)
    n = a.shape[dim]
    if shape.count(-1) == 1:
        known = -prod(shape)
        if known > 0 and n % known == 0:
            shape[shape.index(-1)] = n // known
    if prod(shape) != n or min(shape) < 0:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({n}) in the input "
            "tensor"
        )
    return view(a, a.shape[:dim] + tuple(shape) + a.shape[dim + 1 :])


@kernel("aten::squeeze")
def squeeze(a: Array) -> Array:
    """Without the dimensions of size 1."""
    return a.squeeze()


@kernel("aten::squeeze.dim")
def squeeze_dim(a: Array, dim: int) -> Array:
    """Without a dimension, if its size is 1."""
    dim = wrap(dim, a.ndim)
    return a.squeeze(dim) if a.ndim and a.shape[dim] == 1 else a.view()


@kernel("aten::squeeze.dims")
def squeeze_dims(a: Array, dim: Sequence[int]) -> Array:
    """Without those of the dimensions whose size is 1."""
    dims = wrap_all(dim, a.ndim)
    return a.squeeze(tuple([d for d in dims if a.shape[d] == 1])) if a.ndim else a.view()


@kernel("aten::unsqueeze")
def unsqueeze(a: Array, dim: int) -> Array:
    """With a new dimension of size 1 before `dim`."""
    n = a.ndim
    dim = wrap(dim, n + 1)
    if a.flags.c_contiguous:
        return a.reshape(a.shape[:dim] + (1,) + a.shape[dim:])
    step = a.shape[dim] * a.strides[dim] if dim < n else a.itemsize
    return strided(a, a.shape[:dim] + (1,) + a.shape[dim:], a.strides[:dim] + (step,) + a.strides[dim:])


@kernel("aten::_ncf_unsqueeze")
def ncf_unsqueeze(a: Array, ndim: int) -> Array:
    """(N, C) as (N, C, 1, ...) of `ndim` dimensions."""
    return view(a, a.shape + (1,) * (ndim - a.ndim))


@kernel("aten::_ncf_view")
def ncf_view(a: Array, input_shape: Sequence[int], normalized_ndim: int) -> Array:
    """View as the batch part of `input_shape` followed by ones."""
    keep = len(input_shape) - normalized_ndim
    return view(a, list(input_shape[:keep]) + [1] * normalized_ndim)


@kernel("aten::expand")
def expand(a: Array, size: Sequence[int], implicit: bool = False) -> Array:
    """Dimensions of size 1 repeated without copying (stride 0); -1 keeps a size."""
    new = len(size) - a.ndim
    if new < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(size)}) must be greater or equal to the number of "
            "dimensions in "
            f"the tensor ({a.ndim})"
        )
    shape, steps = list(size), [0] * len(size)
    old_shape, old_steps = a.shape, a.strides
    step_above = a.itemsize
    for i in range(len(shape) - 1, -1, -1):
        n = shape[i]
        if i >= new:
            have, step = old_shape[i - new], old_steps[i - new]
            if n == -1:
                n = shape[i] = have
            if n != have:
                if have != 1:
                    raise RuntimeError(
                        f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton "
                        f"dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(old_shape)}"
                    )
                step = 0
        else:
            if n == -1:
                raise RuntimeError(
                    "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension " + str(i)
                )
            step = step_above if n == 1 else 0
        if n < 0:
            raise RuntimeError(f"expand: the requested shape has too few dimensions or a negative size: {list(size)}")
        steps[i] = step
        step_above = n * step
    return strided(a, shape, steps)


@kernel("aten::expand_as")
def expand_as(a: Array, other: Array) -> Array:
    """`expand` to the other array's shape."""
    return expand(a, other.shape)


@kernel("aten::broadcast_to")
def broadcast_to(a: Array, size: Sequence[int]) -> Array:
    """`expand`."""
    return expand(a, size)


def broadcast_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which several shapes broadcast. Raises RuntimeError where they do not fit."""
    out: list[int] = []
    for shape in shapes:
        if len(shape) > len(out):
            out = [1] * (len(shape) - len(out)) + out
        shift = len(out) - len(shape)
        for i in range(len(shape) - 1, -1, -1):
            n, have = shape[i], out[i + shift]
            if n != have and n != 1:
                if have != 1:
                    raise RuntimeError(
                        f"The size of tensor a ({have}) must match the size of tensor b ({n}) at non-singleton "
                        "dimension "
                        f"{i + shift}"
                    )
                out[i + shift] = n
    return tuple(out)


@kernel("aten::broadcast_tensors")
def broadcast_tensors(tensors: Sequence[Array]) -> list[Array]:
    """Every array expanded to the common shape."""
    shape = broadcast_shape(*[t.shape for t in tensors])
    return [expand(t, shape) for t in tensors]


@kernel("aten::meshgrid.indexing")
def meshgrid(tensors: Sequence[Array], indexing: str = "ij") -> list[Array]:
    """Coordinate grids of 1-d arrays, as expanded views."""
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(t.shape)}")
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(tensors) >= 2
    axes = [tensors[1], tensors[0], *tensors[2:]] if swap else list(tensors)
    shape = [t.size for t in axes]
    grids = [expand(t.reshape([-1] + [1] * (len(axes) - 1 - i)), shape) for i, t in enumerate(axes)]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return grids


kernel("aten::meshgrid")(lambda tensors: meshgrid(tensors))


def _atleast(n: int, name: str) -> None:
    def one(a: Array) -> Array:
        if a.ndim >= n:
            return a
        if a.ndim == 0:
            return view(a, (1,) * n)
        if n == 3 and a.ndim == 2:
            return unsqueeze(a, 2)
        out = unsqueeze(a, 0)
        return unsqueeze(out, 2) if n == 3 else out

    kernel(f"aten::{name}")(one)
    kernel(f"aten::{name}.Sequence")(lambda tensors: [one(t) for t in tensors])


for _n in (1, 2, 3):
    _atleast(_n, f"atleast_{_n}d")


@kernel("aten::alias", "aten::detach", "aten::data", "aten::lift_fresh", "prim::data")
def alias(a: Array) -> Array:
    """A new tensor over the same memory."""
    return a.view()


# ---- permutations -------------------------------------------------------------------------------------------------


@kernel(
    "aten::transpose.int", "aten::transpose_", "aten::swapaxes", "aten::swapaxes_", "aten::swapdims", "aten::swapdims_"
)
def transpose(a: Array, dim0: int, dim1: int) -> Array:
    """Two dimensions swapped."""
    try:
        return a.swapaxes(dim0, dim1)
    except ValueError:
        wrap(dim0, a.ndim)
        wrap(dim1, a.ndim)
        return a.view()


@kernel("aten::permute")
def permute(a: Array, dims: Sequence[int]) -> Array:
    """Dimensions in another order."""
    try:
        return a.transpose(dims) if dims else _permute_scalar(a)
    except ValueError:
        if len(dims) != a.ndim:
            raise RuntimeError(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                "desired "
                f"ordering of dimensions i.e. input.dim() = {a.ndim} is not equal to len(dims) = {len(dims)}"
            ) from None
        for d in dims:
            wrap(d, a.ndim)
        raise RuntimeError("permute(): duplicate dims are not allowed.") from None


def _permute_scalar(a: Array) -> Array:
    if a.ndim:
        raise ValueError
    return a.view()


@kernel("aten::t", "aten::t_")
def t(a: Array) -> Array:
    """The transpose of a matrix; fewer dimensions stay as they are."""
    if a.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {a.ndim}D")
    return a.transpose()


@kernel("aten::numpy_T", "aten::numpy_T.a")
def numpy_t(a: Array) -> Array:
    """All dimensions reversed."""
    return a.transpose()


@kernel("aten::mT", "aten::mT.a")
def matrix_t(a: Array) -> Array:
    """The last two dimensions swapped."""
    if a.ndim < 2:
        if not a.ndim:
            return a.view()
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {a.ndim}-D tensor.")
    return a.swapaxes(-2, -1)


@kernel("aten::conj")
def conj(a: Array) -> Array:
    """The complex conjugate; the argument itself where it is real."""
    return np.asarray(np.conjugate(a)) if a.dtype.kind == "c" else a


@kernel("aten::mH", "aten::mH.a")
def matrix_h(a: Array) -> Array:
    """The conjugate transpose of matrices."""
    if a.ndim < 2:
        if not a.ndim:
            return conj(a.view())
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {a.ndim}-D tensor.")
    return conj(a.swapaxes(-2, -1))


@kernel("aten::adjoint")
def adjoint(a: Array) -> Array:
    """The conjugate transpose of matrices."""
    if a.ndim < 2:
        if not a.ndim:
            return conj(a.view())
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {a.ndim}-D tensor."
        )
    return conj(a.swapaxes(-2, -1))


@kernel("aten::matrix_H", "aten::matrix_H.a")
def one_matrix_h(a: Array) -> Array:
    """The conjugate transpose of one matrix; a 0-dimensional array is conjugated."""
    if a.ndim not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {a.ndim}-D tensor.")
    return conj(a.transpose())


@kernel("aten::movedim.intlist", "aten::moveaxis.intlist")
def movedim(a: Array, source: Sequence[int], destination: Sequence[int]) -> Array:
    """Dimensions `source` moved to the positions `destination`, the others filling up in order."""
    if len(source) != len(destination):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({list(source)} dims) should contain the same number of dims as destination ({list(destination)} dims)"
        )
    source = [wrap(d, a.ndim) for d in source]
    destination = [wrap(d, a.ndim) for d in destination]
    if len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise RuntimeError("movedim: repeated dim in `source` or `destination`")
    if not a.ndim:
        return a.view()
    order: list[int] = [-1] * a.ndim
    for s, d in zip(source, destination):
        order[d] = s
    rest = iter([d for d in range(a.ndim) if d not in source])
    return a.transpose([next(rest) if d == -1 else d for d in order])


@kernel("aten::movedim.int", "aten::moveaxis.int")
def movedim_int(a: Array, source: int, destination: int) -> Array:
    """One dimension moved."""
    return movedim(a, [source], [destination])


# ---- parts --------------------------------------------------------------------------------------------------------


@kernel("aten::select.int")
def select(a: Array, dim: int, index: int) -> Array:
    """One slice, without its dimension."""
    n = a.ndim
    if not 0 <= dim < n:
        if not n:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        dim = wrap(dim, n)
    try:
        return a[index, ...] if dim == 0 else a[(_ALL,) * dim + (index, ...)]
    except IndexError:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(a.shape)} at dimension {dim}"
        ) from None


@kernel("aten::slice.Tensor")
def slice_(a: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    """A range of one dimension; ends are clamped to the size."""
    n = a.ndim
    if not 0 <= dim < n:
        if not n:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        dim = wrap(dim, n)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    part = slice(start, end, step)
    return a[part] if dim == 0 else a[(_ALL,) * dim + (part,)]


@kernel("aten::narrow")
def narrow(a: Array, dim: int, start: int, length: int) -> Array:
    """`length` entries of one dimension from `start` on."""
    if not a.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap(dim, a.ndim)
    n = a.shape[dim]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    out: Array = a[on(dim, slice(start, start + length))]
    return out


@kernel("aten::narrow.Tensor")
def narrow_tensor(a: Array, dim: int, start: Array, length: int) -> Array:
    """`narrow` with a 0-dimensional integer array for `start`."""
    if start.ndim or start.dtype.kind not in "iu":
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    return narrow(a, dim, int(start), length)


@kernel("aten::diagonal")
def diagonal(a: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A diagonal over two dimensions, as the last dimension."""
    dim1, dim2 = wrap(dim1, a.ndim), wrap(dim2, a.ndim)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    rows, cols = a.shape[dim1], a.shape[dim2]
    n = max(min(rows, cols - offset) if offset >= 0 else min(rows + offset, cols), 0)
    skip = (offset * a.strides[dim2] if offset >= 0 else -offset * a.strides[dim1]) if n else 0
    kept = [d for d in range(a.ndim) if d != dim1 and d != dim2]
    shape = [a.shape[d] for d in kept] + [n]
    steps = [a.strides[d] for d in kept] + [a.strides[dim1] + a.strides[dim2]]
    return strided(a, shape, steps, skip)


@kernel("aten::unfold")
def unfold(a: Array, dimension: int, size: int, step: int) -> Array:
    """Windows of `size` along one dimension, `step` apart, as a new last dimension."""
    dim = wrap(dimension, a.ndim)
    n, stride = (a.shape[dim], a.strides[dim]) if a.ndim else (1, a.itemsize)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    shape, steps = list(a.shape) + [size], list(a.strides) + [stride]
    if a.ndim:
        shape[dim], steps[dim] = (n - size) // step + 1, stride * step
    return strided(a, shape, steps)


@kernel("aten::as_strided", "aten::as_strided_")
def as_strided(a: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Array:
    """A view of the storage with this shape, these strides and this offset, all counted in elements."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(size, default=0) < 0:
        raise RuntimeError(f"as_strided: negative sizes are not supported, got {list(size)}")
    if min(stride, default=0) < 0:
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    root = storage(a)
    item = a.itemsize
    start = _offset_of(a) if storage_offset is None else storage_offset
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    last = start + sum((n - 1) * s for n, s in zip(size, stride)) + 1
    if 0 not in size and last * item > root.nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize {item} "
            "requiring "
            f"a storage size of {last * item} are out of bounds for storage of size {root.nbytes}"
        )
    steps = [s * item for s in stride]
    if isinstance(a, np.ndarray):
        where = start * item if 0 not in size else 0
        return np.ndarray(tuple(size), a.dtype, raw_bytes(root), where, tuple(steps))
    return strided(raw_bytes(root).view(a.dtype), size, steps, start * item)


# ---- what a tensor says about itself ------------------------------------------------------------------------------


@kernel("aten::size")
def size(a: Array) -> list[int]:
    """The shape."""
    return list(a.shape)


@kernel("aten::size.int")
def size_int(a: Array, dim: int) -> int:
    """One size."""
    if not a.ndim:
        wrap(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return int(a.shape[wrap(dim, a.ndim)])


@kernel("aten::stride")
def stride(a: Array) -> list[int]:
    """The strides in elements."""
    return list(strides_of(a))


@kernel("aten::stride.int")
def stride_int(a: Array, dim: int) -> int:
    """One stride in elements."""
    if not a.ndim:
        wrap(dim, 0)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return strides_of(a)[wrap(dim, a.ndim)]


kernel("aten::storage_offset")(_offset_of)


# ---- in-place forms that re-point the tensor ---------------------------------------------------

kernel("aten::squeeze_")(squeeze)
kernel("aten::squeeze_.dim")(squeeze_dim)
kernel("aten::squeeze_.dims")(squeeze_dims)
kernel("aten::unsqueeze_")(unsqueeze)


from . import view_info, view_join, view_split, view_types  # noqa: E402, F401  (registration)
