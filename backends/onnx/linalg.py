"""ONNX forms of the linalg family: products, norms, distances. Solving and factorising is in `linalg_solve`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import add, mul, scaled, sub
from linstock.backends.onnx.reduction import cumsum, reduce, total
from linstock.backends.onnx.registry import converter
from linstock.backends.onnx.view import diagonal, transpose
from linstock.ir.errors import ExportError


# -- products ----------------------------------------------------------------------------------------------------------
def matmul(b: Builder, x: Sym, y: Sym) -> Sym:
    """The matrix product, as np.matmul; of bools and small integers in a type that ONNX has."""
    return b.op("MatMul", x, y)


for _name in ("matmul", "linalg_matmul", "mm", "bmm", "mv", "dot", "vdot", "smm"):
    converter(_name)(matmul)
converter("mm.dtype", "bmm.dtype")(lambda b, x, y, dtype: matmul(b, b.cast(x, dtype), b.cast(y, dtype)))
converter("inner")(lambda b, x, y: mul(b, x, y) if not b.rank(x) or not b.rank(y) else tensordot(b, x, y, [-1], [-1]))  # type: ignore[has-type]


def linear(b: Builder, x: Sym, weight: Sym, bias: Sym | None = None) -> Sym:
    """x weightᵀ + bias."""
    if x.rank == 2 and weight.rank == 2 and x.floating:
        return b.op("Gemm", x, weight, bias, transB=1)
    made = matmul(b, x, b.transpose(weight, [1, 0]) if b.rank(weight) == 2 else weight)
    return made if bias is None else b.op("Add", made, bias)


converter("linear")(linear)


def _combined(b: Builder, x: Sym, product: Sym, beta: Any, alpha: Any) -> Sym:
    """beta * x + alpha * product; x is passed over where beta is 0."""
    product = scaled(b, product, alpha)
    if not isinstance(beta, Sym) and beta == 0:
        return product
    return b.op("Add", scaled(b, b.cast(x, product.dtype), beta), product)


@converter("addmm")
def addmm(b: Builder, x: Sym, first: Sym, second: Sym, beta: Any = 1, alpha: Any = 1) -> Sym:
    """beta x + alpha first second."""
    if first.floating and not isinstance(beta, Sym) and not isinstance(alpha, Sym) and beta != 0:
        return b.op(
            "Gemm",
            first,
            second,
            x,
            alpha=None if alpha == 1 else float(alpha),
            beta=None if beta == 1 else float(beta),
        )
    return _combined(b, x, matmul(b, first, second), beta, alpha)


for _name in ("addmv", "baddbmm"):
    converter(_name)(
        lambda b, x, first, second, beta=1, alpha=1: _combined(b, x, matmul(b, first, second), beta, alpha)
    )


@converter("addbmm")
def _addbmm(b: Builder, x: Sym, first: Sym, second: Sym, beta: Any = 1, alpha: Any = 1) -> Sym:
    return _combined(b, x, b.op("ReduceSum", matmul(b, first, second), b.ints(0), keepdims=0), beta, alpha)


def outer(b: Builder, x: Sym, y: Sym) -> Sym:
    """All products of two vectors' elements."""
    return mul(b, b.unsqueeze(x, 1), b.unsqueeze(y, 0))


converter("outer", "ger")(outer)
converter("addr")(lambda b, x, first, second, beta=1, alpha=1: _combined(b, x, outer(b, first, second), beta, alpha))


@converter("einsum")
def _einsum(b: Builder, equation: str, tensors: list[Sym], path: Any = None) -> Sym:
    equation = equation.replace(" ", "")
    letters = {c for c in equation if c.isalpha()}
    free = iter(c for c in "abcdefghijklmnopqrstuvwxyz" if c not in letters)
    for capital in sorted(c for c in letters if c.isupper()):
        equation = equation.replace(capital, next(free))
    return b.op("Einsum", *b.promote(*tensors), equation=equation)


