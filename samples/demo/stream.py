"""Second process, without the model's source: load, run over a stream chunk by chunk, export to ONNX and run that.
`stream.py FOLDER`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import onnxruntime
from rich.console import Console
from rich.progress import track
from rich.table import Table

import linstock as torch
from linstock import jit, onnx

SAMPLE_RATE, CHUNK = 16000, 512


def audio(seconds: float = 6.0) -> np.ndarray:
    """A synthesised stream: silence, noise, and vowel-like harmonics with the rhythm of syllables."""
    rng = np.random.default_rng(3)
    t = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    pitch = 120 + 15 * np.sin(2 * np.pi * 0.7 * t)
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    voice = sum(np.sin(k * phase) * np.exp(-(((k * 120 - 600) / 700) ** 2)) for k in range(1, 25))
    rhythm = np.clip(np.sin(2 * np.pi * 2.5 * t), 0, 1)
    speaking = ((t > 1.5) & (t < 3.0)) | ((t > 4.2) & (t < 5.5))
    noise = 0.02 * rng.standard_normal(t.size) * (t > 0.5)
    return (0.25 * voice * rhythm * speaking + noise).astype(np.float32)


def main(folder: str) -> None:
    console = Console()
    started = time.perf_counter()
    model = jit.load(Path(folder) / "vad.pt").eval()
    front = jit.load(Path(folder) / "front_end.pt").eval()
    loaded = time.perf_counter() - started
    chunks = audio()[: SAMPLE_RATE * 6 // CHUNK * CHUNK].reshape(-1, 1, CHUNK)
    state = np.zeros((1, 48), np.float32)

    example = (torch.from_numpy(chunks[-1]), torch.from_numpy(state), torch.from_numpy(state))
    target = Path(folder) / "vad.onnx"
    onnx.export(
        model,
        example,
        target,
        input_names=["chunk", "hidden", "memory"],
        output_names=["probability", "hidden_out", "memory_out"],
    )
    session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])

    difference, ours, theirs, speaking = 0.0, [], [], []
    h, c = torch.from_numpy(state), torch.from_numpy(state)
    feed = {"hidden": state, "memory": state}
    with torch.no_grad():
        for chunk in track(chunks, "streaming", console=console, transient=True):
            begin = time.perf_counter()
            p, h, c = model(torch.from_numpy(chunk), h, c)
            middle = time.perf_counter()
            q, feed["hidden"], feed["memory"] = session.run(None, {"chunk": chunk, **feed})
            theirs.append(time.perf_counter() - middle)
            ours.append(middle - begin)
            difference = max(
                difference, float(np.abs(p.numpy() - q).max()), float(np.abs(h.numpy() - feed["hidden"]).max())
            )
            speaking.append(float(p))
        features = front(torch.from_numpy(chunks[-1]))

    table = Table(title=f"{len(chunks)} chunks of {CHUNK} samples ({len(chunks) * CHUNK / SAMPLE_RATE:.1f} s of audio)")
    for column in ("engine", "median per chunk", "worst", "x real time"):
        table.add_column(column, justify="left" if column == "engine" else "right")
    for name, times in (("linstock, array kernels", ours), ("ONNX Runtime, exported model", theirs)):
        times = times[5:]
        table.add_row(
            name,
            f"{np.median(times) * 1e3:.2f} ms",
            f"{max(times) * 1e3:.2f} ms",
            f"{CHUNK / SAMPLE_RATE / np.median(times):.0f}",
        )
    console.print(
        f"loaded both archives in {loaded * 1e3:.0f} ms; the traced front end gives features {list(features.shape)}"
    )
    console.print(
        f"probability over the stream: min {min(speaking):.3f}, max {max(speaking):.3f}; chunks of silence skipped: {speaking.count(0.0)}"
    )
    console.print(table)
    console.print(
        f"largest difference between linstock and ONNX Runtime, probability and carried state: {difference:.2e}"
    )
    if not difference < 1e-4:
        raise SystemExit("the two engines disagree")


if __name__ == "__main__":
    main(sys.argv[1])
