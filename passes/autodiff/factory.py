"""Derivatives of the factory family: copies, conversions and fills."""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import decomposed, derivative, not_differentiable, without_rule


@derivative(
    "aten::to.device", "aten::to.dtype", "aten::to.other", "aten::to.dtype_layout", "aten::to.prim_Device",
    "aten::to.prim_dtype", "aten::to.prim_other", "aten::clone", "aten::contiguous", "aten::type_as", "aten::cpu",
    "aten::cuda", "aten::lift", "aten::lift_fresh", "aten::lift_fresh_copy", "aten::pin_memory", "aten::as_tensor",
    "aten::chalf", "aten::_cast_Double", "aten::_cast_Float", "aten::_cast_Half", "aten::to_dense", "aten::_to_dense",
    "aten::_make_dual", reads_self=False,
)  # fmt: skip
def _converted(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (grads[0],)


@derivative("aten::copy", "aten::copy_", "aten::copy_.Tensor", "aten::fill.Tensor", reads_self=False)
def _copy(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return None, grads[0]


@derivative(
    "aten::fill.Scalar", "aten::copy_.int", "aten::copy_.float", "aten::zero", "aten::_no_grad_fill_",
    "aten::_no_grad_zero_",
    reads_self=False,
)  # fmt: skip
def _fill(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return (None,)


@derivative("aten::complex")
def _complex(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    return lambda: ops.real(grads[0]), lambda: ops.imag(grads[0])


@decomposed("aten::block_diag")
def _block_diag(ops: Any, tensors: Any) -> Any:
    blocks = [ops.atleast_2d(t) for t in tensors]
    total = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for b in blocks:
        rows.append(ops.constant_pad_nd(b, [start, total - start - b.shape[1]], 0))
        start += b.shape[1]
    return ops.cat(rows, 0)


@derivative("aten::polar")
def _polar(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
    g, size, angle = grads[0], args[0], args[1]

    def turned() -> Any:
        return g * conj(ops.polar(ops.ones_like(angle), angle))

    return lambda: ops.real(turned()), lambda: ops.imag(turned()) * size


not_differentiable(
    "zeros_like ones_like empty_like full_like new_zeros new_ones new_empty new_full new_empty_strided "
    "linspace.Tensor_Tensor "
    "linspace.Tensor_Scalar linspace.Scalar_Tensor logspace.Tensor_Tensor logspace.Tensor_Scalar "
    "logspace.Scalar_Tensor "
    "_shape_as_tensor hash_tensor",
    "the result does not depend on the values, or is a new constant",
)
not_differentiable("item is_set_to sparse_dim dense_dim _nnz", "the result is not a tensor")
not_differentiable("_cast_Byte _cast_Char _cast_Int _cast_Long _cast_Short", "the result holds integers")
not_differentiable(
    "detach detach_ detach_copy data prim::data requires_grad_ prim::grad", "it sets where gradients stop or begin"
)
without_rule(
    "resize resize_ resize_as resize_as_ set set.* set_ set_.*",
    "the memory of a tensor that requires gradients cannot be exchanged",
)
without_rule("_unpack_dual", "there is no forward mode")
without_rule(
    "coalesce indices values to_sparse* sparse_coo_tensor* to_padded_tensor",
    "sparse and nested tensors record no gradients",
)
