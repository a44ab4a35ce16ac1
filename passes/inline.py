"""Puts the bodies of called functions and methods in the place of the calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Graph, Node, Value
from linstock.ir.program import Function


@dataclass(frozen=True)
class Inline:
    """Inlines calls of known functions and of methods of known classes, and the calls inside them.

    Recursive calls and calls through interfaces stay calls, and so do calls of what does not compile: its error waits
    until it is called. Every inlined node remembers the calls it came through (`Node.calls`).
    """

    name = "inline"

    def run(self, graph: Graph) -> bool:
        """Inline every call that can be. Returns whether there was one."""
        return _inline(list(graph.block), ())


def callee_of(node: Node) -> Function | None:
    """The function that a call runs, None if that is not known here."""
    if node.kind == "prim::CallFunction" and node.inputs:
        t = node.inputs[0].type
        return t.function if isinstance(t, T.FunctionType) and isinstance(t.function, Function) else None
    if node.kind != "prim::CallMethod":
        return None
    t, name = node.inputs[0].type, node.attributes["name"]
    if not isinstance(t, T.ClassType) or t.is_torchbind:
        return None
    method = t.methods.get(name)
    return method if isinstance(method, Function) else None


def _inline(nodes: Iterable[Node], active: tuple[Function, ...]) -> bool:
    changed = False
    for node in nodes:
        callee = callee_of(node)
        body = None if callee is None or callee in active else _body(callee)
        if callee is not None and body is not None:
            _inline(expand(node, body), (*active, callee))
            changed = True
        for block in node.blocks:
            changed |= _inline(list(block), active)
    return changed


def _body(callee: Function) -> Graph | None:
    try:
        return callee.graph
    except CompileError:
        return None


def expand(call: Node, body: Graph) -> list[Node]:
    """Replace a call by a copy of the callee's body. Returns the copied nodes (without those inside their blocks)."""
    arguments = call.inputs[1:] if call.kind == "prim::CallFunction" else call.inputs
    mapping: dict[Value, Value] = dict(zip(body.inputs, arguments, strict=True))
    before = call.prev
    assert before is not None and call.block is not None
    results = body.block.clone_into(call.block, mapping, call)
    made: list[Node] = []
    at = before.next
    while at is not None and at is not call:
        made.append(at)
        at = at.next
    for node in made:
        _remember(node, call)
    for out, value in zip(call.outputs, results, strict=True):
        out.replace_all_uses_with(value)
    call.destroy()
    return made


def _remember(node: Node, call: Node) -> None:
    if call.span is not None:
        node.calls = (*node.calls, call.span, *call.calls)
    if call.scope and not node.scope:
        node.scope = call.scope
    for block in node.blocks:
        for inner in block:
            _remember(inner, call)
