"""What live Python objects mean inside a scripted program."""

from __future__ import annotations

import enum
import types as python_types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.program import Function
from linstock.ir.source import Span
from linstock.tracer import live_functions, live_overloads, live_types, matching
from linstock.tracer.builtins import BUILTINS, MATH
from linstock.tracer.resolver import EnumConstant
from linstock.tracer.values import (
    Args,
    BuiltinFunction,
    ClassRef,
    EnumRef,
    FunctionRef,
    Kwargs,
    NamedTupleRef,
    Namespace,
    SimpleValue,
    Special,
    Sugared,
    TupleOf,
    plain,
)  # fmt: skip

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter
    from linstock.tracer.script import LiveProgram

#: modules whose functions are operators, and the prefix of the operator's name
OPERATOR_MODULES = {
    "torch": "", "torch._C._nn": "", "torch._C._VariableFunctions": "", "torch._VF": "", "torch.functional": "", "torch._C._special": "",
    "torch._C._linalg": "", "torch._C._fft": "", "torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_",
    "linstock": "", "linstock.linalg": "linalg_", "linstock.fft": "fft_", "linstock.special": "special_", "torch._C": "",
}  # fmt: skip
_ALIASES = {"clip": "clamp", "is_tensor": "", "manual_seed": "manual_seed", "Tensor": ""}
#: library functions of Python code that must not be taken for an operator of the same name
_COMPILED = {"norm", "unique", "unique_consecutive", "tensordot", "split", "lu", "pca_lowrank", "svd_lowrank"}


def constant(value: Any) -> Any:
    """A live value as a constant of a graph, or `value` itself."""
    code = live_types.code_of_library_value(value)
    if code is not None:
        return code
    if type(value).__name__ == "device" and not isinstance(value, Device):
        return Device(str(value))
    if live_types.is_named_tuple(type(value)):
        return type(value)(*[constant(v) for v in value])
    if isinstance(value, (tuple, list)):
        return type(value)(constant(v) for v in value) if type(value) in (tuple, list) else [constant(v) for v in value]
    if isinstance(value, dict):
        return {constant(k): constant(v) for k, v in value.items()}
    return value


class PythonConstant(Sugared):
    """A number, string, tuple, list, dtype, device or enum member found outside the compiled code."""

    def __init__(self, program: LiveProgram, obj: Any) -> None:
        self.program, self.obj = program, obj

    def describe(self) -> str:
        return f"the constant {self.obj!r}"

    @property
    def is_value(self) -> bool:
        return not isinstance(self.obj, (list, tuple)) or bool(self.obj)

    def value(self, e: Emitter, span: Span) -> Value:
        if isinstance(self.obj, enum.Enum):
            t = self.program.class_type(type(self.obj))
            assert isinstance(t, T.EnumType)
            return e.constant_of(EnumConstant(t, self.obj.name), t, span)
        t = live_types.of_value(self.obj, self.program.class_type)  # type: ignore[assignment]
        if isinstance(t, str):
            raise CompileError(f"the value {self.obj!r} from outside cannot be used here: {t}", span)
        return e.constant_of(constant(self.obj), t, span)

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        return SimpleValue(self.value(e, span)).attr(e, span, name)

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        if isinstance(self.obj, (tuple, list)):
            return [PythonConstant(self.program, v) for v in self.obj]
        return None

    def getitem(self, e: Emitter, span: Span, index: Value) -> Sugared:
        return SimpleValue(self.value(e, span)).getitem(e, span, index)

    def length(self, e: Emitter, span: Span) -> Value:
        return SimpleValue(self.value(e, span)).length(e, span)

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        return SimpleValue(self.value(e, span)).element_at(e, span, index)


class PythonModule(Sugared):
    """An imported module: attributes are looked up in Python."""

    def __init__(self, program: LiveProgram, module: Any) -> None:
        self.program, self.module = program, module

    def describe(self) -> str:
        return f"module '{getattr(self.module, '__name__', self.module)}'"

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        own = getattr(self.module, "__name__", "")
        try:
            obj = getattr(self.module, name)
        except AttributeError:
            raise CompileError(f"module '{own}' has no attribute '{name}'", span) from None
        prefix = OPERATOR_MODULES.get(own)
        if prefix is not None and callable(obj) and not isinstance(obj, type):
            found = operator_named(prefix + name, obj)
            if found is not None and name not in LIBRARY:
                return found
        if own == "math":
            try:
                return _math(name, obj, self.program)
            except CompileError as problem:
                raise CompileError(problem.message, span) from None
        return wrap(self.program, obj, span)


