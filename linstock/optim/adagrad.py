"""Adagrad."""

from __future__ import annotations

from typing import Any

import linstock
from linstock.optim.optimizer import Optimizer, Params, check
from linstock.runtime.tensor import Tensor


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of squared gradients. `foreach`, `differentiable` and `fused` have no
    effect.

    Raises ValueError for negative options.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        options = dict(
            lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize,
            differentiable=differentiable, fused=fused,
        )  # fmt: skip
        check(
            options, lr=lr >= 0, lr_decay=lr_decay >= 0, weight_decay=weight_decay >= 0, eps=eps >= 0,
            initial_accumulator_value=initial_accumulator_value >= 0,
        )  # fmt: skip
        super().__init__(params, options)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["step"] = linstock.tensor(0.0)
                self.state[p]["sum"] = linstock.full_like(p, group["initial_accumulator_value"]).detach()

    def _update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad.add(p, alpha=group["weight_decay"])
        lr = float(group["lr"]) / (1 + (float(state["step"]) - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        p.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-lr)
