"""Type rules of operators that rearrange: views, joins, splits, repetition, casts."""

from __future__ import annotations

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import drop, plus, product, promoted, replace, to_real, wrap
from linstock.ir.shapes.registry import ANY_SIZE, Call, Result, Size, Sizes, known, rule, rules


def _ranked(call: Call, t: T.TensorType, rank: int | None = None) -> T.TensorType:
    """Only the element type and the rank."""
    rank = t.rank if rank is None else rank
    return known(t.dtype, None if rank is None else call.fresh(rank))


def _dim(call: Call, t: T.TensorType, name: str = "dim", extra: int = 0) -> int | None:
    return None if t.rank is None else wrap(call.number(name), t.rank + extra)


def _identity(call: Call) -> Result:
    t = call.tensor(0)
    return known(t.dtype, t.sizes)


rules(
    "contiguous clone detach alias lift lift_fresh positive resolve_conj resolve_neg flip roll data pin_memory conj "
    "fliplr flipud",
    _identity,
)


# -- shapes -----------------------------------------------------------------------------------------
def reshaped(call: Call, t: T.TensorType, sizes: list[Size] | None) -> T.TensorType:
    """To given sizes, one of which may be -1."""
    if sizes is None:
        return known(t.dtype, None)
    if -1 not in sizes:
        return known(t.dtype, [call.facts.fresh() if call.facts.may_be_negative(n) else n for n in sizes])
    at = sizes.index(-1)
    rest = [n for i, n in enumerate(sizes) if i != at]
    found: Size | None = None
    if t.sizes is not None:
        left = list(t.sizes)
        for n in list(rest):  # what is on both sides cancels, names too (a name is one number)
            if n in left and n != 0:
                left.remove(n)
                rest.remove(n)
        if all(isinstance(n, int) for n in rest):
            divisor = 1
            for n in rest:
                divisor *= n if isinstance(n, int) else 1
            total = product(call, left)
            if divisor == 1:
                found = total
            elif isinstance(total, int) and divisor > 0:
                found = total // divisor
    return known(t.dtype, replace(tuple(sizes), at, call.facts.fresh() if found is None else found))


@rule("aten::view", "aten::reshape", "aten::_unsafe_view", "aten::view_copy")
def _view(call: Call) -> Result:
    return reshaped(
        call, call.tensor(0), call.ints("size") if call.argument("size") is not None else call.ints("shape")
    )


@rule("aten::view.dtype", "aten::view_copy.dtype")
def _view_dtype(call: Call) -> Result:
    t, code = call.tensor(0), call.dtype("dtype", None)
    if code is None or t.dtype is None:
        return None
    same = dtypes.by_code(code).itemsize == dtypes.by_code(t.dtype).itemsize
    return known(code, t.sizes if same else None if t.rank is None else call.fresh(t.rank))


@rule("aten::view_as", "aten::reshape_as", "aten::expand_as")
def _as_other(call: Call) -> Result:
    return known(call.tensor(0).dtype, call.tensor(1).sizes)


@rule("aten::flatten.using_ints")
def _flatten(call: Call) -> Result:
    t = call.tensor(0)
    start, end = _dim(call, t, "start_dim"), _dim(call, t, "end_dim")
    if t.sizes is None or start is None or end is None or start > end:
        return known(t.dtype, None)
    if not t.sizes:
        return known(t.dtype, (1,))
    return known(t.dtype, (*t.sizes[:start], product(call, t.sizes[start : end + 1]), *t.sizes[end + 1 :]))


@rule("aten::ravel")
def _ravel(call: Call) -> Result:
    t = call.tensor(0)
    return known(t.dtype, (call.facts.fresh() if t.sizes is None else product(call, t.sizes),))


@rule("aten::unflatten.int")
def _unflatten(call: Call) -> Result:
    t, sizes = call.tensor(0), call.ints("sizes")
    dim = _dim(call, t)
    if t.sizes is None or sizes is None or dim is None:
        return known(t.dtype, None)
    part = reshaped(call, known(t.dtype, (t.sizes[dim],)), sizes)
    return known(t.dtype, (*t.sizes[:dim], *(part.sizes or ()), *t.sizes[dim + 1 :]))


