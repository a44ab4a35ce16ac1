"""Building ONNX graphs: nodes with element types and shapes known as far as ONNX's own inference tells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, TypeProto, helper, shape_inference

from linstock.backends.array import promotion
from linstock.ir import dtypes
from linstock.ir.errors import ExportError
from linstock.ir.source import Span

_ELEMENT = {
    6: TensorProto.FLOAT, 7: TensorProto.DOUBLE, 5: TensorProto.FLOAT16, 15: TensorProto.BFLOAT16, 0: TensorProto.UINT8, 1: TensorProto.INT8,
    2: TensorProto.INT16, 3: TensorProto.INT32, 4: TensorProto.INT64, 11: TensorProto.BOOL, 9: TensorProto.COMPLEX64, 10: TensorProto.COMPLEX128,
    12: TensorProto.INT8, 13: TensorProto.UINT8, 14: TensorProto.INT32,
}  # fmt: skip
_CODE = {v: k for k, v in _ELEMENT.items() if k < 12 or k == 15}

Dim = int | str | None


def element_type(code: int) -> int:
    """ONNX's number of an element type. Raises ExportError."""
    try:
        return _ELEMENT[code]
    except KeyError:
        raise ExportError(f"ONNX has no element type for {dtypes.by_code(code).name}") from None


@dataclass(frozen=True)
class Sym:
    """A value of the ONNX graph: its name, ScalarType code and shape (None: rank unknown; a dimension is an int, a name or None).

    A sequence has `sequence` set; its code and shape are those of the elements.
    """

    name: str
    dtype: int
    shape: tuple[Dim, ...] | None
    sequence: bool = False

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def static(self) -> bool:
        """Whether every size is a known number."""
        return self.shape is not None and all(isinstance(d, int) for d in self.shape)

    def type_proto(self) -> TypeProto:
        inner = helper.make_tensor_type_proto(element_type(self.dtype), None if self.shape is None else list(self.shape))
        return helper.make_sequence_type_proto(inner) if self.sequence else inner


