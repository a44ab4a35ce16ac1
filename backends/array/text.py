"""Strings: their methods, and values as text.

TorchScript's strings are bytes: lengths, positions and character classes count bytes of UTF-8. ASCII strings, where the
two agree, take Python's own methods; others are worked on as bytes (bytes that are no UTF-8 are kept as surrogates).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .registry import kernel
from .scalar import wrap64
from .text_tensor import tensor_text


def default_text(value: Any) -> str:
    """Text of a value that is no number, string or container: an array as a tensor prints, others by `str`."""
    return tensor_text(value) if isinstance(value, np.ndarray) else str(value)


#: how arrays, objects and enums are written; the runtime sets it to what knows them
format_value: Callable[[Any], str] = default_text


def float_text(value: float) -> str:
    """A float as TorchScript prints it: "1." for whole numbers, otherwise 17 significant digits."""
    if math.isfinite(value) and abs(value) < 9.2e18 and value == int(value):
        return f"{int(value)}."
    if math.isnan(value):
        return "-nan" if math.copysign(1, value) < 0 else "nan"
    return f"{value:.17g}"


def to_text(value: Any) -> str:
    """A value as TorchScript prints it (strings without quotes, floats by `float_text`)."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if value is None or kind is bool or kind is int:
        return str(value)
    if kind is float:
        return float_text(value)
    if kind is complex:
        imaginary = float_text(value.imag)
        return float_text(value.real) + ("" if imaginary.startswith("-") else "+") + imaginary + "j"
    if kind is list:
        return "[" + ", ".join(map(to_text, value)) + "]"
    if kind is dict:
        return "{" + ", ".join(f"{to_text(k)}: {to_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(to_text, value)) + (",)" if len(value) == 1 else ")")
    return format_value(value)


kernel("aten::str")(to_text)


@kernel("aten::format")
def format_(self: str, *arguments: Any) -> str:
    """The string with each "{}" replaced by an argument. Raises RuntimeError for too few of them."""
    parts = self.split("{}")
    if len(parts) - 1 > len(arguments):
        raise RuntimeError(f"Too few arguments for format string: {self}")
    return parts[0] + "".join(to_text(a) + rest for a, rest in zip(arguments, parts[1:]))


def _number(value: Any, key: str) -> Any:
    if isinstance(value, (int, float)):
        return value
    raise RuntimeError(f"%{key} requires a number for formatting, but got {type(value).__name__}")


def _whole(number: Any) -> int:
    """An int as it is; a float truncated to 32 bits (C's lowest number where it does not fit)."""
    if isinstance(number, float):
        return int(number) if -2147483649.0 < number < 2147483648.0 else -2147483648
    return int(number)


def _character(value: Any) -> str:
    if isinstance(value, str):
        if len(value) == 1:
            return value
    elif isinstance(value, int):
        return chr_(value)
    raise RuntimeError(f"%c requires an int or a string of one character for formatting, but got {value!r}")


@kernel("aten::percentFormat")
def percent_format(self: str, *arguments: Any) -> str:
    """The string with %d %i %f %F %e %E %c %s %% replaced. Raises RuntimeError for others and for wrong counts."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        arguments = arguments[0]
    out: list[str] = []
    used, start = 0, 0
    while (at := self.find("%", start)) >= 0:
        out.append(self[start:at])
        if at + 1 == len(self):
            raise RuntimeError("Incomplete format specifier")
        key, start = self[at + 1], at + 2
        if key == "%":
            out.append("%")
            continue
        if used >= len(arguments):
            raise RuntimeError("Too few arguments for format string")
        value, used = arguments[used], used + 1
        if key in "di":
            out.append(str(_whole(_number(value, key))))
        elif key in "fFeE":
            out.append(f"%{key}" % _number(value, key))
        elif key == "c":
            out.append(_character(value))
        elif key == "s":
            out.append(to_text(value))
        else:
            raise RuntimeError(f"The specifier %{key} is not supported in TorchScript format strings")
    if used < len(arguments):
        raise RuntimeError("Too many arguments for format string")
    return "".join(out) + self[start:]


# --- methods ----------------------------------------------------------------------------------------------------------


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(value: Any) -> Any:
    """Bytes, also in lists and tuples, as strings again."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (list, tuple)):
        return type(value)(_decode(v) for v in value)
    return value