def operator_named(name: str, obj: Any) -> Sugared | None:
    """The operator that a library function of this name is, or None if it is Python code to compile."""
    name = getattr(obj, "__operator__", None) or name
    if name.startswith("aten::"):
        name = name[6:]
    if isinstance(obj, python_types.FunctionType) and name in _COMPILED and not hasattr(obj, "__operator__"):
        return None
    return BuiltinFunction(f"aten::{name}") if operators.is_known(f"aten::{name}") else None


def _math(name: str, obj: Any, program: LiveProgram) -> Sugared:
    """A function of Python's module `math`. Raises CompileError for one that is not supported."""
    if not callable(obj):
        return PythonConstant(program, obj)
    if name in MATH:
        return Special(f"math.{name}", MATH[name])
    known = {"remainder": "mathremainder"}.get(name, name)
    if not any(s.arguments and s.arguments[0].type in (T.INT, T.FLOAT) for s in operators.schemas(f"aten::{known}")):
        raise CompileError(f"math.{name} cannot be compiled: no operator on numbers does that")
    return BuiltinFunction(f"aten::{known}")


class ModuleClass(Sugared):
    """The class of a module: only its static methods and constants can be used."""

    def __init__(self, program: LiveProgram, python: type) -> None:
        self.program, self.python = program, python

    def describe(self) -> str:
        return f"module class '{self.python.__name__}'"

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        found: Sugared | None = e.resolver.static_attr(e, span, self.python, name)
        return found if found is not None else super().attr(e, span, name)

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        raise CompileError(
            f"a module ({self.python.__name__}) cannot be made in a scripted program: make it in __init__, as a submodule",
            span,
        )


class IgnoredFunction(Sugared):
    """A function that stays Python (`jit.ignore`), or must not be reached (`jit.unused`)."""

    def __init__(self, function: Function, python: Any, unused: bool, receiver: Value | None = None) -> None:
        self.function, self.python, self.unused, self.receiver = function, python, unused, receiver

    def describe(self) -> str:
        return f"the ignored function '{self.function.short_name}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        signature = self.function.signature()
        inputs = matching.bind_signature(
            e, span, self.function.short_name, signature, values, named, self.receiver is not None
        )
        if self.unused:
            text = f"'{self.function.short_name}' is marked as unused: it cannot be called in a scripted program"
            e.at(span).node(
                "prim::RaiseException", (e.builder.constant(text), e.builder.constant("builtins.NotImplementedError"))
            )
            if signature.returns == T.NONE:
                return SimpleValue(e.builder.constant(None))
            return SimpleValue(e.builder.value("prim::Uninitialized", (), signature.returns))
        if self.receiver is not None:
            inputs = [self.receiver, *inputs]
        return SimpleValue(e.at(span).value("prim::PythonOp", inputs, signature.returns, function=self.python))


class OperatorNamespace(Namespace):
    """`torch.ops.aten`: operators by name."""

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        if not operators.is_known(f"{self.name}::{name}"):
            near = [n.partition("::")[2] for n in operators.nearest(f"{self.name}::{name}")]
            hint = f". The nearest known: {', '.join(near)}" if near else ""
            raise CompileError(f"there is no operator '{self.name}::{name}'{hint}", span)
        return super().attr(e, span, name)


class BooleanDispatch(Sugared):
    """A function that is one of two by a constant bool argument (`max_pool2d(..., return_indices=...)`)."""

    def __init__(self, program: LiveProgram, row: dict[str, Any]) -> None:
        self.program, self.row = program, row

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        place, name = self.row["arg_index"], self.row["arg_name"]
        given: Sugared | None = kwargs.get(name)
        if given is None and place < len(args):
            given = args[place]
        choice = self.row["default"]
        if given is not None:
            value = given.value(e, span)
            if not value.is_constant:
                raise CompileError(f"the argument '{name}' must be a constant", span)
            choice = value.constant
        chosen = self.row["if_true"] if choice else self.row["if_false"]
        return wrap(self.program, chosen, span).call(e, span, args, kwargs)


def boolean_dispatch(obj: Any) -> dict[str, Any] | None:
    """The row of a boolean dispatch function, or None."""
    row = getattr(obj, "__boolean_dispatch__", None)
    if isinstance(row, dict):
        return row
    code = getattr(obj, "__code__", None)
    wanted = {"arg_index", "arg_name", "default", "if_false", "if_true"}
    if code is None or not wanted <= set(code.co_freevars):
        return None
    return {n: c.cell_contents for n, c in zip(code.co_freevars, obj.__closure__, strict=True)}


def library_name(obj: Any) -> str | None:
    """The plain name of a library function, if the object is one."""
    return getattr(obj, "__name__", None) if live_types.library_of(obj) else None


