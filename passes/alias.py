"""Alias analysis: which values may share memory, and which nodes write to it. Everything follows from the schemas.

Values that may share memory are merged into one *class* (union-find, so the analysis is linear). A class knows the
classes of what its values contain (elements of lists, tuples, dicts; attributes of objects); they are merged with each
other only when something is taken out, so that a temporary list (`cat([a, b])`) does not make its elements aliases.
What comes from outside or may be kept outside (inputs, results of calls) is one class, OUTSIDE, which contains itself.

The analysis looks at the graph as a whole, not at the order of nodes: a write counts before and after it. After a
change of the graph other than removing nodes the analysis must be made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.schema import Argument, Schema
from linstock.passes import effects

OUTSIDE = 0

#: what a value can be, as bits: values of different kinds never share memory
_TENSOR, _LIST, _DICT, _OBJECT, _TUPLE, _OTHER = 1, 2, 4, 8, 16, 32
_ALL = 63
_SIMPLE = {"Any": _ALL, "Generator": _OTHER, "Storage": _OTHER, "list": _LIST, "tuple": _TUPLE, "AnyClassType": _OBJECT}

#: operators that return (views of) their tensors although their schema does not say so
_SHARING = frozenset({
    "aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout",
    "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d", "aten::broadcast_tensors", "aten::meshgrid",
    "aten::type_as", "aten::data", "aten::_unsafe_view", "aten::sum_to_size", "aten::to_dense", "aten::_to_dense",
    "aten::einsum", "aten::unsafe_split", "aten::unsafe_chunk", "aten::unsafe_split_with_sizes", "aten::chain_matmul",
    "aten::cartesian_prod", "aten::unflatten_dense_tensors", "aten::flatten_dense_tensors", "aten::_pack_sequence",
    "aten::dequantize", "aten::lift", "aten::positive", "aten::chalf", "aten::conj_physical", "aten::_cast_Byte",
    "aten::_cast_Char", "aten::_cast_Double", "aten::_cast_Float", "aten::_cast_Half", "aten::_cast_Int",
    "aten::_cast_Long", "aten::_cast_Short", "aten::set", "aten::set_", "aten::set_data", "aten::resize",
    "aten::resize_as", "quantized::dropout", "aten::pixel_shuffle", "aten::pixel_unshuffle", "aten::channel_shuffle",
    "aten::native_channel_shuffle", "aten::histogramdd",
})  # fmt: skip

#: operators that write to arguments although their schema does not say so: the arguments, and the flag that must be
#: true
_WRITING: dict[str, tuple[tuple[str, ...], str]] = {
    "aten::batch_norm": (("running_mean", "running_var"), "training"),
    "aten::native_batch_norm": (("running_mean", "running_var"), "training"),
    "aten::instance_norm": (("running_mean", "running_var"), "use_input_stats"),
}
AttributeKey = Callable[[Value], Hashable | None]


def kinds_of(t: T.Type) -> int:
    """What mutable things (and tuples of them) a value of the type can be, as bits; 0 for what cannot be written to."""
    if isinstance(t, T.TensorType):
        return _TENSOR
    if isinstance(t, T.SimpleType):
        return _SIMPLE.get(t.name, 0)
    if isinstance(t, T.ListType):
        return _LIST
    if isinstance(t, T.DictType):
        return _DICT
    if isinstance(t, T.TupleType):
        return _TUPLE if any(map(kinds_of, t.elements)) else 0
    if isinstance(t, (T.OptionalType, T.UnionType)):
        found = 0
        for m in T.members_of(t):
            found |= kinds_of(m)
        return found
    if isinstance(t, (T.ClassType, T.InterfaceType)):
        return _OBJECT
    if isinstance(t, (T.EnumType, T.FunctionType)):
        return 0
    return _ALL if isinstance(t, T.VarType) else _OTHER


class AliasAnalysis:
    """The classes of a graph's values. `attribute_key` may give a key for what a `prim::GetAttr` reads: attributes with
    different keys do not share memory (by default every attribute of an object from outside is outside)."""

    def __init__(self, graph: Graph, attribute_key: AttributeKey | None = None) -> None:
        self.graph, self._attribute_key = graph, attribute_key
        self._parent: list[int] = [OUTSIDE]
        self._inside: list[set[int]] = [{OUTSIDE}]
        self._class: dict[Value, int] = {}
        self._keyed: dict[Hashable, int] = {}
        self._written: dict[Node, list[tuple[int, int]]] = {}
        self._deep_cache: dict[int, frozenset[int]] = {}
        for v in graph.inputs:
            if kinds_of(v.type):
                self._class[v] = OUTSIDE
        self._block(graph.block)
        self._writers: dict[int, list[tuple[Node, int]]] = {}
        self._written_kinds: dict[int, int] = {}
        self._inside_cache: dict[int, bool] = {}
        for node, writes in self._written.items():
            for c, kinds in writes:
                c = self._find(c)
                self._writers.setdefault(c, []).append((node, kinds))
                self._written_kinds[c] = self._written_kinds.get(c, 0) | kinds
        returned: set[int] = set()
        for v in graph.outputs:
            returned |= self._deep(self._class.get(v))
        self._returned = returned
        self.changes_modes = any(effects.changes_mode(n) for n in graph.walk())

    # -- questions ----------------------------------------------------------------------------------
    def may_alias(self, a: Value, b: Value) -> bool:
        """Whether the two values (not what they contain) may share memory."""
        x, y = self._class.get(a), self._class.get(b)
        if x is None or y is None:
            return False
        return self._find(x) == self._find(y) and bool(kinds_of(a.type) & kinds_of(b.type))

    def may_overlap(self, a: Value, b: Value) -> bool:
        """Whether the two values or anything they contain may share memory."""
        return bool(self.classes(a) & self.classes(b))

    def classes(self, value: Value) -> frozenset[int]:
        """The classes of the value and of all that it contains."""
        return self._deep(self._class.get(value))

    def has_writers(self, value: Value) -> bool:
        """Whether any node may write to the value or to what it contains."""
        own = self._class.get(value)
        if own is None:
            return False
        own = self._find(own)
        return bool(self._written_kinds.get(own, 0) & kinds_of(value.type)) or self._is_written_inside(own)

    def _is_written_inside(self, own: int) -> bool:
        known = self._inside_cache.get(own)
        if known is None:
            inner = self._deep(own) - {own} if own != OUTSIDE else {OUTSIDE}
            known = self._inside_cache[own] = any(c in self._written_kinds for c in inner)
        return known

    def has_own_writers(self, value: Value) -> bool:
        """Whether any node may write to the value itself (a list's elements, not what is in them)."""
        own = self._class.get(value)
        return own is not None and bool(self._written_kinds.get(self._find(own), 0) & kinds_of(value.type))

    def writers(self, value: Value) -> Iterable[Node]:
        """The nodes that may write to the value or to what it contains."""
        own = self._class.get(value)
        if own is None:
            return
        own, kinds = self._find(own), kinds_of(value.type)
        for c in self._deep(own):
            for node, written in self._writers.get(c, ()):
                if c != own or c == OUTSIDE or written & kinds:
                    yield node

    def writers_of(self, c: int) -> list[Node]:
        """The nodes that may write to the values of a class."""
        return [node for node, _ in self._writers.get(c, ())]

    def writes(self, node: Node) -> frozenset[int]:
        """The classes that the node, or a node inside it, writes to."""
        found = {self._find(c) for c, _ in self._written.get(node, ())}
        for block in node.blocks:
            for inner in block.walk():
                found |= {self._find(c) for c, _ in self._written.get(inner, ())}
        return frozenset(found)

    def reads(self, node: Node) -> frozenset[int]:
        """The classes that the node, or a node inside it, reads."""
        found: set[int] = set()
        for v in node.inputs:
            found |= self.classes(v)
        for block in node.blocks:
            for inner in (*block.walk(), block.return_node):
                for v in inner.inputs:
                    found |= self.classes(v)
        return frozenset(found)

    def escapes(self, value: Value) -> bool:
        """Whether the value, or something it contains, is or may be known outside the graph: passed in, returned or
        stored.
        """
        classes = self.classes(value)
        return OUTSIDE in classes or not classes.isdisjoint(self._returned)

    def is_outside(self, c: int) -> bool:
        """Whether a class holds what is known outside the graph."""
        return c == OUTSIDE or c in self._returned

    def can_swap(self, a: Node, b: Node) -> bool:
        """Whether two nodes may run in either order (neither uses the other's outputs, conflicts in memory or acts)."""
        outputs = set(a.outputs) | set(b.outputs)
        if any(v in outputs for n in (a, b) for v in _all_inputs(n)):
            return False
        acts = [any(effects.is_action(n) for n in _with_inner(x)) for x in (a, b)]
        wa, wb = self.writes(a), self.writes(b)
        if all(acts) or (acts[0] and OUTSIDE in wb) or (acts[1] and OUTSIDE in wa):
            return False
        return wa.isdisjoint(wb | self.reads(b)) and wb.isdisjoint(self.reads(a))

    def can_move_before(self, node: Node, point: Node) -> bool:
        """Whether `node` may run before `point`, an earlier node of its block."""
        at = node.prev
        while at is not None and at.block is point.block:
            if not self.can_swap(at, node):
                return False
            if at is point:
                return True
            at = at.prev
        return False

    def can_move_after(self, node: Node, point: Node) -> bool:
        """Whether `node` may run after `point`, a later node of its block."""
        at = node.next
        while at is not None and at.next is not None:
            if not self.can_swap(node, at):
                return False
            if at is point:
                return True
            at = at.next
        return False

    # -- classes ------------------------------------------------------------------------------------
    def _new(self, inside: Iterable[int] = ()) -> int:
        self._parent.append(len(self._parent))
        self._inside.append(set(inside))
        return len(self._parent) - 1

    def _find(self, c: int) -> int:
        parent = self._parent
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    def _merge(self, a: int, b: int) -> int:
        """One class of two. Whatever OUTSIDE swallows, its contents go along."""
        pending = [(a, b)]
        while pending:
            x, y = (self._find(c) for c in pending.pop())
            if x == y:
                continue
            x, y = min(x, y), max(x, y)
            self._parent[y] = x
            if x == OUTSIDE:
                pending += [(OUTSIDE, c) for c in self._inside[y]]
            else:
                self._inside[x] |= self._inside[y]
            self._inside[y] = set()
        return self._find(a)

    def _take(self, c: int) -> int:
        """The class of what is taken out of a container."""
        c = self._find(c)
        found = [self._find(x) for x in self._inside[c]]
        if not found:
            made = self._new()
            self._inside[c] = {made}
            return made
        first = found[0]
        for other in found[1:]:
            first = self._merge(first, other)
        c = self._find(c)
        if c != OUTSIDE:
            self._inside[c] = {first}
        return self._find(first)

    def _put(self, container: int, c: int) -> None:
        """Let values of class `c` be inside a container; outside, they are known outside."""
        container = self._find(container)
        if container == OUTSIDE:
            self._merge(OUTSIDE, c)
        else:
            self._inside[container].add(self._find(c))

    def _of(self, value: Value) -> int | None:
        """The class of a value, None if it can hold nothing that is written to."""
        found = self._class.get(value)
        if found is None and kinds_of(value.type):
            found = self._class[value] = self._new()
        return found

    def _unify(self, a: Value, b: Value) -> None:
        x, y = self._of(a), self._of(b)
        if x is not None and y is not None:
            self._merge(x, y)

    def _send_outside(self, values: Iterable[Value]) -> None:
        for v in values:
            c = self._of(v)
            if c is not None:
                self._merge(OUTSIDE, c)

    def _deep(self, c: int | None) -> frozenset[int]:
        if c is None:
            return frozenset()
        root = self._find(c)
        known = self._deep_cache.get(root)
        if known is None:
            seen, pending = {root}, [root]
            while pending:
                for x in self._inside[pending.pop()]:
                    x = self._find(x)
                    if x not in seen:
                        seen.add(x)
                        pending.append(x)
            known = self._deep_cache[root] = frozenset(seen)
        return known

    # -- nodes --------------------------------------------------------------------------------------
    def _block(self, block: Block) -> None:
        for node in block:
            rule = _RULES.get(node.kind)
            if rule is not None:
                rule(self, node)
            elif node.schema is not None:
                self._operator(node, node.schema)
            else:
                self._call(node)

    def _write(self, node: Node, c: int, kinds: int = _ALL) -> None:
        self._written.setdefault(node, []).append((c, kinds))

    def _call(self, node: Node) -> None:
        """What a call is given may be kept and changed, like all that is outside."""
        self._send_outside(node.inputs)
        self._send_outside(node.outputs)
        self._write(node, OUTSIDE)

    def _action(self, node: Node) -> None:
        self._send_outside(node.inputs)
        self._send_outside(node.outputs)

    def _if(self, node: Node) -> None:
        for block in node.blocks:
            self._block(block)
            for out, v in zip(node.outputs, block.outputs, strict=True):
                self._unify(out, v)

    def _loop(self, node: Node) -> None:
        block = node.blocks[0]
        for i, carried in enumerate(node.inputs[2:]):
            self._unify(carried, block.inputs[i + 1])
            self._unify(carried, node.outputs[i])
        self._block(block)
        for i, v in enumerate(block.outputs[1:]):
            self._unify(v, node.outputs[i])

    def _construct(self, node: Node) -> None:
        made = self._of(node.outputs[0])
        if made is not None:
            for v in node.inputs:
                c = self._of(v)
                if c is not None:
                    self._put(made, c)

    def _unpack(self, node: Node) -> None:
        source = node.inputs[0].node
        if source.kind == "prim::TupleConstruct" and node.kind == "prim::TupleUnpack":
            for out, v in zip(node.outputs, source.inputs, strict=True):
                self._unify(out, v)
            return
        if node.kind == "prim::TupleIndex" and source.kind == "prim::TupleConstruct" and node.inputs[1].is_constant:
            self._unify(node.outputs[0], source.inputs[node.inputs[1].constant])
            return
        container = self._of(node.inputs[0])
        for out in node.outputs:
            c = self._of(out)
            if container is not None and c is not None:
                self._merge(c, self._take(container))

    def _slice(self, node: Node) -> None:
        container, made = self._of(node.inputs[0]), self._of(node.outputs[0])
        if container is not None and made is not None:
            self._put(made, self._take(container))

    def _get_attr(self, node: Node) -> None:
        c = self._of(node.outputs[0])
        if c is None:
            return
        key = self._attribute_key(node.outputs[0]) if self._attribute_key else None
        if key is not None:
            self._merge(c, self._keyed.setdefault(key, c))
            return
        holder = self._of(node.inputs[0])
        if holder is not None:
            self._merge(c, self._take(holder))

    def _set_attr(self, node: Node) -> None:
        holder, c = self._of(node.inputs[0]), self._of(node.inputs[1])
        if holder is not None:
            if c is not None:
                self._put(holder, c)
            self._write(node, holder, _OBJECT)

    def _constant(self, node: Node) -> None:
        if kinds_of(node.outputs[0].type):
            self._class[node.outputs[0]] = self._constant_class(node.attributes.get("value"))

    def _constant_class(self, value: Any) -> int:
        if isinstance(value, (list, tuple, dict)):
            items = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)
            held = [
                self._constant_class(v)
                for v in items
                if not isinstance(v, (bool, int, float, complex, str, type(None)))
            ]
            return self._keyed.setdefault(("list", id(value)), self._new(held))
        if hasattr(value, "__dlpack__"):
            return self._keyed.setdefault(("tensor", memory_of(value)), self._new())
        return OUTSIDE

    def _same(self, node: Node) -> None:
        self._unify(node.inputs[0], node.outputs[0])

    def _fresh(self, node: Node) -> None:
        for out in node.outputs:
            self._of(out)

    # -- operators ----------------------------------------------------------------------------------
    def _operator(self, node: Node, schema: Schema) -> None:
        if schema.varret:
            self._action(node)
            return
        named: dict[str, list[tuple[Argument, int]]] = {}
        leaves: dict[str, int] = {}
        classes = [self._of(v) for v in node.inputs]
        stores = self._store(schema, classes)
        for formal, c in zip(schema.arguments, classes, strict=False):
            if c is None:
                continue
            if formal.alias is not None:
                for name in formal.alias.split("|"):
                    named.setdefault(name, []).append((formal, c))
            if not stores or (formal.writes and any(r.alias == "*" for r in schema.returns)):
                self._leaf(formal.type, c, leaves)
            if formal.writes:
                self._write_to(node, schema, formal, c)
        self._unwritten(node, schema, classes)
        for formal, out in zip(schema.returns, node.outputs, strict=True):
            c = self._of(out)
            if c is None:
                continue
            if not stores or formal.alias == "*":
                self._leaf(formal.type, c, leaves)
            if formal.alias is None:
                continue
            for name in formal.alias.split("|"):
                for source, held in named.get(name, ()):
                    if isinstance(formal.type, T.ListType) and not isinstance(source.type, T.ListType):
                        self._put(c, held)
                    else:
                        self._merge(c, held)
            if formal.alias == "*" and not formal.type.has_variables() and isinstance(formal.type, T.TensorType):
                self._merge(c, OUTSIDE)

    def _store(self, schema: Schema, classes: list[int | None]) -> bool:
        """Put what an operator stores into the container that it writes to. Returns whether it writes to one."""
        given = [(a, c) for a, c in zip(schema.arguments, classes, strict=False) if c is not None]
        written = [c for a, c in given if a.writes and a.type.has_variables()]
        for container in written:
            for formal, c in given:
                if isinstance(formal.type, T.VarType):
                    self._put(container, c)
                elif c != container and formal.type.has_variables():  # now or later: both hold the same from here on
                    self._merge(self._take(container), self._take(c))
        return bool(written)

    def _leaf(self, formal: T.Type, c: int, leaves: dict[str, int]) -> None:
        """Merge the parts of a value that stand for the same type variable: this is how elements get into and out of
        containers.
        """
        if isinstance(formal, T.VarType):
            leaves[formal.name] = self._merge(leaves.setdefault(formal.name, c), c)
        elif isinstance(formal, T.OptionalType):
            self._leaf(formal.element, c, leaves)
        elif formal.has_variables():
            held = self._take(c)
            for child in formal.children():
                self._leaf(child, held, leaves)

    def _write_to(self, node: Node, schema: Schema, formal: Argument, c: int) -> None:
        """A list of tensors that is written to means the tensors, outside the operators on lists."""
        if (
            isinstance(formal.type, T.ListType)
            and not formal.type.has_variables()
            and not _on_containers(schema.full_name)
        ):
            self._write(node, self._take(c), _TENSOR)
        else:
            self._write(node, c, kinds_of(formal.type))

    def _unwritten(self, node: Node, schema: Schema, classes: list[int | None]) -> None:
        """What schemas do not say: shared results, written statistics."""
        if schema.name in _SHARING or (
            _on_containers(schema.full_name) and not any(a.type.has_variables() for a in schema.returns)
        ):
            tensors = [
                self._take(c) if isinstance(a.type, T.ListType) else c
                for a, c in zip(schema.arguments, classes, strict=False)
                if c is not None and kinds_of(a.type) & (_TENSOR | _LIST)
            ]
            for out in node.outputs:
                made = self._of(out)
                for c in tensors:
                    if made is not None and isinstance(out.type, T.ListType):
                        self._put(made, c)
                    elif made is not None:
                        self._merge(made, c)
            if schema.is_mutable and schema.name in ("aten::set_", "aten::set_data"):
                for c in tensors[1:]:
                    self._merge(tensors[0], c)
        names, flag = _WRITING.get(schema.name, ((), ""))
        if names and not effects.is_false(node.input_named(flag)):
            for name in names:
                written = classes[schema.index_of(name) or 0]
                if written is not None:
                    self._write(node, written, _TENSOR)


