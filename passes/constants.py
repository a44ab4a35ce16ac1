"""Constants of graphs: comparing them, making them."""

from __future__ import annotations

import struct
from collections.abc import Hashable
from typing import Any

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.graph import Builder, Node, Value


def key_of(value: Any) -> Hashable | None:
    """A key that two constants share if and only if they are the same: floats by their bits, objects by identity."""
    if value is None or isinstance(value, (bool, int, str)):
        return (type(value).__name__, value)
    if isinstance(value, float):
        return ("float", struct.pack("<d", value))
    if isinstance(value, complex):
        return ("complex", struct.pack("<dd", value.real, value.imag))
    if isinstance(value, (T.Type, Device)):
        return (type(value).__name__, value)
    if type(value) in (list, tuple):
        parts = tuple(key_of(v) for v in value)
        return None if None in parts else (type(value).__name__, parts)
    if type(value) is dict:
        pairs = tuple((key_of(k), key_of(v)) for k, v in value.items())
        return None if any(None in p for p in pairs) else ("dict", pairs)
    return ("object", id(value))


def replace_by_constant(output: Value, value: Any) -> None:
    """Make the users of `output` use a constant, which stands before its node."""
    made = Builder(output.node, output.node.span).constant(value, output.type)
    made.name = output.name
    output.replace_all_uses_with(made)


def constant_inputs(node: Node) -> list[Any] | None:
    """The values of the node's inputs if all are constants."""
    if not all(v.is_constant for v in node.inputs):
        return None
    return [v.node.attributes.get("value") for v in node.inputs]


def tensor_type_of(value: Any) -> T.TensorType:
    """The type of a constant tensor (an array or a runtime tensor): element type, sizes, device."""
    stated, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    try:
        code = stated.code if isinstance(stated, dtypes.dtype) else dtypes.code_of(stated)
    except TypeError:
        code = None
    sizes = tuple(int(n) for n in shape) if isinstance(shape, tuple) else None
    device = getattr(value, "device", None)
    return T.TensorType(code, sizes, device=None if device is None else str(device))


def is_tensor(value: Any) -> bool:
    """Whether a constant is a tensor."""
    return hasattr(value, "__dlpack__")
