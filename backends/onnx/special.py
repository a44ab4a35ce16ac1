"""ONNX forms of the special family. ONNX has only Erf: other functions are fitted by Chebyshev series when the model is
exported.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import erfc, is_nan, log1p, unary, xlogy
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError

Real = Callable[[Any], Any]


@cache
def _coefficients(name: str, low: float, high: float, degree: int) -> tuple[float, ...]:
    from numpy.polynomial.chebyshev import Chebyshev

    return tuple(Chebyshev.interpolate(_TARGETS[name], degree, [low, high]).coef.tolist())


def _series(b: Builder, x: Sym, name: str, low: float, high: float, degree: int) -> Sym:
    """The fitted function on [low, high], by Clenshaw's recurrence."""
    t = b.op("Mul", b.op("Sub", x, (low + high) / 2), 2 / (high - low))
    twice = b.op("Add", t, t)
    coefficients = _coefficients(name, low, high, degree)
    one: Any = None
    two: Any = None
    for c in coefficients[:0:-1]:
        new = b.constant(c, x.dtype) if one is None else b.op("Add", b.op("Mul", twice, one), c)
        new = new if two is None else b.op("Sub", new, two)
        one, two = new, one
    made = b.op("Add", b.op("Mul", t, one), coefficients[0])
    return made if two is None else b.op("Sub", made, two)


def _lower(x: Any) -> Any:
    """erfinv(y) / y over w = -log(1 - y²), for small w."""
    from scipy.special import erfinv

    y = np.sqrt(-np.expm1(-np.maximum(x, 1e-30)))
    return np.where(x < 1e-20, math.sqrt(math.pi) / 2, erfinv(y) / y)


def _upper(x: Any) -> Any:
    """The same over the root of w."""
    from scipy.special import ndtri_exp

    w = np.asarray(x) ** 2
    y = np.sqrt(-np.expm1(-w))  # 1 - y² = exp(-w): erfinv by the tail's logarithm, as y is too near 1
    tail = -w - np.log1p(y) - math.log(2)
    return -ndtri_exp(tail) / math.sqrt(2) / y


def _scaled_bessel(order: int, far: bool) -> Real:
    def target(x: Any) -> Any:
        from scipy import special

        function = special.i0e if order == 0 else special.i1e
        if not far:
            return (
                function(x)
                if order == 0
                else np.where(x == 0, 0.5, function(np.where(x == 0, 1, x)) / np.where(x == 0, 1, x))
            )
        argument = 8 / np.maximum(x, 1e-30)
        return np.where(x < 1e-12, 1 / math.sqrt(2 * math.pi), function(argument) * np.sqrt(argument))

    return target


def _hankel(order: int, imaginary: bool) -> Real:
    """Modulus parts of J + iY beyond 8, over 8 / x: what is left of them without the root and the turn."""

    def target(t: Any) -> Any:
        from scipy import special

        x = 8 / np.maximum(t, 1e-9)
        wave = special.jv(order, x) + 1j * special.yv(order, x)
        made = wave * np.sqrt(math.pi * x / 2) * np.exp(-1j * (x - math.pi * (2 * order + 1) / 4))
        far = np.asarray(t) < 1e-6
        return np.where(far, 0.0 if imaginary else 1.0, made.imag if imaginary else made.real)

    return target


def _near(order: int, second: bool) -> Real:
    """J, or what is left of Y without its logarithm and pole, up to 8 (over x for order 1)."""

    def target(x: Any) -> Any:
        from scipy import special

        x = np.maximum(np.asarray(x), 1e-4)
        j = special.jv(order, x)
        made = special.yv(order, x) - 2 / math.pi * (np.log(x / 2) * j - (1 / x if order else 0)) if second else j
        return made / x if order else made

    return target


