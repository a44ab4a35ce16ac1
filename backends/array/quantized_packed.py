"""Packed weights and the quantised products with them: linear layers, convolutions, recurrent cells.

The integer products are computed as floating-point ones that are exact: float32 where no partial sum can leave its 24
bits, float64 otherwise. Packed parameters are the TorchBind objects of archives; `TORCHBIND` maps their class names to
functions from and to the state that an archive holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.array.conv import Array, convolve, convolve_transposed
from linstock.backends.array.quantized import (
    QINT8,
    QUINT4X2,
    QUINT8,
    QuantizedArray,
    choose_for,
    need_quantized,
    quantize,
    rounded,
)  # fmt: skip
from linstock.backends.array.registry import kernel
from linstock.backends.array.rnn import State, Step, gru_step, lstm_step, plain_step, run_stack

_EXACT = float(1 << 24)


class _Packed:
    """A quantised weight with a bias, and what products with it need, prepared once."""

    torchbind_name = ""
    __slots__ = ("_centred", "_scale", "_sum", "bias", "weight")

    def __init__(self, weight: Any, bias: Array | None) -> None:
        self.weight, self.bias = weight, bias
        self._centred: Array | None = None
        self._scale: Any = None
        self._sum = 0.0

    def prepare(self, outputs: int) -> tuple[Array, Any]:
        """(weight minus zero points as float32, its scale(s) in float32), the outputs being on axis `outputs`."""
        if self._centred is None:
            q = self.weight
            self._centred = q.centred()
            self._scale = np.float32(q.scale)
            others = tuple(i for i in range(q.ndim) if i != outputs)
            self._sum = float(np.abs(self._centred).sum(axis=others, dtype=np.float64).max(initial=0))
        return self._centred, self._scale

    def operands(self, x: Array, outputs: int) -> tuple[Array, Array, Any]:
        """Input and weight in a type in which their product is exact, and the weight's scale(s)."""
        w, scale = self.prepare(outputs)
        largest = float(np.abs(x).max(initial=0))
        if largest * self._sum >= _EXACT:
            return x.astype(np.float64), w.astype(np.float64), scale
        return x, w, scale


class LinearPackedParams(_Packed):
    """The weight of a quantised linear layer: quantised, or float16 values kept as float32."""

    torchbind_name = "__torch__.torch.classes.quantized.LinearPackedParamsBase"
    __slots__ = ()


class ConvPackedParams(_Packed):
    """The weight of a quantised convolution with its options. One-dimensional ones are kept with a height of 1."""

    __slots__ = ("dilation", "groups", "output_padding", "padding", "stride", "transpose")

    def __init__(
        self, weight: QuantizedArray, bias: Array | None, stride: Sequence[int], padding: Sequence[int],
        output_padding: Sequence[int], dilation: Sequence[int], groups: int, transpose: bool,
    ) -> None:  # fmt: skip
        super().__init__(weight, bias)
        self.stride, self.padding, self.dilation = tuple(stride), tuple(padding), tuple(dilation)
        self.output_padding, self.groups, self.transpose = tuple(output_padding), groups, transpose


class Conv2dPackedParams(ConvPackedParams):
    """A packed one- or two-dimensional convolution."""

    torchbind_name = "__torch__.torch.classes.quantized.Conv2dPackedParamsBase"
    __slots__ = ()


class Conv3dPackedParams(ConvPackedParams):
    """A packed three-dimensional convolution."""

    torchbind_name = "__torch__.torch.classes.quantized.Conv3dPackedParamsBase"
    __slots__ = ()


class EmbeddingPackedParams:
    """An embedding table, quantised per row."""

    torchbind_name = "__torch__.torch.classes.quantized.EmbeddingPackedParamsBase"
    __slots__ = ("weight",)

    def __init__(self, weight: QuantizedArray) -> None:
        self.weight = weight

    @property
    def bit_rate(self) -> int:
        """Bits of one element."""
        return 4 if self.weight.dtype_code == QUINT4X2 else 8


