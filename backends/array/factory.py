"""New tensors: filled, copied, converted, resized; and tensors as Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device

from . import promotion as P
from .casting import checked_scalar, convert, convert_format
from .memory import (
    CONTIGUOUS,
    PRESERVE,
    Array,
    DType,
    address,
    canonical,
    copied,
    copied_storage,
    empty_as,
    empty_format,
    empty_ordered,
    is_format,
    overlaps_itself,
    raw_bytes,
    row_major,
    storage,
    storage_offset,
    strided,
    strides_of,
    suggested_format,
)
from .registry import kernel
from .view import expand

_OVERLAP = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def check_device(device: Device | None, layout: int | None = None, pin_memory: bool | None = None) -> None:
    """Raise RuntimeError unless a strided tensor can be made on the device."""
    if device is not None and device.type != "cpu":
        raise RuntimeError(f"device {str(device)!r} is not available: tensors can be made on the CPU only")
    if layout:
        raise RuntimeError("only the strided layout is supported")


def dtype_of(code: int | None) -> DType:
    """The NumPy dtype of a ScalarType code; the default floating-point type for None."""
    return P.default_dtype() if code is None else dtypes.numpy_of(code)


def _check_size(size: Sequence[int]) -> None:
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")


# ---- filled -------------------------------------------------------------------------------------------------------


@kernel("aten::zeros")
def zeros(
    size: Sequence[int], dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A tensor of zeros."""
    check_device(device, layout)
    _check_size(size)
    return np.zeros(tuple(size), dtype_of(dtype))


