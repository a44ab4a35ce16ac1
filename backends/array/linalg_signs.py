"""Linear algebra: the signs of eigenvectors and singular vectors as PyTorch's LAPACK (MKL) chooses them.

A factorisation fixes its vectors only up to a sign. LAPACK libraries differ in two places: in the sign that a plane
rotation gives its result, which steers the implicit QL and QR iterations and the last turn of complex eigenvectors, and
in whether a wide matrix is first made square. What is here follows MKL in both. host only
"""

from __future__ import annotations

import importlib
import math
from functools import lru_cache
from typing import Any

import numpy as np

from .promotion import Array, DType

#: up to this order LAPACK finds the eigenvectors of a tridiagonal matrix by QL and QR iterations
SMALL = 25


@lru_cache(maxsize=64)
def _routine(name: str, kind: str, hermitian: str | None = None) -> Any:
    prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[kind]
    chosen = hermitian if hermitian is not None and prefix in "cz" else name
    return getattr(importlib.import_module("scipy.linalg.lapack"), prefix + chosen)


@lru_cache(maxsize=64)
def _direction(n: int) -> list[float]:
    """A vector that no eigenvector is likely to be at right angles to."""
    return [1.0 / math.sqrt(2 + 7 * i % 11 + i) for i in range(n)]


def _rotation(f: float, g: float) -> tuple[float, float, float]:
    """Cosine, sine and r of the rotation that takes (f, g) to (r, 0); r is negative only where |f| > |g| and f < 0."""
    if g == 0:
        return 1.0, 0.0, f
    if f == 0:
        return 0.0, 1.0, g
    r = math.hypot(f, g)
    if abs(f) > abs(g) and f < 0:
        r = -r
    return f / r, g / r, r


def _two_by_two(a: float, b: float, c: float) -> tuple[float, float, float, float]:
    """Eigenvalues of [[a, b], [b, c]], the larger in magnitude first, and cosine and sine of its eigenvector."""
    total, gap, twice = a + c, a - c, b + b
    root = math.hypot(gap, twice)
    first = 0.5 * (total - root) if total < 0 else 0.5 * (total + root)
    second = 0.5 * (total + root) if total < 0 else 0.5 * (total - root)
    side = gap + root if gap >= 0 else gap - root
    if abs(side) > abs(twice):
        cotangent = -twice / side
        sine = 1.0 / math.sqrt(1.0 + cotangent * cotangent)
        cosine = cotangent * sine
    elif twice == 0:
        cosine, sine = 1.0, 0.0
    else:
        tangent = -side / twice
        cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
        sine = tangent * cosine
    if (total >= 0) == (gap >= 0):
        cosine, sine = -sine, cosine
    return first, second, cosine, sine


def _projections(d: list[float], e: list[float], w: list[float], eps: float) -> list[float] | None:
    """The components along `w` of a tridiagonal matrix's eigenvectors in ascending order, None without convergence.

    Implicit QL or QR iterations on each block that does not split, from its smaller end, as LAPACK's steqr.
    """
    n, start, budget = len(d), 0, 30 * len(d)
    e = [*e, 0.0]

    def turn(i: int, c: float, s: float) -> None:
        w[i], w[i + 1] = s * w[i + 1] + c * w[i], c * w[i + 1] - s * w[i]

    while start < n:
        end = start
        while end < n - 1 and abs(e[end]) > math.sqrt(abs(d[end])) * math.sqrt(abs(d[end + 1])) * eps:
            end += 1
        e[end] = 0.0
        low, high = start, end
        start = end + 1
        # step +1 is QL: eigenvalues come off at the front; step -1 is QR, its mirror image
        step = -1 if abs(d[high]) < abs(d[low]) else 1
        at, last = (low, high) if step == 1 else (high, low)
        back = 0 if step == 1 else -1  # e[i + back] couples i with i + step
        while (last - at) * step >= 0:
            m = at
            while m != last and e[m + back] * e[m + back] > eps * eps * abs(d[m]) * abs(d[m + step]) + 2.3e-308:
                m += step
            if m != last:
                e[m + back] = 0.0
            if m == at:
                at += step
                continue
            if m == at + step:
                i = min(at, m)
                d[i], d[i + 1], c, s = _two_by_two(d[i], e[i], d[i + 1])
                turn(i, c, s)
                e[i] = 0.0
                at += 2 * step
                continue
            if budget == 0:
                return None
            budget -= 1
            g = (d[at + step] - d[at]) / (2.0 * e[at + back])
            g = d[m] - d[at] + e[at + back] / (g + math.copysign(math.hypot(g, 1.0), g))
            s, c, p = 1.0, 1.0, 0.0
            for i in range(m - step, at - step, -step):  # chase the bulge from m to `at`
                f, b = s * e[i + back], c * e[i + back]
                c, s, r = _rotation(g, f)
                if i != m - step:
                    e[i + step + back] = r
                g = d[i + step] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + step] = g + p
                g = c * r - b
                turn(min(i, i + step), c, -s if step == 1 else s)
            d[at] -= p
            e[at + back] = g
    return [w[i] for i in sorted(range(n), key=d.__getitem__)]


