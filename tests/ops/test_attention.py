"""Embeddings and attention: values that follow from the definitions; then PyTorch over tables."""

from __future__ import annotations

import numpy as np
import pytest

from linstock.backends.array import attention as A

from .oracle import compare, near
from .test_conv import normal


def test_embedding_takes_rows_and_refuses_others() -> None:
    w = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal(A.embedding(w, np.array([[2, 0]])), [[[4, 5], [0, 1]]])
    for wrong in (3, -1):
        with pytest.raises(IndexError, match="index out of range in self"):
            A.embedding(w, np.array([wrong]))
    with pytest.raises(RuntimeError, match=r"torch\.FloatTensor"):
        A.embedding(w, np.array([1.0], np.float32))


def test_renorm_shrinks_long_rows_only() -> None:
    w = np.array([[3, 4], [0.3, 0.4], [6, 8]], np.float32)
    A.embedding_renorm_(w, np.array([0, 1, 0]), 1.0, 2.0)
    np.testing.assert_allclose(w, [[0.6, 0.8], [0.3, 0.4], [6, 8]], rtol=1e-6)


def test_one_hot() -> None:
    assert A.one_hot(np.array([0, 2]), -1).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert A.one_hot(np.zeros((2, 0), np.int64), 4).shape == (2, 0, 4)
    for values, classes, message in (([3], 3, "smaller than num_classes"), ([-1], 3, "non-negative")):
        with pytest.raises(RuntimeError, match=message):
            A.one_hot(np.array(values), classes)


def test_bags() -> None:
    w = np.array([[1], [2], [4], [8]], np.float32)
    index, offsets = np.array([0, 1, 3, 3]), np.array([0, 2, 2])
    assert A.embedding_bag(w, index, offsets)[0].tolist() == [[3], [0], [16]]
    assert A.embedding_bag(w, index, offsets, False, 1)[0].tolist() == [[1.5], [0], [8]]
    assert A.embedding_bag(w, index, offsets, False, 2)[0].tolist() == [[2], [0], [8]]
    assert A.embedding_bag_padding(w, index, offsets, False, 1, False, None, False, 1)[0].tolist() == [[1], [0], [8]]
    assert A.embedding_bag(w, index, np.array([0, 2, 4]), False, 0, False, None, True)[0].tolist() == [[3], [16]]


def test_attention_of_equal_keys_is_the_mean_of_the_values() -> None:
    q, k, v = normal((1, 3, 4)), np.ones((1, 5, 4), np.float32), normal((1, 5, 2))
    y = A.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(y, np.broadcast_to(v.mean(1, keepdims=True), y.shape), rtol=1e-5)


def test_a_causal_mask_and_a_row_that_sees_nothing() -> None:
    q, v = normal((1, 4, 8)), normal((1, 4, 3))
    y = A.scaled_dot_product_attention(q, q, v, None, 0.0, True)
    np.testing.assert_allclose(y[0, 0], v[0, 0], rtol=1e-6)
    mask = np.zeros((4, 4), bool)
    mask[1:, 0] = True
    y = A.scaled_dot_product_attention(q, q, v, mask)
    np.testing.assert_allclose(y[0], [[0, 0, 0], v[0, 0], v[0, 0], v[0, 0]], rtol=1e-6)


def test_grouped_queries_share_keys() -> None:
    q, k, v = normal((2, 4, 3, 8)), normal((2, 2, 5, 8), seed=1), normal((2, 2, 5, 8), seed=2)
    y = A.scaled_dot_product_attention(q, k, v, None, 0.0, False, None, True)
    np.testing.assert_allclose(y[:, 3], A.scaled_dot_product_attention(q[:, 3], k[:, 1], v[:, 1]), rtol=1e-5)


def test_errors_name_what_is_wrong() -> None:
    q = normal((2, 3, 4))
    with pytest.raises(RuntimeError, match=r"query\.dtype: float key\.dtype: double"):
        A.scaled_dot_product_attention(q, q.astype("f8"), q)
    with pytest.raises(RuntimeError, match="attn_mask dtype to be bool or float"):
        A.scaled_dot_product_attention(q, q, q, np.zeros((3, 3), np.int64))


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_attention_as_pytorch(dtype: str) -> None:
    for shape, keys in (((2, 3, 5, 8), (2, 3, 7, 8)), ((5, 8), (7, 8)), ((3, 1, 5, 8), (1, 2, 7, 8))):
        q, k, v = normal(shape, dtype), normal(keys, dtype, 1), normal((*keys[:-1], 6), dtype, 2)
        bias = normal((5, 7), dtype)
        for mask in (None, bias, bias > 0):
            near("aten::scaled_dot_product_attention", q, k, v, mask)
        near("aten::scaled_dot_product_attention", q, k, v, None, 0.0, True)


@pytest.mark.interop
def test_encoder_layers_as_pytorch() -> None:
    x, width = normal((2, 5, 8)), 8
    qkv, bias, out, out_bias = normal((24, 8)), normal((24,)), normal((8, 8)), normal((8,))
    pad = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]], bool)
    for mask, kind in ((None, None), (pad, 1), (np.triu(np.ones((5, 5), bool), 1), 0)):
        for average in (True, False):
            near(
                "aten::_native_multi_head_attention",
                x,
                x,
                x,
                width,
                2,
                qkv,
                bias,
                out,
                out_bias,
                mask,
                True,
                average,
                kind,
            )
        for gelu in (True, False):
            for first in (True, False):
                norms = normal((8,)), normal((8,), seed=1), normal((8,), seed=2), normal((8,), seed=3)
                near(
                    "aten::_transformer_encoder_layer_fwd", x, width, 2, qkv, bias, out, out_bias, gelu, first, 1e-5,
                    *norms,
                    normal((16, 8)), normal((16,)), normal((8, 16)), normal((8,)), mask, kind,
                )  # fmt: skip


@pytest.mark.interop
def test_embeddings_as_pytorch() -> None:
    for dtype in ("float32", "float64", "float16"):
        w, index = normal((6, 3), dtype), np.array([1, 2, 5, 4, 3, 1, 1])
        compare("aten::embedding", w, index.astype(np.int32))
        for offsets, last in (([0, 3, 3], False), ([0, 2, 5, 7], True), ([0], False)):
            for mode in (0, 1, 2):
                args = (False, mode, False, None, last)
                compare("aten::embedding_bag", w, index, np.array(offsets), *args)
                for padding in (1, -2):
                    compare("aten::embedding_bag.padding_idx", w, index, np.array(offsets), *args, padding)
            compare("aten::embedding_bag", w, index, np.array(offsets), False, 0, False, normal((7,), dtype), last)
