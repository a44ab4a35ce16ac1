"""ONNX forms of the factory family: filled tensors, ranges, conversions."""

from __future__ import annotations

from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.complex_forms import converted
from linstock.backends.onnx.registry import converter, no_form
from linstock.ir.errors import ExportError

Options = Any  # layout, device, pin_memory, memory_format: they do not exist in ONNX


def _code(dtype: int | None) -> int:
    return promotion.default_code() if dtype is None else dtype


def _filled(name: str, value: int) -> None:
    @converter(name)
    def convert(b: Builder, size: list[Any], dtype: int | None = None, *options: Options) -> Sym:
        return b.filled(size, value, _code(dtype))


for _name, _value in (("zeros", 0), ("ones", 1), ("empty.memory_format", 0)):
    _filled(_name, _value)


@converter("full")
def _full(b: Builder, size: list[Any], value: Any, dtype: int | None = None, *options: Options) -> Sym:
    if dtype is None and isinstance(value, Sym):
        dtype = promotion.default_code() if value.dtype == 7 else value.dtype
    elif dtype is None:
        dtype = 11 if isinstance(value, bool) else 4 if isinstance(value, int) else promotion.default_code()
    return b.filled(size, value, dtype)


def _like(b: Builder, x: Sym, value: Any, code: int) -> Sym:
    if x.static:
        return b.filled(list(x.shape or ()), value, code)
    return b.expand_to(b.cast(value, code), x)


for _name, _value in (("zeros_like", 0), ("ones_like", 1), ("empty_like", 0)):

    def _same_shape(b: Builder, x: Sym, dtype: int | None = None, *options: Options, value: int = _value) -> Sym:
        return _like(b, x, value, x.dtype if dtype is None else dtype)

    converter(_name)(_same_shape)


@converter("full_like")
def _full_like(b: Builder, x: Sym, value: Any, dtype: int | None = None, *options: Options) -> Sym:
    return _like(b, x, value, x.dtype if dtype is None else dtype)


for _name, _value in (("new_zeros", 0), ("new_ones", 1), ("new_empty", 0)):

    def _new(
        b: Builder, x: Sym, size: list[Any], dtype: int | None = None, *options: Options, value: int = _value
    ) -> Sym:
        return b.filled(size, value, x.dtype if dtype is None else dtype)

    converter(_name)(_new)


@converter("new_full")
def _new_full(b: Builder, x: Sym, size: list[Any], value: Any, dtype: int | None = None, *options: Options) -> Sym:
    return b.filled(size, value, x.dtype if dtype is None else dtype)


@converter("fill.Scalar|Tensor")
def _fill(b: Builder, x: Sym, value: Any) -> Sym:
    return _like(b, x, value, x.dtype)


converter("zero")(lambda b, x: _like(b, x, 0, x.dtype))


@converter("copy")
def _copy(b: Builder, x: Sym, source: Any, non_blocking: bool = False) -> Sym:
    return b.expand_to(b.cast(source, x.dtype), x)


@converter("copy_.Tensor|int|float")
def _copy_number(b: Builder, x: Sym, source: Any) -> Sym:
    return b.expand_to(b.cast(source, x.dtype), x)


converter("_no_grad_fill_")(lambda b, x, value: _like(b, x, value, x.dtype))
converter("_no_grad_zero_")(lambda b, x: _like(b, x, 0, x.dtype))


# -- ranges ------------------------------------------------------------------------------------------------------------
def arange(b: Builder, start: Any, end: Any, step: Any, dtype: int | None) -> Sym:
    """Numbers from start to end, end not included."""
    bounds = (start, end, step)
    if dtype is None:
        whole = all(v.dtype in (0, 1, 2, 3, 4) if isinstance(v, Sym) else isinstance(v, int) for v in bounds)
        dtype = 4 if whole else promotion.default_code()
    made = b.op("Range", *[b.cast(v, dtype) for v in bounds])
    if isinstance(end, Sym) and end.dim is not None and not isinstance(start, Sym) and start == 0 and step == 1:
        return b.shaped(made, (end.dim,))
    return made


converter("arange")(lambda b, end, dtype=None, *options: arange(b, 0, end, 1, dtype))
converter("arange.start")(lambda b, start, end, dtype=None, *options: arange(b, start, end, 1, dtype))
converter("arange.start_step")(lambda b, start, end, step=1, dtype=None, *options: arange(b, start, end, step, dtype))


@converter("range.step")
def _range(b: Builder, start: Any, end: Any, step: Any = 1, dtype: int | None = None, *options: Options) -> Sym:
    code = _code(dtype)
    return b.op("Range", b.cast(start, code), b.op("Add", b.cast(end, code), b.cast(step, code)), b.cast(step, code))


converter("range")(lambda b, start, end, dtype=None, *options: _range(b, start, end, 1, dtype))


