"""Pooling and resampling: values that follow from the definitions; then PyTorch over tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of

from .oracle import compare
from .test_conv import normal

Array = np.ndarray[Any, Any]
inf, nan = np.inf, np.nan


def call(name: str, *args: Any) -> Any:
    return kernel_of(f"aten::{name}")(*args)


def row(*values: float) -> Array:
    return np.array([[values]], np.float32)


def test_ceil_mode_adds_a_window_but_none_that_starts_in_the_padding() -> None:
    x = row(1, 2, 3, 4)
    np.testing.assert_array_equal(call("max_pool1d", x, [2], [3], [0], [1], False), [[[2]]])
    np.testing.assert_array_equal(call("max_pool1d", x, [2], [3], [0], [1], True), [[[2, 4]]])
    assert call("max_pool1d", row(1, 2, 3), [2], [2], [1], [1], True).shape == (1, 1, 2)


def test_nan_wins_and_the_last_one_has_the_index() -> None:
    values, index = call("max_pool1d_with_indices", row(1, nan, 5, nan), [4])
    assert np.isnan(values).all() and index.tolist() == [[[3]]]


def test_a_window_of_minus_infinities_has_its_first_element_as_index() -> None:
    x = np.full((1, 1, 4), -inf, np.float32)
    assert call("max_pool1d_with_indices", x, [3], [2], [1])[1].tolist() == [[[0, 1]]]


def test_padding_counts_or_not() -> None:
    x = row(2, 4, 6)
    np.testing.assert_allclose(call("avg_pool1d", x, [3], [1], [1], False, True), [[[2, 4, 10 / 3]]], rtol=1e-6)
    np.testing.assert_allclose(call("avg_pool1d", x, [3], [1], [1], False, False), [[[3, 4, 5]]], rtol=1e-6)
    np.testing.assert_allclose(call("avg_pool2d", x[None], [1, 3], [1, 1], [0, 1], False, True, 2), [[[[3, 6, 5]]]])


def test_integer_averages_are_cut_off_towards_zero() -> None:
    x = np.array([[[[-3, 0], [0, -4]]]])
    assert call("avg_pool2d", x, [2, 2]).tolist() == [[[[-1]]]]


def test_adaptive_windows_overlap_where_sizes_do_not_divide() -> None:
    x = row(0, 1, 2, 3, 4)
    np.testing.assert_allclose(call("adaptive_avg_pool1d", x, [3]), [[[0.5, 2, 3.5]]])
    values, index = call("adaptive_max_pool1d", x, [3])
    assert values.tolist() == [[[1, 3, 4]]] and index.tolist() == [[[1, 3, 4]]]


def test_unpooling_undoes_pooling() -> None:
    x = normal((2, 3, 6, 4))
    values, index = call("max_pool2d_with_indices", x, [2, 2])
    back = call("max_unpool2d", values, index, [6, 4])
    np.testing.assert_array_equal(back[back != 0], x[back != 0])
    assert (back != 0).sum() == values.size
    with pytest.raises(RuntimeError, match="invalid max index"):
        call("max_unpool2d", values, index, [2, 2])


def test_upsampling_by_definition() -> None:
    x = row(0, 1)
    np.testing.assert_array_equal(call("upsample_nearest1d", x, [4]), [[[0, 0, 1, 1]]])
    np.testing.assert_allclose(call("upsample_linear1d", x, [4], False), [[[0, 0.25, 0.75, 1]]])
    np.testing.assert_allclose(call("upsample_linear1d", x, [4], True), [[[0, 1 / 3, 2 / 3, 1]]], rtol=1e-6)
    assert call("_upsample_nearest_exact1d", row(0, 1, 2), [2]).tolist() == [[[0, 2]]]


def test_a_plane_is_upsampled_to_a_plane() -> None:
    """Linear interpolation reproduces a linear ramp away from the border, with and without antialiasing."""
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 1, 8).repeat(8, 2)
    y = call("upsample_bilinear2d", x, [16, 16], False)[0, 0, 8, 6:10]
    np.testing.assert_allclose(y, [2.75, 3.25, 3.75, 4.25], rtol=1e-6)
    y = call("_upsample_bilinear2d_aa", x, [8, 4], False)[0, 0, 0, 1:3]
    np.testing.assert_allclose(y, [2.5, 4.5], rtol=1e-6)


def test_an_identity_grid_samples_the_image_itself() -> None:
    x = normal((1, 2, 4, 5))
    for align in (False, True):
        grid = call("affine_grid_generator", np.array([[[1, 0, 0], [0, 1, 0]]], np.float32), [1, 2, 4, 5], align)
        for mode in (0, 1, 2):
            np.testing.assert_allclose(call("grid_sampler", x, grid, mode, 0, align), x, rtol=1e-4, atol=1e-5)


def test_grid_points_outside_follow_the_padding() -> None:
    x = np.array([[[[1.0, 2.0]]]], np.float32)
    grid = np.array([[[[-3.0, 0.0], [nan, 0.0], [2.0, 0.0]]]], np.float32)
    for padding, want in ((0, [0, 0, 0]), (1, [1, 1, 2]), (2, [2, 1, 1])):
        got = call("grid_sampler", x, grid, 1, padding, False)[0, 0, 0]
        np.testing.assert_array_equal(got[[0, 2]], np.array(want, np.float32)[[0, 2]])


def test_shuffles_move_channels_into_space_and_back() -> None:
    x = normal((2, 8, 3, 2))
    y = call("pixel_shuffle", x, 2)
    assert y.shape == (2, 2, 6, 4) and y[0, 0, 0, 1] == x[0, 1, 0, 0] and y[0, 0, 1, 0] == x[0, 2, 0, 0]
    np.testing.assert_array_equal(call("pixel_unshuffle", y, 2), x)
    np.testing.assert_array_equal(call("channel_shuffle", x, 2)[:, :2], x[:, [0, 4]])


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        (
            "max_pool2d",
            (normal((1, 2, 4, 4)), [2, 2], [], [2, 2]),
            "pad should be at most half of effective kernel size",
        ),
        ("max_pool2d", (normal((2, 2)), [2, 2]), "Expected 3D or 4D"),
        ("avg_pool2d", (normal((1, 2, 4, 4)), [5, 5]), "Output size is too small"),
        ("avg_pool2d", (normal((1, 2, 4, 4)), [2, 2], [], [0], False, True, 0), "divisor must be not zero"),
        ("upsample_nearest2d", (normal((1, 2, 4, 4)), [3]), "It is expected output_size equals to 2, but got size 1"),
        ("upsample_bilinear2d.vec", (normal((1, 2, 4, 4)), None, False, None), "Must specify exactly one of"),
        ("pixel_shuffle", (normal((1, 3, 2, 2)), 2), "is not divisible by 4"),
        ("grid_sampler", (normal((1, 2, 4, 4)), normal((2, 3, 3, 2)), 0, 0, False), "to have same batch size"),
    ],
)
def test_errors_name_what_is_wrong(name: str, args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(name, *args)


@pytest.mark.interop
@pytest.mark.parametrize("n", [1, 2, 3])
def test_pools_as_pytorch(n: int) -> None:
    for dtype in ("float32", "float64", "float16", "bfloat16", "int64"):
        for shape in ((2, 3, *(9, 7, 5)[:n]), (3, *(9, 7, 5)[:n]), (0, 3, *(9, 7, 5)[:n])):
            x = normal(shape, dtype)
            if (dtype == "int64" and n != 2) or (dtype in ("float16", "bfloat16") and n == 3):
                continue  # PyTorch has no kernel
            for k, s, p, d, ceil in ((3, [], 0, 1, False), (2, 3, 1, 1, True), (3, 2, 1, 2, False), (3, 2, 1, 1, True)):
                stride = s if s == [] else [s] * n
                compare(f"aten::max_pool{n}d", x, [k] * n, stride, [p] * n, [d] * n, ceil)
                compare(f"aten::max_pool{n}d_with_indices", x, [k] * n, stride, [p] * n, [d] * n, ceil)
                for count in (True, False):
                    divisor = () if n == 1 else (None,)
                    compare(f"aten::avg_pool{n}d", x, [k] * n, stride, [p] * n, ceil, count, *divisor)
            if dtype != "int64":
                for out in ([1] * n, [4, 3, 2][:n], [9, 7, 5][:n]):
                    compare(f"aten::adaptive_avg_pool{n}d", x, out)
                    compare(f"aten::adaptive_max_pool{n}d", x, out)


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_upsampling_as_pytorch(dtype: str) -> None:
    x = np.abs(normal((2, 3, 7, 6), dtype) * (9 if dtype == "uint8" else 1)).astype(dtype)
    for out in ([13, 4], [14, 12], [3, 6], [1, 1]) if dtype != "uint8" else ([13, 4], [14, 12]):
        compare("aten::upsample_nearest2d", x, out)
        compare("aten::_upsample_nearest_exact2d", x, out)
        for align in (False, True):
            for name in (
                "upsample_bilinear2d",
                "upsample_bicubic2d",
                "_upsample_bilinear2d_aa",
                "_upsample_bicubic2d_aa",
            ):
                if not (align and "_aa" in name):
                    compare(f"aten::{name}", x, out, align)
    for factors in ([2.0, 1.5], [0.6, 0.3]):
        compare("aten::upsample_nearest2d.vec", x, None, factors)
        compare("aten::upsample_bilinear2d.vec", x, None, False, factors)
        compare("aten::upsample_bicubic2d.vec", x, None, False, factors)
    if dtype != "uint8":
        compare("aten::upsample_linear1d", x[0], [11], False)
        compare("aten::upsample_trilinear3d", normal((1, 2, 3, 4, 5), dtype), [5, 3, 8], False)


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_grid_samplers_as_pytorch(dtype: str) -> None:
    x, grid = normal((2, 3, 5, 4), dtype), normal((2, 6, 7, 2), dtype) * np.array(1.5, dtype)
    volume, points = normal((2, 3, 3, 4, 5), dtype), normal((2, 3, 2, 4, 3), dtype)
    for padding in (0, 1, 2):
        for align in (False, True):
            for mode in (0, 1, 2):
                compare("aten::grid_sampler", x, grid, mode, padding, align)
                if mode < 2:
                    compare("aten::grid_sampler", volume, points, mode, padding, align)
    for align in (False, True):
        compare("aten::affine_grid_generator", normal((2, 2, 3), dtype), [2, 1, 3, 4], align)
        compare("aten::affine_grid_generator", normal((2, 3, 4), dtype), [2, 1, 3, 4, 1], align)


@pytest.mark.interop
def test_other_pooling_as_pytorch() -> None:
    x = normal((2, 3, 8, 7))
    samples = np.random.default_rng(0).random((2, 3, 2)).astype(np.float32)
    compare("aten::fractional_max_pool2d", x, [2, 3], [4, 2], samples)
    samples = np.random.default_rng(0).random((2, 3, 3)).astype(np.float32)
    compare("aten::fractional_max_pool3d", normal((2, 3, 5, 6, 7)), [2, 3, 2], [3, 2, 4], samples)
    index = np.arange(12).reshape(1, 1, 3, 4) * 2
    compare("aten::max_unpool2d", normal((1, 1, 3, 4)), index, [6, 8])
    compare("aten::max_unpool3d", normal((1, 1, 1, 3, 4)), index[None], [1, 6, 8], [1, 2, 2], [0, 0, 0])
    for name, factor in (("pixel_shuffle", 2), ("pixel_unshuffle", 2), ("channel_shuffle", 4)):
        compare(f"aten::{name}", normal((2, 8, 4, 6)), factor)
