"""Type rules of losses: a number, unless nothing is reduced."""

from __future__ import annotations

from linstock.ir.shapes.arithmetic import broadcast, promoted
from linstock.ir.shapes.registry import Call, Result, known, rules


def _elementwise(call: Call) -> Result:
    a, b = call.tensor(0), call.tensor(1)
    reduction = call.const("reduction")
    if not isinstance(reduction, int):
        return None
    return known(promoted(call, a, b), () if reduction else broadcast(call, a.sizes, b.sizes))


def _classes(call: Call) -> Result:
    """Losses of class numbers: element type of the scores; one loss per target."""
    reduction = call.const("reduction")
    if not isinstance(reduction, int):
        return None
    scores, target = call.tensor(0), call.tensor(1)
    same_rank = scores.rank is not None and scores.rank == target.rank  # then the target may be probabilities
    return known(scores.dtype, () if reduction else None if same_rank or scores.rank is None else target.sizes)


rules("mse_loss l1_loss smooth_l1_loss huber_loss", _elementwise)
rules("cross_entropy_loss nll_loss nll_loss_nd nll_loss2d", _classes)
