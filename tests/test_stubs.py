"""The generated files of the repository are current."""

from __future__ import annotations

from pathlib import Path

import linstock
from linstock import stubs


def test_front_door_stub_is_current() -> None:
    stub = Path(linstock.__file__).with_suffix(".pyi").read_text()
    assert stub == stubs.text(), "run `python -m linstock.stubs`"
    assert "def conv2d(*args: Any, **kwargs: Any) -> Tensor: ..." in stub
