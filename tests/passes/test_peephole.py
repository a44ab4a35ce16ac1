"""Every peephole rule: text in, text out."""

from __future__ import annotations

import pytest

from linstock.passes.peephole import Peephole
from tests.passes.checks import check, unchanged

RUN = Peephole().run
HEAD = """graph(%x : Tensor, %n : int, %f : float, %b : bool, %o : Tensor?, %u : Union(int, str)):
  %c0 : int = prim::Constant[value=0]()
  %c1 : int = prim::Constant[value=1]()
  %c2 : int = prim::Constant[value=2]()
  %one : float = prim::Constant[value=1.]()
  %none : NoneType = prim::Constant()
  %true : bool = prim::Constant[value=1]()
  %false : bool = prim::Constant[value=0]()
"""

RULES = {
    "is None by type": ("%r : bool = aten::__is__(%x, %none)", "%r : bool = prim::Constant[value=0]()", "%r"),
    "is not None by type": ("%r : bool = aten::__isnot__(%x, %none)", "%r : bool = prim::Constant[value=1]()", "%r"),
    "cast to own type": ("%r : Tensor = prim::unchecked_cast(%x)", "", "%x"),
    "unwrap what is there": ("%r : Tensor = aten::_unwrap_optional(%x)", "", "%x"),
    "isinstance": ("%r : bool = prim::isinstance[types=[int, str]](%u)", "%r : bool = prim::Constant[value=1]()", "%r"),
    "not isinstance": ("%r : bool = prim::isinstance[types=[float]](%n)", "%r : bool = prim::Constant[value=0]()", "%r"),
    "n + 0": ("%r : int = aten::add(%n, %c0)", "", "%n"),
    "0 + n": ("%r : int = aten::add(%c0, %n)", "", "%n"),
    "n - 0": ("%r : int = aten::sub(%n, %c0)", "", "%n"),
    "1 * n": ("%r : int = aten::mul(%c1, %n)", "", "%n"),
    "n // 1": ("%r : int = aten::floordiv(%n, %c1)", "", "%n"),
    "f * 1.0": ("%r : float = aten::mul(%f, %one)", "", "%f"),
    "b and True": ("%r : bool = aten::__and__(%b, %true)", "", "%b"),
    "not not b": ("%q : bool = aten::__not__(%b)\n  %r : bool = aten::__not__(%q)", "%q : bool = aten::__not__(%b)", "%b"),
    "int of int": ("%r : int = aten::Int(%n)", "", "%n"),
    "number of tensor of number": (
        "%t : Tensor = prim::NumToTensor(%n)\n  %r : int = aten::Int(%t)", "%t : Tensor = prim::NumToTensor(%n)", "%n",
    ),
    "len of list": (
        "%l : int[] = prim::ListConstruct(%n, %n)\n  %r : int = aten::len(%l)",
        "%l : int[] = prim::ListConstruct(%n, %n)\n  %r : int = prim::Constant[value=2]()", "%r",
    ),
    "item of list": (
        "%l : int[] = prim::ListConstruct(%c1, %n)\n  %r : int = aten::__getitem__(%l, %c1)",
        "%l : int[] = prim::ListConstruct(%c1, %n)", "%n",
    ),
    "unpacked list": (
        "%l : int[] = prim::ListConstruct(%c1, %n)\n  %q : int, %r : int = prim::ListUnpack(%l)",
        "%l : int[] = prim::ListConstruct(%c1, %n)", "%n",
    ),
    "slice of list": (
        "%l : int[] = prim::ListConstruct(%c1, %n)\n  %m : int[] = aten::slice(%l, %c1, %none, %c1)\n  %r : Tensor = aten::reshape(%x, %m)",
        "%l : int[] = prim::ListConstruct(%c1, %n)\n  %m : int[] = prim::ListConstruct(%n)\n  %r : Tensor = aten::reshape(%x, %m)", "%r",
    ),
    "lists joined": (
        "%l : int[] = prim::ListConstruct(%n)\n  %m : int[] = aten::add(%l, %l)\n  %r : Tensor = aten::reshape(%x, %m)",
        "%l : int[] = prim::ListConstruct(%n)\n  %m : int[] = prim::ListConstruct(%n, %n)\n  %r : Tensor = aten::reshape(%x, %m)", "%r",
    ),
    "t of t": ("%q : Tensor = aten::t(%x)\n  %r : Tensor = aten::t(%q)", "%q : Tensor = aten::t(%x)", "%x"),
    "transposed back": (
        "%q : Tensor = aten::transpose(%x, %c0, %c1)\n  %r : Tensor = aten::transpose(%q, %c1, %c0)",
        "%q : Tensor = aten::transpose(%x, %c0, %c1)", "%x",
    ),
    "dropout in eval mode": ("%r : Tensor = aten::dropout(%x, %f, %false)", "", "%x"),
    "loop index": ("%r : int = aten::__derive_index(%n, %c0, %c1)", "", "%n"),
    "both branches the same": (
        "%r : int = prim::If(%b)\n    block0():\n      -> (%n)\n    block1():\n      -> (%n)",
        " = prim::If(%b)\n    block0():\n      -> ()\n    block1():\n      -> ()", "%n",
    ),
    "carried but not changed": (
        "%r : int = prim::Loop(%n, %b, %n)\n    block0(%i : int, %k : int):\n       = prim::Print(%k)\n      -> (%b, %k)",
        " = prim::Loop(%n, %b)\n    block0(%i : int):\n       = prim::Print(%n)\n      -> (%b)", "%n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str) -> None:
    before, after, result = RULES[name]
    given = "%r" if "%r" in before else result
    check(
        RUN,
        f"{HEAD}  {before}\n  return ({given})\n",
        HEAD + (f"  {after}\n" if after else "") + f"  return ({result})\n",
    )


STAYS = {
    "optional may be None": "%r : bool = aten::__isnot__(%o, %none)",
    "float + 0 changes -0": "%z : float = prim::Constant[value=0.]()\n  %r : float = aten::add(%f, %z)",
    "a list that grows": (
        "%l : int[] = prim::ListConstruct(%n)\n  %m : int[] = aten::append(%l, %n)\n  %r : int = aten::len(%l)"
    ),
    "an index out of range raises": "%l : int[] = prim::ListConstruct(%n)\n  %r : int = aten::__getitem__(%l, %c2)",
    "a slice that is written to": (
        "%l : int[] = prim::ListConstruct(%n)\n  %r : int[] = aten::slice(%l, %none, %none, %c1)\n  %m : int[] = aten::append(%r, %n)"
    ),
    "dropout in training": "%r : Tensor = aten::dropout(%x, %f, %b)",
    "other axes": "%q : Tensor = aten::transpose(%x, %c0, %c1)\n  %r : Tensor = aten::transpose(%q, %c0, %c2)",
    "a tensor of a number that is changed": (
        "%t : Tensor = prim::NumToTensor(%n)\n  %w : Tensor = aten::neg_(%t)\n  %r : int = aten::Int(%t)"
    ),
    "a cast that narrows": "%r : Tensor = prim::unchecked_cast(%o)",
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_stays(name: str) -> None:
    unchanged(RUN, f"{HEAD}  {STAYS[name]}\n  return (%r)\n")


def test_what_types_tell_of_tensors() -> None:
    check(
        RUN,
        """graph(%x : Float(2, s0, device=cpu)):
  %c : int = prim::Constant[value=0]()
  %d : int = prim::Constant[value=1]()
  %code : int = prim::Constant[value=6]()
  %f : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %rank : int = aten::dim(%x)
  %first : int = aten::size(%x, %c)
  %second : int = aten::size(%x, %d)
  %type : int = prim::dtype(%x)
  %gpu : bool = prim::is_cuda(%x)
  %same : Tensor = aten::to(%x, %code, %f, %f, %none)
  %t : (int, int, int, int, bool, Tensor) = prim::TupleConstruct(%rank, %first, %second, %type, %gpu, %same)
  return (%t)
""",
        """graph(%x : Float(2, s0, device=cpu)):
  %c : int = prim::Constant[value=0]()
  %d : int = prim::Constant[value=1]()
  %code : int = prim::Constant[value=6]()
  %f : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %rank : int = prim::Constant[value=2]()
  %first : int = prim::Constant[value=2]()
  %second : int = aten::size(%x, %d)
  %type : int = prim::Constant[value=6]()
  %gpu : bool = prim::Constant[value=0]()
  %t : (int, int, int, int, bool, Tensor) = prim::TupleConstruct(%rank, %first, %second, %type, %gpu, %x)
  return (%t)
""",
    )


def test_a_shape_that_is_changed_in_place_is_not_trusted() -> None:
    unchanged(
        RUN,
        """graph(%x : Float(2, 3)):
  %w : Tensor = aten::t_(%x)
  %c : int = prim::Constant[value=0]()
  %n : int = aten::size(%x, %c)
  return (%n)
""",
    )
