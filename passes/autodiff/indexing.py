"""Derivatives of the indexing family: what was taken is given back to its place, what was put is taken from there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

from linstock.passes.autodiff.pointwise import masked
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable, without_rule


def rule(names: str, *gradients: Callable[..., Any] | None, reads_self: bool = False) -> None:
    """Register a rule: one function `(ops, g, args, result)` per argument, None for no gradient."""

    def made(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return tuple(
            None if f is None else (lambda f=f: f(ops, grads[0], args, outputs[0] if outputs else None))
            for f in gradients
        )

    derivative(*(f"aten::{n}" for n in names.split()), reads_self=reads_self)(made)


def _blank(o: Any, g: Any, a: Any) -> Any:
    return o.new_zeros(g, list(a[0].shape))


def _rank0(t: Any) -> bool:
    return len(t.shape) == 0


# choosing between two -----------------------------------------------------------------------------------------------

rule(
    "where.self where.ScalarOther where.ScalarSelf where.Scalar",
    None,
    lambda o, g, a, y: o.where(a[0], g, 0.0),
    lambda o, g, a, y: o.where(a[0], 0.0, g),
)
rule("masked_fill.Scalar", lambda o, g, a, y: o.masked_fill(g, a[1], 0))
rule(
    "masked_fill.Tensor",
    lambda o, g, a, y: o.masked_fill(g, a[1], 0), None, lambda o, g, a, y: o.sum(masked(o, a[1], g)),
)  # fmt: skip
rule("masked_select", lambda o, g, a, y: _masked_select(o, g, a))


def _masked_select(o: Any, g: Any, a: Any) -> Any:
    x, mask = o.broadcast_tensors([o.new_zeros(g, list(a[0].shape)), a[1]])
    return o.masked_scatter(x.contiguous(), mask, g)


def _masked_source(o: Any, g: Any, a: Any, y: Any) -> Any:
    taken = o.masked_select(g, o.expand(a[1], list(g.shape)))
    total = math.prod(a[2].shape)
    return o.reshape(o.constant_pad_nd(taken, [0, total - taken.shape[0]], 0), list(a[2].shape))


rule("masked_scatter", lambda o, g, a, y: o.masked_fill(g, a[1], 0), None, _masked_source)

# lists of indices ---------------------------------------------------------------------------------------------------

rule(
    "index.Tensor _unsafe_index.Tensor index.Tensor_hacked_twin _unsafe_index.Tensor_hacked_twin",
    lambda o, g, a, y: o.index_put(_blank(o, g, a), list(a[1]), g, True),
)


@derivative("aten::index_put", "aten::index_put.hacked_twin", reads_self=False)
def _index_put(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, indices, accumulate = grads[0], args[1], args[3]
    own = (lambda: g) if accumulate else (lambda: ops.index_put(g, list(indices), ops.new_zeros(g, []), False))
    return own, None, lambda: ops.index(g, list(indices))


# one dimension ------------------------------------------------------------------------------------------------------


def _given_back(o: Any, g: Any, a: Any, y: Any) -> Any:
    x, dim, index = a[0], a[1], a[2]
    if _rank0(x):
        return o.reshape(g, [])
    return o.index_add(
        _blank(o, g, a), dim, index, o.unsqueeze(g, dim) if _rank0(index) and len(g.shape) < len(x.shape) else g
    )


rule("index_select", _given_back)
rule(
    "index_add",
    lambda o, g, a, y: g, None, None, lambda o, g, a, y: _at_index(o, g, a) * a[4] if a[4] != 1 else _at_index(o, g, a),
)  # fmt: skip


def _at_index(o: Any, g: Any, a: Any) -> Any:
    return o.reshape(o.index_select(g, a[1], o.reshape(a[2], [-1])), list(a[3].shape))


rule("index_copy", lambda o, g, a, y: o.index_fill(g, a[1], a[2], 0), None, None, lambda o, g, a, y: _at_index(o, g, a))
rule("index_fill.int_Scalar", lambda o, g, a, y: o.index_fill(g, a[1], a[2], 0))
rule(
    "index_fill.int_Tensor",
    lambda o, g, a, y: o.index_fill(g, a[1], a[2], 0), None, None,
    lambda o, g, a, y: o.sum(o.index_select(g, a[1], o.call("aten::_unique", o.reshape(a[2], [-1]))[0])),
)  # fmt: skip
rule("gather", lambda o, g, a, y: o.scatter_add(_blank(o, g, a), a[1], a[2], g))
rule(
    "scatter.src", lambda o, g, a, y: o.scatter(g, a[1], a[2], 0), None, None,
    lambda o, g, a, y: _fitted_gather(o, g, a),
)  # fmt: skip
rule("scatter.value", lambda o, g, a, y: o.scatter(g, a[1], a[2], 0))
rule("scatter_add", lambda o, g, a, y: g, None, None, lambda o, g, a, y: _fitted_gather(o, g, a))


def _fitted_gather(o: Any, g: Any, a: Any) -> Any:
    """What was put from `src`, in the shape of `src`: only the part that the index covers was used."""
    taken = o.gather(g, a[1], a[2])
    pad: list[int] = []
    for have, want in zip(reversed(taken.shape), reversed(a[3].shape)):
        pad += [0, want - have]
    return o.constant_pad_nd(taken, pad, 0) if any(pad) else taken


def _flat_index(o: Any, a: Any) -> Any:
    total = math.prod(a[0].shape)
    return o.reshape(o.where(a[1] < 0, a[1] + total, a[1]), [-1])


def _take(o: Any, g: Any, a: Any, y: Any) -> Any:
    flat = o.new_zeros(g, [math.prod(a[0].shape)])
    return o.reshape(o.index_add(flat, 0, _flat_index(o, a), o.reshape(g, [-1])), list(a[0].shape))


rule("take", _take)
rule(
    "put",
    lambda o, g, a, y: g if a[3] else o.put(g, a[1], o.zeros_like(a[2], dtype=g.dtype), False), None,
    lambda o, g, a, y: o.reshape(o.take(g, a[1]), list(a[2].shape)),
)  # fmt: skip


@decomposed("aten::take_along_dim")
def _take_along(ops: Any, x: Any, indices: Any, dim: Any) -> Any:
    if dim is None:
        return ops.gather(ops.reshape(x, [-1]), 0, ops.reshape(indices, [-1]))
    rank = x.dim()
    dim %= rank
    sizes = [max(x.shape[d], indices.shape[d]) if x.shape[d] and indices.shape[d] else 0 for d in range(rank)]
    own = [x.shape[d] if d == dim else sizes[d] for d in range(rank)]
    wanted = [indices.shape[d] if d == dim else sizes[d] for d in range(rank)]
    indices = ops.where(indices < 0, indices + x.shape[dim], indices)
    return ops.gather(ops.expand(x, own), dim, ops.expand(indices, wanted))


# parts put into place -----------------------------------------------------------------------------------------------

rule(
    "select_scatter",
    lambda o, g, a, y: o.select_scatter(g, o.new_zeros(g, list(a[1].shape)), a[2], a[3]),
    lambda o, g, a, y: o.select(g, a[2], a[3]),
)  # fmt: skip
rule(
    "slice_scatter",
    lambda o, g, a, y: o.slice_scatter(g, o.new_zeros(g, list(a[1].shape)), a[2], a[3], a[4], a[5]),
    lambda o, g, a, y: o.slice(g, a[2], a[3], a[4], a[5]),
)
rule(
    "diagonal_scatter",
    lambda o, g, a, y: o.diagonal_scatter(g, o.new_zeros(g, list(a[1].shape)), a[2], a[3], a[4]),
    lambda o, g, a, y: o.diagonal(g, a[2], a[3], a[4]),
)
rule(
    "as_strided_scatter",
    lambda o, g, a, y: o.as_strided_scatter(g, o.new_zeros(g, list(a[1].shape)), a[2], a[3], a[4]),
    lambda o, g, a, y: o.as_strided(g.contiguous(), a[2], a[3], a[4]),
)
rule("fill_diagonal_", lambda o, g, a, y: o.fill_diagonal_(o.clone(g), 0, a[2]))

# with reductions ----------------------------------------------------------------------------------------------------


@derivative("aten::scatter_reduce.two")
def _scatter_reduce(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (x, dim, index, src, how, include) = grads[0], args
    y = outputs[0]

    def blanked(v: Any) -> Any:
        return v if include else ops.scatter(v, dim, index, 0)

    def shares() -> Any:
        start = ops.ones_like(g) if include else ops.scatter(ops.ones_like(g), dim, index, 0)
        return ops.clamp(ops.scatter_add(start, dim, index, ops.ones_like(src)), min=1)

    if how == "sum":
        return lambda: blanked(g), None, None, lambda: ops.gather(g, dim, index)
    if how == "mean":
        return lambda: blanked(g / shares()), None, None, lambda: ops.gather(g / shares(), dim, index)
    if how in ("amax", "amin"):

        def parts() -> Any:
            hit, put = x == y, src == ops.gather(y, dim, index)
            own = ops.where(hit, ops.ones_like(g), 0.0)
            number = ops.scatter_add(own if include else ops.scatter(own, dim, index, 0), dim, index, put.to(g.dtype))
            share = g / ops.clamp(number, min=1)
            return hit, put, share

        def own_part() -> Any:
            hit, _, share = parts()
            return blanked(masked(ops, hit, share))

        def put_part() -> Any:
            _, put, share = parts()
            return masked(ops, put, ops.gather(share, dim, index))

        return own_part, None, None, put_part

    def others(values: Any, zeros: Any, product: Any) -> Any:
        """The product of all factors but one."""
        alone = masked(ops, zeros == 1, product)
        return ops.where(values == 0, alone, masked(ops, zeros == 0, product / ops.where(values == 0, 1.0, values)))

    def counted() -> Any:
        """How many factors of each result are zero, and the product of those that are not."""
        start = [(x == 0).to(g.dtype), ops.where(x == 0, 1.0, x)]
        if not include:
            start = [ops.scatter(s, dim, index, v) for s, v in zip(start, (0, 1))]
        zeros = ops.scatter_add(start[0], dim, index, (src == 0).to(g.dtype))
        factors = ops.where(src == 0, 1.0, src)
        return zeros, ops.call("aten::scatter_reduce.two", start[1], dim, index, factors, "prod", True)

    def own_product() -> Any:
        zeros, product = counted()
        return blanked(g * others(x, zeros, product))

    def put_product() -> Any:
        zeros, product = (ops.gather(v, dim, index) for v in counted())
        return ops.gather(g, dim, index) * others(src, zeros, product)

    return own_product, None, None, put_product


@decomposed("aten::index_reduce")
def _index_reduce(ops: Any, x: Any, dim: int, index: Any, source: Any, how: str, include: bool) -> Any:
    if not x.dim():
        x, source = x.unsqueeze(0), ops.reshape(source, [1])
        return ops.reshape(_index_reduce(ops, x, 0, index, source, how, include), [])
    shape = [1] * x.dim()
    shape[dim] = -1
    at = ops.expand(ops.reshape(index, shape).long(), list(source.shape))
    return ops.scatter_reduce(x, dim, at, source, how, include_self=include)


_SEGMENT_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


@decomposed("aten::segment_reduce")
def _segment_reduce(
    ops: Any, x: Any, how: str, lengths: Any, indices: Any, offsets: Any, axis: int, unsafe: bool, initial: Any
) -> Any:
    axis %= x.dim()
    if offsets is not None:
        starts, ends = offsets[..., :-1].long(), offsets[..., 1:].long()
    else:
        ends = ops.cumsum(lengths, -1)
        starts = ends - lengths
    segments, size, rest = ends.shape[-1], x.shape[axis], list(x.shape[axis + 1 :])
    lead = math.prod(x.shape[:axis])
    place = ops.expand(ops.arange(size), [lead, size]).contiguous()
    which = ops.searchsorted(ops.reshape(ends, [lead, segments]).contiguous(), place, right=True)
    if segments:
        which = ops.where(place < ops.reshape(starts, [lead, segments])[:, :1], segments, which)
    rows = ops.reshape(which + ops.arange(lead).unsqueeze(1) * (segments + 1), [lead * size, *[1] * len(rest)])
    first = _SEGMENT_STARTS[how] if initial is None else initial
    start = ops.full([lead * (segments + 1), *rest], first, dtype=x.dtype)
    each = ops.reshape(x, [lead * size, *rest])
    to = {"max": "amax", "min": "amin", "mean": "sum"}.get(how, how)
    y = ops.scatter_reduce(start, 0, ops.expand(rows, list(each.shape)), each, to, include_self=True)
    y = ops.narrow(ops.reshape(y, [lead, segments + 1, *rest]), 1, 0, segments)
    if how == "mean":
        number = ops.reshape(ends - starts, [lead, segments, *[1] * len(rest)])
        y = ops.where(number > 0, y / ops.clamp(number, min=1), y)
    return ops.reshape(y, [*x.shape[:axis], segments, *rest])


def _inside(ops: Any, x: Any, indices: Any) -> list[Any]:
    return [i if i is None else ops.clamp(i, -n, n - 1) for i, n in zip(indices, x.shape)]


@decomposed("aten::_unsafe_masked_index")
def _unsafe_masked_index(ops: Any, x: Any, mask: Any, indices: Any, fill: Any) -> Any:
    if 0 in x.shape:
        found = ops.index(ops.new_zeros(x, [max(n, 1) for n in x.shape]), _inside(ops, x, indices))
        return ops.full_like(found, fill) + ops.sum(x)
    return ops.where(mask, ops.index(x, _inside(ops, x, indices)), fill)


@decomposed("aten::_unsafe_masked_index_put_accumulate")
def _unsafe_masked_put(ops: Any, x: Any, mask: Any, indices: Any, values: Any) -> Any:
    if 0 in x.shape:
        return ops.clone(x)
    return ops.index_put(x, _inside(ops, x, indices), masked(ops, mask, values), True)


@decomposed("aten::combinations")
def _combinations(ops: Any, x: Any, r: int, replaced: bool) -> Any:
    choose = itertools.combinations_with_replacement if replaced else itertools.combinations
    rows = list(choose(range(x.shape[0]), r))
    if not rows or not r:
        return ops.new_empty(x, [0])
    at = ops.call("aten::tensor", [i for row in rows for i in row], 4)
    return ops.reshape(ops.index_select(x, 0, at), [len(rows), r])


@decomposed("aten::cartesian_prod")
def _cartesian(ops: Any, tensors: Any) -> Any:
    if len(tensors) == 1:
        return tensors[0]
    grids = ops.meshgrid(list(tensors), indexing="ij")
    return ops.stack([ops.reshape(t, [-1]) for t in grids], 1)


not_differentiable("argwhere nonzero nonzero_numpy nonzero_static where", "the result is an index")
without_rule(
    "scatter.reduce scatter.value_reduce scatter_.reduce scatter_.value_reduce",
    "use scatter_reduce, which has one",
)
without_rule("slice_inverse", "it belongs to functionalisation and is never recorded")
without_rule("sparse_mask", "sparse tensors record no gradients")
