"""Process-wide settings of the public API: default types, the default random generator, threads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from linstock.backends.array import generator, promotion
from linstock.ir import dtypes
from linstock.ir.device import CPU, Device
from linstock.runtime.creation import check_device, device_of, dtype_of
from linstock.runtime.tensor import Tensor, from_numpy


class Generator(generator.Generator):
    """A random number generator with its own state; the same seed gives PyTorch's numbers."""

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device_of(device))
        super().__init__()

    device: Device = CPU

    def get_state(self) -> Tensor:  # type: ignore[override]
        """The state as a tensor of bytes, in PyTorch's layout."""
        return from_numpy(super().get_state())

    def set_state(self, new_state: Any) -> Generator:
        """Take over a state from `get_state`, or from PyTorch."""
        super().set_state(np.asarray(new_state))
        return self


def manual_seed(seed: int) -> Any:
    """Seed the default random generator. Returns it."""
    return generator.default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default random generator from the system's entropy. Returns the seed."""
    return generator.default_generator.seed()


def initial_seed() -> int:
    """The seed of the default random generator."""
    return generator.default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default random generator, as a tensor of bytes."""
    return from_numpy(generator.default_generator.get_state())


def set_rng_state(new_state: Any) -> None:
    """Set the state of the default random generator."""
    generator.default_generator.set_state(np.asarray(new_state))


class fork_rng:
    """Context manager: the default random generator is as before when the block ends."""

    def __init__(self, devices: Any = None, enabled: bool = True, **_: Any) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        self._state = generator.default_generator.get_state()

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            generator.default_generator.set_state(self._state)


def get_default_dtype() -> dtypes.dtype:
    """The floating-point type that new tensors get."""
    return dtypes.by_code(promotion.default_code())


def set_default_dtype(d: Any) -> None:
    """Choose the floating-point type that new tensors get. Raises TypeError for another kind of type."""
    promotion.set_default_code(dtype_of(d).code)


def set_default_tensor_type(t: Any) -> None:
    """Choose the default floating-point type by a legacy name ("torch.DoubleTensor")."""
    from linstock.runtime.creation import _BY_LEGACY_NAME

    name = str(getattr(t, "__name__", t)).rpartition(".")[2]
    set_default_dtype(dtypes.by_name(_BY_LEGACY_NAME[name]) if name in _BY_LEGACY_NAME else t)


def get_default_device() -> Device:
    """Where new tensors are made."""
    return CPU


def set_default_device(device: Any) -> None:
    """Choose where new tensors are made: only "cpu" (and None). Raises RuntimeError for another device."""
    if device is not None and device_of(device).type != "cpu":
        raise RuntimeError(
            f"tensors are made on the CPU unless device= says otherwise: {device!r} cannot be the default"
        )


_threads = 0


def get_num_threads() -> int:
    """How many threads an operator may use."""
    return _threads or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def set_num_threads(threads: int) -> None:
    """Choose how many threads an operator may use. Raises RuntimeError for a number that is not positive."""
    global _threads
    if not isinstance(threads, int) or isinstance(threads, bool):
        raise TypeError(f"set_num_threads expects an int, but got {type(threads).__name__}")
    if threads <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads = threads
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return
    threadpool_limits(threads)


def get_num_interop_threads() -> int:
    """How many operators may run at once (`jit.fork`)."""
    return get_num_threads()


def set_num_interop_threads(threads: int) -> None:
    """Accepted for compatibility: forked work shares the operators' threads."""


_deterministic = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accepted for compatibility: results are deterministic in any case."""
    global _deterministic
    _deterministic = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """What was last said to `use_deterministic_algorithms`."""
    return _deterministic


_precision = "highest"


def get_float32_matmul_precision() -> str:
    """The precision of float32 matrix products (kept for compatibility; they are always exact float32)."""
    return _precision


def set_float32_matmul_precision(precision: str) -> None:
    """Accepted for compatibility. Raises ValueError for an unknown name."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"precision must be 'highest', 'high' or 'medium', not {precision!r}")
    _precision = precision


def set_flush_denormal(mode: bool) -> bool:
    """Whether denormal numbers could be switched to zero: they cannot."""
    return False
