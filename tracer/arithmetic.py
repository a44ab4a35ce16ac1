"""Python's operators as operators of the graph: which one is meant, by the types of the operands."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Builder, Value
from linstock.ir.source import Span
from linstock.tracer import formatting
from linstock.tracer.values import MethodRef, SimpleValue, Sugared

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter

#: operator, and the method that a class defines for it
BINARY = {
    ast.Add: ("aten::add", "__add__"), ast.Sub: ("aten::sub", "__sub__"), ast.Mult: ("aten::mul", "__mul__"),
    ast.Div: ("aten::div", "__truediv__"), ast.FloorDiv: ("aten::floordiv", "__floordiv__"),
    ast.Mod: ("aten::remainder", "__mod__"), ast.Pow: ("aten::pow", "__pow__"),
    ast.MatMult: ("aten::matmul", "__matmul__"), ast.BitAnd: ("aten::__and__", "__and__"),
    ast.BitOr: ("aten::__or__", "__or__"), ast.BitXor: ("aten::__xor__", "__xor__"),
    ast.LShift: ("aten::__lshift__", "__lshift__"), ast.RShift: ("aten::__rshift__", "__rshift__"),
}  # fmt: skip
IN_PLACE = {
    ast.Add: "aten::add_", ast.Sub: "aten::sub_", ast.Mult: "aten::mul_", ast.Div: "aten::div_",
    ast.Mod: "aten::remainder_", ast.Pow: "aten::pow_", ast.BitAnd: "aten::__iand__", ast.BitOr: "aten::__ior__",
    ast.BitXor: "aten::__ixor__", ast.LShift: "aten::__ilshift__", ast.RShift: "aten::__irshift__",
    ast.FloorDiv: "aten::floor_divide_",
}  # fmt: skip
COMPARE = {
    ast.Eq: ("aten::eq", "__eq__"), ast.NotEq: ("aten::ne", "__ne__"), ast.Lt: ("aten::lt", "__lt__"),
    ast.LtE: ("aten::le", "__le__"), ast.Gt: ("aten::gt", "__gt__"), ast.GtE: ("aten::ge", "__ge__"),
}  # fmt: skip
_UNARY = {
    ast.USub: ("aten::neg", "__neg__"),
    ast.Invert: ("aten::bitwise_not", "__invert__"),
    ast.UAdd: ("", "__pos__"),
}
_NUMBERS = (T.INT, T.FLOAT, T.COMPLEX, T.NUMBER, T.BOOL)
#: for a number on the left and a tensor on the right: the operator with the operands exchanged
_EXCHANGED = {
    ast.Add: "aten::add", ast.Mult: "aten::mul", ast.Sub: "aten::rsub", ast.BitAnd: "aten::__and__",
    ast.BitOr: "aten::__or__", ast.BitXor: "aten::__xor__",
}  # fmt: skip
_MIRRORED: dict[type, str] = {ast.Lt: "aten::gt", ast.LtE: "aten::ge", ast.Gt: "aten::lt", ast.GtE: "aten::le"}


def binary(e: ExpressionEmitter, op: type, left: Sugared, right: Sugared, span: Span) -> Value:
    """`left op right`. Raises CompileError for operands that the operator does not take."""
    name, method = BINARY[op]  # type: ignore[index]
    a = left.value(e, span)
    if isinstance(a.type, T.ClassType):
        if method in a.type.methods or not isinstance(right.value(e, span).type, T.ClassType):
            return left.attr(e, span, method).call(e, span, [right], {}).value(e, span)
    b = right.value(e, span)
    if isinstance(b.type, T.ClassType):
        reflected = method.replace("__", "__r", 1)
        return right.attr(e, span, reflected).call(e, span, [left], {}).value(e, span)
    if op is ast.Mod and a.type == T.STRING:
        return formatting.percent(e, span, a, b)
    if op is ast.Mult and T.STRING in (a.type, b.type) and T.INT in (a.type, b.type):
        text, count = (a, b) if a.type == T.STRING else (b, a)
        many = e.call_operator(span, "aten::mul", [e.list_of([text], T.STRING), count], {})
        return e.call_operator(span, "aten::join", [e.builder.constant(""), many], {})
    if isinstance(a.type, T.TupleType) and isinstance(b.type, T.TupleType) and op is ast.Add:
        parts = e.unpack_tuple(a) + e.unpack_tuple(b)
        return e.at(span).value("prim::TupleConstruct", parts, T.TupleType(tuple(p.type for p in parts)))
    if isinstance(a.type, T.TupleType) and op is ast.Mult and b.is_constant and b.type == T.INT:
        parts = e.unpack_tuple(a) * b.constant
        return e.at(span).value("prim::TupleConstruct", parts, T.TupleType(tuple(p.type for p in parts)))
    if op is ast.FloorDiv and (isinstance(a.type, T.TensorType) or isinstance(b.type, T.TensorType)):
        name = "aten::floor_divide"
        if not isinstance(a.type, T.TensorType):
            a = e.builder.op(
                "aten::scalar_tensor",
                a,
                *([e.builder.constant(dtypes.by_name("int64").code)] if a.type == T.INT else []),
            )
    elif isinstance(b.type, T.TensorType) and a.type in _NUMBERS:
        if op in _EXCHANGED:
            return e.call_operator(span, _EXCHANGED[op], [b, a], {})
        if op is ast.Div:
            return e.call_operator(span, "aten::mul", [e.call_operator(span, "aten::reciprocal", [b], {}), a], {})
        if op in (ast.LShift, ast.RShift):
            a = e.builder.op("aten::scalar_tensor", a, e.builder.op("prim::dtype", b))
    return e.call_operator(span, name, [a, b], {})


def in_place(e: ExpressionEmitter, op: ast.operator, have: Value, right: Sugared, span: Span) -> Value:
    """`have op= right`: in place for tensors and lists, a new value for everything else."""
    method = BINARY[type(op)][1].replace("__", "__i", 1)
    if isinstance(have.type, T.ClassType) and method in have.type.methods:
        return MethodRef(have, method).call(e, span, [right], {}).value(e, span)
    value = right.value(e, span)
    listed = isinstance(have.type, T.ListType) and type(op) in (ast.Add, ast.Mult)
    if (isinstance(have.type, T.TensorType) or listed) and type(op) in IN_PLACE:
        return e.call_operator(span, IN_PLACE[type(op)], [have, value], {})
    if isinstance(have.type, T.DictType) and isinstance(op, ast.BitOr):
        e.call_operator(span, "aten::update", [have, value], {})
        return have
    return binary(e, type(op), SimpleValue(have), right, span)


def unary(e: ExpressionEmitter, op: ast.unaryop, operand: Sugared, span: Span) -> Value:
    """`-x`, `+x`, `~x`."""
    name, method = _UNARY[type(op)]
    value = operand.value(e, span)
    if isinstance(value.type, T.ClassType):
        return operand.attr(e, span, method).call(e, span, (), {}).value(e, span)
    if isinstance(op, ast.UAdd):
        if value.type in _NUMBERS or isinstance(value.type, T.TensorType):
            return value
        raise CompileError(f"unary '+' cannot be applied to a value of type '{value.type.annotation()}'", span)
    if isinstance(op, ast.Invert) and value.type == T.INT:  # ~x == -x - 1
        return e.call_operator(
            span, "aten::sub", [e.call_operator(span, "aten::neg", [value], {}), e.builder.constant(1)], {}
        )
    return e.call_operator(span, name, [value], {})


def contains(e: ExpressionEmitter, span: Span, item: Sugared, container: Sugared) -> Value:
    """`item in container`, as a bool."""
    if not isinstance(container, SimpleValue) or isinstance(container.it.type, T.TupleType):
        items = container.elements(e, span)
        if items is not None:
            values = [i.value(e, span) for i in items]
            wanted = item.value(e, span)
            if all(T.unify(v.type, wanted.type) is not None for v in values) and values:
                listed, t = e.common(values, None, span)
                container = SimpleValue(e.list_of(listed, t.element))
            else:
                return _among(e, span, wanted, values)
    it = container.value(e, span)
    if isinstance(it.type, T.ClassType):
        return container.attr(e, span, "__contains__").call(e, span, [item], {}).value(e, span)
    value = item.value(e, span)
    if it.type == T.STRING:
        place = e.call_operator(span, "aten::find", [it, value], {})
        return e.call_operator(span, "aten::ne", [place, e.builder.constant(-1)], {})
    if isinstance(it.type, T.ListType) and not isinstance(it.type.element, T.TensorType):
        if it.type.element not in (T.INT, T.FLOAT, T.STRING):
            return _in_list(e, span, value, it)
    if isinstance(it.type, T.TensorType):
        found = e.call_operator(span, "aten::any", [e.call_operator(span, "aten::eq", [it, value], {})], {})
        return e.call_operator(span, "aten::Bool", [found], {})
    return e.call_operator(span, "aten::__contains__", [it, value], {})


def _in_list(e: ExpressionEmitter, span: Span, value: Value, listed: Value) -> Value:
    """Membership in a list without an operator for it (of bools, tuples, enum members, objects)."""
    if listed.node.kind == "prim::ListConstruct" and not listed.uses:
        return _among(e, span, value, listed.node.inputs)
    length = e.call_operator(span, "aten::len", [listed], {})
    node = e.at(span).node("prim::Loop", (length, e.builder.constant(True), e.builder.constant(False)))
    body = node.add_block()
    index = body.add_input(T.INT, "i")
    body.add_input(T.BOOL)
    before, e.builder = e.builder, Builder(body, span)
    try:
        item = e.call_operator(span, "aten::__getitem__", [listed, index], {})
        same = e.truth(SimpleValue(compare(e, span, ast.Eq(), SimpleValue(item), SimpleValue(value))), span).value
        going = e.builder.op("aten::__not__", same)
    finally:
        e.builder = before
    body.add_output(going)
    body.add_output(same)
    return node.add_output(T.BOOL)


def _among(e: ExpressionEmitter, span: Span, value: Value, values: list[Value]) -> Value:
    """Membership in a tuple of several types: only elements of the value's own type can be equal to it."""
    result = e.builder.constant(False)
    for v in values:
        if v.type == value.type or {v.type, value.type} <= {T.INT, T.FLOAT, T.BOOL}:
            one = e.truth(SimpleValue(compare(e, span, ast.Eq(), SimpleValue(v), SimpleValue(value))), span).value
            result = e.builder.op("aten::__or__.bool", result, one)
    return result


