"""Complex tensors as pairs of real ones: forms of the operators that take them.

Operators that move or add elements are applied to the real and the imaginary part; products, powers and transforms
have forms here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx import registry
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.pointwise import atan2, broadcast
from linstock.backends.onnx.values import Pair
from linstock.ir.errors import ExportError

REASON = "complex tensors are carried as pairs of real ones, and this operator has no form on pairs"
_REAL = {9: 6, 10: 7}
_COMPLEX = {6: 9, 7: 10}
_FORMS: dict[str, registry.Converter] = {}
#: operators that act on both parts alike
_PARTWISE = {
    "view",
    "reshape",
    "_unsafe_view",
    "view_as",
    "reshape_as",
    "flatten",
    "unflatten",
    "unsqueeze",
    "squeeze",
    "transpose",
    "permute",
    "t",
    "numpy_T",
    "mT",
    "movedim",
    "moveaxis",
    "expand",
    "expand_as",
    "broadcast_to",
    "repeat",
    "tile",
    "select",
    "slice",
    "narrow",
    "split",
    "split_with_sizes",
    "chunk",
    "unbind",
    "diagonal",
    "diag",
    "diag_embed",
    "flip",
    "fliplr",
    "flipud",
    "rot90",
    "roll",
    "unfold",
    "cat",
    "concat",
    "stack",
    "hstack",
    "vstack",
    "dstack",
    "index",
    "index_select",
    "gather",
    "take",
    "clone",
    "contiguous",
    "detach",
    "alias",
    "cpu",
    "neg",
    "negative",
    "positive",
    "sum",
    "mean",
    "cumsum",
    "diff",
    "tril",
    "triu",
    "add",
    "sub",
    "index_add",
    "scatter",
    "scatter_add",
    "swapaxes",
    "swapdims",
    "ravel",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "copy",
    "lift_fresh",
    "repeat_interleave",
    "masked_select",
    "slice_scatter",
    "select_scatter",
    "broadcast_tensors",
    "zeros_like",
    "new_zeros",
    "empty_like",
    "where",
    "trace",
}


def form(*names: str) -> Callable[[registry.F], registry.F]:
    """Register the form of operators on complex tensors."""

    def register(function: registry.F) -> registry.F:
        for name in registry.expand(names):
            _FORMS[name] = function
        return function

    return register


def find(full_name: str) -> registry.Converter | None:
    """The form of an operator on complex tensors, or None."""
    registry.load()
    found = _FORMS.get(full_name)
    if found is not None:
        return found
    base, dot, overload = full_name.partition(".")
    if base.endswith("_") and not base.endswith("__"):
        return find(base[:-1] + dot + overload)
    if base.removeprefix("aten::") in _PARTWISE:
        convert = registry.find(full_name)
        return None if convert is None else lambda b, *args: _partwise(b, convert, args)
    return None


def constant(b: Builder, array: Any) -> Pair:
    """A known complex array or number as a pair."""
    array = np.asarray(array)
    code = 10 if array.dtype == np.complex128 else 9
    return Pair(b.constant(np.ascontiguousarray(array.real)), b.constant(np.ascontiguousarray(array.imag)), code)


def as_pair(b: Builder, value: Any, code: int) -> Pair:
    """Any tensor or number as a pair of this complex type."""
    real = _REAL[code]
    if isinstance(value, Pair):
        return Pair(b.cast(value.real, real), b.cast(value.imag, real), code)
    if isinstance(value, complex):
        return Pair(b.constant(value.real, real), b.constant(value.imag, real), code)
    part = b.cast(value, real)
    return Pair(part, b.constant(0.0, real), code)


def _code(values: Sequence[Any]) -> int:
    """The complex type of an operation."""
    wide = any(isinstance(v, Pair) and v.dtype == 10 for v in values) or any(
        isinstance(v, Sym) and v.dtype == 7 and not v.number for v in values
    )
    return 10 if wide else 9


def _zero_like(b: Builder, x: Sym, like: Sym) -> Sym:
    return b.expand_to(b.constant(0.0, like.dtype), x)


def _partwise(b: Builder, convert: registry.Converter, args: Sequence[Any]) -> Any:
    """Apply a real converter to both parts; real floating operands beside complex ones have an imaginary part of zero."""
    flat = [v for a in args for v in (a if isinstance(a, list) else [a])]
    code = _code(flat)

    def part(value: Any, imaginary: bool) -> Any:
        if isinstance(value, list):
            return [part(v, imaginary) for v in value]
        if isinstance(value, Pair):
            pair = as_pair(b, value, code)
            return pair.imag if imaginary else pair.real
        if isinstance(value, complex):
            return value.imag if imaginary else value.real
        if isinstance(value, Sym) and value.floating:
            real = b.cast(value, _REAL[code])
            return _zero_like(b, real, real) if imaginary else real
        return value

    real, imag = (convert(b, *[part(a, i) for a in args]) for i in (False, True))
    if isinstance(real, list):
        return [Pair(r, i, code) for r, i in zip(real, imag, strict=True)]
    return Pair(real, imag, code)


# -- parts -------------------------------------------------------------------------------------------------------------
form("real")(lambda b, x: x.real)
form("imag")(lambda b, x: x.imag)


@form("view_as_real", "view_as_real_copy")
def _view_as_real(b: Builder, x: Pair) -> Sym:
    rank = b.rank(x.real)
    imag = x.imag if x.imag.shape == x.real.shape else b.expand_to(x.imag, x.real)
    return b.op("Concat", b.unsqueeze(x.real, rank), b.unsqueeze(imag, rank), axis=rank)


@registry.converter("view_as_complex", "view_as_complex_copy")
def _view_as_complex(b: Builder, x: Sym) -> Pair:
    last = b.rank(x) - 1
    return Pair(b.gather(x, 0, last), b.gather(x, 1, last), _COMPLEX[x.dtype])


@registry.converter("complex")
def _complex(b: Builder, real: Sym, imag: Sym) -> Pair:
    return Pair(*_same_shape(b, *b.promote(real, imag)), _COMPLEX[b.common(real, imag)])


def _same_shape(b: Builder, x: Sym, y: Sym) -> tuple[Sym, Sym]:
    if x.shape == y.shape:
        return x, y
    both = broadcast(b, [x, y])
    return both[0], both[1]


@registry.converter("polar")
def _polar(b: Builder, size: Sym, angle: Sym) -> Pair:
    return Pair(b.op("Mul", size, b.op("Cos", angle)), b.op("Mul", size, b.op("Sin", angle)), _COMPLEX[size.dtype])


@form("conj", "conj_physical")
def conj(b: Builder, x: Pair) -> Pair:
    """The conjugate."""
    return Pair(x.real, b.op("Neg", x.imag), x.dtype)


registry.converter("conj")(lambda b, x: x)
form("resolve_conj", "resolve_neg", "to.dtype_layout", "to.device", "to.dtype", "to.prim_Device")(
    lambda b, x, *args: _to(b, x, args)
)


def _to(b: Builder, x: Pair, args: Sequence[Any]) -> Any:
    code = next((a for a in args[:2] if isinstance(a, int) and not isinstance(a, bool)), None)
    if code is None or code == x.dtype:
        return x
    return as_pair(b, x, code) if code in _REAL else b.cast(x.real, code)


@registry.converter("imag")
def _imag_of_real(b: Builder, x: Sym) -> Sym:
    raise ExportError("imag() of a real tensor", b.span)


def converted(b: Builder, x: Sym, code: int) -> Any:
    """A real tensor in another element type, which may be complex."""
    if code not in _REAL:
        return b.cast(x, code)
    real = b.cast(x, _REAL[code])
    return Pair(real, _zero_like(b, real, real), code)


# -- arithmetic --------------------------------------------------------------------------------------------------------
def _both(b: Builder, x: Any, y: Any) -> tuple[Pair, Pair, int]:
    code = _code([x, y])
    return as_pair(b, x, code), as_pair(b, y, code), code


def product(b: Builder, x: Pair, y: Pair) -> Pair:
    """x * y."""
    real = b.op("Sub", b.op("Mul", x.real, y.real), b.op("Mul", x.imag, y.imag))
    imag = b.op("Add", b.op("Mul", x.real, y.imag), b.op("Mul", x.imag, y.real))
    return Pair(real, imag, x.dtype)


def _is_real(value: Any) -> bool:
    return not isinstance(value, (Pair, complex))


@form("mul.Tensor|Scalar")
def mul(b: Builder, x: Any, y: Any) -> Pair:
    """x * y, with one multiplication per part if either is real."""
    code = _code([x, y])
    for pair, other in ((x, y), (y, x)):
        if isinstance(pair, Pair) and _is_real(other):
            p, factor = as_pair(b, pair, code), b.cast(other, _REAL[code])
            return Pair(b.op("Mul", p.real, factor), b.op("Mul", p.imag, factor), code)
    p, q, _ = _both(b, x, y)
    return product(b, p, q)


def _squared_size(b: Builder, x: Pair) -> Sym:
    return b.op("Add", b.op("Mul", x.real, x.real), b.op("Mul", x.imag, x.imag))


@form("div.Tensor|Scalar")
def div(b: Builder, x: Any, y: Any) -> Pair:
    """x / y."""
    p, q, code = _both(b, x, y)
    if _is_real(y):
        return Pair(b.op("Div", p.real, q.real), b.op("Div", p.imag, q.real), code)
    top, size = product(b, p, conj(b, q)), _squared_size(b, q)
    return Pair(b.op("Div", top.real, size), b.op("Div", top.imag, size), code)


form("reciprocal")(lambda b, x: div(b, complex(1), x))
form("rsub.Tensor|Scalar")(lambda b, x, y, alpha=1: _added(b, y, x, -alpha))
form("add.Tensor|Scalar")(lambda b, x, y, alpha=1: _added(b, x, y, alpha))
form("sub.Tensor|Scalar")(lambda b, x, y, alpha=1: _added(b, x, y, -alpha))
form("square")(lambda b, x: product(b, x, x))


def _added(b: Builder, x: Any, y: Any, alpha: Any) -> Pair:
    p, q, code = _both(b, x, y)
    if alpha not in (1, -1):
        q, alpha = mul(b, q, alpha), 1
    kind = "Add" if alpha == 1 else "Sub"
    real, imag = b.op(kind, p.real, q.real), b.op(kind, p.imag, q.imag)
    return Pair(*_same_shape(b, real, imag), code)


@form("abs", "absolute")
def size_of(b: Builder, x: Pair) -> Sym:
    """The absolute value."""
    return b.op("Sqrt", _squared_size(b, x))


form("angle")(lambda b, x: atan2(b, x.imag, x.real))


@form("exp")
def _exp(b: Builder, x: Pair) -> Pair:
    size = b.op("Exp", x.real)
    return Pair(b.op("Mul", size, b.op("Cos", x.imag)), b.op("Mul", size, b.op("Sin", x.imag)), x.dtype)


@form("log")
def _log(b: Builder, x: Pair) -> Pair:
    return Pair(b.op("Log", size_of(b, x)), atan2(b, x.imag, x.real), x.dtype)


@form("pow.Tensor_Scalar")
def _pow(b: Builder, x: Pair, exponent: Any) -> Pair:
    if not isinstance(exponent, Sym) and exponent == 2:
        return product(b, x, x)
    if isinstance(exponent, complex):
        raise ExportError("a complex power of a complex tensor", b.span)
    size = b.op("Pow", size_of(b, x), float(exponent))
    angle = b.op("Mul", atan2(b, x.imag, x.real), float(exponent))
    return Pair(b.op("Mul", size, b.op("Cos", angle)), b.op("Mul", size, b.op("Sin", angle)), x.dtype)


form("sqrt")(lambda b, x: _pow(b, x, 0.5))


@form("sgn")
def _sgn(b: Builder, x: Pair) -> Pair:
    size = size_of(b, x)
    safe = b.op("Where", b.op("Equal", size, 0), 1.0, size)
    return Pair(b.op("Div", x.real, safe), b.op("Div", x.imag, safe), x.dtype)


@form("matmul", "mm", "bmm", "linalg_matmul", "mv", "dot")
def matmul(b: Builder, x: Any, y: Any) -> Pair:
    """The matrix product."""
    p, q, code = _both(b, x, y)
    if _is_real(x):
        return Pair(b.op("MatMul", p.real, q.real), b.op("MatMul", p.real, q.imag), code)
    if _is_real(y):
        return Pair(b.op("MatMul", p.real, q.real), b.op("MatMul", p.imag, q.real), code)
    real = b.op("Sub", b.op("MatMul", p.real, q.real), b.op("MatMul", p.imag, q.imag))
    imag = b.op("Add", b.op("MatMul", p.real, q.imag), b.op("MatMul", p.imag, q.real))
    return Pair(real, imag, code)


@form("eq.Tensor|Scalar")
def _eq(b: Builder, x: Any, y: Any) -> Sym:
    p, q, _ = _both(b, x, y)
    return b.op("And", b.op("Equal", p.real, q.real), b.op("Equal", p.imag, q.imag))


form("ne.Tensor|Scalar")(lambda b, x, y: b.op("Not", _eq(b, x, y)))
form("ones_like")(
    lambda b, x, dtype=None, *rest: Pair(
        b.expand_to(b.constant(1.0, x.real.dtype), x.real), _zero_like(b, x.real, x.real), x.dtype
    )
)
form("isfinite")(lambda b, x: b.op("Less", b.op("Add", b.op("Abs", x.real), b.op("Abs", x.imag)), math.inf))
form("isnan")(lambda b, x: b.op("Or", b.op("IsNaN", x.real), b.op("IsNaN", x.imag)))


@form("masked_fill.Scalar")
def _masked_fill(b: Builder, x: Pair, mask: Sym, value: Any) -> Pair:
    fill = as_pair(b, complex(value), x.dtype)
    return Pair(b.op("Where", mask, fill.real, x.real), b.op("Where", mask, fill.imag, x.imag), x.dtype)


@form("linalg_vector_norm")
def _vector_norm(
    b: Builder, x: Pair, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: int | None = None
) -> Sym:
    from linstock.backends.onnx.linalg import vector_norm

    return vector_norm(b, size_of(b, x), p, dim, keepdim)
