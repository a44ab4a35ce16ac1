"""Import, load and run a model once in a fresh process, linstock against PyTorch: `cold_start.py MODEL.pt
"lib.zeros(1, 512)" 16000`.

Inputs are Python expressions in which `lib` is the library.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

PROGRAM = """
import json, resource, sys, time
start = time.perf_counter()
import {name} as lib
model = lib.jit.load(sys.argv[1])
with lib.no_grad():
    model(*[eval(text) for text in sys.argv[2:]])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - start, time.process_time(), peak]))
"""


def once(name: str, arguments: list[str]) -> tuple[float, float, float]:
    """Seconds of wall clock, seconds of processor (interpreter start included), MB at the peak."""
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    wall, cpu, peak = json.loads(done.stdout.strip().splitlines()[-1])
    return wall, cpu, peak


def main(arguments: list[str]) -> None:
    for name in ("linstock", "torch"):
        once(name, arguments)  # bytecode is written
    runs = [(once("linstock", arguments), once("torch", arguments)) for _ in range(5)]
    for i, name in enumerate(("linstock", "torch")):
        wall, cpu, peak = (statistics.median(r[i][k] for r in runs) for k in range(3))
        print(f"{name:9} {wall:.2f} s, {cpu:.2f} s of processor time, {peak:.0f} MB at the peak")


if __name__ == "__main__":
    main(sys.argv[1:])
