"""ONNX forms of the linalg family: solving, inverting and factorising, as loops over the columns of the matrices.

ONNX has no operator for these. Each round of a loop works on whole batches of matrices, whose sizes may depend on the inputs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.control import loop
from linstock.backends.onnx.registry import converter, no_form
from linstock.backends.onnx.view import transpose

INT32 = 3
Rounds = tuple[None, list[Sym], list[Sym]]


def _turned(b: Builder, x: Sym) -> Sym:
    return transpose(b, x, -1, -2)


def _range(b: Builder, size: Any) -> Sym:
    return b.op("Range", np.asarray(0), b.sym(size, 4), np.asarray(1))


def _column(b: Builder, x: Sym, index: Sym) -> Sym:
    """One column, as (…, n, 1)."""
    return b.gather(x, b.unsqueeze(index, 0), b.rank(x) - 1)


def _row(b: Builder, x: Sym, index: Sym) -> Sym:
    """One row, as (…, 1, n)."""
    return b.gather(x, b.unsqueeze(index, 0), b.rank(x) - 2)


def _rows_numbered(b: Builder, x: Sym) -> Sym:
    """The number of each row, as (n, 1)."""
    return b.unsqueeze(_range(b, b.size(x, -2)), 1)


def identity(b: Builder, like: Sym) -> Sym:
    """The identity of the matrices' size and batch."""
    numbers = _range(b, b.size(like, -1))
    eye = b.cast(b.op("Equal", b.unsqueeze(numbers, 1), b.unsqueeze(numbers, 0)), like.dtype)
    return b.expand_to(eye, like) if b.rank(like) > 2 else eye


def _exchanged(b: Builder, x: Sym, rows: Sym, index: Sym, chosen: Sym) -> tuple[Sym, Sym]:
    """(x with the row at `index` in place of the chosen row, the chosen row as (…, 1, n)). `chosen` is (…, 1, 1)."""
    sizes = b.sizes(x)
    place = b.expand(chosen, [*sizes[:-2], 1, sizes[-1]])
    taken = b.op("GatherElements", x, place, axis=b.rank(x) - 2)
    return b.op("Where", b.op("Equal", rows, chosen), _row(b, x, index), x), taken


def _pivot(b: Builder, x: Sym, rows: Sym, index: Sym) -> Sym:
    """The row, not above `index`, with the largest entry in that column, as (…, 1, 1)."""
    size = b.op("Where", b.op("Less", rows, index), -1.0, b.op("Abs", _column(b, x, index)))
    return b.op("ArgMax", size, axis=b.rank(x) - 2, keepdims=1)


def solve(b: Builder, a: Sym, y: Sym) -> Sym:
    """a⁻¹ y by Gauss and Jordan's elimination, with the largest pivots."""
    sizes = b.sizes(y)
    joined = b.op("Concat", a, y, axis=b.rank(a) - 1)

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        (x,) = states
        rows = _rows_numbered(b, x)
        x, top = _exchanged(b, x, rows, index, _pivot(b, x, rows, index))
        top = b.op("Div", top, _column(b, top, index))
        here = b.op("Equal", rows, index)
        factor = b.op("Where", here, 0.0, _column(b, x, index))
        return None, [b.op("Where", here, top, b.op("Sub", x, b.op("Mul", factor, top)))], []

    made = loop(b, [joined], step, b.size(a, -1))[0][0]
    return b.shaped(b.slice(made, b.rank(made) - 1, b.size(a, -1)), b.dims(sizes))


def _like_batch(b: Builder, x: Sym, other: Sym) -> Sym:
    """x with the batch dimensions of both."""
    lead = max(b.rank(x), b.rank(other)) - 2
    x = b.unsqueeze(x, *range(lead + 2 - b.rank(x))) if b.rank(x) < lead + 2 else x
    sizes: list[Any] = []
    for i in range(lead):
        at = i - lead + b.rank(other) - 2
        theirs = (other.shape or ())[at] if at >= 0 else 1
        sizes.append(b.size(x, i) if theirs == 1 or (x.shape or ())[i] != 1 else b.size(other, at))
    return b.expand(x, [*sizes, b.size(x, -2), b.size(x, -1)])


def inverse(b: Builder, a: Sym) -> Sym:
    """a⁻¹."""
    return solve(b, a, identity(b, a))


