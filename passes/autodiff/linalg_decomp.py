"""Derivatives of the linalg family: inverses, determinants, solutions of equations, factorisations.

Throughout, the gradient of a matrix A is the G for which dL = Re tr(G^H dA). Factors that are only determined up to a
sign or phase are differentiated as if the function did not depend on it.
"""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.linalg import adjoint
from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable, without_rule

_PINV_OVERLOADS = ("atol_rtol_float", "atol_rtol_tensor", "rcond_tensor")


def _mm(ops: Any, *matrices: Any) -> Any:
    """A product of matrices, from the left."""
    y = matrices[0]
    for m in matrices[1:]:
        y = ops.matmul(y, m)
    return y


def _eye(ops: Any, like: Any, n: int) -> Any:
    return ops.eye(n, dtype=like.dtype)


# inverses and determinants ------------------------------------------------------------------------------------------


@derivative("aten::inverse", "aten::linalg_inv", "aten::linalg_inv_ex")
def _inverse(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    h = adjoint(outputs[0])
    return (lambda: -_mm(ops, h, grads[0], h),)


@derivative("aten::det", "aten::linalg_det")
def _det(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, y = args[0], outputs[0]

    def own() -> Any:
        g = grads[0]
        if ops.recording and not bool((y == 0).any()):
            return (g * conj(y)).unsqueeze(-1).unsqueeze(-1) * adjoint(ops.linalg_inv(a))
        u, s, vh = ops.linalg_svd(a, False)  # also right where the determinant is zero
        n = s.shape[-1]
        others = ops.prod(ops.where(_eye(ops, s, n) == 1, 1.0, s.unsqueeze(-2)), -1) if n else s
        phase = conj(ops.linalg_det(u) * ops.linalg_det(vh)) * g
        return ops.matmul(u * (others * phase.unsqueeze(-1)).unsqueeze(-2), vh)

    return (own,)


@derivative("aten::slogdet", "aten::linalg_slogdet")
def _slogdet(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, sign = args[0], outputs[0]

    def own() -> Any:
        g = grads[1]
        if a.dtype.is_complex:
            g = ops.complex(g, -ops.imag(conj(grads[0]) * sign))
        return g.unsqueeze(-1).unsqueeze(-1) * adjoint(ops.linalg_inv_ex(a)[0])

    return (own,)


@derivative("aten::logdet")
def _logdet(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: grads[0].unsqueeze(-1).unsqueeze(-1) * adjoint(ops.linalg_inv_ex(args[0])[0]),)


@derivative("aten::pinverse", "aten::linalg_pinv", *(f"aten::linalg_pinv.{o}" for o in _PINV_OVERLOADS))
def _pinv(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, p = args[0], outputs[0]

    def own() -> Any:
        g, ph = adjoint(grads[0]), adjoint(p)
        left = _mm(ops, p, g, p)
        rows = _mm(ops, g, p, ph) - _mm(ops, a, p, g, p, ph)
        columns = _mm(ops, ph, p, g) - _mm(ops, ph, p, g, p, a)
        return rows + columns - adjoint(left)

    return (own,)


# equations ----------------------------------------------------------------------------------------------------------


def _outer(ops: Any, g: Any, x: Any, vector: bool, left: bool) -> Any:
    """The gradient of the matrix, from that of the right-hand side and the solution."""
    if vector:
        g, x = g.unsqueeze(-1), x.unsqueeze(-1)
    return -ops.matmul(g, adjoint(x)) if left else -ops.matmul(adjoint(x), g)


@derivative("aten::linalg_solve", "aten::linalg_solve_ex")
def _solve(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, b, left = args[0], args[1], args[2]
    x = outputs[0]
    vector = len(b.shape) == 1 or (len(a.shape) - 1 == len(b.shape) and list(b.shape) == list(a.shape[:-1]))

    def right() -> Any:
        g = grads[0].unsqueeze(-1) if vector else grads[0]
        found = ops.linalg_solve(adjoint(a), g, left=left)
        return found.squeeze(-1) if vector else found

    return lambda: _outer(ops, right(), x, vector, left), right


@derivative("aten::linalg_solve_triangular")
def _solve_triangular(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, _, upper, left, unit = args
    x = outputs[0]

    def right() -> Any:
        return ops.linalg_solve_triangular(adjoint(a), grads[0], upper=not upper, left=left, unitriangular=unit)

    def matrix() -> Any:
        g = _outer(ops, right(), x, False, left)
        return ops.triu(g, 1 if unit else 0) if upper else ops.tril(g, -1 if unit else 0)

    return matrix, right


@decomposed("aten::triangular_solve")
def _old_triangular(ops: Any, b: Any, a: Any, upper: bool, transpose: bool, unit: bool) -> Any:
    matrix = a.transpose(-2, -1) if transpose else a
    x = ops.linalg_solve_triangular(matrix, b, upper=upper != transpose, left=True, unitriangular=unit)
    return x, ops.clone(a)


@decomposed("aten::linalg_tensorinv")
def _tensorinv(ops: Any, a: Any, ind: int) -> Any:
    rows = 1
    for n in a.shape[:ind]:
        rows *= n
    return ops.reshape(ops.linalg_inv(ops.reshape(a, [rows, rows])), [*a.shape[ind:], *a.shape[:ind]])


@decomposed("aten::linalg_tensorsolve")
def _tensorsolve(ops: Any, a: Any, b: Any, dims: Any) -> Any:
    if dims is not None:
        a = ops.movedim(a, list(dims), list(range(a.dim() - len(dims), a.dim())))
    n = 1
    for s in b.shape:
        n *= s
    shape = list(a.shape[b.dim() :])
    return ops.reshape(ops.linalg_solve(ops.reshape(a, [n, n]), ops.reshape(b, [n])), shape)


def _least_squares(ops: Any, a: Any, b: Any) -> Any:
    """Solution and residuals."""
    vector = a.dim() - b.dim() == 1
    b = b.unsqueeze(-1) if vector else b
    x = ops.matmul(ops.linalg_pinv(a), b)
    rest = ops.matmul(a, x) - b
    residuals = ops.sum(ops.real(rest * conj(rest)), [-2])
    return (x.squeeze(-1), residuals.squeeze(-1)) if vector else (x, residuals)


@derivative("aten::linalg_lstsq", results=(0, 1))
def _lstsq(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    def function(a: Any, b: Any) -> Any:
        return _least_squares(ops, a, b)[: 2 if outputs[1].numel() else 1]

    return ops.vjp(function, args[:2], grads[:2])


# powers -------------------------------------------------------------------------------------------------------------


@derivative("aten::matrix_exp", "aten::linalg_matrix_exp")
def _matrix_exp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a = args[0]

    def own() -> Any:
        n, h = a.shape[-1], adjoint(a)
        above = ops.cat([h, grads[0]], -1)
        below = ops.cat([ops.zeros_like(h), h], -1)
        return ops.linalg_matrix_exp(ops.cat([above, below], -2))[..., :n, n:]

    return (own,)


@decomposed("aten::matrix_power", "aten::linalg_matrix_power")
def _matrix_power(ops: Any, a: Any, n: int) -> Any:
    if n == 0:
        return ops.expand(_eye(ops, a, a.shape[-1]), list(a.shape))
    if n < 0:
        a, n = ops.linalg_inv(a), -n
    y = None
    while n:
        if n & 1:
            y = a if y is None else ops.matmul(y, a)
        n >>= 1
        a = ops.matmul(a, a) if n else a
    return y


# Cholesky -----------------------------------------------------------------------------------------------------------


def _cholesky_rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    upper = args[1]
    low, g = (adjoint(v) if upper else v for v in (outputs[0], grads[0]))

    def own() -> Any:
        inner = ops.matmul(adjoint(low), g)
        inner = (ops.tril(inner) + adjoint(ops.tril(inner, -1))) / 2
        found = ops.linalg_solve_triangular(adjoint(low), inner, upper=True)
        return ops.linalg_solve_triangular(low, found, upper=False, left=False)

    return (own,)


derivative("aten::cholesky", "aten::linalg_cholesky", "aten::linalg_cholesky_ex")(_cholesky_rule)


def _squared(ops: Any, factor: Any, upper: bool) -> Any:
    factor = ops.triu(factor) if upper else ops.tril(factor)
    return ops.matmul(adjoint(factor), factor) if upper else ops.matmul(factor, adjoint(factor))


@decomposed("aten::cholesky_inverse")
def _cholesky_inverse(ops: Any, factor: Any, upper: bool) -> Any:
    return ops.linalg_inv(_squared(ops, factor, upper))


@decomposed("aten::cholesky_solve")
def _cholesky_solve(ops: Any, b: Any, factor: Any, upper: bool) -> Any:
    return ops.linalg_solve(_squared(ops, factor, upper), b)


# LU -----------------------------------------------------------------------------------------------------------------


def _lu_back(ops: Any, g_low: Any, g_up: Any, p: Any, low: Any, up: Any) -> Any:
    """The gradient of a matrix from those of its unit lower and its upper factor, of any shape."""
    rows, columns = low.shape[-2], up.shape[-1]
    k = min(rows, columns)
    extra = None
    if columns > k:  # the columns beyond are solutions with the lower factor
        later, g_later = up[..., k:], g_up[..., k:]
        extra = ops.linalg_solve_triangular(adjoint(low), g_later, upper=True, unitriangular=True)
        g_low, g_up, up = g_low - ops.matmul(extra, adjoint(later)), g_up[..., :k], up[..., :k]
    elif rows > k:  # the rows beyond are solutions with the upper factor
        later, g_later = low[..., k:, :], g_low[..., k:, :]
        extra = ops.linalg_solve_triangular(adjoint(up), g_later, upper=False, left=False)
        g_up, g_low, low = g_up - ops.matmul(adjoint(later), extra), g_low[..., :k, :], low[..., :k, :]
    inner = ops.tril(ops.matmul(adjoint(low), g_low), -1) + ops.triu(ops.matmul(g_up, adjoint(up)))
    found = ops.linalg_solve_triangular(adjoint(low), inner, upper=True, unitriangular=True)
    found = ops.linalg_solve_triangular(adjoint(up), found, upper=False, left=False)
    if extra is not None:
        found = ops.cat([found, extra], -1 if columns > k else -2)
    return found if p is None else ops.matmul(p, found)


@derivative("aten::linalg_lu", results=(1, 2))
def _lu(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    pivoted = args[1]
    p, low, up = outputs
    return (lambda: _lu_back(ops, grads[1], grads[2], p.detach() if pivoted else None, low, up),)


@derivative("aten::linalg_lu_factor", "aten::linalg_lu_factor_ex", "aten::_lu_with_info", results=(0,))
def _lu_factor(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    both, pivoted = outputs[0], args[1]

    def own() -> Any:
        g = grads[0]
        k = min(g.shape[-2:])
        p, low, up = ops.lu_unpack(both, outputs[1])
        return _lu_back(ops, g[..., :k], g[..., :k, :], p if pivoted else None, low, up)

    return (own,)


@derivative("aten::lu_unpack", results=(1, 2))
def _lu_unpack(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    _, g_low, g_up = grads

    def own() -> Any:
        if not args[2]:
            return ops.zeros_like(args[0])
        rows, columns = g_low.shape[-2], g_up.shape[-1]
        low = ops.constant_pad_nd(ops.tril(g_low, -1), [0, columns - g_low.shape[-1]], 0)
        up = ops.constant_pad_nd(ops.triu(g_up), [0, 0, 0, rows - g_up.shape[-2]], 0)
        return low + up

    return (own,)


def _lu_solved(ops: Any, both: Any, pivots: Any, b: Any, left: bool, turned: bool) -> Any:
    p, low, up = ops.lu_unpack(both, pivots)
    if not left:
        return adjoint(_lu_solved(ops, both, pivots, adjoint(b), True, not turned))
    if turned:
        x = ops.linalg_solve_triangular(adjoint(up), b, upper=False)
        return ops.matmul(p, ops.linalg_solve_triangular(adjoint(low), x, upper=True, unitriangular=True))
    x = ops.linalg_solve_triangular(low, ops.matmul(adjoint(p), b), upper=False, unitriangular=True)
    return ops.linalg_solve_triangular(up, x, upper=True)


decomposed("aten::linalg_lu_solve")(_lu_solved)


@decomposed("aten::lu_solve")
def _old_lu_solve(ops: Any, b: Any, both: Any, pivots: Any) -> Any:
    return _lu_solved(ops, both, pivots, b, True, False)


# QR -----------------------------------------------------------------------------------------------------------------


def _qr_back(ops: Any, g_q: Any, g_r: Any, q: Any, r: Any) -> Any:
    rows, columns = q.shape[-2], r.shape[-1]
    later = None
    if columns > rows:  # the columns beyond are products with the orthogonal factor
        later = ops.matmul(q, g_r[..., rows:])
        g_q = g_q + ops.matmul(ops.matmul(q, r[..., rows:]), adjoint(g_r[..., rows:]))
        g_r, r = g_r[..., :rows], r[..., :rows]
    x = ops.triu(ops.matmul(g_r, adjoint(r)) - ops.matmul(adjoint(q), g_q))
    diagonal = ops.diagonal(x, 0, -2, -1)
    diagonal = ops.real(diagonal).to(diagonal.dtype) if diagonal.dtype.is_complex else diagonal
    both = x + adjoint(x) - ops.diag_embed(diagonal)
    found = g_q + ops.matmul(q, both)
    found = ops.linalg_solve_triangular(adjoint(r), found, upper=False, left=False)
    return found if later is None else ops.cat([found, later], -1)


@derivative("aten::qr", "aten::linalg_qr")
def _qr(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, mode = args
    mode = {True: "reduced", False: "complete"}.get(mode, mode)

    def own() -> Any:
        if mode == "r":
            raise RuntimeError("the derivative of linalg_qr is not implemented for mode='r': the result lacks Q")
        if mode == "complete" and a.shape[-2] > a.shape[-1]:
            raise RuntimeError("the derivative of linalg_qr is not implemented for mode='complete' and tall matrices")
        return _qr_back(ops, grads[0], grads[1], outputs[0], outputs[1])

    return (own,)


def _reflected(ops: Any, v: Any, tau: Any, m: Any, i: int, back: bool) -> Any:
    """(I - tau v v^H) m, or its adjoint, for the i-th column of `v` (one at i, zeros before)."""
    rows = v.shape[-2]
    tail = ops.narrow(v, -2, i + 1, rows - i - 1)[..., i : i + 1]
    one = ops.ones_like(v[..., :1, :1])
    column = ops.constant_pad_nd(ops.cat([one, tail], -2), [0, 0, i, 0], 0)
    factor = tau[..., i : i + 1].unsqueeze(-1)
    return m - (conj(factor) if back else factor) * ops.matmul(column, ops.matmul(adjoint(column), m))


@decomposed("aten::orgqr", "aten::linalg_householder_product")
def _householder(ops: Any, v: Any, tau: Any) -> Any:
    y = ops.expand(ops.eye(v.shape[-2], v.shape[-1], dtype=v.dtype), list(v.shape))
    for i in reversed(range(tau.shape[-1])):
        y = _reflected(ops, v, tau, y, i, False)
    return y


@decomposed("aten::ormqr")
def _ormqr(ops: Any, v: Any, tau: Any, other: Any, left: bool, transposed: bool) -> Any:
    if not left:
        return adjoint(_ormqr(ops, v, tau, adjoint(other), True, not transposed))
    order = range(tau.shape[-1])
    for i in order if transposed else reversed(order):
        other = _reflected(ops, v, tau, other, i, transposed)
    return other


# eigenvalues --------------------------------------------------------------------------------------------------------


def _gaps(ops: Any, values: Any) -> Any:
    """Reciprocals of the differences of values, column minus row; zero on the diagonal."""
    gap = values.unsqueeze(-2) - values.unsqueeze(-1)
    diagonal = ops.eye(values.shape[-1]) == 1
    return ops.where(diagonal, 0.0, 1 / ops.where(diagonal, 1.0, gap))


@derivative("aten::linalg_eigh")
def _eigh(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    values, vectors = outputs

    def own() -> Any:
        inner = ops.matmul(adjoint(vectors), grads[1]) * _gaps(ops, values) + ops.diag_embed(grads[0])
        return _mm(ops, vectors, (inner + adjoint(inner)) / 2, adjoint(vectors))

    return (own,)


@decomposed("aten::linalg_eigvalsh")
def _eigvalsh(ops: Any, a: Any, triangle: str) -> Any:
    return ops.linalg_eigh(a, triangle)[0]


@derivative("aten::linalg_eig")
def _eig(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    values, vectors = outputs

    def own() -> Any:
        h = adjoint(vectors)
        inner = ops.matmul(h, grads[1])
        free = ops.real(ops.diagonal(inner, 0, -2, -1)).unsqueeze(-2)  # vectors have length one
        inner = (inner - ops.matmul(h, vectors) * free) * conj(_gaps(ops, values)) + ops.diag_embed(grads[0])
        return ops.linalg_solve(h, ops.matmul(inner, h))

    return (own,)


@decomposed("aten::linalg_eigvals")
def _eigvals(ops: Any, a: Any) -> Any:
    return ops.linalg_eig(a)[0]


# singular values ----------------------------------------------------------------------------------------------------


def _skew(m: Any) -> Any:
    return m - adjoint(m)


def _svd_back(ops: Any, g_u: Any, g_s: Any, g_v: Any, u: Any, s: Any, v: Any) -> Any:
    """The gradient of u diag(s) v^H; `u` and `v` have as many columns as there are singular values."""
    k, uh, vh = s.shape[-1], adjoint(u), adjoint(v)
    gaps = _gaps(ops, s * s)
    by_u, by_v = ops.matmul(uh, g_u), ops.matmul(vh, g_v)
    inner = (_skew(by_u) * gaps) * s.unsqueeze(-2) + s.unsqueeze(-1) * (_skew(by_v) * gaps) + ops.diag_embed(g_s)
    if u.dtype.is_complex:
        phase = ops.imag(ops.diagonal(by_u, 0, -2, -1)) / s
        inner = inner + ops.diag_embed(phase) * 1j
    found = _mm(ops, u, inner, vh)
    if u.shape[-2] > k:
        found = found + ops.matmul((g_u - ops.matmul(u, by_u)) / s.unsqueeze(-2), vh)
    if v.shape[-2] > k:
        found = found + ops.matmul(u, adjoint((g_v - ops.matmul(v, by_v)) / s.unsqueeze(-2)))
    return found


@derivative("aten::linalg_svd")
def _svd(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    u, s, vh = outputs
    k = s.shape[-1]
    g_u, g_s, g_vh = grads
    return (lambda: _svd_back(ops, g_u[..., :k], g_s, adjoint(g_vh)[..., :k], u[..., :k], s, adjoint(vh)[..., :k]),)


@derivative("aten::svd")
def _old_svd(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    u, s, v = outputs
    k = s.shape[-1]
    g_u, g_s, g_v = grads
    if not args[2]:
        return (lambda: ops.vjp(lambda a: ops.linalg_svdvals(a), [args[0]], [g_s])[0],)
    return (lambda: _svd_back(ops, g_u[..., :k], g_s, g_v[..., :k], u[..., :k], s, v[..., :k]),)


@derivative("aten::linalg_svdvals")
def _svdvals(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    def own() -> Any:
        u, _, vh = ops.linalg_svd(args[0], False)
        return ops.matmul(u * grads[0].unsqueeze(-2), vh)

    return (own,)


# no gradient --------------------------------------------------------------------------------------------------------

not_differentiable("linalg_matrix_rank*", "the result counts")
without_rule(
    "geqrf linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve",
    "the factors are packed: use linalg_qr or linalg_solve",
)
without_rule("smm", "sparse tensors record no gradients")
