"""Tensors: construction, views, indexing, operators, conversions, text. Interop tests compare with PyTorch."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import linstock as ls


def test_from_numpy_shares_memory_both_ways() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    t = ls.from_numpy(array)
    array[0, 0] = 7
    assert t[0, 0].item() == 7
    t[1, 2] = 9
    assert array[1, 2] == 9
    assert np.shares_memory(t.numpy(), array)


def test_from_numpy_refuses_what_tensors_cannot_be() -> None:
    with pytest.raises(TypeError, match=r"expected np\.ndarray"):
        ls.from_numpy([1])
    with pytest.raises(ValueError, match="negative"):
        ls.from_numpy(np.arange(3)[::-1])
    with pytest.raises(TypeError, match="cannot hold"):
        ls.from_numpy(np.array(["a"]))
    frozen = np.ones(2)
    frozen.flags.writeable = False
    with pytest.warns(UserWarning, match="not writable"):
        ls.from_numpy(frozen)


def test_dlpack_shares_memory() -> None:
    array = np.arange(4.0)
    t = ls.from_dlpack(array)
    array[0] = 5
    assert t[0].item() == 5
    assert np.shares_memory(np.from_dlpack(t), array)
    t[1] = 6
    assert array[1] == 6


def test_views_share_memory_and_storage() -> None:
    x = ls.arange(6).view(2, 3)
    row, column = x[1], x.t()[2]
    row[2] = 50
    assert column[1].item() == 50
    assert row.untyped_storage() == x.untyped_storage()
    assert row.storage_offset() == 3
    assert x.t().stride() == (1, 3) and not x.t().is_contiguous()
    assert x.contiguous() is x and x.t().contiguous() is not x


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (1, [3, 4, 5]), (-1, [3, 4, 5]), ((0, 1), 1), (slice(1, None), [[3, 4, 5]]), ((slice(None), 2), [2, 5]),
        ((..., 0), [0, 3]), ((None, 0, 0), [0]), ([1, 0], [[3, 4, 5], [0, 1, 2]]), (([0, 1], [1, 2]), [1, 5]),
        (True, [[[0, 1, 2], [3, 4, 5]]]), ((0, [True, False, True]), [0, 2]),
    ],
)  # fmt: skip
def test_getitem(index: Any, expected: Any) -> None:
    assert ls.arange(6).view(2, 3)[index].tolist() == expected


def test_masks_and_tensor_indices() -> None:
    x = ls.arange(6).view(2, 3)
    assert x[x > 2].tolist() == [3, 4, 5]
    assert x[ls.tensor([1, 1])].tolist() == [[3, 4, 5], [3, 4, 5]]
    assert x[:, ls.tensor([0, 2])].tolist() == [[0, 2], [3, 5]]
    assert x[ls.tensor(1)].tolist() == [3, 4, 5]
    assert x[ls.tensor([[True, False, False], [False, False, True]])].tolist() == [0, 5]


def test_setitem() -> None:
    x = ls.zeros(2, 3)
    x[0] = 1
    x[:, 1] = ls.tensor([5.0, 6.0])
    x[x == 0] = -1
    x[[0, 1], [0, 0]] = ls.tensor([8.0, 9.0])
    assert x.tolist() == [[8, 5, 1], [9, 6, -1]]
    with pytest.raises(TypeError, match="can't assign a list"):
        x[0] = [1, 2, 3]


@pytest.mark.parametrize(
    ("index", "error"),
    [(5, IndexError), ((0, 0, 0), IndexError), (1.5, IndexError), (slice(None, None, -1), ValueError)],
)
def test_bad_indices(index: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ls.arange(6).view(2, 3)[index]


def test_scalars_of_tensors() -> None:
    assert int(ls.tensor(3)) == 3 and float(ls.tensor([2.5])) == 2.5 and bool(ls.tensor(1))
    assert [10, 20][ls.tensor(1)] == 20
    assert ls.tensor(2) in ls.tensor([1, 2]) and 5 not in ls.tensor([1, 2])
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(ls.tensor([1, 2]))
    with pytest.raises(TypeError, match="0-d"):
        len(ls.tensor(1))


def test_tensor_infers_types() -> None:
    assert ls.tensor([1, 2]).dtype is ls.int64
    assert ls.tensor([1, 2.5]).dtype is ls.float32
    assert ls.tensor([True]).dtype is ls.bool
    assert ls.tensor([np.float64(1)]).dtype is ls.float64
    assert ls.tensor(1j).dtype is ls.complex64
    assert ls.tensor([]).shape == (0,)
    assert ls.tensor([ls.tensor(1), ls.tensor(2)]).tolist() == [1, 2]
    with pytest.raises(ValueError, match="length 1 at dim 1"):
        ls.tensor([[1], [2, 3]])
    with pytest.raises(RuntimeError, match="overflow"):
        ls.tensor(300, dtype=ls.uint8)
    with pytest.raises(TypeError):
        ls.tensor("a")


def test_conversions() -> None:
    x = ls.ones(2, 3)
    assert x.to(ls.float32) is x and x.float() is x and x.to("cpu") is x
    assert x.to(ls.float64).dtype is ls.float64 and x.long().dtype is ls.int64
    assert x.to(ls.ones(1, dtype=ls.int32)).dtype is ls.int32
    assert x.type("torch.DoubleTensor").dtype is ls.float64
    assert x.type() == "linstock.FloatTensor"
    if not ls.cuda.is_available():
        with pytest.raises(RuntimeError, match="CUDA is not available"):
            x.cuda()


def test_operators_and_reflected_ones() -> None:
    x = ls.tensor([1.0, 2.0])
    assert (x + 1).tolist() == [2, 3] and (1 - x).tolist() == [0, -1] and (2 / x).tolist() == [2, 1]
    assert (2**x).tolist() == [2, 4] and (5 // x).tolist() == [5, 2] and (-x).tolist() == [-1, -2]
    assert (x == 1).tolist() == [True, False] and (x == None) is False  # noqa: E711
    assert (x @ x).item() == 5
    x += 1
    assert x.tolist() == [2, 3]
    with pytest.raises(TypeError):
        x + "a"
    assert (x + np.float32(1)).tolist() == [3, 4]


def test_copies() -> None:
    x = ls.tensor([1.0, 2.0], requires_grad=True)
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.tolist() == x.tolist() and y.requires_grad and y.data_ptr() != x.data_ptr()
    assert copy.copy(x).data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)
    p = ls.nn.Parameter(ls.ones(2)) if hasattr(ls.nn, "Parameter") else None
    if p is not None:
        assert type(pickle.loads(pickle.dumps(p))) is type(p)


def test_tensors_hash_by_identity_and_take_attributes() -> None:
    x, y = ls.ones(1), ls.ones(1)
    assert len({x, y, x}) == 2
    x.note = "kept"
    assert x.note == "kept"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        x.nothing  # noqa: B018


TEXTS = [
    "t.tensor([1.0, 2.5])",
    "t.tensor([1, 20, 300])",
    "t.tensor([True, False])",
    "t.tensor(3.14159)",
    "t.tensor([1e-8, 1.0])",
    "t.tensor([1e10, 1.0])",
    "t.tensor([float('nan'), float('inf'), 1.0])",
    "t.tensor([])",
    "t.zeros(0, 3)",
    "t.tensor([1 + 2j, 3.5 - 1j])",
    "t.arange(2000)",
    "t.arange(2000.).view(20, 100)",
    "t.arange(24.).view(2, 3, 4) / 7",
    "t.ones(2, dtype=t.float64)",
    "t.ones(2, dtype=t.bfloat16) / 3",
    "t.ones(2, dtype=t.int16)",
    "t.ones(2, requires_grad=True)",
    "t.ones(2, requires_grad=True) * 2",
    "t.arange(40.) * 1.5",
    "t.quantize_per_tensor(t.ones(2), 0.1, 3, t.quint8)",
]


@pytest.mark.interop
@pytest.mark.parametrize("text", TEXTS)
def test_text_is_pytorchs(text: str) -> None:
    torch = pytest.importorskip("torch")
    assert repr(eval(text, {"t": ls})).replace("linstock.", "torch.") == repr(eval(text, {"t": torch}))


CALLS = """
x.sum(1, keepdim=True)
t.sum(x, axis=0)
x.max(1)
x.view(3, 2)
x.permute(1, 0)
t.zeros(2, 3), t.zeros((2, 3), dtype=t.int64), t.full((2,), 3), t.arange(1, 2, .25)
t.cat([x, x], dim=1), t.stack((x, x), -1), x.split(1), x.split([1, 2], 1), x.chunk(2, 1)
t.where(x > 2, x, 0.), t.where(x > 2), x.clamp(min=1), x.clamp(1, 2)
t.add(1, x), t.div(x, 2, rounding_mode="floor"), x.std(unbiased=False), x.var(dim=1, correction=0)
t.einsum("ij,kj->ik", x, x), t.einsum(x, [0, 1], [1, 0]), t.tensordot(x, x, dims=2)
t.norm(x, p=1), x.norm(dim=1), t.norm(x, "nuc"), t.linalg.norm(x), t.linalg.det(x @ x.T)
t.unique(x % 2, return_counts=True), t.nonzero(x, as_tuple=True), x.topk(2), x.sort(descending=True)
t.meshgrid(x[0], x[1], indexing="xy"), t.broadcast_tensors(x, x[0]), t.cdist(x, x), t.block_diag(x, x)
t.add(x, x, out=t.empty(0)), t.sum(x, 1, out=t.empty(2))
t.fft.rfft(x, dim=1), t.special.expit(x), t.stft(t.arange(32.), 8, return_complex=True)
t.promote_types(t.int32, t.float16), t.result_type(x.int(), 1.5), t.can_cast(t.float32, t.int32)
x.gather(1, x.long() % 3), x.scatter(1, x.long() % 3, 1.5), x.index_select(1, t.tensor([2, 0])), x.masked_fill(x > 2, 0)
t.ops.aten.add.Tensor(x, x, alpha=2), t.ops.aten.relu(x), x.expand(2, -1, 3), x.repeat(2, 1), x.roll(1, 0)
x.new_zeros(2, 2), x.new_full((2,), 3), x.new_tensor([1, 2]), t.zeros_like(x, dtype=t.int8), t.eye(2, 3)
t.rand(3), t.randn(4), t.randint(0, 9, (3,)), t.randperm(5), t.bernoulli(t.full((4,), .5)), t.normal(0., 1., (3,))
"""


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return (str(value.dtype).rpartition(".")[2], list(value.shape), np.asarray(value))
    return str(value).rpartition(".")[2]


def _same(a: Any, b: Any) -> None:
    if isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            _same(x, y)
    elif isinstance(a, tuple):
        assert a[:2] == b[:2]
        np.testing.assert_allclose(a[2], b[2], rtol=1e-5, atol=1e-6)
    else:
        assert a == b


@pytest.mark.interop
@pytest.mark.parametrize("text", CALLS.strip().split("\n"))
def test_calls_are_resolved_as_pytorch_does(text: str) -> None:
    torch = pytest.importorskip("torch")
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in (ls, torch):
            module.manual_seed(0)
            results.append(_plain(eval(text, {"t": module, "x": module.arange(6.0).reshape(2, 3)})))
    _same(*results)


def test_errors_name_the_signatures() -> None:
    x = ls.ones(2)
    with pytest.raises(TypeError, match=r"add\(\) received an invalid combination of arguments - got \(Tensor, str\)"):
        ls.add(x, "a")
    with pytest.raises(TypeError, match=r"relu\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        ls.relu(3)
    with pytest.raises(RuntimeError, match="size of tensor a"):
        x + ls.ones(3)