def _method(name: str, of_bytes: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The method of ASCII strings, and its counterpart on bytes for others."""
    of_text = getattr(str, name)
    fallback = of_bytes or getattr(bytes, name)

    def run(self: str, *arguments: Any) -> Any:
        if self.isascii() and all(not isinstance(a, str) or a.isascii() for a in arguments):
            return of_text(self, *arguments)
        return _decode(fallback(_encode(self), *(_encode(a) if isinstance(a, str) else a for a in arguments)))

    return run


_SIMPLE = ("capitalize", "isalnum", "isalpha", "isdigit", "islower", "istitle", "isupper", "lower", "swapcase", "title")
for _name in (*_SIMPLE, "upper"):
    kernel(f"aten::{_name}")(_method(_name))
kernel("aten::isdecimal")(_method("isdecimal", bytes.isdigit))
kernel("aten::isnumeric")(_method("isnumeric", bytes.isdigit))


@kernel("aten::isspace")
def isspace(self: str) -> bool:
    """Whether there are only blanks (C's), and at least one."""
    return bool(self) and all(c in " \t\n\v\f\r" for c in self)


@kernel("aten::isidentifier")
def isidentifier(self: str) -> bool:
    """Whether the string is a letter followed by letters, digits and underscores."""
    return self.isascii() and self.isidentifier() and self[0] != "_"


@kernel("aten::isprintable")
def isprintable(self: str) -> bool:
    """Whether every character is a printable ASCII one."""
    return self.isascii() and self.isprintable()


def _searched(name: str) -> Callable[..., Any]:
    """A search between two positions; a negative end counts from behind the last character."""
    search = _method(name)

    def run(self: str, substr: str, start: int = 0, end: int = -1) -> Any:
        size = len_str(self)
        start = max(0, size + start) if start < 0 else start
        end = max(0, size + end + 1) if end < 0 else end
        try:
            return search(self, substr, start, end)
        except ValueError:
            raise RuntimeError("ValueError: substring not found") from None

    return run


for _name in ("count", "find", "rfind", "startswith", "endswith", "rindex"):
    kernel(f"aten::{_name}")(_searched(_name))
kernel("aten::index.str")(_searched("index"))


def _padded(name: str) -> Callable[..., str]:
    pad = _method(name)

    def run(self: str, width: int, fillchar: str = " ") -> str:
        if len_str(fillchar) != 1:
            raise RuntimeError("TypeError: The fill character must be exactly one character long")
        return pad(self, width, fillchar)  # type: ignore[no-any-return]

    return run


for _name in ("center", "ljust", "rjust"):
    kernel(f"aten::{_name}")(_padded(_name))


@kernel("aten::zfill")
def zfill(self: str, width: int) -> str:
    """The string filled with zeros on the left, before a sign too."""
    return "0" * (width - len_str(self)) + self


_BLANKS = " \n\t\f\v"
_strip, _lstrip, _rstrip = _method("strip"), _method("lstrip"), _method("rstrip")
kernel("aten::strip")(lambda self, chars=_BLANKS: _strip(self, chars))
kernel("aten::lstrip")(lambda self, chars=_BLANKS: _lstrip(self, chars))
kernel("aten::rstrip")(lambda self, chars=_BLANKS: _rstrip(self, chars))


@kernel("aten::replace")
def replace(self: str, old: str, new: str, max: int = -1) -> str:
    """The string with (at most `max`) occurrences replaced."""
    return self.replace(old, new, max)


@kernel("aten::split.str")
def split(self: str, separator: str | None = None, max: int = -1) -> list[str]:
    """The parts between separators (all blanks, if None). Raises RuntimeError for an empty separator."""
    if separator == "":
        raise RuntimeError("ValueError: empty separator")
    return self.split() if separator is None else self.split(separator, max)


@kernel("aten::rsplit")
def rsplit(self: str, separator: str = " ", max: int = -1) -> list[str]:
    """The parts between separators, split from the end. Raises RuntimeError for an empty separator."""
    if separator == "":
        raise RuntimeError("ValueError: empty separator")
    return self.rsplit(separator, max)


@kernel("aten::splitlines")
def splitlines(self: str, keepends: bool = False) -> list[str]:
    """The lines; a control character that ends one follows as an element of its own with `keepends`."""
    lines, start = [], 0
    for i, c in enumerate(self):
        if c in "\n\r\v\f\x1c\x1d\x1e\x85":
            lines += [self[start:i], c] if keepends else [self[start:i]]
            start = i + 1
    return lines + [self[start:]] if start < len(self) else lines


@kernel("aten::partition")
def partition(self: str, separator: str) -> tuple[str, str, str]:
    """Before, at and after the first separator."""
    return self.partition(separator) if separator else ("", "", self)


@kernel("aten::rpartition")
def rpartition(self: str, separator: str) -> tuple[str, str, str]:
    """Before, at and after the last separator."""
    return self.rpartition(separator) if separator else (self, "", "")


@kernel("aten::expandtabs")
def expandtabs(self: str, tabsize: int = 8) -> str:
    """The string with tabs replaced by blanks up to the next stop."""
    return self.expandtabs(tabsize)


@kernel("aten::join")
def join(self: str, values: list[str]) -> str:
    """The values with the string between them."""
    return self.join(values)


# --- characters -------------------------------------------------------------------------------------------------------


@kernel("aten::len.str")
def len_str(s: str) -> int:
    """The number of bytes."""
    return len(s) if s.isascii() else len(_encode(s))


@kernel("aten::__getitem__.str", "prim::StringIndex")
def str_getitem(s: str, index: int) -> str:
    """The character at a position. Raises IndexError outside the string."""
    size = len_str(s)
    if not -size <= index < size:
        raise IndexError(f"string index out of range: {index} of {size} characters")
    return s[index] if s.isascii() else str(_decode(_encode(s)[index : index + 1 or None]))


@kernel("aten::slice.str")
def str_slice(string: str, start: int | None = None, end: int | None = None, step: int = 1) -> str:
    """A part of a string. Raises RuntimeError for step 0."""
    if step == 0:
        raise RuntimeError("String slice should have non-zero step")
    if string.isascii():
        return string[start:end:step]
    return _decode(_encode(string)[start:end:step])  # type: ignore[no-any-return]


@kernel("aten::list")
def list_of_str(t: str) -> list[str]:
    """The characters of a string."""
    return list(t) if t.isascii() else [_decode(bytes([b])) for b in _encode(t)]


@kernel("aten::ord")
def ord_(string: str) -> int:
    """The code of a character. Raises RuntimeError for any other length."""
    data = _encode(string)
    if len(data) != 1:
        raise RuntimeError(f"String for ord() must be 1 character, found {len(data)}")
    return data[0]


@kernel("aten::chr")
def chr_(i: int) -> str:
    """The character of a code (its low byte)."""
    return _decode(bytes([i & 255]))  # type: ignore[no-any-return]


kernel("aten::hex")(lambda i: hex(wrap64(i)))
kernel("aten::oct")(lambda i: oct(wrap64(i)))
kernel("aten::bin")(lambda i: bin(wrap64(i)))
kernel("aten::add.str")(operator.add)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    kernel(f"aten::{_name}.str")(getattr(operator, _name))
