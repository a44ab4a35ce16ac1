"""Quantised tensors in ONNX graphs: integers whose scale and zero point are known, made by QuantizeLinear.

Products are taken of the centred integers as floats, which is exact, and scaled afterwards, as the kernels do; ONNX
Runtime's own fused
operators (QLinearMatMul) round differently. Operators that move elements move the integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx import registry
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.control import loop
from linstock.backends.onnx.conv import convolution
from linstock.backends.onnx.rnn import single_layer
from linstock.backends.onnx.values import Quantized
from linstock.backends.onnx.view import flip
from linstock.ir import dtypes
from linstock.ir.errors import ExportError

_FORMS: dict[str, registry.Converter] = {}
QINT8, QUINT8 = 12, 13
_PLAIN = {QINT8: 1, QUINT8: 0, 14: 3}
#: operators that move or compare elements under one scale
_ON_INTEGERS = {
    "view",
    "reshape",
    "_unsafe_view",
    "flatten",
    "unflatten",
    "unsqueeze",
    "squeeze",
    "transpose",
    "permute",
    "t",
    "expand",
    "repeat",
    "select",
    "slice",
    "narrow",
    "split",
    "chunk",
    "unbind",
    "flip",
    "index_select",
    "clone",
    "contiguous",
    "detach",
    "alias",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "quantized_max_pool1d",
    "quantized_max_pool2d",
    "quantized_max_pool3d",
    "upsample_nearest2d",
    "index",
    "pixel_shuffle",
    "channel_shuffle",
}
#: operators computed on the reals and quantised with the same scale again
_ON_REALS = {
    "avg_pool2d",
    "avg_pool3d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "mean",
    "upsample_bilinear2d",
    "hardtanh",
    "clamp",
    "leaky_relu",
    "elu",
}


def form(*names: str) -> Callable[[registry.F], registry.F]:
    """Register the form of operators on quantised tensors."""

    def register(function: registry.F) -> registry.F:
        for name in registry.expand(names):
            _FORMS[name] = function
        return function

    return register


def find(full_name: str) -> registry.Converter | None:
    """The form of an operator on quantised tensors, or None."""
    registry.load()
    found = _FORMS.get(full_name)
    base, dot, overload = full_name.partition(".")
    if found is not None:
        return found
    if base.endswith("_"):
        return find(base[:-1] + dot + overload)
    short = base.removeprefix("aten::")
    if short in _ON_INTEGERS or short in _ON_REALS:
        convert = registry.find(full_name.replace("quantized_", ""))
        if convert is not None:
            return _on_integers(convert) if short in _ON_INTEGERS else _on_reals(convert)
    return None


def is_quantized(value: Any) -> bool:
    """Whether a value is a quantised tensor, known or not."""
    return isinstance(value, Quantized) or hasattr(value, "ints")


def as_quantized(b: Builder, value: Any) -> Quantized:
    """A quantised tensor with one scale, known or not, as a value of the graph."""
    if isinstance(value, Quantized):
        return value
    if value.axis is not None:
        raise ExportError("a tensor quantised per channel is only supported as a weight", b.span)
    return Quantized(b.constant(value.ints), value.scale, value.zero_point, value.dtype_code)


def centred(b: Builder, q: Quantized) -> Sym:
    """Integers minus the zero point, as float32."""
    reals = b.cast(q.ints, 6)
    return reals if q.zero_point == 0 else b.op("Sub", reals, float(q.zero_point))


def dequantized(b: Builder, value: Any) -> Sym:
    """The reals."""
    if not isinstance(value, Quantized):
        return b.constant(value.dequantize())
    plain = dtypes.numpy_of(_PLAIN[value.dtype])
    return b.op("DequantizeLinear", value.ints, np.float32(value.scale), np.asarray(value.zero_point, plain))


def quantized(b: Builder, x: Sym, scale: float, zero_point: int, code: int) -> Quantized:
    """Reals as quantised values."""
    if code not in _PLAIN or code == 14:
        raise ExportError(f"quantising to {dtypes.by_code(code).name} has no ONNX form", b.span)
    ints = b.op(
        "QuantizeLinear", b.cast(x, 6), np.float32(scale), np.asarray(zero_point, dtypes.numpy_of(_PLAIN[code]))
    )
    return Quantized(ints, float(scale), int(zero_point), code)


def _on_integers(convert: registry.Converter) -> registry.Converter:
    def run(b: Builder, *args: Any) -> Any:
        q = as_quantized(b, args[0])
        made = convert(b, q.ints, *args[1:])
        wrap = lambda s: Quantized(s, q.scale, q.zero_point, q.dtype)  # noqa: E731
        return [wrap(s) for s in made] if isinstance(made, list) else wrap(made)  # type: ignore[no-untyped-call]

    return run


def _on_reals(convert: registry.Converter) -> registry.Converter:
    def run(b: Builder, *args: Any) -> Any:
        q = as_quantized(b, args[0])
        return quantized(b, convert(b, dequantized(b, q), *args[1:]), q.scale, q.zero_point, q.dtype)

    return run


# -- into and out of quantised tensors ---------------------------------------------------------------------------------
form("quantize_per_tensor")(lambda b, x, scale, zero_point, code: quantized(b, x, scale, zero_point, code))
form("dequantize.self")(dequantized)
form("int_repr")(lambda b, q: as_quantized(b, q).ints)
form("q_scale")(lambda b, q: float(q.scale))
form("q_zero_point")(lambda b, q: int(q.zero_point))


@form("quantize_per_tensor.tensor_qparams")
def _quantize_by_tensors(b: Builder, x: Sym, scale: Sym, zero_point: Sym, code: int) -> Quantized:
    known = [b.known(v) for v in (scale, zero_point)]
    if known[0] is None or known[1] is None:
        raise ExportError("a scale or zero point that depends on the inputs", b.span)
    return quantized(b, x, float(known[0].item()), int(known[1].item()), code)


def _choose(b: Builder, x: Sym, reduce_range: bool) -> tuple[Sym, Sym]:
    """Scale and zero point (in double precision) that cover the values of a tensor with unsigned bytes."""
    top = 127.0 if reduce_range else 255.0
    low = b.op("Min", b.cast(b.op("ReduceMin", x, keepdims=0), 7), 0.0)
    high = b.op("Max", b.cast(b.op("ReduceMax", x, keepdims=0), 7), 0.0)
    scale = b.op("Div", b.op("Sub", high, low), top)
    scale = b.op("Where", b.op("Equal", scale, 0.0), 0.1, b.op("Max", scale, float(np.float32(6.1e-5))))
    below, above = b.op("Div", low, scale), b.op("Div", high, scale)
    nearer = b.op("Less", b.op("Abs", below), b.op("Add", b.op("Abs", above), top))
    zero = b.op("Where", nearer, b.op("Neg", below), b.op("Sub", top, above))
    return scale, b.op("Round", b.op("Clip", zero, 0.0, top))


def _dynamic(b: Builder, x: Sym, reduce_range: bool) -> tuple[Sym, Sym]:
    """Reals quantised on the fly: (centred integers as floats, scale as float32)."""
    scale, zero = _choose(b, x, reduce_range)
    single = b.cast(scale, 6)
    inverse = b.cast(b.op("Reciprocal", single), 7)
    moved = b.cast(b.op("Add", b.op("Mul", b.cast(x, 7), inverse), zero), 6)
    ints = b.op("Clip", b.op("Round", moved), 0.0, 255.0)
    return b.op("Sub", ints, b.cast(zero, 6)), single


# -- products ----------------------------------------------------------------------------------------------------------
def _weight(b: Builder, packed: Any) -> tuple[Sym, Any]:
    """The centred weight, and its scale or scales in float32."""
    return b.constant(packed.weight.centred()), np.asarray(packed.weight.scale, np.float32)


def _linear(b: Builder, x: Sym, scale: Any, packed: Any) -> Sym:
    """The real result for centred integers."""
    weight, own = _weight(b, packed)
    factor = b.op("Mul", scale, b.constant(own)) if isinstance(scale, Sym) else b.constant(np.float32(scale) * own)
    y = b.op("Mul", b.op("MatMul", x, b.transpose(weight, [1, 0])), factor)
    return y if packed.bias is None else b.op("Add", y, packed.bias)


def _linear_half(b: Builder, x: Sym, packed: Any) -> Sym:
    y = b.op("MatMul", x, b.transpose(b.constant(packed.weight), [1, 0]))
    return y if packed.bias is None else b.op("Add", y, packed.bias)


def linear_dynamic(b: Builder, x: Sym, packed: Any, reduce_range: bool = False) -> Sym:
    """A linear layer over reals that are quantised on the fly."""
    if not hasattr(packed.weight, "ints"):
        return _linear_half(b, x, packed)
    return _linear(b, *_dynamic(b, x, reduce_range), packed)


def _register_products() -> None:
    def linear(after: str | None) -> registry.Converter:
        def run(b: Builder, x: Any, packed: Any, scale: float, zero_point: int, *rest: Any) -> Quantized:
            q = as_quantized(b, x)
            y = _linear(b, centred(b, q), q.scale, packed)
            y = y if after is None else b.op(after, y, alpha=float(rest[0]) if rest else None)
            return quantized(b, y, scale, zero_point, q.dtype)

        return run

    def dynamic(after: str | None) -> registry.Converter:
        def run(b: Builder, x: Sym, packed: Any, reduce_range: bool = False) -> Sym:
            y = linear_dynamic(b, x, packed, reduce_range)
            return y if after is None else b.op(after, y)

        return run

    for suffix, after in (("", None), ("_relu", "Relu"), ("_tanh", "Tanh"), ("_leaky_relu", "LeakyRelu")):
        form(f"quantized::linear{suffix}")(linear(after))
    form("quantized::linear_dynamic", "quantized::linear_dynamic_fp16")(dynamic(None))
    form("quantized::linear_relu_dynamic", "quantized::linear_relu_dynamic_fp16")(dynamic("Relu"))

    for rank in (1, 2, 3):
        for suffix, after in (("", None), ("_relu", "Relu")):
            names = [f"quantized::conv{rank}d{suffix}", *([f"quantized::conv{rank}d{suffix}.new"] if rank > 1 else [])]
            names += [f"quantized::conv_transpose{rank}d"] if not suffix else []

            def conv(
                b: Builder, x: Any, packed: Any, *rest: Any, rank: int = rank, after: str | None = after
            ) -> Quantized:
                q = as_quantized(b, x)
                y = _conv(b, centred(b, q), q.scale, packed, rank)
                return quantized(b, y if after is None else b.op(after, y), rest[-2], rest[-1], q.dtype)

            form(*names)(conv)


def _conv(b: Builder, x: Sym, scale: Any, packed: Any, rank: int) -> Sym:
    """The real result of a convolution for centred integers. One-dimensional weights are packed with a height of 1."""
    weight, own = _weight(b, packed)
    single = b.rank(x) == rank + 1
    x = b.unsqueeze(x, 0) if single else x
    x = b.unsqueeze(x, 2) if rank == 1 else x
    options = (packed.stride, packed.padding, packed.dilation)
    y = convolution(b, x, weight, None, *options, packed.transpose, packed.output_padding, packed.groups)
    factor = np.float32(scale) * own
    spatial = (1,) * (b.rank(y) - 2)
    if factor.ndim:
        count = b.size(y, 1)
        factor = np.tile(factor, count // factor.size).reshape(-1, *spatial)
    y = b.op("Mul", y, b.constant(factor))
    if packed.bias is not None:
        y = b.op("Add", y, packed.bias.reshape(-1, *spatial))
    y = b.squeeze(y, 2) if rank == 1 else y
    return b.squeeze(y, 0) if single else y


_register_products()


@form("quantized::matmul")
def _matmul(b: Builder, x: Any, y: Any, scale: float, zero_point: int) -> Quantized:
    p, q = as_quantized(b, x), as_quantized(b, y)
    made = b.op("Mul", b.op("MatMul", centred(b, p), centred(b, q)), float(np.float32(p.scale) * np.float32(q.scale)))
    return quantized(b, made, scale, zero_point, p.dtype)


# -- arithmetic and activations ----------------------------------------------------------------------------------------
def _binary(name: str, kind: str) -> None:
    for suffix, after in (("", None), ("_relu", "Relu")):

        def run(b: Builder, x: Any, y: Any, scale: float, zero_point: int, after: str | None = after) -> Quantized:
            made = b.op(kind, dequantized(b, x), dequantized(b, y))
            made = made if after is None else b.op(after, made)
            return quantized(b, made, scale, zero_point, as_quantized(b, x).dtype)

        form(f"quantized::{name}{suffix}")(run)


_binary("add", "Add")
_binary("mul", "Mul")


@form("relu")
def _relu(b: Builder, x: Any) -> Quantized:
    q = as_quantized(b, x)
    floor = np.asarray(q.zero_point, dtypes.numpy_of(_PLAIN[q.dtype]))
    return Quantized(b.op("Max", q.ints, floor), q.scale, q.zero_point, q.dtype)


@form("quantized::cat", "quantized::cat_relu")
def _cat(b: Builder, tensors: Sequence[Any], dim: int, scale: float | None, zero_point: int | None) -> Quantized:
    first = as_quantized(b, tensors[0])
    made = b.op("Concat", *[dequantized(b, t) for t in tensors], axis=b.axis(first.ints, dim))
    return quantized(
        b,
        made,
        first.scale if scale is None else scale,
        first.zero_point if zero_point is None else zero_point,
        first.dtype,
    )


def _activation(name: str, base: str) -> None:
    @form(name)
    def run(b: Builder, x: Any, *args: Any) -> Quantized:
        convert = registry.find(base)
        assert convert is not None
        scale, zero_point, *rest = args
        return quantized(b, convert(b, dequantized(b, x), *rest), scale, zero_point, as_quantized(b, x).dtype)


for _name in ("hardswish", "sigmoid", "elu", "celu"):
    _activation(f"quantized::{_name}", f"aten::{_name}")


# -- recurrent networks ------------------------------------------------------------------------------------------------
@form("quantized_lstm.input", "quantized_gru.input")
def _recurrent(
    b: Builder, x: Sym, hx: Any, params: Sequence[Any], has_biases: bool, layers: int, dropout: float, train: bool, bidirectional: bool,
    batch_first: bool, *rest: Any,
) -> tuple[Sym, ...]:  # fmt: skip
    states = list(hx) if isinstance(hx, (list, tuple)) else [hx]
    x = b.transpose(x, [1, 0, 2]) if batch_first else x
    directions = 2 if bidirectional else 1
    ends: list[list[Sym]] = [[] for _ in states]
    for layer in range(layers):
        outputs = []
        for d in range(directions):
            at = layer * directions + d
            y, last = _run(b, x, [b.gather(s, at) for s in states], params[at], d == 1)
            outputs.append(y)
            for end, state in zip(ends, last, strict=True):
                end.append(b.unsqueeze(state, 0))
        x = outputs[0] if len(outputs) == 1 else b.op("Concat", *outputs, axis=2)
    joined = [e[0] if len(e) == 1 else b.op("Concat", *e, axis=0) for e in ends]
    return (b.transpose(x, [1, 0, 2]) if batch_first else x, *joined)


def _run(b: Builder, x: Sym, states: list[Sym], cell: Any, backwards: bool) -> tuple[Sym, list[Sym]]:
    """One direction of one layer: with weights in float16 ONNX's own, with integers a loop, as every step quantises anew."""
    if cell.kind == "quantized_fp16":
        params = [cell.ih.weight, cell.hh.weight, cell.ih.bias, cell.hh.bias]
        chosen = [b.constant(p) for p in params if p is not None]
        kind = "LSTM" if len(states) == 2 else "GRU"
        y, last = single_layer(b, kind, x, [b.unsqueeze(s, 0) for s in states], chosen, backwards)
        return y, [b.squeeze(s, 0) for s in last]
    gates = linear_dynamic(b, x, cell.ih, cell.reduce_range)
    gates = flip(b, gates, [0]) if backwards else gates

    def step(b: Builder, index: Sym, states: list[Sym]) -> tuple[None, list[Sym], list[Sym]]:
        new = _step(b, b.gather(gates, index), states, cell)
        return None, new, [new[0]]

    ends, (outputs,) = loop(b, states, step, b.size(x, 0))
    return flip(b, outputs, [0]) if backwards else outputs, ends


def _step(b: Builder, gates: Sym, states: list[Sym], cell: Any) -> list[Sym]:
    share = linear_dynamic(b, states[0], cell.hh, cell.reduce_range)
    if len(states) == 2:
        i, f, g, o = b.ops("Split", b.op("Add", share, gates), outputs=4, axis=1, num_outputs=4)
        new = b.op("Add", b.op("Mul", b.op("Sigmoid", f), states[1]), b.op("Mul", b.op("Tanh", g), b.op("Sigmoid", i)))
        return [b.op("Mul", b.op("Sigmoid", o), b.op("Tanh", new)), new]
    xr, xz, xn = b.ops("Split", gates, outputs=3, axis=1, num_outputs=3)
    hr, hz, hn = b.ops("Split", share, outputs=3, axis=1, num_outputs=3)
    r, z = b.op("Sigmoid", b.op("Add", xr, hr)), b.op("Sigmoid", b.op("Add", xz, hz))
    n = b.op("Tanh", b.op("Add", xn, b.op("Mul", r, hn)))
    return [b.op("Add", n, b.op("Mul", z, b.op("Sub", states[0], n)))]
