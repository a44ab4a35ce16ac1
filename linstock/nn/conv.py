"""Convolutions and transposed convolutions."""

from __future__ import annotations

import math
from typing import Any

from linstock.nn import functional as F
from linstock.nn import init
from linstock.nn.linear import empty_parameter
from linstock.nn.scripting import annotate
from linstock.nn.sizes import IntOrTuple, spread
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions have: sizes, a weight and perhaps a bias."""

    __constants__ = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    ]  # fmt: skip
    bias: Tensor | None
    in_channels: int
    out_channels: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    transposed: bool
    output_padding: tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Tensor
    _reversed_padding_repeated_twice: list[int]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: str | tuple[int, ...],
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {set(_PADDING_MODES)}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _margins(padding, kernel_size, dilation)
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = empty_parameter(*channels, *kernel_size, device=device, dtype=dtype)
        if bias:
            self.bias = empty_parameter(out_channels, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        n = len(self.kernel_size)
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * n:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * n:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * n:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


def _margins(padding: str | tuple[int, ...], kernel_size: tuple[int, ...], dilation: tuple[int, ...]) -> list[int]:
    """The padding as `pad` takes it: last dimension first, before and behind."""
    found: list[int] = []
    for i in range(len(kernel_size) - 1, -1, -1):
        if padding == "same":
            total = dilation[i] * (kernel_size[i] - 1)
            found += [total // 2, total - total // 2]
        elif padding == "valid":
            found += [0, 0]
        else:
            found += [padding[i], padding[i]]  # type: ignore[list-item]
    return found


def _tuples(n: int, sizes: dict[str, Any]) -> dict[str, Any]:
    """Sizes as tuples of n; a padding given by name stays."""
    return {k: v if isinstance(v, str) else spread(v, n) for k, v in sizes.items()}


class _Conv(_ConvNd):
    """What all plain convolutions have."""

    _spatial = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOrTuple,
        stride: IntOrTuple = 1,
        padding: str | IntOrTuple = 0,
        dilation: IntOrTuple = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
        super().__init__(
            in_channels, out_channels, transposed=False, output_padding=(0,) * self._spatial, groups=groups, bias=bias,
            padding_mode=padding_mode, device=device, dtype=dtype, **_tuples(self._spatial, sizes),
        )  # fmt: skip


class Conv1d(_Conv):
    """Convolution of (N, C, L) or (C, L)."""

    _spatial = 1

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv1d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, L) to (N, out_channels, Lo)."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_Conv):
    """Convolution of (N, C, H, W) or (C, H, W)."""

    _spatial = 2

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, H, W) to (N, out_channels, Ho, Wo)."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_Conv):
    """Convolution of (N, C, D, H, W) or (C, D, H, W)."""

    _spatial = 3

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv3d(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """(N, in_channels, D, H, W) to (N, out_channels, Do, Ho, Wo)."""
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """What all transposed convolutions have."""

    _spatial = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: IntOrTuple,
        stride: IntOrTuple = 1,
        padding: IntOrTuple = 0,
        output_padding: IntOrTuple = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: IntOrTuple = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = {
            "kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation,
            "output_padding": output_padding,
        }  # fmt: skip
        super().__init__(
            in_channels, out_channels, transposed=True, groups=groups, bias=bias, padding_mode=padding_mode,
            device=device, dtype=dtype, **_tuples(self._spatial, sizes),
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: list[int] | None) -> list[int]:
        """The padding at the end that gives the size that is asked for. Raises ValueError for an impossible one."""
        if output_size is None:
            return annotate(list[int], self.output_padding)
        spatial = len(self.kernel_size)
        first = input.dim() - spatial
        if len(output_size) == first + spatial:
            output_size = output_size[first:]
        if len(output_size) != spatial:
            raise ValueError(
                f"ConvTranspose{spatial}D: for {input.dim()}D input, output_size must have {spatial} or "
                f"{first + spatial} elements (got {len(output_size)})"
            )
        kernel = annotate(list[int], self.kernel_size)
        stride = annotate(list[int], self.stride)
        padding = annotate(list[int], self.padding)
        dilation = annotate(list[int], self.dilation)
        result = annotate(list[int], [])
        for d in range(spatial):
            low = (input.size(d + first) - 1) * stride[d] - 2 * padding[d] + dilation[d] * (kernel[d] - 1) + 1
            high = low + stride[d] - 1
            if output_size[d] < low or output_size[d] > high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes of dimension {d} range from {low} to "
                    f"{high} (for an input of {input.size()[2:]})"
                )
            result.append(output_size[d] - low)
        return result


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of (N, C, L) or (C, L)."""

    _spatial = 1

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, in_channels, L) to (N, out_channels, Lo); `output_size` chooses among the possible ones."""
        extra = self._output_padding(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of (N, C, H, W) or (C, H, W)."""

    _spatial = 2

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, in_channels, H, W) to (N, out_channels, Ho, Wo); `output_size` chooses among the possible ones."""
        extra = self._output_padding(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W)."""

    _spatial = 3

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """(N, in_channels, D, H, W) to (N, out_channels, Do, Ho, Wo); `output_size` chooses among the possible ones."""
        extra = self._output_padding(input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )
