"""Subtyping, unification, printing and parsing of types."""

from __future__ import annotations

import pytest

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.errors import GraphError
from linstock.ir.parser import parse_type
from linstock.ir.program import Parameter, Signature

CLASS = T.ClassType("__torch__.C", False)
INTERFACE = T.InterfaceType("__torch__.I", False)
ENUM = T.EnumType("__torch__.E", T.INT, {"A": 1})
NAMED = T.NamedTupleType((T.INT, T.TENSOR), "__torch__.N", ("a", "b"))
CLASSES: dict[str, T.Type] = {t.name: t for t in (CLASS, INTERFACE, ENUM, NAMED)}

ROUND_TRIP = [
    "int", "float", "complex", "bool", "str", "Device", "NoneType", "Scalar", "Any", "Generator", "Tensor", "int[]",
    "Tensor?", "Tensor?[]", "Tensor[]?", "int[][]", "Dict(str, int)", "Dict(str, Tensor[])", "(int, Tensor)", "(int)",
    "()", "((int, str)[], float?)", "Union(int, str)", "Future(Tensor)", "Await(int)", "RRef(int)", "Float(2, 3)",
    "Float()", "Float(*)", "Long(s0, 3)", "Tensor(2, s1)", "Float(2, 3, strides=[3, 1])",
    "Half(2, strides=[1], requires_grad=0, device=cuda:0)", "BFloat16(*, requires_grad=1)", "QInt8(4)",
    "Bool(2, device=cpu)", "ComplexFloat(3)", "__torch__.C", "__torch__.I[]", "Enum<__torch__.E>", "__torch__.N?",
    "AnyClassType", "AnyEnumType",
]  # fmt: skip


@pytest.mark.parametrize("text", ROUND_TRIP)
def test_types_round_trip(text: str) -> None:
    assert str(parse_type(text, CLASSES)) == text


def test_every_dtype_has_a_name() -> None:
    for d in dtypes.ALL:
        t = T.TensorType(d.code, (2,))
        assert parse_type(str(t)) == t
        assert dtypes.by_scalar_name(dtypes.scalar_name(d.code)) is d


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Foo", "column 1: there is no type Foo"),
        ("Dict(int)", "Dict takes 2 types"),
        ("Foo(2)", "there is no type Foo"),
        ("int[", "the text ends too early"),
        ("(int, Bar)", "column 7: there is no type Bar"),
    ],
)
def test_malformed_types(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message.replace("(", r"\(")):
        parse_type(text)


SUBTYPES = [
    ("int", "int"),
    ("int", "int?"),
    ("NoneType", "int?"),
    ("int", "Scalar"),
    ("float", "Scalar"),
    ("int", "Any"),
    ("Tensor[]", "Any"),
    ("Float(2, 3)", "Tensor"),
    ("Float(2, 3)", "Float(*)"),
    ("Float(2, 3)", "Tensor(s0, 3)"),
    ("Float(2)[]", "Tensor[]"),
    ("(int, Float(2))", "(Scalar, Tensor)"),
    ("__torch__.N", "(int, Tensor)"),
    ("Union(int, str)", "Union(str, int, float)"),
    ("int?", "Union(int, NoneType, str)"),
    ("int", "Union(int, str)"),
    ("__torch__.C", "AnyClassType"),
    ("Enum<__torch__.E>", "AnyEnumType"),
    ("Future(Float(2))", "Future(Tensor)"),
    ("__torch__.C", "__torch__.I"),
]  # fmt: skip
NO_SUBTYPES = [
    ("int?", "int"),
    ("bool", "int"),
    ("int", "float"),
    ("bool", "Scalar"),
    ("Tensor", "Float(*)"),
    ("Float(2)", "Long(2)"),
    ("Float(2)", "Float(3)"),
    ("Float(2)", "Float(2, 1)"),
    ("int[]", "int?[]"),
    ("int[]", "Scalar[]"),
    ("(int)", "(int, int)"),
    ("(int, Tensor)", "__torch__.N"),
    ("Dict(str, int)", "Dict(str, Any)"),
    ("Any", "int"),
    ("Union(int, str)", "int"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SUBTYPES)
def test_subtypes(a: str, b: str) -> None:
    assert T.is_subtype(parse_type(a, CLASSES), parse_type(b, CLASSES))


@pytest.mark.parametrize(("a", "b"), NO_SUBTYPES)
def test_no_subtypes(a: str, b: str) -> None:
    assert not T.is_subtype(parse_type(a, CLASSES), parse_type(b, CLASSES))


UNIFIED = [
    ("int", "int", "int"),
    ("int", "NoneType", "int?"),
    ("int?", "int", "int?"),
    ("Float(2)", "Float(3)", "Tensor"),
    ("Float(2)", "Tensor", "Tensor"),
    ("Float(2)[]", "Float(3)[]", "Tensor[]"),
    ("(int, NoneType)", "(int, str)", "(int, str?)"),
    ("int", "Scalar", "Scalar"),
    ("int", "str", None),
    ("int[]", "float[]", None),
    ("__torch__.N", "(int, Tensor)", "(int, Tensor)"),
    ("Future(int)", "Future(NoneType)", "Future(int?)"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "expected"), UNIFIED)
def test_unification(a: str, b: str, expected: str | None) -> None:
    for x, y in ((a, b), (b, a)):
        found = T.unify(parse_type(x, CLASSES), parse_type(y, CLASSES))
        assert (None if found is None else str(found)) == expected


def test_unification_into_a_union() -> None:
    assert str(T.unify(T.INT, T.STRING, into_union=True)) == "Union(int, str)"


def test_unions_are_normal() -> None:
    assert T.union((T.INT, T.NONE)) == T.OptionalType(T.INT)
    assert T.union((T.INT, T.INT)) == T.INT
    assert T.union((T.INT, T.FLOAT, T.COMPLEX)) == T.NUMBER
    assert T.union((T.OptionalType(T.INT), T.STRING)) == T.UnionType((T.STRING, T.NONE, T.INT))
    assert T.optional(T.OptionalType(T.INT)) == T.OptionalType(T.INT) and T.optional(T.ANY) is T.ANY
    assert T.without_none(T.UnionType((T.INT, T.STRING, T.NONE))) == T.UnionType((T.INT, T.STRING))


def test_type_variables() -> None:
    bound: dict[str, T.Type] = {}
    formal = T.ListType(T.VarType("t"))
    assert T.match_variables(formal, T.ListType(T.INT), bound) is None and bound == {"t": T.INT}
    assert T.substitute(formal, bound) == T.ListType(T.INT)
    assert "both int and str" in (T.match_variables(T.VarType("t"), T.STRING, bound) or "")
    assert T.substitute(T.VarType("u"), bound) is None


def test_interfaces_are_implemented_by_signature() -> None:
    def signature(*parameters: T.Type, returns: T.Type = T.TENSOR) -> Signature:
        return Signature(
            (Parameter("self", T.ANY), *(Parameter(f"p{i}", t) for i, t in enumerate(parameters))), returns
        )

    interface = T.InterfaceType("__torch__.J", False, {"run": signature(T.TENSOR)})
    good = T.ClassType("__torch__.Good", False, methods={"run": signature(T.TENSOR)})
    wide = T.ClassType("__torch__.Wide", False, methods={"run": signature(T.ANY)})
    bad = T.ClassType("__torch__.Bad", False, methods={"run": signature(T.INT)})
    assert T.is_subtype(good, interface) and T.is_subtype(wide, interface)
    assert not T.is_subtype(bad, interface) and not T.is_subtype(CLASS, interface)
