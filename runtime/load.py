"""Loading a TorchScript archive: its values become objects of the program that its code defines, ready to run."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError, LinstockError
from linstock.ir.source import Source
from linstock.runtime import objects
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.records import PACKED, EnumRecord, Global, ObjectRecord, TensorData, TypedContainer
from linstock.runtime.archive.script import read_script
from linstock.runtime.dispatch import wrap
from linstock.runtime.guarded import Guard
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import ScriptModule, face
from linstock.runtime.tensor import Tensor
from linstock.tracer import annotations as type_syntax
from linstock.tracer.archive import ArchiveProgram
from linstock.tracer.resolver import EnumConstant


@dataclass
class Origin:
    """Where a loaded module came from: its program, for saving and for looking at."""

    program: ArchiveProgram
    version: int
    name: str
    code: dict[str, str] = field(default_factory=dict)


def load(
    source: str | os.PathLike[str] | BinaryIO | bytes,
    map_location: str | Device | None = None,
    _extra_files: dict[str, Any] | None = None,
) -> ScriptModule:
    """Load a TorchScript archive, of any version and writer, from a path, a binary file object or bytes.

    Tensors go to `map_location`, else to the device that they were saved from where this machine has it. `_extra_files`
    is a dict whose values are filled with the content of the archive's extra files of those names.

    Raises ArchiveError if the file is not a readable TorchScript archive. Nothing of the file is executed by Python.
    """
    if _extra_files is not None and not isinstance(_extra_files, dict):
        raise TypeError(f"_extra_files is a dict whose values are filled in, not a {type(_extra_files).__name__}")
    make = TensorMaker(map_location)
    with ArchiveReader(source) as reader, _contained(reader.name):
        if reader.is_legacy_json:
            root, constants, code, debug, version = _read_legacy(reader, make)
            extra = {n[6:]: bytes(reader.read(n)) for n in reader.names() if n.startswith("extra/")}
        else:
            archive = read_script(reader, make)
            root, constants, code = archive.root, archive.constants, archive.code
            debug, version, extra = archive.debug, archive.version, archive.extra_files
        name = reader.root
        program = ArchiveProgram(_sources(code, debug, name), (), version)
        build = ObjectBuilder(program, reader.total_size)
        program.constants = [build.constant(v) for v in constants]
        made = build.object(root) if isinstance(root, ObjectRecord) else None
        if not isinstance(made, ScriptObject) or not made.type.is_module:
            what = f"an object of '{root.class_name}'" if isinstance(root, ObjectRecord) else f"a {type(root).__name__}"
            raise ArchiveError(f"data.pkl of {reader.name} holds {what} instead of a module")
        module = face(made)
    module.__dict__["_origin"] = Origin(program, version, name, code)
    if _extra_files is not None:
        for key in _extra_files:
            _extra_files[key] = extra.get(key, b"")
    assert isinstance(module, ScriptModule)
    return module


#: longest text of a type that stands beside a value
MAX_TYPE_TEXT = 1 << 16
#: what values that do not belong together can make the building of objects stumble over
_STRAY = (
    TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError, ArithmeticError, NotImplementedError, MemoryError,
)  # fmt: skip


@contextmanager
def _contained(name: str) -> Iterator[None]:
    """ArchiveErrors for whatever a malformed archive leads to inside."""
    try:
        yield
    except LinstockError:
        raise
    except RecursionError:
        raise ArchiveError(f"the values or classes of {name} are nested too deeply") from None
    except _STRAY as problem:
        why = f"{type(problem).__name__}: {str(problem)[:200]}"
        raise ArchiveError(f"{name} is malformed: its values do not fit its code ({why})") from problem


def _read_legacy(
    reader: ArchiveReader, make: TensorMaker
) -> tuple[Any, Any, dict[str, str], dict[str, SourceTable], int]:
    from linstock.runtime.archive.legacy_json import read_legacy

    archive = read_legacy(reader, make)
    code, debug = archive.code_files()
    return archive.module.record(), archive.tensors, code, debug, archive.version


def _sources(code: Mapping[str, str], debug: Mapping[str, SourceTable], name: str) -> Callable[[str], Source | None]:
    """The archive's code files as sources, whose positions lead to where the code was first written."""

    def read(path: str) -> Source | None:
        text = code.get(f"{path}.py")
        return None if text is None else Source(text, f"{name}/code/{path}.py", origin=debug.get(f"{path}.py"))

    return read


