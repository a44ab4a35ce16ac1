"""From the flat graph of a trace to methods: each call of a submodule becomes a method of that submodule's class.

A range of nodes that a call made is moved into a graph of its own; what it uses from outside becomes its inputs, what
is used of it
outside its outputs. A module that is not below the one that called it cannot be named there: its nodes stay with the
caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linstock.ir import types as T
from linstock.ir.graph import Builder, Graph, Node, Value, node_like
from linstock.ir.program import CompilationUnit, Function, Parameter, Signature
from linstock.tracer import live_source
from linstock.tracer.trace import ModuleCall, Recorder


class TracedModules:
    """Builds classes and methods for a traced module hierarchy."""

    def __init__(self, root: Any, unit: CompilationUnit) -> None:
        self.unit = unit
        self.paths: dict[int, list[tuple[str, ...]]] = {}  # module -> where it is
        self.tensor_paths: dict[int, list[tuple[str, ...]]] = {}  # parameter or buffer -> where it is
        self.modules: dict[tuple[str, ...], Any] = {}
        self.classes: dict[int, T.ClassType] = {}
        self.by_value: dict[Value, int] = {}
        self._visit(root, ())

    def _visit(self, module: Any, path: tuple[str, ...]) -> T.ClassType:
        self.modules[path] = module
        self.paths.setdefault(id(module), []).append(path)
        for name, t in (*module._parameters.items(), *module._buffers.items()):
            if t is not None:
                self.tensor_paths.setdefault(id(t), []).append((*path, name))
        ready = getattr(module, "_script_type", None)
        known = self.classes.get(id(module))
        if isinstance(ready, T.ClassType):
            self.classes[id(module)] = ready
            return ready
        if known is None:
            python = type(module)
            known = T.ClassType(self.unit.unique_name(live_source.qualified_name(python)), True)
            self.unit.classes[known.name] = known
            self.classes[id(module)] = known
            for group, chosen in ((module._parameters, known.parameters), (module._buffers, known.buffers)):
                for name, t in group.items():
                    known.attributes[name] = T.NONE if t is None else T.TENSOR
                    if t is not None:
                        chosen.add(name)
            known.attributes["training"] = T.BOOL
            known.attributes["_is_full_backward_hook"] = T.NONE
            fresh = True
        else:
            fresh = False
        for name, child in module._modules.items():
            if child is not None:
                inner = self._visit(child, (*path, name))
                if fresh:
                    known.attributes[name] = inner
        return known

    def declare(self, recorder: Recorder, root: Any) -> None:
        """Tell the recorder the tensors of the hierarchy."""
        for module in self.modules.values():
            for name, t in (*module._parameters.items(), *module._buffers.items()):
                if t is not None and id(t) not in recorder.parameters:
                    self.by_value[recorder.parameter(t, name)] = id(t)

    # -- lowering ----------------------------------------------------------------------------------------------------
    def method(
        self, recorder: Recorder, root: Any, name: str, parameters: tuple[Parameter, ...], returns: T.Type
    ) -> Function:
        """The traced program as a method of the root's class, with its submodule calls as methods of theirs."""
        cls = self.classes[id(root)]
        flat = recorder.graph
        graph = Graph(name)
        receiver = graph.add_input(cls, "self")
        writer = _Writer(self, Builder(graph), receiver, (), {})
        for v in flat.inputs:
            writer.mapping[v] = graph.add_input(v.type, v.name)
        top = recorder.root
        writer.items(top, self)
        graph.add_output(writer.get(flat.outputs[0]))
        signature = Signature((Parameter("self", cls), *parameters), returns)
        function = Function.of(f"{cls.name}.{name}", signature, graph)
        function.traced = True
        cls.methods[name] = function
        return function

    def place_below(self, tensor_or_module: list[tuple[str, ...]], path: tuple[str, ...]) -> tuple[str, ...] | None:
        """Attribute names that lead from the module at `path` to one of the places, or None."""
        for place in tensor_or_module:
            if place[: len(path)] == path:
                return place[len(path) :]
        return None


