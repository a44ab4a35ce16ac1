"""From syntax to graph: one function, and the statements that are no control flow, written directly in SSA form."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Graph, Value
from linstock.ir.program import Signature
from linstock.ir.source import Span
from linstock.tracer import annotations as notation
from linstock.tracer import cleaning, control, matching
from linstock.tracer.control import Status
from linstock.tracer.expressions import Condition
from linstock.tracer.loops import LoopEmitter
from linstock.tracer.values import Narrowed, SimpleValue, Sugared


class Emitter(LoopEmitter):
    """Compiles one function body into `graph`. `resolver` gives meaning to names that are not local."""

    # -- functions ---------------------------------------------------------------------------------------------------
    def function(self, node: ast.FunctionDef | ast.Lambda, signature: Signature, infer_return: bool) -> Signature:
        """Compile a function whose parameters are known; gives the signature with the result type filled in."""
        self.returns = None if infer_return else signature.returns
        self.return_declared = not infer_return
        for p in signature.parameters:
            self.frame.set(p.name, SimpleValue(self.graph.add_input(p.type, p.name)))
            self.frame.declared[p.name] = p.type
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(value=node.body), node.body)]
        else:
            body = list(node.body)
        if not control.always_exits(body):
            end = ast.Return(value=None)
            body.append(ast.copy_location(end, body[-1]))
        status = self.statements(body)
        found = self.frame.find("$ret")
        if found is None:
            assert status is Status.RAISES
            if self.returns is None:
                self.returns = T.NONE
            kind = "prim::Constant" if self.returns == T.NONE else "prim::Uninitialized"
            made = self.builder.node(kind, (), (self.returns,))
            if kind == "prim::Constant":
                made.attributes["value"] = None
            result = made.outputs[0]
        else:
            result = found.value(self, self.span_of(node))
        if infer_return:
            self.returns = result.type
        assert self.returns is not None
        self.graph.add_output(result)
        cleaning.sweep(self.graph)
        return Signature(signature.parameters, self.returns)

    def on_Pass(self, s: ast.Pass) -> None: ...

    def on_Expr(self, s: ast.Expr) -> None:
        if isinstance(s.value, ast.Constant):
            return  # a docstring
        self.expression(s.value)

    def on_Return(self, s: ast.Return) -> Status:
        span = self.span_of(s)
        if s.value is None:
            value = self.builder.constant(None)
        else:
            value = self.expression(s.value, self.returns).value(self, span)
        if self.returns is not None and self.return_declared:
            converted = matching.convert(self, value, self.returns, True)
            if not T.is_subtype(converted.type, self.returns):
                raise CompileError(
                    f"return value was annotated as having type {self.returns.annotation()} but is actually of type {value.type.annotation()}",
                    span,
                )
            value = converted
            if value.type != self.returns and value.type != T.ANY:
                value = self.widen(value, self.returns)
        self.frame.set("$ret", SimpleValue(value))
        if self.loops:
            self._raise_flags("$returned", "$stop", "$skip")
        else:
            self._raise_flags("$returned")
        return Status.EXITS

    def on_Break(self, s: ast.Break) -> Status:
        if not self.loops:
            raise self.error(
                s, "'break' outside of a loop (a loop over modules is unrolled: break is not supported in it)"
            )
        self._raise_flags("$stop", "$skip")
        return Status.EXITS

    def on_Continue(self, s: ast.Continue) -> Status:
        if not self.loops:
            raise self.error(
                s, "'continue' outside of a loop (a loop over modules is unrolled: continue is not supported in it)"
            )
        self._raise_flags("$skip")
        return Status.EXITS

    # -- assignment --------------------------------------------------------------------------------------------------
    def on_Assign(self, s: ast.Assign) -> None:
        if s.type_comment is not None and len(s.targets) == 1:
            annotation = notation.parsed_text(s.type_comment, s.targets[0])
            return self.on_AnnAssign(ast.copy_location(ast.AnnAssign(s.targets[0], annotation, s.value, 1), s))  # type: ignore[call-overload]
        hint = None
        if len(s.targets) == 1:
            hint = self.type_of_target(s.targets[0])
        value = self.expression(s.value, hint)
        for target in s.targets:
            self.assign(target, value)

    def on_AnnAssign(self, s: ast.AnnAssign) -> None:
        t = self.resolver.annotation(self, s.annotation)
        if s.value is None:
            if isinstance(s.target, ast.Name):
                self.frame.declared[s.target.id] = t
            return
        span = self.span_of(s)
        value = self.expression(s.value, t).value(self, span)
        converted = matching.convert(self, value, t, True)
        if not T.is_subtype(converted.type, t):
            name = ast.unparse(s.target)
            raise CompileError(
                f"Variable '{name}' is annotated with type {t.annotation()} but is being assigned to a value of type {value.type.annotation()}",
                span,
            )
        if converted.type != t:
            converted = self.widen(converted, t)
        if isinstance(s.target, ast.Attribute):
            self._declare_attribute(s.target, t)
        elif isinstance(s.target, ast.Name):
            self.frame.declared[s.target.id] = t
        self.assign(s.target, SimpleValue(converted))

    def _declare_attribute(self, target: ast.Attribute, t: T.Type) -> None:
        receiver = self.expression(target.value)
        if isinstance(receiver, SimpleValue) and isinstance(receiver.it.type, T.ClassType):
            cls = receiver.it.type
            if self.defines_attributes_of(cls):
                cls.attributes.setdefault(target.attr, t)

    def on_AugAssign(self, s: ast.AugAssign) -> None:
        """`target op= value`: what the target is made of is evaluated once."""
        span = self.span_of(s)
        with self.evaluated_once(s.target) as target:
            have = self.expression(_as_load(target)).value(self, span)
            result = self.in_place(s.op, have, self.expression(s.value, self._hint_like(have)), span)
            if isinstance(target, ast.Subscript) and isinstance(have.type, T.TensorType):
                base = self.expression(target.value).value(self, span)
                if isinstance(base.type, T.TensorType) and result is have:
                    return  # written through the view
            self.assign(target, SimpleValue(result))

    @staticmethod
    def _hint_like(have: Value) -> T.Type | None:
        return have.type if isinstance(have.type, (T.ListType, T.DictType)) else None

    @contextmanager
    def evaluated_once(self, target: ast.expr) -> Iterator[ast.expr]:
        """The target with its parts bound to hidden names, so that reading and writing it evaluate them once."""
        if isinstance(target, ast.Name):
            yield target
            return
        hidden: list[str] = []

        def keep(node: ast.expr) -> ast.expr:
            if isinstance(node, (ast.Name, ast.Constant)):
                return node
            name = f"%{len(self.frame.assigned)}"
            self.frame.set(name, self.expression(node))
            hidden.append(name)
            return ast.copy_location(ast.Name(name, ast.Load()), node)

        def keep_index(node: ast.expr) -> ast.expr:
            if isinstance(node, ast.Slice):
                parts = [None if p is None else keep(p) for p in (node.lower, node.upper, node.step)]
                return ast.copy_location(ast.Slice(*parts), node)
            if isinstance(node, ast.Tuple):
                return ast.copy_location(ast.Tuple([keep_index(x) for x in node.elts], ast.Load()), node)
            return keep(node)

        made: ast.expr
        if isinstance(target, ast.Attribute):
            made = ast.Attribute(keep(target.value), target.attr, ast.Store())
        elif isinstance(target, ast.Subscript):
            made = ast.Subscript(keep(target.value), keep_index(target.slice), ast.Store())
        else:
            raise self.error(target, f"'{ast.unparse(target)}' cannot be assigned to")
        try:
            yield ast.copy_location(made, target)
        finally:
            for name in hidden:
                self.frame.assigned.pop(name, None)

    def assign(self, target: ast.expr, value: Sugared) -> None:
        """Bind a target (name, tuple, attribute, element) to a value."""
        span = self.span_of(target)
        if isinstance(value, SimpleValue):
            self.literals.discard(value.it)
        if isinstance(target, ast.Name):
            declared = self.frame.declared_type(target.id)
            if declared is not None and isinstance(value, SimpleValue) and value.it.type != declared:
                converted = matching.convert(self, value.it, declared, False)
                if T.is_subtype(converted.type, declared):
                    keep = isinstance(declared, T.InterfaceType) or declared == T.ANY
                    value = SimpleValue(self.widen(converted, declared) if keep else converted)
                elif isinstance(self.frame.find(target.id), SimpleValue) and target.id not in self.frame.assigned:
                    raise CompileError(
                        f"Variable '{target.id}' previously had type {declared.annotation()} but is now being assigned to a value "
                        f"of type {value.it.type.annotation()}",
                        span,
                    )
                else:
                    self.frame.declared.pop(target.id, None)
            if isinstance(value, SimpleValue) and not value.it.name and value.it.node.kind != "prim::Constant":
                value.it.name = target.id
            self.frame.set(target.id, value)
            self.frame.forget_paths(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, span)
        elif isinstance(target, ast.Attribute):
            given = value.value(self, span)
            self.expression(target.value).set_attr(self, span, target.attr, given)
            path = control.path_of(target)
            if path is not None:
                self.frame.set(path, Narrowed(given.type))
        elif isinstance(target, ast.Subscript):
            self.set_item(target, value.value(self, span), span)
        else:
            raise self.error(target, f"'{ast.unparse(target)}' cannot be assigned to")

    def _unpack(self, target: ast.Tuple | ast.List, value: Sugared, span: Span) -> None:
        starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        items = value.elements(self, span)
        count = len(target.elts)
        if items is None:
            it = value.value(self, span)
            if not isinstance(it.type, (T.ListType, T.TensorType)):
                raise CompileError(f"cannot unpack a value of type '{it.type.annotation()}'", span)
            if starred:
                raise CompileError(
                    "a starred target needs a tuple: the length of a list is not known when compiling", span
                )
            if isinstance(it.type, T.TensorType):
                it = matching.emit_builtin(self, span, "aten::unbind", [it, self.builder.constant(0)], {})
            assert isinstance(it.type, T.ListType)
            node = self.at(span).node("prim::ListUnpack", (it,), [it.type.element] * count)
            items = [SimpleValue(v) for v in node.outputs]
        if starred:
            at, after = starred[0], count - starred[0] - 1
            if len(items) < count - 1:
                raise CompileError(f"need at least {count - 1} values to unpack, got {len(items)}", span)
            middle = [i.value(self, span) for i in items[at : len(items) - after]]
            packed = self.builder.value("prim::TupleConstruct", middle, T.TupleType(tuple(v.type for v in middle)))
            items = [*items[:at], SimpleValue(packed), *items[len(items) - after :]]
        if len(items) != count:
            raise CompileError(f"need {count} values to unpack, but {len(items)} were provided", span)
        for t, item in zip(target.elts, items, strict=True):
            self.assign(t.value if isinstance(t, ast.Starred) else t, item)

    # -- others ------------------------------------------------------------------------------------------------------
    def on_Assert(self, s: ast.Assert) -> None:
        """`assert c, msg`: an `if` that raises, after which what `c` says is known."""
        message: ast.expr = s.msg if s.msg is not None else ast.Constant(value="")
        ast.copy_location(message, s)
        call = ast.Call(ast.Name("AssertionError", ast.Load()), [message], [])
        failed: ast.stmt = ast.Raise(exc=call, cause=None)
        for n in ast.walk(failed):
            ast.copy_location(n, s)
        span = self.span_of(s)
        condition = self.condition(s.test)
        refinements = condition.when_true
        if condition.static is not True:
            node = self.at(span).node("prim::If", (condition.value,))
            outer = self.frame
            held, _ = self._branch(node, outer, refinements, [])
            self._branch(node, outer, condition.when_false, [failed])
            self._keep_narrowed(node, outer, 0, held, (), span)
        for name, t in refinements.items():
            self.frame.refine(name, self._narrow(name, t, span))

    def on_Raise(self, s: ast.Raise) -> Status:
        span = self.span_of(s)
        if s.exc is None:
            raise self.error(s, "'raise' without an exception cannot be compiled")
        message, name = self.resolver.exception(self, s.exc)
        self.at(span).node("prim::RaiseException", (message, name))
        return Status.RAISES

    def on_With(self, s: ast.With) -> Status:
        span = self.span_of(s)
        entered: list[Value] = []
        for item in s.items:
            sugared = self.expression(item.context_expr)
            if self.resolver.is_transparent_context(self, sugared):
                continue
            manager = sugared.value(self, span)
            cls = manager.type
            if not isinstance(cls, T.ClassType) or not {"__enter__", "__exit__"} <= set(cls.methods):
                raise self.error(
                    item.context_expr, "this is not a context manager: it needs __enter__ and __exit__ methods"
                )
            enter = cls.methods["__enter__"].signature()
            node = self.at(span).node("prim::Enter", (manager,), (enter.returns,))
            entered.append(manager)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, SimpleValue(node.outputs[0]))
        status = self.statements(s.body)
        for manager in reversed(entered):
            self.at(span).node("prim::Exit", (manager,))
        return status

    def on_Delete(self, s: ast.Delete) -> None:
        for target in s.targets:
            if isinstance(target, ast.Subscript):
                base = self.expression(target.value).value(self, self.span_of(target))
                index = self.expression(target.slice).value(self, self.span_of(target))
                if isinstance(base.type, (T.DictType, T.ListType)):
                    matching.emit_builtin(self, self.span_of(target), "aten::Delete", [base, index], {})
                else:
                    raise self.error(target, f"elements of '{base.type.annotation()}' cannot be deleted")
            elif isinstance(target, ast.Name):
                self.frame.spoil(target.id, f"'{target.id}' was deleted")
            else:
                raise self.error(target, "this cannot be deleted")

    def on_FunctionDef(self, s: ast.FunctionDef) -> None:
        self.frame.set(s.name, self.resolver.inner_function(self, s))

    def on_Import(self, s: ast.Import) -> None:
        raise self.error(s, "'import' inside a function cannot be compiled: import at the top of the module")

    on_ImportFrom = on_Import

    def on_Global(self, s: ast.stmt) -> None:
        raise self.error(s, "'global' and 'nonlocal' cannot be compiled: pass values in and return them")

    on_Nonlocal = on_Global

    def on_Try(self, s: ast.Try) -> None:
        raise self.error(
            s,
            "'try' cannot be compiled: exceptions cannot be caught in a scripted program; check the condition first with `if`",
        )

    on_TryStar = on_Try


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node


def new_emitter(resolver: Any, source: Any, graph: Graph | None = None) -> Emitter:
    """An emitter for a fresh graph."""
    return Emitter(resolver, source, graph or Graph())


__all__ = ["Condition", "Emitter", "Status", "new_emitter"]
