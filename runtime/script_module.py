"""The faces that a program's objects have in Python: modules, functions, and objects of its other classes."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linstock.ir import types as T
from linstock.ir.errors import InputError
from linstock.ir.program import Function
from linstock.runtime import conversion
from linstock.runtime.executor import declaration, executor_of
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
        return self.code_with_constants[0]

    @property
    def code_with_constants(self) -> tuple[str, Any]:
        """The code and the constants that it refers to."""
        from linstock.runtime.archive import printer

        return printer.code_of(self._function)

    def save(self, target: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Write an archive that has this function as its `forward`."""
        from linstock.runtime.save import save

        save(self, target, _extra_files)


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
    graph = function.graph.copy()
    try:
        from linstock.passes.inline import inline_calls
    except ImportError:
        return graph
    inline_calls(graph)
    return graph


def face(thing: ScriptObject) -> Any:
    """The Python object that stands for an object of the program; always the same one."""
    if thing.python is None:
        thing.python = (RecursiveScriptModule if thing.type.is_module else ScriptClass)(thing)
    return thing.python


class _Face:
    """Attributes and methods of a ScriptObject, as Python attributes."""

    def __init__(self, thing: ScriptObject) -> None:
        if not isinstance(thing, ScriptObject):
            raise TypeError(f"a {type(self).__name__} is made by scripting, tracing or loading, not from a {type(thing).__name__}")
        fields = self.__dict__
        fields["_object"], fields["_methods"] = thing, {}
        if thing.python is None:
            thing.python = self

    @property
    def _linstock_object(self) -> ScriptObject:
        found: ScriptObject = self.__dict__["_object"]
        return found

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        thing: ScriptObject | None = fields.get("_object")
        if thing is None:
            raise AttributeError(name)
        kind = thing.type
        if name in thing.slots:
            return conversion.to_python(thing.slots[name])
        if name in kind.methods:
            found = fields["_methods"].get(name)
            if found is None:
                found = fields["_methods"][name] = ScriptMethod(thing, kind.methods[name])
            return found
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
            thing.slots[name] = conversion.convert(value, kind.attributes[name], f"attribute '{name}' of '{self.original_name}'")
        elif name in kind.properties:
            setter = kind.properties[name].setter
            if setter is None:
                raise AttributeError(f"property '{name}' of '{self.original_name}' has no setter")
            executor_of(setter)(thing, value)
        elif name in kind.constants:
            raise AttributeError(
                f"Cannot mutate TorchScript constant value: '{name}'. Value: '{kind.constants[name]}'"
            )
        else:
            object.__setattr__(self, name, value)

    def __dir__(self) -> list[str]:
        kind = self._linstock_object.type
        own = [*object.__dir__(self), *kind.attributes, *kind.methods, *kind.properties, *kind.constants]
        return sorted(set(own))

    def _special(self, name: str) -> Any:
        """A method of the class that Python calls by syntax, or None."""
        return getattr(self, name) if name in self._linstock_object.type.methods else None

    @property
    def original_name(self) -> str:
        """The name of the class, without its module."""
        return self._linstock_object.type.name.rpartition(".")[2]

    @property
    def qualified_name(self) -> str:
        """The name of the class, with its module."""
        return self._linstock_object.type.name

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
                made.__dict__[name] = copied(value)


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
    "__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__and__", "__or__", "__xor__",
    "__lshift__", "__rshift__", "__matmul__", "__lt__", "__le__", "__gt__", "__ge__", "__ne__", "__iadd__", "__isub__", "__imul__",
    "__itruediv__", "__radd__", "__rsub__", "__rmul__",
)  # fmt: skip
_UNARY = (
    "__neg__", "__pos__", "__abs__", "__invert__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__call__",
    "__int__", "__float__", "__complex__", "__enter__", "__exit__", "__iter__", "__next__", "__reversed__",
)  # fmt: skip
for _name in (*_BINARY, *_UNARY):
    setattr(ScriptClass, _name, _forwarded(_name))


