"""Pooling and its inverse, in the language that linstock compiles: each can be called in scripted code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import linstock
from linstock.nn.scripting import annotate
from linstock.nn.sizes import (
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    _list_with_default,
    _pair,
    _single,
    _triple,
)
from linstock.runtime.tensor import Tensor


def _either(name: str, if_true: Callable[..., Any], if_false: Callable[..., Any], place: int) -> Callable[..., Any]:
    """A function that gives a tensor, or with `return_indices=True` also the indices of the maxima.

    Scripted code decides which when it is compiled, because the two have different result types.
    """

    def pool(*args: Any, **kwargs: Any) -> Any:
        wanted = kwargs.get("return_indices", args[place] if place < len(args) else False)
        return (if_true if wanted else if_false)(*args, **kwargs)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"{if_false.__doc__}\n\nWith `return_indices=True` also the indices of the maxima, as max_unpool takes them."
    )
    pool.__boolean_dispatch__ = {  # type: ignore[attr-defined]
        "if_true": if_true, "if_false": if_false, "arg_index": place, "arg_name": "return_indices", "default": False,
    }  # fmt: skip
    return pool


# max pooling --------------------------------------------------------------------------------------------------------


def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: BroadcastingList1[int] | None = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of (N, C, L) or (C, L), and their indices."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool1d(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: BroadcastingList1[int] | None = None,
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    """The maxima of windows of (N, C, L) or (C, L)."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: BroadcastingList2[int] | None = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of (N, C, H, W) or (C, H, W), and their indices."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: BroadcastingList2[int] | None = None,
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    """The maxima of windows of (N, C, H, W) or (C, H, W)."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: BroadcastingList3[int] | None = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows of (N, C, D, H, W) or (C, D, H, W), and their indices."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)


def _max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: BroadcastingList3[int] | None = None,
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    """The maxima of windows of (N, C, D, H, W) or (C, D, H, W)."""
    if stride is None:
        stride = annotate(list[int], [])
    return linstock.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode)


max_pool1d = _either("max_pool1d", max_pool1d_with_indices, _max_pool1d, 6)
max_pool2d = _either("max_pool2d", max_pool2d_with_indices, _max_pool2d, 6)
max_pool3d = _either("max_pool3d", max_pool3d_with_indices, _max_pool3d, 6)


# adaptive pooling ---------------------------------------------------------------------------------------------------


def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    """The means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W). None keeps the input's size."""
    return linstock.adaptive_avg_pool2d(input, _list_with_default(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
    """The means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    None keeps the input's size.
    """
    return linstock.adaptive_avg_pool3d(input, _list_with_default(output_size, input.size()))


def adaptive_max_pool1d_with_indices(
    input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The maxima of as many windows as `output_size` says, of (N, C, L) or (C, L), and their indices."""
    return linstock.adaptive_max_pool1d(input, output_size)


def _adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> Tensor:
    """The maxima of as many windows as `output_size` says, of (N, C, L) or (C, L)."""
    return linstock.adaptive_max_pool1d(input, output_size)[0]


def adaptive_max_pool2d_with_indices(
    input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The maxima of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W), and their indices."""
    return linstock.adaptive_max_pool2d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> Tensor:
    """The maxima of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W)."""
    return adaptive_max_pool2d_with_indices(input, output_size)[0]


def adaptive_max_pool3d_with_indices(
    input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False
) -> tuple[Tensor, Tensor]:
    """The maxima of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W), and their indices."""
    return linstock.adaptive_max_pool3d(input, _list_with_default(output_size, input.size()))


def _adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> Tensor:
    """The maxima of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W)."""
    return adaptive_max_pool3d_with_indices(input, output_size)[0]


adaptive_max_pool1d = _either("adaptive_max_pool1d", adaptive_max_pool1d_with_indices, _adaptive_max_pool1d, 2)
adaptive_max_pool2d = _either("adaptive_max_pool2d", adaptive_max_pool2d_with_indices, _adaptive_max_pool2d, 2)
adaptive_max_pool3d = _either("adaptive_max_pool3d", adaptive_max_pool3d_with_indices, _adaptive_max_pool3d, 2)


# fractional pooling -------------------------------------------------------------------------------------------------


def _fractional_samples(input: Tensor, spatial: int) -> Tensor:
    """Where the windows begin: one random number per sample, channel and dimension."""
    batch = 1 if input.dim() == spatial + 1 else input.size(0)
    return linstock.rand([batch, input.size(-spatial - 1), spatial], dtype=input.dtype, device=input.device)


def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: BroadcastingList2[int] | None = None,
    output_ratio: BroadcastingList2[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows at random places of (N, C, H, W) or (C, H, W), and their indices.

    Raises ValueError if neither `output_size` nor `output_ratio` is given.
    """
    if output_size is None and output_ratio is None:
        raise ValueError("fractional_max_pool2d requires specifying either an output_size or an output_ratio")
    if output_size is None:
        assert output_ratio is not None
        ratio = _pair(output_ratio)
        output_size = [int(input.size(-2) * ratio[0]), int(input.size(-1) * ratio[1])]
    if _random_samples is None:
        _random_samples = _fractional_samples(input, 2)
    return linstock.fractional_max_pool2d(input, kernel_size, output_size, _random_samples)


def _fractional_max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: BroadcastingList2[int] | None = None,
    output_ratio: BroadcastingList2[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor:
    """The maxima of windows at random places of (N, C, H, W) or (C, H, W)."""
    return fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: BroadcastingList3[int] | None = None,
    output_ratio: BroadcastingList3[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The maxima of windows at random places of (N, C, D, H, W) or (C, D, H, W), and their indices.

    Raises ValueError if neither `output_size` nor `output_ratio` is given.
    """
    if output_size is None and output_ratio is None:
        raise ValueError("fractional_max_pool3d requires specifying either an output_size or an output_ratio")
    if output_size is None:
        assert output_ratio is not None
        ratio = _triple(output_ratio)
        output_size = [int(input.size(-3) * ratio[0]), int(input.size(-2) * ratio[1]), int(input.size(-1) * ratio[2])]
    if _random_samples is None:
        _random_samples = _fractional_samples(input, 3)
    return linstock.fractional_max_pool3d(input, kernel_size, output_size, _random_samples)


def _fractional_max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: BroadcastingList3[int] | None = None,
    output_ratio: BroadcastingList3[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor:
    """The maxima of windows at random places of (N, C, D, H, W) or (C, D, H, W)."""
    return fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )[0]


fractional_max_pool2d = _either("fractional_max_pool2d", fractional_max_pool2d_with_indices, _fractional_max_pool2d, 4)
fractional_max_pool3d = _either("fractional_max_pool3d", fractional_max_pool3d_with_indices, _fractional_max_pool3d, 4)


# unpooling ----------------------------------------------------------------------------------------------------------


def _unpooled_size(
    input: Tensor, kernel_size: list[int], stride: list[int], padding: list[int], output_size: list[int] | None
) -> list[int]:
    """The spatial size of an unpooled tensor: `output_size` checked, or what the pooling most likely came from."""
    sizes = input.size()
    spatial = len(kernel_size)
    default = annotate(list[int], [])
    for d in range(spatial):
        default.append((sizes[len(sizes) - spatial + d] - 1) * stride[d] + kernel_size[d] - 2 * padding[d])
    if output_size is None:
        return default
    if len(output_size) == spatial + 2:
        output_size = output_size[2:]
    if len(output_size) != spatial:
        raise ValueError(
            f"output_size should be a sequence containing {spatial} or {spatial + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for d in range(spatial):
        low = default[d] - stride[d]
        high = default[d] + stride[d]
        if not (low < output_size[d] and output_size[d] < high):
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})')
    return output_size


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: BroadcastingList1[int] | None = None,
    padding: BroadcastingList1[int] = 0,
    output_size: BroadcastingList1[int] | None = None,
) -> Tensor:
    """Each value of (N, C, L) or (C, L) at the place that `indices` names, zero elsewhere.

    Raises ValueError for a wrong size.
    """
    kernel = _single(kernel_size)
    step = kernel if stride is None else _single(stride)
    size = _unpooled_size(input, kernel, step, _single(padding), output_size)  # type: ignore[arg-type]
    wide = [size[0], 1]
    return linstock.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), wide).squeeze(-1)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: BroadcastingList2[int] | None = None,
    padding: BroadcastingList2[int] = 0,
    output_size: BroadcastingList2[int] | None = None,
) -> Tensor:
    """Each value of (N, C, H, W) or (C, H, W) at the place that `indices` names, zero elsewhere.

    Raises ValueError for an output size that the pooling cannot have had.
    """
    kernel = _pair(kernel_size)
    step = kernel if stride is None else _pair(stride)
    size = _unpooled_size(input, kernel, step, _pair(padding), output_size)  # type: ignore[arg-type]
    return linstock.max_unpool2d(input, indices, size)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: BroadcastingList3[int] | None = None,
    padding: BroadcastingList3[int] = 0,
    output_size: BroadcastingList3[int] | None = None,
) -> Tensor:
    """Each value of (N, C, D, H, W) or (C, D, H, W) at the place that `indices` names, zero elsewhere.

    Raises ValueError for an output size that the pooling cannot have had.
    """
    kernel = _triple(kernel_size)
    step = kernel if stride is None else _triple(stride)
    margin = _triple(padding)
    size = _unpooled_size(input, kernel, step, margin, output_size)  # type: ignore[arg-type]
    return linstock.max_unpool3d(input, indices, size, step, margin)


