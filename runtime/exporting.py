"""Between modules and the ONNX exporter: example inputs to arrays, known operators to the kernels."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.derive import kernel_of
from linstock.ir.errors import ExportError, InputError
from linstock.ir.program import MISSING, Function
from linstock.runtime.modes import no_grad
from linstock.runtime.script_module import ScriptFunction, ScriptModule
from linstock.runtime.tensor import Tensor
from linstock.tracer import live_types


def export_model(
    model: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    method: str,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    dynamic: Mapping[str, Mapping[int, str]],
    opset: int,
    verify: bool,
) -> tuple[Any, list[str], list[Any], list[Any]]:
    """The ONNX model, notes about it, the example inputs as arrays, and (with `verify`) what linstock gives on them."""
    from linstock.backends.onnx.model import export_function

    if live_types.is_module(model) and not isinstance(model, ScriptModule):
        from linstock.runtime.tracing import trace

        live, training = model, model.training
        try:
            model = trace(live.eval(), args, strict=False)
        finally:
            live.train(training)
    if isinstance(model, ScriptModule):
        thing = model._object
        function = thing.type.methods.get(method)
        if function is None:
            raise ExportError(f"the model has no method '{method}'")
        receiver: Any = thing
    elif isinstance(model, ScriptFunction):
        function, receiver = model._function, None
    else:
        raise ExportError(f"export takes a scripted, traced or loaded model, or a module, not {type(model).__name__}")
    bound = _bind(function, args, kwargs, receiver is not None)
    arrays = [_array(v) for v in bound]
    with np.errstate(all="ignore"):
        made, notes = export_function(function, receiver, arrays, evaluate, input_names, output_names, dynamic, opset)
    inputs: list[Any] = []
    _leaves(arrays, inputs, numbers=False)
    expected: list[Any] = []
    if verify:
        from linstock.backends.onnx.exporter import STATE

        with no_grad():
            runs = copy.deepcopy(model) if any(STATE in n for n in notes) else model
            call = runs if method == "forward" else getattr(runs, method)
            _leaves(_array(call(*_copied(bound))), expected, True)
    return made, notes, inputs, expected


def _bind(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool) -> list[Any]:
    """Arguments in the order of the parameters, defaults filled in."""
    parameters = function.signature().parameters[1 if method else 0 :]
    if len(args) > len(parameters):
        raise InputError(
            f"{function.short_name}() takes {len(parameters)} arguments, {len(args)} example inputs were given"
        )
    values = list(args)
    given = dict(kwargs)
    for p in parameters[len(args) :]:
        if p.name in given:
            values.append(given.pop(p.name))
        elif p.default is not MISSING:
            values.append(p.default)
        else:
            raise InputError(
                f"the example inputs lack a value for argument '{p.name}' of {function.short_name}{function.signature()}"
            )
    if given:
        raise InputError(f"{function.short_name}() has no argument '{next(iter(given))}'")
    return values


def _array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, (list, tuple)):
        items = [_array(v) for v in value]
        return items if isinstance(value, list) else type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return {k: _array(v) for k, v in value.items()} if isinstance(value, dict) else value


def _copied(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        items = [_copied(v) for v in value]
        return items if isinstance(value, list) else type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return {k: _copied(v) for k, v in value.items()} if isinstance(value, dict) else value


def _leaves(value: Any, out: list[Any], numbers: bool = False) -> None:
    """Append the tensors (and numbers) of a value as ONNX models have them: complex ones with a last dimension of two,
    quantised ones as integers.
    """
    if isinstance(value, (list, tuple)):
        for v in value:
            _leaves(v, out, numbers)
    elif isinstance(value, dict):
        for v in value.values():
            _leaves(v, out, numbers)
    elif hasattr(value, "ints"):
        out.append(value.ints)
    elif isinstance(value, np.ndarray):
        out.append(np.stack([value.real, value.imag], -1) if value.dtype.kind == "c" else value)
    elif numbers and isinstance(value, (bool, int, float)):
        out.append(np.asarray(value))


def evaluate(full_name: str, args: Sequence[Any]) -> Any:
    """An operator on known values, by its kernel."""
    return kernel_of(full_name)(*args)
