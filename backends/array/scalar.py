"""Operators over Python numbers with C's semantics: wrap-around at 64 bits, infinities and NaN, not exceptions."""

from __future__ import annotations

import cmath
import math
import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .pointwise import abs_
from .promotion import Array
from .registry import kernel

Number = bool | int | float | complex
_LOW, _HIGH = -(1 << 63), (1 << 63) - 1


def wrap64(value: int) -> int:
    """The value in two's complement of 64 bits."""
    return value if _LOW <= value <= _HIGH else ((value + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def _wrap32(value: int) -> int:
    return ((value + (1 << 31)) & ((1 << 32) - 1)) - (1 << 31)


def _single(value: float) -> float:
    """The value rounded to float32, as PyTorch's operators over a `Scalar` do with their floating-point results."""
    if not math.isfinite(value) or abs(value) > 3.4028235677973366e38:
        return value if math.isnan(value) else math.copysign(math.inf, value)
    return float(np.float32(value))


# --- conversions ------------------------------------------------------------------------------------------------------


def item(a: Array) -> Any:
    """The Python number in an array of one element. Raises RuntimeError for any other size."""
    if a.size != 1:
        raise RuntimeError(f"a Tensor with {a.size} elements cannot be converted to Scalar")
    value = a.item()
    return value if isinstance(value, (bool, int, float, complex)) else float(value)


def _overflow(kind: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {kind} without overflow")


def to_int(value: Any, kind: str = "int64_t") -> int:
    """A number truncated to 64 bits. Raises RuntimeError for what does not fit (NaN, infinity, an imaginary part)."""
    if isinstance(value, complex):
        if value.imag != 0:
            raise _overflow(kind)
        value = value.real
    if isinstance(value, float) and not -9.223372036854775808e18 <= value < 9.223372036854775808e18:
        raise _overflow(kind)
    return wrap64(int(value))


def to_float(value: Any) -> float:
    """A number as a float. Raises RuntimeError for one with an imaginary part."""
    if isinstance(value, complex):
        if value.imag != 0:
            raise _overflow("double")
        return value.real
    return float(value)


@kernel("aten::Bool.Tensor")
def bool_of_tensor(a: Array) -> bool:
    """The truth of an array of one element. Raises RuntimeError for any other size."""
    if a.size != 1:
        many = "more than one value" if a.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(a.item())


@kernel("aten::Int.Tensor")
def int_of_tensor(a: Array) -> int:
    """The element truncated to an integer. Raises RuntimeError where it does not fit."""
    return to_int(item(a))


@kernel("aten::Float.Tensor")
def float_of_tensor(a: Array) -> float:
    """The element as a float."""
    return to_float(item(a))


def _scalar_argument(a: Array) -> Any:
    if a.ndim:
        raise RuntimeError("Cannot input a tensor of dimension other than 0 as a scalar argument")
    return item(a)


@kernel("aten::IntImplicit")
def int_implicit(a: Array) -> int:
    """A 0-dimensional integer array where an int is expected."""
    value = _scalar_argument(a)
    if a.dtype.kind not in "iu":
        raise RuntimeError(f"Cannot input a tensor of type {a.dtype} as an integral argument")
    return int(value)


@kernel("aten::FloatImplicit")
def float_implicit(a: Array) -> float:
    """A 0-dimensional array where a float is expected."""
    return to_float(_scalar_argument(a))


@kernel("aten::ComplexImplicit")
def complex_implicit(a: Array) -> complex:
    """A 0-dimensional array where a complex is expected."""
    return complex(_scalar_argument(a))


@kernel("aten::ScalarImplicit")
def scalar_implicit(a: Array) -> Any:
    """A 0-dimensional array where a number is expected."""
    return _scalar_argument(a)


@kernel("aten::Bool.int", "aten::Bool.float")
def bool_of_number(a: Any) -> bool:
    """Whether the number is not zero."""
    return bool(a)


@kernel("aten::Int.float")
def int_of_float(a: float) -> int:
    """The float truncated; what does not fit becomes the lowest integer."""
    return int(a) if -9.223372036854775808e18 <= a < 9.223372036854775808e18 else _LOW


@kernel("aten::Int.bool", "aten::Int.Scalar")
def int_of_number(a: Any) -> int:
    """The number truncated. Raises RuntimeError where it does not fit."""
    return to_int(a, "int")


@kernel("aten::Float.int", "aten::Float.bool", "aten::Float.Scalar")
def float_of_number(a: Any) -> float:
    """The number as a float (the real part of a complex one)."""
    return float(a.real)


_INTEGER = re.compile(r"[ \t\n\v\f\r]*[+-]?\d+", re.ASCII)
_FLOAT = re.compile(
    r"[ \t\n\v\f\r]*(?P<text>[+-]?(?:inf(?:inity)?|nan(?:\(\w*\))?|0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?"
    r"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))",
    re.ASCII | re.IGNORECASE,
)
_SIGNIFICANT = re.compile("[1-9a-f]")


@kernel("aten::Int.str")
def int_of_str(a: str) -> int:
    """The integer a string spells in base 10, as C's `stoll` reads it. Raises as PyTorch does."""
    found = _INTEGER.match(a)
    if found is None:
        raise ValueError(f"invalid literal for int() with base 10: '{a}' (stoll)")
    value = int(found.group())
    if not _LOW <= value <= _HIGH:
        raise IndexError(f"integer out of range: '{a}' (stoll)")
    if found.end() != len(a):
        raise RuntimeError(f"invalid literal for int() with base 10: '{a}'")
    return value


@kernel("aten::Float.str")
def float_of_str(a: str) -> float:
    """The float a string spells ("1e5", "inf", "nan", "0x1p3"), as C's `stod` reads it. Raises as PyTorch does."""
    found = _FLOAT.match(a)
    if found is None:
        raise ValueError(f"could not convert string to float: '{a}' (stod)")
    text = found["text"].lower().partition("(")[0]
    try:
        value = float.fromhex(text) if "0x" in text else float(text)
    except OverflowError:
        value = math.inf
    overflow = math.isinf(value) and "inf" not in text
    if overflow or (value == 0 and _SIGNIFICANT.search(re.split("p" if "0x" in text else "e", text)[0])):
        raise IndexError(f"float out of range: '{a}' (stod)")
    if found.end() != len(a):
        raise RuntimeError(f"could not convert string to float: '{a}'")
    return value


@kernel("aten::Complex.Scalar")
def complex_of_number(a: Any) -> complex:
    """The number as a complex one."""
    return complex(a)


def _part(x: Any) -> float:
    return to_float(item(x)) if hasattr(x, "dtype") else float(x)


@kernel(
    "aten::Complex.Tensor_Tensor", "aten::Complex.int_bool", "aten::Complex.bool_int", "aten::Complex.float_bool",
    "aten::Complex.bool_float", "aten::Complex.float_int", "aten::Complex.int_float", "aten::Complex.int_int",
    "aten::Complex.bool_bool", "aten::Complex.float_float", "aten::Complex.Tensor_float", "aten::Complex.float_Tensor",
    "aten::Complex.Tensor_int", "aten::Complex.int_Tensor", "aten::Complex.Tensor_bool", "aten::Complex.bool_Tensor",
)  # fmt: skip
def complex_of_parts(x: Any, y: Any) -> complex:
    """x + yj; either may be an array of one element."""
    return complex(_part(x), _part(y))


# --- functions of one number ------------------------------------------------------------------------------------------


def _total(function: Callable[..., Any], fallback: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with the NumPy fallback's infinities and NaN where Python raises."""

    def run(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (ValueError, OverflowError, ZeroDivisionError):
            with np.errstate(all="ignore"):
                return fallback(*(np.asarray(a) + 0.0 for a in arguments)).item()

    return run


def _gamma(a: float) -> float:
    try:
        return math.gamma(a)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, a) if a == 0 else math.nan


def _round_half_even(a: float) -> float:
    return a if not abs(a) < 2**52 else math.copysign(float(round(a)), a)


def _angle(a: float) -> float:
    return math.pi if math.copysign(1, a) < 0 else 0.0


def _whole(function: Callable[[float], int]) -> Callable[[float], int]:
    def run(a: float) -> int:
        if not -9.223372036854775808e18 <= a < 9.223372036854775808e18:
            raise RuntimeError(f"Cannot convert float {a:f} to integer")
        return function(a)

    return run


def _log10(a: complex) -> complex:
    return cmath.log10(a)


#: name: (function of floats, function of complex numbers or None)
_UNARY: dict[str, tuple[Callable[[float], float], Callable[[complex], Any] | None]] = {
    "sqrt": (_total(math.sqrt, np.sqrt), cmath.sqrt),
    "exp": (_total(math.exp, np.exp), _total(cmath.exp, np.exp)),
    "log": (_total(math.log, np.log), _total(cmath.log, np.log)),
    "log10": (_total(math.log10, np.log10), _total(_log10, np.log10)),
    "log1p": (_total(math.log1p, np.log1p), None),
    "expm1": (_total(math.expm1, np.expm1), None),
    "sin": (_total(math.sin, np.sin), _total(cmath.sin, np.sin)),
    "cos": (_total(math.cos, np.cos), _total(cmath.cos, np.cos)),
    "tan": (_total(math.tan, np.tan), _total(cmath.tan, np.tan)),
    "asin": (_total(math.asin, np.arcsin), cmath.asin),
    "acos": (_total(math.acos, np.arccos), cmath.acos),
    "atan": (math.atan, _total(cmath.atan, np.arctan)),
    "sinh": (_total(math.sinh, np.sinh), _total(cmath.sinh, np.sinh)),
    "cosh": (_total(math.cosh, np.cosh), _total(cmath.cosh, np.cosh)),
    "tanh": (math.tanh, _total(cmath.tanh, np.tanh)),
    "asinh": (math.asinh, cmath.asinh),
    "acosh": (_total(math.acosh, np.arccosh), cmath.acosh),
    "atanh": (_total(math.atanh, np.arctanh), _total(cmath.atanh, np.arctanh)),
    "angle": (_angle, cmath.phase),
    "degrees": (math.degrees, None),
    "radians": (math.radians, None),
    "erf": (math.erf, None),
    "erfc": (math.erfc, None),
    "fabs": (math.fabs, None),
    "gamma": (_gamma, None),
    "round": (_round_half_even, None),
}


def _register_unary(name: str, real: Callable[[float], float], imaginary: Callable[[complex], Any] | None) -> None:
    def of_real(a: float) -> float:
        return real(float(a))

    def of_scalar(a: Any) -> Any:
        if isinstance(a, complex):
            if imaginary is None:
                raise RuntimeError(f"{name} is not defined for complex numbers")
            value = imaginary(a)
            return value if isinstance(value, complex) else _single(value)
        return _single(real(float(a)))

    kernel(f"aten::{name}.int", f"aten::{name}.float")(of_real)
    kernel(f"aten::{name}.Scalar")(of_scalar)
    if imaginary is not None:
        kernel(f"aten::{name}.complex")(imaginary)


for _name, (_real, _imaginary) in _UNARY.items():
    _register_unary(_name, _real, _imaginary)


def _register_same(name: str, function: Callable[[Any], Any]) -> None:
    """A function that keeps a number's type: integers wrap at 64 bits, at 32 as a `Scalar`."""

    def of_int(a: int) -> int:
        return wrap64(int(function(a)))

    def of_scalar(a: Any) -> Any:
        value = function(a)
        if isinstance(value, complex):
            return value
        return _single(value) if isinstance(value, float) else _wrap32(int(value))

    kernel(f"{name}.int")(of_int)
    kernel(f"{name}.float", f"{name}.complex")(lambda a: function(a))
    kernel(f"{name}.Scalar")(of_scalar)


_register_same("aten::neg", operator.neg)
_register_same("prim::abs", abs)
kernel("prim::abs")(abs_)


def _register_whole(name: str, function: Callable[[float], int]) -> None:
    checked = _whole(function)
    kernel(f"aten::{name}.int")(lambda a: a)
    kernel(f"aten::{name}.float")(checked)
    kernel(f"aten::{name}.Scalar")(lambda a: _wrap32(checked(a) if isinstance(a, float) else int(a)))


_register_whole("floor", math.floor)
_register_whole("ceil", math.ceil)


@kernel("aten::factorial.int")
def factorial(a: int) -> int:
    """a!, wrapped at 64 bits. Raises RuntimeError for a negative number."""
    if a < 0:
        raise RuntimeError("factorial() not defined for negative values")
    return wrap64(math.factorial(a)) if a < 66 else 0


@kernel("aten::frexp")
def frexp(a: float) -> tuple[float, int]:
    """Mantissa in [0.5, 1) and exponent of base 2."""
    return math.frexp(a)


@kernel("aten::modf")
def modf(a: float) -> tuple[float, float]:
    """The parts after and before the point."""
    return math.modf(a)


@kernel("aten::ldexp")
def ldexp(x: float, i: int) -> float:
    """x * 2 ** i."""
    try:
        return math.ldexp(x, i)
    except OverflowError:
        return math.copysign(math.inf, x)


kernel("aten::isnan.float")(math.isnan)
kernel("aten::isinf.float")(math.isinf)
kernel("aten::isfinite.float")(math.isfinite)
kernel("aten::isnan.complex")(cmath.isnan)
kernel("aten::isinf.complex")(cmath.isinf)
kernel("aten::isfinite.complex")(cmath.isfinite)

# --- functions of two numbers -----------------------------------------------------------------------------------------

_MIXED = ("float", "int_float", "float_int")
_COMPLEX = ("complex", "int_complex", "complex_int", "float_complex", "complex_float")


def _names(name: str, *overloads: str) -> list[str]:
    return [f"aten::{name}.{overload}" if overload else f"aten::{name}" for overload in overloads]


def _register_ring(name: str, function: Callable[[Any, Any], Any]) -> None:
    def of_ints(a: int, b: int) -> int:
        value = function(a, b)
        return value if _LOW <= value <= _HIGH else wrap64(value)

    def of_scalars(a: Any, b: Any) -> Any:
        value = function(a, b)
        return wrap64(value) if isinstance(value, int) else value

    kernel(f"aten::{name}.int")(of_ints)
    kernel(*_names(name, *_MIXED, *_COMPLEX))(function)
    kernel(f"aten::{name}")(of_scalars)


def _multiply(a: Any, b: Any) -> Any:
    """a * b; a real number scales both parts of a complex one."""
    if isinstance(a, complex) != isinstance(b, complex):
        number, scale = (a, b) if isinstance(a, complex) else (b, a)
        return complex(number.real * scale, number.imag * scale)
    return a * b


_register_ring("add", lambda a, b: a + b)
_register_ring("sub", lambda a, b: a - b)
_register_ring("mul", _multiply)


def _divide(a: Any, b: Any) -> Any:
    """a / b in floating point, by zero too."""
    a, b = (a, b) if isinstance(a, complex) or isinstance(b, complex) else (float(a), float(b))
    try:
        return a / b
    except (ZeroDivisionError, OverflowError):
        with np.errstate(all="ignore"):
            return (np.asarray(a) / np.asarray(b)).item()


kernel(*_names("div", "int", "float", "complex", ""))(_divide)


@kernel("aten::floordiv.int")
def floordiv_int(a: int, b: int) -> int:
    """The quotient rounded down. Raises RuntimeError for b = 0."""
    if b == 0:
        raise RuntimeError("division by 0")
    return wrap64(a // b)


@kernel(*_names("floordiv", *_MIXED))
def floordiv_float(a: Any, b: Any) -> float:
    """floor(a / b)."""
    quotient = _divide(a, b)
    return quotient if not math.isfinite(quotient) else float(math.floor(quotient))


@kernel("aten::floordiv")
def floordiv_scalar(a: Any, b: Any) -> Any:
    """The quotient of two numbers rounded down."""
    return floordiv_float(a, b) if isinstance(a, float) or isinstance(b, float) else floordiv_int(a, b)


@kernel("aten::__round_to_zero_floordiv.int")
def round_to_zero_floordiv(a: int, b: int) -> int:
    """The quotient rounded towards zero. Raises RuntimeError for b = 0."""
    if b == 0:
        raise RuntimeError("division by 0")
    return wrap64(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


_fmod = _total(math.fmod, np.fmod)
_ieee_remainder = _total(math.remainder, lambda a, b: np.asarray(math.nan))


@kernel("aten::remainder.int")
def remainder_int(a: int, b: int) -> int:
    """The remainder with the divisor's sign. Raises RuntimeError for b = 0."""
    if b == 0:
        raise RuntimeError("ZeroDivisionError: integer modulo by zero")
    return a % b


@kernel(*_names("remainder", *_MIXED))
def remainder_float(a: Any, b: Any) -> float:
    """The remainder with the divisor's sign."""
    b = float(b)
    return _fmod(b + _fmod(float(a), b), b)  # type: ignore[no-any-return]


@kernel("aten::remainder")
def remainder_scalar(a: Any, b: Any) -> Any:
    """The remainder of two numbers with the divisor's sign."""
    return remainder_float(a, b) if isinstance(a, float) or isinstance(b, float) else remainder_int(a, b)


@kernel(*_names("fmod", "int", *_MIXED, ""))
def fmod(a: Any, b: Any) -> float:
    """The remainder with the dividend's sign."""
    return _fmod(float(a), float(b))  # type: ignore[no-any-return]


@kernel(*_names("mathremainder", "int", *_MIXED, ""))
def mathremainder(a: Any, b: Any) -> float:
    """The IEEE 754 remainder (to the nearest multiple)."""
    return _ieee_remainder(float(a), float(b))  # type: ignore[no-any-return]


@kernel("aten::divmod.int")
def divmod_int(x: int, y: int) -> tuple[int, int]:
    """Floor quotient and remainder. Raises RuntimeError for y = 0."""
    if y == 0:
        raise RuntimeError("ZeroDivisionError: integer division or modulo by zero")
    return wrap64(x // y), x % y


@kernel("aten::divmod.float")
def divmod_float(x: float, y: float) -> tuple[float, float]:
    """Floor quotient and remainder. Raises RuntimeError for y = 0."""
    if y == 0:
        raise RuntimeError("ZeroDivisionError: float divmod()")
    remainder = _fmod(x, y)
    if remainder and (remainder < 0) != (y < 0):
        remainder += y
    return _divide(x - remainder, y), remainder


@kernel("aten::divmod.int_float", "aten::divmod.float_int")
def divmod_mixed(x: Any, y: Any) -> tuple[float, float]:
    """Floor quotient and remainder. Raises RuntimeError for y = 0 and where the quotient is no integer."""
    if y == 0:
        raise RuntimeError("ZeroDivisionError: float divmod()")
    quotient = float(_whole(math.floor)(_divide(x, y)))
    return quotient, x - quotient * y


_pow = _total(math.pow, np.power)


@kernel(*_names("pow", "int", *_MIXED))
def pow_(a: Any, b: Any) -> float:
    """a ** b in floating point. Raises RuntimeError for 0 to a negative power."""
    if a == 0 and b < 0:
        raise RuntimeError("0.0 cannot be raised to a negative power")
    return _pow(float(a), float(b))  # type: ignore[no-any-return]


@kernel("aten::pow.int_to_int")
def pow_int(a: int, b: int) -> int:
    """a ** b as an integer, wrapped at 64 bits (0 for a negative power, but of 1 and -1)."""
    if b < 0:
        if a == 0:
            raise RuntimeError("0.0 cannot be raised to a negative power")
        return 0 if abs(a) != 1 else 1 if a == 1 or b % 2 == 0 else -1
    return wrap64(pow(a, b, 1 << 64))


@kernel("aten::pow.complex", "aten::pow.float_complex", "aten::pow.complex_float")
def pow_complex(a: Any, b: Any) -> complex:
    """a ** b of complex numbers."""
    if a == 0:
        return 0j if b.real > 0 else complex(math.nan if b.real == 0 else math.inf, math.nan)
    return _total(lambda x, y: complex(x**y), lambda x, y: np.power(x + 0j, y))(a, b)  # type: ignore[no-any-return]


@kernel("aten::pow.Scalar_Scalar")
def pow_scalar(a: Any, b: Any) -> Any:
    """a ** b of two numbers in floating point."""
    if isinstance(a, complex) or isinstance(b, complex):
        return pow_complex(a, b)
    return _pow(float(a), float(b))


@kernel(
    *_names("log", "int_int", "float_float", "int_float", "float_int", "Scalar_Scalar", "complex_complex"),
    *_names("log", "int_complex", "complex_int", "float_complex", "complex_float"),
)
def log_base(a: Any, b: Any) -> Any:
    """The logarithm of a to base b."""
    real, imaginary = _UNARY["log"]
    assert imaginary is not None
    logs = [imaginary(x) if isinstance(x, complex) else real(float(x)) for x in (a, b)]
    return _divide(*logs)


@kernel(*_names("atan2", "int", *_MIXED, "Scalar_Scalar"))
def atan2(a: Any, b: Any) -> float:
    """The angle of the point (b, a)."""
    return math.atan2(float(a), float(b))


@kernel(*_names("copysign", "int", *_MIXED, ""))
def copysign(a: Any, b: Any) -> float:
    """The magnitude of a with the sign of b."""
    return math.copysign(float(a), float(b))


@kernel("aten::gcd.int")
def gcd(a: int, b: int) -> int:
    """The greatest common divisor."""
    return wrap64(math.gcd(a, b))


@kernel("aten::__lshift__.int")
def lshift(a: int, b: int) -> int:
    """a shifted left; the count counts modulo 64."""
    return wrap64(a << (b & 63))


@kernel("aten::__rshift__.int")
def rshift(a: int, b: int) -> int:
    """a shifted right, keeping its sign; the count counts modulo 64."""
    return a >> (b & 63)


kernel("aten::__and__.bool", "aten::__and__.int")(operator.and_)
kernel("aten::__or__.bool", "aten::__or__.int")(operator.or_)
kernel("aten::__xor__.bool", "aten::__xor__.int")(operator.xor)
kernel("aten::__not__")(operator.not_)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, (bool, int, float, complex, str)) and a == b


kernel("aten::__is__")(_same)
kernel("aten::__isnot__")(lambda self, obj: not _same(self, obj))


# --- comparisons ------------------------------------------------------------------------------------------------------


def _register_comparison(name: str, function: Callable[[Any, Any], bool], *more: str) -> None:
    def mixed(a: Any, b: Any) -> bool:
        """Compared as floats: an integer is rounded first."""
        return function(float(a), float(b))

    def of_scalars(a: Any, b: Any) -> bool:
        kinds = {type(a), type(b)}
        return mixed(a, b) if float in kinds and complex not in kinds else function(a, b)

    kernel(*_names(name, "int", "float", *more))(function)
    kernel(*_names(name, "int_float", "float_int"))(mixed)
    kernel(*_names(name, ""))(of_scalars)


_EQUALITY = ("bool", "device", "enum", "complex", "float_complex", "complex_float")
_register_comparison("eq", operator.eq, *_EQUALITY)
_register_comparison("ne", operator.ne, *_EQUALITY)
_register_comparison("lt", operator.lt)
_register_comparison("le", operator.le)
_register_comparison("gt", operator.gt)
_register_comparison("ge", operator.ge)


def _register_extreme(name: str, better: Callable[[Any, Any], bool], of_list: Callable[[Any], Any]) -> None:
    def of_two(a: Any, b: Any) -> Any:
        """One of two; in the floating-point type where either is a float."""
        chosen = a if better(a, b) else b
        return float(chosen) if isinstance(chosen, int) and (isinstance(a, float) or isinstance(b, float)) else chosen

    def of_lists(left: list[Any], right: list[Any]) -> list[Any]:
        return left if better(left, right) else right

    def of_one(self: list[Any]) -> Any:
        if not self:
            raise RuntimeError(f"{name}() arg is an empty sequence")
        return of_list(self)

    kernel(*(f"prim::{name}{o}" for o in ("", ".int", ".float", ".int_float", ".float_int")))(of_two)
    kernel(*(f"prim::{name}.{t}_list" for t in ("int", "float", "bool")))(of_lists)
    kernel(*(f"prim::{name}.self_{t}" for t in ("int", "float", "bool")))(of_one)


_register_extreme("max", operator.ge, max)
_register_extreme("min", operator.le, min)


@kernel("aten::mul.right_")
def repeat_list(n: int, values: list[Any]) -> list[Any]:
    """The list n times over."""
    return values * n
