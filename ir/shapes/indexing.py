"""Type rules of gathering and scattering."""

from __future__ import annotations

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import LONG, broadcast, replace, wrap
from linstock.ir.shapes.pointwise import like_first
from linstock.ir.shapes.registry import Call, Result, Size, Sizes, known, rule, rules

rules("scatter scatter_add scatter_reduce index_add index_copy index_fill index_put index_reduce select_scatter "
      "slice_scatter diagonal_scatter put", like_first)  # fmt: skip


@rule("aten::embedding")
def _embedding(call: Call) -> Result:
    weight, indices = call.tensor("weight"), call.tensor("indices")
    if weight.sizes is None or indices.sizes is None or len(weight.sizes) != 2:
        return known(weight.dtype, None)
    return known(weight.dtype, (*indices.sizes, weight.sizes[1]))


@rule("aten::index_select")
def _index_select(call: Call) -> Result:
    t, index = call.tensor("self"), call.tensor("index")
    dim = None if t.rank is None else wrap(call.number("dim"), t.rank)
    if t.sizes is None or dim is None or not t.sizes:
        return known(t.dtype, None if t.rank is None else call.fresh(t.rank))
    count = index.sizes[0] if index.sizes else call.facts.fresh() if index.sizes is None else 1
    return known(t.dtype, replace(t.sizes, dim, count))


@rule("aten::gather", "aten::take")
def _gather(call: Call) -> Result:
    return known(call.tensor("self").dtype, call.tensor("index").sizes)


@rule("aten::masked_select")
def _masked_select(call: Call) -> Result:
    return known(call.tensor("self").dtype, call.fresh(1))


@rule("aten::nonzero", "aten::argwhere")
def _nonzero(call: Call) -> Result:
    rank = call.tensor(0).rank
    return known(LONG, None if rank is None else (call.facts.fresh(), rank))


@rule("aten::one_hot")
def _one_hot(call: Call) -> Result:
    t, classes = call.tensor(0), call.number("num_classes")
    if t.sizes is None:
        return known(LONG, None)
    return known(LONG, (*t.sizes, classes if classes is not None and classes >= 0 else call.facts.fresh()))


@rule("aten::index.Tensor", "aten::index.Tensor_hacked_twin", "aten::_unsafe_index.Tensor")
def _index(call: Call) -> Result:
    """x[i, :, j]: the indices are broadcast; their shape stands where they are if they are together, else in front."""
    t, given = call.tensor("self"), call.argument("indices")
    if t.sizes is None or given is None or given.node.kind != "prim::ListConstruct":
        return known(t.dtype, None)
    kinds = [v.type for v in given.node.inputs]
    if len(kinds) > len(t.sizes) or not all(isinstance(k, T.TensorType) or k == T.NONE for k in kinds):
        return known(t.dtype, None)
    tensors = [(i, k) for i, k in enumerate(kinds) if isinstance(k, T.TensorType)]
    masks = (dtypes.bool_.code, dtypes.uint8.code)
    if not tensors or any(k.dtype is None or k.dtype in masks for _, k in tensors):
        return known(t.dtype, None)
    shape = broadcast(call, *(k.sizes for _, k in tensors))
    if shape is None:
        return known(t.dtype, None)
    return known(t.dtype, _indexed(t.sizes, [i for i, _ in tensors], shape))


def _indexed(sizes: Sizes, places: list[int], shape: Sizes) -> list[Size]:
    rest: list[Size] = [n for i, n in enumerate(sizes) if i not in places]
    at = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    return [*rest[:at], *shape, *rest[at:]]
