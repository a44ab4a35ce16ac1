"""Elementwise arithmetic, comparisons, logic, rounding and elementary functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import blocks
from . import promotion as P
from .blocks import blocked, limited
from .constructors import (
    Function,
    comparison,
    compute,
    compute_wide,
    float_binary,
    float_unary,
    predicate_unary,
    promoted,
    rounding_unary,
    same_kind_binary,
    type_name,
    unsupported,
)
from .pointwise_activation import one_plus_exp_of_minus
from .promotion import Array, DType, array, cast, cast_scalar
from .registry import kernel

# --- elementary functions ---------------------------------------------------------------------------------------------


def _rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def _exp2_complex(x: Array) -> Array:
    return array(np.exp(x * cast_scalar(math.log(2), x.dtype)))


def _sinc(x: Array) -> Array:
    scaled = array(x * cast_scalar(math.pi, x.dtype))
    return np.where(x == 0, cast_scalar(1, x.dtype), np.sin(scaled) / scaled)


@blocked
def _sigmoid(x: Array) -> Array:
    out = one_plus_exp_of_minus(x)
    return np.divide(1, out, out=out)


def _angle(x: Array) -> Array:
    return np.where(np.isnan(x), x, np.where(x < 0, cast_scalar(math.pi, x.dtype), cast_scalar(0, x.dtype)))


sin = float_unary("aten::sin", f=np.sin, complex_f=np.sin)
cos = float_unary("aten::cos", f=np.cos, complex_f=np.cos)
tan = float_unary("aten::tan", f=np.tan, complex_f=np.tan)
asin = float_unary("aten::asin", "aten::arcsin", f=np.arcsin, complex_f=np.arcsin)
acos = float_unary("aten::acos", "aten::arccos", f=np.arccos, complex_f=np.arccos)
atan = float_unary("aten::atan", "aten::arctan", f=np.arctan, complex_f=np.arctan)
sinh = float_unary("aten::sinh", f=np.sinh, complex_f=np.sinh)
cosh = float_unary("aten::cosh", f=np.cosh, complex_f=np.cosh)
tanh = float_unary("aten::tanh", f=np.tanh, complex_f=np.tanh)
asinh = float_unary("aten::asinh", "aten::arcsinh", f=np.arcsinh, complex_f=np.arcsinh)
acosh = float_unary("aten::acosh", "aten::arccosh", f=np.arccosh, complex_f=np.arccosh)
atanh = float_unary("aten::atanh", "aten::arctanh", f=np.arctanh, complex_f=np.arctanh)
exp = float_unary("aten::exp", f=np.exp, complex_f=np.exp)
exp2 = float_unary("aten::exp2", "aten::special_exp2", f=np.exp2, complex_f=_exp2_complex)
expm1 = float_unary("aten::expm1", "aten::special_expm1", f=np.expm1, complex_f=np.expm1)
log = float_unary("aten::log", f=np.log, complex_f=np.log)
log2 = float_unary("aten::log2", f=np.log2, complex_f=np.log2)
log10 = float_unary("aten::log10", f=np.log10, complex_f=np.log10)
log1p = float_unary("aten::log1p", "aten::special_log1p", f=np.log1p, complex_f=np.log1p)
sqrt = float_unary("aten::sqrt", f=np.sqrt, complex_f=np.sqrt)
rsqrt = float_unary("aten::rsqrt", f=blocked(_rsqrt), complex_f=_rsqrt)
reciprocal = float_unary("aten::reciprocal", f=np.reciprocal, complex_f=np.reciprocal)
sigmoid = float_unary("aten::sigmoid", "aten::special_expit", f=_sigmoid, complex_f=_sigmoid)
sinc = float_unary("aten::sinc", "aten::special_sinc", f=_sinc, complex_f=_sinc)
erf = float_unary("aten::erf", "aten::special_erf", f=blocks.erf)
erfc = float_unary("aten::erfc", "aten::special_erfc", f="erfc")
angle = float_unary("aten::angle", f=_angle, complex_f=np.angle)
deg2rad = float_unary("aten::deg2rad", f=lambda x: x * cast_scalar(math.pi / 180, x.dtype))
rad2deg = float_unary("aten::rad2deg", f=lambda x: x * cast_scalar(180 / math.pi, x.dtype))


@kernel("aten::logit", "aten::special_logit")
def logit(self: Array, eps: float | None = None) -> Array:
    """log(x / (1 - x)), x first clamped to [eps, 1 - eps] where eps is given."""
    if self.dtype.kind == "c":
        unsupported("logit", self.dtype)
    dtype = P.floating(self.dtype)
    x = cast(self, P.wide_dtype(dtype))
    if eps is not None:
        low, high = cast_scalar(eps, x.dtype), cast_scalar(1 - eps, x.dtype)
        x = np.where(x < low, low, np.where(x > high, high, x))
    return array(np.log(x / (1 - x))).astype(dtype, copy=False)


# --- sign, rounding, tests --------------------------------------------------------------------------------------------

floor = rounding_unary("aten::floor", f=np.floor)
ceil = rounding_unary("aten::ceil", f=np.ceil)
trunc = rounding_unary("aten::trunc", "aten::fix", f=np.trunc)
round_ = rounding_unary("aten::round", f=np.rint)


@kernel("aten::round.decimals", "aten::special_round")
def round_decimals(self: Array, decimals: int = 0) -> Array:
    """Half-to-even rounding to a number of decimals (tens, where negative)."""
    if not P.is_inexact(self.dtype) or self.dtype.kind == "c":
        unsupported("round", self.dtype)
    if decimals == 0:
        return round_(self)  # type: ignore[no-any-return]
    x = P.wide(self)
    scale = cast_scalar(10.0 ** abs(decimals), x.dtype)
    result = np.rint(x * scale) / scale if decimals > 0 else np.rint(x / scale) * scale
    return array(result).astype(self.dtype, copy=False)


@kernel("aten::frac")
def frac(self: Array) -> Array:
    """The part after the point, with the sign of the number."""
    if not P.is_inexact(self.dtype) or self.dtype.kind == "c":
        unsupported("frac", self.dtype)
    x = P.wide(self)
    return array(x - np.trunc(x)).astype(self.dtype, copy=False)


@kernel("aten::abs", "aten::absolute")
def abs_(self: Array) -> Array:
    """Magnitude; real for complex input."""
    if self.dtype.kind == "b":
        unsupported("abs", self.dtype)
    return array(np.abs(self))


@kernel("aten::neg", "aten::negative")
def neg(self: Array) -> Array:
    """Negation. Raises RuntimeError for bool."""
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return array(np.negative(self))


@kernel("aten::positive")
def positive(self: Array) -> Array:
    """The argument itself. Raises RuntimeError for bool."""
    if self.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


@kernel("aten::sign")
def sign(self: Array) -> Array:
    """-1, 0 or 1 (0 for NaN)."""
    kind = self.dtype.kind
    if kind == "b":
        return self.copy()
    if kind == "c":
        raise NotImplementedError("sign is not defined for complex numbers: use sgn")
    if kind in "iu":
        return array(np.sign(self))
    x = P.wide(self)
    return array(np.where(np.isnan(x), cast_scalar(0, x.dtype), np.sign(x))).astype(self.dtype, copy=False)


@kernel("aten::sgn")
def sgn(self: Array) -> Array:
    """The sign; for a complex number the number of magnitude 1 in its direction (0 for 0)."""
    if self.dtype.kind != "c":
        return sign(self)
    size = np.abs(self)
    return array(np.where(size == 0, cast_scalar(0, self.dtype), self / size))


@kernel("aten::signbit")
def signbit(self: Array) -> Array:
    """Whether the sign bit is set (-0.0 too)."""
    kind = self.dtype.kind
    if kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    if kind in "biu":
        return array(np.less(self, 0))
    return array(np.signbit(P.wide(self)))


@kernel("aten::square")
def square(self: Array) -> Array:
    """x * x; bool becomes int64."""
    if self.dtype.kind == "b":
        self = self.astype(P.INT64)
    return array(np.multiply(self, self))


@kernel("aten::conj_physical")
def conj_physical(self: Array) -> Array:
    """The complex conjugate; a real argument itself."""
    return array(np.conjugate(self)) if self.dtype.kind == "c" else self


isnan = predicate_unary("aten::isnan", f=np.isnan, integers=False)
isinf = predicate_unary("aten::isinf", f=np.isinf, integers=False)
isfinite = predicate_unary("aten::isfinite", f=np.isfinite, integers=True)
isposinf = predicate_unary("aten::isposinf", f=lambda x: x == np.inf, integers=False, complex_too=False)
isneginf = predicate_unary("aten::isneginf", f=lambda x: x == -np.inf, integers=False, complex_too=False)


@kernel("aten::isreal")
def isreal(self: Array) -> Array:
    """Whether the imaginary part is zero."""
    return array(self.imag == 0) if self.dtype.kind == "c" else np.full_like(self, True, dtype=P.BOOL)


def _limits(dtype: DType) -> tuple[Any, Any]:
    if P.is_integral(dtype):
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if P.is_low(dtype):
        import ml_dtypes

        low: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
        return float(low.min), float(low.max)
    return float(np.finfo(dtype).min), float(np.finfo(dtype).max)


@kernel("aten::nan_to_num")
def nan_to_num(
    self: Array, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """NaN and infinities replaced (by 0 and the type's limits, if not given), in both parts of a complex number."""
    out = self.copy()
    if self.dtype.kind == "c":
        out.real = nan_to_num(self.real, nan, posinf, neginf)
        out.imag = nan_to_num(self.imag, nan, posinf, neginf)
    elif P.is_inexact(self.dtype):
        low, high = _limits(self.dtype)
        x = P.wide(self)
        for where, value in (
            (np.isnan(x), 0.0 if nan is None else nan),
            (x == np.inf, high if posinf is None else posinf),
            (x == -np.inf, low if neginf is None else neginf),
        ):
            np.copyto(out, cast_scalar(value, out.dtype), where=where)
    return out


# --- sums and products ------------------------------------------------------------------------------------------------


def _scaled(function: Any, a: Any, b: Any, alpha: Any) -> Array:
    """function(a, alpha * b) with PyTorch's rules for alpha."""
    dtype = P.result_type(a, b)
    if isinstance(alpha, bool) and dtype.kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if not P.is_inexact(dtype) and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if dtype.kind != "c" and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if alpha == 1:
        return compute_wide(function, a, b, dtype)
    factor = cast_scalar(alpha, P.wide_dtype(dtype))
    return compute_wide(lambda x, y: function(x, y * factor), a, b, dtype)


@kernel("aten::add.Tensor", "aten::add.Scalar")
def add(self: Any, other: Any, alpha: Any = 1) -> Array:
    """self + alpha * other."""
    return promoted(np.add, self, other) if type(alpha) is int and alpha == 1 else _scaled(np.add, self, other, alpha)


def _is_bool(x: Any) -> bool:
    return isinstance(x, bool) or getattr(x, "dtype", None) == P.BOOL


@kernel("aten::sub.Tensor", "aten::sub.Scalar", "aten::subtract.Tensor", "aten::subtract.Scalar")
def sub(self: Any, other: Any, alpha: Any = 1) -> Array:
    """self - alpha * other. Raises RuntimeError for bool operands."""
    if _is_bool(self) or _is_bool(other):
        both = _is_bool(self) and _is_bool(other)
        raise RuntimeError(
            "Subtraction, the `-` operator, with "
            + ("two bool tensors" if both else "a bool tensor")
            + " is not supported. "
            + (
                "Use the `^` or `logical_xor()` operator instead."
                if both
                else "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        )
    if type(alpha) is int and alpha == 1:
        return promoted(np.subtract, self, other)
    return _scaled(np.subtract, self, other, alpha)


@kernel("aten::rsub.Tensor", "aten::rsub.Scalar")
def rsub(self: Any, other: Any, alpha: Any = 1) -> Array:
    """other - alpha * self."""
    return sub(other, self, alpha)


@kernel("aten::mul.Tensor", "aten::mul.Scalar", "aten::multiply.Tensor", "aten::multiply.Scalar")
def mul(self: Any, other: Any) -> Array:
    """self * other."""
    return promoted(np.multiply, self, other)


@kernel("aten::_test_serialization_subcmul")
def _test_serialization_subcmul(self: Array, other: Array, alpha: Any = 1) -> Array:
    return sub(self, mul(other, alpha))


_ADD_RELU_TYPES = {np.dtype(t).num for t in (np.int8, np.int16, np.int32, np.int64, np.float32, np.float64)}


@kernel("aten::_add_relu.Tensor", "aten::_add_relu.Scalar")
def _add_relu(self: Array, other: Any, alpha: Any = 1) -> Array:
    if self.dtype.num not in _ADD_RELU_TYPES:
        unsupported("add_relu", self.dtype)
    out = add(self, other, alpha)
    if out.dtype.kind == "c" or P.is_low(out.dtype):
        unsupported("add_relu", out.dtype)
    np.maximum(out, cast_scalar(0, out.dtype), out=out)
    return np.minimum(out, cast_scalar(_limits(self.dtype)[1], out.dtype), out=out)


def _fused(self: Array, a: Array, b: Array, value: Any, ratio: Any) -> Array:
    """self + value * ratio(a, b) in the promoted type."""
    dtype = P.result_type(self, a, b)
    wide = P.wide_dtype(dtype)
    if dtype.kind == "b":
        unsupported("addcmul", dtype)
    x = ratio(cast(a, wide), cast(b, wide))
    if value != 1:
        x = x * cast_scalar(value, wide)
    return array(np.add(cast(self, wide), x)).astype(dtype, copy=False)


@kernel("aten::addcmul")
def addcmul(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    """self + value * tensor1 * tensor2."""
    return _fused(self, tensor1, tensor2, value, np.multiply)


@kernel("aten::addcdiv")
def addcdiv(self: Array, tensor1: Array, tensor2: Array, value: Any = 1) -> Array:
    """self + value * tensor1 / tensor2. Raises RuntimeError where the quotient is of integers."""
    if not P.is_inexact(tensor1.dtype) and not P.is_inexact(tensor2.dtype):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: use (value * tensor1 / tensor2) + self for true "
            "division or convert one of the tensors to a floating-point type"
        )
    return _fused(self, tensor1, tensor2, value, np.true_divide)


@kernel("aten::lerp.Tensor", "aten::lerp.Scalar")
def lerp(self: Array, end: Array, weight: Any) -> Array:
    """self + weight * (end - self), computed from the nearer end."""
    if self.dtype != end.dtype:
        raise RuntimeError(f"expected dtype {type_name(self.dtype)} for `end` but got dtype {type_name(end.dtype)}")
    if isinstance(weight, np.ndarray) and weight.dtype != self.dtype and weight.ndim:
        names = type_name(self.dtype), type_name(weight.dtype)
        raise RuntimeError("expected dtype {} for `weight` but got dtype {}".format(*names))
    dtype = P.result_type(self, end, weight) if isinstance(weight, np.ndarray) else self.dtype
    if not P.is_inexact(dtype):
        unsupported("lerp", dtype)
    wide = P.wide_dtype(dtype)
    a, b, w = cast(self, wide), cast(end, wide), cast(weight, wide)
    gap = b - a
    if w.ndim == 0:
        out = a + w * gap if np.abs(w) < 0.5 else b - gap * (1 - w)
    else:
        out = np.where(np.abs(w) < 0.5, a + w * gap, b - gap * (1 - w))
    return array(out).astype(dtype, copy=False)


# --- division ---------------------------------------------------------------------------------------------------------


def _no_zero(divisor: Array) -> None:
    if not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")


def _integer_trunc(a: Array, b: Array) -> Array:
    quotient = np.floor_divide(a, b)
    inexact = quotient * b != a
    return array(quotient + (inexact & ((a < 0) != (b < 0))))


def _divide(a: Any, b: Any, mode: str) -> Array:
    dtype = P.result_type(a, b)
    if dtype.kind in "bc":
        unsupported(f"div_{mode}", dtype)
    if P.is_inexact(dtype):
        return compute_wide(np.floor_divide if mode == "floor" else lambda x, y: np.trunc(x / y), a, b, dtype)
    b = cast(b, dtype)
    _no_zero(b)
    return compute(np.floor_divide if mode == "floor" else _integer_trunc, a, b, dtype).astype(dtype, copy=False)


@kernel("aten::div.Tensor", "aten::div.Scalar", "aten::divide.Tensor", "aten::divide.Scalar")
@kernel("aten::true_divide.Tensor", "aten::true_divide.Scalar")
def div(self: Any, other: Any) -> Array:
    """self / other; integers give the default floating-point type."""
    dtype = P.result_type(self, other)
    return compute_wide(np.true_divide, self, other, P.floating(dtype))


@kernel("aten::div.Tensor_mode", "aten::div.Scalar_mode", "aten::divide.Tensor_mode", "aten::divide.Scalar_mode")
def div_mode(self: Any, other: Any, rounding_mode: str | None = None) -> Array:
    """Division: true (None), rounded towards zero ("trunc") or down ("floor"). Integers by 0 raise RuntimeError."""
    if rounding_mode is None:
        return div(self, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return _divide(self, other, rounding_mode)


@kernel("aten::floor_divide", "aten::floor_divide.Scalar")
def floor_divide(self: Any, other: Any) -> Array:
    """The quotient rounded down."""
    return _divide(self, other, "floor")


def _modulus(a: Any, b: Any, function: Any, what: str) -> Array:
    dtype = P.result_type(a, b)
    if dtype.kind in "bc":
        unsupported(what, dtype)
    b = cast(b, P.wide_dtype(dtype))
    if not P.is_inexact(dtype):
        _no_zero(b)
    return compute(function, a, b, dtype)


@kernel("aten::remainder.Tensor", "aten::remainder.Scalar", "aten::remainder.Scalar_Tensor")
def remainder(self: Any, other: Any) -> Array:
    """The remainder with the sign of the divisor. An integer by 0 raises RuntimeError."""
    return _modulus(self, other, np.remainder, "remainder")


@kernel("aten::fmod.Tensor", "aten::fmod.Scalar")
def fmod(self: Any, other: Any) -> Array:
    """The remainder with the sign of the dividend. An integer by 0 raises RuntimeError."""
    return _modulus(self, other, np.fmod, "fmod")


# --- powers -----------------------------------------------------------------------------------------------------------


def _integer_power(base: Array, exponent: Array) -> Array:
    negative = exponent < 0
    if not np.any(negative):
        return array(np.power(base, exponent))
    power = np.power(base, np.where(negative, cast_scalar(0, exponent.dtype), exponent))
    inverse = np.where(base == -1, 1 - 2 * (exponent & 1), base == 1)
    return np.where(negative, inverse, power).astype(power.dtype)


def _power(base: Array, exponent: Array) -> Array:
    return array(np.power(base, exponent)) if P.is_inexact(base.dtype) else _integer_power(base, exponent)


@kernel("aten::pow.Tensor_Tensor")
def pow_(self: Any, exponent: Any) -> Array:
    """self ** exponent in the promoted type; an integer to a negative power is 0, but for 1 and -1."""
    dtype = P.result_type(self, exponent)
    if dtype.kind == "b":
        unsupported("pow", dtype)
    return compute(_power, self, exponent, dtype)


_POWERS: dict[float, Function] = {
    0.5: np.sqrt,
    2: lambda x: np.multiply(x, x),
    3: lambda x: x * x * x,
    -0.5: _rsqrt,
    -1: np.reciprocal,
    -2: lambda x: np.reciprocal(x * x),
}


def fits(value: Any, dtype: DType) -> bool:
    """Whether a Python integer is within an integer type's range (anything else is); -v counts as v if unsigned."""
    if not isinstance(value, int) or not P.is_integral(dtype):
        return True
    info = np.iinfo(dtype)
    return (int(info.min) or -int(info.max)) <= value <= int(info.max)


@kernel("aten::pow.Tensor_Scalar")
def pow_scalar(self: Array, exponent: Any) -> Array:
    """self ** exponent. Raises RuntimeError for an integer tensor and a negative integer."""
    dtype = P.result_type(self, exponent)
    if exponent == 0:
        return np.full_like(self, 1, dtype=dtype)
    if exponent == 1:
        return self.astype(dtype)
    if dtype.kind == "b":
        unsupported("pow", dtype)
    if P.is_integral(dtype):
        if exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if not fits(exponent, dtype):
            raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
    elif dtype.kind != "c" and exponent in _POWERS:
        return array(_POWERS[exponent](cast(self, P.wide_dtype(dtype)))).astype(dtype, copy=False)
    elif exponent == 2:
        self = cast(self, dtype)
        return array(self * self)
    return compute(_power, self, exponent, dtype)


@kernel("aten::pow.Scalar")
def pow_of_scalar(self: Any, exponent: Array) -> Array:
    """A number to tensor powers."""
    dtype = P.result_type(self, exponent)
    if self == 1 and dtype.kind != "b":
        return np.full_like(exponent, 1, dtype=dtype)
    return pow_(self, exponent)


@kernel("aten::float_power.Tensor_Tensor", "aten::float_power.Tensor_Scalar", "aten::float_power.Scalar")
def float_power(self: Any, exponent: Any) -> Array:
    """self ** exponent in float64 (complex128 where either is complex)."""
    dtype = P.COMPLEX128 if P.result_type(self, exponent).kind == "c" else P.FLOAT64
    return compute(_power, self, exponent, dtype)


@kernel("aten::ldexp.Tensor")
def ldexp(self: Array, other: Array) -> Array:
    """self * 2 ** other; a floating-point self keeps its type where other is of integers."""
    if P.is_inexact(self.dtype) and P.is_integral(other.dtype, self.dtype.kind == "c"):
        if self.dtype.kind == "c":
            return array(np.multiply(self, np.exp2(other.astype(P.real_of(self.dtype)))))
        exponent = np.clip(other, -5000, 5000).astype(np.int32) if other.dtype.itemsize > 2 else other.astype(np.int32)
        return array(np.ldexp(P.wide(self), exponent)).astype(self.dtype, copy=False)
    if other.dtype.kind == "b" and P.is_inexact(self.dtype):
        unsupported("ldexp", other.dtype)
    return mul(self, pow_of_scalar(2.0, other))


@kernel("aten::frexp.Tensor")
def frexp(self: Array) -> tuple[Array, Array]:
    """Mantissa in [0.5, 1) and int32 exponent of base 2."""
    if not P.is_inexact(self.dtype) or self.dtype.kind == "c":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(P.wide(self))
    return array(mantissa).astype(self.dtype, copy=False), array(exponent)


# --- functions of two operands ----------------------------------------------------------------------------------------


def _logaddexp_complex(a: Array, b: Array) -> Array:
    first = a.real >= b.real
    high, low = np.where(first, a, b), np.where(first, b, a)
    out = high + np.log1p(np.exp(low - high))
    return np.where(np.isinf(high.real) & (high.real == low.real) & (high.real < 0), low, out)


def _xlogy(x: Array, y: Array) -> Array:
    return np.where((x == 0) & ~np.isnan(y), cast_scalar(0, x.dtype), x * np.log(y))


def _heaviside(x: Array, values: Array) -> Array:
    return np.where(x == 0, values, x > 0).astype(x.dtype)


atan2 = float_binary("aten::atan2", "aten::arctan2", f=np.arctan2)
copysign = float_binary("aten::copysign.Tensor", "aten::copysign.Scalar", f=np.copysign)
hypot = float_binary("aten::hypot", f=np.hypot, integers=False)
logaddexp = float_binary("aten::logaddexp", f=np.logaddexp, integers=False, complex_f=_logaddexp_complex)
logaddexp2 = float_binary("aten::logaddexp2", f=np.logaddexp2, integers=False)
xlogy = float_binary(
    "aten::xlogy.Tensor", "aten::xlogy.Scalar_Other", "aten::xlogy.Scalar_Self", "aten::special_xlogy",
    "aten::special_xlogy.other_scalar", "aten::special_xlogy.self_scalar", f=_xlogy,
)  # fmt: skip
maximum = same_kind_binary("aten::maximum", f=np.maximum, kinds="biuf")
minimum = same_kind_binary("aten::minimum", f=np.minimum, kinds="biuf")
fmax = same_kind_binary("aten::fmax", f=np.fmax, kinds="biuf")
fmin = same_kind_binary("aten::fmin", f=np.fmin, kinds="biuf")
gcd = same_kind_binary("aten::gcd", f=np.gcd, kinds="iu")
lcm = same_kind_binary("aten::lcm", f=np.lcm, kinds="iu")


@kernel("aten::nextafter")
def nextafter(self: Array, other: Array) -> Array:
    """The next representable number from self towards other."""
    dtype = P.result_type(self, other)
    if not P.is_inexact(dtype) or dtype.kind == "c":
        unsupported("nextafter", dtype)
    return array(np.nextafter(cast(self, dtype), cast(other, dtype)))


@kernel("aten::heaviside")
def heaviside(self: Array, values: Array) -> Array:
    """0 below zero, 1 above, `values` at zero."""
    if self.dtype.kind == "c" or values.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return compute(_heaviside, self, values, self.dtype)


# --- comparisons and logic --------------------------------------------------------------------------------------------


def _compared(name: str, alias: str, f: Any, ordered: bool) -> Any:
    names = [f"aten::{n}.{overload}" for n in (name, alias) for overload in ("Tensor", "Scalar")]
    return comparison(*names, f=f, ordered=ordered)


eq = comparison("aten::eq.Tensor", "aten::eq.Scalar", f=np.equal, ordered=False)
ne = _compared("ne", "not_equal", np.not_equal, False)
lt = _compared("lt", "less", np.less, True)
le = _compared("le", "less_equal", np.less_equal, True)
gt = _compared("gt", "greater", np.greater, True)
ge = _compared("ge", "greater_equal", np.greater_equal, True)


@kernel("aten::isclose")
def isclose(self: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Whether |self - other| <= atol + rtol * |other|; equal infinities are close, NaNs only with `equal_nan`."""
    if self.dtype != other.dtype:
        raise RuntimeError(f"{type_name(self.dtype)} did not match {type_name(other.dtype)}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    a, b = P.wide(self), P.wide(other)
    close = array(np.equal(a, b))
    inexact = P.is_inexact(a.dtype)
    if equal_nan and inexact:
        close = close | (np.isnan(a) & np.isnan(b))
    if rtol == 0 and atol == 0:
        return close
    if not inexact:
        a, b = a.astype(P.default_dtype()), b.astype(P.default_dtype())
    gap = np.abs(a - b)
    real = P.real_of(a.dtype)
    allowed = np.abs(b * cast_scalar(rtol, real)) + cast_scalar(atol, real)
    return array(close | (np.isfinite(gap) & (gap <= allowed)))


def _truth(x: Array) -> Array:
    return x if x.dtype == P.BOOL else array(np.not_equal(P.wide(x), 0))


@kernel("aten::logical_and")
def logical_and(self: Array, other: Array) -> Array:
    """Whether both are non-zero."""
    return array(np.logical_and(_truth(self), _truth(other)))


@kernel("aten::logical_or")
def logical_or(self: Array, other: Array) -> Array:
    """Whether either is non-zero."""
    return array(np.logical_or(_truth(self), _truth(other)))


@kernel("aten::logical_xor")
def logical_xor(self: Array, other: Array) -> Array:
    """Whether exactly one is non-zero."""
    return array(np.logical_xor(_truth(self), _truth(other)))


@kernel("aten::logical_not")
def logical_not(self: Array) -> Array:
    """Whether the element is zero."""
    return array(np.equal(P.wide(self), 0))


def _bitwise(name: str, symbol: str, f: Any) -> Any:
    return same_kind_binary(
        f"aten::bitwise_{name}.Tensor", f"aten::bitwise_{name}.Scalar", f"aten::bitwise_{name}.Scalar_Tensor",
        f"aten::__{symbol}__.Tensor", f"aten::__{symbol}__.Scalar", f=f, kinds="biu",
    )  # fmt: skip


def _shift(name: str, symbol: str, f: Any) -> Any:
    return same_kind_binary(
        f"aten::bitwise_{name}.Tensor", f"aten::bitwise_{name}.Tensor_Scalar", f"aten::bitwise_{name}.Scalar_Tensor",
        f"aten::__{symbol}__.Tensor", f"aten::__{symbol}__.Scalar", f=f, kinds="iu",
    )  # fmt: skip


bitwise_and = _bitwise("and", "and", np.bitwise_and)
bitwise_or = _bitwise("or", "or", np.bitwise_or)
bitwise_xor = _bitwise("xor", "xor", np.bitwise_xor)
left_shift = _shift("left_shift", "lshift", np.left_shift)
right_shift = _shift("right_shift", "rshift", np.right_shift)


@kernel("aten::bitwise_not")
def bitwise_not(self: Array) -> Array:
    """The complement (logical for bool)."""
    if self.dtype.kind not in "biu":
        unsupported("bitwise_not", self.dtype)
    return array(np.invert(self))


# --- clamping ---------------------------------------------------------------------------------------------------------


def _clamp(self: Array, low: Any, high: Any) -> Array:
    dtype = P.result_type(self, low, high)
    if dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    given = [x for x in (low, high) if x is not None]
    if dtype.kind == "b" and (len(given) == 2 or isinstance(given[0], bool)):
        unsupported("clamp", dtype)
    wide = P.wide_dtype(dtype)
    out = cast(self, wide)
    if not any(isinstance(x, np.ndarray) for x in given):
        if not all(fits(x, dtype) for x in given):
            raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
        return limited(out, low, high).astype(dtype, copy=False)
    if low is not None:
        out = array(np.maximum(out, cast(low, wide)))
    if high is not None:
        out = array(np.minimum(out, cast(high, wide)))
    return out.astype(dtype, copy=False)


@kernel("aten::clamp", "aten::clamp.Tensor", "aten::clip", "aten::clip.Tensor")
def clamp(self: Array, min: Any = None, max: Any = None) -> Array:
    """self limited to [min, max]; NaN stays, a NaN bound gives NaN. Raises RuntimeError without any bound."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    return _clamp(self, min, max)


@kernel("aten::clamp_min", "aten::clamp_min.Tensor")
def clamp_min(self: Array, min: Any) -> Array:
    """self, but at least `min`."""
    return _clamp(self, min, None)


@kernel("aten::clamp_max", "aten::clamp_max.Tensor")
def clamp_max(self: Array, max: Any) -> Array:
    """self, but at most `max`."""
    return _clamp(self, None, max)
