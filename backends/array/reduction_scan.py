"""Cumulative reductions, differences and numerical gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import promotion as P
from .casting import convert
from .constructors import unsupported
from .memory import Array, DType, copied, on, wrap
from .reduction import _retyped
from .registry import kernel
from .view_join import cat


def _register_cumulative(name: str, f: np.ufunc) -> None:
    def run(a: Array, dim: int, dtype: int | None = None) -> Array:
        x = _retyped(a, dtype)
        dim = wrap(dim, a.ndim)
        if not x.ndim:
            return x.copy()
        inner = _accumulator(x.dtype)
        with np.errstate(all="ignore"):
            out = f.accumulate(np.ascontiguousarray(x, inner), dim, inner)
            return out if inner == x.dtype else convert(out, x.dtype)

    kernel(f"aten::{name}")(run)


def _accumulator(dtype: DType) -> DType:
    """The type in which running sums and products are kept."""
    if dtype == P.FLOAT32:
        return P.FLOAT64
    return P.COMPLEX128 if dtype == P.COMPLEX64 else P.wide_dtype(dtype)


_register_cumulative("cumsum", np.add)
_register_cumulative("cumprod", np.multiply)


def _register_running(name: str, f: np.ufunc) -> None:
    def run(a: Array, dim: int) -> tuple[Array, Array]:
        if a.dtype.kind == "c":
            unsupported(name, a.dtype)
        dim = wrap(dim, a.ndim)
        if not a.ndim:
            return a.copy(), np.zeros((), np.int64)
        x = P.wide(a)
        with np.errstate(invalid="ignore"):
            values = f.accumulate(np.ascontiguousarray(x), dim)
        here = x == values
        if x.dtype.kind == "f":
            here |= np.isnan(x)
        position = np.arange(a.shape[dim]).reshape([-1 if d == dim else 1 for d in range(a.ndim)])
        indices = np.maximum.accumulate(np.where(here, position, 0), dim)
        return values.astype(a.dtype, copy=False), indices

    kernel(f"aten::{name}")(run)


_register_running("cummax", np.maximum)
_register_running("cummin", np.minimum)


def _log_add_exp(a: Array, b: Array) -> Array:
    """log(exp(a) + exp(b)) of complex numbers, scaled by the larger real part."""
    swap = a.real < b.real
    high, low = np.where(swap, b, a), np.where(swap, a, b)
    out = high + np.log1p(np.exp(low - high))
    return np.where(np.isneginf(high.real) & np.isneginf(low.real), low, out)


@kernel("aten::logcumsumexp")
def logcumsumexp(a: Array, dim: int) -> Array:
    """Logarithms of the running sums of exponentials."""
    if not P.is_inexact(a.dtype):
        unsupported("logcumsumexp_out_cpu", a.dtype)
    dim = wrap(dim, a.ndim)
    if not a.ndim:
        return a.copy()
    with np.errstate(all="ignore"):
        if a.dtype.kind == "c":
            out = np.moveaxis(a.astype(np.complex128), dim, 0)
            for i in range(1, len(out)):  # host only; the imaginary part winds on, so the order of additions counts
                out[i] = _log_add_exp(out[i - 1], out[i])
            return np.moveaxis(out, 0, dim).astype(a.dtype, order="C")
        return convert(np.logaddexp.accumulate(np.ascontiguousarray(a, np.float64), dim), a.dtype)


# ---- differences --------------------------------------------------------------------------------------------------


@kernel("aten::diff")
def diff(a: Array, n: int = 1, dim: int = -1, prepend: Array | None = None, append: Array | None = None) -> Array:
    """Differences of neighbours along a dimension, `n` times."""
    if not a.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = wrap(dim, a.ndim)
    for other in (prepend, append):
        if other is not None and other.ndim != a.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    if n == 0:
        return copied(a)
    parts = [x for x in (prepend, a, append) if x is not None]
    out = cat(parts, dim) if len(parts) > 1 else a
    low = P.is_low(out.dtype)
    for _ in range(min(n, out.shape[dim])):
        later, earlier = out[on(dim, slice(1, None))], out[on(dim, slice(None, -1))]
        if out.dtype.kind == "b":
            out = later != earlier
        elif low:
            out = (later.astype(np.float32) - earlier.astype(np.float32)).astype(out.dtype)
        else:
            out = later - earlier
    return np.array(out) if out is a else out


def _gradient(a: Array, spacing: Sequence[Any] | None, dims: Sequence[int] | None, edge_order: int) -> list[Array]:
    chosen = range(a.ndim) if dims is None else [wrap(d, a.ndim) for d in dims]
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if len(set(chosen)) != len(chosen):
        raise RuntimeError("dim appears multiple times in the list of dims")
    if spacing is not None and len(spacing) != len(chosen):
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length {len(chosen)} (the "
            "number of "
            f"dimensions), but got a list of length {len(spacing)}"
        )
    for d in chosen:
        if a.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    if a.dtype.kind == "b" or a.dtype == np.uint8:
        raise RuntimeError(f"torch.gradient does not support {a.dtype.name} input.")
    x = a if P.is_inexact(a.dtype) else a.astype(P.default_dtype())
    low = P.is_low(x.dtype)
    out = []
    for i, d in enumerate(chosen):
        step: Any = 1.0 if spacing is None else spacing[i]
        if isinstance(step, np.ndarray):
            if step.ndim != 1 or step.size != a.shape[d]:
                raise RuntimeError(
                    "torch.gradient expected each element of spacing to be a 1-dimensional tensor whose length is "
                    "the size of "
                    "its dimension"
                )
            step = step.astype(P.result_type(x, step) if step.dtype.kind != "c" else step.dtype)
        out.append(
            _slopes(P.wide(x), step, d, edge_order).astype(x.dtype, copy=False)
            if low
            else _slopes(x, step, d, edge_order)
        )
    return out


def _slopes(f: Array, step: Any, dim: int, edge_order: int) -> Array:
    """Second-order central differences inside, one-sided ones of the edge order at both ends."""

    def at(i: int) -> Array:
        return inner(i, i + 1 or None)

    def inner(lo: int, hi: int | None) -> Array:
        part: Array = f[on(dim, slice(lo, hi))]
        return part

    if isinstance(step, np.ndarray):
        shape = [1] * f.ndim
        h = np.diff(step)
        shape[dim] = -1
        h1, h2 = h[:-1].reshape(shape), h[1:].reshape(shape)
        middle = (
            inner(0, -2) * (-h2 / (h1 * (h1 + h2)))
            + inner(1, -1) * ((h2 - h1) / (h1 * h2))
            + inner(2, None) * (h1 / (h2 * (h1 + h2)))
        )
        first, second, last, before = (h[0], h[1], h[-1], h[-2]) if edge_order == 2 else (h[0], h[0], h[-1], h[-1])
    else:
        middle = (inner(2, None) - inner(0, -2)) / (2 * step)
        first = second = last = before = step
    if edge_order == 1:
        ends = (at(1) - at(0)) / first, (at(-1) - at(-2)) / last
    else:
        ends = (
            at(0) * (-(2 * first + second) / (first * (first + second)))
            + at(1) * ((first + second) / (first * second))
            + at(2) * (-first / (second * (first + second))),
            at(-3) * (last / (before * (before + last)))
            + at(-2) * (-(before + last) / (before * last))
            + at(-1) * ((before + 2 * last) / (last * (before + last))),
        )
    return np.concatenate([ends[0], middle, ends[1]], dim)


@kernel("aten::gradient.scalarint")
def gradient(a: Array, spacing: Any = None, dim: int | None = None, edge_order: int = 1) -> list[Array]:
    """Slopes along one or all dimensions, at one distance."""
    dims = None if dim is None else [dim]
    return _gradient(a, [1.0 if spacing is None else spacing] * (a.ndim if dim is None else 1), dims, edge_order)


@kernel("aten::gradient.scalararray")
def gradient_scalar_dims(a: Array, spacing: Any, dim: Sequence[int], edge_order: int = 1) -> list[Array]:
    """Slopes along dimensions, at one distance."""
    return _gradient(a, [spacing] * len(dim), dim, edge_order)


@kernel("aten::gradient.array")
def gradient_dims(a: Array, dim: Sequence[int], edge_order: int = 1) -> list[Array]:
    """Slopes along dimensions, at distance 1."""
    return _gradient(a, None, dim, edge_order)


@kernel("aten::gradient.scalarrayint", "aten::gradient.tensorarrayint")
def gradient_spacings(a: Array, spacing: Sequence[Any], dim: int | None = None, edge_order: int = 1) -> list[Array]:
    """Slopes along one or all dimensions, each at its distance or over its coordinates."""
    return _gradient(a, spacing, None if dim is None else [dim], edge_order)


@kernel("aten::gradient.scalarrayarray", "aten::gradient.tensorarray")
def gradient_spacings_dims(a: Array, spacing: Sequence[Any], dim: Sequence[int], edge_order: int = 1) -> list[Array]:
    """Slopes along dimensions, each at its distance or over its coordinates."""
    return _gradient(a, spacing, dim, edge_order)
