"""Lay the rooms out as they are installed, as links, so that mypy can follow the imports: `typed_tree.py build/typed`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOMS = ("ir", "tracer", "passes", "backends", "runtime")


def main(target: str) -> None:
    """Make `target/linstock` with links to the front door's files and to every room."""
    root = Path(__file__).resolve().parent.parent
    package = Path(target) / "linstock"
    package.mkdir(parents=True, exist_ok=True)
    wanted = {p.name: p for p in (root / "linstock").iterdir() if p.name != "__pycache__"}
    wanted |= {room: root / room for room in ROOMS}
    for old in package.iterdir():
        if old.name not in wanted:
            old.unlink()
    for name, source in wanted.items():
        link = package / name
        if not link.exists():
            link.symlink_to(source)


if __name__ == "__main__":
    main(sys.argv[1])
