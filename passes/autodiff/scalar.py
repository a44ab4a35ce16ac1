"""Derivatives of the scalar family: the one operator of it that may be given a tensor."""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.registry import derivative


@derivative("prim::abs")
def _abs(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (lambda: grads[0] * ops.sgn(args[0]),)
