"""Code of files that nobody vouches for: bounds on what is parsed and compiled, and errors of ours whatever is in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from linstock.ir.errors import ArchiveError, CompileError, LinstockError
from linstock.ir.source import Span

#: a code file may have so many tokens: their syntax tree takes about half a kilobyte each
MAX_TOKENS = 2_000_000
#: deepest nesting of brackets, as CPython's own parser has it
MAX_BRACKETS = 200
#: most operators in a row that each open a level of the syntax tree: signs, `not`, `**`, conditional expressions
MAX_CHAIN = 100
#: steps of compiling that a program may take: some, and more for longer code. Unrolled loops multiply them
FREE_STEPS, STEPS_PER_BYTE = 10_000, 5

#: what code that no compiler of TorchScript wrote can make ours stumble over
_STRAY = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError, ArithmeticError, NotImplementedError,
    UnicodeError, MemoryError, SyntaxError, StopIteration,
)  # fmt: skip

_TOKEN = re.compile(
    r"(?P<text>'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<comment>#[^\n]*)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<line>\n)|(?P<sign>[-+~])"
    r"|(?P<prefix>\*\*|:=|@|\b(?:not|await|lambda|yield|else)\b)|(?P<elif>\belif\b)"
    r"|(?P<word>[\w.]+)|(?P<other>[^\s\w])",
    re.DOTALL,
)


def check_code(text: str, name: str) -> None:
    """Raises ArchiveError for code that is too long or too deeply nested to be handed to a recursive parser."""

    def refuse(what: str, at: int) -> ArchiveError:
        line = text.count("\n", 0, at) + 1
        return ArchiveError(f"{name}, line {line}: the archive's code {what}, so it is not compiled")

    if "\0" in text:
        raise refuse("contains a null character", text.index("\0"))
    depth = count = chain = branches = 0
    last: str | None = None
    for match in _TOKEN.finditer(text):
        count += 1
        kind = match.lastgroup
        if kind == "open":
            depth += 1
            if depth > MAX_BRACKETS:
                raise refuse(f"nests brackets more than {MAX_BRACKETS} deep", match.start())
        elif kind == "close":
            depth -= 1
        elif kind == "line":
            if depth <= 0:
                depth = chain = 0
            continue
        elif kind == "prefix" or (kind == "sign" and last in ("sign", "prefix")):
            chain += 1
        elif kind == "elif":
            branches += 1
        elif kind == "other":
            if match[0] in ",;":
                chain = 0
            elif match[0] == "\\":
                raise refuse("continues a line by a backslash", match.start())
        if chain > MAX_CHAIN or branches > 10 * MAX_CHAIN:
            raise refuse(f"chains more than {MAX_CHAIN} operators", match.start())
        if count > MAX_TOKENS:
            raise ArchiveError(f"{name} has more than {MAX_TOKENS:,} tokens of code, so it is not compiled")
        if kind != "comment":
            last = kind


def parse_code(text: str, name: str) -> ast.Module:
    """The syntax tree of a code file. Raises ArchiveError for what is not Python, or too much of it."""
    check_code(text, name)
    try:
        # the parser shows lines of errors from a file of the name that it is given, so it gets none of the archive's
        return ast.parse(text, "<archive>")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        line = getattr(problem, "lineno", None)
        why = getattr(problem, "msg", None) or str(problem) or "it is nested too deeply"
        place = "" if line is None else f", line {line}"
        raise ArchiveError(f"{name}{place}: the archive's code cannot be parsed: {why}") from None


@contextmanager
def contained(what: str, place: Callable[[], Span | None]) -> Iterator[None]:
    """Errors of ours for whatever goes wrong inside, at `place`, when code of an archive is compiled.

    Code that TorchScript's own printer wrote does not get here: the checks that it passes stand at their places.
    """
    try:
        yield
    except LinstockError:
        raise
    except RecursionError:
        raise CompileError(f"{what} is nested too deeply to be compiled", place()) from None
    except _STRAY as problem:
        why = f"{type(problem).__name__}: {str(problem)[:200]}" if str(problem) else type(problem).__name__
        raise CompileError(f"{what} is not valid TorchScript ({why})", place()) from problem
