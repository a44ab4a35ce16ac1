"""The graph: blocks of nodes in explicit order, values with use lists, mutation only through methods that keep them
right.

A block begins with a parameter node (whose outputs are the block's inputs) and ends with a return node (whose inputs
are
the block's outputs); control flow nests blocks (`prim::If`, `prim::Loop`) as in TorchScript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from linstock.ir import operators, types
from linstock.ir.errors import GraphError, SchemaError
from linstock.ir.schema import Schema
from linstock.ir.source import Span
from linstock.ir.types import Type


class Use:
    """One use of a value: input number `index` of `node`. Never changed once made."""

    __slots__ = ("index", "node")

    def __init__(self, node: Node, index: int) -> None:
        self.node, self.index = node, index

    def __repr__(self) -> str:
        return f"Use({self.node!r}, {self.index})"


class Value:
    """The result of a node (or an input of a block), assigned once. `name` is a hint for printing."""

    __slots__ = ("index", "name", "node", "type", "uses")

    def __init__(self, node: Node, index: int, type: Type, name: str = "") -> None:
        self.node, self.index, self.type, self.name = node, index, type, name
        self.uses: list[Use] = []

    def __repr__(self) -> str:
        return f"%{self.name or '?'} : {self.type}"

    def replace_all_uses_with(self, other: Value) -> None:
        """Make every user of this value use `other`."""
        if other is self:
            return
        for use in list(self.uses):
            use.node.replace_input(use.index, other)

    def replace_uses_after(self, node: Node, other: Value) -> None:
        """Make the users that come after `node` use `other`."""
        for use in list(self.uses):
            if use.node is not node and use.node.is_after(node):
                use.node.replace_input(use.index, other)

    @property
    def is_constant(self) -> bool:
        return self.node.kind == "prim::Constant"

    @property
    def constant(self) -> Any:
        """The value of a constant. Raises GraphError for anything else."""
        if self.node.kind != "prim::Constant":
            raise GraphError(f"{self!r} is not a constant", self.node.span)
        return self.node.attributes.get("value")


class Node:
    """An operation. Made through `Builder` (or `Graph.create`), which checks it against its schema."""

    __slots__ = (
        "_next", "_order", "_prev", "attributes", "block", "blocks", "calls", "inputs", "kind", "outputs", "schema", "scope", "span",
    )  # fmt: skip

    def __init__(self, kind: str, schema: Schema | None, span: Span | None) -> None:
        self.kind, self.schema, self.span = kind, schema, span
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.blocks: list[Block] = []
        self.attributes: dict[str, Any] = {}
        self.block: Block | None = None
        self.scope: str = ""
        self.calls: tuple[Span, ...] = ()  # the calls through which the node was inlined, innermost first
        self._prev: Node | None = None
        self._next: Node | None = None
        self._order = 0

    def __repr__(self) -> str:
        return f"<{self.full_name} at {self.span.filename}:{self.span.lineno}>" if self.span else f"<{self.full_name}>"

    @property
    def full_name(self) -> str:
        """The operator with its overload ("aten::add.Tensor")."""
        return self.schema.full_name if self.schema else self.kind

    @property
    def output(self) -> Value:
        """The only output. Raises GraphError if there is not exactly one."""
        if len(self.outputs) != 1:
            raise GraphError(f"{self.full_name} has {len(self.outputs)} outputs, not one", self.span)
        return self.outputs[0]

    def input_named(self, name: str) -> Value:
        """The input for the schema's argument `name`. Raises KeyError."""
        index = self.schema.index_of(name) if self.schema else None
        if index is None:
            raise KeyError(name)
        return self.inputs[index]

    # -- inputs and outputs ------------------------------------------------------------------------------------------
    def add_input(self, value: Value) -> None:
        self.inputs.append(value)
        value.uses.append(Use(self, len(self.inputs) - 1))

    def _drop_use(self, index: int) -> None:
        value = self.inputs[index]
        uses = value.uses
        for i in range(len(uses) - 1, -1, -1):  # what was added last is removed first
            if uses[i].node is self and uses[i].index == index:
                del uses[i]
                return
        raise GraphError(f"use list of {value!r} is broken", self.span)

    def replace_input(self, index: int, value: Value) -> None:
        self._drop_use(index)
        self.inputs[index] = value
        value.uses.append(Use(self, index))

    def set_inputs(self, values: Iterable[Value]) -> None:
        """Replace all inputs."""
        for i in range(len(self.inputs) - 1, -1, -1):
            self._drop_use(i)
        self.inputs = []
        for v in values:
            self.add_input(v)

    def insert_input(self, index: int, value: Value) -> None:
        self.set_inputs([*self.inputs[:index], value, *self.inputs[index:]])

    def remove_input(self, index: int) -> None:
        self.set_inputs([v for i, v in enumerate(self.inputs) if i != index])

    def add_output(self, type: Type, name: str = "") -> Value:
        value = Value(self, len(self.outputs), type, name)
        self.outputs.append(value)
        return value

    def remove_output(self, index: int) -> None:
        """Remove an unused output. Raises GraphError when it is used."""
        if self.outputs[index].uses:
            raise GraphError(f"output {index} of {self.full_name} is still used", self.span)
        del self.outputs[index]
        for i, v in enumerate(self.outputs):
            v.index = i

    def add_block(self) -> Block:
        block = Block(self._graph(), self)
        self.blocks.append(block)
        return block

    def remove_block(self, index: int) -> None:
        self.blocks[index].destroy()
        del self.blocks[index]

    def _graph(self) -> Graph:
        if self.block is None:
            raise GraphError(f"{self.full_name} is not in a graph", self.span)
        return self.block.graph

    # -- place -------------------------------------------------------------------------------------------------------
    @property
    def next(self) -> Node | None:
        """The node after this one in its block (the return node last), or None."""
        return self._next

    @property
    def prev(self) -> Node | None:
        """The node before this one in its block (the parameter node first), or None."""
        return self._prev

    def insert_before(self, other: Node) -> None:
        """Put this new node before `other`."""
        if self.block is not None or other.block is None or other._prev is None:
            raise GraphError(f"cannot insert {self.full_name} before {other.full_name}", self.span)
        previous = other._prev
        self._prev, self._next, self.block = previous, other, other.block
        previous._next = other._prev = self
        self.block.ordered = False

    def insert_after(self, other: Node) -> None:
        """Put this new node after `other`."""
        if other._next is None:
            raise GraphError(f"cannot insert {self.full_name} after {other.full_name}", self.span)
        self.insert_before(other._next)

    def detach(self) -> None:
        """Take the node out of its block, keeping its inputs and uses (to be inserted elsewhere)."""
        if self._prev is None or self._next is None:
            raise GraphError(f"{self.full_name} cannot be moved", self.span)
        self._prev._next, self._next._prev = self._next, self._prev
        self._prev = self._next = self.block = None

    def move_before(self, other: Node) -> None:
        self.detach()
        self.insert_before(other)

    def move_after(self, other: Node) -> None:
        self.detach()
        self.insert_after(other)

    def destroy(self) -> None:
        """Remove the node. Raises GraphError if one of its outputs is used."""
        for out in self.outputs:
            if out.uses:
                raise GraphError(
                    f"{self.full_name} is removed but {out!r} is used by {out.uses[0].node.full_name}", self.span
                )
        for b in self.blocks:
            b.destroy()
        self.blocks = []
        self.set_inputs(())
        self.detach()

    def is_after(self, other: Node) -> bool:
        """Whether this node runs after `other`: later in the same block, or nested in a node that is."""
        mine, theirs = self._path(), other._path()
        for a, b in zip(mine, theirs, strict=False):
            if a is not b:
                if a.block is not b.block:  # different blocks of one node: neither is after
                    return False
                block = a.block
                assert block is not None
                block.number()
                return a._order > b._order
        return len(mine) > len(theirs)

    def _path(self) -> list[Node]:
        path: list[Node] = [self]
        while path[-1].block is not None and path[-1].block.owner is not None:
            path.append(path[-1].block.owner)
        return path[::-1]

    def is_inside(self, block: Block) -> bool:
        """Whether the node is in `block` or nested in it."""
        return any(n.block is block for n in self._path())


