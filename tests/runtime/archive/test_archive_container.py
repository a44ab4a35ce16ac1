"""The zip container: layout, errors, limits, atomic writing."""

from __future__ import annotations

import io
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archive_helpers import DATA, zip_of

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive import container
from linstock.runtime.archive.container import ArchiveReader, ArchiveWriter

GOOD: dict[str, bytes | str] = {"data.pkl": b"\x80\x02N.", "constants.pkl": b"\x80\x02).", "version": "3\n"}


def written(**options: Any) -> bytes:
    target = io.BytesIO()
    with ArchiveWriter(target, "model") as writer:
        writer.write("data/0", np.arange(5, dtype=np.float32))
        writer.write("data/1", b"")
        writer.write("data.pkl", b"\x80\x02N.")
        writer.write("code/__torch__.py", "x = 1\n" * 100)
        writer.write("code/small.py", "pass\n")
        writer.write("version", "3\n")
    return target.getvalue()


def test_layout_is_pytorchs() -> None:
    raw = written()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[:3] == ["model/data/0", "model/data/1", "model/data.pkl"]
        assert archive.namelist()[-2:] == ["model/byteorder", "model/.data/serialization_id"]
        for entry in archive.infolist():
            name, extra = struct.unpack_from("<HH", raw, entry.header_offset + 26)
            start = entry.header_offset + 30 + name + extra
            assert start % 64 == 0
            key, padding = struct.unpack_from("<2sH", raw, entry.header_offset + 30 + name)
            assert key == b"FB" and padding == extra - 4
            big = entry.filename == "model/code/__torch__.py"
            assert entry.compress_type == (zipfile.ZIP_DEFLATED if big else zipfile.ZIP_STORED)
            assert entry.date_time == (1980, 0, 0, 0, 0, 0) and entry.flag_bits & 0x800
    assert raw == written()


def test_reading_what_was_written() -> None:
    reader = ArchiveReader(written())
    assert reader.root == "model"
    assert reader.names()[0] == "data/0" and reader.has("version") and not reader.has("nothing")
    assert reader.array("data/0").view(np.float32).tolist() == [0, 1, 2, 3, 4]
    assert bytes(reader.read("data/1")) == b"" and reader.array("data/1").size == 0
    assert reader.text("code/__torch__.py") == "x = 1\n" * 100
    assert reader.version == 3 and reader.byteorder in ("little", "big")
    with pytest.raises(ArchiveError, match="no record 'nothing'"):
        reader.read("nothing")


def test_map_is_not_copied_and_never_written(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(written())
    reader = ArchiveReader(path)
    one, two = reader.array("data/0"), reader.array("data/0")
    assert np.shares_memory(one, two)
    one[:4] = 255
    assert path.read_bytes() == written()
    reader.close()
    os.replace(path, tmp_path / "moved.pt")
    assert one[:4].tolist() == [255] * 4


@pytest.mark.parametrize("source", ["file", "bytesio", "bytes", "bytearray", "unseekable"])
def test_sources_give_writable_arrays(source: str, tmp_path: Path) -> None:
    raw = written()
    path = tmp_path / "model.pt"
    path.write_bytes(raw)

    class Pipe:
        def read(self) -> bytes:
            return raw

    opened: Any = {
        "bytesio": io.BytesIO(raw),
        "bytes": raw,
        "bytearray": bytearray(raw),
        "unseekable": Pipe(),
        "file": path.open("rb"),
    }[source]
    array = ArchiveReader(opened).array("data/0")
    array[0] = 7
    assert ArchiveReader(raw).array("data/0")[0] == 0
    assert path.read_bytes() == raw


def test_text_mode_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="binary mode"):
        ArchiveReader(io.StringIO("x"))  # type: ignore[arg-type]
    with pytest.raises(ArchiveError, match="expected a path"):
        ArchiveReader(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        ArchiveReader(tmp_path / "nothing.pt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PYTORCH1" + bytes(64), "preview"),
        (b"\x89HDF\r\n\x1a\n" + bytes(64), "HDF5"),
        (b"\x93NUMPY\x01\x00", r"numpy\.load"),
        (b"\x08\x07\x12\x07pytorch\x1a\x051.0.0", "ONNX"),
        ((8).to_bytes(8, "little") + b'{"a":{}}', "safetensors"),
        (b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "before PyTorch 1.6.*linstock.load"),
        (b"\x80\x04\x95" + bytes(8) + b"\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "before PyTorch 1.6"),
        (b"\x80\x04]q\x00.", "unpickling runs code"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"\x1f\x8b\x08" + bytes(20), "compressed"),
        (b"GGUF\x03\0\0\0", "GGUF"),
        (b"\x1c\0\0\0TFL3" + bytes(20), "TensorFlow Lite"),
        (b"\x1c\0\0\0PTMF" + bytes(20), "flatbuffer"),
        (bytes(257) + b"ustar" + bytes(300), "tar archive"),
        (bytes(500), "zero bytes"),
        (b"hello, this is text", "text, beginning with 'hello"),
        (b"\xfe\xed\xfa\xce" * 40, "unknown data"),
    ],
)
def test_says_what_other_files_are(content: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message) as caught:
        ArchiveReader(content)
    assert "\n" not in str(caught.value)


