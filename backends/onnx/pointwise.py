"""ONNX forms of the pointwise family: arithmetic, comparison, rounding, elementary functions. Activations are in
`pointwise_activation`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.control import loop
from linstock.backends.onnx.registry import converter, no_form

BOOL, INT64, FLOAT, DOUBLE = 11, 4, 6, 7
Unary = Callable[[Builder, Sym], Sym]


# -- constructors ------------------------------------------------------------------------------------------------------
def unary(names: str, form: str | Unary, floating: bool = True) -> None:
    """An operator of one tensor: a node kind or a function; integers become floats first if `floating`."""

    @converter(*names.split())
    def convert(b: Builder, x: Sym) -> Sym:
        x = b.floating(x) if floating else x
        return b.op(form, x) if isinstance(form, str) else form(b, x)


def binary(names: str, form: str | Callable[[Builder, Sym, Sym], Sym], floating: bool = False) -> None:
    """An operator of two operands in their common type."""

    @converter(*names.split())
    def convert(b: Builder, x: Any, y: Any) -> Sym:
        x, y = b.promote(x, y, floating=floating)
        return b.op(form, x, y) if isinstance(form, str) else form(b, x, y)


def broadcast(b: Builder, tensors: Sequence[Sym]) -> list[Sym]:
    """All tensors in their common shape."""
    rank = max(b.rank(t) for t in tensors)
    sizes: list[Any] = []
    for i in range(rank):
        found: Any = 1
        for t in tensors:
            at = i - rank + b.rank(t)
            if at >= 0 and (t.shape or ())[at] != 1:
                size = b.size(t, at)
                found = size if not isinstance(found, int) or found == 1 or isinstance(size, int) else found
        sizes.append(found)
    return [b.expand(t, sizes) for t in tensors]


def is_integral(x: Sym) -> bool:
    """Whether the elements are integers or bools."""
    return not x.floating


# -- arithmetic --------------------------------------------------------------------------------------------------------
def add(b: Builder, x: Any, y: Any, alpha: Any = 1) -> Sym:
    """x + alpha * y."""
    x, y = b.promote(x, y)
    if x.dtype == BOOL:
        return b.op("Or", x, y)
    return b.op("Add", x, scaled(b, y, alpha))


def scaled(b: Builder, x: Sym, factor: Any) -> Sym:
    """x * factor in x's type; x itself for 1."""
    return x if not isinstance(factor, Sym) and factor == 1 else b.op("Mul", x, b.cast(factor, x.dtype))


def sub(b: Builder, x: Any, y: Any, alpha: Any = 1) -> Sym:
    """x - alpha * y."""
    x, y = b.promote(x, y)
    return b.op("Sub", x, scaled(b, y, alpha))


def mul(b: Builder, x: Any, y: Any) -> Sym:
    """x * y."""
    x, y = b.promote(x, y)
    return b.op("And" if x.dtype == BOOL else "Mul", x, y)


converter("add.Tensor|Scalar")(add)
converter("sub.Tensor|Scalar")(sub)
converter("mul.Tensor|Scalar")(mul)
converter("rsub.Tensor|Scalar")(lambda b, x, y, alpha=1: sub(b, y, x, alpha))
converter("_add_relu.Tensor|Scalar")(lambda b, x, y, alpha=1: b.op("Relu", add(b, x, y, alpha)))


@converter("_test_serialization_subcmul")
def _subcmul(b: Builder, x: Sym, y: Sym, alpha: Any = 1) -> Sym:
    return sub(b, x, scaled(b, y, alpha))


def floor_quotient(b: Builder, x: Sym, y: Sym) -> Sym:
    """x // y, rounded down, in the operands' type."""
    if is_integral(x):
        return b.op("Div", b.op("Sub", x, b.op("Mod", x, y)), y)
    known = b.known(y)
    if known is not None and known.size == 1 and known.item() != 0 and math.frexp(abs(float(known.item())))[0] == 0.5:
        return b.op("Floor", b.op("Div", x, y))
    exact = b.op("Round", b.op("Div", b.op("Sub", x, modulo(b, x, y)), y))
    return b.op("Where", b.op("Equal", y, 0), b.op("Div", x, y), exact)


def modulo(b: Builder, x: Sym, y: Sym) -> Sym:
    """x % y with the divisor's sign."""
    if is_integral(x):
        return b.op("Mod", x, y)
    rest = b.op("Mod", x, y, fmod=1)
    differs = b.op("Xor", b.op("Less", rest, 0), b.op("Less", y, 0))
    moved = b.op("And", b.op("Not", b.op("Equal", rest, 0)), differs)
    return b.op("Where", moved, b.op("Add", rest, y), rest)