@rule("aten::squeeze")
def _squeeze(call: Call) -> Result:
    t = call.tensor(0)
    if t.sizes is None or any(isinstance(n, str) for n in t.sizes):
        return known(t.dtype, None)
    return known(t.dtype, [n for n in t.sizes if n != 1])


@rule("aten::squeeze.dim")
def _squeeze_dim(call: Call) -> Result:
    t = call.tensor(0)
    dim = _dim(call, t)
    if t.sizes is None or dim is None or (t.sizes and isinstance(t.sizes[dim], str)):
        return known(t.dtype, None)
    return known(t.dtype, drop(t.sizes, [dim]) if t.sizes and t.sizes[dim] == 1 else t.sizes)


@rule("aten::squeeze.dims")
def _squeeze_dims(call: Call) -> Result:
    t, dims = call.tensor(0), call.known_ints("dim")
    if t.sizes is None or t.rank is None or dims is None:
        return known(t.dtype, None)
    places = [wrap(d, t.rank) for d in dims]
    if None in places or (t.sizes and any(isinstance(t.sizes[p], str) for p in places if p is not None)):
        return known(t.dtype, None)
    return known(t.dtype, drop(t.sizes, [p for p in places if p is not None and t.sizes and t.sizes[p] == 1]))


@rule("aten::unsqueeze")
def _unsqueeze(call: Call) -> Result:
    t = call.tensor(0)
    dim = _dim(call, t, extra=1)
    if t.sizes is None or dim is None:
        return _ranked(call, t, None if t.rank is None else t.rank + 1)
    return known(t.dtype, (*t.sizes[:dim], 1, *t.sizes[dim:]))


@rule("aten::transpose.int", "aten::swapaxes", "aten::swapdims")
def _transpose(call: Call) -> Result:
    t = call.tensor(0)
    names = ("dim0", "dim1") if call.argument("dim0") is not None else ("axis0", "axis1")
    a, b = (_dim(call, t, n) for n in names)
    if t.sizes is None or a is None or b is None:
        return _ranked(call, t)
    sizes = list(t.sizes)
    if sizes:
        sizes[a], sizes[b] = sizes[b], sizes[a]
    return known(t.dtype, sizes)


@rule("aten::t", "aten::numpy_T", "aten::mT")
def _reversed(call: Call) -> Result:
    t = call.tensor(0)
    if t.sizes is None:
        return known(t.dtype, None)
    if call.node.kind == "aten::mT":
        return known(t.dtype, (*t.sizes[:-2], *t.sizes[:-3:-1])) if len(t.sizes) > 1 else None
    return known(t.dtype, t.sizes[::-1])


@rule("aten::permute")
def _permute(call: Call) -> Result:
    t, dims = call.tensor(0), call.known_ints("dims")
    if t.sizes is None or t.rank is None or dims is None:
        rank = t.rank if dims is None else len(dims)
        return _ranked(call, t, rank)
    places = [wrap(d, t.rank) for d in dims]
    if len(places) != t.rank or None in places:
        return known(t.dtype, None)
    return known(t.dtype, [t.sizes[p] for p in places if p is not None])


@rule("aten::movedim", "aten::moveaxis")
def _movedim(call: Call) -> Result:
    t = call.tensor(0)
    source, target = _dim(call, t, "source"), _dim(call, t, "destination")
    if t.sizes is None or source is None or target is None or call.node.inputs[1].type != T.INT:
        return _ranked(call, t)
    rest = list(drop(t.sizes, [source]))
    return known(t.dtype, [*rest[:target], t.sizes[source], *rest[target:]]) if t.sizes else known(t.dtype, ())


@rule("aten::expand", "aten::broadcast_to")
def _expand(call: Call) -> Result:
    t, sizes = call.tensor(0), call.ints("size")
    if sizes is None:
        return known(t.dtype, None)
    offset = None if t.rank is None else len(sizes) - t.rank
    result: list[Size] = []
    for i, n in enumerate(sizes):
        if n != -1:
            result.append(n)
        elif t.sizes is not None and offset is not None and 0 <= i - offset < len(t.sizes):
            result.append(t.sizes[i - offset])
        else:
            result.append(call.facts.fresh())
    return known(t.dtype, [call.facts.fresh() if call.facts.may_be_negative(n) else n for n in result])


