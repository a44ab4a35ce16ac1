"""Linear algebra, part one: products of matrices and vectors, and what is built from them.

Norms and distances are in `linalg_norm.py`, integrals and statistics in `linalg_stats.py`, factorisations in
`linalg_decomp.py`, solvers and functions of matrices in `linalg_solve.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from linstock.ir import dtypes

from . import promotion as P
from .constructors import type_name, unsupported
from .memory import wrap, wrap_all
from .promotion import FLOAT32, Array, DType, array, cast
from .registry import kernel


def same_type(what: str, *arrays: Array) -> None:
    """Raise RuntimeError unless all arrays have one element type."""
    first = arrays[0].dtype
    for a in arrays[1:]:
        if a.dtype != first:
            raise RuntimeError(
                f"{what}: expected arguments of the same dtype, but got {type_name(first)} and {type_name(a.dtype)}"
            )


def _rank(what: str, name: str, a: Array, ndim: int) -> None:
    if a.ndim != ndim:
        raise RuntimeError(f"{what}: expected {name} to be a {ndim}-D tensor, but it has {a.ndim} dimensions")


def matrix_product(a: Array, b: Array) -> Array:
    """`a @ b` of one element type; float16 and bfloat16 are computed in float32 and rounded once."""
    dtype = a.dtype
    if dtype.itemsize <= 2:
        if dtype.kind == "b":
            unsupported("matmul", dtype)
        if P.is_low(dtype):
            return array(np.matmul(a.astype(FLOAT32), b.astype(FLOAT32))).astype(dtype)
    return array(np.matmul(a, b))


def _wide_product(a: Array, b: Array) -> Array:
    if a.dtype.kind == "b":
        unsupported("addmm", a.dtype)
    return array(np.matmul(P.wide(a), P.wide(b)))


@kernel("aten::matmul", "aten::linalg_matmul")
def matmul(self: Array, other: Array) -> Array:
    """Matrix product with batch dimensions broadcast; a vector is a row on the left, a column on the right."""
    m, n = self.ndim, other.ndim
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if self.dtype != other.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {dtypes.from_numpy(self.dtype).name} != "
            f"{dtypes.from_numpy(other.dtype).name}"
        )
    if self.shape[-1] != other.shape[-2 if n > 1 else 0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, self.shape))} and "
            f"{'x'.join(map(str, other.shape))})"
        )
    if n <= 2 < m:  # one large product instead of one per batch entry
        folded = self.reshape(math.prod(self.shape[:-1]), self.shape[-1])
        return matrix_product(folded, other).reshape(self.shape[:-1] + other.shape[1:])
    try:
        return matrix_product(self, other)
    except ValueError:
        raise RuntimeError(
            f"the batch dimensions of {self.shape} and {other.shape} cannot be broadcast together"
        ) from None


@kernel("aten::mm")
def mm(self: Array, mat2: Array) -> Array:
    """Product of two matrices."""
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if self.ndim != 2 else 'mat2'} must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({self.shape[0]}x{self.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )
    if self.dtype != mat2.dtype:
        same_type("mm", self, mat2)
    return matrix_product(self, mat2)


@kernel("aten::bmm")
def bmm(self: Array, mat2: Array) -> Array:
    """Products of two batches of matrices."""
    if self.ndim != 3 or mat2.ndim != 3:
        raise RuntimeError(f"batch{1 if self.ndim != 3 else 2} must be a 3D tensor")
    if self.shape[0] != mat2.shape[0] or self.shape[2] != mat2.shape[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{self.shape[0]}, {self.shape[2]}] but got: [{mat2.shape[0]}, {mat2.shape[1]}]."
        )
    if self.dtype != mat2.dtype:
        same_type("bmm", self, mat2)
    return matrix_product(self, mat2)


@kernel("aten::mv")
def mv(self: Array, vec: Array) -> Array:
    """Product of a matrix and a vector."""
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {vec.ndim}")
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape[0]}), mat ({self.shape}), vec ({vec.shape[0]})")
    same_type("mv", self, vec)
    return matrix_product(self, vec)


@kernel("aten::linear")
def linear(input: Array, weight: Array, bias: Array | None = None) -> Array:
    """`input @ weight.T + bias` over the last dimension of the input."""
    k = input.shape[-1] if input.ndim else 0
    if input.ndim == 0 or weight.ndim not in (1, 2) or k != weight.shape[-1]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({input.shape} and {weight.shape} transposed)")
    dtype = input.dtype
    if dtype != weight.dtype or (bias is not None and dtype != bias.dtype):
        same_type("linear", input, weight, *([] if bias is None else [bias]))
    if dtype.itemsize <= 2:
        low = P.is_low(dtype)
        if low:
            wide = linear(P.wide(input), P.wide(weight), None if bias is None else P.wide(bias))
            return wide.astype(dtype)
        if dtype.kind == "b":
            unsupported("addmm", dtype)
    if input.ndim <= 2:
        out = array(np.matmul(input, weight.T))
    else:
        rows = input.reshape(math.prod(input.shape[:-1]), k)
        out = np.matmul(rows, weight.T).reshape(input.shape[:-1] + weight.shape[:-1])
    if bias is not None:
        if out.ndim >= bias.ndim:
            out += bias
        else:
            out = out + bias
    return out


def scaled_sum(self: Array, product: Array, beta: Any, alpha: Any, dtype: DType, what: str = "addmm") -> Array:
    """`beta * self + alpha * product`, rounded to the dtype once. A `beta` of 0 ignores `self`, NaN and all.

    The factors are cast to the dtype first: with integers 1.5 counts as 1. The product is overwritten.
    """
    wide, shape = product.dtype, self.shape
    if alpha != 1:
        product *= cast(alpha, wide)
    fits = len(shape) <= product.ndim
    if fits and beta != 0:
        if wide is not dtype:
            self = self.astype(wide)
        if beta != 1:
            self = self * cast(beta, wide)
        try:
            product += self
        except ValueError:
            fits = False
    elif fits:
        fits = all(m == n or m == 1 for m, n in zip(reversed(shape), reversed(product.shape)))
    if not fits:
        raise RuntimeError(
            f"{what}: The expanded size of the tensor {product.shape} must match the existing size {shape}"
        )
    return product.astype(dtype, copy=False)


@kernel("aten::addmm")
def addmm(self: Array, mat1: Array, mat2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """`beta * self + alpha * (mat1 @ mat2)`."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        bad = ("mat1", mat1) if mat1.ndim != 2 else ("mat2", mat2)
        raise RuntimeError(f"{bad[0]} must be a matrix, got {bad[1].ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )
    dtype = self.dtype
    if dtype != mat1.dtype or dtype != mat2.dtype:
        same_type("addmm", mat1, mat2, self)
    return scaled_sum(self, _wide_product(mat1, mat2), beta, alpha, dtype)


@kernel("aten::addmv")
def addmv(self: Array, mat: Array, vec: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """`beta * self + alpha * (mat @ vec)`."""
    if mat.ndim != 2 or vec.ndim != 1 or self.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({self.shape}), mat ({mat.shape}), vec ({vec.shape})")
    same_type("addmv", mat, vec, self)
    return scaled_sum(self, _wide_product(mat, vec), beta, alpha, self.dtype, "addmv")


def _check_batches(what: str, batch1: Array, batch2: Array) -> None:
    for i, b in enumerate((batch1, batch2)):
        if b.ndim != 3:
            raise RuntimeError(f"batch{i + 1} must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0] or batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{batch1.shape[0]}, {batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}]."
        )


@kernel("aten::baddbmm")
def baddbmm(self: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """`beta * self + alpha * (batch1 @ batch2)` for batches of matrices."""
    _check_batches("baddbmm", batch1, batch2)
    same_type("baddbmm", self, batch1, batch2)
    return scaled_sum(self, _wide_product(batch1, batch2), beta, alpha, self.dtype, "baddbmm")


@kernel("aten::addbmm")
def addbmm(self: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """`beta * self + alpha * sum over the batch of (batch1 @ batch2)`."""
    _check_batches("addbmm", batch1, batch2)
    same_type("addbmm", self, batch1, batch2)
    rows = batch1.shape[1]
    joined1 = batch1.transpose(1, 0, 2).reshape(rows, -1)
    joined2 = batch2.reshape(-1, batch2.shape[2])
    return scaled_sum(self, _wide_product(joined1, joined2), beta, alpha, self.dtype, "addbmm")


@kernel("aten::mm.dtype")
def mm_dtype(self: Array, mat2: Array, out_dtype: int) -> Array:
    """Product of two matrices in a wider element type."""
    d = dtypes.numpy_of(out_dtype)
    return mm(self.astype(d), mat2.astype(d))


@kernel("aten::bmm.dtype")
def bmm_dtype(self: Array, mat2: Array, out_dtype: int) -> Array:
    """Products of two batches of matrices in a wider element type."""
    d = dtypes.numpy_of(out_dtype)
    return bmm(self.astype(d), mat2.astype(d))


@kernel("aten::addmm.dtype")
def addmm_dtype(self: Array, mat1: Array, mat2: Array, out_dtype: int, beta: Any = 1, alpha: Any = 1) -> Array:
    """`addmm` in a wider element type."""
    d = dtypes.numpy_of(out_dtype)
    return addmm(self.astype(d), mat1.astype(d), mat2.astype(d), beta, alpha)


@kernel("aten::baddbmm.dtype")
def baddbmm_dtype(self: Array, batch1: Array, batch2: Array, out_dtype: int, beta: Any = 1, alpha: Any = 1) -> Array:
    """`baddbmm` in a wider element type."""
    d = dtypes.numpy_of(out_dtype)
    return baddbmm(self.astype(d), batch1.astype(d), batch2.astype(d), beta, alpha)


def _check_vectors(what: str, a: Array, b: Array) -> None:
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{what} : expected both vectors to have same dtype, but found {type_name(a.dtype)} and "
            f"{type_name(b.dtype)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            "inconsistent tensor size, expected tensor "
            f"[{a.shape[0]}] and src [{b.shape[0]}] to have the same number of elements, but got "
            f"{a.shape[0]} and {b.shape[0]} elements respectively"
        )


@kernel("aten::dot")
def dot(self: Array, tensor: Array) -> Array:
    """Sum of the products of two vectors' elements."""
    _check_vectors("dot", self, tensor)
    return matrix_product(self, tensor)


@kernel("aten::vdot")
def vdot(self: Array, other: Array) -> Array:
    """`dot` with the first vector conjugated."""
    _check_vectors("vdot", self, other)
    return matrix_product(np.conj(self) if self.dtype.kind == "c" else self, other)


@kernel("aten::linalg_vecdot")
def linalg_vecdot(x: Array, y: Array, dim: int = -1) -> Array:
    """Dot products along a dimension of two broadcast tensors, the first conjugated."""
    same_type("linalg.vecdot", x, y)
    if not P.is_inexact(x.dtype):
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}"
        )
    if x.dtype.kind == "c":
        x = np.conj(x)
    axis = wrap(dim, max(x.ndim, y.ndim)) - max(x.ndim, y.ndim)
    if x.ndim == 0 and y.ndim == 0:
        return array(x * y)
    return array(np.sum(multiply(P.wide(x), P.wide(y)), axis=axis)).astype(x.dtype, copy=False)


def multiply(a: Array, b: Array) -> Array:
    """Broadcast product. Raises RuntimeError where the shapes do not broadcast."""
    try:
        return array(np.multiply(a, b))
    except ValueError:
        raise RuntimeError(f"the shapes {a.shape} and {b.shape} cannot be broadcast together") from None


def promoted_product(a: Array, b: Array) -> Array:
    """Broadcast product in the promoted type."""
    dtype = P.result_type(a, b)
    wide = P.wide_dtype(dtype)
    return multiply(cast(a, wide), cast(b, wide)).astype(dtype, copy=False)


@kernel("aten::outer", "aten::ger")
def outer(self: Array, vec2: Array) -> Array:
    """Products of every pair of elements of two vectors."""
    for name, v in (("self", self), ("vec2", vec2)):
        _rank("outer", name, v, 1)
    return promoted_product(self[:, None], vec2)


@kernel("aten::addr")
def addr(self: Array, vec1: Array, vec2: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """`beta * self + alpha * outer(vec1, vec2)`."""
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        _rank("addr", name, v, 1)
    dtype = P.result_type(self, vec1, vec2)
    if dtype.kind == "b":
        if isinstance(beta, (float, complex)) or isinstance(alpha, (float, complex)):
            raise RuntimeError("For integral input tensors, argument beta must not be a floating point number.")
        left = self & bool(beta)
        return array(np.broadcast_to(left, (vec1.size, vec2.size)) | ((vec1[:, None] & vec2) & bool(alpha)))
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if dtype.kind in "iu" and isinstance(factor, (float, complex)):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    wide = P.wide_dtype(dtype)
    return scaled_sum(self.astype(dtype), cast(vec1, wide)[:, None] * cast(vec2, wide), beta, alpha, dtype, "addr")


@kernel("aten::inner")
def inner(self: Array, other: Array) -> Array:
    """Sums of products over the last dimension of both."""
    if self.ndim == 0 or other.ndim == 0:
        return promoted_product(self, other)
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(self.shape)} and "
            f"{list(other.shape)}"
        )
    return tensordot(self, other, [-1], [-1])


