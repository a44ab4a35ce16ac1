"""Convolutions and transposed convolutions, im2col and col2im.

A convolution is one matrix product per group over unfolded patches (a view for 1x1 kernels, blocks of rows that stay
in cache otherwise); a depthwise one is a sum over kernel taps. A transposed convolution is the matrix product followed
by a scatter of the taps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.promotion import wide
from linstock.backends.array.registry import kernel
from linstock.ir import dtypes

Array = np.ndarray[Any, Any]

#: bytes of unfolded patches that one block of a convolution may hold
_BLOCK_BYTES = 1 << 22


def expand(value: int | Sequence[int], n: int, name: str, what: str = "convolution") -> tuple[int, ...]:
    """An int or a list of 1 or `n` ints as a tuple of `n`. Raises RuntimeError for another length."""
    values = (int(value),) if isinstance(value, int) else tuple(int(v) for v in value)
    if len(values) == n:
        return values
    if len(values) != 1:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {n} values to match the {what} dimensions, "
            f"but got {name}={list(values)}"
        )
    return values * n


def _sizes(values: Sequence[int]) -> str:
    return "(" + " x ".join(str(v) for v in values) + ")"


_SCALAR_NAMES = {
    0: "unsigned char", 1: "signed char", 2: "short int", 3: "int", 4: "long int", 5: "c10::Half", 6: "float",
    7: "double", 9: "c10::complex<float>", 10: "c10::complex<double>", 11: "bool", 15: "c10::BFloat16",
}  # fmt: skip
_TYPE_NAMES = {
    0: "Byte", 1: "Char", 2: "Short", 3: "Int", 4: "Long", 5: "Half", 6: "Float", 7: "Double", 9: "ComplexFloat",
    10: "ComplexDouble", 11: "Bool", 15: "BFloat16",
}  # fmt: skip


def type_name(dtype: np.dtype[Any]) -> str:
    """PyTorch's name of a scalar type in messages ("Float")."""
    return _TYPE_NAMES.get(dtypes.code_of(dtype), dtype.name)


def scalar_name(dtype: np.dtype[Any]) -> str:
    """PyTorch's C++ name of a scalar type in messages ("c10::Half")."""
    return _SCALAR_NAMES.get(dtypes.code_of(dtype), dtype.name)


def _check(
    x: Array, w: Array, b: Array | None, stride: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...],
    transposed: bool, output_padding: tuple[int, ...], groups: int,
) -> None:  # fmt: skip
    """Raise what PyTorch raises for shapes, types and options that do not fit together."""
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if x.ndim != w.ndim:
        raise RuntimeError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    if w.shape[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(w.shape)} instead"
        )
    if w.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            "size "
            f"[{list(w.shape)}] instead"
        )
    channels = w.shape[0] if transposed else w.shape[1] * groups
    if x.shape[1] != channels:
        raise RuntimeError(
            f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size {list(w.shape)}, expected "
            f"input{list(x.shape)} to have {channels} channels, but got {x.shape[1]} channels instead"
        )
    out = w.shape[1] * groups if transposed else w.shape[0]
    if b is not None and b.shape != (out,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {list(w.shape)}, expected bias to be "
            f"1-dimensional with {out} elements, but got bias of size {list(b.shape)} instead"
        )
    if transposed:
        if any(o >= s and o >= d for o, s, d in zip(output_padding, stride, dilation)):
            raise RuntimeError(
                "output padding must be smaller than either stride or dilation, but got output_padding="
                f"{list(output_padding)}, stride={list(stride)}, dilation={list(dilation)}"
            )
    else:
        padded = [s + 2 * p for s, p in zip(x.shape[2:], padding)]
        kernel_size = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation)]
        if any(k > p for k, p in zip(kernel_size, padded)):
            raise RuntimeError(
                f"Calculated padded input size per channel: {_sizes(padded)}. Kernel size: {_sizes(kernel_size)}. "
                "Kernel size can't be greater than actual input size"
            )
    if x.dtype != w.dtype:
        raise RuntimeError(f"expected scalar type {type_name(x.dtype)} but found {type_name(w.dtype)}")
    if b is not None and b.dtype != x.dtype:
        raise RuntimeError(
            f"Input type ({scalar_name(x.dtype)}) and bias type ({scalar_name(b.dtype)}) should be the same"
        )
    if x.dtype == np.bool_:
        raise NotImplementedError("\"slow_conv2d_cpu\" not implemented for 'Bool'")


