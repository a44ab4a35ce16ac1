"""ONNX forms of the norm family: normalisations and softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import is_nan
from linstock.backends.onnx.reduction import dims_of, mean, variance
from linstock.backends.onnx.registry import converter


def _per_channel(b: Builder, x: Sym, values: Sym | None, default: float) -> Sym:
    """One value per channel, in x's type."""
    if values is not None:
        return b.cast(values, x.dtype)
    return b.filled([b.size(x, 1)], default, x.dtype)


def _along_channels(b: Builder, x: Sym, values: Sym) -> Sym:
    """A value per channel, shaped to broadcast against x."""
    return b.reshape(values, [-1, *[1] * (b.rank(x) - 2)]) if b.rank(x) > 2 else values


def _batch_statistics(b: Builder, x: Sym) -> tuple[Sym, Sym]:
    spread, middle = variance(b, x, [0, *range(2, b.rank(x))], 0, True)
    return middle, spread


def _shifted(b: Builder, x: Sym, weight: Sym | None, bias: Sym | None) -> Sym:
    """x times a weight plus a bias per channel."""
    if weight is not None:
        x = b.op("Mul", x, b.cast(_along_channels(b, x, weight), x.dtype))
    return x if bias is None else b.op("Add", x, b.cast(_along_channels(b, x, bias), x.dtype))


def batch_norm(
    b: Builder, x: Sym, weight: Sym | None, bias: Sym | None, running_mean: Sym | None, running_var: Sym | None, training: bool,
    momentum: float, eps: float, *rest: Any,
) -> Sym:  # fmt: skip
    """Normalised by running statistics, or in training by the batch's own."""
    if training or running_mean is None or running_var is None:
        if running_mean is not None:
            b.note(
                "batch normalisation in training takes each batch's own statistics and keeps none: call model.eval() before the export"
            )
        middle, spread = _batch_statistics(b, x)
        apart = b.op("Sub", x, middle)
        return _shifted(b, b.op("Div", apart, b.op("Sqrt", b.op("Add", spread, eps))), weight, bias)
    parts = [_per_channel(b, x, v, d) for v, d in ((weight, 1.0), (bias, 0.0), (running_mean, 0.0), (running_var, 1.0))]
    made = b.op("BatchNormalization", x, *parts, epsilon=float(eps))
    return b.shaped(made, x.shape or ())


converter("batch_norm")(batch_norm)


@converter("native_batch_norm", "_native_batch_norm_legit")
def _native_batch_norm(
    b: Builder, x: Sym, weight: Any, bias: Any, mean_: Any, var: Any, training: bool, momentum: float, eps: float
) -> tuple[Sym, ...]:
    made = batch_norm(b, x, weight, bias, mean_, var, training, momentum, eps)
    if not training:
        empty = b.constant(np.zeros(0), x.dtype)
        return made, empty, empty
    middle, spread = _batch_statistics(b, x)
    root = b.op("Reciprocal", b.op("Sqrt", b.op("Add", spread, eps)))
    return made, b.reshape(middle, [-1]), b.reshape(root, [-1])


