"""Deferred execution: a function runs by a plan, made when it is first called with some kind of inputs.

What a plan depends on is the kind of the inputs (element type, rank, device, whether gradients are wanted), never
their sizes. A plan is a generated Python function (`codegen`). The first call with some kind of inputs runs the
functions as they were captured, each compiled when it is first reached, because many a program runs once; the second
call makes the optimised plan, of the whole program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from linstock.ir import operators
from linstock.ir.errors import CompileError, InputError, LinstockError
from linstock.ir.graph import Graph
from linstock.ir.program import LOCK, MISSING, Function, Parameter, Signature
from linstock.ir.source import Span
from linstock.runtime import conversion, dispatch
from linstock.runtime.codegen import Compiled, generate
from linstock.runtime.conversion import Mismatch
from linstock.runtime.modes import MODE, Mode, get_mode
from linstock.runtime.objects import ScriptObject
from linstock.runtime.tensor import Tensor

#: None: from the second call on; True: from the first; False: never
_OPTIMIZED: ContextVar[bool | None] = ContextVar("linstock_optimized", default=None)
_optimized = _OPTIMIZED.get
_FOLDING = Mode(grad=False)

#: what a plan is looked up by: whether it is optimised, whether gradients are recorded, the kind of each input
PlanKey = tuple[Any, ...]


def _quiet() -> tuple[Callable[[], Any], Callable[[Any], None]]:
    """Functions that switch NumPy's floating-point warnings off, and back to what they were.

    `np.errstate` takes ten times as long as its core, a context variable: as long as a small operator.
    """
    try:
        from numpy._core.umath import _extobj_contextvar, _make_extobj

        silent = _make_extobj(all="ignore")
        return lambda: _extobj_contextvar.set(silent), _extobj_contextvar.reset
    except (ImportError, AttributeError, TypeError):

        def enter() -> Any:
            state = np.errstate(all="ignore")
            state.__enter__()
            return state

        return enter, lambda state: state.__exit__(None, None, None)


_silence, _restore = _quiet()


@contextmanager
def silent() -> Iterator[None]:
    """NumPy's floating-point warnings are off inside the block."""
    token = _silence()
    try:
        yield
    finally:
        _restore(token)


@contextmanager
def optimized_execution(enabled: bool) -> Iterator[None]:
    """Run scripted code inside the block with passes and engines (True), from the first call on, or without (False).

    Without them, every operator is a call of its array kernel: the reference that engines are compared with.
    """
    token = _OPTIMIZED.set(bool(enabled))
    try:
        yield
    finally:
        _OPTIMIZED.reset(token)


@dataclass(frozen=True)
class Plan:
    """How a function runs for one kind of inputs."""

    key: PlanKey
    compiled: Compiled


def kind_of(value: Any) -> Any:
    """What a plan may depend on of an input. Sizes are no part of it."""
    if isinstance(value, Tensor):
        array, meta = value._array, value._meta
        wants = meta is not None and (meta.requires_grad or meta.node is not None)
        return (array.dtype, array.ndim, wants, type(array))
    if type(value) in (list, tuple):
        return (type(value), *[kind_of(v) for v in value[:8]])
    return type(value)


