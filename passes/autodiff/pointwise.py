"""Derivatives of the pointwise family. Each is one line of calculus: `g` the gradient, `x` the argument, `y` the
result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable

LN2, LN10 = math.log(2.0), math.log(10.0)


def conj(v: Any) -> Any:
    """The conjugate of a complex tensor or number; anything else as it is."""
    if isinstance(v, complex):
        return v.conjugate()
    return v.conj() if getattr(getattr(v, "dtype", None), "is_complex", False) else v


def zeros(ops: Any, g: Any) -> Callable[[], Any]:
    """A gradient that is zero everywhere."""
    return lambda: ops.zeros_like(g)


def masked(ops: Any, mask: Any, g: Any) -> Any:
    """The gradient where the mask holds, zero elsewhere."""
    return ops.where(mask, g, 0.0)


def unary(names: str, f: Callable[..., Any], reads_self: bool = True) -> None:
    """Register a rule `f(ops, g, x, y, *other arguments)` for operators of one tensor."""

    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: f(ops, grads[0], args[0], outputs[0], *args[1:]),)

    derivative(*(f"aten::{n}" for n in names.split()), reads_self=reads_self)(rule)


def binary(names: str, a: Callable[..., Any], b: Callable[..., Any], reads_self: bool = True) -> None:
    """Register a rule of two operands: `a` and `b` give each one's gradient from `(ops, g, x, other, y, *rest)`."""

    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        given = (ops, grads[0], args[0], args[1], outputs[0], *args[2:])
        return lambda: a(*given), lambda: b(*given)

    derivative(*(f"aten::{n}" for n in names.split()), reads_self=reads_self)(rule)


def _scaled(g: Any, alpha: Any) -> Any:
    return g if alpha == 1 else g * conj(alpha)


# arithmetic ---------------------------------------------------------------------------------------------------------

binary("add.Tensor add.Scalar", lambda o, g, x, v, y, k: g, lambda o, g, x, v, y, k: _scaled(g, k), reads_self=False)
binary(
    "sub.Tensor sub.Scalar subtract.Tensor subtract.Scalar",
    lambda o, g, x, v, y, k: g, lambda o, g, x, v, y, k: _scaled(-g, k), reads_self=False,
)  # fmt: skip
binary("rsub.Tensor rsub.Scalar", lambda o, g, x, v, y, k: _scaled(-g, k), lambda o, g, x, v, y, k: g, reads_self=False)
binary(
    "mul.Tensor mul.Scalar multiply.Tensor multiply.Scalar",
    lambda o, g, x, v, y: g * conj(v), lambda o, g, x, v, y: g * conj(x),
)  # fmt: skip
_DIV = "div true_divide divide"
binary(
    " ".join(f"{n}.{s}" for n in _DIV.split() for s in ("Tensor", "Scalar")),
    lambda o, g, x, v, y: g / conj(v), lambda o, g, x, v, y: -g * conj(x / v / v),
)  # fmt: skip
binary(
    " ".join(f"{n}.{s}_mode" for n in ("div", "divide") for s in ("Tensor", "Scalar")),
    lambda o, g, x, v, y, mode: g / conj(v) if mode is None else o.zeros_like(g),
    lambda o, g, x, v, y, mode: -g * conj(x / v / v) if mode is None else o.zeros_like(g),
)
binary(
    "remainder.Tensor remainder.Scalar remainder.Scalar_Tensor",
    lambda o, g, x, v, y: g, lambda o, g, x, v, y: -g * o.div(x, v, rounding_mode="floor"),
)  # fmt: skip
binary(
    "fmod.Tensor fmod.Scalar", lambda o, g, x, v, y: g, lambda o, g, x, v, y: -g * o.div(x, v, rounding_mode="trunc")
)


def _power_base(o: Any, g: Any, x: Any, e: Any, y: Any) -> Any:
    if isinstance(e, (bool, int, float, complex)):
        return o.zeros_like(g) if e == 0 else g * conj(e * x ** (e - 1))
    return o.where(e == 0, 0.0, g * conj(e * x ** (e - 1)))