class _Writer:
    """Writes nodes into one method's graph."""

    def __init__(
        self,
        modules: TracedModules,
        builder: Builder,
        receiver: Value,
        path: tuple[str, ...],
        mapping: dict[Value, Value],
    ) -> None:
        self.modules, self.builder, self.receiver, self.path, self.mapping = modules, builder, receiver, path, mapping
        self.attributes: dict[tuple[str, ...], Value] = {}

    def chain(self, names: tuple[str, ...]) -> Value:
        """`self.a.b`, as one access after the other."""
        known = self.attributes.get(names)
        if known is not None:
            return known
        if not names:
            return self.receiver
        owner = self.chain(names[:-1])
        assert isinstance(owner.type, T.ClassType)
        value = self.builder.value("prim::GetAttr", (owner,), owner.type.attributes[names[-1]], name=names[-1])
        value.name = names[-1] if names[-1].isidentifier() else ""
        self.attributes[names] = value
        return value

    def get(self, value: Value) -> Value:
        known = self.mapping.get(value)
        if known is not None:
            return known
        if value.node.kind == "trace::parameter":
            place = self.modules.place_below(self.modules.tensor_paths[self.modules.by_value[value]], self.path)
            assert place is not None
            return self.chain(place)
        assert value.node.kind == "prim::Constant", value.node.kind
        made = self.builder.constant(value.node.attributes.get("value"), value.type)
        self.mapping[value] = made
        return made

    def items(self, call: ModuleCall, modules: TracedModules) -> None:
        for item in call.items:
            if isinstance(item, Node):
                self.node(item)
                continue
            place = modules.place_below(modules.paths.get(id(item.module), []), self.path)
            if place is None or not place or not any(True for _ in _nodes(item)):
                self.items(item, modules)
            else:
                self.call(item, place)

    def node(self, node: Node) -> None:
        if node.kind == "prim::Constant":
            return  # written where it is used
        self.builder.span = node.span
        if node.kind == "trace::script_call":
            self._script_call(node)
            return
        copy = node_like(node)
        inputs = [self.get(v) for v in node.inputs]
        copy.insert_before(self.builder.point)
        for v in inputs:
            copy.add_input(v)
        for v in node.outputs:
            self.mapping[v] = copy.add_output(v.type, v.name)

    def _script_call(self, node: Node) -> None:
        receiver, function = node.attributes["receiver"], node.attributes["function"]
        place = self.modules.place_below(self.modules.paths.get(id(receiver), []), self.path)
        inputs = [self.get(v) for v in node.inputs]
        if place is None:
            owner = self.builder.constant(receiver._object, receiver._script_type)
        else:
            owner = self.chain(place)
        made = self.builder.node(
            "prim::CallMethod", (owner, *inputs), (node.outputs[0].type,), name=function.short_name
        )
        self.mapping[node.outputs[0]] = made.outputs[0]

    def call(self, call: ModuleCall, place: tuple[str, ...]) -> None:
        """A submodule's call: a new method of its class, and the call of it."""
        owner = self.chain(place)
        cls = owner.type
        assert isinstance(cls, T.ClassType)
        path = (*self.path, *place)
        inside = {v for n in _nodes(call) for v in n.outputs}
        inputs = list(
            dict.fromkeys(v for n in _nodes(call) for v in n.inputs if v not in inside and self._from_outside(v, path))
        )
        nodes = set(_nodes(call))
        outputs = [
            v
            for n in _nodes(call)
            for v in n.outputs
            if n.kind != "prim::Constant" and any(u.node not in nodes for u in v.uses)
        ]
        name = "forward"
        count = 0
        while name in cls.methods:
            count += 1
            name = f"forward{count}"
        graph = Graph(name)
        receiver = graph.add_input(cls, "self")
        writer = _Writer(self.modules, Builder(graph), receiver, path, {})
        for v in inputs:
            writer.mapping[v] = graph.add_input(v.type, v.name or "x")
        given = [self.get(v) for v in inputs]
        cls.methods[name] = Function(f"{cls.name}.{name}")  # holds the name while inner calls are written
        writer.items(call, self.modules)
        parameters = [Parameter("self", cls), *[Parameter(i.name, i.type) for i in graph.inputs[1:]]]
        returns: T.Type = T.NONE
        if len(outputs) == 1:
            graph.add_output(writer.get(outputs[0]))
            returns = outputs[0].type
        elif outputs:
            returns = T.TupleType(tuple(v.type for v in outputs))
            graph.add_output(writer.builder.value("prim::TupleConstruct", [writer.get(v) for v in outputs], returns))
        else:
            graph.add_output(writer.builder.constant(None))
        _distinct_names(graph, parameters)
        function = Function.of(f"{cls.name}.{name}", Signature(tuple(parameters), returns), graph)
        function.traced = True
        cls.methods[name] = function
        made = self.builder.node("prim::CallMethod", (owner, *given), (returns,), name=name).outputs[0]
        if len(outputs) == 1:
            self.mapping[outputs[0]] = made
        elif outputs:
            unpacked = self.builder.node("prim::TupleUnpack", (made,), [v.type for v in outputs])
            self.mapping.update(zip(outputs, unpacked.outputs, strict=True))

    def _from_outside(self, value: Value, path: tuple[str, ...]) -> bool:
        """Whether a call at `path` needs the value as an input."""
        if value.node.kind == "prim::Constant":
            return False
        if value.node.kind == "trace::parameter":
            return self.modules.place_below(self.modules.tensor_paths[self.modules.by_value[value]], path) is None
        return True


def _distinct_names(graph: Graph, parameters: list[Parameter]) -> None:
    taken: set[str] = {"self"}
    for i, v in enumerate(graph.inputs[1:], 1):
        name, n = v.name, 0
        while name in taken:
            n += 1
            name = f"{v.name}{n}"
        taken.add(name)
        v.name = name
        parameters[i] = Parameter(name, v.type)


def _nodes(call: ModuleCall) -> Iterator[Node]:
    for item in call.items:
        if isinstance(item, Node):
            yield item
        else:
            yield from _nodes(item)


def function_of(recorder: Recorder, name: str, parameters: tuple[Parameter, ...], returns: T.Type) -> Function:
    """The traced program as a plain function."""
    graph = recorder.graph
    for node in list(graph.walk()):
        if node.kind == "trace::script_call":
            receiver, function = node.attributes["receiver"], node.attributes["function"]
            b = Builder(node, node.span)
            owner = b.constant(receiver._object, receiver._script_type)
            made = b.value("prim::CallMethod", (owner, *node.inputs), node.outputs[0].type, name=function.short_name)
            node.outputs[0].replace_all_uses_with(made)
            node.destroy()
    made_function = Function.of(name, Signature(parameters, returns), graph)
    made_function.traced = True
    return made_function
