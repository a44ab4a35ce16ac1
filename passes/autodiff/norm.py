"""Derivatives of the norm family: softmax and its kin from their results, norms from the statistics that their native
forms give."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.reduction import spread
from linstock.passes.autodiff.registry import decomposed, derivative, expanded

_HALF, _FLOAT, _BFLOAT16 = 5, 6, 15


def wide(ops: Any, t: Any) -> Any:
    """A half-precision tensor in single precision: sums over many elements need it."""
    if t is None or t.dtype.code not in (_HALF, _BFLOAT16):
        return t
    return ops.call("aten::to.dtype", t, _FLOAT)


# softmax ------------------------------------------------------------------------------------------------------------


@derivative("aten::softmax.int", "aten::_softmax", "aten::_safe_softmax", reads_self=False)
def softmax(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """The rule of softmax along a dimension."""
    g, y = grads[0], outputs[0]
    return (lambda: ops.call("aten::_softmax_backward_data", g, y, args[1], y.dtype.code),)


@derivative("aten::_softmax_backward_data")
def _softmax_backward(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    h, (g, y, dim, _) = grads[0], args
    code = h.dtype.code

    def to_result() -> Any:
        both = [dim], True
        return h * (g - ops.sum(g * y, *both)) - g * ops.sum(h * y, *both)

    return lambda: ops.call("aten::_softmax_backward_data", h, y, dim, code), to_result


@derivative("aten::log_softmax.int", "aten::_log_softmax", reads_self=False)
def log_softmax(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """The rule of log-softmax along a dimension."""

    def own() -> Any:
        g, y = wide(ops, grads[0]), wide(ops, outputs[0])
        return g - ops.exp(y) * ops.sum(g, [args[1]], True)

    return (own,)


@derivative("aten::logsumexp")
def logsumexp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """The rule of the logarithm of a sum of exponentials."""
    x, dim, keep = args
    g, y = (spread(v, x.shape, dim, keep) for v in (grads[0], outputs[0]))
    return (lambda: g * conj(ops.exp(x - y)),)


# statistics over some dimensions ------------------------------------------------------------------------------------


def _standardised(
    ops: Any, g: Any, x: Any, scale: Any, mean: Any, inverse: Any, over: list[int], g_mean: Any, g_inverse: Any
) -> Any:
    """The gradient of the input of (x - mean) * inverse * scale, where mean and inverse deviation are those of x
    `over` some dimensions (and keep these as 1); they have gradients of their own when a gradient is differentiated."""
    n = math.prod([x.shape[d] for d in over])
    # nobody sees what is only needed here, unless this is differentiated
    multiply, subtract = (ops.mul, ops.sub) if ops.recording else (ops.mul_, ops.sub_)
    unit = multiply(x - mean, inverse)
    gw = g if scale is None else g * scale
    middle = (ops.sum(gw, over, True) - g_mean / inverse) / n
    slope = (ops.sum(gw * unit, over, True) + g_inverse * inverse) / n
    centred = gw - middle if scale is None else subtract(gw, middle)
    return multiply(subtract(centred, multiply(unit, slope)), inverse)


def _affine(ops: Any, g: Any, x: Any, mean: Any, inverse: Any, over: list[int], shape: list[int]) -> Any:
    """The gradients of scale and shift."""
    multiply = ops.mul if ops.recording else ops.mul_
    return (
        lambda: ops.reshape(ops.sum(multiply(multiply(x - mean, inverse), g), over), shape),
        lambda: ops.reshape(ops.sum(g, over), shape),
    )


def _batch_norm(
    ops: Any, grads: Any, outputs: Any, x: Any, weight: Any, running: Any, training: bool, eps: float
) -> Any:
    """(input, weight, bias) gradients of a batch norm."""
    g, x, weight = wide(ops, grads[0]), wide(ops, x), wide(ops, weight)
    channels = [1, -1] + [1] * (len(x.shape) - 2)
    over = [d for d in range(len(x.shape)) if d != 1]
    scale = None if weight is None else ops.reshape(weight, channels)
    if training:
        mean, inverse, g_mean, g_inverse = (
            ops.reshape(wide(ops, v), channels) for v in (*outputs[1:3], *grads[1:3])
        )  # fmt: skip
    else:
        mean = ops.reshape(wide(ops, running[0]), channels)
        inverse = ops.reshape(ops.rsqrt(wide(ops, running[1]) + eps), channels)

    def own() -> Any:
        if not training:
            return g * (inverse if scale is None else inverse * scale)
        return _standardised(ops, g, x, scale, mean, inverse, over, g_mean, g_inverse)

    return own, *_affine(ops, g, x, mean, inverse, over, [x.shape[1]])


@derivative("aten::native_batch_norm", results=(0,))
def _native_batch_norm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, weight, _, *running, training, _, eps = args
    return _batch_norm(ops, grads, outputs, x, weight, running, training, eps)


@derivative("aten::_native_batch_norm_legit.no_stats", results=(0,))
def _no_stats(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _batch_norm(ops, grads, outputs, args[0], args[1], None, True, args[5])


@derivative("aten::_batch_norm_with_update", results=(0,))
def _with_update(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _batch_norm(ops, grads, outputs, args[0], args[1], None, True, args[6])


@expanded("aten::_native_batch_norm_legit")
def _native_batch_norm_legit(ops: Any, *args: Any) -> Any:
    return ops.call("aten::native_batch_norm", *args)


def _nothing(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """The gradients of tensors without elements."""
    return tuple(None if t is None else ops.zeros_like(t) for t in args[:3])


@expanded("aten::batch_norm", rule=_nothing)
def _as_native_batch_norm(ops: Any, *args: Any) -> Any:
    return ops.call("aten::native_batch_norm", *args[:8])[0] if args[0].dim() > 1 else NotImplemented


@expanded("aten::instance_norm")
def _instance_norm(
    ops: Any, x: Any, weight: Any, bias: Any, mean: Any, variance: Any, use_input: bool, momentum: float, eps: float,
    *_: Any,
) -> Any:  # fmt: skip
    if (mean is None) != (variance is None) or (mean is None and not use_input):
        return NotImplemented
    samples, channels = x.shape[0], x.shape[1]

    def repeated(t: Any) -> Any:
        return None if t is None else ops.repeat(t, [samples])

    given = [repeated(t) for t in (weight, bias, mean, variance)]
    joined = ops.reshape(x, [1, samples * channels, *x.shape[2:]])
    y = ops.call("aten::native_batch_norm", joined, *given, use_input, momentum, eps)[0]
    if use_input:
        for running, each in zip((mean, variance), given[2:]):
            if running is not None:
                ops.copy_(running, ops.mean(ops.reshape(each, [samples, channels]), [0]))
    return ops.reshape(y, list(x.shape))


# layer, group and RMS norm ------------------------------------------------------------------------------------------


@derivative("aten::native_layer_norm", results=(0,))
def _native_layer_norm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    shape = list(args[1])
    g, g_mean, g_inverse = (wide(ops, v) for v in grads)
    x, weight, mean, inverse = (wide(ops, v) for v in (args[0], args[2], outputs[1], outputs[2]))
    first = len(x.shape) - len(shape)
    weights, biases = _affine(ops, g, x, mean, inverse, list(range(first)), shape) if first else (
        lambda: g * ((x - mean) * inverse), lambda: g
    )  # fmt: skip
    over = list(range(first, len(x.shape)))
    return (
        lambda: _standardised(ops, g, x, weight, mean, inverse, over, g_mean, g_inverse),
        None,
        weights,
        biases,
    )


@expanded("aten::layer_norm")
def _layer_norm(ops: Any, x: Any, shape: Any, weight: Any, bias: Any, eps: float, *_: Any) -> Any:
    return ops.call("aten::native_layer_norm", x, shape, weight, bias, eps)[0]


@derivative("aten::native_group_norm")
def _native_group_norm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, weight, _, samples, channels, _, groups, _ = args
    parted = [samples, groups, channels // groups, -1]
    full = list(x.shape)
    if not math.prod(full):
        return _nothing(ops, grads, args, outputs)
    g, x = (ops.reshape(wide(ops, v), parted) for v in (grads[0], x))
    mean, inverse, g_mean, g_inverse = (
        ops.reshape(wide(ops, v), [samples, groups, 1, 1]) for v in (*outputs[1:], *grads[1:])
    )
    scale = None if weight is None else ops.reshape(wide(ops, weight), [1, groups, channels // groups, 1])

    def own() -> Any:
        return ops.reshape(
            _standardised(ops, g, x, scale, mean, inverse, [2, 3], g_mean, g_inverse), full
        )  # fmt: skip

    return own, *_affine(ops, g, x, mean, inverse, [0, 3], [channels])


@expanded("aten::group_norm")
def _group_norm(ops: Any, x: Any, groups: int, weight: Any, bias: Any, eps: float, *_: Any) -> Any:
    if groups <= 0 or x.dim() < 2 or x.shape[1] % groups:
        return NotImplemented
    samples, channels = x.shape[0], x.shape[1]
    rest = math.prod(x.shape[2:])
    return ops.call("aten::native_group_norm", x, weight, bias, samples, channels, rest, groups, eps)[0]


@decomposed("aten::rms_norm")
def _rms_norm(ops: Any, x: Any, shape: Any, weight: Any, eps: Any) -> Any:
    x, weight = wide(ops, x), wide(ops, weight)
    over = list(range(x.dim() - len(shape), x.dim()))
    if eps is None:
        eps = 2.0**-52 if x.dtype.itemsize == 8 and not x.dtype.is_complex else 2.0**-23
    y = x * ops.rsqrt(ops.mean(x * x, over, True) + eps)
    return y if weight is None else y * weight
