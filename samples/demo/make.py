"""First process: define the model, script it, trace its front end, save both. `make.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from model import CHUNK, VoiceActivity

import linstock as torch
from linstock import jit


def main(folder: str) -> None:
    torch.manual_seed(7)
    model = VoiceActivity().eval()
    scripted = jit.script(model)
    jit.save(scripted, Path(folder) / "vad.pt")
    traced = jit.trace(model.front, torch.randn(1, CHUNK))
    jit.save(traced, Path(folder) / "front_end.pt")
    print("scripted:", scripted.original_name, "with a branch and a loop; traced:", traced.original_name)
    print("    " + "\n    ".join(scripted.code.strip().split("\n")[:16]) + "\n    ...")


if __name__ == "__main__":
    main(sys.argv[1])
