"""Functions with several signatures in scripted code: one body, compiled for the one that fits the arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def overloads(*signatures: dict[str, str]) -> Callable[[F], F]:
    """Give a function other types for some of its parameters (and its result, as "return"), one dictionary per
    signature.

    Scripted calls are compiled for the first signature that takes their arguments; Python is not concerned.
    """

    def mark(function: F) -> F:
        function.__overloads__ = signatures  # type: ignore[attr-defined]
        return function

    return mark
