"""What a name or expression can mean while a program is compiled: more than the values of a graph.

A function, class, module namespace or range has no value of its own in the graph, but it can be called, indexed or
iterated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.program import Function, Signature
from linstock.ir.source import Span
from linstock.tracer import matching

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter

Args = Sequence["Sugared"]
Kwargs = dict[str, "Sugared"]


class Sugared:
    """Base: everything is refused with a message at the user's line; subclasses allow what makes sense."""

    def describe(self) -> str:
        return "this expression"

    @property
    def is_value(self) -> bool:
        """Whether `value` succeeds."""
        return False

    def value(self, e: Emitter, span: Span) -> Value:
        """As a value of the graph. Raises CompileError."""
        raise CompileError(f"{self.describe()} cannot be used as a value", span)

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        raise CompileError(f"{self.describe()} has no attribute '{name}'", span)

    def has_attr(self, e: Emitter, span: Span, name: str) -> bool:
        try:
            self.attr(e, span, name)
        except CompileError:
            return False
        return True

    def set_attr(self, e: Emitter, span: Span, name: str, value: Value) -> None:
        raise CompileError(f"attributes of {self.describe()} cannot be set", span)

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        raise CompileError(f"{self.describe()} cannot be called", span)

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        """The elements where their number is known when compiling, else None."""
        return None

    def getitem(self, e: Emitter, span: Span, index: Value) -> Sugared:
        raise CompileError(f"{self.describe()} cannot be indexed", span)

    def length(self, e: Emitter, span: Span) -> Value:
        """The number of elements, for loops over it."""
        items = self.elements(e, span)
        if items is None:
            raise CompileError(f"{self.describe()} cannot be iterated over", span)
        return e.builder.constant(len(items))

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        """The element at a running index, for loops over it."""
        raise CompileError(f"{self.describe()} cannot be iterated over", span)