class CellParams:
    """Weights of one direction of one recurrent layer; `kind` is quantized_dynamic, quantized_fp16 or quantized."""

    torchbind_name = "__torch__.torch.classes.rnn.CellParamsBase"
    __slots__ = ("extra", "hh", "ih", "kind", "reduce_range")

    def __init__(
        self, kind: str, ih: LinearPackedParams, hh: LinearPackedParams, reduce_range: bool = False, extra: Any = None
    ) -> None:
        self.kind, self.ih, self.hh, self.reduce_range, self.extra = kind, ih, hh, reduce_range, extra

    def linear_ih(self, x: Array) -> Array:
        """The input part of the gates."""
        return self._product(x, self.ih)

    def linear_hh(self, h: Array) -> Array:
        """The recurrent part of the gates."""
        return self._product(h, self.hh)

    def _product(self, x: Array, packed: LinearPackedParams) -> Array:
        if self.kind == "quantized_fp16":
            return linear_dynamic_fp16(x, packed)
        return linear_dynamic(x, packed, self.reduce_range)


# linear


def _need_packed(value: Any, kind: type[Any], op: str) -> Any:
    if not isinstance(value, kind):
        raise RuntimeError(f"{op}: expected packed parameters, got {type(value).__name__}")
    return value


def _check_bias(bias: Array | None, outputs: int) -> None:
    if bias is None:
        return
    if bias.ndim != 1:
        raise RuntimeError("bias should be a vector (1D Tensor)")
    if bias.shape[0] != outputs:
        raise RuntimeError(f"bias should have N elements: {outputs}")


@kernel("quantized::linear_prepack", "quantized::linear_prepack_legacy")
def linear_prepack(W: Any, B: Array | None = None) -> LinearPackedParams:
    """Pack a quantised (outputs, inputs) weight."""
    weight = need_quantized(W, "quantized::linear_prepack")
    if weight.ndim != 2:
        raise RuntimeError("The weight tensor for quantized::linear_prepack should be 2-dimensional.")
    _check_bias(B, weight.shape[0])
    return LinearPackedParams(weight, B)


@kernel("quantized::linear_prepack_fp16", "quantized::linear_prepack_fp16_legacy")
def linear_prepack_fp16(W: Array, B: Array | None = None) -> LinearPackedParams:
    """Pack a weight rounded to float16 (values beyond its range become its limits)."""
    _check_bias(B, W.shape[0])
    top = np.float32(65504)
    return LinearPackedParams(np.clip(W, -top, top).astype(np.float16).astype(np.float32), B)


@kernel(
    "quantized::linear_unpack", "quantized::linear_unpack.legacy", "quantized::linear_unpack_fp16",
    "quantized::linear_unpack_fp16.legacy",
)  # fmt: skip
def linear_unpack(W_prepack: Any) -> tuple[Any, Array | None]:
    """Weight and bias."""
    packed = _need_packed(W_prepack, LinearPackedParams, "quantized::linear_unpack")
    return packed.weight, packed.bias


def _linear_float(x: Array, input_scale: float, packed: LinearPackedParams) -> Array:
    """The real result for centred integers `x`."""
    if x.shape[-1] != packed.weight.shape[1]:
        raise RuntimeError(
            "The number of columns in the input tensor should match the weight's: "
            f"expected {packed.weight.shape[1]}, got {x.shape[-1]}"
        )
    a, w, scale = packed.operands(x, 0)
    y = np.matmul(a, w.T) * (np.float32(input_scale) * scale)
    if packed.bias is not None:
        y += packed.bias
    return np.asarray(y)


def _requantized(y: Array, scale: float, zero_point: int, code: int) -> QuantizedArray:
    """Reals as quantised values, the quotient being rounded to float32 first."""
    return QuantizedArray(rounded(np.rint((y / scale).astype(np.float32)), zero_point, code), scale, zero_point, code)


def _linear(
    X: Any, packed: Any, scale: float, zero_point: int, op: str, after: Callable[[Array], Array] | None = None
) -> QuantizedArray:
    q = need_quantized(X, op)
    y = _linear_float(q.centred(), q.scale, _need_packed(packed, LinearPackedParams, op))
    return _requantized(y if after is None else after(y), scale, zero_point, q.dtype_code)


def relu(y: Array) -> Array:
    """Positive part."""
    made: Array = np.maximum(y, y.dtype.type(0))
    return made


@kernel("quantized::linear")
def linear(X: Any, W_prepack: Any, Y_scale_i: float, Y_zero_point_i: int) -> QuantizedArray:
    """Quantised linear layer over quantised input."""
    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, "quantized::linear")


