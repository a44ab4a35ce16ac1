"""Indexing: placement of indexed dimensions, ranges, duplicates, masks; then PyTorch over tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from linstock.backends.array import indexing as I
from linstock.backends.array import indexing_scatter as S
from linstock.backends.array.memory import storage

from .layouts import check, layouts
from .oracle import sample

Array = np.ndarray[Any, Any]


def at(*values: int) -> Array:
    """An int64 index."""
    return np.array(values, np.int64)


def test_indexed_dimensions_stay_where_they_are_neighbours_and_lead_where_not() -> None:
    x = np.zeros((2, 3, 4, 5))
    assert I.index(x, [None, at(0, 1), at(1, 0)]).shape == (2, 2, 5)
    assert I.index(x, [None, at(0, 1), None, at(1, 0)]).shape == (2, 2, 4)
    assert I.index(x, [at(0), None, at(1, 2, 3)]).shape == (3, 3, 5)
    assert I.index(x, [None, np.array([[0, 1], [2, 0]])]).shape == (2, 2, 2, 4, 5)


def test_a_mask_counts_as_the_positions_of_its_true_elements() -> None:
    x = np.arange(6).reshape(2, 3)
    assert I.index(x, [x > 2]).tolist() == [3, 4, 5]
    assert I.index(x, [None, np.array([True, False, True])]).tolist() == [[0, 2], [3, 5]]
    with pytest.raises(
        IndexError, match=r"The shape of the mask \[2\] at index 0 does not match .* tensor \[2, 3\] at index 1"
    ):
        I.index(x, [None, np.array([True, False])])


def test_the_result_is_a_copy_even_for_a_single_position() -> None:
    x = np.arange(6).reshape(2, 3)
    assert storage(I.index(x, [np.array(1)])) is not storage(x)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_positions_out_of_range_are_named(layout: Callable[[Array], Array]) -> None:
    x = layout(np.zeros((3, 4)))
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 3"):
        I.index(x, [at(0, 5)])
    with pytest.raises(IndexError, match="index -5 is out of bounds for dimension 1 with size 4"):
        I.index(x, [at(0), at(-5)])
    with pytest.raises(IndexError, match="index out of range in self"):
        I.index_select(x, 0, at(-1))
    with pytest.raises(RuntimeError, match="index -1 is out of bounds for dimension 1 with size 4"):
        I.gather(x, 1, np.array([[-1]]))
    with pytest.raises(IndexError, match="tensors used as indices must be long, int, byte or bool"):
        I.index(x, [np.array([0.5])])


def test_writing_with_duplicates() -> None:
    x = np.zeros(3, np.float32)
    I.index_put_(x, [at(0, 0, 1)], np.ones(3, np.float32))
    assert x.tolist() == [1, 1, 0]
    I.index_put_(x, [at(0, 0, 1)], np.ones(3, np.float32), True)
    assert x.tolist() == [3, 2, 0]
    with pytest.raises(RuntimeError, match="got Float for the destination and Double for the source"):
        I.index_put_(x, [at(0)], np.ones(1))


def test_gather_and_scatter_undo_each_other() -> None:
    x = np.arange(12.0).reshape(3, 4)
    order = np.argsort(-x, 1)
    assert S.scatter(np.zeros((3, 4)), 1, order, I.gather(x, 1, order)).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("reduce", "with_self", "without"),
    [("sum", [16, 17], [6, 7]), ("prod", [80, 70], [8, 7]), ("mean", [16 / 3, 8.5], [3, 7]), ("amax", [10, 10], [4, 7]),
     ("amin", [2, 7], [2, 7])],
)  # fmt: skip
def test_scatter_reductions(reduce: str, with_self: list[float], without: list[float]) -> None:
    x, index, source = np.full(3, 10.0), at(0, 1, 0), np.array([2.0, 7.0, 4.0])
    assert S.scatter_reduce(x, 0, index, source, reduce).tolist() == [*with_self, 10]
    assert S.scatter_reduce(x, 0, index, source, reduce, False).tolist() == [*without, 10]  # untouched places stay


def test_integer_means_are_rounded_down() -> None:
    assert S.scatter_reduce(np.array([0]), 0, at(0, 0), np.array([-1, -2]), "mean", False).tolist() == [-2]


def test_slices_added_and_copied() -> None:
    x = np.zeros((3, 2), np.float32)
    rows = np.array([[1, 2], [3, 4]], np.float32)
    assert S.index_add(x, 0, at(2, 2), rows, 2).tolist() == [[0, 0], [0, 0], [8, 12]]
    assert S.index_copy(x, 0, at(2, 0), rows).tolist() == [[3, 4], [0, 0], [1, 2]]
    assert S.index_fill(x, 1, at(-1), 5).tolist() == [[0, 5]] * 3


def test_masks() -> None:
    x = np.arange(4.0)
    mask = np.array([True, False, True, False])
    assert I.masked_fill(x, mask, -1).tolist() == [-1, 1, -1, 3]
    assert I.masked_select(x, mask).tolist() == [0, 2]
    assert I.masked_scatter(x, mask, np.array([8.0, 9.0, 7.0])).tolist() == [8, 1, 9, 3]
    assert I.masked_fill(np.zeros(1), np.ones((2, 3), bool), 1).shape == (2, 3)
    with pytest.raises(RuntimeError, match="only supports boolean masks"):
        I.masked_fill(x, x, 1)


def test_where_promotes_its_branches() -> None:
    c = np.array([True, False])
    assert I.where(c, np.array([1, 2]), 0.5).dtype == np.float32
    assert I.where(c, np.array([1, 2], np.int8), 5).dtype == np.int8
    assert I.where(c, 1, 2).dtype == np.int64


def test_positions_of_non_zeros() -> None:
    assert I.nonzero(np.array([[0, 1], [2, 0]])).tolist() == [[0, 1], [1, 0]]
    assert I.nonzero(np.array(3)).shape == (1, 0)
    assert I.nonzero_static(np.array([0, 5, 0]), 2).tolist() == [[1], [-1]]


def test_segments_may_be_empty() -> None:
    x = np.array([1.0, 2.0, 3.0])
    lengths = at(2, 0, 1)
    assert S.segment_reduce(x, "sum", lengths).tolist() == [3, 0, 3]
    assert S.segment_reduce(x, "max", lengths).tolist() == [2, -np.inf, 3]
    np.testing.assert_array_equal(S.segment_reduce(x, "mean", lengths), [1.5, np.nan, 3])


def test_combinations() -> None:
    assert I.combinations(np.arange(3)).tolist() == [[0, 1], [0, 2], [1, 2]]
    assert I.cartesian_prod([np.arange(2), np.arange(2)]).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


INDICES: list[Callable[[Array], list[Any]]] = [
    lambda x: [at(0, 1)], lambda x: [None, at(0, 1)], lambda x: [at(0), at(1)], lambda x: [np.array([[0, 1], [1, 0]])],
    lambda x: [np.array(0)], lambda x: [None, np.array(1)], lambda x: [np.array(0), at(1, 0)],
    lambda x: [at(0, 1), None, at(1, 0)], lambda x: [None, at(0, 1), at(1, 0)], lambda x: [at(-1)], lambda x: [at(7)],
    lambda x: [at()], lambda x: [at(0, 1).astype(np.int32)], lambda x: [x == x],
    lambda x: [None, np.array([True, False, True])],
    lambda x: [at(0, 1), None, np.array([True, False, True, False])], lambda x: [at(0, 1, 1), at(0, 1)],
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("make", INDICES)
def test_indexing_against_pytorch(make: Callable[[Array], list[Any]]) -> None:
    for name in ("float32", "bool", "bfloat16"):
        for x in layouts(name):
            if x.size:
                check("aten::index.Tensor", x, make(x))
                check("aten::index_put", x, make(x), np.ones((), x.dtype), False)
                check("aten::index_put", x, make(x), np.ones((), x.dtype), True)


def _index_like(x: Array, dim: int, n: int) -> Array:
    shape = list(x.shape)
    if shape:
        shape[dim] = n
    return np.random.default_rng(0).integers(0, max(x.shape[dim], 1) if x.ndim else 1, shape)


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "int64", "bool", "uint8", "bfloat16", "complex64"])
def test_gathers_and_scatters_against_pytorch(name: str) -> None:
    for x in layouts(name, special=False):
        if not x.size:
            continue
        low = name in ("float16", "bfloat16")
        for dim in (0, -1):
            index = _index_like(x, dim, 3)
            source = np.ones(index.shape, x.dtype) if low else sample(name, index.shape, seed=1)
            if source.dtype.kind not in "biu":
                source = np.where(np.isfinite(source), source, 1).astype(x.dtype)
            check("aten::gather", x, dim, index, False)
            check("aten::scatter.value", x, dim, index, 2)
            check("aten::scatter_add", x, dim, index, source)
            if name not in ("bool", "complex64", "complex128"):
                for reduce in ("sum", "prod", "mean", "amax", "amin"):
                    for own in (True, False):
                        check("aten::scatter_reduce.two", x, dim, index, source, reduce, own)
            if x.ndim:
                rows = _index_like(x, dim, 1).reshape(-1)[:1].repeat(x.shape[dim])
                part = np.ones(x.shape, x.dtype)
                check("aten::index_add", x, dim, rows, part, 2 if name != "bool" else 1)
                check("aten::index_select", x, dim, rows)
                check("aten::index_fill.int_Scalar", x, dim, rows, 1)
                check("aten::index_copy", x, dim, at(*range(x.shape[dim])), part)


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "int64", "bool", "uint8", "bfloat16", "complex64"])
def test_masks_and_parts_against_pytorch(name: str) -> None:
    for x in layouts(name):
        every = np.asarray(x == x)
        for mask in (every, np.array(True), np.ones(4, bool)):
            check("aten::masked_fill.Scalar", x, mask, 2)
            check("aten::masked_select", x, mask)
        check("aten::masked_scatter", x, every, np.ones(130, x.dtype))
        check("aten::where.self", every, x, np.zeros((), np.float32))
        check("aten::where.ScalarOther", every, x, 2.5)
        check("aten::nonzero", x)
        check("aten::take", x, at(0, -1)[: x.size])
        check("aten::put", x, at(0, 0)[: x.size], np.ones(2, x.dtype)[: x.size], True)
        check("aten::take_along_dim", x, np.zeros((1,) * x.ndim, np.int64), -1) if x.size and x.ndim else None
        check("aten::slice_scatter", x, x[:1], 0, 0, 1, 1) if x.ndim else None
        check("aten::select_scatter", x, x[0], 0, 0) if x.ndim > 1 and x.size else None
        check("aten::diagonal_scatter", x, np.asarray(x.diagonal()), 0, 0, 1) if x.ndim > 1 else None
        check("aten::combinations", x, 2, True)
        if name in ("float32", "float64") and x.ndim and x.shape[0] == 3:
            for reduce in ("sum", "mean", "max", "min", "prod"):
                check("aten::segment_reduce", x, reduce, at(1, 0, 2), None, None, 0, False, None)
