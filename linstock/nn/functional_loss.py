"""Losses, in the language that linstock compiles: each can be called in scripted code.

`reduction` is 'none' (the loss of each element), 'mean' or 'sum'; anything else raises ValueError. `size_average` and
`reduce` are the older way to say it and win where they are given.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import linstock
from linstock.runtime.tensor import Tensor


def _reduction(reduction: str) -> int:
    """The number that operators take for a reduction."""
    if reduction == "none":
        return 0
    if reduction == "mean":
        return 1
    if reduction == "sum":
        return 2
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _legacy(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction that `size_average` and `reduce` mean, if one of them is given."""
    if size_average is None and reduce is None:
        return reduction
    average = True if size_average is None else size_average
    reduces = True if reduce is None else reduce
    name = "none"
    if reduces:
        name = "mean" if average else "sum"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=3
    )
    return name


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    """The loss of each element, reduced."""
    code = _reduction(reduction)
    if code == 0:
        return loss
    return loss.mean() if code == 1 else loss.sum()


def _weighted(loss: Tensor, weight: Tensor, reduction: str, by_weight: bool) -> Tensor:
    """The loss of each element times its weight, reduced; a mean is per weight or per element."""
    if weight.size() != loss.size():
        raise ValueError("Weights and input must have the same size.")
    loss = loss * weight
    if reduction == "mean" and by_weight:
        return loss.sum() / weight.sum()
    return _reduced(loss, reduction)