class TensorMaker:
    """Makes a Tensor of what an archive holds, on the device that `map_location` says."""

    def __init__(self, map_location: str | Device | None) -> None:
        if map_location is not None and not isinstance(map_location, Device):
            if not isinstance(map_location, str):
                raise TypeError(f"map_location must be a device or the name of one, not {type(map_location).__name__}")
            map_location = Device(map_location)
        self.device = map_location
        if map_location is not None and map_location.type != "cpu":
            wrap(np.zeros(0, np.float32)).to(map_location)  # a device that is not here is told before anything is read
        self._warned = False

    def __call__(self, data: TensorData) -> Tensor:
        if data.quantizer is not None:
            tensor = wrap(_quantized(data))
        else:
            tensor = wrap(data.array)
        device = self.device or Device(data.device)
        if device.type != "cpu":
            tensor = self._move(tensor, device)
        if data.requires_grad:
            tensor.requires_grad_()
        return tensor

    def _move(self, tensor: Tensor, device: Device) -> Tensor:
        try:
            return tensor.to(device)
        except (RuntimeError, ImportError, NotImplementedError) as problem:
            if self.device is not None:
                raise
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"tensors saved from '{device}' are loaded into the CPU's memory ({problem}): "
                    "give map_location to choose",
                    UserWarning,
                    stacklevel=4,
                )
            return tensor


def _quantized(data: TensorData) -> Any:
    """A quantised array; types of less than a byte are unpacked to one element per byte."""
    from linstock.backends.array.quantized import QuantizedArray

    quantizer = data.quantizer
    assert quantizer is not None
    per_byte = PACKED.get(data.dtype)
    if per_byte is None:
        ints = data.array
    else:
        bits = 8 // per_byte
        parts = [(data.storage >> (bits * i)) & ((1 << bits) - 1) for i in range(per_byte)]
        ints = np.stack(parts, -1).reshape(-1)[data.offset : data.offset + math.prod(data.sizes)].reshape(data.sizes)
    return QuantizedArray(ints, quantizer.scale, quantizer.zero_point, data.dtype.code, quantizer.axis)


