"""What a type rule is handed, and the table of rules.

A rule is a function of a `Call`. It gives the type of the result (for several results a tuple, for a list of tensors a
list with one type per element, or one type for all where their number is not known), or None where it cannot say. It
must never be wrong: unknown is always right.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from linstock.ir import types as T
from linstock.ir.graph import Node, Value

#: a size: known, or the name of one that is not
Size = int | str
Sizes = tuple[Size, ...]
Result = T.TensorType | Sequence[Any] | None


class Facts(Protocol):
    """What is known of the values of the graph that is looked at."""

    default_dtype: int

    def size(self, value: Value) -> Size:
        """The int that a value is: itself if known, else a name for it."""

    def sizes(self, value: Value) -> list[Size] | None:
        """The elements of a list of ints, None if not even their number is known."""

    def members(self, value: Value) -> list[T.TensorType] | None:
        """The types of the elements of a list of tensors, None if not known."""

    def fresh(self) -> str:
        """A name for a size that nothing is known of."""

    def may_be_negative(self, size: Size) -> bool:
        """Whether a name stands for any int, not for the size of a tensor."""


#: stands for a size that differs from element to element in the one type that a rule gives for all elements of a list
ANY_SIZE = "?"

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN", "__bool__": lambda self: False})()


class Call:
    """One call of an operator, with its arguments by name."""

    def __init__(self, node: Node, facts: Facts) -> None:
        self.node, self.facts = node, facts

    def argument(self, name: str) -> Value | None:
        """The value given for the argument `name`, None where the overload has none."""
        index = self.node.schema.index_of(name) if self.node.schema else None
        return None if index is None else self.node.inputs[index]

    def has(self, name: str) -> bool:
        """Whether the overload has the argument and is not given the constant None for it."""
        value = self.argument(name)
        return value is not None and value.type != T.NONE and not (value.is_constant and value.constant is None)

    def const(self, name: str, default: Any = UNKNOWN) -> Any:
        """The constant given for an argument; `default` where the overload has none; UNKNOWN where it is no
        constant.
        """
        value = self.argument(name)
        if value is None:
            return default
        return value.constant if value.is_constant else UNKNOWN

    def number(self, name: str) -> int | None:
        """A known int, else None."""
        value = self.argument(name)
        found = None if value is None or value.type == T.NONE else self.facts.size(value)
        return found if isinstance(found, int) else None

    def ints(self, name: str, count: int | None = None) -> list[Size] | None:
        """A list of ints, one repeated to `count` elements where PyTorch does so."""
        value = self.argument(name)
        if value is None or value.type == T.NONE:
            return None
        found = self.facts.sizes(value)
        if found is not None and count is not None and len(found) == 1:
            return found * count
        return found

    def known_ints(self, name: str, count: int | None = None) -> list[int] | None:
        """A list of ints that are all known."""
        found = self.ints(name, count)
        if found is None or not all(isinstance(n, int) for n in found):
            return None
        return [n for n in found if isinstance(n, int)]

    def tensor(self, which: int | str = 0) -> T.TensorType:
        """What is known of a tensor argument."""
        value = self.argument(which) if isinstance(which, str) else self.node.inputs[which]
        return value.type if value is not None and isinstance(value.type, T.TensorType) else T.TENSOR

    def tensors(self, name: str) -> list[T.TensorType] | None:
        """What is known of the elements of a list of tensors."""
        value = self.argument(name)
        return None if value is None else self.facts.members(value)

    def fresh(self, rank: int) -> Sizes:
        """Sizes of which only the rank is known."""
        return tuple(self.facts.fresh() for _ in range(rank))

    def dtype(self, name: str, default: int | None) -> int | None:
        """The element type asked for by an argument; `default` if it is None or there is none."""
        found = self.const(name, None)
        return default if found is None else found if isinstance(found, int) else None


Rule = Callable[[Call], Result]
RULES: dict[str, Rule] = {}

#: the modules of this package that hold rules
_FAMILIES = (
    "pointwise",
    "reduction",
    "view",
    "indexing",
    "linalg",
    "conv",
    "pooling",
    "norm",
    "loss",
    "factory",
    "sorting",
    "rnn",
)


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a rule for operators: all overloads of a name ("aten::add"), or one ("aten::add.Tensor")."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


def rules(names: str, function: Rule) -> None:
    """Register one rule for many operators of `aten`, named in one string."""
    for name in names.split():
        RULES[f"aten::{name}"] = function


@cache
def _load() -> None:
    for family in _FAMILIES:
        importlib.import_module(f"linstock.ir.shapes.{family}")


def rule_of(node: Node) -> Rule | None:
    """The rule for a node's operator: of its overload, else of its name."""
    _load()
    return RULES.get(node.full_name) or RULES.get(node.kind)


def known(dtype: int | None, sizes: Sequence[Size] | None) -> T.TensorType:
    """The type of a tensor of which only this is known."""
    return T.TensorType(dtype, None if sizes is None else tuple(sizes))
