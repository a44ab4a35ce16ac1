"""The values that exist only while a program runs: objects of its classes, NamedTuples, enum members and futures."""

from __future__ import annotations

import builtins
import collections
import enum
import threading
from collections.abc import Callable, Sequence
from typing import Any

from linstock.ir import types as T
from linstock.ir.errors import RaisedError


class ScriptObject:
    """An instance of a class of the program: attribute values by name. `python` is its face, if it has one."""

    __slots__ = ("__weakref__", "python", "slots", "type")

    def __init__(self, type: T.ClassType, slots: dict[str, Any] | None = None) -> None:
        self.type = type
        self.slots: dict[str, Any] = {} if slots is None else slots
        self.python: Any = None

    def __repr__(self) -> str:
        return f"<{self.type.name} object>"


class Future:
    """What a fork gives: the value, or the exception, which is raised again by every `wait`."""

    __slots__ = ("_callbacks", "_error", "_value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self._value, self._error = value, error

    @classmethod
    def run(cls, function: Callable[..., Any], *args: Any) -> Future:
        """Run the function at once."""
        try:
            return cls(function(*args))
        except Exception as error:
            return cls(error=error)

    def done(self) -> bool:
        """Whether the result is there: always, for forks run at once."""
        return True

    def wait(self) -> Any:
        """The result. Raises what the forked function raised."""
        if self._error is not None:
            raise self._error
        return self._value

    def value(self) -> Any:
        """The result, as `wait`."""
        return self.wait()

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A future of the callback's result; the callback gets this future."""
        return Future.run(callback, self)


_lock = threading.RLock()
#: where a type keeps the Python class made for it
_CLASS = "_linstock_class"


def namedtuple_class(kind: T.NamedTupleType) -> type:
    """The Python class of a NamedTuple type, made once. Its attribute `_type` is the type."""
    found: type | None = kind.__dict__.get(_CLASS)
    if found is None:
        with _lock:
            found = kind.__dict__.get(_CLASS) or _make_tuple(kind)
            kind.__dict__[_CLASS] = found
    return found


def _make_tuple(kind: T.NamedTupleType) -> type:
    module, _, name = kind.name.rpartition(".")
    make: Any = collections.namedtuple
    made = make(
        name if name.isidentifier() else "NamedTuple",
        kind.fields,
        rename=True,
        defaults=kind.defaults,
        module=module or "__torch__",
    )
    made._type = kind
    return made  # type: ignore[no-any-return]


class _Member(enum.Enum):
    """Base of enum classes made from a program's types."""


def enum_class(kind: T.EnumType) -> type[enum.Enum]:
    """The Python class of an enum type, made once. `enum_type` gives the type back."""
    found: type[enum.Enum] | None = kind.__dict__.get(_CLASS)
    if found is None:
        with _lock:
            found = kind.__dict__.get(_CLASS) or _make_enum(kind)
            kind.__dict__[_CLASS] = found
    return found


def _make_enum(kind: T.EnumType) -> type[enum.Enum]:
    module, _, name = kind.name.rpartition(".")
    make: Any = _Member
    made = make(name, list(kind.members.items()), module=module or "__torch__")
    made._linstock_type = kind
    return made  # type: ignore[no-any-return]


def enum_type(member: Any) -> T.EnumType | None:
    """The type of a member of a program's enum, None for anything else."""
    return getattr(type(member), "_linstock_type", None) if isinstance(member, enum.Enum) else None


def enum_member(kind: T.EnumType, value: Any) -> enum.Enum:
    """The member that `value` means: a member itself (of this enum, or of one like it), or a member's value.

    Raises ValueError when there is none.
    """
    made = enum_class(kind)
    if isinstance(value, made):
        return value
    if isinstance(value, enum.Enum):
        found = made.__members__.get(value.name)
        if found is None or type(value).__name__ != made.__name__:
            raise ValueError(f"{value!r} is not a member of {kind.name}")
        return found
    name, plain = getattr(value, "name", None), getattr(value, "value", value)
    if isinstance(name, str) and name in made.__members__:
        return made[name]
    return made(plain)


# -- types of values ---------------------------------------------------------------------------------------------------
_FIXED: dict[type, T.Type] = {
    type(None): T.NONE, bool: T.BOOL, int: T.INT, float: T.FLOAT, complex: T.COMPLEX, str: T.STRING,
}  # fmt: skip


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor (not an array or a number)."""
    from linstock.runtime.tensor import Tensor

    return isinstance(value, Tensor)


def torchbind_type(value: Any) -> T.ClassType | None:
    """The class type of a TorchBind object, None for anything else."""
    name = getattr(type(value), "torchbind_name", None)
    if not isinstance(name, str):
        return None
    from linstock.ir.schema import torchbind

    return torchbind(name)


def type_of(value: Any) -> T.Type:
    """The type of a runtime value; an empty list or dict is one of tensors, as in TorchScript. Raises TypeError."""
    simple = _FIXED.get(type(value))
    if simple is not None:
        return simple
    if isinstance(value, ScriptObject):
        return value.type
    if is_tensor(value):
        return T.TENSOR
    if isinstance(value, list):
        return T.ListType(_common([type_of(v) for v in value], "list elements"))
    if isinstance(value, tuple):
        named = getattr(type(value), "_type", None)
        return named if named is not None else T.TupleType(tuple(type_of(v) for v in value))
    if isinstance(value, dict):
        keys = _common([type_of(k) for k in value], "dictionary keys") if value else T.STRING
        return T.DictType(keys, _common([type_of(v) for v in value.values()], "dictionary values"))
    found = enum_type(value) or torchbind_type(value)
    if found is not None:
        return found
    if type(value).__name__ == "Device":
        return T.DEVICE
    if isinstance(value, Future):
        return T.FutureType(T.ANY)
    if type(value).__name__ == "Generator":
        return T.GENERATOR
    raise TypeError(f"a {type(value).__name__} is not a value of TorchScript")


def _common(found: Sequence[T.Type], what: str) -> T.Type:
    if not found:
        return T.TENSOR
    result = found[0]
    for t in found[1:]:
        both = T.unify(result, t)
        if both is None:
            raise TypeError(f"{what} must have one type, found {result.annotation()} and {t.annotation()}")
        result = both
    return result


Check = Callable[[Any], bool]
_SIMPLE_CHECKS: dict[T.Type, Check] = {
    T.ANY: lambda v: True,
    T.NONE: lambda v: v is None,
    T.BOOL: lambda v: type(v) is bool,
    T.INT: lambda v: type(v) is int,
    T.FLOAT: lambda v: type(v) is float,
    T.COMPLEX: lambda v: type(v) is complex,
    T.NUMBER: lambda v: type(v) in (int, float, complex),
    T.STRING: lambda v: type(v) is str,
    T.ANY_LIST: lambda v: isinstance(v, list),
    T.ANY_TUPLE: lambda v: isinstance(v, tuple),
    T.ANY_CLASS: lambda v: isinstance(v, ScriptObject),
    T.ANY_ENUM: lambda v: isinstance(v, enum.Enum),
    T.DEVICE: lambda v: type(v).__name__ == "Device",
    T.GENERATOR: lambda v: type(v).__name__ == "Generator",
}


def checker(kind: T.Type) -> Check:
    """A function that says whether a runtime value has a type. An empty container has any element type."""
    simple = _SIMPLE_CHECKS.get(kind) if isinstance(kind, T.SimpleType) else None
    if simple is not None:
        return simple
    if isinstance(kind, T.TensorType):
        return is_tensor
    if isinstance(kind, T.OptionalType):
        inner = checker(kind.element)
        return lambda v: v is None or inner(v)
    if isinstance(kind, T.UnionType):
        each = [checker(m) for m in kind.members]
        return lambda v: any(c(v) for c in each)
    if isinstance(kind, T.ListType):
        element = checker(kind.element)
        return lambda v: isinstance(v, list) and all(element(x) for x in v)
    if isinstance(kind, T.DictType):
        key, item = checker(kind.key), checker(kind.value)
        return lambda v: isinstance(v, dict) and all(key(k) and item(x) for k, x in v.items())
    if isinstance(kind, T.NamedTupleType):
        cls = namedtuple_class(kind)
        return lambda v: isinstance(v, cls)
    if isinstance(kind, T.TupleType):
        parts = [checker(e) for e in kind.elements]
        return lambda v: (
            isinstance(v, tuple) and len(v) == len(parts) and all(c(x) for c, x in zip(parts, v, strict=True))
        )
    if isinstance(kind, T.ClassType):
        if kind.is_torchbind:
            return lambda v: torchbind_type(v) is kind
        return lambda v: isinstance(v, ScriptObject) and v.type is kind
    if isinstance(kind, T.InterfaceType):
        return lambda v: isinstance(v, ScriptObject) and T.implements(v.type, kind)
    if isinstance(kind, T.EnumType):
        members = enum_class(kind)
        return lambda v: isinstance(v, members)
    if isinstance(kind, T.FutureType):
        return lambda v: isinstance(v, Future)
    raise TypeError(f"values cannot be checked to be of type {kind.annotation()}")


# -- exceptions that programs raise ------------------------------------------------------------------------------------
_raised: dict[str, type[RaisedError]] = {}


def exception_class(name: str | None, message: str = "") -> type[RaisedError]:
    """The class for `raise NAME(...)` in a program: a RaisedError that is also the builtin exception, if it is one.

    A name that is no builtin exception gets a class of that name, one per qualified name.
    """
    if not name:
        head = message.partition(":")[0]
        name = head if head.isidentifier() and head.endswith("Error") else "Exception"
    known = _raised.get(name)
    if known is None:
        module, _, short = name.rpartition(".")
        builtin = getattr(builtins, short, None) if module in ("", "builtins", "exceptions") else None
        bases: tuple[type, ...] = (RaisedError,)
        if isinstance(builtin, type) and issubclass(builtin, Exception) and builtin is not Exception:
            bases = (RaisedError, builtin)
        fields = {"__module__": "builtins" if len(bases) > 1 else module or "linstock.jit"}
        try:
            known = type(short, bases, fields)
        except TypeError:  # the builtin's instances have a layout of their own
            known = type(short, (RaisedError,), fields)
        if bases == (RaisedError,) and short == "Exception":
            known = RaisedError
        _raised[name] = known
    return known


def raised(message: Any, name: str | None = None) -> RaisedError:
    """The exception that a program's `raise` raises."""
    text = message if isinstance(message, str) else str(message)
    cls = exception_class(name, text)
    if not name and cls is not RaisedError:
        text = text.removeprefix(f"{cls.__name__}:").lstrip()
    made = cls.__new__(cls, text)
    RaisedError.__init__(made, text)
    return made
