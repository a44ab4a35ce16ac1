"""Linear algebra: cross and Vandermonde matrices, integrals by the trapezoidal rule, covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name, unsupported
from .linalg import multiply, promoted_product, same_type, sum_over
from .memory import wrap
from .promotion import Array, DType, array, cast
from .registry import kernel


@kernel("aten::linalg_cross")
def linalg_cross(self: Array, other: Array, dim: int = -1) -> Array:
    """Cross product along a dimension of size 3 of two broadcast tensors."""
    if self.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    same_type("linalg.cross", self, other)
    axis = wrap(dim, self.ndim)
    if self.ndim == 0 or self.shape[axis] != 3 or other.shape[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {self.shape[axis] if self.ndim else 1} and "
            f"{other.shape[axis] if other.ndim else 1}"
        )
    a = np.moveaxis(P.wide(self), axis, 0)
    b = np.moveaxis(P.wide(other), axis, 0)
    parts = [multiply(a[(i + 1) % 3], b[(i + 2) % 3]) - multiply(a[(i + 2) % 3], b[(i + 1) % 3]) for i in range(3)]
    return array(np.stack(parts, axis)).astype(self.dtype, copy=False)


@kernel("aten::cross")
def cross(self: Array, other: Array, dim: int | None = None) -> Array:
    """Cross product along a dimension, by default the first of size 3."""
    if dim is None:
        try:
            shape = np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise RuntimeError(f"cross: the shapes {self.shape} and {other.shape} do not broadcast") from None
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = shape.index(3)
    return linalg_cross(self, other, dim)


@kernel("aten::trace")
def trace(self: Array) -> Array:
    """Sum of a matrix's diagonal; integers give int64."""
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    diagonal = np.diagonal(self)
    if self.dtype.kind == "b":
        unsupported("trace", self.dtype)
    if self.dtype.kind in "iu":
        return array(np.sum(diagonal, dtype=np.int64))
    return sum_over(diagonal, (0,))


def _slices(y: Array, dim: int) -> tuple[Array, Array, int]:
    axis = wrap(dim, y.ndim)
    if y.ndim == 0:
        raise IndexError("trapezoid: expected at least one dimension")
    at = (slice(None),) * axis
    return y[(*at, slice(1, None))], y[(*at, slice(None, -1))], axis


def _steps(y: Array, x: Array, dim: int) -> tuple[Array, int]:
    """The widths between sample points, shaped to go with `y`'s intervals."""
    axis = wrap(dim, y.ndim)
    if x.ndim == 1:
        if x.shape[0] != y.shape[axis]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        widths = np.diff(x).reshape([-1 if i == axis else 1 for i in range(y.ndim)])
    else:
        if x.ndim < y.ndim:
            x = x.reshape((1,) * (y.ndim - x.ndim) + x.shape)
        at = wrap(dim, x.ndim)
        high, low = _slices(x, at)[:2]
        widths = high ^ low if x.dtype.kind == "b" else high - low
    return widths, axis


def _areas(y: Array, widths: Array | None, dx: Any, dim: int) -> tuple[Array, int, DType]:
    if y.dtype.kind == "b":
        raise RuntimeError("trapezoid: received a bool input for `y`, but bool is not supported")
    high, low, axis = _slices(y, dim)
    mean = P.wide(high) + P.wide(low)
    if widths is not None:
        dtype = P.floating(P.result_type(y, widths))
        area = multiply(cast(mean, P.wide_dtype(P.result_type(y, widths))), P.wide(widths))
        return np.true_divide(area, 2).astype(P.wide_dtype(dtype), copy=False), axis, dtype
    dtype = P.floating(P.result_type(y, dx))
    return (mean.astype(P.wide_dtype(dtype)) * cast(dx, P.wide_dtype(dtype))) / 2, axis, dtype


def _integrate(y: Array, widths: Array | None, dx: Any, dim: int, cumulative: bool) -> Array:
    axis = wrap(dim, y.ndim)
    if y.ndim and y.shape[axis] == 0:
        rest = y.shape[:axis] + y.shape[axis + 1 :]
        return np.zeros(y.shape if cumulative else rest, P.floating(y.dtype))
    areas, axis, dtype = _areas(y, widths, dx, dim)
    axis -= y.ndim
    total = np.cumsum(areas, axis=axis) if cumulative else np.sum(areas, axis=axis)
    return array(total).astype(dtype, copy=False)


@kernel("aten::trapezoid.dx", "aten::trapz.dx")
def trapezoid_dx(y: Array, dx: Any = 1, dim: int = -1) -> Array:
    """Integral along a dimension by the trapezoidal rule, with a constant step."""
    return _integrate(y, None, dx, dim, False)


@kernel("aten::trapezoid.x", "aten::trapz.x")
def trapezoid_x(y: Array, x: Array, dim: int = -1) -> Array:
    """Integral along a dimension by the trapezoidal rule, over the sample points `x`."""
    axis = wrap(dim, y.ndim)
    if y.ndim and y.shape[axis] == 0:
        return _integrate(y, None, 1, dim, False)
    return _integrate(y, _steps(y, x, dim)[0], 1, dim, False)


