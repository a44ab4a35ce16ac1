"""Live modules: which class a module instance compiles to, and what its attributes mean inside compiled code."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.program import Function
from linstock.ir.source import Span
from linstock.tracer import live_overloads, live_source, live_types
from linstock.tracer.live_values import IgnoredFunction, PythonConstant, constant, wrap
from linstock.tracer.values import Args, FunctionRef, Kwargs, MethodRef, SimpleValue, Special, Sugared, TupleOf

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter
    from linstock.tracer.script import LiveProgram

_INTERNAL = {
    "_parameters", "_buffers", "_modules", "_non_persistent_buffers_set", "_backward_pre_hooks", "_backward_hooks", "_forward_hooks",
    "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "training",
    "_is_full_backward_hook", "_defined", "dump_patches", "call_super_init", "_version", "T_destination",
}  # fmt: skip
_LISTS, _DICTS = ("ModuleList", "Sequential", "ParameterList"), ("ModuleDict", "ParameterDict")


class LiveModule:
    """Behind the ClassType of a scripted module: the Python class, and what is compiled on demand."""

    def __init__(self, program: LiveProgram, python: type, children: tuple[str, ...]) -> None:
        self.program, self.python = program, python
        self.children = children
        self.functions: dict[str, Any] = {}
        self.called: set[str] = set()  # methods that compiled code calls
        self.overloaded: dict[str, tuple[Any, list[live_overloads.Annotations]]] = {}
        names = [c.__name__ for c in python.__mro__ if c.__module__.partition(".")[0] in live_types.LIBRARIES]
        self.is_list = any(n in _LISTS for n in names)
        self.is_dict = any(n in _DICTS for n in names)

    # -- containers --------------------------------------------------------------------------------------------------
    def child_names(self, cls: T.ClassType) -> list[str]:
        if any(c.__name__.startswith("Parameter") for c in self.python.__mro__):
            return [n for n in cls.attributes if n in cls.parameters]
        return list(self.children)

    def members(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType) -> dict[str, Sugared]:
        """Submodules (or parameters of a parameter container) by name."""
        return {n: SimpleValue(e.get_attribute(obj, n, cls.attributes[n], span)) for n in self.child_names(cls)}

    def elements(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType) -> list[Sugared] | None:
        """What iterating over the module gives, if it is a container."""
        if self.is_list:
            return list(self.members(e, span, obj, cls).values())
        if self.is_dict:
            return [PythonConstant(self.program, n) for n in self.child_names(cls)]
        return None

    def item(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, index: Value) -> Sugared | None:
        """`container[constant]`; None if this is no container or the index is no constant."""
        if not (self.is_list or self.is_dict) or not index.is_constant:
            return None
        names = self.child_names(cls)
        key = index.constant
        if self.is_list:
            if not -len(names) <= key < len(names):
                raise CompileError(f"index {key} is out of range for a container of {len(names)}", span)
            key = names[key]
        if key not in names:
            raise CompileError(f"key '{key}' is not in this {self.python.__name__} (it has {', '.join(names)})", span)
        return SimpleValue(e.get_attribute(obj, key, cls.attributes[key], span))

    def _container_method(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        program = self.program

        def pairs(rows: dict[str, Sugared]) -> Sugared:
            return TupleOf(tuple(TupleOf((PythonConstant(program, k), v)) for k, v in rows.items()))

        def contains(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
            keys = e.list_of([e.builder.constant(n) for n in self.child_names(cls)], T.STRING)
            return SimpleValue(e.call_operator(span, "aten::__contains__", [keys, args[0].value(e, span)], {}))

        makers: dict[str, Any] = {
            "items": lambda: pairs(self.members(e, span, obj, cls)), "values": lambda: TupleOf(tuple(self.members(e, span, obj, cls).values())),
            "keys": lambda: TupleOf(tuple(PythonConstant(program, n) for n in self.child_names(cls))),
            "__len__": lambda: SimpleValue(e.builder.constant(len(self.child_names(cls)))),
        }  # fmt: skip
        if name == "__contains__" and self.is_dict:
            return Special(name, contains)
        if name in makers and (self.is_dict or (self.is_list and name == "__len__")):
            return Special(name, lambda *_: makers[name]())
        return None

    def _traversal(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        def walk(value: Value, prefix: str) -> Iterator[tuple[str, Value]]:
            yield prefix, value
            t = value.type
            live = getattr(t, "live", None)
            if isinstance(t, T.ClassType) and live is not None:
                for child in live.children:
                    if isinstance(t.attributes[child], T.ClassType):
                        inner = e.get_attribute(value, child, t.attributes[child], span)
                        yield from walk(inner, f"{prefix}.{child}" if prefix else child)

        def tensors(kind: str) -> Iterator[tuple[str, Value]]:
            for prefix, value in walk(obj, ""):
                t = value.type
                assert isinstance(t, T.ClassType)
                for n in t.attributes:
                    if n in getattr(t, kind) and isinstance(t.attributes[n], T.TensorType):
                        yield f"{prefix}.{n}" if prefix else n, e.get_attribute(value, n, t.attributes[n], span)

        def give(rows: list[tuple[str, Value]], named: bool) -> Sugared:
            if not named:
                return TupleOf(tuple(SimpleValue(v) for _, v in rows))
            return TupleOf(tuple(TupleOf((PythonConstant(self.program, k), SimpleValue(v))) for k, v in rows))

        plain = name.removeprefix("named_")
        if plain == "children":
            rows = [(n, e.get_attribute(obj, n, cls.attributes[n], span)) for n in self.children]
        elif plain == "modules":
            rows = list(walk(obj, ""))
        elif plain in ("parameters", "buffers"):
            rows = list(tensors(plain))
        else:
            return None
        return Special(name, lambda *_: give(rows, name.startswith("named_")))

    # -- attributes --------------------------------------------------------------------------------------------------
    def attribute(self, e: Emitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        """The meaning of an attribute that is no slot, constant or compiled method yet."""
        container = self._container_method(e, span, obj, cls, name)
        if container is not None:
            return container
        if name in self.functions:
            return wrap(self.program, self.functions[name], span)
        try:
            static = static_member(self.python, name)
        except AttributeError:
            return None
        own = type(static)
        if name in (
            "children",
            "named_children",
            "modules",
            "named_modules",
            "parameters",
            "named_parameters",
            "buffers",
            "named_buffers",
        ):
            return self._traversal(e, span, obj, cls, name)
        if own is staticmethod:
            return wrap(self.program, static.__func__, span)
        if inspect.isfunction(static):
            return self.method(obj, cls, name, static)
        if isinstance(static, (bool, int, float, str, tuple)):
            return PythonConstant(self.program, static)
        return None

    def add_property(self, cls: T.ClassType, name: str, python: property) -> None:
        """Declare a property of the module; its methods are compiled later."""
        if python.fget is None or live_types.library_of(python.fget) or self.program.modifier(python.fget) is not None:
            return
        made = []
        for kind, function in (("getter", python.fget), ("setter", python.fset)):
            if function is None:
                continue
            try:
                made.append(self.program.make_function(function, cls, f"{cls.name}.__{name}_{kind}"))
            except CompileError as problem:
                cls.unresolved[name] = problem.message
                return
        for function in made:  # type: ignore[assignment]
            cls.methods[function.short_name] = function  # type: ignore[union-attr]
        cls.properties[name] = T.Property(name, made[0], made[1] if len(made) > 1 else None)

    def find_method(self, cls: T.ClassType, name: str) -> Function | None:
        """A method of the Python class by name, None where there is none that can be compiled."""
        static = static_member(self.python, name, None)
        if not inspect.isfunction(static) or self.program.modifier(static) is not None:
            return None
        self.compile_method(cls, name, static)
        made: Function = cls.methods[name]
        return made

    def method(self, obj: Value, cls: T.ClassType, name: str, python: Any) -> Sugared:
        modifier = self.program.modifier(python)
        if modifier is not None:
            return IgnoredFunction(self.program.declared(python, cls), python, modifier == "unused", obj)
        self.compile_method(cls, name, python)
        return self.overloaded_method(obj, cls, name) or MethodRef(obj, name)

    def compile_method(self, cls: T.ClassType, name: str, python: Any) -> None:
        if name not in cls.methods:
            rows = live_overloads.of_function(python, self.python)
            if rows:
                self.overloaded[name] = (python, rows)
            types = rows[0] if rows else None
            cls.methods[name] = self.program.make_function(python, cls, f"{cls.name}.{name}", types=types)

    def overloaded_method(self, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        """A method that has several signatures, None for another one."""
        found = self.overloaded.get(name)
        return None if found is None else live_overloads.OverloadedMethod(self.program, obj, cls, name, *found)


def static_member(python: type, *name_and_default: Any) -> Any:
    """What a class holds under a name, without the wrapper of `jit.script_method`. Raises AttributeError."""
    found = inspect.getattr_static(python, *name_and_default)
    return found.__wrapped__ if type(found).__name__ == "WrittenMethod" else found


def _annotations(cls: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[2] == "nn.modules.module" and base.__name__ == "Module":
            continue
        try:
            found |= typing.get_type_hints(base, include_extras=True) if "__annotations__" in vars(base) else {}
        except Exception:
            found |= vars(base).get("__annotations__", {})
    return found


def _is_final(annotation: Any) -> bool:
    return (
        typing.get_origin(annotation) is typing.Final
        or annotation is typing.Final
        or str(annotation).startswith("Final[")
    )


def module_type(program: LiveProgram, module: Any) -> T.ClassType:
    """The class of a module instance; instances alike in attributes, constants and submodules share it."""
    ready = getattr(module, "_script_type", None)
    if isinstance(ready, T.ClassType):
        return ready
    python = type(module)
    hints = _annotations(python)
    constants = set(getattr(python, "__constants__", ())) | {n for n, a in hints.items() if _is_final(a)}
    ignored = set(getattr(python, "__jit_ignored_attributes__", ())) | set(
        getattr(module, "__jit_ignored_attributes__", ())
    )
    attributes: dict[str, T.Type] = {}
    values: dict[str, Any] = {}
    unresolved: dict[str, str] = {}
    functions: dict[str, Any] = {}

    def tensor_or_none(name: str, t: Any) -> None:
        declared = (
            live_types.of_annotation(hints[name], program.class_type)
            if name in hints and not _is_final(hints[name])
            else None
        )
        attributes[name] = declared or (T.TENSOR if t is not None else T.NONE)

    for name, t in (*module._parameters.items(), *module._buffers.items()):
        tensor_or_none(name, t)
    attributes["training"] = T.BOOL
    attributes["_is_full_backward_hook"] = T.NONE
    names = dict.fromkeys([*module.__dict__, *[c for c in constants if hasattr(module, c)]])
    for name in names:
        if name in _INTERNAL or name in attributes or name in ignored or name in module._modules:
            continue
        value = getattr(module, name)
        if live_types.is_attribute(value):
            declared = live_types.of_annotation(value.type, program.class_type)
            if declared is None:
                raise CompileError(f"the type {value.type!r} of attribute '{name}' is not a type of TorchScript")
            attributes[name] = declared
            continue
        if name in constants:
            if live_types.is_module(value):
                continue
            kind = live_types.of_value(value, program.class_type)
            if not isinstance(kind, str) or value in ([], {}, ()):
                values[name] = value
                continue
        if name in hints:
            declared = live_types.of_annotation(hints[name], program.class_type)
            if isinstance(declared, T.UnionType) and live_types.library_of(python):
                declared = None  # a layer's size, one number or several: never reassigned, so its value tells the type
            if declared is not None:
                attributes[name] = declared
                continue
        if (
            callable(value)
            and not hasattr(value, "_script_type")
            and not live_types.is_tensor(value)
            and not isinstance(value, type)
        ):
            functions[name] = value
            continue
        try:
            inferred = live_types.of_value(value, program.class_type)
        except CompileError as problem:
            inferred = problem.message
        if value is None or (isinstance(value, (list, dict)) and not value):
            inferred = program.annotated_in_init(python, name) or inferred
        if isinstance(inferred, T.ClassType) and not _fits(value, inferred, program):
            inferred = f"not every attribute of this '{type(value).__name__}' has the type that its class says"
        if isinstance(inferred, str):
            unresolved[name] = f"its value could not be given a type: {inferred}"
        else:
            attributes[name] = inferred
    children = []
    for name, child in module._modules.items():
        if name in ignored:
            continue
        declared = live_types.of_annotation(hints[name], program.class_type) if name in hints else None
        if child is None:
            attributes[name] = T.NONE
        elif isinstance(declared, T.InterfaceType):
            attributes[name] = declared
            given = module_type(program, child)
            if not T.implements(given, declared):
                raise CompileError(
                    f"the submodule '{name}' of '{python.__name__}' is declared as the interface '{declared.name.rpartition('.')[2]}', but "
                    f"'{type(child).__name__}' does not have all of its methods with these parameters and results"
                )
        else:
            attributes[name] = module_type(program, child)
            children.append(name)
    hooks = (tuple(module._forward_pre_hooks.values()), tuple(module._forward_hooks.values()))
    key = (
        python, tuple(attributes.items()), tuple((n, _key(v)) for n, v in values.items()), hooks, tuple(functions.items()),
        tuple(module._parameters), tuple(module._buffers), tuple(module.__dict__.get("_defined", ())), tuple(children), tuple(unresolved),
    )  # fmt: skip
    try:
        known = program.module_types.get(key)
    except TypeError:
        key, known = object(), None  # type: ignore[assignment]
    if known is not None:
        return known
    cls = T.ClassType(program.unit.unique_name(live_source.qualified_name(python)), True, attributes)
    program.unit.classes[cls.name] = cls
    program.module_types[key] = cls
    cls.parameters = {n for n, p in module._parameters.items() if p is not None}
    cls.buffers = {n for n, b in module._buffers.items() if b is not None}
    cls.constants = {n: constant(v) for n, v in values.items()}
    for n, v in values.items():
        declared = live_types.of_annotation(hints[n], program.class_type) if n in hints else None
        if isinstance(declared, (T.OptionalType, T.UnionType)):
            declared = None  # a constant's value says which of them it is
        inferred = declared or live_types.of_value(v, program.class_type)
        if isinstance(inferred, T.Type):
            cls.constant_types[n] = inferred
    cls.unresolved = unresolved
    live = LiveModule(program, python, tuple(children))
    live.functions = functions
    cls.live, cls.python = live, python
    _compile_entry_points(program, module, cls, live, hooks)
    return cls


def _fits(value: Any, t: T.ClassType, program: LiveProgram) -> bool:
    """Whether a Python object has the attributes that its class has when compiled."""
    for name, wanted in t.attributes.items():
        if not hasattr(value, name):
            return False
        held = getattr(value, name)
        if held in ([], {}) and isinstance(wanted, (T.ListType, T.DictType)):
            continue
        have = live_types.of_value(held, program.class_type)
        if isinstance(have, str) or not T.is_subtype(have, wanted):
            return False
    return True


def _key(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return (type(value), value)


def _compile_entry_points(
    program: LiveProgram, module: Any, cls: T.ClassType, live: LiveModule, hooks: tuple[Any, ...]
) -> None:
    """Declare forward, exported methods and hooks; their bodies are compiled by `compile_module`."""
    unused = getattr(live.python, "__jit_unused_properties__", [])
    for name, member in inspect.getmembers_static(live.python):
        member = member.__wrapped__ if type(member).__name__ == "WrittenMethod" else member
        if isinstance(member, property) and name not in unused:
            live.add_property(cls, name, member)
        if not inspect.isfunction(member):
            continue
        exported = str(getattr(member, "_torchscript_modifier", "")).startswith("export")
        is_forward = (
            name == "forward" and member.__name__ != "_forward_unimplemented" and program.modifier(member) is None
        )
        if is_forward or exported:
            live.compile_method(cls, name, member)
    own = module.__dict__.get("forward")
    if own is not None and hasattr(own, "__func__"):
        cls.methods["forward"] = program.make_function(own.__func__, cls, f"{cls.name}.forward")
        live.functions.pop("forward", None)
    for kind, group in (("forward_pre_hooks", hooks[0]), ("forward_hooks", hooks[1])):
        for hook in group:
            name = getattr(hook, "__name__", "hook")
            live.compile_method(cls, name, hook)
            getattr(cls, kind).append(name)


def compile_module(program: LiveProgram, module: Any) -> T.ClassType:
    """The class of a module with every entry point (of submodules too) compiled. Raises CompileError."""
    cls = module_type(program, module)
    _compile(cls, {"forward"}, set(), program)
    return cls


def _compile(cls: T.ClassType, wanted: set[str], done: set[int], program: LiveProgram) -> None:
    """Compile the methods of a module and those of its submodules.

    What nobody asked for (properties, the `forward` of a submodule that nothing called) is left out if it does not
    compile.
    """
    done.add(id(cls))
    wanted = {*wanted, *cls.forward_hooks, *cls.forward_pre_hooks}
    for name, method in list(cls.methods.items()):
        exported = str(getattr(getattr(cls.python, name, None), "_torchscript_modifier", "")).startswith("export")
        try:
            program.complete(method)
        except CompileError as problem:
            if exported or name in wanted or (cls.live is not None and name in cls.live.called):
                raise
            del cls.methods[name]
            shown = next((p for p, row in cls.properties.items() if method in (row.getter, row.setter)), name)
            cls.unresolved[shown] = problem.message
            cls.properties.pop(shown, None)
    for child in list(cls.attributes.values()):
        if isinstance(child, T.ClassType) and child.is_module and id(child) not in done:
            _compile(child, set(), done, program)


__all__ = ["FunctionRef", "LiveModule", "compile_module", "module_type"]