def last(index: Iterable[Any]) -> Any:
    """An index of the last axes."""
    return (..., *index)


def pad_spatial(x: Array, before: Sequence[int], after: Sequence[int], value: Any = 0) -> Array:
    """The array with its last dimensions padded with a constant; itself where nothing is to pad."""
    if not any(before) and not any(after):
        return x
    n = len(before)
    lead = x.ndim - n
    shape = x.shape[:lead] + tuple(s + b + a for s, b, a in zip(x.shape[lead:], before, after))
    out = np.full_like(x, value, shape=shape, order="C")
    out[last(slice(b, b + s) for s, b in zip(x.shape[lead:], before))] = x
    return out


def patches(x: Array, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
    """A view (*leading, *size, *positions) of all windows over the last dimensions."""
    n = len(size)
    axes = tuple(range(x.ndim - n, x.ndim))
    window = tuple(d * (k - 1) + 1 for k, d in zip(size, dilation))
    view: Array = np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)
    view = view[last([*(slice(None, None, s) for s in stride), *(slice(None, None, d) for d in dilation)])]
    lead = tuple(range(x.ndim - n))
    return view.transpose(*lead, *(a + n for a in axes), *axes)


def _taps(x: Array, w: Array, stride: Sequence[int], dilation: Sequence[int], groups: int, out: Sequence[int]) -> Array:
    """Depthwise convolution: a sum over kernel taps of shifted inputs times per-channel weights."""
    n, size = len(out), w.shape[2:]
    multiplier = w.shape[0] // groups
    weight = w.reshape(groups, multiplier, *size)
    source = x if multiplier == 1 else x[:, :, None]
    lead = (x.shape[0], groups) if multiplier == 1 else (x.shape[0], groups, multiplier)
    total = np.empty_like(x, shape=(*lead, *out))
    scratch = np.empty_like(total)
    for i, tap in enumerate(np.ndindex(*size)):
        at = last(slice(t * d, t * d + s * (o - 1) + 1, s) for t, d, s, o in zip(tap, dilation, stride, out))
        view = source[at]
        factor = weight[(slice(None), slice(None), *tap)]
        factor = factor.reshape((groups,) if multiplier == 1 else (groups, multiplier)).reshape(lead[1:] + (1,) * n)
        if i == 0:
            np.multiply(view, factor, out=total)
        else:
            total += np.multiply(view, factor, out=scratch)
    return total.reshape(x.shape[0], w.shape[0], *out)


