"""Saving: a module (or function) and everything its code needs, as an archive that PyTorch loads."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.ir.graph import Graph
from linstock.ir.program import Function, Signature
from linstock.ir.schema import torchbind
from linstock.ir.source import Span
from linstock.runtime import objects
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.printer import FunctionPrinter, Names, literal
from linstock.runtime.archive.records import EnumRecord, ObjectRecord, Quantizer, TensorData, TypedContainer
from linstock.runtime.archive.script import ScriptArchive, write_script
from linstock.runtime.compact import CompactParts
from linstock.runtime.executor import executor_of
from linstock.runtime.objects import ScriptObject
from linstock.runtime.tensor import Tensor
from linstock.tracer import annotations as annotation_parser

#: the least version whose reader gives an operator its present meaning (3 otherwise)
_OPERATOR_VERSIONS = {
    "aten::div": 4, "aten::div_": 4, "aten::full": 5, "aten::linspace": 8, "aten::logspace": 9, "aten::gelu": 10,
}  # fmt: skip
_INTERFACE_BASES = {True: "ModuleInterface", False: "Interface"}


def save(
    module: Any,
    target: str | os.PathLike[str] | BinaryIO,
    _extra_files: Mapping[str, Any] | None = None,
    *,
    compact: bool = False,
) -> None:
    """Write a scripted, traced or loaded module or function as a TorchScript archive.

    `target` is a path (which gets its file at once and whole) or a binary file object. `_extra_files` maps names to str
    or bytes. A tensor that is a view of a larger one is saved with all of that one's memory, so that what is shared
    stays shared; with `compact` only with the elements that it shows. Raises ArchiveError for what an archive cannot
    hold, TypeError for what is not scripted.
    """
    function = getattr(module, "_function", None)
    if isinstance(function, Function):
        root: Any = _function_object(function)
    else:
        root = getattr(module, "_object", None)
        if not isinstance(root, ScriptObject):
            raise TypeError(
                f"jit.save takes a scripted, traced or loaded module or function, not {type(module).__name__}: script or trace it "
                "first; the parameters alone are saved with linstock.save(module.state_dict(), path)"
            )
    program = ProgramWriter()
    state = StateWriter(program)
    record = state.value(root, root.type)
    _compile_all(root.type)
    program.collect(root.type)
    code, debug = program.print()
    constants = tuple(state.value(v, None) for v in program.constants)
    extra = {name: _extra(name, content) for name, content in (_extra_files or {}).items()}
    name = "" if isinstance(target, (str, os.PathLike)) else "archive"
    archive = ScriptArchive(record, constants, code, program.version, debug, extra, name)
    write_script(target, archive, CompactParts(tensor_parts) if compact else tensor_parts)


def _extra(name: Any, content: Any) -> bytes:
    if not isinstance(name, str) or not name or not isinstance(content, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"_extra_files maps names to str or bytes, not {name!r:.40} to {type(content).__name__}")
    return content.encode() if isinstance(content, str) else bytes(content)


def _function_object(function: Function) -> ScriptObject:
    """A function as PyTorch stores it: the forward method of a placeholder module."""
    cls = T.ClassType("__torch__.PlaceholderModule", True, {"training": T.BOOL})
    graph = function.graph.copy()
    own = Graph(function.short_name)
    mapping = {}
    own.add_input(cls, "self")
    for v in graph.inputs:
        mapping[v] = own.add_input(v.type, v.name)
    for v in graph.block.clone_into(own.block, mapping):
        own.add_output(v)
    from linstock.ir.program import Parameter

    signature = function.signature()
    parameters = (Parameter("self", cls), *signature.parameters)
    cls.methods["forward"] = Function.of(f"{cls.name}.forward", Signature(parameters, signature.returns), own)
    return ScriptObject(cls, {"training": True})


def tensor_parts(value: Any) -> TensorData | None:
    """How a tensor lies in its storage."""
    if not isinstance(value, Tensor):
        return None
    array = value._array
    if hasattr(array, "ints"):
        return _quantized_parts(array)
    return TensorData.of(array, requires_grad=value.requires_grad)


def _compile_all(cls: T.ClassType) -> None:
    """Compile every method: one may use others (of other classes too) that its class gets only then."""
    pending = True
    while pending:
        pending = False
        for owner in {id(t): t for t in _reachable(cls)}.values():
            for method in list(owner.methods.values()):
                if not method.is_defined:
                    method.ensure()
                    pending = True


def _reachable(cls: T.ClassType) -> Iterable[T.ClassType]:
    yield cls
    for t in cls.attributes.values():
        if isinstance(t, T.ClassType) and t.is_module:
            yield from _reachable(t)


def _torchbind_named(name: str) -> T.Type | None:
    return torchbind(name) if name.startswith("__torch__.torch.classes.") else None


def _quantized_parts(array: Any) -> TensorData:
    from linstock.backends.array.quantized import archive_ints

    quantizer = Quantizer(array.scheme, array.scale, array.zero_point, array.axis)
    return TensorData.of(archive_ints(array), dtype=dtypes.by_code(array.dtype_code), quantizer=quantizer)


class StateWriter:
    """Runtime values as the neutral records of a pickle; shared objects stay shared."""

    def __init__(self, program: ProgramWriter) -> None:
        self.program = program
        self._made: dict[int, tuple[Any, Any]] = {}

    def value(self, value: Any, kind: T.Type | None) -> Any:
        """The record of a value; `kind` is its declared type."""
        if value is None or isinstance(value, (Tensor, bool, int, float, complex, str, Device)):
            return float(value) if kind == T.FLOAT and type(value) is int else value
        if isinstance(value, ScriptObject):
            return self._object(value)
        if isinstance(value, (list, dict)):
            return self._container(value, kind)
        if isinstance(value, tuple):
            inner = _member(kind, tuple)
            kinds = inner.elements if isinstance(inner, T.TupleType) else (None,) * len(value)
            return tuple(self.value(v, k) for v, k in zip(value, kinds, strict=True))
        enum = objects.enum_type(value) or (
            value.type if isinstance(getattr(value, "type", None), T.EnumType) else None
        )
        if enum is not None:
            return EnumRecord(self.program.name_of(enum), value.value)
        bound = objects.torchbind_type(value)
        if bound is not None:
            from linstock.runtime.torchbind import state_type, to_state

            kind = annotation_parser.parse(ast.parse(state_type(bound.name), mode="eval").body, _torchbind_named)
            return ObjectRecord(bound.name, self.value(to_state(value), kind))
        raise ArchiveError(f"a value of type {type(value).__name__} cannot be stored in an archive")

    def _container(self, value: Any, kind: T.Type | None) -> Any:
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        declared = _member(kind, type(value)) or objects.type_of(value)
        if isinstance(declared, T.ListType):
            record = TypedContainer([], self.program.annotation(declared))
            self._made[id(value)] = (value, record)
            record.value.extend(self.value(v, declared.element) for v in value)
        else:
            assert isinstance(declared, T.DictType)
            record = TypedContainer({}, self.program.annotation(declared))
            self._made[id(value)] = (value, record)
            for k, v in value.items():
                record.value[self.value(k, declared.key)] = self.value(v, declared.value)
        return record

    def _object(self, obj: ScriptObject) -> Any:
        known = self._made.get(id(obj))
        if known is not None:
            return known[1]
        record = ObjectRecord(self.program.name_of(obj.type))
        self._made[id(obj)] = (obj, record)
        self.program.collect(obj.type)
        getstate = obj.type.methods.get("__getstate__")
        if getstate is not None and "__setstate__" in obj.type.methods:
            record.state = self.value(executor_of(getstate).run([obj]), getstate.signature().returns)
        else:
            record.state = {n: self.value(obj.slots.get(n), t) for n, t in obj.type.attributes.items()}
        return record


def _member(kind: T.Type | None, python: type) -> T.Type | None:
    """The list, dict or tuple type that a declared type allows."""
    if kind is None:
        return None
    wanted: type[T.Type] = T.ListType if python is list else T.DictType if python is dict else T.TupleType
    found = [m for m in T.members_of(kind) if isinstance(m, wanted)]
    return found[0] if len(found) == 1 else None


class ProgramWriter:
    """Collects the classes and functions that a program needs, gives them unique names, and prints their files."""

    def __init__(self) -> None:
        self.version = 3
        self.constants: list[Any] = []
        self._constant_index: dict[int, int] = {}
        self._names: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._mangle = 0
        self._order: list[Any] = []  # classes and functions, dependencies first
        self._seen: set[int] = set()
        self.names = Names(self.name_of, self.name_of, self._constant)

    # -- names and constants -----------------------------------------------------------------------------------------
    def name_of(self, item: Any) -> str:
        """The unique qualified name of a class or function."""
        owner = _owner(item) if isinstance(item, Function) else None
        if owner is not None:
            return f"{self.name_of(owner)}.{item.short_name}"
        known = self._names.get(item)
        if known is None:
            known = self._unique(item.name)
            self._names[item] = known
            self.collect(item)
        return known

    def _unique(self, name: str) -> str:
        if name.startswith("__torch__.torch.classes."):
            return name
        if not name.startswith("__torch__."):
            name = f"__torch__.{name}"
        base = [p for p in name.split(".") if not p.startswith("___torch_mangle_")]
        while name in self._taken:
            name = ".".join([*base[:-1], f"___torch_mangle_{self._mangle}", base[-1]])
            self._mangle += 1
        self._taken.add(name)
        return name

    def annotation(self, t: T.Type) -> str:
        return self.names.annotation(t)

    def _constant(self, value: Any) -> int:
        index = self._constant_index.get(id(value))
        if index is None:
            index = self._constant_index[id(value)] = len(self.constants)
            self.constants.append(value)
        return index

    # -- what is needed ----------------------------------------------------------------------------------------------
    def collect(self, item: T.Type | Function) -> None:
        """Add a class or function, and before it everything that it refers to."""
        if id(item) in self._seen:
            return
        if isinstance(item, T.Type) and not isinstance(
            item, (T.ClassType, T.InterfaceType, T.EnumType, T.NamedTupleType)
        ):
            for inner in T.walk(item):
                if inner is not item:
                    self.collect(inner)
            return
        self._seen.add(id(item))
        if isinstance(item, T.ClassType) and item.is_torchbind:
            return
        self.name_of(item)
        for needed in self._needs(item):
            self.collect(needed)
        self._order.append(item)

    def _needs(self, item: Any) -> Iterable[T.Type | Function]:
        if isinstance(item, T.NamedTupleType):
            yield from item.elements
        elif isinstance(item, T.InterfaceType):
            for signature in item.methods.values():
                yield from self._signature_types(signature)
        elif isinstance(item, T.ClassType):
            yield from item.attributes.values()
            yield from item.constant_types.values()
            for method in _methods(item):
                yield from self._function_needs(method)
        elif isinstance(item, Function):
            yield from self._function_needs(item)

    def _signature_types(self, signature: Signature) -> Iterable[T.Type]:
        yield from (p.type for p in signature.parameters)
        yield signature.returns

    def _function_needs(self, function: Function) -> Iterable[T.Type | Function]:
        yield from self._signature_types(function.signature())
        for node in function.graph.walk():
            self.version = max(self.version, _OPERATOR_VERSIONS.get(node.kind, 3))
            for out in node.outputs:
                if not isinstance(out.type, T.FunctionType):
                    yield out.type
            yield from node.attributes.get("types", ())
            inner = node.attributes.get("function")
            if isinstance(inner, Function):
                yield from self._function_needs(inner)
            constant = node.attributes.get("value")
            if isinstance(constant, Function) and not _is_method_of(constant, self._order):
                owner = _owner(constant)
                yield owner if owner is not None else constant

    # -- printing ----------------------------------------------------------------------------------------------------
    def print(self) -> tuple[dict[str, str], dict[str, SourceTable]]:
        """Files of `code/` by name, and where each line of them was first written."""
        files: dict[str, tuple[list[str], list[tuple[int, Span | None]]]] = {}
        for item in self._order:
            module, _, short = self.name_of(item).rpartition(".")
            lines, spans = files.setdefault(module.replace(".", "/") + ".py", ([], []))
            self._print_item(item, short, lines, spans)
        code, debug = {}, {}
        for name, (lines, spans) in files.items():
            text = "\n".join(lines) + "\n"
            offsets = [0]
            for line in lines:
                offsets.append(offsets[-1] + len(line) + 1)
            code[name] = text
            debug[name] = SourceTable([(offsets[i], span) for i, span in spans], text)
        return code, debug

    def _print_item(self, item: Any, short: str, lines: list[str], spans: list[tuple[int, Span | None]]) -> None:
        if isinstance(item, T.NamedTupleType):
            lines.append(f"class {short}(NamedTuple):")
            # without defaults: calls write every field, and PyTorch does not read all defaults back
            lines += [f"  {n} : {self.annotation(t)}" for n, t in zip(item.fields, item.elements, strict=True)]
        elif isinstance(item, T.EnumType):
            lines.append(f"class {short}(Enum):")
            lines += [
                f"  {name} = {literal(value, item.value_type, self.names)}" for name, value in item.members.items()
            ]
        elif isinstance(item, T.InterfaceType):
            lines.append(f"class {short}({_INTERFACE_BASES[item.is_module]}):")
            for name, signature in item.methods.items():
                parts = [f"{p.name}: {self.annotation(p.type)}" for p in signature.parameters]
                lines.append(f"  def {name}({', '.join(parts)}) -> {self.annotation(signature.returns)}:")
                lines.append("    pass")
        elif isinstance(item, T.ClassType):
            lines += self._class_head(item, short)
            for method in _methods(item):
                self._print_function(method, method.short_name, 1, lines, spans)
        else:
            self._print_function(item, short, 0, lines, spans)

    def _class_head(self, item: T.ClassType, short: str) -> list[str]:
        lines = [f"class {short}(Module):" if item.is_module else f"class {short}:"]
        if item.is_module:
            for kind, chosen in (("parameters", item.parameters), ("buffers", item.buffers)):
                names = [n for n in item.attributes if n in chosen]
                lines.append(f"  __{kind}__ = [{''.join(f'{literal(n, None, self.names)}, ' for n in names)}]")
        odd = [n for n in item.attributes if not n.isidentifier() or not n.isascii()]
        if odd:
            lines.append("  __annotations__ = []")
        for name, t in item.attributes.items():
            if name in odd:
                lines.append(f"  __annotations__[{literal(name, None, self.names)}] = {self.annotation(t)}")
            else:
                lines.append(f"  {name} : {self.annotation(t)}")
        for name, value in item.constants.items():
            t = item.constant_types.get(name) or objects.type_of(value)
            lines.append(f"  {name} : Final[{self.annotation(t)}] = {literal(value, t, self.names)}")
        if item.is_module:
            for kind, hooks in (("forward_pre_hooks", item.forward_pre_hooks), ("forward_hooks", item.forward_hooks)):
                if hooks:
                    lines.append(f"  __{kind}__ = [{''.join(f'{literal(n, None, self.names)}, ' for n in hooks)}]")
        return lines

    def _print_function(
        self, function: Function, name: str, indent: int, lines: list[str], spans: list[tuple[int, Span | None]]
    ) -> None:
        printer = FunctionPrinter(self.names, indent)
        printer.function(name, function.signature(), function.graph)
        base = len(lines)
        spans += [(base + i, span) for i, span in printer.spans]
        lines += printer.lines


def _methods(cls: T.ClassType) -> list[Function]:
    """Methods that belong into the archive: all that can be compiled (unused ones are left out by the scripting side)."""
    return list(cls.methods.values())


def _owner(function: Function) -> T.ClassType | None:
    """The class whose method a function is, told by its first parameter."""
    parameters = function.signature().parameters
    if parameters and isinstance(parameters[0].type, T.ClassType):
        cls = parameters[0].type
        if cls.methods.get(function.short_name) is function:
            return cls
    return None


def _is_method_of(function: Function, known: list[Any]) -> bool:
    owner = _owner(function)
    return owner is not None and owner in known
