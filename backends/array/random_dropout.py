"""Random numbers applied: dropout in its forms, and randomised leaky ReLU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name, unsupported
from .generator import Generator, chosen
from .memory import empty_as
from .promotion import BOOL, Array, array, cast
from .random import bernoulli_
from .registry import kernel

_ALPHA = 1.7580993408473766  # SELU's saturation, which alpha dropout keeps


def _dropped(input: Array, p: float, train: bool, feature: bool, alpha: bool) -> Array:
    """The input with elements (or whole channels) dropped; the input itself where nothing is to be done."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not train or input.size == 0:
        return input
    dtype = input.dtype
    if p == 1:
        return array(P.wide(input) * cast(0, P.wide_dtype(dtype))).astype(dtype, copy=False)
    if feature:
        if input.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        noise = np.empty(input.shape[:2] + (1,) * (input.ndim - 2), dtype)
    else:
        noise = empty_as(input, dtype)
    bernoulli_(noise, 1 - p)
    wide = P.wide(noise)
    if dtype.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(dtype)}")
    if not alpha:
        scaled = (wide / cast(1 - p, wide.dtype)).astype(dtype, copy=False)
        return array(P.wide(input) * P.wide(scaled)).astype(dtype, copy=False)
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (wide - 1) * cast(_ALPHA * a, wide.dtype) + cast(_ALPHA * a * p, wide.dtype)
    return array(P.wide(input) * (wide * cast(a, wide.dtype)) + shift).astype(dtype, copy=False)


def _in_place(self: Array, result: Array) -> Array:
    if result is not self:
        self[...] = result
    return self


@kernel("aten::dropout")
def dropout(input: Array, p: float, train: bool) -> Array:
    """Zero elements with probability `p` while training, and scale the rest up."""
    return _dropped(input, p, train, False, False)


@kernel("aten::dropout_")
def dropout_(self: Array, p: float, train: bool) -> Array:
    """`dropout` in place."""
    return _in_place(self, _dropped(self, p, train, False, False))


@kernel("aten::feature_dropout")
def feature_dropout(input: Array, p: float, train: bool) -> Array:
    """Zero whole channels with probability `p` while training, and scale the rest up."""
    return _dropped(input, p, train, True, False)


@kernel("aten::feature_dropout_")
def feature_dropout_(self: Array, p: float, train: bool) -> Array:
    """`feature_dropout` in place."""
    return _in_place(self, _dropped(self, p, train, True, False))


@kernel("aten::alpha_dropout")
def alpha_dropout(input: Array, p: float, train: bool) -> Array:
    """Set elements to SELU's saturation while training, keeping mean and variance."""
    return _dropped(input, p, train, False, True)


@kernel("aten::alpha_dropout_")
def alpha_dropout_(self: Array, p: float, train: bool) -> Array:
    """`alpha_dropout` in place."""
    return _in_place(self, _dropped(self, p, train, False, True))


@kernel("aten::feature_alpha_dropout")
def feature_alpha_dropout(input: Array, p: float, train: bool) -> Array:
    """`alpha_dropout` of whole channels."""
    return _dropped(input, p, train, True, True)


@kernel("aten::feature_alpha_dropout_")
def feature_alpha_dropout_(self: Array, p: float, train: bool) -> Array:
    """`feature_alpha_dropout` in place."""
    return _in_place(self, _dropped(self, p, train, True, True))


@kernel("aten::native_dropout")
def native_dropout(input: Array, p: float, train: bool | None) -> tuple[Array, Array]:
    """`dropout` with the mask of what stays."""
    if input.size == 0:
        return input, empty_as(input, input.dtype)
    if train is False:
        return input.copy(), np.ones_like(input, dtype=BOOL)
    if input.dtype.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_name(input.dtype)}")
    keep = 1 - p
    mask = bernoulli_(empty_as(input, BOOL), keep)
    wide = P.wide(input)
    scale = cast(0.0 if keep == 0 else 1.0 / keep, wide.dtype)
    return array(wide * mask * scale).astype(input.dtype, copy=False), mask


@kernel("aten::native_dropout_backward")
def native_dropout_backward(grad_output: Array, mask: Array, scale: float) -> Array:
    """The gradient of `native_dropout`'s input."""
    dtype = P.result_type(grad_output, mask)
    wide = P.wide_dtype(dtype)
    product = cast(grad_output, wide) * cast(mask, wide)
    out_dtype = P.result_type(grad_output, mask, scale)
    return array(product * cast(scale, P.wide_dtype(out_dtype))).astype(out_dtype, copy=False)


# ---- randomised leaky ReLU


def _rrelu(
    self: Array, lower: Any, upper: Any, training: bool, generator: Generator | None
) -> tuple[Array, Array | None]:
    """The result, and the slopes used if training."""
    if not P.is_inexact(self.dtype) or P.is_complex(self.dtype):
        unsupported("rrelu_with_noise_out_cpu", self.dtype)
    low, high = float(lower), float(upper)
    if not low <= high:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound (got {low} and {high})")
    x = P.wide(self)
    if not training:
        slope = cast((low + high) / 2, x.dtype)
        return np.where(x > 0, x, x * slope).astype(self.dtype, copy=False), None
    noise = np.ones(self.shape, x.dtype)
    negative = x <= 0
    g = chosen(generator)
    with g.lock:
        u = g.uniform64(int(np.count_nonzero(negative)))
    noise[negative] = (u * (high - low) + low).astype(x.dtype)
    return array(x * noise).astype(self.dtype, copy=False), noise.astype(self.dtype, copy=False)


@kernel("aten::rrelu")
def rrelu(
    self: Array, lower: Any = 0.125, upper: Any = 1 / 3, training: bool = False, generator: Generator | None = None
) -> Array:
    """Leaky ReLU with slopes drawn between the bounds while training, their mean otherwise."""
    return _rrelu(self, lower, upper, training, generator)[0]


@kernel("aten::rrelu_")
def rrelu_(
    self: Array, lower: Any = 0.125, upper: Any = 1 / 3, training: bool = False, generator: Generator | None = None
) -> Array:
    """`rrelu` in place."""
    self[...] = _rrelu(self, lower, upper, training, generator)[0]
    return self


@kernel("aten::rrelu_with_noise")
def rrelu_with_noise(
    self: Array, noise: Array, lower: Any = 0.125, upper: Any = 1 / 3, training: bool = False,
    generator: Generator | None = None,
) -> Array:  # fmt: skip
    """`rrelu` that writes the slopes it used into `noise`."""
    out, slopes = _rrelu(self, lower, upper, training, generator)
    if slopes is not None:
        noise[...] = slopes
    return out


@kernel("aten::rrelu_with_noise_")
def rrelu_with_noise_(
    self: Array, noise: Array, lower: Any = 0.125, upper: Any = 1 / 3, training: bool = False,
    generator: Generator | None = None,
) -> Array:  # fmt: skip
    """`rrelu_with_noise` in place."""
    self[...] = rrelu_with_noise(self, noise, lower, upper, training, generator)
    return self


@kernel("aten::rrelu_with_noise_functional")
def rrelu_with_noise_functional(
    self: Array, noise: Array, lower: Any = 0.125, upper: Any = 1 / 3, training: bool = False,
    generator: Generator | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """`rrelu_with_noise` that gives the slopes as a second result."""
    out, slopes = _rrelu(self, lower, upper, training, generator)
    return out, noise.copy() if slopes is None else slopes
