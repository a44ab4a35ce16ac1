"""What PyTorch's names mean in a pickle: tensors, storages, element types, devices, TorchScript's containers."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.records import Global, MakeTensor, Quantizer, SparseData, TensorData, TypedContainer
from linstock.runtime.archive.storages import NAMES, Storage, StorageRef, StorageType, check_bounds
from linstock.runtime.archive.unpickle import Rules, unknown_global

_QSCHEMES = (
    "per_tensor_affine", "per_tensor_symmetric", "per_channel_affine", "per_channel_symmetric",
    "per_channel_affine_float_qparams",
)  # fmt: skip
#: types that only say "this is an ordinary tensor" or "…parameter"
_TENSOR_TYPES = ("torch.Tensor", "torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer")
#: element types that PyTorch has and linstock lacks: named in the message instead of as an unknown class
_UNSUPPORTED = ("ComplexHalf", "Float8_e4m3fnuz", "Float8_e5m2fnuz", "Float8_e8m0fnu", "Float4_e2m1fn_x2")


def _values() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for dtype in dtypes.ALL:
        values[f"torch.{dtype.name}"] = dtype
    for name, dtype in dtypes.ALIASES.items():
        values[f"torch.{name}"] = dtype
    for name, kind in NAMES.items():
        for module in ("torch", "torch.cuda", "torch.storage"):
            values[f"{module}.{name}Storage"] = StorageType(f"{name}Storage", kind)
        values[f"torch.{name}Tensor"] = Global("torch", f"{name}Tensor")
    for name in ("torch.storage.UntypedStorage", "torch.UntypedStorage", "torch.storage._UntypedStorage"):
        values[name] = StorageType("UntypedStorage", None)
    for scheme in _QSCHEMES:
        values[f"torch.{scheme}"] = Global("torch", scheme)
    for qualified in _TENSOR_TYPES:
        module, _, name = qualified.rpartition(".")
        values[qualified] = Global(module, name)
    for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"):
        values[f"torch.{name}"] = Global("torch", name)
    for name in ("contiguous_format", "channels_last", "channels_last_3d", "preserve_format"):
        values[f"torch.{name}"] = Global("torch", name)
    for name in _UNSUPPORTED:
        values[f"torch.{name}Storage"] = Global("torch", f"{name}Storage")
    for name in ("complex32", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
        values[f"torch.{name}"] = Global("torch", name)
    values["numpy.ndarray"] = Global("numpy", "ndarray")
    return values


class TensorRules:
    """The functions that a pickle's tensors are made by, around the caller's `make_tensor`.

    `make_size` makes a torch.Size from a tuple. `make_sparse` makes a sparse tensor; without it one is an ArchiveError.
    """

    def __init__(
        self,
        make_tensor: MakeTensor,
        make_size: Callable[[tuple[int, ...]], Any] = tuple,
        make_sparse: Callable[[SparseData], Any] | None = None,
    ) -> None:
        self._make, self._size, self._sparse = make_tensor, make_size, make_sparse
        # what each tensor was made from, for functions that take a tensor; the tensor keeps its id from being reused
        self._made: dict[int, tuple[Any, TensorData]] = {}
        self._calls = self._common_calls()

    def rules(self, what: str, records: bool) -> Rules:
        """The rules of a pickle called `what`; `records` for TorchScript's, with classes of their own."""
        calls = dict(self._calls)
        if records:
            for kind, type_string in _LIST_TYPES.items():
                calls[f"torch.jit._pickle.build_{kind}list"] = _typed_list(type_string)
            calls["torch.jit._pickle.restore_type_tag"] = _typed
        else:
            calls["collections.Counter"] = lambda counts=(): Counter(dict(counts))
        return Rules(_VALUES, calls, _BUILDS, records, what)

    def _common_calls(self) -> dict[str, Callable[..., Any]]:
        calls: dict[str, Callable[..., Any]] = {
            "torch._utils._rebuild_tensor": self._tensor,
            "torch._utils._rebuild_tensor_v2": self._tensor,
            "torch._utils._rebuild_tensor_v3": self._tensor_v3,
            "torch._utils._rebuild_qtensor": self._quantized,
            "torch._utils._rebuild_parameter": self._parameter,
            "torch._utils._rebuild_parameter_with_state": self._parameter,
            "torch._utils._rebuild_meta_tensor_no_storage": self._meta,
            "torch._utils._rebuild_sparse_tensor": self._sparse_tensor,
            "torch._tensor._rebuild_from_type_v2": self._from_type,
            "torch._tensor._rebuild_from_type": self._from_type,
            "torch.nn.parameter.Parameter": lambda data, requires_grad=True: self._parameter(data, requires_grad),
            "torch.serialization._get_layout": lambda name: Global(*name.rsplit(".", 1)),
            "torch.device": lambda kind, index=None: Device(kind, index),
            "torch.Size": lambda sizes=(): self._size(tuple(sizes)),
            "collections.OrderedDict": _ordered_dict,
            "_codecs.encode": _encoded,
            "numpy.dtype": _NumpyType,
        }
        for module in ("builtins", "__builtin__"):
            calls[f"{module}.complex"] = _complex
            calls[f"{module}.set"] = lambda items=(): _plain(set, items)
            calls[f"{module}.frozenset"] = lambda items=(): _plain(frozenset, items)
            calls[f"{module}.bytearray"] = lambda data=b"", encoding=None: bytearray(
                data if encoding is None else _encoded(data, encoding)
            )
        for module in ("numpy.core.multiarray", "numpy._core.multiarray"):
            calls[f"{module}.scalar"] = _numpy_scalar
            calls[f"{module}._reconstruct"] = _numpy_array
        return calls

    def _new(self, data: TensorData) -> Any:
        tensor = self._make(data)
        self._made[id(tensor)] = (tensor, data)
        return tensor

    def _data(self, tensor: Any) -> TensorData:
        try:
            return self._made[id(tensor)][1]
        except KeyError:
            raise ArchiveError(f"a pickle expects a tensor and has a {type(tensor).__name__}") from None

    def _tensor(
        self, storage: Any, offset: Any, sizes: Any, strides: Any, requires_grad: Any = False, hooks: Any = None,
        metadata: Any = None,
    ) -> Any:  # fmt: skip
        return self._new(_strided(storage, None, offset, sizes, strides, requires_grad, metadata))

    def _tensor_v3(
        self, storage: Any, offset: Any, sizes: Any, strides: Any, requires_grad: Any, hooks: Any, dtype: Any,
        metadata: Any = None,
    ) -> Any:  # fmt: skip
        if not isinstance(dtype, dtypes.dtype):
            raise ArchiveError(f"a tensor has elements of {dtype!s:.60}, which linstock does not have")
        return self._new(_strided(storage, dtype, offset, sizes, strides, requires_grad, metadata))

    def _quantized(
        self, storage: Any, offset: Any, sizes: Any, strides: Any, quantizer: Any, requires_grad: Any, hooks: Any
    ) -> Any:
        data = _strided(storage, None, offset, sizes, strides, requires_grad, None)
        if not data.dtype.is_quantized:
            raise ArchiveError(f"a quantised tensor has elements of {data.dtype.name}")
        return self._new(data.with_fields(quantizer=self._quantizer(quantizer, data.sizes)))

    def _quantizer(self, parts: Any, sizes: tuple[int, ...]) -> Quantizer:
        scheme = parts[0].name if isinstance(parts, tuple) and parts and isinstance(parts[0], Global) else parts
        if scheme == "per_tensor_affine" and len(parts) == 3 and type(parts[2]) is int:
            return Quantizer(scheme, float(parts[1]), parts[2])
        if scheme in ("per_channel_affine", "per_channel_affine_float_qparams") and len(parts) == 4:
            axis = parts[3]
            if type(axis) is not int or not 0 <= axis < len(sizes):
                raise ArchiveError(f"a quantised tensor of sizes {sizes} has the channel axis {axis!r:.30}")
            scales, zero_points = (
                np.asarray(part) if isinstance(part, list | tuple) else self._data(part).array for part in parts[1:3]
            )
            if scales.shape != (sizes[axis],) or zero_points.shape != (sizes[axis],):
                raise ArchiveError(f"a quantised tensor has {scales.size} scales for {sizes[axis]} channels")
            return Quantizer(scheme, scales, zero_points, axis)
        raise ArchiveError(f"a tensor is quantised in a way that linstock does not know: {scheme!s:.60}")

    def _parameter(self, tensor: Any, requires_grad: Any = True, hooks: Any = None, state: Any = None) -> Any:
        return self._new(self._data(tensor).with_fields(is_parameter=True, requires_grad=bool(requires_grad)))

    def _meta(self, dtype: Any, sizes: Any, strides: Any, requires_grad: Any) -> Any:
        if not isinstance(dtype, dtypes.dtype):
            raise ArchiveError(f"a tensor has elements of {dtype!s:.60}, which linstock does not have")
        nowhere = StorageRef(Storage(np.zeros(0, np.uint8), "meta"), dtype, 0)
        return self._new(_strided(nowhere, dtype, 0, sizes, strides, requires_grad, None))

    def _sparse_tensor(self, layout: Any, data: Any) -> Any:
        name = layout.name if isinstance(layout, Global) else str(layout)
        if self._sparse is None:
            raise ArchiveError(f"the file holds a sparse tensor ({name}), which linstock does not have: save it dense")
        wanted = 2 if name == "sparse_coo" else 3
        if not isinstance(data, tuple) or not wanted < len(data) <= wanted + (2 if wanted == 2 else 1):
            raise ArchiveError(f"a sparse tensor of layout {name} has other parts than it needs")
        flag = data[3] if wanted == 2 and len(data) == 4 else None
        return self._sparse(SparseData(name, data[:wanted], tuple(data[wanted]), flag))

    def _from_type(self, function: Any, kind: Any, arguments: Any, state: Any) -> Any:
        """A tensor with Python attributes, or of a subclass that adds nothing else: the tensor alone."""
        if not isinstance(kind, Global) or kind.qualified not in _TENSOR_TYPES:
            raise unknown_global("a tensor", str(kind))
        if not isinstance(function, Global) or "_rebuild_" not in function.name:
            raise ArchiveError(f"a tensor is made by {function!s:.60}")
        return self._calls[function.qualified](*arguments)