@kernel("aten::tensordot")
def tensordot(self: Array, other: Array, dims_self: Sequence[int], dims_other: Sequence[int]) -> Array:
    """Contraction of paired dimensions; a dimension of size 1 is paired with any size."""
    if len(dims_self) != len(dims_other):
        raise RuntimeError("both dimension lists should have same length")
    if self.dtype != other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    da, db = wrap_all(dims_self, self.ndim), wrap_all(dims_other, other.ndim)
    for i, j in zip(da, db):
        m, n = self.shape[i], other.shape[j]
        if m == n:
            continue
        if n == 1:
            self = sum_over(self, (i,), True).astype(self.dtype, copy=False)
        elif m == 1:
            other = sum_over(other, (j,), True).astype(other.dtype, copy=False)
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {i} and second has size {n} in "
                f"dim {j}"
            )
    ra = [i for i in range(self.ndim) if i not in da]
    rb = [i for i in range(other.ndim) if i not in db]
    k = math.prod([self.shape[i] for i in da])
    shape_a, shape_b = [self.shape[i] for i in ra], [other.shape[i] for i in rb]
    left = self.transpose([*ra, *da]).reshape(math.prod(shape_a), k)
    right = other.transpose([*db, *rb]).reshape(k, math.prod(shape_b))
    return matrix_product(left, right).reshape(shape_a + shape_b)


