"""Optimizers and schedules: they minimise, keep their state, and step as PyTorch's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linstock
from linstock import nn, optim

OPTIMIZERS = [
    "SGD(p, lr=0.05)",
    "SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01)",
    "SGD(p, lr=0.05, momentum=0.9, nesterov=True)",
    "SGD(p, lr=0.05, momentum=0.8, dampening=0.3, maximize=True)",
    "Adam(p, lr=0.05)",
    "Adam(p, lr=0.05, weight_decay=0.02, amsgrad=True, betas=(0.8, 0.9))",
    "AdamW(p, lr=0.05)",
    "AdamW(p, lr=0.05, weight_decay=0.1, eps=1e-3, amsgrad=True)",
    "RMSprop(p, lr=0.01)",
    "RMSprop(p, lr=0.01, momentum=0.9, centered=True, weight_decay=0.01)",
    "Adagrad(p, lr=0.1, lr_decay=0.01, initial_accumulator_value=0.1, weight_decay=0.01)",
]
SCHEDULES = [
    "StepLR(o, 3, 0.5)",
    "MultiStepLR(o, [2, 5, 5], 0.5)",
    "ExponentialLR(o, 0.9)",
    "ConstantLR(o, 0.5, 3)",
    "LinearLR(o, 0.25, 0.8, 6)",
    "CosineAnnealingLR(o, 5, 0.001)",
    "CosineAnnealingWarmRestarts(o, 3, 2, 0.001)",
    "LambdaLR(o, lambda e: 0.95 ** e)",
    "MultiplicativeLR(o, lambda e: 0.9)",
    "OneCycleLR(o, 0.5, 20)",
    "OneCycleLR(o, 0.5, epochs=4, steps_per_epoch=5, three_phase=True, anneal_strategy='linear')",
    "SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.8)], [4])",
]


def _loss(p: Any, x: Any) -> Any:
    return ((p[0] @ x - p[1]) ** 2).sum() + (p[0] ** 2).mean()


def _parameters(make: Any, kind: Any) -> list[Any]:
    random = np.random.default_rng(0)
    return [kind(make(random.standard_normal(s).astype(np.float32))) for s in ((3, 4), (3, 2))]


def _input(make: Any) -> Any:
    return make(np.random.default_rng(1).standard_normal((4, 2)).astype(np.float32))


@pytest.mark.parametrize("text", OPTIMIZERS)
def test_minimises(text: str) -> None:
    p = _parameters(linstock.from_numpy, nn.Parameter)
    x = _input(linstock.from_numpy)
    made = eval(f"optim.{text}", {"optim": optim, "p": p})
    before = float(_loss(p, x))
    for _ in range(15):
        made.zero_grad()
        loss = _loss(p, x)
        loss.backward()
        made.step()
    after = float(_loss(p, x))
    assert after > before if "maximize" in text else after < before


@pytest.mark.parametrize("text", OPTIMIZERS)
def test_state_dict_goes_on_where_it_was(text: str) -> None:
    x = _input(linstock.from_numpy)

    def steps(made: Any, p: Any, count: int) -> None:
        for _ in range(count):
            made.zero_grad()
            _loss(p, x).backward()
            made.step()

    p = _parameters(linstock.from_numpy, nn.Parameter)
    made = eval(f"optim.{text}", {"optim": optim, "p": p})
    steps(made, p, 3)
    state = made.state_dict()
    q = [nn.Parameter(t.detach().clone()) for t in p]
    other = eval(f"optim.{text}", {"optim": optim, "p": q})
    other.load_state_dict(state)
    steps(made, p, 3)
    steps(other, q, 3)
    for a, b in zip(p, q, strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.detach().numpy())


@pytest.mark.interop
@pytest.mark.parametrize("text", OPTIMIZERS)
def test_steps_like_torch(text: str) -> None:
    torch = pytest.importorskip("torch")
    results = []
    for library, module in ((linstock, optim), (torch, torch.optim)):
        p = _parameters(library.from_numpy, library.nn.Parameter)
        x = _input(library.from_numpy)
        made = eval(f"optim.{text}", {"optim": module, "p": p})
        for _ in range(8):
            made.zero_grad()
            _loss(p, x).backward()
            made.step()
        results.append([t.detach().numpy() for t in p])
        texts = repr(made)
        state = made.state_dict()
        results.append((texts, state["param_groups"], {k: sorted(v) for k, v in state["state"].items()}))
    for a, b in zip(results[0], results[2], strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
    assert results[1] == results[3]


def _rates(library: Any, text: str) -> list[Any]:
    p = [library.nn.Parameter(library.ones(2))]
    o = library.optim.SGD(
        [{"params": p}, {"params": [library.nn.Parameter(library.ones(1))], "lr": 0.2}], lr=0.1, momentum=0.9
    )
    s = library.optim.lr_scheduler
    made = eval(f"s.{text}", {"s": s, "o": o})
    seen = []
    for _ in range(14):
        seen.append([*(g["lr"] for g in o.param_groups), o.param_groups[0]["momentum"]])
        o.step()
        made.step()
    assert made.get_last_lr() == [g["lr"] for g in o.param_groups]
    return seen


#: first, fourth and last rate of the first group
GOLDENS = {
    "StepLR(o, 3, 0.5)": (0.1, 0.05, 0.00625),
    "ExponentialLR(o, 0.9)": (0.1, 0.0729, 0.02541865828329),
    "CosineAnnealingLR(o, 5, 0.001)": (0.1, 0.03520365877844011, 0.03520365877844016),
    "OneCycleLR(o, 0.5, 20)": (0.02, 0.35185, 0.14115),
}


@pytest.mark.parametrize("text", GOLDENS)
def test_schedules(text: str) -> None:
    seen = [row[0] for row in _rates(linstock, text)]
    if text.startswith("OneCycle"):
        assert max(seen) <= 0.5 and seen[0] == pytest.approx(0.02) and seen.index(max(seen)) == 5
    else:
        assert (seen[0], seen[3], seen[13]) == pytest.approx(GOLDENS[text])


@pytest.mark.interop
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", SCHEDULES)
def test_schedules_like_torch(text: str) -> None:
    torch = pytest.importorskip("torch")
    np.testing.assert_allclose(_rates(linstock, text), _rates(torch, text), rtol=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["min", "max"])
def test_reduce_on_plateau(mode: str) -> None:
    o = optim.SGD([nn.Parameter(linstock.ones(1))], lr=1.0)
    s = optim.lr_scheduler.ReduceLROnPlateau(o, mode, patience=1, factor=0.5, cooldown=1, min_lr=0.2)
    seen = []
    for value in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0):
        s.step(value if mode == "min" else linstock.tensor(6.0 / value))
        seen.append(o.param_groups[0]["lr"])
    assert seen == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2]


def test_closure_and_groups() -> None:
    p = nn.Parameter(linstock.tensor([2.0]))
    o = optim.SGD([{"params": [p], "lr": 0.5}], lr=0.1)

    def closure() -> Any:
        o.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    with linstock.no_grad():
        assert float(o.step(closure)) == 4.0
    assert float(p) == 0.0
    o.add_param_group({"params": nn.Parameter(linstock.ones(1))})
    assert [g["lr"] for g in o.param_groups] == [0.5, 0.1]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: optim.SGD([]), ValueError, "empty parameter list"),
        (lambda p: optim.SGD(p), TypeError, "iterable of Tensors"),
        (lambda p: optim.SGD([3]), TypeError, "can only optimize Tensors"),
        (lambda p: optim.SGD([p * 2]), ValueError, "non-leaf"),
        (lambda p: optim.SGD([p], lr=-1.0), ValueError, "Invalid lr value: -1.0"),
        (lambda p: optim.SGD([p], nesterov=True), ValueError, "Nesterov momentum requires"),
        (lambda p: optim.Adam([p], betas=(0.9, 1.0)), ValueError, "Invalid beta parameter at index 1: 1.0"),
        (lambda p: optim.SGD([{"params": [p]}, {"params": [p]}]), ValueError, "more than one parameter group"),
        (
            lambda p: optim.Adam([p]).load_state_dict(optim.Adam([p, nn.Parameter(p.detach())]).state_dict()),
            ValueError,
            "size of optimizer's group",
        ),
        (lambda p: optim.lr_scheduler.StepLR(p, 3), TypeError, "is not an Optimizer"),
    ],
)
def test_errors(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(nn.Parameter(linstock.ones(2)))
