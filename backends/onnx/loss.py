"""ONNX forms of the loss family. `reduction` is 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.linalg import vector_norm
from linstock.backends.onnx.norm import softmax
from linstock.backends.onnx.pointwise import add, mul, sub, xlogy
from linstock.backends.onnx.reduction import reduce
from linstock.backends.onnx.registry import converter, no_form


def reduced(b: Builder, loss: Sym, reduction: int) -> Sym:
    """All losses, their mean or their sum."""
    return loss if reduction not in (1, 2) else reduce(b, "ReduceMean" if reduction == 1 else "ReduceSum", loss, None)


@converter("l1_loss")
def _l1(b: Builder, x: Sym, y: Sym, reduction: int = 1) -> Sym:
    return reduced(b, b.op("Abs", sub(b, x, y)), reduction)


@converter("mse_loss")
def _mse(b: Builder, x: Sym, y: Sym, reduction: int = 1) -> Sym:
    d = sub(b, x, y)
    return reduced(b, b.op("Mul", d, d), reduction)


def _half_square(b: Builder, d: Sym) -> Sym:
    return b.op("Mul", b.op("Mul", d, d), 0.5)


@converter("smooth_l1_loss")
def _smooth_l1(b: Builder, x: Sym, y: Sym, reduction: int = 1, beta: float = 1.0) -> Sym:
    d = b.op("Abs", sub(b, x, y))
    if beta == 0:
        return reduced(b, d, reduction)
    near = b.op("Div", _half_square(b, d), beta)
    return reduced(b, b.op("Where", b.op("Less", d, beta), near, b.op("Sub", d, 0.5 * beta)), reduction)


@converter("huber_loss")
def _huber(b: Builder, x: Sym, y: Sym, reduction: int = 1, delta: float = 1.0) -> Sym:
    d = b.op("Abs", sub(b, x, y))
    far = b.op("Mul", b.op("Sub", d, 0.5 * delta), delta)
    return reduced(b, b.op("Where", b.op("LessOrEqual", d, delta), _half_square(b, d), far), reduction)


@converter("soft_margin_loss")
def _soft_margin(b: Builder, x: Sym, y: Sym, reduction: int = 1) -> Sym:
    return reduced(b, b.op("Softplus", b.op("Neg", mul(b, x, y))), reduction)


@converter("binary_cross_entropy")
def _bce(b: Builder, x: Sym, y: Sym, weight: Sym | None = None, reduction: int = 1) -> Sym:
    logs = [b.op("Max", b.op("Log", v), -100.0) for v in (x, b.op("Sub", 1.0, x))]
    loss = b.op("Sub", b.op("Mul", b.op("Sub", y, 1.0), logs[1]), b.op("Mul", y, logs[0]))
    return reduced(b, loss if weight is None else mul(b, loss, weight), reduction)


@converter("binary_cross_entropy_with_logits")
def _bce_logits(
    b: Builder, x: Sym, y: Sym, weight: Sym | None = None, pos_weight: Sym | None = None, reduction: int = 1
) -> Sym:
    x, y = b.promote(x, y)
    log_sigmoid = b.op("Neg", b.op("Softplus", b.op("Neg", x)))
    if pos_weight is not None:
        factor = b.op("Add", b.op("Mul", b.op("Sub", b.cast(pos_weight, x.dtype), 1.0), y), 1.0)
        log_sigmoid = b.op("Mul", factor, log_sigmoid)
    loss = b.op("Sub", b.op("Mul", b.op("Sub", 1.0, y), x), log_sigmoid)
    return reduced(b, loss if weight is None else mul(b, loss, weight), reduction)


@converter("kl_div")
def _kl_div(b: Builder, x: Sym, y: Sym, reduction: int = 1, log_target: bool = False) -> Sym:
    x, y = b.promote(x, y)
    loss = (
        b.op("Mul", b.op("Exp", y), b.op("Sub", y, x)) if log_target else b.op("Sub", xlogy(b, y, y), b.op("Mul", y, x))
    )
    return reduced(b, loss, reduction)


@converter("poisson_nll_loss")
def _poisson(b: Builder, x: Sym, y: Sym, log_input: bool, full: bool, eps: float, reduction: int) -> Sym:
    x, y = b.promote(x, y, floating=True)
    if log_input:
        loss = b.op("Sub", b.op("Exp", x), b.op("Mul", y, x))
    else:
        loss = b.op("Sub", x, b.op("Mul", y, b.op("Log", b.op("Add", x, eps))))
    if full:
        log = b.op("Log", b.op("Mul", y, 2 * math.pi))
        stirling = b.op("Add", b.op("Sub", b.op("Mul", y, b.op("Log", y)), y), b.op("Mul", log, 0.5))
        loss = b.op("Add", loss, b.op("Where", b.op("LessOrEqual", y, 1.0), 0.0, stirling))
    return reduced(b, loss, reduction)


@converter("cosine_embedding_loss")
def _cosine_embedding(b: Builder, x: Sym, y: Sym, target: Sym, margin: float = 0.0, reduction: int = 1) -> Sym:
    x, y = b.promote(x, y, floating=True)
    inner = lambda u, v: reduce(b, "ReduceSum", b.op("Mul", u, v), [-1])  # noqa: E731
    norms = b.op("Mul", b.op("Add", inner(x, x), 1e-12), b.op("Add", inner(y, y), 1e-12))  # type: ignore[no-untyped-call]
    cosine = b.op("Div", inner(x, y), b.op("Sqrt", norms))  # type: ignore[no-untyped-call]
    near = b.op("Where", b.op("Equal", target, 1), b.op("Sub", 1.0, cosine), 0.0)
    far = b.op("Where", b.op("Equal", target, -1), b.op("Max", b.op("Sub", cosine, margin), 0.0), 0.0)
    return reduced(b, b.op("Add", near, far), reduction)


@converter("hinge_embedding_loss")
def _hinge(b: Builder, x: Sym, y: Sym, margin: float = 1.0, reduction: int = 1) -> Sym:
    below = b.op("Max", b.op("Sub", margin, x), 0)
    near = b.op("Where", b.op("Equal", y, 1), 0, below)
    far = b.op("Where", b.op("Equal", y, -1), 0, x)
    return reduced(b, b.op("Add", near, far), reduction)


@converter("margin_ranking_loss")
def _margin_ranking(b: Builder, x: Sym, y: Sym, target: Sym, margin: float = 0.0, reduction: int = 1) -> Sym:
    product = mul(b, b.op("Neg", target), sub(b, x, y))
    moved = add(b, product, margin)
    return reduced(b, b.op("Max", moved, 0), reduction)


@converter("triplet_margin_loss")
def _triplet(
    b: Builder, anchor: Sym, positive: Sym, negative: Sym, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
    reduction: int = 1,
) -> Sym:  # fmt: skip
    distance = lambda x, y: vector_norm(b, add(b, b.floating(sub(b, x, y)), eps), p, [-1])  # noqa: E731
    near, far = distance(anchor, positive), distance(anchor, negative)  # type: ignore[no-untyped-call]
    far = b.op("Min", far, distance(positive, negative)) if swap else far  # type: ignore[no-untyped-call]
    return reduced(b, b.op("Max", b.op("Add", b.op("Sub", near, far), margin), 0.0), reduction)


def _at_class(b: Builder, x: Sym, target: Sym, axis: int) -> Sym:
    """The entries of the target classes, the class dimension gone."""
    return b.squeeze(b.op("GatherElements", x, b.unsqueeze(target, axis), axis=axis), axis)


@converter("multi_margin_loss")
def _multi_margin(
    b: Builder, x: Sym, target: Sym, p: Any = 1, margin: Any = 1, weight: Sym | None = None, reduction: int = 1
) -> Sym:
    single = b.rank(target) == 0
    x = b.reshape(x, [1, -1]) if b.rank(x) < 2 else x
    target = b.reshape(target, [-1])
    classes = b.size(x, 1)
    z = b.op("Max", b.op("Add", b.op("Sub", float(margin), b.unsqueeze(_at_class(b, x, target, 1), 1)), x), 0.0)
    z = b.op("Mul", z, z) if p == 2 else z
    z = z if weight is None else b.op("Mul", z, b.unsqueeze(b.gather(weight, target), 1))
    other = b.op("Not", b.op("Equal", b.unsqueeze(target, 1), np.arange(classes)))
    loss = b.op("Div", b.op("ReduceSum", b.op("Where", other, z, 0.0), b.ints(1), keepdims=0), float(classes))
    return reduced(b, b.reshape(loss, []) if single else loss, reduction)


@converter("multilabel_margin_loss_forward")
def _multilabel_margin(b: Builder, x: Sym, target: Sym, reduction: int) -> tuple[Sym, Sym]:
    rank, classes = b.rank(x), b.size(x, -1) if b.rank(x) else 1
    flat, wanted = b.reshape(x, [-1, classes]), b.reshape(target, [-1, classes])
    negative = b.cast(b.op("Less", wanted, np.asarray(0)), 4)
    listed = b.op("Equal", b.op("CumSum", negative, np.asarray(1)), np.asarray(0))
    hits = b.op("And", b.unsqueeze(listed, 2), b.op("Equal", b.unsqueeze(wanted, 2), np.arange(classes)))
    is_target = b.cast(b.op("ReduceMax", b.cast(hits, 3), b.ints(1), keepdims=0), 11)
    chosen = b.op("GatherElements", flat, b.op("Max", wanted, np.asarray(0)), axis=1)
    z = b.op("Max", b.op("Add", b.op("Sub", 1.0, b.unsqueeze(chosen, 2)), b.unsqueeze(flat, 1)), 0.0)
    counts = b.op("And", b.unsqueeze(listed, 2), b.unsqueeze(b.op("Not", is_target), 1))
    loss = b.op("Div", b.op("ReduceSum", b.op("Where", counts, z, 0.0), b.ints(1, 2), keepdims=0), float(classes))
    each = loss if rank == 2 else b.reshape(loss, [])
    return reduced(b, each, reduction), b.reshape(b.cast(is_target, x.dtype), b.sizes(target))


converter("multilabel_margin_loss")(lambda b, x, target, reduction=1: _multilabel_margin(b, x, target, reduction)[0])


# -- negative log-likelihood and cross entropy -------------------------------------------------------------------------
def _nll(b: Builder, x: Sym, target: Sym, weight: Sym | None, reduction: int, ignore: int) -> tuple[Sym, Sym]:
    """Loss and total weight of log-probabilities, classes on dimension 1 (0 of a single sample)."""
    axis = 0 if b.rank(x) == 1 else 1
    target = b.cast(target, 4)
    used = b.op("Not", b.op("Equal", target, np.asarray(ignore)))
    label = b.op("Where", used, target, np.asarray(0))
    if axis == 0:
        label_1 = b.reshape(label, [1])
        picked = b.reshape(b.gather(x, label_1), [])
        factor = (
            b.cast(b.reshape(used, []), x.dtype)
            if weight is None
            else b.op("Where", b.reshape(used, []), b.reshape(b.gather(weight, label_1), []), 0.0)
        )
        reduction = reduction or 2
    else:
        picked = _at_class(b, x, label, axis)
        factor = b.cast(used, x.dtype) if weight is None else b.op("Where", used, b.gather(weight, label), 0.0)
    loss = b.op("Neg", b.op("Mul", b.op("Where", b.op("Equal", factor, 0.0), 0.0, picked), factor))
    if reduction == 0:
        return loss, b.constant(0.0, x.dtype)
    total = reduce(b, "ReduceSum", factor, None)
    result = reduce(b, "ReduceSum", loss, None)
    return (b.op("Div", result, total) if reduction == 1 else result), total


converter("nll_loss_forward", "nll_loss2d_forward")(_nll)
converter("nll_loss", "nll_loss2d", "nll_loss_nd")(
    lambda b, x, t, weight=None, reduction=1, ignore=-100: _nll(b, x, t, weight, reduction, ignore)[0]
)


@converter("cross_entropy_loss")
def _cross_entropy(
    b: Builder,
    x: Sym,
    target: Sym,
    weight: Sym | None = None,
    reduction: int = 1,
    ignore: int = -100,
    smoothing: float = 0.0,
) -> Sym:
    axis = 0 if b.rank(x) == 1 else 1
    logs = softmax(b, x, axis, kind="LogSoftmax")
    classes = b.size(x, axis)
    shape = [-1, *[1] * (b.rank(x) - axis - 1)]
    if target.floating:  # probabilities of classes
        share = target if smoothing == 0 else b.op("Add", b.op("Mul", target, 1 - smoothing), smoothing / classes)
        loss = b.op("Mul", logs, share)
        loss = loss if weight is None else b.op("Mul", loss, b.reshape(weight, shape))
        each = b.op("Neg", reduce(b, "ReduceSum", loss, [axis]))
        if reduction != 1:
            return reduced(b, each, reduction)
        count = b.op("Div", b.cast(b.op("Size", x), x.dtype), float(classes))
        return b.op("Div", reduce(b, "ReduceSum", each, None), count)
    loss, total = _nll(b, logs, target, weight, reduction, ignore)
    if smoothing == 0:
        return loss
    even = logs if weight is None else b.op("Mul", logs, b.reshape(weight, shape))
    used = b.op("Not", b.op("Equal", target, np.asarray(ignore)))
    spread = b.op("Where", used, b.op("Neg", reduce(b, "ReduceSum", even, [axis])), 0.0)
    if reduction == 1:
        divisor = total if weight is not None else reduce(b, "ReduceSum", b.cast(used, x.dtype), None)
        spread = b.op("Div", reduce(b, "ReduceSum", spread, None), divisor)
    else:
        spread = reduced(b, spread, reduction)
    return b.op("Add", b.op("Mul", loss, 1 - smoothing), b.op("Mul", spread, smoothing / classes))


no_form("ctc_loss", reason="it is a recursion over time and labels, which is for training")
