"""Python calls of operators: which overload is meant, by the types of the arguments, as PyTorch's parser decides.

`function("add")` is `linstock.add`, `method("add_")` is `Tensor.add_`: both are made from the operator table when they
are first asked for. A call's argument types are the key under which its plan (overload, conversions, how the result
looks) is kept, so that the second call of the same kind only looks it up.
"""

from __future__ import annotations

import operator as python
from collections import namedtuple
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from linstock.ir import dtypes, operators
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.schema import Argument, Schema
from linstock.runtime import types as kinds
from linstock.runtime.creation import check_device, device_of, dtype_of
from linstock.runtime.dispatch import operator
from linstock.runtime.tensor import Tensor, scalar_tensor
from linstock.runtime.types import Code

Convert = Callable[[Any], Any]
_SAME: Convert = lambda v: v  # noqa: E731 - compared by identity: the value is passed as it is
_PYTHON_FAMILIES_LAST = ("container", "scalar")
_NUMBERS_AS_TENSORS = {
    "add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "remainder", "fmod",
    "pow",
    "float_power", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "eq",
    "ne", "lt", "le",
    "gt", "ge", "rsub",
}  # fmt: skip
#: names under which PyTorch also takes an argument (NumPy's spelling)
_OTHER_NAMES = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "self",
    "x1": "self",
    "x2": "other",
    "input": "self",
    "a": "self",
}
_PYTHON_DTYPES = (float, int, bool, complex)


