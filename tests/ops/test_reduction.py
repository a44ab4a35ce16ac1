"""Reductions: types, dimension lists, NaN, empties, accuracy; then PyTorch over tables."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array import reduction as R
from linstock.backends.array import reduction_scan as S
from linstock.backends.array.derive import kernel_of

from .layouts import check, layouts

inf, nan = math.inf, math.nan


def test_integers_add_up_to_int64_and_wrap_there() -> None:
    assert R.sum_(np.full(3, 200, np.uint8)) == 600
    assert R.sum_(np.array([True, True])).dtype == np.int64
    assert R.prod(np.array([2, 3], np.int8)).dtype == np.int64
    assert R.sum_dim(np.ones((2, 3), np.float32), [0], False, 4).dtype == np.int64


def test_an_empty_list_of_dimensions_means_all() -> None:
    x = np.ones((2, 3), np.float32)
    assert R.sum_dim(x, []).shape == ()
    assert R.mean_dim(x, None, True).shape == (1, 1)
    assert kernel_of("aten::amax")(x, [], False) == 1
    assert kernel_of("aten::all.dims")(x > 0, [], False).shape == (2, 3)  # but not here
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        R.sum_dim(x, [0, -2])


def test_low_precision_is_added_up_in_float32() -> None:
    for dtype in (np.float16, ml_dtypes.bfloat16):
        x = np.ones(5000, dtype)
        assert float(R.sum_(x)) == pytest.approx(5000, rel=4e-3)
        assert float(R.mean(x)) == 1


def test_long_sums_over_leading_dimensions_stay_accurate() -> None:
    x = np.full((20000, 3), 0.1, np.float32)
    np.testing.assert_allclose(R.sum_dim(x, [0]), 2000.0, rtol=1e-6)


def test_nan_wins_over_everything() -> None:
    x = np.array([[1, nan, 3], [4, 5, 6]], np.float32)
    values, indices = kernel_of("aten::max.dim")(x, 1, False)
    np.testing.assert_array_equal(values, [nan, 6])
    assert indices.tolist() == [1, 2]
    assert kernel_of("aten::argmin")(x, None, False) == 1
    assert np.isnan(kernel_of("aten::min")(x))
    assert R.nansum(x, [1]).tolist() == [4, 15]
    assert R.nanmean(x).item() == pytest.approx(3.8)


def test_the_first_of_equal_ones_is_found_and_the_last_in_running_ones() -> None:
    x = np.array([3, 1, 3, 1])
    assert kernel_of("aten::max.dim")(x, 0, False)[1] == 0
    assert kernel_of("aten::argmin")(x, None, False) == 1
    assert kernel_of("aten::cummax")(x, 0)[1].tolist() == [0, 0, 2, 2]


def test_reductions_over_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert R.sum_(empty) == 0
    assert R.prod(empty) == 1
    assert np.isnan(R.mean(empty))
    assert kernel_of("aten::all")(empty)
    assert kernel_of("aten::amax")(empty, [1], False).shape == (0,)
    with pytest.raises(IndexError, match=r"max\(\): Expected reduction dim 0 to have non-zero size"):
        kernel_of("aten::max.dim")(empty, 0, False)
    with pytest.raises(RuntimeError, match="Specify the reduction dim"):
        kernel_of("aten::max")(empty)


def test_integer_means_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype.*Got: Long"):
        R.mean(np.array([1, 2]))
    assert R.mean(np.array([1, 2]), 6) == 1.5


def test_variance_of_equal_numbers_is_zero_and_of_one_number_is_nan() -> None:
    var = kernel_of("aten::var.correction")
    assert var(np.full(1000, 0.1, np.float32), None, None, False) == 0
    assert np.isnan(var(np.ones(1, np.float32), None, None, False))
    assert var(np.array([1.0, 3.0]), None, 0, False) == 1
    assert var(np.array([1 + 1j, -1 - 1j]), None, 0, False) == 2  # |z - mean|^2 is 2 for both


def test_truth_of_bytes_stays_bytes() -> None:
    assert kernel_of("aten::all")(np.array([1, 2], np.uint8)).dtype == np.uint8
    assert kernel_of("aten::any")(np.array([0.0, nan])).dtype == np.bool_


def test_logcumsumexp_does_not_overflow() -> None:
    np.testing.assert_allclose(S.logcumsumexp(np.array([1000.0, 1000.0]), 0), [1000, 1000 + math.log(2)])
    assert S.logcumsumexp(np.array([-inf, -inf]), 0).tolist() == [-inf, -inf]


def test_differences_and_slopes() -> None:
    assert S.diff(np.array([1, 4, 9, 16]), 2).tolist() == [2, 2]
    assert S.diff(np.array([True, False, False])).tolist() == [True, False]
    assert S.gradient(np.array([1.0, 4.0, 9.0, 16.0]))[0].tolist() == [3, 4, 6, 7]
    squares = np.array([0.0, 1.0, 9.0, 16.0])
    slopes = S.gradient_spacings(squares, [np.array([0.0, 1.0, 3.0, 4.0])], 0, 2)[0]
    np.testing.assert_allclose(slopes, [0, 2, 6, 8], atol=1e-12)  # exact for a parabola


def test_comparisons() -> None:
    x = np.array([1.0, nan])
    assert not R.equal(x, x)
    assert R.allclose(x, x, equal_nan=True)
    assert not R.equal(np.zeros(2), np.zeros((2, 1)))
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        R.is_nonzero(x)


REDUCTIONS: list[tuple[Any, ...]] = [
    *[(name, dim, keep, None) for name in ("sum.dim_IntList", "nansum", "mean.dim") for dim, keep in (
        (None, False), ([0], False), ([-1], True), ([0, 1], False), ([], True), ([0, 0], False), ([9], False),
    )],
    ("sum", None), ("sum", 6), ("mean", 7), ("prod", None), ("prod.dim_int", 0, False, None),
    ("prod.dim_int", -1, True, 7), ("nanmean", [0], True, None), ("amax", [0], False), ("amin", [-1, 0], True),
    ("amax", [], False), ("max",), ("min",),
    ("max.dim", 0, False), ("min.dim", -1, True), ("max.dim", 9, False), ("argmax", None, False), ("argmax", 0, True),
    ("argmin", -1, False), ("aminmax", None, True), ("aminmax", 0, False), ("all",), ("any",), ("all.dim", 0, True),
    ("any.dim", -1, False), ("all.dims", [0, 1], False), ("any.dims", [], False), ("count_nonzero", 0),
    ("count_nonzero.dim_IntList", [0, 1]), ("cumsum", 0, None), ("cumsum", -1, 7), ("cumprod", -1, None), ("cummax", 0),
    ("cummin", -1), ("logcumsumexp", 0), ("sum_to_size", [4]), ("sum_to_size", [1, 4]), ("diff", 1, -1, None, None),
    ("diff", 2, 0, None, None), ("is_nonzero",),
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("case", REDUCTIONS, ids=lambda c: f"{c[0]}-{c[1:]}")
def test_reductions_against_pytorch(case: tuple[Any, ...]) -> None:
    for name in ("float32", "uint8", "bool", "bfloat16", "complex64"):
        if case[0].startswith(("cum", "argm", "ama", "ami")) and name == "complex64":
            continue
        for x in layouts(name):
            if not (case[0] in ("cummax", "cummin") and not x.size):
                check(f"aten::{case[0]}", x, *case[1:])


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "float64", "float16", "complex64", "int64"])
def test_moments_against_pytorch(name: str) -> None:
    for x in layouts(name, special=False):
        for operator in ("std", "var", "std_mean", "var_mean"):
            check(f"aten::{operator}", x, True)
            check(f"aten::{operator}.dim", x, [0], False, True)
            check(f"aten::{operator}.correction", x, [-1], 2, False)
        check("aten::equal", x, x.copy())
        check("aten::allclose", x, x.copy(), 1e-5, 1e-8, False)
