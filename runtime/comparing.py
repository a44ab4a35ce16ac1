"""Comparing tensors in tests, with messages that say where and how much they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.ir import dtypes
from linstock.runtime.creation import as_tensor, dtype_of
from linstock.runtime.tensor import Tensor

_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: Any = None,
) -> None:  # fmt: skip
    """Raise AssertionError unless two values (tensors, numbers, sequences and mappings of them) are close."""
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    try:
        _compare(actual, expected, "", rtol, atol, equal_nan, check_dtype, check_stride)
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg(str(error)) if callable(msg) else msg) from None


def _compare(
    a: Any, b: Any, path: str, rtol: float | None, atol: float | None, nan: bool, check_dtype: bool, check_stride: bool
) -> None:
    where = f"\n\nThe failure occurred for item {path}" if path else ""
    rest = (rtol, atol, nan, check_dtype, check_stride)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if a.keys() != b.keys():
            raise AssertionError(f"The keys of the mappings do not match: {sorted(a)} != {sorted(b)}{where}")
        for key in a:
            _compare(a[key], b[key], f"{path}[{key!r}]", *rest)
        return
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str):
        if len(a) != len(b):
            raise AssertionError(f"The length of the sequences mismatch: {len(a)} != {len(b)}{where}")
        for i, (x, y) in enumerate(zip(a, b)):
            _compare(x, y, f"{path}[{i}]", *rest)
        return
    if a is None or b is None or isinstance(a, str):
        if a is not b and a != b:
            raise AssertionError(f"Object comparison failed: {a!r} != {b!r}{where}")
        return
    numbers = not isinstance(a, (Tensor, np.ndarray)) and not isinstance(b, (Tensor, np.ndarray))
    x, y = as_tensor(a).detach(), as_tensor(b).detach()
    if x.is_quantized:
        x, y = x.dequantize(), y.dequantize()
    if x.shape != y.shape:
        raise AssertionError(f"The values for attribute 'shape' do not match: {x.shape} != {y.shape}.{where}")
    if check_dtype and x.dtype is not y.dtype and not numbers:
        raise AssertionError(f"The values for attribute 'dtype' do not match: {x.dtype} != {y.dtype}.{where}")
    if check_stride and x.stride() != y.stride():
        raise AssertionError(f"The values for attribute 'stride()' do not match: {x.stride()} != {y.stride()}.{where}")
    _compare_values(x, y, where, rtol, atol, nan)


def _compare_values(x: Tensor, y: Tensor, where: str, rtol: float | None, atol: float | None, nan: bool) -> None:
    if rtol is None or atol is None:
        pairs = [_TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (x, y)]
        rtol, atol = max(p[0] for p in pairs), max(p[1] for p in pairs)
    common = dtypes.numpy_of(dtypes.promote_codes(x.dtype.code, y.dtype.code))
    wide = np.complex128 if common.kind == "c" else np.float64 if promotion.is_inexact(common) else common
    a, b = x._array.astype(wide), y._array.astype(wide)
    with np.errstate(all="ignore"):
        close = np.isclose(a, b, rtol, atol, nan) if common.kind not in "biu" or rtol or atol else a == b
    if close.all():
        return
    with np.errstate(all="ignore"):
        difference = np.abs(a.astype(np.complex128 if common.kind == "c" else np.float64) - b)
        difference = np.where(close, 0, difference)
        relative = difference / np.abs(b)
    bad = int(close.size - close.sum())
    at = np.unravel_index(int(np.nanargmax(difference)) if not np.isnan(difference).all() else 0, a.shape)
    at_relative = np.unravel_index(int(np.nanargmax(relative)) if not np.isnan(relative).all() else 0, a.shape)
    kind = "Tensor-likes" if a.ndim else "Scalars"
    raise AssertionError(
        f"{kind} are not close!\n\nMismatched elements: {bad} / {close.size} ({100 * bad / close.size:.1f}%)\n"
        f"Greatest absolute difference: {difference[at]} at index {tuple(int(i) for i in at)} (up to {atol} allowed)\n"
        f"Greatest relative difference: {relative[at_relative]} at index {tuple(int(i) for i in at_relative)} "
        f"(up to {rtol} allowed){where}"
    )


def assert_allclose(actual: Any, expected: Any, rtol: Any = None, atol: Any = None, equal_nan: bool = True) -> None:
    """The older form of `assert_close`: types may differ, NaN equals NaN."""
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False)


def make_tensor(
    *shape: Any, dtype: Any, device: Any = "cpu", low: float | None = None, high: float | None = None,
    requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False,
) -> Tensor:  # fmt: skip
    """A random tensor for a test: uniform between `low` and `high` (by default -9 and 9, for integers -9 and 10)."""
    from linstock.backends.array.generator import default_generator
    from linstock.runtime.dispatch import wrap

    kind = dtype_of(dtype)
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else tuple(shape)
    count = int(np.prod(sizes)) if sizes else 1
    uniform = default_generator.uniform64(count * (2 if kind.is_complex else 1))
    integral = not (kind.is_floating_point or kind.is_complex)
    bottom = (0 if not kind.is_signed else -9) if low is None else low
    top = (2 if kind.name == "bool" else 10 if integral else 9) if high is None else high
    values = bottom + uniform * (top - bottom)
    if kind.is_complex:
        array = (values[0::2] + 1j * values[1::2]).astype(kind.numpy)
    else:
        array = (np.floor(values) if integral else values).astype(kind.numpy)
    if exclude_zero:
        array[array == 0] = 1
    array = array.reshape(sizes)
    if noncontiguous and array.size > 1:
        array = np.repeat(array[..., None], 2, -1)[..., 0] if array.ndim else array
    made = wrap(array)
    return made.requires_grad_() if requires_grad else made