def test_cut_short_and_damaged() -> None:
    raw = written()
    with pytest.raises(ArchiveError, match="cut short"):
        ArchiveReader(raw[:700])
    directory = raw.rfind(b"PK\x01\x02")
    with pytest.raises(ArchiveError, match="damaged"):
        ArchiveReader(raw[:directory] + b"XX" + raw[directory + 2 :])
    start = raw.index(b"\x80\x02N.")
    flipped = raw[:start] + b"\x81" + raw[start + 1 :]
    with pytest.raises(ArchiveError, match=r"data\.pkl.*checksum"):
        ArchiveReader(flipped).read("data.pkl")


def test_checksum_of_zero_means_not_computed() -> None:
    raw = bytearray(zip_of(GOOD))
    checksum = struct.pack("<I", zlib.crc32(b"\x80\x02N."))
    assert bytes(ArchiveReader(bytes(raw).replace(checksum, bytes(4))).read("data.pkl")) == b"\x80\x02N."


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"data.pkl": b"", "version": "3"}, "file of torch.save.*linstock.load"),
        ({"archive_format": "pt2", "models/model.json": "{}"}, "torch.export"),
        ({".data/extern_modules": "", "version": "6"}, "torch.package"),
        ({"constants.pkl": b"", "version": "3"}, "incomplete"),
        ({"word/document.xml": ""}, "something else.*word/document.xml"),
    ],
)
def test_says_what_other_zips_are(records: dict[str, bytes | str], message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        ArchiveReader(zip_of(records)).require_torchscript()


def test_kinds() -> None:
    assert ArchiveReader(zip_of(GOOD)).is_torchscript
    ArchiveReader(zip_of(GOOD)).require_torchscript()
    assert ArchiveReader(zip_of({"model.json": "{}"})).is_legacy_json
    assert ArchiveReader(DATA / "state.pt").is_eager


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"version": "11\n"}, "archive version 11 is newer than the newest known 10"),
        ({"version": "0"}, "older than the oldest"),
        ({"version": "three"}, "'three' instead of a number"),
        ({"data.pkl": b""}, "no version record"),
    ],
)
def test_version_errors(records: dict[str, bytes | str], message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        _ = ArchiveReader(zip_of(records)).version


def test_version_in_data_folder_wins() -> None:
    assert ArchiveReader(zip_of({"version": "3", ".data/version": "9\n"})).version == 9
    assert ArchiveReader(zip_of(GOOD)).byteorder == "little"
    assert ArchiveReader(zip_of({"byteorder": "big"})).byteorder == "big"
    with pytest.raises(ArchiveError, match="byteorder"):
        _ = ArchiveReader(zip_of({"byteorder": "middle"})).byteorder


def test_root_folder() -> None:
    assert ArchiveReader(zip_of(GOOD, "any thing/")).root == "any thing"
    with pytest.raises(ArchiveError, match="not in a folder"):
        ArchiveReader(zip_of(GOOD, ""))
    with pytest.raises(ArchiveError, match="nothing in it"):
        ArchiveReader(zip_of({}))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_plain_rewrites_are_read(method: int) -> None:
    with zipfile.ZipFile(DATA / "zoo.pt") as archive:
        records: dict[str, bytes | str] = {name: archive.read(name) for name in reversed(archive.namelist())}
    reader, first = ArchiveReader(zip_of(records, "", method)), ArchiveReader(DATA / "zoo.pt")
    assert all(bytes(reader.read(name)) == bytes(first.read(name)) for name in first.names())


@pytest.mark.parametrize("name", ["/etc/passwd", "m/../../x", "..\\x/y", "C:/x/y"])
def test_unsafe_names(name: str) -> None:
    with pytest.raises(ArchiveError, match="unsafe name"):
        ArchiveReader(zip_of({name: "x"}, ""))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("m/data.pkl", "1")
        archive.writestr("m/data.pkl", "2")
    with pytest.raises(ArchiveError, match=r"two entries called 'm/data\.pkl'"):
        ArchiveReader(target.getvalue())


def test_encrypted_and_unknown_methods() -> None:
    raw = bytearray(zip_of({"a": b"x"}))
    at = raw.rfind(b"PK\x01\x02")
    raw[at + 8] |= 1
    with pytest.raises(ArchiveError, match="encrypted"):
        ArchiveReader(bytes(raw)).read("a")
    with pytest.raises(ArchiveError, match="zip method 12"):
        ArchiveReader(zip_of({"a": b"x" * 99}, method=zipfile.ZIP_BZIP2)).read("a")


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zip_of({"a": bytes(1 << 20), "b": bytes(1 << 20)}, method=zipfile.ZIP_DEFLATED)
    assert len(ArchiveReader(bomb).read("a")) == 1 << 20
    monkeypatch.setattr(container, "FREE_INFLATED", 3 << 19)
    reader = ArchiveReader(bomb)
    reader.read("a")
    with pytest.raises(ArchiveError, match="decompression bomb"):
        reader.read("b")
    with pytest.raises(ArchiveError, match="decompression bomb"):
        ArchiveReader(bomb, max_inflated=1000).array("a")


def patched_size(size: int, packed: int | None = None) -> bytes:
    raw = bytearray(zip_of({"a": bytes(5000)}, method=zipfile.ZIP_DEFLATED))
    at = raw.rfind(b"PK\x01\x02")
    struct.pack_into("<I", raw, at + 24, size)
    if packed is not None:
        struct.pack_into("<I", raw, at + 20, packed)
    return bytes(raw)


def test_sizes_are_checked_before_allocating() -> None:
    with pytest.raises(ArchiveError, match="more than its data can hold"):
        ArchiveReader(patched_size(0xFFFFFFF0)).read("a")
    with pytest.raises(ArchiveError, match="its size is not the one"):
        ArchiveReader(patched_size(4999)).read("a")
    with pytest.raises(ArchiveError, match="overlap"):
        ArchiveReader(patched_size(5000, 1 << 20))


def test_zip64_reading_from_a_sparse_file(tmp_path: Path) -> None:
    path = tmp_path / "big.pt"
    size = 5 << 30
    name, small = b"m/data/0", b"m/version"
    with path.open("wb") as file:
        file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, 0, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, len(name), 26))
        file.write(name + struct.pack("<HHQQ2sH2s", 1, 16, size, size, b"FB", 2, b"ZZ"))
        file.seek(size, os.SEEK_CUR)
        second = file.tell()
        file.write(struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0, 0, 0, 0, zlib.crc32(b"3\n"), 2, 2, len(small), 0))
        file.write(small + b"3\n")
        start = file.tell()
        for label, length, offset, checksum in ((name, size, 0, 0), (small, 2, second, zlib.crc32(b"3\n"))):
            extra = struct.pack("<HHQQQ", 1, 24, length, length, offset)
            file.write(
                struct.pack(
                    "<IHHHHHHIIIHHHHHII",
                    0x02014B50,
                    45,
                    45,
                    0,
                    0,
                    0,
                    0,
                    checksum,
                    0xFFFFFFFF,
                    0xFFFFFFFF,
                    len(label),
                    len(extra),
                    0,
                    0,
                    0,
                    0,
                    0xFFFFFFFF,
                )
                + label
                + extra
            )
        end = file.tell()
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 2, 2, end - start, start))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 2, 2, end - start, 0xFFFFFFFF, 0))
    reader = ArchiveReader(path)
    assert reader.version == 3 and reader.size("data/0") == size
    data = reader.array("data/0")
    assert data.size == size and data[-1] == 0


