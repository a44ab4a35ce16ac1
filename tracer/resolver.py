"""How names get meaning. One emitter serves archive code and live functions: they differ only in their resolver."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.program import Function, Parameter, Signature
from linstock.ir.source import Span
from linstock.tracer import annotations as notation
from linstock.tracer import builtins, comprehension, control, matching
from linstock.tracer.expressions import Condition
from linstock.tracer.values import BuiltinFunction, SimpleValue, Sugared

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter


class Resolver:
    """What both kinds of programs share: built-in functions, operators, isinstance, notation."""

    #: how many more expressions and statements may be compiled; bounded for code of files
    steps: float = math.inf

    def name(self, e: Emitter, span: Span, name: str) -> Sugared | None:
        """The meaning of a name that is not local, or None."""
        return builtins.BUILTINS.get(name)

    def named_type(self, name: str) -> T.Type | None:
        """The class, interface, enum or NamedTuple of this dotted name, or None."""
        return None

    def annotation(self, e: Emitter, node: ast.expr) -> T.Type:
        """The type an annotation means. Raises CompileError at the annotation."""
        try:
            return notation.parse(node, self.named_type)
        except notation.AnnotationError as problem:
            raise e.error(problem.node if hasattr(problem.node, "lineno") else node, str(problem)) from None

    def operator(self, e: Emitter, span: Span, namespace: str, name: str) -> Sugared:
        """The operator `namespace::name`. Raises UnknownOperatorError when it is called, if unknown."""
        return BuiltinFunction(f"{namespace}::{name}")

    def call_operator(
        self, e: Emitter, span: Span, name: str, args: Sequence[Value], kwargs: dict[str, Value]
    ) -> Value:
        return matching.emit_builtin(e, span, name, args, kwargs)

    def class_attr(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        return None

    def static_attr(self, e: Emitter, span: Span, python: Any, name: str) -> Sugared | None:
        """What a Python class holds under a name, besides what its objects have."""
        return None

    def enum_member(self, t: T.EnumType, name: str) -> Any:
        """The constant that stands for an enum's member."""
        return EnumConstant(t, name)

    def special_method(self, e: Emitter, receiver: SimpleValue, span: Span, name: str) -> Sugared | None:
        return None

    def exception(self, e: Emitter, node: ast.expr) -> tuple[Value, Value]:
        """Message and class name of a raised exception."""
        raise e.error(node, "'raise' cannot be compiled here")

    def is_transparent_context(self, e: Emitter, context: Sugared) -> bool:
        return False

    def inner_function(self, e: Emitter, node: ast.FunctionDef | ast.Lambda) -> Sugared:
        raise e.error(node, "a function inside a function cannot be compiled: define it at the top of the module")

    def syntactic_call(self, e: Emitter, node: ast.Call, hint: T.Type | None) -> Sugared | None:
        """Calls whose arguments are not plain expressions: annotate(T, v), isinstance(v, T)."""
        if isinstance(node.func, ast.Name) and e.frame.find(node.func.id) is None and node.func.id == "isinstance":
            return SimpleValue(e.condition(node).value)
        return None

    def static_call(self, e: Emitter, node: ast.Call) -> Condition | None:
        """Calls that are conditions with a meaning for types: isinstance, hasattr."""
        if not isinstance(node.func, ast.Name) or e.frame.find(node.func.id) is not None:
            return None
        span = e.span_of(node)
        if node.func.id == "isinstance" and len(node.args) == 2:
            return self.isinstance_condition(e, span, node)
        if node.func.id == "hasattr" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            mark = e.builder.point.prev
            has = e.expression(node.args[0]).has_attr(e, span, str(node.args[1].value))
            e.undo(mark)
            return Condition(e.at(span).constant(has), has)
        return None

    def isinstance_condition(self, e: Emitter, span: Span, node: ast.Call) -> Condition:
        wanted = builtins.isinstance_types(e, node.args[1])
        value = e.expression(node.args[0]).value(e, span)
        known = builtins.static_isinstance(value.type, wanted)
        if known is not None:
            return Condition(e.at(span).constant(known), known)
        out = e.at(span).value("prim::isinstance", (value,), T.BOOL, types=wanted)
        yes, no = builtins.narrowed(value.type, wanted)
        name = control.path_of(node.args[0])
        if name is None:
            return Condition(out)
        return Condition(out, None, {name: yes} if yes is not None else {}, {name: no} if no is not None else {})

    def argument_hint(self, e: Emitter, callee: Sugared, place: int | str) -> T.Type | None:
        """The type that a called function declares for an argument, so that `[]` gets its element type."""
        from linstock.tracer.values import FunctionRef, MethodRef

        signature: Signature | None = None
        skip = 0
        if isinstance(callee, FunctionRef):
            if callee.function._signature is None and callee.function._declare is None:
                return None
            signature = callee.function.signature()
        elif isinstance(callee, MethodRef):
            t = callee.receiver.type
            assert isinstance(t, (T.ClassType, T.InterfaceType))
            method = t.methods[callee.name]
            signature = method.signature() if isinstance(method, Function) else method
            skip = 1
        if signature is None:
            return None
        parameters = signature.parameters[skip:]
        if isinstance(place, int):
            return parameters[place].type if place < len(parameters) else None
        return next((p.type for p in parameters if p.name == place), None)

    def comprehension(
        self, e: Emitter, node: ast.ListComp | ast.DictComp | ast.GeneratorExp, hint: T.Type | None
    ) -> Sugared:
        return comprehension.compile(e, node, hint)

    def rank_of(self, e: Emitter, value: Value) -> int | None:
        """The rank of a tensor if it is known when compiling."""
        return value.type.rank if isinstance(value.type, T.TensorType) else None


class EnumConstant:
    """A member of an enum, as a constant of a graph: `type` and `name`."""

    __slots__ = ("name", "type")

    def __init__(self, type: T.EnumType, name: str) -> None:
        self.type, self.name = type, name

    @property
    def value(self) -> Any:
        return self.type.members[self.name]

    def __repr__(self) -> str:
        return f"{self.type.name}.{self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumConstant) and (self.type, self.name) == (other.type, other.name)

    def __hash__(self) -> int:
        return hash((id(self.type), self.name))


def parameter_list(node: ast.FunctionDef | ast.Lambda) -> list[tuple[ast.arg, ast.expr | None, bool]]:
    """Parameters of a function definition: (argument, default, keyword only). `*args` and `**kwargs` are left out."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)
    rows = [(arg, default, False) for arg, default in zip(plain, defaults, strict=True)]
    rows += [(arg, default, True) for arg, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return rows


__all__ = ["CompileError", "EnumConstant", "Parameter", "Resolver", "operators", "parameter_list"]
