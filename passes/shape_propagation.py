"""Finds out what is known of tensors before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

from linstock.ir.graph import Graph


@dataclass(frozen=True)
class ShapePropagation:
    """Refines types."""

    name = "shape_propagation"

    def run(self, graph: Graph) -> bool:
        """Refine."""
        return False
