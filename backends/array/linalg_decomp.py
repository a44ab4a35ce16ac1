"""Linear algebra: factorisations, by LAPACK in the input's own precision, with PyTorch's conventions.

A batch is a loop of LAPACK calls over its matrices. host only
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name
from .linalg import same_type
from .linalg_signs import is_reduced_directly, settle_eig, settle_eigh, wide_svd
from .memory import wrap
from .promotion import Array, DType
from .registry import kernel

_UNITARY = {"orgqr": "ungqr", "ormqr": "unmqr", "syevd": "heevd"}
_ROUTINES: dict[tuple[str, str], Callable[..., Any]] = {}


def lapack(name: str, dtype: DType) -> Callable[..., Any]:
    """The LAPACK (or BLAS: trsm) routine for an element type; complex types get the unitary or Hermitian one."""
    key = (name, dtype.char)
    found = _ROUTINES.get(key)
    if found is None:
        prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[dtype.char]
        module = importlib.import_module("scipy.linalg.blas" if name == "trsm" else "scipy.linalg.lapack")
        real_name = _UNITARY.get(name.removesuffix("_lwork"), name.removesuffix("_lwork")) if prefix in "cz" else name
        if prefix in "cz" and name.endswith("_lwork"):
            real_name += "_lwork"
        found = _ROUTINES[key] = getattr(module, prefix + real_name)
    return found


def workspace(name: str, dtype: DType, *arguments: Any, **options: Any) -> list[int]:
    """The sizes of the workspaces with which the routine is fastest, as its `_lwork` companion gives them."""
    *sizes, _ = lapack(name + "_lwork", dtype)(*arguments, **options)
    single = dtype.char in "fF"
    # a size that single precision rounded down would be too small
    return [
        math.ceil(float(np.nextafter(np.float32(s.real), np.float32(np.inf)))) if single else int(s.real) for s in sizes
    ]


def check_matrices(what: str, a: Array, name: str = "A", square: bool = False, low: bool = False) -> None:
    """Raise RuntimeError unless the array holds matrices of a type that LAPACK takes (`low`: or a 16-bit float)."""
    if a.ndim < 2:
        raise RuntimeError(f"{what}: The input tensor {name} must have at least 2 dimensions.")
    if square and a.shape[-1] != a.shape[-2]:
        raise RuntimeError(
            f"{what}: {name} must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices"
        )
    if not P.is_inexact(a.dtype):
        raise RuntimeError(f"{what}: Expected a floating point or complex tensor as input. Got {type_name(a.dtype)}")
    if not low and P.is_low(a.dtype):
        raise RuntimeError(f"{what}: Low precision dtypes not supported. Got {type_name(a.dtype)}")


def flat(a: Array, ndim: int = 2) -> Array:
    """The array with its batch dimensions joined into one."""
    core = a.shape[a.ndim - ndim :]
    return a.reshape((math.prod(a.shape[: a.ndim - ndim]), *core))


def adjoint(a: Array) -> Array:
    """The conjugate transpose of the last two dimensions."""
    swapped = np.swapaxes(a, -1, -2)
    return np.conj(swapped) if a.dtype.kind == "c" else swapped


def check_info(what: str, info: Array, message: str) -> None:
    """Raise RuntimeError with the message for the first matrix whose status is not 0 ({info} is the status)."""
    bad = np.flatnonzero(info)
    if bad.size:
        where = f" (Batch element {bad[0]}):" if info.ndim else ""
        raise RuntimeError(f"{what}:{where} " + message.format(info=info.reshape(-1)[bad[0]]))


SINGULAR = "The solver failed because the input matrix is singular."
NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite "
    "(the leading minor of order {info} is not positive-definite)."
)
NOT_CONVERGED = (
    "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues "
    "(error code: {info})."
)
ZERO_PIVOT = (
    "U[{info},{info}] is zero and using it on lu_solve would result in a division by zero. If you still want to "
    "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


@kernel("aten::linalg_diagonal")
def linalg_diagonal(A: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """The diagonals of two dimensions as a view, in the last dimension."""
    i, j = wrap(dim1, A.ndim), wrap(dim2, A.ndim)
    if i == j:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    view = np.diagonal(A, offset, i, j)
    view.flags.writeable = A.flags.writeable
    return view


# ---- LU


def lu_factor(what: str, A: Array, pivot: bool) -> tuple[Array, Array, Array]:
    """Compact LU, pivots counted from 1, and the status of each matrix."""
    check_matrices(what, A)
    if not pivot:
        raise RuntimeError(f"{what}: LU without pivoting is not implemented on the CPU")
    batch, (m, n) = A.shape[:-2], A.shape[-2:]
    k = min(m, n)
    factors = np.array(A, order="C")
    pivots = np.zeros((*batch, k), np.int32)
    info = np.zeros(batch, np.int32)
    if k:
        getrf = lapack("getrf", A.dtype)
        lus, pivs, infos = flat(factors), flat(pivots, 1), info.reshape(-1)
        for i in range(len(lus)):
            lus[i], piv, infos[i] = getrf(lus[i])
            pivs[i] = piv + 1
    return factors, pivots, info


@kernel("aten::linalg_lu_factor_ex", "aten::_lu_with_info")
def linalg_lu_factor_ex(A: Array, pivot: bool = True, check_errors: bool = False) -> tuple[Array, Array, Array]:
    """Compact LU factors, pivots and status: the number of the first zero on U's diagonal, or 0."""
    factors, pivots, info = lu_factor("torch.linalg.lu_factor_ex", A, pivot)
    if check_errors:
        check_info("torch.linalg.lu_factor_ex", info, ZERO_PIVOT)
    return factors, pivots, info


