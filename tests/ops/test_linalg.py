"""Linear algebra: values worked out by hand and defining properties; then PyTorch over a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of

from .oracle import compare, sample

Array = np.ndarray[Any, Any]
inf, nan = math.inf, math.nan
KINDS = ("float32", "float64", "complex64", "complex128")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(f"aten::{name}")(*arguments)


def f64(*rows: Any) -> Array:
    return np.array(rows, np.float64)


def random(*shape: int, kind: str = "float64", seed: int = 0) -> Array:
    return np.asarray(np.nan_to_num(sample(kind, shape, seed), nan=1, posinf=2, neginf=-2))


def adjoint(a: Array) -> Array:
    return np.conj(np.swapaxes(a, -1, -2))


def definite(*shape: int, kind: str = "float64") -> Array:
    a = random(*shape, kind=kind)
    return np.asarray(a @ adjoint(a) + np.eye(shape[-1], dtype=a.dtype))


def close(a: Any, b: Any, kind: str = "float64") -> None:
    tolerance = 2e-4 if kind in ("float32", "complex64") else 1e-9
    scale = max(1.0, float(np.abs(b).max(initial=0)))
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


# ---- products


@pytest.mark.parametrize(
    ("left", "right", "want"),
    [
        ((3,), (3,), ()),
        ((3,), (3, 4), (4,)),
        ((2, 3), (3,), (2,)),
        ((2, 3), (3, 4), (2, 4)),
        ((5, 2, 3), (3, 4), (5, 2, 4)),
        ((5, 2, 3), (3,), (5, 2)),
        ((3,), (5, 3, 4), (5, 4)),
        ((6, 1, 2, 3), (5, 3, 4), (6, 5, 2, 4)),
        ((2, 0), (0, 4), (2, 4)),
        ((5, 2, 0), (0, 4), (5, 2, 4)),
        ((0, 2, 3), (3, 4), (0, 2, 4)),
    ],
)
def test_matmul_of_every_rank(left: tuple[int, ...], right: tuple[int, ...], want: tuple[int, ...]) -> None:
    a, b = random(*left), random(*right)
    got = call("matmul", a, b)
    assert isinstance(got, np.ndarray) and got.shape == want
    np.testing.assert_allclose(got, np.asarray(a @ b), atol=1e-12)


def test_products_of_integers_wrap() -> None:
    a = np.full((2, 3), 100, np.int8)
    assert call("mm", a, a.T).tolist() == [[48, 48], [48, 48]]  # 30000 modulo 256
    assert call(
        "addmm", np.ones((2, 2), np.int64), np.eye(2, dtype=np.int64), np.eye(2, dtype=np.int64), 2, 3
    ).tolist() == [
        [5, 2],
        [2, 5],
    ]


def test_low_precision_rounds_once() -> None:
    a = np.full((1, 300), 1, ml_dtypes.bfloat16)
    assert float(call("mm", a, a.T)[0, 0]) == 300.0  # adding ones in bfloat16 would stop at 256
    half = np.full(3000, 1, np.float16)
    assert float(call("dot", half, half)) == 3000.0


def test_beta_of_zero_ignores_nan() -> None:
    bad, a = f64([nan, inf]), f64([1, 2])
    np.testing.assert_array_equal(call("addmm", bad, np.eye(1), a, 0, 2), [[2, 4]])
    np.testing.assert_array_equal(call("addmv", bad[0], np.eye(2), a[0], 0), [1, 2])
    np.testing.assert_array_equal(call("baddbmm", bad[None], np.ones((1, 1, 1)), a[None], 0), [[[1, 2]]])
    np.testing.assert_array_equal(call("addbmm", bad, np.ones((3, 1, 1)), np.tile(a, (3, 1, 1)), 0), [[3, 6]])
    np.testing.assert_array_equal(call("addr", bad, f64(1), a[0], 0), [[1, 2]])


def test_linear_and_bilinear() -> None:
    x, w, b = random(2, 3, 4), random(5, 4), random(5)
    close(call("linear", x, w, b), x @ w.T + b)
    close(call("linear", x[0, 0], w[0]), x[0, 0] @ w[0])
    w3 = random(5, 4, 3)
    close(call("bilinear", x, random(2, 3, 3), w3, b), np.einsum("...i,kij,...j->...k", x, w3, random(2, 3, 3)) + b)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij->", [(2, 3)]),
        ("ba", [(2, 3)]),
        ("i,j->ij", [(2,), (3,)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (7, 1, 3, 4)]),
        ("b...c,c->...b", [(2, 5, 6, 3), (3,)]),
        ("ab,bc,cd->ad", [(2, 3), (3, 4), (4, 5)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ij,kj->", [(2, 3), (4, 3)]),
        ("iij,jk->ik", [(2, 2, 3), (3, 4)]),
        (" i j , j -> i ", [(2, 3), (3,)]),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [random(*s, seed=i) for i, s in enumerate(shapes)]
    close(call("einsum", equation, arrays), np.einsum(equation, *arrays))


def test_einsum_spreads_ones_and_follows_a_path() -> None:
    a, b, c = random(1, 3), random(2, 3), random(3, 4)
    close(call("einsum", "ij,ij->ij", [a, b]), a * b)
    close(call("einsum", "ij,ij,jk->ik", [a, b, c], [1, 2, 0, 1]), (a * b) @ c)
    close(call("einsum.sublist", a, [0, 1], c, [1, 2], [2, 0]), (a @ c).T)


def test_products_of_vectors() -> None:
    assert call("linalg_cross", f64(1, 0, 0), f64(0, 1, 0)).tolist() == [0, 0, 1]
    assert call("cross", f64([1, 2], [0, 0], [0, 0]), f64([0, 0], [1, 1], [0, 0])).tolist() == [[0, 0], [0, 0], [1, 2]]
    z = np.array([1 + 2j, 3j])
    assert complex(call("vdot", z, z)) == 14 and complex(call("dot", z, z)) == -12 + 4j
    assert call("outer", np.array([1, 2]), f64(1, 0.5)).tolist() == [[1, 0.5], [2, 1]]
    assert call("kron", np.array([[1, 2]]), np.array([[1], [3]])).tolist() == [[1, 2], [3, 6]]
    close(call("linalg_multi_dot", [random(2), random(2, 50), random(50, 3), random(3)]),
          random(2) @ random(2, 50) @ random(50, 3) @ random(3))  # fmt: skip
    close(
        call("tensordot", random(2, 3, 4), random(4, 3), [1, 2], [1, 0]),
        np.einsum("ijk,kj->i", random(2, 3, 4), random(4, 3)),
    )


def test_integrals_and_statistics() -> None:
    y = f64([1, 2, 4], [0, 1, 0])
    assert call("trapezoid.dx", y, 2).tolist() == [9, 2]
    assert call("trapezoid.x", y, f64(0, 1, 3)).tolist() == [7.5, 1.5]
    assert call("cumulative_trapezoid.dx", y).tolist() == [[1.5, 4.5], [0.5, 1]]
    close(call("cov", y, 1, np.array([1, 2, 1]), f64(0.5, 1, 2)), np.cov(y, fweights=[1, 2, 1], aweights=[0.5, 1, 2]))
    close(call("corrcoef", y), np.corrcoef(y))
    assert call("vander", np.array([2, 3]), 3).tolist() == [[4, 2, 1], [9, 3, 1]]
    assert call("linalg_vander", np.array([2, 3]), 3).tolist() == [[1, 2, 4], [1, 3, 9]]
    trace = call("trace", np.array([[1, 2], [3, 200]], np.uint8))
    assert trace.dtype == np.int64 and trace == 201


# ---- norms


@pytest.mark.parametrize(
    ("order", "want"),
    [(2, 5), (1, 7), (0, 2), (inf, 4), (-inf, 0), (3, 91 ** (1 / 3)), (-1, 0), (0.5, (3**0.5 + 2) ** 2)],
)
def test_vector_norm(order: float, want: float) -> None:
    close(call("linalg_vector_norm", f64(3, -4, 0), order), want)
    close(call("linalg_norm", f64(3, -4, 0), order), want)
    close(call("norm.ScalarOpt_dim", f64([3, -4, 0]), order, [1], True), [[want]])


@pytest.mark.parametrize(
    ("order", "want"),
    [(1, 6), (-1, 4), (inf, 7), (-inf, 3), (2, 5.4649857), (-2, 0.3659662), ("fro", 30**0.5), ("nuc", 5.8309519)],
)
def test_matrix_norm(order: Any, want: float) -> None:
    a = f64([1, -2], [-3, 4])
    name = "linalg_matrix_norm" + (".str_ord" if isinstance(order, str) else "")
    np.testing.assert_allclose(call(name, a, order), want, rtol=1e-6)
    np.testing.assert_allclose(
        call(name, np.stack([a, 2 * a]), order, [-2, -1], True), [[[want]], [[2 * want]]], rtol=1e-6
    )


def test_norm_types() -> None:
    assert call("norm.Scalar", random(3, kind="complex64")).dtype == np.float32
    assert call("linalg_vector_norm", np.ones(3, np.float32), 2, None, False, 7).dtype == np.float64
    assert float(call("norm.Scalar", np.full(9, 100, np.float16))) == 300.0
    assert call("linalg_vector_norm", np.zeros((2, 0)), 2, [1]).tolist() == [0, 0]


def test_distances() -> None:
    a, b = f64([0, 0], [3, 4]), f64([0, 0], [0, 4])
    for mode in (None, 1, 2):
        close(call("cdist", a, b, 2.0, mode), [[0, 4], [5, 3]])
    assert call("cdist", a, b, inf).tolist() == [[0, 4], [4, 3]]
    assert call("cdist", a, b, 0.0).tolist() == [[0, 1], [2, 1]]
    assert call("pdist", f64([0, 0], [3, 4], [0, 1]), 1.0).tolist() == [7, 1, 6]
    close(call("pairwise_distance", a, b, 2.0, 0.0), [0, 3])
    close(call("cosine_similarity", f64([1, 0], [1, 1]), f64([1, 1], [2, 2])), [0.5**0.5, 1])
    assert call("cosine_similarity", f64([0, 0]), f64([1, 1])).tolist() == [0]
    close(call("renorm", f64([3, 4], [0.3, 0.4]), 2, 0, 1.0), [[0.6, 0.8], [0.3, 0.4]], "float32")  # PyTorch adds 1e-7
    close(call("_weight_norm", f64([3, 4], [0, 2]), f64([10], [1]), 0), [[6, 8], [0, 1]])


# ---- factorisations, by what defines them


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 2), (0, 3), (3, 0), (2, 0, 0)])
def test_factors_multiply_to_the_matrix(kind: str, shape: tuple[int, ...]) -> None:
    a = random(*shape, kind=kind)
    m, n = shape[-2:]
    for mode in ("reduced", "complete"):
        q, r = call("linalg_qr", a, mode)
        close(q @ r, a, kind)
        close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], *q.shape[-1:] * 2)), kind)
        assert (np.triu(r) == r).all()
    p, lower, upper = call("linalg_lu", a)
    close(p @ lower @ upper, a, kind)
    factors, pivots = call("linalg_lu_factor_ex", a)[:2]
    assert pivots.dtype == np.int32 and (pivots >= 1).all()
    close(np.concatenate([x.reshape(-1) for x in call("lu_unpack", factors, pivots)]),
          np.concatenate([x.reshape(-1) for x in (p, lower, upper)]), kind)  # fmt: skip
    u, s, vh = call("linalg_svd", a, False)
    close((u * s[..., None, :]) @ vh, a, kind)
    close(call("linalg_svdvals", a), s, kind)
    assert [x.shape[-2:] for x in call("linalg_svd", a)[::2]] == [(m, m), (n, n)]
    if m >= n:
        close(call("linalg_householder_product", *call("geqrf", a)), call("linalg_qr", a)[0], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_factors_of_hermitian_matrices(kind: str) -> None:
    a = definite(2, 5, 5, kind=kind)
    for upper in (False, True):
        c = call("linalg_cholesky", a, upper)
        close(adjoint(c) @ c if upper else c @ adjoint(c), a, kind)
        close(call("cholesky_inverse", c, upper) @ a, np.broadcast_to(np.eye(5), a.shape), kind)
        close(a @ call("cholesky_solve", a[..., :2], c, upper), a[..., :2], kind)
        values, vectors = call("linalg_eigh", a, "U" if upper else "L")
        close(a @ vectors, vectors * values[..., None, :], kind)
        close(call("linalg_eigvalsh", a), values, kind)
    factors, pivots = call("linalg_ldl_factor", a, True)
    close(a @ call("linalg_ldl_solve", factors, pivots, a[..., :2], True), a[..., :2], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_eigenvectors(kind: str) -> None:
    a = random(2, 5, 5, kind=kind)
    values, vectors = call("linalg_eig", a)
    close(a @ vectors, vectors * values[..., None, :], kind)
    close(call("linalg_eigvals", a), values, kind)
    rotation = f64([0, -1], [1, 0])
    close(sorted(call("linalg_eigvals", rotation), key=lambda z: z.imag), [-1j, 1j])


@pytest.mark.parametrize("kind", KINDS)
def test_solutions(kind: str) -> None:
    a, b = definite(3, 4, 4, kind=kind), random(3, 4, 2, kind=kind)
    close(a @ call("linalg_solve", a, b), b, kind)
    close(call("linalg_solve", a, adjoint(b), False) @ a, adjoint(b), kind)
    close(a[0] @ call("linalg_solve", a[0], b[0, :, 0]), b[0, :, 0], kind)
    close(a @ call("linalg_inv", a), np.broadcast_to(np.eye(4), a.shape), kind)
    factors, pivots = call("linalg_lu_factor", a)
    close(a @ call("lu_solve", b, factors, pivots), b, kind)
    close(adjoint(a) @ call("linalg_lu_solve", factors, pivots, b, True, True), b, kind)
    close(call("linalg_lu_solve", factors, pivots, adjoint(b), False) @ a, adjoint(b), kind)
    close(call("linalg_lu_solve", factors, pivots, adjoint(b), False, True) @ adjoint(a), adjoint(b), kind)
    close(np.triu(a) @ call("linalg_solve_triangular", a, b, True), b, kind)
    close(np.swapaxes(np.triu(a), -1, -2) @ call("triangular_solve", b, a, True, True)[0], b, kind)
    tall, sides = random(3, 6, 2, kind=kind), random(3, 6, 1, kind=kind)
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        x = call("linalg_lstsq", tall, sides, None, driver)[0]
        close(adjoint(tall) @ (tall @ x - sides), np.zeros((3, 2, 1)), kind)  # the error is at right angles
    inverse = call("linalg_pinv.atol_rtol_float", tall)
    close(tall @ inverse @ tall, tall, kind)
    close(call("linalg_det", a), np.linalg.det(a), kind)
    sign, logarithm = call("linalg_slogdet", a)
    close(sign * np.exp(logarithm), np.linalg.det(a), kind)


def test_functions_of_matrices() -> None:
    nilpotent = f64([0, 1, 2], [0, 0, 3], [0, 0, 0])
    close(call("linalg_matrix_exp", nilpotent), np.eye(3) + nilpotent + nilpotent @ nilpotent / 2)
    a = f64([2, 1], [1, 1])
    close(call("linalg_matrix_power", a, 5), a @ a @ a @ a @ a)
    close(call("linalg_matrix_power", a, -2) @ a @ a, np.eye(2))
    assert call("linalg_matrix_power", a, 0).tolist() == [[1, 0], [0, 1]]
    assert call("linalg_matrix_rank.atol_rtol_float", f64([1, 2], [2, 4])) == 1
    assert call("linalg_matrix_rank", np.diag(f64(1, 1e-3)), 1e-2) == 1
    close(call("linalg_cond", np.diag(f64(4, 2))), 2)
    assert call("linalg_cond", f64([1, 2], [2, 4]), 1) == inf
    assert math.isnan(call("logdet", np.diag(f64(1, -1))))
    t = random(2, 3, 6)
    close(np.tensordot(call("linalg_tensorinv", t, 2), t, 2), np.eye(6))
    close(np.tensordot(t, call("linalg_tensorsolve", t, random(2, 3)), 1), random(2, 3))


def test_diagonal_is_a_view() -> None:
    a = np.zeros((3, 3))
    call("linalg_diagonal", a)[:] = 1
    assert (a == np.eye(3)).all()


SINGULAR = f64([1, 2], [2, 4])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "linalg_inv",
            (SINGULAR,),
            r"linalg.inv: The diagonal element 2 is zero, the inversion could not be completed",
        ),
        ("linalg_inv", (np.stack([np.eye(2), SINGULAR]),), r"linalg.inv: \(Batch element 1\): The diagonal element 2"),
        ("linalg_solve", (SINGULAR, f64([1], [1])), "The solver failed because the input matrix is singular"),
        ("linalg_cholesky", (f64([1, 0], [0, -1]),), r"leading minor of order 2 is not positive-definite"),
        ("linalg_lu_factor", (SINGULAR,), r"U\[2,2\] is zero"),
        ("linalg_inv", (random(2, 3),), "batches of square matrices, but they are 2 by 3"),
        ("linalg_inv", (np.ones((2, 2), np.int64),), "Expected a floating point or complex tensor"),
        ("linalg_svd", (f64([nan, 1], [1, 1]),), "non-finite values"),
        ("linalg_svd", (np.ones((2, 2), np.float16),), "Low precision dtypes not supported"),
        ("linalg_qr", (random(2, 2), "none"), "unrecognized mode"),
        ("linalg_solve", (np.eye(2), np.ones((2, 1), np.float32)), "same dtype"),
        ("matmul", (random(2, 3), random(2, 3)), "mat1 and mat2 shapes cannot be multiplied"),
        ("matmul", (np.array(1.0), random(2)), "at least 1D"),
        ("matmul", (random(2, 3), random(3, 2).astype(np.float32)), "same dtype"),
        ("matmul", (random(2, 4, 3), random(3, 3, 4)), "broadcast"),
        ("mm", (random(2, 3, 1), random(3, 2)), "must be a matrix"),
        ("mm", (np.ones((1, 1), bool), np.ones((1, 1), bool)), "not implemented for 'Bool'"),
        ("bmm", (random(2, 3, 1), random(3, 1, 2)), "batch2"),
        ("addmm", (random(3), random(2, 2), random(2, 2)), "must match the existing size"),
        ("addr", (np.ones((1, 1), int), np.ones(1, int), np.ones(1, int), 0.5), "beta must not be a floating point"),
        ("dot", (random(2), random(3)), "inconsistent tensor size"),
        ("einsum", ("ij,jk->iz", [random(2, 3), random(3, 2)]), "does not appear"),
        ("einsum", ("ij,jk", [random(2, 3), random(2, 3)]), "does not broadcast"),
        ("einsum", ("i", [random(2, 3)]), "number of subscripts"),
        ("einsum", ("i1->i", [random(2, 3)]), "invalid subscript"),
        ("linalg_cross", (random(2), random(2)), "must have length 3"),
        ("norm.Scalar", (np.ones(2, int),), "floating point or complex"),
        ("linalg_vector_norm", (np.zeros(0), inf), "no|does not have an identity"),
        ("linalg_matrix_norm", (random(2, 2), 3), "Order 3 not supported"),
        ("linalg_matrix_norm.str_ord", (random(2, 2), "fro", [1, 1]), "dims must be different"),
        ("cdist", (random(2, 3), random(2, 4)), "same number of columns"),
        ("cdist", (random(2, 3), random(2, 3), -1.0), "non-negative p"),
        ("renorm", (random(2), 2, 0, 1.0), "at least 2 dimensions"),
        ("linalg_tensorinv", (random(2, 3),), "strictly positive|prod"),
    ],
)
def test_refused(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((RuntimeError, IndexError), match=message):
        call(name, *arguments)


# ---- PyTorch


@pytest.mark.interop
@pytest.mark.parametrize("kind", ["uint8", "int64", "float16", "bfloat16", *KINDS])
def test_products_as_pytorch(kind: str) -> None:
    def r(*shape: int) -> Array:
        return (random(*shape, kind=kind) / (4 if kind[0] in "fbc" else 1)).astype(random(1, kind=kind).dtype)

    for a, b in (
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (3, 2)),
        ((4, 2, 3), (3, 2)),
        ((4, 2, 3), (1, 3, 2)),
        ((2, 0), (0, 1)),
    ):
        compare("aten::matmul", r(*a), r(*b))
    for beta, alpha in ((1, 1), (0, 2), (2, 3)):
        compare("aten::addmm", r(3), r(2, 4), r(4, 3), beta, alpha, keywords=("beta", "alpha"))
        compare("aten::addmv", r(2), r(2, 4), r(4), beta, alpha, keywords=("beta", "alpha"))
        compare("aten::addr", r(2, 3), r(2), r(3), beta, alpha, keywords=("beta", "alpha"))
        compare("aten::baddbmm", r(1, 3), r(2, 2, 4), r(2, 4, 3), beta, alpha, keywords=("beta", "alpha"))
        compare("aten::addbmm", r(2, 3), r(2, 2, 4), r(2, 4, 3), beta, alpha, keywords=("beta", "alpha"))
    compare("aten::einsum", "bij,bkj->bik", [r(2, 3, 4), r(2, 5, 4)])
    compare("aten::einsum", "i...,i...->...", [r(2, 3), r(2, 3)])
    compare("aten::kron", r(2, 3), r(3))
    compare("aten::cross", r(2, 3), r(2, 3))
    compare("aten::trace", r(3, 3))
    compare("aten::outer", r(3), r(2))
    compare("aten::inner", r(2, 3), r(4, 3))
    compare("aten::vander", r(4))
    compare("aten::linalg_vander", r(4))
    compare("aten::trapezoid.dx", r(3, 4), 2, keywords=("dx",))
    compare("aten::cumulative_trapezoid.x", r(3, 4), r(4))
    if kind[0] != "u":
        compare("aten::cov", r(3, 5))


@pytest.mark.interop
@pytest.mark.parametrize("kind", ["float16", "bfloat16", *KINDS])
def test_norms_as_pytorch(kind: str) -> None:
    x = random(3, 4, 5, kind=kind)
    for order in (0, 1, 2, 3, 2.5, inf, -inf, -1):
        compare("aten::linalg_vector_norm", x, order)
        compare("aten::linalg_vector_norm", x, order, [1], True)
        compare("aten::norm.ScalarOpt_dim", x, order, [0, 2])
    for shape in ((0,), (2, 0), (0, 3)):
        for order in (0, 2, inf, -1):
            compare("aten::linalg_vector_norm", x.reshape(-1)[:0].reshape(shape), order)
            compare("aten::linalg_vector_norm", x.reshape(-1)[:0].reshape(shape), order, [-1])
    compare("aten::renorm", x, 2, 1, 2.5)
    compare("aten::cosine_similarity", x, x[:, :1] + x.dtype.type(1), 1)
    compare("aten::dist", x, x[0], 3)
    if kind in KINDS:
        for order in (1, -1, 2, -2, inf, -inf):
            for empty in (x, x[:, :0], x[:, :0, :0], x[:0]):
                compare("aten::linalg_matrix_norm", empty, order)
        for name in ("fro", "nuc"):
            compare("aten::linalg_norm.ord_str", x, name, [0, 1], True)
    if kind in ("float32", "float64"):
        for p in (0.0, 1.0, 2.0, 3.5, inf):
            compare("aten::cdist", x, x[:1, :2], p)
            compare("aten::pdist", x[0], p)
            compare("aten::pairwise_distance", x, x[:1], p)


@pytest.mark.interop
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(5, 5), (4, 2), (2, 4), (2, 3, 3), (0, 2), (2, 0, 0)])
def test_factorisations_as_pytorch(kind: str, shape: tuple[int, ...]) -> None:
    a = random(*shape, kind=kind)
    for mode in ("reduced", "complete", "r"):
        compare("aten::linalg_qr", a, mode)
    compare("aten::geqrf", a)
    compare("aten::linalg_lu", a)
    compare("aten::linalg_lu_factor_ex", a)
    for full in (True, False):
        compare("aten::linalg_svd", a, full)
        compare("aten::svd", a, not full, True)
    compare("aten::svd", a, True, False)
    compare("aten::linalg_pinv.atol_rtol_float", a)
    compare("aten::linalg_matrix_rank.atol_rtol_float", a)
    compare("aten::linalg_cond", a)
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        compare("aten::linalg_lstsq", a, a[..., :1], None, driver, keywords=("driver",))
    compare("aten::linalg_inv", a)
    compare("aten::linalg_det", a)
    compare("aten::linalg_slogdet", a)
    compare("aten::linalg_matrix_power", a, -2)
    compare("aten::linalg_matrix_exp", a / 4)
    compare("aten::linalg_eigvals", a)
    if shape[-1] == shape[-2]:
        h = a + adjoint(a)
        for uplo in "LU":
            compare("aten::linalg_eigh", h, uplo)
        compare("aten::linalg_ldl_factor_ex", h)
        compare("aten::linalg_solve", a, a[..., :1])


@pytest.mark.interop
@pytest.mark.parametrize("kind", KINDS)
def test_signs_of_vectors_as_pytorch(kind: str) -> None:
    """PyTorch's LAPACK chooses the signs; ours are turned to them."""
    rng = np.random.default_rng(3)

    def r(m: int, n: int) -> Array:
        a = rng.normal(size=(m, n)) + (1j * rng.normal(size=(m, n)) if kind[0] == "c" else 0)
        return np.asarray(a).astype(random(1, kind=kind).dtype)

    for n in (2, 3, 4, 6):
        h = r(n, n)
        for uplo in "LU":
            compare("aten::linalg_eigh", h + adjoint(h), uplo)
    for m, n in ((2, 3), (2, 9), (3, 5), (4, 12)):
        for full in (True, False):
            compare("aten::linalg_svd", r(m, n), full)
            compare("aten::linalg_svd", r(n, m), full)
    if kind == "float64":
        for n in (2, 3, 4):
            compare("aten::linalg_eig", r(n, n))