@converter("tensordot")
def tensordot(b: Builder, x: Sym, y: Sym, dims_x: Sequence[int], dims_y: Sequence[int]) -> Sym:
    """The sum of products over pairs of dimensions."""
    mine, theirs = [b.axis(x, d) for d in dims_x], [b.axis(y, d) for d in dims_y]
    for i, j in zip(mine, theirs, strict=True):  # a dimension of size 1 stands for as many as the other has
        if (x.shape or ())[i] == 1 and (y.shape or ())[j] != 1:
            y = b.op("ReduceSum", y, b.ints(j))
        elif (x.shape or ())[i] != 1 and (y.shape or ())[j] == 1:
            x = b.op("ReduceSum", x, b.ints(i))
    rest_x = [i for i in range(b.rank(x)) if i not in mine]
    rest_y = [i for i in range(b.rank(y)) if i not in theirs]
    if not mine:
        sizes = [*b.sizes(x), *b.sizes(y)]
        return b.reshape(mul(b, b.reshape(x, [-1, 1]), b.reshape(y, [1, -1])), sizes)
    sizes_x, sizes_y = b.sizes(x), b.sizes(y)
    inner = [sizes_x[i] for i in mine]
    count = -1 if any(isinstance(s, Sym) for s in inner) else math.prod(inner)
    left = b.reshape(
        b.transpose(x, [*rest_x, *mine]),
        [-1, count] if count != -1 else [_product(b, [sizes_x[i] for i in rest_x]), -1],
    )
    right = b.reshape(
        b.transpose(y, [*theirs, *rest_y]),
        [count, -1] if count != -1 else [-1, _product(b, [sizes_y[i] for i in rest_y])],
    )
    return b.reshape(matmul(b, left, right), [*[sizes_x[i] for i in rest_x], *[sizes_y[i] for i in rest_y]])


def _product(b: Builder, sizes: Sequence[Any]) -> Any:
    result: Any = 1
    for s in sizes:
        result = b.op("Mul", result, s) if isinstance(result, Sym) or isinstance(s, Sym) else result * s
    return result


@converter("chain_matmul", "linalg_multi_dot")
def _chain(b: Builder, matrices: list[Sym]) -> Sym:
    made = matrices[0]
    for m in matrices[1:]:
        made = matmul(b, made, m)
    return made


@converter("linalg_matrix_power")
def _matrix_power(b: Builder, x: Sym, n: int) -> Sym:
    if n < 0:
        from linstock.backends.onnx.linalg_solve import inverse

        return _matrix_power(b, inverse(b, x), -n)
    size = b.size(x, -1)
    if n == 0 and not isinstance(size, Sym):
        return b.expand_to(b.constant(np.eye(size), x.dtype), x)
    made: Sym | None = None
    while n:
        if n & 1:
            made = x if made is None else matmul(b, made, x)
        n >>= 1
        x = matmul(b, x, x) if n else x
    assert made is not None
    return made


@converter("kron")
def _kron(b: Builder, x: Sym, y: Sym) -> Sym:
    rank = max(b.rank(x), b.rank(y))
    x, y = (b.unsqueeze(v, *range(rank - b.rank(v))) for v in (x, y))
    product = mul(b, b.unsqueeze(x, *range(1, 2 * rank, 2)), b.unsqueeze(y, *range(0, 2 * rank, 2)))
    return b.reshape(product, [_product(b, pair) for pair in zip(b.sizes(x), b.sizes(y), strict=True)])


@converter("bilinear")
def _bilinear(b: Builder, x: Sym, y: Sym, weight: Sym, bias: Sym | None = None) -> Sym:
    made = b.op("Einsum", x, weight, y, equation="...i,kij,...j->...k")
    return made if bias is None else b.op("Add", made, bias)


@converter("linalg_vecdot")
def _vecdot(b: Builder, x: Sym, y: Sym, dim: int = -1) -> Sym:
    return reduce(b, "ReduceSum", mul(b, x, y), [dim])