@converter("linalg_solve")
def _linalg_solve(b: Builder, a: Sym, y: Sym, left: bool = True) -> Sym:
    vector = b.rank(y) == 1 or (b.rank(a) - 1 == b.rank(y) and (a.shape or ())[:-1] == y.shape)
    y = b.unsqueeze(y, b.rank(y)) if vector else y
    if not left:
        a, y = _turned(b, a), y if vector else _turned(b, y)
    made = solve(b, _like_batch(b, a, y), _like_batch(b, y, a))
    if vector:
        return b.squeeze(made, b.rank(made) - 1)
    return made if left else _turned(b, made)


def _no_failure(b: Builder, a: Sym) -> Sym:
    """The info of factorisations: no failure is told in a graph."""
    return b.filled(b.sizes(a)[:-2], 0, INT32)


converter("linalg_solve_ex")(lambda b, a, y, left=True, check=False: (_linalg_solve(b, a, y, left), _no_failure(b, a)))
converter("linalg_inv", "inverse")(inverse)
converter("linalg_inv_ex")(lambda b, a, check=False: (inverse(b, a), _no_failure(b, a)))


# -- triangles ---------------------------------------------------------------------------------------------------------
def _triangle(b: Builder, x: Sym, upper: bool, unit: bool = False) -> Sym:
    made = b.op("Trilu", x, upper=int(upper))
    if not unit:
        return made
    eye = identity(b, x)
    return b.op("Add", b.op("Mul", made, b.op("Sub", 1.0, eye)), eye)


@converter("linalg_solve_triangular")
def _solve_triangular(b: Builder, a: Sym, y: Sym, upper: bool, left: bool = True, unitriangular: bool = False) -> Sym:
    return _linalg_solve(b, _triangle(b, a, upper, unitriangular), y, left)


@converter("triangular_solve")
def _triangular_solve(
    b: Builder, y: Sym, a: Sym, upper: bool = True, transposed: bool = False, unitriangular: bool = False
) -> tuple[Sym, Sym]:
    side = _triangle(b, a, upper, unitriangular)
    side = _turned(b, side) if transposed else side
    return solve(b, _like_batch(b, side, y), _like_batch(b, y, side)), _like_batch(b, a, y)


@converter("linalg_cholesky")
def cholesky(b: Builder, a: Sym, upper: bool = False) -> Sym:
    """The triangle whose product with its transpose is the matrix."""
    a = _turned(b, a) if upper else a
    a = b.op("Trilu", a, upper=0)
    mirrored = b.op("Add", a, _turned(b, b.op("Trilu", a, b.constant(np.asarray(-1)), upper=0)))

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        rest, made = states
        column = _column(b, rest, index)
        column = b.op("Div", column, b.op("Sqrt", _row(b, column, index)))
        column = b.op("Where", b.op("Less", _rows_numbered(b, rest), index), 0.0, column)
        here = b.op("Equal", _range(b, b.size(rest, -1)), index)
        rest = b.op("Sub", rest, b.op("MatMul", column, _turned(b, column)))
        return None, [rest, b.op("Where", here, column, made)], []

    lower = loop(b, [mirrored, b.op("Sub", a, a)], step, b.size(a, -1))[0][1]
    return _turned(b, lower) if upper else lower


converter("cholesky")(cholesky)
converter("linalg_cholesky_ex")(lambda b, a, upper=False, check=False: (cholesky(b, a, upper), _no_failure(b, a)))


def _product(b: Builder, factor: Sym, upper: bool) -> Sym:
    """The matrix of a Cholesky factor."""
    side = _triangle(b, factor, upper)
    return b.op("MatMul", _turned(b, side), side) if upper else b.op("MatMul", side, _turned(b, side))


@converter("cholesky_solve")
def _cholesky_solve(b: Builder, y: Sym, factor: Sym, upper: bool = False) -> Sym:
    a = _product(b, factor, upper)
    return solve(b, _like_batch(b, a, y), _like_batch(b, y, a))


converter("cholesky_inverse")(lambda b, factor, upper=False: inverse(b, _product(b, factor, upper)))