@kernel("quantized::linear_relu")
def linear_relu(X: Any, W_prepack: Any, Y_scale_i: float, Y_zero_point_i: int) -> QuantizedArray:
    """Quantised linear layer, then ReLU."""
    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, "quantized::linear_relu", relu)


@kernel("quantized::linear_leaky_relu")
def linear_leaky_relu(
    X: Any, W_prepack: Any, Y_scale_i: float, Y_zero_point_i: int, negative_slope: float
) -> QuantizedArray:
    """Quantised linear layer, then leaky ReLU."""

    def leaky(y: Array) -> Array:
        return np.where(y > 0, y, y * y.dtype.type(negative_slope))

    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, "quantized::linear_leaky_relu", leaky)


@kernel("quantized::linear_tanh")
def linear_tanh(X: Any, W_prepack: Any, Y_scale_i: float, Y_zero_point_i: int) -> QuantizedArray:
    """Quantised linear layer, then tanh."""
    return _linear(X, W_prepack, Y_scale_i, Y_zero_point_i, "quantized::linear_tanh", np.tanh)


@kernel("quantized::linear_dynamic")
def linear_dynamic(X: Array, W_prepack: Any, reduce_range: bool = False) -> Array:
    """Linear layer over reals that are quantised on the fly; real result."""
    packed = _need_packed(W_prepack, LinearPackedParams, "quantized::linear_dynamic")
    scale, zero = choose_for(X, QUINT8, reduce_range)
    q = quantize(X, scale, zero, QUINT8)
    return _linear_float(q.centred(), q.scale, packed).astype(np.float32, copy=False)


@kernel("quantized::linear_relu_dynamic")
def linear_relu_dynamic(X: Array, W_prepack: Any, reduce_range: bool = False) -> Array:
    """`linear_dynamic`, then ReLU."""
    return relu(linear_dynamic(X, W_prepack, reduce_range))


@kernel("quantized::linear_dynamic_fp16")
def linear_dynamic_fp16(X: Array, W_prepack: Any) -> Array:
    """Linear layer with a float16 weight."""
    packed = _need_packed(W_prepack, LinearPackedParams, "quantized::linear_dynamic_fp16")
    y = np.matmul(X, packed.weight.T)
    if packed.bias is not None:
        y += packed.bias
    return np.asarray(y)


@kernel("quantized::linear_relu_dynamic_fp16")
def linear_relu_dynamic_fp16(X: Array, W_prepack: Any) -> Array:
    """Linear layer with a float16 weight, then ReLU."""
    return relu(linear_dynamic_fp16(X, W_prepack))


@kernel("quantized::linear_dynamic_fp16_unpacked_weight")
def linear_dynamic_fp16_unpacked_weight(X: Array, weight: Array, bias: Array | None) -> Array:
    """Linear layer with a weight that is rounded to float16 first."""
    return linear_dynamic_fp16(X, linear_prepack_fp16(weight, bias))


@kernel("quantized::linear_with_input_q_dq_qweight_dq_output_fp32")
def linear_with_input_q_dq_qweight_dq_output_fp32(X: Array, X_scale: float, X_zero_point: int, W_prepack: Any) -> Array:
    """Linear layer over reals that are quantised with a given scale; real result."""
    packed = _need_packed(W_prepack, LinearPackedParams, "quantized::linear")
    q = quantize(X, X_scale, X_zero_point, QUINT8)
    return _linear_float(q.centred(), q.scale, packed).astype(np.float32, copy=False)


@kernel("quantized::linear_with_input_q_dq_qweight_dq_relu_output_fp32")
def linear_with_input_q_dq_qweight_dq_relu_output_fp32(
    X: Array, X_scale: float, X_zero_point: int, W_prepack: Any
) -> Array:
    """The same, then ReLU."""
    return relu(linear_with_input_q_dq_qweight_dq_output_fp32(X, X_scale, X_zero_point, W_prepack))


# convolutions


