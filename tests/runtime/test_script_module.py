"""The Python faces of modules, functions and objects."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import linstock
from linstock.ir import types as T
from linstock.ir.errors import InputError
from linstock.ir.graph import Builder, Graph
from linstock.ir.program import MISSING, Function, Parameter, Signature
from linstock.runtime.module import Module
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import (
    RecursiveScriptModule,
    ScriptClass,
    ScriptFunction,
    ScriptMethod,
    ScriptModule,
    face,
)
from linstock.runtime.tensor import Tensor


def tensor(*values: float) -> Tensor:
    return linstock.tensor(list(values))


def method(cls: T.ClassType, name: str, kinds: dict[str, T.Type], body: Any, **defaults: Any) -> Function:
    graph = Graph(name)
    inputs = [graph.add_input(cls, "self"), *[graph.add_input(t, n) for n, t in kinds.items()]]
    result = body(Builder(graph), *inputs)
    graph.add_output(result)
    parameters = tuple(Parameter(v.name, v.type, defaults.get(v.name, MISSING)) for v in inputs)
    made = Function.of(f"{cls.name}.{name}", Signature(parameters, result.type), graph)
    cls.methods[name] = made
    return made


def get(b: Builder, this: Any, name: str) -> Any:
    return b.value("prim::GetAttr", (this,), this.type.attributes[name], name=name)


def scale_class(name: str = "__torch__.Scale") -> T.ClassType:
    cls = T.ClassType(name, True, {"training": T.BOOL, "weight": T.TENSOR, "steps": T.TENSOR}, {"weight"}, {"steps"})
    method(cls, "forward", {"x": T.TENSOR}, lambda b, this, x: b.op("aten::mul.Tensor", x, get(b, this, "weight")))
    return cls


def scale(weight: float, cls: T.ClassType | None = None) -> ScriptObject:
    slots = {"training": True, "weight": tensor(weight).requires_grad_(), "steps": tensor(0.0)}
    return ScriptObject(cls or scale_class(), slots)


@pytest.fixture
def model() -> RecursiveScriptModule:
    inner = scale_class()
    cls = T.ClassType(
        "__torch__.Net", True,
        {"training": T.BOOL, "first": inner, "second": inner, "names": T.ListType(T.STRING), "rate": T.FLOAT,
         "keys": inner},
    )  # fmt: skip
    cls.constants["version"], cls.constant_types["version"] = 3, T.INT

    def forward(b: Builder, this: Any, x: Any) -> Any:
        for part in ("first", "second"):
            x = b.value("prim::CallMethod", (get(b, this, part), x), T.TENSOR, name="forward")
        return x

    method(cls, "forward", {"x": T.TENSOR}, forward)
    method(cls, "half_of", {"n": T.INT}, lambda b, this, n: b.op("aten::floordiv.int", n, 2), n=10)
    cls.properties["speed"] = T.Property("speed", method(cls, "speed", {}, lambda b, this: get(b, this, "rate")))
    del cls.methods["speed"]
    shared = scale(2.0, inner)
    slots = {
        "training": True,
        "first": shared,
        "second": scale(3.0, inner),
        "names": ["a"],
        "rate": 0.5,
        "keys": shared,
    }
    return face(ScriptObject(cls, slots))


def test_call_forward_and_methods(model: RecursiveScriptModule) -> None:
    assert isinstance(model, ScriptModule) and isinstance(model, Module)
    assert model(tensor(1.0)).tolist() == [6.0] == model.forward(tensor(1.0)).tolist()
    assert model(np.ones(1, np.float32)).tolist() == [6.0]
    assert isinstance(model.forward, ScriptMethod) and model.forward.owner is model
    assert model.half_of() == 5 and model.half_of(n=6) == 3
    assert model.forward.schema == "forward(__torch__.Net self, Tensor x) -> Tensor"
    assert model.graph is model.forward.graph
    assert "half_of" in dir(model) and "first" in dir(model)


def test_attributes_constants_and_properties(model: RecursiveScriptModule) -> None:
    assert model.rate == 0.5 == model.speed and model.version == 3 and model.names == ["a"]
    model.rate = 2
    assert model.rate == 2.0 and type(model.rate) is float
    model.names.append("b")
    assert model.names == ["a"]
    with pytest.raises(InputError, match="attribute 'rate' of 'Net'"):
        model.rate = "fast"
    with pytest.raises(AttributeError, match="constant value: 'version'"):
        model.version = 4
    with pytest.raises(AttributeError, match="property 'speed' of 'Net' has no setter"):
        model.speed = 4.0
    with pytest.raises(AttributeError, match="'RecursiveScriptModule' object has no attribute 'nothing'"):
        model.nothing  # noqa: B018
    model.note = "of the caller"
    assert model.note == "of the caller"


def test_submodules_are_always_the_same_face(model: RecursiveScriptModule) -> None:
    assert model.first is model.first is model.keys
    assert [n for n, _ in model.named_modules()] == ["", "first", "second"]
    assert [n for n, _ in model.named_children()] == ["first", "second"]
    assert model.get_submodule("second") is model.second
    assert repr(model) == (
        "RecursiveScriptModule(\n  original_name=Net\n  (first): RecursiveScriptModule(original_name=Scale)\n"
        "  (second): RecursiveScriptModule(original_name=Scale)\n"
        "  (keys): RecursiveScriptModule(original_name=Scale)\n)"
    )


def test_parameters_buffers_and_state(model: RecursiveScriptModule) -> None:
    assert [n for n, _ in model.named_parameters()] == ["first.weight", "second.weight"]
    assert [n for n, _ in model.named_buffers()] == ["first.steps", "second.steps"]
    state = model.state_dict()
    assert list(state) == [f"{m}.{p}" for m in ("first", "second", "keys") for p in ("weight", "steps")]
    assert not state["first.weight"].requires_grad
    state = {k: v * 10 for k, v in state.items()}
    assert model.load_state_dict(state).missing_keys == []
    assert model(tensor(1.0)).tolist() == [600.0]
    with pytest.raises(RuntimeError, match="Missing key"):
        model.load_state_dict({"first.weight": tensor(1.0)})
    with pytest.raises(RuntimeError, match=r"size mismatch for first\.weight"):
        model.load_state_dict({**state, "first.weight": tensor(1.0, 2.0)})


def test_training_mode_is_the_programs(model: RecursiveScriptModule) -> None:
    assert model.training
    assert model.eval() is model
    assert not model.training and not model.first.training and model._object.slots["training"] is False
    model.train()
    assert model.second.training


def test_conversion_keeps_the_tensors(model: RecursiveScriptModule) -> None:
    weight = model.first.weight
    assert model.double() is model
    assert model.first.weight is weight and weight.dtype is linstock.float64 and weight.requires_grad
    assert model.to(linstock.float32).first.steps.dtype is linstock.float32
    with pytest.raises(TypeError, match="floating point"):
        model.to(linstock.int32)


def test_gradients_reach_the_parameters(model: RecursiveScriptModule) -> None:
    model(tensor(1.0)).sum().backward()
    assert model.first.weight.grad.tolist() == [3.0] and model.second.weight.grad.tolist() == [2.0]
    model.zero_grad()
    assert model.first.weight.grad is None


def test_copies_share_nothing_but_the_class(model: RecursiveScriptModule) -> None:
    other = copy.deepcopy(model)
    assert other.first is other.keys and other.first is not model.first
    with linstock.no_grad():
        other.first.weight.mul_(100)
    assert model(tensor(1.0)).tolist() == [6.0] and other(tensor(1.0)).tolist() == [600.0]
    shallow = copy.copy(model)
    assert shallow is not model and shallow.first is model.first


def test_hooks_of_python(model: RecursiveScriptModule) -> None:
    before = model.register_forward_pre_hook(lambda m, args: (args[0] * 10,))
    after = model.register_forward_hook(lambda m, args, out: out + args[0])
    assert model(tensor(1.0)).tolist() == [70.0]
    assert model.forward(tensor(1.0)).tolist() == [6.0]
    before.remove()
    after.remove()
    assert model(tensor(1.0)).tolist() == [6.0]


def test_hooks_of_the_program() -> None:
    cls = scale_class()
    pair = T.TupleType((T.TENSOR,))

    def pre(b: Builder, this: Any, args: Any) -> Any:
        x = b.value("prim::TupleIndex", (args, b.constant(0)), T.TENSOR)
        return b.value("prim::TupleConstruct", (b.op("aten::add.Scalar", x, 1),), pair)

    method(cls, "pre", {"input": pair}, pre)
    method(cls, "post", {"input": pair, "output": T.TENSOR}, lambda b, this, args, out: b.op("aten::neg", out))
    cls.forward_pre_hooks.append("pre")
    cls.forward_hooks.append("post")
    module = face(scale(2.0, cls))
    assert module(tensor(1.0)).tolist() == [-4.0]
    assert module.forward(tensor(1.0)).tolist() == [2.0]
    module.register_forward_hook(lambda m, args, out: out * 10)
    assert module(tensor(1.0)).tolist() == [-40.0]


def test_a_module_without_forward() -> None:
    module = face(ScriptObject(T.ClassType("__torch__.Empty", True)))
    with pytest.raises(NotImplementedError, match="'Empty' has no forward"):
        module()


@pytest.mark.parametrize("name", ["Sequential", "ModuleList", "ModuleDict"])
def test_containers(name: str) -> None:
    inner = scale_class()
    cls = T.ClassType(f"__torch__.torch.nn.modules.container.{name}", True, {"0": inner, "b": inner})
    module = face(ScriptObject(cls, {"0": scale(1.0, inner), "b": scale(2.0, inner)}))
    assert len(module) == 2 and module["b"].weight.tolist() == [2.0] and bool(module)
    if name == "ModuleDict":
        assert list(module) == list(module.keys()) == ["0", "b"] and "b" in module and "c" not in module
        assert [k for k, _ in module.items()] == ["0", "b"] and len(list(module.values())) == 2
    else:
        assert (
            [m.weight.tolist() for m in module] == [[1.0], [2.0]]
            and module[-1] is module["b"]
            and module["b"] in module
        )
        with pytest.raises(AttributeError):
            module.keys()


def test_what_is_no_container_says_so(model: RecursiveScriptModule) -> None:
    for use in (len, iter, lambda m: m[0], lambda m: 1 in m):
        with pytest.raises(TypeError, match="'Net'"):
            use(model)
    assert model
    assert model.keys is model.first


def test_objects_of_other_classes() -> None:
    cls = T.ClassType("__torch__.Count", False, {"n": T.INT})
    method(cls, "__len__", {}, lambda b, this: get(b, this, "n"))
    method(cls, "__add__", {"k": T.INT}, lambda b, this, k: b.op("aten::add.int", get(b, this, "n"), k))
    method(cls, "__eq__", {"k": T.INT}, lambda b, this, k: b.op("aten::eq.int", get(b, this, "n"), k))
    thing = face(ScriptObject(cls, {"n": 3}))
    assert isinstance(thing, ScriptClass)
    assert len(thing) == 3 and thing + 4 == 7 and thing == 3 and thing != 4 and thing.n == 3
    thing.n = 0
    assert not thing
    with pytest.raises(TypeError):
        thing * 2
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        thing.other  # noqa: B018


def test_objects_pass_through_calls_unchanged() -> None:
    cls = T.ClassType("__torch__.Thing", False, {"n": T.INT})
    graph = Graph("f")
    x = graph.add_input(cls, "x")
    graph.add_output(Builder(graph).value("prim::TupleConstruct", (x, x), T.TupleType((cls, cls))))
    f = ScriptFunction(Function.of("__torch__.f", Signature((Parameter("x", cls),), graph.outputs[0].type), graph))
    thing = face(ScriptObject(cls, {"n": 1}))
    assert f(thing) == (thing, thing)
    with pytest.raises(
        InputError, match=r"Expected a value of type '__torch__\.Thing' for argument 'x' but instead found type 'int'"
    ):
        f(1)
    assert f.name == "f" and f.qualified_name == "__torch__.f"
    assert f.schema == "f(__torch__.Thing x) -> (__torch__.Thing, __torch__.Thing)"
