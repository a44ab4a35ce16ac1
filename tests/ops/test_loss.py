"""Losses: values that follow from the definitions; then PyTorch over tables."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from linstock.backends.array import loss as L

from .oracle import compare, near
from .test_conv import normal

Array = np.ndarray[Any, Any]
inf, nan = np.inf, np.nan


def f32(*values: float) -> Array:
    return np.array(values, np.float32)


def test_reductions() -> None:
    a, b = f32(1, 2, 4), f32(0, 0, 0)
    assert L.l1_loss(a, b, 0).tolist() == [1, 2, 4]
    assert L.mse_loss(a, b, 1) == 7 and L.mse_loss(a, b, 2) == 21
    assert np.isnan(L.mse_loss(f32(), f32(), 1)) and L.mse_loss(f32(), f32(), 2) == 0


def test_the_linear_part_joins_the_quadratic_one() -> None:
    zero = f32(0, 0)
    assert L.smooth_l1_loss(f32(1, 3), zero, 0, 2.0).tolist() == [0.25, 2]
    assert L.huber_loss(f32(1, 3), zero, 0, 2.0).tolist() == [0.5, 4]


def test_binary_cross_entropy_cuts_off_the_logarithm() -> None:
    assert L.binary_cross_entropy(f32(0, 1), f32(1, 1), None, 0).tolist() == [100, 0]
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        L.binary_cross_entropy(f32(1.5), f32(1))
    logits = L.binary_cross_entropy_with_logits(f32(-1000, 1000), f32(0, 0), None, None, 0)
    assert logits.tolist() == [0, 1000]


def test_negative_log_likelihood_weighs_its_mean_and_ignores() -> None:
    x, t = -np.arange(6, dtype=np.float32).reshape(3, 2), np.array([0, 1, -100])
    np.testing.assert_allclose(L.nll_loss(x, t, f32(1, 3)), (0 * 1 + 3 * 3) / 4)
    assert np.isnan(L.nll_loss(x, np.full(3, -100)))
    with pytest.raises(IndexError, match="Target 2 is out of bounds"):
        L.nll_loss(x, np.array([0, 1, 2]))


def test_cross_entropy_of_a_sure_and_of_a_uniform_guess() -> None:
    assert L.cross_entropy_loss(f32(0, 0, 0, 0), np.array(1)) == np.float32(np.log(4))
    x = np.array([[100.0, 0.0]], np.float32)
    assert L.cross_entropy_loss(x, np.array([0])) == 0
    np.testing.assert_allclose(L.cross_entropy_loss(x, np.array([0]), None, 1, -100, 0.5), 25)
    np.testing.assert_allclose(L.cross_entropy_loss(x, f32(0.75, 0.25)[None]), 25)


def ctc_by_enumeration(x: Array, target: list[int], blank: int) -> float:
    """Sum over all alignments, each collapsed to its labels."""
    total = 0.0
    for path in itertools.product(range(x.shape[1]), repeat=x.shape[0]):
        collapsed = [k for k, _ in itertools.groupby(path) if k != blank]
        if collapsed == target:
            total += float(np.exp(sum(x[t, c] for t, c in enumerate(path))))
    return -np.log(total) if total else inf


@pytest.mark.parametrize("target", [[], [1], [1, 1], [2, 1], [1, 1, 1], [2, 2, 1]])
@pytest.mark.parametrize("blank", [0, 2])
def test_ctc_sums_over_all_alignments(target: list[int], blank: int) -> None:
    target = [(t + blank + 1) % 3 if (t + blank + 1) % 3 != blank else (blank + 1) % 3 for t in target]
    x = np.log(np.random.default_rng(0).dirichlet(np.ones(3), (4, 1)))
    got = L.ctc_loss(x, np.array([target], np.int64).reshape(1, -1), [4], [len(target)], blank, 0)
    np.testing.assert_allclose(got, [ctc_by_enumeration(x[:, 0], target, blank)])


def test_margins() -> None:
    x = f32(0.1, 0.2, 0.4, 0.8)[None]
    np.testing.assert_allclose(L.multi_margin_loss(x, np.array([3])), (0.3 + 0.4 + 0.6) / 4, rtol=1e-6)
    # targets 3 and 0: every other class is compared with both
    want = ((1 - (0.1 - 0.2)) + (1 - (0.1 - 0.4)) + (1 - (0.8 - 0.2)) + (1 - (0.8 - 0.4))) / 4
    np.testing.assert_allclose(L.multilabel_margin_loss(x, np.array([[3, 0, -1, 1]])), want, rtol=1e-6)
    assert L.hinge_embedding_loss(f32(2, 0.25), np.array([1, -1]), 1.0, 0).tolist() == [2, 0.75]
    assert L.margin_ranking_loss(f32(1, 1), f32(0, 0), f32(1, -1), 0.5, 0).tolist() == [0, 1.5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: L.mse_loss(f32(1, 2), f32(1, 2, 3)), "size of tensor a .2. must match the size of tensor b .3."),
        (lambda: L.nll_loss(normal((3, 4)), np.array([0, 1])), "size mismatch"),
        (lambda: L.nll_loss(normal((3, 4)), np.array([0, 1, 2], np.int32)), "expected target dtype to be Long or Byte"),
        (
            lambda: L.cross_entropy_loss(normal((3, 4)), np.array([0, 1, 2]), None, 1, -100, 2.0),
            "label_smoothing must be",
        ),
        (lambda: L.smooth_l1_loss(f32(1), f32(1), 1, -1.0), "does not support negative values for beta"),
        (lambda: L.kl_div(np.array([1]), np.array([1])), "Integral inputs not supported"),
        (lambda: L.ctc_loss(normal((3, 1, 2)), np.array([[1]]), [4], [1]), "value at most 3, but got value 4"),
    ],
)
def test_errors_name_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_pairwise_losses_as_pytorch(dtype: str) -> None:
    for shape in ((3, 4), (5,), (), (0, 3)):
        a, b, c = normal(shape, dtype), normal(shape, dtype, 1), normal(shape, dtype, 2)
        sign = np.where(b > 0, 1, -1).astype(np.int64)
        p, q = (np.asarray(np.abs(np.tanh(v.astype("f4"))), v.dtype) for v in (a, b))
        b_size, c_size = (np.asarray(np.abs(v)) for v in (b, c))
        rtol = 3e-2 if dtype == "bfloat16" else None  # PyTorch rounds after every operator of a composed loss
        for reduction in (0, 1, 2):
            for name in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "kl_div"):
                near(f"aten::{name}", a, p if name == "kl_div" else b, reduction)
            near("aten::binary_cross_entropy", p, q, None, reduction)
            near("aten::binary_cross_entropy_with_logits", a, q, None, c_size, reduction, rtol=rtol)
            near("aten::hinge_embedding_loss", a, sign, 0.5, reduction)
            near("aten::margin_ranking_loss", a, b, sign.astype(a.dtype), 0.5, reduction)
            for log_input in (True, False):
                near(
                    "aten::poisson_nll_loss", a if log_input else p, b_size, log_input, True, 1e-3, reduction, rtol=rtol
                )
            if len(shape) == 2:
                near("aten::triplet_margin_loss", a, b, c, 1.0, 2.0, 1e-6, True, reduction)
                near("aten::cosine_embedding_loss", a, b, sign[:, 0], 0.2, reduction)


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_classification_losses_as_pytorch(dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in ((3, 5), (5,), (2, 5, 3), (2, 5, 3, 4), (0, 5)):
        x, spatial = normal(shape, dtype), (*shape[:1], *shape[2:]) if len(shape) > 1 else ()
        t = rng.integers(0, 5, spatial)
        weight = np.abs(normal((5,), dtype))
        for reduction in (0, 1, 2):
            for w in (None, weight):
                for ignore in (-100, 2):
                    near("aten::nll_loss_nd", x, t, w, reduction, ignore)
                    for smoothing in (0.0, 0.3):
                        near("aten::cross_entropy_loss", x, t, w, reduction, ignore, smoothing)
                near("aten::cross_entropy_loss", x, np.abs(normal(shape, dtype, 1)), w, reduction, -100, 0.2)
            if len(shape) == 2 and shape[0]:
                near("aten::multi_margin_loss", x, t, 2, 1.5, weight, reduction)
                listed = np.broadcast_to(np.array([1, 3, -1, 0, 2]), shape).copy()
                near("aten::multilabel_margin_loss", x, listed, reduction)


@pytest.mark.interop
def test_ctc_as_pytorch() -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        x = np.log(rng.dirichlet(np.ones(5), (7, 3)))
        t, steps, sizes = rng.integers(1, 5, (3, 4)), rng.integers(1, 8, 3), rng.integers(0, 5, 3)
        flat = np.concatenate([row[:n] for row, n in zip(t, sizes, strict=True)])
        for reduction in (0, 1, 2):
            for zero in (True, False):
                compare("aten::ctc_loss.Tensor", x, t, steps, sizes, 0, reduction, zero)
                compare("aten::ctc_loss.Tensor", x, flat, steps, sizes, 0, reduction, zero)
                compare("aten::ctc_loss.IntList", x, t, steps.tolist(), sizes.tolist(), 0, reduction, zero)