def _pack_conv(
    weight: Any, bias: Array | None, stride: Sequence[int], padding: Sequence[int], output_padding: Sequence[int],
    dilation: Sequence[int], groups: int, transpose: bool, n: int, kind: type[ConvPackedParams],
) -> ConvPackedParams:  # fmt: skip
    op = f"quantized::conv{'_transpose' if transpose else ''}{n}d_prepack"
    q = need_quantized(weight, op)
    if q.ndim != n + 2:
        raise RuntimeError(f"Weights are expected to have {n + 2} dimensions")
    for name, v in (
        ("stride", stride),
        ("padding", padding),
        ("output_padding", output_padding),
        ("dilation", dilation),
    ):
        if len(v) != n:
            raise RuntimeError(f"{name} should contain {n} elements for {n}D convolution.")
    outputs = q.shape[1] * groups if transpose else q.shape[0]
    if bias is not None and bias.shape != (outputs,):
        raise RuntimeError(f"bias should have K elements: {outputs}")
    if n == 1:
        axis = q.axis if q.axis is None or q.axis < 2 else q.axis + 1
        q = q.like(np.expand_dims(q.ints, 2), axis)
        stride, padding, dilation = [1, *stride], [0, *padding], [1, *dilation]
        output_padding = [0, *output_padding]
    return kind(q, bias, stride, padding, output_padding, dilation, groups, transpose)


def _conv_float(x: Array, input_scale: float, packed: ConvPackedParams, n: int) -> Array:
    """The real result (N, C, *S) for centred integers."""
    unbatched = x.ndim == n + 1
    x = x[None] if unbatched else x
    if x.ndim != n + 2:
        raise RuntimeError(f"Expected activation tensor to have {n + 2} dimensions, got {x.ndim}")
    kept = n
    if n == 1:
        x, n = np.expand_dims(x, 2), 2
    axis = 1 if packed.transpose else 0
    a, w, scale = packed.operands(x, axis)
    channels = w.shape[0] if packed.transpose else w.shape[1] * packed.groups
    if x.shape[1] != channels:
        raise RuntimeError(
            f"[QConv{n}D] Given groups={packed.groups}, weight of size {list(w.shape)}, expected input to have "
            f"{channels} channels, "
            f"but got {x.shape[1]} channels instead"
        )
    if packed.transpose:
        y = convolve_transposed(
            a, w, packed.stride, packed.padding, packed.dilation, packed.output_padding, packed.groups
        )
    else:
        y = convolve(a, w, packed.stride, packed.padding, packed.padding, packed.dilation, packed.groups)
    factor = np.float32(input_scale) * scale
    if factor.ndim:
        repeats = y.shape[1] // factor.size  # scales of a grouped transposed weight are per output of a group
        factor = np.tile(factor, repeats).reshape(-1, *(1,) * n)
    y = y * factor
    if packed.bias is not None:
        y += packed.bias.reshape(-1, *(1,) * n)
    if kept == 1:
        y = y[:, :, 0]
    return np.asarray(y[0] if unbatched else y)


def _conv(
    qx: Any, packed: Any, scale: float, zero_point: int, n: int, op: str, after: Callable[[Array], Array] | None = None
) -> QuantizedArray:
    q = need_quantized(qx, op)
    y = _conv_float(q.centred(), q.scale, _need_packed(packed, ConvPackedParams, op), n)
    return _requantized(y if after is None else after(y), scale, zero_point, q.dtype_code)


