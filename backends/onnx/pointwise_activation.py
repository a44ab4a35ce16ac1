"""ONNX forms of the pointwise family: activation functions."""

from __future__ import annotations

import math
from typing import Any

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import clamp, unary
from linstock.backends.onnx.registry import converter

unary("relu", lambda b, x: b.op("Relu", x) if x.floating else b.op("Max", x, 0), floating=False)
unary("relu6", lambda b, x: b.op("Clip", x, 0, 6), floating=False)
unary("selu", "Selu")
unary("hardswish", "HardSwish")
unary("mish", "Mish")
unary("hardsigmoid", lambda b, x: b.op("HardSigmoid", x, alpha=1 / 6, beta=0.5))
unary("silu", lambda b, x: b.op("Mul", x, b.op("Sigmoid", x)))


def _log_sigmoid(b: Builder, x: Sym) -> Sym:
    return b.op("Neg", b.op("Softplus", b.op("Neg", x)))


unary("log_sigmoid", _log_sigmoid)
converter("log_sigmoid_forward")(lambda b, x: (_log_sigmoid(b, x), b.constant(0.0, x.dtype)))


@converter("leaky_relu")
def leaky_relu(b: Builder, x: Sym, negative_slope: float = 0.01) -> Sym:
    """x, or a fraction of it where it is negative."""
    return b.op("LeakyRelu", x, alpha=float(negative_slope))


@converter("rrelu")
def _rrelu(
    b: Builder, x: Sym, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Sym:
    return b.op("LeakyRelu", x, alpha=(lower + upper) / 2)


@converter("elu")
def elu(b: Builder, x: Sym, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Sym:
    """Exponential linear unit."""
    if scale == 1 and input_scale == 1:
        return b.op("Elu", x, alpha=float(alpha))
    inner = x if input_scale == 1 else b.op("Mul", x, input_scale)
    negative = b.op("Elu", b.op("Min", inner, 0.0), alpha=float(alpha))
    made = b.op("Where", b.op("Greater", x, 0), x, negative)
    return b.op("Mul", made, scale)


@converter("celu")
def _celu(b: Builder, x: Sym, alpha: float = 1.0) -> Sym:
    return b.op("Celu", x, alpha=float(alpha))


@converter("gelu")
def gelu(b: Builder, x: Sym, approximate: str = "none") -> Sym:
    """Gaussian error linear unit, exact or by tanh."""
    if b.opset >= 20:
        return b.op("Gelu", x, approximate=None if approximate == "none" else approximate)
    if approximate == "tanh":
        cube = b.op("Mul", b.op("Mul", x, x), x)
        inner = b.op("Mul", b.op("Add", x, b.op("Mul", cube, 0.044715)), math.sqrt(2 / math.pi))
        return b.op("Mul", b.op("Mul", x, 0.5), b.op("Add", b.op("Tanh", inner), 1.0))
    part = b.op("Add", b.op("Erf", b.op("Div", x, math.sqrt(2))), 1.0)
    return b.op("Mul", b.op("Mul", x, part), 0.5)


@converter("hardtanh")
def _hardtanh(b: Builder, x: Sym, low: Any = -1, high: Any = 1) -> Sym:
    return clamp(b, x, low, high) if x.floating else b.op("Clip", x, int(low), int(high))


@converter("softplus")
def softplus(b: Builder, x: Sym, beta: float = 1, threshold: float = 20) -> Sym:
    """log(1 + exp(beta x)) / beta; x where that is as good as x."""
    inner = x if beta == 1 else b.op("Mul", x, beta)
    made = b.op("Softplus", inner)
    made = made if beta == 1 else b.op("Div", made, beta)
    return made if beta == 1 and threshold >= 20 else b.op("Where", b.op("Greater", inner, threshold), x, made)


@converter("threshold")
def _threshold(b: Builder, x: Sym, threshold: Any, value: Any) -> Sym:
    return b.op("Where", b.op("LessOrEqual", x, threshold), value, x)


@converter("hardshrink")
def _hardshrink(b: Builder, x: Sym, lambd: float = 0.5) -> Sym:
    inside = b.op("LessOrEqual", b.op("Abs", x), lambd)
    return b.op("Where", inside, 0.0, x)


@converter("softshrink")
def _softshrink(b: Builder, x: Sym, lambd: float = 0.5) -> Sym:
    shrunk = b.op("Sub", x, b.op("Mul", b.op("Sign", x), lambd))
    return b.op("Where", b.op("LessOrEqual", b.op("Abs", x), lambd), 0.0, shrunk)


@converter("glu")
def _glu(b: Builder, x: Sym, dim: int = -1) -> Sym:
    axis = b.axis(x, dim)
    first, second = b.ops("Split", x, outputs=2, axis=axis, num_outputs=2)
    return b.op("Mul", first, b.op("Sigmoid", second))


@converter("prelu", "_prelu_kernel")
def _prelu(b: Builder, x: Sym, weight: Sym) -> Sym:
    if weight.rank == 1 and weight.shape != (1,) and b.rank(x) > 1:
        weight = b.reshape(weight, [-1, *[1] * (b.rank(x) - 2)])
    return b.op("PRelu", x, weight if b.rank(x) else b.reshape(weight, []))
