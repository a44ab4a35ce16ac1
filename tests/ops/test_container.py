"""Lists, dicts, strings and the operators around them; then PyTorch's string methods over a table."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

from linstock.backends.array import text
from linstock.backends.array.derive import kernel_of
from linstock.ir import dtypes
from linstock.ir.device import Device

from .oracle import compare


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(f"aten::{name}")(*arguments)


# lists ---------------------------------------------------------------------------------------------------------------


def test_lists_are_changed_in_place() -> None:
    x = [1, 2, 3]
    assert call("append.t", x, 4) is x
    call("insert.t", x, -100, 0)
    call("extend.t", x, x)
    assert x == [0, 1, 2, 3, 4] * 2
    assert call("pop.t", x, -1) == 4
    call("remove.int", x, 0)
    call("reverse.t", x)
    assert x == [3, 2, 1, 0, 4, 3, 2, 1]
    assert call("_set_item.t", x, -1, 9) is x
    assert call("add_.t", x, [7]) is x
    assert call("mul_.t", x, 2) is x
    assert len(x) == 18
    call("clear.t", x)
    assert x == []


def test_lists_that_are_made() -> None:
    x = [3, 1, 2]
    assert call("sorted.int", x) == [1, 2, 3]
    assert call("sorted.any", [(2, "a"), (1, "b"), (1, "a")]) == [(1, "a"), (1, "b"), (2, "a")]
    assert call("slice.t", x, None, None, -1) == [2, 1, 3]
    assert call("slice.t", x, -100, 100, 2) == [3, 2]
    assert call("copy.t", x) == x
    assert call("copy.t", x) is not x
    assert call("add.t", x, [4]) == [3, 1, 2, 4]
    assert call("mul.left_t", [0], 3) == [0, 0, 0]
    assert call("list", "abc") == ["a", "b", "c"]
    assert call("__range_length", 5, 0, -2) == 3
    assert call("__derive_index", 2, 5, -2) == 1
    assert call("broadcast_shapes", [2, 1, 3], [4, 1]) == [2, 4, 3]
    assert x == [3, 1, 2]


def test_lists_that_are_asked() -> None:
    x = [1, 2, 2]
    assert call("len.t", x) == 3
    assert call("count.int", x, 2) == 2
    assert call("index.list_int", x, 2) == 1
    assert call("__contains__.int_list", x, 3) is False
    assert call("__contains__.float_list", [math.nan], math.nan) is False
    assert call("eq.int_list", x, [1, 2, 2]) is True
    assert call("ne.int_list", x, [1, 2]) is True
    assert call("sum.float", []) == 0.0
    assert call("sum.bool", [True, True]) == 2
    assert call("any.str", ["", "a"]) is True
    assert call("all.int", [1, 0]) is False
    assert call("eq.Tensor_list", [np.array(1)], [np.array(1)]) is True
    assert call("len.Tensor", np.zeros((4, 2))) == 4


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("__getitem__.t", ([1], 1), "list index out of range"),
        ("_set_item.t", ([1], -2, 0), "list index out of range"),
        ("pop.t", ([1], 3), "list index out of range"),
        ("pop.t", ([],), "pop from empty list"),
        ("remove.int", ([1], 2), "not in list"),
        ("index.list_int", ([1], 2), "'2' is not in list"),
        ("slice.t", ([1], 0, 1, 0), "non-zero step"),
        ("broadcast_shapes", ([2], [3]), "must match"),
        ("__getitem__.Dict_str", ({}, "z"), "KeyError: z"),
        ("pop.Dict_str", ({}, "z"), "KeyError: z"),
        ("popitem.str", ({},), "empty"),
        ("__getitem__.str", ("abc", 3), "out of range"),
        ("index.str", ("abc", "z"), "substring not found"),
        ("split.str", ("abc", ""), "empty separator"),
        ("center", ("a", 5, "ab"), "one character"),
        ("ord", ("ab",), "1 character"),
        ("format", ("{} {}", 1), "Too few"),
        ("percentFormat", ("%d", "a"), "number"),
        ("percentFormat", ("%x", 1), "not supported"),
        ("percentFormat", ("%d", 1, 2), "Too many"),
        ("len.Tensor", (np.array(1),), "0-d"),
        ("_unwrap_optional", (None,), "null optional"),
    ],
)
def test_errors(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((RuntimeError, IndexError, ValueError, TypeError), match=message):
        call(name, *arguments)


# dicts ---------------------------------------------------------------------------------------------------------------


def test_dicts() -> None:
    d = call("dict.str", [("b", 1), ("a", 2), ("b", 3)])
    assert list(d.items()) == [("b", 3), ("a", 2)]
    call("_set_item.str", d, "c", 4)
    assert call("keys.str", d) == ["b", "a", "c"]
    assert call("values.str", d) == [3, 2, 4]
    assert call("items.str", d)[0] == ("b", 3)
    assert call("get.str", d, "z") is None
    assert call("get.default_str", d, "z", 5) == 5
    assert call("__contains__.str", d, "a") is True
    assert call("setdefault.str", d, "q", 6) == 6
    assert call("pop.Dict_str", d, "q") == 6
    assert call("pop.Dict_default_str", d, "q", 7) == 7
    assert call("popitem.str", d) == ("b", 3)  # the first one
    call("update.str", d, {"a": 9})
    assert d == {"a": 9, "c": 4}
    copy = call("copy.Dict_str", d)
    call("clear.str", d)
    assert d == {}
    assert copy == {"a": 9, "c": 4}
    assert call("len.Dict_str", copy) == 2


# strings -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (1, "1"), (True, "True"), (None, "None"), ("a", "a"), (1.0, "1."), (-3.0, "-3."), (2.5, "2.5"),
        (0.1, "0.10000000000000001"), (1e20, "1e+20"), (1e16, "10000000000000000."), (math.inf, "inf"),
        (math.nan, "nan"),
        (2.5 - 3j, "2.5-3.j"), ([1, 2.0], "[1, 2.]"), ((1,), "(1,)"), ((1, "a"), "(1, a)"), ({"a": 1}, "{a: 1}"),
        (Device("cuda:1"), "cuda:1"),
    ],
)  # fmt: skip
def test_text_of(value: Any, want: str) -> None:
    assert call("str", value) == want
    assert call("format", "<{}>", value) == f"<{want}>"


def test_text_of_other_values_is_the_runtimes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(text, "format_value", lambda value: f"array{value.shape}")
    assert call("format", "{} {}", [np.zeros(2)], 1) == "[array(2,)] 1"
    kernel_of("prim::Print")("x", 1.0, np.zeros(3))
    assert capsys.readouterr().out == "x 1. array(3,)\n"


@pytest.mark.parametrize(
    ("array", "want"),
    [
        (np.array(0.5), "0.5\n[ CPUDoubleType{} ]"),
        (np.array([1, -20]), "  1\n-20\n[ CPULongType{2} ]"),
        (np.array([1.5, 100]), "   1.5000\n 100.0000\n[ CPUDoubleType{2} ]"),
        (np.array([0.001, 0.002]), "0.001 *\n 1.0000\n 2.0000\n[ CPUDoubleType{2} ]"),
        (np.array([[1, 2], [3, 4]], np.int32), " 1  2\n 3  4\n[ CPUIntType{2,2} ]"),
        (np.zeros((1, 1, 2), bool), "(1,.,.) = \n 0  0\n[ CPUBoolType{1,1,2} ]"),
        (np.zeros((2, 0), np.float32), "[ CPUFloatType{2,0} ]"),
    ],
)
def test_arrays_as_text(array: Any, want: str) -> None:
    assert call("str", array) == want


def test_formats() -> None:
    assert call("format", "{{}}", 1) == "{1}"
    assert call("format", "{}", 1, 2) == "1"
    assert (
        call("percentFormat", "%d %s %f %e %c %%", 3.7, [1.0], 1.5, 12345.678, 65) == "3 [1.] 1.500000 1.234568e+04 A %"
    )
    assert call("percentFormat", "%s-%s", (1, 2)) == "1-2"


def test_strings_count_bytes() -> None:
    assert call("len.str", "héllo") == 6
    assert call("slice.str", "héllo", 1, 3) == "é"
    assert call("upper", "héllo") == "HéLLO"
    assert call("find", "héllo", "llo") == 3
    assert call("ljust", "é", 4, "*") == "é**"
    first, second = call("__getitem__.str", "é", 0), call("__getitem__.str", "é", 1)
    assert call("add.str", first, second).encode("utf-8", "surrogateescape").decode() == "é"


def test_strings() -> None:
    assert call("find", "abcabc", "c", 3, -1) == 5  # -1: to the end
    assert call("zfill", "-5", 4) == "00-5"
    assert call("splitlines", "a\nb\r\nc") == ["a", "b", "", "c"]
    assert call("join", ", ", ["a", "b"]) == "a, b"
    assert call("hex", -5) == "-0x5"
    assert call("chr", 97) == "a"
    assert call("lt.str", "a", "b") is True


# control -------------------------------------------------------------------------------------------------------------


def test_control() -> None:
    assert call("promote_types", dtypes.int64.code, dtypes.float16.code) == dtypes.float16.code
    assert call("result_type.Scalar", np.zeros(2, np.int32), 2.5) == dtypes.float32.code
    assert call("can_cast", dtypes.float32.code, dtypes.int64.code) is False
    assert call("can_cast", dtypes.int8.code, dtypes.uint8.code) is True
    assert call("device.with_index", "cuda", 1) == Device("cuda:1")
    assert call("_size_if_not_equal", [1, 2], [1, 2]) is None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call("warn", "careful", 2)
    assert [str(w.message) for w in seen] == ["careful"]


# PyTorch -------------------------------------------------------------------------------------------------------------

STRINGS = (
    "",
    "a",
    "Hello World",
    "  sp aces \t",
    "123",
    "a1b2",
    "ABC",
    "one\ntwo\n",
    "a,b,,c",
    "aaa",
    "9id",
    "tab\tx",
    "héllo",
)
PARTS = ("a", "ab", "l", ",", "\n", "é")
CALLS: dict[str, list[tuple[Any, ...]]] = {
    **{
        n: [()]
        for n in ("capitalize", "isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isprintable")
    },
    **{n: [()] for n in ("isspace", "istitle", "isupper", "lower", "swapcase", "title", "upper", "len.str")},
    **{
        n: [(p, s, e) for p in PARTS for s in (0, -2) for e in (-1, 2)]
        for n in ("find", "index.str", "rfind", "rindex")
    },
    "count": [(p, 0, -1) for p in PARTS],
    **{n: [(p, 0, -1) for p in PARTS] for n in ("startswith", "endswith")},
    **{n: [(w, f) for w in (0, 5, 12) for f in (" ", "*")] for n in ("center", "ljust", "rjust")},
    **{n: [(" \n\t\f\v",), ("ab",), ("",)] for n in ("strip", "lstrip", "rstrip")},
    "replace": [(p, "X", m) for p in PARTS for m in (-1, 1)],
    "split.str": [(p, m) for p in (None, *PARTS) for m in (-1, 1)],
    "rsplit": [(p, m) for p in PARTS for m in (-1, 1)],
    "splitlines": [(False,), (True,)],
    "partition": [(p,) for p in PARTS],
    "rpartition": [(p,) for p in PARTS],
    "expandtabs": [(8,), (3,)],
    "zfill": [(2,), (9,)],
    "slice.str": [(a, b, c) for a in (None, 1, -2) for b in (None, 2, -1) for c in (1, 2, -1)],
    "__getitem__.str": [(0,), (-1,), (7,)],
    "list": [()],
    "ord": [()],
}


@pytest.mark.interop
@pytest.mark.parametrize("name", CALLS)
def test_strings_as_pytorch(name: str) -> None:
    for string, arguments in itertools.product(STRINGS, CALLS[name]):
        compare(f"aten::{name}", string, *arguments)
