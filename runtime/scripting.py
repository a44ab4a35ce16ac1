"""`jit.script`: live functions, classes and modules become programs; and the marks that say what not to compile."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any, TypeVar

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.program import Function
from linstock.runtime import conversion
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import ScriptFunction, ScriptMethod, ScriptModule, face
from linstock.tracer import live_types
from linstock.tracer.live_modules import compile_module, module_type
from linstock.tracer.script import LiveProgram, functions_of_text, methods_of_text

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)

#: everything scripted in this process
PROGRAM = LiveProgram()


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Compile a function, module or class (or NamedTuple, Enum, interface) from its source.

    Gives a ScriptFunction or ScriptModule; a class is compiled and given back, to be used in scripted code. Submodules,
    functions and classes that are used are compiled too. Raises CompileError, with the line, for what cannot be
    compiled.
    """
    if isinstance(obj, (ScriptModule, ScriptFunction)):
        return obj
    if isinstance(obj, type):
        if PROGRAM.class_type(obj) is None:
            raise CompileError(
                f"class '{obj.__name__}' cannot be scripted: script an instance of a module, not its class"
            )
        return obj
    if live_types.is_module(obj):
        return script_module(obj)
    if isinstance(obj, (dict, list)):
        return obj
    if callable(obj):
        if PROGRAM.modifier(obj) is not None:
            return obj
        function = PROGRAM.function(obj)
        PROGRAM.complete(function)
        return ScriptFunction(function, obj)
    raise CompileError(f"cannot script a {type(obj).__name__}: give a function, a module or a class")


def script_module(module: Any) -> ScriptModule:
    """The program of a live module; its parameters and buffers are shared with it."""
    cls = compile_module(PROGRAM, module)
    made = face(module_object(module, cls, {}))
    assert isinstance(made, ScriptModule)
    return made


def module_object(module: Any, cls: T.ClassType, memo: dict[int, ScriptObject]) -> ScriptObject:
    """The object of a live module. Raises CompileError for an attribute that does not have its declared type."""
    known = memo.get(id(module))
    if known is not None:
        return known
    ready: ScriptObject | None = module.__dict__.get("_object") if isinstance(module, ScriptModule) else None
    if ready is not None:
        memo[id(module)] = ready
        return ready
    made = memo[id(module)] = ScriptObject(cls)
    if isinstance(module, ScriptModule):
        made.python = module
    else:
        face(made).__dict__["_original"] = module
    for name, t in cls.attributes.items():
        value = getattr(module, name, None)
        if live_types.is_attribute(value):
            value = value.value  # type: ignore[union-attr]
        if name == "_is_full_backward_hook":
            made.slots[name] = None
            continue
        if live_types.is_module(value):
            child = t if isinstance(t, T.ClassType) else module_type(PROGRAM, value)
            made.slots[name] = module_object(value, child, memo)
            continue
        try:
            code = live_types.code_of_library_value(value) if t == T.INT else None
            value = value if code is None else code
            made.slots[name] = conversion.convert(value, t, f"attribute '{name}' of {cls.name}")
        except (TypeError, RuntimeError) as problem:
            raise CompileError(f"attribute '{name}' of module '{type(module).__name__}': {problem}") from None
    return made


def ignore(drop: bool | Callable[..., Any] = False, **kwargs: Any) -> Any:
    """Mark a function as one that stays Python: scripted code calls back into the interpreter (and cannot be saved)."""
    if callable(drop):
        drop._torchscript_modifier = "ignore (leave as a call to Python, cannot be saved)"  # type: ignore[attr-defined]
        return drop

    def mark(function: F) -> F:
        text = (
            "unused (replaced by raising an exception)"
            if drop
            else "ignore (leave as a call to Python, cannot be saved)"
        )
        function._torchscript_modifier = text  # type: ignore[attr-defined]
        return function

    return mark


def unused(function: F) -> F:
    """Mark a function, method or property as one that scripted code never reaches: calling it there raises."""
    target: Any = function.fget if isinstance(function, property) else function
    target._torchscript_modifier = "unused (replaced by raising an exception)"
    return function


def export(function: F) -> F:
    """Mark a method to be compiled although `forward` does not call it."""
    function._torchscript_modifier = "export (compile even if nothing calls it)"  # type: ignore[attr-defined]
    return function


def interface(cls: C) -> C:
    """Mark a class as an interface: any module or class with its methods may stand in its place."""
    cls.__script_interface__ = True  # type: ignore[attr-defined]
    return cls


class WrittenMethod:
    """A method of a class that derives from ScriptModule: compiled with the class, and called as compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self.__wrapped__
        compiled = owner._special(self.__name__) if "_object" in getattr(owner, "__dict__", ()) else None
        return MethodType(self.__wrapped__, owner) if compiled is None else compiled


def script_method(function: Callable[..., Any]) -> Any:
    """Mark a method of a class that derives from ScriptModule as one to compile."""
    return WrittenMethod(export(function))


def finish_written(module: ScriptModule) -> None:
    """Script an instance of a class that derives from ScriptModule, after its `__init__`. Raises CompileError."""
    cls = module_type(PROGRAM, module)
    for text in module.__dict__.pop("_defined", ()):
        define_methods(cls, text)
    compile_module(PROGRAM, module)
    made = module_object(module, cls, {})
    for name in ("_parameters", "_buffers", "_modules", *cls.attributes):
        module.__dict__.pop(name, None)
    module.__dict__["_object"], module.__dict__["_methods"] = made, {}


def define_methods(cls: T.ClassType, text: str) -> None:
    """Add the methods that a text defines to a class. Raises CompileError."""
    for function in methods_of_text(PROGRAM, cls, textwrap.dedent(text)):
        cls.methods[function.short_name] = function
    for function in list(cls.methods.values()):
        function.ensure()


def script_if_tracing(function: F) -> F:
    """A function that is scripted when called while tracing, and runs as it is otherwise."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        from linstock.runtime.tracing import is_tracing

        return script(function)(*args, **kwargs) if is_tracing() else function(*args, **kwargs)

    return call  # type: ignore[return-value]


class Attribute:
    """A value with a declared type, for attributes whose type cannot be told from the value (`Attribute({}, Dict[str,
    int])`).
    """

    def __init__(self, value: Any, type: Any) -> None:
        self.value, self.type = value, type

    def __iter__(self) -> Iterator[Any]:
        return iter((self.value, self.type))


class CompilationUnit:
    """Functions given as source text: `CompilationUnit("def f(x): return x + 1").f(x)`."""

    def __init__(self, lang: str | None = None) -> None:
        self._functions: dict[str, ScriptFunction] = {}
        if lang is not None:
            self.define(lang)

    def define(self, lang: str) -> None:
        """Add the functions that the text defines. Raises CompileError."""
        for name, function in functions_of_text(PROGRAM, textwrap.dedent(lang)).items():
            self._functions[name] = ScriptFunction(function)

    def __getattr__(self, name: str) -> ScriptFunction:
        try:
            return self.__dict__["_functions"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"no function '{name}' was defined") from None


__all__ = [
    "Attribute", "CompilationUnit", "Function", "ScriptMethod", "export", "ignore", "interface", "script", "script_if_tracing",
    "script_method", "unused",
]  # fmt: skip