@kernel("aten::ones")
def ones(
    size: Sequence[int], dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A tensor of ones."""
    check_device(device, layout)
    _check_size(size)
    return np.ones(tuple(size), dtype_of(dtype))


@kernel("aten::empty.memory_format")
def empty(
    size: Sequence[int], dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """A tensor of unspecified values: zeros."""
    check_device(device, layout)
    _check_size(size)
    return empty_format(size, dtype_of(dtype), memory_format)


@kernel("aten::empty_permuted")
def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A tensor of zeros whose dimensions lie in memory in the given order, outermost first."""
    check_device(device, layout)
    _check_size(size)
    if len(physical_layout) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(f"physical_layout is not a permutation of the dimensions: {list(physical_layout)}")
    out = empty_ordered(size, physical_layout, dtype_of(dtype))
    out.fill(0)
    return out


def _empty_strided(size: Sequence[int], stride: Sequence[int], dtype: DType) -> Array:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    _check_size(size)
    count = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if 0 not in size else 0
    base = np.zeros(count, dtype)
    return strided(base, size, [s * dtype.itemsize for s in stride])


@kernel("aten::empty_strided")
def empty_strided(
    size: Sequence[int], stride: Sequence[int], dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A tensor of zeros with these strides."""
    check_device(device, layout)
    return _empty_strided(size, stride, dtype_of(dtype))


def _fill_dtype(value: Any, dtype: int | None) -> DType:
    return dtypes.numpy_of(P.scalar_code(value) if dtype is None else dtype)


@kernel("aten::full")
def full(
    size: Sequence[int], fill_value: Any, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A tensor of one value, whose type is that of the value unless given."""
    check_device(device, layout)
    _check_size(size)
    to = _fill_dtype(fill_value, dtype)
    out = np.empty(tuple(size), to)
    out[...] = checked_scalar(fill_value, to)
    return out


def _like(a: Array, dtype: int | None, layout: int | None, device: Device | None, memory_format: int | None) -> Array:
    check_device(device, layout)
    return empty_as(a, a.dtype if dtype is None else dtypes.numpy_of(dtype), memory_format)


@kernel("aten::zeros_like", "aten::empty_like")
def zeros_like(
    a: Array, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """Zeros in the shape of `a`."""
    return _like(a, dtype, layout, device, memory_format)


@kernel("aten::ones_like")
def ones_like(
    a: Array, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """Ones in the shape of `a`."""
    out = _like(a, dtype, layout, device, memory_format)
    out[...] = 1
    return out


@kernel("aten::full_like")
def full_like(
    a: Array, fill_value: Any, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """One value in the shape of `a`."""
    out = _like(a, dtype, layout, device, memory_format)
    out[...] = checked_scalar(fill_value, out.dtype)
    return out


@kernel("aten::new_zeros", "aten::new_empty")
def new_zeros(
    a: Array, size: Sequence[int], dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Zeros of `a`'s type in another shape."""
    return zeros(size, dtypes.code_of(a.dtype) if dtype is None else dtype, layout, device)


@kernel("aten::new_ones")
def new_ones(
    a: Array, size: Sequence[int], dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Ones of `a`'s type in another shape."""
    return ones(size, dtypes.code_of(a.dtype) if dtype is None else dtype, layout, device)


@kernel("aten::new_full")
def new_full(
    a: Array, size: Sequence[int], fill_value: Any, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """One value of `a`'s type in another shape."""
    return full(size, fill_value, dtypes.code_of(a.dtype) if dtype is None else dtype, layout, device)


@kernel("aten::new_empty_strided")
def new_empty_strided(
    a: Array, size: Sequence[int], stride: Sequence[int], dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Zeros of `a`'s type in another shape with these strides."""
    check_device(device, layout)
    return _empty_strided(size, stride, a.dtype if dtype is None else dtypes.numpy_of(dtype))


@kernel("aten::eye.m")
def eye_m(
    n: int, m: int, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Ones on the diagonal of an n x m matrix."""
    check_device(device, layout)
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return np.eye(n, m, dtype=dtype_of(dtype))


@kernel("aten::eye")
def eye(
    n: int, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """The identity matrix."""
    return eye_m(n, n, dtype, layout, device)


# ---- fill and copy in place ---------------------------------------------------------------------------------------


def _writable(a: Array) -> None:
    if overlaps_itself(a):
        raise RuntimeError(_OVERLAP)


@kernel("aten::fill_.Scalar")
def fill_(a: Array, value: Any) -> Array:
    """Set every element."""
    a[...] = checked_scalar(value, a.dtype)
    return a


@kernel("aten::fill_.Tensor")
def fill_tensor_(a: Array, value: Array) -> Array:
    """Set every element to that of a 0-dimensional array."""
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    _writable(a)
    a[...] = convert(value, a.dtype)
    return a


@kernel("aten::fill.Scalar")
def fill(a: Array, value: Any) -> Array:
    """One value in the shape of `a`."""
    out = empty_as(a, a.dtype)
    out[...] = checked_scalar(value, a.dtype)
    return out


@kernel("aten::fill.Tensor")
def fill_tensor(a: Array, value: Array) -> Array:
    """The value of a 0-dimensional array in the shape of `a`."""
    return fill_tensor_(empty_as(a, a.dtype), value)


@kernel("aten::zero_", "aten::_no_grad_zero_")
def zero_(a: Array) -> Array:
    """Set every element to zero."""
    a.fill(0)
    return a


@kernel("aten::zero")
def zero(a: Array) -> Array:
    """Zeros in the shape of `a`."""
    return empty_as(a, a.dtype)


@kernel("aten::_no_grad_fill_")
def no_grad_fill_(a: Array, val: float) -> Array:
    """Set every element."""
    return fill_(a, val)


@kernel("aten::copy_")
def copy_(a: Array, src: Array, non_blocking: bool = False) -> Array:
    """Overwrite with the elements of `src`, broadcast and converted."""
    if src is a:
        return a
    _writable(a)
    if src.shape != a.shape:
        src = expand(src, a.shape)
    a[...] = src if src.dtype == a.dtype else convert(src, a.dtype)
    return a


@kernel("aten::copy_.Tensor")
def copy_tensor_(a: Array, other: Array) -> Array:
    """`copy_`."""
    return copy_(a, other)


@kernel("aten::copy_.int", "aten::copy_.float")
def copy_number_(a: Array, other: float) -> Array:
    """Set every element to a number."""
    _writable(a)
    a[...] = P.cast_scalar(other, a.dtype)
    return a


@kernel("aten::copy")
def copy(a: Array, src: Array, non_blocking: bool = False) -> Array:
    """The elements of `src` in the shape and type of `a`."""
    return copy_(copied_storage(a), src)


# ---- copies and conversions ---------------------------------------------------------------------------------------


@kernel("aten::clone")
def clone(a: Array, memory_format: int | None = None) -> Array:
    """A copy; the order of dimensions in memory is kept unless a format is given."""
    return copied(a, memory_format)


@kernel("aten::contiguous")
def contiguous(a: Array, memory_format: int = CONTIGUOUS) -> Array:
    """The argument itself if it is contiguous in the format, else a copy that is."""
    if memory_format == CONTIGUOUS:
        return a if a.flags.c_contiguous else a.copy()
    if memory_format == PRESERVE:
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return a if is_format(a, memory_format) else copied(a, memory_format)


def to(a: Array, dtype: DType, copy: bool = False, memory_format: int | None = None) -> Array:
    """The argument itself if type and format are right and no copy is wanted, else a new array."""
    if a.dtype == dtype:
        if not copy and (memory_format is None or memory_format == PRESERVE or suggested_format(a) == memory_format):
            return a
        return copied(a, memory_format)
    if memory_format is None and a.flags.c_contiguous:
        return convert(a, dtype)
    return convert_format(a, dtype, memory_format)


@kernel("aten::to.dtype")
def to_dtype(
    a: Array, dtype: int, non_blocking: bool = False, copy: bool = False, memory_format: int | None = None
) -> Array:
    """Conversion to a type."""
    return to(a, dtypes.numpy_of(dtype), copy, memory_format)


@kernel("aten::to.device")
def to_device(
    a: Array, device: Device, dtype: int, non_blocking: bool = False, copy: bool = False,
    memory_format: int | None = None,
) -> Array:  # fmt: skip
    """Conversion to a device and a type."""
    check_device(device)
    return to(a, dtypes.numpy_of(dtype), copy, memory_format)


@kernel("aten::to.other")
def to_other(
    a: Array, other: Array, non_blocking: bool = False, copy: bool = False, memory_format: int | None = None
) -> Array:
    """Conversion to the other tensor's type."""
    return to(a, other.dtype, copy, memory_format)


@kernel("aten::to.dtype_layout")
def to_dtype_layout(
    a: Array, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None, non_blocking: bool = False, copy: bool = False, memory_format: int | None = None,
) -> Array:  # fmt: skip
    """Conversion to whatever is given."""
    check_device(device, layout)
    return to(a, a.dtype if dtype is None else dtypes.numpy_of(dtype), copy, memory_format)


@kernel("aten::to.prim_Device")
def to_prim_device(
    a: Array, device: Device | None, dtype: int | None = None, non_blocking: bool = False, copy: bool = False
) -> Array:
    """Conversion to whatever is given."""
    check_device(device)
    return to(a, a.dtype if dtype is None else dtypes.numpy_of(dtype), copy)


@kernel("aten::to.prim_dtype")
def to_prim_dtype(a: Array, dtype: int | None = None, non_blocking: bool = False, copy: bool = False) -> Array:
    """Conversion to a type, if one is given."""
    return to(a, a.dtype if dtype is None else dtypes.numpy_of(dtype), copy)


@kernel("aten::to.prim_other")
def to_prim_other(a: Array, non_blocking: bool = False, copy: bool = False) -> Array:
    """The argument, or a copy of it."""
    return copied(a) if copy else a


@kernel("aten::type_as")
def type_as(a: Array, other: Array) -> Array:
    """Conversion to the other tensor's type."""
    return to(a, other.dtype)


@kernel("aten::to_dense", "aten::_to_dense")
def to_dense(a: Array, dtype: int | None = None, masked_grad: bool | None = None) -> Array:
    """The tensor, which is dense already, in the type if one is given."""
    return to(a, a.dtype if dtype is None else dtypes.numpy_of(dtype))


@kernel("aten::cpu")
def cpu(a: Array) -> Array:
    """The argument: it is on the CPU."""
    return a


@kernel("aten::cuda")
def cuda(a: Array) -> Array:
    """Raises RuntimeError: there is no GPU here."""
    check_device(Device("cuda"))
    return a


@kernel("aten::pin_memory")
def pin_memory(a: Array, device: Device | None = None) -> Array:
    """Raises RuntimeError: only a GPU's driver pins memory."""
    raise RuntimeError("Need to provide pin_memory allocator to use pin memory.")


@kernel("aten::chalf")
def chalf(a: Array, memory_format: int | None = None) -> Array:
    """Raises RuntimeError: there is no half-precision complex type."""
    raise RuntimeError("complex32 is not supported")


def _cast_to(name: str, code: int) -> None:
    def run(a: Array, non_blocking: bool = False) -> Array:
        return to(a, dtypes.numpy_of(code))

    kernel(f"aten::_cast_{name}")(run)


for _name, _code in {"Byte": 0, "Char": 1, "Short": 2, "Int": 3, "Long": 4, "Half": 5, "Float": 6, "Double": 7}.items():
    _cast_to(_name, _code)


@kernel("aten::lift")
def lift(a: Array) -> Array:
    """The argument."""
    return a


@kernel("aten::complex")
def complex_(real: Array, imag: Array) -> Array:
    """Complex numbers of their parts."""
    out = _complex_pair("complex", "real", real, imag)
    out.real, out.imag = real, imag
    return out


@kernel("aten::polar")
def polar(abs: Array, angle: Array) -> Array:
    """Complex numbers of their absolute values and angles."""
    out = _complex_pair("polar", "abs", abs, angle)
    out.real = abs * np.cos(angle)
    out.imag = abs * np.sin(angle)
    return out


def _complex_pair(name: str, first: str, a: Array, b: Array) -> Array:
    from .constructors import type_name

    if a.dtype not in (np.float32, np.float64) or b.dtype not in (np.float32, np.float64):
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {type_name(a.dtype)} and "
            f"{type_name(b.dtype)}"
        )
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {type_name(a.dtype)} but got scalar type {type_name(b.dtype)} for "
            "second argument"
        )
    dtype = np.dtype(np.complex64 if a.dtype == np.float32 else np.complex128)
    return np.empty(np.broadcast_shapes(a.shape, b.shape), dtype)


@kernel(
    "aten::polar.int",
    "aten::polar.float",
    "aten::polar.int_float",
    "aten::polar.float_int",
    "aten::polar.Scalar_Scalar",
)
def polar_number(a: float, b: float) -> complex:
    """A complex number of its absolute value and angle."""
    import cmath

    return cmath.rect(a, b)


# ---- numbers and lists as tensors, tensors as numbers and lists ----------------------------------------------------


@kernel("aten::item")
def item(a: Array) -> Any:
    """The only element as a Python number."""
    if a.size != 1:
        raise RuntimeError(f"a Tensor with {a.size} elements cannot be converted to Scalar")
    value = a.item()
    return float(value) if P.is_low(a.dtype) else value


@kernel("prim::NumToTensor.Scalar", "prim::NumToTensor.bool")
def number_to_tensor(value: Any) -> Array:
    """A number as a 0-dimensional array of the widest type of its kind."""
    return np.array(value, np.int64) if type(value) is int else np.array(value)


@kernel("aten::scalar_tensor")
def scalar_tensor(
    s: Any, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """A number as a 0-dimensional array, of the default floating-point type unless another is given."""
    check_device(device, layout)
    return checked_scalar(s, dtype_of(dtype))


@kernel("aten::tensor.bool", "aten::tensor.int", "aten::tensor.float", "aten::tensor.complex")
def tensor_number(t: Any, dtype: int | None = None, device: Device | None = None, requires_grad: bool = False) -> Array:
    """A number as a 0-dimensional array of its own type unless another is given."""
    check_device(device)
    return P.cast_scalar(t, _fill_dtype(t, dtype))


@kernel("aten::as_tensor.bool", "aten::as_tensor.int", "aten::as_tensor.float", "aten::as_tensor.complex")
def as_tensor_number(t: Any, dtype: int | None = None, device: Device | None = None) -> Array:
    """A number as a 0-dimensional array of its own type unless another is given."""
    return tensor_number(t, dtype, device)


def _measure(data: Any, depth: int, shape: list[int], leaves: list[Any]) -> None:
    if isinstance(data, (list, tuple)):
        if depth == len(shape):
            if leaves:
                raise ValueError("too many dimensions: a list stands beside numbers")
            shape.append(len(data))
        elif len(data) != shape[depth]:
            raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
        for x in data:
            _measure(x, depth + 1, shape, leaves)
    else:
        if depth != len(shape):
            raise ValueError(f"expected a sequence at dim {depth}, got {type(data).__name__}")
        leaves.append(data)


@kernel("aten::tensor")
def tensor(data: Any, dtype: int | None = None, device: Device | None = None, requires_grad: bool = False) -> Array:
    """A nested list of numbers (or of one-element tensors) as an array; the type follows the widest element."""
    check_device(device)
    if isinstance(data, np.ndarray):
        return convert(data, data.dtype if dtype is None else dtypes.numpy_of(dtype))
    shape: list[int] = []
    leaves: list[Any] = []
    _measure(data, 0, shape, leaves)
    codes = {dtypes.code_of(x.dtype) if isinstance(x, np.ndarray) else P.scalar_code(x) for x in leaves}
    values = [item(x) if isinstance(x, np.ndarray) else x for x in leaves]
    code = dtype
    if code is None:
        code = P.default_code() if not codes else codes.pop()
        for other in codes:
            code = dtypes.promote_codes(code, other)
    out = dtypes.numpy_of(code)
    if out.kind in "iu" or P.is_low(out):
        flat = np.array([P.cast_scalar(v, out) for v in values], out)
    else:
        flat = np.array([v.real if out.kind == "f" and isinstance(v, complex) else v for v in values], out)
    return flat.reshape(shape)


@kernel("aten::as_tensor.list")
def as_tensor_list(data: Any, dtype: int | None = None, device: Device | None = None) -> Array:
    """A nested list as an array."""
    return tensor(data, dtype, device)


@kernel("aten::as_tensor")
def as_tensor(data: Array, dtype: int | None = None, device: Device | None = None) -> Array:
    """The argument itself, converted if its type is not the one asked for."""
    check_device(device)
    return to(data, data.dtype if dtype is None else dtypes.numpy_of(dtype))


@kernel("aten::_list_to_tensor")
def list_to_tensor(values: Sequence[int]) -> Array:
    """Integers as a 1-dimensional int64 array."""
    return np.array(values, np.int64)


@kernel("aten::_tensor_to_list")
def tensor_to_list(a: Array) -> list[int]:
    """A 1-dimensional integer array as a list."""
    return [int(x) for x in a.reshape(-1).tolist()]


@kernel("aten::_shape_as_tensor")
def shape_as_tensor(a: Array) -> Array:
    """The shape as a 1-dimensional int64 array."""
    return np.array(a.shape, np.int64)


@kernel("prim::tolist")
def tolist(a: Array, *expected: Any) -> Any:
    """The elements as nested lists of Python numbers (a number for a 0-dimensional array)."""
    return (a.astype(np.float32) if P.is_low(a.dtype) else a).tolist()


@kernel("aten::hash_tensor")
def hash_tensor(a: Array, dim: Sequence[int] = (), keepdim: bool = False, mode: int = 0) -> Array:
    """The exclusive or of all elements' bits, as uint64: floats count as float64, integers as int64."""
    from .reduction import axes_of, not_empty

    if mode:
        raise RuntimeError(f"hash_tensor: unknown mode {mode}")
    if a.dtype.kind == "c":
        from .constructors import unsupported

        unsupported("hash_tensor", a.dtype)
    axes = axes_of(dim, a.ndim)
    not_empty(a, axes, "hash_tensor", dim)
    if P.is_inexact(a.dtype):
        bits = convert(a, np.dtype(np.float64)).view(np.uint64)
    else:
        bits = a.astype(np.uint64)
    exclusive_or: Any = np.bitwise_xor
    return row_major(exclusive_or.reduce(bits, axis=axes, keepdims=keepdim))


# ---- blocks -------------------------------------------------------------------------------------------------------


@kernel("aten::block_diag")
def block_diag(tensors: Sequence[Array]) -> Array:
    """Matrices along the diagonal of one, zeros elsewhere."""
    if not tensors:
        return np.zeros((1, 0), P.default_dtype())
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.ndim} dimensions"
            )
    blocks = [t.reshape(1, -1) if t.ndim < 2 else t for t in tensors]
    out = np.zeros((sum(b.shape[0] for b in blocks), sum(b.shape[1] for b in blocks)), P.result_type(*tensors))
    row = col = 0
    for b in blocks:
        out[row : row + b.shape[0], col : col + b.shape[1]] = b
        row, col = row + b.shape[0], col + b.shape[1]
    return out


# ---- other storage ------------------------------------------------------------------------------------------------


@kernel("aten::resize_")
def resize_(a: Array, size: Sequence[int], memory_format: int | None = None) -> Array:
    """Another shape on the same storage, which is replaced by a longer one where it is too short."""
    _check_size(size)
    if memory_format is None or memory_format == CONTIGUOUS:
        if tuple(size) == a.shape:
            return a
        stride = canonical(size)
    else:
        stride = strides_of(empty_format(size, a.dtype, memory_format))
    root, at = storage(a), storage_offset(a)
    needed = at + (1 + sum((n - 1) * s for n, s in zip(size, stride)) if 0 not in size else 0)
    if needed * a.itemsize > root.nbytes:
        grown = np.zeros(needed, a.dtype)
        grown.view(np.uint8)[: root.nbytes] = raw_bytes(root)
        return strided(grown, size, [s * a.itemsize for s in stride], at * a.itemsize)
    return strided(a, size, [s * a.itemsize for s in stride])


@kernel("aten::resize")
def resize(a: Array, size: Sequence[int], memory_format: int | None = None) -> Array:
    """A copy in another shape, longer or shorter."""
    return resize_(copied(a), size, memory_format)


@kernel("aten::resize_as_")
def resize_as_(a: Array, the_template: Array, memory_format: int | None = None) -> Array:
    """`resize_` to the other tensor's shape."""
    return resize_(a, the_template.shape, memory_format)


@kernel("aten::resize_as")
def resize_as(a: Array, the_template: Array, memory_format: int | None = None) -> Array:
    """A copy in the other tensor's shape."""
    return resize_(copied(a), the_template.shape, memory_format)


def _from_storage(a: Array, source: Array, offset: int, size: Sequence[int], stride: Sequence[int]) -> Array:
    steps = stride if len(stride) == len(size) else canonical(size)
    flat = raw_bytes(storage(source))
    needed = offset + (1 + sum((n - 1) * s for n, s in zip(size, steps)) if 0 not in size else 0)
    if needed * a.itemsize > flat.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(steps)}, storage offset {offset}, and itemsize "
            f"{a.itemsize} "
            f"requiring a storage size of {needed * a.itemsize} are out of bounds for storage of size {flat.size}"
        )
    whole = flat[: flat.size // a.itemsize * a.itemsize].view(a.dtype)
    return strided(whole, size, [s * a.itemsize for s in steps], offset * a.itemsize)


@kernel("aten::set_.source_Tensor_storage_offset", "aten::set_.source_Storage_storage_offset",
        "aten::set.source_Storage_storage_offset")  # fmt: skip
def set_parts(a: Array, source: Array, storage_offset: int, size: Sequence[int], stride: Sequence[int] = ()) -> Array:
    """A tensor of `a`'s type on the source's storage."""
    return _from_storage(a, source, storage_offset, size, stride)


@kernel("aten::set_.source_Tensor", "aten::set.source_Tensor")
def set_tensor(a: Array, source: Array) -> Array:
    """A tensor on the source's memory, in its shape."""
    if source.dtype != a.dtype:
        raise RuntimeError("Could not set tensor of one type to a tensor of another type")
    return source.view()


@kernel("aten::set_.source_Storage", "aten::set.source_Storage")
def set_storage(a: Array, source: Array) -> Array:
    """A 1-dimensional tensor on a whole storage."""
    return _from_storage(a, source, 0, [raw_bytes(storage(source)).size // a.itemsize], [1])


@kernel("aten::set_", "aten::set")
def set_nothing(a: Array) -> Array:
    """An empty tensor on a new storage."""
    return np.zeros(0, a.dtype)


@kernel("aten::is_set_to")
def is_set_to(a: Array, other: Array) -> bool:
    """Whether two tensors are the same elements of the same storage."""
    same = a.dtype == other.dtype and a.shape == other.shape and strides_of(a) == strides_of(other)
    return same and storage(a) is storage(other) and address(a) == address(other)


@kernel("aten::set_data")
def set_data(a: Array, new_data: Array) -> Array:
    """A tensor over the new data's memory."""
    return new_data.view()


from . import factory_range  # noqa: E402, F401  (registration)
