"""Indexing: `a[i]`, `a[1:n, ..., None, mask]`, and assignments to them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span
from linstock.tracer import matching
from linstock.tracer.values import MethodRef, SimpleValue, Sugared, TupleOf

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter


def subscript(e: ExpressionEmitter, node: ast.Subscript, hint: T.Type | None = None) -> Sugared:
    """The value of `base[index]`; a container of modules indexed at run time gives `hint`, an interface."""
    span = e.span_of(node)
    base = e.expression(node.value)
    if isinstance(node.slice, ast.Slice):
        return _sliced(e, span, base, node.slice)
    if isinstance(base, SimpleValue) and isinstance(base.it.type, T.TensorType):
        return SimpleValue(_index(e, span, base.it, _items(e, node.slice)))
    if isinstance(base, SimpleValue) and isinstance(base.it.type, T.ClassType) and base.it.type.is_module:
        live = base.it.type.live
        if live is not None and (live.is_list or live.is_dict):
            member = live.item(e, span, base.it, base.it.type, e.value(node.slice))
            if member is not None:
                return member  # type: ignore[no-any-return]
        if "__getitem__" not in base.it.type.methods and isinstance(hint, T.InterfaceType):
            key = e.value(node.slice)
            return SimpleValue(e.at(span).value("prim::ModuleContainerIndex", (base.it, key), hint))
    if isinstance(base, SimpleValue):
        return SimpleValue(element(e, span, base.it, e.value(node.slice)))
    return base.getitem(e, span, e.value(node.slice))


def element(e: ExpressionEmitter, span: Span, base: Value, index: Value) -> Value:
    """One element of a value: of a tuple, list, dictionary, string, tensor or object."""
    t = base.type
    if isinstance(t, T.TupleType):
        return tuple_element(e, span, base, index)
    if isinstance(t, T.TensorType):
        if index.type == T.INT:
            return e.call_operator(span, "aten::select", [base, e.builder.constant(0), index], {})
        return _index(e, span, base, [index])
    if isinstance(t, T.ClassType):
        if t.live is not None and (t.live.is_list or t.live.is_dict):
            raise CompileError(
                "a container of modules is indexed with a constant. To choose one when the program runs, declare what it gives as an "
                "interface, as in `step: StepInterface = self.steps[i]`",
                span,
            )
        return MethodRef(base, _method(t, "__getitem__", span)).call(e, span, [SimpleValue(index)], {}).value(e, span)
    if isinstance(t, (T.ListType, T.DictType)) or t == T.STRING:
        return e.call_operator(span, "aten::__getitem__", [base, index], {})
    hint = " If it may be None, check it first." if t.is_optional() else ""
    raise CompileError(f"'{t.annotation()}' object is not subscriptable.{hint}", span)


def _method(t: T.ClassType, name: str, span: Span) -> str:
    if name not in t.methods:
        raise CompileError(f"'{t.name.rpartition('.')[2]}' object has no method '{name}'", span)
    return name


def tuple_element(e: ExpressionEmitter, span: Span, base: Value, index: Value) -> Value:
    """An element of a tuple: the index must be constant unless all elements have one type."""
    t = base.type
    assert isinstance(t, T.TupleType)
    if index.is_constant and isinstance(index.constant, int):
        n = len(t.elements)
        if not -n <= index.constant < n:
            raise CompileError(f"tuple index {index.constant} is out of range for a tuple of {n}", span)
        return e.at(span).value("prim::TupleIndex", (base, index), t.elements[index.constant])
    if index.type != T.INT:
        raise CompileError(f"a tuple is indexed with an int, not with {index.type.annotation()}", span)
    joined: T.Type | None = t.elements[0] if t.elements else None
    for other in t.elements[1:]:
        joined = None if joined is None or joined != other else joined
    if joined is None:
        raise CompileError("the elements of this tuple have different types: its index must be a constant", span)
    return e.at(span).value("prim::TupleIndex", (base, index), joined)


def _optional(e: ExpressionEmitter, node: ast.expr | None) -> Value:
    return e.builder.constant(None) if node is None else e.value(node)


def _sliced(e: ExpressionEmitter, span: Span, base: Sugared, s: ast.Slice) -> Sugared:
    is_tuple = not isinstance(base, SimpleValue) or isinstance(base.it.type, (T.TupleType, T.ClassType))
    items = base.elements(e, span) if is_tuple else None
    start, stop, step = _optional(e, s.lower), _optional(e, s.upper), _optional(e, s.step)
    if items is not None:
        bounds = []
        for bound in (start, stop, step):
            if not bound.is_constant:
                raise CompileError("a tuple or container of modules is sliced with constants", span)
            bounds.append(bound.constant)
        chosen = items[slice(*bounds)]
        if isinstance(base, SimpleValue) and isinstance(base.it.type, T.TupleType):
            if bounds[2] in (None, 1):
                beg, end, _ = slice(*bounds).indices(len(items))
                out = T.TupleType(tuple(i.value(e, span).type for i in chosen))
                return SimpleValue(e.at(span).value("prim::TupleSlice", (base.it,), out, beg=beg, end=max(beg, end)))
            return SimpleValue(TupleOf(tuple(chosen)).value(e, span))
        return base.sliced(chosen) if hasattr(base, "sliced") else TupleOf(tuple(chosen))
    value = base.value(e, span)
    if isinstance(value.type, T.ClassType):
        raise CompileError(f"'{value.type.name.rpartition('.')[2]}' object cannot be sliced", span)
    one = e.builder.constant(1) if s.step is None else step
    if isinstance(value.type, T.TensorType):
        return SimpleValue(e.call_operator(span, "aten::slice", [value, e.builder.constant(0), start, stop, one], {}))
    return SimpleValue(e.call_operator(span, "aten::slice", [value, start, stop, one], {}))


@dataclass(frozen=True)
class _Slice:
    """A slice with its bounds compiled; `whole` is a bare `:`."""

    start: Value
    stop: Value
    step: Value
    whole: bool


_Item = Any  # a Value, a _Slice, or Ellipsis


def _items(e: ExpressionEmitter, index: ast.expr) -> list[_Item]:
    """The parts of an index, evaluated in order."""
    items: list[_Item] = []
    for part in list(index.elts) if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Slice):
            bounds = [_optional(e, part.lower), _optional(e, part.upper)]
            step = e.builder.constant(1) if part.step is None else e.value(part.step)
            items.append(_Slice(*bounds, step, part.lower is None and part.upper is None and part.step is None))  # type: ignore[arg-type, call-arg]
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            items.append(Ellipsis)
        else:
            value = e.value(part)
            if isinstance(value.type, T.TupleType) and not isinstance(index, ast.Tuple):
                items += e.unpack_tuple(value)
            else:
                items.append(value)
    if sum(item is Ellipsis for item in items) > 1:
        raise e.error(index, "an index can only have one '...'")
    return items


class _View:
    """Applies an index to a tensor step by step: `value` is the view so far, `gathers` what indexes its dimensions.

    What stands before '...' counts dimensions from the front, what stands behind it from the end.
    """

    def __init__(self, e: ExpressionEmitter, span: Span, base: Value) -> None:
        self.e, self.span, self.base, self.value = e, span, base, base
        self.front: list[Value | None] = []
        self.back: list[Value | None] = []

    def apply(self, items: list[_Item]) -> None:
        place = next((i for i, item in enumerate(items) if item is Ellipsis), None)
        if place is None:
            for item in items:
                self._step(item, False)
            return
        for item in items[:place]:
            self._step(item, False)
        for item in reversed(items[place + 1 :]):
            self._step(item, True)

    def _step(self, item: _Item, from_end: bool) -> None:
        e, span = self.e, self.span
        dim = e.builder.constant(-len(self.back) - 1 if from_end else len(self.front))
        if isinstance(item, _Slice):
            if not item.whole:
                self._view("aten::slice", dim, item.start, item.stop, item.step)
            self._gather(None, from_end)
        elif item.type == T.NONE:
            self._view("aten::unsqueeze", dim)
            self._gather(None, from_end)
        elif item.type == T.INT:
            self._view("aten::select", dim, item)
        elif isinstance(T.without_none(item.type), T.TensorType):
            self._gather(item, from_end)
        elif isinstance(item.type, (T.ListType, T.TupleType)):
            kind = item.type.elements[0] if isinstance(item.type, T.TupleType) else item.type.element
            listed = matching.convert(e, item, T.ListType(kind), False)
            self._gather(matching.emit_builtin(e, span, "aten::tensor", [listed], {}), from_end)
        else:
            raise CompileError(
                f"a tensor cannot be indexed with a value of type '{item.type.annotation()}': use an int, a slice, None or a tensor",
                span,
            )

    def _view(self, operator: str, *arguments: Value) -> None:
        self.value = self.e.call_operator(self.span, operator, [self.value, *arguments], {})

    def _gather(self, index: Value | None, from_end: bool) -> None:
        if from_end:
            self.back.insert(0, index)
        else:
            self.front.append(index)

    @property
    def gathers(self) -> bool:
        """Whether tensors index any dimension."""
        return any(g is not None for g in (*self.front, *self.back))

    def indices(self) -> Value:
        """The list of index tensors, None for a dimension that none indexes."""
        e, t = self.e, T.optional(T.TENSOR)
        nothing = e.builder.constant(None, t)
        behind = any(g is not None for g in self.back)
        front = list(self.front)
        while front and front[-1] is None and not behind:
            front.pop()
        made = e.list_of([nothing if g is None else g for g in front], t)
        if not behind:
            return made
        back = list(self.back)
        while back[-1] is None:
            back.pop()
        rank = e.call_operator(self.span, "aten::dim", [self.value], {})
        left = e.call_operator(self.span, "aten::sub", [rank, e.builder.constant(len(self.front) + len(self.back))], {})
        between = e.call_operator(self.span, "aten::mul", [e.list_of([nothing], t), left], {})
        behind_list = e.list_of([nothing if g is None else g for g in back], t)
        for part in (between, behind_list):
            made = e.call_operator(self.span, "aten::add", [made, part], {}) if front or part is not between else part
        return made


def _index(e: ExpressionEmitter, span: Span, base: Value, items: list[_Item]) -> Value:
    """PyTorch's indexing: ints select, slices slice, None inserts, tensors gather; '...' skips."""
    view = _View(e, span, base)
    view.apply(items)
    if view.gathers:
        return e.call_operator(span, "aten::index", [view.value, view.indices()], {})
    if view.value is base:
        if any(isinstance(i, _Slice) for i in items):
            bounds = [e.builder.constant(v) for v in (0, None, None, 1)]
            return e.call_operator(span, "aten::slice", [base, *bounds], {})
        return e.call_operator(span, "aten::alias", [base], {})
    return view.value


