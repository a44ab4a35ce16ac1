"""Operators on Python numbers: C's arithmetic under Python's names; then PyTorch over a table."""

from __future__ import annotations

import itertools
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of
from linstock.ir import operators

from .oracle import compare

inf, nan = math.inf, math.nan
MAX, MIN = 2**63 - 1, -(2**63)


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(name)(*arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "want"),
    [
        ("aten::add.int", (MAX, 1), MIN),
        ("aten::mul.int", (2**62, 4), 0),
        ("aten::sub.int", (MIN, 1), MAX),
        ("aten::neg.int", (MIN,), MIN),
        ("aten::add", (1, 2.5), 3.5),
        ("aten::div.int", (7, 2), 3.5),
        ("aten::div.int", (7, 0), inf),
        ("aten::div.float", (-1.0, 0.0), -inf),
        ("aten::floordiv.int", (-7, 2), -4),
        ("aten::floordiv.float", (7.5, -2.0), -4.0),
        ("aten::floordiv.float", (7.5, 0.0), inf),
        ("aten::remainder.int", (-7, 2), 1),
        ("aten::remainder.float", (-7.5, 2.0), 0.5),
        ("aten::fmod.int", (-7, 2), -1.0),
        ("aten::mathremainder.int", (7, 2), -1.0),
        ("aten::__round_to_zero_floordiv.int", (-7, 2), -3),
        ("aten::divmod.int", (-7, 2), (-4, 1)),
        ("aten::pow.int", (2, -1), 0.5),
        ("aten::pow.int_to_int", (2, 10), 1024),
        ("aten::pow.float", (2.0, 5000.0), inf),
        ("aten::round.float", (2.5,), 2.0),
        ("aten::floor.float", (-2.5,), -3),
        ("aten::ceil.float", (-2.5,), -2),
        ("aten::log.float", (0.0,), -inf),
        ("aten::exp.float", (1000.0,), inf),
        ("aten::gamma.float", (5.0,), 24.0),
        ("aten::gamma.float", (0.0,), inf),
        ("aten::factorial.int", (5,), 120),
        ("aten::sqrt.complex", (-1 + 0j,), 1j),
        ("aten::angle.float", (-1.0,), math.pi),
        ("aten::frexp", (-3.0,), (-0.75, 2)),
        ("aten::__lshift__.int", (1, 63), MIN),
        ("aten::__rshift__.int", (-5, 1), -3),
        ("aten::gcd.int", (-4, 6), 2),
        ("aten::eq.int_float", (MAX, 2.0**63), True),
        ("aten::lt", (1, 1.5), True),
        ("aten::Int.float", (-2.7,), -2),
        ("aten::Int.float", (inf,), MIN),
        ("aten::Int.str", ("-12",), -12),
        ("aten::Float.str", ("inf",), inf),
        ("aten::Float.str", ("1e5",), 1e5),
        ("aten::Float.str", ("0x10",), 16.0),
        ("aten::Complex.int_bool", (1, True), 1 + 1j),
        ("prim::max.int_float", (1, 2.5), 2.5),
        ("prim::min.int_list", ([1, 2], [1]), [1]),
        ("prim::max.self_int", ([1, 3, 2],), 3),
        ("prim::abs.complex", (3 + 4j,), 5.0),
        ("aten::mul.right_", (2, [1, 2]), [1, 2, 1, 2]),
        ("aten::__is__", (None, None), True),
        ("aten::__isnot__", (1, None), True),
    ],
)
def test_value(name: str, arguments: tuple[Any, ...], want: Any) -> None:
    got = call(name, *arguments)
    assert type(got) is type(want)
    assert got == want


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("aten::sqrt.float", (-1.0,)),
        ("aten::fmod.float", (1.0, 0.0)),
        ("aten::acosh.int", (0,)),
        ("aten::log.float_float", (-1.0, 2.0)),
        ("aten::pow.float", (-8.0, 1 / 3)),
    ],
)
def test_undefined_is_nan(name: str, arguments: tuple[Any, ...]) -> None:
    assert math.isnan(call(name, *arguments))


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("aten::floordiv.int", (1, 0), "division by 0"),
        ("aten::remainder.int", (1, 0), "ZeroDivisionError"),
        ("aten::divmod.float", (1.0, 0.0), "ZeroDivisionError"),
        ("aten::pow.int", (0, -1), "negative power"),
        ("aten::factorial.int", (-1,), "negative"),
        ("aten::floor.float", (inf,), "Cannot convert float inf"),
        ("aten::Int.str", ("1.5",), "invalid literal"),
        ("aten::Int.str", ("x",), "invalid literal"),
        ("aten::Float.str", ("1.5x",), "could not convert"),
        ("aten::Int.Scalar", (nan,), "without overflow"),
        ("aten::Int.Tensor", (np.array([1, 2]),), "2 elements"),
        ("aten::Int.Tensor", (np.array(nan),), "without overflow"),
        ("aten::Float.Tensor", (np.array(1j),), "without overflow"),
        ("aten::Bool.Tensor", (np.zeros(0),), "no values"),
        ("aten::Bool.Tensor", (np.zeros(2),), "more than one value"),
        ("aten::IntImplicit", (np.array(1.5),), "integral"),
        ("aten::FloatImplicit", (np.array([1.5]),), "dimension other than 0"),
        ("prim::max.self_int", ([],), "empty sequence"),
    ],
)
def test_errors(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=message):
        call(name, *arguments)


