"""What all optimizers have: groups of parameters with their options, a state per parameter, and the step."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from linstock.runtime.modes import enable_grad, no_grad
from linstock.runtime.tensor import Parameter, Tensor

Params = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def check(options: dict[str, Any], **limits: bool) -> None:
    """Raise ValueError for the first option whose limit does not hold."""
    for name, holds in limits.items():
        if not holds:
            raise ValueError(f"Invalid {name} value: {options[name]}")


class Optimizer:
    """Base class of optimizers. A subclass gives its default options and writes `_update`."""

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{type(params).__name__}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own.

        Raises TypeError for what is no tensor, ValueError for repeated parameters.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change "
                "between runs. Please use a list instead."
            )
        rows = [given] if isinstance(given, Tensor) else list(given)
        if rows and isinstance(rows[0], tuple):
            param_group["param_names"] = [name for name, _ in rows]
            rows = [p for _, p in rows]
        param_group["params"] = rows
        for p in rows:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not (p.is_leaf or isinstance(p, Parameter)):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if known & {id(p) for p in rows}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all parameters."""
        for p in self._parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad = p.grad.detach()
                    p.grad.zero_()

    def _parameters(self) -> Iterable[Tensor]:
        return chain.from_iterable(group["params"] for group in self.param_groups)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients.

        A closure computes the loss (and gradients) first; its result is given back.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        grad = -p.grad if group.get("maximize") else p.grad
                        self._update(p, grad, self.state[p], group)
        return loss

    def _update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change one parameter. `state` is empty at first."""
        raise NotImplementedError

    # state -----------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """State and options, with parameters as numbers; the tensors are the optimizer's own."""
        places = {id(p): i for i, p in enumerate(self._parameters())}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [places[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": {places[id(p)]: s for p, s in self.state.items() if s}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what `state_dict` gave. Raises ValueError for groups of other sizes."""
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(self.param_groups, groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in groups)
        by_number = dict(zip(numbers, self._parameters()))
        self.state = defaultdict(dict)
        for number, values in state_dict["state"].items():
            p = by_number.get(number)
            if p is None:
                self.state[number] = copy.deepcopy(values)
            else:
                self.state[p] = {k: _taken(k, v, p) for k, v in values.items()}
        for own, group in zip(self.param_groups, groups):
            own.update({k: v for k, v in group.items() if k != "params"})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])


def _taken(name: str, value: Any, p: Tensor) -> Any:
    """A loaded part of a parameter's state; tensors but the step count get the parameter's type."""
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    made = value.detach().clone()
    return made if name == "step" or not p.dtype.is_floating_point else made.to(p.dtype)
