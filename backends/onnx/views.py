"""Views: which results share memory with their input, and what the base becomes when a view of it gets new content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.values import SYMBOLIC, Cell, View, is_known, plain
from linstock.ir.errors import ExportError
from linstock.ir.schema import Schema

if TYPE_CHECKING:
    from linstock.backends.onnx.exporter import Exporter

Inverse = Callable[..., Any]

#: in-place operators that change their tensor's shape, not its memory
RESHAPING = {
    "aten::squeeze_", "aten::unsqueeze_", "aten::t_", "aten::transpose_", "aten::swapaxes_", "aten::swapdims_", "aten::as_strided_",
    "aten::resize_", "aten::resize_as_", "aten::set_",
}  # fmt: skip
#: views of the same elements in the same order
_SAME_ORDER = {
    "aten::alias", "aten::detach", "aten::view", "aten::reshape", "aten::_unsafe_view", "aten::flatten", "aten::unsqueeze", "aten::squeeze",
    "aten::view_as", "aten::reshape_as", "aten::unflatten", "aten::ravel", "aten::contiguous", "aten::to", "aten::cpu", "prim::data",
}  # fmt: skip
#: these copy where the memory is not in order already
_COPY_IF_SCATTERED = {"aten::reshape", "aten::reshape_as", "aten::flatten", "aten::ravel", "aten::contiguous"}
_CONVERSIONS = {"aten::to", "aten::cpu", "aten::cuda", "aten::as_tensor", "aten::type_as"}
_REPEATING = {"aten::expand", "aten::expand_as", "aten::broadcast_to"}
#: PyTorch's number of the memory format "channels last"
_CHANNELS_LAST = 2


def is_dense(cell: Cell) -> bool:
    """Whether a tensor's elements lie in memory in order, as far as this is known from how it was made."""
    return not isinstance(cell, View) or cell.dense


def keeps_density(kind: str, base: Cell, others: Sequence[Any]) -> bool:
    """Whether a view of a dense tensor is dense."""
    if kind in _SAME_ORDER:
        return is_dense(base)
    leading = kind in ("aten::select", "aten::slice", "aten::narrow") and bool(others) and others[0] == 0
    return leading and is_dense(base) and not (kind == "aten::slice" and others[-1] != 1)


def shares(b: Builder, schema: Schema, base: Cell, content: Any, others: Sequence[Any]) -> bool:
    """Whether the result of an operator that may give a view is one."""
    if schema.name in _CONVERSIONS:
        copy = schema.index_of("copy")
        if copy is not None and others[copy - 1]:
            return False
        return _type_name(content) == _type_name(base.read())  # type: ignore[no-any-return]
    if schema.name in _COPY_IF_SCATTERED:
        return is_dense(base) and not (schema.name == "aten::contiguous" and _CHANNELS_LAST in others)
    return True


def _type_name(content: Any) -> Any:
    from linstock.ir import dtypes

    code = (
        content.dtype
        if isinstance(content, SYMBOLIC)
        else content.dtype_code
        if hasattr(content, "ints")
        else dtypes.code_of(content.dtype)
    )
    return code


def _same(b: Builder, base: Sym, new: Sym, *args: Any) -> Any:
    return new


def _reshaped(b: Builder, base: Sym, new: Sym, *args: Any) -> Any:
    return b.reshape(new, b.sizes(base))


def _transposed(b: Builder, base: Sym, new: Sym, first: int, second: int) -> Any:
    if b.rank(base) == 0:
        return new
    order = list(range(b.rank(base)))
    first, second = b.axis(base, first), b.axis(base, second)
    order[first], order[second] = order[second], order[first]
    return b.transpose(new, order)


def _permuted(b: Builder, base: Sym, new: Sym, dims: list[int]) -> Any:
    order = [b.axis(base, d) for d in dims]
    return b.transpose(new, [order.index(i) for i in range(len(order))])


def _swapped(b: Builder, base: Sym, new: Sym) -> Any:
    return b.transpose(new, list(range(b.rank(base)))[::-1])


