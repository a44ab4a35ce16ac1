"""Lists, dictionaries, sizes and facts about tensors while exporting: computed where known, parts kept symbolic where
not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.array import promotion
from linstock.backends.onnx.builder import Sym
from linstock.backends.onnx.control import sequence
from linstock.backends.onnx.errors import Raised
from linstock.backends.onnx.values import SYMBOLIC, Cell, DictCell, ListCell, is_known, key_of
from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import CPU
from linstock.ir.errors import ExportError
from linstock.ir.graph import Node

if TYPE_CHECKING:
    from linstock.backends.onnx.exporter import Exporter

Handler = Callable[["Exporter", Node, list[Any]], Any]
CONTAINERS: dict[str, Handler] = {}


def handles(*kinds: str) -> Callable[[Handler], Handler]:
    """Register how an operator on containers or sizes is run; it may give NotImplemented to leave it to kernels and
    converters.
    """

    def register(function: Handler) -> Handler:
        for kind in kinds:
            CONTAINERS[kind] = function
        return function

    return register


def code_of(content: Any) -> int:
    """The ScalarType code of a tensor's content."""
    if isinstance(content, SYMBOLIC):
        return content.dtype
    return content.dtype_code if hasattr(content, "ints") else dtypes.code_of(content.dtype)


# -- facts about tensors -----------------------------------------------------------------------------------------------
@handles("aten::size")
def _size(e: Exporter, node: Node, args: list[Any]) -> Any:
    content = args[0].read()
    if not isinstance(content, SYMBOLIC):
        return NotImplemented
    shown = getattr(content, "real", getattr(content, "ints", content))
    if len(args) == 1:
        return ListCell(tuple(e.builder.sizes(shown)))  # type: ignore[arg-type]
    if isinstance(args[1], Sym):
        return e.builder.op("Gather", e.builder.op("Shape", shown), args[1])
    return e.builder.size(shown, e.builder.axis(shown, args[1]))  # type: ignore[arg-type]


@handles("aten::dim")
def _dim(e: Exporter, node: Node, args: list[Any]) -> Any:
    content = args[0].read()
    return e.builder.rank(content) if isinstance(content, SYMBOLIC) else content.ndim  # type: ignore[arg-type]


@handles("aten::len")
def _length(e: Exporter, node: Node, args: list[Any]) -> Any:
    value = args[0]
    if isinstance(value, Cell):
        content = value.read()
        return (
            e.builder.size(getattr(content, "real", content), 0)  # type: ignore[arg-type]
            if isinstance(content, (Sym, *SYMBOLIC))
            else len(content)
        )
    if isinstance(value, ListCell):
        return (
            replace(e.builder.op("SequenceLength", value.content), number=True)
            if isinstance(value.content, Sym)
            else len(value.content)
        )
    return len(value.content) if isinstance(value, DictCell) else NotImplemented


@handles("aten::numel")
def _numel(e: Exporter, node: Node, args: list[Any]) -> Any:
    content = args[0].read()
    if not isinstance(content, SYMBOLIC):
        return int(content.size)
    shown = getattr(content, "real", getattr(content, "ints", content))
    return int(np.prod(content.shape, dtype=np.int64)) if content.static else e.builder.op("Size", shown)  # type: ignore[arg-type]


@handles("prim::dtype")
def _dtype(e: Exporter, node: Node, args: list[Any]) -> Any:
    return code_of(args[0].read())


@handles("prim::device")
def _device(e: Exporter, node: Node, args: list[Any]) -> Any:
    return CPU


@handles("aten::is_floating_point", "aten::is_complex", "aten::is_signed")
def _kind(e: Exporter, node: Node, args: list[Any]) -> Any:
    d = dtypes.by_code(code_of(args[0].read()))
    return {
        "aten::is_floating_point": d.is_floating_point,
        "aten::is_complex": d.is_complex,
        "aten::is_signed": d.is_signed,
    }[node.kind]


