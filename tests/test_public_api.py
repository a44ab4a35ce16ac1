"""Public names resolve, have docstrings, and are PyTorch's."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import linstock as ls

NAMES = [
    "Tensor", "Size", "dtype", "device", "layout", "memory_format", "Generator", "finfo", "iinfo", "tensor",
    "as_tensor", "from_numpy", "from_dlpack", "is_tensor", "zeros", "ones", "empty", "full", "arange", "linspace",
    "eye", "rand", "randn", "randint", "randperm", "cat", "stack", "split", "chunk", "where", "einsum", "meshgrid",
    "broadcast_tensors", "norm", "unique", "stft", "istft", "cdist", "tensordot", "matmul", "allclose", "add", "mul",
    "relu", "softmax", "sum", "mean", "max", "sort", "topk", "manual_seed", "get_default_dtype", "set_default_dtype",
    "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "is_grad_enabled", "set_num_threads",
    "get_num_threads", "set_printoptions", "quantize_per_tensor", "promote_types", "result_type", "can_cast",
    "UntypedStorage",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_resolve_and_are_documented(name: str) -> None:
    found = getattr(ls, name)
    assert callable(found) and found.__doc__
    assert name in dir(ls)


@pytest.mark.parametrize(
    "name", ["linalg", "fft", "special", "autograd", "ops", "random", "testing", "utils", "cuda", "jit"]
)
def test_namespaces_are_documented(name: str) -> None:
    assert getattr(ls, name).__doc__


def test_dtypes_and_constants() -> None:
    assert ls.float is ls.float32 and ls.long is ls.int64 and repr(ls.bool) == "linstock.bool"
    assert ls.strided is ls.zeros(1).layout and ls.inf == float("inf")
    assert ls.device("cuda:1").index == 1 and ls.Size([2, 3]).numel() == 6
    assert ls.finfo(ls.float16).max == 65504 and ls.iinfo(ls.int8).min == -128
    assert isinstance(ls.ones(1), ls.FloatTensor) and not isinstance(ls.ones(1), ls.LongTensor)


def test_methods_and_functions_come_from_the_operator_table() -> None:
    for name in ("relu", "add_", "sum", "view", "masked_fill", "index_put_", "log_softmax"):
        assert callable(getattr(ls.Tensor, name)) and getattr(ls.Tensor, name).__doc__
        assert name in dir(ls.Tensor)
    assert callable(ls.linalg.solve) and "solve" in dir(ls.linalg)
    assert "add" in dir(ls.ops.aten) and "Tensor" in ls.ops.aten.add.overloads()
    with pytest.raises(AttributeError):
        ls.no_such_operator  # noqa: B018
    with pytest.raises(AttributeError, match="do you mean"):
        ls.ops.aten.reluu  # noqa: B018


def test_results_with_names() -> None:
    found = ls.ones(2, 3).max(1)
    assert found.values is found[0] and found._fields == ("values", "indices")
    assert type(found) is ls.return_types.max
    assert repr(found).startswith("linstock.return_types.max(\nvalues=")


def test_assert_close_says_how_much() -> None:
    ls.testing.assert_close([ls.ones(2), 1.0], [ls.ones(2), 1.0])
    with pytest.raises(AssertionError, match=r"Mismatched elements: 1 / 2 \(50.0%\)"):
        ls.testing.assert_close(ls.tensor([1.0, 2.0]), ls.tensor([1.0, 2.5]))
    with pytest.raises(AssertionError, match="dtype"):
        ls.testing.assert_close(ls.ones(1), ls.ones(1, dtype=ls.float64))


def test_default_dtype_and_seed() -> None:
    ls.set_default_dtype(ls.float64)
    try:
        assert ls.zeros(1).dtype is ls.float64 and ls.tensor(1.5).dtype is ls.float64
    finally:
        ls.set_default_dtype(ls.float32)
    ls.manual_seed(3)
    first = ls.rand(2)
    ls.manual_seed(3)
    assert ls.rand(2).tolist() == first.tolist()
    assert ls.rand(2, generator=ls.Generator().manual_seed(3)).tolist() == first.tolist()
    state = ls.get_rng_state()
    a = ls.randn(3)
    ls.set_rng_state(state)
    assert a.tolist() == ls.randn(3).tolist()


def test_import_loads_no_operators() -> None:
    code = (
        "import sys, linstock; linstock.__version__; "
        "print([m for m in ('numpy', 'lark', 'scipy', 'linstock.ir.operators') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def _public(module: Any) -> list[str]:
    return [n for n in dir(module) if not n.startswith("_")]


def test_every_listed_name_exists() -> None:
    missing = []
    for name in _public(ls):
        if name in ("nn", "onnx", "optim", "save", "load"):
            continue
        try:
            getattr(ls, name)
        except AttributeError:
            missing.append(name)
    assert not missing
