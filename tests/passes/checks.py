"""Text in, text out: how passes are tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from linstock.ir.graph import Graph
from linstock.ir.parser import parse_graph
from linstock.ir.printer import print_graph
from linstock.ir.types import Type
from linstock.ir.verifier import verify
from linstock.runtime.executor import evaluate as evaluator

Run = Callable[[Graph], Any]


__all__ = ["canonical", "check", "evaluator", "graph_of", "kinds", "unchanged"]


def graph_of(text: str, classes: Mapping[str, Type] | None = None, functions: Mapping[str, Any] | None = None) -> Graph:
    """A verified graph from its text."""
    graph = parse_graph(text, classes, functions=functions)
    verify(graph)
    return graph


def canonical(graph: Graph) -> str:
    """The text of a graph without the names of its values (but for inputs)."""
    copy = graph.copy()
    for node in copy.walk():
        for value in [*node.outputs, *(v for b in node.blocks for v in b.inputs)]:
            value.name = ""
    return print_graph(copy)


def check(run: Run, before: str, after: str, classes: Mapping[str, Type] | None = None, **kwargs: Any) -> Graph:
    """Apply a pass to a graph; the result must verify and equal `after` but for names."""
    graph = graph_of(before, classes, **kwargs)
    run(graph)
    verify(graph)
    assert canonical(graph) == canonical(graph_of(after, classes, **kwargs)), f"got:\n{print_graph(graph)}"
    return graph


def unchanged(run: Run, text: str, classes: Mapping[str, Type] | None = None, **kwargs: Any) -> None:
    """The pass must leave the graph alone, and say so."""
    graph = graph_of(text, classes, **kwargs)
    before = print_graph(graph)
    changed = run(graph)
    assert print_graph(graph) == before and not changed


def kinds(graph: Graph) -> Sequence[str]:
    """The operators of a graph in order, constants left out."""
    return [n.full_name for n in graph.walk() if n.kind != "prim::Constant"]
