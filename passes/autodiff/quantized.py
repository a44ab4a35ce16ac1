"""Derivatives of the quantized family: fake quantisation passes gradients straight through where nothing was cut off;
what is really quantised has none."""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.pointwise import masked
from linstock.passes.autodiff.registry import derivative, not_differentiable


@derivative(
    "aten::fake_quantize_per_tensor_affine", "aten::fake_quantize_per_tensor_affine.tensor_qparams",
    "aten::fake_quantize_per_tensor_affine_cachemask",
)  # fmt: skip
def _fake_quantize(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, scale, zero, low, high = args

    def own() -> Any:
        place = ops.round(x / scale) + zero
        return masked(ops, ops.logical_and(place >= low, place <= high), grads[0])

    return (own,)


@derivative("aten::fake_quantize_per_channel_affine", "aten::fake_quantize_per_channel_affine_cachemask")
def _fake_quantize_channels(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, scale, zero, axis, low, high = args

    def own() -> Any:
        shape = [-1 if d == axis % len(x.shape) else 1 for d in range(len(x.shape))]
        place = ops.round(x / ops.reshape(scale, shape)) + ops.reshape(zero, shape)
        return masked(ops, ops.logical_and(place >= low, place <= high), grads[0])

    return (own,)


not_differentiable(
    "quantized::* quantize_per_* quantized_* dequantize.* _make_per_* int_repr* q_per_* empty_quantized* "
    "choose_qparams_optimized",
    "quantized tensors require no gradients: train with fake_quantize",
)
