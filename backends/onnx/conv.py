"""ONNX forms of the conv family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.registry import converter
from linstock.backends.onnx.view import pad
from linstock.ir.errors import ExportError


def _each(values: Sequence[Any], rank: int) -> list[int]:
    """One value per spatial dimension."""
    return list(values) * rank if len(values) == 1 else list(values)


def convolution(
    b: Builder, x: Sym, weight: Sym, bias: Sym | None, stride: Sequence[int], padding: Sequence[int] | str, dilation: Sequence[int],
    transposed: bool = False, output_padding: Sequence[int] = (0,), groups: int = 1,
) -> Sym:  # fmt: skip
    """A convolution, or a transposed one, of a batch or of a single sample."""
    rank = b.rank(weight) - 2
    single = b.rank(x) == rank + 1
    x = b.unsqueeze(x, 0) if single else x
    kernel = (weight.shape or ())[2:]
    if not all(isinstance(k, int) for k in kernel):
        raise ExportError("a convolution whose kernel size depends on the inputs", b.span)
    size: list[int] = [int(k) for k in kernel]
    stride, dilation = _each(stride, rank), _each(dilation, rank)
    if isinstance(padding, str):
        wide = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, size, strict=True)]
        low, high = [w // 2 for w in wide], [w - w // 2 for w in wide]
    else:
        low = high = _each(padding, rank)
    options: dict[str, Any] = {
        "kernel_shape": size,
        "strides": stride,
        "dilations": dilation,
        "group": groups,
        "pads": [*low, *high],
    }
    if transposed:
        extra = _each(output_padding, rank)
        if any(e >= s for e, s in zip(extra, stride, strict=True)):
            made = _transposed_further(b, x, weight, bias, low, extra, options)
        else:
            made = b.op("ConvTranspose", x, weight, bias, output_padding=extra if any(extra) else None, **options)
    else:
        made = b.op("Conv", x, weight, bias, **options)
    return b.squeeze(made, 0) if single else made


def _transposed_further(
    b: Builder,
    x: Sym,
    weight: Sym,
    bias: Sym | None,
    padding: Sequence[int],
    extra: Sequence[int],
    options: dict[str, Any],
) -> Sym:
    """A transposed convolution with as much output padding as ONNX Runtime refuses: the whole of it is cut or padded
    afterwards.
    """
    rank = len(extra)
    made = b.op("ConvTranspose", x, weight, **{**options, "pads": [0] * (2 * rank)})
    amounts = [v for i in reversed(range(rank)) for v in (-padding[i], extra[i] - padding[i])]
    made = pad(b, made, amounts)
    return made if bias is None else b.op("Add", made, b.reshape(bias, [-1, *[1] * rank]))


for _rank in (1, 2, 3):

    def _conv(b: Builder, x: Sym, weight: Sym, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Sym:
        return convolution(b, x, weight, bias, stride, padding, dilation, groups=groups)

    converter(f"conv{_rank}d.|padding")(_conv)

    def _conv_transpose(
        b: Builder,
        x: Sym,
        weight: Sym,
        bias: Any,
        stride: Any,
        padding: Any,
        output_padding: Any,
        groups: int,
        dilation: Any,
    ) -> Sym:
        return convolution(b, x, weight, bias, stride, padding, dilation, True, output_padding, groups)

    converter("conv_transpose1d" if _rank == 1 else f"conv_transpose{_rank}d.input")(_conv_transpose)


@converter("convolution", "_convolution", "_convolution.deprecated")
def _convolution(
    b: Builder, x: Sym, weight: Sym, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int,
    *rest: Any,
) -> Sym:  # fmt: skip
    return convolution(b, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@converter("_convolution_mode")
def _convolution_mode(
    b: Builder, x: Sym, weight: Sym, bias: Any, stride: Any, padding: str, dilation: Any, groups: int
) -> Sym:
    return convolution(b, x, weight, bias, stride, padding, dilation, groups=groups)


@converter("_conv_depthwise2d", "conv_depthwise3d")
def _depthwise(
    b: Builder, x: Sym, weight: Sym, kernel: Any, bias: Any, stride: Any, padding: Any, dilation: Any
) -> Sym:
    groups = b.size(x, 1)
    return convolution(b, x, weight, bias, stride, padding, dilation, groups=groups)


@converter("slow_conv3d", "thnn_conv2d", "slow_conv3d_forward")
def _slow(b: Builder, x: Sym, weight: Sym, kernel: Any, bias: Any, stride: Any, padding: Any) -> Sym:
    return convolution(b, x, weight, bias, stride, padding, [1])


@converter("slow_conv_dilated2d", "slow_conv_dilated3d")
def _slow_dilated(
    b: Builder, x: Sym, weight: Sym, kernel: Any, bias: Any, stride: Any, padding: Any, dilation: Any
) -> Sym:
    return convolution(b, x, weight, bias, stride, padding, dilation)


@converter("slow_conv_transpose2d", "slow_conv_transpose3d")
def _slow_transposed(
    b: Builder,
    x: Sym,
    weight: Sym,
    kernel: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    dilation: Any,
) -> Sym:
    return convolution(b, x, weight, bias, stride, padding, dilation, True, output_padding)


@converter("_nnpack_spatial_convolution")
def _nnpack(b: Builder, x: Sym, weight: Sym, bias: Any, padding: Any, stride: Any = (1, 1)) -> Sym:
    return convolution(b, x, weight, bias, stride, padding, [1])


@converter("conv_tbc")
def _conv_tbc(b: Builder, x: Sym, weight: Sym, bias: Sym, padding: int = 0) -> Sym:
    made = convolution(b, b.transpose(x, [1, 2, 0]), b.transpose(weight, [2, 1, 0]), bias, [1], [padding], [1])
    return b.transpose(made, [2, 0, 1])


# -- patches -----------------------------------------------------------------------------------------------------------
def patches(b: Builder, x: Sym, axis: int, size: int, stride: int, dilation: int) -> Sym:
    """Windows along a dimension: it becomes two, the place in the window and the window."""
    length = b.size(x, axis)
    reach = dilation * (size - 1) + 1
    inside = np.arange(size)[:, None] * dilation
    if isinstance(length, Sym):
        count = b.op("Add", b.op("Div", b.op("Sub", length, np.asarray(reach)), np.asarray(stride)), np.asarray(1))
        starts = b.op("Mul", b.op("Range", np.asarray(0), count, np.asarray(1)), np.asarray(stride))
        return b.gather(x, b.op("Add", b.constant(inside), b.unsqueeze(starts, 0)), axis)
    return b.gather(x, inside + np.arange(0, length - reach + 1, stride), axis)


@converter("im2col")
def _im2col(b: Builder, x: Sym, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Sym:
    single = b.rank(x) == 3
    x = b.unsqueeze(x, 0) if single else x
    kernel, dilation, padding, stride = (_each(v, 2) for v in (kernel, dilation, padding, stride))
    x = pad(b, x, [padding[1], padding[1], padding[0], padding[0]])
    rows = patches(b, x, 2, kernel[0], stride[0], dilation[0])
    both = patches(b, rows, 4, kernel[1], stride[1], dilation[1])  # N, C, kh, oh, kw, ow
    sizes = b.sizes(both)
    channels = sizes[1] if isinstance(sizes[1], int) else 0
    windows = sizes[3] * sizes[5] if isinstance(sizes[3], int) and isinstance(sizes[5], int) else -1
    made = b.reshape(b.transpose(both, [0, 1, 2, 4, 3, 5]), [sizes[0], channels * kernel[0] * kernel[1], windows])
    return b.squeeze(made, 0) if single else made


@converter("col2im")
def _col2im(b: Builder, x: Sym, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Sym:
    single = b.rank(x) == 2
    x = b.unsqueeze(x, 0) if single else x
    padding = _each(padding, 2)
    made = b.op(
        "Col2Im", x, b.sym(list(output_size)), b.ints(*_each(kernel, 2)), dilations=_each(dilation, 2), pads=[*padding, *padding],
        strides=_each(stride, 2),
    )  # fmt: skip
    return b.squeeze(made, 0) if single else made