def _modified(order: int, far: bool) -> Real:
    """K without its logarithm and pole below 2 (over x for order 1); exp(x) sqrt(x) K over 2 / x beyond."""

    def target(x: Any) -> Any:
        from scipy import special

        if far:
            x = 2 / np.maximum(x, 1e-9)
            return np.where(x > 1e6, math.sqrt(math.pi / 2), special.kve(order, x) * np.sqrt(x))
        x = np.maximum(np.asarray(x), 1e-4)
        log = np.log(x / 2) * special.iv(order, x)
        return special.kv(0, x) + log if order == 0 else (special.kv(1, x) - 1 / x - log) / x

    return target


def _scaled_erfc(x: Any) -> Any:
    """erfcx(x) (1 + x) over 1 / (1 + x)."""
    from scipy.special import erfcx

    at = 1 / np.maximum(np.asarray(x), 1e-12) - 1
    return np.where(at > 1e9, 1 / math.sqrt(math.pi), erfcx(at) * (1 + at))


_TARGETS: dict[str, Real] = {
    "erfinv": _lower, "erfinv_tail": _upper, "erfcx": _scaled_erfc,
    **{f"i{n}e": _scaled_bessel(n, False) for n in (0, 1)}, **{f"i{n}e_far": _scaled_bessel(n, True) for n in (0, 1)},
    **{f"p{n}": _hankel(n, False) for n in (0, 1)}, **{f"q{n}": _hankel(n, True) for n in (0, 1)},
    **{f"j{n}": _near(n, False) for n in (0, 1)}, **{f"y{n}": _near(n, True) for n in (0, 1)},
    **{f"k{n}": _modified(n, False) for n in (0, 1)}, **{f"k{n}_far": _modified(n, True) for n in (0, 1)},
}  # fmt: skip


def erfinv(b: Builder, x: Sym) -> Sym:
    """The inverse of the error function."""
    w = b.op("Neg", b.op("Log", b.op("Mul", b.op("Sub", 1.0, x), b.op("Add", 1.0, x))))
    near = _series(b, b.op("Clip", w, 0.0, 6.0), "erfinv", 0.0, 6.0, 20)
    far = _series(b, b.op("Sqrt", b.op("Clip", w, 6.0, 40.0)), "erfinv_tail", math.sqrt(6.0), math.sqrt(40.0), 12)
    inside = b.op("Mul", x, b.op("Where", b.op("Less", w, 6.0), near, far))
    return b.op(
        "Where", b.op("Equal", b.op("Abs", x), 1.0), b.op("Mul", x, math.inf), b.op("Where", is_nan(b, w), w, inside)
    )


unary("erfinv special_erfinv", erfinv)
unary("special_ndtr", lambda b, x: b.op("Mul", b.op("Add", b.op("Erf", b.op("Mul", x, math.sqrt(0.5))), 1.0), 0.5))
unary("special_ndtri", lambda b, x: b.op("Mul", erfinv(b, b.op("Sub", b.op("Add", x, x), 1.0)), math.sqrt(2)))
unary("special_entr", lambda b, x: b.op("Where", b.op("Less", x, 0.0), -math.inf, b.op("Neg", xlogy(b, x, x))))


def _bessel(order: int, scaled: bool) -> Callable[[Builder, Sym], Sym]:
    def form(b: Builder, x: Sym) -> Sym:
        size = b.op("Abs", x)
        near = _series(b, b.op("Min", size, 8.0), f"i{order}e", 0.0, 8.0, 24)
        near = b.op("Mul", near, size) if order else near
        far = _series(b, b.op("Div", 8.0, b.op("Max", size, 8.0)), f"i{order}e_far", 0.0, 1.0, 16)
        far = b.op("Div", far, b.op("Sqrt", b.op("Max", size, 8.0)))
        made = b.op("Where", b.op("Less", size, 8.0), near, far)
        made = made if scaled else b.op("Mul", made, b.op("Exp", size))
        return b.op("Mul", made, b.op("Sign", x)) if order else made

    return form


unary("i0 special_i0 special_modified_bessel_i0", _bessel(0, False))
unary("special_i0e", _bessel(0, True))
unary("special_i1 special_modified_bessel_i1", _bessel(1, False))
unary("special_i1e", _bessel(1, True))


