"""Files larger than memory would like: read without touching what is not used, written beyond 4 GiB, saved compactly."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np
import pytest

import linstock
from linstock import jit
from linstock.runtime.archive import container
from linstock.runtime.archive.container import ArchiveReader, ArchiveWriter
from linstock.runtime.archive.records import ObjectRecord, TensorData
from linstock.runtime.archive.script import ScriptArchive, write_script

GIB = 1 << 30
CODE = """class Net(Module):
  __parameters__ = ["used", "unused", ]
  __buffers__ = []
  used : Tensor
  unused : Tensor
  training : bool
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    return torch.add(x, self.used)
  def last(self: __torch__.Net) -> Tensor:
    return torch.slice(self.unused, 0, -2, 9223372036854775807)
"""
needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured by /proc")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder on a disk that keeps long runs of zeros as holes."""
    with tempfile.TemporaryDirectory() as name:
        probe = Path(name) / "probe"
        probe.touch()
        os.truncate(probe, 64 << 20)
        if shutil.disk_usage(name).free < 2 * GIB or probe.stat().st_blocks * 512 > 1 << 20:
            pytest.skip("the disk is too small, or keeps holes as zeros")
        yield Path(name)


class Sparse(io.RawIOBase):
    """A file that leaves holes where long runs of zeros are written (by these tests: those that begin and end so)."""

    EDGE = bytes(64)

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("wb")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        if len(view) > 4096 and view[:64] == self.EDGE and view[-64:] == self.EDGE:
            self._file.seek(len(view), 1)
        else:
            self._file.write(view)
        return len(view)

    def close(self) -> None:
        self._file.close()
        super().close()


