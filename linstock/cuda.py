"""`linstock.cuda`: whether CUDA devices can be used (with CuPy), and the calls that programs make of them."""

from __future__ import annotations

from typing import Any

from linstock.runtime.settings import manual_seed as manual_seed


def is_available() -> bool:
    """Whether a CUDA device and CuPy are there."""
    return device_count() > 0


def device_count() -> int:
    """Number of CUDA devices that can be used."""
    from importlib.util import find_spec

    if find_spec("cupy") is None:
        return 0
    import cupy

    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


def current_device() -> int:
    """Index of the device in use. Raises RuntimeError where there is none."""
    from linstock.runtime.creation import check_device, device_of

    check_device(device_of("cuda"))
    import cupy

    return int(cupy.cuda.runtime.getDevice())


def manual_seed_all(seed: int) -> None:
    """Seed the random generator that all devices use."""
    manual_seed(seed)


def synchronize(device: Any = None) -> None:
    """Wait until the device has done what it was asked for."""
    if is_available():
        import cupy

        cupy.cuda.runtime.deviceSynchronize()


def empty_cache() -> None:
    """Give unused device memory back."""
    if is_available():
        import cupy

        cupy.get_default_memory_pool().free_all_blocks()
