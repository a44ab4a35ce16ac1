"""Loops: `prim::Loop` with the variables that the body changes, or one copy of the body per element where those are
known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Builder, Value
from linstock.ir.source import Span
from linstock.tracer import control, matching
from linstock.tracer.branches import FLAGS, UNKNOWN, BranchEmitter
from linstock.tracer.control import Status
from linstock.tracer.environment import Frame
from linstock.tracer.values import Range, SimpleValue, Sugared, Zip

FOREVER = 9223372036854775807


class LoopEmitter(BranchEmitter):
    """Compiles `for` and `while`."""

    # -- loops -------------------------------------------------------------------------------------------------------
    def on_While(self, s: ast.While) -> Status:
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(s.test)):  # `while (n := f()): …` assigns in every round
            leave = ast.If(ast.UnaryOp(ast.Not(), s.test), [ast.Break()], [])
            for n in ast.walk(leave):
                if not hasattr(n, "lineno"):
                    ast.copy_location(n, s.test)
            endless = ast.copy_location(ast.Constant(True), s.test)
            s = ast.copy_location(ast.While(endless, [leave, *s.body], s.orelse), s)
        status = self._loop(s, s.body, s.orelse, test=s.test)
        return Status.EXITS if control.is_endless(s) else status

    def on_For(self, s: ast.For) -> Status:
        span = self.span_of(s)
        over = self.iterable(s.iter)
        items = None if isinstance(over, Range) else over.elements(self, span)
        if items is not None:
            return self._unrolled(s, items, None)
        if isinstance(over, Zip) and over.known_length(self, span) is not None:
            return self._unrolled(s, over.rows(self, span), over.length(self, span))
        return self._loop(s, s.body, s.orelse, over=over, target=s.target)

    # -- copies of the body ------------------------------------------------------------------------------------------
    def _unrolled(self, s: ast.For, items: Sequence[Sugared | Callable[[], Sugared]], length: Value | None) -> Status:
        """A loop over something whose elements are known (a tuple, a ModuleList): one copy of the body per element.

        With `length`, that many rounds at most (known when running).
        """
        if s.orelse:
            raise self.error(s, "'else' of a loop cannot be compiled")
        if length is None and not control.has_exit(s.body):
            loops, self.loops = self.loops, 0
            try:
                for item in items:
                    self.assign(s.target, item() if callable(item) else item)
                    if self.statements(s.body) is Status.RAISES:
                        return Status.RAISES
            finally:
                self.loops = loops
            return Status.FALLS
        before = {n: self.frame.assigned.get(n) for n in ("$skip", "$stop")}
        outer_flags = {n: self.flag(n) for n in before}
        self.frame.set("$stop", SimpleValue(self.builder.constant(False)))
        self.loops += 1
        try:
            status = self._rounds(s, list(items), 0, length)
        finally:
            self.loops -= 1
        for name, old in before.items():
            self.frame.assigned.pop(name, None)
            if old is not None:
                self.frame.set(name, old)
        if not control.has_return(s.body) or status is Status.RAISES:
            return status if status is Status.RAISES else Status.FALLS
        returned = self.flag("$returned")
        if self.loops:
            for name, old_flag in outer_flags.items():
                self.frame.set(name, SimpleValue(self.builder.op("aten::__or__.bool", old_flag, returned)))
        return Status.EXITS if returned.is_constant and returned.constant else Status.MAYBE

    def _rounds(
        self, s: ast.For, items: list[Sugared | Callable[[], Sugared]], place: int, length: Value | None
    ) -> Status:
        """The rounds from `place` on, nested under the flags of those before."""
        span = self.span_of(s)
        otherwise = Status.FALLS if control.has_break(s.body) or length is not None else Status.EXITS
        for i in range(place, len(items)):
            if length is not None:
                over = self.builder.op("aten::ge.int", self.builder.constant(i), length)
                return self.unless(over, lambda i=i: self._round(s, items, i, length), Status.FALLS, span)  # type: ignore[misc]
            status = self._one_round(s, items[i])
            if status is Status.RAISES:
                return status
            stop = self.flag("$stop")
            if stop.is_constant and stop.constant:
                return Status.EXITS
            if not stop.is_constant:
                if i + 1 < len(items):
                    self.unless(stop, lambda i=i: self._rounds(s, items, i + 1, length), otherwise, span)  # type: ignore[misc]
                return Status.MAYBE
        return Status.FALLS

    def _one_round(self, s: ast.For, item: Sugared | Callable[[], Sugared]) -> Status:
        self.frame.set("$skip", SimpleValue(self.builder.constant(False)))
        self.assign(s.target, item() if callable(item) else item)
        return self.statements(s.body)

    def _round(self, s: ast.For, items: list[Sugared | Callable[[], Sugared]], place: int, length: Value) -> Status:
        status = self._one_round(s, items[place])
        stop = self.flag("$stop")
        if status is Status.RAISES or (stop.is_constant and stop.constant):
            return status
        if not stop.is_constant:
            return self.unless(stop, lambda: self._rounds(s, items, place + 1, length), Status.FALLS, self.span_of(s))
        return self._rounds(s, items, place + 1, length)

    # -- loops of the graph ------------------------------------------------------------------------------------------
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
        widened: dict[str, T.Type] = {n: v.type for n, v in start.items()}
        extra: dict[str, T.Type] = {}  # variables that only the hidden exits need after the loop
        if returns and "$ret" not in names:
            extra["$ret"] = self.returns if self.returns is not None else UNKNOWN
        mark = self.builder.point.prev
        for _ in range(8):
            done = self._try_loop(
                s, body, test, over, target, span, outer, start, widened, extra, limit, stops, returns
            )
            if done:
                break
            self.undo(mark)
        else:
            raise CompileError("the types of the variables of this loop do not settle", span)
        if test is not None and not control.has_break(body):
            self._known_after(test, span)
        return Status.MAYBE if returns else Status.FALLS

    def _known_after(self, test: ast.expr, span: Span) -> None:
        """What is known of types after a `while` that only its condition ends."""
        mark = self.builder.point.prev
        known = self.condition(test, static=False).when_false
        self.undo(mark)
        for name, t in known.items():
            self.frame.refine(name, self._narrow(name, t, span))

    def _try_loop(
        self, s: ast.stmt, body: Sequence[ast.stmt], test: ast.expr | None, over: Sugared | None, target: ast.expr | None,
        span: Span, outer: Frame, start: dict[str, Value], widened: dict[str, T.Type], extra: dict[str, T.Type],
        limit: Value, stops: bool, returns: bool,
    ) -> bool:  # fmt: skip
        """Compile the loop with these types of the carried variables; False, with the types widened, if they do not
        hold.
        """
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
        paths = control.assigned_paths([s])
        for path in paths:
            frame.spoil(path, "")
        for n in control.assigned_names([s]):
            frame.forget_paths(n)
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
                    raise CompileError(
                        frame.why_broken(n) or f"'{n}' is not defined at the end of the loop's body", span
                    )
                end = found.value(self, span)
                end = matching.convert(self, end, v.type, False)
                if not T.is_subtype(end.type, v.type):
                    both = T.unify(v.type, end.type)
                    if v.type == UNKNOWN:
                        both = end.type
                    declared = outer.declared_type(n)
                    if both is None and declared is not None and T.is_subtype(end.type, declared):
                        both = declared
                    if both is None or (n in widened and declared is not None and not T.is_subtype(both, declared)):
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
        for path in paths:
            outer.spoil(path, "")
        for n, v in carried.items():
            out = node.add_output(v.type, "" if n.startswith("$") else n)
            outer.set(n, SimpleValue(out))
        for n in frame.assigned:
            if n not in carried and n not in FLAGS and n != "$ret" and outer.find(n) is None:
                outer.broken.setdefault(
                    n, f"'{n}' is only defined inside the loop, which may not run: define it before the loop"
                )
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
