"""Activations, softmax and dropout, in the language that linstock compiles: each can be called in scripted code."""

from __future__ import annotations

import warnings

import linstock
from linstock.ir.dtypes import dtype as DType
from linstock.runtime.tensor import Tensor


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Each element where it is greater than `threshold`, `value` elsewhere."""
    return linstock.threshold_(input, threshold, value) if inplace else linstock.threshold(input, threshold, value)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x)."""
    return linstock.relu_(input) if inplace else linstock.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(0, x), 6)."""
    return linstock.relu6_(input) if inplace else linstock.relu6(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The elements, limited to [min_val, max_val]. Raises ValueError if min_val is greater than max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return linstock.hardtanh_(input, min_val, max_val) if inplace else linstock.hardtanh(input, min_val, max_val)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, alpha * (exp(x) - 1) elsewhere."""
    return linstock.elu_(input, alpha) if inplace else linstock.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The scaled ELU that keeps mean and variance."""
    return linstock.selu_(input) if inplace else linstock.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return linstock.celu_(input, alpha) if inplace else linstock.celu(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, negative_slope * x elsewhere."""
    return linstock.leaky_relu_(input, negative_slope) if inplace else linstock.leaky_relu(input, negative_slope)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Leaky ReLU whose slope is drawn from [lower, upper] in training, and their mean otherwise."""
    if inplace:
        return linstock.rrelu_(input, lower, upper, training)
    return linstock.rrelu(input, lower, upper, training)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second. Raises RuntimeError for a scalar or an odd size."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return linstock.glu(input, dim)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(x + 3) / 6."""
    return linstock.hardsigmoid_(input) if inplace else linstock.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * relu6(x + 3) / 6."""
    return linstock.hardswish_(input) if inplace else linstock.hardswish(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x)."""
    return linstock.silu_(input) if inplace else linstock.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x))."""
    return linstock.mish_(input) if inplace else linstock.mish(input)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


# softmax ------------------------------------------------------------------------------------------------------------


def _softmax_dim(name: str, rank: int) -> int:
    """The dimension that a softmax without `dim` runs over, as PyTorch always chose it."""
    warnings.warn(
        "Implicit dimension choice for "
        + name
        + " has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if rank == 0 or rank == 1 or rank == 3 else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`; the input is cast to `dtype` before, if given."""
    if dim is None:
        dim = _softmax_dim("softmax", input.dim())
    return linstock.softmax(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The softmax of -x along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmin", input.dim())
    return linstock.softmax(-input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """The logarithm of the softmax along `dim`."""
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim())
    return linstock.log_softmax(input, dim, dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; with `hard` one-hot, with the gradient of the soft sample."""
    gumbels = linstock.empty_like(logits, memory_format=linstock.contiguous_format).exponential_().log().neg()
    soft = linstock.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = linstock.zeros_like(logits, memory_format=linstock.contiguous_format).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft


# dropout ------------------------------------------------------------------------------------------------------------


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero each element with probability p and scale the rest by 1 / (1 - p).

    This function and its kin raise ValueError for a p outside [0, 1].
    """
    _check_probability(p)
    return linstock.dropout_(input, p, training) if inplace else linstock.dropout(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of self-normalising networks."""
    _check_probability(p)
    return linstock.alpha_dropout_(input, p, training) if inplace else linstock.alpha_dropout(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Alpha dropout of whole channels."""
    _check_probability(p)
    if inplace:
        return linstock.feature_alpha_dropout_(input, p, training)
    return linstock.feature_alpha_dropout(input, p, training)


def _feature_dropout(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    return linstock.feature_dropout_(input, p, training) if inplace else linstock.feature_dropout(input, p, training)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero whole channels of (N, C, L) or (C, L). Raises RuntimeError for other ranks."""
    _check_probability(p)
    if input.dim() != 2 and input.dim() != 3:
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to "
            "provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension "
            "(i.e. 2D or 3D inputs)."
        )
    if input.dim() == 3:
        return _feature_dropout(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _feature_dropout(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero whole channels of (N, C, H, W). Other ranks are taken with a warning: (N, C, L) as such."""
    _check_probability(p)
    if input.dim() != 3 and input.dim() != 4:
        warnings.warn(
            "dropout2d: Received an input whose rank is neither 3 nor 4: channels of (N, C, H, W) are what it zeroes.",
            stacklevel=2,
        )
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input, which is taken as (N, C, L): use dropout1d for channels of such inputs.",
            stacklevel=2,
        )
    return _feature_dropout(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero whole channels of (N, C, D, H, W) or (C, D, H, W). Other ranks are taken with a warning."""
    _check_probability(p)
    if input.dim() != 4 and input.dim() != 5:
        warnings.warn(
            "dropout3d: Received an input whose rank is neither 4 nor 5: channels of (N, C, D, H, W) are what it "
            "zeroes.",
            stacklevel=2,
        )
    if input.dim() != 4:
        return _feature_dropout(input, p, training, inplace)
    batch = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _feature_dropout(batch, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)
