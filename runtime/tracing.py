"""`jit.trace`: run a program once on example inputs and keep what its operators did."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linstock.ir import types as T
from linstock.ir.errors import CompileError, LinstockError, TracerWarning
from linstock.ir.program import CompilationUnit, Parameter
from linstock.runtime.modes import active_recorder, no_grad, recording
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import ScriptFunction, ScriptModule, face
from linstock.runtime.tensor import Tensor
from linstock.tracer import live_source, live_types
from linstock.tracer.trace import Recorder
from linstock.tracer.trace_modules import TracedModules, function_of

_ROOMS = tuple(
    os.path.dirname(os.path.abspath(p)) + os.sep
    for p in (__file__, live_source.__file__, inspect.getsourcefile(LinstockError) or __file__)
)
UNIT = CompilationUnit()

TopLevelTracedModule = TracedModule = ScriptModule


class TracingCheckError(LinstockError, RuntimeError):
    """A trace gives other results than the program it was made from."""


def is_tracing() -> bool:
    """Whether a trace is being recorded."""
    return active_recorder() is not None


def _internal(filename: str) -> bool:
    front = os.path.dirname(os.path.abspath(str(sys.modules["linstock"].__file__))) + os.sep
    return filename.startswith(("<", front, *_ROOMS)) or f"{os.sep}backends{os.sep}array" in filename


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Sequence[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    _store_inputs: bool = True,
) -> Any:
    """Run a function or module once on example inputs and record its operators as a ScriptFunction or ScriptModule.

    `example_inputs` is a tensor or a tuple of arguments (tensors, tuples, lists and dicts of tensors). Sizes stay
    dynamic where
    the program computes with `x.shape`; everything else that Python decides is fixed, and reported as a TracerWarning
    at its line.
    With `check_trace` the trace is run on the example (and on `check_inputs`) and compared with the program.
    `strict=False` allows
    lists and dicts as results. Raises CompileError for inputs or results that cannot be recorded.
    """
    if isinstance(func, (ScriptModule, ScriptFunction)):
        warnings.warn(
            "the input of trace is already scripted or traced: it is given back as it is", TracerWarning, stacklevel=2
        )
        return func
    if live_types.is_module(func):
        inputs: Any = example_kwarg_inputs if example_kwarg_inputs is not None else example_inputs
        return trace_module(
            func,
            {"forward": inputs},
            None,
            check_trace,
            check_inputs and [{"forward": c} for c in check_inputs],
            check_tolerance,
            strict,
        )
    owner = getattr(func, "__self__", None)
    if owner is not None and live_types.is_module(owner) and getattr(func, "__name__", "") == "forward":
        return trace_module(owner, {"forward": example_inputs}, None, check_trace, None, check_tolerance, strict)
    args, kwargs = _arguments(example_inputs, example_kwarg_inputs)
    recorder = Recorder(getattr(func, "__name__", "traced"), _internal)
    parameters, args, kwargs = _declare(recorder, func, args, kwargs)
    with recording(recorder):  # type: ignore[arg-type]
        result = func(*args, **kwargs)
    returns = recorder.finish(result, strict)
    name = UNIT.unique_name(live_source.qualified_name(func)) if hasattr(func, "__name__") else "__torch__.traced"
    traced = ScriptFunction(function_of(recorder, name, parameters, returns), func)
    if check_trace:
        for given in [(example_inputs, example_kwarg_inputs), *[(c, None) for c in check_inputs or ()]]:
            _check(func, traced, *_arguments(*given), check_tolerance)
    return traced


def trace_module(
    mod: Any,
    inputs: Mapping[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Sequence[Mapping[str, Any]] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_inputs_is_kwarg: bool = False,
    _store_inputs: bool = True,
) -> ScriptModule:
    """Trace several methods of a module: `inputs` maps a method's name to its example inputs. See `trace`."""
    modules = TracedModules(mod, UNIT)
    for name, example in inputs.items():
        args, kwargs = _arguments(None, example) if isinstance(example, Mapping) else _arguments(example, None)
        recorder = Recorder(name, _internal)
        modules.declare(recorder, mod)
        call = mod if name == "forward" else getattr(mod, name)
        parameters, args, kwargs = _declare(recorder, getattr(mod, name), args, kwargs)
        with recording(recorder):  # type: ignore[arg-type]
            result = call(*args, **kwargs)
        returns = recorder.finish(result, strict)
        modules.method(recorder, mod, name, parameters, returns)
    traced = face(_object(mod, modules, {}))
    assert isinstance(traced, ScriptModule)
    if check_trace:
        for given in [inputs, *(check_inputs or ())]:
            for name, example in given.items():
                args, kwargs = _arguments(None, example) if isinstance(example, Mapping) else _arguments(example, None)
                _check(
                    getattr(mod, name) if name != "forward" else mod,
                    getattr(traced, name),
                    args,
                    kwargs,
                    check_tolerance,
                )
    return traced