class Executor:
    """Runs one function: binds arguments by its signature, keeps its plans. `plan_count` says how many were made."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.plans: dict[PlanKey, Plan] = {}
        self._compiled: dict[bool, Compiled] = {}
        self._tried: set[PlanKey] = set()
        self._generation = Function.replaced
        signature = function.signature()
        self.signature = signature
        self._parameters = signature.parameters
        self._converters = tuple(conversion.converter(p.type) for p in self._parameters)
        self._positional = sum(not p.kwarg_only for p in self._parameters)
        self._simple = self._positional == len(self._parameters)
        self._export = conversion.exporter(signature.returns)

    @property
    def plan_count(self) -> int:
        return len(self._tried | set(self.plans))

    # -- calls from Python -------------------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function on Python values. Raises InputError for arguments that do not fit."""
        if kwargs or len(args) != len(self._parameters) or not self._simple:
            args = tuple(self._bind(args, kwargs))
        try:
            values = [convert(value) for convert, value in zip(self._converters, args)]
        except Mismatch:
            raise self._misfit(args) from None
        result = self.run(values)
        return result if self._export is None else self._export(result)

    def run(self, values: Sequence[Any]) -> Any:
        """Run the function on values of the program."""
        key = (_optimized(), get_mode().grad, *[kind_of(v) for v in values if type(v) is not ScriptObject])
        plan = self.plans.get(key)
        token = None
        try:
            if plan is None or self._generation != Function.replaced:
                plan = self._plan(key)
            token = _silence()
            return plan.compiled.run(*values)
        except Exception as error:
            locate(error)
            if error.__cause__ is None:
                error.__suppress_context__ = True
            raise error.with_traceback(None)  # noqa: B904 -- the frames of generated code say nothing to a user
        finally:
            if token is not None:
                _restore(token)

    def declaration(self) -> str:
        """The signature as messages show it."""
        return declaration(self.function.short_name, self.signature)

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        name, parameters = self.function.short_name, self._parameters
        if len(args) > self._positional:
            raise InputError(
                f"{name}() expected at most {self._positional} argument(s) but received {len(args)} argument(s). "
                f"Declaration: {self.declaration()}"
            )
        bound = list(args)
        used = 0
        for i, p in enumerate(parameters):
            if p.name in kwargs:
                if i < len(args):
                    raise InputError(
                        f"Argument '{p.name}' specified both as positional and keyword argument. "
                        f"Schema: {self.declaration()}"
                    )
                bound.append(kwargs[p.name])
                used += 1
            elif i >= len(args):
                if p.default is MISSING:
                    raise InputError(
                        f"{name}() is missing value for argument '{p.name}'. Declaration: {self.declaration()}"
                    )
                bound.append(p.default)
        if used != len(kwargs):
            known = {p.name for p in parameters}
            odd = next(k for k in kwargs if k not in known)
            raise InputError(f"Unknown keyword argument '{odd}' for operator '{name}'. Schema: {self.declaration()}")
        return bound

    def _misfit(self, args: Sequence[Any]) -> InputError:
        for i, (p, value) in enumerate(zip(self._parameters, args, strict=True)):
            try:
                self._converters[i](value)
            except Mismatch as problem:
                return InputError(
                    f"{self.function.short_name}() Expected a value of type '{p.type.annotation()}' for argument "
                    f"'{p.name}' but instead found type '{conversion.describe(value)}'.{_detail(problem)}\n"
                    f"Position: {i}\nValue: {_short(value)}\nDeclaration: {self.declaration()}"
                )
        raise LinstockError("an argument did not fit, but all do when looked at again")

    # -- plans -------------------------------------------------------------------------------------------------------
    def _plan(self, key: PlanKey) -> Plan:
        with LOCK:
            self._refresh()
            plan = self.plans.get(key)
            if plan is None:
                mode = key[0]
                if mode is None and key not in self._tried and True not in self._compiled:
                    self._tried.add(key)
                    return Plan(key, self.compiled(False))
                plan = self.plans[key] = Plan(key, self.compiled(mode is not False))
            return plan

    def compiled(self, optimize: bool) -> Compiled:
        """The generated function, shared by plans: array kernels do not depend on the kinds of inputs."""
        made = self._compiled.get(optimize)
        if made is None or self._generation != Function.replaced:
            with LOCK:
                self._refresh()
                made = self._compiled.get(optimize)
                if made is None:
                    graph = self.function.graph
                    if optimize:
                        graph = optimized(graph)
                    made = generate(graph, linker(optimize), dispatch.operator, self.function.name)
                    self._compiled[optimize] = made
        return made

    def _refresh(self) -> None:
        """Forget what was made before the graph of any function was replaced: it may have that function inside."""
        if self._generation != Function.replaced:
            self._generation = Function.replaced
            self.plans.clear()
            self._tried.clear()
            self._compiled.clear()


