"""Bodies of callees in the place of calls."""

from __future__ import annotations

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Graph
from linstock.ir.program import Function, Parameter, Signature
from linstock.ir.source import Source, Span
from linstock.passes.inline import Inline
from tests.passes.checks import check, graph_of, kinds, unchanged

RUN = Inline().run


def function(name: str, text: str, parameters: list[Parameter], returns: T.Type) -> Function:
    return Function.of(name, Signature(tuple(parameters), returns), graph_of(text))


DOUBLE = function(
    "double",
    "graph(%y : Tensor):\n  %c : int = prim::Constant[value=2]()\n  %z : Tensor = aten::mul(%y, %c)\n  return (%z)\n",
    [Parameter("y", T.TENSOR)],
    T.TENSOR,
)


def test_functions_inside_blocks() -> None:
    check(
        RUN,
        """graph(%x : Tensor, %b : bool):
  %f : Function = prim::Constant[value=@double]()
  %r : Tensor = prim::If(%b)
    block0():
      %p : Tensor = prim::CallFunction(%f, %x)
      -> (%p)
    block1():
      -> (%x)
  return (%r)
""",
        """graph(%x : Tensor, %b : bool):
  %f : Function = prim::Constant[value=@double]()
  %r : Tensor = prim::If(%b)
    block0():
      %c : int = prim::Constant[value=2]()
      %z : Tensor = aten::mul(%x, %c)
      -> (%z)
    block1():
      -> (%x)
  return (%r)
""",
        functions={"double": DOUBLE},
    )


def test_methods_and_what_they_call() -> None:
    cls = T.ClassType("__torch__.M", True, {"w": T.TENSOR})
    me = Parameter("self", cls)
    classes = {"__torch__.M": cls}

    def method(name: str, body: str) -> None:
        from linstock.ir.parser import parse_graph

        text = f"graph(%self : __torch__.M, %x : Tensor):\n{body}"
        signature = Signature((me, Parameter("x", T.TENSOR)), T.TENSOR)
        cls.methods[name] = Function.of(name, signature, parse_graph(text, classes, functions={"double": DOUBLE}))

    method(
        "scale", '  %w : Tensor = prim::GetAttr[name="w"](%self)\n  %y : Tensor = aten::mul(%x, %w)\n  return (%y)\n'
    )
    method(
        "forward",
        '  %a : Tensor = prim::CallMethod[name="scale"](%self, %x)\n  %f : Function = prim::Constant[value=@double]()\n'
        "  %b : Tensor = prim::CallFunction(%f, %a)\n  return (%b)\n",
    )
    call = 'graph(%m : __torch__.M, %x : Tensor):\n  %y : Tensor = prim::CallMethod[name="forward"](%m, %x)\n  return (%y)\n'
    graph = graph_of(call, classes)
    assert RUN(graph)
    assert kinds(graph) == ["prim::GetAttr", "aten::mul.Tensor", "aten::mul.Scalar"]
    assert kinds(cls.methods["forward"].graph) == [
        "prim::CallMethod",
        "prim::CallFunction",
    ]  # the callee stays as it was


def test_inlined_nodes_remember_their_calls() -> None:
    graph = graph_of(
        "graph(%x : Tensor):\n  %f : Function = prim::Constant[value=@double]()\n"
        "  %y : Tensor = prim::CallFunction(%f, %x)\n  return (%y)\n",
        functions={"double": DOUBLE},
    )
    span = Span(Source("y = double(x)"), 1, 4, 1, 13)
    next(n for n in graph.walk() if n.kind == "prim::CallFunction").span = span
    RUN(graph)
    assert next(n for n in graph.walk() if n.kind == "aten::mul").calls == (span,)


def test_recursion_and_interfaces_stay_calls() -> None:
    from linstock.ir.parser import parse_graph

    loop = Function("loop")
    text = (
        "graph(%x : Tensor):\n  %f : Function = prim::Constant[value=@loop]()\n"
        "  %y : Tensor = prim::CallFunction(%f, %x)\n  return (%y)\n"
    )
    signature = Signature((Parameter("x", T.TENSOR),), T.TENSOR)
    loop.set_graph(Graph(), signature)
    loop.set_graph(parse_graph(text, functions={"loop": loop}), signature)
    graph = graph_of(text, functions={"loop": loop})
    assert RUN(graph)
    assert kinds(graph) == ["prim::CallFunction"]
    interface = T.InterfaceType("__torch__.I", True, {"forward": Signature((Parameter("self", T.ANY),), T.TENSOR)})
    unchanged(
        RUN,
        'graph(%m : __torch__.I):\n  %y : Tensor = prim::CallMethod[name="forward"](%m)\n  return (%y)\n',
        {"__torch__.I": interface},
    )


def test_what_does_not_compile_waits_until_it_is_called() -> None:
    def define(function: Function) -> tuple[Signature, Graph]:
        raise CompileError("no")

    broken = Function("broken", define, lambda f: Signature((Parameter("x", T.TENSOR),), T.TENSOR))
    unchanged(
        RUN,
        "graph(%x : Tensor):\n  %f : Function = prim::Constant[value=@broken]()\n"
        "  %y : Tensor = prim::CallFunction(%f, %x)\n  return (%y)\n",
        functions={"broken": broken},
    )
