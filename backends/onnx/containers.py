"""Lists, dictionaries, sizes and numbers while exporting: computed where known, parts kept symbolic where not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linstock.backends.onnx.builder import Sym
from linstock.backends.onnx.values import Cell, DictCell, ListCell, is_known, lift, plain
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
    """Register how an operator on containers or sizes is run; it may give NotImplemented to leave it to the kernels."""

    def register(function: Handler) -> Handler:
        for kind in kinds:
            CONTAINERS[kind] = function
        return function

    return register


def _key(value: Any) -> Any:
    return value.read().item() if isinstance(value, Cell) else value


@handles("aten::size")
def _size(e: Exporter, node: Node, args: list[Any]) -> Any:
    tensor = args[0].read()
    if len(args) == 1:
        return ListCell(tuple(e.builder.sizes(tensor)))
    return e.builder.size(tensor, args[1]) if not isinstance(args[1], Sym) else NotImplemented


@handles("aten::dim", "aten::len")
def _length(e: Exporter, node: Node, args: list[Any]) -> Any:
    value = args[0]
    if isinstance(value, Cell):
        return e.builder.rank(value.read()) if node.kind == "aten::dim" else e.builder.size(value.read(), 0)
    if isinstance(value, ListCell):
        return e.builder.op("SequenceLength", value.content) if isinstance(value.content, Sym) else len(value.content)
    return len(value.content) if isinstance(value, DictCell) else NotImplemented


@handles("aten::numel")
def _numel(e: Exporter, node: Node, args: list[Any]) -> Any:
    tensor = args[0].read()
    if not isinstance(tensor, Sym):
        return int(tensor.size)
    if tensor.static:
        return int(np.prod(tensor.shape, dtype=np.int64))
    return e.builder.op("Size", tensor)


def _code(value: Any) -> int:
    return value.dtype if isinstance(value, Sym) else value.dtype_code if hasattr(value, "ints") else dtypes.code_of(value.dtype)


@handles("prim::dtype")
def _dtype(e: Exporter, node: Node, args: list[Any]) -> Any:
    return _code(args[0].read())


@handles("prim::device")
def _device(e: Exporter, node: Node, args: list[Any]) -> Any:
    return CPU


@handles("aten::is_floating_point", "aten::is_complex", "aten::is_signed")
def _kind(e: Exporter, node: Node, args: list[Any]) -> Any:
    d = dtypes.by_code(_code(args[0].read()))
    return {"aten::is_floating_point": d.is_floating_point, "aten::is_complex": d.is_complex, "aten::is_signed": d.is_signed}[node.kind]


@handles("prim::is_cuda", "prim::is_sparse", "prim::is_quantized", "prim::requires_grad", "prim::is_nested", "prim::is_mkldnn", "prim::is_xpu",
         "prim::is_mps", "prim::is_meta", "prim::is_vulkan", "aten::is_grad_enabled", "aten::is_autocast_enabled")  # fmt: skip
def _never(e: Exporter, node: Node, args: list[Any]) -> Any:
    return False


@handles("aten::is_contiguous", "prim::is_cpu")
def _always(e: Exporter, node: Node, args: list[Any]) -> Any:
    return True


@handles("prim::layout", "aten::storage_offset")
def _zero(e: Exporter, node: Node, args: list[Any]) -> Any:
    return 0


@handles("aten::__is__", "aten::__isnot__")
def _identity(e: Exporter, node: Node, args: list[Any]) -> Any:
    a, b = args
    same = (a is None and b is None) if a is None or b is None else a is b
    return same if node.kind == "aten::__is__" else not same


@handles("aten::_unwrap_optional")
def _unwrap(e: Exporter, node: Node, args: list[Any]) -> Any:
    return args[0]


@handles("aten::wait")
def _wait(e: Exporter, node: Node, args: list[Any]) -> Any:
    return args[0]


@handles("aten::__getitem__")
def _get(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, index = args
    if isinstance(container, DictCell):
        for k, v in container.content:
            if plain(k) == plain(index):
                return v
        raise ExportError(f"key {plain(index)!r} is not in the dictionary")
    if not isinstance(container, ListCell):
        return NotImplemented
    content = container.content
    if isinstance(content, Sym):
        at = index if isinstance(index, Sym) else np.asarray(index, np.int64)
        made = e.builder.op("SequenceAt", content, at)
        return Cell(made) if isinstance(node.outputs[0].type, T.TensorType) else made
    if not isinstance(index, Sym):
        if not -len(content) <= index < len(content):
            from linstock.backends.onnx.exporter import Raised

            raise Raised("list index out of range")
        return content[index]
    if all(isinstance(v, (int, Sym)) for v in content):
        return e.builder.op("Gather", e.builder.vector(content), e.builder.cast(index, 4), axis=0)
    if all(isinstance(v, Cell) for v in content):
        sequence = e.builder.op("SequenceConstruct", *[v.read() for v in content])
        return Cell(e.builder.op("SequenceAt", sequence, index))
    raise ExportError("a list of such elements cannot be indexed with a number that depends on the inputs")


@handles("aten::_set_item")
def _set(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, index, value = args
    if isinstance(container, DictCell):
        pairs = list(container.content)
        for i, (k, _) in enumerate(pairs):
            if plain(k) == plain(index):
                pairs[i] = (k, value)
                break
        else:
            pairs.append((index, value))
        e.write(container, tuple(pairs))
    elif isinstance(container, ListCell) and isinstance(index, int) and not isinstance(container.content, Sym):
        items = list(container.content)
        items[index] = value
        e.write(container, tuple(items))
    else:
        raise ExportError("an element of a list is set at a place that depends on the inputs")
    return container if len(node.outputs) else ()


@handles("aten::append", "aten::extend", "aten::insert", "aten::pop", "aten::clear", "aten::reverse", "aten::remove", "aten::Delete")
def _mutate(e: Exporter, node: Node, args: list[Any]) -> Any:
    container = args[0]
    if isinstance(container, ListCell) and isinstance(container.content, Sym):
        if node.kind != "aten::append":
            raise ExportError(f"{node.kind} on a list whose length depends on the inputs")
        content, item = container.content, e.builder.sym(plain(args[1]))
        if content.dtype != item.dtype or content.shape != item.shape:
            item = e.builder.cast(item, content.dtype) if _used(e, content) else item
        made = e.builder.op("SequenceInsert", content, item)
        e.write(container, made)
        return container
    if isinstance(container, DictCell):
        return _mutate_dict(e, node, args)
    if any(isinstance(a, Sym) for a in args[1:]) and node.kind in ("aten::insert", "aten::pop", "aten::Delete", "aten::remove"):
        raise ExportError(f"{node.kind} at a place that depends on the inputs")
    items = list(container.content)
    name = node.kind[6:]
    result: Any = container
    if name == "append":
        items.append(args[1])
    elif name == "extend":
        items.extend(args[1].content)
    elif name == "insert":
        items.insert(args[1], args[2])
    elif name == "pop":
        result = items.pop(args[1])
    elif name == "Delete":
        del items[args[1]]
    elif name == "clear":
        items.clear()
    elif name == "reverse":
        items.reverse()
    else:
        return NotImplemented
    e.write(container, tuple(items))
    return result if len(node.outputs) else ()


def _used(e: Exporter, content: Sym) -> bool:
    return content.shape is not None


def _mutate_dict(e: Exporter, node: Node, args: list[Any]) -> Any:
    pairs = list(args[0].content)
    if node.kind == "aten::clear":
        e.write(args[0], ())
        return args[0] if len(node.outputs) else ()
    for i, (k, v) in enumerate(pairs):
        if plain(k) == plain(args[1]):
            del pairs[i]
            e.write(args[0], tuple(pairs))
            return v if len(node.outputs) else ()
    if len(args) > 2:
        return args[2]
    raise ExportError(f"key {plain(args[1])!r} is not in the dictionary")


@handles("aten::keys", "aten::values", "aten::items")
def _dict_parts(e: Exporter, node: Node, args: list[Any]) -> Any:
    if not isinstance(args[0], DictCell):
        return NotImplemented
    pick = {"aten::keys": lambda k, v: k, "aten::values": lambda k, v: v, "aten::items": lambda k, v: (k, v)}[node.kind]
    return ListCell(tuple(pick(k, v) for k, v in args[0].content))


@handles("aten::get")
def _dict_get(e: Exporter, node: Node, args: list[Any]) -> Any:
    for k, v in args[0].content:
        if plain(k) == plain(args[1]):
            return v
    return args[2] if len(args) > 2 else None


@handles("aten::__contains__")
def _contains(e: Exporter, node: Node, args: list[Any]) -> Any:
    container, item = args
    if isinstance(container, DictCell):
        return any(plain(k) == plain(item) for k, _ in container.content)
    if isinstance(container, ListCell) and not isinstance(container.content, Sym) and is_known(container) and is_known(item):
        return any(plain(v) == plain(item) for v in container.content)
    return NotImplemented if is_known(container) and is_known(item) else _symbolic_contains(e, container, item)


def _symbolic_contains(e: Exporter, container: Any, item: Any) -> Any:
    found: Any = None
    for v in container.content:
        one = e.builder.op("Equal", *e.builder.promote(plain(v), plain(item)))
        found = one if found is None else e.builder.op("Or", found, one)
    return False if found is None else found


@handles("aten::slice")
def _slice(e: Exporter, node: Node, args: list[Any]) -> Any:
    if not isinstance(args[0], ListCell) or isinstance(args[0].content, Sym):
        return NotImplemented
    if any(isinstance(a, Sym) for a in args[1:]):
        raise ExportError("a list is sliced at a place that depends on the inputs")
    return ListCell(args[0].content[slice(*args[1:])])


@handles("aten::add", "aten::mul", "aten::add_")
def _list_arithmetic(e: Exporter, node: Node, args: list[Any]) -> Any:
    lists = [isinstance(a, ListCell) and not isinstance(a.content, Sym) for a in args[:2]]
    if not any(lists):
        return NotImplemented
    if all(lists):
        joined = args[0].content + args[1].content
        if node.kind == "aten::add_":
            e.write(args[0], joined)
            return args[0]
        return ListCell(joined)
    items, count = (args[0], args[1]) if lists[0] else (args[1], args[0])
    return ListCell(items.content * count) if isinstance(count, int) else NotImplemented


@handles("aten::list", "aten::copy")
def _copy(e: Exporter, node: Node, args: list[Any]) -> Any:
    return type(args[0])(args[0].content) if isinstance(args[0], (ListCell, DictCell)) else NotImplemented


@handles("prim::tolist")
def _tolist(e: Exporter, node: Node, args: list[Any]) -> Any:
    return NotImplemented


@handles("aten::format", "aten::percentFormat", "aten::str", "aten::join")
def _text(e: Exporter, node: Node, args: list[Any]) -> Any:
    if all(map(is_known, args)):
        return NotImplemented
    return "(text that depends on the inputs)"


@handles("prim::NumToTensor", "aten::scalar_tensor", "aten::tensor", "aten::as_tensor")
def _to_tensor(e: Exporter, node: Node, args: list[Any]) -> Any:
    if all(map(is_known, args)) or isinstance(args[0], Cell):
        return NotImplemented
    value = plain(args[0])
    made = e.builder.vector(value) if isinstance(value, list) else value
    schema = node.schema
    place = schema.index_of("dtype") if schema is not None else None
    code = args[place] if place is not None else None
    if code is None and made.dtype == 7 and node.kind != "prim::NumToTensor":
        code = 6
    return Cell(made if code is None else e.builder.cast(made, code))


__all__ = ["CONTAINERS", "lift"]