# -- parts ------------------------------------------------------------------------------------------
@rule("aten::select.int")
def _select(call: Call) -> Result:
    t = call.tensor(0)
    dim = _dim(call, t)
    if t.sizes is None or dim is None:
        return _ranked(call, t, None if not t.rank else t.rank - 1)
    return known(t.dtype, drop(t.sizes, [dim]))


@rule("aten::slice.Tensor")
def _slice(call: Call) -> Result:
    t = call.tensor(0)
    dim = _dim(call, t)
    if t.sizes is None or dim is None or not t.sizes:
        return _ranked(call, t)
    size = t.sizes[dim]
    start, end, step = (call.const(n) for n in ("start", "end", "step"))
    if (
        (start is None or start == 0)
        and (end is None or end == 2**63 - 1)
        and step == 1
        and type(start) in (int, type(None))
    ):
        return known(t.dtype, t.sizes)
    if not isinstance(size, int) or not all(type(n) in (int, type(None)) for n in (start, end, step)):
        return known(t.dtype, replace(t.sizes, dim, call.facts.fresh()))
    return known(t.dtype, replace(t.sizes, dim, len(range(*slice(start, end, step).indices(size)))))


@rule("aten::narrow")
def _narrow(call: Call) -> Result:
    t, dim, length = call.tensor(0), call.number("dim"), call.argument("length")
    at = None if t.rank is None else wrap(dim, t.rank)
    if t.sizes is None or at is None or length is None:
        return _ranked(call, t)
    return known(t.dtype, replace(t.sizes, at, call.facts.size(length)))


@rule("aten::unbind.int")
def _unbind(call: Call) -> Result:
    t = call.tensor(0)
    dim = _dim(call, t)
    if not t.sizes or dim is None:
        return None
    if not isinstance(t.sizes[dim], int):
        return known(t.dtype, drop(t.sizes, [dim]))
    return [known(t.dtype, drop(t.sizes, [dim]))] * int(t.sizes[dim])


