"""Initial values: the numbers that PyTorch gives under the same seed.

The expected numbers were recorded from PyTorch 2.13: first and last element and the sum (of layers: of absolute values,
and weighted by place).
"""

from __future__ import annotations

import numpy as np
import pytest

import linstock
from linstock import nn

#: call, shape, what `manual_seed(7)` gives
FILLS = [
    ("uniform_(t, -0.5, 2.0)", (6, 4), (0.8373064, 1.237119, 18.2093)),
    ("normal_(t, 1.0, 2.0)", (6, 4), (-0.640269, 3.811706, 14.6514)),
    ("trunc_normal_(t, std=0.5)", (6, 4), (-0.4100673, 0.7029265, -2.33714)),
    ("trunc_normal_(t, 0.0, 1.0, 1.0, 3.0)", (6, 4), (1.391231, 1.611015, 38.1553)),
    ("trunc_normal_(t, 0.2, 1.0, -0.5, 0.7)", (6, 4), (0.06456311, 0.3325806, 1.87424)),
    ("xavier_uniform_(t)", (6, 4), (0.05410177, 0.3018565, 0.129669)),
    ("xavier_normal_(t, gain=2.0)", (6, 4), (-0.7335506, 1.257433, -4.18081)),
    ("kaiming_uniform_(t)", (6, 4), (0.08554241, 0.477277, 0.205025)),
    ("kaiming_uniform_(t, a=2.2360679774997896)", (6, 4), (0.03492254, 0.1948475, 0.0837013)),
    ("kaiming_uniform_(t, mode='fan_out', nonlinearity='relu')", (6, 4), (0.06984508, 0.389695, 0.167403)),
    ("kaiming_normal_(t, mode='fan_out', nonlinearity='relu')", (6, 4), (-0.4735049, 0.8116695, -2.6987)),
    ("orthogonal_(t)", (6, 4), (-0.3641988, 0.5859981, 0.0785994)),
    ("orthogonal_(t.view(6, -1), gain=2.0)", (6, 4), (-0.7283976, 1.171996, 0.157199)),
    ("sparse_(t.view(6, -1), 0.4)", (6, 4), (0, 0.01405853, -0.00636118)),
    ("uniform_(t, -0.5, 2.0)", (4, 3, 3), (0.8373064, 1.898041, 32.0284)),
    ("normal_(t, 1.0, 2.0)", (4, 3, 3), (-0.640269, -1.735479, 33.8441)),
    ("trunc_normal_(t, std=0.5)", (4, 3, 3), (-0.4100673, -0.6838698, -0.538972)),
    ("trunc_normal_(t, 0.0, 1.0, 1.0, 3.0)", (4, 3, 3), (1.071634, 1.677514, 54.8536)),
    ("trunc_normal_(t, 0.2, 1.0, -0.5, 0.7)", (4, 3, 3), (0.1358373, 0.00931862, 0.417435)),
    ("xavier_uniform_(t)", (4, 3, 3), (0.03733376, 0.4909232, 2.15022)),
    ("xavier_normal_(t, gain=2.0)", (4, 3, 3), (-0.506198, -0.8441873, -0.665321)),
    ("kaiming_uniform_(t)", (4, 3, 3), (0.05702827, 0.7498976, 3.28452)),
    ("kaiming_uniform_(t, a=2.2360679774997896)", (4, 3, 3), (0.02328169, 0.3061444, 1.3409)),
    ("kaiming_uniform_(t, mode='fan_out', nonlinearity='relu')", (4, 3, 3), (0.04938793, 0.6494303, 2.84448)),
    ("kaiming_normal_(t, mode='fan_out', nonlinearity='relu')", (4, 3, 3), (-0.3348185, -0.5583774, -0.440069)),
    ("orthogonal_(t)", (4, 3, 3), (-0.3422534, -0.5189875, -1.9351)),
    ("orthogonal_(t.view(6, -1), gain=2.0)", (4, 3, 3), (-0.6952536, -1.251377, -1.58185)),
    ("sparse_(t.view(6, -1), 0.4)", (4, 3, 3), (-0.008201345, -0.0136774, 0.00768459)),
]  # fmt: skip
#: layer, what `manual_seed(11)` gives
LAYERS = [
    ("Linear(5, 4)", (-0.3139066, 0.07336421, 5.09566, 32.7869)),
    ("Conv2d(4, 6, 3, groups=2)", (-0.1654433, 0.2103965, 12.7647, 37.9908)),
    ("ConvTranspose1d(4, 6, 3)", (-0.1654433, -0.07025862, 8.37811, -17.7804)),
    ("Bilinear(3, 4, 5)", (-0.4052517, 0.3110641, 17.0338, -44.255)),
    ("LSTM(3, 4, 2, bidirectional=True)", (-0.3509583, 0.1115304, 172.765, -3411.27)),
    ("GRUCell(3, 4)", (-0.3509583, -0.3530262, 25.7391, 106.379)),
    ("Embedding(6, 3, padding_idx=2)", (-0.5107976, 0.2979041, 15.4078, 42.4569)),
    ("MultiheadAttention(8, 2, add_bias_kv=True)", (0.07653219, 0, 50.6825, 175.831)),
    ("TransformerEncoderLayer(8, 2, 16)", (0.07653219, 0, 104.69, 7114.23)),
    ("Transformer(8, 2, 1, 1, 16)", (0.1542826, 0, 373.922, 66111.8)),
    ("AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0)", (-0.248165, -0.4992544, 20.2593, 68.8923)),
]  # fmt: skip


