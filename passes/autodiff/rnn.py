"""Derivatives of the rnn family: backpropagation through time.

A stack of layers is recorded layer by layer and direction by direction (a backward direction is a forward one over
reversed sequences). One layer has a rule of its own: its outputs are its states, so the gates of all steps are computed
again at once, and only the way back is a loop. Sequences are packed here: the first rows belong to the first step, the
next to the second, and the number of rows never grows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from linstock.passes.autodiff.norm import wide
from linstock.passes.autodiff.registry import decomposed, derivative, expanded

# one layer, forward in time -----------------------------------------------------------------------------------------


def _previous(ops: Any, first: Any, outputs: Any, sizes: list[int]) -> Any:
    """The state before each step, from the first one and the outputs."""
    parts = [first[: sizes[0]]]
    if len(set(sizes)) == 1:
        parts.append(outputs[: outputs.shape[0] - sizes[0]])
    else:
        start = 0
        for n, after in pairwise(sizes):
            parts.append(outputs[start : start + after])
            start += n
    return ops.cat(parts, 0)


def _parts(ops: Any, gates: Any, count: int) -> Any:
    return ops.chunk(gates, count, 1) if count > 1 else [gates]


class _Loop:
    """The way back through the steps of a layer."""

    def __init__(self, ops: Any, sizes: list[int]) -> None:
        self.ops, self.sizes = ops, sizes

    def steps(self, t: Any) -> list[Any]:
        """The rows of each step."""
        return list(self.ops.split_with_sizes(t, self.sizes, 0))

    def arriving(self, t: int, carried: Any, last: Any) -> Any:
        """The gradient of the state after step t: from the next step, or from the last state where the sequence
        ends."""
        n = self.sizes[t]
        later = self.sizes[t + 1] if t + 1 < len(self.sizes) else 0
        if later == n:
            return carried
        ending = last[later:n]
        return ending if not later else self.ops.cat([carried, ending], 0)


def _lstm_back(ops: Any, loop: _Loop, g: Any, g_last: Any, gates: Any, state: Any, w_hh: Any, w_hr: Any) -> Any:
    """(gradient of the gates, of the first states, what the projection was given)."""
    i, f, c, o = _parts(ops, gates, 4)
    i, f, c, o = ops.sigmoid(i), ops.sigmoid(f), ops.tanh(c), ops.sigmoid(o)
    cell = state[1]
    before, after = [], []
    for forget, new in zip(loop.steps(f), loop.steps(i * c)):
        cell = cell[: new.shape[0]]
        before.append(cell)
        cell = forget * cell + new
        after.append(cell)
    previous, bounded = ops.cat(before, 0), ops.tanh(ops.cat(after, 0))
    to_cell = ops.cat([c * i * (1 - i), previous * f * (1 - f), i * (1 - c * c)], 1)
    to_output, through = loop.steps(bounded * o * (1 - o)), loop.steps(o * (1 - bounded * bounded))
    hidden = w_hh.shape[0] // 4
    to_cell = loop.steps(ops.reshape(to_cell, [-1, 3, hidden]))
    forgets, given = loop.steps(f), loop.steps(g)
    found: list[Any] = [None] * len(given)
    gh, gc = None, None
    for t in reversed(range(len(given))):
        gh = loop.arriving(t, gh, g_last[0]) + given[t]
        gc = loop.arriving(t, gc, g_last[1])
        raw = gh if w_hr is None else ops.matmul(gh, w_hr)
        gc = gc + raw * through[t]
        at_gates = ops.cat([ops.flatten(gc.unsqueeze(1) * to_cell[t], 1), raw * to_output[t]], 1)
        found[t] = at_gates
        gh = ops.matmul(at_gates, w_hh)
        gc = gc * forgets[t]
    each = ops.cat(found, 0)
    return each, each, [gh, gc], o * bounded


def _other_back(
    ops: Any, kind: str, loop: _Loop, g: Any, g_last: Any, gates: Any, outputs: Any, previous: Any, w_hh: Any
) -> Any:
    """(gradient of the input's part of the gates, of the state's part, of the first state)."""
    kept = None
    if kind == "gru":
        (rx, zx, nx), (rh, zh, nh) = (_parts(ops, v, 3) for v in gates)
        reset, update = ops.sigmoid(rx + rh), ops.sigmoid(zx + zh)
        new = ops.tanh(nx + reset * nh)
        at_new = (1 - update) * (1 - new * new)
        at_reset = at_new * nh * reset * (1 - reset)
        factor = [at_new, at_reset, (previous - new) * update * (1 - update), at_new * reset]
        kept = loop.steps(update)
    else:
        factor = [1 - outputs * outputs if kind == "tanh" else (outputs > 0).to(g.dtype)]
    hidden = w_hh.shape[1]
    factors = loop.steps(ops.reshape(ops.cat(factor, 1), [-1, len(factor), hidden]))
    given = loop.steps(g)
    found: list[Any] = [None] * len(given)
    gh = None
    for t in reversed(range(len(given))):
        gh = loop.arriving(t, gh, g_last[0]) + given[t]
        found[t] = ops.flatten(gh.unsqueeze(1) * factors[t], 1)
        back = ops.matmul(found[t] if kept is None else found[t][:, hidden:], w_hh)
        gh = back if kept is None else back + gh * kept[t]
    each = ops.cat(found, 0)
    if kept is None:
        return each, each, [gh]
    return ops.roll(each[:, : 3 * hidden], -hidden, 1), each[:, hidden:], [gh]


def _layer(
    ops: Any, kind: str, grads: Any, x: Any, sizes: list[int], state: Any, params: Any, biased: bool, outputs: Any
) -> Any:
    """Gradients of input, first states and parameters of one layer over packed rows."""
    g, *g_last = (wide(ops, v) for v in grads)
    x, outputs = wide(ops, x), wide(ops, outputs)
    state, g_last = [wide(ops, s)[0] for s in state], [v[0] for v in g_last]
    w_ih, w_hh, *rest = (wide(ops, p) for p in params)
    b_ih, b_hh = rest[:2] if biased else (None, None)
    w_hr = rest[-1] if len(params) in (3, 5) else None
    previous = _previous(ops, state[0], outputs, sizes)
    gates = ops.linear(x, w_ih, b_ih), ops.linear(previous, w_hh, b_hh)
    loop = _Loop(ops, sizes)
    raw = None
    if kind == "lstm":
        of_input, of_state, first, raw = _lstm_back(ops, loop, g, g_last, gates[0] + gates[1], state, w_hh, w_hr)
    else:
        of_input, of_state, first = _other_back(ops, kind, loop, g, g_last, gates, outputs, previous, w_hh)
    weights = [
        lambda: ops.matmul(of_input.t(), x),
        lambda: ops.matmul(of_state.t(), previous),
    ]
    if biased:
        weights += [lambda: ops.sum(of_input, [0]), lambda: ops.sum(of_state, [0])]
    if w_hr is not None:
        weights.append(lambda: ops.matmul(_whole(ops, loop, g, g_last[0], of_state, w_hh).t(), raw))
    return ops.matmul(of_input, w_ih), [v.unsqueeze(0) for v in first], weights


def _whole(ops: Any, loop: _Loop, g: Any, last: Any, of_gates: Any, w_hh: Any) -> Any:
    """The whole gradient of every step's output."""
    back = loop.steps(ops.matmul(of_gates, w_hh))
    found = []
    for t, given in enumerate(loop.steps(g)):
        found.append(given + loop.arriving(t, back[t + 1] if t + 1 < len(back) else None, last))
    return ops.cat(found, 0)