def _power_exponent(o: Any, g: Any, x: Any, e: Any, y: Any) -> Any:
    if isinstance(x, (bool, int, float, complex)):
        if x == 0:
            return o.where(e >= 0, 0.0, g * math.inf)
        return g * conj(y * (math.log(x) if not isinstance(x, complex) and x > 0 else o.log(o.full_like(y, x))))
    zero_base = (x == 0) if e.dtype.is_complex else o.logical_and(x == 0, e >= 0)
    return o.where(zero_base, 0.0, g * conj(y * o.log(x)))


binary(
    "pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar float_power.Tensor_Tensor float_power.Tensor_Scalar "
    "float_power.Scalar",
    _power_base, _power_exponent,
)  # fmt: skip
binary(
    "ldexp.Tensor",
    lambda o, g, x, e, y: g * conj(o.exp2(e.to(x.dtype))), lambda o, g, x, e, y: g * conj(y) * LN2,
)  # fmt: skip


@decomposed("aten::_add_relu.Tensor", "aten::_add_relu.Scalar")
def _add_relu(ops: Any, x: Any, other: Any, alpha: Any) -> Any:
    return ops.relu(x + other * alpha)


@decomposed("aten::_test_serialization_subcmul")
def _subtracted(ops: Any, x: Any, other: Any, alpha: Any) -> Any:
    return x - other * alpha


@derivative("aten::addcmul")
def _addcmul(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, a, b, value) = grads[0], args
    return g, lambda: g * conj(b * value), lambda: g * conj(a * value)


@derivative("aten::addcdiv")
def _addcdiv(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, a, b, value) = grads[0], args
    return g, lambda: g * conj(value / b), lambda: -g * conj(value * a / (b * b))


@derivative("aten::lerp.Tensor", "aten::lerp.Scalar")
def _lerp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (a, b, w) = grads[0], args
    return lambda: g * conj(1 - w), lambda: g * conj(w), lambda: g * conj(b - a)


# one argument: algebra, exponentials, trigonometry ------------------------------------------------------------------

unary("neg negative", lambda o, g, x, y: -g, reads_self=False)
unary("positive", lambda o, g, x, y: g, reads_self=False)
unary("conj_physical", lambda o, g, x, y: conj(g), reads_self=False)
unary("abs absolute", lambda o, g, x, y: g * o.sgn(x))
unary("square", lambda o, g, x, y: g * conj(2 * x))
unary("sqrt", lambda o, g, x, y: g / conj(2 * y), reads_self=False)
unary("rsqrt", lambda o, g, x, y: -0.5 * g * conj(y * y * y), reads_self=False)
unary("reciprocal", lambda o, g, x, y: -g * conj(y * y), reads_self=False)
unary("exp", lambda o, g, x, y: g * conj(y), reads_self=False)
unary("exp2", lambda o, g, x, y: g * conj(y * LN2), reads_self=False)
unary("expm1", lambda o, g, x, y: g * conj(y + 1), reads_self=False)
unary("log", lambda o, g, x, y: g / conj(x))
unary("log2", lambda o, g, x, y: g / conj(x * LN2))
unary("log10", lambda o, g, x, y: g / conj(x * LN10))
unary("log1p", lambda o, g, x, y: g / conj(x + 1))
unary("sin", lambda o, g, x, y: g * conj(o.cos(x)))
unary("cos", lambda o, g, x, y: -g * conj(o.sin(x)))
unary("tan", lambda o, g, x, y: g * conj(1 + y * y), reads_self=False)
unary("asin arcsin", lambda o, g, x, y: g * conj(o.rsqrt(1 - x * x)))
unary("acos arccos", lambda o, g, x, y: -g * conj(o.rsqrt(1 - x * x)))
unary("atan arctan", lambda o, g, x, y: g / conj(x * x + 1))
unary("sinh", lambda o, g, x, y: g * conj(o.cosh(x)))
unary("cosh", lambda o, g, x, y: g * conj(o.sinh(x)))
unary("tanh", lambda o, g, x, y: g * conj(1 - y * y), reads_self=False)
unary("asinh arcsinh", lambda o, g, x, y: g * conj(o.rsqrt(x * x + 1)))
unary("acosh arccosh", lambda o, g, x, y: g * conj(o.rsqrt(x - 1) * o.rsqrt(x + 1)))
unary("atanh arctanh", lambda o, g, x, y: g / conj(1 - x * x))
unary("erf", lambda o, g, x, y: g * (2.0 / math.sqrt(math.pi)) * o.exp(-x * x))
unary("erfc", lambda o, g, x, y: g * (-2.0 / math.sqrt(math.pi)) * o.exp(-x * x))
unary("deg2rad", lambda o, g, x, y: g * (math.pi / 180.0), reads_self=False)
unary("rad2deg", lambda o, g, x, y: g * (180.0 / math.pi), reads_self=False)
unary("frac", lambda o, g, x, y: g, reads_self=False)
unary("floor ceil round round.decimals trunc fix sign", lambda o, g, x, y, *_: o.zeros_like(g), reads_self=False)
unary("nan_to_num", lambda o, g, x, y, *_: masked(o, o.isfinite(x), g))


