"""Type rules of operators that work element by element (also those of `special`, `random` and of filling)."""

from __future__ import annotations

from collections.abc import Callable

from linstock.ir import types as T
from linstock.ir.shapes.arithmetic import BOOL, broadcast, promoted, replace, to_float, to_real, wrap
from linstock.ir.shapes.registry import Call, Result, Rule, known, rule, rules


def _operands(call: Call) -> list[T.Type]:
    """The operands: the leading tensors and numbers (not `alpha`, `value`, rounding modes…)."""
    found: list[T.Type] = []
    for formal, value in zip(call.node.schema.arguments if call.node.schema else (), call.node.inputs, strict=False):
        if formal.type not in (T.TENSOR, T.NUMBER) or formal.kwarg_only or formal.name in ("alpha", "value", "weight"):
            break
        found.append(value.type)
    return found


def _shape(call: Call, operands: list[T.Type]) -> tuple[int | str, ...] | None:
    return broadcast(call, *(t.sizes for t in operands if isinstance(t, T.TensorType)))


def pointwise(dtype: Callable[[Call, list[T.Type]], int | None]) -> Rule:
    """Broadcast operands; the element type by `dtype`."""

    def result(call: Call) -> Result:
        operands = _operands(call)
        return known(dtype(call, operands), _shape(call, operands))

    return result


same = pointwise(lambda call, ops: promoted(call, *ops))
floating = pointwise(lambda call, ops: to_float(call, promoted(call, *ops)))
boolean = pointwise(lambda call, ops: BOOL)
real = pointwise(lambda call, ops: to_real(promoted(call, *ops)))


def like_first(call: Call) -> Result:
    """The type of the first argument, whatever the others are."""
    t = call.tensor(0)
    return known(t.dtype, t.sizes)


rules(
    "neg negative positive sgn sign ceil floor round trunc fix conj_physical bitwise_not add sub subtract mul "
    "multiply rsub maximum minimum fmax fmin remainder fmod floor_divide bitwise_and bitwise_or bitwise_xor __and__ "
    "__or__ __xor__ gcd lcm addcmul",
    same,
)
rules(
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh arcsin arccos arctan arcsinh arccosh arctanh exp "
    "exp2 expm1 log log2 log10 log1p sqrt rsqrt sigmoid erf erfc erfinv reciprocal deg2rad rad2deg digamma lgamma "
    "sinc atan2 arctan2 true_divide addcdiv xlogy i0 special_expit special_erf special_log1p special_ndtr "
    "special_entr",
    floating,
)
rules(
    "eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "logical_not isnan isinf isfinite isposinf isneginf isreal isclose signbit",
    boolean,
)
rules("abs absolute", real)
rules(
    "relu relu6 gelu silu mish elu selu celu leaky_relu hardtanh hardswish hardsigmoid softplus log_sigmoid "
    "hardshrink softshrink threshold nan_to_num dropout feature_dropout alpha_dropout feature_alpha_dropout tril "
    "triu prelu frac bernoulli normal_functional",
    like_first,
)


@rule("aten::square")
def _square(call: Call) -> Result:
    """x ** 2, also for bool"""
    return known(promoted(call, call.tensor(0), T.INT), call.tensor(0).sizes)


@rule("aten::masked_fill", "aten::masked_scatter")
def _masked(call: Call) -> Result:
    t = call.tensor(0)
    return known(t.dtype, broadcast(call, t.sizes, call.tensor("mask").sizes))


@rule("aten::div", "aten::divide")
def _div(call: Call) -> Result:
    operands = _operands(call)
    dtype = promoted(call, *operands)
    mode = call.const("rounding_mode", None)
    if mode is None:
        dtype = to_float(call, dtype)
    elif not isinstance(mode, str):
        dtype = None
    return known(dtype, _shape(call, operands))


@rule("aten::pow")
def _pow(call: Call) -> Result:
    operands = _operands(call)
    return known(promoted(call, *operands), _shape(call, operands))


@rule("aten::lerp")
def _lerp(call: Call) -> Result:
    ends = [call.tensor("self"), call.tensor("end")]
    weight = [call.tensor("weight")] if isinstance(call.node.inputs[2].type, T.TensorType) else []
    return known(promoted(call, *ends), broadcast(call, *(t.sizes for t in (*ends, *weight))))


@rule("aten::clamp", "aten::clip", "aten::clamp_min", "aten::clamp_max")
def _clamp(call: Call) -> Result:
    operands = [v.type for v in call.node.inputs if v.type != T.NONE and not (v.is_constant and v.constant is None)]
    if any(isinstance(t, T.OptionalType) for t in operands):
        return None
    return known(promoted(call, *operands), _shape(call, operands))


@rule("aten::where.self", "aten::where.ScalarOther", "aten::where.ScalarSelf")
def _where(call: Call) -> Result:
    sides = [v.type for v in call.node.inputs[1:3]]
    return known(promoted(call, *sides), _shape(call, [call.node.inputs[0].type, *sides]))


@rule("aten::glu")
def _glu(call: Call) -> Result:
    t = call.tensor("self")
    dim = None if t.rank is None else wrap(call.number("dim"), t.rank)
    if t.sizes is None or dim is None:
        return known(t.dtype, None if t.rank is None else call.fresh(t.rank))
    size = t.sizes[dim]
    return known(t.dtype, replace(t.sizes, dim, size // 2 if isinstance(size, int) else call.facts.fresh()))
