"""Recurrent networks (LSTM, GRU, tanh and ReLU), their cells, and packed sequences.

A layer multiplies its whole input by the input weights at once; the loop over time does the recurrent product only. A
packed sequence runs through the same loop: at each step the first `batch_sizes[t]` rows of the state advance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, type_name
from linstock.backends.array.promotion import wide
from linstock.backends.array.registry import kernel, registered

State = tuple[Array, ...]
#: one step: (input part of the gates, state rows) to the new state rows; the first state array is the output
Step = Callable[[Array, State], State]


def _sigmoid(x: Array) -> Array:
    """Logistic function in place, by tanh (which neither overflows nor warns)."""
    half = x.dtype.type(0.5)
    x *= half
    np.tanh(x, out=x)
    x *= half
    x += half
    return x


def _linear(x: Array, w: Array, b: Array | None) -> Array:
    if x.shape[-1] != w.shape[1]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and {w.shape[1]}x{w.shape[0]})"
        )
    y: Array = np.matmul(x, w.T)
    if b is not None:
        y += b
    return y


def lstm_step(recurrent: Callable[[Array], Array], hidden: int, w_hr: Array | None = None) -> Step:
    """One LSTM step; `recurrent` gives its part of the gates (input, forget, cell, output) in fresh memory."""

    def step(gates: Array, state: State) -> State:
        h, c = state
        g = recurrent(h)
        g += gates
        cell = np.tanh(g[:, 2 * hidden : 3 * hidden])
        _sigmoid(g)
        c = g[:, hidden : 2 * hidden] * c
        cell *= g[:, :hidden]
        c += cell
        h = g[:, 3 * hidden :] * np.tanh(c)
        return (h if w_hr is None else np.matmul(h, w_hr.T)), c

    return step


def gru_step(recurrent: Callable[[Array], Array], hidden: int, b_hn: Array | None = None) -> Step:
    """One GRU step; `recurrent` gives the recurrent part of the gates (reset, update, new) in fresh memory."""

    def step(gates: Array, state: State) -> State:
        h = state[0]
        g = recurrent(h)
        rz = _sigmoid(g[:, : 2 * hidden] + gates[:, : 2 * hidden])
        n = g[:, 2 * hidden :]
        if b_hn is not None:
            n += b_hn
        n *= rz[:, :hidden]
        n += gates[:, 2 * hidden :]
        np.tanh(n, out=n)
        y = h - n
        y *= rz[:, hidden:]
        y += n
        return (y,)

    return step


def plain_step(recurrent: Callable[[Array], Array], relu: bool) -> Step:
    """One step of a plain network: tanh or ReLU of the sum."""

    def step(gates: Array, state: State) -> State:
        g = recurrent(state[0])
        g += gates
        return (np.maximum(g, g.dtype.type(0), out=g) if relu else np.tanh(g, out=g),)

    return step


def _prepare(kind: str, weights: Sequence[Array], has_biases: bool) -> tuple[Array, Array | None, Step]:
    """(input weight, input bias, step) of one direction of one layer; recurrent biases move into the input bias."""
    w = [wide(v) for v in weights]
    w_ih, w_hh = w[:2]
    transposed = w_hh.T

    def recurrent(h: Array) -> Array:
        return np.asarray(np.matmul(h, transposed))

    b_ih, b_hh = (w[2], w[3]) if has_biases else (None, None)
    if kind == "gru":
        hidden = w_hh.shape[0] // 3
        bias = None
        b_hn = None
        if b_ih is not None and b_hh is not None:
            bias = b_ih.copy()
            bias[: 2 * hidden] += b_hh[: 2 * hidden]
            b_hn = b_hh[2 * hidden :]
        return w_ih, bias, gru_step(recurrent, hidden, b_hn)
    bias = None if b_ih is None or b_hh is None else b_ih + b_hh
    if kind == "lstm":
        return w_ih, bias, lstm_step(recurrent, w_hh.shape[0] // 4, w[-1] if len(w) in (3, 5) else None)
    return w_ih, bias, plain_step(recurrent, kind == "relu")


def run_layer(
    x: Array, sizes: Sequence[int] | None, state: State, project: Callable[[Array], Array], step: Step, reverse: bool
) -> tuple[Array, State]:
    """One direction over (T, B, I), or over packed (sum of sizes, I). Returns the outputs and the last state."""
    if sizes is None:
        steps, batch = x.shape[:2]
        gates = project(x.reshape(steps * batch, -1)).reshape(steps, batch, -1)
        y = np.empty_like(gates, shape=(steps, batch, state[0].shape[-1]))
        for t in range(steps - 1, -1, -1) if reverse else range(steps):
            state = step(gates[t], state)
            y[t] = state[0]
        return y, state
    gates = project(x)
    y = np.empty_like(gates, shape=(x.shape[0], state[0].shape[-1]))
    state = tuple(s.copy() for s in state)
    ends = np.cumsum(np.asarray(sizes)).tolist()
    for t in range(len(ends) - 1, -1, -1) if reverse else range(len(ends)):
        n = int(sizes[t])
        rows = slice(ends[t] - n, ends[t])
        new = step(gates[rows], tuple(s[:n] for s in state))
        for s, v in zip(state, new):
            s[:n] = v
        y[rows] = new[0]
    return y, state


def _check_state(x: Array, sizes: Array | None, state: Sequence[Array], layers: int, directions: int) -> None:
    batch = int(sizes[0]) if sizes is not None and sizes.size else x.shape[1] if sizes is None else 0
    for s in state:
        if s.ndim != 3:
            raise RuntimeError(f"expected a hidden state of 3 dimensions, got {s.ndim}")
        if s.dtype != x.dtype:
            raise RuntimeError(
                "Input and hidden tensors are not the same dtype, found input tensor with "
                f"{type_name(x.dtype)} and hidden tensor with {type_name(s.dtype)}"
            )
        if s.shape[0] < layers * directions:
            raise IndexError(
                f"select(): index {s.shape[0]} out of range for tensor of size {list(s.shape)} at dimension 0"
            )
        if s.shape[1] != batch:
            raise RuntimeError(
                f"Expected hidden size ({layers * directions}, {batch}, {s.shape[2]}), got {list(s.shape)}"
            )


def run_stack(
    x: Array, sizes: Array | None, state: Sequence[Array],
    layers: Sequence[Sequence[tuple[Callable[[Array], Array], Step]]], dropout: float, train: bool,
) -> tuple[Array, list[Array]]:  # fmt: skip
    """All layers, each a sequence of directions, over (T, B, I) or packed data: the outputs and last states."""
    steps = None if sizes is None else [int(n) for n in sizes]
    last: list[State] = []
    at = 0
    for i, directions in enumerate(layers):
        outputs = []
        for d, (project, step) in enumerate(directions):
            y, end = run_layer(x, steps, tuple(s[at] for s in state), project, step, d == 1)
            outputs.append(y)
            last.append(end)
            at += 1
        x = outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=-1)
        if train and dropout > 0 and i < len(layers) - 1:
            drop = registered("aten::dropout", "random")
            if drop is None:
                raise NotImplementedError("dropout between recurrent layers needs the random kernels")
            x = drop(x, dropout, True)
    return x, [np.stack([end[j] for end in last]) for j in range(len(state))]


def _projection(w: Array, b: Array | None) -> Callable[[Array], Array]:
    return lambda x: _linear(x, w, b)


def _run(
    kind: str, x: Array, sizes: Array | None, state: Sequence[Array], params: Sequence[Array], has_biases: bool,
    num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool = False,
) -> tuple[Array, ...]:  # fmt: skip
    if batch_first:
        x = x.swapaxes(0, 1)
    directions = 2 if bidirectional else 1
    per = 4 if has_biases else 2
    if kind == "lstm" and state[0].shape[-1] != state[1].shape[-1]:
        per += 1
    if len(params) % per:
        raise RuntimeError(f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {per}")
    _check_state(x, sizes, state, num_layers, directions)
    if len(params) != per * num_layers * directions:
        raise RuntimeError(
            f"Expected {per * num_layers * directions} weights for {num_layers} layers, got {len(params)}"
        )
    groups = [params[i : i + per] for i in range(0, len(params), per)]
    if groups and groups[0][0].dtype != x.dtype:
        raise ValueError(
            f"RNN input dtype ({x.dtype.name}) does not match weight dtype ({groups[0][0].dtype.name}). Convert "
            "input or weights"
        )
    prepared = [_prepare(kind, g, has_biases) for g in groups]
    cells = [(_projection(w, b), step) for w, b, step in prepared]
    layers = [cells[i : i + directions] for i in range(0, len(cells), directions)]
    y, last = run_stack(wide(x), sizes, [wide(s) for s in state], layers, dropout, train)
    if batch_first:
        y = y.swapaxes(0, 1)
    return tuple(v.astype(x.dtype, copy=False) for v in (y, *last))


@kernel("aten::lstm.input")
def lstm(
    input: Array, hx: Sequence[Array], params: Sequence[Array], has_biases: bool, num_layers: int, dropout: float,
    train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """LSTM over (T, B, I), or (B, T, I) with `batch_first`. Returns outputs, last hidden states, last cell states."""
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("lstm", input, None, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)


@kernel("aten::lstm.data")
def lstm_data(
    data: Array, batch_sizes: Array, hx: Sequence[Array], params: Sequence[Array], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """LSTM over a packed sequence."""
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("lstm", data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)


def _register(kind: str, name: str) -> None:
    def over_input(
        input: Array, hx: Array, params: Sequence[Array], has_biases: bool, num_layers: int, dropout: float,
        train: bool, bidirectional: bool, batch_first: bool,
    ) -> tuple[Array, ...]:  # fmt: skip
        return _run(kind, input, None, [hx], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)

    def over_data(
        data: Array, batch_sizes: Array, hx: Array, params: Sequence[Array], has_biases: bool, num_layers: int,
        dropout: float, train: bool, bidirectional: bool,
    ) -> tuple[Array, ...]:  # fmt: skip
        return _run(kind, data, batch_sizes, [hx], params, has_biases, num_layers, dropout, train, bidirectional)

    over_input.__doc__ = f"{name} over (T, B, I). Returns the outputs and the last hidden states."
    over_data.__doc__ = f"{name} over a packed sequence. Returns the outputs and the last hidden states."
    kernel(f"aten::{name}.input")(over_input)
    kernel(f"aten::{name}.data")(over_data)


for _kind, _name in (("gru", "gru"), ("tanh", "rnn_tanh"), ("relu", "rnn_relu")):
    _register(_kind, _name)


# cells


def _check_cell(x: Array, state: Sequence[Array], w_ih: Array, w_hh: Array) -> None:
    if x.shape[1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {w_ih.shape[1]}")
    for i, h in enumerate(state):
        if h.shape[0] != x.shape[0]:
            raise RuntimeError(f"Input batch size {x.shape[0]} doesn't match hidden{i} batch size {h.shape[0]}")
        if h.shape[1] != w_hh.shape[1] and i == 0:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {h.shape[1]}, expected {w_hh.shape[1]}")


def _cell(
    kind: str, x: Array, state: Sequence[Array], w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None
) -> tuple[Array, ...]:
    _check_cell(x, state, w_ih, w_hh)
    zero = np.zeros_like(w_ih, shape=(w_ih.shape[0],))
    biases = [] if b_ih is None and b_hh is None else [zero if b is None else b for b in (b_ih, b_hh)]
    w, b, step = _prepare(kind, [w_ih, w_hh, *biases], bool(biases))
    new = step(_linear(wide(x), w, b), tuple(wide(s) for s in state))
    return tuple(v.astype(x.dtype, copy=False) for v in new)


@kernel("aten::lstm_cell")
def lstm_cell(
    input: Array, hx: Sequence[Array], w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
) -> tuple[Array, ...]:
    """One LSTM step. Returns the new hidden and cell states."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    return _cell("lstm", input, hx, w_ih, w_hh, b_ih, b_hh)


