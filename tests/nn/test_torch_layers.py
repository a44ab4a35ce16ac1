"""PyTorch's own layers, scripted by linstock: they give PyTorch's numbers."""

from __future__ import annotations

import warnings

import pytest

import linstock
from tests.nn.layer_table import ROWS, Row, arrays_of
from tests.nn.test_layers import check, tensors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.interop
#: an encoder with a padding mask takes PyTorch's way over nested tensors, which linstock has not
CHOSEN = [r for r in ROWS if r.scriptable and not r.text.startswith(("TransformerEncoder(", "Transformer("))]


@pytest.mark.parametrize("row", CHOSEN, ids=[f"{i}-{r.text[:60]}" for i, r in enumerate(CHOSEN)])
def test_scripted_by_linstock(row: Row) -> None:
    torch.manual_seed(3)
    layer = row.make(torch.nn).train(row.training)
    with warnings.catch_warnings(), torch.no_grad(), linstock.no_grad():
        warnings.simplefilter("ignore")
        scripted = linstock.jit.script(layer)
        found = scripted(*tensors(arrays_of(row), linstock.from_numpy))
        if not row.training:  # else it has moved the running statistics that it shares with the layer
            check(found, layer(*tensors(arrays_of(row), torch.from_numpy)), 2e-5)
