"""Computes at compile time what depends on constants only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from linstock.ir import types as T
from linstock.ir.graph import Block, Builder, Graph, Node, Value, type_of_constant
from linstock.passes import effects
from linstock.passes.alias import AliasAnalysis, kinds_of
from linstock.passes.constants import constant_inputs

#: computes an operator: (full name, arguments) -> outputs
Evaluator = Callable[[str, Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True)
class ConstantPropagation:
    """Replaces nodes with constant inputs by their results, conditionals with a constant condition by the branch taken.

    A result that is mutable (tensor, list, dict) becomes a constant only if nothing writes to it and it is not known
    outside: a constant is shared by all runs. A result of more than `max_elements` elements is kept out unless it is no
    larger than what it is made of. What raises is left to raise when it is run.
    """

    evaluator: Evaluator | None
    max_elements: int = 1 << 16
    name = "constant_propagation"

    def run(self, graph: Graph) -> bool:
        """Fold what can be. Returns whether anything was."""
        return _Folder(graph, self).block(graph.block)


def take_branch(node: Node, index: int) -> None:
    """Replace a conditional by the nodes of one of its blocks."""
    block = node.blocks[index]
    results = list(block.outputs)
    for inner in block.nodes:
        inner.move_before(node)
    for out, value in zip(node.outputs, results, strict=True):
        out.replace_all_uses_with(value)
    node.destroy()


def skip_loop(node: Node) -> None:
    """Replace a loop that does not run by its initial values."""
    for out, value in zip(node.outputs, node.inputs[2:], strict=True):
        out.replace_all_uses_with(value)
    node.destroy()


def never_runs(loop: Node) -> bool:
    """Whether a loop certainly has no iteration."""
    count = loop.inputs[0]
    return effects.is_false(loop.inputs[1]) or (count.is_constant and count.constant <= 0)


class _Folder:
    def __init__(self, graph: Graph, options: ConstantPropagation) -> None:
        self.options, self.alias = options, AliasAnalysis(graph)

    def block(self, block: Block) -> bool:
        changed = False
        for node in block:
            if node.kind == "prim::If" and node.inputs[0].is_constant:
                taken = 0 if node.inputs[0].constant else 1
                self.block(node.blocks[taken])
                take_branch(node, taken)
                changed = True
            elif node.kind == "prim::Loop" and never_runs(node):
                skip_loop(node)
                changed = True
            elif node.blocks:
                for inner in node.blocks:
                    changed |= self.block(inner)
            elif node.kind != "prim::Constant":
                changed |= self.fold(node)
        return changed

    def fold(self, node: Node) -> bool:
        if not node.outputs or not effects.is_repeatable(node):
            return False
        inputs = constant_inputs(node)
        if inputs is None or not self._may_be_shared(node):
            return False
        outputs = _evaluate(node, inputs, self.options.evaluator)
        if outputs is None or not self._fits(inputs, outputs):
            return False
        made = [_constant(node, value, out) for value, out in zip(outputs, node.outputs, strict=True)]
        for out, constant in zip(node.outputs, made, strict=True):
            out.replace_all_uses_with(constant)
        node.destroy()
        return True

    def _may_be_shared(self, node: Node) -> bool:
        if any(map(self.alias.has_writers, node.inputs)):
            return False
        return not any(
            kinds_of(v.type)
            and (
                self.alias.has_writers(v)
                or (self.alias.escapes(v) and not isinstance(v.type, T.TupleType))
                or not _plain(v.type)
            )
            for v in node.outputs
        )

    def _fits(self, inputs: list[Any], outputs: Sequence[Any]) -> bool:
        made = sum(map(_elements, outputs))
        return made <= self.options.max_elements or made <= sum(map(_elements, inputs))


def _plain(t: T.Type) -> bool:
    """Whether a constant of the type can be stored in a graph: numbers, strings, tensors, and containers of them."""
    if isinstance(t, T.NamedTupleType):
        return False
    if isinstance(t, (T.ListType, T.DictType, T.TupleType, T.OptionalType)):
        return all(map(_plain, t.children()))
    return isinstance(t, T.TensorType) or not kinds_of(t)


def _elements(value: Any) -> int:
    if isinstance(value, (list, tuple)):
        return sum(map(_elements, value))
    if isinstance(value, dict):
        return sum(map(_elements, value.values()))
    count = getattr(value, "numel", None)
    if callable(count):
        return int(count())
    size = getattr(value, "size", 1)
    return size if isinstance(size, int) else 1


def _constant(node: Node, value: Any, output: Value) -> Value:
    kind = output.type
    if isinstance(value, (bool, int, float, complex, str, type(None))) and isinstance(
        kind, (T.OptionalType, T.UnionType, T.SimpleType)
    ):
        kind = type_of_constant(value)
    made = Builder(node, node.span).constant(value, kind)
    made.name = output.name
    return made


# -- evaluation -------------------------------------------------------------------------------------
def _evaluate(node: Node, inputs: list[Any], evaluator: Evaluator | None) -> Sequence[Any] | None:
    """The outputs of the node, None if they cannot be computed here."""
    rule = _STRUCTURAL.get(node.kind)
    if rule is not None:
        return rule(node, inputs)
    if node.schema is None or node.schema.is_mutable or evaluator is None:
        return None
    try:
        outputs = evaluator(node.full_name, inputs)
    except Exception:  # whatever it is, running the node raises it again, at the right place
        return None
    return outputs if len(outputs) == len(node.outputs) else None


def _index(node: Node, inputs: list[Any]) -> Sequence[Any] | None:
    items, index = inputs
    return (items[index],) if isinstance(items, tuple) and -len(items) <= index < len(items) else None


def _unpack(node: Node, inputs: list[Any]) -> Sequence[Any] | None:
    return list(inputs[0]) if isinstance(inputs[0], (list, tuple)) and len(inputs[0]) == len(node.outputs) else None


def _tuple(node: Node, inputs: list[Any]) -> Sequence[Any] | None:
    return (tuple(inputs),) if type(node.outputs[0].type) is T.TupleType else None


def _slice(node: Node, inputs: list[Any]) -> Sequence[Any] | None:
    return (tuple(inputs[0])[node.attributes["beg"] : node.attributes["end"]],)


def _cast(node: Node, inputs: list[Any]) -> Sequence[Any] | None:
    return None if inputs[0] is None and not node.outputs[0].type.is_optional() else (inputs[0],)


_STRUCTURAL: dict[str, Callable[[Node, list[Any]], Sequence[Any] | None]] = {
    "prim::ListConstruct": lambda node, inputs: (list(inputs),),
    "prim::TupleConstruct": _tuple,
    "prim::DictConstruct": lambda node, inputs: (dict(zip(inputs[::2], inputs[1::2], strict=True)),),
    "prim::TupleIndex": _index,
    "prim::TupleUnpack": _unpack,
    "prim::ListUnpack": _unpack,
    "prim::TupleSlice": _slice,
    "prim::unchecked_cast": _cast,
}
