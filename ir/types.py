"""The types of TorchScript: structural ones are immutable and compare by value; classes compare by identity.

`str(t)` is the IR's printed form (`int[]`, `Tensor?`, `Dict(str, int)`), `t.annotation()` the Python one (`List[int]`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from linstock.ir.errors import CompileError

#: how many parts a type may have, how deep they may nest, and how many members a union may have
MAX_PARTS, MAX_DEPTH, MAX_MEMBERS = 5000, 200, 256


class Type:
    """A type. `children()` are its element types; `with_children` rebuilds it."""

    #: number of its parts, itself among them, and how deep they nest: types of parts are compared and printed part by
    #: part
    parts, depth = 1, 1

    def measure(self) -> None:
        """Work out `parts` and `depth`. Raises CompileError for a type that is too large to work with."""
        children = self.children()
        parts = 1 + sum(c.parts for c in children)
        depth = 1 + max((c.depth for c in children), default=0)
        if parts > MAX_PARTS or depth > MAX_DEPTH:
            raise CompileError(
                f"a type has {parts} parts, nested {depth} deep: at most {MAX_PARTS} and {MAX_DEPTH} are possible"
            )
        self.__dict__["parts"], self.__dict__["depth"] = parts, depth

    def children(self) -> tuple[Type, ...]:
        return ()

    def with_children(self, children: Sequence[Type]) -> Type:
        return self

    def annotation(self) -> str:
        """The type as Python source, as it is printed in an archive's code."""
        return str(self)

    def has_variables(self) -> bool:
        return any(c.has_variables() for c in self.children())

    def is_optional(self) -> bool:
        return False


@dataclass(frozen=True)
class SimpleType(Type):
    """A type without parts: `int`, `str`, `Any`."""

    name: str
    python: str = ""

    def __str__(self) -> str:
        return self.name

    def annotation(self) -> str:
        return self.python or self.name


ANY = SimpleType("Any")
NONE = SimpleType("NoneType")
NUMBER = SimpleType("Scalar", "number")
INT = SimpleType("int")
FLOAT = SimpleType("float")
COMPLEX = SimpleType("complex")
BOOL = SimpleType("bool")
STRING = SimpleType("str")
DEVICE = SimpleType("Device")
GENERATOR = SimpleType("Generator")
STREAM = SimpleType("Stream")
STORAGE = SimpleType("Storage")
QSCHEME = SimpleType("QScheme")
CAPSULE = SimpleType("Capsule")
ANY_LIST = SimpleType("list")
ANY_TUPLE = SimpleType("tuple")
ANY_CLASS = SimpleType("AnyClassType")
ANY_ENUM = SimpleType("AnyEnumType")
FUNCTION = SimpleType("Function")

SIMPLE: dict[str, Type] = {
    t.name: t
    for t in (
        ANY, NONE, NUMBER, INT, FLOAT, COMPLEX, BOOL, STRING, DEVICE, GENERATOR, STREAM, STORAGE, QSCHEME, CAPSULE, ANY_CLASS,
        ANY_ENUM,
    )
}  # fmt: skip
SIMPLE |= {"number": NUMBER, "None": NONE, "t_list": ANY_LIST, "t_tuple": ANY_TUPLE}


@dataclass(frozen=True)
class TensorType(Type):
    """A tensor; None means unknown. `sizes` holds ints and names (symbolic sizes); `dtype` is a ScalarType code."""

    dtype: int | None = None
    sizes: tuple[int | str, ...] | None = None
    strides: tuple[int, ...] | None = None
    device: str | None = None
    requires_grad: bool | None = None

    @property
    def rank(self) -> int | None:
        return None if self.sizes is None else len(self.sizes)

    def __str__(self) -> str:
        if self == TENSOR:
            return "Tensor"
        from linstock.ir import dtypes

        head = "Tensor" if self.dtype is None else dtypes.scalar_name(self.dtype)
        parts = [] if self.sizes is None else [str(s) for s in self.sizes]
        if self.sizes is None:
            parts.append("*")
        if self.strides is not None:
            parts.append(f"strides=[{', '.join(map(str, self.strides))}]")
        if self.requires_grad is not None:
            parts.append(f"requires_grad={int(self.requires_grad)}")
        if self.device is not None:
            parts.append(f"device={self.device}")
        return f"{head}({', '.join(parts)})"

    def annotation(self) -> str:
        return "Tensor"


TENSOR = TensorType()


@dataclass(frozen=True)
class VarType(Type):
    """A type variable of a schema (`t` in `aten::append.t(t[](a!) self, t el)`)."""

    name: str

    def __str__(self) -> str:
        return self.name

    def has_variables(self) -> bool:
        return True


