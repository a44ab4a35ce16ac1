"""Reductions: sums, means, extremes, logic, moments. Cumulative ones and differences are in `reduction_scan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod as _product
from typing import Any

import numpy as np

from linstock.ir import dtypes

from . import promotion as P
from .casting import convert
from .constructors import type_name, unsupported
from .memory import Array, DType, row_major, wrap, wrap_all
from .registry import kernel

Dims = Sequence[int] | int | None

_ADD: Any = np.add  # Any: NumPy's stubs have no overload of `reduce` for a `keepdims` that is a variable
_MULTIPLY: Any = np.multiply

#: from this many float32 numbers on, sums over other dimensions than the last accumulate in float64
_LONG = 4096


def axes_of(dim: Dims, ndim: int) -> tuple[int, ...] | None:
    """NumPy's `axis` for a list of dimensions: None (all of them) for None and an empty list."""
    if dim is None:
        return None
    if isinstance(dim, int):
        dim = wrap(dim, ndim)
        return (dim,) if ndim else None
    if not dim:
        return None
    if len(dim) == 1 and 0 <= dim[0] < ndim:
        return (dim[0],)
    return wrap_all(dim, ndim) if ndim else wrap_all(dim, 0) and None


def counted(shape: Sequence[int], axes: tuple[int, ...] | None) -> int:
    """How many elements go into each result."""
    return _product(shape) if axes is None else _product([shape[d] for d in axes])


def _retyped(a: Array, dtype: int | None) -> Array:
    """The array in the type asked for; integers and bools as int64 where none is."""
    if dtype is None:
        return a if P.is_inexact(a.dtype) or a.dtype == P.INT64 else a.astype(P.INT64)
    to = dtypes.numpy_of(dtype)
    return a if a.dtype == to else convert(a, to)


def total(a: Array, axes: tuple[int, ...] | None, keepdim: bool = False) -> Array:
    """The sum in the array's own type; float16 and bfloat16 are added up in float32."""
    dtype = a.dtype
    if P.is_low(dtype):
        return convert(total(a.astype(np.float32), axes, keepdim), dtype)
    if dtype.itemsize == 4 and axes is not None and a.size > _LONG and counted(a.shape, axes) > _LONG:
        if a.ndim - 1 not in axes and dtype == P.FLOAT32:
            return row_major(_ADD.reduce(a, axes, P.FLOAT64, keepdims=keepdim)).astype(dtype)
    return row_major(_ADD.reduce(a, axes, dtype, keepdims=keepdim))


@kernel("aten::sum.dim_IntList")
def sum_dim(a: Array, dim: Dims, keepdim: bool = False, dtype: int | None = None) -> Array:
    """Sums over dimensions (all for None or none); integers add up to int64."""
    return total(_retyped(a, dtype), axes_of(dim, a.ndim), keepdim)


@kernel("aten::sum")
def sum_(a: Array, dtype: int | None = None) -> Array:
    """The sum of all elements."""
    return total(_retyped(a, dtype), None)


@kernel("aten::sum.complex")
def sum_numbers(values: Sequence[complex]) -> complex:
    """The sum of a list of complex numbers."""
    return sum(values, 0j)


@kernel("aten::sum_to_size", "aten::_grad_sum_to_size")
def sum_to_size(a: Array, size: Sequence[int] | None) -> Array:
    """Summed over the dimensions along which `size` would be expanded to `a`'s shape."""
    if size is None:
        return a
    if not size:
        return total(_retyped(a, None), None)
    if tuple(size) == a.shape:
        return a
    new = a.ndim - len(size)
    if new < 0 or any(n != 1 and n != m for n, m in zip(size, a.shape[new:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(a.shape)}}}.")
    axes = tuple(range(new)) + tuple([i + new for i, n in enumerate(size) if n == 1 and a.shape[i + new] != 1])
    return total(_retyped(a, None), axes, True).reshape(size)


def _mean_dtype(a: Array, dtype: int | None, name: str) -> DType:
    to = a.dtype if dtype is None else dtypes.numpy_of(dtype)
    if not P.is_inexact(to):
        what = "Input dtype" if dtype is None else "Optional dtype"
        raise RuntimeError(
            f"{name}(): could not infer output dtype. {what} must be either a floating point or complex dtype. Got: "
            f"{type_name(to)}"
        )
    return to