class _Miss(Exception):
    """An argument does not fit a formal one."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


# one argument -------------------------------------------------------------------------------------------------------


def _to_index(v: Any) -> int:
    return v if type(v) is int else python.index(v)


def _int_list(v: Any) -> list[int]:
    return [x if isinstance(x, int) else python.index(x) for x in v]


def _item(v: Any) -> Any:
    return v.item()


def _float_list(v: Any) -> list[float]:
    return [float(x) for x in v]


def _placed(v: Any) -> Device:
    device = device_of(v)
    check_device(device)
    return device


def _dtype_code(v: Any) -> int:
    return v if type(v) is int else dtype_of(v).code


def _is_integer(v: Any, level: int) -> bool:
    if isinstance(v, bool):
        return level > 0
    if isinstance(v, (int, np.integer)):
        return True
    return level > 0 and _is_scalar_tensor(v) and v._array.dtype.kind in "iu"


def _is_scalar_tensor(v: Any) -> bool:
    return isinstance(v, Tensor) and v._array.ndim == 0


def _match(a: Argument, v: Any, level: int, keyword: bool) -> Convert | None:
    """How a Python value becomes a formal argument's: a conversion, or None where it does not fit.

    Level 0 takes what is meant literally, level 1 also one-element tensors as numbers, level 2 also numbers as tensors.
    """
    t = a.type
    if isinstance(t, T.OptionalType):
        if v is None:
            return _SAME
        t = t.element
    if a.kind == "ScalarType":
        if isinstance(v, dtypes.dtype):
            return _dtype_code
        named = type(v).__name__ == "dtype"
        return _dtype_code if named or v in _PYTHON_DTYPES or (keyword and type(v) is int) else None
    if a.kind in ("Layout", "MemoryFormat"):
        return int if isinstance(v, Code) or (keyword and type(v) is int) else None
    if isinstance(t, T.ListType):
        return _match_list(a, t.element, v, level)
    return _match_one(t, v, level, keyword)


def _match_one(t: T.Type, v: Any, level: int, keyword: bool) -> Convert | None:
    if t == T.TENSOR:
        if isinstance(v, Tensor):
            return _SAME
        return _SAME if level > 1 and isinstance(v, (bool, int, float, complex)) else None
    if t == T.NUMBER:
        if isinstance(v, (bool, int, float, complex)):
            return _SAME
        return _item if isinstance(v, np.generic) or (level > 0 and _is_scalar_tensor(v)) else None
    if t == T.INT:
        return (_SAME if type(v) is int else _to_index) if _is_integer(v, level) else None
    if t == T.FLOAT:
        if type(v) is float:
            return _SAME
        fits = isinstance(v, (bool, int, float, np.number)) or (level > 0 and _is_scalar_tensor(v))
        return float if fits else None
    if t == T.COMPLEX:
        return complex if isinstance(v, (int, float, complex, np.number)) else None
    if t == T.BOOL:
        if type(v) is bool:
            return _SAME
        return bool if isinstance(v, np.bool_) or (level > 0 and _is_scalar_tensor(v)) else None
    if t == T.STRING:
        return _SAME if isinstance(v, str) else None
    if t == T.DEVICE:
        if isinstance(v, (Device, str)) or (keyword and type(v) is int) or type(v).__name__ == "device":
            return _placed
        return None
    if t == T.GENERATOR:
        return _SAME if hasattr(v, "manual_seed") else None
    if t == T.STORAGE:
        return _SAME if hasattr(v, "nbytes") and hasattr(v, "data_ptr") and not isinstance(v, Tensor) else None
    return None


def _match_list(a: Argument, element: T.Type, v: Any, level: int) -> Convert | None:
    if v is None and a.has_default and a.default == []:
        return lambda _: []  # an empty list stands for "not given" (the stride of a pooling)
    if not isinstance(v, (list, tuple)):
        if a.size is None or (isinstance(v, Tensor) and level == 0):
            return None
        inner = _match_one(element, v, level, False)
        n = a.size
        return None if inner is None else lambda x: [inner(x)] * n
    if element == T.INT:
        return _int_list if all(_is_integer(x, max(level, 1)) and not isinstance(x, bool) for x in v) else None
    if element == T.TENSOR or element == T.OptionalType(T.TENSOR):
        optional = element != T.TENSOR
        fits = all(isinstance(x, Tensor) or (optional and x is None) for x in v)
        return list if fits else None
    if element == T.FLOAT:
        return _float_list if all(isinstance(x, (bool, int, float, np.number, Tensor)) for x in v) else None
    if element == T.NUMBER:
        return list if all(isinstance(x, (bool, int, float, complex)) for x in v) else None
    if element == T.BOOL:
        return list if all(isinstance(x, bool) for x in v) else None
    return list if element == T.STRING and all(isinstance(x, str) for x in v) else None


# one overload -------------------------------------------------------------------------------------------------------

Source = tuple[str, Any, Convert]  # ("args", index) / ("kwargs", name) / ("pack", index) / ("default", value)


def _bind(schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> list[Source]:
    """Where each formal argument comes from. Raises _Miss where the call does not fit the overload."""
    formals = schema.arguments
    positional = [a for a in formals if not a.kwarg_only]
    sources: list[Source] = []
    left = dict(kwargs)
    pack = _packs(positional, args)
    if len(args) > len(positional) and pack is None:
        raise _Miss(f"takes {len(positional)} positional arguments but {len(args)} were given")
    for i, a in enumerate(formals):
        if pack is not None and i == pack:
            sources.append(("pack", i, _int_list))
            continue
        if i < len(args) and not a.kwarg_only and (pack is None or i < pack):
            value, keyword = args[i], False
            place: tuple[str, Any] = ("args", i)
        else:
            name = _given_name(a, i, left)
            if name is None:
                if not a.has_default:
                    raise _Miss(f"missing argument '{_shown(a, i)}'")
                sources.append(("default", a.default, _SAME))
                continue
            value, keyword = left.pop(name), True
            place = ("kwargs", name)
        convert = _match(a, value, level, keyword)
        if convert is None:
            where = f" (position {i + 1})" if not keyword else ""
            raise _Miss(f"argument '{_shown(a, i)}'{where} must be {_type_text(a)}, not {_kind_of(value)}")
        if convert is _SAME and level > 1 and a.type == T.TENSOR and not isinstance(value, Tensor):
            convert = _as_tensor_like(args, kwargs)
        sources.append((*place, convert))
    if left:
        raise _Miss(f"got an unexpected keyword argument '{next(iter(left))}'")
    return sources


def _given_name(a: Argument, position: int, given: dict[str, Any]) -> str | None:
    if a.name in given:
        return a.name
    for other, name in _OTHER_NAMES.items():
        if name == a.name and other in given and (name != "self" or position == 0):
            return other
    return None


def _packs(positional: list[Argument], args: tuple[Any, ...]) -> int | None:
    """Position of a list of ints whose members are given one by one (`view(2, 3)`), if this call does that."""
    at = 1 if positional and positional[0].type == T.TENSOR else 0
    if len(positional) != at + 1 or len(args) <= at or positional[at].type != T.ListType(T.INT):
        return None
    rest = args[at:]
    ints = all(_is_integer(v, 1) and not isinstance(v, bool) for v in rest)
    return at if ints and (len(rest) > 1 or positional[at].size is None) else None


def _as_tensor_like(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Convert:
    like = next((v for v in (*args, *kwargs.values()) if isinstance(v, Tensor)), None)
    if like is None:
        raise _Miss("there is no tensor among the arguments")
    where = next((i for i, v in enumerate(args) if v is like), None)
    del where
    return lambda v: scalar_tensor(v, like)


# results ------------------------------------------------------------------------------------------------------------


@cache
def _named(name: str, fields: tuple[str, ...]) -> Any:
    made: Any = namedtuple
    base = made(name, fields)

    def text(self: Any) -> str:
        parts = ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self))
        return f"linstock.return_types.{name}(\n{parts})"

    return type(name, (base,), {"__slots__": (), "__repr__": text, "__module__": "linstock.return_types"})


def result_class(schema: Schema) -> Any:
    """The named tuple that an operator with several named results gives in Python, None for others."""
    names = tuple(r.name for r in schema.returns)
    if len(names) < 2 or not all(names):
        return None
    return _named(schema.name.partition("::")[2], names)


def _finish(schema: Schema) -> Convert | None:
    """What the result of an overload looks like in Python, None where it stays as it is."""
    returns = schema.returns
    if len(returns) > 1:
        if schema.out_arguments and not all(r.name for r in returns):
            return None
        made = result_class(schema)
        return None if made is None else lambda r: made(*r)
    if len(returns) != 1:
        return None
    if returns[0].kind == "ScalarType":
        return dtypes.by_code
    if returns[0].type == T.QSCHEME:
        return lambda q: kinds.qscheme.of(q) if isinstance(q, int) else q
    if isinstance(returns[0].type, T.ListType) and returns[0].type.element == T.TENSOR:
        return tuple
    return None


# plans --------------------------------------------------------------------------------------------------------------

Plan = Callable[[tuple[Any, ...], dict[str, Any]], Any]


def _plan(schema: Schema, sources: list[Source], outs: str | None) -> Plan:
    """A function that makes this kind of call."""
    while sources and sources[-1][0] == "default" and schema.arguments[len(sources) - 1].has_default:
        sources.pop()
    scope: dict[str, Any] = {"op": operator(schema.full_name)}
    parts = []
    for i, (kind, where, convert) in enumerate(sources):
        if kind == "default":
            scope[f"d{i}"] = where
            parts.append(f"d{i}")
            continue
        text = f"args[{where}]" if kind == "args" else f"args[{where}:]" if kind == "pack" else f"kwargs[{where!r}]"
        if convert is not _SAME:
            scope[f"c{i}"] = convert
            text = f"c{i}({text})"
        parts.append(text)
    if all(k == "args" and c is _SAME for k, _, c in sources):
        parts = ["*args"]
    call = f"op({', '.join(parts)})"
    finish = _finish(schema)
    if finish is not None:
        scope["finish"] = finish
        call = f"finish({call})"
    exec(f"def plan(args, kwargs):\n    return {call}", scope)
    return scope["plan"]  # type: ignore[no-any-return]


_CONTAINERS = {list, tuple, kinds.Size}
_AMBIGUOUS: Plan = lambda args, kwargs: None  # noqa: E731 - a mark: list members decide too


def _deep(v: Any) -> Any:
    kind = type(v)
    if isinstance(v, (list, tuple)):
        return (kind, *{type(x) for x in v})
    return kind


def _has_tensors(schema: Schema) -> bool:
    return any(_is_tensor(a.type) for a in (*schema.arguments, *schema.returns))


def _is_tensor(t: T.Type) -> bool:
    return t == T.TENSOR or any(map(_is_tensor, t.children()))


def _python_schemas(name: str) -> list[Schema]:
    """The overloads that Python calls may mean: not those over lists and plain numbers where there are ones over
    tensors."""
    found = [s for s in operators.schemas(name) if not s.vararg]
    kept = [s for s in found if operators.family(s.full_name) not in _PYTHON_FAMILIES_LAST and _has_tensors(s)]
    return kept or found


class Resolver:
    """The overloads of one operator name, and the plans of the kinds of calls seen so far."""

    def __init__(self, name: str, namespace: str = "aten") -> None:
        self.name, self.namespace = name, namespace
        self.plans: dict[Any, Plan] = {}
        self._schemas: list[Schema] | None = None

    @property
    def schemas(self) -> list[Schema]:
        """The overloads, parsed when first needed."""
        if self._schemas is None:
            self._schemas = _python_schemas(f"{self.namespace}::{self.name}")
        return self._schemas

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        key: Any = tuple(map(type, args))
        if kwargs:
            key = (key, tuple([(k, type(v)) for k, v in kwargs.items()]))
        plan = self.plans.get(key)
        if plan is not None and plan is not _AMBIGUOUS:
            return plan(args, kwargs)
        return self._uncommon(key, plan, args, kwargs)

    def _uncommon(self, key: Any, plan: Plan | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if plan is None and any(isinstance(v, (list, tuple)) for v in (*args, *kwargs.values())):
            self.plans[key] = _AMBIGUOUS
            plan = _AMBIGUOUS
        if plan is _AMBIGUOUS:
            key = (1, tuple([_deep(v) for v in args]), tuple([(k, _deep(v)) for k, v in kwargs.items()]))
            found = self.plans.get(key)
            if found is not None:
                return found(args, kwargs)
        changed = self._special(args, kwargs)
        if changed is not None:
            return changed()
        plan, keep = self._resolve(args, kwargs)
        if keep:
            self.plans[key] = plan
        return plan(args, kwargs)

    def _special(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[], Any] | None:
        """Keywords that are Python's own: `out` (also a tuple, also None), `requires_grad` of factories, `names`,
        None values."""
        names = {a.name for s in self.schemas for a in s.arguments}
        if "requires_grad" in kwargs and "requires_grad" not in names:
            rest = {k: v for k, v in kwargs.items() if k != "requires_grad"}
            wanted = kwargs["requires_grad"]
            return lambda: self(args, rest).requires_grad_() if wanted else self(args, rest)
        for name in ("out", "names", "generator"):
            if name in kwargs and kwargs[name] is None and not (name == "generator" and self._takes_none(name)):
                rest = {k: v for k, v in kwargs.items() if k != name}
                return lambda: self(args, rest)
        if isinstance(kwargs.get("out"), (tuple, list)):
            outs = kwargs["out"]
            for s in self.schemas:
                formal = s.out_arguments
                if len(formal) == len(outs) and not isinstance(formal[0].type, T.ListType):
                    rest = {k: v for k, v in kwargs.items() if k != "out"} | {a.name: o for a, o in zip(formal, outs)}
                    try:
                        _bind(s, args, rest, 1)
                    except _Miss:
                        continue
                    return lambda rest=rest: self(args, rest)  # type: ignore[misc]
        return None

    def _takes_none(self, name: str) -> bool:
        return any(a.name == name and a.has_default for s in self.schemas for a in s.arguments)

    def _resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Plan, bool]:
        misses: list[str] = []
        for level in (0, 1, 2) if self.name.rstrip("_") in _NUMBERS_AS_TENSORS else (0, 1):
            for s in self.schemas:
                try:
                    sources = _bind(s, args, kwargs, level)
                except _Miss as miss:
                    misses.append(miss.message)
                    continue
                # a number made a tensor refers to this call's other operand
                return _plan(s, sources, None), level < 2
        raise TypeError(self._message(args, kwargs, misses))

    def _message(self, args: tuple[Any, ...], kwargs: dict[str, Any], misses: list[str]) -> str:
        if len([s for s in self.schemas if not s.out_arguments]) == 1 and misses:
            return f"{self.name}(): {misses[0]}"
        given = [_kind_of(v) for v in args] + [f"{k}={_kind_of(v)}" for k, v in kwargs.items()]
        listed = "\n".join(f" * ({_signature(s)})" for s in self.schemas)
        got = f"got ({', '.join(given)}), but expected one of:\n{listed}"
        return f"{self.name}() received an invalid combination of arguments - {got}"


def _kind_of(v: Any) -> str:
    if isinstance(v, (list, tuple)) and len(v):
        inner = {type(x).__name__ for x in v}
        return f"{type(v).__name__} of {' and '.join(sorted(inner))}"
    return type(v).__name__


def _shown(a: Argument, position: int) -> str:
    return "input" if a.name == "self" and position == 0 else a.name


def _type_text(a: Argument) -> str:
    text = str(a.type)
    if a.kind:
        text = {"ScalarType": "dtype", "Layout": "layout", "MemoryFormat": "memory_format"}[a.kind]
    names = {"Tensor": "Tensor", "Scalar": "Number", "int[]": "tuple of ints", "Tensor[]": "tuple of Tensors"}
    return names.get(text.rstrip("?"), text)


def _signature(s: Schema) -> str:
    parts, starred = [], False
    for i, a in enumerate(s.arguments):
        if a.kwarg_only and not starred:
            parts.append("*")
            starred = True
        parts.append(f"{_type_text(a)} {_shown(a, i)}" + (f" = {a.default}" if a.has_default else ""))
    return ", ".join(parts)


# what Python sees ---------------------------------------------------------------------------------------------------


@cache
def resolver(name: str) -> Resolver:
    """The resolver of an operator name ("add"). Raises KeyError for an unknown one."""
    if not operators.is_known(f"aten::{name}"):
        raise KeyError(name)
    return Resolver(name)


def call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator by its bare name with Python arguments. Raises TypeError where no overload fits."""
    return resolver(name)(args, kwargs)


