"""Linear algebra: solvers, inverses, determinants and functions of matrices. host only (LAPACK)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name
from .linalg import matmul
from .linalg_decomp import (
    SINGULAR,
    adjoint,
    broadcast_batches,
    check_info,
    check_matrices,
    flat,
    lapack,
    linalg_eigh,
    linalg_eigvalsh,
    linalg_svdvals,
    lu_factor,
    svd_of,
    workspace,
)
from .linalg_norm import linalg_matrix_norm, linalg_matrix_norm_str
from .memory import wrap
from .promotion import Array, array
from .registry import kernel


def _check_pair(what: str, a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{what}: Expected A and B to have the same dtype, but found A of type {type_name(a.dtype)} and B of type "
            f"{type_name(b.dtype)} instead"
        )


# ---- LU


def _lu_solve(factors: Array, pivots: Array, b: Array, trans: int) -> Array:
    """Solutions of `op(A) x = b` (trans 0: A, 1: its transpose, 2: its adjoint) for batches of one shape."""
    out = np.array(b, order="C")
    if out.size:
        routine = lapack("getrs", factors.dtype)
        for entry, lu, piv in zip(flat(out), flat(factors), flat(pivots, 1)):
            entry[...], _ = routine(lu, piv - 1, entry, trans=trans)
    return out


def solve(what: str, A: Array, B: Array, left: bool) -> tuple[Array, Array]:
    """Solutions of `A x = B` (or `x A = B`) and the status of each matrix."""
    check_matrices(what, A, square=True)
    _check_pair(what, A, B)
    vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    if vector and not left:
        raise RuntimeError(
            f"{what}: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    right = B[..., None] if vector else B
    if right.ndim < 2 or right.shape[-2 if left else -1] != A.shape[-1]:
        raise RuntimeError(f"{what}: Incompatible shapes of A and B for the equation AX = B ({A.shape} and {B.shape})")
    factors, pivots, info = lu_factor(what, A, True)
    factors, pivots, right = broadcast_batches(what, factors, pivots, right, ndims=(2, 1, 2))
    if left:
        out = _lu_solve(factors, pivots, right, 0)
    else:
        out = np.swapaxes(_lu_solve(factors, pivots, np.swapaxes(right, -1, -2), 1), -1, -2)
    return (out[..., 0] if vector else out), info


@kernel("aten::linalg_solve_ex")
def linalg_solve_ex(A: Array, B: Array, left: bool = True, check_errors: bool = False) -> tuple[Array, Array]:
    """Solution of a linear system and status: the number of the first zero pivot, or 0."""
    out, info = solve("linalg.solve", A, B, left)
    if check_errors:
        check_info("torch.linalg.solve_ex", info, SINGULAR)
    return out, info


@kernel("aten::linalg_solve")
def linalg_solve(A: Array, B: Array, left: bool = True) -> Array:
    """Solution of a linear system. Raises RuntimeError for an exactly singular matrix."""
    out, info = solve("linalg.solve", A, B, left)
    check_info("torch.linalg.solve", info, SINGULAR)
    return out


def _inverse(what: str, A: Array) -> tuple[Array, Array]:
    check_matrices(what, A, square=True)
    factors, pivots, info = lu_factor(what, A, True)
    eye = np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)
    return _lu_solve(factors, pivots, eye, 0), info


_NO_INVERSE = (
    "The diagonal element {info} is zero, the inversion could not be completed because the input matrix is singular."
)


@kernel("aten::linalg_inv_ex")
def linalg_inv_ex(A: Array, check_errors: bool = False) -> tuple[Array, Array]:
    """Inverse and status: the number of the first zero pivot, or 0."""
    out, info = _inverse("linalg.inv", A)
    if check_errors:
        check_info("linalg.inv_ex", info, _NO_INVERSE)
    return out, info


@kernel("aten::linalg_inv", "aten::inverse")
def linalg_inv(A: Array) -> Array:
    """Inverse. Raises RuntimeError for an exactly singular matrix."""
    out, info = _inverse("linalg.inv", A)
    check_info("linalg.inv", info, _NO_INVERSE)
    return out


@kernel("aten::linalg_lu_solve")
def linalg_lu_solve(LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False) -> Array:
    """Solution of a linear system whose matrix (or its adjoint) is given as compact LU and pivots."""
    what = "torch.linalg.lu_solve"
    check_matrices(what, LU, "LU", square=True)
    check_matrices(what, B, "B")
    _check_pair(what, LU, B)
    if pivots.dtype != np.int32:
        raise RuntimeError(f"{what}: pivots should be a Tensor of scalar type torch.int32")
    if B.shape[-2 if left else -1] != LU.shape[-1] or pivots.shape != LU.shape[:-1]:
        raise RuntimeError(f"{what}: Incompatible shapes of A and B for the equation AX = B ({LU.shape} and {B.shape})")
    factors, pivots, right = broadcast_batches(what, LU, pivots, B, ndims=(2, 1, 2))
    if left:
        return _lu_solve(factors, pivots, right, 2 if adjoint else 0)
    turned = np.swapaxes(right, -1, -2)
    if adjoint:  # x A^H = B is A x^H = B^H
        return np.conj(np.swapaxes(_lu_solve(factors, pivots, np.conj(turned), 0), -1, -2))
    return np.swapaxes(_lu_solve(factors, pivots, turned, 1), -1, -2)


@kernel("aten::lu_solve")
def lu_solve(self: Array, LU_data: Array, LU_pivots: Array) -> Array:
    """Solution of a linear system whose matrix is given as compact LU and pivots."""
    return linalg_lu_solve(LU_data, LU_pivots, self)


def _sign_and_diagonal(what: str, A: Array) -> tuple[Array, Array]:
    check_matrices(what, A, square=True)
    factors, pivots, _ = lu_factor(what, A, True)
    swaps = (pivots != np.arange(1, pivots.shape[-1] + 1)).sum(-1)
    return array(1 - 2 * (swaps % 2)).astype(A.dtype), np.diagonal(factors, axis1=-2, axis2=-1)


@kernel("aten::linalg_det", "aten::det")
def linalg_det(A: Array) -> Array:
    """Determinant."""
    sign, diagonal = _sign_and_diagonal("linalg.det", A)
    with np.errstate(all="ignore"):
        return array(np.prod(diagonal, axis=-1) * sign)


@kernel("aten::linalg_slogdet", "aten::slogdet")
def linalg_slogdet(A: Array) -> tuple[Array, Array]:
    """Sign (or phase) of the determinant and logarithm of its magnitude."""
    sign, diagonal = _sign_and_diagonal("linalg.slogdet", A)
    magnitudes = np.abs(diagonal)
    with np.errstate(all="ignore"):
        phases = diagonal / np.where(magnitudes == 0, 1, magnitudes).astype(magnitudes.dtype)
        return array(np.prod(phases, axis=-1) * sign), array(np.log(magnitudes).sum(-1))


@kernel("aten::logdet")
def logdet(self: Array) -> Array:
    """Logarithm of the determinant; NaN where it is negative."""
    sign, logs = linalg_slogdet(self)
    with np.errstate(all="ignore"):
        if sign.dtype.kind == "c":
            return array(np.log(sign) + logs)
        return np.where(sign == -1, np.nan, logs).astype(logs.dtype)


# ---- triangular and Cholesky factors


def solve_triangular(a: Array, b: Array, upper: bool, left: bool, trans: int, unit: bool) -> Array:
    """Solution with a triangular matrix for batches of one shape (trans 0: A, 1: its transpose, 2: its adjoint)."""
    out = np.array(b, order="C")
    if out.size:
        routine = lapack("trsm", a.dtype)
        for entry, matrix in zip(flat(out), flat(a)):
            entry[...] = routine(1, matrix, entry, side=not left, lower=not upper, trans_a=trans, diag=unit)
    return out


@kernel("aten::linalg_solve_triangular")
def linalg_solve_triangular(
    self: Array, B: Array, upper: bool, left: bool = True, unitriangular: bool = False
) -> Array:
    """Solution of a system with a triangular matrix, of which the other triangle is not read."""
    what = "linalg.solve_triangular"
    _check_pair(what, self, B)
    check_matrices(what, self, square=True)
    check_matrices(what, B, "B")
    if B.shape[-2 if left else -1] != self.shape[-1]:
        raise RuntimeError(
            f"{what}: Incompatible shapes of A and B for the equation AX = B ({self.shape} and {B.shape})"
        )
    a, b = broadcast_batches(what, self, B)
    return solve_triangular(a, b, upper, left, 0, unitriangular)


@kernel("aten::triangular_solve")
def triangular_solve(
    self: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Array, Array]:
    """Solution of `A x = self` with a triangular matrix, and a copy of that matrix."""
    what = "triangular_solve"
    _check_pair(what, self, A)
    check_matrices(what, A, square=True)
    check_matrices(what, self, "b")
    if self.shape[-2] != A.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: A is {A.shape} but b is {self.shape}")
    a, b = broadcast_batches(what, A, self)
    return solve_triangular(a, b, upper, True, int(transpose), unitriangular), np.array(a, order="C")


@kernel("aten::cholesky_solve")
def cholesky_solve(self: Array, input2: Array, upper: bool = False) -> Array:
    """Solution of a system whose matrix is given by its Cholesky factor."""
    what = "cholesky_solve"
    for name, x in (("b", self), ("u", input2)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    check_matrices(what, input2, square=True)
    _check_pair(what, input2, self)
    if self.shape[-2] != input2.shape[-1]:
        raise RuntimeError(f"{what}: Incompatible matrix sizes: A is {input2.shape} but b is {self.shape}")
    a, b = broadcast_batches(what, input2, self)
    first = solve_triangular(a, b, upper, True, 2 if upper else 0, False)
    return solve_triangular(a, first, upper, True, 0 if upper else 2, False)


@kernel("aten::cholesky_inverse")
def cholesky_inverse(self: Array, upper: bool = False) -> Array:
    """Inverse of a matrix given by its Cholesky factor. Raises RuntimeError for a singular one."""
    what = "cholesky_inverse"
    check_matrices(what, self, square=True)
    out, info = np.array(self, order="C"), np.zeros(self.shape[:-2], np.int32)
    if out.size:
        routine, infos = lapack("potri", self.dtype), info.reshape(-1)
        for i, entry in enumerate(flat(out)):
            entry[...], infos[i] = routine(entry, lower=not upper)
    check_info(what, info, _NO_INVERSE)
    half = np.triu(out) if upper else np.tril(out)
    return array(half + adjoint(np.triu(out, 1) if upper else np.tril(out, -1)))


@kernel("aten::linalg_ldl_solve")
def linalg_ldl_solve(LD: Array, pivots: Array, B: Array, hermitian: bool = False) -> Array:
    """Solution of a system whose matrix is given as compact LDL and pivots."""
    what = "torch.linalg.ldl_solve"
    check_matrices(what, LD, "LD", square=True)
    check_matrices(what, B, "B")
    _check_pair(what, LD, B)
    if pivots.dtype.kind not in "iu" or pivots.shape != LD.shape[:-1] or B.shape[-2] != LD.shape[-1]:
        raise RuntimeError(f"{what}: LD {LD.shape}, pivots {pivots.shape} and B {B.shape} do not fit together")
    factors, pivots, right = broadcast_batches(what, LD, pivots, B, ndims=(2, 1, 2))
    out = np.array(right, order="C")
    if out.size:
        routine = lapack("hetrs" if hermitian and LD.dtype.kind == "c" else "sytrs", LD.dtype)
        for entry, ld, piv in zip(flat(out), flat(factors), flat(pivots, 1)):
            entry[...], _ = routine(ld, piv, entry, lower=True)
    return out


# ---- least squares, pseudo-inverse, rank, condition


@kernel("aten::linalg_lstsq")
def linalg_lstsq(
    self: Array, b: Array, rcond: float | None = None, driver: str | None = None
) -> tuple[Array, Array, Array, Array]:
    """Least-squares solution, residuals, rank and singular values, as far as the driver (default gelsy) gives them."""
    what = "torch.linalg.lstsq"
    check_matrices(what, self, "input")
    if b.ndim < 1:
        raise RuntimeError(f"{what}: other must have at least 1 dimension.")
    if self.dtype != b.dtype:
        raise RuntimeError(f"{what}: Expected input and other to have the same dtype, but got input's dtype "
                           f"{type_name(self.dtype)} and other's dtype {type_name(b.dtype)}")  # fmt: skip
    name = driver or "gelsy"
    if name not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{what}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    vector = b.ndim == 1 or (self.ndim - 1 == b.ndim and b.shape == self.shape[:-1])
    right = b[..., None] if vector else b
    if right.ndim < 2 or right.shape[-2] != self.shape[-2]:
        raise RuntimeError(f"{what}: input.size(-2) should match other.size(-2)")
    a, right = broadcast_batches(what, self, right)
    batch, (m, n), count = a.shape[:-2], a.shape[-2:], right.shape[-1]
    k, real = min(m, n), P.real_of(a.dtype)
    limit = float(np.finfo(real).eps) * max(m, n) if rcond is None else rcond
    solution = np.zeros((*batch, n, count), a.dtype)
    squares = np.zeros((*batch, count), real)
    rank = np.zeros(batch if name != "gels" else 0, np.int64)
    values = np.zeros((*batch, k) if name in ("gelsd", "gelss") else 0, real)
    info = np.zeros(batch, np.int32)
    if solution.size and m:
        padded = np.zeros((*batch, max(m, n), count), a.dtype)
        padded[..., :m, :] = right
        routine, ranks, singular = (
            lapack(name, a.dtype),
            rank.reshape(-1),
            flat(values, 1) if values.ndim > 1 else [values],
        )
        for i, (entry, rhs) in enumerate(zip(flat(a), flat(padded))):
            if name == "gels":
                _, x, info.reshape(-1)[i] = routine(entry, rhs)
            elif name == "gelsy":
                (lwork,) = workspace(name, a.dtype, m, n, count, limit)
                _, x, _, ranks[i], _ = routine(entry, rhs, np.zeros((n, 1), np.int32), limit, lwork)
            elif name == "gelsd":
                sizes = workspace(name, a.dtype, m, n, count, cond=limit)
                x, singular[i][...], ranks[i], info.reshape(-1)[i] = routine(entry, rhs, *sizes, cond=limit)
            else:
                (lwork,) = workspace(name, a.dtype, m, n, count, cond=limit)
                _, x, singular[i][...], ranks[i], _, info.reshape(-1)[i] = routine(entry, rhs, cond=limit, lwork=lwork)
            flat(solution)[i] = x[:n]
            flat(squares, 1)[i] = (np.abs(x[n:]) ** 2).sum(0)
    check_info(what, info, "The least squares problem could not be solved because the input matrix does not have full "
               "rank (error code: {info}).")  # fmt: skip
    if not (m > n and name != "gelsy" and (name == "gels" or bool(np.all(rank == n)))):
        squares = np.zeros(0, real)
    elif vector:
        squares = squares[..., 0] if not batch else squares
    return (solution[..., 0] if vector else solution), squares, rank, values


def _tolerance(a: Array, largest: Array, atol: Any, rtol: Any) -> Array:
    """The bound below which singular values count as zero, from absolute and relative tolerances or their defaults."""
    default = float(np.finfo(P.real_of(a.dtype)).eps) * max(a.shape[-2:])
    absolute = np.asarray(0.0 if atol is None else atol)
    relative = np.where(absolute > 0, 0.0, default) if rtol is None else np.asarray(rtol)
    for name, x in (("atol", absolute), ("rtol", relative)):
        if x.dtype.kind == "c":
            raise RuntimeError(f"linalg: {name} tensor of complex type is not supported.")
    real = largest.dtype
    return array(np.maximum(absolute.astype(real)[..., None], relative.astype(real)[..., None] * largest))


def _pinv(A: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    check_matrices("linalg.pinv", A, square=hermitian)
    if A.size == 0:
        return np.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype)
    if hermitian:
        values, left = linalg_eigh(A)
        magnitudes, right = np.abs(values), left
    else:
        left, values, vh = svd_of("linalg.svd", A, False)
        magnitudes, right = values, adjoint(vh)
    tolerance = _tolerance(A, magnitudes.max(-1, keepdims=True), atol, rtol)
    with np.errstate(all="ignore"):
        inverted = np.where(magnitudes > tolerance, 1 / values, 0).astype(values.dtype)
    return matmul(right * inverted[..., None, :], adjoint(left))


@kernel("aten::linalg_pinv.atol_rtol_float", "aten::linalg_pinv.atol_rtol_tensor")
def linalg_pinv(self: Array, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Array:
    """Pseudo-inverse; singular values below the tolerances count as zero."""
    return _pinv(self, atol, rtol, hermitian)


@kernel("aten::linalg_pinv", "aten::linalg_pinv.rcond_tensor")
def linalg_pinv_rcond(self: Array, rcond: Any, hermitian: bool = False) -> Array:
    """Pseudo-inverse; singular values below `rcond` times the largest count as zero."""
    return _pinv(self, 0.0, rcond, hermitian)


@kernel("aten::pinverse")
def pinverse(self: Array, rcond: float = 1e-15) -> Array:
    """Pseudo-inverse; singular values below `rcond` times the largest count as zero."""
    return _pinv(self, 0.0, rcond, False)


def _rank(A: Array, atol: Any, rtol: Any, hermitian: bool) -> Array:
    check_matrices("linalg.matrix_rank", A, "input", square=hermitian)
    if A.size == 0:
        return np.zeros(A.shape[:-2], np.int64)
    values = np.abs(linalg_eigvalsh(A)) if hermitian else linalg_svdvals(A)
    tolerance = _tolerance(A, values.max(-1, keepdims=True), atol, rtol)
    return array(np.sum(values > tolerance, axis=-1, dtype=np.int64))


@kernel("aten::linalg_matrix_rank.atol_rtol_tensor", "aten::linalg_matrix_rank.atol_rtol_float")
def linalg_matrix_rank(self: Array, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Array:
    """Number of singular values above the tolerances."""
    return _rank(self, atol, rtol, hermitian)


@kernel("aten::linalg_matrix_rank", "aten::linalg_matrix_rank.tol_tensor")
def linalg_matrix_rank_tol(self: Array, tol: Any, hermitian: bool = False) -> Array:
    """Number of singular values above `tol`."""
    return _rank(self, tol, 0.0, hermitian)


def _cond_of_inverse(A: Array, norm: Any) -> Array:
    check_matrices("linalg.cond", A, square=True)
    inverse, info = _inverse("linalg.cond", A)
    inverse[info != 0] = np.inf
    with np.errstate(all="ignore"):
        product = np.asarray(norm(A) * norm(inverse))
    singular = np.isnan(product) & (info != 0)
    return np.where(singular, np.inf, product).astype(product.dtype)


@kernel("aten::linalg_cond")
def linalg_cond(self: Array, p: Any = None) -> Array:
    """Condition number by the matrix norm of order `p` (2 by default)."""
    check_matrices("linalg.cond", self)
    if self.size == 0:
        return np.zeros(self.shape[:-2], P.real_of(self.dtype))
    if p is None or abs(p) == 2:
        values = linalg_svdvals(self)
        high, low = (values[..., 0], values[..., -1])[:: -1 if p == -2 else 1]
        with np.errstate(all="ignore"):
            return array(high / low)
    return _cond_of_inverse(self, lambda a: linalg_matrix_norm(a, p))


@kernel("aten::linalg_cond.p_str")
def linalg_cond_str(self: Array, p: str) -> Array:
    """Condition number by a named matrix norm ("fro", "nuc")."""
    check_matrices("linalg.cond", self)
    if self.size == 0:
        return np.zeros(self.shape[:-2], P.real_of(self.dtype))
    if p == "nuc":
        check_matrices("linalg.cond", self, square=True)
        values = linalg_svdvals(self)
        with np.errstate(all="ignore"):
            return array(values.sum(-1) * (1 / values).sum(-1))
    return _cond_of_inverse(self, lambda a: linalg_matrix_norm_str(a, p))


# ---- functions of matrices


@kernel("aten::linalg_matrix_exp", "aten::matrix_exp")
def linalg_matrix_exp(self: Array) -> Array:
    """Matrix exponential."""
    check_matrices("linalg.matrix_exp", self, square=True, low=True)
    if self.size == 0:
        return self.copy()
    from scipy.linalg import expm

    return array(expm(P.wide(self))).astype(self.dtype, copy=False)


@kernel("aten::linalg_matrix_power", "aten::matrix_power")
def linalg_matrix_power(self: Array, n: int) -> Array:
    """Matrix multiplied by itself `n` times; a negative `n` multiplies the inverse."""
    if self.ndim < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if self.shape[-1] != self.shape[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {self.shape[-2]} by "
            f"{self.shape[-1]} matrices"
        )
    if n == 0:
        return np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape).copy()
    base, n = (linalg_inv(self), -n) if n < 0 else (self, n)
    if n == 1:
        return base.copy()
    out: Array | None = None
    while n:
        if n & 1:
            out = base if out is None else matmul(out, base)
        n >>= 1
        if n:
            base = matmul(base, base)
    assert out is not None
    return out


@kernel("aten::linalg_tensorinv")
def linalg_tensorinv(self: Array, ind: int = 2) -> Array:
    """Inverse of the linear map that contracts all dimensions from `ind` on."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    left, right = self.shape[:ind], self.shape[ind:]
    if math.prod(left) != math.prod(right):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(right)} != {math.prod(left)}"
        )
    return linalg_inv(self.reshape(math.prod(left), math.prod(right))).reshape(right + left)


@kernel("aten::linalg_tensorsolve")
def linalg_tensorsolve(self: Array, other: Array, dims: Sequence[int] | None = None) -> Array:
    """Solution of a system whose map is a tensor; `dims` are moved to its end first."""
    a = self
    if dims is not None:
        moved = [wrap(d, a.ndim) for d in dims]
        a = a.transpose([i for i in range(a.ndim) if i not in moved] + moved)
    shape = a.shape[other.ndim :]
    rows = math.prod(a.shape[: other.ndim])
    if rows != math.prod(shape):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {rows}"
        )
    return linalg_solve(a.reshape(rows, rows), other.reshape(-1)).reshape(shape)
