"""Numbers that depend on the inputs: arithmetic of TorchScript's int (int64), float (double) and bool on values of rank
0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir import operators
from linstock.ir.errors import ExportError

INT, FLOAT, BOOL = 4, 7, 11
_CODES = {int: INT, float: FLOAT, bool: BOOL}


def number(b: Builder, v: Any) -> Sym:
    """A number as a Sym of rank 0: int64, double or bool."""
    if isinstance(v, Sym):
        return v
    if type(v) not in _CODES:
        raise ExportError("arithmetic of complex numbers that depend on the inputs")
    return b.constant(v, _CODES[type(v)])


def _pair(b: Builder, x: Any, y: Any) -> tuple[Sym, Sym]:
    """Two numbers in one type: float if either is, else int."""
    codes = {number(b, v).dtype for v in (x, y)}
    code = FLOAT if codes & {5, 6, 7, 15} else INT if codes - {BOOL} else BOOL
    return b.cast(number(b, x), code), b.cast(number(b, y), code)


def _names(base: str, *kinds: str) -> list[str]:
    """The overloads of an operator that take numbers (those whose arguments are all of `kinds`, if given)."""
    found = [
        s
        for s in operators.schemas(base)
        if operators.family(s.full_name) == "scalar" and "complex" not in s.line and "str" not in s.overload
    ]
    return [s.full_name for s in found if not kinds or all(str(a.type) in kinds for a in s.arguments)]


def _as_is(x: Any, y: Any, neutral: int) -> Any:
    """The operand that stays as it is, the other being neutral; None if neither."""
    for v, other in ((x, y), (y, x)):
        if type(other) is int and other == neutral and isinstance(v, Sym) and v.dtype in (INT, FLOAT):
            return v
    return None


def _binary(base: str, kind: str, neutral: int | None = None) -> None:
    @converter(*_names(base))
    def convert(b: Builder, x: Any, y: Any) -> Any:
        same = None if neutral is None else _as_is(x, y, neutral)
        if same is not None and not (base == "aten::sub" and same is y):
            return same
        a, c = _pair(b, x, y)
        if a.dtype == BOOL and base in (
            "aten::add",
            "aten::sub",
            "aten::mul",
            "aten::lt",
            "aten::le",
            "aten::gt",
            "aten::ge",
        ):
            a, c = b.cast(a, INT), b.cast(c, INT)
        return b.op(kind, a, c)


for _base, _kind, _neutral in (
    ("aten::add", "Add", 0), ("aten::sub", "Sub", 0), ("aten::mul", "Mul", 1), ("aten::lt", "Less", None), ("aten::le", "LessOrEqual", None),
    ("aten::gt", "Greater", None), ("aten::ge", "GreaterOrEqual", None), ("aten::eq", "Equal", None),
):  # fmt: skip
    _binary(_base, _kind, _neutral)


@converter(*_names("aten::ne"))
def _ne(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Not", b.op("Equal", *_pair(b, x, y)))


def _list_equality(b: Builder, x: list[Any], y: list[Any]) -> Any:
    if len(x) != len(y):
        return False
    found: Any = True
    for a, c in zip(x, y, strict=True):
        if not isinstance(a, Sym) and not isinstance(c, Sym):
            if a != c:
                return False
            continue
        if isinstance(a, Sym) and isinstance(c, Sym) and a.dim is not None and a.dim == c.dim:
            continue
        one = b.op("Equal", *_pair(b, a, c))
        found = one if found is True else b.op("And", found, one)
    return found


@converter("eq.int_list|float_list|bool_list")
def _eq_lists(b: Builder, x: list[Any], y: list[Any]) -> Any:
    return _list_equality(b, x, y)


@converter("ne.int_list|float_list|bool_list")
def _ne_lists(b: Builder, x: list[Any], y: list[Any]) -> Any:
    same = _list_equality(b, x, y)
    return b.op("Not", same) if isinstance(same, Sym) else not same


def _extremes(base: str, kind: str) -> None:
    @converter(*_names(base))
    def convert(b: Builder, x: Any, y: Any = None) -> Any:
        items = list(x) if isinstance(x, list) else [x, y]
        result = items[0]
        for v in items[1:]:
            result = b.op(kind, *_pair(b, result, v))
        return result


_extremes("prim::max", "Max")
_extremes("prim::min", "Min")


@converter(*_names("aten::div"))
def _div(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Div", b.cast(number(b, x), FLOAT), b.cast(number(b, y), FLOAT))


@converter(*_names("aten::floordiv"))
def _floordiv(b: Builder, x: Any, y: Any) -> Any:
    if type(y) is int and y == 1 and isinstance(x, Sym) and x.dtype == INT:
        return x
    a, c = _pair(b, x, y)
    if a.dtype == FLOAT:
        return b.op("Floor", b.op("Div", a, c))
    if isinstance(x, Sym) and x.dim is not None and type(y) is int and y > 0:
        return b.op("Div", a, c)  # sizes are not negative: ONNX's division, which truncates, does
    return b.op("Div", b.op("Sub", a, b.op("Mod", a, c)), c)


@converter("__round_to_zero_floordiv.int")
def _truncated(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Div", *_pair(b, x, y))


@converter(*_names("aten::remainder"), *_names("aten::mathremainder", "int"))
def _remainder(b: Builder, x: Any, y: Any) -> Sym:
    a, c = _pair(b, x, y)
    if a.dtype != FLOAT:
        return b.op("Mod", a, c)
    return b.op("Sub", a, b.op("Mul", c, b.op("Floor", b.op("Div", a, c))))


@converter(*_names("aten::fmod"))
def _fmod(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Mod", b.cast(number(b, x), FLOAT), b.cast(number(b, y), FLOAT), fmod=1)


@converter(*[n for n in _names("aten::pow") if not n.endswith("int_to_int")])
def _pow(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Pow", b.cast(number(b, x), FLOAT), b.cast(number(b, y), FLOAT))


@converter("pow.int_to_int")
def _pow_int(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Pow", number(b, x), number(b, y))


@converter(*_names("aten::neg"))
def _neg(b: Builder, x: Any) -> Sym:
    return b.op("Neg", x)


@converter(*_names("prim::abs"), *_names("aten::fabs"))
def _abs(b: Builder, x: Any) -> Sym:
    return b.op("Abs", x)


def _logic(name: str, boolean: str, integer: str) -> None:
    @converter(f"{name}.bool")
    def convert(b: Builder, x: Any, y: Any) -> Sym:
        return b.op(boolean, b.cast(number(b, x), BOOL), b.cast(number(b, y), BOOL))

    @converter(f"{name}.int")
    def bitwise(b: Builder, x: Any, y: Any) -> Sym:
        return b.op(integer, number(b, x), number(b, y))


_logic("__and__", "And", "BitwiseAnd")
_logic("__or__", "Or", "BitwiseOr")
_logic("__xor__", "Xor", "BitwiseXor")


@converter("__lshift__.int")
def _left(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Mul", number(b, x), b.op("Pow", np.asarray(2), number(b, y)))


@converter("__rshift__.int")
def _right(b: Builder, x: Any, y: Any) -> Any:
    return _floordiv(b, x, b.op("Pow", np.asarray(2), number(b, y)))


@converter("__not__")
def _not(b: Builder, x: Any) -> Sym:
    return b.op("Not", b.cast(number(b, x), BOOL))


def _scalar_of(b: Builder, x: Any, code: int) -> Sym:
    value = b.sym(x)
    if value.rank != 0:
        value = b.op("Reshape", value, b.ints())
    return b.cast(value, code)


@converter(*_names("aten::Int"), *_names("aten::IntImplicit"))
def _int(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, INT)


@converter(*_names("aten::Float"), *_names("aten::FloatImplicit"))
def _float(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, FLOAT)


@converter(*_names("aten::Bool"))
def _bool(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, BOOL)


@converter("is_nonzero")
def _is_nonzero(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, BOOL)


@converter("item", "ScalarImplicit")
def _item(b: Builder, x: Any) -> Sym:
    code = INT if x.dtype in (0, 1, 2, 3, 4) else BOOL if x.dtype == BOOL else FLOAT
    return _scalar_of(b, x, code)


@converter("__range_length")
def _range_length(b: Builder, low: Any, high: Any, step: Any) -> Any:
    if isinstance(step, Sym):
        raise ExportError("range() with a step that depends on the inputs")
    if type(low) is int and low == 0 and step == 1:
        return high if high.dim is not None else b.op("Max", high, np.asarray(0))
    span = b.op("Sub", number(b, high), number(b, low))
    count = _floordiv(b, b.op("Add", span, np.asarray(step - 1 if step > 0 else step + 1)), step)
    return b.op("Max", count, np.asarray(0))


@converter("__derive_index")
def _derive_index(b: Builder, index: Any, start: Any, step: Any) -> Any:
    scaled = index if type(step) is int and step == 1 else b.op("Mul", number(b, index), number(b, step))
    return scaled if type(start) is int and start == 0 else b.op("Add", number(b, start), scaled)


def _function(base: str, kind: str, to: int = FLOAT) -> None:
    @converter(*[n for n in _names(base) if n.endswith((".float", ".int", ".Scalar"))])
    def convert(b: Builder, x: Any) -> Sym:
        return b.cast(b.op(kind, b.cast(number(b, x), FLOAT)), to)


for _base, _kind in (
    ("sqrt", "Sqrt"), ("exp", "Exp"), ("log", "Log"), ("sin", "Sin"), ("cos", "Cos"), ("tan", "Tan"), ("tanh", "Tanh"), ("sinh", "Sinh"),
    ("cosh", "Cosh"), ("asin", "Asin"), ("acos", "Acos"), ("asinh", "Asinh"), ("acosh", "Acosh"), ("atanh", "Atanh"), ("erf", "Erf"),
):  # fmt: skip
    _function(f"aten::{_base}", _kind)
for _base, _kind in (("ceil", "Ceil"), ("floor", "Floor")):
    _function(f"aten::{_base}", _kind, INT)
_function("aten::round", "Round")
_function("aten::isnan", "IsNaN", BOOL)
_function("aten::isinf", "IsInf", BOOL)
no_form("aten::divmod", "aten::modf", "aten::frexp", reason="it is not written for numbers that depend on the inputs")


@converter("sum.int|float|bool")
def _sum(b: Builder, values: list[Any]) -> Any:
    total: Any = number(b, values[0])
    for v in values[1:]:
        total = b.op("Add", *_pair(b, total, v))
    return b.cast(total, INT) if total.dtype == BOOL else total


def _quantified(base: str, kind: str) -> None:
    @converter(f"{base}.int|float|bool")
    def convert(b: Builder, values: list[Any]) -> Any:
        found = b.cast(number(b, values[0]), BOOL)
        for v in values[1:]:
            found = b.op(kind, found, b.cast(number(b, v), BOOL))
        return found


_quantified("all", "And")
_quantified("any", "Or")
