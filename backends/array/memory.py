"""Strided memory: storages, PyTorch's strides and memory formats, dimension numbers, over NumPy arrays.

The *storage* of an array is the array at the end of its chain of bases; a tensor's storage offset counts from that
array's first byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

CONTIGUOUS, PRESERVE, CHANNELS_LAST, CHANNELS_LAST_3D = range(4)
_LAST_ORDER = {CHANNELS_LAST: (0, 2, 3, 1), CHANNELS_LAST_3D: (0, 2, 3, 4, 1)}
_ALL = slice(None)


def wrap(dim: int, ndim: int) -> int:
    """A dimension number counted from the front. Raises IndexError when there is no such dimension."""
    n = ndim or 1
    if 0 <= dim < n:
        return dim
    if -n <= dim < 0:
        return dim + n
    raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")


def wrap_all(dims: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Distinct dimension numbers counted from the front. Raises IndexError, or RuntimeError for a repeated one."""
    out = tuple([wrap(d, ndim) for d in dims])
    if len(set(out)) != len(out):
        repeated = next(d for i, d in enumerate(out) if d in out[:i])
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return out


def on(dim: int, key: Any) -> tuple[Any, ...]:
    """An index that applies `key` to one dimension; the result of indexing with it is always an array."""
    return (_ALL,) * dim + (key, ...)


def canonical(shape: Sequence[int]) -> tuple[int, ...]:
    """Element strides of a contiguous tensor."""
    out, step = [], 1
    for n in reversed(shape):
        out.append(step)
        step *= n if n > 1 else 1
    return tuple(out[::-1])


