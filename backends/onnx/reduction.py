"""ONNX forms of the reduction family: sums, means, extremes, variances, scans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.control import loop
from linstock.backends.onnx.pointwise import add, as_bool, is_nan, mul
from linstock.backends.onnx.registry import converter
from linstock.ir.errors import ExportError

BOOL, INT64 = 11, 4


def dims_of(b: Builder, x: Sym, dim: Any) -> list[int] | None:
    """The dimensions to reduce, from the front; None for all."""
    if dim is None or (isinstance(dim, list) and not dim):
        return None
    rank = b.rank(x)
    chosen = dim if isinstance(dim, list) else [dim]
    return [b.axis(x, d) for d in chosen] if rank else []


def reduce(b: Builder, kind: str, x: Sym, dim: Any, keepdim: bool = False) -> Sym:
    """A Reduce node. The dimension of a number is none."""
    dims = dims_of(b, x, dim)
    if dims is None and x.rank is not None:
        dims = list(range(x.rank))
    if dims is not None and not dims:
        return x if kind != "ReduceL2" else b.op("Abs", x)
    return b.op(kind, x, None if dims is None else b.ints(*dims), keepdims=int(keepdim))


def _summed(b: Builder, x: Sym, dtype: int | None) -> Sym:
    """The operand of a sum: integers are summed as int64."""
    if dtype is not None:
        return b.cast(x, dtype)
    return x if x.floating else b.cast(x, INT64)


def total(b: Builder, x: Sym, dim: Any = None, keepdim: bool = False, dtype: int | None = None) -> Sym:
    """The sum over dimensions."""
    return reduce(b, "ReduceSum", _summed(b, x, dtype), dim, keepdim)


converter("sum")(lambda b, x, dtype=None: total(b, x, None, False, dtype))
converter("sum.dim_IntList")(total)


@converter("nansum")
def _nansum(b: Builder, x: Sym, dim: Any = None, keepdim: bool = False, dtype: int | None = None) -> Sym:
    x = _summed(b, x, dtype)
    return total(b, b.op("Where", is_nan(b, x), 0.0, x) if x.floating else x, dim, keepdim)


def mean(b: Builder, x: Sym, dim: Any = None, keepdim: bool = False, dtype: int | None = None) -> Sym:
    """The mean over dimensions."""
    x = x if dtype is None else b.cast(x, dtype)
    dims = dims_of(b, x, dim)
    if x.static and 0 in [d for i, d in enumerate(x.shape or ()) if dims is None or i in dims]:
        return b.op("Div", reduce(b, "ReduceSum", x, dim, keepdim), 0.0)  # of nothing it is NaN, for ONNX Runtime 0
    return reduce(b, "ReduceMean", x, dim, keepdim)


converter("mean")(lambda b, x, dtype=None: mean(b, x, None, False, dtype))
converter("mean.dim")(mean)


@converter("nanmean")
def _nanmean(b: Builder, x: Sym, dim: Any = None, keepdim: bool = False, dtype: int | None = None) -> Sym:
    x = x if dtype is None else b.cast(x, dtype)
    count = reduce(b, "ReduceSum", b.cast(b.op("Not", is_nan(b, x)), x.dtype), dim, keepdim)
    return b.op("Div", _nansum(b, x, dim, keepdim), count)


@converter("prod.|dim_int")
def _prod(b: Builder, x: Sym, *args: Any) -> Sym:
    dim, keepdim, dtype = args if len(args) == 3 else (None, False, *args)
    return reduce(b, "ReduceProd", _summed(b, x, dtype), dim, keepdim)


def extreme(b: Builder, kind: str, x: Sym, dim: Any, keepdim: bool = False) -> Sym:
    """ReduceMax or ReduceMin, with NaN where there is one."""
    return reduce(b, kind, x, dim, keepdim)


converter("amax")(lambda b, x, dim=None, keepdim=False: extreme(b, "ReduceMax", x, dim, keepdim))
converter("amin")(lambda b, x, dim=None, keepdim=False: extreme(b, "ReduceMin", x, dim, keepdim))
converter("max")(lambda b, x: extreme(b, "ReduceMax", x, None))
converter("min")(lambda b, x: extreme(b, "ReduceMin", x, None))


def arg_extreme(b: Builder, kind: str, x: Sym, dim: int | None, keepdim: bool = False) -> Sym:
    """The place of an extreme: of the first one, as in PyTorch."""
    rank = b.rank(x)
    if rank == 0:
        return b.constant(np.asarray(0))
    if dim is None:
        found = b.op(kind, b.reshape(x, [-1]), axis=0, keepdims=0)
        return b.reshape(found, [1] * rank) if keepdim else found
    return b.op(kind, x, axis=b.axis(x, dim), keepdims=int(keepdim))


converter("argmax")(lambda b, x, dim=None, keepdim=False: arg_extreme(b, "ArgMax", x, dim, keepdim))
converter("argmin")(lambda b, x, dim=None, keepdim=False: arg_extreme(b, "ArgMin", x, dim, keepdim))
for _name in ("Max", "Min"):

    def _with_place(b: Builder, x: Sym, dim: int, keepdim: bool = False, name: str = _name) -> tuple[Sym, Sym]:
        return extreme(b, f"Reduce{name}", x, [dim], keepdim), arg_extreme(b, f"Arg{name}", x, dim, keepdim)

    converter(f"{_name.lower()}.dim")(_with_place)


@converter("aminmax")
def _aminmax(b: Builder, x: Sym, dim: int | None = None, keepdim: bool = False) -> tuple[Sym, Sym]:
    chosen = None if dim is None else [dim]
    low, high = (extreme(b, k, x, chosen, keepdim) for k in ("ReduceMin", "ReduceMax"))
    return (
        (low, high)
        if dim is not None or not keepdim
        else (b.reshape(low, [1] * b.rank(x)), b.reshape(high, [1] * b.rank(x)))
    )


def _quantified(name: str, kind: str) -> None:
    @converter(f"{name}.|dim|dims")
    def convert(b: Builder, x: Sym, dim: Any = None, keepdim: bool = False) -> Sym:
        chosen = dim if isinstance(dim, list) or dim is None else [dim]
        found = as_bool(b, reduce(b, kind, b.cast(as_bool(b, x), 3), chosen, keepdim))
        return b.cast(found, x.dtype) if x.dtype == 0 else found


_quantified("all", "ReduceMin")
_quantified("any", "ReduceMax")
converter("_is_all_true")(lambda b, x: as_bool(b, reduce(b, "ReduceMin", b.cast(x, 3), None)))
converter("_is_any_true")(lambda b, x: as_bool(b, reduce(b, "ReduceMax", b.cast(x, 3), None)))


@converter("count_nonzero.|dim_IntList")
def _count_nonzero(b: Builder, x: Sym, dim: Any = None) -> Sym:
    chosen = dim if isinstance(dim, list) or dim is None else [dim]
    return reduce(b, "ReduceSum", b.cast(as_bool(b, x), INT64), chosen)


# -- variance ----------------------------------------------------------------------------------------------------------
def count_of(b: Builder, x: Sym, dims: Sequence[int] | None) -> Any:
    """The number of elements that a reduction takes together: an int, or a Sym."""
    sizes = b.sizes(x) if dims is None else [b.size(x, d) for d in dims]
    result: Any = 1
    for s in sizes:
        result = result * s if not isinstance(result, Sym) and not isinstance(s, Sym) else b.op("Mul", result, s)
    return result


def variance(b: Builder, x: Sym, dim: Any, correction: float, keepdim: bool) -> tuple[Sym, Sym]:
    """(variance, mean) over dimensions, divided by the number of elements less `correction`."""
    dims = dims_of(b, x, dim)
    middle = mean(b, x, dims, True) if b.rank(x) else x
    apart = b.op("Sub", x, middle)
    squares = b.op("Mul", apart, apart)
    count = count_of(b, x, dims)
    if correction == 0 and not (isinstance(count, int) and count == 0):
        spread = reduce(b, "ReduceMean", squares, dims, keepdim)
    else:
        rest = max(count - correction, 0) if not isinstance(count, Sym) else b.op("Sub", count, int(correction))
        divisor = b.constant(float(rest), x.dtype) if not isinstance(rest, Sym) else b.cast(rest, x.dtype)
        spread = b.op("Div", reduce(b, "ReduceSum", squares, dims, keepdim), divisor)
    if keepdim or not b.rank(x):
        return spread, middle
    return spread, b.squeeze(middle, *(range(b.rank(x)) if dims is None else dims))


def _spread(name: str, root: bool, with_mean: bool) -> None:
    def finish(b: Builder, x: Sym, dim: Any, correction: float, keepdim: bool) -> Any:
        spread, middle = variance(b, x, dim, correction, keepdim)
        spread = b.op("Sqrt", spread) if root else spread
        return (spread, middle) if with_mean else spread

    @converter(name, f"{name}.dim")
    def convert(b: Builder, x: Sym, *args: Any) -> Any:
        dim, unbiased, keepdim = args if len(args) == 3 else (None, args[0], False)
        return finish(b, x, dim, int(unbiased), keepdim)

    @converter(f"{name}.correction")
    def corrected(b: Builder, x: Sym, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
        return finish(b, x, dim, 1 if correction is None else correction, keepdim)


_spread("std", True, False)
_spread("var", False, False)
_spread("std_mean", True, True)
_spread("var_mean", False, True)


# -- scans and differences ---------------------------------------------------------------------------------------------
@converter("cumsum")
def cumsum(b: Builder, x: Sym, dim: int, dtype: int | None = None) -> Sym:
    """Running sums."""
    x = _summed(b, x, dtype)
    return b.op("CumSum", x, b.constant(np.asarray(b.axis(x, dim)))) if b.rank(x) else x


@converter("cumprod")
def _cumprod(b: Builder, x: Sym, dim: int, dtype: int | None = None) -> Sym:
    x = _summed(b, x, dtype)
    return _scan(b, x, dim, "Mul") if b.rank(x) else x


@converter("logcumsumexp")
def _logcumsumexp(b: Builder, x: Sym, dim: int) -> Sym:
    if not b.rank(x):
        return x
    axis = b.axis(x, dim)
    high = reduce(b, "ReduceMax", x, [axis], True)
    high = b.op("Where", b.op("IsInf", high), 0.0, high)
    return b.op(
        "Add", b.op("Log", b.op("CumSum", b.op("Exp", b.op("Sub", x, high)), b.constant(np.asarray(axis)))), high
    )


def _scan(b: Builder, x: Sym, dim: int, kind: str) -> Sym:
    """Running values along a dimension: by doubling (element i is combined with those up to i after log2(size) steps), by a loop if its
    size depends on the inputs."""
    axis, size = b.axis(x, dim), b.size(x, dim)
    if isinstance(size, Sym):
        order = [axis, *[i for i in range(b.rank(x)) if i != axis]]
        front = b.transpose(x, order)

        def step_on(b: Builder, index: Sym, states: list[Sym]) -> tuple[None, list[Sym], list[Sym]]:
            new = b.op(kind, states[0], b.gather(front, index))
            return None, [new], [new]

        rounds = loop(b, [b.filled(b.sizes(front)[1:], 1, x.dtype)], step_on, size)[1]
        made = b.transpose(rounds[0], [order.index(i) for i in range(len(order))])
        return b.shaped(made, x.shape or ())
    step = 1
    while step < size:
        head = b.slice(x, axis, 0, step)
        x = b.op("Concat", head, b.op(kind, b.slice(x, axis, step), b.slice(x, axis, 0, size - step)), axis=axis)
        step *= 2
    return x


def _cumulative_extreme(name: str, kind: str, before: str) -> None:
    @converter(name)
    def convert(b: Builder, x: Sym, dim: int) -> tuple[Sym, Sym]:
        if not b.rank(x):
            return x, b.constant(np.asarray(0))
        axis, size = b.axis(x, dim), b.size(x, dim)
        if isinstance(size, Sym):
            raise ExportError(f"{name} over a dimension whose size depends on the inputs has no ONNX operator", b.span)
        shape = [size if i == axis else 1 for i in range(b.rank(x))]
        place = b.expand_to(b.constant(np.arange(size).reshape(shape)), x)
        values, step = x, 1
        while step < size:  # a later element wins where it is at least as extreme, or NaN
            old, new = b.slice(values, axis, 0, size - step), b.slice(values, axis, step)
            wins = b.op(before, new, old)
            if x.floating:
                wins = b.op("Or", wins, is_nan(b, new)) if kind else wins
                wins = b.op("And", wins, b.op("Or", b.op("Not", is_nan(b, old)), is_nan(b, new)))
            heads = b.slice(values, axis, 0, step), b.slice(place, axis, 0, step)
            values = b.op("Concat", heads[0], b.op("Where", wins, new, old), axis=axis)
            place = b.op(
                "Concat",
                heads[1],
                b.op("Where", wins, b.slice(place, axis, step), b.slice(place, axis, 0, size - step)),
                axis=axis,
            )
            step *= 2
        return values, place


_cumulative_extreme("cummax", "Max", "GreaterOrEqual")
_cumulative_extreme("cummin", "Min", "LessOrEqual")


@converter("diff")
def _diff(b: Builder, x: Sym, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Sym:
    axis = b.axis(x, dim)
    if n == 0:
        return x
    parts = [v for v in (prepend, x, append) if v is not None]
    x = b.op("Concat", *b.promote(*parts), axis=axis)
    for _ in range(n):
        later, earlier = b.slice(x, axis, 1), b.slice(x, axis, 0, -1)
        x = b.op("Xor" if x.dtype == BOOL else "Sub", later, earlier)
    return x


@converter("equal")
def _equal(b: Builder, x: Sym, y: Sym) -> Any:
    if x.static and y.static and x.shape != y.shape:
        return False
    same = b.op("Equal", *b.promote(x, y))
    return as_bool(b, reduce(b, "ReduceMin", b.cast(same, 3), None))


@converter("allclose")
def _allclose(b: Builder, x: Sym, y: Sym, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Sym:
    from linstock.backends.onnx.registry import find

    close = find("aten::isclose")
    assert close is not None
    return as_bool(b, reduce(b, "ReduceMin", b.cast(close(b, x, y, rtol, atol, equal_nan), 3), None))


@converter("sum_to_size", "_grad_sum_to_size")
def _sum_to_size(b: Builder, x: Sym, size: list[Any] | None) -> Sym:
    if size is None:
        return x
    extra = b.rank(x) - len(size)
    shape = [1] * extra + [s.dim if isinstance(s, Sym) else s for s in size]
    dims = [
        i
        for i, (want, have) in enumerate(zip(shape, x.shape or (), strict=True))
        if i < extra or (want == 1 and have != 1)
    ]
    made = reduce(b, "ReduceSum", x, dims, True) if dims else x
    return b.squeeze(made, *range(extra)) if extra else made


@converter("gradient.scalarint")
def _gradient(b: Builder, x: Sym, spacing: Any = None, dim: int | None = None, edge_order: int = 1) -> list[Sym]:
    dims = range(b.rank(x)) if dim is None else [b.axis(x, dim)]
    return [_slope(b, x, d, 1.0 if spacing is None else float(spacing), edge_order) for d in dims]


@converter("gradient.array", "gradient.scalararray")
def _gradient_dims(b: Builder, x: Sym, *args: Any) -> list[Sym]:
    spacing, dims, edge_order = args[0], args[1] if isinstance(args[1], list) else [args[1]], args[-1]
    steps = spacing if isinstance(spacing, list) else [spacing] * len(dims)
    return [_slope(b, x, b.axis(x, d), float(s), edge_order) for d, s in zip(dims, steps, strict=True)]


def _slope(b: Builder, x: Sym, axis: int, step: float, edge_order: int) -> Sym:
    """Central differences, one-sided at the ends."""
    x = b.floating(x)
    part = lambda start, end: b.slice(x, axis, start, end)  # noqa: E731
    inner = b.op("Div", b.op("Sub", part(2, None), part(0, -2)), 2 * step)  # type: ignore[no-untyped-call]
    if edge_order == 1:
        first, last = b.op("Sub", part(1, 2), part(0, 1)), b.op("Sub", part(-1, None), part(-2, -1))  # type: ignore[no-untyped-call]
        ends = b.op("Div", first, step), b.op("Div", last, step)
    else:
        weigh = lambda *terms: add(  # noqa: E731
            b,
            add(b, mul(b, terms[0][0], terms[0][1]), mul(b, terms[1][0], terms[1][1])),
            mul(b, terms[2][0], terms[2][1]),
        )
        first = weigh((part(0, 1), -1.5 / step), (part(1, 2), 2 / step), (part(2, 3), -0.5 / step))  # type: ignore[no-untyped-call]
        last = weigh((part(-3, -2), 0.5 / step), (part(-2, -1), -2 / step), (part(-1, None), 1.5 / step))  # type: ignore[no-untyped-call]
        ends = first, last
    return b.op("Concat", ends[0], inner, ends[1], axis=axis)
