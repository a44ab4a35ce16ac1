"""Small programs, each run as Python, scripted, saved and loaded, and (where PyTorch is installed) by PyTorch too.

A file in `programs/` says `import linstock as torch` and marks functions and module classes with `@case(arguments,
...)`; for
PyTorch the same text is imported once more with `import torch` in that line's place.
"""

from __future__ import annotations

import copy
import enum
import importlib
import importlib.util
import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS = Path(__file__).parent / "programs"
_CASES: dict[str, list[Case]] = {}


@dataclass(frozen=True)
class Case:
    """A program and the argument tuples it is called with.

    `python` is False where Python itself gives something else, which the program's comment tells; `torch` False where
    PyTorch
    refuses the program or its archive, or is wrong.
    """

    make: Any
    inputs: tuple[Any, ...]
    python: bool = True
    torch: bool = True

    @property
    def name(self) -> str:
        return self.make.__name__  # type: ignore[no-any-return]

    def subject(self) -> Any:
        """The function, or an instance of the module class."""
        return self.make() if isinstance(self.make, type) else self.make


def case(*inputs: Any, python: bool = True, torch: bool = True) -> Callable[[Any], Any]:
    """Mark a program; each input is a tuple of arguments, or one argument."""

    def mark(make: Any) -> Any:
        given = tuple(i if type(i) is tuple else (i,) for i in inputs) or ((),)
        _CASES.setdefault(make.__module__, []).append(Case(make, given, python, torch))
        return make

    return mark


def programs() -> list[str]:
    """Names of the program files."""
    return sorted(p.stem for p in PROGRAMS.glob("*.py") if p.stem != "__init__")


def cases(program: str) -> list[Case]:
    """The cases of a program file."""
    name = f"tests.tracer.programs.{program}"
    importlib.import_module(name)
    return _CASES[name]


def torch_cases(program: str, folder: Path) -> dict[str, Case]:
    """The same cases with PyTorch in linstock's place, by name."""
    name = f"{program}_with_torch"
    text = (
        (PROGRAMS / f"{program}.py")
        .read_text()
        .replace("import linstock as torch", "import torch")
        .replace("from linstock import", "from torch import")
    )
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    _CASES.pop(name, None)
    spec.loader.exec_module(module)
    return {c.name: c for c in _CASES[name]}


def outcome(subject: Any, arguments: tuple[Any, ...]) -> Any:
    """What a call gives (with what it did to its arguments), or the exception it raises."""
    given = copy.deepcopy(arguments)
    try:
        return subject(*given)
    except Exception as error:
        return error


def difference(expected: Any, found: Any, where: str = "result") -> str | None:
    """The first difference of two values of linstock or PyTorch, in words; None where they are the same."""
    if isinstance(expected, Exception) or isinstance(found, Exception):
        return _different_errors(expected, found, where)
    if type(expected).__name__ in ("Tensor", "Parameter"):
        return _different_tensors(expected, found, where)
    if isinstance(expected, enum.Enum):
        same = isinstance(found, enum.Enum) and expected.name == found.name
        return None if same else f"{where}: {found!r} instead of {expected!r}"
    if isinstance(expected, (list, tuple)):
        if type(expected).__name__ == "Size":
            expected = list(expected)
        fields = _fields(expected)
        if not isinstance(found, list if isinstance(expected, list) else tuple) and type(found).__name__ != "Size":
            return f"{where}: a {type(found).__name__} instead of a {type(expected).__name__}: {found!r}"
        if len(expected) != len(found) or fields != _fields(found):
            return f"{where}: {found!r} instead of {expected!r}"
        parts = [difference(e, f, f"{where}[{i}]") for i, (e, f) in enumerate(zip(expected, found, strict=True))]
        return next((p for p in parts if p), None)
    if isinstance(expected, dict):
        if not isinstance(found, dict) or list(expected) != list(found):
            return f"{where}: {found!r} instead of {expected!r}"
        parts = [difference(v, found[k], f"{where}[{k!r}]") for k, v in expected.items()]
        return next((p for p in parts if p), None)
    if type(expected) in (float, complex):
        close = type(found) is type(expected) and bool(np.allclose(expected, found, rtol=1e-6, equal_nan=True))
        return None if close else f"{where}: {found!r} instead of {expected!r}"
    if type(expected) in (bool, int, str, type(None)):
        return (
            None
            if type(found) is type(expected) and found == expected
            else f"{where}: {found!r} instead of {expected!r}"
        )
    if type(expected).__name__ in ("dtype", "device", "Device"):
        same = str(expected).rpartition(".")[2] == str(found).rpartition(".")[2]
        return None if same else f"{where}: {found!r} instead of {expected!r}"
    return None


def _fields(value: Any) -> Any:
    return getattr(value, "_fields", None) if "return_types" not in type(value).__module__ else None


def _different_errors(expected: Any, found: Any, where: str) -> str | None:
    if not isinstance(expected, Exception):
        raise found
    if not isinstance(found, Exception):
        return f"{where}: {found!r} instead of {type(expected).__name__}: {expected}"
    kind = type(expected) if type(expected).__module__ == "builtins" else Exception
    text = str(expected.args[0]) if expected.args else ""
    if not isinstance(found, kind) or text not in str(found):
        return f"{where}: {type(found).__name__}: {found} instead of {type(expected).__name__}: {expected}"
    return None


def _different_tensors(expected: Any, found: Any, where: str) -> str | None:
    if type(found).__name__ not in ("Tensor", "Parameter"):
        return f"{where}: {found!r} instead of a tensor"
    if str(expected.dtype).rpartition(".")[2] != str(found.dtype).rpartition(".")[2]:
        return f"{where}: {found.dtype} instead of {expected.dtype}"
    a, b = (np.asarray(t.detach().resolve_conj().numpy()) for t in (expected, found))
    if a.shape != b.shape:
        return f"{where}: shape {b.shape} instead of {a.shape}"
    if not np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
        return f"{where}: {b} instead of {a}"
    return None


def saved(scripted: Any) -> io.BytesIO:
    """The archive of a scripted function or module."""
    import linstock

    buffer = io.BytesIO()
    linstock.jit.save(scripted, buffer)
    buffer.seek(0)
    return buffer


def to_torch(value: Any) -> Any:
    """A linstock value as PyTorch's."""
    import torch

    if type(value).__name__ in ("Tensor", "Parameter"):
        made = torch.from_numpy(np.array(value.detach().numpy()))
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, dict):
        return {k: to_torch(v) for k, v in value.items()}
    return value


__all__ = ["Case", "case", "cases", "difference", "math", "outcome", "programs", "saved", "to_torch", "torch_cases"]
