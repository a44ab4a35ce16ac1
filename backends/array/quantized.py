"""Quantised arrays: integers that stand for reals. Making them, taking them apart, fake quantisation.

Packed weights and products with them are in `quantized_packed`, the other `quantized::` operators in `quantized_nn`,
operators of other families over quantised arrays in `quantized_forms`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, type_name
from linstock.backends.array.promotion import is_inexact, wide
from linstock.backends.array.registry import kernel
from linstock.ir import dtypes

QINT8, QUINT8, QINT32, QUINT4X2, QUINT2X4 = 12, 13, 14, 16, 17
_LIMITS = {QINT8: (-128, 127), QUINT8: (0, 255), QINT32: (-(2**31), 2**31 - 1), QUINT4X2: (0, 15), QUINT2X4: (0, 3)}
#: codes of quantisation schemes, as `qscheme` gives them
SCHEMES = {"per_tensor_affine": 0, "per_channel_affine": 1, "per_channel_affine_float_qparams": 4}


class QuantizedArray:
    """Integers with a scale and a zero point (one pair, or one per slice of `axis`): `(ints - zero_point) * scale`.

    `dtype_code` is the ScalarType code of the quantised type. Sub-byte types keep one element per byte here.
    """

    __slots__ = ("axis", "dtype_code", "ints", "scale", "zero_point")
    layout_code = 0

    def __init__(self, ints: Array, scale: Any, zero_point: Any, dtype_code: int, axis: int | None = None) -> None:
        self.ints, self.dtype_code, self.axis = ints, dtype_code, axis
        self.scale: Any = float(scale) if axis is None else np.asarray(scale)
        self.zero_point: Any = int(zero_point) if axis is None else np.asarray(zero_point)

    shape = property(lambda self: self.ints.shape, doc="Sizes of the dimensions.")
    ndim = property(lambda self: self.ints.ndim, doc="Number of dimensions.")
    size = property(lambda self: self.ints.size, doc="Number of elements.")
    dtype = property(lambda self: self.ints.dtype, doc="Type of the integers.")
    itemsize = property(lambda self: self.ints.itemsize, doc="Bytes of one integer.")
    nbytes = property(lambda self: self.ints.nbytes, doc="Bytes of all integers.")
    strides = property(lambda self: self.ints.strides, doc="Steps in bytes.")
    flags = property(lambda self: self.ints.flags, doc="Memory flags of the integers.")
    base = property(lambda self: self.ints.base, doc="What owns the memory of the integers.")
    ctypes = property(lambda self: self.ints.ctypes, doc="Address of the integers.")

    def __len__(self) -> int:
        return len(self.ints)

    def __repr__(self) -> str:
        name = dtypes.by_code(self.dtype_code).name
        facts = f"scale={self.scale}, zero_point={self.zero_point}, axis={self.axis}"
        return f"QuantizedArray({name}, {list(self.shape)}, {facts})"

    @property
    def scheme(self) -> str:
        """Name of the quantisation scheme."""
        if self.axis is None:
            return "per_tensor_affine"
        return "per_channel_affine_float_qparams" if self.zero_point.dtype.kind == "f" else "per_channel_affine"

    def like(self, ints: Array, axis: int | None = -1) -> QuantizedArray:
        """Other integers under the same scale and zero point (`axis`: where the channels are now)."""
        return QuantizedArray(ints, self.scale, self.zero_point, self.dtype_code, self.axis if axis == -1 else axis)

    def _along(self, values: Any) -> Any:
        return values if self.axis is None else values.reshape(-1, *(1,) * (self.ndim - self.axis - 1))

    def centred(self) -> Array:
        """Integers minus zero points, as float32."""
        return self.ints.astype(np.float32) - np.float32(self._along(self.zero_point))

    def dequantize(self) -> Array:
        """The reals, as float32."""
        return self.centred() * np.float32(self._along(self.scale))

    def copy(self) -> QuantizedArray:
        """The same values in fresh memory."""
        return self.like(self.ints.copy())


def limits(code: int) -> tuple[int, int]:
    """Smallest and largest integer of a quantised type. Raises RuntimeError for another type."""
    try:
        return _LIMITS[code]
    except KeyError:
        raise RuntimeError(f"ScalarType {type_name(dtypes.numpy_of(code))} is not supported in new_qtensor.") from None


def rounded(values: Array, zero_point: Any, code: int) -> Array:
    """`round(values + zero_point)`, half to even, cut off at the limits of the type; NaN becomes the upper limit."""
    low, high = limits(code)
    shifted = np.rint(values + zero_point)
    if np.isnan(shifted).any():
        shifted = np.where(np.isnan(shifted), low if code == QINT32 else high, shifted)
    made: Array = np.clip(shifted, low, high).astype(dtypes.numpy_of(code))
    return made


def quantize(x: Array, scale: float, zero_point: int, code: int) -> QuantizedArray:
    """Quantise reals with one scale and zero point; product and sum are rounded to float32 once, as in PyTorch."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse = np.float32(1) / np.float32(scale)
        product = x.astype(np.float64) * np.float64(inverse)
        single = (product + zero_point).astype(np.float32)
    return QuantizedArray(rounded(single, 0, code), scale, zero_point, code)


