"""`jit.freeze`: a module whose attributes are constants of its code, and what can be optimised once they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from linstock.ir import types as T
from linstock.ir.graph import Graph
from linstock.ir.program import Function
from linstock.passes.pipelines import freeze_pipeline
from linstock.runtime.executor import evaluate
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import ScriptModule, face


def freeze(
    mod: Any,
    preserved_attrs: Sequence[str] | None = None,
    optimize_numerics: bool = True,
    preserve_parameters: bool = False,
) -> ScriptModule:
    """A copy of a scripted or traced module in eval mode with its attributes as constants of its code.

    Only `forward` and what `preserved_attrs` names (methods, attributes, dotted paths) remain; attributes that the
    code changes stay
    attributes. `optimize_numerics` also folds batch normalisation into the layers before it. Raises RuntimeError for a
    module in
    training mode, TypeError for one that is not scripted.
    """
    if not isinstance(mod, ScriptModule):
        raise TypeError(f"freeze takes a scripted, traced or loaded module, not {type(mod).__name__}: script it first")
    thing: ScriptObject = mod._object
    if thing.slots.get("training", False):
        raise RuntimeError("freeze takes a module in eval mode: call eval() first")
    kept = set(preserved_attrs or ())
    for name in kept:
        if "." not in name and not hasattr(mod, name):
            raise AttributeError(f"preserved_attrs names '{name}', which the module does not have")
    if preserve_parameters:
        kept |= {n for n, _ in mod.named_parameters()}
    hooks = {*thing.type.forward_hooks, *thing.type.forward_pre_hooks}
    methods = [n for n in thing.type.methods if n == "forward" or n in kept or n in hooks]
    graphs: dict[str, Graph] = {n: thing.type.methods[n].graph.copy() for n in methods}

    def class_of(value: Any) -> T.Type | None:
        return value.type if isinstance(value, ScriptObject) else None

    freeze_pipeline(graphs, thing, lambda obj, name: obj.slots[name], evaluate, kept, class_of, optimize_numerics)
    return _frozen(thing, graphs, kept)


def _frozen(thing: ScriptObject, graphs: dict[str, Graph], kept: set[str]) -> ScriptModule:
    """The module of the frozen methods: a class with only the attributes that they still use, or that are to be kept."""
    made = _Shrink(graphs).object(thing, "", kept)
    for name, graph in graphs.items():
        receiver = graph.inputs[0]
        receiver.type = made.type
        _retype(graph)
        old = thing.type.methods[name].signature()
        from linstock.ir.program import Parameter, Signature

        parameters = (Parameter("self", made.type), *old.parameters[1:])
        made.type.methods[name] = Function.of(f"{made.type.name}.{name}", Signature(parameters, old.returns), graph)
    made.type.forward_hooks = list(thing.type.forward_hooks)
    made.type.forward_pre_hooks = list(thing.type.forward_pre_hooks)
    result = face(made)
    assert isinstance(result, ScriptModule)
    return result


#: stands for every attribute
ANY = "*"


class _Shrink:
    """Copies objects with only the attributes that the graphs read or set, or that are kept."""

    def __init__(self, graphs: dict[str, Graph]) -> None:
        self.used: dict[str, set[str]] = {}
        for graph in graphs.values():
            for path, name in _accesses(graph):
                self.used.setdefault(path, set()).add(name)
        self.made: dict[int, ScriptObject] = {}

    def object(self, thing: ScriptObject, path: str, kept: set[str]) -> ScriptObject:
        known = self.made.get(id(thing))
        if known is not None:
            return known
        names = self.used.get(path, set()) | {k.partition(".")[0] for k in kept} | ({"training"} if not path else set())
        cls = T.ClassType(thing.type.name, thing.type.is_module)
        made = self.made[id(thing)] = ScriptObject(cls)
        whole = (path != "" and path in kept) or ANY in names
        for name, t in thing.type.attributes.items():
            if name not in names and not whole:
                continue
            value = thing.slots.get(name)
            inner = f"{path}.{name}" if path else name
            if isinstance(value, ScriptObject) and value.type.is_module:
                if ANY in names or name in {k for k in kept if "." not in k}:
                    made.slots[name], cls.attributes[name] = value, t
                    continue
                rest = {k.partition(".")[2] for k in kept if k.startswith(f"{name}.")}
                value = self.object(value, inner, rest)
                t = value.type
            cls.attributes[name], made.slots[name] = t, value
        cls.parameters = {n for n in thing.type.parameters if n in cls.attributes}
        cls.buffers = {n for n in thing.type.buffers if n in cls.attributes}
        return made


def _accesses(graph: Graph) -> Iterator[tuple[str, str]]:
    """(path of the object, attribute name) of every access to the module's objects."""
    paths = {graph.inputs[0]: ""}
    for node in graph.walk():
        if node.kind in ("prim::GetAttr", "prim::SetAttr") and node.inputs[0] in paths:
            path, name = paths[node.inputs[0]], node.attributes["name"]
            yield path, name
            if node.kind == "prim::GetAttr":
                paths[node.outputs[0]] = f"{path}.{name}" if path else name
        elif node.kind == "prim::ModuleContainerIndex" and node.inputs[0] in paths:
            yield paths[node.inputs[0]], ANY  # any submodule may be meant


def _retype(graph: Graph) -> None:
    """Object values get the shrunken classes' types."""
    for node in graph.walk():
        if node.kind == "prim::GetAttr" and isinstance(node.inputs[0].type, T.ClassType):
            t = node.inputs[0].type.attributes.get(node.attributes["name"])
            if t is not None:
                node.outputs[0].type = t


def optimize_for_inference(mod: Any, other_methods: Sequence[str] | None = None) -> ScriptModule:
    """The module frozen, ready to run fast: what freezing does not do, plans do when they are made."""
    return freeze(mod.eval(), list(other_methods) if other_methods else None)


def run_frozen_optimizations(
    mod: Any, optimize_numerics: bool = True, preserved_methods: Sequence[str] | None = None
) -> None:
    """Accepted for PyTorch's interface: freezing has done it already."""
