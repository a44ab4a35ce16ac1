"""Elementwise kernels: promotion, integer and floating-point corner cases, activations; then PyTorch over a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array import pointwise as K
from linstock.backends.array import pointwise_activation as A
from linstock.backends.array import promotion

from .oracle import NAMES, compare, sample

inf, nan = math.inf, math.nan


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def f32(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


def i64(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


def equal(got: np.ndarray[Any, Any], want: Any, dtype: Any) -> None:
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(got.astype(np.complex128), np.asarray(want, np.complex128))


# promotion -----------------------------------------------------------------------------------------------------------


def dims(dtype: Any) -> np.ndarray[Any, Any]:
    return np.zeros(2, dtype)


def zero(dtype: Any) -> np.ndarray[Any, Any]:
    return np.zeros((), dtype)


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [
        (dims(np.float32), zero(np.float64), np.float32),
        (dims(np.int32), zero(np.int64), np.int32),
        (dims(np.int32), zero(np.float64), np.float64),
        (dims(np.int32), 2.5, np.float32),
        (dims(np.uint8), 2, np.uint8),
        (dims(bool), 2, np.int64),
        (dims(np.uint8), dims(np.int8), np.int16),
        (dims(np.float16), dims(ml_dtypes.bfloat16), np.float32),
        (dims(np.float16), 2.5, np.float16),
        (dims(np.float64), 1j, np.complex128),
        (dims(np.float32), zero(np.complex128), np.complex64),
        (dims(np.int64), 1j, np.complex64),
        (zero(np.int32), zero(np.int64), np.int64),
        (True, 2, np.int64),
    ],
)
def test_result_type(a: Any, b: Any, want: Any) -> None:
    assert promotion.result_type(a, b) == np.dtype(want)
    assert promotion.result_type(b, a) == np.dtype(want)


def test_results_of_rank_zero_are_arrays() -> None:
    x = np.array(4.0, np.float32)
    for y in (K.add(x, x), K.sqrt(x), K.div(x, 2), K.eq(x, x), A.relu(x), K.round_(x), K.frexp(x)[0], K.clamp(x, 0, 1)):
        assert isinstance(y, np.ndarray)
        assert y.shape == ()


def test_layout_follows_the_input() -> None:
    x = np.ones((4, 5), np.float32).T
    assert K.exp(x).strides == x.strides
    assert K.add(x, x).strides == x.strides


# arithmetic ----------------------------------------------------------------------------------------------------------


def test_sums() -> None:
    equal(K.add(i64(1, 2), f32(0.5, 0.5)), [1.5, 2.5], np.float32)
    equal(K.add(i64(1, 2), i64(3, 4), 2), [7, 10], np.int64)
    equal(K.rsub(i64(1, 2), 10, 3), [7, 4], np.int64)
    equal(K.add(np.array([250], np.uint8), 300), [(250 + 300) % 256], np.uint8)
    equal(K.mul(np.array([100], np.int8), 2), [-56], np.int8)
    equal(K.add(np.array([True]), np.array([True])), [True], bool)
    with pytest.raises(RuntimeError, match="alpha"):
        K.add(i64(1), i64(1), 0.5)
    with pytest.raises(RuntimeError, match="bool"):
        K.sub(np.array([True]), np.array([True]))
    with pytest.raises(RuntimeError, match="bool"):
        K.neg(np.array([True]))


def test_bfloat16_is_rounded_once() -> None:
    one, tiny = np.array([1.0], ml_dtypes.bfloat16), np.array([2.0**-9], ml_dtypes.bfloat16)
    # 1 + 3 * 2**-9 is exact in float32 and rounds up to 1 + 2**-7; rounded in between it would stay 1 + 2**-8 * 2
    equal(K.add(one, tiny, 3), [1 + 2.0**-7], ml_dtypes.bfloat16)
    assert K.sigmoid(one).dtype == ml_dtypes.bfloat16


def test_division() -> None:
    a, b = i64(7, -7, 7, -7), i64(2, 2, -2, -2)
    equal(K.div(a, b), [3.5, -3.5, -3.5, 3.5], np.float32)
    equal(K.div_mode(a, b, "floor"), [3, -4, -4, 3], np.int64)
    equal(K.div_mode(a, b, "trunc"), [3, -3, -3, 3], np.int64)
    equal(K.remainder(a, b), [1, 1, -1, -1], np.int64)
    equal(K.fmod(a, b), [1, -1, 1, -1], np.int64)
    equal(K.floor_divide(f32(7, -7, 7), f32(2, 2, 0)), [3, -4, inf], np.float32)
    for function in (K.floor_divide, K.remainder, K.fmod):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            function(a, 0)
    with pytest.raises(RuntimeError, match="rounding_mode"):
        K.div_mode(a, b, "up")
    with pytest.raises(RuntimeError, match="addcdiv"):
        K.addcdiv(a, a, b)


def test_powers() -> None:
    equal(K.pow_(i64(2, 1, -1, 0, 5), i64(-1, -3, -3, -1, 3)), [0, 1, -1, 0, 125], np.int64)
    equal(K.pow_scalar(f32(4, 9), 0.5), [2, 3], np.float32)
    equal(K.pow_scalar(i64(3, -3), 2.0), [9, 9], np.float32)
    equal(K.pow_of_scalar(2, f32(3, 4)), [8, 16], np.float32)
    equal(K.float_power(i64(2, 3), 2), [4, 9], np.float64)
    equal(K.square(np.array([True])), [1], np.int64)
    equal(K.ldexp(f32(1, -3), i64(3, -1)), [8, -1.5], np.float32)
    with pytest.raises(RuntimeError, match="negative integer powers"):
        K.pow_scalar(i64(2), -1)


def test_rounding() -> None:
    equal(K.round_(f32(0.5, 1.5, 2.5, -0.5)), [0, 2, 2, 0], np.float32)
    equal(K.round_decimals(f32(1234.5, 1250.0), -2), [1200, 1200], np.float32)
    equal(K.floor(i64(3, -3)), [3, -3], np.int64)
    equal(K.trunc(f32(-1.7, 1.7)), [-1, 1], np.float32)
    mantissa, exponent = K.frexp(f32(8, -0.75))
    equal(mantissa, [0.5, -0.75], np.float32)
    equal(exponent, [4, 0], np.int32)


def test_special_values() -> None:
    equal(K.clamp(f32(-2, nan, 5), 0.0, 1.0), [0, nan, 1], np.float32)
    equal(K.clamp(f32(1, 2), nan), [nan, nan], np.float32)
    equal(K.clamp(i64(1, 9), 2, 1), [1, 1], np.int64)
    equal(K.clamp(i64(1, 9), 2.5), [2.5, 9], np.float32)
    equal(K.nan_to_num(f32(nan, inf), 1.0), [1, np.finfo(np.float32).max], np.float32)
    equal(K.maximum(f32(1, nan), f32(nan, 1)), [nan, nan], np.float32)
    equal(K.fmax(f32(1, nan), f32(nan, 1)), [1, 1], np.float32)
    equal(K.heaviside(f32(-1, 0, 1), f32(7, 7, 7)), [0, 7, 1], np.float32)
    equal(K.sign(f32(-2, nan, 0)), [-1, 0, 0], np.float32)
    equal(K.sgn(np.array([3 + 4j, 0], np.complex64)), [np.complex64(0.6 + 0.8j), 0], np.complex64)
    equal(K.xlogy(f32(0, 0), f32(0, nan)), [0, nan], np.float32)
    equal(K.logaddexp(f32(-inf), f32(-inf)), [-inf], np.float32)
    assert K.isclose(f32(inf, 1, nan), f32(inf, 1 + 1e-6, nan)).tolist() == [True, True, False]
    assert K.isclose(f32(nan), f32(nan), equal_nan=True).tolist() == [True]
    with pytest.raises(RuntimeError, match="must not be None"):
        K.clamp(f32(1))


def test_bits() -> None:
    equal(K.left_shift(i64(1, 1, 1), i64(3, 64, -1)), [8, 0, 0], np.int64)
    equal(K.right_shift(i64(-5, 5), i64(1, 70)), [-3, 0], np.int64)
    equal(K.bitwise_and(np.array([True, False]), True), [True, False], bool)
    equal(K.bitwise_not(np.array([0, 255], np.uint8)), [255, 0], np.uint8)
    equal(K.gcd(i64(-12, 0), i64(18, 5)), [6, 5], np.int64)
    with pytest.raises(NotImplementedError):
        K.bitwise_or(f32(1), 1)


def test_comparisons() -> None:
    assert K.lt(i64(2, 3), 2.5).tolist() == [True, False]
    assert K.eq(np.array([44], np.uint8), 300).tolist() == [True]  # 300 wraps to 44
    assert K.ne(f32(nan), f32(nan)).tolist() == [True]
    assert K.eq(np.array([1j], np.complex64), 1j).tolist() == [True]
    with pytest.raises(NotImplementedError):
        K.lt(np.array([1j], np.complex64), 1j)


# activations: each against its definition ----------------------------------------------------------------------------

X = [-30.0, -5.0, -3.0, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0, 7.0, 30.0]


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def elu(x: float, alpha: float = 1.0, scale: float = 1.0) -> float:
    return scale * (x if x > 0 else alpha * math.expm1(x))


DEFINITIONS: list[tuple[Any, tuple[Any, ...], Any]] = [
    (A.relu, (), lambda x: max(x, 0)),
    (A.relu6, (), lambda x: min(max(x, 0), 6)),
    (A.hardtanh, (-2, 3), lambda x: min(max(x, -2), 3)),
    (A.leaky_relu, (0.1,), lambda x: x if x > 0 else 0.1 * x),
    (A.leaky_relu, (-2,), lambda x: x if x > 0 else -2 * x),
    (A.elu, (), elu),
    (A.selu, (), lambda x: elu(x, 1.6732632423543772, 1.0507009873554805)),
    (A.celu, (2.0,), lambda x: max(x, 0) + min(0, 2 * math.expm1(x / 2))),
    (K.sigmoid, (), sigmoid),
    (K.tanh, (), math.tanh),
    (A.silu, (), lambda x: x * sigmoid(x)),
    (A.gelu, ("none",), lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2))),
    (A.gelu, ("tanh",), lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    (A.softplus, (), lambda x: x if x > 20 else math.log1p(math.exp(x))),
    (A.softplus, (2, 5), lambda x: x if 2 * x > 5 else math.log1p(math.exp(2 * x)) / 2),
    (A.mish, (), lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    (A.log_sigmoid, (), lambda x: -math.log1p(math.exp(-x))),
    (A.hardsigmoid, (), lambda x: min(max(x + 3, 0), 6) / 6),
    (A.hardswish, (), lambda x: x * min(max(x + 3, 0), 6) / 6),
    (A.hardshrink, (0.5,), lambda x: x if abs(x) > 0.5 else 0),
    (A.softshrink, (0.5,), lambda x: math.copysign(max(abs(x) - 0.5, 0), x)),
    (A.threshold, (0.5, 20), lambda x: x if x > 0.5 else 20),
]


@pytest.mark.parametrize(("function", "arguments", "definition"), DEFINITIONS)
def test_activation(function: Any, arguments: tuple[Any, ...], definition: Any) -> None:
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 2e-6), (ml_dtypes.bfloat16, 1e-2)):
        x = np.array(X, dtype)
        got = function(x, *arguments)
        assert got.dtype == x.dtype
        want = [definition(float(v)) for v in x]
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance)
        np.testing.assert_array_equal(x.astype(np.float64), np.array(X, dtype).astype(np.float64))


@pytest.mark.parametrize(("function", "arguments", "definition"), DEFINITIONS)
def test_activation_of_many(function: Any, arguments: tuple[Any, ...], definition: Any) -> None:
    """Large arrays are computed in blocks: of any layout, with gaps too."""
    few = np.array([*X, nan], np.float32)
    want = np.array([definition(float(v)) if v == v else nan for v in few])
    many = np.resize(few, (300, 240))
    for x, expected in ((many, np.resize(want, many.shape)), (many.T, np.resize(want, many.shape).T)):
        got = function(x, *arguments)
        assert got.dtype == np.float32
        assert got.strides == x.strides
        np.testing.assert_allclose(got, expected, 3e-6, 2e-6)
    gaps = np.resize(few, (400, 480))[:, ::2]
    np.testing.assert_array_equal(function(gaps, *arguments), function(gaps.copy(), *arguments))


def test_erf_of_many() -> None:
    x = np.concatenate([np.linspace(-6, 6, 50_001), [inf, -inf, nan, 0.0]]).astype(np.float32)
    np.testing.assert_allclose(K.erf(x), [math.erf(v) for v in x.tolist()], rtol=6e-7)
    assert K.erf(x)[0] == -1
    assert K.erf(x)[-4] == 1


def test_activation_arguments() -> None:
    x = np.ones((2, 4), np.float32)
    assert A.glu(x, 1).shape == (2, 2)
    with pytest.raises(RuntimeError, match="even"):
        A.glu(np.ones((3, 2), np.float32), 0)
    with pytest.raises(RuntimeError, match="lambda"):
        A.softshrink(x, -1)
    with pytest.raises(RuntimeError, match="approximate"):
        A.gelu(x, "fast")
    with pytest.raises(NotImplementedError):
        A.gelu(i64(1))
    np.testing.assert_array_equal(A.prelu(-x, np.array([0.5, 1, 2, 3], np.float32)), [[-0.5, -1, -2, -3]] * 2)
    with pytest.raises(RuntimeError, match="channel"):
        A.prelu(x, np.ones(3, np.float32))


# PyTorch -------------------------------------------------------------------------------------------------------------

UNARY = (
    "abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "celu", "conj_physical",
    "cos", "cosh", "deg2rad", "elu", "erf", "erfc", "exp", "exp2", "expm1", "floor", "frac", "frexp.Tensor", "gelu",
    "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "isfinite", "isinf", "isnan", "isneginf", "isposinf",
    "isreal", "leaky_relu", "log", "log10", "log1p", "log2", "log_sigmoid", "logical_not", "logit", "mish",
    "nan_to_num", "neg", "positive", "rad2deg", "reciprocal", "relu", "relu6", "round", "rsqrt", "selu", "sgn",
    "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh", "softplus", "softshrink", "sqrt", "square", "tan",
    "tanh", "trunc",
)  # fmt: skip

BINARY = (
    "add.Tensor", "atan2", "bitwise_and.Tensor", "bitwise_left_shift.Tensor", "bitwise_or.Tensor",
    "bitwise_right_shift.Tensor", "bitwise_xor.Tensor", "copysign.Tensor", "div.Tensor", "eq.Tensor",
    "float_power.Tensor_Tensor", "floor_divide", "fmax", "fmin", "fmod.Tensor", "gcd", "ge.Tensor", "heaviside",
    "hypot", "isclose", "lcm", "le.Tensor", "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor",
    "lt.Tensor", "maximum", "minimum", "mul.Tensor", "ne.Tensor", "nextafter", "pow.Tensor_Tensor",
    "remainder.Tensor", "sub.Tensor", "xlogy.Tensor",
)  # fmt: skip

SCALAR = (
    "add.Scalar", "bitwise_and.Scalar", "bitwise_left_shift.Tensor_Scalar", "clamp_max", "clamp_min",
    "copysign.Scalar", "div.Scalar", "eq.Scalar", "floor_divide.Scalar", "fmod.Scalar", "lt.Scalar", "mul.Scalar",
    "pow.Tensor_Scalar", "remainder.Scalar", "rsub.Scalar", "sub.Scalar", "xlogy.Scalar_Other",
)  # fmt: skip


@pytest.mark.interop
@pytest.mark.parametrize("name", UNARY)
def test_unary_as_pytorch(name: str) -> None:
    for dtype in NAMES:
        for x in (sample(dtype), sample(dtype, ()), sample(dtype, (0, 2)), sample(dtype, (4, 6)).T):
            compare(f"aten::{name}", x)


@pytest.mark.interop
@pytest.mark.parametrize("name", BINARY)
def test_binary_as_pytorch(name: str) -> None:
    pairs = [(a, b) for a in NAMES for b in ("bool", "uint8", "int64", "float32", a)]
    for a, b in pairs + [("float16", "bfloat16"), ("complex64", "float64")]:
        for first, second in (((2, 3), (3,)), ((), (3,)), ((3,), ())):
            compare(f"aten::{name}", sample(a, first), sample(b, second, 1))


@pytest.mark.interop
@pytest.mark.parametrize("name", SCALAR)
def test_scalar_as_pytorch(name: str) -> None:
    for dtype in NAMES:
        for number in (True, 2, 0, -1, 300, 2.5, nan, 1 + 2j):
            for shape in ((3,), ()):
                compare(f"aten::{name}", sample(dtype, shape), number)


@pytest.mark.interop
@pytest.mark.parametrize("mode", [None, "floor", "trunc"])
def test_rounded_division_as_pytorch(mode: str | None) -> None:
    for a in NAMES:
        for b in ("uint8", "int64", "float32", a):
            compare("aten::div.Tensor_mode", sample(a), sample(b, seed=1), mode, keywords=("rounding_mode",))
            compare("aten::div.Scalar_mode", sample(a), -3, mode, keywords=("rounding_mode",))


@pytest.mark.interop
def test_other_arguments_as_pytorch() -> None:
    for a in NAMES:
        x, y, z = sample(a, (2, 3)), sample(a, (3,), 1), sample(a, (2, 1), 2)
        for alpha in (2, 0.5, True):
            compare("aten::add.Tensor", x, y, alpha, keywords=("alpha",))
        compare("aten::addcmul", x, y, z, 2, keywords=("value",))
        compare("aten::addcdiv", x, y, z, 2, keywords=("value",))
        compare("aten::lerp.Scalar", x, y, 0.3)
        compare("aten::lerp.Tensor", x, y, z)
        compare("aten::clamp", x, -1.5, 2)
        compare("aten::clamp.Tensor", x, y, z)
        compare("aten::clamp", x, None, 300)
        compare("aten::gelu", x, "tanh", keywords=("approximate",))
        compare("aten::round.decimals", x, 2, keywords=("decimals",))
        compare("aten::logit", x, 0.1)
        compare("aten::prelu", x, y)
        compare("aten::nan_to_num", x, 1.5, 2.5, -3.0)
        compare("aten::ldexp.Tensor", x, sample("int64", (3,), 3))
        compare("aten::pow.Scalar", 2, x)
        compare("aten::remainder.Scalar_Tensor", 7, x)
