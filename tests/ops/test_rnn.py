"""Recurrent networks: one step by definition, packed sequences; then PyTorch over a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array import rnn as R
from linstock.backends.array.derive import kernel_of

from .oracle import compare, near
from .test_conv import normal

Array = np.ndarray[Any, Any]


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def weights(
    gates: int, inputs: int, hidden: int, biases: bool = True, dtype: str = "float32", seed: int = 0
) -> list[Array]:
    shapes: list[tuple[int, ...]] = [(gates * hidden, inputs), (gates * hidden, hidden)]
    shapes += [(gates * hidden,)] * 2 if biases else []
    return [normal(s, dtype, seed + i) * np.asarray(0.5, dtype=normal(s, dtype).dtype) for i, s in enumerate(shapes)]


def test_one_lstm_step_by_definition() -> None:
    x, h, c = normal((2, 3), "float64"), normal((2, 4), "float64", 1), normal((2, 4), "float64", 2)
    w_ih, w_hh, b_ih, b_hh = weights(4, 3, 4, dtype="float64")
    i, f, g, o = np.split(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh, 4, axis=1)
    cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    new_h, new_c = R.lstm_cell(x, [h, c], w_ih, w_hh, b_ih, b_hh)
    np.testing.assert_allclose(new_c, cell)
    np.testing.assert_allclose(new_h, sigmoid(o) * np.tanh(cell))


def test_one_gru_step_by_definition() -> None:
    x, h = normal((2, 3), "float64"), normal((2, 4), "float64", 1)
    w_ih, w_hh, b_ih, b_hh = weights(3, 3, 4, dtype="float64")
    (ir, iz, inn), (hr, hz, hn) = np.split(x @ w_ih.T + b_ih, 3, 1), np.split(h @ w_hh.T + b_hh, 3, 1)
    z = sigmoid(iz + hz)
    want = (1 - z) * np.tanh(inn + sigmoid(ir + hr) * hn) + z * h
    np.testing.assert_allclose(kernel_of("aten::gru_cell")(x, h, w_ih, w_hh, b_ih, b_hh), want)


def test_a_large_input_does_not_overflow() -> None:
    w = [np.full(s, 1e6, np.float32) for s in ((4, 1), (4, 1))]
    with np.errstate(all="raise"):
        h, _ = R.lstm_cell(np.array([[-1.0]], np.float32), [np.zeros((1, 1), np.float32)] * 2, *w)
    assert h.tolist() == [[0]]


def test_a_packed_sequence_runs_each_sequence_for_its_length() -> None:
    params = weights(4, 3, 5) + weights(4, 3, 5, seed=9)
    x, state = normal((4, 3, 3)), [normal((2, 3, 5)), normal((2, 3, 5), seed=1)]
    data, sizes = R._pack_padded_sequence(x, np.array([4, 2, 1]), False)
    assert sizes.tolist() == [3, 2, 1, 1] and data.shape == (7, 3)
    y, h, c = R.lstm_data(data, sizes, state, params, True, 1, 0.0, False, True)
    padded, lengths = R._pad_packed_sequence(y, sizes, False, 7.0, 0)
    assert lengths.tolist() == [4, 2, 1] and (padded[2:, 1] == 7).all()
    for i, n in enumerate((4, 2, 1)):
        alone = R.lstm(x[:n, i : i + 1], [s[:, i : i + 1] for s in state], params, True, 1, 0.0, False, True, False)
        np.testing.assert_allclose(padded[:n, i], alone[0][:, 0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(h[:, i], alone[1][:, 0], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(c[:, i], alone[2][:, 0], rtol=1e-5, atol=1e-6)


def test_padding_sides() -> None:
    sequences = [np.array([1.0, 2.0]), np.array([3.0])]
    assert R.pad_sequence(sequences, True, -1.0).tolist() == [[1, 2], [3, -1]]
    assert R.pad_sequence(sequences, True, -1.0, "left").tolist() == [[1, 2], [-1, 3]]
    assert R.pad_sequence(sequences, False, 0.0).tolist() == [[1, 3], [2, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, h, p: R.lstm(x, [h], p, True, 1, 0.0, False, False, False), "lstm expects two hidden states"),
        (lambda x, h, p: R.lstm(x, [h, h], p[:3], True, 1, 0.0, False, False, False), "not divisible by stride 4"),
        (lambda x, h, p: R.lstm(x[:, :1], [h, h], p, True, 1, 0.0, False, False, False), "Expected hidden size"),
        (
            lambda x, h, p: R.lstm_cell(x[0, :, :1], [h[0], h[0]], *p),
            "input has inconsistent input_size: got 1 expected 3",
        ),
        (lambda x, h, p: R._pack_padded_sequence(x, np.array([1, 4]), False), "sorted in decreasing order"),
        (lambda x, h, p: R._pack_padded_sequence(x, np.array([4, 0]), False), "has to be greater than 0"),
        (lambda x, h, p: R._pad_packed_sequence(x[0], np.array([1, 1]), False, 0.0, 1), "Expected total_length"),
    ],
)
def test_errors_name_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        call(normal((4, 2, 3)), normal((1, 2, 5)), weights(4, 3, 5))


@pytest.mark.interop
@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_networks_as_pytorch(kind: str, dtype: str) -> None:
    gates = {"lstm": 4, "gru": 3}.get(kind, 1)
    rtol = 4e-2 if dtype == "bfloat16" else None  # PyTorch rounds after every operator
    for layers in (1, 2):
        for both in (False, True):
            for biases in (True, False):
                params: list[Array] = []
                for i in range(layers * (2 if both else 1)):
                    inputs = 3 if i < (2 if both else 1) else 5 * (2 if both else 1)
                    params += weights(gates, inputs, 5, biases, dtype, i)
                h = normal((layers * (2 if both else 1), 2, 5), dtype)
                state = [h, h[::-1].copy()] if kind == "lstm" else h
                for first in (False, True):
                    x = normal((2, 4, 3) if first else (4, 2, 3), dtype)
                    near(f"aten::{kind}.input", x, state, params, biases, layers, 0.0, False, both, first, rtol=rtol)
                data, sizes = normal((6, 3), dtype), np.array([2, 2, 1, 1])
                near(f"aten::{kind}.data", data, sizes, state, params, biases, layers, 0.0, False, both, rtol=rtol)
    cell = f"aten::{kind}_cell"
    h = normal((2, 5), dtype)
    for biases in (True, False):
        near(
            cell,
            normal((2, 3), dtype),
            [h, h[::-1].copy()] if kind == "lstm" else h,
            *weights(gates, 3, 5, biases, dtype),
            rtol=rtol,
        )


@pytest.mark.interop
def test_projections_and_packing_as_pytorch() -> None:
    params = [normal((20, 3)), normal((20, 2)), normal((20,)), normal((20,)), normal((2, 5))]
    near(
        "aten::lstm.input",
        normal((4, 2, 3)),
        [normal((1, 2, 2)), normal((1, 2, 5))],
        params,
        True,
        1,
        0.0,
        False,
        False,
        False,
    )
    for first in (False, True):
        compare("aten::_pack_padded_sequence", normal((3, 3, 2)), np.array([3, 2, 1]), first)
        for total in (0, 5):
            compare("aten::_pad_packed_sequence", normal((6, 2)), np.array([3, 2, 1]), first, 1.5, total)
        for side in ("left", "right"):
            compare("aten::pad_sequence", [normal((3, 2)), normal((1, 2))], first, 0.5, side)
