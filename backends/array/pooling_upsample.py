"""Resampling: upsampling of every mode, grid samplers, affine grids, pixel and channel shuffles.

Upsampling is separable: for each axis a plan (index and weight of every tap, per output position) is made and applied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, type_name
from linstock.backends.array.promotion import is_inexact, wide
from linstock.backends.array.registry import kernel

Ints = Sequence[int]
Plan = tuple[Array, Array]  # index (taps, out) and weight (taps, out)


def _scale(size: int, out: int, align_corners: bool, scale: float | None, real: type[np.floating[Any]]) -> Any:
    """Input pixels per output pixel, in the type that PyTorch computes it in."""
    if align_corners:
        return real(size - 1) / real(out - 1) if out > 1 else real(0)
    if scale is not None and scale > 0:
        return real(1.0 / scale)
    return real(size) / real(out)


def _nearest_index(size: int, out: int, scale: float | None, exact: bool) -> Array:
    step = _scale(size, out, False, scale, np.float32)
    position = np.arange(out, dtype=np.float32) + np.float32(0.5 if exact else 0)
    made: Array = np.minimum(np.floor(position * step).astype(np.int64), size - 1)
    return made


def _cubic_weights(t: Array, a: float) -> list[Array]:
    """Weights of the four neighbours at fraction `t` of cubic convolution with parameter `a`, in the type of `t`."""
    real = t.dtype.type

    def near(x: Array) -> Array:
        made: Array = (real(a + 2) * x - real(a + 3)) * x * x + real(1)
        return made

    def far(x: Array) -> Array:
        made: Array = ((real(a) * x - real(5 * a)) * x + real(8 * a)) * x - real(4 * a)
        return made

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _smooth_plan(
    size: int, out: int, mode: str, align: bool, scale: float | None, real: type[np.floating[Any]]
) -> Plan:
    step = _scale(size, out, align, scale, real)
    position = np.arange(out).astype(real)
    source = step * position if align else step * (position + real(0.5)) - real(0.5)
    if mode == "linear":
        source = np.maximum(source, real(0))
    low = np.minimum(np.floor(source).astype(np.int64), size - 1)
    fraction = np.clip(source - low.astype(real), real(0), real(1))
    if mode == "linear":
        return np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([1 - fraction, fraction]).astype(real)
    index = np.clip(low + np.arange(-1, 3)[:, None], 0, size - 1)
    return index, np.stack(_cubic_weights(fraction, -0.75)).astype(real)


def _filter(mode: str, x: Array) -> Array:
    x = np.abs(x)
    if mode == "linear":
        made: Array = np.maximum(1 - x, 0)
        return made
    if mode == "cubic":
        a = -0.5
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        return np.where(x < 1, near, np.where(x < 2, (((x - 5) * x + 8) * x - 4) * a, 0))
    return np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)


def _smoothed_plan(
    size: int, out: int, mode: str, align: bool, scale: float | None, real: type[np.floating[Any]]
) -> Plan:
    """Antialiased: the filter is widened by the factor of a reduction, and normalised."""
    step = _scale(size, out, align, scale, real)
    half = {"linear": 1, "cubic": 2, "lanczos": 3}[mode]
    support = half * step if step >= 1 else real(half)
    inverse = 1 / step if step >= 1 else real(1)
    center = step * (np.arange(out).astype(real) + real(0.5))
    low = np.maximum((center - support + real(0.5)).astype(np.int64), 0)
    count = np.minimum((center + support + real(0.5)).astype(np.int64), size) - low
    count = np.clip(count, 0, math.ceil(support) * 2 + 1)
    tap = np.arange(int(count.max(initial=0)))[:, None]
    weight = _filter(mode, ((tap + low).astype(real) - center + real(0.5)) * inverse)
    weight = np.where(tap < count, weight, 0)
    total = weight.sum(axis=0, dtype=real)
    weight = np.where(total != 0, weight / np.where(total != 0, total, 1), weight)
    return np.minimum(low + tap, size - 1), weight.astype(real)


def _apply(x: Array, axis: int, plan: Plan) -> Array:
    """Weighted sum of taps along one axis."""
    index, weight = plan
    taps, out = index.shape
    after = x.ndim - axis - 1
    if taps > 6:  # as one matrix product
        dense = np.zeros((x.shape[axis], out), weight.dtype)
        np.add.at(dense, (index, np.arange(out)[None, :]), weight)
        matrix = np.asarray(dense, like=x)
        if after == 0:
            return np.asarray(np.matmul(x, matrix), like=x)
        if after == 1:
            return np.asarray(np.matmul(matrix.T, x), like=x)
        return np.moveaxis(np.matmul(np.moveaxis(x, axis, -1), matrix), -1, axis)
    total = None
    for t in range(taps):
        part = np.take(x, np.asarray(index[t], like=x), axis=axis)
        part *= np.asarray(weight[t].reshape(-1, *(1,) * after), like=x)
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    return total


def _merged(plan: Plan, size: int) -> Plan:
    """The plan with the weights of repeated taps (at a border) added up."""
    index, weight = plan
    taps, out = index.shape
    position = np.arange(out)[None, :]
    dense = np.zeros((size, out), weight.dtype)
    np.add.at(dense, (index, position), weight)
    wanted = index[0] + np.arange(taps)[:, None]
    merged = np.minimum(wanted, size - 1)
    return merged, np.where(wanted < size, dense[merged, position], 0)


def _apply_bytes(x: Array, axis: int, plan: Plan) -> Array:
    """The same for bytes, as PyTorch does it: 16-bit weights, rounded to bytes after each axis."""
    index, weight = _merged(plan, x.shape[axis])
    largest, precision = float(weight.max(initial=0)), 0
    while precision < 22 and int(0.5 + largest * (1 << (precision + 1))) < (1 << 15):
        precision += 1
    scaled = weight * (1 << precision)
    rounded = np.where(weight < 0, scaled - 0.5, scaled + 0.5).astype(np.int32)
    after = x.ndim - axis - 1
    total: Any = 1 << (precision - 1) if precision else 0
    for t in range(index.shape[0]):
        total = total + np.take(x, index[t], axis=axis).astype(np.int32) * rounded[t].reshape(-1, *(1,) * after)
    made: Array = np.clip(total >> precision, 0, 255).astype(np.uint8)
    return made


def _check(x: Array, out: Ints, n: int, name: str) -> tuple[int, ...]:
    if len(out) != n:
        raise RuntimeError(f"It is expected output_size equals to {n}, but got size {len(out)}")
    if x.ndim != n + 2:
        raise RuntimeError(f"It is expected input_size equals to {n + 2}, but got size {x.ndim}")
    sizes = x.shape[2:]
    if min(*sizes, *out) <= 0:
        axes = "DHW"[-n:]
        shown = [", ".join(f"{a}: {v}" for a, v in zip(axes, values)) for values in (sizes, out)]
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({shown[0]}) output ({shown[1]})"
        )
    if 0 in x.shape[1:]:
        raise RuntimeError(f"Non-empty {n + 2}D data tensor expected but got a tensor with sizes {list(x.shape)}")
    if (not is_inexact(x.dtype) and x.dtype != np.uint8) or x.dtype.kind == "c":
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x.dtype)}'")
    return tuple(int(v) for v in out)


def _nearest(x: Array, out: Ints, scales: Sequence[float | None], exact: bool) -> Array:
    n = len(scales)
    size = _check(x, out, n, f"upsample_nearest{n}d")
    y = x
    for i in reversed(range(n)):
        axis = i + 2
        if y.shape[axis] != size[i] or scales[i] is not None:
            y = np.take(y, np.asarray(_nearest_index(y.shape[axis], size[i], scales[i], exact), like=y), axis=axis)
    return y.copy() if y is x else y


def _smooth(
    x: Array, out: Ints, scales: Sequence[float | None], mode: str, align_corners: bool, antialias: bool = False
) -> Array:
    n = len(scales)
    size = _check(x, out, n, "compute_index_ranges_weights" if antialias else f"upsample_{mode}{n}d")
    if x.shape[2:] == size and not antialias:
        return x.copy()
    as_bytes = x.dtype == np.uint8 and n == 2
    real = np.float64 if x.dtype == np.float64 or as_bytes else np.float32
    make = _smoothed_plan if antialias else _smooth_plan
    y = x if as_bytes else wide(x) if is_inexact(x.dtype) else x.astype(np.float32)
    for i in reversed(range(n)):
        if y.shape[i + 2] == size[i] and scales[i] is None:
            continue  # every weight is 1 on the pixel itself
        plan = make(y.shape[i + 2], size[i], mode, align_corners, scales[i], real)
        y = _apply_bytes(y, i + 2, plan) if as_bytes else _apply(y, i + 2, plan)
    if x.dtype == np.uint8 and not as_bytes:
        y = np.clip(y, 0, 255)
    return y.astype(x.dtype, copy=y is x)


def resolve_size(
    x: Array, output_size: Ints | None, scales: Sequence[float] | None, n: int
) -> tuple[Ints, list[float | None]]:
    """Output size and per-axis factors from either of them. Raises RuntimeError unless exactly one is given."""
    if (output_size is None) == (scales is None):
        raise RuntimeError("Must specify exactly one of output_size and scale_factors")
    if output_size is not None:
        if len(output_size) != n:
            raise RuntimeError(f"It is expected output_size equals to {n}, but got size {len(output_size)}")
        return output_size, [None] * n
    assert scales is not None
    if len(scales) != x.ndim - 2:
        raise RuntimeError(f"expected scale_factors of {x.ndim - 2} values, but got {len(scales)}")
    return [math.floor(s * f) for s, f in zip(x.shape[2:], scales)], list(scales)


def _register_nearest(name: str, n: int, exact: bool) -> None:
    def upsample(self: Array, output_size: Ints, *scales: float | None) -> Array:
        return _nearest(self, output_size, (*scales, *(None,) * (n - len(scales))), exact)

    def vec(input: Array, output_size: Ints | None, scale_factors: Sequence[float] | None) -> Array:
        out, scales = resolve_size(input, output_size, scale_factors, n)
        return _nearest(input, out, scales, exact)

    upsample.__doc__ = f"Upsampling of {n} axes by the nearest pixel."
    vec.__doc__ = f"Upsampling of {n} axes by the nearest pixel, to a size or by factors."
    kernel(f"aten::{name}{n}d")(upsample)
    kernel(f"aten::{name}{n}d.vec")(vec)


def _register_smooth(name: str, n: int, mode: str, antialias: bool) -> None:
    def upsample(self: Array, output_size: Ints, align_corners: bool, *scales: float | None) -> Array:
        factors = (*scales, *(None,) * (n - len(scales)))
        return _smooth(self, output_size, factors, mode, align_corners, antialias)

    def vec(
        input: Array, output_size: Ints | None, align_corners: bool, scale_factors: Sequence[float] | None
    ) -> Array:
        out, scales = resolve_size(input, output_size, scale_factors, n)
        return _smooth(input, out, scales, mode, align_corners, antialias)

    upsample.__doc__ = f"{mode.capitalize()} upsampling of {n} axes{' with antialiasing' if antialias else ''}."
    vec.__doc__ = f"{mode.capitalize()} upsampling of {n} axes, to a size or by factors."
    kernel(f"aten::{name}")(upsample)
    kernel(f"aten::{name}.vec")(vec)


for _n in (1, 2, 3):
    _register_nearest("upsample_nearest", _n, exact=False)
    _register_nearest("_upsample_nearest_exact", _n, exact=True)
_register_smooth("upsample_linear1d", 1, "linear", False)
_register_smooth("upsample_bilinear2d", 2, "linear", False)
_register_smooth("upsample_trilinear3d", 3, "linear", False)
_register_smooth("upsample_bicubic2d", 2, "cubic", False)
_register_smooth("_upsample_bilinear2d_aa", 2, "linear", True)
_register_smooth("_upsample_bicubic2d_aa", 2, "cubic", True)
_register_smooth("_upsample_lanczos2d_aa", 2, "lanczos", True)


def _interpolate(
    input: Array, size: int | Ints | None, scale_factor: float | Sequence[float] | None, mode: str, align: bool | None
) -> Array:
    n = input.ndim - 2
    out = [size] * n if isinstance(size, int) else size
    scales = (
        None
        if scale_factor is None
        else list(scale_factor)
        if isinstance(scale_factor, (list, tuple))
        else [scale_factor] * n
    )
    if out is None and scales is None:
        raise ValueError("either size or scale_factor should be defined")
    if out is not None and scales is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    out, factors = resolve_size(input, out, scales, n)  # type: ignore[arg-type]
    if mode in ("nearest", "nearest-exact"):
        if align is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
        return _nearest(input, out, factors, mode == "nearest-exact")
    if (mode, n) not in (("linear", 1), ("bilinear", 2), ("trilinear", 3), ("bicubic", 2)):
        raise NotImplementedError(f"Input Error: {input.ndim}D input with mode {mode} is not supported")
    return _smooth(input, out, factors, "cubic" if mode == "bicubic" else "linear", bool(align))


@kernel("aten::__upsample", "aten::__upsample.size_list")
def __upsample(
    input: Array, size: int | Ints | None = None, scale_factor: int | None = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Array:  # fmt: skip
    """Upsampling by mode name, to a size or by a factor."""
    return _interpolate(input, size, scale_factor, mode, align_corners)


@kernel("aten::__upsample_nearest", "aten::__upsample_nearest.size_list")
def __upsample_nearest(input: Array, size: int | Ints | None = None, scale_factor: int | None = None) -> Array:
    """Upsampling by the nearest pixel, to a size or by a factor."""
    return _interpolate(input, size, scale_factor, "nearest", None)


@kernel(
    "aten::__upsample_bilinear", "aten::__upsample_bilinear.size_list", "aten::__upsample_bilinear.scale_list",
    "aten::__upsample_bilinear.size_list_scale_list",
)  # fmt: skip
def __upsample_bilinear(input: Array, size: int | Ints | None = None, scale_factor: int | Ints | None = None) -> Array:
    """Bilinear upsampling with aligned corners, to a size or by factors."""
    return _interpolate(input, size, scale_factor, "bilinear", True)


# grid samplers


def _unnormalize(c: Array, size: int, align_corners: bool) -> Array:
    return (c + 1) / 2 * (size - 1) if align_corners else ((c + 1) * size - 1) / 2


def _reflect(c: Array, size: int, align_corners: bool) -> Array:
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span <= 0:
        return np.zeros_like(c)
    c = np.abs(c - c.dtype.type(low))
    extra = np.fmod(c, c.dtype.type(span))
    flips = np.floor(c / c.dtype.type(span))
    made: Array = np.where(flips % 2 == 0, extra + c.dtype.type(low), c.dtype.type(span + low) - extra)
    return made


def _locate(c: Array, size: int, padding: int, align_corners: bool) -> Array:
    """Coordinates in pixels after the padding mode (0 zeros, 1 border, 2 reflection)."""
    if padding == 2:
        c = _reflect(c, size, align_corners)
    if padding:
        c = np.clip(np.where(np.isnan(c), c.dtype.type(0), c), 0, size - 1)
    return c


def _to_int(c: Array) -> Array:
    """Whole coordinates as integers; what no integer can hold counts as outside."""
    limit = 2.0**31
    return np.where(np.abs(c) < limit, c, c.dtype.type(-100)).astype(np.int64)


def _fetch(x: Array, at: list[Array], sizes: Ints) -> Array:
    """x (N, C, volume) at integer coordinates (N, positions), zero outside."""
    flat: Any = 0
    inside: Any = True
    for c, size in zip(at, sizes):
        inside = inside & (c >= 0) & (c < size)
        flat = flat * size + np.clip(c, 0, size - 1)
    values: Array
    if len(x) == 1:
        values = np.take(x[0], flat[0], axis=1)[None]
    else:
        values = np.take_along_axis(x, flat[:, None, :], axis=2)
    return values if inside.all() else np.where(inside[:, None, :], values, values.dtype.type(0))


def _sample(input: Array, grid: Array, mode: int, padding: int, align: bool) -> Array:
    n = input.ndim - 2
    sizes = input.shape[2:]
    x = input.reshape(input.shape[0], input.shape[1], -1)
    points = grid.reshape(grid.shape[0], -1, n)
    pixel = [_unnormalize(points[..., n - 1 - i], sizes[i], align) for i in range(n)]  # the grid holds (x, y, z)
    if mode == 2:
        whole = [np.floor(c) for c in pixel]
        weights = [_cubic_weights(c - w, -0.75) for c, w in zip(pixel, whole)]
        result: Any = 0
        for i in range(4):
            row: Any = 0
            rows = _to_int(_locate(whole[0] + (i - 1), sizes[0], padding, align))
            for j in range(4):
                columns = _to_int(_locate(whole[1] + (j - 1), sizes[1], padding, align))
                row = row + _fetch(x, [rows, columns], sizes) * weights[1][j][:, None, :]
            result = result + row * weights[0][i][:, None, :]
    else:
        pixel = [_locate(c, size, padding, align) for c, size in zip(pixel, sizes)]
        if mode == 1:
            result = _fetch(x, [_to_int(np.rint(c)) for c in pixel], sizes)
        else:
            whole = [np.floor(c) for c in pixel]
            low = [_to_int(w) for w in whole]
            part = [c - w for c, w in zip(pixel, whole)]
            result = 0
            for corner in np.ndindex(*(2,) * n):
                weight: Any = 1
                for bit, fraction in zip(corner, part):
                    weight = weight * (fraction if bit else 1 - fraction)
                values = _fetch(x, [c + bit for c, bit in zip(low, corner)], sizes)
                result = result + values * np.where(np.isfinite(weight), weight, 0)[:, None, :]
    shape = (input.shape[0], input.shape[1], *grid.shape[1:-1])
    return np.asarray(result).reshape(shape).astype(input.dtype, copy=False)


@kernel("aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d", "aten::_grid_sampler_2d_cpu_fallback")
def grid_sampler(input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Array:
    """Pixels at normalised points. Modes: 0 linear, 1 nearest, 2 bicubic; paddings: 0 zeros, 1 border, 2 reflection."""
    sizes, points = list(input.shape), list(grid.shape)
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes {sizes} and "
            "grid with "
            f"sizes {points}"
        )
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{points}"
        )
    for i in range(2, input.ndim):
        if input.shape[i] == 0:
            raise RuntimeError(
                f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {sizes} "
                "with "
                f"dimension {i} being empty"
            )
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with "
            f"sizes {sizes} "
            f"and grid with sizes {points}"
        )
    if input.ndim == 5 and interpolation_mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype:
        raise RuntimeError(f"expected scalar type {type_name(input.dtype)} but found {type_name(grid.dtype)}")
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners)


@kernel("aten::affine_grid_generator")
def affine_grid_generator(theta: Array, size: Ints, align_corners: bool) -> Array:
    """Grid points (N, *S, n) of affine maps (N, n, n + 1)."""
    if len(size) not in (4, 5):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    n = len(size) - 2
    if theta.ndim != 3 or theta.shape[1:] != (n, n + 1) or theta.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected a batch of affine matrices of shape {[size[0], n, n + 1]}, but got {list(theta.shape)}"
        )
    compute = wide(theta)
    base = np.ones_like(compute, shape=(*size[2:], n + 1))
    for i, length in enumerate(size[2:]):
        steps = np.linspace(-1, 1, length) if length > 1 else np.zeros(length)
        if not align_corners and length:
            steps = steps * (length - 1) / length
        base[..., n - 1 - i] = np.asarray(steps.reshape(-1, *(1,) * (n - 1 - i)), dtype=base.dtype, like=base)
    grid = np.matmul(base.reshape(-1, n + 1), compute.swapaxes(1, 2))
    made: Array = grid.reshape(size[0], *size[2:], n).astype(theta.dtype, copy=False)
    return made


# rearrangements


def _shuffle_rank(self: Array, name: str) -> None:
    if self.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {self.ndim} dimension(s)"
        )


@kernel("aten::pixel_shuffle")
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    """(*, C * r * r, H, W) to (*, C, H * r, W * r)."""
    _shuffle_rank(self, "pixel_shuffle")
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = self.shape
    if c % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            "but "
            f"input.size(-3)={c} is not divisible by {r * r}"
        )
    k = len(lead)
    y = self.reshape(*lead, c // (r * r), r, r, h, w).transpose(*range(k), k, k + 3, k + 1, k + 4, k + 2)
    return np.ascontiguousarray(y).reshape(*lead, c // (r * r), h * r, w * r)


@kernel("aten::pixel_unshuffle")
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    """(*, C, H * r, W * r) to (*, C * r * r, H, W)."""
    _shuffle_rank(self, "pixel_unshuffle")
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = self.shape
    for name, axis, size in (("height", -2, h), ("width", -1, w)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({axis})={size} "
                "is not "
                f"divisible by {r}"
            )
    k = len(lead)
    y = self.reshape(*lead, c, h // r, r, w // r, r).transpose(*range(k), k, k + 2, k + 4, k + 1, k + 3)
    return np.ascontiguousarray(y).reshape(*lead, c * r * r, h // r, w // r)


@kernel("aten::channel_shuffle", "aten::native_channel_shuffle")
def channel_shuffle(self: Array, groups: int) -> Array:
    """(N, g * C, *) with the channels of the groups interleaved."""
    if self.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    n, c = self.shape[:2]
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    if not self.size:
        return self
    y = self.reshape(n, groups, c // groups, *self.shape[2:]).swapaxes(1, 2)
    return np.ascontiguousarray(y).reshape(self.shape)
