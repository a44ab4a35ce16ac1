"""Small value types of the public API: `Size`, memory formats, layouts, quantization schemes, `finfo` and `iinfo`."""

from __future__ import annotations

from typing import Any, SupportsIndex, overload

import numpy as np

from linstock.backends.array import promotion
from linstock.ir import dtypes


class Size(tuple[int, ...]):
    """A tensor's shape: a tuple that knows its number of elements."""

    __slots__ = ()

    def numel(self) -> int:
        """Number of elements of a tensor of this shape."""
        n = 1
        for s in self:
            n *= s
        return n

    def __repr__(self) -> str:
        return f"linstock.Size([{', '.join(map(repr, self))}])"

    @overload
    def __getitem__(self, key: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, key: slice) -> Size: ...
    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, tuple(other)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)


class Code:
    """A named constant that operators take as an int: a layout, a memory format, a quantization scheme."""

    __slots__ = ("code", "name")
    _known: dict[tuple[type, int], Any] = {}

    def __init__(self, name: str, code: int) -> None:
        self.name, self.code = name, code
        Code._known[type(self), code] = self

    @classmethod
    def of(cls, code: int) -> Any:
        """The constant of this class with this number. Raises KeyError."""
        return Code._known[cls, code]

    def __repr__(self) -> str:
        return f"linstock.{self.name}"

    def __int__(self) -> int:
        return self.code

    __index__ = __int__

    def __reduce__(self) -> tuple[Any, ...]:
        return _code_of, (type(self), self.code)


def _code_of(cls: type[Code], code: int) -> Any:
    return cls.of(code)


class layout(Code):
    """How a tensor's elements are kept: `strided`, `sparse_coo`, ..."""


class memory_format(Code):
    """An order of dimensions in memory: `contiguous_format`, `preserve_format`, `channels_last`, `channels_last_3d`."""


class qscheme(Code):
    """A quantization scheme: `per_tensor_affine`, ..."""


strided, sparse_coo, sparse_csr = layout("strided", 0), layout("sparse_coo", 1), layout("sparse_csr", 2)
sparse_csc, sparse_bsr, sparse_bsc = layout("sparse_csc", 3), layout("sparse_bsr", 4), layout("sparse_bsc", 5)
_mkldnn = layout("_mkldnn", 6)
contiguous_format, preserve_format = memory_format("contiguous_format", 0), memory_format("preserve_format", 1)
channels_last, channels_last_3d = memory_format("channels_last", 2), memory_format("channels_last_3d", 3)
per_tensor_affine, per_channel_affine = qscheme("per_tensor_affine", 0), qscheme("per_channel_affine", 1)
per_tensor_symmetric, per_channel_symmetric = qscheme("per_tensor_symmetric", 2), qscheme("per_channel_symmetric", 3)
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams", 4)


class finfo:
    """Limits of a floating-point type: `bits`, `eps`, `max`, `min`, `tiny`, `smallest_normal`, `resolution`."""

    def __init__(self, type: dtypes.dtype | None = None) -> None:
        type = dtypes.by_code(promotion.default_code()) if type is None else type
        if not (type.is_floating_point or type.is_complex):
            raise TypeError(f"finfo() requires a floating point input type, not {type}. Use iinfo to handle {type}")
        real = promotion.real_of(type.numpy)
        if real.kind == "f":
            info: Any = np.finfo(real)
        else:
            import ml_dtypes

            limits: Any = ml_dtypes.finfo
            info = limits(real)
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(info.resolution)
        self.dtype = dtypes.from_numpy(real).name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer type: `bits`, `max`, `min`."""

    def __init__(self, type: dtypes.dtype) -> None:
        if type.is_floating_point or type.is_complex or type.name == "bool":
            raise TypeError(
                f"iinfo() requires an integer input type, not {type}. Use finfo to handle floating point types"
            )
        info = np.iinfo(type.numpy)
        self.bits, self.max, self.min = int(info.bits), int(info.max), int(info.min)
        self.dtype = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
