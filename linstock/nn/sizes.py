"""Sizes given as one number or as one number per dimension: their types in signatures, and helpers that spread them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar, Union

T = TypeVar("T")

#: a list of N elements, for which one element may stand; scripting knows these names
BroadcastingList1 = Union[T, list[T], tuple[T, ...]]  # noqa: UP007 - generic aliases
BroadcastingList2 = Union[T, list[T], tuple[T, ...]]  # noqa: UP007
BroadcastingList3 = Union[T, list[T], tuple[T, ...]]  # noqa: UP007

#: the argument types of layers
IntOrTuple = int | tuple[int, ...]
FloatOrTuple = float | tuple[float, ...]


def _spread(value: Any, n: int) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


def _single(value: Any) -> tuple[Any, ...]:
    """The value as a tuple of one."""
    return _spread(value, 1)


def _pair(value: Any) -> tuple[Any, ...]:
    """The value as a tuple of two."""
    return _spread(value, 2)


def _triple(value: Any) -> tuple[Any, ...]:
    """The value as a tuple of three."""
    return _spread(value, 3)


def _quadruple(value: Any) -> tuple[Any, ...]:
    """The value as a tuple of four."""
    return _spread(value, 4)


def spread(value: Any, n: int) -> tuple[Any, ...]:
    """The value as a tuple of n: a number n times, a sequence as it is."""
    return _spread(value, n)


def _list_with_default(out_size: Any, defaults: Any) -> Any:
    """A size with each None replaced by the default. Raises ValueError for fewer defaults than sizes.

    Scripted: the size itself.
    """
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    known = defaults[-len(out_size) :]
    return [size if wanted is None else wanted for wanted, size in zip(out_size, known)]
