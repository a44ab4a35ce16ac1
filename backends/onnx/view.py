"""ONNX forms of the view family: shapes, parts, joins, padding, triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import broadcast
from linstock.backends.onnx.registry import converter, no_form
from linstock.backends.onnx.scalar import number
from linstock.ir.errors import ExportError

BOOL = 11


# -- shapes ------------------------------------------------------------------------------------------------------------
converter("view", "reshape", "_unsafe_view")(lambda b, x, size: b.reshape(x, size))
converter("view_as", "reshape_as")(lambda b, x, other: b.reshape(x, b.sizes(other)))
converter("alias")(lambda b, x: x)


@converter("ravel")
def _ravel(b: Builder, x: Sym) -> Sym:
    return b.reshape(x, [-1])


@converter("flatten.using_ints")
def flatten(b: Builder, x: Sym, start_dim: int = 0, end_dim: int = -1) -> Sym:
    """Dimensions from `start_dim` to `end_dim` as one."""
    if not b.rank(x):
        return b.reshape(x, [1])
    start, end = b.axis(x, start_dim), b.axis(x, end_dim)
    if start == end:
        return x
    sizes = b.sizes(x)
    known = sizes[start : end + 1]
    middle = -1 if any(isinstance(s, Sym) for s in known) else int(np.prod(known))
    return b.reshape(x, [*sizes[:start], middle, *sizes[end + 1 :]])


@converter("unflatten.int")
def _unflatten(b: Builder, x: Sym, dim: int, sizes: list[Any]) -> Sym:
    axis, have = b.axis(x, dim), b.sizes(x)
    return b.reshape(x, [*have[:axis], *sizes, *have[axis + 1 :]])


converter("unsqueeze")(lambda b, x, dim: b.unsqueeze(x, dim + b.rank(x) + 1 if dim < 0 else dim))


@converter("squeeze.|dim|dims")
def _squeeze(b: Builder, x: Sym, dim: Any = None) -> Sym:
    rank = b.rank(x)
    chosen = (
        range(rank)
        if dim is None
        else [b.axis(x, d) for d in (dim if isinstance(dim, list) else [dim])]
        if rank
        else []
    )
    shape = x.shape or ()
    if dim is None and not x.static:
        raise ExportError("squeeze() of a tensor whose sizes depend on the inputs: name the dimension", b.span)
    return b.squeeze(x, *[d for d in chosen if shape[d] == 1])


@converter("transpose.int")
def transpose(b: Builder, x: Sym, first: int, second: int) -> Sym:
    """Two dimensions swapped."""
    order = list(range(b.rank(x)))
    if not order:
        return x
    first, second = b.axis(x, first), b.axis(x, second)
    order[first], order[second] = order[second], order[first]
    return b.transpose(x, order)


converter("permute")(lambda b, x, dims: b.transpose(x, [b.axis(x, d) for d in dims]))
converter("t", "numpy_T.|a", "matrix_H.|a")(lambda b, x: b.transpose(x, list(range(b.rank(x)))[::-1]))
converter("mT.|a", "mH.|a", "adjoint")(lambda b, x: transpose(b, x, -1, -2))


@converter("movedim.int|intlist")
def _movedim(b: Builder, x: Sym, source: Any, destination: Any) -> Sym:
    if not b.rank(x):
        return x
    sources = [b.axis(x, d) for d in (source if isinstance(source, list) else [source])]
    targets = [b.axis(x, d) for d in (destination if isinstance(destination, list) else [destination])]
    order = [d for d in range(b.rank(x)) if d not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return b.transpose(x, order)


@converter("expand", "broadcast_to")
def expand(b: Builder, x: Sym, size: list[Any], implicit: bool = False) -> Sym:
    """Broadcast; -1 keeps a size."""
    extra = len(size) - b.rank(x)
    return b.expand(x, [b.size(x, i - extra) if not isinstance(s, Sym) and s == -1 else s for i, s in enumerate(size)])


converter("expand_as")(lambda b, x, other: b.expand_to(x, other))


@converter("broadcast_tensors")
def _broadcast_tensors(b: Builder, tensors: list[Sym]) -> list[Sym]:
    return broadcast(b, tensors)


def lifted(b: Builder, x: Any, rank: int) -> Any:
    """A tensor (or each of a list) with at least `rank` dimensions, new ones where atleast_Nd puts them."""
    if isinstance(x, list):
        return [lifted(b, v, rank) for v in x]
    have = b.rank(x)
    if have >= rank:
        return x
    if rank == 3 and have > 0:
        return b.unsqueeze(x, 0, 2) if have == 1 else b.unsqueeze(x, 2)
    return b.unsqueeze(x, *range(rank - have))


converter("atleast_1d.|Sequence")(lambda b, x: lifted(b, x, 1))
converter("atleast_2d.|Sequence")(lambda b, x: lifted(b, x, 2))
converter("atleast_3d.|Sequence")(lambda b, x: lifted(b, x, 3))


@converter("repeat")
def repeat(b: Builder, x: Sym, repeats: list[Any]) -> Sym:
    """Copies side by side."""
    extra = len(repeats) - b.rank(x)
    x = b.unsqueeze(x, *range(extra)) if extra > 0 else x
    if all(not isinstance(r, Sym) and r == 1 for r in repeats):
        return x
    if all(d == 1 for d, r in zip(x.shape or (), repeats, strict=True) if isinstance(r, Sym) or r != 1):
        return b.expand(
            x, [r if d == 1 else b.size(x, i) for i, (d, r) in enumerate(zip(x.shape or (), repeats, strict=True))]
        )
    return b.op("Tile", x, b.sym(list(repeats)))


converter("tile")(lambda b, x, dims: repeat(b, x, [1] * (b.rank(x) - len(dims)) + dims))


# -- parts -------------------------------------------------------------------------------------------------------------
@converter("select.int")
def select(b: Builder, x: Sym, dim: int, index: Any) -> Sym:
    """One place of a dimension."""
    return b.gather(x, index, b.axis(x, dim))


@converter("slice.Tensor")
def _slice(b: Builder, x: Sym, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Sym:
    return b.slice(x, b.axis(x, dim), 0 if start is None else start, end, step)


@converter("narrow.|Tensor")
def _narrow(b: Builder, x: Sym, dim: int, start: Any, length: Any) -> Sym:
    axis = b.axis(x, dim)
    if isinstance(start, Sym) or isinstance(length, Sym):
        made = b.slice(x, axis, start, b.op("Add", number(b, start), number(b, length)))
        shape = [b.dims([length])[0] if i == axis else d for i, d in enumerate(made.shape or ())]
        return b.shaped(made, shape)
    return b.slice(x, axis, start, None if start < 0 and start + length == 0 else start + length)


def parts(b: Builder, x: Sym, dim: int, sizes: Sequence[int]) -> list[Sym]:
    """Consecutive pieces of known sizes."""
    axis = b.axis(x, dim)
    if len(sizes) == 1:
        return [x]
    return list(b.ops("Split", x, b.ints(*sizes), outputs=len(sizes), axis=axis))


@converter("split.Tensor", "unsafe_split.Tensor")
def split(b: Builder, x: Sym, split_size: Any, dim: int = 0) -> Any:
    """Pieces of one size; the last may be shorter."""
    size = b.size(x, dim)
    if isinstance(size, Sym) or isinstance(split_size, Sym):
        return b.op("SplitToSequence", x, number(b, split_size), axis=b.axis(x, dim))
    full = [split_size] * (size // split_size) if split_size else [0]
    return parts(b, x, dim, [*full, size % split_size] if split_size and size % split_size else full or [0])


@converter("split.sizes|", "split_with_sizes", "unsafe_split_with_sizes")
def _split_sizes(b: Builder, x: Sym, split_sizes: list[Any], dim: int = 0) -> list[Sym]:
    if any(isinstance(s, Sym) for s in split_sizes):
        return list(b.ops("Split", x, b.sym(split_sizes), outputs=len(split_sizes), axis=b.axis(x, dim)))
    return parts(b, x, dim, split_sizes)


@converter("chunk", "unsafe_chunk")
def _chunk(b: Builder, x: Sym, chunks: int, dim: int = 0) -> list[Sym]:
    size = b.size(x, dim)
    if isinstance(size, Sym):
        return list(b.ops("Split", x, outputs=chunks, axis=b.axis(x, dim), num_outputs=chunks))
    each = max(-(-size // chunks), 1)
    return parts(b, x, dim, [min(each, size - i) for i in range(0, max(size, 1), each)])


@converter("tensor_split.sections|indices")
def _tensor_split(b: Builder, x: Sym, sections: Any, dim: int = 0) -> list[Sym]:
    axis, size = b.axis(x, dim), b.size(x, dim)
    if isinstance(sections, int):
        if isinstance(size, Sym):
            raise ExportError("tensor_split() along a dimension whose size depends on the inputs", b.span)
        small, more = divmod(size, sections)
        return parts(b, x, dim, [small + (i < more) for i in range(sections)])
    return [b.slice(x, axis, start, end) for start, end in zip([0, *sections], [*sections, None], strict=True)]


for _name, _place in (("hsplit", 1), ("vsplit", 0), ("dsplit", 2)):

    def _split_along(b: Builder, x: Sym, sections: Any, place: int = _place) -> list[Sym]:
        return _tensor_split(b, x, sections, 0 if place == 1 and b.rank(x) == 1 else place)

    converter(f"{_name}.int|array")(_split_along)


@converter("unbind.int")
def _unbind(b: Builder, x: Sym, dim: int = 0) -> Any:
    axis, size = b.axis(x, dim), b.size(x, dim)
    if isinstance(size, Sym):
        return b.op("SplitToSequence", x, axis=axis, keepdims=0)
    return [b.gather(x, i, axis) for i in range(size)]


@converter("diagonal", "linalg_diagonal")
def diagonal(b: Builder, x: Sym, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Sym:
    """The diagonal of two dimensions, as the last one."""
    first, second = b.axis(x, dim1), b.axis(x, dim2)
    rows, columns = b.size(x, first), b.size(x, second)
    if isinstance(rows, Sym) or isinstance(columns, Sym):
        raise ExportError("the diagonal of a matrix whose size depends on the inputs", b.span)
    rest = [i for i in range(b.rank(x)) if i not in (first, second)]
    count = max(min(rows - max(-offset, 0), columns - max(offset, 0)), 0)
    places = (np.arange(count) + max(-offset, 0)) * columns + np.arange(count) + max(offset, 0)
    flat = b.reshape(b.transpose(x, [*rest, first, second]), [*[b.size(x, i) for i in rest], rows * columns])
    return b.gather(flat, places, len(rest))


@converter("diag_embed")
def _diag_embed(b: Builder, x: Sym, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Sym:
    rank, size = b.rank(x), b.size(x, -1)
    if isinstance(size, Sym):
        raise ExportError("a diagonal matrix whose size depends on the inputs", b.span)
    side = size + abs(offset)
    mask = np.eye(side, dtype=np.bool_) if offset == 0 else np.eye(side, k=offset, dtype=np.bool_)
    before, after = (max(-offset, 0), max(offset, 0))
    wide = x if offset == 0 else b.op("Pad", x, b.ints(*[0] * (rank - 1), before, *[0] * (rank - 1), after))
    made = b.op("Where", mask, b.unsqueeze(wide, rank), b.constant(0, x.dtype))
    first, second = (d % (rank + 1) for d in (dim1, dim2))
    order = list(range(rank - 1))
    for target, origin in sorted(((first, rank - 1), (second, rank))):
        order.insert(target, origin)
    return b.transpose(made, order)


@converter("diag")
def _diag(b: Builder, x: Sym, diagonal_: int = 0) -> Sym:
    return _diag_embed(b, x, diagonal_) if b.rank(x) == 1 else diagonal(b, x, diagonal_)


converter("diagflat")(lambda b, x, offset=0: _diag_embed(b, b.reshape(x, [-1]), offset))


@converter("unfold")
def unfold(b: Builder, x: Sym, dimension: int, size: int, step: int) -> Sym:
    """Windows along a dimension, as a new last dimension."""
    if not b.rank(x):
        return b.reshape(x, [1])
    axis, length = b.axis(x, dimension), b.size(x, dimension)
    offsets = np.arange(size)
    if isinstance(length, Sym):
        count = b.op("Div", b.op("Sub", length, np.asarray(size)), np.asarray(step))
        starts = b.op(
            "Mul", b.op("Range", np.asarray(0), b.op("Add", count, np.asarray(1)), np.asarray(1)), np.asarray(step)
        )
        places = b.op("Add", b.unsqueeze(starts, 1), offsets)
    else:
        places = b.constant(np.arange(0, length - size + 1, step)[:, None] + offsets)
    taken = b.gather(x, places, axis)
    order = [*range(axis + 1), *range(axis + 2, b.rank(x) + 1), axis + 1]
    return b.transpose(taken, order)


@converter("as_strided")
def _as_strided(b: Builder, x: Sym, size: list[Any], stride: list[Any], storage_offset: int | None = None) -> Sym:
    if any(isinstance(v, Sym) for v in (*size, *stride)):
        raise ExportError("as_strided() with sizes that depend on the inputs", b.span)
    places = np.asarray(storage_offset or 0)
    for n, s in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(n) * s
    return b.gather(b.reshape(x, [-1]), places)


# -- joins -------------------------------------------------------------------------------------------------------------
@converter("cat")
def cat(b: Builder, tensors: Any, dim: int = 0) -> Sym:
    """Tensors one after the other; empty vectors are passed over, as in PyTorch."""
    if isinstance(tensors, Sym):
        if dim < 0 and tensors.shape is None:
            b.rank(tensors)
        return b.op("ConcatFromSequence", tensors, axis=dim if dim >= 0 else b.axis(tensors, dim))
    kept = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    code = b.common(*tensors)
    kept = [b.cast(t, code) for t in kept]
    return kept[0] if len(kept) == 1 else b.op("Concat", *kept, axis=b.axis(kept[0], dim))


@converter("stack", "_stack")
def stack(b: Builder, tensors: Any, dim: int = 0) -> Sym:
    """Tensors along a new dimension."""
    if isinstance(tensors, Sym):
        axis = dim if dim >= 0 else dim + b.rank(tensors) + 1
        made = b.op("ConcatFromSequence", tensors, axis=axis, new_axis=1)
        if tensors.shape is not None:
            made = b.shaped(made, (*tensors.shape[:axis], b.unknown(), *tensors.shape[axis:]))
        return made
    axis = dim + b.rank(tensors[0]) + 1 if dim < 0 else dim
    return b.op("Concat", *[b.unsqueeze(t, axis) for t in b.promote(*tensors)], axis=axis)


@converter("hstack")
def _hstack(b: Builder, tensors: list[Sym]) -> Sym:
    joined = [b.reshape(t, [1]) if not b.rank(t) else t for t in tensors]
    return cat(b, joined, 0 if b.rank(joined[0]) == 1 else 1)


converter("vstack")(lambda b, tensors: cat(b, lifted(b, tensors, 2), 0))
converter("dstack")(lambda b, tensors: cat(b, lifted(b, tensors, 3), 2))
converter("column_stack")(lambda b, tensors: cat(b, [_column(b, t) for t in tensors], 1))


def _column(b: Builder, x: Sym) -> Sym:
    return x if b.rank(x) >= 2 else b.reshape(x, [-1, 1])


@converter("meshgrid.|indexing")
def _meshgrid(b: Builder, tensors: list[Sym], indexing: str = "ij") -> list[Sym]:
    vectors = [b.reshape(t, [-1]) for t in tensors]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(places) > 1:
        places[:2] = [1, 0]
    sizes: list[Any] = [0] * len(vectors)
    for v, p in zip(vectors, places, strict=True):
        sizes[p] = b.size(v, 0)
    return [
        b.expand(b.unsqueeze(v, *[i for i in range(len(vectors)) if i != p]), sizes)
        for v, p in zip(vectors, places, strict=True)
    ]


converter("flatten_dense_tensors")(lambda b, tensors: cat(b, [b.reshape(t, [-1]) for t in tensors], 0))


# -- order -------------------------------------------------------------------------------------------------------------
@converter("flip")
def flip(b: Builder, x: Sym, dims: list[int]) -> Sym:
    """Dimensions reversed."""
    axes = [b.axis(x, d) for d in dims] if b.rank(x) else []
    if not axes:
        return x
    count = len(axes)
    low = np.iinfo(np.int64).min + 1
    made = b.op("Slice", x, b.ints(*[-1] * count), b.ints(*[low] * count), b.ints(*axes), b.ints(*[-1] * count))
    return b.shaped(made, x.shape or ())


converter("fliplr")(lambda b, x: flip(b, x, [1]))
converter("flipud")(lambda b, x: flip(b, x, [0]))


@converter("rot90")
def _rot90(b: Builder, x: Sym, k: int = 1, dims: Sequence[int] = (0, 1)) -> Sym:
    first, second = dims
    turns = k % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(b, x, [first, second])
    flipped = flip(b, x, [second if turns == 1 else first])
    return transpose(b, flipped, first, second)


@converter("roll")
def _roll(b: Builder, x: Sym, shifts: list[Any], dims: Sequence[int] = ()) -> Sym:
    if not dims:
        return b.reshape(_roll(b, b.reshape(x, [-1]), shifts, [0]), b.sizes(x))
    for shift, dim in zip(shifts, dims, strict=True):
        axis, size = b.axis(x, dim), b.size(x, dim)
        cut: Any
        if isinstance(shift, Sym):
            whole, length = x.shape, b.sym(size, 4)
            cut = b.op("Sub", length, b.op("Mod", shift, length))
            x = b.shaped(b.op("Concat", b.slice(x, axis, cut), b.slice(x, axis, 0, cut), axis=axis), whole or ())
            continue
        cut = -shift if isinstance(size, Sym) else -(shift % size) if size else 0
        if cut != 0:
            x = b.shaped(b.op("Concat", b.slice(x, axis, cut), b.slice(x, axis, 0, cut), axis=axis), x.shape or ())
    return x


def _triangle(upper: int) -> Any:
    def convert(b: Builder, x: Sym, diagonal: Any = 0) -> Sym:
        offset = None if not isinstance(diagonal, Sym) and diagonal == 0 else b.cast(diagonal, 4)
        return b.op("Trilu", x, offset, upper=upper)

    return convert


converter("tril")(_triangle(0))
converter("triu")(_triangle(1))


@converter("repeat_interleave.self_int")
def _repeat_interleave(b: Builder, x: Sym, repeats: Any, dim: int | None = None, output_size: Any = None) -> Sym:
    if dim is None:
        x, dim = b.reshape(x, [-1]), 0
    axis = b.axis(x, dim)
    sizes = b.sizes(x)
    wide = b.expand(b.unsqueeze(x, axis + 1), [*sizes[: axis + 1], repeats, *sizes[axis + 1 :]])
    middle = -1 if isinstance(sizes[axis], Sym) or isinstance(repeats, Sym) else sizes[axis] * repeats
    return b.reshape(wide, [*sizes[:axis], middle, *sizes[axis + 1 :]])


@converter("repeat_interleave.self_Tensor")
def _repeat_interleave_each(b: Builder, x: Sym, repeats: Sym, dim: int | None = None, output_size: Any = None) -> Sym:
    if dim is None:
        x, dim = b.reshape(x, [-1]), 0
    if repeats.shape in ((), (1,)):
        repeats = b.expand(b.reshape(repeats, [1]), [b.size(x, dim)])
    return b.gather(x, _interleaved(b, repeats), b.axis(x, dim))


@converter("repeat_interleave.Tensor")
def _interleaved(b: Builder, repeats: Sym, output_size: Any = None) -> Sym:
    ends = b.op("CumSum", b.cast(repeats, 4), np.asarray(0))
    total = b.gather(ends, -1)
    places = b.op("Range", np.asarray(0), total, np.asarray(1))
    past = b.op("GreaterOrEqual", b.unsqueeze(places, 1), b.unsqueeze(ends, 0))
    return b.op("ReduceSum", b.cast(past, 4), b.ints(1), keepdims=0)


# -- padding -----------------------------------------------------------------------------------------------------------
def pad(b: Builder, x: Sym, amounts: list[Any], mode: str = "constant", value: Any = None) -> Sym:
    """Padding of the last dimensions, given from the last one backwards; negative amounts cut."""
    rank, count = b.rank(x), len(amounts) // 2
    first = rank - count
    before = [amounts[2 * (rank - 1 - i)] if i >= first else 0 for i in range(rank)]
    after = [amounts[2 * (rank - 1 - i) + 1] if i >= first else 0 for i in range(rank)]
    known = not any(isinstance(v, Sym) for v in amounts)
    kind = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    cuts = [(max(-low, 0), min(high, 0) or None) for low, high in zip(before, after, strict=True)] if known else []
    if known:
        before, after = ([max(v, 0) for v in side] for side in (before, after))
    if kind in ("constant", "wrap"):  # the others show what is cut away
        x, cuts = _cut(b, x, cuts), []
    if not known or any(before) or any(after):
        if kind == "wrap":
            x = _wrapped(b, x, before, after)
        else:
            fill = None if kind != "constant" or not value else b.cast(value, x.dtype)
            x = b.op("Pad", x, b.sym([*before, *after]), fill, mode=None if kind == "constant" else kind)
    return _cut(b, x, cuts)


def _cut(b: Builder, x: Sym, cuts: Sequence[tuple[int, int | None]]) -> Sym:
    for axis, (start, end) in enumerate(cuts):
        x = b.slice(x, axis, start, end)
    return x


def _wrapped(b: Builder, x: Sym, before: Sequence[Any], after: Sequence[Any]) -> Sym:
    """Padding with the other side of a dimension."""
    for axis, (low, high) in enumerate(zip(before, after, strict=True)):
        if isinstance(low, Sym) or isinstance(high, Sym):
            raise ExportError("circular padding by an amount that depends on the inputs", b.span)
        pieces = [b.slice(x, axis, -low)] if low > 0 else []
        pieces.append(b.slice(x, axis, max(-low, 0), min(high, 0) or None))
        pieces += [b.slice(x, axis, 0, high)] if high > 0 else []
        x = b.op("Concat", *pieces, axis=axis)
    return x


converter("constant_pad_nd")(lambda b, x, amounts, value=0: pad(b, x, amounts, "constant", value))
converter("pad")(pad)
converter("_pad_circular")(lambda b, x, amounts: pad(b, x, amounts, "circular"))
converter("_pad_enum")(
    lambda b, x, amounts, mode, value=None: pad(
        b, x, amounts, ("constant", "reflect", "replicate", "circular")[mode], value
    )
)
for _rank in (1, 2, 3):
    converter(f"reflection_pad{_rank}d")(lambda b, x, amounts: pad(b, x, amounts, "reflect"))
    converter(f"replication_pad{_rank}d")(lambda b, x, amounts: pad(b, x, amounts, "replicate"))

no_form("view.dtype", "view_as_complex", "view_as_real", reason="ONNX cannot look at the bytes of one type as another")
no_form("tensor_split.tensor_indices_or_sections", reason="the number of pieces depends on the inputs")
