"""Layers as ONNX: each operator is exported, run in ONNX Runtime and compared with linstock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import linstock as ls
import linstock.onnx
from linstock.ir.errors import ExportError

pytestmark = pytest.mark.filterwarnings("ignore:Default grid_sample:UserWarning", "ignore:reduction:UserWarning")
pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Array = np.ndarray[Any, Any]
F = "torch.nn.functional."


@dataclass
class Case:
    """An expression (or statements) of the named inputs; a tuple of sizes stands for normally distributed floats."""

    text: str
    inputs: Sequence[Any]
    dynamic: dict[str, list[int]] = field(default_factory=dict)
    opset: int = 18


@dataclass
class Whole:
    """Integers from 0 up to a bound."""

    shape: tuple[int, ...]
    bound: int


def case(text: str, *inputs: Any, opset: int = 18, **dynamic: list[int]) -> Case:
    return Case(text, inputs, dynamic, opset)


def positive(*shape: int) -> Array:
    return np.linspace(0.05, 0.95, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def array(spec: Any, random: np.random.Generator) -> Array:
    if isinstance(spec, np.ndarray):
        return spec
    if isinstance(spec, Whole):
        return np.asarray(random.integers(0, spec.bound, spec.shape))
    return np.asarray(random.standard_normal(spec), np.float32)


def check(c: Case) -> None:
    """Inputs are called x0, x1, ... in the text."""
    random = np.random.default_rng(0)
    arrays = [array(s, random) for s in c.inputs]
    lines = c.text.split("\n") if "return " in c.text else [f"return {c.text}"]
    source = f"def f({', '.join(f'x{i}' for i in range(len(arrays)))}):\n" + "\n".join(f"    {line}" for line in lines)
    function = ls.jit.CompilationUnit(source).f
    inputs = tuple(ls.from_numpy(a) for a in arrays)
    linstock.onnx.export(function, inputs, opset_version=c.opset, dynamic_axes=c.dynamic, verify=True)


IMAGE, LINE, VOLUME = (2, 4, 9, 8), (2, 4, 11), (2, 4, 5, 6, 7)
ANY = [0, 2, 3]

CONVOLUTIONS = [
    case("torch.conv2d(x0, x1, x2)", IMAGE, (6, 4, 3, 3), (6,)),
    case("torch.conv2d(x0, x1, x2, [2, 1], [1, 2], [1, 2])", IMAGE, (6, 4, 3, 3), (6,), x0=ANY),
    case("torch.conv2d(x0, x1, None, 1, 'same', [2, 1])", IMAGE, (6, 4, 3, 2)),
    case("torch.conv2d(x0, x1, None, 2, 'valid')", IMAGE, (6, 4, 3, 3)),
    case("torch.conv2d(x0, x1, groups=2)", IMAGE, (6, 2, 3, 3)),
    case("torch.conv2d(x0, x1)", IMAGE[1:], (6, 4, 3, 3)),
    case("torch.conv2d(x0.double(), x1.double())", IMAGE, (6, 4, 3, 3)),
    case("torch.conv1d(x0, x1, None, 2, 1)", LINE, (6, 4, 3)),
    case("torch.conv1d(x0, x1, None, 1, 'same')", LINE[1:], (6, 4, 4)),
    case("torch.conv3d(x0, x1, padding=1)", VOLUME, (6, 4, 3, 3, 3)),
    case("torch.conv_transpose2d(x0, x1)", IMAGE, (4, 3, 3, 3)),
    case("torch.conv_transpose2d(x0, x1, x2, [2, 3], [1, 0], [1, 2], 2, [1, 2])", IMAGE, (4, 3, 3, 3), (6,)),
    case("torch.conv_transpose1d(x0, x1, None, 2, 1, 1)", LINE[1:], (4, 3, 3)),
    case("torch.conv_transpose3d(x0, x1, None, 2)", VOLUME, (4, 3, 2, 2, 2)),
    case("torch.conv_tbc(x0, x1, x2, 1)", (7, 2, 4), (3, 4, 5), (5,)),
    case(F + "unfold(x0, [2, 3], [1, 2], [1, 0], [2, 1])", IMAGE),
    case(F + "fold(x0, [5, 6], [2, 3], [1, 1], [0, 1], [1, 2])", (2, 24, 12)),
]

POOLS = [
    *[case(F + text, IMAGE) for text in (
        "max_pool2d(x0, 2)", "max_pool2d(x0, [3, 2], [2, 1], [1, 0], [1, 2])", "max_pool2d(x0, 3, 2, 1, 1, True)",
        "max_pool2d(x0, 3, 2, 1, return_indices=True)", "avg_pool2d(x0, 2)", "avg_pool2d(x0, 3, 2, 1)",
        "avg_pool2d(x0, 3, 2, 1, count_include_pad=False)", "avg_pool2d(x0, 3, 2, 1, True)",
        "avg_pool2d(x0, 4, 3, 1, True, False)", "avg_pool2d(x0, 3, 2, 1, True, True, 5)",
        "avg_pool2d(x0, 3, 2, 1, False, False, 5)", "lp_pool2d(x0, 2., 2)", "adaptive_avg_pool2d(x0, 1)",
        "adaptive_avg_pool2d(x0, [3, 4])", "adaptive_avg_pool2d(x0, [5, 3])", "adaptive_max_pool2d(x0, [3, 4])",
        "adaptive_max_pool2d(x0, [5, 3], return_indices=True)", "pixel_shuffle(x0, 2)", "channel_shuffle(x0, 2)",
    )],
    *[case(F + text, IMAGE[1:]) for text in (
        "max_pool2d(x0, 2, return_indices=True)", "avg_pool2d(x0, 2)", "adaptive_avg_pool2d(x0, [12, 1])",
        "adaptive_max_pool2d(x0, [5, 3])", "pixel_shuffle(x0, 2)",
    )],
    *[case(F + text, LINE) for text in (
        "max_pool1d(x0, 3, 2, ceil_mode=True)", "avg_pool1d(x0, 4, 3, 1, True)", "adaptive_avg_pool1d(x0, 4)",
        "adaptive_max_pool1d(x0, 4)",
    )],
    *[case(F + text, VOLUME) for text in (
        "max_pool3d(x0, 2, 1)", "avg_pool3d(x0, 3, 2, 1, True)", "adaptive_avg_pool3d(x0, [2, 3, 4])",
        "adaptive_max_pool3d(x0, [2, 4, 3], return_indices=True)",
    )],
    *[case(F + text, IMAGE, x0=ANY) for text in (
        "adaptive_avg_pool2d(x0, [5, 3])", "adaptive_avg_pool2d(x0, 1)", "max_pool2d(x0, 2, return_indices=True)",
        "adaptive_max_pool2d(x0, 1, return_indices=True)", "pixel_shuffle(x0, 2)", "channel_shuffle(x0, 2)",
    )],
    case(F + "pixel_unshuffle(x0, 2)", (2, 3, 4, 6)),
    case(F + "pixel_unshuffle(x0, 2)", (2, 1, 3, 4, 6)),
    case(f"y, i = {F}max_pool2d(x0, 2, return_indices=True)\nreturn {F}max_unpool2d(y, i, 2)", (2, 3, 8, 6)),
    case(f"y, i = {F}max_pool3d(x0, 2, return_indices=True)\nreturn {F}max_unpool3d(y, i, 2)", (2, 3, 4, 8, 6)),
]  # fmt: skip

_RESIZES = [
    (IMAGE, "scale_factor=2.0"), (IMAGE, "size=[5, 13]"), (IMAGE, "scale_factor=1.7"), (LINE, "size=7"),
    (VOLUME, "size=[4, 7, 9]"), (IMAGE, "scale_factor=0.6, mode='nearest-exact'"),
    (IMAGE, "size=[5, 13], mode='nearest-exact'"), (IMAGE, "scale_factor=[2.0, 1.3], mode='bilinear'"),
    (IMAGE, "size=[5, 13], mode='bilinear'"), (IMAGE, "size=[5, 13], mode='bilinear', align_corners=True"),
    (IMAGE, "scale_factor=1.6, mode='bilinear', align_corners=True"), (LINE, "size=17, mode='linear'"),
    (LINE, "scale_factor=1.6, mode='linear'"), (LINE, "size=17, mode='linear', align_corners=True"),
    (VOLUME, "size=[3, 9, 8], mode='trilinear'"), (VOLUME, "scale_factor=1.6, mode='trilinear', align_corners=True"),
    (IMAGE, "size=[5, 13], mode='bicubic'"), (IMAGE, "scale_factor=1.6, mode='bicubic'"),
    (IMAGE, "size=[5, 13], mode='bicubic', align_corners=True"), (IMAGE, "size=[1, 1], mode='bilinear'"),
    (IMAGE, "size=[5, 4], mode='bilinear', antialias=True"), (IMAGE, "size=[5, 4], mode='bicubic', antialias=True"),
    (IMAGE, "size=[1, 1], mode='bilinear', align_corners=True"),
    (IMAGE, "scale_factor=1.6, mode='bilinear', recompute_scale_factor=True"),
]  # fmt: skip
RESIZES = [
    *[case(f"{F}interpolate(x0, {text})", shape) for shape, text in _RESIZES],
    case(F + "interpolate(x0, scale_factor=2.0)", IMAGE, x0=ANY),
    case(F + "interpolate(x0, scale_factor=1.6, mode='bilinear', align_corners=True)", IMAGE, x0=ANY),
    case(F + "interpolate(x0, size=x1.shape[2:], mode='bilinear')", IMAGE, (2, 4, 5, 13), x0=ANY, x1=[2, 3]),
    *[
        case(f"{F}grid_sample(x0, x1 * 0.6, '{mode}', '{padding}', {corners})", IMAGE, (2, 5, 6, 2))
        for mode in ("bilinear", "nearest", "bicubic")
        for padding, corners in (("zeros", True), ("border", False), ("reflection", False))
    ],
    case(F + "grid_sample(x0, x1 * 0.6)", VOLUME, (2, 3, 5, 6, 3), opset=20),
    case(F + "affine_grid(x0, [2, 3, 5, 4], False)", (2, 2, 3)),
    case(F + "affine_grid(x0, [2, 3, 5, 4, 3], True)", (2, 3, 4)),
]

_NORM = (IMAGE, (4,), (4,), (4,), positive(4))
NORMS = [
    case(F + "batch_norm(x0, x3, x4, x1, x2)", *_NORM, x0=ANY),
    case(F + "batch_norm(x0, x3, x4, x1, x2)", VOLUME, *_NORM[1:]),
    case(F + "batch_norm(x0, x3, x4, x1, x2)", (3, 4), *_NORM[1:]),
    case(F + "batch_norm(x0, x1, x2)", IMAGE, (4,), positive(4)),
    case(F + "batch_norm(x0, None, None, x1, x2, True)", IMAGE, (4,), (4,)),
    case(F + "layer_norm(x0, [8])", IMAGE),
    case(F + "layer_norm(x0, [9, 8], x1, x2)", IMAGE, (9, 8), (9, 8), x0=[0]),
    case(F + "layer_norm(x0.double(), [8])", IMAGE),
    case("torch.native_layer_norm(x0, [8], None, None, 1e-5)", IMAGE),
    case(F + "group_norm(x0, 2, x1, x2)", IMAGE, (4,), (4,), x0=ANY),
    case(F + "group_norm(x0, 4)", LINE),
    case(F + "group_norm(x0, 2, x1, x2)", (3, 4), (4,), (4,)),
    case(F + "instance_norm(x0, None, None, x1, x2)", LINE, (4,), (4,)),
    case(F + "instance_norm(x0, x3, x4, x1, x2, False)", *_NORM),
    case(F + "rms_norm(x0, [8], x1)", IMAGE, (8,)),
    case(F + "rms_norm(x0, [9, 8], None, 1e-3)", IMAGE),
    case(F + "local_response_norm(x0, 3)", IMAGE),
    *[case(t, IMAGE) for t in ("torch.softmax(x0, 1)",
                               "torch.softmax(x0, -1, torch.float64)", "torch.log_softmax(x0, 0)",
                               "torch.logsumexp(x0, [0, 2])", "torch.logsumexp(x0, 1, True)", F + "normalize(x0)")],
    case("torch.softmax(x0, 0)", ()),
]  # fmt: skip

_QKV = ((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 6))
_EMPTY_ROW = np.tri(5, 7, -1, dtype=bool)
_SDPA = F + "scaled_dot_product_attention(x0, x1, x2"
_JOINT = ((24, 8), (24,), (8, 8), (8,))
_ENCODER = ((2, 5, 8), *_JOINT, (8,), (8,), (8,), (8,), (16, 8), (16,), (8, 16), (8,))
_PADDED = np.arange(5)[None] >= np.asarray([[5], [3]])


def encoder(gelu: bool, first: bool, mask: str, *more: Any) -> Case:
    arguments = f"x1, x2, x3, x4, {gelu}, {first}, 1e-5, x5, x6, x7, x8, x9, x10, x11, x12, {mask}"
    return case(f"torch._transformer_encoder_layer_fwd(x0, 8, 2, {arguments})", *_ENCODER, *more)


ATTENTION = [
    case(_SDPA + ")", *_QKV),
    case(_SDPA + ", None, 0.0, True)", *_QKV),
    case(_SDPA + ", None, 0.0, True)", *_QKV, x0=[0, 2], x1=[2], x2=[2]),
    case(_SDPA + ", x3)", *_QKV, (5, 7)),
    case(_SDPA + ", x3)", *_QKV, _EMPTY_ROW),
    case(_SDPA + ", x3)", *_QKV, np.stack([_EMPTY_ROW, ~_EMPTY_ROW])[:, None], x0=[0, 2], x3=[2]),
    case(_SDPA + ", scale=0.3)", *_QKV),
    case(_SDPA + ", scale=-0.3)", *_QKV),
    case(_SDPA + ", enable_gqa=True)", (2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6), x0=[0], x1=[0, 2]),
    case(_SDPA + ")", *[s[2:] for s in _QKV]),
    case(F + "embedding(x1, x0, 2)", (5, 3), Whole((2, 4), 5)),
    case(F + "one_hot(x0, 6)", Whole((2, 4), 5)),
    case(F + "one_hot(x0)", Whole((2, 4), 5)),
    *[
        case(f"{F}embedding_bag(x0, x1, x2, {text})", Whole((9,), 5), (5, 3), np.asarray(offsets), *more)
        for text, offsets, *more in (
            ("mode='mean'", [0, 2, 2, 6]), ("mode='sum'", [0, 2, 2, 6]), ("mode='max'", [0, 2, 2, 6]),
            ("padding_idx=1", [0, 2, 2, 6]), ("include_last_offset=True", [0, 2, 2, 6, 9]),
            ("mode='sum', per_sample_weights=x3", [0, 2, 2, 6], (9,)),
        )
    ],
    case(F + "embedding_bag(x0, x1)", Whole((3, 4), 5), (5, 3)),
    encoder(True, False, "None, None"),
    encoder(False, True, "None, None"),
    encoder(True, True, "x13, 1", _PADDED),
    encoder(False, False, "x13, 0", ~np.tri(5, dtype=bool)),
    case("torch._native_multi_head_attention(x0, x0, x0, 8, 2, x1, x2, x3, x4)", (2, 5, 8), *_JOINT),
    case(
        "torch._native_multi_head_attention(x0, x0, x0, 8, 2, x1, x2, x3, x4, x5, True, False, 1)", (2, 5, 8),
        *_JOINT, _PADDED,
    ),
]  # fmt: skip


def recurrent(
    kind: str,
    layers: int = 1,
    both: bool = False,
    first: bool = False,
    bias: bool = True,
    proj: int = 0,
    **dynamic: Any,
) -> Case:
    """A recurrent network over (5, 3, 4) with 6 hidden units."""
    gates, sides = {"lstm": 24, "gru": 18}.get(kind, 6), 2 if both else 1
    out = proj or 6
    weights: list[Any] = []
    for i in range(layers * sides):
        weights += [
            (gates, 4 if i < sides else out * sides),
            (gates, out),
            *[(gates,)] * (2 * bias),
            *[(proj, 6)] * bool(proj),
        ]
    states = [(layers * sides, 3, out), (layers * sides, 3, 6)] if kind == "lstm" else [(layers * sides, 3, out)]
    state = "[x1, x2]" if kind == "lstm" else "x1"
    names = ", ".join(f"x{i + 1 + len(states)}" for i in range(len(weights)))
    text = f"torch.{kind}(x0, {state}, [{names}], {bias}, {layers}, 0.0, False, {both}, {first})"
    return case(text, (3, 5, 4) if first else (5, 3, 4), *states, *weights, **dynamic)


def packed(kind: str, both: bool) -> Case:
    """A recurrent network over sequences of the lengths 5, 3, 2."""
    gates, sides = {"lstm": 24, "gru": 18}.get(kind, 6), 2 if both else 1
    weights = [(gates, 4), (gates, 6), (gates,), (gates,)] * sides
    names = ", ".join(f"x{i + 3}" for i in range(len(weights)))
    state, rest = ("[x2, x2]", ", c") if kind == "lstm" else ("x2", "")
    return case(
        "d, s = torch._pack_padded_sequence(x0, x1, True)\n"
        f"y, n{rest} = torch.{kind}(d, s, {state}, [{names}], True, 1, 0.0, False, {both})\n"
        "z, m = torch._pad_packed_sequence(y, s, True, 0.0, -1)\nreturn z, n, m",
        (3, 5, 4), np.asarray([5, 3, 2]), (sides, 3, 6), *weights, x0=[1] if both else [],
    )  # fmt: skip


KINDS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
RECURRENT = [
    *[recurrent(k) for k in KINDS],
    *[recurrent(k, 2, True) for k in KINDS],
    *[recurrent(k, 2, first=True, bias=False) for k in KINDS],
    *[recurrent(k, both=True, x0=[0, 1]) for k in KINDS],
    recurrent("lstm", proj=3),
    recurrent("lstm", 2, True, bias=False, proj=3),
    *[packed(k, both) for k in KINDS for both in (False, True)],
    case("torch.lstm_cell(x0, [x1, x2], x3, x4, x5, x6)", (3, 4), (3, 6), (3, 6), (24, 4), (24, 6), (24,), (24,)),
    case("torch.gru_cell(x0, x1, x2, x3, x4, x5)", (3, 4), (3, 6), (18, 4), (18, 6), (18,), (18,)),
    case("torch.rnn_tanh_cell(x0, x1, x2, x3)", (3, 4), (3, 6), (6, 4), (6, 6)),
    case("torch.rnn_relu_cell(x0, x1, x2, x3)", (3, 4), (3, 6), (6, 4), (6, 6)),
    case("d, s = torch._pack_padded_sequence(x0, x1, False)\nreturn d, s", (6, 3, 4), np.asarray([5, 3, 2])),
    case(
        "d, s = torch._pack_padded_sequence(x0, x1, False)\nreturn torch._pad_packed_sequence(d, s, False, 2.5, 7)",
        (6, 3, 4), np.asarray([5, 3, 2]),
    ),
    case("torch.nn.utils.rnn.pad_sequence([x0, x1], True, 1.5)", (3, 2), (5, 2)),
    case("torch.nn.utils.rnn.pad_sequence([x0, x1], False, 1.5)", (5, 2), (3, 2), x0=[0]),
]  # fmt: skip

_PAIRS: list[tuple[str, Any, Any]] = [
    ("matmul(x0, x1)", (2, 3, 4), (4, 5)), ("matmul(x0, x1)", (2, 1, 3, 4), (5, 4, 2)), ("matmul(x0, x1)", (3, 4),
    (4,)),
    ("matmul(x0, x1)", (4,), (4, 5)), ("matmul(x0, x1)", (4,), (4,)), ("mm(x0, x1)", Whole((3, 4), 9), Whole((4, 5),
    9)),
    ("bmm(x0, x1)", (2, 3, 4), (2, 4, 5)), ("mv(x0, x1)", (3, 4), (4,)), ("dot(x0, x1)", (4,), (4,)),
    ("outer(x0, x1)", (4,), (3,)), ("inner(x0, x1)", (3, 4), (5, 4)), ("kron(x0, x1)", (3, 4), (2, 3)),
    ("einsum('ij,jk->ik', x0, x1)", (3, 4), (4, 5)), ("einsum('bij,bjk', x0, x1)", (2, 3, 4), (2, 4, 5)),
    ("einsum('...ij,jk->...ki', x0, x1)", (2, 3, 4), (4, 5)), ("einsum('ii,j->ij', x0, x1)", (4, 4), (4,)),
    ("einsum('i j, k -> ', x0, x1)", (3, 4), (4,)), ("cross(x0, x1)", (2, 3), (2, 3)),
    ("linalg.cross(x0, x1)", (2, 3), (2, 3)), ("cdist(x0, x1)", (2, 3, 4), (2, 5, 4)), ("cdist(x0, x1, 1.0)", (3, 4),
    (2, 4)),
    ("dist(x0, x1)", (3, 4), (3, 4)), ("linalg.vecdot(x0, x1)", (3, 4), (3, 4)),
    ("nn.functional.linear(x0, x1)", (2, 3, 4), (5, 4)), ("nn.functional.linear(x0, x1)", (4,), (5, 4)),
    ("nn.functional.cosine_similarity(x0, x1)", (3, 4), (3, 4)), ("nn.functional.pairwise_distance(x0, x1)", (3, 4),
    (3, 4)),
]  # fmt: skip
LINEAR = [
    *[case(f"torch.{text}", x, y) for text, x, y in _PAIRS],
    *[case(text, (3, 4)) for text in (
        "torch.norm(x0)", "torch.norm(x0, 1)", "torch.norm(x0, 2, [0], True)", "torch.norm(x0, float('inf'))",
        "torch.linalg.norm(x0)", "torch.linalg.vector_norm(x0, 3.0, 1)", "torch.linalg.vector_norm(x0, 0)",
        "torch.linalg.matrix_norm(x0)", "torch.linalg.matrix_norm(x0, 1)", "torch.triu(x0)", "torch.tril(x0, -1)",
        "torch.nn.functional.pdist(x0)", "torch.renorm(x0, 2, 0, 1.0)", "torch.trapezoid(x0)", "torch.trace(x0)",
    )],
    case("torch.addmm(x0, x1, x2, beta=0.5, alpha=2)", (5,), (3, 4), (4, 5)),
    case("torch.addmm(x0, x1, x2, beta=2, alpha=3)", Whole((3, 5), 9), Whole((3, 4), 9), Whole((4, 5), 9)),
    case("torch.baddbmm(x0, x1, x2, alpha=0.5)", (2, 3, 5), (2, 3, 4), (2, 4, 5)),
    case("torch.addbmm(x0, x1, x2)", (3, 5), (2, 3, 4), (2, 4, 5)),
    case("torch.addmv(x0, x1, x2)", (3,), (3, 4), (4,)),
    case("torch.addr(x0, x1, x2)", (3, 4), (3,), (4,)),
    case(F + "linear(x0, x1, x2)", (3, 4), (5, 4), (5,)),
    case(F + "linear(x0, x1, x2)", (2, 3, 4), (5, 4), (5,), x0=[0, 1]),
    case(F + "bilinear(x0, x1, x2, x3)", (2, 3), (2, 4), (5, 3, 4), (5,)),
    case("torch.linalg.matrix_power(x0, 3)", (2, 3, 3)),
    case("torch.linalg.det(x0)", (2, 3, 3)),
]  # fmt: skip

_SIGNS = np.asarray([[1, -1, 1, -1]] * 3, np.float32)
_LOSSES: list[tuple[str, Any]] = [
    ("mse_loss(x0, x1)", (3, 4)), ("mse_loss(x0, x1, reduction='none')", (3, 4)),
    ("l1_loss(x0, x1, reduction='sum')", (3, 4)),
    ("smooth_l1_loss(x0, x1, beta=0.5)", (3, 4)), ("huber_loss(x0, x1, delta=0.7)", (3, 4)),
    ("kl_div(x0, x1, reduction='batchmean')", positive(3, 4)), ("kl_div(x0, x1, log_target=True)", (3, 4)),
    ("binary_cross_entropy_with_logits(x0, x1)", positive(3, 4)), ("soft_margin_loss(x0, x1)", _SIGNS),
    ("hinge_embedding_loss(x0, x1)", _SIGNS), ("cross_entropy(x0, x1)", Whole((3,), 4)),
    ("cross_entropy(x0, x1, label_smoothing=0.1)", Whole((3,), 4)), ("cross_entropy(x0, x1)", positive(3, 4)),
    ("cross_entropy(x0, x1, ignore_index=1)", np.asarray([0, 1, 3])), ("nll_loss(x0, x1)", Whole((3,), 4)),
    ("cross_entropy(x0, x1, reduction='none')", np.asarray([0, -100, 3])), ("multi_margin_loss(x0, x1)", Whole((3,),
    4)),
]  # fmt: skip
LOSSES = [
    *[case(F + text, (3, 4), target) for text, target in _LOSSES],
    case(F + "binary_cross_entropy(x0, x1)", positive(3, 4), positive(3, 4)[::-1].copy()),
    case(F + "nll_loss(x0, x1, x2)", (3, 4, 5), Whole((3, 5), 4), positive(4)),
    case(F + "cross_entropy(x0, x1, x2, label_smoothing=0.2)", (3, 4), Whole((3,), 4), positive(4)),
    case(F + "cosine_embedding_loss(x0, x1, x2)", (3, 4), (3, 4), np.asarray([1, -1, 1], np.float32)),
    case(F + "triplet_margin_loss(x0, x1, x2, swap=True)", (3, 4), (3, 4), (3, 4)),
]

_WINDOW = np.hamming(16).astype(np.float32)
_SPECTRA: list[tuple[str, tuple[int, ...]]] = [
    ("fft.rfft(x0)", (3, 8)), ("fft.rfft(x0, 11, 0, 'ortho')", (9, 4)), ("fft.fft(x0)", (3, 7)),
    ("fft.fft(x0, norm='forward')", (3, 7)), ("fft.ifft(x0)", (3, 8)), ("fft.rfft2(x0)", (2, 5, 6)),
    ("fft.fft2(x0)", (2, 5, 6)), ("fft.ihfft(x0)", (3, 8)), ("stft(x0, 16, return_complex=True)", (2, 64)),
    ("stft(x0, 16, 5, normalized=True, return_complex=True)", (64,)),
    ("stft(x0, 16, 4, 12, center=False, onesided=False, return_complex=True)", (2, 64)),
]  # fmt: skip
_STFT = "torch.stft(x0, 16, 4, 16, x1, return_complex=True)"
SPECTRA = [
    *[case(f"torch.view_as_real(torch.{text})", shape) for text, shape in _SPECTRA],
    case(f"torch.abs({_STFT})", (2, 64), _WINDOW, x0=[0]),
    case(f"torch.istft({_STFT}, 16, 4, 16, x1)", (2, 64), _WINDOW),
    case("torch.fft.irfft(torch.fft.rfft(x0), 9)", (3, 9)),
    case("torch.fft.irfft2(torch.fft.rfft2(x0))", (3, 6, 8)),
    case("torch.fft.hfft(torch.fft.fft(x0))", (3, 5)),
    case("torch.fft.fftshift(x0)", (3, 5)),
]

CASES = [*CONVOLUTIONS, *POOLS, *RESIZES, *NORMS, *ATTENTION, *RECURRENT, *LINEAR, *LOSSES, *SPECTRA]


@pytest.mark.parametrize("c", CASES, ids=lambda c: c.text.replace("\n", "; ").replace(F, "")[:80])
def test_onnx_runtime_gives_the_same(c: Case) -> None:
    check(c)


@pytest.mark.parametrize(
    ("text", "inputs", "words"),
    [
        ("torch.linalg.svdvals(x0)", [(3, 3)], "no ONNX form"),
        (F + "grid_sample(x0, x1)", [VOLUME, (2, 3, 5, 6, 3)], "opset_version 20"),
    ],
)
def test_what_has_no_form_says_why(text: str, inputs: list[Any], words: str) -> None:
    with pytest.raises(ExportError, match=words):
        check(case(text, *inputs))
