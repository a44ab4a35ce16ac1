"""Writing through views: what the base becomes when a view of it gets new content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.ir.errors import ExportError

Inverse = Callable[..., Any]


def _same(b: Builder, base: Any, new: Any, *args: Any) -> Any:
    return new


def _reshaped(b: Builder, base: Any, new: Any, *args: Any) -> Any:
    return b.reshape(new, b.sizes(base))


def _transposed(b: Builder, base: Any, new: Any, first: int, second: int) -> Any:
    order = list(range(b.rank(base)))
    first, second = b.axis(base, first), b.axis(base, second)
    order[first], order[second] = order[second], order[first]
    return b.op("Transpose", new, perm=order)


def _permuted(b: Builder, base: Any, new: Any, dims: list[int]) -> Any:
    order = [b.axis(base, d) for d in dims]
    return b.op("Transpose", new, perm=[order.index(i) for i in range(len(order))])


def _swapped(b: Builder, base: Any, new: Any) -> Any:
    return new if b.rank(base) < 2 else b.op("Transpose", new, perm=[1, 0])


def _selected(b: Builder, base: Any, new: Any, dim: int, index: Any) -> Any:
    axis = b.axis(base, dim)
    part = b.op("Unsqueeze", new, np.asarray([axis], np.int64))
    following = b.op("Add", index, np.asarray(1, np.int64)) if isinstance(index, Sym) else index + 1
    return _sliced(b, base, part, dim, index, None if following == 0 else following, 1)


def _sliced(b: Builder, base: Any, new: Any, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    """The base with `new` in place of its slice: what is before, the new part, what is after; with a step, a scatter along the axis."""
    axis = b.axis(base, dim)
    start = 0 if start is None else start
    if step != 1:
        return _strided(b, base, new, axis, start, end, step)
    size = b.size(base, axis)
    end = size if end is None else end
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        start, end, _ = slice(start, end).indices(size)
        end = max(start, end)
    axes = np.asarray([axis], np.int64)
    parts = []
    if not (isinstance(start, int) and start == 0):
        parts.append(b.op("Slice", base, np.asarray([0], np.int64), b.sym([start]), axes))
    parts.append(new)
    whole = isinstance(end, int) and ((isinstance(size, int) and end == size) or end >= 2**62)
    if not whole and end is not size:
        last = np.asarray([np.iinfo(np.int64).max], np.int64)
        parts.append(b.op("Slice", base, b.sym([end]), last, axes))
    return parts[0] if len(parts) == 1 else b.op("Concat", *parts, axis=axis)


def _strided(b: Builder, base: Any, new: Any, axis: int, start: Any, end: Any, step: int) -> Any:
    size = b.size(base, axis)
    if not all(isinstance(v, int) for v in (size, start)) or not (end is None or isinstance(end, int)):
        raise ExportError("writing to a slice with a step at places that depend on the inputs has no ONNX form", b.span)
    places = np.arange(size)[slice(start, end, step)].astype(np.int64)
    moved = [axis, *[i for i in range(b.rank(base)) if i != axis]]
    back = [moved.index(i) for i in range(len(moved))]
    scattered = b.op("ScatterND", b.op("Transpose", base, perm=moved), places[:, None], b.op("Transpose", new, perm=moved))
    return b.op("Transpose", scattered, perm=back)


def _expanded(b: Builder, base: Any, new: Any, *args: Any) -> Any:
    raise ExportError("writing in place to an expanded tensor has no meaning: clone() it first", b.span)


INVERSES: dict[str, Inverse] = {
    "aten::alias": _same, "aten::detach": _same, "aten::view": _reshaped, "aten::reshape": _reshaped, "aten::_unsafe_view": _reshaped,
    "aten::flatten": _reshaped, "aten::unsqueeze": _reshaped, "aten::squeeze": _reshaped, "aten::view_as": _reshaped, "aten::unflatten": _reshaped,
    "aten::transpose": _transposed, "aten::swapaxes": _transposed, "aten::swapdims": _transposed, "aten::permute": _permuted, "aten::t": _swapped,
    "aten::numpy_T": _swapped, "aten::select": _selected, "aten::slice": _sliced, "aten::contiguous": _same, "aten::to": _same,
    "aten::narrow": lambda b, base, new, dim, start, length: _sliced(b, base, new, dim, start, start + length, 1),
    "aten::expand": _expanded, "aten::expand_as": _expanded,
}  # fmt: skip
