"""Derivatives of the linalg family: products by other rules, distances, statistics and integrals, by definition."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import decomposed, derivative, without_rule

# products -----------------------------------------------------------------------------------------------------------


def _labels(equation: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """Labels of every operand's dimensions and of the result's; those under an ellipsis are called "...0", "...1"
    from the last one."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    covered = 0

    def listed(term: str, count: int) -> list[str]:
        before, dots, after = term.partition("...")
        return [*before, *(f"...{i}" for i in reversed(range(count if dots else 0))), *after]

    operands = []
    for term, rank in zip(terms, ranks):
        count = rank - len(term.replace("...", ""))
        covered = max(covered, count if "..." in term else 0)
        operands.append(listed(term, count))
    if arrow:
        return operands, listed(right, covered)
    seen = [label for operand in operands for label in operand]
    once = sorted(label for label in set(seen) if seen.count(label) == 1 and not label.startswith("..."))
    return operands, [*listed("...", covered), *once]


def _diagonals(ops: Any, t: Any, labels: list[str]) -> tuple[Any, list[str]]:
    """An operand with every label once."""
    for label in sorted(set(labels)):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            t = ops.diagonal(t, 0, first, second)
            labels = [v for i, v in enumerate(labels) if i not in (first, second)] + [label]
    return t, labels


def _summed(ops: Any, t: Any, labels: list[str], kept: set[str]) -> tuple[Any, list[str]]:
    gone = [i for i, v in enumerate(labels) if v not in kept]
    return (ops.sum(t, gone), [v for v in labels if v in kept]) if gone else (t, labels)


def _pair(ops: Any, a: Any, la: list[str], b: Any, lb: list[str], kept: set[str]) -> tuple[Any, list[str]]:
    """The product of two operands, summed over the labels that both have and nobody wants, as one batched product."""
    sizes: dict[str, int] = {}
    for t, labels in ((a, la), (b, lb)):
        for v, n in zip(labels, t.shape):
            sizes[v] = n if sizes.get(v, 1) == 1 else sizes[v]
    a, la = _summed(ops, a, la, kept | set(lb))
    b, lb = _summed(ops, b, lb, kept | set(la))
    shared = [v for v in la if v in lb]
    batch, inner = [v for v in shared if v in kept], [v for v in shared if v not in kept]
    only_a, only_b = [v for v in la if v not in lb], [v for v in lb if v not in la]

    def arranged(t: Any, labels: list[str], groups: list[list[str]]) -> Any:
        order = [labels.index(v) for group in groups for v in group]
        t = ops.permute(t, order)
        t = ops.expand(t, [sizes[v] for group in groups for v in group])
        return ops.reshape(t, [math.prod([sizes[v] for v in group]) for group in groups])

    y = ops.bmm(arranged(a, la, [batch, only_a, inner]), arranged(b, lb, [batch, inner, only_b]))
    labels = batch + only_a + only_b
    return ops.reshape(y, [sizes[v] for v in labels]), labels


@decomposed("aten::einsum")
def _einsum(ops: Any, equation: str, tensors: Any, path: Any = None) -> Any:
    labels, wanted = _labels(equation, [t.dim() for t in tensors])
    parts = [_diagonals(ops, t, own) for t, own in zip(tensors, labels)]
    y, have = parts[0]
    for i, (t, own) in enumerate(parts[1:], 1):
        kept = set(wanted).union(*(set(v) for _, v in parts[i + 1 :]))
        y, have = _pair(ops, y, have, t, own, kept)
    y, have = _summed(ops, y, have, set(wanted))
    return ops.permute(y, [have.index(v) for v in wanted]) if have != wanted else ops.clone(y)


without_rule("einsum.sublist", "write the equation as a string")


@decomposed("aten::kron")
def _kron(ops: Any, a: Any, b: Any) -> Any:
    rank = max(a.dim(), b.dim())
    first, second = ([1] * (rank - t.dim()) + list(t.shape) for t in (a, b))
    left = ops.reshape(a, [v for n in first for v in (n, 1)])
    right = ops.reshape(b, [v for n in second for v in (1, n)])
    return ops.reshape(left * right, [m * n for m, n in zip(first, second)])


