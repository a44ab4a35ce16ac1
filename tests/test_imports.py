"""The rooms import each other only along the arrows of DESIGN.md: every import is looked at, those inside functions
too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: room -> the rooms that it may import (besides itself)
ARROWS: dict[str, set[str]] = {
    "ir": set(),
    "tracer": {"ir"},
    "passes": {"ir"},
    "backends": {"ir", "passes"},
    "runtime": {"ir", "tracer", "passes", "backends"},
    "linstock": {"ir", "tracer", "passes", "backends", "runtime"},
}
ROOMS = set(ARROWS) - {"linstock"}


def room_of(module: str) -> str | None:
    """The room of an imported module of ours; the front door for anything else under `linstock`."""
    first, _, rest = module.partition(".")
    if first != "linstock":
        return None
    name = rest.partition(".")[0]
    return name if name in ROOMS else "linstock"


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every import in a file: statements anywhere, and `import_module("…")` with a name written
    out.
    """
    tree = ast.parse(path.read_text(), str(path))
    package = package_of(path)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
            if base == "linstock":
                yield from ((node.lineno, f"linstock.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            name = (
                function.attr
                if isinstance(function, ast.Attribute)
                else function.id
                if isinstance(function, ast.Name)
                else ""
            )
            module = _leading_text(node.args[0])
            if name in ("import_module", "__import__") and module:
                yield node.lineno, module


def _leading_text(node: ast.expr) -> str:
    """A string, or what an f-string begins with."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
        return str(node.values[0].value)
    return ""


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).parent.parts
    return ".".join(parts if parts[0] == "linstock" else ("linstock", *parts))


@pytest.mark.parametrize("room", ARROWS)
def test_arrows(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, module in imported(path)
        if (target := room_of(module)) is not None and target != room and target not in ARROWS[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_but_tests_imports_torch() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {module}"
        for room in ARROWS
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, module in imported(path)
        if module.partition(".")[0] == "torch"
    ]
    assert not wrong, "\n".join(wrong)


def test_the_check_sees_imports_in_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    room = tmp_path / "ir"
    room.mkdir()
    (room / "bad.py").write_text(
        "def f():\n    from linstock import runtime\n    import linstock.passes.inline\n    from ..tracer import x\n"
        "    import_module(f'linstock.backends.{f}')\n"
    )
    found = [room_of(module) for _, module in imported(room / "bad.py")]
    assert found == ["runtime", "passes", "tracer", "backends"]