@handles("prim::is_quantized")
def _is_quantized(e: Exporter, node: Node, args: list[Any]) -> Any:
    return dtypes.by_code(code_of(args[0].read())).is_quantized


@handles(
    "prim::is_cuda", "prim::is_sparse", "prim::is_sparse_csr", "prim::requires_grad", "prim::is_nested", "prim::is_mkldnn", "prim::is_xpu",
    "prim::is_mps", "prim::is_meta", "prim::is_vulkan", "prim::is_ipu", "prim::is_maia", "prim::is_mtia", "prim::is_xla", "aten::is_grad_enabled",
    "aten::is_autocast_enabled", "aten::is_autocast_cpu_enabled", "aten::is_inference", "aten::_get_tracing_state", "aten::is_conj", "aten::is_neg",
    "aten::is_distributed", "aten::is_pinned",
)  # fmt: skip
def _never(e: Exporter, node: Node, args: list[Any]) -> Any:
    return False


@handles("aten::is_contiguous", "prim::is_cpu", "aten::is_scripting", "aten::is_leaf")
def _always(e: Exporter, node: Node, args: list[Any]) -> Any:
    return True


@handles("prim::layout", "aten::storage_offset")
def _zero(e: Exporter, node: Node, args: list[Any]) -> Any:
    return 0


@handles("aten::stride")
def _stride(e: Exporter, node: Node, args: list[Any]) -> Any:
    content = args[0].read()
    if not isinstance(content, Sym):
        return NotImplemented
    if not content.static:
        raise ExportError("the strides of a tensor are asked for, and its sizes depend on the inputs")
    sizes = list(content.shape or ())
    strides = [int(np.prod(sizes[i + 1 :], dtype=np.int64)) for i in range(len(sizes))]  # type: ignore[arg-type]
    return ListCell(tuple(strides)) if len(args) == 1 else strides[args[1]]


@handles("aten::__is__", "aten::__isnot__")
def _identity(e: Exporter, node: Node, args: list[Any]) -> Any:
    a, b = args
    same = a is b or (isinstance(a, (bool, int, float, str)) and type(a) is type(b) and a == b)
    return same if node.kind == "aten::__is__" else not same


@handles("aten::_unwrap_optional", "aten::wait")
def _first(e: Exporter, node: Node, args: list[Any]) -> Any:
    if args[0] is None:
        raise Raised("Unwrapping null optional")
    return args[0]


@handles("prim::IfThenElse")
def _choice(e: Exporter, node: Node, args: list[Any]) -> Any:
    if isinstance(args[0], Sym):
        raise ExportError("a value is chosen by a condition that depends on the inputs")
    return args[1] if args[0] else args[2]


@handles("aten::format", "aten::percentFormat", "aten::str", "aten::join")
def _text(e: Exporter, node: Node, args: list[Any]) -> Any:
    return NotImplemented if all(map(is_known, args)) else "(text that depends on the inputs)"


# -- lists and dictionaries --------------------------------------------------------------------------------------------
def _index_number(e: Exporter, index: Any) -> Sym:
    return e.builder.cast(index, 4)


