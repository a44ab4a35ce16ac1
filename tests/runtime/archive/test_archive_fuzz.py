"""Damaged files: whatever the damage, the only error is ArchiveError."""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Callable
from typing import Any

from archive_helpers import DATA, same, script_bytes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_archive_script import legacy, net, zip_of
from test_archive_state_dict import everything, saved

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.records import TensorData
from linstock.runtime.archive.script import read_script
from linstock.runtime.archive.state_dict import load_file


def check(data: TensorData) -> TensorData:
    """Makes the view, which NumPy refuses if it leaves its memory."""
    with contextlib.suppress(ArchiveError):
        data.array.ravel()[:10]
    return same(data)


def read_whole(raw: bytes) -> None:
    archive = read_script(ArchiveReader(raw), check)
    for table in archive.debug.values():
        assert table.entries is not None


def read_state(raw: bytes) -> None:
    load_file(raw, check)


SEEDS: list[tuple[Callable[[bytes], Any], bytes]] = [
    (read_whole, (DATA / "zoo.pt").read_bytes()),
    (read_whole, script_bytes(net())),
    (read_whole, zip_of(legacy())),
    (read_state, (DATA / "state.pt").read_bytes()),
    (read_state, (DATA / "state_old.pt").read_bytes()),
    (read_state, saved(everything())),
]
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 1 << 20),
        st.one_of(
            st.binary(min_size=1, max_size=6),
            st.sampled_from(
                [
                    b"(",
                    b")",
                    b"}",
                    b"]",
                    b"R",
                    b"b",
                    b"\x81",
                    b"\x85",
                    b"t",
                    b"u",
                    b"Q",
                    b".",
                    b"0",
                    b"N",
                    b"\xff" * 4,
                    bytes(4),
                    b"\xff\xff\xff\x7f",
                ]
            ),
        ),
        st.sampled_from(["overwrite", "insert", "delete"]),
    ),
    min_size=1,
    max_size=8,
)


def changed(raw: bytes, changes: list[tuple[int, bytes, str]]) -> bytes:
    data = bytearray(raw)
    for place, content, kind in changes:
        at = place % (len(data) + 1)
        end = at if kind == "insert" else at + len(content)
        data[at:end] = b"" if kind == "delete" else content
    return bytes(data)


FUZZ = settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FUZZ
@given(st.sampled_from(SEEDS), CHANGES)
def test_changed_bytes(seed: tuple[Callable[[bytes], Any], bytes], changes: list[tuple[int, bytes, str]]) -> None:
    with contextlib.suppress(ArchiveError):
        seed[0](changed(seed[1], changes))


@FUZZ
@given(st.sampled_from(SEEDS), st.integers(0, 1 << 20))
def test_cut_short(seed: tuple[Callable[[bytes], Any], bytes], end: int) -> None:
    with contextlib.suppress(ArchiveError):
        seed[0](seed[1][: end % len(seed[1])])


@FUZZ
@given(st.sampled_from([seed for seed in SEEDS if seed[1].startswith(b"PK")]), st.data(), CHANGES)
def test_changed_records(
    seed: tuple[Callable[[bytes], Any], bytes], data: Any, changes: list[tuple[int, bytes, str]]
) -> None:
    """The zip is sound, a record in it is not: the changes reach the pickles."""
    with zipfile.ZipFile(io.BytesIO(seed[1])) as archive:
        records: dict[str, bytes | str] = {name: archive.read(name) for name in archive.namelist()}
    names = [name for name in records if name.endswith(("pkl", "json", "version", "byteorder"))]
    name = data.draw(st.sampled_from(names))
    content = records[name]
    records[name] = changed(content if isinstance(content, bytes) else content.encode(), changes)
    with contextlib.suppress(ArchiveError):
        seed[0](zip_of(records, ""))
