"""Saving what tensors show of their memory, instead of the memory that they lie in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linstock.runtime.archive.records import PACKED, TensorData, TensorParts


class CompactParts:
    """`parts`, but a tensor that shows only some elements of its storage gets a storage of just those.

    Tensors that show all of one storage still share it, and so do those that show the very same part; between parts
    that overlap otherwise, sharing is lost.
    """

    def __init__(self, parts: TensorParts) -> None:
        self._parts = parts
        self._copies: dict[Any, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = {}

    def __call__(self, value: Any) -> TensorData | None:
        data = self._parts(value)
        if data is None or data.dtype in PACKED or math.prod(data.sizes) >= len(data.storage):
            return data
        place = int(data.storage.__array_interface__["data"][0])
        key = (place, data.offset, data.dtype, data.sizes, data.strides)
        if key not in self._copies:  # the first of a pair keeps its address from being used for something else
            self._copies[key] = (data.storage, np.ascontiguousarray(data.array).reshape(-1))
        return data.with_fields(storage=self._copies[key][1], offset=0, strides=_contiguous(data.sizes))


def _contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