def assign(e: ExpressionEmitter, target: ast.Subscript, value: Value, span: Span) -> None:
    """`base[index] = value`, in place."""
    base_sugared = e.expression(target.value)
    base = base_sugared.value(e, span)
    t = base.type
    if isinstance(t, T.TensorType):
        _assign_tensor(e, span, base, target.slice, value)
        return
    if isinstance(target.slice, ast.Slice):
        raise CompileError("assignment to a slice is only possible on tensors", span)
    index = e.value(target.slice)
    if isinstance(t, T.ClassType):
        base_sugared.attr(e, span, "__setitem__").call(e, span, [SimpleValue(index), SimpleValue(value)], {})
        return
    if not isinstance(t, (T.ListType, T.DictType)):
        raise CompileError(f"'{t.annotation()}' object does not support item assignment", span)
    wanted = t.element if isinstance(t, T.ListType) else t.value
    value = matching.convert(e, value, wanted, False)
    e.call_operator(span, "aten::_set_item", [base, index, value], {})


def _assign_tensor(e: ExpressionEmitter, span: Span, base: Value, index: ast.expr, value: Value) -> None:
    view = _View(e, span, base)
    view.apply(_items(e, index))
    if not isinstance(value.type, T.TensorType):
        value = _as_tensor(e, span, value, base)
    if view.gathers:
        e.call_operator(span, "aten::index_put_", [view.value, view.indices(), value, e.builder.constant(False)], {})
    else:
        e.call_operator(span, "aten::copy_", [view.value, value, e.builder.constant(False)], {})


def _as_tensor(e: ExpressionEmitter, span: Span, value: Value, like: Value) -> Value:
    dtype = e.builder.op("prim::dtype", like)
    device = e.builder.op("prim::device", like)
    return matching.emit_builtin(e, span, "aten::tensor", [value], {"dtype": dtype, "device": device})
