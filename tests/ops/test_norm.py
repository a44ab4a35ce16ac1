"""Norms and softmax: values that follow from the definitions; then PyTorch over tables."""

from __future__ import annotations

import numpy as np
import pytest

from linstock.backends.array import norm as N

from .oracle import compare, near, to_numpy, to_torch
from .test_conv import normal

inf, nan = np.inf, np.nan
FLOATS = ("float32", "float64", "float16", "bfloat16")


def test_softmax_sums_to_one_and_survives_large_values() -> None:
    y = N.softmax(np.array([1000.0, 1000.0, -inf], np.float32), 0)
    np.testing.assert_allclose(y, [0.5, 0.5, 0])
    logs = N.log_softmax(np.array([1000.0, 0.0], np.float32), 0)
    np.testing.assert_allclose(logs, [0, -1000])


def test_a_row_of_minus_infinities() -> None:
    x = np.full((1, 2), -inf, np.float32)
    assert np.isnan(N.softmax(x, 1)).all()
    np.testing.assert_array_equal(N._safe_softmax(x, 1), [[0, 0]])
    assert N.logsumexp(x, [1]).tolist() == [-inf]


def test_softmax_of_a_scalar_and_of_converted_integers() -> None:
    assert N.softmax(np.array(3.0, np.float32), 0) == 1
    assert N.softmax(np.array([1, 2]), 0, 6).dtype == np.float32
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        N.softmax(np.array([1, 2]), 0)


def test_training_updates_running_statistics_with_the_unbiased_variance() -> None:
    x = np.array([[1.0], [3.0]], np.float32)
    mean, var = np.zeros(1, np.float32), np.ones(1, np.float32)
    y = N.batch_norm(x, None, None, mean, var, True, 0.5, 0.0)
    np.testing.assert_allclose(y, [[-1], [1]])
    np.testing.assert_allclose((mean[0], var[0]), (1.0, 1.5))  # 0.5 * 0 + 0.5 * 2, 0.5 * 1 + 0.5 * 2


def test_evaluation_uses_running_statistics_and_leaves_them() -> None:
    x, mean, var = normal((3, 2, 4)), np.array([1.0, 2.0], np.float32), np.array([4.0, 9.0], np.float32)
    y = N.batch_norm(x, None, None, mean, var, False, 0.1, 0.0)
    np.testing.assert_allclose(y[:, 1], (x[:, 1] - 2) / 3, rtol=1e-5)
    assert mean.tolist() == [1, 2]
    assert N.native_batch_norm(x, None, None, mean, var, False, 0.1, 0.0)[1].shape == (0,)


def test_layer_norm_has_mean_zero_and_variance_one() -> None:
    y, mean, inverse = N.native_layer_norm(normal((2, 3, 64), "float64"), [3, 64], None, None, 0.0)
    np.testing.assert_allclose(y.mean(axis=(1, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(axis=(1, 2)), 1)
    assert mean.shape == inverse.shape == (2, 1, 1)


def test_group_norm_between_layer_and_instance_norm() -> None:
    x = normal((2, 4, 5), "float64")
    np.testing.assert_allclose(N.group_norm(x, 1), N.layer_norm(x, [4, 5]))
    np.testing.assert_allclose(N.group_norm(x, 4), N.instance_norm(x, None, None, None, None, True, 0.1, 1e-5))


def test_errors_name_what_is_wrong() -> None:
    x, v = normal((2, 4, 3)), normal((3,))
    with pytest.raises(RuntimeError, match="weight should contain 4 elements not 3"):
        N.batch_norm(x, v, None, normal((4,)), normal((4,)), False, 0.1, 1e-5)
    with pytest.raises(RuntimeError, match="running_mean must be defined in evaluation mode"):
        N.batch_norm(x, None, None, None, None, False, 0.1, 1e-5)
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 4\]"):
        N.layer_norm(x, [4])
    with pytest.raises(RuntimeError, match="to be divisible by num_groups"):
        N.group_norm(x, 3)


@pytest.mark.interop
@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_family_as_pytorch(dtype: str) -> None:
    for shape in ((3, 4, 5), (2, 0, 3), (), (0,)):
        x = normal(shape, dtype)
        for dim in range(-1, max(len(shape) - 1, 0)):
            for name in ("softmax.int", "log_softmax.int"):
                compare(f"aten::{name}", x, dim)
            compare("aten::_safe_softmax", x, dim)
            if shape and shape[dim]:
                compare("aten::logsumexp", x, [dim], True)
    compare("aten::logsumexp", np.array([[1, 2], [3, 4]]), [0, 1])


@pytest.mark.interop
@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_as_pytorch(dtype: str) -> None:
    for shape in ((4, 6), (2, 6, 3), (2, 6, 3, 4), (2, 6, 2, 3, 2)):
        x, w, b = normal(shape, dtype), normal((6,), dtype), normal((6,), dtype, 1)
        mean, var = normal((6,), dtype, 2), np.abs(normal((6,), dtype, 3)) + np.asarray(0.5, dtype=w.dtype)
        for training in (True, False):
            for weight, bias in ((w, b), (None, None), (w, None)):
                theirs = [to_torch(v) for v in (mean, var)]
                ours = [v.copy() for v in (mean, var)]
                near("aten::native_batch_norm", x, weight, bias, mean.copy(), var.copy(), training, 0.3, 1e-3)
                import torch

                torch.batch_norm(to_torch(x), None, None, *theirs, training, 0.3, 1e-3, False)
                N.batch_norm(x, None, None, *ours, training, 0.3, 1e-3)
                for mine, other in zip(ours, theirs):
                    np.testing.assert_allclose(mine.astype(float), to_numpy(other).astype(float), rtol=2e-2, atol=2e-2)
        for groups in (1, 2, 3):
            near("aten::group_norm", x, groups, w, b)
            near("aten::group_norm", x, groups)
        for k in range(1, len(shape)):
            tail = shape[-k:]
            near("aten::native_layer_norm", x, list(tail), normal(tail, dtype), normal(tail, dtype, 1), 1e-5)
            near("aten::native_layer_norm", x, list(tail), None, None, 1e-5)
            near("aten::rms_norm", x, list(tail), normal(tail, dtype))
            near("aten::rms_norm", x, list(tail), None, 1e-3)
        if len(shape) > 2:
            near("aten::instance_norm", x, w, b, mean.copy(), var.copy(), True, 0.3, 1e-3, False)
            near("aten::instance_norm", x, w, b, mean.copy(), var.copy(), False, 0.3, 1e-3, False)
