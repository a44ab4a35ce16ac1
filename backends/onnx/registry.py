"""The table of ONNX forms: a converter per operator, or the reason why there is none."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

from linstock.ir import operators

Converter = Callable[..., Any]
F = TypeVar("F", bound=Converter)

_CONVERTERS: dict[str, Converter] = {}
_REASONS: dict[str, str] = {}
_loaded = False
_INFRASTRUCTURE = {"registry", "builder", "exporter", "model", "values", "control"}


def converter(*names: str) -> Callable[[F], F]:
    """Register a function as the ONNX form of each named operator (overload included: "aten::add.Tensor")."""

    def register(function: F) -> F:
        for name in names:
            if name in _CONVERTERS:
                raise ValueError(f"two ONNX forms for {name}")
            _CONVERTERS[name] = function
        return function

    return register


def no_form(*names: str, reason: str) -> None:
    """Say why operators have no ONNX form."""
    for name in names:
        _REASONS[name] = reason


def _load() -> None:
    global _loaded
    if not _loaded:
        _loaded = True
        package = importlib.import_module(__package__ or "linstock.backends.onnx")
        for module in pkgutil.iter_modules(package.__path__):
            if module.name not in _INFRASTRUCTURE:
                importlib.import_module(f"{package.__name__}.{module.name}")


def find(full_name: str) -> Converter | None:
    """The converter of an operator; that of `foo` serves `foo_`. None if there is none."""
    _load()
    found = _CONVERTERS.get(full_name)
    if found is None:
        base, dot, overload = full_name.partition(".")
        if base.endswith("_") and not base.endswith("__"):
            found = _CONVERTERS.get(base[:-1] + dot + overload)
        elif base.startswith("aten::__i") and base.endswith("__"):
            found = _CONVERTERS.get(base.replace("aten::__i", "aten::__") + dot + overload)
    return found


def reason(full_name: str) -> str:
    """Why there is no form."""
    _load()
    return _REASONS.get(full_name) or _REASONS.get(full_name.partition(".")[0]) or "no ONNX form has been written for it"


def support(full_name: str) -> str:
    """"yes" or why not, for the operator table."""
    if find(full_name) is not None:
        return "yes"
    schema = operators.schema(full_name)
    if schema.out_arguments:
        return "graphs hold no out= calls once captured"
    if operators.family(full_name) in ("scalar", "container", "control"):
        return "computed while exporting"
    return reason(full_name)
