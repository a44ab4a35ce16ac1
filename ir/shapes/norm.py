"""Type rules of normalisation and softmax: the shape stays."""

from __future__ import annotations

from linstock.ir.shapes.pointwise import like_first
from linstock.ir.shapes.registry import Call, Result, known, rules

rules("layer_norm group_norm instance_norm batch_norm rms_norm", like_first)


def _softmax(call: Call) -> Result:
    t = call.tensor(0)
    dtype = call.dtype("dtype", t.dtype)
    if call.argument("half_to_float") is not None and call.const("half_to_float") is not False:
        dtype = None
    return known(dtype, t.sizes)


rules("softmax log_softmax _softmax _log_softmax special_softmax special_log_softmax", _softmax)
