"""What is computed twice is computed once, never across writes."""

from __future__ import annotations

from linstock.ir import types as T
from linstock.passes.common_subexpressions import CommonSubexpressions
from tests.passes.checks import check, unchanged

RUN = CommonSubexpressions().run


def test_equal_nodes_merge_where_one_dominates() -> None:
    check(
        RUN,
        """graph(%x : Tensor, %c : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::relu(%x)
      %q : Tensor = aten::exp(%p)
      -> (%q)
    block1():
      %r : Tensor = aten::exp(%a)
      -> (%r)
  %d : Tensor = aten::exp(%a)
  %e : Tensor = aten::mul(%b, %d)
  return (%e)
""",
        """graph(%x : Tensor, %c : bool):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %q : Tensor = aten::exp(%a)
      -> (%q)
    block1():
      %r : Tensor = aten::exp(%a)
      -> (%r)
  %d : Tensor = aten::exp(%a)
  %e : Tensor = aten::mul(%b, %d)
  return (%e)
""",
    )


def test_never_across_a_write() -> None:
    for write in ("%x", "%a", "%b"):
        unchanged(
            RUN,
            f"""graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::neg(%x)
  %w : Tensor = aten::relu_({write})
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
""",
        )


def test_two_results_that_are_returned_stay_two() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::neg(%x)
  %r : (Tensor, Tensor) = prim::TupleConstruct(%a, %b)
  return (%r)
""",
    )
    # nor does an inner one join them
    check(
        RUN,
        """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %e : Tensor = aten::exp(%a)
  %b : Tensor = aten::neg(%x)
  %c : Tensor = aten::neg(%x)
  %r : (Tensor, Tensor, Tensor) = prim::TupleConstruct(%b, %c, %e)
  return (%r)
""",
        """graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %e : Tensor = aten::exp(%a)
  %c : Tensor = aten::neg(%x)
  %r : (Tensor, Tensor, Tensor) = prim::TupleConstruct(%a, %c, %e)
  return (%r)
""",
    )


def test_random_and_new_things_stay() -> None:
    unchanged(
        RUN,
        """graph(%n : int[]):
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::rand(%n, %none, %none, %none, %none)
  %b : Tensor = aten::rand(%n, %none, %none, %none, %none)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
""",
    )


def test_attributes_merge_unless_they_are_set() -> None:
    cls = T.ClassType("__torch__.M", True, {"w": T.TENSOR, "n": T.INT})
    classes = {"__torch__.M": cls}
    read = """graph(%self : __torch__.M, %x : Tensor):
  %a : Tensor = prim::GetAttr[name="w"](%self)
  %v : Tensor = aten::relu_(%x)
{set}  %b : Tensor = prim::GetAttr[name="w"](%self)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
"""
    merged = """graph(%self : __torch__.M, %x : Tensor):
  %a : Tensor = prim::GetAttr[name="w"](%self)
  %v : Tensor = aten::relu_(%x)
  %c : Tensor = aten::mul(%a, %a)
  return (%c)
"""
    check(RUN, read.format(set=""), merged, classes)
    unchanged(RUN, read.format(set='   = prim::SetAttr[name="w"](%self, %x)\n'), classes)


def test_nothing_that_records_gradients_merges_across_modes() -> None:
    unchanged(
        RUN,
        """graph(%x : Tensor):
  %f : bool = prim::Constant[value=0]()
  %a : Tensor = aten::neg(%x)
   = aten::set_grad_enabled(%f)
  %b : Tensor = aten::neg(%x)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
""",
    )