@handles("aten::__getitem__")
def _get(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, index = args
    if isinstance(container, DictCell):
        return _looked_up(container, index)
    if not isinstance(container, ListCell):
        return NotImplemented
    content = container.content
    if isinstance(content, Sym):
        made = e.builder.op("SequenceAt", content, _index_number(e, index))
        made = Sym(made.name, content.dtype, content.shape)
        return Cell(made) if isinstance(node.outputs[0].type, T.TensorType) else replace(made, number=True)
    if not isinstance(index, Sym):
        if not -len(content) <= index < len(content):
            raise Raised("list index out of range")
        return content[index]
    if all(isinstance(v, (bool, int, float, Sym)) for v in content):
        b = e.builder
        parts = [b.op("Reshape", b.sym(v), b.ints(1)) for v in content]
        return replace(b.op("Gather", b.op("Concat", *b.promote(*parts), axis=0), index, axis=0), number=True)
    if content and all(isinstance(v, Cell) for v in content):
        joined = sequence(e.builder, container, code_of(content[0].read()))
        return Cell(Sym(e.builder.op("SequenceAt", joined, _index_number(e, index)).name, joined.dtype, joined.shape))
    raise ExportError("a list of such elements cannot be indexed with a number that depends on the inputs")


def _looked_up(container: DictCell, index: Any) -> Any:
    if not is_known(index):
        raise ExportError("a dictionary is asked for a key that depends on the inputs")
    for k, v in container.content:
        if key_of(k) == key_of(index):
            return v
    raise Raised(f"KeyError: {key_of(index)!r}")


@handles("aten::_set_item")
def _set(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, index, value = args
    if isinstance(container, DictCell):
        pairs = list(container.content)
        for i, (k, _) in enumerate(pairs):
            if key_of(k) == key_of(index):
                pairs[i] = (k, value)
                break
        else:
            pairs.append((index, value))
        e.write(container, tuple(pairs))
    elif isinstance(container, ListCell) and isinstance(container.content, Sym):
        b, at = e.builder, _index_number(e, index)
        item = b.cast(e.operand(value), container.content.dtype)
        made = b.op("SequenceInsert", b.op("SequenceErase", container.content, at), item, at)
        e.write(
            container,
            Sym(
                made.name, made.dtype, container.content.shape if container.content.shape == item.shape else None, True
            ),
        )
    elif isinstance(container, ListCell) and isinstance(index, int):
        items = list(container.content)
        if not -len(items) <= index < len(items):
            raise Raised("list assignment index out of range")
        items[index] = value
        e.write(container, tuple(items))
    else:
        raise ExportError("an element of a list is set at a place that depends on the inputs")
    return container if node.outputs else ()


@handles(
    "aten::append",
    "aten::extend",
    "aten::insert",
    "aten::pop",
    "aten::clear",
    "aten::reverse",
    "aten::remove",
    "aten::Delete",
)
def _mutate(e: Exporter, node: Node, args: list[Any]) -> Any:
    container = args[0]
    if isinstance(container, DictCell):
        return _mutate_dict(e, node, args)
    if isinstance(container.content, Sym):
        return _mutate_sequence(e, node, args)
    name = node.kind[6:]
    if any(isinstance(a, Sym) for a in args[1:]) and name in ("insert", "pop", "Delete", "remove"):
        raise ExportError(f"{node.kind} at a place that depends on the inputs")
    items = list(container.content)
    result: Any = container
    if name == "append":
        items.append(args[1])
    elif name == "extend":
        if isinstance(args[1].content, Sym):
            raise ExportError("a list is extended by one whose length depends on the inputs")
        items.extend(args[1].content)
    elif name == "insert":
        items.insert(args[1], args[2])
    elif name in ("pop", "Delete"):
        if not -len(items) <= args[1] < len(items):
            raise Raised("pop index out of range")
        result = items.pop(args[1])
    elif name == "clear":
        items.clear()
    elif name == "reverse":
        items.reverse()
    else:
        return NotImplemented
    e.write(container, tuple(items))
    return result if node.outputs else ()


def _mutate_sequence(e: Exporter, node: Node, args: list[Any]) -> Any:
    """Changes of a list whose length depends on the inputs."""
    container, name, b = args[0], node.kind[6:], e.builder
    content: Sym = container.content
    result: Any = container
    if name in ("append", "insert"):
        made = _inserted(e, content, args[-1], args[1] if name == "insert" else None)
    elif name == "extend" and not isinstance(args[1].content, Sym):
        made = content
        for item in args[1].content:
            made = _inserted(e, made, item, None)
    elif name in ("pop", "Delete"):
        at = _index_number(e, args[1])
        taken = Sym(b.op("SequenceAt", content, at).name, content.dtype, content.shape)
        result = (
            Cell(taken)
            if isinstance(node.outputs[0].type if node.outputs else T.TENSOR, T.TensorType)
            else replace(taken, number=True)
        )
        made = Sym(b.op("SequenceErase", content, at).name, content.dtype, content.shape, True)
    else:
        raise ExportError(f"{node.kind} on a list whose length depends on the inputs")
    e.write(container, made)
    return result if node.outputs else ()


def _inserted(e: Exporter, content: Sym, item: Any, place: Any) -> Sym:
    value = e.operand(item)
    if not isinstance(value, (Sym, bool, int, float)):
        raise ExportError("a list whose length depends on the inputs gets an element that is no tensor or number")
    sym = e.builder.cast(value, content.dtype)
    made = e.builder.op("SequenceInsert", content, sym, None if place is None else _index_number(e, place))
    shape: Any = None
    if content.shape is not None and sym.shape is not None and len(content.shape) == len(sym.shape):
        shape = tuple(i if i == j else e.builder.unknown() for i, j in zip(content.shape, sym.shape, strict=True))
    return Sym(made.name, content.dtype, shape, True)


def _mutate_dict(e: Exporter, node: Node, args: list[Any]) -> Any:
    pairs = list(args[0].content)
    if node.kind == "aten::clear":
        e.write(args[0], ())
        return args[0] if node.outputs else ()
    for i, (k, v) in enumerate(pairs):
        if key_of(k) == key_of(args[1]):
            del pairs[i]
            e.write(args[0], tuple(pairs))
            return v if node.outputs else ()
    if len(args) > 2:
        return args[2]
    raise Raised(f"KeyError: {key_of(args[1])!r}")


@handles("aten::keys", "aten::values", "aten::items")
def _dict_parts(e: Exporter, node: Node, args: list[Any]) -> Any:
    if not isinstance(args[0], DictCell):
        return NotImplemented
    pick: dict[str, Callable[[Any, Any], Any]] = {
        "aten::keys": lambda k, v: k, "aten::values": lambda k, v: v, "aten::items": lambda k, v: (k, v),
    }  # fmt: skip
    return ListCell(tuple(pick[node.kind](k, v) for k, v in args[0].content))


@handles("aten::get", "aten::setdefault")
def _dict_get(e: Exporter, node: Node, args: list[Any]) -> Any:
    for k, v in args[0].content:
        if key_of(k) == key_of(args[1]):
            return v
    default = args[2] if len(args) > 2 else None
    if node.kind == "aten::setdefault":
        e.write(args[0], (*args[0].content, (args[1], default)))
    return default


@handles("aten::update")
def _dict_update(e: Exporter, node: Node, args: list[Any]) -> Any:
    merged = {key_of(k): (k, v) for k, v in (*args[0].content, *args[1].content)}
    e.write(args[0], tuple(merged.values()))
    return ()


@handles("aten::dict")
def _dict(e: Exporter, node: Node, args: list[Any]) -> Any:
    if not args:
        return DictCell(())
    if isinstance(args[0], DictCell):
        return DictCell(args[0].content)
    return DictCell(tuple({key_of(k): (k, v) for k, v in args[0].content}.values()))


@handles("aten::__contains__")
def _contains(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, item = args
    if isinstance(container, DictCell):
        return any(key_of(k) == key_of(item) for k, _ in container.content)
    if not isinstance(container, ListCell) or (is_known(container) and is_known(item)):
        return NotImplemented
    if isinstance(container.content, Sym):
        raise ExportError("membership in a list whose length depends on the inputs")
    found: Any = None
    for v in container.content:
        one = e.builder.op("Equal", *e.builder.promote(e.operand(v), e.operand(item)))
        found = one if found is None else e.builder.op("Or", found, one)
    return False if found is None else found


@handles("aten::slice")
def _slice(e: Exporter, node: Node, args: list[Any]) -> Any:
    if not isinstance(args[0], ListCell):
        return NotImplemented
    if isinstance(args[0].content, Sym):
        raise ExportError("a list whose length depends on the inputs is sliced")
    if any(isinstance(a, Sym) for a in args[1:]):
        raise ExportError("a list is sliced at a place that depends on the inputs")
    return ListCell(args[0].content[slice(*args[1:])])


@handles("aten::add", "aten::mul", "aten::add_")
def _list_arithmetic(e: Exporter, node: Node, args: list[Any]) -> Any:
    lists = [isinstance(a, ListCell) for a in args[:2]]
    if not any(lists):
        return NotImplemented
    if all(lists):
        joined: Any = NotImplemented
        if not isinstance(args[1].content, Sym):
            joined = args[0].content
            if isinstance(joined, Sym):
                for item in args[1].content:
                    joined = _inserted(e, joined, item, None)
            else:
                joined = joined + args[1].content
        if joined is NotImplemented:
            raise ExportError("a list is joined with one whose length depends on the inputs")
        if node.kind == "aten::add_":
            e.write(args[0], joined)
            return args[0]
        return ListCell(joined)
    items, count = (args[0], args[1]) if lists[0] else (args[1], args[0])
    if not isinstance(count, int) or isinstance(items.content, Sym):
        raise ExportError("a list is repeated a number of times that depends on the inputs")
    return ListCell(items.content * count)


@handles("aten::list", "aten::copy")
def _copy(e: Exporter, node: Node, args: list[Any]) -> Any:
    return type(args[0])(args[0].content) if isinstance(args[0], (ListCell, DictCell)) else NotImplemented


@handles("prim::rangelist")
def _range_list(e: Exporter, node: Node, args: list[Any]) -> Any:
    if isinstance(args[0], Sym):
        raise ExportError("a list of numbers as long as a number that depends on the inputs")
    return ListCell(tuple(range(args[0])))


@handles("prim::tolist")
def _tolist(e: Exporter, node: Node, args: list[Any]) -> Any:
    content = args[0].read()
    depth, kind = 0, node.outputs[0].type
    while isinstance(kind, T.ListType):
        kind, depth = kind.element, depth + 1
    if isinstance(content, np.ndarray):
        return _lists(content.tolist())
    if not isinstance(content, Sym) or not content.static:
        raise ExportError("tolist() of a tensor whose size depends on the inputs")
    return _unstacked(e, content, depth)


def _lists(value: Any) -> Any:
    return ListCell(tuple(map(_lists, value))) if isinstance(value, list) else value


def _unstacked(e: Exporter, value: Sym, depth: int) -> Any:
    if depth == 0:
        return replace(value, number=True)
    parts = range(value.shape[0]) if value.shape else ()  # type: ignore[arg-type]
    return ListCell(tuple(_unstacked(e, e.builder.gather(value, i), depth - 1) for i in parts))


# -- tensors of numbers ------------------------------------------------------------------------------------------------
@handles("prim::NumToTensor", "aten::scalar_tensor", "aten::tensor", "aten::as_tensor", "aten::_list_to_tensor")
def _to_tensor(e: Exporter, node: Node, args: list[Any]) -> Any:
    if all(map(is_known, args)) or (isinstance(args[0], Cell) and node.kind != "aten::tensor"):
        return NotImplemented
    place = node.schema.index_of("dtype") if node.schema is not None else None
    code = args[place] if place is not None else None
    made = _stacked(e, args[0])
    if made.dtype == 7 and node.kind != "prim::NumToTensor" and code is None:
        code = promotion.default_code()
    content = made if code is None else e.builder.cast(made, code)
    return Cell(replace(content, number=False))


def _stacked(e: Exporter, value: Any) -> Sym:
    b = e.builder
    if isinstance(value, ListCell) and isinstance(value.content, Sym):
        return b.op("ConcatFromSequence", value.content, axis=0, new_axis=1)
    if not isinstance(value, ListCell):
        return b.sym(e.operand(value))
    items = b.promote(*[_stacked(e, v) for v in value.content])
    if all(i.rank == 0 and i.dtype == 4 for i in items):
        return b.vector([b.arrays[i.name].item() if i.name in b.arrays else i for i in items])
    return b.op("Concat", *[b.unsqueeze(replace(i, number=False), 0) for i in items], axis=0)


__all__ = ["CONTAINERS", "code_of"]
