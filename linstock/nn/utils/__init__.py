"""`linstock.nn.utils`: gradients, parameters, packed sequences and fusions under PyTorch's names."""

from linstock.nn.utils import rnn
from linstock.nn.utils.clipping import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from linstock.nn.utils.fusion import (
    fuse_conv_bn_eval,
    fuse_conv_bn_weights,
    fuse_linear_bn_eval,
    fuse_linear_bn_weights,
)
from linstock.nn.utils.vectors import parameters_to_vector, vector_to_parameters
from linstock.nn.utils.weight_norm import remove_weight_norm, weight_norm

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "fuse_conv_bn_eval", "fuse_conv_bn_weights",
    "fuse_linear_bn_eval", "fuse_linear_bn_weights", "get_total_norm", "parameters_to_vector",
    "remove_weight_norm", "rnn", "vector_to_parameters", "weight_norm",
]  # fmt: skip
