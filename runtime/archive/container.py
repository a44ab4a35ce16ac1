"""The zip container of archives: a reader that maps records and trusts nothing, and a writer of PyTorch's layout."""

from __future__ import annotations

import hashlib
import io
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.new_file import NewFile
from linstock.runtime.archive.sources import Buffer, Source, describe, is_zip

MIN_VERSION, MAX_VERSION = 1, 10
#: data of every record starts at a multiple of this
ALIGNMENT = 64
#: sizes and offsets from here on need the 64-bit fields of the zip format
ZIP64_LIMIT = 0xFFFFFFFF
#: text records larger than this are deflated
COMPRESS_OVER = 200
#: inflated records may take this much in total, or `MAX_RATIO` times the file's size if that is more
FREE_INFLATED = 1 << 28
MAX_RATIO = 100

_ENCRYPTED = 0x0001 | 0x0040


class ArchiveReader:
    """The records of an archive, read from a path, a binary file object or bytes.

    From a file on disk, stored records are views of a copy-on-write memory map; deflated ones are inflated within
    limits. Nothing is allocated before its size is checked against the file. Raises ArchiveError for anything that
    is not a sound archive, saying what it looks like instead.
    """

    def __init__(self, source: Source | Buffer, *, max_inflated: int = 1 << 34) -> None:
        self._buffer = source if isinstance(source, Buffer) else Buffer(source)
        self._inflated = 0
        self._limit = min(max_inflated, max(FREE_INFLATED, MAX_RATIO * self._buffer.size))
        self.name = self._buffer.name
        self.root, self._entries = self._directory()

    def __enter__(self) -> ArchiveReader:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.close()

    def close(self) -> None:
        """Forgets the file. Arrays that were handed out stay valid: they keep the map alive."""
        self._entries = {}
        self._buffer = Buffer(b"")

    def _directory(self) -> tuple[str, dict[str, zipfile.ZipInfo]]:
        try:
            with zipfile.ZipFile(io.BufferedReader(_Window(self._buffer.view))) as archive:
                found = archive.infolist()
        except Exception as error:
            if is_zip(self._buffer.head) and b"PK\x05\x06" in bytes(self._buffer.view[-(1 << 16) - 22 :]):
                raise ArchiveError(f"{self.name} is a zip archive with a damaged directory ({error})") from error
            raise ArchiveError(f"{self.name} is not a TorchScript archive: it is {describe(self._buffer)}") from error
        if not found:
            raise ArchiveError(f"{self.name} is a zip archive with nothing in it")
        first = found[0].orig_filename
        if "/" not in first:
            raise ArchiveError(
                f"{self.name} is a zip archive but not one of PyTorch: its entry {first!r} is not in a folder "
                "(was the archive unpacked and packed again without its top folder?)"
            )
        root = first[: first.index("/") + 1]
        seen: set[str] = set()
        entries: dict[str, zipfile.ZipInfo] = {}
        for entry in found:
            name = entry.orig_filename
            parts = name.replace("\\", "/").split("/")
            if name.startswith("/") or ".." in parts or "\0" in name or (len(parts[0]) == 2 and parts[0][1] == ":"):
                raise ArchiveError(f"{self.name} has an entry with an unsafe name: {name!r}")
            if name in seen:
                raise ArchiveError(f"{self.name} has two entries called {name!r}, so its content is ambiguous")
            seen.add(name)
            if name.startswith(root) and not name.endswith("/"):
                entries[name[len(root) :]] = entry
        if sum(entry.compress_size for entry in found) > self._buffer.size:
            raise ArchiveError(f"{self.name} is damaged: its entries overlap or it was cut short")
        return root.rstrip("/"), entries

    @property
    def total_size(self) -> int:
        """Bytes of the whole file."""
        return self._buffer.size

    def names(self) -> list[str]:
        """Names of all records, without the root folder, in the order of the directory."""
        return list(self._entries)

    def has(self, name: str) -> bool:
        return name in self._entries

    def size(self, name: str) -> int:
        """Bytes of a record, uncompressed."""
        return self._entry(name).file_size

    def read(self, name: str) -> memoryview:
        """The content of a record, read-only, not copied if it is stored; ArchiveError if it is missing or damaged."""
        entry = self._entry(name)
        start = self._start(entry)
        return self._content(name, entry, self._buffer.view[start : start + entry.compress_size])

    def later(self, name: str) -> Callable[[], memoryview]:
        """A function that reads a record when it is called, also after `close`; it keeps the packed data only."""
        entry = self._entry(name)
        start = self._start(entry)
        part = memoryview(bytes(self._buffer.view[start : start + entry.compress_size]))
        return lambda: self._content(name, entry, part)

    def _content(self, name: str, entry: zipfile.ZipInfo, part: memoryview) -> memoryview:
        data = part if entry.compress_type == zipfile.ZIP_STORED else memoryview(self._inflate(entry, part))
        # a sum of 0 means "not computed": PyTorch can be told to leave it out
        if entry.CRC and zlib.crc32(data) != entry.CRC:
            raise self._damaged(name, "its checksum is wrong")
        return data.toreadonly()

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """A record as a writable array of bytes: a view of the memory map where possible, never written to the file."""
        entry = self._entry(name)
        start = self._start(entry)
        if entry.compress_type == zipfile.ZIP_STORED:
            return self._buffer.array(start, entry.file_size)
        data = self._inflate(entry, self._buffer.view[start : start + entry.compress_size])
        return np.require(np.frombuffer(data, np.uint8), requirements="W")

    def text(self, name: str) -> str:
        """A record that holds UTF-8 text."""
        try:
            return bytes(self.read(name)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._damaged(name, f"it is not UTF-8 text ({error.reason} at byte {error.start})") from None

    def _entry(self, name: str) -> zipfile.ZipInfo:
        try:
            return self._entries[name]
        except KeyError:
            raise ArchiveError(f"{self.name} has no record {name!r}") from None

    def _damaged(self, name: str, why: str) -> ArchiveError:
        return ArchiveError(f"record {name!r} of {self.name} is damaged: {why}")

    def _start(self, entry: zipfile.ZipInfo) -> int:
        """Where the entry's data starts, after checking that all of it lies in the file."""
        name = entry.orig_filename
        if entry.flag_bits & _ENCRYPTED:
            raise ArchiveError(f"record {name!r} of {self.name} is encrypted: linstock reads plain archives only")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(
                f"record {name!r} of {self.name} is compressed with zip method {entry.compress_type}; "
                "archives use 'stored' or 'deflated'"
            )
        header = bytes(self._buffer.view[entry.header_offset : entry.header_offset + 30])
        if entry.header_offset < 0 or len(header) < 30 or not header.startswith(b"PK\x03\x04"):
            raise self._damaged(name, "its header is not where the directory says")
        start: int = entry.header_offset + 30 + sum(struct.unpack_from("<HH", header, 26))
        if start + entry.compress_size > self._buffer.size:
            raise self._damaged(name, "it reaches beyond the end of the file")
        if entry.compress_type == zipfile.ZIP_STORED and entry.compress_size != entry.file_size:
            raise self._damaged(name, "the directory gives two sizes for stored data")
        return start

    def _inflate(self, entry: zipfile.ZipInfo, part: memoryview) -> bytearray:
        name = entry.orig_filename
        # no byte of deflated data stands for more than 1032
        if entry.file_size > 1032 * (entry.compress_size + 1):
            raise self._damaged(name, "its size is more than its data can hold")
        self._inflated += entry.file_size
        if self._inflated > self._limit:
            raise ArchiveError(
                f"{self.name} would inflate to more than {self._limit:,} bytes, which looks like a decompression bomb"
            )
        unpacker = zlib.decompressobj(-15)
        try:
            data = bytearray(unpacker.decompress(part, entry.file_size + 1))
        except zlib.error as error:
            raise self._damaged(name, f"it does not inflate ({error})") from None
        if len(data) != entry.file_size or not unpacker.eof:
            raise self._damaged(name, "its size is not the one in the directory")
        return data

    @property
    def version(self) -> int:
        """The archive's version number. Raises ArchiveError if it is missing, not a number, or newer than known."""
        name = ".data/version" if self.has(".data/version") else "version"
        if not self.has(name):
            raise ArchiveError(f"{self.name} has no version record, so it was not written by PyTorch or not completely")
        text = bytes(self.read(name)[:32]).decode("latin-1").strip()
        if not text.isdecimal() or not text.isascii():
            raise ArchiveError(f"the version record of {self.name} holds {text!r} instead of a number")
        version = int(text)
        if version > MAX_VERSION:
            raise ArchiveError(
                f"{self.name}: archive version {version} is newer than the newest known {MAX_VERSION}: "
                "update linstock, or save the model with an older PyTorch"
            )
        if version < MIN_VERSION:
            raise ArchiveError(f"{self.name}: archive version {version} is older than the oldest known {MIN_VERSION}")
        return version

    @property
    def byteorder(self) -> str:
        """Byte order of the tensors, "little" (also where the archive does not say) or "big"."""
        if not self.has("byteorder"):
            return "little"
        order = bytes(self.read("byteorder")[:32]).decode("latin-1").strip()
        if order not in ("little", "big"):
            raise ArchiveError(f"the byteorder record of {self.name} holds {order!r} instead of 'little' or 'big'")
        return order

    @property
    def is_legacy_json(self) -> bool:
        """Whether this is a TorchScript archive of PyTorch 1.0 to 1.3, described by a model.json."""
        return self.has("model.json") and not self.has("constants.pkl") and not self.has("data.pkl")

    @property
    def is_torchscript(self) -> bool:
        """Whether this is a TorchScript archive of PyTorch 1.4 or later."""
        return self.has("constants.pkl") and self.has("data.pkl")

    @property
    def is_eager(self) -> bool:
        """Whether this is a file of torch.save: a state_dict, a checkpoint or any other values."""
        return self.has("data.pkl") and not self.has("constants.pkl")

    def require_torchscript(self) -> None:
        """Raises ArchiveError, saying what the file is instead, unless it is a TorchScript archive of either layout."""
        if self.is_torchscript or self.is_legacy_json:
            return
        if self.has(".data/extern_modules"):
            what = "a torch.package archive without a TorchScript module: save the model with torch.jit.save"
        elif self.is_eager:
            what = self._eager()
        elif self.has("archive_format") or self.has("serialized_exported_program.json"):
            what = "a torch.export archive (.pt2): save the model with torch.jit.save instead"
        elif self.has("constants.pkl") or self.has("version") or self.has(".data/version"):
            raise ArchiveError(f"{self.name} is an incomplete TorchScript archive: it has no data.pkl")
        else:
            what = f"a zip archive of something else (it holds {', '.join(self.names()[:3]) or 'only folders'})"
        raise ArchiveError(f"{self.name} is not a TorchScript archive: it is {what}")

    def _eager(self) -> str:
        """What a file of torch.save holds, and what to do with it."""
        named = _first_class(bytes(self.read("data.pkl")[: 1 << 16]))
        if named is not None:
            return (
                f"a file of torch.save with a pickled Python object of '{named}', which only its source can read: save the "
                "model with torch.jit.script(model).save(path), or its values with torch.save(model.state_dict(), path)"
            )
        return (
            "a file of torch.save with a state_dict or other values, but no program: linstock.load reads the values; to run "
            "the model, save it with torch.jit.script(model).save(path)"
        )


def _first_class(data: bytes) -> str | None:
    """The first name in a pickle that is neither Python's, NumPy's nor one of PyTorch's for plain values."""
    for module, name in re.findall(rb"c([A-Za-z_][\w.]*)\n([A-Za-z_][\w.]*)\n", data):
        if not _VALUES.fullmatch(module):
            return f"{module.decode()}.{name.decode()}"
    return None


#: modules whose names a pickle of plain values refers to
_VALUES = re.compile(
    rb"torch(\.(_utils|_tensor|storage|serialization|cuda|nn\.parameter))?|collections|builtins|__builtin__|numpy[\w.]*|_codecs"
)


class _Window(io.RawIOBase):
    """A memoryview as a readable, seekable file, without copying it."""

    def __init__(self, view: memoryview) -> None:
        self._view, self._at = view, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self._at, len(self._view))[whence]
        if at < 0:
            raise OSError("seek before the start")
        self._at = at
        return at

    def readinto(self, target: Any) -> int:
        part = self._view[self._at : self._at + len(target)]
        target[: len(part)] = part
        self._at += len(part)
        return len(part)


