"""Marks for the compiler in the source of layers: types of expressions, and functions with several signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def annotate(the_type: Any, the_value: Any) -> Any:
    """`jit.annotate`, without what `linstock.jit` imports: the value; scripted, it has the type."""
    return the_value


def overloads(*signatures: dict[str, str]) -> Callable[[F], F]:
    """Give a function other types for some of its parameters (and its result, as "return"), one dictionary per
    signature.

    Scripted calls are compiled for the first signature that takes their arguments; Python is not concerned.
    """

    def mark(function: F) -> F:
        function.__overloads__ = signatures  # type: ignore[attr-defined]
        return function

    return mark
