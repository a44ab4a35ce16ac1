"""Views of the same memory as elements of another type."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.ir import dtypes

from .constructors import type_name
from .memory import Array, storage_offset, strided
from .registry import kernel


@kernel("aten::resolve_conj", "aten::resolve_neg")
def itself(a: Array) -> Array:
    """The argument: arrays hold their values as they are."""
    return a


@kernel("aten::real")
def real(a: Array) -> Array:
    """The real part as a view; the argument itself where it is real."""
    return a.real if a.dtype.kind == "c" else a


@kernel("aten::imag")
def imag(a: Array) -> Array:
    """The imaginary part as a view."""
    if a.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return a.imag


@kernel("aten::view_as_real")
def view_as_real(a: Array) -> Array:
    """A complex array as its real and imaginary parts in a new last dimension."""
    if a.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    part = a.real
    if a.flags.c_contiguous:
        return a.reshape(-1).view(part.dtype).reshape(a.shape + (2,))
    return strided(part, a.shape + (2,), a.strides + (part.itemsize,))


@kernel("aten::view_as_complex")
def view_as_complex(a: Array) -> Array:
    """A last dimension of size 2 as complex numbers."""
    if a.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            + type_name(a.dtype)
        )
    if not a.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if a.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    size = a.itemsize
    if a.strides[-1] != size:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * size) for s in a.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if storage_offset(a) % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    dtype = np.dtype(np.complex64 if size == 4 else np.complex128)
    if not a.size:
        return np.empty(a.shape[:-1], dtype)
    return a.view(dtype).squeeze(-1)


@kernel("aten::view.dtype")
def view_dtype(a: Array, dtype: int) -> Array:
    """The same bytes as elements of another type; the last dimension's size follows the element sizes."""
    to = dtypes.numpy_of(dtype)
    old, new = a.itemsize, to.itemsize
    if old == new:
        return a.view(to)
    if not a.ndim:
        raise RuntimeError(
            f"self.dim() cannot be 0 to view {_type_name(a)} as {_name_of(dtype)} (different element sizes)"
        )
    if a.strides[-1] != old and a.shape[-1] > 1:
        raise RuntimeError(
            f"self.stride(-1) must be 1 to view {_type_name(a)} as {_name_of(dtype)} (different element sizes), but "
            "got "
            f"{a.strides[-1] // old}"
        )
    if new < old:
        ratio = old // new
        return strided(a.view(to) if a.flags.c_contiguous and a.size else _retyped(a, to),
                       a.shape[:-1] + (a.shape[-1] * ratio,), a.strides[:-1] + (new,))  # fmt: skip
    ratio = new // old
    if a.shape[-1] % ratio:
        raise RuntimeError(
            f"self.size(-1) must be divisible by {ratio} to view {_type_name(a)} as {_name_of(dtype)} (different "
            "element "
            f"sizes), but got {a.shape[-1]}"
        )
    if storage_offset(a) % ratio:
        raise RuntimeError(
            f"self.storage_offset() must be divisible by {ratio} to view {_type_name(a)} as {_name_of(dtype)} "
            "(different "
            f"element sizes), but got {storage_offset(a)}"
        )
    for i, s in enumerate(a.strides[:-1]):
        if s % new and a.size:
            raise RuntimeError(
                f"self.stride({i}) must be divisible by {ratio} to view {_type_name(a)} as {_name_of(dtype)} "
                "(different "
                f"element sizes), but got {s // old}"
            )
    return a.view(to)


def _retyped(a: Array, to: np.dtype[Any]) -> Array:
    """A corner of `a`'s memory as elements of a type that is smaller: something to take strides from."""
    return a[(slice(0, 1),) * a.ndim].view(to)


def _type_name(a: Array) -> str:
    return _name_of(dtypes.code_of(a.dtype))


def _name_of(code: int) -> str:
    return type_name(dtypes.numpy_of(code))
