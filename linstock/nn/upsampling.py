"""Upsampling layers."""

from __future__ import annotations

from linstock.nn import functional as F
from linstock.nn.sizes import FloatOrTuple, IntOrTuple
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor


def _floats(factor: FloatOrTuple | None) -> FloatOrTuple | None:
    if isinstance(factor, tuple):
        return tuple(float(f) for f in factor)
    return float(factor) if factor else None


class Upsample(Module):
    """Resize (N, C, L), (N, C, H, W) or (N, C, D, H, W) to a size or by a factor.

    Modes as of `nn.functional.interpolate`.
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]
    name: str
    mode: str
    align_corners: bool | None
    recompute_scale_factor: bool | None

    def __init__(
        self,
        size: IntOrTuple | None = None,
        scale_factor: FloatOrTuple | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = _floats(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, ...) to (N, C, ...), resized."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        what = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{what}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resize (N, C, H, W) by nearest neighbours."""

    def __init__(self, size: IntOrTuple | None = None, scale_factor: FloatOrTuple | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize (N, C, H, W) bilinear, with corners aligned."""

    def __init__(self, size: IntOrTuple | None = None, scale_factor: FloatOrTuple | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
