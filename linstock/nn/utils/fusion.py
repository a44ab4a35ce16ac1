"""Batch normalisations taken into the layer before them."""

from __future__ import annotations

import copy
from typing import Any

import linstock
from linstock.runtime.module import Module
from linstock.runtime.tensor import Parameter, Tensor


def _scale(bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None) -> Tensor:
    scale = linstock.rsqrt(bn_rv + bn_eps)
    return scale if bn_w is None else bn_w * scale


def _shifted(bias: Tensor | None, mean: Tensor, scale: Tensor, shift: Tensor | None) -> Tensor:
    moved = (linstock.zeros_like(mean) if bias is None else bias) - mean
    return moved * scale if shift is None else moved * scale + shift


def _parameter(value: Tensor, like: Tensor | None) -> Parameter:
    made = value.detach()
    return Parameter(made if like is None else made.to(like.dtype), requires_grad=like is None or like.requires_grad)


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None, bn_b:
    Tensor | None, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """The weight and bias of a convolution that does what convolution and batch normalisation did."""
    scale = _scale(bn_rv, bn_eps, bn_w)
    shape = [1, -1, *[1] * (conv_w.dim() - 2)] if transpose else [-1, *[1] * (conv_w.dim() - 1)]
    weight = conv_w * scale.reshape(shape)
    return _parameter(weight, conv_w), _parameter(_shifted(conv_b, bn_rm, scale, bn_b), conv_b)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """The weight and bias of a linear layer that does what linear layer and batch normalisation did."""
    scale = _scale(bn_rv, bn_eps, bn_w)
    weight = linear_w * scale.unsqueeze(-1)
    return _parameter(weight, linear_w), _parameter(_shifted(linear_b, bn_rm, scale, bn_b), linear_b)


def _check(layer: Module, bn: Module) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError("Only support fusing BatchNorm with tracked running_mean and running_var.")


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what a convolution and a batch normalisation do in evaluation.

    Raises AssertionError in training, ValueError without running statistics.
    """
    _check(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what a linear layer and a batch normalisation do in evaluation.

    Raises AssertionError in training, ValueError without running statistics.
    """
    _check(linear, bn)
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused
