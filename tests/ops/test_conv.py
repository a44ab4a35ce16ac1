"""Convolutions: values that follow from the definition, shapes and errors; then PyTorch over a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array import conv as C

from .oracle import compare, near

Array = np.ndarray[Any, Any]


def normal(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> Array:
    rng = np.random.default_rng([seed, *shape])
    if dtype == "bfloat16":
        import ml_dtypes

        return rng.normal(size=shape).astype(ml_dtypes.bfloat16)
    if np.dtype(dtype).kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-5, 9, shape).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def ramp(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_a_kernel_with_one_tap_shifts() -> None:
    x = ramp(1, 1, 5)
    w = np.zeros((1, 1, 3), np.float32)
    w[0, 0, 2] = 1
    np.testing.assert_array_equal(C.conv1d(x, w, padding=[1]), [[[1, 2, 3, 4, 0]]])


def test_convolution_is_a_sum_over_the_window() -> None:
    x, w = ramp(1, 2, 4, 5), np.ones((1, 2, 2, 3), np.float32)
    y = C.conv2d(x, w, np.array([1], np.float32), [2, 1], [0, 1], [1, 2])
    padded = np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1)))
    want = [[[padded[0, :, i : i + 2, j : j + 5 : 2].sum() + 1 for j in range(3)] for i in (0, 2)]]
    np.testing.assert_array_equal(y[0], want)


def test_groups_do_not_see_each_other() -> None:
    x, w = normal((1, 4, 6)), normal((6, 2, 3))
    whole = C.conv1d(x, w, groups=2)
    np.testing.assert_allclose(whole[:, :3], C.conv1d(x[:, :2], w[:3]), rtol=1e-6)
    np.testing.assert_allclose(whole[:, 3:], C.conv1d(x[:, 2:], w[3:]), rtol=1e-6)


def test_blocks_of_rows_give_the_same_as_one_product(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = normal((2, 3, 40, 20)), normal((5, 3, 3, 3))
    whole = C.conv2d(x, w, None, [2, 1], [1, 1])
    monkeypatch.setattr(C, "_BLOCK_BYTES", 4096)
    np.testing.assert_allclose(C.conv2d(x, w, None, [2, 1], [1, 1]), whole, rtol=1e-5, atol=1e-5)


def test_transposed_convolution_is_the_adjoint() -> None:
    x, w = normal((2, 4, 7, 6), "float64"), normal((3, 2, 3, 2), "float64")
    y = normal((2, 3, 4, 6), "float64", 1)
    args = ([2, 1], [1, 1], [1, 2], 1)
    forward = C.convolution(x[:, :2], w, None, args[0], args[1], args[2], False, [0, 0], 1)
    assert forward.shape == y.shape
    back = C.convolution(y, w, None, args[0], args[1], args[2], True, [0, 0], 1)
    np.testing.assert_allclose((forward * y).sum(), (x[:, :2] * back).sum())


def test_long_one_dimensional_transposed_kernel() -> None:
    x, w = normal((1, 2, 9), "float64"), normal((2, 3, 50), "float64")
    y = C.conv_transpose1d(x, w, None, [7], [3], [2])
    want = np.zeros((1, 3, 8 * 7 + 50 + 2))
    for t in range(9):
        want[:, :, 7 * t : 7 * t + 50] += np.einsum("ni,iok->nok", x[:, :, t], w)
    np.testing.assert_allclose(y, want[:, :, 3:-3])


def test_same_padding_puts_the_odd_element_at_the_far_end() -> None:
    y = C.conv1d.__globals__["_convolution_mode"](
        ramp(1, 1, 4), np.ones((1, 1, 2), np.float32), None, [1], "same", [1], 1
    )
    np.testing.assert_array_equal(y, [[[1, 3, 5, 3]]])


def test_half_precision_rounds_once() -> None:
    x = np.full((1, 2048, 1), 1, np.float16)
    w = np.full((1, 2048, 1), 1.001, np.float16)
    assert C.conv1d(x, w)[0, 0, 0] == np.float16(2048 * np.float64(w[0, 0, 0]))


def test_im2col_and_back_count_the_windows() -> None:
    x = np.ones((1, 1, 3, 3), np.float32)
    columns = C.im2col(x, [2, 2], [1, 1], [0, 0], [1, 1])
    assert columns.shape == (1, 4, 4)
    want = [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    np.testing.assert_array_equal(C.col2im(columns, [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])[0, 0], want)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, w: C.conv2d(x, w[:, :2]), "to have 2 channels, but got 3 channels instead"),
        (lambda x, w: C.conv2d(x[0, 0], w), "Expected 3D .unbatched. or 4D .batched. input to conv2d"),
        (lambda x, w: C.conv2d(x[:, :, :2], w), "Kernel size can't be greater than actual input size"),
        (lambda x, w: C.conv2d(x, w, padding=[-1]), "negative padding is not supported"),
        (lambda x, w: C.conv2d(x, w, stride=[0]), "non-positive stride is not supported"),
        (lambda x, w: C.conv2d(x, w, stride=[1, 1, 1]), "expected stride to be a single integer value or a list of 2"),
        (lambda x, w: C.conv2d(x, w, w[:3, 0, 0, 0]), "expected bias to be 1-dimensional with 4 elements"),
        (lambda x, w: C.conv2d(x.astype("f8"), w), "expected scalar type Double but found Float"),
        (lambda x, w: C.conv2d(x, w, groups=3), "expected weight to be divisible by 3 at dimension 0"),
        (lambda x, w: C.conv_transpose2d(x, w[:3], output_padding=[2]), "output padding must be smaller"),
    ],
)
def test_errors_name_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(normal((1, 3, 5, 5)), normal((4, 3, 3, 3)))


@pytest.mark.interop
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "complex64", "int64"])
def test_convolutions_as_pytorch(dtype: str) -> None:
    for n in (1, 2, 3):
        size, side = (3, 2, 3)[:n], ((7,), (7, 6), (5, 5, 6))[n - 1]
        for groups in (1, 2, 4):
            x, w, b = normal((2, 4, *side), dtype), normal((8, 4 // groups, *size), dtype), normal((8,), dtype)
            for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), (1, 2, 2)):
                if n == 3 and dtype not in ("float32", "float64") and stride == 1:
                    continue
                options = [stride] * n, [padding] * n, [dilation] * n, groups
                near(f"aten::conv{n}d", x, w, b, *options)
                near(f"aten::conv{n}d", x[0], w, None, *options)
                near(f"aten::conv{n}d", x[:0], w, b, *options)
            for mode in ("same", "valid"):
                near(f"aten::conv{n}d.padding", x, w, b, [1] * n, mode, [2] * n, groups)
            if dtype in ("int64", "complex64"):
                continue
            name = f"aten::conv_transpose{n}d" + ("" if n == 1 else ".input")
            near(
                name,
                x,
                normal((4, 6 // groups if groups < 4 else 2, *size), dtype),
                None,
                [2] * n,
                [1] * n,
                [1] * n,
                groups,
            )


@pytest.mark.interop
def test_other_convolutions_as_pytorch() -> None:
    x, w, b = normal((5, 2, 3)), normal((3, 3, 4)), normal((4,))
    near("aten::conv_tbc", x, w, b, 1)
    for dims in ((2, 4, 6, 5), (4, 6, 5)):
        compare("aten::im2col", normal(dims), [2, 3], [2, 1], [1, 1], [1, 2])
    compare("aten::col2im", normal((2, 12, 16)), [5, 5], [2, 2], [1, 1], [0, 0], [1, 1])
    compare("aten::col2im", normal((2, 12, 15)), [5, 5], [2, 2], [1, 1], [0, 0], [1, 1])
    x, w, b = normal((2, 3, 6, 6)), normal((4, 3, 3, 3)), normal((4,))
    near("aten::thnn_conv2d", x, w, [3, 3], b, [2, 2], [1, 1])
    near("aten::slow_conv_dilated2d", x, w, [3, 3], b, [1, 1], [1, 1], [2, 2])
    near("aten::slow_conv_transpose2d", x, normal((3, 4, 3, 3)), [3, 3], b, [2, 2], [1, 1], [1, 1], [1, 1])
    compare("aten::convolution", x, w, b, [1], [1], [1], False, [0], 1)
