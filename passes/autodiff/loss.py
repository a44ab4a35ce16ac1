"""Derivatives of the loss family. `reduction` is 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from linstock.passes.autodiff.pointwise import masked
from linstock.passes.autodiff.registry import decomposed, derivative, expanded


def _broadcast(*shapes: Any) -> list[int]:
    rank = max(len(s) for s in shapes)
    padded = [[1] * (rank - len(s)) + list(s) for s in shapes]
    return [max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded)]


def _shared(g: Any, count: int, reduction: int) -> Any:
    """The gradient of each element's loss."""
    return g / count if reduction == 1 and count else g


def reduced(ops: Any, loss: Any, reduction: int) -> Any:
    """The mean or sum of losses, or these themselves."""
    return ops.mean(loss) if reduction == 1 else ops.sum(loss) if reduction == 2 else loss


def _difference(name: str, slope: Callable[..., Any]) -> None:
    """A loss of the difference of two tensors: `slope(ops, difference, option)` is its derivative."""

    def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
        x, t, reduction, *option = args

        def own() -> Any:
            count = math.prod(_broadcast(x.shape, t.shape))
            return slope(ops, x - t, *option) * _shared(grads[0], count, reduction)

        return own, lambda: -own()

    derivative(f"aten::{name}")(rule)


_difference("l1_loss", lambda o, d: o.sgn(d))
_difference("mse_loss", lambda o, d: 2 * d)
_difference(
    "smooth_l1_loss",
    lambda o, d, beta: o.clamp(d / beta, -1, 1) if beta > 0 else o.sgn(d),
)
_difference("huber_loss", lambda o, d, delta: o.clamp(d, -delta, delta))


