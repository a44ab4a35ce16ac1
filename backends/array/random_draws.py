"""Random numbers: draws from weighted choices and counts of events."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import promotion as P
from .constructors import type_name, unsupported
from .generator import Generator, chosen
from .promotion import Array, array
from .random import exponential_, fill, is_real_float
from .registry import kernel


@kernel("aten::multinomial")
def multinomial(self: Array, num_samples: int, replacement: bool = False, generator: Generator | None = None) -> Array:
    """Indices drawn with the weights in each row, with or without replacement."""
    if self.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not is_real_float(self.dtype):
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {type_name(self.dtype)}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    n = self.shape[-1]
    if not replacement and num_samples > n:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    weights = P.wide(self)
    if self.size == 0:
        return np.empty((*self.shape[:-1], num_samples), np.int64)
    if not bool(np.all((weights >= 0) & (weights < np.inf))):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not bool(np.all(weights.sum(-1) > 0)):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement or num_samples == 1:
        q = exponential_(np.empty(self.shape, self.dtype), 1.0, generator)
        with np.errstate(all="ignore"):
            keys = (weights / P.wide(q)).astype(self.dtype)
        if num_samples == 1:
            return array(np.argmax(keys, axis=-1, keepdims=True)).astype(np.int64, copy=False)
        order = np.argsort(-P.wide(keys), axis=-1, kind="stable")
        return np.ascontiguousarray(order[..., :num_samples])
    rows = weights.reshape(-1, n)
    cumulative = np.cumsum(rows, axis=-1, dtype=rows.dtype)
    cumulative = (cumulative / cumulative[:, -1:]).astype(rows.dtype)
    cumulative[:, -1] = 1
    g = chosen(generator)
    with g.lock:
        u = g.uniform64(len(rows) * num_samples).reshape(len(rows), num_samples)
    found = np.stack([np.searchsorted(c.astype(np.float64), x, "left") for c, x in zip(cumulative, u)])
    return found.astype(np.int64).reshape(*self.shape[:-1], num_samples)


@contextmanager
def _one_by_one(g: Generator) -> Iterator[Any]:
    """A function that gives the next evenly spread double; only what it gave is taken from the generator."""
    with g.lock:
        before = g.get_state()
        taken = 0
        pool: list[float] = []

        def draw() -> float:
            nonlocal taken, pool
            if not pool:
                pool = g.uniform64(1024)[::-1].tolist()
            taken += 1
            return pool.pop()

        yield draw
        g.set_state(before)
        g.random64(taken)


def _poisson(rate: float, draw: Any) -> int:
    if not rate >= 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate == 0:
        return 0
    if rate < 10:
        limit, product, k = math.exp(-rate), draw(), 0
        while product > limit:
            product *= draw()
            k += 1
        return k
    # Hoermann's transformed rejection (PTRS, 1993)
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    bound = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= bound:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= (
            -rate + k * log_rate - math.lgamma(k + 1)
        ):
            return k


@kernel("aten::poisson")
def poisson(self: Array, generator: Generator | None = None) -> Array:
    """Numbers of events at the rates in `self`. host only (a rejection method, number by number)"""
    if not is_real_float(self.dtype):
        unsupported("poisson_cpu", self.dtype)
    out = np.empty(self.shape, self.dtype)
    rates = self.astype(np.float64).reshape(-1).tolist()
    with _one_by_one(chosen(generator)) as draw:
        return fill(out, np.array([_poisson(r, draw) for r in rates], np.float64).astype(self.dtype))


def _stirling_rest(k: float) -> float:
    """What Stirling's formula leaves of log(k!)."""
    return math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))


def _binomial_by_waiting(count: float, p: float, draw: Any) -> float:
    log_miss, total, hits = math.log1p(-p), 0.0, 0.0
    while True:
        u = draw()
        total += math.ceil(math.log(u) / log_miss) if u else math.inf
        if total > count:
            return hits
        hits += 1


def _binomial_by_rejection(count: float, p: float, draw: Any) -> float:
    # Hoermann's transformed rejection (BTRS, 1993)
    spread = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    bound = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * spread
    mode = math.floor((count + 1) * p)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c) if us else -1
        if us >= 0.07 and v <= bound:
            return k
        if k < 0 or k > count:
            continue
        left = math.log(v * alpha / (a / (us * us) + b)) if v else -math.inf
        right = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_rest(mode) + _stirling_rest(count - mode) - _stirling_rest(k) - _stirling_rest(count - k)
        )  # fmt: skip
        if left <= right:
            return k


def _binomial(count: float, p: float, draw: Any) -> float:
    if count <= 0 or p <= 0:
        return 0
    if p >= 1:
        return count
    if p > 0.5:
        return count - _binomial(count, 1.0 - p, draw)
    if p <= 0.5:
        return (_binomial_by_rejection if count * p >= 10 else _binomial_by_waiting)(count, p, draw)
    return math.nan


@kernel("aten::binomial")
def binomial(count: Array, prob: Array, generator: Generator | None = None) -> Array:
    """Numbers of successes in `count` trials of probability `prob`. host only (a rejection method, number by number)"""
    if not is_real_float(count.dtype) or count.dtype != prob.dtype:
        raise ValueError("binomial only supports floating-point dtypes for count and prob, and the same for both")
    counts, chances = np.broadcast_arrays(count, prob)
    out = np.empty(counts.shape, count.dtype)
    pairs = zip(counts.astype(np.float64).reshape(-1).tolist(), chances.astype(np.float64).reshape(-1).tolist())
    with _one_by_one(chosen(generator)) as draw:
        return fill(out, np.array([_binomial(n, p, draw) for n, p in pairs], np.float64).astype(count.dtype))
