"""Derivatives of the random family: dropout and randomised leaky ReLU through what was drawn; drawing has none."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.registry import derivative, expanded, not_differentiable

_ALPHA = 1.7580993408473766  # SELU's saturation, which alpha dropout keeps


def _dropping(name: str, feature: bool, alpha: bool) -> None:
    def function(ops: Any, x: Any, p: float, train: bool) -> Any:
        if not 0 <= p <= 1 or (feature and x.dim() < 2):
            return NotImplemented
        if p == 0 or not train or 0 in x.shape:
            return ops.alias(x)
        if p == 1:
            return x * 0
        shape = list(x.shape[:2]) + [1] * (x.dim() - 2) if feature else None
        blank = ops.empty_like(x) if shape is None else ops.new_empty(x, shape)
        noise = ops.bernoulli_(blank.detach(), 1 - p)
        if not alpha:
            return x * (noise / (1 - p))
        a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
        return x * (noise * a) + ((noise - 1) * (_ALPHA * a) + _ALPHA * a * p)

    expanded(f"aten::{name}")(function)


for _feature in (False, True):
    for _alpha in (False, True):
        _dropping(f"{'feature_' if _feature else ''}{'alpha_' if _alpha else ''}dropout", _feature, _alpha)


@derivative("aten::native_dropout", reads_self=False)
def _native_dropout(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    _, p, train = args
    scale = 1.0 if train is False else 1 / (1 - p) if p < 1 else 0.0
    return (lambda: ops.call("aten::native_dropout_backward", grads[0], outputs[1], scale),)


@derivative("aten::native_dropout_backward", reads_self=False)
def _native_dropout_backward(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.call("aten::native_dropout_backward", grads[0], args[1], args[2]),)


# randomised leaky ReLU ----------------------------------------------------------------------------------------------


@derivative("aten::rrelu_with_noise_functional", results=(0,))
def _rrelu_functional(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, _, low, high, training, _ = args
    return (lambda: grads[0] * (outputs[1].detach() if training else ops.where(x > 0, 1.0, (low + high) / 2)),)


@expanded("aten::rrelu")
def _rrelu(ops: Any, x: Any, *options: Any) -> Any:
    return ops.call("aten::rrelu_with_noise_functional", x, ops.empty_like(x), *options)[0]


@expanded("aten::rrelu_with_noise")
def _rrelu_with_noise(ops: Any, x: Any, noise: Any, *options: Any) -> Any:
    y, drawn = ops.call("aten::rrelu_with_noise_functional", x, noise, *options)
    ops.copy_(noise, drawn)
    return y


# drawn --------------------------------------------------------------------------------------------------------------


@derivative(
    *(f"aten::bernoulli{o}" for o in ("", ".p", ".Tensor")), "aten::binomial", "aten::poisson", "aten::cauchy",
    "aten::exponential", "aten::geometric", "aten::log_normal", "aten::uniform", "aten::random", "aten::random.from",
    "aten::random.to", "aten::normal_functional", "aten::normal.Tensor_float", "aten::normal.Tensor_Tensor",
    "aten::normal_", "aten::bernoulli_.Tensor", "aten::bernoulli_.float", reads_self=False,
)  # fmt: skip
def _drawn(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """What is drawn does not change with what it is drawn for."""
    return (lambda: ops.new_zeros(grads[0], list(args[0].shape)),)


@derivative("aten::normal.float_Tensor")
def _drawn_around(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return None, lambda: ops.new_zeros(grads[0], list(args[1].shape))


not_differentiable(
    "rand_like* randint_like* randn_like* multinomial _no_grad_normal_ _no_grad_uniform_ _fill_mem_eff_dropout_mask_",
    "the result is drawn, not computed from the values",
)
