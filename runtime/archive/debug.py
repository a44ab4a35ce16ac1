"""Debug records of archives: where each piece of archived code was first written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any

from linstock.ir.errors import ArchiveError
from linstock.ir.source import Source, Span
from linstock.runtime.archive.pickler import Pickler
from linstock.runtime.archive.records import TypedContainer
from linstock.runtime.archive.storages import StorageWriter
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Unpickler

#: one source in a debug record is at most this long
_MAX_TEXT = 1 << 24
_MARK = "FORMAT_WITH_STRING_TABLE"
#: text of a traced operator: the Python frames that led to it, innermost first
_FRAME = re.compile(r"(.+)\((\d{1,9})\): .*")


class SourceTable:
    """The origins of a code file: (offset in the file's UTF-8 bytes, span in the user's source), by rising offset.

    The code from an offset up to the next one came from that span; None says that nobody wrote it. A table is also a
    function from a (line, column) of the file to its span, as `Source.origin` wants it.
    """

    def __init__(self, entries: Iterable[tuple[int, Span | None]], text: str) -> None:
        self._entries: list[tuple[int, Span | None]] | None = sorted(entries, key=lambda entry: entry[0])
        self._load: Callable[[], Any] | None = None
        self._text = text
        self._starts: list[int] | None = None

    @classmethod
    def lazy(cls, read: Callable[[], Any], text: str) -> SourceTable:
        """A table that reads its record when first asked; a damaged one counts as empty, for it only helps messages."""
        table = cls((), text)
        table._entries, table._load = None, read
        return table

    @classmethod
    def parse(cls, data: Any, text: str = "") -> SourceTable:
        """Reads a debug record of either format. Raises ArchiveError."""
        return cls(_parse(data), text)

    @property
    def entries(self) -> list[tuple[int, Span | None]]:
        load = self._load
        if self._entries is None and load is not None:
            try:
                self._entries = sorted(_parse(load()), key=lambda entry: entry[0])
            except ArchiveError:
                self._entries = []
            self._load = None
        return self._entries or []

    def find(self, offset: int) -> Span | None:
        """The origin of the code at a byte offset."""
        at = bisect_right(self.entries, offset, key=lambda entry: entry[0])
        return self.entries[at - 1][1] if at else None

    def __call__(self, line: int, column: int) -> Span | None:
        """The origin of the code at a 1-based line and 0-based column."""
        if self._starts is None:
            self._starts = [0]
            for part in self._text.split("\n"):
                self._starts.append(self._starts[-1] + len(part.encode("utf-8", "surrogatepass")) + 1)
        if not 0 < line < len(self._starts):
            return None
        return self.find(self._starts[line - 1] + column)

    def dump(self) -> bytes:
        """The record that PyTorch reads, in the newer format."""
        strings: dict[str, int] = {"": 0}
        sources: dict[Any, Any] = {}
        lines = []
        for tag, (offset, span) in enumerate(self.entries):
            source, start, end = (None, 0, 0) if span is None else (span.source, *_offsets(span))
            key = source and (source.text, source.filename, source.first_line)
            if key not in sources:
                sources[key] = _source_record(source, strings)
            lines.append((offset, (sources[key], start, end), tag))
        value = (_MARK, tuple(strings), tuple(lines))
        return Pickler(StorageWriter(), lambda value: None, script=True).dump(value)


def _source_record(source: Source | None, strings: dict[str, int]) -> Any:
    parts: list[str]
    if source is None:
        parts, filename, first = [], "", 0
    elif not source.text:
        # only a place is known, as for traced code
        parts, filename, first = [f"{source.filename}({source.first_line}): <unknown>\n"], "", 0
    else:
        parts, filename, first = re.findall(r".*\n|.+", source.text), source.filename, source.first_line
    indices = [strings.setdefault(part, len(strings)) for part in parts]
    return (TypedContainer(indices, "List[int]"), strings.setdefault(filename, len(strings)), first)


def _offsets(span: Span) -> tuple[int, int]:
    """Start and end of a span in the UTF-8 bytes of its source."""
    lines = span.source.text.split("\n")
    starts = [0]
    for part in lines:
        starts.append(starts[-1] + len(part.encode("utf-8", "surrogatepass")) + 1)
    total = max(starts[-1] - 1, 0)
    start = starts[min(max(span.line - 1, 0), len(lines))] + span.column
    end = starts[min(max(span.end_line - 1, 0), len(lines))] + span.end_column
    return min(start, total), min(max(start, end), total)


def _parse(data: Any) -> list[tuple[int, Span | None]]:
    rules = TensorRules(lambda data: data).rules("a debug record", True)
    value = Unpickler(data, rules).load()
    strings: tuple[Any, ...] | None = None
    if isinstance(value, tuple) and len(value) == 3 and value[0] == _MARK:
        _, strings, value = value
        if not isinstance(strings, tuple) or not all(isinstance(text, str) for text in strings):
            raise ArchiveError("a debug record has no table of strings")
    if not isinstance(value, tuple):
        raise ArchiveError(f"a debug record holds a {type(value).__name__} instead of a tuple")
    places: dict[int, _Place] = {}
    entries: list[tuple[int, Span | None]] = []
    for entry in value:
        try:
            offset, (source, start, end) = entry[:2]
            if type(offset) is not int or type(start) is not int or type(end) is not int:
                raise TypeError
            place = places.get(id(source)) or places.setdefault(id(source), _Place(source, strings))
        except (TypeError, ValueError, IndexError):
            raise ArchiveError("a debug record has an entry of an unknown form") from None
        entries.append((offset, place.span(start, end)))
    return entries


class _Place:
    """A piece of source text that spans of a debug record lie in."""

    def __init__(self, record: Any, strings: tuple[Any, ...] | None) -> None:
        text, filename, first = record
        if strings is not None:
            indices = text.value if isinstance(text, TypedContainer) else text
            if sum(len(strings[index]) for index in indices) > _MAX_TEXT:
                raise ValueError
            text, filename = "".join(strings[index] for index in indices), strings[filename]
        filename = filename or ""
        if not isinstance(text, str) or not isinstance(filename, str) or type(first) is not int:
            raise TypeError
        self._record = record  # keeps its id from being reused
        self._whole: Span | None = None
        frame = _FRAME.match(text)
        if frame and filename in ("", frame[1]):
            self._whole = Span(Source("", frame[1], int(frame[2])), 1, 0, 1, 0)
        self._source = Source(text, filename or "<unknown>", first)
        self._known = bool(text)
        self._starts = [0]
        for part in text.split("\n"):
            self._starts.append(self._starts[-1] + len(part.encode("utf-8", "surrogatepass")) + 1)

    def span(self, start: int, end: int) -> Span | None:
        if self._whole is not None or not self._known:
            return self._whole
        (line, column), (end_line, end_column) = self._position(start), self._position(max(start, end))
        return Span(self._source, line, column, end_line, end_column)

    def _position(self, offset: int) -> tuple[int, int]:
        offset = min(max(offset, 0), self._starts[-1])
        line = min(bisect_right(self._starts, offset), len(self._starts) - 1)
        return line, offset - self._starts[line - 1]
