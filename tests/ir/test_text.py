"""The text form: what is printed reads back to the same graph."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from linstock.ir import types as T
from linstock.ir.errors import GraphError
from linstock.ir.graph import Graph
from linstock.ir.parser import parse_graph
from linstock.ir.printer import constants_of, print_graph, print_node
from linstock.ir.program import Function, Signature
from linstock.ir.verifier import verify

FUNCTION = Function.of("__torch__.f", Signature((), T.NONE), Graph())
ENUM = T.EnumType("__torch__.E", T.INT, {"A": 1, "B": 2})
CLASS = T.ClassType("__torch__.M", True, {"w": T.TENSOR, "n": T.INT})
CLASSES: dict[str, T.Type] = {"__torch__.E": ENUM, "__torch__.M": CLASS}


class Member:
    """Stands for a member of an enum."""

    def __init__(self, kind: T.EnumType, name: str) -> None:
        self.kind, self.name = kind, name


EVERYTHING = r"""graph(%self : __torch__.M,
      %x : Tensor,
      %y.1 : int,
      %o : str?,
      %d : Dict(str, int)):
  %0 : int = prim::Constant[value=1]() # file.py:12:4
  %n : NoneType = prim::Constant()
  %maybe : Tensor? = prim::Constant()
  %b : bool = prim::Constant[value=1]()
  %f : float = prim::Constant[value=-1e-05]()
  %g : float = prim::Constant[value=1.]()
  %inf : float = prim::Constant[value=-inf]()
  %z : complex = prim::Constant[value=complex(1., nan)]()
  %dev : Device = prim::Constant[value="cuda:0"]()
  %s : str = prim::Constant[value="a\n\"b\" é"]()
  %i : int[] = prim::Constant[value=[1, 2]]()
  %bl : bool[] = prim::Constant[value=[True, False]]()
  %t : (int, bool, float?) = prim::Constant[value=(1, True, None)]()
  %t1 : (int) = prim::Constant[value=(1,)]()
  %t0 : () = prim::Constant[value=()]()
  %m : Dict(str, int) = prim::Constant[value={"a": 1}]()
  %dl : Device[] = prim::Constant[value=[device("cpu")]]()
  %w : Float(2, 2) = prim::Constant[value=tensor(Float, [2, 2], [1., 2., 0.5, -inf])]()
  %w0 : Tensor = prim::Constant[value=tensor(Bool, [], [1])]()
  %wc : Tensor = prim::Constant[value=tensor(ComplexFloat, [1], [complex(1., 2.)])]()
  %wb : Tensor = prim::Constant[value=tensor(BFloat16, [2], [1.5, 3.])]()
  %big : Tensor = prim::Constant[value=CONSTANTS.c0]()
  %e : Enum<__torch__.E> = prim::Constant[value=__torch__.E.B]()
  %fn : Function = prim::Constant[value=@__torch__.f]()
  %a : Tensor = prim::GetAttr[name="w"](%self)
  %is : bool = prim::isinstance[types=[int, Tensor?, (int, str)]](%o)
   = prim::SetAttr[name="n"](%self, %y.1)
  %1 : Tensor = aten::add(%x, %y.1, %0), scope: __module.l.0 # a dir/file.py:13:8
  %2 : Tensor = prim::Loop(%y.1, %b, %x)
    block0(%k : int, %z.1 : Tensor):
      %q : bool = aten::gt(%k, %0)
      %u : Tensor = prim::If(%q)
        block0():
          -> (%z.1)
        block1():
          %3 : Tensor = aten::mul(%z.1, %g)
          -> (%3)
      -> (%b, %u)
   = prim::Print(%2, %o)
  return (%2)
