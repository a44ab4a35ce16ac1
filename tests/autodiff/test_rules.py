"""Derivative rules of every family, against finite differences and against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linstock as ls
from linstock.ir import operators
from linstock.passes.autodiff.registry import NotDifferentiable, WithoutRule, rule_of, support
from linstock.runtime.gradcheck import gradcheck

from .samples import SAMPLES

LINES = [line for text in SAMPLES.values() for line in text.strip().split("\n")]
#: functions that jump, and gradients that are not slopes on purpose
JUMPING = ("fake_quantize", '"nearest"', "scale_grad_by_freq")
#: PyTorch overwrites what its own derivative needs
BROKEN_THERE = ("vander(a, 4)", '"fro"')


def _function(expression: str) -> Callable[..., Any]:
    code = compile(expression, expression, "eval")

    def function(t: Any, *leaves: Any) -> Any:
        scope = {"t": t, "F": t.nn.functional, "i": lambda *values: t.tensor(values)}
        return eval(code, scope | dict(zip("abcdef", leaves)))

    return function


def _sample(line: str) -> tuple[Callable[..., Any], list[Any]]:
    expression, *shapes = (part.strip() for part in line.split(" ; "))
    rng = np.random.default_rng(3)
    arrays = []
    for text in shapes:
        kind = text[-1] if text[-1] in "+uc" else ""
        shape = [int(n) for n in text.rstrip("+uc").split(",")]
        low, high = {"+": (0.5, 2.0), "u": (0.1, 0.9)}.get(kind, (-2.0, 2.0))
        array = rng.uniform(low, high, shape)
        arrays.append(array + 1j * rng.uniform(low, high, shape) if kind == "c" else array)
    return _function(expression), arrays


def _outputs(found: Any) -> list[Any]:
    """The results that gradients may flow from."""
    if isinstance(found, (tuple, list)):
        return [y for part in found for y in _outputs(part)]
    return [found] if found.dtype.is_floating_point or found.dtype.is_complex else []


def _derivatives(t: Any, function: Callable[..., Any], arrays: list[Any], second: bool) -> list[Any]:
    leaves = [t.tensor(a, requires_grad=True) for a in arrays]
    outputs = [y for y in _outputs(function(t, *leaves)) if y.requires_grad]
    rng = np.random.default_rng(1)
    seeds = []
    for y in outputs:
        seed = rng.standard_normal(tuple(y.shape))
        if y.dtype.is_complex:
            seed = seed + 1j * rng.standard_normal(tuple(y.shape))
        seeds.append(t.tensor(seed, dtype=y.dtype))
    first = t.autograd.grad(outputs, leaves, seeds, create_graph=second, allow_unused=True)
    if not second:
        return [y.detach() for y in outputs] + list(first)
    again = [(g * g.conj()).real.sum() for g in first if g is not None and g.requires_grad]
    higher = t.autograd.grad(again, leaves, allow_unused=True) if again else [None] * len(leaves)
    return [y.detach() for y in outputs] + list(first) + list(higher)


@pytest.mark.parametrize("line", LINES)
def test_finite_differences(line: str) -> None:
    if any(word in line for word in JUMPING):
        pytest.skip("a jump has no slope")
    function, arrays = _sample(line)
    assert gradcheck(
        lambda *leaves: _outputs(function(ls, *leaves)), [ls.tensor(a, requires_grad=True) for a in arrays]
    )


@pytest.mark.interop
@pytest.mark.parametrize("line", LINES)
def test_pytorch(line: str) -> None:
    torch = pytest.importorskip("torch")
    if any(word in line for word in BROKEN_THERE):
        pytest.skip("PyTorch raises an error of its own")
    function, arrays = _sample(line)
    try:
        theirs, second = _derivatives(torch, function, arrays, True), True
    except (RuntimeError, NotImplementedError):  # some of its operators have first derivatives only
        theirs, second = _derivatives(torch, function, arrays, False), False
    ours = _derivatives(ls, function, arrays, second)
    for a, b in zip(ours, theirs, strict=True):
        left = 0.0 if a is None else a.detach().numpy()
        right = 0.0 if b is None else b.detach().resolve_conj().resolve_neg().numpy(force=True)
        assert a is None or b is None or left.dtype == right.dtype
        expected = np.broadcast_to(right, np.shape(left) or np.shape(right))
        np.testing.assert_allclose(left, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.interop
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("targets", [[[1, 2, 1], [3, 3, 1]], [1, 2, 3, 3]])
def test_ctc_loss(targets: Any, reduction: str) -> None:
    torch = pytest.importorskip("torch")
    logits = np.random.default_rng(0).standard_normal((6, 2, 4))

    def function(t: Any, a: Any) -> Any:
        lengths = [3, 2] if isinstance(targets[0], list) else [2, 2]
        return t.nn.functional.ctc_loss(t.log_softmax(a, -1), t.tensor(targets), [6, 5], lengths, reduction=reduction)

    found = [_derivatives(t, function, [logits], False) for t in (ls, torch)]
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-12)
    assert gradcheck(lambda a: function(ls, a), [ls.tensor(logits, requires_grad=True)])


# what is drawn ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout", "rrelu"])
def test_drawn_factors_are_those_of_the_forward_pass(name: str) -> None:
    options = (0.2, 0.7, True) if name == "rrelu" else (0.4, True)
    x = ls.tensor(np.random.default_rng(0).uniform(-2, 2, (3, 4, 5)), requires_grad=True)
    function = getattr(ls.ops.aten, name)

    def drawn(x: Any) -> Any:
        ls.manual_seed(5)
        return function(x, *options)

    assert gradcheck(drawn, [x])
    with ls.no_grad():
        np.testing.assert_array_equal(drawn(x).numpy(), drawn(x.detach()).numpy())
    np.testing.assert_allclose(drawn(x).detach().numpy(), drawn(x.detach()).numpy(), rtol=1e-12)


def test_dropout_in_place() -> None:
    x = ls.ones(200, dtype=ls.float64, requires_grad=True)
    y = x * 2
    found = ls.ops.aten.dropout_(y, 0.5, True)
    assert found is y
    y.sum().backward()
    assert x.grad.tolist() == (y * 1).tolist() and set(x.grad.tolist()) == {0.0, 4.0}


def test_dropout_between_recurrent_layers() -> None:
    ls.manual_seed(0)
    x = ls.randn(4, 3, 2, dtype=ls.float64, requires_grad=True)
    lstm = ls.nn.LSTM(2, 3, num_layers=2, dropout=0.5).double()

    def drawn(x: Any) -> Any:
        ls.manual_seed(1)
        return lstm(x)[0]

    assert gradcheck(drawn, [x])
    np.testing.assert_allclose(drawn(x).detach().numpy(), drawn(x.detach()).detach().numpy(), rtol=1e-12)


# entries ------------------------------------------------------------------------------------------------------------


def test_every_operator_has_an_entry() -> None:
    gaps = [name for name in operators.full_names() if support(name) == "no rule has been written for it"]
    assert not gaps


def test_absences_tell_why() -> None:
    assert support("aten::conv2d") == support("aten::relu_") == support("aten::lstm.data") == "yes"
    assert "quantize" in support("quantized::add") and "boolean" in support("aten::eq.Tensor")
    assert isinstance(rule_of(operators.schema("aten::argsort")), NotDifferentiable)
    assert isinstance(rule_of(operators.schema("aten::geqrf")), WithoutRule)
    a = ls.randn(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"derivative for aten::geqrf is not implemented \(the factors are packed"):
        ls.geqrf(a)[0].sum().backward()


def test_results_of_no_gradient() -> None:
    x = ls.randn(2, 3, 4, requires_grad=True)
    y, mean, deviation = ls.native_layer_norm(x, (4,), None, None, 1e-5)
    assert y.requires_grad and not mean.requires_grad and not deviation.requires_grad
    assert not ls.argsort(x).requires_grad and not ls.rand_like(x).requires_grad


def test_running_statistics_move_once() -> None:
    layer = ls.nn.BatchNorm1d(2, momentum=0.5)
    x = ls.tensor([[1.0, 2.0], [3.0, 6.0]], requires_grad=True)
    layer(x).sum().backward()
    assert layer.running_mean.tolist() == [1.0, 2.0] and layer.num_batches_tracked.item() == 1
    instance = ls.nn.InstanceNorm1d(2, track_running_stats=True, momentum=0.5)
    instance(ls.tensor([[[1.0, 3.0], [2.0, 6.0]]], requires_grad=True)).sum().backward()
    assert instance.running_mean.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_masked_gradients_are_zero_whatever_was_masked(dtype: str) -> None:
    x = np.random.default_rng(0).standard_normal((60, 50)).astype(dtype)
    g = np.ones_like(x)
    g[::2], g[::3], g[::5] = np.inf, np.nan, -0.0
    for a, b in ((x, g), (x.T, g.T), (x, np.ascontiguousarray(g.T).T)):
        leaf = ls.from_numpy(a.copy()).requires_grad_()
        (found,) = ls.autograd.grad(ls.relu(leaf), leaf, ls.from_numpy(b))
        np.testing.assert_array_equal(found.numpy(), np.where(a > 0, b, 0))