@dataclass(frozen=True)
class ElementType(Type):
    """Base of the types with one element type."""

    element: Type

    def __post_init__(self) -> None:
        self.measure()

    def children(self) -> tuple[Type, ...]:
        return (self.element,)

    def with_children(self, children: Sequence[Type]) -> Type:
        return type(self)(children[0])


@dataclass(frozen=True)
class OptionalType(ElementType):
    def __str__(self) -> str:
        return f"{self.element}?"

    def annotation(self) -> str:
        return f"Optional[{self.element.annotation()}]"

    def is_optional(self) -> bool:
        return True


@dataclass(frozen=True)
class ListType(ElementType):
    def __str__(self) -> str:
        return f"{self.element}[]"

    def annotation(self) -> str:
        return f"List[{self.element.annotation()}]"


@dataclass(frozen=True)
class FutureType(ElementType):
    def __str__(self) -> str:
        return f"Future({self.element})"

    def annotation(self) -> str:
        return f"Future[{self.element.annotation()}]"


@dataclass(frozen=True)
class AwaitType(ElementType):
    def __str__(self) -> str:
        return f"Await({self.element})"

    def annotation(self) -> str:
        return f"Await[{self.element.annotation()}]"


@dataclass(frozen=True)
class RRefType(ElementType):
    def __str__(self) -> str:
        return f"RRef({self.element})"

    def annotation(self) -> str:
        return f"RRef[{self.element.annotation()}]"


@dataclass(frozen=True)
class DictType(Type):
    key: Type
    value: Type

    def __post_init__(self) -> None:
        self.measure()

    def children(self) -> tuple[Type, ...]:
        return (self.key, self.value)

    def with_children(self, children: Sequence[Type]) -> Type:
        return DictType(*children)

    def __str__(self) -> str:
        return f"Dict({self.key}, {self.value})"

    def annotation(self) -> str:
        return f"Dict[{self.key.annotation()}, {self.value.annotation()}]"


@dataclass(frozen=True)
class TupleType(Type):
    elements: tuple[Type, ...]

    def __post_init__(self) -> None:
        self.measure()

    def children(self) -> tuple[Type, ...]:
        return self.elements

    def with_children(self, children: Sequence[Type]) -> Type:
        return TupleType(tuple(children))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"

    def annotation(self) -> str:
        return f"Tuple[{', '.join(e.annotation() for e in self.elements) or '()'}]"


@dataclass(frozen=True, eq=False)
class NamedTupleType(TupleType):
    """A NamedTuple class: compares by identity; `defaults` are those of the last fields."""

    name: str = ""
    fields: tuple[str, ...] = ()
    defaults: tuple[Any, ...] = ()
    python: Any = None  # the Python class it was scripted from

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def with_children(self, children: Sequence[Type]) -> Type:
        if tuple(children) == self.elements:
            return self
        return NamedTupleType(tuple(children), self.name, self.fields, self.defaults)

    def __str__(self) -> str:
        return self.name

    def annotation(self) -> str:
        return self.name


class UnionType(Type):
    """A union of at least two members; order does not matter for equality."""

    def __init__(self, members: Sequence[Type]) -> None:
        self.members = tuple(members)
        self.measure()

    def children(self) -> tuple[Type, ...]:
        return self.members

    def with_children(self, children: Sequence[Type]) -> Type:
        return union(children)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnionType) and set(self.members) == set(other.members)

    def __hash__(self) -> int:
        return hash(frozenset(self.members))

    def __str__(self) -> str:
        return f"Union({', '.join(map(str, self.members))})"

    def annotation(self) -> str:
        return f"Union[{', '.join(m.annotation() for m in self.members)}]"

    def is_optional(self) -> bool:
        return NONE in self.members


@dataclass(eq=False)
class Property:
    name: str
    getter: Any
    setter: Any = None


@dataclass(eq=False)
class ClassType(Type):
    """A class: attributes in slot order, constants, methods by name. Compares by identity.

    `methods` maps a name to a function object of the compilation unit (`ir.program.Function`), possibly compiled on
    first use.
    """

    name: str
    is_module: bool = False
    attributes: dict[str, Type] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    buffers: set[str] = field(default_factory=set)
    constants: dict[str, Any] = field(default_factory=dict)
    constant_types: dict[str, Type] = field(default_factory=dict)
    methods: dict[str, Any] = field(default_factory=dict)
    static_methods: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    forward_hooks: list[Any] = field(default_factory=list)
    forward_pre_hooks: list[Any] = field(default_factory=list)
    unresolved: dict[str, str] = field(default_factory=dict)  # attribute -> why it could not be converted
    live: Any = None  # what compiles further methods of a scripted Python class
    python: Any = None  # the Python class it was scripted from

    def __str__(self) -> str:
        return self.name

    @property
    def is_torchbind(self) -> bool:
        return self.name.startswith("__torch__.torch.classes.")