def plain(e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> tuple[list[Value], dict[str, Value]]:
    """Arguments as values of the graph."""
    return [a.value(e, span) for a in args], {k: v.value(e, span) for k, v in kwargs.items()}


#: attributes of a tensor that are operators
TENSOR_PROPERTIES = {
    "dtype": "prim::dtype", "device": "prim::device", "shape": "aten::size", "ndim": "aten::dim", "T": "aten::numpy_T",
    "H": "aten::matrix_H", "mT": "aten::mT", "mH": "aten::mH", "real": "aten::real", "imag": "aten::imag",
    "grad": "prim::grad", "data": "prim::data", "requires_grad": "prim::requires_grad", "layout": "prim::layout",
    "is_leaf": "aten::is_leaf", "itemsize": "prim::itemsize", "nbytes": "prim::nbytes", "name": "prim::name",
    "retains_grad": "aten::retains_grad", "output_nr": "aten::output_nr",
} | {f"is_{k}": f"prim::is_{k}" for k in (
    "cuda", "cpu", "xla", "xpu", "ipu", "mps", "vulkan", "meta", "sparse", "sparse_csr", "mkldnn", "quantized", "nested", "mtia", "maia",
)}  # fmt: skip


@dataclass(frozen=True)
class SimpleValue(Sugared):
    """A value of the graph."""

    it: Value

    def describe(self) -> str:
        return f"a value of type '{self.it.type.annotation()}'"

    @property
    def is_value(self) -> bool:
        return True

    def value(self, e: Emitter, span: Span) -> Value:
        return self.it

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        t = self.it.type
        if isinstance(t, T.TensorType) and name in TENSOR_PROPERTIES:
            return SimpleValue(matching.emit_builtin(e, span, TENSOR_PROPERTIES[name], [self.it], {}))
        if isinstance(t, T.NamedTupleType) and name in t.fields:
            index = e.builder.constant(t.fields.index(name))
            return SimpleValue(e.builder.value("prim::TupleIndex", (self.it, index), t.elements[t.fields.index(name)]))
        if isinstance(t, T.TupleType) and self.it.node.kind == "prim::TupleConstruct":
            made_by = {v.node for v in self.it.node.inputs}
            schema = made_by.pop().schema if len(made_by) == 1 else None
            for returned, v in zip(schema.returns if schema is not None else (), self.it.node.inputs, strict=False):
                if returned.name == name:
                    return SimpleValue(v)
        if isinstance(t, T.ClassType):
            return self._class_attr(e, span, name, t)
        if isinstance(t, T.InterfaceType):
            if name in t.methods:
                return MethodRef(self.it, name)
            raise CompileError(f"interface '{t.name}' has no method '{name}'", span)
        if isinstance(t, T.EnumType) and name in ("name", "value"):
            out = T.STRING if name == "name" else t.value_type
            kind = "prim::EnumName" if name == "name" else "prim::EnumValue"
            return SimpleValue(e.builder.value(kind, (self.it,), out))
        if t == T.DEVICE and name in ("type", "index"):
            return SimpleValue(matching.emit_builtin(e, span, f"prim::{name}", [self.it], {}))
        if t == T.COMPLEX and name in ("real", "imag"):
            tensor = e.builder.op("prim::NumToTensor.Scalar", self.it)
            part = e.builder.op(f"aten::{name}", tensor)
            return SimpleValue(e.builder.op("aten::Float.Tensor", part))
        special = e.special_method(self, span, name)
        if special is not None:
            return special
        if operators.is_known(f"aten::{name}") and not isinstance(t, (T.OptionalType, T.UnionType)):
            return BuiltinFunction(f"aten::{name}", self.it)
        if isinstance(t, (T.OptionalType, T.UnionType)) or t == T.NONE:
            raise CompileError(
                f"'{t.annotation()}' object has no attribute or method '{name}'. If it may be None, check it first, "
                f"as in `if x is not None:` or `assert x is not None`",
                span,
            )
        raise CompileError(f"'{t.annotation()}' object has no attribute or method '{name}'", span)

    def _class_attr(self, e: Emitter, span: Span, name: str, t: T.ClassType) -> Sugared:
        if name in t.attributes:
            return SimpleValue(e.get_attribute(self.it, name, t.attributes[name], span))
        if name in t.methods:
            overloaded: Sugared | None = None if t.live is None else t.live.overloaded_method(self.it, t, name)
            return overloaded or MethodRef(self.it, name)
        if name in t.properties:
            return SimpleValue(e.call_method(span, self.it, t.properties[name].getter, []))
        if name in t.constants:
            return SimpleValue(e.constant_of(t.constants[name], t.constant_types.get(name), span))
        if name in t.static_methods:
            return FunctionRef(t.static_methods[name])
        found = e.resolver.class_attr(e, span, self.it, t, name)
        if found is not None:
            return found  # type: ignore[no-any-return]
        if t.is_torchbind:
            raise CompileError(
                f"linstock has no method '{name}' of the custom class '{t.name[len('__torch__.torch.classes.') :]}'",
                span,
            )
        why = t.unresolved.get(name)
        raise CompileError(
            f"{'Module' if t.is_module else 'class'} '{t.name.rpartition('.')[2]}' has no attribute '{name}'"
            + (f" ({why})" if why else ""),
            span,
        )

    def set_attr(self, e: Emitter, span: Span, name: str, value: Value) -> None:
        t = self.it.type
        if not isinstance(t, T.ClassType):
            raise CompileError(f"attributes of {self.describe()} cannot be set", span)
        setter = t.properties[name].setter if name in t.properties else None
        if setter is not None:
            MethodRef(self.it, setter.short_name).call(e, span, [SimpleValue(value)], {})
            return
        if name not in t.attributes:
            if e.defines_attributes_of(t):
                t.attributes[name] = value.type
            else:
                raise CompileError(
                    f"tried to set nonexistent attribute '{name}' of '{t.name.rpartition('.')[2]}'. Did you forget to initialise it in __init__()?",
                    span,
                )
        wanted = t.attributes[name]
        converted = matching.convert(e, value, wanted, True)
        if not T.is_subtype(converted.type, wanted):
            raise CompileError(
                f"expected a value of type '{wanted.annotation()}' for attribute '{name}' but instead got '{value.type.annotation()}'",
                span,
            )
        e.builder.node("prim::SetAttr", (self.it, converted), name=name)

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        t = self.it.type
        if isinstance(t, T.FunctionType):
            return FunctionRef(t.function).call(e, span, args, kwargs)
        if isinstance(t, T.ClassType):
            if not t.is_module:
                return self.attr(e, span, "__call__").call(e, span, args, kwargs)
            if (t.forward_hooks or t.forward_pre_hooks) and t.live is not None:
                return self._call_with_hooks(e, span, t, args, kwargs)
            return self.attr(e, span, "forward").call(e, span, args, kwargs)
        if isinstance(t, T.InterfaceType) and t.is_module:
            return self.attr(e, span, "forward").call(e, span, args, kwargs)
        return super().call(e, span, args, kwargs)

    def _call_with_hooks(self, e: Emitter, span: Span, t: T.ClassType, args: Args, kwargs: Kwargs) -> Sugared:
        """A module call: pre-hooks may replace the arguments, hooks the result; both see the arguments as a tuple."""
        packed = SimpleValue(TupleOf(tuple(args)).value(e, span))
        for name in t.forward_pre_hooks:  # a hook is called as a function: archives do not have it among the methods
            result = FunctionRef(t.methods[name]).call(e, span, [self, packed], {}).value(e, span)
            if isinstance(result.type, T.TupleType):
                packed = SimpleValue(result)
            elif result.type != T.NONE:
                packed = SimpleValue(TupleOf((SimpleValue(result),)).value(e, span))
        unpacked = packed.elements(e, span) or []
        out = self.attr(e, span, "forward").call(e, span, unpacked, kwargs)
        for name in t.forward_hooks:
            replaced = FunctionRef(t.methods[name]).call(e, span, [self, packed, out], {})
            if replaced.value(e, span).type != T.NONE:
                out = replaced
        return out

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        t = self.it.type
        if isinstance(t, T.TupleType):
            return [SimpleValue(v) for v in e.unpack_tuple(self.it)]
        if isinstance(t, T.ClassType) and t.live is not None:
            members: list[Sugared] | None = t.live.elements(e, span, self.it, t)
            return members
        return None

    def getitem(self, e: Emitter, span: Span, index: Value) -> Sugared:
        t = self.it.type
        if isinstance(t, T.ClassType) and t.live is not None:
            member: Sugared | None = t.live.item(e, span, self.it, t, index)
            if member is not None:
                return member
        return SimpleValue(e.subscript_value(span, self.it, index))

    def length(self, e: Emitter, span: Span) -> Value:
        t = self.it.type
        if isinstance(t, T.DictType):
            return SimpleValue(matching.emit_builtin(e, span, "aten::keys", [self.it], {})).length(e, span)
        if isinstance(t, T.ClassType):
            return self.attr(e, span, "__len__").call(e, span, (), {}).value(e, span)
        return matching.emit_builtin(e, span, "aten::len", [self.it], {})

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        t = self.it.type
        if isinstance(t, T.TensorType):
            zero = e.builder.constant(0)
            return SimpleValue(matching.emit_builtin(e, span, "aten::select", [self.it, zero, index], {}))
        return SimpleValue(e.subscript_value(span, self.it, index))

    def iterable(self, e: Emitter, span: Span) -> Sugared:
        """What a loop over this value runs over: a dictionary's keys, else itself."""
        t = self.it.type
        if isinstance(t, T.DictType):
            return SimpleValue(matching.emit_builtin(e, span, "aten::keys", [self.it], {}))
        if isinstance(t, (T.ListType, T.TensorType, T.TupleType)) or t == T.STRING:
            return self
        if isinstance(t, T.ClassType) and t.live is not None and (t.live.is_list or t.live.is_dict):
            return self
        if isinstance(t, T.ClassType) and "__len__" in t.methods and "__getitem__" in t.methods:
            return self
        raise CompileError(f"'{t.annotation()}' object is not iterable", span)


@dataclass(frozen=True)
class Narrowed(Sugared):
    """What is known of an attribute's type (`self.cache` after `if self.cache is not None`), under its path as a name."""

    type: T.Type


@dataclass(frozen=True)
class BuiltinFunction(Sugared):
    """An operator by name, perhaps bound to its first argument (a method)."""

    name: str
    receiver: Value | None = None

    def describe(self) -> str:
        return f"the function '{self.name.partition('::')[2]}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        if self.receiver is not None:
            values = [self.receiver, *values]
        return SimpleValue(e.call_operator(span, self.name, values, named))

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        """One overload: `torch.ops.aten.add.Tensor`."""
        full_name = self.name if name == "default" else f"{self.name}.{name}"
        if self.receiver is None and operators.has_schema(full_name):
            return Overload(full_name)
        return super().attr(e, span, name)


@dataclass(frozen=True)
class Overload(Sugared):
    """One overload of an operator."""

    full_name: str

    def describe(self) -> str:
        return f"the operator '{self.full_name}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        return SimpleValue(matching.emit_overload(e, span, self.full_name, values, named))


@dataclass(frozen=True)
class FunctionRef(Sugared):
    """A compiled (or to be compiled) function."""

    function: Function

    def describe(self) -> str:
        return f"function '{self.function.short_name}'"

    def value(self, e: Emitter, span: Span) -> Value:
        return e.builder.constant(self.function, T.FunctionType(self.function))

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        values, named = plain(e, span, args, kwargs)
        signature = self.function.signature()
        inputs = matching.bind_signature(e, span, self.function.short_name, signature, values, named)
        return SimpleValue(e.call_function(span, self.function, inputs))


@dataclass(frozen=True)
class MethodRef(Sugared):
    """A method of an object."""

    receiver: Value
    name: str

    def describe(self) -> str:
        return f"method '{self.name}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        t = self.receiver.type
        assert isinstance(t, (T.ClassType, T.InterfaceType))
        method = t.methods[self.name]
        if isinstance(t, T.ClassType) and t.live is not None:
            t.live.called.add(self.name)
        signature: Signature = method.signature() if isinstance(method, Function) else method
        values, named = plain(e, span, args, kwargs)
        inputs = matching.bind_signature(e, span, self.name, signature, values, named, skip_self=True)
        node = e.at(span).node("prim::CallMethod", [self.receiver, *inputs], (signature.returns,), name=self.name)
        return SimpleValue(node.outputs[0])


@dataclass(frozen=True)
class ClassRef(Sugared):
    """A class: calling it makes an object."""

    type: T.ClassType

    def describe(self) -> str:
        return f"class '{self.type.name.rpartition('.')[2]}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        made = SimpleValue(e.at(span).value("prim::CreateObject", (), self.type))
        if "__init__" in self.type.methods:
            MethodRef(made.it, "__init__").call(e, span, args, kwargs)
        elif args or kwargs:
            raise CompileError(f"{self.describe()} takes no arguments", span)
        return made

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        if name == "__new__":
            return NewObject(self.type)
        if name in self.type.static_methods:
            return FunctionRef(self.type.static_methods[name])
        if name in self.type.constants:
            return SimpleValue(e.constant_of(self.type.constants[name], self.type.constant_types.get(name), span))
        if name in self.type.methods:  # an unbound method takes the object first
            return FunctionRef(self.type.methods[name])
        found: Sugared | None = e.resolver.static_attr(e, span, self.type.python, name)
        return found if found is not None else super().attr(e, span, name)


@dataclass(frozen=True)
class NewObject(Sugared):
    """`Class.__new__`, as archives write it."""

    type: T.ClassType

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        return SimpleValue(e.at(span).value("prim::CreateObject", (), self.type))


@dataclass(frozen=True)
class NamedTupleRef(Sugared):
    """A NamedTuple class."""

    type: T.NamedTupleType

    def describe(self) -> str:
        return f"NamedTuple '{self.type.name.rpartition('.')[2]}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        from linstock.ir.program import MISSING, Parameter

        t = self.type
        start = len(t.fields) - len(t.defaults)
        parameters = tuple(
            Parameter(f, ft, t.defaults[i - start] if i >= start else MISSING)
            for i, (f, ft) in enumerate(zip(t.fields, t.elements, strict=True))
        )
        values, named = plain(e, span, args, kwargs)
        inputs = matching.bind_signature(e, span, t.name.rpartition(".")[2], Signature(parameters, t), values, named)
        return SimpleValue(e.at(span).value("prim::TupleConstruct", inputs, t))


@dataclass(frozen=True)
class EnumRef(Sugared):
    """An Enum class."""

    type: T.EnumType

    def describe(self) -> str:
        return f"enum '{self.type.name.rpartition('.')[2]}'"

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        if name in self.type.members:
            return SimpleValue(e.constant_of(e.resolver.enum_member(self.type, name), self.type, span))
        return super().attr(e, span, name)

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        return [self.attr(e, span, n) for n in self.type.members]


@dataclass(frozen=True)
class TupleOf(Sugared):
    """Several things that have no common value: the result of zip or enumerate, a tuple of modules."""

    items: tuple[Sugared, ...]

    @property
    def is_value(self) -> bool:
        return all(i.is_value for i in self.items)

    def value(self, e: Emitter, span: Span) -> Value:
        values = [i.value(e, span) for i in self.items]
        return e.builder.value("prim::TupleConstruct", values, T.TupleType(tuple(v.type for v in values)))

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        return list(self.items)

    def getitem(self, e: Emitter, span: Span, index: Value) -> Sugared:
        if not index.is_constant or not isinstance(index.constant, int):
            return SimpleValue(self.value(e, span)).getitem(e, span, index)
        return self.items[index.constant]


@dataclass(frozen=True)
class Range(Sugared):
    """`range(start, stop, step)`."""

    start: Value
    stop: Value
    step: Value

    @property
    def simple(self) -> bool:
        return self.start.is_constant and self.start.constant == 0 and self.step.is_constant and self.step.constant == 1

    def value(self, e: Emitter, span: Span) -> Value:
        return (
            matching.emit_builtin(e, span, "prim::rangelist", [self.stop], {})
            if self.simple
            else super().value(e, span)
        )

    def length(self, e: Emitter, span: Span) -> Value:
        if self.simple:
            return self.stop
        return matching.emit_builtin(e, span, "aten::__range_length", [self.start, self.stop, self.step], {})

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        if self.simple:
            return SimpleValue(index)
        return SimpleValue(matching.emit_builtin(e, span, "aten::__derive_index", [index, self.start, self.step], {}))


@dataclass(frozen=True)
class Zip(Sugared):
    """`zip(...)`; `enumerate` is a zip with a counting Range of no end."""

    parts: tuple[Sugared, ...]

    def known_length(self, e: Emitter, span: Span) -> int | None:
        """The least number of elements among the parts where it is known when compiling; None if it is known of none."""
        known = [
            x for x in (p.elements(e, span) for p in self.parts if not isinstance(p, (Counter, Range))) if x is not None
        ]
        return min(map(len, known)) if known else None

    def elements(self, e: Emitter, span: Span) -> list[Sugared] | None:
        each = [p.elements(e, span) for p in self.parts if not isinstance(p, Counter)]
        if any(x is None for x in each):
            return None
        n = min(len(x) for x in each if x is not None)
        return [make() for make in self._rows(e, span, n)]

    def rows(self, e: Emitter, span: Span) -> list[Callable[[], Sugared]]:
        """Makers of the elements, as many as the part of known length has; made inside the round that uses them."""
        return self._rows(e, span, self.known_length(e, span) or 0)

    def _rows(self, e: Emitter, span: Span, n: int) -> list[Callable[[], Sugared]]:
        known = [None if isinstance(p, Counter) else p.elements(e, span) for p in self.parts]

        def row(i: int) -> Sugared:
            found: list[Sugared] = []
            for part, items in zip(self.parts, known, strict=True):
                if isinstance(part, Counter) and part.offset is None:
                    found.append(SimpleValue(e.builder.constant(part.start + i)))
                else:
                    found.append(items[i] if items is not None else part.element_at(e, span, e.builder.constant(i)))
            return TupleOf(tuple(found))

        return [partial(row, i) for i in range(n)]

    def length(self, e: Emitter, span: Span) -> Value:
        lengths = [_length(p, e, span) for p in self.parts if not isinstance(p, Counter)]
        if len(lengths) == 1:
            return lengths[0]
        return matching.emit_builtin(e, span, "prim::min", [e.list_of(lengths, T.INT)], {})

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        return TupleOf(tuple(p.element_at(e, span, index) for p in self.parts))


def _length(part: Sugared, e: Emitter, span: Span) -> Value:
    items = None if isinstance(part, Range) else part.elements(e, span)
    return part.length(e, span) if items is None else e.builder.constant(len(items))


@dataclass(frozen=True)
class Counter(Sugared):
    """The counting part of `enumerate`."""

    start: int = 0
    offset: Value | None = None

    def element_at(self, e: Emitter, span: Span, index: Value) -> Sugared:
        if self.offset is not None:
            return SimpleValue(e.builder.op("aten::add.int", index, self.offset))
        return SimpleValue(index)


@dataclass(frozen=True)
class Namespace(Sugared):
    """The operators of one namespace: `torch` in archive code is "aten"."""

    name: str

    def describe(self) -> str:
        return f"namespace '{self.name}'"

    def attr(self, e: Emitter, span: Span, name: str) -> Sugared:
        return e.resolver.operator(e, span, self.name, name)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Special(Sugared):
    """A function that the compiler itself understands: `special(emitter, span, args, kwargs)`."""

    name: str
    function: Any

    def describe(self) -> str:
        return f"'{self.name}'"

    def call(self, e: Emitter, span: Span, args: Args, kwargs: Kwargs) -> Sugared:
        result: Sugared = self.function(e, span, args, kwargs)
        return result
