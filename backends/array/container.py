"""Lists, dicts and tuples: operators that work on the program's own Python containers, in place where they mutate.

Elements and keys are whatever the caller keeps in them: plain values, arrays or Tensors (found in a dict by identity).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

from . import text  # noqa: F401  (registers the string operators)
from .registry import kernel
from .scalar import wrap64
from .text import to_text

_KEYS = ("str", "int", "bool", "float", "complex", "Tensor")


def _each_key(pattern: str) -> list[str]:
    return [pattern.format(k) for k in _KEYS]


# --- lists ------------------------------------------------------------------------------------------------------------


def _out_of_range() -> IndexError:
    return IndexError("list index out of range")


@kernel("aten::__getitem__.t", "aten::select.t")
def getitem(values: list[Any], idx: int) -> Any:
    """An element. Raises IndexError outside the list."""
    if not -len(values) <= idx < len(values):
        raise _out_of_range()
    return values[idx]


@kernel("aten::_set_item.t")
def set_item(values: list[Any], idx: int, el: Any) -> list[Any]:
    """Replace an element. Raises IndexError outside the list."""
    if not -len(values) <= idx < len(values):
        raise _out_of_range()
    values[idx] = el
    return values


@kernel("aten::slice.t")
def slice_(values: list[Any], start: int | None = None, end: int | None = None, step: int = 1) -> list[Any]:
    """A part of a list, as a new list. Raises RuntimeError for step 0."""
    if step == 0:
        raise RuntimeError("List slice should have non-zero step")
    return values[start:end:step]


@kernel("aten::append.t")
def append(self: list[Any], el: Any) -> list[Any]:
    """Add an element at the end."""
    self.append(el)
    return self


@kernel("aten::insert.t")
def insert(self: list[Any], idx: int, el: Any) -> None:
    """Add an element before a position (the nearest one, outside the list)."""
    self.insert(idx, el)


@kernel("aten::extend.t")
def extend(self: list[Any], other: list[Any]) -> None:
    """Add the elements of another list."""
    self.extend(other)


@kernel("aten::add_.t")
def extend_in_place(self: list[Any], b: list[Any]) -> list[Any]:
    """Add the elements of another list; the list itself."""
    self.extend(b)
    return self


@kernel("aten::mul_.t")
def repeat_in_place(values: list[Any], n: int) -> list[Any]:
    """Repeat the elements; the list itself."""
    values[:] = values * n
    return values


@kernel("aten::pop.t")
def pop(self: list[Any], idx: int = -1) -> Any:
    """Take out an element. Raises IndexError outside the list."""
    if not self:
        raise IndexError("pop from empty list")
    if not -len(self) <= idx < len(self):
        raise _out_of_range()
    return self.pop(idx)


@kernel("aten::clear.t", *_each_key("aten::clear.{}"))
def clear(self: Any) -> None:
    """Take out everything."""
    self.clear()


@kernel("aten::reverse.t")
def reverse(self: list[Any]) -> None:
    """Reverse the order in place."""
    self.reverse()


@kernel("aten::copy.t", "aten::list.t")
def copy(values: list[Any]) -> list[Any]:
    """A new list of the same elements."""
    return values[:]


_ELEMENTS = ("int", "float", "bool", "Tensor", "str")


@kernel(*(f"aten::remove.{t}" for t in _ELEMENTS))
def remove(self: list[Any], el: Any) -> None:
    """Take out the first element that equals one. Raises ValueError if there is none."""
    for i, x in enumerate(self):
        if x == el:
            del self[i]
            return
    raise ValueError("list.remove(x): x not in list")


@kernel(*(f"aten::index.list_{t}" for t in ("int", "float", "bool", "str")))
def index(self: list[Any], el: Any) -> int:
    """Position of the first element that equals one. Raises ValueError if there is none."""
    for i, x in enumerate(self):
        if x == el:
            return i
    raise ValueError(f"'{to_text(el)}' is not in list")


@kernel(*(f"aten::count.{t}" for t in _ELEMENTS))
def count(self: list[Any], el: Any) -> int:
    """How many elements equal one."""
    return sum(1 for x in self if x == el)


@kernel("aten::__contains__.int_list", "aten::__contains__.str_list", "aten::__contains__.float_list")
def contains(values: list[Any], item: Any) -> bool:
    """Whether an element equals one (NaN equals nothing)."""
    return any(x == item for x in values)


@kernel(*(f"aten::eq.{t}_list" for t in ("int", "float", "Tensor", "bool", "str")))
def equal(a: list[Any], b: list[Any]) -> bool:
    """Whether two lists have equal elements."""
    return len(a) == len(b) and all(bool(x == y) for x, y in zip(a, b))


@kernel(*(f"aten::ne.{t}_list" for t in ("int", "float", "Tensor", "bool", "str")))
def not_equal(a: list[Any], b: list[Any]) -> bool:
    """Whether two lists differ."""
    return not equal(a, b)


def _order(a: Any, b: Any) -> int:
    return -1 if a < b else 1 if b < a else 0


@kernel(*(f"aten::sorted.{t}" for t in ("int", "float", "bool", "str")))
def sorted_plain(values: list[Any]) -> list[Any]:
    """A new list in ascending order."""
    return sorted(values)


@kernel("aten::sorted.Tensor", "aten::sorted.any")
def sorted_any(values: list[Any]) -> list[Any]:
    """A new list in the ascending order of the elements' own `<`."""
    return sorted(values, key=functools.cmp_to_key(_order))


