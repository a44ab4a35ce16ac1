"""Writes out loops that run a small, known number of times."""

from __future__ import annotations

from dataclasses import dataclass

from linstock.ir.graph import Block, Builder, Graph, Node, Value
from linstock.passes import effects


@dataclass(frozen=True)
class LoopUnrolling:
    """Unrolls loops with a constant trip count of at most `max_iterations` whose condition is always true, if that
    makes at most `max_nodes` nodes. Loops inside are unrolled first."""

    max_iterations: int = 16
    max_nodes: int = 256
    name = "loop_unrolling"

    def run(self, graph: Graph) -> bool:
        """Unroll. Returns whether a loop was."""
        return self._block(graph.block)

    def _block(self, block: Block) -> bool:
        changed = False
        for node in block:
            for inner in node.blocks:
                changed |= self._block(inner)
            count = trip_count(node)
            if count is not None and count <= self.max_iterations and count * _size(node) <= self.max_nodes:
                unroll(node, count)
                changed = True
        return changed


def trip_count(node: Node) -> int | None:
    """How often a loop runs if that is known: a constant count, and conditions that are always true."""
    if (
        node.kind != "prim::Loop"
        or not effects.is_true(node.inputs[1])
        or not effects.is_true(node.blocks[0].outputs[0])
    ):
        return None
    count = node.inputs[0]
    return max(0, count.constant) if count.is_constant else None


def unroll(node: Node, count: int) -> None:
    """for i in range(count): body(i)  =>  body(0); body(1); …"""
    body = node.blocks[0]
    assert node.block is not None
    carried = node.inputs[2:]
    for i in range(count):
        index = Builder(node, node.span).constant(i)
        mapping: dict[Value, Value] = dict(zip(body.inputs, [index, *carried], strict=True))
        carried = body.clone_into(node.block, mapping, node)[1:]
    for out, value in zip(node.outputs, carried, strict=True):
        out.replace_all_uses_with(value)
    node.destroy()


def _size(node: Node) -> int:
    return sum(1 for n in node.blocks[0].walk() if n.kind != "prim::Constant")