def sinc(o: Any, g: Any, x: Any, y: Any) -> Any:
    """The gradient of sin(pi x) / (pi x)."""
    p = math.pi * x
    return o.where(x == 0, 0.0, g * conj((o.cos(p) * p - o.sin(p)) / (p * x)))


def _sgn(o: Any, g: Any, x: Any, y: Any) -> Any:
    if not x.dtype.is_complex:
        return o.zeros_like(g)
    size = o.abs(x)
    return o.where(size == 0, 0.0, g / size - o.real(g * conj(y)) * y / size)


def _angle(o: Any, g: Any, x: Any, y: Any) -> Any:
    if not x.dtype.is_complex:
        return o.zeros_like(g)
    norm = o.real(x) ** 2 + o.imag(x) ** 2
    scaled = o.where(norm == 0, 0.0, g / norm)
    return o.complex(-o.imag(x) * scaled, o.real(x) * scaled)


def logit(o: Any, g: Any, x: Any, y: Any, eps: Any) -> Any:
    """The gradient of log(x / (1 - x)), zero where x is cut off."""
    slope = g / (x * (1 - x))
    if eps is None:
        return o.where(o.logical_and(x >= 0, x <= 1), slope, math.nan)
    return masked(o, o.logical_and(x >= eps, x <= 1 - eps), slope)


unary("sinc", sinc)
unary("sgn", _sgn)
unary("angle", _angle)
unary("logit", logit)


@derivative("aten::frexp.Tensor")
def _frexp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: grads[0] / ops.exp2(outputs[1].to(grads[0].dtype)),)


# two arguments ------------------------------------------------------------------------------------------------------


def _square_sum(x: Any, v: Any) -> Any:
    return x * x + v * v


binary(
    "atan2 arctan2",
    lambda o, g, x, v, y: g * (v / _square_sum(x, v)), lambda o, g, x, v, y: g * (-x / _square_sum(x, v)),
)  # fmt: skip
binary("hypot", lambda o, g, x, v, y: g * (x / y), lambda o, g, x, v, y: g * (v / y))
binary(
    "logaddexp",
    lambda o, g, x, v, y: g * conj(o.sigmoid(x - v)), lambda o, g, x, v, y: g * conj(o.sigmoid(v - x)),
)  # fmt: skip
binary(
    "logaddexp2",
    lambda o, g, x, v, y: g * o.sigmoid((x - v) * LN2), lambda o, g, x, v, y: g * o.sigmoid((v - x) * LN2),
)  # fmt: skip


def _larger(o: Any, g: Any, x: Any, v: Any, y: Any) -> Any:
    """Half to each where both are equal."""
    return o.where(x == v, g / 2, masked(o, x > v, g))


