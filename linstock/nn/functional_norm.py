"""Normalisation and embedding lookups, in the language that linstock compiles: each can be called in scripted code."""

from __future__ import annotations

import linstock
from linstock.runtime.tensor import Tensor


def _check_values(size: list[int]) -> None:
    """Raise ValueError where a channel would be normalised over a single value."""
    count = size[0]
    for i in range(2, len(size)):
        count *= size[i]
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel of (N, C, ...): over the batch in training (which moves the running statistics), else by
    them.

    Raises ValueError where training sees one value per channel.
    """
    if training:
        _check_values(input.size())
    return linstock.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel of each sample of (N, C, ...). Raises ValueError where there is one value per channel."""
    if use_input_stats:
        size = input.size()
        count = 1
        for i in range(2, len(size)):
            count *= size[i]
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    return linstock.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


def layer_norm(
    input: Tensor,
    normalized_shape: list[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise over the last dimensions, whose sizes are `normalized_shape`."""
    return linstock.layer_norm(input, normalized_shape, weight, bias, eps, True)


def rms_norm(
    input: Tensor, normalized_shape: list[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divide by the root of the mean square over the last dimensions, whose sizes are `normalized_shape`."""
    return linstock.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalise each group of channels of each sample of (N, C, ...).

    Raises RuntimeError for fewer than two dimensions, ValueError where a group has one value.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    count = size[0] * size[1] // num_groups
    for i in range(2, len(size)):
        count *= size[i]
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    return linstock.group_norm(input, num_groups, weight, bias, eps, True)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide by (k + alpha * mean of the squares of `size` neighbouring channels) ** beta.

    Input (N, C, ...) of 3 dimensions or more.
    """
    rank = input.dim()
    if rank < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {rank} dimensions)")
    if input.numel() == 0:
        return input
    squares = input.mul(input)
    if rank == 3:
        squares = squares.unsqueeze(1)
        squares = linstock.pad(squares, [0, 0, size // 2, (size - 1) // 2])
        means = linstock.avg_pool2d(squares, [size, 1], 1).squeeze(1)
    else:
        sizes = input.size()
        squares = squares.view([sizes[0], 1, sizes[1], sizes[2], -1])
        squares = linstock.pad(squares, [0, 0, 0, 0, size // 2, (size - 1) // 2])
        means = linstock.avg_pool3d(squares, [size, 1, 1], 1).squeeze(1)
        means = means.view(sizes)
    return input / means.mul(alpha).add(k).pow(beta)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide by the p-norm along `dim`, or by `eps` where it is smaller. The result is written into `out`, if given."""
    length = input.norm(p, [dim], True).clamp_min(eps).expand_as(input)
    if out is None:
        return input / length
    return linstock.div(input, length, out=out)


# embeddings ---------------------------------------------------------------------------------------------------------


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` that the integers of `input` name: (*) to (*, D).

    Row `padding_idx` gets no gradient. With `max_norm` the rows that are used are first shortened to that norm, in
    place. Raises AssertionError for a padding index outside the table.
    """
    row = -1
    if padding_idx is not None:
        if padding_idx >= weight.size(0) or padding_idx < -weight.size(0):
            raise AssertionError("Padding_idx must be within num_embeddings")
        row = padding_idx if padding_idx >= 0 else padding_idx + weight.size(0)
    if max_norm is not None:
        input = input.contiguous()
        linstock.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return linstock.embedding(weight, input, row, scale_grad_by_freq, sparse)


def _bag_mode(mode: str) -> int:
    if mode == "sum":
        return 0
    if mode == "mean":
        return 1
    if mode == "max":
        return 2
    raise ValueError("mode has to be one of sum, mean or max")


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of bags of rows of `weight`: (B, N) without offsets, or (N) with the `offsets` where bags
    begin.

    Raises ValueError for other shapes, and where `per_sample_weights` (only for sums) do not fit the input.
    """
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, then it must have the "
            "same shape as "
            f"the input ({input.size()})"
        )
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                "sequences."
            )
        starts = linstock.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
        starts = offsets
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}')."
        )
    code = _bag_mode(mode)
    if code == 2 and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if max_norm is not None:
        linstock.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return linstock.embedding_bag(
        weight, input, starts, scale_grad_by_freq, code, sparse, per_sample_weights, include_last_offset, padding_idx
    )[0]
