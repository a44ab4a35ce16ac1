"""Resampling of images and signals, in the language that linstock compiles: each can be called in scripted code."""

from __future__ import annotations

import math
import warnings
from typing import Any

import linstock
from linstock.nn.scripting import annotate, overloads
from linstock.nn.sizes import BroadcastingList2
from linstock.runtime.tensor import Tensor

_SIZES = (
    {"size": "int | None", "scale_factor": "list[float] | None"},
    {"size": "list[int] | None", "scale_factor": "list[float] | None"},
    {"size": "int | None", "scale_factor": "float | None"},
    {"size": "list[int] | None", "scale_factor": "float | None"},
)


def _target(input: Tensor, size: list[int]) -> list[int]:
    spatial = input.dim() - 2
    if len(size) != spatial:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial "
            "dimensions of "
            f"{input.size()[2:]} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            "format and output "
            "size in (o1, o2, ...,oK) format."
        )
    return size


def _factors(input: Tensor, scale_factor: list[float]) -> list[float]:
    spatial = input.dim() - 2
    if len(scale_factor) != spatial:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            "dimensions of "
            f"{input.size()[2:]} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, "
            "d2, ...,dK) "
            "format and scale_factor in (s1, s2, ...,sK) format."
        )
    return scale_factor


def _scaled(input: Tensor, factors: list[float]) -> list[int]:
    """The spatial size times the factors, rounded down."""
    result = annotate(list[int], [])
    for i in range(len(factors)):
        result.append(math.floor(float(input.size(i + 2)) * factors[i]))
    return result


def _resample(
    input: Tensor, size: list[int] | None, factors: list[float] | None, mode: str, align_corners: bool, antialias: bool
) -> Tensor:
    rank = input.dim()
    if antialias and not (rank == 4 and (mode == "bilinear" or mode == "bicubic" or mode == "lanczos")):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if rank == 3:
        if mode == "nearest":
            return linstock.upsample_nearest1d(input, size, factors)
        if mode == "nearest-exact":
            return linstock._upsample_nearest_exact1d(input, size, factors)
        if mode == "linear":
            return linstock.upsample_linear1d(input, size, align_corners, factors)
        if mode == "area" and size is not None:
            return linstock.adaptive_avg_pool1d(input, size)
    if rank == 4:
        if mode == "nearest":
            return linstock.upsample_nearest2d(input, size, factors)
        if mode == "nearest-exact":
            return linstock._upsample_nearest_exact2d(input, size, factors)
        if mode == "bilinear":
            if antialias:
                return linstock._upsample_bilinear2d_aa(input, size, align_corners, factors)
            return linstock.upsample_bilinear2d(input, size, align_corners, factors)
        if mode == "bicubic":
            if antialias:
                return linstock._upsample_bicubic2d_aa(input, size, align_corners, factors)
            return linstock.upsample_bicubic2d(input, size, align_corners, factors)
        if mode == "lanczos" and antialias:
            return linstock._upsample_lanczos2d_aa(input, size, align_corners, factors)
        if mode == "area" and size is not None:
            return linstock.adaptive_avg_pool2d(input, size)
    if rank == 5:
        if mode == "nearest":
            return linstock.upsample_nearest3d(input, size, factors)
        if mode == "nearest-exact":
            return linstock._upsample_nearest_exact3d(input, size, factors)
        if mode == "trilinear":
            return linstock.upsample_trilinear3d(input, size, align_corners, factors)
        if mode == "area" and size is not None:
            return linstock.adaptive_avg_pool3d(input, size)
    wanted = 0
    if mode == "linear":
        wanted = 3
    elif mode == "bilinear" or mode == "bicubic":
        wanted = 4
    elif mode == "trilinear":
        wanted = 5
    if wanted != 0 and rank >= 3 and rank <= 5:
        raise NotImplementedError(f"Got {rank}D input, but {mode} mode needs {wanted}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: nearest | linear | "
        "bilinear | bicubic | "
        f"trilinear | lanczos | area | nearest-exact (got {mode})"
    )


