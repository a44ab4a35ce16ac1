"""Shape propagation: what is found, and that it holds when the graph runs."""

from __future__ import annotations

import pytest

from linstock.ir.graph import Graph
from linstock.passes.shape_propagation import EraseShapes, ShapePropagation
from tests.passes.checks import graph_of

HEAD = """graph(%x : {x}, %y : {y}, %n : int, %b : bool):
  %c0 : int = prim::Constant[value=0]()
  %c1 : int = prim::Constant[value=1]()
  %c2 : int = prim::Constant[value=2]()
  %m1 : int = prim::Constant[value=-1]()
  %none : NoneType = prim::Constant()
  %true : bool = prim::Constant[value=1]()
  %false : bool = prim::Constant[value=0]()
  %half : float = prim::Constant[value=0.5]()
"""


def propagated(body: str, x: str, y: str = "Tensor", result: str = "%r") -> Graph:
    graph = graph_of(f"{HEAD.format(x=x, y=y)}{body}\n  return ({result})\n")
    ShapePropagation().run(graph)
    return graph


CASES = [
    # promotion: dimensions before none before numbers
    ("%r : Tensor = aten::add(%x, %y, %c1)", "Float(2, 3)", "Float(3)", "Float(2, 3)"),
    ("%r : Tensor = aten::add(%x, %y, %c1)", "Float(s0, 1)", "Float(1, s1)", "Float(s0, s1)"),
    ("%r : Tensor = aten::add(%x, %y, %c1)", "Half(2)", "Float()", "Half(2)"),
    ("%r : Tensor = aten::add(%x, %y, %c1)", "Long(2)", "Double()", "Double(2)"),
    ("%r : Tensor = aten::mul(%x, %half)", "Long(2)", "Tensor", "Float(2)"),
    ("%r : Tensor = aten::mul(%x, %c2)", "Half(2)", "Tensor", "Half(2)"),
    ("%r : Tensor = aten::div(%x, %c2)", "Long(2)", "Tensor", "Float(2)"),
    ("%r : Tensor = aten::gt(%x, %c2)", "Long(2)", "Tensor", "Bool(2)"),
    ("%r : Tensor = aten::sin(%x)", "Int(s0)", "Tensor", "Float(s0)"),
    ("%r : Tensor = aten::add(%x, %y, %c1)", "Float(*)", "Long(*)", "Tensor"),
    # views
    ("%l : int[] = prim::ListConstruct(%c2, %m1)\n  %r : Tensor = aten::view(%x, %l)", "Float(4, 6)", "Tensor", "Float(2, 12)"),
    ("%k : int = aten::size(%x, %c0)\n  %l : int[] = prim::ListConstruct(%k, %m1)\n  %r : Tensor = aten::view(%x, %l)", "Float(s9, 2, 3)", "Tensor", "Float(s9, 6)"),
    ("%r : Tensor = aten::flatten(%x, %c1, %m1)", "Float(s0, 2, 3)", "Tensor", "Float(s0, 6)"),
    ("%r : Tensor = aten::transpose(%x, %c0, %m1)", "Float(2, 3, s0)", "Tensor", "Float(s0, 3, 2)"),
    ("%r : Tensor = aten::unsqueeze(%x, %m1)", "Float(2)", "Tensor", "Float(2, 1)"),
    ("%r : Tensor = aten::select(%x, %c1, %c0)", "Float(2, 3)", "Tensor", "Float(2)"),
    ("%r : Tensor = aten::slice(%x, %c0, %c1, %none, %c2)", "Float(6)", "Tensor", "Float(3)"),
    ("%l : Tensor[] = prim::ListConstruct(%x, %y)\n  %r : Tensor = aten::cat(%l, %c0)", "Float(2, 3)", "Float(4, 3)", "Float(6, 3)"),
    ("%l : Tensor[] = prim::ListConstruct(%x, %x)\n  %r : Tensor = aten::stack(%l, %c0)", "Float(2, 3)", "Tensor", "Float(2, 2, 3)"),
    ("%l : Tensor[] = aten::chunk(%x, %c2, %c0)\n  %r : Tensor, %s : Tensor = prim::ListUnpack(%l)", "Float(5, 3)", "Tensor", "Float(3, 3)"),
    # products, reductions
    ("%r : Tensor = aten::matmul(%x, %y)", "Float(7, 1, 2, 3)", "Float(5, 3, 4)", "Float(7, 5, 2, 4)"),
    ("%r : Tensor = aten::linear(%x, %y, %none)", "Float(s0, 3)", "Float(4, 3)", "Float(s0, 4)"),
    ("%r : Tensor = aten::sum(%x, %none)", "Bool(2, 3)", "Tensor", "Long()"),
    ("%l : int[] = prim::ListConstruct(%m1)\n  %r : Tensor = aten::mean(%x, %l, %true, %none)", "Float(2, 3)", "Tensor", "Float(2, 1)"),
    ("%r : Tensor = aten::argmax(%x, %c0, %false)", "Float(2, 3)", "Tensor", "Long(3)"),
    ("%o : int[] = prim::ListConstruct(%c2)\n  %z : int[] = prim::ListConstruct(%c1)\n  %r : Tensor = aten::conv1d(%x, %y, %none, %o, %z, %z, %c1)", "Float(1, 3, 9)", "Float(4, 3, 3)", "Float(1, 4, 5)"),
    ("%r : Tensor = aten::embedding(%x, %y, %m1, %false, %false)", "Float(10, 4)", "Long(2, s0)", "Float(2, s0, 4)"),
    # in place, and out of knowledge
    ("%r : Tensor = aten::add_(%x, %y, %c1)", "Float(2)", "Double(2)", "Float(2)"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "x", "y", "expected"), CASES)
