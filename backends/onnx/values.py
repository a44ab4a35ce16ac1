"""What stands for a program's values while it is run symbolically."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.backends.onnx.builder import Sym


class Location:
    """Something that can be written: a tensor's content, a list, a dictionary, an object's attribute."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content


class Cell(Location):
    """A tensor: an array (known) or a Sym. A view knows its base and how to read and write through it."""

    __slots__ = ("_seen", "base", "forward", "inverse", "why")

    def __init__(
        self,
        content: Any,
        base: Cell | None = None,
        forward: Callable[[Any], Any] | None = None,
        inverse: Callable[[Any, Any], Any] | None = None,
        why: str = "",
    ) -> None:
        super().__init__(content)
        self.base, self.forward, self.inverse, self.why = base, forward, inverse, why
        self._seen = None if base is None else base.read()

    def read(self) -> Any:
        """The present content; a view follows its base."""
        if self.base is not None and self.forward is not None:
            now = self.base.read()
            if now is not self._seen:
                self.content, self._seen = self.forward(now), now
        return self.content

    def settle(self) -> None:
        """The view's content is up to date with its base's."""
        if self.base is not None:
            self._seen = self.base.read()


class ListCell(Location):
    """A list: a tuple of values, or a Sym of sequence type once its length depends on the inputs."""

    __slots__ = ()


class DictCell(Location):
    """A dictionary: a tuple of (key, value) pairs, keys known."""

    __slots__ = ()


class ObjectCell:
    """An object of the program's classes: attributes are locations, made when first touched."""

    __slots__ = ("slots", "source", "type")

    def __init__(self, type: Any, source: Any = None) -> None:
        self.type, self.source = type, source
        self.slots: dict[str, Location] = {}


def is_known(value: Any) -> bool:
    """Whether nothing in the value depends on the inputs."""
    if isinstance(value, Sym):
        return False
    if isinstance(value, Cell):
        return isinstance(value.read(), np.ndarray) or not isinstance(value.read(), Sym)
    if isinstance(value, ListCell):
        return not isinstance(value.content, Sym) and all(map(is_known, value.content))
    if isinstance(value, DictCell):
        return all(is_known(k) and is_known(v) for k, v in value.content)
    if isinstance(value, (tuple, list)):
        return all(map(is_known, value))
    return True


def plain(value: Any) -> Any:
    """The value as kernels and converters see it: arrays and Syms for tensors, Python lists, tuples and dicts."""
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
    """The converse of `plain`: what a kernel or converter gave, as fresh values of the run."""
    if isinstance(value, np.ndarray):
        return Cell(value)
    if isinstance(value, list):
        return ListCell(tuple(lift(v) for v in value))
    if isinstance(value, dict):
        return DictCell(tuple((lift(k), lift(v)) for k, v in value.items()))
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(lift(v) for v in value)
    return value
