"""Activation functions: elementwise, floating point unless they only select or clamp."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import promotion as P
from .blocks import blocked, erf_for, expm1_of_negative, limited, log1p_of_small
from .constructors import Function, short_name, unsupported
from .promotion import Array, array, cast, cast_scalar
from .registry import kernel


def activation(*names: str) -> Callable[[Function], Function]:
    """Register a function of floating-point arrays and numbers; it computes in float32 for float16 and bfloat16."""
    what = short_name(names)

    def register(function: Function) -> Function:
        in_blocks = blocked(function)

        @functools.wraps(function)
        def run(self: Array, *arguments: Any) -> Array:
            d = self.dtype
            if d is P.FLOAT32 or d is P.FLOAT64:
                return in_blocks(self, *arguments)
            if d.kind == "c" or not P.is_inexact(d):
                unsupported(what, d)
            return in_blocks(P.wide(self), *arguments).astype(d, copy=False)

        return kernel(*names)(run)

    return register


def _number(value: Any, x: Array) -> Array:
    return cast_scalar(value, x.dtype)


# --- selecting and clamping -------------------------------------------------------------------------------------------


@kernel("aten::relu")
def relu(self: Array) -> Array:
    """max(x, 0). Raises RuntimeError for bool, NotImplementedError for complex."""
    kind = self.dtype.kind
    if kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if kind == "c":
        raise NotImplementedError("relu is not supported for complex types")
    return limited(P.wide(self), 0).astype(self.dtype, copy=False)


@kernel("aten::hardtanh")
def hardtanh(self: Array, min_val: Any = -1, max_val: Any = 1) -> Array:
    """x limited to [min_val, max_val], in its own type."""
    kind = self.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind == "c":
        raise NotImplementedError("hardtanh is not supported for complex types")
    if kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return limited(P.wide(self), min_val, max_val).astype(self.dtype, copy=False)


@kernel("aten::relu6")
def relu6(self: Array) -> Array:
    """x limited to [0, 6]."""
    return hardtanh(self, 0, 6)


@kernel("aten::threshold")
def threshold(self: Array, threshold: Any, value: Any) -> Array:
    """x where it is above the threshold, else the value."""
    if self.dtype.kind in "bc":
        unsupported("threshold", self.dtype)
    x = P.wide(self)
    return array(np.where(x <= _number(threshold, x), _number(value, x), x)).astype(self.dtype, copy=False)


@activation("aten::hardshrink")
def hardshrink(x: Array, lambd: Any = 0.5) -> Array:
    """x, but 0 within [-lambd, lambd]."""
    return np.multiply(x, np.abs(x) > _number(lambd, x))


@activation("aten::softshrink")
def softshrink(x: Array, lambd: Any = 0.5) -> Array:
    """x moved towards 0 by lambd, 0 within [-lambd, lambd]. Raises RuntimeError for a negative lambd."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return np.subtract(x, limited(x, -lambd, lambd))


@activation("aten::leaky_relu")
def leaky_relu(x: Array, negative_slope: Any = 0.01) -> Array:
    """x above 0, negative_slope * x below."""
    if 0 < negative_slope < 1:
        scaled = array(np.multiply(x, _number(negative_slope, x)))
        return np.maximum(x, scaled, out=scaled)
    below = limited(x, None, 0)
    below *= _number(negative_slope, x)
    below += limited(x, 0)
    return below


@kernel("aten::_prelu_kernel")
def _prelu_kernel(self: Array, weight: Array) -> Array:
    if self.dtype.kind == "c" or not P.is_inexact(self.dtype) or self.dtype != weight.dtype:
        unsupported("prelu", self.dtype)
    x = P.wide(self)
    return array(limited(x, 0) + P.wide(weight) * limited(x, None, 0)).astype(self.dtype, copy=False)


@kernel("aten::prelu")
def prelu(self: Array, weight: Array) -> Array:
    """x above 0, weight * x below; one weight, or one per channel (dimension 1)."""
    if self.dtype != weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {self.dtype} and {weight.dtype}")
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.size == 1:
        return _prelu_kernel(self, weight.reshape(()))
    if self.ndim == 0:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = self.shape[1] if self.ndim > 1 else 1
    if channels != weight.size:
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. "
            f"Found parameter numbers = {weight.size} and channel size = {channels}."
        )
    return _prelu_kernel(self, weight.reshape((-1,) + (1,) * (self.ndim - 2)))


# --- exponential ------------------------------------------------------------------------------------------------------


