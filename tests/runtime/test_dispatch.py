"""Operators over runtime values: derived variants, identity of results, recording, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linstock as ls
from linstock.backends.array import derive
from linstock.ir import operators
from linstock.ir.errors import MissingKernelError
from linstock.runtime.dispatch import operator
from linstock.runtime.modes import recording


def test_operator_takes_schema_order_and_defaults() -> None:
    add = operator("aten::add.Tensor")
    x = ls.ones(2)
    assert add(x, x).tolist() == [2, 2] and add(x, x, 3).tolist() == [4, 4]
    assert operator("aten::add.Tensor") is add
    with pytest.raises(KeyError):
        operator("aten::add.Nothing")
    with pytest.raises(TypeError, match="argument 'other'"):
        add(x, 3)


def test_in_place_variants_write_into_the_argument() -> None:
    base = ls.zeros(2, 3)
    row = base[0]
    assert operator("aten::add_.Scalar")(row, 2) is row
    assert base.tolist() == [[2, 2, 2], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        ls.arange(2).add_(1.5)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        ls.ones(3).add_(ls.ones(2, 3))
    with pytest.raises(RuntimeError, match="single memory location"):
        ls.ones(1).expand(3).add_(1)


def test_out_variants_fill_and_resize() -> None:
    x = ls.ones(2, 3)
    for out in (ls.zeros(2, 3), ls.zeros(0)):
        assert ls.add(x, x, out=out) is out
        assert out.tolist() == [[2, 2, 2], [2, 2, 2]]
    values, indices = ls.zeros(0), ls.zeros(0, dtype=ls.int64)
    found = ls.max(x, 1, out=(values, indices))
    assert found.values is values and found.indices is indices and values.tolist() == [1, 1]
    assert ls.zeros(2, out=ls.ones(2, dtype=ls.int32)).dtype is ls.int32
    with pytest.raises(RuntimeError, match="can't be cast"):
        ls.add(x, x, out=ls.zeros(2, 3, dtype=ls.int64))


def test_repointing_operators_keep_the_tensor() -> None:
    x = ls.arange(6).view(2, 3)
    assert x.t_() is x and x.shape == (3, 2)
    assert x.unsqueeze_(0) is x and x.shape == (1, 3, 2)


def test_results_that_are_the_argument() -> None:
    x = ls.ones(2)
    for same in (x.contiguous(), x.to(ls.float32), x.flatten(), x.real, x.cpu(), ls.dropout(x, 0.5, False)):
        assert same is x
    for other in (x.detach(), x.view(2), x.view_as(x), x.expand(2), x[...], x.reshape(2), ls.ops.aten.alias(x)):
        assert other is not x and other.data_ptr() == x.data_ptr()


def test_alias_and_copy_variants() -> None:
    x = ls.tensor([-1.5, 2.0])
    assert ls.absolute(x).tolist() == [1.5, 2] and ls.multiply(x, 2).tolist() == [-3, 4]
    copy = ls.ops.aten.t_copy(ls.ones(2, 3))
    assert copy.shape == (3, 2)


def test_missing_kernels_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = next(n for n in operators.full_names() if not derive.has_kernel(n) and "::" in n)
    with pytest.raises(MissingKernelError, match=r"has no kernel here.*add a kernel with"):
        derive.kernel_of(missing)


class Log:
    """A recorder that notes what it hears."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def record(self, schema: Any, arguments: tuple[Any, ...], outputs: Any) -> None:
        assert len(arguments) == len(schema.arguments)
        self.calls.append((schema.full_name, arguments, outputs))

    def shape(self, tensor: Any, sizes: Any) -> Any:
        self.calls.append(("shape", (tensor,), sizes))
        return sizes

    def concrete(self, kind: str, tensor: Any, value: Any) -> Any:
        self.calls.append((kind, (tensor,), value))
        return value


def test_a_recorder_hears_every_operator_and_what_leaves_the_tensors() -> None:
    log = Log()
    x = ls.ones(2, 3)
    with recording(log):
        y = (x + 1)[0].relu_()
        int(y.sum())
        y.shape  # noqa: B018
        y.detach()
    names = [c[0] for c in log.calls]
    assert names == [
        "aten::add.Scalar", "aten::select.int", "aten::relu_", "aten::sum", "int", "shape", "aten::detach",
    ]  # fmt: skip
    assert log.calls[1][1] == (log.calls[0][2], 0, 0) and log.calls[2][2] is y
    x + 1
    assert len(log.calls) == 7


def test_every_overload_with_a_kernel_can_be_bound() -> None:
    unbound = []
    for name in operators.full_names()[::7]:
        if derive.has_kernel(name):
            try:
                operator(name)
            except Exception as error:
                unbound.append((name, error))
    assert not unbound


def test_numbers_of_other_libraries_are_taken() -> None:
    x = ls.ones(2)
    assert ls.add(x, np.float32(1)).tolist() == [2, 2]
    assert x.sum(np.int64(0)).item() == 2
    assert ls.full((2,), ls.tensor(3.0)).tolist() == [3, 3]