def _check_float(x: Array) -> None:
    if x.dtype != np.float32:
        raise RuntimeError(f"Quantize only works on Float Tensor, got {type_name(x.dtype)}")


@kernel("aten::quantize_per_tensor")
def quantize_per_tensor(self: Array, scale: float, zero_point: int, dtype: int) -> QuantizedArray:
    """Quantise with one scale and zero point. Raises RuntimeError for a zero point outside the type."""
    _check_float(self)
    low, high = limits(dtype)
    if zero_point < low or zero_point > high:
        side = "below lower" if zero_point < low else "above upper"
        raise RuntimeError(f"quantize_tensor_per_tensor_affine zero_point {zero_point} is {side} bound.")
    return quantize(self, scale, zero_point, dtype)


@kernel("aten::quantize_per_tensor.tensor_qparams")
def quantize_per_tensor_qparams(self: Array, scale: Array, zero_point: Array, dtype: int) -> QuantizedArray:
    """Quantise with a scale and a zero point that come as tensors."""
    return quantize_per_tensor(self, float(scale.item()), int(zero_point.item()), dtype)


@kernel("aten::quantize_per_tensor.tensors")
def quantize_per_tensor_list(
    tensors: Sequence[Array], scales: Array, zero_points: Array, dtype: int
) -> list[QuantizedArray]:
    """Quantise each tensor with its own scale and zero point."""
    pairs = zip(scales.tolist(), zero_points.tolist())
    return [quantize_per_tensor(x, float(s), int(z), dtype) for x, (s, z) in zip(tensors, pairs)]


@kernel("aten::quantize_per_channel")
def quantize_per_channel(self: Array, scales: Array, zero_points: Array, axis: int, dtype: int) -> QuantizedArray:
    """Quantise with one scale and zero point per slice of an axis (real zero points for embedding tables)."""
    _check_float(self)
    limits(dtype)
    if not 0 <= axis < self.ndim:
        raise RuntimeError(f"Channel axis out of range in per channel affine quantization. Got: {axis}")
    for name, v in (("scales", scales), ("zero_points", zero_points)):
        if v.ndim != 1:
            raise RuntimeError(f"{name} tensor must have dimension 1")
        if v.size != self.shape[axis]:
            raise RuntimeError(f"length of {name} must equal to channel, expected {self.shape[axis]} got, {v.size}")
    real_zeros = is_inexact(zero_points.dtype)
    kinds = np.float32 if real_zeros else np.float64, np.float32 if real_zeros else np.int64
    q = QuantizedArray(self, scales.astype(kinds[0]), zero_points.astype(kinds[1]), dtype, axis)
    scale, zero = np.float32(q._along(q.scale)), np.float32(q._along(q.zero_point))
    with np.errstate(divide="ignore", invalid="ignore"):
        q.ints = rounded(self / scale + zero, 0, dtype)
    return q


def choose_qparams(
    low: float, high: float, qmin: int = 0, qmax: int = 255, reduce_range: bool = False
) -> tuple[float, int]:
    """Scale and zero point for reals between two limits (widened to hold 0)."""
    if reduce_range:
        qmin, qmax = int(qmin / 2), int(qmax / 2)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / (qmax - qmin)
    single = np.float32(scale)
    if single == 0 or not np.isfinite(np.float64(1.0) / single):
        scale = 0.1
    smallest = float(np.float32(6.1e-5))
    if scale < smallest:
        span = smallest * (qmax - qmin)
        if low == 0:
            high = span
        elif high == 0:
            low = -span
        else:
            low, high = low * (smallest / scale), high * (smallest / scale)
        scale = smallest
    from_low, from_high = qmin - low / scale, qmax - high / scale
    error_low, error_high = abs(qmin) + abs(low / scale), abs(qmax) + abs(high / scale)
    zero = from_low if error_low < error_high else from_high
    return scale, qmin if zero < qmin else qmax if zero > qmax else int(np.rint(zero))


