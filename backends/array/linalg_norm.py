"""Linear algebra: norms of vectors and matrices, distances, and what is scaled by a norm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.ir import dtypes

from . import promotion as P
from .constructors import type_name
from .linalg import matrix_product, multiply
from .memory import wrap, wrap_all
from .promotion import Array, DType, array
from .registry import kernel


def _check_norm_types(what: str, a: Array, dtype: int | None) -> Array:
    """The input cast to the requested type. Raises RuntimeError for a type that has no norm."""
    if not P.is_inexact(a.dtype):
        raise RuntimeError(f"{what}: Expected a floating point or complex tensor as input. Got {type_name(a.dtype)}")
    if dtype is None:
        return a
    d = dtypes.numpy_of(dtype)
    if not P.is_inexact(d):
        raise RuntimeError(f"{what}: dtype should be floating point or complex, but got {type_name(d)}")
    if P.is_complex(a.dtype) != P.is_complex(d):
        kind = "complex" if P.is_complex(a.dtype) else "real"
        raise RuntimeError(f"{what}: dtype should be {kind} for {kind} inputs, but got {type_name(d)}")
    if d != a.dtype and dtypes.promote_codes(P.code_of(a.dtype), dtype) != dtype:
        raise RuntimeError(
            f"{what}: the dtype of the input ({type_name(a.dtype)}) should be convertible without narrowing to the "
            f"specified dtype ({type_name(d)})"
        )
    return a.astype(d, copy=False)


def _axes(dim: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    if isinstance(dim, int):
        dim = [dim]
    if not dim:
        return tuple(range(ndim))
    axes = wrap_all(dim, ndim)
    return axes if ndim else ()


def powers_sum(magnitudes: Array, order: float, axes: tuple[int, ...], keepdim: bool) -> Array:
    """Sum of the magnitudes' powers, which the norm of that order is the root of."""
    if order == 2:
        magnitudes = magnitudes * magnitudes
    elif order != 1:
        magnitudes = magnitudes**order
    return array(np.sum(magnitudes, axis=axes, keepdims=keepdim))


def _magnitudes(a: Array) -> Array:
    return array(np.abs(P.wide(a)))


def vector_norm(a: Array, order: Any, axes: tuple[int, ...], keepdim: bool, what: str = "linalg.vector_norm") -> Array:
    """The norm of a floating or complex array over its axes, in the array's real type."""
    if isinstance(order, complex):
        raise RuntimeError(f"{what}: Expected a non-complex scalar as the order of norm.")
    order = float(order)
    magnitudes = _magnitudes(a)
    real = P.real_of(a.dtype)
    if (math.isinf(order) or order < 0) and a.size == 0 and any(a.shape[i] == 0 for i in axes):
        raise RuntimeError(
            f"{what} cannot compute the {order} norm on an empty tensor because the operation does not have an identity"
        )
    if math.isinf(order):
        reduce = np.max if order > 0 else np.min
        result = array(reduce(magnitudes, axis=axes, keepdims=keepdim)) if axes else magnitudes
    elif order == 0:
        result = array(np.sum(magnitudes != 0, axis=axes, keepdims=keepdim, dtype=real))
    else:
        result = powers_sum(magnitudes, order, axes, keepdim)
        if order == 2:
            result = array(np.sqrt(result))
        elif order != 1:
            result = array(result ** (1 / order))
    return result.astype(real, copy=False)


@kernel("aten::linalg_vector_norm")
def linalg_vector_norm(
    self: Array, ord: Any = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: int | None = None
) -> Array:
    """Norm of any order over the given dimensions (all by default)."""
    a = _check_norm_types("linalg.vector_norm", self, dtype)
    return vector_norm(a, ord, _axes(dim, a.ndim), keepdim)


@kernel("aten::linalg__powsum")
def linalg_powsum(
    self: Array, ord: Any = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: int | None = None
) -> Array:
    """Sum of the magnitudes' powers over the given dimensions: the norm before its root is taken."""
    a = _check_norm_types("linalg._powsum", self, dtype)
    with np.errstate(all="ignore"):
        total = powers_sum(_magnitudes(a), float(ord), _axes(dim, a.ndim), keepdim)
    return total.astype(P.real_of(a.dtype), copy=False)


def singular_values(a: Array) -> Array:
    """Singular values of the matrices in the last two dimensions, float16 and bfloat16 refused."""
    from .linalg_decomp import linalg_svdvals

    return linalg_svdvals(a)


