"""Layers and the inputs that they are tested with; each row makes the layer from either library."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Integers:
    """An input of integers below `high`."""

    shape: tuple[int, ...]
    high: int


@dataclass(frozen=True)
class Positive:
    """An input of numbers between 0 and 1."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Signs:
    """An input of 1 and -1."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Mask:
    """A bool input that hides the last places."""

    shape: tuple[int, ...]
    hidden: int = 1


@dataclass(frozen=True)
class Row:
    """A layer (made from a module `nn`) and the inputs of its forward; None and tuples are passed as they are."""

    text: str
    inputs: tuple[Any, ...]
    make: Callable[[Any], Any]
    scriptable: bool = True
    training: bool = False


def _row(text: str, *inputs: Any, scriptable: bool = True, training: bool = False) -> Row:
    return Row(text, inputs, eval(f"lambda nn: nn.{text}"), scriptable, training)


def arrays_of(row: Row) -> tuple[Any, ...]:
    """The inputs as NumPy arrays, the same each time."""
    random = np.random.default_rng(zlib.crc32(row.text.encode()))

    def make(spec: Any) -> Any:
        if isinstance(spec, Integers):
            return random.integers(0, spec.high, spec.shape)
        if isinstance(spec, Positive):
            return random.uniform(0.05, 0.95, spec.shape).astype(np.float32)
        if isinstance(spec, Signs):
            return np.where(random.random(spec.shape) > 0.5, 1.0, -1.0).astype(np.float32)
        if isinstance(spec, Mask):
            made = np.zeros(spec.shape, bool)
            made[..., -spec.hidden :] = True
            return made
        if isinstance(spec, tuple) and (not spec or isinstance(spec[0], int)):
            return random.standard_normal(spec).astype(np.float32)
        if isinstance(spec, tuple):
            return tuple(make(s) for s in spec)
        return spec

    return tuple(make(spec) for spec in row.inputs)


ROWS = [
    _row("Identity()", (2, 3)),
    _row("Linear(3, 4)", (2, 3)),
    _row("Linear(3, 4, bias=False)", (2, 5, 3)),
    _row("Bilinear(3, 4, 5)", (2, 3), (2, 4)),
    _row("Bilinear(3, 4, 5, bias=False)", (2, 3), (2, 4)),
    # convolutions
    _row("Conv1d(4, 6, 3)", (2, 4, 10)),
    _row("Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False)", (2, 4, 12)),
    _row("Conv1d(4, 6, 3, padding='same')", (2, 4, 10)),
    _row("Conv1d(4, 6, 4, padding='same', padding_mode='reflect')", (2, 4, 10)),
    _row("Conv2d(3, 6, 3)", (2, 3, 8, 8)),
    _row("Conv2d(3, 6, (3, 5), stride=(2, 1), padding=(1, 2))", (2, 3, 8, 8)),
    _row("Conv2d(3, 6, 3, padding=1, padding_mode='circular')", (3, 8, 8)),
    _row("Conv2d(4, 4, 3, padding='valid', groups=4)", (2, 4, 8, 8)),
    _row("Conv3d(2, 4, 2, padding=1, padding_mode='replicate')", (1, 2, 4, 5, 6)),
    _row("ConvTranspose1d(4, 6, 3, stride=2)", (2, 4, 5)),
    _row("ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)", (2, 4, 5, 5)),
    _row("ConvTranspose2d(4, 6, 3, dilation=2, bias=False)", (2, 4, 5, 5)),
    _row("ConvTranspose3d(2, 3, 2, stride=2)", (1, 2, 3, 3, 3)),
    # normalisation
    _row("BatchNorm1d(4)", (3, 4)),
    _row("BatchNorm1d(4, affine=False)", (3, 4, 5), training=True),
    _row("BatchNorm2d(4)", (3, 4, 5, 5), training=True),
    _row("BatchNorm2d(4, momentum=None)", (3, 4, 5, 5), training=True),
    _row("BatchNorm2d(4, track_running_stats=False)", (3, 4, 5, 5)),
    _row("BatchNorm3d(2)", (2, 2, 3, 3, 3)),
    _row("InstanceNorm1d(4)", (2, 4, 5)),
    _row("InstanceNorm2d(4, affine=True, track_running_stats=True)", (2, 4, 5, 5)),
    _row("InstanceNorm2d(4, affine=True, track_running_stats=True)", (2, 4, 5, 5), training=True),
    _row("InstanceNorm3d(2)", (2, 3, 3, 3)),
    _row("LayerNorm(6)", (2, 3, 6)),
    _row("LayerNorm((3, 6), bias=False)", (2, 3, 6)),
    _row("LayerNorm(6, elementwise_affine=False)", (2, 3, 6)),
    _row("RMSNorm(6)", (2, 3, 6)),
    _row("RMSNorm((3, 6), eps=1e-3)", (2, 3, 6)),
    _row("GroupNorm(2, 6)", (2, 6, 4, 4)),
    _row("GroupNorm(3, 6, affine=False)", (2, 6, 4)),
    _row("LocalResponseNorm(3)", (2, 5, 4, 4)),
    _row("LocalResponseNorm(2, alpha=0.1, beta=0.5, k=2.0)", (2, 5, 4)),
    # pooling
    _row("MaxPool1d(3)", (2, 3, 10)),
    _row("MaxPool1d(3, stride=2, padding=1, return_indices=True)", (2, 3, 10)),
    _row("MaxPool2d(2)", (2, 3, 8, 8)),
    _row("MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), ceil_mode=True)", (3, 8, 8)),
    _row("MaxPool2d(2, return_indices=True)", (2, 3, 8, 8)),
    _row("MaxPool3d(2, dilation=1)", (1, 2, 4, 4, 4)),
    _row("MaxUnpool1d(2)", (1, 1, 4), Integers((1, 1, 4), 8)),
    _row("MaxUnpool2d(2, stride=2)", (1, 1, 2, 2), Integers((1, 1, 2, 2), 16)),
    _row("MaxUnpool3d(2)", (1, 1, 2, 2, 2), Integers((1, 1, 2, 2, 2), 64)),
    _row("AvgPool1d(3, stride=2)", (2, 3, 10)),
    _row("AvgPool2d(2, padding=1, count_include_pad=False)", (2, 3, 8, 8)),
    _row("AvgPool2d((2, 3), ceil_mode=True, divisor_override=5)", (2, 3, 8, 8)),
    _row("AvgPool3d(2)", (1, 2, 4, 4, 4)),
    _row("LPPool1d(2, 3)", (2, 3, 9)),
    _row("LPPool2d(1.5, 2, stride=1)", Positive((2, 3, 8, 8))),
    _row("LPPool3d(2, (2, 2, 1))", (1, 2, 4, 4, 4)),
    _row("AdaptiveAvgPool1d(3)", (2, 3, 10)),
    _row("AdaptiveAvgPool2d((3, 2))", (2, 3, 8, 7)),
    _row("AdaptiveAvgPool2d(1)", (2, 3, 8, 7)),
    _row("AdaptiveAvgPool2d((None, 2))", (2, 3, 8, 7), scriptable=False),
    _row("AdaptiveAvgPool3d(2)", (1, 2, 5, 5, 5)),
    _row("AdaptiveMaxPool1d(3)", (2, 3, 10)),
    _row("AdaptiveMaxPool2d((3, 2), return_indices=True)", (2, 3, 8, 7)),
    _row("AdaptiveMaxPool3d(2)", (1, 2, 5, 5, 5)),
    # activations
    *[
        _row(text, (2, 4, 6))
        for text in (
            "ReLU()",
            "ReLU6()",
            "SELU()",
            "SiLU()",
            "Mish()",
            "Hardsigmoid()",
            "Hardswish()",
            "Hardtanh(-0.5, 0.7)",
            "Threshold(0.1, 2.0)",
            "RReLU()",
            "ELU(0.7)",
            "CELU(1.3)",
            "LeakyReLU(0.2)",
            "PReLU()",
            "PReLU(4)",
            "GELU()",
            "GELU('tanh')",
            "GLU()",
            "GLU(1)",
            "Softplus(2.0, 1.0)",
            "Hardshrink(0.3)",
            "Softshrink()",
            "Sigmoid()",
            "Tanh()",
            "LogSigmoid()",
            "Softsign()",
            "Tanhshrink()",
            "Softmax(1)",
            "Softmin(-1)",
            "LogSoftmax(2)",
            "Softmax2d()",
            "Flatten()",
            "Flatten(0, 1)",
            "Unflatten(2, (2, 3))",
            "Dropout(0.3)",
            "AlphaDropout(0.3)",
            "FeatureAlphaDropout(0.2)",
            "Dropout1d(0.5)",
            "ZeroPad1d(2)",
            "ConstantPad1d((1, 2), 3.5)",
            "ReflectionPad1d(2)",
            "ReplicationPad1d((2, 1))",
            "CircularPad1d(1)",
            "ConstantPad2d(1, 0.5)",
        )
    ],
    *[
        _row(f"{name}(inplace=True)", (2, 4, 6))
        for name in (
            "ReLU",
            "ReLU6",
            "SELU",
            "SiLU",
            "Mish",
            "Hardsigmoid",
            "Hardswish",
            "ELU",
            "CELU",
            "LeakyReLU",
            "Hardtanh",
        )
    ],
    *[
        _row(text, (2, 4, 6, 6))
        for text in (
            "ZeroPad2d((1, 2, 0, 1))",
            "ConstantPad3d(1, -1.0)",
            "ReflectionPad2d((1, 2, 2, 0))",
            "ReplicationPad2d(2)",
            "CircularPad2d(1)",
            "ReflectionPad3d(1)",
            "ReplicationPad3d(1)",
            "CircularPad3d(1)",
            "ZeroPad3d(1)",
            "Dropout2d(0.4)",
            "Dropout3d()",
            "PixelShuffle(2)",
            "PixelUnshuffle(3)",
            "ChannelShuffle(2)",
            "Upsample(scale_factor=2)",
            "Upsample(size=(3, 4))",
            "Upsample(size=5, mode='bilinear')",
            "Upsample(scale_factor=(1.5, 2.0), mode='bilinear', align_corners=True)",
            "Upsample(scale_factor=0.7, mode='bicubic', recompute_scale_factor=True)",
            "Upsample(scale_factor=0.5, mode='area')",
            "Upsample(scale_factor=1.7, mode='nearest-exact')",
            "UpsamplingNearest2d(size=9)",
            "UpsamplingBilinear2d(scale_factor=2)",
            "Unfold(2, stride=2)",
            "Unfold((2, 3), padding=1, dilation=2)",
        )
    ],
    _row("Upsample(size=7, mode='linear')", (2, 3, 5)),
    _row("Upsample(scale_factor=2, mode='trilinear')", (1, 2, 3, 3, 3)),
    _row("Fold((6, 6), 2, stride=2)", (2, 12, 9)),
    _row("PairwiseDistance()", (3, 5), (3, 5)),
    _row("PairwiseDistance(1.0, keepdim=True)", (3, 5), (3, 5)),
    _row("CosineSimilarity()", (3, 5), (3, 5)),
    # lookups
    _row("Embedding(7, 3)", Integers((2, 4), 7)),
    _row("Embedding(7, 3, padding_idx=-1)", Integers((2, 4), 7)),
    _row("Embedding(7, 3, max_norm=1.0)", Integers((2, 4), 7)),
    _row("EmbeddingBag(7, 3)", Integers((2, 4), 7)),
    _row("EmbeddingBag(7, 3, mode='sum', padding_idx=1)", Integers((2, 4), 7)),
    _row("EmbeddingBag(7, 3, mode='max')", Integers((2, 4), 7)),
    # recurrent
    _row("RNN(3, 4)", (5, 2, 3)),
    _row("RNN(3, 4, nonlinearity='relu', num_layers=2, bidirectional=True, batch_first=True)", (2, 5, 3), (4, 2, 4)),
    _row("GRU(3, 4, bias=False)", (5, 2, 3)),
    _row("GRU(3, 4, num_layers=2, bidirectional=True)", (5, 2, 3), (4, 2, 4)),
    _row("GRU(3, 4)", (5, 3)),
    _row("LSTM(3, 4)", (5, 2, 3)),
    _row("LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True, dropout=0.2)", (2, 5, 3)),
    _row("LSTM(3, 4, proj_size=2)", (5, 2, 3), ((1, 2, 2), (1, 2, 4))),
    _row("LSTM(3, 4)", (5, 3), ((1, 4), (1, 4))),
    _row("RNNCell(3, 4)", (2, 3)),
    _row("RNNCell(3, 4, nonlinearity='relu')", (2, 3), (2, 4)),
    _row("LSTMCell(3, 4)", (2, 3), ((2, 4), (2, 4))),
    _row("LSTMCell(3, 4, bias=False)", (2, 3)),
    _row("GRUCell(3, 4)", (2, 3), (2, 4)),
    _row("GRUCell(3, 4)", (3,)),
    # attention
    _row("MultiheadAttention(8, 2)", (5, 2, 8), (4, 2, 8), (4, 2, 8)),
    _row("MultiheadAttention(8, 2, batch_first=True)", (2, 5, 8), (2, 4, 8), (2, 4, 8), Mask((2, 4)), False),
    _row(
        "MultiheadAttention(8, 4, kdim=6, vdim=7, bias=False)",
        (5, 2, 8),
        (4, 2, 6),
        (4, 2, 7),
        None,
        True,
        (5, 4),
        False,
    ),
    _row(
        "MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)",
        (5, 2, 8),
        (4, 2, 8),
        (4, 2, 8),
        Mask((2, 4)),
        True,
        Mask((5, 4), 2),
    ),
    _row("MultiheadAttention(8, 2)", (5, 8), (4, 8), (4, 8)),
    _row("TransformerEncoderLayer(8, 2, 16)", (5, 2, 8)),
    _row(
        "TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation='gelu')",
        (2, 5, 8),
        Mask((5, 5), 2),
        Mask((2, 5)),
    ),
    _row("TransformerDecoderLayer(8, 2, 16, bias=False)", (4, 2, 8), (5, 2, 8)),
    _row("TransformerDecoderLayer(8, 2, 16, norm_first=True)", (4, 2, 8), (5, 2, 8), (4, 4), None, None, Mask((2, 5))),
    _row(
        "TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)",
        (2, 5, 8),
        None,
        Mask((2, 5), 2),
    ),
    _row("TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8))", (5, 2, 8), (5, 5)),
    _row("TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)", (4, 2, 8), (5, 2, 8)),
    _row("Transformer(8, 2, 1, 1, 16, batch_first=True)", (2, 5, 8), (2, 4, 8), None, (4, 4), None, Mask((2, 5))),
    # containers
    _row("Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))", (2, 3)),
    _row(
        "Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())",
        (2, 3, 6, 6),
    ),
    # losses
    *[
        _row(text, (3, 5), (3, 5))
        for text in (
            "L1Loss()",
            "MSELoss(reduction='sum')",
            "MSELoss(reduction='none')",
            "SmoothL1Loss(beta=0.5)",
            "SmoothL1Loss(beta=0.0)",
            "HuberLoss(delta=0.4)",
            "KLDivLoss(reduction='batchmean')",
            "KLDivLoss(reduction='sum', log_target=True)",
        )
    ],
    _row("PoissonNLLLoss()", (3, 5), Positive((3, 5))),
    _row("PoissonNLLLoss(log_input=False, full=True)", Positive((3, 5)), Positive((3, 5))),
    _row("GaussianNLLLoss(full=True)", (3, 5), (3, 5), Positive((3, 5))),
    _row("GaussianNLLLoss()", (3, 5), (3, 5), Positive((3, 1))),
    _row("NLLLoss()", (3, 5), Integers((3,), 5)),
    _row("NLLLoss(ignore_index=2, reduction='sum')", (3, 5, 4), Integers((3, 4), 5)),
    _row("CrossEntropyLoss()", (3, 5), Integers((3,), 5)),
    _row("CrossEntropyLoss(label_smoothing=0.1)", (3, 5, 4), Integers((3, 4), 5)),
    _row("CrossEntropyLoss()", (3, 5), Positive((3, 5))),
    _row("BCELoss()", Positive((3, 5)), Positive((3, 5))),
    _row("BCEWithLogitsLoss()", (3, 5), Positive((3, 5))),
    _row("CTCLoss()", (6, 2, 5), Integers((2, 3), 4), Integers((2,), 1), Integers((2,), 1)),
    _row("SoftMarginLoss()", (3, 5), Signs((3, 5))),
    _row("MultiLabelMarginLoss()", (3, 5), Integers((3, 5), 5)),
    _row("MultiLabelSoftMarginLoss()", (3, 5), Positive((3, 5))),
    _row("MultiMarginLoss(p=2, margin=0.5)", (3, 5), Integers((3,), 5)),
    _row("MarginRankingLoss(0.2)", (3,), (3,), Signs((3,))),
    _row("CosineEmbeddingLoss(0.1)", (3, 5), (3, 5), Signs((3,))),
    _row("HingeEmbeddingLoss()", (3, 5), Signs((3, 5))),
    _row("TripletMarginLoss(swap=True)", (3, 5), (3, 5), (3, 5)),
    _row("TripletMarginWithDistanceLoss()", (3, 5), (3, 5), (3, 5), scriptable=False),
    _row("AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0)", (4, 8), Integers((4,), 10), scriptable=False),
]
