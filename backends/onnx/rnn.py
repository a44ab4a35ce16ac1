"""ONNX forms of the rnn family: layers as LSTM, GRU and RNN, cells by their formulas, packed sequences by lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.control import loop
from linstock.backends.onnx.linalg import linear
from linstock.backends.onnx.registry import converter, no_form
from linstock.backends.onnx.view import flip
from linstock.ir.errors import ExportError

#: the order of ONNX's gates among PyTorch's
_GATES = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2], "RNN": [0]}


def _reordered(b: Builder, weight: Sym, kind: str) -> Sym:
    """A weight with its gates in ONNX's order."""
    order = _GATES[kind]
    if len(order) == 1:
        return weight
    size = b.size(weight, 0) // len(order)
    return b.op("Concat", *[b.slice(weight, 0, g * size, (g + 1) * size) for g in order], axis=0)


def _layer(
    b: Builder, kind: str, x: Sym, states: Sequence[Sym], params: Sequence[Sequence[Sym]], activation: str | None, lengths: Sym | None,
    backwards: bool = False,
) -> tuple[Sym, list[Sym]]:  # fmt: skip
    """One layer, of one or two directions, on (time, batch, features); gives the output and the last states."""
    hidden = b.size(params[0][1], 1)
    stacked = [b.op("Concat", *[b.unsqueeze(_reordered(b, p[i], kind), 0) for p in params], axis=0) for i in (0, 1)]
    bias = None
    if len(params[0]) == 4:
        joined = [b.op("Concat", _reordered(b, p[2], kind), _reordered(b, p[3], kind), axis=0) for p in params]
        bias = b.op("Concat", *[b.unsqueeze(j, 0) for j in joined], axis=0)
    options: dict[str, Any] = {
        "hidden_size": hidden,
        "direction": "bidirectional" if len(params) == 2 else "reverse" if backwards else None,
    }
    if kind == "GRU":
        options["linear_before_reset"] = 1
    if activation is not None and activation != "Tanh":
        options["activations"] = [activation] * len(params)
    lengths = None if lengths is None else b.cast(lengths, 3)
    made = b.ops(kind, x, *stacked, bias, lengths, *states, outputs=1 + len(states), **options)
    time, batch = b.size(x, 0), b.size(x, 1)
    output = b.reshape(b.transpose(made[0], [0, 2, 1, 3]), [time, batch, hidden * len(params)])
    return output, list(made[1:])


def _projected(b: Builder, x: Sym, states: Sequence[Sym], params: Sequence[Sequence[Sym]]) -> tuple[Sym, list[Sym]]:
    """`_layer` of an LSTM with projections, which ONNX's has not, as a loop over the steps."""
    sides, ends = [], []
    for d, weights in enumerate(params):

        def step(
            b: Builder, index: Sym, states: list[Sym], d: int = d, weights: Any = weights
        ) -> tuple[None, list[Sym], list[Sym]]:
            h, c = _lstm_cell(b, b.gather(flip(b, x, [0]) if d else x, index), states, *weights[:-1])
            h = linear(b, h, weights[-1])
            return None, [h, c], [h]

        last, (outputs,) = loop(b, [b.gather(s, d) for s in states], step, b.size(x, 0))
        sides.append(flip(b, outputs, [0]) if d else outputs)
        ends.append([b.unsqueeze(s, 0) for s in last])
    return b.op("Concat", *sides, axis=2), [b.op("Concat", *[e[i] for e in ends], axis=0) for i in (0, 1)]


def _stack(
    b: Builder, kind: str, x: Sym, states: Sequence[Sym], params: Sequence[Sym], has_biases: bool, layers: int, bidirectional: bool,
    activation: str | None = None, lengths: Sym | None = None,
) -> tuple[Sym, list[Sym]]:  # fmt: skip
    """Layers one on the other; `states` are (layers * directions, batch, hidden)."""
    directions = 2 if bidirectional else 1
    each = len(params) // (layers * directions)
    projects = each != (4 if has_biases else 2)
    if projects and lengths is not None:
        raise ExportError("an LSTM with projections (proj_size) over packed sequences has no ONNX operator", b.span)
    chunks = [params[i * each : (i + 1) * each] for i in range(layers * directions)]
    ends: list[list[Sym]] = [[] for _ in states]
    for layer in range(layers):
        at = layer * directions
        mine = [s if layers == 1 else b.slice(s, 0, at, at + directions) for s in states]
        own = chunks[at : at + directions]
        x, last = _projected(b, x, mine, own) if projects else _layer(b, kind, x, mine, own, activation, lengths)
        for end, state in zip(ends, last, strict=True):
            end.append(state)
    return x, [e[0] if len(e) == 1 else b.op("Concat", *e, axis=0) for e in ends]