def _matrix_axes(what: str, a: Array, dim: Sequence[int]) -> tuple[int, int]:
    if a.ndim < 2:
        raise RuntimeError(f"{what}: The input tensor A must have at least 2 dimensions.")
    if len(dim) != 2:
        raise RuntimeError(f"{what}: dim must be a 2-tuple. Got {list(dim)}")
    i, j = (wrap(d, a.ndim) for d in dim)
    if i == j:
        raise RuntimeError(f"{what}: dims must be different. Got ({dim[0]}, {dim[1]})")
    return i, j


def _extreme(a: Array, axis: int, keepdim: bool, reduce: Any) -> Array:
    """`np.max` of magnitudes, 0 where there are none, or `np.min`. Raises IndexError for the least of none."""
    if reduce is np.max:
        return array(np.max(a, axis=axis, keepdims=keepdim, initial=0))
    if a.shape[axis] == 0 and a.size == 0 and math.prod(a.shape[:axis] + a.shape[axis:][1:]):
        raise IndexError(f"amin(): Expected reduction dim {axis} to have non-zero size.")
    return array(np.min(a, axis=axis, keepdims=keepdim))


def _of_singular_values(a: Array, axes: tuple[int, int], keepdim: bool, reduce: Any) -> Array:
    s = singular_values(np.moveaxis(a, axes, (-2, -1)))
    result = array(np.sum(s, axis=-1)) if reduce is np.sum else _extreme(s, -1, False, reduce)
    return np.expand_dims(result, axes) if keepdim else result


@kernel("aten::linalg_matrix_norm")
def linalg_matrix_norm(
    self: Array, ord: Any, dim: Sequence[int] = (-2, -1), keepdim: bool = False, dtype: int | None = None
) -> Array:
    """Matrix norm of order 1, -1, 2, -2, inf or -inf over two dimensions."""
    what = "linalg.matrix_norm"
    a = _check_norm_types(what, self, dtype)
    rows, columns = _matrix_axes(what, a, dim)
    order = float(ord)
    if abs(order) not in (1.0, 2.0, math.inf):
        raise RuntimeError(f"{what}: Order {ord} not supported.")
    reduce = np.max if order > 0 else np.min
    if abs(order) == 2:
        return _of_singular_values(a, (rows, columns), keepdim, reduce)
    summed, kept = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = vector_norm(a, 1, (summed,), True)
    result = _extreme(sums, kept, True, reduce)
    return result if keepdim else np.squeeze(result, (rows, columns))


@kernel("aten::linalg_matrix_norm.str_ord")
def linalg_matrix_norm_str(
    self: Array, ord: str = "fro", dim: Sequence[int] = (-2, -1), keepdim: bool = False, dtype: int | None = None
) -> Array:
    """Matrix norm by name, Frobenius ("fro") or nuclear ("nuc"), over two dimensions."""
    what = "linalg.matrix_norm"
    a = _check_norm_types(what, self, dtype)
    axes = _matrix_axes(what, a, dim)
    if ord == "fro":
        return vector_norm(a, 2, axes, keepdim)
    if ord == "nuc":
        return _of_singular_values(a, axes, keepdim, np.sum)
    raise RuntimeError(f"{what}: Order {ord} not supported.")


@kernel("aten::linalg_norm")
def linalg_norm(
    self: Array,
    ord: Any = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: int | None = None,
) -> Array:
    """Vector norm, or matrix norm where an order is given for a matrix or for two dimensions."""
    dims = [dim] if isinstance(dim, int) else dim
    if dims is not None and ord is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if dims is None and ord is not None and self.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {self.ndim}D."
        )
    if ord is not None and (len(dims) == 2 if dims is not None else self.ndim == 2):
        return linalg_matrix_norm(self, ord, (0, 1) if dims is None else dims, keepdim, dtype)
    return linalg_vector_norm(self, 2 if ord is None else ord, dims, keepdim, dtype)


@kernel("aten::linalg_norm.ord_str")
def linalg_norm_str(
    self: Array, ord: str, dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: int | None = None
) -> Array:
    """Matrix norm by name ("fro", "nuc")."""
    dims = [dim] if isinstance(dim, int) else dim
    if dims is None:
        if self.ndim not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {self.ndim}D."
            )
        dims = (0, 1)
    elif len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    return linalg_matrix_norm_str(self, ord, dims, keepdim, dtype)


def _norm(self: Array, p: Any, dim: int | Sequence[int], keepdim: bool, dtype: int | None) -> Array:
    if not P.is_inexact(self.dtype):
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {type_name(self.dtype)} instead."
        )
    a = self if dtype is None else self.astype(dtypes.numpy_of(dtype))
    return vector_norm(a, 2 if p is None else p, _axes(dim, a.ndim), keepdim)


@kernel("aten::norm.Scalar", "aten::native_norm")
def norm_scalar(self: Array, p: Any = 2) -> Array:
    """Norm over all elements."""
    return _norm(self, p, (), False, None)