@dataclass(eq=False)
class InterfaceType(Type):
    """An interface: method name -> signature (`ir.program.Signature`)."""

    name: str
    is_module: bool = False
    methods: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


@dataclass(eq=False)
class EnumType(Type):
    """An Enum class: member names and their values, all of one type."""

    name: str
    value_type: Type = INT
    members: dict[str, Any] = field(default_factory=dict)
    python: Any = None  # the Python class it was scripted from

    def __str__(self) -> str:
        return f"Enum<{self.name}>"

    def annotation(self) -> str:
        return self.name


@dataclass(frozen=True)
class FunctionType(Type):
    """The type of a function value: one per function."""

    function: Any

    def __str__(self) -> str:
        return "Function"


def optional(element: Type) -> Type:
    """Optional[element], without nesting."""
    if element.is_optional() or element == NONE:
        return element
    if element == ANY:
        return ANY
    if isinstance(element, UnionType):
        return union((*element.members, NONE))
    return OptionalType(element)


def union(members: Sequence[Type]) -> Type:
    """The union of the members: flattened, members that are subtypes of others dropped, Optional where it is one."""
    flat: list[Type] = []
    for m in members:
        flat += m.members if isinstance(m, UnionType) else (m.element, NONE) if isinstance(m, OptionalType) else (m,)
    if len(flat) > MAX_MEMBERS:
        raise CompileError(f"a union has {len(flat)} members: at most {MAX_MEMBERS} are possible")
    kept: list[Type] = []
    for m in flat:
        if any(is_subtype(m, k) for k in kept):
            continue
        kept = [k for k in kept if not is_subtype(k, m)] + [m]
    if {INT, FLOAT, COMPLEX} <= set(kept):
        kept = [k for k in kept if k not in (INT, FLOAT, COMPLEX)] + [NUMBER]
    if len(kept) == 1:
        return kept[0]
    if len(kept) == 2 and NONE in kept:
        return OptionalType(next(k for k in kept if k != NONE))
    return UnionType(kept)


def members_of(t: Type) -> tuple[Type, ...]:
    """The alternatives of a union or optional; the type itself otherwise."""
    if isinstance(t, OptionalType):
        return (t.element, NONE)
    return t.members if isinstance(t, UnionType) else (t,)


def without_none(t: Type) -> Type:
    """The type once it is known not to be None."""
    if isinstance(t, OptionalType):
        return t.element
    if isinstance(t, UnionType):
        return union([m for m in t.members if m != NONE])
    return t


def is_subtype(a: Type, b: Type) -> bool:
    """Whether a value of type `a` may stand where `b` is expected, without conversion."""
    if a is b or b is ANY or a == b:
        return True
    if isinstance(a, (UnionType, OptionalType)):
        return all(is_subtype(m, b) for m in members_of(a))
    if isinstance(b, (UnionType, OptionalType)):
        return any(is_subtype(a, m) for m in members_of(b))
    if b is NUMBER:
        return a in (INT, FLOAT, COMPLEX)
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        pairs = ((a.dtype, b.dtype), (a.strides, b.strides), (a.device, b.device), (a.requires_grad, b.requires_grad))
        return _sizes_fit(a.sizes, b.sizes) and all(y is None or x == y for x, y in pairs)
    if isinstance(a, ListType):
        tensors = isinstance(b, ListType) and isinstance(a.element, TensorType) and isinstance(b.element, TensorType)
        return b is ANY_LIST or (tensors and is_subtype(a.element, b.element))  # type: ignore[attr-defined]
    if isinstance(a, TupleType):
        if b is ANY_TUPLE:
            return True
        if not isinstance(b, TupleType) or isinstance(b, NamedTupleType) or len(a.elements) != len(b.elements):
            return False
        return all(is_subtype(x, y) for x, y in zip(a.elements, b.elements, strict=True))
    if isinstance(a, (FutureType, RRefType, AwaitType)) and type(a) is type(b):
        return is_subtype(a.element, b.element)
    if isinstance(b, InterfaceType):
        return implements(a, b)
    if b is ANY_CLASS:
        return isinstance(a, ClassType)
    if b is ANY_ENUM:
        return isinstance(a, EnumType)
    if b is FUNCTION:
        return isinstance(a, FunctionType)
    return False


