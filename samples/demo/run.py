"""The demo: script and save a streaming voice-activity model in one process, load, run and export it in another."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print("1. one process defines, scripts, traces and saves", flush=True)
        subprocess.run([sys.executable, str(HERE / "make.py"), folder], check=True)
        for path in sorted(Path(folder).iterdir()):
            print(f"    {path.name}: {path.stat().st_size:,} bytes")
        print("2. another, which never sees the source, loads, streams and exports", flush=True)
        environment = {**os.environ, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        alone = Path(folder) / "stream.py"
        alone.write_text((HERE / "stream.py").read_text())
        subprocess.run([sys.executable, str(alone), folder], check=True, env=environment, cwd=folder)


if __name__ == "__main__":
    main()
