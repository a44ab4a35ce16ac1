"""A whole ONNX model: inputs, outputs, opset, metadata, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from linstock.backends.onnx.builder import Builder, Dim, Sym
from linstock.backends.onnx.control import flatten, rebuild
from linstock.backends.onnx.exporter import Exporter, Raised
from linstock.backends.onnx.values import Cell
from linstock.ir import dtypes
from linstock.ir.errors import ExportError
from linstock.ir.program import Function

_IR_VERSIONS = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12}


def export_function(
    function: Function,
    receiver: Any,
    arguments: Sequence[Any],
    evaluate: Callable[[str, Sequence[Any]], Any],
    attribute: Callable[[Any, str], Any],
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    dynamic: Mapping[str, Mapping[int, str]],
    opset: int,
) -> tuple[onnx.ModelProto, list[str]]:
    """Export a function or method on example arguments (arrays, numbers, tuples, lists, dicts, None).

    Numbers and None are fixed; arrays become inputs. Gives the model and what should be said about it. Raises ExportError.
    """
    builder = Builder(opset)
    exporter = Exporter(builder, evaluate, attribute)
    leaves: list[Any] = []
    structures = [flatten(_cells(a), leaves) for a in arguments]
    names = _input_names(function, structures, leaves, arguments, input_names, receiver is not None)
    inputs: list[Sym] = []
    stand_ins: list[Any] = []
    at = iter(names)
    for leaf in leaves:
        if not isinstance(leaf, np.ndarray):
            stand_ins.append(leaf)
            continue
        name = builder.names.take(next(at))
        axes = {(a + leaf.ndim if a < 0 else a): n for a, n in dynamic.get(name, {}).items()}
        shape: tuple[Dim, ...] = tuple(axes.get(i, n) for i, n in enumerate(leaf.shape))
        inputs.append(Sym(name, dtypes.code_of(leaf.dtype), shape))
        stand_ins.append(inputs[-1])
    unknown = set(dynamic) - {s.name for s in inputs}
    known_outputs = set(output_names or ())
    if unknown - known_outputs:
        raise ExportError(f"dynamic_axes names '{sorted(unknown - known_outputs)[0]}', but the inputs are {', '.join(s.name for s in inputs)}")
    values = iter(stand_ins)
    given = [rebuild(s, values) for s in structures]
    first = [] if receiver is None else [exporter.from_runtime(receiver)]
    try:
        result = exporter.call(function, [*first, *given])
    except Raised as problem:
        raise ExportError(f"the model raises on these inputs: {problem.message}", problem.span) from None
    outputs = _outputs(builder, result, output_names)
    graph = helper.make_graph(
        builder.nodes,
        function.short_name,
        [helper.make_value_info(s.name, s.type_proto()) for s in inputs],
        [helper.make_value_info(s.name, _loosened(s, inputs).type_proto()) for s in outputs],
        list(builder.initializers.values()),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="linstock", ir_version=_IR_VERSIONS.get(opset, 8))
    _drop_unused(model)
    return model, exporter.warnings


def _cells(value: Any) -> Any:
    from linstock.backends.onnx.values import lift

    return lift(value) if isinstance(value, (np.ndarray, list, dict)) else tuple(_cells(v) for v in value) if isinstance(value, tuple) else value


def _input_names(
    function: Function, structures: Sequence[Any], leaves: Sequence[Any], arguments: Sequence[Any], given: Sequence[str] | None, method: bool
) -> list[str]:
    count = sum(isinstance(v, np.ndarray) for v in leaves)
    if given is not None:
        if len(given) != count:
            raise ExportError(f"input_names has {len(given)} names, but there are {count} tensors among the inputs")
        return list(given)
    parameters = function.signature().parameters[1 if method else 0 :]
    names: list[str] = []
    for parameter, argument in zip(parameters, arguments, strict=False):
        inner: list[Any] = []
        flatten(_cells(argument), inner)
        tensors = [v for v in inner if isinstance(v, np.ndarray)]
        names += [parameter.name] if len(tensors) == 1 else [f"{parameter.name}_{i}" for i in range(len(tensors))]
    return names


def _outputs(builder: Builder, result: Any, names: Sequence[str] | None) -> list[Sym]:
    leaves: list[Any] = []
    flatten(result, leaves)
    if not leaves:
        raise ExportError("the model returns no tensor: there is nothing to export")
    if names is not None and len(names) != len(leaves):
        raise ExportError(f"output_names has {len(names)} names, but the model returns {len(leaves)} tensors")
    outputs = []
    for i, leaf in enumerate(leaves):
        name = builder.names.take(names[i] if names is not None else "output" if len(leaves) == 1 else f"output_{i}")
        source = builder.sym(leaf if isinstance(leaf, Sym) else np.asarray(leaf))
        builder.nodes.append(helper.make_node("Identity", [source.name], [name]))
        outputs.append(Sym(name, source.dtype, source.shape, source.sequence))
    return outputs


def _loosened(value: Sym, inputs: Sequence[Sym]) -> Sym:
    """An output whose unknown sizes are left open."""
    named = {d for s in inputs for d in s.shape or () if isinstance(d, str)}
    if value.shape is None:
        return value
    return Sym(value.name, value.dtype, tuple(d if isinstance(d, int) or d in named else None for d in value.shape), value.sequence)


def _drop_unused(model: onnx.ModelProto) -> None:
    """Remove nodes and initializers whose results nobody reads."""
    graph = model.graph
    needed = {o.name for o in graph.output}

    def reads(node: onnx.NodeProto, found: set[str]) -> None:
        found.update(node.input)
        for a in node.attribute:
            if a.HasField("g"):
                found.update(o.name for o in a.g.output)
                for inner in a.g.node:
                    reads(inner, found)

    kept = []
    for node in reversed(graph.node):
        if any(o in needed for o in node.output):
            kept.append(node)
            reads(node, needed)
    del graph.node[:]
    graph.node.extend(reversed(kept))
    initializers = [t for t in graph.initializer if t.name in needed]
    del graph.initializer[:]
    graph.initializer.extend(initializers)


__all__ = ["Cell", "export_function"]