def _register_conv(n: int) -> None:
    kind = Conv3dPackedParams if n == 3 else Conv2dPackedParams
    none = [0] * n

    def prepack(
        weight: Any, bias: Array | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
        groups: int,
    ) -> ConvPackedParams:  # fmt: skip
        return _pack_conv(weight, bias, stride, padding, none, dilation, groups, False, n, kind)

    def prepack_transposed(
        weight: Any, bias: Array | None, stride: Sequence[int], padding: Sequence[int], output_padding: Sequence[int],
        dilation: Sequence[int], groups: int,
    ) -> ConvPackedParams:  # fmt: skip
        return _pack_conv(weight, bias, stride, padding, output_padding, dilation, groups, True, n, kind)

    def unpack(packed_weights: Any) -> tuple[Any, Array | None]:
        packed = _need_packed(packed_weights, ConvPackedParams, f"quantized::conv{n}d_unpack")
        weight = packed.weight
        if n == 1:
            axis = weight.axis if weight.axis is None or weight.axis < 2 else weight.axis - 1
            weight = weight.like(np.squeeze(weight.ints, 2), axis)
        return weight, packed.bias

    def conv(qx: Any, packed_weight: Any, output_scale: float, output_zero_point: int) -> QuantizedArray:
        return _conv(qx, packed_weight, output_scale, output_zero_point, n, f"quantized::conv{n}d")

    def conv_relu(qx: Any, packed_weight: Any, output_scale: float, output_zero_point: int) -> QuantizedArray:
        return _conv(qx, packed_weight, output_scale, output_zero_point, n, f"quantized::conv{n}d_relu", relu)

    def conv_old(
        qx: Any, weight: Any, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int,
        output_scale: float, output_zero_point: int,
    ) -> QuantizedArray:  # fmt: skip
        return conv(qx, weight, output_scale, output_zero_point)

    def conv_relu_old(
        qx: Any, weight: Any, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int], groups: int,
        output_scale: float, output_zero_point: int,
    ) -> QuantizedArray:  # fmt: skip
        return conv_relu(qx, weight, output_scale, output_zero_point)

    def dynamic(qx: Array, packed_weight: Any, reduce_range: bool = False) -> Array:
        packed = _need_packed(packed_weight, ConvPackedParams, f"quantized::conv{n}d_dynamic")
        scale, zero = choose_for(qx, QUINT8, reduce_range)
        q = quantize(qx, scale, zero, QUINT8)
        # PyTorch quantises the result as the input was, and takes the reals of that
        return _requantized(_conv_float(q.centred(), q.scale, packed, n), scale, zero, QUINT8).dequantize()

    docs = {
        prepack: "Pack a quantised convolution weight with its options.",
        prepack_transposed: "Pack the weight of a transposed convolution with its options.",
        unpack: "Weight and bias.", conv: f"Quantised {n}-dimensional convolution (transposed where it was packed so).",
        conv_relu: f"Quantised {n}-dimensional convolution, then ReLU.",
        conv_old: "The convolution; its options are those it was packed with.",
        conv_relu_old: "The convolution, then ReLU; its options are those it was packed with.",
        dynamic: "Convolution of reals that are quantised on the fly; real result.",
    }  # fmt: skip
    for function, text in docs.items():
        function.__doc__ = text
    kernel(f"quantized::conv{n}d_prepack", *(["quantized::conv_prepack"] if n == 2 else []))(prepack)
    kernel(f"quantized::conv_transpose{n}d_prepack")(prepack_transposed)
    kernel(
        f"quantized::conv{n}d_unpack",
        f"quantized::conv_transpose{n}d_unpack",
        *(["quantized::conv_unpack"] if n == 2 else []),
    )(unpack)
    kernel(f"quantized::conv{n}d" if n == 1 else f"quantized::conv{n}d.new", f"quantized::conv_transpose{n}d")(conv)
    kernel(f"quantized::conv{n}d_relu" if n == 1 else f"quantized::conv{n}d_relu.new")(conv_relu)
    if n > 1:
        kernel(f"quantized::conv{n}d")(conv_old)
        kernel(f"quantized::conv{n}d_relu")(conv_relu_old)
    kernel(f"quantized::conv{n}d_dynamic", f"quantized::conv_transpose{n}d_dynamic")(dynamic)


for _n in (1, 2, 3):
    _register_conv(_n)


def _register_options() -> None:
    def option(name: str) -> Callable[[Any], Any]:
        def read(packed_weights: Any) -> Any:
            value = getattr(_need_packed(packed_weights, ConvPackedParams, "quantized::conv"), name)
            return list(value) if isinstance(value, tuple) else int(value)

        read.__doc__ = f"The packed option `{name}`."
        return read

    for name in ("stride", "padding", "output_padding", "dilation", "groups", "transpose"):
        kernel(*(f"quantized::{op}_{name}" for op in ("conv2d", "conv3d", "conv_transpose2d", "conv_transpose3d")))(
            option(name)
        )


_register_options()


@kernel("quantized::conv2d_unpack_sizes")
def conv2d_unpack_sizes(packed_weights: Any) -> list[int]:
    """Sizes of the packed weight."""
    return list(_need_packed(packed_weights, ConvPackedParams, "quantized::conv2d_unpack_sizes").weight.shape)


@kernel("quantized::conv2d_add")
def conv2d_add(qx: Any, qaccum: Any, packed_weight: Any, output_scale: float, output_zero_point: int) -> QuantizedArray:
    """Quantised convolution plus a quantised tensor."""
    other = need_quantized(qaccum, "quantized::conv2d_add").dequantize()
    return _conv(qx, packed_weight, output_scale, output_zero_point, 2, "quantized::conv2d_add", lambda y: y + other)


# recurrent networks


