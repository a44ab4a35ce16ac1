"""Archive code into the IR: classes and functions by qualified name, each compiled when first needed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import ArchiveError, CompileError, LinstockError
from linstock.ir.graph import Builder, Graph, Value
from linstock.ir.program import MISSING, CompilationUnit, Function, Parameter, Signature
from linstock.ir.schema import torchbind
from linstock.ir.source import Source, Span
from linstock.tracer import annotations as notation
from linstock.tracer import builtins, matching, safety, upgraders
from linstock.tracer.control import assigned_names
from linstock.tracer.emitter import Emitter
from linstock.tracer.environment import Frame
from linstock.tracer.expressions import Condition, ExpressionEmitter
from linstock.tracer.resolver import EnumConstant, Resolver, parameter_list
from linstock.tracer.values import (
    Args,
    BuiltinFunction,
    ClassRef,
    EnumRef,
    FunctionRef,
    Kwargs,
    NamedTupleRef,
    Namespace,
    SimpleValue,
    Special,
    Sugared,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Mapping

ReadSource = Callable[[str], Source | None]
_HEADS = (
    "__parameters__",
    "__buffers__",
    "__forward_pre_hooks__",
    "__forward_hooks__",
    "__annotations__",
    "op_version_set",
)


class ArchiveProgram:
    """The program of one archive.

    `read_source("__torch__/foo/bar")` gives the text of `code/__torch__/foo/bar.py`, or None; `constants` are those of
    constants.pkl, already values of the runtime; `version` selects upgraders of operators whose meaning changed.
    """

    def __init__(self, read_source: ReadSource, constants: Sequence[Any] = (), version: int = 10) -> None:
        self.read_source, self.constants, self.version = read_source, constants, version
        self.unit = CompilationUnit()
        self.resolver = ArchiveResolver(self)
        self._files: dict[str, tuple[Source, Mapping[str, ast.stmt]] | None] = {}

    # -- lookups -----------------------------------------------------------------------------------------------------
    def class_type(self, name: str) -> T.Type:
        """The class, interface, enum or NamedTuple of this qualified name. Raises ArchiveError if the code lacks it."""
        found = self.find_type(name)
        if found is None:
            raise ArchiveError(f"the archive's code does not define the class '{name}'")
        return found

    def find_type(self, name: str) -> T.Type | None:
        known = self.unit.classes.get(name)
        if known is not None:
            return known
        if name.startswith("__torch__.torch.classes."):
            self.unit.classes[name] = torchbind(name)
            return self.unit.classes[name]
        place = self._definition(name)
        if place is None or not isinstance(place[1], ast.ClassDef):
            return None
        source, node = place[0], place[1]
        span = Span(source, node.lineno, node.col_offset, node.lineno, node.col_offset + 6 + len(node.name))
        try:
            with safety.contained(f"the class '{name}'", lambda: span):
                return self._import_class(name, source, node)
        except LinstockError:
            self.unit.classes.pop(name, None)
            raise

    def function(self, name: str) -> Function | None:
        """The function of this qualified name, or None."""
        known = self.unit.functions.get(name)
        if known is not None:
            return known
        place = self._definition(name)
        if place is None or not isinstance(place[1], ast.FunctionDef):
            return None
        made = self._make_function(name, place[0], place[1], None)
        self.unit.functions[name] = made
        return made

    def _definition(self, name: str) -> tuple[Source, ast.stmt] | None:
        module, _, short = name.rpartition(".")
        if not module:
            return None
        file = self._file(module.replace(".", "/"))
        if file is None or short not in file[1]:
            return None
        return file[0], file[1][short]

    def _file(self, path: str) -> tuple[Source, Mapping[str, ast.stmt]] | None:
        if path not in self._files:
            source = self.read_source(path)
            self._files[path] = None if source is None else (source, parse_source(source))
            if source is not None:
                self.resolver.steps += safety.STEPS_PER_BYTE * len(source.text)
        return self._files[path]

    # -- functions ---------------------------------------------------------------------------------------------------
    def _make_function(self, name: str, source: Source, node: ast.FunctionDef, owner: T.ClassType | None) -> Function:
        def declare(function: Function) -> Signature:
            with safety.contained(f"the signature of '{name}'", lambda: function.span):
                return self._signature(source, node, owner)

        def define(function: Function) -> tuple[Signature, Graph]:
            emitter = Emitter(self.resolver, source, Graph(node.name))
            with safety.contained(f"'{name}'", lambda: emitter.builder.span or function.span):
                signature = emitter.function(node, self._signature(source, node, owner), node.returns is None)
            return signature, emitter.graph

        made = Function(name, define, declare if node.returns is not None else None)
        made.span = Span(source, node.lineno, node.col_offset, node.lineno, node.col_offset + 4 + len(node.name))
        return made

    def _signature(
        self, source: Source, node: ast.FunctionDef, owner: T.ClassType | T.InterfaceType | None
    ) -> Signature:
        e = Emitter(self.resolver, source, Graph())
        parameters = []
        for i, (arg, default, only) in enumerate(parameter_list(node)):
            if arg.annotation is not None:
                t = self.resolver.annotation(e, arg.annotation)
            else:
                t = owner if i == 0 and owner is not None else T.TENSOR
            value = MISSING if default is None else self.literal(default, t)
            parameters.append(Parameter(arg.arg, t, value, only))
        returns = T.TENSOR if node.returns is None else self.resolver.annotation(e, node.returns)
        return Signature(tuple(parameters), returns)

    def literal(self, node: ast.expr, t: T.Type | None = None) -> Any:
        """The value of a default or constant: literals, inf, nan, CONSTANTS.cN, enum members."""
        if isinstance(node, ast.Constant):
            return float(node.value) if t == T.FLOAT and type(node.value) is int else node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.literal(node.operand, t)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            left, right = self.literal(node.left), self.literal(node.right)
            return left + right if isinstance(node.op, ast.Add) else left - right
        if isinstance(node, (ast.Tuple, ast.List)):
            inner = T.without_none(t) if t is not None else None
            kinds: list[T.Type | None] = [inner.element if isinstance(inner, T.ListType) else None] * len(node.elts)
            if isinstance(inner, T.TupleType) and len(inner.elements) == len(node.elts):
                kinds = list(inner.elements)
            items = [self.literal(x, k) for x, k in zip(node.elts, kinds, strict=True)]
            return tuple(items) if isinstance(node, ast.Tuple) else items
        if isinstance(node, ast.Dict):
            return {
                self.literal(k): self.literal(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None
            }
        name = notation.dotted(node)
        if name in _NUMBERS:
            return _NUMBERS[name]
        if name and name.startswith("CONSTANTS.c") and name[11:].isdigit():
            return self.constant(int(name[11:]))
        if name:
            owner, _, member = name.rpartition(".")
            enum = self.find_type(owner) if owner else None
            if isinstance(enum, T.EnumType) and member in enum.members:
                return EnumConstant(enum, member)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("annotate", "unchecked_cast")
        ):
            return self.literal(node.args[1], t)
        if isinstance(node, ast.Call) and notation.dotted(node.func) == "torch.device":
            from linstock.ir.device import Device

            return Device(*[self.literal(a) for a in node.args])
        raise ArchiveError(f"a constant of the archive's code cannot be read: {ast.unparse(node)[:80]}")

    def constant(self, index: int) -> Any:
        """Entry `index` of constants.pkl. Raises ArchiveError."""
        if index >= len(self.constants):
            raise ArchiveError(f"the code refers to constant {index}, but constants.pkl has {len(self.constants)}")
        return self.constants[index]

    # -- classes -----------------------------------------------------------------------------------------------------
    def _import_class(self, name: str, source: Source, node: ast.ClassDef) -> T.Type:
        base = notation.dotted(node.bases[0]) if node.bases else ""
        if base == "NamedTuple":
            return self._import_named_tuple(name, source, node)
        if base == "Enum":
            return self._import_enum(name, node)
        if base in ("Interface", "ModuleInterface"):
            interface = T.InterfaceType(name, base == "ModuleInterface")
            self.unit.classes[name] = interface
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    interface.methods[item.name] = self._signature(source, item, interface)
            return interface
        if base not in ("Module", ""):
            raise ArchiveError(f"class '{name}' has an unknown base class '{base}'")
        return self._import_plain(name, source, node, base == "Module")

    def _import_plain(self, name: str, source: Source, node: ast.ClassDef, is_module: bool) -> T.ClassType:
        cls = T.ClassType(name, is_module)
        self.unit.classes[name] = cls
        e = Emitter(self.resolver, source, Graph())
        for item in node.body:
            if isinstance(item, ast.AnnAssign):
                assert isinstance(item.target, ast.Name)
                self._import_attribute(e, cls, item.target.id, item)
            elif isinstance(item, ast.Assign):
                self._import_head(e, cls, item)
            elif isinstance(item, ast.FunctionDef):
                cls.methods[item.name] = self._make_function(f"{name}.{item.name}", source, item, cls)
            elif isinstance(item, ast.If):  # hooks of old files
                continue
        return cls

    def _import_attribute(self, e: ExpressionEmitter, cls: T.ClassType, name: str, item: ast.AnnAssign) -> None:
        annotation = item.annotation
        final = isinstance(annotation, ast.Subscript) and notation.dotted(annotation.value) == "Final"
        t = self.resolver.annotation(e, annotation)
        if final or item.value is not None:
            assert item.value is not None
            cls.constants[name], cls.constant_types[name] = self.literal(item.value, t), t
        else:
            cls.attributes[name] = patched_type(cls, name, t)

    def _import_head(self, e: ExpressionEmitter, cls: T.ClassType, item: ast.Assign) -> None:
        target = item.targets[0]
        if isinstance(target, ast.Subscript):  # __annotations__["0"] = Type
            cls.attributes[self.literal(target.slice)] = self.resolver.annotation(e, item.value)
            return
        name = notation.dotted(target)
        if name in ("__parameters__", "__buffers__"):
            (cls.parameters if name == "__parameters__" else cls.buffers).update(self.literal(item.value))
        elif name == "__forward_hooks__":
            cls.forward_hooks = list(self.literal(item.value))
        elif name == "__forward_pre_hooks__":
            cls.forward_pre_hooks = list(self.literal(item.value))
        elif name not in _HEADS:
            raise e.error(item, f"unexpected assignment to '{name}' in the class '{cls.name}'")

    def _import_named_tuple(self, name: str, source: Source, node: ast.ClassDef) -> T.Type:
        e = Emitter(self.resolver, source, Graph())
        fields, kinds, defaults = [], [], []
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields.append(item.target.id)
                kinds.append(self.resolver.annotation(e, item.annotation))
                if item.value is not None:
                    defaults.append(self.literal(item.value, kinds[-1]))
        made = T.NamedTupleType(tuple(kinds), name, tuple(fields), tuple(defaults))
        self.unit.classes[name] = made
        return made

    def _import_enum(self, name: str, node: ast.ClassDef) -> T.Type:
        members = {}
        for item in node.body:
            if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
                members[item.targets[0].id] = self.literal(item.value)
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and item.value is not None:
                members[item.target.id] = self.literal(item.value)
        kind = type(next(iter(members.values()))) if members else int
        made = T.EnumType(name, {int: T.INT, float: T.FLOAT, str: T.STRING}.get(kind, T.INT), members)
        self.unit.classes[name] = made
        return made


_NUMBERS: dict[str, Any] = {
    "inf": math.inf, "nan": math.nan, "infj": complex(0.0, math.inf), "nanj": complex(0.0, math.nan), "True": True, "False": False,
}  # fmt: skip

#: attributes that old quantised modules declare as Tensor but hold packed parameters
_PACKED = {
    "linear.Linear": "LinearPackedParamsBase", "linear_relu.LinearReLU": "LinearPackedParamsBase",
    "conv.Conv2d": "Conv2dPackedParamsBase", "conv.Conv3d": "Conv3dPackedParamsBase",
    "conv_relu.ConvReLU2d": "Conv2dPackedParamsBase", "conv_relu.ConvReLU3d": "Conv3dPackedParamsBase",
    "linear.LinearPackedParams": "LinearPackedParamsBase",
}  # fmt: skip


def patched_type(cls: T.ClassType, name: str, t: T.Type) -> T.Type:
    """The type of an attribute, corrected for quantised modules of old files."""
    if name != "_packed_params" or not isinstance(t, T.TensorType) or ".quantized." not in cls.name:
        return t
    parts = [p for p in cls.name.split(".") if not p.startswith("___torch_mangle_")]
    found = _PACKED.get(".".join(parts[-2:]))
    return t if found is None else torchbind(f"__torch__.torch.classes.quantized.{found}")


def parse_source(source: Source) -> dict[str, ast.stmt]:
    """Definitions of a file by name. Raises ArchiveError for code that is not even Python."""
    tree = safety.parse_code(source.text, source.filename)
    return {s.name: s for s in tree.body if isinstance(s, (ast.ClassDef, ast.FunctionDef))}


class LocalFunction(Sugared):
    """A function defined inside another: the body of a fork."""

    def __init__(self, node: ast.FunctionDef, frame: Frame) -> None:
        self.node, self.frame = node, frame

    def describe(self) -> str:
        return f"the inner function '{self.node.name}'"


class QualifiedName(Sugared):
    """A prefix of a qualified name, `__torch__.torch.nn`, until it names something."""

    def __init__(self, program: ArchiveProgram, name: str) -> None:
        self.program, self.path = program, name

    def describe(self) -> str:
        return f"'{self.path}'"

    def attr(self, e: ExpressionEmitter, span: Span, name: str) -> Sugared:
        path = f"{self.path}.{name}"
        t = self.program.find_type(path)
        if t is not None:
            return reference(t)
        function = self.program.function(path)
        return QualifiedName(self.program, path) if function is None else FunctionRef(function)


def reference(t: T.Type) -> Sugared:
    """A class as something that code can call."""
    if isinstance(t, T.NamedTupleType):
        return NamedTupleRef(t)
    if isinstance(t, T.EnumType):
        return EnumRef(t)
    assert isinstance(t, T.ClassType)
    return ClassRef(t)


class _Constants(Sugared):
    def __init__(self, program: ArchiveProgram) -> None:
        self.program = program

    def attr(self, e: ExpressionEmitter, span: Span, name: str) -> Sugared:
        value = self.program.constant(int(name[1:])) if name[1:].isdigit() else None
        t = self.program.resolver.type_of(value)
        return SimpleValue(e.constant_of(value, t, span))


class _Operators(Sugared):
    def attr(self, e: ExpressionEmitter, span: Span, name: str) -> Sugared:
        return Namespace(name)


def _raise(e: ExpressionEmitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    message = args[0].value(e, span)
    name = args[1].value(e, span) if len(args) > 1 else e.builder.constant(None)
    e.at(span).node("prim::RaiseException", (message, name))
    return SimpleValue(e.builder.constant(None))


def _fork(e: ExpressionEmitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
    local = args[0]
    if not isinstance(local, LocalFunction):
        raise CompileError("fork takes an inner function here", span)
    function, captured = compile_closure(e, local)
    result = T.FutureType(function.signature().returns)
    return SimpleValue(e.at(span).value("prim::fork", captured, result, function=function))


def compile_closure(e: ExpressionEmitter, local: LocalFunction) -> tuple[Function, list[Value]]:
    """Compile an inner function without parameters; the values it uses from outside become its inputs."""
    own = set(assigned_names(local.node.body))
    used = [n.id for s in local.node.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id not in own]
    captured: list[Value] = []
    parameters: list[Parameter] = []
    inner = Emitter(e.resolver, e.source, Graph(local.node.name))
    for name in dict.fromkeys(used):
        found = local.frame.find(name)
        if isinstance(found, SimpleValue):
            captured.append(found.it)
            parameters.append(Parameter(name, found.it.type))
        elif found is not None:
            inner.frame.set(name, found)
    signature = inner.function(local.node, Signature(tuple(parameters), T.TENSOR), True)
    return Function.of(local.node.name, signature, inner.graph), captured


class ArchiveResolver(Resolver):
    """Names of archive code: `torch` and `ops` are operators, `__torch__` the archive's own classes and functions."""

    def __init__(self, program: ArchiveProgram) -> None:
        self.program = program
        self.steps = safety.FREE_STEPS
        self.names: dict[str, Sugared] = {
            "torch": Namespace("aten"), "ops": _Operators(), "CONSTANTS": _Constants(program),
            "__torch__": QualifiedName(program, "__torch__"), "fork": Special("fork", _fork),
        }  # fmt: skip

    def name(self, e: ExpressionEmitter, span: Span, name: str) -> Sugared | None:
        found = self.names.get(name)
        if found is not None:
            return found
        if name in _NUMBERS:
            return SimpleValue(e.at(span).constant(_NUMBERS[name]))
        return super().name(e, span, name)

    def named_type(self, name: str) -> T.Type | None:
        return self.program.find_type(name) if name.startswith("__torch__.") else None

    def type_of(self, value: Any) -> T.Type | None:
        """The type of a constant of the archive where it cannot be told from the value alone."""
        cls = getattr(value, "type", None)
        return cls if isinstance(cls, T.Type) else None

    def operator(self, e: ExpressionEmitter, span: Span, namespace: str, name: str) -> Sugared:
        if namespace == "prim" and name == "RaiseException":
            return Special(name, _raise)
        if namespace == "aten" and name == "autograd":
            return Namespace("aten")
        return super().operator(e, span, namespace, name)

    def class_attr(self, e: ExpressionEmitter, span: Span, obj: Value, cls: T.ClassType, name: str) -> Sugared | None:
        """Methods of packed parameters are operators: `packed.unpack()` is `quantized::conv2d_unpack`."""
        kind = cls.name.rpartition(".")[2].removesuffix("PackedParamsBase").lower()
        if cls.is_torchbind and operators.is_known(f"quantized::{kind}_{name}"):
            return BuiltinFunction(f"quantized::{kind}_{name}", obj)
        return None

    def call_operator(
        self, e: ExpressionEmitter, span: Span, name: str, args: Sequence[Value], kwargs: dict[str, Value]
    ) -> Value:
        if self.program.version < 10:
            upgraded = upgraders.apply(e, span, self.program, name, args, kwargs)
            if upgraded is not None:
                return upgraded
        return matching.emit_builtin(e, span, name, args, kwargs)

    def inner_function(self, e: ExpressionEmitter, node: ast.FunctionDef | ast.Lambda) -> Sugared:
        assert isinstance(node, ast.FunctionDef)
        return LocalFunction(node, e.frame)

    def syntactic_call(self, e: ExpressionEmitter, node: ast.Call, hint: T.Type | None) -> Sugared | None:
        if not isinstance(node.func, ast.Name) or e.frame.find(node.func.id) is not None:
            return None
        span = e.span_of(node)
        name = node.func.id
        if name == "annotate":
            return SimpleValue(self._annotate(e, node, span))
        if name == "unchecked_cast":
            t = self.annotation(e, node.args[0])
            value = e.value(node.args[1], t)
            return SimpleValue(value if value.type == t else e.at(span).value("prim::unchecked_cast", (value,), t))
        if name == "uninitialized":
            return SimpleValue(e.at(span).value("prim::Uninitialized", (), self.annotation(e, node.args[0])))
        return super().syntactic_call(e, node, hint)

    def _annotate(self, e: ExpressionEmitter, node: ast.Call, span: Span) -> Value:
        t = self.annotation(e, node.args[0])
        inner = node.args[1]
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr == "tolist":
            tensor = e.value(inner.func.value)
            return e.at(span).value("prim::tolist", (tensor,), t)
        value = e.value(inner, t)
        converted = matching.convert(e, value, t, True)
        if converted.type == t:
            return converted
        if not T.is_subtype(converted.type, t) and not T.is_subtype(t, converted.type):
            raise CompileError(f"expected a value of type {t.annotation()} but got {value.type.annotation()}", span)
        return e.widen(converted, t)

    def isinstance_condition(self, e: ExpressionEmitter, span: Span, node: ast.Call) -> Condition:
        """Archive code narrows explicitly (unchecked_cast), so the test alone is compiled."""
        wanted = builtins.isinstance_types(e, node.args[1])
        value = e.value(node.args[0])
        known = builtins.static_isinstance(value.type, wanted)
        if known is not None:
            return Condition(e.at(span).constant(known), known)
        return Condition(e.at(span).value("prim::isinstance", (value,), T.BOOL, types=wanted))


__all__ = ["ArchiveProgram", "ArchiveResolver", "Builder", "QualifiedName", "parse_source"]
