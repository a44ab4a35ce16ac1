"""The orders in which passes run. Each pipeline is one function, read from top to bottom, with a reason for every
step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linstock.ir.graph import Graph
from linstock.ir.types import Type
from linstock.passes.common_subexpressions import CommonSubexpressions
from linstock.passes.constant_pooling import ConstantPooling
from linstock.passes.constant_propagation import ConstantPropagation, Evaluator
from linstock.passes.dead_code import DeadCode
from linstock.passes.fold_batch_norm import FoldBatchNorm
from linstock.passes.freeze import Freeze, GetAttribute, ResolveInterfaces
from linstock.passes.inline import Inline
from linstock.passes.loop_unrolling import LoopUnrolling
from linstock.passes.lower_tuples import LowerTuples
from linstock.passes.peephole import Peephole
from linstock.passes.shape_propagation import ShapePropagation


def optimize(graph: Graph, evaluator: Evaluator | None = None) -> None:
    """What an executor does before it makes a plan: exact rewrites only, every step linear in the size of the graph.
    Without an evaluator nothing is computed at compile time."""
    fold = ConstantPropagation(evaluator)
    Inline().run(graph)  # everything below sees whole programs
    LowerTuples().run(graph)  # results of several values are packed by callees and unpacked by callers
    Peephole().run(graph)  # None checks and lists of what was passed to the callee are known now
    fold.run(graph)  # decides conditions that depend on constants
    LowerTuples().run(graph)  # tuples that came out of branches now taken
    if LoopUnrolling().run(graph):  # what depends on the loop variable depends on constants now
        LowerTuples().run(graph)
        Peephole().run(graph)
        fold.run(graph)
    CommonSubexpressions().run(graph)  # the same attributes, sizes and parameters are read again and again
    DeadCode().run(graph)  # what the steps above left unused
    ConstantPooling().run(graph)  # a plan keeps every constant once


def freeze_pipeline(
    methods: Mapping[str, Graph],
    module: Any,
    get_attribute: GetAttribute,
    evaluator: Evaluator,
    preserved: Iterable[str] = (),
    class_of: Callable[[Any], Type | None] | None = None,
    fold: bool = True,
) -> None:
    """Freezes the graphs of a module's methods (copies, which are changed): attributes become constants, then what
    follows from that.

    `preserved` are dotted paths of attributes that stay. With `fold` normalisation is folded into layers, which changes
    rounding.
    """
    graphs = tuple(methods.values())
    kept = frozenset(preserved)
    for graph in graphs:
        Inline().run(graph)  # attributes are read along chains that start at the module
    if class_of is not None:
        for _ in range(8):  # interfaces in what was called through interfaces
            resolve = ResolveInterfaces(module, get_attribute, class_of, graphs)
            refined = [resolve.run(g) for g in graphs]
            if not any(refined):
                break
            for graph in graphs:
                Inline().run(graph)
    for _ in range(3):  # a flag that is frozen removes branches that set other attributes
        freeze = Freeze(module, get_attribute, graphs, kept)
        changed = [freeze.run(g) for g in graphs]
        for graph in graphs:
            optimize(graph, evaluator)
        if not any(changed):
            break
    if not fold:
        return
    for graph in graphs:
        ShapePropagation().run(graph)  # a linear layer is folded only if its rank is known
        if FoldBatchNorm(evaluator).run(graph):
            DeadCode().run(graph)
            ConstantPooling().run(graph)