@kernel("aten::mean.dim")
def mean_dim(a: Array, dim: Dims, keepdim: bool = False, dtype: int | None = None) -> Array:
    """Means over dimensions (all for None or none)."""
    to = _mean_dtype(a, dtype, "mean")
    x = P.wide(a if a.dtype == to else convert(a, to))
    axes = axes_of(dim, a.ndim)
    out = total(x, axes, keepdim)
    n = counted(a.shape, axes)
    if n:
        np.divide(out, n, out=out)
    else:
        out.fill(np.nan)
    return out if x.dtype == to else convert(out, to)


@kernel("aten::mean")
def mean(a: Array, dtype: int | None = None) -> Array:
    """The mean of all elements."""
    return mean_dim(a, None, False, dtype)


@kernel("aten::nansum")
def nansum(a: Array, dim: Dims = None, keepdim: bool = False, dtype: int | None = None) -> Array:
    """Sums in which NaN counts as 0."""
    if a.dtype.kind == "c":
        raise RuntimeError("nansum does not support complex inputs")
    x = _retyped(a, dtype)
    if P.is_inexact(x.dtype):
        x = np.where(np.isnan(x), x.dtype.type(0), x)
    return total(x, axes_of(dim, a.ndim), keepdim)


@kernel("aten::nanmean")
def nanmean(a: Array, dim: Dims = None, keepdim: bool = False, dtype: int | None = None) -> Array:
    """Means over the elements that are not NaN."""
    if not P.is_inexact(a.dtype):
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {type_name(a.dtype)}"
        )
    if a.dtype.kind == "c":
        raise RuntimeError("nansum does not support complex inputs")
    axes = axes_of(dim, a.ndim)
    if dtype is not None:
        _mean_dtype(a, dtype, "nanmean")
    count = np.asarray(_ADD.reduce(~np.isnan(a), axes, P.INT64, keepdims=keepdim))
    to = a.dtype if dtype is None else dtypes.numpy_of(dtype)
    x = P.wide(a if a.dtype == to else convert(a, to))
    added = total(np.where(np.isnan(x), x.dtype.type(0), x), axes, keepdim)
    with np.errstate(all="ignore"):
        return np.asarray(added / count.astype(P.real_of(x.dtype))).astype(to, copy=False)


def _prod(a: Array, axes: tuple[int, ...] | None, keepdim: bool) -> Array:
    dtype = a.dtype
    with np.errstate(all="ignore"):
        if P.is_low(dtype):
            return convert(row_major(_MULTIPLY.reduce(a.astype(np.float32), axes, keepdims=keepdim)), dtype)
        return row_major(_MULTIPLY.reduce(a, axes, dtype, keepdims=keepdim))


@kernel("aten::prod.dim_int")
def prod_dim(a: Array, dim: int, keepdim: bool = False, dtype: int | None = None) -> Array:
    """Products over one dimension."""
    return _prod(_retyped(a, dtype), axes_of(dim, a.ndim), keepdim)


@kernel("aten::prod")
def prod(a: Array, dtype: int | None = None) -> Array:
    """The product of all elements."""
    return _prod(_retyped(a, dtype), None, False)


# ---- extremes -----------------------------------------------------------------------------------------------------


def _ordered(a: Array, name: str) -> None:
    if a.dtype.kind == "c":
        unsupported(name, a.dtype)


def _extreme(f: Any, a: Array, axes: tuple[int, ...] | None, keepdim: bool = False) -> Array:
    """The largest or smallest elements, NaN where there is one."""
    with np.errstate(invalid="ignore"):
        if P.is_low(a.dtype):
            return row_major(f.reduce(a.astype(np.float32), axes, keepdims=keepdim)).astype(a.dtype)
        return row_major(f.reduce(a, axes, keepdims=keepdim))


