"""Small models trained step by step next to PyTorch: the same losses, gradients and weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linstock as ls

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.interop


def _cnn(t: Any) -> Any:
    """Convolutions of every kind, batch and group norm, pooling, a residual sum and a classifier."""
    nn = t.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
            self.pool = nn.MaxPool2d(2)
            self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.norm = nn.GroupNorm(2, 8)
            self.down = nn.Conv2d(8, 12, 3, stride=2, padding=1, dilation=1)
            self.up = nn.ConvTranspose2d(12, 8, 4, stride=2, padding=1)
            self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))

        def forward(self, x: Any) -> Any:
            x = self.pool(self.stem(x))
            x = x + t.nn.functional.gelu(self.norm(self.depthwise(x)))
            return self.head(x + t.nn.functional.silu(self.up(self.down(x))))

    return Net()


def _classifier(t: Any) -> Any:
    """Embedding, bidirectional LSTM of two layers, GRU and a linear layer."""
    nn = t.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 6, padding_idx=0)
            self.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
            self.gru = nn.GRU(10, 7, batch_first=True)
            self.head = nn.Linear(7, 5)

        def forward(self, x: Any) -> Any:
            y, _ = self.lstm(self.embedding(x))
            return self.head(self.gru(y)[1][-1])

    return Net()


def _transformer(t: Any) -> Any:
    """Embedding, an encoder layer of either kind and a decoder layer, tied by their shapes only."""
    nn = t.nn

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(11, 8)
            self.first = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.second = nn.TransformerEncoderLayer(8, 4, 16, 0.0, "gelu", batch_first=True, norm_first=True)
            self.decoder = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.head = nn.Linear(8, 5)

        def forward(self, x: Any) -> Any:
            x = self.embedding(x)
            y = self.second(self.first(x))
            return self.head(self.decoder(x, y).mean(1))

    return Net()


def _images(rng: np.random.Generator) -> Any:
    return rng.standard_normal((4, 3, 8, 8))


def _words(rng: np.random.Generator) -> Any:
    return rng.integers(0, 11, (4, 6))


CASES = {
    "cnn": (_cnn, _images, lambda t, p: t.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-3)),
    "lstm": (_classifier, _words, lambda t, p: t.optim.Adam(p, lr=0.02)),
    "transformer": (_transformer, _words, lambda t, p: t.optim.AdamW(p, lr=0.01)),
}


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("name", CASES)
def test_training_follows_pytorch(name: str, smoothing: float) -> None:
    make, inputs, optimizer = CASES[name]
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    theirs = make(torch).double()
    ours = make(ls).double()
    ours.load_state_dict({k: ls.from_numpy(v.numpy().copy()) for k, v in theirs.state_dict().items()})
    steps: list[Any] = []
    for t, model in ((torch, theirs), (ls, ours)):
        rng = np.random.default_rng(1)
        optimize = optimizer(t, model.parameters())
        taken = []
        for _ in range(4):
            x, y = t.from_numpy(inputs(rng)), t.from_numpy(rng.integers(0, 5, 4))
            optimize.zero_grad()
            loss = t.nn.functional.cross_entropy(model(x), y, label_smoothing=smoothing)
            loss.backward()
            taken.append((loss.item(), {n: p.grad.numpy().copy() for n, p in model.named_parameters()}))
            optimize.step()
        steps.append(taken)
    for (loss, grads), (our_loss, our_grads) in zip(*steps):
        assert our_loss == pytest.approx(loss, rel=1e-8)
        assert grads.keys() == our_grads.keys()
        for n, g in grads.items():
            np.testing.assert_allclose(our_grads[n], g, rtol=1e-5, atol=1e-8, err_msg=n)
    assert steps[1][-1][0] != steps[1][0][0]
    for k, v in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[k].numpy(), v.numpy(), rtol=1e-4, atol=1e-7, err_msg=k)
