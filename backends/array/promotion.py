"""PyTorch's type promotion over arrays and Python scalars, and the operand conversions that follow from it.

Operands fall into three priorities: arrays with dimensions, 0-dimensional arrays, Python scalars ("wrapped numbers"). A
lower priority widens the result only where its category (bool < integer < floating < complex) is higher.
Source: PyTorch's documentation, "Tensor attributes: type promotion".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.ir import dtypes

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

_default = 6  # float32

FLOAT32, FLOAT64, INT64, BOOL = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.bool_)
COMPLEX64, COMPLEX128 = np.dtype(np.complex64), np.dtype(np.complex128)


def default_code() -> int:
    """ScalarType code of the default floating-point type (`set_default_dtype`)."""
    return _default


def default_dtype() -> DType:
    """NumPy dtype of the default floating-point type."""
    return dtypes.numpy_of(_default)


def set_default_code(code: int) -> None:
    """Change the default floating-point type. Raises TypeError for a type that is not floating point."""
    global _default
    if not dtypes.by_code(code).is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {dtypes.by_code(code).name}")
    _default = code


_CODES: dict[int, int] = {}  # NumPy type number -> ScalarType code
_CATEGORY = {d.code: 0 if d.code == 11 else 3 if d.is_complex else 2 if d.is_floating_point else 1 for d in dtypes.ALL}
_TO_COMPLEX = {7: 10}
_COMBINED: dict[tuple[Any, ...], DType] = {}


def code_of(dtype: DType) -> int:
    """The ScalarType code of a NumPy dtype (cached by type number). Raises TypeError where there is none."""
    code = _CODES.get(dtype.num)
    if code is None:
        code = _CODES[dtype.num] = dtypes.code_of(dtype)
    return code


def scalar_code(value: Any) -> int:
    """ScalarType code that a Python scalar stands for in promotion."""
    if isinstance(value, bool):
        return 11
    if isinstance(value, int):
        return 4
    if isinstance(value, float):
        return _default
    return 10 if _default == 7 else 9


def _combine_categories(higher: int | None, lower: int | None) -> int | None:
    """The type of two priorities together: the lower one counts only where its category is higher."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    high, low = _CATEGORY[higher], _CATEGORY[lower]
    if high == 2 and low == 3:
        return _TO_COMPLEX.get(higher, 9)
    if high < low and (high == 0 or low >= 2):
        return dtypes.promote_codes(higher, lower)
    return higher


def _result(operands: tuple[Any, ...]) -> DType:
    levels: list[int | None] = [None, None, None]
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            level, code = 2, scalar_code(x)
        elif x is None:
            continue
        else:
            level, code = (0 if x.ndim else 1), code_of(x.dtype)
        before = levels[level]
        levels[level] = code if before is None else dtypes.promote_codes(before, code)
    code_ = _combine_categories(levels[0], _combine_categories(levels[1], levels[2]))
    if code_ is None:
        raise RuntimeError("a result type needs at least one tensor or scalar")
    return dtypes.numpy_of(code_)


def result_type(*operands: Any) -> DType:
    """NumPy dtype of an operation over arrays and Python scalars (None is passed over), as `torch.result_type`."""
    key = tuple([(d.num, x.ndim > 0) if (d := getattr(x, "dtype", None)) is not None else type(x) for x in operands])
    found = _COMBINED.get((_default, key))
    if found is None:
        found = _COMBINED[_default, key] = _result(operands)
    return found


def floating(dtype: DType) -> DType:
    """The dtype itself if floating or complex, else the default floating-point dtype (true division, sin, mean...)."""
    return dtype if is_inexact(dtype) else default_dtype()


def is_inexact(dtype: DType) -> bool:
    """Whether the dtype is floating point (bfloat16 and float8 too) or complex."""
    return _CATEGORY[code_of(dtype)] >= 2


def is_complex(dtype: DType) -> bool:
    """Whether the dtype is complex."""
    return dtype.kind == "c"


def is_integral(dtype: DType, with_bool: bool = False) -> bool:
    """Whether the dtype is an integer (or, if asked for, bool)."""
    kind = dtype.kind
    return kind == "i" or kind == "u" or (with_bool and kind == "b")


def is_low(dtype: DType) -> bool:
    """Whether arithmetic in this dtype goes through float32 (float16, bfloat16, float8)."""
    return dtype.itemsize <= 2 and is_inexact(dtype)


def wide(array: Array) -> Array:
    """The array in its computation type: float32 for float16, bfloat16 and float8, itself otherwise."""
    return array.astype(np.float32) if is_low(array.dtype) else array


def wide_dtype(dtype: DType) -> DType:
    """The computation type of a dtype: float32 for float16, bfloat16 and float8, itself otherwise."""
    return FLOAT32 if is_low(dtype) else dtype


def real_of(dtype: DType) -> DType:
    """The floating type of a complex dtype's parts, the dtype itself otherwise."""
    return dtype if dtype.kind != "c" else FLOAT64 if dtype.itemsize == 16 else FLOAT32


def array(value: Any) -> Array:
    """What a NumPy function returned as an array: a NumPy scalar becomes 0-dimensional, an array stays."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def cast_scalar(value: Any, dtype: DType) -> Array:
    """A Python number as a 0-dimensional array of the dtype, wrapping and truncating as a tensor cast does.

    Raises RuntimeError for an integer beyond 64 bits.
    """
    kind = dtype.kind
    if type(value) is int and (kind == "i" or kind == "u"):
        if not -(1 << 63) <= value < 1 << 64:
            raise RuntimeError(f"value {value} cannot be converted to type int64_t without overflow")
        bits = 8 * dtype.itemsize
        value &= (1 << bits) - 1
        if kind == "i" and value >> (bits - 1):
            value -= 1 << bits
        return np.array(value, dtype)
    if isinstance(value, complex) and kind != "c":
        value = value.real
    if isinstance(value, float) and (kind == "i" or kind == "u"):
        with np.errstate(all="ignore"):
            return np.array(value).astype(np.int64).astype(dtype)
    return np.array(value).astype(dtype)


def cast(value: Any, dtype: DType) -> Array:
    """An array or a Python number as an array of the dtype (the array itself where it has it already)."""
    if isinstance(value, (bool, int, float, complex)):
        return cast_scalar(value, dtype)
    if value.dtype is dtype:
        return value  # type: ignore[no-any-return]
    if value.dtype.kind == "c" and dtype.kind != "c":
        value = value.real if dtype.kind != "b" else value
    return value.astype(dtype, copy=False)  # type: ignore[no-any-return]
