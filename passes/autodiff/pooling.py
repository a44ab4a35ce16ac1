"""Derivatives of the pooling family: maxima give back to where they were found; averages and resampling are linear in
every dimension by itself; grid samplers follow from their definition."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from linstock.passes.autodiff.registry import decomposed, derivative, expanded

# maxima -------------------------------------------------------------------------------------------------------------


def _lined(ops: Any, t: Any, n: int) -> Any:
    """The last n dimensions as one."""
    return ops.flatten(t, -n, -1) if n > 1 else t


def given_back(ops: Any, g: Any, indices: Any, shape: Any, n: int) -> Any:
    """The gradient of picking elements by their place among the last n dimensions."""
    blank = ops.new_zeros(g, [*shape[: len(shape) - n], math.prod(shape[len(shape) - n :])])
    return ops.reshape(ops.scatter_add(blank, -1, _lined(ops, indices, n), _lined(ops, g, n)), list(shape))


def _taken(ops: Any, g: Any, indices: Any, n: int) -> Any:
    """The elements at places among the last n dimensions."""
    return ops.reshape(ops.gather(_lined(ops, g, n), -1, _lined(ops, indices, n)), list(indices.shape))


def _picking(name: str, n: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: given_back(ops, grads[0], outputs[1], list(args[0].shape), n),)

    derivative(f"aten::{name}")(rule)


def _max_pool(n: int) -> None:
    def with_indices(ops: Any, x: Any, *options: Any) -> Any:
        return ops.call(f"aten::max_pool{n}d_with_indices", x, *options)[0]

    expanded(f"aten::max_pool{n}d")(with_indices)


def _max_unpool(n: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: _taken(ops, grads[0], args[1], n),)

    derivative(f"aten::max_unpool{n}d")(rule)


for _n in (1, 2, 3):
    _picking(f"max_pool{_n}d_with_indices", _n)
    _picking(f"adaptive_max_pool{_n}d", _n)
    _max_pool(_n)
for _n in (2, 3):
    _picking(f"fractional_max_pool{_n}d", _n)
    _max_unpool(_n)


@derivative("aten::max_pool2d_with_indices_backward")
def _max_pool2d_backward(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: _taken(ops, grads[0], args[-1], 2),)


# linear in every dimension ------------------------------------------------------------------------------------------


def _along_each(ops: Any, g: Any, sizes: Any, response: Any) -> Any:
    """The gradient of an operator that maps each of the last dimensions linearly.

    `response(i, basis)` is the operator on a tensor (1, size, ...) whose dimension i holds the unit vectors, one per
    channel, and whose other dimensions are 1: what it makes of them is the matrix of dimension i.
    """
    n = len(sizes)
    lead = list(g.shape[: len(g.shape) - n])
    shape = list(g.shape[len(lead) :])
    for i, size in enumerate(sizes):
        basis = ops.reshape(ops.eye(size, dtype=g.dtype), [1, size, *(size if j == i else 1 for j in range(n))])
        matrix = ops.reshape(response(i, basis), [size, shape[i]])
        parted = ops.reshape(g, [*lead, *shape[:i], shape[i], math.prod(shape[i + 1 :])])
        shape[i] = size
        g = ops.reshape(ops.matmul(matrix, parted), [*lead, *shape])
    return g


def _only(values: Any, i: int, n: int, other: Any) -> list[Any]:
    """The option of dimension i where it belongs, another one elsewhere."""
    every = [values] * n if isinstance(values, (int, float)) or values is None else list(values)
    every = every * n if len(every) == 1 else every
    return [every[i] if j == i else other for j in range(n)]


def _averaging(n: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        x, kernel, stride, padding, ceil_mode, include, *divisor = args
        divisor = [] if not divisor or divisor[0] is None else divisor
        stride = kernel if not isinstance(stride, int) and not len(stride) else stride

        def response(i: int, basis: Any) -> Any:
            window = [_only(v, i, n, other) for v, other in ((kernel, 1), (stride, 1), (padding, 0))]
            return ops.call(f"aten::avg_pool{n}d", basis, *window, ceil_mode, include, *[1 for _ in divisor])

        def own() -> Any:
            g = grads[0] / divisor[0] if divisor else grads[0]
            return _along_each(ops, g, x.shape[-n:], response)

        return (own,)

    derivative(f"aten::avg_pool{n}d", reads_self=False)(rule)


def _adaptive_averaging(n: int) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        g, x = grads[0], args[0]

        def response(i: int, basis: Any) -> Any:
            return ops.call(f"aten::adaptive_avg_pool{n}d", basis, _only(list(g.shape[-n:]), i, n, 1))

        return (lambda: _along_each(ops, g, x.shape[-n:], response),)

    derivative(f"aten::adaptive_avg_pool{n}d", reads_self=False)(rule)


def _resampling(name: str, n: int, corners: int) -> None:
    """`corners`: how many arguments there are between the output's size and the scales (align_corners, or none)."""

    def rule_of(as_list: bool) -> Any:
        def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
            g, x = grads[0], args[0]
            between, rest = args[2 : 2 + corners], args[2 + corners :]
            scales = (rest[0] if as_list else list(rest)) or [None] * n

            def response(i: int, basis: Any) -> Any:
                size = _only(list(g.shape[-n:]), i, n, 1)
                return ops.call(f"aten::{name}", basis, size, *between, *_only(scales, i, n, None))

            return (lambda: _along_each(ops, g, x.shape[-n:], response),)

        return rule

    derivative(f"aten::{name}", reads_self=False)(rule_of(False))
    derivative(f"aten::{name}.vec", reads_self=False)(rule_of(True))


