"""Special functions: gamma and its kin, error functions, Bessel functions, orthogonal polynomials.

Most call `scipy.special` (CuPy's counterpart for CuPy arrays).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import pointwise  # noqa: F401  (registers what both families have)
from . import promotion as P
from .constructors import compute, float_binary, float_unary, scipy_special, unsupported
from .promotion import Array, array, cast, cast_scalar
from .registry import kernel, registered

# --- gamma and error functions ----------------------------------------------------------------------------------------

_psi, _gammaln, _hurwitz = scipy_special("psi"), scipy_special("gammaln"), scipy_special("zeta")
_i0e, _i1e, _airy = scipy_special("i0e"), scipy_special("i1e"), scipy_special("airy")


def _digamma(x: Array) -> Array:
    out = np.where(x == 0, np.copysign(cast_scalar(math.inf, x.dtype), -x), _psi(x))
    bad = ((x < 0) & (x == np.trunc(x))) | (x == -math.inf)
    return np.where(bad, cast_scalar(math.nan, x.dtype), out).astype(x.dtype)


def _lgamma(x: Array) -> Array:
    return np.where(np.isinf(x), cast_scalar(math.inf, x.dtype), _gammaln(x))


def _ndtri(p: Array) -> Array:
    return np.where((p < 0) | (p > 1), cast_scalar(math.nan, p.dtype), scipy_special("ndtri")(p))


def _zeta(x: Array, q: Array) -> Array:
    return np.where((q == math.inf) & (x > 1), cast_scalar(math.nan, q.dtype), _hurwitz(x, q))


digamma = float_unary("aten::digamma", "aten::special_digamma", "aten::special_psi", f=_digamma)
lgamma = float_unary("aten::lgamma", "aten::special_gammaln", f=_lgamma)
erfinv = float_unary("aten::erfinv", "aten::special_erfinv", f="erfinv")
erfcx = float_unary("aten::special_erfcx", f="erfcx", low=False)
entr = float_unary("aten::special_entr", f="entr")
ndtr = float_unary("aten::special_ndtr", f="ndtr")
log_ndtr = float_unary("aten::special_log_ndtr", f="log_ndtr", low=False)
ndtri = float_unary("aten::special_ndtri", f=_ndtri, low=False)
igamma = float_binary("aten::igamma", "aten::special_gammainc", f="gammainc", integers=False)
igammac = float_binary("aten::igammac", "aten::special_gammaincc", f="gammaincc", integers=False)
zeta = float_binary(
    "aten::special_zeta", "aten::special_zeta.other_scalar", "aten::special_zeta.self_scalar", f=_zeta, low=False
)


def _xlog1py(x: Array, y: Array) -> Array:
    return np.where((x == 0) & ~np.isnan(y), cast_scalar(0, x.dtype), x * np.log1p(y))


xlog1py = float_binary(
    "aten::special_xlog1py", "aten::special_xlog1py.other_scalar", "aten::special_xlog1py.self_scalar", f=_xlog1py
)


@kernel("aten::lgamma.int", "aten::lgamma.float", "aten::lgamma.Scalar")
def lgamma_scalar(a: Any) -> float:
    """log |gamma(a)| of a number; infinite at the poles."""
    a = float(a)
    return math.inf if math.isinf(a) or (a <= 0 and a == math.floor(a)) else math.lgamma(a)


@kernel("aten::mvlgamma", "aten::special_multigammaln")
def mvlgamma(self: Array, p: int) -> Array:
    """log of the multivariate gamma function of dimension p. Raises RuntimeError for p < 1."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    if self.dtype.kind == "c":
        unsupported("mvlgamma", self.dtype)
    if self.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    dtype = P.floating(self.dtype)
    x = cast(self, P.wide_dtype(dtype))
    shifts = np.arange(0, -p, -1, dtype=x.dtype) / 2
    terms = _lgamma(x[..., None] + shifts)
    return array(np.sum(terms, axis=-1) + cast_scalar(p * (p - 1) / 4 * math.log(math.pi), x.dtype)).astype(dtype)


def _trigamma(x: Array) -> Array:
    """The derivative of digamma: reflection below 0.5, six steps up, then the asymptotic series."""
    one = cast_scalar(1, x.dtype)
    reflected = x < 0.5
    pole = np.sin(x * cast_scalar(math.pi, x.dtype))
    total = np.where(reflected, -cast_scalar(math.pi**2, x.dtype) / (pole * pole), one * 0)
    y = np.where(reflected, 1 - x, x)
    for _ in range(6):
        total = total + 1 / (y * y)
        y = y + 1
    square = 1 / (y * y)
    total = total + (1 + 1 / (2 * y) + square * (one / 6 - square * (one / 30 - square * (one / 42)))) / y
    return np.where(reflected, -total, total)