@kernel("quantized::make_quantized_cell_params_dynamic")
def make_quantized_cell_params_dynamic(
    w_ih: Any, w_hh: Any, bias_ih: Array, bias_hh: Array, reduce_range: bool = False
) -> CellParams:
    """Weights of a recurrent layer whose input is quantised on the fly."""
    return CellParams("quantized_dynamic", w_ih, w_hh, reduce_range, (bias_ih, bias_hh))


@kernel("quantized::make_quantized_cell_params_fp16")
def make_quantized_cell_params_fp16(w_ih: Any, w_hh: Any) -> CellParams:
    """Weights of a recurrent layer in float16."""
    return CellParams("quantized_fp16", w_ih, w_hh)


@kernel("quantized::make_quantized_cell_params")
def make_quantized_cell_params(w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array) -> CellParams:
    """Weights of a recurrent layer, quantised here with one scale each."""
    packed = []
    for w, b in ((w_ih, b_ih), (w_hh, b_hh)):
        scale, zero = choose_for(w, QINT8)
        packed.append(LinearPackedParams(quantize(w, scale, zero, QINT8), b))
    return CellParams("quantized", packed[0], packed[1])


def _cell_step(kind: str, cell: CellParams) -> Step:
    gates = {"lstm": 4, "gru": 3}[kind]
    hidden = cell.hh.weight.shape[0] // gates
    make = lstm_step if kind == "lstm" else gru_step
    return make(cell.linear_hh, hidden)


def _run(
    kind: str, x: Array, sizes: Array | None, state: Sequence[Array], params: Sequence[Any], num_layers: int,
    dropout: float, train: bool, bidirectional: bool, batch_first: bool,
) -> tuple[Array, ...]:  # fmt: skip
    if x.dtype != np.float32:
        raise RuntimeError(f"expected a float32 input, got {x.dtype.name}")
    directions = 2 if bidirectional else 1
    if len(params) != num_layers * directions:
        raise RuntimeError(f"Expected {num_layers * directions} cells for {num_layers} layers, got {len(params)}")
    cells: list[tuple[Callable[[Array], Array], Step]] = [(c.linear_ih, _cell_step(kind, c)) for c in params]
    layers = [cells[i : i + directions] for i in range(0, len(cells), directions)]
    y, last = run_stack(x.swapaxes(0, 1) if batch_first else x, sizes, state, layers, dropout, train)
    return (y.swapaxes(0, 1) if batch_first else y, *last)


@kernel("aten::quantized_lstm.input")
def quantized_lstm(
    input: Array, hx: Sequence[Array], params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float,
    train: bool, bidirectional: bool, batch_first: bool, dtype: int | None = None, use_dynamic: bool = False,
) -> tuple[Array, ...]:  # fmt: skip
    """LSTM with quantised weights over (T, B, I)."""
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("lstm", input, None, hx, params, num_layers, dropout, train, bidirectional, batch_first)


@kernel("aten::quantized_lstm.data")
def quantized_lstm_data(
    data: Array, batch_sizes: Array, hx: Sequence[Array], params: Sequence[Any], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool, dtype: int | None = None, use_dynamic: bool = False,
) -> tuple[Array, ...]:  # fmt: skip
    """LSTM with quantised weights over a packed sequence."""
    if len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")
    return _run("lstm", data, batch_sizes, hx, params, num_layers, dropout, train, bidirectional, False)


