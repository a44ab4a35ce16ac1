"""ONNX forms of recurrent networks, their cells and packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linstock.backends.onnx.attention import arange
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.linalg import linear
from linstock.backends.onnx.registry import converter
from linstock.ir.errors import ExportError

#: kind -> (node, how PyTorch's gates lie in ONNX's order)
_KINDS: dict[str, tuple[str, list[int]]] = {
    "lstm": ("LSTM", [0, 3, 1, 2]), "gru": ("GRU", [1, 0, 2]), "rnn_tanh": ("RNN", [0]), "rnn_relu": ("RNN", [0]),
}  # fmt: skip
INT64, INT32 = 4, 3


def _gates(b: Builder, value: Sym, order: Sequence[int]) -> Sym:
    """The blocks of a weight or bias in another order."""
    if len(order) == 1:
        return value
    rows = b.size(value, 0)
    if isinstance(rows, Sym):
        raise ExportError("the weights of a recurrent network must be of fixed size")
    step = rows // len(order)
    return b.op("Concat", *[b.slice(value, 0, i * step, (i + 1) * step) for i in order], axis=0)


def _stacked(b: Builder, values: Sequence[Sym]) -> Sym:
    return b.op("Concat", *[b.unsqueeze(v, 0) for v in values], axis=0)


def _layer(
    b: Builder, kind: str, x: Sym, state: Sequence[Sym], groups: Sequence[Sequence[Sym]], biases: bool, lengths: Sym | None
) -> tuple[Sym, list[Sym]]:
    """One layer (both directions) over (T, B, I): outputs (T, B, directions * H) and last states (directions, B, H)."""
    node, order = _KINDS[kind]
    w = _stacked(b, [_gates(b, g[0], order) for g in groups])
    r = _stacked(b, [_gates(b, g[1], order) for g in groups])
    bias = None
    if biases:
        both = [b.op("Concat", _gates(b, g[2], order), _gates(b, g[3], order), axis=0) for g in groups]
        bias = _stacked(b, both)
    hidden = b.size(groups[0][1], 1)
    given: dict[str, Any] = {"hidden_size": hidden}
    if len(groups) == 2:
        given["direction"] = "bidirectional"
    if kind == "gru":
        given["linear_before_reset"] = 1
    if kind == "rnn_relu":
        given["activations"] = ["Relu"] * len(groups)
    outputs = b.ops(node, x, w, r, bias, lengths, *state, outputs=len(state) + 1, **given)
    y = outputs[0]
    if len(groups) == 1:
        y = b.squeeze(y, 1)
    else:
        sizes = b.sizes(x)
        y = b.reshape(b.transpose(y, [0, 2, 1, 3]), [*sizes[:2], len(groups) * hidden])
    return y, list(outputs[1:])


def _unrolled(
    b: Builder, x: Sym, state: Sequence[Sym], groups: Sequence[Sequence[Sym]], biases: bool
) -> tuple[Sym, list[Sym]]:
    """An LSTM layer with projections, which ONNX's LSTM has not, step by step."""
    steps = b.size(x, 0)
    if isinstance(steps, Sym):
        raise ExportError("an LSTM with proj_size needs a sequence of fixed length")
    results, ends = [], []
    for d, group in enumerate(groups):
        h, c = (b.squeeze(b.slice(s, 0, d, d + 1), 0) for s in state)
        bias = (group[2], group[3]) if biases else (None, None)
        outputs: list[Sym] = []
        for t in range(steps)[:: -1 if d else 1]:
            h, c = lstm_cell(b, b.gather(x, t), [h, c], group[0], group[1], *bias, projection=group[-1])
            outputs.append(b.unsqueeze(h, 0))
        results.append(b.op("Concat", *outputs[:: -1 if d else 1], axis=0))
        ends.append((h, c))
    y = results[0] if len(results) == 1 else b.op("Concat", *results, axis=2)
    return y, [_stacked(b, [e[i] for e in ends]) for i in range(2)]


