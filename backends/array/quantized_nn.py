"""The other `quantized::` operators: arithmetic, activations, norms, pooling and embedding tables.

Most of them compute on the reals and quantise the result with a given scale and zero point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.attention import bag_sums
from linstock.backends.array.conv import Array
from linstock.backends.array.norm import group_norm as dense_group_norm
from linstock.backends.array.norm import layer_norm as dense_layer_norm
from linstock.backends.array.norm import softmax_of
from linstock.backends.array.pooling import max_values
from linstock.backends.array.quantized import (
    QUINT4X2,
    QUINT8,
    QuantizedArray,
    choose_qparams_optimized,
    limits,
    need_quantized,
    pack_bits,
    quantize,
    rounded,
    unpack_bits,
)  # fmt: skip
from linstock.backends.array.quantized_packed import EmbeddingPackedParams, relu
from linstock.backends.array.registry import kernel

Ints = Sequence[int]


def _scalar(value: Any) -> float:
    return float(value.item()) if isinstance(value, np.ndarray) else float(value)


def _same_types(qa: QuantizedArray, qb: QuantizedArray, op: str) -> None:
    if qa.dtype_code != qb.dtype_code:
        raise RuntimeError(f"{op} operands should have same data type.")
    if qa.axis is not None or qb.axis is not None:
        raise RuntimeError(f"Only per-tensor quantization is supported in {op}.")


# arithmetic


def _binary(name: str, combine: Callable[[Array, Array], Array]) -> None:
    """`quantized::add` or `mul` of two tensors, with and without ReLU, into a new tensor and into `out`."""

    def compute(qa: Any, qb: Any, scale: float, zero_point: int, with_relu: bool) -> QuantizedArray:
        a, b = need_quantized(qa, f"quantized::{name}"), need_quantized(qb, f"quantized::{name}")
        _same_types(a, b, name.capitalize())
        y = combine(a.dequantize(), b.dequantize())
        return quantize(relu(y) if with_relu else y, scale, zero_point, a.dtype_code)

    for suffix, with_relu in (("", False), ("_relu", True)):

        def plain(qa: Any, qb: Any, scale: float, zero_point: int, with_relu: bool = with_relu) -> QuantizedArray:
            return compute(qa, qb, scale, zero_point, with_relu)

        def into(qa: Any, qb: Any, out: QuantizedArray, with_relu: bool = with_relu) -> QuantizedArray:
            out.ints[...] = compute(qa, qb, out.scale, out.zero_point, with_relu).ints
            return out

        plain.__doc__ = f"{name} of quantised tensors{', then ReLU' if with_relu else ''}."
        into.__doc__ = f"{plain.__doc__} The result is quantised as `out` is."
        kernel(f"quantized::{name}{suffix}")(plain)
        kernel(f"quantized::{name}{suffix}.out", f"quantized::{name}{suffix}_out")(into)


_binary("add", lambda a, b: a + b)
_binary("mul", lambda a, b: a * b)


def add_scalar(q: QuantizedArray, value: float, with_relu: bool = False) -> QuantizedArray:
    """Add a number by moving the zero point; the scale grows where that would leave the type."""
    low, high = limits(q.dtype_code)
    scale, zero = q.scale, q.zero_point
    steps = int(np.rint(np.float32(value) / np.float32(scale)))
    moved = zero - steps
    if low <= moved <= high:
        ints = np.maximum(q.ints, moved) if with_relu else q.ints.copy()
        return QuantizedArray(ints.astype(q.dtype, copy=False), scale, moved, q.dtype_code)
    new_zero = low if moved < low else high
    new_scale = (high - moved) / (high - low) * scale if moved < low else (moved - low) / (high - low) * scale
    centred = q.ints.astype(np.float32) - np.float32(moved)
    values = centred * np.float32(scale / new_scale)
    ints = rounded(relu(values) if with_relu else values, new_zero, q.dtype_code)
    return QuantizedArray(ints, new_scale, new_zero, q.dtype_code)


def mul_scalar(q: QuantizedArray, value: float, with_relu: bool = False) -> QuantizedArray:
    """Multiply by a number by changing the scale; the integers are mirrored for a negative one."""
    low, high = limits(q.dtype_code)
    if value == 0:
        return QuantizedArray(np.zeros_like(q.ints), 1.0, 0, q.dtype_code)
    if value > 0:
        ints, zero = q.ints, q.zero_point
    else:
        ints, zero = (low + high - q.ints.astype(np.int64)).astype(q.dtype), low + high - q.zero_point
    if with_relu:
        ints = np.maximum(ints, zero).astype(q.dtype, copy=False)
    return QuantizedArray(ints.copy() if ints is q.ints else ints, q.scale * abs(value), zero, q.dtype_code)


def _with_scalar(name: str, apply: Callable[[QuantizedArray, float, bool], QuantizedArray]) -> None:
    for suffix, with_relu in (("", False), ("_relu", True)):

        def scalar(qa: Any, b: Any, with_relu: bool = with_relu) -> QuantizedArray:
            return apply(need_quantized(qa, f"quantized::{name}"), _scalar(b), with_relu)

        def reflected(b: Any, qa: Any, with_relu: bool = with_relu) -> QuantizedArray:
            return apply(need_quantized(qa, f"quantized::{name}"), _scalar(b), with_relu)

        def into(qa: Any, b: Any, out: QuantizedArray, with_relu: bool = with_relu) -> QuantizedArray:
            y = apply(need_quantized(qa, f"quantized::{name}"), _scalar(b), with_relu)
            out.ints[...] = y.ints
            out.scale, out.zero_point = y.scale, y.zero_point
            return out

        scalar.__doc__ = f"{name} of a quantised tensor and a number{', then ReLU' if with_relu else ''}."
        reflected.__doc__ = into.__doc__ = scalar.__doc__
        kernel(
            f"quantized::{name}{suffix}.Scalar", f"quantized::{name}_scalar{suffix}",
            f"quantized::{name}_scalar{suffix}.Tensor",
        )(scalar)  # fmt: skip
        kernel(f"quantized::{name}{suffix}.Scalar2")(reflected)
        kernel(
            f"quantized::{name}{suffix}.Scalar_out", f"quantized::{name}_scalar{suffix}_out",
            f"quantized::{name}_scalar{suffix}_out.Tensor",
        )(into)  # fmt: skip


_with_scalar("add", add_scalar)
_with_scalar("mul", mul_scalar)


@kernel("quantized::matmul")
def matmul(qa: Any, qb: Any, scale: float, zero_point: int) -> QuantizedArray:
    """Matrix product of quantised tensors."""
    a, b = need_quantized(qa, "quantized::matmul"), need_quantized(qb, "quantized::matmul")
    _same_types(a, b, "MatMul")
    y = np.matmul(a.centred(), b.centred()) * (np.float32(a.scale) * np.float32(b.scale))
    return quantize(y, scale, zero_point, a.dtype_code)


def concatenate(
    qx: Sequence[Any], dim: int, scale: float | None, zero_point: int | None, with_relu: bool
) -> QuantizedArray:
    """Quantised tensors one after the other, requantised where theirs differs from the result's scale."""
    if not qx:
        raise RuntimeError("quantized::cat: expected a non-empty list of tensors")
    parts = [need_quantized(q, "quantized::cat") for q in qx]
    first = parts[0]
    scale = first.scale if scale is None else scale
    zero_point = first.zero_point if zero_point is None else zero_point
    ints = []
    for q in parts:
        _same_types(first, q, "Cat")
        if (q.scale, q.zero_point) == (scale, zero_point):
            ints.append(np.maximum(q.ints, np.asarray(zero_point).astype(q.dtype)) if with_relu else q.ints)
        else:
            y = q.dequantize()
            ints.append(quantize(relu(y) if with_relu else y, scale, zero_point, first.dtype_code).ints)
    return QuantizedArray(np.concatenate(ints, axis=dim), scale, zero_point, first.dtype_code)


