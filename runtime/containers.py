"""`jit.isinstance`: whether a Python value has a type, also inside containers, without the types being compiled."""

from __future__ import annotations

import collections.abc
import types as python
import typing
from typing import Any


def is_instance(value: Any, wanted: Any) -> bool:
    """Whether `value` is an instance of `wanted`: a class, a tuple of them, or a `typing` form such as `List[int]`.

    Raises TypeError for a container type without element types, as PyTorch does.
    """
    if isinstance(wanted, tuple):
        return any(is_instance(value, w) for w in wanted)
    origin, parts = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is None or wanted is type(None):
        return value is None
    if wanted is Any:
        return True
    if origin in (typing.Union, python.UnionType):
        return any(is_instance(value, p) for p in parts)
    if wanted in (list, dict, tuple, typing.List, typing.Dict, typing.Tuple, typing.Optional):  # noqa: UP006
        name = getattr(wanted, "_name", None) or wanted.__name__.capitalize()
        raise TypeError(
            f"Attempted to use {name} without a contained type. Please add a contained type, e.g. {name}[int]"
        )
    if origin is None:
        return isinstance(value, wanted)
    if not isinstance(value, origin):
        return False
    if origin is tuple:
        if len(parts) == 2 and parts[1] is Ellipsis:
            return all(is_instance(v, parts[0]) for v in value)
        return len(value) == len(parts) and all(is_instance(v, p) for v, p in zip(value, parts, strict=True))
    if issubclass(origin, collections.abc.Mapping):
        return all(is_instance(k, parts[0]) and is_instance(v, parts[1]) for k, v in value.items())
    if issubclass(origin, collections.abc.Collection):
        return all(is_instance(v, parts[0]) for v in value)
    return True
