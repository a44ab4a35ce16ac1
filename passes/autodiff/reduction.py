"""Derivatives of the reduction family: sums and means, products, extrema, variances, scans."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.pointwise import conj, masked
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable


def dims_of(dim: Any, rank: int) -> list[int]:
    """Dimension numbers, counted from the front, of a `dim` argument that may be None, empty, an int or a list (all:
    every one)."""
    if dim is None or (isinstance(dim, (list, tuple)) and len(dim) == 0):
        return list(range(rank))
    return [d % rank if rank else 0 for d in ([dim] if isinstance(dim, int) else dim)]


def spread(g: Any, shape: Any, dim: Any, keepdim: bool) -> Any:
    """A reduced gradient with its dimensions back (as 1), ready to broadcast over the reduced tensor's shape."""
    if keepdim or not len(shape):
        return g
    for d in sorted(dims_of(dim, len(shape))):
        g = g.unsqueeze(d)
    return g


def count(shape: Any, dim: Any) -> int:
    """How many elements went into each element of a reduction."""
    return math.prod([shape[d] for d in dims_of(dim, len(shape))]) if len(shape) else 1


@derivative("aten::sum", "aten::sum.dim_IntList")
def _sum(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = _reduced(args)
    return (lambda: ops.expand(spread(grads[0], x.shape, dim, keep), list(x.shape)),)


def _reduced(args: Any) -> Any:
    """(tensor, dim, keepdim) of the overload over everything and of the one over dimensions."""
    return (args[0], args[1], args[2]) if len(args) > 2 else (args[0], None, False)


@derivative("aten::mean", "aten::mean.dim")
def _mean(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = _reduced(args)
    return (lambda: ops.expand(spread(grads[0], x.shape, dim, keep) / count(x.shape, dim), list(x.shape)),)


@derivative("aten::nansum")
def _nansum(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = args[0], args[1], args[2]
    return (lambda: masked(ops, ops.logical_not(ops.isnan(x)), spread(grads[0], x.shape, dim, keep)),)


@derivative("aten::nanmean")
def _nanmean(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = args[0], args[1], args[2]

    def own() -> Any:
        valid = ops.logical_not(ops.isnan(x))
        number = ops.sum(valid, dims_of(dim, len(x.shape)), True)
        return masked(ops, valid, spread(grads[0], x.shape, dim, keep) / number)

    return (own,)


@derivative("aten::sum_to_size", "aten::_grad_sum_to_size")
def _sum_to_size(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.expand(grads[0], list(args[0].shape)),)


# products -----------------------------------------------------------------------------------------------------------


def _others(ops: Any, x: Any, dim: int) -> Any:
    """`x` repeated along a new first dimension, k-th copy with a one instead of the k-th element of `dim`."""
    n = x.shape[dim]
    eye = ops.eye(n) == 1
    shape = [n] + [1] * len(x.shape)
    shape[dim + 1] = n
    return ops.where(ops.reshape(eye, shape), 1.0, ops.unsqueeze(x, 0)).to(x.dtype)


def _prod_dim(ops: Any, g: Any, x: Any, y: Any, dim: int) -> Any:
    """Gradient of a product over `dim`; `g` and `y` keep that dimension."""
    if not bool((x == 0).any()):
        return g * conj(y / x)
    each = ops.prod(_others(ops, x, dim), dim + 1)
    return g * conj(ops.movedim(each, 0, dim))


@derivative("aten::prod")
def _prod(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x = args[0].to(outputs[0].dtype)
    if not len(x.shape):
        return grads[0]
    return (lambda: ops.reshape(_prod_dim(ops, grads[0], ops.reshape(x, [-1]), outputs[0], 0), list(x.shape)),)


@derivative("aten::prod.dim_int")
def _prod_one(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = args[0].to(outputs[0].dtype), args[1], args[2]
    if not len(x.shape):
        return grads[0]
    g, y = (spread(v, x.shape, dim, keep) for v in (grads[0], outputs[0]))
    return (lambda: _prod_dim(ops, g, x, y, dim % len(x.shape)),)


# extrema ------------------------------------------------------------------------------------------------------------


@derivative("aten::amax", "aten::amin")
def _amax(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, dim, keep = args[0], args[1], args[2]

    def own() -> Any:
        y = spread(outputs[0], x.shape, dim, keep)
        hit = ops.logical_or(x == y, ops.logical_and(ops.isnan(x), ops.isnan(y)))
        number = ops.sum(hit, dims_of(dim, len(x.shape)), True) if len(x.shape) else 1
        return masked(ops, hit, spread(grads[0], x.shape, dim, keep) / number)

    return (own,)


@derivative("aten::max", "aten::min")
def _max(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _amax(ops, grads, (args[0], [], False), outputs)


@derivative("aten::aminmax")
def _aminmax(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    given = (args[0], args[1], args[2])
    low, high = (_amax(ops, [grads[i]], given, [outputs[i]])[0] for i in (0, 1))
    return (lambda: low() + high(),)


def selected(ops: Any, g: Any, x: Any, dim: int, indices: Any, keep: bool) -> Any:
    """The gradient of picking one element along `dim`: it goes where the index points."""
    blank = ops.new_zeros(g, list(x.shape))
    if not len(x.shape):
        return g
    if not keep:
        g, indices = g.unsqueeze(dim), indices.unsqueeze(dim)
    return ops.scatter(blank, dim, indices, g)


@derivative("aten::max.dim", "aten::min.dim")
def _max_dim(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: selected(ops, grads[0], args[0], args[1], outputs[1], args[2]),)


@derivative("aten::cummax", "aten::cummin")
def _cummax(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    if not len(args[0].shape):
        return grads[0]
    blank = ops.new_zeros(grads[0], list(args[0].shape))
    return (lambda: ops.scatter_add(blank, args[1], outputs[1], grads[0]),)


# variances ----------------------------------------------------------------------------------------------------------


def _variance_arguments(args: Any) -> Any:
    """(tensor, dim, correction, keepdim) of any overload of var and std."""
    if len(args) == 2:
        return args[0], None, int(args[1]), False
    if isinstance(args[2], bool):
        return args[0], args[1], int(args[2]), args[3]
    return args[0], args[1], 1 if args[2] is None else args[2], args[3]


def _variance(ops: Any, g: Any, x: Any, dim: Any, correction: Any, keep: bool) -> Any:
    free = count(x.shape, dim) - correction
    centred = x - ops.mean(x, dims_of(dim, len(x.shape)), True) if len(x.shape) else x - x
    factor = 2.0 / free if free > 0 else math.inf if free == 0 else 0.0
    return spread(g, x.shape, dim, keep) * (factor * centred)


def _deviation(ops: Any, g: Any, x: Any, y: Any, dim: Any, correction: Any, keep: bool) -> Any:
    return _variance(ops, ops.where(y == 0, 0.0, g / (2 * y)), x, dim, correction, keep)


_OVERLOADS = ("", ".dim", ".correction")


@derivative(*(f"aten::var{o}" for o in _OVERLOADS))
def _var(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: _variance(ops, grads[0], *_variance_arguments(args)),)


@derivative(*(f"aten::std{o}" for o in _OVERLOADS))
def _std(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, *rest = _variance_arguments(args)
    return (lambda: _deviation(ops, grads[0], x, outputs[0], *rest),)


def _with_mean(ops: Any, spread_gradient: Any, grads: Any, args: Any) -> Any:
    x, dim, _, keep = _variance_arguments(args)
    return (lambda: spread_gradient() + spread(grads[1], x.shape, dim, keep) / count(x.shape, dim),)


@derivative(*(f"aten::var_mean{o}" for o in _OVERLOADS))
def _var_mean(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _with_mean(ops, _var(ops, grads, args, outputs)[0], grads, args)


@derivative(*(f"aten::std_mean{o}" for o in _OVERLOADS))
def _std_mean(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return _with_mean(ops, _std(ops, grads, args, outputs)[0], grads, args)


# scans --------------------------------------------------------------------------------------------------------------


def _sum_from_behind(ops: Any, g: Any, dim: int) -> Any:
    return ops.flip(ops.cumsum(ops.flip(g, [dim]), dim), [dim]) if len(g.shape) else g


@derivative("aten::cumsum", reads_self=False)
def _cumsum(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: _sum_from_behind(ops, grads[0], args[1]),)


@derivative("aten::cumprod")
def _cumprod(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, x, y = grads[0], args[0].to(outputs[0].dtype), outputs[0]
    if not len(x.shape):
        return g
    dim = args[1] % len(x.shape)
    if not bool((x == 0).any()):
        return (lambda: _sum_from_behind(ops, g * conj(y), dim) / conj(x),)

    def own() -> Any:
        partial = ops.cumprod(_others(ops, x, dim), dim + 1)  # [k, ..., j, ...]: product up to j without the k-th
        n = x.shape[dim]
        reach = ops.reshape(
            ops.triu(ops.ones([n, n], dtype=g.dtype)), [n] + [n if i == dim else 1 for i in range(len(x.shape))]
        )
        return ops.movedim(ops.sum(ops.unsqueeze(g, 0) * conj(partial) * reach, [dim + 1]), 0, dim)

    return (own,)


@derivative("aten::logcumsumexp")
def _logcumsumexp(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, x, y, dim = grads[0], args[0], outputs[0], args[1]
    if not len(x.shape):
        return g

    if x.dtype.is_complex:
        return (lambda: conj(ops.exp(x)) * _sum_from_behind(ops, g * conj(ops.exp(-y)), dim),)

    def part(positive: Any) -> Any:
        logs = ops.where(positive > 0, ops.log(ops.where(positive > 0, positive, 1.0)), -math.inf)
        below = ops.where(y == -math.inf, -math.inf, logs - ops.where(y == -math.inf, 0.0, y))
        return ops.exp(ops.flip(ops.logcumsumexp(ops.flip(below, [dim]), dim), [dim]) + x)

    return (lambda: part(g) - part(-g),)


@decomposed("aten::diff")
def _diff(ops: Any, x: Any, n: int, dim: int, prepend: Any, append: Any) -> Any:
    parts = [p for p in (prepend, x, append) if p is not None and n]
    x = ops.cat(parts, dim) if len(parts) > 1 else x
    for _ in range(min(n, x.shape[dim])):
        x = ops.narrow(x, dim, 1, x.shape[dim] - 1) - ops.narrow(x, dim, 0, x.shape[dim] - 1)
    return x


# finite differences -------------------------------------------------------------------------------------------------


def _parts_of(ops: Any, x: Any, dim: int, places: Any) -> list[Any]:
    return [ops.narrow(x, dim, first, count) for first, count in places]


def _difference_quotient(ops: Any, x: Any, dim: int, step: Any, order: int) -> Any:
    """Central differences inside, one-sided ones at both ends; `step` is a number or holds coordinates."""
    n, dim = x.shape[dim], dim % x.dim()
    if hasattr(step, "dtype"):
        width = ops.narrow(step, 0, 1, n - 1) - ops.narrow(step, 0, 0, n - 1)
        widths = ops.reshape(width, [-1] + [1] * (x.dim() - 1 - dim))
    else:
        kind = x.real.dtype if x.dtype.is_complex else x.dtype
        widths = ops.full([n - 1] + [1] * (x.dim() - 1 - dim), step, dtype=kind)

    def width_at(first: int, count: int) -> Any:
        return ops.narrow(widths, 0, first, count)

    before, middle, after = _parts_of(ops, x, dim, ((0, n - 2), (1, n - 2), (2, n - 2)))
    left, right = width_at(0, n - 2), width_at(1, n - 2)
    both = left + right
    inside = (after - middle) * (left / (right * both)) + (middle - before) * (right / (left * both))

    def end(at: Any, near: int, far: int) -> Any:
        a, b, c = _parts_of(ops, x, dim, [(i, 1) for i in at])
        h, k = width_at(near, 1), width_at(far, 1)
        if order == 1:
            return (b - a) / h
        return (b - a) * ((h + k) / (h * k)) - (c - a) * (h / (k * (h + k)))

    last = end((n - 1, n - 2, n - 3), n - 2, n - 3)
    return ops.cat([end((0, 1, 2), 0, 1), inside, -last], dim)


def _gradient(ops: Any, x: Any, spacing: Any, dim: Any, order: int) -> Any:
    dims = list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [1.0 if spacing is None else spacing] * len(dims)
    return [_difference_quotient(ops, x, d, s, order) for d, s in zip(dims, steps)]


decomposed(
    *(f"aten::gradient.{o}" for o in ("scalarint", "scalararray", "scalarrayint", "scalarrayarray", "tensorarrayint")),
    "aten::gradient.tensorarray",
)(_gradient)
decomposed("aten::gradient.array")(lambda ops, x, dim, order: _gradient(ops, x, None, dim, order))

not_differentiable("argmax argmin", "the result is an index")
not_differentiable(
    "all all.dim all.dims any any.dim any.dims allclose equal is_nonzero _is_all_true _is_any_true",
    "the result is boolean",
)
not_differentiable("count_nonzero count_nonzero.dim_IntList", "the result counts")
