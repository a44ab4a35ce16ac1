"""Derivatives of the conv family.

The gradient of a convolution's input is a transposed convolution with the same weight; that of its weight is a product
of matrices for every position of the kernel, or a convolution over the batch: channels take the place of samples,
samples that of channels, and stride and dilation change places. For a transposed convolution input and gradient swap
their roles. All are operators with rules again, so higher derivatives follow.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import decomposed, derivative, expanded


def _each(value: Any, n: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return values * n if len(values) == 1 else values


def _fitted(ops: Any, t: Any, sizes: Any) -> Any:
    """The last dimensions cut, or padded with zeros, at their ends."""
    pad: list[int] = []
    for have, want in zip(reversed(t.shape), reversed(list(sizes))):
        pad += [0, want - have]
    return ops.constant_pad_nd(t, pad, 0) if any(pad) else t


def _turned(ops: Any, w: Any, groups: int) -> Any:
    """The weight of the convolution that undoes where one of stride 1 takes its input from."""
    parted = ops.reshape(w, [groups, w.shape[0] // groups, *w.shape[1:]]).transpose(1, 2)
    return ops.flip(ops.reshape(parted, [w.shape[1] * groups, -1, *w.shape[2:]]), list(range(2, w.dim())))


def _for_input(ops: Any, g: Any, w: Any, sizes: Any, options: Any) -> Any:
    stride, padding, dilation, transposed, _, groups = options
    n = len(stride)
    if transposed:
        back = ops.convolution(g, conj(w), None, stride, padding, dilation, False, [0] * n, groups)
        return _fitted(ops, back, sizes)
    around = [d * (k - 1) - p for d, k, p in zip(dilation, w.shape[2:], padding)]
    if all(v == 1 for v in stride) and min(around) >= 0:
        return ops.convolution(g, conj(_turned(ops, w, groups)), None, stride, around, dilation, False, [0] * n, groups)
    extra = [
        size - ((out - 1) * s - 2 * p + d * (k - 1) + 1)
        for size, out, s, p, d, k in zip(sizes, g.shape[2:], stride, padding, dilation, w.shape[2:])
    ]
    return ops.convolution(g, conj(w), None, stride, padding, dilation, True, extra, groups)


def _tap(ops: Any, x: Any, at: Any, steps: Any, counts: Any) -> Any:
    """The elements of the last dimensions that one position of the kernel meets."""
    first = len(x.shape) - len(at)
    for i, (a, s, c) in enumerate(zip(at, steps, counts)):
        x = ops.slice(x, first + i, a, a + s * (c - 1) + 1, s)
    return x


def _by_taps(ops: Any, g: Any, x: Any, size: Any, options: Any) -> Any:
    """The gradient of a weight as one product of matrices for every position of the kernel."""
    stride, padding, dilation, _, _, groups = options
    samples, channels, counts = x.shape[0], x.shape[1] // groups, list(g.shape[2:])
    pad = [p for q in reversed(padding) for p in (q, q)]
    x = conj(ops.constant_pad_nd(x, pad, 0) if any(pad) else x)
    lined = ops.reshape(g, [samples * groups, g.shape[1] // groups, math.prod(counts)])
    taps = []
    for at in product(*(range(k) for k in size)):
        seen = _tap(ops, x, [i * d for i, d in zip(at, dilation)], stride, counts)
        seen = ops.reshape(seen, [samples * groups, channels, math.prod(counts)])
        each = ops.matmul(lined, seen.transpose(1, 2))
        taps.append(ops.sum(ops.reshape(each, [samples, g.shape[1], channels]), [0]))
    return ops.reshape(ops.stack(taps, -1), [g.shape[1], channels, *size])


def _for_weight(ops: Any, g: Any, x: Any, size: Any, options: Any) -> Any:
    """The gradient of a convolution's weight, from that of its result and its input; `size` is the kernel's."""
    stride, padding, dilation, _, _, groups = options
    samples, channels = x.shape[0], x.shape[1]
    if not samples or not math.prod(g.shape):
        return ops.new_zeros(g, [g.shape[1], channels // groups, *size])
    if groups > 1 or math.prod(size) <= 2 * channels:  # large kernels over few channels are the exception
        return _by_taps(ops, g, x, size, options)
    rest = list(range(2, len(x.shape)))
    x, g = ops.permute(x, [1, 0, *rest]), ops.permute(g, [1, 0, *rest])
    found = ops.convolution(conj(x), g, None, dilation, padding, stride, False, [0] * len(rest), 1)
    return ops.permute(_fitted(ops, found, size), [1, 0, *rest])


@derivative("aten::convolution")
def _convolution(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (x, w, _, stride, padding, dilation, transposed, extra, groups) = grads[0], args
    n = len(x.shape) - 2
    options = [_each(v, n) for v in (stride, padding, dilation)] + [transposed, extra, groups]
    size = list(w.shape[2:])

    def weight() -> Any:
        if transposed:
            return conj(_for_weight(ops, x, g, size, options))
        return _for_weight(ops, g, x, size, options)

    return (
        lambda: _for_input(ops, g, w, list(x.shape[2:]), options),
        weight,
        lambda: ops.sum(g, [0, *range(2, n + 2)]),
    )


# the other forms ----------------------------------------------------------------------------------------------------


def _convolved(
    ops: Any, x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, transposed: bool = False,
    output_padding: Any = 0,
) -> Any:  # fmt: skip
    """A convolution of an input with or without samples; a padding may be a word."""
    n = w.dim() - 2
    stride, dilation = _each(stride, n), _each(dilation, n)
    if isinstance(padding, str):
        if padding == "same":
            pad: list[int] = []
            for d, k in zip(reversed(dilation), reversed(w.shape[2:])):
                pad += [d * (k - 1) // 2, d * (k - 1) - d * (k - 1) // 2]
            x = ops.constant_pad_nd(x, pad, 0)
        padding = 0
    alone = x.dim() == n + 1
    x = ops.unsqueeze(x, 0) if alone else x
    y = ops.convolution(
        x, w, b, stride, _each(padding, n), dilation, transposed, _each(output_padding, n), groups
    )  # fmt: skip
    return ops.squeeze(y, 0) if alone else y


@expanded(*(f"aten::conv{n}d{form}" for n in (1, 2, 3) for form in ("", ".padding")), "aten::_convolution_mode")
def _conv(
    ops: Any, x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    return _convolved(ops, x, w, b, stride, padding, dilation, groups)


@expanded("aten::conv_transpose1d", "aten::conv_transpose2d.input", "aten::conv_transpose3d.input")
def _conv_transpose(
    ops: Any, x: Any, w: Any, b: Any, stride: Any, padding: Any, output_padding: Any, groups: int, dilation: Any
) -> Any:
    return _convolved(ops, x, w, b, stride, padding, dilation, groups, True, output_padding)


@expanded("aten::_convolution", "aten::_convolution.deprecated")
def _any_convolution(
    ops: Any, x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int, *_: Any,
) -> Any:  # fmt: skip
    return _convolved(ops, x, w, b, stride, padding, dilation, groups, transposed, output_padding)


@expanded("aten::thnn_conv2d", "aten::slow_conv3d", "aten::slow_conv3d_forward")
def _slow_conv(ops: Any, x: Any, w: Any, size: Any, b: Any, stride: Any, padding: Any) -> Any:
    return _convolved(ops, x, w, b, stride, padding, 1, 1)


@expanded("aten::slow_conv_dilated2d", "aten::slow_conv_dilated3d")
def _slow_dilated(ops: Any, x: Any, w: Any, size: Any, b: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    return _convolved(ops, x, w, b, stride, padding, dilation, 1)


@expanded("aten::_conv_depthwise2d", "aten::conv_depthwise3d")
def _conv_depthwise(ops: Any, x: Any, w: Any, size: Any, b: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    return _convolved(ops, x, w, b, stride, padding, dilation, x.shape[-len(size) - 1])


@expanded("aten::slow_conv_transpose2d", "aten::slow_conv_transpose3d")
def _slow_transposed(
    ops: Any, x: Any, w: Any, size: Any, b: Any, stride: Any, padding: Any, output_padding: Any, dilation: Any
) -> Any:
    return _convolved(ops, x, w, b, stride, padding, dilation, 1, True, output_padding)


@expanded("aten::_nnpack_spatial_convolution")
def _nnpack(ops: Any, x: Any, w: Any, b: Any, padding: Any, stride: Any) -> Any:
    return _convolved(ops, x, w, b, stride, padding, 1, 1)


@decomposed("aten::conv_tbc")
def _conv_tbc(ops: Any, x: Any, w: Any, b: Any, pad: int) -> Any:
    y = ops.convolution(
        ops.permute(x, [1, 2, 0]), ops.permute(w, [2, 1, 0]), b, [1], [pad], [1], False, [0], 1
    )  # fmt: skip
    return ops.permute(y, [2, 0, 1])


# windows ------------------------------------------------------------------------------------------------------------


@derivative("aten::im2col", reads_self=False)
def _im2col(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, size, dilation, padding, stride = args
    return (lambda: ops.col2im(grads[0], list(x.shape[-2:]), size, dilation, padding, stride),)


@derivative("aten::col2im", reads_self=False)
def _col2im(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    _, _, size, dilation, padding, stride = args
    return (lambda: ops.im2col(grads[0], size, dilation, padding, stride),)
