"""Derivatives of the view family: gradients are viewed back, put back into place, or cut into the parts that were
joined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable


def moved(names: str, f: Callable[..., Any]) -> None:
    """Register a rule `f(ops, g, shape of the argument, *other arguments)` that does not look at values."""

    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: f(ops, grads[0], list(args[0].shape), *args[1:]),)

    derivative(*(n if "::" in n else f"aten::{n}" for n in names.split()), reads_self=False)(rule)


def wrapped(dim: int, rank: int) -> int:
    """A dimension number counted from the front."""
    return dim % rank if rank else 0


# the same elements in another shape ---------------------------------------------------------------------------------

moved(
    "view reshape _unsafe_view view_copy view_as reshape_as flatten.using_ints unflatten.int ravel squeeze "
    "squeeze.dim squeeze.dims "
    "squeeze_copy squeeze_copy.dim squeeze_copy.dims unsqueeze unsqueeze_copy atleast_1d atleast_2d atleast_3d "
    "_ncf_unsqueeze "
    "_ncf_view",
    lambda o, g, shape, *_: o.reshape(g, shape),
)
moved("alias alias_copy resolve_conj resolve_neg", lambda o, g, shape: g)
moved("expand expand_copy broadcast_to expand_as", lambda o, g, shape, *_: o.sum_to_size(g, shape))
moved("conj", lambda o, g, shape: conj(g))
moved("real", lambda o, g, shape: g)
moved("imag", lambda o, g, shape: g * 1j)
moved("view_as_real view_as_real_copy", lambda o, g, shape: o.view_as_complex(g.contiguous()))
moved("view_as_complex view_as_complex_copy", lambda o, g, shape: o.view_as_real(g))

# other orders -------------------------------------------------------------------------------------------------------


def _unpermuted(o: Any, g: Any, shape: Any, dims: Any) -> Any:
    n = len(shape)
    back = [0] * n
    for i, d in enumerate(dims):
        back[d % n] = i
    return o.permute(g, back)


def _list(v: Any) -> list[int]:
    return [v] if isinstance(v, int) else list(v)


moved("permute permute_copy", _unpermuted)
moved("transpose.int transpose_copy.int swapaxes swapdims", lambda o, g, shape, a, b: o.transpose(g, a, b))
moved("t t_copy numpy_T numpy_T.a", lambda o, g, shape: o.permute(g, list(range(len(shape)))[::-1]))
moved("mT mT.a", lambda o, g, shape: o.transpose(g, -2, -1))
moved(
    "adjoint mH mH.a matrix_H matrix_H.a", lambda o, g, shape: conj(o.transpose(g, -2, -1)) if g.dim() > 1 else conj(g)
)
moved(
    "movedim.int movedim.intlist moveaxis.int moveaxis.intlist",
    lambda o, g, shape, source, target: o.movedim(g, _list(target), _list(source)),
)
moved("flip", lambda o, g, shape, dims: o.flip(g, list(dims)))
moved("fliplr", lambda o, g, shape: o.fliplr(g))
moved("flipud", lambda o, g, shape: o.flipud(g))
moved("rot90", lambda o, g, shape, k, dims: o.rot90(g, -k, list(dims)))


def _unrolled(o: Any, g: Any, shape: Any, shifts: Any, dims: Any) -> Any:
    return o.roll(g, [-s for s in _list(shifts)], _list(dims))


moved("roll", _unrolled)

# parts --------------------------------------------------------------------------------------------------------------


def _blank(o: Any, g: Any, shape: Any) -> Any:
    return o.new_zeros(g, shape)


moved("select.int select_copy.int", lambda o, g, shape, dim, i: o.select_scatter(_blank(o, g, shape), g, dim, i))
moved(
    "slice.Tensor slice_copy.Tensor",
    lambda o, g, shape, dim, start, end, step: o.slice_scatter(_blank(o, g, shape), g, dim, start, end, step),
)
moved(
    "diagonal diagonal_copy linalg_diagonal",
    lambda o, g, shape, offset, a, b: o.diagonal_scatter(_blank(o, g, shape), g, offset, a, b),
)
moved("tril", lambda o, g, shape, k: o.tril(g, k))
moved("triu", lambda o, g, shape, k: o.triu(g, k))
moved("diag_embed", lambda o, g, shape, offset, a, b: o.diagonal(g, offset, a, b))
moved("diagflat", lambda o, g, shape, offset: o.reshape(o.diagonal(g, offset), shape))


def _diag(o: Any, g: Any, shape: Any, k: int) -> Any:
    return o.diagonal(g, k) if len(shape) == 1 else o.diagonal_scatter(_blank(o, g, shape), g, k)


def _narrow(o: Any, g: Any, shape: Any, dim: int, start: Any, length: int) -> Any:
    first = int(start)
    first += shape[dim] if first < 0 else 0
    return o.slice_scatter(_blank(o, g, shape), g, dim, first, first + length)


def _unfolded(o: Any, g: Any, shape: Any, dim: int, size: int, step: int) -> Any:
    if not len(shape):
        return o.reshape(g, [])
    dim = wrapped(dim, len(shape))
    windows = g.shape[dim]
    place = o.reshape(o.arange(windows) * step, [-1, 1]) + o.arange(size)
    lined = o.flatten(o.movedim(g, -1, dim + 1), dim, dim + 1)
    return o.index_add(_blank(o, g, shape), dim, o.reshape(place, [-1]), lined)


moved("diag", _diag)
moved("narrow narrow.Tensor narrow_copy", _narrow)
moved("unfold unfold_copy", _unfolded)


@derivative("aten::as_strided", "aten::as_strided_copy", reads_self=False)
def _as_strided(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, size, stride, offset = args

    def places(shape: Any, steps: Any, first: int) -> Any:
        at = ops.full([1] * len(shape), first, dtype=4)
        for d, (n, s) in enumerate(zip(shape, steps)):
            at = at + ops.reshape(ops.arange(n) * s, [n if i == d else 1 for i in range(len(shape))])
        return ops.reshape(at, [-1])

    def own() -> Any:
        shape, steps, start = list(x.shape), list(x.stride()), x.storage_offset()
        target = places(size, stride, start if offset is None else offset)
        source = places(shape, steps, start)
        length = max([0, *(int(p.max()) + 1 for p in (target, source) if p.numel())])
        held = ops.index_add(ops.new_zeros(grads[0], [length]), 0, target, ops.reshape(grads[0], [-1]))
        shared = ops.index_add(ops.new_zeros(source, [length]), 0, source, ops.ones_like(source))
        return ops.reshape(ops.index_select(held / ops.clamp(shared, 1), 0, source), shape)

    return (own,)


# cut into parts -----------------------------------------------------------------------------------------------------


def _joined(names: str, dim_of: Callable[..., int]) -> None:
    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        return (lambda: ops.cat(list(grads), dim_of(len(args[0].shape), *args[1:])),)

    derivative(*(f"aten::{n}" for n in names.split()), reads_self=False)(rule)


_joined(
    "split.Tensor split.sizes split split_with_sizes split_with_sizes_copy chunk unsafe_chunk unsafe_split.Tensor "
    "unsafe_split_with_sizes tensor_split.sections tensor_split.indices tensor_split.tensor_indices_or_sections "
    "split_copy.Tensor",
    lambda rank, how, dim: dim,
)
_joined("hsplit.int hsplit.array", lambda rank, how: 0 if rank == 1 else 1)
_joined("vsplit.int vsplit.array", lambda rank, how: 0)
_joined("dsplit.int dsplit.array", lambda rank, how: 2)


@derivative("aten::unbind.int", "aten::unbind_copy.int", reads_self=False)
def _unbind(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.stack(list(grads), args[1]),)


# joined -------------------------------------------------------------------------------------------------------------


@derivative("aten::cat", "aten::concat", "aten::concatenate")
def _cat(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, (tensors, dim) = grads[0], args
    parts: list[Any] = []
    start = 0
    for t in tensors:
        if len(t.shape) == 1 and t.shape[0] == 0 and len(g.shape) != 1:
            parts.append(lambda: ops.new_zeros(g, [0]))  # PyTorch skips such a tensor whatever the rank of the others
            continue
        n = t.shape[dim]
        parts.append(lambda start=start, n=n: ops.narrow(g, dim, start, n))
        start += n
    return (parts,)


@derivative("aten::stack", "aten::_stack")
def _stack(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return ([lambda i=i: ops.select(grads[0], args[1], i) for i in range(len(args[0]))],)


@derivative("aten::broadcast_tensors")
def _broadcast_tensors(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (list(grads),)


@derivative("aten::atleast_1d.Sequence", "aten::atleast_2d.Sequence", "aten::atleast_3d.Sequence")
def _atleast(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return ([lambda g=g, t=t: ops.reshape(g, list(t.shape)) for g, t in zip(grads, args[0])],)


@derivative("aten::meshgrid", "aten::meshgrid.indexing")
def _meshgrid(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    tensors = args[0]
    order = list(range(len(tensors)))
    if len(args) > 1 and args[1] == "xy" and len(order) > 1:
        order[0], order[1] = order[1], order[0]

    def one(i: int) -> Any:
        rest = [d for d in range(len(tensors)) if d != order[i]]
        return ops.reshape(ops.sum(grads[i], rest) if rest else grads[i], list(tensors[i].shape))

    return ([lambda i=i: one(i) for i in range(len(tensors))],)


def _raised(ops: Any, t: Any, rank: int) -> Any:
    return (None, ops.atleast_1d, ops.atleast_2d, ops.atleast_3d)[rank](t)  # type: ignore[misc]


@decomposed("aten::hstack")
def _hstack(ops: Any, tensors: Any) -> Any:
    parts = [_raised(ops, t, 1) for t in tensors]
    return ops.cat(parts, 0 if parts[0].dim() == 1 else 1)


@decomposed("aten::vstack", "aten::row_stack")
def _vstack(ops: Any, tensors: Any) -> Any:
    return ops.cat([_raised(ops, t, 2) for t in tensors], 0)


@decomposed("aten::dstack")
def _dstack(ops: Any, tensors: Any) -> Any:
    return ops.cat([_raised(ops, t, 3) for t in tensors], 2)


@decomposed("aten::column_stack")
def _column_stack(ops: Any, tensors: Any) -> Any:
    return ops.cat([t if t.dim() > 1 else ops.reshape(t, [-1, 1]) for t in tensors], 1)


# repeated -----------------------------------------------------------------------------------------------------------


def _unrepeated(o: Any, g: Any, shape: Any, repeats: Any) -> Any:
    extra = len(repeats) - len(shape)
    if 0 in repeats:
        return _blank(o, g, shape)
    split: list[int] = []
    for r, n in zip(repeats, [1] * extra + shape):
        split += [r, n]
    if not split:
        return g
    return o.reshape(o.sum(o.reshape(g, split), list(range(0, len(split), 2))), shape)


moved("repeat", _unrepeated)
moved("tile", lambda o, g, shape, dims: _unrepeated(o, g, shape, [1] * (len(shape) - len(dims)) + list(dims)))


@decomposed("aten::repeat_interleave.self_int", "aten::repeat_interleave.self_Tensor")
def _repeat_interleave(ops: Any, x: Any, repeats: Any, dim: Any, output_size: Any) -> Any:
    if dim is None:
        x, dim = ops.reshape(x, [-1]), 0
    n = x.shape[dim]
    times = ops.full([n], repeats, dtype=4) if isinstance(repeats, int) else ops.expand(ops.reshape(repeats, [-1]), [n])
    return ops.index_select(x, dim, ops.call("aten::repeat_interleave.Tensor", times.contiguous()))


# padded -------------------------------------------------------------------------------------------------------------

moved("constant_pad_nd", lambda o, g, shape, pad, value: o.constant_pad_nd(g, [-p for p in pad], 0))


def _padded_by_index(ops: Any, x: Any, pad: Any, mode: str) -> Any:
    """Padding as picking: each new position is an old one."""
    rank = len(x.shape)
    for k in range(len(pad) // 2):
        dim, (before, after) = rank - 1 - k, pad[2 * k : 2 * k + 2]
        if mode == "circular" and min(before, after) < 0:  # what is cut off is not wrapped around
            x = ops.narrow(x, dim, max(-before, 0), x.shape[dim] + min(before, 0) + min(after, 0))
            before, after = max(before, 0), max(after, 0)
        n = x.shape[dim]
        at = ops.arange(-before, n + after)
        if mode == "reflect":
            at = (n - 1) - ops.abs((n - 1) - ops.abs(at))
        elif mode == "replicate":
            at = ops.clamp(at, 0, n - 1)
        else:
            at = ops.remainder(at, n)
        x = ops.index_select(x, dim, at)
    return x


decomposed("aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d")(
    lambda ops, x, pad: _padded_by_index(ops, x, pad, "reflect")
)
decomposed("aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d")(
    lambda ops, x, pad: _padded_by_index(ops, x, pad, "replicate")
)
decomposed("aten::_pad_circular")(lambda ops, x, pad: _padded_by_index(ops, x, pad, "circular"))


@decomposed("aten::pad")
def _pad(ops: Any, x: Any, pad: Any, mode: str, value: Any) -> Any:
    if mode == "constant":
        return ops.constant_pad_nd(x, list(pad), 0 if value is None else value)
    return _padded_by_index(ops, x, pad, mode)


@derivative("aten::flatten_dense_tensors")
def _flatten_dense(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    sizes = [math.prod(t.shape) for t in args[0]]
    parts = ops.split(grads[0], sizes, 0)
    return ([ops.reshape(p, list(t.shape)) for p, t in zip(parts, args[0])],)


@derivative("aten::unflatten_dense_tensors", reads_self=False)
def _unflatten_dense(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: ops.cat([ops.reshape(g, [-1]) for g in grads], 0),)


@decomposed("aten::_chunk_cat")
def _chunk_cat(ops: Any, tensors: Any, dim: int, chunks: int) -> Any:
    parts = []
    for t in tensors:
        missing = -t.shape[dim] % chunks
        filled = ops.constant_pad_nd(t, [0, 0] * (t.dim() - 1 - dim) + [0, missing], 0) if missing else t
        parts.append(ops.reshape(filled, [*t.shape[:dim], chunks, -1]))
    return ops.cat(parts, dim + 1)


@decomposed("aten::_pad_enum")
def _pad_enum(ops: Any, x: Any, pad: Any, mode: int, value: Any) -> Any:
    return _pad(ops, x, pad, ("reflect", "replicate", "circular", "constant")[mode], value)


not_differentiable("repeat_interleave.Tensor", "the result is an index")
not_differentiable("view.dtype view_copy.dtype", "the bits are read as another type")
