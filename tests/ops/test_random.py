"""Random numbers: PyTorch's numbers for PyTorch's seeds, statistics that do not depend on it, the generator's state."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of
from linstock.backends.array.generator import DEFAULT_SEED, Generator, default_generator
from linstock.ir import dtypes

from .oracle import to_numpy, to_torch

Array = np.ndarray[Any, Any]
SIZES = (0, 1, 7, 15, 16, 17, 100, 1000)


def call(name: str, *arguments: Any) -> Any:
    return kernel_of(f"aten::{name}")(*arguments)


def empty(size: Any, name: str = "float32") -> Array:
    return np.zeros(size, dtypes.by_name(name).numpy)


def full(size: int, value: float) -> Array:
    return np.full(size, value, np.float32)


#: recorded from PyTorch 2.13 on the CPU, each after torch.manual_seed(42)
GOLDEN: list[tuple[str, Callable[[], Any], list[float]]] = [
    ("rand", lambda: call("rand", [4]), [0.882269263, 0.915003955, 0.38286376, 0.959305644]),
    ("rand double", lambda: call("rand", [3], 7), [0.058154486, 0.062910167, 0.123586073]),
    ("rand half", lambda: call("rand", [3], 5), [0.882324219, 0.915039062, 0.3828125]),
    ("uniform_", lambda: call("uniform_", empty(3), -2.0, 5.0), [4.175884724, 4.405027866, 0.68004632]),
    ("randn, one by one", lambda: call("randn", [3]), [0.336690366, 0.128809407, 0.234462366]),
    (
        "randn, in blocks",
        lambda: call("randn", [17])[[0, 1, 7, 8, 15, 16]],
        [1.926915288, -0.159597471, 1.680620551, 0.355859905, 0.859858513, -0.309726775],
    ),
    ("randn double", lambda: call("randn", [17], 7)[[0, 8, 16]], [0.299556288, 0.038435238, 0.24941188]),
    ("randn complex", lambda: call("randn", [3], 9).real, [0.238076031, 0.165789932, -0.793979347]),
    ("randint", lambda: call("randint", 10, [8]), [2, 7, 6, 4, 6, 5, 0, 4]),
    ("randint, 64 bits", lambda: call("randint.low", -5, 2**40, [2]), [441476371554, 395845085946]),
    ("randperm", lambda: call("randperm", 10), [2, 6, 1, 8, 4, 5, 0, 9, 3, 7]),
    ("random_ int64", lambda: call("random_", empty(2, "int64")), [6909045637428952499, 8314211556539077902]),
    ("random_ uint8", lambda: call("random_", empty(3, "uint8")), [102, 179, 92]),
    ("bernoulli_", lambda: call("bernoulli_.float", empty(8), 0.3), [1, 1, 1, 1, 0, 0, 0, 0]),
    ("bernoulli", lambda: call("bernoulli", full(8, 0.3)), [0, 0, 0, 0, 0, 0, 1, 0]),
    ("exponential_", lambda: call("exponential_", empty(3), 2.0), [0.029957008, 0.032488063, 0.065958388]),
    ("geometric_", lambda: call("geometric_", empty(4), 0.2), [13, 13, 10, 14]),
    ("cauchy_", lambda: call("cauchy_", empty(2), 1.0, 2.0), [-9.824975014, -8.987401962]),
    ("log_normal_", lambda: call("log_normal_", empty(2), 0.0, 1.0), [1.40030539, 1.137473345]),
    ("multinomial", lambda: call("multinomial", np.array([0.1, 0.2, 0.3, 0.4], np.float32), 3), [3, 1, 2]),
    (
        "multinomial with replacement",
        lambda: call("multinomial", np.array([0.1, 0.2, 0.3, 0.4], np.float32), 6, True),
        [0, 0, 1, 0, 2, 2],
    ),
    ("poisson", lambda: call("poisson", np.array([0, 1, 5, 50, 500], np.float32)), [0, 0, 2, 50, 462]),
    (
        "binomial",
        lambda: call("binomial", np.array([10, 100, 100], np.float32), np.array([0.5, 0.1, 0.9], np.float32)),
        [2, 4, 85],
    ),
    ("dropout", lambda: call("dropout", full(8, 1), 0.5, True), [2, 2, 2, 2, 0, 2, 0, 0]),
    ("alpha_dropout", lambda: call("alpha_dropout", full(4, 1), 0.5, True), [1.665598869] * 4),
    (
        "rrelu",
        lambda: call("rrelu", np.array([-1, 2, -3], np.float32), 0.1, 0.3, True),
        [-0.111630902, 2.0, -0.337746114],
    ),
]


@pytest.mark.parametrize(("make", "want"), [g[1:] for g in GOLDEN], ids=[g[0] for g in GOLDEN])
def test_golden(make: Callable[[], Any], want: list[float]) -> None:
    default_generator.manual_seed(42)
    np.testing.assert_allclose(make().astype(np.float64 if make().dtype.kind != "i" else np.int64).shape, len(want))
    default_generator.manual_seed(42)
    got = make()
    if got.dtype.kind in "iu":
        assert got.tolist() == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


# ---- the generator


def test_words_are_the_mersenne_twister_of_the_reference_paper() -> None:
    # the first word for init_genrand(5489), the reference implementation's default seed
    assert Generator(5489).random32(1).tolist() == [3499211612]
    assert Generator().initial_seed() == DEFAULT_SEED


def test_state_continues_the_sequence() -> None:
    g = Generator(7)
    g.random32(1000)
    g.normal64(3)  # leaves the second of a pair for later
    other = Generator(0).set_state(g.get_state())
    copied = copy.deepcopy(g)
    want = g.normal64(5)
    assert (want == other.normal64(5)).all() and (want == copied.normal64(5)).all()
    assert g.get_state().shape == (5056,)
    with pytest.raises(RuntimeError, match="5056 bytes"):
        g.set_state(np.zeros(10, np.uint8))


def test_seeds() -> None:
    g = Generator(3)
    assert call("manual_seed.generator", g, -1) is g
    assert call("initial_seed", g) == -1 and g.initial_seed() == 2**64 - 1
    assert call("seed", g) == call("initial_seed", g)
    with pytest.raises(RuntimeError, match="seed"):
        g.manual_seed(2**64)
    call("manual_seed", 5)
    first = call("rand", [3])
    call("manual_seed", 5)
    assert (first == call("rand", [3])).all()
    assert (first == call("rand.generator", [3], Generator(5))).all()


def test_threads_share_one_sequence() -> None:
    g, parts = Generator(1), []

    def draw() -> None:
        for _ in range(20):
            parts.append(call("rand.generator", [50], g))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    together = {tuple(p) for p in parts}
    alone = {tuple(x) for x in call("rand.generator", [4000], Generator(1)).reshape(-1, 50)}
    assert together == alone


# ---- what must hold whatever the numbers are


@pytest.mark.parametrize(
    ("name", "arguments", "mean", "deviation"),
    [
        ("uniform_", (-1.0, 3.0), 1.0, 4 / 12**0.5),
        ("normal_", (2.0, 0.5), 2.0, 0.5),
        ("exponential_", (4.0,), 0.25, 0.25),
        ("geometric_", (0.25,), 4.0, 12**0.5),
        ("bernoulli_.float", (0.2,), 0.2, 0.4),
        ("random_.from", (-10, 11), 0.0, (440 / 12) ** 0.5),
    ],
)
def test_moments(name: str, arguments: tuple[Any, ...], mean: float, deviation: float) -> None:
    n = 100_000
    x = call(name, empty(n, "float64"), *arguments, Generator(11))
    assert abs(x.mean() - mean) < 5 * deviation / n**0.5
    assert abs(x.std() / deviation - 1) < 0.03


def test_counts_have_their_means() -> None:
    rates = np.repeat(np.array([0.5, 5, 20, 300]), 2000)
    x = call("poisson", rates, Generator(2)).reshape(4, -1)
    np.testing.assert_allclose(x.mean(1), [0.5, 5, 20, 300], rtol=0.08)
    trials, chances = np.full(2000, 60.0), np.full(2000, 0.7)
    assert abs(call("binomial", trials, chances, Generator(2)).mean() - 42) < 0.5


def test_permutation_and_choices() -> None:
    assert sorted(call("randperm", 1000).tolist()) == list(range(1000))
    weights = np.array([[0.0, 1, 1, 1], [1, 0, 1, 1]], np.float32)
    drawn = call("multinomial", weights, 3)
    assert [sorted(row) for row in drawn.tolist()] == [[1, 2, 3], [0, 2, 3]]


def test_dropout_scales_and_keeps_channels() -> None:
    x = np.ones((50, 20, 3), np.float32)
    assert set(np.unique(call("dropout", x, 0.75, True))) == {0.0, 4.0}
    channels = call("feature_dropout", x, 0.5, True)
    assert (channels == channels[:, :, :1]).all() and set(np.unique(channels)) == {0.0, 2.0}
    assert call("dropout", x, 0.5, False) is x
    assert not call("dropout", x, 1.0, True).any()
    out, mask = call("native_dropout", x, 0.5, True)
    assert ((out != 0) == mask).all()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("uniform_", (empty(3), 2.0, 1.0)),
        ("normal_", (empty(3), 0.0, -1.0)),
        ("exponential_", (empty(3), 0.0)),
        ("geometric_", (empty(3), 1.0)),
        ("bernoulli_.float", (empty(3), 1.5)),
        ("bernoulli", (full(2, 1.5),)),
        ("random_.from", (empty(3), 5, 5)),
        ("random_.to", (empty(3, "uint8"), 257)),
        ("randint", (0, [2])),
        ("rand", ([-1],)),
        ("multinomial", (full(3, 1), 4)),
        ("multinomial", (np.array([1, -1], np.float32), 1)),
        ("multinomial", (np.array([0, 0], np.float32), 1, True)),
        ("poisson", (full(2, -1),)),
        ("dropout", (full(2, 1), 1.5, True)),
        ("rrelu", (full(2, 1), 0.5, 0.1, True)),
        ("normal.float_Tensor", (0.0, full(2, -1))),
    ],
)
def test_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(RuntimeError):
        call(name, *arguments)


def test_memory_order() -> None:
    # the elements of a transposed tensor are filled as they lie in memory
    plain, turned = empty((3, 4)), empty((4, 3)).T
    call("uniform_", plain, 0.0, 1.0, Generator(1))
    call("uniform_", turned, 0.0, 1.0, Generator(1))
    assert (plain.reshape(-1) == turned.T.reshape(-1)).all()


# ---- PyTorch


def _match(name: str, torch_name: str, *arguments: Any, seed: int = 1, keywords: dict[str, Any] | None = None) -> None:
    """The same numbers, and the generators in the same state afterwards."""
    torch = pytest.importorskip("torch")
    base, _, overload = torch_name.partition(".")
    operator = getattr(getattr(torch.ops.aten, base), overload or "default")
    torch.manual_seed(seed)
    default_generator.manual_seed(seed)
    want = operator(*[to_torch(a) for a in arguments], **(keywords or {}))
    got = call(name, *arguments, *[dtypes.by_name(str(d)[6:]).code for d in (keywords or {}).values()])
    wants, gots = (want, got) if isinstance(want, tuple) else ((want,), (got,))
    for w, g in zip(wants, gots):
        expected = to_numpy(w)
        assert g.dtype == expected.dtype and g.shape == expected.shape
        wide = np.complex128 if g.dtype.kind == "c" else np.float64
        tolerance = {2: 1e-2, 4: 2e-6, 8: 2e-6 if g.dtype.kind == "c" else 1e-12}.get(g.dtype.itemsize, 1e-12)
        np.testing.assert_allclose(g.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance)
    theirs, ours = torch.get_rng_state().numpy(), default_generator.get_state()
    assert (theirs[:5016] == ours[:5016]).all()
    # the waiting sample of a pair may differ in its last bits
    np.testing.assert_allclose(ours[5024:5032].view(np.float64), theirs[5024:5032].view(np.float64), rtol=1e-12)


FLOATS = ("float32", "float64", "float16", "bfloat16")
WHOLE = ("uint8", "int16", "int32", "int64")


@pytest.mark.interop
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", FLOATS)
def test_floats_as_pytorch(kind: str, size: int) -> None:
    x = empty(size, kind)
    for name, arguments in (
        ("uniform_", (-2.5, 7.25)),
        ("normal_", (1.5, 0.25)),
        ("exponential_", (2.5,)),
        ("cauchy_", (1.0, 3.0)),
        ("log_normal_", (0.5, 0.5)),
        ("geometric_", (0.3,)),
        ("random_", ()),
        ("random_.to", (100,)),
        ("bernoulli_.float", (0.3,)),
    ):
        _match(name, name, x.copy(), *arguments, seed=size)
    p = np.linspace(0, 1, size).astype(x.dtype)
    _match("bernoulli", "bernoulli", p)
    _match("normal.Tensor_Tensor", "normal.Tensor_Tensor", p, p)
    _match("dropout", "dropout", p, 0.4, True)
    if kind != "float16":
        _match("rrelu", "rrelu", p - p.dtype.type(0.5), 0.1, 0.3, True)
    if size and kind in ("float32", "float64"):
        _match("multinomial", "multinomial", p + 1, 1)
        _match("multinomial", "multinomial", p + 1, size)
        _match("multinomial", "multinomial", p + 1, 20, True)
        _match("poisson", "poisson", p * 40)
        _match("binomial", "binomial", np.floor(p * 90), p)


@pytest.mark.interop
@pytest.mark.parametrize("kind", WHOLE)
def test_integers_as_pytorch(kind: str) -> None:
    for size in (1, 33):
        x = empty(size, kind)
        for name, arguments in (
            ("random_", ()),
            ("random_.to", (100,)),
            ("random_.from", (3, None)),
            ("bernoulli_.float", (0.6,)),
            ("geometric_", (0.3,)),
        ):
            _match(name, name, x.copy(), *arguments)
    if kind == "int64":
        for limit in (2**28 - 1, 2**28, 2**31, 2**32, 2**40, 2**62):
            _match("random_.to", "random_.to", empty(9, kind), limit)
        _match("random_.from", "random_.from", empty(9, kind), -(2**63), None)


@pytest.mark.interop
@pytest.mark.parametrize("seed", [0, 2**31, 2**40 + 5, -1])
def test_factories_as_pytorch(seed: int) -> None:
    torch = pytest.importorskip("torch")
    for size in ([3], [4, 5], [1000]):
        for dtype in (torch.float32, torch.float64, torch.complex64):
            _match("rand", "rand", size, seed=seed, keywords={"dtype": dtype})
            _match("randn", "randn", size, seed=seed, keywords={"dtype": dtype})
        _match("randint.low", "randint.low", -3, 50, size, seed=seed)
    _match("randperm", "randperm", 100, seed=seed)


@pytest.mark.interop
def test_strided_as_pytorch() -> None:
    x = np.linspace(0, 1, 2 * 5 * 3 * 4, dtype=np.float32).reshape(2, 5, 3, 4)
    for view in (x.transpose(0, 2, 3, 1), x[:, ::2], x.transpose(3, 2, 1, 0)):
        for name, arguments in (
            ("rand_like", ()),
            ("randn_like", ()),
            ("bernoulli", ()),
            ("native_dropout", (0.4, True)),
        ):
            _match(name, name, view, *arguments)


@pytest.mark.interop
def test_state_is_exchanged_with_pytorch() -> None:
    torch = pytest.importorskip("torch")
    theirs, ours = torch.Generator(), Generator(9)
    theirs.manual_seed(9)
    assert (theirs.get_state().numpy() == ours.get_state()).all()
    ours.random32(700)
    theirs.set_state(torch.from_numpy(ours.get_state()))
    want = torch.rand(5, generator=theirs).numpy()
    assert (call("rand.generator", [5], ours) == want).all()
    ours.set_state(theirs.get_state().numpy())
    assert (call("rand.generator", [5], ours) == torch.rand(5, generator=theirs).numpy()).all()
