"""Building ONNX graphs: nodes with element types and shapes known as far as ONNX's own inference and the sizes' names
tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, TypeProto, helper, shape_inference

from linstock.backends.array import promotion
from linstock.backends.onnx import folding
from linstock.ir import dtypes
from linstock.ir.errors import ExportError
from linstock.ir.source import Span

_ELEMENT = {
    6: TensorProto.FLOAT, 7: TensorProto.DOUBLE, 5: TensorProto.FLOAT16, 15: TensorProto.BFLOAT16, 0: TensorProto.UINT8, 1: TensorProto.INT8,
    2: TensorProto.INT16, 3: TensorProto.INT32, 4: TensorProto.INT64, 11: TensorProto.BOOL,
}  # fmt: skip
_CODE = {v: k for k, v in _ELEMENT.items()}
#: kinds whose results differ from run to run
_RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Bernoulli",
    "Multinomial",
    "Dropout",
}
_SMALL = 4096
#: elements of the largest constant that is computed when the model is exported
_FOLDED = 1 << 26
#: casts that can be undone
_LOSSLESS = {
    (6, 7),
    (3, 4),
    (5, 6),
    (15, 6),
    (5, 7),
    (15, 7),
    (3, 7),
    (2, 4),
    (0, 4),
    (1, 4),
    (11, 4),
    (11, 7),
    (11, 6),
    (11, 3),
    (2, 3),
    (0, 3),
    (1, 3),
    (0, 2),
}
_NUMBERS = (bool, int, float)
_END = np.iinfo(np.int64).max

Array = np.ndarray[Any, Any]
Dim = int | str


def element_type(code: int) -> int:
    """ONNX's number of an element type. Raises ExportError."""
    try:
        return _ELEMENT[code]
    except KeyError:
        raise ExportError(f"ONNX Runtime has no tensors of the type {dtypes.by_code(code).name}") from None


