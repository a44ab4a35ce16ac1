"""Sorting: NaN and ties, order statistics, distinct elements, searches, histograms; then PyTorch over tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from linstock.backends.array import sorting as S
from linstock.backends.array import sorting_bins as B
from linstock.backends.array import sorting_unique as U

from .layouts import check, layouts
from .oracle import NAMES, sample

inf, nan = math.inf, math.nan


def test_nan_is_the_largest_and_ties_keep_their_order() -> None:
    x = np.array([2, nan, 1, 2, -inf], np.float32)
    values, indices = S.sort(x)
    np.testing.assert_array_equal(values, [-inf, 1, 2, 2, nan])
    assert indices.tolist() == [4, 2, 0, 3, 1]
    assert S.argsort(x, 0, True).tolist() == [1, 0, 3, 2, 4]
    np.testing.assert_array_equal(S.topk(x, 2)[0], [nan, 2])


def test_long_lanes_are_stable_too() -> None:
    x = np.random.default_rng(0).integers(0, 40, 1000).astype(np.float32)
    assert S.argsort(x).tolist() == sorted(range(1000), key=lambda i: x[i])
    assert S.argsort(x, 0, True).tolist() == sorted(range(1000), key=lambda i: -x[i])


def test_the_lower_median_and_where_it_is() -> None:
    x = np.array([4, 1, 3, 2])
    assert S.median(x) == 2
    values, indices = S.median_dim(x, 0)
    assert (values, indices) == (2, 3)
    assert np.isnan(S.median(np.array([1.0, nan, 2.0])))
    assert S.nanmedian(np.array([1.0, nan, 2.0])) == 1
    assert S.kthvalue(x, 3)[0] == 3


def test_the_smallest_of_several_modes_at_its_last_place() -> None:
    values, indices = S.mode(np.array([3, 1, 3, 1, 2]))
    assert (values, indices) == (1, 3)


@pytest.mark.parametrize(
    ("interpolation", "value"), [("linear", 2.5), ("lower", 2), ("higher", 3), ("midpoint", 2.5), ("nearest", 3)]
)
def test_quantiles_between_two_elements(interpolation: str, value: float) -> None:
    x = np.array([4.0, 1.0, 3.0, 2.0])
    assert S.quantile(x, 0.5, None, False, interpolation) == value


def test_quantiles_lead_and_nan_spreads() -> None:
    x = np.array([[1, 2, 3], [4, nan, 6]], np.float32)
    q = np.array([0, 1], np.float32)
    np.testing.assert_array_equal(S.quantile(x, q, 1), [[1, nan], [3, nan]])
    np.testing.assert_array_equal(S.nanquantile(x, q, 1), [[1, 4], [3, 6]])
    with pytest.raises(RuntimeError, match=r"must be in the range \[0, 1\]"):
        S.quantile(x, 1.5)
    with pytest.raises(RuntimeError, match="must be either float or double"):
        S.quantile(np.arange(3), 0.5)


def test_distinct_elements() -> None:
    x = np.array([3, 1, 3, 2])
    values, inverse, counts = U.unique2(x, True, True, True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 3], [2, 0, 2, 1], [1, 1, 2])
    assert len(U.unique2(np.array([nan, nan]))[0]) == 2  # NaN is not equal to NaN
    runs, inverse, counts = U.unique_consecutive(np.array([1, 1, 2, 1]), True, True)
    assert (runs.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 1], [0, 0, 1, 2], [2, 1, 1])
    rows = U.unique_dim(np.array([[1, 2], [0, 3], [1, 2]]), 0)
    assert (rows[0].tolist(), rows[1].tolist()) == ([[0, 3], [1, 2]], [1, 0, 1])


def test_searches() -> None:
    edges = np.array([1.0, 3.0, 3.0, 5.0])
    assert B.searchsorted(edges, np.array([3.0, 9.0, nan])).tolist() == [1, 4, 4]
    assert B.bucketize(np.array([3.0]), edges, False, True).tolist() == [3]
    lanes = np.array([[1, 3, 5], [2, 4, 6]])
    assert B.searchsorted(lanes, np.array([[3], [3]])).tolist() == [[1], [1]]
    assert B.searchsorted(edges, 2.0, True).dtype == np.int32
    with pytest.raises(RuntimeError, match="side and right can't be set to opposites"):
        B.searchsorted(edges, np.zeros(1), False, True, "left")


def test_counts_and_histograms() -> None:
    assert B.bincount(np.array([1, 1, 3]), None, 6).tolist() == [0, 2, 0, 1, 0, 0]
    assert B.bincount(np.array([0, 1]), np.array([0.5, 2], np.float32)).dtype == np.float32
    assert B.histc(np.array([0.0, 1.0, 2.0, 9.0]), 2, 0, 2).tolist() == [1, 2]  # the last edge belongs to the last bin
    hist, edges = B.histogram_count(np.array([0.0, 1.0, 2.0]), 2, None, None, True)
    assert (hist.tolist(), edges.tolist()) == ([1 / 3, 2 / 3], [0, 1, 2])


def test_lists_are_sorted_in_place() -> None:
    values = [3, 1, 2]
    S.sort_list(values, True)
    assert values == [3, 2, 1]


CASES: list[tuple[Any, ...]] = [
    ("sort.stable", True, -1, False), ("sort.stable", True, 0, True), ("sort.stable", True, 9, False),
    ("argsort.stable", True, 0, True), ("msort",), ("topk", 1, -1, True, True), ("topk", 2, 0, False, True),
    ("topk", 9, 0, True, True), ("kthvalue", 1, -1, False), ("kthvalue", 2, 0, True), ("mode", 0, True), ("median",),
    ("nanmedian",), ("_unique2", True, True, True), ("_unique2", True, False, False),
    ("unique_dim", 0, True, True, True), ("unique_consecutive", True, True, None),
    ("unique_consecutive", True, True, 0), ("isin.Tensor_Scalar", 1, False, True),
    ("quantile.scalar", 0.3, 0, True, "linear"), ("nanquantile.scalar", 0.3, None, False, "higher"),
    ("histc", 4, -2, 2), ("histc", 0, 0, 1),
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1:]}")
def test_order_against_pytorch(case: tuple[Any, ...]) -> None:
    for name in ("float32", "int64", "bfloat16", "bool"):
        if name == "bool" and case[0] in ("kthvalue", "median", "nanmedian"):
            continue
        for x in layouts(name):
            check(f"aten::{case[0]}", x, *case[1:])


@pytest.mark.interop
@pytest.mark.parametrize("name", NAMES[1:10])
def test_ties_are_broken_as_pytorch_does(name: str) -> None:
    rng = np.random.default_rng(3)
    for n in (3, 4, 17, 40, 300):
        x = rng.integers(0, max(n // 3, 2), (2, n)).astype(sample(name).dtype)
        check("aten::topk", x, n // 2, -1, True, True)
        check("aten::topk", x, max(n // 64, 1), -1, False, True)
        check("aten::kthvalue", x, n // 2, -1, False)
        check("aten::median.dim", x, -1, False)
        check("aten::nanmedian.dim", x, -1, True)
        check("aten::mode", x, -1, False)


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "float64", "int64", "bfloat16", "uint8"])
def test_searches_and_bins_against_pytorch(name: str) -> None:
    for x in layouts(name):
        if not x.ndim or not x.size:
            continue
        ordered = np.sort(x.astype(np.float64), -1).astype(x.dtype)
        for right, side in ((False, None), (True, None), (False, "right"), (True, "left")):
            check("aten::searchsorted.Tensor", ordered, x, False, right, side, None)
        check("aten::bucketize.Tensor", x, ordered.reshape(-1)[:1], True, True)
        if x.dtype.kind == "f":
            check("aten::histogram.bin_ct", x, 4, [-2.0, 2.0], None, True)
            check("aten::histogram.bin_ct", x, 4, [-2.0, 2.0], np.full(x.shape, 2, x.dtype), False)
            for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
                check("aten::quantile", x, np.array([0, 0.3, 1], x.dtype), -1, True, interpolation)
        elif x.dtype.kind in "iu":
            check("aten::bincount", np.abs(x), None, 3)
