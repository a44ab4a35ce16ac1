"""`linstock.utils.dlpack`: tensors from and to DLPack."""

from __future__ import annotations

from typing import Any

from linstock.runtime.creation import from_dlpack
from linstock.runtime.tensor import Tensor


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over a tensor's memory."""
    return tensor.__dlpack__()


__all__ = ["from_dlpack", "to_dlpack"]