@kernel("aten::cumulative_trapezoid.dx")
def cumulative_trapezoid_dx(y: Array, dx: Any = 1, dim: int = -1) -> Array:
    """Running integrals along a dimension by the trapezoidal rule, with a constant step."""
    return _integrate(y, None, dx, dim, True)


@kernel("aten::cumulative_trapezoid.x")
def cumulative_trapezoid_x(y: Array, x: Array, dim: int = -1) -> Array:
    """Running integrals along a dimension by the trapezoidal rule, over the sample points `x`."""
    return _integrate(y, _steps(y, x, dim)[0], 1, dim, True)


@kernel("aten::cov")
def cov(self: Array, correction: int = 1, fweights: Array | None = None, aweights: Array | None = None) -> Array:
    """Covariances of the rows, weighted by frequencies and by importance."""
    if self.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {self.ndim}")
    if self.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    dtype = P.floating(self.dtype if aweights is None else P.result_type(self, aweights))
    x = np.atleast_2d(self).astype(P.wide_dtype(dtype))
    n = x.shape[1]
    weights: Array | None = None
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        if w.ndim > 1 or w.size != n or (w.dtype.kind not in "iu") == (name == "fweights"):
            raise RuntimeError(
                f"cov(): expected {name} to be one-dimensional, of the length of the input's rows ({n}) and of "
                f"{'integral' if name == 'fweights' else 'floating point'} type"
            )
        if w.size and w.min() < 0:
            raise RuntimeError(f"cov(): {name} cannot be negative")
        # weights stay in their own precision, as PyTorch sums them
        flat_w = P.wide(w.reshape(-1))
        weights = flat_w if weights is None else promoted_product(weights, flat_w)
    if weights is None:
        total: Any = n
        mean = x.sum(axis=1, keepdims=True) / (n if n else np.nan)
    else:
        total = weights.sum()
        if total == 0:
            raise RuntimeError("cov(): weights sum to zero, can't be normalized")
        mean = (x * weights.astype(x.dtype)).sum(axis=1, keepdims=True) / total.astype(x.dtype)
    if correction < 0:
        raise RuntimeError("cov(): correction must be non-negative")
    if weights is None or aweights is None or correction == 0:
        norm = total - correction
    else:
        norm = total - correction * promoted_product(weights, P.wide(aweights.reshape(-1))).sum() / total
    centred = x - mean
    weighted = centred if weights is None else centred * weights.astype(x.dtype)
    with np.errstate(all="ignore"):
        result: Array = np.true_divide(
            np.matmul(weighted, np.conj(centred.T)), np.asarray(max(norm, 0), P.real_of(x.dtype))
        )
    result = result.astype(dtype, copy=False)
    return result.reshape(()) if self.ndim < 2 or self.shape[0] == 1 else result


@kernel("aten::corrcoef")
def corrcoef(self: Array) -> Array:
    """Pearson's correlation coefficients of the rows."""
    if self.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {self.ndim}"
        )
    c = cov(self)
    with np.errstate(all="ignore"):
        if c.ndim == 0:
            return array(c / c)
        wide = P.wide(c)
        deviation = np.sqrt(np.diagonal(wide).real)
        c_out = wide / deviation[:, None] / deviation[None]
    clipped: Array
    if c_out.dtype.kind == "c":
        clipped = np.clip(c_out.real, -1, 1) + 1j * np.clip(c_out.imag, -1, 1)
        return clipped.astype(c.dtype)
    clipped = np.clip(c_out, -1, 1)
    return clipped.astype(c.dtype, copy=False)


def _powers(x: Array, n: int) -> Array:
    out = np.ones(x.shape + (n,), x.dtype)
    if n > 1:
        out[..., 1:] = np.multiply.accumulate(np.repeat(x[..., None], n - 1, -1), axis=-1)
    return out


@kernel("aten::vander")
def vander(x: Array, N: int | None = None, increasing: bool = False) -> Array:
    """Matrix of the powers of a vector's elements, the highest first unless `increasing`."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative")
    powers = _powers(x.astype(np.int64) if x.dtype.kind in "biu" else P.wide(x), n)
    powers = powers if x.dtype.kind in "biu" else powers.astype(x.dtype, copy=False)
    return powers if increasing else np.ascontiguousarray(powers[:, ::-1])


@kernel("aten::linalg_vander")
def linalg_vander(x: Array, N: int | None = None) -> Array:
    """Matrices of the ascending powers of the elements along the last dimension."""
    if x.dtype.kind == "b" or P.is_low(x.dtype):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {type_name(x.dtype)}"
        )
    if x.ndim == 0:
        x = x[None]
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x.dtype.kind in "iu":
        return _powers(x.astype(np.int64), n)
    return _powers(x, n)
