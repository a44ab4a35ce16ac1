"""A graph as one Python function, so that running it needs no loop over nodes.

Each node is one line (control flow a few), so that the line of a traceback gives the node and its source span; values
are local variables. Operators, constants and other functions are globals of the generated module, bound when first
called. A value that holds tensors is dropped after its last use.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import GraphError
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.program import Function
from linstock.ir.source import Span
from linstock.runtime import conversion, inline, objects
from linstock.runtime.support import HELPERS

#: binds a function of the program under a key of a dict: link(function, target, key)
Link = Callable[[Function, dict[Any, Any], Any], None]
FindOperator = Callable[[str], Callable[..., Any]]

#: where a line comes from: the calls it was inlined through, outermost first, then its own span
Spans = tuple[Span, ...]

#: CPython allows 20 nested loops and 100 levels of indentation; deeper parts become functions of their own
MAX_LOOPS, MAX_DEPTH = 14, 40
FOREVER = 9223372036854775807

_files = itertools.count()
_ALIASES = frozenset({"prim::unchecked_cast", "prim::unchecked_unwrap_optional"})


class Compiled:
    """A generated function: call `run` with the graph's inputs. `source` is its text, for people who look at it."""

    def __init__(self, name: str, source: str, spans: list[Spans], namespace: dict[str, Any]) -> None:
        self.name, self.source, self.namespace = name, source, namespace
        # found by whoever walks a traceback: line number - 1 -> spans
        namespace["__spans__"], namespace["__function__"] = spans, name
        exec(compile(source, f"<linstock {next(_files)} {name}>", "exec"), namespace)
        self.run: Callable[..., Any] = namespace["run"]


def generate(
    graph: Graph, link: Link, find_operator: FindOperator, name: str = "", watch: Callable[..., Any] | None = None
) -> Compiled:
    """Compile a graph to Python. Raises GraphError for a node of an unknown kind.

    `watch` is called at the start of the function and of each loop's body, and with every value that is computed, which
    it gives back: it may raise to stop the program.
    """
    return _Generator(graph, link, find_operator, name or graph.name, watch).compiled()


class _MethodTable(dict[T.ClassType, Callable[..., Any]]):
    """The functions that a method call on an interface means, by class."""

    def __init__(self, name: str, link: Link) -> None:
        super().__init__()
        self.name, self.link = name, link

    def __missing__(self, cls: T.ClassType) -> Callable[..., Any]:
        function = cls.methods.get(self.name)
        if function is None:
            raise RuntimeError(f"'{cls.name}' has no method '{self.name}'")
        self.link(function, self, cls)
        return self[cls]


