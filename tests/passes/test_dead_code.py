"""Dead code goes; what acts, and writes that somebody sees, stay."""

from __future__ import annotations

from linstock.passes.dead_code import DeadCode
from tests.passes.checks import check, graph_of, kinds, unchanged

RUN = DeadCode().run


def test_unused_nodes_go() -> None:
    check(
        RUN,
        """graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::exp(%x)
  return (%c)
""",
        """graph(%x : Tensor):
  %c : Tensor = aten::exp(%x)
  return (%c)
""",
    )


def test_writes_to_what_is_known_outside_stay() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor):
  %v : Tensor = aten::t(%x)
  %w : Tensor = aten::relu_(%v)
  %c : Tensor = aten::exp(%x)
  return (%c)
""",
    )


def test_writes_to_what_nobody_reads_go() -> None:
    check(
        RUN,
        """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %w : Tensor = aten::relu_(%a)
  %l : Tensor[] = prim::ListConstruct(%a)
  %m : Tensor[] = aten::append(%l, %x)
  return (%x)
""",
        """graph(%x : Tensor):
  return (%x)
""",
    )


def test_writes_to_what_is_read_stay() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %v : Tensor = aten::t(%a)
  %w : Tensor = aten::relu_(%v)
  %l : Tensor[] = prim::ListConstruct()
  %m : Tensor[] = aten::append(%l, %a)
  return (%l)
""",
    )


def test_actions_stay() -> None:
    text = """graph(%x : Tensor, %n : int[]):
  %s : str = prim::Constant[value="m"]()
  %none : NoneType = prim::Constant()
  %p : float = prim::Constant[value=0.5]()
  %t : bool = prim::Constant[value=1]()
  %f : bool = prim::Constant[value=0]()
   = prim::Print(%s)
  %r : Tensor = aten::rand(%n, %none, %none, %none, %none)
  %d : Tensor = aten::dropout(%x, %p, %t)
  %e : Tensor = aten::dropout(%x, %p, %f)
   = prim::If(%t)
    block0():
       = prim::RaiseException(%s, %none)
      -> ()
    block1():
      -> ()
  return (%x)
"""
    graph = graph_of(text)
    RUN(graph)
    assert kinds(graph) == ["prim::Print", "aten::rand", "aten::dropout", "prim::If", "prim::RaiseException"]


def test_dead_results_of_control_flow_go() -> None:
    check(
        RUN,
        """graph(%x : Tensor, %n : int, %c : bool):
  %t : bool = prim::Constant[value=1]()
  %a : Tensor, %b : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::neg(%x)
      %q : Tensor = aten::exp(%x)
      -> (%p, %q)
    block1():
      -> (%x, %x)
  %k : Tensor, %l : Tensor = prim::Loop(%n, %t, %a, %x)
    block0(%i : int, %u : Tensor, %v : Tensor):
      %r : Tensor = aten::relu(%u)
      %s : Tensor = aten::sin(%v)
      -> (%t, %r, %s)
  return (%k)
""",
        """graph(%x : Tensor, %n : int, %c : bool):
  %t : bool = prim::Constant[value=1]()
  %a : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::neg(%x)
      -> (%p)
    block1():
      -> (%x)
  %k : Tensor = prim::Loop(%n, %t, %a)
    block0(%i : int, %u : Tensor):
      %r : Tensor = aten::relu(%u)
      -> (%t, %r)
  return (%k)
""",
    )


def test_a_carried_value_that_another_needs_stays() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor, %n : int):
  %t : bool = prim::Constant[value=1]()
  %k : Tensor, %l : Tensor = prim::Loop(%n, %t, %x, %x)
    block0(%i : int, %u : Tensor, %v : Tensor):
      %r : Tensor = aten::mul(%u, %v)
      %s : Tensor = aten::sin(%v)
      -> (%t, %r, %s)
  return (%k)
""",
    )