"""


def read(text: str, constants: list[Any] | None = None) -> Graph:
    return parse_graph(text, CLASSES, constants or [], {"__torch__.f": FUNCTION}, enum_member=Member)


def test_everything_round_trips() -> None:
    table = [np.zeros((100, 100), np.float32)]
    graph = read(EVERYTHING, table)
    assert print_graph(graph, spans=True) == EVERYTHING
    assert constants_of(graph)[0] is table[0]
    again = read(print_graph(graph, spans=True), constants_of(graph))
    for one, other in zip(graph.walk(), again.walk(), strict=True):
        assert (one.kind, one.schema, one.scope) == (other.kind, other.schema, other.scope)
        assert [v.type for v in one.outputs] == [v.type for v in other.outputs]
        assert one.attributes.keys() == other.attributes.keys()
    values = {v.name: v for n in graph.walk() for v in n.outputs}
    assert (
        values["b"].constant is True
        and values["bl"].constant == [True, False]
        and values["t"].constant == (1, True, None)
    )
    assert values["fn"].type == T.FunctionType(FUNCTION) and values["e"].constant.name == "B"
    assert values["w"].constant.dtype == np.float32 and values["w0"].constant.shape == ()
    span = graph.block.nodes[0].span
    assert span is not None and (span.filename, span.lineno, span.column) == ("file.py", 12, 4)


def test_names_are_made_unique() -> None:
    graph = read("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n")
    a, b = (n.outputs[0] for n in graph.block)
    a.name = b.name = "x"
    text = print_graph(graph)
    assert "%x.1 : Tensor = aten::relu(%x)" in text and "%x.2 : Tensor = aten::neg(%x.1)" in text
    assert print_graph(read(text)) == text
    a.name, b.name = "0.weight", "a b"
    text = print_graph(graph)
    assert "%_0.weight" in text and "%a_b" in text
    assert print_graph(read(text)) == text


def test_overloads_are_printed_only_where_types_do_not_tell() -> None:
    text = """graph(%x : Tensor, %n : Scalar, %l : int[]):
  %a : Tensor = aten::mul(%x, %n)
  %b : Scalar = aten::mul(%n, %n)
  %c : Tensor = aten::sum(%x, %l, %f, %none)
  return (%a)
""".replace("  %c", "  %f : bool = prim::Constant[value=0]()\n  %none : NoneType = prim::Constant()\n  %c")
    graph = read(text)
    names = [n.full_name for n in graph.walk() if n.kind != "prim::Constant"]
    assert names == ["aten::mul.Scalar", "aten::mul", "aten::sum.dim_IntList"]
    assert "aten::mul.Scalar" not in print_graph(graph)
    # under a narrower type another overload would be meant
    graph.inputs[1].type = T.INT
    printed = print_graph(graph)
    assert "aten::mul(%n, %n)" in printed and [n.full_name for n in read(printed).walk()][1] in (
        "aten::mul",
        "aten::mul.int",
    )


MALFORMED = [
    ("graph(%x : Tensor):\n  return (%y)\n", "line 2, column 11: %y is not defined here"),
    ("graph(%x : Tensr):\n  return (%x)\n", "line 1, column 12: there is no type Tensr"),
    ("graph(%x : Tensor)\n  return (%x)\n", "line 2, column 3: unexpected 'return'"),
    ("graph(%x : Tensor):\n  return (%x", "line 2, column 13: the text ends too early"),
    ("graph(%x : Tensor):\n  %y : Tensor = aten::ad(%x)\n  return (%y)\n", "line 2, column 17: there is no operator aten::ad; did you mean"),
    ("graph(%x : Tensor):\n  %y : Tensor = aten::mul.no(%x)\n  return (%y)\n", "there is no operator aten::mul.no"),
    ("graph(%x : str):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n", r"no overload of aten::relu takes \(str\)"),
    ("graph(%x : str):\n  %x : int = prim::Constant[value=1]()\n  return (%x)\n", "line 2, column 3: %x is assigned twice"),
    ("graph(%x : str):\n  %y : int = prim::Constant[value=a.b]()\n  return (%x)\n", "line 2, column 35: a.b is not a value"),
    ("graph(%x : str):\n  %y : Tensor = prim::Constant[value=CONSTANTS.c3]()\n  return (%x)\n", "there is no constant 3"),
    ("graph(%x : str):\n  %y : Function = prim::Constant[value=@g]()\n  return (%x)\n", "there is no function g"),
    ("graph(%x : str):\n  %y : Tensor = prim::Constant[value=tensor(Float, [3], [1.])]()\n  return (%x)\n", "this is not a tensor"),
    ("graph(%x : str) $\n", "unexpected '\\$'"),
    ( "graph(%c : bool):\n   = prim::If(%c)\n    block0():\n      %a : int = prim::Constant[value=1]()\n      -> ()\n" " block1():\n      -> ()\n  return (%a)\n", "line 8, column 11: %a is not defined here", ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MALFORMED)
def test_malformed_text(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        read(text)


def test_a_graph_of_thousands_of_nodes_is_read_quickly() -> None:
    lines = "".join(f"  %v{i + 1} : Tensor = aten::add(%v{i}, %v0, %o) # file.py:{i}:4\n" for i in range(3000))
    text = f"graph(%v0 : Tensor, %o : int):\n{lines}  return (%v3000)\n"
    start = time.perf_counter()
    graph = read(text)
    verify(graph)
    assert time.perf_counter() - start < 8  # 0.5 s on an idle machine
    assert print_graph(graph, spans=True).count("\n") == text.count("\n") + 1


def test_one_node() -> None:
    graph = read("graph(%x : Tensor):\n  %a : Tensor = aten::relu(%x)\n  return (%a)\n")
    assert print_node(graph.block.nodes[0]) == "%a : Tensor = aten::relu(%x)"
    assert str(graph) == print_graph(graph)