class _Lines:
    """The lines of one generated function."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.spans: list[Spans] = []


class _Generator:
    def __init__(
        self, graph: Graph, link: Link, find_operator: FindOperator, name: str, watch: Callable[..., Any] | None
    ) -> None:
        self.graph, self.link, self.find_operator, self.name = graph, link, find_operator, name
        self.namespace: dict[str, Any] = dict(HELPERS)
        self.watched = watch is not None
        if self.watched:
            self.namespace["watch"] = watch
        self.names: dict[Value, str] = {}
        self.bound: dict[Any, str] = {}
        self.kept_alive: list[Any] = []
        self.functions: list[_Lines] = []
        self.lines = _Lines()
        self.indent, self.loops, self.count = 1, 0, 0
        self.uses: dict[Node, frozenset[str]] = {}
        self.enters = any(n.kind == "prim::Enter" for n in graph.walk())

    # -- the whole ---------------------------------------------------------------------------------------------------
    def compiled(self) -> Compiled:
        inputs = [self.fresh(v) for v in self.graph.inputs]
        self.functions.append(self.lines)
        self._head("run", inputs)
        if self.watched:
            self.put("watch()")
        if self.enters:
            self.put("entered = []")
            self.put("try:")
            self.indent += 1
        self.block(self.graph.block)
        outputs = [self.name_of(v) for v in self.graph.outputs]
        self.put("return " + (outputs[0] if len(outputs) == 1 else self._tuple(outputs) if outputs else "None"))
        if self.enters:
            self.indent -= 1
            self.put("except BaseException:")
            self.put("    leave(entered)")
            self.put("    raise")
        text = [t for f in self.functions for t in f.text]
        spans = [s for f in self.functions for s in f.spans]
        return Compiled(self.name, "\n".join(text) + "\n", spans, self.namespace)

    def _head(self, name: str, parameters: Sequence[str]) -> None:
        self.lines.text.append(f"def {name}({', '.join(parameters)}):")
        self.lines.spans.append(())

    def put(self, text: str, node: Node | None = None) -> None:
        self.lines.text.append("    " * self.indent + text)
        own = () if node is None or node.span is None else (node.span,)
        self.lines.spans.append(own if node is None or not node.calls else (*node.calls[::-1], *own))

    # -- names -------------------------------------------------------------------------------------------------------
    def fresh(self, value: Value | None = None) -> str:
        self.count += 1
        name = f"v{self.count}"
        if value is not None:
            self.names[value] = name
        return name

    def name_of(self, value: Value, shared: bool = False) -> str:
        """How a value is written; a mutable constant is copied at each use unless `shared`."""
        known = self.names.get(value)
        if known is not None:
            return known
        if value.node.kind != "prim::Constant":
            raise GraphError(f"{value!r} is used before it is computed", value.node.span)
        constant = value.constant
        if shared and isinstance(constant, (list, dict)):
            return self.bind(("shared", id(constant)), _coerced(constant, value.type), "k", constant)
        return self.literal(_coerced(constant, value.type), value.type)

    def literal(self, constant: Any, kind: T.Type) -> str:
        if constant is None or type(constant) in (bool, int, str):
            return repr(constant)
        if type(constant) is float:
            return repr(constant) if math.isfinite(constant) else f"float('{constant!r}')"
        if isinstance(kind, T.EnumType):
            return self.bind(("constant", id(constant)), objects.enum_member(kind, constant), "c", constant)
        if type(constant) is list:
            element = kind.element if isinstance(kind, T.ListType) else T.ANY
            return f"[{', '.join(self.literal(v, element) for v in constant)}]"
        if type(constant) is dict:
            k, v = (kind.key, kind.value) if isinstance(kind, T.DictType) else (T.ANY, T.ANY)
            return "{" + ", ".join(f"{self.literal(a, k)}: {self.literal(b, v)}" for a, b in constant.items()) + "}"
        if isinstance(constant, tuple) and isinstance(kind, T.TupleType):
            parts = [self.literal(v, e) for v, e in zip(constant, kind.elements, strict=True)]
            return self.construct_tuple(kind, parts)
        return self.bind(("constant", id(constant)), _as_value(constant), "c", constant)

    def bind(self, key: Any, value: Any, prefix: str, keep: Any = None) -> str:
        """A global of the generated module; one per key."""
        name = self.bound.get(key)
        if name is None:
            name = self.bound[key] = f"{prefix}{len(self.bound)}"
            self.namespace[name] = value
            self.kept_alive.append(keep)  # an id is a key only while its object lives
        return name

    def operator(self, full_name: str) -> str:
        """The global for an operator: replaced by its callable when it is first called."""
        name = self.bound.get(full_name)
        if name is None:
            name = self.bound[full_name] = f"o{len(self.bound)}_{full_name.replace('::', '_').replace('.', '_')}"
            if not name.isidentifier():
                name = self.bound[full_name] = f"o{len(self.bound)}"
            find, namespace, key = self.find_operator, self.namespace, name

            def first(*args: Any) -> Any:
                found = namespace[key] = find(full_name)
                return found(*args)

            namespace[name] = first
        return name

    def function(self, function: Function) -> str:
        name = self.bound.get(function)
        if name is None:
            name = self.bound[function] = f"f{len(self.bound)}"
            self.link(function, self.namespace, name)
        return name

    @staticmethod
    def _tuple(parts: Sequence[str]) -> str:
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"

    def construct_tuple(self, kind: T.Type, parts: Sequence[str]) -> str:
        if isinstance(kind, T.NamedTupleType):
            return f"{self.bind(kind, objects.namedtuple_class(kind), 't')}({', '.join(parts)})"
        return self._tuple(parts)

    # -- what is used where ------------------------------------------------------------------------------------------
    def used(self, node: Node) -> frozenset[str]:
        """The local names that a node and what is nested in it read (call when all its inputs have names)."""
        return frozenset(n for n in map(self.names.get, _reads(node)) if n is not None)

    def block(self, block: Block) -> None:
        """The lines of a block, with `del` after the last use of what the block itself computed."""
        start = len(self.lines.text)
        nodes = block.nodes
        last = _last_uses(block, nodes)
        for node in nodes:
            self.node(node)
            dead = [self.names[v] for v in last.get(node, ()) if v in self.names]
            if dead:
                text = f"del {', '.join(dict.fromkeys(dead))}"
                if node.blocks or len(self.lines.text) == start:
                    self.put(text)
                else:
                    self.lines.text[-1] += f"; {text}"

    # -- nodes -------------------------------------------------------------------------------------------------------
    def node(self, node: Node) -> None:
        special = _SPECIAL.get(node.kind)
        if special is not None:
            special(self, node)
            return
        names = [self.name_of(v) for v in node.inputs]
        text = inline.expression(node, names)
        if text is not None:
            full_name = node.full_name
            if full_name in inline.STATEMENTS or full_name in inline.RETURNS_FIRST:
                self.put(f"{text}; watch({names[0]})" if self.watched else text, node)
            if full_name in inline.STATEMENTS:
                return
            if full_name in inline.RETURNS_FIRST:
                if node.outputs:
                    self.alias(node.output, names[0])
            else:
                self.assign(node, text)
            return
        if node.schema is None and not operators.has_schema(node.kind):
            raise GraphError(f"the executor does not know '{node.kind}'", node.span)
        full_name = node.full_name
        arguments = []
        formals = node.schema.arguments if node.schema else ()
        for i, v in enumerate(node.inputs):
            formal = formals[i] if i < len(formals) else None
            arguments.append(self.name_of(v, formal is not None and formal.alias is None and _is_plain(formal.type)))
        self.assign(node, f"{self.operator(full_name)}({', '.join(arguments)})")

    def alias(self, value: Value, name: str) -> None:
        self.names[value] = name

    def assign(self, node: Node, text: str) -> None:
        """`text` gives the node's result: assign it to the node's outputs."""
        used = [v for v in node.outputs if v.uses]
        if self.watched:
            text = f"watch({text})"
        if not used:
            self.put(text, node)
        elif len(node.outputs) == 1:
            self.put(f"{self._target(node.outputs[0])} = {text}", node)
        else:
            targets = [self._target(v) if v.uses else "_" for v in node.outputs]
            self.put(f"{', '.join(targets)} = {text}", node)

    def _target(self, value: Value) -> str:
        return self.names.get(value) or self.fresh(value)

    def constant(self, node: Node) -> None:
        """Constants are written where they are used."""

    def cast(self, node: Node) -> None:
        name = self.name_of(node.inputs[0])
        self.alias(
            node.output, "nothing" if name == "None" else name
        )  # Python warns of `None[0]`, even where it never runs

    def uninitialized(self, node: Node) -> None:
        self.alias(node.output, "nothing")

    def list_construct(self, node: Node) -> None:
        self.assign(node, f"[{', '.join(map(self.name_of, node.inputs))}]")

    def tuple_construct(self, node: Node) -> None:
        self.assign(node, self.construct_tuple(node.output.type, [self.name_of(v) for v in node.inputs]))

    def dict_construct(self, node: Node) -> None:
        names = [self.name_of(v) for v in node.inputs]
        self.assign(node, "{" + ", ".join(f"{k}: {v}" for k, v in zip(names[::2], names[1::2], strict=True)) + "}")

    def list_unpack(self, node: Node) -> None:
        name, count = self.name_of(node.inputs[0]), len(node.outputs)
        if not any(v.uses for v in node.outputs):
            self.put(f"if len({name}) != {count}: wrong_length({name}, {count})", node)
            return
        targets = self._tuple([self._target(v) if v.uses else "_" for v in node.outputs])
        self.put(f"{targets} = {name} if len({name}) == {count} else wrong_length({name}, {count})", node)

    def tuple_unpack(self, node: Node) -> None:
        if any(v.uses for v in node.outputs):
            targets = self._tuple([self._target(v) if v.uses else "_" for v in node.outputs])
            self.put(f"{targets} = {self.name_of(node.inputs[0])}", node)

    def tuple_index(self, node: Node) -> None:
        self.assign(node, f"{self.name_of(node.inputs[0])}[{self.name_of(node.inputs[1])}]")

    def tuple_slice(self, node: Node) -> None:
        beg, end = node.attributes["beg"], node.attributes["end"]
        kind = node.inputs[0].type
        name = self.name_of(node.inputs[0])
        whole = f"tuple({name})" if isinstance(kind, T.NamedTupleType) else name
        self.assign(node, f"{whole}[{beg}:{end}]")

    def get_attr(self, node: Node) -> None:
        self.assign(node, f"{self.name_of(node.inputs[0])}.slots[{node.attributes['name']!r}]")

    def set_attr(self, node: Node) -> None:
        target, value = self.name_of(node.inputs[0]), self.name_of(node.inputs[1])
        self.put(f"{target}.slots[{node.attributes['name']!r}] = {value}", node)

    def create_object(self, node: Node) -> None:
        kind = node.output.type
        assert isinstance(kind, T.ClassType)
        if kind.is_torchbind:
            self.assign(node, f"new_torchbind({kind.name!r})")
        else:
            self.assign(node, f"ScriptObject({self.bind(kind, kind, 't')})")

    def call_function(self, node: Node) -> None:
        callee = node.inputs[0]
        function = callee.constant if callee.is_constant else getattr(callee.type, "function", None)
        if not isinstance(function, Function):
            raise GraphError("a called function is not known when compiling", node.span)
        arguments = ", ".join(map(self.name_of, node.inputs[1:]))
        self.assign(node, f"{self.function(function)}({arguments})")

    def call_method(self, node: Node) -> None:
        name, kind = node.attributes["name"], node.inputs[0].type
        names = [self.name_of(v) for v in node.inputs]
        if isinstance(kind, T.ClassType) and kind.is_torchbind:
            self.assign(node, f"{names[0]}.{name}({', '.join(names[1:])})")
            return
        method = kind.methods.get(name) if isinstance(kind, T.ClassType) else None
        if isinstance(method, Function):
            called = self.function(method)
        else:
            table = self.bind(("table", name), _MethodTable(name, self.link), "m")
            called = f"{table}[{names[0]}.type]"
        self.assign(node, f"{called}({', '.join(names)})")

    def container_index(self, node: Node) -> None:
        self.assign(node, f"submodule({', '.join(map(self.name_of, node.inputs))})")

    def python_op(self, node: Node) -> None:
        """A call back into Python, of a function marked as ignored."""
        called = conversion.python_call(node.attributes["function"], node.output.type)
        name = self.bind(("python", node), called, "p")
        self.assign(node, f"{name}({', '.join(map(self.name_of, node.inputs))})")

    def fork(self, node: Node) -> None:
        names = [self.function(node.attributes["function"]), *map(self.name_of, node.inputs)]
        self.assign(node, f"fork({', '.join(names)})")

    def isinstance(self, node: Node) -> None:
        wanted: list[T.Type] = list(node.attributes["types"])
        have = node.inputs[0].type
        members = T.members_of(have)
        if all(any(T.is_subtype(m, w) for w in wanted) for m in members):
            self.alias(node.output, "True")
            return
        possible = [m for m in members if any(T.is_subtype(m, w) for w in wanted)]
        exact = not any(m == T.ANY or isinstance(m, T.InterfaceType) or m == T.NUMBER for m in members)
        kind = T.union(possible if exact else wanted) if (possible or not exact) else None
        if kind is None:
            self.alias(node.output, "False")
        else:
            check = self.bind(("check", kind), objects.checker(kind), "c")
            self.assign(node, f"{check}({self.name_of(node.inputs[0])})")

    def tolist(self, node: Node) -> None:
        kind, depth = node.output.type, 0
        while isinstance(kind, T.ListType):
            kind, depth = kind.element, depth + 1
        self.assign(node, f"tolist({self.name_of(node.inputs[0])}, {depth}, {str(kind)!r})")

    def raise_exception(self, node: Node) -> None:
        names = [self.name_of(v) for v in node.inputs]
        self.put(f"raise raised({', '.join(names)})", node)

    def enter(self, node: Node) -> None:
        self._context(node, "__enter__", "enter({object}, {call}, {leave}, entered)")

    def exit(self, node: Node) -> None:
        self._context(node, "__exit__", "exit_({object}, {call}, entered)")

    def _context(self, node: Node, name: str, template: str) -> None:
        kind = node.inputs[0].type
        if not isinstance(kind, T.ClassType):
            raise GraphError(f"{node.kind} needs an object of a known class", node.span)
        fields = {"object": self.name_of(node.inputs[0]), "call": self.function(kind.methods[name])}
        fields["leave"] = self.function(kind.methods["__exit__"])
        self.assign(node, template.format(**fields))

    # -- control flow ------------------------------------------------------------------------------------------------
    def nested(self, node: Node) -> None:
        """An If or Loop; in a function of its own where Python could not nest it here."""
        is_loop = node.kind == "prim::Loop"
        if self.indent < MAX_DEPTH and (not is_loop or self.loops < MAX_LOOPS):
            (self.loop if is_loop else self.if_)(node)
            return
        free = sorted(self.used(node), key=lambda n: (len(n), n))
        free = [n for n in free if n.isidentifier() and n not in ("nothing", "True", "False")]
        if self.enters:
            free.append("entered")
        outer, saved = self.lines, (self.indent, self.loops)
        self.lines, self.indent, self.loops = _Lines(), 1, 0
        self.functions.append(self.lines)
        name = self.bind(("part", node), None, "part")
        del self.namespace[name]
        self._head(name, free)
        before = {v: self.names.get(v) for v in node.outputs}
        (self.loop if is_loop else self.if_)(node)
        results = [v for v in node.outputs if v.uses]
        self.put("return " + (self._tuple([self.names[v] for v in results]) if results else "None"))
        self.lines, (self.indent, self.loops) = outer, saved
        call = f"{name}({', '.join(free)})"
        targets = [before[v] or self.names[v] for v in results]
        self.put(f"{self._tuple(targets)} = {call}" if targets else call, node)

    def if_(self, node: Node) -> None:
        condition = self.name_of(node.inputs[0])
        outputs = [v for v in node.outputs if v.uses]
        for v in outputs:
            self._target(v)
        header = len(self.lines.text)
        self.put(f"if {condition}:", node)
        self._branch(node, 0, outputs)
        size = len(self.lines.text)
        if size == header + 1:
            self.lines.text[header] = "    " * self.indent + f"if not {condition}:"
            self._branch(node, 1, outputs)
            if len(self.lines.text) == header + 1:
                self.lines.text.pop(), self.lines.spans.pop()
            return
        self.put("else:")
        self._branch(node, 1, outputs)
        if len(self.lines.text) == size + 1:
            self.lines.text.pop(), self.lines.spans.pop()

    def _branch(self, node: Node, which: int, outputs: Sequence[Value]) -> None:
        block = node.blocks[which]
        self.indent += 1
        for v in outputs:  # what a branch computes only to give it out is named as the If's output at once
            inner = block.outputs[v.index]
            own = inner.node.block is block and inner.node.kind not in _UNNAMED and len(inner.uses) == 1
            if own and inner not in self.names:
                self.names[inner] = self.names[v]
        self.block(block)
        if not any(n.kind == "prim::RaiseException" for n in block):
            self._move([(self.names[v], self.name_of(block.outputs[v.index])) for v in outputs])
        self.indent -= 1

    def _move(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Simultaneous assignment of names."""
        moves = [(a, b) for a, b in pairs if a != b]
        if moves:
            self.put(f"{', '.join(a for a, _ in moves)} = {', '.join(b for _, b in moves)}")

    def loop(self, node: Node) -> None:
        trip, first, *carried = node.inputs
        body = node.blocks[0]
        index, *inner = body.inputs
        following, *ends = body.outputs
        names = [self._target(v) for v in node.outputs]
        for v, name in zip(inner, names, strict=True):
            self.names[v] = name
        self._move(zip(names, map(self.name_of, carried), strict=True))
        counted = not (trip.is_constant and trip.constant == FOREVER)
        simple = _is_true(first) and _is_true(following)
        if simple and counted:
            self.put(f"for {self.fresh(index) if index.uses else '_'} in range({self.name_of(trip)}):", node)
        else:
            conditions = []
            flag = ""
            if not simple:
                flag = self.fresh()
                self.put(f"{flag} = {self.name_of(first)}", node)
                conditions.append(flag)
            if counted or index.uses:
                self.put(f"{self.fresh(index)} = 0", node)
            if counted:
                conditions.append(f"{self.names[index]} < {self.name_of(trip)}")
            self.put(f"while {' and '.join(conditions) or 'True'}:", node)
        header = len(self.lines.text)
        self.indent, self.loops = self.indent + 1, self.loops + 1
        if self.watched:
            self.put("watch()")
        self.block(body)
        moves = list(zip(names, map(self.name_of, ends), strict=True))
        if not (simple and counted):
            if not simple:
                moves.append((flag, self.name_of(following)))
            self._move(moves)
            if index in self.names:
                self.put(f"{self.names[index]} += 1")
        else:
            self._move(moves)
        if len(self.lines.text) == header:
            self.put("pass")
        self.indent, self.loops = self.indent - 1, self.loops - 1


