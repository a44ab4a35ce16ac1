"""Comparing derivatives with finite differences: `gradcheck`, `gradgradcheck`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.runtime import autograd
from linstock.runtime.dispatch import wrap
from linstock.runtime.tensor import Tensor


class GradcheckError(RuntimeError):
    """A derivative does not agree with finite differences."""


def _listed(value: Any) -> list[Tensor]:
    return [v for v in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(v, Tensor)]


def _differentiable(values: Sequence[Any]) -> list[Tensor]:
    return [v for v in values if isinstance(v, Tensor) and v.requires_grad]


def _slopes(function: Callable[[], list[Tensor]], target: Tensor, eps: float) -> list[Any]:
    """For each output, the matrix of finite differences: one row per (real) component of the target."""
    array = target._array
    flat = array.reshape(-1).view(array.real.dtype) if array.dtype.kind == "c" else array.reshape(-1)
    if not np.shares_memory(flat, array):
        raise ValueError("gradcheck needs contiguous inputs")
    rows: list[list[Any]] = []
    for i in range(flat.size):
        kept = flat[i]
        flat[i] = kept + eps
        above = [y._array.copy() for y in function()]
        flat[i] = kept - eps
        below = [y._array.copy() for y in function()]
        flat[i] = kept
        rows.append([((a - b) / (2 * eps)).reshape(-1) for a, b in zip(above, below)])
    return [np.array([row[k] for row in rows]) for k in range(len(rows[0]))] if rows else []


def gradcheck(
    func: Callable[..., Any], inputs: Any, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, **_: Any,
) -> bool:  # fmt: skip
    """Whether the derivatives of a function agree with finite differences, for inputs in double precision.

    Raises GradcheckError where they do not (or returns False with `raise_exception=False`).
    """
    given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    targets = _differentiable(given)
    if not targets:
        raise ValueError("gradcheck expects at least one input tensor to require gradient")

    def run() -> list[Tensor]:
        from linstock.runtime.modes import no_grad

        with no_grad():
            return [y for y in _listed(func(*given)) if y.dtype.is_floating_point or y.dtype.is_complex]

    outputs = [y for y in _listed(func(*given)) if y.dtype.is_floating_point or y.dtype.is_complex]
    for n, target in enumerate(targets):
        slopes = _slopes(run, target, eps)
        for k, y in enumerate(outputs):
            if not y.requires_grad:
                continue
            found = _analytic(y, target)
            expected = slopes[k] if slopes else found
            if not np.allclose(found, expected, rtol, atol):
                where = f"Jacobian mismatch for output {k} with respect to input {n}"
                message = f"{where},\nnumerical:{expected}\nanalytical:{found}\n"
                if raise_exception:
                    raise GradcheckError(message)
                return False
    return True


def _analytic(y: Tensor, target: Tensor) -> Any:
    """The matrix that `_slopes` approximates, from one backward pass per (real) component of the output."""
    parts = (1.0, 1j) if y._array.dtype.kind == "c" else (1.0,)
    real_rows = target._array.dtype.kind != "c"
    size = target._array.size * (1 if real_rows else 2)
    out = np.zeros((size, y._array.size), y._array.dtype if y._array.dtype.kind == "c" else np.float64)
    for j in range(y._array.size):
        for part in parts:
            seed = np.zeros(y._array.size, y._array.dtype)
            seed[j] = part
            (g,) = autograd.grad(
                [y], [target], [wrap(seed.reshape(y._array.shape))], retain_graph=True, allow_unused=True
            )
            if g is None:
                continue
            flat = np.ascontiguousarray(g._array).reshape(-1)
            column = flat if real_rows else np.stack([flat.real, flat.imag], 1).reshape(-1)
            out[:, j] += column * part
    return out


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Whether second derivatives of a function agree with finite differences of its first ones."""
    given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    outputs = _differentiable(_listed(func(*given)))
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        seeds = [wrap(rng.standard_normal(y._array.shape).astype(y._array.dtype)).requires_grad_() for y in outputs]
    else:
        seeds = list(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else [grad_outputs]
    count = len(given)

    def first(*args: Any) -> Any:
        values = _differentiable(_listed(func(*args[:count])))
        targets = _differentiable(args[:count])
        found = autograd.grad(values, targets, list(args[count:]), create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(_with_gradients(first), [*given, *seeds], **options)


def _with_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    from linstock.runtime.modes import enable_grad

    def run(*args: Any) -> Any:
        with enable_grad():
            return function(*args)

    return run
