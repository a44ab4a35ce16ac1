"""Tensors as text inside a program (`print(x)`, `str(x)`): every element, matrix by matrix, then the type."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .constructors import type_name
from .promotion import Array

LINE = 80


def _exponent(value: float) -> int:
    return math.floor(math.log10(value)) + 1 if value else 1


def _layout(values: Array) -> tuple[float, int, str]:
    """The common scale of the elements, their width, and their format."""
    if values.size == 0:
        return 1.0, 0, "g"
    finite = np.abs(values[np.isfinite(values)])
    low, high = (_exponent(float(finite.min())), _exponent(float(finite.max()))) if finite.size else (1, 1)
    if bool(np.all(finite % 1 == 0)):
        return (1.0, 11, ".4e") if high > 9 else (1.0, high + 1, "g")
    if high - low > 4:
        return 1.0, 12 if max(abs(low), abs(high)) > 99 else 11, ".4e"
    if high > 5 or high < 0:
        return 10.0 ** (high - 1), 7, ".4f"
    return 1.0, 7 if high == 0 else high + 6, ".4f"


def _matrix(values: Array, indent: int) -> str:
    """The rows of a matrix, in blocks of columns where a line does not hold them all."""
    scale, width, form = _layout(values)
    rows, columns = values.shape
    per_line = max(1, (LINE - indent) // (width + 1))
    prefix, blocks = " " * indent, []
    for first in range(0, columns, per_line):
        last = min(first + per_line, columns)
        head = f"Columns {first + 1} to {last}{prefix}" if per_line < columns else ""
        if scale != 1:
            head += f"{scale:.10g} *\n{prefix}"
        between = "\n" + " " * (indent + (scale != 1))
        lines = [" ".join(f"{v / scale:{width}{form}}" for v in row[first:last]) for row in values.tolist()]
        blocks.append(head + between.join(lines) + "\n" if rows else head)
    return "\n".join(blocks)


def tensor_text(array: Array, device: str = "CPU", kind: Callable[[Any], str] = type_name) -> str:
    """An array as TorchScript prints a tensor, with the device's name in front of the type's."""
    values = (array.real if array.dtype.kind == "c" else array).astype(np.float64)
    tail = f"[ {device}{kind(array.dtype)}Type{{{','.join(map(str, array.shape))}}} ]"
    if array.ndim == 0:
        return f"{values.item():.17g}\n{tail}"
    if array.size == 0:
        return tail
    if array.ndim == 1:
        scale, width, form = _layout(values)
        head = f"{scale:.10g} *\n" if scale != 1 else ""
        lines = [f"{' ' if scale != 1 else ''}{v / scale:{width - (scale != 1)}{form}}\n" for v in values.tolist()]
        return head + "".join(lines) + tail
    if array.ndim == 2:
        return _matrix(values, 0) + tail
    parts = []
    for place in itertools.product(*(range(n) for n in array.shape[:-2])):
        parts.append(f"({','.join(str(i + 1) for i in place)},.,.) = \n" + _matrix(values[place], 1))
    return "\n".join(parts) + tail
