"""A whole ONNX model: inputs, outputs, opset, metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from linstock.backends.onnx.builder import Builder, Dim, Sym, tensor_proto
from linstock.backends.onnx.control import flatten, rebuild
from linstock.backends.onnx.errors import Raised
from linstock.backends.onnx.exporter import Exporter
from linstock.backends.onnx.values import Cell, DictCell, ListCell, Pair, Quantized, lift
from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.errors import ExportError
from linstock.ir.program import Function

_IR_VERSIONS = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


def export_function(
    function: Function,
    receiver: Any,
    arguments: Sequence[Any],
    evaluate: Callable[[str, Sequence[Any]], Any],
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    dynamic: Mapping[str, Mapping[int, str]],
    opset: int,
) -> tuple[onnx.ModelProto, list[str]]:
    """Export a function or method on example arguments (arrays, numbers, tuples, lists, dicts, None).

    Numbers and None are fixed; arrays become inputs, complex ones with a last dimension of real and imaginary part,
    quantised ones as their
    integers; outputs likewise. Gives the model and what should be said about it. Raises ExportError.
    """
    builder = Builder(opset)
    exporter = Exporter(builder, evaluate)
    leaves: list[Any] = []
    structures = [flatten(_cells(a), leaves) for a in arguments]
    names = iter(_input_names(function, arguments, leaves, input_names, receiver is not None))
    inputs: list[Sym] = []
    stand_ins = [_stand_in(builder, leaf, next(names), dynamic, inputs) if is_tensor(leaf) else leaf for leaf in leaves]
    unknown = set(dynamic) - {s.name for s in inputs} - set(output_names or ())
    if unknown:
        raise ExportError(
            f"dynamic_axes names '{sorted(unknown)[0]}', but the inputs are {', '.join(s.name for s in inputs)}"
        )
    values = iter(stand_ins)
    given = [rebuild(s, values) for s in structures]
    first = [] if receiver is None else [exporter.from_runtime(receiver)]
    try:
        result = exporter.call(function, [*first, *given])
    except Raised as problem:
        raise ExportError(f"the model raises on these inputs: {problem.message}", problem.span) from None
    outputs = _outputs(builder, result, function.signature().returns, output_names, inputs)
    graph = helper.make_graph(
        builder.nodes,
        function.short_name,
        [helper.make_value_info(s.name, s.type_proto()) for s in inputs],
        [helper.make_value_info(s.name, _loosened(s, inputs).type_proto()) for s in outputs],
    )
    version = _IR_VERSIONS.get(opset, 8)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], producer_name="linstock", ir_version=version
    )
    _tidy(model, builder)
    return model, builder.notes


def _stand_in(b: Builder, leaf: Any, name: str, dynamic: Mapping[str, Mapping[int, str]], inputs: list[Sym]) -> Any:
    """The graph input for an example array; appended to `inputs`."""
    name = b.names.take(name)
    axes = {(a + leaf.ndim if a < 0 else a): n for a, n in dynamic.get(name, {}).items()}
    for a in axes:
        if not 0 <= a < leaf.ndim:
            raise ExportError(f"dynamic_axes names dimension {a} of input '{name}', which has {leaf.ndim}")
    shape: tuple[Dim, ...] = tuple(axes.get(i, n) for i, n in enumerate(leaf.shape))
    code = dtypes.code_of(leaf.dtype)
    if hasattr(leaf, "ints"):
        inputs.append(Sym(name, code, shape))
        return Quantized(inputs[-1], leaf.scale, leaf.zero_point, leaf.dtype_code)
    if leaf.dtype.kind != "c":
        inputs.append(Sym(name, code, shape))
        return inputs[-1]
    inputs.append(Sym(name, 6 if code == 9 else 7, (*shape, 2)))
    real, imag = (b.gather(inputs[-1], i, len(shape)) for i in (0, 1))
    return Pair(real, imag, code)


def is_tensor(value: Any) -> bool:
    """Whether an example value is a tensor: an array, or a quantised one."""
    return isinstance(value, np.ndarray) or hasattr(value, "ints")


def _cells(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_cells(v) for v in value)
    return lift(value) if is_tensor(value) or isinstance(value, (list, dict)) else value


def _input_names(
    function: Function, arguments: Sequence[Any], leaves: Sequence[Any], given: Sequence[str] | None, method: bool
) -> list[str]:
    count = sum(map(is_tensor, leaves))
    if given is not None:
        if len(given) != count:
            raise ExportError(f"input_names has {len(given)} names, but there are {count} tensors among the inputs")
        return list(given)
    parameters = function.signature().parameters[1 if method else 0 :]
    names: list[str] = []
    for parameter, argument in zip(parameters, arguments, strict=False):
        inner: list[Any] = []
        flatten(_cells(argument), inner)
        tensors = [v for v in inner if is_tensor(v)]
        names += [parameter.name] if len(tensors) == 1 else [f"{parameter.name}_{i}" for i in range(len(tensors))]
    return names


def _output_names(result: Any, returns: T.Type, prefix: str, names: list[str]) -> None:
    """Names of the outputs: keys of dictionaries and fields of named tuples say what they are, the others are numbered."""
    if isinstance(result, tuple):
        fields = returns.fields if isinstance(returns, T.NamedTupleType) else None
        elements = returns.elements if isinstance(returns, T.TupleType) else (T.TENSOR,) * len(result)
        for i, (v, t) in enumerate(zip(result, elements, strict=False)):
            _output_names(v, t, fields[i] if fields else f"{prefix}_{i}", names)
    elif isinstance(result, DictCell):
        for i, (k, v) in enumerate(result.content):
            element = returns.value if isinstance(returns, T.DictType) else T.TENSOR
            _output_names(v, element, k if isinstance(k, str) else f"{prefix}_{i}", names)
    elif isinstance(result, ListCell) and not isinstance(result.content, Sym):
        for i, v in enumerate(result.content):
            _output_names(v, T.TENSOR, f"{prefix}_{i}", names)
    elif isinstance(result, (Cell, ListCell, Sym, bool, int, float)):
        names.append(prefix)


def _outputs(
    builder: Builder,
    result: Any,
    returns: T.Type,
    names: Sequence[str] | None,
    inputs: Sequence[Sym],
) -> list[Sym]:
    """The outputs, with names of their own: values are renamed, where they are not inputs, constants or outputs
    already.
    """
    leaves: list[Any] = []
    own: list[str] = []
    for leaf in _joined_pairs(builder, result):
        flatten(leaf, leaves)
    _output_names(result, returns, "output", own)
    if not leaves:
        raise ExportError("the model returns no tensor or number: there is nothing to export")
    if _holds_text(result):
        builder.note("text in the model's result is left out")
    if names is not None and len(names) != len(leaves):
        raise ExportError(f"output_names has {len(names)} names, but the model returns {len(leaves)} tensors")
    producers = {o: n for n in builder.nodes for o in n.output}
    renamed: dict[str, str] = {}
    outputs = []
    for i, leaf in enumerate(leaves):
        leaf = leaf.ints if hasattr(leaf, "ints") else leaf
        name = builder.names.take(names[i] if names is not None else own[i] if i < len(own) else f"output_{i}")
        source = leaf if isinstance(leaf, Sym) else builder.constant(np.asarray(leaf))
        if source.name in producers and source.name not in renamed:
            renamed[source.name] = name
        else:
            builder.nodes.append(helper.make_node("Identity", [source.name], [name], name=name))
        outputs.append(Sym(name, source.dtype, source.shape, source.sequence))
    for node in builder.nodes:
        _rename(node, renamed)
    return outputs


def _holds_text(value: Any) -> bool:
    if isinstance(value, DictCell):
        return any(_holds_text(v) for _, v in value.content)
    if isinstance(value, ListCell):
        return not isinstance(value.content, Sym) and any(map(_holds_text, value.content))
    return any(map(_holds_text, value)) if isinstance(value, tuple) else isinstance(value, str)


def _joined_pairs(b: Builder, value: Any) -> list[Any]:
    """The values with complex tensors as real ones, with a last dimension of real and imaginary part."""
    if isinstance(value, Cell) and isinstance(value.read(), Pair):
        pair = value.read()
        return [Cell(b.op("Concat", b.unsqueeze(pair.real, -1), b.unsqueeze(pair.imag, -1), axis=-1))]
    if isinstance(value, Cell) and isinstance(value.read(), np.ndarray) and value.read().dtype.kind == "c":
        return [Cell(np.stack([value.read().real, value.read().imag], -1))]
    if isinstance(value, tuple) or (isinstance(value, ListCell) and not isinstance(value.content, Sym)):
        return [x for v in (value if isinstance(value, tuple) else value.content) for x in _joined_pairs(b, v)]
    if isinstance(value, DictCell):
        return [x for _, v in value.content for x in _joined_pairs(b, v)]
    return [value]


def _rename(node: onnx.NodeProto, names: Mapping[str, str]) -> None:
    for values in (node.input, node.output):
        for i, name in enumerate(values):
            if name in names:
                values[i] = names[name]
    for a in node.attribute:
        if a.HasField("g"):
            for inner in a.g.node:
                _rename(inner, names)


def _loosened(value: Sym, inputs: Sequence[Sym]) -> Sym:
    """An output whose unknown sizes are left open."""
    named = {d for s in inputs for d in s.shape or () if isinstance(d, str)}
    if value.shape is None:
        return value
    shape: Any = tuple(d if isinstance(d, int) or d in named else None for d in value.shape)
    return Sym(value.name, value.dtype, shape, value.sequence)


def _reads(node: onnx.NodeProto, found: set[str]) -> None:
    """Add the names that a node and its subgraphs read."""
    found.update(node.input)
    for a in node.attribute:
        if a.HasField("g"):
            found.update(o.name for o in a.g.output)
            for inner in a.g.node:
                _reads(inner, found)


def _live(nodes: Sequence[onnx.NodeProto], needed: set[str]) -> list[onnx.NodeProto]:
    """The nodes whose results are read, in order; `needed` gets what they read. Subgraphs are cleaned first."""
    kept = []
    for node in reversed(nodes):
        if any(o in needed for o in node.output):
            for a in node.attribute:
                if a.HasField("g"):
                    inner = _live(a.g.node, {o.name for o in a.g.output})
                    del a.g.node[:]
                    a.g.node.extend(inner)
            kept.append(node)
            _reads(node, needed)
    return kept[::-1]


def _tidy(model: onnx.ModelProto, builder: Builder) -> None:
    """Keep only the nodes whose results are read, and add the initializers that they use."""
    graph = model.graph
    needed = {o.name for o in graph.output}
    kept = _live(graph.node, needed)
    del graph.node[:]
    graph.node.extend(kept)
    graph.initializer.extend(tensor_proto(a, name) for name, a in builder.arrays.items() if name in needed)


__all__ = ["export_function"]
