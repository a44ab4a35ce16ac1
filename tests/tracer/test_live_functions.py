"""Library functions that choose among operators: the same results in Python and scripted."""

from __future__ import annotations

import numpy as np
import pytest

import linstock

CALLS = [
    "norm(x)",
    "norm(x, dim=1)",
    "norm(x, 1, [0, 1], True)",
    "norm(x, p='fro', dim=0, keepdim=True)",
    "norm(x, p='nuc')",
    "norm(x, p=3.0, dim=1, dtype=torch.float64)",
    "split(x, 2)",
    "split(x, [1, 2], dim=0)",
    "split(x, (3, 1), 1)",
    "tensordot(x, x, dims=2)",
    "tensordot(x, x, dims=([0], [0]))",
    "unique(x)",
    "unique(x, return_inverse=True, return_counts=True)",
    "unique(x, dim=0)",
    "unique_consecutive(x, return_counts=True)",
    "linalg.norm(x)",
]


@pytest.mark.parametrize("call", CALLS)
def test_like_python(call: str) -> None:
    x = linstock.tensor([[1.0, 2.0, 2.0, 3.0], [1.0, 1.0, 5.0, 5.0], [1.0, 2.0, 2.0, 3.0]])
    wanted = eval(f"torch.{call}", {"torch": linstock, "x": x})
    found = linstock.jit.CompilationUnit(f"def f(x: Tensor):\n    return torch.{call}\n").f(x)
    pairs = zip(*[v if isinstance(v, (tuple, list)) else [v] for v in (found, wanted)], strict=True)
    for a, b in pairs:
        assert a.dtype is b.dtype
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("norm(x, p='max')", "p must be a number"),
        ("unique(x, sort=True)", "unexpected keyword argument 'sort'"),
        ("unique(x, True, bool(x.sum() > 0))", "'return_inverse' must be a constant"),
        ("split(x, 1, 0, 0)", "takes 3 positional arguments but 4"),
    ],
)
def test_errors(call: str, message: str) -> None:
    with pytest.raises(linstock.jit.CompileError, match=message):
        linstock.jit.CompilationUnit(f"def f(x: Tensor):\n    return torch.{call}\n").f(linstock.ones(2, 2))
