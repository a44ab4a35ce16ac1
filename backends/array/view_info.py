"""What a tensor or a device says about itself: sizes, types, flags. None of these reads elements."""

from __future__ import annotations

from typing import Any

from linstock.ir import dtypes
from linstock.ir.device import CPU, Device

from . import promotion as P
from .memory import Array, is_dense, is_format, suggested_format
from .registry import kernel


@kernel("aten::dim")
def dim(a: Array) -> int:
    """Number of dimensions."""
    return a.ndim


@kernel("aten::numel")
def numel(a: Array) -> int:
    """Number of elements."""
    return a.size


@kernel("aten::element_size", "prim::itemsize")
def element_size(a: Array) -> int:
    """Bytes per element."""
    return a.itemsize


@kernel("prim::nbytes")
def nbytes(a: Array) -> int:
    """Bytes of all elements."""
    return a.size * a.itemsize


@kernel("aten::get_device")
def get_device(a: Array) -> int:
    """Number of the GPU the tensor is on, -1 for the CPU."""
    return -1


@kernel("prim::device")
def device(a: Array) -> Device:
    """Where the tensor is."""
    return CPU


@kernel("prim::dtype")
def dtype(a: Array) -> int:
    """The element type's ScalarType code."""
    return dtypes.code_of(a.dtype)


@kernel("prim::layout")
def layout(a: Array) -> int:
    """The layout's code: strided."""
    return 0


@kernel("prim::name")
def name(a: Array) -> str | None:
    """The tensor's name: it has none."""
    return None


@kernel("prim::index")
def device_index(d: Device) -> int | None:
    """A device's number."""
    return d.index


@kernel("prim::type")
def device_type(d: Device) -> str:
    """A device's kind."""
    return d.type


@kernel("aten::is_conj", "aten::is_neg")
def is_lazy(a: Array) -> bool:
    """Whether a conjugation or negation is still to be done: never, it is done at once."""
    return False


@kernel("aten::is_pinned")
def is_pinned(a: Array, device: Any = None) -> bool:
    """Whether the memory is locked for a GPU: never on the CPU."""
    return False


@kernel("aten::is_complex")
def is_complex(a: Array) -> bool:
    """Whether the element type is complex."""
    return bool(a.dtype.kind == "c")


@kernel("aten::is_floating_point")
def is_floating_point(a: Array) -> bool:
    """Whether the element type is floating point."""
    return a.dtype.kind != "c" and P.is_inexact(a.dtype)


@kernel("aten::is_signed")
def is_signed(a: Array) -> bool:
    """Whether the element type has negative values."""
    return a.dtype.kind not in "bu"


@kernel("aten::is_contiguous")
def is_contiguous(a: Array) -> bool:
    """Whether the elements lie in memory in their order."""
    return a.flags.c_contiguous


@kernel("aten::is_contiguous.memory_format")
def is_contiguous_format(a: Array, memory_format: int) -> bool:
    """Whether the tensor is contiguous in a memory format."""
    return is_format(a, memory_format)


@kernel("aten::is_strides_like_format")
def is_strides_like_format(a: Array, memory_format: int) -> bool:
    """Whether the strides suggest a memory format."""
    return suggested_format(a) == memory_format


@kernel("aten::is_non_overlapping_and_dense")
def is_non_overlapping_and_dense(a: Array) -> bool:
    """Whether the elements fill their memory without gaps and overlaps."""
    return is_dense(a)


@kernel("aten::is_same_size")
def is_same_size(a: Array, other: Array) -> bool:
    """Whether two shapes are equal."""
    return bool(a.shape == other.shape)


@kernel("prim::is_cpu")
def is_cpu(a: Array) -> bool:
    """Whether the tensor is in the CPU's memory."""
    return True


def _never(a: Any) -> bool:
    """A property that these arrays do not have."""
    return False


kernel(
    "aten::_is_zerotensor", "aten::is_distributed", "aten::is_inference",
    *[f"prim::is_{kind}" for kind in (
        "cuda", "ipu", "maia", "meta", "mkldnn", "mps", "mtia", "nested", "quantized", "sparse", "sparse_csr", "vulkan",
        "xla", "xpu",
    )],
)(_never)  # fmt: skip


@kernel("aten::dense_dim")
def dense_dim(a: Array) -> int:
    """Number of dimensions that are stored densely: all."""
    return a.ndim


@kernel("aten::sparse_dim")
def sparse_dim(a: Array) -> int:
    """Number of dimensions that are stored sparsely: none."""
    return 0


def _register_sparse_only(name: str) -> None:
    def refuse(a: Array) -> Any:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")

    kernel(f"aten::{name}")(refuse)


for _name in ("is_coalesced", "coalesce", "indices", "values"):
    _register_sparse_only(_name)
