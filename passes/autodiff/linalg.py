"""Derivatives of the linalg family: products of matrices and vectors, norms.

The others are in `linalg_decomp` (inverses, solutions, factorisations) and `linalg_stats` (distances, statistics,
integrals)."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.pointwise import conj, masked
from linstock.passes.autodiff.reduction import dims_of, spread
from linstock.passes.autodiff.registry import decomposed, derivative


def adjoint(a: Any) -> Any:
    """The conjugate transpose of the last two dimensions."""
    return conj(a.transpose(-2, -1))


def _matmul_left(ops: Any, g: Any, a: Any, b: Any) -> Any:
    """The gradient for `a` of `a @ b`, up to summing over what was broadcast."""
    if b.dim() == 1:
        return g.unsqueeze(-1) * conj(b) if a.dim() > 1 else g * conj(b)
    if a.dim() == 1:
        return ops.matmul(conj(b), g.unsqueeze(-1)).squeeze(-1)
    return ops.matmul(g, adjoint(b))


def _matmul_right(ops: Any, g: Any, a: Any, b: Any) -> Any:
    """The gradient for `b` of `a @ b`, up to summing over what was broadcast."""
    if a.dim() == 1:
        return conj(a).unsqueeze(-1) * g.unsqueeze(-2) if b.dim() > 1 else g * conj(a)
    if b.dim() == 1:
        return ops.matmul(adjoint(a), g.unsqueeze(-1)).squeeze(-1)
    if b.dim() == 2 and a.dim() > 2:  # one product over all rows instead of a batch that is summed
        a, g = ops.flatten(a, 0, -2), ops.flatten(g, 0, -2)
    return ops.matmul(adjoint(a), g)


@derivative("aten::matmul", "aten::mm", "aten::bmm", "aten::mv", "aten::dot", "aten::linalg_matmul")
def _matmul(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, a, b = grads[0], args[0], args[1]
    return lambda: _matmul_left(ops, g, a, b), lambda: _matmul_right(ops, g, a, b)


@derivative("aten::vdot")
def _vdot(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (a, b) = grads[0], args
    return lambda: conj(g) * b, lambda: g * a


@derivative("aten::linear")
def _linear(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, x, w = grads[0], args[0], args[1]
    if w.dim() == 1:
        return lambda: g.unsqueeze(-1) * conj(w), lambda: g.unsqueeze(-1) * conj(x), g

    def flat(v: Any) -> Any:
        return ops.flatten(v, 0, -2) if v.dim() > 1 else v.unsqueeze(0)

    return lambda: ops.matmul(g, conj(w)), lambda: ops.matmul(flat(g).t(), conj(flat(x))), g


def _scale(g: Any, factor: Any) -> Any:
    return g if factor == 1 else g * conj(factor)


@derivative("aten::addmm", "aten::baddbmm", "aten::addmv")
def _addmm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, a, b, beta, alpha) = grads[0], args
    return (
        lambda: _scale(g, beta),
        lambda: _scale(_matmul_left(ops, g, a, b), alpha),
        lambda: _scale(_matmul_right(ops, g, a, b), alpha),
    )


@derivative("aten::addbmm")
def _addbmm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, a, b, beta, alpha) = grads[0], args
    each = ops.unsqueeze(g, 0)
    return (
        lambda: _scale(g, beta),
        lambda: _scale(ops.matmul(each, adjoint(b)), alpha),
        lambda: _scale(ops.matmul(adjoint(a), each), alpha),
    )


@derivative("aten::addr")
def _addr(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, a, b, beta, alpha) = grads[0], args
    return (
        lambda: _scale(g, beta),
        lambda: _scale(ops.mv(g, conj(b)), alpha),
        lambda: _scale(ops.mv(g.t(), conj(a)), alpha),
    )


@derivative("aten::outer", "aten::ger")
def _outer(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (a, b) = grads[0], args
    return lambda: ops.mv(g, conj(b)), lambda: ops.mv(g.t(), conj(a))


@decomposed("aten::inner")
def _inner(ops: Any, a: Any, b: Any) -> Any:
    if not a.dim() or not b.dim():
        return a * b
    return ops.call("aten::tensordot", a, b, [a.dim() - 1], [b.dim() - 1])


@decomposed("aten::tensordot")
def _tensordot(ops: Any, a: Any, b: Any, dims_a: Any, dims_b: Any) -> Any:
    over_a, over_b = [d % a.dim() for d in dims_a], [d % b.dim() for d in dims_b]
    kept_a = [d for d in range(a.dim()) if d not in over_a]
    kept_b = [d for d in range(b.dim()) if d not in over_b]
    for i, j in zip(over_a, over_b):  # a size of 1 stands for the other's
        if a.shape[i] != b.shape[j]:
            a, b = (a, ops.sum(b, [j], True)) if a.shape[i] == 1 else (ops.sum(a, [i], True), b)
    n = math.prod([a.shape[d] for d in over_a])
    left = ops.reshape(ops.permute(a, kept_a + over_a), [-1, n])
    right = ops.reshape(ops.permute(b, over_b + kept_b), [n, -1])
    return ops.reshape(ops.mm(left, right), [a.shape[d] for d in kept_a] + [b.shape[d] for d in kept_b])


@decomposed("aten::chain_matmul", "aten::linalg_multi_dot")
def _chain(ops: Any, matrices: Any) -> Any:
    product = matrices[0]
    for m in matrices[1:]:
        product = ops.matmul(product, m)
    return product


# norms --------------------------------------------------------------------------------------------------------------


def _norm_slope(ops: Any, g: Any, x: Any, y: Any, order: float, dims: list[int]) -> Any:
    """The gradient of a vector norm; `g` and `y` have the reduced dimensions as 1."""
    if order == 0:
        return ops.zeros_like(x)
    size = ops.abs(x)
    if order in (math.inf, -math.inf):
        hit = size == y
        number = ops.sum(hit, dims, True) if dims else 1
        return ops.sgn(x) * masked(ops, hit, g / number)
    if order == 1:
        return ops.sgn(x) * g
    if order == 2:
        return x * masked(ops, y != 0, g / ops.where(y == 0, 1.0, y))
    slope = ops.sgn(x) * size ** (order - 1) * (g / y ** (order - 1))
    return masked(ops, ops.logical_and(y != 0, size != 0) if order < 2 else y != 0, slope)


def _vector_norm(ops: Any, grads: Any, outputs: Any, x: Any, order: Any, dim: Any, keep: bool) -> Any:
    rank = len(x.shape)
    dims = dims_of(dim, rank) if rank else []
    wide = x.to(outputs[0].dtype) if not x.dtype.is_complex and x.dtype is not outputs[0].dtype else x
    g, y = (spread(v, x.shape, dim, keep) for v in (grads[0], outputs[0]))
    return (lambda: _norm_slope(ops, g, wide, y, 2.0 if order is None else float(order), dims),)


@derivative("aten::linalg_vector_norm")
def _linalg_vector_norm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _vector_norm(ops, grads, outputs, args[0], args[1], args[2], args[3])


@derivative("aten::norm.Scalar", "aten::norm.ScalarOpt_dtype")
def _norm(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _vector_norm(ops, grads, outputs, args[0], args[1], None, False)


@derivative("aten::norm.ScalarOpt_dim", "aten::norm.ScalarOpt_dim_dtype")
def _norm_dim(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _vector_norm(ops, grads, outputs, args[0], args[1], args[2], args[3])


@derivative("aten::frobenius_norm.dim")
def _frobenius(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _vector_norm(ops, grads, outputs, args[0], 2.0, args[1], args[2])


@derivative("aten::dist")
def _dist(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    a, b, order = args
    dims = list(range(max(len(a.shape), len(b.shape))))

    def own() -> Any:
        return _norm_slope(ops, grads[0], a - b, outputs[0], float(order), dims)

    return own, lambda: -own()


def moved_last(ops: Any, x: Any, dims: Any) -> Any:
    """Two dimensions as the last ones."""
    return ops.movedim(x, list(dims), [-2, -1])


def _matrix_norm(ops: Any, x: Any, order: Any, dims: Any, keep: bool, dtype: Any) -> Any:
    x = x if dtype is None else ops.call("aten::to.dtype", x, dtype)
    rank, dims = x.dim(), [d % x.dim() for d in dims]
    if order == "fro":
        return ops.call("aten::linalg_vector_norm", x, 2.0, dims, keep, None)
    x = moved_last(ops, x, dims)
    if order == "nuc":
        y = ops.sum(ops.linalg_svdvals(x), [-1])
    else:
        values = ops.linalg_svdvals(x) if abs(order) == 2 else ops.sum(ops.abs(x), [-2 if abs(order) == 1 else -1])
        y = ops.amax(values, [-1]) if order > 0 else ops.amin(values, [-1])
    if keep:
        for d in sorted(d % rank for d in dims):
            y = y.unsqueeze(d)
    return y


@decomposed("aten::linalg_matrix_norm", "aten::linalg_matrix_norm.str_ord")
def _linalg_matrix_norm(ops: Any, x: Any, order: Any, dims: Any, keep: bool, dtype: Any) -> Any:
    return _matrix_norm(ops, x, order, dims, keep, dtype)


@decomposed("aten::nuclear_norm")
def _nuclear_norm(ops: Any, x: Any, keep: bool) -> Any:
    return _matrix_norm(ops, x, "nuc", [-2, -1], keep, None)


@decomposed("aten::nuclear_norm.dim")
def _nuclear_norm_dim(ops: Any, x: Any, dims: Any, keep: bool) -> Any:
    return _matrix_norm(ops, x, "nuc", dims, keep, None)


@decomposed("aten::linalg_norm", "aten::linalg_norm.ord_str")
def _linalg_norm(ops: Any, x: Any, order: Any, dim: Any, keep: bool, dtype: Any) -> Any:
    dims = [dim] if isinstance(dim, int) else dim
    if order is not None and (len(dims) == 2 if dims is not None else x.dim() == 2):
        return _matrix_norm(ops, x, order, [-2, -1] if dims is None else dims, keep, dtype)
    return ops.call("aten::linalg_vector_norm", x, 2.0 if order is None else order, dims, keep, dtype)


@decomposed("aten::linalg_cond", "aten::linalg_cond.p_str")
def _cond(ops: Any, x: Any, order: Any) -> Any:
    if order is None or order in (2, -2):
        values = ops.linalg_svdvals(x)
        large, small = ops.select(values, -1, 0), ops.select(values, -1, values.shape[-1] - 1)
        return small / large if order == -2 else large / small
    inverse = ops.linalg_inv(x)
    return _matrix_norm(ops, x, order, [-2, -1], False, None) * _matrix_norm(ops, inverse, order, [-2, -1], False, None)


@decomposed("aten::linalg__powsum")
def _powsum(ops: Any, x: Any, order: Any, dim: Any, keep: bool, dtype: Any) -> Any:
    x = x if dtype is None else ops.call("aten::to.dtype", x, dtype)
    return ops.call("aten::sum.dim_IntList", ops.abs(x) ** order, dim, keep, None)


@decomposed("aten::native_norm")
def _native_norm(ops: Any, x: Any, order: Any) -> Any:
    return ops.call("aten::norm.Scalar", x, order)


@decomposed("aten::native_norm.ScalarOpt_dim_dtype")
def _native_norm_dim(ops: Any, x: Any, order: Any, dim: Any, keep: bool, dtype: Any) -> Any:
    return ops.call("aten::linalg_vector_norm", x, 2.0 if order is None else order, dim, keep, dtype)


@decomposed("aten::norm_except_dim")
def _norm_except(ops: Any, v: Any, power: int, dim: int) -> Any:
    if dim == -1:
        return ops.call("aten::norm.Scalar", v, power)
    rest = [d for d in range(v.dim()) if d != dim]
    return ops.call("aten::linalg_vector_norm", v, float(power), rest, True, None)


@decomposed("aten::_weight_norm")
def _weight_norm(ops: Any, v: Any, g: Any, dim: int) -> Any:
    return v * (g / _norm_except(ops, v, 2, dim))


@decomposed("aten::renorm")
def _renorm(ops: Any, x: Any, order: Any, dim: int, limit: Any) -> Any:
    rest = [d for d in range(x.dim()) if d != dim % x.dim()]
    size = ops.call("aten::linalg_vector_norm", x, order, rest, True, None)
    return x * ops.where(size > limit, limit / (size + 1e-7), 1.0)


from linstock.passes.autodiff import linalg_decomp, linalg_stats  # noqa: E402, F401  (the rest of the family)
