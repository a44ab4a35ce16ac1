"""Normalisation: batch, layer, group, instance and RMS norms; softmax, log-softmax and logsumexp.

float16 and bfloat16 are computed in float32 and rounded once at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, type_name
from linstock.backends.array.promotion import default_dtype, is_inexact, wide
from linstock.backends.array.registry import kernel
from linstock.ir import dtypes


def _axis(dim: int, ndim: int) -> int:
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def _rounded(y: Array, dtype: np.dtype[Any]) -> Array:
    return np.asarray(y).astype(dtype, copy=False)


# softmax


def _exponentials(x: Array, dim: int, name: str) -> tuple[Array, int]:
    """exp(x - max) along an axis, in the computation type, in fresh memory; 0-dimensional arrays get an axis."""
    if not is_inexact(x.dtype) or x.dtype.kind == "c":
        last = dim in (-1, x.ndim - 1) or x.ndim == 0
        raise NotImplementedError(
            f"\"{name}{'_lastdim' if last else ''}_kernel_impl\" not implemented for '{type_name(x.dtype)}'"
        )
    axis = _axis(dim, x.ndim)
    y = wide(x)
    if y.ndim == 0:
        y = y.reshape(1)
    with np.errstate(invalid="ignore"):
        y = y - y.max(axis=axis, keepdims=True, initial=-np.inf)
    return y, axis


def softmax_of(x: Array, dim: int) -> Array:
    """Softmax along one axis, in the type of the input."""
    y, axis = _exponentials(x, dim, "softmax")
    np.exp(y, out=y)
    y /= y.sum(axis=axis, keepdims=True)
    return _rounded(y.reshape(x.shape), x.dtype)


def log_softmax_of(x: Array, dim: int) -> Array:
    """Logarithm of the softmax along one axis, in the type of the input."""
    y, axis = _exponentials(x, dim, "log_softmax")
    total = np.exp(y).sum(axis=axis, keepdims=True)
    with np.errstate(divide="ignore"):
        y -= np.log(total, out=total)
    return _rounded(y.reshape(x.shape), x.dtype)


def _converted(x: Array, dtype: int | None) -> Array:
    return x if dtype is None else x.astype(dtypes.numpy_of(dtype), copy=False)


@kernel("aten::softmax.int")
def softmax(self: Array, dim: int, dtype: int | None = None) -> Array:
    """Softmax along `dim`, of the input converted to `dtype` first."""
    return softmax_of(_converted(self, dtype), dim)


@kernel("aten::log_softmax.int")
def log_softmax(self: Array, dim: int, dtype: int | None = None) -> Array:
    """Log-softmax along `dim`, of the input converted to `dtype` first."""
    return log_softmax_of(_converted(self, dtype), dim)


@kernel("aten::_softmax")
def _softmax(self: Array, dim: int, half_to_float: bool) -> Array:
    """Softmax along `dim`. Raises RuntimeError for `half_to_float`, which only other devices have."""
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    return softmax_of(self, dim)


@kernel("aten::_log_softmax")
def _log_softmax(self: Array, dim: int, half_to_float: bool) -> Array:
    """Log-softmax along `dim`. Raises RuntimeError for `half_to_float`, which only other devices have."""
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")
    return log_softmax_of(self, dim)


@kernel("aten::_safe_softmax")
def _safe_softmax(self: Array, dim: int, dtype: int | None = None) -> Array:
    """Softmax in which a slice of minus infinities gives zeros instead of NaN."""
    y = softmax(self, dim, dtype)
    if self.ndim == 0:
        return np.zeros_like(y) if bool(self == -np.inf) else y
    masked = (self == -np.inf).all(axis=dim, keepdims=True)
    return np.where(masked, y.dtype.type(0), y) if masked.any() else y


@kernel("aten::_softmax_backward_data")
def _softmax_backward_data(grad_output: Array, output: Array, dim: int, input_dtype: int) -> Array:
    """The gradient of softmax from its output."""
    dtype = dtypes.numpy_of(input_dtype)
    if grad_output.dtype != dtype:
        raise RuntimeError(f"expected scalar type {type_name(grad_output.dtype)} but found {type_name(dtype)}")
    grad, y = wide(grad_output), wide(output)
    axis = _axis(dim, grad.ndim)
    product = grad * y
    total = np.sum(product, axis=axis, keepdims=True) if grad.ndim else product
    return _rounded(product - y * total, dtype)


@kernel("aten::logsumexp")
def logsumexp(self: Array, dim: Sequence[int], keepdim: bool = False) -> Array:
    """Logarithm of the sum of exponentials over the given axes (all of them where none is given)."""
    dims = [dim] if isinstance(dim, int) else list(dim)
    axes = tuple(_axis(d, self.ndim) for d in dims)
    for a in axes:
        if axes.count(a) > 1:
            raise RuntimeError(f"dim {a} appears multiple times in the list of dims")
    x = self if is_inexact(self.dtype) else self.astype(default_dtype())
    y = wide(x)
    if y.ndim == 0:
        y, axes = y.reshape(1), (0,)
    if not dims:
        axes = tuple(range(y.ndim))
    if y.dtype.kind == "c":
        top = np.max(y.real, axis=axes, keepdims=True, initial=-np.inf)
    else:
        top = np.max(y, axis=axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), y.real.dtype.type(0), top)
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(np.exp(y - top).sum(axis=axes, keepdims=True)) + top
    if self.ndim == 0:
        return _rounded(y.reshape(()), x.dtype)
    if not keepdim:
        y = np.squeeze(y, axis=axes)
    return _rounded(y, x.dtype)


# batch norm


def _channel_shape(x: Array) -> tuple[int, ...]:
    return (1, -1, *(1,) * (x.ndim - 2)) if x.ndim > 1 else (-1,)


def _check_channels(channels: int, **vectors: Array | None) -> None:
    for name, v in vectors.items():
        if v is not None and v.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {v.size}")


def _update(running: Array | None, value: Array, momentum: float) -> None:
    if running is not None:
        running[...] = (1 - momentum) * wide(running) + momentum * value


def _normalise(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    training: bool, momentum: float, eps: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """(output, mean, 1 / deviation) over all axes but the channels; running statistics are updated in place."""
    if input.ndim < 2:
        channels = 0
    else:
        channels = input.shape[1]
    if not training:
        for name, v in (("running_mean", running_mean), ("running_var", running_var)):
            if v is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    _check_channels(channels, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not is_inexact(input.dtype) or input.dtype.kind == "c":
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{type_name(input.dtype)}'")
    x = wide(input)
    stat = next((v.dtype for v in (weight, bias, running_mean, running_var) if v is not None), input.dtype)
    shape = _channel_shape(x)
    centred = None
    if training:
        axes = tuple(i for i in range(x.ndim) if i != 1)
        count = x.size // channels if channels else 0
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = x.mean(axis=axes) if count else np.full_like(x, np.nan, shape=(channels,))
            centred = x - mean.reshape(shape)
            squares = (centred * centred).sum(axis=axes)
            variance = squares / x.dtype.type(count)
            if count:
                _update(running_mean, mean, momentum)
                _update(running_var, squares / x.dtype.type(count - 1), momentum)
    else:
        assert running_mean is not None and running_var is not None
        mean, variance = wide(running_mean).astype(x.dtype, copy=False), wide(running_var).astype(x.dtype, copy=False)
    inverse = 1 / np.sqrt(variance + x.dtype.type(eps))
    scale = inverse if weight is None else inverse * wide(weight)
    scale = scale.astype(x.dtype, copy=False)
    if centred is not None:
        y = centred
        y *= scale.reshape(shape)
        if bias is not None:
            y += wide(bias).reshape(shape)
    else:
        shift = -mean * scale if bias is None else wide(bias) - mean * scale
        y = x * scale.reshape(shape)
        y += shift.reshape(shape)
    return _rounded(y, input.dtype), mean.astype(stat, copy=False), inverse.astype(stat, copy=False)


@kernel("aten::batch_norm")
def batch_norm(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool = True,
) -> Array:  # fmt: skip
    """Normalisation over all axes but the channels, by the batch's or the running statistics."""
    return _normalise(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


@kernel("aten::native_batch_norm", "aten::_native_batch_norm_legit")
def native_batch_norm(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    training: bool, momentum: float, eps: float,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Batch norm with the saved mean and inverse deviation (empty in evaluation)."""
    y, mean, inverse = _normalise(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return (y, mean, inverse) if training else (y, mean[:0].copy(), inverse[:0].copy())


@kernel("aten::_native_batch_norm_legit.no_stats")
def _native_batch_norm_legit(
    input: Array, weight: Array | None, bias: Array | None, training: bool, momentum: float, eps: float
) -> tuple[Array, Array, Array]:
    """Batch norm without running statistics."""
    return native_batch_norm(input, weight, bias, None, None, training, momentum, eps)


@kernel("aten::_batch_norm_with_update")
def _batch_norm_with_update(
    input: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array,
    running_var: Array,
    momentum: float,
    eps: float,
) -> tuple[Array, Array, Array, Array]:
    """Batch norm in training; the fourth result is an empty reserve."""
    y, mean, inverse = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return y, mean, inverse, np.zeros_like(y, shape=(0,), dtype=np.uint8)


@kernel("aten::instance_norm")
def instance_norm(
    input: Array, weight: Array | None, bias: Array | None, running_mean: Array | None, running_var: Array | None,
    use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool = True,
) -> Array:  # fmt: skip
    """Batch norm of every sample alone; running statistics get the mean over the samples."""
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if not use_input_stats and running_mean is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    n, c = input.shape[:2]

    def repeated(v: Array | None) -> Array | None:
        return None if v is None else np.tile(v, n)

    means, variances = repeated(running_mean), repeated(running_var)
    y = _normalise(
        input.reshape(1, n * c, *input.shape[2:]),
        repeated(weight),
        repeated(bias),
        means,
        variances,
        use_input_stats,
        momentum,
        eps,
    )[0]
    for running, all_samples in ((running_mean, means), (running_var, variances)):
        if running is not None and all_samples is not None:
            running[...] = wide(all_samples).reshape(n, c).mean(axis=0)
    return y.reshape(input.shape)


# layer, RMS and group norm


def _check_normalized(
    x: Array, shape: tuple[int, ...], weight: Array | None, bias: Array | None, name: str, star: str
) -> None:
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for label, v in (("weight", weight), ("bias", bias)):
        if v is not None and v.shape != shape:
            raise RuntimeError(
                f"Expected {label} to be of same shape as normalized_shape, but got {label} of shape {list(v.shape)} "
                "and "
                f"normalized_shape = {list(shape)}"
            )
    if x.shape[max(x.ndim - len(shape), 0) :] != shape:
        sizes = ", ".join(str(s) for s in shape)
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{star}{sizes}], but got input of "
            f"size{list(x.shape)}"
        )
    if not is_inexact(x.dtype) or (x.dtype.kind == "c" and name != "rms_norm"):
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(x.dtype)}'")


def _squares(y: Array) -> Array:
    """Sums of squares along the last axis, which is kept with size 1."""
    sums: Array = np.matmul(y[..., None, :], y[..., :, None])[..., 0]
    return sums


def _standardise(x: Array, eps: float) -> tuple[Array, Array, Array]:
    """(x - mean) / deviation along the last axis, and the mean and inverse deviation."""
    n = x.shape[-1]
    if not n:
        mean = np.full_like(x, np.nan, shape=(*x.shape[:-1], 1))
        return x.copy(), mean, mean.copy()
    mean = np.add.reduce(x, axis=-1, keepdims=True)
    mean /= n
    y = x - mean
    inverse = _squares(y)
    inverse /= n
    inverse += x.dtype.type(eps)
    np.sqrt(inverse, out=inverse)
    with np.errstate(divide="ignore"):
        np.reciprocal(inverse, out=inverse)
    with np.errstate(invalid="ignore"):
        y *= inverse
    return y, mean, inverse


@kernel("aten::native_layer_norm")
def native_layer_norm(
    input: Array, normalized_shape: Sequence[int], weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Normalisation over the last axes with the mean and inverse deviation of each slice."""
    shape = tuple(int(s) for s in normalized_shape)
    _check_normalized(input, shape, weight, bias, "LayerNormKernelImpl", ", ")
    lead = input.shape[: input.ndim - len(shape)]
    y, mean, inverse = _standardise(wide(input).reshape(*lead, math.prod(shape)), eps)
    y = y.reshape(input.shape)
    if weight is not None:
        y *= wide(weight)
    if bias is not None:
        y += wide(bias)
    stat = next((v.dtype for v in (weight, bias) if v is not None), input.dtype)
    kept = lead + (1,) * len(shape)
    return _rounded(y, input.dtype), _rounded(mean.reshape(kept), stat), _rounded(inverse.reshape(kept), stat)


@kernel("aten::layer_norm")
def layer_norm(
    input: Array, normalized_shape: Sequence[int], weight: Array | None = None, bias: Array | None = None,
    eps: float = 1e-5, cudnn_enable: bool = True,
) -> Array:  # fmt: skip
    """Normalisation over the last axes, then an elementwise affine map."""
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


@kernel("aten::rms_norm")
def rms_norm(
    input: Array, normalized_shape: Sequence[int], weight: Array | None = None, eps: float | None = None
) -> Array:
    """Division by the root of the mean square over the last axes; `eps` defaults to the computation's epsilon."""
    shape = tuple(int(s) for s in normalized_shape)
    _check_normalized(input, shape, weight, None, "rms_norm", "")
    x = wide(input)
    if eps is None:
        eps = float(np.finfo(x.dtype).eps)
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    if len(axes) == 1 and x.size:
        square = _squares(x)
        square /= x.shape[-1]
    else:
        square = np.mean(x * x, axis=axes, keepdims=True)
    y = x * (1 / np.sqrt(square + square.real.dtype.type(eps)))
    if weight is not None:
        y = _rounded(y, input.dtype) * weight if weight.dtype != input.dtype else y * wide(weight)
    return _rounded(y, input.dtype)


def _group_norm(
    x: Array, weight: Array | None, bias: Array | None, groups: int, channels: int, eps: float
) -> tuple[Array, Array, Array]:
    n = x.shape[0]
    y, mean, inverse = _standardise(
        wide(x).reshape(n, groups, -1) if x.size else np.zeros_like(wide(x), shape=(n, groups, 0)), eps
    )
    y = y.reshape(n, channels, -1) if x.size else wide(x)
    for v, apply in ((weight, np.multiply), (bias, np.add)):
        if v is not None and x.size:
            apply(y, wide(v).reshape(1, -1, 1), out=y)
    stat = next((v.dtype for v in (weight, bias) if v is not None), x.dtype)
    return _rounded(y.reshape(x.shape), x.dtype), _rounded(mean[..., 0], stat), _rounded(inverse[..., 0], stat)


@kernel("aten::native_group_norm")
def native_group_norm(
    input: Array, weight: Array | None, bias: Array | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Array, Array, Array]:
    """Normalisation of groups of channels with the mean and inverse deviation of each."""
    _check_groups(input, group, weight, bias)
    return _group_norm(input, weight, bias, group, C, eps)


def _check_groups(input: Array, groups: int, weight: Array | None, bias: Array | None) -> None:
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if input.ndim < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got 1)"
        )
    if input.shape[1] % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} "
            f"and num_groups={groups}"
        )
    for name, v in (("weight", weight), ("bias", bias)):
        if v is not None and v.shape != (input.shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                "shape "
                f"{list(v.shape)} and input of shape {list(input.shape)}"
            )
    if not is_inexact(input.dtype) or input.dtype.kind == "c":
        raise NotImplementedError(f"\"GroupNormKernelImpl\" not implemented for '{type_name(input.dtype)}'")


@kernel("aten::group_norm")
def group_norm(
    input: Array, num_groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Array:  # fmt: skip
    """Normalisation of groups of channels, then a per-channel affine map."""
    _check_groups(input, num_groups, weight, bias)
    return _group_norm(input, weight, bias, num_groups, input.shape[1], eps)[0]