def single_layer(
    b: Builder, kind: str, x: Sym, states: Sequence[Sym], params: Sequence[Sym], backwards: bool
) -> tuple[Sym, list[Sym]]:
    """One layer of one direction, forwards or backwards."""
    return _layer(b, kind, x, states, [params], None, None, backwards)


def _check(b: Builder, dropout: float, train: bool) -> None:
    if train and dropout > 0:
        raise ExportError(
            "a recurrent layer with dropout in training: export the model in evaluation mode (model.eval())", b.span
        )


def _on_batch(
    b: Builder, kind: str, x: Sym, states: Sequence[Sym], params: list[Sym], has_biases: bool, layers: int, dropout: float, train: bool,
    bidirectional: bool, batch_first: bool, activation: str | None = None,
) -> tuple[Sym, ...]:  # fmt: skip
    _check(b, dropout, train)
    x = b.transpose(x, [1, 0, 2]) if batch_first else x
    output, ends = _stack(b, kind, x, states, params, has_biases, layers, bidirectional, activation)
    return (b.transpose(output, [1, 0, 2]) if batch_first else output, *ends)


converter("lstm.input")(lambda b, x, hx, params, *rest: _on_batch(b, "LSTM", x, hx, params, *rest))
converter("gru.input")(lambda b, x, hx, params, *rest: _on_batch(b, "GRU", x, [hx], params, *rest))
converter("rnn_tanh.input")(
    lambda b, x, hx, params, *rest: _on_batch(b, "RNN", x, [hx], params, *rest, activation="Tanh")  # type: ignore[misc]
)
converter("rnn_relu.input")(
    lambda b, x, hx, params, *rest: _on_batch(b, "RNN", x, [hx], params, *rest, activation="Relu")  # type: ignore[misc]
)


# -- packed sequences --------------------------------------------------------------------------------------------------
def _within(b: Builder, batch_sizes: Sym) -> tuple[Sym, Sym]:
    """Of packed sequences: (which places of a (time, batch) grid they fill, the sequences' lengths)."""
    batch_sizes = b.cast(batch_sizes, 4)
    lanes = b.op("Range", np.asarray(0), b.gather(batch_sizes, 0), np.asarray(1))
    filled = b.op("Less", b.unsqueeze(lanes, 0), b.unsqueeze(batch_sizes, 1))
    return filled, b.op("ReduceSum", b.cast(filled, 4), b.ints(0), keepdims=0)


def _padded(b: Builder, data: Sym, batch_sizes: Sym) -> tuple[Sym, Sym, Sym]:
    """(time, batch, features) of packed sequences, the filled places, the lengths. What is not filled holds the first
    element.
    """
    filled, lengths = _within(b, batch_sizes)
    sizes = b.cast(batch_sizes, 4)
    starts = b.op("Sub", b.op("CumSum", sizes, np.asarray(0)), sizes)
    lanes = b.op("Range", np.asarray(0), b.gather(sizes, 0), np.asarray(1))
    places = b.op("Where", filled, b.op("Add", b.unsqueeze(starts, 1), b.unsqueeze(lanes, 0)), np.asarray(0))
    return b.gather(data, places), filled, lengths


def _packed(b: Builder, x: Sym, filled: Sym) -> Sym:
    """The filled places of (time, batch, …), one after the other."""
    flat = b.reshape(x, [-1, *b.sizes(x)[2:]])
    return b.op("Compress", flat, b.reshape(filled, [-1]), axis=0)


@converter("_pack_padded_sequence")
def _pack_padded(b: Builder, x: Sym, lengths: Sym, batch_first: bool) -> tuple[Sym, Sym]:
    x = b.transpose(x, [1, 0, *range(2, b.rank(x))]) if batch_first else x
    lengths = b.cast(lengths, 4)
    longest = b.op("ReduceMax", lengths, keepdims=0)
    steps = b.op("Range", np.asarray(0), longest, np.asarray(1))
    filled = b.op("Less", b.unsqueeze(steps, 1), b.unsqueeze(lengths, 0))
    batch_sizes = b.op("ReduceSum", b.cast(filled, 4), b.ints(1), keepdims=0)
    return _packed(b, b.slice(x, 0, 0, longest), filled), batch_sizes


@converter("_pad_packed_sequence")
def _pad_packed(
    b: Builder, data: Sym, batch_sizes: Sym, batch_first: bool, padding_value: Any, total_length: Any
) -> tuple[Sym, Sym]:
    grid, filled, lengths = _padded(b, data, batch_sizes)
    mask = b.unsqueeze(filled, *range(2, b.rank(grid))) if b.rank(grid) > 2 else filled
    made = b.op("Where", mask, grid, b.cast(padding_value, grid.dtype))
    if isinstance(total_length, Sym) or total_length > 0:
        missing = b.op("Sub", b.sym(total_length, 4), b.op("Size", batch_sizes))
        rank = b.rank(made)
        amounts = b.vector([0] * rank + [missing] + [0] * (rank - 1))
        made = b.op("Pad", made, amounts, b.cast(padding_value, made.dtype))
    return b.transpose(made, [1, 0, *range(2, b.rank(made))]) if batch_first else made, lengths