# -- QR ----------------------------------------------------------------------------------------------------------------
def qr(b: Builder, a: Sym, complete: bool) -> tuple[Sym, Sym]:
    """Orthogonal and triangular factor, by Householder's reflections."""
    height, width = b.size(a, -2), b.size(a, -1)
    rounds = (
        b.op("Min", b.sym(height, 4), b.sym(width, 4))
        if isinstance(height, Sym) or isinstance(width, Sym)
        else min(height, width)
    )
    square = b.op("MatMul", a, _turned(b, a))

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        q, r = states
        rows = _rows_numbered(b, r)
        column = b.op("Where", b.op("Less", rows, index), 0.0, _column(b, r, index))
        head = _row(b, column, index)
        below = b.op("Where", b.op("Equal", rows, index), 0.0, column)
        nothing = b.op("Equal", b.op("ReduceSum", b.op("Abs", below), b.ints(-2), keepdims=1), 0.0)
        size = b.op("ReduceL2", column, b.ints(-2), keepdims=1)
        target = b.op("Where", b.op("Less", head, 0.0), size, b.op("Neg", size))
        v = b.op("Where", b.op("Equal", rows, index), b.op("Sub", head, target), below)
        scale = b.op("ReduceSumSquare", v, b.ints(-2), keepdims=1)
        scale = b.op("Where", nothing, 0.0, b.op("Div", 2.0, b.op("Where", nothing, 1.0, scale)))
        r = b.op("Sub", r, b.op("Mul", scale, b.op("MatMul", v, b.op("MatMul", _turned(b, v), r))))
        q = b.op("Sub", q, b.op("Mul", scale, b.op("MatMul", b.op("MatMul", q, v), _turned(b, v))))
        return None, [q, r], []

    q, r = loop(b, [identity(b, square), a], step, rounds)[0]
    r = b.op("Trilu", r, upper=1)
    if complete:
        return q, r
    return b.slice(q, b.rank(q) - 1, 0, rounds), b.slice(r, b.rank(r) - 2, 0, rounds)


@converter("linalg_qr")
def _linalg_qr(b: Builder, a: Sym, mode: str = "reduced") -> tuple[Sym, Sym]:
    q, r = qr(b, a, mode == "complete")
    return (q, r) if mode != "r" else (b.constant(np.zeros(0), a.dtype), r)


converter("qr")(lambda b, a, some=True: qr(b, a, not some))


# -- LU ----------------------------------------------------------------------------------------------------------------
def _lu(b: Builder, a: Sym) -> tuple[Sym, Sym]:
    """Both triangles in one matrix, and the rows (from 1) that were exchanged."""
    height, width = b.size(a, -2), b.size(a, -1)
    rounds = (
        b.op("Min", b.sym(height, 4), b.sym(width, 4))
        if isinstance(height, Sym) or isinstance(width, Sym)
        else min(height, width)
    )

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        (x,) = states
        rows = _rows_numbered(b, x)
        chosen = _pivot(b, x, rows, index)
        x, top = _exchanged(b, x, rows, index, chosen)
        x = b.op("Where", b.op("Equal", rows, index), top, x)
        below = b.op("Greater", rows, index)
        right = b.op("Greater", _range(b, b.size(x, -1)), index)
        factor = b.op("Where", below, b.op("Div", _column(b, x, index), _column(b, top, index)), 0.0)
        rest = b.op("Sub", x, b.op("Mul", factor, b.op("Where", right, top, 0.0)))
        here = b.op("Equal", _range(b, b.size(x, -1)), index)
        x = b.op("Where", b.op("And", below, here), factor, rest)
        return None, [x], [b.squeeze(chosen, b.rank(x) - 2, b.rank(x) - 1)]

    (made,), (pivots,) = loop(b, [a], step, rounds)
    order = [*range(1, b.rank(pivots)), 0]
    return made, b.cast(b.op("Add", b.transpose(pivots, order), np.asarray(1)), INT32)


converter("linalg_lu_factor")(lambda b, a, pivot=True: _lu(b, a))
converter("linalg_lu_factor_ex")(lambda b, a, pivot=True, check=False: (*_lu(b, a), _no_failure(b, a)))
converter("_lu_with_info")(lambda b, a, pivot=True, check=True: (*_lu(b, a), _no_failure(b, a)))


def _unpacked(b: Builder, packed: Sym, pivots: Sym) -> tuple[Sym, Sym, Sym]:
    """Permutation, lower and upper factor."""
    height, width = b.size(packed, -2), b.size(packed, -1)
    small = (
        b.op("Min", b.sym(height, 4), b.sym(width, 4))
        if isinstance(height, Sym) or isinstance(width, Sym)
        else min(height, width)
    )
    last = b.rank(packed) - 1
    left = b.slice(packed, last, 0, small)
    lower = b.op("Trilu", left, b.constant(np.asarray(-1)), upper=0)
    ones = b.op("Equal", _rows_numbered(b, left), _range(b, small))
    lower = b.op("Where", ones, 1.0, lower)
    upper = b.op("Trilu", b.slice(packed, last - 1, 0, small), upper=1)
    square = b.op("MatMul", packed, _turned(b, packed))
    turned = b.cast(b.op("Sub", pivots, b.constant(np.asarray(1, np.int32))), 4)

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        (p,) = states
        rows = _rows_numbered(b, p)
        chosen = b.unsqueeze(b.gather(turned, b.unsqueeze(index, 0), b.rank(turned) - 1), b.rank(turned))
        p, top = _exchanged(b, p, rows, index, chosen)
        return None, [b.op("Where", b.op("Equal", rows, index), top, p)], []

    p = loop(b, [identity(b, square)], step, small)[0][0]
    return _turned(b, p), lower, upper


