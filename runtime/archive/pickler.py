"""The writer of pickles: protocol 2, with only the opcodes that PyTorch's two readers accept."""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.records import (
    EnumRecord,
    Global,
    ObjectRecord,
    Quantizer,
    TensorData,
    TensorParts,
    TypedContainer,
)
from linstock.runtime.archive.storages import UNTYPED, StorageWriter, type_name

_BUILD_LISTS = {
    "List[int]": "build_intlist",
    "List[float]": "build_doublelist",
    "List[bool]": "build_boollist",
    "List[Tensor]": "build_tensorlist",
}
#: writes a value, yielding the values inside it that have to be written meanwhile
_Steps = Generator[Any, None, None]


class Pickler:
    """Turns values into pickled bytes. The same values give the same bytes.

    `script` chooses the dialect: True for the pickles inside TorchScript archives (records, 64-bit integers, typed
    containers; dicts of any kind are plain), False for files of torch.save (OrderedDict, Size, sets, bytes). Objects,
    containers and tensors that occur twice are written once and read back as one. `tensor_parts` says which values are
    tensors; their storages are numbered by `storages`. `is_size` says which tuples are a torch.Size.

    Raises ArchiveError for a value that the dialect cannot express, naming its type.
    """

    def __init__(
        self,
        storages: StorageWriter,
        tensor_parts: TensorParts,
        script: bool,
        is_size: Callable[[tuple[Any, ...]], bool] = lambda value: False,
    ) -> None:
        self._storages = storages
        self._parts = tensor_parts
        self._script = script
        self._is_size = is_size
        self._out = bytearray()
        self._memo: dict[Any, int] = {}
        self._alive: list[Any] = []
        self._open: set[int] = set()

    def dump(self, value: Any) -> bytes:
        """The pickle of one value."""
        self._out += b"\x80\x02"
        # a stack of our own, because values nest deeper than Python recurses
        stack = [self._value(value)]
        while stack:
            try:
                child = next(stack[-1])
            except StopIteration:
                stack.pop()
            else:
                if not self._simple(child):
                    stack.append(self._value(child))
        self._out += b"."
        return bytes(self._out)

    # small parts

    def _put(self, key: Any) -> None:
        """Remembers the value on top of the stack under a key."""
        index = self._memo[key] = len(self._memo)
        self._out += b"q" + bytes((index,)) if index < 256 else b"r" + struct.pack("<I", index)

    def _get(self, key: Any) -> bool:
        """Recalls a remembered value, if there is one."""
        index = self._memo.get(key)
        if index is None:
            return False
        self._out += b"h" + bytes((index,)) if index < 256 else b"j" + struct.pack("<I", index)
        return True

    def _put_object(self, value: Any) -> None:
        self._alive.append(value)
        self._put(id(value))

    def _name(self, module: str, name: str) -> None:
        if not self._get((module, name)):
            if "\n" in module or "\n" in name:
                raise ArchiveError(f"a class cannot be called {module}.{name}")
            self._out += f"c{module}\n{name}\n".encode()
            self._put((module, name))

    def _text(self, value: str) -> None:
        if not self._get(("text", value)):
            data = value.encode("utf-8", "surrogatepass")
            self._out += b"X" + struct.pack("<I", len(data)) + data
            self._put(("text", value))

    def _integer(self, value: int) -> None:
        out = self._out
        if 0 <= value < 0x100:
            out += b"K" + bytes((value,))
        elif 0 <= value < 0x10000:
            out += b"M" + struct.pack("<H", value)
        elif -0x80000000 <= value < 0x80000000:
            out += b"J" + struct.pack("<i", value)
        elif self._script:
            if not -(1 << 63) <= value < 1 << 63:
                raise ArchiveError(f"the integer {value} does not fit into 64 bits")
            out += b"\x8a\x08" + struct.pack("<q", value)
        else:
            size = value.bit_length() // 8 + 1
            if size > 255:
                raise ArchiveError("an integer has more than 255 bytes")
            out += b"\x8a" + bytes((size,)) + value.to_bytes(size, "little", signed=True)

    def _integers(self, values: tuple[int, ...]) -> None:
        """A tuple of integers (sizes, strides)."""
        if not values:
            self._out += b")"
            return
        self._out += b"("
        for value in values:
            self._integer(value)
        self._out += b"t"

    def _simple(self, value: Any) -> bool:
        """Writes a value without parts; False if it is not one."""
        kind = type(value)
        if value is None:
            self._out += b"N"
        elif kind is bool:
            self._out += b"\x88" if value else b"\x89"
        elif kind is int:
            self._integer(value)
        elif kind is float:
            self._out += b"G" + struct.pack(">d", value)
        elif kind is str:
            self._text(value)
        elif kind is complex:
            self._name("builtins", "complex")
            self._out += b"G" + struct.pack(">d", value.real) + b"G" + struct.pack(">d", value.imag) + b"\x86R"
        elif isinstance(value, Device):
            key = ("device", str(value))
            if not self._get(key):
                self._name("torch", "device")
                self._text(str(value))
                self._out += b"\x85R"
                self._put(key)
        elif isinstance(value, dtypes.dtype):
            # TorchScript has no values of this type: it computes with their numbers
            if self._script:
                self._integer(value.code)
            else:
                self._name("torch", value.name)
        elif isinstance(value, np.generic) and value.dtype.kind in "biufcU":
            return self._simple(value.item())
        else:
            return False
        return True

    # values with parts

    def _value(self, value: Any) -> _Steps:
        if self._simple(value) or self._get(id(value)):
            return
        data = self._parts(value)
        if data is not None:
            yield from self._tensor(data)
            self._put_object(value)
            return
        kind = type(value)
        if isinstance(value, tuple):
            yield from self._tuple(value)
        elif isinstance(value, OrderedDict | Counter) and not self._script:
            yield from self._ordered_dict(value)
        elif isinstance(value, dict | list):
            yield from self._container(value)
        elif self._script:
            yield from self._record(value)
        elif kind is set:
            self._name("__builtin__", "set")
            yield _sorted(value)
            self._out += b"\x85R"
            self._put_object(value)
        elif kind in (bytes, bytearray):
            yield from self._blob(value)
        elif isinstance(value, Global):
            self._name(value.module, value.name)
        else:
            raise self._unsupported(value)

    def _unsupported(self, value: Any) -> ArchiveError:
        kind = type(value)
        if isinstance(value, np.ndarray):
            hint = "make it a tensor first (from_numpy)"
        elif kind is frozenset and not self._script:
            hint = "PyTorch does not load one with weights_only=True: make it a set"
        elif self._script:
            hint = "an archive holds tensors, numbers, strings, devices, containers and objects of scripted classes"
        else:
            hint = (
                "linstock.save takes tensors, numbers, strings, dtypes, devices and containers of them (a state_dict)"
            )
        return ArchiveError(f"cannot save a value of type {kind.__module__}.{kind.__qualname__}: {hint}")

    def _tuple(self, value: tuple[Any, ...]) -> _Steps:
        size = self._is_size(value)
        if size:
            self._name("torch", "Size")
        if not value:
            self._out += b")"
        else:
            short = {1: b"\x85", 2: b"\x86", 3: b"\x87"}.get(len(value))
            if short is None:
                self._out += b"("
            yield from value
            self._out += short or b"t"
        if size:
            self._out += b"\x85R"

    def _enter(self, value: Any) -> None:
        if id(value) in self._open:
            raise ArchiveError(
                "an object refers to itself, directly or through others, which a TorchScript archive cannot hold"
            )
        self._open.add(id(value))

    def _container(self, value: Any) -> _Steps:
        """A list or dict. In a script's pickle it is remembered last, when PyTorch's reader has a value for it."""
        if self._script:
            self._enter(value)
        self._out += b"}" if isinstance(value, dict) else b"]"
        if not self._script:
            self._put_object(value)
        yield from self._items(value)
        if self._script:
            self._open.discard(id(value))
            self._put_object(value)

    def _items(self, value: Any) -> _Steps:
        if isinstance(value, dict):
            if value or self._script:
                self._out += b"("
                for key, item in value.items():
                    yield key
                    yield item
                self._out += b"u"
        elif value or self._script:
            self._out += b"("
            yield from value
            self._out += b"e"

    def _ordered_dict(self, value: Any) -> _Steps:
        self._name("collections", type(value).__name__ if isinstance(value, Counter) else "OrderedDict")
        self._out += b")R"
        self._put_object(value)
        yield from self._items(value)
        metadata = getattr(value, "_metadata", None)
        if metadata is not None:
            yield {"_metadata": metadata}
            self._out += b"b"

    def _blob(self, value: bytes | bytearray) -> _Steps:
        if isinstance(value, bytearray):
            self._name("__builtin__", "bytearray")
        self._name("_codecs", "encode")
        self._text(bytes(value).decode("latin-1"))
        self._text("latin1")
        self._out += b"\x86R"
        if isinstance(value, bytearray):
            self._out += b"\x85R"
        self._put_object(value)
        yield from ()

    def _record(self, value: Any) -> _Steps:
        if isinstance(value, ObjectRecord):
            self._enter(value)
            self._class(value.class_name)
            self._out += b")\x81"
            # the attributes' dict belongs to the object: written in place, not remembered
            if isinstance(value.state, dict):
                self._out += b"}"
                yield from self._items(value.state)
            else:
                yield value.state
            self._out += b"b"
            self._open.discard(id(value))
        elif isinstance(value, TypedContainer):
            self._enter(value)
            builder = _BUILD_LISTS.get(value.type_string) if isinstance(value.value, list) else None
            self._name("torch.jit._pickle", builder or "restore_type_tag")
            self._out += b"(" if builder else b""
            self._out += b"}" if isinstance(value.value, dict) else b"]"
            yield from self._items(value.value)
            if builder:
                self._out += b"tR"
            else:
                self._text(value.type_string)
                self._out += b"\x86R"
            self._open.discard(id(value))
        elif isinstance(value, EnumRecord):
            self._class(value.class_name)
            yield value.value
            self._out += b"R"
            return
        else:
            raise self._unsupported(value)
        self._put_object(value)

    def _class(self, qualified: str) -> None:
        module, _, name = qualified.rpartition(".")
        if not module or not name:
            raise ArchiveError(f"a class of an archive needs a qualified name, not {qualified!r}")
        self._name(module, name)

    # tensors

    def _storage(self, data: TensorData, untyped: bool) -> None:
        key = self._storages.key(data)
        memo = ("storage", key, None if untyped else data.dtype.code)
        if self._get(memo):
            return
        self._out += b"("
        self._text("storage")
        if untyped:
            self._name("torch.storage", "UntypedStorage")
        else:
            self._name("torch", type_name(data.dtype))
        self._text(key)
        self._text(data.device)
        self._integer(data.storage.nbytes if untyped else data.storage.size)
        self._out += b"tQ"
        self._put(memo)

    def _hooks(self) -> None:
        """The tensor's backward hooks, which are never saved."""
        self._name("collections", "OrderedDict")
        self._out += b")R"

    def _tensor(self, data: TensorData) -> _Steps:
        parameter = data.is_parameter and not self._script
        if parameter:
            self._name("torch._utils", "_rebuild_parameter")
        if data.device == "meta":
            if self._script:
                raise ArchiveError("a tensor on the 'meta' device has no data to save")
            self._name("torch._utils", "_rebuild_meta_tensor_no_storage")
            self._out += b"("
            self._name("torch", data.dtype.name)
            self._integers(data.sizes)
            self._integers(_contiguous(data.sizes))
            self._simple(False if parameter else data.requires_grad)
            self._out += b"tR"
        else:
            yield from self._strided(data, parameter)
        if parameter:
            self._simple(data.requires_grad)
            self._hooks()
            self._out += b"\x87R"

    def _strided(self, data: TensorData, parameter: bool) -> _Steps:
        untyped = not self._script and data.dtype in UNTYPED
        variant = "_rebuild_tensor_v2"
        if data.quantizer is not None:
            variant = "_rebuild_qtensor"
        elif data.dtype.is_quantized:
            raise ArchiveError(f"a tensor of {data.dtype.name} has no scale and zero point")
        elif untyped:
            variant = "_rebuild_tensor_v3"
        self._name("torch._utils", variant)
        self._out += b"("
        self._storage(data, untyped)
        self._integer(data.offset)
        self._integers(data.sizes)
        self._integers(data.strides)
        if data.quantizer is not None:
            yield from self._quantizer(data.quantizer)
        self._simple(False if parameter else data.requires_grad)
        self._hooks()
        if untyped:
            self._name("torch", data.dtype.name)
        self._out += b"tR"

    def _quantizer(self, quantizer: Quantizer) -> _Steps:
        self._out += b"("
        self._name("torch", quantizer.scheme)
        if quantizer.axis is None:
            self._simple(float(quantizer.scale))
            self._integer(int(quantizer.zero_point))
        else:
            exact = quantizer.scheme == "per_channel_affine"
            for values, dtype in ((quantizer.scale, np.float64), (quantizer.zero_point, np.int64)):
                array = np.ascontiguousarray(values, dtype if exact else np.float32).reshape(-1)
                self._alive.append(array)
                yield from self._tensor(TensorData.of(array, array))
            self._integer(quantizer.axis)
        self._out += b"t"


def _contiguous(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _sorted(items: Any) -> list[Any]:
    """The items of a set in an order that does not depend on hashes, where they have one."""
    try:
        return sorted(items)
    except TypeError:
        return list(items)