# -- modules -----------------------------------------------------------------------------------------------------------
class ScriptModule(_Face):
    """A module of a program. Parameters, buffers, submodules and attributes are read and set as on any module.

    Setting an attribute of the program converts the value to its declared type; other names become Python attributes.
    """

    def __init__(self, thing: ScriptObject) -> None:
        super().__init__(thing)
        self.__dict__["_forward_hooks"] = OrderedDict()
        self.__dict__["_forward_pre_hooks"] = OrderedDict()

    # -- running -----------------------------------------------------------------------------------------------------
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks of the program and those registered in Python around it."""
        fields = self.__dict__
        thing: ScriptObject = fields["_object"]
        kind = thing.type
        if not (kind.forward_hooks or kind.forward_pre_hooks or fields["_forward_hooks"] or fields["_forward_pre_hooks"]):
            function = kind.methods.get("forward")
            if function is not None:
                return (function.executor or executor_of(function))(thing, *args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        fields, kind = self.__dict__, self._linstock_object.type
        scripted = [getattr(self, name) for name in kind.forward_pre_hooks]
        for hook in [*scripted, *[_bound(h, self) for h in fields["_forward_pre_hooks"].values()]]:
            changed = hook(args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        if "forward" not in kind.methods and "forward" not in fields:
            raise NotImplementedError(f"module '{self.original_name}' has no forward method")
        result = self.forward(*args, **kwargs)
        scripted = [getattr(self, name) for name in kind.forward_hooks]
        for hook in [*scripted, *[_bound(h, self) for h in fields["_forward_hooks"].values()]]:
            changed = hook(args, result)
            if changed is not None:
                result = changed
        return result

    def register_forward_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(module, args, output)` after every forward; what it returns, if not None, replaces the output."""
        return _register(self.__dict__["_forward_hooks"], hook)

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> Any:
        """Call `hook(module, args)` before every forward; what it returns, if not None, replaces the arguments."""
        return _register(self.__dict__["_forward_pre_hooks"], hook)

    @property
    def graph(self) -> Any:
        """The graph of `forward`."""
        return self.forward.graph

    @property
    def inlined_graph(self) -> Any:
        """The graph of `forward` with the bodies of called functions in place of the calls."""
        return self.forward.inlined_graph

    @property
    def code(self) -> str:
        """The code of `forward`."""
        return str(self.forward.code)

    @property
    def code_with_constants(self) -> tuple[str, Any]:
        """The code of `forward` and the constants that it refers to."""
        found: tuple[str, Any] = self.forward.code_with_constants
        return found

    def save(self, target: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Write the module as an archive that PyTorch loads."""
        from linstock.runtime.save import save

        save(self, target, _extra_files)

    def save_to_buffer(self, _extra_files: Mapping[str, Any] | None = None) -> bytes:
        """The archive as bytes."""
        import io

        buffer = io.BytesIO()
        self.save(buffer, _extra_files)
        return buffer.getvalue()

    # -- parts -------------------------------------------------------------------------------------------------------
    def _own(self, names: set[str]) -> dict[str, Any]:
        slots = self._linstock_object.slots
        return {n: slots[n] for n in self._linstock_object.type.attributes if n in names and n in slots}

    @property
    def _parameters(self) -> dict[str, Any]:
        return self._own(self._linstock_object.type.parameters)

    @property
    def _buffers(self) -> dict[str, Any]:
        return self._own(self._linstock_object.type.buffers)

    @property
    def _modules(self) -> dict[str, Any]:
        thing = self._linstock_object
        return {n: face(v) for n, v in thing.slots.items() if isinstance(v, ScriptObject) and v.type.is_module}

    def named_children(self) -> Iterator[tuple[str, ScriptModule]]:
        """Direct submodules with their names, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[ScriptModule]:
        """Direct submodules."""
        for _, module in self.named_children():
            yield module

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, ScriptModule]]:
        """This module and all below it with their dotted names."""
        memo = set() if memo is None else memo
        if self in memo and remove_duplicate:
            return
        memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self) -> Iterator[ScriptModule]:
        """This module and all below it."""
        for _, module in self.named_modules():
            yield module

    def _named_members(self, which: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in getattr(module, which).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Parameters with their dotted names."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Tensor]:
        """Parameters of this module and those below it."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Buffers with their dotted names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers of this module and those below it."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> ScriptModule:
        """The module of a dotted name. Raises AttributeError."""
        module: Any = self
        for part in target.split(".") if target else ():
            module = getattr(module, part)
        if not isinstance(module, ScriptModule):
            raise AttributeError(f"`{target}` is not a module")
        return module

    def _member(self, target: str, which: str, what: str) -> Tensor:
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), which).get(name)
        if found is None:
            raise AttributeError(f"`{target}` is not a {what}")
        assert isinstance(found, Tensor)
        return found

    def get_parameter(self, target: str) -> Tensor:
        """The parameter of a dotted name. Raises AttributeError."""
        return self._member(target, "_parameters", "parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name. Raises AttributeError."""
        return self._member(target, "_buffers", "buffer")

    # -- state -------------------------------------------------------------------------------------------------------
    def state_dict(self, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> OrderedDict[str, Tensor]:
        """Parameters and buffers by dotted name, sharing memory with the module."""
        result: OrderedDict[str, Tensor] = OrderedDict() if destination is None else destination
        for which in ("_parameters", "_buffers"):
            for name, value in getattr(self, which).items():
                if value is not None:
                    result[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            module.state_dict(result, f"{prefix}{name}.", keep_vars)
        return result

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy values into parameters and buffers. Raises RuntimeError, listing what is missing, unexpected or misshapen."""
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        problems = []
        if strict and unexpected:
            problems.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{k}"' for k in unexpected) + ". ")
        if strict and missing:
            problems.append("Missing key(s) in state_dict: " + ", ".join(f'"{k}"' for k in missing) + ". ")
        for name, tensor in own.items():
            if name not in state_dict:
                continue
            value = conversion.as_tensor(state_dict[name])
            if value is None:
                problems.append(f'"{name}" must be a tensor, got {type(state_dict[name]).__name__}.')
            elif tuple(value.shape) != tuple(tensor.shape):
                problems.append(
                    f"size mismatch for {name}: copying a param with shape {tuple(value.shape)} from checkpoint, "
                    f"the shape in current model is {tuple(tensor.shape)}."
                )
            else:
                tensor.detach().copy_(value.detach())
        if problems:
            raise RuntimeError(f"Error(s) in loading state_dict for {self.original_name}:\n\t" + "\n\t".join(problems))
        return _Keys(missing, unexpected)

    def train(self, mode: bool = True) -> ScriptModule:
        """Switch this module and all below it to training (or, with False, to evaluation)."""
        for module in self.modules():
            thing = module._linstock_object
            if "training" in thing.type.attributes:
                thing.slots["training"] = bool(mode)
        return self

    def eval(self) -> ScriptModule:
        """Switch this module and all below it to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> ScriptModule:
        """Switch gradients on or off for all parameters."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters."""
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach() * 0

    def apply(self, function: Callable[[ScriptModule], Any]) -> ScriptModule:
        """Call a function on every module, submodules first."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    def _apply(self, change: Callable[[Tensor], Tensor]) -> ScriptModule:
        seen: set[int] = set()
        for module in self.modules():
            for value in [*module._parameters.values(), *module._buffers.values()]:
                if isinstance(value, Tensor) and id(value) not in seen:
                    seen.add(id(value))
                    value.data = change(value.detach())
                    if value.grad is not None:
                        value.grad = change(value.grad)
        return self

    def to(self, *args: Any, **kwargs: Any) -> ScriptModule:
        """Move parameters and buffers to a device, or convert the floating-point ones to a type."""
        from linstock.ir.dtypes import dtype

        given = [*args, *kwargs.values()]
        wanted = next((a for a in given if isinstance(a, dtype)), None)
        if wanted is None:
            other = next((a for a in given if isinstance(a, Tensor)), None)
            wanted = None if other is None else other.dtype
        if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
            raise TypeError(f"modules can only be converted to floating point or complex types, not to {wanted}")

        def change(t: Tensor) -> Tensor:
            if wanted is None or t.dtype.is_floating_point or t.dtype.is_complex:
                return t.to(*args, **kwargs)
            rest = [a for a in args if not isinstance(a, (dtype, Tensor))]
            device = kwargs.get("device")
            return t.to(*rest) if rest else t if device is None else t.to(device)

        return self._apply(change)

    def _cast(self, name: str) -> ScriptModule:
        return self._apply(lambda t: getattr(t, name)() if t.dtype.is_floating_point else t)

    def float(self) -> ScriptModule:
        """Convert floating-point parameters and buffers to float32."""
        return self._cast("float")

    def double(self) -> ScriptModule:
        """Convert floating-point parameters and buffers to float64."""
        return self._cast("double")

    def half(self) -> ScriptModule:
        """Convert floating-point parameters and buffers to float16."""
        return self._cast("half")

    def bfloat16(self) -> ScriptModule:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._cast("bfloat16")

    def cpu(self) -> ScriptModule:
        """Move parameters and buffers to the CPU's memory."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> ScriptModule:
        """Move parameters and buffers to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def share_memory(self) -> ScriptModule:
        """Return the module; its memory is not moved."""
        return self

    # -- as a container ----------------------------------------------------------------------------------------------
    def _items(self) -> dict[str, Any] | None:
        """The elements, if the module was a Sequential, ModuleList, ModuleDict, ParameterList or ParameterDict."""
        name = self.original_name
        if name in ("Sequential", "ModuleList", "ModuleDict"):
            return self._modules
        return self._parameters if name in ("ParameterList", "ParameterDict") else None

    def _no(self, what: str) -> TypeError:
        return TypeError(f"'{self.original_name}' {what}")

    def __len__(self) -> int:
        method, items = self._special("__len__"), self._items()
        if method is not None:
            return int(method())
        if items is None:
            raise self._no("module has no len()")
        return len(items)

    def __bool__(self) -> bool:
        method = self._special("__bool__")
        return True if method is None else bool(method())

    def __iter__(self) -> Iterator[Any]:
        items = self._items()
        if items is not None:
            return iter(items) if self.original_name.endswith("Dict") else iter(items.values())
        method = self._special("__iter__")
        if method is not None:
            return iter(method())
        if self._special("__len__") is not None and self._special("__getitem__") is not None:
            return (self[i] for i in range(len(self)))
        raise self._no("module is not iterable")

    def __getitem__(self, index: Any) -> Any:
        method, items = self._special("__getitem__"), self._items()
        if method is not None:
            return method(index)
        if items is None:
            raise self._no("module is not subscriptable")
        return items[index] if isinstance(index, str) else list(items.values())[index]

    def __contains__(self, key: Any) -> bool:
        method, items = self._special("__contains__"), self._items()
        if method is not None:
            return bool(method(key))
        if items is None:
            raise self._no("module is not a container")
        return key in items if self.original_name.endswith("Dict") else key in list(items.values())

    def keys(self) -> Any:
        return self._dict_view("keys")

    def values(self) -> Any:
        return self._dict_view("values")

    def items(self) -> Any:
        return self._dict_view("items")

    def _dict_view(self, name: str) -> Any:
        found = self._items()
        if self._special(name) is not None:
            return self._special(name)()
        if found is None or not self.original_name.endswith("Dict"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(found, name)()

    # -- looks -------------------------------------------------------------------------------------------------------
    def extra_repr(self) -> str:
        """What stands between the parentheses of the printed form."""
        return f"original_name={self.original_name}"

    def __repr__(self) -> str:
        lines = []
        for name, module in self._modules.items():
            text = repr(module).replace("\n", "\n  ")
            lines.append(f"  ({name}): {text}")
        inner = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({inner})"
        return f"{type(self).__name__}(\n  {inner}\n" + "\n".join(lines) + "\n)"

    def define(self, source: str) -> None:
        """Add a method from source code."""
        from linstock.runtime.scripting import define_method

        define_method(self, source)


class RecursiveScriptModule(ScriptModule):
    """A module that was scripted, traced or loaded."""


class _Keys(tuple[list[str], list[str]]):
    """What `load_state_dict` found missing and unexpected."""

    missing_keys = property(lambda self: self[0], doc="Keys that the given dict lacks.")
    unexpected_keys = property(lambda self: self[1], doc="Keys that the module does not have.")

    def __new__(cls, missing: list[str], unexpected: list[str]) -> _Keys:
        return super().__new__(cls, (missing, unexpected))

    def __repr__(self) -> str:
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


class _Handle:
    """Takes a hook away: `remove()`, or leaving a `with` block."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks, self.id = hooks, key

    def remove(self) -> None:
        self._hooks.pop(self.id, None)

    def __enter__(self) -> _Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def _register(hooks: dict[int, Any], hook: Callable[..., Any]) -> _Handle:
    if not callable(hook):
        raise InputError(f"a hook must be callable, not a {type(hook).__name__}")
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return _Handle(hooks, key)


def _bound(hook: Callable[..., Any], module: ScriptModule) -> Callable[..., Any]:
    return lambda *args: hook(module, *args)