def _run(
    b: Builder, kind: str, x: Sym, state: Sequence[Sym], params: Sequence[Sym], biases: bool, layers: int,
    dropout: float, train: bool, bidirectional: bool, lengths: Sym | None = None,
) -> tuple[Sym, ...]:  # fmt: skip
    """All layers over (T, B, I)."""
    directions = 2 if bidirectional else 1
    per = len(params) // (layers * directions)
    projects = per in (3, 5)
    groups = [params[i : i + per] for i in range(0, len(params), per)]
    ends = []
    for i in range(layers):
        first = i * directions
        own = [b.slice(s, 0, first, first + directions) for s in state]
        if projects:
            if lengths is not None:
                raise ExportError("an LSTM with proj_size over a packed sequence has no ONNX form")
            x, last = _unrolled(b, x, own, groups[first : first + directions], biases)
        else:
            x, last = _layer(b, kind, x, own, groups[first : first + directions], biases, lengths)
        ends.append(last)
        if train and dropout and i < layers - 1:
            x = b.op("Dropout", x, float(dropout), b.constant(True))
    return x, *[b.op("Concat", *[e[j] for e in ends], axis=0) for j in range(len(state))]


def _swap(b: Builder, x: Sym) -> Sym:
    return b.transpose(x, [1, 0, *range(2, b.rank(x))])


def _register(kind: str) -> None:
    def over_input(
        b: Builder, x: Sym, hx: Any, params: Sequence[Sym], biases: bool, layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool,
    ) -> tuple[Sym, ...]:  # fmt: skip
        state = hx if isinstance(hx, list) else [hx]
        x = _swap(b, x) if batch_first else x
        y, *last = _run(b, kind, x, state, params, biases, layers, dropout, train, bidirectional)
        return _swap(b, y) if batch_first else y, *last

    def over_packed(
        b: Builder, data: Sym, sizes: Sym, hx: Any, params: Sequence[Sym], biases: bool, layers: int, dropout: float,
        train: bool, bidirectional: bool,
    ) -> tuple[Sym, ...]:  # fmt: skip
        state = hx if isinstance(hx, list) else [hx]
        padded, mask = unpacked(b, data, sizes)
        lengths = b.op("ReduceSum", b.cast(mask, INT64), b.ints(0), keepdims=0)
        x, *last = _run(
            b, kind, padded, state, params, biases, layers, dropout, train, bidirectional, b.cast(lengths, INT32)
        )
        return b.shaped(packed(b, x, mask), (b.dims([b.size(data, 0)])[0], b.dims([b.size(x, 2)])[0])), *last

    converter(f"aten::{kind}.input")(over_input)
    converter(f"aten::{kind}.data")(over_packed)


for _kind in _KINDS:
    _register(_kind)


# -- packed sequences --------------------------------------------------------------------------------------------------
def packed(b: Builder, x: Sym, mask: Sym) -> Sym:
    """The rows of (T, B, ...) where a mask (T, B) is true, in order."""
    places = b.squeeze(b.op("NonZero", b.reshape(mask, [-1])), 0)
    return b.op("Gather", b.reshape(x, [-1, *b.sizes(x)[2:]]), places, axis=0)


def unpacked(b: Builder, data: Sym, sizes: Sym) -> tuple[Sym, Sym]:
    """(T, B, ...) of a packed sequence (with arbitrary rows behind the ends), and where it is filled."""
    sizes = b.cast(sizes, INT64)
    batch = b.op("ReduceMax", sizes, keepdims=0)
    rows = b.unsqueeze(arange(b, batch), 0)
    mask = b.op("Less", rows, b.unsqueeze(sizes, 1))
    starts = b.op("Sub", b.op("CumSum", sizes, b.constant(0, INT64)), sizes)
    places = b.op("Add", b.unsqueeze(starts, 1), rows)
    return b.op("Gather", data, b.op("Where", mask, places, 0), axis=0), mask


@converter("aten::_pack_padded_sequence")
def _pack_padded_sequence(b: Builder, x: Sym, lengths: Sym, batch_first: bool) -> tuple[Sym, Sym]:
    x = _swap(b, x) if batch_first else x
    lengths = b.cast(lengths, INT64)
    steps = arange(b, b.op("ReduceMax", lengths, keepdims=0))
    mask = b.op("Less", b.unsqueeze(steps, 1), b.unsqueeze(lengths, 0))
    longest = b.op("ReduceMax", lengths, keepdims=0)
    data = packed(b, b.slice(x, 0, 0, longest), mask)
    return data, b.op("ReduceSum", b.cast(mask, INT64), b.ints(1), keepdims=0)


