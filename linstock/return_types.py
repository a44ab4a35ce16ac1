"""`linstock.return_types`: the named tuples that operators with several results give (`return_types.max`, ...)."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from linstock.ir import operators
    from linstock.runtime.resolve import result_class

    for schema in () if name.startswith("__") else operators.schemas(f"aten::{name}"):
        found = result_class(schema)
        if found is not None:
            return found
    raise AttributeError(f"module 'linstock.return_types' has no attribute {name!r}")
