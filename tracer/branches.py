"""Branches: `if` and everything that may leave a block early, in SSA form.

Early exits become data: inside a loop `break`, `continue` and `return` set hidden flags (`$skip`: the rest of this
iteration does
not run; `$stop`: the loop ends; `$returned` and `$ret`: the function is done), and what follows a conditional exit
is nested under the flag. Where one branch of an `if` always leaves, the rest of the block simply moves into the other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Block, Builder, Node, Value
from linstock.ir.source import Span
from linstock.tracer import control
from linstock.tracer.control import Status
from linstock.tracer.environment import Frame
from linstock.tracer.expressions import ExpressionEmitter
from linstock.tracer.values import Narrowed, SimpleValue, Sugared

UNKNOWN = T.VarType("unknown")  # the type of a result before any return was seen
FLAGS = ("$skip", "$stop", "$returned")


class BranchEmitter(ExpressionEmitter):
    """Compiles sequences of statements, and `if`."""

    loops = 0  # how many loops are around the statement that is compiled
    returns: T.Type | None = None
    return_declared = False

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
        self.step(s)
        self.builder.span = self.span_of(s)
        method = getattr(self, "on_" + type(s).__name__, None)
        if method is None:
            raise self.error(s, control.refusal(s))
        status = method(s)
        return status if isinstance(status, Status) else Status.FALLS

    def _raise_flags(self, *names: str) -> None:
        for name in names:
            self.frame.set(name, SimpleValue(self.builder.constant(True)))

    def flag(self, name: str) -> Value:
        found = self.frame.find(name)
        return self.builder.constant(False) if found is None else found.value(self, self.builder.span or self.nowhere)

    def _under_flag(self, rest: list[ast.stmt], span: Span) -> Status:
        """The rest of a block after something that may have left it: runs only when the flag is down."""
        skip = self.flag("$skip" if self.loops else "$returned")
        return self.unless(skip, lambda: self.statements(rest), Status.EXITS, span)

    def unless(self, flag: Value, rest: Callable[[], Status], otherwise: Status, span: Span) -> Status:
        """Compile `rest` where the flag is down; `otherwise` is how control leaves where it is up."""
        outer = self.frame
        node = self.at(span).node("prim::If", (flag,))
        up = self._branch(node, outer, {}, [])
        down = self._branch(node, outer, {}, rest)
        self._merge(node, outer, (up[0], otherwise), down, span)
        return Status.MAYBE if down[1] in (Status.FALLS, Status.MAYBE) else Status.EXITS

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
        self, node: Node, outer: Frame, refinements: dict[str, T.Type], body: Sequence[ast.stmt] | Callable[[], Status]
    ) -> tuple[Frame, Status]:
        block = Block(self.graph, node)
        node.blocks.append(block)
        before, self.builder = self.builder, Builder(block, self.builder.span)
        self.frame = Frame(outer)
        try:
            for name, t in refinements.items():
                self.frame.refine(name, self._narrow(name, t, self.builder.span or self.nowhere))
            status = body() if callable(body) else self.statements(body)
            return self.frame, status
        finally:
            self.frame, self.builder = outer, before

    def _narrow(self, name: str, t: T.Type, span: Span) -> Sugared:
        if "." in name:
            return Narrowed(t)
        found = self.frame.find(name)
        assert found is not None
        value = found.value(self, span)
        if value.type == t or T.is_subtype(value.type, t):
            return found
        if t == T.NONE:
            return SimpleValue(self.builder.constant(None))
        return SimpleValue(self.builder.value("prim::unchecked_cast", (value,), t))

    def _merge(self, node: Node, outer: Frame, a: tuple[Frame, Status], b: tuple[Frame, Status], span: Span) -> Status:
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
            if "." in name:
                known = [side for side, left in zip(sides, gone, strict=True) if not left]
                if known[0] is not None and known[0] == known[-1]:
                    outer.set(name, known[0])
                else:
                    outer.spoil(name, "")
                continue
            if not hidden and not any(gone) and None in sides:
                branch = "true" if sides[0] is None else "false"
                why = a[0].why_broken(name) or b[0].why_broken(name)
                outer.spoil(
                    name, why or f"'{name}' is not defined in the {branch} branch of this `if`, but is used after it"
                )
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
        if any(gone):
            stays = gone.index(False)
            self._keep_narrowed(node, outer, stays, (a, b)[stays][0], names, span)
        if Status.EXITS in (a[1], b[1]) or Status.MAYBE in (a[1], b[1]):
            return Status.MAYBE
        return Status.FALLS

    def _keep_narrowed(
        self, node: Node, outer: Frame, place: int, survivor: Frame, done: Sequence[str], span: Span
    ) -> None:
        """What the only branch that goes on learnt about types stays known: after `if x is None: raise` x is not None.

        The narrowed value leaves the `if` as an output: it does not exist where the other branch was taken.
        """
        for name, sugared in survivor.refined.items():
            if (
                name in done
                or sugared is outer.find(name)
                or not isinstance(sugared, SimpleValue)
                or sugared.it.type == T.NONE
            ):
                continue
            value = self._in_block(node.blocks[place], sugared, span)
            other = node.blocks[1 - place]
            uninitialized = Builder(other, span).value("prim::Uninitialized", (), value.type)
            for i in (0, 1):
                node.blocks[i].add_output(value if i == place else uninitialized)
            outer.refine(name, SimpleValue(node.add_output(value.type, name)))

    def _in_block(self, block: Block, value: Sugared, span: Span) -> Value:
        before, self.builder = self.builder, Builder(block, span)
        try:
            return value.value(self, span)
        finally:
            self.builder = before

    def _merge_values(
        self, node: Node, outer: Frame, name: str, values: list[Value | None], gone: list[bool], span: Span
    ) -> None:
        known = [
            v.type for v, left in zip(values, gone, strict=True) if v is not None and (not left or name.startswith("$"))
        ]
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
