"""`linstock.save` and `linstock.load` of plain values, and exchange with PyTorch's files."""

from __future__ import annotations

import io
from typing import Any

import pytest

import linstock as ls
from linstock.ir.errors import ArchiveError
from linstock.runtime.tensor import Parameter


def test_values_come_back() -> None:
    shared = ls.arange(6.0).view(2, 3)
    value = {
        "row": shared[1], "all": shared, "list": [1, 2.5, "x", None, (True,)], "size": ls.Size([2]),
        "parameter": Parameter(ls.ones(2)), "half": ls.ones(2, dtype=ls.bfloat16),
    }  # fmt: skip
    file = io.BytesIO()
    file.write(b"head")
    ls.save(value, file)
    file.seek(4)
    found = ls.load(file)
    assert found["list"] == value["list"] and isinstance(found["size"], ls.Size)
    assert type(found["parameter"]) is Parameter and found["parameter"].requires_grad
    assert found["half"].dtype is ls.bfloat16
    found["all"][1] = 0
    assert found["row"].tolist() == [0, 0, 0]
    with pytest.raises(ArchiveError):
        ls.save(object(), io.BytesIO())


@pytest.mark.interop
def test_files_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(3, 2)
    file = io.BytesIO()
    torch.save({"state": model.state_dict(), "weight": model.weight}, file)
    file.seek(0)
    found: Any = ls.load(file, map_location="cpu")
    assert found["state"]["weight"].tolist() == model.weight.tolist() and type(found["weight"]) is Parameter
    back = io.BytesIO()
    ls.save(found, back)
    back.seek(0)
    again = torch.load(back, weights_only=True)
    assert isinstance(again["weight"], torch.nn.Parameter) and torch.equal(again["state"]["bias"], model.bias)
    whole = io.BytesIO()
    torch.save(model, whole)
    whole.seek(0)
    with pytest.raises(ArchiveError, match="Linear"):
        ls.load(whole)
