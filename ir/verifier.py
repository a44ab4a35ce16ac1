"""Checks a graph against the rules of the IR (ir/README.md). A broken rule raises GraphError that names the node and
its place.

What passes refined is allowed: an output may have a more specific type than its schema or its container says, and a
tensor's dtype and sizes are compared only where both sides know them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from linstock.ir import types
from linstock.ir.device import Device
from linstock.ir.errors import GraphError
from linstock.ir.graph import Block, Graph, Node, Value, match_arguments
from linstock.ir.printer import print_node
from linstock.ir.program import Function
from linstock.ir.types import Type


def verify(graph: Graph) -> None:
    """Check dominance, use lists, schemas, blocks and types. Raises GraphError."""
    if len(graph.outputs) != 1:
        raise GraphError(f"graph '{graph.name}' has {len(graph.outputs)} outputs; it must have exactly one")
    _Verifier(graph).run()


class _Verifier:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.visible: set[Value] = set()
        self.everything = {v for b in _blocks(graph.block) for n in (b.param_node, *b) for v in n.outputs}
        self.uses: dict[Value, set[tuple[Node, int]]] = {}

    def run(self) -> None:
        self.block(self.graph.block, None)
        for value, found in self.uses.items():
            listed = {(u.node, u.index) for u in value.uses}
            if listed != found or len(value.uses) != len(found):
                self.fail(
                    value.node, f"the use list of {value!r} has {len(value.uses)} entries, the graph {len(found)} uses"
                )

    def fail(self, node: Node, message: str) -> None:
        text = (
            print_node(node).split("\n")[0].strip() if node.kind not in ("prim::Param", "prim::Return") else node.kind
        )
        raise GraphError(f"{message}\n  in node {text}\n  {_place(node, self.graph)}", node.span)

    # -- structure ----------------------------------------------------------------------------------
    def block(self, block: Block, owner: Node | None) -> None:
        if block.owner is not owner or block.graph is not self.graph:
            self.fail(block.param_node, "the block does not know its node or its graph")
        defined: list[Value] = []
        self.define(block.param_node, defined)
        previous = block.param_node
        for node in block:
            if node.block is not block or node.prev is not previous:
                self.fail(node, "the links between nodes are broken")
            previous = node
            self.read(node)
            for inner in node.blocks:
                self.block(inner, node)
            self.define(node, defined)
            self.check(node)
        self.read(block.return_node)
        self.visible.difference_update(defined)

    def define(self, node: Node, defined: list[Value]) -> None:
        for i, value in enumerate(node.outputs):
            if value.node is not node or value.index != i:
                self.fail(node, f"output {i} does not know its node or number")
            if value in self.uses:
                self.fail(node, f"{value!r} is defined twice")
            self.uses[value] = set()
            self.visible.add(value)
            defined.append(value)

    def read(self, node: Node) -> None:
        for i, value in enumerate(node.inputs):
            if value not in self.visible:
                what = (
                    "before it is defined or outside its block"
                    if value in self.everything
                    else "but is not in the graph"
                )
                self.fail(node, f"input {i}, {value!r}, is used {what}")
            self.uses[value].add((node, i))

    # -- nodes --------------------------------------------------------------------------------------
    def check(self, node: Node) -> None:
        rule = _RULES.get(node.kind)
        if rule is not None:
            problem = rule(node)
        elif node.schema is None:
            problem = "it has no schema and is no structural node"
        else:
            problem = _conforms(node)
        if problem:
            self.fail(node, problem)
        if node.blocks and node.kind not in ("prim::If", "prim::Loop"):
            self.fail(node, "it has blocks")


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for node in block:
        for inner in node.blocks:
            yield from _blocks(inner)


def _place(node: Node, graph: Graph) -> str:
    """Where a node is: its number in its block, and the blocks around it."""
    parts: list[str] = []
    while node.block is not None:
        number = next((i for i, n in enumerate(node.block) if n is node), None)
        parts.append("" if number is None else f"node {number} of ")
        owner = node.block.owner
        if owner is None:
            parts.append(f"graph '{graph.name}'")
            break
        inside = next((i for i, b in enumerate(owner.blocks) if b is node.block), "?")
        parts.append(f"block{inside} of {owner.kind}, ")
        node = owner
    return "at " + "".join(parts)


def _conforms(node: Node) -> str | None:
    """What is wrong with an operator call, by its schema."""
    schema = node.schema
    assert schema is not None
    if node.kind != schema.name:
        return f"its schema is {schema.full_name}"
    bound, problem = match_arguments(schema, [v.type for v in node.inputs])
    if problem:
        return problem
    if schema.varret:
        return None
    if len(node.outputs) != len(schema.returns):
        return f"it has {len(node.outputs)} outputs, its schema {len(schema.returns)}"
    for formal, value in zip(schema.returns, node.outputs, strict=True):
        declared = types.substitute(formal.type, bound)
        if declared is not None and not agrees(value.type, declared):
            return f"output {value.index} is of type {value.type}, its schema says {declared}"
    return None


def agrees(actual: Type, declared: Type) -> bool:
    """Whether `actual` is `declared` or a refinement of it; tensors contradict only in what both know."""
    if isinstance(actual, types.TensorType) and isinstance(declared, types.TensorType):
        return not _contradict(actual, declared)
    return types.is_subtype(_erased(actual), _erased(declared))


def _contradict(a: types.TensorType, b: types.TensorType) -> bool:
    if a.dtype is not None and b.dtype is not None and a.dtype != b.dtype:
        return True
    if a.sizes is None or b.sizes is None:
        return False
    return len(a.sizes) != len(b.sizes) or any(
        isinstance(x, int) and isinstance(y, int) and x != y for x, y in zip(a.sizes, b.sizes, strict=True)
    )


def _erased(t: Type) -> Type:
    return types.map_type(t, lambda x: types.TENSOR if isinstance(x, types.TensorType) else x)


def _misfit(values: Iterable[Value], wanted: Iterable[Type], what: str) -> str | None:
    for i, (value, t) in enumerate(zip(values, wanted, strict=True)):
        if not agrees(value.type, t):
            return f"{what} {i} is of type {value.type}, not {t}"
    return None


# -- rules for structural nodes: what is wrong, or None ---------------------------------------------
def _shaped(inputs: int | None, outputs: int | None, *attributes: str) -> Callable[[Node], str | None]:
    """A rule on the numbers of inputs and outputs, and the attributes that must be there."""

    def rule(node: Node) -> str | None:
        if inputs is not None and len(node.inputs) != inputs:
            return f"it has {len(node.inputs)} inputs, not {inputs}"
        if outputs is not None and len(node.outputs) != outputs:
            return f"it has {len(node.outputs)} outputs, not {outputs}"
        missing = [a for a in attributes if a not in node.attributes]
        return f"it has no attribute '{missing[0]}'" if missing else None

    return rule


def _all(*rules: Callable[[Node], str | None]) -> Callable[[Node], str | None]:
    """The first complaint of several rules."""

    def rule(node: Node) -> str | None:
        for r in rules:
            problem = r(node)
            if problem:
                return problem
        return None

    return rule


def _if(node: Node) -> str | None:
    if node.inputs[0].type != types.BOOL:
        return f"the condition is of type {node.inputs[0].type}, not bool"
    if len(node.blocks) != 2:
        return f"it has {len(node.blocks)} blocks, not two"
    for i, block in enumerate(node.blocks):
        if block.inputs:
            return f"block{i} has inputs"
        if len(block.outputs) != len(node.outputs):
            return f"block{i} has {len(block.outputs)} outputs, the node {len(node.outputs)}"
        problem = _misfit(block.outputs, [v.type for v in node.outputs], f"block{i}: output")
        if problem:
            return problem
    return None


def _loop(node: Node) -> str | None:
    if len(node.inputs) < 2 or node.inputs[0].type != types.INT or node.inputs[1].type != types.BOOL:
        return "its first inputs must be an int (how often at most) and a bool (whether to begin)"
    if len(node.blocks) != 1:
        return f"it has {len(node.blocks)} blocks, not one"
    block, carried = node.blocks[0], len(node.inputs) - 2
    if len(node.outputs) != carried or len(block.inputs) != carried + 1 or len(block.outputs) != carried + 1:
        return (
            f"it carries {carried} values: it needs as many outputs (has {len(node.outputs)}) and one more block input "
            f"(has {len(block.inputs)}) and block output (has {len(block.outputs)})"
        )
    if block.inputs[0].type != types.INT or block.outputs[0].type != types.BOOL:
        return "its block must begin with an int (the index) and end with a bool (whether to go on) first"
    inner = [v.type for v in block.inputs[1:]]
    return (
        _misfit(node.inputs[2:], inner, "carried value")
        or _misfit(block.outputs[1:], inner, "carried value after an iteration:")
        or _misfit(block.outputs[1:], [v.type for v in node.outputs], "result")
        or _misfit(node.inputs[2:], [v.type for v in node.outputs], "carried value without an iteration:")
    )


def _list_construct(node: Node) -> str | None:
    t = node.outputs[0].type
    if not isinstance(t, types.ListType):
        return f"its output is of type {t}, not a list"
    return _misfit(node.inputs, [t.element] * len(node.inputs), "element")


def _tuple_construct(node: Node) -> str | None:
    t = node.outputs[0].type
    if not isinstance(t, types.TupleType) or len(t.elements) != len(node.inputs):
        return f"its output is of type {t}, not a tuple of {len(node.inputs)}"
    return _misfit(node.inputs, t.elements, "element")


def _dict_construct(node: Node) -> str | None:
    t = node.outputs[0].type
    if not isinstance(t, types.DictType) or len(node.inputs) % 2:
        return f"its output is of type {t} and it has {len(node.inputs)} inputs; it needs keys and values, and a dict"
    return _misfit(node.inputs, [t.key, t.value] * (len(node.inputs) // 2), "key or value")


def _list_unpack(node: Node) -> str | None:
    t = node.inputs[0].type
    if not isinstance(t, types.ListType):
        return f"it unpacks a {t}, not a list"
    return _misfit(node.outputs, [t.element] * len(node.outputs), "element")


def _tuple_unpack(node: Node) -> str | None:
    t = node.inputs[0].type
    if not isinstance(t, types.TupleType) or len(t.elements) != len(node.outputs):
        return f"it unpacks a {t} into {len(node.outputs)} values"
    return _misfit(node.outputs, t.elements, "element")


def _tuple_index(node: Node) -> str | None:
    t, index = node.inputs[0].type, node.inputs[1]
    if not isinstance(t, types.TupleType) or index.type != types.INT:
        return f"it indexes a {t} with a {index.type}, not a tuple with an int"
    if not index.is_constant:
        return None
    if not -len(t.elements) <= index.constant < len(t.elements):
        return f"index {index.constant} is out of range of {t}"
    return _misfit(node.outputs, [t.elements[index.constant]], "output")


def _get_attr(node: Node) -> str | None:
    t, name = node.inputs[0].type, node.attributes["name"]
    if not isinstance(t, types.ClassType):
        return f"it reads an attribute of a {t}, not of an object"
    if t.is_torchbind or name in t.constants:
        return None
    if name not in t.attributes:
        return f"{t} has no attribute '{name}'"
    return _misfit(node.outputs, [t.attributes[name]], "output")


def _set_attr(node: Node) -> str | None:
    t, name = node.inputs[0].type, node.attributes["name"]
    if not isinstance(t, types.ClassType) or name not in t.attributes:
        return f"{t} has no attribute '{name}'"
    return _misfit(node.inputs[1:], [t.attributes[name]], "value")


def _create_object(node: Node) -> str | None:
    t = node.outputs[0].type
    return None if isinstance(t, types.ClassType) else f"it creates a {t}, not an object"


def _arguments(node: Node, function: Function, given: list[Value]) -> str | None:
    wanted = function.signature().parameters
    if len(given) != len(wanted):
        return f"{function.name} takes {len(wanted)} arguments, got {len(given)}"
    return _misfit(given, [p.type for p in wanted], "argument")


def _call_function(node: Node) -> str | None:
    if not node.inputs or not isinstance(node.inputs[0].type, types.FunctionType):
        return "its first input is not a function"
    return _arguments(node, node.inputs[0].type.function, node.inputs[1:])


def _call_method(node: Node) -> str | None:
    if not node.inputs:
        return "it has no object"
    t, name = node.inputs[0].type, node.attributes["name"]
    if not isinstance(t, (types.ClassType, types.InterfaceType)):
        return f"it calls a method of a {t}, not of an object"
    if isinstance(t, types.ClassType) and t.is_torchbind:
        return None
    if name not in t.methods:
        return f"{t} has no method '{name}'"
    method = t.methods[name]
    return _arguments(node, method, node.inputs) if isinstance(method, Function) else None


def _isinstance(node: Node) -> str | None:
    kinds = node.attributes["types"]
    if not isinstance(kinds, list) or not all(isinstance(t, Type) for t in kinds):
        return "its attribute 'types' is not a list of types"
    return None if node.outputs[0].type == types.BOOL else f"its output is of type {node.outputs[0].type}, not bool"


def _raise(node: Node) -> str | None:
    return _misfit(node.inputs, (types.STRING, types.OptionalType(types.STRING)), "input")


def _fork(node: Node) -> str | None:
    if not isinstance(node.outputs[0].type, types.FutureType):
        return f"its output is of type {node.outputs[0].type}, not a Future"
    return _arguments(node, node.attributes["function"], node.inputs)


def _constant(node: Node) -> str | None:
    value, t = node.attributes["value"], node.outputs[0].type
    return None if holds(value, t) else f"its value, a {type(value).__name__}, is not a {t}"


def holds(value: Any, t: Type) -> bool:
    """Whether a Python value can be a constant of type `t`. Objects and tensors are not looked into."""
    simple: dict[Type, tuple[type, ...]] = {
        types.INT: (int,), types.FLOAT: (float,), types.BOOL: (bool,), types.STRING: (str,), types.COMPLEX: (complex,),
        types.NUMBER: (int, float, complex), types.NONE: (type(None),), types.DEVICE: (Device,),
    }  # fmt: skip
    kinds = simple.get(t)
    if kinds is not None:
        return isinstance(value, kinds) and (t == types.BOOL or not isinstance(value, bool))
    if isinstance(t, (types.OptionalType, types.UnionType)):
        return any(holds(value, m) for m in types.members_of(t))
    if isinstance(t, types.ListType):
        return isinstance(value, list) and all(holds(v, t.element) for v in value)
    if isinstance(t, types.TupleType):
        return isinstance(value, tuple) and len(value) == len(t.elements) and all(map(holds, value, t.elements))
    if isinstance(t, types.DictType):
        return isinstance(value, dict) and all(holds(k, t.key) and holds(v, t.value) for k, v in value.items())
    if isinstance(t, types.TensorType):
        return not isinstance(value, (bool, int, float, complex, str, list, tuple, dict, type(None)))
    return t == types.ANY or value is not None


_RULES: dict[str, Callable[[Node], str | None]] = {
    "prim::Constant": _all(_shaped(0, 1, "value"), _constant),
    "prim::If": _all(_shaped(1, None), _if),
    "prim::Loop": _loop,
    "prim::ListConstruct": _all(_shaped(None, 1), _list_construct),
    "prim::TupleConstruct": _all(_shaped(None, 1), _tuple_construct),
    "prim::DictConstruct": _all(_shaped(None, 1), _dict_construct),
    "prim::ListUnpack": _all(_shaped(1, None), _list_unpack),
    "prim::TupleUnpack": _all(_shaped(1, None), _tuple_unpack),
    "prim::TupleIndex": _all(_shaped(2, 1), _tuple_index),
    "prim::TupleSlice": _shaped(1, 1, "beg", "end"),
    "prim::GetAttr": _all(_shaped(1, 1, "name"), _get_attr),
    "prim::SetAttr": _all(_shaped(2, 0, "name"), _set_attr),
    "prim::CreateObject": _all(_shaped(0, 1), _create_object),
    "prim::CallFunction": _all(_shaped(None, 1), _call_function),
    "prim::CallMethod": _all(_shaped(None, 1, "name"), _call_method),
    "prim::isinstance": _all(_shaped(1, 1, "types"), _isinstance),
    "prim::unchecked_cast": _shaped(1, 1),
    "prim::unchecked_unwrap_optional": _shaped(1, 1),
    "prim::Uninitialized": _shaped(0, 1),
    "prim::RaiseException": _all(_shaped(2, 0), _raise),
    "prim::fork": _all(_shaped(None, 1, "function"), _fork),
    "prim::Enter": _shaped(1, 1),
    "prim::Exit": _shaped(1, 0),
    "prim::tolist": _shaped(1, 1),
    "prim::ModuleContainerIndex": _shaped(2, 1),
}
