"""TorchScript archives of PyTorch 1.4 and later: their values, code, debug records and extra files in one place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.container import ArchiveReader, ArchiveWriter
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.legacy_json import read_legacy
from linstock.runtime.archive.pickler import Pickler
from linstock.runtime.archive.records import MakeTensor, SparseData, TensorParts
from linstock.runtime.archive.storages import StorageReader, StorageWriter
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Unpickler

_EMPTY_TUPLE = b"\x80\x02)."
#: archives of this version and later keep their version number in `.data/`
DATA_VERSION = 6


@dataclass
class ScriptArchive:
    """What a TorchScript archive holds, before any of its code is compiled.

    `root` is the module (an ObjectRecord), `constants` the values that code calls CONSTANTS.c0, …; `code` maps
    file names without the leading `code/` ("__torch__/foo.py") to text, `debug` the same names to source tables.
    """

    root: Any
    constants: tuple[Any, ...]
    code: dict[str, str]
    version: int
    debug: dict[str, SourceTable] = field(default_factory=dict)
    extra_files: dict[str, bytes] = field(default_factory=dict)
    name: str = ""


def read_pickle(
    reader: ArchiveReader,
    name: str,
    make_tensor: MakeTensor,
    make_sparse: Callable[[SparseData], Any] | None = None,
    records: bool = True,
) -> Any:
    """The value of a pickle record; its storages are in the folder of the record's name ("data.pkl": "data/0", …)."""
    folder = "constants" if name == "bytecode.pkl" else name.removesuffix(".pkl")
    find = _finder(reader, folder)
    rules = TensorRules(make_tensor, make_sparse=make_sparse).rules(f"{name} of {reader.name}", records)
    return Unpickler(reader.read(name), rules, StorageReader(find, reader.byteorder)).load()


def _finder(reader: ArchiveReader, folder: str) -> Callable[[str], np.ndarray[Any, Any] | None]:
    def find(key: str) -> np.ndarray[Any, Any] | None:
        name = f"{folder}/{key}"
        return reader.array(name) if reader.has(name) else None

    return find


def _extra(reader: ArchiveReader) -> dict[str, bytes]:
    return {name[6:]: bytes(reader.read(name)) for name in reader.names() if name.startswith("extra/")}


def read_script(reader: ArchiveReader, make_tensor: MakeTensor) -> ScriptArchive:
    """Reads all of a TorchScript archive of any layout, older ones (model.json) in the form of newer ones.

    Raises ArchiveError if it is not one, is newer than known, or is damaged.
    """
    reader.require_torchscript()
    if reader.is_legacy_json:
        legacy = read_legacy(reader, make_tensor)
        files, tables = legacy.code_files()
        return ScriptArchive(
            legacy.module.record(), tuple(legacy.tensors), files, legacy.version, tables, _extra(reader), reader.root
        )
    version = reader.version
    constants = read_pickle(reader, "constants.pkl", make_tensor)
    if not isinstance(constants, tuple):
        raise ArchiveError(f"constants.pkl of {reader.name} holds a {type(constants).__name__} instead of a tuple")
    code: dict[str, str] = {}
    debug: dict[str, SourceTable] = {}
    for name in reader.names():
        if name.startswith("code/") and name.endswith(".py"):
            code[name[5:]] = reader.text(name)
    for name, text in code.items():
        record = f"code/{name}.debug_pkl"
        if reader.has(record):
            debug[name] = SourceTable.lazy(reader.later(record), text)
    root = read_pickle(reader, "data.pkl", make_tensor)
    return ScriptArchive(root, constants, code, version, debug, _extra(reader), reader.root)


def write_script(
    target: str | os.PathLike[str] | BinaryIO,
    archive: ScriptArchive,
    tensor_parts: TensorParts,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Writes an archive that PyTorch's torch.jit.load reads, records in the order in which PyTorch writes them.

    Code files are written in the order of `archive.code`. `more` adds records of any name. Raises ArchiveError for a
    value that TorchScript cannot store.
    """
    storages, constant_storages = StorageWriter(), StorageWriter()
    data = Pickler(storages, tensor_parts, script=True).dump(archive.root)
    constants = Pickler(constant_storages, tensor_parts, script=True).dump(tuple(archive.constants))
    with ArchiveWriter(target, archive.name or None) as writer:
        for name, content in archive.extra_files.items():
            writer.write(f"extra/{name}", content)
        storages.write(writer, "data")
        writer.write("data.pkl", data)
        for name, text in archive.code.items():
            writer.write(f"code/{name}", text)
            if name in archive.debug:
                writer.write(f"code/{name}.debug_pkl", archive.debug[name].dump())
        constant_storages.write(writer, "constants")
        writer.write("constants.pkl", constants)
        for name, content in (more or {}).items():
            writer.write(name, content)
        writer.write(".data/version" if archive.version >= DATA_VERSION else "version", f"{archive.version}\n")