def sum_over(a: Array, axes: tuple[int, ...], keepdims: bool = False) -> Array:
    """Sum over dimensions; integers give int64."""
    if a.dtype.kind in "biu":
        return array(np.sum(a, axis=axes, keepdims=keepdims, dtype=np.int64))
    return array(np.sum(P.wide(a), axis=axes, keepdims=keepdims, dtype=P.wide_dtype(a.dtype))).astype(
        a.dtype, copy=False
    )


# ---- einsum


def _subscripts(term: str) -> list[str]:
    labels, i = [], 0
    while i < len(term):
        if term[i] == ".":
            if term[i : i + 3] != "..." or "..." in labels:
                raise RuntimeError(
                    "einsum(): found '.' that is not part of any ellipsis, or a second ellipsis, in " + repr(term)
                )
            labels.append("...")
            i += 3
        else:
            if not (term[i].isascii() and term[i].isalpha()):
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, "
                                   f"subscripts must be in [a-zA-Z], found {term[i]!r}")  # fmt: skip
            labels.append(term[i])
            i += 1
    return labels


@lru_cache(maxsize=1024)
def _terms(equation: str) -> tuple[list[list[str]], list[str] | None]:
    left, arrow, right = equation.replace(" ", "").partition("->")
    return [_subscripts(t) for t in left.split(",")], _subscripts(right) if arrow else None