def strides_of(a: Array) -> tuple[int, ...]:
    """Element strides as PyTorch reports them: the canonical ones where the array is contiguous."""
    if a.flags.c_contiguous:
        return canonical(a.shape)
    size = a.itemsize
    return tuple([s // size for s in a.strides])


def storage(a: Array) -> Array:
    """The array that owns (or first described) the memory of `a`."""
    base = a.base
    while base is not None:
        if isinstance(base, type(a)):
            a, base = base, base.base
        else:
            base = getattr(base, "base", None)
    return a


def address(a: Array) -> int:
    """Address of the first element."""
    return int(a.ctypes.data) if isinstance(a, np.ndarray) else int(a.data.ptr)


def storage_offset(a: Array) -> int:
    """Number of elements between the start of the storage and the first element."""
    root = storage(a)
    return 0 if root is a else (address(a) - address(root)) // a.itemsize


def raw_bytes(root: Array) -> Array:
    """A storage as a flat array of its bytes."""
    flat = root.reshape(-1) if root.flags.c_contiguous else root.ravel(order="K")
    return flat if flat.dtype == np.uint8 else flat.view(np.uint8)


def strided(a: Array, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Array:
    """A view of `a`'s memory with this shape and these strides (bytes), `offset` bytes after `a`'s first element.

    Reaches anywhere in `a`'s storage; a view that would leave it raises ValueError.
    """
    if not isinstance(a, np.ndarray):  # CuPy: an ndarray over a memory pointer
        return type(a)(tuple(shape), a.dtype, a.data + offset, tuple(strides))
    if a.flags.c_contiguous and a.size:
        source = a if a.dtype.isbuiltin == 1 else a.reshape(-1).view(np.uint8)
        try:
            return np.ndarray(tuple(shape), a.dtype, source, offset, tuple(strides))
        except ValueError:
            pass  # it leaves `a`, perhaps not the storage
    root = storage(a)
    source = raw_bytes(root)
    offset += int(a.ctypes.data) - int(root.ctypes.data)
    return np.ndarray(tuple(shape), a.dtype, source, offset if source.size else 0, tuple(strides))


def view_strides(a: Array, shape: Sequence[int]) -> list[int] | None:
    """Strides (bytes) under which `a`'s elements, in order, have another shape of that size; None: it takes a copy."""
    if not a.ndim:
        return [a.itemsize] * len(shape)
    if not a.size:
        return list(a.strides) if tuple(shape) == a.shape else [s * a.itemsize for s in canonical(shape)]
    # runs of dimensions that one stride walks through, innermost first: [elements, innermost stride]
    runs = [[a.shape[-1], a.strides[-1]]]
    for n, step in zip(a.shape[-2::-1], a.strides[-2::-1]):
        count, inner = runs[-1]
        if n == 1 or step == count * inner:
            runs[-1][0] *= n
        elif count == 1:
            runs[-1] = [n, step]
        else:
            runs.append([n, step])
    out: list[int] = []
    left = list(reversed(shape))
    for i, (count, inner) in enumerate(runs):
        taken = 1
        last = i == len(runs) - 1
        while left and (taken < count or left[0] == 1 or last):
            out.append(taken * inner)
            taken *= left.pop(0)
        if taken != count:
            return None
    return None if left else out[::-1]


def is_dense(a: Array) -> bool:
    """Whether the elements fill their memory without gaps or overlaps, in whatever order of dimensions."""
    flags = a.flags
    if flags.c_contiguous or flags.f_contiguous:
        return True
    step = a.itemsize
    for stride, n in sorted((s, n) for s, n in zip(a.strides, a.shape) if n != 1):
        if stride != step:
            return False
        step *= n
    return True


def overlaps_itself(a: Array) -> bool:
    """Whether some elements share their place in memory (an expanded array)."""
    return 0 in a.strides and a.size > 0 and any(s == 0 and n > 1 for s, n in zip(a.strides, a.shape))


def is_format(a: Array, memory_format: int) -> bool:
    """Whether the array is contiguous in a memory format."""
    if memory_format == CONTIGUOUS:
        return a.flags.c_contiguous
    order = _LAST_ORDER.get(memory_format)
    if order is None or a.ndim != len(order):
        return False
    return a.transpose(order).flags.c_contiguous


def suggested_format(a: Array) -> int:
    """The memory format that operators keep for this array: channels last where its strides say so, else contiguous."""
    if a.ndim == 4:
        return CHANNELS_LAST if _strides_say_last(a, (1, 3, 2, 0)) else CONTIGUOUS
    if a.ndim == 5:
        return CHANNELS_LAST_3D if _strides_say_last(a, (1, 4, 3, 2, 0)) else CONTIGUOUS
    return CONTIGUOUS


def _strides_say_last(a: Array, order: tuple[int, ...]) -> bool:
    least, strides = 0, a.strides
    if strides[1] == 0:
        return False
    for d in order:
        n = a.shape[d]
        if n == 0 or strides[d] < least:
            return False
        # a batch of one-pixel, one-channel images does not tell the formats apart: contiguous wins
        if d == 0 and least == strides[1]:
            return False
        least = strides[d] * n
    return True


def empty_ordered(shape: Sequence[int], order: Sequence[int], dtype: DType, like: Array | None = None) -> Array:
    """New dense memory in which the dimensions lie in this order, outermost first."""
    laid = [shape[d] for d in order]
    made = np.empty(laid, dtype) if like is None else np.empty_like(like, dtype=dtype, order="C", shape=laid)
    inverse = [0] * len(order)
    for i, d in enumerate(order):
        inverse[d] = i
    return made.transpose(inverse)


def empty_format(shape: Sequence[int], dtype: DType, memory_format: int | None = None) -> Array:
    """New memory (zeroed) in a memory format. Raises RuntimeError where the format does not fit the rank."""
    if memory_format is None or memory_format == CONTIGUOUS:
        return np.zeros(tuple(shape), dtype)
    if memory_format == PRESERVE:
        raise RuntimeError("unsupported memory format option Preserve: there is no tensor to take it from")
    out = empty_ordered(shape, format_order(memory_format, len(shape)), dtype)
    out.fill(0)
    return out


def format_order(memory_format: int, ndim: int) -> tuple[int, ...]:
    """Order of dimensions of a memory format, outermost first. Raises RuntimeError where it does not fit the rank."""
    if memory_format == CONTIGUOUS:
        return tuple(range(ndim))
    order = _LAST_ORDER[memory_format]
    if ndim != len(order):
        name = "channels_last" if memory_format == CHANNELS_LAST else "channels_last_3d"
        raise RuntimeError(f"required rank {len(order)} tensor to use {name} format")
    return order


def preserved_order(a: Array) -> tuple[int, ...]:
    """Order of dimensions, outermost first, that a new tensor "like" `a` takes: by strides, else as they stand."""
    return order_of(a.shape, a.strides)


def order_of(shape: Sequence[int], *strides: Sequence[int]) -> tuple[int, ...]:
    """Order of dimensions, outermost first, that the result of operands with these strides takes.

    Earlier operands count first; a stride of 0 decides nothing, and undecided dimensions stay as they stand.
    """

    def compare(x: int, y: int) -> int:
        for steps in strides:
            sx, sy = steps[x], steps[y]
            if sx and sy and sx != sy:
                return -1 if sx < sy else 1
            if sx and sy and shape[x] > shape[y]:
                return 1
        return 0

    order = list(range(len(shape) - 1, -1, -1))  # innermost first
    for i in range(1, len(order)):
        moving = i
        for j in range(i - 1, -1, -1):
            sign = compare(order[j], order[moving])
            if sign < 0:
                break
            if sign > 0:
                order[j], order[moving] = order[moving], order[j]
                moving = j
    return tuple(order[::-1])


def copied(a: Array, memory_format: int | None = None) -> Array:
    """A copy in a memory format; None and `PRESERVE` keep the order of dimensions of `a`."""
    if memory_format is None or memory_format == PRESERVE:
        if a.flags.c_contiguous:
            return a.copy()
        if is_dense(a):
            return a.copy(order="K")
        order = preserved_order(a)
    elif memory_format == CONTIGUOUS:
        return a.copy()
    else:
        order = format_order(memory_format, a.ndim)
    out = empty_ordered(a.shape, order, a.dtype, a)
    out[...] = a
    return out


def copied_storage(a: Array) -> Array:
    """A copy of the whole storage, and of `a` in it: gaps between elements stay. Expanded arrays become dense."""
    if overlaps_itself(a):
        return copied(a)
    root = storage(a)
    whole = raw_bytes(root).copy()
    if not isinstance(a, np.ndarray):
        return strided(whole.view(a.dtype), a.shape, a.strides, address(a) - address(root))
    return np.ndarray(a.shape, a.dtype, whole, int(a.ctypes.data) - int(root.ctypes.data), a.strides)


def row_major(x: Any) -> Array:
    """What a NumPy function returned, as an array whose elements lie in their order."""
    out = np.asarray(x) if isinstance(x, np.generic) else x
    return out if out.flags.c_contiguous else out.copy()


def placed_like(x: Array, a: Array) -> Array:
    """The values of `x` in memory laid out in the order of dimensions of `a`."""
    if a.flags.c_contiguous:
        return x
    out = empty_ordered(x.shape, preserved_order(a), x.dtype, x)
    out[...] = x
    return out


def empty_as(a: Array, dtype: DType, memory_format: int | None = None) -> Array:
    """New memory (zeroed) of `a`'s shape; None and `PRESERVE` keep the order of dimensions of `a`."""
    if memory_format is None or memory_format == PRESERVE:
        if a.flags.c_contiguous:
            return np.zeros_like(a, dtype=dtype, order="C")
        order = preserved_order(a)
    else:
        order = format_order(memory_format, a.ndim)
    out = empty_ordered(a.shape, order, dtype, a)
    out.fill(0)
    return out
