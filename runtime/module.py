"""`Module`: parameters, buffers and submodules under attribute names, hooks around `forward`, state dicts."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from linstock.runtime.creation import as_tensor, check_device, device_of, dtype_of
from linstock.runtime.modes import get_mode, no_grad
from linstock.runtime.tape import RemovableHandle
from linstock.runtime.tensor import Buffer, Parameter, Tensor

M = TypeVar("M", bound="Module")
_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` found to be missing and left over."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    def __str__(self) -> str:
        return repr(self)


class _Hooks(OrderedDict[int, Any]):
    """Hooks by handle number. Can be referred to weakly, so that a handle does not keep its module alive."""


def _indented(text: str, spaces: int) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *[" " * spaces + line for line in rest]])


class Module:
    """Base class of neural network modules, with PyTorch's semantics.

    Assign parameters (`Parameter`), submodules and, with `register_buffer`, buffers as attributes in `__init__` (after
    `super().__init__()`), and write `forward`.
    """

    training: bool
    _version: int = 1
    dump_patches = False
    call_super_init = False
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            given = next(iter(kwargs), None)
            what = (
                f"got an unexpected keyword argument '{given}'"
                if given
                else f"takes 1 positional argument but {len(args) + 1} were given"
            )
            raise TypeError(f"{type(self).__name__}.__init__() {what}")
        put = self.__dict__
        put["training"] = True
        for name in ("_parameters", "_buffers", "_modules"):
            put[name] = {}
        put["_non_persistent_buffers_set"] = set()
        for name in (
            "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks",
            "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
            "_forward_hooks_with_kwargs",
            "_forward_hooks_always_called", "_forward_pre_hooks_with_kwargs",
        ):  # fmt: skip
            put[name] = _Hooks()

    forward: Callable[..., Any]

    def _forward_unimplemented(self, *input: Any) -> Any:
        """Every subclass writes its own `forward`."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # calls ----------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` with the hooks around it."""
        recorder = get_mode().recorder
        if recorder is not None:
            enter = getattr(recorder, "module", None)
            if enter is not None:
                return enter(self, lambda: self._call_impl(*args, **kwargs))
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args: Any, **kwargs: Any) -> Any:
        d = self.__dict__
        if not (d["_forward_pre_hooks"] or d["_forward_hooks"] or d["_backward_hooks"] or d["_backward_pre_hooks"]):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            for key, hook in list(self._forward_pre_hooks.items()):
                if key in self._forward_pre_hooks_with_kwargs:
                    changed = hook(self, args, kwargs)
                    if changed is not None:
                        if not isinstance(changed, tuple) or len(changed) != 2:
                            raise RuntimeError(
                                "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                                f"{changed}."
                            )
                        args, kwargs = changed
                else:
                    changed = hook(self, args)
                    if changed is not None:
                        args = changed if isinstance(changed, tuple) else (changed,)
            back = _BackwardHooks(self) if self._backward_hooks or self._backward_pre_hooks else None
            if back is not None:
                args = back.before(args)
            result = self._run(*args, **kwargs)
            for key, hook in list(self._forward_hooks.items()):
                called.add(key)
                result = self._after(key, hook, args, kwargs, result)
            return result if back is None else back.after(result)
        except Exception:
            for key, hook in list(self._forward_hooks.items()):
                if key in self._forward_hooks_always_called and key not in called:
                    self._after(key, hook, args, kwargs, None)
            raise

    def _after(self, key: int, hook: Callable[..., Any], args: Any, kwargs: Any, result: Any) -> Any:
        changed = (
            hook(self, args, kwargs, result) if key in self._forward_hooks_with_kwargs else hook(self, args, result)
        )
        return result if changed is None else changed

    # attributes -----------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        d = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            members = d.get(table)
            if members is not None and name in members:
                return members[name]
        if name == "forward":
            return self._forward_unimplemented
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        d = self.__dict__
        params = d.get("_parameters")
        if isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._remove_from(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif isinstance(value, Buffer) and params is not None:
            self._remove_from(name, "_parameters", "_modules")
            self.register_buffer(name, value, value.persistent)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__module__}.{type(value).__name__}' as parameter '{name}' "
                    "(linstock.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if d.get("_modules") is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._remove_from(name, "_parameters", "_buffers")
            d["_modules"][name] = value
        elif d.get("_modules") is not None and name in d["_modules"]:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__module__}.{type(value).__name__}' as child module '{name}' "
                    "(linstock.nn.Module or None expected)"
                )
            d["_modules"][name] = value
        elif d.get("_buffers") is not None and name in d["_buffers"]:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{type(value).__module__}.{type(value).__name__}' as buffer '{name}' "
                    "(linstock.Tensor or None expected)"
                )
            d["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _remove_from(self, name: str, *tables: str) -> None:
        d = self.__dict__
        d.pop(name, None)
        for table in tables:
            d[table].pop(name, None)
        d["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name: str) -> None:
        for table in (self._parameters, self._buffers, self._modules):
            if name in table:
                del table[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = {*dir(type(self)), *self.__dict__, *self._parameters, *self._buffers, *self._modules}
        return sorted(name for name in own if name[:1].isidentifier())

    def _check_name(self, kind: str, name: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter (or None: a parameter that is absent) under a name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name)
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' (Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                "To express "
                f"'{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not a parameter under a name; it is part of the state dict if persistent."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name)
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' (Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name("module", name)
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        self._modules[name] = module

    register_module = add_module

    def get_submodule(self, target: str) -> Module:
        """The submodule at a dotted path. Raises AttributeError."""
        found: Any = self
        for part in target.split(".") if target else ():
            if not hasattr(found, part):
                raise AttributeError(f"{found._get_name()} has no attribute `{part}`")
            found = getattr(found, part)
            if not isinstance(found, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return found  # type: ignore[no-any-return]

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a submodule at a dotted path."""
        path, _, name = target.rpartition(".")
        if not name:
            raise ValueError("Cannot set the submodule without a target name!")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a dotted path. Raises AttributeError."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        found = getattr(owner, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a dotted path. Raises AttributeError."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        if not hasattr(owner, name):
            raise AttributeError(f"{owner._get_name()} has no attribute `{name}`")
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return getattr(owner, name)  # type: ignore[no-any-return]

    # walks ----------------------------------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it with their dotted paths, each once."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, prefix + ("." if prefix else "") + name, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it."""
        return (m for _, m in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules with their names, each once."""
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        return (m for _, m in self.named_children())

    def _named_members(
        self, members: Callable[[Module], Iterable[tuple[str, Any]]], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in members(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their dotted paths, each once."""
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their dotted paths, each once."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    # state dicts ----------------------------------------------------------------------------------------------------

    def get_extra_state(self) -> Any:
        """What else belongs into the state dict; write it together with `set_extra_state`."""
        raise RuntimeError("Reached a code path in Module.get_extra_state() that should never be called.")

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError("Reached a code path in Module.set_extra_state() that should never be called.")

    def _has_extra(self, which: str) -> bool:
        return getattr(type(self), which) is not getattr(Module, which)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if keep_vars else value.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """All parameters and persistent buffers by dotted path. The tensors share memory with the module's."""
        if args:
            destination = args[0]
            prefix = args[1] if len(args) > 1 else prefix
            keep_vars = args[2] if len(args) > 2 else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        facts = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = facts
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, facts)
            if changed is not None:
                destination = changed
        return destination  # type: ignore[no-any-return]

    def _load_from_state_dict(
        self, state_dict: Mapping[str, Any], prefix: str, local_metadata: dict[str, Any], strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        kept = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        own = {k: v for k, v in itertools.chain(self._parameters.items(), kept.items()) if v is not None}
        for name, value in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            try:
                self._take(
                    name, value, as_tensor(state_dict[key]), key, local_metadata.get("assign_to_params_buffers", False)
                )
            except (RuntimeError, TypeError, ValueError) as error:
                error_msgs.append(str(error))
        extra = prefix + _EXTRA
        if self._has_extra("set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, _, rest = key[len(prefix) :].partition(".")
                    if (rest and name not in self._modules) or (not rest and name not in own):
                        unexpected_keys.append(key)

    def _take(self, name: str, value: Any, given: Tensor, key: str, assign: bool) -> None:
        if len(value.shape) == 0 and tuple(given.shape) == (1,):
            given = given[0]
        if given.shape != value.shape:
            raise RuntimeError(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                "current model "
                f"is {value.shape}."
            )
        if assign:
            if isinstance(value, Parameter):
                given = given if isinstance(given, Parameter) else Parameter(given, requires_grad=value.requires_grad)
            setattr(self, name, given)
            return
        with no_grad():
            value.copy_(given)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy (or `assign`) parameters and buffers from a state dict; values may be tensors or arrays.

        Raises RuntimeError listing all mismatches; with `strict=False` missing and unexpected keys are only returned.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        given: Any = OrderedDict(state_dict)
        if metadata is not None:
            given._metadata = metadata

        def load(module: Module, part: Mapping[str, Any], prefix: str) -> None:
            facts = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
            if assign:
                facts["assign_to_params_buffers"] = True
            module._load_from_state_dict(part, prefix, facts, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    inner = prefix + name + "."
                    load(child, {k: v for k, v in part.items() if k.startswith(inner)}, inner)
            keys = IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                hook(module, keys)

        load(self, given, "")
        if strict:
            if unexpected:
                errors.insert(
                    0, f"Unexpected key(s) in state_dict: {', '.join(repr(k) for k in unexpected)}. ".replace("'", '"')
                )
            if missing:
                errors.insert(
                    0, f"Missing key(s) in state_dict: {', '.join(repr(k) for k in missing)}. ".replace("'", '"')
                )
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return IncompatibleKeys(missing, unexpected)

    # conversions ----------------------------------------------------------------------------------------------------

    def _apply(self: M, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> M:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with no_grad():
                made = fn(param)
                param.data = made
                if param.grad is not None:
                    grad = fn(param.grad)
                    param.grad = None
                    param.grad = grad
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self: M, fn: Callable[[Module], Any]) -> M:
        """Call a function on every submodule, then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self: M, *args: Any, **kwargs: Any) -> M:
        """Move parameters and buffers to a device or (the floating-point ones) to a type: `to(device)`, `to(dtype)`,
        `to(tensor)`."""
        device, dtype, non_blocking, order = _parse_to(args, kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if device is not None:
            check_device(device)

        def convert(t: Tensor) -> Tensor:
            target = dtype if t.dtype.is_floating_point or t.dtype.is_complex else None
            if order is not None and t.dim() in (4, 5):
                return t.to(device, target, non_blocking, memory_format=order)
            return t.to(device, target, non_blocking)

        return self._apply(convert)

    def _floating_to(self: M, name: str) -> M:
        return self._apply(lambda t: getattr(t, name)() if t.dtype.is_floating_point else t)

    def float(self: M) -> M:
        """Make all floating-point parameters and buffers float32."""
        return self._floating_to("float")

    def double(self: M) -> M:
        """Make all floating-point parameters and buffers float64."""
        return self._floating_to("double")

    def half(self: M) -> M:
        """Make all floating-point parameters and buffers float16."""
        return self._floating_to("half")

    def bfloat16(self: M) -> M:
        """Make all floating-point parameters and buffers bfloat16."""
        return self._floating_to("bfloat16")

    def type(self: M, dst_type: Any) -> M:
        """Convert all parameters and buffers to a type."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self: M) -> M:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: M, device: Any = None) -> M:
        """Move all parameters and buffers to a CUDA device. Raises RuntimeError where there is none."""
        return self.to("cuda" if device is None else device)

    def train(self: M, mode: bool = True) -> M:
        """Switch to training (or evaluation) mode, with all submodules."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: M) -> M:
        """Switch to evaluation mode, with all submodules."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Switch gradients of all parameters on or off."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters."""
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach()
                    p.grad.zero_()

    def share_memory(self: M) -> M:
        """The module itself: memory is not moved between processes."""
        return self

    # hooks ----------------------------------------------------------------------------------------------------------

    def _add(
        self, hooks: Any, hook: Callable[..., Any], prepend: bool = False, marks: tuple[Any, ...] = ()
    ) -> RemovableHandle:
        handle = RemovableHandle(hooks, extra_dict=list(marks))
        hooks[handle.id] = hook
        for mark in marks:
            mark[handle.id] = True
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns replaces the arguments."""
        marks = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        return self._add(self._forward_pre_hooks, hook, prepend, marks)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; what it returns replaces the output."""
        marks: tuple[Any, ...] = (self._forward_hooks_with_kwargs,) if with_kwargs else ()
        if always_call:
            marks = (*marks, self._forward_hooks_always_called)
        return self._add(self._forward_hooks, hook, prepend, marks)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when gradients for the module's inputs are there."""
        return self._add(self._backward_hooks, hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when gradients of the module's outputs are there."""
        return self._add(self._backward_pre_hooks, hook, prepend)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` collects."""
        return self._add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, metadata)` after `state_dict` collected."""
        return self._add(self._state_dict_hooks, hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, metadata, strict, missing, unexpected, errors)` before loading."""
        return self._add(self._load_state_dict_pre_hooks, lambda *args: hook(self, *args))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return self._add(self._load_state_dict_pre_hooks, (lambda *args: hook(self, *args)) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading; it may change the lists of keys."""
        return self._add(self._load_state_dict_post_hooks, hook)

    # as text --------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the module's text."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(module), 2)}" for name, module in self._modules.items()]
        head = self._get_name() + "("
        if not children and len(lines) == 1:
            return head + lines[0] + ")"
        if lines or children:
            head += "\n  " + "\n  ".join(lines + children) + "\n"
        return head + ")"

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: use `linstock.jit.script` or `linstock.jit.trace` to capture a module."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        fresh = Module.__new__(Module)
        Module.__init__(fresh)
        for name, value in fresh.__dict__.items():
            self.__dict__.setdefault(name, value)


class _BackwardHooks:
    """Full backward hooks of one call: identity steps at the module's inputs and outputs see the gradients pass."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.grad_output: Any = None
        self.inputs_differentiable = False

    def before(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments behind a step that calls the hooks with the gradients of inputs and outputs."""
        return self._through(args, self._at_inputs)

    def after(self, result: Any) -> Any:
        """The result behind a step that notes its gradients."""
        many = isinstance(result, tuple)
        out = self._through(result if many else (result,), self._at_outputs)
        return out if many else out[0]

    def _through(self, values: tuple[Any, ...], seen: Callable[[tuple[Any, ...]], Any]) -> tuple[Any, ...]:
        from linstock.runtime.function import Function

        places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        if not get_mode().grad or not any(values[i].requires_grad for i in places):
            return values

        def forward(ctx: Any, *tensors: Tensor) -> Any:
            ctx.set_materialize_grads(False)
            return tuple(t.detach() for t in tensors)

        def backward(ctx: Any, *grads: Any) -> Any:
            changed = seen(grads)
            return grads if changed is None else tuple(changed)

        step: Any = type(
            "BackwardHookFunction", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        )
        if seen == self._at_inputs:
            self.inputs_differentiable = True
        out = list(values)
        for i, t in zip(places, step.apply(*[values[i] for i in places])):
            out[i] = t
        return tuple(out)

    def _at_outputs(self, grads: tuple[Any, ...]) -> Any:
        for hook in list(self.module._backward_pre_hooks.values()):
            changed = hook(self.module, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        self.grad_output = grads
        if not self.inputs_differentiable:
            for hook in list(self.module._backward_hooks.values()):
                hook(self.module, (), grads)
        return grads

    def _at_inputs(self, grads: tuple[Any, ...]) -> Any:
        for hook in list(self.module._backward_hooks.values()):
            changed = hook(self.module, grads, self.grad_output)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads


def _parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    device, dtype = kwargs.get("device"), kwargs.get("dtype")
    rest = list(args)
    non_blocking = kwargs.get("non_blocking", False)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
        device, dtype = other.device, other.dtype
    for value in rest:
        if isinstance(value, bool):
            non_blocking = value
        elif value is None:
            continue
        elif isinstance(value, (str, int)) or (hasattr(value, "index") and hasattr(value, "type")):
            device = value
        else:
            dtype = value
    return (
        None if device is None else device_of(device),
        None if dtype is None else dtype_of(dtype),
        non_blocking,
        kwargs.get("memory_format"),
    )
