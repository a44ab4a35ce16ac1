"""Operators of other families over quantised arrays.

Where an operator has a quantised form, its kernel is wrapped so that the first argument decides: a plain array goes to
the dense kernel, a quantised one here. Operators fall into groups that share one treatment; the tables below list them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.backends.array.registry import Kernel


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: move integers about and keep the scale: the dense kernel runs on the integers
MOVES = _words(
    """
    view reshape flatten unflatten permute transpose t numpy_T mT adjoint squeeze unsqueeze select slice narrow
    unbind split split_with_sizes unsafe_split unsafe_chunk chunk tensor_split hsplit vsplit expand expand_as
    contiguous clone detach alias lift_fresh index_select index take flip roll rot90 repeat repeat_interleave
    movedim moveaxis swapaxes swapdims as_strided view_as reshape_as unfold gather pixel_shuffle pixel_unshuffle
    channel_shuffle native_channel_shuffle masked_select ravel tile fliplr flipud diagonal squeeze_copy
    view_copy upsample_nearest1d upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d
    _upsample_nearest_exact2d _upsample_nearest_exact3d reflection_pad1d reflection_pad2d reflection_pad3d
    replication_pad1d replication_pad2d replication_pad3d atleast_1d atleast_2d atleast_3d _unsafe_view
    _reshape_alias cpu empty_like __upsample_nearest
    """
)
#: depend on the order of values only: the dense kernel runs on the integers, values keep the scale, indices are plain
ORDERED = _words(
    """
    max min amax amin sort topk argmax argmin argsort msort median max_pool1d max_pool2d max_pool3d
    max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d cummax cummin kthvalue
    """
)
#: computed on the reals, the result quantised as the argument was
REALS = _words(
    """
    mean avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    upsample_linear1d upsample_bilinear2d upsample_trilinear3d upsample_bicubic2d leaky_relu elu celu selu gelu
    silu threshold hardswish prelu relu relu6 hardtanh clamp clamp_min clamp_max clip constant_pad_nd std
    masked_fill fill sum __upsample __upsample_bilinear
    """
)
#: computed on the reals, the result covering a fixed range: (scale in 8 bits, smallest value of the range)
FIXED = {"sigmoid": (1 / 256, 0.0), "hardsigmoid": (1 / 256, 0.0), "tanh": (2 / 256, -1.0)}
#: give plain results from the reals
PLAIN = _words(
    """
    eq ne lt le gt ge item _local_scalar_dense is_nonzero isnan isinf isfinite allclose isclose
    """
)
#: have a function of their own below
OWN = _words(
    """
    cat concat concatenate stack equal to dtype is_quantized is_floating_point is_complex is_signed copy_ fill_
    zero_ dropout feature_dropout type_as _to_copy
    """
)
_ALL = MOVES | ORDERED | REALS | frozenset(FIXED) | PLAIN | OWN


def choose(full_name: str, dense: Kernel) -> Kernel:
    """The kernel that also takes quantised arrays; the dense one itself where an operator has no quantised form."""
    namespace, _, rest = full_name.partition("::")
    base = rest.partition(".")[0]
    in_place = base not in _ALL and base.endswith("_") and base[:-1] in _ALL
    if namespace not in ("aten", "prim") or (base not in _ALL and not in_place):
        return dense
    form: Callable[..., Any] | None = None
    plain = np.ndarray

    def kernel(first: Any, *others: Any) -> Any:
        nonlocal form
        if type(first) is plain or (not _is_quantized(first) and not _is_quantized(others)):
            return dense(first, *others)
        if form is None:
            form = _in_place(_form(base[:-1], full_name, dense), dense) if in_place else _form(base, full_name, dense)
        return form(first, *others)

    kernel.__name__, kernel.__doc__ = dense.__name__, dense.__doc__
    return kernel


def _is_quantized(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and _is_quantized(value[0])
    return hasattr(value, "zero_point")


def _form(base: str, full_name: str, dense: Kernel) -> Callable[..., Any]:
    if base in MOVES:
        return _on_integers(dense, base)
    if base in ORDERED:
        return _on_integers(dense, base)
    if base in FIXED:
        return _fixed(dense, *FIXED[base])
    if base in PLAIN:
        return lambda *args: dense(*_reals(args))
    if base in REALS:
        return _same_scale(dense)
    if base in ("to", "_to_copy"):
        return _to(full_name)
    return _OWN_FORMS[base]


def _reals(args: Any) -> list[Any]:
    return [a.dequantize() if _is_quantized(a) and not isinstance(a, (list, tuple)) else a for a in args]


def _axis_after(q: Any, base: str, args: tuple[Any, ...], result: Any) -> int | None:
    """Where the channels of a per-channel array are in the result. Raises RuntimeError where that cannot be told."""
    if q.axis is None:
        return None
    axis: int = q.axis
    if base in ("contiguous", "clone", "detach", "alias", "lift_fresh", "cpu", "empty_like"):
        return axis
    if base == "permute":
        order = [d % q.ndim for d in args[0]]
        return order.index(axis)
    if base in ("transpose", "swapaxes", "swapdims"):
        a, b = args[0] % q.ndim, args[1] % q.ndim
        return b if axis == a else a if axis == b else axis
    if base in ("t", "numpy_T", "mT", "adjoint") and q.ndim == 2:
        return 1 - axis
    if base == "unsqueeze":
        at = args[0] % (q.ndim + 1)
        return axis + 1 if at <= axis else axis
    if result.shape == q.shape and base in ("view", "reshape", "expand", "expand_as", "squeeze", "slice", "flatten"):
        return axis
    raise RuntimeError(f"{base} is not supported on a tensor that is quantized per channel: dequantize() it first")


def _on_integers(dense: Kernel, base: str) -> Callable[..., Any]:
    def form(q: Any, *args: Any) -> Any:
        args = tuple(a.ints if hasattr(a, "zero_point") else a for a in args)
        ints = q.ints
        if "upsample" in base:  # takes reals and bytes only, and moves them as they are
            result = dense(ints.view(np.uint8 if ints.itemsize == 1 else np.float32), *args).view(ints.dtype)
        else:
            result = dense(ints, *args)

        def wrapped(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(wrapped(v) for v in value)
            if isinstance(value, np.ndarray) and value.dtype == q.ints.dtype:
                return q if value is q.ints else q.like(value, _axis_after(q, base, args, value))
            return value

        return wrapped(result)

    return form


def _quantized(y: Any, scale: float, zero_point: int, code: int) -> Any:
    from linstock.backends.array.quantized import quantize

    return quantize(np.asarray(y, np.float32), scale, zero_point, code)


def _need_one_scale(q: Any) -> None:
    if q.axis is not None:
        raise RuntimeError(
            "this operator takes tensors that are quantized per tensor, not per channel: dequantize() it first"
        )


def _same_scale(dense: Kernel) -> Callable[..., Any]:
    def form(q: Any, *args: Any) -> Any:
        _need_one_scale(q)
        y = dense(q.dequantize(), *_reals(args))
        return _quantized(y, q.scale, q.zero_point, q.dtype_code)

    return form


def _fixed(dense: Kernel, scale: float, low: float) -> Callable[..., Any]:
    def form(q: Any, *args: Any) -> Any:
        from linstock.backends.array.quantized import QINT32, limits

        least = limits(q.dtype_code)[0]
        if q.dtype_code == QINT32:
            step, zero = scale * 2.0**-24, 0 if low else least
        else:
            step, zero = scale, least - round(low / scale)
        return _quantized(dense(q.dequantize(), *args), step, zero, q.dtype_code)

    return form


def _in_place(form: Callable[..., Any], dense: Kernel) -> Callable[..., Any]:
    def run(q: Any, *args: Any) -> Any:
        if not hasattr(q, "zero_point"):
            return dense(q, *_reals(args))
        y = form(q, *args)  # the in-place kernel works on reals made for it
        q.ints[...] = y.ints
        q.scale, q.zero_point = y.scale, y.zero_point
        return q

    return run


def _copy(target: Any, source: Any, non_blocking: bool = False) -> Any:
    if not hasattr(target, "zero_point"):
        target[...] = source.dequantize()
        return target
    if hasattr(source, "zero_point"):
        target.ints[...] = source.ints
        target.scale, target.zero_point, target.axis = source.scale, source.zero_point, source.axis
    else:
        _need_one_scale(target)
        target.ints[...] = _quantized(source, target.scale, target.zero_point, target.dtype_code).ints
    return target


def _fill(q: Any, value: Any) -> Any:
    _need_one_scale(q)
    q.ints[...] = _quantized(np.asarray([float(value)]), q.scale, q.zero_point, q.dtype_code).ints[0]
    return q


def _cat(tensors: Any, dim: int = 0) -> Any:
    from linstock.backends.array.quantized_nn import concatenate

    return concatenate(tensors, dim, None, None, False)


def _stack(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]
    dim = dim % (first.ndim + 1)
    return _cat([q.like(np.expand_dims(q.ints, dim)) for q in tensors], dim)


def _equal(a: Any, b: Any) -> bool:
    if not hasattr(a, "zero_point") or not hasattr(b, "zero_point"):
        return False
    same = a.dtype_code == b.dtype_code and a.axis == b.axis and np.array_equal(a.scale, b.scale)
    return bool(same and np.array_equal(a.zero_point, b.zero_point) and np.array_equal(a.ints, b.ints))


def _to(full_name: str) -> Callable[..., Any]:
    def form(q: Any, *args: Any) -> Any:
        from linstock.ir import dtypes

        overload = full_name.partition(".")[2]
        code = {"dtype": 0, "device": 1, "prim_dtype": 0, "prim_Device": 1}.get(overload)
        wanted = args[code] if code is not None and len(args) > code else None
        if isinstance(wanted, int) and not dtypes.by_code(wanted).is_quantized:
            raise RuntimeError(
                "Creation of quantized tensor requires quantized dtype like torch.quint8: use dequantize()"
            )
        return q

    return form


_OWN_FORMS: dict[str, Callable[..., Any]] = {
    "cat": _cat, "concat": _cat, "concatenate": _cat, "stack": _stack, "equal": _equal, "copy_": _copy, "fill_": _fill,
    "zero_": lambda q: _fill(q, 0), "type_as": lambda q, other: q, "dropout": lambda q, *_: q,
    "feature_dropout": lambda q, *_: q, "dtype": lambda q: q.dtype_code, "is_quantized": lambda q: True,
    "is_floating_point": lambda q: False, "is_complex": lambda q: False, "is_signed": lambda q: q.dtype_code != 13,
}  # fmt: skip
