"""Numbers that depend on the inputs: arithmetic of TorchScript's int, float and bool on values of rank 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.registry import converter
from linstock.ir import operators

_CODES = {int: 4, float: 7, bool: 11}


def _number(b: Builder, v: Any) -> Sym:
    return v if isinstance(v, Sym) else b.constant(np.asarray(v, {4: np.int64, 7: np.float64, 11: np.bool_}[_CODES[type(v)]]))


def _pair(b: Builder, x: Any, y: Any) -> tuple[Sym, Sym]:
    """Two numbers in one type: float if either is, else int."""
    a, c = _number(b, x), _number(b, y)
    code = 7 if 7 in (a.dtype, c.dtype) or 6 in (a.dtype, c.dtype) else 4 if 4 in (a.dtype, c.dtype) else 11
    return b.cast(a, code), b.cast(c, code)


def _names(base: str) -> list[str]:
    """The overloads of an operator that take numbers."""
    return [s.full_name for s in operators.schemas(base) if operators.family(s.full_name) == "scalar"]


def _binary(base: str, onnx_name: str) -> None:
    @converter(*_names(base))
    def convert(b: Builder, x: Any, y: Any) -> Sym:
        return b.op(onnx_name, *_pair(b, x, y))  # type: ignore[no-any-return]


for _base, _onnx in {
    "aten::add": "Add", "aten::sub": "Sub", "aten::mul": "Mul", "aten::lt": "Less", "aten::le": "LessOrEqual", "aten::gt": "Greater",
    "aten::ge": "GreaterOrEqual", "aten::eq": "Equal",
}.items():  # fmt: skip
    _binary(_base, _onnx)


@converter(*_names("aten::ne"))
def _ne(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Not", b.op("Equal", *_pair(b, x, y)))  # type: ignore[no-any-return]


def _extremes(base: str, onnx_name: str) -> None:
    def convert(b: Builder, x: Any, y: Any = None) -> Sym:
        items = list(x) if isinstance(x, list) else [x, y]
        result = _number(b, items[0])
        for v in items[1:]:
            result = b.op(onnx_name, *_pair(b, result, v))
        return result

    converter(*_names(base))(convert)


_extremes("prim::max", "Max")
_extremes("prim::min", "Min")


@converter(*_names("aten::div"))
def _div(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Div", b.cast(_number(b, x), 7), b.cast(_number(b, y), 7))  # type: ignore[no-any-return]


@converter(*_names("aten::floordiv"))
def _floordiv(b: Builder, x: Any, y: Any) -> Sym:
    a, c = _pair(b, x, y)
    if a.dtype == 7:
        return b.op("Floor", b.op("Div", a, c))  # type: ignore[no-any-return]
    return b.op("Div", b.op("Sub", a, b.op("Mod", a, c)), c)  # type: ignore[no-any-return]


@converter(*_names("aten::remainder"))
def _remainder(b: Builder, x: Any, y: Any) -> Sym:
    a, c = _pair(b, x, y)
    if a.dtype != 7:
        return b.op("Mod", a, c)  # type: ignore[no-any-return]
    return b.op("Sub", a, b.op("Mul", c, b.op("Floor", b.op("Div", a, c))))  # type: ignore[no-any-return]


@converter(*_names("aten::pow"))
def _pow(b: Builder, x: Any, y: Any) -> Sym:
    return b.op("Pow", b.cast(_number(b, x), 7), b.cast(_number(b, y), 7))  # type: ignore[no-any-return]


@converter(*_names("aten::neg"))
def _neg(b: Builder, x: Any) -> Sym:
    return b.op("Neg", x)  # type: ignore[no-any-return]


def _logic(name: str, onnx_name: str) -> None:
    @converter(name)
    def convert(b: Builder, x: Any, y: Any) -> Sym:
        return b.op(onnx_name, b.cast(_number(b, x), 11), b.cast(_number(b, y), 11))  # type: ignore[no-any-return]


_logic("aten::__and__.bool", "And")
_logic("aten::__or__.bool", "Or")
_logic("aten::__xor__.bool", "Xor")


@converter("aten::__not__")
def _not(b: Builder, x: Any) -> Sym:
    return b.op("Not", b.cast(_number(b, x), 11))  # type: ignore[no-any-return]


def _scalar_of(b: Builder, x: Any, code: int) -> Any:
    value = b.sym(x)
    if value.rank != 0:
        value = b.op("Reshape", value, np.asarray([], np.int64))
    return b.cast(value, code)


@converter(*_names("aten::Int"), *_names("aten::IntImplicit"))
def _int(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, 4)  # type: ignore[no-any-return]


@converter(*[n for n in _names("aten::Float") if n != "aten::Float.str"], *_names("aten::FloatImplicit"))
def _float(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, 7)  # type: ignore[no-any-return]


@converter(*_names("aten::Bool"))
def _bool(b: Builder, x: Any) -> Sym:
    return _scalar_of(b, x, 11)  # type: ignore[no-any-return]


@converter("aten::item", *_names("aten::ScalarImplicit"))
def _item(b: Builder, x: Any) -> Sym:
    code = 4 if x.dtype in (0, 1, 2, 3, 4) else 11 if x.dtype == 11 else 7
    return _scalar_of(b, x, code)  # type: ignore[no-any-return]


@converter("aten::__range_length")
def _range_length(b: Builder, low: Any, high: Any, step: Any) -> Sym:
    span = b.op("Sub", _number(b, high), _number(b, low))
    rounded = b.op("Sub", b.op("Add", span, _number(b, step)), np.asarray(1 if not isinstance(step, int) or step > 0 else -1, np.int64))
    count = _floordiv(b, rounded, step)
    return b.op("Max", count, np.asarray(0, np.int64))  # type: ignore[no-any-return]


@converter("aten::__derive_index")
def _derive_index(b: Builder, index: Any, start: Any, step: Any) -> Sym:
    return b.op("Add", _number(b, start), b.op("Mul", _number(b, index), _number(b, step)))  # type: ignore[no-any-return]


for _base, _onnx in {"aten::ceil": "Ceil", "aten::floor": "Floor", "aten::sqrt": "Sqrt", "aten::exp": "Exp", "aten::log": "Log"}.items():

    def _make(base: str = _base, onnx_name: str = _onnx) -> None:
        names = [n for n in _names(base) if n.endswith((".float", ".int", ".Scalar"))]

        @converter(*names)
        def convert(b: Builder, x: Any) -> Sym:
            made = b.op(onnx_name, b.cast(_number(b, x), 7))
            return b.cast(made, 4) if base in ("aten::ceil", "aten::floor") else made  # type: ignore[no-any-return]

    _make()