def choose_for(x: Array, code: int = QUINT8, reduce_range: bool = False) -> tuple[float, int]:
    """Scale and zero point that cover the values of an array."""
    low, high = limits(code)
    if not x.size:
        return choose_qparams(0.0, 0.0, low, high, reduce_range)
    return choose_qparams(float(x.min()), float(x.max()), low, high, reduce_range)


@kernel("aten::quantize_per_tensor_dynamic")
def quantize_per_tensor_dynamic(self: Array, dtype: int, reduce_range: bool) -> QuantizedArray:
    """Quantise with the scale and zero point that the values call for."""
    if dtype not in (QINT8, QUINT8, 5):
        name = dtypes.by_code(dtype).name
        raise RuntimeError(f"dtype {name}not supported")
    if dtype == 5:
        return self.astype(np.float16)  # type: ignore[return-value]
    _check_float(self)
    scale, zero = choose_for(self, dtype, reduce_range)
    return quantize(self, scale, zero, dtype)


@kernel("aten::_make_per_tensor_quantized_tensor")
def _make_per_tensor_quantized_tensor(self: Array, scale: float, zero_point: int) -> QuantizedArray:
    """Integers taken as quantised with one scale and zero point."""
    return QuantizedArray(self.copy(), scale, zero_point, _quantized_of(self))


@kernel("aten::_make_per_channel_quantized_tensor")
def _make_per_channel_quantized_tensor(self: Array, scale: Array, zero_point: Array, axis: int) -> QuantizedArray:
    """Integers taken as quantised with one scale and zero point per slice of an axis."""
    zeros = zero_point.astype(np.float32 if is_inexact(zero_point.dtype) else np.int64)
    return QuantizedArray(self.copy(), scale.astype(np.float64), zeros, _quantized_of(self), axis)


def _quantized_of(ints: Array) -> int:
    found = {np.dtype(np.int8): QINT8, np.dtype(np.uint8): QUINT8, np.dtype(np.int32): QINT32}.get(ints.dtype)
    if found is None:
        raise RuntimeError(f"ScalarType {type_name(ints.dtype)} has no quantized counterpart")
    return found


@kernel("aten::empty_quantized")
def empty_quantized(
    size: Sequence[int], qtensor: QuantizedArray, dtype: int | None = None, layout: int | None = None,
    device: Any = None, pin_memory: bool | None = None, memory_format: int | None = None,
) -> QuantizedArray:  # fmt: skip
    """Zeroed integers of a shape, quantised as another array is."""
    return qtensor.like(np.zeros_like(qtensor.ints, shape=tuple(size)))


def need_quantized(q: Any, op: str) -> QuantizedArray:
    """The argument. Raises NotImplementedError, as PyTorch's dispatcher does, unless it is quantised."""
    if not isinstance(q, QuantizedArray):
        raise NotImplementedError(
            f"Could not run '{op}' with arguments from the 'CPU' backend: it takes a quantized tensor, but got one "
            "of dtype "
            f"{dtypes.from_numpy(q.dtype).name}"
        )
    return q


@kernel("aten::dequantize.self", "aten::dequantize.tensor")
def dequantize(self: Any) -> Array:
    """The reals of a quantised tensor; another tensor as float32."""
    if isinstance(self, QuantizedArray):
        return self.dequantize()
    array: Array = self
    return array.astype(np.float32, copy=False)


@kernel("aten::dequantize.tensors", "aten::dequantize.list")
def dequantize_list(tensors: Sequence[Any]) -> list[Array]:
    """The reals of each tensor."""
    return [dequantize(t) for t in tensors]


@kernel("aten::dequantize.any")
def dequantize_any(tensors: Any) -> Any:
    """The reals of every quantised tensor in a nest of lists, tuples and dicts; everything else as it is."""
    if isinstance(tensors, QuantizedArray):
        return tensors.dequantize()
    if isinstance(tensors, dict):
        return {k: dequantize_any(v) for k, v in tensors.items()}
    if isinstance(tensors, (list, tuple)):
        return type(tensors)(dequantize_any(t) for t in tensors)
    inner = getattr(tensors, "_array", None)
    return tensors.dequantize() if isinstance(inner, QuantizedArray) else tensors


@kernel("aten::int_repr")
def int_repr(self: Any) -> Array:
    """A copy of the integers."""
    return need_quantized(self, "aten::int_repr").ints.copy()


def _per_tensor(self: Any, op: str) -> QuantizedArray:
    q = need_quantized(self, op)
    if q.axis is not None:
        raise RuntimeError("Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.")
    return q


