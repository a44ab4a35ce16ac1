"""Conversion between element types with PyTorch's results, out-of-range values included."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import promotion as P
from .memory import PRESERVE, Array, DType, copied, empty_ordered, format_order, is_dense, preserved_order

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_CPP_NAMES = {
    0: "uint8_t", 1: "int8_t", 2: "int16_t", 3: "int", 4: "int64_t", 5: "at::Half", 6: "float", 7: "double",
    9: "c10::complex<float>", 10: "c10::complex<double>", 11: "bool", 15: "at::BFloat16",
    27: "uint16_t", 28: "uint32_t", 29: "uint64_t",
}  # fmt: skip


def _steps(source: DType, target: DType) -> tuple[DType, ...]:
    """Types through which a value passes on its way: PyTorch converts in these steps, and each rounds or wraps."""
    if P.is_inexact(source) and target.kind in "iu":
        # the processor's conversion gives the lowest integer for what does not fit; narrower types take its low bits
        if target.itemsize <= 2:
            return (_INT32, target)
        if target == np.uint32:
            return (_INT64, target)
    elif P.is_low(target) and source != P.FLOAT32 and source.kind != "b":
        return (P.FLOAT32, target)
    return (target,)


_STEPS: dict[tuple[int, int], tuple[DType, ...]] = {}


def convert(a: Array, dtype: DType, order: Any = "K") -> Array:
    """A new array of the type. Complex to real keeps the real part; floats beyond an integer's range do as on x86."""
    source = a.dtype
    if source == dtype:
        return a.copy(order)
    if source.kind == "c" and dtype.kind not in "cb":
        a = a.real
        source = a.dtype
    key = (source.num, dtype.num)
    steps = _STEPS.get(key)
    if steps is None:
        steps = _STEPS[key] = _steps(source, dtype)
    if dtype.kind in "iu" and source.kind not in "iub":
        with np.errstate(invalid="ignore"):
            for step in steps:
                a = a.astype(step, order=order)
        return a
    if dtype.itemsize < source.itemsize and dtype.kind not in "iub":
        with np.errstate(over="ignore"):
            for step in steps:
                a = a.astype(step, order=order)
        return a
    for step in steps:
        a = a.astype(step, order=order)
    return a


def convert_format(a: Array, dtype: DType, memory_format: int | None) -> Array:
    """A new array of the type in a memory format; None and "preserve" keep the order of dimensions of `a`."""
    if a.dtype == dtype:
        return copied(a, memory_format)
    if memory_format is None or memory_format == PRESERVE:
        if is_dense(a):
            return convert(a, dtype)
        order = preserved_order(a)
    else:
        order = format_order(memory_format, a.ndim)
    out = empty_ordered(a.shape, order, dtype, a)
    out[...] = convert(a, dtype)
    return out


def checked_scalar(value: Any, dtype: DType) -> Array:
    """A Python number as a 0-dimensional array of the type, as `fill_` takes it.

    Raises RuntimeError where the type cannot hold the value (negative numbers wrap in unsigned types).
    """
    if dtype.kind in "iu" and not isinstance(value, bool):
        number = value.real if isinstance(value, complex) else value
        limits = np.iinfo(dtype)
        low = -int(limits.max) if dtype.kind == "u" else int(limits.min)
        if number != number or not (low <= number <= int(limits.max)) or (isinstance(value, complex) and value.imag):
            _overflow(dtype)
        return np.array(int(number) & ((1 << 8 * dtype.itemsize) - 1)).astype(dtype)
    if dtype.kind == "c" or dtype.kind == "b":
        return np.array(value).astype(dtype)
    if isinstance(value, complex):
        if value.imag:
            _overflow(dtype)
        value = value.real
    number = float(value)
    if abs(number) != float("inf") and number == number and P.is_inexact(dtype) and dtype.itemsize < 8:
        if abs(number) > _largest(dtype):
            _overflow(dtype)
    return np.array(number, np.float32 if P.is_low(dtype) else dtype).astype(dtype)


def _largest(dtype: DType) -> float:
    if dtype.kind == "f":
        return float(np.finfo(dtype).max)
    import ml_dtypes

    limits: Any = ml_dtypes.finfo
    return float(limits(dtype).max)


def _overflow(dtype: DType) -> None:
    name = _CPP_NAMES.get(P.code_of(dtype), dtype.name)
    raise RuntimeError(f"value cannot be converted to type {name} without overflow")
