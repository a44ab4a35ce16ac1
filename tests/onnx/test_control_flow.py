"""Branches, loops, lists and in-place writes whose course depends on the inputs, run in ONNX Runtime on several inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import linstock as ls
import linstock.onnx

pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

Array = np.ndarray[Any, Any]
_random = np.random.default_rng(0)


@dataclass
class Program:
    """A program `f`, the inputs it is exported with and others that it is run with afterwards."""

    name: str
    text: str
    inputs: Sequence[Any]
    others: Sequence[Sequence[Any]] = ()
    dynamic: dict[str, Any] = field(default_factory=dict)


def floats(*shape: int) -> Array:
    return np.asarray(_random.standard_normal(shape), np.float32)


def ones(*shape: int, value: float = 1.0) -> Array:
    return np.full(shape, value, np.float32)


def count(n: int) -> Array:
    return np.asarray(n)


ROWS = {"x": {0: "n"}}
FOUR, SEVEN, ONE = floats(4, 3), floats(7, 3), floats(1, 3)

BRANCHES = [
    Program("by data", """
def f(x):
    if bool(x.sum() > 0):
        y = x * 2
    else:
        y = x - 1
    return y
""", [ones(3)], [[-ones(3)]]),
    Program("shapes differ", """
def f(x):
    if bool(x.sum() > 0):
        y = x.reshape(2, 3)
    else:
        y = x[:3].reshape(1, 3)
    return y + 1
""", [ones(6)], [[-ones(6)]]),
    Program("a number", """
def f(x):
    n = 3
    if bool(x.sum() > 0):
        n = int(x[0].item())
    return x * n
""", [ones(6)], [[ones(6, value=5.0)], [-ones(6)]]),
    Program("early returns", """
def f(x):
    if bool(x.sum() > 0):
        return x * 2
    y = x + 1
    if bool(y.max() > 10):
        return y * 3
    return y
""", [ones(6)], [[-ones(6)], [np.asarray([-100, 20, 0, 0, 0, 0], np.float32)]]),
    Program("a branch that raises is not taken", """
def f(x):
    assert bool(x.sum() < 1000), "too big"
    return x + 1
""", [ones(6)]),
    Program("nested", """
def f(x):
    if bool(x[0] > 0):
        if bool(x[1] > 0):
            y = x * 1
        else:
            y = x * 2
        z = y + 1
    else:
        y = x * 3
        z = y
    return y, z
""", [ones(4)], [[np.asarray(v, np.float32)] for v in ([1, -1, 1, 1], [-1, 1, 1, 1])]),
    Program("by a size", """
def f(x):
    if x.size(0) > 3:
        return x[:3]
    return x
""", [FOUR], [[ONE], [SEVEN]], ROWS),
    Program("None among the inputs", """
from typing import Optional
def f(x, y: Optional[Tensor]):
    if y is None:
        return x
    return x + y
""", [ones(4), None]),
    Program("lists of different lengths", """
def f(x):
    l = [x]
    if bool(x.sum() > 0):
        l.append(x * 2)
    return torch.stack(l)
""", [ones(4)], [[-ones(4)]]),
    Program("an element of a list", """
def f(x, i):
    l = [x, x * 2, x * 3]
    return l[int(i)]
""", [ones(4), count(1)], [[ones(4), count(2)], [ones(4), count(-1)]]),
]  # fmt: skip

LOOPS = [
    Program("while on data", """
def f(x):
    n = 0
    while bool(x.abs().max() > 0.1):
        x = x * 0.5
        n += 1
    return x, n
""", [ones(6)], [[ones(6, value=5.0)], [ones(6, value=0.0)]]),
    Program("over a size", """
def f(x):
    y = torch.zeros([3])
    for i in range(x.size(0)):
        y = y + x[i] * i
    return y
""", [FOUR], [[SEVEN], [ONE]], ROWS),
    Program("over rows", """
def f(x):
    s = torch.zeros([3])
    for row in x:
        s = s * 0.5 + row
    return s
""", [FOUR], [[SEVEN]], ROWS),
    Program("with append", """
def f(x):
    out = []
    h = torch.zeros([3])
    for i in range(x.size(0)):
        h = torch.tanh(h + x[i])
        out.append(h)
    return torch.stack(out)
""", [FOUR], [[SEVEN], [ONE]], ROWS),
    Program("a list as the result", """
def f(x):
    out = []
    for i in range(x.size(0)):
        out.append(x[x.size(0) - 1 - i] * 2)
    return out
""", [FOUR], [[SEVEN]], ROWS),
    Program("lists are joined", """