@activation("aten::elu")
def elu(x: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    below, above = limited(x, None, 0), limited(x, 0)
    if input_scale != 1:
        below *= _number(input_scale, x)
    below = expm1_of_negative(below) if input_scale >= 0 else array(np.expm1(below))
    if alpha != 1 or scale != 1:
        below *= _number(float(alpha) * float(scale), x)
        above *= _number(scale, x)
    below += above
    return below


@kernel("aten::selu")
def selu(self: Array) -> Array:
    """elu with the constants of self-normalising networks."""
    return elu(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)  # type: ignore[no-any-return]


@kernel("aten::celu")
def celu(self: Array, alpha: Any = 1.0) -> Array:
    """elu, continuously differentiable. Raises RuntimeError for alpha = 0."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(self, alpha, 1.0, 1.0 / alpha)  # type: ignore[no-any-return]


def one_plus_exp_of_minus(x: Array) -> Array:
    """1 + exp(-x), the divisor of the sigmoid."""
    out = array(np.negative(x))
    np.exp(out, out=out)
    out += 1
    return out


def _silu(x: Array) -> Array:
    out = one_plus_exp_of_minus(x)
    return np.divide(x, out, out=out)


_silu_in_blocks = blocked(_silu)


@kernel("aten::silu")
def silu(self: Array) -> Array:
    """x * sigmoid(x); complex too."""
    if not P.is_inexact(self.dtype):
        unsupported("silu", self.dtype)
    return _silu_in_blocks(P.wide(self)).astype(self.dtype, copy=False)


@blocked
def _gelu(x: Array, approximate: str, erf: Function) -> Array:
    if approximate == "none":
        out = array(erf(array(np.multiply(x, _number(math.sqrt(0.5), x)))))
    elif approximate == "tanh":
        out = array(np.multiply(x, x))
        out *= _number(0.044715, x)
        out += 1
        out *= x
        out *= _number(math.sqrt(2 / math.pi), x)
        np.tanh(out, out=out)
    else:
        raise RuntimeError(f"approximate argument must be either none or tanh, not {approximate!r}")
    out += 1
    out *= x
    out *= _number(0.5, x)
    return out


@kernel("aten::gelu")
def gelu(self: Array, approximate: str = "none") -> Array:
    """x * P(normal <= x), exactly or by the tanh approximation."""
    if self.dtype.kind == "c" or not P.is_inexact(self.dtype):
        unsupported("gelu", self.dtype)
    x = P.wide(self)
    return _gelu(x, approximate, erf_for(x)).astype(self.dtype, copy=False)


@activation("aten::softplus")
def softplus(x: Array, beta: Any = 1, threshold: Any = 20) -> Array:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold."""
    scaled = x if beta == 1 else array(x * _number(beta, x))
    out = limited(scaled, 0)
    out += log1p_of_small(np.exp(-np.abs(scaled)))
    if beta != 1:
        out /= _number(beta, x)
    linear = array(np.greater(scaled, _number(threshold, x)))
    if linear.any():
        np.copyto(out, x, where=linear)
    return out


@activation("aten::mish")
def mish(x: Array) -> Array:
    """x * tanh(softplus(x)), where tanh(log(1 + e)) is e * (e + 2) / (e * (e + 2) + 2)."""
    e = limited(x, None, 20)  # the quotient is 1 from there on
    np.exp(e, out=e)
    out = array(e + 2)
    out *= e
    np.add(out, 2, out=e)
    out /= e
    out *= x
    return out


def _log_sigmoid(x: Array) -> tuple[Array, Array]:
    buffer = array(np.exp(-np.abs(x)))
    return array(limited(x, None, 0) - log1p_of_small(buffer)), buffer


@activation("aten::log_sigmoid")
def log_sigmoid(x: Array) -> Array:
    """log(sigmoid(x)) without overflow."""
    return _log_sigmoid(x)[0]


@kernel("aten::log_sigmoid_forward")
def log_sigmoid_forward(self: Array) -> tuple[Array, Array]:
    """log(sigmoid(x)), and exp(-|x|) for the gradient."""
    if self.dtype.kind == "c" or not P.is_inexact(self.dtype):
        unsupported("log_sigmoid", self.dtype)
    out, buffer = _log_sigmoid(P.wide(self))
    return array(out).astype(self.dtype, copy=False), array(buffer).astype(self.dtype, copy=False)


@activation("aten::hardsigmoid")
def hardsigmoid(x: Array) -> Array:
    """(x + 3) / 6 limited to [0, 1]."""
    out = limited(array(np.add(x, 3)), 0, 6)
    out /= 6
    return out


@activation("aten::hardswish")
def hardswish(x: Array) -> Array:
    """x * hardsigmoid(x)."""
    out = limited(array(np.add(x, 3)), 0, 6)
    out *= x
    out /= 6
    return out


@kernel("aten::glu")
def glu(self: Array, dim: int = -1) -> Array:
    """The first half along a dimension times the sigmoid of the second."""
    if self.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if not -self.ndim <= dim < self.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-self.ndim}, {self.ndim - 1}], but got {dim})"
        )
    size = self.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % self.ndim} is size {size}")
    if self.dtype.kind == "c" or not P.is_inexact(self.dtype):
        unsupported("glu", self.dtype)
    first: list[Any] = [slice(None)] * self.ndim
    second = first.copy()
    first[dim], second[dim] = slice(0, size // 2), slice(size // 2, size)
    out = one_plus_exp_of_minus(P.wide(self[tuple(second)]))
    np.divide(cast(self[tuple(first)], out.dtype), out, out=out)
    return out.astype(self.dtype, copy=False)