def _selected(b: Builder, base: Sym, new: Sym, dim: int, index: Any) -> Any:
    axis = b.axis(base, dim)
    part = b.unsqueeze(new, axis)
    if isinstance(index, Sym):
        return sliced(b, base, part, axis, index, b.op("Add", b.cast(index, 4), np.asarray(1)))
    return sliced(b, base, part, axis, index, None if index == -1 else index + 1)


def sliced(b: Builder, base: Sym, new: Sym, dim: int, start: Any, end: Any) -> Sym:
    """The base with a part of one dimension replaced."""
    axis = b.axis(base, dim)
    size = b.size(base, axis)
    start = 0 if start is None else start
    if isinstance(size, int) and not isinstance(start, Sym) and not isinstance(end, Sym):
        start, end, _ = slice(start, end).indices(size)
        end = max(start, end)
        if end == size:
            end = None
    if not isinstance(end, Sym) and end is not None and end >= 1 << 62:
        end = None
    first = [] if not isinstance(start, Sym) and start == 0 else [b.slice(base, axis, 0, start)]
    last = [] if end is None else [b.slice(base, axis, end, None)]
    return b.shaped(b.op("Concat", *first, new, *last, axis=axis), base.shape or ())


def _sliced(b: Builder, base: Sym, new: Sym, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return NotImplemented if step != 1 else sliced(b, base, new, dim, start, end)


def _narrowed(b: Builder, base: Sym, new: Sym, dim: int, start: Any, length: Any) -> Any:
    if isinstance(start, Sym) or isinstance(length, Sym):
        return NotImplemented
    return sliced(b, base, new, dim, start, None if start < 0 and start + length == 0 else start + length)


_INVERSES: dict[str, Inverse] = {
    **dict.fromkeys(_SAME_ORDER, _reshaped), "aten::alias": _same, "aten::detach": _same, "aten::contiguous": _same, "aten::to": _same,
    "aten::cpu": _same, "prim::data": _same, "aten::transpose": _transposed, "aten::swapaxes": _transposed, "aten::swapdims": _transposed,
    "aten::permute": _permuted, "aten::t": _swapped, "aten::numpy_T": _swapped, "aten::select": _selected, "aten::slice": _sliced,
    "aten::narrow": _narrowed,
}  # fmt: skip


def inverse_of(
    e: Exporter, kind: str, forward: Callable[[Any], Any], others: Sequence[Any], element: int | None = None
) -> Inverse | None:
    """How a view's new content goes into its base: by a form of its own, else by scattering to the places that the
    view shows.

    `element` is the place in the result of an operator that gives a list of views.
    """
    own = None if element is not None else _INVERSES.get(kind)

    def inverse(base: Sym, new: Sym) -> Any:
        if kind in _REPEATING:
            raise ExportError("writing in place to an expanded tensor: clone() it first")
        if not isinstance(base, Sym) or not isinstance(new, Sym):
            raise ExportError(f"writing in place through {kind} of a complex or quantised tensor has no ONNX form")
        if own is not None:
            made = own(e.builder, base, new, *[e.operand(a) for a in others])
            if made is not NotImplemented:
                return made
        if element is not None and kind == "aten::unbind":
            return _selected(e.builder, base, new, plain(others[0]) if others else 0, element)
        return _scattered(e, base, new, forward, all(map(is_known, others)))

    return inverse


def _scattered(e: Exporter, base: Sym, new: Sym, forward: Callable[[Any], Any], known: bool) -> Sym:
    """The base with new elements at the places that a view shows, found by looking through the view at the places'
    numbers.
    """
    b = e.builder
    if base.static and known:
        count = int(np.prod(base.shape, dtype=np.int64))  # type: ignore[arg-type]
        places = e.as_operand(forward(np.arange(count).reshape(base.shape)))
    else:
        total = b.op("Size", base)
        numbers = b.op("Range", np.asarray(0), total, np.asarray(1))
        places = e.as_operand(forward(b.reshape(numbers, b.sizes(base))))
    flat = b.op("ScatterElements", b.reshape(base, [-1]), b.reshape(places, [-1]), b.reshape(new, [-1]), axis=0)
    return b.reshape(flat, b.sizes(base))