def convolve(
    x: Array,
    w: Array,
    stride: Sequence[int],
    before: Sequence[int],
    after: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Array:
    """Cross-correlation of (N, C, *S) with (O, C / groups, *K) in the arrays' own type, padding given per side."""
    size, batch, outputs = w.shape[2:], x.shape[0], w.shape[0]
    out = tuple(
        (s + b + a - d * (k - 1) - 1) // t + 1
        for s, b, a, d, k, t in zip(x.shape[2:], before, after, dilation, size, stride)
    )
    if 0 in (batch, outputs, *out, x.shape[1]):
        return np.zeros_like(x, shape=(batch, outputs, *out))
    x = pad_spatial(x, before, after)
    per_group = w.shape[1]
    if per_group == 1 and groups > 1 and math.prod(size) <= 128:
        return _taps(x, w, stride, dilation, groups, out)
    kernel_elements = math.prod(size)
    weight = w.reshape(groups, outputs // groups, per_group * kernel_elements)
    if kernel_elements == 1:
        if any(s != 1 for s in stride):
            x = x[last(slice(None, None, s) for s in stride)]
        flat = x.reshape(batch, groups, per_group, -1)
        if groups == 1:
            weight, flat = weight[0], flat[:, 0]
        product: Array = np.matmul(weight, flat).reshape(batch, outputs, *out)
        return product
    view = patches(x, size, stride, dilation)
    n = len(out)
    row_bytes = x.shape[1] * kernel_elements * math.prod(out[1:]) * x.dtype.itemsize
    if batch * row_bytes * out[0] <= _BLOCK_BYTES:
        return _product(weight, view, groups, per_group).reshape(batch, outputs, *out)
    rows = max(1, _BLOCK_BYTES // row_bytes)
    if n == 1:
        rows = max(rows, 256)
    result = np.empty_like(x, shape=(batch, outputs, *out))
    at = view.ndim - n
    for i in range(batch):  # each turn is one large product
        for start in range(0, out[0], rows):
            block = view[(slice(i, i + 1), *(slice(None),) * (at - 1), slice(start, start + rows))]
            part = _product(weight, block, groups, per_group)
            result[i, :, start : start + rows] = part.reshape(outputs, -1, *out[1:])
    return result


def _product(weight: Array, view: Array, groups: int, per_group: int) -> Array:
    columns = view.reshape(view.shape[0], groups, weight.shape[2], -1)
    made: Array = np.matmul(weight[0], columns[:, 0]) if groups == 1 else np.matmul(weight, columns)
    return made


def fold_add(
    columns: Array, size: Sequence[int], buffer: Array, stride: Sequence[int], dilation: Sequence[int]
) -> Array:
    """Add (*lead, *size, *positions) into a buffer (*lead, *S) at stride * position + dilation * tap."""
    n = len(size)
    positions = columns.shape[columns.ndim - n :]
    lead = columns.ndim - 2 * n
    if n == 1 and stride[0] < size[0] and size[0] > 32 and dilation[0] == 1:
        return _fold_long(columns, buffer, stride[0])
    for tap in np.ndindex(*size):
        at = last(slice(t * d, t * d + s * (p - 1) + 1, s) for t, d, s, p in zip(tap, dilation, stride, positions))
        target = buffer[at]
        target += columns[(*(slice(None),) * lead, *tap)]
    return buffer


def _fold_long(columns: Array, buffer: Array, stride: int) -> Array:
    """The same for a long 1-dimensional kernel: whole strides are added at once."""
    size, positions = columns.shape[-2:]
    lead = buffer.shape[:-1]
    steps = -(-size // stride)
    length = (positions + steps - 1) * stride
    total = np.zeros_like(buffer, shape=(*lead, positions + steps - 1, stride))
    for i in range(steps):
        part = columns[..., i * stride : (i + 1) * stride, :]
        total[..., i : i + positions, : part.shape[-2]] += np.swapaxes(part, -1, -2)
    flat = total.reshape(*lead, length)
    n = min(length, buffer.shape[-1])
    buffer[..., :n] += flat[..., :n]
    return buffer


def convolve_transposed(
    x: Array, w: Array, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    output_padding: Sequence[int], groups: int,
) -> Array:  # fmt: skip
    """Transposed convolution of (N, C, *S) with (C, O / groups, *K) in the arrays' own type."""
    size, batch, channels = w.shape[2:], x.shape[0], x.shape[1]
    per_group = w.shape[1]
    out = tuple(
        (i - 1) * s - 2 * p + d * (k - 1) + o + 1
        for i, s, p, d, k, o in zip(x.shape[2:], stride, padding, dilation, size, output_padding)
    )
    if min(out) < 1 and min(x.shape[2:]) > 0:
        raise RuntimeError(
            f"Given input size per channel: {_sizes(x.shape[2:])}. Calculated output size per channel: {_sizes(out)}. "
            "Output size is too small"
        )
    if 0 in (batch, channels, *x.shape[2:]):
        return np.zeros_like(x, shape=(batch, per_group * groups, *(max(o, 0) for o in out)))
    weight = w.reshape(groups, channels // groups, -1)
    columns = np.matmul(weight.swapaxes(1, 2), x.reshape(batch, groups, channels // groups, -1))
    columns = columns.reshape(batch, groups * per_group, *size, *x.shape[2:])
    full = tuple(o + 2 * p for o, p in zip(out, padding))
    buffer = fold_add(columns, size, np.zeros_like(x, shape=(batch, groups * per_group, *full)), stride, dilation)
    crop = buffer[last(slice(p, p + o) for p, o in zip(padding, out))]
    return crop if crop.shape == buffer.shape else np.ascontiguousarray(crop)


def _add_bias(y: Array, b: Array | None) -> Array:
    if b is not None:
        y += wide(b).reshape(-1, *(1,) * (y.ndim - 2))
    return y


@kernel("aten::convolution")
def convolution(
    input: Array, weight: Array, bias: Array | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Array:  # fmt: skip
    """Convolution of a batched input, of any number of spatial dimensions."""
    n = weight.ndim - 2
    if n <= 0:
        raise RuntimeError("weight should have at least three dimensions")
    s, p = expand(stride, n, "stride"), expand(padding, n, "padding")
    d, o = expand(dilation, n, "dilation"), expand(output_padding, n, "output_padding")
    _check(input, weight, bias, s, p, d, transposed, o, groups)
    x, w = wide(input), wide(weight)
    y = convolve_transposed(x, w, s, p, d, o, groups) if transposed else convolve(x, w, s, p, p, d, groups)
    return _add_bias(y, bias).astype(input.dtype, copy=False)


@kernel("aten::_convolution", "aten::_convolution.deprecated")
def _convolution(
    input: Array, weight: Array, bias: Array | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int, *_: Any,
) -> Array:  # fmt: skip
    """`convolution` with the flags of other backends, which change nothing here."""
    return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def _batched(input: Array, n: int, name: str) -> tuple[Array, bool]:
    """The input with a batch dimension, and whether it had none. Raises RuntimeError for another rank."""
    if input.ndim == n + 1:
        return input[None], True
    if input.ndim != n + 2:
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input.shape)}"
        )
    return input, False


@kernel("aten::_convolution_mode")
def _convolution_mode(
    input: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: str,
    dilation: Sequence[int],
    groups: int,
) -> Array:
    """Convolution with padding "valid" or "same". Raises RuntimeError for another name or a strided "same"."""
    n = weight.ndim - 2
    if padding == "valid":
        return convolution(input, weight, bias, stride, [0] * n, dilation, False, [0] * n, groups)
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if input.ndim != weight.ndim:
        raise RuntimeError(
            f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight{list(weight.shape)}, but "
            "got "
            f"{input.ndim}-dimensional input of size {list(input.shape)} instead"
        )
    s, d = expand(stride, n, "stride"), expand(dilation, n, "dilation")
    if any(v != 1 for v in s):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [v * (k - 1) for v, k in zip(d, weight.shape[2:])]
    left = [t // 2 for t in total]
    if any(t % 2 for t in total):  # the odd element goes to the far side
        input = pad_spatial(input, [0] * n, [t - 2 * b for t, b in zip(total, left)])
    return convolution(input, weight, bias, s, left, d, False, [0] * n, groups)


def _forward(n: int) -> Any:
    name = f"conv{n}d"

    def conv(
        input: Array, weight: Array, bias: Array | None = None, stride: Sequence[int] = (1,),
        padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,), groups: int = 1,
    ) -> Array:  # fmt: skip
        x, unbatched = _batched(input, n, name)
        s, p, d = expand(stride, n, "stride"), expand(padding, n, "padding"), expand(dilation, n, "dilation")
        y = convolution(x, weight, bias, s, p, d, False, [0] * n, groups)
        return y[0] if unbatched else y

    def conv_padding(
        input: Array, weight: Array, bias: Array | None = None, stride: Sequence[int] = (1,), padding: str = "valid",
        dilation: Sequence[int] = (1,), groups: int = 1,
    ) -> Array:  # fmt: skip
        x, unbatched = _batched(input, n, name)
        y = _convolution_mode(x, weight, bias, stride, padding, dilation, groups)
        return y[0] if unbatched else y

    conv.__doc__ = f"{n}-dimensional convolution of a batched or unbatched input."
    conv_padding.__doc__ = f'{n}-dimensional convolution with padding "same" or "valid".'
    kernel(f"aten::{name}.padding")(conv_padding)
    return kernel(f"aten::{name}")(conv)


def _transposed(n: int) -> Any:
    name = f"conv_transpose{n}d"

    def conv(
        input: Array, weight: Array, bias: Array | None = None, stride: Sequence[int] = (1,),
        padding: Sequence[int] = (0,), output_padding: Sequence[int] = (0,), groups: int = 1,
        dilation: Sequence[int] = (1,),
    ) -> Array:  # fmt: skip
        x, unbatched = _batched(input, n, name)
        s, p, d = expand(stride, n, "stride"), expand(padding, n, "padding"), expand(dilation, n, "dilation")
        y = convolution(x, weight, bias, s, p, d, True, expand(output_padding, n, "output_padding"), groups)
        return y[0] if unbatched else y

    conv.__doc__ = f"{n}-dimensional transposed convolution of a batched or unbatched input."
    return kernel(f"aten::{name}" if n == 1 else f"aten::{name}.input")(conv)


conv1d, conv2d, conv3d = _forward(1), _forward(2), _forward(3)
conv_transpose1d, conv_transpose2d, conv_transpose3d = _transposed(1), _transposed(2), _transposed(3)


@kernel("aten::conv_tbc")
def conv_tbc(self: Array, weight: Array, bias: Array, pad: int = 0) -> Array:
    """1-dimensional convolution of (time, batch, channels) with weights (taps, in, out)."""
    y = convolution(self.transpose(1, 2, 0), weight.transpose(2, 1, 0), bias, [1], [pad], [1], False, [0], 1)
    return np.ascontiguousarray(y.transpose(2, 0, 1))


def _named_size(self: Array, weight: Array, kernel_size: Sequence[int], n: int) -> tuple[Array, bool]:
    size = expand(kernel_size, n, "kernel_size")
    if weight.ndim == n + 2 and weight.shape[2:] != size:
        raise RuntimeError(f"kernel size {list(size)} does not match weight of size {list(weight.shape)}")
    return _batched(self, n, f"conv{n}d")


def _sized(n: int, transposed: bool = False, depthwise: bool = False) -> Any:
    """The low-level convolutions, which get the kernel size as an argument."""
    one, none = [1] * n, [0] * n

    def conv(
        self: Array, weight: Array, kernel_size: Sequence[int], bias: Array | None = None, stride: Sequence[int] = one,
        padding: Sequence[int] = none, dilation: Sequence[int] = one,
    ) -> Array:  # fmt: skip
        x, unbatched = _named_size(self, weight, kernel_size, n)
        groups = x.shape[1] if depthwise else 1
        if weight.ndim == 2:  # a flattened weight
            weight = weight.reshape(weight.shape[0], -1, *expand(kernel_size, n, "kernel_size"))
        y = convolution(x, weight, bias, stride, padding, dilation, False, none, groups)
        return y[0] if unbatched else y

    def conv_transposed(
        self: Array, weight: Array, kernel_size: Sequence[int], bias: Array | None = None, stride: Sequence[int] = one,
        padding: Sequence[int] = none, output_padding: Sequence[int] = none, dilation: Sequence[int] = one,
    ) -> Array:  # fmt: skip
        x, unbatched = _named_size(self, weight, kernel_size, n)
        y = convolution(x, weight, bias, stride, padding, dilation, True, output_padding, 1)
        return y[0] if unbatched else y

    return conv_transposed if transposed else conv


_plain2, _plain3 = _sized(2), _sized(3)
kernel("aten::thnn_conv2d", "aten::slow_conv_dilated2d")(_plain2)
kernel("aten::slow_conv3d", "aten::slow_conv3d_forward", "aten::slow_conv_dilated3d")(_plain3)
kernel("aten::_conv_depthwise2d")(_sized(2, depthwise=True))
kernel("aten::conv_depthwise3d")(_sized(3, depthwise=True))
kernel("aten::slow_conv_transpose2d")(_sized(2, transposed=True))
kernel("aten::slow_conv_transpose3d")(_sized(3, transposed=True))


@kernel("aten::_nnpack_spatial_convolution")
def _nnpack_spatial_convolution(
    input: Array, weight: Array, bias: Array | None, padding: Sequence[int], stride: Sequence[int] = (1, 1)
) -> Array:
    """2-dimensional convolution."""
    return convolution(input, weight, bias, stride, padding, [1, 1], False, [0, 0], 1)


def _text(values: Sequence[int]) -> str:
    return "(" + ", ".join(str(v) for v in values) + ")"


@kernel("aten::im2col")
def im2col(
    self: Array, kernel_size: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]
) -> Array:
    """Sliding blocks (N, C * kh * kw, positions) of (N, C, H, W); the batch may be missing."""
    k, d = expand(kernel_size, 2, "kernel_size"), expand(dilation, 2, "dilation")
    p, s = expand(padding, 2, "padding"), expand(stride, 2, "stride")
    if min(k) <= 0:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kernel_height: {k[0]} kernel_width: {k[1]}"
        )
    if min(d) <= 0:
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilation_height: {d[0]} dilation_width: {d[1]}"
        )
    if min(p) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {p[0]} pad_width: {p[1]}")
    if min(s) <= 0:
        raise RuntimeError(f"stride should be greater than zero, but got stride_height: {s[0]} stride_width: {s[1]}")
    valid = self.ndim in (3, 4) and 0 not in self.shape[1 if self.ndim == 4 else 0 :]
    if not valid:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(self.shape)}"
        )
    x = self if self.ndim == 4 else self[None]
    out = [(x.shape[2 + i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in (0, 1)]
    if min(out) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_text(x.shape[2:])}, kernel_size={_text(k)}, dilation={_text(d)}, "
            f"padding={_text(p)}, calculated shape of the array of sliding blocks as {_text(out)}, but its "
            "components must "
            "be at least one."
        )
    view = patches(pad_spatial(x, p, p), k, s, d)
    y = np.ascontiguousarray(view).reshape(x.shape[0], x.shape[1] * k[0] * k[1], out[0] * out[1])
    return y if self.ndim == 4 else y[0]