@kernel("aten::einsum")
def einsum(equation: str, tensors: Sequence[Array], path: Sequence[int] | None = None) -> Array:
    """Sums of products after Einstein's convention: `...` broadcasts, sizes of 1 do too, no `->` means sorted output.

    `path` is a flat list of pairs of operands to contract, as opt_einsum gives it; without one they go left to right.
    """
    terms, output = _terms(equation)
    return contract(terms, list(tensors), output, path)


@kernel("aten::einsum.sublist")
def einsum_sublist(*arguments: Any) -> Array:
    """`einsum(a, [0, 1], b, [1, 2], [0, 2])`: operands, each with its list of subscript numbers, then the output's."""
    output = [str(n) for n in arguments[-1]] if len(arguments) % 2 else None
    terms = [[str(n) for n in a] for a in arguments[1::2]]
    return contract(terms, list(arguments[: 2 * len(terms) : 2]), output, None)


def contract(
    terms: list[list[str]], operands: list[Array], output: list[str] | None, path: Sequence[int] | None
) -> Array:
    """The sum of products of operands labelled by `terms`, with the labels of `output` left over, in that order.

    Raises RuntimeError where labels, ranks and sizes do not fit.
    """
    if not operands:
        raise RuntimeError("einsum(): must provide at least one operand")
    if len(terms) != len(operands):
        raise RuntimeError(
            f"einsum(): {'fewer' if len(terms) < len(operands) else 'more'} terms than operands were given"
        )
    spread: list[str] = []
    for term, x in zip(terms, operands):
        missing = x.ndim - len(term) + ("..." in term)
        if missing < 0 or (missing and "..." not in term):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(term) - ('...' in term)}) does not match "
                f"the number of dimensions ({x.ndim}) for an operand"
            )
        if "..." in term and missing > len(spread):
            spread = [f"...{i}" for i in range(missing, 0, -1)]
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    labelled: list[list[str]] = []
    for number, (term, x) in enumerate(zip(terms, operands)):
        labels = list(term)
        if "..." in labels:
            at, missing = labels.index("..."), x.ndim - len(labels) + 1
            labels[at : at + 1] = spread[len(spread) - missing :]
        for label, size in zip(labels, x.shape):
            counts[label] = counts.get(label, 0) + 1
            known = sizes.setdefault(label, size)
            if known != size:
                if known != 1 and size != 1:
                    raise RuntimeError(
                        f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast "
                        f"with previously seen size {known}"
                    )
                sizes[label] = size if known == 1 else known
        labelled.append(labels)
    if output is None:
        output = spread + sorted(k for k, n in counts.items() if n == 1 and not k.startswith("."))
    else:
        output = [k for label in output for k in (spread if label == "..." else [label])]
        for label in output:
            if label not in counts:
                raise RuntimeError(
                    f"einsum(): output subscript {label} does not appear in the equation for any input operand"
                )
        if len(set(output)) != len(output):
            raise RuntimeError(f"einsum(): output subscript {output} appears more than once in the output")
    work = [_simplify(x, labels, sizes) for x, labels in zip(operands, labelled)]
    steps = [0, 1] * (len(work) - 1) if path is None else list(path)
    for at in range(0, len(steps) - 1, 2):
        i, j = sorted(steps[at : at + 2])
        if i == j:
            continue
        second, first = work.pop(j), work.pop(i)
        keep = set(output).union(*[labels for _, labels in work])
        merged = _contract_pair(*first, *second, keep)
        work.insert(0, merged) if path is None else work.append(merged)
    result, labels = work[0]
    drop = tuple([i for i, k in enumerate(labels) if k not in output])
    if drop:
        result, labels = sum_over(result, drop), [k for k in labels if k in output]
    if labels != [k for k in output if k in labels]:
        result = result.transpose([labels.index(k) for k in output if k in labels])
    if len(labels) != len(output):  # labels whose size is 1 everywhere they were dropped
        result = result.reshape([sizes[k] for k in output])
    return result


