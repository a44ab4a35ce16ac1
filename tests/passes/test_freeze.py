"""Attributes as constants; batch normalisation folded into layers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import linstock
from linstock.ir import types as T
from linstock.ir.graph import Graph
from linstock.ir.parser import parse_graph
from linstock.ir.verifier import verify
from linstock.passes.fold_batch_norm import FoldBatchNorm
from linstock.passes.freeze import Freeze, ResolveInterfaces
from linstock.passes.pipelines import freeze_pipeline
from tests.passes.checks import evaluator, graph_of, kinds
from tests.passes.interpreter import Interpreter

SUB = T.ClassType("__torch__.Sub", True, {"w": T.TENSOR, "n": T.INT, "flag": T.BOOL})
TOP = T.ClassType(
    "__torch__.Top",
    True,
    {"sub": SUB, "w": T.TENSOR, "items": T.ListType(T.INT), "count": T.INT, "maybe": T.OptionalType(T.TENSOR)},
)
CLASSES: dict[str, T.Type] = {"__torch__.Sub": SUB, "__torch__.Top": TOP}


def module() -> Any:
    tensor = linstock.from_numpy(np.ones(2, np.float32))
    other = linstock.from_numpy(np.ones(2, np.float32))
    sub = SimpleNamespace(type=SUB, w=tensor, n=3, flag=False)
    return SimpleNamespace(type=TOP, sub=sub, w=other, items=[1, 2], count=0, maybe=None)


def graph(body: str) -> Graph:
    made = parse_graph(f"graph(%self : __torch__.Top, %x : Tensor):\n{body}", CLASSES)
    verify(made)
    return made


def left(g: Graph) -> list[str]:
    return [n.attributes["name"] for n in g.walk() if n.kind == "prim::GetAttr" and n.outputs[0].uses]


def frozen(g: Graph, *others: Graph, preserved: tuple[str, ...] = (), thing: Any = None) -> Graph:
    thing = thing or module()
    Freeze(thing, getattr, (g, *others), frozenset(preserved)).run(g)
    verify(g)
    return g


def test_attributes_become_constants_also_of_submodules() -> None:
    g = graph(
        """  %sub : __torch__.Sub = prim::GetAttr[name="sub"](%self)
  %w : Tensor = prim::GetAttr[name="w"](%sub)
  %n : int = prim::GetAttr[name="n"](%sub)
  %m : Tensor? = prim::GetAttr[name="maybe"](%self)
  %none : NoneType = prim::Constant()
  %b : bool = aten::__is__(%m, %none)
  %y : Tensor = aten::add(%x, %w, %n)
  return (%y)
"""
    )
    frozen(g)
    assert left(g) == []
    values = [n.attributes["value"] for n in g.walk() if n.kind == "prim::Constant"]
    assert any(isinstance(v, int) and v == 3 for v in values) and any(isinstance(v, linstock.Tensor) for v in values)


SETTERS = {
    "set": '  %c : int = prim::Constant[value=1]()\n   = prim::SetAttr[name="count"](%self, %c)\n  return (%x)\n',
    "tensor written in place": (
        '  %w : Tensor = prim::GetAttr[name="w"](%self)\n  %v : Tensor = aten::t(%w)\n  %z : Tensor = aten::relu_(%v)\n  return (%x)\n'
    ),
    "list appended to": (
        '  %l : int[] = prim::GetAttr[name="items"](%self)\n  %c : int = prim::Constant[value=1]()\n'
        "  %m : int[] = aten::append(%l, %c)\n  return (%x)\n"
    ),
}
READ = {"set": ("count", "int"), "tensor written in place": ("w", "Tensor"), "list appended to": ("items", "int[]")}


@pytest.mark.parametrize("case", SETTERS)
def test_what_any_method_changes_stays(case: str) -> None:
    name, kind = READ[case]
    text = f'  %a : {kind} = prim::GetAttr[name="{name}"](%self)\n   = prim::Print(%a)\n  return (%x)\n'
    assert left(frozen(graph(text))) == []
    assert left(frozen(graph(text), graph(SETTERS[case]))) == [name]


def test_a_tensor_that_shares_memory_with_a_changed_one_stays() -> None:
    thing = module()
    thing.sub.w = thing.w
    text = '  %s : __torch__.Sub = prim::GetAttr[name="sub"](%self)\n  %a : Tensor = prim::GetAttr[name="w"](%s)\n   = prim::Print(%a)\n  return (%x)\n'
    assert left(frozen(graph(text), graph(SETTERS["tensor written in place"]), thing=thing)) == ["sub", "w"]


def test_preserved_paths_stay() -> None:
    text = """  %sub : __torch__.Sub = prim::GetAttr[name="sub"](%self)
  %n : int = prim::GetAttr[name="n"](%sub)
  %f : bool = prim::GetAttr[name="flag"](%sub)
  %c : int = prim::GetAttr[name="count"](%self)
   = prim::Print(%n, %f, %c)
  return (%x)
