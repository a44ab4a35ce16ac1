"""Tensors from Python data, and conversions that are Python calls rather than one operator: `tensor`, `to`, `type`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from linstock.backends.array import promotion
from linstock.ir import dtypes
from linstock.ir.device import CPU, Device
from linstock.ir.dtypes import dtype as DType
from linstock.runtime.tensor import Tensor, _operator, from_numpy
from linstock.runtime.types import Code

_NAMES = {
    "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "float16": "Half",
    "float32": "Float",
    "float64": "Double", "bool": "Bool", "bfloat16": "BFloat16", "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
    "qint8": "QInt8", "quint8": "QUInt8", "qint32": "QInt32", "uint16": "UInt16", "uint32": "UInt32",
    "uint64": "UInt64",
}  # fmt: skip
_BY_LEGACY_NAME = {f"{v}Tensor": k for k, v in _NAMES.items()}
_PYTHON_TYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}


def dtype_of(value: Any) -> DType:
    """A dtype given as one, as a Python type, or by its name. Raises TypeError."""
    if isinstance(value, DType):
        return value
    if value in _PYTHON_TYPES:
        return _PYTHON_TYPES[value]
    name = str(getattr(value, "name", value)).rpartition(".")[2]  # torch.dtype prints as "torch.float32"
    try:
        return dtypes.by_name(name)
    except KeyError:
        raise TypeError(f"dtype must be a linstock.dtype, not {type(value).__name__} ({value!r})") from None


def device_of(value: Any) -> Device:
    """A device given as one, by its name, or as the index of an accelerator."""
    if isinstance(value, Device):
        return value
    if isinstance(value, int):
        return Device("cuda", value)
    return Device(value if isinstance(value, str) else str(value))


def _placed(made: Tensor, device: Any) -> Tensor:
    if device is None:
        return made
    target = device_of(device)
    return made if target == CPU or target.type == "cpu" else to(made, target)


def _new(array: Any) -> Tensor:
    made = object.__new__(Tensor)
    made._array, made._meta = array, None
    return made


# from data ----------------------------------------------------------------------------------------------------------


def _flatten(data: Any, shape: list[int], depth: int, out: list[Any]) -> None:
    """Append the leaves of nested sequences; `shape` holds the lengths seen first and the others must agree."""
    if depth == len(shape):
        out.append(data)
        return
    if not isinstance(data, (list, tuple, range, np.ndarray)) and not (isinstance(data, Tensor) and data.dim()):
        raise TypeError(
            f"{type(data).__name__!r} object cannot be used as a sequence of length {shape[depth]} at dim {depth}"
        )
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    if depth + 1 == len(shape):
        out.extend(data.tolist() if isinstance(data, Tensor) else data)
    else:
        for item in data:
            _flatten(item, shape, depth + 1, out)


def _is_sequence(data: Any) -> bool:
    return isinstance(data, Sequence) and not isinstance(data, str)


def _infer(kinds: set[type], leaves: list[Any]) -> DType:
    """The element type of Python scalars, NumPy scalars and one-element tensors together."""
    if kinds <= {bool}:
        return dtypes.bool_ if kinds else dtypes.by_code(promotion.default_code())
    if kinds <= {bool, int}:
        return dtypes.int64
    found: int | None = None
    for kind in kinds:
        if issubclass(kind, Tensor) or issubclass(kind, np.generic):
            members = [x for x in leaves if type(x) is kind]
            codes = {x.dtype.code if isinstance(x, Tensor) else dtypes.code_of(x.dtype) for x in members}
        elif issubclass(kind, (bool, int, float, complex)):
            codes = {promotion.scalar_code(kind())}
        elif issubclass(kind, str):
            raise TypeError(f"new(): invalid data type {kind.__name__!r}")
        else:
            raise RuntimeError(f"Could not infer dtype of {kind.__name__}")
        for code in codes:
            found = code if found is None else dtypes.promote_codes(found, code)
    assert found is not None
    return dtypes.by_code(found)


def array_of(data: Any, dtype: DType | None = None) -> Any:
    """Nested Python sequences and numbers as a new array, of the type that PyTorch infers unless one is given."""
    shape: list[int] = []
    probe = data
    while _is_sequence(probe) or (isinstance(probe, (np.ndarray, Tensor)) and probe.ndim):
        if isinstance(probe, Tensor) and probe.ndim:
            if probe.numel() != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            break
        shape.append(len(probe))
        if not shape[-1]:
            break
        probe = probe[0]
    leaves: list[Any] = []
    _flatten(data, shape, 0, leaves)
    kinds = set(map(type, leaves))
    if dtype is None:
        dtype = _infer(kinds, leaves)
    if not kinds <= {bool, int, float, complex}:
        leaves = [_plain(x) for x in leaves]
    return _converted(leaves, dtype).reshape(shape)


def _plain(x: Any) -> Any:
    if isinstance(x, (Tensor, np.generic, np.ndarray)):
        return x.item()
    if isinstance(x, (bool, int, float, complex)):
        return x
    if hasattr(x, "__index__"):
        return x.__index__()
    if hasattr(x, "__float__"):
        return float(x)
    raise TypeError(f"new(): invalid data type {type(x).__name__!r}")


def _converted(leaves: list[Any], dtype: DType) -> Any:
    target = dtype.numpy
    if target.kind in "iu":
        return _integers(leaves, dtype)
    if dtype.is_floating_point and any(type(x) is complex for x in leaves):
        raise TypeError(f"a complex number cannot be an element of type {dtype}")
    with np.errstate(over="ignore"):
        if target.isbuiltin == 1 and target.itemsize > 2:
            return np.array(leaves, target)
        wide = np.array(leaves, np.float64)
        return (
            wide.astype(target)
            if target.itemsize > 1 and target.kind == "f"
            else wide.astype(np.float32).astype(target)
        )


def _integers(leaves: list[Any], dtype: DType) -> Any:
    limits = np.iinfo(dtype.numpy)
    whole = [x if type(x) is int else _whole(x, dtype) for x in leaves]
    if dtype is dtypes.int64:
        try:
            return np.array(whole, np.int64)
        except OverflowError:
            raise ValueError("Overflow when unpacking long long") from None
    low = int(limits.min) if dtype.is_signed else -int(limits.max)
    if whole and (max(whole) > int(limits.max) or min(whole) < low):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    if dtype is dtypes.uint64:
        return np.array([x & 0xFFFFFFFFFFFFFFFF for x in whole], np.uint64)
    return np.array(whole, np.int64).astype(dtype.numpy)


def _whole(x: Any, dtype: DType) -> int:
    if type(x) is complex or x != x or x in (float("inf"), float("-inf")):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return int(x)


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A new tensor from numbers, nested sequences, an array or a tensor (whose data is copied).

    The type is inferred as PyTorch does unless given. Raises ValueError for ragged sequences, TypeError for strings.
    """
    kind = None if dtype is None else dtype_of(dtype)
    if isinstance(data, Tensor):
        made = data.detach().to(kind or data.dtype, copy=True)
    elif isinstance(data, np.ndarray):
        made = _from_array(data).to(kind or dtypes.from_numpy(data.dtype), copy=True)
    elif not _is_sequence(data) and hasattr(data, "__array__") and not isinstance(data, np.generic):
        return tensor(np.asarray(data), dtype=dtype, device=device, requires_grad=requires_grad)
    else:
        made = _new(array_of(data, kind))
    made = _placed(made, device)
    if requires_grad:
        if not (made.dtype.is_floating_point or made.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made.requires_grad_()
    return made


def _from_array(array: Any) -> Tensor:
    """A tensor over an array's memory, without the warning that it cannot be written (the caller copies)."""
    if array.dtype.kind not in "OSUmM" and any(s < 0 for s in array.strides):
        array = array.copy()
    if not array.flags.writeable and array.dtype.isnative:
        dtypes.from_numpy(array.dtype)
        return _new(array)
    return from_numpy(array)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Data as a tensor, over the same memory where possible (tensors and NumPy arrays of the wanted type)."""
    if isinstance(data, Tensor):
        return data if dtype is None and device is None else to(data, *[x for x in (device, dtype) if x is not None])
    if isinstance(data, np.ndarray):
        made = from_numpy(data)
        return as_tensor(made, dtype, device)
    if not _is_sequence(data) and hasattr(data, "__dlpack__") and not isinstance(data, np.generic):
        return as_tensor(from_dlpack(data), dtype, device)
    return tensor(data, dtype=dtype, device=device)


def from_dlpack(external: Any) -> Tensor:
    """A tensor over the memory of any array that speaks DLPack (NumPy, PyTorch, CuPy, JAX, ...)."""
    if isinstance(external, Tensor):
        return external.detach()
    if getattr(external, "requires_grad", False):
        external = external.detach()
    kind = external.__dlpack_device__()[0] if hasattr(external, "__dlpack_device__") else 1
    if int(kind) == 2:
        import cupy

        return _new(cupy.from_dlpack(external))
    if str(getattr(external, "dtype", "")) == "torch.bfloat16":  # NumPy's side of DLPack does not know the type
        words = external.view(sys.modules["torch"].int16)
        return _new(from_dlpack(words)._array.view(dtypes.bfloat16.numpy))
    try:
        array = np.from_dlpack(external)
    except (BufferError, RuntimeError, TypeError):
        array = np.asarray(external)
    if not array.flags.writeable:
        array = _writable(array)
    return _new(array)


def _writable(array: Any) -> Any:
    """The same memory, writable: DLPack's older protocol does not say that its producers allow writing, and they do."""
    if array.size == 0 or not isinstance(array, np.ndarray):
        return array
    import ctypes

    low = min(0, *[(n - 1) * s for n, s in zip(array.shape, array.strides)], 0) if array.ndim else 0
    high = sum(max(0, (n - 1) * s) for n, s in zip(array.shape, array.strides)) + array.itemsize
    raw = (ctypes.c_char * (high - low)).from_address(array.ctypes.data + low)
    flat = np.frombuffer(raw, np.uint8)
    raw._keeper = array
    return np.ndarray(array.shape, array.dtype, flat, -low, array.strides)


def legacy(data: tuple[Any, ...], device: Any = None, element: DType | None = None) -> Tensor:
    """PyTorch's legacy constructor `Tensor(...)`: sizes, or data in the default floating-point (or a given) type."""
    default = element or dtypes.by_code(promotion.default_code())
    if not data:
        return _new(np.zeros(0, default.numpy))
    first = data[0]
    if all(isinstance(d, (int, np.integer)) for d in data):
        return _new(np.zeros(tuple(int(d) for d in data), default.numpy))
    if len(data) > 1:
        raise TypeError(
            f"new() received an invalid combination of arguments: {', '.join(type(d).__name__ for d in data)}"
        )
    from linstock.runtime.types import Size

    if isinstance(first, Size):
        return _new(np.zeros(tuple(first), default.numpy))
    if isinstance(first, Tensor):
        if first.dtype is not default:
            raise TypeError(f"expected {default} (got {first.dtype})")
        return first.detach()
    if isinstance(first, np.ndarray):
        return _from_array(first).to(default, copy=True)
    return _new(array_of(first, default))


# conversions --------------------------------------------------------------------------------------------------------


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """`x.to(dtype)`, `x.to(device, dtype)`, `x.to(other)`, with `non_blocking`, `copy` and `memory_format`."""
    target = kind = None
    rest = list(args)
    other = kwargs.pop("other", None)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        kind, target = other.dtype, other.device
    elif rest and (rest[0] is None or (isinstance(rest[0], (str, int, Device)) and not isinstance(rest[0], bool))):
        first = rest.pop(0)
        target = None if first is None else device_of(first)
        if rest and not isinstance(rest[0], bool):
            second = rest.pop(0)
            kind = None if second is None else dtype_of(second)
    elif rest:
        first = rest.pop(0)
        if hasattr(first, "type") and hasattr(first, "index") and not isinstance(first, (type, DType)):
            target = device_of(first)  # another library's device
            if rest and not isinstance(rest[0], bool):
                kind = dtype_of(rest.pop(0))
        else:
            kind = dtype_of(first)
    if kwargs.get("device") is not None:
        target = device_of(kwargs["device"])
    if kwargs.get("dtype") is not None:
        kind = dtype_of(kwargs["dtype"])
    non_blocking = rest.pop(0) if rest else kwargs.get("non_blocking", False)
    copy = rest.pop(0) if rest else kwargs.get("copy", False)
    order = kwargs.get("memory_format")
    unknown = kwargs.keys() - {"device", "dtype", "non_blocking", "copy", "memory_format"}
    if unknown or rest:
        raise TypeError(f"to() received an invalid combination of arguments: {', '.join(sorted(unknown)) or rest!r}")
    if target is not None:
        check_device(target)
    code = None if order is None else int(order)
    if target is None or target.type == self.device.type:
        wanted = self.dtype if kind is None else kind
        return _operator("aten::to.dtype")(self, wanted.code, bool(non_blocking), bool(copy), code)  # type: ignore[no-any-return]
    return _operator("aten::to.device")(  # type: ignore[no-any-return]
        self, target, (kind or self.dtype).code, bool(non_blocking), bool(copy), code
    )


def check_device(device: Device) -> None:
    """Raise RuntimeError for a device that is not there, saying how to get it."""
    if device.type == "cpu":
        return
    if device.type == "cuda":
        from importlib.util import find_spec

        if find_spec("cupy") is not None:
            import cupy

            if cupy.cuda.is_available():
                return
        raise RuntimeError(
            "CUDA is not available here: tensors on 'cuda' need an NVIDIA GPU and CuPy (`pip install linstock[cuda]`). "
            "Use the device 'cpu', or map_location='cpu' to load a model saved on a GPU."
        )
    raise RuntimeError(f"tensors on {str(device)!r} are not supported: use 'cpu' or 'cuda'")


def type_name(self: Tensor) -> str:
    """PyTorch's legacy name of a tensor's type: "linstock.FloatTensor"."""
    place = "" if self.is_cpu else "cuda."
    return f"linstock.{place}{_NAMES.get(self.dtype.name, self.dtype.name)}Tensor"


def as_type(self: Tensor, wanted: Any) -> Tensor:
    """`x.type(dtype)`, also by a legacy name ("torch.FloatTensor")."""
    if isinstance(wanted, str):
        name = wanted.rpartition(".")[2]
        if name not in _BY_LEGACY_NAME:
            raise ValueError(f"invalid type: {wanted!r}")
        wanted = dtypes.by_name(_BY_LEGACY_NAME[name])
    return to(self, dtype_of(wanted))


class _LegacyType(type):
    """Makes `isinstance(x, FloatTensor)` ask for the element type."""

    element: DType

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.element

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        return legacy(data, device, cls.element)


def legacy_type(name: str) -> Any:
    """PyTorch's legacy class of tensors of one element type ("FloatTensor"): a constructor, and something for
    `isinstance`."""
    element = dtypes.by_name(_BY_LEGACY_NAME[name])
    return _LegacyType(name, (), {"element": element, "dtype": element, "__doc__": f"Tensors of type {element.name}."})


def is_code(value: Any) -> bool:
    """Whether a value is a layout, memory format or quantization scheme."""
    return isinstance(value, Code)