@kernel("aten::norm.ScalarOpt_dim")
def norm_dim(self: Array, p: Any, dim: int | Sequence[int], keepdim: bool = False) -> Array:
    """Norm over dimensions (all where none are given)."""
    return _norm(self, p, dim, keepdim, None)


@kernel("aten::norm.ScalarOpt_dim_dtype", "aten::native_norm.ScalarOpt_dim_dtype")
def norm_dim_dtype(self: Array, p: Any, dim: int | Sequence[int], keepdim: bool, dtype: int | None) -> Array:
    """Norm over dimensions, computed in a given element type."""
    return _norm(self, p, dim, keepdim, dtype)


@kernel("aten::norm.ScalarOpt_dtype")
def norm_dtype(self: Array, p: Any, dtype: int) -> Array:
    """Norm over all elements, computed in a given element type."""
    return _norm(self, p, (), False, dtype)


@kernel("aten::frobenius_norm.dim")
def frobenius_norm(self: Array, dim: int | Sequence[int], keepdim: bool = False) -> Array:
    """Frobenius norm over up to two dimensions (all where none are given)."""
    dims = [dim] if isinstance(dim, int) else list(dim)
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    return linalg_vector_norm(self, 2.0, dims, keepdim)


@kernel("aten::nuclear_norm")
def nuclear_norm(self: Array, keepdim: bool = False) -> Array:
    """Sum of a matrix's singular values."""
    if self.ndim != 2:
        raise RuntimeError(
            f"Expected a tensor with 2 dimensions, but got a tensor with {self.ndim} dimensions instead."
        )
    return linalg_matrix_norm_str(self, "nuc", (0, 1), keepdim)


@kernel("aten::nuclear_norm.dim")
def nuclear_norm_dim(self: Array, dim: Sequence[int], keepdim: bool = False) -> Array:
    """Sums of singular values over two dimensions."""
    if len(dim) != 2:
        raise RuntimeError("nuclear norm requires a 'dim' argument of size 2")
    return linalg_matrix_norm_str(self, "nuc", dim, keepdim)


# ---- distances


def _difference(a: Array, b: Array) -> Array:
    dtype = P.result_type(a, b)
    wide = P.wide_dtype(dtype)
    try:
        return array(P.cast(a, wide) - P.cast(b, wide)).astype(dtype, copy=False)
    except ValueError:
        raise RuntimeError(f"the shapes {a.shape} and {b.shape} cannot be broadcast together") from None


@kernel("aten::dist")
def dist(self: Array, other: Array, p: Any = 2) -> Array:
    """Norm of the difference of two tensors."""
    return _norm(_difference(self, other), p, (), False, None)


