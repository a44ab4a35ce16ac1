"""Embeddings, embedding bags, one-hot and attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, scalar_name, type_name
from linstock.backends.array.norm import layer_norm, softmax_of
from linstock.backends.array.promotion import is_inexact, wide
from linstock.backends.array.registry import kernel, registered

_TENSOR_NAMES = {"unsigned char": "Byte", "signed char": "Char"}


def _check_indices(indices: Array, name: str, op: str) -> None:
    if indices.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: Long, Int; but got "
            f"torch.{type_name(indices.dtype)}Tensor instead (while checking arguments for {op})"
        )


@kernel("aten::embedding")
def embedding(
    weight: Array, indices: Array, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Array:
    """Rows of a matrix. Raises IndexError for an index outside."""
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    _check_indices(indices, "indices", "embedding")
    if indices.size and (indices.min() < 0 or indices.max() >= weight.shape[0]):
        raise IndexError("index out of range in self")
    return np.take(weight, indices, axis=0)


@kernel("aten::embedding_renorm")
def embedding_renorm(self: Array, indices: Array, max_norm: float, norm_type: float) -> Array:
    """A copy in which the indexed rows are scaled down to at most `max_norm`."""
    return embedding_renorm_(self.copy(), indices, max_norm, norm_type)


@kernel("aten::embedding_renorm_")
def embedding_renorm_(self: Array, indices: Array, max_norm: float, norm_type: float) -> Array:
    """Scale the indexed rows down to at most `max_norm`, in place."""
    if self.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {self.ndim}-dimensional tensor for argument #1 'self'"
        )
    _check_indices(indices, "indices", "embedding_renorm")
    rows = np.unique(indices)
    if rows.size and (rows[0] < 0 or rows[-1] >= self.shape[0]):
        raise IndexError(
            f"select(): index {int(rows[-1])} out of range for tensor of size {list(self.shape)} at dimension 0"
        )
    picked = wide(self[rows])
    norm = np.linalg.norm(picked, ord=norm_type, axis=1, keepdims=True).astype(picked.dtype)
    factor = np.where(
        norm > max_norm, picked.dtype.type(max_norm) / (norm + picked.dtype.type(1e-7)), picked.dtype.type(1)
    )
    self[rows] = picked * factor
    return self


@kernel("aten::one_hot")
def one_hot(self: Array, num_classes: int = -1) -> Array:
    """Indices as rows of zeros with a one; -1 classes means as many as the largest index needs."""
    if self.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not self.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return np.zeros_like(self, shape=(*self.shape, num_classes))
    if self.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(self.max()) + 1
    elif self.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    made: Array = (self[..., None] == np.arange(num_classes)).astype(np.int64)
    return made


def bag_sums(rows: Array, starts: Array, ends: Array) -> Array:
    """Sums of consecutive rows [start, end) per bag; an empty bag gives zeros."""
    out = np.zeros_like(rows, shape=(len(starts), *rows.shape[1:]))
    filled = np.nonzero(ends > starts)[0]
    if filled.size:
        last = int(ends[filled[-1]])
        out[filled] = np.add.reduceat(rows[:last], starts[filled], axis=0)
    return out


@kernel("aten::embedding_bag")
def embedding_bag(
    weight: Array, indices: Array, offsets: Array, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Array | None = None, include_last_offset: bool = False,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Sums (mode 0), means (1) or maxima (2) of bags of rows, with the bookkeeping of the gradient."""
    return _embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset, -1)


@kernel("aten::embedding_bag.padding_idx")
def embedding_bag_padding(
    weight: Array, indices: Array, offsets: Array, scale_grad_by_freq: bool, mode: int, sparse: bool,
    per_sample_weights: Array | None, include_last_offset: bool, padding_idx: int | None,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """`embedding_bag` that leaves rows of index `padding_idx` out."""
    if padding_idx is None:
        padding_idx = -1
    else:
        n = weight.shape[0]
        if not -n <= padding_idx < n:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, -{n} through {n - 1}, but got {padding_idx}"
            )
        padding_idx %= n
    return _embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


