"""The tensor of the public API: an array, and what it knows of gradients.

Operators that are methods (`x.relu()`, `x.sum(0)`) are not written here: they are made from the operator table when
they are first used (`resolve.method`).
"""

from __future__ import annotations

import operator as python
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linstock.backends.array.memory import is_format, storage, storage_offset, strides_of
from linstock.ir import dtypes
from linstock.ir.device import CPU, Device
from linstock.ir.dtypes import dtype
from linstock.runtime import tape
from linstock.runtime import types as kinds
from linstock.runtime.modes import get_mode
from linstock.runtime.tape import Meta, RemovableHandle
from linstock.runtime.types import Size

_DTYPES: dict[int, dtype] = {}
_NUMBERS = (int, float, bool, complex)


def _operator(full_name: str) -> Callable[..., Any]:
    from linstock.runtime.dispatch import operator

    return operator(full_name)


def _concrete(kind: str, tensor: Tensor, value: Any) -> Any:
    recorder = get_mode().recorder
    return value if recorder is None else recorder.concrete(kind, tensor, value)


def _binary(name: str, tensor: str = "Tensor", scalar: str = "Scalar") -> Any:
    """An operator method with a tensor or a number on the right."""
    with_tensor = with_scalar = None

    def method(self: Tensor, other: Any) -> Any:
        nonlocal with_tensor, with_scalar
        if isinstance(other, Tensor):
            if with_tensor is None:
                with_tensor = _operator(f"aten::{name}.{tensor}" if tensor else f"aten::{name}")
            return with_tensor(self, other)
        if type(other) not in _NUMBERS:
            other = _operand(other)
            if other is NotImplemented:
                return NotImplemented
            if isinstance(other, Tensor):
                return method(self, other)
        if with_scalar is None:
            with_scalar = _operator(f"aten::{name}.{scalar}")
        return with_scalar(self, other)

    return method


def _operand(value: Any) -> Any:
    """The other operand of a Python operator: a number, a Tensor from an array, NotImplemented for anything else."""
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return from_numpy(value)
    return NotImplemented


def _scalar_first(name: str, overload: str) -> Any:
    """A reflected operator whose overload takes the number first (`2 ** x`)."""
    bound = None

    def method(self: Tensor, other: Any) -> Any:
        nonlocal bound
        other = _operand(other)
        if other is NotImplemented:
            return NotImplemented
        if isinstance(other, Tensor):
            return _operator(f"aten::{name}.{'Tensor_Tensor' if name == 'pow' else 'Tensor'}")(other, self)
        if bound is None:
            bound = _operator(f"aten::{name}.{overload}")
        return bound(other, self)

    return method


def _unary(name: str) -> Any:
    def method(self: Tensor) -> Any:
        return _operator(f"aten::{name}")(self)

    return method


def _property(name: str, doc: str) -> Any:
    return property(lambda self: _operator(f"aten::{name}")(self), doc=doc)


def _to_type(d: dtype) -> Any:
    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        code = None if memory_format is None else int(memory_format)
        return _operator("aten::to.dtype")(self, d.code, False, False, code)  # type: ignore[no-any-return]

    method.__doc__ = f"The tensor as {d.name}; itself where it has that type."
    return method


class TensorMeta(type):
    """Makes `Tensor.relu` available like `x.relu`, and lists the operators in `dir(Tensor)`."""

    def __getattr__(cls, name: str) -> Any:
        from linstock.runtime.resolve import method

        found = None if name.startswith("__") else method(name)
        if found is None:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        setattr(Tensor, name, found)
        return found

    def __dir__(cls) -> list[str]:
        from linstock.runtime.resolve import method_names

        return sorted({*super().__dir__(), *method_names()})


