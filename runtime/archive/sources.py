"""Opening what a caller calls "a file": a path, a binary file object or bytes, as one buffer; naming what it is not."""

from __future__ import annotations

import io
import mmap
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linstock.ir.errors import ArchiveError

#: what the functions of this room read from
Source = str | os.PathLike[str] | BinaryIO | bytes | bytearray | memoryview


class Buffer:
    """The bytes of a source. A file on disk is memory-mapped copy-on-write: writing to the map never reaches the file.

    Raises ArchiveError for a source that is not readable as bytes, and OSError for a file that cannot be opened.
    """

    def __init__(self, source: Source) -> None:
        self.name = "the file"
        self.stem: str | None = None
        self._private = False
        if isinstance(source, str | os.PathLike):
            path = Path(source)
            self.name, self.stem = f"{str(path)!r}", path.stem
            with path.open("rb") as file:
                self.view = self._map(file, 0)
        elif isinstance(source, bytes | bytearray | memoryview):
            self.view = memoryview(source).cast("B")
        elif _is_plain_file(source):
            source.flush()
            self.view = self._map(source, source.tell())
        elif callable(getattr(source, "read", None)):
            data = source.read()
            if not isinstance(data, bytes | bytearray):
                raise ArchiveError("the file object returns text: open it in binary mode ('rb')")
            self.view = memoryview(data)
        else:
            raise ArchiveError(f"expected a path, a binary file object or bytes, got {type(source).__name__}")
        self.size = len(self.view)

    def _map(self, file: Any, start: int) -> memoryview:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            return memoryview(file.read())
        if info.st_size <= start:
            return memoryview(b"")
        self._private = True
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))[start:]

    def array(self, start: int, size: int) -> np.ndarray[Any, Any]:
        """Bytes of the source as a writable array: a view of the map if there is one (never written back), else a copy.

        Data that does not start at a multiple of 16 is copied, so that elements of every type are aligned.
        """
        part = np.frombuffer(self.view[start : start + size], np.uint8)
        aligned = part.__array_interface__["data"][0] % 16 == 0
        return part if self._private and aligned and size else part.copy()

    @property
    def head(self) -> bytes:
        """The first bytes, enough to tell what kind of file it is."""
        return bytes(self.view[:512])


def _is_plain_file(source: Any) -> bool:
    """Whether the object is an ordinary open file, whose descriptor holds what `read` would return."""
    if isinstance(source, io.BufferedReader | io.BufferedRandom):
        source = source.raw
    return isinstance(source, io.FileIO) and source.readable() and source.seekable()


_SIGNATURES: list[tuple[Callable[[bytes], Any], str]] = [
    (lambda head: head.startswith(b"PYTORCH1"), "a TorchScript archive of PyTorch 1.0's preview, which no released "
     "version reads: save the model again with PyTorch 1.0 or later"),
    (lambda head: head.startswith(b"\x89HDF"), "an HDF5 file (Keras or TensorFlow weights): convert the model first"),
    (lambda head: head.startswith(b"\x93NUMPY"), "a NumPy .npy file: read it with numpy.load"),
    (lambda head: head.startswith(b"GGUF"), "a GGUF file of llama.cpp, which carries no TorchScript"),
    (lambda head: head[4:8] == b"TFL3", "a TensorFlow Lite model: convert the model first"),
    (lambda head: head[4:8] == b"PTMF", "a mobile module in flatbuffer form: save it with `_use_flatbuffer=False`"),
    (lambda head: head[4:8] in (b"ET12", b"ET11"), "an ExecuTorch program, which carries no TorchScript"),
    (lambda head: head.startswith(b"version https://git-lfs"), "a Git LFS pointer, not the file: run `git lfs pull`"),
    (lambda head: head.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf")),
     "a compressed file: unpack it first"),
    (lambda head: head[257:262] == b"ustar", "a tar archive: unpack it first (torch.save files of PyTorch 0.1 have to "
     "be saved again with a newer PyTorch)"),
    (lambda head: head.startswith(b"Rar!"), "a RAR archive: unpack it first"),
    (lambda head: head.startswith(b"%PDF"), "a PDF document"),
    (lambda head: head.startswith((b"\x7fELF", b"MZ")), "a program or shared library"),
    (lambda head: re.match(rb"[\s\xef\xbb\xbf]*<(!DOCTYPE|html|\?xml|head|body)", head, re.I),
     "a web page: the download went wrong"),
]  # fmt: skip


def is_zip(head: bytes) -> bool:
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_legacy_pickle(head: bytes) -> bool:
    """Whether this is a torch.save file from before PyTorch 1.6: a pickle whose first value is the magic number."""
    start = 11 if head[2:3] == b"\x95" else 2  # protocols from 4 put a frame around it
    return head[:1] == b"\x80" and head[start : start + 12] == b"\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"


def is_safetensors(head: bytes, size: int) -> bool:
    return len(head) > 9 and head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= size - 8


def _is_onnx(head: bytes) -> bool:
    """A ModelProto: field 1 (ir_version) as a small varint, then a string field."""
    return len(head) > 4 and head[0] == 0x08 and 0 < head[1] < 0x20 and head[2] in (0x12, 0x1A, 0x3A, 0x42)


def describe(buffer: Buffer) -> str:
    """Says what a buffer that is not a readable zip looks like, and what to do about it ("an HDF5 file: …")."""
    head = buffer.head
    if not head:
        return "empty"
    if is_zip(head):
        return "a zip archive without its directory, so it was cut short: download or copy it again"
    if is_legacy_pickle(head):
        return "a torch.save file of before PyTorch 1.6, not a TorchScript archive: load it with linstock.load"
    if is_safetensors(head, buffer.size):
        return "a safetensors file: load it with linstock.load"
    for matches, what in _SIGNATURES:
        if matches(head):
            return what
    if _is_onnx(head):
        return "an ONNX model: PyTorch has no reader for it, run it with ONNX Runtime"
    if head[0] == 0x80 and head[1] in range(2, 6):
        return "a Python pickle that torch.save did not write; unpickling runs code, so linstock does not"
    if not any(head):
        return "filled with zero bytes, so it was not written completely: download or copy it again"
    if all(byte in b"\t\n\r\f" or byte >= 0x20 for byte in head):
        try:
            head[:400].decode("utf-8", "strict" if len(head) < 400 else "ignore")
        except UnicodeDecodeError:
            pass
        else:
            return f"text, beginning with {head[:40].decode('utf-8', 'replace').strip()!r}"
    return f"unknown data, beginning with the bytes {head[:8].hex(' ')}"