# -- library functions that the compiler itself understands
# --------------------------------------------------------------
def _fork(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    """`fork(f, *args)`: what f would give, as a Future."""
    from linstock.ir.graph import Graph
    from linstock.ir.program import Parameter, Signature
    from linstock.tracer.emitter import Emitter as Inner

    values, named = plain(e, span, args[1:], kwargs)
    inner = Inner(e.resolver, e.source, Graph("forked"))
    callee = args[0]
    receiver = getattr(callee, "receiver", None)
    if isinstance(callee, SimpleValue):
        receiver = callee.it
    captured = [*([receiver] if receiver is not None else []), *values, *named.values()]
    inputs = [inner.graph.add_input(v.type, v.name) for v in captured]
    inside = list(inputs)
    if receiver is not None:
        first = inside.pop(0)
        moved = SimpleValue(first) if isinstance(callee, SimpleValue) else _rebind(callee, first)
    else:
        moved = callee
    call_args = [SimpleValue(v) for v in inside[: len(values)]]
    call_kwargs: Kwargs = {k: SimpleValue(v) for k, v in zip(named, inside[len(values) :], strict=True)}
    result = moved.call(inner, span, call_args, call_kwargs).value(inner, span)
    inner.graph.add_output(result)
    parameters = tuple(Parameter(f"a{i}", v.type) for i, v in enumerate(captured))
    function = Function.of("forked", Signature(parameters, result.type), inner.graph)
    return SimpleValue(e.at(span).value("prim::fork", captured, T.FutureType(result.type), function=function))


def _rebind(callee: Sugared, receiver: Value) -> Sugared:
    from dataclasses import replace

    return replace(callee, receiver=receiver)  # type: ignore[type-var]


def _warn(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    message = args[0].value(e, span)
    if message.type != T.STRING:
        message = matching.emit_builtin(e, span, "aten::str", [message], {})
    matching.emit_builtin(e, span, "aten::warn", [message], {})
    return SimpleValue(e.builder.constant(None))


def _identity(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    return args[-1]


def _as_builtin(name: str) -> Callable[..., Sugared]:
    def call(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        return SimpleValue(e.call_operator(span, name, values, named))

    return call


def _is_tensor(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    return SimpleValue(e.builder.constant(isinstance(args[0].value(e, span).type, T.TensorType)))


def _size(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    values, _ = plain(e, span, args, kwargs)
    return SimpleValue(matching.convert(e, values[0], T.ListType(T.INT), False))


def _renorm(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    """PyTorch's helper around embedding_renorm_: without gradients, and without a result."""
    weight, *rest = (a.value(e, span) for a in args)
    matching.emit_builtin(e, span, "aten::embedding_renorm_", [e.builder.op("aten::detach", weight), *rest], {})
    return SimpleValue(e.builder.constant(None))


def _size_itself(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    """`_list_with_default(size, defaults)`: in scripted code no part of a size is None."""
    return args[0]


def _ntuple(n: int) -> Callable[..., Sugared]:
    """`_pair(x)` and its kin: one number n times, or the list itself."""

    def make(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        value = args[0].value(e, span)
        if value.type in (T.INT, T.FLOAT):
            return SimpleValue(e.list_of([value] * n, value.type))
        if isinstance(value.type, T.TupleType):
            return SimpleValue(matching.convert(e, value, T.ListType(value.type.elements[0]), False))
        return SimpleValue(value)

    return make


#: library functions by their plain name
LIBRARY: dict[str, Callable[..., Sugared]] = {
    "fork": _fork, "wait": _as_builtin("aten::wait"), "_wait": _as_builtin("aten::wait"), "warn": _warn, "cast": _identity,
    "is_tensor": _is_tensor, "Size": _size, "is_grad_enabled": _as_builtin("aten::is_grad_enabled"),
    "_no_grad_embedding_renorm_": _renorm, "_list_with_default": _size_itself,
    "_single": _ntuple(1), "_pair": _ntuple(2), "_triple": _ntuple(3), "_quadruple": _ntuple(4),
    "device": _as_builtin("aten::device"), "Device": _as_builtin("aten::device"), "einsum": _as_builtin("aten::einsum"),
}  # fmt: skip
#: where the functions of `live_functions` live
_FUNCTION_MODULES = ("torch.functional", "linstock", "linstock.runtime.functions")
_UNIQUE = {"grad": "aten::grad", "backward": "aten::backward"}


def wrap(program: LiveProgram, obj: Any, span: Span) -> Sugared:
    """The meaning of a live Python object. Raises CompileError for one without."""
    if isinstance(obj, Sugared):
        return obj
    ours = getattr(obj, "_function", None)
    if isinstance(ours, Function):
        return FunctionRef(ours)
    if isinstance(obj, python_types.ModuleType):
        return PythonModule(program, obj)
    if isinstance(obj, type):
        return _wrap_class(program, obj, span)
    if type(obj).__name__ in ("Namespace", "_OpNamespace") and live_types.library_of(type(obj)):
        return OperatorNamespace(str(getattr(obj, "_name", None) or obj.name))
    if callable(obj) and not live_types.is_module(obj):
        return _wrap_callable(program, obj, span)
    if live_types.is_module(obj):
        raise CompileError(
            f"a module ({type(obj).__name__}) from outside cannot be called here: make it an attribute of the scripted module",
            span,
        )
    if live_types.is_tensor(obj):
        raise CompileError(
            "a tensor from outside (a global or closure variable) cannot be used in a scripted function: pass it as an argument, or make it a buffer",
            span,
        )
    return PythonConstant(program, obj)


def _wrap_class(program: LiveProgram, obj: type, span: Span) -> Sugared:
    import builtins

    name = obj.__name__
    if getattr(builtins, name, None) is obj and name in BUILTINS:
        return BUILTINS[name]
    if name in LIBRARY and live_types.library_of(obj):
        return Special(name, LIBRARY[name])
    if live_types.library_of(obj) and name in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode"):
        return ClassRef(program.grad_mode_class(name))
    t = program.class_type(obj)
    if isinstance(t, T.NamedTupleType):
        return NamedTupleRef(t)
    if isinstance(t, T.EnumType):
        return EnumRef(t)
    if isinstance(t, T.ClassType):
        return ClassRef(t)
    if hasattr(obj, "named_parameters"):
        return ModuleClass(program, obj)
    raise CompileError(f"class '{name}' cannot be used in a scripted program", span)


def _wrap_callable(program: LiveProgram, obj: Any, span: Span) -> Sugared:
    import builtins

    name = getattr(obj, "__name__", "") or ""
    if getattr(builtins, name, None) is obj:
        if name in BUILTINS:
            return BUILTINS[name]
        raise CompileError(f"the built-in function '{name}' cannot be compiled", span)
    library = library_name(obj)
    if library == "parse" and "modules.utils" in obj.__module__:  # torch's _pair and so on are closures of this name
        n = next((c.cell_contents for c in obj.__closure__ or () if isinstance(c.cell_contents, int)), 1)
        return Special("ntuple", _ntuple(n))
    if (library in LIBRARY or getattr(obj, "__module__", "") == "typing") and name in LIBRARY:
        return Special(name, LIBRARY[name])
    if library in live_functions.FUNCTIONS and obj.__module__ in _FUNCTION_MODULES and not hasattr(obj, "__operator__"):
        return Special(name, live_functions.FUNCTIONS[library])
    if getattr(obj, "__module__", None) == "warnings" or (
        name == "warn" and getattr(obj, "__module__", "") == "_warnings"
    ):
        return Special("warn", _warn)
    if getattr(obj, "__module__", None) == "math":
        try:
            return _math(name, obj, program)
        except CompileError as problem:
            raise CompileError(problem.message, span) from None
    row = boolean_dispatch(obj)
    if row is not None:
        return BooleanDispatch(program, row)
    if library in _UNIQUE and "autograd" in obj.__module__:
        return BuiltinFunction(_UNIQUE[library])
    builtin = (
        isinstance(obj, python_types.BuiltinFunctionType)
        or hasattr(obj, "__operator__")
        or not hasattr(obj, "__code__")
    )
    if builtin and name:
        module = getattr(obj, "__module__", None) or ""
        found = operator_named(OPERATOR_MODULES.get(module, "") + name, obj) or operator_named(name, obj)
        if found is not None:
            return found
    if hasattr(obj, "__self__") and live_types.is_module(obj.__self__):
        raise CompileError(f"the bound method '{name}' of a module from outside cannot be called here", span)
    modifier = program.modifier(obj)
    if modifier is not None:
        return IgnoredFunction(program.declared(obj), obj, modifier == "unused")
    original = getattr(obj, "_torchdynamo_inline", None)
    if type(obj).__name__ == "ScriptFunction" and original is not None:
        return wrap(program, original, span)  # PyTorch's script of a function
    if not hasattr(obj, "__code__") and not hasattr(obj, "__wrapped__"):
        raise CompileError(
            f"'{name or obj!r}' cannot be compiled: it is no Python function, and no operator of this name is known",
            span,
        )
    rows = live_overloads.of_function(obj)
    return live_overloads.OverloadedFunction(program, obj, rows) if rows else FunctionRef(program.function(obj))


__all__ = ["BooleanDispatch", "IgnoredFunction", "PythonConstant", "PythonModule", "TupleOf", "constant", "wrap"]
