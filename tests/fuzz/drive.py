"""Mutates archives and loads them, as often as wanted: `python -m tests.fuzz.drive --loads 100000 --seed 1`.

Loads run in forked workers, many per worker. One that crashes its worker, or hangs where no signal reaches it, is found
by its number, which the worker writes into shared memory beforehand. `--replay LEVEL:INDEX` repeats one load.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import pickle
import select
import signal
import struct
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import guard
from .corpus import load_corpus
from .levels import Levels

#: loads per worker, and seconds of processor time that one load may take where no signal reaches it
CHUNK, PATIENCE = 4000, 15.0


@dataclass
class Result:
    """What came of some loads."""

    loads: int = 0
    by_level: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    findings: dict[str, dict[str, Any]] = field(default_factory=dict)
    growth: int = 0

    def add_finding(self, key: str, level: str, index: int, text: str) -> bool:
        """Counts a finding; True if it is of a new kind."""
        known = self.findings.get(key)
        if known is None:
            self.findings[key] = {"count": 1, "first": f"{level}:{index}", "text": text}
            return True
        known["count"] += 1
        return False


def run_loads(
    levels: Levels, guarded: guard.Guard, level: str, start: int, stop: int, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Runs loads in this process. Gives counts, time and findings."""
    accepted, findings = 0, []
    began = time.process_time()
    for index in range(start, stop):
        progress(index)
        load = levels.load(level, index)
        outcome = Outcome(load)
        failure = guarded.run(outcome)
        accepted += outcome.accepted
        if failure is not None:
            findings.append((failure[0], level, index, failure[1]))
    return {"loads": stop - start, "seconds": time.process_time() - began, "accepted": accepted, "findings": findings}


class Outcome:
    """A load that remembers whether it succeeded."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self.load, self.accepted = load, False

    def __call__(self) -> None:
        self.load()
        self.accepted = True


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def _processor_time(process: int) -> float:
    """Seconds that a process has computed."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _worker(
    levels: Levels, guarded: guard.Guard, level: str, start: int, stop: int, place: mmap.mmap, pipe: int
) -> None:
    """A forked child: runs its loads, writes what came of them to the pipe."""
    guard.limit_memory()
    before = _resident()
    result = run_loads(
        levels, guarded, level, start, stop, lambda i: place.__setitem__(slice(0, 8), struct.pack("<q", i))
    )
    result["growth"] = _resident() - before
    with os.fdopen(pipe, "wb") as out:
        pickle.dump(result, out)


