"""Between Python values and the values of a program: arguments in, by declared type; results out.

`converter(type)` and `exporter(type)` give functions made once per type. Lists and dicts are copied both ways, as in
TorchScript: a program never changes a list of its caller.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import InputError
from linstock.runtime import objects
from linstock.runtime.objects import Future, ScriptObject
from linstock.runtime.tensor import Tensor

Convert = Callable[[Any], Any]


class Mismatch(Exception):
    """A value does not fit a type; `expected` is the type in words, `path` says where inside the whole value it is."""

    def __init__(self, expected: str, value: Any, path: str = "", detail: str = "") -> None:
        super().__init__(expected, path)
        self.expected, self.value, self.path, self.detail = expected, value, path, detail


def describe(value: Any) -> str:
    """The type of a value as messages name it."""
    if isinstance(value, ScriptObject):
        return value.type.name
    wrapped = unwrapped(value)
    return wrapped.type.name if isinstance(wrapped, ScriptObject) else type(value).__name__


def unwrapped(value: Any) -> Any:
    """The ScriptObject behind a ScriptModule or script class instance; None for anything else."""
    if isinstance(value, ScriptObject):
        return value
    found = getattr(type(value), "_linstock_object", None)
    return found.__get__(value) if found is not None else None


def convert(value: Any, kind: T.Type, where: str) -> Any:
    """A Python value as a value of the declared type. Raises InputError; `where` says which argument of what it is."""
    try:
        return converter(kind)(value)
    except Mismatch as problem:
        raise InputError(f"{where}: {explain(problem, kind, value)}") from None


def explain(problem: Mismatch, kind: T.Type, value: Any) -> str:
    """A mismatch in words: what was expected and found, and where inside the value if it is nested."""
    text = f"expected a value of type '{kind.annotation()}' but found one of type '{describe(value)}'"
    if problem.path:
        inner = f"'{problem.expected}' but found '{describe(problem.value)}'"
        text += f": at {problem.path} it expected {inner}"
    return text + (f" ({problem.detail})" if problem.detail else "")


def _inside(problem: Mismatch, step: str) -> Mismatch:
    return Mismatch(problem.expected, problem.value, step + problem.path, problem.detail)


# -- in ----------------------------------------------------------------------------------------------------------------
def as_tensor(value: Any) -> Tensor | None:
    """A Tensor from a Tensor, a NumPy or CuPy array, or anything with `__dlpack__`; None if it is none of these."""
    if isinstance(value, Tensor):
        return value
    from linstock.runtime.dispatch import wrap

    if isinstance(value, np.ndarray) or type(value).__module__.partition(".")[0] == "cupy":
        dtypes.from_numpy(value.dtype)
        return wrap(value)
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        if getattr(value, "requires_grad", False):
            value = value.detach()
        return wrap(np.from_dlpack(value))
    return None


def _tensor(value: Any) -> Any:
    if type(value) is Tensor:
        return value
    if value is None:
        return None
    try:
        found = as_tensor(value)
    except TypeError as problem:
        raise Mismatch("Tensor", value, detail=str(problem)) from None
    except (BufferError, RuntimeError) as problem:
        raise Mismatch("Tensor", value, detail=f"its memory cannot be shared: {problem}") from None
    if found is None:
        raise Mismatch("Tensor", value)
    return found


def _scalar_of_tensor(value: Any) -> Any:
    """The number in a tensor of one element, the value itself if it is not a tensor."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise Mismatch("a number", value, detail="only a tensor of one element converts to a number")
        return value.item()
    return value


def _int(value: Any) -> int:
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    if isinstance(value, dtypes.dtype):
        return value.code
    if isinstance(value, Tensor):
        return int(_scalar_of_tensor(value))
    if isinstance(value, (bool, int)) or (hasattr(value, "__index__") and not isinstance(value, (float, complex))):
        number = int(value)
        if not -(1 << 63) <= number < 1 << 63:
            raise Mismatch("int", value, detail="it does not fit into 64 bits")
        return number
    code = getattr(value, "code", None)  # layouts and memory formats
    if type(code) is int:
        return code
    raise Mismatch("int", value)


def _float(value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, Tensor):
        value = _scalar_of_tensor(value)
        return float(value.real if isinstance(value, complex) else value)
    if isinstance(value, (bool, int, float)) or (
        hasattr(value, "__float__") and not hasattr(value, "__len__") and not isinstance(value, complex)
    ):
        return float(value)
    raise Mismatch("float", value)


def _complex(value: Any) -> complex:
    if isinstance(value, Tensor):
        value = _scalar_of_tensor(value)
    if isinstance(value, (bool, int, float, complex)) or (
        hasattr(value, "__complex__") and not hasattr(value, "__len__")
    ):
        return complex(value)
    raise Mismatch("complex", value)


def _bool(value: Any) -> bool:
    if type(value) is bool:
        return value
    if isinstance(value, Tensor):
        return bool(_scalar_of_tensor(value))
    if isinstance(value, (int, float, complex)) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise Mismatch("bool", value)


