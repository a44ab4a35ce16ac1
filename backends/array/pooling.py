"""Pooling: maximum, average, adaptive, fractional and their inverses. Resampling is in `pooling_upsample`.

A maximum without indices and an average are separable: each axis is reduced by a few shifted slices. Indices come from
one `argmax` over the unfolded windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array import pooling_upsample as pooling_upsample
from linstock.backends.array.conv import Array, last, pad_spatial, patches, scalar_name, type_name
from linstock.backends.array.promotion import is_inexact, wide
from linstock.backends.array.registry import kernel

Ints = Sequence[int]


def _ints(value: int | Ints, n: int, name: str, op: str) -> tuple[int, ...]:
    values = (int(value),) if isinstance(value, int) else tuple(int(v) for v in value)
    if len(values) == 1:
        return values * n
    if len(values) != n:
        raise RuntimeError(f"{op}: {name} must either be a single int, or a tuple of {n} ints")
    return values


def output_size(size: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    """Number of windows along one axis; with `ceil_mode` a last window may reach beyond the end, never start there."""
    out = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    return out - 1 if ceil_mode and (out - 1) * s >= size + p else out


def _geometry(
    x: Array, k: Ints, s: Ints, p: Ints, d: Ints, ceil_mode: bool, op: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Output sizes and what to pad at the far end of every axis. Raises RuntimeError as PyTorch does."""
    n = len(k)
    if min(k) <= 0:
        raise RuntimeError("kernel size should be greater than zero, but got " + _named("k", k))
    if min(s) <= 0:
        raise RuntimeError("stride should be greater than zero, but got " + _named("d", s))
    if min(d) <= 0:
        raise RuntimeError("dilation should be greater than zero, but got " + _named("dilation", d))
    sizes = x.shape[x.ndim - n :]
    for kk, pp, dd in zip(k, p, d):
        if pp < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {pp}")
        if pp > ((kk - 1) * dd + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={pp}, kernel_size={kk} and "
                f"dilation={dd}"
            )
    if 0 in x.shape[1:] or (x.ndim == n + 1 and 0 in x.shape):
        raise RuntimeError(_expected(n, op, x))
    out = tuple(output_size(*v, ceil_mode) for v in zip(sizes, k, s, p, d))
    if min(out) < 1:
        lead = x.shape[x.ndim - n - 1 : x.ndim - n]
        raise RuntimeError(
            f"Given input size: ({'x'.join(str(v) for v in lead + sizes)}). Calculated output size: "
            f"({'x'.join(str(v) for v in lead + out)}). Output size is too small"
        )
    after = tuple(
        max(0, (o - 1) * ss + dd * (kk - 1) + 1 - size - pp) for o, size, kk, ss, pp, dd in zip(out, sizes, k, s, p, d)
    )
    return out, after


def _named(prefix: str, values: Ints) -> str:
    axes = "TWH"[-len(values) :] if len(values) != 2 else "HW"
    return " ".join(f"{prefix}{a}: {v}" for a, v in zip(axes, values))


def _expected(n: int, op: str, x: Array) -> str:
    prefix = "max_pool1d: " if op == "max_pool1d" else ""
    ranks = f"{n + 1}D or {n + 2}D (batch mode)"
    return f"{prefix}Expected {ranks} tensor with optional 0 dim batch size for input, but got:{list(x.shape)}"


def _rank(x: Array, n: int, op: str) -> None:
    if x.ndim not in (n + 1, n + 2):
        if n == 3:
            raise RuntimeError(f"non-empty 4D or 5D (batch mode) tensor expected for input, but got: {list(x.shape)}")
        raise RuntimeError(_expected(n, op, x))


def _lowest(dtype: np.dtype[Any]) -> Any:
    return -np.inf if is_inexact(dtype) else np.iinfo(dtype).min


def _shifted(x: Array, axis: int, k: int, s: int, d: int, out: int, combine: Callable[..., Array]) -> Array:
    """Reduce the windows along one axis with `combine`, one shifted slice per tap."""

    def tap(t: int) -> Array:
        at: list[slice] = [slice(None)] * x.ndim
        at[axis] = slice(t * d, t * d + s * (out - 1) + 1, s)
        return x[tuple(at)]

    if k == 1:
        return tap(0)
    total = combine(tap(0), tap(1))
    for t in range(2, k):
        combine(total, tap(t), out=total)
    return total


