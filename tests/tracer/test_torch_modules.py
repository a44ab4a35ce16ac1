"""Modules of PyTorch, scripted by linstock: the same results as in PyTorch, also after saving."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest

import linstock
from tests.tracer.harness import difference

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.interop

nn = torch.nn


def images(n: int = 1, c: int = 3, size: int = 8) -> Any:
    return torch.randn(n, c, size, size, generator=torch.Generator().manual_seed(0))


def rows(*shape: int) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


LAYERS: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "Linear": (lambda: nn.Linear(4, 3), (rows(2, 4),)),
    "Linear without bias": (lambda: nn.Linear(4, 3, bias=False), (rows(2, 4),)),
    "Bilinear": (lambda: nn.Bilinear(4, 3, 2), (rows(2, 4), rows(2, 3))),
    "Identity": (nn.Identity, (rows(2, 4),)),
    "Conv1d": (lambda: nn.Conv1d(3, 4, 3, padding="same"), (rows(2, 3, 9),)),
    "Conv1d circular": (lambda: nn.Conv1d(3, 4, 3, padding=1, padding_mode="circular"), (rows(2, 3, 9),)),
    "Conv2d": (lambda: nn.Conv2d(3, 4, 3, stride=2, padding=1), (images(),)),
    "Conv2d grouped": (lambda: nn.Conv2d(4, 4, (3, 1), groups=2, dilation=(2, 1)), (images(1, 4),)),
    "Conv2d reflect": (lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"), (images(),)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (rows(1, 2, 4, 4, 4),)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(3, 2, 3, stride=2), (rows(1, 3, 5),)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(3, 2, 3, stride=2, output_padding=1), (images(),)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (rows(5, 4),)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), (images(2),)),
    "BatchNorm2d eval": (lambda: nn.BatchNorm2d(3).eval(), (images(2),)),
    "BatchNorm without statistics": (lambda: nn.BatchNorm2d(3, affine=False, track_running_stats=False), (images(2),)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3, affine=True), (images(2),)),
    "LayerNorm": (lambda: nn.LayerNorm([4]), (rows(2, 4),)),
    "LayerNorm plain": (lambda: nn.LayerNorm(4, elementwise_affine=False), (rows(2, 4),)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (images(1, 4),)),
    "RMSNorm": (lambda: nn.RMSNorm(4), (rows(2, 4),)),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), (images(),)),
    "MaxPool1d": (lambda: nn.MaxPool1d(2), (rows(1, 2, 8),)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, stride=1, ceil_mode=True), (images(),)),
    "MaxPool2d with indices": (lambda: nn.MaxPool2d(2, return_indices=True), (images(),)),
    "AvgPool2d": (lambda: nn.AvgPool2d((2, 3), count_include_pad=False), (images(),)),
    "LPPool2d": (lambda: nn.LPPool2d(2, 2), (images(),)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((3, 2)), (images(),)),
    "AdaptiveMaxPool1d": (lambda: nn.AdaptiveMaxPool1d(3), (rows(1, 2, 8),)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2), (images(),)),
    "Upsample bilinear": (lambda: nn.Upsample(size=(4, 5), mode="bilinear"), (images(),)),
    "UpsamplingNearest2d": (lambda: nn.UpsamplingNearest2d(scale_factor=2), (images(),)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), (images(1, 4),)),
    "ZeroPad2d": (lambda: nn.ZeroPad2d(1), (images(),)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), (images(),)),
    "ConstantPad1d": (lambda: nn.ConstantPad1d(2, 3.5), (rows(1, 2, 4),)),
    "Flatten": (nn.Flatten, (images(),)),
    "Unflatten": (lambda: nn.Unflatten(1, (2, 2)), (rows(3, 4),)),
    "Unfold": (lambda: nn.Unfold((2, 3)), (images(),)),
    "Fold": (lambda: nn.Fold((4, 5), (2, 2)), (rows(1, 12, 12),)),
    "Embedding": (lambda: nn.Embedding(5, 3, padding_idx=1), (torch.tensor([[0, 1], [4, 2]]),)),
    "Embedding with maximal norm": (lambda: nn.Embedding(5, 3, max_norm=1.0), (torch.tensor([0, 4]),)),
    "EmbeddingBag": (lambda: nn.EmbeddingBag(5, 3, mode="mean"), (torch.tensor([[0, 1], [4, 2]]),)),
    "Dropout in eval": (lambda: nn.Dropout(0.5).eval(), (rows(2, 4),)),
    "RNN": (lambda: nn.RNN(3, 4, nonlinearity="relu"), (rows(5, 2, 3),)),
    "LSTM": (lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True), (rows(5, 2, 3),)),
    "LSTM with projection": (lambda: nn.LSTM(3, 4, proj_size=2, batch_first=True), (rows(2, 5, 3),)),
    "LSTM with state": (lambda: nn.LSTM(3, 4), (rows(5, 2, 3), (rows(1, 2, 4), rows(1, 2, 4)))),
    "LSTM unbatched": (lambda: nn.LSTM(3, 4), (rows(5, 3),)),
    "GRU": (lambda: nn.GRU(3, 4, batch_first=True), (rows(2, 5, 3),)),
    "RNNCell": (lambda: nn.RNNCell(3, 4), (rows(2, 3),)),
    "LSTMCell": (lambda: nn.LSTMCell(3, 4), (rows(2, 3),)),
    "GRUCell": (lambda: nn.GRUCell(3, 4), (rows(2, 3), rows(2, 4))),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2), (rows(5, 2, 4), rows(6, 2, 4), rows(6, 2, 4))),
    "MultiheadAttention with other sizes": (
        lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True), (rows(2, 5, 4), rows(2, 6, 3), rows(2, 6, 5)),
    ),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), (rows(5, 2, 4),)),
    "TransformerEncoder in eval": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2, enable_nested_tensor=False).eval(),
        (rows(2, 5, 4),),
    ),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), (rows(5, 2, 4), rows(6, 2, 4))),
    "Transformer": (lambda: nn.Transformer(4, 2, 1, 1, 8, dropout=0.0), (rows(5, 2, 4), rows(3, 2, 4))),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(label_smoothing=0.1), (rows(3, 4), torch.tensor([0, 1, 3]))),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss, (rows(3), torch.tensor([0.0, 1.0, 1.0]))),
    "SmoothL1Loss": (lambda: nn.SmoothL1Loss(reduction="sum"), (rows(3), rows(3) * 2)),
    "CTCLoss": (
        nn.CTCLoss, (rows(6, 1, 4).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([6]), torch.tensor([2])),
    ),
    "TripletMarginLoss": (nn.TripletMarginLoss, (rows(3, 4), rows(3, 4) * 2, rows(3, 4) - 1)),
    "CosineSimilarity": (nn.CosineSimilarity, (rows(3, 4), rows(3, 4) * 2 + 1)),
    "PairwiseDistance": (nn.PairwiseDistance, (rows(3, 4), rows(3, 4) + 1)),
    "Softmax": (lambda: nn.Softmax(dim=1), (rows(2, 4),)),
    "Sequential": (lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 2), nn.Tanh())), (rows(2, 4),)),
    "ParametricReLU": (lambda: nn.PReLU(4), (rows(2, 4),)),
}  # fmt: skip
ACTIVATIONS = (
    "ReLU", "ReLU6", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "Sigmoid", "Softplus", "Softsign", "Softshrink", "Hardshrink", "Tanh", "Tanhshrink", "RReLU", "GLU", "Softmin", "LogSoftmax",
)  # fmt: skip
for _name in ACTIVATIONS:
    LAYERS[_name] = (
        lambda n=_name: getattr(nn, n)(**({"dim": 1} if n in ("Softmin", "LogSoftmax") else {})).eval(),
        (rows(2, 4),),
    )


@pytest.mark.parametrize("name", list(LAYERS))
def test_layer(name: str) -> None:
    make, arguments = LAYERS[name]
    torch.manual_seed(1)
    layer = make()
    scripted = linstock.jit.script(copy.deepcopy(layer))
    buffer = io.BytesIO()
    linstock.jit.save(scripted, buffer)
    buffer.seek(0)
    loaded = torch.jit.load(buffer)
    with torch.no_grad():
        expected = copy.deepcopy(layer)(*copy.deepcopy(arguments))
        assert difference(expected, scripted(*copy.deepcopy(arguments))) is None
        assert difference(expected, loaded(*copy.deepcopy(arguments))) is None