@kernel("aten::pairwise_distance")
def pairwise_distance(x1: Array, x2: Array, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Array:
    """Norm over the last dimension of `x1 - x2 + eps`."""
    difference = _difference(x1, x2)
    dtype = P.result_type(difference, eps)
    shifted = (P.wide(difference).astype(P.wide_dtype(dtype), copy=False) + eps).astype(dtype, copy=False)
    return _norm(array(shifted), p, (max(x1.ndim, x2.ndim, 1) - 1,), keepdim, None)


def _aggregate(difference: Array, p: float) -> Array:
    """The norm of a fresh array of differences over its last dimension."""
    magnitudes = np.abs(difference, out=difference)
    if p == math.inf:
        return array(np.max(magnitudes, axis=-1, initial=0))
    if p == 0:
        magnitudes = (magnitudes != 0).astype(magnitudes.dtype)
    total = powers_sum(magnitudes, p or 1, (magnitudes.ndim - 1,), False)
    return array(np.sqrt(total)) if p == 2 else total if p in (0, 1) else array(total ** (1 / p))


_BLOCK = 1 << 22  # differences held at once


@kernel("aten::cdist")
def cdist(x1: Array, x2: Array, p: float = 2.0, compute_mode: int | None = None) -> Array:
    """Distances between every row of `x1` and every row of `x2`, batch dimensions broadcast.

    Euclidean distances of more than 25 rows (mode 1: always; mode 2: never) come from one matrix product.
    """
    for name, x in (("X1", x1), ("X2", x2)):
        if not (P.is_inexact(x.dtype) and not P.is_complex(x.dtype)):
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {type_name(x.dtype)}")
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    mode = compute_mode or 0
    if not 0 <= mode <= 2:
        raise RuntimeError(f"possible modes: 0, 1, 2, but was: {mode}")
    dtype = P.result_type(x1, x2)
    a, b = P.cast(x1, P.wide_dtype(dtype)), P.cast(x2, P.wide_dtype(dtype))
    m, n, k = a.shape[-2], b.shape[-2], a.shape[-1]
    try:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise RuntimeError(f"the batch dimensions of {x1.shape} and {x2.shape} do not broadcast") from None
    out = np.zeros((*batch, m, n), a.dtype)
    if out.size == 0 or k == 0:
        return out.astype(dtype, copy=False)
    with np.errstate(all="ignore"):
        if p == 2 and (mode == 1 or (mode == 0 and (m > 25 or n > 25))):
            squares = (a * a).sum(-1, keepdims=True), (b * b).sum(-1, keepdims=True)
            left = np.concatenate([-2 * a, squares[0], np.ones_like(squares[0])], -1)
            right = np.concatenate([b, np.ones_like(squares[1]), squares[1]], -1)
            out = np.sqrt(np.maximum(matrix_product(left, np.swapaxes(right, -1, -2)), 0))
        else:
            step = max(1, _BLOCK // (math.prod(batch) * n * k))
            for i in range(0, m, step):
                block = a[..., i : i + step, None, :] - b[..., None, :, :]
                out[..., i : i + step, :] = _aggregate(block, p)
    return out.astype(dtype, copy=False)


@kernel("aten::pdist", "aten::_pdist_forward")
def pdist(self: Array, p: float = 2.0) -> Array:
    """Distances between every two different rows of a matrix, in the order of the upper triangle."""
    if self.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.ndim}D")
    if not P.is_inexact(self.dtype) or P.is_complex(self.dtype):
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    a = P.wide(self)
    first, second = np.triu_indices(self.shape[0], 1)
    with np.errstate(all="ignore"):
        return _aggregate(a[first] - a[second], p).astype(self.dtype, copy=False)


@kernel("aten::cosine_similarity")
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: float = 1e-08) -> Array:
    """Cosine of the angle between two broadcast tensors along a dimension; norms below `eps` count as `eps`."""
    dtype = P.result_type(x1, x2)
    if not P.is_inexact(dtype) or P.is_complex(dtype):
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {type_name(dtype)}")
    wide = P.wide_dtype(dtype)
    try:
        a, b = np.broadcast_arrays(P.cast(x1, wide), P.cast(x2, wide))
    except ValueError:
        raise RuntimeError(f"the shapes {x1.shape} and {x2.shape} cannot be broadcast together") from None
    axis = (wrap(dim, a.ndim),) if a.ndim else ()

    def rounded(x: Any) -> Array:
        """Through the 16-bit types, as PyTorch's separate steps do."""
        return array(x) if wide is dtype else array(x).astype(dtype).astype(wide)

    def unit(x: Array) -> Array:
        return rounded(x / np.maximum(rounded(vector_norm(x, 2, axis, True)), rounded(wide.type(eps))))

    return array(np.sum(rounded(unit(a) * unit(b)), axis=axis)).astype(dtype, copy=False)


# ---- scaled by a norm


def _other_axes(a: Array, dim: int) -> tuple[int, ...]:
    return tuple([i for i in range(a.ndim) if i != dim])


@kernel("aten::renorm")
def renorm(self: Array, p: Any, dim: int, maxnorm: Any) -> Array:
    """Scale down every slice along a dimension whose norm exceeds `maxnorm` so that it does not."""
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex) or maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    if self.ndim <= 1:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if not P.is_inexact(self.dtype):
        raise RuntimeError(f"renorm: expected a floating point or complex tensor, got {type_name(self.dtype)}")
    axis = wrap(dim, self.ndim)
    a = P.wide(self)
    norms = vector_norm(a, p, _other_axes(a, axis), True)
    with np.errstate(all="ignore"):
        factors = np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1).astype(norms.dtype)
    return array(a * factors).astype(self.dtype, copy=False)


@kernel("aten::norm_except_dim")
def norm_except_dim(v: Array, pow: int = 2, dim: int = 0) -> Array:
    """Norm over all dimensions but one, which keep size 1; with -1 over all of them."""
    if dim == -1:
        return _norm(v, pow, (), False, None)
    return _norm(v, pow, _other_axes(v, wrap(dim, v.ndim)), True, None) if v.ndim > 1 else np.abs(v)


@kernel("aten::_weight_norm")
def weight_norm(v: Array, g: Array, dim: int = 0) -> Array:
    """`v` scaled so that its norm over all dimensions but one is `g`."""
    dtype: DType = P.result_type(v, g)
    norm = P.wide(norm_except_dim(v, 2, dim))
    with np.errstate(all="ignore"):
        return multiply(P.wide(v), array(P.wide(g) / norm)).astype(dtype, copy=False)
