"""Derivatives of the attention family: attention from its parts, embeddings by giving rows back."""

from __future__ import annotations

import math
from typing import Any

from linstock.passes.autodiff.norm import wide
from linstock.passes.autodiff.pointwise import masked
from linstock.passes.autodiff.registry import derivative, expanded, not_differentiable, without_rule


@expanded("aten::scaled_dot_product_attention")
def _attention(
    ops: Any, q: Any, k: Any, v: Any, mask: Any, dropout: float, causal: bool, scale: Any = None, grouped: bool = False
) -> Any:
    if causal and mask is not None:
        return NotImplemented
    q, k, v, kind = wide(ops, q), wide(ops, k), wide(ops, v), q.dtype
    if grouped:
        each = q.shape[-3] // k.shape[-3]
        k, v = (ops.repeat_interleave(t, each, t.dim() - 3) if each != 1 else t for t in (k, v))
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = ops.matmul(q * scale, k.transpose(-2, -1))
    if causal:
        seen = ops.arange(q.shape[-2]).unsqueeze(1) >= ops.arange(k.shape[-2])
        scores = ops.where(seen, scores, -math.inf)
    elif mask is not None:
        scores = ops.where(mask, scores, -math.inf) if not mask.dtype.is_floating_point else scores + mask
    plain = not causal and mask is None
    shares = ops.softmax(scores, -1) if plain else ops.call("aten::_safe_softmax", scores, -1, None)
    if dropout > 0:
        shares = ops.dropout(shares, dropout, True)
    y = ops.matmul(shares, v)
    return y if y.dtype is kind else ops.call("aten::to.dtype", y, kind.code)


# embeddings ---------------------------------------------------------------------------------------------------------


def _rows_back(ops: Any, g: Any, weight: Any, indices: Any, padding: int, by_frequency: bool) -> Any:
    """The gradient of taking rows: each goes back to its row, the padding's nowhere."""
    rows, width = list(weight.shape)
    indices, g = ops.reshape(indices, [-1]), ops.reshape(g, [-1, width])
    if padding >= 0:
        g = masked(ops, (indices != padding).unsqueeze(1), g)
    if by_frequency:
        counts = ops.bincount(indices, None, rows)
        g = g / ops.index_select(counts, 0, indices).unsqueeze(1)
    return ops.index_add(ops.new_zeros(g, [rows, width]), 0, indices, g)


@derivative("aten::embedding", reads_self=False)
def _embedding(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    weight, indices, padding, by_frequency = args[:4]
    return (lambda: _rows_back(ops, grads[0], weight, indices, padding, by_frequency),)


@derivative("aten::embedding_bag", "aten::embedding_bag.padding_idx", results=(0,))
def _embedding_bag(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g = grads[0]
    weight, indices, offsets, by_frequency, mode, _, shares, with_last = args[:8]
    padding = args[8] if len(args) > 8 and args[8] is not None else None
    padding = -1 if padding is None else padding % weight.shape[0]
    bags = g.shape[0]

    def bag() -> Any:
        starts = offsets[:bags] if with_last else offsets
        return ops.searchsorted(starts, ops.arange(indices.shape[0]), right=True) - 1

    def own() -> Any:
        if not indices.shape[0] or not bags:
            return ops.zeros_like(weight)
        if mode == 2:
            places = ops.clamp(outputs[3].long(), min=0)
            filled = ops.bincount(masked(ops, indices != padding, bag() + 1).long(), None, bags + 1)[1:] > 0
            blank = ops.new_zeros(g, list(weight.shape))
            return ops.scatter_add(blank, 0, places, masked(ops, filled.unsqueeze(1), g))
        each = ops.index_select(g, 0, bag())
        if mode == 1:
            used = ops.bincount(masked(ops, indices != padding, bag() + 1).long(), None, bags + 1)[1:]
            each = each / ops.index_select(ops.clamp(used, min=1), 0, bag()).unsqueeze(1)
        if shares is not None:
            each = each * shares.unsqueeze(1)
        return _rows_back(ops, each, weight, indices, padding, by_frequency)

    def to_shares() -> Any:
        found = ops.sum(ops.index_select(weight, 0, indices) * ops.index_select(g, 0, bag()), [1])
        return masked(ops, indices != padding, found) if padding >= 0 else found

    return own, None, None, None, None, None, to_shares


not_differentiable("one_hot", "it works on integers")
not_differentiable("embedding_renorm embedding_renorm_", "rows are renormalised outside of what is differentiated")
without_rule(
    "_native_multi_head_attention _transformer_encoder_layer_fwd",
    "a fast path of inference: train with the operators that it stands for",
)
without_rule("_nested_tensor_from_mask", "nested tensors record no gradients")
