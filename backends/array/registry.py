"""The table of array kernels: one plain function per operator, found by the operator's full name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar

Kernel = Callable[..., Any]
F = TypeVar("F", bound=Kernel)

_KERNELS: dict[str, Kernel] = {}

#: family modules, imported when an operator of theirs is first asked for
FAMILIES = (
    "pointwise", "reduction", "view", "indexing", "linalg", "conv", "pooling", "norm", "attention", "rnn", "loss",
    "random", "factory", "sorting", "fft", "special", "quantized", "control", "scalar", "container",
)  # fmt: skip
_loaded: set[str] = set()


def kernel(*names: str) -> Callable[[F], F]:
    """Register a function as the kernel of each named operator ("aten::add.Tensor")."""

    def register(function: F) -> F:
        for name in names:
            if name in _KERNELS:
                raise ValueError(f"two kernels for {name}")
            _KERNELS[name] = function
        return function

    return register


def load_family(family: str) -> None:
    """Import the module(s) of a family, which registers its kernels."""
    if family not in _loaded:
        importlib.import_module(f"{__package__}.{family}")
        _loaded.add(family)  # afterwards, so that no other thread looks before its kernels are there


def registered(name: str, family: str) -> Kernel | None:
    """The kernel written for exactly this operator name, or None."""
    found = _KERNELS.get(name)
    if found is None:
        load_family(family)
        found = _KERNELS.get(name)
    return found
