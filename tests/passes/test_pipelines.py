"""Random programs give the same results, memory sharing and effects before and after every pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linstock
from linstock.ir.graph import Graph
from linstock.ir.parser import parse_graph
from linstock.ir.printer import constants_of, print_graph
from linstock.ir.verifier import verify
from linstock.passes.common_subexpressions import CommonSubexpressions
from linstock.passes.constant_pooling import ConstantPooling
from linstock.passes.constant_propagation import ConstantPropagation
from linstock.passes.dead_code import DeadCode
from linstock.passes.loop_unrolling import LoopUnrolling
from linstock.passes.lower_tuples import LowerTuples
from linstock.passes.peephole import Peephole
from linstock.passes.pipelines import optimize
from tests.passes.checks import evaluator, graph_of, kinds
from tests.passes.interpreter import Interpreter
from tests.passes.random_graphs import RandomProgram

PASSES = [
    CommonSubexpressions(), ConstantPooling(), ConstantPropagation(evaluator), DeadCode(), LoopUnrolling(),
    LowerTuples(), Peephole(),
]  # fmt: skip


def inputs(case: int) -> list[Any]:
    """Two tensors (the same one, a view of it, or another) and a number."""
    random = np.random.default_rng(case)
    a, b = (linstock.from_numpy(random.standard_normal((2, 2)).astype(np.float32)) for _ in range(2))
    return [a, a if case == 0 else a.t() if case == 3 else b, case]


def outcome(graph: Graph, case: int) -> list[Any] | None:
    """Results, what became of the inputs, and which of them share memory; None if it raised."""
    arguments = inputs(case)
    try:
        results = Interpreter().run(graph, arguments)
    except RuntimeError:
        return None
    tensors = [x for x in (*results, *arguments) if isinstance(x, linstock.Tensor)]
    shared = [bool(np.shares_memory(p.numpy(), q.numpy())) for p in tensors for q in tensors]
    return [*(x.numpy().tolist() for x in tensors), results[-1], shared]


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    graph = graph_of(RandomProgram(seed).text)
    expected = [outcome(graph, case) for case in range(4)]
    for run in (*(p.run for p in PASSES), lambda g: optimize(g, evaluator)):
        changed = graph.copy()
        run(changed)
        verify(changed)
        text = print_graph(changed)
        assert print_graph(parse_graph(text, constants=constants_of(changed))) == text
        for case, wanted in enumerate(expected):
            if wanted is not None:
                assert outcome(changed, case) == wanted, text


def test_optimize_reads_well() -> None:
    graph = graph_of(
        """graph(%x : Tensor, %o : Tensor?):
  %none : NoneType = prim::Constant()
  %two : int = prim::Constant[value=2]()
  %true : bool = prim::Constant[value=1]()
  %is : bool = aten::__isnot__(%x, %none)
  %y : Tensor = prim::If(%is)
    block0():
      %p : Tensor = aten::relu(%x)
      -> (%p)
    block1():
       = prim::RaiseException(%m, %none)
      -> (%x)
  %l : Tensor[] = prim::ListConstruct()
  %z : Tensor = prim::Loop(%two, %true, %y)
    block0(%i : int, %k : Tensor):
      %q : Tensor = aten::relu(%x)
      %j : Tensor = aten::add(%k, %q, %i)
      -> (%true, %j)
  return (%z)
""".replace("  %two", '  %m : str = prim::Constant[value="no"]()\n  %two')
    )
    optimize(graph, evaluator)
    verify(graph)
    assert kinds(graph) == ["aten::relu", "aten::add.Tensor", "aten::add.Tensor"]
