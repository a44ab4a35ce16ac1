"""Loss functions. `reduction` is 0 none, 1 mean, 2 sum.

Element losses are rounded to the result's type before they are reduced.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, type_name
from linstock.backends.array.norm import log_softmax_of
from linstock.backends.array.promotion import is_inexact, is_low, result_type, wide
from linstock.backends.array.registry import kernel


def _match(a: Array, b: Array) -> None:
    """Raise PyTorch's error for shapes that do not broadcast."""
    for i in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-i] != b.shape[-i] and 1 not in (a.shape[-i], b.shape[-i]):
            raise RuntimeError(
                f"The size of tensor a ({a.shape[-i]}) must match the size of tensor b ({b.shape[-i]}) at "
                "non-singleton "
                f"dimension {max(a.ndim, b.ndim) - i}"
            )


def _compute(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32) if is_low(dtype) else dtype


def _pair(a: Array, b: Array, name: str = "") -> tuple[Array, Array, np.dtype[Any]]:
    """Both in the type of the computation, and the type of the result."""
    dtype = result_type(a, b)
    if name and (not is_inexact(dtype) or dtype.kind == "c"):
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(dtype)}'")
    _match(a, b)
    real = _compute(dtype)
    return a.astype(real, copy=False), b.astype(real, copy=False), dtype


def _reduce(loss: Any, reduction: int, dtype: np.dtype[Any]) -> Array:
    each = np.asarray(loss).astype(dtype, copy=False)
    if reduction not in (1, 2):
        return each
    if reduction == 1 and not is_inexact(dtype):
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            + type_name(dtype)
        )
    total = np.sum(wide(each), dtype=np.int64 if dtype.kind in "iub" else None)
    if reduction == 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            total = total / total.dtype.type(each.size)
    return np.asarray(total).astype(np.int64 if dtype.kind in "iub" else dtype)


@kernel("aten::l1_loss")
def l1_loss(self: Array, target: Array, reduction: int = 1) -> Array:
    """Absolute difference."""
    a, b, dtype = _pair(self, target)
    if dtype.kind == "c":
        dtype = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
    return _reduce(np.abs(a - b), reduction, dtype)


@kernel("aten::mse_loss")
def mse_loss(self: Array, target: Array, reduction: int = 1) -> Array:
    """Squared difference."""
    a, b, dtype = _pair(self, target, "mse_cpu")
    d = a - b
    return _reduce(d * d, reduction, dtype)


@kernel("aten::smooth_l1_loss")
def smooth_l1_loss(self: Array, target: Array, reduction: int = 1, beta: float = 1.0) -> Array:
    """Absolute difference, quadratic below `beta`."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(self, target, reduction)
    a, b, dtype = _pair(self, target, "smooth_l1_cpu")
    d = np.abs(a - b)
    return _reduce(np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction, dtype)


@kernel("aten::huber_loss")
def huber_loss(self: Array, target: Array, reduction: int = 1, delta: float = 1.0) -> Array:
    """Squared difference up to `delta`, linear beyond."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    a, b, dtype = _pair(self, target, "huber_cpu")
    d = np.abs(a - b)
    return _reduce(np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction, dtype)


@kernel("aten::soft_margin_loss")
def soft_margin_loss(self: Array, target: Array, reduction: int = 1) -> Array:
    """log(1 + exp(-target * input)), every step in the result's type."""
    _match(self, target)
    dtype = result_type(self, target)
    a, b = self.astype(dtype, copy=False), target.astype(dtype, copy=False)
    with np.errstate(over="ignore"):
        return _reduce(np.log1p(np.exp(-b * a)), reduction, dtype)


