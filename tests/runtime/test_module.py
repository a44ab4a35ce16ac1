"""Modules: registration, walks, state dicts, hooks, conversions, text."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import linstock as ls
from linstock.runtime.module import Module
from linstock.runtime.tensor import Parameter


class Scale(Module):
    """Multiplies by a parameter and counts its calls in a buffer."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.weight = Parameter(ls.ones(n))
        self.register_buffer("calls", ls.tensor(0))
        self.register_buffer("scratch", ls.zeros(1), persistent=False)

    def forward(self, x: Any, plus: float = 0) -> Any:
        self.calls += 1
        return x * self.weight + plus

    def extra_repr(self) -> str:
        return f"n={self.weight.shape[0]}"


class Pair(Module):
    """Two scales in a row."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Scale(3)
        self.second = Scale(3)

    def forward(self, x: Any) -> Any:
        return self.second(self.first(x))


def test_attributes_are_registered_by_kind() -> None:
    m = Pair()
    assert [n for n, _ in m.named_parameters()] == ["first.weight", "second.weight"]
    assert [n for n, _ in m.named_buffers()] == ["first.calls", "first.scratch", "second.calls", "second.scratch"]
    assert [n for n, _ in m.named_modules()] == ["", "first", "second"]
    assert list(m.state_dict()) == ["first.weight", "first.calls", "second.weight", "second.calls"]
    assert m.get_parameter("first.weight") is m.first.weight and m.get_submodule("second") is m.second
    m.second = m.first
    assert len(list(m.parameters())) == 1
    del m.second
    assert not hasattr(m, "second")


def test_wrong_assignments_are_refused() -> None:
    m = Scale(2)
    with pytest.raises(TypeError, match=r"cannot assign .* as parameter 'weight'"):
        m.weight = ls.ones(2)
    with pytest.raises(TypeError, match="as buffer 'calls'"):
        m.calls = 3
    with pytest.raises(KeyError, match="t contain"):
        m.register_buffer("a.b", None)
    with pytest.raises(KeyError, match="already exists"):
        m.register_parameter("calls", None)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        m.nothing  # noqa: B018

    class Early(Module):
        def __init__(self) -> None:
            self.weight = Parameter(ls.ones(1))

    with pytest.raises(AttributeError, match=r"before Module\.__init__"):
        Early()
    with pytest.raises(NotImplementedError, match="forward"):
        Module()(1)


def test_state_dicts_load_and_complain() -> None:
    m, other = Pair(), Pair()
    with ls.no_grad():
        other.first.weight.fill_(5)
    assert str(m.load_state_dict(other.state_dict())) == "<All keys matched successfully>"
    assert m.first.weight.tolist() == [5, 5, 5] and m.first.weight is not other.first.weight
    state = other.state_dict()
    del state["second.weight"]
    state["extra"] = ls.ones(1)
    state["first.weight"] = ls.ones(4)
    with pytest.raises(RuntimeError) as caught:
        m.load_state_dict(state)
    text = str(caught.value)
    assert (
        'Missing key(s) in state_dict: "second.weight"' in text and 'Unexpected key(s) in state_dict: "extra"' in text
    )
    assert "size mismatch for first.weight" in text
    state["first.weight"] = ls.ones(3)
    keys = m.load_state_dict(state, strict=False)
    assert keys.missing_keys == ["second.weight"] and keys.unexpected_keys == ["extra"]
    assert m.load_state_dict(other.state_dict(), assign=True)
    assert m.first.weight.data_ptr() == other.first.weight.data_ptr() and isinstance(m.first.weight, Parameter)


def test_forward_hooks_see_and_change() -> None:
    m = Scale(2)
    x = ls.ones(2)
    with m.register_forward_pre_hook(lambda mod, args: (args[0] * 2,)):
        assert m(x).tolist() == [2, 2]
    handle = m.register_forward_hook(lambda mod, args, kwargs, out: out + kwargs["plus"], with_kwargs=True)
    assert m(x, plus=1).tolist() == [3, 3]
    handle.remove()
    handle.remove()
    assert m(x).tolist() == [1, 1]
    order: list[int] = []
    m.register_forward_hook(lambda *_: order.append(1))
    m.register_forward_hook(lambda *_: order.append(2), prepend=True)
    m(x)
    assert order == [2, 1]


def test_full_backward_hooks_see_gradients() -> None:
    m = Scale(2)
    seen: list[Any] = []
    m.register_full_backward_hook(lambda mod, gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
    x = ls.ones(2, requires_grad=True)
    (m(x) * 3).sum().backward()
    assert seen == [([3, 3], [3, 3])] and x.grad.tolist() == [3, 3]


def test_conversions_and_switches() -> None:
    m = Pair()
    assert m.double() is m and m.first.weight.dtype is ls.float64 and m.first.calls.dtype is ls.int64
    assert m.to(ls.float16).first.weight.dtype is ls.float16
    assert isinstance(m.first.weight, Parameter) and m.first.weight.is_leaf
    m.float().eval()
    assert not m.training and not m.second.training
    assert not any(p.requires_grad for p in m.requires_grad_(False).parameters())
    m.requires_grad_()
    m(ls.ones(3)).sum().backward()
    assert m.first.weight.grad is not None
    m.zero_grad()
    assert m.first.weight.grad is None
    with pytest.raises(TypeError, match="floating point"):
        m.to(ls.int64)
    visited: list[str] = []
    m.apply(lambda mod: visited.append(type(mod).__name__))
    assert visited == ["Scale", "Scale", "Pair"]


def test_copies_are_independent() -> None:
    m = Pair()
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        with ls.no_grad():
            other.first.weight.zero_()
        assert m.first.weight.tolist() == [1, 1, 1] and other.second(ls.ones(3)).tolist() == [1, 1, 1]


def test_text() -> None:
    assert repr(Scale(2)) == "Scale(n=2)"
    assert repr(Pair()) == "Pair(\n  (first): Scale(n=3)\n  (second): Scale(n=3)\n)"