def _flat(ops: Any, t: Any, batch_first: bool) -> Any:
    return ops.flatten(t.transpose(0, 1) if batch_first else t, 0, 1)


def _over_input(kind: str, ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, state, params, biased, *_, batch_first = args
    states = state if kind == "lstm" else [state]
    steps, batch = (x.shape[1], x.shape[0]) if batch_first else x.shape[:2]
    rows = _flat(ops, x, batch_first)
    given = [_flat(ops, grads[0], batch_first), *grads[1:]]
    found, first, weights = _layer(
        ops, kind, given, rows, [batch] * steps, states, params, biased, _flat(ops, outputs[0], batch_first)
    )
    found = ops.reshape(found, [steps, batch, -1])
    found = found.transpose(0, 1) if batch_first else found
    return found, first if kind == "lstm" else first[0], weights


def _over_data(kind: str, ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, batch_sizes, state, params, biased, *_ = args
    states = state if kind == "lstm" else [state]
    found, first, weights = _layer(
        ops, kind, grads, x, batch_sizes.tolist(), states, params, biased, outputs[0]
    )  # fmt: skip
    return found, None, first if kind == "lstm" else first[0], weights


# stacks of layers ---------------------------------------------------------------------------------------------------


def _reversal(ops: Any, batch_sizes: Any) -> Any:
    """Where each row of packed sequences goes when every sequence is reversed."""
    sizes = batch_sizes.tolist()
    starts = [sum(sizes[:t]) for t in range(len(sizes))]
    lengths = [sum(1 for n in sizes if n > b) for b in range(sizes[0])]
    places = [starts[lengths[b] - 1 - t] + b for t, n in enumerate(sizes) for b in range(n)]
    return ops.call("aten::tensor", places, 4)


def _stacked(
    ops: Any, kind: str, x: Any, state: Any, params: Any, layers: int, dropout: float, train: bool, both_ways: bool,
    turned: Any, one: Any,
) -> Any:  # fmt: skip
    """All layers, each by `one(x, states, parameters)`; `turned(x)` reverses the sequences."""
    states = list(state) if kind == "lstm" else [state]
    ways = 2 if both_ways else 1
    per = len(params) // (layers * ways)
    last = []
    for layer in range(layers):
        found = []
        for way in range(ways):
            at = layer * ways + way
            given = [ops.narrow(s, 0, at, 1) for s in states]
            y, *end = one(turned(x) if way else x, given, list(params[at * per : (at + 1) * per]))
            found.append(turned(y) if way else y)
            last.append(end)
        x = found[0] if ways == 1 else ops.cat(found, -1)
        if train and dropout > 0 and layer < layers - 1:
            x = ops.dropout(x, dropout, True)
    return (x, *(ops.cat(list(ends), 0) for ends in zip(*last)))


def _fits(kind: str, state: Any, params: Any, layers: int, both_ways: bool) -> bool:
    """Whether there is more than one layer to take apart, and the parameters are complete."""
    count = layers * (2 if both_ways else 1)
    if count < 2 or not params or len(params) % count:
        return False
    return all(len(s.shape) == 3 and s.shape[0] >= count for s in (state if kind == "lstm" else [state]))


def _register(kind: str, name: str) -> None:
    def over_input(
        ops: Any, x: Any, state: Any, params: Any, biased: bool, layers: int, dropout: float, train: bool,
        both_ways: bool, batch_first: bool,
    ) -> Any:  # fmt: skip
        if not _fits(kind, state, params, layers, both_ways):
            return NotImplemented

        def one(x: Any, given: Any, weights: Any) -> Any:
            given = given if kind == "lstm" else given[0]
            return ops.call(f"aten::{name}.input", x, given, weights, biased, 1, 0.0, train, False, batch_first)

        def turned(t: Any) -> Any:
            return ops.flip(t, [1 if batch_first else 0])

        return _stacked(ops, kind, x, state, params, layers, dropout, train, both_ways, turned, one)

    def over_data(
        ops: Any, x: Any, batch_sizes: Any, state: Any, params: Any, biased: bool, layers: int, dropout: float,
        train: bool, both_ways: bool,
    ) -> Any:  # fmt: skip
        if not _fits(kind, state, params, layers, both_ways):
            return NotImplemented
        places = _reversal(ops, batch_sizes) if both_ways else None

        def one(x: Any, given: Any, weights: Any) -> Any:
            given = given if kind == "lstm" else given[0]
            return ops.call(f"aten::{name}.data", x, batch_sizes, given, weights, biased, 1, 0.0, train, False)

        def turned(t: Any) -> Any:
            return ops.index_select(t, 0, places)

        return _stacked(ops, kind, x, state, params, layers, dropout, train, both_ways, turned, one)

    expanded(f"aten::{name}.input", rule=lambda *given: _over_input(kind, *given))(over_input)
    expanded(f"aten::{name}.data", rule=lambda *given: _over_data(kind, *given))(over_data)


for _kind, _name in (("lstm", "lstm"), ("gru", "gru"), ("tanh", "rnn_tanh"), ("relu", "rnn_relu")):
    _register(_kind, _name)


# cells --------------------------------------------------------------------------------------------------------------


@expanded("aten::lstm_cell")
def _lstm_cell(ops: Any, x: Any, state: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    if len(state) != 2:
        return NotImplemented
    i, f, c, o = ops.chunk(ops.linear(x, w_ih, b_ih) + ops.linear(state[0], w_hh, b_hh), 4, 1)
    cell = ops.sigmoid(f) * state[1] + ops.sigmoid(i) * ops.tanh(c)
    return ops.sigmoid(o) * ops.tanh(cell), cell


@expanded("aten::gru_cell")
def _gru_cell(ops: Any, x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    rx, zx, nx = ops.chunk(ops.linear(x, w_ih, b_ih), 3, 1)
    rh, zh, nh = ops.chunk(ops.linear(h, w_hh, b_hh), 3, 1)
    update = ops.sigmoid(zx + zh)
    new = ops.tanh(nx + ops.sigmoid(rx + rh) * nh)
    return new + update * (h - new)


@expanded("aten::rnn_tanh_cell")
def _tanh_cell(ops: Any, x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    return ops.tanh(ops.linear(x, w_ih, b_ih) + ops.linear(h, w_hh, b_hh))


@expanded("aten::rnn_relu_cell")
def _relu_cell(ops: Any, x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    return ops.relu(ops.linear(x, w_ih, b_ih) + ops.linear(h, w_hh, b_hh))


# packed and padded sequences ----------------------------------------------------------------------------------------


def _packed_places(ops: Any, sizes: list[int]) -> Any:
    """Where packed rows lie among those of padded sequences, time first."""
    batch = sizes[0] if sizes else 0
    return ops.call("aten::tensor", [t * batch + b for t, n in enumerate(sizes) for b in range(n)], 4)


@derivative("aten::_pack_padded_sequence")
def _pack(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, _, batch_first = args
    g = grads[0]

    def own() -> Any:
        shape = list(x.shape)
        if batch_first:
            shape[:2] = shape[1::-1]
        blank = ops.new_zeros(g, [shape[0] * shape[1], *shape[2:]])
        found = ops.index_copy(blank, 0, _packed_places(ops, outputs[1].tolist()), g)
        found = ops.reshape(found, shape)
        return found.transpose(0, 1) if batch_first else found

    return (own,)


@derivative("aten::_pad_packed_sequence")
def _pad_packed(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    _, batch_sizes, batch_first, *_ = args

    def own() -> Any:
        return ops.index_select(_flat(ops, grads[0], batch_first), 0, _packed_places(ops, batch_sizes.tolist()))

    return (own,)


@derivative("aten::_pack_sequence")
def _pack_sequence(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (grads[0],)


@decomposed("aten::pad_sequence")
def _pad_sequence(ops: Any, sequences: Any, batch_first: bool, value: float, side: str) -> Any:
    longest = max(s.shape[0] for s in sequences)
    padded = []
    for s in sequences:
        missing = longest - s.shape[0]
        pad = [0, 0] * (s.dim() - 1) + ([missing, 0] if side == "left" else [0, missing])
        padded.append(ops.constant_pad_nd(s, pad, value))
    return ops.stack(padded, 0 if batch_first else 1)
