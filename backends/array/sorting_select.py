"""Which of several equal elements a selection picks.

PyTorch leaves that open, but what it picks is what the selection algorithms of its C++ library pick; indices come out
the same only by the same exchanges. These run over the positions of one lane, element by element, and are used for
short lanes with ties only. Algorithms: introselect and introsort (D. R. Musser, 1997) as in libstdc++, Hoare's
quickselect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .memory import Array

Less = Callable[[int, int], bool]

#: total number of elements up to which ties are settled one by one
LIMIT = 1 << 16
_SHORT = 16


def ascending(lane: list[Any]) -> Less:
    """The order of a lane's positions by value, NaN last."""
    return lambda i, j: lane[i] < lane[j] or (lane[j] != lane[j] and lane[i] == lane[i])


def descending(lane: list[Any]) -> Less:
    """The order of a lane's positions by value, the largest first, NaN as the very largest."""
    return lambda i, j: lane[i] > lane[j] or (lane[i] != lane[i] and lane[j] == lane[j])


def _insert(p: list[int], lo: int, i: int, less: Less) -> None:
    """Move the entry at `i` down among the sorted ones from `lo` on."""
    moving = p[i]
    if less(moving, p[lo]):
        p[lo + 1 : i + 1] = p[lo:i]
        i = lo
    while i > lo and less(moving, p[i - 1]):
        p[i] = p[i - 1]
        i -= 1
    p[i] = moving


def _split(p: list[int], lo: int, hi: int, less: Less) -> int:
    """Partition around the median of three entries, which goes to `lo` first; returns where the upper part begins."""
    a, b, c = lo + 1, lo + (hi - lo) // 2, hi - 1
    if less(p[a], p[b]):
        m = b if less(p[b], p[c]) else c if less(p[a], p[c]) else a
    else:
        m = a if less(p[a], p[c]) else c if less(p[b], p[c]) else b
    p[lo], p[m] = p[m], p[lo]
    pivot, i, j = p[lo], lo + 1, hi
    while True:
        while less(p[i], pivot):
            i += 1
        j -= 1
        while less(pivot, p[j]):
            j -= 1
        if i >= j:
            return i
        p[i], p[j] = p[j], p[i]
        i += 1


def _sift(p: list[int], lo: int, hole: int, n: int, value: int, less: Less) -> None:
    """Let a hole in a heap sink to a leaf, then the value rise from there."""
    top, child = hole, hole
    while child < (n - 1) // 2:
        child = 2 * child + 2
        if less(p[lo + child], p[lo + child - 1]):
            child -= 1
        p[lo + hole] = p[lo + child]
        hole = child
    if n % 2 == 0 and child == (n - 2) // 2:
        child = 2 * child + 1
        p[lo + hole] = p[lo + child]
        hole = child
    while hole > top and less(p[lo + (hole - 1) // 2], value):
        p[lo + hole] = p[lo + (hole - 1) // 2]
        hole = (hole - 1) // 2
    p[lo + hole] = value


def _heap_select(p: list[int], lo: int, mid: int, hi: int, less: Less) -> None:
    """Bring the first mid - lo entries of the order into [lo, mid), as a heap."""
    n = mid - lo
    for parent in range((n - 2) // 2, -1, -1):
        _sift(p, lo, parent, n, p[lo + parent], less)
    for i in range(mid, hi):
        if less(p[i], p[lo]):
            value, p[i] = p[i], p[lo]
            _sift(p, lo, 0, n, value, less)


def partial_sort(p: list[int], lo: int, mid: int, hi: int, less: Less) -> None:
    """Bring the first mid - lo entries of the order into [lo, mid), in order."""
    _heap_select(p, lo, mid, hi, less)
    for last in range(mid - 1, lo, -1):
        value, p[last] = p[last], p[lo]
        _sift(p, lo, 0, last - lo, value, less)


def nth_element(p: list[int], nth: int, less: Less) -> None:
    """Bring the entry that belongs at `nth` there, smaller ones before it, larger ones after it."""
    lo, hi = 0, len(p)
    if nth >= hi:
        return
    depth = 2 * (hi.bit_length() - 1)
    while hi - lo > 3:
        if not depth:
            _heap_select(p, lo, nth + 1, hi, less)
            p[lo], p[nth] = p[nth], p[lo]
            return
        depth -= 1
        cut = _split(p, lo, hi, less)
        if cut <= nth:
            lo = cut
        else:
            hi = cut
    for i in range(lo + 1, hi):
        _insert(p, lo, i, less)


def sort(p: list[int], hi: int, less: Less) -> None:
    """Bring the entries before `hi` in order; equal ones end where introsort leaves them."""
    parts = [(0, hi, 2 * (hi.bit_length() - 1))] if hi else []
    while parts:
        lo, end, depth = parts.pop()
        while end - lo > _SHORT:
            if not depth:
                partial_sort(p, lo, end, end, less)
                break
            depth -= 1
            cut = _split(p, lo, end, less)
            parts.append((cut, end, depth))
            end = cut
    for i in range(1, hi):
        _insert(p, 0, i, less)


def quickselect(p: list[int], k: int, less: Less) -> None:
    """Bring the entry that belongs at `k` there, by Hoare's method around the median of three."""

    def swap(i: int, j: int) -> None:
        p[i], p[j] = p[j], p[i]

    lo, hi = 0, len(p) - 1
    while hi > lo:
        if hi == lo + 1:
            if less(p[hi], p[lo]):
                swap(lo, hi)
            return
        swap(lo + (hi - lo) // 2, lo + 1)
        for high, low in ((lo + 1, hi), (lo, hi), (lo + 1, lo)):
            if less(p[low], p[high]):
                swap(high, low)
        i, j, pivot = lo + 1, hi, p[lo]
        while True:
            i += 1
            while less(p[i], pivot):
                i += 1
            j -= 1
            while less(pivot, p[j]):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(lo, j)
        if j <= k:
            lo = i
        if j >= k:
            hi = j - 1


def by_lane(x: Array, dim: int, pick: Callable[[list[Any]], list[int]]) -> Array:  # host only
    """The positions that `pick` chooses in every lane of a dimension, along that dimension."""
    lanes = np.moveaxis(x, dim, -1)
    chosen = [pick(lane) for lane in lanes.reshape(-1, x.shape[dim]).tolist()]
    return np.moveaxis(np.array(chosen, np.int64).reshape(lanes.shape[:-1] + (-1,)), -1, dim)


def has_ties(ordered: Array, dim: int) -> bool:
    """Whether some neighbours in sorted lanes are equal (or both NaN)."""
    lanes = np.moveaxis(ordered, dim, -1)
    a, b = lanes[..., 1:], lanes[..., :-1]
    equal = a == b
    if ordered.dtype.kind == "f":
        equal |= np.isnan(a) & np.isnan(b)
    return bool(equal.any())
