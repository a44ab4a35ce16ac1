"""Type annotations, as syntax, to types."""

from __future__ import annotations

import ast
from collections.abc import Callable

from linstock.ir import types as T

Named = Callable[[str], T.Type | None]

_NAMES: dict[str, T.Type] = {
    "Tensor": T.TENSOR, "int": T.INT, "float": T.FLOAT, "complex": T.COMPLEX, "bool": T.BOOL, "str": T.STRING, "None": T.NONE,
    "NoneType": T.NONE, "Any": T.ANY, "number": T.NUMBER, "Scalar": T.NUMBER, "Device": T.DEVICE, "Generator": T.GENERATOR,
    "Stream": T.STREAM, "Storage": T.STORAGE, "QScheme": T.QSCHEME, "Layout": T.INT, "ScalarType": T.INT, "MemoryFormat": T.INT,
    "AnyClassType": T.ANY_CLASS, "AnyEnumType": T.ANY_ENUM, "AnyListType": T.ANY_LIST, "AnyTupleType": T.ANY_TUPLE, "Capsule": T.CAPSULE,
    "SymInt": T.INT, "list": T.ANY_LIST, "tuple": T.ANY_TUPLE, "Function": T.FUNCTION,
}  # fmt: skip
_LITERALS: dict[type, T.Type] = {str: T.STRING, int: T.INT, bool: T.BOOL, float: T.FLOAT, type(None): T.NONE}
_GENERIC = {
    "List",
    "list",
    "Dict",
    "dict",
    "Tuple",
    "tuple",
    "Optional",
    "Union",
    "Future",
    "RRef",
    "Await",
    "Final",
    "Annotated",
}


class AnnotationError(Exception):
    """An annotation that is no type; `node` is the part at fault."""

    def __init__(self, message: str, node: ast.expr) -> None:
        super().__init__(message)
        self.node = node


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text, or None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


def parsed_text(text: str, place: ast.AST) -> ast.expr:
    """An annotation that is written as text, at the place of that text. Raises AnnotationError."""
    try:
        made = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise AnnotationError(f"{text!r} is not a type", ast.copy_location(ast.Constant(text), place)) from None
    for n in ast.walk(made):
        ast.copy_location(n, place)
    return made


def parse(node: ast.expr, named: Named) -> T.Type:
    """The type that an annotation means; `named` knows the classes. Raises AnnotationError."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return T.NONE
        if isinstance(node.value, str):
            return parse(parsed_text(node.value, node), named)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return T.union([parse(node.left, named), parse(node.right, named)])
    if isinstance(node, ast.Subscript):
        return _generic(node, named)
    name = dotted(node)
    if name is None:
        raise AnnotationError(f"'{ast.unparse(node)}' is not a type", node)
    found = named(name)
    if found is not None:
        return found
    last = name.rpartition(".")[2]
    if last in _NAMES and (name == last or name.partition(".")[0] in ("torch", "linstock", "typing", "t")):
        return _NAMES[last]
    if last in ("dtype", "layout", "memory_format"):
        return T.INT
    if last == "device":
        return T.DEVICE
    if last in _GENERIC:
        if last in ("List", "Dict", "Tuple", "Optional", "dict"):
            raise AnnotationError(f"attempted to use {last} without a contained type: write {last}[...]", node)
    raise AnnotationError(f"unknown type name '{name}'", node)


def _generic(node: ast.Subscript, named: Named) -> T.Type:
    name = (dotted(node.value) or "").rpartition(".")[2]
    index = node.slice
    parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    if name in ("Final", "Annotated"):
        return parse(parts[0], named)
    if name == "Literal":
        kinds = [_LITERALS.get(type(getattr(p, "value", Ellipsis))) for p in parts]
        if any(k is None for k in kinds):
            raise AnnotationError("a Literal holds strings, ints, floats, bools and None", node)
        return T.union([k for k in kinds if k is not None])
    if name in ("Tuple", "tuple"):
        if len(parts) == 1 and isinstance(parts[0], ast.Tuple):
            parts = list(parts[0].elts)
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            raise AnnotationError(
                "a tuple of any length has no type in TorchScript: use List, or write the elements out", node
            )
        return T.TupleType(tuple(parse(p, named) for p in parts))
    arguments = [parse(p, named) for p in parts]
    if name == "Union":
        return T.union(arguments)
    if name in ("Dict", "dict") and len(arguments) == 2:
        if arguments[0] not in (T.INT, T.FLOAT, T.COMPLEX, T.BOOL, T.STRING, T.TENSOR) and not isinstance(
            arguments[0], T.EnumType
        ):
            raise AnnotationError(
                f"a dictionary's key cannot be of type {arguments[0].annotation()}: use int, float, complex, bool, str or Tensor",
                node,
            )
        return T.DictType(*arguments)
    if name.startswith("BroadcastingList"):
        return T.ListType(arguments[0])
    makers = {
        "List": T.ListType,
        "list": T.ListType,
        "Optional": T.optional,
        "Future": T.FutureType,
        "RRef": T.RRefType,
        "Await": T.AwaitType,
    }
    if name in makers and len(arguments) == 1:
        return makers[name](arguments[0])
    raise AnnotationError(f"unknown type constructor '{ast.unparse(node)}'", node)


def broadcast_size(node: ast.expr | None) -> int | None:
    """N where an annotation is (or holds) `BroadcastingListN[...]`: one number stands for N of them."""
    for part in ast.walk(node) if node is not None else ():
        name = getattr(part, "id", None) or getattr(part, "attr", "")
        if isinstance(name, str) and name.startswith("BroadcastingList") and name[16:].isdigit():
            return int(name[16:])
    return None
