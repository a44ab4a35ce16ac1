"""Adam and AdamW."""

from __future__ import annotations

import math
from typing import Any

import linstock
from linstock.optim.optimizer import Optimizer, Params, check
from linstock.runtime.tensor import Tensor


class Adam(Optimizer):
    """Adam: steps by running means of gradients and of their squares. `foreach`, `capturable`, `differentiable` and
    `fused` have no effect.

    Raises ValueError for negative options and for betas outside [0, 1).
    """

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize, foreach=foreach,
            capturable=capturable, differentiable=differentiable, fused=fused,
            decoupled_weight_decay=decoupled_weight_decay,
        )  # fmt: skip
        check(options, lr=lr >= 0, eps=eps >= 0, weight_decay=weight_decay >= 0)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        super().__init__(params, options)

    def _update(self, p: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if not state:
            state["step"] = linstock.tensor(0.0)
            state["exp_avg"] = linstock.zeros_like(p)
            state["exp_avg_sq"] = linstock.zeros_like(p)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = linstock.zeros_like(p)
        state["step"] += 1
        lr, step = float(group["lr"]), float(state["step"])
        if group["weight_decay"] != 0:
            if group["decoupled_weight_decay"]:
                p.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(p, alpha=group["weight_decay"])
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].copy_(linstock.maximum(state["max_exp_avg_sq"], square))
        denominator = (square.sqrt() / math.sqrt(1 - beta2**step)).add_(group["eps"])
        p.addcdiv_(mean, denominator, value=-lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam whose weight decay does not go through the running means."""

    def __init__(
        self,
        params: Params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