def _number(value: Any) -> Any:
    if type(value) in (int, float, complex, bool):
        return value
    if isinstance(value, Tensor):
        return _scalar_of_tensor(value)
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__float__") and not hasattr(value, "__len__"):
        return float(value)
    raise Mismatch("number", value)


def _string(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode()
    raise Mismatch("str", value)


def _device(value: Any) -> Device:
    if isinstance(value, Device):
        return value
    if isinstance(value, str) or type(value).__name__ == "device":
        try:
            return Device(str(value))
        except RuntimeError as problem:
            raise Mismatch("Device", value, detail=str(problem)) from None
    raise Mismatch("Device", value)


def _none(value: Any) -> None:
    if value is not None:
        raise Mismatch("NoneType", value)


def infer(value: Any) -> Any:
    """A value for `Any`: its type is inferred from what it is. Raises Mismatch if no program can hold it."""
    if value is None or type(value) in (bool, int, float, complex, str, Device, Tensor):
        return value
    if isinstance(value, dtypes.dtype):
        return value.code
    if isinstance(value, (list, tuple)):
        items = [infer(v) for v in value]
        if isinstance(value, list):
            _same_types(items, value)
            return items
        if not hasattr(value, "_fields"):
            return tuple(items)
        if hasattr(type(value), "_type"):
            return type(value)(*items)
        kinds = tuple(objects.type_of(v) for v in items)
        made = T.NamedTupleType(kinds, type(value).__name__, tuple(value._fields))
        return objects.namedtuple_class(made)(*items)
    if isinstance(value, Mapping):
        pairs = {infer(k): infer(v) for k, v in value.items()}
        _same_types(list(pairs), value)
        _same_types(list(pairs.values()), value)
        return pairs
    found = unwrapped(value)
    if found is not None:
        return found
    for plain in (str, int, float, complex):  # subclasses of them, as NumPy has
        if isinstance(value, plain):
            return plain(value)  # type: ignore[arg-type]
    if isinstance(value, (enum.Enum, Future)) or objects.torchbind_type(value) is not None:
        return value
    tensor = as_tensor(value)
    if tensor is None:
        raise Mismatch("Any", value, detail="linstock cannot infer a TorchScript type for it")
    return tensor


def _same_types(items: list[Any], whole: Any) -> None:
    try:
        objects._common([objects.type_of(v) for v in items], "elements")
    except TypeError as problem:
        raise Mismatch("Any", whole, detail=str(problem)) from None


_SIMPLE: dict[T.Type, Convert] = {
    T.ANY: infer, T.INT: _int, T.FLOAT: _float, T.COMPLEX: _complex, T.BOOL: _bool, T.NUMBER: _number,
    T.STRING: _string, T.DEVICE: _device, T.NONE: _none,
}  # fmt: skip
# what is made for a type is kept with the type (in its `__dict__`), so that both are freed together
_IN, _OUT = "_linstock_converter", "_linstock_exporter"


def converter(kind: T.Type) -> Convert:
    """The function that makes a Python value a value of this type, or raises Mismatch."""
    made: Convert | None = kind.__dict__.get(_IN)
    if made is None:
        made = kind.__dict__[_IN] = _converter(kind)
    return made


def _converter(kind: T.Type) -> Convert:
    if isinstance(kind, T.SimpleType):
        return _SIMPLE.get(kind, lambda value: value)
    if isinstance(kind, T.TensorType):
        return _tensor
    if isinstance(kind, T.OptionalType):
        inner = converter(kind.element)
        return lambda value: None if value is None else inner(value)
    if isinstance(kind, T.UnionType):
        return _union(kind)
    if isinstance(kind, T.ListType):
        return _list(kind)
    if isinstance(kind, T.DictType):
        return _dict(kind)
    if isinstance(kind, T.TupleType):
        return _tuple(kind)
    if isinstance(kind, (T.ClassType, T.InterfaceType)):
        return _object(kind)
    if isinstance(kind, T.EnumType):
        return _enum(kind)
    if isinstance(kind, T.FutureType):
        return lambda value: value if isinstance(value, Future) else _refuse(kind, value)
    return lambda value: value


def _refuse(kind: T.Type, value: Any) -> Any:
    raise Mismatch(kind.annotation(), value)


def _list(kind: T.ListType) -> Convert:
    element = converter(kind.element)

    def convert_list(value: Any) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            array = hasattr(value, "tolist") and not isinstance(kind.element, T.TensorType)
            if not array or getattr(value, "ndim", 1) != 1:
                raise Mismatch(kind.annotation(), value)
            value = value.tolist()
        result = []
        for i, item in enumerate(value):
            try:
                result.append(element(item))
            except Mismatch as problem:
                raise _inside(problem, f"[{i}]") from None
        return result

    return convert_list


def _dict(kind: T.DictType) -> Convert:
    key, item = converter(kind.key), converter(kind.value)

    def convert_dict(value: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise Mismatch(kind.annotation(), value)
        result = {}
        for k, v in value.items():
            try:
                result[key(k)] = item(v)
            except Mismatch as problem:
                raise _inside(problem, f"[{k!r}]") from None
        return result

    return convert_dict


def _tuple(kind: T.TupleType) -> Convert:
    parts = [converter(e) for e in kind.elements]
    cls = objects.namedtuple_class(kind) if isinstance(kind, T.NamedTupleType) else None

    def convert_tuple(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (tuple, list)):
            raise Mismatch(kind.annotation(), value)
        if len(value) != len(parts):
            raise Mismatch(kind.annotation(), value, detail=f"it has {len(value)} elements instead of {len(parts)}")
        result = []
        for i, (part, item) in enumerate(zip(parts, value, strict=True)):
            try:
                result.append(part(item))
            except Mismatch as problem:
                raise _inside(problem, f"[{i}]") from None
        made: tuple[Any, ...] = tuple(result) if cls is None else cls(*result)
        return made

    return convert_tuple


def _union(kind: T.UnionType) -> Convert:
    checks = [objects.checker(m) for m in kind.members]
    converters = [converter(m) for m in kind.members]

    def convert_union(value: Any) -> Any:
        found = unwrapped(value)
        plain = value if found is None else found
        for check, to in zip(checks, converters, strict=True):
            if check(plain):
                return to(plain)
        for to in converters:
            try:
                return to(value)
            except Mismatch:
                continue
        raise Mismatch(kind.annotation(), value)

    return convert_union


def _object(kind: T.ClassType | T.InterfaceType) -> Convert:
    check = objects.checker(kind)

    def convert_object(value: Any) -> Any:
        if type(value) is ScriptObject and value.type is kind:
            return value
        found = unwrapped(value)
        plain = value if found is None else found
        if check(plain):
            return plain
        if found is None and isinstance(kind, T.ClassType) and not kind.is_module and not kind.is_torchbind:
            return _from_attributes(value, kind)
        raise Mismatch(kind.annotation(), value)

    return convert_object


def _from_attributes(value: Any, kind: T.ClassType) -> ScriptObject:
    """An object of the class with the attributes of a plain Python instance of it."""
    slots = {}
    for name, t in kind.attributes.items():
        if not hasattr(value, name) or type(value).__name__ != kind.name.rpartition(".")[2]:
            raise Mismatch(kind.annotation(), value)
        try:
            slots[name] = converter(t)(getattr(value, name))
        except Mismatch as problem:
            raise _inside(problem, f".{name}") from None
    if not kind.attributes and type(value).__name__ != kind.name.rpartition(".")[2]:
        raise Mismatch(kind.annotation(), value)
    return ScriptObject(kind, slots)


def _enum(kind: T.EnumType) -> Convert:
    def convert_enum(value: Any) -> enum.Enum:
        if isinstance(value, enum.Enum):
            try:
                return objects.enum_member(kind, value)
            except ValueError:
                pass
        raise Mismatch(kind.annotation(), value)

    return convert_enum


# -- out ---------------------------------------------------------------------------------------------------------------
_SCALARS = (T.INT, T.FLOAT, T.COMPLEX, T.BOOL, T.NUMBER, T.STRING, T.DEVICE, T.NONE, T.GENERATOR)


def exporter(kind: T.Type) -> Convert | None:
    """The function that gives Python a value of this type; None where it is given as it is."""
    if _OUT not in kind.__dict__:
        kind.__dict__[_OUT] = _exporter(kind)
    made: Convert | None = kind.__dict__[_OUT]
    return made


def _exporter(kind: T.Type) -> Convert | None:
    if isinstance(kind, (T.TensorType, T.EnumType)) or kind in _SCALARS:
        return None
    if isinstance(kind, T.OptionalType):
        inner = exporter(kind.element)
        return None if inner is None else lambda value: None if value is None else inner(value)
    if isinstance(kind, T.ListType):
        element = exporter(kind.element)
        return list if element is None else lambda value: [element(v) for v in value]
    if isinstance(kind, T.DictType):
        item = exporter(kind.value)
        return dict if item is None else lambda value: {k: item(v) for k, v in value.items()}
    if isinstance(kind, T.TupleType):
        parts = [exporter(e) for e in kind.elements]
        if all(p is None for p in parts):
            return None
        return to_python
    return to_python


def to_python(value: Any) -> Any:
    """Any value of a program as Python sees it: objects get a face, containers are copied."""
    if isinstance(value, ScriptObject):
        from linstock.runtime.script_module import face

        return face(value)
    if type(value) is list:
        return [to_python(v) for v in value]
    if isinstance(value, tuple):
        items = [to_python(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if type(value) is dict:
        return {k: to_python(v) for k, v in value.items()}
    return value


def python_call(function: Callable[..., Any], returns: T.Type) -> Callable[..., Any]:
    """A Python function as programs call it: on values of the program, its result converted to the declared type."""
    to = converter(returns)
    name = getattr(function, "__qualname__", repr(function))

    def call(*args: Any) -> Any:
        result = function(*[to_python(v) for v in args])
        try:
            return to(result)
        except Mismatch as problem:
            raise InputError(
                f"the result of the ignored function {name}: {explain(problem, returns, result)}"
            ) from None

    return call