def _first_kind(order: int) -> Callable[[Builder, Sym], Sym]:
    def form(b: Builder, x: Sym) -> Sym:
        size = b.op("Abs", x)
        near = _series(b, b.op("Min", size, 8.0), f"j{order}", 0.0, 8.0, 26)
        near = b.op("Mul", near, size) if order else near
        made = b.op("Where", b.op("Less", size, 8.0), near, _wave(b, size, order, False))
        return b.op("Mul", made, b.op("Sign", x)) if order else made

    return form


def _wave(b: Builder, x: Sym, order: int, second: bool) -> Sym:
    """J or Y beyond 8."""
    far = b.op("Max", x, 8.0)
    t = b.op("Div", 8.0, far)
    p, q = _series(b, t, f"p{order}", 0.0, 1.0, 12), _series(b, t, f"q{order}", 0.0, 1.0, 12)
    angle = b.op("Sub", far, math.pi * (2 * order + 1) / 4)
    c, s = b.op("Cos", angle), b.op("Sin", angle)
    parts = (b.op("Mul", p, s), b.op("Mul", q, c)) if second else (b.op("Mul", p, c), b.op("Mul", b.op("Neg", q), s))
    return b.op("Mul", b.op("Add", *parts), b.op("Sqrt", b.op("Div", 2 / math.pi, far)))


def _second_kind(order: int) -> Callable[[Builder, Sym], Sym]:
    first = _first_kind(order)

    def form(b: Builder, x: Sym) -> Sym:
        small = b.op("Clip", x, 1e-30, 8.0)
        log = b.op("Mul", b.op("Log", b.op("Mul", small, 0.5)), first(b, small))
        log = b.op("Sub", log, b.op("Reciprocal", small)) if order else log
        near = _series(b, small, f"y{order}", 0.0, 8.0, 26)
        near = b.op("Mul", near, small) if order else near
        near = b.op("Add", near, b.op("Mul", log, 2 / math.pi))
        made = b.op("Where", b.op("Less", x, 8.0), near, _wave(b, x, order, True))
        return b.op("Where", b.op("Less", x, 0.0), math.nan, b.op("Where", b.op("Equal", x, 0.0), -math.inf, made))

    return form


def _third_kind(order: int, scaled: bool) -> Callable[[Builder, Sym], Sym]:
    modified = _bessel(order, False)

    def form(b: Builder, x: Sym) -> Sym:
        small, large = b.op("Clip", x, 1e-30, 2.0), b.op("Max", x, 2.0)
        log = b.op("Mul", b.op("Log", b.op("Mul", small, 0.5)), modified(b, small))
        near = _series(b, small, f"k{order}", 0.0, 2.0, 16)
        if order:
            near = b.op("Add", b.op("Add", b.op("Mul", near, small), log), b.op("Reciprocal", small))
        else:
            near = b.op("Sub", near, log)
        near = b.op("Mul", near, b.op("Exp", small)) if scaled else near
        far = _series(b, b.op("Div", 2.0, large), f"k{order}_far", 0.0, 1.0, 16)
        far = b.op("Div", far, b.op("Sqrt", large))
        far = far if scaled else b.op("Mul", far, b.op("Exp", b.op("Neg", large)))
        made = b.op("Where", b.op("LessOrEqual", x, 2.0), near, far)
        return b.op("Where", b.op("Less", x, 0.0), math.nan, b.op("Where", b.op("Equal", x, 0.0), math.inf, made))

    return form


for _order in (0, 1):
    unary(f"special_bessel_j{_order}", _first_kind(_order))
    unary(f"special_bessel_y{_order}", _second_kind(_order))
    unary(f"special_modified_bessel_k{_order}", _third_kind(_order, False))
    unary(f"special_scaled_modified_bessel_k{_order}", _third_kind(_order, True))