def _object(module: Any, modules: TracedModules, memo: dict[int, ScriptObject]) -> ScriptObject:
    known = memo.get(id(module))
    if known is not None:
        return known
    if isinstance(module, ScriptModule):
        return module._object  # type: ignore[no-any-return]
    cls = modules.classes[id(module)]
    made = memo[id(module)] = ScriptObject(cls)
    for name, t in cls.attributes.items():
        if name == "_is_full_backward_hook":
            made.slots[name] = None
        elif isinstance(t, T.ClassType):
            made.slots[name] = _object(module._modules[name], modules, memo)
        else:
            made.slots[name] = getattr(module, name)
    return made


def _arguments(example: Any, named: Mapping[str, Any] | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if example is None:
        args: tuple[Any, ...] = ()
    elif isinstance(example, Tensor) or not isinstance(example, (tuple, list)):
        args = (example,)
    else:
        args = tuple(example)
    return args, dict(named or {})


def _declare(
    recorder: Recorder, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Parameter, ...], tuple[Any, ...], dict[str, Any]]:
    """Copies of the example inputs (the caller's are never changed), declared as parameters under the function's own
    names.
    """
    names = _parameter_names(func, len(args))
    copied = [_copy(a) for a in args]
    named = {k: _copy(v) for k, v in kwargs.items()}
    parameters = [Parameter(n, recorder.add_input(a, n)) for n, a in zip(names, copied, strict=True)]
    parameters += [Parameter(n, recorder.add_input(a, n)) for n, a in named.items()]
    return tuple(parameters), tuple(copied), named


def _parameter_names(func: Callable[..., Any], count: int) -> list[str]:
    try:
        known = [
            p.name
            for p in inspect.signature(func).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        known = []
    known = [n for n in known if n != "self"]
    return [known[i] if i < len(known) else f"argument_{i + 1}" for i in range(count)]


def _copy(value: Any) -> Any:
    if isinstance(value, Tensor):
        with no_grad():
            copy = value.detach().clone()
        return copy.requires_grad_(True) if value.requires_grad else copy
    if isinstance(value, tuple):
        items = [_copy(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, list):
        return [_copy(v) for v in value]
    return {k: _copy(v) for k, v in value.items()} if isinstance(value, dict) else value


def _check(func: Any, traced: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tolerance: float) -> None:
    """Compare program and trace on one set of inputs. Raises TracingCheckError; random programs are only warned about."""
    from linstock.backends.array.generator import default_generator

    state = default_generator.get_state()
    with no_grad():
        expected = func(*[_copy(a) for a in args], **{k: _copy(v) for k, v in kwargs.items()})
        default_generator.set_state(state)
        found = traced(*[_copy(a) for a in args], **{k: _copy(v) for k, v in kwargs.items()})
    for i, (e, f) in enumerate(zip(_tensors(expected), _tensors(found), strict=True)):
        a, b = np.asarray(e.detach().numpy()), np.asarray(f.detach().numpy())
        if a.shape != b.shape or not np.allclose(
            a.astype(np.complex128 if a.dtype.kind == "c" else np.float64),
            b,
            rtol=tolerance,
            atol=tolerance,
            equal_nan=True,
        ):
            warnings.warn(
                f"output {i} of the trace differs from that of the program on the same input: the program is not a fixed sequence of operators "
                "(randomness, state, or decisions that depend on data). Script it, or switch check_trace off if that is meant",
                TracerWarning,
                stacklevel=3,
            )


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors(v)]
    return [t for v in value.values() for t in _tensors(v)] if isinstance(value, dict) else []


__all__ = ["CompileError", "TracedModule", "TracingCheckError", "is_tracing", "trace", "trace_module"]
