"""RMSprop."""

from __future__ import annotations

from typing import Any

import linstock
from linstock.optim.optimizer import Optimizer, Params, check
from linstock.runtime.tensor import Tensor


class RMSprop(Optimizer):
    """Steps divided by the root of a running mean of squared gradients. `capturable`, `foreach` and `differentiable`
    have no effect.

    Raises ValueError for negative options.
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = dict(
            lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay,
            capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable,
        )  # fmt: skip
        check(
            options, lr=lr >= 0, eps=eps >= 0, momentum=momentum >= 0, weight_decay=weight_decay >= 0, alpha=alpha >= 0
        )
        super().__init__(params, options)

    def _update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = linstock.tensor(0.0)
            state["square_avg"] = linstock.zeros_like(p)
            if group["momentum"] > 0:
                state["momentum_buffer"] = linstock.zeros_like(p)
            if group["centered"]:
                state["grad_avg"] = linstock.zeros_like(p)
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad.add(p, alpha=group["weight_decay"])
        alpha, lr = group["alpha"], float(group["lr"])
        square = state["square_avg"]
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root.add_(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, root)
            p.add_(buffer, alpha=-lr)
        else:
            p.addcdiv_(grad, root, value=-lr)