def _on_packed(
    b: Builder, kind: str, data: Sym, batch_sizes: Sym, states: Sequence[Sym], params: list[Sym], has_biases: bool, layers: int, dropout: float,
    train: bool, bidirectional: bool, activation: str | None = None,
) -> tuple[Sym, ...]:  # fmt: skip
    _check(b, dropout, train)
    grid, filled, lengths = _padded(b, data, batch_sizes)
    output, ends = _stack(b, kind, grid, states, params, has_biases, layers, bidirectional, activation, lengths)
    return (_packed(b, output, filled), *ends)


converter("lstm.data")(lambda b, x, sizes, hx, params, *rest: _on_packed(b, "LSTM", x, sizes, hx, params, *rest))
converter("gru.data")(lambda b, x, sizes, hx, params, *rest: _on_packed(b, "GRU", x, sizes, [hx], params, *rest))
converter("rnn_tanh.data")(
    lambda b, x, sizes, hx, params, *rest: _on_packed(b, "RNN", x, sizes, [hx], params, *rest, activation="Tanh")  # type: ignore[misc]
)
converter("rnn_relu.data")(
    lambda b, x, sizes, hx, params, *rest: _on_packed(b, "RNN", x, sizes, [hx], params, *rest, activation="Relu")  # type: ignore[misc]
)


@converter("pad_sequence")
def _pad_sequence(
    b: Builder, sequences: list[Sym], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Sym:
    lengths = [b.single(b.size(s, 0)) for s in sequences]
    longest = b.op("Max", *lengths)
    rows = []
    for s, length in zip(sequences, lengths, strict=True):
        gap, rest = b.op("Sub", longest, length), b.ints(*[0] * (b.rank(s) - 1))
        amounts = [gap, rest, b.ints(0), rest] if padding_side == "left" else [b.ints(0), rest, gap, rest]
        padded = b.op("Pad", s, b.op("Concat", *amounts, axis=0), b.cast(padding_value, s.dtype))
        rows.append(b.unsqueeze(padded, 0 if batch_first else 1))
    return b.op("Concat", *rows, axis=0 if batch_first else 1)


# -- cells -------------------------------------------------------------------------------------------------------------
def _gates(
    b: Builder, x: Sym, h: Sym, w_ih: Sym, w_hh: Sym, b_ih: Any, b_hh: Any, count: int
) -> tuple[list[Sym], list[Sym]]:
    """The input's and the state's share of every gate."""
    axis = b.rank(x) - 1
    shares = [linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh)]
    split = [list(b.ops("Split", s, outputs=count, axis=axis, num_outputs=count)) for s in shares]
    return split[0], split[1]


@converter("lstm_cell")
def _lstm_cell(
    b: Builder, x: Sym, hx: list[Sym], w_ih: Sym, w_hh: Sym, b_ih: Any = None, b_hh: Any = None
) -> tuple[Sym, Sym]:
    h, c = hx
    total = b.op("Add", linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh))
    i, f, g, o = b.ops("Split", total, outputs=4, axis=b.rank(x) - 1, num_outputs=4)
    kept = b.op("Mul", b.op("Sigmoid", f), c)
    new = b.op("Add", kept, b.op("Mul", b.op("Sigmoid", i), b.op("Tanh", g)))
    return b.op("Mul", b.op("Sigmoid", o), b.op("Tanh", new)), new


@converter("gru_cell")
def _gru_cell(b: Builder, x: Sym, h: Sym, w_ih: Sym, w_hh: Sym, b_ih: Any = None, b_hh: Any = None) -> Sym:
    (xr, xz, xn), (hr, hz, hn) = _gates(b, x, h, w_ih, w_hh, b_ih, b_hh, 3)
    r, z = b.op("Sigmoid", b.op("Add", xr, hr)), b.op("Sigmoid", b.op("Add", xz, hz))
    n = b.op("Tanh", b.op("Add", xn, b.op("Mul", r, hn)))
    return b.op("Add", n, b.op("Mul", z, b.op("Sub", h, n)))


for _name, _kind in (("tanh", "Tanh"), ("relu", "Relu")):

    def _cell(
        b: Builder, x: Sym, h: Sym, w_ih: Sym, w_hh: Sym, b_ih: Any = None, b_hh: Any = None, kind: str = _kind
    ) -> Sym:
        return b.op(kind, b.op("Add", linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh)))

    converter(f"rnn_{_name}_cell")(_cell)

no_form("_pack_sequence", reason="the number of sequences must not depend on the inputs")