def _register_cell(kind: str, name: str) -> None:
    def cell(
        input: Array, hx: Array, w_ih: Array, w_hh: Array, b_ih: Array | None = None, b_hh: Array | None = None
    ) -> Array:
        return _cell(kind, input, [hx], w_ih, w_hh, b_ih, b_hh)[0]

    cell.__doc__ = f"One step of a {kind} recurrent network."
    kernel(f"aten::{name}")(cell)


for _kind, _name in (("gru", "gru_cell"), ("tanh", "rnn_tanh_cell"), ("relu", "rnn_relu_cell")):
    _register_cell(_kind, _name)


# packed and padded sequences


@kernel("aten::_pack_padded_sequence")
def _pack_padded_sequence(input: Array, lengths: Array, batch_first: bool) -> tuple[Array, Array]:
    """Padded sequences, longest first, as rows by time step, and how many sequences each step has."""
    x = input.swapaxes(0, 1) if batch_first else input
    batch = x.shape[1]
    if lengths.ndim != 1 or lengths.shape[0] != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.shape[0] if lengths.ndim else 0} "
            f"(batch_size={batch})"
        )
    if batch == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (lengths[1:] > lengths[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not "
            "need ONNX exportability."
        )
    longest = int(lengths[0])
    if longest > x.shape[0]:
        raise RuntimeError(
            f"Expected the longest length to be at most the padded length {x.shape[0]}, but got a length of {longest}"
        )
    taken = np.arange(longest)[:, None] < np.asarray(lengths)[None, :]
    return x[:longest][taken], taken.sum(axis=1).astype(np.int64)


@kernel("aten::_pad_packed_sequence")
def _pad_packed_sequence(
    data: Array, batch_sizes: Array, batch_first: bool, padding_value: Any, total_length: int
) -> tuple[Array, Array]:
    """A packed sequence as padded sequences, and their lengths."""
    longest = len(batch_sizes)
    if total_length > 0:
        if total_length < longest:
            raise RuntimeError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        padded = total_length
    else:
        padded = longest
    batch = int(batch_sizes[0])
    out = np.full_like(data, padding_value, shape=(padded, batch, *data.shape[1:]), order="C")
    taken = np.arange(batch)[None, :] < np.asarray(batch_sizes)[:, None]
    out[:longest][taken] = data
    return (out.swapaxes(0, 1) if batch_first else out), taken.sum(axis=0).astype(np.int64)


@kernel("aten::_pack_sequence")
def _pack_sequence(
    output: Array, batch_sizes: Array, sorted_indices: Array | None, unsorted_indices: Array | None
) -> tuple[Array, Array, Array | None, Array | None]:
    """The fields of a packed sequence; the inverse of the order is found where only the order is given."""
    if sorted_indices is not None and unsorted_indices is None:
        unsorted_indices = np.empty_like(sorted_indices)
        unsorted_indices[sorted_indices] = np.arange(len(sorted_indices))
    return output, batch_sizes, sorted_indices, unsorted_indices


@kernel("aten::pad_sequence")
def pad_sequence(
    sequences: Sequence[Array], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Array:
    """Sequences (L, *) of different lengths as one array, filled up with a value on one side."""
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    first = sequences[0]
    longest, rest = max(s.shape[0] for s in sequences), first.shape[1:]
    out = np.full_like(first, padding_value, shape=(len(sequences), longest, *rest), order="C")
    for i, s in enumerate(sequences):
        if s.shape[1:] != rest:
            raise RuntimeError(f"expected sequences that differ in their first dimension only, got {list(s.shape)}")
        at = slice(0, s.shape[0]) if padding_side == "right" else slice(longest - s.shape[0], None)
        out[i, at] = s
    return out if batch_first else np.ascontiguousarray(out.swapaxes(0, 1))