@pytest.fixture
def no_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check sums of large records are left out, as PyTorch can: they take longer than all else."""
    quick = SimpleNamespace(**vars(zlib))
    quick.crc32 = lambda data, value=0: zlib.crc32(data, value) if len(data) < 1 << 20 else 0
    monkeypatch.setattr(container, "zlib", quick)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def write_net(path: Path, unused: np.ndarray[Any, Any]) -> None:
    state = {"used": TensorData.of(np.arange(3, dtype=np.float32)), "unused": TensorData.of(unused), "training": False}
    archive = ScriptArchive(ObjectRecord("__torch__.Net", state), (), {"__torch__.py": CODE}, 10, name="net")
    with Sparse(path) as target:
        write_script(target, archive, lambda value: value if isinstance(value, TensorData) else None)


@needs_proc
@pytest.mark.usefixtures("no_sums")
def test_opening_a_large_archive_touches_what_is_used(folder: Path) -> None:
    path = folder / "net.pt"
    values = np.zeros(GIB // 4, np.float32)
    values[-2:] = 1, 2
    write_net(path, values)
    del values
    assert path.stat().st_size > GIB and path.stat().st_blocks * 512 < 64 << 20
    jit.load(path)(linstock.ones(3))  # whatever is imported for that is
    before, start = resident(), time.perf_counter()
    module = jit.load(path)
    loaded, seconds = resident() - before, time.perf_counter() - start
    assert module(linstock.ones(3)).tolist() == [1, 2, 3]
    assert module.last().tolist() == [1, 2]
    grown = resident() - before
    print(f"1 GiB archive: loaded in {seconds * 1000:.1f} ms, {loaded / 1e6:.2f} MB; used: {grown / 1e6:.2f} MB")
    assert loaded < 16 << 20 and grown < 32 << 20
    assert seconds < 5


@needs_proc
@pytest.mark.usefixtures("no_sums")
def test_records_beyond_4_gib(folder: Path) -> None:
    path = folder / "net.pt"
    values = np.zeros(GIB + 16, np.float32)  # 4 GiB and a little
    values[-2:] = 1, 2
    write_net(path, values)
    del values
    with zipfile.ZipFile(path) as archive:  # Python reads the wide fields, too
        sizes = {i.filename: i.file_size for i in archive.infolist()}
    assert sizes["net/data/1"] == 4 * GIB + 64
    before = resident()
    with ArchiveReader(path) as reader:
        assert reader.size("data/1") == 4 * GIB + 64 and reader.array("data/1")[-8:].view(np.float32).tolist() == [1, 2]
        assert bytes(reader.read("version")) if reader.has("version") else reader.version == 10
    module = jit.load(path)
    assert module.last().tolist() == [1, 2] and module(linstock.ones(3)).tolist() == [1, 2, 3]
    assert resident() - before < 64 << 20


@pytest.mark.usefixtures("no_sums")
def test_many_records_and_far_places(folder: Path) -> None:
    """More entries than 16 bits count, and records that start beyond 4 GiB."""
    path = folder / "many.zip"
    hole = np.zeros(GIB, np.uint8)
    with Sparse(path) as target, ArchiveWriter(target, "m") as writer:
        for i in range(4):
            writer.write(f"data/{i}", hole)
        for i in range(70_000):
            writer.write(f"x/{i}", b"")
        writer.write("last", b"content", compress=False)
        writer.write("packed", b"content" * 1000, compress=True)
    with ArchiveReader(path) as reader:
        assert len(reader.names()) == 70_008
        assert bytes(reader.read("last")) == b"content" and bytes(reader.read("packed")) == b"content" * 1000
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("m/last").header_offset > 4 * GIB and archive.read("m/packed") == b"content" * 1000


@pytest.mark.usefixtures("no_sums")
def test_a_large_file_that_was_cut_short_says_so(folder: Path) -> None:
    path = folder / "net.pt"
    write_net(path, np.zeros(GIB // 4, np.float32))
    os.truncate(path, GIB // 2)
    with pytest.raises(RuntimeError, match="cut short"):
        jit.load(path)


class View(linstock.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        large = linstock.arange(100_000, dtype=linstock.float32)
        self.register_buffer("part", large[10:20])
        self.register_buffer("same", large[10:20])
        self.register_buffer("row", large.reshape(10, -1)[:, 3])
        own = linstock.ones(4)
        self.register_buffer("whole", own)
        self.register_buffer("turned", own.reshape(2, 2).t())
        self.register_buffer("wide", linstock.ones(1).expand(1000))

    def forward(self) -> linstock.Tensor:
        return self.part.sum() + self.row.sum()


def _size(compact: bool, tmp_path: Path) -> tuple[int, Any]:
    path = tmp_path / f"{compact}.pt"
    jit.save(jit.script(View()), path, compact=compact)
    return path.stat().st_size, jit.load(path)


@pytest.mark.filterwarnings("ignore")
def test_views_are_saved_compactly_on_request(tmp_path: Path) -> None:
    (large, shared), (small, compact) = _size(False, tmp_path), _size(True, tmp_path)
    assert large > 400_000 and small < 10_000
    assert {k: v.tolist() for k, v in shared.state_dict().items()} == {
        k: v.tolist() for k, v in compact.state_dict().items()
    }
    assert shared().item() == compact().item()
    for module in (shared, compact):
        module.part[0] = 77
        assert module.same[0].item() == 77  # the same part, or all of a storage, stays shared
        module.whole[1] = 5
        assert module.turned[1, 0].item() == 5
        assert module.wide.shape == (1000,)


def test_state_dicts_are_saved_compactly_on_request(tmp_path: Path) -> None:
    large = linstock.arange(100_000, dtype=linstock.float32)
    values = {"a": large[5:9], "b": large[5:9], "c": [large[::50_000]]}
    linstock.save(values, tmp_path / "shared.pt")
    linstock.save(values, tmp_path / "compact.pt", compact=True)
    assert (tmp_path / "shared.pt").stat().st_size > 400_000 > 20 * (tmp_path / "compact.pt").stat().st_size
    found = linstock.load(tmp_path / "compact.pt")
    assert found["a"].tolist() == [5, 6, 7, 8] and found["c"][0].tolist() == [0, 50_000]
    found["a"][0] = 9
    assert found["b"][0].item() == 9


@pytest.mark.interop
def test_pytorch_reads_what_was_saved_compactly(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    module = _size(True, tmp_path)[1]
    there = torch.jit.load(tmp_path / "True.pt")
    assert {k: v.tolist() for k, v in there.state_dict().items()} == {
        k: v.tolist() for k, v in module.state_dict().items()
    }


if sys.platform == "win32":  # holes need a call of their own there
    pytestmark = pytest.mark.skip("files with holes are not made on Windows")
