"""Removing what the emitter made and nothing needs: unpacked tuples, attributes that were looked at, unused results of
branches.
"""

from __future__ import annotations

from linstock.ir.graph import Block, Graph, Node

_REMOVABLE = {
    "prim::Constant", "prim::TupleConstruct", "prim::ListConstruct", "prim::DictConstruct", "prim::TupleUnpack", "prim::TupleSlice",
    "prim::GetAttr", "prim::unchecked_cast", "prim::Uninitialized", "prim::isinstance", "aten::__is__", "aten::__isnot__",
}  # fmt: skip


def sweep(graph: Graph) -> None:
    """Remove structural nodes without use, and outputs of branches and loops that nothing reads."""
    _sweep(graph.block)


def _sweep(block: Block) -> None:
    for node in reversed(block):
        if node.kind == "prim::If":
            for i in range(len(node.outputs) - 1, -1, -1):
                if not node.outputs[i].uses:
                    node.remove_output(i)
                    for inner in node.blocks:
                        inner.remove_output(i)
        elif node.kind == "prim::Loop":
            _drop_carried(node)
        for inner in node.blocks:
            _sweep(inner)
        if node.kind in _REMOVABLE and not any(v.uses for v in node.outputs):
            node.destroy()


def _drop_carried(loop: Node) -> None:
    """Loop variables that neither the body nor what follows reads."""
    body = loop.blocks[0]
    for i in range(len(loop.outputs) - 1, -1, -1):
        if not loop.outputs[i].uses and not body.inputs[i + 1].uses:
            loop.remove_output(i)
            body.remove_output(i + 1)
            body.remove_input(i + 1)
            loop.remove_input(i + 2)