def f(x):
    out = [x[0]]
    for i in range(x.size(0)):
        out = out + [x[i] + i]
    return torch.stack(out, 1), len(out)
""", [FOUR], [[SEVEN]], ROWS),
    Program("a comprehension", "def f(x):\n    return torch.stack([x[i] * 2 for i in range(x.size(0))])\n", [FOUR], [[SEVEN]], ROWS),
    Program("lists of numbers", """
from typing import List
def f(x):
    l: List[int] = []
    for i in range(x.size(0)):
        l.append(i * 2)
    return torch.tensor(l)
""", [FOUR], [[SEVEN]], ROWS),
    Program("append and pop", """
def f(x):
    l = [x[0]]
    while bool(l[-1].sum() < 10):
        l.append(l[-1] * 2 + 1)
    a = l.pop()
    return a + l[0], torch.cat(l), len(l)
""", [np.abs(FOUR) + 1], [[ones(4, 3, value=0.1)]]),
    Program("break", """
def f(x):
    s = torch.zeros([3])
    n = 0
    for i in range(x.size(0)):
        s = s + x[i]
        n = i
        if bool(s.sum() > 2):
            break
    return s, n
""", [ones(4, 3)], [[ones(5, 3, value=0.1)], [ones(9, 3, value=0.2)]], ROWS),
    Program("continue", """
def f(x):
    s = torch.zeros([3])
    for i in range(x.size(0)):
        if bool(x[i].sum() < 0):
            continue
        s = s + x[i]
    return s
""", [FOUR], [[SEVEN]], ROWS),
    Program("break in a loop of known length", """
def f(x):
    s = torch.zeros([3])
    for i in range(4):
        s = s + x[i]
        if bool(s.sum() > 2):
            break
    return s
""", [ones(4, 3)], [[ones(4, 3, value=0.1)]]),
    Program("shapes grow", """
def f(x, n):
    y = x
    i = 0
    while i < int(n):
        y = torch.cat([y, x * i])
        i += 1
    return y
""", [FOUR, count(3)], [[FOUR, count(0)], [FOUR, count(6)]]),
    Program("nested", """
def f(x, n):
    s = torch.zeros([])
    for i in range(int(n)):
        j = 0
        while bool(s < i * 2.0):
            s = s + x[j % 3].abs() + 0.1
            j += 1
    return s
""", [floats(3), count(3)], [[floats(3), count(5)], [floats(3), count(0)]]),
    Program("a branch inside", """
def f(x, n):
    a = x
    b = x * 2
    for i in range(int(n)):
        if bool(a.sum() > b.sum()):
            a = a - 1
        else:
            a, b = b, a + 1
    return a, b
""", [floats(3), count(3)], [[floats(3), count(6)]]),
    Program("a tuple as state", """
from typing import Tuple
def f(x):
    s: Tuple[Tensor, Tensor] = (x[0], x[0] * 2)
    for i in range(x.size(0)):
        s = (s[1], s[0] + x[i])
    return s
""", [FOUR], [[SEVEN]], ROWS),
    Program("a flag", """
def f(x):
    done = False
    i = 0
    while not done:
        x = x * 0.5
        i += 1
        done = bool(x.abs().max() < 0.1) or i >= 20
    return x, i
""", [FOUR], [[FOUR * 100]]),
    Program("many rounds", "def f(x):\n    for i in range(300):\n        x = x * 0.99 + 0.01\n    return x\n", [FOUR]),
    Program("a float as state", """
def f(x, n):
    lr = 0.1
    for i in range(int(n)):
        x = x - x * lr
        lr = lr * 0.5
    return x, lr
""", [FOUR, count(2)], [[FOUR, count(5)]]),
]  # fmt: skip

WRITES = [
    Program("through views", """
def f(x):
    y = x.clone()
    y[0] = 5.0
    y[1:3] += 1
    y[:, 0].mul_(3)
    y[:, ::2].add_(10)
    y.view(-1)[3:5].zero_()
    return y
""", [FOUR]),
    Program("at dynamic sizes", """
def f(x):
    y = torch.zeros([x.size(0), 3])
    y[:, 1] = x[:, 0]
    y[:, 2:] = x[:, 2:]
    y += 1
    return y
""", [FOUR], [[SEVEN]], ROWS),
    Program("by masks", """
def f(x):
    y = x.clone()
    y[x > 0] = 7.0
    y[x < -1] = x[x < -1] * 2
    return y
""", [FOUR], [[SEVEN]], ROWS),
    Program("transposed", """
def f(x):
    y = x.clone()
    z = y.t()
    z[0] = 9.0
    w = y.transpose(0, 1).contiguous()
    w.zero_()
    return y, z, w
""", [FOUR]),
    Program("parts", """