@kernel("quantized::cat")
def cat(qx: Sequence[Any], dim: int, scale: float | None, zero_point: int | None) -> QuantizedArray:
    """Quantised tensors one after the other along an axis."""
    return concatenate(qx, dim, scale, zero_point, False)


@kernel("quantized::cat_relu")
def cat_relu(qx: Sequence[Any], dim: int, scale: float | None, zero_point: int | None) -> QuantizedArray:
    """The positive parts of quantised tensors one after the other along an axis."""
    return concatenate(qx, dim, scale, zero_point, True)


def _cat_into(with_relu: bool) -> Callable[..., QuantizedArray]:
    def into(qx: Sequence[Any], dim: int, out: QuantizedArray) -> QuantizedArray:
        out.ints[...] = concatenate(qx, dim, out.scale, out.zero_point, with_relu).ints
        return out

    into.__doc__ = "Quantised tensors one after the other, into `out`."
    return into


kernel("quantized::cat_out")(_cat_into(False))
kernel("quantized::cat_relu_out")(_cat_into(True))


# activations


def _activation(name: str, doc: str) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """Register `function(reals, *options)` as `quantized::name(q, output_scale, output_zero_point, *options)`."""

    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        def apply(self: Any, output_scale: float, output_zero_point: int, *options: Any) -> QuantizedArray:
            q = need_quantized(self, f"quantized::{name}")
            y = np.asarray(function(q.dequantize(), *options))
            return quantize(y, output_scale, output_zero_point, q.dtype_code)

        apply.__doc__ = doc
        kernel(f"quantized::{name}")(apply)
        return function

    return register


