"""What may share memory, and who writes to it."""

from __future__ import annotations

import pytest

from linstock.ir.graph import Graph, Node, Value
from linstock.passes.alias import AliasAnalysis
from tests.passes.checks import graph_of

HEAD = """graph(%x : Tensor, %y : Tensor, %n : int):
  %c0 : int = prim::Constant[value=0]()
  %c1 : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %t : bool = prim::Constant[value=1]()
  %f : bool = prim::Constant[value=0]()
"""


def analysed(body: str, result: str = "%x") -> tuple[Graph, AliasAnalysis, dict[str, Value]]:
    graph = graph_of(f"{HEAD}{body}  return ({result})\n")
    named = {v.name: v for n in graph.walk() for v in n.outputs} | {v.name: v for v in graph.inputs}
    named |= {v.name: v for n in graph.walk() for b in n.blocks for v in b.inputs}
    return graph, AliasAnalysis(graph), named


def node(graph: Graph, kind: str) -> Node:
    return next(n for n in graph.walk() if n.kind == kind)


ALIASES = [
    ("  %a : Tensor = aten::relu(%x)\n", "a", "x", False),
    ("  %a : Tensor = aten::t(%x)\n", "a", "x", True),
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::select(%a, %c0, %c0)\n", "a", "b", True),
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::relu_(%a)\n", "a", "b", True),
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::relu(%x)\n", "a", "b", False),
    ("  %a : Tensor = aten::clone(%x, %none)\n", "a", "x", False),
    ("", "x", "y", True),  # the caller may pass one tensor twice
    # through lists: what is taken out may be anything that was put in
    ("  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = prim::ListConstruct(%a, %y)\n  %b : Tensor = aten::__getitem__(%l, %c0)\n", "a", "b", True),
    ("  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = prim::ListConstruct()\n  %z : Tensor[] = aten::append(%l, %a)\n  %b : Tensor = aten::pop(%l, %c0)\n", "a", "b", True),
    ("  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = prim::ListConstruct(%a)\n  %m : Tensor[] = aten::slice(%l, %none, %none, %c1)\n  %b : Tensor = aten::__getitem__(%m, %c0)\n", "a", "b", True),
    # a list that is only read does not make its elements aliases
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%x)\n  %l : Tensor[] = prim::ListConstruct(%a, %b)\n  %s : Tensor = aten::cat(%l, %c0)\n", "a", "b", False),
    ("  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = prim::ListConstruct(%a)\n  %s : Tensor = aten::cat(%l, %c0)\n", "a", "s", False),
    # tuples are looked into element by element
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%x)\n  %p : (Tensor, Tensor) = prim::TupleConstruct(%a, %b)\n  %q : Tensor, %r : Tensor = prim::TupleUnpack(%p)\n", "q", "b", False),
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%x)\n  %p : (Tensor, Tensor) = prim::TupleConstruct(%a, %b)\n  %q : Tensor, %r : Tensor = prim::TupleUnpack(%p)\n", "q", "a", True),
    # parts of a list of views
    ("  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = aten::chunk(%a, %c1, %c0)\n  %b : Tensor = prim::ListUnpack(%l)\n", "a", "b", True),
    # operators that share without saying so
    ("  %p : float = prim::Constant[value=0.5]()\n  %a : Tensor = aten::dropout(%x, %p, %f)\n", "a", "x", True),
    # control flow
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = prim::If(%t)\n    block0():\n      -> (%a)\n    block1():\n      -> (%y)\n", "a", "b", True),
    ("  %a : Tensor = aten::relu(%x)\n  %b : Tensor = prim::Loop(%n, %t, %a)\n    block0(%i : int, %k : Tensor):\n      %d : Tensor = aten::relu_(%k)\n      -> (%t, %k)\n", "a", "d", True),
]  # fmt: skip


@pytest.mark.parametrize(("body", "a", "b", "expected"), ALIASES)
def test_may_alias(body: str, a: str, b: str, expected: bool) -> None:
    _, alias, named = analysed(body)
    assert alias.may_alias(named[a], named[b]) is expected
    assert alias.may_alias(named[b], named[a]) is expected


def test_values_of_different_kinds_never_alias() -> None:
    _, alias, named = analysed("  %l : Tensor[] = prim::ListConstruct(%x)\n")
    assert not alias.may_alias(named["l"], named["x"])
    assert alias.may_overlap(named["l"], named["x"])
    assert not alias.may_alias(named["n"], named["n"])


def test_a_write_is_seen_through_views_and_containers() -> None:
    body = (
        "  %a : Tensor = aten::relu(%x)\n  %v : Tensor = aten::t(%a)\n  %w : Tensor = aten::relu_(%v)\n"
        "  %l : Tensor[] = prim::ListConstruct(%a)\n  %s : Tensor = aten::cat(%l, %c0)\n  %other : Tensor = aten::neg(%x)\n"
    )
    _, alias, named = analysed(body)
    assert alias.has_writers(named["a"]) and alias.has_writers(named["v"]) and alias.has_writers(named["l"])
    assert not alias.has_own_writers(named["l"])
    assert (
        not alias.has_writers(named["x"])
        and not alias.has_writers(named["other"])
        and not alias.has_writers(named["s"])
    )


def test_a_list_that_grows_does_not_write_to_its_tensors() -> None:
    body = "  %a : Tensor = aten::relu(%x)\n  %l : Tensor[] = prim::ListConstruct()\n  %z : Tensor[] = aten::append(%l, %a)\n"
    _, alias, named = analysed(body)
    assert alias.has_writers(named["l"]) and not alias.has_writers(named["a"])


def test_statistics_of_batch_norm_are_written_in_training_only() -> None:
    call = (
        "  %m : float = prim::Constant[value=0.1]()\n"
        "  %b : Tensor = aten::batch_norm(%x, %none, %none, %y, %y, {flag}, %m, %m, %t)\n"
    )
    for flag, writes in (("%t", True), ("%f", False)):
        _, alias, named = analysed(call.format(flag=flag))
        assert alias.has_writers(named["y"]) is writes


def test_escaping_is_being_returned_passed_in_or_held_by_what_is() -> None:
    body = (
        "  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%x)\n  %v : Tensor = aten::t(%a)\n"
        "  %p : (Tensor, int) = prim::TupleConstruct(%v, %n)\n"
    )
    _, alias, named = analysed(body, "%p")
    assert alias.escapes(named["a"]) and alias.escapes(named["x"]) and not alias.escapes(named["b"])


def test_moving_respects_memory() -> None:
    body = (
        "  %a : Tensor = aten::relu(%x)\n  %r : Tensor = aten::neg(%a)\n  %w : Tensor = aten::relu_(%a)\n"
        "  %late : Tensor = aten::exp(%a)\n  %free : Tensor = aten::sin(%y)\n"
    )
    graph, alias, _ = analysed(body)
    read, write, late, free = (node(graph, k) for k in ("aten::neg", "aten::relu_", "aten::exp", "aten::sin"))
    assert not alias.can_swap(read, write) and not alias.can_swap(write, late)
    assert alias.can_swap(read, late) is True
    assert alias.can_move_before(free, read) and not alias.can_move_before(late, read)
    assert alias.can_move_after(read, free) is False  # the write is between