@converter("_native_batch_norm_legit.no_stats")
def _batch_norm_no_stats(
    b: Builder, x: Sym, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> tuple[Sym, ...]:
    return _native_batch_norm(b, x, weight, bias, None, None, True, momentum, eps)


@converter("instance_norm")
def _instance_norm(
    b: Builder, x: Sym, weight: Sym | None, bias: Sym | None, running_mean: Sym | None, running_var: Sym | None, use_input_stats: bool,
    momentum: float, eps: float, *rest: Any,
) -> Sym:  # fmt: skip
    if not use_input_stats:
        return batch_norm(b, x, weight, bias, running_mean, running_var, False, momentum, eps)
    return b.op(
        "InstanceNormalization", x, _per_channel(b, x, weight, 1.0), _per_channel(b, x, bias, 0.0), epsilon=float(eps)
    )


def group_norm(
    b: Builder, x: Sym, groups: int, weight: Sym | None = None, bias: Sym | None = None, eps: float = 1e-5, *rest: Any
) -> Sym:
    """Normalised over groups of channels."""
    sizes = b.sizes(x)
    ones, zeros = (b.constant(np.full(groups, v), x.dtype) for v in (1.0, 0.0))
    made = b.op("InstanceNormalization", b.reshape(x, [sizes[0], groups, -1]), ones, zeros, epsilon=float(eps))
    return _shifted(b, b.reshape(made, sizes), weight, bias)


converter("group_norm")(group_norm)


@converter("native_group_norm")
def _native_group_norm(
    b: Builder, x: Sym, weight: Any, bias: Any, n: Any, c: Any, hw: Any, groups: int, eps: float
) -> tuple[Sym, ...]:
    made = group_norm(b, x, groups, weight, bias, eps)
    spread, middle = variance(b, b.reshape(x, [n, groups, -1]), [2], 0, False)
    return made, middle, b.op("Reciprocal", b.op("Sqrt", b.op("Add", spread, eps)))


def layer_norm(
    b: Builder,
    x: Sym,
    shape: Sequence[Any],
    weight: Sym | None = None,
    bias: Sym | None = None,
    eps: float = 1e-5,
    *rest: Any,
) -> Sym:
    """Normalised over the last dimensions."""
    scale = b.filled(list(shape), 1, x.dtype) if weight is None else b.cast(weight, x.dtype)
    return b.op(
        "LayerNormalization",
        x,
        scale,
        None if bias is None else b.cast(bias, x.dtype),
        axis=-len(shape),
        epsilon=float(eps),
    )


converter("layer_norm")(layer_norm)


@converter("native_layer_norm")
def _native_layer_norm(b: Builder, x: Sym, shape: list[Any], weight: Any, bias: Any, eps: float) -> tuple[Sym, ...]:
    spread, middle = variance(b, x, list(range(-len(shape), 0)), 0, True)
    return (
        layer_norm(b, x, shape, weight, bias, eps),
        middle,
        b.op("Reciprocal", b.op("Sqrt", b.op("Add", spread, eps))),
    )


@converter("rms_norm")
def _rms_norm(b: Builder, x: Sym, shape: list[Any], weight: Sym | None = None, eps: float | None = None) -> Sym:
    if eps is None:
        eps = float(np.finfo(np.float64 if x.dtype == 7 else np.float32).eps)
    if b.opset >= 23:
        scale = b.filled(list(shape), 1, x.dtype) if weight is None else b.cast(weight, x.dtype)
        return b.op("RMSNormalization", x, scale, axis=-len(shape), epsilon=float(eps))
    squares = mean(b, b.op("Mul", x, x), list(range(-len(shape), 0)), True)
    made = b.op("Div", x, b.op("Sqrt", b.op("Add", squares, eps)))
    return made if weight is None else b.op("Mul", made, b.cast(weight, made.dtype))


# -- softmax -----------------------------------------------------------------------------------------------------------
def softmax(b: Builder, x: Sym, dim: int, dtype: int | None = None, kind: str = "Softmax") -> Sym:
    """Softmax, or its logarithm, along a dimension."""
    x = x if dtype is None else b.cast(x, dtype)
    x = b.floating(x)
    if not b.rank(x):
        return b.reshape(b.op(kind, b.reshape(x, [1]), axis=0), [])
    return b.op(kind, x, axis=b.axis(x, dim))


converter("softmax.int", "special_softmax")(softmax)
converter("log_softmax.int", "special_log_softmax")(
    lambda b, x, dim, dtype=None: softmax(b, x, dim, dtype, "LogSoftmax")
)
converter("_softmax")(lambda b, x, dim, half_to_float: softmax(b, x, dim, 6 if half_to_float else None))
converter("_log_softmax")(
    lambda b, x, dim, half_to_float: softmax(b, x, dim, 6 if half_to_float else None, "LogSoftmax")
)


def safe_softmax(b: Builder, x: Sym, dim: int, dtype: int | None = None) -> Sym:
    """Softmax that is zero where all is minus infinity."""
    made = softmax(b, x, dim, dtype)
    return b.op("Where", is_nan(b, made), 0.0, made)


converter("_safe_softmax")(safe_softmax)


@converter("logsumexp", "special_logsumexp")
def logsumexp(b: Builder, x: Sym, dim: Any, keepdim: bool = False) -> Sym:
    """log(sum(exp(x))) over dimensions."""
    x = b.floating(x)
    dims = dims_of(b, x, dim)
    if not b.rank(x):
        return x
    dims = list(range(b.rank(x))) if dims is None else dims
    high = b.op("ReduceMax", x, b.ints(*dims), keepdims=1)
    high = b.op("Where", b.op("Less", b.op("Abs", high), float("inf")), high, 0.0)
    made = b.op(
        "Add", b.op("Log", b.op("ReduceSum", b.op("Exp", b.op("Sub", x, high)), b.ints(*dims), keepdims=1)), high
    )
    return made if keepdim else b.squeeze(made, *dims)
