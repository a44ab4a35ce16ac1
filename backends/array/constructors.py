"""Constructors of elementwise kernels: each turns a NumPy function into a kernel with PyTorch's types and registers it.

A function is a NumPy ufunc (or anything called like one) or the name of one in `scipy.special`, which is imported when
it is first called.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from . import promotion as P
from .promotion import Array, DType, array, cast
from .registry import kernel

Function = Callable[..., Any]

_TYPE_NAMES = {
    0: "Byte", 1: "Char", 2: "Short", 3: "Int", 4: "Long", 5: "Half", 6: "Float", 7: "Double", 9: "ComplexFloat",
    10: "ComplexDouble", 11: "Bool", 15: "BFloat16", 23: "Float8_e5m2", 24: "Float8_e4m3fn", 27: "UInt16",
    28: "UInt32", 29: "UInt64",
}  # fmt: skip


def type_name(dtype: DType) -> str:
    """PyTorch's name of the type as its messages spell it ("Float", "Long")."""
    return _TYPE_NAMES[P.code_of(dtype)]


def unsupported(operator: str, dtype: DType) -> NoReturn:
    """Raise NotImplementedError: the operator does not take this element type."""
    raise NotImplementedError(f"\"{operator}\" not implemented for '{type_name(dtype)}'")


def scipy_special(name: str) -> Function:
    """The function of this name in `scipy.special`, or CuPy's for CuPy arrays, imported at its first call."""
    found: dict[bool, Function] = {}

    def call(x: Array, *rest: Any, **options: Any) -> Any:
        host = isinstance(x, np.ndarray)
        if host not in found:
            found[host] = getattr(importlib.import_module("scipy.special" if host else "cupyx.scipy.special"), name)
        return found[host](x, *rest, **options)

    return call


def short_name(names: tuple[str, ...]) -> str:
    """The operator's bare name ("add" of "aten::add.Tensor"), for messages."""
    return names[0].partition("::")[2].partition(".")[0]


def float_unary(*names: str, f: Function | str, complex_f: Function | None = None, low: bool = True) -> Function:
    """Register a function that is floating point throughout: integers become the default floating type.

    `complex_f` serves complex input, which is refused where there is none. float16 and bfloat16 go through float32.
    """
    function = scipy_special(f) if isinstance(f, str) else f
    what = short_name(names)

    def run(self: Array) -> Array:
        d = self.dtype
        if d is P.FLOAT32 or d is P.FLOAT64:
            return array(function(self))
        if d.kind == "c":
            if complex_f is None:
                unsupported(what, d)
            return array(complex_f(self))
        if not P.is_inexact(d):
            return run(self.astype(P.default_dtype()))
        if not P.is_low(d):
            return array(function(self))
        if not low:
            unsupported(what, d)
        return array(function(self.astype(P.FLOAT32))).astype(d)

    return kernel(*names)(run)


def rounding_unary(*names: str, f: Function) -> Function:
    """Register a rounding function: integers are copied, bool and complex refused."""
    what = short_name(names)

    def run(self: Array) -> Array:
        kind = self.dtype.kind
        if kind == "i" or kind == "u":
            return self.copy()
        if kind == "b" or kind == "c":
            unsupported(what, self.dtype)
        return array(f(P.wide(self))).astype(self.dtype, copy=False)

    return kernel(*names)(run)


def predicate_unary(*names: str, f: Function, integers: bool, complex_too: bool = True) -> Function:
    """Register a predicate over floating-point values; every integer gives `integers`."""
    what = short_name(names)

    def run(self: Array) -> Array:
        kind = self.dtype.kind
        if kind in "biu":
            return np.full_like(self, integers, dtype=P.BOOL)
        if kind == "c" and not complex_too:
            raise RuntimeError(f"{what} does not support complex inputs.")
        return array(f(P.wide(self)))

    return kernel(*names)(run)


def compute(function: Function, a: Any, b: Any, dtype: DType) -> Array:
    """The function of two operands cast to the type; the low-precision ones go on to float32 and are rounded once."""
    a, b = cast(a, dtype), cast(b, dtype)
    if P.is_low(dtype):
        return array(function(a.astype(P.FLOAT32), b.astype(P.FLOAT32))).astype(dtype)
    return array(function(a, b))


def compute_wide(function: Function, a: Any, b: Any, dtype: DType) -> Array:
    """As `compute`, but numbers and 0-dimensional operands keep float32's precision in a low-precision type.

    PyTorch does so in sums, products and quotients.
    """
    if P.is_low(dtype):
        return array(function(cast(a, P.FLOAT32), cast(b, P.FLOAT32))).astype(dtype)
    return array(function(cast(a, dtype), cast(b, dtype)))


def promoted(function: Function, a: Any, b: Any) -> Array:
    """The function of two operands in their promoted type."""
    ta = getattr(a, "dtype", None)
    tb = getattr(b, "dtype", None)
    if ta is tb:
        if ta is P.FLOAT32 or ta is P.FLOAT64 or ta is P.INT64:
            return array(function(a, b))
    elif type(b) is float:
        if ta is P.FLOAT32 or ta is P.FLOAT64:
            return array(function(a, b))
    elif type(a) is float and (tb is P.FLOAT32 or tb is P.FLOAT64):
        return array(function(a, b))
    return compute_wide(function, a, b, P.result_type(a, b))


def float_binary(
    *names: str, f: Function | str, integers: bool = True, complex_f: Function | None = None, low: bool = True
) -> Function:
    """Register a function of two operands that is floating point: integers become the default floating type.

    Integers (`integers=False`), complex (no `complex_f`) and float16/bfloat16 (`low=False`) may be refused.
    """
    function = scipy_special(f) if isinstance(f, str) else f
    what = short_name(names)

    def run(self: Any, other: Any) -> Array:
        common = P.result_type(self, other)
        dtype = P.floating(common) if integers else common
        if not P.is_inexact(dtype) or (not low and P.is_low(dtype)):
            unsupported(what, dtype)
        if dtype.kind == "c":
            if complex_f is None:
                unsupported(what, dtype)
            return compute(complex_f, self, other, dtype)
        return compute(function, self, other, dtype)

    return kernel(*names)(run)


def same_kind_binary(*names: str, f: Function, kinds: str) -> Function:
    """Register a function of two operands in their promoted type, which must be of one of the NumPy kinds ("biufc")."""
    what = short_name(names)

    def run(self: Any, other: Any) -> Array:
        dtype = P.result_type(self, other)
        if (dtype.kind if dtype.kind != "V" else "f") not in kinds:
            unsupported(what, dtype)
        return compute(f, self, other, dtype)

    return kernel(*names)(run)


def comparison(*names: str, f: Function, ordered: bool) -> Function:
    """Register a comparison: operands are promoted, the result is bool; an ordered one refuses complex."""
    what = short_name(names)

    def run(self: Any, other: Any) -> Array:
        dtype = P.result_type(self, other)
        if ordered and dtype.kind == "c":
            unsupported(what, dtype)
        return promoted_test(f, self, other, dtype)

    return kernel(*names)(run)


def promoted_test(function: Function, a: Any, b: Any, dtype: DType) -> Array:
    """A bool-valued function of two operands cast to the type (float32 for the low-precision ones)."""
    wide = P.wide_dtype(dtype)
    return array(function(cast(a, wide), cast(b, wide)))
