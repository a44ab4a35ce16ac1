"""`linstock.jit`: capture programs (script, trace), load and save them, say how they are compiled. PyTorch's names."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any
from typing import Final as Final

from linstock.ir.errors import CompileError as CompileError
from linstock.ir.errors import InputError as InputError
from linstock.ir.errors import RaisedError as Error  # noqa: F401
from linstock.ir.errors import TracerWarning as TracerWarning
from linstock.runtime.executor import optimized_execution as optimized_execution
from linstock.runtime.load import load as load
from linstock.runtime.objects import Future as Future
from linstock.runtime.script_module import RecursiveScriptModule as RecursiveScriptModule
from linstock.runtime.script_module import ScriptFunction as ScriptFunction
from linstock.runtime.script_module import ScriptMethod as ScriptMethod
from linstock.runtime.script_module import ScriptModule as ScriptModule

if TYPE_CHECKING:
    from collections.abc import Callable

#: names that live in rooms which are loaded when they are first used
_LATER = {
    "save": "linstock.runtime.save",
    "trace": "linstock.runtime.tracing",
    "trace_module": "linstock.runtime.tracing",
    "is_tracing": "linstock.runtime.tracing",
    "TracedModule": "linstock.runtime.tracing",
    "TopLevelTracedModule": "linstock.runtime.tracing",
    "script": "linstock.runtime.scripting",
    "script_method": "linstock.runtime.scripting",
    "script_if_tracing": "linstock.runtime.scripting",
    "ignore": "linstock.runtime.scripting",
    "unused": "linstock.runtime.scripting",
    "export": "linstock.runtime.scripting",
    "interface": "linstock.runtime.scripting",
    "Attribute": "linstock.runtime.scripting",
    "CompilationUnit": "linstock.runtime.scripting",
    "freeze": "linstock.runtime.freezing",
    "optimize_for_inference": "linstock.runtime.freezing",
    "run_frozen_optimizations": "linstock.runtime.freezing",
}

#: names that are here from the start; they and the later ones are what `from linstock.jit import *` would give
_NOW = (
    "CompileError", "Error", "Final", "Future", "InputError", "RecursiveScriptModule", "ScriptFunction", "ScriptMethod",
    "ScriptModule", "TracerWarning", "annotate", "enable_onednn_fusion", "fork", "is_scripting", "isinstance", "load",
    "onednn_fusion_enabled", "optimized_execution", "set_fusion_strategy", "wait",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _LATER.get(name)
    if home is None:
        raise AttributeError(f"module 'linstock.jit' has no attribute {name!r}")
    found = getattr(importlib.import_module(home), name)
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__() -> list[str]:
    return sorted([*_NOW, *_LATER])


def annotate(the_type: Any, the_value: Any) -> Any:
    """Give an expression a type when scripted (`annotate(List[int], [])`); the value itself in Python."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether a value has a type; in Python also of containers with element types (`List[int]`, `Optional[str]`)."""
    from linstock.runtime.containers import is_instance

    return is_instance(obj, target_type)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """Run a function, giving a Future; `wait` gives its result. It runs at once, on the caller's thread."""
    return Future.run(lambda: func(*args, **kwargs))


def wait(future: Future) -> Any:
    """The result of a fork. Raises what the forked function raised."""
    return future.wait()


def is_scripting() -> bool:
    """False in Python, true in scripted code: what only one of the two can do stands behind it."""
    return False


def enable_onednn_fusion(enabled: bool) -> None:
    """Accepted as PyTorch's; linstock has no oneDNN, and fuses by its own passes."""


def onednn_fusion_enabled() -> bool:
    """False: linstock has no oneDNN."""
    return False


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Accepted as PyTorch's; plans do not depend on sizes, so there is nothing to choose. Gives the strategy back."""
    return strategy
