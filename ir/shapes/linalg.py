"""Type rules of matrix products."""

from __future__ import annotations

from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import broadcast
from linstock.ir.shapes.registry import Call, Result, Sizes, known, rule


def _dtype(*tensors: T.TensorType) -> int | None:
    """Products want one element type."""
    found = {t.dtype for t in tensors}
    return found.pop() if len(found) == 1 else None


def matmul_sizes(call: Call, a: Sizes | None, b: Sizes | None) -> Sizes | None:
    """The shape of `a @ b`."""
    if not a or not b:
        return None
    if len(a) == 1 and len(b) == 1:
        return ()
    if len(a) == 1:
        return (*b[:-2], b[-1])
    if len(b) == 1:
        return a[:-1]
    batch = broadcast(call, a[:-2], b[:-2])
    return None if batch is None else (*batch, a[-2], b[-1])


@rule("aten::matmul", "aten::mm", "aten::bmm", "aten::mv", "aten::dot", "aten::vdot", "aten::linalg_matmul")
def _matmul(call: Call) -> Result:
    a, b = call.tensor(0), call.tensor(1)
    return known(_dtype(a, b), matmul_sizes(call, a.sizes, b.sizes))


@rule("aten::linear")
def _linear(call: Call) -> Result:
    x, weight = call.tensor("input"), call.tensor("weight")
    if not x.sizes or weight.sizes is None:
        return known(_dtype(x, weight), None if not x.sizes or weight.rank is None else call.fresh(len(x.sizes)))
    return known(_dtype(x, weight), (*x.sizes[:-1], *weight.sizes[:-1]))


@rule("aten::addmm", "aten::baddbmm", "aten::addmv", "aten::addbmm")
def _addmm(call: Call) -> Result:
    a, b = call.tensor(1), call.tensor(2)
    sizes = matmul_sizes(call, a.sizes, b.sizes)
    if call.node.kind == "aten::addbmm" and sizes is not None:
        sizes = sizes[-2:]
    return known(_dtype(call.tensor(0), a, b), sizes)


@rule("aten::outer", "aten::ger")
def _outer(call: Call) -> Result:
    a, b = call.tensor(0), call.tensor(1)
    return known(_dtype(a, b), None if a.sizes is None or b.sizes is None else (*a.sizes, *b.sizes))


@rule("aten::bilinear")
def _bilinear(call: Call) -> Result:
    x, weight = call.tensor(0), call.tensor("weight")
    sizes = None if not x.sizes or not weight.sizes else (*x.sizes[:-1], weight.sizes[0])
    return known(_dtype(x, call.tensor(1), weight), sizes)


@rule("aten::scaled_dot_product_attention")
def _attention(call: Call) -> Result:
    query, value = call.tensor("query"), call.tensor("value")
    key, grouped = call.tensor("key"), call.const("enable_gqa", False)
    if not query.sizes or not key.sizes or not value.sizes or not isinstance(grouped, bool):
        return known(_dtype(query, value), None)
    batch = query.sizes[:-2] if grouped else broadcast(call, query.sizes[:-2], key.sizes[:-2], value.sizes[:-2])
    return known(_dtype(query, value), None if batch is None else (*batch, query.sizes[-2], value.sizes[-1]))