def executor_of(function: Function) -> Executor:
    """The function's executor, made when first asked for."""
    found = function.executor
    if found is None:
        with LOCK:
            found = function.executor
            if found is None:
                found = function.executor = Executor(function)
    assert isinstance(found, Executor)
    return found


@cache
def linker(optimized: bool) -> Callable[[Function, dict[Any, Any], Any], None]:
    """How generated code binds the functions it calls: each is compiled when it is first called."""

    def link(function: Function, target: dict[Any, Any], key: Any) -> None:
        def first(*args: Any) -> Any:
            run = target[key] = executor_of(function).compiled(optimized).run
            return run(*args)

        target[key] = first

    return link


@cache
def _pipeline() -> Callable[[Graph, Any], None]:
    from linstock.passes.pipelines import optimize

    return optimize


def optimized(graph: Graph) -> Graph:
    """A copy of the graph after the passes; the graph itself where a function that it calls does not compile.

    Such a function may be in a branch that never runs, so its error waits until it is called.
    """
    copy = graph.copy()
    try:
        _pipeline()(copy, evaluate)
    except CompileError:
        return graph
    return copy


def evaluate(full_name: str, args: Sequence[Any]) -> Sequence[Any]:
    """Compute an operator for the constant folder: by the kernel, unrecorded. Gives its outputs."""
    token = MODE.set(_FOLDING)
    silence = _silence()
    try:
        result = dispatch.operator(full_name)(*[v[:] if type(v) is list else v for v in args])
    finally:
        _restore(silence)
        MODE.reset(token)
    returns = len(operators.schema(full_name).returns)
    return () if returns == 0 else (result,) if returns == 1 else tuple(result)


# -- messages ----------------------------------------------------------------------------------------------------------
def declaration(name: str, signature: Signature) -> str:
    """A signature as TorchScript prints it: `forward(__torch__.M self, Tensor x, int y=2) -> Tensor`."""

    def show(p: Parameter) -> str:
        return f"{p.type} {p.name}" + ("" if p.default is MISSING else f"={p.default!r}")

    parts = [show(p) for p in signature.parameters]
    first = next((i for i, p in enumerate(signature.parameters) if p.kwarg_only), None)
    if first is not None:
        parts.insert(first, "*")
    return f"{name}({', '.join(parts)}) -> {signature.returns}"


def _detail(problem: Mismatch) -> str:
    parts = []
    if problem.path:
        parts.append(
            f"at {problem.path} expected '{problem.expected}' but found '{conversion.describe(problem.value)}'"
        )
    if problem.detail:
        parts.append(problem.detail)
    return f" ({'; '.join(parts)})" if parts else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def locate(error: BaseException) -> None:
    """Note in an error where in the user's program it happened: the calls, outermost first, each with its line."""
    frames: list[tuple[str, Span]] = []
    trace = error.__traceback__
    while trace is not None:
        names = trace.tb_frame.f_globals
        lines = names.get("__spans__")
        if lines is not None and 0 < trace.tb_lineno <= len(lines):
            function = names["__function__"].rpartition(".")[2]
            for i, span in enumerate(lines[trace.tb_lineno - 1]):
                frames.append(("" if i else function, span))
        trace = trace.tb_next
    if frames:
        add_calls(error, frames)


def add_calls(error: BaseException, frames: Sequence[tuple[str, Span]]) -> None:
    """Note the calls that led to an error."""
    lines = ["Traceback of the program (most recent call last):"]
    shown: list[Span] = []
    for name, span in frames:
        span = span.resolve()
        if shown and shown[-1] == span:
            continue
        shown.append(span)
        head, _, rest = span.show().partition("\n")
        lines.append(head + (f", in {name}" if name else "") + (f"\n{rest}" if rest else ""))
    error.add_note("\n".join(lines))
    if isinstance(error, LinstockError) and error.span is None:
        error.span = shown[-1]