def _embedding_bag(
    weight: Array, indices: Array, offsets: Array, mode: int, per_sample: Array | None, include_last: bool, padding: int
) -> tuple[Array, Array, Array, Array]:
    _check_indices(indices, "indices", "embedding_bag")
    if mode not in (0, 1, 2):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    total = indices.shape[0]
    if offsets.size and int(offsets[0]) != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            "However, got "
            f"{int(offsets[0])}"
        )
    if offsets.size and int(offsets[-1]) > total:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {total} but got offsets[-1] of {int(offsets[-1])}"
        )
    if per_sample is not None and mode != 0:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    wrong = (indices < 0) | (indices >= weight.shape[0])
    if wrong.any():
        at = int(np.argmax(wrong))
        raise RuntimeError(
            f"Index {at} of input takes value {int(indices[at])} which is not in the valid range [0, {weight.shape[0]})"
        )
    starts = (offsets[:-1] if include_last else offsets).astype(np.int64)
    bags = len(starts)
    ends = np.append(starts[1:], total) if bags else starts
    bag_of = np.repeat(np.arange(bags, dtype=np.int64), ends - starts)
    fast = mode < 2 and padding < 0 and weight.dtype != np.float64
    if fast and include_last and bags:
        ends = np.append(starts[1:], int(offsets[-1]))  # only the fast path stops at the last offset
    sizes = np.bincount(bag_of[indices != padding], minlength=bags).astype(np.int64)
    kept_indices = indices
    rows = wide(weight)[kept_indices]
    if padding >= 0:
        keep = indices != padding
        kept_indices, rows = indices[keep], rows[keep]
        counts = np.bincount(bag_of[keep], minlength=bags)
        ends = np.cumsum(counts)
        starts = ends - counts
        if per_sample is not None:
            per_sample = per_sample[keep]
    if per_sample is not None:
        rows = rows * wide(per_sample)[:, None]
    none = np.zeros_like(offsets, shape=(0,))
    if mode == 2:
        y, picked = _bag_maxima(rows, kept_indices, starts, ends)
        return y.astype(weight.dtype, copy=False), bag_of.astype(indices.dtype), sizes.astype(indices.dtype), picked
    y = bag_sums(rows, starts, ends)
    if mode == 1:
        y /= np.maximum(ends - starts, 1)[:, None].astype(y.dtype)
        sizes = sizes.astype(indices.dtype)
    else:
        sizes = np.zeros_like(offsets, dtype=indices.dtype)
    second = none.astype(indices.dtype) if mode == 0 and fast else bag_of.astype(indices.dtype)
    return y.astype(weight.dtype, copy=False), second, sizes, sizes.copy()


def _bag_maxima(rows: Array, indices: Array, starts: Array, ends: Array) -> tuple[Array, Array]:
    shape = (len(starts), rows.shape[1])
    y, picked = np.zeros_like(rows, shape=shape), np.zeros_like(indices, shape=shape)
    filled = np.nonzero(ends > starts)[0]
    if filled.size:
        y[filled] = np.maximum.reduceat(rows, starts[filled], axis=0)
        spread = np.repeat(np.arange(len(starts)), ends - starts)
        position = np.where(rows == y[spread], np.arange(len(rows))[:, None], len(rows))
        first = np.minimum.reduceat(position, starts[filled], axis=0)
        picked[filled] = indices[np.minimum(first, len(rows) - 1)]
    return y, picked


# attention


def attend(q: Array, k: Array, v: Array, scale: float, mask: Array | None, dropout: float = 0.0) -> Array:
    """softmax(q kᵀ · scale + mask) v in the arrays' own type.

    A boolean mask keeps what is true; a row that keeps nothing gives zeros.
    """
    scores = np.matmul(q * q.dtype.type(scale), np.swapaxes(k, -1, -2))
    if mask is not None:
        if mask.dtype == np.bool_:
            scores = np.where(mask, scores, scores.dtype.type(-np.inf))
        else:
            scores = scores + mask
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    top = np.where(top == -np.inf, scores.dtype.type(0), top)
    with np.errstate(invalid="ignore"):
        scores -= top
    np.exp(scores, out=scores)
    total = scores.sum(axis=-1, keepdims=True)
    if dropout > 0:
        drop = registered("aten::dropout", "random")
        if drop is None:
            raise NotImplementedError("attention with dropout needs the random kernels")
        scores = drop(scores, dropout, True)
    return np.asarray(np.matmul(scores, v) / np.where(total == 0, total.dtype.type(1), total))