def truncated(b: Builder, x: Sym) -> Sym:
    """Rounded towards zero."""
    return x if is_integral(x) else b.op("Mul", b.op("Sign", x), b.op("Floor", b.op("Abs", x)))


def divide(b: Builder, x: Any, y: Any, rounding_mode: str | None = None) -> Sym:
    """x / y, as torch.div."""
    if rounding_mode is None:
        x, y = b.promote(x, y, floating=True)
        return b.op("Div", x, y)
    x, y = b.promote(x, y)
    if rounding_mode == "floor":
        return floor_quotient(b, x, y)
    quotient = b.op("Div", x, y)
    return quotient if is_integral(x) else truncated(b, quotient)


converter("div.Tensor|Scalar|Tensor_mode|Scalar_mode")(divide)
converter("floor_divide.|Scalar")(lambda b, x, y: divide(b, x, y, "floor"))
binary("remainder.Tensor|Scalar|Scalar_Tensor", modulo)
binary("fmod.Tensor|Scalar", lambda b, x, y: b.op("Mod", x, y, fmod=1))


def power(b: Builder, x: Any, y: Any) -> Sym:
    """x ** y, the common powers without Pow."""
    x, y = b.promote(x, y)
    known = b.known(y)
    if known is not None and known.size == 1 and known.ndim == 0:
        value = known.item()
        if value == 1:
            return x  # type: ignore[no-any-return]
        if value == 2:
            return b.op("Mul", x, x)
        if not is_integral(x) and value in (0.5, -1, -0.5):
            root = b.op("Sqrt", x) if value != -1 else x
            return root if value == 0.5 else b.op("Reciprocal", root)
    return b.op("Pow", x, y)


converter("pow.Tensor_Tensor|Tensor_Scalar|Scalar")(power)