for _n in (1, 2, 3):
    _averaging(_n)
    _adaptive_averaging(_n)
    for _name in (f"upsample_nearest{_n}d", f"_upsample_nearest_exact{_n}d"):
        _resampling(_name, _n, 0)
for _name, _n in (("linear1d", 1), ("bilinear2d", 2), ("trilinear3d", 3), ("bicubic2d", 2)):
    _resampling(f"upsample_{_name}", _n, 1)
for _name in ("bilinear2d", "bicubic2d", "lanczos2d"):
    _resampling(f"_upsample_{_name}_aa", 2, 1)


@expanded("aten::__upsample", "aten::__upsample.size_list")
def _upsample(ops: Any, x: Any, size: Any, scale: Any, mode: str = "nearest", align: Any = None) -> Any:
    n = x.dim() - 2
    size = [size] * n if isinstance(size, int) else size
    scales = [float(scale)] * n if isinstance(scale, (int, float)) else scale and [float(s) for s in scale]
    if mode == "nearest":
        return ops.call(f"aten::upsample_nearest{n}d.vec", x, size, scales)
    return ops.call(f"aten::upsample_{mode}{n}d.vec", x, size, bool(align), scales)


expanded("aten::__upsample_nearest", "aten::__upsample_nearest.size_list")(_upsample)


@expanded(*(f"aten::__upsample_bilinear{o}" for o in ("", ".size_list", ".scale_list", ".size_list_scale_list")))
def _upsample_bilinear(ops: Any, x: Any, size: Any, scale: Any) -> Any:
    return _upsample(ops, x, size, scale, "bilinear", True)


# grids --------------------------------------------------------------------------------------------------------------