@rule("aten::chunk", "aten::unsafe_chunk")
def _chunk(call: Call) -> Result:
    t = call.tensor(0)
    dim, chunks = _dim(call, t), call.number("chunks")
    if not t.sizes or dim is None:
        return None
    if chunks is None or chunks <= 0 or not isinstance(t.sizes[dim], int):
        return known(t.dtype, replace(t.sizes, dim, ANY_SIZE))
    size = int(t.sizes[dim])
    return _pieces(t, t.sizes, dim, size, -(-size // chunks)) if size else None


@rule("aten::split.Tensor", "aten::unsafe_split.Tensor")
def _split(call: Call) -> Result:
    t = call.tensor(0)
    dim, piece = _dim(call, t), call.number("split_size")
    if not t.sizes or dim is None:
        return None
    if not piece or not isinstance(t.sizes[dim], int) or not t.sizes[dim]:
        return known(t.dtype, replace(t.sizes, dim, ANY_SIZE))
    return _pieces(t, t.sizes, dim, int(t.sizes[dim]), piece)


def _pieces(t: T.TensorType, sizes: Sizes, dim: int, size: int, piece: int) -> list[T.TensorType]:
    return [known(t.dtype, replace(sizes, dim, min(piece, size - at))) for at in range(0, size, piece)]


@rule("aten::split_with_sizes", "aten::split.sizes", "aten::split", "aten::unsafe_split_with_sizes")
def _split_sizes(call: Call) -> Result:
    t = call.tensor(0)
    name = next((n for n in ("split_sizes", "split_size") if call.argument(n) is not None), "")
    dim, pieces = _dim(call, t), call.ints(name)
    if not t.sizes or dim is None:
        return None
    if pieces is None:
        return known(t.dtype, replace(t.sizes, dim, ANY_SIZE))
    return [known(t.dtype, replace(t.sizes, dim, n)) for n in pieces]


# -- joins and repetition ---------------------------------------------------------------------------
@rule("aten::cat", "aten::concat", "aten::concatenate")
def _cat(call: Call) -> Result:
    parts = call.tensors("tensors")
    if not parts:
        return None
    dtype = promoted(call, *parts)
    ranks = {p.rank for p in parts}
    rank = next(iter(ranks))
    if len(ranks) != 1 or not rank:  # an empty vector may stand among tensors of any rank
        return known(dtype, None)
    if rank == 1 and len(parts) > 1:
        return (
            known(dtype, call.fresh(1))
            if any(isinstance((p.sizes or ("",))[0], str) for p in parts)
            else _joined(call, parts, dtype, 0)
        )
    dim = wrap(call.number("dim"), rank)
    return known(dtype, call.fresh(rank)) if dim is None else _joined(call, parts, dtype, dim)


def _joined(call: Call, parts: list[T.TensorType], dtype: int | None, dim: int) -> T.TensorType:
    shapes = [p.sizes for p in parts if p.sizes is not None]
    total: Size = 0
    result: list[Size] = []
    for i, sizes in enumerate(zip(*shapes, strict=True)):
        if i != dim:  # all equal: a number says more than a name
            result.append(next((n for n in sizes if isinstance(n, int)), sizes[0]))
            continue
        for n in sizes:
            total = plus(call, total, n)
        result.append(total)
    return known(dtype, result)


@rule("aten::stack")
def _stack(call: Call) -> Result:
    parts = call.tensors("tensors")
    if not parts:
        return None
    dtype, first = promoted(call, *parts), next((p for p in parts if p.sizes is not None), None)
    if first is None or first.rank is None or first.sizes is None:
        return known(dtype, None)
    dim = wrap(call.number("dim"), first.rank + 1)
    if dim is None:
        return known(dtype, call.fresh(first.rank + 1))
    return known(dtype, (*first.sizes[:dim], len(parts), *first.sizes[dim:]))


@rule("aten::repeat")
def _repeat(call: Call) -> Result:
    t, counts = call.tensor(0), call.ints("repeats")
    if t.sizes is None or counts is None or len(counts) < len(t.sizes):
        return known(t.dtype, None if counts is None else call.fresh(len(counts)))
    sizes = (*[1] * (len(counts) - len(t.sizes)), *t.sizes)
    return known(t.dtype, [product(call, pair) for pair in zip(sizes, counts, strict=True)])


@rule(
    "aten::constant_pad_nd",
    "aten::pad",
    "aten::reflection_pad1d",
    "aten::reflection_pad2d",
    "aten::replication_pad1d",
    "aten::replication_pad2d",
)
def _pad(call: Call) -> Result:
    t = call.tensor(0)
    pads = call.ints("pad") if call.argument("pad") is not None else call.ints("padding")
    if t.sizes is None or pads is None or len(pads) > 2 * len(t.sizes) or len(pads) % 2:
        return _ranked(call, t)
    sizes = list(t.sizes)
    for i in range(len(pads) // 2):
        at = len(sizes) - 1 - i
        sizes[at] = plus(call, sizes[at], plus(call, pads[2 * i], pads[2 * i + 1]))
    return known(t.dtype, sizes)


# -- casts ------------------------------------------------------------------------------------------
@rule("aten::to.dtype", "aten::to.dtype_layout", "aten::to.device", "aten::to.prim_Device", "aten::to.prim_dtype")
def _to(call: Call) -> Result:
    t = call.tensor(0)
    return known(call.dtype("dtype", t.dtype), t.sizes)


@rule("aten::to.other", "aten::type_as")
def _to_other(call: Call) -> Result:
    return known(call.tensor(1).dtype, call.tensor(0).sizes)


@rule("aten::to.prim_other", "aten::cpu", "aten::cuda")
def _moved(call: Call) -> Result:
    return _identity(call)


@rule("aten::real", "aten::imag")
def _real(call: Call) -> Result:
    return known(to_real(call.tensor(0).dtype), call.tensor(0).sizes)
