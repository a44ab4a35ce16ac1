"""Containers of modules and parameters, in Python and scripted."""

from __future__ import annotations

from collections import OrderedDict

import pytest

import linstock
from linstock import nn
from tests.nn.test_layers import check

X = linstock.ones(2, 3)


def test_sequential() -> None:
    a, b, c = nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3)
    net = nn.Sequential(a, b, c)
    assert len(net) == 3 and net[0] is a and net[-1] is c and list(net) == [a, b, c]
    check(net(X), c(b(a(X))))
    assert list(net[1:]) == [b, c] and list(net[:2].state_dict()) == ["0.weight", "0.bias"]
    named = nn.Sequential(OrderedDict(first=a, second=c))
    assert (
        list(named.state_dict()) == ["first.weight", "first.bias", "second.weight", "second.bias"] and named.second is c
    )
    net.append(b).insert(0, b)
    assert [type(m) for m in net] == [nn.ReLU, nn.Linear, nn.ReLU, nn.Linear, nn.ReLU]
    del net[0]
    assert net.pop(-1) is b and list(net._modules) == ["0", "1", "2"]
    assert len(net + named) == 5 and len(nn.Sequential(b) * 3) == 3
    net[1] = nn.Tanh()
    check(linstock.jit.script(net)(X), net(X))
    with pytest.raises(IndexError, match="out of range"):
        net[7]
    with pytest.raises(ValueError, match="only objects of Sequential"):
        net + [a]


def test_module_list() -> None:
    layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
    layers.append(nn.ReLU())
    layers.insert(1, nn.Tanh())
    layers += [nn.Sigmoid()]
    assert (
        len(layers) == 6 and isinstance(layers[1], nn.Tanh) and len(layers[2:4]) == 2 and len(layers + [nn.ReLU()]) == 7
    )
    assert (
        repr(nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    )
    with pytest.raises(TypeError, match="called with an iterable"):
        layers.extend(3)  # type: ignore[arg-type]

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = layers

        def forward(self, x: linstock.Tensor) -> linstock.Tensor:
            for i, layer in enumerate(self.layers):
                x = layer(x) + i
            return x * len(self.layers) + self.layers[0](x)

    net = Net()
    check(linstock.jit.script(net)(X), net(X), 1e-5)


def test_module_dict() -> None:
    heads = nn.ModuleDict({"a": nn.Linear(3, 2), "b": nn.Linear(3, 2)})
    heads["c"] = nn.Identity()
    heads.update([("d", nn.ReLU())])
    assert list(heads) == ["a", "b", "c", "d"] and "a" in heads and isinstance(heads.pop("c"), nn.Identity)
    del heads["d"]
    with pytest.raises(ValueError, match="2 is required"):
        heads.update([("x",)])

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.heads = heads

        def forward(self, x: linstock.Tensor) -> linstock.Tensor:
            total = self.heads["a"](x)
            for name, head in self.heads.items():
                total = total + head(x) * len(name)
            return total

    net = Net()
    check(linstock.jit.script(net)(X), net(X))


def test_parameter_list_and_dict() -> None:
    weights = nn.ParameterList([linstock.ones(3), nn.Parameter(linstock.zeros(2))])
    weights.append(linstock.ones(1))
    assert len(weights) == 3 and list(weights.state_dict()) == ["0", "1", "2"] and isinstance(weights[0], nn.Parameter)
    assert "Parameter containing: [linstock.float32 of size 3]" in repr(weights)
    table = nn.ParameterDict({"b": linstock.ones(2), "a": linstock.zeros(2)})
    assert list(table) == ["a", "b"] and table.get("c") is None and "a" in table and len(table) == 2
    assert table.pop("a").shape == (2,) and list(table.keys()) == ["b"] and list(table.state_dict()) == ["b"]
    with pytest.raises(TypeError, match="not a string"):
        table[3] = linstock.ones(1)  # type: ignore[index]

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = nn.ParameterList([linstock.full((3,), float(i)) for i in range(3)])

        def forward(self, x: linstock.Tensor) -> linstock.Tensor:
            for w in self.weights:
                x = x + w
            return x

    net = Net()
    check(linstock.jit.script(net)(X), net(X))