def erfcx(b: Builder, x: Sym) -> Sym:
    """exp(x²) erfc(x)."""
    size = b.op("Abs", x)
    inverse = b.op("Reciprocal", b.op("Add", size, 1.0))
    right = b.op("Mul", _series(b, inverse, "erfcx", 0.0, 1.0, 22), inverse)
    left = b.op("Sub", b.op("Mul", b.op("Exp", b.op("Mul", x, x)), 2.0), right)
    return b.op("Where", b.op("Less", x, 0.0), left, right)


def _log_ndtr(b: Builder, x: Sym) -> Sym:
    t = b.op("Mul", x, math.sqrt(0.5))
    tail = b.op("Sub", b.op("Log", b.op("Mul", erfcx(b, b.op("Neg", t)), 0.5)), b.op("Mul", t, t))
    body = log1p(b, b.op("Mul", erfc(b, t), -0.5))
    return b.op("Where", b.op("Less", x, -1.0), tail, body)


unary("special_erfcx", erfcx)
unary("special_log_ndtr", _log_ndtr)


def _sine_pi(b: Builder, x: Sym) -> Sym:
    """sin(pi x), exact zeros at integers."""
    return b.op("Sin", b.op("Mul", b.op("Sub", x, b.op("Mul", b.op("Floor", b.op("Mul", x, 0.5)), 2.0)), math.pi))


def lgamma(b: Builder, x: Sym) -> Sym:
    """log |gamma(x)|: eight steps up, then Stirling's series; below 0.5 by reflection. Computed in double precision."""
    code = x.dtype
    x = b.cast(x, 7)
    reflected = b.op("Less", x, 0.5)
    y = b.op("Where", reflected, b.op("Sub", 1.0, x), x)
    small = b.op("Min", y, 1e100)
    product = small
    for i in range(1, 8):
        product = b.op("Mul", product, b.op("Add", small, float(i)))
    z = b.op("Add", y, 8.0)
    inverse = b.op("Reciprocal", z)
    square = b.op("Mul", inverse, inverse)
    tail = b.constant(1 / 1260, 7)
    tail = b.op("Add", b.op("Mul", b.op("Sub", b.op("Mul", tail, square), 1 / 360), square), 1 / 12)
    log = b.op("Log", z)
    stirling = b.op(
        "Add",
        b.op("Sub", b.op("Mul", b.op("Sub", z, 0.5), log), z),
        b.op("Add", b.op("Mul", tail, inverse), math.log(2 * math.pi) / 2),
    )
    steps = b.op("Where", b.op("Less", y, 1e30), b.op("Log", b.op("Where", b.op("Less", y, 1e30), product, 1.0)), 0.0)
    above = b.op(
        "Where", b.op("Less", y, 1e30), b.op("Sub", stirling, steps), b.op("Sub", b.op("Mul", y, b.op("Log", y)), y)
    )
    above = b.op("Where", b.op("Equal", y, math.inf), y, above)
    mirror = b.op("Sub", b.op("Sub", math.log(math.pi), b.op("Log", b.op("Abs", _sine_pi(b, x)))), above)
    mirror = b.op("Where", b.op("Equal", x, -math.inf), math.inf, mirror)
    return b.cast(b.op("Where", reflected, mirror, above), code)


unary("lgamma special_gammaln", lgamma)


@converter("mvlgamma", "special_multigammaln")
def _mvlgamma(b: Builder, x: Sym, p: int) -> Sym:
    x = b.floating(x)
    total = b.constant(p * (p - 1) / 4 * math.log(math.pi), x.dtype)
    for i in range(p):
        total = b.op("Add", total, lgamma(b, b.op("Sub", x, i / 2)))
    return total


