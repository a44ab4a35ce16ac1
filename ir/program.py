"""What graphs belong to: functions with signatures, and the compilation unit that holds them and the classes by name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from linstock.ir import types
from linstock.ir.errors import CompileError
from linstock.ir.graph import Graph
from linstock.ir.source import Span
from linstock.ir.types import Type

#: held while functions are compiled and planned: one thread at a time does that, in any order of functions
LOCK = threading.RLock()

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__bool__": lambda self: False})()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; `default` is MISSING where there is none."""

    name: str
    type: Type
    default: Any = MISSING
    kwarg_only: bool = False
    size: int | None = None  # a list parameter that one number may stand for


@dataclass(frozen=True)
class Signature:
    """Parameters (with `self` first for methods) and the result type."""

    parameters: tuple[Parameter, ...]
    returns: Type

    def fits(self, wanted: Signature) -> bool:
        """Whether a method of this signature implements an interface's `wanted` (self is not compared)."""
        mine, theirs = self.parameters[1:], wanted.parameters[1:]
        if len(mine) < len(theirs):
            return False
        if any(p.default is MISSING for p in mine[len(theirs) :]):
            return False
        same = all(m.name == t.name and types.is_subtype(t.type, m.type) for m, t in zip(mine, theirs, strict=False))
        return same and types.is_subtype(self.returns, wanted.returns)

    def __str__(self) -> str:
        parts = [f"{p.type} {p.name}" + ("" if p.default is MISSING else f"={p.default!r}") for p in self.parameters]
        return f"({', '.join(parts)}) -> {self.returns}"


class Function:
    """A function or method: its signature and graph are made by `define` when first needed."""

    replaced = 0  # how many graphs were replaced so far: what was compiled before may contain an old one

    def __init__(
        self,
        name: str,
        define: Callable[[Function], tuple[Signature, Graph]] | None = None,
        declare: Callable[[Function], Signature] | None = None,
        doc: str | None = None,
    ) -> None:
        self.name, self.doc = name, doc
        self._define, self._declare = define, declare
        self._signature: Signature | None = None
        self._graph: Graph | None = None
        self._busy = False
        self.executor: Any = None  # what runs it; owned by the runtime
        self.span: Span | None = None
        self.traced = False

    @classmethod
    def of(cls, name: str, signature: Signature, graph: Graph) -> Function:
        """A function whose graph is already made."""
        made = cls(name)
        made._signature, made._graph = signature, graph
        return made

    @property
    def short_name(self) -> str:
        return self.name.rpartition(".")[2]

    def signature(self) -> Signature:
        """The signature; compiles the body only if the result type is not declared."""
        if self._signature is None and self._declare is not None:
            self._signature = self._declare(self)
        if self._signature is None:
            self.ensure()
        assert self._signature is not None
        return self._signature

    @property
    def graph(self) -> Graph:
        self.ensure()
        assert self._graph is not None
        return self._graph

    def set_graph(self, graph: Graph, signature: Signature | None = None) -> None:
        """Replace the graph (after a pass); a plan made from the old one is dropped."""
        self._graph, self.executor = graph, None
        Function.replaced += 1
        if signature is not None:
            self._signature = signature

    @property
    def is_defined(self) -> bool:
        return self._graph is not None

    def ensure(self) -> None:
        """Compile the body if that has not happened. Raises CompileError, also for a call of itself."""
        if self._graph is not None:
            return
        with LOCK:
            if self._graph is not None:  # another thread was faster
                return
            if self._busy:
                raise CompileError(
                    f"function '{self.short_name}' calls itself: recursion cannot be compiled", self.span
                )
            assert self._define is not None
            self._busy = True
            try:
                self._signature, self._graph = self._define(self)
            finally:
                self._busy = False

    def __repr__(self) -> str:
        return f"<function {self.name}>"


@dataclass
class CompilationUnit:
    """Classes and functions by qualified name (`__torch__.foo.Bar`)."""

    classes: dict[str, Type] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    mangle: int = 0

    def unique_name(self, name: str) -> str:
        """`name`, or with a `___torch_mangle_N` part before its last one if it is taken."""
        if name not in self.classes and name not in self.functions:
            return name
        parts = [p for p in name.split(".") if not p.startswith("___torch_mangle_")]
        while True:
            candidate = ".".join([*parts[:-1], f"___torch_mangle_{self.mangle}", parts[-1]])
            self.mangle += 1
            if candidate not in self.classes and candidate not in self.functions:
                return candidate