#: nodes whose output has no line of its own, so it cannot be given a name beforehand
_UNNAMED = _ALIASES | {
    "prim::Constant", "prim::Uninitialized", "prim::isinstance", "prim::Param", "prim::Loop", "aten::append",
    "aten::_set_item",
}  # fmt: skip
_SPECIAL: dict[str, Callable[[_Generator, Node], None]] = {
    "prim::Constant": _Generator.constant,
    "prim::If": _Generator.nested,
    "prim::Loop": _Generator.nested,
    "prim::ListConstruct": _Generator.list_construct,
    "prim::TupleConstruct": _Generator.tuple_construct,
    "prim::DictConstruct": _Generator.dict_construct,
    "prim::ListUnpack": _Generator.list_unpack,
    "prim::TupleUnpack": _Generator.tuple_unpack,
    "prim::TupleIndex": _Generator.tuple_index,
    "prim::TupleSlice": _Generator.tuple_slice,
    "prim::GetAttr": _Generator.get_attr,
    "prim::SetAttr": _Generator.set_attr,
    "prim::CreateObject": _Generator.create_object,
    "prim::CallFunction": _Generator.call_function,
    "prim::CallMethod": _Generator.call_method,
    "prim::isinstance": _Generator.isinstance,
    "prim::unchecked_cast": _Generator.cast,
    "prim::unchecked_unwrap_optional": _Generator.cast,
    "prim::Uninitialized": _Generator.uninitialized,
    "prim::RaiseException": _Generator.raise_exception,
    "prim::ModuleContainerIndex": _Generator.container_index,
    "prim::PythonOp": _Generator.python_op,
    "prim::fork": _Generator.fork,
    "prim::Enter": _Generator.enter,
    "prim::Exit": _Generator.exit,
    "prim::tolist": _Generator.tolist,
}


