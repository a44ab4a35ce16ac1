"""Keeps one node for equal constants, at the beginning of the graph."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from linstock.ir import operators
from linstock.ir.graph import Graph, Node, Value
from linstock.passes.alias import kinds_of
from linstock.passes.constants import key_of


@dataclass(frozen=True)
class ConstantPooling:
    """Merges constants of the same value and type and moves them to the front, where they dominate everything.

    A list or dict stays alone unless it is only read: two of them that are returned must be two.
    """

    name = "constant_pooling"

    def run(self, graph: Graph) -> bool:
        """Pool the constants. Returns whether any was merged or moved into the outermost block."""
        known: dict[Hashable, Value] = {}
        changed = False
        last: Node = graph.block.param_node
        for node in list(graph.walk()):
            if node.kind != "prim::Constant":
                continue
            value = node.outputs[0]
            key = (key_of(node.attributes.get("value")), value.type) if _poolable(value) else None
            found = known.get(key) if key is not None and key[0] is not None else None
            if found is not None:
                value.replace_all_uses_with(found)
                node.destroy()
                changed = True
                continue
            if key is not None:
                known[key] = value
            changed |= node.block is not graph.block
            if last.next is not node:
                node.move_after(last)
            last = node
        return changed


def _poolable(value: Value) -> bool:
    constant = value.node.attributes.get("value")
    return not isinstance(constant, (list, dict, tuple)) or not kinds_of(value.type) or only_read(value)


def only_read(value: Value) -> bool:
    """Whether every use is an operator that only looks at the value."""
    for use in value.uses:
        schema = use.node.schema
        if schema is None or schema.vararg or use.index >= len(schema.arguments):
            return False
        formal = schema.arguments[use.index]
        if formal.alias is not None or formal.type.has_variables() or operators.family(schema.full_name) == "container":
            return False
    return True
