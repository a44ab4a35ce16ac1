"""Every broken rule is found and named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from linstock.ir import types as T
from linstock.ir.errors import GraphError
from linstock.ir.graph import Graph, Node, Use
from linstock.ir.parser import parse_graph
from linstock.ir.source import Source, Span
from linstock.ir.verifier import holds, verify

TEXT = """graph(%x : Tensor, %c : bool, %n : int):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = prim::If(%c)
    block0():
      %p : Tensor = aten::neg(%a)
      -> (%p)
    block1():
      -> (%a)
  %d : Tensor = prim::Loop(%n, %c, %b)
    block0(%i : int, %k : Tensor):
      %e : Tensor = aten::mul(%k, %i)
      -> (%c, %e)
  return (%d)
"""
CLASS = T.ClassType("__torch__.M", True, {"n": T.INT})


def node(graph: Graph, kind: str) -> Node:
    return next(n for n in graph.walk() if n.kind == kind)


def swap(graph: Graph) -> None:
    node(graph, "aten::relu").move_after(node(graph, "prim::If"))


def leak(graph: Graph) -> None:
    graph.block.return_node.replace_input(0, node(graph, "aten::neg").outputs[0])


def lose_use(graph: Graph) -> None:
    graph.inputs[0].uses.clear()


def extra_use(graph: Graph) -> None:
    graph.inputs[0].uses.append(Use(node(graph, "aten::mul"), 0))


def wrong_type(graph: Graph) -> None:
    node(graph, "aten::relu").outputs[0].type = T.INT


def wrong_input(graph: Graph) -> None:
    node(graph, "aten::relu").replace_input(0, graph.inputs[2])


def too_few(graph: Graph) -> None:
    node(graph, "aten::mul").remove_input(1)


def no_schema(graph: Graph) -> None:
    node(graph, "aten::relu").schema = None


def condition(graph: Graph) -> None:
    node(graph, "prim::If").replace_input(0, graph.inputs[2])


def branch(graph: Graph) -> None:
    node(graph, "prim::If").blocks[0].remove_output(0)


def branch_type(graph: Graph) -> None:
    node(graph, "prim::If").blocks[0].return_node.replace_input(0, graph.inputs[2])


def one_block(graph: Graph) -> None:
    node(graph, "prim::If").remove_block(1)


def carried(graph: Graph) -> None:
    node(graph, "prim::Loop").remove_input(2)


def loop_condition(graph: Graph) -> None:
    node(graph, "prim::Loop").blocks[0].return_node.replace_input(0, graph.inputs[2])


def two_results(graph: Graph) -> None:
    graph.add_output(graph.inputs[0])


def foreign(graph: Graph) -> None:
    node(graph, "aten::relu").replace_input(0, Graph().add_input(T.TENSOR, "stranger"))


def contradicting(graph: Graph) -> None:
    graph.inputs[0].type = T.TensorType(6)
    node(graph, "prim::Loop").outputs[0].type = T.TensorType(4)
    node(graph, "prim::If").outputs[0].type = T.TensorType(6)


BREAKS: list[tuple[Callable[[Graph], None], str]] = [
    (swap, "input 0, %a : Tensor, is used before it is defined"),
    (leak, "is used before it is defined or outside its block"),
    (lose_use, "use list"),
    (extra_use, "use list"),
    (wrong_type, "output 0 is of type int, its schema says Tensor"),
    (wrong_input, "expected a value of type Tensor for argument 'self', got int"),
    (too_few, "takes 2 arguments, got 1"),
    (no_schema, "no schema and is no structural node"),
    (condition, "the condition is of type int, not bool"),
    (branch, "block0 has 0 outputs, the node 1"),
    (branch_type, "block0: output 0 is of type int, not Tensor"),
    (one_block, "it has 1 blocks, not two"),
    (carried, "it carries 0 values"),
    (loop_condition, "must begin with an int"),
    (two_results, "exactly one"),
    (foreign, "but is not in the graph"),
    (contradicting, "carried value without an iteration: 0 is of type"),
]


@pytest.mark.parametrize(("change", "message"), BREAKS, ids=lambda x: getattr(x, "__name__", ""))
def test_broken_graphs(change: Callable[[Graph], None], message: str) -> None:
    graph = parse_graph(TEXT)
    verify(graph)
    change(graph)
    with pytest.raises(GraphError, match=message):
        verify(graph)


STRUCTURE = [
    ("%r : int[] = prim::ListConstruct(%x)", "element 0 is of type Tensor, not int"),
    ("%r : (int, int) = prim::TupleConstruct(%n)", "not a tuple of 1"),
    ("%r : Dict(str, int) = prim::DictConstruct(%n)", "it needs keys and values"),
    ("%r : int, %s : int = prim::TupleUnpack(%t)", "element 1 is of type int, not str"),
    ("%r : Tensor = prim::ListUnpack(%n)", "it unpacks a int, not a list"),
    ("%r : int = prim::TupleIndex(%t, %five)", "index 5 is out of range"),
    ("%r : int = prim::GetAttr(%m)", "no attribute 'name'"),
    ('%r : int = prim::GetAttr[name="z"](%m)', "has no attribute 'z'"),
    (' = prim::SetAttr[name="n"](%m, %x)', "value 0 is of type Tensor, not int"),
    ('%r : int = prim::CallMethod[name="f"](%m)', "has no method 'f'"),
    ("%r : int = prim::CallFunction(%n)", "its first input is not a function"),
    ("%r : bool = prim::isinstance[types=1](%n)", "unexpected|not a list of types"),
    ("%r : int = prim::Constant[value=1.5]()", "its value, a float, is not a int"),
    ("%r : int? = prim::Constant[value=True]()", "its value, a bool, is not a int?"),
    (" = prim::RaiseException(%n, %n)", "input 0 is of type int, not str"),
    ("%r : Tensor = prim::CreateObject()", "it creates a Tensor, not an object"),
    ("%r : int = prim::fork[function=1](%n)", "its output is of type int, not a Future"),
]


@pytest.mark.parametrize(("line", "message"), STRUCTURE)
def test_structural_nodes(line: str, message: str) -> None:
    head = (
        "graph(%x : Tensor, %n : int, %t : (int, str), %m : __torch__.M):\n  %five : int = prim::Constant[value=5]()\n"
    )
    with pytest.raises(GraphError, match=message):
        verify(parse_graph(f"{head}  {line}\n  return (%n)\n", {"__torch__.M": CLASS}))


def test_errors_name_node_place_and_source() -> None:
    graph = parse_graph(TEXT)
    graph.name = "forward"
    bad = node(graph, "aten::neg")
    bad.span = Span(Source("y = -x", "model.py"), 1, 4, 1, 6)
    bad.outputs[0].type = T.INT
    with pytest.raises(GraphError) as caught:
        verify(graph)
    text = str(caught.value)
    assert "aten::neg" in text and "node 0 of block0 of prim::If, node 1 of graph 'forward'" in text
    assert 'File "model.py", line 1, column 5' in text and "^^" in text


def test_refined_types_are_allowed() -> None:
    graph = parse_graph(TEXT)
    graph.inputs[0].type = T.TensorType(6, (2, "s0"))
    node(graph, "aten::relu").outputs[0].type = T.TensorType(6, (2, 3))
    node(graph, "prim::If").outputs[0].type = T.TensorType(6, ("s1", 3))
    verify(graph)


def test_holds() -> None:
    assert holds([1, None], T.ListType(T.OptionalType(T.INT))) and not holds([1, "a"], T.ListType(T.INT))
    assert holds({"a": 1.0}, T.DictType(T.STRING, T.FLOAT)) and holds((1, "a"), T.TupleType((T.INT, T.STRING)))
    assert (
        not holds(True, T.INT)
        and holds(1, T.NUMBER)
        and holds(None, T.NONE)
        and holds(1, T.UnionType((T.INT, T.STRING)))
    )