class ArchiveWriter:
    """Writes an archive in PyTorch's layout: data at multiples of 64, tensors stored, text deflated, no timestamps.

    `target` is a path or a binary file object. A path gets its file only when `close` succeeds, at once and whole
    (`NewFile`); leaving a `with` block by an exception leaves it alone. The same records give the
    same bytes. Raises ArchiveError for a name that is used twice, and OSError from the target.
    """

    def __init__(self, target: str | os.PathLike[str] | BinaryIO, root: str | None = None) -> None:
        self._path: Path | None = None
        self._new: NewFile | None = None
        if isinstance(target, str | os.PathLike):
            self._path = Path(target)
            self._new = NewFile(self._path)
            self._file: BinaryIO = self._new.file
        elif isinstance(target, io.TextIOBase):
            raise ArchiveError("the file object takes text: open it in binary mode ('wb')")
        elif callable(getattr(target, "write", None)):
            self._file = target
        else:
            raise ArchiveError(f"expected a path or a binary file object to write to, got {type(target).__name__}")
        self.root = root or (self._path.stem if self._path else "archive") or "archive"
        if "/" in self.root or "\\" in self.root:
            raise ArchiveError(f"the root folder of an archive cannot be called {self.root!r}")
        self._at = 0
        self._directory: list[bytes] = []
        self._sums: dict[str, int] = {}
        self._open = True

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def write(self, name: str, data: Any, compress: bool | None = None) -> None:
        """Adds a record: text, bytes or an array (its memory, without copying it if it is contiguous).

        `compress` None decides as PyTorch does: code and debug records over 200 bytes are deflated, all else stored.
        """
        if not self._open:
            raise ArchiveError("the archive is already closed")
        if name in self._sums or not name or name.startswith("/") or ".." in name.split("/"):
            raise ArchiveError(f"cannot add a record {name!r}: the name is used already or not a relative path")
        content = _bytes_of(data)
        if compress is None:
            compress = name.endswith((".py", ".debug_pkl")) and len(content) > COMPRESS_OVER
        label = f"{self.root}/{name}".encode()
        if len(label) > 0xFFFF:
            raise ArchiveError(f"the record name {name[:40]!r}… is too long for a zip archive")
        start, size = self._at, len(content)
        # deflate can grow incompressible data by a little
        wide = size + (size >> 10) + 64 >= ZIP64_LIMIT
        needed, flags, method = 20 if compress else 0, 0x0808 if size else 0x0800, 8 if compress else 0
        extra = struct.pack("<HHQQ", 1, 16, 0, 0) if wide else b""
        padding = -(start + 30 + len(label) + len(extra) + 4) % ALIGNMENT
        extra += b"FB" + struct.pack("<H", padding) + b"Z" * padding
        placeholder = ZIP64_LIMIT if wide else 0
        self._put(
            struct.pack(
                "<IHHHHHIIIHH", 0x04034B50, needed, flags, method, 0, 0, 0, min(placeholder, 0xFFFFFFFF),
                min(placeholder, 0xFFFFFFFF), len(label), len(extra),
            ) + label + extra
        )  # fmt: skip
        before, checksum = self._at, 0
        packer = zlib.compressobj(9, zlib.DEFLATED, -15) if compress else None
        for position in range(0, size, 1 << 24):
            chunk = content[position : position + (1 << 24)]
            checksum = zlib.crc32(chunk, checksum)
            self._put(packer.compress(chunk) if packer else chunk)
        if packer:
            self._put(packer.flush())
        packed = self._at - before
        if size:
            self._put(struct.pack("<IIQQ" if wide else "<IIII", 0x08074B50, checksum, packed, size))
        self._sums[name] = checksum
        wide_entry = b""
        fields = [packed, size, start]
        if max(fields) >= ZIP64_LIMIT:
            big = [value for value in (size, packed, start) if value >= ZIP64_LIMIT]
            wide_entry = struct.pack(f"<HH{len(big)}Q", 1, 8 * len(big), *big)
        packed32, size32, start32 = (0xFFFFFFFF if value >= ZIP64_LIMIT else value for value in fields)
        self._directory.append(
            struct.pack(
                "<IHHHHHHIIIHHHHHII", 0x02014B50, 0, needed, flags, method, 0, 0, checksum, packed32, size32,
                len(label), len(wide_entry), 0, 0, 0, 0, start32,
            ) + label + wide_entry
        )  # fmt: skip

    def write_byteorder(self) -> None:
        """Says in which byte order tensors are written: this machine's."""
        self.write("byteorder", sys.byteorder)

    def close(self, serialization_id: bool = True) -> None:
        """Writes the byte order, an id of the content and the directory, and puts a file at its place."""
        if not self._open:
            return
        try:
            if "byteorder" not in self._sums:
                self.write_byteorder()
            if serialization_id:
                self.write(".data/serialization_id", self._identity())
            start, count = self._at, len(self._directory)
            for entry in self._directory:
                self._put(entry)
            size, end = self._at - start, self._at
            self._put(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 0x031E, 45, 0, 0, count, count, size, start))
            self._put(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
            many, far, big = min(count, 0xFFFF), min(start, 0xFFFFFFFF), min(size, 0xFFFFFFFF)
            self._put(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, many, many, big, far, 0))
            self._file.flush()
            if self._new is not None:
                self._new.put_in_place()
            self._open = False
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Gives up: removes the temporary file and leaves whatever was at the path."""
        self._open = False
        if self._new is not None:
            self._new.discard()

    def _put(self, data: Any) -> None:
        left = memoryview(data)
        while left:  # an unbuffered file may take only a part
            written = self._file.write(left)
            left = left[written if isinstance(written, int) else len(left) :]
        self._at += len(data)

    def _identity(self) -> str:
        """Forty digits: a hash of the names, then one of the contents, so that equal files have equal ids."""
        names = hashlib.sha256("\0".join(self._sums).encode()).digest()
        sums = hashlib.sha256(str(list(self._sums.values())).encode()).digest()
        return "".join(f"{int.from_bytes(part[:8], 'little'):020d}" for part in (names, sums))


def _bytes_of(data: Any) -> memoryview:
    """What to write for text, bytes or an array, as bytes in memory."""
    if isinstance(data, str):
        return memoryview(data.encode("utf-8"))
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8).data
    view = memoryview(data)
    return view.cast("B") if view.contiguous else memoryview(bytes(view))