@cache
def _qualified(name: str) -> Resolver:
    namespace, _, bare = name.partition("::")
    return resolver(bare) if namespace == "aten" else Resolver(bare, namespace)


def call_qualified(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator by its qualified name ("prim::device") with Python arguments."""
    return _qualified(name)(args, kwargs)


@cache
def overload_function(full_name: str) -> Callable[..., Any]:
    """One overload as a function of Python arguments. Raises KeyError for an unknown one."""
    schema = operators.schema(full_name)
    only = Resolver(schema.name.partition("::")[2])
    only._schemas = [schema]

    def made(*args: Any, **kwargs: Any) -> Any:
        return only(args, kwargs)

    made.__name__ = made.__qualname__ = full_name
    made.__doc__ = schema.line
    return made


def _made(name: str, public: str) -> Callable[..., Any]:
    resolve = resolver(name)

    def made(*args: Any, **kwargs: Any) -> Any:
        return resolve(args, kwargs)

    made.__name__ = made.__qualname__ = public
    made.__module__ = "linstock"
    made.__operator__ = f"aten::{name}"  # type: ignore[attr-defined]  # how scripting knows it
    lines = [line for line, _ in operators._index()[f"aten::{name}"]]
    made.__doc__ = f"The operator aten::{name}, with these overloads:\n\n" + "\n".join(f"    {line}" for line in lines)
    return made


@cache
def function(name: str) -> Callable[..., Any] | None:
    """`linstock.<name>`: a Python function of its own, or the operator of that name; None where there is neither."""
    from linstock.runtime import functions

    own = functions.FUNCTIONS.get(name)
    if own is not None:
        return own
    return _made(name, name) if operators.is_known(f"aten::{name}") else None


@cache
def method(name: str) -> Callable[..., Any] | None:
    """`Tensor.<name>`: a Python function of its own, or the operator whose first argument is `self`; None where there
    is neither."""
    from linstock.runtime import functions

    own = functions.METHODS.get(name)
    if own is not None:
        return own
    return _made(name, name) if _is_method(name) else None


def _is_method(name: str) -> bool:
    rows = operators._index().get(f"aten::{name}", ())
    starts = ("(Tensor self", "(Tensor(a) self", "(Tensor(a!) self", "(Tensor(a -> *) self")
    return any(start in line for line, _ in rows for start in starts)


def method_names() -> Iterable[str]:
    """Names of all methods that tensors get from the operator table."""
    from linstock.runtime import functions

    names = (n.partition("::")[2] for n in operators.names() if n.startswith("aten::"))
    return {*functions.METHODS, *(n for n in names if _is_method(n))}


def in_namespace(prefix: str, name: str) -> Callable[..., Any] | None:
    """A function of `linstock.linalg`, `linstock.fft` or `linstock.special`: the operator with the namespace's
    prefix."""
    from linstock.runtime import functions

    own = functions.FUNCTIONS.get(prefix + name)
    if own is not None:
        return own
    return _made(prefix + name, name) if operators.is_known(f"aten::{prefix}{name}") else None
