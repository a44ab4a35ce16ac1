"""Ways to script besides functions and modules: written ScriptModules, text, scripted parts inside others, marks."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest

import linstock as torch
from linstock import jit, nn
from tests.tracer.harness import difference, saved

Tensor = torch.Tensor


class Written(jit.ScriptModule):
    __constants__ = ["scale"]

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((n,), 2.0))
        self.layer = nn.Linear(n, n)
        self.scale = 3
        self.count = jit.Attribute(0, int)
        self.table = jit.Attribute({}, dict[str, int])

    @jit.script_method
    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return self.helper(x) + self.layer(x)

    @jit.script_method
    def helper(self, x):
        # type: (Tensor) -> Tensor
        return x * self.weight * self.scale


def test_written_script_module() -> None:
    m = Written(2)
    x = torch.ones(2)
    expected = x * m.weight * 3 + m.layer(x)
    assert isinstance(m, jit.ScriptModule) and isinstance(m.forward, jit.ScriptMethod)
    assert difference(expected.detach(), m(x)) is None
    assert difference(expected.detach(), m.forward(x)) is None
    assert difference((x * m.weight * 3).detach(), m.helper(x)) is None
    assert m.count == 2
    assert sorted(m.state_dict()) == ["layer.bias", "layer.weight", "weight"]
    assert "self.count" in m.code
    loaded = jit.load(saved(m))
    assert difference(m(x), loaded(x)) is None
    twin = copy.deepcopy(m)
    twin.weight = nn.Parameter(torch.zeros(2))
    assert difference(m.layer(x), twin(x)) is None
    assert difference(expected.detach(), m(x)) is None


class Derived(Written):
    def __init__(self) -> None:
        super().__init__(2)
        self.more = nn.Parameter(torch.ones(2))

    @jit.script_method
    def forward(self, x: Tensor) -> Tensor:
        return self.helper(x) + self.more


def test_derived_from_a_written_module() -> None:
    m = Derived()
    assert difference(torch.full((2,), 7.0), m(torch.ones(2))) is None


class Holder(nn.Module):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + 1


def test_scripted_modules_inside_others() -> None:
    x = torch.ones(2)
    for inner in (Written(2), jit.script(nn.Linear(2, 2)), jit.load(saved(jit.script(nn.Linear(2, 2))))):
        m = jit.script(Holder(inner))
        assert difference(inner(x) + 1, m(x)) is None
        assert m.inner is inner
        assert difference(m(x), jit.load(saved(m))(x)) is None


class Defined(jit.ScriptModule):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), 2.0))
        self.define(
            """
            def forward(self, x: Tensor, n: int = 2) -> Tensor:
                return self.helper(x) * n
            def helper(self, x):
                return torch.relu(x) + self.weight
            """
        )


def test_methods_as_text() -> None:
    m = Defined()
    assert difference(torch.full((2,), 6.0), m(torch.ones(2))) is None
    assert difference(torch.full((2,), 9.0), m(torch.ones(2), n=3)) is None
    m.define("def other(self, x):\n  return self.forward(x, 1)")
    assert difference(torch.full((2,), 3.0), m.other(torch.ones(2))) is None
    with pytest.raises(jit.CompileError, match="undefined value 'y'"):
        m.define("def wrong(self, x):\n  return y")


def test_compilation_unit() -> None:
    unit = jit.CompilationUnit(
        """
        def first(x, n: int):
            return second(x) * n
        def second(x):
            # type: (Tensor) -> Tensor
            return x + math.pi
        """
    )
    assert difference(torch.full((2,), (1 + 3.14159265) * 2), unit.first(torch.ones(2), 2)) is None
    with pytest.raises(AttributeError, match="third"):
        unit.third  # noqa: B018
    with pytest.raises(jit.CompileError, match="not Python"):
        jit.CompilationUnit("def f(x:")


# -- marks -------------------------------------------------------------------------------------------------------------
class Marked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    @jit.ignore
    def python(self, x: Tensor, n: int) -> Tensor:
        return torch.tensor([float(v) * n for v in x])

    @jit.unused
    def never(self, x: Tensor) -> Tensor:
        return undefined(x)  # type: ignore[name-defined]  # noqa: F821

    @jit.export
    def exported(self, x: Tensor) -> Tensor:
        return x + 10

    def plain(self, x: Tensor) -> Tensor:
        return x

    def forward(self, x: Tensor, skip: bool = True) -> Tensor:
        if not skip:
            return self.never(x)
        return self.python(x, 2) + 1


def test_ignored_unused_exported() -> None:
    m = jit.script(Marked())
    assert difference(torch.tensor([3.0, 5.0]), m(torch.tensor([1.0, 2.0]))) is None
    with pytest.raises(NotImplementedError, match="never"):
        m(torch.ones(2), False)
    assert difference(torch.full((2,), 11.0), m.exported(torch.ones(2))) is None
    assert not hasattr(m, "plain")
    with pytest.raises(torch.LinstockError, match="python.*ignored"):
        saved(m)
    assert "python" in m.code  # shown, though it cannot be saved


@jit.ignore
def outside(x: Tensor) -> tuple[Tensor, int]:
    return x * 3, 4


@jit.ignore(drop=True)
def dropped(x: Tensor) -> None:
    raise RuntimeError


def calls_outside(x: Tensor) -> Tensor:
    y, n = outside(x)
    return y + n


def calls_dropped(x: Tensor, flag: bool) -> Tensor:
    if flag:
        dropped(x)
    return x


def test_ignored_functions() -> None:
    assert difference(torch.full((2,), 7.0), jit.script(calls_outside)(torch.ones(2))) is None
    f = jit.script(calls_dropped)
    assert difference(torch.ones(2), f(torch.ones(2), False)) is None
    with pytest.raises(NotImplementedError):
        f(torch.ones(2), True)
    assert difference(torch.ones(2), jit.load(saved(f))(torch.ones(2), False)) is None


def only_called_when_tracing(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = x + 1
    return x


def test_script_if_tracing() -> None:
    f = jit.script_if_tracing(only_called_when_tracing)
    assert difference(torch.full((2,), 4.0), f(torch.ones(2), 3)) is None


def test_scripting_twice_gives_the_same() -> None:
    f = jit.script(calls_outside)
    assert jit.script(f) is f
    m = jit.script(nn.Linear(2, 2))
    assert jit.script(m) is m


def test_instances_share_a_class() -> None:
    a, b, c = jit.script(nn.Linear(2, 2)), jit.script(nn.Linear(2, 2)), jit.script(nn.Linear(2, 3))
    assert a._object.type is b._object.type
    assert a._object.type is not c._object.type


def test_parameters_are_shared_with_the_original() -> None:
    layer = nn.Linear(2, 2)
    m = jit.script(layer)
    with torch.no_grad():
        layer.weight.fill_(0.0)
        layer.bias.fill_(5.0)
    assert difference(torch.full((2,), 5.0), m(torch.ones(2))) is None


# -- interfaces --------------------------------------------------------------------------------------------------------
@jit.interface
class Step(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class AddOne(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1


class WithScale(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = 3

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor


class Steps(nn.Module):
    step: Step

    def __init__(self) -> None:
        super().__init__()
        self.step = AddOne()
        self.others = nn.ModuleList([AddOne(), WithScale()])

    def forward(self, x: Tensor, i: int) -> Tensor:
        chosen: Step = self.others[i]
        return self.step(chosen.forward(x))


def test_module_interfaces_can_be_replaced() -> None:
    m = jit.script(Steps())
    x = torch.ones(2)
    assert difference(torch.full((2,), 3.0), m(x, 0)) is None
    assert difference(torch.full((2,), 4.0), m(x, 1)) is None
    m.step = jit.script(WithScale())
    assert difference(torch.full((2,), 9.0), m(x, 1)) is None
    loaded = jit.load(saved(m))
    assert difference(torch.full((2,), 9.0), loaded(x, 1)) is None


class NotAStep(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x + y


class WrongStep(Steps):
    def __init__(self) -> None:
        super().__init__()
        self.step = NotAStep()


def test_module_that_lacks_an_interface() -> None:
    with pytest.raises(jit.CompileError, match="declared as the interface 'Step', but 'NotAStep'"):
        jit.script(WrongStep())


# -- code and graph ----------------------------------------------------------------------------------------------------
def shown(x: Tensor, n: int) -> Tensor:
    total = x
    for i in range(n):
        if i > 1:
            total = total + i
        else:
            total = total * 2
    return total


def test_code_reads_well() -> None:
    code = jit.script(shown).code
    assert code == (
        "def shown(x: Tensor,\n"
        "    n: int) -> Tensor:\n"
        "  total = x\n"
        "  for i in range(n):\n"
        "    if torch.gt(i, 1):\n"
        "      total0 = torch.add(total, i)\n"
        "    else:\n"
        "      total0 = torch.mul(total, 2)\n"
        "    total = total0\n"
        "  return total\n"
    )


def test_graph_and_schema() -> None:
    f = jit.script(shown)
    assert "prim::Loop" in str(f.graph) and "aten::add" in str(f.graph)
    assert str(f.schema) == "shown(Tensor x, int n) -> Tensor"
    assert f.name == "shown" and f.qualified_name.endswith(".shown")


class Optionals(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        return x


def test_attributes_keep_their_declared_type() -> None:
    m = jit.script(Optionals())
    m.a = torch.ones(2)
    assert m.a is not None
    with pytest.raises(RuntimeError, match="expected a value of type 'Optional.Tensor.'"):
        m.a = "text"
    buffer = io.BytesIO()
    jit.save(m, buffer)