class Block:
    """A sequence of nodes with inputs and outputs. Iterating gives the nodes between parameters and return."""

    __slots__ = ("graph", "ordered", "owner", "param_node", "return_node")

    def __init__(self, graph: Graph, owner: Node | None) -> None:
        self.graph, self.owner = graph, owner
        self.param_node, self.return_node = Node("prim::Param", None, None), Node("prim::Return", None, None)
        self.param_node.block = self.return_node.block = self
        self.param_node._next, self.return_node._prev = self.return_node, self.param_node
        self.ordered = False

    @property
    def inputs(self) -> list[Value]:
        return self.param_node.outputs

    @property
    def outputs(self) -> list[Value]:
        return self.return_node.inputs

    def add_input(self, type: Type, name: str = "") -> Value:
        return self.param_node.add_output(type, name)

    def remove_input(self, index: int) -> None:
        self.param_node.remove_output(index)

    def add_output(self, value: Value) -> None:
        self.return_node.add_input(value)

    def remove_output(self, index: int) -> None:
        self.return_node.remove_input(index)

    def __iter__(self) -> Iterator[Node]:
        node = self.param_node._next
        while node is not None and node is not self.return_node:
            following = node._next
            yield node
            node = node._next if node.block is self else following

    def __reversed__(self) -> Iterator[Node]:
        node = self.return_node._prev
        while node is not None and node is not self.param_node:
            before = node._prev
            yield node
            node = node._prev if node.block is self else before

    @property
    def nodes(self) -> list[Node]:
        return list(self)

    def walk(self) -> Iterator[Node]:
        """Every node of the block and of the blocks nested in it, in order."""
        for node in self:
            yield node
            for b in node.blocks:
                yield from b.walk()

    def number(self) -> None:
        if not self.ordered:
            node: Node | None = self.param_node
            order = 0
            while node is not None:
                node._order = order
                order, node = order + 1, node._next
            self.ordered = True

    def destroy(self) -> None:
        """Remove everything in the block."""
        self.return_node.set_inputs(())
        for node in reversed(self):
            for out in node.outputs:
                out.uses.clear()
            node.destroy()

    def clone_into(self, target: Block, mapping: dict[Value, Value], at: Node | None = None) -> list[Value]:
        """Copy the nodes of this block before `at` (default: the end) of `target`; returns the copies of the outputs.

        `mapping` gives the values that stand for this block's inputs and free values; values missing from it are kept.
        """
        place = at or target.return_node
        for node in self:
            copy = node_like(node)
            copy.insert_before(place)
            for v in node.inputs:
                copy.add_input(mapping.get(v, v))
            for b in node.blocks:
                inner = copy.add_block()
                for v in b.inputs:
                    mapping[v] = inner.add_input(v.type, v.name)
                for v in b.clone_into(inner, mapping):
                    inner.add_output(v)
            for v in node.outputs:
                mapping[v] = copy.add_output(v.type, v.name)
        return [mapping.get(v, v) for v in self.outputs]