def _on_containers(full_name: str) -> bool:
    return operators.has_schema(full_name) and operators.family(full_name) == "container"


def memory_of(tensor: Any) -> Hashable:
    """What identifies the memory of a constant tensor: the array that owns it."""
    array = getattr(tensor, "_array", tensor)
    base = getattr(array, "base", None)
    while base is not None:
        if hasattr(base, "__dlpack__"):
            array = base
        base = getattr(base, "base", None)
    return id(array)


def _with_inner(node: Node) -> Iterable[Node]:
    yield node
    for block in node.blocks:
        yield from block.walk()


def _all_inputs(node: Node) -> Iterable[Value]:
    yield from node.inputs
    for block in node.blocks:
        for inner in block.walk():
            yield from inner.inputs
        yield from block.outputs


_RULES: dict[str, Callable[[AliasAnalysis, Node], None]] = {
    "prim::Constant": AliasAnalysis._constant,
    "prim::If": AliasAnalysis._if,
    "prim::Loop": AliasAnalysis._loop,
    "prim::ListConstruct": AliasAnalysis._construct,
    "prim::TupleConstruct": AliasAnalysis._construct,
    "prim::DictConstruct": AliasAnalysis._construct,
    "prim::ListUnpack": AliasAnalysis._unpack,
    "prim::TupleUnpack": AliasAnalysis._unpack,
    "prim::TupleIndex": AliasAnalysis._unpack,
    "prim::TupleSlice": AliasAnalysis._slice,
    "prim::ModuleContainerIndex": AliasAnalysis._unpack,
    "prim::GetAttr": AliasAnalysis._get_attr,
    "prim::SetAttr": AliasAnalysis._set_attr,
    "prim::CreateObject": AliasAnalysis._fresh,
    "prim::Uninitialized": AliasAnalysis._fresh,
    "prim::isinstance": AliasAnalysis._fresh,
    "prim::tolist": AliasAnalysis._fresh,
    "prim::RaiseException": AliasAnalysis._fresh,
    "prim::Print": AliasAnalysis._fresh,
    "prim::unchecked_cast": AliasAnalysis._same,
    "prim::unchecked_unwrap_optional": AliasAnalysis._same,
    "prim::CallFunction": AliasAnalysis._call,
    "prim::CallMethod": AliasAnalysis._call,
    "prim::fork": AliasAnalysis._call,
    "prim::Enter": AliasAnalysis._call,
    "prim::Exit": AliasAnalysis._call,
    "aten::wait": AliasAnalysis._call,
    "aten::backward": AliasAnalysis._call,
}
