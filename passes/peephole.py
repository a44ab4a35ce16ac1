"""Small local rewrites: what a node and the nodes that make its inputs already tell.

A rule takes a node and gives the value that its output always equals (or None); it may insert nodes before it. Rules
are exact: they change no result in any bit. Those that look into lists need that nothing writes to the list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.graph import Block, Builder, Graph, Node, Value
from linstock.passes import effects
from linstock.passes.alias import AliasAnalysis
from linstock.passes.constant_propagation import never_runs, skip_loop, take_branch


@dataclass(frozen=True)
class Peephole:
    """Applies the rules to every node once, in order (what one rule makes, rules for later nodes see)."""

    name = "peephole"

    def run(self, graph: Graph) -> bool:
        """Rewrite. Returns whether a rule applied."""
        return _Rewriter(graph).block(graph.block)


class _Rewriter:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._alias: AliasAnalysis | None = None

    @property
    def alias(self) -> AliasAnalysis:
        """The analysis of the graph as it was at first need: rewrites only replace values by ones that share at least
        their memory.
        """
        if self._alias is None:
            self._alias = AliasAnalysis(self.graph)
        return self._alias

    def block(self, block: Block) -> bool:
        changed = False
        for node in block:
            for inner in node.blocks:
                changed |= self.block(inner)
            if node.kind == "prim::If":
                changed |= self.conditional(node)
            elif node.kind == "prim::Loop":
                changed |= self.loop(node)
            else:
                changed |= self.node(node)
        return changed

    def node(self, node: Node) -> bool:
        for rule in _RULES.get(node.full_name, ()) or _RULES.get(node.kind, ()):
            value = rule(self, node)
            if value is not None:
                node.outputs[0].replace_all_uses_with(value)
                node.destroy()
                return True
        return self.unpack(node) if node.kind == "prim::ListUnpack" else False

    def unpack(self, node: Node) -> bool:
        """a, b = [x, y]  =>  a = x; b = y"""
        items = self.items(node.inputs[0])
        if items is None or len(items) != len(node.outputs):
            return False
        for out, value in zip(node.outputs, items, strict=True):
            out.replace_all_uses_with(value)
        node.destroy()
        return True

    def conditional(self, node: Node) -> bool:
        """A constant condition takes its branch; a result that is the same in both branches needs no branch."""
        if node.inputs[0].is_constant:
            take_branch(node, 0 if node.inputs[0].constant else 1)
            return True
        changed = False
        for i in reversed(range(len(node.outputs))):
            a, b = (block.outputs[i] for block in node.blocks)
            if a is not b or a.node.is_inside(node.blocks[0]) or a.node.is_inside(node.blocks[1]):
                continue
            node.outputs[i].replace_all_uses_with(a)
            for block in node.blocks:
                block.remove_output(i)
            node.remove_output(i)
            changed = True
        return changed

    def loop(self, node: Node) -> bool:
        """A loop that never runs is its initial values; a value that no iteration changes need not be carried."""
        if never_runs(node):
            skip_loop(node)
            return True
        body = node.blocks[0]
        changed = False
        for i in reversed(range(len(node.outputs))):
            inner = body.inputs[i + 1]
            if body.outputs[i + 1] is not inner and body.outputs[i + 1] is not node.inputs[i + 2]:
                continue
            start = node.inputs[i + 2]
            inner.replace_all_uses_with(start)
            node.outputs[i].replace_all_uses_with(start)
            body.remove_output(i + 1)
            body.remove_input(i + 1)
            node.remove_input(i + 2)
            node.remove_output(i)
            changed = True
        return changed

    def items(self, value: Value) -> list[Value] | None:
        """The elements of a list that is constructed here and never written to."""
        if value.node.kind != "prim::ListConstruct" or self.alias.has_own_writers(value):
            return None
        return value.node.inputs

    def constant(self, node: Node, value: Any) -> Value:
        return Builder(node, node.span).constant(value, node.outputs[0].type if value is not None else None)


Rule = Callable[[_Rewriter, Node], Value | None]


# -- predicates -------------------------------------------------------------------------------------
def _is(value: Value, constant: Any) -> bool:
    """Whether this is the constant, of the same type (1 is not True)."""
    return value.is_constant and type(value.constant) is type(constant) and value.constant == constant


def _can_be_none(t: T.Type) -> bool:
    return t == T.NONE or t == T.ANY or t.is_optional() or isinstance(t, T.VarType)


def _made_by(value: Value, *kinds: str) -> Node | None:
    return value.node if value.node.kind in kinds else None


# -- None and casts ---------------------------------------------------------------------------------
def _none_check(equal: bool) -> Rule:
    def rule(r: _Rewriter, node: Node) -> Value | None:
        """x is None, by the type of x"""
        a, b = node.inputs
        if b.type != T.NONE:
            a, b = b, a
        if b.type != T.NONE:
            return None
        if a.type == T.NONE or (a.is_constant and a.constant is None):
            return r.constant(node, equal)
        return None if _can_be_none(a.type) else r.constant(node, not equal)

    return rule


def _cast(r: _Rewriter, node: Node) -> Value | None:
    """unchecked_cast(x)  =>  x, if x has the type (or a narrower one) already"""
    value = node.inputs[0]
    return value if T.is_subtype(value.type, node.outputs[0].type) else None


def _unwrap(r: _Rewriter, node: Node) -> Value | None:
    """unwrap_optional(x)  =>  x, if x cannot be None"""
    return None if _can_be_none(node.inputs[0].type) else node.inputs[0]


def _isinstance(r: _Rewriter, node: Node) -> Value | None:
    """isinstance(x, types), by the type of x"""
    t, wanted = node.inputs[0].type, node.attributes["types"]
    if all(any(T.is_subtype(m, w) for w in wanted) for m in T.members_of(t)):
        return r.constant(node, True)
    known = (T.SimpleType, T.TensorType, T.ListType, T.DictType)
    if t in (T.ANY, T.NUMBER) or not all(
        type(m) in known and m not in (T.ANY, T.NUMBER) for m in (*T.members_of(t), *wanted)
    ):
        return None
    apart = all(
        type(m) is not type(w) or (isinstance(m, T.SimpleType) and m != w) for m in T.members_of(t) for w in wanted
    )
    return r.constant(node, False) if apart else None


# -- numbers ----------------------------------------------------------------------------------------
def _neutral(constant: Any, *sides: int) -> Rule:
    """x op constant  =>  x, for the argument positions where the constant is neutral (exact numbers only)"""

    def rule(r: _Rewriter, node: Node) -> Value | None:
        for side in sides:
            if _is(node.inputs[side], constant):
                return node.inputs[1 - side]
        return None

    return rule


def _same_type(r: _Rewriter, node: Node) -> Value | None:
    """int(x)  =>  x, if x is an int already; likewise float and complex"""
    return node.inputs[0] if node.inputs[0].type == node.outputs[0].type else None


def _number_of_tensor(r: _Rewriter, node: Node) -> Value | None:
    """int(tensor(x))  =>  x, for a number that was made a tensor only for this"""
    made = _made_by(node.inputs[0], "prim::NumToTensor")
    if made is None or r.alias.has_writers(node.inputs[0]):
        return None
    number = made.inputs[0]
    return number if number.type == node.outputs[0].type or node.outputs[0].type == T.NUMBER else None


def _twice(r: _Rewriter, node: Node) -> Value | None:
    """not not x  =>  x;  -(-x)  =>  x"""
    inner = node.inputs[0].node
    return inner.inputs[0] if inner.full_name == node.full_name else None


def _derive_index(r: _Rewriter, node: Node) -> Value | None:
    """0 + i * 1  =>  i"""
    index, start, step = node.inputs
    return index if _is(start, 0) and _is(step, 1) else None


# -- lists ------------------------------------------------------------------------------------------
def _len(r: _Rewriter, node: Node) -> Value | None:
    """len([a, b])  =>  2"""
    items = r.items(node.inputs[0])
    return None if items is None else r.constant(node, len(items))


def _list_item(r: _Rewriter, node: Node) -> Value | None:
    """[a, b][1]  =>  b"""
    items, index = r.items(node.inputs[0]), node.inputs[1]
    at: int | None = index.constant if index.is_constant else None
    return items[at] if items is not None and at is not None and -len(items) <= at < len(items) else None


def _list_slice(r: _Rewriter, node: Node) -> Value | None:
    """[a, b, c][1:]  =>  [b, c]"""
    items = r.items(node.inputs[0])
    if items is None or not all(v.is_constant for v in node.inputs[1:]) or r.alias.has_own_writers(node.outputs[0]):
        return None
    start, end, step = (v.constant for v in node.inputs[1:])
    if step <= 0:
        return None
    return Builder(node, node.span).value("prim::ListConstruct", items[start:end:step], node.outputs[0].type)


def _list_join(r: _Rewriter, node: Node) -> Value | None:
    """[a] + [b]  =>  [a, b]"""
    a, b = map(r.items, node.inputs)
    if a is None or b is None or r.alias.has_own_writers(node.outputs[0]):
        return None
    return Builder(node, node.span).value("prim::ListConstruct", [*a, *b], node.outputs[0].type)


# -- tensors ----------------------------------------------------------------------------------------
def _rank(r: _Rewriter, node: Node) -> Value | None:
    """x.dim(), if the rank is known"""
    t = node.inputs[0].type
    return (
        r.constant(node, t.rank)
        if isinstance(t, T.TensorType) and t.rank is not None and _steady(r, node.inputs[0])
        else None
    )


def _size(r: _Rewriter, node: Node) -> Value | None:
    """x.size(i), if it is known"""
    t, dim = node.inputs[0].type, node.inputs[1]
    if not isinstance(t, T.TensorType) or t.sizes is None or not dim.is_constant or not _steady(r, node.inputs[0]):
        return None
    if not -len(t.sizes) <= dim.constant < len(t.sizes):
        return None
    size = t.sizes[dim.constant]
    return r.constant(node, size) if isinstance(size, int) else None


def _steady(r: _Rewriter, value: Value) -> bool:
    """Whether nothing changes the tensor's shape in place."""
    return not any(w.kind in effects.RESHAPING for w in r.alias.writers(value))


