"""The faces that a program's objects have in Python: modules, functions, and objects of its other classes."""

from __future__ import annotations

import copy
import functools
import io
from collections.abc import Callable, Iterator, Mapping
from types import MethodType
from typing import Any

from linstock.ir import types as T
from linstock.ir.program import LOCK, Function
from linstock.runtime import conversion
from linstock.runtime.executor import declaration, executor_of
from linstock.runtime.modes import get_mode, no_grad
from linstock.runtime.module import Module
from linstock.runtime.objects import ScriptObject
from linstock.runtime.tensor import Tensor


class ScriptFunction:
    """A function of a program: call it; look at its `graph` and `code`."""

    def __init__(self, function: Function, original: Callable[..., Any] | None = None) -> None:
        self._function = function
        self.__name__ = function.short_name
        self.__qualname__, self.__doc__ = function.name, function.doc
        if original is not None:
            self.__wrapped__ = original
            self.__module__ = getattr(original, "__module__", type(self).__module__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it. Raises InputError for arguments that do not fit its signature."""
        return (self._function.executor or executor_of(self._function))(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._function.name}>"

    @property
    def name(self) -> str:
        return self._function.short_name

    @property
    def qualified_name(self) -> str:
        """The name with its module."""
        return self._function.name

    @property
    def graph(self) -> Any:
        """The graph, as captured."""
        return self._function.graph

    @property
    def inlined_graph(self) -> Any:
        """The graph with the bodies of called functions in place of the calls."""
        return _inlined(self._function)

    @property
    def schema(self) -> str:
        """The declaration: `f(Tensor x, int n=1) -> Tensor`."""
        return declaration(self.name, self._function.signature())

    @property
    def code(self) -> str:
        """The body as TorchScript code."""
        from linstock.runtime.archive.printer import code_of

        return code_of(self._function)

    def save(self, target: Any, _extra_files: Mapping[str, Any] | None = None, *, compact: bool = False) -> None:
        """Write an archive that has this function as its `forward`."""
        from linstock.runtime.save import save

        save(self, target, _extra_files, compact=compact)


class ScriptMethod(ScriptFunction):
    """A method bound to its object."""

    def __init__(self, owner: ScriptObject, function: Function) -> None:
        super().__init__(function)
        self._owner = owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return (self._function.executor or executor_of(self._function))(self._owner, *args, **kwargs)

    @property
    def owner(self) -> Any:
        """The module or object that the method belongs to."""
        return face(self._owner)


def _inlined(function: Function) -> Any:
    from linstock.passes.inline import Inline

    graph = function.graph.copy()
    Inline().run(graph)
    return graph


def face(thing: ScriptObject) -> Any:
    """The Python object that stands for an object of the program; always the same one."""
    found = thing.python
    if found is None:
        with LOCK:
            if thing.python is None:
                thing.python = (RecursiveScriptModule if thing.type.is_module else ScriptClass)(thing)
            found = thing.python
    return found


class _Face:
    """Attributes and methods of a ScriptObject, as Python attributes."""

    def __init__(self, thing: ScriptObject) -> None:
        if not isinstance(thing, ScriptObject):
            raise TypeError(
                f"a {type(self).__name__} is made by scripting, tracing or loading, not from a {type(thing).__name__}"
            )
        fields = self.__dict__
        fields["_object"], fields["_methods"] = thing, {}
        if thing.python is None:
            thing.python = self

    @property
    def _linstock_object(self) -> ScriptObject:
        found: ScriptObject = self.__dict__["_object"]
        return found

    @property
    def _script_type(self) -> T.ClassType:
        """The class of the program, for whoever compiles code that holds this object."""
        thing: ScriptObject | None = self.__dict__.get("_object")
        if thing is None:
            raise AttributeError("_script_type")
        return thing.type

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        thing: ScriptObject | None = fields.get("_object")
        if thing is None:
            raise AttributeError(name)
        kind = thing.type
        if name in thing.slots:
            return conversion.to_python(thing.slots[name])
        if name in kind.methods:
            return self._special(name)
        if name in kind.properties:
            return executor_of(kind.properties[name].getter)(thing)
        if name in kind.constants:
            return conversion.to_python(_constant(kind, name))
        if name in kind.static_methods:
            return ScriptFunction(kind.static_methods[name])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        thing: ScriptObject = self.__dict__["_object"]
        kind = thing.type
        if name in kind.attributes:
            thing.slots[name] = conversion.convert(
                value, kind.attributes[name], f"attribute '{name}' of '{self.original_name}'"
            )
        elif name in kind.properties:
            setter = kind.properties[name].setter
            if setter is None:
                raise AttributeError(f"property '{name}' of '{self.original_name}' has no setter")
            executor_of(setter)(thing, value)
        elif name in kind.constants:
            raise AttributeError(f"Cannot mutate TorchScript constant value: '{name}'. Value: '{kind.constants[name]}'")
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        kind = self._linstock_object.type
        own = [*object.__dir__(self), *kind.attributes, *kind.methods, *kind.properties, *kind.constants]
        return sorted(set(own))

    def _special(self, name: str) -> Any:
        """A method of the program's class, or None."""
        thing: ScriptObject = self.__dict__["_object"]
        found = self.__dict__["_methods"].get(name)
        if found is None and name in thing.type.methods:
            found = self.__dict__["_methods"][name] = ScriptMethod(thing, thing.type.methods[name])
        return found

    @property
    def original_name(self) -> str:
        """The name of the class, without its module."""
        return self._linstock_object.type.name.rpartition(".")[2]

    def __copy__(self) -> Any:
        thing = self._linstock_object
        made = face(ScriptObject(thing.type, dict(thing.slots)))
        self._copy_python(made, copy.copy)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = face(copy_object(self._linstock_object, memo))
        self._copy_python(made, lambda v: copy.deepcopy(v, memo))
        return made

    def _copy_python(self, made: Any, copied: Callable[[Any], Any]) -> None:
        for name, value in self.__dict__.items():
            if name not in ("_object", "_methods"):
                made.__dict__[name] = value if name in ("_original", "_origin") else copied(value)


def _constant(kind: T.ClassType, name: str) -> Any:
    value = kind.constants[name]
    declared = kind.constant_types.get(name)
    if isinstance(declared, T.EnumType):
        from linstock.runtime.objects import enum_member

        return enum_member(declared, value)
    return value


def copy_object(thing: ScriptObject, memo: dict[int, Any]) -> ScriptObject:
    """A deep copy of an object: what was shared inside stays shared."""
    known = memo.get(id(thing))
    if known is None:
        known = memo[id(thing)] = ScriptObject(thing.type)
        memo.setdefault(id(memo), []).append(thing)
        getstate, setstate = thing.type.methods.get("__getstate__"), thing.type.methods.get("__setstate__")
        if getstate is not None and setstate is not None:
            state = _copy_value(executor_of(getstate).run([thing]), memo)
            executor_of(setstate).run([known, state])
        else:
            for name, value in thing.slots.items():
                known.slots[name] = _copy_value(value, memo)
    assert isinstance(known, ScriptObject)
    return known


def _copy_value(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, ScriptObject):
        return copy_object(value, memo)
    if type(value) in (list, dict):
        known = memo.get(id(value))
        if known is None:
            if type(value) is list:
                known = memo[id(value)] = []
                known.extend(_copy_value(v, memo) for v in value)
            else:
                known = memo[id(value)] = {}
                known.update((_copy_value(k, memo), _copy_value(v, memo)) for k, v in value.items())
            memo.setdefault(id(memo), []).append(value)
        return known
    if isinstance(value, tuple):
        items = [_copy_value(v, memo) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return copy.deepcopy(value, memo)


# -- objects of other classes ------------------------------------------------------------------------------------------
class ScriptClass(_Face):
    """An object of a program's class that is not a module: attributes can be read and set, methods called."""

    def __repr__(self) -> str:
        method = self._special("__repr__") or self._special("__str__")
        return method() if method is not None else f"<{self.original_name} object of a TorchScript program>"

    def __str__(self) -> str:
        method = self._special("__str__")
        return method() if method is not None else repr(self)

    def __eq__(self, other: object) -> bool:
        method = self._special("__eq__")
        return self is other if method is None else bool(method(other))

    def __ne__(self, other: object) -> bool:
        method = self._special("__ne__")
        return not self == other if method is None else bool(method(other))

    def __hash__(self) -> int:
        method = self._special("__hash__")
        return object.__hash__(self) if method is None else int(method())

    def __bool__(self) -> bool:
        method = self._special("__bool__")
        if method is not None:
            return bool(method())
        method = self._special("__len__")
        return True if method is None else bool(method())


def _forwarded(name: str) -> Callable[..., Any]:
    def method(self: _Face, *args: Any, **kwargs: Any) -> Any:
        found = self._special(name)
        if found is None:
            if name in _BINARY:
                return NotImplemented
            raise TypeError(f"'{self.original_name}' object has no {name}")
        return found(*args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


_BINARY = (
    "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__and__", "__or__",
    "__xor__", "__lshift__", "__rshift__", "__matmul__", "__lt__", "__le__", "__gt__", "__ge__", "__iadd__",
    "__isub__", "__imul__", "__itruediv__", "__radd__", "__rsub__", "__rmul__",
)  # fmt: skip
_UNARY = (
    "__neg__", "__pos__", "__abs__", "__invert__", "__len__", "__getitem__", "__setitem__", "__delitem__",
    "__contains__", "__call__", "__int__", "__float__", "__complex__", "__enter__", "__exit__", "__iter__", "__next__",
    "__reversed__",
)  # fmt: skip
for _name in (*_BINARY, *_UNARY):
    setattr(ScriptClass, _name, _forwarded(_name))


# -- modules -----------------------------------------------------------------------------------------------------------
class ScriptModule(_Face, Module):
    """A module of a program. Parameters, buffers, submodules and attributes are read and set as on any module.

    Setting an attribute of the program converts the value to its declared type; other names become Python attributes.
    A subclass written by a user is a plain module while its `__init__` runs, and is scripted when that ends.
    """

    def __init__(self, thing: ScriptObject | None = None) -> None:
        Module.__init__(self)
        if thing is None and type(self)._is_written:
            return
        for name in ("training", "_parameters", "_buffers", "_modules"):
            del self.__dict__[name]  # these are the program's
        super().__init__(thing)  # type: ignore[arg-type]

    _is_written = False  # whether the class is one that a user wrote

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._is_written = cls.__module__.partition(".")[0] != "linstock"
        if not cls._is_written:
            return
        start = cls.__init__

        @functools.wraps(start)
        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            start(self, *args, **kwargs)
            if type(self) is cls:
                from linstock.runtime.scripting import finish_written

                finish_written(self)

        cls.__init__ = init  # type: ignore[method-assign]

    def define(self, src: str) -> None:
        """Add methods given as source text (`def name(self, x): ...`). Raises CompileError."""
        from linstock.runtime.scripting import define_methods

        if "_object" in self.__dict__:
            define_methods(self._linstock_object.type, src)
        else:
            self.__dict__.setdefault("_defined", []).append(src)

    def __setattr__(self, name: str, value: Any) -> None:
        (super() if "_object" in self.__dict__ else super(_Face, self)).__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if "_object" not in self.__dict__:
            return Module.__getattr__(self, name)
        try:
            return super().__getattr__(name)
        except AttributeError:
            original = self.__dict__.get("_original")
            python = getattr(type(original), name, None)
            if callable(python) and "ignore" in getattr(python, "_torchscript_modifier", ""):
                return MethodType(python, self)  # stays Python
            if name in ("keys", "values", "items") and self.original_name.endswith("Dict"):
                found = self._elements()
                if found is not None:
                    return getattr(found, name)
            raise

    # -- running -----------------------------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks of the program and those registered in Python around it."""
        fields = self.__dict__
        thing: ScriptObject = fields["_object"]
        kind = thing.type
        if kind.forward_hooks or kind.forward_pre_hooks or fields["_forward_hooks"] or fields["_forward_pre_hooks"]:
            return super().__call__(*args, **kwargs)
        function = kind.methods.get("forward")
        if (
            function is None
            or get_mode().recorder is not None
            or fields["_backward_hooks"]
            or fields["_backward_pre_hooks"]
        ):
            return super().__call__(*args, **kwargs)
        return (function.executor or executor_of(function))(thing, *args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        if "forward" not in self._linstock_object.type.methods and "forward" not in self.__dict__:
            raise NotImplementedError(f"module '{self.original_name}' has no forward method")
        return self._call_with_hooks(args, kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """`forward` with the hooks of the program around it."""
        kind = self._linstock_object.type
        for name in kind.forward_pre_hooks:
            changed = getattr(self, name)(args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for name in kind.forward_hooks:
            changed = getattr(self, name)(args, result)
            if changed is not None:
                result = changed
        return result

    @property
    def graph(self) -> Any:
        """The graph of `forward`."""
        return self._forward.graph

    @property
    def inlined_graph(self) -> Any:
        """The graph of `forward` with the bodies of called functions in place of the calls."""
        return self._forward.inlined_graph

    @property
    def code(self) -> str:
        """The code of `forward`."""
        return self._forward.code

    @property
    def _forward(self) -> ScriptMethod:
        found = self.forward
        if not isinstance(found, ScriptMethod):
            raise AttributeError(f"module '{self.original_name}' has no scripted forward method")
        return found

    def save(self, target: Any, _extra_files: Mapping[str, Any] | None = None, *, compact: bool = False) -> None:
        """Write the module as an archive that PyTorch loads; `compact` as for `jit.save`."""
        from linstock.runtime.save import save

        save(self, target, _extra_files, compact=compact)

    def save_to_buffer(self, _extra_files: Mapping[str, Any] | None = None) -> bytes:
        """The archive as bytes."""
        buffer = io.BytesIO()
        self.save(buffer, _extra_files)
        return buffer.getvalue()

    # -- parts: tables that `Module` works with -----------------------------------------------------------------------
    def _own(self, table: str, kind: str) -> dict[str, Any]:
        thing: ScriptObject | None = self.__dict__.get("_object")
        if thing is None:  # a written class, while its __init__ runs
            return self.__dict__[table]  # type: ignore[no-any-return]
        names, slots = getattr(thing.type, kind), thing.slots
        return {n: slots[n] for n in thing.type.attributes if n in names and n in slots}

    @property
    def _parameters(self) -> dict[str, Any]:  # type: ignore[override]
        return self._own("_parameters", "parameters")

    @property
    def _buffers(self) -> dict[str, Any]:  # type: ignore[override]
        return self._own("_buffers", "buffers")

    @property
    def _modules(self) -> dict[str, Any]:  # type: ignore[override]
        if "_object" not in self.__dict__:
            return self.__dict__["_modules"]  # type: ignore[no-any-return]
        thing = self._linstock_object
        return {n: face(v) for n, v in thing.slots.items() if isinstance(v, ScriptObject) and v.type.is_module}

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Any:
        seen: set[int] = set()
        for module in self.modules() if recurse else [self]:
            for value in [*module._parameters.values(), *module._buffers.values()]:
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    with no_grad():
                        value.data = fn(value.detach())
                        if value.grad is not None:
                            grad, value.grad = fn(value.grad), None
                            value.grad = grad
        return self

    # -- as a container ----------------------------------------------------------------------------------------------
    def _elements(self) -> dict[str, Any] | None:
        """The elements, if the module was a Sequential, ModuleList, ModuleDict, ParameterList or ParameterDict."""
        name = self.original_name
        if name in ("Sequential", "ModuleList", "ModuleDict"):
            return self._modules
        return self._parameters if name in ("ParameterList", "ParameterDict") else None

    def _no(self, what: str) -> TypeError:
        return TypeError(f"'{self.original_name}' {what}")

    def __len__(self) -> int:
        method, items = self._special("__len__"), self._elements()
        if method is not None:
            return int(method())
        if items is None:
            raise self._no("module has no len()")
        return len(items)

    def __bool__(self) -> bool:
        method = self._special("__bool__")
        return True if method is None else bool(method())

    def __iter__(self) -> Iterator[Any]:
        items = self._elements()
        if items is not None:
            return iter(items) if self.original_name.endswith("Dict") else iter(items.values())
        method = self._special("__iter__")
        if method is not None:
            return iter(method())
        if self._special("__len__") is not None and self._special("__getitem__") is not None:
            return (self[i] for i in range(len(self)))
        raise self._no("module is not iterable")

    def __getitem__(self, index: Any) -> Any:
        method, items = self._special("__getitem__"), self._elements()
        if method is not None:
            return method(index)
        if items is None:
            raise self._no("module is not subscriptable")
        return items[index] if isinstance(index, str) else list(items.values())[index]

    def __contains__(self, key: Any) -> bool:
        method, items = self._special("__contains__"), self._elements()
        if method is not None:
            return bool(method(key))
        if items is None:
            raise self._no("module is not a container")
        return key in items if self.original_name.endswith("Dict") else key in list(items.values())

    def extra_repr(self) -> str:
        """What stands between the parentheses of the printed form."""
        return f"original_name={self.original_name}"


class RecursiveScriptModule(ScriptModule):
    """A module that was scripted, traced or loaded."""
