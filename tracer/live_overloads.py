"""Live functions with several signatures: one body, compiled for each signature that a call needs.

linstock marks them with `__overloads__` (annotations by parameter name, as text); PyTorch keeps declarations in a table
of its own.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span
from linstock.tracer import live_source
from linstock.tracer.values import Args, FunctionRef, Kwargs, MethodRef, Sugared

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter
    from linstock.tracer.script import LiveProgram

#: annotations by parameter name; "return" is that of the result
Annotations = dict[str, ast.expr]


def of_function(python: Any, owner: type | None = None) -> list[Annotations]:
    """The signatures of a function (or of a method of `owner`), none for one that has only its own."""
    own = getattr(python, "__overloads__", None)
    if own is not None:
        return [{name: ast.parse(text, mode="eval").body for name, text in row.items()} for row in own]
    table = sys.modules.get("torch._jit_internal")
    if table is None or not inspect.isfunction(python) or not python.__module__:
        return []
    name = table._qualified_name(python)
    if owner is not None:
        methods = table._overloaded_methods.get(name, {})
        return [_annotations_of(d) for d in methods.get(python.__qualname__.rpartition(".")[0]) or ()]
    declared = table._get_fn_overloads(name)
    return [_annotations_of(d) for d in declared] if declared else _compiled_by_torch(python)


def _compiled_by_torch(python: Any) -> list[Annotations]:
    """The signatures of a function that PyTorch has scripted already: it forgets the declarations then."""
    state = sys.modules.get("torch.jit._state")
    compiled = None if state is None else state._try_get_jit_cached_overloads(python)

    def parsed(t: Any) -> ast.expr:
        return ast.parse(t.annotation_str, mode="eval").body  # type: ignore[no-any-return]

    return [
        {a.name: parsed(a.type) for a in f.schema.arguments} | {"return": parsed(f.schema.returns[0].type)}
        for f in compiled or ()
    ]


def _annotations_of(declaration: Any) -> Annotations:
    _, node = live_source.read(declaration)
    assert isinstance(node, ast.FunctionDef)
    found = {a.arg: a.annotation for a in (*node.args.args, *node.args.kwonlyargs) if a.annotation is not None}
    return found if node.returns is None else found | {"return": node.returns}


def _first_fitting(e: Emitter, span: Span, what: str, choices: list[Sugared], args: Args, kwargs: Kwargs) -> Sugared:
    problems = []
    for choice in choices:
        mark = e.builder.point.prev
        try:
            return choice.call(e, span, args, kwargs)
        except CompileError as problem:
            e.undo(mark)
            problems.append(problem.message)
    listing = "\n".join(f"  {p}" for p in problems)
    raise CompileError(f"none of the signatures of {what} takes these arguments:\n{listing}", span)


@dataclass(frozen=True)
class OverloadedFunction(Sugared):
    """A function with several signatures."""

    program: LiveProgram
    python: Any
    rows: list[Annotations]

    def describe(self) -> str:
        return f"function '{self.python.__name__}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        choices: list[Sugared] = [
            FunctionRef(self.program.overload(self.python, i, row)) for i, row in enumerate(self.rows)
        ]
        return _first_fitting(e, span, self.describe(), choices, args, kwargs)


@dataclass(frozen=True)
class OverloadedMethod(Sugared):
    """A method with several signatures: the first has the method's name, the others a number behind it."""

    program: LiveProgram
    receiver: Value
    cls: T.ClassType
    name: str
    python: Any
    rows: list[Annotations]

    def describe(self) -> str:
        return f"method '{self.name}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        choices: list[Sugared] = []
        for i, row in enumerate(self.rows):
            name = method_name(self.name, i)
            if name not in self.cls.methods:
                choices.append(_Later(self, name, row))
            else:
                choices.append(MethodRef(self.receiver, name))
        return _first_fitting(e, span, self.describe(), choices, args, kwargs)


@dataclass(frozen=True)
class _Later(Sugared):
    """A method that the class gets only if this call fits it."""

    method: OverloadedMethod
    name: str
    row: Annotations

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        m = self.method
        m.cls.methods[self.name] = m.program.make_function(m.python, m.cls, f"{m.cls.name}.{self.name}", types=self.row)
        try:
            return MethodRef(m.receiver, self.name).call(e, span, args, kwargs)
        except CompileError:
            del m.cls.methods[self.name]
            raise


def method_name(name: str, place: int) -> str:
    """The name of a method's form for its signature number `place`."""
    return f"{name}__{place}" if place else name
