"""Gradients: the engine, views and in-place operators, hooks, modes, and the rules against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linstock as ls
from linstock.passes.autodiff.registry import NotDifferentiable, functional_twin, rule_of


def leaf(*values: float) -> Any:
    """A one-dimensional leaf in double precision."""
    return ls.tensor(list(values), dtype=ls.float64, requires_grad=True)


# the engine ---------------------------------------------------------------------------------------------------------


def test_backward_accumulates_into_leaves() -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    (x * y).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [5, 6] and y.grad.tolist() == [1, 2]
    x.grad = None
    assert x.grad is None
    (x + x).backward(ls.tensor([1.0, 10.0], dtype=ls.float64))
    assert x.grad.tolist() == [2, 20]


def test_broadcast_and_types_are_undone() -> None:
    x = ls.ones(3, 1, requires_grad=True)
    (x.double() * ls.ones(2, 3, 4, dtype=ls.float64)).sum().backward()
    assert x.grad.shape == (3, 1) and x.grad.dtype is ls.float32 and x.grad.flatten().tolist() == [8, 8, 8]


def test_a_graph_runs_once_unless_retained() -> None:
    x = leaf(2)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [8]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_gradients_share_no_memory() -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    given = ls.ones(2, dtype=ls.float64)
    (x + y).backward(given)
    x.grad.zero_()
    assert y.grad.tolist() == [1, 1] and given.tolist() == [1, 1]


def test_grad_function() -> None:
    x, y = leaf(3), leaf(5)
    gx, gy = ls.autograd.grad((x * x * y).sum(), [x, y])
    assert gx.tolist() == [30] and gy.tolist() == [9] and x.grad is None
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        ls.autograd.grad(x.sum(), [y])
    assert ls.autograd.grad(x.sum(), [y], allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="does not require grad"):
        ls.autograd.grad(x.sum(), [ls.ones(1)])
    middle = x * 2
    assert ls.autograd.grad((middle**2).sum(), [middle])[0].tolist() == [12]


def test_higher_orders() -> None:
    x = leaf(2)
    (first,) = ls.autograd.grad((x**4).sum(), x, create_graph=True)
    (second,) = ls.autograd.grad(first.sum(), x, create_graph=True)
    (third,) = ls.autograd.grad(second.sum(), x)
    assert (first.item(), second.item(), third.item()) == (32, 48, 48)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: (x * 2).backward(), "implicitly created only for scalar"),
        (lambda x: ls.ones(1).sum().backward(), "does not require grad and does not have a grad_fn"),
        (lambda x: (x * 2).backward(ls.ones(3)), "Mismatch in shape"),
        (lambda x: x.add_(1), "a leaf Variable that requires grad"),
        (lambda x: x[0].add_(1), "a view of a leaf Variable"),
        (lambda x: ls.add(x, x, out=ls.zeros(2, dtype=ls.float64)), "don't support automatic differentiation"),
        (lambda x: x.numpy(), "Can't call numpy"),
        (lambda x: (x * 2).requires_grad_(False), "only change requires_grad flags of leaf"),
        (lambda x: x.long().requires_grad_(), "floating point dtype"),
    ],
)
def test_misuse_is_refused(make: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        make(leaf(1, 2))


def test_modes() -> None:
    x = leaf(1)
    with ls.no_grad():
        assert not (x * 2).requires_grad and not ls.is_grad_enabled()
        with ls.enable_grad():
            assert (x * 2).requires_grad
        x.add_(1)
    assert ls.is_grad_enabled() and x.tolist() == [2]

    @ls.no_grad()
    def quiet(v: Any) -> Any:
        return v * 2

    assert not quiet(x).requires_grad
    with ls.inference_mode(), ls.enable_grad():
        assert not (x * 2).requires_grad
    with ls.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    assert (x * 2).requires_grad and not (x > 1).requires_grad and not x.detach().requires_grad


def test_hooks() -> None:
    x = leaf(1, 2)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    handle = x.register_hook(lambda g: g + 1)
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    assert y.grad.tolist() == [10, 10] and x.grad.tolist() == [31, 31]
    handle.remove()
    seen = []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    x.grad = None
    y.sum().backward()
    assert seen == [[30, 30]]


def test_own_functions() -> None:
    class Cube(ls.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    x = leaf(2)
    Cube.apply(x).sum().backward()
    assert x.grad.tolist() == [12]
    assert ls.autograd.gradcheck(Cube.apply, [leaf(1, 2)])
    assert ls.autograd.gradgradcheck(Cube.apply, [leaf(1, 2)])


# views and in-place operators ---------------------------------------------------------------------------------------


def test_overwritten_values_are_noticed_only_where_they_matter() -> None:
    x = leaf(1, 2)
    y = x * 1
    z = (y + y).sum()
    y.add_(1)
    z.backward()
    assert x.grad.tolist() == [2, 2]
    y = x * 1
    z = (y * y).sum()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    y = x.exp()
    y.detach().mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "chain": lambda t, x: (x * 2).mul_(x).add_(1).relu_(),
    "row": lambda t, x: _rows(t, x),
    "views of views": lambda t, x: _nested(t, x),
    "split": lambda t, x: _parts(t, x),
    "constant base": lambda t, x: _filled(t, x),
    "masks": lambda t, x: _masked(t, x),
    "overwritten": lambda t, x: (x * x).copy_(x[0]).mul_(x),
    "reshaped": lambda t, x: _reshaped(t, x),
}


def _rows(t: Any, x: Any) -> Any:
    y = x * 1
    y[0] = x[1] * 3
    y[:, 1] *= 2
    y[1].zero_()
    return y


def _nested(t: Any, x: Any) -> Any:
    y = t.zeros(4, 4, dtype=x.dtype)
    middle = y[1:3]
    middle.add_(x[0])
    middle[0].mul_(middle[0] * 1.0 + x[1])
    turned = y.t()
    turned[2].sub_(x[2])
    return (y**2).sum() + middle.sum() * 2 + turned.sum()


def _parts(t: Any, x: Any) -> Any:
    y = x * 1
    first, second = y[0], y[1]
    first.exp_()
    return y.sum() + (second * second).sum() + (first * second).sum()


def _filled(t: Any, x: Any) -> Any:
    out = t.zeros(3, 4, dtype=x.dtype)
    for i in range(3):
        out[i] = x[i] * (i + 1)
    return out


def _masked(t: Any, x: Any) -> Any:
    y = x * 2
    y[y > 1] = 0
    y.masked_fill_(x < -1, 5)
    y.clamp_(-1, 1)
    return y * x


def _reshaped(t: Any, x: Any) -> Any:
    y = x * 1
    y.view(-1)[2:7].mul_(3)
    y.t_()
    return y.unsqueeze_(0).squeeze_() * 2


def _gradients(t: Any, f: Callable[..., Any], arrays: list[Any], second: bool, grad: Any) -> list[Any]:
    leaves = [t.tensor(a, requires_grad=True) for a in arrays]
    found = f(t, *leaves)
    outputs = [y for y in (found if isinstance(found, (tuple, list)) else [found]) if y.requires_grad]
    rng = np.random.default_rng(1)
    seeds = []
    for y in outputs:
        seed = rng.standard_normal(tuple(y.shape))
        if y.dtype.is_complex:
            seed = seed + 1j * rng.standard_normal(tuple(y.shape))
        seeds.append(t.tensor(seed, dtype=y.dtype))
    first = grad(outputs, leaves, seeds, create_graph=second, allow_unused=True)
    if not second:
        return list(first)
    again = [(g * g.conj()).real.sum() for g in first if g is not None and g.requires_grad]
    return [*first, *(grad(again, leaves, allow_unused=True) if again else [None] * len(leaves))]


def compare(f: Callable[..., Any], arrays: list[Any], second: bool = True) -> None:
    """First and second derivatives of a function of (module, tensors) in both libraries."""
    torch = pytest.importorskip("torch")
    ours = _gradients(ls, f, arrays, second, ls.autograd.grad)
    theirs = _gradients(torch, f, arrays, second, torch.autograd.grad)
    for a, b in zip(ours, theirs, strict=True):
        left = 0.0 if a is None else a.detach().numpy()
        right = 0.0 if b is None else b.detach().resolve_conj().resolve_neg().numpy(force=True)
        np.testing.assert_allclose(
            left, np.broadcast_to(right, np.shape(left) or np.shape(right)), rtol=1e-6, atol=1e-9
        )


@pytest.mark.interop
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_gradients_are_pytorchs(name: str) -> None:
    x = np.random.default_rng(0).uniform(-2, 2, (4, 4) if name != "constant base" else (3, 4))
    compare(IN_PLACE[name], [x])


# rules --------------------------------------------------------------------------------------------------------------

UNARY = [
    "abs", "neg", "exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "tanh", "asinh", "erf", "sigmoid", "square",
    "floor", "sign", "sinc", "relu", "deg2rad", "frac", "nan_to_num", "cumsum", "logcumsumexp", "cumprod", "sum",
    "mean", "prod", "amax", "amin", "var", "std", "max", "flatten", "ravel", "t", "tril", "triu", "flip",
]  # fmt: skip
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "cumsum": (1,), "logcumsumexp": (1,), "cumprod": (1,), "amax": (1,),
    "amin": ((0, 1),), "var": (0,), "std": (1,), "flip": ((0,),),
}  # fmt: skip
EXPRESSIONS = """
x.sqrt() + y.log() + x.rsqrt() + y.reciprocal()
x / y - y * x
x ** y + 2.0 ** x + x ** 3
t.atan2(x, y) * t.hypot(x, y)
t.maximum(x, y) + t.fmin(x, y)
t.remainder(x, y) + t.fmod(x, y)
t.logaddexp(x, y) + t.logaddexp2(x, y) + t.xlogy(x, y)
t.lerp(x, y, .3) + t.addcmul(x, x, y, value=.5) + t.addcdiv(x, x, y)
t.clamp(x, min=.8) + t.clamp(y, max=x)
t.where(x > y, x, y * 2)
x.sum((0, 1)) + x.mean(1, keepdim=True) + x.var(unbiased=False)
t.prod((x > 1) * x, 0) + t.cumprod((x > 1) * x, 1)
x.max(1)[0] * y.min(1).values
t.std_mean(x, 0)
x[1] * y[:, :1].flatten()[:3].sum() + x[[0, 1]][:, [1]].sum()
t.cat([x, y], 1) ** 2 * t.cat([y, x], 1)
t.stack([x, y]).permute(1, 0, 2).reshape(-1) ** 2
t.hstack([x, y]) * t.vstack([x, y]).sum()
x.expand(2, 3, 4) * y.repeat(2, 1, 1) ** 2
x.unfold(1, 2, 1) ** 2
x.as_strided((2, 2), (1, 2)) ** 2
x.split(2, 1)[0] * y.chunk(2, 1)[1]
x.diagonal() * y.diagonal(1) + t.diag_embed(x).sum()
x.roll(1, 0) * y.flip(1) + x.rot90().rot90(-1)
x.gather(1, i) * y.scatter(1, i, x) + x.index_select(1, i[0])[:, :4].sum()
x.masked_fill(x > 1, 0.) * y.masked_select(y > 1).sum()
t.take_along_dim(x, i, 1) + x.take(i) + x.index_add(1, i[0], y).sum() + x.scatter_add(1, i, y) ** 2
t.matmul(x, y.t()) @ x
x @ y[0] + x.mv(y[0])
t.einsum("ij,kj->ik", x, y) if False else t.addmm(y[0, :3], x, y.t(), beta=2)
x.norm() + x.norm(1) + y.norm(dim=1).sum() + t.linalg.vector_norm(x, 3)
t.outer(x[0], y[1]) + t.dot(x[0], y[0])
t.repeat_interleave(x, 2, 1) ** 2 + t.repeat_interleave(y, 2, 1)
t.complex(x, y).abs() + t.view_as_real(t.complex(x, y)).sum() + t.angle(t.complex(x, y))
t.diff(x, 2, 1) ** 2
"""


def test_every_rule_belongs_to_an_operator() -> None:
    from linstock.ir import operators
    from linstock.passes.autodiff import registry

    for family in operators.FAMILIES:
        registry._load(family)
    strangers = [n for n in registry._RULES if not operators.has_schema(n)]
    assert not strangers
    twin = functional_twin(operators.schema("aten::add_.Tensor"))
    assert twin is not None and twin.full_name == "aten::add.Tensor"
    assert rule_of(operators.schema("aten::add_.Tensor")) is rule_of(operators.schema("aten::add.Tensor"))
    absent = rule_of(operators.schema("aten::eq.Tensor"))
    assert isinstance(absent, NotDifferentiable) and absent.reason


@pytest.mark.interop
@pytest.mark.parametrize("name", UNARY)
def test_methods_have_pytorchs_gradients(name: str) -> None:
    rng = np.random.default_rng(0)
    compare(lambda t, x: getattr(x, name)(*ARGUMENTS.get(name, ())), [rng.uniform(-2, 2, (3, 4))])


@pytest.mark.interop
@pytest.mark.parametrize("text", EXPRESSIONS.strip().split("\n"))
def test_expressions_have_pytorchs_gradients(text: str) -> None:
    rng = np.random.default_rng(0)
    index = np.array([[0, 2, 1, 3], [3, 3, 0, 1], [1, 0, 2, 2]])
    code = compile(text, text, "eval")
    compare(
        lambda t, x, y: eval(code, {"t": t, "x": x, "y": y, "i": t.tensor(index)}),
        [rng.uniform(0.5, 2, (3, 4)) for _ in "xy"],
    )


@pytest.mark.interop
def test_complex_gradients_are_pytorchs() -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)) for _ in "xy")
    compare(lambda t, a, b: [a * b, a / b, a @ b, a.exp(), a.abs(), a.H, t.real(a), t.imag(b), a**2, a.tanh()], [x, y])


def test_training_a_small_network() -> None:
    ls.manual_seed(0)
    x = ls.randn(64, 2)
    target = (x[:, :1] * x[:, 1:]).detach()
    weights = [(ls.randn(2, 16) * 0.5).requires_grad_(), (ls.randn(16, 1) * 0.5).requires_grad_()]
    losses = []
    for _ in range(200):
        loss = ((ls.tanh(x @ weights[0]) @ weights[1] - target) ** 2).mean()
        loss.backward()
        with ls.no_grad():
            for w in weights:
                w -= 0.2 * w.grad
                w.grad = None
        losses.append(loss.item())
    assert losses[-1] < losses[0] * 0.5
