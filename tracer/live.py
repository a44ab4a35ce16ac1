"""How names of live code get meaning: as the function itself would see them."""

from __future__ import annotations

import ast
import inspect
import types as python_types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span
from linstock.tracer import formatting, live_types, live_values, matching
from linstock.tracer.expressions import Condition
from linstock.tracer.resolver import Resolver
from linstock.tracer.values import MethodRef, SimpleValue, Special, Sugared

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter
    from linstock.tracer.script import LiveProgram

_ALWAYS_FALSE = {
    "is_tracing", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_compiling", "is_exporting",
    "get_tracing_state", "is_in_onnx_export", "is_dynamo_compiling", "is_inference_mode_enabled", "is_autocast_enabled",
}  # fmt: skip
#: casts by method name
_CASTS = {
    "float": 6,
    "double": 7,
    "half": 5,
    "bfloat16": 15,
    "long": 4,
    "int": 3,
    "short": 2,
    "char": 1,
    "byte": 0,
    "bool": 11,
    "cfloat": 9,
    "cdouble": 10,
}


class LiveResolver(Resolver):
    """Resolves names through the closure and globals of one Python function."""

    def __init__(self, program: LiveProgram, lookup: Callable[[str], Any], python: Any) -> None:
        self.program, self.lookup, self.python = program, lookup, python

    # -- names and types ---------------------------------------------------------------------------------------------
    def name(self, e: Emitter, span: Span, name: str) -> Sugared | None:
        if name == "super":
            return Special("super", self._super)
        try:
            obj = self.lookup(name)
        except KeyError:
            return super().name(e, span, name)
        return live_values.wrap(self.program, obj, span)

    def python_object(self, e: Emitter, node: ast.expr) -> Any:
        """The live object that a dotted name means, or None when it is local or unknown."""
        if isinstance(node, ast.Name):
            if e.frame.find(node.id) is not None:
                return None
            try:
                return self.lookup(node.id)
            except KeyError:
                return None
        if isinstance(node, ast.Attribute):
            base = self.python_object(e, node.value)
            if isinstance(base, (python_types.ModuleType, type)):
                return getattr(base, node.attr, None)
        return None

    def named_type(self, name: str) -> T.Type | None:
        head, *rest = name.split(".")
        try:
            obj = self.lookup(head)
        except KeyError:
            return None
        for part in rest:
            obj = getattr(obj, part, None)
        return None if obj is None else live_types.of_annotation(obj, self.program.class_type)

    # -- calls that are not plain ------------------------------------------------------------------------------------
    def syntactic_call(self, e: Emitter, node: ast.Call, hint: T.Type | None) -> Sugared | None:
        span = e.span_of(node)
        obj = self.python_object(e, node.func)
        name = live_values.library_name(obj) if obj is not None else None
        if (name == "annotate" and len(node.args) == 2) or (
            getattr(obj, "__module__", "") == "typing" and getattr(obj, "__name__", "") == "cast"
        ):
            return SimpleValue(self._annotate(e, node, span))
        if name == "isinstance" or obj is isinstance:
            return SimpleValue(e.condition(node).value)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist" and obj is None:
            base = e.expression(node.func.value)
            if isinstance(base, SimpleValue) and isinstance(base.it.type, T.TensorType):
                if hint is None:
                    raise e.error(
                        node, "the result of tolist() needs an annotation, as in `x: List[float] = t.tolist()`"
                    )
                return SimpleValue(e.at(span).value("prim::tolist", (base.it,), hint))
        return super().syntactic_call(e, node, hint) if obj is None else None

    def _annotate(self, e: Emitter, node: ast.Call, span: Span) -> Value:
        t = self.annotation(e, node.args[0])
        value = e.value(node.args[1], t)
        converted = matching.convert(e, value, t, True)
        if not T.is_subtype(converted.type, t):
            raise CompileError(f"expected a value of type {t.annotation()} but got {value.type.annotation()}", span)
        return converted if converted.type == t else e.widen(converted, t)

    def static_call(self, e: Emitter, node: ast.Call) -> Condition | None:
        span = e.span_of(node)
        obj = self.python_object(e, node.func)
        name = (live_values.library_name(obj) or "").lstrip("_") if obj is not None else None
        if name == "is_scripting":
            return Condition(e.at(span).constant(True), True)
        if name in _ALWAYS_FALSE:
            return Condition(e.at(span).constant(False), False)
        if (obj is isinstance or name == "isinstance") and len(node.args) == 2:
            return self.isinstance_condition(e, span, node)
        if obj is callable:
            return Condition(e.at(span).constant(True), True)
        return super().static_call(e, node)

    def exception(self, e: Emitter, node: ast.expr) -> tuple[Value, Value]:
        span = e.span_of(node)
        call = node if isinstance(node, ast.Call) else ast.copy_location(ast.Call(node, [], []), node)
        cls: Any = self.python_object(e, call.func)
        if isinstance(call.func, ast.Name) and call.func.id == "AssertionError":
            cls = AssertionError
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise e.error(node, "'raise' takes an exception class, as in `raise ValueError('...')`")
        if call.args:
            message = e.value(call.args[0])
            if message.type != T.STRING:
                message = matching.emit_builtin(e, span, "aten::str", [message], {})
        else:
            message = e.at(span).constant("")
        return message, e.at(span).constant(f"{cls.__module__}.{cls.__qualname__}")

    def is_transparent_context(self, e: Emitter, context: Sugared) -> bool:
        return False

    # -- attributes of objects ---------------------------------------------------------------------------------------
    def class_attr(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        """Methods of scripted modules are compiled when first used."""
        handler = cls.live
        if handler is None:
            return self.static_attr(e, span, cls.python, name)
        found: Sugared | None = handler.attribute(e, span, obj, cls, name)
        return found

    def static_attr(self, e: Emitter, span: Span, python: Any, name: str) -> Sugared | None:
        if python is None:
            return None
        try:
            found = inspect.getattr_static(python, name)
        except AttributeError:
            return None
        if isinstance(found, staticmethod):
            return live_values.wrap(self.program, found.__func__, span)
        if isinstance(found, (bool, int, float, complex, str, tuple, list, dict)):
            return live_values.wrap(self.program, found, span)
        if isinstance(found, classmethod):
            raise CompileError(
                f"the class method '{name}' cannot be compiled: make it a function or a static method", span
            )
        return None

    def special_method(self, e: Emitter, receiver: SimpleValue, span: Span, name: str) -> Sugared | None:
        t = receiver.it.type
        if isinstance(t, T.TensorType):
            if name in _CASTS:
                return Special(
                    name, lambda e, span, args, kwargs: self._cast_tensor(e, span, receiver.it, _CASTS[name])
                )
            if name == "new_tensor":
                return Special(name, lambda e, span, args, kwargs: self._new_tensor(e, span, receiver.it, args, kwargs))
            if name == "type":
                return Special(name, lambda e, span, args, kwargs: self._to_type(e, span, receiver.it, args))
        if t == T.STRING and name == "format":
            return Special(
                name,
                lambda e, span, args, kwargs: SimpleValue(formatting.format_method(e, span, receiver.it, args, kwargs)),
            )
        if isinstance(t, T.FutureType) and name == "wait":
            return Special(
                name,
                lambda e, span, args, kwargs: SimpleValue(
                    matching.emit_builtin(e, span, "aten::wait", [receiver.it], {})
                ),
            )
        return None

    def _cast_tensor(self, e: Emitter, span: Span, tensor: Value, code: int) -> Sugared:
        return SimpleValue(matching.emit_builtin(e, span, "aten::to", [tensor, e.builder.constant(code)], {}))

    def _to_type(self, e: Emitter, span: Span, tensor: Value, args: Any) -> Sugared:
        return SimpleValue(matching.emit_builtin(e, span, "aten::to", [tensor, args[0].value(e, span)], {}))

    def _new_tensor(self, e: Emitter, span: Span, tensor: Value, args: Any, kwargs: Any) -> Sugared:
        named = {k: v.value(e, span) for k, v in kwargs.items() if k != "requires_grad"}
        named.setdefault("dtype", e.builder.op("prim::dtype", tensor))
        named.setdefault("device", e.builder.op("prim::device", tensor))
        return SimpleValue(matching.emit_builtin(e, span, "aten::tensor", [args[0].value(e, span)], named))

    def _super(self, e: Emitter, span: Span, args: Any, kwargs: Any) -> Sugared:
        receiver = e.frame.find("self")
        if not isinstance(receiver, SimpleValue) or not isinstance(receiver.it.type, T.ClassType):
            raise CompileError("super() is only possible in a method", span)
        return Super(self, receiver.it)


class Super(Sugared):
    """`super()`: methods of the classes after the one whose method is compiled."""

    def __init__(self, resolver: LiveResolver, receiver: Value) -> None:
        self.resolver, self.receiver = resolver, receiver

    def describe(self) -> str:
        return "super()"

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        cls = self.receiver.type
        assert isinstance(cls, T.ClassType)
        python = cls.python
        owner_name = self.resolver.python.__qualname__.rpartition(".")[0]
        mro = list(python.__mro__) if python is not None else []
        start = next((i for i, c in enumerate(mro) if c.__qualname__ == owner_name), 0)
        for base in mro[start + 1 :]:
            if name in vars(base):
                hidden = f"__super_{base.__name__}_{name}"
                if hidden not in cls.methods:
                    initialises = name == "__init__"
                    made = self.resolver.program.make_function(
                        vars(base)[name], cls, f"{cls.name}.{hidden}", initialises
                    )
                    cls.methods[hidden] = made
                    if initialises:
                        made.ensure()  # what follows sees the attributes that it makes
                return MethodRef(self.receiver, hidden)
        raise CompileError(f"super() has no attribute '{name}'", span)
