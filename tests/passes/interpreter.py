"""Runs a graph node by node: the plain reading of the IR, to compare graphs before and after passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linstock.ir.graph import Block, Graph, Node, Value
from linstock.runtime import dispatch


def attributes_of(obj: Any) -> dict[str, Any]:
    """The attributes of an object of the program, or of a stand-in for one."""
    slots: dict[str, Any] = obj.slots if hasattr(obj, "slots") else vars(obj)
    return slots


class Interpreter:
    """Runs graphs; `printed` collects what `prim::Print` nodes print."""

    def __init__(self) -> None:
        self.values: dict[Value, Any] = {}
        self.printed: list[Any] = []

    def run(self, graph: Graph, arguments: Sequence[Any]) -> Any:
        """The graph's result for these arguments."""
        self.values.update(zip(graph.inputs, arguments, strict=True))
        self._block(graph.block)
        return self.values[graph.outputs[0]]

    def _block(self, block: Block) -> None:
        for node in block:
            outputs = self._node(node, [self.values[v] for v in node.inputs])
            self.values.update(zip(node.outputs, outputs, strict=True))

    def _node(self, node: Node, inputs: list[Any]) -> list[Any]:
        if node.kind == "prim::Constant":
            return [node.attributes["value"]]
        if node.kind == "prim::If":
            block = node.blocks[0 if inputs[0] else 1]
            self._block(block)
            return [self.values[v] for v in block.outputs]
        if node.kind == "prim::Loop":
            return self._loop(node, inputs)
        if node.kind in ("prim::ListConstruct", "prim::TupleConstruct"):
            return [list(inputs) if node.kind == "prim::ListConstruct" else tuple(inputs)]
        if node.kind in ("prim::ListUnpack", "prim::TupleUnpack"):
            return list(inputs[0])
        if node.kind == "prim::TupleIndex":
            return [inputs[0][inputs[1]]]
        if node.kind == "prim::unchecked_cast":
            return inputs
        if node.kind == "prim::Print":
            self.printed.append([str(v) for v in inputs])
            return []
        if node.kind == "prim::GetAttr":
            return [attributes_of(inputs[0])[node.attributes["name"]]]
        if node.kind == "prim::SetAttr":
            attributes_of(inputs[0])[node.attributes["name"]] = inputs[1]
            return []
        result = dispatch.operator(node.full_name)(*inputs)
        return [] if not node.outputs else [result] if len(node.outputs) == 1 else list(result)

    def _loop(self, node: Node, inputs: list[Any]) -> list[Any]:
        body, carried, index, go_on = node.blocks[0], inputs[2:], 0, inputs[1]
        while go_on and index < inputs[0]:
            self.values.update(zip(body.inputs, [index, *carried], strict=True))
            self._block(body)
            go_on, *carried = (self.values[v] for v in body.outputs)
            index += 1
        return list(carried)
