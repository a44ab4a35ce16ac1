"""Changing graphs keeps use lists, order and blocks right."""

from __future__ import annotations

import pytest

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import GraphError, SchemaError
from linstock.ir.graph import Builder, Graph, Use, Value
from linstock.ir.parser import parse_graph
from linstock.ir.printer import print_graph
from linstock.ir.verifier import verify

TEXT = """graph(%x : Tensor,
      %c : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::neg(%a)
      -> (%p)
    block1():
      -> (%a)
  %d : Tensor = aten::mul(%a, %b)
  return (%d)
"""


def graph() -> tuple[Graph, dict[str, Value]]:
    g = parse_graph(TEXT)
    verify(g)
    return g, {v.name: v for n in g.walk() for v in n.outputs} | {v.name: v for v in g.inputs}


def used_by(value: Value) -> list[tuple[str, int]]:
    return [(u.node.kind, u.index) for u in value.uses]


def test_use_lists() -> None:
    g, v = graph()
    assert sorted(used_by(v["a"])) == [("aten::mul", 0), ("aten::neg", 0), ("prim::Return", 0)]
    v["a"].replace_all_uses_with(v["x"])
    assert v["a"].uses == [] and len(v["x"].uses) == 4
    v["a"].node.destroy()
    verify(g)


def test_inputs_can_be_replaced_inserted_and_removed() -> None:
    g, v = graph()
    mul = v["d"].node
    mul.replace_input(1, v["a"])
    assert used_by(v["b"]) == [] and ("aten::mul", 1) in used_by(v["a"])
    mul.insert_input(0, v["x"])
    assert [i.name for i in mul.inputs] == ["x", "a", "a"]
    mul.remove_input(0)
    verify(g)


def test_what_is_used_cannot_be_removed() -> None:
    _, v = graph()
    with pytest.raises(GraphError, match="is used by"):
        v["a"].node.destroy()
    with pytest.raises(GraphError, match="still used"):
        v["a"].node.remove_output(0)


def test_order() -> None:
    g, v = graph()
    a, p, d = v["a"].node, v["p"].node, v["d"].node
    assert d.is_after(a) and p.is_after(a) and d.is_after(p) and not a.is_after(p)
    new = Builder(d).op("aten::exp", v["a"]).node
    assert new.is_after(p) and d.is_after(new) and new.next is d
    new.move_after(a)
    assert v["b"].node.is_after(new) and a.next is new
    other = Builder(v["b"].node.blocks[1]).op("aten::exp", v["a"]).node
    assert not other.is_after(p) and not p.is_after(other)
    assert p.is_inside(v["b"].node.blocks[0]) and not p.is_inside(v["b"].node.blocks[1])
    verify(g)
    v["a"].replace_uses_after(v["b"].node, v["x"])
    assert ("aten::mul", 0) in used_by(v["x"]) and ("aten::neg", 0) in used_by(v["x"])  # also inside the node
    assert used_by(v["a"]) == [("aten::exp", 0)]


def test_iteration_survives_removal() -> None:
    g, _ = graph()
    Builder(g.block.nodes[0]).op("aten::exp", g.inputs[0])
    for node in g.block:
        if not any(o.uses for o in node.outputs):
            node.destroy()
    for node in reversed(g.block):
        assert node.block is g.block
    verify(g)


def test_destroying_a_block() -> None:
    g, v = graph()
    v["b"].replace_all_uses_with(v["x"])
    v["b"].node.destroy()
    assert used_by(v["a"]) == [("aten::mul", 0)]
    verify(g)


def test_copies_are_apart() -> None:
    g, v = graph()
    copy = g.copy()
    verify(copy)
    assert print_graph(copy) == print_graph(g) == TEXT
    v["d"].node.set_inputs([v["x"], v["x"]])
    assert print_graph(copy) == TEXT


def test_the_builder_checks_schemas() -> None:
    g = Graph()
    x, s = g.add_input(T.TENSOR, "x"), g.add_input(T.STRING, "s")
    b = Builder(g)
    with pytest.raises(SchemaError, match="argument 'other', got str"):
        b.operator(operators.schema("aten::mul.Tensor"), [x, s])
    with pytest.raises(SchemaError, match="takes 2 arguments, got 1"):
        b.operator(operators.schema("aten::mul.Tensor"), [x])
    out = b.op("aten::add.Tensor", x, x)
    assert [v.type for v in out.node.inputs] == [T.TENSOR, T.TENSOR, T.INT]
    assert out.node.full_name == "aten::add.Tensor" and out.node.input_named("alpha").constant == 1
    with pytest.raises(KeyError):
        out.node.input_named("beta")
    listed = b.value("prim::ListConstruct", [out], T.ListType(T.TENSOR))
    item = b.op("aten::__getitem__.t", listed, 0)
    assert item.type == T.TENSOR
    g.add_output(item)
    verify(g)
    assert isinstance(x.uses[0], Use)