def _strided(
    storage: Any, dtype: dtypes.dtype | None, offset: Any, sizes: Any, strides: Any, requires_grad: Any, metadata: Any
) -> TensorData:
    """A tensor over a storage, checked to lie within it."""
    if not isinstance(storage, StorageRef):
        raise ArchiveError(f"a tensor is made from a {type(storage).__name__} instead of a storage")
    dtype = dtype or storage.dtype or dtypes.uint8
    if storage.storage.device == "meta":
        # no memory: one element stands for all
        offset, sizes, strides = check_bounds(1 << 61, dtype, offset, sizes, strides)
        return TensorData(
            np.zeros(1, dtype.numpy), dtype, 0, sizes, (0,) * len(sizes), bool(requires_grad), device="meta"
        )  # fmt: skip
    elements = storage.storage.of(dtype)[: storage.numel * (storage.dtype or dtypes.uint8).itemsize // dtype.itemsize]
    offset, sizes, strides = check_bounds(len(elements), dtype, offset, sizes, strides)
    data = TensorData(elements, dtype, offset, sizes, strides, bool(requires_grad), device=storage.storage.device)
    if isinstance(metadata, TypedContainer):
        metadata = metadata.value
    if isinstance(metadata, dict) and (metadata.get("conj") or metadata.get("neg")):
        # PyTorch keeps conjugation and negation as marks on the tensor; here they are carried out
        array = np.conj(data.array) if metadata.get("conj") else data.array
        array = np.negative(array) if metadata.get("neg") else array
        data = TensorData.of(np.array(array), requires_grad=data.requires_grad, device=data.device)
    return data


_LIST_TYPES = {"int": "List[int]", "double": "List[float]", "bool": "List[bool]", "tensor": "List[Tensor]"}


def _typed_list(type_string: str) -> Callable[[Any], TypedContainer]:
    return lambda items: _typed(items, type_string)


def _typed(value: Any, type_string: Any) -> TypedContainer:
    if isinstance(value, TypedContainer):
        value = value.value
    if type(value) not in (list, dict) or not isinstance(type_string, str):
        raise ArchiveError(f"a type tag is on a {type(value).__name__} instead of a list or dict")
    return TypedContainer(value, type_string)


def _complex(real: Any, imaginary: Any = 0.0) -> complex:
    if not isinstance(real, int | float) or not isinstance(imaginary, int | float):
        raise ArchiveError("a complex number is made from something else than numbers")
    return complex(real, imaginary)


def _plain(kind: type, items: Any) -> Any:
    if type(items) not in (list, tuple, set, frozenset) or any(type(item) is tuple for item in items):
        raise ArchiveError(f"a {kind.__name__} is made from a {type(items).__name__}")
    return kind(items)


def _ordered_dict(items: Any = ()) -> OrderedDict[Any, Any]:
    if type(items) not in (list, tuple) or any(type(pair) not in (list, tuple) or len(pair) != 2 for pair in items):
        raise ArchiveError("an OrderedDict is made from something else than pairs")
    if any(type(key) is tuple for key, _ in items):
        raise ArchiveError("an OrderedDict has tuples as keys")
    return OrderedDict(items)


def _encoded(text: Any, encoding: Any = "latin1") -> bytes:
    """Bytes, which protocol 2 writes as text to be encoded."""
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise ArchiveError(f"bytes are encoded as {encoding!r:.30} instead of 'latin1'")
    return text.encode("latin-1")


def _set_metadata(target: OrderedDict[Any, Any], state: Any) -> None:
    """A state_dict keeps the versions of its modules in an attribute; nothing else is taken over."""
    if isinstance(state, dict) and "_metadata" in state:
        target._metadata = state["_metadata"]  # type: ignore[attr-defined]


class _NumpyType:
    """A NumPy dtype being unpickled: numbers, booleans and strings, nothing that holds objects."""

    def __init__(self, code: Any, align: Any = False, copy: Any = True) -> None:
        if not isinstance(code, str) or len(code) > 8 or code[:1] not in "biufcSU":
            raise ArchiveError(f"a NumPy value has elements of type {code!r:.30}")
        self.dtype = np.dtype(code)

    def set_order(self, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">") and self.dtype.kind in "iufcU":
            self.dtype = self.dtype.newbyteorder(state[1])


def _numpy_array(kind: Any, shape: Any, code: Any) -> np.ndarray[Any, Any]:
    """An empty array, which gets its shape and content by BUILD."""
    if not isinstance(kind, Global) or kind.qualified != "numpy.ndarray" or shape != (0,):
        raise ArchiveError(f"a NumPy array is made by {kind!s:.60}")
    return np.empty((0,), np.uint8)


def _fill_array(array: np.ndarray[Any, Any], state: Any) -> None:
    _, shape, kind, fortran, content = state
    if not isinstance(kind, _NumpyType) or not isinstance(content, bytes) or array.shape != (0,):
        raise ArchiveError("a NumPy array does not hold plain numbers")
    check_bounds(len(content) + 1, dtypes.uint8, 0, shape, shape)
    whole: Any = (1, tuple(shape), kind.dtype, bool(fortran), content)
    array.__setstate__(whole)


def _numpy_scalar(kind: Any, content: Any) -> Any:
    if not isinstance(kind, _NumpyType) or not isinstance(content, bytes) or len(content) != kind.dtype.itemsize:
        raise ArchiveError("a NumPy number does not hold a plain number")
    return np.frombuffer(content, kind.dtype)[0]


_VALUES = _values()
_BUILDS: dict[type, Callable[[Any, Any], Any]] = {
    OrderedDict: _set_metadata,
    _NumpyType: _NumpyType.set_order,
    np.ndarray: _fill_array,
}