@kernel("aten::quantized_gru.input")
def quantized_gru(
    input: Array, hx: Array, params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float, train: bool,
    bidirectional: bool, batch_first: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """GRU with quantised weights over (T, B, I)."""
    return _run("gru", input, None, [hx], params, num_layers, dropout, train, bidirectional, batch_first)


@kernel("aten::quantized_gru.data")
def quantized_gru_data(
    data: Array, batch_sizes: Array, hx: Array, params: Sequence[Any], has_biases: bool, num_layers: int,
    dropout: float, train: bool, bidirectional: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """GRU with quantised weights over a packed sequence."""
    return _run("gru", data, batch_sizes, [hx], params, num_layers, dropout, train, bidirectional, False)


def _dynamic_cell(
    input: Array, w_ih: Any, step: Callable[[Callable[[Array], Array]], Step], w_hh: Any, *state: Array
) -> State:
    packed_ih = _need_packed(w_ih, LinearPackedParams, "quantized cell")
    packed_hh = _need_packed(w_hh, LinearPackedParams, "quantized cell")

    def product(x: Array, packed: Any) -> Array:
        whole = isinstance(packed.weight, QuantizedArray)
        return linear_dynamic(x, packed, True) if whole else linear_dynamic_fp16(x, packed)

    return step(lambda h: product(h, packed_hh))(product(input, packed_ih), state)


@kernel("quantized::quantized_gru_cell_dynamic")
def quantized_gru_cell_dynamic(input: Array, hx: Array, w_ih: Any, w_hh: Any, b_ih: Array, b_hh: Array) -> Array:
    """One GRU step with quantised weights; the biases are the packed ones."""
    return _dynamic_cell(input, w_ih, lambda f: gru_step(f, hx.shape[-1]), w_hh, hx)[0]


@kernel("quantized::quantized_rnn_relu_cell_dynamic")
def quantized_rnn_relu_cell_dynamic(input: Array, hx: Array, w_ih: Any, w_hh: Any, b_ih: Array, b_hh: Array) -> Array:
    """One step of a ReLU network with quantised weights; the biases are the packed ones."""
    return _dynamic_cell(input, w_ih, lambda f: plain_step(f, True), w_hh, hx)[0]


@kernel("quantized::quantized_rnn_tanh_cell_dynamic")
def quantized_rnn_tanh_cell_dynamic(input: Array, hx: Array, w_ih: Any, w_hh: Any, b_ih: Array, b_hh: Array) -> Array:
    """One step of a tanh network with quantised weights; the biases are the packed ones."""
    return _dynamic_cell(input, w_ih, lambda f: plain_step(f, False), w_hh, hx)[0]


def _register_cells() -> None:
    """The cells whose int8 weights come as plain tensors with their scales (packed copies are not needed)."""

    def parts(weight: Array, bias: Array, scale: Any, zero_point: Any) -> LinearPackedParams:
        return LinearPackedParams(QuantizedArray(weight, float(scale), int(zero_point), QINT8), bias)

    def make(step: Callable[[Callable[[Array], Array], int], Step], gates: int, several: bool) -> Callable[..., Any]:
        def cell(
            input: Array, hx: Any, w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array, packed_ih: Any, packed_hh: Any,
            col_offsets_ih: Any, col_offsets_hh: Any, scale_ih: Any, scale_hh: Any, zero_point_ih: Any,
            zero_point_hh: Any,
        ) -> Any:  # fmt: skip
            ih, hh = parts(w_ih, b_ih, scale_ih, zero_point_ih), parts(w_hh, b_hh, scale_hh, zero_point_hh)
            run = step(lambda h: linear_dynamic(h, hh), w_hh.shape[0] // gates)
            new = run(linear_dynamic(input, ih), tuple(hx) if several else (hx,))
            return new if several else new[0]

        cell.__doc__ = "One recurrent step with int8 weights over reals that are quantised on the fly."
        return cell

    kernel("aten::quantized_lstm_cell")(make(lstm_step, 4, True))
    kernel("aten::quantized_gru_cell")(make(gru_step, 3, False))
    kernel("aten::quantized_rnn_relu_cell")(make(lambda f, _: plain_step(f, True), 1, False))
    kernel("aten::quantized_rnn_tanh_cell")(make(lambda f, _: plain_step(f, False), 1, False))


_register_cells()


# the states in archives


def _linear_from(state: Any) -> LinearPackedParams:
    weight, bias = state
    if isinstance(weight, QuantizedArray):
        return LinearPackedParams(weight, bias)
    return linear_prepack_fp16(weight, bias)


def _linear_to(packed: Any) -> Any:
    return packed.weight, packed.bias


def _numbers(values: Any) -> list[int]:
    """Numbers that older states hold as a list of one-element tensors, newer ones as one tensor or a list."""
    if isinstance(values, np.ndarray):
        return [int(v) for v in values.reshape(-1).tolist()]
    return [int(v.item()) if isinstance(v, np.ndarray) else int(v) for v in values]


def _conv_from(kind: type[ConvPackedParams], n: int) -> Callable[[Any], ConvPackedParams]:
    def make(state: Any) -> ConvPackedParams:
        first = state[0]
        if isinstance(first, QuantizedArray):  # version 1: weight, bias and options one by one
            weight, bias = state[:2]
            stride, padding, dilation = (_numbers(v) for v in state[2:5])
            return kind(weight, bias, stride, padding, [0] * n, dilation, _numbers(state[5])[0], False)
        if isinstance(first, str):  # version 2: all options in one tensor
            options, weight = state[1]
            bias = state[2][0]
        else:  # version 3: all options in one list
            options, (_, weight, bias) = state[1], state[2]
        values = _numbers(options)
        spatial, values = values[0], values[1:]
        if spatial != n:
            raise RuntimeError(f"a packed convolution of {spatial} dimensions is not one of {n}")
        parts = [values[i * n : (i + 1) * n] for i in range(4)]
        groups, flags = values[4 * n], values[4 * n + 1] if len(values) > 4 * n + 1 else 0
        return kind(weight, bias, parts[0], parts[1], parts[3], parts[2], groups, bool(flags & 1))

    return make


def _conv_to(packed: Any) -> Any:
    n = len(packed.stride)
    values = [
        n,
        *packed.stride,
        *packed.padding,
        *packed.dilation,
        *packed.output_padding,
        packed.groups,
        int(packed.transpose),
    ]
    return "2", [np.asarray(values, np.int16), packed.weight], [packed.bias]


def _embedding_from(state: Any) -> EmbeddingPackedParams:
    return EmbeddingPackedParams(state[1][0])


def _embedding_to(packed: Any) -> Any:
    return 1, [packed.weight], [], [packed.bit_rate]


def _cell_from(state: Any) -> CellParams:
    kind, tensors, doubles, longs, packed = state
    if kind == "quantized":
        w_ih, w_hh, b_ih, b_hh, *_ = tensors
        sides = [
            LinearPackedParams(QuantizedArray(w, s, z, QINT8), b)
            for w, b, s, z in zip((w_ih, w_hh), (b_ih, b_hh), doubles, longs)
        ]
        return CellParams(kind, sides[0], sides[1])
    if kind not in ("quantized_dynamic", "quantized_fp16"):
        raise RuntimeError(f"Unsupported serialized CellParams type {kind!r}")
    return CellParams(kind, packed[0], packed[1], bool(longs and longs[0]), tuple(tensors) or None)


def _cell_to(cell: Any) -> Any:
    if cell.kind == "quantized":
        sides = (cell.ih, cell.hh)
        weights, biases = [s.weight.ints for s in sides], [s.bias for s in sides]
        offsets = [  # column sums, which the integer product of other libraries needs
            (w.astype(np.int32).sum(axis=1) - w.shape[1] * s.weight.zero_point).astype(np.int32)
            for w, s in zip(weights, sides)
        ]
        return (
            cell.kind, [*weights, *biases, *offsets], [s.weight.scale for s in sides],
            [s.weight.zero_point for s in sides], [],
        )  # fmt: skip
    if cell.kind == "quantized_fp16":
        return cell.kind, [], [], [], [cell.ih, cell.hh]
    return cell.kind, list(cell.extra or ()), [], [int(cell.reduce_range)], [cell.ih, cell.hh]


#: class name of a TorchBind object to (object from the archive's state, state from the object); states hold arrays
TORCHBIND: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    LinearPackedParams.torchbind_name: (_linear_from, _linear_to),
    Conv2dPackedParams.torchbind_name: (_conv_from(Conv2dPackedParams, 2), _conv_to),
    Conv3dPackedParams.torchbind_name: (_conv_from(Conv3dPackedParams, 3), _conv_to),
    EmbeddingPackedParams.torchbind_name: (_embedding_from, _embedding_to),
    CellParams.torchbind_name: (_cell_from, _cell_to),
}
#: TorchScript types of those states, which decide how an archive writes their lists
STATE_TYPES = {
    LinearPackedParams.torchbind_name: "Tuple[Tensor, Optional[Tensor]]",
    Conv2dPackedParams.torchbind_name: "Tuple[str, List[Tensor], List[Optional[Tensor]]]",
    Conv3dPackedParams.torchbind_name: "Tuple[str, List[Tensor], List[Optional[Tensor]]]",
    EmbeddingPackedParams.torchbind_name: "Tuple[int, List[Tensor], List[float], List[int]]",
    CellParams.torchbind_name: (
        "Tuple[str, List[Tensor], List[float], List[int], "
        "List[__torch__.torch.classes.quantized.LinearPackedParamsBase]]"
    ),
}
