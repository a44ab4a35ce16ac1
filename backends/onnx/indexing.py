"""ONNX forms of the indexing family: gathering and scattering by integers and masks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx import views
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import broadcast
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError

BOOL, INT64 = 11, 4


# -- advanced indexing -------------------------------------------------------------------------------------------------
def _spread(b: Builder, indices: Sequence[Any]) -> list[Any]:
    """Indices with masks replaced by the places where they hold, one index per dimension of a mask."""
    found: list[Any] = []
    for index in indices:
        if isinstance(index, Sym) and index.dtype in (BOOL, 0):
            mask = index if index.dtype == BOOL else b.cast(index, BOOL)
            if b.rank(mask) == 0:
                raise ExportError("indexing with a mask without dimensions", b.span)
            places = b.op("NonZero", mask)
            found += [b.gather(places, i) for i in range(b.rank(mask))]
        else:
            found.append(index)
    return found


class _Index:
    """An advanced index: the indexed dimensions first, their places as the last dimension of `matrix`."""

    def __init__(self, b: Builder, x: Sym, indices: Sequence[Any]) -> None:
        indices = _spread(b, indices)
        self.b, self.x = b, x
        self.dims = [i for i, v in enumerate(indices) if v is not None]
        self.rest = [i for i in range(b.rank(x)) if i not in self.dims]
        chosen = [b.cast(indices[i], INT64) for i in self.dims]
        self.places = broadcast(b, chosen) if len(chosen) > 1 else chosen
        self.count = b.rank(self.places[0])
        adjacent = self.dims == list(range(self.dims[0], self.dims[0] + len(self.dims)))
        self.first = self.dims[0] if adjacent else 0

    @property
    def matrix(self) -> Sym:
        """The places as rows of numbers."""
        return self.b.op("Concat", *[self.b.unsqueeze(p, self.count) for p in self.places], axis=self.count)

    @property
    def front(self) -> Sym:
        """The tensor with the indexed dimensions first."""
        return self.b.transpose(self.x, [*self.dims, *self.rest])

    def order(self) -> list[int]:
        """Where the dimensions of the result come from in (places, rest)."""
        rest = list(range(self.count, self.count + len(self.rest)))
        return [*rest[: self.first], *range(self.count), *rest[self.first :]]

    def taken(self) -> Sym:
        """The elements at the places."""
        b = self.b
        if len(self.dims) == 1:
            return b.gather(self.x, self.places[0], self.dims[0])
        return b.transpose(b.op("GatherND", self.front, self.matrix), self.order())

    def put(self, values: Sym, accumulate: bool) -> Sym:
        """The tensor with the elements at the places replaced, or added to."""
        b = self.b
        sizes = [*b.sizes(self.places[0]), *[b.size(self.x, i) for i in self.rest]]
        order = self.order()
        wide = b.expand(b.cast(values, self.x.dtype), [sizes[i] for i in order])
        updates = b.transpose(wide, [order.index(i) for i in range(len(order))])
        made = b.op("ScatterND", self.front, self.matrix, updates, reduction="add" if accumulate else None)
        back = [*self.dims, *self.rest]
        return b.shaped(b.transpose(made, [back.index(i) for i in range(len(back))]), self.x.shape or ())


@converter("index.Tensor|Tensor_hacked_twin", "_unsafe_index.Tensor|Tensor_hacked_twin")
def index(b: Builder, x: Sym, indices: list[Any]) -> Sym:
    """x[indices], None keeping a dimension."""
    given = [v for v in indices if v is not None]
    if not given:
        return x
    if len(given) == 1 and given[0].dtype == BOOL and given[0].rank == 1:
        return b.op("Compress", x, given[0], axis=next(i for i, v in enumerate(indices) if v is not None))
    return _Index(b, x, indices).taken()


@converter("index_put.|hacked_twin")
def index_put(b: Builder, x: Sym, indices: list[Any], values: Sym, accumulate: bool = False) -> Sym:
    """x with x[indices] = values (or += values)."""
    values = b.cast(values, x.dtype)
    given = [v for v in indices if v is not None]
    single = len(given) == 1 and given[0].dtype == BOOL and values.shape in ((), (1,))
    if single and not accumulate:
        before = next(i for i, v in enumerate(indices) if v is not None)
        after = b.rank(x) - before - b.rank(given[0])
        mask = b.unsqueeze(given[0], *range(b.rank(given[0]), b.rank(given[0]) + after)) if after else given[0]
        return b.shaped(b.op("Where", mask, b.reshape(values, []), x), x.shape or ())
    return _Index(b, x, indices).put(values, accumulate) if given else b.expand_to(values, x)


@converter("index_select")
def _index_select(b: Builder, x: Sym, dim: int, places: Sym) -> Sym:
    if not b.rank(x):
        return x
    return b.gather(x, places if b.rank(places) else b.reshape(places, [1]), b.axis(x, dim))


@converter("take")
def _take(b: Builder, x: Sym, places: Sym) -> Sym:
    return b.gather(b.reshape(x, [-1]), places)


@converter("put")
def _put(b: Builder, x: Sym, places: Sym, source: Sym, accumulate: bool = False) -> Sym:
    flat = b.op(
        "ScatterElements",
        b.reshape(x, [-1]),
        b.reshape(places, [-1]),
        b.reshape(source, [-1]),
        axis=0,
        reduction="add" if accumulate else None,
    )
    return b.reshape(flat, b.sizes(x))


# -- masks -------------------------------------------------------------------------------------------------------------
@converter("where.self|ScalarOther|ScalarSelf|Scalar")
def where(b: Builder, condition: Sym, x: Any, y: Any) -> Sym:
    """x where the condition holds, else y."""
    x, y = b.promote(x, y)
    return b.op("Where", b.cast(condition, BOOL), x, y)


@converter("where")
def _where_places(b: Builder, condition: Sym) -> list[Sym]:
    places = b.op("NonZero", condition if b.rank(condition) else b.reshape(condition, [1]))
    return [b.gather(places, i) for i in range(max(b.rank(condition), 1))]


converter("nonzero_numpy")(_where_places)


@converter("nonzero", "argwhere")
def _nonzero(b: Builder, x: Sym) -> Sym:
    if not b.rank(x):
        return b.slice(b.transpose(b.op("NonZero", b.reshape(x, [1])), [1, 0]), 1, 0, 0)
    return b.transpose(b.op("NonZero", x), [1, 0])


@converter("masked_fill.Scalar|Tensor")
def masked_fill(b: Builder, x: Sym, mask: Sym, value: Any) -> Sym:
    """x with a value where the mask holds."""
    return b.op("Where", b.cast(mask, BOOL), b.cast(value, x.dtype), x)


@converter("masked_select")
def _masked_select(b: Builder, x: Sym, mask: Sym) -> Sym:
    if x.shape != mask.shape or not x.static:
        x, mask = broadcast(b, [x, mask])
    return b.op("Compress", b.reshape(x, [-1]), b.reshape(mask, [-1]), axis=0)


@converter("masked_scatter")
def _masked_scatter(b: Builder, x: Sym, mask: Sym, source: Sym) -> Sym:
    x, mask = broadcast(b, [x, mask])
    flat = b.reshape(mask, [-1])
    places = b.op("Max", b.op("Sub", b.op("CumSum", b.cast(flat, INT64), np.asarray(0)), np.asarray(1)), np.asarray(0))
    chosen = b.op("Where", flat, b.gather(b.reshape(source, [-1]), places), b.reshape(x, [-1]))
    return b.reshape(chosen, b.sizes(x))


# -- along one dimension -----------------------------------------------------------------------------------------------
def _at_least_1d(b: Builder, *values: Sym) -> list[Sym]:
    return [v if b.rank(v) else b.reshape(v, [1]) for v in values]


def gather(b: Builder, x: Sym, dim: int, places: Sym) -> Sym:
    """Elements of a dimension at the places that a tensor of the same rank names."""
    shape = places.shape
    x, places = _at_least_1d(b, x, b.places(places))
    made = b.op("GatherElements", x, places, axis=b.axis(x, dim))
    return b.reshape(made, []) if shape == () else made


converter("gather")(lambda b, x, dim, places, sparse_grad=False: gather(b, x, dim, places))


@converter("take_along_dim")
def _take_along_dim(b: Builder, x: Sym, places: Sym, dim: int | None = None) -> Sym:
    if dim is None:
        return b.op("GatherElements", b.reshape(x, [-1]), b.reshape(places, [-1]), axis=0)
    axis = b.axis(x, dim)
    sizes: list[Any] = []
    for i, (mine, _theirs) in enumerate(zip(x.shape or (), places.shape or (), strict=True)):
        sizes.append(1 if i == axis else b.size(places, i) if mine == 1 else b.size(x, i))
    own = [b.size(x, i) if i == axis else s for i, s in enumerate(sizes)]
    wide = [b.size(places, i) if i == axis else s for i, s in enumerate(sizes)]
    return b.op("GatherElements", b.expand(x, own), b.expand(places, wide), axis=axis)


def _cut_to(b: Builder, x: Sym, like: Sym) -> Sym:
    """The leading part of x as large as another tensor."""
    for axis, (mine, theirs) in enumerate(zip(x.shape or (), like.shape or (), strict=True)):
        if mine != theirs:
            x = b.slice(x, axis, 0, b.size(like, axis))
    return b.shaped(x, like.shape or ())


def scatter(b: Builder, x: Sym, dim: int, places: Sym, source: Any, reduction: str | None = None) -> Sym:
    """x with elements of a dimension replaced, or combined by `reduction`, at the places that a tensor names."""
    shape = x.shape
    x, places = _at_least_1d(b, x, b.places(places))
    if not isinstance(source, Sym) or (source.number and source.rank == 0):
        updates = b.expand_to(b.cast(source, x.dtype), places)
    else:
        updates = _cut_to(b, _at_least_1d(b, b.cast(source, x.dtype))[0], places)
    made = b.op("ScatterElements", x, places, updates, axis=b.axis(x, dim), reduction=reduction)
    return b.reshape(made, []) if shape == () else made


_REDUCTIONS = {"add": "add", "multiply": "mul", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
converter("scatter.value|src")(scatter)
converter("scatter.reduce|value_reduce")(
    lambda b, x, dim, places, source, reduce: scatter(b, x, dim, places, source, _REDUCTIONS[reduce])
)
converter("scatter_add")(lambda b, x, dim, places, source: scatter(b, x, dim, places, source, "add"))


def _neutral(reduce: str, x: Sym) -> Any:
    """The number that a reduction leaves other numbers as they are with."""
    if reduce in ("amax", "amin"):
        low, high = (-np.inf, np.inf) if x.floating else (np.iinfo(np.int32).min, np.iinfo(np.int32).max)
        return low if reduce == "amax" else high
    return 1 if reduce == "prod" else 0


@converter("scatter_reduce.two")
def _scatter_reduce(
    b: Builder, x: Sym, dim: int, places: Sym, source: Sym, reduce: str, include_self: bool = True
) -> Sym:
    base = x if include_self else scatter(b, x, dim, places, _neutral(reduce, x))
    if reduce != "mean":
        return scatter(b, base, dim, places, source, _REDUCTIONS[reduce])
    ones = b.filled(b.sizes(x), 1 if include_self else 0, x.dtype)
    count = b.op("Max", scatter(b, ones, dim, places, 1, "add"), 1)
    total = scatter(b, base, dim, places, source, "add")
    if x.floating:
        return b.op("Div", total, count)
    return b.op("Div", b.op("Sub", total, b.op("Mod", total, count)), count)


def _rows(b: Builder, x: Sym, dim: int, places: Sym, source: Any, reduction: str | None) -> Sym:
    """x with whole slices of a dimension replaced or combined."""
    if not b.rank(x):
        made = _rows(b, b.reshape(x, [1]), 0, places, b.reshape(source, [1]), reduction)
        return b.reshape(made, [])
    axis = b.axis(x, dim)
    order = [axis, *[i for i in range(b.rank(x)) if i != axis]]
    places = places if b.rank(places) else b.reshape(places, [1])
    front = b.transpose(x, order)
    source = b.cast(source, x.dtype)
    if source.number or source.rank == 0:
        source = b.expand(source, [b.size(places, 0), *b.sizes(front)[1:]])
    else:
        source = b.transpose(source, order)
    made = b.op("ScatterND", front, b.unsqueeze(places, 1), source, reduction=reduction)
    return b.transpose(made, [order.index(i) for i in range(len(order))])


@converter("index_add")
def _index_add(b: Builder, x: Sym, dim: int, places: Sym, source: Sym, alpha: Any = 1) -> Sym:
    source = b.cast(source, x.dtype)
    scaled = source if alpha == 1 else b.op("Mul", source, b.cast(alpha, x.dtype))
    return _rows(b, x, dim, places, scaled, "add")


converter("index_copy")(lambda b, x, dim, places, source: _rows(b, x, dim, places, source, None))


@converter("index_fill.int_Scalar|int_Tensor")
def _index_fill(b: Builder, x: Sym, dim: int, places: Sym, value: Any) -> Sym:
    return _rows(b, x, dim, places, value, None)


@converter("index_reduce")
def _index_reduce(
    b: Builder, x: Sym, dim: int, places: Sym, source: Sym, reduce: str, include_self: bool = True
) -> Sym:
    base = x if include_self else _rows(b, x, dim, places, b.cast(_neutral(reduce, x), x.dtype), None)
    if reduce != "mean":
        return _rows(b, base, dim, places, source, _REDUCTIONS[reduce])
    count = _rows(
        b, b.filled(b.sizes(x), 1 if include_self else 0, x.dtype), dim, places, b.constant(1, x.dtype), "add"
    )
    return b.op("Div", _rows(b, base, dim, places, source, "add"), b.op("Max", count, 1))


# -- parts replaced ----------------------------------------------------------------------------------------------------
@converter("select_scatter")
def _select_scatter(b: Builder, x: Sym, source: Sym, dim: int, place: Any) -> Sym:
    axis = b.axis(x, dim)
    part = b.unsqueeze(b.cast(source, x.dtype), axis)
    if isinstance(place, Sym):
        return views.sliced(b, x, part, axis, place, b.op("Add", place, np.asarray(1)))
    return views.sliced(b, x, part, axis, place, None if place == -1 else place + 1)


@converter("slice_scatter")
def _slice_scatter(
    b: Builder, x: Sym, source: Sym, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Sym:
    source = b.cast(source, x.dtype)
    if step == 1:
        return views.sliced(b, x, source, dim, start, end)
    axis, size = b.axis(x, dim), b.size(x, dim)
    if isinstance(size, Sym) or isinstance(start, Sym) or isinstance(end, Sym):
        raise ExportError("replacing a slice with a step at places that depend on the inputs", b.span)
    return _rows(b, x, axis, b.constant(np.arange(size)[start:end:step]), source, None)


@converter("diagonal_scatter")
def _diagonal_scatter(b: Builder, x: Sym, source: Sym, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Sym:
    if not x.static:
        raise ExportError("replacing the diagonal of a matrix whose size depends on the inputs", b.span)
    shape: Any = x.shape
    places = np.diagonal(np.arange(int(np.prod(shape))).reshape(shape), offset, dim1, dim2)
    flat = b.op(
        "ScatterElements",
        b.reshape(x, [-1]),
        np.ascontiguousarray(places).reshape(-1),
        b.reshape(b.cast(source, x.dtype), [-1]),
        axis=0,
    )
    return b.reshape(flat, list(shape))


@converter("cartesian_prod")
def _cartesian_prod(b: Builder, tensors: list[Sym]) -> Sym:
    if len(tensors) == 1:
        return tensors[0]
    sizes = [b.size(t, 0) for t in tensors]
    wide = []
    for i, t in enumerate(tensors):
        grid = b.expand(b.unsqueeze(t, *[j for j in range(len(tensors)) if j != i]), sizes)
        wide.append(b.reshape(grid, [-1, 1]))
    return b.op("Concat", *wide, axis=1)


@converter("combinations")
def _combinations(b: Builder, x: Sym, r: int = 2, with_replacement: bool = False) -> Sym:
    size = b.size(x, 0)
    if isinstance(size, Sym):
        raise ExportError("combinations of a number of elements that depends on the inputs", b.span)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    return b.gather(x, np.asarray(list(choose(range(size), r)), np.int64).reshape(-1, r))


@converter("as_strided_scatter")
def _as_strided_scatter(
    b: Builder, x: Sym, source: Sym, size: list[Any], stride: list[Any], storage_offset: int | None = None
) -> Sym:
    if any(isinstance(v, Sym) for v in (*size, *stride)):
        raise ExportError("as_strided_scatter() with sizes that depend on the inputs", b.span)
    places = np.asarray(storage_offset or 0)
    for n, step in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(n) * step
    source = b.reshape(b.cast(source, x.dtype), [-1])
    flat = b.op("ScatterElements", b.reshape(x, [-1]), places.reshape(-1), source, axis=0)
    return b.reshape(flat, b.sizes(x))


@converter("nonzero_static")
def _nonzero_static(b: Builder, x: Sym, size: int, fill_value: int = -1) -> Sym:
    found = _nonzero(b, x)
    filler = b.filled([size, b.rank(x)], fill_value, INT64)
    return b.shaped(b.slice(b.op("Concat", found, filler, axis=0), 0, 0, size), [size, b.rank(x)])


no_form("segment_reduce", reason="ONNX has no operator that reduces ragged segments")
