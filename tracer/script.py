"""Scripting: live Python functions, classes and modules into the IR, recursively."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import typing
from collections.abc import Callable
from typing import Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Builder, Graph
from linstock.ir.program import MISSING, CompilationUnit, Function, Parameter, Signature
from linstock.ir.source import Source, Span
from linstock.tracer import annotations as notation
from linstock.tracer import live_source, live_types
from linstock.tracer.archive import ArchiveProgram
from linstock.tracer.completion import complete
from linstock.tracer.emitter import Emitter
from linstock.tracer.live import LiveResolver
from linstock.tracer.live_overloads import Annotations
from linstock.tracer.live_values import constant
from linstock.tracer.resolver import EnumConstant, parameter_list
from linstock.tracer.values import FunctionRef

_GRAD_MODE = """
class {name}:
  prev : bool
  def __init__(self: __torch__.torch.autograd.grad_mode.{name}{parameter}) -> NoneType:
    self.prev = False
    return None
  def __enter__(self: __torch__.torch.autograd.grad_mode.{name}) -> NoneType:
    self.prev = torch.is_grad_enabled()
    torch.set_grad_enabled({mode})
    return None
  def __exit__(self: __torch__.torch.autograd.grad_mode.{name}, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    torch.set_grad_enabled(self.prev)
    return None
"""


class LiveProgram:
    """Everything scripted so far: each function, class and module type is compiled once."""

    def __init__(self) -> None:
        self.unit = CompilationUnit()
        self._functions: dict[Any, Function] = {}
        self._declared: dict[Any, Function] = {}
        self._classes: dict[type, T.Type | None] = {}
        self.module_types: dict[Any, T.ClassType] = {}
        self.python_of: dict[T.ClassType, type] = {}
        self._grad_modes: ArchiveProgram | None = None
        self._init_annotations: dict[Any, dict[str, T.Type]] = {}
        self._complete: set[Function] = set()

    def complete(self, function: Function) -> None:
        """Compile a function and everything it calls. Raises CompileError."""
        complete(function, self._complete)

    # -- functions ---------------------------------------------------------------------------------------------------
    def function(self, python: Any, name: str | None = None) -> Function:
        """The compiled (on first use) form of a Python function."""
        known = self._functions.get(python)
        if known is None:
            known = self.make_function(python, None, name or self.unit.unique_name(live_source.qualified_name(python)))
            self._functions[python] = known
            self.unit.functions[known.name] = known
        return known

    def overload(self, python: Any, place: int, types: Annotations) -> Function:
        """The form of an overloaded function for one of its signatures."""
        known = self._functions.get((python, place))
        if known is None:
            known = self.make_function(
                python, None, self.unit.unique_name(live_source.qualified_name(python)), types=types
            )
            self._functions[(python, place)] = known
            self.unit.functions[known.name] = known
        return known

    def declared(self, python: Any, owner: T.ClassType | None = None) -> Function:
        """A function of which only the signature is compiled (it stays Python)."""
        known = self._declared.get(python)
        if known is None:
            known = self.make_function(python, owner, live_source.qualified_name(python), signature_only=True)
            self._declared[python] = known
        return known

    def modifier(self, python: Any) -> str | None:
        """ "ignore" or "unused" for a function so marked, None otherwise."""
        mark = str(getattr(python, "_torchscript_modifier", ""))
        return "unused" if mark.startswith("unused") else "ignore" if mark.startswith("ignore") else None

    def make_function(
        self,
        python: Any,
        owner: T.ClassType | None,
        name: str,
        initialises: bool = False,
        signature_only: bool = False,
        types: Annotations | None = None,
    ) -> Function:
        source, node = live_source.read(python)
        if not isinstance(node, ast.FunctionDef):
            raise CompileError(f"{name} is not a function")
        resolver = LiveResolver(self, live_source.lookup(python), python)
        node = _without_docstring(node)

        def signature(function: Function) -> Signature:
            made, _ = self.signature(resolver, source, node, python, owner, signature_only, types)
            return made

        def define(function: Function) -> tuple[Signature, Graph]:
            start, infer = self.signature(resolver, source, node, python, owner, False, types)
            emitter = Emitter(resolver, source, Graph(node.name))
            emitter.initialising = owner if initialises else None
            done = emitter.function(node, start, infer)
            return done, emitter.graph

        returns = node.returns is not None or "return" in (types or ())
        annotated = signature_only or returns or live_source.type_comment(source, node) is not None
        made = Function(name, define, signature if annotated else None, inspect.getdoc(python))
        made.span = Span(source, node.lineno, node.col_offset, node.lineno, node.col_offset + 4 + len(node.name))
        return made

    def signature(
        self,
        resolver: LiveResolver,
        source: Source,
        node: ast.FunctionDef,
        python: Any,
        owner: T.ClassType | None,
        loose: bool,
        types: Annotations | None = None,
    ) -> tuple[Signature, bool]:
        """Signature from annotations (or a type comment); whether the result type is still to be inferred."""
        e = Emitter(resolver, source, Graph())
        if node.args.vararg is not None and not loose:
            raise e.error(
                node.args.vararg,
                f"'*{node.args.vararg.arg}' cannot be compiled: a scripted function takes a fixed number of arguments; pass a list",
            )
        if node.args.kwarg is not None and not loose:
            raise e.error(
                node.args.kwarg,
                f"'**{node.args.kwarg.arg}' cannot be compiled: a scripted function takes a fixed number of arguments",
            )
        comment = live_source.type_comment(source, node)
        rows = parameter_list(node)
        kinds: list[ast.expr | None] = [arg.annotation for arg, _, _ in rows]
        result = node.returns
        if comment is not None:
            skip = len(rows) - len(comment[0])
            kinds = [None] * skip + list(comment[0])  # type: ignore[arg-type, assignment]
            result = comment[1]
        if types is not None:
            kinds = [types.get(arg.arg, kind) for (arg, _, _), kind in zip(rows, kinds, strict=True)]
            result = types.get("return", result)
        plain = inspect.unwrap(python)
        values = _defaults(plain)
        parameters = []
        for i, ((arg, default, only), annotation) in enumerate(zip(rows, kinds, strict=True)):
            if i == 0 and owner is not None and annotation is None:
                t: T.Type = owner
            elif annotation is None:
                t = T.TENSOR
            else:
                t = resolver.annotation(e, annotation)
            value, size = MISSING, notation.broadcast_size(annotation)
            if default is not None:
                value = self.default_value(values[arg.arg], t)
                if size is not None and isinstance(value, (int, float)):
                    value = [value] * size
            parameters.append(Parameter(arg.arg, t, value, only, size))
        returns = T.TENSOR if result is None else resolver.annotation(e, result)
        return Signature(tuple(parameters), returns), result is None

    def default_value(self, value: Any, t: T.Type) -> Any:
        """A default as a constant of the graph."""
        if isinstance(value, enum.Enum):
            found = self.class_type(type(value))
            if isinstance(found, T.EnumType):
                return EnumConstant(found, value.name)
        value = constant(value)
        return float(value) if T.without_none(t) == T.FLOAT and type(value) is int else value

    # -- classes -----------------------------------------------------------------------------------------------------
    def annotated_in_init(self, cls: type, name: str) -> T.Type | None:
        """The type that `self.name: T = ...` in `__init__` of the class (or of a base of it) declares, or None."""
        for base in cls.__mro__:
            init = vars(base).get("__init__")
            if not inspect.isfunction(init) or live_types.library_of(init):
                continue
            rows = self._init_annotations.get(init)
            if rows is None:
                rows = self._init_annotations[init] = self._annotations_in(init)
            if name in rows:
                return rows[name]
        return None

    def _annotations_in(self, init: Any) -> dict[str, T.Type]:
        found: dict[str, T.Type] = {}
        try:
            source, node = live_source.read(init)
        except CompileError:
            return found
        resolver = LiveResolver(self, live_source.lookup(init), init)
        for n in ast.walk(node):
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Attribute):
                try:
                    found[n.target.attr] = resolver.annotation(Emitter(resolver, source, Graph()), n.annotation)
                except CompileError:
                    continue
        return found

    def class_type(self, cls: type) -> T.Type | None:
        """The type of a Python class: NamedTuple, Enum, interface or script class; None if it cannot be one."""
        if cls in self._classes:
            return self._classes[cls]
        made: T.Type | None = None
        if live_types.is_named_tuple(cls):
            made = self._named_tuple(cls)
        elif issubclass(cls, enum.Enum):
            made = self._enum(cls)
        elif getattr(cls, "__script_interface__", None) or "__torch_script_interface__" in cls.__dict__:
            made = self._interface(cls)
        elif not cls.__module__.startswith(("builtins", "typing", "collections", "numpy")) and not hasattr(
            cls, "named_parameters"
        ):
            return self._script_class(cls)
        self._classes[cls] = made
        return made

    def _lookup_in(self, cls: type) -> Callable[[Any], T.Type]:
        """Annotation objects (or strings) in the scope of a class to types."""

        def find(annotation: Any) -> T.Type:
            if isinstance(annotation, typing.ForwardRef):
                annotation = annotation.__forward_arg__
            if isinstance(annotation, str):
                import sys

                space = {**vars(typing), **vars(sys.modules[cls.__module__])}
                annotation = eval(annotation, space)
            found = live_types.of_annotation(annotation, self.class_type)
            if found is None:
                raise CompileError(
                    f"the annotation {annotation!r} in class '{cls.__name__}' is not a type of TorchScript"
                )
            return found

        return find

    def _named_tuple(self, cls: Any) -> T.NamedTupleType:
        find = self._lookup_in(cls)
        hints: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            hints |= vars(base).get("__annotations__", {})
        kinds = tuple(find(hints[f]) if f in hints else T.TENSOR for f in cls._fields)
        defaults = tuple(constant(v) for v in cls._field_defaults.values())
        made = T.NamedTupleType(
            kinds, self.unit.unique_name(live_source.qualified_name(cls)), tuple(cls._fields), defaults
        )
        self.unit.classes[made.name] = made
        object.__setattr__(made, "python", cls)
        return made

    def _enum(self, cls: type[enum.Enum]) -> T.EnumType:
        members = {m.name: m.value for m in cls}
        kinds = {type(v) for v in members.values()}
        if len(kinds) != 1 or not kinds <= {int, float, str}:
            raise CompileError(f"enum '{cls.__name__}' must have values of one type, int, float or str")
        kind = {int: T.INT, float: T.FLOAT, str: T.STRING}[kinds.pop()]
        made = T.EnumType(self.unit.unique_name(live_source.qualified_name(cls)), kind, members)
        made.python = cls
        self.unit.classes[made.name] = made
        return made

    def _interface(self, cls: type) -> T.InterfaceType:
        made = T.InterfaceType(self.unit.unique_name(live_source.qualified_name(cls)), hasattr(cls, "named_parameters"))
        self._classes[cls] = made
        self.unit.classes[made.name] = made
        for name, python in vars(cls).items():
            if inspect.isfunction(python) and not name.startswith("__"):
                made.methods[name] = self.declared(python, made).signature()  # type: ignore[arg-type]
        return made

    def _script_class(self, cls: type) -> T.ClassType | None:
        for base in cls.__mro__[1:]:
            if base is not object and base.__module__ != "abc" and issubclass(base, BaseException):
                return None
        try:
            live_source.read(cls)
        except CompileError:
            return None  # a class of C code, or one that was never written down
        made = T.ClassType(self.unit.unique_name(live_source.qualified_name(cls)))
        self._classes[cls] = made
        self.unit.classes[made.name] = made
        self.python_of[made] = cls
        made.python = cls
        try:
            self._fill_class(made, cls)
        except CompileError:
            del self._classes[cls]
            raise
        return made

    def _fill_class(self, made: T.ClassType, cls: type) -> None:
        find = self._lookup_in(cls)
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            made.attributes[name] = find(annotation)
        members: dict[str, Any] = {}
        for base in reversed(cls.__mro__[:-1]):
            members |= vars(base)
        if dataclasses.is_dataclass(cls):
            members.pop("__init__", None)
            members.pop("__repr__", None)
            made.methods["__init__"] = self._dataclass_init(made, cls, find)
            generated = {
                n for n, m in members.items() if getattr(getattr(m, "__code__", None), "co_filename", "") == "<string>"
            }
            if "__eq__" in generated:
                made.methods["__eq__"] = self._dataclass_eq(made, cls)
            members = {n: m for n, m in members.items() if n not in generated}
        for name, python in members.items():
            if isinstance(python, staticmethod):
                made.static_methods[name] = self.function(python.__func__)
            elif isinstance(python, property) and python.fget is not None:
                getter = self.make_function(python.fget, made, f"{made.name}.__{name}_getter")
                setter = (
                    None
                    if python.fset is None
                    else self.make_function(python.fset, made, f"{made.name}.__{name}_setter")
                )
                made.methods[getter.short_name] = getter
                if setter is not None:
                    made.methods[setter.short_name] = setter
                made.properties[name] = T.Property(name, getter, setter)
            elif inspect.isfunction(python) and self.modifier(python) is None and not name.startswith("__dataclass"):
                made.methods[name] = self.make_function(
                    python, made, f"{made.name}.{name}", initialises=name == "__init__"
                )
        if "__init__" in made.methods and not dataclasses.is_dataclass(cls):
            made.methods["__init__"].ensure()

    def _dataclass_init(self, made: T.ClassType, cls: type, find: Callable[[Any], T.Type]) -> Function:
        """`__init__` of a dataclass: sets each field."""
        graph = Graph("__init__")
        parameters = [Parameter("self", made)]
        obj = graph.add_input(made, "self")
        builder = Builder(graph)
        for f in dataclasses.fields(cls):
            t = find(f.type)
            made.attributes[f.name] = t
            default = MISSING if f.default is dataclasses.MISSING else self.default_value(f.default, t)
            if f.default_factory is not dataclasses.MISSING:
                default = self.default_value(f.default_factory(), t)
            if f.init:
                parameters.append(Parameter(f.name, t, default))
                builder.node("prim::SetAttr", (obj, graph.add_input(t, f.name)), name=f.name)
        post = getattr(cls, "__post_init__", None)
        if post is not None:
            method = made.methods["__post_init__"] = self.make_function(post, made, f"{made.name}.__post_init__")
            builder.node("prim::CallMethod", (obj,), (T.NONE,), name=method.short_name)
        graph.add_output(builder.constant(None))
        return Function.of(f"{made.name}.__init__", Signature(tuple(parameters), T.NONE), graph)

    def _dataclass_eq(self, made: T.ClassType, cls: type) -> Function:
        """`__eq__` of a dataclass: all fields are equal."""
        text = " and ".join(f"self.{f.name} == other.{f.name}" for f in dataclasses.fields(cls) if f.compare) or "True"
        source = Source(f"def __eq__(self, other):\n    return {text}", f"<dataclass {cls.__name__}>")
        node = ast.parse(source.text).body[0]
        assert isinstance(node, ast.FunctionDef)
        resolver = LiveResolver(self, live_source.lookup(cls.__init__), cls.__init__)  # type: ignore[misc]

        def define(function: Function) -> tuple[Signature, Graph]:
            emitter = Emitter(resolver, source, Graph("__eq__"))
            parameters = (Parameter("self", made), Parameter("other", made))
            return emitter.function(node, Signature(parameters, T.BOOL), False), emitter.graph

        signature = Signature((Parameter("self", made), Parameter("other", made)), T.BOOL)
        return Function(f"{made.name}.__eq__", define, lambda _: signature)

    def grad_mode_class(self, name: str) -> T.ClassType:
        """`no_grad`, `enable_grad` and `set_grad_enabled` as classes that compiled code can enter."""
        if self._grad_modes is None:
            texts = [
                _GRAD_MODE.format(name="no_grad", parameter="", mode="False"),
                _GRAD_MODE.format(name="inference_mode", parameter="", mode="False"),
                _GRAD_MODE.format(name="enable_grad", parameter="", mode="True"),
            ]
            source = Source("".join(texts), "torch/autograd/grad_mode.py")
            self._grad_modes = ArchiveProgram(
                lambda path: source if path == "__torch__/torch/autograd/grad_mode" else None
            )
        found = self._grad_modes.class_type(f"__torch__.torch.autograd.grad_mode.{name}")
        assert isinstance(found, T.ClassType)
        return found


def functions_of_text(program: LiveProgram, text: str) -> dict[str, Function]:
    """Functions defined in a piece of source text; they see each other and the operators as `torch`."""
    made: dict[str, Function] = {}
    source = Source(text, "<string>")
    find = _scope_of_text(made)
    for node in _definitions(source):
        made[node.name] = _function_of_text(program, source, node, find, None)
    return made


def methods_of_text(program: LiveProgram, cls: T.ClassType, text: str) -> list[Function]:
    """Methods of a class defined in a piece of source text."""
    source = Source(text, "<string>")
    find = _scope_of_text({})
    return [_function_of_text(program, source, node, find, cls) for node in _definitions(source)]


def _definitions(source: Source) -> list[ast.FunctionDef]:
    try:
        tree = ast.parse(source.text, type_comments=True)
    except SyntaxError as problem:
        raise CompileError(f"the text is not Python: {problem}") from None
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _scope_of_text(functions: dict[str, Function]) -> Callable[[str], Any]:
    import math
    import sys

    linstock = sys.modules["linstock"]
    scope: dict[str, Any] = {**vars(typing), "math": math, "torch": linstock, "linstock": linstock}

    def find(name: str) -> Any:
        return FunctionRef(functions[name]) if name in functions else scope[name]

    return find


def _function_of_text(
    program: LiveProgram,
    source: Source,
    node: ast.FunctionDef,
    find: Callable[[str], Any],
    owner: T.ClassType | None,
) -> Function:
    def placeholder() -> None: ...

    resolver = LiveResolver(program, find, placeholder)

    def define(function: Function) -> tuple[Signature, Graph]:
        e = Emitter(resolver, source, Graph())
        comment = live_source.type_comment(source, node)
        rows = parameter_list(node)
        kinds = [arg.annotation for arg, _, _ in rows]
        result = node.returns
        if comment is not None:
            kinds = [*[None] * (len(rows) - len(comment[0])), *comment[0]]
            result = comment[1]
        parameters = []
        for i, ((arg, default, only), kind) in enumerate(zip(rows, kinds, strict=True)):
            t: T.Type = T.TENSOR if kind is None else resolver.annotation(e, kind)
            if i == 0 and owner is not None and kind is None:
                t = owner
            value = MISSING if default is None else program.default_value(ast.literal_eval(default), t)
            parameters.append(Parameter(arg.arg, t, value, only, notation.broadcast_size(kind)))
        returns = T.TENSOR if result is None else resolver.annotation(e, result)
        emitter = Emitter(resolver, source, Graph(node.name))
        return emitter.function(node, Signature(tuple(parameters), returns), result is None), emitter.graph

    return Function(f"{'__torch__' if owner is None else owner.name}.{node.name}", define)


def _without_docstring(node: ast.FunctionDef) -> ast.FunctionDef:
    first = node.body[0]
    if (
        len(node.body) > 1
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        node.body = node.body[1:]
    return node


def _defaults(python: Any) -> dict[str, Any]:
    try:
        return {
            n: p.default
            for n, p in inspect.signature(python).parameters.items()
            if p.default is not inspect.Parameter.empty
        }
    except (TypeError, ValueError):
        return {}