def test_from_arrays() -> None:
    assert call("aten::Int.Tensor", np.array([[3.7]])) == 3
    assert call("aten::Float.Tensor", np.array(2.5, ml_dtypes.bfloat16)) == 2.5
    assert type(call("aten::Float.Tensor", np.array(2.5, ml_dtypes.bfloat16))) is float
    assert call("aten::ScalarImplicit", np.array(True)) is True
    assert call("aten::Complex.Tensor_int", np.array(1.5), 2) == 1.5 + 2j


VALUES: dict[str, list[Any]] = {
    "int": [0, 1, -1, 5, -7],
    "float": [0.0, -0.0, 1.0, 2.5, -7.5, inf, nan],
    "bool": [True, False],
    "complex": [1 + 2j, -1j, -1.5 + 0.3j],
    "Scalar": [0, 1, -1, 2.5, -0.5, nan],
    "str": [
        "1",
        "1.5",
        "inf",
        "-inf",
        "nan",
        "abc",
        " 2",
        "2 ",
        "",
        "1e5",
        "0x1p3",
        ".5",
        "1e999",
        "99999999999999999999",
    ],
    "int[]": [[], [1], [1, 2], [3, 1]],
    "float[]": [[1.0], [1.0, nan], [2.0, 1.0]],
    "bool[]": [[True], [True, False]],
}
#: what PyTorch computes differently from its own declaration, or not at all (integer division by zero ends the process)
_EXCEPTIONS = (
    "aten::pow.int_to_int", "aten::pow.float_complex", "aten::pow.complex_float",
    "aten::divmod.int_float", "aten::divmod.float_int", "aten::log.Scalar_Scalar",
)  # fmt: skip
_BY_ZERO = (
    "aten::floordiv.int",
    "aten::floordiv",
    "aten::remainder.int",
    "aten::remainder",
    "aten::__round_to_zero_floordiv.int",
)


def _samples() -> dict[str, list[tuple[Any, ...]]]:
    table = {}
    for schema in (s for n in operators.full_names() if operators.family(n) == "scalar" for s in [operators.schema(n)]):
        line = str(schema).partition("(")[2].partition(") ->")[0]
        types = [a.split()[0] for a in line.split(", ")]
        if all(t in VALUES for t in types) and schema.full_name not in _EXCEPTIONS:
            table[schema.full_name] = list(itertools.product(*(VALUES[t] for t in types)))
    return table


@pytest.mark.interop
def test_as_pytorch() -> None:
    table = _samples()
    assert len(table) > 200
    for name, calls in table.items():
        for arguments in calls:
            if not (name in _BY_ZERO and arguments[1] == 0):
                compare(name, *arguments)
