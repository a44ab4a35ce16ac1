"""Computes what is computed twice only once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from linstock.ir.graph import Block, Graph, Node, Value
from linstock.passes import effects
from linstock.passes.alias import AliasAnalysis, kinds_of
from linstock.passes.constants import key_of


@dataclass(frozen=True)
class CommonSubexpressions:
    """A node with the same operator, inputs and attributes as one that dominates it is replaced by it.

    Never across writes: a node whose inputs or outputs anything writes to stays, as do nodes that act or vary.
    """

    name = "common_subexpressions"

    def run(self, graph: Graph) -> bool:
        """Replace repeated nodes. Returns whether there were any."""
        return _Merger(graph).block(graph.block)


def signature_of(node: Node) -> Hashable | None:
    """What two nodes that compute the same have in common; None for nodes that must not be merged."""
    if not node.outputs or not effects.is_repeatable(node):
        return None
    attributes: list[tuple[str, Hashable]] = []
    for name, value in sorted(node.attributes.items()):
        key = key_of(value)
        if key is None:
            return None
        attributes.append((name, key))
    return (node.full_name, tuple(map(id, node.inputs)), tuple(attributes), tuple(v.type for v in node.outputs))


#: kinds whose outputs are (parts of) their first input: the same things, whatever is written to them
_PARTS = frozenset({
    "prim::GetAttr", "prim::unchecked_cast", "prim::unchecked_unwrap_optional", "prim::TupleIndex",
    "prim::TupleUnpack", "prim::ListUnpack", "aten::__getitem__",
})  # fmt: skip


class _Merger:
    def __init__(self, graph: Graph) -> None:
        self.alias = AliasAnalysis(graph)
        self.known: dict[Hashable, Node] = {}
        self.escaped: set[Value] = set()  # what now stands for something that is known outside

    def block(self, block: Block) -> bool:
        changed, added = False, []
        for node in block:
            for inner in node.blocks:
                changed |= self.block(inner)
            signature = signature_of(node)
            if signature is None or not self._unwritten(node):
                continue
            old = self.known.get(signature)
            if old is None:
                self.known[signature] = node
                added.append(signature)
            elif self._safe(old, node):
                self._replace(node, old.outputs)
                changed = True
        for signature in added:  # what is computed inside a block is not there after it
            del self.known[signature]
        return changed

    def _unwritten(self, node: Node) -> bool:
        if self.alias.changes_modes and any(kinds_of(v.type) for v in node.outputs):
            return False  # the same operator under no_grad and outside it differs
        if node.kind in _PARTS:
            return not self.alias.has_own_writers(node.inputs[0])
        return not any(map(self.alias.has_writers, node.inputs)) and not any(map(self.alias.has_writers, node.outputs))

    def _escapes(self, value: Value) -> bool:
        return value in self.escaped or self.alias.escapes(value)

    def _safe(self, old: Node, new: Node) -> bool:
        """Two results that are both known outside stay two: the caller may change one of them."""
        return new.kind in _PARTS or not any(
            kinds_of(a.type) and self._escapes(a) and self._escapes(b)
            for a, b in zip(old.outputs, new.outputs, strict=True)
        )

    def _replace(self, node: Node, values: list[Value]) -> None:
        for out, value in zip(node.outputs, values, strict=True):
            if self._escapes(out):
                self.escaped.add(value)
            out.replace_all_uses_with(value)
        node.destroy()
