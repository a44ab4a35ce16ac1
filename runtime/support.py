"""What generated code calls besides operators and other functions, by the names it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linstock.runtime import inline, objects
from linstock.runtime.objects import Future, ScriptObject


def _wrong_length(items: Sequence[Any], count: int) -> Any:
    raise RuntimeError(f"Expected {count} elements in a list but found {len(items)}")


def _enter(thing: Any, call: Callable[..., Any], leave: Callable[..., Any], entered: list[Any]) -> Any:
    result = call(thing)
    entered.append((thing, leave))
    return result


def _exit(thing: Any, leave: Callable[..., Any], entered: list[Any]) -> None:
    if entered and entered[-1][0] is thing:
        entered.pop()
    leave(thing, None, None, None)


def _leave(entered: list[Any]) -> None:
    while entered:
        thing, leave = entered.pop()
        leave(thing, None, None, None)


def _submodule(container: ScriptObject, key: Any) -> ScriptObject:
    """The submodule of a container by name or place. Raises KeyError or IndexError."""
    if isinstance(key, int):
        modules = [v for v in container.slots.values() if isinstance(v, ScriptObject) and v.type.is_module]
        found = modules[key]
    else:
        found = container.slots[key]
    return found


def _tolist(tensor: Any, depth: int, element: str) -> Any:
    """`tensor.tolist()` annotated as a list of `depth` levels of `element`. Raises RuntimeError if it is not."""
    have = len(tensor.shape)
    if have != depth:
        raise RuntimeError(
            f"Output annotation list dimension {depth} and runtime tensor dimension {have} must match for tolist()"
        )
    kind = tensor.dtype
    fits = {
        "int": kind.name == "int64", "bool": kind.name == "bool", "complex": kind.is_complex,
        "float": kind.name in ("float32", "float64"),
    }.get(element, False)  # fmt: skip
    if not fits:
        raise RuntimeError(
            "Output annotation element type and runtime tensor element type must match for tolist(): "
            f"the annotation says {element}, the tensor is {kind.name}"
        )
    return tensor.tolist()


def _new_torchbind(name: str) -> Any:
    raise NotImplementedError(
        f"objects of the custom class '{name.removeprefix('__torch__.torch.classes.')}' can only be loaded"
    )


HELPERS: dict[str, Any] = {
    "ScriptObject": ScriptObject, "fork": Future.run, "raised": objects.raised, "wrap": inline.wrap, "tolist": _tolist,
    "wrong_length": _wrong_length, "enter": _enter, "exit_": _exit, "leave": _leave, "new_torchbind": _new_torchbind,
    "submodule": _submodule, "nothing": None,
}  # fmt: skip