def _property(read: Callable[[T.TensorType], Any]) -> Rule:
    def rule(r: _Rewriter, node: Node) -> Value | None:
        """x.dtype, x.device…, if it is known"""
        t = node.inputs[0].type
        found = read(t) if isinstance(t, T.TensorType) else None
        return None if found is None else r.constant(node, found)

    return rule


def _if_device(check: Callable[[str], bool]) -> Rule:
    return _property(lambda t: None if t.device is None else check(t.device))


def _transposed(r: _Rewriter, node: Node) -> Value | None:
    """x.t().t()  =>  x;  x.transpose(a, b).transpose(a, b)  =>  x"""
    inner = node.inputs[0].node
    if inner.full_name != node.full_name or not _steady(r, node.outputs[0]):
        return None
    if node.kind != "aten::t" and not (
        all(v.is_constant for v in (*node.inputs[1:], *inner.inputs[1:])) and _same_axes(node, inner)
    ):
        return None
    return inner.inputs[0]


def _same_axes(a: Node, b: Node) -> bool:
    x, y = (sorted(v.constant for v in n.inputs[1:]) for n in (a, b))
    return x == y


def _to_dtype(r: _Rewriter, node: Node) -> Value | None:
    """x.to(dtype)  =>  x, if x has the dtype, no copy is asked for and no memory format"""
    value, dtype, _, copy, layout = node.inputs
    t = value.type
    if not isinstance(t, T.TensorType) or t.dtype is None or not dtype.is_constant or dtype.constant != t.dtype:
        return None
    return value if effects.is_false(copy) and layout.type == T.NONE else None