@overloads(*_SIZES)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize (N, C, L), (N, C, H, W) or (N, C, D, H, W) to a size or by a factor, each one number or one per dimension.

    Modes: nearest, nearest-exact, area; linear, bilinear, bicubic, trilinear and lanczos by rank. `antialias` goes with
    bilinear, bicubic and lanczos of images. Raises ValueError for arguments that do not fit, NotImplementedError for a
    mode of another rank.
    """
    smooth = mode == "linear" or mode == "bilinear" or mode == "bicubic" or mode == "trilinear" or mode == "lanczos"
    if align_corners is not None and not smooth:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    corners = False if align_corners is None else align_corners
    output_size = annotate("list[int] | None", None)
    factors = annotate("list[float] | None", None)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    elif size is not None:
        if isinstance(size, (list, tuple)):
            output_size = _target(input, size)  # type: ignore[arg-type]
        else:
            output_size = [size for _ in range(input.dim() - 2)]
    elif scale_factor is not None:
        if isinstance(scale_factor, (list, tuple)):
            factors = _factors(input, scale_factor)  # type: ignore[arg-type]
        else:
            factors = [scale_factor for _ in range(input.dim() - 2)]
    else:
        raise ValueError("either size or scale_factor should be defined")
    recompute = False if recompute_scale_factor is None else recompute_scale_factor
    if recompute and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if factors is not None and (recompute or mode == "area"):
        output_size = _scaled(input, factors)
        factors = None
    return _resample(input, output_size, factors, mode, corners, antialias)


@overloads(*_SIZES)
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """`interpolate`, by its old name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


@overloads(*_SIZES)
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` by nearest neighbours, by its old name."""
    return interpolate(input, size, scale_factor, "nearest")


@overloads(*_SIZES)
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """`interpolate` bilinear with aligned corners, by its old name."""
    return interpolate(input, size, scale_factor, "bilinear", True)


# sampling at given places -------------------------------------------------------------------------------------------


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The values of (N, C, H, W) at the places of `grid` (N, Ho, Wo, 2) in [-1, 1], or one dimension more of both.

    Modes bilinear, nearest, bicubic; paddings zeros, border, reflection. Raises ValueError for others.
    """
    if mode != "bilinear" and mode != "nearest" and mode != "bicubic":
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode != "zeros" and padding_mode != "border" and padding_mode != "reflection":
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    code = 0
    if mode == "nearest":
        code = 1
    elif mode == "bicubic":
        code = 2
    padding = 0
    if padding_mode == "border":
        padding = 1
    elif padding_mode == "reflection":
        padding = 2
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify "
            "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
            stacklevel=2,
        )
        align_corners = False
    return linstock.grid_sampler(input, grid, code, padding, align_corners)


def affine_grid(theta: Tensor, size: list[int], align_corners: bool | None = None) -> Tensor:
    """The places that affine matrices (N, 2, 3) or (N, 3, 4) send an output of `size` to, for `grid_sample`.

    Raises ValueError for matrices of another size or type.
    """
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify "
            "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
            stacklevel=2,
        )
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError("Expected theta to have floating point type")
    if len(size) != 4 and len(size) != 5:
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    rows = len(size) - 2
    if theta.dim() != 3 or theta.size(1) != rows or theta.size(2) != rows + 1:
        raise ValueError(f"Expected a batch of {rows}x{rows + 1} affine matrices for size {size}. Got {theta.size()}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return linstock.affine_grid_generator(theta, size, align_corners)


# sliding blocks -----------------------------------------------------------------------------------------------------


def unfold(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    """The sliding blocks of (N, C, H, W) as columns: (N, C * kernel, blocks)."""
    return linstock.im2col(input, kernel_size, dilation, padding, stride)


def fold(
    input: Tensor,
    output_size: BroadcastingList2[int],
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    """The sum of sliding blocks (N, C * kernel, blocks) at their places: (N, C, H, W)."""
    return linstock.col2im(input, output_size, kernel_size, dilation, padding, stride)