@kernel("aten::col2im")
def col2im(
    self: Array, output_size: Sequence[int], kernel_size: Sequence[int], dilation: Sequence[int],
    padding: Sequence[int], stride: Sequence[int],
) -> Array:  # fmt: skip
    """The sum of sliding blocks back into an image: the transpose of `im2col`."""
    o, k, d = (
        expand(output_size, 2, "output_size"),
        expand(kernel_size, 2, "kernel_size"),
        expand(dilation, 2, "dilation"),
    )
    p, s = expand(padding, 2, "padding"), expand(stride, 2, "stride")
    if min(k) <= 0:
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kernel_height: {k[0]} kernel_width: {k[1]}"
        )
    if min(s) <= 0:
        raise RuntimeError(f"stride should be greater than zero, but got stride_height: {s[0]} stride_width: {s[1]}")
    if min(d) <= 0:
        raise RuntimeError(
            f"dilation should be greater than zero, but got dilation_height: {d[0]} dilation_width: {d[1]}"
        )
    if min(p) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {p[0]} pad_width: {p[1]}")
    if self.ndim not in (2, 3) or 0 in self.shape[self.ndim - 2 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            "input, "
            f"but got: {list(self.shape)}"
        )
    x = self if self.ndim == 3 else self[None]
    at = self.ndim - 2
    if x.shape[1] % (k[0] * k[1]):
        raise RuntimeError(
            f"Expected size of input's dimension {at} to be divisible by the product of kernel_size, but got "
            f"input.size({at})={x.shape[1]} and kernel_size={_text(k)}."
        )
    blocks = [(o[i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in (0, 1)]
    if x.shape[2] != blocks[0] * blocks[1]:
        raise RuntimeError(
            f"Given output_size={_text(o)}, kernel_size={_text(k)}, dilation={_text(d)}, padding={_text(p)}, "
            f"stride={_text(s)}"
            f", expected size of input's dimension {at + 1} to match the calculated number of sliding blocks "
            f"{blocks[0]} * {blocks[1]} = {blocks[0] * blocks[1]}, but got input.size({at + 1})={x.shape[2]}."
        )
    channels = x.shape[1] // (k[0] * k[1])
    columns = wide(x).reshape(x.shape[0], channels, *k, *blocks)
    buffer = np.zeros_like(columns, shape=(x.shape[0], channels, o[0] + 2 * p[0], o[1] + 2 * p[1]))
    fold_add(columns, k, buffer, s, d)
    y = np.ascontiguousarray(buffer[:, :, p[0] : p[0] + o[0], p[1] : p[1] + o[1]]).astype(self.dtype, copy=False)
    return y if self.ndim == 3 else y[0]