@kernel("aten::binary_cross_entropy")
def binary_cross_entropy(self: Array, target: Array, weight: Array | None = None, reduction: int = 1) -> Array:
    """Cross entropy of probabilities; logarithms are cut off at -100."""
    _match(self, target)
    if target.dtype != self.dtype:
        raise RuntimeError(f"Found dtype {type_name(target.dtype)} but expected {type_name(self.dtype)}")
    x, t = wide(self), wide(target)
    if not ((x >= 0) & (x <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    with np.errstate(divide="ignore"):
        loss = (t - 1) * np.maximum(np.log1p(-x), -100) - t * np.maximum(np.log(x), -100)
    loss = loss.astype(self.dtype, copy=False)
    if weight is not None:
        _match(self, weight)
        loss = wide(loss) * wide(weight)
    return _reduce(loss, reduction, self.dtype)


@kernel("aten::binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    self: Array, target: Array, weight: Array | None = None, pos_weight: Array | None = None, reduction: int = 1
) -> Array:
    """Cross entropy of the logistic function of the input."""
    x, t, dtype = _pair(self, target)
    if np.broadcast_shapes(x.shape, t.shape) != x.shape and weight is None:
        shape = list(np.broadcast_shapes(x.shape, t.shape))
        raise RuntimeError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {shape}")
    log_sigmoid = np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
    if pos_weight is None:
        loss = (1 - t) * x - log_sigmoid
    else:
        _match(pos_weight, t)
        loss = (1 - t) * x - ((wide(pos_weight) - 1) * t + 1) * log_sigmoid
    if weight is not None:
        _match(loss, weight)
        loss = loss * wide(weight)
    return _reduce(loss, reduction, dtype)


def _xlogy(x: Array, y: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((x == 0) & ~np.isnan(y), x.dtype.type(0), x * np.log(y))


@kernel("aten::kl_div")
def kl_div(self: Array, target: Array, reduction: int = 1, log_target: bool = False) -> Array:
    """Kullback-Leibler divergence of log-probabilities from a target."""
    if not is_inexact(self.dtype) or not is_inexact(target.dtype):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    _match(target, self)
    x, t, dtype = _pair(self, target)
    return _reduce(np.exp(t) * (t - x) if log_target else _xlogy(t, t) - t * x, reduction, dtype)


@kernel("aten::poisson_nll_loss")
def poisson_nll_loss(input: Array, target: Array, log_input: bool, full: bool, eps: float, reduction: int) -> Array:
    """Negative log-likelihood of a Poisson distribution, with Stirling's term for `full`."""
    _match(target, input)
    dtype = result_type(input, target)
    if not is_inexact(dtype):
        dtype = np.dtype(np.float32)
    real = dtype.type
    x, t = input.astype(dtype, copy=False), target.astype(dtype, copy=False)  # every step is in the result's type
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        loss = np.exp(x) - t * x if log_input else x - t * np.log(x + real(eps))
        if full:
            stirling = t * np.log(t) - t + real(0.5) * np.log(real(2 * math.pi) * t)
            loss = loss + np.where(t <= 1, real(0), stirling)
    return _reduce(loss, reduction, dtype)


@kernel("aten::cosine_embedding_loss")
def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: int = 1
) -> Array:
    """1 - cosine where the target is 1, cosine beyond a margin where it is -1."""
    ranks = f"found inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
    if target.ndim not in (0, 1):
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but {ranks}")
    a, b, dtype = _pair(input1, input2)
    if not is_inexact(dtype):
        a, b, dtype = a.astype(np.float32), b.astype(np.float32), np.dtype(np.float32)
    epsilon = a.dtype.type(1e-12)
    cosine = (a * b).sum(-1) / np.sqrt(((a * a).sum(-1) + epsilon) * ((b * b).sum(-1) + epsilon))
    _match(target, np.asarray(cosine))
    loss = np.where(target == 1, 1 - cosine, 0) + np.where(target == -1, np.maximum(cosine - margin, 0), 0)
    return _reduce(loss, reduction, dtype)


@kernel("aten::hinge_embedding_loss")
def hinge_embedding_loss(self: Array, target: Array, margin: float = 1.0, reduction: int = 1) -> Array:
    """The input where the target is 1, its distance below a margin where it is -1."""
    _match(target, self)
    x = wide(self)
    edge = x.dtype.type(self.dtype.type(margin)) if is_inexact(self.dtype) else margin
    below = np.maximum(edge - x, 0).astype(result_type(self, margin)).astype(x.dtype, copy=False)
    return _reduce(np.where(target != 1, below, 0) + np.where(target != -1, x, 0), reduction, self.dtype)


@kernel("aten::margin_ranking_loss")
def margin_ranking_loss(input1: Array, input2: Array, target: Array, margin: float = 0.0, reduction: int = 1) -> Array:
    """max(0, -target * (input1 - input2) + margin)."""
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
            f"{list(input1.shape)}, input2: {list(input2.shape)}, target: {list(target.shape)} "
        )
    a, b, difference_type = _pair(input1, input2)
    difference = np.asarray(a - b).astype(difference_type, copy=False)  # integers wrap around
    _match(target, difference)
    product_type = result_type(difference, target)
    real = _compute(product_type)
    product = np.asarray(np.negative(target).astype(real) * difference.astype(real))
    dtype = result_type(input1, input2, target, margin)
    return _reduce(np.maximum(product.astype(_compute(dtype)) + _compute(dtype).type(margin), 0), reduction, dtype)


@kernel("aten::triplet_margin_loss")
def triplet_margin_loss(
    anchor: Array, positive: Array, negative: Array, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6,
    swap: bool = False, reduction: int = 1,
) -> Array:  # fmt: skip
    """max(0, margin + distance to the positive - distance to the negative); `swap` may use the positive's distance."""
    ranks = (anchor.ndim, positive.ndim, negative.ndim)
    if len(set(ranks)) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            "anchor "
            f"{ranks[0]}D, positive {ranks[1]}D, and negative {ranks[2]}D inputs"
        )
    dtype = result_type(anchor, positive, negative)
    if not is_inexact(dtype):
        dtype = np.dtype(np.float32)
    real = _compute(dtype)
    if dtype.kind == "c":
        dtype = np.dtype(np.float32 if dtype == np.complex64 else np.float64)

    def distance(x: Array, y: Array) -> Array:
        _match(x, y)
        if is_inexact(x.dtype) and is_inexact(y.dtype):
            d = x.astype(real) - y.astype(real)
        else:  # integers wrap around
            d = np.asarray(x.astype(result_type(x, y)) - y.astype(result_type(x, y))).astype(real)
        d = np.abs(d + real.type(eps))
        if p == 0:
            return np.asarray((d != 0).sum(-1)).astype(d.dtype)
        if math.isinf(p):
            return np.asarray(d.max(-1) if p > 0 else d.min(-1))
        return np.asarray((d**p).sum(-1) ** (1 / p) if p != 2 else np.sqrt((d * d).sum(-1)))

    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = np.minimum(far, distance(positive, negative))
    return _reduce(np.maximum(margin + near - far, 0), reduction, dtype)


