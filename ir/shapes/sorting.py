"""Type rules of sorting and selecting by order."""

from __future__ import annotations

from linstock.ir.shapes.arithmetic import LONG, replace, wrap
from linstock.ir.shapes.registry import Call, Result, known, rule


@rule("aten::sort")
def _sort(call: Call) -> Result:
    t = call.tensor(0)
    return known(t.dtype, t.sizes), known(LONG, t.sizes)


@rule("aten::argsort")
def _argsort(call: Call) -> Result:
    return known(LONG, call.tensor(0).sizes)


@rule("aten::topk")
def _topk(call: Call) -> Result:
    t, k = call.tensor(0), call.argument("k")
    dim = None if t.rank is None else wrap(call.number("dim"), t.rank)
    if t.sizes is None or dim is None or k is None:
        return known(t.dtype, None), known(LONG, None)
    sizes = replace(t.sizes, dim, call.facts.size(k)) if t.sizes else ()
    return known(t.dtype, sizes), known(LONG, sizes)


@rule("aten::searchsorted.Tensor", "aten::bucketize.Tensor")
def _searchsorted(call: Call) -> Result:
    wide = call.const("out_int32")
    return known(LONG if wide is False else None, call.tensor("self").sizes)
