"""Turns attributes of a module into constants of its graphs.

Passes know nothing of objects that exist at run time: they are handed a module and `get_attribute(object, name)`, which
must give the same object every time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from linstock.ir import types as T
from linstock.ir.graph import Builder, Graph, Node, Value, type_of_constant
from linstock.passes.alias import AliasAnalysis, kinds_of, memory_of
from linstock.passes.constants import is_tensor

GetAttribute = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Freeze:
    """Replaces reads of attributes of `module` and its submodules (the first input of every graph) by constants.

    `methods` are the (inlined) graphs of all methods that can still be called: an attribute that one of them sets, or
    whose tensor, list or dict one of them may change, stays an attribute, as do those named in `preserved` (dotted
    paths; a submodule stays whole).
    """

    module: Any
    get_attribute: GetAttribute
    methods: tuple[Graph, ...]
    preserved: frozenset[str] = frozenset()
    name = "freeze"

    def run(self, graph: Graph) -> bool:
        """Replace what can be. Returns whether anything was."""
        changing = _Changing(self)
        changed = False
        objects = _Objects(self, graph)
        alias = AliasAnalysis(graph, objects.key)
        for node in list(graph.walk()):
            found = objects.read(node)
            if found is not None and not changing.may(found) and not objects.is_preserved(found):
                changed |= _replace(node, found.value, alias)
        return changed


@dataclass(frozen=True)
class ResolveInterfaces:
    """Gives what is read from attributes of interface type the class of the object that is there, so that its methods
    can be inlined. Attributes of that name that are set anywhere are left alone."""

    module: Any
    get_attribute: GetAttribute
    class_of: Callable[[Any], T.Type | None]
    methods: tuple[Graph, ...]
    name = "resolve_interfaces"

    def run(self, graph: Graph) -> bool:
        """Refine types. Returns whether one was."""
        options = Freeze(self.module, self.get_attribute, self.methods)
        set_names = {n.attributes["name"] for g in self.methods for n in g.walk() if n.kind == "prim::SetAttr"}
        objects = _Objects(options, graph)
        changed = False
        for node in graph.walk():
            found = objects.read(node)
            if found is None or found.name in set_names or not isinstance(node.outputs[0].type, T.InterfaceType):
                continue
            kind = self.class_of(found.value)
            if isinstance(kind, T.ClassType):
                node.outputs[0].type = kind
                changed = True
        return changed


@dataclass(frozen=True)
class _Read:
    """An attribute that a node reads: of which object (and where that is), its name, its value."""

    object: Any
    name: str
    value: Any


@dataclass
class _Objects:
    """The objects that the values of a graph are known to be."""

    options: Freeze
    graph: Graph
    known: dict[Value, Any] = field(default_factory=dict)
    paths: dict[int, set[str]] = field(default_factory=dict)
    reads: dict[Node, _Read] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.graph.inputs or not isinstance(self.graph.inputs[0].type, T.ClassType):
            return
        self._note(self.graph.inputs[0], self.options.module, {""})
        for node in self.graph.walk():
            if node.kind == "prim::GetAttr" and node.inputs[0] in self.known:
                holder, name = self.known[node.inputs[0]], node.attributes["name"]
                value = self.options.get_attribute(holder, name)
                self.reads[node] = _Read(holder, name, value)
                if isinstance(node.outputs[0].type, (T.ClassType, T.InterfaceType)):
                    self._note(node.outputs[0], value, {f"{p}.{name}" if p else name for p in self.paths[id(holder)]})
            elif node.kind == "prim::unchecked_cast" and node.inputs[0] in self.known:
                self.known[node.outputs[0]] = self.known[node.inputs[0]]

    def _note(self, value: Value, held: Any, paths: set[str]) -> None:
        self.known[value] = held
        self.paths.setdefault(id(held), set()).update(paths)

    def read(self, node: Node) -> _Read | None:
        return self.reads.get(node)

    def key(self, value: Value) -> Hashable | None:
        """Attributes share memory if they are one attribute, or tensors over one memory."""
        found = self.reads.get(value.node)
        if found is None:
            return None
        return (
            ("memory", memory_of(found.value))
            if is_tensor(found.value)
            else ("attribute", id(found.object), found.name)
        )

    def is_preserved(self, found: _Read) -> bool:
        for path in self.paths[id(found.object)]:
            parts = [*path.split("."), found.name] if path else [found.name]
            if any(".".join(parts[:n]) in self.options.preserved for n in range(1, len(parts) + 1)):
                return True
        return False


class _Changing:
    """Which attributes some method may set, and the content of which it may change."""

    def __init__(self, options: Freeze) -> None:
        self.options = options
        self._set: set[tuple[int, str]] = set()
        self._names: set[str] = set()  # set on an object that is not known
        self._keys: set[Hashable] = set()
        self._opaque: set[int] = set()  # objects that code which is not seen here gets hold of
        for graph in options.methods:
            self._look(graph)

    def _look(self, graph: Graph) -> None:
        objects = _Objects(self.options, graph)
        alias = AliasAnalysis(graph, objects.key)
        for node in graph.walk():
            if node.kind == "prim::SetAttr":
                self._note_set(objects, node)
            for v in _leaving(node):
                if v in objects.known:
                    self._give_away(objects.known[v])
        for v in graph.outputs:
            if v in objects.known:
                self._give_away(objects.known[v])
        for node in objects.reads:
            out = node.outputs[0]
            key = objects.key(out)
            if key is not None and kinds_of(out.type) and alias.has_writers(out) and out not in objects.known:
                self._keys.add(key)

    def _note_set(self, objects: _Objects, node: Node) -> None:
        holder, name = objects.known.get(node.inputs[0]), node.attributes["name"]
        if holder is None:
            self._names.add(name)
        else:
            self._set.add((id(holder), name))

    def _give_away(self, held: Any) -> None:
        """An object that leaves may have anything in it changed, also in its submodules."""
        pending = [held]
        while pending:
            held = pending.pop()
            if id(held) in self._opaque:
                continue
            self._opaque.add(id(held))
            kind = getattr(held, "type", None)
            for name, t in (kind.attributes if isinstance(kind, T.ClassType) else {}).items():
                value = self.options.get_attribute(held, name)
                if isinstance(t, (T.ClassType, T.InterfaceType)):
                    pending.append(value)
                elif is_tensor(value):
                    self._keys.add(("memory", memory_of(value)))

    def may(self, found: _Read) -> bool:
        key: Hashable = (
            ("memory", memory_of(found.value))
            if is_tensor(found.value)
            else ("attribute", id(found.object), found.name)
        )
        return (
            (id(found.object), found.name) in self._set
            or found.name in self._names
            or key in self._keys
            or id(found.object) in self._opaque
        )


def _leaving(node: Node) -> Iterable[Value]:
    """The inputs that a node hands to code that is not seen here, or keeps."""
    if node.kind in ("prim::GetAttr", "prim::unchecked_cast", "prim::isinstance"):
        return ()
    if node.kind == "prim::SetAttr":
        return node.inputs[1:]
    inner = [v for b in node.blocks for v in b.outputs]
    return [*node.inputs, *inner]


def _replace(node: Node, value: Any, alias: AliasAnalysis) -> bool:
    """Put a constant in the place of a GetAttr. A list or dict that is known outside stays: every call would give the
    same one.
    """
    out = node.outputs[0]
    kind = _constant_type(value, out.type)
    if kind is None or (isinstance(value, (list, dict)) and alias.escapes(out)):
        return False
    made = Builder(node, node.span).constant(value, kind)
    made.name = out.name
    out.replace_all_uses_with(made)
    node.destroy()
    return True


def _constant_type(value: Any, t: T.Type) -> T.Type | None:
    """The type of an attribute's value as a constant, None if it cannot be one."""
    if isinstance(t, T.OptionalType):
        return T.NONE if value is None else _constant_type(value, t.element)
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return type_of_constant(value)
    if isinstance(t, T.ClassType):
        return t if t.is_torchbind else None
    if isinstance(t, T.NamedTupleType):
        return None
    if isinstance(t, (T.ListType, T.TupleType, T.DictType)):
        return t if all(_constant_type(v, c) is not None for v, c in _parts(value, t)) else None
    return (
        t
        if isinstance(t, (T.TensorType, T.EnumType, T.SimpleType))
        and (is_tensor(value) or not isinstance(t, T.TensorType))
        else None
    )


def _parts(value: Any, t: T.Type) -> Iterator[tuple[Any, T.Type]]:
    if isinstance(t, T.ListType):
        yield from ((v, t.element) for v in value)
    elif isinstance(t, T.TupleType):
        yield from zip(value, t.elements, strict=True)
    elif isinstance(t, T.DictType):
        for k, v in value.items():
            yield k, t.key
            yield v, t.value


def frozen_attributes(graphs: Sequence[Graph]) -> set[str]:
    """The names of attributes that graphs still read or set: what a frozen module must keep."""
    return {n.attributes["name"] for g in graphs for n in g.walk() if n.kind in ("prim::GetAttr", "prim::SetAttr")}
