"""New tensors: inferred types, exact counts, conversions beyond an integer's range; then PyTorch over tables."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array import factory as F
from linstock.backends.array import factory_range as R
from linstock.backends.array.casting import checked_scalar, convert
from linstock.backends.array.memory import copied, storage, strides_of
from linstock.ir import dtypes
from linstock.ir.device import Device

from .layouts import check, layouts
from .oracle import NAMES

inf, nan = math.inf, math.nan
CODES = {name: dtypes.by_name(name).code for name in NAMES}


def test_full_takes_its_type_from_the_value() -> None:
    assert F.full([2], 1).dtype == np.int64
    assert F.full([2], 1.5).dtype == np.float32
    assert F.full([2], True).dtype == np.bool_
    assert F.full([2], 1j).dtype == np.complex64
    assert F.full([], 7).shape == ()


def test_values_that_do_not_fit_are_refused_but_negative_ones_wrap_in_unsigned_types() -> None:
    assert checked_scalar(-1, np.dtype(np.uint8)) == 255
    assert checked_scalar(2.9, np.dtype(np.int32)) == 2
    for value in (300, nan):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
            checked_scalar(value, np.dtype(np.uint8))
    with pytest.raises(RuntimeError, match="at::Half without overflow"):
        checked_scalar(1e6, np.dtype(np.float16))


def test_arange_counts_and_types() -> None:
    assert R.arange(0, 5).dtype == np.int64
    assert R.arange(0, 1, 0.1).dtype == np.float32
    assert len(R.arange(0, 1, 0.1)) == 10
    assert len(R.arange(1, 2.05, 0.35)) == 3  # the third multiple of 0.35 is 1.05
    assert R.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert R.arange(3, 3).shape == (0,)
    with pytest.raises(RuntimeError, match="upper bound and lower bound inconsistent with step sign"):
        R.arange(0, 5, -1)
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        R.arange(0, 5, 0)


def test_linspace_reaches_its_end_exactly() -> None:
    x = R.linspace(0, 0.3, 7)
    assert x[-1] == np.float32(0.3)
    assert R.linspace(2, 9, 1).tolist() == [2]
    assert R.linspace(0, 10, 5, 4).tolist() == [0, 2, 5, 7, 10]
    np.testing.assert_allclose(R.logspace(0, 3, 4), [1, 10, 100, 1000], rtol=1e-6)


def test_windows() -> None:
    from linstock.backends.array.derive import kernel_of

    hann = kernel_of("aten::hann_window.periodic")
    np.testing.assert_allclose(hann(4, False, None, None, None, None), [0, 0.75, 0.75, 0], atol=1e-7)
    np.testing.assert_allclose(hann(4, True, None, None, None, None), [0, 0.5, 1, 0.5], atol=1e-7)


def test_tensor_of_a_nested_list() -> None:
    assert F.tensor([[1, 2], [3, 4]]).dtype == np.int64
    assert F.tensor([1, 2.5]).dtype == np.float32
    assert F.tensor([True, False]).dtype == np.bool_
    assert F.tensor([]).dtype == np.float32
    assert F.tensor([[], []]).shape == (2, 0)
    assert F.tensor([1.9, -1.9], 4).tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        F.tensor([[1, 2], [3]])


def test_conversion_truncates_and_out_of_range_floats_do_as_on_x86() -> None:
    x = np.array([2.7, -2.7, 3e9, nan, inf], np.float32)
    low = -(2**31)
    assert convert(x, np.dtype(np.int32)).tolist() == [2, -2, low, low, low]
    assert convert(x, np.dtype(np.int64)).tolist()[:3] == [2, -2, 3000000000]
    assert convert(np.array([300.0, -1.0, 1e10]), np.dtype(np.uint8)).tolist() == [44, 255, 0]
    assert convert(np.array([3 + 4j]), np.dtype(np.float32)).tolist() == [3]
    assert convert(np.array([1j, 0j, nan]), np.dtype(np.bool_)).tolist() == [True, False, True]


def test_double_to_half_rounds_through_float() -> None:
    x = np.array([1 + 2**-11 + 2**-30])  # just above the middle between two halves; a float drops the difference
    assert convert(x, np.dtype(np.float16))[0] == 1
    assert convert(x, np.dtype(ml_dtypes.bfloat16)).astype(np.float32)[0] == 1


def test_to_returns_the_argument_where_nothing_changes() -> None:
    x = np.ones((2, 3), np.float32)
    assert F.to_dtype(x, 6) is x
    assert F.to_dtype(x, 6, False, True) is not x
    assert F.to_prim_dtype(x) is x
    assert F.contiguous(x) is x
    assert F.contiguous(x.T) is not x
    images = np.zeros((2, 3, 4, 5), np.float32)
    last = F.contiguous(images, 2)
    assert strides_of(last) == (60, 1, 15, 3)
    assert F.contiguous(last, 2) is last
    assert strides_of(F.to_dtype(last, 7)) == (60, 1, 15, 3)


def test_copying_into_a_tensor_broadcasts_and_converts() -> None:
    x = np.zeros((2, 3), np.int64)
    assert F.copy_(x, np.array([1.5, 2.5, 3.5])) is x
    assert x.tolist() == [[1, 2, 3], [1, 2, 3]]
    row = np.arange(5.0)
    F.copy_(row[1:], row[:-1])  # overlapping memory: as if the source had been read first
    assert row.tolist() == [0, 0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        F.copy_(np.ndarray((2, 3), np.float64, np.zeros(3), 0, (0, 8)), np.zeros((2, 3)))


def test_resize_keeps_the_storage_while_it_suffices() -> None:
    x = np.arange(6.0)
    y = F.resize_(x, [2, 2])
    assert storage(y) is storage(x)
    assert y.tolist() == [[0, 1], [2, 3]]
    z = F.resize_(x, [8])
    assert z[:6].tolist() == x.tolist()


def test_numbers_and_lists() -> None:
    assert F.item(np.array([[2.5]])) == 2.5
    assert type(F.item(np.array(1, ml_dtypes.bfloat16))) is float
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        F.item(np.zeros(2))
    assert F.tolist(np.array([[1, 2]])) == [[1, 2]]
    assert F.number_to_tensor(2.5).dtype == np.float64
    assert F.scalar_tensor(3).dtype == np.float32


def test_other_devices_are_named() -> None:
    with pytest.raises(RuntimeError, match="device 'cuda:1' is not available"):
        F.zeros([2], None, None, Device("cuda:1"))
    with pytest.raises(RuntimeError, match="device 'meta' is not available"):
        F.to_prim_device(np.zeros(2), Device("meta"))


@pytest.mark.interop
@pytest.mark.parametrize("target", NAMES)
def test_conversions_against_pytorch(target: str) -> None:
    for name in NAMES:
        for x in list(layouts(name))[:4]:
            check("aten::to.dtype", x, CODES[target], False, False, None)
            check("aten::to.dtype", x, CODES[target], False, True, 1)
            check("aten::copy_", np.zeros((3, 4), dtypes.by_name(target).numpy), x, False)
        wide = np.array([3e9, -3e9, 70000.5, 1e19, nan, -inf, 0.5, -0.5])
        if name in ("float32", "float64", "bfloat16"):
            check("aten::to.dtype", wide.astype(dtypes.by_name(name).numpy), CODES[target], False, False, None)


LIKE: list[tuple[Any, ...]] = [
    ("zeros_like", None, None, None, None, None), ("ones_like", 3, None, None, None, 0),
    ("ones_like", None, None, None, None, 2), ("full_like", 2, None, None, None, None, None),
    ("full_like", 300, None, None, None, None, None), ("full_like", nan, 4, None, None, None, None), ("clone", None),
    ("clone", 0), ("clone", 2), ("contiguous", 0), ("contiguous", 2), ("fill_.Scalar", 1.5), ("fill_.Scalar", -1),
    ("fill_.Scalar", 1000), ("fill_.Tensor", np.array(2.7)), ("zero_",), ("new_full", [2], 3, None, None, None, None),
    ("new_zeros", [2, -1], None, None, None, None), ("hash_tensor", [], False, 0), ("hash_tensor", [0], True, 0),
]  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("case", LIKE, ids=lambda c: f"{c[0]}-{c[1:]}")
def test_tensors_like_others_against_pytorch(case: tuple[Any, ...]) -> None:
    for name in ("float32", "uint8", "complex64"):
        for x in layouts(name):
            if case[0] != "hash_tensor" or name != "complex64":
                check(f"aten::{case[0]}", x, *case[1:])


@pytest.mark.interop
@pytest.mark.parametrize("name", ["float32", "float64", "int64", "int32", "uint8", "bfloat16", "float16", None])
def test_ranges_against_pytorch(name: str | None) -> None:
    rest = (None if name is None else CODES[name], None, None, None)
    whole = name is not None and not name.startswith(("float", "bfloat"))
    for bounds in ((0, 10, 3), (0.0, 1.0, 0.1), (1, 2.05, 0.35), (10, 0, -3), (0, 5, -1), (0, 1, 0), (2.5, 7.9, 1)):
        if whole and any(isinstance(b, float) for b in bounds):
            continue  # a step that becomes 0 ends the process
        check("aten::arange.start_step", *bounds, *rest)
        check("aten::range.step", *bounds, *rest)
    for start, end, steps in ((0, 1, 5), (-3, 7.5, 4), (2, 2, 3), (0, 9, 1), (0, 9, 0), (5, -5, 11)):
        if name not in ("bfloat16", "float16") and (name != "uint8" or start >= 0 <= end):
            check("aten::linspace", start, end, steps, *rest)
        if name not in ("bfloat16", "float16", "uint8"):
            check("aten::logspace", start / 4, end / 4, steps, 10.0, *rest)
    check("aten::eye.m", 3, 4, *rest)
    check("aten::tril_indices", 3, 4, 1, CODES["int64"], None, None, None)
    check("aten::triu_indices", 3, 4, -1, CODES["int32"], None, None, None)


@pytest.mark.interop
@pytest.mark.parametrize("window", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
def test_windows_against_pytorch(window: str) -> None:
    for n in (0, 1, 2, 7):
        check(f"aten::{window}_window", n, None, None, None, None)
        check(f"aten::{window}_window.periodic", n, False, CODES["float64"], None, None, None)


@pytest.mark.interop
def test_complex_parts_against_pytorch() -> None:
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    check("aten::complex", x, x[:1])
    check("aten::polar", np.abs(x), x)
    check("aten::complex", x, x.astype(np.float64))
    check("aten::view_as_complex", copied(np.stack([x, x], -1)))