def _is_true(value: Value) -> bool:
    return value.is_constant and value.constant is True


def _is_plain(kind: T.Type) -> bool:
    """Whether an operator's list argument of this type is only read: lists of numbers."""
    return not kind.has_variables()


def _as_value(constant: Any) -> Any:
    """A constant as generated code holds it: arrays become tensors."""
    if hasattr(constant, "__array_interface__") and not objects.is_tensor(constant):
        from linstock.runtime.tensor import Tensor

        return Tensor(constant)
    return constant


def _coerced(constant: Any, kind: T.Type) -> Any:
    """A constant with the Python types that its type says (1 for a float is 1.0)."""
    if kind == T.FLOAT and type(constant) is int:
        return float(constant)
    if isinstance(kind, T.OptionalType) and constant is not None:
        return _coerced(constant, kind.element)
    if isinstance(kind, T.ListType) and isinstance(constant, (list, tuple)):
        return [_coerced(v, kind.element) for v in constant]
    return constant


def _reads(node: Node) -> list[Value]:
    """The values that a node and its nested blocks read."""
    found = list(node.inputs)
    for block in node.blocks:
        for inner in block:
            found += _reads(inner)
        found += block.outputs
    return found


def _holds_tensors(kind: T.Type) -> bool:
    return any(isinstance(t, T.TensorType) for t in T.walk(kind))