@kernel("aten::linalg_lu_factor")
def linalg_lu_factor(A: Array, pivot: bool = True) -> tuple[Array, Array]:
    """Compact LU factors and pivots. Raises RuntimeError for an exactly singular matrix."""
    factors, pivots, info = lu_factor("torch.linalg.lu_factor", A, pivot)
    check_info("torch.linalg.lu_factor", info, ZERO_PIVOT)
    return factors, pivots


def permutation(pivots: Array, m: int) -> Array:
    """The order in which LU's row exchanges put the rows, per matrix."""
    rows = flat(pivots, 1)
    order = np.tile(np.arange(m), (len(rows), 1))
    entries = np.arange(len(rows))
    for j in range(rows.shape[1]):
        other = rows[:, j] - 1
        order[entries, other], order[:, j] = order[:, j].copy(), order[entries, other]
    return order.reshape(*pivots.shape[:-1], m)


def _permutation_matrix(pivots: Array, m: int, dtype: DType) -> Array:
    order = permutation(pivots, m)
    return np.ascontiguousarray(np.swapaxes(order[..., None] == np.arange(m), -1, -2)).astype(dtype)


def _split_lu(factors: Array) -> tuple[Array, Array]:
    m, n = factors.shape[-2:]
    k = min(m, n)
    lower = np.tril(factors[..., :k], -1)
    diagonal = np.arange(k)
    lower[..., diagonal, diagonal] = 1
    return lower, np.triu(factors[..., :k, :])


