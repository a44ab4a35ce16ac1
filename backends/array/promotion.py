"""PyTorch's type promotion over arrays and Python scalars.

Operands fall into three priorities: arrays with dimensions, 0-dimensional arrays, Python scalars ("wrapped numbers"). A lower
priority widens the result only where its category (bool < integer < floating < complex) is higher.
Source: PyTorch's documentation, "Tensor attributes: type promotion".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from linstock.ir import dtypes

_default = 6  # float32


def default_code() -> int:
    """ScalarType code of the default floating-point type (`set_default_dtype`)."""
    return _default


def default_dtype() -> np.dtype[Any]:
    """NumPy dtype of the default floating-point type."""
    return dtypes.numpy_of(_default)


def set_default_code(code: int) -> None:
    """Change the default floating-point type. Raises TypeError for a type that is not floating point."""
    global _default
    if not dtypes.by_code(code).is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, not {dtypes.by_code(code).name}")
    _default = code


def _category(code: int) -> int:
    if code == 11:
        return 0
    d = dtypes.by_code(code)
    return 3 if d.is_complex else 2 if d.is_floating_point else 1


def scalar_code(value: Any) -> int:
    """ScalarType code that a Python scalar stands for in promotion."""
    if isinstance(value, bool):
        return 11
    if isinstance(value, int):
        return 4
    if isinstance(value, float):
        return _default
    return 10 if _default == 7 else 9


@lru_cache(maxsize=4096)
def _combine(dims: tuple[int, ...], zeros: tuple[int, ...], scalars: tuple[int, ...]) -> np.dtype[Any]:
    result: int | None = None
    for group in (dims, zeros, scalars):
        level: int | None = None
        for code in group:
            level = code if level is None else dtypes.promote_codes(level, code)
        if level is None:
            continue
        if result is None:
            result = level
        elif _category(level) > _category(result):
            # a lower priority changes only the category: complex takes the width of the floats already there
            result = dtypes.promote_codes(result, level) if _category(level) == 3 and _category(result) == 2 else level
            if _category(level) == 3 and group is scalars and dims + zeros:
                wide = any(dtypes.by_code(c).name in ("float64", "complex128") for c in dims + zeros)
                result = 10 if wide else 9 if _category(max(dims + zeros, key=_category)) == 2 else level
    assert result is not None
    return dtypes.numpy_of(result)


def result_type(*operands: Any) -> np.dtype[Any]:
    """NumPy dtype of an operation over arrays and Python scalars (None is passed over), as `torch.result_type`."""
    dims, zeros, scalars = [], [], []
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            scalars.append(scalar_code(x))
        elif x is not None:
            (dims if x.ndim else zeros).append(dtypes.code_of(x.dtype))
    return _combine(tuple(dims), tuple(zeros), tuple(scalars))


def floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype itself if floating or complex, else the default floating-point dtype (true division, sin, mean...)."""
    return dtype if is_inexact(dtype) else default_dtype()


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether the dtype is floating point (bfloat16 and float8 too) or complex."""
    return _category(dtypes.code_of(dtype)) >= 2


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether the dtype is complex."""
    return dtype.kind == "c"


def is_low(dtype: np.dtype[Any]) -> bool:
    """Whether arithmetic in this dtype goes through float32 (float16, bfloat16, float8)."""
    return dtype.itemsize <= 2 and is_inexact(dtype)


def wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array in its computation type: float32 for float16, bfloat16 and float8, itself otherwise."""
    return array.astype(np.float32) if is_low(array.dtype) else array