@converter("linspace.|Tensor_Tensor|Tensor_Scalar|Scalar_Tensor")
def _linspace(b: Builder, start: Any, end: Any, steps: Any, dtype: int | None = None, *options: Options) -> Sym:
    code = _code(dtype)
    work = code if code in (6, 7) else 6
    start, end = b.cast(start, work), b.cast(end, work)
    if isinstance(steps, Sym):
        places = b.cast(b.op("Range", np.asarray(0), steps, np.asarray(1)), work)
        width = b.op("Div", b.op("Sub", end, start), b.op("Max", b.cast(b.op("Sub", steps, np.asarray(1)), work), 1))
        return b.cast(b.op("Add", start, b.op("Mul", places, width)), code)
    fractions = np.arange(steps) / max(steps - 1, 1)
    return b.cast(b.op("Add", start, b.op("Mul", b.op("Sub", end, start), b.constant(fractions, work))), code)


@converter("logspace.|Tensor_Tensor|Tensor_Scalar|Scalar_Tensor")
def _logspace(
    b: Builder, start: Any, end: Any, steps: Any, base: float = 10.0, dtype: int | None = None, *options: Options
) -> Sym:
    powers = _linspace(b, start, end, steps, 7)
    return b.cast(b.op("Pow", b.constant(float(base), 7), powers), _code(dtype))


@converter("new_empty_strided")
def _new_empty_strided(
    b: Builder, x: Sym, size: list[Any], stride: list[Any], dtype: int | None = None, *options: Options
) -> Sym:
    return b.filled(size, 0, x.dtype if dtype is None else dtype)


@converter("eye.|m")
def _eye(b: Builder, rows: Any, *args: Any) -> Sym:
    columns = args[0] if len(args) == 5 else rows
    code = _code(args[-4])
    across = b.op("Range", np.asarray(0), b.sym(columns, 4), np.asarray(1))
    down = b.op("Range", np.asarray(0), b.sym(rows, 4), np.asarray(1))
    return b.cast(b.op("Equal", b.unsqueeze(down, 1), b.unsqueeze(across, 0)), code)


@converter("block_diag")
def _block_diag(b: Builder, tensors: list[Sym]) -> Sym:
    blocks = [
        b.unsqueeze(t, 0) if b.rank(t) == 1 else b.reshape(t, [1, 1]) if not b.rank(t) else t
        for t in b.promote(*tensors)
    ]
    sizes = [b.size(t, 1) for t in blocks]
    if any(isinstance(s, Sym) for s in sizes):
        raise ExportError("block_diag of matrices whose sizes depend on the inputs", b.span)
    rows, left = [], 0
    for t, size in zip(blocks, sizes, strict=True):
        rows.append(b.op("Pad", t, b.ints(0, left, 0, sum(sizes) - left - size)))
        left += size
    return b.op("Concat", *rows, axis=0)


# -- conversions -------------------------------------------------------------------------------------------------------
converter("to.dtype")(lambda b, x, dtype, *rest: converted(b, x, dtype))
converter("to.device")(lambda b, x, device, dtype, *rest: converted(b, x, dtype))
converter("to.other")(lambda b, x, other, *rest: b.cast(x, other.dtype))
converter("type_as")(lambda b, x, other: b.cast(x, other.dtype))


@converter("to.dtype_layout", "to.prim_dtype", "to_dense", "_to_dense")
def _to(b: Builder, x: Sym, dtype: int | None = None, *rest: Any) -> Sym:
    return x if dtype is None else converted(b, x, dtype)


@converter("to.prim_Device", "as_tensor")
def _to_device(b: Builder, x: Sym, *args: Any) -> Sym:
    dtype = next((a for a in args[:2] if isinstance(a, int) and not isinstance(a, bool)), None)
    return x if dtype is None else converted(b, x, dtype)


converter("to.prim_other")(lambda b, x, *rest: x)
converter(
    "clone", "contiguous", "cpu", "detach", "data", "prim::data", "lift", "lift_fresh", "pin_memory", "coalesce", "detach_copy", "lift_fresh_copy"
)(lambda b, x, *rest: x)  # fmt: skip
converter("detach_")(lambda b, x: x)
for _name, _dtype in (
    ("Byte", 0),
    ("Char", 1),
    ("Double", 7),
    ("Float", 6),
    ("Half", 5),
    ("Int", 3),
    ("Long", 4),
    ("Short", 2),
):
    converter(f"_cast_{_name}")(lambda b, x, non_blocking=False, code=_dtype: b.cast(x, code))
converter("_shape_as_tensor")(lambda b, x: b.shape(x))


no_form("grad", "backward", "prim::grad", reason="ONNX has no gradients")
no_form("cuda", reason="ONNX has no devices: export the model from the CPU")
no_form("resize_", "resize_as_", "set_", "set_data", reason="it re-points a tensor to other memory")
no_form(
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "kaiser_window",
    reason="the length of a window must not depend on the inputs",
)
no_form("to_sparse", "sparse_coo_tensor", reason="ONNX Runtime has no sparse tensors")