binary("maximum max.other", _larger, lambda o, g, x, v, y: _larger(o, g, v, x, y))
binary("minimum min.other", lambda o, g, x, v, y: _larger(o, g, v, x, y), lambda o, g, x, v, y: _larger(o, g, x, v, y))
binary(
    "fmax",
    lambda o, g, x, v, y: masked(o, o.logical_or(x >= v, o.isnan(v)), g),
    lambda o, g, x, v, y: masked(o, o.logical_not(o.logical_or(x >= v, o.isnan(v))), g),
)
binary(
    "fmin",
    lambda o, g, x, v, y: masked(o, o.logical_or(x <= v, o.isnan(v)), g),
    lambda o, g, x, v, y: masked(o, o.logical_not(o.logical_or(x <= v, o.isnan(v))), g),
)
binary(
    "copysign.Tensor copysign.Scalar",
    lambda o, g, x, v, y: o.where(x == 0, 0.0, g * (y / x)), lambda o, g, x, v, y: o.zeros_like(g),
)  # fmt: skip


def xlogy_self(o: Any, g: Any, x: Any, v: Any, y: Any) -> Any:
    """The gradient of x in x * log(v)."""
    return (
        o.where(o.logical_and(x == 0, v <= 0), 0.0, g * o.log(v))
        if not isinstance(v, (int, float))
        else g * (math.log(v) if v > 0 else o.log(o.full_like(x, v)))
    )


binary("xlogy.Tensor xlogy.Scalar_Other xlogy.Scalar_Self", xlogy_self, lambda o, g, x, v, y: g * x / v)

# clamping -----------------------------------------------------------------------------------------------------------


@derivative("aten::clamp", "aten::clip")
def _clamp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (x, low, high) = grads[0], args
    if low is not None and high is not None:
        return (lambda: masked(ops, ops.logical_and(x >= low, x <= high), g),)
    return (lambda: masked(ops, x >= low if high is None else x <= high, g),)


@derivative("aten::clamp.Tensor", "aten::clip.Tensor")
def _clamp_tensor(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (x, low, high) = grads[0], args
    if low is None or high is None:
        bound = low if high is None else high
        inside: Callable[[], Any] = (lambda: x >= low) if high is None else (lambda: x <= high)
        own = lambda: masked(ops, inside(), g)  # noqa: E731
        other = lambda: masked(ops, ops.logical_not(inside()), g)  # noqa: E731
        return (own, other, None) if bound is low else (own, None, other)
    return (
        lambda: masked(ops, ops.logical_and(x >= low, x <= high), g),
        lambda: masked(ops, ops.logical_and(low < high, x < low), g),
        lambda: masked(ops, ops.logical_or(x > high, high < low), g),
    )


binary(
    "clamp_min clamp_min.Tensor",
    lambda o, g, x, v, y: masked(o, x >= v, g), lambda o, g, x, v, y: masked(o, x < v, g),
)  # fmt: skip
binary(
    "clamp_max clamp_max.Tensor",
    lambda o, g, x, v, y: masked(o, x <= v, g), lambda o, g, x, v, y: masked(o, x > v, g),
)  # fmt: skip

# activations --------------------------------------------------------------------------------------------------------

unary("relu", lambda o, g, x, y: masked(o, y > 0, g), reads_self=False)
unary("relu6", lambda o, g, x, y: masked(o, o.logical_and(y > 0, y < 6), g), reads_self=False)
unary("sigmoid", lambda o, g, x, y: g * conj(y * (1 - y)), reads_self=False)
unary("leaky_relu", lambda o, g, x, y, slope: o.where(x > 0, g, g * slope))
unary("threshold", lambda o, g, x, y, limit, value: masked(o, x > limit, g))
unary("hardtanh", lambda o, g, x, y, low, high: masked(o, o.logical_and(x > low, x < high), g))
unary("hardsigmoid", lambda o, g, x, y: masked(o, o.logical_and(x > -3, x < 3), g / 6))
unary("hardswish", lambda o, g, x, y: o.where(x < -3, 0.0, o.where(x <= 3, g * (x / 3 + 0.5), g)))
unary("hardshrink softshrink", lambda o, g, x, y, limit: masked(o, o.logical_or(x > limit, x < -limit), g))
unary("celu", lambda o, g, x, y, alpha: o.where(x > 0, g, g * o.exp(x / alpha)))
unary("log_sigmoid", lambda o, g, x, y: g * o.sigmoid(-x))
unary("softplus", lambda o, g, x, y, beta, limit: o.where(x * beta > limit, g, g * o.sigmoid(x * beta)))
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def _elu(o: Any, g: Any, x: Any, y: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return o.where(x > 0, g * scale, g * (alpha * scale * input_scale) * o.exp(x * input_scale))


def _silu(o: Any, g: Any, x: Any, y: Any) -> Any:
    s = o.sigmoid(x)
    return g * conj(s * (1 + x * (1 - s)))


def _mish(o: Any, g: Any, x: Any, y: Any) -> Any:
    t = o.tanh(o.softplus(x))
    return g * (t + x * o.sigmoid(x) * (1 - t * t))


def _gelu(o: Any, g: Any, x: Any, y: Any, approximate: str) -> Any:
    if approximate == "tanh":
        k = math.sqrt(2.0 / math.pi)
        t = o.tanh(k * (x + 0.044715 * x * x * x))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x))
    density = o.exp(x * x * -0.5) * (1.0 / math.sqrt(2 * math.pi))
    return g * (0.5 * (1 + o.erf(x * math.sqrt(0.5))) + x * density)


