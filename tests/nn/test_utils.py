"""`nn.utils`: packed sequences, gradient limits, fusions, weight norm."""

from __future__ import annotations

import copy
import io
from typing import Any

import numpy as np
import pytest

import linstock
from linstock import nn
from linstock.nn.utils import rnn
from tests.nn.test_layers import check

X = np.random.default_rng(2).standard_normal((5, 3, 4)).astype(np.float32)
LENGTHS = [2, 5, 3]


class Packed(nn.Module):
    """An LSTM over packed sequences: what is compiled is chosen by the argument's type."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.layer = getattr(nn, kind)(4, 3, num_layers=2, bidirectional=True)

    def forward(self, x: linstock.Tensor, lengths: linstock.Tensor):  # type: ignore[no-untyped-def]
        packed = rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        output, state = self.layer(packed)
        padded, back = rnn.pad_packed_sequence(output)
        plain, _ = self.layer(x)
        return padded, back, state, plain


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_packed_in_python_scripted_and_saved(kind: str) -> None:
    linstock.manual_seed(0)
    module = Packed(kind).eval()
    x, lengths = linstock.from_numpy(X), linstock.tensor(LENGTHS)
    wanted = module(x, lengths)
    for i, n in enumerate(LENGTHS):  # each sequence as if it were alone
        alone, _ = module.layer(x[:n, i])
        np.testing.assert_allclose(wanted[0][:n, i].detach().numpy(), alone.detach().numpy(), atol=1e-6)
        assert not wanted[0][n:, i].any()
    assert wanted[1].tolist() == LENGTHS
    scripted = linstock.jit.script(copy.deepcopy(module))
    check(scripted(x, lengths), wanted)
    file = io.BytesIO()
    linstock.jit.save(scripted, file)
    file.seek(0)
    check(linstock.jit.load(file)(x, lengths), wanted)
    torch = pytest.importorskip("torch")
    file.seek(0)
    with torch.no_grad():
        check(torch.jit.load(file)(torch.from_numpy(X), torch.tensor(LENGTHS)), wanted, 1e-5)


@pytest.mark.interop
def test_packed_like_torch() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.nn.utils.rnn
    for kind in (dict(batch_first=False), dict(batch_first=True)):
        x = X if not kind["batch_first"] else X.swapaxes(0, 1).copy()
        a = rnn.pack_padded_sequence(linstock.from_numpy(x), LENGTHS, enforce_sorted=False, **kind)
        b = theirs.pack_padded_sequence(torch.from_numpy(x), LENGTHS, enforce_sorted=False, **kind)
        assert a._fields == b._fields
        check(tuple(a), tuple(b))
        check(
            rnn.pad_packed_sequence(a, padding_value=-1.0, total_length=7, **kind),
            theirs.pad_packed_sequence(b, padding_value=-1.0, total_length=7, **kind),
        )


def test_sequences_there_and_back() -> None:
    sequences = [linstock.arange(n * 2.0).reshape(n, 2) for n in (4, 2, 1)]
    padded = rnn.pad_sequence(sequences, batch_first=True, padding_value=-1.0)
    assert padded.shape == (3, 4, 2) and padded[1, 2:].eq(-1).all()
    assert rnn.pad_sequence(sequences, padding_side="left")[0, 2].eq(0).all()
    for found in (
        rnn.unpad_sequence(padded, linstock.tensor([4, 2, 1]), True),
        rnn.unpack_sequence(rnn.pack_sequence(sequences)),
    ):
        check(found, sequences)
    packed = rnn.pack_sequence(sequences)
    assert packed.batch_sizes.tolist() == [3, 2, 1, 1] and packed.sorted_indices is None
    assert packed.double().data.dtype is linstock.float64 and packed.cpu() is packed
    with pytest.raises(ValueError, match="total_length to be at least"):
        rnn.pad_packed_sequence(packed, total_length=2)
    with pytest.raises(RuntimeError, match="sorted"):
        rnn.pack_padded_sequence(linstock.from_numpy(X), LENGTHS)


def test_gradient_limits() -> None:
    p = [nn.Parameter(linstock.ones(2)), nn.Parameter(linstock.ones(1)), nn.Parameter(linstock.ones(1))]
    p[0].grad, p[1].grad = linstock.tensor([3.0, 0.0]), linstock.tensor([4.0])
    assert float(nn.utils.clip_grad_norm_(p, 1.0)) == 5.0
    np.testing.assert_allclose([*p[0].grad.tolist(), *p[1].grad.tolist()], [0.6, 0.0, 0.8], rtol=1e-5)
    nn.utils.clip_grad_value_(p, 0.5)
    np.testing.assert_allclose([*p[0].grad.tolist(), *p[1].grad.tolist()], [0.5, 0.0, 0.5])
    p[1].grad = linstock.tensor([float("inf")])
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)


def test_parameters_as_a_vector() -> None:
    layer, other = nn.Linear(3, 2), nn.Linear(3, 2)
    vector = nn.utils.parameters_to_vector(layer.parameters())
    assert vector.shape == (8,)
    nn.utils.vector_to_parameters(vector, other.parameters())
    check(list(other.parameters()), list(layer.parameters()))


@pytest.mark.parametrize(
    ("layer", "norm", "shape"),
    [
        ("Conv2d(3, 4, 2)", "BatchNorm2d(4)", (2, 3, 5, 5)),
        ("Conv1d(3, 4, 2, bias=False)", "BatchNorm1d(4, affine=False)", (2, 3, 5)),
    ],
)
def test_batch_norm_goes_into_the_convolution(layer: str, norm: str, shape: tuple[int, ...]) -> None:
    conv, bn = eval(f"nn.{layer}").eval(), eval(f"nn.{norm}").eval()
    bn.running_mean.uniform_(-1, 1)
    bn.running_var.uniform_(0.5, 2)
    x = linstock.randn(*shape)
    check(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), 1e-5)
    with pytest.raises(AssertionError, match="eval"):
        nn.utils.fuse_conv_bn_eval(conv.train(), bn)


def test_batch_norm_goes_into_the_linear_layer() -> None:
    linear, bn = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval()
    bn.running_var.uniform_(0.5, 2)
    x = linstock.randn(5, 3)
    check(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), 1e-5)


def test_weight_norm() -> None:
    layer = nn.Conv1d(3, 4, 2)
    x, before = linstock.randn(1, 3, 6), copy.deepcopy(layer)
    nn.utils.weight_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight_g", "weight_v"] and layer.weight_g.shape == (4, 1, 1)
    check(layer(x), before(x), 1e-5)
    with linstock.no_grad():
        layer.weight_g.mul_(2)
    bias = before.bias.detach().reshape(1, 4, 1)
    check(layer(x) - bias, 2 * (before(x) - bias), 1e-5)
    with pytest.raises(RuntimeError, match="two weight_norm hooks"):
        nn.utils.weight_norm(layer)
    wanted = layer(x)
    nn.utils.remove_weight_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight"]
    check(layer(x), wanted)
    check(linstock.jit.script(layer)(x), wanted)


def test_buffer_registers_itself() -> None:
    class Module(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.kept = nn.Buffer(linstock.ones(2))
            self.passing = nn.Buffer(linstock.ones(3), persistent=False)

        def forward(self, x: linstock.Tensor) -> linstock.Tensor:
            return x + self.kept.sum() + self.passing.sum()

    module: Any = Module()
    assert list(module.state_dict()) == ["kept"] and len(list(module.buffers())) == 2
    assert float(module(linstock.zeros(1))) == float(linstock.jit.script(module)(linstock.zeros(1))) == 5.0
