"""`linstock.special`: special functions, made from the operator table when first used."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from linstock.runtime.resolve import in_namespace

    found = None if name.startswith("__") else in_namespace("special_", name)
    if found is None:
        raise AttributeError(f"module 'linstock.special' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from linstock.ir import operators

    prefix = "aten::special_"
    return sorted(n[len(prefix) :] for n in operators.names() if n.startswith(prefix))