def not_empty(a: Array, axes: tuple[int, ...] | None, name: str, dim: Dims) -> None:
    """Raise where nothing goes into a result that needs something: RuntimeError without dimensions, IndexError with."""
    if a.size:
        return
    if axes is None:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the "
            "'dim' argument."
        )
    for d in axes:
        if not a.shape[d]:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _register_extremes(name: str, f: Any, arg: Callable[..., Any]) -> None:
    def whole(a: Array) -> Array:
        _ordered(a, f"{name}_all")
        if not a.size:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with "
                "the 'dim' argument."
            )
        return _extreme(f, a, None)

    def by_dim(a: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
        if a.dtype.kind == "c":
            raise RuntimeError(f"{name}(): does not support complex input")
        axes = axes_of(dim, a.ndim)
        if axes is None:
            return a.copy(), np.zeros((), np.int64)
        not_empty(a, axes, name, dim)
        x = P.wide(a)
        indices = row_major(arg(x, axes[0], keepdims=keepdim))
        return _extreme(f, x, axes, keepdim).astype(a.dtype, copy=False), indices

    def pairwise(a: Array, other: Array) -> Array:
        dtype = P.result_type(a, other)
        if dtype.kind == "c":
            raise RuntimeError(f"{name}imum not implemented for complex tensors.")
        with np.errstate(invalid="ignore"):
            wide = P.wide_dtype(dtype)
            return np.asarray(f(P.cast(a, wide), P.cast(other, wide))).astype(dtype, copy=False)

    def over(a: Array, dim: Dims = (), keepdim: bool = False) -> Array:
        _ordered(a, f"a{name}")
        axes = axes_of(dim, a.ndim)
        not_empty(a, axes, f"a{name}", dim)
        return _extreme(f, a, axes, keepdim)

    def position(a: Array, dim: int | None = None, keepdim: bool = False) -> Array:
        if a.dtype.kind == "b":
            raise RuntimeError(f"arg{name}(): does not support bool input")
        if a.dtype.kind == "c":
            unsupported(f"arg{name}_cpu", a.dtype)
        if dim is None and not a.size:
            raise IndexError(
                f"arg{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                "dim with "
                "the 'dim' argument."
            )
        axes = axes_of(dim, a.ndim)
        not_empty(a, axes, f"arg{name}", dim)
        return row_major(arg(P.wide(a), None if axes is None else axes[0], keepdims=keepdim))

    kernel(f"aten::{name}")(whole)
    kernel(f"aten::{name}.dim")(by_dim)
    kernel(f"aten::{name}.other")(pairwise)
    kernel(f"aten::a{name}")(over)
    kernel(f"aten::arg{name}")(position)


_register_extremes("max", np.maximum, np.argmax)
_register_extremes("min", np.minimum, np.argmin)


@kernel("aten::aminmax")
def aminmax(a: Array, dim: int | None = None, keepdim: bool = False) -> tuple[Array, Array]:
    """The smallest and the largest elements."""
    _ordered(a, "aminmax")
    axes = axes_of(dim, a.ndim)
    not_empty(a, axes, "aminmax", dim)
    if dim is None and keepdim:
        shape = (1,) * a.ndim
        return _extreme(np.minimum, a, None).reshape(shape), _extreme(np.maximum, a, None).reshape(shape)
    return _extreme(np.minimum, a, axes, keepdim), _extreme(np.maximum, a, axes, keepdim)


# ---- logic and counting -------------------------------------------------------------------------------------------


def _register_logic(name: str, f: Any) -> None:
    def reduce(a: Array, axes: tuple[int, ...] | None, keepdim: bool) -> Array:
        out = row_major(f.reduce(a if a.dtype.kind == "b" else a != 0, axes, keepdims=keepdim))
        return out.astype(np.uint8) if a.dtype == np.uint8 else out

    def whole(a: Array) -> Array:
        return reduce(a, None, False)

    def by_dim(a: Array, dim: int, keepdim: bool = False) -> Array:
        return reduce(a, axes_of(dim, a.ndim), keepdim)

    def by_dims(a: Array, dim: Sequence[int] | None = None, keepdim: bool = False) -> Array:
        if dim is not None and not dim and a.ndim:
            return reduce(np.ascontiguousarray(a)[None], (0,), False)
        return reduce(a, axes_of(dim, a.ndim), keepdim)

    kernel(f"aten::{name}")(whole)
    kernel(f"aten::{name}.dim")(by_dim)
    kernel(f"aten::{name}.dims")(by_dims)


_register_logic("all", np.logical_and)
_register_logic("any", np.logical_or)


@kernel("aten::_is_all_true")
def is_all_true(a: Array) -> Array:
    """Whether every element of a bool array is true."""
    return np.asarray(np.logical_and.reduce(a, None))


@kernel("aten::_is_any_true")
def is_any_true(a: Array) -> Array:
    """Whether any element of a bool array is true."""
    return np.asarray(np.logical_or.reduce(a, None))


@kernel("aten::count_nonzero", "aten::count_nonzero.dim_IntList")
def count_nonzero(a: Array, dim: Dims = None) -> Array:
    """How many elements are not zero."""
    return row_major(_ADD.reduce(a != 0, axes_of(dim, a.ndim), P.INT64))


@kernel("aten::is_nonzero")
def is_nonzero(a: Array) -> bool:
    """Whether the only element is not zero."""
    if a.size != 1:
        what = "no values" if not a.size else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(a.reshape(-1)[0] != 0)


@kernel("aten::equal")
def equal(a: Array, other: Array) -> bool:
    """Whether shapes and all elements are the same."""
    if a.shape != other.shape:
        return False
    if a.dtype == other.dtype:
        return bool((a == other).all())
    dtype = P.wide_dtype(P.result_type(a, other))
    return bool((P.cast(a, dtype) == P.cast(other, dtype)).all())


@kernel("aten::allclose")
def allclose(a: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements differ by at most atol + rtol |other|."""
    if a.dtype != other.dtype:
        raise RuntimeError(f"{type_name(a.dtype)} did not match {type_name(other.dtype)}")
    if rtol < 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if atol < 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    with np.errstate(all="ignore"):
        return bool(np.all(np.isclose(P.wide(a), P.wide(other), rtol, atol, equal_nan)))


# ---- moments ------------------------------------------------------------------------------------------------------


def _moments(a: Array, dim: Dims, correction: float, keepdim: bool, name: str) -> tuple[Array, Array]:
    """Variance and mean, in float64 or complex128: the variance of equal numbers is exactly 0."""
    if not P.is_inexact(a.dtype):
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    axes = axes_of(dim, a.ndim)
    x = a.astype(P.COMPLEX128 if a.dtype.kind == "c" else P.FLOAT64, copy=False)
    n = counted(a.shape, axes)
    with np.errstate(all="ignore"):
        mean = row_major(_ADD.reduce(x, axes, keepdims=True) / np.float64(n))
        away = x - mean
        squares = away.real * away.real + away.imag * away.imag if x.dtype.kind == "c" else away * away
        freedom = np.float64(max(n - correction, 0))
        variance = row_major(_ADD.reduce(squares, axes, keepdims=keepdim) / freedom)
    if not keepdim:
        mean = mean.reshape(variance.shape)
    return variance, mean


def _register_moments(name: str, root: bool) -> None:
    def finish(variance: Array, a: Array) -> Array:
        return convert(np.asarray(np.sqrt(variance)) if root else variance, P.real_of(a.dtype))

    def of(a: Array, dim: Dims, correction: float, keepdim: bool) -> Array:
        return finish(_moments(a, dim, correction, keepdim, "std and var")[0], a)

    def with_mean(a: Array, dim: Dims, correction: float, keepdim: bool) -> tuple[Array, Array]:
        variance, mean = _moments(a, dim, correction, keepdim, f"{name}_mean")
        return finish(variance, a), convert(mean, a.dtype)

    for suffix, function in (("", of), ("_mean", with_mean)):
        _register_signatures(f"aten::{name}{suffix}", function)


def _register_signatures(name: str, function: Callable[..., Any]) -> None:
    def whole(a: Array, unbiased: bool = True) -> Any:
        return function(a, None, float(unbiased), False)

    def by_dim(a: Array, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> Any:
        return function(a, dim, float(unbiased), keepdim)

    def corrected(a: Array, dim: Dims = None, correction: Any = None, keepdim: bool = False) -> Any:
        return function(a, dim, 1.0 if correction is None else float(correction), keepdim)

    kernel(name)(whole)
    kernel(f"{name}.dim")(by_dim)
    kernel(f"{name}.correction")(corrected)


_register_moments("var", False)
_register_moments("std", True)

from . import reduction_scan  # noqa: E402, F401  (registration)
