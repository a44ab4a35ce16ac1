"""New tensors along a range: arange, linspace, logspace; and window functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device

from . import promotion as P
from .casting import convert
from .factory import check_device, dtype_of, item
from .memory import Array, DType
from .registry import kernel


def _finite(start: Any, end: Any) -> None:
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")


def _check_step(start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    _finite(start, end)
    if (end - start) * (1 if step > 0 else -1) < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _arange(start: Any, end: Any, step: Any, dtype: DType) -> Array:
    if any(isinstance(x, complex) for x in (start, end, step)):
        raise RuntimeError('"arange_cpu" not implemented for complex bounds')
    if dtype == np.int64:
        start, end, step = int(start), int(end), int(step)
    _check_step(start, end, step)
    if dtype == np.int64:
        return np.arange(start, end, step, dtype=np.int64)
    n = max(math.ceil((float(end) - float(start)) / float(step)), 0)
    if dtype.kind in "iu":
        return convert(np.arange(n, dtype=np.int64) * int(step) + int(start), dtype)
    if dtype.kind == "b":
        if n > 2:
            raise RuntimeError("arange() of type bool may have at most two elements")
        return convert(np.arange(n) * step + start, dtype)
    return _from(start, step, n, dtype)


def _range_dtype(dtype: int | None, *bounds: Any) -> DType:
    if dtype is not None:
        return dtypes.numpy_of(dtype)
    return P.default_dtype() if any(isinstance(x, float) for x in bounds) else P.INT64


@kernel("aten::arange.start_step")
def arange(
    start: Any, end: Any, step: Any = 1, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Numbers from `start` up to `end`, which is left out; int64 unless a bound is a float."""
    check_device(device, layout)
    return _arange(start, end, step, _range_dtype(dtype, start, end, step))


