"""The table of ONNX forms: a converter per operator, or the reason why there is none."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from linstock.backends.array.derive import SECOND_NAMES
from linstock.ir import operators
from linstock.ir.schema import Argument, Schema

Converter = Callable[..., Any]
F = TypeVar("F", bound=Converter)

_CONVERTERS: dict[str, Converter] = {}
_REASONS: dict[str, str] = {}
_found: dict[str, Converter | None] = {}
_loaded = False
_FACTORY_ARGUMENTS = ("dtype", "layout", "device", "pin_memory", "memory_format")


def expand(names: Sequence[str]) -> Iterator[str]:
    """Full operator names: "add.Tensor|Scalar" stands for aten::add.Tensor and aten::add.Scalar, "x.|dim" for aten::x
    and aten::x.dim.
    """
    for name in names:
        base, dot, overloads = name.partition(".")
        base = base if "::" in base else f"aten::{base}"
        for overload in overloads.split("|"):
            yield f"{base}.{overload}" if dot and overload else base


def converter(*names: str) -> Callable[[F], F]:
    """Register a function as the ONNX form of each named operator (names as `expand` takes them)."""

    def register(function: F) -> F:
        for name in expand(names):
            if name in _CONVERTERS:
                raise ValueError(f"two ONNX forms for {name}")
            _CONVERTERS[name] = function
        return function

    return register


def no_form(*names: str, reason: str) -> None:
    """Say why operators (all overloads, unless one is named) have no ONNX form."""
    for name in expand(names):
        _REASONS[name] = reason


def load() -> None:
    """Import the files of all families."""
    global _loaded
    if not _loaded:
        _loaded = True
        package = importlib.import_module(__package__ or "linstock.backends.onnx")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")


def registered() -> tuple[str, ...]:
    """Full names of the operators that have a form of their own."""
    load()
    return tuple(_CONVERTERS)


def find(full_name: str) -> Converter | None:
    """The converter of an operator, its own or that of the operator it derives from (`add` for `add_` and `add.out`).
    None if there is none.

    It takes the operator's arguments in schema order, without those named `out`.
    """
    load()
    if full_name not in _found:
        _found[full_name] = None  # ends a circle of second names
        own = _CONVERTERS.get(full_name)
        _found[full_name] = (
            own if own is not None or not operators.has_schema(full_name) else _derived(operators.schema(full_name))
        )
    return _found[full_name]


def _derived(schema: Schema) -> Converter | None:
    namespace, _, name = schema.name.partition("::")
    inputs = tuple(a for a in schema.arguments if a not in schema.out_arguments)
    bases = [schema.name] if schema.out_arguments else []
    if name.endswith("_") and not name.endswith("__"):
        bases.append(f"{namespace}::{name[:-1]}")
    if name.startswith("__i"):
        bases.append(f"{namespace}::__{name[3:]}")
    if name.endswith("_copy"):
        bases.append(f"{namespace}::{name[:-5]}")
    if name in SECOND_NAMES:
        bases.append(f"{namespace}::{SECOND_NAMES[name]}")
    for base in bases:
        found = _with_arguments(base, inputs, schema.overload)
        if found is not None:
            return found
    return _factory(schema, inputs) if schema.out_arguments else None


def _alike(a: Argument, b: Argument) -> bool:
    return a.type == b.type and a.kind == b.kind


def _with_arguments(name: str, arguments: tuple[Argument, ...], overload: str) -> Converter | None:
    """The form of an overload of `name` that takes these arguments."""
    alike = [
        s for s in operators.schemas(name)
        if not s.out_arguments and len(s.arguments) == len(arguments) and all(map(_alike, s.arguments, arguments))
    ]  # fmt: skip
    alike.sort(key=lambda s: s.overload != overload)
    return next((f for f in (find(s.full_name) for s in alike) if f is not None), None)


def _factory(schema: Schema, inputs: tuple[Argument, ...]) -> Converter | None:
    """The form of `zeros.out` from that of `zeros`: the options are those of `out`."""
    for other in operators.schemas(schema.name):
        rest = other.arguments[len(inputs) :]
        if (
            other.out_arguments
            or not rest
            or not all(map(_alike, other.arguments, inputs))
            or any(a.name not in _FACTORY_ARGUMENTS for a in rest)
        ):
            continue
        found = find(other.full_name)
        if found is not None:
            return lambda b, *args: found(b, *args, *[None] * len(rest))
    return None


def reason(full_name: str) -> str:
    """Why there is no form."""
    load()
    base = full_name.partition(".")[0]
    names = [full_name, base, base.rstrip("_")]
    return next((_REASONS[n] for n in names if n in _REASONS), "no ONNX form has been written for it")


def support(full_name: str) -> str:
    """ "yes" or why not, for the operator table."""
    from linstock.backends.onnx import complex_forms, quantized
    from linstock.backends.onnx.containers import CONTAINERS

    if (
        find(full_name) is not None
        or complex_forms.find(full_name) is not None
        or quantized.find(full_name) is not None
    ):
        return "yes"
    if full_name.partition(".")[0] in CONTAINERS or operators.family(full_name) in ("scalar", "container", "control"):
        return "computed while exporting"
    return reason(full_name)