@derivative("aten::soft_margin_loss")
def _soft_margin(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, t, reduction = args

    def each() -> Any:
        return -ops.sigmoid(-t * x) * _shared(grads[0], math.prod(_broadcast(x.shape, t.shape)), reduction)

    return lambda: each() * t, lambda: each() * x


@derivative("aten::binary_cross_entropy")
def _bce(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, t, weight, reduction = args
    g = _shared(grads[0], math.prod(x.shape), reduction)
    g = g if weight is None else g * weight

    def logs() -> Any:
        return ops.clamp(ops.log1p(-x), min=-100) - ops.clamp(ops.log(x), min=-100)

    return lambda: g * (x - t) / ops.clamp(x * (1 - x), min=1e-12), lambda: g * logs()


@derivative("aten::binary_cross_entropy_with_logits")
def _bce_with_logits(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, t, weight, positive, reduction = args
    shapes = [v.shape for v in (x, t, weight, positive) if v is not None]
    g = _shared(grads[0], math.prod(_broadcast(*shapes)), reduction)
    g = g if weight is None else g * weight

    def own() -> Any:
        if positive is None:
            return g * (ops.sigmoid(x) - t)
        p = positive * t
        return g * ((p + 1 - t) * ops.sigmoid(x) - p)

    def target() -> Any:
        if positive is None:
            return -g * x
        return g * (ops.log_sigmoid(-x) - positive * ops.log_sigmoid(x))

    return own, target


@decomposed("aten::kl_div")
def _kl_div(ops: Any, x: Any, t: Any, reduction: int, log_target: bool) -> Any:
    return reduced(ops, ops.exp(t) * (t - x) if log_target else ops.xlogy(t, t) - t * x, reduction)


@decomposed("aten::poisson_nll_loss")
def _poisson(ops: Any, x: Any, t: Any, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    loss = ops.exp(x) - t * x if log_input else x - t * ops.log(x + eps)
    if full:
        loss = loss + masked(ops, t > 1, t * ops.log(t) - t + 0.5 * ops.log(2 * math.pi * t))
    return reduced(ops, loss, reduction)


@decomposed("aten::hinge_embedding_loss")
def _hinge_embedding(ops: Any, x: Any, t: Any, margin: float, reduction: int) -> Any:
    below = ops.clamp_min(margin - x, 0)
    return reduced(ops, masked(ops, t != 1, below) + masked(ops, t != -1, x), reduction)


@decomposed("aten::margin_ranking_loss")
def _margin_ranking(ops: Any, a: Any, b: Any, t: Any, margin: float, reduction: int) -> Any:
    return reduced(ops, ops.clamp_min(-t * (a - b) + margin, 0), reduction)


@decomposed("aten::cosine_embedding_loss")
def _cosine_embedding(ops: Any, a: Any, b: Any, t: Any, margin: float, reduction: int) -> Any:
    sizes = (ops.sum(a * a, [-1]) + 1e-12) * (ops.sum(b * b, [-1]) + 1e-12)
    cosine = ops.sum(a * b, [-1]) / ops.sqrt(sizes)
    apart = ops.clamp_min(cosine - margin, 0)
    return reduced(ops, masked(ops, t == 1, 1 - cosine) + masked(ops, t == -1, apart), reduction)


@decomposed("aten::triplet_margin_loss")
def _triplet(
    ops: Any, anchor: Any, positive: Any, negative: Any, margin: float, p: float, eps: float, swap: bool, reduction: int
) -> Any:
    near, far = (ops.pairwise_distance(anchor, other, p, eps) for other in (positive, negative))
    if swap:
        far = ops.minimum(far, ops.pairwise_distance(positive, negative, p, eps))
    return reduced(ops, ops.clamp_min(margin + near - far, 0), reduction)


@decomposed("aten::multi_margin_loss")
def _multi_margin(ops: Any, x: Any, t: Any, p: Any, margin: Any, weight: Any, reduction: int) -> Any:
    rows = ops.reshape(x, [1, -1]) if x.dim() < 2 else x
    at = ops.reshape(t, [-1, 1])
    z = ops.relu(margin - ops.gather(rows, 1, at) + rows)
    z = ops.scatter(z, 1, at, 0)
    z = z * z if p == 2 else z
    if weight is not None:
        z = z * ops.index_select(weight, 0, ops.reshape(t, [-1])).unsqueeze(1)
    each = ops.sum(z, [1]) / rows.shape[1]
    return reduced(ops, each if t.dim() else ops.reshape(each, []), reduction)


@decomposed("aten::multilabel_margin_loss", "aten::multilabel_margin_loss_forward")
def _multilabel_margin(ops: Any, x: Any, t: Any, reduction: int) -> Any:
    rows = ops.reshape(x, [-1, x.shape[-1] if x.dim() else 1])
    places = ops.reshape(t, list(rows.shape))
    listed = ops.cumprod((places >= 0).long(), 1) != 0
    label = masked(ops, listed, places).long()
    hits = ops.scatter_add(ops.zeros_like(places), 1, label, listed.long()) != 0
    z = ops.relu(1 - ops.gather(rows, 1, label).unsqueeze(2) + rows.unsqueeze(1))
    counted = ops.logical_and(listed.unsqueeze(2), ops.logical_not(hits).unsqueeze(1))
    each = ops.sum(masked(ops, counted, z), [1, 2]) / rows.shape[1]
    return reduced(ops, ops.reshape(each, list(x.shape[:-1]) if x.dim() else []), reduction)


# negative log-likelihood and cross entropy --------------------------------------------------------------------------


@derivative("aten::nll_loss", "aten::nll_loss2d", "aten::nll_loss_nd")
@derivative("aten::nll_loss_forward", "aten::nll_loss2d_forward", results=(0,))
def _nll(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    x, t, weight, reduction, ignored = args
    axis = 0 if len(x.shape) == 1 else 1

    def own() -> Any:
        g = grads[0]
        labels = ops.reshape(t, [1]) if axis == 0 else t.unsqueeze(1)
        used = labels != ignored
        label = ops.where(used, labels, 0).long()
        if weight is None:
            factor = used.to(g.dtype)
        else:
            each = ops.index_select(weight, 0, ops.reshape(label, [-1]))
            factor = masked(ops, used, ops.reshape(each, list(label.shape)))
        if reduction == 0:
            g = ops.reshape(g, list(label.shape))
        elif reduction == 1 and (axis or weight is not None):
            g = g / ops.sum(factor)
        return ops.scatter(ops.new_zeros(g, list(x.shape)), axis, label, -factor * g)

    return (own,)


@expanded("aten::cross_entropy_loss")
def _cross_entropy(ops: Any, x: Any, t: Any, weight: Any, reduction: int, ignored: int, smoothing: float) -> Any:
    if not 0 <= smoothing <= 1 or not x.dim():
        return NotImplemented
    axis = 0 if x.dim() == 1 else 1
    classes = x.shape[axis]
    if weight is not None and list(weight.shape) != [classes]:
        return NotImplemented
    logs = ops.log_softmax(x, axis)
    per_class = None if weight is None else ops.reshape(weight, [-1] + [1] * (x.dim() - axis - 1))
    if x.shape == t.shape:
        if not t.dtype.is_floating_point or ignored >= 0:
            return NotImplemented
        if smoothing > 0:
            t = t * (1 - smoothing) + smoothing / classes
        product = logs * t if per_class is None else logs * t * per_class
        if reduction == 0:
            return -ops.sum(product, [axis])
        total = -ops.sum(product)
        return total / (math.prod(x.shape) / classes) if reduction == 1 and classes else total
    loss = ops.call("aten::nll_loss_nd", logs, t, weight, reduction, ignored)
    if smoothing == 0:
        return loss
    used = t != ignored
    smooth = masked(ops, used, -ops.sum(logs if per_class is None else logs * per_class, [axis]))
    if reduction == 1:
        label = ops.where(used, t, 0).long()
        picked = None if weight is None else ops.reshape(
            ops.index_select(weight, 0, ops.reshape(label, [-1])), list(label.shape)
        )  # fmt: skip
        count = ops.sum(used) if picked is None else ops.sum(masked(ops, used, picked))
        smooth = ops.sum(smooth) / count
    elif reduction == 2:
        smooth = ops.sum(smooth)
    return (1 - smoothing) * loss + smooth * (smoothing / classes)


# connectionist temporal classification ------------------------------------------------------------------------------


def _label_states(ops: Any, targets: Any, sizes: Any, blank: int, batch: int) -> Any:
    """(states, which may follow the one before the last): labels with blanks around them, one row per sequence."""
    lengths = sizes.tolist()
    widest = max([1, *lengths])
    place = ops.arange(widest).unsqueeze(0)
    valid = place < sizes.unsqueeze(1)
    if targets.dim() == 1:
        starts = (ops.cumsum(sizes, 0) - sizes).unsqueeze(1)
        total = targets.shape[0]
        at = ops.clamp(starts + place, 0, max(total - 1, 0))
        table = ops.take(targets, at) if total else ops.full([batch, widest], blank)
    else:
        table = ops.constant_pad_nd(targets, [0, widest - targets.shape[1]], blank)
    table = ops.where(valid, table, blank).long()
    blanks = ops.full_like(table, blank)
    states = ops.constant_pad_nd(ops.flatten(ops.stack([blanks, table], 2), 1, 2), [0, 1], blank)
    other = ops.logical_and(states != blank, states != ops.constant_pad_nd(states, [2, -2], blank))
    return states, other


@derivative("aten::ctc_loss.IntList", "aten::ctc_loss.Tensor")
def _ctc(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    """As PyTorch's, the gradient takes the log-probabilities to be normalised: it adds their exponentials, which
    vanish behind a log_softmax."""
    given, targets, input_lengths, target_lengths, blank, reduction, zero_infinity = args
    alone = len(given.shape) == 2

    def listed(v: Any) -> Any:
        return ops.reshape(v, [-1]).long() if hasattr(v, "dtype") else ops.call("aten::tensor", list(v), 4)

    def own() -> Any:
        x = given.unsqueeze(1) if alone else given
        longest, batch, _ = x.shape
        steps, sizes = listed(input_lengths), listed(target_lengths)
        states, skips = _label_states(ops, ops.reshape(targets, [-1]) if alone else targets, sizes, blank, batch)
        width = states.shape[1]
        spread = ops.expand(states.unsqueeze(0), [longest, batch, width])
        emitted = ops.gather(x, 2, spread)
        none = -math.inf
        place = ops.arange(width).unsqueeze(0)
        ends = (2 * sizes).unsqueeze(1)

        def moved(v: Any, by: int) -> Any:
            return ops.constant_pad_nd(v, [by, -by], none)

        def total(a: Any, b: Any, c: Any) -> Any:
            return ops.logaddexp(ops.logaddexp(a, b), c)

        start = ops.logical_or(place == 0, ops.logical_and(place == 1, ends > 0))
        ahead = [ops.where(start, emitted[0], none)]
        for t in range(1, longest):
            a = ahead[-1]
            ahead.append(total(a, moved(a, 1), ops.where(skips, moved(a, 2), none)) + emitted[t])
        last = ops.logical_or(place == ends, ops.logical_and(ends > 0, place == ends - 1))
        final = ops.where(last, ops.zeros_like(ahead[0]), none)
        behind = [final] * longest
        for t in reversed(range(longest)):
            if t + 1 < longest:
                b = behind[t + 1] + emitted[t + 1]
                before = total(b, moved(b, -1), moved(ops.where(skips, b, none), -2))
                behind[t] = ops.where((steps == t + 1).unsqueeze(1), final, before)
        both = ops.stack(ahead) + ops.stack(behind)
        at = ops.reshape(ops.clamp(steps - 1, 0), [1, batch, 1])
        score = ops.logsumexp(ops.gather(both, 0, ops.expand(at, [1, batch, width])), [2], True)
        parts = ops.scatter_add(ops.zeros_like(x), 2, spread, ops.exp(both - score))
        found = ops.exp(x) - parts
        g = ops.reshape(grads[0], [1, -1, 1])
        if reduction == 1:
            g = g / (ops.reshape(ops.clamp(sizes, 1), [1, batch, 1]) * batch)
        found = found * g
        if zero_infinity:
            found = masked(ops, score != none, found)
        inside = ops.reshape(ops.arange(longest), [-1, 1, 1]) < ops.reshape(steps, [1, batch, 1])
        found = masked(ops, inside, found)
        return found.squeeze(1) if alone else found

    return (own,)
