"""The orders in which passes run. Each pipeline is one function, read from top to bottom, with a reason for every step."""

from __future__ import annotations

from linstock.ir.graph import Graph
from linstock.passes.common_subexpressions import CommonSubexpressions
from linstock.passes.constant_pooling import ConstantPooling
from linstock.passes.constant_propagation import ConstantPropagation, Evaluator
from linstock.passes.dead_code import DeadCode
from linstock.passes.inline import Inline
from linstock.passes.loop_unrolling import LoopUnrolling
from linstock.passes.lower_tuples import LowerTuples
from linstock.passes.peephole import Peephole


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
