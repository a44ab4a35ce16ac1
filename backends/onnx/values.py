"""What stands for a program's values while it is run symbolically.

A tensor's content is an array (known), a `Sym`, a `Pair` (complex) or a `Quantized`. Locations made later than a point
of the run have larger
serial numbers: a subgraph's own locations are told from those outside by them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Dim, Sym

_serials = itertools.count(1)


class Location:
    """Something that can be written: a tensor's content, a list, a dictionary, an object's attribute."""

    __slots__ = ("content", "serial")

    def __init__(self, content: Any) -> None:
        self.content = content
        self.serial = next(_serials)

    def state(self) -> Any:
        """What `restore` needs to bring back the present content."""
        return self.content

    def restore(self, state: Any) -> None:
        """Bring back a noted content."""
        self.content = state


class Cell(Location):
    """A tensor."""

    __slots__ = ("viewed",)

    def __init__(self, content: Any) -> None:
        super().__init__(content)
        self.viewed = False

    def read(self) -> Any:
        """The present content."""
        return self.content


class View(Cell):
    """A tensor that shares the memory of another: reads follow the base, writes go through `inverse(base, new)` to it.

    `remember` is called before the noted content changes.
    """

    __slots__ = ("base", "dense", "forward", "inverse", "remember", "seen", "why")

    def __init__(
        self, content: Any, base: Cell, forward: Callable[[Any], Any], inverse: Callable[[Any, Any], Any] | None, dense: bool, why: str,
        remember: Callable[[Location], None],
    ) -> None:  # fmt: skip
        super().__init__(content)
        self.base, self.forward, self.inverse, self.dense, self.why, self.remember = (
            base,
            forward,
            inverse,
            dense,
            why,
            remember,
        )
        self.seen = base.read()
        base.viewed = True

    def read(self) -> Any:
        """The present content, read anew from the base if that changed."""
        now = self.base.read()
        if now is not self.seen:
            self.settle(self.forward(now))
        return self.content

    def settle(self, content: Any) -> None:
        """Note the content that goes with the base's present one."""
        self.remember(self)
        self.content, self.seen = content, self.base.read()

    def state(self) -> Any:
        return self.content, self.seen

    def restore(self, state: Any) -> None:
        self.content, self.seen = state


class ListCell(Location):
    """A list: a tuple of values, or a Sym of sequence type once its length depends on the inputs."""

    __slots__ = ()


class DictCell(Location):
    """A dictionary: a tuple of (key, value) pairs, keys known."""

    __slots__ = ()


class ObjectCell:
    """An object of the program's classes: attributes are locations, made when first touched. `path` is how the program
    reaches it.
    """

    __slots__ = ("path", "slots", "source", "type")

    def __init__(self, type: Any, source: Any = None, path: str = "") -> None:
        self.type, self.source, self.path = type, source, path
        self.slots: dict[str, Location] = {}


class Unset:
    """The value of a variable on a path that does not define it."""


UNSET = Unset()


@dataclass(frozen=True, eq=False)
class Pair:
    """A complex tensor: real and imaginary part as two values of the same shape. `dtype` is the complex ScalarType
    code.
    """

    real: Sym
    imag: Sym
    dtype: int

    @property
    def shape(self) -> tuple[Dim, ...] | None:
        """The shape of both parts."""
        return self.real.shape

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return self.real.rank

    @property
    def static(self) -> bool:
        """Whether every size is a known number."""
        return self.real.static


@dataclass(frozen=True, eq=False)
class Quantized:
    """A quantised tensor: integers with a known scale and zero point. `dtype` is the quantised ScalarType code."""

    ints: Sym
    scale: float
    zero_point: int
    dtype: int

    @property
    def shape(self) -> tuple[Dim, ...] | None:
        """The shape of the integers."""
        return self.ints.shape

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return self.ints.rank

    @property
    def static(self) -> bool:
        """Whether every size is a known number."""
        return self.ints.static


SYMBOLIC = (Sym, Pair, Quantized)


def is_known(value: Any) -> bool:
    """Whether nothing in the value depends on the inputs."""
    if isinstance(value, Cell):
        value = value.read()
    if isinstance(value, SYMBOLIC):
        return False
    if isinstance(value, ListCell):
        return not isinstance(value.content, Sym) and all(map(is_known, value.content))
    if isinstance(value, DictCell):
        return all(is_known(k) and is_known(v) for k, v in value.content)
    if isinstance(value, (tuple, list)):
        return all(map(is_known, value))
    return True


def plain(value: Any) -> Any:
    """The value as kernels see it: arrays for tensors, Python lists, tuples and dicts (and symbolic values where
    something is not known).
    """
    if isinstance(value, Cell):
        return value.read()
    if isinstance(value, ListCell):
        return value.content if isinstance(value.content, Sym) else [plain(v) for v in value.content]
    if isinstance(value, DictCell):
        return {plain(k): plain(v) for k, v in value.content}
    if isinstance(value, tuple):
        items = [plain(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def lift(value: Any) -> Any:
    """The converse of `plain`: what a kernel gave, as fresh values of the run."""
    if isinstance(value, np.ndarray) or hasattr(value, "ints"):
        return Cell(value)
    if isinstance(value, list):
        return ListCell(tuple(lift(v) for v in value))
    if isinstance(value, dict):
        return DictCell(tuple((lift(k), lift(v)) for k, v in value.items()))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(lift(v) for v in value)
    return value


def key_of(value: Any) -> Any:
    """A dictionary key as a Python value: a tensor key by its content."""
    content = plain(value)
    return content.item() if isinstance(content, np.ndarray) else content
