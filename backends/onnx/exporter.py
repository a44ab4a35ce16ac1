"""Symbolic execution of a program into an ONNX graph.

The program is run once with stand-ins for its inputs. What does not depend on them is computed; what does becomes nodes. Memory is modelled by
locations: an in-place operator writes its tensor's location (and, through a view, its base's), so that reads in program order see what
PyTorch's would. Branches and loops that depend on the inputs run into subgraphs; what they wrote outside becomes their outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linstock.backends.onnx import registry
from linstock.backends.onnx.builder import Builder, Sym
from linstock.backends.onnx.containers import CONTAINERS
from linstock.backends.onnx.values import Cell, DictCell, ListCell, Location, ObjectCell, is_known, lift, plain
from linstock.backends.onnx.views import INVERSES
from linstock.ir import types as T
from linstock.ir.errors import ExportError, LinstockError
from linstock.ir.graph import Block, Graph, Node, Value
from linstock.ir.program import Function

Evaluate = Callable[[str, Sequence[Any]], Any]
#: operators that have no effect on a graph
_DROPPED = {"aten::warn", "prim::Print", "prim::AddStatValue", "aten::set_grad_enabled", "aten::manual_seed", "aten::record_stream"}
_UNROLL = 64


class Raised(LinstockError):
    """The program raised while it was run symbolically: this path cannot be taken."""


class Exporter:
    """Runs functions symbolically. `evaluate(full_name, arrays and plain values)` computes what is known."""

    def __init__(self, builder: Builder, evaluate: Evaluate, attribute: Callable[[Any, str], Any]) -> None:
        self.builder, self.evaluate, self.attribute = builder, evaluate, attribute
        self.journals: list[dict[Location, Any]] = []
        self.objects: dict[int, ObjectCell] = {}
        self.tensors: dict[int, Cell] = {}
        self.warnings: list[str] = []
        self.alive: list[Any] = []

    # -- memory ------------------------------------------------------------------------------------------------------
    def write(self, place: Location, content: Any) -> None:
        """Change a location; the innermost subgraph run remembers what was there."""
        for journal in self.journals:
            journal.setdefault(place, place.content)
        place.content = content

    def write_tensor(self, cell: Cell, content: Any) -> None:
        """Write a tensor, and through a view what it is a view of. Raises ExportError where that has no form."""
        if cell.base is not None:
            if cell.inverse is None:
                raise ExportError(f"writing in place through {cell.why or 'this view'} has no ONNX form: write the result into a new tensor instead", self.builder.span)
            base = cell.base.read()
            self.write_tensor(cell.base, cell.inverse(base, content))
        self.write(cell, content)
        cell.settle()

    def from_runtime(self, value: Any) -> Any:
        """An attribute or constant of the program as a value of the run; what is shared stays shared."""
        array = getattr(value, "_array", None)
        if array is not None:
            known = self.tensors.get(id(value))
            if known is None:
                self.alive.append(value)
                known = self.tensors[id(value)] = Cell(array)
            return known
        slots = getattr(value, "slots", None)
        if isinstance(slots, dict):
            cell = self.objects.get(id(value))
            if cell is None:
                self.alive.append(value)
                cell = self.objects[id(value)] = ObjectCell(value.type, value)
            return cell
        if isinstance(value, (list, dict)):
            return lift_runtime(self, value)
        if isinstance(value, tuple):
            items = [self.from_runtime(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return value

    def slot(self, obj: ObjectCell, name: str) -> Location:
        """The location of an attribute."""
        place = obj.slots.get(name)
        if place is None:
            value = None if obj.source is None else self.from_runtime(obj.source.slots.get(name))
            place = obj.slots[name] = Location(value)
        return place

    # -- functions and blocks ----------------------------------------------------------------------------------------
    def call(self, function: Function, arguments: Sequence[Any]) -> Any:
        """Run a function inline."""
        graph: Graph = function.graph
        environment = dict(zip(graph.inputs, arguments, strict=True))
        self.block(graph.block, environment)
        return self.value(graph.outputs[0], environment)

    def value(self, value: Value, environment: dict[Value, Any]) -> Any:
        if value.node.kind == "prim::Constant" and value not in environment:
            environment[value] = self.constant(value)
        return environment[value]

    def constant(self, value: Value) -> Any:
        content = value.node.attributes.get("value")
        if isinstance(content, Function):
            return content
        return lift(content) if isinstance(content, (list, tuple, dict)) else self.from_runtime(content)

    def block(self, block: Block, environment: dict[Value, Any]) -> None:
        for node in block:
            if node.kind == "prim::Constant":
                continue
            if node.span is not None:
                self.builder.span = node.span
            arguments = [self.value(v, environment) for v in node.inputs]
            try:
                results = self.node(node, arguments, environment)
            except (ExportError, Raised) as problem:
                if problem.span is None and node.span is not None:
                    raise type(problem)(problem.message, node.span) from None
                raise
            for v, r in zip(node.outputs, results, strict=True):
                environment[v] = r

    def node(self, node: Node, arguments: list[Any], environment: dict[Value, Any]) -> Sequence[Any]:
        if node.schema is not None:
            return self.operator(node, arguments)
        handler = _STRUCTURE.get(node.kind)
        if handler is None:
            raise ExportError(f"{node.kind} has no ONNX form")
        return handler(self, node, arguments, environment)  # type: ignore[no-any-return]

    # -- operators ---------------------------------------------------------------------------------------------------
    def operator(self, node: Node, arguments: list[Any]) -> Sequence[Any]:
        """Compute the operator if everything is known, else convert it."""
        schema, name = node.schema, node.full_name
        assert schema is not None
        if node.kind in _DROPPED:
            return [None for _ in node.outputs]
        special = CONTAINERS.get(node.kind)
        if special is not None:
            result = special(self, node, arguments)
            if result is not NotImplemented:
                return [result] if len(node.outputs) == 1 else result if len(node.outputs) else []
        random = any(isinstance(a.type, T.SimpleType) and a.type is T.GENERATOR for a in map(_bare, schema.arguments)) and "dropout" not in node.kind
        if all(map(is_known, arguments)) and not random:
            return self._known(node, arguments)
        if schema.is_mutable and schema.arguments and schema.arguments[0].writes and isinstance(arguments[0], Cell):
            return [self._in_place(node, arguments)]
        convert = registry.find(name)
        if convert is None:
            raise ExportError(f"operator {name} has no ONNX form: {registry.reason(name)}. Replace it, or export the model without this part")
        first = schema.arguments[0] if schema.arguments else None
        is_view = first is not None and first.alias is not None and not first.writes and isinstance(arguments[0], Cell) and schema.returns and schema.returns[0].alias == first.alias
        others = [plain(a) for a in arguments[1:]]
        result = convert(self.builder, *([plain(arguments[0])] if arguments else []), *others)
        if is_view:
            return [self._view(node, arguments[0], others, result, convert)]
        return self._results(node, result)

    def _results(self, node: Node, result: Any) -> Sequence[Any]:
        """What a converter gave, as values of the node's outputs."""
        if len(node.outputs) == 1:
            return [self._typed(result, node.outputs[0].type)]
        return [self._typed(r, o.type) for r, o in zip(result, node.outputs, strict=True)]

    def _typed(self, result: Any, t: T.Type) -> Any:
        if isinstance(t, T.TensorType):
            return Cell(result)
        if isinstance(t, T.ListType) and not isinstance(result, Sym):
            return ListCell(tuple(self._typed(r, t.element) for r in result))
        return result

    def _known(self, node: Node, arguments: list[Any]) -> Sequence[Any]:
        schema = node.schema
        assert schema is not None
        values = [plain(a) for a in arguments]
        writes = bool(schema.arguments) and schema.arguments[0].writes and isinstance(arguments[0], Cell)
        if writes:
            values[0] = np.array(values[0])
        try:
            result = self.evaluate(node.full_name, values)
        except ExportError:
            raise
        except Exception as problem:
            raise Raised(f"{type(problem).__name__}: {problem}") from None
        if writes:
            array = result[0] if isinstance(result, tuple) else result
            self.write_tensor(arguments[0], array)
            return [arguments[0]]
        first = schema.arguments[0] if schema.arguments else None
        if first is not None and first.alias and schema.returns and schema.returns[0].alias == first.alias and isinstance(arguments[0], Cell) and isinstance(result, np.ndarray):
            others = values[1:]
            return [self._view(node, arguments[0], others, result, lambda b, base, *rest: self._convert_or_evaluate(node, base, rest))]
        if len(node.outputs) == 1:
            return [self._typed_known(result, node.outputs[0].type)]
        return [self._typed_known(r, o.type) for r, o in zip(result, node.outputs, strict=True)]

    def _typed_known(self, result: Any, t: T.Type) -> Any:
        return Cell(np.asarray(result)) if isinstance(t, T.TensorType) and not hasattr(result, "ints") else lift(result)

    def _convert_or_evaluate(self, node: Node, base: Any, rest: Sequence[Any]) -> Any:
        if not isinstance(base, Sym):
            return self.evaluate(node.full_name, [base, *rest])
        convert = registry.find(node.full_name)
        if convert is None:
            raise ExportError(f"operator {node.full_name} has no ONNX form: {registry.reason(node.full_name)}", node.span)
        return convert(self.builder, base, *rest)

    def _view(self, node: Node, base: Cell, others: list[Any], result: Any, convert: Callable[..., Any]) -> Any:
        """A view: reads follow the base, writes go through to it."""
        if not isinstance(node.outputs[0].type, T.TensorType):
            items = [Cell(r, base, None, None, f"{node.kind} (a list of views)") for r in result]
            return ListCell(tuple(items))
        inverse = INVERSES.get(node.kind)

        def forward(now: Any) -> Any:
            return convert(self.builder, now, *others)

        back = None if inverse is None else (lambda now, new: inverse(self.builder, now, new, *others))
        return Cell(result, base, forward, back, node.kind)

    def _in_place(self, node: Node, arguments: list[Any]) -> Any:
        """An in-place operator: the functional form's result, in the tensor's own type and shape, is written."""
        cell = arguments[0]
        old = cell.read()
        values = [plain(a) for a in arguments]
        convert = registry.find(node.full_name)
        if convert is None:
            raise ExportError(f"operator {node.full_name} has no ONNX form: {registry.reason(node.full_name)}")
        new = convert(self.builder, *values)
        code = old.dtype if isinstance(old, Sym) else self.builder.sym(old).dtype
        self.write_tensor(cell, self.builder.cast(new, code))
        return cell


