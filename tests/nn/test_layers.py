"""Every layer: the same numbers in Python, scripted, traced, saved and loaded; and as PyTorch gives them."""

from __future__ import annotations

import copy
import io
import warnings
from typing import Any

import numpy as np
import pytest

import linstock
from linstock import nn
from tests.nn.layer_table import ROWS, Row, arrays_of

IDS = [f"{i}-{r.text[:60]}" for i, r in enumerate(ROWS)]
rows = pytest.mark.parametrize("row", ROWS, ids=IDS)


def tensors(value: Any, make: Any) -> Any:
    """Arrays to tensors; tuples inside too."""
    if isinstance(value, np.ndarray):
        return make(value.copy())
    return tuple(tensors(v, make) for v in value) if isinstance(value, tuple) else value


def arrays(value: Any) -> list[np.ndarray]:
    """The tensors of a result as arrays, in order."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in arrays(v)]
    return [] if value is None else [value.detach().numpy()]


def check(found: Any, wanted: Any, tolerance: float = 1e-6) -> None:
    a, b = arrays(found), arrays(wanted)
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def made(row: Row) -> Any:
    linstock.manual_seed(3)
    return row.make(nn).train(row.training)


def call(layer: Any, row: Row) -> Any:
    """The layer's result on the row's inputs, by a copy: layers and inputs may be written to."""
    linstock.manual_seed(5)
    with linstock.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return layer(*tensors(arrays_of(row), linstock.from_numpy))


@rows
def test_scripted_and_saved(row: Row) -> None:
    if not row.scriptable:
        pytest.skip("takes what has no type in TorchScript")
    layer = made(row)
    wanted = call(copy.deepcopy(layer), row)
    scripted = linstock.jit.script(copy.deepcopy(layer))
    file = io.BytesIO()
    linstock.jit.save(scripted, file)
    check(call(scripted, row), wanted)
    file.seek(0)
    check(call(linstock.jit.load(file), row), wanted)


@rows
def test_traced(row: Row) -> None:
    layer = made(row)
    wanted = call(copy.deepcopy(layer), row)
    given = tuple(v for v in tensors(arrays_of(row), linstock.from_numpy))
    while given and given[-1] is None:
        given = given[:-1]
    if any(v is None or isinstance(v, bool) for v in given):
        pytest.skip("a trace takes tensors")
    with linstock.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = linstock.jit.trace(copy.deepcopy(layer), given, check_trace=False)
    assert not row.training or traced is not None
    if not row.training:
        check(call(traced, row), wanted)


@pytest.mark.interop
@rows
def test_like_torch(row: Row) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    theirs = row.make(torch.nn).train(row.training)
    ours = made(row)
    assert repr(ours) == repr(theirs)
    state = {k: v.detach().numpy() for k, v in theirs.state_dict().items()}
    own = ours.state_dict()
    assert list(own) == list(state)
    for k, v in state.items():  # the same generator draws in the same order
        np.testing.assert_allclose(own[k].numpy(), v, rtol=1e-6, atol=1e-7, err_msg=k)
    ours.load_state_dict(state)
    file = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if row.scriptable:
            linstock.jit.save(linstock.jit.script(copy.deepcopy(ours)), file)
        wanted = theirs(*tensors(arrays_of(row), torch.from_numpy))
        check(call(ours, row), wanted, 1e-5)
        if row.scriptable:
            reference = row.make(torch.nn).train(row.training)
            del reference
            file.seek(0)
            loaded = torch.jit.load(file)
            check(loaded(*tensors(arrays_of(row), torch.from_numpy)), wanted, 1e-5)


def _gradients(library: Any, row: Row) -> list[Any]:
    library.manual_seed(3)
    layer = row.make(library.nn).train(row.training)
    given = tensors(arrays_of(row), library.from_numpy)
    leaves = [t for t in _flat(given[:1]) if t.is_floating_point()]
    for t in leaves:
        t.requires_grad_()
    library.manual_seed(5)
    outputs = [o for o in _flat(layer(*given)) if o.requires_grad]
    if outputs:
        sum((o * o).sum() for o in outputs).backward()
    return [None if t.grad is None else t.grad.numpy() for t in [*leaves, *layer.parameters()]]


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in _flat(v)]
    return [] if value is None else [value]


@pytest.mark.interop
@pytest.mark.parametrize("row", [r for r in ROWS if "inplace" not in r.text], ids=lambda r: r.text[:60])
def test_gradients_like_torch(row: Row) -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in zip(_gradients(linstock, row), _gradients(torch, row), strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)