@kernel("aten::arange.start")
def arange_start(
    start: Any, end: Any, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Numbers from `start` up to `end`, one apart."""
    return arange(start, end, 1, dtype, layout, device)


@kernel("aten::arange")
def arange_end(
    end: Any, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Numbers from 0 up to `end`, one apart."""
    return arange(0, end, 1, dtype, layout, device)


@kernel("aten::arange.start_out")
def arange_start_out(start: Any, end: Any, step: Any, out: Array) -> Array:
    """`arange` in the type of `out`."""
    return _into(out, _arange(start, end, step, out.dtype))


@kernel("aten::arange.out")
def arange_out(end: Any, out: Array) -> Array:
    """`arange` in the type of `out`."""
    return _into(out, _arange(0, end, 1, out.dtype))


def _into(out: Array, result: Array) -> Array:
    if out.shape != result.shape:
        return result
    out[...] = result
    return out


@kernel("aten::range.step")
def range_step(
    start: Any, end: Any, step: Any = 1, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Numbers from `start` to `end`, which is included."""
    check_device(device, layout)
    return _range(start, end, step, dtype_of(dtype))


def _range(start: Any, end: Any, step: Any, to: DType) -> Array:
    _check_step(start, end, step)
    inner: Any = np.float32 if P.is_low(to) else np.float64
    n = int((inner(end) - inner(start)) / inner(step) + 1)
    if to.kind in "iu":
        return (np.arange(n, dtype=np.int64) * int(step) + int(start)).astype(to)
    return _from(start, step, n, to)


def _from(start: Any, step: Any, n: int, dtype: DType) -> Array:
    """`n` floating-point numbers, computed in the accumulation type and rounded once."""
    inner: Any = np.float32 if P.is_low(dtype) else np.float64
    return convert(np.arange(n).astype(inner) * inner(step) + inner(start), dtype)


@kernel("aten::range")
def range_(
    start: Any, end: Any, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
    pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Numbers from `start` to `end`, one apart."""
    return range_step(start, end, 1, dtype, layout, device)


@kernel("aten::range.out")
def range_out(start: Any, end: Any, step: Any, out: Array) -> Array:
    """`range` in the type of `out`."""
    return _into(out, _range(start, end, step, out.dtype))


@kernel("aten::range.out_")
def range_out_(start: Any, end: Any, out: Array) -> Array:
    """`range` in the type of `out`."""
    return _into(out, _range(start, end, 1, out.dtype))


def _number(x: Any, name: str) -> Any:
    if isinstance(x, np.ndarray):
        if x.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got {x.ndim} dimension(s)."
            )
        return item(x)
    return x


def _points(start: Any, end: Any, steps: int, dtype: DType) -> Array:
    """`steps` numbers from start to end, counted from the nearer end."""
    i = np.arange(steps)
    step = (end - start) / dtype.type(steps - 1)
    near, far = start + step * i.astype(dtype), end - step * (steps - 1 - i).astype(dtype)
    return np.asarray(np.where(i < steps // 2, near, far))


def _spaced(
    name: str, start: Any, end: Any, steps: int, dtype: int | None, layout: int | None, device: Device | None
) -> tuple[Array | None, Any, Any, DType]:
    check_device(device, layout)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = _number(start, name), _number(end, name)
    if isinstance(start, complex) or isinstance(end, complex):
        code = 10 if P.default_code() == 7 else 9
        to = dtypes.numpy_of(code if dtype is None else dtype)
        if to.kind != "c":
            raise RuntimeError(f"{name}(): inferred dtype complex can't be safely cast to passed dtype {to.name}")
    else:
        to = dtype_of(dtype)
    return (np.empty(0, to) if steps == 0 else None), start, end, to


def linspace(
    start: Any, end: Any, steps: int, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """`steps` numbers evenly from `start` to `end`, both included."""
    done, start, end, to = _spaced("linspace", start, end, steps, dtype, layout, device)
    if done is not None:
        return done
    inner = P.FLOAT64 if to.kind in "iu" else P.FLOAT32 if P.is_low(to) else to
    if to.kind in "iu":
        start, end = int(start), int(end)
    start, end = inner.type(start), inner.type(end)
    if steps == 1:
        return convert(np.full(1, start, inner), to)
    return convert(_points(start, end, steps, inner), to)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """Powers of `base` whose exponents go evenly from `start` to `end`."""
    done, start, end, to = _spaced("logspace", start, end, steps, dtype, layout, device)
    if done is not None:
        return done
    inner = P.COMPLEX128 if to.kind == "c" else P.FLOAT64
    if to.kind in "iu":
        start, end = int(start), int(end)
    start, end = inner.type(start), inner.type(end)
    exponents = np.full(1, start, inner) if steps == 1 else _points(start, end, steps, inner)
    with np.errstate(all="ignore"):
        return convert(np.power(inner.type(base), exponents), to)


_OVERLOADS = ("", ".Tensor_Tensor", ".Tensor_Scalar", ".Scalar_Tensor")
kernel(*["aten::linspace" + o for o in _OVERLOADS])(linspace)
kernel(*["aten::logspace" + o for o in _OVERLOADS])(logspace)


# ---- windows ------------------------------------------------------------------------------------------------------


def _cosines(coefficients: tuple[float, ...], n: int) -> Array:
    angle = np.arange(n) * (2 * math.pi / (n - 1))
    out = np.full(n, coefficients[0])
    for k, c in enumerate(coefficients[1:], 1):
        out += (-c if k % 2 else c) * np.cos(k * angle)
    return out


def _bartlett(n: int) -> Array:
    return 1 - np.abs(2 * np.arange(n) / (n - 1) - 1)


def _window(
    name: str, shape: Callable[[int], Array], n: int, periodic: bool, dtype: int | None, layout: int | None,
    device: Device | None,
) -> Array:  # fmt: skip
    check_device(device, layout)
    to = dtype_of(dtype)
    if to.kind == "c" or not P.is_inexact(to):
        raise RuntimeError(f"{name}_window() expects floating point dtypes, got: {to.name}")
    if n < 0:
        raise RuntimeError(f"{name}_window requires non-negative window_length, got window_length={n}")
    if n <= 1:
        return np.ones(n, to)
    values = shape(n + 1)[:n] if periodic else shape(n)
    return convert(np.ascontiguousarray(values), to)


def _register(name: str, shape: Callable[[int], Array]) -> None:
    def periodic(
        window_length: int, periodic: bool, dtype: int | None = None, layout: int | None = None,
        device: Device | None = None, pin_memory: bool | None = None,
    ) -> Array:  # fmt: skip
        return _window(name, shape, window_length, periodic, dtype, layout, device)

    def plain(
        window_length: int, dtype: int | None = None, layout: int | None = None, device: Device | None = None,
        pin_memory: bool | None = None,
    ) -> Array:  # fmt: skip
        return _window(name, shape, window_length, True, dtype, layout, device)

    kernel(f"aten::{name}_window.periodic")(periodic)
    kernel(f"aten::{name}_window")(plain)


def _kaiser(n: int, beta: float = 12.0) -> Array:
    side = 2 * np.arange(n) / (n - 1) - 1
    return np.i0(beta * np.sqrt(np.clip(1 - side * side, 0, None))) / np.i0(beta)


_register("hann", lambda n: _cosines((0.5, 0.5), n))
_register("hamming", lambda n: _cosines((0.54, 0.46), n))
_register("blackman", lambda n: _cosines((0.42, 0.5, 0.08), n))
_register("bartlett", _bartlett)
_register("kaiser", _kaiser)


@kernel("aten::hamming_window.periodic_alpha_beta")
def hamming_window(
    window_length: int, periodic: bool, alpha: float, beta: float, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """alpha - beta cos."""
    return _window("hamming", lambda n: _cosines((alpha, beta), n), window_length, periodic, dtype, layout, device)


@kernel("aten::hamming_window.periodic_alpha")
def hamming_window_alpha(
    window_length: int, periodic: bool, alpha: float, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """alpha - 0.46 cos."""
    return hamming_window(window_length, periodic, alpha, 0.46, dtype, layout, device)


@kernel("aten::kaiser_window.beta")
def kaiser_window(
    window_length: int, periodic: bool, beta: float, dtype: int | None = None, layout: int | None = None,
    device: Device | None = None, pin_memory: bool | None = None,
) -> Array:  # fmt: skip
    """The Kaiser window of a shape parameter."""
    return _window("kaiser", lambda n: _kaiser(n, beta), window_length, periodic, dtype, layout, device)