def settle_eigh(a: Array, lower: bool, vectors: Array) -> None:
    """Turn the eigenvectors (columns, in place) of one small Hermitian matrix to MKL's signs."""
    n = a.shape[0]
    if not 3 <= n <= SMALL:
        return
    reduced, d, e, tau, _ = _routine("sytrd", a.dtype.char, "hetrd")(a, lower=lower)
    # the reduction's orthogonal factor applied to the direction, reflector by reflector, the last first
    turned: Any = np.array(_direction(n), reduced.dtype)
    for i in range(n - 2, -1, -1) if lower else range(n - 1):
        pivot, rest, v = (
            (i + 1, slice(i + 2, n), reduced[i + 2 :, i]) if lower else (i, slice(0, i), reduced[:i, i + 1])
        )
        scale = tau[i] * (turned[pivot] + np.vdot(v, turned[rest]))
        turned[pivot] -= scale
        turned[rest] -= scale * v
    found = _projections(d.tolist(), e.tolist(), list(_direction(n)), 2.0**-24 if d.dtype.char == "f" else 2.0**-53)
    if found is not None:
        ours = (turned.conj() @ vectors).real.tolist()
        for j, (x, y) in enumerate(zip(ours, found)):
            if x * y < 0:
                vectors[:, j] *= -1


def settle_eig(a: Array, values: Array, vectors: Array) -> None:
    """Turn the complex eigenvectors (columns, in place) of one real matrix to MKL's signs.

    The last step makes the largest component of each real by a rotation; its sign depends on the phase before, which
    the Schur form tells. In single precision all LAPACKs agree.
    """
    pairs = np.flatnonzero(values.imag > 0)
    if pairs.size == 0 or a.dtype.char != "d":
        return
    balanced, low, high, scale, _ = _routine("gebal", "d")(a, permute=1, scale=1)
    t, _, wr, wi, z, _, info = _routine("gees", "d")(lambda *_: False, balanced, sort_t=0)
    found = wr + 1j * wi
    if info or not np.allclose(found, values, rtol=1e-3, atol=1e-3 * float(np.abs(values).max())):
        return
    for j in pairs:
        plain = vectors[:, j].copy()
        for i in [*range(low - 1, -1, -1), *range(high + 1, len(plain))][::-1]:  # undo the balancing's exchanges
            k = int(scale[i]) - 1
            plain[[i, k]] = plain[[k, i]]
        plain[low : high + 1] /= scale[low : high + 1]
        inner = z.T @ plain
        # the Schur vector's eigenvector has a real component at j, or an imaginary one at j + 1
        turn = inner[j] if abs(t[j, j + 1]) >= abs(t[j + 1, j]) else inner[j + 1] / 1j
        largest = vectors[np.argmax(np.abs(vectors[:, j])), j]
        before = largest / turn
        r = _rotation(float(before.real), float(before.imag))[2]
        if r * largest.real < 0:
            vectors[:, j : j + 2] *= -1


# ---- singular vectors of wide matrices


def _reflector(x: Array) -> tuple[Array, float, float]:
    """v, tau and beta of the reflection `I - tau v v^T` that takes x to (beta, 0, ...)."""
    alpha, rest = float(x[0]), float(np.linalg.norm(x[1:]))
    if rest == 0:
        return np.zeros_like(x), 0.0, alpha
    beta = -math.copysign(math.hypot(alpha, rest), alpha)
    v = x / (alpha - beta)
    v[0] = 1
    return v, (beta - alpha) / beta, beta


def is_reduced_directly(m: int, n: int, dtype: DType) -> bool:
    """Whether a matrix is a wide real one that other LAPACKs make square first, and small enough to be done here."""
    return dtype.kind == "f" and 2 <= m <= 256 and n >= m * 11 // 6 and m * n <= 1 << 20


def wide_svd(a: Array, full: bool) -> tuple[Array, Array, Array]:
    """U, S and the transpose of V of one wide real matrix, bidiagonalised as it is."""
    m = a.shape[0]
    work = a.astype(np.float64)
    tail: Array | None = None
    if not full and a.shape[1] > 2 * m:  # of the columns beyond the m-th, reflections see only the products
        tail, corner = np.linalg.qr(work[:, m:].T)
        work = np.concatenate([work[:, :m], corner.T], 1)
    left, right = np.eye(m), np.eye(work.shape[1])
    d, e = np.zeros(m), np.zeros(m)
    for i in range(m):
        v, tau, d[i] = _reflector(work[i, i:])
        work[i:, i:] -= np.outer(tau * (work[i:, i:] @ v), v)
        right[:, i:] -= np.outer(tau * (right[:, i:] @ v), v)
        if i < m - 1:
            v, tau, e[i] = _reflector(work[i + 1 :, i])
            work[i + 1 :, i:] -= np.outer(tau * v, v @ work[i + 1 :, i:])
            left[:, i + 1 :] -= np.outer(tau * (left[:, i + 1 :] @ v), v)
    # from lower to upper bidiagonal by rotations from the left
    for i in range(m - 1):
        r = math.copysign(math.hypot(d[i], e[i]), d[i])
        c, s = (d[i] / r, e[i] / r) if r else (1.0, 0.0)
        d[i], e[i], d[i + 1] = r, s * d[i + 1], c * d[i + 1]
        left[:, [i, i + 1]] = left[:, [i, i + 1]] @ np.array([[c, -s], [s, c]])
    inner = (np.diag(d) + np.diag(e[:-1], 1)).astype(a.dtype)
    u, values, vh, _ = _routine("gesdd", inner.dtype.char)(inner)
    rows = right.T
    out = vh @ rows[:m]
    if tail is not None:
        out = np.concatenate([out[:, :m], out[:, m:] @ tail.T], 1)
    if full:
        out = np.concatenate([out, rows[m:]], 0)
    return (left @ u).astype(a.dtype), values, out.astype(a.dtype)