def max_values(x: Array, k: Ints, s: Ints, p: Ints, d: Ints, ceil_mode: bool, op: str = "max_pool") -> Array:
    """Maximum over windows of the last len(k) axes."""
    n = len(k)
    out, after = _geometry(x, k, s, p, d, ceil_mode, op)
    y = pad_spatial(wide(x), p, after, _lowest(x.dtype))
    for i in reversed(range(n)):
        y = _shifted(y, y.ndim - n + i, k[i], s[i], d[i], out[i], np.maximum)
    y = y.astype(x.dtype, copy=False)
    return y.copy() if np.may_share_memory(y, x) else y


def _pick(
    view: Array, n: int, sizes: Ints, coordinate: Callable[[int, Array], Array], fill: Any
) -> tuple[Array, Array]:
    """Maximum over the window axes of (*lead, *size, *positions) and the flat index where it was found.

    `coordinate(axis, tap)` gives the input coordinate of a tap index; it is negative before the input's beginning. Of
    several equal values the first one counts, of several NaN the last.
    """
    size = view.shape[-2 * n : view.ndim - n]
    values, tap = _few_taps(view, n) if math.prod(size) <= 64 else _many_taps(view, n)
    index = np.zeros_like(tap)
    low = np.zeros_like(tap)
    step = 1
    zero = np.zeros_like(tap)
    for i in reversed(range(n)):
        index += np.clip(coordinate(i, tap % size[i]), 0, None) * step
        first = coordinate(i, zero)
        if (first < 0).any():  # the first tap inside the input
            stride = coordinate(i, zero + 1) - first
            first = np.where(first < 0, first + -(first // stride) * stride, first)
        low += first * step
        tap = tap // size[i]
        step *= sizes[i]
    return values, np.where(values == fill, low, index).astype(np.int64, copy=False)


def _few_taps(view: Array, n: int) -> tuple[Array, Array]:
    """Maximum and flat tap index, one comparison per tap."""
    lead = (slice(None),) * (view.ndim - 2 * n)
    real = is_inexact(view.dtype)
    best = taps = None
    for t, at in enumerate(np.ndindex(*view.shape[-2 * n : view.ndim - n])):
        value = view[(*lead, *at)]
        if best is None or taps is None:
            best, taps = value.copy(), np.zeros_like(value, dtype=np.int64)
            continue
        better = value > best
        if real:
            better |= value != value
        np.copyto(best, value, where=better)
        np.copyto(taps, t, where=better)
    assert best is not None and taps is not None
    return best, taps


def _many_taps(view: Array, n: int) -> tuple[Array, Array]:
    """Maximum and flat tap index, by one `argmax`."""
    lead, positions = view.shape[: -2 * n], view.shape[view.ndim - n :]
    taps = math.prod(view.shape[-2 * n : view.ndim - n])
    flat = view.reshape(*lead, taps, *positions)
    axis = len(lead)
    best = np.argmax(flat, axis=axis, keepdims=True)
    values = np.take_along_axis(flat, best, axis=axis)
    if is_inexact(view.dtype):
        nan = np.isnan(values)
        if nan.any():
            last = taps - 1 - np.argmax(np.flip(np.isnan(flat), axis), axis=axis, keepdims=True)
            best = np.where(nan, last, best)
    return values.squeeze(axis), best.squeeze(axis)


def _along(values: Array, i: int, n: int) -> Array:
    return values.reshape(*(-1 if j == i else 1 for j in range(n)))


def max_with_indices(
    x: Array, k: Ints, s: Ints, p: Ints, d: Ints, ceil_mode: bool, op: str = "max_pool"
) -> tuple[Array, Array]:
    """Maximum over windows and the flat index of each in its plane."""
    n = len(k)
    out, after = _geometry(x, k, s, p, d, ceil_mode, op)
    fill = _lowest(x.dtype)
    if 0 in x.shape:
        shape = x.shape[: x.ndim - n] + out
        return np.zeros_like(x, shape=shape), np.zeros_like(x, shape=shape, dtype=np.int64)
    view = patches(pad_spatial(wide(x), p, after, fill), k, s, d)

    def coordinate(i: int, tap: Array) -> Array:
        return tap * d[i] + _along(np.arange(out[i]) * s[i] - p[i], i, n)

    values, index = _pick(view, n, x.shape[x.ndim - n :], coordinate, fill)
    return values.astype(x.dtype, copy=False), index


def _max_arguments(
    self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, n: int, op: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    k = _ints(kernel_size, n, "kernel_size", op)
    if not isinstance(stride, int) and len(stride) not in (0, 1, n):
        raise RuntimeError(f"{op}: stride must either be omitted, a single int, or a tuple of {n} ints")
    s = k if not isinstance(stride, int) and len(stride) == 0 else _ints(stride, n, "stride", op)
    p, d = _ints(padding, n, "padding", op), _ints(dilation, n, "dilation", op)
    _rank(self, n, op)
    if self.dtype == np.bool_ or self.dtype.kind == "c":
        raise NotImplementedError(f"\"{op}\" not implemented for '{type_name(self.dtype)}'")
    return k, s, p, d


def _max_pool(n: int) -> None:
    op = f"max_pool{n}d"

    def pool(
        self: Array,
        kernel_size: Ints,
        stride: Ints = (),
        padding: Ints = (0,),
        dilation: Ints = (1,),
        ceil_mode: bool = False,
    ) -> Array:
        k, s, p, d = _max_arguments(self, kernel_size, stride, padding, dilation, n, op)
        return max_values(self, k, s, p, d, ceil_mode, op)

    def with_indices(
        self: Array,
        kernel_size: Ints,
        stride: Ints = (),
        padding: Ints = (0,),
        dilation: Ints = (1,),
        ceil_mode: bool = False,
    ) -> tuple[Array, Array]:
        k, s, p, d = _max_arguments(self, kernel_size, stride, padding, dilation, n, op)
        return max_with_indices(self, k, s, p, d, ceil_mode, op)

    pool.__doc__ = f"Maximum over {n}-dimensional windows; NaN wins."
    with_indices.__doc__ = f"Maximum over {n}-dimensional windows and the flat index of each in its plane."
    kernel(f"aten::{op}")(pool)
    kernel(f"aten::{op}_with_indices")(with_indices)


for _n in (1, 2, 3):
    _max_pool(_n)


@kernel("aten::max_pool2d_with_indices_backward")
def max_pool2d_with_indices_backward(
    grad_output: Array, self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool,
    indices: Array,
) -> Array:  # fmt: skip
    """The gradient of `max_pool2d`: every output's gradient is added where its maximum was."""
    planes = math.prod(self.shape[:-2])
    result = np.zeros_like(wide(self), shape=(planes, self.shape[-2] * self.shape[-1]))
    rows = np.arange(planes)[:, None]
    np.add.at(result, (rows, indices.reshape(planes, -1)), wide(grad_output).reshape(planes, -1))
    return result.reshape(self.shape).astype(self.dtype, copy=False)


def _window_sums(x: Array, axis: int, k: int, s: int, out: int) -> Array:
    if k > 16:
        axis %= x.ndim
        if k == s and out * k == x.shape[axis]:
            total: Array = np.add.reduce(x.reshape(*x.shape[:axis], out, k, *x.shape[axis + 1 :]), axis=axis + 1)
            return total
        view = np.lib.stride_tricks.sliding_window_view(x, k, axis=axis)
        total = np.add.reduce(view[(slice(None),) * axis + (slice(None, None, s),)], axis=-1)
        return total
    return _shifted(x, axis, k, s, 1, out, np.add)


def _avg_pool(
    self: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
    divisor: int | None, n: int,
) -> Array:  # fmt: skip
    op = f"avg_pool{n}d"
    k = _ints(kernel_size, n, "kernel_size", op)
    if not isinstance(stride, int) and len(stride) not in (0, 1, n):
        raise RuntimeError(f"{op}: stride must either be omitted, a single int, or a tuple of {n} ints")
    s = k if not isinstance(stride, int) and len(stride) == 0 else _ints(stride, n, "stride", op)
    p = _ints(padding, n, "padding", op)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    _rank(self, n, op)
    out, after = _geometry(self, k, s, p, (1,) * n, ceil_mode, op)
    integer = not is_inexact(self.dtype)
    if (integer and self.dtype != np.int64) or self.dtype.kind == "c":
        raise NotImplementedError(f"\"{op}_out_frame\" not implemented for '{type_name(self.dtype)}'")
    sizes = self.shape[self.ndim - n :]
    y = pad_spatial(wide(self), p, after)
    for i in reversed(range(n)):
        y = _window_sums(y, y.ndim - n + i, k[i], s[i], out[i])
    count: Any = 1
    if divisor is not None:
        count = divisor
    else:
        for i in range(n):
            start = np.arange(out[i]) * s[i] - p[i]
            end = np.minimum(start + k[i], sizes[i] + p[i])
            if not count_include_pad:
                start, end = np.maximum(start, 0), np.minimum(end, sizes[i])
            count = count * _along(np.maximum(end - start, 1), i, n)
    if integer:
        y = np.sign(y) * np.sign(count) * (np.abs(y) // np.abs(count))
    else:
        y = y / np.asarray(count, dtype=y.dtype, like=y)
    return np.asarray(y).astype(self.dtype, copy=False)


@kernel("aten::avg_pool1d")
def avg_pool1d(
    self: Array, kernel_size: Ints, stride: Ints = (), padding: Ints = (0,), ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Array:  # fmt: skip
    """Average over 1-dimensional windows."""
    return _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


@kernel("aten::avg_pool2d")
def avg_pool2d(
    self: Array, kernel_size: Ints, stride: Ints = (), padding: Ints = (0,), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Array:  # fmt: skip
    """Average over 2-dimensional windows."""
    return _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@kernel("aten::avg_pool3d")
def avg_pool3d(
    self: Array, kernel_size: Ints, stride: Ints = (), padding: Ints = (0,), ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Array:  # fmt: skip
    """Average over 3-dimensional windows."""
    return _avg_pool(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def _adaptive_bounds(size: int, out: int) -> tuple[Array, Array]:
    i = np.arange(out, dtype=np.int64)
    return i * size // out, -(-(i + 1) * size // out)


def _adaptive_check(self: Array, size: int | Ints, n: int, op: str) -> tuple[int, ...]:
    out = (int(size),) if isinstance(size, int) else tuple(int(v) for v in size)
    if len(out) != n:
        if n == 1:
            raise RuntimeError(f"{op}() argument 'output_size' should contain one int (got {len(out)})")
        if len(out) != 1:
            internal = "(): internal error: output_size.size() must be " if "max" in op else ": output_size must be "
            raise RuntimeError(f"{op}{internal}{n}")
        out = out * n
    if min(out) < 0 and "max" in op:
        shape = self.shape[: self.ndim - n] + out
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(out)}: {list(shape)}")
    if min(out) < 0:
        raise RuntimeError(
            f"{op}: elements of output_size must be greater than or equal to 0 but received {_braces(out)}"
        )
    if self.ndim not in (n + 1, n + 2):
        ranks = f"{n + 1}D or {n + 2}D"
        if "max" in op:
            raise RuntimeError(f"{op}(): Expected {ranks} tensor, but got: {list(self.shape)}")
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {self.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking "
            f"arguments for {op})"
            if n == 1
            else f"{op}(): Expected {ranks} tensor, but got {list(self.shape)}"
        )
    for i in range(self.ndim - n, self.ndim):
        if self.shape[i] == 0 and 0 not in out:
            raise RuntimeError(
                f"{op}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(self.shape)} with dimension {i} being empty"
            )
    if not is_inexact(self.dtype) or self.dtype.kind == "c":
        if "avg" in op or self.dtype.kind in "bc":
            raise NotImplementedError(f"\"{op}\" not implemented for '{type_name(self.dtype)}'")
    return out


def _braces(values: Ints) -> str:
    return "{" + ", ".join(str(v) for v in values) + "}"


def adaptive_average(self: Array, out: Ints) -> Array:
    """Average over windows that divide each of the last axes into `out` parts."""
    n = len(out)
    y = wide(self)
    if all(o == 1 for o in out) and y.ndim > n:  # one mean per plane
        sizes = y.shape[y.ndim - n :]
        total: Array = np.add.reduce(y.reshape(*y.shape[: y.ndim - n], math.prod(sizes)), axis=-1)
        total /= math.prod(sizes)
        return total.reshape(*total.shape, *(1,) * n).astype(self.dtype, copy=False)
    for i in reversed(range(n)):
        axis = y.ndim - n + i
        size = y.shape[axis]
        if out[i] and size % out[i] == 0:
            shape = (*y.shape[:axis], out[i], size // out[i], *y.shape[axis + 1 :])
            y = np.add.reduce(y.reshape(shape), axis=axis + 1) if size != out[i] else y
            count: Any = size // out[i]
        else:
            start, end = _adaptive_bounds(size, out[i])
            total = np.zeros_like(y, shape=(*y.shape[:axis], out[i], *y.shape[axis + 1 :]))
            lengths = end - start
            for t in range(int(lengths.max(initial=0))):
                part = np.take(y, np.minimum(start + t, size - 1), axis=axis)
                inside = (t < lengths).reshape(-1, *(1,) * (y.ndim - axis - 1))
                total += np.where(inside, part, part.dtype.type(0))
            y = total
            count = np.asarray(lengths.reshape(-1, *(1,) * (y.ndim - axis - 1)), dtype=y.dtype, like=y)
        y = y / y.dtype.type(count) if isinstance(count, int) else y / count
    return y.astype(self.dtype, copy=False)


def _adaptive_avg(n: int) -> None:
    op = f"adaptive_avg_pool{n}d"

    def pool(self: Array, output_size: Ints) -> Array:
        return adaptive_average(self, _adaptive_check(self, output_size, n, op))

    pool.__doc__ = f"Average over windows that divide the last {n} axes into the given numbers of parts."
    kernel(f"aten::{op}")(pool)


def adaptive_max(self: Array, out: Ints) -> tuple[Array, Array]:
    """Maximum, and its flat index, over windows that divide each of the last axes into `out` parts."""
    n = len(out)
    sizes = self.shape[self.ndim - n :]
    if 0 in out or 0 in self.shape:
        shape = self.shape[: self.ndim - n] + tuple(out)
        return np.zeros_like(self, shape=shape), np.zeros_like(self, shape=shape, dtype=np.int64)
    bounds = [_adaptive_bounds(size, o) for size, o in zip(sizes, out)]
    at: list[Array] = []
    for i, (start, end) in enumerate(bounds):
        index = np.minimum(start + np.arange(int((end - start).max()))[:, None], end - 1)
        at.append(index.reshape([*(1,) * i, index.shape[0], *(1,) * (n - 1), index.shape[1], *(1,) * (n - 1 - i)]))
    view = wide(self)[last(at)]

    def coordinate(i: int, tap: Array) -> Array:
        start, end = bounds[i]
        made: Array = np.minimum(tap + _along(start, i, n), _along(end - 1, i, n))
        return made

    values, index = _pick(view, n, sizes, coordinate, _lowest(self.dtype))
    return values.astype(self.dtype, copy=False), index


def _adaptive_max(n: int) -> None:
    op = f"adaptive_max_pool{n}d"

    def pool(self: Array, output_size: Ints) -> tuple[Array, Array]:
        return adaptive_max(self, _adaptive_check(self, output_size, n, op))

    pool.__doc__ = f"Maximum and index over windows that divide the last {n} axes into the given numbers of parts."
    kernel(f"aten::{op}")(pool)


for _n in (1, 2, 3):
    _adaptive_avg(_n)
    _adaptive_max(_n)


def _fractional_starts(samples: Array, size: int, out: int, k: int) -> Array:
    """First coordinate of every pseudo-random window, per plane: (planes, out)."""
    i = np.arange(out - 1).astype(samples.dtype)
    if out > 1:
        alpha = samples.dtype.type(size - k) / samples.dtype.type(out - 1)
        starts = ((i + samples[:, None]) * alpha).astype(np.int64) - (samples * alpha).astype(np.int64)[:, None]
    else:
        starts = np.zeros_like(samples, shape=(len(samples), 0), dtype=np.int64)
    return np.concatenate([starts, np.full_like(starts, size - k, shape=(len(samples), 1))], axis=1)


def _fractional(self: Array, kernel_size: Ints, size: Ints, random_samples: Array, n: int) -> tuple[Array, Array]:
    op = f"fractional_max_pool{n}d"
    k, out = _ints(kernel_size, n, "kernel_size", op), _ints(size, n, "output_size", op)
    if self.ndim not in (n + 1, n + 2) or 0 in self.shape[self.ndim - n - 1 :]:
        raise RuntimeError(
            f"{op}(): Expected {n + 1}D or {n + 2}D tensor with optional 0 dim batch size for input, but got: "
            f"{list(self.shape)}"
        )
    if self.dtype != random_samples.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if random_samples.ndim != 3 or random_samples.shape[2] != n:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {random_samples.ndim}")
    sizes = self.shape[self.ndim - n :]
    for i in range(n):
        if out[i] + k[i] - 1 > sizes[i]:
            axis = ("height", "width") if n == 2 else ("time", "height", "width")
            raise RuntimeError(f"{op}(): pool {axis[i]} {k[i]} too large relative to input {axis[i]} {sizes[i]}")
    lead = self.shape[: self.ndim - n]
    planes = math.prod(lead)
    if planes == 0:
        return np.zeros_like(self, shape=lead + out), np.zeros_like(self, shape=lead + out, dtype=np.int64)
    samples = wide(random_samples).reshape(-1, n)[:planes]
    order = (1, 0) if n == 2 else (0, 1, 2)  # two-dimensional samples come as (width, height)
    starts = [_fractional_starts(samples[:, order[i]], sizes[i], out[i], k[i]) for i in range(n)]
    at: list[Array] = [np.arange(planes).reshape(-1, *(1,) * (2 * n))]
    for i in range(n):
        index = starts[i][:, None, :] + np.arange(k[i])[:, None]
        at.append(index.reshape(planes, *(1,) * i, k[i], *(1,) * (n - 1), out[i], *(1,) * (n - 1 - i)))
    view = wide(self).reshape(planes, *sizes)[tuple(at)]

    def coordinate(i: int, tap: Array) -> Array:
        return tap + starts[i].reshape(planes, *(1,) * i, out[i], *(1,) * (n - 1 - i))

    values, flat = _pick(view, n, sizes, coordinate, _lowest(self.dtype))
    return values.astype(self.dtype, copy=False).reshape(lead + out), flat.reshape(lead + out)


@kernel("aten::fractional_max_pool2d")
def fractional_max_pool2d(
    self: Array, kernel_size: Ints, output_size: Ints, random_samples: Array
) -> tuple[Array, Array]:
    """Maximum over pseudo-random 2-dimensional windows that the samples place."""
    return _fractional(self, kernel_size, output_size, random_samples, 2)


@kernel("aten::fractional_max_pool3d")
def fractional_max_pool3d(
    self: Array, kernel_size: Ints, output_size: Ints, random_samples: Array
) -> tuple[Array, Array]:
    """Maximum over pseudo-random 3-dimensional windows that the samples place."""
    return _fractional(self, kernel_size, output_size, random_samples, 3)


def _unpool(self: Array, indices: Array, output_size: Ints, n: int) -> Array:
    out = tuple(int(v) for v in output_size)
    if indices.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {scalar_name(indices.dtype)}")
    if len(out) != n:
        names = "(height, width)" if n == 2 else "(depth, height, width)"
        raise RuntimeError(
            f"There should be exactly {'two' if n == 2 else 'three'} elements {names} in output_size, but got "
            f"{len(out)} elements."
        )
    if self.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Input to max_unpooling{n}d should be a {n + 1}d or {n + 2}d Tensor, but got a tensor with {self.ndim} "
            "dimensions."
        )
    if self.shape != indices.shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(self.shape)}) but got indices "
            "tensor "
            f"with shape: {list(indices.shape)}"
        )
    lead = self.shape[: self.ndim - n]
    planes, volume = math.prod(lead), math.prod(out)
    if any(s == 0 for s in self.shape[1:]):
        raise RuntimeError(
            f"max_unpooling{n}d_forward_out_cpu_template(): Expected input to have non-zero size for non-batch "
            "dimensions, "
            f"but got {list(self.shape)} with dimension {self.shape.index(0)} being empty."
        )
    result = np.zeros_like(self, shape=(planes, volume))
    index = indices.reshape(planes, -1)
    wrong = (index < 0) | (index >= volume)
    if wrong.any():
        shown = "x".join(str(v) for v in out)
        raise RuntimeError(f"Found an invalid max index: {int(index[wrong][0])} (output volumes are of size {shown}")
    if self.size:
        np.put_along_axis(result, index, self.reshape(planes, -1), axis=1)
    return result.reshape(lead + out)


@kernel("aten::max_unpool2d")
def max_unpool2d(self: Array, indices: Array, output_size: Ints) -> Array:
    """Values put back at the flat indices of a plane of the given size, zeros elsewhere."""
    return _unpool(self, indices, output_size, 2)


@kernel("aten::max_unpool3d")
def max_unpool3d(self: Array, indices: Array, output_size: Ints, stride: Ints, padding: Ints) -> Array:
    """Values put back at the flat indices of a volume of the given size, zeros elsewhere."""
    if len(stride) != 3:
        raise RuntimeError(
            f"There should be exactly three elements (depth, height, width) in stride, but got: {len(stride)} elements."
        )
    if len(padding) != 3:
        raise RuntimeError(
            f"There should be exactly three elements (depth, height, width) in padding, but got: {len(padding)} "
            "elements."
        )
    if min(stride) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {list(stride)}")
    return _unpool(self, indices, output_size, 3)