class ObjectBuilder:
    """Objects, enum members and containers of a program, from the records of a pickle. What is shared stays shared."""

    def __init__(self, program: ArchiveProgram, size: int = 0) -> None:
        self.program = program
        self._guard = Guard(size)
        self._made: dict[int, tuple[Any, Any]] = {}
        self._checks: dict[T.Type, Callable[[Any], bool]] = {}

    def constant(self, value: Any) -> Any:
        """An entry of constants.pkl, as the emitter wants it."""
        if isinstance(value, EnumRecord):
            kind = self._type(value.class_name)
            if isinstance(kind, T.EnumType):
                return EnumConstant(kind, objects.enum_member(kind, value.value).name)
        return self.value(value, None)

    def _type(self, name: str) -> T.Type:
        return self.program.class_type(name)

    def value(self, value: Any, kind: T.Type | None) -> Any:
        """A value of the program; `kind` is its declared type, if there is one."""
        if value is None or isinstance(value, (Tensor, bool, str)):
            return value
        if isinstance(value, (int, float)):
            return float(value) if kind == T.FLOAT else value
        if kind is not None and isinstance(kind, (T.OptionalType, T.UnionType)):
            kind = self._member(value, kind)
        if isinstance(value, ObjectRecord):
            return self.object(value)
        if isinstance(value, EnumRecord):
            enum = self._type(value.class_name)
            if not isinstance(enum, T.EnumType):
                raise ArchiveError(f"'{value.class_name}' is not an enum, but the archive holds a member of it")
            return objects.enum_member(enum, value.value)
        if isinstance(value, TypedContainer):
            declared = self._parse(value.type_string)
            return self.value(value.value, declared if kind is None or kind == T.ANY else kind)
        if isinstance(value, (list, dict)):
            return self._container(value, kind)
        if isinstance(value, tuple):
            parts: tuple[T.Type | None, ...] = (None,) * len(value)
            if isinstance(kind, T.TupleType) and len(kind.elements) == len(value):
                parts = kind.elements
            items = [self.value(v, k) for v, k in zip(value, parts, strict=True)]
            return objects.namedtuple_class(kind)(*items) if isinstance(kind, T.NamedTupleType) else tuple(items)
        if isinstance(value, dtypes.dtype):
            return value.code
        if isinstance(value, Global):
            raise ArchiveError(f"linstock has no value for '{value}', which the archive holds")
        return value

    def _container(self, value: Any, kind: T.Type | None) -> Any:
        """A list or dict, made once however often it is referred to (and before what is in it: it may hold itself)."""
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        made: Any
        if isinstance(value, list):
            made = []
            self._made[id(value)] = (value, made)
            element = kind.element if isinstance(kind, T.ListType) else None
            made.extend(self.value(v, element) for v in value)
        else:
            made = {}
            self._made[id(value)] = (value, made)
            key, item = (kind.key, kind.value) if isinstance(kind, T.DictType) else (None, None)
            for k, v in value.items():
                made[self.value(k, key)] = self.value(v, item)
        return made

    def _member(self, value: Any, kind: T.Type) -> T.Type | None:
        """The member of a union that a record is of, as far as its Python type tells."""
        wanted: dict[type, type[T.Type]] = {list: T.ListType, dict: T.DictType, tuple: T.TupleType}
        found = [m for m in T.members_of(kind) if isinstance(m, wanted.get(type(value), T.ClassType))]
        return found[0] if len(found) == 1 else None

    def _parse(self, text: str) -> T.Type | None:
        import ast

        if len(text) > MAX_TYPE_TEXT:
            raise ArchiveError(f"the archive gives a value a type of {len(text):,} characters")
        try:
            return type_syntax.parse(ast.parse(text, mode="eval").body, self.program.find_type)
        except (SyntaxError, type_syntax.AnnotationError):
            return None

    def object(self, record: ObjectRecord) -> Any:
        """The object of a record: its class's `__setstate__` is run, or its attributes are set."""
        known = self._made.get(id(record))
        if known is not None:
            return known[1]
        kind = self._type(record.class_name)
        if not isinstance(kind, T.ClassType):
            raise ArchiveError(f"'{record.class_name}' is not a class, but the archive holds an object of it")
        if kind.is_torchbind:
            return self._torchbind(record)
        made = ScriptObject(kind)
        self._made[id(record)] = (record, made)
        setstate = kind.methods.get("__setstate__")
        if setstate is not None:
            parameters = setstate.signature().parameters
            if len(parameters) != 2:
                raise ArchiveError(
                    f"'{setstate.name}' should take the object and its state, and takes {len(parameters)} arguments"
                )
            state = self.value(record.state, parameters[1].type)
            if not self._fits(parameters[1].type, state):
                raise ArchiveError(
                    f"the state of an object of '{record.class_name}' should be of type {parameters[1].type.annotation()}, "
                    f"but the archive holds {_described(state)}"
                )
            self._guard.run(setstate, [made, state])
        elif isinstance(record.state, dict):
            self._fill(made, record.state)
        elif record.state is not None:
            raise ArchiveError(
                f"an object of '{record.class_name}' has a state of type {type(record.state).__name__}, but its class "
                "has no __setstate__"
            )
        return made

    def _fill(self, made: ScriptObject, state: Mapping[str, Any]) -> None:
        for name, declared in made.type.attributes.items():
            if name in state:
                value = made.slots[name] = self.value(state[name], declared)
                if not self._fits(declared, value):
                    raise ArchiveError(
                        f"attribute '{name}' of an object of '{made.type.name}' should be of type {declared.annotation()}, "
                        f"but the archive holds {_described(value)}"
                    )
            elif declared == T.NONE or declared.is_optional():
                made.slots[name] = None
            else:
                raise ArchiveError(
                    f"an object of '{made.type.name}' in the archive has no value for its attribute '{name}'"
                )

    def _fits(self, declared: T.Type, value: Any) -> bool:
        check = self._checks.get(declared)
        if check is None:
            check = self._checks[declared] = objects.checker(declared)
        return check(value)

    def _torchbind(self, record: ObjectRecord) -> Any:
        from linstock.runtime.torchbind import from_state

        state = record.state
        made = from_state(record.class_name, self.value(state, None))
        self._made[id(record)] = (record, made)
        return made


def _described(value: Any) -> str:
    try:
        return f"a value of type {objects.type_of(value).annotation()}"
    except TypeError:
        return f"a {type(value).__name__}"
