"""Weights as direction times length."""

from __future__ import annotations

from typing import Any, TypeVar

import linstock
from linstock.runtime.module import Module
from linstock.runtime.tensor import Parameter, Tensor

M = TypeVar("M", bound=Module)


def _length(v: Tensor, dim: int) -> Tensor:
    if dim == -1:
        return v.norm()
    return linstock.linalg_vector_norm(v, 2.0, [d for d in range(v.dim()) if d != dim], True)


class WeightNorm:
    """The hook that makes a weight from its length `<name>_g` and its direction `<name>_v` before each call."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute(self, module: Any) -> Tensor:
        """The weight."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / _length(v, self.dim))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module))


def weight_norm(module: M, name: str = "weight", dim: int | None = 0) -> M:
    """Replace a weight by its length `<name>_g` (per index of `dim`, or of all together with None) and direction
    `<name>_v`.

    Trace such a module, or `remove_weight_norm` before scripting it. Raises RuntimeError where the weight has it
    already.
    """
    for hook in module._forward_pre_hooks.values():
        if isinstance(hook, WeightNorm) and hook.name == name:
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(_length(weight, hook.dim).detach()))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Make the weight a parameter again. Raises ValueError where it has no weight norm."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, WeightNorm) and hook.name == name:
            weight = hook.compute(module).detach()
            module.__dict__.pop(name, None)
            del module._parameters[name + "_g"], module._parameters[name + "_v"], module._forward_pre_hooks[key]
            setattr(module, name, Parameter(weight))
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