def _sizes_fit(a: tuple[int | str, ...] | None, b: tuple[int | str, ...] | None) -> bool:
    """Whether sizes `a` are among those that `b` allows: a symbolic size of `b` allows any."""
    if b is None:
        return True
    return a is not None and len(a) == len(b) and all(isinstance(y, str) or x == y for x, y in zip(a, b, strict=True))


def implements(a: Type, interface: InterfaceType) -> bool:
    """Whether a class or interface has every method of the interface, with a compatible signature."""
    if not isinstance(a, (ClassType, InterfaceType)) or (interface.is_module and not a.is_module):
        return False
    for name, wanted in interface.methods.items():
        have = a.methods.get(name)
        if have is None and isinstance(a, ClassType) and a.live is not None:
            have = a.live.find_method(a, name)  # a method of a Python module that nothing called so far
        if have is None:
            return False
        signature = getattr(have, "signature", have)
        if callable(signature):
            signature = signature()
        if not signature.fits(wanted):
            return False
    return True


def unify(a: Type, b: Type, into_union: bool = False) -> Type | None:
    """The type that both branches of a conditional can have, or None. With `into_union` a union where nothing else
    fits.
    """
    if is_subtype(a, b):
        return b
    if is_subtype(b, a):
        return a
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        return TENSOR
    if a == NONE:
        return optional(b)
    if b == NONE:
        return optional(a)
    if isinstance(a, OptionalType) or isinstance(b, OptionalType):
        inner = unify(without_none(a), without_none(b), into_union)
        if inner is not None:
            return optional(inner)
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.elements) == len(b.elements):
        if not isinstance(a, NamedTupleType) and not isinstance(b, NamedTupleType):
            parts = [unify(x, y, into_union) for x, y in zip(a.elements, b.elements, strict=True)]
            if all(p is not None for p in parts):
                return TupleType(tuple(p for p in parts if p is not None))
    if isinstance(a, ListType) and isinstance(b, ListType):
        if isinstance(a.element, TensorType) and isinstance(b.element, TensorType):
            return ListType(TENSOR)
    if isinstance(a, FutureType) and isinstance(b, FutureType):
        inner = unify(a.element, b.element, into_union)
        return None if inner is None else FutureType(inner)
    return union((a, b)) if into_union else None


def match_variables(formal: Type, actual: Type, bound: dict[str, Type]) -> str | None:
    """Bind the type variables of `formal` so that `actual` fits; what is wrong in words, or None if it matches."""
    if not formal.has_variables():
        return None
    if isinstance(formal, VarType):
        known = bound.get(formal.name)
        if known is None:
            bound[formal.name] = actual
            return None
        both = unify(known, actual)
        if both is None:
            return f"type variable '{formal.name}' is both {known} and {actual}"
        bound[formal.name] = both
        return None
    if isinstance(formal, OptionalType):
        if actual == NONE:
            return None
        return match_variables(formal.element, without_none(actual), bound)
    if type(formal) is type(actual) or (isinstance(formal, TupleType) and isinstance(actual, TupleType)):
        if len(formal.children()) != len(actual.children()):
            return f"cannot match {formal} to {actual}"
        for f, a in zip(formal.children(), actual.children(), strict=True):
            problem = match_variables(f, a, bound)
            if problem:
                return problem
        return None
    if isinstance(formal, ListType) and isinstance(actual, TupleType) and actual.elements:
        for element in actual.elements:
            problem = match_variables(formal.element, element, bound)
            if problem:
                return problem
        return None
    return f"cannot match {formal} to {actual}"


def substitute(t: Type, bound: dict[str, Type]) -> Type | None:
    """The type with its variables replaced, or None when one of them is not bound."""
    if isinstance(t, VarType):
        return bound.get(t.name)
    if not t.has_variables():
        return t
    parts = [substitute(c, bound) for c in t.children()]
    return None if any(p is None for p in parts) else t.with_children([p for p in parts if p is not None])


def walk(t: Type) -> Iterator[Type]:
    """The type and everything inside it."""
    yield t
    for c in t.children():
        yield from walk(c)


def map_type(t: Type, function: Callable[[Type], Type]) -> Type:
    """Rebuild a type bottom-up through `function`."""
    children = t.children()
    if children:
        new = [map_type(c, function) for c in children]
        if any(n is not c for n, c in zip(new, children, strict=True)):
            t = t.with_children(new)
    return function(t)