def _per_channel(self: Any, op: str) -> QuantizedArray:
    q = need_quantized(self, op)
    if q.axis is None:
        raise RuntimeError("Expected quantizer->qscheme() == kPerChannelAffine to be true, but got false.")
    return q


@kernel("aten::q_scale")
def q_scale(self: Any) -> float:
    """The scale. Raises RuntimeError where there is one per channel."""
    return float(_per_tensor(self, "aten::q_scale").scale)


@kernel("aten::q_zero_point")
def q_zero_point(self: Any) -> int:
    """The zero point. Raises RuntimeError where there is one per channel."""
    return int(_per_tensor(self, "aten::q_zero_point").zero_point)


@kernel("aten::q_per_channel_scales")
def q_per_channel_scales(self: Any) -> Array:
    """The scales of the channels."""
    return np.array(_per_channel(self, "aten::q_per_channel_scales").scale)


@kernel("aten::q_per_channel_zero_points")
def q_per_channel_zero_points(self: Any) -> Array:
    """The zero points of the channels."""
    return np.array(_per_channel(self, "aten::q_per_channel_zero_points").zero_point)


@kernel("aten::q_per_channel_axis")
def q_per_channel_axis(self: Any) -> int:
    """The axis of the channels."""
    axis = _per_channel(self, "aten::q_per_channel_axis").axis
    assert axis is not None
    return axis


@kernel("aten::qscheme")
def qscheme(self: Any) -> int:
    """Code of the quantisation scheme."""
    return SCHEMES[need_quantized(self, "aten::qscheme").scheme]


# archives


def unpack_bits(storage: Array, bits: int, count: int) -> Array:
    """The first `count` elements of `bits` bits each, lowest bits first."""
    per = 8 // bits
    shifts = np.arange(per, dtype=np.uint8) * np.uint8(bits)
    spread = (storage.reshape(-1, 1) >> shifts) & np.uint8((1 << bits) - 1)
    made: Array = spread.reshape(-1)[:count]
    return made


def pack_bits(ints: Array, bits: int) -> Array:
    """Elements of `bits` bits as bytes, lowest bits first (the inverse of `unpack_bits`)."""
    per = 8 // bits
    flat = ints.reshape(-1).astype(np.uint8)
    rows: Array = np.concatenate([flat, np.zeros_like(flat, shape=(-flat.size % per,))]).reshape(-1, per)
    packed: Array = np.bitwise_or.reduce(rows << (np.arange(per, dtype=np.uint8) * np.uint8(bits)), axis=1)
    return packed


_BITS = {QUINT4X2: 4, QUINT2X4: 2}


def from_archive(data: Any) -> QuantizedArray:
    """The quantised array of an archive's record of a tensor (`storage`, `sizes`, `strides`, `quantizer`)."""
    code, quantizer = data.dtype.code, data.quantizer
    if code in _BITS:
        count = int(np.prod(data.sizes, dtype=np.int64))
        ints = unpack_bits(data.storage.view(np.uint8), _BITS[code], count).reshape(data.sizes)
    else:
        ints = data.array.view(dtypes.numpy_of(code))
    if quantizer.axis is None:
        return QuantizedArray(ints, quantizer.scale, quantizer.zero_point, code)
    real = quantizer.scheme == "per_channel_affine_float_qparams"
    scale = np.asarray(quantizer.scale, np.float32 if real else np.float64)
    zero = np.asarray(quantizer.zero_point, np.float32 if real else np.int64)
    return QuantizedArray(ints, scale, zero, code, quantizer.axis)


def archive_ints(q: QuantizedArray) -> Array:
    """The integers as an archive stores them: several to a byte for sub-byte types."""
    return pack_bits(q.ints, _BITS[q.dtype_code]) if q.dtype_code in _BITS else q.ints


# fake quantisation


def _fake(x: Array, scale: Any, zero_point: Any, low: int, high: int) -> tuple[Array, Array]:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")
    y = wide(x)
    real = y.dtype.type
    scale = np.asarray(scale, np.float32).astype(y.dtype)
    inverse = (np.float32(1) / scale.astype(np.float32)).astype(y.dtype)
    zero = np.asarray(zero_point).astype(y.dtype)
    with np.errstate(invalid="ignore"):
        q = np.rint(y * inverse + zero) if np.asarray(zero_point).dtype.kind == "f" else np.rint(y * inverse) + zero
    q = np.where(np.isnan(q), real(-(2.0**63)), q)  # NaN counts as far below
    mask = (q >= low) & (q <= high)
    kept = np.clip(q, low, high) - zero
    if not scale.ndim:  # one scale is a float32 number, and so is the product
        kept, scale = kept.astype(np.float32), np.float32(scale)
    return (kept * scale).astype(x.dtype, copy=False), mask


