"""State dicts and other plain values: PyTorch's `torch.save` files, new (zip) and old, and safetensors files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.container import ArchiveReader, ArchiveWriter
from linstock.runtime.archive.pickler import Pickler
from linstock.runtime.archive.records import MakeTensor, SparseData, TensorParts
from linstock.runtime.archive.safetensors import read_safetensors
from linstock.runtime.archive.sources import Buffer, Source, describe, is_legacy_pickle, is_safetensors, is_zip
from linstock.runtime.archive.storages import Storage, StorageReader, StorageRef, StorageType, StorageWriter
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Unpickler

_LEGACY_PROTOCOL = 1001


def load_file(
    source: Source,
    make_tensor: MakeTensor,
    make_size: Callable[[tuple[int, ...]], Any] = tuple,
    make_sparse: Callable[[SparseData], Any] | None = None,
) -> Any:
    """Reads the values of a torch.save file of any PyTorch since 0.2, or the tensors of a safetensors file as a dict.

    Only data is read: a file that refers to classes or functions (a pickled module) is refused, naming the first.
    Arrays are writable; those of a file on disk are views of a copy-on-write memory map where possible.
    Raises ArchiveError for everything that is not such a file.
    """
    buffer = Buffer(source)
    rules = TensorRules(make_tensor, make_size, make_sparse)
    if is_safetensors(buffer.head, buffer.size):
        return read_safetensors(buffer, make_tensor)
    if is_legacy_pickle(buffer.head):
        return _Legacy(buffer, rules).load()
    if not is_zip(buffer.head):
        raise ArchiveError(f"{buffer.name} is not a file of torch.save: it is {describe(buffer)}")
    return _load_zip(ArchiveReader(buffer), rules)


def _load_zip(reader: ArchiveReader, rules: TensorRules) -> Any:
    if reader.is_torchscript or reader.is_legacy_json:
        raise ArchiveError(f"{reader.name} is a TorchScript archive, not a file of torch.save: load it with jit.load")
    if not reader.is_eager:
        reader.require_torchscript()

    def fetch(key: str) -> np.ndarray[Any, Any] | None:
        name = f"data/{key}"
        return reader.array(name) if reader.has(name) else None

    storages = StorageReader(fetch, reader.byteorder)
    return Unpickler(reader.read("data.pkl"), rules.rules(reader.name, False), storages).load()


def save_file(
    value: Any,
    target: str | os.PathLike[str] | BinaryIO,
    tensor_parts: TensorParts,
    is_size: Callable[[tuple[Any, ...]], bool] = lambda value: False,
) -> None:
    """Writes a torch.save file that `torch.load(…, weights_only=True)` reads. Tensors over one memory stay so.

    Raises ArchiveError for a value that is not plain data, naming its type; the target is then left as it was.
    """
    storages = StorageWriter()
    data = Pickler(storages, tensor_parts, script=False, is_size=is_size).dump(value)
    with ArchiveWriter(target) as writer:
        writer.write("data.pkl", data)
        writer.write(".format_version", "1")
        writer.write(".storage_alignment", "64")
        writer.write_byteorder()
        storages.write(writer, "data")
        writer.write("version", "3\n")


class _Legacy:
    """A torch.save file of before PyTorch 1.6: pickles in a row, then the storages, each after its number of elements.

    The main pickle refers to storages that come after it, so it is read twice: first to find where they are.
    """

    def __init__(self, buffer: Buffer, rules: TensorRules) -> None:
        self._buffer, self._rules = buffer, rules
        self._swapped = False
        self._types: dict[str, StorageType] = {}
        self._devices: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._storages: dict[str, Storage] = {}

    def _read(self, position: int, rules: TensorRules, persistent: Callable[[Any], Any] | None) -> tuple[Any, int]:
        machine = Unpickler(self._buffer.view, rules.rules(self._buffer.name, False), persistent, position)
        return machine.load(), machine.position

    def load(self) -> Any:
        _, position = self._read(0, self._rules, None)
        protocol, position = self._read(position, self._rules, None)
        if protocol != _LEGACY_PROTOCOL:
            raise ArchiveError(f"{self._buffer.name} has the unknown format number {protocol!r:.20} of torch.save")
        system, start = self._read(position, self._rules, None)
        self._swapped = isinstance(system, dict) and system.get("little_endian") is False
        blank = TensorRules(lambda data: object(), make_sparse=lambda data: data)
        _, position = self._read(start, blank, self._note)
        keys, position = self._read(position, self._rules, None)
        if not isinstance(keys, list):
            raise ArchiveError(f"{self._buffer.name} has no list of its storages")
        for key in keys:
            position = self._place(key, position)
        value, _ = self._read(start, self._rules, self._fetch)
        return value

    def _parts(self, identity: Any) -> tuple[StorageType, str, str, int, Any]:
        if not isinstance(identity, tuple) or len(identity) not in (5, 6) or identity[0] not in ("storage", b"storage"):
            if isinstance(identity, tuple) and identity and identity[0] in ("module", b"module"):
                raise ArchiveError(
                    f"{self._buffer.name} holds a pickled module, whose class is code: save its state_dict() instead"
                )
            raise ArchiveError(f"{self._buffer.name} refers to something that is not a storage: {identity!r:.60}")
        kind, key, device, numel = identity[1:5]
        if not isinstance(kind, StorageType) or not isinstance(device, str) or type(numel) is not int or numel < 0:
            raise ArchiveError(f"{self._buffer.name} has a storage of an unknown form: {identity!r:.60}")
        return kind, str(key), device, numel, identity[5] if len(identity) == 6 else None

    def _note(self, identity: Any) -> StorageRef:
        """First reading: remembers the element type of a key and stands in with a storage of no memory."""
        kind, key, device, numel, _ = self._parts(identity)
        self._types.setdefault(key, kind)
        self._devices.setdefault(key, device)
        return StorageRef(Storage(np.zeros(0, np.uint8), "meta"), kind.dtype, numel)

    def _place(self, key: Any, position: int) -> int:
        """Notes where the storage of a key is; returns where the next one starts."""
        kind = self._types.get(str(key))
        count = int.from_bytes(self._buffer.view[position : position + 8], "little", signed=True)
        size = count * (kind.dtype.itemsize if kind and kind.dtype else 1)
        if kind is None or count < 0 or position + 8 + size > self._buffer.size:
            raise ArchiveError(
                f"{self._buffer.name} is cut short or damaged: storage {key!s:.30} does not lie within it"
            )
        self._places[str(key)] = (position + 8, size)
        return position + 8 + size

    def _fetch(self, identity: Any) -> StorageRef:
        """Second reading: the storage itself, or the part of it that an old view names."""
        kind, key, _, numel, view = self._parts(identity)
        if key not in self._storages:
            if key not in self._places:
                raise ArchiveError(f"{self._buffer.name} does not hold storage {key:.30}")
            self._storages[key] = Storage(self._buffer.array(*self._places[key]), self._devices[key], self._swapped)
        storage = self._storages[key]
        size = kind.dtype.itemsize if kind.dtype else 1
        if numel * size > storage.data.nbytes:
            raise ArchiveError(f"storage {key:.30} of {self._buffer.name} has fewer than {numel} elements")
        if view is None:
            return StorageRef(storage, kind.dtype, numel)
        _, offset, count = view
        if type(offset) is not int or type(count) is not int or not 0 <= offset <= offset + count <= numel:
            raise ArchiveError(f"{self._buffer.name} has a view beyond its storage {key:.30}")
        elements = (
            storage.of(kind.dtype)[offset : offset + count] if kind.dtype else storage.data[offset : offset + count]
        )
        return StorageRef(Storage(elements.view(np.uint8), storage.device), kind.dtype, count)