def _warn_sizes(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
            "likely lead to "
            "incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )


# regression ---------------------------------------------------------------------------------------------------------


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|; with `weight` each element's is weighted, and a mean is divided by the sum of the weights."""
    _warn_sizes(input, target)
    reduction = _legacy(size_average, reduce, reduction)
    if weight is None:
        return linstock.l1_loss(input, target, _reduction(reduction))
    return _weighted(linstock.l1_loss(input, target, 0), weight, reduction, True)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)²; with `weight` each element's is weighted, and a mean is divided by the sum of the weights."""
    _warn_sizes(input, target)
    reduction = _legacy(size_average, reduce, reduction)
    if weight is None:
        return linstock.mse_loss(input, target, _reduction(reduction))
    return _weighted(linstock.mse_loss(input, target, 0), weight, reduction, True)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """0.5 * d² / beta where d = |input - target| is below `beta`, d - 0.5 * beta elsewhere."""
    _warn_sizes(input, target)
    code = _reduction(_legacy(size_average, reduce, reduction))
    return linstock.l1_loss(input, target, code) if beta == 0.0 else linstock.smooth_l1_loss(input, target, code, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """0.5 * d² where d = |input - target| is below `delta`, delta * (d - 0.5 * delta) elsewhere."""
    _warn_sizes(input, target)
    if weight is None:
        return linstock.huber_loss(input, target, _reduction(reduction), delta)
    return _weighted(linstock.huber_loss(input, target, 0, delta), weight, reduction, False)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of Poisson distributed targets; `full` adds Stirling's term."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    return linstock.poisson_nll_loss(input, target, log_input, full, eps, code)


def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """The negative log likelihood of normally distributed targets of mean `input` and variance `var`.

    `var` is a number, of input's size, or of it without (or with 1 as) the last dimension. Raises ValueError for
    another size and for a negative variance.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        variance = var * linstock.ones_like(input)
    else:
        if linstock.any(var < 0):
            raise ValueError("var has negative entry/entries")
        variance = var
    if variance.size() != input.size():
        if input.size()[:-1] == variance.size():
            variance = linstock.unsqueeze(variance, -1)
        elif input.size()[:-1] != variance.size()[:-1] or variance.size(-1) != 1:
            raise ValueError("var is of incorrect size")
    if reduction != "none" and reduction != "mean" and reduction != "sum":
        raise ValueError(f"{reduction} is not valid")
    variance = variance.clone()
    with linstock.no_grad():
        variance.clamp_(min=eps)
    loss = 0.5 * (linstock.log(variance) + (input - target) ** 2 / variance)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


# classification -----------------------------------------------------------------------------------------------------


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The negative of each row's value at its target class.

    Input (N, C, d1, ...) of log probabilities, target (N, d1, ...).
    """
    code = _reduction(_legacy(size_average, reduce, reduction))
    return linstock.nll_loss_nd(input, target, weight, code, ignore_index)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of logits (N, C, d1, ...) with classes (N, d1, ...) or class probabilities (N, C, d1, ...)."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    return linstock.cross_entropy_loss(input, target, weight, code, ignore_index, label_smoothing)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Cross entropy of probabilities with targets in [0, 1]. Raises ValueError where their sizes differ."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. "
            "Please ensure they have the same size."
        )
    return linstock.binary_cross_entropy(input, target, weight, code)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Cross entropy of logits with targets in [0, 1]; `pos_weight` weighs the positives.

    Raises ValueError where sizes differ.
    """
    code = _reduction(_legacy(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return linstock.binary_cross_entropy_with_logits(input, target, weight, pos_weight, code)


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """target * (log(target) - input) of log probabilities `input`; 'batchmean' is the sum by the batch's size."""
    reduction = _legacy(size_average, reduce, reduction)
    if reduction == "batchmean":
        total = linstock.kl_div(input, target, 2, log_target=log_target)
        return total / input.size(0) if input.dim() != 0 else total
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' "
            "divides only by the "
            "batch size, and aligns with the KL div math definition.",
            stacklevel=2,
        )
    return linstock.kl_div(input, target, _reduction(reduction), log_target=log_target)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Connectionist temporal classification. log_probs (T, N, C) or (T, C), targets (N, S) or all in a row."""
    return linstock.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _reduction(reduction), zero_infinity
    )


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """log(1 + exp(-target * input)) for targets of 1 and -1."""
    return linstock.soft_margin_loss(input, target, _reduction(_legacy(size_average, reduce, reduction)))


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    """Hinge loss of several target classes per row; the list of a row's classes ends with -1."""
    return linstock.multilabel_margin_loss(input, target, _reduction(_legacy(size_average, reduce, reduction)))


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Logistic loss of each class (targets 0 or 1), averaged over the classes."""
    reduction = _legacy(size_average, reduce, reduction)
    loss = -(target * linstock.log_sigmoid(input) + (1 - target) * linstock.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced(loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Hinge loss of one target class per row, to the power p (1 or 2, else ValueError)."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return linstock.multi_margin_loss(input, target, p, margin, weight, code)


# similarity ---------------------------------------------------------------------------------------------------------


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin). Raises RuntimeError where the numbers of dimensions differ."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{input1.size()}, "
            f"input2: {input2.size()}, target: {target.size()} "
        )
    return linstock.margin_ranking_loss(input1, input2, target, margin, code)


def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The distance `input` where target is 1, max(0, margin - input) where it is -1."""
    return linstock.hinge_embedding_loss(input, target, margin, _reduction(_legacy(size_average, reduce, reduction)))


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1."""
    code = _reduction(_legacy(size_average, reduce, reduction))
    return linstock.cosine_embedding_loss(input1, input2, target, margin, code)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """max(0, |anchor - positive| - |anchor - negative| + margin) in the p-norm.

    Raises ValueError for a margin not above 0.
    """
    code = _reduction(_legacy(size_average, reduce, reduction))
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return linstock.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, code)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The triplet loss with a distance of one's own (pairwise_distance unless given). Not for scripted code."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ranks = (anchor.ndim, positive.ndim, negative.ndim)
    if len(set(ranks)) != 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor "
            f"{ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    distance = linstock.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = linstock.minimum(far, distance(positive, negative))
    return _reduced(linstock.clamp_min(margin + near - far, 0), reduction)
