"""Derivatives of the special functions: one line of calculus each, as in the pointwise family."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff import norm, pointwise
from linstock.passes.autodiff.pointwise import LN2, binary, conj, masked, unary
from linstock.passes.autodiff.registry import derivative, not_differentiable, without_rule

_ROOT_2, _ROOT_PI = math.sqrt(2.0), math.sqrt(math.pi)

# gamma and its kin --------------------------------------------------------------------------------------------------

unary("lgamma special_gammaln", lambda o, g, x, y: g * o.digamma(x))
unary("digamma special_digamma special_psi", lambda o, g, x, y: g * o.polygamma(1, x))
unary(
    "mvlgamma special_multigammaln",
    lambda o, g, x, y, p: g * o.sum(o.digamma(x.unsqueeze(-1) - o.arange(p) / 2), [-1]),
)


@derivative("aten::polygamma", "aten::special_polygamma")
def _polygamma(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    n, x = args
    return None, lambda: grads[0] * ops.polygamma(n + 1, x)


@derivative("aten::polygamma_")
def _polygamma_in_place(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, n = args
    return (lambda: grads[0] * ops.polygamma(n + 1, x),)


def _gamma_density(o: Any, a: Any, x: Any) -> Any:
    return o.exp((a - 1) * o.log(x) - x - o.lgamma(a))


def _not_in(name: str, argument: str) -> Any:
    def missing(*_: Any) -> Any:
        raise RuntimeError(f"the derivative of {name} with respect to {argument} is not implemented")

    return missing


binary(
    "igamma special_gammainc",
    _not_in("igamma", "its first argument"), lambda o, g, a, x, y: g * _gamma_density(o, a, x),
)  # fmt: skip
binary(
    "igammac special_gammaincc",
    _not_in("igammac", "its first argument"), lambda o, g, a, x, y: -g * _gamma_density(o, a, x),
)  # fmt: skip
binary(
    "special_zeta special_zeta.other_scalar special_zeta.self_scalar",
    _not_in("special_zeta", "its first argument"), lambda o, g, x, q, y: g * -x * o.special_zeta(x + 1, q),
)  # fmt: skip

# error function -----------------------------------------------------------------------------------------------------

unary("special_erf", lambda o, g, x, y: g * (2.0 / _ROOT_PI) * o.exp(-x * x))
unary("special_erfc", lambda o, g, x, y: g * (-2.0 / _ROOT_PI) * o.exp(-x * x))
unary("special_erfcx", lambda o, g, x, y: g * (2 * x * y - 2.0 / _ROOT_PI))
unary("erfinv special_erfinv", lambda o, g, x, y: g * (0.5 * _ROOT_PI) * o.exp(y * y), reads_self=False)
unary("special_ndtr", lambda o, g, x, y: g * o.exp(x * x * -0.5) / (_ROOT_2 * _ROOT_PI))
unary("special_log_ndtr", lambda o, g, x, y: g * (_ROOT_2 / _ROOT_PI) / o.special_erfcx(x * (-1 / _ROOT_2)))
unary("special_ndtri", lambda o, g, x, y: g * (_ROOT_2 * _ROOT_PI) * o.exp(y * y * 0.5))

# Bessel functions ---------------------------------------------------------------------------------------------------


def _over(o: Any, y: Any, x: Any) -> Any:
    """y / x for y = x / 2 + ...: a half at zero, with a derivative of zero."""
    return o.where(x == 0, 0.5, y / o.where(x == 0, 1.0, x))


unary("i0 special_i0", lambda o, g, x, y: g * o.special_i1(x))
unary("special_i0e", lambda o, g, x, y: g * (o.special_i1e(x) - o.sgn(x) * y))
unary("special_i1", lambda o, g, x, y: g * (o.i0(x) - _over(o, y, x)))
unary("special_i1e", lambda o, g, x, y: g * (o.special_i0e(x) - o.sgn(x) * y - _over(o, y, x)))

# logarithms and exponentials ----------------------------------------------------------------------------------------

unary("special_entr", lambda o, g, x, y: o.where(x > 0, g * -(1 + o.log(x)), o.where(x == 0, g * math.inf, g * 0)))
unary("special_expit", lambda o, g, x, y: g * conj(y * (1 - y)), reads_self=False)
unary("special_exp2", lambda o, g, x, y: g * conj(y * LN2), reads_self=False)
unary("special_expm1", lambda o, g, x, y: g * conj(y + 1), reads_self=False)
unary("special_log1p", lambda o, g, x, y: g / conj(x + 1))
unary("special_sinc", pointwise.sinc)
unary("special_logit", pointwise.logit)
unary("special_round", lambda o, g, x, y, *_: o.zeros_like(g), reads_self=False)
binary(
    "special_xlogy special_xlogy.other_scalar special_xlogy.self_scalar",
    pointwise.xlogy_self, lambda o, g, x, v, y: g * x / v,
)  # fmt: skip


def _xlog1py_self(o: Any, g: Any, x: Any, v: Any, y: Any) -> Any:
    if isinstance(v, (int, float)):
        return g * (math.log1p(v) if v > -1 else o.log1p(o.full_like(x, v)))
    return masked(o, o.logical_not(o.logical_and(x == 0, v <= -1)), g * o.log1p(v))


binary(
    "special_xlog1py special_xlog1py.other_scalar special_xlog1py.self_scalar",
    _xlog1py_self, lambda o, g, x, v, y: g * x / (v + 1),
)  # fmt: skip
derivative("aten::special_softmax", reads_self=False)(norm.softmax)
derivative("aten::special_log_softmax", reads_self=False)(norm.log_softmax)
derivative("aten::special_logsumexp")(norm.logsumexp)

# no gradient --------------------------------------------------------------------------------------------------------

without_rule("nextafter", "PyTorch has none either: it moves by single representable numbers")
not_differentiable(
    "special_airy_ai special_bessel_* special_modified_bessel_* special_scaled_modified_bessel_* "
    "special_spherical_bessel_j0 special_*_polynomial_*",
    "no derivative is defined for it, as in PyTorch",
)
