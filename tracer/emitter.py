"""From syntax to graph: statements and control flow of one function, written directly in SSA form.

Early exits become data: inside a loop `break`, `continue` and `return` set hidden flags (`$skip`: the rest of this iteration does
not run; `$stop`: the loop ends; `$returned` and `$ret`: the function is done), and what follows a conditional exit
is nested under the flag. Where one branch of an `if` always leaves, the rest of the block simply moves into the other.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Sequence
from typing import Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Block, Builder, Graph, Node, Value
from linstock.ir.program import Signature
from linstock.ir.source import Span
from linstock.tracer import control, matching
from linstock.tracer.environment import Frame
from linstock.tracer.expressions import Condition, ExpressionEmitter
from linstock.tracer.values import Range, SimpleValue, Sugared

FOREVER = 9223372036854775807
UNKNOWN = T.VarType("unknown")  # the type of a result before any return was seen
FLAGS = ("$skip", "$stop", "$returned")


class Status(enum.Enum):
    """How control leaves a sequence of statements."""

    FALLS = "falls through"
    EXITS = "always leaves"
    MAYBE = "leaves if $skip (in a loop) or $returned is set"
    RAISES = "always raises"


class Emitter(ExpressionEmitter):
    """Compiles one function body into `graph`. `resolver` gives meaning to names that are not local."""

    loops = 0
    returns: T.Type | None = None
    return_declared = False

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
        return Signature(signature.parameters, self.returns)

    # -- statements --------------------------------------------------------------------------------------------------
    def statements(self, body: Sequence[ast.stmt]) -> Status:
        """Compile statements in order; those after a certain exit are dead and dropped."""
        for i, statement in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(statement, ast.If):
                handled = self.if_statement(statement, rest)
                if handled is not None:
                    return handled
                continue
            status = self.statement(statement)
            if status in (Status.EXITS, Status.RAISES):
                return status
            if status is Status.MAYBE:
                if not rest:
                    return status
                return self._under_flag(rest, self.span_of(statement))
        return Status.FALLS

    def statement(self, s: ast.stmt) -> Status:
        self.builder.span = self.span_of(s)
        method = getattr(self, "on_" + type(s).__name__, None)
        if method is None:
            raise self.error(s, f"{_describe(s)} cannot be compiled")
        status = method(s)
        return status if isinstance(status, Status) else Status.FALLS

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
            raise self.error(s, "'break' outside of a loop (a loop over modules is unrolled: break is not supported in it)")
        self._raise_flags("$stop", "$skip")
        return Status.EXITS

    def on_Continue(self, s: ast.Continue) -> Status:
        if not self.loops:
            raise self.error(s, "'continue' outside of a loop (a loop over modules is unrolled: continue is not supported in it)")
        self._raise_flags("$skip")
        return Status.EXITS

    def _raise_flags(self, *names: str) -> None:
        for name in names:
            self.frame.set(name, SimpleValue(self.builder.constant(True)))

    def flag(self, name: str) -> Value:
        found = self.frame.find(name)
        return self.builder.constant(False) if found is None else found.value(self, self.builder.span or self.nowhere)

    def _under_flag(self, rest: list[ast.stmt], span: Span) -> Status:
        """The rest of a block after something that may have left it: runs only when the flag is down."""
        skip = self.flag("$skip" if self.loops else "$returned")
        outer = self.frame
        node = self.at(span).node("prim::If", (skip,))
        gone = self._branch(node, outer, {}, [])
        stay = self._branch(node, outer, {}, rest)
        self._merge(node, outer, (gone[0], Status.EXITS), stay, span)
        return Status.MAYBE if stay[1] in (Status.FALLS, Status.MAYBE) else Status.EXITS

    # -- if ----------------------------------------------------------------------------------------------------------
    def if_statement(self, s: ast.If, rest: list[ast.stmt]) -> Status | None:
        """Compile an `if`; gives the status of the whole rest of the block if it was consumed, None to go on."""
        span = self.span_of(s)
        self.builder.span = span
        condition = self.condition(s.test)
        if condition.static is not None:
            taken = s.body if condition.static else s.orelse
            for name, value in (condition.when_true if condition.static else condition.when_false).items():
                self.frame.refine(name, self._narrow(name, value, span))
            status = self.statements([*taken, *rest])
            return status
        then, other = list(s.body), list(s.orelse)
        consumed = False
        if control.always_exits(then) and not control.always_exits(other):
            if rest and (not control.always_raises(then) or condition.when_false):
                other, consumed = other + rest, True
        elif control.always_exits(other) and other and not control.always_exits(then):
            if rest and (not control.always_raises(other) or condition.when_true):
                then, consumed = then + rest, True
        outer = self.frame
        node = self.at(span).node("prim::If", (condition.value,))
        a = self._branch(node, outer, condition.when_true, then)
        b = self._branch(node, outer, condition.when_false, other)
        status = self._merge(node, outer, a, b, span)
        if consumed or status in (Status.EXITS, Status.RAISES):
            return status
        if status is Status.MAYBE:
            return self._under_flag(rest, span) if rest else status
        return None

    def _branch(
        self, node: Node, outer: Frame, refinements: dict[str, T.Type], body: Sequence[ast.stmt]
    ) -> tuple[Frame, Status]:
        block = Block(self.graph, node)
        node.blocks.append(block)
        before, self.builder = self.builder, Builder(block, self.builder.span)
        self.frame = Frame(outer)
        try:
            for name, t in refinements.items():
                self.frame.refine(name, self._narrow(name, t, self.builder.span or self.nowhere))
            status = self.statements(body)
            return self.frame, status
        finally:
            self.frame, self.builder = outer, before

    def _narrow(self, name: str, t: T.Type, span: Span) -> Sugared:
        found = self.frame.find(name)
        assert found is not None
        value = found.value(self, span)
        if value.type == t or T.is_subtype(value.type, t):
            return found
        if t == T.NONE:
            return SimpleValue(self.builder.constant(None))
        return SimpleValue(self.builder.value("prim::unchecked_cast", (value,), t))

    def _merge(
        self, node: Node, outer: Frame, a: tuple[Frame, Status], b: tuple[Frame, Status], span: Span
    ) -> Status:
        """Give the `if` outputs for what its branches assigned."""
        gone = [status in (Status.EXITS, Status.RAISES) for _, status in (a, b)]
        both_leave = all(gone)
        names = list(dict.fromkeys([*a[0].assigned, *b[0].assigned]))
        for name in dict.fromkeys([*a[0].broken, *b[0].broken]):
            if name not in names:
                outer.spoil(name, a[0].broken.get(name) or b[0].broken[name])
        for name in names:
            hidden = name.startswith("$")
            if both_leave and not hidden:
                continue
            sides: list[Sugared | None] = [frame.find(name) for frame, _ in (a, b)]
            if not hidden and not any(gone) and None in sides:
                branch = "true" if sides[0] is None else "false"
                why = a[0].why_broken(name) or b[0].why_broken(name)
                outer.spoil(name, why or f"'{name}' is not defined in the {branch} branch of this `if`, but is used after it")
                continue
            if sides[0] is sides[1] and sides[0] is not None:
                outer.set(name, sides[0])
                continue
            try:
                values = [None if v is None else self._in_block(node.blocks[i], v, span) for i, v in enumerate(sides)]
            except CompileError:
                if name.startswith("$"):
                    raise
                survivor = next((v for v, left in zip(sides, gone, strict=True) if not left), None)
                if survivor is not None and any(gone):
                    outer.set(name, survivor)
                else:
                    outer.spoil(name, f"'{name}' means different things in the two branches of this `if`")
                continue
            self._merge_values(node, outer, name, values, gone, span)
        if both_leave:
            return Status.RAISES if a[1] is b[1] is Status.RAISES else Status.EXITS
        if Status.EXITS in (a[1], b[1]) or Status.MAYBE in (a[1], b[1]):
            return Status.MAYBE
        return Status.FALLS

    def _in_block(self, block: Block, value: Sugared, span: Span) -> Value:
        before, self.builder = self.builder, Builder(block, span)
        try:
            return value.value(self, span)
        finally:
            self.builder = before

    def _merge_values(
        self, node: Node, outer: Frame, name: str, values: list[Value | None], gone: list[bool], span: Span
    ) -> None:
        known = [v.type for v, left in zip(values, gone, strict=True) if v is not None and (not left or name.startswith("$"))]
        known = [t for t in known if t != UNKNOWN] or known
        if not known:
            known = [v.type for v in values if v is not None]
        joined: T.Type | None = known[0]
        for t in known[1:]:
            joined = None if joined is None else T.unify(joined, t)
        declared = outer.declared_type(name)
        if joined is None and declared is not None and all(T.is_subtype(t, declared) for t in known):
            joined = declared
        if joined is None and name == "$ret":
            joined = self.returns if self.returns is not None else T.unify(known[0], known[1], True)
            if self.returns is None:
                raise CompileError(
                    f"Previous return statement returned a value of type {known[0].annotation()} but this return statement "
                    f"returns a value of type {known[1].annotation()}",
                    span,
                )
        if joined is None:
            outer.spoil(
                name,
                f"Type mismatch: {name} is set to type {known[0].annotation()} in the true branch and type "
                f"{known[1].annotation()} in the false branch",
            )
            return
        for i, v in enumerate(values):
            block = node.blocks[i]
            inner = Builder(block, span)
            if v is None or (not T.is_subtype(v.type, joined) and gone[i]):
                if name in FLAGS:
                    v = inner.constant(False)
                else:
                    v = inner.value("prim::Uninitialized", (), joined)
            block.add_output(v)
        outer.set(name, SimpleValue(node.add_output(joined, "" if name.startswith("$") else name)))

    # -- loops -------------------------------------------------------------------------------------------------------
    def on_While(self, s: ast.While) -> Status:
        return self._loop(s, s.body, s.orelse, test=s.test)

    def on_For(self, s: ast.For) -> Status:
        span = self.span_of(s)
        over = self.iterable(s.iter)
        items = None if isinstance(over, Range) else over.elements(self, span)
        if items is not None:
            return self._unrolled(s, items)
        return self._loop(s, s.body, s.orelse, over=over, target=s.target)

    def _unrolled(self, s: ast.For, items: list[Sugared]) -> Status:
        """A loop over something whose elements are known (a tuple, a ModuleList): one copy of the body per element."""
        if s.orelse:
            raise self.error(s, "'else' of a loop cannot be compiled")
        loops, self.loops = self.loops, 0
        try:
            for item in items:
                self.assign(s.target, item)
                status = self.statements(s.body)
                if status in (Status.EXITS, Status.RAISES):
                    return status
                if status is Status.MAYBE:
                    raise self.error(s, "a conditional return inside a loop that is unrolled cannot be compiled")
        finally:
            self.loops = loops
        return Status.FALLS

    def _loop(
        self,
        s: ast.For | ast.While,
        body: Sequence[ast.stmt],
        orelse: Sequence[ast.stmt],
        test: ast.expr | None = None,
        over: Sugared | None = None,
        target: ast.expr | None = None,
    ) -> Status:
        if orelse:
            raise self.error(s, "'else' of a loop cannot be compiled")
        span = self.span_of(s)
        outer = self.frame
        stops, returns = control.has_stop(body), control.has_return(body)
        names = [n for n in control.assigned_names([s]) if isinstance(outer.find(n), SimpleValue)]
        if returns:
            names.append("$ret") if outer.find("$ret") is not None else None
        start: dict[str, Value] = {}
        for n in names:
            found = outer.find(n)
            assert found is not None
            start[n] = found.value(self, span)
        limit = self.builder.constant(FOREVER) if over is None else over.length(self, span)
        widened: dict[str, T.Type] = {n: outer.declared_type(n) or v.type for n, v in start.items()}
        widened = {n: t if T.is_subtype(start[n].type, t) else start[n].type for n, t in widened.items()}
        extra: dict[str, T.Type] = {}  # variables that only the hidden exits need after the loop
        if returns and "$ret" not in names:
            extra["$ret"] = self.returns if self.returns is not None else UNKNOWN
        mark = self.builder.point.prev
        for _ in range(8):
            done = self._try_loop(s, body, test, over, target, span, outer, start, widened, extra, limit, stops, returns)
            if done:
                break
            self.undo(mark)
        else:
            raise CompileError("the types of the variables of this loop do not settle", span)
        return Status.MAYBE if returns else Status.FALLS

    def _try_loop(
        self, s: ast.stmt, body: Sequence[ast.stmt], test: ast.expr | None, over: Sugared | None, target: ast.expr | None,
        span: Span, outer: Frame, start: dict[str, Value], widened: dict[str, T.Type], extra: dict[str, T.Type],
        limit: Value, stops: bool, returns: bool,
    ) -> bool:  # fmt: skip
        """Compile the loop with these types of the carried variables; False, with the types widened, if they do not hold."""
        first = self.condition(test, static=False).value if test is not None else self.builder.constant(True)
        entry = {n: v if v.type == widened[n] else self.widen(v, widened[n]) for n, v in start.items()}
        hidden: dict[str, Value] = {}
        for n, t in extra.items():
            hidden[n] = self.builder.value("prim::Uninitialized", (), t)
        if returns:
            hidden["$returned"] = self.builder.constant(False)
        carried = {**entry, **hidden}
        node = self.at(span).node("prim::Loop", (limit, first, *carried.values()))
        block = node.add_block()
        index = block.add_input(T.INT, "i")
        frame = Frame(outer)
        for n, v in carried.items():
            frame.set(n, SimpleValue(block.add_input(v.type, "" if n.startswith("$") else n)))
        before, self.builder = self.builder, Builder(block, span)
        self.frame, self.loops = frame, self.loops + 1
        for n in ("$skip", "$stop"):
            frame.set(n, SimpleValue(self.builder.constant(False)))
        try:
            if target is not None and over is not None:
                self.assign(target, over.element_at(self, span, index))
            self.statements(body)
            following = self._next_condition(test, stops, span)
            ends: list[Value] = []
            for n, v in carried.items():
                found = frame.find(n)
                if found is None:
                    raise CompileError(frame.why_broken(n) or f"'{n}' is not defined at the end of the loop's body", span)
                end = found.value(self, span)
                end = matching.convert(self, end, v.type, False)
                if not T.is_subtype(end.type, v.type):
                    both = T.unify(v.type, end.type)
                    if v.type == UNKNOWN:
                        both = end.type
                    if both is None or (n in widened and outer.declared_type(n) is not None and n not in extra):
                        raise CompileError(
                            f"Variable '{n}' previously had type {v.type.annotation()} but is now being assigned to a value of type "
                            f"{end.type.annotation()} in this loop",
                            span,
                        )
                    (extra if n in extra else widened)[n] = both
                    return False
                ends.append(end)
        finally:
            self.builder, self.frame, self.loops = before, outer, self.loops - 1
        block.add_output(following)
        for end in ends:
            block.add_output(end)
        for n, v in carried.items():
            out = node.add_output(v.type, "" if n.startswith("$") else n)
            outer.set(n, SimpleValue(out))
        for n in frame.assigned:
            if n not in carried and n not in FLAGS and n != "$ret" and outer.find(n) is None:
                outer.broken.setdefault(n, f"'{n}' is only defined inside the loop, which may not run: define it before the loop")
        if returns:
            done = self.flag("$returned")
            if self.loops:
                for n in ("$stop", "$skip"):
                    either = self.builder.op("aten::__or__.bool", self.flag(n), done)
                    self.frame.set(n, SimpleValue(either))
        return True

    def _next_condition(self, test: ast.expr | None, stops: bool, span: Span) -> Value:
        if not stops:
            return self.builder.constant(True) if test is None else self.condition(test, static=False).value
        stop = self.flag("$stop")
        if stop.is_constant and stop.constant is False:
            return self.builder.constant(True) if test is None else self.condition(test, static=False).value
        if test is None:
            return self.builder.op("aten::__not__", stop)
        node = self.at(span).node("prim::If", (stop,))
        Builder(b0 := node.add_block(), span)
        b0.add_output(Builder(b0, span).constant(False))
        block = node.add_block()
        before, self.builder = self.builder, Builder(block, span)
        try:
            block.add_output(self.condition(test, static=False).value)
        finally:
            self.builder = before
        return node.add_output(T.BOOL)

    # -- assignment --------------------------------------------------------------------------------------------------
    def on_Assign(self, s: ast.Assign) -> None:
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
            raise CompileError(f"Variable '{name}' is annotated with type {t.annotation()} but is being assigned to a value of type {value.type.annotation()}", span)
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
        span = self.span_of(s)
        load: ast.expr = ast.copy_location(_as_load(s.target), s.target)
        have = self.expression(load).value(self, span)
        if isinstance(s.target, ast.Subscript) and isinstance(have.type, T.TensorType):
            result = self.in_place(s.op, have, self.expression(s.value), span)
            base = self.expression(s.target.value).value(self, span)
            if not isinstance(base.type, T.TensorType) or result is not None:
                self.assign(s.target, SimpleValue(result))
            return
        self.assign(s.target, SimpleValue(self.in_place(s.op, have, self.expression(s.value), span)))

    def assign(self, target: ast.expr, value: Sugared) -> None:
        """Bind a target (name, tuple, attribute, element) to a value."""
        span = self.span_of(target)
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
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, span)
        elif isinstance(target, ast.Attribute):
            self.expression(target.value).set_attr(self, span, target.attr, value.value(self, span))
        elif isinstance(target, ast.Subscript):
            self.set_item(target, value.value(self, span), span)
        else:
            raise self.error(target, f"{_describe(target)} cannot be assigned to")

    def _unpack(self, target: ast.Tuple | ast.List, value: Sugared, span: Span) -> None:
        starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        items = value.elements(self, span)
        count = len(target.elts)
        if items is None:
            it = value.value(self, span)
            if not isinstance(it.type, (T.ListType, T.TensorType)):
                raise CompileError(f"cannot unpack a value of type '{it.type.annotation()}'", span)
            if starred:
                raise CompileError("a starred target needs a tuple: the length of a list is not known when compiling", span)
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
            for name, t in refinements.items():
                found = held.find(name)
                if t == T.NONE or found is None or found is outer.find(name):
                    continue
                # the narrowed value leaves the branch: outside of it, it does not exist where the assertion fails
                value = found.value(self, span)
                node.blocks[0].add_output(value)
                node.blocks[1].add_output(Builder(node.blocks[1], span).value("prim::Uninitialized", (), value.type))
                outer.refine(name, SimpleValue(node.add_output(value.type, name)))
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
                raise self.error(item.context_expr, "this is not a context manager: it needs __enter__ and __exit__ methods")
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
                if isinstance(base.type, T.DictType) or isinstance(base.type, T.ListType):
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
        raise self.error(s, "'try' cannot be compiled: exceptions cannot be caught in a scripted program; check the condition first with `if`")

    on_TryStar = on_Try


def _as_load(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node


def _describe(node: ast.AST) -> str:
    words = {
        "AsyncFor": "'async for'", "AsyncWith": "'async with'", "AsyncFunctionDef": "an async function", "ClassDef": "a class inside a function",
        "Match": "'match'", "Lambda": "a lambda", "Yield": "'yield'", "YieldFrom": "'yield from'", "Await": "'await'", "Set": "a set",
        "SetComp": "a set comprehension", "GeneratorExp": "a generator expression", "NamedExpr": "':='",
    }  # fmt: skip
    return words.get(type(node).__name__, f"'{type(node).__name__}'")


def new_emitter(resolver: Any, source: Any, graph: Graph | None = None) -> Emitter:
    """An emitter for a fresh graph."""
    return Emitter(resolver, source, graph or Graph())


__all__ = ["Condition", "Emitter", "Status", "new_emitter"]