@pytest.mark.parametrize(("call", "shape", "expected"), FILLS)
def test_fills(call: str, shape: tuple[int, ...], expected: tuple[float, ...]) -> None:
    linstock.manual_seed(7)
    t = linstock.empty(shape)
    eval(f"nn.init.{call}", {"nn": nn, "t": t})
    flat = t.numpy().ravel().astype(np.float64)
    np.testing.assert_allclose((flat[0], flat[-1], flat.sum()), expected, rtol=3e-5, atol=2e-6)


@pytest.mark.parametrize(("text", "expected"), LAYERS)
def test_layers_draw_in_the_same_order(text: str, expected: tuple[float, ...]) -> None:
    linstock.manual_seed(11)
    layer = eval(f"nn.{text}")
    flat = np.concatenate([p.detach().numpy().ravel() for p in layer.parameters()]).astype(np.float64)
    found = (flat[0], flat[-1], np.abs(flat).sum(), (flat * np.arange(1, len(flat) + 1)).sum())
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_fixed_fills() -> None:
    t = linstock.empty(2, 3)
    assert nn.init.ones_(t).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert nn.init.constant_(t, 2.5)[0, 0] == 2.5
    assert nn.init.eye_(t).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert nn.init.zeros_(t) is t and not t.any()
    kernel = nn.init.dirac_(linstock.empty(4, 2, 3), groups=2)
    x = linstock.arange(20.0).reshape(1, 4, 5)
    passed = nn.functional.conv1d(x, kernel, padding=1, groups=2)
    np.testing.assert_array_equal(passed.numpy(), x.numpy())


def test_orthogonal_is_orthogonal() -> None:
    q = nn.init.orthogonal_(linstock.empty(3, 5)).numpy()
    np.testing.assert_allclose(q @ q.T, np.eye(3), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, 2**0.5),
        ("leaky_relu", 1.0, 1.0),
        ("selu", None, 0.75),
    ],
)
def test_gains(name: str, param: float | None, gain: float) -> None:
    assert nn.init.calculate_gain(name, param) == pytest.approx(gain)


def test_errors() -> None:
    with pytest.raises(ValueError, match="Unsupported nonlinearity swish"):
        nn.init.calculate_gain("swish")
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        nn.init.xavier_uniform_(linstock.empty(3))
    with pytest.raises(ValueError, match="Mode fan not supported"):
        nn.init.kaiming_normal_(linstock.empty(3, 3), mode="fan")
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions"):
        nn.init.eye_(linstock.empty(3))
    with pytest.warns(FutureWarning, match="deprecated in favor of"):
        nn.init.uniform(linstock.empty(3))
