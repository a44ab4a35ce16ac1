"""Removes what no result needs: nodes, outputs of conditionals, carried values of loops."""

from __future__ import annotations

from dataclasses import dataclass

from linstock.ir.graph import Block, Graph, Node, Value
from linstock.passes import effects
from linstock.passes.alias import AliasAnalysis


@dataclass(frozen=True)
class DeadCode:
    """Keeps what the graph returns, what acts (`effects.is_action`), writes to memory that is returned, known outside
    or read by something that is kept, and what all of these need."""

    name = "dead_code"

    def run(self, graph: Graph) -> bool:
        """Remove the rest. Returns whether anything was removed."""
        marker = _Marker(graph)
        return _sweep(graph.block, marker)


class _Marker:
    """Marks live nodes and values. A value of a loop or conditional is live on its own."""

    def __init__(self, graph: Graph) -> None:
        self.alias = AliasAnalysis(graph)
        self.nodes: set[Node] = set()
        self.values: set[Value] = set()
        self._classes: set[int] = set()
        self._pending: list[Value] = []
        for node in graph.walk():
            if effects.is_action(node) or any(self.alias.is_outside(c) for c in self._own_writes(node)):
                self._mark(node)
        self._need(graph.outputs)
        self._follow()

    def _own_writes(self, node: Node) -> frozenset[int]:
        return frozenset() if node.blocks else self.alias.writes(node)

    def _need(self, values: list[Value]) -> None:
        for v in values:
            if v not in self.values:
                self.values.add(v)
                self._pending.append(v)

    def _follow(self) -> None:
        while self._pending:
            value = self._pending.pop()
            self._define(value)
            for c in self.alias.classes(value) - self._classes:
                self._classes.add(c)
                for writer in self.alias.writers_of(c):
                    self._mark(writer)

    def _define(self, value: Value) -> None:
        """Mark what makes the value."""
        node = value.node
        if node.kind == "prim::Param":
            owner = node.block.owner if node.block is not None else None
            if owner is not None:
                self._mark(owner)
                if value.index > 0:
                    self._carry(owner, value.index - 1)
            return
        self._mark(node)
        if node.kind == "prim::If":
            self._need([b.outputs[value.index] for b in node.blocks])
        elif node.kind == "prim::Loop":
            self._carry(node, value.index)

    def _carry(self, loop: Node, index: int) -> None:
        self._need(
            [
                loop.inputs[index + 2],
                loop.blocks[0].outputs[index + 1],
                loop.blocks[0].inputs[index + 1],
                loop.outputs[index],
            ]
        )

    def _mark(self, node: Node) -> None:
        while node not in self.nodes:
            self.nodes.add(node)
            if node.kind == "prim::Loop":
                self._need([*node.inputs[:2], node.blocks[0].outputs[0]])
            else:
                self._need(node.inputs)
            owner = node.block.owner if node.block is not None else None
            if owner is None:
                return
            node = owner


def _sweep(block: Block, live: _Marker) -> bool:
    """Remove what is not live, last nodes first: then nothing that is removed is still used."""
    changed = False
    for node in reversed(block):
        if node not in live.nodes:
            node.destroy()
            changed = True
            continue
        dead = [] if not node.blocks else [i for i, v in enumerate(node.outputs) if v not in live.values]
        for i in reversed(dead):
            _drop_result(node, i)
        for inner in node.blocks:
            changed |= _sweep(inner, live)
        if node.kind == "prim::Loop":
            for i in reversed(dead):
                node.blocks[0].remove_input(i + 1)
        changed |= bool(dead)
    return changed


def _drop_result(node: Node, index: int) -> None:
    """Remove an output of a conditional, or a carried value of a loop (but for the block's input, which dead nodes may
    still use).
    """
    if node.kind == "prim::Loop":
        node.remove_input(index + 2)
        node.blocks[0].remove_output(index + 1)
    else:
        for block in node.blocks:
            block.remove_output(index)
    node.remove_output(index)
