"""Functions of the public API that are more than one operator call: arguments in other forms, other results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from linstock.backends.array import promotion
from linstock.ir import dtypes
from linstock.runtime import creation
from linstock.runtime.tensor import Tensor, _operator, from_numpy

F = TypeVar("F", bound=Callable[..., Any])
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "tensor": creation.tensor, "as_tensor": creation.as_tensor, "from_numpy": from_numpy, "from_dlpack":
    creation.from_dlpack,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {}


def public(name: str, method: bool = False) -> Callable[[F], F]:
    """Register a function of the public API, also as a method of tensors."""

    def register(function: F) -> F:
        FUNCTIONS[name] = function
        if method:
            METHODS[name] = function
        return function

    return register


def _resolved(name: str, *args: Any, **kwargs: Any) -> Any:
    from linstock.runtime.resolve import call

    return call(name, args, kwargs)


def _spread(tensors: tuple[Any, ...]) -> list[Any]:
    """Tensors given one by one or as one list."""
    return list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)


# tensors given one by one -------------------------------------------------------------------------------------------


@public("einsum")
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Sum of products over named dimensions, as in `einsum("ij,jk->ik", a, b)`; also the form with lists of numbers."""
    if isinstance(equation, str):
        return _operator("aten::einsum")(equation, _spread(operands))  # type: ignore[no-any-return]
    given = [equation, *operands]
    tensors, lists = list(given[0::2]), list(given[1::2])
    output = tensors.pop() if len(given) % 2 and len(tensors) > len(lists) else None

    def letters(places: Any) -> str:
        return "".join(
            "..." if p is Ellipsis else chr(ord("A") + p) if p < 26 else chr(ord("a") + p - 26) for p in places
        )

    text = ",".join(letters(p) for p in lists) + ("" if output is None else f"->{letters(output)}")
    return _operator("aten::einsum")(text, tensors)  # type: ignore[no-any-return]


@public("meshgrid")
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates from one-dimensional tensors, "ij" (the default) or "xy" indexed."""
    parts = _spread(tensors)
    if indexing is None:
        return tuple(_operator("aten::meshgrid")(parts))
    return tuple(_operator("aten::meshgrid.indexing")(parts, indexing))


@public("broadcast_tensors")
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors as views of their common broadcast shape."""
    return tuple(_operator("aten::broadcast_tensors")(_spread(tensors)))


@public("cartesian_prod")
def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of one element of each tensor, as rows."""
    return _operator("aten::cartesian_prod")(_spread(tensors))  # type: ignore[no-any-return]


@public("block_diag")
def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones along its diagonal."""
    return _operator("aten::block_diag")(_spread(tensors))  # type: ignore[no-any-return]


@public("chain_matmul")
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """The product of matrices, in the cheapest order."""
    if out is not None:
        return _operator("aten::chain_matmul.out")(_spread(matrices), out)  # type: ignore[no-any-return]
    return _operator("aten::chain_matmul")(_spread(matrices))  # type: ignore[no-any-return]


@public("broadcast_shapes")
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that tensors of these shapes broadcast to. Raises RuntimeError where they do not."""
    from linstock.runtime.types import Size

    try:
        return Size(np.broadcast_shapes(*[(s,) if isinstance(s, int) else tuple(s) for s in shapes]))
    except ValueError:
        raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {shapes}") from None


def _atleast(n: int) -> None:
    @public(f"atleast_{n}d")
    def atleast(*tensors: Any) -> Any:
        """The tensor (or each of several) with at least so many dimensions."""
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return _operator(f"aten::atleast_{n}d")(tensors[0])
        return tuple(_operator(f"aten::atleast_{n}d.Sequence")(_spread(tensors)))

    atleast.__name__ = f"atleast_{n}d"


for _n in (1, 2, 3):
    _atleast(_n)


# parts --------------------------------------------------------------------------------------------------------------


@public("split", method=True)
def split(
    tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None
) -> tuple[Tensor, ...]:
    """Views of parts of one size (the last may be smaller) or of the given sizes along a dimension."""
    size = split_size if split_size_or_sections is None else split_size_or_sections
    if isinstance(size, (list, tuple)):
        return tuple(_operator("aten::split_with_sizes")(tensor, [int(s) for s in size], dim))
    return tuple(_operator("aten::split.Tensor")(tensor, size, dim))


@public("where")
def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Any = None, **kwargs: Any) -> Any:
    """Elements of `input` where the condition holds, of `other` elsewhere; with the condition alone its `nonzero` as
    a tuple."""
    input = kwargs.pop("self", kwargs.pop("x", input))
    if input is None and other is None:
        return tuple(_operator("aten::where")(condition))
    return _resolved("where", condition, input, other, **({} if out is None else {"out": out}))


def _where_method(self: Tensor, condition: Tensor, other: Any) -> Any:
    """Elements of this tensor where the condition holds, of `other` elsewhere."""
    return _resolved("where", condition, self, other)


METHODS["where"] = _where_method


@public("nonzero", method=True)
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The indices of the elements that are not zero, as rows or (`as_tuple`) as one tensor per dimension."""
    if as_tuple:
        return tuple(_operator("aten::nonzero_numpy")(input))
    return _operator("aten::nonzero")(input) if out is None else _operator("aten::nonzero.out")(input, out)