@kernel("aten::polygamma_")
def polygamma_(self: Array, n: int) -> Array:
    """In place; the order of the arguments differs from the functional form's."""
    self[...] = polygamma(n, self)
    return self


@kernel("aten::polygamma", "aten::special_polygamma")
def polygamma(n: int, self: Array) -> Array:
    """The n-th derivative of digamma. Raises RuntimeError for a negative n."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if self.dtype.kind == "c":
        unsupported("polygamma", self.dtype)
    if n == 0:
        return digamma(self)  # type: ignore[no-any-return]
    dtype = P.floating(self.dtype)
    x = cast(self, P.wide_dtype(dtype))
    if n == 1:
        return array(_trigamma(x)).astype(dtype, copy=False)
    factor = cast_scalar((1.0 if n % 2 else -1.0) * math.exp(math.lgamma(n + 1.0)), x.dtype)
    return array(factor * _zeta(cast_scalar(n + 1, x.dtype), x)).astype(dtype, copy=False)


# --- Bessel functions -------------------------------------------------------------------------------------------------


def _i0(x: Array) -> Array:
    return array(np.exp(np.abs(x)) * _i0e(x))


def _i1(x: Array) -> Array:
    return array(np.exp(np.abs(x)) * _i1e(x))


def _finite(name: str) -> Callable[[Array], Array]:
    """The scipy function, NaN at the infinities."""
    function = scipy_special(name)
    return lambda x: np.where(np.isinf(x), cast_scalar(math.nan, x.dtype), function(x))


def _airy_ai(x: Array) -> Array:
    return np.where(np.isinf(x), cast_scalar(math.nan, x.dtype), _airy(x)[0]).astype(x.dtype)


def _spherical_j0(x: Array) -> Array:
    square = x * x
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    wave = np.where(np.isinf(x), cast_scalar(0, x.dtype), np.sin(x) / x)
    return np.where(np.abs(x) < 0.5, series, wave).astype(x.dtype)


float_unary("aten::i0", "aten::special_i0", f=_i0)
float_unary("aten::special_i1", f=_i1)
float_unary("aten::special_i0e", f="i0e")
float_unary("aten::special_i1e", f="i1e")
float_unary("aten::special_modified_bessel_i0", f=_i0, low=False)
float_unary("aten::special_modified_bessel_i1", f=_i1, low=False)
float_unary("aten::special_modified_bessel_k0", f="k0", low=False)
float_unary("aten::special_modified_bessel_k1", f="k1", low=False)
float_unary("aten::special_scaled_modified_bessel_k0", f="k0e", low=False)
float_unary("aten::special_scaled_modified_bessel_k1", f="k1e", low=False)
float_unary("aten::special_bessel_j0", f=_finite("j0"), low=False)
float_unary("aten::special_bessel_j1", f=_finite("j1"), low=False)
float_unary("aten::special_bessel_y0", f=_finite("y0"), low=False)
float_unary("aten::special_bessel_y1", f=_finite("y1"), low=False)
float_unary("aten::special_airy_ai", f=_airy_ai, low=False)
float_unary("aten::special_spherical_bessel_j0", f=_spherical_j0, low=False)


# --- orthogonal polynomials -------------------------------------------------------------------------------------------

Step = Callable[[int, Array, Array, Array], Array]


def _recurrence(x: Array, n: Array, first: Array, step: Step) -> Array:
    """p(n) from p(0) = 1, p(1) = first, p(k + 1) = step(k, x, p(k), p(k - 1)); 0 for a negative n. n is per element."""
    previous, current = np.ones_like(x), first
    out = np.where(n < 0, cast_scalar(0, x.dtype), np.where(n == 0, previous, current))
    for k in range(1, int(np.max(n, initial=0))):
        previous, current = current, step(k, x, current, previous)
        out = np.where(n > k, current, out)
        if np.all(np.isnan(current)):
            break
    return out


def _chebyshev_step(k: int, x: Array, p: Array, q: Array) -> Array:
    return (x + x) * p - q


def _chebyshev(
    first: Callable[[Array], Array],
    at_one: Callable[[Array], Array],
    at_minus_one: Callable[[Array], Array],
    limit: int,
    closed: Callable[[Array, Array], Array],
) -> Callable[[Array, Array], Array]:
    """A kind of Chebyshev polynomial: values at 1 and -1, the trigonometric form inside for degrees above the limit."""

    def polynomial(x: Array, n: Array) -> Array:
        inside = (n > limit) & (np.abs(x) < 1)
        degrees = np.where(inside | (np.abs(x) == 1), 0, n)
        out = _recurrence(x, degrees, first(x), _chebyshev_step)
        real = n.astype(x.dtype)
        if np.any(inside):
            out = np.where(inside, closed(np.arccos(x), real), out)
        ends = np.where(x == 1, at_one(real), at_minus_one(real) * (1 - 2 * (n & 1)).astype(x.dtype))
        out = np.where(np.abs(x) == 1, ends, out)
        return np.where(n < 0, cast_scalar(0, x.dtype), out)

    return polynomial


def _one(n: Array) -> Array:
    return np.ones_like(n)


def _closed_u(t: Array, n: Array) -> Array:
    return array(np.sin((n + 1) * t) / np.sin(t))


def _closed_v(t: Array, n: Array) -> Array:
    return np.cos((n + 0.5) * t) / np.cos(t / 2)


def _closed_w(t: Array, n: Array) -> Array:
    return np.sin((n + 0.5) * t) / np.sin(t / 2)


_POLYNOMIALS: dict[str, Callable[[Array, Array], Array]] = {
    "chebyshev_polynomial_t": _chebyshev(lambda x: x, _one, _one, 6, lambda t, n: np.cos(n * t)),
    "chebyshev_polynomial_u": _chebyshev(lambda x: x + x, lambda n: n + 1, lambda n: n + 1, 8, _closed_u),
    "chebyshev_polynomial_v": _chebyshev(lambda x: x + x - 1, _one, lambda n: n + n + 1, 8, _closed_v),
    "chebyshev_polynomial_w": _chebyshev(lambda x: x + x + 1, lambda n: n + n + 1, _one, 8, _closed_w),
    "hermite_polynomial_h": lambda x, n: _recurrence(x, n, x + x, lambda k, x, p, q: (x + x) * p - (2 * k) * q),
    "hermite_polynomial_he": lambda x, n: _recurrence(x, n, x, lambda k, x, p, q: x * p - k * q),
    "laguerre_polynomial_l": lambda x, n: _recurrence(
        x, n, 1 - x, lambda k, x, p, q: (((k + k) + (1 - x)) * p - k * q) / (k + 1)
    ),
    "legendre_polynomial_p": lambda x, n: _recurrence(
        x, n, x, lambda k, x, p, q: ((k + k + 1) * x * p - k * q) / (k + 1)
    ),
}


def _shifted(polynomial: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda x, n: polynomial(x + x - 1, n)


_POLYNOMIALS |= {f"shifted_{k}": _shifted(f) for k, f in _POLYNOMIALS.items() if k.startswith("chebyshev")}


def _register_polynomial(name: str, polynomial: Callable[[Array, Array], Array]) -> None:
    def evaluate(x: Array, n: Array) -> Array:
        x, degree = np.broadcast_arrays(x, np.trunc(n).astype(P.INT64))
        return polynomial(x, degree).astype(x.dtype, copy=False)

    def run(x: Any, n: Any) -> Array:
        dtype = P.floating(P.result_type(x, n))
        if dtype.kind == "c" or P.is_low(dtype):
            unsupported(name, dtype)
        return compute(evaluate, x, n, dtype)

    kernel(*(f"aten::special_{name}{overload}" for overload in ("", ".x_scalar", ".n_scalar")))(run)


for _name, _polynomial in _POLYNOMIALS.items():
    _register_polynomial(_name, _polynomial)


# --- functions that other families have under another name ------------------------------------------------------------


def _other(name: str, family: str) -> Callable[..., Array]:
    found = registered(name, family)
    if found is None:
        raise NotImplementedError(f"no kernel for {name}")
    return found


@kernel("aten::special_softmax")
def special_softmax(self: Array, dim: int, dtype: int | None = None) -> Array:
    """exp(x) / sum(exp(x)) along a dimension."""
    return _other("aten::softmax.int", "norm")(self, dim, dtype)


@kernel("aten::special_log_softmax")
def special_log_softmax(self: Array, dim: int, dtype: int | None = None) -> Array:
    """The logarithm of softmax along a dimension."""
    return _other("aten::log_softmax.int", "norm")(self, dim, dtype)


@kernel("aten::special_logsumexp")
def special_logsumexp(self: Array, dim: list[int], keepdim: bool = False) -> Array:
    """log(sum(exp(x))) along dimensions."""
    return _other("aten::logsumexp", "norm")(self, dim, keepdim)
