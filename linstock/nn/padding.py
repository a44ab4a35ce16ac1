"""Padding layers.

`padding` is one number for all sides, or (left, right, top, bottom, front, back) as far as there are dimensions.
"""

from __future__ import annotations

from linstock.nn import functional as F
from linstock.nn.sizes import IntOrTuple, spread
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor


class _Pad(Module):
    """What all paddings have."""

    __constants__ = ["padding"]
    padding: tuple[int, ...]
    _spatial = 0

    def __init__(self, padding: IntOrTuple) -> None:
        super().__init__()
        self.padding = spread(padding, 2 * self._spatial)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def forward(self, input: Tensor) -> Tensor:
        """The input, continued from the other side."""
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Continue (N, C, L) or (C, L) from the other side."""

    _spatial = 1

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class CircularPad2d(_CircularPadNd):
    """Continue (N, C, H, W) or (C, H, W) from the other side."""

    _spatial = 2

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 3 and input.dim() != 4:
            raise ValueError(f"expected 3D or 4D input (got {input.dim()}D input)")


class CircularPad3d(_CircularPadNd):
    """Continue (N, C, D, H, W) or (C, D, H, W) from the other side."""

    _spatial = 3

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4 and input.dim() != 5:
            raise ValueError(f"expected 4D or 5D input (got {input.dim()}D input)")


class _ConstantPadNd(_Pad):
    __constants__ = ["padding", "value"]
    value: float

    def __init__(self, padding: IntOrTuple, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The input with the value around it."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Put a value around the last dimension."""

    _spatial = 1


class ConstantPad2d(_ConstantPadNd):
    """Put a value around the last two dimensions."""

    _spatial = 2


class ConstantPad3d(_ConstantPadNd):
    """Put a value around the last three dimensions."""

    _spatial = 3


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: IntOrTuple) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPadNd):
    """Put zeros around the last dimension."""

    _spatial = 1


class ZeroPad2d(_ZeroPadNd):
    """Put zeros around the last two dimensions."""

    _spatial = 2


class ZeroPad3d(_ZeroPadNd):
    """Put zeros around the last three dimensions."""

    _spatial = 3


class _ReflectionPadNd(_Pad):
    def forward(self, input: Tensor) -> Tensor:
        """The input, mirrored at its borders."""
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Mirror (N, C, L) or (C, L) at its borders."""

    _spatial = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Mirror (N, C, H, W) or (C, H, W) at its borders."""

    _spatial = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Mirror (N, C, D, H, W) or (C, D, H, W) at its borders."""

    _spatial = 3


class _ReplicationPadNd(_Pad):
    def forward(self, input: Tensor) -> Tensor:
        """The input with its border elements repeated."""
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Repeat the border elements of (N, C, L) or (C, L)."""

    _spatial = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Repeat the border elements of (N, C, H, W) or (C, H, W)."""

    _spatial = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Repeat the border elements of (N, C, D, H, W) or (C, D, H, W)."""

    _spatial = 3
