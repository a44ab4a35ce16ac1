"""ONNX forms of the pooling family. Interpolation is in `pooling_upsample`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.registry import converter, no_form
from linstock.backends.onnx.view import pad
from linstock.ir.errors import ExportError


def _each(values: Sequence[int], rank: int) -> list[int]:
    """One value per spatial dimension."""
    values = values if isinstance(values, (list, tuple)) else [values]  # type: ignore[list-item]
    return list(values) * rank if len(values) == 1 else list(values)


class _Windows:
    """The windows of a pooling over a batch (made of a single sample where that is given)."""

    def __init__(
        self, b: Builder, x: Sym, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> None:
        self.b, self.rank = b, rank
        self.single = b.rank(x) == rank + 1
        self.x = b.unsqueeze(x, 0) if self.single else x
        self.kernel, self.padding, self.dilation = (_each(v, rank) for v in (kernel, padding, dilation))
        self.stride = _each(stride, rank) if stride else self.kernel
        self.sizes = [b.size(self.x, 2 + i) for i in range(rank)]
        self.ceil_mode = ceil_mode
        #: how far the last window reaches past the padding
        self.extra = [0] * rank
        if ceil_mode and all(isinstance(s, int) for s in self.sizes):
            self.extra = [self._past(i) for i in range(rank)]
            self.ceil_mode = False

    def _past(self, i: int) -> int:
        reach = self.dilation[i] * (self.kernel[i] - 1) + 1
        room = self.sizes[i] + 2 * self.padding[i] - reach
        count = -(-room // self.stride[i]) + 1
        if (count - 1) * self.stride[i] >= self.sizes[i] + self.padding[i]:
            count -= 1  # a window that would begin in the padding at the end is left out
        return max((count - 1) * self.stride[i] - room, 0)  # type: ignore[no-any-return]

    @property
    def options(self) -> dict[str, Any]:
        """Attributes that all pooling nodes have."""
        high = [p + e for p, e in zip(self.padding, self.extra, strict=True)]
        return {
            "kernel_shape": self.kernel,
            "strides": self.stride,
            "pads": [*self.padding, *high],
            "ceil_mode": 1 if self.ceil_mode else None,
        }

    def fitting(self, value: float | None) -> dict[str, Any]:
        """The options, after padding that is as large as the kernel (which ONNX Runtime refuses) was done beforehand."""
        options = self.options
        if any(p >= k for p, k in zip(options["pads"], self.kernel * 2, strict=True)):
            amounts = [
                v for i in reversed(range(self.rank)) for v in (options["pads"][i], options["pads"][self.rank + i])
            ]
            self.x = pad(self.b, self.x, amounts, "constant", value)
            options["pads"] = [0] * (2 * self.rank)
        return options

    def done(self, made: Sym) -> Sym:
        """The result, without the batch that was added."""
        return self.b.squeeze(made, 0) if self.single else made


def _max_pool(
    b: Builder, x: Sym, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, outputs: int
) -> Any:
    w = _Windows(b, x, rank, kernel, stride, padding, dilation, ceil_mode)
    options = w.options if outputs == 2 else w.fitting(-math.inf if x.floating else float(np.iinfo(np.int64).min))
    made = b.ops("MaxPool", w.x, outputs=outputs, dilations=w.dilation, **options)
    if outputs == 1:
        return w.done(made[0])
    plane = b.op("Mul", w.sizes[0], np.asarray(1)) if isinstance(w.sizes[0], Sym) else np.asarray(w.sizes[0])
    for s in w.sizes[1:]:
        plane = b.op("Mul", plane, np.asarray(s) if isinstance(s, int) else s)
    return w.done(made[0]), w.done(b.op("Mod", made[1], plane))


for _rank in (1, 2, 3):

    def _plain(
        b: Builder, x: Sym, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, rank: int = _rank
    ) -> Any:
        return _max_pool(b, x, rank, kernel, stride, padding, dilation, ceil_mode, 1)

    def _indexed(
        b: Builder, x: Sym, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, rank: int = _rank
    ) -> Any:
        return _max_pool(b, x, rank, kernel, stride, padding, dilation, ceil_mode, 2)

    converter(f"max_pool{_rank}d")(_plain)
    converter(f"max_pool{_rank}d_with_indices")(_indexed)


def _avg_pool(
    b: Builder,
    x: Sym,
    rank: int,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    include_pad: bool,
    divisor: int | None,
) -> Sym:
    w = _Windows(b, x, rank, kernel, stride, padding, [1], ceil_mode)
    extra = any(w.extra)
    count = math.prod(w.kernel)
    if not x.floating:
        return _avg_pool_whole(b, w, include_pad, divisor)
    if divisor is None and not extra and (include_pad or any(w.padding)):
        made = b.op("AveragePool", w.x, count_include_pad=int(include_pad and any(w.padding)) or None, **w.options)
        return w.done(made)
    if divisor is None and not any(w.padding) and not extra:
        return w.done(b.op("AveragePool", w.x, **w.options))
    options = w.fitting(0.0)
    made = b.op("AveragePool", w.x, count_include_pad=1 if any(options["pads"]) else None, **options)
    if divisor is not None:
        return w.done(b.op("Mul", made, count / divisor))
    factors = [_counted(w, i, include_pad) for i in range(rank)]
    factor = np.asarray(float(count))
    for i, f in enumerate(factors):
        factor = factor / f.reshape([-1, *[1] * (rank - 1 - i)])
    return w.done(b.op("Mul", made, b.constant(factor, x.dtype)))


def _avg_pool_whole(b: Builder, w: _Windows, include_pad: bool, divisor: int | None) -> Sym:
    """Averages of integers, rounded towards zero as a division of sums."""
    options, code = w.fitting(0.0), w.x.dtype
    made = b.op("AveragePool", b.cast(w.x, 6), count_include_pad=1 if any(options["pads"]) else None, **options)
    sums = b.cast(b.op("Round", b.op("Mul", made, float(math.prod(w.kernel)))), code)
    if divisor is not None:
        return w.done(b.op("Div", sums, divisor))
    counts = np.ones((), np.int64)
    for i in range(w.rank):
        counts = counts * _counted(w, i, include_pad).reshape([-1, *[1] * (w.rank - 1 - i)])
    return w.done(b.op("Div", sums, b.constant(counts, code)))


def _counted(w: _Windows, i: int, include_pad: bool) -> np.ndarray[Any, Any]:
    """How many places of each window along a dimension count."""
    end = w.sizes[i] + w.padding[i] + (w.padding[i] if include_pad else 0)
    total = w.sizes[i] + 2 * w.padding[i] + w.extra[i]
    starts = np.arange(0, total - w.kernel[i] + 1, w.stride[i])
    low = starts if include_pad else np.maximum(starts, w.padding[i])
    return np.minimum(starts + w.kernel[i], end) - low  # type: ignore[no-any-return]


converter("avg_pool1d")(
    lambda b, x, kernel, stride, padding, ceil_mode, include_pad: _avg_pool(
        b, x, 1, kernel, stride, padding, ceil_mode, include_pad, None
    )
)
for _rank in (2, 3):

    def _averaged(
        b: Builder,
        x: Sym,
        kernel: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        include_pad: bool,
        divisor: int | None,
        rank: int = _rank,
    ) -> Sym:
        return _avg_pool(b, x, rank, kernel, stride, padding, ceil_mode, include_pad, divisor)

    converter(f"avg_pool{_rank}d")(_averaged)


# -- adaptive ----------------------------------------------------------------------------------------------------------
def _adaptive_sizes(b: Builder, x: Sym, output_size: Sequence[Any]) -> list[tuple[Any, int]]:
    """(size, wanted size) of each spatial dimension; equal ones stay."""
    first = b.rank(x) - len(output_size)
    pairs = []
    for i, want in enumerate(output_size):
        size = b.size(x, first + i)
        want = size if want is None or want == -1 else want
        if isinstance(want, Sym):
            if size is not want:
                raise ExportError(
                    f"adaptive pooling to size {want} of a dimension whose size depends on the inputs", b.span
                )
        pairs.append((size, want))
    return pairs


def _bounds(size: int, want: int) -> list[tuple[int, int]]:
    return [(i * size // want, -(-(i + 1) * size // want)) for i in range(want)]


def _adaptive_avg(b: Builder, x: Sym, output_size: Sequence[Any]) -> Sym:
    pairs = _adaptive_sizes(b, x, output_size)
    first = b.rank(x) - len(pairs)
    ones = [first + i for i, (size, want) in enumerate(pairs) if want == 1 and size != 1]
    rest = [(i, p) for i, p in enumerate(pairs) if p[1] != 1 and p[0] is not p[1] and p[0] != p[1]]
    if ones:
        x = b.op("ReduceMean", x, b.ints(*ones))
    if (
        rest
        and len(rest) == len(pairs)
        and all(isinstance(size, int) and size % want == 0 for _, (size, want) in rest)
        and b.rank(x) == len(pairs) + 2
    ):
        kernel = [size // want for size, want in pairs]
        return b.op("AveragePool", x, kernel_shape=kernel, strides=kernel)
    for i, (size, want) in rest:
        axis = first + i
        order = [d for d in range(b.rank(x)) if d != axis] + [axis]
        made = b.op("MatMul", b.transpose(x, order), _shares(b, size, want, x.dtype))
        x = b.transpose(made, [order.index(d) for d in range(len(order))])
    return x


def _shares(b: Builder, size: Any, want: int, code: int) -> Sym:
    """The share of each place (row) in each mean (column)."""
    if not isinstance(size, Sym):
        shares = np.zeros((size, want))
        for j, (low, high) in enumerate(_bounds(size, want)):
            shares[low:high, j] = 1 / (high - low)
        return b.constant(shares, code)
    steps = np.arange(want)
    start = b.op("Div", b.op("Mul", steps, size), np.asarray(want))
    end = b.op("Div", b.op("Add", b.op("Mul", steps + 1, size), np.asarray(want - 1)), np.asarray(want))
    places = b.unsqueeze(b.op("Range", np.asarray(0), size, np.asarray(1)), 1)
    inside = b.op("And", b.op("GreaterOrEqual", places, start), b.op("Less", places, end))
    return b.op("Div", b.cast(inside, code), b.cast(b.op("Sub", end, start), code))


for _rank in (1, 2, 3):
    converter(f"adaptive_avg_pool{_rank}d")(_adaptive_avg)


def _adaptive_max(b: Builder, x: Sym, output_size: Sequence[Any]) -> tuple[Sym, Sym]:
    """The largest of each region: regions are gathered, shorter ones with their last element repeated."""
    pairs = _adaptive_sizes(b, x, output_size)
    if all(want == 1 for _, want in pairs):
        lead = b.sizes(x)[: b.rank(x) - len(pairs)]
        whole, single = b.reshape(x, [*lead, -1]), [*lead, *[1] * len(pairs)]
        best = b.op("ReduceMax", whole, b.ints(-1), keepdims=1)
        return b.reshape(best, single), b.reshape(b.op("ArgMax", whole, axis=len(lead), keepdims=1), single)
    if any(isinstance(size, Sym) for size, _ in pairs):
        raise ExportError("adaptive max pooling of a dimension whose size depends on the inputs", b.span)
    rank, first = len(pairs), b.rank(x) - len(pairs)
    shape = [size for size, _ in pairs]
    places = np.arange(math.prod(shape)).reshape(shape)
    for i, (size, want) in enumerate(pairs):
        longest = max(high - low for low, high in _bounds(size, want))
        index = np.asarray([[min(low + j, high - 1) for j in range(longest)] for low, high in _bounds(size, want)])
        x = b.gather(x, index, first + 2 * i)
        places = np.take(places, index, 2 * i)
    order = [*range(first), *range(first, first + 2 * rank, 2), *range(first + 1, first + 2 * rank, 2)]
    wanted = [want for _, want in pairs]
    flat = b.reshape(b.transpose(x, order), [*b.sizes(x)[:first], *wanted, -1])
    places = places.transpose([d - first for d in order[first:]]).reshape(*wanted, -1)
    best = b.op("ReduceMax", flat, b.ints(-1), keepdims=0)
    at = b.op("ArgMax", flat, axis=first + rank, keepdims=1)
    wide = b.expand_to(b.constant(places), flat)
    return best, b.squeeze(b.op("GatherElements", wide, at, axis=first + rank), first + rank)


for _rank in (1, 2, 3):
    converter(f"adaptive_max_pool{_rank}d")(_adaptive_max)


def _unpooled(b: Builder, x: Sym, indices: Sym, output_size: Sequence[Any]) -> Sym:
    first = b.rank(x) - len(output_size)
    lead = b.sizes(x)[:first]
    count = math.prod(output_size)
    flat = b.op(
        "ScatterElements",
        b.filled([*lead, count], 0, x.dtype),
        b.reshape(indices, [*lead, -1]),
        b.reshape(x, [*lead, -1]),
        axis=first,
    )
    return b.reshape(flat, [*lead, *output_size])


converter("max_unpool2d")(_unpooled)
converter("max_unpool3d")(lambda b, x, indices, output_size, stride, padding: _unpooled(b, x, indices, output_size))


# -- shuffles ----------------------------------------------------------------------------------------------------------
@converter("pixel_shuffle")
def _pixel_shuffle(b: Builder, x: Sym, factor: int) -> Sym:
    if b.rank(x) == 4:
        return b.op("DepthToSpace", x, blocksize=factor, mode="CRD")
    *lead, channels, height, width = b.sizes(x)
    n = len(lead)
    parts = b.reshape(x, [*lead, channels // factor**2, factor, factor, height, width])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return b.reshape(
        b.transpose(parts, order), [*lead, channels // factor**2, _times(b, height, factor), _times(b, width, factor)]
    )


def _times(b: Builder, size: Any, factor: int) -> Any:
    return b.op("Mul", size, np.asarray(factor)) if isinstance(size, Sym) else size * factor


@converter("pixel_unshuffle")
def _pixel_unshuffle(b: Builder, x: Sym, factor: int) -> Sym:
    *lead, channels, height, width = b.sizes(x)
    n = len(lead)
    over = [b.op("Div", s, np.asarray(factor)) if isinstance(s, Sym) else s // factor for s in (height, width)]
    parts = b.reshape(x, [*lead, channels, over[0], factor, over[1], factor])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return b.reshape(b.transpose(parts, order), [*lead, channels * factor**2, *over])


@converter("channel_shuffle", "native_channel_shuffle")
def _channel_shuffle(b: Builder, x: Sym, groups: int) -> Sym:
    sizes = b.sizes(x)
    parts = b.reshape(x, [sizes[0], groups, sizes[1] // groups, *sizes[2:]])
    return b.reshape(b.transpose(parts, [0, 2, 1, *range(3, len(sizes) + 1)]), sizes)


no_form("fractional_max_pool2d", "fractional_max_pool3d", reason="its regions are random")
