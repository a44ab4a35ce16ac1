"""Quantised arrays, packed parameters and their states; then PyTorch over tables, to one quantum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linstock.backends.array import quantized as Q
from linstock.backends.array import quantized_packed as P
from linstock.backends.array.derive import kernel_of

from .oracle import to_numpy, to_torch
from .test_conv import normal

Array = np.ndarray[Any, Any]
LINEAR, CONV = P.LinearPackedParams.torchbind_name, P.Conv2dPackedParams.torchbind_name
CELL = P.CellParams.torchbind_name
_CODES = {"torch.qint8": 12, "torch.quint8": 13, "torch.qint32": 14}


def quantised(
    shape: tuple[int, ...], code: int = Q.QUINT8, scale: float = 0.05, zero: int = 60, seed: int = 0
) -> Q.QuantizedArray:
    return Q.quantize(normal(shape, seed=seed), scale, zero, code)


def weight(*shape: int, channels: int | None = None) -> Q.QuantizedArray:
    w = normal(shape) * np.float32(0.3)
    if channels is None:
        return Q.quantize(w, 0.02, 0, Q.QINT8)
    n = shape[channels]
    return Q.quantize_per_channel(w, np.linspace(0.02, 0.04, n), np.zeros(n, np.int64), channels, Q.QINT8)


def test_quantising_rounds_half_to_even_and_cuts_off() -> None:
    q = Q.quantize_per_tensor(np.array([0.5, 1.5, -0.5, 1e9, -1e9, np.nan], np.float32), 1.0, 10, Q.QUINT8)
    assert q.ints.tolist() == [10, 12, 10, 255, 0, 255]
    np.testing.assert_array_equal(q.dequantize()[:3], [0, 2, 0])
    assert (Q.q_scale(q), Q.q_zero_point(q), Q.qscheme(q)) == (1.0, 10, 0)


def test_chosen_parameters_hold_zero_exactly() -> None:
    for low, high in ((-1.0, 3.0), (2.0, 5.0), (-7.0, -1.0), (0.0, 0.0), (1e-9, 2e-9)):
        scale, zero = Q.choose_qparams(low, high)
        assert 0 <= zero <= 255 and scale > 0
        assert scale * (255 - zero) >= high - scale and -scale * zero <= low + scale
    assert Q.choose_qparams(-1.0, 1.0, reduce_range=True)[0] > Q.choose_qparams(-1.0, 1.0)[0]


def test_per_channel_scales_follow_their_axis() -> None:
    q = weight(3, 4, channels=0)
    moved = kernel_of("aten::permute")(q, [1, 0])
    assert moved.axis == 1
    np.testing.assert_array_equal(moved.dequantize(), q.dequantize().T)
    with pytest.raises(RuntimeError, match="kPerTensorAffine"):
        Q.q_scale(q)


def test_a_dense_tensor_has_no_scale() -> None:
    with pytest.raises(NotImplementedError, match="takes a quantized tensor"):
        Q.q_scale(np.zeros(2, np.float32))
    with pytest.raises(RuntimeError, match="zero_point 300 is above upper bound"):
        Q.quantize_per_tensor(np.zeros(2, np.float32), 0.1, 300, Q.QUINT8)


def test_views_of_quantised_arrays_share_memory() -> None:
    q = quantised((4, 3))
    row = kernel_of("aten::select.int")(q, 0, 1)
    assert row.shape == (3,) and np.shares_memory(row.ints, q.ints)
    kernel_of("aten::fill_.Scalar")(row, 0.0)
    assert (q.ints[1] == 60).all()


def test_an_integer_product_is_exact_however_long_it_is() -> None:
    x = Q.QuantizedArray(np.full((1, 4096), 255, np.uint8), 1.0, 0, Q.QUINT8)
    w = Q.QuantizedArray(np.full((1, 4096), 127, np.int8), 1.0, 0, Q.QINT8)
    w.ints[0, -1] = 126
    y = P.linear_dynamic(x.dequantize(), P.LinearPackedParams(w, None))
    assert y[0, 0] == np.float32(255 * (127 * 4095 + 126))


def test_sub_byte_elements_are_packed_lowest_bits_first() -> None:
    ints = np.array([1, 2, 15], np.uint8)
    assert Q.pack_bits(ints, 4).tolist() == [0x21, 0x0F]
    assert Q.unpack_bits(Q.pack_bits(ints, 4), 4, 3).tolist() == [1, 2, 15]


def test_states_make_the_object_again() -> None:
    linear = P.linear_prepack(weight(4, 3), normal((4,)))
    conv = kernel_of("quantized::conv2d_prepack")(weight(4, 3, 2, 2), None, [2, 1], [0, 1], [1, 1], 1)
    cell = P.make_quantized_cell_params_dynamic(linear, linear, normal((4,)), normal((4,)), True)
    for name, thing in ((LINEAR, linear), (CONV, conv), (CELL, cell)):
        assert type(thing).torchbind_name == name
        load, store = P.TORCHBIND[name]
        again = store(load(store(thing)))
        assert repr(again) == repr(store(thing)) or (
            name == CELL and again[0] == "quantized_dynamic" and again[3] == [1]
        )
    assert P.TORCHBIND[CONV][1](conv)[1][0].tolist() == [2, 2, 1, 0, 1, 1, 1, 0, 0, 1, 0]


def test_older_states_of_convolutions() -> None:
    w, load = weight(4, 3, 2, 2), P.TORCHBIND[CONV][0]
    one = load(
        (w, None, [np.array([2]), np.array([1])], [np.array([0]), np.array([1])], [np.array([1])] * 2, [np.array([1])])
    )
    three = load((3, [2, 2, 1, 0, 1, 1, 1, 0, 0, 1, 0], [None, w, None]))
    for packed in (one, three):
        assert (packed.stride, packed.padding, packed.groups, packed.transpose) == ((2, 1), (0, 1), 1, False)


# PyTorch -------------------------------------------------------------------------------------------------------------


def _theirs(value: Any) -> Any:
    torch = pytest.importorskip("torch")
    if isinstance(value, Q.QuantizedArray):
        kind = {12: torch.qint8, 13: torch.quint8, 14: torch.qint32}[value.dtype_code]
        reals = torch.from_numpy(value.dequantize())
        if value.axis is None:
            return torch.quantize_per_tensor(reals, value.scale, value.zero_point, kind)
        parts = torch.from_numpy(value.scale.copy()), torch.from_numpy(value.zero_point.copy())
        return torch.quantize_per_channel(reals, *parts, value.axis, kind)
    if isinstance(value, list):
        return [_theirs(v) for v in value]
    if isinstance(value, P.LinearPackedParams):
        prepack = torch.ops.quantized.linear_prepack
        if not isinstance(value.weight, Q.QuantizedArray):
            prepack = torch.ops.quantized.linear_prepack_fp16
        return prepack(_theirs(value.weight), _theirs(value.bias))
    if isinstance(value, P.CellParams):
        ih, hh = _theirs(value.ih), _theirs(value.hh)
        if value.kind == "quantized_fp16":
            return torch.ops.quantized.make_quantized_cell_params_fp16(ih, hh)
        zeros = torch.zeros(1)
        return torch.ops.quantized.make_quantized_cell_params_dynamic(ih, hh, zeros, zeros, value.reduce_range)
    return to_torch(value)


def check(name: str, *arguments: Any, theirs: tuple[Any, ...] | None = None, quanta: int = 1) -> None:
    """Compare an operator with PyTorch's: integers to one quantum, reals closely."""
    torch = pytest.importorskip("torch")
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    operator = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
    want = operator(*(theirs if theirs is not None else [_theirs(a) for a in arguments]))
    got = kernel_of(name)(*arguments)
    wants, gots = (want, got) if isinstance(want, (tuple, list)) else ((want,), (got,))
    for w, g in zip(wants, gots, strict=True):
        if isinstance(w, torch.Tensor) and w.is_quantized:
            assert g.shape == tuple(w.shape) and g.dtype_code == _CODES[str(w.dtype)], name
            assert np.isclose(g.scale, w.q_scale(), rtol=1e-6) and g.zero_point == w.q_zero_point(), name
            off = np.abs(g.ints.astype(np.int64) - w.int_repr().numpy().astype(np.int64)).max(initial=0)
            assert off <= quanta, f"{name} is off by {off}"
        elif isinstance(w, torch.Tensor):
            np.testing.assert_allclose(g, to_numpy(w), rtol=1e-4, atol=1e-5, err_msg=name)
        else:
            assert g == w, name


pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.interop
def test_making_and_taking_apart_as_pytorch() -> None:
    x = normal((4, 50))
    for code in (Q.QINT8, Q.QUINT8, Q.QINT32):
        torch = pytest.importorskip("torch")
        kind = {12: torch.qint8, 13: torch.quint8, 14: torch.qint32}[code]
        check("aten::quantize_per_tensor", x, 0.03, 5, code, theirs=(to_torch(x), 0.03, 5, kind), quanta=0)
        q = quantised((4, 50), code, zero=5)
        check("aten::dequantize.self", q)
        check("aten::int_repr", q)
        if code != Q.QINT32:
            for reduce in (False, True):
                check(
                    "aten::quantize_per_tensor_dynamic", x, code, reduce, theirs=(to_torch(x), kind, reduce), quanta=0
                )
    for low, high in ((0, 255), (-128, 127)):
        check("aten::fake_quantize_per_tensor_affine_cachemask", x, 0.02, 5, low, high)
    scale, zero = np.linspace(0.01, 0.1, 4).astype(np.float32), np.arange(4, dtype=np.int32)
    check("aten::fake_quantize_per_channel_affine_cachemask", x, scale, zero, 0, 0, 255)
    check("aten::choose_qparams_optimized", x[0], 50, 200, 0.16, 4)


