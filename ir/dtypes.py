"""Element types: PyTorch's ScalarType codes, names, NumPy equivalents and promotion.

A graph carries an element type as its ScalarType code (a plain int, as in TorchScript); the public API shows `dtype`
objects. Kernels see NumPy dtypes.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np


class dtype:
    """An element type. Compare with `is` or `==`; `code` is PyTorch's ScalarType number, `numpy` the NumPy dtype."""

    __slots__ = ("code", "is_complex", "is_floating_point", "is_quantized", "is_signed", "itemsize", "name", "numpy")

    def __init__(self, name: str, code: int, array_type: Any, quantized: bool = False) -> None:
        self.name, self.code = name, code
        self.numpy: np.dtype[Any] = np.dtype(array_type)
        self.itemsize = self.numpy.itemsize
        self.is_quantized = quantized
        self.is_complex = self.numpy.kind == "c"
        self.is_floating_point = not quantized and (self.numpy.kind == "f" or "float" in self.numpy.name)
        self.is_signed = name != "bool" and not name.startswith(("uint", "quint"))

    def __repr__(self) -> str:
        return f"linstock.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return by_name, (self.name,)

    def __int__(self) -> int:
        return self.code

    def __index__(self) -> int:
        return self.code


uint8 = dtype("uint8", 0, np.uint8)
int8 = dtype("int8", 1, np.int8)
int16 = dtype("int16", 2, np.int16)
int32 = dtype("int32", 3, np.int32)
int64 = dtype("int64", 4, np.int64)
float16 = dtype("float16", 5, np.float16)
float32 = dtype("float32", 6, np.float32)
float64 = dtype("float64", 7, np.float64)
complex64 = dtype("complex64", 9, np.complex64)
complex128 = dtype("complex128", 10, np.complex128)
bool_ = dtype("bool", 11, np.bool_)
qint8 = dtype("qint8", 12, np.int8, quantized=True)
quint8 = dtype("quint8", 13, np.uint8, quantized=True)
qint32 = dtype("qint32", 14, np.int32, quantized=True)
bfloat16 = dtype("bfloat16", 15, ml_dtypes.bfloat16)
quint4x2 = dtype("quint4x2", 16, np.uint8, quantized=True)
quint2x4 = dtype("quint2x4", 17, np.uint8, quantized=True)
float8_e5m2 = dtype("float8_e5m2", 23, ml_dtypes.float8_e5m2)
float8_e4m3fn = dtype("float8_e4m3fn", 24, ml_dtypes.float8_e4m3fn)
uint16 = dtype("uint16", 27, np.uint16)
uint32 = dtype("uint32", 28, np.uint32)
uint64 = dtype("uint64", 29, np.uint64)

ALL: tuple[dtype, ...] = tuple(v for v in list(globals().values()) if isinstance(v, dtype))
_BY_CODE = {d.code: d for d in ALL}
_BY_NAME = {d.name: d for d in ALL}
_BY_NUMPY = {d.numpy: d for d in reversed(ALL) if not d.is_quantized}

#: names that PyTorch accepts besides the canonical ones
ALIASES = {
    "float": float32, "double": float64, "half": float16, "long": int64, "int": int32, "short": int16,
    "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip


def by_name(name: str) -> dtype:
    """The dtype called `name` ("float32", "long"). Raises KeyError."""
    return _BY_NAME.get(name) or ALIASES[name]


def by_code(code: int) -> dtype:
    """The dtype with this ScalarType code. Raises KeyError."""
    return _BY_CODE[code]


#: the names in printed tensor types (`Float(2, 3)`), where they are not the dtype's own name capitalised
_SCALAR_NAMES = {
    "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "float16": "Half", "float32": "Float",
    "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble", "bool": "Bool", "bfloat16": "BFloat16",
    "qint8": "QInt8", "quint8": "QUInt8", "qint32": "QInt32", "quint4x2": "QUInt4x2", "quint2x4": "QUInt2x4",
    "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64",
}  # fmt: skip
_BY_SCALAR_NAME = {_SCALAR_NAMES.get(d.name, d.name.capitalize()): d for d in ALL}


def scalar_name(code: int) -> str:
    """The name of an element type in printed tensor types: "Float", "Long"."""
    name = _BY_CODE[code].name
    return _SCALAR_NAMES.get(name, name.capitalize())


def by_scalar_name(name: str) -> dtype:
    """The dtype that is printed as `name` ("Float"). Raises KeyError."""
    return _BY_SCALAR_NAME[name]


def from_numpy(array_type: Any) -> dtype:
    """The dtype of a NumPy element type. Raises TypeError for one that tensors cannot hold (str, object, dates)."""
    try:
        return _BY_NUMPY[np.dtype(array_type).newbyteorder("=")]
    except KeyError:
        raise TypeError(f"a tensor cannot hold elements of the NumPy type {np.dtype(array_type)}") from None


def numpy_of(code: int) -> np.dtype[Any]:
    """The NumPy dtype of a ScalarType code."""
    return _BY_CODE[code].numpy


def code_of(array_type: Any) -> int:
    """The ScalarType code of a NumPy dtype."""
    return from_numpy(array_type).code


_INTS = {0: 8, 1: 8, 2: 16, 3: 32, 4: 64, 27: 16, 28: 32, 29: 64}
_UNSIGNED = (0, 27, 28, 29)
_FLOATS = {5: 16, 15: 16, 6: 32, 7: 64}


def promote_codes(a: int, b: int) -> int:
    """PyTorch's promotion of two ScalarType codes (`torch.promote_types`)."""
    if a == b:
        return a
    if a == 11:
        return b
    if b == 11:
        return a
    da, db = by_code(a), by_code(b)
    if (
        da.is_quantized
        or db.is_quantized
        or (da.itemsize == 1 and da.is_floating_point)
        or (db.itemsize == 1 and db.is_floating_point)
    ):
        raise TypeError(f"promotion of {da.name} and {db.name} is not supported")
    if da.is_complex or db.is_complex:
        wide = any(d.name in ("complex128", "float64") for d in (da, db))
        return 10 if wide else 9
    if a in _FLOATS and b in _FLOATS:
        if {a, b} == {5, 15}:
            return 6
        return a if _FLOATS[a] > _FLOATS[b] else b
    if a in _FLOATS:
        return a
    if b in _FLOATS:
        return b
    if a in _UNSIGNED and b in _UNSIGNED:
        return a if _INTS[a] >= _INTS[b] else b
    if a not in _UNSIGNED and b not in _UNSIGNED:
        return a if _INTS[a] >= _INTS[b] else b
    unsigned, signed = (a, b) if a in _UNSIGNED else (b, a)
    if _INTS[signed] > _INTS[unsigned]:
        return signed
    if unsigned == 0:
        return 2
    raise TypeError(f"promotion of {da.name} and {db.name} is not supported: cast one of them first")
