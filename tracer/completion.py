"""Compiling everything that a function reaches, so that errors come when it is scripted, not when it runs."""

from __future__ import annotations

from collections.abc import Iterator

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Graph, Node
from linstock.ir.program import Function


def callees(graph: Graph) -> Iterator[tuple[Node, Function]]:
    """The functions and methods that a graph calls, with the calling nodes; those of interfaces are not known."""
    for node in graph.walk():
        if node.kind == "prim::CallFunction" and node.inputs[0].is_constant:
            yield node, node.inputs[0].constant
        elif node.kind in ("prim::CallMethod", "prim::Enter", "prim::Exit"):
            owner = node.inputs[0].type
            name = {"prim::Enter": "__enter__", "prim::Exit": "__exit__"}.get(node.kind) or node.attributes["name"]
            method = owner.methods.get(name) if isinstance(owner, T.ClassType) else None
            if isinstance(method, Function):
                yield node, method
        elif node.kind == "prim::fork":
            yield node, node.attributes["function"]


def complete(function: Function, done: set[Function]) -> None:
    """Compile a function and all that it calls. Raises CompileError, with the calls that lead there; also for recursion.

    `done` are functions that are known to be complete.
    """
    function.ensure()
    _visit(function, done, [])


def _visit(function: Function, done: set[Function], active: list[Function]) -> None:
    if function in done:
        return
    active.append(function)
    for node, callee in callees(function.graph):
        if callee in active:
            raise CompileError(f"function '{callee.short_name}' calls itself: recursion cannot be compiled", node.span)
        try:
            callee.ensure()
            _visit(callee, done, active)
        except CompileError as problem:
            raise _called_from(problem, function, node) from None
    active.pop()
    done.add(function)


def _called_from(problem: CompileError, function: Function, node: Node) -> CompileError:
    """The error with one more call in its text."""
    made = type(problem)(problem.message, problem.span)
    where = "" if node.span is None else f"\ncalled from '{function.short_name}'\n{node.span.show()}"
    made.args = (f"{problem.args[0]}{where}",)
    return made