@kernel("aten::multi_margin_loss")
def multi_margin_loss(
    self: Array, target: Array, p: Any = 1, margin: Any = 1, weight: Array | None = None, reduction: int = 1
) -> Array:
    """Sum over the other classes of max(0, margin - x[target] + x[class]) ** p, over the number of classes."""
    if p not in (1, 2):
        raise RuntimeError("only p == 1 and p == 2 supported")
    if self.ndim > 2 or (self.size == 0 and not (self.ndim == 2 and self.shape[1])):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    x = wide(self).reshape(1, -1) if self.ndim < 2 else wide(self)
    n, classes = x.shape
    if target.ndim > 1 or target.size != n:
        raise RuntimeError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            "size). "
            f"Expected target size [{n}], but got {list(target.shape)}. Input has shape {list(self.shape)}."
        )
    if weight is not None and (weight.ndim > 1 or weight.size != classes):
        raise RuntimeError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {type_name(target.dtype)}")
    t = target.reshape(-1)
    if t.size and (t.min() < 0 or t.max() >= classes):
        raise RuntimeError("target out of range")
    rows = np.arange(n)
    z = np.maximum(x.dtype.type(margin) - x[rows, t][:, None] + x, 0)
    z[rows, t] = 0
    if p == 2:
        z *= z
    if weight is not None:
        z *= wide(weight).reshape(-1)[t][:, None]
    loss = z.sum(axis=1) / classes
    return _reduce(loss if target.ndim else loss.reshape(()), reduction, self.dtype)


@kernel("aten::multilabel_margin_loss_forward")
def multilabel_margin_loss_forward(self: Array, target: Array, reduction: int) -> tuple[Array, Array]:
    """Margins of all target classes (up to the first -1) against all others; also which classes are targets."""
    if self.ndim > 2 or (self.size == 0 and not (self.ndim == 2 and self.shape[1])):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(self.shape)}"
        )
    if target.shape != self.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(self.shape)}")
    if target.dtype != np.int64:
        raise RuntimeError(f"expected scalar type Long but found {type_name(target.dtype)}")
    if target.size and (target.min() < -1 or target.max() >= max(self.shape[-1] if self.ndim else 1, 1)):
        raise RuntimeError("argument #2 'target' is out of range")
    x, t = (
        wide(self).reshape(-1, self.shape[-1] if self.ndim else 1),
        target.reshape(-1, target.shape[-1] if target.ndim else 1),
    )
    listed = np.cumprod(t >= 0, axis=1).astype(bool)
    is_target = np.zeros_like(x)
    rows = np.broadcast_to(np.arange(len(x))[:, None], t.shape)
    is_target[rows[listed], t[listed]] = 1
    of_target = np.take_along_axis(x, np.where(listed, t, 0), axis=1)
    z = np.maximum(1 - of_target[:, :, None] + x[:, None, :], 0)
    z = np.where(listed[:, :, None] & (is_target[:, None, :] == 0), z, 0)
    loss = z.sum(axis=(1, 2)) / x.shape[1]
    each = loss.reshape(self.shape[:-1] if self.ndim else ())
    return _reduce(each, reduction, self.dtype), is_target.reshape(target.shape).astype(self.dtype, copy=False)


