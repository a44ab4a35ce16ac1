"""Load time of archives, linstock against PyTorch: `load_time.py FILE...` (a zip's .pt members are loaded one by one)."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

import linstock

ROUNDS = 5


def archives(names: list[str], folder: Path) -> Iterator[Path]:
    """The files to load: those named, and the .pt members of zips that hold several."""
    for name in names:
        with zipfile.ZipFile(name) as z:
            members = [m for m in z.namelist() if m.endswith(".pt") and "/" not in m]
            if not members:
                yield Path(name)
            for member in members:
                target = folder / member
                target.write_bytes(z.read(member))
                yield target


def seconds(load: object, path: Path) -> float:
    start = time.perf_counter()
    load(path)  # type: ignore[operator]
    return time.perf_counter() - start


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        for path in track(list(archives(names, Path(folder))), "loading"):
            try:
                linstock.jit.load(path)
                torch.jit.load(str(path))
            except Exception as problem:
                refused.append((path.name, type(problem).__name__))
                continue
            times = [
                (seconds(linstock.jit.load, path), seconds(lambda p: torch.jit.load(str(p)), path))
                for _ in range(ROUNDS)
            ]
            ours, theirs = (statistics.median(t) for t in zip(*times, strict=True))
            rows.append((ours / theirs, path.name, ours, theirs))
    rows.sort()
    table = Table("archive", "linstock", "PyTorch", "ratio")
    for ratio, name, ours, theirs in [*rows[:3], *rows[-5:]] if len(rows) > 8 else rows:
        table.add_row(name, f"{ours * 1e3:.2f} ms", f"{theirs * 1e3:.2f} ms", f"{ratio:.2f}")
    console = Console()
    console.print(table)
    console.print(f"median ratio over {len(rows)} archives: {statistics.median(r[0] for r in rows):.2f}")
    for name, kind in refused:
        console.print(f"not loaded by both: {name} ({kind})")


if __name__ == "__main__":
    main(sys.argv[1:])