@converter("float_power.Tensor_Tensor|Tensor_Scalar|Scalar")
def _float_power(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Pow", b.cast(x, DOUBLE), b.cast(y, DOUBLE))


@converter("addcmul")
def _addcmul(b: Builder, x: Sym, first: Sym, second: Sym, value: Any = 1) -> Sym:
    return add(b, x, mul(b, first, second), value)


@converter("addcdiv")
def _addcdiv(b: Builder, x: Sym, first: Sym, second: Sym, value: Any = 1) -> Sym:
    return add(b, x, divide(b, first, second), value)


@converter("lerp.Scalar|Tensor")
def _lerp(b: Builder, start: Sym, end: Sym, weight: Any) -> Sym:
    return b.op("Add", start, b.op("Mul", b.cast(weight, start.dtype), b.op("Sub", end, start)))


unary("neg", "Neg", floating=False)
unary("abs", lambda b, x: x if x.dtype == BOOL else b.op("Abs", x), floating=False)
unary("sign sgn", lambda b, x: x if x.dtype == BOOL else b.op("Sign", x), floating=False)
unary("square", lambda b, x: b.op("Mul", x, x) if x.dtype != BOOL else b.cast(x, INT64), floating=False)
unary("positive conj_physical real resolve_conj resolve_neg", lambda b, x: x, floating=False)


# -- comparison and logic ----------------------------------------------------------------------------------------------
for _name, _kind in (
    ("eq", "Equal"),
    ("lt", "Less"),
    ("le", "LessOrEqual"),
    ("gt", "Greater"),
    ("ge", "GreaterOrEqual"),
):
    binary(f"{_name}.Tensor|Scalar", _kind)
binary("ne.Tensor|Scalar", lambda b, x, y: b.op("Not", b.op("Equal", x, y)))


def as_bool(b: Builder, x: Any) -> Sym:
    """Whether elements are nonzero."""
    return b.cast(x, BOOL)


for _name, _kind in (("and", "And"), ("or", "Or"), ("xor", "Xor")):

    def _logic(b: Builder, x: Any, y: Any, kind: str = _kind) -> Sym:
        return b.op(kind, as_bool(b, x), as_bool(b, y))

    def _bitwise(b: Builder, x: Sym, y: Sym, kind: str = _kind) -> Sym:
        return b.op(kind if x.dtype == BOOL else f"Bitwise{kind}", x, y)

    converter(f"logical_{_name}")(_logic)
    binary(f"bitwise_{_name}.Tensor|Scalar|Scalar_Tensor __{_name}__.Tensor|Scalar", _bitwise)
unary("logical_not", lambda b, x: b.op("Not", as_bool(b, x)), floating=False)
unary("bitwise_not", lambda b, x: b.op("Not" if x.dtype == BOOL else "BitwiseNot", x), floating=False)


def _shifts(b: Builder, y: Sym) -> Sym:
    """2 ** y."""
    return b.op("Pow", b.constant(2, y.dtype), y)


binary(
    "bitwise_left_shift.Tensor|Tensor_Scalar|Scalar_Tensor __lshift__.Tensor|Scalar",
    lambda b, x, y: b.op("Mul", x, _shifts(b, y)),
)
binary(
    "bitwise_right_shift.Tensor|Tensor_Scalar|Scalar_Tensor __rshift__.Tensor|Scalar",
    lambda b, x, y: floor_quotient(b, x, _shifts(b, y)),
)


def is_nan(b: Builder, x: Sym) -> Sym:
    """Whether elements are NaN."""
    return b.op("IsNaN", x) if x.floating else b.op("Not", b.op("Equal", x, x))


def _is_inf(sign: int) -> Unary:
    def form(b: Builder, x: Sym) -> Sym:
        if not x.floating:
            return b.op("Not", b.op("Equal", x, x))
        return b.op("IsInf", x, detect_positive=None if sign >= 0 else 0, detect_negative=None if sign <= 0 else 0)

    return form


unary("isnan", is_nan, floating=False)
unary("isinf", _is_inf(0), floating=False)
unary("isposinf", _is_inf(1), floating=False)
unary("isneginf", _is_inf(-1), floating=False)
unary(
    "isreal",
    lambda b, x: b.op("Equal", x, x) if not x.floating else b.op("Or", b.op("Equal", x, x), is_nan(b, x)),
    floating=False,
)


def is_finite(b: Builder, x: Sym) -> Sym:
    """Whether elements are neither infinite nor NaN."""
    return b.op("Equal", x, x) if not x.floating else b.op("Less", b.op("Abs", x), math.inf)


unary("isfinite", is_finite, floating=False)


def sign_bit(b: Builder, x: Sym) -> Sym:
    """Whether the sign is negative, that of zero too."""
    negative = b.op("Less", x, 0)
    return b.op("Or", negative, b.op("Less", b.op("Reciprocal", x), 0)) if x.floating else negative


unary("signbit", sign_bit, floating=False)


@converter("isclose")
def _isclose(b: Builder, x: Sym, y: Sym, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Sym:
    x, y = b.promote(x, y, floating=True)
    near = b.op("LessOrEqual", b.op("Abs", b.op("Sub", x, y)), b.op("Add", b.op("Mul", b.op("Abs", y), rtol), atol))
    found = b.op("Or", b.op("Equal", x, y), b.op("And", near, is_finite(b, y)))
    return b.op("Or", found, b.op("And", is_nan(b, x), is_nan(b, y))) if equal_nan else found


# -- extremes ----------------------------------------------------------------------------------------------------------
def _either_nan(kind: str) -> Callable[[Builder, Sym, Sym], Sym]:
    """The extreme that ignores NaN."""

    def form(b: Builder, x: Sym, y: Sym) -> Sym:
        if not x.floating:
            return extreme(b, kind, x, y)
        return b.op("Where", is_nan(b, x), y, b.op("Where", is_nan(b, y), x, b.op(kind, x, y)))

    return form


def extreme(b: Builder, kind: str, x: Sym, y: Sym) -> Sym:
    """Max or Min; of bools, Or or And."""
    return b.op({"Max": "Or", "Min": "And"}[kind] if x.dtype == BOOL else kind, x, y)


binary("maximum max.other", lambda b, x, y: extreme(b, "Max", x, y))
binary("minimum min.other", lambda b, x, y: extreme(b, "Min", x, y))
binary("fmax", _either_nan("Max"))
binary("fmin", _either_nan("Min"))


@converter("clamp.|Tensor")
def clamp(b: Builder, x: Sym, low: Any = None, high: Any = None) -> Sym:
    """x within bounds, as torch.clamp."""
    parts = b.promote(*[v for v in (x, low, high) if v is not None])
    x = parts[0]
    low = None if low is None else parts[1]
    high = None if high is None else parts[-1]
    if all(v is None or v.rank == 0 for v in (low, high)):
        return b.op("Clip", x, low, high)
    x = x if low is None else b.op("Max", x, low)
    return x if high is None else b.op("Min", x, high)


converter("clamp_min.|Tensor")(lambda b, x, low: clamp(b, x, low, None))
converter("clamp_max.|Tensor")(lambda b, x, high: clamp(b, x, None, high))


@converter("nan_to_num")
def _nan_to_num(
    b: Builder, x: Sym, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Sym:
    if not x.floating:
        return x
    limits = np.finfo({5: np.float16, 7: np.float64}.get(x.dtype, np.float32))  # type: ignore[type-var]
    x = b.op("Where", is_nan(b, x), nan or 0.0, x)
    x = b.op("Where", _is_inf(1)(b, x), float(limits.max) if posinf is None else posinf, x)  # type: ignore[arg-type]
    return b.op("Where", _is_inf(-1)(b, x), float(limits.min) if neginf is None else neginf, x)  # type: ignore[arg-type]


# -- rounding ----------------------------------------------------------------------------------------------------------
for _name, _kind in (("ceil", "Ceil"), ("floor", "Floor"), ("round", "Round")):

    def _rounded(b: Builder, x: Sym, kind: str = _kind) -> Sym:
        return x if is_integral(x) else b.op(kind, x)

    unary(_name, _rounded, floating=False)
unary("trunc", truncated, floating=False)
unary("frac", lambda b, x: b.op("Sub", x, truncated(b, x)), floating=False)


@converter("round.decimals")
def _round_decimals(b: Builder, x: Sym, decimals: int) -> Sym:
    if is_integral(x):
        return x
    power_of_ten = float(10 ** abs(decimals))
    there, back = ("Mul", "Div") if decimals >= 0 else ("Div", "Mul")
    return b.op(back, b.op("Round", b.op(there, x, power_of_ten)), power_of_ten)


# -- elementary functions ----------------------------------------------------------------------------------------------
for _name, _kind in {
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh",
    "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "special_erf": "Erf",
    "reciprocal": "Reciprocal", "sigmoid": "Sigmoid", "special_expit": "Sigmoid",
}.items():  # fmt: skip
    unary(_name, _kind)

unary("rsqrt", lambda b, x: b.op("Reciprocal", b.op("Sqrt", x)))
unary("log2", lambda b, x: b.op("Mul", b.op("Log", x), 1 / math.log(2)))
unary("log10", lambda b, x: b.op("Mul", b.op("Log", x), 1 / math.log(10)))
unary("exp2 special_exp2", lambda b, x: b.op("Exp", b.op("Mul", x, math.log(2))))
unary("deg2rad", lambda b, x: b.op("Mul", x, math.pi / 180))
unary("rad2deg", lambda b, x: b.op("Mul", x, 180 / math.pi))
unary("angle", lambda b, x: b.op("Where", is_nan(b, x), x, b.op("Where", b.op("Less", x, 0), math.pi, 0.0)))


def log1p(b: Builder, x: Sym) -> Sym:
    """log(1 + x), exact for small x."""
    more = b.op("Add", x, 1.0)
    exact = b.op("Mul", b.op("Log", more), b.op("Div", x, b.op("Sub", more, 1.0)))
    small = b.op("Equal", more, 1.0)
    return b.op("Where", small, x, b.op("Where", b.op("Equal", more, math.inf), more, exact))


def expm1(b: Builder, x: Sym) -> Sym:
    """exp(x) - 1, exact for small x."""
    half = b.op("Tanh", b.op("Mul", x, 0.5))
    near = b.op("Div", b.op("Mul", half, 2.0), b.op("Sub", 1.0, half))
    return b.op("Where", b.op("Less", b.op("Abs", x), 0.5), near, b.op("Sub", b.op("Exp", x), 1.0))


def erfc(b: Builder, x: Sym) -> Sym:
    """1 - erf(x)."""
    return b.op("Sub", 1.0, b.op("Erf", x))


unary("log1p special_log1p", log1p)
unary("expm1 special_expm1", expm1)
unary("erfc special_erfc", erfc)


@converter("sinc", "special_sinc")
def _sinc(b: Builder, x: Sym) -> Sym:
    x = b.op("Mul", b.floating(x), math.pi)
    zero = b.op("Equal", x, 0)
    return b.op("Where", zero, 1.0, b.op("Div", b.op("Sin", x), b.op("Where", zero, 1.0, x)))


@converter("logit", "special_logit")
def _logit(b: Builder, x: Sym, eps: float | None = None) -> Sym:
    x = b.floating(x)
    x = x if eps is None else b.op("Clip", x, eps, 1 - eps)
    return b.op("Log", b.op("Div", x, b.op("Sub", 1.0, x)))


def atan2(b: Builder, y: Sym, x: Sym) -> Sym:
    """The angle of a point, in all quadrants."""
    positive = b.op("Where", b.op("Equal", x, 0), 0.0, x)  # a negative zero would turn the angle
    half = b.op("Atan", b.op("Div", y, positive))
    turned = b.op("Add", half, b.op("Where", sign_bit(b, y), -math.pi, b.constant(math.pi, half.dtype)))
    result = b.op("Where", b.op("Less", x, 0), turned, half)
    zero = b.op("And", b.op("Equal", x, 0), b.op("Equal", y, 0))
    return b.op("Where", zero, b.op("Where", sign_bit(b, x), turned_zero(b, y), y), result)


def turned_zero(b: Builder, y: Sym) -> Sym:
    """pi with a number's sign."""
    return b.op("Where", sign_bit(b, y), b.constant(-math.pi, y.dtype), b.constant(math.pi, y.dtype))


binary("atan2", atan2, floating=True)
binary("hypot", lambda b, x, y: b.op("Sqrt", b.op("Add", b.op("Mul", x, x), b.op("Mul", y, y))))
binary(
    "copysign.Tensor|Scalar",
    lambda b, x, y: b.op("Mul", b.op("Abs", x), b.op("Where", sign_bit(b, y), -1.0, b.constant(1.0, x.dtype))),
    floating=True,
)


def xlogy(b: Builder, x: Sym, y: Sym) -> Sym:
    """x * log(y), 0 where x is 0 (NaN where y is)."""
    product = b.op("Mul", x, b.op("Log", y))
    return b.op("Where", is_nan(b, y), y, b.op("Where", b.op("Equal", x, 0), 0.0, product))


def _xlog1py(b: Builder, x: Sym, y: Sym) -> Sym:
    product = b.op("Mul", x, log1p(b, y))
    return b.op("Where", is_nan(b, y), y, b.op("Where", b.op("Equal", x, 0), 0.0, product))


binary("xlogy.Tensor|Scalar_Other|Scalar_Self special_xlogy.|other_scalar|self_scalar", xlogy, floating=True)
binary("special_xlog1py.|other_scalar|self_scalar", _xlog1py, floating=True)


def _log_add(base: float) -> Callable[[Builder, Sym, Sym], Sym]:
    def form(b: Builder, x: Sym, y: Sym) -> Sym:
        high = b.op("Max", x, y)
        same = b.op("Equal", x, y)
        gap = b.op("Where", same, 0.0, b.op("Neg", b.op("Abs", b.op("Sub", x, y))))
        scale = math.log(base)
        return b.op("Add", high, b.op("Mul", log1p(b, b.op("Exp", b.op("Mul", gap, scale))), 1 / scale))

    return form


binary("logaddexp", _log_add(math.e), floating=True)
binary("logaddexp2", _log_add(2.0), floating=True)


@converter("heaviside")
def _heaviside(b: Builder, x: Sym, values: Sym) -> Sym:
    x, values = b.promote(x, values)
    positive = b.cast(b.op("Greater", x, 0), x.dtype)
    return b.op("Where", b.op("Equal", x, 0), values, positive)


@converter("ldexp.Tensor")
def _ldexp(b: Builder, x: Sym, other: Sym) -> Sym:
    x = b.floating(x)
    return mul(
        b,
        x,
        b.op(
            "Pow",
            b.constant(2.0, FLOAT if x.dtype != DOUBLE else DOUBLE),
            b.cast(other, FLOAT if x.dtype != DOUBLE else DOUBLE),
        ),
    )


def gcd(b: Builder, x: Sym, y: Sym) -> Sym:
    """The greatest common divisor, by Euclid's algorithm on all elements until the last is found."""
    x, y = broadcast(b, [b.op("Abs", x), b.op("Abs", y)])

    def rest(b: Builder, y: Sym) -> Sym:
        return b.cast(b.op("ReduceMax", b.cast(y, INT64), keepdims=0), BOOL)

    def step(b: Builder, index: Sym, states: list[Sym]) -> tuple[Sym, list[Sym], list[Sym]]:
        p, q = states
        done = b.op("Equal", q, 0)
        left = b.op("Where", done, 0, b.op("Mod", p, b.op("Where", done, 1, q)))
        return rest(b, left), [b.op("Where", done, p, q), left], []

    return loop(b, [x, y], step, going=rest(b, y))[0][0]


def _lcm(b: Builder, x: Sym, y: Sym) -> Sym:
    common = gcd(b, x, y)
    zero = b.op("Equal", common, 0)
    return b.op("Abs", b.op("Mul", b.op("Div", x, b.op("Where", zero, 1, common)), y))


binary("gcd", gcd)
binary("lcm", _lcm)


no_form("frexp", "nextafter", reason="ONNX has no operator that takes floating-point numbers apart")