def digamma(b: Builder, x: Sym) -> Sym:
    """The derivative of lgamma: eight steps up, then its asymptotic series; below 0.5 by reflection."""
    code = x.dtype
    x = b.cast(x, 7)
    reflected = b.op("Less", x, 0.5)
    y = b.op("Where", reflected, b.op("Sub", 1.0, x), x)
    total: Any = None
    for _ in range(8):
        step = b.op("Reciprocal", y)
        total = step if total is None else b.op("Add", total, step)
        y = b.op("Add", y, 1.0)
    square = b.op("Reciprocal", b.op("Mul", y, y))
    tail = b.constant(1 / 252, 7)
    tail = b.op("Add", b.op("Mul", b.op("Sub", b.op("Mul", tail, square), 1 / 120), square), 1 / 12)
    above = b.op("Sub", b.op("Sub", b.op("Sub", b.op("Log", y), b.op("Div", 0.5, y)), b.op("Mul", tail, square)), total)
    fraction = b.op("Mul", b.op("Sub", x, b.op("Round", x)), math.pi)
    mirror = b.op("Sub", above, b.op("Div", math.pi, b.op("Tan", fraction)))
    pole = b.op("And", reflected, b.op("Equal", x, b.op("Floor", x)))
    zero = b.op("Equal", x, 0.0)
    result = b.op("Where", reflected, mirror, above)
    result = b.op("Where", pole, math.nan, result)
    return b.cast(b.op("Where", zero, b.op("Neg", b.op("Reciprocal", x)), result), code)


unary("digamma special_digamma special_psi", digamma)


def zeta(b: Builder, s: Sym, q: Sym) -> Sym:
    """Hurwitz's zeta function for s > 1: sixteen terms, then the series of Euler and Maclaurin. In double precision."""
    minus = b.op("Neg", s)
    total, x = b.op("Pow", q, minus), q
    for _ in range(15):
        x = b.op("Add", x, 1.0)
        total = b.op("Add", total, b.op("Pow", x, minus))
    x = b.op("Add", x, 1.0)
    last = b.op("Pow", x, minus)
    rest = b.op("Add", b.op("Div", b.op("Mul", last, x), b.op("Sub", s, 1.0)), b.op("Mul", last, 0.5))
    total = b.op("Add", total, rest)
    square = b.op("Mul", x, x)
    factor = b.op("Div", b.op("Mul", last, s), x)
    for k, share in enumerate((1 / 12, -1 / 720, 1 / 30240)):
        total = b.op("Add", total, b.op("Mul", factor, share))
        growth = b.op("Mul", b.op("Add", s, 2.0 * k + 1), b.op("Add", s, 2.0 * k + 2))
        factor = b.op("Div", b.op("Mul", factor, growth), square)
    whole = b.op("Equal", q, b.op("Floor", q))
    outside = b.op("Where", whole, math.inf, b.op("Where", b.op("Equal", s, b.op("Floor", s)), total, math.nan))
    total = b.op("Where", b.op("LessOrEqual", q, 0.0), outside, total)
    return b.op("Where", b.op("Less", s, 1.0), math.nan, b.op("Where", b.op("Equal", s, 1.0), math.inf, total))


@converter("special_zeta.|other_scalar|self_scalar")
def _zeta(b: Builder, s: Any, q: Any) -> Sym:
    s, q = b.promote(s, q, floating=True)
    return b.cast(zeta(b, b.cast(s, 7), b.cast(q, 7)), s.dtype)


@converter("polygamma", "special_polygamma")
def _polygamma(b: Builder, n: int, x: Sym) -> Sym:
    x = b.floating(x)
    if n == 0:
        return digamma(b, x)
    wide = b.cast(x, 7)
    if n > 1:
        sign = 1.0 if n % 2 else -1.0
        return b.cast(b.op("Mul", zeta(b, b.constant(n + 1.0, 7), wide), sign * math.factorial(n)), x.dtype)
    reflected = b.op("Less", wide, 0.5)
    y = b.op("Where", reflected, b.op("Sub", 1.0, wide), wide)
    above = zeta(b, b.constant(2.0, 7), y)
    sine = b.op("Sin", b.op("Mul", wide, math.pi))
    mirror = b.op("Sub", b.op("Div", math.pi**2, b.op("Mul", sine, sine)), above)
    return b.cast(b.op("Where", reflected, mirror, above), x.dtype)