@public("unravel_index")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Positions in a flattened tensor as one index tensor per dimension of the shape."""
    sizes = [shape] if isinstance(shape, int) else [int(s) for s in shape]
    total = int(np.prod(sizes)) if sizes else 1
    if bool(((indices < -total) | (indices >= total)).any()):
        raise ValueError(f"indices are out of bounds for shape {tuple(sizes)}")
    rest, out = indices, []
    for n in reversed(sizes):
        out.append(_resolved("remainder", rest, n))
        rest = _resolved("div", rest, n, rounding_mode="floor")
    return tuple(reversed(out))


@public("unique", method=True)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements (or slices along `dim`), with where each element went and how often each occurs."""
    if dim is None:
        found = _operator("aten::_unique2")(input, sorted, return_inverse, return_counts)
    else:
        found = _operator("aten::unique_dim")(input, dim, sorted, return_inverse, return_counts)
    return _chosen(found, return_inverse, return_counts)


@public("unique_consecutive", method=True)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or slices along `dim`) without those that equal the one before."""
    found = _operator("aten::unique_consecutive")(input, return_inverse, return_counts, dim)
    return _chosen(found, return_inverse, return_counts)


def _chosen(found: Sequence[Any], inverse: bool, counts: bool) -> Any:
    out = (found[0], *((found[1],) if inverse else ()), *((found[2],) if counts else ()))
    return out if len(out) > 1 else out[0]


# numbers ------------------------------------------------------------------------------------------------------------


@public("norm", method=True)
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    """The norm of a tensor, or along dimensions: `p` a number, "fro" or "nuc"."""
    dims = None if dim is None else [dim] if isinstance(dim, int) else list(dim)
    given: dict[str, Any] = {"dtype": dtype} | ({} if out is None else {"out": out})
    if p == "nuc":
        where = dims if dims is not None else list(range(input.dim()))
        return _resolved("linalg_matrix_norm", input, "nuc", where, keepdim, **given)  # type: ignore[no-any-return]
    order = 2.0 if p is None or p == "fro" else p
    if isinstance(order, str):
        raise RuntimeError(f"only the norms 'fro' and 'nuc' have names, got {p!r}")
    if dims is None:
        dims = list(range(input.dim()))
    return _resolved("linalg_vector_norm", input, order, dims or None, keepdim, **given)  # type: ignore[no-any-return]


@public("tensordot")
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    """Products summed over several dimensions: the last `dims` of `a` with the first of `b`, or two lists of them."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)) and len(dims) == 2:
        first, second = ([int(x) for x in d] if isinstance(d, (list, tuple)) else [int(d)] for d in dims)
    else:
        n = int(dims[0] if isinstance(dims, (list, tuple)) else dims)
        if n < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={n}")
        if n > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={n}")
        first, second = list(range(a.dim() - n, a.dim())), list(range(n))
    return _resolved("tensordot", a, b, first, second, **({} if out is None else {"out": out}))  # type: ignore[no-any-return]


@public("cdist")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The p-norm distances between all rows of two (batches of) matrices."""
    modes = {
        "use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2,
    }  # fmt: skip
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _operator("aten::cdist")(x1, x2, float(p), modes[compute_mode])  # type: ignore[no-any-return]


@public("stft", method=True)
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The short-time Fourier transform of a signal or a batch of signals."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        half = n_fft // 2
        lead = [1] * (3 - input.dim())
        padded = _operator("aten::pad")(input.view(lead + list(input.shape)), [half, half], pad_mode, None)
        input = padded.view(list(padded.shape)[len(lead) :])
    return _operator("aten::stft")(  # type: ignore[no-any-return]
        input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
    )


@public("istft", method=True)
def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal that a short-time Fourier transform came from."""
    return _operator("aten::istft")(  # type: ignore[no-any-return]
        input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex
    )