class Names:
    """Unique names over a model and its subgraphs."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counter: Iterator[int] = itertools.count()

    def take(self, hint: str = "") -> str:
        name = hint or f"v{next(self._counter)}"
        while name in self._taken:
            name = f"{hint or 'v'}_{next(self._counter)}"
        self._taken.add(name)
        return name


class Builder:
    """Inserts nodes into one (sub)graph. Initializers live in the outermost graph and are shared by content."""

    def __init__(self, opset: int, names: Names | None = None, outer: Builder | None = None) -> None:
        self.opset, self.outer = opset, outer
        self.names = names or Names()
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {} if outer is None else outer.initializers
        self._constants: dict[Any, Sym] = {} if outer is None else outer._constants
        self.alive: list[Any] = [] if outer is None else outer.alive
        self.span: Span | None = None

    def inner(self) -> Builder:
        """A builder for a subgraph, which sees everything outside."""
        made = Builder(self.opset, self.names, self)
        made.span = self.span
        return made

    # -- constants ---------------------------------------------------------------------------------------------------
    def constant(self, value: Any, dtype: int | None = None, name: str = "") -> Sym:
        """An array, number or list of numbers as a value: an initializer, one per content."""
        array = np.asarray(value)
        if dtype is not None:
            array = array.astype(dtypes.numpy_of(dtype))
        elif array.dtype == np.float64 and not isinstance(value, np.ndarray):
            array = array.astype(promotion.default_dtype())
        if array.dtype.kind in "uifb" and not array.flags.c_contiguous:
            array = np.ascontiguousarray(array).reshape(array.shape)
        key: Any = (array.dtype.str if array.dtype != ml_dtypes.bfloat16 else "bf16", array.shape, array.tobytes()) if array.size <= 4096 else ("id", id(value))
        known = self._constants.get(key)
        if known is None:
            self.alive.append(value)
            taken = self.names.take(name)
            self.initializers[taken] = _tensor(array, taken)
            known = self._constants[key] = Sym(taken, dtypes.code_of(array.dtype), array.shape)
        return known

    def sym(self, value: Any, dtype: int | None = None) -> Sym:
        """A converter's argument as a value of the graph: itself, or a constant; a list of numbers becomes one vector."""
        if isinstance(value, Sym):
            return value
        if isinstance(value, (list, tuple)) and any(isinstance(v, Sym) for v in value):
            return self.vector(value)
        if isinstance(value, (list, tuple)):
            return self.constant(np.asarray(value, np.int64) if not value else np.asarray(value), dtype)
        return self.constant(value, dtype)

    def vector(self, values: Sequence[Any]) -> Sym:
        """A 1-D int64 value of numbers that may depend on the inputs."""
        parts: list[Sym] = []
        run: list[int] = []
        for v in values:
            if isinstance(v, Sym):
                if run:
                    parts.append(self.constant(np.asarray(run, np.int64)))
                    run = []
                parts.append(self.op("Reshape", self.cast(v, 4), np.asarray([1], np.int64)))
            else:
                run.append(int(v))
        if run or not parts:
            parts.append(self.constant(np.asarray(run, np.int64)))
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0)

    # -- nodes -------------------------------------------------------------------------------------------------------
    def op(self, kind: str, *inputs: Any, outputs: int = 1, domain: str = "", **attributes: Any) -> Any:
        """Insert a node; gives a Sym, or a tuple of them. None among the inputs is an absent optional input.

        Attributes that are None are left out. Raises ExportError if ONNX rejects the types.
        """
        syms = [None if v is None else self.sym(v) for v in inputs]
        while syms and syms[-1] is None:
            syms.pop()
        names = ["" if s is None else s.name for s in syms]
        results = [self.names.take() for _ in range(outputs)]
        given = {k: v for k, v in attributes.items() if v is not None}
        node = helper.make_node(kind, names, results, domain=domain, **given)
        if self.span is not None:
            span = self.span.resolve()
            node.doc_string = f"{span.filename}:{span.lineno}"
        made = self._infer(node, [s for s in syms if s is not None])
        self.nodes.append(node)
        return made[0] if outputs == 1 else tuple(made)

    def _infer(self, node: onnx.NodeProto, inputs: Sequence[Sym]) -> list[Sym]:
        try:
            schema = onnx.defs.get_schema(node.op_type, self.opset, node.domain)
        except onnx.defs.SchemaError:
            raise ExportError(f"ONNX opset {self.opset} has no operator {node.op_type}: choose a newer opset") from None
        types = {s.name: s.type_proto() for s in inputs}
        data = {s.name: self.initializers[s.name] for s in inputs if s.name in self.initializers and np.prod(s.shape or (1,)) <= 4096}
        try:
            found = shape_inference.infer_node_outputs(schema, node, types, data, opset_imports=[helper.make_opsetid("", self.opset)])
        except (onnx.shape_inference.InferenceError, RuntimeError, ValueError) as problem:
            first = str(problem).strip().splitlines()[-1] if str(problem).strip() else "?"
            raise ExportError(f"ONNX does not accept {node.op_type} here: {first}", self.span) from None
        results = []
        for name in node.output:
            proto = found.get(name)
            results.append(_from_proto(name, proto, inputs))
        return results

    # -- common forms ------------------------------------------------------------------------------------------------
    def cast(self, value: Any, code: int) -> Any:
        """The value in another element type (itself if it has it already)."""
        if isinstance(value, Sym):
            return value if value.dtype == code else self.op("Cast", value, to=element_type(code))
        array = np.asarray(value)
        return array if dtypes.code_of(array.dtype) == code else array.astype(dtypes.numpy_of(code))

    def promote(self, *operands: Any, floating: bool = False) -> list[Any]:
        """Operands cast to PyTorch's common type; Python numbers become arrays of it. `floating`: at least the default float type."""
        code = self.common(*operands, floating=floating)
        return [self.cast(v if isinstance(v, (Sym, np.ndarray)) else np.asarray(v), code) for v in operands]

    def common(self, *operands: Any, floating: bool = False) -> int:
        """ScalarType code of PyTorch's result type of the operands."""
        stand_ins = [_StandIn(v) if isinstance(v, Sym) else v for v in operands]
        dtype = promotion.result_type(*stand_ins)
        return dtypes.code_of(promotion.floating(dtype) if floating else dtype)

    def size(self, value: Any, axis: int) -> Any:
        """The size of a dimension: an int if known, else a Sym of rank 0."""
        if not isinstance(value, Sym):
            return int(value.shape[axis])
        if value.shape is not None and isinstance(value.shape[axis], int):
            return value.shape[axis]
        start = axis if value.rank is None or axis >= 0 else axis + value.rank
        shape = self.op("Shape", value)
        return self.op("Gather", shape, np.asarray(start, np.int64), axis=0)

    def sizes(self, value: Any) -> list[Any]:
        """All sizes, as `size`. Raises ExportError if the rank is unknown."""
        return [self.size(value, i) for i in range(self.rank(value))]

    def rank(self, value: Any) -> int:
        """The rank of a tensor. Raises ExportError if it is unknown."""
        rank = value.rank if isinstance(value, Sym) else value.ndim
        if rank is None:
            raise ExportError("the rank of a tensor is not known here: give example inputs, or annotate the program so that it is", self.span)
        return int(rank)

    def axis(self, value: Any, axis: int) -> int:
        """A dimension counted from the front."""
        rank = self.rank(value)
        return axis + max(rank, 1) if axis < 0 else axis

    def reshape(self, value: Any, sizes: Sequence[Any]) -> Sym:
        """Reshape to sizes that may depend on the inputs (one may be -1)."""
        unknown = [i for i, s in enumerate(sizes) if isinstance(s, Sym)]
        made = self.op("Reshape", value, self.sym(list(sizes)), allowzero=1 if 0 in [s for s in sizes if isinstance(s, int)] and -1 not in [s for s in sizes if isinstance(s, int)] else None)
        if made.shape is None or any(d is None for d in made.shape):
            shape = tuple(None if i in unknown or s == -1 else int(s) for i, s in enumerate(sizes))
            known = made.shape if made.shape is not None and len(made.shape) == len(shape) else shape
            made = Sym(made.name, made.dtype, tuple(a if isinstance(a, int) else k for a, k in zip(shape, known, strict=True)))
        return made


