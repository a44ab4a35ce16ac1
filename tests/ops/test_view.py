"""Views share memory and have PyTorch's strides; joins, padding and reorderings are new tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array import view as V
from linstock.backends.array import view_join as J
from linstock.backends.array import view_split as S
from linstock.backends.array import view_types as W
from linstock.backends.array.derive import kernel_of
from linstock.backends.array.memory import copied, storage, storage_offset, strides_of

from .layouts import check, layouts


def counting(*shape: int) -> np.ndarray[Any, Any]:
    """0, 1, 2... in a shape."""
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def test_views_write_through() -> None:
    x = counting(3, 4)
    for view in (
        V.view(x, [12]),
        V.transpose(x, 0, 1),
        V.expand(x[:1], [5, 4]),
        V.select(x, 0, 0),
        V.unfold(x, 1, 2, 1),
    ):
        assert storage(view) is storage(x)
    V.select(x, 1, -1)[...] = 9
    assert x[:, 3].tolist() == [9, 9, 9]
    V.diagonal(x)[...] = -1
    assert [x[i, i] for i in range(3)] == [-1, -1, -1]


def test_a_view_that_the_strides_cannot_express_is_refused_and_reshape_copies() -> None:
    x = counting(3, 4).T
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        V.view(x, [12])
    y = V.reshape(x, [12])
    assert storage(y) is not storage(x)
    assert y.tolist() == x.flatten().tolist()
    assert strides_of(V.view(x, [2, 2, 3])) == (2, 1, 4)  # splitting one dimension is possible


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ([5, 2], r"shape '\[5, 2\]' is invalid for input of size 12"),
        ([-1, -1], "only one dimension can be inferred"),
        ([-2, 6], "invalid shape dimension -2"),
        ([-1, 5], r"shape '\[-1, 5\]' is invalid"),
    ],
)
def test_bad_shapes_are_named(size: list[int], message: str) -> None:
    for x in (counting(3, 4), counting(4, 3).T):
        with pytest.raises(RuntimeError, match=message):
            V.view(x, size)


def test_dimension_numbers() -> None:
    with pytest.raises(IndexError, match=r"expected to be in range of \[-2, 1\], but got 2"):
        V.transpose(counting(2, 2), 0, 2)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 1"):
        V.squeeze_dim(np.array(1.0), 1)


def test_expanded_dimensions_have_stride_zero() -> None:
    y = V.expand(counting(3, 1), [2, 3, 4])
    assert strides_of(y) == (0, 1, 0)
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(4\) must match the existing size \(3\)"):
        V.expand(counting(3), [4])


def test_as_strided_reaches_the_whole_storage_of_a_view() -> None:
    x = counting(10)
    part = x[4:6]
    assert storage_offset(part) == 4
    assert V.as_strided(part, [3], [2]).tolist() == [4, 6, 8]
    assert V.as_strided(part, [2, 2], [5, 1], 0).tolist() == [[0, 1], [5, 6]]
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 40"):
        V.as_strided(part, [3], [5], 1)


def test_unsqueeze_of_a_transposed_array_reports_the_stride_that_pytorch_gives() -> None:
    y = V.unsqueeze(counting(2, 3).T, 1)
    assert [s // 4 for s in y.strides] == [1, 6, 3]


def test_slices_are_clamped() -> None:
    x = counting(5)
    assert V.slice_(x, 0, -100, 100).tolist() == [0, 1, 2, 3, 4]
    assert V.slice_(x, 0, 4, 2).tolist() == []
    with pytest.raises(RuntimeError, match="slice step must be positive"):
        V.slice_(x, 0, None, None, -1)
    with pytest.raises(IndexError, match=r"select\(\): index 5 out of range for tensor of size \[5\] at dimension 0"):
        V.select(x, 0, 5)


def test_chunks_and_splits() -> None:
    assert [p.shape[0] for p in S.chunk(counting(5), 4)] == [2, 2, 1]  # chunks of ceil(5 / 4)
    assert [p.shape[0] for p in S.split(counting(5), 2)] == [2, 2, 1]
    assert [p.shape[0] for p in S.tensor_split(counting(5), 3)] == [2, 2, 1]
    assert [p.shape[0] for p in S.tensor_split(counting(5), 4)] == [2, 1, 1, 1]
    with pytest.raises(RuntimeError, match="to sum exactly to 5"):
        S.split_with_sizes(counting(5), [2, 2])


def test_complex_numbers_are_viewed_as_pairs_and_back() -> None:
    z = np.array([1 + 2j, 3 - 4j], np.complex64)
    pairs = W.view_as_real(z)
    assert pairs.tolist() == [[1, 2], [3, -4]]
    pairs[0, 1] = 7
    assert z[0] == 1 + 7j
    assert W.view_as_complex(pairs).tolist() == z.tolist()
    W.imag(z)[...] = 0
    assert z.tolist() == [1, 3]


def test_bytes_as_another_type() -> None:
    x = counting(2, 3)
    assert W.view_dtype(x, 3).tolist() == x.view(np.int32).tolist()
    assert W.view_dtype(x, 2).shape == (2, 6)
    with pytest.raises(RuntimeError, match=r"self.size\(-1\) must be divisible by 2"):
        W.view_dtype(x, 7)


def test_channels_last_is_kept_by_copies_and_by_cat() -> None:
    x = copied(counting(2, 3, 4, 5), 2)
    assert strides_of(x) == (60, 1, 15, 3)
    assert strides_of(copied(x)) == (60, 1, 15, 3)
    assert strides_of(J.cat([x, x], 1)) == (120, 1, 30, 6)
    assert strides_of(J.cat([x, counting(2, 3, 4, 5)], 1)) == (120, 20, 5, 1)
    with pytest.raises(RuntimeError, match="required rank 4"):
        copied(counting(2, 3), 2)


def test_cat_promotes_and_passes_over_legacy_empties() -> None:
    out = J.cat([counting(2, 2), np.zeros(0, np.float64), np.ones((1, 2), np.int64)])
    assert out.shape == (3, 2)
    assert out.dtype == np.float64
    with pytest.raises(
        RuntimeError, match=r"Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3"
    ):
        J.cat([counting(2, 2), counting(1, 3)])


def test_padding() -> None:
    x = counting(1, 1, 4)
    assert J.pad(x, [2, 1], "reflect").tolist() == [[[2, 1, 0, 1, 2, 3, 2]]]
    assert J.pad(x, [2, 1], "replicate").tolist() == [[[0, 0, 0, 1, 2, 3, 3]]]
    assert J.pad(x, [2, 1], "circular").tolist() == [[[2, 3, 0, 1, 2, 3, 0]]]
    assert J.pad(x, [1, -2], "constant", 9.0).tolist() == [[[9, 0, 1]]]
    with pytest.raises(RuntimeError, match="Padding size should be less than the corresponding input dimension"):
        J.pad(x, [4, 0], "reflect")


def test_triangles_ignore_what_they_drop() -> None:
    x = np.array([[1, np.nan], [np.inf, 2]], np.float32)
    assert J.tril(x).tolist() == [[1, 0], [np.inf, 2]]
    assert J.triu(x, 1)[0, 0] == 0


def test_in_place_shape_changes_return_the_view() -> None:
    x = counting(1, 3)
    y = kernel_of("aten::squeeze_")(x)
    assert y.shape == (3,)
    assert storage(y) is storage(x)


VIEWS: list[tuple[Any, ...]] = [
    ("squeeze",), ("squeeze.dim", 0), ("squeeze.dim", 7), ("squeeze.dims", [0, -1]), ("unsqueeze", 0),
    ("unsqueeze", -1), ("unsqueeze", 1), ("transpose.int", 0, 1), ("transpose.int", 0, -1), ("permute", [1, 0]),
    ("permute", [2, 0, 1]), ("permute", []), ("permute", [0, 0]), ("movedim.int", 0, -1), ("t",), ("numpy_T",),
    ("mT",), ("view", [-1]), ("view", [4, 3]), ("view", [2, -1]), ("view", [3, 2, 2]), ("view", [2, 60]),
    ("view", [0, 3]), ("view", []), ("reshape", [-1]), ("reshape", [4, 3]), ("reshape", [2, 12]),
    ("reshape", [3, 1, 4]), ("flatten.using_ints", 0, -1), ("flatten.using_ints", 1, -1),
    ("unflatten.int", 0, [1, -1]), ("expand", [3, 4], False), ("expand", [2, 3, 4], False),
    ("expand", [-1, 4], False), ("expand", [5, 2, -1, 3], False), ("select.int", 0, 0), ("select.int", -1, 2),
    ("select.int", 1, 9), ("slice.Tensor", 0, None, None, 1), ("slice.Tensor", 1, 1, 99, 2),
    ("slice.Tensor", -1, -2, None, 1), ("narrow", 0, 1, 1), ("narrow", 0, 3, 1), ("diagonal", 0, 0, 1),
    ("diagonal", 1, -1, 0), ("diagonal", -9, 0, 1), ("unfold", 0, 2, 1), ("unfold", -1, 1, 2), ("unfold", 0, 9, 1),
    ("as_strided", [2, 2], [1, 2], None), ("as_strided", [3], [0], 1), ("as_strided", [99], [1], 0),
    ("split.Tensor", 2, 0), ("split_with_sizes", [1, 2], 0), ("chunk", 2, -1), ("tensor_split.sections", 2, 0),
    ("tensor_split.indices", [2, 1], 0), ("unbind.int", 0), ("hsplit.int", 2), ("vsplit.array", [1]), ("atleast_1d",),
    ("atleast_2d",), ("atleast_3d",), ("detach",), ("alias",), ("real",), ("view_as_real",), ("view.dtype", 0),
    ("view.dtype", 4), ("view.dtype", 7), ("ravel",), ("view_copy", [-1]), ("transpose_copy.int", 0, 1),
    ("permute_copy", [1, 0]), ("squeeze_copy",), ("diagonal_copy", 0, 0, 1), ("stride",), ("size",),
    ("is_contiguous",), ("storage_offset",), ("is_non_overlapping_and_dense",), ("numel",), ("element_size",),
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("case", VIEWS, ids=lambda c: f"{c[0]}-{c[1:]}")
def test_views_against_pytorch(case: tuple[Any, ...]) -> None:
    for name in ("float32", "complex64", "bfloat16"):
        for x in layouts(name):
            check(f"aten::{case[0]}", x, *case[1:])


NEW: list[tuple[Any, ...]] = [
    ("flip", [0]), ("flip", [0, -1]), ("fliplr",), ("roll", [1], []), ("roll", [-2, 1], [0, 1]), ("rot90", 1, [0, 1]),
    ("rot90", 3, [1, 0]), ("repeat", [2, 1]), ("repeat", [1, 2, 3, 1]), ("tile", [2]), ("tril", 0), ("tril", -1),
    ("triu", 1), ("repeat_interleave.self_int", 2, 0, None), ("repeat_interleave.self_int", 2, None, None),
    ("diag", 0), ("diag", 1), ("diag_embed", 1, 0, 1), ("diagflat", 0), ("constant_pad_nd", [1, 2, 0, 1], 2),
    ("constant_pad_nd", [-1, -1], 0), ("pad", [1, 1], "reflect", None), ("pad", [1, 0, 0, 1], "circular", None),
    ("pad", [2, 2], "replicate", None),
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("case", NEW, ids=lambda c: f"{c[0]}-{c[1:]}")
def test_new_arrangements_against_pytorch(case: tuple[Any, ...]) -> None:
    for name in ("float32", "bfloat16"):
        for x in layouts(name):
            check(f"aten::{case[0]}", x, *case[1:])


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "bool", "bfloat16", "complex64"])
def test_joins_against_pytorch(name: str) -> None:
    for x in layouts(name):
        other = np.ones(x.shape, np.float32)
        for operator in ("hstack", "vstack", "dstack", "column_stack"):
            check(f"aten::{operator}", [x, x], strides=False)
        for dim in (0, 1, -1):
            check("aten::cat", [x, x], dim)
            check("aten::cat", [x, other], dim, strides=False)
            check("aten::stack", [x, x], dim, strides=False)
        check("aten::block_diag", [x, other])
        check("aten::meshgrid.indexing", [x, x], "xy")
        check("aten::broadcast_tensors", [x, other])