# -- orthogonal polynomials --------------------------------------------------------------------------------------------
def _recurrence(
    name: str,
    first: Callable[[Builder, Sym], Sym],
    step: Callable[[Builder, Sym, Sym, Sym, int], Sym],
    shifted: bool = False,
) -> None:
    """A polynomial of a known degree, by its three-term recurrence."""

    @converter(f"special_{name}.|n_scalar|x_scalar")
    def convert(b: Builder, x: Any, n: Any) -> Sym:
        known = b.known(n)
        if known is None or known.size != 1:
            raise ExportError("a polynomial whose degree depends on the inputs", b.span)
        n, x = int(known.item()), b.sym(x)
        x = b.floating(x)
        x = b.op("Sub", b.op("Add", x, x), 1.0) if shifted else x
        before, now = b.expand_to(b.constant(1.0, x.dtype), x), first(b, x)
        if n < 0:
            return b.op("Mul", before, 0.0)
        if n == 0:
            return before
        for k in range(1, n):
            before, now = now, step(b, x, now, before, k)
        return now


def _twice(b: Builder, x: Sym) -> Sym:
    return b.op("Add", x, x)


def _plain_step(b: Builder, x: Sym, now: Sym, before: Sym, k: int) -> Sym:
    return b.op("Sub", b.op("Mul", _twice(b, x), now), before)


for _name, _shifted in (("chebyshev_polynomial", False), ("shifted_chebyshev_polynomial", True)):
    _recurrence(f"{_name}_t", lambda b, x: x, _plain_step, _shifted)
    _recurrence(f"{_name}_u", _twice, _plain_step, _shifted)
    _recurrence(f"{_name}_v", lambda b, x: b.op("Sub", _twice(b, x), 1.0), _plain_step, _shifted)
    _recurrence(f"{_name}_w", lambda b, x: b.op("Add", _twice(b, x), 1.0), _plain_step, _shifted)
_recurrence(
    "hermite_polynomial_h",
    _twice,
    lambda b, x, now, before, k: b.op("Sub", b.op("Mul", _twice(b, x), now), b.op("Mul", before, 2.0 * k)),
)
_recurrence(
    "hermite_polynomial_he",
    lambda b, x: x,
    lambda b, x, now, before, k: b.op("Sub", b.op("Mul", x, now), b.op("Mul", before, float(k))),
)
_recurrence(
    "laguerre_polynomial_l", lambda b, x: b.op("Sub", 1.0, x),
    lambda b, x, now, before, k: b.op("Div", b.op("Sub", b.op("Mul", b.op("Sub", 2.0 * k + 1, x), now), b.op("Mul", before, float(k))), k + 1.0),
)  # fmt: skip
_recurrence(
    "legendre_polynomial_p", lambda b, x: x,
    lambda b, x, now, before, k: b.op("Div", b.op("Sub", b.op("Mul", b.op("Mul", x, 2.0 * k + 1), now), b.op("Mul", before, float(k))), k + 1.0),
)  # fmt: skip


@converter("special_round")
def _round(b: Builder, x: Sym, decimals: int = 0) -> Sym:
    scale = float(10 ** abs(decimals))
    if not x.floating:
        return x
    if decimals >= 0:
        return b.op("Div", b.op("Round", b.op("Mul", x, scale)), scale)
    return b.op("Mul", b.op("Round", b.op("Div", x, scale)), scale)


def _spherical(b: Builder, x: Sym) -> Sym:
    small = b.op("Less", b.op("Abs", x), 0.5)
    square = b.op("Mul", x, x)
    near = b.op(
        "Sub",
        1.0,
        b.op(
            "Mul", square, b.op("Sub", 1 / 6, b.op("Mul", square, b.op("Sub", 1 / 120, b.op("Mul", square, 1 / 5040))))
        ),
    )
    return b.op("Where", small, near, b.op("Div", b.op("Sin", x), b.op("Where", small, 1.0, x)))


unary("special_spherical_bessel_j0", _spherical)
no_form(
    "igamma", "igammac", "special_gammainc", "special_gammaincc", "special_airy_ai",
    reason="ONNX has no operator for this function, and no series for it has been written",
)  # fmt: skip
