"""List and dictionary comprehensions: a loop that appends, or unrolled where the elements are known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from linstock.ir import types as T
from linstock.ir.graph import Block, Builder, Value
from linstock.tracer import matching
from linstock.tracer.environment import Frame
from linstock.tracer.values import Range, SimpleValue, Sugared, TupleOf

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter


def compile(e: Emitter, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, hint: T.Type | None) -> Sugared:
    """Compile a comprehension with one `for`; `hint` types an empty result."""
    if len(node.generators) != 1 or node.generators[0].is_async:
        raise e.error(node, "a comprehension with more than one 'for' cannot be compiled: write the loops out")
    generator = node.generators[0]
    over = e.iterable(generator.iter)
    items = None if isinstance(over, Range) else over.elements(e, e.span_of(node))
    if items is not None and not generator.ifs and not isinstance(node, ast.DictComp):
        return _unrolled(e, node, generator, items, hint)
    return _looped(e, node, generator, over, hint)


def _unrolled(
    e: Emitter,
    node: ast.ListComp | ast.GeneratorExp,
    generator: ast.comprehension,
    items: list[Sugared],
    hint: T.Type | None,
) -> Sugared:
    wanted = T.without_none(hint) if hint is not None else None
    element = wanted.element if isinstance(wanted, T.ListType) else None
    results: list[Sugared] = []
    outer, e.frame = e.frame, Frame(e.frame)
    try:
        for item in items:
            e.assign(generator.target, item)
            results.append(e.expression(node.elt, element))
    finally:
        e.frame = outer
    span = e.span_of(node)
    if any(not r.is_value for r in results):
        return TupleOf(tuple(results))
    values = [r.value(e, span) for r in results]
    if not values:
        return SimpleValue(e.list_of([], element or T.TENSOR))
    listed, t = e.common(values, element, span)
    return SimpleValue(e.list_of(listed, t.element))


def _looped(
    e: Emitter,
    node: ast.ListComp | ast.DictComp | ast.GeneratorExp,
    generator: ast.comprehension,
    over: Sugared,
    hint: T.Type | None,
) -> Sugared:
    span = e.span_of(node)
    is_dict = isinstance(node, ast.DictComp)
    limit = over.length(e, span)
    # the result stands before the loop, its type is known after the body: made with a placeholder type, set below
    made = e.at(span).value("prim::DictConstruct" if is_dict else "prim::ListConstruct", (), hint or T.ANY)
    loop = e.at(span).node("prim::Loop", (limit, e.builder.constant(True)))
    block = Block(e.graph, loop)
    loop.blocks.append(block)
    index = block.add_input(T.INT, "i")
    before, outer = e.builder, e.frame
    e.builder, e.frame = Builder(block, span), Frame(outer)
    try:
        e.assign(generator.target, over.element_at(e, span, index))
        _conditional(e, node, list(generator.ifs), made, hint)
    finally:
        e.builder, e.frame = before, outer
    block.add_output(Builder(block, span).constant(True))
    return SimpleValue(made)


def _conditional(
    e: Emitter,
    node: ast.ListComp | ast.DictComp | ast.GeneratorExp,
    tests: list[ast.expr],
    made: Value,
    hint: T.Type | None,
) -> None:
    span = e.span_of(node)
    if tests:
        c = e.condition(tests[0])
        if c.static is False:
            return
        if c.static is None:
            branch = e.at(span).node("prim::If", (c.value,))
            yes, no = Block(e.graph, branch), Block(e.graph, branch)
            branch.blocks.extend((yes, no))
            before, outer = e.builder, e.frame
            e.builder, e.frame = Builder(yes, span), Frame(outer)
            try:
                for name, t in c.when_true.items():
                    e.frame.refine(name, e._narrow(name, t, span))
                _conditional(e, node, tests[1:], made, hint)
            finally:
                e.builder, e.frame = before, outer
            return
        _conditional(e, node, tests[1:], made, hint)
        return
    wanted = T.without_none(hint) if hint is not None else None
    if isinstance(node, ast.DictComp):
        kt, vt = (wanted.key, wanted.value) if isinstance(wanted, T.DictType) else (None, None)
        key, value = e.value(node.key, kt), e.value(node.value, vt)
        if not isinstance(wanted, T.DictType):
            made.type = T.DictType(key.type, value.type)
        matching.emit_builtin(e, span, "aten::_set_item", [made, key, value], {})
        return
    element = wanted.element if isinstance(wanted, T.ListType) else None
    item = e.value(node.elt, element)
    if element is not None:
        item = matching.convert(e, item, element, False)
    else:
        made.type = T.ListType(item.type)
    matching.emit_builtin(e, span, "aten::append", [made, item], {})
