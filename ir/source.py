"""Source text and positions in it, so that every message can show the user's own line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Source:
    """A piece of source text; `first_line` is the number of its first line in `filename`.

    `origin` maps a (line, column) of generated text back to where it was first written (debug_pkl of archives).
    """

    text: str
    filename: str = "<string>"
    first_line: int = 1
    indent: int = 0
    origin: Any = field(default=None, repr=False)

    def line(self, number: int) -> str:
        """The text of a line, by its number within this source (1-based), or ""."""
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True)
class Span:
    """A range in a source: 1-based lines, 0-based columns, both within `source.text`."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    def resolve(self) -> Span:
        """The span where this code was first written, if the source knows (else itself)."""
        if self.source.origin is not None:
            found = self.source.origin(self.line, self.column)
            if isinstance(found, Span):
                return found
        return self

    @property
    def filename(self) -> str:
        return self.source.filename

    @property
    def lineno(self) -> int:
        """Line number in the file."""
        return self.source.first_line + self.line - 1

    def show(self) -> str:
        """The position and the line with carets under the range."""
        span = self.resolve()
        text = span.source.line(span.line)
        end = span.end_column if span.end_line == span.line else len(text)
        width = max(1, min(end, len(text)) - span.column)
        where = f'  File "{span.filename}", line {span.lineno}, column {span.column + 1 + span.source.indent}'
        if not text.strip():
            return where
        cut = len(text) - len(text.lstrip())
        return f"{where}\n    {text.strip()}\n    {' ' * max(0, span.column - cut)}{'^' * width}"
