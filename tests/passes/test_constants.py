"""Constant propagation and pooling."""

from __future__ import annotations

from linstock.passes.constant_pooling import ConstantPooling
from linstock.passes.constant_propagation import ConstantPropagation
from tests.passes.checks import check, evaluator, graph_of, unchanged

RUN = ConstantPropagation(evaluator).run
POOL = ConstantPooling().run


def test_numbers_and_conditions_fold() -> None:
    check(
        RUN,
        """graph(%x : Tensor):
  %a : int = prim::Constant[value=2]()
  %b : int = prim::Constant[value=3]()
  %c : int = aten::mul(%a, %b)
  %d : bool = aten::gt(%c, %b)
  %e : Tensor = prim::If(%d)
    block0():
      %p : Tensor = aten::add(%x, %c, %a)
      -> (%p)
    block1():
      %q : Tensor = aten::neg(%x)
      -> (%q)
  return (%e)
""",
        """graph(%x : Tensor):
  %a : int = prim::Constant[value=2]()
  %b : int = prim::Constant[value=3]()
  %c : int = prim::Constant[value=6]()
  %d : bool = prim::Constant[value=1]()
  %p : Tensor = aten::add(%x, %c, %a)
  return (%p)
""",
    )


def test_lists_and_tuples_fold() -> None:
    check(
        RUN,
        """graph(%x : Tensor):
  %a : int = prim::Constant[value=2]()
  %l : int[] = prim::ListConstruct(%a, %a)
  %t : (int, int[]) = prim::TupleConstruct(%a, %l)
  %i : int[] = prim::TupleIndex(%t, %a)
  %e : Tensor = aten::reshape(%x, %l)
  return (%e)
""".replace("%t, %a)", "%t, %one)").replace("  %l :", "  %one : int = prim::Constant[value=1]()\n  %l :"),
        """graph(%x : Tensor):
  %a : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %l : int[] = prim::Constant[value=[2, 2]]()
  %t : (int, int[]) = prim::Constant[value=(2, [2, 2])]()
  %i : int[] = prim::Constant[value=[2, 2]]()
  %e : Tensor = aten::reshape(%x, %l)
  return (%e)
""",
    )


def test_a_list_that_is_written_to_or_returned_does_not_fold() -> None:
    for tail in ("  %m : int[] = aten::append(%l, %a)\n  return (%a)\n", "  return (%l)\n"):
        unchanged(
            RUN,
            f"graph(%x : Tensor):\n  %a : int = prim::Constant[value=2]()\n  %l : int[] = prim::ListConstruct(%a)\n{tail}",
        )


def test_a_tensor_that_is_returned_or_written_to_does_not_fold() -> None:
    head = """graph(%x : Tensor):
  %n : int[] = prim::Constant[value=[2]]()
  %none : NoneType = prim::Constant()
  %z : Tensor = aten::ones(%n, %none, %none, %none, %none)
"""
    for tail in ("  return (%z)\n", "  %w : Tensor = aten::mul_(%z, %x)\n  return (%x)\n"):
        unchanged(RUN, head + tail)
    graph = graph_of(head + "  %w : Tensor = aten::mul(%z, %x)\n  return (%w)\n")
    assert RUN(graph)
    assert [n.kind for n in graph.walk()].count("aten::ones") == 0


def test_large_results_stay_code() -> None:
    text = """graph(%x : Tensor):
  %n : int[] = prim::Constant[value=[1000]]()
  %none : NoneType = prim::Constant()
  %z : Tensor = aten::ones(%n, %none, %none, %none, %none)
  %w : Tensor = aten::mul(%z, %x)
  return (%w)
"""
    unchanged(ConstantPropagation(evaluator, max_elements=999).run, text)
    assert ConstantPropagation(evaluator, max_elements=1000).run(graph_of(text))


def test_what_raises_is_left_to_raise() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor):
  %a : int = prim::Constant[value=0]()
  %b : int = aten::floordiv(%a, %a)
  return (%b)
""",
    )


def test_loops_that_never_run_go() -> None:
    check(
        RUN,
        """graph(%x : Tensor):
  %n : int = prim::Constant[value=0]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %y : Tensor):
      %z : Tensor = aten::neg(%y)
      -> (%t, %z)
  return (%r)
""",
        """graph(%x : Tensor):
  %n : int = prim::Constant[value=0]()
  %t : bool = prim::Constant[value=1]()
  return (%x)
""",
    )


def test_pooling_merges_by_value_and_type_and_moves_to_the_front() -> None:
    check(
        POOL,
        """graph(%x : Tensor, %c : bool):
  %a : int = prim::Constant[value=1]()
  %r : Tensor = prim::If(%c)
    block0():
      %b : int = prim::Constant[value=1]()
      %f : float = prim::Constant[value=1.]()
      %p : Tensor = aten::add(%x, %f, %b)
      -> (%p)
    block1():
      %t : bool = prim::Constant[value=1]()
      %q : Tensor = aten::add(%x, %a, %a)
      -> (%q)
  return (%r)
""",
        """graph(%x : Tensor, %c : bool):
  %a : int = prim::Constant[value=1]()
  %f : float = prim::Constant[value=1.]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::add(%x, %f, %a)
      -> (%p)
    block1():
      %q : Tensor = aten::add(%x, %a, %a)
      -> (%q)
  return (%r)
""",
    )


def test_zeros_of_different_signs_and_nans_stay_apart_or_merge_by_bits() -> None:
    graph = graph_of(
        """graph(%x : Tensor):
  %a : float = prim::Constant[value=0.]()
  %b : float = prim::Constant[value=-0.]()
  %c : float = prim::Constant[value=nan]()
  %d : float = prim::Constant[value=nan]()
  %t : (float, float, float, float) = prim::TupleConstruct(%a, %b, %c, %d)
  return (%t)
"""
    )
    POOL(graph)
    assert sum(n.kind == "prim::Constant" for n in graph.walk()) == 3


def test_lists_that_get_out_are_not_pooled() -> None:
    unchanged(
        POOL,
        """graph(%x : Tensor):
  %a : int[] = prim::Constant[value=[1]]()
  %b : int[] = prim::Constant[value=[1]]()
  %t : (int[], int[]) = prim::TupleConstruct(%a, %b)
  return (%t)
""",
    )
