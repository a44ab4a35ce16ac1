"""Comparison with PyTorch that also looks at strides and shared memory, over arrays laid out in several ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from linstock.backends.array.derive import kernel_of
from linstock.backends.array.memory import storage, storage_offset, strides_of
from linstock.ir import dtypes

from .oracle import difference, sample

Array = np.ndarray[Any, Any]

_CODES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 9: "complex64",
    10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip
_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")


def layouts(name: str, special: bool = True) -> Iterator[Array]:
    """Arrays of an element type: contiguous, transposed, sliced, expanded, channels last, scalar, empty."""

    def make(*shape: int) -> Array:
        values = sample(name, shape, seed=len(shape))
        if not special and values.dtype.kind not in "biu":
            values = np.where(np.isfinite(values.astype(np.complex128)), values, 2).astype(values.dtype)
        return values

    yield make(3, 4)
    yield make(2, 3, 4).transpose(2, 0, 1)
    yield make(6, 8)[1::2, ::2]
    yield np.ndarray((3, 4), make(3).dtype, make(3).view(np.uint8), 0, (make(3).itemsize, 0))
    yield make(2, 4, 5, 3).transpose(0, 3, 1, 2)
    yield make(5)
    yield make()
    yield make(0)
    yield make(2, 0, 3)


def _torch_argument(value: Any, kind: str, bases: dict[int, Any]) -> Any:
    torch = pytest.importorskip("torch")
    if isinstance(value, list):
        return [_torch_argument(v, kind, bases) for v in value]
    if isinstance(value, np.ndarray):
        root = storage(value)
        if id(root) not in bases:
            flat = root.reshape(-1) if root.flags.c_contiguous else root.ravel(order="K")
            bases[id(root)] = torch.from_numpy(flat.view(np.uint8).copy()).untyped_storage()
        dtype = getattr(torch, dtypes.from_numpy(value.dtype).name)
        steps = strides_of(value)
        return torch.empty(0, dtype=dtype).set_(bases[id(root)], storage_offset(value), value.shape, steps)
    if isinstance(value, int) and "ScalarType" in kind:
        return getattr(torch, _CODES[value])
    if isinstance(value, int) and "MemoryFormat" in kind:
        return getattr(torch, _FORMATS[value])
    return value


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _flat(v)
    else:
        yield value


def check(name: str, *arguments: Any, strides: bool = True) -> None:
    """Call a kernel and PyTorch's operator with all arguments in schema order; fail where anything differs.

    Compared are values, types, shapes, strides, which results share memory with which arguments and at which offset,
    and the arguments after the call. Where PyTorch raises, the kernel must raise too.
    """
    torch = pytest.importorskip("torch")
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    operator = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
    slots = operator._schema.arguments
    bases: dict[int, Any] = {}
    theirs = [_torch_argument(v, str(s.real_type), bases) for v, s in zip(arguments, slots)]
    keywords = {s.name: v for v, s in zip(theirs, slots) if s.kwarg_only}
    where = f"{name} of {[getattr(a, 'shape', a) for a in arguments]}"
    try:
        want = operator(*[v for v, s in zip(theirs, slots) if not s.kwarg_only], **keywords)
    except Exception:
        with np.errstate(all="ignore"), pytest.raises((RuntimeError, ValueError, IndexError, TypeError)):
            kernel_of(name)(*arguments)
        return
    with np.errstate(all="ignore"):
        got = kernel_of(name)(*arguments)
    problem = difference(got, want)
    assert problem is None, f"{name}{arguments}: {problem}"
    roots = {storage_.data_ptr(): key for key, storage_ in bases.items() if storage_.nbytes()}
    for theirs_, ours in zip(_flat(want), _flat(got), strict=True):
        if not isinstance(theirs_, torch.Tensor) or not theirs_.numel():
            continue
        if strides:
            steps = [(a, b) for a, b, n in zip(strides_of(ours), theirs_.stride(), ours.shape) if n > 1]
            assert all(a == b for a, b in steps), f"{where}: strides {strides_of(ours)}, expected {theirs_.stride()}"
        root = roots.get(theirs_.untyped_storage().data_ptr())
        if root is None:
            assert id(storage(ours)) not in roots.values(), f"{where}: the result shares memory with an argument"
        else:
            assert id(storage(ours)) == root, f"{where}: the result is not a view of its argument"
            assert storage_offset(ours) == theirs_.storage_offset(), f"{where}: offset {storage_offset(ours)}"
    for theirs_, ours in zip(_flat(theirs), _flat(list(arguments))):
        if isinstance(theirs_, torch.Tensor) and theirs_.shape == ours.shape:
            problem = difference(ours, theirs_)
            assert problem is None, f"{where}: the argument afterwards: {problem}"