@converter("linalg_cross")
def _cross(b: Builder, x: Sym, y: Sym, dim: int = -1) -> Sym:
    x, y = b.promote(x, y)
    one, two = [1, 2, 0], [2, 0, 1]
    at = lambda v, order: b.gather(v, order, b.axis(v, dim))  # noqa: E731
    return b.op("Sub", b.op("Mul", at(x, one), at(y, two)), b.op("Mul", at(x, two), at(y, one)))  # type: ignore[no-untyped-call]


@converter("cross")
def _cross_any(b: Builder, x: Sym, y: Sym, dim: int | None = None) -> Sym:
    return _cross(b, x, y, next(i for i, d in enumerate(x.shape or ()) if d == 3) if dim is None else dim)


@converter("trace")
def _trace(b: Builder, x: Sym) -> Sym:
    return total(b, diagonal(b, x), None)


converter("linalg_det", "det")(lambda b, x: b.op("Det", x))
converter("logdet")(lambda b, x: b.op("Log", b.op("Det", x)))


@converter("linalg_slogdet", "slogdet")
def _slogdet(b: Builder, x: Sym) -> tuple[Sym, Sym]:
    det = b.op("Det", x)
    return b.op("Sign", det), b.op("Log", b.op("Abs", det))


# -- norms -------------------------------------------------------------------------------------------------------------
def vector_norm(
    b: Builder, x: Sym, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: int | None = None
) -> Sym:
    """The p-norm over dimensions."""
    x = x if dtype is None else b.cast(x, dtype)
    p = 2 if p is None else float(p)
    if not b.rank(x):
        return b.op("Abs", x) if p != 0 else b.cast(b.cast(x, 11), x.dtype)
    if p == 2:
        return reduce(b, "ReduceL2", x, dim, keepdim)
    if p == 1:
        return reduce(b, "ReduceL1", x, dim, keepdim)
    size = b.op("Abs", x)
    if math.isinf(p):
        return reduce(b, "ReduceMax" if p > 0 else "ReduceMin", size, dim, keepdim)
    if p == 0:
        return reduce(b, "ReduceSum", b.cast(b.cast(x, 11), x.dtype), dim, keepdim)
    return b.op("Pow", reduce(b, "ReduceSum", b.op("Pow", size, p), dim, keepdim), 1 / p)


converter("linalg_vector_norm")(vector_norm)
converter("norm.Scalar")(lambda b, x, p=2: vector_norm(b, x, p))
converter("norm.ScalarOpt_dim")(lambda b, x, p, dim, keepdim=False: vector_norm(b, x, p, dim, keepdim))
converter("norm.ScalarOpt_dim_dtype", "native_norm.ScalarOpt_dim_dtype")(
    lambda b, x, p, dim, keepdim, dtype: vector_norm(b, x, p, dim, keepdim, dtype)
)
converter("norm.ScalarOpt_dtype")(lambda b, x, p, dtype: vector_norm(b, x, p, None, False, dtype))
converter("native_norm")(lambda b, x, p=2: vector_norm(b, x, p))
converter("frobenius_norm.dim")(lambda b, x, dim, keepdim=False: vector_norm(b, x, 2, dim, keepdim))


@converter("linalg_matrix_norm.|str_ord")
def matrix_norm(
    b: Builder,
    x: Sym,
    order: Any = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    dtype: int | None = None,
) -> Sym:
    """A norm of matrices that needs no singular values."""
    x = x if dtype is None else b.cast(x, dtype)
    rows, columns = (b.axis(x, d) for d in dim)
    if order == "fro":
        return vector_norm(b, x, 2, [rows, columns], keepdim)
    if order not in (1, -1, math.inf, -math.inf):
        raise ExportError(
            f"the matrix norm of order {order} needs singular values, for which ONNX has no operator", b.span
        )
    first, second = (rows, columns) if abs(order) == 1 else (columns, rows)
    sums = reduce(b, "ReduceL1", x, [first], True)
    made = reduce(b, "ReduceMax" if order > 0 else "ReduceMin", sums, [second], True)
    return made if keepdim else b.squeeze(made, rows, columns)


