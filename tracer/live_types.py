"""Types of live Python objects: annotations as objects, classes, values of attributes."""

from __future__ import annotations

import enum
import types as python_types
import typing
from collections.abc import Callable
from typing import Any

from linstock.ir import dtypes
from linstock.ir import types as T

#: what asks for the type of a Python class that is neither built in nor structural
ClassLookup = Callable[[type], T.Type | None]

_DIRECT: dict[Any, T.Type] = {
    int: T.INT, float: T.FLOAT, complex: T.COMPLEX, bool: T.BOOL, str: T.STRING, None: T.NONE, type(None): T.NONE,
    typing.Any: T.ANY, list: T.ANY_LIST, tuple: T.ANY_TUPLE, dict: T.DictType(T.STRING, T.TENSOR),
}  # fmt: skip
_BY_NAME: dict[str, T.Type] = {
    "Tensor": T.TENSOR, "Parameter": T.TENSOR, "Buffer": T.TENSOR, "device": T.DEVICE, "Device": T.DEVICE, "dtype": T.INT, "layout": T.INT,
    "memory_format": T.INT, "Size": T.ListType(T.INT), "Generator": T.GENERATOR, "Stream": T.STREAM, "LongTensor": T.TENSOR,
    "FloatTensor": T.TENSOR, "IntTensor": T.TENSOR, "BoolTensor": T.TENSOR, "DoubleTensor": T.TENSOR, "SymInt": T.INT,
}  # fmt: skip

LIBRARIES = ("torch", "linstock")


def library_of(obj: Any) -> bool:
    """Whether an object belongs to torch or linstock."""
    module = getattr(obj, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in LIBRARIES


def is_named_tuple(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_module(obj: Any) -> bool:
    """Whether an object is a neural-network module (of linstock or torch)."""
    return hasattr(type(obj), "named_parameters") and "_modules" in getattr(obj, "__dict__", {})


def is_attribute(obj: Any) -> bool:
    """Whether this is a `jit.Attribute`, a value with its declared type."""
    return type(obj).__name__ == "Attribute" and library_of(type(obj))


def is_tensor(obj: Any) -> bool:
    return type(obj).__name__ in ("Tensor", "Parameter", "Buffer") and library_of(type(obj))


def of_annotation(annotation: Any, lookup: ClassLookup) -> T.Type | None:
    """The type that an annotation object means, or None if it is none."""
    try:
        if annotation in _DIRECT:
            return _DIRECT[annotation]
    except TypeError:
        return None
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is not None:
        return _of_generic(annotation, origin, args, lookup)
    if isinstance(annotation, type) or (library_of(annotation) and hasattr(annotation, "__name__")):
        name = annotation.__name__
        if name in _BY_NAME and library_of(annotation):
            return _BY_NAME[name]
        if isinstance(annotation, type):
            return lookup(annotation)
    if isinstance(annotation, T.Type):
        return annotation
    return None


def _of_generic(annotation: Any, origin: Any, args: tuple[Any, ...], lookup: ClassLookup) -> T.Type | None:
    name = getattr(origin, "__name__", "") or getattr(annotation, "_name", "") or ""
    if origin is typing.Union or isinstance(annotation, python_types.UnionType):
        parts = [of_annotation(a, lookup) for a in args]
        return None if any(p is None for p in parts) else T.union([p for p in parts if p is not None])
    if origin is tuple:
        if args == ((),):
            args = ()
        parts = [of_annotation(a, lookup) for a in args]
        return None if any(p is None for p in parts) else T.TupleType(tuple(p for p in parts if p is not None))
    if origin is typing.Annotated or name == "Final":
        return of_annotation(args[0], lookup)
    inner = [of_annotation(a, lookup) for a in args]
    if any(p is None for p in inner):
        return None
    parts2 = [p for p in inner if p is not None]
    if origin is list and len(parts2) == 1:
        return T.ListType(parts2[0])
    if origin is dict and len(parts2) == 2:
        return T.DictType(*parts2)
    makers = {"Future": T.FutureType, "RRef": T.RRefType, "_Await": T.AwaitType}
    if name in makers and len(parts2) == 1:
        return makers[name](parts2[0])
    return None


def code_of_library_value(obj: Any) -> int | None:
    """The int that stands for a dtype, layout or memory format object of either library, or None."""
    if isinstance(obj, dtypes.dtype):
        return obj.code
    kind = type(obj).__name__
    if kind not in ("dtype", "layout", "memory_format") or not library_of(type(obj)):
        return None
    name = str(obj).rpartition(".")[2]
    if kind == "dtype":
        return dtypes.by_name(name).code
    tables = {
        "layout": {
            "strided": 0,
            "sparse_coo": 1,
            "sparse_csr": 2,
            "_mkldnn": 3,
            "sparse_csc": 4,
            "sparse_bsr": 5,
            "sparse_bsc": 6,
        },
        "memory_format": {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2, "channels_last_3d": 3},
    }
    return tables[kind].get(name)


def of_value(value: Any, lookup: ClassLookup) -> T.Type | str:
    """The type of a live value, or in words why it has none."""
    simple = {bool: T.BOOL, int: T.INT, float: T.FLOAT, complex: T.COMPLEX, str: T.STRING, type(None): T.NONE}
    found = simple.get(type(value))
    if found is not None:
        return found
    if code_of_library_value(value) is not None:
        return T.INT
    if is_tensor(value):
        return T.TENSOR
    if type(value).__name__ in ("device", "Device"):
        return T.DEVICE
    if isinstance(value, enum.Enum):
        return lookup(type(value)) or f"enum {type(value).__name__} cannot be compiled"
    if is_named_tuple(type(value)):
        return lookup(type(value)) or f"NamedTuple {type(value).__name__} cannot be compiled"
    if isinstance(value, tuple):
        parts = [of_value(v, lookup) for v in value]
        bad = next((p for p in parts if isinstance(p, str)), None)
        return bad or T.TupleType(tuple(p for p in parts if isinstance(p, T.Type)))
    if isinstance(value, list) or type(value).__name__ == "ListConfig":
        if not value:
            return "an empty list has no element type: annotate the attribute, as in `x: List[int]`"
        element = _common([of_value(v, lookup) for v in value])
        return element if isinstance(element, str) else T.ListType(element)
    if isinstance(value, dict):
        if not value:
            return "an empty dictionary has no types: annotate the attribute, as in `x: Dict[str, int]`"
        key, item = (
            _common([of_value(k, lookup) for k in value]),
            _common([of_value(v, lookup) for v in value.values()]),
        )
        if isinstance(key, str) or isinstance(item, str):
            return key if isinstance(key, str) else str(item)
        return T.DictType(key, item)
    script_type = getattr(value, "_script_type", None)
    if isinstance(script_type, T.Type):
        return script_type
    cls = lookup(type(value))
    return cls if cls is not None else f"a value of type '{type(value).__name__}' has no type in TorchScript"


def _common(parts: list[T.Type | str]) -> T.Type | str:
    bad = next((p for p in parts if isinstance(p, str)), None)
    if bad is not None:
        return bad
    joined: T.Type | None = None
    for p in parts:
        assert isinstance(p, T.Type)
        joined = p if joined is None else T.unify(joined, p)
        if joined is None:
            return "its elements have different types"
    assert joined is not None
    return joined