def node_like(node: Node) -> Node:
    """A node of the same kind, schema, attributes and span, without inputs, outputs and blocks."""
    copy = Node(node.kind, node.schema, node.span)
    copy.attributes, copy.scope, copy.calls = dict(node.attributes), node.scope, node.calls
    return copy


class Graph:
    """A function's body. `graph.block` is the outermost block; `inputs` and `outputs` are its."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.block = Block(self, None)

    @property
    def inputs(self) -> list[Value]:
        return self.block.inputs

    @property
    def outputs(self) -> list[Value]:
        return self.block.outputs

    def add_input(self, type: Type, name: str = "") -> Value:
        return self.block.add_input(type, name)

    def add_output(self, value: Value) -> None:
        self.block.add_output(value)

    def walk(self) -> Iterator[Node]:
        return self.block.walk()

    def copy(self) -> Graph:
        """A deep copy (constants' values are shared)."""
        new = Graph(self.name)
        mapping = {v: new.add_input(v.type, v.name) for v in self.inputs}
        for v in self.block.clone_into(new.block, mapping):
            new.add_output(v)
        return new

    def __str__(self) -> str:
        from linstock.ir.printer import print_graph

        return print_graph(self)


class Builder:
    """Makes nodes at an insertion point: before `self.point`, a node that stays in its block (at the end: the return
    node).
    """

    def __init__(self, point: Node | Block | Graph, span: Span | None = None) -> None:
        if isinstance(point, Graph):
            point = point.block
        self.point: Node = point.return_node if isinstance(point, Block) else point
        self.span = span

    def at(self, point: Node | Block) -> Builder:
        """A builder at another point with the same span."""
        return Builder(point, self.span)

    @property
    def block(self) -> Block:
        assert self.point.block is not None
        return self.point.block

    def node(
        self,
        kind: str,
        inputs: Sequence[Value] = (),
        outputs: Sequence[Type] = (),
        schema: Schema | None = None,
        **attributes: Any,
    ) -> Node:
        """Insert a structural node (`prim::…`), or an operator with its schema, output types given."""
        made = Node(kind, schema, self.span)
        made.insert_before(self.point)
        for v in inputs:
            made.add_input(v)
        for t in outputs:
            made.add_output(t)
        made.attributes.update(attributes)
        return made

    def value(self, kind: str, inputs: Sequence[Value], type: Type, **attributes: Any) -> Value:
        """Insert a structural node with one output and return that."""
        return self.node(kind, inputs, (type,), **attributes).outputs[0]

    def constant(self, value: Any, type: Type | None = None) -> Value:
        """Insert a constant; the type is derived for None, bool, int, float, complex, str and lists of them."""
        return self.value("prim::Constant", (), type or type_of_constant(value), value=value)

    def operator(self, schema: Schema, inputs: Sequence[Value]) -> Node:
        """Insert an operator call. Every argument must be given and fit its type. Raises SchemaError."""
        bound, problem = match_arguments(schema, [v.type for v in inputs])
        if problem:
            raise SchemaError(f"{schema.full_name}: {problem}", self.span)
        results = [types.substitute(r.type, bound) for r in schema.returns]
        if any(r is None for r in results):
            raise SchemaError(f"{schema.full_name}: a type variable of the result is not bound", self.span)
        return self.node(schema.name, inputs, [r for r in results if r is not None], schema=schema)

    def op(self, full_name: str, *inputs: Value | Any) -> Value:
        """Insert an operator by its full name; Python values become constants, missing arguments their defaults."""
        schema = operators.schema(full_name)
        values = [v if isinstance(v, Value) else self.constant(v) for v in inputs]
        for formal in schema.arguments[len(values) :]:
            if not formal.has_default:
                raise SchemaError(f"{full_name}: argument '{formal.name}' is missing", self.span)
            values.append(self.constant(formal.default, None if formal.default != [] else formal.type))
        return self.operator(schema, values).output


def match_arguments(schema: Schema, actuals: Sequence[Type]) -> tuple[dict[str, Type], str | None]:
    """Bind a schema's type variables to the types of a call's arguments; and what is wrong in words, or None if they
    fit.
    """
    bound: dict[str, Type] = {}
    if len(actuals) != len(schema.arguments) and not (schema.vararg and len(actuals) >= len(schema.arguments)):
        return bound, f"takes {len(schema.arguments)} arguments, got {len(actuals)}"
    for formal, actual in zip(schema.arguments, actuals, strict=False):
        problem = types.match_variables(formal.type, actual, bound)
        wanted = types.substitute(formal.type, bound)
        if problem or wanted is None or not (types.is_subtype(actual, wanted) or implicit(actual, wanted)):
            problem = problem or f"expected a value of type {formal.type} for argument '{formal.name}', got {actual}"
            return bound, problem
    return bound, None


def implicit(actual: Type, wanted: Type) -> bool:
    """Whether an operator takes `actual` for `wanted` although it is no subtype: any list for `t[]`, tensors of any
    kind.
    """
    if isinstance(wanted, types.ListType) and isinstance(actual, types.ListType):
        if isinstance(wanted.element, types.OptionalType):
            return types.is_subtype(actual.element, wanted.element)
        return types.is_subtype(actual.element, wanted.element) and isinstance(actual.element, types.TensorType)
    if isinstance(wanted, types.OptionalType):
        return implicit(types.without_none(actual), wanted.element)
    return False


def type_of_constant(value: Any) -> Type:
    """The type of a constant Python value. Raises TypeError."""
    simple: dict[type, Type] = {
        type(None): types.NONE, bool: types.BOOL, int: types.INT, float: types.FLOAT, complex: types.COMPLEX, str: types.STRING,
    }  # fmt: skip
    found = simple.get(type(value))
    if found is not None:
        return found
    if type(value).__name__ == "Device":
        return types.DEVICE
    if isinstance(value, list):
        if not value:
            raise TypeError("the type of an empty list constant must be given")
        element = type_of_constant(value[0])
        for v in value[1:]:
            both = types.unify(element, type_of_constant(v))
            if both is None:
                raise TypeError(f"elements of different types in a list: {element} and {type_of_constant(v)}")
            element = both
        return types.ListType(element)
    if isinstance(value, tuple):
        return types.TupleType(tuple(type_of_constant(v) for v in value))
    if isinstance(value, dict) and value:
        key, item = next(iter(value.items()))
        return types.DictType(type_of_constant(key), type_of_constant(item))
    if hasattr(value, "__dlpack__"):
        return types.TENSOR
    raise TypeError(f"a {type(value).__name__} cannot be a constant of a graph")


NodePredicate = Callable[[Node], bool]
