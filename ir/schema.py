"""Operator schemas: the one source of an operator's arity, types, defaults, mutation and aliasing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from linstock.ir import types as T


@dataclass(frozen=True)
class Argument:
    """A formal argument or result. `alias` is its alias set ("a", "*" for any, None for fresh), `writes` that it is
    mutated.

    `kind` is the declared name of a type that is carried as an int ("ScalarType", "Layout", "MemoryFormat") or "".
    """

    name: str
    type: T.Type
    has_default: bool = False
    default: Any = None
    kwarg_only: bool = False
    alias: str | None = None
    writes: bool = False
    size: int | None = None
    kind: str = ""
    element_alias: str | None = None


@dataclass(frozen=True)
class Schema:
    """A parsed schema line. `name` is "aten::add", `overload` "Tensor" or ""."""

    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    vararg: bool = False
    varret: bool = False
    line: str = ""

    def __hash__(self) -> int:
        return hash((self.name, self.overload))

    @property
    def full_name(self) -> str:
        """The name with its overload: "aten::add.Tensor"."""
        return f"{self.name}.{self.overload}" if self.overload else self.name

    @property
    def is_mutable(self) -> bool:
        """Whether a call changes any of its arguments."""
        return any(a.writes for a in self.arguments)

    @property
    def out_arguments(self) -> tuple[Argument, ...]:
        """The keyword-only arguments that receive results (`out=`)."""
        return tuple(a for a in self.arguments if a.kwarg_only and a.writes)

    def index_of(self, name: str) -> int | None:
        """Position of the argument called `name`, or None."""
        for i, a in enumerate(self.arguments):
            if a.name == name:
                return i
        return None

    def __str__(self) -> str:
        return self.line


#: declared type names that are carried as other types in a graph
_CARRIED: dict[str, T.Type] = {
    "ScalarType": T.INT, "Layout": T.INT, "MemoryFormat": T.INT, "SymInt": T.INT, "SymFloat": T.FLOAT, "SymBool": T.BOOL,
    "Scalar": T.NUMBER, "number": T.NUMBER, "Tensor": T.TENSOR, "Device": T.DEVICE, "Dimname": T.STRING,
    "QScheme": T.QSCHEME, "ConstQuantizerPtr": T.ANY, "DeviceIndex": T.INT, "DispatchKeySet": T.ANY,
}  # fmt: skip
_MEMORY_FORMATS = {"contiguous_format": 0, "preserve_format": 1, "channels_last": 2}
_NAMED_VALUES: dict[str, Any] = {
    "None": None, "True": True, "False": False, "Mean": 1, "Sum": 2, "long": 4, "int": 3, "strided": 0, "inf": float("inf"),
} | _MEMORY_FORMATS  # fmt: skip
_KINDS = ("ScalarType", "Layout", "MemoryFormat")


@dataclass(frozen=True)
class _Formal:
    """A type while it is parsed, with the marks that stand inside it."""

    type: T.Type
    kind: str = ""
    size: int | None = None
    inner_alias: str | None = None


Children = list[Any]


def _transformer() -> Any:
    from lark import Transformer

    def alias_of(token: Any) -> tuple[str | None, bool, str | None]:
        if token is None:
            return None, False, None
        body, _, inner = str(token)[1:-1].replace(" ", "").partition("->")
        return body.rstrip("!"), body.endswith("!"), inner or None

    class Build(Transformer):  # type: ignore[type-arg]
        def simple(self, c: Children) -> _Formal:
            name = str(c[0])
            if name in _CARRIED:
                return _Formal(_CARRIED[name], name if name in _KINDS else "")
            if name in T.SIMPLE:
                return _Formal(T.SIMPLE[name])
            if name.startswith("__torch__."):
                return _Formal(torchbind(name))
            return _Formal(T.VarType(name))

        def generic(self, c: Children) -> _Formal:
            parts = [f.type for f in c[1:]]
            made: dict[str, Any] = {
                "Dict(": T.DictType,
                "Future(": T.FutureType,
                "RRef(": T.RRefType,
                "Await(": T.AwaitType,
            }
            return _Formal(T.union(parts) if c[0] == "Union(" else made[str(c[0])](*parts))

        def list(self, c: Children) -> _Formal:
            inner = next((x for x in c[1:] if getattr(x, "type", "") == "ALIAS"), None)
            number = next((x for x in c[1:] if getattr(x, "type", "") == "INT"), None)
            return _Formal(
                T.ListType(c[0].type),
                c[0].kind,
                int(number) if number else None,
                str(inner) if inner else c[0].inner_alias,
            )

        def optional(self, c: Children) -> _Formal:
            inner = str(c[1]) if len(c) > 1 and c[1] is not None else c[0].inner_alias
            return _Formal(T.optional(c[0].type), c[0].kind, c[0].size, inner)

        def number(self, c: Children) -> float:
            return float(c[0])

        def integer(self, c: Children) -> int:
            return int(c[0])

        def string(self, c: Children) -> str:
            return str(c[0])[1:-1]

        def name(self, c: Children) -> Any:
            return _NAMED_VALUES[str(c[0])]

        def items(self, c: Children) -> Children:
            return [x for x in c if x is not None]

        def default(self, c: Children) -> tuple[Any]:
            return (c[0],)

        def argument(self, c: Children) -> Argument:
            formal = c[0]
            mark = next((x for x in c[1:] if getattr(x, "type", "") == "ALIAS"), None) or formal.inner_alias
            name = next(str(x) for x in c[1:] if getattr(x, "type", "") == "NAME")
            given = next((x for x in c[1:] if type(x) is tuple_type), None)
            alias, writes, inner = alias_of(mark)
            value = given[0] if given else None
            if given and formal.type == T.FLOAT and isinstance(value, int):
                value = float(value)
            if given and formal.size is not None and isinstance(value, int) and not isinstance(value, bool):
                value = [value] * formal.size
            return Argument(
                name, formal.type, given is not None, value, False, alias, writes, formal.size, formal.kind, inner
            )

        def pairs_argument(self, c: Children) -> Argument:
            return Argument(str(c[-1]), T.ListType(T.TupleType(tuple_type(f.type for f in c[:-1]))))

        def pairs(self, c: Children) -> Children:
            return [Argument("", T.ListType(T.TupleType(tuple_type(r.type for r in c))))]

        def pair(self, c: Children) -> Children:
            return [Argument("", T.TupleType(tuple_type(r.type for r in c)))]

        def ret(self, c: Children) -> Argument:
            formal = c[0]
            mark = next((x for x in c[1:] if getattr(x, "type", "") == "ALIAS"), None) or formal.inner_alias
            name = next((str(x) for x in c[1:] if getattr(x, "type", "") == "NAME"), "")
            alias, writes, _ = alias_of(mark)
            return Argument(name, formal.type, alias=alias, writes=writes, kind=formal.kind)

        def star(self, c: Children) -> str:
            return "*"

        def varargs(self, c: Children) -> str:
            return "..."

        def single(self, c: Children) -> Children:
            return c[0] if isinstance(c[0], list_type) else c

        def many(self, c: Children) -> Children:
            return [x for x in c if x is not None]

        def start(self, c: Children) -> Schema:
            name, _, overload = str(c[0]).partition(".")
            arguments, only = [], False
            for item in c[1:-1]:
                if item == "*":
                    only = True
                elif isinstance(item, Argument):
                    arguments.append(Argument(**{**item.__dict__, "kwarg_only": True}) if only else item)
            varret = c[-1] == "..." or c[-1] == ["..."]
            returns = () if varret else tuple(c[-1])
            return Schema(name, overload, tuple(arguments), returns, "..." in c[1:-1], varret)

    tuple_type: Any = type(())
    list_type: Any = type([])
    return Build()


_TORCHBIND: dict[str, T.ClassType] = {}


def torchbind(name: str) -> T.ClassType:
    """The class type of a TorchBind object (`__torch__.torch.classes.…`): one per name, whichever thread asks first."""
    return _TORCHBIND.get(name) or _TORCHBIND.setdefault(name, T.ClassType(name))


@cache
def _parser() -> Any:
    from lark import Lark

    grammar = files("linstock.ir").joinpath("schema.lark").read_text()
    return Lark(grammar, parser="lalr", transformer=_transformer(), maybe_placeholders=False)


def parse_schema(line: str) -> Schema:
    """Parse a schema line. Raises lark.LarkError for a malformed one."""
    schema: Schema = _parser().parse(line)
    object.__setattr__(schema, "line", line)
    return schema