class _StandIn:
    """What promotion needs to see of a symbolic operand."""

    def __init__(self, value: Sym) -> None:
        self.dtype = dtypes.numpy_of(value.dtype)
        self.ndim = 1 if value.rank is None else value.rank


def _tensor(array: np.ndarray[Any, Any], name: str) -> TensorProto:
    if array.dtype == ml_dtypes.bfloat16:
        made = TensorProto(name=name, data_type=TensorProto.BFLOAT16, dims=list(array.shape))
        made.raw_data = array.view(np.uint16).tobytes()
        return made
    return onnx.numpy_helper.from_array(array, name)


def _from_proto(name: str, proto: TypeProto | None, inputs: Sequence[Sym]) -> Sym:
    if proto is None:
        return Sym(name, inputs[0].dtype if inputs else 6, None)
    sequence = proto.HasField("sequence_type")
    tensor = proto.sequence_type.elem_type.tensor_type if sequence else proto.tensor_type
    shape: tuple[Dim, ...] | None = None
    if tensor.HasField("shape"):
        shape = tuple(
            d.dim_value if d.HasField("dim_value") else (d.dim_param or None) for d in tensor.shape.dim
        )
    code = _CODE.get(tensor.elem_type)
    if code is None:
        code = inputs[0].dtype if inputs else 6
    return Sym(name, code, shape, sequence)


__all__ = ["Builder", "Names", "Sym", "element_type"]
