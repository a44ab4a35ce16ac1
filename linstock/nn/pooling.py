"""Pooling layers."""

from __future__ import annotations

from typing import Any

from linstock.nn import functional as F
from linstock.nn.sizes import FloatOrTuple, IntOrTuple, _pair, _single, _triple
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor


class _MaxPoolNd(Module):
    """What all max poolings have."""

    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    return_indices: bool
    ceil_mode: bool

    def __init__(
        self,
        kernel_size: IntOrTuple,
        stride: IntOrTuple | None = None,
        padding: IntOrTuple = 0,
        dilation: IntOrTuple = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maxima of windows of (N, C, L) or (C, L)."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.max_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip


class MaxPool2d(_MaxPoolNd):
    """The maxima of windows of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip


class MaxPool3d(_MaxPoolNd):
    """The maxima of windows of (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.max_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip


class _MaxUnpoolNd(Module):
    """What all inverses of max pooling have."""

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Each value at the place that its index names, zero elsewhere: the inverse of MaxPool1d."""

    def __init__(self, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, C, L) and its indices to (N, C, Lo)."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpoolNd):
    """Each value at the place that its index names, zero elsewhere: the inverse of MaxPool2d."""

    def __init__(self, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0) -> None:
        super().__init__()
        self.kernel_size = _pair(kernel_size)
        self.stride = _pair(stride if stride is not None else kernel_size)
        self.padding = _pair(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, C, H, W) and its indices to (N, C, Ho, Wo)."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpoolNd):
    """Each value at the place that its index names, zero elsewhere: the inverse of MaxPool3d."""

    def __init__(self, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, padding: IntOrTuple = 0) -> None:
        super().__init__()
        self.kernel_size = _triple(kernel_size)
        self.stride = _triple(stride if stride is not None else kernel_size)
        self.padding = _triple(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, C, D, H, W) and its indices to (N, C, Do, Ho, Wo)."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AvgPool1d(Module):
    """The means of windows of (N, C, L) or (C, L)."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def __init__(
        self,
        kernel_size: IntOrTuple,
        stride: IntOrTuple | None = None,
        padding: IntOrTuple = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) to (N, C, Lo)."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    """What average poolings of images and volumes have."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]

    def __init__(
        self,
        kernel_size: IntOrTuple,
        stride: IntOrTuple | None = None,
        padding: IntOrTuple = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPoolNd):
    """The means of windows of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) to (N, C, Ho, Wo)."""
        return F.avg_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool3d(_AvgPoolNd):
    """The means of windows of (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) to (N, C, Do, Ho, Wo)."""
        return F.avg_pool3d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class _FractionalMaxPoolNd(Module):
    """What both fractional poolings have."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _spatial = 0

    def __init__(
        self,
        kernel_size: IntOrTuple,
        output_size: IntOrTuple | None = None,
        output_ratio: FloatOrTuple | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        if isinstance(kernel_size, int) and kernel_size <= 0:
            raise ValueError(f"kernel_size must greater than zero, but got {kernel_size}")
        tuples = _pair if self._spatial == 2 else _triple
        self.kernel_size = tuples(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = tuples(output_size) if output_size is not None else None
        self.output_ratio = tuples(output_ratio) if output_ratio is not None else None
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError(f"only one of output_size and output_ratio may be specified for {name}")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The maxima of windows at random places of (N, C, H, W) or (C, H, W)."""

    _spatial = 2

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.fractional_max_pool2d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The maxima of windows at random places of (N, C, D, H, W) or (C, D, H, W)."""

    _spatial = 3

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.fractional_max_pool3d(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class _LPPoolNd(Module):
    """What all power-average poolings have."""

    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    norm_type: float
    ceil_mode: bool

    def __init__(
        self, norm_type: float, kernel_size: IntOrTuple, stride: IntOrTuple | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The p-norms of windows of (N, C, L) or (C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) to (N, C, Lo)."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)  # type: ignore[arg-type]


class LPPool2d(_LPPoolNd):
    """The p-norms of windows of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) to (N, C, Ho, Wo)."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The p-norms of windows of (N, C, D, H, W) or (C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) to (N, C, Do, Ho, Wo)."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _AdaptivePoolNd(Module):
    """What all adaptive poolings have."""

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    __constants__ = ["output_size"]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The means of as many windows as `output_size` says, of (N, C, L) or (C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) to (N, C, Lo)."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W). None keeps the input's size."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) to (N, C, Ho, Wo)."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    None keeps the input's size.
    """

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, D, H, W) to (N, C, Do, Ho, Wo)."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maxima of as many windows as `output_size` says, of (N, C, L) or (C, L)."""

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maxima of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W).

    None keeps the input's size.
    """

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maxima of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    None keeps the input's size.
    """

    def forward(self, input: Tensor):  # type: ignore[no-untyped-def]  # one tensor, or two with return_indices
        """The maxima, with `return_indices` also their indices."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)
