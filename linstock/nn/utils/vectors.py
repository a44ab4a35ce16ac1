"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import linstock
from linstock.runtime.modes import no_grad
from linstock.runtime.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened, one after the other."""
    return linstock.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set parameters to the pieces of a vector. Raises TypeError for what is no tensor."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected Tensor, but got: {type(vec).__name__}")
    start = 0
    with no_grad():
        for p in parameters:
            p.copy_(vec[start : start + p.numel()].view_as(p))
            start += p.numel()
