"""Splitting into views, and the `_copy` forms of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .memory import Array, copied, on, wrap
from .registry import kernel
from .view import (
    alias,
    as_strided,
    diagonal,
    expand,
    narrow,
    permute,
    reshape,
    squeeze,
    squeeze_dim,
    squeeze_dims,
    t,
    transpose,
    unfold,
    unsqueeze,
)
from .view_types import view_dtype

_ALL = slice(None)


def _pieces(a: Array, dim: int, bounds: Sequence[int]) -> list[Array]:
    head = (_ALL,) * dim
    return [a[head + (slice(lo, hi),)] for lo, hi in pairwise(bounds)]


@kernel("aten::split_with_sizes", "aten::split", "aten::split.sizes")
def split_with_sizes(a: Array, split_sizes: Sequence[int], dim: int = 0) -> list[Array]:
    """Consecutive parts of these sizes."""
    if not a.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap(dim, a.ndim)
    bounds = [0]
    for n in split_sizes:
        if n < 0:
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(split_sizes)}"
            )
        bounds.append(bounds[-1] + n)
    if bounds[-1] != a.shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {a.shape[dim]} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(split_sizes)}"
        )
    return _pieces(a, dim, bounds)


@kernel("aten::split.Tensor")
def split(a: Array, split_size: int, dim: int = 0) -> list[Array]:
    """Consecutive parts of one size, the last one what remains."""
    if not a.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap(dim, a.ndim)
    n = a.shape[dim]
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0:
        if n:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
        return [a[on(dim, _ALL)]]
    return _pieces(a, dim, [*range(0, max(n, 1), split_size), n])


@kernel("aten::chunk")
def chunk(a: Array, chunks: int, dim: int = 0) -> list[Array]:
    """At most `chunks` consecutive parts of equal size, the last one what remains."""
    if not a.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap(dim, a.ndim)
    size = -(-a.shape[dim] // chunks)
    return split(a, size, dim) if size else split_with_sizes(a, [0] * chunks, dim)


@kernel("prim::ConstantChunk")
def constant_chunk(a: Array, chunks: int, dim: int) -> list[Array]:
    """`chunk` with the node's attributes as arguments."""
    return chunk(a, chunks, dim)


@kernel("aten::tensor_split.indices")
def tensor_split_indices(a: Array, indices: Sequence[int], dim: int = 0) -> list[Array]:
    """Parts between these positions."""
    if not a.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap(dim, a.ndim)
    return _pieces(a, dim, [0, *indices, a.shape[dim]])


@kernel("aten::tensor_split.sections")
def tensor_split(a: Array, sections: int, dim: int = 0) -> list[Array]:
    """`sections` parts, the first ones larger by one where the size does not divide."""
    if not a.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap(dim, a.ndim)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    size, more = divmod(a.shape[dim], sections)
    return _pieces(a, dim, [i * size + min(i, more) for i in range(sections + 1)])


@kernel("aten::tensor_split.tensor_indices_or_sections")
def tensor_split_tensor(a: Array, tensor_indices_or_sections: Array, dim: int = 0) -> list[Array]:
    """`tensor_split` by an integer array: sections if 0-dimensional, positions if 1-dimensional."""
    where = tensor_indices_or_sections
    if where.dtype != np.int64:
        raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of long")
    if where.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, "
            "but got "
            f"a tensor with {where.ndim} dims"
        )
    return tensor_split(a, int(where), dim) if not where.ndim else tensor_split_indices(a, where.tolist(), dim)


def _named_split(name: str, dims: Callable[[int], int], least: int, which: str) -> None:
    def check(a: Array) -> int:
        if a.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension{'s' if least > 1 else ''}, but got a "
                f"tensor with {a.ndim} dimensions!"
            )
        return dims(a.ndim)

    def by_sections(a: Array, sections: int) -> list[Array]:
        dim = check(a)
        if sections == 0 or a.shape[dim] % sections:
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {which or dim}, but the size of the dimension "
                f"{a.shape[dim]} is not divisible by the split_size {sections}!"
            )
        return tensor_split(a, sections, dim)

    def by_indices(a: Array, indices: Sequence[int]) -> list[Array]:
        return tensor_split_indices(a, indices, check(a))

    kernel(f"aten::{name}.int")(by_sections)
    kernel(f"aten::{name}.array")(by_indices)


_named_split("hsplit", lambda n: 0 if n == 1 else 1, 1, "")
_named_split("vsplit", lambda n: 0, 2, "")
_named_split("dsplit", lambda n: 2, 3, "")


@kernel("aten::unbind.int")
def unbind(a: Array, dim: int = 0) -> list[Array]:
    """Every slice along one dimension."""
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    head = (_ALL,) * wrap(dim, a.ndim)
    return [a[head + (i, ...)] for i in range(a.shape[len(head)])]


# ---- copies of views ----------------------------------------------------------------------------------------------


def _copy_of(name: str, function: Callable[..., Array], memory_format: int = 0) -> None:
    def run(*args: Any) -> Array:
        return copied(function(*args), memory_format)

    kernel(name)(run)


def _copies_of(name: str, function: Callable[..., list[Array]]) -> None:
    def run(*args: Any) -> list[Array]:
        return [piece.copy() for piece in function(*args)]

    kernel(name)(run)


_COPIES: dict[str, Callable[..., Array]] = {
    "view_copy": reshape, "view_copy.dtype": view_dtype, "transpose_copy.int": transpose, "unsqueeze_copy": unsqueeze,
    "expand_copy": expand, "diagonal_copy": diagonal, "alias_copy": alias, "squeeze_copy": squeeze,
    "squeeze_copy.dim": squeeze_dim, "squeeze_copy.dims": squeeze_dims, "t_copy": t, "permute_copy": permute,
    "as_strided_copy": as_strided, "unfold_copy": unfold, "narrow_copy": narrow,
}  # fmt: skip
for _name, _function in _COPIES.items():
    _copy_of(f"aten::{_name}", _function)

_copies_of("aten::unbind_copy.int", unbind)
_copies_of("aten::split_with_sizes_copy", split_with_sizes)
kernel("aten::unsafe_split.Tensor")(split)
kernel("aten::unsafe_split_with_sizes")(split_with_sizes)
kernel("aten::unsafe_chunk")(chunk)
