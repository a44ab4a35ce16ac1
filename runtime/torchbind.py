"""Objects of PyTorch's own classes (`__torch__.torch.classes.…`) in archives: packed parameters of quantised layers."""

from __future__ import annotations

from typing import Any

from linstock.ir.errors import ArchiveError
from linstock.runtime.dispatch import wrap
from linstock.runtime.tensor import Tensor

_PREFIX = "__torch__.torch.classes."


def _table() -> dict[str, Any]:
    from linstock.backends.array.quantized import TORCHBIND  # type: ignore[attr-defined]

    return TORCHBIND


def arrays(value: Any) -> Any:
    """A state with arrays in place of Tensors, as kernels see it."""
    if isinstance(value, Tensor):
        return value._array
    if isinstance(value, (list, tuple)):
        return type(value)(arrays(v) for v in value)
    return value


def tensors(value: Any) -> Any:
    """A state with Tensors in place of arrays."""
    if isinstance(value, list):
        return [tensors(v) for v in value]
    if isinstance(value, tuple):
        return tuple(tensors(v) for v in value)
    is_array = hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(type(value), "torchbind_name")
    return wrap(value) if is_array and not isinstance(value, Tensor) else value


def from_state(name: str, state: Any) -> Any:
    """The object of a class from what its `__getstate__` gave. Raises ArchiveError for an unknown class or state."""
    known = _table().get(name)
    if known is None:
        raise ArchiveError(
            f"the archive holds an object of the custom class '{name.removeprefix(_PREFIX)}', which is written in C++ "
            f"outside of it; linstock has {', '.join(sorted(n.removeprefix(_PREFIX) for n in _table()))}"
        )
    try:
        return known[0](arrays(state))
    except (TypeError, ValueError, IndexError, AttributeError, RuntimeError) as problem:
        raise ArchiveError(
            f"the state of an object of '{name.removeprefix(_PREFIX)}' is malformed: {problem}"
        ) from problem


def to_state(thing: Any) -> Any:
    """What an archive keeps of an object, with Tensors. The type of the state is `state_type` of the class."""
    return tensors(_table()[type(thing).torchbind_name][1](thing))


def state_type(name: str) -> str:
    """The TorchScript type of the state of a class, as text."""
    _table()  # the family's modules load in order
    from linstock.backends.array.quantized_packed import STATE_TYPES

    return STATE_TYPES[name]