class Tensor(metaclass=TensorMeta):
    """A multi-dimensional array of one element type, with PyTorch's operators, methods and semantics.

    Make one with `linstock.tensor`, `linstock.zeros`, `linstock.from_numpy`, ...; `Tensor(2, 3)` and `Tensor([1, 2])`
    are PyTorch's legacy constructors (a tensor of a shape, one from data, in the default floating type).
    """

    __slots__ = ("__dict__", "__weakref__", "_array", "_meta")
    __array_priority__ = 1000

    _array: Any
    _meta: Meta | None

    def __new__(cls, *data: Any, device: Any = None) -> Any:
        made = object.__new__(cls)
        if data or (cls is Tensor and device is not None):
            from linstock.runtime.creation import legacy

            made._array, made._meta = legacy(data, device)._array, None
        return made

    def __init__(self, *data: Any, device: Any = None) -> None:
        if not data:
            self._array, self._meta = np.zeros(0, np.float32), None

    # what it is -----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the dimensions."""
        sizes = Size(self._array.shape)
        recorder = get_mode().recorder
        return sizes if recorder is None else recorder.shape(self, sizes)

    @property
    def dtype(self) -> dtype:
        """The element type."""
        d = self._array.dtype
        found = _DTYPES.get(d.num) if type(d.num) is int else None
        if found is None or not isinstance(self._array, np.ndarray):
            return _dtype_of(self._array)  # type: ignore[no-any-return]
        return found

    @property
    def device(self) -> Device:
        """Where the memory is."""
        return CPU if isinstance(self._array, np.ndarray) else _device_of(self._array)

    @property
    def layout(self) -> kinds.layout:
        """How the elements are kept (`strided`, `sparse_coo`)."""
        return kinds.layout.of(getattr(self._array, "layout_code", 0))  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._array.dtype.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel() * self.itemsize

    is_sparse = property(lambda self: self.layout is kinds.sparse_coo, doc="Whether only non-zero elements are kept.")
    is_sparse_csr = property(lambda self: self.layout is kinds.sparse_csr, doc="Whether the layout is compressed rows.")
    is_quantized = property(lambda self: self.dtype.is_quantized, doc="Whether the elements are quantized.")
    is_cpu = property(lambda self: self.device.type == "cpu", doc="Whether the memory is the CPU's.")
    is_cuda = property(lambda self: self.device.type == "cuda", doc="Whether the memory is a CUDA device's.")
    is_meta = property(lambda self: self.device.type == "meta", doc="Whether there is no memory, only a shape.")
    is_mps = is_mkldnn = is_xpu = is_ipu = is_xla = is_vulkan = is_maia = is_nested = is_mtia = property(
        lambda self: False
    )
    T = _property("numpy_T", "The dimensions in reverse order.")
    mT = _property("mT", "The last two dimensions exchanged.")
    H = _property("matrix_H", "The conjugate transpose of a matrix.")
    mH = _property("mH", "The last two dimensions exchanged, and conjugated.")
    real = _property("real", "The real parts.")
    imag = _property("imag", "The imaginary parts.")

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        shape = self.shape
        if dim is None:
            return shape
        n = len(shape)
        if not -max(n, 1) <= dim < max(n, 1) or n == 0:
            if n == 0:
                raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
        return shape[dim]

    def dim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim  # type: ignore[no-any-return]

    ndimension = dim

    def numel(self) -> int:
        """Number of elements."""
        n = 1
        for s in self.shape:
            n *= s
        return n

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """Steps in memory, in elements, between neighbours of each dimension (or of one)."""
        steps = strides_of(self._array)
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> int:
        """Elements between the start of the storage and the first element."""
        return storage_offset(self._array)

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.itemsize

    def is_contiguous(self, memory_format: Any = kinds.contiguous_format) -> bool:
        """Whether the elements lie in memory in order (of a memory format)."""
        return is_format(self._array, int(memory_format))

    def data_ptr(self) -> int:
        """Address of the first element (0 for a tensor without elements)."""
        a = self._array
        return 0 if a.size == 0 else int(a.ctypes.data) if isinstance(a, np.ndarray) else int(a.data.ptr)

    def untyped_storage(self) -> Any:
        """The memory that this tensor and its views share."""
        from linstock.runtime.storage import UntypedStorage

        return UntypedStorage(storage(self._array))

    def storage(self) -> Any:
        """The memory as a sequence of elements of this tensor's type."""
        from linstock.runtime.storage import TypedStorage

        return TypedStorage(storage(self._array), self.dtype)

    def get_device(self) -> int:
        """Index of the CUDA device, -1 on the CPU."""
        index = self.device.index
        return -1 if index is None else index

    def is_shared(self) -> bool:
        """Whether the memory is shared between processes (never here)."""
        return False

    def share_memory_(self) -> Tensor:
        """The tensor itself: memory is not moved between processes."""
        return self

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is page-locked (never here)."""
        return False

    def is_inference(self) -> bool:
        """Whether it was made under `inference_mode` (not kept track of)."""
        return False

    # gradients ------------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        return self._meta is not None and tape.requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Switch gradients on or off for a leaf tensor. Returns itself."""
        if requires_grad:
            d = self.dtype
            if not (d.is_floating_point or d.is_complex):
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            tape.meta_of(self).requires_grad = True
        elif self._meta is not None and tape.requires_grad(self):
            if self._meta.node is not None:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                    "variable in a "
                    "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                )
            self._meta.requires_grad = False
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether it was not computed by a recorded operator."""
        return not self.requires_grad or self._meta.node is None  # type: ignore[union-attr]

    @property
    def grad_fn(self) -> Any:
        """The step of the tape that computed it, None for a leaf."""
        return self._meta.node if self.requires_grad else None  # type: ignore[union-attr]

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` accumulated here."""
        return None if self._meta is None else self._meta.grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"assigned grad has data of a different size: {list(value._array.shape)}, expected "
                    f"{list(self._array.shape)}"
                )
            if value.dtype is not self.dtype:
                raise RuntimeError(f"assigned grad has data of a different type: {value.dtype}, expected {self.dtype}")
        elif self._meta is None:
            return
        tape.meta_of(self).grad = value

    @grad.deleter
    def grad(self) -> None:
        if self._meta is not None:
            self._meta.grad = None

    @property
    def data(self) -> Tensor:
        """A tensor over the same memory without history; assigning gives this tensor the other's memory."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        self._array = value._array

    @property
    def _version(self) -> int:
        return tape.watch(self._array).count

    @property
    def _base(self) -> Tensor | None:
        root = tape.root_of(self)
        return None if root is self else root

    def _is_view(self) -> bool:
        return self._base is not None

    output_nr = property(
        lambda self: 0 if self._meta is None else self._meta.index, doc="Which output of `grad_fn` it is."
    )
    retains_grad = property(
        lambda self: not self.is_leaf and self._meta.retains,
        doc="Whether `backward` keeps this computed tensor's gradient.",
    )

    def detach(self) -> Tensor:
        """A tensor over the same memory that has no history."""
        return _operator("aten::detach")(self)  # type: ignore[no-any-return]

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Accumulate the gradients of this tensor into the `grad` of the leaves that it was computed from."""
        from linstock.runtime.autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def retain_grad(self) -> None:
        """Let `backward` keep this computed tensor's gradient in `grad`."""
        from linstock.runtime.autograd import retain_grad

        retain_grad(self)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is computed; a tensor that it returns replaces the gradient."""
        from linstock.runtime.autograd import register_hook

        return register_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(tensor)` after `backward` has added to this leaf's `grad`."""
        meta = tape.meta_of(self)
        if meta.accumulated is None:
            meta.accumulated = {}
        return RemovableHandle.add(meta.accumulated, hook)

    # out of tensors -------------------------------------------------------------------------------------------------

    def item(self) -> Any:
        """The only element as a Python number."""
        return _concrete("item", self, self._only())

    def _only(self) -> Any:
        a = self._array
        if not isinstance(a, np.ndarray):
            return _operator("aten::item")(self)
        if a.size != 1:
            raise RuntimeError(f"a Tensor with {a.size} elements cannot be converted to Scalar")
        value = a.item()
        return value if type(value) in _NUMBERS else float(value)

    def tolist(self) -> Any:
        """The elements as nested Python lists (a number for a tensor without dimensions)."""
        a = self.dequantize()._array if self.is_quantized else self._array
        if a.ndim == 0:
            return _concrete("tolist", self, self._only())
        return _concrete("tolist", self, (a if a.dtype.isbuiltin == 1 else a.astype(np.float32)).tolist())

    def numpy(self, *, force: bool = False) -> Any:
        """The elements as a NumPy array over the same memory."""
        if not force and self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.is_quantized or self.is_sparse:
            raise TypeError(
                f"can't convert a tensor of type {self.dtype} and layout {self.layout} to NumPy: use dequantize()"
            )
        a = self._array if isinstance(self._array, np.ndarray) else self._array.get()
        return _concrete("numpy", self, a)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        a = self.numpy()
        if dtype is not None and a.dtype != dtype:
            if copy is False:
                raise ValueError("a conversion of the element type needs a copy")
            return a.astype(dtype)
        return a.copy() if copy else a

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return from_numpy(array)

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        a = self._array
        return a.__dlpack__(**options) if stream is None else a.__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        a = self._array
        if a.size != 1:
            what = "no values" if a.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
        return _concrete("bool", self, bool(a.item() if isinstance(a, np.ndarray) else self._only()))  # type: ignore[no-any-return]

    def _number(self, kind: str, convert: Callable[[Any], Any]) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        value = self._only()
        if isinstance(value, complex) and kind != "complex":
            value = value.real
        return _concrete(kind, self, convert(value))

    def __int__(self) -> int:
        return self._number("int", int)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number("float", float)  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._number("complex", complex)  # type: ignore[no-any-return]

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return _concrete("index", self, int(self._array.item()))  # type: ignore[no-any-return]

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return _concrete("len", self, self._array.shape[0])  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        _concrete("iter", self, self._array.shape[0])
        return iter(_operator("aten::unbind.int")(self, 0))

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, (Tensor, *_NUMBERS)):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool((self == element).any().item())

    def __reversed__(self) -> Tensor:
        return self if self._array.ndim == 0 else _operator("aten::flip")(self, list(range(self._array.ndim)))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        from linstock.runtime.printing import tensor_text

        return tensor_text(self)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    # indexing -------------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Tensor:
        from linstock.runtime.indexing import get

        return get(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        from linstock.runtime.indexing import put

        put(self, index, value)

    # operators ------------------------------------------------------------------------------------------------------

    __add__ = __radd__ = _binary("add")
    __sub__ = _binary("sub")
    __rsub__ = _binary("rsub")
    __mul__ = __rmul__ = _binary("mul")
    __truediv__ = _binary("div")
    __floordiv__ = _binary("floor_divide", "")
    __mod__ = _binary("remainder")
    __pow__ = _binary("pow", "Tensor_Tensor", "Tensor_Scalar")
    __rpow__ = _scalar_first("pow", "Scalar")
    __rmod__ = _scalar_first("remainder", "Scalar_Tensor")
    __and__ = __rand__ = _binary("__and__")
    __or__ = __ror__ = _binary("__or__")
    __xor__ = __rxor__ = _binary("__xor__")
    __lshift__ = _binary("__lshift__")
    __rshift__ = _binary("__rshift__")
    __rlshift__ = _scalar_first("bitwise_left_shift", "Scalar_Tensor")
    __rrshift__ = _scalar_first("bitwise_right_shift", "Scalar_Tensor")
    __eq__ = _binary("eq")
    __ne__ = _binary("ne")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __iadd__ = _binary("add_")
    __isub__ = _binary("sub_")
    __imul__ = _binary("mul_")
    __itruediv__ = _binary("div_")
    __ifloordiv__ = _binary("floor_divide_")
    __imod__ = _binary("remainder_")
    __ipow__ = _binary("pow_")
    __iand__ = _binary("__iand__")
    __ior__ = _binary("__ior__")
    __ixor__ = _binary("__ixor__")
    __ilshift__ = _binary("__ilshift__")
    __irshift__ = _binary("__irshift__")
    __neg__ = _unary("neg")
    __pos__ = _unary("positive")
    __abs__ = _unary("abs")
    __invert__ = _unary("bitwise_not")

    def __rtruediv__(self, other: Any) -> Any:
        other = _operand(other)
        if other is NotImplemented:
            return NotImplemented
        return other / self if isinstance(other, Tensor) else _operator("aten::reciprocal")(self) * other

    def __rfloordiv__(self, other: Any) -> Any:
        other = _operand(other)
        if other is NotImplemented:
            return NotImplemented
        return (other if isinstance(other, Tensor) else scalar_tensor(other, self)) // self

    def __matmul__(self, other: Any) -> Any:
        return _operator("aten::matmul")(self, other) if isinstance(other, Tensor) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        other = _operand(other)
        return _operator("aten::matmul")(other, self) if isinstance(other, Tensor) else NotImplemented

    # types and devices ----------------------------------------------------------------------------------------------

    float = _to_type(dtypes.float32)
    double = _to_type(dtypes.float64)
    half = _to_type(dtypes.float16)
    bfloat16 = _to_type(dtypes.bfloat16)
    int = _to_type(dtypes.int32)
    long = _to_type(dtypes.int64)
    short = _to_type(dtypes.int16)
    char = _to_type(dtypes.int8)
    byte = _to_type(dtypes.uint8)
    bool = _to_type(dtypes.bool_)
    cfloat = _to_type(dtypes.complex64)
    cdouble = _to_type(dtypes.complex128)

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """The tensor in another type, on another device, in another memory format: `to(dtype)`, `to(device)`,
        `to(other)`."""
        from linstock.runtime.creation import to

        return to(self, *args, **kwargs)

    def cpu(self, memory_format: Any = None) -> Tensor:
        """The tensor in the CPU's memory; itself where it is there."""
        return self.to("cpu")

    def cuda(self, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Tensor:
        """The tensor on a CUDA device. Raises RuntimeError where there is none."""
        return self.to("cuda" if device is None else device)

    def type(self, dtype: Any = None, non_blocking: Any = False) -> Any:
        """The name of the type ("linstock.FloatTensor"), or the tensor converted to a type."""
        from linstock.runtime.creation import as_type, type_name

        return type_name(self) if dtype is None else as_type(self, dtype)

    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Tensor:
        """A tensor from data, of this tensor's type unless given."""
        from linstock.runtime.creation import tensor

        if isinstance(data, Tensor):
            data = data.detach().clone()
        return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)

    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace each element by what a Python function makes of it."""
        flat = self._array.reshape(-1)
        self._array[...] = np.array([callable(v) for v in flat.tolist()], self._array.dtype).reshape(self._array.shape)
        tape.bump(self._array)
        return self

    # copies ---------------------------------------------------------------------------------------------------------

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (type(self), np.asarray(self.detach()._array), self.requires_grad, dict(self.__dict__))

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        if id(self) in memo:
            return memo[id(self)]  # type: ignore[no-any-return]
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment."
            )
        from copy import deepcopy

        made = object.__new__(type(self))
        a = self._array
        made._array = a.copy("K") if isinstance(a, np.ndarray) else deepcopy(a)
        made._meta = None
        if self.requires_grad:
            made.requires_grad_()
        memo[id(self)] = made
        if self.grad is not None:
            made.grad = deepcopy(self.grad, memo)
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    def __copy__(self) -> Tensor:
        made = object.__new__(type(self))
        made._array, made._meta = self._array, None
        if self.requires_grad and self.is_leaf:
            made.requires_grad_()
        made.__dict__.update(self.__dict__)
        return made

    def __getattr__(self, name: str) -> Any:
        if name in ("_array", "_meta"):
            raise AttributeError(name)
        found = None
        if not name.startswith("__"):
            from linstock.runtime.resolve import method

            found = method(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        setattr(Tensor, name, found)
        return found.__get__(self)

    def __dir__(self) -> list[str]:
        return dir(type(self))


class Parameter(Tensor):
    """A tensor that a module registers as its parameter when it is assigned to an attribute."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: Any = True) -> Any:
        made = object.__new__(cls)
        made._array = np.zeros(0, np.float32) if data is None else data._array
        made._meta = None
        if requires_grad:
            made.requires_grad_()
        return made

    def __init__(self, data: Any = None, requires_grad: Any = True) -> None:
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"a Parameter is made from a Tensor, not from {type(data).__name__}")

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor that a module registers as its buffer when it is assigned to an attribute."""

    __slots__ = ()
    persistent: Any

    def __new__(cls, data: Any = None, *, persistent: Any = True) -> Any:
        made = object.__new__(cls)
        made._array = np.zeros(0, np.float32) if data is None else data._array
        made._meta = None
        made.persistent = persistent
        return made

    def __init__(self, data: Any = None, *, persistent: Any = True) -> None:
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"a Buffer is made from a Tensor, not from {type(data).__name__}")


def _rebuild(cls: Any, array: Any, requires_grad: Any, state: dict[str, Any]) -> Any:
    made = object.__new__(cls)
    made._array, made._meta = array, None
    if requires_grad:
        made.requires_grad_()
    made.__dict__.update(state)
    return made


def _dtype_of(array: Any) -> Any:
    code = getattr(array, "dtype_code", None)
    if code is not None:
        return dtypes.by_code(code)
    d = dtypes.from_numpy(array.dtype)
    if isinstance(array, np.ndarray):
        _DTYPES[array.dtype.num] = d
    return d


def _device_of(array: Any) -> Device:
    device = getattr(array, "device", None)
    index = getattr(device, "id", None)
    return CPU if index is None else Device("cuda", index)


def from_numpy(array: Any) -> Tensor:
    """A tensor over the memory of a NumPy array. Raises TypeError for element types that tensors cannot hold.

    Memory that cannot be written stays so, with a warning; negative strides raise ValueError.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.from_numpy(array.dtype)
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently "
            "supported. (You can probably work around this by making a copy of your array with array.copy().)"
        )
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order")
    if not array.flags.writeable:
        warnings.warn(
            "The given NumPy array is not writable: tensors over it must not be written to. Copy the array to be "
            "able to.",
            UserWarning,
            stacklevel=2,
        )
    made = object.__new__(Tensor)
    made._array, made._meta = array.view(), None
    return made


def scalar_tensor(value: Any, like: Tensor) -> Tensor:
    """A Python number as a 0-dimensional tensor, of the type that it has in arithmetic with `like`."""
    from linstock.backends.array.promotion import cast_scalar, result_type

    made = object.__new__(Tensor)
    made._array, made._meta = cast_scalar(value, result_type(like._array, value)), None
    return made


#: `operator.index` for values that may be tensors
index_of = python.index