@dataclass(frozen=True, eq=False)
class Sym:
    """A value of the ONNX graph: its name, ScalarType code and shape (None: rank unknown; a dimension is an int or a
    name).

    `sequence`: a list of tensors of this type. `number`: a Python number rather than a tensor of rank 0. `dim`: it is
    the size called so.
    """

    name: str
    dtype: int
    shape: tuple[Dim, ...] | None
    sequence: bool = False
    number: bool = False
    dim: str | None = None

    @property
    def rank(self) -> int | None:
        """Number of dimensions, None if unknown."""
        return None if self.shape is None else len(self.shape)

    @property
    def static(self) -> bool:
        """Whether every size is a known number."""
        return self.shape is not None and all(isinstance(d, int) for d in self.shape)

    @property
    def floating(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return dtypes.by_code(self.dtype).is_floating_point

    def type_proto(self, loose: bool = False) -> TypeProto:
        """ONNX's description of the type, without the shape if `loose`."""
        shape = None if self.shape is None or loose else list(self.shape)
        inner = helper.make_tensor_type_proto(element_type(self.dtype), shape)
        return helper.make_sequence_type_proto(inner) if self.sequence else inner


class Names:
    """Unique names over a model and its subgraphs."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, hint: str) -> str:
        """`hint`, with a number behind it if it is taken."""
        name = hint
        while name in self._taken:
            number = self._next[hint] = self._next.get(hint, 0) + 1
            name = f"{hint}_{number}"
        self._taken.add(name)
        return name


class Builder:
    """Inserts nodes into one (sub)graph; equal nodes are inserted once. Initializers live in the outermost graph and
    are shared by content.
    """

    def __init__(self, opset: int, outer: Builder | None = None) -> None:
        self.opset, self.outer = opset, outer
        self.names: Names = Names() if outer is None else outer.names
        self.nodes: list[onnx.NodeProto] = []
        self.arrays: dict[str, Array] = {} if outer is None else outer.arrays
        self._constants: dict[Any, tuple[Sym, Any]] = {} if outer is None else outer._constants
        #: id of an array -> (the array, the name that it should get)
        self.hints: dict[int, tuple[Array, str]] = {} if outer is None else outer.hints
        self.span: Span | None = None if outer is None else outer.span
        #: what should be said about the exported model
        self.notes: list[str] = [] if outer is None else outer.notes
        self._made: dict[Any, tuple[Sym, ...]] = {}
        self._producers: dict[str, tuple[str, list[Sym | None], dict[str, Any]]] = {}
        self._sizes: dict[str, Sym] = {}

    def inner(self) -> Builder:
        """A builder for a subgraph, which sees everything outside."""
        return Builder(self.opset, self)

    def adopt(self, inner: Builder) -> None:
        """Append what was built in an inner builder."""
        self.nodes += inner.nodes
        self._made.update(inner._made)
        self._producers.update(inner._producers)
        self._sizes.update(inner._sizes)

    def note(self, text: str) -> None:
        """Say something about the exported model, once."""
        if text not in self.notes:
            self.notes.append(text)

    def _find(self, table: str, key: Any) -> Any:
        scope: Builder | None = self
        while scope is not None:
            found = getattr(scope, table).get(key)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def producer(self, value: Sym) -> tuple[str, list[Sym | None], dict[str, Any]]:
        """(kind, inputs, attributes) of the node that gives a value; ("", [], {}) for inputs and constants."""
        return self._find("_producers", value.name) or ("", [], {})

    # -- constants ---------------------------------------------------------------------------------------------------
    def constant(self, value: Any, dtype: int | None = None) -> Sym:
        """An array or number as a value: an initializer, one per content. A Python number keeps its Python type's
        element type.
        """
        number = type(value) in (bool, int, float)
        array = np.asarray(value) if dtype is None else np.asarray(promotion.cast(value, dtypes.numpy_of(dtype)))
        key: Any = ("id", id(value), array.dtype.name)
        if array.size <= _SMALL:
            key = (array.dtype.name, array.shape, np.ascontiguousarray(array).tobytes())
        known = self._constants.get(key)
        if known is None:
            hint = self.hints.get(id(value))
            name = self.names.take(hint[1] if hint else "c")
            self.arrays[name] = array
            known = self._constants[key] = Sym(name, dtypes.code_of(array.dtype), array.shape), value
        return replace(known[0], number=True) if number and dtype is None else known[0]

    def known(self, value: Any) -> Array | None:
        """The content of a value if it does not depend on the inputs."""
        if isinstance(value, Sym):
            return self.arrays.get(value.name)
        return np.asarray(value)

    def sym(self, value: Any, dtype: int | None = None) -> Sym:
        """A value of the graph: itself, or a constant; a list of numbers (which may depend on the inputs) becomes one
        vector.
        """
        if isinstance(value, Sym):
            return value if dtype is None else self.cast(value, dtype)
        if isinstance(value, (list, tuple)):
            if any(isinstance(v, Sym) for v in value) or not value:
                return self.vector(value)
            value = np.asarray(value)
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
                parts.append(self.single(v))
            else:
                run.append(int(v))
        if run or not parts:
            parts.append(self.constant(np.asarray(run, np.int64)))
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0)

    def single(self, value: Any) -> Sym:
        """A number as an int64 vector of one element."""
        if not isinstance(value, Sym):
            return self.constant(np.asarray([value], np.int64))
        kind, inputs, _ = self.producer(value)
        if kind == "Squeeze" and inputs[0] is not None and inputs[0].shape == (1,):
            return self.cast(inputs[0], 4)
        return self.op("Reshape", self.cast(value, 4), self.ints(1))

    def ints(self, *values: int) -> Sym:
        """A constant int64 vector."""
        return self.constant(np.asarray(values, np.int64))

    # -- nodes -------------------------------------------------------------------------------------------------------
    def op(self, kind: str, *inputs: Any, **attributes: Any) -> Sym:
        """Insert a node with one output. None among the inputs is an absent optional input, None among the attributes
        a default.

        Raises ExportError if ONNX rejects the types.
        """
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: Any, outputs: int, **attributes: Any) -> tuple[Sym, ...]:
        """Insert a node with several outputs."""
        if any(type(v) in _NUMBERS for v in inputs):
            inputs = self._literals(kind, inputs)
        syms = [None if v is None else self.sym(v) for v in inputs]
        while syms and syms[-1] is None:
            syms.pop()
        given = {k: v for k, v in attributes.items() if v is not None}
        short = self._short_cut(kind, syms, given)
        if short is not None:
            return (short,)
        key = None
        if kind not in _RANDOM:
            key = (
                kind,
                outputs,
                *[None if s is None else s.name for s in syms],
                *[(k, _hashable(v)) for k, v in sorted(given.items())],
            )
            found = self._find("_made", key)
            if found is not None:
                return found  # type: ignore[no-any-return]
        made = self._widened(kind, syms, given, outputs)
        if key is not None:
            self._made[key] = made
        return made

    def _literals(self, kind: str, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Python numbers among the inputs in the element type of an input that must have the same."""
        formals = [f.type_str for f in self._schema(kind).inputs]
        place = [formals[min(i, len(formals) - 1)] for i in range(len(inputs))]
        codes = {p: v.dtype for p, v in zip(place, inputs, strict=True) if isinstance(v, Sym)}
        return tuple(
            self.constant(v, codes.get(p)) if type(v) in _NUMBERS else v for p, v in zip(place, inputs, strict=True)
        )

    def _short_cut(self, kind: str, syms: list[Sym | None], given: dict[str, Any]) -> Sym | None:
        """The result without a node: it is an input itself, or it can be computed now."""
        x = syms[0] if syms else None
        if x is None:
            return None
        if kind == "Cast":
            if given["to"] == _ELEMENT.get(x.dtype):
                return x
            before, inputs, _ = self.producer(x)
            if (
                before == "Cast"
                and inputs[0] is not None
                and given["to"] == _ELEMENT.get(inputs[0].dtype)
                and (inputs[0].dtype, x.dtype) in _LOSSLESS
            ):
                return inputs[0]
        elif kind == "Transpose" and "perm" in given:
            if list(given["perm"]) == list(range(len(given["perm"]))):
                return x
            before, inputs, old = self.producer(x)
            if before == "Transpose" and "perm" in old:
                return self.op("Transpose", inputs[0], perm=[old["perm"][i] for i in given["perm"]])
        elif kind == "Not":
            before, inputs, _ = self.producer(x)
            if before == "Not":
                return inputs[0]
        elif (
            kind in ("Squeeze", "Unsqueeze") and len(syms) == 2 and syms[1] is not None and syms[1].shape == (0,)
        ) or (kind == "Concat" and len(syms) == 1):
            return x
        form = folding.FORMS.get(kind)
        if form is None or any(s is not None and s.name not in self.arrays for s in syms):
            return None
        arrays = [None if s is None else self.arrays[s.name] for s in syms]
        if any(a is not None and a.dtype == ml_dtypes.bfloat16 for a in arrays) and kind not in (
            "Cast",
            "Reshape",
            "Transpose",
        ):
            return None
        try:
            with np.errstate(all="ignore"):
                result = form(arrays, {**given, "code": _CODE[given["to"]]} if kind == "Cast" else given)
        except (ValueError, IndexError, ZeroDivisionError):
            return None
        if result.size > _FOLDED:
            return None
        made = np.asarray(result)
        if kind in ("Transpose", "Cast", "Reshape", "Unsqueeze") and x.name.partition("_")[0] != "c":
            self.hints[id(made)] = (made, f"{x.name}.{kind.lower()}")
        return self.constant(made)

    def _widened(self, kind: str, syms: list[Sym | None], given: dict[str, Any], outputs: int) -> tuple[Sym, ...]:
        """Insert a node, in a wider element type where ONNX or ONNX Runtime does not compute in this one."""
        schema = self._schema(kind)
        if self.opset > folding.UNTIL.get(kind, self.opset):
            raise ExportError(
                f"ONNX Runtime has no {kind} of opset {self.opset}: choose opset_version={folding.UNTIL[kind]}",
                self.span,
            )
        place = _operand_type(schema)
        formals = [f.type_str for f in schema.inputs]
        where = [
            i
            for i, s in enumerate(syms)
            if s is not None and not s.sequence and formals[min(i, len(formals) - 1)] == place
        ]
        if place is None or not where or kind in ("QuantizeLinear", "DequantizeLinear", "Cast"):
            return self._insert(kind, schema, syms, given, outputs)
        first = syms[where[0]]
        assert first is not None
        letter = folding.LETTERS.get(first.dtype, "")
        allowed = _allowed(schema, place) & set(folding.runs(kind))
        if letter in allowed or not letter:
            return self._insert(kind, schema, syms, given, outputs)
        target = folding.wider(letter, "".join(allowed))
        if target is None:
            raise ExportError(f"ONNX Runtime has no {kind} on {dtypes.by_code(first.dtype).name}", self.span)
        code = folding.CODES[target]
        wide = [self.cast(s, code) if i in where and s is not None else s for i, s in enumerate(syms)]
        results = self.ops(kind, *wide, outputs=outputs, **given)
        return tuple(
            self.cast(r, first.dtype) if f.type_str == place else r
            for r, f in zip(results, schema.outputs, strict=False)
        )

    def _insert(
        self, kind: str, schema: Any, syms: list[Sym | None], given: dict[str, Any], outputs: int
    ) -> tuple[Sym, ...]:
        names = ["" if s is None else s.name for s in syms]
        results = [self.names.take(kind.lower()) for _ in range(outputs)]
        node = helper.make_node(kind, names, results, name=results[0], **given)
        if self.span is not None:
            span = self.span.resolve()
            node.doc_string = f"{span.filename}:{span.lineno}"
        made = self._infer(schema, node, [s for s in syms if s is not None])
        self.nodes.append(node)
        for r in results:
            self._producers[r] = (kind, syms, given)
        return made

    def _schema(self, kind: str) -> Any:
        try:
            return onnx.defs.get_schema(kind, self.opset, "")
        except onnx.defs.SchemaError:
            raise ExportError(
                f"ONNX opset {self.opset} has no operator {kind}: choose a newer opset_version", self.span
            ) from None

    def _infer(self, schema: Any, node: onnx.NodeProto, inputs: Sequence[Sym]) -> tuple[Sym, ...]:
        types = {s.name: s.type_proto() for s in inputs}
        data = {
            s.name: _tensor(self.arrays[s.name], s.name)
            for s in inputs
            if s.name in self.arrays and self.arrays[s.name].size <= _SMALL
        }
        try:
            found = shape_inference.infer_node_outputs(
                schema, node, types, data, opset_imports=[helper.make_opsetid("", self.opset)]
            )
        except Exception as problem:  # ONNX's own checks raise classes of many kinds
            lines = str(problem).strip().splitlines()
            raise ExportError(
                f"ONNX does not accept {node.op_type} here: {lines[-1] if lines else '?'}", self.span
            ) from None
        return tuple(self._from_proto(name, found.get(name), inputs) for name in node.output)

    def _from_proto(self, name: str, proto: TypeProto | None, inputs: Sequence[Sym]) -> Sym:
        if proto is None:
            return Sym(name, inputs[0].dtype if inputs else 6, None)
        sequence = proto.HasField("sequence_type")
        tensor = proto.sequence_type.elem_type.tensor_type if sequence else proto.tensor_type
        shape: tuple[Dim, ...] | None = None
        if tensor.HasField("shape"):
            shape = tuple(
                d.dim_value if d.HasField("dim_value") else d.dim_param or self.unknown() for d in tensor.shape.dim
            )
        code = _CODE.get(tensor.elem_type)  # type: ignore[call-overload]
        return Sym(name, (inputs[0].dtype if inputs else 6) if code is None else code, shape, sequence)

    def unknown(self) -> str:
        """A name for a size of which nothing is known."""
        return self.names.take("unknown size")

    def shaped(self, value: Sym, shape: Sequence[Dim]) -> Sym:
        """The value, of which this shape is known (sizes that ONNX found as numbers stay)."""
        old = value.shape if value.shape is not None and len(value.shape) == len(shape) else shape
        merged = tuple(o if isinstance(o, int) else n for o, n in zip(old, shape, strict=True))
        return value if merged == value.shape else replace(value, shape=merged)

    # -- types -------------------------------------------------------------------------------------------------------
    def cast(self, value: Any, code: int) -> Sym:
        """The value in another element type (itself if it has it already)."""
        if not isinstance(value, Sym):
            return self.constant(value, code)
        if value.dtype == code:
            return value
        made = self.op("Cast", value, to=element_type(code))
        return replace(made, dim=value.dim, number=value.number) if value.dim or value.number else made

    def promote(self, *operands: Any, floating: bool = False) -> list[Sym]:
        """Operands cast to PyTorch's common type; Python numbers become constants of it. `floating`: at least the
        default float type.
        """
        code = self.common(*operands, floating=floating)
        return [self.cast(v, code) for v in operands]

    def common(self, *operands: Any, floating: bool = False) -> int:
        """ScalarType code of PyTorch's result type of the operands."""
        stand_ins = [_stand_in(v) if isinstance(v, Sym) else v for v in operands]
        dtype = promotion.result_type(*stand_ins)
        return dtypes.code_of(promotion.floating(dtype) if floating else dtype)

    def floating(self, value: Sym) -> Sym:
        """The value, integers and bools as the default floating-point type."""
        return value if value.floating else self.cast(value, promotion.default_code())

    # -- shapes ------------------------------------------------------------------------------------------------------
    def size(self, value: Sym, axis: int) -> Any:
        """The size of a dimension: an int if known, else a Sym of rank 0. Raises ExportError if the rank is unknown and
        needed.
        """
        if value.shape is None and axis < 0:
            self.rank(value)
        dim = None if value.shape is None else value.shape[axis]
        if isinstance(dim, int):
            return dim
        if dim is not None:
            found = self._find("_sizes", dim)
            if found is not None:
                return found
        start = axis if value.rank is None or axis >= 0 else axis + value.rank
        part = self.op("Shape", value, start=start or None, end=start + 1)
        made = replace(self.op("Squeeze", part, self.ints(0)), dim=dim, number=True)
        if dim is not None:
            self._sizes[dim] = made
        return made

    def sizes(self, value: Sym) -> list[Any]:
        """All sizes, as `size`. Raises ExportError if the rank is unknown."""
        return [self.size(value, i) for i in range(self.rank(value))]

    def rank(self, value: Sym) -> int:
        """The rank of a tensor. Raises ExportError if it is unknown."""
        if value.rank is None:
            raise ExportError(
                "the rank of a tensor is not known here: it must be the same on all paths of the program", self.span
            )
        return value.rank

    def axis(self, value: Sym, axis: int) -> int:
        """A dimension counted from the front."""
        rank = max(self.rank(value), 1)
        if isinstance(axis, Sym):
            raise ExportError("a dimension is chosen by a number that depends on the inputs", self.span)
        if not -rank <= axis < rank:
            raise ExportError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {axis})", self.span
            )
        return axis % rank

    def shape(self, value: Sym) -> Sym:
        """The whole shape as a vector."""
        return self.ints(*value.shape) if value.static else self.op("Shape", value)  # type: ignore[misc]

    def dims(self, sizes: Sequence[Any]) -> tuple[Dim, ...]:
        """The dimensions that sizes stand for, as types name them."""
        return tuple(s.dim or self.unknown() if isinstance(s, Sym) else int(s) for s in sizes)

    def reshape(self, value: Sym, sizes: Sequence[Any]) -> Sym:
        """Reshape to sizes that may depend on the inputs (one may be -1)."""
        shape = self._reshaped(value, list(sizes))
        if shape is not None and shape == value.shape:
            return value
        sizes = [
            s if d is None or not isinstance(d, int) else d
            for s, d in zip(sizes, shape or (None,) * len(sizes), strict=True)
        ]
        named = [i for i, s in enumerate(sizes) if isinstance(s, Sym)]
        if (
            len(named) == 1
            and -1 not in sizes
            and 0 not in sizes
            and shape is not None
            and value.shape is not None
            and 0 not in value.shape
        ):
            sizes = [-1 if i in named else s for i, s in enumerate(sizes)]
        before, inputs, _ = self.producer(value)
        if before == "Reshape" and inputs[0] is not None and value.name not in self.arrays:
            value = inputs[0]
        made = self.op("Reshape", value, self.sym(list(sizes)), allowzero=1 if 0 in sizes and -1 not in sizes else None)
        return made if shape is None else self.shaped(made, shape)

    def _reshaped(self, value: Sym, sizes: list[Any]) -> tuple[Dim, ...] | None:
        """The shape after a reshape: what -1 stands for follows from the other sizes, where their names match."""
        shape: list[Any] = [
            None if not isinstance(s, Sym) and s == -1 else d for s, d in zip(sizes, self.dims(sizes), strict=True)
        ]
        if None in shape and value.shape is not None:
            have = list(value.shape)
            wanted = [d for d in shape if d is not None]
            for d in list(wanted):
                if d in have and (isinstance(d, str) or d == 0):
                    have.remove(d)
                    wanted.remove(d)
            names = [d for d in have if isinstance(d, str)]
            total = int(np.prod([d for d in have if isinstance(d, int)], dtype=np.int64))
            given = int(np.prod([d for d in wanted if isinstance(d, int)], dtype=np.int64))
            if all(isinstance(d, int) for d in wanted) and given and total % given == 0:
                if not names:
                    shape[shape.index(None)] = total // given
                elif len(names) == 1 and total == given:
                    shape[shape.index(None)] = names[0]
        return tuple(self.unknown() if d is None else d for d in shape)

    def expand(self, value: Sym, sizes: Sequence[Any]) -> Sym:
        """Broadcast to sizes that may depend on the inputs."""
        dims = self.dims(sizes)
        if value.shape == dims:
            return value
        made = self.op("Expand", value, self.sym(list(sizes)))
        return self.shaped(made, dims)

    def expand_to(self, value: Sym, like: Sym) -> Sym:
        """Broadcast to another value's shape."""
        if value.shape is not None and value.shape == like.shape:
            return value
        made = self.op("Expand", value, self.shape(like))
        return made if like.shape is None else self.shaped(made, like.shape)

    def filled(self, sizes: Sequence[Any], value: Any, code: int) -> Sym:
        """A tensor of one number."""
        if not any(isinstance(s, Sym) for s in sizes):
            if int(np.prod(sizes, dtype=np.int64)) <= _SMALL and not isinstance(value, Sym):
                return self.constant(np.full([int(s) for s in sizes], promotion.cast(value, dtypes.numpy_of(code))))
        return self.expand(self.cast(value, code), sizes)

    def transpose(self, value: Sym, order: Sequence[int]) -> Sym:
        """Dimensions in another order."""
        return self.op("Transpose", value, perm=list(order))

    def unsqueeze(self, value: Sym, *axes: int) -> Sym:
        """New dimensions of size 1 at these places of the result."""
        return self.op("Unsqueeze", value, self.ints(*axes))

    def squeeze(self, value: Sym, *axes: int) -> Sym:
        """Without these dimensions of size 1."""
        return self.op("Squeeze", value, self.ints(*axes))

    def slice(self, value: Sym, axis: int, start: Any, end: Any = None, step: int = 1) -> Sym:
        """Part of a dimension; bounds as Python's, and may depend on the inputs."""
        size = None if value.shape is None else value.shape[axis]
        end = _END if end is None else end
        if isinstance(size, int) and not isinstance(start, Sym) and not isinstance(end, Sym) and step == 1:
            start, end, _ = slice(start, end).indices(size)
            if start == 0 and end == size:
                return value
        if not isinstance(start, Sym) and start == 0 and not isinstance(end, Sym) and end >= 1 << 62 and step == 1:
            return value
        if (
            isinstance(end, Sym)
            and not isinstance(start, Sym)
            and start == 0
            and step == 1
            and end.dim is not None
            and end.dim == size
        ):
            return value
        return self.op(
            "Slice",
            value,
            self.single(start),
            self.single(end),
            self.ints(axis),
            None if step == 1 else self.ints(step),
        )

    def gather(self, value: Sym, index: Any, axis: int = 0) -> Sym:
        """Elements of a dimension at integer places; rank 0 removes it."""
        return self.op("Gather", value, self.places(index), axis=axis)

    def places(self, index: Any) -> Sym:
        """Indices in a type that ONNX takes as such."""
        made = index if isinstance(index, Sym) else self.constant(np.asarray(index, np.int64))
        return made if made.dtype in (3, 4) else self.cast(made, 4)


