"""Type rules of recurrent layers."""

from __future__ import annotations

from linstock.ir import types as T
from linstock.ir.shapes.registry import Call, Result, known, rule


@rule("aten::lstm.input", "aten::gru.input", "aten::rnn_tanh.input", "aten::rnn_relu.input")
def _layers(call: Call) -> Result:
    """The sequence of outputs has the input's shape but for the features; the states keep their shapes."""
    x = call.tensor("input")
    states = call.tensors("hx") if call.node.kind == "aten::lstm" else [call.tensor("hx")]
    if states is None or len(states) != len(call.node.outputs) - 1:
        return None
    both = call.const("bidirectional")
    width = states[0].sizes[-1] if states[0].sizes else None
    if x.sizes is None or width is None or not isinstance(both, bool):
        return (
            known(x.dtype, None if x.rank is None else call.fresh(x.rank)),
            *(known(s.dtype, s.sizes) for s in states),
        )
    width = width * (2 if both else 1) if isinstance(width, int) else width if not both else call.facts.fresh()
    return known(x.dtype, (*x.sizes[:-1], width)), *(known(s.dtype, s.sizes) for s in states)


@rule("aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell")
def _cell(call: Call) -> Result:
    if call.node.kind != "aten::lstm_cell":
        state = call.tensor("hx")
        return known(state.dtype, state.sizes)
    states: list[T.TensorType] | None = call.tensors("hx")
    return None if states is None or len(states) != 2 else tuple(known(s.dtype, s.sizes) for s in states)