@kernel("aten::multilabel_margin_loss")
def multilabel_margin_loss(self: Array, target: Array, reduction: int = 1) -> Array:
    """Margins of all target classes (up to the first -1) against all others."""
    return multilabel_margin_loss_forward(self, target, reduction)[0]


# negative log-likelihood and cross entropy


def _nll(x: Array, t: Array, weight: Array | None, reduction: int, ignore: int) -> tuple[Array, Array]:
    """Loss and total weight of (N, C, *S) log-probabilities for targets (N, *S)."""
    classes = x.shape[1]
    if t.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_name(t.dtype)}")
    if weight is not None and (weight.ndim > 1 or weight.size != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
            "of shape: "
            f"{list(weight.shape)}"
        )
    if weight is not None and weight.dtype != x.dtype:
        raise RuntimeError(f"expected scalar type {type_name(x.dtype)} but found {type_name(weight.dtype)}")
    t = t.astype(np.int64, copy=False)
    used = t != ignore
    wrong = used & ((t < 0) | (t >= classes))
    if wrong.any():
        raise IndexError(f"Target {int(t[wrong][0])} is out of bounds.")
    label = np.where(used, t, 0)
    values = wide(x)
    picked = (
        np.take_along_axis(values, label[:, None], axis=1)[:, 0]
        if t.size and classes
        else np.zeros_like(values, shape=t.shape)
    )
    if weight is None:
        factor = used.astype(values.dtype)
    else:
        factor = np.where(used, wide(weight).reshape(-1)[label], values.dtype.type(0))
    loss = np.where(used, -picked * factor, values.dtype.type(0))
    if reduction == 0:
        return loss.astype(x.dtype, copy=False), np.zeros_like(x, shape=())
    total = np.asarray(factor.sum())
    result = np.asarray(loss.sum())
    if reduction == 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            result = np.asarray(result / total)
    return result.astype(x.dtype, copy=False), total.astype(x.dtype, copy=False)


@kernel("aten::nll_loss_forward")
def nll_loss_forward(
    self: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """Negative log-likelihood of (N, C) or (C,) log-probabilities, and the total weight."""
    if self.ndim not in (1, 2):
        raise RuntimeError("input tensor should be 1D or 2D")
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    single = self.ndim == 1
    if not single and (target.ndim == 0 or self.shape[0] != target.shape[0]):
        raise RuntimeError(f"size mismatch (got input: {list(self.shape)}, target: {list(target.shape)})")
    if single:  # one sample: its loss is a scalar
        return _nll(self[None], target.reshape(-1), weight, reduction or 2, ignore_index)
    return _nll(self, target, weight, reduction, ignore_index)


@kernel("aten::nll_loss")
def nll_loss(
    self: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100
) -> Array:
    """Negative log-likelihood of (N, C) or (C,) log-probabilities."""
    return nll_loss_forward(self, target, weight, reduction, ignore_index)[0]


@kernel("aten::nll_loss2d_forward")
def nll_loss2d_forward(
    self: Array, target: Array, weight: Array | None, reduction: int, ignore_index: int
) -> tuple[Array, Array]:
    """Negative log-likelihood of (N, C, H, W) log-probabilities, and the total weight."""
    if target.ndim != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {target.ndim}"
        )
    if self.ndim != 4:
        raise RuntimeError(
            f"only batches of spatial inputs supported (4D tensors), but got input of dimension: {self.ndim}"
        )
    if (self.shape[0], *self.shape[2:]) != target.shape:
        raise RuntimeError(f"size mismatch (got input: {list(self.shape)} , target: {list(target.shape)}")
    return _nll(self, target, weight, reduction, ignore_index)