@converter("linalg_lu")
def _linalg_lu(b: Builder, a: Sym, pivot: bool = True) -> tuple[Sym, Sym, Sym]:
    return _unpacked(b, *_lu(b, a))


@converter("lu_unpack")
def _lu_unpack(
    b: Builder, packed: Sym, pivots: Sym, data: bool = True, with_pivots: bool = True
) -> tuple[Sym, Sym, Sym]:
    p, lower, upper = _unpacked(b, packed, pivots)
    empty = b.constant(np.zeros(0), packed.dtype)
    return p if with_pivots else empty, lower if data else empty, upper if data else empty


@converter("linalg_lu_solve")
def _linalg_lu_solve(b: Builder, packed: Sym, pivots: Sym, y: Sym, left: bool = True, adjoint: bool = False) -> Sym:
    p, lower, upper = _unpacked(b, packed, pivots)
    a = b.op("MatMul", p, b.op("MatMul", lower, upper))
    return _linalg_solve(b, _turned(b, a) if adjoint else a, y, left)


converter("lu_solve")(lambda b, y, packed, pivots: _linalg_lu_solve(b, packed, pivots, y))


# -- functions of matrices ---------------------------------------------------------------------------------------------
@converter("matrix_exp", "linalg_matrix_exp")
def _matrix_exp(b: Builder, a: Sym) -> Sym:
    """Taylor's series of a matrix scaled down by a power of two, squared as often."""
    size = b.op("ReduceMax", b.op("ReduceL1", a, b.ints(-2), keepdims=0), keepdims=0)
    halvings = b.op(
        "Max", b.op("Add", b.op("Floor", b.op("Mul", b.op("Log", b.op("Add", size, 1e-30)), 1 / math.log(2))), 2.0), 0.0
    )
    scaled = b.op("Div", a, b.op("Pow", b.constant(2.0, a.dtype), halvings))
    eye = identity(b, a)
    made = eye
    for k in range(14, 0, -1):
        made = b.op("Add", eye, b.op("Mul", b.op("MatMul", scaled, made), 1 / k))

    def step(b: Builder, index: Sym, states: list[Sym]) -> Rounds:
        return None, [b.op("MatMul", states[0], states[0])], []

    return loop(b, [made], step, b.cast(halvings, 4))[0][0]


@converter("linalg_tensorinv")
def _tensorinv(b: Builder, x: Sym, ind: int = 2) -> Sym:
    sizes = b.sizes(x)
    rows = math.prod(sizes[:ind])
    return b.reshape(inverse(b, b.reshape(x, [rows, -1])), [*sizes[ind:], *sizes[:ind]])


@converter("linalg_tensorsolve")
def _tensorsolve(b: Builder, a: Sym, y: Sym, dims: list[int] | None = None) -> Sym:
    if dims:
        moved = [b.axis(a, d) for d in dims]
        a = b.transpose(a, [*[i for i in range(b.rank(a)) if i not in moved], *moved])
    rest = b.sizes(a)[b.rank(y) :]
    columns = math.prod(rest)
    made = solve(b, b.reshape(a, [-1, columns]), b.reshape(y, [-1, 1]))
    return b.reshape(made, rest)


no_form(
    "geqrf", "linalg_cond", "linalg_eig", "linalg_eigh", "linalg_eigvals", "linalg_eigvalsh", "linalg_householder_product", "linalg_ldl_factor",
    "linalg_ldl_factor_ex", "linalg_ldl_solve", "linalg_lstsq", "linalg_matrix_rank", "linalg_pinv", "linalg_svd", "linalg_svdvals", "nuclear_norm",
    "orgqr", "ormqr", "pinverse", "svd", reason="ONNX has no operator for eigenvalues, singular values or least squares",
)  # fmt: skip
