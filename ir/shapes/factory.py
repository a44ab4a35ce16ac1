"""Type rules of operators that make tensors, filled or random."""

from __future__ import annotations

from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import LONG, number_dtype
from linstock.ir.shapes.pointwise import like_first
from linstock.ir.shapes.registry import Call, Result, known, rule, rules


def _made(call: Call) -> Result:
    return known(call.dtype("dtype", call.facts.default_dtype), call.ints("size"))


def _like(call: Call) -> Result:
    t = call.tensor(0)
    return known(call.dtype("dtype", t.dtype), t.sizes)


def _new(call: Call) -> Result:
    return known(call.dtype("dtype", call.tensor(0).dtype), call.ints("size"))


rules("zeros ones empty rand randn", _made)
rules("zeros_like ones_like empty_like full_like rand_like randn_like randint_like", _like)
rules("new_zeros new_ones new_full new_empty", _new)
rules("fill zero", like_first)


@rule("aten::full")
def _full(call: Call) -> Result:
    value = call.argument("fill_value")
    return known(call.dtype("dtype", None if value is None else number_dtype(call, value.type)), call.ints("size"))


@rule("aten::randint")
def _randint(call: Call) -> Result:
    return known(call.dtype("dtype", LONG), call.ints("size"))


@rule("aten::arange")
def _arange(call: Call) -> Result:
    numbers = [v for v in (call.argument(n) for n in ("start", "end", "step")) if v is not None]
    whole = all(v.type == T.INT for v in numbers)
    plain = whole or any(v.type == T.FLOAT for v in numbers)
    dtype = call.dtype("dtype", LONG if whole else call.facts.default_dtype if plain else None)
    end = call.argument("end")
    if not whole or end is None:
        return known(dtype, call.fresh(1))
    if len(numbers) == 1:
        return known(dtype, (call.facts.size(end),))
    ends = [call.number("start"), call.number("end"), call.number("step") if call.argument("step") is not None else 1]
    found = [n for n in ends if n is not None]
    return known(dtype, (len(range(*found)),) if len(found) == 3 and found[2] else call.fresh(1))


@rule("aten::scalar_tensor", "aten::tensor", "prim::NumToTensor")
def _number(call: Call) -> Result:
    value = call.node.inputs[0]
    if isinstance(value.type, T.ListType):
        return None
    if call.node.kind == "prim::NumToTensor":  # doubles stay doubles here
        return known(LONG if value.type == T.INT else None, ())
    default = call.facts.default_dtype if call.node.kind == "aten::scalar_tensor" else number_dtype(call, value.type)
    return known(call.dtype("dtype", default), ())


@rule("aten::eye")
def _eye(call: Call) -> Result:
    n, m = call.argument("n"), call.argument("m")
    if n is None:
        return None
    sizes = (call.facts.size(n), call.facts.size(m if m is not None else n))
    return known(call.dtype("dtype", call.facts.default_dtype), sizes)


@rule("aten::linspace")
def _linspace(call: Call) -> Result:
    steps = call.argument("steps")
    return None if steps is None else known(call.dtype("dtype", None), (call.facts.size(steps),))