def drive(
    levels: Levels,
    guarded: guard.Guard,
    loads: int,
    total: Result,
    only: str | None = None,
    say: Callable[[str], None] = print,
    chunk: int = CHUNK,
    first: int = 0,
) -> Result:
    """Runs `loads` loads, spread over the levels by weight, each chunk in a worker of its own."""
    weights = {name: weight for name, (weight, _) in levels.table.items() if only in (None, name)}
    whole = sum(weights.values())
    ends = {name: first + max(1, loads * weight // whole) for name, weight in weights.items()}
    place = mmap.mmap(-1, 8)
    with guard.no_core_files():
        for level, start, stop in _chunks(dict.fromkeys(weights, first), ends, chunk):
            at = start
            while at < stop:
                at = _supervise(levels, guarded, level, at, stop, place, total, say)
    return total


def _chunks(starts: dict[str, int], ends: dict[str, int], chunk: int) -> Iterator[tuple[str, int, int]]:
    """Chunks of all levels in turn."""
    position = dict(starts)
    while True:
        left = [name for name in position if position[name] < ends[name]]
        if not left:
            return
        for name in left:
            size = chunk if name in ("container", "unpickler", "debug") else max(1, chunk // 8)
            stop = min(position[name] + size, ends[name])
            yield name, position[name], stop
            position[name] = stop


def _supervise(
    levels: Levels,
    guarded: guard.Guard,
    level: str,
    start: int,
    stop: int,
    place: mmap.mmap,
    total: Result,
    say: Callable[[str], None],
) -> int:
    """Runs one worker; gives the number of the next load, which is before `stop` if the worker died."""
    place[0:8] = struct.pack("<q", start)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            _worker(levels, guarded, level, start, stop, place, writing)
            code = 0
        except BaseException as error:
            os.write(2, f"worker failed: {error!r}\n".encode())
        finally:
            os._exit(code)
    os.close(writing)
    data, last, spent = b"", start, 0.0
    hanging = False
    while True:
        ready, _, _ = select.select([reading], [], [], 1.0)
        if ready:
            part = os.read(reading, 1 << 16)
            if not part:
                break
            data += part
            continue
        (now,) = struct.unpack("<q", place[0:8])
        if now != last:
            last, spent = now, _processor_time(child)
        elif _processor_time(child) - spent > PATIENCE:
            hanging = True
            os.kill(child, signal.SIGKILL)
            break
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if status == 0 and data:
        result = pickle.loads(data)
        total.loads += result["loads"]
        total.by_level[level] += result["loads"]
        total.seconds[level] += result["seconds"]
        total.accepted[level] += result["accepted"]
        total.growth = max(total.growth, result["growth"])
        for key, of, index, text in result["findings"]:
            if total.add_finding(f"{of}: {key}", of, index, text):
                say(f"FINDING {of}:{index} {key}\n{text}\n")
        return stop
    (index,) = struct.unpack("<q", place[0:8])
    key = f"{level}: hang in C" if hanging else f"{level}: crash, status {status}"
    if total.add_finding(f"{key} at {index}", level, index, key):
        say(f"FINDING {level}:{index} {key}")
    total.loads += index - start + 1
    total.by_level[level] += index - start + 1
    return index + 1


def _report(total: Result, seconds: float) -> str:
    lines = [
        f"{total.loads:,} loads in {seconds:.0f} s ({total.loads / max(seconds, 1e-9):,.0f}/s), {len(total.findings)} kinds of findings"
    ]
    for level, count in total.by_level.items():
        spent = total.seconds[level]
        rate = f"{count / spent:,.0f} per second of a core" if spent else "?"
        lines.append(f"  {level}: {count:,} at {rate}, {total.accepted[level]:,} accepted")
    lines.append(f"  memory of a worker grew by at most {total.growth / 1e6:.0f} MB")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz.drive", description="Load mutated archives.")
    parser.add_argument("--loads", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes; each takes its share with a seed of its own")
    parser.add_argument("--level", help="only this level")
    parser.add_argument("--replay", metavar="LEVEL:INDEX", help="repeat one load in this process, unguarded")
    parser.add_argument("--out", type=Path, help="write the result as JSON here, after every chunk of a million loads")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    levels = Levels(load_corpus(), options.seed)
    if options.replay:
        level, _, index = options.replay.partition(":")
        levels.load(level, int(index))()
        print("accepted")
        return 0
    children = []
    for job in range(1, options.jobs):
        child = os.fork()
        if child == 0:
            levels.seed, children = options.seed + 1000 * job, []
            break
        children.append(child)
    began, total, guarded = time.monotonic(), Result(), guard.Guard()
    share, step, first = options.loads // options.jobs, 200_000, 0
    while first < share:
        drive(
            levels,
            guarded,
            min(step, share - first),
            total,
            options.level,
            lambda text: print(text, flush=True),
            first=first,
        )
        first += step
        print(_report(total, time.monotonic() - began), flush=True)
        if options.out:
            facts = {
                "loads": total.loads,
                "by_level": total.by_level,
                "seconds": total.seconds,
                "findings": total.findings,
            }
            options.out.with_suffix(f".{levels.seed}.json").write_text(json.dumps(facts, indent=1))
    for child in children:
        os.waitpid(child, 0)
    return 1 if total.findings else 0


if __name__ == "__main__":
    sys.exit(main())
