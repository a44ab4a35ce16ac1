"""The neutral values that pickles are read into and written from: tensors, objects, enums and typed containers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.errors import ArchiveError


@dataclass(frozen=True, slots=True)
class Global:
    """A name that a pickle refers to (`module.name`). It is never imported: only its text counts."""

    module: str
    name: str

    @property
    def qualified(self) -> str:
        return f"{self.module}.{self.name}"

    def __str__(self) -> str:
        return self.qualified


@dataclass(slots=True, eq=False)
class ObjectRecord:
    """An instance of a class of the archive: the class's qualified name and its pickled state.

    `state` is the dict of attributes in order, or whatever `__getstate__` returned. It may refer back to this object.
    """

    class_name: str
    state: Any = None

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.state)) if isinstance(self.state, dict) else type(self.state).__name__
        return f"ObjectRecord({self.class_name}: {names})"


@dataclass(slots=True, eq=False)
class TypedContainer:
    """A list or dict with its TorchScript type in text form ("Dict[str, Tensor]")."""

    value: Any
    type_string: str


@dataclass(frozen=True, slots=True)
class EnumRecord:
    """A member of an enum class of the archive, known by its value."""

    class_name: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Quantizer:
    """How the integers of a quantised tensor stand for reals: one scale and zero point, or one pair per slice.

    `scheme` is "per_tensor_affine", "per_channel_affine" or "per_channel_affine_float_qparams".
    """

    scheme: str
    scale: Any
    zero_point: Any
    axis: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TensorData:
    """A strided tensor as it lies in an archive. Offset and strides count elements of `storage`, which is 1-D.

    Tensors over one stored record hold arrays over the same memory, so writes through one are seen by the other.
    """

    storage: np.ndarray[Any, Any]
    dtype: dtypes.dtype
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    requires_grad: bool = False
    is_parameter: bool = False
    device: str = "cpu"
    quantizer: Quantizer | None = None

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """A view of the storage with the tensor's shape and strides; raises ArchiveError for sub-byte elements."""
        if self.dtype in PACKED:
            raise ArchiveError(f"a tensor of {self.dtype.name} packs several elements into a byte: read its storage")
        size = self.storage.itemsize
        return np.ndarray(
            self.sizes, self.storage.dtype, self.storage, self.offset * size, [stride * size for stride in self.strides]
        )

    @classmethod
    def of(cls, array: np.ndarray[Any, Any], root: np.ndarray[Any, Any] | None = None, **fields: Any) -> TensorData:
        """Describes `array`, which is a view of `root` (default: of the array that owns its memory).

        The storage is the root's whole memory if the view can be expressed over it, otherwise a copy of the view.
        `fields` are further fields of the record; `dtype` is needed only for quantised tensors.
        """
        dtype = fields.pop("dtype", None) or dtypes.from_numpy(array.dtype)
        if not array.dtype.isnative:
            array, root = array.astype(array.dtype.newbyteorder("=")), None
        if root is None:
            root = array
            while isinstance(root.base, np.ndarray):
                root = root.base
        size = array.itemsize
        storage = _flat(root, array.dtype)
        distance = _address(array) - _address(storage) if storage is not None else -1
        moving = [(count, step) for count, step in zip(array.shape, array.strides) if count > 1]
        reach = sum((count - 1) * step for count, step in moving) + size if array.size else 0
        if (
            storage is None
            or distance < 0
            or distance % size
            or distance + reach > storage.nbytes
            or any(step < 0 or step % size for _, step in moving)
        ):
            array = np.ascontiguousarray(array).reshape(array.shape)
            storage, distance = array.reshape(-1), 0
        return cls(storage, dtype, distance // size, array.shape, _strides(array), **fields)

    def with_fields(self, **fields: Any) -> TensorData:
        """The same tensor with some fields replaced."""
        return replace(self, **fields)


@dataclass(frozen=True, slots=True, eq=False)
class SparseData:
    """A sparse tensor: `layout` is "sparse_coo", …; `parts` are its index and value tensors in PyTorch's order."""

    layout: str
    parts: tuple[Any, ...]
    sizes: tuple[int, ...]
    is_coalesced: bool | None = field(default=None)


#: makes the caller's tensor from what the archive holds; called once per tensor of the pickle
MakeTensor = Callable[[TensorData], Any]
#: what to write for a value if it is a tensor, else None
TensorParts = Callable[[Any], TensorData | None]

#: element types that hold several elements in a byte, and how many
PACKED = {dtypes.quint4x2: 2, dtypes.quint2x4: 4}


def _address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _flat(root: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    """The memory of `root` as a 1-D array of `dtype`, without copying; None if it has gaps or does not divide."""
    flat = root.ravel(order="K")
    if root.size and _address(flat) != _address(root):
        return None
    if flat.dtype == dtype:
        return flat
    if flat.nbytes % dtype.itemsize:
        return None
    return flat.view(np.uint8).view(dtype)


def _strides(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """Strides in elements; where a stride means nothing and is odd, or the tensor is empty, the contiguous one."""
    result: list[int] = []
    step = 1
    for size, stride in zip(reversed(array.shape), reversed(array.strides)):
        odd = stride < 0 or stride % array.itemsize
        result.append(step if array.size == 0 or odd else stride // array.itemsize)
        step = result[-1] * max(size, 1)
    return tuple(reversed(result))