def _check_fake(self: Array, name: str) -> None:
    if not is_inexact(self.dtype):
        raise NotImplementedError(f"\"{name}\" not implemented for '{type_name(self.dtype)}'")


@kernel("aten::fake_quantize_per_tensor_affine_cachemask")
def fake_quantize_per_tensor_affine_cachemask(
    self: Array, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    """Round to the reals that quantised values could hold, and which elements were inside the range."""
    if quant_min > quant_max:
        raise RuntimeError("`quant_min` should be less than or equal to `quant_max`.")
    if not quant_min <= zero_point <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    _check_fake(self, "fake_quantize_tensor_cachemask_kernel_type_handling")
    return _fake(self, scale, zero_point, quant_min, quant_max)


@kernel("aten::fake_quantize_per_tensor_affine")
def fake_quantize_per_tensor_affine(
    self: Array, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Array:
    """Round to the reals that quantised values could hold."""
    return fake_quantize_per_tensor_affine_cachemask(self, scale, zero_point, quant_min, quant_max)[0]


@kernel("aten::fake_quantize_per_tensor_affine.tensor_qparams")
def fake_quantize_per_tensor_affine_qparams(
    self: Array, scale: Array, zero_point: Array, quant_min: int, quant_max: int
) -> Array:
    """The same with a scale and a zero point that come as tensors."""
    _check_fake(self, "fake_quantize_tensor_cachemask_kernel_type_handling")
    return _fake(self, float(scale.item()), zero_point.item(), quant_min, quant_max)[0]


@kernel("aten::fake_quantize_per_channel_affine_cachemask")
def fake_quantize_per_channel_affine_cachemask(
    self: Array, scale: Array, zero_point: Array, axis: int, quant_min: int, quant_max: int
) -> tuple[Array, Array]:
    """Round each slice of an axis to the reals that its quantised values could hold."""
    if scale.ndim != 1 or zero_point.ndim != 1:
        raise RuntimeError("scale and zero-point need to be 1-D tensors")
    if scale.size != zero_point.size:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if not 0 <= axis <= self.ndim:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    if scale.size != self.shape[axis]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    if zero_point.dtype.kind in "iu" and zero_point.size:
        if zero_point.min() < quant_min or zero_point.max() > quant_max:
            raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    _check_fake(self, "fake_quantize_channel_cachemask_cpu_type_handling")
    shape = (-1, *(1,) * (self.ndim - axis - 1))
    return _fake(self, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


@kernel("aten::fake_quantize_per_channel_affine")
def fake_quantize_per_channel_affine(
    self: Array, scale: Array, zero_point: Array, axis: int, quant_min: int, quant_max: int
) -> Array:
    """Round each slice of an axis to the reals that its quantised values could hold."""
    return fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis, quant_min, quant_max)[0]


@kernel("aten::choose_qparams_optimized")
def choose_qparams_optimized(
    input: Array, numel: int, n_bins: int, ratio: float, bit_width: int
) -> tuple[Array, Array]:  # host only
    """Upper and lower limit for quantising a row to few bits: a greedy search for the smallest error."""
    x = wide(input).reshape(-1)[:numel].astype(np.float32)
    highest = np.float32((1 << bit_width) - 1)

    def loss(low: Any, high: Any) -> float:
        low = np.float32(np.float16(low))
        span = np.float32(high) - low
        scale = np.float32(1) if span == 0 else np.float32(np.float16(span / highest))
        inverse = np.float32(1) / scale
        q = np.clip(np.rint((x - low) * inverse), 0, highest) * scale + low
        return float(np.sqrt(((x - q) ** 2).sum(dtype=np.float32)))

    low, high = x.min(), x.max()
    step = (high - low) / np.float32(n_bins)
    least = np.float32(n_bins * (1 - np.float32(ratio)))
    best, best_low, best_high = loss(low, high), low, high
    current_low, current_high, current = low, high, best
    while current_low + least * step < current_high:
        first, second = loss(current_low + step, current_high), loss(current_low, current_high - step)
        if current < first and current < second and current < best:
            best, best_low, best_high = current, current_low, current_high
        if first < second:
            current_low, current = current_low + step, first
        else:
            current_high, current = current_high - step, second
    return np.asarray([best_high], np.float32), np.asarray([best_low], np.float32)


from linstock.backends.array import quantized_nn, quantized_packed  # noqa: E402, F401
from linstock.backends.array.quantized_packed import TORCHBIND  # noqa: E402, F401