"""
    assert left(frozen(graph(text), preserved=("count", "sub.n"))) == ["sub", "n", "count"]
    assert left(frozen(graph(text), preserved=("sub",))) == ["sub", "n", "flag"]


def test_a_list_that_gets_out_stays() -> None:
    assert left(frozen(graph('  %l : int[] = prim::GetAttr[name="items"](%self)\n  return (%l)\n'))) == ["items"]


def test_interfaces_get_the_class_that_is_there() -> None:
    interface = T.InterfaceType("__torch__.I", True)
    top = T.ClassType("__torch__.T", True, {"sub": interface})
    classes: dict[str, T.Type] = {"__torch__.I": interface, "__torch__.T": top}
    g = parse_graph(
        'graph(%self : __torch__.T):\n  %s : __torch__.I = prim::GetAttr[name="sub"](%self)\n  return (%s)\n', classes
    )
    thing = SimpleNamespace(type=top, sub=SimpleNamespace(type=SUB))
    assert ResolveInterfaces(thing, getattr, lambda o: o.type, (g,)).run(g)
    assert g.outputs[0].type is SUB


def test_the_pipeline_prunes_by_flags_first() -> None:
    g = graph(
        """  %sub : __torch__.Sub = prim::GetAttr[name="sub"](%self)
  %f : bool = prim::GetAttr[name="flag"](%sub)
   = prim::If(%f)
    block0():
      %c : int = prim::GetAttr[name="count"](%self)
      %d : int = aten::add(%c, %c)
       = prim::SetAttr[name="count"](%self, %d)
      -> ()
    block1():
      -> ()
  %n : int = prim::GetAttr[name="count"](%self)
  %y : Tensor = aten::add(%x, %n, %n)
  return (%y)
"""
    )
    freeze_pipeline({"forward": g}, module(), getattr, evaluator)
    verify(g)
    assert kinds(g) == ["aten::add.Scalar"]


# -- batch normalisation -----------------------------------------------------------------------------
LAYERS = {
    "conv1d": ((4, 2, 3), "aten::conv1d(%x, %w, %b, %one, %zero, %one, %groups)", (1, 4, 5), 2),
    "conv2d": ((4, 2, 3, 3), "aten::conv2d(%x, %w, %b, %one, %zero, %one, %groups)", (1, 4, 5, 5), 2),
    "conv_transpose2d": (
        (4, 3, 2, 2),
        "aten::conv_transpose2d(%x, %w, %b, %one, %zero, %zero, %groups, %one)",
        (1, 4, 4, 4),
        2,
    ),
    "linear": ((4, 3), "aten::linear(%x, %w, %b)", (2, 3), 1),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_folding_keeps_the_function(name: str, bias: bool) -> None:
    shape, call, size, groups = LAYERS[name]
    random = np.random.default_rng(0)
    channels = shape[1] * groups if "transpose" in name else shape[0]

    def tensor(*sizes: int) -> linstock.Tensor:
        return linstock.from_numpy(random.uniform(0.5, 1.5, sizes).astype(np.float32))

    table = [tensor(*shape), tensor(channels) if bias else None, *(tensor(channels) for _ in range(4))]
    b = "%b : Tensor = prim::Constant[value=CONSTANTS.c1]()" if bias else "%b : NoneType = prim::Constant()"
    dims = 1 if "1d" in name else 2
    text = f"""graph(%x : Tensor({", ".join(map(str, size))})):
  %w : Tensor = prim::Constant[value=CONSTANTS.c0]()
  {b}
  %gamma : Tensor = prim::Constant[value=CONSTANTS.c2]()
  %beta : Tensor = prim::Constant[value=CONSTANTS.c3]()
  %mean : Tensor = prim::Constant[value=CONSTANTS.c4]()
  %var : Tensor = prim::Constant[value=CONSTANTS.c5]()
  %one : int[] = prim::Constant[value={[1] * dims}]()
  %zero : int[] = prim::Constant[value={[0] * dims}]()
  %groups : int = prim::Constant[value={groups}]()
  %f : bool = prim::Constant[value=0]()
  %eps : float = prim::Constant[value=1e-05]()
  %y : Tensor = {call}
  %z : Tensor = aten::batch_norm(%y, %gamma, %beta, %mean, %var, %f, %eps, %eps, %f)
  return (%z)
"""
    g = parse_graph(text, constants=table)
    x = tensor(*size)
    expected = Interpreter().run(g, [x])
    assert FoldBatchNorm(evaluator).run(g)
    verify(g)
    assert "aten::batch_norm" not in kinds(g)
    np.testing.assert_allclose(Interpreter().run(g, [x]).numpy(), expected.numpy(), rtol=2e-5, atol=1e-6)


def test_a_layer_whose_result_is_used_elsewhere_is_not_folded() -> None:
    g = graph_of(
        """graph(%x : Tensor(2, 3)):
  %w : Tensor = prim::Constant[value=tensor(Float, [1, 3], [1., 2., 3.])]()
  %m : Tensor = prim::Constant[value=tensor(Float, [1], [1.])]()
  %n : NoneType = prim::Constant()
  %f : bool = prim::Constant[value=0]()
  %e : float = prim::Constant[value=0.1]()
  %y : Tensor = aten::linear(%x, %w, %n)
  %z : Tensor = aten::batch_norm(%y, %m, %m, %m, %m, %f, %e, %e, %f)
  %r : Tensor = aten::mul(%y, %z)
  return (%r)
"""
    )
    assert not FoldBatchNorm(evaluator).run(g)
