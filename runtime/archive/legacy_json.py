"""TorchScript archives of PyTorch 1.0 to 1.3: a `model.json` tree of modules, one file of bare methods per module.

They are read into the form of newer archives: a tree of ObjectRecords and code files with one class per module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from linstock.ir import dtypes
from linstock.ir.errors import ArchiveError
from linstock.ir.source import Span
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.records import MakeTensor, ObjectRecord, Quantizer, TensorData, TypedContainer
from linstock.runtime.archive.storages import Storage, check_bounds
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Rules, Unpickler

#: the newest layout with a model.json
MAX_PROTOCOL = 5
_TYPES = {
    "FLOAT": dtypes.float32, "INT32": dtypes.int32, "BYTE": dtypes.uint8, "BOOL": dtypes.bool_, "UINT8": dtypes.uint8,
    "INT8": dtypes.int8, "INT16": dtypes.int16, "INT64": dtypes.int64, "FLOAT16": dtypes.float16,
    "DOUBLE": dtypes.float64,
}  # fmt: skip
_QUANTIZED = {dtypes.int8: dtypes.qint8, dtypes.uint8: dtypes.quint8, dtypes.int32: dtypes.qint32}
_VERSION_LINE = re.compile(r"\s*op_version_set\s*=\s*\d+\s*\Z")


@dataclass
class LegacyModule:
    """One module of the tree. `attributes` maps names to (type as text, value), `code` is its methods as bare defs."""

    name: str
    class_name: str
    parameters: dict[str, Any] = field(default_factory=dict)
    buffers: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, tuple[str, Any]] = field(default_factory=dict)
    submodules: dict[str, LegacyModule] = field(default_factory=dict)
    code: str = ""
    debug: list[tuple[int, Span | None]] = field(default_factory=list)
    has_state: bool = False
    state: Any = None

    def record(self) -> ObjectRecord:
        """The module as newer archives have it: an object with all attributes, or with what `__getstate__` returned."""
        if self.has_state:
            return ObjectRecord(self.class_name, self.state)
        state: dict[str, Any] = {**self.parameters, **self.buffers}
        state.update((name, value) for name, (_, value) in self.attributes.items())
        state.update((name, module.record()) for name, module in self.submodules.items())
        state.setdefault("training", True)
        return ObjectRecord(self.class_name, state)

    def walk(self) -> Iterator[LegacyModule]:
        """This module and all below it."""
        yield self
        for module in self.submodules.values():
            yield from module.walk()


@dataclass
class LegacyArchive:
    """What an archive with a model.json holds. `tensors` is what code calls CONSTANTS.c0, …; `libs` are its classes."""

    module: LegacyModule
    tensors: list[Any]
    libs: dict[str, str]
    protocol: int
    version: int

    def code_files(self) -> tuple[dict[str, str], dict[str, SourceTable]]:
        """The code as newer archives have it, by file name ("__torch__/foo.py"), and its source tables."""
        texts = dict(self.libs)
        origins: dict[str, list[tuple[int, Span | None]]] = {}
        for module in self.module.walk():
            name = module.class_name.rpartition(".")[0].replace(".", "/") + ".py"
            before = texts.get(name, "")
            text, entries = _class_text(module)
            shift = len(before.encode())
            texts[name] = before + text
            origins.setdefault(name, []).extend((shift + offset, span) for offset, span in entries)
        return texts, {name: SourceTable(entries, texts[name]) for name, entries in origins.items() if entries}


def read_legacy(reader: ArchiveReader, make_tensor: MakeTensor) -> LegacyArchive:
    """Reads an archive for which `reader.is_legacy_json` holds. Raises ArchiveError where it is damaged."""
    try:
        return _Legacy(reader, make_tensor).read()
    except RecursionError:
        raise ArchiveError(f"the modules of {reader.name} are nested too deeply") from None


class _Legacy:
    def __init__(self, reader: ArchiveReader, make_tensor: MakeTensor) -> None:
        self._reader, self._make = reader, make_tensor
        self._storages: dict[str, Storage] = {}
        self._tensors: list[Any] = []
        self._values: list[Any] = []
        self._classes: set[str] = set()

    def read(self) -> LegacyArchive:
        reader = self._reader
        version = reader.version
        try:
            model = json.loads(reader.text("model.json"))
        except ValueError as error:
            raise ArchiveError(f"model.json of {reader.name} is not JSON: {error}") from None
        model = _object(model, "model.json")
        protocol = _integer(model, "protoVersion", 1)
        if not 1 <= protocol <= MAX_PROTOCOL:
            raise ArchiveError(
                f"model.json of {reader.name} has format {protocol}, and only 1 to {MAX_PROTOCOL} are known"
            )
        self._tensors = [self._tensor(_object(entry, "a tensor")) for entry in _list(model, "tensors")]
        if protocol >= 2 and reader.has("attributes.pkl"):
            self._values = self._attributes()
        libs = {
            name.removeprefix("libs/"): _without_version(reader.text(name))
            for name in reader.names()
            if name.startswith("libs/") and name.endswith(".py")
        }
        # the oldest archives keep all classes in one file
        arena = _object(model.get("libs", {}), "libs").get("torchscriptArena")
        if arena is not None:
            text = _without_version(reader.text(_text(_object(arena, "libs"), "key")))
            if text.strip():
                libs["__torch__.py"] = text
        module = self._module(_object(model.get("mainModule"), "mainModule"), ["__torch__"])
        return LegacyArchive(module, self._tensors, libs, protocol, version)

    def _attributes(self) -> list[Any]:
        rules = TensorRules(self._make).rules(f"attributes.pkl of {self._reader.name}", True)
        calls = {
            **rules.calls,
            "torch.jit._pickle.build_tensor_from_id": lambda index: self._item(self._tensors, index),
        }
        rules = Rules(rules.values, calls, rules.builds, True, rules.what)
        values = Unpickler(self._reader.read("attributes.pkl"), rules).load()
        if isinstance(values, TypedContainer):
            values = values.value
        if not isinstance(values, list | tuple):
            raise ArchiveError(
                f"attributes.pkl of {self._reader.name} holds a {type(values).__name__} instead of a list"
            )
        return list(values)

    def _item(self, table: list[Any], index: Any) -> Any:
        if type(index) is not int or not 0 <= index < len(table):
            raise ArchiveError(f"{self._reader.name} refers to value {index!r:.30} of a table of {len(table)}")
        return table[index]

    def _tensor(self, entry: dict[str, Any]) -> Any:
        kind = entry.get("dataType", "UNDEFINED")
        dtype = _TYPES.get(kind) if isinstance(kind, str) else None
        key = _text(_object(entry.get("data"), "a tensor's data"), "key")
        if dtype is None:
            raise ArchiveError(f"tensor {key!r:.60} of {self._reader.name} has elements of type {kind!s:.30}")
        quantizer = None
        if entry.get("isQuantized"):
            if dtype not in _QUANTIZED:
                raise ArchiveError(f"tensor {key!r:.60} of {self._reader.name} is quantised with elements of {kind}")
            dtype = _QUANTIZED[dtype]
            scale = entry.get("scale", 0.0)
            if not isinstance(scale, int | float):
                raise ArchiveError(f"tensor {key!r:.60} of {self._reader.name} has the scale {scale!r:.30}")
            quantizer = Quantizer("per_tensor_affine", float(scale), _integer(entry, "zeroPoint", 0))
        if key not in self._storages:
            self._storages[key] = Storage(self._reader.array(key))
        storage = self._storages[key].of(dtype)
        sizes = [_number(size) for size in _list(entry, "dims")]
        strides = [_number(stride) for stride in _list(entry, "strides")]
        offset, shape, steps = check_bounds(len(storage), dtype, _integer(entry, "offset", 0), sizes, strides)
        device = entry.get("device", "cpu")
        if not isinstance(device, str):
            raise ArchiveError(f"tensor {key!r:.60} of {self._reader.name} is on device {device!r:.30}")
        return self._make(
            TensorData(
                storage,
                dtype,
                offset,
                shape,
                steps,
                bool(entry.get("requiresGrad")),
                device=device,
                quantizer=quantizer,
            )
        )

    def _module(self, entry: dict[str, Any], path: list[str]) -> LegacyModule:
        name = _text(entry, "name")
        path = path + [_identifier(atom) for atom in name.split(".")]
        while ".".join(path) in self._classes:
            path[-1] += "_"
        self._classes.add(".".join(path))
        module = LegacyModule(name, ".".join(path))
        for child in _list(entry, "submodules"):
            below = self._module(_object(child, "a module"), path)
            module.submodules[below.name] = below
        for parameter in _list(entry, "parameters"):
            parameter = _object(parameter, "a parameter")
            tensor = self._item(self._tensors, _integer(parameter, "tensorId", 0))
            group = module.buffers if parameter.get("isBuffer") else module.parameters
            group[_text(parameter, "name")] = tensor
        for attribute in _list(entry, "attributes"):
            attribute = _object(attribute, "an attribute")
            label, index = _text(attribute, "name"), _integer(attribute, "id", 0)
            # one that is listed as a buffer, too, is that buffer; one without a value waits for __setstate__
            if label not in module.buffers and label not in module.parameters:
                value = None if index < 0 else self._item(self._values, index)
                module.attributes[label] = (_text(attribute, "type"), value)
        arena = entry.get("torchscriptArena")
        if arena is not None:
            module.code = self._reader.text(_text(_object(arena, "a module's code"), "key"))
        debug = entry.get("torchscriptDebugArena")
        key = _text(_object(debug, "a module's debug record"), "key") if debug is not None else ""
        if self._reader.has(key):
            module.debug = SourceTable.lazy(self._reader.later(key), "").entries
        if "getStateAttributeId" in entry:
            module.has_state = True
            module.state = self._item(self._values, _integer(entry, "getStateAttributeId", 0))
        return module


def _class_text(module: LegacyModule) -> tuple[str, list[tuple[int, Span | None]]]:
    """The class of a module as newer archives print it, and the origins of its code by byte offset."""
    name = module.class_name.rpartition(".")[2]
    lines = [f"class {name}(Module):"]
    for label, names in (("__parameters__", module.parameters), ("__buffers__", module.buffers)):
        lines.append(f"  {label} = [{''.join(f'{json.dumps(item)}, ' for item in names)}]")
    types = dict.fromkeys((*module.parameters, *module.buffers), "Tensor")
    types.update((item, kind) for item, (kind, _) in module.attributes.items())
    types.update((item, below.class_name) for item, below in module.submodules.items())
    types.setdefault("training", "bool")
    for item, kind in types.items():
        lines.append(f"  {item} : {kind}" if item.isidentifier() else f"  __annotations__[{json.dumps(item)}] = {kind}")
    text = "\n".join(lines) + "\n"
    places: list[tuple[int, int]] = []  # where a line starts in the methods' text, and where it starts in the class's
    at = 0
    for line in module.code.split("\n"):
        size = len(line.encode()) + 1
        if not _VERSION_LINE.match(line):
            indented = f"  {line}" if line.strip() else line
            places.append((at, len(text.encode()) + len(indented) - len(line)))
            text += indented + "\n"
        at += size
    entries: list[tuple[int, Span | None]] = []
    line_at = 0
    for offset, span in module.debug:
        while line_at + 1 < len(places) and places[line_at + 1][0] <= offset:
            line_at += 1
        if places:
            old, new = places[line_at]
            entries.append((new + max(offset - old, 0), span))
    return text, entries


def _without_version(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not _VERSION_LINE.match(line))


def _identifier(name: str) -> str:
    """A name that a class can have, made from a module's."""
    name = re.sub(r"\W", "_", name)
    return f"_{name}" if not name or name[0].isdigit() else name


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArchiveError(f"model.json has {what} that is a {type(value).__name__} instead of an object")
    return value


def _list(entry: dict[str, Any], key: str) -> list[Any]:
    value = entry.get(key, [])
    if not isinstance(value, list):
        raise ArchiveError(f"model.json has {key} that is a {type(value).__name__} instead of a list")
    return value


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise ArchiveError(f"model.json lacks the text {key!r}")
    return value


def _number(value: Any) -> int:
    """A number; protobuf's JSON form writes 64-bit ones as text."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        return int(value)
    if type(value) is not int:
        raise ArchiveError(f"model.json has {value!r:.30} for a number")
    return value


def _integer(entry: dict[str, Any], key: str, default: int) -> int:
    return _number(entry.get(key, default))
