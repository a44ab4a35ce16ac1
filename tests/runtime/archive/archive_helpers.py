"""Small archives and files made for the tests."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.records import TensorData
from linstock.runtime.archive.script import ScriptArchive, read_script, write_script

DATA = Path(__file__).parent / "data"


def parts(value: Any) -> TensorData | None:
    """Tensors of these tests are TensorData themselves."""
    return value if isinstance(value, TensorData) else None


def same(data: TensorData) -> TensorData:
    return data


def tensor(values: Any, dtype: Any = np.float32, **fields: Any) -> TensorData:
    return TensorData.of(np.array(values, dtype), **fields)


def script_bytes(archive: ScriptArchive) -> bytes:
    target = io.BytesIO()
    write_script(target, archive, parts)
    return target.getvalue()


def reread(archive: ScriptArchive) -> ScriptArchive:
    return read_script(ArchiveReader(script_bytes(archive)), same)


def zip_of(records: dict[str, bytes | str], root: str = "m/", method: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in records.items():
            archive.writestr(root + name, content)
    return target.getvalue()


def text_op(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text)) + text.encode()