def _simplify(x: Array, labels: list[str], sizes: dict[str, int]) -> tuple[Array, list[str]]:
    """Take the diagonal of repeated labels and drop dimensions of size 1 that others broadcast."""
    labels = list(labels)
    while len(set(labels)) != len(labels):
        i = next(i for i, k in enumerate(labels) if k in labels[:i])
        j = labels.index(labels[i])
        if x.shape[i] != x.shape[j]:
            raise RuntimeError(
                f"einsum(): subscript {labels[i]} is repeated for an operand but the sizes don't match, "
                f"{x.shape[i]} != {x.shape[j]}"
            )
        x = np.diagonal(x, axis1=j, axis2=i)
        labels = [k for n, k in enumerate(labels) if n not in (i, j)] + [labels[i]]
    for i in reversed(range(len(labels))):
        if x.shape[i] == 1 and sizes[labels[i]] != 1:
            x = np.squeeze(x, i)
            del labels[i]
    return x, labels


def _contract_pair(a: Array, la: list[str], b: Array, lb: list[str], keep: set[str]) -> tuple[Array, list[str]]:
    """Multiply two labelled operands and sum over what is not kept, as one batched matrix product."""
    for_sum = tuple([i for i, k in enumerate(la) if k not in lb and k not in keep])
    if for_sum:
        a, la = sum_over(a, for_sum), [k for i, k in enumerate(la) if i not in for_sum]
    for_sum = tuple([i for i, k in enumerate(lb) if k not in la and k not in keep])
    if for_sum:
        b, lb = sum_over(b, for_sum), [k for i, k in enumerate(lb) if i not in for_sum]
    both = [k for k in la if k in lb]
    batch = [k for k in both if k in keep]
    inner_labels = [k for k in both if k not in keep]
    rows, columns = [k for k in la if k not in both], [k for k in lb if k not in both]
    size = dict(zip(lb, b.shape)) | dict(zip(la, a.shape))
    a = a.transpose([la.index(k) for k in batch + rows + inner_labels])
    b = b.transpose([lb.index(k) for k in batch + inner_labels + columns])
    shapes = [[size[k] for k in group] for group in (batch, rows, inner_labels, columns)]
    m, k, n = math.prod(shapes[1]), math.prod(shapes[2]), math.prod(shapes[3])
    a, b = a.reshape([*shapes[0], m, k]), b.reshape([*shapes[0], k, n])
    if inner_labels:
        same_type("einsum", a, b)
        product = matrix_product(a, b)
    else:
        product = promoted_product(a, b)
    return product.reshape(shapes[0] + shapes[1] + shapes[3]), batch + rows + columns