@kernel("aten::linalg_lu")
def linalg_lu(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    """Permutation, unit lower and upper triangular factors."""
    factors, pivots, _ = lu_factor("linalg.lu", A, pivot)
    lower, upper = _split_lu(factors)
    return _permutation_matrix(pivots, A.shape[-2], A.dtype), lower, upper


@kernel("aten::lu_unpack")
def lu_unpack(
    LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Array, Array, Array]:
    """The permutation and the triangular factors of a compact LU; what is not asked for is empty."""
    if LU_data.ndim < 2:
        raise RuntimeError("torch.lu_unpack: The input tensor LU_data must have at least 2 dimensions.")
    if unpack_pivots and LU_pivots.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    empty = np.zeros(0, LU_data.dtype)
    lower, upper = _split_lu(LU_data) if unpack_data else (empty, empty.copy())
    matrix = _permutation_matrix(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else empty.copy()
    return matrix, lower, upper


# ---- QR


def _geqrf(a: Array) -> tuple[Array, Array]:
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    factors, tau = np.array(a, order="C"), np.zeros((*batch, k), a.dtype)
    if k:
        routine = lapack("geqrf", a.dtype)
        (lwork,) = workspace("geqrf", a.dtype, m, n)
        for entry, t in zip(flat(factors), flat(tau, 1)):
            entry[...], t[...], _, _ = routine(entry, lwork=lwork)
    return factors, tau


def _orgqr(reflectors: Array, tau: Array) -> Array:
    m, n = reflectors.shape[-2:]
    out = np.array(reflectors, order="C")
    if tau.shape[-1] == 0:
        out[...] = np.eye(m, n, dtype=out.dtype)
    elif n:
        routine = lapack("orgqr", out.dtype)
        for entry, t in zip(flat(out), flat(tau, 1)):
            entry[...], _, _ = routine(entry, t, lwork=max(1, n) * 32)
    return out


@kernel("aten::geqrf")
def geqrf(self: Array) -> tuple[Array, Array]:
    """QR in LAPACK's compact form: R above, the reflectors below the diagonal, and the reflectors' factors."""
    check_matrices("torch.geqrf", self, "input")
    return _geqrf(self)


@kernel("aten::linalg_qr")
def linalg_qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    """Orthogonal and upper triangular factors; mode "r" leaves the first empty."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    check_matrices("linalg.qr", A)
    m, n = A.shape[-2:]
    k = min(m, n)
    factors, tau = _geqrf(A)
    upper = np.triu(factors if mode == "complete" else factors[..., :k, :])
    if mode == "r":
        return np.zeros(0, A.dtype), upper
    columns = factors[..., :k]
    if mode == "complete" and m > k:
        columns = np.concatenate([columns, np.zeros((*A.shape[:-1], m - k), A.dtype)], -1)
    return _orgqr(columns, tau), upper


@kernel("aten::qr")
def qr(self: Array, some: bool = True) -> tuple[Array, Array]:
    """Orthogonal and upper triangular factors, reduced (`some`) or complete."""
    return linalg_qr(self, "reduced" if some else "complete")


def _check_reflectors(what: str, a: Array, tau: Array) -> None:
    check_matrices(what, a, "input")
    same_type(what, a, tau)
    if tau.ndim != a.ndim - 1 or tau.shape[:-1] != a.shape[:-2]:
        raise RuntimeError(f"{what}: Expected batch dimensions of tau to be equal to input.shape[:-2], got {tau.shape}")
    if tau.shape[-1] > a.shape[-1]:
        raise RuntimeError(f"{what}: input.shape[-1] must be greater than or equal to tau.shape[-1]")


@kernel("aten::linalg_householder_product", "aten::orgqr")
def linalg_householder_product(input: Array, tau: Array) -> Array:
    """The first columns of the product of Householder reflectors."""
    what = "torch.linalg.householder_product"
    if input.ndim >= 2 and input.shape[-2] < input.shape[-1]:
        raise RuntimeError(f"{what}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    _check_reflectors(what, input, tau)
    return _orgqr(input, tau)


@kernel("aten::ormqr")
def ormqr(self: Array, input2: Array, input3: Array, left: bool = True, transpose: bool = False) -> Array:
    """`input3` multiplied by the product of Householder reflectors (or its adjoint) from the left or the right."""
    what = "torch.ormqr"
    _check_reflectors(what, self, input2)
    check_matrices(what, input3, "other")
    same_type(what, self, input3)
    if self.shape[:-2] != input3.shape[:-2] or input3.shape[-2 if left else -1] != self.shape[-2]:
        raise RuntimeError(f"{what}: the shapes of input {self.shape} and other {input3.shape} do not fit")
    k = input2.shape[-1]
    out = np.array(input3, order="C")
    if k and out.size:
        routine = lapack("ormqr", out.dtype)
        trans = "N" if not transpose else "C" if out.dtype.kind == "c" else "T"
        lwork = 32 * max(out.shape[-2:]) + 33 * 32 * 3
        for entry, a, t in zip(flat(out), flat(self), flat(input2, 1)):
            entry[...], _, _ = routine("L" if left else "R", trans, a[:, :k], t, entry, lwork)
    return out


# ---- Cholesky


def _cholesky(what: str, a: Array, upper: bool) -> tuple[Array, Array]:
    check_matrices(what, a, square=True)
    out, info = np.array(a, order="C"), np.zeros(a.shape[:-2], np.int32)
    if a.shape[-1]:
        routine, infos = lapack("potrf", a.dtype), info.reshape(-1)
        for i, entry in enumerate(flat(out)):
            entry[...], infos[i] = routine(entry, lower=not upper)
    return out, info


@kernel("aten::linalg_cholesky_ex")
def linalg_cholesky_ex(self: Array, upper: bool = False, check_errors: bool = False) -> tuple[Array, Array]:
    """Cholesky factor and status: the order of the first minor that is not positive-definite, or 0."""
    factor, info = _cholesky("linalg.cholesky_ex", self, upper)
    if check_errors:
        check_info("linalg.cholesky_ex", info, NOT_POSITIVE)
    return factor, info


@kernel("aten::linalg_cholesky")
def linalg_cholesky(self: Array, upper: bool = False) -> Array:
    """Cholesky factor. Raises RuntimeError for a matrix that is not positive-definite."""
    factor, info = _cholesky("linalg.cholesky", self, upper)
    check_info("linalg.cholesky", info, NOT_POSITIVE)
    return factor


@kernel("aten::cholesky")
def cholesky(self: Array, upper: bool = False) -> Array:
    """Cholesky factor. Raises RuntimeError for a matrix that is not positive-definite."""
    factor, info = _cholesky("cholesky", self, upper)
    check_info("cholesky", info, NOT_POSITIVE)
    return factor


# ---- eigenvalues


def _eigh(what: str, a: Array, uplo: str, vectors: bool) -> tuple[Array, Array]:
    check_matrices(what, a, square=True)
    if uplo.upper() not in ("U", "L") or len(uplo) != 1:
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    n, real = a.shape[-1], P.real_of(a.dtype)
    values, out = np.zeros(a.shape[:-1], real), np.array(a, order="C")
    info = np.zeros(a.shape[:-2], np.int32)
    if n:
        routine, lower = lapack("syevd", a.dtype), uplo.upper() == "L"
        sizes = workspace("syevd", a.dtype, n, compute_v=vectors, lower=lower)
        names = ("lwork", "liwork") if a.dtype.kind != "c" else ("lwork", "liwork", "lrwork")
        options = dict(zip(names, sizes))
        for i, (entry, w) in enumerate(zip(flat(out), flat(values, 1))):
            w[...], found, info.reshape(-1)[i] = routine(entry, compute_v=vectors, lower=lower, **options)
            if vectors:
                settle_eigh(entry, lower, found)
                entry[...] = found
    check_info(what, info, NOT_CONVERGED)
    return values, out


@kernel("aten::linalg_eigh")
def linalg_eigh(self: Array, UPLO: str = "L") -> tuple[Array, Array]:
    """Ascending eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read."""
    return _eigh("linalg.eigh", self, UPLO, True)


@kernel("aten::linalg_eigvalsh")
def linalg_eigvalsh(self: Array, UPLO: str = "L") -> Array:
    """Ascending eigenvalues of Hermitian matrices, of which one triangle is read."""
    return _eigh("linalg.eigh", self, UPLO, False)[0]


def _eig(what: str, a: Array, vectors: bool) -> tuple[Array, Array]:
    check_matrices(what, a, square=True)
    if not np.all(np.isfinite(a)):
        raise RuntimeError(f"{what}: input tensor should not contain infs or NaNs.")
    complex_type = np.result_type(a.dtype, np.complex64)
    values, out = np.zeros(a.shape[:-1], complex_type), np.zeros(a.shape, complex_type)
    info = np.zeros(a.shape[:-2], np.int32)
    n = a.shape[-1]
    if n:
        routine = lapack("geev", a.dtype)
        (lwork,) = workspace("geev", a.dtype, n, compute_vl=False, compute_vr=vectors)
        for i, (entry, w, v) in enumerate(zip(flat(a), flat(values, 1), flat(out))):
            *found, _, right, info.reshape(-1)[i] = routine(entry, compute_vl=False, compute_vr=vectors, lwork=lwork)
            if len(found) == 1:
                w[...] = found[0]
                v[...] = right if vectors else 0
                continue
            w.real, w.imag = found
            if vectors:  # a conjugate pair shares two columns: real part, imaginary part
                v[...] = right
                first = np.flatnonzero(w.imag > 0)
                v[:, first] = right[:, first] + 1j * right[:, first + 1]
                v[:, first + 1] = np.conj(v[:, first])
                settle_eig(entry, w, v)
    check_info(what, info, NOT_CONVERGED)
    return values, out


@kernel("aten::linalg_eig")
def linalg_eig(self: Array) -> tuple[Array, Array]:
    """Complex eigenvalues and eigenvectors of square matrices."""
    return _eig("torch.linalg.eig", self, True)


@kernel("aten::linalg_eigvals")
def linalg_eigvals(self: Array) -> Array:
    """Complex eigenvalues of square matrices."""
    return _eig("torch.linalg.eigvals", self, False)[0]


# ---- singular values


def svd_of(what: str, a: Array, full: bool, vectors: bool = True) -> tuple[Array, Array, Array]:
    """U, S and the adjoint of V, full or reduced; the vectors are empty where they are not asked for."""
    check_matrices(what, a)
    batch, (m, n) = a.shape[:-2], a.shape[-2:]
    k = min(m, n)
    s = np.zeros((*batch, k), P.real_of(a.dtype))
    u = np.zeros((*batch, m, m if full else k) if vectors else 0, a.dtype)
    vh = np.zeros((*batch, n if full else k, n) if vectors else 0, a.dtype)
    info = np.zeros(batch, np.int32)
    if k == 0:
        for x in (u, vh) if vectors else ():
            x[...] = np.eye(*x.shape[-2:], dtype=x.dtype)
        return u, s, vh
    if not np.all(np.isfinite(a)):
        bad = np.flatnonzero(~np.isfinite(flat(a)).all((1, 2)))[0]
        where = f" (Batch element {bad}):" if batch else ""
        raise RuntimeError(
            f"{what}:{where} The algorithm failed to converge because the input matrix contained non-finite values."
        )
    routine = lapack("gesdd", a.dtype)
    (lwork,) = workspace("gesdd", a.dtype, m, n, compute_uv=vectors, full_matrices=full)
    us, vs = (flat(u), flat(vh)) if vectors else (u, vh)
    direct = vectors and is_reduced_directly(m, n, a.dtype)
    for i, (entry, values) in enumerate(zip(flat(a), flat(s, 1))):
        if direct:
            us[i], values[...], vs[i] = wide_svd(entry, full)
            continue
        left, values[...], right, info.reshape(-1)[i] = routine(
            entry, compute_uv=vectors, full_matrices=full, lwork=lwork
        )
        if vectors:
            us[i], vs[i] = left, right
    check_info(what, info, NOT_CONVERGED)
    return u, s, vh


def _check_driver(what: str, driver: str | None) -> None:
    if driver is not None:
        raise RuntimeError(
            f"{what}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@kernel("aten::linalg_svd")
def linalg_svd(A: Array, full_matrices: bool = True, driver: str | None = None) -> tuple[Array, Array, Array]:
    """Left vectors, descending singular values and the adjoint of the right vectors."""
    _check_driver("torch.linalg.svd", driver)
    return svd_of("linalg.svd", A, full_matrices)


@kernel("aten::linalg_svdvals")
def linalg_svdvals(A: Array, driver: str | None = None) -> Array:
    """Descending singular values."""
    _check_driver("torch.linalg.svdvals", driver)
    return svd_of("linalg.svd", A, False, False)[1]


@kernel("aten::svd")
def svd(self: Array, some: bool = True, compute_uv: bool = True) -> tuple[Array, Array, Array]:
    """Left vectors, descending singular values and right vectors; without `compute_uv` the vectors are zeros."""
    if self.ndim < 2:
        raise RuntimeError("linalg.svd: input should have at least 2 dimensions.")
    if compute_uv:
        u, s, vh = svd_of("linalg.svd", self, not some)
        return u, s, adjoint(vh)
    m, n = self.shape[-2:]
    zeros = [np.zeros((*self.shape[:-2], k, k), self.dtype) for k in (m, n)]
    return zeros[0], linalg_svdvals(self), zeros[1]


# ---- LDL


def _ldl(what: str, a: Array, hermitian: bool) -> tuple[Array, Array, Array]:
    check_matrices(what, a, square=True)
    n = a.shape[-1]
    factors = np.array(a, order="C")
    pivots, info = np.zeros(a.shape[:-1], np.int32), np.zeros(a.shape[:-2], np.int32)
    if n:
        name = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
        routine = lapack(name, a.dtype)
        (lwork,) = workspace(name, a.dtype, n, lower=True)
        for i, (entry, p) in enumerate(zip(flat(factors), flat(pivots, 1))):
            entry[...], p[...], info.reshape(-1)[i] = routine(entry, lower=True, lwork=lwork)
    return np.tril(factors), pivots, info


@kernel("aten::linalg_ldl_factor_ex")
def linalg_ldl_factor_ex(
    self: Array, hermitian: bool = False, check_errors: bool = False
) -> tuple[Array, Array, Array]:
    """Compact LDL factors, pivots as LAPACK's sytrf gives them, and status."""
    factors, pivots, info = _ldl("torch.linalg.ldl_factor_ex", self, hermitian)
    if check_errors:
        check_info("torch.linalg.ldl_factor_ex", info, ZERO_LDL)
    return factors, pivots, info


@kernel("aten::linalg_ldl_factor")
def linalg_ldl_factor(self: Array, hermitian: bool = False) -> tuple[Array, Array]:
    """Compact LDL factors and pivots. Raises RuntimeError for an exactly singular matrix."""
    factors, pivots, info = _ldl("torch.linalg.ldl_factor", self, hermitian)
    check_info("torch.linalg.ldl_factor", info, ZERO_LDL)
    return factors, pivots


ZERO_LDL = (
    "D[{info},{info}] is zero and using it on ldl_solve would result in a division by zero. If you still want to "
    "perform the factorization, consider calling linalg.ldl_factor_ex(A)"
)


def broadcast_batches(what: str, *arrays: Array, ndims: Sequence[int] | None = None) -> list[Array]:
    """The arrays with their batch dimensions (all but the last two, or `ndims`) broadcast to one shape."""
    counts = ndims or [2] * len(arrays)
    try:
        batch = np.broadcast_shapes(*[a.shape[: a.ndim - n] for a, n in zip(arrays, counts)])
    except ValueError:
        shapes = " and ".join(str(a.shape) for a in arrays)
        raise RuntimeError(f"{what}: the batch dimensions of {shapes} cannot be broadcast together") from None
    return [np.broadcast_to(a, batch + a.shape[a.ndim - n :]) for a, n in zip(arrays, counts)]