def test_rules(body: str, x: str, y: str, expected: str) -> None:
    assert str(propagated("  " + body, x, y).outputs[0].type) == expected


def test_an_unknown_operator_gives_an_unknown_type() -> None:
    graph = propagated("  %r : Tensor = aten::cholesky(%x, %false)", "Float(2, 2)")
    assert str(graph.outputs[0].type) == "Tensor"


def test_one_name_is_one_number() -> None:
    graph = propagated(
        "  %l : int[] = prim::ListConstruct(%n)\n  %a : Tensor = aten::zeros(%l, %none, %none, %none, %none)\n"
        "  %o : Tensor = aten::ones(%l, %none, %none, %none, %none)\n  %r : Tensor = aten::add(%a, %o, %c1)",
        "Tensor",
    )
    types = {v.name: v.type for n in graph.walk() for v in n.outputs}
    assert types["a"] == types["o"] == types["r"]


def test_a_size_that_may_be_minus_one_is_no_size() -> None:
    graph = propagated("  %l : int[] = prim::ListConstruct(%n, %c2)\n  %r : Tensor = aten::view(%x, %l)", "Float(8)")
    first, second = graph.outputs[0].type.sizes  # type: ignore[attr-defined]
    again = propagated(
        "  %l : int[] = prim::ListConstruct(%n, %c2)\n  %q : Tensor = aten::view(%x, %l)\n  %r : Tensor = aten::view(%y, %l)",
        "Float(8)",
        "Float(4)",
    )
    q = next(v for n in again.walk() for v in n.outputs if v.name == "q")
    assert second == 2 and isinstance(first, str)
    assert q.type.sizes[0] != again.outputs[0].type.sizes[0]  # type: ignore[attr-defined]


def test_branches_and_loops_keep_what_holds_in_all() -> None:
    branch = propagated(
        "  %r : Tensor = prim::If(%b)\n    block0():\n      -> (%x)\n    block1():\n      -> (%y)",
        "Float(2, 3)",
        "Float(4, 3)",
    )
    assert [n == 3 for n in branch.outputs[0].type.sizes] == [False, True]  # type: ignore[attr-defined]
    loop = """  %r : Tensor = prim::Loop(%n, %true, %x)
    block0(%i : int, %k : Tensor):
      %l : Tensor[] = prim::ListConstruct(%k, %y)
      %j : Tensor = aten::cat(%l, %c0)
      -> (%true, %j)"""
    grown = propagated(loop, "Float(2, 3)", "Float(1, 3)")
    sizes = grown.outputs[0].type.sizes  # type: ignore[attr-defined]
    assert isinstance(sizes[0], str) and sizes[1] == 3 and grown.outputs[0].type.dtype == 6  # type: ignore[attr-defined]
    widened = propagated(loop, "Float(2, 3)", "Double(1, 3)")
    assert widened.outputs[0].type.dtype is None  # type: ignore[attr-defined]


def test_what_changes_shape_in_place_is_not_known() -> None:
    graph = propagated("  %t : Tensor = aten::t_(%x)\n  %r : Tensor = aten::relu(%x)", "Float(2, 3)")
    assert str(graph.outputs[0].type) == "Tensor"


def test_erasing() -> None:
    graph = propagated("  %r : Tensor = aten::relu(%x)", "Float(2, 3)")
    assert EraseShapes().run(graph)
    assert all(str(v.type) == "Tensor" for v in (*graph.inputs[:2], *graph.outputs))
