"""Arithmetic on sizes and element types that the rules share. None stands for unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.shapes.registry import Call, Size, Sizes


# -- sizes ------------------------------------------------------------------------------------------
def wrap(dim: int | None, rank: int) -> int | None:
    """A dimension's number counted from the front, None if there is no such dimension."""
    if dim is None or not -max(rank, 1) <= dim < max(rank, 1):
        return None
    return dim + rank if dim < 0 and rank else max(dim, 0) if rank else 0


def product(call: Call, sizes: Iterable[Size]) -> Size:
    """The product of sizes: a number if all are known, the one name if the rest is 1, else a new name."""
    number, names = 1, []
    for n in sizes:
        if isinstance(n, int):
            number *= n
        else:
            names.append(n)
    if number == 0 or not names:
        return number
    return names[0] if number == 1 and len(names) == 1 else call.facts.fresh()


def plus(call: Call, a: Size, b: Size) -> Size:
    """The sum of two sizes."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return a if b == 0 else b if a == 0 else call.facts.fresh()


def broadcast(call: Call, *shapes: Sizes | None) -> Sizes | None:
    """The shape that shapes are broadcast to; None if one is unknown, or if they cannot be."""
    if not shapes or any(s is None for s in shapes):
        return None
    given = [s for s in shapes if s is not None]
    rank = max(map(len, given))
    result: list[Size] = []
    for i in range(rank):
        dims = [s[i - rank + len(s)] for s in given if i - rank + len(s) >= 0]
        size = _common(call, dims)
        if size is None:
            return None
        result.append(size)
    return tuple(result)


def _common(call: Call, dims: Sequence[Size]) -> Size | None:
    """A name may stand for 1: with a number above 1 the result is the number, with another name it is unknown."""
    numbers = {n for n in dims if isinstance(n, int) and n != 1}
    names = {n for n in dims if isinstance(n, str)}
    if len(numbers) > 1:
        return None
    if numbers:
        return numbers.pop()
    if not names:
        return 1
    return names.pop() if len(names) == 1 else call.facts.fresh()


def replace(sizes: Sizes, dim: int, size: Size) -> Sizes:
    """The sizes with one of them replaced."""
    return (*sizes[:dim], size, *sizes[dim + 1 :])


def drop(sizes: Sizes, dims: Iterable[int], keep: bool = False) -> Sizes:
    """The sizes without some dimensions, or with 1 there."""
    gone = set(dims)
    if keep:
        return tuple(1 if i in gone else n for i, n in enumerate(sizes))
    return tuple(n for i, n in enumerate(sizes) if i not in gone)


def window(
    call: Call, size: Size, kernel: int, stride: int, padding: int, dilation: int = 1, ceil: bool = False
) -> Size:
    """The number of places of a sliding window."""
    if not isinstance(size, int):
        return call.facts.fresh()
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil else 0)) // stride + 1
    if ceil and (count - 1) * stride >= size + padding:
        count -= 1
    return max(count, 0)


# -- element types ----------------------------------------------------------------------------------
BOOL, LONG, FLOAT, DOUBLE = dtypes.bool_.code, dtypes.int64.code, dtypes.float32.code, dtypes.float64.code


def is_float(code: int) -> bool:
    return dtypes.by_code(code).is_floating_point


def is_complex(code: int) -> bool:
    return bool(dtypes.by_code(code).is_complex)


def is_integral(code: int) -> bool:
    """Integers and bool."""
    return not is_float(code) and not is_complex(code)


def to_real(code: int | None) -> int | None:
    """The element type of the parts of complex numbers."""
    return {dtypes.complex64.code: FLOAT, dtypes.complex128.code: DOUBLE}.get(code, code) if code is not None else None


def to_float(call: Call, code: int | None) -> int | None:
    """The result of operators that compute in floating point: integers become the default type."""
    return None if code is None else call.facts.default_dtype if is_integral(code) else code


def number_dtype(call: Call, t: T.Type) -> int | None:
    """The element type that a Python number has in promotion."""
    if t == T.BOOL:
        return BOOL
    if t == T.INT:
        return LONG
    if t == T.FLOAT:
        return call.facts.default_dtype
    if t == T.COMPLEX:
        return dtypes.complex128.code if call.facts.default_dtype == DOUBLE else dtypes.complex64.code
    return None


def promoted(call: Call, *operands: T.Type) -> int | None:
    """PyTorch's result type: tensors with dimensions before tensors without before numbers; a lower class counts only
    by its category.
    """
    classes: list[list[int]] = [[], [], []]  # tensors with dimensions, without, numbers
    for t in operands:
        code = t.dtype if isinstance(t, T.TensorType) else number_dtype(call, t)
        if code is None:
            return None
        classes[2 if not isinstance(t, T.TensorType) else 1 if t.rank == 0 else 0].append(code)
    unranked = any(isinstance(t, T.TensorType) and t.rank is None for t in operands)
    if unranked and len({*classes[0], *classes[1]}) > 1:
        return None  # it depends on whether a tensor has dimensions
    try:
        groups = [_promote_all(group) for group in classes]
    except TypeError:
        return None
    return _combine(groups[0], _combine(groups[1], groups[2]))


def _promote_all(codes: Sequence[int]) -> int | None:
    found: int | None = None
    for c in codes:
        found = c if found is None else dtypes.promote_codes(found, c)
    return found


def _category(code: int) -> int:
    return 3 if is_complex(code) else 2 if is_float(code) else 1 if code != BOOL else 0


def _combine(higher: int | None, lower: int | None) -> int | None:
    if higher is None or lower is None:
        return lower if higher is None else higher
    if is_complex(higher):
        return higher
    if is_float(higher):
        if not is_complex(lower):
            return higher
        return dtypes.complex128.code if higher == DOUBLE else dtypes.complex64.code
    if higher == BOOL or _category(lower) >= 2:
        return dtypes.promote_codes(higher, lower)
    return higher
