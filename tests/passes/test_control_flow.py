"""Loops written out, tuples taken apart."""

from __future__ import annotations

from linstock.passes.dead_code import DeadCode
from linstock.passes.loop_unrolling import LoopUnrolling
from linstock.passes.lower_tuples import LowerTuples
from tests.passes.checks import check, graph_of, unchanged


def lowered(graph: object) -> None:
    LowerTuples().run(graph)  # type: ignore[arg-type]
    DeadCode().run(graph)  # type: ignore[arg-type]


def test_a_short_loop_is_written_out() -> None:
    check(
        LoopUnrolling().run,
        """graph(%x : Tensor):
  %n : int = prim::Constant[value=2]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %y : Tensor):
      %z : Tensor = aten::add(%y, %i, %n)
      -> (%t, %z)
  return (%r)
""",
        """graph(%x : Tensor):
  %n : int = prim::Constant[value=2]()
  %t : bool = prim::Constant[value=1]()
  %i : int = prim::Constant[value=0]()
  %z : Tensor = aten::add(%x, %i, %n)
  %j : int = prim::Constant[value=1]()
  %w : Tensor = aten::add(%z, %j, %n)
  return (%w)
""",
    )


def test_loops_inside_loops() -> None:
    text = """graph(%x : Tensor):
  %n : int = prim::Constant[value=2]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %y : Tensor):
      %s : Tensor = prim::Loop(%n, %t, %y)
        block0(%j : int, %u : Tensor):
          %z : Tensor = aten::neg(%u)
          -> (%t, %z)
      -> (%t, %s)
  return (%r)
"""
    graph = graph_of(text)
    LoopUnrolling().run(graph)
    assert [n.kind for n in graph.walk() if n.kind != "prim::Constant"] == ["aten::neg"] * 4


def test_loops_of_unknown_or_great_length_or_with_a_condition_stay() -> None:
    text = """graph(%x : Tensor, %k : int, %b : bool):
  %n : int = prim::Constant[value=1000]()
  %m : int = prim::Constant[value=2]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop({count}, {first}, %x)
    block0(%i : int, %y : Tensor):
      %z : Tensor = aten::neg(%y)
      -> ({after}, %z)
  return (%r)
"""
    for count, first, after in (("%k", "%t", "%t"), ("%n", "%t", "%t"), ("%m", "%b", "%t"), ("%m", "%t", "%b")):
        unchanged(LoopUnrolling().run, text.format(count=count, first=first, after=after))


def test_tuples_that_are_packed_and_unpacked_go() -> None:
    check(
        lowered,
        """graph(%x : Tensor, %n : int):
  %one : int = prim::Constant[value=1]()
  %t : (Tensor, int) = prim::TupleConstruct(%x, %n)
  %s : (Tensor) = prim::TupleSlice[beg=0, end=1](%t)
  %y : Tensor = prim::TupleUnpack(%s)
  %m : int = prim::TupleIndex(%t, %one)
  %r : Tensor = aten::add(%y, %m, %one)
  return (%r)
""",
        """graph(%x : Tensor, %n : int):
  %one : int = prim::Constant[value=1]()
  %r : Tensor = aten::add(%x, %n, %one)
  return (%r)
""",
    )


def test_tuples_through_conditionals_and_loops() -> None:
    check(
        lowered,
        """graph(%x : Tensor, %n : int, %b : bool):
  %t : bool = prim::Constant[value=1]()
  %a : (Tensor, int) = prim::If(%b)
    block0():
      %p : (Tensor, int) = prim::TupleConstruct(%x, %n)
      -> (%p)
    block1():
      %y : Tensor = aten::neg(%x)
      %q : (Tensor, int) = prim::TupleConstruct(%y, %n)
      -> (%q)
  %c : (Tensor, int) = prim::Loop(%n, %t, %a)
    block0(%i : int, %k : (Tensor, int)):
      %u : Tensor, %v : int = prim::TupleUnpack(%k)
      %w : Tensor = aten::exp(%u)
      %z : (Tensor, int) = prim::TupleConstruct(%w, %i)
      -> (%t, %z)
  %d : Tensor, %e : int = prim::TupleUnpack(%c)
  %r : Tensor = aten::add(%d, %e, %n)
  return (%r)
""",
        """graph(%x : Tensor, %n : int, %b : bool):
  %t : bool = prim::Constant[value=1]()
  %a : Tensor, %f : int = prim::If(%b)
    block0():
      -> (%x, %n)
    block1():
      %y : Tensor = aten::neg(%x)
      -> (%y, %n)
  %c : Tensor, %g : int = prim::Loop(%n, %t, %a, %f)
    block0(%i : int, %u : Tensor, %v : int):
      %w : Tensor = aten::exp(%u)
      -> (%t, %w, %i)
  %r : Tensor = aten::add(%c, %g, %n)
  return (%r)
""",
    )


def test_tuples_from_elsewhere_stay() -> None:
    unchanged(
        LowerTuples().run,
        """graph(%t : (Tensor, int)):
  %x : Tensor, %n : int = prim::TupleUnpack(%t)
  %r : (int, Tensor) = prim::TupleConstruct(%n, %x)
  return (%r)
""",
    )
