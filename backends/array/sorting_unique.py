"""Distinct elements and membership."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name, unsupported
from .memory import Array, wrap
from .registry import kernel


def _none() -> Array:
    return np.empty(0, np.int64)


def _checked(a: Array) -> Array:
    if a.dtype.kind == "c":
        unsupported("unique", a.dtype)
    return P.wide(a)


@kernel("aten::_unique2")
def unique2(
    a: Array, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Array, Array, Array]:
    """The distinct elements in order, where each element is among them, and how often each occurs."""
    x = _checked(a)
    values, inverse, counts = np.unique(x.reshape(-1), return_inverse=True, return_counts=True, equal_nan=False)
    return (
        values.astype(a.dtype, copy=False),
        inverse.reshape(a.shape).astype(np.int64, copy=False) if return_inverse else _none(),
        counts.astype(np.int64, copy=False) if return_counts else _none(),
    )


@kernel("aten::_unique")
def unique(a: Array, sorted: bool = True, return_inverse: bool = False) -> tuple[Array, Array]:
    """The distinct elements in order, and where each element is among them."""
    return unique2(a, sorted, return_inverse)[:2]


def _flat_lanes(a: Array, dim: int) -> Array:
    """One row per slice of the dimension."""
    return np.moveaxis(_checked(a), dim, 0).reshape(a.shape[dim], -1)


def _check_sizes(a: Array, dim: int) -> bool:
    """Whether there is nothing to compare. Raises RuntimeError where that leaves no answer."""
    if 0 not in a.shape:
        return False
    if a.shape[dim]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    if a.shape.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    return True


@kernel("aten::unique_dim")
def unique_dim(
    a: Array, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Array, Array, Array]:
    """The distinct slices of a dimension in lexicographic order, where each is among them, and how often it occurs."""
    dim = wrap(dim, a.ndim)
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if _check_sizes(a, dim):
        return a.copy(), _none(), _none()
    rows = _flat_lanes(a, dim)
    order = np.lexsort(rows.T[::-1])
    new = np.ones(len(rows), np.bool_)
    placed = rows[order]
    new[1:] = (placed[1:] != placed[:-1]).any(1)
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = np.cumsum(new) - 1
    counts = np.diff(np.append(np.nonzero(new)[0], len(rows)))
    return np.moveaxis(np.moveaxis(a, dim, 0)[order[new]].copy(), 0, dim), inverse, counts


def _runs(new: Array) -> tuple[Array, Array]:
    """For marks at the starts of runs: the run of each position, and the length of each run."""
    return np.cumsum(new) - 1, np.diff(np.append(np.nonzero(new)[0], new.size))


@kernel("aten::unique_consecutive")
def unique_consecutive(
    a: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[Array, Array, Array]:
    """The first element of every run of equal ones, the run of each element, and the lengths of the runs."""
    if dim is not None and (a.ndim != 1 or dim):
        return unique_dim_consecutive(a, dim, return_inverse, return_counts)
    x = _checked(a).reshape(-1)
    new = np.ones(x.size, np.bool_)
    new[1:] = x[1:] != x[:-1]
    inverse, counts = _runs(new)
    return (
        a.reshape(-1)[new],
        inverse.reshape(a.shape) if return_inverse else _none(),
        counts if return_counts else _none(),
    )


@kernel("aten::unique_dim_consecutive")
def unique_dim_consecutive(
    a: Array, dim: int, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Array, Array, Array]:
    """The first slice of every run of equal ones along a dimension, the run of each slice, the lengths of the runs."""
    dim = wrap(dim, a.ndim)
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if _check_sizes(a, dim):
        return a.copy(), _none(), _none()
    rows = _flat_lanes(a, dim)
    new = np.ones(len(rows), np.bool_)
    new[1:] = (rows[1:] != rows[:-1]).any(1)
    inverse, counts = _runs(new)
    return np.moveaxis(np.moveaxis(a, dim, 0)[new].copy(), 0, dim), inverse, counts


@kernel("aten::isin.Tensor_Tensor", "aten::isin.Tensor_Scalar", "aten::isin.Scalar_Tensor")
def isin(elements: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Array:
    """Which elements are among others."""
    dtype = P.result_type(elements, test_elements)
    for x in (elements, test_elements):
        kind = P.result_type(x)
        if kind.kind in "cb":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {type_name(kind)}")
    wide = P.wide_dtype(dtype)
    return np.asarray(np.isin(P.cast(elements, wide), P.cast(test_elements, wide), invert=invert))
