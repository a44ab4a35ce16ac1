"""`nn.functional`: the same numbers in Python, scripted, and as PyTorch gives; and the errors."""

from __future__ import annotations

import inspect
import warnings
import zlib
from typing import Any

import numpy as np
import pytest

import linstock
import linstock.nn.functional as F
from tests.nn.layer_table import Integers, Mask, Positive, Row, Signs, arrays_of
from tests.nn.test_layers import check, tensors

_V = (3, 5)
_L = (2, 3, 8)
_I = (2, 3, 6, 8)
_D = (1, 2, 4, 4, 6)

#: an expression over x, y, z, w, and these inputs
ROWS: list[tuple[str, tuple[Any, ...]]] = [
    *[
        (f"F.{call}", (_V,))
        for call in (
            "relu(x)",
            "relu6(x)",
            "threshold(x, 0.1, 20.0)",
            "hardtanh(x, -0.3, 0.4)",
            "elu(x, 0.5)",
            "selu(x)",
            "celu(x, 2.0)",
            "leaky_relu(x)",
            "leaky_relu(x, 0.3)",
            "rrelu(x)",
            "rrelu(x, 0.1, 0.4, training=True)",
            "glu(x.repeat(1, 2))",
            "gelu(x)",
            "gelu(x, approximate='tanh')",
            "logsigmoid(x)",
            "hardshrink(x)",
            "hardshrink(x, 0.2)",
            "softshrink(x, 0.3)",
            "tanhshrink(x)",
            "softsign(x)",
            "softplus(x)",
            "tanh(x)",
            "softplus(x, beta=2.0, threshold=3.0)",
            "hardsigmoid(x)",
            "hardswish(x)",
            "silu(x)",
            "mish(x)",
            "sigmoid(x)",
            "softmax(x, 1)",
            "softmax(x, dim=-1, dtype=linstock.float64)",
            "softmin(x, dim=0)",
            "log_softmax(x, dim=1)",
            "softmax(x)",
            "gumbel_softmax(x)",
            "gumbel_softmax(x, tau=0.5, hard=True, dim=0)",
            "dropout(x)",
            "dropout(x, 0.2, training=False)",
            "alpha_dropout(x, 0.4, training=True)",
            "feature_alpha_dropout(x, 0.4, training=True)",
            "normalize(x)",
            "normalize(x, p=1.0, dim=0)",
            "layer_norm(x, [5])",
            "rms_norm(x, [5])",
            "relu(x.clone(), inplace=True)",
            "threshold(x.clone(), 0.1, 2.0, inplace=True)",
            "hardtanh(x.clone(), inplace=True)",
            "elu(x.clone(), inplace=True)",
            "selu(x.clone(), inplace=True)",
            "celu(x.clone(), inplace=True)",
            "mish(x.clone(), inplace=True)",
            "leaky_relu(x.clone(), inplace=True)",
            "rrelu(x.clone(), inplace=True)",
            "silu(x.clone(), inplace=True)",
            "relu6(x.clone(), inplace=True)",
            "hardswish(x.clone(), inplace=True)",
            "hardsigmoid(x.clone(), inplace=True)",
            "dropout(x.clone(), 0.3, inplace=True)",
            "relu_(x.clone())",
            "elu_(x.clone())",
            "pdist(x)",
            "pad(x, [1, 2])",
            "pad(x, [1, 2, 0, 1], value=2.5)",
            "pad(x, [-1, 0])",
            "pad(x, [2, 1], mode='replicate')",
            "pad(x, [2, 1], 'reflect')",
            "pad(x, [2, 1], 'circular')",
        )
    ],
    *[
        (f"F.{call}", (_L,))
        for call in (
            "max_pool1d(x, 3)",
            "max_pool1d(x, 3, 2, 1, return_indices=True)",
            "max_pool1d(x, 2, ceil_mode=True)",
            "avg_pool1d(x, 3, 2, 1)",
            "max_pool1d_with_indices(x, 2)",
            "lp_pool1d(x, 2.0, 3)",
            "lp_pool1d(x, 2.0, 3, stride=1, ceil_mode=True)",
            "adaptive_avg_pool1d(x, 3)",
            "adaptive_max_pool1d(x, 3)",
            "adaptive_max_pool1d(x, 3, return_indices=True)",
            "dropout1d(x)",
            "instance_norm(x)",
            "local_response_norm(x, 2)",
            "interpolate(x, size=5)",
            "interpolate(x, scale_factor=2.0, mode='linear')",
            "group_norm(x, 3)",
            "interpolate(x, size=[5], mode='area')",
            "interpolate(x, scale_factor=0.5, mode='nearest-exact')",
            "softmax(x)",
            "interpolate(x, scale_factor=0.6, mode='linear', align_corners=True)",
            "dropout1d(x.clone(), inplace=True)",
            "dropout2d(x)",
        )
    ],
    *[
        (f"F.{call}", (_I,))
        for call in (
            "max_pool2d(x, 2)",
            "max_pool2d(x, [2, 3], stride=[1, 2], padding=1)",
            "max_pool2d(x, 2, 2, 0, 1, True, True)",
            "avg_pool2d(x, 2)",
            "avg_pool2d(x, 3, 2, 1, False, False)",
            "avg_pool2d(x, (3, 2), divisor_override=4)",
            "lp_pool2d(x, 3.0, 2)",
            "adaptive_avg_pool2d(x, 2)",
            "adaptive_avg_pool2d(x, [3, 2])",
            "adaptive_max_pool2d(x, 2)",
            "adaptive_max_pool2d(x, [2, 3], return_indices=True)",
            "dropout2d(x)",
            "fractional_max_pool2d(x, 2, output_size=3)",
            "fractional_max_pool2d(x, 2, output_ratio=(0.5, 0.6), return_indices=True)",
            "dropout2d(x, 0.2)",
            "interpolate(x, size=9)",
            "interpolate(x, size=[3, 4], mode='bilinear')",
            "interpolate(x, scale_factor=2.0)",
            "instance_norm(x)",
            "interpolate(x, scale_factor=[0.5, 2.0], mode='bilinear', align_corners=True)",
            "interpolate(x, size=(4, 5), mode='bicubic')",
            "interpolate(x, size=(4, 5), mode='bilinear', antialias=True)",
            "interpolate(x, scale_factor=0.5, mode='bicubic', antialias=True)",
            "interpolate(x, scale_factor=1.3, mode='bilinear', recompute_scale_factor=True)",
            "interpolate(x, scale_factor=0.4, mode='area')",
            "upsample(x, scale_factor=2.0)",
            "upsample_nearest(x, size=7)",
            "upsample_bilinear(x, scale_factor=2.0)",
            "unfold(x, 2)",
            "unfold(x, [2, 3], stride=2, padding=1)",
            "fold(F.unfold(x, 2), [6, 8], 2)",
            "pixel_shuffle(x.repeat(1, 4, 1, 1), 2)",
            "pixel_unshuffle(x, 2)",
            "channel_shuffle(x, 3)",
            "local_response_norm(x, 3, alpha=0.1)",
            "batch_norm(x, None, None, training=True)",
            "pad(x, [1, 1, 2, 0], 'reflect')",
            "pad(x, [1, 1, 2, 0], 'circular')",
            "pad(x, [1, 1, 2, 0], 'replicate')",
            "layer_norm(x, [6, 8])",
        )
    ],
    *[
        (f"F.{call}", (_D,))
        for call in (
            "max_pool3d(x, 2)",
            "max_pool3d(x, 2, return_indices=True)",
            "avg_pool3d(x, 2)",
            "adaptive_avg_pool3d(x, [2, 1, 3])",
            "lp_pool3d(x, 2.0, 2)",
            "adaptive_max_pool3d(x, 2, return_indices=True)",
            "fractional_max_pool3d(x, 2, output_size=2)",
            "interpolate(x, scale_factor=2.0, mode='trilinear')",
            "interpolate(x, size=3, mode='area')",
            "interpolate(x, size=[3, 2, 5])",
            "dropout3d(x)",
            "pad(x, [1, 1, 1, 1, 1, 1], 'replicate')",
        )
    ],
    ("F.max_unpool1d(x, y, 2)", ((1, 2, 4), Integers((1, 2, 4), 8))),
    ("F.max_unpool2d(x, y, 2, output_size=[5, 5])", ((1, 1, 2, 2), Integers((1, 1, 2, 2), 25))),
    ("F.max_unpool3d(x, y, 2)", ((1, 1, 2, 2, 2), Integers((1, 1, 2, 2, 2), 64))),
    ("F.linear(x, y)", (_V, (4, 5))),
    ("F.linear(x, y, z)", (_V, (4, 5), (4,))),
    ("F.bilinear(x, y, z)", ((3, 4), (3, 5), (2, 4, 5))),
    ("F.conv1d(x, y, padding='same')", (_L, (4, 3, 3))),
    ("F.conv2d(x, y, z, stride=2, padding=1)", (_I, (4, 3, 3, 3), (4,))),
    ("F.conv3d(x, y)", (_D, (3, 2, 2, 2, 2))),
    ("F.conv_transpose1d(x, y)", (_L, (3, 4, 3))),
    ("F.conv_transpose2d(x, y, z, stride=2)", (_I, (3, 4, 3, 3), (4,))),
    ("F.conv_tbc(x, y, z)", ((5, 2, 3), (3, 3, 4), (4,))),
    ("F.prelu(x, y)", (_L, (3,))),
    ("F.embedding(x, y)", (Integers((2, 3), 5), (5, 4))),
    ("F.embedding(x, y.clone(), padding_idx=-1, max_norm=1.0)", (Integers((2, 3), 5), (5, 4))),
    ("F.embedding_bag(x, y)", (Integers((2, 3), 5), (5, 4))),
    ("F.embedding_bag(x, y, mode='sum', per_sample_weights=z)", (Integers((2, 3), 5), (5, 4), (2, 3))),
    ("F.embedding_bag(x, y, linstock.tensor([0, 2]), mode='max')", (Integers((6,), 5), (5, 4))),
    ("F.one_hot(x, 5)", (Integers((2, 3), 5),)),
    ("F.batch_norm(x, y, z, w, w)", (_I, (3,), Positive((3,)), (3,))),
    ("F.cosine_similarity(x, y)", (_V, _V)),
    ("F.pairwise_distance(x, y, p=1.0)", (_V, _V)),
    ("F.grid_sample(x, y, align_corners=False)", ((1, 2, 4, 4), (1, 3, 3, 2))),
    ("F.grid_sample(x, y, 'nearest', 'border', True)", ((1, 2, 4, 4), (1, 3, 3, 2))),
    (
        "F.grid_sample(x, y, mode='bicubic', padding_mode='reflection', align_corners=False)",
        ((1, 2, 4, 4), (1, 3, 3, 2)),
    ),
    ("F.grid_sample(x, y, align_corners=True)", ((1, 2, 3, 3, 3), (1, 2, 2, 2, 3))),
    ("F.affine_grid(x, [2, 3, 4, 5], align_corners=False)", ((2, 2, 3),)),
    ("F.affine_grid(x, [1, 3, 4, 5, 2], align_corners=True)", ((1, 3, 4),)),
    ("F.scaled_dot_product_attention(x, y, z)", ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4))),
    ("F.scaled_dot_product_attention(x, y, z, is_causal=True, scale=0.3)", ((2, 2, 5, 4), (2, 2, 5, 4), (2, 2, 5, 4))),
    ("F.scaled_dot_product_attention(x, y, z, w)", ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), Mask((3, 5), 2))),
    *[
        (f"F.{call}", (_V, _V))
        for call in (
            "l1_loss(x, y)",
            "l1_loss(x, y, reduction='none')",
            "l1_loss(x, y, weight=y.abs())",
            "mse_loss(x, y)",
            "mse_loss(x, y, reduction='sum')",
            "mse_loss(x, y, weight=y.abs())",
            "mse_loss(x, y, weight=y.abs(), reduction='none')",
            "smooth_l1_loss(x, y, beta=0.3)",
            "huber_loss(x, y)",
            "huber_loss(x, y, delta=0.2, weight=y.abs())",
            "kl_div(x, y.softmax(1), reduction='batchmean')",
            "kl_div(x, y, log_target=True)",
            "mse_loss(x, y, size_average=False)",
            "l1_loss(x, y, reduce=False)",
            "cross_entropy(x, y.softmax(1))",
            "poisson_nll_loss(x, y.abs(), full=True)",
            "binary_cross_entropy(x.sigmoid(), y.sigmoid())",
            "binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=y.abs())",
            "binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=y.abs())",
            "gaussian_nll_loss(x, y, y.abs())",
            "gaussian_nll_loss(x, y, 0.7)",
            "multilabel_soft_margin_loss(x, y.sigmoid(), weight=y.abs())",
            "triplet_margin_loss(x, y, x + y)",
            "hinge_embedding_loss(x, y.sign())",
            "triplet_margin_loss(x, y, x - y, margin=0.5, p=1.0, swap=True, reduction='sum')",
            "soft_margin_loss(x, y.sign())",
        )
    ],
    ("F.nll_loss(x.log_softmax(1), y)", (_V, Integers((3,), 5))),
    ("F.nll_loss(x.log_softmax(1), y, weight=z, ignore_index=1)", (_V, Integers((3,), 5), Positive((5,)))),
    ("F.cross_entropy(x, y, z, label_smoothing=0.2)", (_V, Integers((3,), 5), Positive((5,)))),
    ("F.cross_entropy(x, y, reduction='none')", ((2, 4, 3), Integers((2, 3), 4))),
    (
        "F.ctc_loss(x.log_softmax(2), y + 1, z + 5, w + 2)",
        ((6, 2, 5), Integers((2, 3), 4), Integers((2,), 2), Integers((2,), 2)),
    ),
    ("F.multi_margin_loss(x, y, p=2, margin=0.3)", (_V, Integers((3,), 5))),
    ("F.multilabel_margin_loss(x, y)", (_V, Integers(_V, 5))),
    ("F.margin_ranking_loss(x, y, z, margin=0.2)", ((4,), (4,), Signs((4,)))),
    ("F.cosine_embedding_loss(x, y, z, margin=0.2)", (_V, _V, Signs((3,)))),
]
rows = pytest.mark.parametrize(("text", "inputs"), ROWS, ids=[f"{i}-{r[0][2:60]}" for i, r in enumerate(ROWS)])


