"""Finds out the element types, ranks and sizes of tensors from those of the inputs, by the rules in `ir/shapes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.shapes.registry import ANY_SIZE, Call, Size, rule_of
from linstock.passes.alias import AliasAnalysis
from linstock.passes.constant_pooling import only_read
from linstock.passes.constants import is_tensor, tensor_type_of
from linstock.passes.effects import RESHAPING


@dataclass(frozen=True)
class ShapePropagation:
    """Sets the types of all tensor values anew from the types of the graph's inputs and the constants.

    What the inputs' types say must hold. Sizes that are not known get names (`s0`); one name is one number. Where
    nothing is known the type becomes plain `Tensor`, so what tracing recorded is forgotten. `attribute_type` may tell
    the type of what a `prim::GetAttr` reads.
    """

    default_dtype: int = dtypes.float32.code
    attribute_type: Callable[[Node], T.TensorType | None] | None = None
    name = "shape_propagation"

    def run(self, graph: Graph) -> bool:
        """Refine the types. Returns whether one changed."""
        before = {v: v.type for n in graph.walk() for v in n.outputs}
        _Propagator(graph, self).block(graph.block)
        return any(v.type != t for v, t in before.items())


def erased(t: T.Type) -> T.Type:
    """The type without what is known of tensors in it."""
    return T.map_type(t, lambda x: T.TENSOR if isinstance(x, T.TensorType) else x)


@dataclass(frozen=True)
class EraseShapes:
    """Forgets everything that types say of tensors (the graph's inputs too)."""

    name = "erase_shapes"

    def run(self, graph: Graph) -> bool:
        """Erase. Returns whether a type changed."""
        changed = False
        values = [*graph.inputs, *(v for n in graph.walk() for v in n.outputs)]
        values += [v for n in graph.walk() for b in n.blocks for v in b.inputs]
        for v in values:
            plain = erased(v.type)
            if plain != v.type:
                v.type, changed = plain, True
        return changed


class _Propagator:
    """The types found so far are in the values; what is known of ints and lists is kept here."""

    def __init__(self, graph: Graph, options: ShapePropagation) -> None:
        self.options, self.default_dtype = options, options.default_dtype
        self._taken = {
            n for v in graph.inputs for t in T.walk(v.type) if isinstance(t, T.TensorType) for n in t.sizes or ()
        }
        self._count = 0
        self._ints: dict[Value, Size] = {}
        self._any_int: set[str] = set()  # names of ints that may be negative
        self._loop_names: set[str] = set()  # names of sizes that change from iteration to iteration
        self._lists: dict[Value, list[Size]] = {}
        self._members: dict[Value, list[T.TensorType]] = {}
        self._each: dict[Value, T.TensorType] = {}  # what holds for every element of a list
        reshaped = any(n.kind in RESHAPING for n in graph.walk())
        self._alias = AliasAnalysis(graph) if reshaped else None
        for v in graph.inputs:
            if self._alias is not None and isinstance(v.type, T.TensorType) and self._is_unsteady(v):
                v.type = T.TENSOR

    # -- facts for the rules ------------------------------------------------------------------------
    def fresh(self) -> str:
        while True:
            name = f"s{self._count}"
            self._count += 1
            if name not in self._taken:
                return name

    def may_be_negative(self, size: Size) -> bool:
        return size in self._any_int if isinstance(size, str) else size < 0

    def size(self, value: Value) -> Size:
        found = self._ints.get(value)
        if found is None:
            constant = value.constant if value.is_constant else None
            if type(constant) is int:
                return constant
            found = self._ints[value] = self.fresh()
            self._any_int.add(found)
        return found

    def sizes(self, value: Value) -> list[Size] | None:
        if value.is_constant:
            constant = value.constant
            return list(constant) if isinstance(constant, list) and all(type(n) is int for n in constant) else None
        return self._lists.get(value)

    def members(self, value: Value) -> list[T.TensorType] | None:
        if value.is_constant and isinstance(value.constant, list):
            return [tensor_type_of(v) if is_tensor(v) else T.TENSOR for v in value.constant]
        return self._members.get(value)

    # -- blocks -------------------------------------------------------------------------------------
    def block(self, block: Block) -> None:
        for node in block:
            for out in node.outputs:  # what an earlier round in a loop found holds no longer
                self._ints.pop(out, None)
                self._lists.pop(out, None)
                self._members.pop(out, None)
                self._each.pop(out, None)
            handler = _HANDLERS.get(node.kind)
            if handler is not None:
                handler(self, node)
            elif node.schema is not None:
                self._operator(node)
            else:
                self._forget(node)

    def _is_unsteady(self, value: Value) -> bool:
        return self._alias is not None and any(w.kind in RESHAPING for w in self._alias.writers(value))

    def _set(self, value: Value, t: T.Type | None) -> None:
        """Give a value its type; nothing is known of tensors that are reshaped in place somewhere."""
        if not isinstance(value.type, T.TensorType):
            plain = erased(value.type)
            if plain != value.type:
                value.type = plain
        elif not isinstance(t, T.TensorType) or self._is_unsteady(value):
            value.type = T.TENSOR
        else:
            value.type = t

    def _forget(self, node: Node) -> None:
        for out in node.outputs:
            self._set(out, None)

    def _constant(self, node: Node) -> None:
        value = node.attributes.get("value")
        self._set(node.outputs[0], tensor_type_of(value) if is_tensor(value) else None)

    def _attribute(self, node: Node) -> None:
        known = self.options.attribute_type
        self._set(node.outputs[0], None if known is None else known(node))

    def _same(self, node: Node) -> None:
        self._set(node.outputs[0], node.inputs[0].type)

    def _if(self, node: Node) -> None:
        for block in node.blocks:
            self.block(block)
        for i, out in enumerate(node.outputs):
            a, b = (block.outputs[i].type for block in node.blocks)
            self._set(out, self.join(a, b))

    def _loop(self, node: Node) -> None:
        """Begin with the types before the loop, generalise until an iteration keeps them."""
        body = node.blocks[0]
        for carried, inner in zip(node.inputs[2:], body.inputs[1:], strict=True):
            self._set(inner, carried.type)
        rounds, stable = 0, False
        while not stable:
            self.block(body)
            stable = True
            for inner, after in zip(body.inputs[1:], body.outputs[1:], strict=True):
                if not isinstance(inner.type, T.TensorType) or inner.type == T.TENSOR:
                    continue
                wider = self._widened(inner.type, after.type) if rounds < 6 else None
                if wider != inner.type:
                    self._set(inner, wider)
                    stable = False
            rounds += 1
        for inner, out in zip(body.inputs[1:], node.outputs, strict=True):
            self._set(out, inner.type)

    def _widened(self, before: T.Type, after: T.Type) -> T.TensorType | None:
        """What holds before and after an iteration: a size that changes becomes a name of its own."""
        if not isinstance(before, T.TensorType) or not isinstance(after, T.TensorType):
            return None
        sizes: tuple[Size, ...] | None = None
        if before.sizes is not None and after.sizes is not None and len(before.sizes) == len(after.sizes):
            sizes = tuple(
                x if x == y or (isinstance(x, str) and x in self._loop_names) else self._loop_name()
                for x, y in zip(before.sizes, after.sizes, strict=True)
            )
        return _known(before, after, sizes)

    def _loop_name(self) -> str:
        name = self.fresh()
        self._loop_names.add(name)
        return name

    def join(self, a: T.Type, b: T.Type) -> T.TensorType | None:
        """What holds for both of two values."""
        if not isinstance(a, T.TensorType) or not isinstance(b, T.TensorType):
            return None
        sizes: tuple[Size, ...] | None = None
        if a.sizes is not None and b.sizes is not None and len(a.sizes) == len(b.sizes):
            sizes = tuple(x if x == y else self.fresh() for x, y in zip(a.sizes, b.sizes, strict=True))
        return _known(a, b, sizes)

    # -- lists, tuples, ints ------------------------------------------------------------------------
    def _list(self, node: Node) -> None:
        out = node.outputs[0]
        self._set(out, None)
        if not _only_looked_at(out) or not isinstance(out.type, T.ListType):
            return
        if out.type.element == T.INT:
            self._lists[out] = [self.size(v) for v in node.inputs]
        elif isinstance(out.type.element, T.TensorType):
            self._members[out] = [v.type if isinstance(v.type, T.TensorType) else T.TENSOR for v in node.inputs]

    def _unpack(self, node: Node) -> None:
        value = node.inputs[0]
        parts: Sequence[T.Type] | None = None
        if value.node.kind == "prim::TupleConstruct":
            parts = [v.type for v in value.node.inputs]
        elif isinstance(value.type, T.ListType):
            parts = self.members(value) or [self._element(value)] * len(node.outputs)
        for i, out in enumerate(node.outputs):
            self._set(out, self._own(parts[i]) if parts is not None and len(parts) == len(node.outputs) else None)
            sizes = self._lists.get(value)
            if sizes is not None and len(sizes) == len(node.outputs):
                self._ints[out] = sizes[i]

    def _item(self, node: Node) -> None:
        value, index = node.inputs
        out = node.outputs[0]
        at = index.constant if index.is_constant else None
        parts: Sequence[T.Type] | None = self.members(value)
        if value.node.kind == "prim::TupleConstruct":
            parts = [v.type for v in value.node.inputs]
        found: T.Type = self._element(value)
        if parts is not None and isinstance(at, int) and -len(parts) <= at < len(parts):
            found = parts[at]
        self._set(out, self._own(found))
        sizes = self._lists.get(value)
        if sizes is not None and isinstance(at, int) and -len(sizes) <= at < len(sizes):
            self._ints[out] = sizes[at]

    def _element(self, value: Value) -> T.TensorType:
        """What is known of every element of a list."""
        found = self._each.get(value)
        return T.TENSOR if found is None else found

    def _own(self, t: T.Type) -> T.Type:
        """The type with names of its own where sizes differ from element to element."""
        if not isinstance(t, T.TensorType) or t.sizes is None or ANY_SIZE not in t.sizes:
            return t
        sizes = tuple(self.fresh() if n == ANY_SIZE else n for n in t.sizes)
        return T.TensorType(t.dtype, sizes, device=t.device)

    # -- operators ----------------------------------------------------------------------------------
    def _operator(self, node: Node) -> None:
        reader = _READERS.get(node.full_name)
        if reader is not None:
            reader(self, node)
        if not any(isinstance(t, (T.TensorType, T.ListType)) for t in (v.type for v in node.outputs)):
            return
        found = self._found(node)
        for i, out in enumerate(node.outputs):
            t: Any = found[i] if isinstance(found, tuple) and len(found) == len(node.outputs) else found
            if isinstance(out.type, T.ListType):
                if isinstance(t, list) and _only_looked_at(out):
                    self._members[out] = [self._placed(node, m) for m in t]
                elif isinstance(t, T.TensorType) and _only_looked_at(out):
                    self._each[out] = self._placed(node, t)
            self._set(out, self._placed(node, t) if isinstance(t, T.TensorType) else None)

    def _found(self, node: Node) -> Any:
        schema = node.schema
        assert schema is not None
        if schema.out_arguments:
            types = [node.input_named(a.name).type for a in schema.out_arguments]
            return tuple(T.TensorType(t.dtype) if isinstance(t, T.TensorType) else None for t in types)
        if schema.is_mutable:  # the first argument itself
            first = node.inputs[0].type
            same = schema.arguments[0].writes and node.kind not in RESHAPING and isinstance(first, T.TensorType)
            return first if same and len(node.outputs) == 1 else None
        rule = rule_of(node)
        return None if rule is None else rule(Call(node, self))

    def _placed(self, node: Node, t: T.TensorType) -> T.TensorType:
        """The type with the device: that of the tensors that go in, if they have one, or the one asked for."""
        device: str | None = None
        asked = node.schema.index_of("device") if node.schema else None
        wanted = None if asked is None else node.inputs[asked]
        if wanted is not None and wanted.type != T.NONE:
            device = str(wanted.constant) if wanted.is_constant and isinstance(wanted.constant, Device) else None
        elif node.kind not in ("aten::to", "aten::cpu", "aten::cuda") or asked is not None:
            given = {v.type.device for v in node.inputs if isinstance(v.type, T.TensorType)}
            device = given.pop() if len(given) == 1 else None
        return T.TensorType(t.dtype, t.sizes, device=device)


def _known(a: T.TensorType, b: T.TensorType, sizes: tuple[Size, ...] | None) -> T.TensorType:
    return T.TensorType(
        a.dtype if a.dtype == b.dtype else None, sizes, device=a.device if a.device == b.device else None
    )


def _only_looked_at(value: Value) -> bool:
    """Whether no use changes the list or lets it go."""
    if only_read(value):
        return True
    looking = ("prim::ListUnpack", "aten::__getitem__", "aten::len")
    return all(u.node.kind in looking or _reads(u.node, u.index) for u in value.uses)


def _reads(node: Node, index: int) -> bool:
    schema = node.schema
    if schema is None or index >= len(schema.arguments):
        return False
    formal = schema.arguments[index]
    return formal.alias is None and not formal.type.has_variables() and not node.kind.startswith("aten::_set_item")


# -- what operators tell of ints --------------------------------------------------------------------
def _size_at(p: _Propagator, node: Node) -> None:
    t, dim = node.inputs[0].type, node.inputs[1]
    if (
        isinstance(t, T.TensorType)
        and t.sizes is not None
        and dim.is_constant
        and -len(t.sizes) <= dim.constant < len(t.sizes)
    ):
        p._ints[node.outputs[0]] = t.sizes[dim.constant]


def _all_sizes(p: _Propagator, node: Node) -> None:
    t = node.inputs[0].type
    if isinstance(t, T.TensorType) and t.sizes is not None and _only_looked_at(node.outputs[0]):
        p._lists[node.outputs[0]] = list(t.sizes)


def _rank(p: _Propagator, node: Node) -> None:
    t = node.inputs[0].type
    if isinstance(t, T.TensorType) and t.rank is not None:
        p._ints[node.outputs[0]] = t.rank


def _integers(compute: Callable[[int, int], int]) -> Callable[[_Propagator, Node], None]:
    def read(p: _Propagator, node: Node) -> None:
        a, b = (p.size(v) for v in node.inputs)
        if isinstance(a, int) and isinstance(b, int):
            p._ints[node.outputs[0]] = compute(a, b)

    return read


_READERS: dict[str, Callable[[_Propagator, Node], None]] = {
    "aten::size.int": _size_at,
    "aten::size": _all_sizes,
    "aten::dim": _rank,
    "aten::add.int": _integers(lambda a, b: a + b),
    "aten::sub.int": _integers(lambda a, b: a - b),
    "aten::mul.int": _integers(lambda a, b: a * b),
    "aten::floordiv.int": _integers(lambda a, b: a // b if b else 0),
}
_HANDLERS: dict[str, Callable[[_Propagator, Node], None]] = {
    "prim::Constant": _Propagator._constant,
    "prim::GetAttr": _Propagator._attribute,
    "prim::If": _Propagator._if,
    "prim::Loop": _Propagator._loop,
    "prim::ListConstruct": _Propagator._list,
    "prim::ListUnpack": _Propagator._unpack,
    "prim::TupleUnpack": _Propagator._unpack,
    "prim::TupleIndex": _Propagator._item,
    "aten::__getitem__": _Propagator._item,
    "prim::unchecked_cast": _Propagator._same,
    "prim::unchecked_unwrap_optional": _Propagator._same,
    "aten::_unwrap_optional": _Propagator._same,
}