def lift_runtime(e: Exporter, value: Any) -> Any:
    """A list or dict of the program, as a location."""
    if isinstance(value, list):
        return ListCell(tuple(e.from_runtime(v) for v in value))
    return DictCell(tuple((e.from_runtime(k), e.from_runtime(v)) for k, v in value.items()))


def _bare(argument: Any) -> Any:
    from dataclasses import replace

    return replace(argument, type=T.without_none(argument.type))


# -- structure ---------------------------------------------------------------------------------------------------------
Result = Sequence[Any]


def _get_attr(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    if not isinstance(args[0], ObjectCell):
        raise ExportError("an attribute of something that is no object of the program")
    return [e.slot(args[0], node.attributes["name"]).content]


def _set_attr(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    if args[0].source is not None:
        name = node.attributes["name"]
        text = f"attribute '{name}' is set by the model: ONNX keeps no state between runs, so every run starts from its present value"
        if text not in e.warnings:
            e.warnings.append(text)
    e.write(e.slot(args[0], node.attributes["name"]), args[1])
    return []


def _call_method(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    method = args[0].type.methods[node.attributes["name"]]
    return [e.call(method, args)]


def _call_function(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    return [e.call(args[0], args[1:])]


def _tuple_construct(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    return [tuple(args)]


def _tuple_index(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    if isinstance(args[1], Sym):
        raise ExportError("a tuple is indexed with a number that depends on the inputs")
    return [args[0][args[1]]]


def _list_unpack(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    content = args[0].content
    if isinstance(content, Sym):
        return [Cell(e.builder.op("SequenceAt", content, np.asarray(i, np.int64))) for i in range(len(node.outputs))]
    if len(content) != len(node.outputs):
        raise Raised(f"expected {len(node.outputs)} elements in a list but found {len(content)}")
    return list(content)


def _dict_construct(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    return [DictCell(tuple(zip(args[::2], args[1::2], strict=True)))]


def _raise(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    raise Raised(args[0] if isinstance(args[0], str) else "the program raises here")


def _isinstance(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    wanted: list[T.Type] = node.attributes["types"]
    value = args[0]
    kinds: dict[type, Callable[[T.Type], bool]] = {
        Cell: lambda t: isinstance(t, T.TensorType), ListCell: lambda t: isinstance(t, T.ListType) or t is T.ANY_LIST,
        DictCell: lambda t: isinstance(t, T.DictType), tuple: lambda t: isinstance(t, T.TupleType) or t is T.ANY_TUPLE,
        bool: lambda t: t is T.BOOL, int: lambda t: t is T.INT, float: lambda t: t is T.FLOAT, str: lambda t: t is T.STRING,
        type(None): lambda t: t is T.NONE, ObjectCell: lambda t: t is value.type,
    }  # fmt: skip
    if isinstance(value, Sym):
        code = {4: T.INT, 7: T.FLOAT, 11: T.BOOL}.get(value.dtype)
        return [any(t is code for t in wanted)]
    test = kinds.get(type(value), lambda t: False)
    return [any(test(t) for t in wanted)]


def _fork(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    return [e.call(node.attributes["function"], args)]


def _enter(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    return [e.call(args[0].type.methods["__enter__"], [args[0]])]


def _exit(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    e.call(args[0].type.methods["__exit__"], [args[0], None, None, None])
    return []


def _if(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    from linstock.backends.onnx import control

    return control.if_node(e, node, args, env)


def _loop(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> Result:
    from linstock.backends.onnx import control

    return control.loop_node(e, node, args, env)


_STRUCTURE: dict[str, Callable[[Exporter, Node, list[Any], dict[Value, Any]], Result]] = {
    "prim::GetAttr": _get_attr, "prim::SetAttr": _set_attr, "prim::CallMethod": _call_method, "prim::CallFunction": _call_function,
    "prim::TupleConstruct": _tuple_construct, "prim::TupleIndex": _tuple_index, "prim::DictConstruct": _dict_construct,
    "prim::TupleSlice": lambda e, n, a, env: [a[0][n.attributes["beg"] : n.attributes["end"]]],
    "prim::TupleUnpack": lambda e, n, a, env: list(a[0]), "prim::ListConstruct": lambda e, n, a, env: [ListCell(tuple(a))],
    "prim::ListUnpack": _list_unpack, "prim::RaiseException": _raise, "prim::isinstance": _isinstance,
    "prim::unchecked_cast": lambda e, n, a, env: [a[0]], "prim::unchecked_unwrap_optional": lambda e, n, a, env: [a[0]],
    "prim::Uninitialized": lambda e, n, a, env: [UNSET], "prim::CreateObject": lambda e, n, a, env: [ObjectCell(n.outputs[0].type)],
    "prim::If": _if, "prim::Loop": _loop, "prim::fork": _fork, "prim::Enter": _enter, "prim::Exit": _exit,
    "prim::EnumName": lambda e, n, a, env: [a[0].name], "prim::EnumValue": lambda e, n, a, env: [a[0].value],
    "prim::ModuleContainerIndex": lambda e, n, a, env: [e.slot(a[0], str(a[1])).content],
}  # fmt: skip


class Unset:
    """The value of a variable on a path that does not define it."""


UNSET = Unset()