def _no_dropout(r: _Rewriter, node: Node) -> Value | None:
    """dropout(x, p, train=False)  =>  x"""
    return node.inputs[0] if effects.is_false(node.inputs[2]) else None


_INT_RULES: dict[str, list[Rule]] = {
    "aten::add.int": [_neutral(0, 0, 1)],
    "aten::sub.int": [_neutral(0, 1)],
    "aten::mul.int": [_neutral(1, 0, 1)],
    "aten::floordiv.int": [_neutral(1, 1)],
    "aten::__or__.int": [_neutral(0, 0, 1)],
    "aten::__xor__.int": [_neutral(0, 0, 1)],
    "aten::mul.float": [_neutral(1.0, 0, 1)],
    "aten::div.float": [_neutral(1.0, 1)],
    "aten::__and__.bool": [_neutral(True, 0, 1)],
    "aten::__or__.bool": [_neutral(False, 0, 1)],
    "aten::__not__": [_twice],
    "aten::neg.float": [_twice],
    "aten::__derive_index": [_derive_index],
}
_RULES: dict[str, list[Rule]] = {
    **_INT_RULES,
    "aten::__is__": [_none_check(True)],
    "aten::__isnot__": [_none_check(False)],
    "prim::unchecked_cast": [_cast],
    "prim::unchecked_unwrap_optional": [_unwrap],
    "aten::_unwrap_optional": [_unwrap],
    "prim::isinstance": [_isinstance],
    "aten::Int.Scalar": [_same_type],
    "aten::Float.Scalar": [_same_type],
    "aten::Complex.Scalar": [_same_type],
    "aten::Int.Tensor": [_number_of_tensor],
    "aten::Float.Tensor": [_number_of_tensor],
    "aten::IntImplicit": [_number_of_tensor],
    "aten::FloatImplicit": [_number_of_tensor],
    "aten::ScalarImplicit": [_number_of_tensor],
    "aten::item": [_number_of_tensor],
    "aten::len.t": [_len],
    "aten::__getitem__.t": [_list_item],
    "aten::slice.t": [_list_slice],
    "aten::add.t": [_list_join],
    "aten::dim": [_rank],
    "aten::size.int": [_size],
    "prim::dtype": [_property(lambda t: t.dtype)],
    "prim::device": [_property(lambda t: None if t.device is None else Device(t.device))],
    "prim::is_cuda": [_if_device(lambda d: d.startswith("cuda"))],
    "prim::is_cpu": [_if_device(lambda d: d == "cpu")],
    "aten::t": [_transposed],
    "aten::transpose.int": [_transposed],
    "aten::to.dtype": [_to_dtype],
    "aten::dropout": [_no_dropout],
    "aten::feature_dropout": [_no_dropout],
    "aten::alpha_dropout": [_no_dropout],
    "aten::feature_alpha_dropout": [_no_dropout],
}
