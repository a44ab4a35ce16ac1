"""Takes tuples apart: what is put into a tuple and taken out again does not need it."""

from __future__ import annotations

from dataclasses import dataclass

from linstock.ir import types as T
from linstock.ir.graph import Block, Builder, Graph, Node, Value


@dataclass(frozen=True)
class LowerTuples:
    """Replaces elements taken out of known tuples by the values, and carries elements instead of tuples through
    conditionals and loops where every way in constructs the tuple. Constructs that are no longer used are left to dead
    code elimination."""

    name = "lower_tuples"

    def run(self, graph: Graph) -> bool:
        """Lower. Returns whether anything changed."""
        return _block(graph.block)


def elements_of(value: Value) -> list[Value] | None:
    """The values that a tuple is made of, None if that is not known."""
    return list(value.node.inputs) if value.node.kind == "prim::TupleConstruct" else None


def _block(block: Block) -> bool:
    changed = False
    for node in block:
        if node.kind in ("prim::TupleUnpack", "prim::TupleIndex", "prim::TupleSlice"):
            changed |= _take_apart(node)
            continue
        for inner in node.blocks:
            if node.kind == "prim::Loop":
                changed |= _split_carried(node)
            changed |= _block(inner)
        if node.kind == "prim::If":
            changed |= _split_results(node)
        elif node.kind == "prim::Loop":
            changed |= _split_carried(node)
    return changed


def _take_apart(node: Node) -> bool:
    """(a, b)[0]  =>  a"""
    values = elements_of(node.inputs[0])
    if values is None:
        return False
    if node.kind == "prim::TupleUnpack":
        for out, value in zip(node.outputs, values, strict=True):
            out.replace_all_uses_with(value)
    elif node.kind == "prim::TupleIndex":
        index = node.inputs[1]
        if not index.is_constant or not -len(values) <= index.constant < len(values):
            return False
        node.outputs[0].replace_all_uses_with(values[index.constant])
    else:
        part = values[node.attributes["beg"] : node.attributes["end"]]
        made = Builder(node, node.span).value("prim::TupleConstruct", part, node.outputs[0].type)
        node.outputs[0].replace_all_uses_with(made)
    node.destroy()
    return True


def _ways(value: Value, builder: Builder) -> list[Value] | None:
    """The elements of a tuple that leaves a block; of an uninitialised one, uninitialised elements."""
    if value.node.kind == "prim::Uninitialized" and isinstance(value.type, T.TupleType):
        return [builder.value("prim::Uninitialized", (), t) for t in value.type.elements]
    return elements_of(value)


def _is_made(value: Value) -> bool:
    return value.node.kind in ("prim::TupleConstruct", "prim::Uninitialized")


def _split_results(node: Node) -> bool:
    """(c ? (a, b) : (d, e))  =>  ((c ? a : d), (c ? b : e))"""
    changed = False
    i = 0
    while i < len(node.outputs):
        out = node.outputs[i]
        ends = [b.outputs[i] for b in node.blocks]
        made = any(v.node.kind == "prim::TupleConstruct" for v in ends) and all(map(_is_made, ends))
        if not isinstance(out.type, T.TupleType) or not made:
            i += 1
            continue
        parts = [_ways(v, Builder(b, node.span)) for v, b in zip(ends, node.blocks, strict=True)]
        new = []
        for k, t in enumerate(out.type.elements):
            for block, values in zip(node.blocks, parts, strict=True):
                assert values is not None
                block.add_output(values[k])
            new.append(node.add_output(t))
        out.replace_all_uses_with(_rebuild(node, new, out.type))
        for block in node.blocks:
            block.remove_output(i)
        node.remove_output(i)
        changed = True
    return changed


def _split_carried(node: Node) -> bool:
    """Carry the elements of a tuple that is constructed before a loop and at the end of every iteration."""
    changed = False
    body = node.blocks[0]
    i = 0
    while i < len(node.outputs):
        out, first, inner, last = node.outputs[i], node.inputs[i + 2], body.inputs[i + 1], body.outputs[i + 1]
        made = "prim::TupleConstruct" in (first.node.kind, last.node.kind)
        if not isinstance(out.type, T.TupleType) or not (
            made and _is_made(first) and (_is_made(last) or last is inner)
        ):
            i += 1
            continue
        start = _ways(first, Builder(node, node.span))
        assert start is not None
        fresh = [body.add_input(t) for t in out.type.elements]
        begin = body.param_node.next
        assert begin is not None
        whole = Builder(begin, node.span).value("prim::TupleConstruct", fresh, out.type)
        end = fresh if last is inner else _ways(last, Builder(body, node.span))
        assert end is not None
        inner.replace_all_uses_with(whole)
        new = []
        for k, t in enumerate(out.type.elements):
            node.add_input(start[k])
            body.add_output(end[k])
            new.append(node.add_output(t))
        out.replace_all_uses_with(_rebuild(node, new, out.type))
        body.remove_output(i + 1)
        body.remove_input(i + 1)
        node.remove_input(i + 2)
        node.remove_output(i)
        changed = True
    return changed


def _rebuild(node: Node, parts: list[Value], t: T.Type) -> Value:
    after = node.next
    assert after is not None
    return Builder(after, node.span).value("prim::TupleConstruct", parts, t)
