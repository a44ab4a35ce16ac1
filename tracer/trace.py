"""Tracing: a recorder hears of every operator that an eager program runs and writes a flat graph.

Each module call is remembered as the range of nodes it made; `tracer/trace_modules.py` then gives every call its own
method. Loud by
intent: whatever value leaves the tensors and is thereby fixed in the graph is reported at the user's line, once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import CompileError, TracerWarning
from linstock.ir.graph import Builder, Graph, Node, Value, type_of_constant
from linstock.ir.program import Function
from linstock.ir.schema import Schema
from linstock.ir.source import Source, Span
from linstock.tracer.live_types import code_of_library_value, is_tensor


class TracedInt(int):
    """A size that remembers where it came from: arithmetic on it is recorded, so that the graph serves other sizes."""

    recorder: Recorder
    source: Value

    @classmethod
    def of(cls, number: int, recorder: Recorder, source: Value) -> TracedInt:
        made = cls(number)
        made.recorder, made.source = recorder, source
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int(self),)

    def __copy__(self) -> TracedInt:
        return self

    def __deepcopy__(self, memo: Any) -> TracedInt:
        return self


def _arithmetic(name: str, python: str, reflected: bool) -> Callable[[TracedInt, Any], Any]:
    plain = getattr(int, python)

    def method(self: TracedInt, other: Any) -> Any:
        result = plain(self, other)
        if result is NotImplemented or type(other) not in (int, TracedInt) or not self.recorder.active:
            return result
        return self.recorder.arithmetic(name, (other, self) if reflected else (self, other), result)

    return method


for _op, _name in (
    ("add", "aten::add.int"),
    ("sub", "aten::sub.int"),
    ("mul", "aten::mul.int"),
    ("floordiv", "aten::floordiv.int"),
    ("mod", "aten::remainder.int"),
):
    setattr(TracedInt, f"__{_op}__", _arithmetic(_name, f"__{_op}__", False))
    setattr(TracedInt, f"__r{_op}__", _arithmetic(_name, f"__r{_op}__", True))
setattr(TracedInt, "__neg__", lambda self: self.recorder.arithmetic("aten::neg.int", (self,), -int(self)))  # noqa: B010


@dataclass(eq=False)
class ModuleCall:
    """One call of a module while tracing: the module, and the call it was made in."""

    module: Any
    parent: ModuleCall | None
    items: list[Node | ModuleCall] = field(default_factory=list)


class Recorder:
    """Writes what runs into `graph`. `internal` tells the library's own files, which are not the user's code."""

    def __init__(self, name: str, internal: Callable[[str], bool]) -> None:
        self.graph = Graph(name)
        self.builder = Builder(self.graph)
        self.values: dict[int, Value] = {}
        self.alive: list[Any] = []
        self.internal = internal  # whether a file belongs to the library
        self.call: ModuleCall = ModuleCall(None, None)
        self.root = self.call
        self.parameters: dict[int, Value] = {}
        self.warned: set[tuple[str, int]] = set()
        self.sources: dict[str, Source] = {}
        self.active = True

    # -- values ------------------------------------------------------------------------------------------------------
    def bind(self, tensor: Any, value: Value) -> None:
        """From now on the tensor stands for this value."""
        self.values[id(tensor)] = value
        self.alive.append(tensor)

    def parameter(self, tensor: Any, name: str) -> Value:
        """Declare a tensor of the traced module; it becomes an attribute access where it is used."""
        node = Node("trace::parameter", None, None)
        value = node.add_output(T.TENSOR, name.rpartition(".")[2])
        self.parameters[id(tensor)] = value
        self.bind(tensor, value)
        return value

    def value_of(self, obj: Any, t: T.Type | None = None) -> Value:
        """The graph's value for an argument."""
        if isinstance(obj, TracedInt) and obj.recorder is self:
            return obj.source
        if is_tensor(obj):
            return self._tensor(obj)
        if isinstance(obj, (list, tuple)) and not (isinstance(t, T.TupleType)):
            return self._list(obj, t)
        if isinstance(obj, tuple):
            parts = [self.value_of(v) for v in obj]
            return self._keep(
                self.builder.value("prim::TupleConstruct", parts, T.TupleType(tuple(p.type for p in parts)))
            )
        if isinstance(obj, dict):
            flat = [x for k, v in obj.items() for x in (self.value_of(k), self.value_of(v))]
            return self._keep(self.builder.value("prim::DictConstruct", flat, T.DictType(flat[0].type, flat[1].type)))
        code = code_of_library_value(obj)
        if code is not None:
            obj = code
        if obj is not None and T.without_none(t or T.NONE) == T.FLOAT and type(obj) is int:
            obj = float(obj)
        kind = t if obj is not None and type(obj) not in (bool, int, float, complex, str) and t is not None else None
        if kind is not None and not isinstance(kind, T.SimpleType):
            kind = None
        return self._keep(self.builder.constant(obj, kind))

    def _keep(self, value: Value) -> Value:
        self.call.items.append(value.node)
        return value

    def _tensor(self, tensor: Any) -> Value:
        known = self.values.get(id(tensor))
        if known is not None:
            return known
        constant = tensor.detach() if tensor.requires_grad else tensor
        value = self.builder.constant(constant, T.TENSOR)
        value.node.span = self.span()
        self.bind(tensor, value)
        return value

    def _list(self, items: Sequence[Any], t: T.Type | None) -> Value:
        wanted = T.without_none(t) if t is not None else None
        element = wanted.element if isinstance(wanted, T.ListType) else None
        if not items:
            return self._keep(self.builder.value("prim::ListConstruct", (), T.ListType(element or T.TENSOR)))
        values = [self.value_of(v, element) for v in items]
        return self._keep(self.builder.value("prim::ListConstruct", values, T.ListType(element or values[0].type)))

    # -- what the dispatcher reports ---------------------------------------------------------------------------------
    def record(self, schema: Schema, arguments: tuple[Any, ...], outputs: Any) -> None:
        """An operator ran."""
        if not self.active:
            return
        if schema.name in ("aten::detach", "aten::alias") and outputs is arguments[0]:
            return
        inputs = [self.value_of(a, f.type) for a, f in zip(arguments, schema.arguments, strict=False)]
        for extra in arguments[len(schema.arguments) :]:
            inputs.append(self.value_of(extra))
        bound: dict[str, T.Type] = {}
        for formal, value in zip(schema.arguments, inputs, strict=False):
            T.match_variables(formal.type, value.type, bound)
        results = [T.substitute(r.type, bound) or T.TENSOR for r in schema.returns]
        self.builder.span = self.span()
        node = self.builder.node(schema.name, inputs, results, schema=schema)
        self.call.items.append(node)
        given = list(outputs) if len(results) != 1 and isinstance(outputs, (tuple, list)) else [outputs]
        for value, out in zip(node.outputs, given, strict=False):
            self._bind_result(value, out)

    def _bind_result(self, value: Value, out: Any) -> None:
        if is_tensor(out):
            self.bind(out, value)
        elif (
            isinstance(out, (list, tuple))
            and isinstance(value.type, T.ListType)
            and isinstance(value.type.element, T.TensorType)
        ):
            node = self.builder.node("prim::ListUnpack", (value,), [T.TENSOR] * len(out))
            self.call.items.append(node)
            for v, tensor in zip(node.outputs, out, strict=True):
                self.bind(tensor, v)

    def shape(self, tensor: Any, sizes: tuple[int, ...]) -> Any:
        """The sizes that a program reads: ints that remember their tensor."""
        if not self.active or id(tensor) not in self.values:
            return sizes
        value = self.values[id(tensor)]
        schema = operators.schema("aten::size.int")
        made = []
        for i, n in enumerate(sizes):
            axis = self._keep(self.builder.constant(i))
            self.builder.span = self.span()
            node = self.builder.node("aten::size", (value, axis), (T.INT,), schema=schema)
            self.call.items.append(node)
            made.append(TracedInt.of(n, self, node.outputs[0]))
        return type(sizes)(made)

    def arithmetic(self, name: str, operands: tuple[Any, ...], result: int) -> Any:
        """Arithmetic on traced sizes."""
        if not self.active:
            return result
        inputs = [self.value_of(o) for o in operands]
        schema = operators.schema(name)
        self.builder.span = self.span()
        node = self.builder.node(schema.name, inputs, (T.INT,), schema=schema)
        self.call.items.append(node)
        return TracedInt.of(result, self, node.outputs[0])

    _WORDS = {
        "bool": "a tensor is turned into a Python bool: the branch or loop taken here is fixed in the trace. Script this function, or use torch.where",
        "item": "a tensor is turned into a Python number by item(): its value is fixed in the trace. Keep it a tensor, or script this function",
        "int": "a tensor is turned into a Python int: its value is fixed in the trace. Keep it a tensor, or script this function",
        "float": "a tensor is turned into a Python float: its value is fixed in the trace. Keep it a tensor, or script this function",
        "complex": "a tensor is turned into a Python complex: its value is fixed in the trace. Keep it a tensor, or script this function",
        "index": "a tensor is used as a Python index: its value is fixed in the trace. Keep it a tensor, or script this function",
        "len": "len() of a tensor gives a Python int: the length is fixed in the trace. Use x.shape[0], or script this function",
        "iter": "a loop runs over a tensor: the number of rounds is fixed in the trace. Script this function",
        "numpy": "a tensor becomes a NumPy array: what is computed with it is fixed in the trace as a constant. Use tensor operators",
        "tolist": "a tensor becomes a Python list: its values are fixed in the trace. Keep it a tensor, or script this function",
    }  # fmt: skip

    def concrete(self, kind: str, tensor: Any, value: Any) -> Any:
        """A value leaves the tensors: say so at the user's line, once."""
        if self.active and id(tensor) in self.values:
            self.warn(self._WORDS.get(kind, f"a tensor becomes a Python value ({kind}), which is fixed in the trace"))
        return value

    def warn(self, text: str) -> None:
        span = self.span()
        place = (span.filename, span.lineno) if span else ("", 0)
        if place not in self.warned:
            self.warned.add(place)
            warnings.warn(f"{text}\n{span.show() if span else ''}", TracerWarning, stacklevel=4)

    # -- calls -------------------------------------------------------------------------------------------------------
    def enter_module(self, module: Any) -> None:
        """A module's call begins."""
        if self.active:
            inner = ModuleCall(module, self.call)
            self.call.items.append(inner)
            self.call = inner

    def exit_module(self) -> None:
        """The innermost module call ends."""
        if self.active and self.call.parent is not None:
            self.call = self.call.parent

    def call_function(self, function: Function, arguments: Sequence[Any], result: Any, receiver: Any = None) -> None:
        """A scripted function (or method of the scripted module `receiver`) was called: it stays a call."""
        if not self.active:
            return
        signature = function.signature()
        formals = signature.parameters if receiver is None else signature.parameters[1:]
        inputs = [self.value_of(a, p.type) for a, p in zip(arguments, formals, strict=True)]
        self.builder.span = self.span()
        if receiver is None:
            callee = self._keep(self.builder.constant(function, T.FunctionType(function)))
            node = self.builder.node("prim::CallFunction", (callee, *inputs), (signature.returns,))
        else:
            node = self.builder.node(
                "trace::script_call", inputs, (signature.returns,), receiver=receiver, function=function
            )
        self.call.items.append(node)
        self._unpack_result(node.outputs[0], result)

    def _unpack_result(self, value: Value, result: Any) -> None:
        if is_tensor(result):
            self.bind(result, value)
        elif isinstance(result, (tuple, list)) and isinstance(value.type, (T.TupleType, T.ListType)):
            kinds = value.type.elements if isinstance(value.type, T.TupleType) else (value.type.element,) * len(result)
            kind = "prim::TupleUnpack" if isinstance(value.type, T.TupleType) else "prim::ListUnpack"
            node = self.builder.node(kind, (value,), kinds)
            self.call.items.append(node)
            for v, r in zip(node.outputs, result, strict=True):
                self._unpack_result(v, r)

    # -- inputs and outputs ------------------------------------------------------------------------------------------
    def add_input(self, obj: Any, name: str) -> T.Type:
        """Declare an example input (a tensor, or tuples, lists and dicts of them) as a parameter of the graph."""
        t = input_type(obj)
        value = self.graph.add_input(t, name)
        self._spread(obj, value)
        return t

    def _spread(self, obj: Any, value: Value) -> None:
        if is_tensor(obj):
            self.bind(obj, value)
        elif isinstance(obj, (tuple, list)):
            kinds = value.type.elements if isinstance(value.type, T.TupleType) else (value.type.element,) * len(obj)  # type: ignore[attr-defined]
            node = self.builder.node(
                "prim::TupleUnpack" if isinstance(obj, tuple) else "prim::ListUnpack", (value,), kinds
            )
            self.call.items.append(node)
            for v, o in zip(node.outputs, obj, strict=True):
                self._spread(o, v)
        elif isinstance(obj, dict):
            for k, o in obj.items():
                key = self._keep(self.builder.constant(k))
                item = self._keep(self.builder.op(f"aten::__getitem__.Dict_{key.type}", value, key))
                self._spread(o, item)

    def finish(self, result: Any, strict: bool) -> T.Type:
        """Set the outputs; gives their type. Raises CompileError for a result that a graph cannot give."""
        value = self.output(result, strict)
        self.graph.add_output(value)
        self.active = False
        return value.type

    def output(self, result: Any, strict: bool) -> Value:
        if is_tensor(result):
            return self._tensor(result)
        if isinstance(result, (list, dict)) and strict:
            kind = type(result).__name__
            raise CompileError(
                f"the traced program returns a {kind}: its structure is fixed in the trace. If it never depends on the inputs, trace with "
                f"strict=False; otherwise return a tuple, or script the program"
            )
        if isinstance(result, tuple):
            parts = [self.output(r, strict) for r in result]
            return self._keep(
                self.builder.value("prim::TupleConstruct", parts, T.TupleType(tuple(p.type for p in parts)))
            )
        if isinstance(result, list):
            parts = [self.output(r, strict) for r in result]
            return self._keep(
                self.builder.value("prim::ListConstruct", parts, T.ListType(parts[0].type if parts else T.TENSOR))
            )
        if isinstance(result, dict):
            flat = [x for k, v in result.items() for x in (self.value_of(k), self.output(v, strict))]
            t = T.DictType(flat[0].type, flat[1].type) if flat else T.DictType(T.STRING, T.TENSOR)
            return self._keep(self.builder.value("prim::DictConstruct", flat, t))
        if isinstance(result, TracedInt):
            return self._keep(self.builder.op("prim::NumToTensor.Scalar", result.source))
        raise CompileError(
            f"a traced program returns tensors, or tuples, lists and dicts of them, not {type(result).__name__}: only tensors are recorded"
        )

    # -- source positions --------------------------------------------------------------------------------------------
    def span(self) -> Span | None:
        """The innermost line of the user's code that is running."""
        frame = sys._getframe(1)
        while frame is not None and self.internal(frame.f_code.co_filename):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            return None
        filename = frame.f_code.co_filename
        source = self.sources.get(filename)
        if source is None:
            import linecache

            source = self.sources[filename] = Source("".join(linecache.getlines(filename)), filename)
        text = source.line(frame.f_lineno)
        start = len(text) - len(text.lstrip())
        return Span(source, frame.f_lineno, start, frame.f_lineno, max(len(text.rstrip()), start + 1))


def input_type(obj: Any) -> T.Type:
    """The type of an example input. Raises CompileError."""
    if is_tensor(obj):
        return T.TENSOR
    if isinstance(obj, tuple):
        return T.TupleType(tuple(input_type(o) for o in obj))
    if isinstance(obj, list) and obj:
        return T.ListType(input_type(obj[0]))
    if isinstance(obj, dict) and obj:
        key, value = next(iter(obj.items()))
        return T.DictType(type_of_constant(key), input_type(value))
    raise CompileError(
        f"example inputs of a trace are tensors, or tuples, lists and dicts of tensors, not {type(obj).__name__}: "
        "other values are fixed in the trace; bind them with functools.partial or a wrapper"
    )
