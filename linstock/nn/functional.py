"""`linstock.nn.functional`: layers as functions, under PyTorch's names.

Operators that need no more than a name are found when asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import linstock
from linstock.nn.functional_activation import (
    alpha_dropout,
    celu,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    elu,
    feature_alpha_dropout,
    glu,
    gumbel_softmax,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    mish,
    relu,
    relu6,
    rrelu,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)  # fmt: skip
from linstock.nn.functional_attention import multi_head_attention_forward
from linstock.nn.functional_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)  # fmt: skip
from linstock.nn.functional_norm import (
    batch_norm,
    embedding,
    embedding_bag,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    normalize,
    rms_norm,
)  # fmt: skip
from linstock.nn.functional_pooling import (
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)  # fmt: skip
from linstock.nn.functional_resample import (
    affine_grid,
    fold,
    grid_sample,
    interpolate,
    unfold,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)  # fmt: skip

#: names whose operator is all there is
_OPERATORS = (
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d "
    "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ "
    "leaky_relu_ linear native_channel_shuffle one_hot pad pairwise_distance pdist pixel_shuffle pixel_unshuffle "
    "prelu relu6_ relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink threshold_"
)
_OTHER_NAMES = {"logsigmoid": "log_sigmoid"}

if TYPE_CHECKING:  # what __getattr__ below finds
    from collections.abc import Callable

    from linstock.runtime.tensor import Tensor

    _Operator = Callable[..., Tensor]
    adaptive_avg_pool1d: _Operator
    avg_pool1d: _Operator
    avg_pool2d: _Operator
    avg_pool3d: _Operator
    bilinear: _Operator
    celu_: _Operator
    channel_shuffle: _Operator
    conv1d: _Operator
    conv2d: _Operator
    conv3d: _Operator
    conv_tbc: _Operator
    conv_transpose1d: _Operator
    conv_transpose2d: _Operator
    conv_transpose3d: _Operator
    cosine_similarity: _Operator
    elu_: _Operator
    gelu: _Operator
    hardshrink: _Operator
    hardtanh_: _Operator
    leaky_relu_: _Operator
    linear: _Operator
    logsigmoid: _Operator
    native_channel_shuffle: _Operator
    one_hot: _Operator
    pad: _Operator
    pairwise_distance: _Operator
    pdist: _Operator
    pixel_shuffle: _Operator
    pixel_unshuffle: _Operator
    prelu: _Operator
    relu6_: _Operator
    relu_: _Operator
    rrelu_: _Operator
    scaled_dot_product_attention: _Operator
    selu_: _Operator
    softplus: _Operator
    softshrink: _Operator
    threshold_: _Operator

__all__ = [
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d", "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices", "affine_grid", "alpha_dropout", "batch_norm", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "celu", "cosine_embedding_loss", "cross_entropy", "ctc_loss", "dropout",
    "dropout1d", "dropout2d", "dropout3d", "elu", "embedding", "embedding_bag", "feature_alpha_dropout", "fold",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "gaussian_nll_loss", "glu", "grid_sample", "group_norm",
    "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh", "hinge_embedding_loss", "huber_loss",
    "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm", "leaky_relu", "local_response_norm",
    "log_softmax", "lp_pool1d", "lp_pool2d", "lp_pool3d", "margin_ranking_loss", "max_pool1d",
    "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices",
    "max_unpool1d", "max_unpool2d", "max_unpool3d", "mish", "mse_loss", "multi_head_attention_forward",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "normalize",
    "poisson_nll_loss", "relu", "relu6", "rms_norm", "rrelu", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "soft_margin_loss", "softmax", "softmin", "softsign", "tanh", "tanhshrink", "threshold",
    "triplet_margin_loss", "triplet_margin_with_distance_loss", "unfold", "upsample", "upsample_bilinear",
    "upsample_nearest",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _OPERATORS.split() and name not in _OTHER_NAMES:
        raise AttributeError(f"module 'linstock.nn.functional' has no attribute {name!r}")
    found = globals()[name] = getattr(linstock, _OTHER_NAMES.get(name, name))
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *_OPERATORS.split(), *_OTHER_NAMES])
