"""Comparison of array kernels with PyTorch's operators, for the interop tests."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of
from linstock.ir import dtypes

#: relative and absolute tolerance by element type; everything else must be equal
TOLERANCE = {
    "float32": (2e-5, 2e-6), "float64": (1e-9, 1e-10), "complex64": (5e-5, 1e-5), "complex128": (1e-9, 1e-10),
    "float16": (2e-3, 1e-3), "bfloat16": (1.6e-2, 1e-2),
}  # fmt: skip
NAMES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip


def sample(name: str, shape: tuple[int, ...] = (12,), seed: int = 0, positive: bool = False) -> np.ndarray[Any, Any]:
    """Random elements of a type; twelve floating-point ones begin with zeros, units, infinities, NaN and a half."""
    rng, dtype = np.random.default_rng(seed), dtypes.by_name(name).numpy
    size = int(np.prod(shape))
    if name == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if positive or dtype.kind == "u" else -7, 9, shape).astype(dtype)
    values = rng.normal(scale=3, size=size)
    if dtype.kind == "c":
        values = values + 1j * rng.normal(scale=3, size=size)
    elif size >= 12:
        values[:8] = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5]
    if positive:
        values = np.abs(values)
    return np.asarray(values).astype(dtype).reshape(shape)


def to_torch(value: Any) -> Any:
    """Arrays, also those in lists, as PyTorch tensors."""
    torch = pytest.importorskip("torch")
    if isinstance(value, list):
        return [to_torch(v) for v in value]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(value.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(value.copy(order="K"))


def to_numpy(tensor: Any) -> np.ndarray[Any, Any]:
    """A PyTorch tensor as an array."""
    torch = pytest.importorskip("torch")
    tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        return np.asarray(tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16))
    return np.asarray(tensor.numpy())


def difference(got: Any, want: Any) -> str | None:
    """What is wrong with a kernel's result, or None."""
    torch = pytest.importorskip("torch")
    if isinstance(want, (list, tuple)):
        if type(got) is not type(want) or len(got) != len(want):
            return f"{got!r}, expected {want!r}"
        return next((d for d in map(difference, got, want) if d), None)
    if not isinstance(want, torch.Tensor):
        if type(got) is not type(want):
            return f"{got!r}, expected {want!r}"
        if isinstance(want, (float, complex)):
            same = got == want or bool(np.isclose(got, want, rtol=1e-9, atol=1e-12, equal_nan=True))
            return None if same else f"{got!r}, expected {want!r}"
        return None if got == want else f"{got!r}, expected {want!r}"
    expected = to_numpy(want)
    if not isinstance(got, np.ndarray) or got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{getattr(got, 'dtype', got)} {getattr(got, 'shape', '')}, expected {expected.dtype} {expected.shape}"
    tolerance = TOLERANCE.get(dtypes.from_numpy(expected.dtype).name)
    if tolerance is None:
        same = bool(np.array_equal(got, expected))
    else:
        if expected.dtype.itemsize == 2:
            got, expected = got.astype(np.float32), expected.astype(np.float32)
        same = np.allclose(got, expected, *tolerance, equal_nan=True)
    return None if same else f"{got!r}, expected {expected!r}"


def near(name: str, *arguments: Any, rtol: float | None = None) -> None:
    """Like `compare`, but differences are measured against the largest value of the result: for long sums."""
    torch = pytest.importorskip("torch")
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    operator = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
    want, got = operator(*[to_torch(a) for a in arguments]), kernel_of(name)(*arguments)
    wants, gots = (want, got) if isinstance(want, tuple) else ((want,), (got,))
    for w, g in zip(wants, gots, strict=True):
        expected = to_numpy(w)
        assert (g.dtype, g.shape) == (expected.dtype, expected.shape), name
        if not expected.size:
            continue
        wide = np.complex128 if expected.dtype.kind == "c" else np.float64
        single = expected.dtype in (np.float32, np.complex64)
        allowed = rtol or (1e-2 if expected.itemsize == 2 else 1e-5 if single else 1e-10)
        expected, g = expected.astype(wide), g.astype(wide)
        finite = np.isfinite(expected)
        assert np.array_equal(np.isfinite(g), finite), f"{name}: {g}, expected {expected}"
        if not finite.any():
            continue
        off = np.abs(g - expected)[finite].max() / max(1.0, np.abs(expected)[finite].max())
        assert off <= allowed, f"{name}: relative difference {off}"


def compare(name: str, *arguments: Any, keywords: tuple[str, ...] = ()) -> None:
    """Call a kernel and PyTorch's operator; the last arguments go to PyTorch by keyword. Fails where they differ."""
    torch = pytest.importorskip("torch")
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    operator = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
    theirs = [to_torch(a) for a in arguments]
    split = len(theirs) - len(keywords)
    want: Any = None
    try:
        want = operator(*theirs[:split], **dict(zip(keywords, theirs[split:])))
    except Exception as error:
        if "ComplexHalf" in str(error) or isinstance(error, UnicodeDecodeError):  # beyond what Python can hold
            return
        with np.errstate(all="ignore"), pytest.raises((RuntimeError, ValueError, IndexError, TypeError)):
            kernel_of(name)(*arguments)
        return
    if isinstance(want, torch.Tensor) and want.dtype == torch.complex32:
        return
    with np.errstate(all="ignore"):
        problem = difference(kernel_of(name)(*arguments), want)
    assert problem is None, f"{name}{tuple(arguments)}: {problem}"
