"""Every schema line parses, and says what it says."""

from __future__ import annotations

import pytest

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.schema import parse_schema


@pytest.mark.parametrize("family", operators.FAMILIES)
def test_every_line_parses(family: str) -> None:
    names = [n for n in operators.full_names() if operators.family(n) == family]
    assert names
    for name in names:
        schema = operators.schema(name)
        assert schema.full_name == name and schema.line.startswith(name)
        assert len({a.name for a in schema.arguments}) == len(schema.arguments)
        for argument in schema.arguments:
            assert not argument.writes or argument.alias
        if not schema.varret:
            bound = {t.name for a in schema.arguments for t in T.walk(a.type) if isinstance(t, T.VarType)}
            free = {t.name for r in schema.returns for t in T.walk(r.type) if isinstance(t, T.VarType)}
            assert free <= bound, name


def test_arguments() -> None:
    s = parse_schema("aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)")
    assert [a.name for a in s.arguments] == ["self", "other", "alpha", "out"]
    assert s.arguments[2].kwarg_only and s.arguments[2].default == 1 and s.arguments[2].type == T.NUMBER
    assert s.out_arguments == (s.arguments[3],) and s.is_mutable and s.returns[0].alias == "a"
    assert s.index_of("other") == 1 and s.index_of("nothing") is None


def test_lists_optionals_and_kinds() -> None:
    s = parse_schema(
        "aten::f(int[2] k=1, ScalarType? dtype=None, Tensor?[] i=[], float[]? q=None, t(a)[] l) -> (Tensor(a)[] x, t)"
    )
    k, dtype, i, q, listed = s.arguments
    assert k.default == [1, 1] and k.size == 2 and k.type == T.ListType(T.INT)
    assert (
        dtype.type == T.OptionalType(T.INT)
        and dtype.kind == "ScalarType"
        and dtype.has_default
        and dtype.default is None
    )
    assert i.type == T.ListType(T.OptionalType(T.TENSOR)) and i.default == []
    assert q.type == T.OptionalType(T.ListType(T.FLOAT))
    assert listed.type == T.ListType(T.VarType("t")) and listed.alias == "a"
    assert s.returns[0].alias == "a" and s.returns[0].name == "x"


def test_the_table() -> None:
    assert operators.is_known("aten::add") and not operators.is_known("aten::no")
    assert operators.schemas("aten::no") == ()
    assert "aten::add" in operators.nearest("aten::ad")
    with pytest.raises(KeyError):
        operators.schema("aten::add.no")
