"""The operator table: every known operator's schemas, parsed when first looked up."""

from __future__ import annotations

import difflib
import importlib
from functools import cache

from linstock.ir.schema import Schema, parse_schema

#: in the order in which overloads of one name are tried: tensors before lists before numbers
FAMILIES = (
    "pointwise", "reduction", "view", "indexing", "linalg", "conv", "pooling", "norm", "attention", "rnn", "loss", "random",
    "factory", "sorting", "fft", "special", "quantized", "control", "container", "scalar",
)  # fmt: skip


@cache
def _index() -> dict[str, list[tuple[str, str]]]:
    """name -> [(schema line, family)], without parsing the lines."""
    index: dict[str, list[tuple[str, str]]] = {}
    for family in FAMILIES:
        for line in importlib.import_module(f"linstock.ir.ops.{family}").SCHEMAS.splitlines():
            if line:
                index.setdefault(line[: line.index("(")].partition(".")[0], []).append((line, family))
    return index


@cache
def _full_index() -> dict[str, tuple[str, str]]:
    return {line[: line.index("(")]: (line, family) for rows in _index().values() for line, family in rows}


@cache
def _parsed(line: str) -> Schema:
    return parse_schema(line)


@cache
def schemas(name: str) -> tuple[Schema, ...]:
    """The overloads of an operator ("aten::add"), in the order in which they are tried; empty if unknown."""
    return tuple(_parsed(line) for line, _ in _index().get(name, ()))


def lines(name: str) -> list[str]:
    """The schema lines of an operator, not yet parsed, in the order in which they are tried; empty if unknown."""
    return [line for line, _ in _index().get(name, ())]


def parsed(line: str) -> Schema:
    """The schema of one of the table's lines."""
    return _parsed(line)


def is_known(name: str) -> bool:
    """Whether an operator of this name ("aten::add") exists."""
    return name in _index()


def schema(full_name: str) -> Schema:
    """The schema of one overload ("aten::add.Tensor"). Raises KeyError."""
    return _parsed(_full_index()[full_name][0])


def has_schema(full_name: str) -> bool:
    """Whether this very overload exists."""
    return full_name in _full_index()


def family(full_name: str) -> str:
    """The family that an overload belongs to. Raises KeyError."""
    return _full_index()[full_name][1]


def names() -> tuple[str, ...]:
    """All operator names, without overloads."""
    return tuple(_index())


def full_names() -> tuple[str, ...]:
    """All overloads' full names."""
    return tuple(_full_index())


def nearest(name: str, count: int = 3) -> list[str]:
    """Known operator names most like `name`."""
    return difflib.get_close_matches(name, names(), count, 0.6)