def f(x):
    y = x.clone()
    a, b = y.chunk(2)
    a.add_(1)
    b.mul_(2)
    c = y.unbind(1)[0]
    c.zero_()
    y.diagonal().fill_(3)
    return y, a, b
""", [FOUR]),
    Program("in a branch", """
def f(x):
    y = x.clone()
    v = y[1]
    if bool(x.sum() > 0):
        v.add_(5)
    else:
        y.zero_()
    y.mul_(2)
    return y, v
""", [ones(4, 3)], [[-ones(4, 3)]]),
    Program("in a loop", """
def f(x, n):
    y = torch.zeros_like(x)
    for i in range(int(n)):
        y[i] = x[i] * i
    return y
""", [FOUR, count(3)], [[FOUR, count(0)], [FOUR, count(4)]]),
    Program("in a dictionary", """
from typing import Dict
def f(x):
    d = {"a": x, "b": x * 2}
    for k in d.keys():
        d[k] = d[k] + 1
    d["c"] = d.pop("a")
    return d["b"], d["c"], len(d)
""", [FOUR]),
    Program("in an object", """
def f(x):
    l = [x, x + 1]
    l.reverse()
    l.extend([x * 2])
    l.insert(1, x * 3)
    m = l[1:]
    m[0] = m[0] + 1
    return torch.stack(l), torch.stack(m)
""", [FOUR]),
]  # fmt: skip


def flat(value: Any) -> list[Array]:
    if isinstance(value, (list, tuple)):
        return [x for v in value for x in flat(v)]
    if isinstance(value, dict):
        return [x for v in value.values() for x in flat(v)]
    return [np.asarray(value.numpy() if isinstance(value, ls.Tensor) else value)]


@pytest.mark.parametrize("program", [*BRANCHES, *LOOPS, *WRITES], ids=lambda p: p.name)
def test_programs(program: Program) -> None:
    function = ls.jit.CompilationUnit(program.text).f
    tensors = [
        [ls.tensor(a) if isinstance(a, np.ndarray) else a for a in row] for row in (program.inputs, *program.others)
    ]
    model = linstock.onnx.export(function, tuple(tensors[0]), dynamic_axes=program.dynamic, verify=True)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for arrays, row in zip(program.others, tensors[1:], strict=True):
        names = [i.name for i in model.graph.input]
        found = session.run(None, dict(zip(names, [a for a in arrays if isinstance(a, np.ndarray)], strict=True)))
        got = [g for value in found for g in (value if isinstance(value, list) else [value])]
        want = flat(function(*row))
        assert [g.shape for g in got] == [w.shape for w in want]
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5)


def kinds(text: str, *inputs: Any, **options: Any) -> set[str]:
    function = ls.jit.CompilationUnit(text).f
    model = linstock.onnx.export(function, tuple(ls.tensor(i) for i in inputs), verify=True, **options)
    return {n.op_type for n in model.graph.node}


def test_known_courses_leave_no_control_flow() -> None:
    text = """
def f(x):
    y = x
    for i in range(3):
        if i % 2 == 0:
            y = y + i
        if x.dim() == 2 and x.size(1) == 3:
            y = y * 2
    return y
"""
    assert kinds(text, FOUR, dynamic_axes=ROWS) == {"Add", "Mul"}


def test_unknown_courses_are_if_and_loop() -> None:
    assert "If" in kinds(BRANCHES[0].text, ones(3))
    assert "Loop" in kinds(LOOPS[0].text, ones(6))
    assert "ConcatFromSequence" in kinds(LOOPS[3].text, FOUR, dynamic_axes=ROWS)


class Counting(ls.nn.Module):
    """A module with state."""

    def __init__(self) -> None:
        super().__init__()
        self.total = ls.zeros(3)
        self.register_buffer("last", ls.zeros(3))
        self.calls = 0

    def forward(self, x: ls.Tensor) -> ls.Tensor:
        self.calls += 1
        self.total = self.total + x
        self.last.copy_(x)
        return self.total * self.calls + 0 * self.last


def test_state_is_exported_as_it_is_now() -> None:
    module = ls.jit.script(Counting())
    module(ls.ones(3))
    with pytest.warns(linstock.onnx.OnnxWarning) as told:
        model = linstock.onnx.export(module, (ls.ones(3),), verify=True)
    names = [str(w.message).split("'")[1] for w in told if "is set by the model" in str(w.message)]
    assert sorted(names) == ["calls", "last", "total"]
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for _ in range(2):
        assert session.run(None, {"x": np.ones(3, np.float32)})[0].tolist() == [4.0, 4.0, 4.0]
    assert module.calls == 1