def compare(e: ExpressionEmitter, span: Span, op: ast.cmpop, a: Sugared, b: Sugared) -> Value:
    """`a < b` and so on, as whatever the operator gives (a tensor for tensors)."""
    name, method = COMPARE[type(op)]
    x = a.value(e, span)
    if isinstance(x.type, T.ClassType):
        if isinstance(op, ast.NotEq) and method not in x.type.methods and "__eq__" in x.type.methods:
            same = a.attr(e, span, "__eq__").call(e, span, [b], {})
            return e.builder.op("aten::__not__", e.truth(same, span).value)
        return a.attr(e, span, method).call(e, span, [b], {}).value(e, span)
    y = b.value(e, span)
    if isinstance(x.type, T.TupleType) and isinstance(y.type, T.TupleType) and isinstance(op, (ast.Eq, ast.NotEq)):
        return _tuples_equal(e, span, x, y, isinstance(op, ast.Eq))
    if isinstance(y.type, T.TensorType) and x.type in _NUMBERS:
        x, y, name = y, x, _MIRRORED.get(type(op), name)
    if isinstance(op, (ast.Eq, ast.NotEq)) and x.is_constant and y.is_constant and x.type == y.type == T.STRING:
        return e.at(span).constant((x.constant == y.constant) is isinstance(op, ast.Eq))
    if isinstance(op, (ast.Eq, ast.NotEq)) and _never_equal(x.type, y.type):
        return e.at(span).constant(isinstance(op, ast.NotEq))
    return e.call_operator(span, name, [x, y], {})


def _never_equal(a: T.Type, b: T.Type) -> bool:
    """Whether values of these types cannot be equal, as None and a number."""
    plain = (T.INT, T.FLOAT, T.BOOL, T.STRING, T.COMPLEX)
    if T.NONE in (a, b):
        return a != b and (a in plain or b in plain or isinstance(a, (T.ListType, T.DictType, T.TupleType)))
    return (a == T.STRING) != (b == T.STRING) and a in plain and b in plain


def _tuples_equal(e: ExpressionEmitter, span: Span, x: Value, y: Value, equal: bool) -> Value:
    xs, ys = e.unpack_tuple(x), e.unpack_tuple(y)
    result = e.builder.constant(len(xs) == len(ys))
    for a, b in zip(xs, ys, strict=False):
        one = e.truth(SimpleValue(compare(e, span, ast.Eq(), SimpleValue(a), SimpleValue(b))), span).value
        result = e.builder.op("aten::__and__.bool", result, one)
    return result if equal else e.builder.op("aten::__not__", result)
