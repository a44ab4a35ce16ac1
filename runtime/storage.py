"""The memory under tensors, as PyTorch's storages show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linstock.backends.array.memory import raw_bytes
from linstock.ir.device import CPU, Device
from linstock.ir.dtypes import dtype


class UntypedStorage:
    """A block of bytes that tensors share. Two storages are equal where they are the same memory."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._bytes = raw_bytes(root) if isinstance(root, np.ndarray) else root

    device: Device = CPU

    def data_ptr(self) -> int:
        """Address of the first byte."""
        return int(self._root.ctypes.data)

    def nbytes(self) -> int:
        """Number of bytes."""
        return int(self._root.nbytes)

    size = nbytes
    __len__ = nbytes

    def tolist(self) -> list[int]:
        """The bytes as numbers."""
        return self._bytes.tolist()  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Any:
        found = self._bytes[index]
        return UntypedStorage(found) if isinstance(index, slice) else int(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __bytes__(self) -> bytes:
        return self._bytes.tobytes()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, UntypedStorage)
            and self.data_ptr() == other.data_ptr()
            and self.nbytes() == other.nbytes()
        )

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        return (
            "\n".join(f" {b}" for b in self.tolist())
            + f"\n[linstock.storage.UntypedStorage(device=cpu) of size {len(self)}]"
        )


class TypedStorage:
    """A block of memory as elements of one type."""

    def __init__(self, root: Any, dtype: dtype) -> None:
        self._untyped = UntypedStorage(root)
        self.dtype = dtype
        self._elements = self._untyped._bytes[: self._untyped.nbytes() // dtype.itemsize * dtype.itemsize].view(
            dtype.numpy
        )

    device: Device = CPU

    def untyped(self) -> UntypedStorage:
        """The memory as bytes."""
        return self._untyped

    def data_ptr(self) -> int:
        """Address of the first element."""
        return self._untyped.data_ptr()

    def size(self) -> int:
        """Number of elements."""
        return len(self._elements)

    __len__ = size

    def nbytes(self) -> int:
        """Number of bytes."""
        return self._untyped.nbytes()

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        return self._elements.tolist()  # type: ignore[no-any-return]

    def __getitem__(self, index: int) -> Any:
        return self._elements[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())
