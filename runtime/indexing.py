"""`x[...]` and `x[...] = v`: integers, slices, None, Ellipsis, booleans, and tensors of indices or masks, as
PyTorch."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.runtime.modes import get_mode
from linstock.runtime.tensor import Tensor, _operator, from_numpy

_cache: dict[str, Callable[..., Any]] = {}


def _op(name: str) -> Callable[..., Any]:
    found = _cache.get(name)
    if found is None:
        found = _cache[name] = _operator(name)
    return found


def get(self: Tensor, index: Any) -> Tensor:
    """What `self[index]` is: a view where all indices are plain, new memory where a tensor, list or mask selects."""
    kind = type(index)
    if kind is int:
        if self._array.ndim == 0:
            _no_dimensions()
        return _op("aten::select.int")(self, 0, _checked(self, 0, index))  # type: ignore[no-any-return]
    if kind is slice:
        return _slice(self, 0, index, keep=True)
    if index is Ellipsis:
        return _op("aten::alias")(self)  # type: ignore[no-any-return]
    if index is None:
        return _op("aten::unsqueeze")(self, 0)  # type: ignore[no-any-return]
    viewed, advanced = _apply(self, index)
    if advanced is not None:
        return _op("aten::index.Tensor")(viewed, advanced)  # type: ignore[no-any-return]
    return _op("aten::alias")(viewed) if viewed is self else viewed


def put(self: Tensor, index: Any, value: Any) -> None:
    """Write `self[index] = value`, broadcasting the value."""
    kind = type(index)
    if kind is int:
        if self._array.ndim == 0:
            _no_dimensions()
        viewed, advanced = _op("aten::select.int")(self, 0, _checked(self, 0, index)), None
    elif kind is slice:
        viewed, advanced = _slice(self, 0, index), None
    elif index is Ellipsis:
        viewed, advanced = self, None
    else:
        viewed, advanced = _apply(self, index)
    if isinstance(value, np.generic):
        value = value.item()
    elif not isinstance(value, (Tensor, bool, int, float, complex)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {self.type()}")
    if advanced is None:
        if isinstance(value, Tensor):
            _op("aten::copy_")(viewed, _without_leading_ones(value, viewed._array.ndim))
        else:
            _op("aten::fill_.Scalar")(viewed, value)
        return
    if not isinstance(value, Tensor):
        value = _scalar_of(value, viewed)
    elif value.dtype is not viewed.dtype:
        if value._array.ndim:
            raise RuntimeError(
                f"Index put requires the source and destination dtypes match, got {viewed.dtype} for the destination "
                "and "
                f"{value.dtype} for the source."
            )
        value = value.to(viewed.dtype)
    _op("aten::index_put_")(viewed, advanced, value)


def _scalar_of(value: Any, like: Tensor) -> Tensor:
    full = _op("aten::scalar_tensor")
    return full(value, like.dtype.code)  # type: ignore[no-any-return]


def _without_leading_ones(value: Tensor, ndim: int) -> Tensor:
    shape = value._array.shape
    extra = 0
    while len(shape) - extra > ndim and shape[extra] == 1:
        extra += 1
    return _op("aten::view")(value, list(shape[extra:])) if extra else value


def _no_dimensions() -> None:
    raise IndexError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor "
        "to a number"
    )


def _checked(self: Tensor, dim: int, index: int) -> int:
    size = self._array.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def _integer(value: Any) -> int:
    return value if isinstance(value, int) else python.index(value)


def _slice(self: Tensor, dim: int, s: slice, keep: bool = False) -> Tensor:
    """One slice as a view. A slice over everything is the tensor itself (`keep`: a view all the same)."""
    start, stop, step = s.start, s.stop, s.step
    if step is not None:
        step = _integer(step)
        if step == 0:
            raise ValueError("step cannot be zero")
        if step < 0:
            raise ValueError("step must be greater than zero")
    else:
        step = 1
    if self._array.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if start is not None:
        start = _integer(start)
    if stop is not None:
        stop = _integer(stop)
    if not keep and not start and stop is None and step == 1 and get_mode().recorder is None:
        return self
    return _op("aten::slice.Tensor")(self, dim, 0 if start is None else start, stop, step)  # type: ignore[no-any-return]


def _apply(self: Tensor, index: Any) -> tuple[Tensor, list[Any] | None]:
    """The view that the plain indices make, and the advanced indices for the dimensions of that view (None: there are
    none)."""
    items = index if type(index) is tuple else (index,)
    items = tuple([_converted(i) for i in items])
    specified = 0
    for i in items:
        if i is None or i is Ellipsis or isinstance(i, bool):
            continue
        specified += (
            i._array.ndim if isinstance(i, Tensor) and i._array.dtype.kind in "bu" and i.dtype.code in (0, 11) else 1
        )
    dims = self._array.ndim
    if specified > dims:
        if dims == 0:
            _no_dimensions()
        raise IndexError(f"too many indices for tensor of dimension {dims}")
    if sum(i is Ellipsis for i in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    view, dim = self, 0
    advanced: list[Any] = []
    for i in items:
        if isinstance(i, bool):
            view = _op("aten::unsqueeze")(view, dim)
            _place(advanced, dim, _mask_of(i))
            dim += 1
        elif isinstance(i, int):
            view = _op("aten::select.int")(view, dim, _checked(view, dim, i))
        elif isinstance(i, slice):
            view = _slice(view, dim, i)
            dim += 1
        elif i is None:
            view = _op("aten::unsqueeze")(view, dim)
            dim += 1
        elif i is Ellipsis:
            dim += dims - specified
        elif i._array.ndim == 0 and i.dtype.code in (1, 2, 3, 4, 27, 28, 29):
            view = _op("aten::select.int")(view, dim, _checked(view, dim, int(i)))
        elif i._array.ndim == 0 and i.dtype.code in (0, 11):
            view = _op("aten::unsqueeze")(view, dim)
            _place(advanced, dim, _mask_of(bool(i)))
            dim += 1
        else:
            if i.dtype.is_floating_point or i.dtype.is_complex:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            _place(advanced, dim, i)
            dim += i._array.ndim if i.dtype.code in (0, 11) else 1
    return view, _complete(advanced) if advanced else None


def _complete(advanced: list[Any]) -> list[Any]:
    """Masks of several dimensions stand for as many indices: their placeholders are dropped."""
    out: list[Any] = []
    skip = 0
    for i in advanced:
        if skip and i is None:
            skip -= 1
            continue
        out.append(i)
        skip = i._array.ndim - 1 if i is not None and i.dtype.code in (0, 11) else 0
    return out


def _place(advanced: list[Any], dim: int, index: Tensor) -> None:
    while len(advanced) < dim:
        advanced.append(None)
    advanced.append(index)


def _mask_of(value: bool) -> Tensor:
    made = object.__new__(Tensor)
    made._array, made._meta = np.array([value]), None
    return made


def _converted(i: Any) -> Any:
    """One index in a form that `_apply` knows: lists and arrays become tensors, integer-likes become ints."""
    if i is None or i is Ellipsis or isinstance(i, (int, slice, Tensor)):
        return i
    if isinstance(i, np.ndarray):
        return from_numpy(i)
    if isinstance(i, (list, tuple, range)):
        from linstock.runtime.creation import tensor

        made = tensor(list(i))
        return made if made._array.size else made.long()
    if isinstance(i, np.bool_):
        return bool(i)
    try:
        return python.index(i)
    except TypeError:
        raise (TypeError if isinstance(i, str) else IndexError)(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(i).__name__})"
        ) from None