@derivative("aten::linalg_cross", "aten::cross")
def _cross(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (a, b, dim) = grads[0], args
    if dim is None:
        dim = next(i for i, n in enumerate(g.shape) if n == 3)
    return lambda: ops.linalg_cross(conj(b), g, dim=dim), lambda: ops.linalg_cross(g, conj(a), dim=dim)


@decomposed("aten::linalg_vecdot")
def _vecdot(ops: Any, x: Any, y: Any, dim: int) -> Any:
    return ops.sum(conj(x) * y, [dim])


@decomposed("aten::bilinear")
def _bilinear(ops: Any, a: Any, b: Any, weight: Any, bias: Any) -> Any:
    half = ops.call("aten::tensordot", a, weight, [a.dim() - 1], [1])
    y = ops.sum(half * b.unsqueeze(-2), [-1])
    return y if bias is None else y + bias


@decomposed("aten::_compute_linear_combination")
def _linear_combination(ops: Any, x: Any, coefficients: Any) -> Any:
    return ops.call("aten::tensordot", coefficients, x, [1], [0])


@derivative("aten::trace", reads_self=False)
def _trace(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: grads[0] * ops.eye(*args[0].shape, dtype=grads[0].dtype),)


def _powers(ops: Any, x: Any, count: int) -> Any:
    x = x if x.dim() else x.unsqueeze(0)
    columns = [ops.ones_like(x)]
    for _ in range(count - 1):
        columns.append(columns[-1] * x)
    return ops.stack(columns[:count], -1)


@decomposed("aten::linalg_vander")
def _linalg_vander(ops: Any, x: Any, count: Any) -> Any:
    return _powers(ops, x, (x.shape[-1] if x.dim() else 1) if count is None else count)


@decomposed("aten::vander")
def _vander(ops: Any, x: Any, count: Any, increasing: bool) -> Any:
    y = _powers(ops, x, (x.shape[-1] if x.dim() else 1) if count is None else count)
    return y if increasing else ops.flip(y, [-1])


# distances ----------------------------------------------------------------------------------------------------------


def _norm(ops: Any, x: Any, p: Any, keep: bool = False) -> Any:
    return ops.call("aten::linalg_vector_norm", x, p, [-1], keep, None)


@decomposed("aten::pairwise_distance")
def _pairwise_distance(ops: Any, a: Any, b: Any, p: float, eps: float, keep: bool) -> Any:
    return _norm(ops, a - b + eps, p, keep)


@decomposed("aten::cdist")
def _cdist(ops: Any, a: Any, b: Any, p: float, mode: Any) -> Any:
    return _norm(ops, a.unsqueeze(-2) - b.unsqueeze(-3), p)


@decomposed("aten::pdist", "aten::_pdist_forward")
def _pdist(ops: Any, x: Any, p: float) -> Any:
    n = x.shape[0]
    first = ops.call("aten::tensor", [i for i in range(n) for _ in range(i + 1, n)], 4)
    second = ops.call("aten::tensor", [j for i in range(n) for j in range(i + 1, n)], 4)
    return _norm(ops, ops.index_select(x, 0, first) - ops.index_select(x, 0, second), p)


@decomposed("aten::cosine_similarity")
def _cosine_similarity(ops: Any, a: Any, b: Any, dim: int, eps: float) -> Any:
    def unit(x: Any) -> Any:
        size = ops.call("aten::linalg_vector_norm", x, 2.0, [dim], True, None)
        return x / (size + (ops.clamp_min(size, eps) - size).detach())

    a, b = ops.broadcast_tensors([a, b])
    return ops.sum(unit(a) * unit(b), [dim])


# statistics ---------------------------------------------------------------------------------------------------------


@decomposed("aten::cov")
def _cov(ops: Any, x: Any, correction: int, fweights: Any, aweights: Any) -> Any:
    rows = ops.reshape(x, [1, -1]) if x.dim() < 2 else x
    count = rows.shape[1]
    weights = fweights
    if aweights is not None:
        weights = aweights if weights is None else weights * aweights
    total = count if weights is None else ops.sum(weights)
    mean = ops.sum(rows if weights is None else rows * weights, [1], True) / total
    centred = rows - mean
    if weights is None:
        free = max(count - correction, 0)
    elif aweights is None or correction == 0:
        free = ops.clamp_min(total - correction, 0)
    else:
        free = ops.clamp_min(total - correction * ops.sum(weights * aweights) / total, 0)
    scaled = conj(centred if weights is None else centred * weights)
    return (ops.matmul(centred, scaled.t()) / free).squeeze()


@decomposed("aten::corrcoef")
def _corrcoef(ops: Any, x: Any) -> Any:
    c = _cov(ops, x, 1, None, None)
    if not c.dim():
        return c / c
    deviation = ops.sqrt(ops.real(ops.diagonal(c)) if c.dtype.is_complex else ops.diagonal(c))
    c = c / deviation.unsqueeze(-1) / deviation.unsqueeze(0)
    if not c.dtype.is_complex:
        return ops.clamp(c, -1, 1)
    return ops.complex(ops.clamp(ops.real(c), -1, 1), ops.clamp(ops.imag(c), -1, 1))


# integrals ----------------------------------------------------------------------------------------------------------


def _neighbours(ops: Any, t: Any, dim: int) -> tuple[Any, Any]:
    n = t.shape[dim]
    return ops.narrow(t, dim, 0, n - 1), ops.narrow(t, dim, 1, n - 1)


def _slices(ops: Any, y: Any, width: Any, dim: int) -> Any:
    """The areas between neighbouring points."""
    left, right = _neighbours(ops, y, dim)
    return (left + right) * width / 2


def _widths(ops: Any, y: Any, x: Any, dim: int) -> Any:
    if x.dim() == 1 and y.dim() > 1:
        x = ops.reshape(x, [-1] + [1] * (y.dim() - 1 - dim % y.dim()))
        left, right = _neighbours(ops, x, 0)
    else:
        while x.dim() < y.dim():
            x = x.unsqueeze(0)
        left, right = _neighbours(ops, x, dim)
    return right - left


def _integral(names: tuple[str, ...], finish: Any) -> None:
    def over_points(ops: Any, y: Any, x: Any, dim: int = -1) -> Any:
        if y.shape[dim] == 0:
            return finish(ops, y, dim)
        return finish(ops, _slices(ops, y, _widths(ops, y, x, dim), dim), dim)

    def over_steps(ops: Any, y: Any, width: Any = 1, dim: int = -1) -> Any:
        return finish(ops, _slices(ops, y, width, dim) if y.shape[dim] else y, dim)

    decomposed(*(f"aten::{n}.x" for n in names))(over_points)
    decomposed(*(f"aten::{n}.dx" for n in names))(over_steps)


_integral(("trapezoid", "trapz"), lambda ops, areas, dim: ops.sum(areas, [dim]))
_integral(("cumulative_trapezoid",), lambda ops, areas, dim: ops.cumsum(areas, dim))