# power-average pooling ------------------------------------------------------------------------------------------------


def _root(mean: Tensor, norm_type: float, count: int) -> Tensor:
    """From the mean of the powers to the norm."""
    return (linstock.sign(mean) * linstock.relu(linstock.abs(mean))).mul(count).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: BroadcastingList1[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norms of windows of (N, C, L) or (C, L)."""
    if stride is None:
        stride = annotate(list[int], [])
    powers = input.pow(norm_type)
    return _root(linstock.avg_pool1d(powers, kernel_size, stride, 0, ceil_mode), norm_type, kernel_size)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: BroadcastingList2[int],
    stride: BroadcastingList2[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norms of windows of (N, C, H, W) or (C, H, W)."""
    kernel = _pair(kernel_size)
    if stride is None:
        stride = annotate(list[int], [])
    powers = input.pow(norm_type)
    return _root(linstock.avg_pool2d(powers, kernel_size, stride, 0, ceil_mode), norm_type, kernel[0] * kernel[1])


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: BroadcastingList3[int],
    stride: BroadcastingList3[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norms of windows of (N, C, D, H, W) or (C, D, H, W)."""
    kernel = _triple(kernel_size)
    if stride is None:
        stride = annotate(list[int], [])
    powers = input.pow(norm_type)
    count = kernel[0] * kernel[1] * kernel[2]
    return _root(linstock.avg_pool3d(powers, kernel_size, stride, 0, ceil_mode), norm_type, count)
