"""Storages: the records that hold the elements of tensors, by key, and the names of their element types."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.container import ArchiveWriter
from linstock.runtime.archive.records import PACKED, TensorData

#: PyTorch's names of element types, as in `torch.FloatStorage`
NAMES: dict[str, dtypes.dtype] = {
    "Byte": dtypes.uint8, "Char": dtypes.int8, "Short": dtypes.int16, "Int": dtypes.int32, "Long": dtypes.int64,
    "Half": dtypes.float16, "Float": dtypes.float32, "Double": dtypes.float64, "BFloat16": dtypes.bfloat16,
    "ComplexFloat": dtypes.complex64, "ComplexDouble": dtypes.complex128, "Bool": dtypes.bool_,
    "QInt8": dtypes.qint8, "QUInt8": dtypes.quint8, "QInt32": dtypes.qint32, "QUInt4x2": dtypes.quint4x2,
    "QUInt2x4": dtypes.quint2x4, "Float8_e5m2": dtypes.float8_e5m2, "Float8_e4m3fn": dtypes.float8_e4m3fn,
    "UInt16": dtypes.uint16, "UInt32": dtypes.uint32, "UInt64": dtypes.uint64,
}  # fmt: skip
_NAME_OF = {dtype: name for name, dtype in NAMES.items()}

#: element types that `torch.save` stores without a type of their own, with the type beside the tensor
UNTYPED = frozenset((dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.float8_e5m2, dtypes.float8_e4m3fn))


@dataclass(frozen=True, slots=True)
class StorageType:
    """A storage class that a pickle names; `dtype` is None for one without a type (UntypedStorage)."""

    name: str
    dtype: dtypes.dtype | None


@dataclass(slots=True, eq=False)
class Storage:
    """The bytes of one storage, and views of them by element type. Tensors of one key share one of these."""

    data: np.ndarray[Any, Any]
    device: str = "cpu"
    swapped: bool = False
    _views: dict[dtypes.dtype, np.ndarray[Any, Any]] = field(default_factory=dict)

    def of(self, dtype: dtypes.dtype) -> np.ndarray[Any, Any]:
        """The storage as a 1-D array of a type; bytes beyond a whole number of elements are left out."""
        if dtype not in self._views:
            size = dtype.itemsize
            part = self.data[: len(self.data) // size * size].view(dtype.numpy)
            if self.swapped and size > 1:
                if any(known.itemsize > 1 for known in self._views):
                    raise ArchiveError("a storage in the other byte order is used with several element types")
                # complex numbers swap part by part; types that NumPy does not know itself swap as integers
                swappable = part if part.dtype.kind in "iufc" else part.view(f"u{size}")
                swappable.byteswap(inplace=True)
            self._views[dtype] = part
        return self._views[dtype]


@dataclass(frozen=True, slots=True)
class StorageRef:
    """What a persistent id stands for: a storage, its element type in the pickle, and the number of elements."""

    storage: Storage
    dtype: dtypes.dtype | None
    numel: int

    @property
    def array(self) -> np.ndarray[Any, Any]:
        return self.storage.of(self.dtype or dtypes.uint8)[: self.numel]


class StorageReader:
    """Finds the storage of a persistent id `('storage', type, key, device, number of elements)`.

    `fetch(key)` returns the writable bytes of a key, or None if there is no such record.
    """

    def __init__(self, fetch: Callable[[str], np.ndarray[Any, Any] | None], byteorder: str = "little") -> None:
        self._fetch = fetch
        self._swapped = byteorder != sys.byteorder
        self._known: dict[str, Storage] = {}

    def __call__(self, identity: Any) -> StorageRef:
        if not isinstance(identity, tuple) or len(identity) not in (5, 6) or identity[0] not in ("storage", b"storage"):
            raise ArchiveError(f"a pickle refers to something outside that is not a storage: {identity!r:.80}")
        kind, key, device, numel = identity[1:5]
        if not isinstance(kind, StorageType):
            raise ArchiveError(f"the element type of a storage is not one that linstock has: {kind!s:.80}")
        key, device = _name(key), _name(device)
        if type(numel) is not int or numel < 0:
            raise ArchiveError(f"storage {key!r} has {numel!r} elements")
        if key not in self._known:
            self._known[key] = self._open(key, device)
        found = self._known[key]
        if device != "meta" and numel * (kind.dtype.itemsize if kind.dtype else 1) > found.data.nbytes:
            raise ArchiveError(
                f"storage {key!r} should have {numel} elements of {kind.name}, "
                f"but its record holds {found.data.nbytes} bytes"
            )
        return StorageRef(found, kind.dtype, numel)

    def _open(self, key: str, device: str) -> Storage:
        data = self._fetch(key) if device != "meta" else np.zeros(0, np.uint8)
        if data is None:
            raise ArchiveError(f"a tensor's storage {key!r} is missing from the archive")
        return Storage(data, device, self._swapped)


def _name(value: Any) -> str:
    """A key or device of a persistent id; files of Python 2 hold bytes."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if not isinstance(value, str):
        raise ArchiveError(f"a storage is identified by {value!r:.40} instead of a string")
    return value


class StorageWriter:
    """Gives storages their keys "0", "1", … in order of first use; the same memory gets the same key."""

    def __init__(self) -> None:
        self._keys: dict[tuple[int, int], str] = {}
        self._arrays: list[np.ndarray[Any, Any]] = []

    def key(self, data: TensorData) -> str:
        array = data.storage
        address = int(array.__array_interface__["data"][0]) if array.nbytes else id(array)
        place = (address, array.nbytes)
        if place not in self._keys:
            self._keys[place] = str(len(self._arrays))
            self._arrays.append(array)
        return self._keys[place]

    def write(self, archive: ArchiveWriter, folder: str) -> None:
        """Writes all storages as records `folder/key`."""
        for key, array in enumerate(self._arrays):
            archive.write(f"{folder}/{key}", array)


def type_name(dtype: dtypes.dtype) -> str:
    """The storage class of an element type ("FloatStorage")."""
    return _NAME_OF[dtype] + "Storage"


def check_bounds(
    storage: int, dtype: dtypes.dtype, offset: Any, sizes: Any, strides: Any
) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Checks that a tensor lies within a storage of so many elements; returns offset, sizes and strides as plain ints.

    Raises ArchiveError, for untrusted files must not make views of memory that is not theirs.
    """
    if not isinstance(sizes, tuple | list) or not isinstance(strides, tuple | list) or len(sizes) != len(strides):
        raise ArchiveError(f"a tensor has sizes {sizes!r:.60} and strides {strides!r:.60}, which do not fit together")
    numbers = [offset, *sizes, *strides]
    if any(type(number) is not int or not 0 <= number < 1 << 62 for number in numbers) or len(sizes) > 64:
        raise ArchiveError(
            f"a tensor has impossible sizes {sizes!r:.60}, strides {strides!r:.60} or offset {offset!r:.30}"
        )
    numel = 1
    for size in sizes:
        numel *= size
    if numel >= 1 << 60:
        raise ArchiveError(f"a tensor of sizes {tuple(sizes)} is too large")
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    if numel and last // PACKED.get(dtype, 1) >= storage:
        raise ArchiveError(
            f"a tensor of sizes {tuple(sizes)}, strides {tuple(strides)} and offset {offset} reaches beyond its "
            f"storage of {storage} elements"
        )
    return offset, tuple(sizes), tuple(strides)
