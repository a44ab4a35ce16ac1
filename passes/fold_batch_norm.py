"""Folds batch normalisation in evaluation mode into the convolution or linear layer before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from linstock.ir import types as T
from linstock.ir.dtypes import float64
from linstock.ir.graph import Builder, Graph, Node, Value
from linstock.passes import effects
from linstock.passes.constant_propagation import Evaluator
from linstock.passes.constants import is_tensor, tensor_type_of

_CONVOLUTIONS = frozenset({"aten::conv1d", "aten::conv2d", "aten::conv3d"})
_TRANSPOSED = frozenset({"aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d"})
_GENERAL = frozenset({"aten::_convolution", "aten::convolution"})


@dataclass(frozen=True)
class FoldBatchNorm:
    """batch_norm(layer(x, W, b))  =>  layer(x, W', b'), where all parameters are constants and only the norm uses the
    layer's result.

    Changes results by rounding: not for pipelines that must be exact. With s = gamma / sqrt(var + eps) for every output
    channel: W' = W * s, b' = (b - mean) * s + beta; computed in float64 and rounded once.
    """

    evaluator: Evaluator
    name = "fold_batch_norm"

    def run(self, graph: Graph) -> bool:
        """Fold. Returns whether there was anything to fold."""
        changed = False
        for node in list(graph.walk()):
            if node.kind == "aten::batch_norm":
                changed |= self._fold(node)
        return changed

    def _fold(self, norm: Node) -> bool:
        layer = norm.inputs[0].node
        if not _only_normalised(norm) or layer.block is not norm.block or not _is_layer(layer):
            return False
        weight, bias = layer.input_named("weight"), layer.input_named("bias")
        parameters = [weight, bias, *norm.inputs[1:5]]
        training, eps = norm.input_named("training"), norm.input_named("eps")
        if not effects.is_false(training) or not eps.is_constant or not all(map(_is_parameter, parameters)):
            return False
        values = [v.constant for v in parameters]
        if values[4] is None or values[5] is None or not _one_dtype(values):
            return False
        groups = _groups(layer)
        if groups is None:
            return False
        new_weight, new_bias = _folded(self.evaluator, values, eps.constant, _channel_shape(layer, values[0], groups))
        for name, old, value in (("weight", weight, new_weight), ("bias", bias, new_bias)):
            made = Builder(layer, old.node.span).constant(value, T.TENSOR)
            made.name = old.name
            index = layer.schema.index_of(name) if layer.schema else None
            assert index is not None
            layer.replace_input(index, made)
        norm.outputs[0].replace_all_uses_with(norm.inputs[0])
        norm.destroy()
        return True


#: what may look at the layer's result besides the norm: shape and element type stay as they are
_LOOKS = frozenset({"aten::dim", "aten::size", "prim::dtype", "prim::device", "aten::numel", "aten::is_floating_point"})


# -- predicates -------------------------------------------------------------------------------------
def _only_normalised(norm: Node) -> bool:
    """Whether nothing else uses the values of the layer's result."""
    return all(use.node is norm or use.node.kind in _LOOKS for use in norm.inputs[0].uses)


def _is_layer(node: Node) -> bool:
    if node.kind == "aten::linear":  # only with rows of features are the features the norm's channels
        t = node.inputs[0].type
        return isinstance(t, T.TensorType) and t.rank == 2
    return node.kind in _CONVOLUTIONS | _TRANSPOSED | _GENERAL


def _is_parameter(value: Value) -> bool:
    return value.is_constant and (value.constant is None or is_tensor(value.constant))


def _one_dtype(values: Sequence[Any]) -> bool:
    kinds = {tensor_type_of(v).dtype for v in values if v is not None}
    return len(kinds) == 1 and None not in kinds


def _groups(layer: Node) -> int | None:
    if layer.kind == "aten::linear":
        return 1
    groups = layer.input_named("groups")
    return groups.constant if groups.is_constant else None


def _is_transposed(layer: Node) -> bool:
    return layer.kind in _TRANSPOSED or (layer.kind in _GENERAL and effects.is_true(layer.input_named("transposed")))


# -- algebra ----------------------------------------------------------------------------------------
def _channel_shape(layer: Node, weight: Any, groups: int) -> tuple[list[int], list[int]]:
    """How the weight is split so that the output channels are dimensions of it, and the shape of the channels in it.

    Transposed convolutions hold (input channels, output channels of a group, ...).
    """
    sizes = list(tensor_type_of(weight).sizes or ())
    if _is_transposed(layer):
        inputs, outputs = int(sizes[0]), int(sizes[1])
        split = [groups, inputs // groups, outputs, *(int(n) for n in sizes[2:])]
        return split, [groups, 1, outputs, *[1] * (len(sizes) - 2)]
    whole = [int(n) for n in sizes]
    return whole, [whole[0], *[1] * (len(sizes) - 1)]


def _folded(
    evaluate: Evaluator, values: Sequence[Any], eps: float, shapes: tuple[list[int], list[int]]
) -> tuple[Any, Any]:
    """The new weight and bias."""

    def call(name: str, *args: Any) -> Any:
        return evaluate(name, args)[0]

    dtype = tensor_type_of(values[0]).dtype
    weight, bias, gamma, beta, mean, variance = (
        None if v is None else call("aten::to.dtype", v, float64.code, False, True, None) for v in values
    )
    scale = call("aten::rsqrt", call("aten::add.Scalar", variance, eps, 1))
    if gamma is not None:
        scale = call("aten::mul.Tensor", scale, gamma)
    shift = call("aten::neg", mean) if bias is None else call("aten::sub.Tensor", bias, mean, 1)
    shift = call("aten::mul.Tensor", shift, scale)
    if beta is not None:
        shift = call("aten::add.Tensor", shift, beta, 1)
    split, channels = shapes
    sizes = [int(n) for n in tensor_type_of(values[0]).sizes or ()]
    wide = call("aten::mul.Tensor", call("aten::reshape", weight, split), call("aten::reshape", scale, channels))
    wide = call("aten::reshape", wide, sizes)
    return call("aten::to.dtype", wide, dtype, False, True, None), call(
        "aten::to.dtype", shift, dtype, False, True, None
    )