@kernel("aten::bilinear")
def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None) -> Array:
    """`input1 @ weight[k] @ input2 + bias[k]` over the last dimensions of the inputs."""
    if input1.ndim != input2.ndim or input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError("bilinear(): input batch dimensions do not match")
    if weight.ndim != 3 or input1.shape[-1] != weight.shape[1] or input2.shape[-1] != weight.shape[2]:
        raise RuntimeError(
            f"bilinear(): input sizes {input1.shape[-1]} and {input2.shape[-1]} do not match weight size {weight.shape}"
        )
    same_type("bilinear", input1, input2, weight)
    x = P.wide(input1).reshape(-1, input1.shape[-1])
    y = P.wide(input2).reshape(-1, input2.shape[-1])
    w = P.wide(weight)
    partial = tensordot(x, w, [1], [1])  # rows, out, second
    out: Array = np.matmul(partial, y[:, :, None])[..., 0]
    if bias is not None:
        out = out + P.wide(bias)
    return array(out).astype(input1.dtype, copy=False).reshape(input1.shape[:-1] + (weight.shape[0],))


@kernel("aten::kron")
def kron(self: Array, other: Array) -> Array:
    """Kronecker product."""
    n = max(self.ndim, other.ndim)
    sa = (1,) * (n - self.ndim) + self.shape
    sb = (1,) * (n - other.ndim) + other.shape
    a = self.reshape([x for s in sa for x in (s, 1)])
    b = other.reshape([x for s in sb for x in (1, s)])
    return promoted_product(a, b).reshape([x * y for x, y in zip(sa, sb)])


@kernel("aten::linalg_multi_dot")
def linalg_multi_dot(tensors: Sequence[Array]) -> Array:
    """Product of a chain of matrices, in the cheapest order; the first and last may be vectors."""
    n = len(tensors)
    if n < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got " + str(n))
    same_type("multi_dot()", *tensors)
    chain = list(tensors)
    row, column = chain[0].ndim == 1, chain[-1].ndim == 1
    if row:
        chain[0] = chain[0][None]
    if column:
        chain[-1] = chain[-1][:, None]
    for i, t in enumerate(chain):
        if t.ndim != 2:
            raise RuntimeError(
                f"multi_dot(): tensor {i} must be {'1D or ' if i in (0, n - 1) else ''}2D but got {t.ndim}D"
            )
    for i in range(n - 1):
        if chain[i].shape[1] != chain[i + 1].shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(tensors[i].shape)} and "
                f"{list(tensors[i + 1].shape)} cannot be multiplied"
            )
    out = _multiply_chain(chain)
    if row:
        out = out[0]
    return out[..., 0] if column else out


def _multiply_chain(chain: list[Array]) -> Array:
    n = len(chain)
    sizes = [c.shape[0] for c in chain] + [chain[-1].shape[1]]
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Array:
        return chain[i] if i == j else matrix_product(product(i, split[i][j]), product(split[i][j] + 1, j))

    return product(0, n - 1)


@kernel("aten::chain_matmul")
def chain_matmul(matrices: Sequence[Array]) -> Array:
    """Product of a chain of matrices, in the cheapest order."""
    for m in matrices:
        _rank("chain_matmul", "every matrix", m, 2)
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    return matrices[0] if len(matrices) == 1 else linalg_multi_dot(matrices)


@kernel("aten::_compute_linear_combination")
def compute_linear_combination(input: Array, coefficients: Array) -> Array:
    """Weighted sums of the entries along the input's first dimension, one per row of coefficients."""
    if coefficients.shape[1] != input.shape[0]:
        raise RuntimeError("_compute_linear_combination(): coefficients and input do not have the same length")
    return tensordot(coefficients, input, [1], [0])


from . import linalg_decomp, linalg_norm, linalg_solve, linalg_stats  # noqa: E402, F401  (the rest of the family)