@converter("linalg_norm.|ord_str")
def _linalg_norm(
    b: Builder, x: Sym, order: Any = None, dim: Any = None, keepdim: bool = False, dtype: int | None = None
) -> Sym:
    if order is not None and (len(dim) == 2 if dim is not None else b.rank(x) == 2):
        return matrix_norm(b, x, order, (0, 1) if dim is None else dim, keepdim, dtype)
    return vector_norm(b, x, order, dim, keepdim, dtype)


@converter("linalg__powsum")
def _powsum(b: Builder, x: Sym, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: int | None = None) -> Sym:
    x = x if dtype is None else b.cast(x, dtype)
    return reduce(b, "ReduceSum", b.op("Pow", b.op("Abs", x), float(p)), dim, keepdim)


@converter("norm_except_dim")
def norm_except_dim(b: Builder, v: Sym, p: int = 2, dim: int = 0) -> Sym:
    """The norm over all dimensions but one, which all stay."""
    rest = [i for i in range(b.rank(v)) if dim == -1 or i != dim]
    return vector_norm(b, v, p, rest, dim != -1)


@converter("_weight_norm")
def _weight_norm(b: Builder, v: Sym, g: Sym, dim: int = 0) -> Sym:
    return b.op("Mul", v, b.op("Div", g, norm_except_dim(b, v, 2, dim)))


@converter("renorm")
def _renorm(b: Builder, x: Sym, p: Any, dim: int, maxnorm: Any) -> Sym:
    rest = [i for i in range(b.rank(x)) if i != b.axis(x, dim)]
    size = vector_norm(b, x, p, rest, True)
    factor = b.op("Div", float(maxnorm), b.op("Add", size, 1e-7))
    return b.op("Mul", x, b.op("Where", b.op("Greater", size, float(maxnorm)), factor, b.constant(1.0, x.dtype)))


# -- distances ---------------------------------------------------------------------------------------------------------
@converter("dist")
def _dist(b: Builder, x: Sym, y: Sym, p: Any = 2) -> Sym:
    return vector_norm(b, sub(b, x, y), p)