def _glu(o: Any, g: Any, x: Any, y: Any, dim: int) -> Any:
    a, b = o.chunk(x, 2, dim)
    s = o.sigmoid(b)
    return o.cat([g * s, g * a * s * (1 - s)], dim)


unary("elu", _elu)
unary("selu", lambda o, g, x, y: _elu(o, g, x, y, _SELU_ALPHA, _SELU_SCALE))
unary("silu", _silu)
unary("mish", _mish)
unary("gelu", _gelu)
unary("glu", _glu)


@derivative("aten::log_sigmoid_forward")
def _log_sigmoid_forward(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: grads[0] * ops.sigmoid(-args[0]),)


@derivative("aten::prelu", "aten::_prelu_kernel")
def _prelu(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (x, weight) = grads[0], args
    dims = len(x.shape)
    per_channel = len(weight.shape) == 1 and dims > 1
    shape = [1, -1] + [1] * (dims - 2) if per_channel else list(weight.shape)
    w = ops.reshape(weight, shape)

    def to_weight() -> Any:
        each = ops.where(x > 0, 0.0, g * x)
        if per_channel:
            size = [1, weight.shape[0]] + [1] * (dims - 2)
            each = ops.reshape(ops.sum_to_size(each, size), list(weight.shape))
        return each

    return lambda: ops.where(x > 0, g, g * w), to_weight


# no gradient --------------------------------------------------------------------------------------------------------

not_differentiable(
    "eq.Tensor eq.Scalar ne.Tensor ne.Scalar lt.Tensor lt.Scalar le.Tensor le.Scalar gt.Tensor gt.Scalar ge.Tensor "
    "ge.Scalar "
    "not_equal.Tensor not_equal.Scalar less.Tensor less.Scalar less_equal.Tensor less_equal.Scalar greater.Tensor "
    "greater.Scalar "
    "greater_equal.Tensor greater_equal.Scalar isclose isfinite isinf isnan isneginf isposinf isreal signbit "
    "logical_and "
    "logical_or logical_xor logical_not",
    "the result is boolean",
)
not_differentiable("floor_divide floor_divide.Scalar heaviside", "the result is piecewise constant")
not_differentiable(
    "__and__.Tensor __and__.Scalar __or__.Tensor __or__.Scalar __xor__.Tensor __xor__.Scalar __lshift__.Tensor "
    "__lshift__.Scalar "
    "__rshift__.Tensor __rshift__.Scalar bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor "
    "bitwise_or.Tensor "
    "bitwise_or.Scalar bitwise_or.Scalar_Tensor bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor "
    "bitwise_not "
    "bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar bitwise_left_shift.Scalar_Tensor "
    "bitwise_right_shift.Tensor "
    "bitwise_right_shift.Tensor_Scalar bitwise_right_shift.Scalar_Tensor gcd lcm",
    "it works on integers",
)