@derivative("aten::affine_grid_generator", reads_self=False)
def _affine_grid(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (_, size, align) = grads[0], args
    n = len(size) - 2

    def own() -> Any:
        plain = ops.eye(n, n + 1, dtype=g.dtype).unsqueeze(0)
        places = ops.affine_grid_generator(plain, [1, 1, *size[2:]], align)
        base = ops.constant_pad_nd(ops.reshape(places, [-1, n]), [0, 1], 1)
        return ops.matmul(ops.reshape(g, [size[0], -1, n]).transpose(1, 2), base)

    return (own,)


def _reflected(ops: Any, c: Any, size: int, align: bool) -> Any:
    low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
    if span <= 0:
        return c * 0
    c = c - low
    c = ops.where(c < 0, -c, c)
    flips, extra = ops.floor(c / span), ops.fmod(c, span)
    return ops.where(ops.remainder(flips, 2) == 0, extra + low, (span + low) - extra)


def _located(ops: Any, c: Any, size: int, padding: int, align: bool) -> Any:
    """Coordinates after the padding mode; those at a border do not move."""
    if padding == 2:
        c = _reflected(ops, c, size, align)
    if padding:
        c = ops.where(c <= 0, 0.0, ops.where(c >= size - 1, float(size - 1), c))
    return c


def _fetched(ops: Any, x: Any, at: Any, sizes: Any) -> Any:
    """x (N, C, volume) at whole coordinates (N, positions), zero outside."""
    flat, inside = None, None
    for c, size in zip(at, sizes):
        here = ops.logical_and(c >= 0, c < size)
        inside = here if inside is None else ops.logical_and(inside, here)
        place = ops.clamp(c, 0, size - 1)
        flat = place if flat is None else flat * size + place
    assert flat is not None and inside is not None
    index = ops.expand(flat.unsqueeze(1), [-1, x.shape[1], -1])
    return ops.where(inside.unsqueeze(1), ops.gather(x, 2, index), 0.0)


def _cubic(t: Any) -> list[Any]:
    """Weights of the four neighbours of a point that lies t after the second."""
    a = -0.75

    def near(v: Any) -> Any:
        return ((a + 2) * v - (a + 3)) * v * v + 1

    def far(v: Any) -> Any:
        return ((a * v - 5 * a) * v + 8 * a) * v - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


@decomposed(
    "aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d", "aten::_grid_sampler_2d_cpu_fallback"
)
def _grid_sampler(ops: Any, x: Any, grid: Any, mode: int, padding: int, align: bool) -> Any:
    n = x.dim() - 2
    sizes = list(x.shape[2:])
    flat, points = ops.flatten(x, 2, -1), ops.reshape(grid, [grid.shape[0], -1, n])
    pixel = []
    for i, size in enumerate(sizes):  # the grid holds (x, y, z)
        c = ops.select(points, 2, n - 1 - i)
        pixel.append((c + 1) * ((size - 1) / 2) if align else ((c + 1) * size - 1) / 2)

    def whole(c: Any) -> Any:
        return ops.call("aten::to.dtype", ops.nan_to_num(c.detach(), -1.0).clamp(-(2.0**31), 2.0**31), 4)

    def weighted(values: Any, weights: Any) -> Any:
        for w in weights:
            values = values * w.unsqueeze(1)
        return values

    total = None
    if mode == 2:
        below = [ops.floor(c).detach() for c in pixel]
        weights = [_cubic(c - b) for c, b in zip(pixel, below)]
        for i, j in product(range(4), range(4)):
            at = [whole(_located(ops, b + (k - 1), size, padding, align)) for b, k, size in zip(below, (i, j), sizes)]
            part = weighted(_fetched(ops, flat, at, sizes), (weights[0][i], weights[1][j]))
            total = part if total is None else total + part
    else:
        pixel = [_located(ops, c, size, padding, align) for c, size in zip(pixel, sizes)]
        if mode == 1:
            total = _fetched(ops, flat, [whole(ops.round(c)) for c in pixel], sizes)
        else:
            below = [ops.floor(c).detach() for c in pixel]
            shares = [(1 - (c - b), c - b) for c, b in zip(pixel, below)]
            for corner in product((0, 1), repeat=n):
                at = [whole(b) + bit for b, bit in zip(below, corner)]
                part = weighted(_fetched(ops, flat, at, sizes), [s[bit] for s, bit in zip(shares, corner)])
                total = part if total is None else total + part
    assert total is not None
    return ops.reshape(total, [x.shape[0], x.shape[1], *grid.shape[1:-1]])


# rearrangements -----------------------------------------------------------------------------------------------------


@derivative("aten::pixel_shuffle", reads_self=False)
def _pixel_shuffle(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.pixel_unshuffle(grads[0], args[1]),)


@derivative("aten::pixel_unshuffle", reads_self=False)
def _pixel_unshuffle(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.pixel_shuffle(grads[0], args[1]),)


@derivative("aten::channel_shuffle", "aten::native_channel_shuffle", reads_self=False)
def _channel_shuffle(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.channel_shuffle(grads[0], args[0].shape[1] // args[1]),)