@converter("pairwise_distance")
def _pairwise_distance(b: Builder, x: Sym, y: Sym, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Sym:
    return vector_norm(b, add(b, sub(b, x, y), eps), p, [-1], keepdim)


@converter("cosine_similarity")
def cosine_similarity(b: Builder, x: Sym, y: Sym, dim: int = 1, eps: float = 1e-8) -> Sym:
    """Cosine of the angle along a dimension."""
    x, y = b.promote(x, y)
    axis = b.axis(x if b.rank(x) >= b.rank(y) else y, dim) - max(b.rank(x), b.rank(y))
    unit = lambda v: b.op("Div", v, b.op("Max", reduce(b, "ReduceL2", v, [axis], True), eps))  # noqa: E731
    return reduce(b, "ReduceSum", b.op("Mul", unit(x), unit(y)), [axis])  # type: ignore[no-untyped-call]


@converter("cdist")
def _cdist(b: Builder, x: Sym, y: Sym, p: float = 2.0, compute_mode: int | None = None) -> Sym:
    apart = b.op("Sub", b.unsqueeze(x, b.rank(x) - 1), b.unsqueeze(y, b.rank(y) - 2))
    return vector_norm(b, apart, p, [-1])


@converter("pdist", "_pdist_forward")
def _pdist(b: Builder, x: Sym, p: float = 2.0) -> Sym:
    size = b.size(x, 0)
    if isinstance(size, Sym):
        raise ExportError("pdist of a number of rows that depends on the inputs", b.span)
    rows, columns = np.triu_indices(size, 1)
    return vector_norm(b, b.op("Sub", b.gather(x, rows), b.gather(x, columns)), p, [-1])


# -- statistics and sums -----------------------------------------------------------------------------------------------
@converter("cov")
def _cov(b: Builder, x: Sym, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Sym:
    x = b.reshape(b.floating(x), [1, -1]) if b.rank(x) < 2 else b.floating(x)
    if fweights is not None or aweights is not None:
        return _weighted_cov(b, x, correction, fweights, aweights)
    count = b.size(x, 1)
    apart = b.op("Sub", x, b.op("ReduceMean", x, b.ints(1)))
    rest = (
        b.cast(b.op("Sub", count, np.asarray(correction)), x.dtype)
        if isinstance(count, Sym)
        else float(max(count - correction, 0))
    )
    made = b.op("Div", matmul(b, apart, transpose(b, apart, 0, 1)), rest)
    return b.reshape(made, []) if (x.shape or ())[0] == 1 else made


def _weighted_cov(b: Builder, x: Sym, correction: int, fweights: Sym | None, aweights: Sym | None) -> Sym:
    """The covariance of observations with weights: how often (`fweights`), how important (`aweights`)."""
    given = [b.cast(w, x.dtype) for w in (fweights, aweights) if w is not None]
    weights = given[0] if len(given) == 1 else b.op("Mul", *given)
    amount = b.op("ReduceSum", weights, keepdims=0)
    apart = b.op("Sub", x, b.op("Div", b.op("ReduceSum", b.op("Mul", x, weights), b.ints(1)), amount))
    if correction == 0:
        rest = amount
    elif aweights is None:
        rest = b.op("Sub", amount, float(correction))
    else:
        squares = b.op("ReduceSum", b.op("Mul", weights, b.cast(aweights, x.dtype)), keepdims=0)
        rest = b.op("Sub", amount, b.op("Div", b.op("Mul", squares, float(correction)), amount))
    made = b.op("Div", matmul(b, b.op("Mul", apart, weights), transpose(b, apart, 0, 1)), b.op("Max", rest, 0.0))
    return b.reshape(made, []) if (x.shape or ())[0] == 1 else made


@converter("corrcoef")
def _corrcoef(b: Builder, x: Sym) -> Sym:
    c = _cov(b, x)
    if not b.rank(c):
        return b.op("Div", c, c)
    deviations = b.op("Sqrt", diagonal(b, c))
    return b.op("Clip", b.op("Div", b.op("Div", c, b.unsqueeze(deviations, 1)), b.unsqueeze(deviations, 0)), -1.0, 1.0)


def _areas(b: Builder, y: Sym, x: Any, dim: int) -> Sym:
    axis = b.axis(y, dim)
    heights = add(b, b.slice(y, axis, 1), b.slice(y, axis, 0, -1))
    if isinstance(x, Sym) and not x.number:
        at = b.axis(x, dim) if b.rank(x) > 1 else 0
        widths = sub(b, b.slice(x, at, 1), b.slice(x, at, 0, -1))
        widths = b.reshape(widths, [-1, *[1] * (b.rank(y) - axis - 1)]) if b.rank(x) == 1 else widths
        return mul(b, mul(b, heights, widths), 0.5)
    return mul(b, heights, x * 0.5)


converter("trapezoid.x|dx", "trapz.x|dx")(lambda b, y, x=1, dim=-1: total(b, _areas(b, y, x, dim), [dim]))
converter("cumulative_trapezoid.x|dx")(lambda b, y, x=1, dim=-1: cumsum(b, _areas(b, y, x, dim), dim))


@converter("vander")
def _vander(b: Builder, x: Sym, n: int | None = None, increasing: bool = False) -> Sym:
    count = b.size(x, -1) if n is None else n
    powers = np.arange(count) if increasing else np.arange(count)[::-1].copy()
    x = b.cast(x, 4) if not x.floating else x
    return b.op("Pow", b.unsqueeze(x, b.rank(x)), b.constant(powers, x.dtype))


converter("linalg_vander")(lambda b, x, n=None: _vander(b, x, n, True))


@converter("_compute_linear_combination")
def _linear_combination(b: Builder, x: Sym, coefficients: Sym) -> Sym:
    return tensordot(b, coefficients, x, [1], [0])
