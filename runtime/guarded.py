"""Running code while a file is loaded (`__setstate__`): within bounds of work and memory, with errors of ours only.

PyTorch runs this code as any other. A file that nobody vouches for could make a load never end, or fill the memory; so
each step is counted, values may not outgrow what a file can need, and operators whose cost is more than linear in what
they are given are measured beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.ir import operators
from linstock.ir.errors import ArchiveError, LinstockError
from linstock.ir.program import Function
from linstock.runtime import dispatch
from linstock.runtime.codegen import generate
from linstock.runtime.executor import locate, silent
from linstock.runtime.tensor import Tensor

#: calls, loop iterations and results that one load may have
MAX_STEPS = 2_000_000
#: bytes that its results may take besides some times the size of the file, and elements of a list or text
FREE_BYTES, FILE_TIMES, MAX_LENGTH = 1 << 28, 8, 10_000_000
#: multiplications of one operator, and of all
MAX_WORK = 1 << 34
#: arguments that say how large a result is
_SIZES = frozenset({
    "size", "sizes", "shape", "repeats", "n", "m", "N", "steps", "num_classes", "output_size", "pad", "padding", "end", "length",
    "num_samples", "minlength", "bins", "dims", "r", "l", "num", "output_padding", "scale_factors", "window_length", "s",
})  # fmt: skip
#: families whose operators may do as much as the product of the sizes of their tensors
_PRODUCTS = frozenset({"linalg", "conv", "attention", "rnn", "loss", "fft", "special"})

#: what hostile code can make a kernel stumble over
_STRAY = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, NotImplementedError, AssertionError,
    RuntimeError, MemoryError, StopIteration,
)  # fmt: skip


class Guard:
    """Runs functions of one archive within bounds. `size` is the file's."""

    def __init__(self, size: int) -> None:
        self._bytes = FREE_BYTES + FILE_TIMES * size
        self._left, self._steps, self._work = self._bytes, MAX_STEPS, MAX_WORK
        self._made: dict[Function, Callable[..., Any]] = {}

    def run(self, function: Function, values: Sequence[Any]) -> Any:
        """The function's result. Raises ArchiveError when it fails or takes too much, RaisedError if it raises itself."""
        try:
            with silent():
                return self._compiled(function)(*values)
        except LinstockError as problem:
            locate(problem)
            raise
        except RecursionError:
            raise ArchiveError(f"'{function.name}', which runs when the file is loaded, is nested too deeply") from None
        except _STRAY as problem:
            raise ArchiveError(
                f"'{function.name}', which runs when the file is loaded, failed: {type(problem).__name__}: {str(problem)[:300]}"
            ) from problem

    def _compiled(self, function: Function) -> Callable[..., Any]:
        made = self._made.get(function)
        if made is None:
            made = generate(function.graph, self._link, self._operator, function.name, self._watch).run
            self._made[function] = made
        return made

    def _link(self, function: Function, target: dict[Any, Any], key: Any) -> None:
        def first(*args: Any) -> Any:
            run = target[key] = self._compiled(function)
            return run(*args)

        target[key] = first

    def _watch(self, value: Any = None) -> Any:
        """Counts a step; gives its result back if it is not too long."""
        self._steps -= 1
        if self._steps < 0:
            raise ArchiveError("the code that runs when the file is loaded does not come to an end")
        if type(value) in (list, str, dict) and len(value) > MAX_LENGTH:
            raise ArchiveError(f"the code that runs when the file is loaded makes a value of {len(value):,} elements")
        return value

    def _operator(self, full_name: str) -> Callable[..., Any]:
        call = dispatch.operator(full_name)
        names = [a.name for a in operators.schema(full_name).arguments]
        sized = [i for i, name in enumerate(names) if name in _SIZES]
        multiplies = operators.family(full_name) in _PRODUCTS

        def checked(*args: Any) -> Any:
            self._before(full_name, args, sized, multiplies)
            result = call(*args)
            self._after(full_name, result)
            return result

        return checked

    def _before(self, name: str, args: Sequence[Any], sized: Sequence[int], multiplies: bool) -> None:
        arrays = [a for a in _arrays(args) if isinstance(a, np.ndarray)]
        largest = max((a.nbytes for a in arrays), default=0)
        if largest > self._bytes:
            raise self._refused(name)
        wanted = max((a.size for a in arrays), default=1) or 1
        for i in sized:
            if i < len(args):
                wanted *= _product(args[i])
        if len(arrays) > 1:
            rank = max(a.ndim for a in arrays)
            shapes = [(1,) * (rank - a.ndim) + a.shape for a in arrays]
            wanted = max(wanted, math.prod(max(sizes) for sizes in zip(*shapes)))
        if wanted > self._bytes:
            raise self._refused(name)
        if multiplies:
            work = math.prod(max(a.size, 1) for a in arrays if a.ndim > 1) if arrays else 1
            self._work -= min(work, largest * largest)
            if self._work < 0:
                raise self._refused(name)

    def _after(self, name: str, result: Any) -> None:
        for array in _arrays((result,)):
            if getattr(array, "base", None) is None:
                self._left -= int(getattr(array, "nbytes", 0))
        if self._left < 0:
            raise self._refused(name)

    def _refused(self, name: str) -> ArchiveError:
        return ArchiveError(
            f"the code that runs when the file is loaded calls '{name}' with more than a file of its size can need "
            f"({self._bytes:,} bytes)"
        )


def _arrays(values: Sequence[Any]) -> list[Any]:
    found = []
    for value in values:
        if isinstance(value, Tensor):
            found.append(value._array)
        elif type(value) in (list, tuple):
            found += _arrays(value)
    return found


def _product(value: Any) -> int:
    """How many times larger a result can be for a size, or a list of them."""
    if type(value) is int:
        return max(abs(value), 1)
    if type(value) is float:
        return int(min(max(abs(value), 1.0), 1e18)) if value == value else 1
    if type(value) in (list, tuple):
        return math.prod(_product(v) for v in value)
    return 1
