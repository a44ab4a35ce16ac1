"""Derivatives of the factory family: copies, conversions and fills."""

from __future__ import annotations

from typing import Any

from linstock.passes.autodiff.pointwise import conj
from linstock.passes.autodiff.registry import derivative, not_differentiable


@derivative(
    "aten::to.device", "aten::to.dtype", "aten::to.other", "aten::to.dtype_layout", "aten::to.prim_Device",
    "aten::to.prim_dtype",
    "aten::to.prim_other", "aten::clone", "aten::contiguous", "aten::type_as", "aten::cpu", "aten::cuda", "aten::lift",
    "aten::lift_fresh", "aten::pin_memory", "aten::as_tensor", "aten::chalf", "aten::_cast_Double", "aten::_cast_Float",
    "aten::_cast_Half", "aten::to_dense", "aten::_to_dense", "aten::_make_dual", reads_self=False,
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