def _stand_in(value: Sym) -> Any:
    if value.number:
        return {4: 1, 7: 1.0, 11: True}.get(value.dtype, 1.0)
    return _StandIn(value)


class _StandIn:
    """What promotion needs to see of a symbolic operand."""

    def __init__(self, value: Sym) -> None:
        self.dtype = dtypes.numpy_of(value.dtype)
        self.ndim = 1 if value.rank is None else value.rank


def _hashable(value: Any) -> Any:
    return (
        tuple(value)
        if isinstance(value, (list, tuple))
        else str(value)
        if not isinstance(value, (int, float, str))
        else value
    )


_ALLOWED: dict[tuple[str, int, str], set[str]] = {}


def _allowed(schema: Any, place: str) -> set[str]:
    """Letters of the element types that ONNX allows for a type parameter."""
    key = (schema.name, schema.since_version, place)
    found = _ALLOWED.get(key)
    if found is None:
        texts = next((t.allowed_type_strs for t in schema.type_constraints if t.type_param_str == place), [place])
        numbers = {_STRINGS[s] for s in texts if s in _STRINGS}
        found = _ALLOWED[key] = {folding.LETTERS[_CODE[n]] for n in numbers}
    return found


_STRINGS = {
    f"tensor({n.lower()})": TensorProto.DataType.Value(n)
    for n in ("FLOAT16", "FLOAT", "DOUBLE", "BFLOAT16", "UINT8", "INT8", "INT16", "INT32", "INT64", "BOOL")
}


def _operand_type(schema: Any) -> str | None:
    """The type parameter that an operator computes in: that of its first result if an input has it too, else of its
    first input.
    """
    inputs = [f.type_str for f in schema.inputs]
    if not inputs:
        return None
    out = schema.outputs[0].type_str if schema.outputs else ""
    place = out if out in inputs else inputs[0]
    return place if "(" not in place else None


def _tensor(array: Array, name: str) -> TensorProto:
    if array.dtype == ml_dtypes.bfloat16:
        made = TensorProto(name=name, data_type=TensorProto.BFLOAT16, dims=list(array.shape))
        made.raw_data = np.ascontiguousarray(array).view(np.uint16).tobytes()
        return made
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


tensor_proto = _tensor
__all__ = ["Array", "Builder", "Dim", "Names", "Sym", "element_type", "tensor_proto"]