@public("lu", method=True)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """The LU factorisation in its compact form, with pivots (and infos if asked for)."""
    factors, pivots, infos = _operator("aten::linalg_lu_factor_ex")(A, pivot, False)
    return (factors, pivots, infos) if get_infos else (factors, pivots)


# types --------------------------------------------------------------------------------------------------------------


@public("promote_types")
def promote_types(type1: Any, type2: Any) -> dtypes.dtype:
    """The smallest type that both types convert to."""
    return dtypes.by_code(dtypes.promote_codes(creation.dtype_of(type1).code, creation.dtype_of(type2).code))


@public("result_type")
def result_type(tensor1: Any, tensor2: Any) -> dtypes.dtype:
    """The type of an arithmetic operation on two tensors or numbers."""
    found = promotion.result_type(*[v._array if isinstance(v, Tensor) else v for v in (tensor1, tensor2)])
    return dtypes.from_numpy(found)


@public("can_cast")
def can_cast(from_: Any, to: Any) -> bool:
    """Whether a result of one type may be stored in another."""
    from linstock.backends.array.derive import can_cast as castable

    return castable(creation.dtype_of(from_).numpy, creation.dtype_of(to).numpy)


@public("is_tensor")
def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor."""
    return isinstance(obj, Tensor)


@public("is_storage")
def is_storage(obj: Any) -> bool:
    """Whether an object is a storage."""
    from linstock.runtime.storage import TypedStorage, UntypedStorage

    return isinstance(obj, (TypedStorage, UntypedStorage))


@public("is_complex")
def is_complex(input: Tensor) -> bool:
    """Whether the elements are complex."""
    return bool(input.dtype.is_complex)


@public("is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are floating point."""
    return bool(input.dtype.is_floating_point)


@public("numel")
def numel(input: Tensor) -> int:
    """Number of elements."""
    return input.numel()


def _floating_method(self: Tensor) -> bool:
    """Whether the elements are floating point."""
    return bool(self.dtype.is_floating_point)


def _complex_method(self: Tensor) -> bool:
    """Whether the elements are complex."""
    return bool(self.dtype.is_complex)


METHODS |= {"is_floating_point": _floating_method, "is_complex": _complex_method}


@public("typename")
def typename(obj: Any) -> str:
    """The name of an object's type, a tensor's with its element type."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = type(obj)
    return (
        kind.__qualname__
        if kind.__module__ in ("builtins", "__builtin__")
        else f"{kind.__module__}.{kind.__qualname__}"
    )


# from other data ----------------------------------------------------------------------------------------------------


@public("asarray")
def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Tensor:
    """Anything that holds numbers as a tensor: shares memory where possible unless `copy`, never with `copy=False`
    failing."""
    made = creation.as_tensor(obj, dtype=dtype, device=device)
    shares = isinstance(obj, (Tensor, np.ndarray)) and np.shares_memory(
        made._array, obj._array if isinstance(obj, Tensor) else obj
    )
    if copy and shares:
        made = made.detach().clone()
    if copy is False and not shares:
        raise ValueError("asarray: a copy is needed but copy=False was given")
    return made.requires_grad_() if requires_grad else made


@public("frombuffer")
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A one-dimensional tensor over the memory of a Python buffer."""
    made = from_numpy(np.frombuffer(buffer, creation.dtype_of(dtype).numpy, count, offset))
    return made.requires_grad_() if requires_grad else made


@public("normal")
def normal(mean: Any, std: Any = 1.0, size: Any = None, **options: Any) -> Tensor:
    """Normally distributed random numbers: means and deviations as numbers with a size, or as tensors."""
    if size is not None:
        return _resolved("normal", float(mean), float(std), list(size), **options)  # type: ignore[no-any-return]
    return _resolved("normal", mean, std, **options)  # type: ignore[no-any-return]


def _new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """PyTorch's legacy `x.new(...)`: sizes or data, in this tensor's type."""
    return creation.legacy(data, device).to(self.dtype)


def _map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by what a Python function makes of it and another tensor's element."""
    other = _operator("aten::expand")(tensor, list(self.shape))
    pairs = zip(self._array.reshape(-1).tolist(), other._array.reshape(-1).tolist())
    self._array[...] = np.array([callable(a, b) for a, b in pairs], self._array.dtype).reshape(self._array.shape)
    return self


def _dim_order(self: Tensor, *, ambiguity_check: bool = False) -> tuple[int, ...]:
    """The dimensions ordered as they lie in memory, outermost first."""
    steps = self.stride()
    return tuple(sorted(range(self.dim()), key=lambda d: (-steps[d], d)))


METHODS |= {"new": _new, "map_": _map_, "dim_order": _dim_order}
