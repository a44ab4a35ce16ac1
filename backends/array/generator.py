"""The random number generator of the array kernels: Mersenne Twister, drawn from as PyTorch's CPU generator is.

The same seed gives the same 32-bit words in the same order, and a state can be exchanged with PyTorch either way.
"""

from __future__ import annotations

import secrets
import threading
from typing import Any

import numpy as np

from .promotion import Array

DEFAULT_SEED = 67280421310721
_WORDS = 624
#: PyTorch's state of a CPU generator, 5056 bytes: its older layout followed by a cached float sample (never used)
_STATE = np.dtype([
    ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", _WORDS),
    ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i4"), ("pad", "<i4"),
    ("next_float", "<f4"), ("has_next_float", "<u1"), ("end", "V3"),
])  # fmt: skip


class Generator:
    """A source of random words with its own state. Hold `lock` around the draws of one operator."""

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self.lock = threading.RLock()
        self._bits: Any = np.random.MT19937(0)
        self._next_normal: float | None = None
        self.manual_seed(seed)

    def __repr__(self) -> str:
        return f"<Generator with seed {self._seed}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        return self.clone()

    def clone(self) -> Generator:
        """Another generator in the same state."""
        other = Generator.__new__(Generator)
        other.lock, other._bits, other._next_normal = threading.RLock(), np.random.MT19937(0), None
        other.set_state(self.get_state())
        return other

    def manual_seed(self, seed: int) -> Generator:
        """Start the sequence of this seed. Raises RuntimeError for a seed that does not fit in 64 bits."""
        seed = int(seed)
        if not -(1 << 63) <= seed < 1 << 64:
            raise RuntimeError(f"Overflow when unpacking the seed {seed}: expected -2**63 <= seed < 2**64")
        with self.lock:
            self._seed = seed & ((1 << 64) - 1)
            # RandomState seeds the twister from one word by the recurrence that PyTorch uses
            self._bits.state = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)
            self._fresh = True
            self._next_normal = None
        return self

    def initial_seed(self) -> int:
        """The seed that the sequence started from."""
        return self._seed

    def seed(self) -> int:
        """Seed from the operating system's entropy and return that seed."""
        value = secrets.randbits(64)
        self.manual_seed(value)
        return value

    def get_state(self) -> Array:
        """The state as 5056 bytes (uint8), laid out as PyTorch's."""
        with self.lock:
            inner = self._bits.state["state"]
            out = np.zeros((), _STATE)
            position = 0 if self._fresh else int(inner["pos"])
            out["seed"], out["seeded"], out["words"], out["next"] = self._seed, 1, inner["key"], position
            out["left"] = 1 if self._fresh else _WORDS + 1 - position
            if self._next_normal is not None:
                out["normal_y"], out["normal_is_valid"] = self._next_normal, 1
        return np.frombuffer(out.tobytes(), np.uint8).copy()

    def set_state(self, state: Array) -> Generator:
        """Take over a state from `get_state`, or from PyTorch. Raises RuntimeError for one of another kind."""
        data = np.ascontiguousarray(state)
        if data.dtype != np.uint8 or data.size != _STATE.itemsize:
            raise RuntimeError(
                f"expected a CPU generator state of {_STATE.itemsize} bytes (uint8), got {data.size} x {data.dtype}"
            )
        found = np.frombuffer(data.tobytes(), _STATE)[0]
        left, position = int(found["left"]), int(found["next"])
        if not 1 <= left <= _WORDS or not 0 <= position <= _WORDS:
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            self._seed = int(found["seed"])
            self._fresh = left == 1 and position == 0
            self._bits.state = {
                "bit_generator": "MT19937",
                "state": {"key": found["words"].astype(np.uint32), "pos": _WORDS if left == 1 else position},
            }
            self._next_normal = float(found["normal_y"]) if found["normal_is_valid"] else None
        return self

    def random32(self, n: int) -> Array:
        """The next `n` words of 32 bits, as uint32."""
        if n == 0:
            return np.zeros(0, np.uint32)
        self._fresh = False
        return self._bits.random_raw(n).astype(np.uint32)  # type: ignore[no-any-return]

    def random64(self, n: int) -> Array:
        """The next `n` words of 64 bits, as uint64: two of 32 bits each, the high one first."""
        if n == 0:
            return np.zeros(0, np.uint64)
        self._fresh = False
        pairs = self._bits.random_raw(2 * n)
        return (pairs[0::2] << np.uint64(32)) | pairs[1::2]  # type: ignore[no-any-return]

    def uniform64(self, n: int) -> Array:
        """The next `n` doubles in [0, 1), of 53 bits each."""
        return (self.random64(n) & np.uint64((1 << 53) - 1)).astype(np.float64) * 2.0**-53

    def normal64(self, n: int) -> Array:
        """The next `n` standard normal doubles, made in pairs; the second of an odd pair waits for the next call."""
        out = np.empty(n, np.float64)
        start = 0
        if n and self._next_normal is not None:
            out[0], self._next_normal, start = self._next_normal, None, 1
        pairs = (n - start + 1) // 2
        if pairs:
            u = self.uniform64(2 * pairs)
            radius = np.sqrt(-2.0 * np.log1p(-u[1::2]))
            theta = 2.0 * np.pi * u[0::2]
            both = np.empty(2 * pairs, np.float64)
            both[0::2], both[1::2] = radius * np.cos(theta), radius * np.sin(theta)
            out[start:] = both[: n - start]
            if (n - start) % 2:
                self._next_normal = float(both[-1])
        return out


default_generator = Generator()


def chosen(generator: Generator | None) -> Generator:
    """The generator itself, or the default one for None."""
    return default_generator if generator is None else generator