@kernel("aten::nll_loss2d")
def nll_loss2d(
    self: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100
) -> Array:
    """Negative log-likelihood of (N, C, H, W) log-probabilities."""
    return nll_loss2d_forward(self, target, weight, reduction, ignore_index)[0]


@kernel("aten::nll_loss_nd")
def nll_loss_nd(
    self: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100
) -> Array:
    """Negative log-likelihood of (C,), (N, C) or (N, C, *S) log-probabilities."""
    if self.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {self.ndim})")
    if self.ndim != 1 and (target.ndim == 0 or self.shape[0] != target.shape[0]):
        got = target.shape[0] if target.ndim else "no batch"
        raise ValueError(f"Expected input batch_size ({self.shape[0]}) to match target batch_size ({got}).")
    if self.ndim <= 2:
        return nll_loss(self, target, weight, reduction, ignore_index)
    if self.ndim == 4:
        return nll_loss2d(self, target, weight, reduction, ignore_index)
    shape = (self.shape[0], *self.shape[2:])
    if target.shape != shape:
        raise RuntimeError(f"Expected target size {list(shape)}, got {list(target.shape)}")
    return _nll(self, target, weight, reduction, ignore_index)[0]


@kernel("aten::cross_entropy_loss")
def cross_entropy_loss(
    self: Array, target: Array, weight: Array | None = None, reduction: int = 1, ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Array:  # fmt: skip
    """Cross entropy of logits with class indices, or with class probabilities where the shapes are equal."""
    axis = 0 if self.ndim == 1 else 1
    classes = self.shape[axis]
    if weight is not None and (weight.ndim != 1 or weight.size != classes):
        probabilities = self.shape == target.shape
        raise RuntimeError(
            f"{'cross_entropy: ' if probabilities else ''}weight tensor should be defined either for all {classes} "
            "classes or no "
            f"classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if not 0 <= label_smoothing <= 1 and (self.shape == target.shape or label_smoothing > 0):
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if self.shape == target.shape:
        if not is_inexact(target.dtype):
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {type_name(target.dtype)}"
            )
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _cross_entropy_probabilities(self, target, weight, reduction, label_smoothing, axis)
    logs = log_softmax_of(self, axis)
    loss = nll_loss_nd(logs, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    x = wide(logs)
    per_class = x if weight is None else x * wide(weight).reshape(-1, *(1,) * (x.ndim - axis - 1))
    used = target != ignore_index
    smooth: Any = np.where(used, -per_class.sum(axis=axis), 0)
    if reduction == 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            count = used.sum() if weight is None else wide(weight)[target[used].reshape(-1)].sum()
            smooth = smooth.sum() / np.asarray(count).astype(x.dtype)
    elif reduction == 2:
        smooth = smooth.sum()
    mixed = (1 - label_smoothing) * wide(loss) + smooth * (label_smoothing / classes)
    return np.asarray(mixed).astype(self.dtype)


def _cross_entropy_probabilities(
    self: Array, target: Array, weight: Array | None, reduction: int, smoothing: float, axis: int
) -> Array:
    x, t = wide(log_softmax_of(self, axis)), wide(target)
    dtype = result_type(self, target)
    if smoothing > 0:
        t = t * (1 - smoothing) + smoothing / self.shape[axis]
    product = x * t
    if weight is not None:
        product = product * wide(weight).reshape(-1, *(1,) * (x.ndim - axis - 1))
    if reduction == 0:
        return np.asarray(-product.sum(axis=axis)).astype(dtype)
    total = -product.sum()
    if reduction == 1:
        count = x.size / x.shape[axis] if x.shape[axis] else 0
        total = total / count if x.size else total * np.nan
    return np.asarray(total).astype(dtype)


# connectionist temporal classification


def _lengths(values: Array | Sequence[int], name: str, batch: int) -> list[int]:
    if isinstance(values, np.ndarray) and values.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    lengths = [int(v) for v in np.asarray(values).reshape(-1).tolist()]
    if len(lengths) != batch:
        raise RuntimeError(f"{name} must be of size batch_size")
    return lengths


_AT = " (while checking arguments for ctc_loss_allocate_outputs)"


@kernel("aten::ctc_loss.IntList", "aten::ctc_loss.Tensor")
def ctc_loss(
    log_probs: Array, targets: Array, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = 1,
    zero_infinity: bool = False,
) -> Array:  # fmt: skip
    """Negative log-likelihood of label sequences under (T, N, C) log-probabilities, summed over all alignments."""
    unbatched = log_probs.ndim == 2
    x = log_probs[:, None] if unbatched else log_probs
    longest, batch, labels = x.shape
    if x.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{type_name(x.dtype)}'")
    if not 0 <= blank < labels:
        raise RuntimeError("blank must be in label range")
    steps = _lengths(input_lengths, "input_lengths", batch)
    sizes = _lengths(target_lengths, "target_lengths", batch)
    widest = max(sizes, default=0)
    if unbatched or targets.ndim == 1:
        if targets.ndim == 1 and targets.shape[0] != sum(sizes):
            raise RuntimeError(
                f"Expected tensor to have size {sum(sizes)} at dimension 0, but got size {targets.shape[0]} for "
                "argument #2 "
                f"'targets'{_AT}"
            )
        table = np.full_like(targets, blank, shape=(batch, max(widest, 1)), dtype=np.int64)
        filled = np.arange(table.shape[1])[None, :] < np.asarray(sizes)[:, None]
        table[filled] = targets.reshape(-1)
    else:
        if targets.shape[0] != batch:
            raise RuntimeError(
                f"Expected tensor to have size {batch} at dimension 0, but got size {targets.shape[0]} for argument "
                f"#2 'targets'{_AT}"
            )
        if targets.shape[1] < widest:
            raise RuntimeError(
                f"Expected tensor to have size at least {widest} at dimension 1, but got size {targets.shape[1]} for "
                "argument #2 "
                f"'targets'{_AT}"
            )
        table = np.where(np.arange(targets.shape[1])[None, :] < np.asarray(sizes)[:, None], targets, blank).astype(
            np.int64
        )
    for n in steps:
        if n > longest:
            raise RuntimeError(f"Expected input_lengths to have value at most {longest}, but got value {n}{_AT}")
    loss = _ctc_forward(x, table, np.asarray(steps), np.asarray(sizes), blank)
    if zero_infinity:
        loss = np.where(loss == np.inf, loss.dtype.type(0), loss)
    if reduction == 1:
        return np.asarray((loss / np.maximum(np.asarray(sizes), 1).astype(loss.dtype)).mean(dtype=loss.dtype))
    if reduction == 2:
        return np.asarray(loss.sum(dtype=loss.dtype))
    return np.asarray(loss[0]) if unbatched else loss


def _ctc_forward(x: Array, table: Array, steps: Array, sizes: Array, blank: int) -> Array:
    """The forward recursion over time, for all sequences at once."""
    batch, width = x.shape[1], 2 * table.shape[1] + 1
    states = np.full_like(table, blank, shape=(batch, width))
    states[:, 1::2] = table
    skip = np.zeros_like(states, dtype=np.bool_)  # a state that may follow the one before the last
    skip[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    none = x.dtype.type(-np.inf)
    alpha = np.full_like(x, none, shape=(batch, width))
    if x.shape[0]:
        first = np.take_along_axis(x[0], states[:, :2], axis=1)
        alpha[:, 0] = first[:, 0]
        if width > 1:
            alpha[:, 1] = np.where(sizes > 0, first[:, 1], none)
    one, two = np.full_like(alpha, none), np.full_like(alpha, none)
    with np.errstate(invalid="ignore", divide="ignore"):
        for t in range(1, int(steps.max(initial=0))):
            one[:, 1:] = alpha[:, :-1]
            two[:, 2:] = np.where(skip[:, 2:], alpha[:, :-2], none)
            top = np.maximum(np.maximum(alpha, one), two)
            top = np.where(top == none, x.dtype.type(0), top)
            new = np.log(np.exp(alpha - top) + np.exp(one - top) + np.exp(two - top)) + top
            new += np.take_along_axis(x[t], states, axis=1)
            alpha = np.where((t < steps)[:, None], new, alpha)
        rows = np.arange(batch)
        last = alpha[rows, 2 * sizes]
        before = np.where(sizes > 0, alpha[rows, np.maximum(2 * sizes - 1, 0)], none)
        loss = -np.logaddexp(last, before)
    empty = np.where(sizes == 0, x.dtype.type(0), x.dtype.type(np.inf))
    made: Array = np.where(steps == 0, empty, loss)
    return made