def _given(text: str, inputs: tuple[Any, ...], make: Any) -> dict[str, Any]:
    row = Row(text, inputs, None)  # type: ignore[arg-type]
    return dict(zip("xyzw", tensors(arrays_of(row), make)))


def _python(text: str, inputs: tuple[Any, ...]) -> Any:
    linstock.manual_seed(zlib.crc32(text.encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {"F": F, "linstock": linstock}, _given(text, inputs, linstock.from_numpy))


@rows
def test_scripted(text: str, inputs: tuple[Any, ...]) -> None:
    names = ", ".join(f"{n}: Tensor" for n in "xyzw"[: len(inputs)])
    unit = linstock.jit.CompilationUnit(
        f"def f({names}):\n    return {text.replace('F.', 'linstock.nn.functional.')}\n"
    )
    wanted = _python(text, inputs)
    linstock.manual_seed(zlib.crc32(text.encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(unit.f(*_given(text, inputs, linstock.from_numpy).values()), wanted)


@pytest.mark.interop
@rows
def test_like_torch(text: str, inputs: tuple[Any, ...]) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(zlib.crc32(text.encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = eval(text, {"F": torch.nn.functional, "linstock": torch}, _given(text, inputs, torch.from_numpy))
    check(_python(text, inputs), wanted, 2e-5)


@pytest.mark.interop
def test_same_names_and_defaults_as_torch() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.nn.functional
    left_out = {
        "linear_cross_entropy",
        "grouped_mm",
        "scaled_mm",
        "scaled_grouped_mm",
        "boolean_dispatch",
        "assert_int_or_pair",
    }
    for name in dir(theirs):
        found = getattr(theirs, name)
        if (
            name.startswith("_")
            or not inspect.isfunction(found)
            or found.__module__ != theirs.__name__
            or name in left_out
        ):
            continue
        own = getattr(F, name)
        if getattr(own, "__module__", "") == "linstock" or hasattr(own, "__boolean_dispatch__"):
            continue
        a, b = (
            {p.name: p.default for p in inspect.signature(f).parameters.values() if p.name != "_stacklevel"}
            for f in (own, found)
        )
        assert list(a) == list(b), name
        assert a == b, name


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: F.dropout(x, 1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
        (lambda x: F.hardtanh(x, 1.0, 0.0), ValueError, "min_val cannot be greater"),
        (lambda x: F.mse_loss(x, x, reduction="avg"), ValueError, "avg is not a valid value for reduction"),
        (lambda x: F.interpolate(x), ValueError, "either size or scale_factor should be defined"),
        (lambda x: F.interpolate(x, 3, 2.0), ValueError, "only one of size or scale_factor"),
        (
            lambda x: F.interpolate(x, 3, mode="bilinear"),
            NotImplementedError,
            "Got 3D input, but bilinear mode needs 4D input",
        ),
        (lambda x: F.interpolate(x, 3, align_corners=True), ValueError, "align_corners option can only be set"),
        (lambda x: F.interpolate(x, (3, 3)), ValueError, "same number of spatial dimensions"),
        (lambda x: F.batch_norm(x[:1, :, :1], None, None, training=True), ValueError, "more than 1 value per channel"),
        (lambda x: F.instance_norm(x[:, :, :1]), ValueError, "more than 1 spatial element"),
        (lambda x: F.grid_sample(x, x, mode="best"), ValueError, "expected mode to be"),
        (lambda x: F.binary_cross_entropy(x, x[0]), ValueError, "Using a target size"),
        (lambda x: F.multi_margin_loss(x[0], linstock.zeros(3).long(), p=3), ValueError, "only p == 1 and p == 2"),
        (lambda x: F.triplet_margin_loss(x, x, x, margin=0.0), ValueError, "margin must be greater than 0"),
        (lambda x: F.embedding(linstock.zeros(1).long(), x[0], padding_idx=9), AssertionError, "within num_embeddings"),
        (lambda x: F.embedding_bag(linstock.zeros(2).long(), x[0]), ValueError, "offsets has to be a 1D Tensor"),
        (lambda x: F.max_unpool1d(x, x.long(), 2, output_size=[40]), ValueError, "invalid output_size"),
        (lambda x: F.fractional_max_pool2d(x, 2), ValueError, "requires specifying"),
        (lambda x: F.nothing, AttributeError, "has no attribute 'nothing'"),
    ],
)
def test_errors(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        call(linstock.from_numpy(np.ones((2, 3, 8), np.float32)))


def test_warnings_of_old_ways() -> None:
    x = linstock.ones(2, 3)
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        F.softmax(x)
    with pytest.warns(UserWarning, match="please use reduction='sum'"):
        F.mse_loss(x, x, size_average=False)
    with pytest.warns(UserWarning, match="different to the input size"):
        F.mse_loss(x, x[0])
