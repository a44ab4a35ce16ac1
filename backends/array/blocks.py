"""Elementwise work on large arrays in pieces that stay in the cache, and functions that NumPy has no fast loop for.

NumPy computes a formula one operation at a time over whole arrays; for arrays beyond the cache that costs a trip to
memory per operation. Here the formula runs block by block. NumPy is also slow where one operand of a minimum or maximum
is a number, in `where` with irregular conditions, and in `log1p`, `expm1` and `erf` of float32: ways around are here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .constructors import scipy_special
from .promotion import Array, DType, array, cast_scalar

_scipy_erf = scipy_special("erf")

#: elements of a block: a few float32 temporaries of it fit into the second-level cache
BLOCK = 1 << 14


def flat(x: Array) -> Array | None:
    """A dense array of any layout as a one-dimensional view in memory order; None for one that has gaps."""
    if not x.flags.c_contiguous:
        x = x.transpose(sorted(range(x.ndim), key=lambda i: -x.strides[i]))
        if not x.flags.c_contiguous:
            return None
    return x.reshape(-1)


def blocked(function: Callable[..., Array]) -> Callable[..., Array]:
    """An elementwise function of one array (and numbers) that keeps its type, run in blocks over large arrays."""

    @functools.wraps(function)
    def run(x: Array, *arguments: Any) -> Array:
        source = flat(x) if x.size > 2 * BLOCK and isinstance(x, np.ndarray) else None
        if source is None:
            return array(function(x, *arguments))
        out = np.empty_like(x)
        target = flat(out)
        assert target is not None
        for i in range(0, source.size, BLOCK):
            target[i : i + BLOCK] = function(source[i : i + BLOCK], *arguments)
        return out

    return run


@functools.lru_cache(maxsize=64)
def _row(value: Any, dtype: DType) -> Array:
    """The number as often as a block needs it: NumPy's loops over two arrays are faster."""
    return np.full(BLOCK, cast_scalar(value, dtype))


def limited(x: Array, low: Any = None, high: Any = None) -> Array:
    """x limited to [low, high] in its own type, in fresh memory; NaN stays, the upper limit wins."""
    source = flat(x) if x.size > 256 and isinstance(x, np.ndarray) else None
    if source is None:
        out = x
        if low is not None:
            out = array(np.maximum(out, cast_scalar(low, x.dtype)))
        if high is not None:
            out = array(np.minimum(out, cast_scalar(high, x.dtype), out=None if out is x else out))
        return out
    result = np.empty_like(x)
    target = flat(result)
    assert target is not None
    rows = [(f, _row(v, x.dtype)) for f, v in ((np.maximum, low), (np.minimum, high)) if v is not None]
    for i in range(0, source.size, BLOCK):
        piece, into = source[i : i + BLOCK], target[i : i + BLOCK]
        for f, row in rows:
            piece = f(piece, row[: piece.size], out=into)
    return result


def log1p_of_small(x: Array) -> Array:
    """log(1 + x) for x in [0, 1]: NumPy's fast logarithm, with a correction for what 1 + x lost."""
    u = x + 1
    return np.log(u) + (x - (u - 1)) / u  # type: ignore[no-any-return]


def expm1_of_negative(x: Array) -> Array:
    """exp(x) - 1 for x <= 0, by the hyperbolic tangent: nothing cancels there."""
    t = np.tanh(x * cast_scalar(0.5, x.dtype))
    return (t + t) / (1 - t)  # type: ignore[no-any-return]


#: erf(x) / x as a quotient of polynomials in x * x, fitted on [-3.9, 3.9] for the least relative error (2e-8); at the
#: limit the quotient has passed 1, so that what lies beyond is exactly 1 after clipping
_ERF_LIMIT = 4.1
_ERF_ABOVE = (
    1.1283791476176712, 0.18966781238906225, 0.05266821680982446, 0.0037383895546758187, 0.00028506336981242407,
    2.0664681310572126e-06,
)  # fmt: skip
_ERF_BELOW = (
    1.0, 0.5014215036454814, 0.11381936969232098, 0.014914363693781147, 0.001157387087575461, 3.8270029047705564e-05,
)  # fmt: skip


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    out = x * np.float32(coefficients[-1])
    for c in coefficients[-2:0:-1]:
        out += np.float32(c)
        out *= x
    out += np.float32(coefficients[0])
    return out


def erf_for(x: Array) -> Callable[[Array], Array]:
    """The quickest erf for an array of floats: SciPy's, but for float32 with enough elements to repay the passes."""
    fast = x.dtype == np.float32 and x.size >= 2048 and isinstance(x, np.ndarray)
    return erf_float32 if fast else _scipy_erf


def erf(x: Array) -> Array:
    """The error function of an array of floats."""
    function = erf_for(x)
    return blocked(function)(x) if function is erf_float32 else array(function(x))


def erf_float32(x: Array) -> Array:
    """erf of float32, good to four units in the last place."""
    x = limited(x, -_ERF_LIMIT, _ERF_LIMIT)
    square = x * x
    x *= _polynomial(_ERF_ABOVE, square)
    x /= _polynomial(_ERF_BELOW, square)
    return limited(x, -1, 1)
