"""Indexing: `a[i]`, `a[1:n, ..., None, mask]`, and assignments to them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

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
        return SimpleValue(_tensor_index(e, span, base.it, node.slice))
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
        return _apply(e, span, base, [index])
    if isinstance(t, T.ClassType):
        return MethodRef(base, _method(t, "__getitem__", span)).call(e, span, [SimpleValue(index)], {}).value(e, span)  # type: ignore[arg-type]
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


def _parts(index: ast.expr) -> list[ast.expr]:
    return list(index.elts) if isinstance(index, ast.Tuple) else [index]


def _tensor_index(e: ExpressionEmitter, span: Span, base: Value, index: ast.expr) -> Value:
    """PyTorch's indexing: ints select, slices slice, None inserts, tensors gather; `...` skips."""
    items: list[Value | ast.Slice | None | type(...)] = []  # type: ignore[valid-type]
    for part in _parts(index):
        if isinstance(part, ast.Slice):
            items.append(part)
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            items.append(Ellipsis)
        else:
            value = e.value(part)
            if isinstance(value.type, T.TupleType) and not isinstance(index, ast.Tuple):
                items += e.unpack_tuple(value)
            else:
                items.append(value)
    return _apply(e, span, base, items)


def _consumes(e: ExpressionEmitter, item: object) -> int:
    if item is Ellipsis or (isinstance(item, Value) and item.type == T.NONE):
        return 0
    return 1


def _apply(e: ExpressionEmitter, span: Span, base: Value, items: list, views_only: bool = False) -> Value:  # type: ignore[type-arg]
    value, gathers = _views(e, span, base, items)
    if all(g is None for g in gathers):
        if value is base:
            return e.call_operator(span, "aten::alias", [value], {})
        return value
    return e.call_operator(span, "aten::index", [value, _index_list(e, gathers)], {})


def _index_list(e: ExpressionEmitter, gathers: list[Value | None]) -> Value:
    last = max(i for i, g in enumerate(gathers) if g is not None)
    values = [e.builder.constant(None, T.optional(T.TENSOR)) if g is None else g for g in gathers[: last + 1]]
    return e.list_of(values, T.optional(T.TENSOR))


def _views(e: ExpressionEmitter, span: Span, base: Value, items: list) -> tuple[Value, list[Value | None]]:  # type: ignore[type-arg]
    """Apply the ints, slices and Nones; gives the view and, per dimension of it, the tensor that indexes it."""
    value, dim = base, 0
    gathers: list[Value | None] = []
    has_ellipsis = any(i is Ellipsis for i in items)

    def dimension(place: int) -> Value:
        if not has_ellipsis or not any(items[k] is Ellipsis for k in range(place)):
            return e.builder.constant(dim)
        left = sum(_consumes(e, i) for i in items[place:])
        left += sum(1 for i in items[place:] if isinstance(i, Value) and i.type == T.NONE) * 0
        return e.builder.constant(-left)

    for place, item in enumerate(items):
        if item is Ellipsis:
            if any(isinstance(i, Value) and isinstance(i.type, T.TensorType) for i in items):
                rank = sum(_consumes(e, i) for i in items)
                raise_if = rank
                count = e.resolver.rank_of(e, base)
                if count is None:
                    if any(g is not None for g in gathers) or place:
                        raise CompileError("'...' together with tensor indices needs a tensor of known rank here: write the ':' out", span)
                    gathers.append(None)
                    continue
                gathers += [None] * (count - raise_if)
                dim += count - raise_if
            continue
        if isinstance(item, ast.Slice):
            at = dimension(place)
            if not (item.lower is None and item.upper is None and item.step is None):
                step = e.builder.constant(1) if item.step is None else e.value(item.step)
                value = e.call_operator(span, "aten::slice", [value, at, _optional(e, item.lower), _optional(e, item.upper), step], {})
            elif value is base and len(items) == 1:
                value = e.call_operator(span, "aten::slice", [value, at, e.builder.constant(None), e.builder.constant(None), e.builder.constant(1)], {})
            dim += 1
            gathers.append(None)
            continue
        assert isinstance(item, Value)
        if item.type == T.NONE:
            at = dimension(place)
            if at.constant < 0:
                at = e.builder.constant(at.constant - 1)
            value = e.call_operator(span, "aten::unsqueeze", [value, at], {})
            dim += 1
            gathers.append(None)
        elif item.type == T.INT:
            value = e.call_operator(span, "aten::select", [value, dimension(place), item], {})
        elif isinstance(item.type, T.TensorType):
            gathers.append(item)
            dim += 1
        elif isinstance(item.type, (T.ListType, T.TupleType)) or item.type == T.BOOL:
            gathers.append(matching.emit_builtin(e, span, "aten::tensor", [matching.convert(e, item, T.ListType(T.INT), False)], {}))  # type: ignore[arg-type]
            dim += 1
        elif item.type.is_optional() and isinstance(T.without_none(item.type), T.TensorType):
            gathers.append(item)
            dim += 1
        else:
            raise CompileError(f"a tensor cannot be indexed with a value of type '{item.type.annotation()}': use an int, a slice, None or a tensor", span)
    return value, gathers


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
        name = _method(t, "__setitem__", span)
        MethodRef(base, name).call(e, span, [SimpleValue(index), SimpleValue(value)], {})  # type: ignore[arg-type]
        return
    if not isinstance(t, (T.ListType, T.DictType)):
        raise CompileError(f"'{t.annotation()}' object does not support item assignment", span)
    wanted = t.element if isinstance(t, T.ListType) else t.value
    value = matching.convert(e, value, wanted, False)  # type: ignore[arg-type]
    e.call_operator(span, "aten::_set_item", [base, index, value], {})


def _assign_tensor(e: ExpressionEmitter, span: Span, base: Value, index: ast.expr, value: Value) -> None:
    items: list = []  # type: ignore[type-arg]
    for part in _parts(index):
        if isinstance(part, ast.Slice):
            items.append(part)
        elif isinstance(part, ast.Constant) and part.value is Ellipsis:
            items.append(Ellipsis)
        else:
            items.append(e.value(part))
    view, gathers = _views(e, span, base, items)
    if all(g is None for g in gathers):
        if isinstance(value.type, T.TensorType):
            e.call_operator(span, "aten::copy_", [view, value, e.builder.constant(False)], {})
        else:
            e.call_operator(span, "aten::copy_", [view, _as_tensor(e, span, value, base), e.builder.constant(False)], {})
        return
    if not isinstance(value.type, T.TensorType):
        value = _as_tensor(e, span, value, base)
    e.call_operator(span, "aten::index_put_", [view, _index_list(e, gathers), value, e.builder.constant(False)], {})


def _as_tensor(e: ExpressionEmitter, span: Span, value: Value, like: Value) -> Value:
    dtype = e.builder.op("prim::dtype", like)
    device = e.builder.op("prim::device", like)
    return matching.emit_builtin(e, span, "aten::tensor", [value], {"dtype": dtype, "device": device})  # type: ignore[arg-type]