def _last_uses(block: Block, nodes: Sequence[Node]) -> dict[Node, list[Value]]:
    """Node -> the values computed in this block, holding tensors, that nothing after the node reads.

    A cast names the same thing as its input, so their uses count together.
    """
    roots: dict[Value, Value] = {}
    order = {node: i for i, node in enumerate(nodes)}
    last: dict[Value, int] = {}
    returned = set(block.outputs)
    for i, node in enumerate(nodes):
        for v in node.outputs:
            if node.kind in _ALIASES or (node.full_name in inline.RETURNS_FIRST and node.inputs):
                roots[v] = roots.get(node.inputs[0], node.inputs[0])
            elif node.kind not in ("prim::Constant", "prim::GetAttr", "prim::Uninitialized") and _holds_tensors(v.type):
                roots[v] = v
                if v.uses:
                    last[v] = i
    if not last:
        return {}
    kept = {roots.get(v, v) for v in returned}
    for v, root in roots.items():
        if root not in last:
            continue
        for use in v.uses:
            user: Node | None = use.node
            while user is not None and user.block is not block:
                user = user.block.owner if user.block is not None else None
            if user is None or user not in order:
                kept.add(root)
            else:
                last[root] = max(last[root], order[user])
    result: dict[Node, list[Value]] = {}
    for v, i in last.items():
        if v not in kept and nodes[i] is not v.node:
            result.setdefault(nodes[i], []).append(v)
    return result