@_activation("sigmoid", "Logistic function.")
def sigmoid(x: Array) -> Array:
    """Logistic function of reals."""
    return np.float32(0.5) * np.tanh(np.float32(0.5) * x) + np.float32(0.5)


@_activation("hardswish", "x * relu6(x + 3) / 6.")
def hardswish(x: Array) -> Array:
    """x * relu6(x + 3) / 6 of reals."""
    return x * np.clip(x + np.float32(3), 0, 6) / np.float32(6)


@_activation("elu", "Exponential linear unit.")
def elu(x: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    """Exponential linear unit of reals."""
    negative = np.float32(alpha * scale) * np.expm1(np.minimum(x, 0) * np.float32(input_scale))
    return np.where(x >= 0, x * np.float32(scale), negative)


@_activation("celu", "Continuously differentiable exponential linear unit.")
def celu(x: Array, alpha: Any = 1) -> Array:
    """Continuously differentiable exponential linear unit of reals."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(x, alpha, 1.0, 1.0 / alpha)


@kernel("quantized::dropout")
def dropout(
    self: Any, output_scale: float, output_zero_point: int, p: Any = 0.5, training: bool = False
) -> QuantizedArray:
    """The tensor itself: dropout does nothing in evaluation. Raises RuntimeError in training."""
    if training:
        raise RuntimeError("quantized::dropout is not supported in training")
    return need_quantized(self, "quantized::dropout")


@kernel("quantized::leaky_relu")
def leaky_relu(
    qx: Any, negative_slope: Any, inplace: bool, output_scale: float, output_zero_point: int
) -> QuantizedArray:
    """Leaky ReLU."""
    q = need_quantized(qx, "quantized::leaky_relu")
    x = q.dequantize()
    return quantize(np.where(x > 0, x, x * np.float32(negative_slope)), output_scale, output_zero_point, q.dtype_code)


@kernel("quantized::prelu")
def prelu(qx: Any, weight: Array, output_scale: float, output_zero_point: int) -> QuantizedArray:
    """ReLU with a learnt slope (one, or one per channel) for negative values."""
    q = need_quantized(qx, "quantized::prelu")
    x = q.dequantize()
    w = np.asarray(weight.dequantize() if isinstance(weight, QuantizedArray) else weight, np.float32)
    slope = w.reshape(()) if w.size == 1 else w.reshape(-1, *(1,) * max(x.ndim - 2, 0))
    return quantize(np.where(x >= 0, x, x * slope), output_scale, output_zero_point, q.dtype_code)


@kernel("quantized::softmax")
def softmax(qx: Any, dim: int, output_scale: float, output_zero_point: int) -> QuantizedArray:
    """Softmax along an axis."""
    q = need_quantized(qx, "quantized::softmax")
    return quantize(softmax_of(q.dequantize(), dim), output_scale, output_zero_point, q.dtype_code)


def between(q: QuantizedArray, low: Any, high: Any) -> QuantizedArray:
    """Values cut off at reals, under the same scale and zero point."""
    ints = q.ints
    if low is not None:
        ints = np.maximum(ints, quantize(np.asarray([low], np.float32), q.scale, q.zero_point, q.dtype_code).ints)
    if high is not None:
        ints = np.minimum(ints, quantize(np.asarray([high], np.float32), q.scale, q.zero_point, q.dtype_code).ints)
    return q.like(ints)


@kernel("quantized::clamp")
def clamp(qx: Any, min: Any = None, max: Any = None) -> QuantizedArray:
    """Values cut off at one or two limits."""
    if min is None and max is None:
        raise RuntimeError("Both min and max are None")
    return between(need_quantized(qx, "quantized::clamp"), min, max)


@kernel("quantized::relu6")
def relu6(qx: Any, inplace: bool = False) -> QuantizedArray:
    """Values cut off at 0 and 6."""
    q = need_quantized(qx, "quantized::relu6")
    y = between(q, 0, 6)
    if not inplace:
        return y
    q.ints[...] = y.ints
    return q


@kernel("quantized::threshold")
def threshold(qx: Any, threshold: Any, value: Any) -> QuantizedArray:
    """Values above a threshold, another value elsewhere."""
    q = need_quantized(qx, "quantized::threshold")
    x = q.dequantize()
    return quantize(np.where(x > threshold, x, np.float32(value)), q.scale, q.zero_point, q.dtype_code)


# norms


def _batch_norm(n: int | None, with_relu: bool) -> None:
    name = f"batch_norm{'' if n is None else f'{n}d'}{'_relu' if with_relu else ''}"

    def apply(
        qx: Any, weight: Array | None, bias: Array | None, mean: Array, var: Array, eps: float, output_scale: float,
        output_zero_point: int,
    ) -> QuantizedArray:  # fmt: skip
        q = need_quantized(qx, f"quantized::{name}")
        shape = (-1, *(1,) * (q.ndim - 2))
        scale = 1 / np.sqrt(var + np.float32(eps))
        if weight is not None:
            scale = scale * weight
        shift = -mean * scale if bias is None else bias - mean * scale
        y = q.dequantize() * scale.reshape(shape) + shift.reshape(shape)
        return quantize(relu(y) if with_relu else y, output_scale, output_zero_point, q.dtype_code)

    apply.__doc__ = f"Batch norm in evaluation{', then ReLU' if with_relu else ''}."
    kernel(f"quantized::{name}")(apply)


for _n in (None, 1, 2, 3):
    _batch_norm(_n, False)
    _batch_norm(_n, True)


@kernel("quantized::layer_norm")
def layer_norm(
    input: Any, normalized_shape: Ints, weight: Array | None, bias: Array | None, eps: float, output_scale: float,
    output_zero_point: int,
) -> QuantizedArray:  # fmt: skip
    """Layer norm."""
    q = need_quantized(input, "quantized::layer_norm")
    y = dense_layer_norm(q.dequantize(), normalized_shape, weight, bias, eps)
    return quantize(y, output_scale, output_zero_point, q.dtype_code)


@kernel("quantized::group_norm")
def group_norm(
    input: Any, num_groups: int, weight: Array | None, bias: Array | None, eps: float, output_scale: float,
    output_zero_point: int,
) -> QuantizedArray:  # fmt: skip
    """Group norm."""
    q = need_quantized(input, "quantized::group_norm")
    y = dense_group_norm(q.dequantize(), num_groups, weight, bias, eps)
    return quantize(y, output_scale, output_zero_point, q.dtype_code)


@kernel("quantized::instance_norm")
def instance_norm(
    input: Any, weight: Array | None, bias: Array | None, eps: float, output_scale: float, output_zero_point: int
) -> QuantizedArray:
    """Instance norm."""
    return group_norm(input, input.shape[1], weight, bias, eps, output_scale, output_zero_point)


# pooling


def pool_max(
    q: QuantizedArray, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, n: int
) -> QuantizedArray:
    """Maximum over windows, under the same scale and zero point."""

    def each(values: Ints) -> tuple[int, ...]:
        values = tuple(values) if not isinstance(values, int) else (values,)
        return values * n if len(values) == 1 else values

    k = each(kernel_size)
    return q.like(max_values(q.ints, k, each(stride) or k, each(padding), each(dilation), ceil_mode, f"max_pool{n}d"))


def _register_pool(n: int) -> None:
    def pool(
        self: Any, kernel_size: Ints, stride: Ints = (), padding: Ints = (0,), dilation: Ints = (1,),
        ceil_mode: bool = False,
    ) -> QuantizedArray:  # fmt: skip
        q = need_quantized(self, f"aten::quantized_max_pool{n}d")
        made: QuantizedArray = pool_max(q, kernel_size, stride, padding, dilation, ceil_mode, n)
        return made

    pool.__doc__ = f"Maximum over {n}-dimensional windows."
    kernel(f"aten::quantized_max_pool{n}d", *([f"quantized::max_pool{n}d"] if n < 3 else []))(pool)


for _n in (1, 2, 3):
    _register_pool(_n)


# embedding tables


@kernel("quantized::embedding_bag_prepack")
def embedding_bag_prepack(weight: Any) -> EmbeddingPackedParams:
    """Pack a table that is quantised per row, to 8 or 4 bits."""
    q = need_quantized(weight, "quantized::embedding_bag_prepack")
    if q.dtype_code not in (QUINT8, QUINT4X2):
        raise RuntimeError("Currently we support 8-bit and 4-bit quantized embedding_bag weights")
    if q.axis != 0:
        raise RuntimeError("Expect embedding_bag weights to be quantized using kPerChannelAffineFloatQParams")
    return EmbeddingPackedParams(q)


@kernel("quantized::embedding_bag_unpack")
def embedding_bag_unpack(W_prepack: Any) -> QuantizedArray:
    """The quantised table."""
    weight: QuantizedArray = W_prepack.weight
    return weight


def _embedding_sums(
    packed: Any, indices: Array, offsets: Array | None, per_sample: Array | None, mapping: Array | None,
    include_last: bool,
) -> Array:  # fmt: skip
    table: QuantizedArray = packed.weight
    if indices.ndim == 2:
        if offsets is not None:
            raise RuntimeError("embedding_bag operator: input is 2D, then offsets has to be None")
        offsets = np.arange(0, indices.size, max(indices.shape[1], 1), dtype=np.int64)[: indices.shape[0]]
        include_last, per_sample = False, None if per_sample is None else per_sample.reshape(-1)
        indices = indices.reshape(-1)
    elif indices.ndim != 1:
        raise RuntimeError(f"embedding_bag operator supports 1d or 2d indices, got {indices.ndim}")
    if offsets is None:
        raise RuntimeError("embedding_bag operator expects offsets to be set for 1D indices.")
    rows = indices.astype(np.int64)
    pruned = None
    if mapping is not None and mapping.size > 1:
        rows = mapping[rows].astype(np.int64)
        pruned = rows < 0
        rows = np.where(pruned, 0, rows)
    if rows.size and (rows.min() < 0 or rows.max() >= table.shape[0]):
        raise RuntimeError(f"indices are out of range for a table of {table.shape[0]} rows")
    scale, zero = (np.asarray(v, np.float32)[rows] for v in (table.scale, table.zero_point))
    values = (table.ints[rows].astype(np.float32) - zero[:, None]) * scale[:, None]
    if pruned is not None:
        values = np.where(pruned[:, None], np.float32(0), values)
    if per_sample is not None:
        values = values * per_sample[:, None]
    starts = np.asarray(offsets[:-1] if include_last else offsets, dtype=np.int64)
    ends = np.append(starts[1:], int(offsets[-1]) if include_last else rows.size) if starts.size else starts
    return bag_sums(values, starts, ends)


@kernel("quantized::embedding_bag_byte", "quantized::embedding_bag_4bit")
def embedding_bag_packed(
    weight: Any, indices: Array, offsets: Array | None = None, scale_grad_by_freq: bool = False, mode: int = 0,
    pruned_weights: bool = False, per_sample_weights: Array | None = None,
    compressed_indices_mapping: Array | None = None, include_last_offset: bool = False,
) -> Array:  # fmt: skip
    """Sums of bags of rows of a quantised table, as reals."""
    mapping = compressed_indices_mapping if pruned_weights else None
    return _embedding_sums(weight, indices, offsets, per_sample_weights, mapping, include_last_offset)


@kernel("quantized::embedding_byte", "quantized::embedding_4bit")
def embedding_packed(weight: Any, indices: Array, pruned_weights: bool = False) -> Array:
    """Rows of a quantised table, as reals."""
    flat = indices.reshape(-1)
    rows = _embedding_sums(weight, flat, np.arange(flat.size, dtype=np.int64), None, None, False)
    return rows.reshape(*indices.shape, weight.weight.shape[1])


def _rows(weight: Array, name: str) -> Array:
    if weight.dtype not in (np.float32, np.float16):
        raise RuntimeError(f"'{name}' only support float32 or float16.")
    return weight.reshape(-1, weight.shape[-1]).astype(np.float32)


@kernel("quantized::embedding_bag_byte_prepack")
def embedding_bag_byte_prepack(weight: Array) -> Array:
    """Rows as bytes, each followed by its scale and its smallest value (float32)."""
    x = _rows(weight, "embedding_bag_byte_prepack")
    low, high = x.min(axis=1), x.max(axis=1)
    span = high - low
    inverse = np.float32(255) / (span + np.float32(1e-8))
    q = np.rint((x - low[:, None]) * inverse[:, None]).astype(np.uint8)
    ends = np.stack([span / np.float32(255), low], axis=1).astype(np.float32).view(np.uint8)
    return np.concatenate([q, ends], axis=1).reshape(*weight.shape[:-1], weight.shape[-1] + 8)


@kernel("quantized::embedding_bag_byte_unpack")
def embedding_bag_byte_unpack(weight: Array) -> Array:
    """The reals of rows packed by `embedding_bag_byte_prepack`."""
    ends = np.ascontiguousarray(weight[..., -8:]).view(np.float32)
    return weight[..., :-8].astype(np.float32) * ends[..., :1] + ends[..., 1:]


def _register_bits(bits: int) -> None:
    name = f"embedding_bag_{bits}bit"
    per = 8 // bits
    top = np.float32((1 << bits) - 1)

    def prepack(weight: Array, optimized_qparams: bool = False, nbins: int = 200, ratio: float = 0.16) -> Array:
        x = _rows(weight, f"{name}_prepack")
        if optimized_qparams:
            found = [choose_qparams_optimized(row, row.size, nbins, ratio, bits) for row in x]
            low, high = np.concatenate([f[1] for f in found]), np.concatenate([f[0] for f in found])
        else:
            low, high = x.min(axis=1), x.max(axis=1)
        low = low.astype(np.float16).astype(np.float32)
        span = high - low
        scale = np.where(span == 0, np.float32(1), span / top).astype(np.float16).astype(np.float32)
        scale = np.where(scale == 0, np.float32(1), scale)
        inverse = np.float32(1) / scale
        bad = np.isinf(inverse)
        scale, inverse = np.where(bad, np.float32(1), scale), np.where(bad, np.float32(1), inverse)
        q = np.clip(np.rint((x - low[:, None]) * inverse[:, None]), 0, top).astype(np.uint8)
        width = -(-x.shape[1] // per)
        padded = np.zeros_like(q, shape=(len(q), width * per))
        padded[:, : x.shape[1]] = q
        packed = pack_bits(padded, bits).reshape(len(q), width)
        ends = np.stack([scale, low], axis=1).astype(np.float16).view(np.uint8)
        return np.concatenate([packed, ends], axis=1).reshape(*weight.shape[:-1], width + 4)

    def unpack(weight: Array) -> Array:
        rows = weight.reshape(-1, weight.shape[-1])
        ends = np.ascontiguousarray(rows[:, -4:]).view(np.float16).astype(np.float32)
        bytes_ = np.ascontiguousarray(rows[:, :-4])
        q = unpack_bits(bytes_, bits, bytes_.size * per).reshape(len(rows), -1).astype(np.float32)
        return (q * ends[:, :1] + ends[:, 1:]).reshape(*weight.shape[:-1], q.shape[1])

    prepack.__doc__ = f"Rows of {bits} bits per element, each followed by its scale and its smallest value (float16)."
    unpack.__doc__ = f"The reals of rows packed by `{name}_prepack`."
    kernel(f"quantized::{name}_prepack")(prepack)
    kernel(f"quantized::{name}_unpack")(unpack)


_register_bits(4)
_register_bits(2)
