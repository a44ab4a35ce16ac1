"""Graphs to the Python code of an archive's `code/`, as readable as the format allows.

A value that is used once, right where it stands, is written inside the expression that uses it; everything else gets a
name. The
order of evaluation is that of the graph: an expression is only inlined if nothing is evaluated in between.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.program import MISSING, Function, Signature
from linstock.ir.source import Span

_RESERVED = {
    "torch", "ops", "CONSTANTS", "fork", "awaitable", "attribute", "getattr", "inf", "nan", "infj", "nanj", "__torch__", "annotate", "float",
    "int", "bool", "str", "print", "range", "unchecked_cast", "uninitialized", "isinstance", "sorted", "len", "list", "dict", "tuple", "None",
    "True", "False", "min", "max", "abs", "all", "any", "sum", "zip", "enumerate", "complex", "device", "number",
}  # fmt: skip
_CASTS = {
    "aten::Int": "int", "aten::IntImplicit": "annotate(int, {})", "aten::FloatImplicit": "annotate(float, {})", "aten::Float": "float",
    "aten::ComplexImplicit": "annotate(complex, {})", "aten::ScalarImplicit": "annotate(number, {})", "aten::Bool": "bool", "aten::str": "str",
}  # fmt: skip
_FOREVER = 9223372036854775807
#: structural nodes that are only names for what is already evaluated: they never need a statement of their own
_FREE = ("prim::Constant",)

TypeName = Callable[[T.Type], str]


@dataclass
class Names:
    """What the printer needs to know of the program around it.

    `class_name` gives the qualified name of a class (after uniquing), `function_name` that of a function, `constant`
    the index in
    constants.pkl of a value that has no literal form.
    """

    class_name: Callable[[T.Type], str]
    function_name: Callable[[Function], str]
    constant: Callable[[Any], int]
    shows_python: bool = False  # whether calls of ignored Python functions are shown, instead of refused

    def annotation(self, t: T.Type) -> str:
        """A type as source."""
        if isinstance(t, (T.ClassType, T.InterfaceType, T.EnumType, T.NamedTupleType)):
            return self.class_name(t)
        if isinstance(t, T.OptionalType):
            return f"Optional[{self.annotation(t.element)}]"
        if isinstance(t, T.ListType):
            return f"List[{self.annotation(t.element)}]"
        if isinstance(t, (T.FutureType, T.AwaitType, T.RRefType)):
            return f"{t.annotation().partition('[')[0]}[{self.annotation(t.element)}]"
        if isinstance(t, T.DictType):
            return f"Dict[{self.annotation(t.key)}, {self.annotation(t.value)}]"
        if isinstance(t, T.TupleType):
            return f"Tuple[{', '.join(map(self.annotation, t.elements)) or '()'}]"
        if isinstance(t, T.UnionType):
            return f"Union[{', '.join(map(self.annotation, t.members))}]"
        return t.annotation()


def quote(text: str) -> str:
    """A string literal that both Python and TorchScript read."""
    out = []
    for byte in text.encode("utf-8", "surrogatepass"):
        c = chr(byte)
        if c in "\\\"'":
            out.append("\\" + c)
        elif c in "\n\t\r":
            out.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}[c])
        elif byte < 32 or byte == 127:
            out.append(f"\\{byte:03o}")
        else:
            out.append(c)
    return '"' + "".join(out).encode("latin-1").decode("utf-8", "surrogatepass") + '"'


def number(value: float | complex) -> str:
    """A float or complex literal that reads back exactly."""
    if isinstance(value, complex):
        imaginary = (
            "infj" if math.isinf(value.imag) else "nanj" if math.isnan(value.imag) else f"{number(abs(value.imag))}j"
        )
        sign = "-" if math.copysign(1.0, value.imag) < 0 else "+"
        return f"{number(value.real)}{sign}{imaginary}"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if math.isnan(value):
        return "nan"
    text = f"{value:.17g}"
    return text if any(c in text for c in ".en") else text + "."


def literal(value: Any, t: T.Type | None, names: Names) -> str:
    """A constant as source."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int):
        return number(float(value)) if t == T.FLOAT else str(value)
    if isinstance(value, (float, complex)):
        return number(value)
    if isinstance(value, Device):
        return f'torch.device("{value}")'
    if isinstance(value, Function):
        return names.function_name(value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        kinds = t.elements if isinstance(t, T.TupleType) else (None,) * len(value)
        inner = ", ".join(literal(v, k, names) for v, k in zip(value, kinds, strict=True))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        inner_t = T.without_none(t) if t is not None else None
        element = inner_t.element if isinstance(inner_t, T.ListType) else None
        text = f"[{', '.join(literal(v, element, names) for v in value)}]"
        return f"annotate({names.annotation(inner_t)}, {text})" if not value and inner_t is not None else text
    kind = getattr(value, "type", None)
    if isinstance(kind, T.EnumType):
        return f"{names.class_name(kind)}.{value.name}"
    if isinstance(t, T.EnumType) and hasattr(value, "name"):
        return f"{names.class_name(t)}.{value.name}"
    return f"CONSTANTS.c{names.constant(value)}"


class FunctionPrinter:
    """Prints one function or method."""

    def __init__(self, names: Names, indent: int = 0) -> None:
        self.names = names
        self.lines: list[str] = []
        self.spans: list[tuple[int, Span | None]] = []  # (line index, where it was written)
        self.indent = indent
        self.taken = set(_RESERVED)
        self.text: dict[Value, str] = {}
        self.inlined: set[Node] = set()
        self.counter = 0
        self.suffix: dict[str, int] = {}

    # -- names -------------------------------------------------------------------------------------------------------
    def fresh(self, hint: str = "") -> str:
        """A new identifier, like `hint` if that is usable."""
        if not hint or not hint.isidentifier() or not hint.isascii() or hint.startswith("_"):
            while f"_{self.counter}" in self.taken:
                self.counter += 1
            name = f"_{self.counter}"
            self.counter += 1
        else:
            name = hint
            while name in self.taken or keyword.iskeyword(name):
                n = self.suffix.get(hint, 0)
                self.suffix[hint] = n + 1
                name = f"{hint}{n}"
        self.taken.add(name)
        return name

    def name_of(self, value: Value) -> str:
        if value not in self.text:
            hint = value.name.rpartition(".")[0] if value.name.rpartition(".")[2].isdigit() else value.name
            self.text[value] = self.fresh(hint or value.name)
        return self.text[value]

    def emit(self, text: str, span: Span | None = None) -> None:
        self.spans.append((len(self.lines), span))
        self.lines.append("  " * self.indent + text)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.indent += 1
        yield
        self.indent -= 1

    # -- what is written inside expressions --------------------------------------------------------------------------
    def plan(self, block: Block) -> None:
        """Mark the nodes of a block that are written inside their only user."""
        node = block.return_node
        position: Node | None = node
        while position is not None and position is not block.param_node:
            position = self._scan(position, block)

    def _scan(self, root: Node, block: Block) -> Node | None:
        """Inline what can be into `root`; gives the node before everything that was inlined."""
        cursor = self._before(root, block)
        if root.kind in ("prim::Loop", "prim::fork", "prim::Enter", "prim::Exit") or root.kind == "prim::Return":
            inputs: list[Value] = [] if root.kind in ("prim::Loop", "prim::fork") else list(root.inputs)
            if root.kind == "prim::Return" and len(root.inputs) != 1:
                inputs = []
        else:
            inputs = list(root.inputs)
        for value in reversed(inputs):
            if cursor is not None and value.node is cursor and self._inlinable(cursor, root):
                self.inlined.add(cursor)
                cursor = self._scan(cursor, block)
        return cursor

    def _before(self, node: Node, block: Block) -> Node | None:
        previous = node.prev
        while previous is not None and previous.kind in _FREE:
            previous = previous.prev
        return None if previous is block.param_node else previous

    def _inlinable(self, node: Node, user: Node) -> bool:
        if len(node.outputs) != 1 or len(node.outputs[0].uses) != 1 or node.blocks:
            return False
        if node.kind in (
            "prim::GetAttr",
            "prim::Uninitialized",
            "prim::CreateObject",
            "prim::fork",
            "prim::TupleUnpack",
            "prim::ListUnpack",
            "prim::tolist",
            "prim::PythonOp",
        ):
            return False
        if node.schema is not None and node.schema.is_mutable:
            return False
        return not _author_named(node.outputs[0]) and user.block is node.block

    # -- statements --------------------------------------------------------------------------------------------------
    def block(self, block: Block) -> None:
        """The statements of a block, without what follows from its outputs."""
        self.plan(block)
        before = len(self.lines)
        for node in block:
            if node.kind in _FREE or node in self.inlined:
                continue
            self.statement(node)
        if len(self.lines) == before and block.owner is not None and not block.outputs:
            self.emit("pass")

    def statement(self, node: Node) -> None:
        method = (
            getattr(self, "_" + node.kind.partition("::")[2].lower() + "_statement", None)
            if node.kind.startswith("prim::")
            else None
        )
        if method is not None:
            method(node)
            return
        text = self.call(node)
        if not node.outputs:
            self.emit(text, node.span)
        elif len(node.outputs) == 1:
            self._assign_one(node.outputs[0], text, node.span)
        else:
            self.emit(f"{', '.join(self.name_of(o) for o in node.outputs)} = {text}", node.span)

    def _assign_one(self, value: Value, text: str, span: Span | None) -> None:
        self.emit(f"{self.name_of(value)} = {text}", span)

    def _tupleunpack_statement(self, node: Node) -> None:
        self._unpack(node)

    def _listunpack_statement(self, node: Node) -> None:
        self._unpack(node)

    def _unpack(self, node: Node) -> None:
        if node.outputs:
            self.emit(
                "".join(f"{self.name_of(o)}, " for o in node.outputs) + f"= {self.use(node.inputs[0])}", node.span
            )

    def _setattr_statement(self, node: Node) -> None:
        self.emit(
            f"{self.attribute(node.inputs[0], node.attributes['name'], store=True)} = {self.use(node.inputs[1])}",
            node.span,
        )

    def _raiseexception_statement(self, node: Node) -> None:
        message, name = node.inputs[0], node.inputs[1] if len(node.inputs) > 1 else None
        given = name is not None and not (name.is_constant and name.constant is None)
        text = self.use(message) + (f", {self.use(name)}" if given and name is not None else "")
        self.emit(f"ops.prim.RaiseException({text})", node.span)

    def _enter_statement(self, node: Node) -> None:
        target = f" as {self.name_of(node.outputs[0])}" if node.outputs and node.outputs[0].uses else ""
        self.emit(f"with {self.use(node.inputs[0])}{target}:", node.span)
        self.indent += 1
        following = node.next
        if following is not None and following.kind == "prim::Exit":
            self.emit("pass")

    def _exit_statement(self, node: Node) -> None:
        self.indent -= 1

    def python_call(self, node: Node) -> str:
        """A call of an ignored function: only shown, for an archive cannot hold it."""
        name = getattr(node.attributes.get("function"), "__qualname__", "?")
        if not self.names.shows_python:
            raise ArchiveError(
                f"cannot be saved: it calls the Python function '{name}', which is marked as ignored. Mark it as unused, or script it"
                + (f"\n{node.span.show()}" if node.span else "")
            )
        return f"^{name}({self.arguments(node.inputs)})"

    def _if_statement(self, node: Node) -> None:
        self.emit(f"if {self.use(node.inputs[0])}:", node.span)
        for o in node.outputs:
            self.name_of(o)
        for i, block in enumerate(node.blocks):
            if i:
                self.emit("else:")
            with self.deeper():
                targets = [
                    (t, v) for t, v in zip(node.outputs, block.outputs, strict=True) if not self._named_as(t, v, block)
                ]
                before = len(self.lines)
                self.block(block)
                self._assign([t for t, _ in targets], [v for _, v in targets], node.span)
                if len(self.lines) == before:
                    self.emit("pass")

    def _named_as(self, target: Value, value: Value, block: Block) -> bool:
        """Give what a branch computes only to give it out the name of the result at once; False where that cannot be."""
        node = value.node
        own = node.block is block and len(value.uses) == 1 and value.type == target.type and value not in self.text
        alone = (
            len(block.outputs) == 1 and not _author_named(value) and not node.blocks
        )  # written in the assignment itself
        if not own or alone or node.kind in ("prim::Constant", "prim::Loop", "prim::Uninitialized"):
            return False
        self.text[value] = self.name_of(target)
        return True

    def _assign(self, targets: Sequence[Value], values: Sequence[Value], span: Span | None) -> None:
        """`a, b = x, y`; one at a time, with its type, where that differs."""
        pairs = [(t, v) for t, v in zip(targets, values, strict=True)]
        if not pairs:
            return
        typed = len(pairs) == 1 and pairs[0][0].type != pairs[0][1].type
        if typed:
            target, value = pairs[0]
            text = self.use(value)
            if value.is_constant and value.constant is None:
                text = "None"
            self.emit(f"{self.name_of(target)} : {self.names.annotation(target.type)} = {text}", span)
            return
        right = []
        for target, value in pairs:
            text = self.use(value)
            if target.type != value.type and not (isinstance(target.type, T.TensorType)):
                text = f"annotate({self.names.annotation(target.type)}, {text})"
            right.append(text)
        self.emit(f"{', '.join(self.name_of(t) for t, _ in pairs)} = {', '.join(right)}", span)

    def _loop_statement(self, node: Node) -> None:
        body = node.blocks[0]
        limit, start = node.inputs[:2]
        carried = body.inputs[1:]
        for _outer, inner, out in zip(node.inputs[2:], carried, node.outputs, strict=True):
            name = self.fresh(_hint(inner) or _hint(out))
            self.text[inner] = self.text[out] = name
        self._assign(carried, node.inputs[2:], node.span)
        going = body.outputs[0]
        always = start.is_constant and start.constant is True and going.is_constant and going.constant is True
        if always:
            index = self.text[body.inputs[0]] = self.fresh(_hint(body.inputs[0]))
            self.emit(f"for {index} in range({self.use(limit)}):", node.span)
            with self.deeper():
                self.block(body)
                self._assign(carried, body.outputs[1:], node.span)
                if not self.lines[-1].startswith("  " * self.indent):
                    self.emit("pass")
            return
        self._while(node, body, limit, start, going, carried)

    def _while(
        self, node: Node, body: Block, limit: Value, start: Value, going: Value, carried: Sequence[Value]
    ) -> None:
        forever = limit.is_constant and limit.constant == _FOREVER
        counted = not forever or bool(body.inputs[0].uses)
        condition = self.fresh()
        index = ""
        if counted:
            index = self.text[body.inputs[0]] = self.fresh(_hint(body.inputs[0]))
            bound = self.use(limit)
            self.emit(f"{index} = 0", node.span)
            self.emit(f"{condition} = torch.__and__(torch.lt({index}, {bound}), {self.use(start)})", node.span)
        else:
            self.emit(f"{condition} = {self.use(start)}", node.span)
        self.emit(f"while {condition}:", node.span)
        with self.deeper():
            self.block(body)
            following = self.fresh() if counted else ""
            if counted:
                self.emit(f"{following} = torch.add({index}, 1)", node.span)
            ends = [self.use(v) for v in body.outputs[1:]]
            for i, (inner, value) in enumerate(zip(carried, body.outputs[1:], strict=True)):
                if inner.type != value.type and not isinstance(inner.type, T.TensorType):
                    ends[i] = f"annotate({self.names.annotation(inner.type)}, {ends[i]})"
            next_condition = self.use(going)
            if counted:
                next_condition = f"torch.__and__(torch.lt({following}, {self.use(limit)}), {next_condition})"
            left = [condition, *([index] if counted else []), *[self.name_of(c) for c in carried]]
            right = [next_condition, *([following] if counted else []), *ends]
            self.emit(f"{', '.join(left)} = {', '.join(right)}", node.span)

    def _fork_statement(self, node: Node) -> None:
        """The forked function is written as an inner function over the names it captures."""
        function: Function = node.attributes["function"]
        name = (
            self.fresh("__forked_function")
            if "__forked_function" not in self.taken
            else self._another("__forked_function")
        )
        self.taken.add(name)
        inner = FunctionPrinter(self.names, self.indent + 1)
        inner.taken |= self.taken
        for formal, actual in zip(function.graph.inputs, node.inputs, strict=True):
            inner.text[formal] = self.use(actual) if actual.is_constant else self.name_of(actual)
        inner.body(function.graph)
        self.taken |= inner.taken
        self.emit(f"def {name}():", node.span)
        base = len(self.lines)
        self.spans += [(base + i, span) for i, span in inner.spans]
        self.lines += inner.lines
        self.emit(f"{self.name_of(node.outputs[0])} = fork({name})", node.span)

    def _another(self, name: str) -> str:
        n = 0
        while f"{name}{n}" in self.taken:
            n += 1
        return f"{name}{n}"

    # -- expressions -------------------------------------------------------------------------------------------------
    def use(self, value: Value) -> str:
        """The value where it is used: its name, or its expression if that is written here."""
        node = value.node
        if node.kind == "prim::Constant" and value not in self.text:
            constant = node.attributes.get("value")
            if constant is None and value.type != T.NONE:
                return f"annotate({self.names.annotation(value.type)}, None)"
            return literal(constant, value.type, self.names)
        if node in self.inlined:
            return self.call(node)
        return self.name_of(value)

    def attribute(self, obj: Value, name: str, store: bool = False) -> str:
        base = self.use(obj)
        if name.isidentifier() and name.isascii() and not keyword.iskeyword(name):
            return f"{base}.{name}" if base.isidentifier() else f"({base}).{name}"
        return f"getattr({base}, {quote(name)})"

    def call(self, node: Node) -> str:
        """The expression of a node."""
        special = _SPECIAL.get(node.kind)
        if special is not None:
            return special(self, node)
        if node.schema is None:
            raise ArchiveError(f"{node.kind} cannot be written as archive code")
        return self._operator(node)

    def arguments(self, values: Sequence[Value]) -> str:
        return "".join(f"{self.use(v)}, " for v in values)

    def _operator(self, node: Node) -> str:
        schema = node.schema
        assert schema is not None
        cast = _CASTS.get(node.kind)
        if cast is not None and len(node.inputs) == 1:
            text = self.use(node.inputs[0])
            return cast.format(text) if "{" in cast else f"{cast}({text})"
        if node.kind == "aten::__getitem__" and len(node.inputs) == 2:
            base = self.use(node.inputs[0])
            return f"{base if base.isidentifier() else f'({base})'}[{self.use(node.inputs[1])}]"
        namespace, _, name = node.kind.partition("::")
        needed = len(node.inputs)
        formals = schema.arguments
        while needed and needed <= len(formals) and _is_default(node.inputs[needed - 1], formals[needed - 1]):
            needed -= 1
        parts = []
        for i, value in enumerate(node.inputs):
            formal = formals[i] if i < len(formals) else None
            if formal is not None and formal.kwarg_only:
                if formal.has_default and _is_default(value, formal):
                    continue
                parts.append(f"{formal.name}={self.use_plain(value)}")
            elif i < needed or formal is None:
                parts.append(
                    self.use_plain(value) if formal is not None and not formal.type.has_variables() else self.use(value)
                )
        head = {"aten": f"torch.{name}", "prim": f"ops.prim.{name}"}.get(namespace, f"ops.{namespace}.{name}")
        if node.kind == "prim::Print":
            head = "print"
        elif node.kind == "aten::sorted" and len(node.inputs) == 1:
            head = "sorted"
        elif node.kind in ("aten::grad", "aten::backward") and isinstance(node.inputs[0].type, T.ListType):
            head = f"torch.autograd.{name}"
        if keyword.iskeyword(name):
            raise ArchiveError(f"operator {node.kind} has no form in archive code")
        return f"{head}({', '.join(parts)})"

    def use_plain(self, value: Value) -> str:
        """An argument whose declared type tells what None is."""
        if value.is_constant and value.constant is None and value not in self.text:
            return "None"
        return self.use(value)

    # -- whole functions ---------------------------------------------------------------------------------------------
    def body(self, graph: Graph) -> None:
        self.block(graph.block)
        self.emit(f"return {self.use(graph.outputs[0])}")

    def function(self, name: str, signature: Signature, graph: Graph) -> None:
        """`def name(...): ...` with the whole body."""
        head = f"def {name}("
        parts = []
        for p, value in zip(signature.parameters, graph.inputs, strict=True):
            self.text[value] = self.fresh(p.name) if p.name not in self.taken else p.name
            default = "" if p.default is MISSING else f"={default_literal(p.default, p.type, self.names)}"
            parts.append(f"{self.text[value]}: {self.names.annotation(p.type)}{default}")
        joiner = ",\n" + "  " * (self.indent + 2)
        text = head + joiner.join(parts) + f") -> {self.names.annotation(signature.returns)}:"
        for line in text.split("\n"):
            self.spans.append((len(self.lines), None))
            self.lines.append("  " * self.indent + line if line.startswith("def ") else line)
        with self.deeper():
            self.body(graph)


def default_literal(value: Any, t: T.Type, names: Names) -> str:
    """The default of a parameter: bare None and lists."""
    if isinstance(value, list) and not value:
        return "[]"
    return literal(value, t, names)


def _author_named(value: Value) -> bool:
    """Whether the program's author gave the value a name."""
    name = value.name
    return bool(name) and not name.startswith(("_", "$")) and not name.rpartition(".")[2].isdigit()


def _hint(value: Value) -> str:
    head, _, tail = value.name.rpartition(".")
    return head if tail.isdigit() and head else value.name


def _is_default(value: Value, formal: Any) -> bool:
    if not formal.has_default:
        return False
    if value.is_constant:
        constant = value.constant
        return type(constant) is type(formal.default) and constant == formal.default
    if value.node.kind == "prim::ListConstruct" and isinstance(formal.default, list):
        inputs = value.node.inputs
        same = all(v.is_constant and v.constant == d for v, d in zip(inputs, formal.default, strict=False))
        return len(inputs) == len(formal.default) and same
    return False


def _is_none(value: Value, t: T.Type) -> bool:
    """A None that is written bare although its type is wider."""
    return value.is_constant and value.constant is None and t != T.NONE


def _list(p: FunctionPrinter, node: Node) -> str:
    t = node.output.type
    assert isinstance(t, T.ListType)
    text = f"[{', '.join(p.use_plain(v) for v in node.inputs)}]"
    if not node.inputs or any(v.type != t.element or _is_none(v, t.element) for v in node.inputs):
        return f"annotate({p.names.annotation(t)}, {text})"
    return text


def _dict(p: FunctionPrinter, node: Node) -> str:
    t = node.output.type
    assert isinstance(t, T.DictType)
    rows = [f"{p.use(k)}: {p.use_plain(v)}" for k, v in zip(node.inputs[::2], node.inputs[1::2], strict=True)]
    text = "{" + ", ".join(rows) + "}"
    if not rows or any(v.type != t.value or _is_none(v, t.value) for v in node.inputs[1::2]):
        return f"annotate({p.names.annotation(t)}, {text})"
    return text


def _tuple(p: FunctionPrinter, node: Node) -> str:
    t = node.output.type
    if isinstance(t, T.NamedTupleType):
        return f"{p.names.class_name(t)}({p.arguments(node.inputs)})"
    items = [p.use(v) for v in node.inputs]
    if isinstance(t, T.TupleType):
        for i, (v, e) in enumerate(zip(node.inputs, t.elements, strict=True)):
            if v.type != e and not isinstance(e, T.TensorType):
                items[i] = f"annotate({p.names.annotation(e)}, {p.use_plain(v)})"
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _call_function(p: FunctionPrinter, node: Node) -> str:
    function: Function = node.inputs[0].constant
    return f"{p.names.function_name(function)}({p.arguments(node.inputs[1:])})"


def _call_method(p: FunctionPrinter, node: Node) -> str:
    return f"({p.use(node.inputs[0])}).{node.attributes['name']}({p.arguments(node.inputs[1:])})"


def _isinstance(p: FunctionPrinter, node: Node) -> str:
    kinds = [p.names.annotation(t) for t in node.attributes["types"]]
    second = kinds[0] if len(kinds) == 1 else "(" + ", ".join(kinds) + ")"
    return f"isinstance({p.use(node.inputs[0])}, {second})"


def _slice(p: FunctionPrinter, node: Node) -> str:
    return f"({p.use(node.inputs[0])})[{node.attributes['beg']}:{node.attributes['end']}]"


_SPECIAL: dict[str, Callable[[FunctionPrinter, Node], str]] = {
    "prim::ListConstruct": _list, "prim::DictConstruct": _dict, "prim::TupleConstruct": _tuple,
    "prim::TupleIndex": lambda p, n: f"({p.use(n.inputs[0])})[{p.use(n.inputs[1])}]", "prim::TupleSlice": _slice,
    "prim::GetAttr": lambda p, n: p.attribute(n.inputs[0], n.attributes["name"]),
    "prim::PythonOp": lambda p, n: p.python_call(n), "prim::CallFunction": _call_function, "prim::CallMethod": _call_method, "prim::isinstance": _isinstance,
    "prim::CreateObject": lambda p, n: f"{p.names.class_name(n.output.type)}.__new__({p.names.class_name(n.output.type)})",
    "prim::unchecked_cast": lambda p, n: f"unchecked_cast({p.names.annotation(n.output.type)}, {p.use(n.inputs[0])})",
    "prim::unchecked_unwrap_optional": lambda p, n: f"ops.prim.unchecked_unwrap_optional({p.use(n.inputs[0])})",
    "prim::Uninitialized": lambda p, n: f"uninitialized({p.names.annotation(n.output.type)})",
    "prim::tolist": lambda p, n: f"annotate({p.names.annotation(n.output.type)}, ({p.use(n.inputs[0])}).tolist())",
    "prim::EnumName": lambda p, n: f"({p.use(n.inputs[0])}).name", "prim::EnumValue": lambda p, n: f"({p.use(n.inputs[0])}).value",
    "prim::ModuleContainerIndex": lambda p, n: f"annotate({p.names.annotation(n.output.type)}, {p.use(n.inputs[0])}[{p.use(n.inputs[1])}])",
}  # fmt: skip


def code_of(function: Function) -> str:
    """The code of one function or method, with the classes it uses under their own names."""
    constants: list[Any] = []

    def index(value: Any) -> int:
        constants.append(value)
        return len(constants) - 1

    names = Names(lambda t: t.name, lambda f: f.name, index, True)  # type: ignore[attr-defined]
    printer = FunctionPrinter(names)
    printer.function(function.short_name, function.signature(), function.graph)
    return "\n".join(printer.lines) + "\n"
