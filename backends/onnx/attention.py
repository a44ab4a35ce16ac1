"""ONNX forms of the attention family: embeddings, one-hot vectors, attention and the fused transformer layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.linalg import linear
from linstock.backends.onnx.norm import layer_norm, safe_softmax, softmax
from linstock.backends.onnx.pointwise_activation import gelu
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError

BOOL, INT64 = 11, 4


# -- embeddings --------------------------------------------------------------------------------------------------------
@converter("embedding")
def _embedding(b: Builder, weight: Sym, indices: Sym, padding_idx: int = -1, *flags: Any) -> Sym:
    return b.op("Gather", weight, indices, axis=0)


@converter("one_hot")
def _one_hot(b: Builder, x: Sym, classes: int = -1) -> Sym:
    depth: Any = classes
    if not isinstance(classes, Sym) and classes < 0:
        depth = b.op("Add", b.op("ReduceMax", x, keepdims=0), 1)
    steps = b.op("Range", 0, b.sym(depth, INT64), 1) if isinstance(depth, Sym) else b.ints(*range(depth))
    return b.cast(b.op("Equal", b.unsqueeze(x, b.rank(x)), steps), INT64)


def arange(b: Builder, count: Any) -> Sym:
    """0, 1, ... of a number that may depend on the inputs."""
    if isinstance(count, Sym):
        return b.op("Range", b.constant(0, INT64), b.cast(count, INT64), b.constant(1, INT64))
    return b.constant(np.arange(count, dtype=np.int64))


@converter("embedding_bag.|padding_idx")
def _embedding_bag(
    b: Builder, weight: Sym, indices: Sym, offsets: Sym, scale_grad: bool = False, mode: int = 0, sparse: bool = False,
    per_sample: Sym | None = None, last_offset: bool = False, padding: int | None = None,
) -> tuple[Sym, Sym, Sym, Sym]:  # fmt: skip
    """Sums and means as products with the matrix that says which row is in which bag."""
    indices, offsets = b.cast(indices, INT64), b.cast(offsets, INT64)
    total = b.size(indices, 0)
    starts = b.slice(offsets, 0, 0, -1) if last_offset else offsets
    ends = b.op("Concat", b.slice(starts, 0, 1), b.single(total), axis=0)
    places = b.unsqueeze(arange(b, total), 0)
    first, behind = b.unsqueeze(starts, 1), b.unsqueeze(ends, 1)
    inside = b.op("And", b.op("GreaterOrEqual", places, first), b.op("Less", places, behind))
    bag_of = b.op("ArgMax", b.cast(inside, INT64), axis=0, keepdims=0)
    if padding is not None and padding != -1:
        kept = b.op("Not", b.op("Equal", indices, padding))
        inside = b.op("And", inside, b.unsqueeze(kept, 0))
    rows = b.op("Gather", weight, indices, axis=0)
    if per_sample is not None:
        rows = b.op("Mul", rows, b.unsqueeze(b.cast(per_sample, rows.dtype), 1))
    member = b.cast(inside, rows.dtype)
    sizes = b.op("ReduceSum", b.cast(inside, INT64), b.ints(1), keepdims=0)
    if mode == 2:
        each = b.op("Where", b.unsqueeze(inside, 2), b.unsqueeze(rows, 0), float("-inf"))
        y = b.op("ReduceMax", each, b.ints(1), keepdims=0)
        y = b.op("Where", b.unsqueeze(b.op("Equal", sizes, 0), 1), 0.0, y)
    else:
        y = b.op("MatMul", member, rows)
        if mode == 1:
            y = b.op("Div", y, b.unsqueeze(b.cast(b.op("Max", sizes, 1), y.dtype), 1))
    return y, bag_of, sizes, b.ints()


_RENORM = "it writes to the rows that the indices choose: renormalise the weight before"
no_form("embedding_renorm", "embedding_renorm_", reason=_RENORM)


# -- attention ---------------------------------------------------------------------------------------------------------
def causal_mask(b: Builder, length: Any, others: Any) -> Sym:
    """True where a position may look: at itself and before."""
    if not isinstance(length, Sym) and not isinstance(others, Sym) and length * others <= 1 << 20:
        return b.constant(np.tri(length, others, dtype=bool))
    return b.op("GreaterOrEqual", b.unsqueeze(arange(b, length), 1), b.unsqueeze(arange(b, others), 0))


def swap_last(b: Builder, x: Sym) -> Sym:
    """The last two dimensions exchanged."""
    rank = b.rank(x)
    return b.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


def attend(b: Builder, q: Sym, k: Sym, v: Sym, scale: Any, mask: Sym | None, dropout: float = 0.0) -> tuple[Sym, Sym]:
    """softmax(q k' * scale + mask) v, and the weights. A boolean mask says what takes part."""
    scores = b.op("MatMul", b.op("Mul", q, b.cast(scale, q.dtype)), swap_last(b, k))
    hides_all = False
    if mask is not None:
        known = b.known(mask)
        if mask.dtype == BOOL:
            hides_all = known is None or not bool(known.any(axis=-1).all())
            scores = b.op("Where", mask, scores, float("-inf"))
        else:
            hides_all = known is None or bool(np.isneginf(known).all(axis=-1).any())
            scores = b.op("Add", scores, b.cast(mask, scores.dtype))
    weights = safe_softmax(b, scores, -1) if hides_all else softmax(b, scores, -1)
    used = b.op("Dropout", weights, float(dropout), b.constant(True)) if dropout else weights
    return b.op("MatMul", used, v), weights


def repeat_heads(b: Builder, x: Sym, heads: Any) -> Sym:
    """Each head of a grouped key or value repeated up to the query's number of heads."""
    rank = b.rank(x)
    sizes = b.sizes(x)
    own = sizes[rank - 3]
    if isinstance(own, Sym) or isinstance(heads, Sym):
        raise ExportError("the number of attention heads must be fixed for enable_gqa")
    if own == heads:
        return x
    wide = b.unsqueeze(x, rank - 2)
    times = [*sizes[: rank - 2], heads // own, *sizes[rank - 2 :]]
    return b.reshape(b.expand(wide, times), [*sizes[: rank - 3], heads, *sizes[rank - 2 :]])


@converter("scaled_dot_product_attention")
def scaled_dot_product_attention(
    b: Builder, q: Sym, k: Sym, v: Sym, mask: Sym | None = None, dropout: float = 0.0, causal: bool = False,
    scale: Any = None, gqa: bool = False,
) -> Sym:  # fmt: skip
    """Attention in plain operators."""
    if gqa and b.rank(q) >= 3:
        heads = b.size(q, b.rank(q) - 3)
        k, v = repeat_heads(b, k, heads), repeat_heads(b, v, heads)
    if causal:
        mask = causal_mask(b, b.size(q, b.rank(q) - 2), b.size(k, b.rank(k) - 2))
    if scale is None:
        width = b.size(q, b.rank(q) - 1)
        if isinstance(width, Sym):
            scale = b.op("Reciprocal", b.op("Sqrt", b.cast(width, q.dtype)))
        else:
            scale = 1 / math.sqrt(width) if width else 1.0
    return attend(b, q, k, v, scale, mask, dropout)[0]


def multi_head(
    b: Builder, q: Sym, k: Sym, v: Sym, width: int, heads: int, qkv_weight: Sym, qkv_bias: Sym, weight: Sym, bias: Sym,
    mask: Sym | None, mask_type: int | None,
) -> tuple[Sym, Sym]:  # fmt: skip
    """Multi-head attention with joint input weights, and the attention weights. True in the mask leaves out."""
    head = width // heads

    def project(x: Sym, i: int) -> Sym:
        part = [b.slice(p, 0, i * width, (i + 1) * width) for p in (qkv_weight, qkv_bias)]
        sizes = b.sizes(x)
        parts = b.reshape(linear(b, x, *part), [*sizes[:2], heads, head])
        return b.transpose(parts, [0, 2, 1, 3])

    if mask is not None:
        if mask_type is None:
            mask_type = 2 if b.rank(mask) == 4 else 1 if mask.shape != (b.size(q, 1), b.size(k, 1)) else 0
        if mask_type == 1:
            mask = b.unsqueeze(mask, 1, 2)
        if mask.dtype == BOOL:
            mask = b.op("Not", mask)
    y, weights = attend(b, project(q, 0), project(k, 1), project(v, 2), 1 / math.sqrt(head), mask)
    y = b.reshape(b.transpose(y, [0, 2, 1, 3]), b.sizes(q))
    return linear(b, y, weight, bias), weights


@converter("_native_multi_head_attention")
def _native_multi_head_attention(
    b: Builder, q: Sym, k: Sym, v: Sym, width: int, heads: int, qkv_weight: Sym, qkv_bias: Sym, weight: Sym, bias: Sym,
    mask: Sym | None = None, need_weights: bool = True, average: bool = True, mask_type: int | None = None,
) -> tuple[Sym, Sym | None]:  # fmt: skip
    y, weights = multi_head(b, q, k, v, width, heads, qkv_weight, qkv_bias, weight, bias, mask, mask_type)
    if not need_weights:
        return y, None
    return y, b.op("ReduceMean", weights, b.ints(1), keepdims=0) if average else weights


@converter("_transformer_encoder_layer_fwd")
def _encoder_layer(
    b: Builder, x: Sym, width: int, heads: int, qkv_weight: Sym, qkv_bias: Sym, proj_weight: Sym, proj_bias: Sym,
    use_gelu: bool, norm_first: bool, eps: float, weight_1: Sym, bias_1: Sym, weight_2: Sym, bias_2: Sym,
    ffn_weight_1: Sym, ffn_bias_1: Sym, ffn_weight_2: Sym, ffn_bias_2: Sym, mask: Sym | None = None,
    mask_type: int | None = None,
) -> Sym:  # fmt: skip
    def first(y: Sym) -> Sym:
        return layer_norm(b, y, [width], weight_1, bias_1, eps)

    def second(y: Sym) -> Sym:
        return layer_norm(b, y, [width], weight_2, bias_2, eps)

    y = first(x) if norm_first else x
    attended, _ = multi_head(b, y, y, y, width, heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, mask_type)
    x = b.op("Add", attended, x)
    x = x if norm_first else first(x)
    hidden = linear(b, second(x) if norm_first else x, ffn_weight_1, ffn_bias_1)
    hidden = gelu(b, hidden) if use_gelu else b.op("Relu", hidden)
    y = b.op("Add", linear(b, hidden, ffn_weight_2, ffn_bias_2), x)
    return y if norm_first else second(y)


no_form("_nested_tensor_from_mask", reason="nested tensors are not exported: pad the sequences and pass a mask")


@converter("_nested_tensor_from_mask_left_aligned")
def _left_aligned(b: Builder, x: Sym, mask: Sym) -> Sym:
    numbers = b.cast(mask, INT64)
    rises = b.op("Greater", b.slice(numbers, 1, 1), b.slice(numbers, 1, 0, -1))
    return b.op("Equal", b.op("ReduceSum", b.cast(rises, INT64), keepdims=0), 0)