def _mask_of(mask: Array | None, is_causal: bool, q: Array, k: Array) -> Array | None:
    """The mask in the type of the computation, joined with the causal one."""
    if mask is not None and mask.dtype != np.bool_:
        mask = wide(mask).astype(q.dtype, copy=False)
    if not is_causal:
        return mask
    causal: Array = np.tril(np.ones_like(q, shape=(q.shape[-2], k.shape[-2]), dtype=np.bool_))
    if mask is None:
        return causal
    if mask.dtype == np.bool_:
        return causal & mask
    return np.where(causal, mask, q.dtype.type(-np.inf))


@kernel("aten::scaled_dot_product_attention")
def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, attn_mask: Array | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Array:  # fmt: skip
    """Attention over the last two axes. The mask is boolean (true takes part) or added to the scores."""
    names = (query, key, value)
    if any(a.ndim < 2 for a in names):
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.ndim} "
            "key.dim: "
            f"{key.ndim} and value.dim: {value.ndim} instead."
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {scalar_name(query.dtype)} "
            "key.dtype: "
            f"{scalar_name(key.dtype)} and value.dtype: {scalar_name(value.dtype)} instead."
        )
    if attn_mask is not None and attn_mask.dtype not in (np.bool_, np.float32, query.dtype):
        raise RuntimeError(
            f"Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{scalar_name(attn_mask.dtype)} and  query.dtype: {scalar_name(query.dtype)} instead."
        )
    if not is_inexact(query.dtype):
        raise RuntimeError(f"expected scalar type Float but found {type_name(query.dtype)}")
    q, k, v = (wide(a) for a in names)
    mask = _mask_of(attn_mask, is_causal, q, k)
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if enable_gqa and q.ndim >= 3 and k.shape[-3] != q.shape[-3]:
        heads, groups = q.shape[-3], k.shape[-3]
        if heads % groups or (v.shape[-3] != groups and heads % v.shape[-3]):
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        k, v = np.repeat(k, heads // groups, axis=-3), np.repeat(v, heads // v.shape[-3], axis=-3)
    for axis in range(-3, -min(a.ndim for a in (q, k, v)) - 1, -1):
        sizes = {a.shape[axis] for a in (q, k, v)} - {1}
        if len(sizes) > 1:
            raise RuntimeError(
                f"The size of tensor a ({q.shape[axis]}) must match the size of tensor b ({k.shape[axis]}) at "
                "non-singleton "
                f"dimension {q.ndim + axis}"
            )
    return attend(q, k, v, factor, mask, dropout_p).astype(query.dtype, copy=False)


@kernel("aten::_native_multi_head_attention")
def _native_multi_head_attention(
    query: Array, key: Array, value: Array, embed_dim: int, num_head: int, qkv_weight: Array, qkv_bias: Array,
    proj_weight: Array, proj_bias: Array, mask: Array | None = None, need_weights: bool = True,
    average_attn_weights: bool = True, mask_type: int | None = None,
) -> tuple[Array, Array | None]:  # fmt: skip
    """Multi-head attention in one step.

    True in the mask leaves out; its shape is (L, L), (N, L) or (N, heads, L, L) by type 0, 1, 2.
    """
    if query.ndim != 3:
        raise RuntimeError(f"expected 3-D `query`, got {query.ndim}-D tensor")
    if query.shape[2] != embed_dim or qkv_weight.shape != (3 * embed_dim, embed_dim):
        raise RuntimeError(f"passed-in embed_dim {embed_dim} didn't match last dim of query {query.shape[2]}")
    if embed_dim % num_head:
        raise RuntimeError("embed_dim must be divisible by num_heads")
    n, length, head = query.shape[0], query.shape[1], embed_dim // num_head
    weights, biases = np.split(wide(qkv_weight), 3), np.split(wide(qkv_bias), 3)

    def project(x: Array, i: int) -> Array:
        y = np.matmul(wide(x), weights[i].T) + biases[i]
        made: Array = y.reshape(n, x.shape[1], num_head, head).swapaxes(1, 2)
        return made

    q, k, v = project(query, 0), project(key, 1), project(value, 2)
    scores = np.matmul(q * q.dtype.type(1 / math.sqrt(head)), k.swapaxes(2, 3))
    if mask is not None:
        kind = (
            mask_type if mask_type is not None else 0 if mask.shape == scores.shape[-2:] else 1 if mask.ndim == 2 else 2
        )
        if kind == 1:
            mask = mask.reshape(n, 1, 1, -1)
        if mask.dtype == np.bool_:
            scores = np.where(mask, scores.dtype.type(-np.inf), scores)
        else:
            scores = scores + wide(mask)
    attention = softmax_of(scores, -1)
    y = np.matmul(attention, v).swapaxes(1, 2).reshape(n, length, embed_dim)
    y = np.matmul(y, wide(proj_weight).T) + wide(proj_bias)
    y = y.astype(query.dtype, copy=False)
    if not need_weights:
        return y, None
    if average_attn_weights:
        attention = attention.sum(axis=1) / num_head
    return y, attention.astype(query.dtype, copy=False)


@kernel("aten::_nested_tensor_from_mask_left_aligned")
def _nested_tensor_from_mask_left_aligned(t: Array, mask: Array) -> bool:
    """Whether in every row of a boolean mask the true values come first."""
    return bool((mask[:, 1:] <= mask[:, :-1]).all())


@kernel("aten::_nested_tensor_from_mask")
def _nested_tensor_from_mask(t: Array, mask: Array, mask_check: bool = True) -> Any:
    """Raises NotImplementedError: tensors here are dense."""
    raise NotImplementedError(
        "_nested_tensor_from_mask: nested tensors are not supported; pad the sequences and pass a mask"
    )


@kernel("aten::_transformer_encoder_layer_fwd")
def _transformer_encoder_layer_fwd(
    src: Array, embed_dim: int, num_heads: int, qkv_weight: Array, qkv_bias: Array, proj_weight: Array,
    proj_bias: Array, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Array, norm_bias_1: Array,
    norm_weight_2: Array, norm_bias_2: Array, ffn_weight_1: Array, ffn_bias_1: Array, ffn_weight_2: Array,
    ffn_bias_2: Array, mask: Array | None = None, mask_type: int | None = None,
) -> Array:  # fmt: skip
    """A transformer encoder layer in evaluation: attention and feed-forward blocks, each with a norm and a residual."""
    activation = registered("aten::gelu" if use_gelu else "aten::relu", "pointwise")
    if activation is None:
        raise NotImplementedError("the encoder layer needs the activation kernels")

    def norm(x: Array, weight: Array, bias: Array) -> Array:
        return layer_norm(x, [embed_dim], weight, bias, eps)

    def linear(x: Array, weight: Array, bias: Array) -> Array:
        made: Array = (np.matmul(wide(x), wide(weight).T) + wide(bias)).astype(x.dtype, copy=False)
        return made

    x = norm(src, norm_weight_1, norm_bias_1) if norm_first else src
    attended, _ = _native_multi_head_attention(
        x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type
    )
    x = attended + src
    if not norm_first:
        x = norm(x, norm_weight_1, norm_bias_1)
    y = norm(x, norm_weight_2, norm_bias_2) if norm_first else x
    hidden = linear(y, ffn_weight_1, ffn_bias_1)
    y = linear(activation(hidden, "none") if use_gelu else activation(hidden), ffn_weight_2, ffn_bias_2) + x
    return y if norm_first else norm(y, norm_weight_2, norm_bias_2)
