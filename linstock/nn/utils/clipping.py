"""Limits on gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import linstock
from linstock.runtime.modes import no_grad
from linstock.runtime.tensor import Tensor


def _listed(parameters: Any) -> list[Tensor]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def get_total_norm(
    tensors: Iterable[Tensor] | Tensor,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors together, as if they were one. Raises RuntimeError for a non-finite one, if asked to."""
    listed = _listed(tensors)
    if not listed:
        return linstock.tensor(0.0)
    with no_grad():
        total = linstock.linalg_vector_norm(
            linstock.stack([linstock.linalg_vector_norm(t, float(norm_type)) for t in listed]), float(norm_type)
        )
    if error_if_nonfinite and not bool(linstock.isfinite(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable "
            "this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Iterable[Tensor] | Tensor, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale gradients, in place, by max_norm / total_norm where that is below 1."""
    with no_grad():
        factor = linstock.clamp(max_norm / (total_norm + 1e-6), max=1.0)
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.mul_(factor)


def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale gradients, in place, so that their norm together is at most `max_norm`. Gives the norm that they had."""
    listed = _listed(parameters)
    total = get_total_norm([p.grad for p in listed if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(listed, float(max_norm), total)
    return total


def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float, foreach: bool | None = None) -> None:
    """Limit each element of the gradients, in place, to [-clip_value, clip_value]."""
    with no_grad():
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.clamp_(min=-float(clip_value), max=float(clip_value))
