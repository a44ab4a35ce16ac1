"""Computing nodes whose inputs are all known, and what ONNX Runtime's CPU kernels take.

`RUNS` lists, for the node kinds where it is not every type, the element types (letters as in `LETTERS`) that ONNX
Runtime computes; the builder
widens others through casts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.casting import convert
from linstock.ir import dtypes

Array = np.ndarray[Any, Any]
Form = Callable[[Sequence[Any], Mapping[str, Any]], Array]

#: ScalarType code -> letter
LETTERS = {5: "h", 6: "f", 7: "d", 0: "B", 1: "b", 2: "s", 3: "i", 4: "l", 11: "?", 15: "g"}
CODES = {v: k for k, v in LETTERS.items()}

#: kinds that move elements without computing: every type is taken, bfloat16 too
_MOVES = (
    "Identity Shape Gather GatherElements GatherND ScatterElements ScatterND Concat Slice Transpose Reshape Unsqueeze Squeeze Cast "
    "ConstantOfShape Flatten If Loop"
)
#: kinds that take only some types
_SOME = {
    "hf": "Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Celu Gelu Hardmax GlobalAveragePool GlobalMaxPool Det Conv ConvTranspose "
    "AveragePool LpPool MaxUnpool InstanceNormalization GridSample Multinomial Col2Im RNN "
    "Softplus Softsign Elu Selu LeakyRelu HardSigmoid HardSwish Mish ThresholdedRelu PRelu",
    "hfil": "Resize",
    "hfl": "OneHot",
    "hfdBbsi": "Relu",
    "hfd": "LSTM GRU Gemm DFT STFT DepthToSpace SpaceToDepth BatchNormalization GroupNormalization RMSNormalization",
    "hfdil": "ReduceSum ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare CumSum Pow MatMul Einsum EyeLike",
    "hfdil?": "Trilu",
    "hfdBbil": "Max Min Clip Where ReduceMax ReduceMin ArgMax ArgMin",
    "hfdBbil?": "Pad CenterCropPad",
    "hfBil?": "NonZero",
    "hfdBbsil": "TopK",
    "fd": "IsInf",
    "fdsil": "Range",
    "hfdbl": "Unique",
}
#: the newest opset in which ONNX Runtime has kinds whose later versions it lacks
UNTIL = dict.fromkeys(
    ["RandomUniform", "RandomUniformLike", "RandomNormal", "RandomNormalLike", "Bernoulli", "Multinomial"], 21
)
_TABLE = {kind: letters for letters, kinds in _SOME.items() for kind in kinds.split()}
_TABLE |= dict.fromkeys(_MOVES.split(), "hfdBbsil?g")
_WIDER = {
    "d": "f", "g": "f", "h": "f", "f": "d", "B": "silfd", "b": "silfd", "s": "ilfd", "i": "lfd", "l": "ifd", "?": "Bilf",
}  # fmt: skip


def runs(kind: str) -> str:
    """The element types that ONNX Runtime computes a kind of node in."""
    return _TABLE.get(kind, "hfdBbsil?")


def wider(letter: str, allowed: str) -> str | None:
    """The type to compute in instead of one that is not allowed."""
    return next((w for w in _WIDER[letter] if w in allowed), None)


def _slice(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    data, starts, ends = inputs[:3]
    axes = inputs[3] if len(inputs) > 3 and inputs[3] is not None else np.arange(len(starts))
    steps = inputs[4] if len(inputs) > 4 and inputs[4] is not None else np.ones(len(starts), np.int64)
    index = [slice(None)] * data.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        low = None if step < 0 and end <= -data.shape[axis] - 1 else int(end)
        index[axis] = slice(int(start), low, int(step))
    return data[tuple(index)]  # type: ignore[no-any-return]


def _reshape(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    data, shape = inputs
    keep = not a.get("allowzero")
    return data.reshape([data.shape[i] if n == 0 and keep else int(n) for i, n in enumerate(shape)])  # type: ignore[no-any-return]


def _squeeze(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    return np.squeeze(inputs[0], None if len(inputs) < 2 else tuple(int(i) for i in inputs[1]))  # type: ignore[no-any-return]


def _unsqueeze(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    return np.expand_dims(inputs[0], tuple(int(i) for i in inputs[1]))


def _divide(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    x, y = inputs
    if x.dtype.kind in "iu":
        return (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(x.dtype)  # type: ignore[no-any-return]
    return x / y  # type: ignore[no-any-return]


def _both(function: Callable[..., Any]) -> Form:
    return lambda inputs, a: np.asarray(function(*inputs))


def _cast(inputs: Sequence[Any], a: Mapping[str, Any]) -> Array:
    return convert(inputs[0], dtypes.numpy_of(a["code"]))


#: NumPy forms of the kinds that are folded
FORMS: dict[str, Form] = {
    "Cast": _cast, "Slice": _slice, "Reshape": _reshape, "Squeeze": _squeeze, "Unsqueeze": _unsqueeze, "Div": _divide,
    "Transpose": lambda i, a: np.transpose(i[0], a.get("perm")), "Concat": lambda i, a: np.concatenate(i, a["axis"]),
    "Gather": lambda i, a: np.take(i[0], i[1], a.get("axis", 0)), "Expand": lambda i, a: i[0] * np.ones([int(n) for n in i[1]], i[0].dtype),
    "Shape": lambda i, a: np.asarray(i[0].shape[a.get("start", 0) : a.get("end")], np.int64), "Identity": lambda i, a: i[0],
    "Add": _both(np.add), "Sub": _both(np.subtract), "Mul": _both(np.multiply), "Neg": _both(np.negative), "Sqrt": _both(np.sqrt),
    "Max": _both(np.maximum), "Min": _both(np.minimum), "Equal": _both(np.equal), "Less": _both(np.less), "Greater": _both(np.greater),
    "LessOrEqual": _both(np.less_equal), "GreaterOrEqual": _both(np.greater_equal), "And": _both(np.logical_and), "Or": _both(np.logical_or),
    "Not": _both(np.logical_not), "Where": _both(np.where), "Abs": _both(np.abs), "Exp": _both(np.exp),
    "Reciprocal": lambda i, a: (1 / i[0]).astype(i[0].dtype), "Range": lambda i, a: np.arange(i[0], i[1], i[2], dtype=i[0].dtype),
}  # fmt: skip