kernel("aten::add.t")(lambda a, b: a + b)
kernel("aten::mul.left_t")(lambda values, n: values * n)
kernel("aten::all.int", "aten::all.float", "aten::all.bool")(all)
kernel("aten::any.str", "aten::any.int", "aten::any.float", "aten::any.bool")(any)
kernel("aten::sum.float")(lambda values: float(sum(values)))
kernel("aten::sum.int", "aten::sum.bool")(lambda values: wrap64(sum(values)))
kernel("aten::len.t", "aten::len.any", *_each_key("aten::len.Dict_{}"))(len)


@kernel("aten::len.Tensor")
def len_tensor(t: Any) -> int:
    """The first size. Raises TypeError for a 0-dimensional array."""
    if not t.shape:
        raise TypeError("len() of a 0-d tensor")
    return int(t.shape[0])


# --- sizes and ranges -------------------------------------------------------------------------------------------------


@kernel("aten::Size")
def size(sizes: list[int]) -> list[int]:
    """Sizes as a list of its own."""
    return list(sizes)


@kernel("aten::__range_length")
def range_length(lo: int, hi: int, step: int) -> int:
    """How many numbers a range has. Raises RuntimeError for step 0."""
    if step == 0:
        raise RuntimeError("range() arg 3 must not be zero")
    return len(range(lo, hi, step))


@kernel("aten::__derive_index")
def derive_index(index: int, start: int, step: int) -> int:
    """The number at a place of a range."""
    return wrap64(start + index * step)


@kernel("prim::rangelist")
def rangelist(n: int) -> list[int]:
    """[0, ..., n - 1]."""
    return list(range(n))


@kernel("aten::_infer_size", "aten::broadcast_shapes")
def broadcast_sizes(a: list[int], b: list[int]) -> list[int]:
    """The sizes that two tensors broadcast to. Raises RuntimeError where they do not."""
    long, short = (list(a), list(b)) if len(a) >= len(b) else (list(b), list(a))
    offset = len(long) - len(short)
    for i, n in enumerate(short, offset):
        if long[i] == 1:
            long[i] = n
        elif n not in (1, long[i]):
            raise RuntimeError(
                f"The size of tensor a ({a[i - len(long)]}) must match the size of tensor b ({b[i - len(long)]}) "
                f"at non-singleton dimension {i}"
            )
    return long


# --- dicts ------------------------------------------------------------------------------------------------------------


def _missing(key: Any) -> RuntimeError:
    return RuntimeError(f"KeyError: {to_text(key)}")


@kernel(*_each_key("aten::__getitem__.Dict_{}"))
def dict_getitem(self: dict[Any, Any], key: Any) -> Any:
    """The value of a key. Raises RuntimeError ("KeyError: ...") if there is none."""
    try:
        return self[key]
    except KeyError:
        raise _missing(key) from None


kernel(*_each_key("aten::_set_item.{}"))(operator.setitem)
kernel(*_each_key("aten::__contains__.{}"))(lambda self, key: key in self)
kernel(*_each_key("aten::get.{}"), *_each_key("aten::get.default_{}"))(
    lambda self, key, default_value=None: self.get(key, default_value)
)
kernel(*_each_key("aten::setdefault.{}"))(lambda self, key, default_value: self.setdefault(key, default_value))
kernel(*_each_key("aten::keys.{}"))(list)
kernel(*_each_key("aten::values.{}"))(lambda self: list(self.values()))
kernel(*_each_key("aten::items.{}"))(lambda self: list(self.items()))
kernel(*_each_key("aten::copy.Dict_{}"), *_each_key("aten::dict.Dict_{}"))(dict)
kernel("aten::dict")(dict)


@kernel(*_each_key("aten::dict.{}"))
def dict_of_items(inputs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """A dict of (key, value) tuples; a later one wins."""
    return dict(inputs)


@kernel(*_each_key("aten::pop.Dict_{}"))
def dict_pop(self: dict[Any, Any], key: Any) -> Any:
    """Take out a key and return its value. Raises RuntimeError ("KeyError: ...") if there is none."""
    try:
        return self.pop(key)
    except KeyError:
        raise _missing(key) from None


kernel(*_each_key("aten::pop.Dict_default_{}"))(lambda self, key, default_value: self.pop(key, default_value))


@kernel(*_each_key("aten::Delete.Dict_{}"))
def dict_delete(self: dict[Any, Any], key: Any) -> None:
    """Take out a key. Raises RuntimeError ("KeyError: ...") if there is none."""
    dict_pop(self, key)


@kernel("aten::Delete.t")
def list_delete(self: list[Any], idx: int) -> None:
    """Take out an element. Raises IndexError outside the list."""
    pop(self, idx)


@kernel(*_each_key("aten::popitem.{}"))
def popitem(self: dict[Any, Any]) -> tuple[Any, Any]:
    """Take out the first item. Raises RuntimeError for an empty dict."""
    if not self:
        raise RuntimeError("popitem(): dictionary is empty")
    key = next(iter(self))
    return key, self.pop(key)


@kernel(*_each_key("aten::update.{}"))
def update(self: dict[Any, Any], to_add: dict[Any, Any]) -> None:
    """Add the items of another dict."""
    self.update(to_add)


# --- tuples and the rest ----------------------------------------------------------------------------------------------


@kernel("prim::TupleIndex")
def tuple_index(tup: tuple[Any, ...], i: int) -> Any:
    """An element of a tuple. Raises IndexError outside it."""
    if not -len(tup) <= i < len(tup):
        raise IndexError("Tuple index out of range")
    return tup[i]


kernel("prim::TupleUnpack")(tuple)


@kernel("aten::hash.generic")
def hash_(value: Any) -> int:
    """A number that is equal for equal values."""
    return hash(value)
