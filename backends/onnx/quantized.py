"""Quantised tensors in ONNX graphs: forms of the operators that take or give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linstock.backends.onnx import registry
from linstock.backends.onnx.values import Quantized

_FORMS: dict[str, registry.Converter] = {}


def form(*names: str) -> Callable[[registry.F], registry.F]:
    """Register the form of operators on quantised tensors."""

    def register(function: registry.F) -> registry.F:
        for name in registry.expand(names):
            _FORMS[name] = function
        return function

    return register


def find(full_name: str) -> registry.Converter | None:
    """The form of an operator on quantised tensors, or None."""
    return _FORMS.get(full_name)


def is_quantized(value: Any) -> bool:
    """Whether a value is a quantised tensor, known or not."""
    return isinstance(value, Quantized) or hasattr(value, "ints")
