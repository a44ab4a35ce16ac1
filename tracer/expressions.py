"""From expressions to values: operators, calls, indexing, conditions with what they tell about types."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Block, Builder, Graph, Node, Value, type_of_constant
from linstock.ir.program import Function, Signature
from linstock.ir.schema import Argument
from linstock.ir.source import Source, Span
from linstock.tracer import arithmetic, control, formatting, indexing, matching
from linstock.tracer.environment import Frame
from linstock.tracer.values import BuiltinFunction, ClassRef, MethodRef, Narrowed, Range, SimpleValue, Sugared, TupleOf


@dataclass
class Condition:
    """A compiled condition: its value, or `static` where it is known when compiling, and what each outcome says about
    types.
    """

    value: Value
    static: bool | None = None
    when_true: dict[str, T.Type] = field(default_factory=dict)
    when_false: dict[str, T.Type] = field(default_factory=dict)


class ExpressionEmitter:
    """Compiles expressions at `self.builder`, with names from `self.frame` and then from `self.resolver`."""

    def __init__(self, resolver: Any, source: Source, graph: Graph) -> None:
        self.resolver, self.source, self.graph = resolver, source, graph
        self.builder = Builder(graph)
        self.frame = Frame()
        self.nowhere = Span(source, 1, 0, 1, 0)
        self.initialising: T.ClassType | None = None
        #: empty lists and dictionaries that nothing has used yet: they become what they are wanted as
        self.literals: set[Value] = set()

    # -- helpers -----------------------------------------------------------------------------------------------------
    def span_of(self, node: ast.AST) -> Span:
        line = getattr(node, "lineno", None)
        if line is None:
            return self.builder.span or self.nowhere
        end = getattr(node, "end_lineno", None) or line
        return Span(self.source, line, node.col_offset, end, getattr(node, "end_col_offset", None) or 0)  # type: ignore[attr-defined]

    def error(self, node: ast.AST, message: str) -> CompileError:
        return CompileError(message, self.span_of(node))

    def step(self, node: ast.AST) -> None:
        """Count one step of compiling. Raises CompileError when a program takes more than its resolver allows."""
        self.resolver.steps -= 1
        if self.resolver.steps < 0:
            raise self.error(node, "this program takes too many steps to compile: it unrolls loops inside loops")

    def at(self, span: Span) -> Builder:
        """The builder, with the position that new nodes get."""
        self.builder.span = span
        return self.builder

    def undo(self, mark: Node | None) -> None:
        """Remove the nodes that were made after `mark` at the insertion point (they must be unused elsewhere)."""
        node = self.builder.point.prev
        doomed = []
        while node is not None and node is not mark:
            doomed.append(node)
            node = node.prev
        for n in doomed:
            for out in n.outputs:
                out.uses.clear()
            n.destroy()

    def list_of(self, values: Sequence[Value], element: T.Type) -> Value:
        return self.builder.value("prim::ListConstruct", values, T.ListType(element))

    def empty(self, t: T.ListType | T.DictType, span: Span) -> Value:
        """An empty list or dictionary, which takes another type where it is first used as that."""
        made = self.at(span).value("prim::ListConstruct" if isinstance(t, T.ListType) else "prim::DictConstruct", (), t)
        self.literals.add(made)
        return made

    def widen(self, value: Value, t: T.Type) -> Value:
        """The value under a wider type."""
        if value.node.kind == "prim::Constant" and value.type == T.NONE:
            return self.builder.constant(None, t)
        return self.builder.value("prim::unchecked_cast", (value,), t)

    def unpack_tuple(self, value: Value) -> list[Value]:
        assert isinstance(value.type, T.TupleType)
        if value.node.kind == "prim::TupleConstruct":
            return list(value.node.inputs)
        return list(self.builder.node("prim::TupleUnpack", (value,), value.type.elements).outputs)

    def default(self, formal: Argument) -> Value:
        """The default value of a schema's argument."""
        if isinstance(formal.default, list):
            element = T.without_none(formal.type)
            assert isinstance(element, T.ListType)
            return self.list_of([self.builder.constant(x) for x in formal.default], element.element)
        return self.builder.constant(formal.default)

    def constant_of(self, value: Any, t: T.Type | None, span: Span) -> Value:
        """A Python value (a default, a constant attribute) as a value of the graph."""
        b = self.at(span)
        if isinstance(value, Value):
            return value
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and not (t is None and not value):
            if isinstance(value, tuple) and not isinstance(t, T.ListType):
                kinds = t.elements if isinstance(t, T.TupleType) else [None] * len(value)
                parts = [self.constant_of(v, k, span) for v, k in zip(value, kinds, strict=True)]
                made = t if isinstance(t, T.TupleType) else T.TupleType(tuple(p.type for p in parts))
                return b.value("prim::TupleConstruct", parts, made)
            inner = T.without_none(t) if t is not None else None
            element = inner.element if isinstance(inner, T.ListType) else None
            parts = [self.constant_of(v, element, span) for v in value]
            return self.list_of(parts, element or parts[0].type)
        if isinstance(value, dict):
            inner = T.without_none(t) if t is not None else None
            kt, vt = (inner.key, inner.value) if isinstance(inner, T.DictType) else (None, None)
            flat = [self.constant_of(x, k, span) for pair in value.items() for x, k in zip(pair, (kt, vt), strict=True)]
            made = inner if isinstance(inner, T.DictType) else T.DictType(flat[0].type, flat[1].type)  # type: ignore[assignment]
            return b.value("prim::DictConstruct", flat, made)
        if t == T.FLOAT and type(value) is int:
            value = float(value)
        if isinstance(value, Function):
            return b.constant(value, T.FunctionType(value))
        if t is None or type(value) in (bool, int, float, complex, str):
            return b.constant(value)
        return b.constant(value, t)

    def get_attribute(self, obj: Value, name: str, t: T.Type, span: Span) -> Value:
        return self.at(span).value("prim::GetAttr", (obj,), t, name=name)

    def defines_attributes_of(self, cls: T.ClassType) -> bool:
        return self.initialising is cls

    def call_operator(self, span: Span, name: str, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        result: Value = self.resolver.call_operator(self, span, name, args, kwargs)
        return result

    def call_function(self, span: Span, function: Function, inputs: Sequence[Value]) -> Value:
        constant = self.at(span).constant(function, T.FunctionType(function))
        return self.at(span).value("prim::CallFunction", (constant, *inputs), function.signature().returns)

    def call_method(self, span: Span, obj: Value, method: Function, args: Sequence[Value]) -> Value:
        node = self.at(span).node(
            "prim::CallMethod", (obj, *args), (method.signature().returns,), name=method.short_name
        )
        return node.outputs[0]

    def special_method(self, receiver: SimpleValue, span: Span, name: str) -> Sugared | None:
        result: Sugared | None = self.resolver.special_method(self, receiver, span, name)
        return result

    # -- expressions -------------------------------------------------------------------------------------------------
    def expression(self, node: ast.expr, hint: T.Type | None = None) -> Sugared:
        """Compile an expression; `hint` is the type it is wanted as (for empty lists and dictionaries)."""
        self.step(node)
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            raise self.error(node, control.refusal(node))
        result: Sugared = method(node, hint) if type(node) in _HINTED else method(node)
        return result

    def value(self, node: ast.expr, hint: T.Type | None = None) -> Value:
        return self.expression(node, hint).value(self, self.span_of(node))

    def of_Name(self, node: ast.Name) -> Sugared:
        found = self.frame.find(node.id)
        if found is not None:
            return found
        why = self.frame.why_broken(node.id)
        if why is not None:
            raise self.error(node, why)
        meaning: Sugared | None = self.resolver.name(self, self.span_of(node), node.id)
        if meaning is None:
            raise self.error(node, f"undefined value '{node.id}'")
        return meaning

    def of_Constant(self, node: ast.Constant) -> Sugared:
        v = node.value
        if v is Ellipsis:
            raise self.error(node, "'...' is only possible inside an index")
        if isinstance(v, bytes):
            raise self.error(node, "bytes cannot be compiled: use a str or a uint8 tensor")
        if type(v) is int and not -(1 << 63) <= v < 1 << 63:
            raise self.error(node, f"the integer {v} does not fit into 64 bits")
        return SimpleValue(self.at(self.span_of(node)).constant(v))

    def of_Attribute(self, node: ast.Attribute) -> Sugared:
        span = self.span_of(node)
        found = self.expression(node.value).attr(self, span, node.attr)
        if isinstance(found, SimpleValue) and isinstance(found.it.type, (T.OptionalType, T.UnionType)):
            path = control.path_of(node)
            known = None if path is None else self.frame.find(path)
            if isinstance(known, Narrowed) and known.type != found.it.type and T.is_subtype(known.type, found.it.type):
                if known.type == T.NONE:
                    return SimpleValue(self.builder.constant(None))
                return SimpleValue(self.builder.value("prim::unchecked_cast", (found.it,), known.type))
        return found

    def of_Call(self, node: ast.Call, hint: T.Type | None = None) -> Sugared:
        span = self.span_of(node)
        special: Sugared | None = self.resolver.syntactic_call(self, node, hint)
        if special is not None:
            return special
        callee = self.expression(node.func)
        args: list[Sugared] = []
        for a in node.args:
            if isinstance(a, ast.Starred):
                items = self.expression(a.value).elements(self, self.span_of(a))
                if items is None:
                    raise self.error(
                        a, "a starred argument must be a tuple: the length of a list is not known when compiling"
                    )
                args += items
            else:
                args.append(self.expression(a, self._argument_hint(callee, len(args))))
        kwargs: dict[str, Sugared] = {}
        for k in node.keywords:
            if k.arg is None:
                raise self.error(node, "'**' arguments cannot be compiled: write the keyword arguments out")
            kwargs[k.arg] = self.expression(k.value, self._argument_hint(callee, k.arg))
        self.builder.span = span
        return callee.call(self, span, args, kwargs)

    def _argument_hint(self, callee: Sugared, place: int | str) -> T.Type | None:
        hint: T.Type | None = self.resolver.argument_hint(self, callee, place)
        return hint

    def of_Tuple(self, node: ast.Tuple, hint: T.Type | None = None) -> Sugared:
        hints = (
            hint.elements
            if isinstance(hint, T.TupleType) and len(hint.elements) == len(node.elts)
            else [None] * len(node.elts)
        )
        items: list[Sugared] = []
        if any(isinstance(x, ast.Starred) for x in node.elts):
            for x in node.elts:
                if isinstance(x, ast.Starred):
                    inner = self.expression(x.value).elements(self, self.span_of(x))
                    if inner is None:
                        raise self.error(x, "only tuples can be unpacked with '*'")
                    items += inner
                else:
                    items.append(self.expression(x))
        else:
            items = [self.expression(x, h) for x, h in zip(node.elts, hints, strict=True)]
        if all(i.is_value for i in items):
            values = [i.value(self, self.span_of(node)) for i in items]
            made = T.TupleType(tuple(v.type for v in values))
            return SimpleValue(self.at(self.span_of(node)).value("prim::TupleConstruct", values, made))
        return TupleOf(tuple(items))

    def of_List(self, node: ast.List, hint: T.Type | None = None) -> Sugared:
        span = self.span_of(node)
        wanted = T.without_none(hint) if hint is not None else None
        element = wanted.element if isinstance(wanted, T.ListType) else None
        if not node.elts:
            return SimpleValue(self.empty(T.ListType(element or T.TENSOR), span))
        items = [self.expression(x, element) for x in node.elts]
        if any(not i.is_value for i in items):
            return TupleOf(tuple(items))
        values = [i.value(self, span) for i in items]
        return SimpleValue(self.at(span).value("prim::ListConstruct", *self.common(values, element, span)))

    def common(self, values: list[Value], element: T.Type | None, span: Span) -> tuple[list[Value], T.ListType]:
        """The elements of a list literal under one element type."""
        if element is not None and not element.has_variables():
            converted = [matching.convert(self, v, element, False) for v in values]
            if all(T.is_subtype(v.type, element) for v in converted):
                return converted, T.ListType(element)
        definite = [v for v in values if v not in self.literals] or values
        joined: T.Type | None = definite[0].type
        for v in definite[1:]:
            joined = None if joined is None else T.unify(joined, v.type)
        if joined is not None:
            values = [matching.convert(self, v, joined, False) for v in values]
        if joined is None or any(not T.is_subtype(v.type, joined) for v in values):
            kinds = sorted({v.type.annotation() for v in values})
            raise CompileError(f"the elements of a list must have one type, but here are {', '.join(kinds)}", span)
        return values, T.ListType(joined)

    def of_Dict(self, node: ast.Dict, hint: T.Type | None = None) -> Sugared:
        span = self.span_of(node)
        wanted = T.without_none(hint) if hint is not None else None
        kt, vt = (wanted.key, wanted.value) if isinstance(wanted, T.DictType) else (None, None)
        if not node.keys:
            made = wanted if isinstance(wanted, T.DictType) else T.DictType(T.STRING, T.TENSOR)
            return SimpleValue(self.empty(made, span))
        if any(k is None for k in node.keys):
            raise self.error(node, "'**' in a dictionary cannot be compiled: use update()")
        keys = [self.value(k, kt) for k in node.keys if k is not None]
        values = [self.value(v, vt) for v in node.values]
        key_type = self.common(keys, kt, span)[1].element
        values, listed = self.common(values, vt, span)
        flat = [x for pair in zip(keys, values, strict=True) for x in pair]
        return SimpleValue(self.at(span).value("prim::DictConstruct", flat, T.DictType(key_type, listed.element)))

    def of_BinOp(self, node: ast.BinOp) -> Sugared:
        span = self.span_of(node)
        left, right = self.expression(node.left), self.expression(node.right)
        return SimpleValue(self.binary(type(node.op), left, right, span))

    def binary(self, op: type, left: Sugared, right: Sugared, span: Span) -> Value:
        return arithmetic.binary(self, op, left, right, span)

    def in_place(self, op: ast.operator, have: Value, right: Sugared, span: Span) -> Value:
        return arithmetic.in_place(self, op, have, right, span)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Sugared:
        span = self.span_of(node)
        if isinstance(node.op, ast.Not):
            c = self.condition(node)
            return SimpleValue(c.value)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            number = node.operand.value
            if type(number) in (int, float, complex):
                return SimpleValue(self.at(span).constant(-number))  # type: ignore[operator]
        return SimpleValue(arithmetic.unary(self, node.op, self.expression(node.operand), span))

    def of_BoolOp(self, node: ast.BoolOp) -> Sugared:
        return SimpleValue(self.condition(node).value)

    def of_Compare(self, node: ast.Compare) -> Sugared:
        return SimpleValue(self.condition(node, boolean=False).value)

    def of_IfExp(self, node: ast.IfExp, hint: T.Type | None = None) -> Sugared:
        span = self.span_of(node)
        c = self.condition(node.test)
        if c.static is not None:
            return self._refined(
                c.when_true if c.static else c.when_false, node.body if c.static else node.orelse, hint
            )
        branch = self.at(span).node("prim::If", (c.value,))
        values = []
        for refinements, body in ((c.when_true, node.body), (c.when_false, node.orelse)):
            block = branch.add_block()
            before, self.builder = self.builder, Builder(block, span)
            try:
                values.append(self._refined(refinements, body, hint).value(self, span))
            finally:
                self.builder = before
        for i, other in ((0, 1), (1, 0)):
            if values[i] in self.literals:
                inner = Builder(branch.blocks[i], span)
                before, self.builder = self.builder, inner
                values[i] = matching.convert(self, values[i], values[other].type, False)
                self.builder = before
        joined = T.unify(values[0].type, values[1].type)
        if joined is None and hint is not None and all(T.is_subtype(v.type, hint) for v in values):
            joined = hint
        if joined is None:
            raise CompileError(
                f"the branches of this conditional expression have the types {values[0].type.annotation()} and {values[1].type.annotation()}",
                span,
            )
        for block, v in zip(branch.blocks, values, strict=True):
            block.add_output(v)
        return SimpleValue(branch.add_output(joined))

    def _refined(self, refinements: dict[str, T.Type], body: ast.expr, hint: T.Type | None) -> Sugared:
        outer, self.frame = self.frame, Frame(self.frame)
        try:
            for name, t in refinements.items():
                self.frame.refine(name, self._narrow(name, t, self.span_of(body)))
            return self.expression(body, hint)
        finally:
            new = self.frame.assigned
            self.frame = outer
            outer.assigned.update({k: v for k, v in new.items() if not refinements})

    def of_Subscript(self, node: ast.Subscript, hint: T.Type | None = None) -> Sugared:
        return indexing.subscript(self, node, hint)

    def set_item(self, target: ast.Subscript, value: Value, span: Span) -> None:
        indexing.assign(self, target, value, span)

    def subscript_value(self, span: Span, base: Value, index: Value) -> Value:
        return indexing.element(self, span, base, index)

    def of_Starred(self, node: ast.Starred) -> Sugared:
        raise self.error(node, "'*' cannot be used here")

    def of_JoinedStr(self, node: ast.JoinedStr) -> Sugared:
        """An f-string: `aten::format` with the pieces in place."""
        return SimpleValue(formatting.f_string(self, node))

    def of_NamedExpr(self, node: ast.NamedExpr) -> Sugared:
        value = self.expression(node.value)
        self.frame.set(node.target.id, value)
        return value

    def of_ListComp(self, node: ast.ListComp, hint: T.Type | None = None) -> Sugared:
        return self.resolver.comprehension(self, node, hint)  # type: ignore[no-any-return]

    def of_DictComp(self, node: ast.DictComp, hint: T.Type | None = None) -> Sugared:
        return self.resolver.comprehension(self, node, hint)  # type: ignore[no-any-return]

    def of_GeneratorExp(self, node: ast.GeneratorExp, hint: T.Type | None = None) -> Sugared:
        return self.resolver.comprehension(self, node, hint)  # type: ignore[no-any-return]

    def of_Lambda(self, node: ast.Lambda) -> Sugared:
        return self.resolver.inner_function(self, node)  # type: ignore[no-any-return]

    def type_of_target(self, target: ast.expr) -> T.Type | None:
        """The declared type of an assignment's target, to type an empty list or dictionary."""
        if isinstance(target, ast.Name):
            return self.frame.declared_type(target.id)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            base = self.frame.find(target.value.id)
            if isinstance(base, SimpleValue) and isinstance(base.it.type, T.ClassType):
                return base.it.type.attributes.get(target.attr)
        return None

    def assign(self, target: ast.expr, value: Sugared) -> None:
        """Bind a target to a value (statements are the subclass's)."""
        raise NotImplementedError

    def _narrow(self, name: str, t: T.Type, span: Span) -> Sugared:
        """What a name means once its type is known to be `t`."""
        raise NotImplementedError

    def iterable(self, node: ast.expr) -> Sugared:
        """What a `for` loop runs over."""
        it = self.expression(node)
        return it.iterable(self, self.span_of(node)) if isinstance(it, SimpleValue) else it

    # -- conditions --------------------------------------------------------------------------------------------------
    def condition(self, node: ast.expr, static: bool = True, boolean: bool = True) -> Condition:
        """Compile a condition. With `static` a constant one is decided now, as TorchScript does for None checks,
        isinstance and constants.
        """
        c = self._condition(node, boolean)
        if not static:
            return Condition(c.value, None, c.when_true, c.when_false)
        return c

    def _condition(self, node: ast.expr, boolean: bool) -> Condition:
        span = self.span_of(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            c = self._condition(node.operand, True)
            if c.static is not None:
                return Condition(self.at(span).constant(not c.static), not c.static, c.when_false, c.when_true)
            return Condition(self.at(span).op("aten::__not__", c.value), None, c.when_false, c.when_true)
        if isinstance(node, ast.BoolOp):
            return self._short_circuit(node.values, isinstance(node.op, ast.And), span)
        if isinstance(node, ast.Compare):
            if len(node.ops) > 1:
                return self._chain(node, span)
            return self._compare(node.left, node.ops[0], node.comparators[0], span, boolean)
        if isinstance(node, ast.Call):
            special: Condition | None = self.resolver.static_call(self, node)
            if special is not None:
                return special
        return self.truth(self.expression(node), span)

    def truth(self, sugared: Sugared, span: Span) -> Condition:
        """The value as a bool."""
        value = sugared.value(self, span)
        if value.type == T.BOOL:
            known = value.constant if value.is_constant else None
            return Condition(value, known if isinstance(known, bool) else None)
        if value.type == T.NONE:
            return Condition(self.builder.constant(False), False)
        if isinstance(value.type, T.ClassType) and "__bool__" in value.type.methods:
            return Condition(MethodRef(value, "__bool__").call(self, span, (), {}).value(self, span))
        if isinstance(value.type, (T.ListType, T.DictType)) or value.type == T.STRING:
            length = self.call_operator(span, "aten::len", [value], {})
            return Condition(self.at(span).op("aten::Bool.int", length))
        if isinstance(value.type, (T.OptionalType, T.UnionType)):
            raise CompileError(
                f"Could not cast value of type {value.type.annotation()} to bool: compare it with None (`x is not None`)",
                span,
            )
        if not isinstance(value.type, T.TensorType) and value.type not in (T.INT, T.FLOAT, T.NUMBER):
            raise CompileError(f"Could not cast value of type {value.type.annotation()} to bool", span)
        out = matching.emit_builtin(self, span, "aten::Bool", [value], {})
        if value.is_constant and type(value.constant) in (int, float):
            return Condition(out, bool(value.constant))
        return Condition(out)

    def _short_circuit(self, parts: Sequence[ast.expr], both: bool, span: Span) -> Condition:
        """`a and b` (or `a or b`): b is compiled under what a says, in a branch."""
        first = self._condition(parts[0], True)
        if len(parts) == 1:
            return first
        known_first = first.when_true if both else first.when_false
        if first.static is not None:
            if first.static is not both:
                return first
            return self._under(known_first, lambda: self._short_circuit(parts[1:], both, span), first, both)
        node = self.at(span).node("prim::If", (first.value,))
        blocks = [Block(self.graph, node), Block(self.graph, node)]
        node.blocks.extend(blocks)
        before = self.builder
        self.builder = Builder(blocks[0 if both else 1], span)
        try:
            second = self._under(known_first, lambda: self._short_circuit(parts[1:], both, span), None, both)
            blocks[0 if both else 1].add_output(second.value)
        finally:
            self.builder = before
        other = blocks[1 if both else 0]
        other.add_output(Builder(other, span).constant(not both))
        out = node.add_output(T.BOOL)
        joined = {**known_first, **(second.when_true if both else second.when_false)}
        result = Condition(out, None, joined if both else {}, {} if both else joined)
        if second.static is (not both):
            result.static = second.static
            result.value = self.builder.constant(second.static)
        return result

    def _chain(self, node: ast.Compare, span: Span) -> Condition:
        """`a < b < c`: b is evaluated once."""
        middle, *rest = node.comparators
        name = ""
        if not isinstance(middle, (ast.Name, ast.Constant)):
            name = f"%{len(self.frame.assigned)}"
            left = f"%{len(self.frame.assigned) + 1}"
            self.frame.set(left, self.expression(node.left))
            self.frame.set(name, self.expression(middle))
            node.left = ast.copy_location(ast.Name(left, ast.Load()), node.left)
            middle = ast.copy_location(ast.Name(name, ast.Load()), middle)
        first = ast.copy_location(ast.Compare(node.left, node.ops[:1], [middle]), node)
        others = ast.copy_location(ast.Compare(middle, node.ops[1:], rest), node)
        result = self._short_circuit([first, others], True, span)
        if name:
            self.frame.assigned.pop(name)
            self.frame.assigned.pop(left)
        return result

    def _under(self, refinements: dict[str, T.Type], compile: Any, first: Condition | None, both: bool) -> Condition:
        outer, self.frame = self.frame, Frame(self.frame)
        try:
            for name, t in refinements.items():
                self.frame.refine(name, self._narrow(name, t, self.builder.span or self.nowhere))
            c: Condition = compile()
        finally:
            self.frame = outer
        if first is None:
            return c
        if both:
            return Condition(c.value, c.static, {**first.when_true, **c.when_true}, c.when_false)
        return Condition(c.value, c.static, c.when_true, {**first.when_false, **c.when_false})

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr, span: Span, boolean: bool) -> Condition:
        if isinstance(op, (ast.Is, ast.IsNot)):
            return self._identity(left, isinstance(op, ast.Is), right, span)
        a = self.expression(left)
        b = self.expression(right)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = arithmetic.contains(self, span, a, b)
            if isinstance(op, ast.NotIn):
                found = self.at(span).op("aten::__not__", self.truth(SimpleValue(found), span).value)
            return self.truth(SimpleValue(found), span)
        out = arithmetic.compare(self, span, op, a, b)
        return self.truth(SimpleValue(out), span) if boolean or out.type == T.BOOL else Condition(out)

    def _identity(self, left: ast.expr, positive: bool, right: ast.expr, span: Span) -> Condition:
        """`a is b`: decided when compiling where the types tell; a None check narrows Optional."""
        a_sugared, b_sugared = self.expression(left), self.expression(right)
        if not isinstance(a_sugared, SimpleValue) or not isinstance(b_sugared, SimpleValue):
            none = any(isinstance(s, SimpleValue) and s.it.type == T.NONE for s in (a_sugared, b_sugared))
            same = a_sugared == b_sugared and not none
            return Condition(self.at(span).constant(same is positive), same is positive)
        a, b = a_sugared.it, b_sugared.it
        if a.type == T.NONE and b.type != T.NONE:
            a, b, left = b, a, right
        if isinstance(a.type, T.EnumType) and a.type == b.type:
            same_member = self.call_operator(span, "aten::eq" if positive else "aten::ne", [a, b], {})
            return Condition(same_member)
        value = self.at(span).op("aten::__is__" if positive else "aten::__isnot__", a, b)
        if b.type != T.NONE:
            return Condition(value)
        if a.type == T.NONE:
            return Condition(value, positive)
        if not a.type.is_optional() and a.type != T.ANY and not isinstance(a.type, T.InterfaceType):
            return Condition(value, not positive)
        path = control.path_of(left)
        if path is not None and a.type.is_optional():
            none: dict[str, T.Type] = {path: T.NONE}  # type: ignore[no-redef]
            some = {path: T.without_none(a.type)}
            return Condition(value, None, none if positive else some, some if positive else none)  # type: ignore[arg-type]
        return Condition(value)


_HINTED = (
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
    ast.IfExp,
    ast.ListComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Call,
)

__all__ = [
    "Any", "BuiltinFunction", "ClassRef", "Condition", "ExpressionEmitter", "Range", "Signature", "operators", "type_of_constant",
]  # fmt: skip