def test_zip64_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = written()
    monkeypatch.setattr(container, "ZIP64_LIMIT", 300)
    wide = written()
    assert len(wide) > len(plain)
    one, two = ArchiveReader(plain), ArchiveReader(wide)
    assert [bytes(one.read(n)) for n in one.names()] == [bytes(two.read(n)) for n in two.names()]
    with zipfile.ZipFile(io.BytesIO(wide)) as archive:
        assert archive.testzip() is None
        assert any(entry.extra[:2] == b"\x01\x00" for entry in archive.infolist())


def test_writing_to_a_path_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "some.model.pt"
    path.write_bytes(b"before")
    with pytest.raises(RuntimeError, match="stop"), ArchiveWriter(path) as writer:
        writer.write("a", b"x")
        raise RuntimeError("stop")
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == [path.name]
    path.chmod(0o640)
    with ArchiveWriter(path) as writer:
        assert writer.root == "some.model"
        writer.write("a", b"x")
    assert bytes(ArchiveReader(path).read("a")) == b"x" and os.listdir(tmp_path) == [path.name]
    assert path.stat().st_mode & 0o777 == 0o640


def test_writing_over_the_file_that_is_mapped(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(written())
    array = ArchiveReader(path).array("data/0")
    with ArchiveWriter(path) as writer:
        writer.write("data/0", array)
    assert array.view(np.float32).tolist() == [0, 1, 2, 3, 4]
    assert ArchiveReader(path).array("data/0").view(np.float32).tolist() == [0, 1, 2, 3, 4]


def test_failing_target_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"), ArchiveWriter(tmp_path / "m.pt") as writer:
        writer.write("a", b"x")
    assert os.listdir(tmp_path) == []


def test_writer_errors() -> None:
    writer = ArchiveWriter(io.BytesIO())
    writer.write("a", b"")
    for name in ("a", "", "/a", "../a"):
        with pytest.raises(ArchiveError, match="cannot add a record"):
            writer.write(name, b"")
    writer.close()
    writer.close()
    with pytest.raises(ArchiveError, match="closed"):
        writer.write("b", b"")
    with pytest.raises(ArchiveError, match="write to"):
        ArchiveWriter(3)  # type: ignore[arg-type]
    with pytest.raises(ArchiveError, match="root folder"):
        ArchiveWriter(io.BytesIO(), "a/b")


def test_unbuffered_targets_that_take_a_part() -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(bytes(data[:100]))

    target = Slow()
    with ArchiveWriter(target, "model") as writer:
        writer.write("data", np.arange(1000))
    assert ArchiveReader(target.getvalue()).array("data").view(np.int64).tolist() == list(range(1000))


def test_arrays_of_any_kind_are_written() -> None:
    import ml_dtypes

    target = io.BytesIO()
    base = np.arange(12, dtype=np.int16).reshape(3, 4)
    with ArchiveWriter(target) as writer:
        writer.write("t", base.T)
        writer.write("b", np.ones(3, ml_dtypes.bfloat16))
        writer.write("s", np.float32(3))
    reader = ArchiveReader(target.getvalue())
    assert reader.array("t").view(np.int16).tolist() == base.T.ravel().tolist()
    assert reader.array("b").view(ml_dtypes.bfloat16).tolist() == [1, 1, 1]
    assert reader.array("s").view(np.float32).tolist() == [3]


@pytest.mark.interop
def test_pytorch_reads_records() -> None:
    torch = pytest.importorskip("torch")
    reader = torch._C.PyTorchFileReader(io.BytesIO(written()))
    assert reader.get_record("code/__torch__.py") == b"x = 1\n" * 100
    assert np.frombuffer(reader.get_record("data/0"), np.float32).tolist() == [0, 1, 2, 3, 4]
    assert reader.get_record_offset("data/0") % 64 == 0
    assert len(reader.serialization_id()) == 40
