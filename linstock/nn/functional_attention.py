"""Multi-head attention, in the language that linstock compiles: it can be called in scripted code.

Letters in shapes: L and S are the lengths of query and key, N the batch, E the embedding, H the heads.
"""

from __future__ import annotations

import math
import warnings

import linstock
from linstock.runtime.tensor import Tensor


def _additive(mask: Tensor | None, name: str, like: Tensor) -> Tensor | None:
    """A mask as numbers to be added to the scores: -inf where a bool mask is true.

    Raises AssertionError for integers.
    """
    if mask is None:
        return None
    if mask.dtype == linstock.bool:
        return linstock.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))
    if not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def _warn_mixed(a: Tensor | None, b: Tensor | None) -> None:
    if a is not None and b is not None and a.dtype != b.dtype:
        warnings.warn(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.",
            stacklevel=3,
        )


def _check_ranks(
    query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None, heads: int
) -> bool:
    """Whether the query has a batch dimension.

    Raises AssertionError where ranks or the mask's size do not fit together.
    """
    batched = query.dim() == 3
    if query.dim() != 3 and query.dim() != 2:
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(
            f"For a {query.dim()}-D `query`, expected `key` and `value` to be {query.dim()}-D but found "
            f"{key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != query.dim() - 1:
        raise AssertionError(
            f"For a {query.dim()}-D `query`, expected `key_padding_mask` to be `None` or {query.dim() - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() != 2 and attn_mask.dim() != 3:
            raise AssertionError(
                f"expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
            )
        if not batched and attn_mask.dim() == 3:
            wanted = [heads, query.size(0), key.size(0)]
            if attn_mask.size() != wanted:
                raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.size()}")
    return batched


def _project_packed(
    q: Tensor, k: Tensor, v: Tensor, weight: Tensor, bias: Tensor | None, self_attention: bool, same_key_value: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value through one weight (3 * E, E)."""
    width = q.size(-1)
    if self_attention:
        projected = linstock.linear(q, weight, bias)
        # into memory of three (L, N, E), so that each part is contiguous
        parts = projected.unflatten(-1, [3, width]).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return parts[0], parts[1], parts[2]
    if same_key_value:
        weights = weight.split_with_sizes([width, width * 2])
        query_bias = None if bias is None else bias[:width]
        other_bias = None if bias is None else bias[width:]
        query = linstock.linear(q, weights[0], query_bias)
        projected = linstock.linear(k, weights[1], other_bias)
        parts = projected.unflatten(-1, [2, width]).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return query, parts[0], parts[1]
    thirds = weight.chunk(3)
    if bias is None:
        return linstock.linear(q, thirds[0]), linstock.linear(k, thirds[1]), linstock.linear(v, thirds[2])
    biases = bias.chunk(3)
    return (
        linstock.linear(q, thirds[0], biases[0]),
        linstock.linear(k, thirds[1], biases[1]),
        linstock.linear(v, thirds[2], biases[2]),
    )


def _project(
    q: Tensor, k: Tensor, v: Tensor, q_weight: Tensor, k_weight: Tensor, v_weight: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value through weights of their own (E, E), (E, kdim), (E, vdim)."""
    if bias is None:
        return linstock.linear(q, q_weight), linstock.linear(k, k_weight), linstock.linear(v, v_weight)
    biases = bias.chunk(3)
    return (
        linstock.linear(q, q_weight, biases[0]), linstock.linear(k, k_weight, biases[1]), linstock.linear(v, v_weight,
        biases[2])
    )  # fmt: skip


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads with its projections: (L, N, E), and weights (N, L, S) or, not averaged, (N, H, L, S).

    query (L, N, E), key and value (S, N, E), or without N. Masks are bool (true means: not looked at) or are added to
    the scores: `key_padding_mask` (N, S), `attn_mask` (L, S) or (N * H, L, S). `is_causal` says that `attn_mask` is
    causal. Raises AssertionError for shapes that do not fit, RuntimeError for `is_causal` without `attn_mask`.
    """
    batched = _check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    self_attention = query is key
    same_key_value = key is value
    if not batched:
        query = query.unsqueeze(1)
        key = key.unsqueeze(1)
        value = value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length = query.size(0)
    batch = query.size(1)
    width = query.size(2)
    source = key.size(0)
    _warn_mixed(key_padding_mask, attn_mask)
    key_padding_mask = _additive(key_padding_mask, "key_padding_mask", query)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the mask is implied
    else:
        attn_mask = _additive(attn_mask, "attn_mask", query)
        if key_padding_mask is not None:
            is_causal = False
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    head = width // num_heads
    if head * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.size(0) != value.size(0) or key.size(1) != value.size(1):
            raise AssertionError(
                f"key's sequence and batch dims {key.size()[:2]} do not match value's {value.size()[:2]}"
            )
    elif key.size() != value.size():
        raise AssertionError(f"key shape {key.size()} does not match value shape {value.size()}")

    if not use_separate_proj_weight:
        assert in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None"
        q, k, v = _project_packed(query, key, value, in_proj_weight, in_proj_bias, self_attention, same_key_value)
    else:
        assert q_proj_weight is not None, "use_separate_proj_weight is True but q_proj_weight is None"
        assert k_proj_weight is not None, "use_separate_proj_weight is True but k_proj_weight is None"
        assert v_proj_weight is not None, "use_separate_proj_weight is True but v_proj_weight is None"
        q, k, v = _project(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias)

    if attn_mask is not None:
        if attn_mask.dim() == 2:
            if attn_mask.size(0) != length or attn_mask.size(1) != source:
                raise RuntimeError(
                    f"The shape of the 2D attn_mask is {attn_mask.size()}, but should be {(length, source)}."
                )
            attn_mask = attn_mask.unsqueeze(0)
        else:
            if attn_mask.size(0) != batch * num_heads or attn_mask.size(1) != length or attn_mask.size(2) != source:
                raise RuntimeError(
                    f"The shape of the 3D attn_mask is {attn_mask.size()}, but should be "
                    f"{(batch * num_heads, length, source)}."
                )
    if bias_k is not None and bias_v is not None:
        k = linstock.cat([k, bias_k.repeat(1, batch, 1)])
        v = linstock.cat([v, bias_v.repeat(1, batch, 1)])
        if attn_mask is not None:
            attn_mask = linstock.pad(attn_mask, [0, 1])
        if key_padding_mask is not None:
            key_padding_mask = linstock.pad(key_padding_mask, [0, 1])

    q = q.view([length, batch * num_heads, head]).transpose(0, 1)
    if static_k is None:
        k = k.view([k.size(0), batch * num_heads, head]).transpose(0, 1)
    else:
        k = static_k
    if static_v is None:
        v = v.view([v.size(0), batch * num_heads, head]).transpose(0, 1)
    else:
        v = static_v
    if add_zero_attn:
        zero = linstock.zeros([batch * num_heads, 1, head], dtype=k.dtype, device=k.device)
        k = linstock.cat([k, zero], 1)
        v = linstock.cat([v, zero], 1)
        if attn_mask is not None:
            attn_mask = linstock.pad(attn_mask, [0, 1])
        if key_padding_mask is not None:
            key_padding_mask = linstock.pad(key_padding_mask, [0, 1])
    source = k.size(1)

    if key_padding_mask is not None:
        if key_padding_mask.size(0) != batch or key_padding_mask.size(1) != source:
            raise AssertionError(
                f"expecting key_padding_mask shape of {(batch, source)}, but got {key_padding_mask.size()}"
            )
        spread = key_padding_mask.view([batch, 1, 1, source]).expand([-1, num_heads, -1, -1])
        spread = spread.reshape([batch * num_heads, 1, source])
        attn_mask = spread if attn_mask is None else attn_mask + spread
    if not training:
        dropout_p = 0.0

    if need_weights:
        assert not (is_causal and attn_mask is None), "need_weights with the is_causal hint needs attn_mask"
        scaled = q * math.sqrt(1.0 / float(q.size(2)))
        if attn_mask is not None:
            scores = linstock.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
        else:
            scores = linstock.bmm(scaled, k.transpose(-2, -1))
        weights = linstock.softmax(scores, -1)
        if dropout_p > 0.0:
            weights = linstock.dropout(weights, dropout_p, True)
        mixed = linstock.bmm(weights, v).transpose(0, 1).contiguous().view([length * batch, width])
        output = linstock.linear(mixed, out_proj_weight, out_proj_bias).view([length, batch, -1])
        weights = weights.view([batch, num_heads, length, source])
        if average_attn_weights:
            weights = weights.mean([1])
        if not batched:
            return output.squeeze(1), weights.squeeze(0)
        return output, weights

    if attn_mask is not None:
        if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view([batch, num_heads, -1, source])
    q = q.view([batch, num_heads, length, head])
    k = k.view([batch, num_heads, source, head])
    v = v.view([batch, num_heads, source, head])
    mixed = linstock.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    mixed = mixed.permute([2, 0, 1, 3]).contiguous().view([batch * length, width])
    output = linstock.linear(mixed, out_proj_weight, out_proj_bias).view([length, batch, -1])
    if not batched:
        return output.squeeze(1), None
    return output, None