@pytest.mark.interop
@pytest.mark.parametrize("channels", [None, 0])
def test_linear_as_pytorch(channels: int | None) -> None:
    for inputs in (7, 64):
        for bias in (None, normal((5,))):
            packed = P.linear_prepack(weight(5, inputs, channels=channels), bias)
            for x in (quantised((3, inputs)), quantised((2, 3, inputs))):
                check("quantized::linear", x, packed, 0.2, 90)
                check("quantized::linear_relu", x, packed, 0.2, 90)
            check("quantized::linear_dynamic", normal((3, inputs)), packed, True)
            check(
                "quantized::linear_dynamic_fp16", normal((3, inputs)), P.linear_prepack_fp16(normal((5, inputs)), bias)
            )


@pytest.mark.interop
@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolutions_as_pytorch(n: int) -> None:
    torch = pytest.importorskip("torch")
    new = ".new" if n > 1 else ""
    for channels in (None, 0):
        for groups, stride, padding, dilation in ((1, 1, 0, 1), (2, 2, 1, 1), (1, 1, 2, 2)):
            w, b = weight(8, 4 // groups, *(3,) * n, channels=channels), normal((8,))
            options = [stride] * n, [padding] * n, [dilation] * n, groups
            ours = kernel_of(f"quantized::conv{n}d_prepack")(w, b, *options)
            theirs = getattr(torch.ops.quantized, f"conv{n}d_prepack")(_theirs(w), to_torch(b), *options)
            x = quantised((2, 4, *(6,) * n))
            for name in (f"quantized::conv{n}d{new}", f"quantized::conv{n}d_relu{new}"):
                check(name, x, ours, 0.15, 80, theirs=(_theirs(x), theirs, 0.15, 80))
    w = weight(4, 3, *(3,) * n)
    options = [2] * n, [1] * n, [1] * n, [1] * n, 2
    ours = kernel_of(f"quantized::conv_transpose{n}d_prepack")(w, None, *options)
    theirs = getattr(torch.ops.quantized, f"conv_transpose{n}d_prepack")(_theirs(w), None, *options)
    x = quantised((2, 4, *(4,) * n))
    check(f"quantized::conv_transpose{n}d", x, ours, 0.2, 70, theirs=(_theirs(x), theirs, 0.2, 70))


@pytest.mark.interop
def test_other_operators_as_pytorch() -> None:
    for code, zero in ((Q.QUINT8, 100), (Q.QINT8, 3)):
        a, b = quantised((3, 4), code, zero=zero), quantised((3, 4), code, 0.03, zero, 1)
        for op in ("add", "mul", "add_relu", "mul_relu"):
            check(f"quantized::{op}", a, b, 0.1, 10)
            for number in (0.5, -0.7, 30.0, -30.0):
                check(f"quantized::{op}.Scalar", a, number)
        check("quantized::cat", [a, b], 1, 0.1, 4)
        check("quantized::cat_relu", [a, b], 0, None, None)
        check("quantized::matmul", a, quantised((4, 2), code, zero=zero), 0.1, 5)
        x, v = quantised((2, 4, 6, 6), code, zero=zero), normal((4,))
        for op, args in (
            ("sigmoid", (1 / 256, 0)), ("hardswish", (0.1, 3)), ("elu", (0.1, 3, 1.0)), ("celu", (0.1, 3, 0.7)),
            ("leaky_relu", (0.2, False, 0.1, 3)), ("softmax", (1, 1 / 256, 0)), ("clamp", (-1, 1)), ("relu6", ()),
            ("batch_norm2d", (v, v, v, np.abs(v) + np.float32(0.5), 1e-5, 0.1, 7)),
            ("group_norm", (2, v, v, 1e-5, 0.05, 9)),
            ("instance_norm", (v, v, 1e-5, 0.05, 9)), ("layer_norm", ([6], normal((6,)), None, 1e-5, 0.05, 9)),
        ):  # fmt: skip
            check(f"quantized::{op}", x, *args)
        for op, args in (
            ("relu", ()), ("hardtanh", (0.0, 6.0)), ("sigmoid", ()), ("tanh", ()), ("mean.dim", ([2, 3], True)),
            ("max_pool2d", ([3, 3], [2, 2], [1, 1])), ("avg_pool2d", ([3, 3], [2, 2], [1, 1])), ("view", ([8, 36],)),
            ("adaptive_avg_pool2d", ([4, 5],)), ("upsample_nearest2d", ([12, 12],)), ("permute", ([0, 2, 3, 1],)),
            ("upsample_bilinear2d", ([9, 9], True)), ("max.dim", (1,)), ("lt.Scalar", (0.3,)),
            ("slice.Tensor", (1, 1, 3)),
        ):  # fmt: skip
            check(f"aten::{op}", x, *args)
        check("aten::cat", [x, x], 1)


@pytest.mark.interop
def test_embedding_tables_as_pytorch() -> None:
    torch = pytest.importorskip("torch")
    w = normal((10, 16))
    for bits in ("byte", "4bit", "2bit"):
        packed = kernel_of(f"quantized::embedding_bag_{bits}_prepack")(w)
        check(f"quantized::embedding_bag_{bits}_prepack", w)
        check(f"quantized::embedding_bag_{bits}_unpack", packed)
    q = Q.quantize_per_channel(
        w, np.linspace(0.01, 0.03, 10, dtype=np.float32), np.full(10, 99.5, np.float32), 0, Q.QUINT8
    )
    theirs = torch.ops.quantized.embedding_bag_prepack(_theirs(q))
    index = np.array([1, 2, 4, 5, 4, 3, 2, 9])
    for offsets, last in (([0, 4], False), ([0, 4, 4, 8], True)):
        args = (index, np.array(offsets), False, 0, False, normal((8,)), None, last)
        check(
            "quantized::embedding_bag_byte",
            P.EmbeddingPackedParams(q),
            *args,
            theirs=(theirs, *[to_torch(a) for a in args]),
        )


@pytest.mark.interop
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_recurrent_networks_as_pytorch(kind: str) -> None:
    gates = {"lstm": 4, "gru": 3}[kind] * 5
    for half in (False, True):
        for both in (False, True):
            cells = []
            for inputs in [3, 3, 10, 10] if both else [3, 5]:
                if half:
                    parts = [P.linear_prepack_fp16(normal((gates, k)), normal((gates,))) for k in (inputs, 5)]
                    cells.append(P.make_quantized_cell_params_fp16(*parts))
                else:
                    parts = [P.linear_prepack(weight(gates, k), normal((gates,))) for k in (inputs, 5)]
                    zeros = np.zeros(gates, np.float32)
                    cells.append(P.make_quantized_cell_params_dynamic(*parts, zeros, zeros, True))
            h = normal((len(cells), 2, 5))
            state = [h, h[::-1].copy()] if kind == "lstm" else h
            check(f"aten::quantized_{kind}.input", normal((4, 2, 3)), state, cells, True, 2, 0.0, False, both, False)
            sizes = np.array([2, 2, 1])
            check(f"aten::quantized_{kind}.data", normal((5, 3)), sizes, state, cells, True, 2, 0.0, False, both)