@converter("aten::_pad_packed_sequence")
def _pad_packed_sequence(
    b: Builder, data: Sym, sizes: Sym, batch_first: bool, padding: Any, total_length: Any
) -> tuple[Sym, Sym]:
    sizes = b.cast(sizes, INT64)
    if isinstance(total_length, Sym) or total_length > 0:
        missing = b.op("Sub", b.cast(total_length, INT64), b.op("Squeeze", b.op("Shape", sizes), b.ints(0)))
        zeros = b.op("Expand", b.ints(0), b.single(missing))
        sizes = b.op("Concat", sizes, zeros, axis=0)
    x, mask = unpacked(b, data, sizes)
    extra = b.rank(x) - 2
    where = b.unsqueeze(mask, *range(2, 2 + extra)) if extra else mask
    x = b.op("Where", where, x, b.cast(padding, x.dtype))
    lengths = b.op("ReduceSum", b.cast(mask, INT64), b.ints(0), keepdims=0)
    return (_swap(b, x) if batch_first else x), lengths


@converter("aten::pad_sequence")
def _pad_sequence(
    b: Builder, sequences: Any, batch_first: bool = False, padding: float = 0.0, side: str = "right"
) -> Sym:
    if isinstance(sequences, Sym):
        raise ExportError("pad_sequence over a list whose length depends on the inputs has no ONNX form")
    lengths = [b.single(b.size(s, 0)) for s in sequences]
    longest = b.op("Max", *lengths) if len(lengths) > 1 else lengths[0]
    made = []
    for value, length in zip(sequences, lengths, strict=True):
        missing, none = b.op("Sub", longest, length), [0] * (b.rank(value) - 1)
        before, after = (b.ints(0), missing) if side == "right" else (missing, b.ints(0))
        parts = [before, after] if not none else [before, b.ints(*none), after, b.ints(*none)]
        pads = b.op("Concat", *parts, axis=0)
        made.append(b.unsqueeze(b.op("Pad", value, pads, b.cast(padding, value.dtype)), 0 if batch_first else 1))
    return b.op("Concat", *made, axis=0 if batch_first else 1)


# -- cells -------------------------------------------------------------------------------------------------------------
def _parts(b: Builder, gates: Sym, count: int) -> list[Sym]:
    size = b.size(gates, -1)
    if isinstance(size, Sym):
        raise ExportError("the weights of a recurrent cell must be of fixed size")
    axis = b.rank(gates) - 1
    return list(b.ops("Split", gates, b.ints(*[size // count] * count), outputs=count, axis=axis))


@converter("aten::lstm_cell")
def lstm_cell(
    b: Builder, x: Sym, hx: Sequence[Sym], w_ih: Sym, w_hh: Sym, b_ih: Sym | None = None, b_hh: Sym | None = None,
    projection: Sym | None = None,
) -> tuple[Sym, Sym]:  # fmt: skip
    """One step: the new hidden and cell state."""
    h, c = hx
    gates = b.op("Add", linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh))
    i, f, g, o = _parts(b, gates, 4)
    kept = b.op("Mul", b.op("Sigmoid", f), c)
    c = b.op("Add", kept, b.op("Mul", b.op("Sigmoid", i), b.op("Tanh", g)))
    h = b.op("Mul", b.op("Sigmoid", o), b.op("Tanh", c))
    return (h if projection is None else linear(b, h, projection, None)), c


@converter("aten::gru_cell")
def _gru_cell(
    b: Builder, x: Sym, h: Sym, w_ih: Sym, w_hh: Sym, b_ih: Sym | None = None, b_hh: Sym | None = None
) -> Sym:
    r, z, n = _parts(b, linear(b, x, w_ih, b_ih), 3)
    hr, hz, hn = _parts(b, linear(b, h, w_hh, b_hh), 3)
    r, z = b.op("Sigmoid", b.op("Add", r, hr)), b.op("Sigmoid", b.op("Add", z, hz))
    n = b.op("Tanh", b.op("Add", n, b.op("Mul", r, hn)))
    return b.op("Add", n, b.op("Mul", z, b.op("Sub", h, n)))


def _register_cell(name: str, kind: str) -> None:
    def cell(
        b: Builder, x: Sym, h: Sym, w_ih: Sym, w_hh: Sym, b_ih: Sym | None = None, b_hh: Sym | None = None
    ) -> Sym:
        return b.op(kind, b.op("Add", linear(b, x, w_ih, b_ih), linear(b, h, w_hh, b_hh)))

    converter(name)(cell)


_register_cell("aten::rnn_tanh_cell", "Tanh")
_register_cell("aten::rnn_relu_cell", "Relu")
