"""Reading control flow from the syntax: what a block assigns and where it leaves."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator, Sequence


class Status(enum.Enum):
    """How control leaves a sequence of statements."""

    FALLS = "falls through"
    EXITS = "always leaves"
    MAYBE = "leaves if $skip (in a loop) or $returned is set"
    RAISES = "always raises"


def assigned_names(statements: Sequence[ast.stmt]) -> list[str]:
    """Names that the statements (and those nested in them) assign, in order of first assignment."""
    found: dict[str, None] = {}

    def target(node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            found.setdefault(node.id)
        elif isinstance(node, (ast.Tuple, ast.List)):
            for item in node.elts:
                target(item)
        elif isinstance(node, ast.Starred):
            target(node.value)

    for statement in statements:
        for node in _own_nodes(statement):
            if isinstance(node, ast.Assign):
                for t in node.targets:
                    target(t)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
                target(node.target)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                target(node.optional_vars)
            elif isinstance(node, ast.NamedExpr):
                target(node.target)
            elif isinstance(node, ast.FunctionDef):
                found.setdefault(node.name)
    return list(found)


def path_of(node: ast.expr) -> str | None:
    """`a` and `a.b.c` as text; None for other expressions. A walrus stands for its name."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = path_of(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


def assigned_paths(statements: Sequence[ast.stmt]) -> list[str]:
    """Attributes (`self.cache`) that the statements assign."""
    stored = (
        n
        for s in statements
        for n in _own_nodes(s)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, (ast.Store, ast.Del))
    )
    return [p for p in dict.fromkeys(map(path_of, stored)) if p is not None]


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Walk without entering functions and comprehensions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            if isinstance(child, ast.FunctionDef):
                yield child
            continue
        yield from _own_nodes(child)


def always_exits(statements: Sequence[ast.stmt]) -> bool:
    """Whether control never falls off the end of these statements."""
    for s in statements:
        if isinstance(s, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return True
        if isinstance(s, ast.If) and s.orelse and always_exits(s.body) and always_exits(s.orelse):
            return True
        if isinstance(s, ast.With) and always_exits(s.body):
            return True
        if is_endless(s):
            return True
    return False


def is_endless(s: ast.stmt) -> bool:
    """Whether this is a `while True` that only a return or an exception ends."""
    if not isinstance(s, ast.While) or not isinstance(s.test, ast.Constant) or not s.test.value:
        return False
    return not has_break(s.body)


def always_raises(statements: Sequence[ast.stmt]) -> bool:
    """Whether the statements always end in `raise`."""
    for s in statements:
        if isinstance(s, ast.Raise):
            return True
        if isinstance(s, ast.If) and s.orelse and always_raises(s.body) and always_raises(s.orelse):
            return True
    return False


def has_return(statements: Sequence[ast.stmt]) -> bool:
    """Whether a return statement is anywhere inside."""
    return any(isinstance(n, ast.Return) for s in statements for n in _own_nodes(s))


def has_stop(statements: Sequence[ast.stmt]) -> bool:
    """Whether the body of a loop can end it early: a `break` of this loop, or a return."""
    return any(_leaves(s, ast.Break) for s in statements) or has_return(statements)


def has_break(statements: Sequence[ast.stmt]) -> bool:
    """Whether the body of a loop holds a `break` of this loop."""
    return any(_leaves(s, ast.Break) for s in statements)


def has_exit(statements: Sequence[ast.stmt]) -> bool:
    """Whether the body of a loop holds a `break` or `continue` of this loop, or a return."""
    return any(_leaves(s, (ast.Break, ast.Continue)) for s in statements) or has_return(statements)


def _leaves(s: ast.stmt, kinds: type[ast.stmt] | tuple[type[ast.stmt], ...]) -> bool:
    if isinstance(s, kinds):
        return True
    if isinstance(s, ast.If):
        return any(_leaves(x, kinds) for x in (*s.body, *s.orelse))
    return isinstance(s, ast.With) and any(_leaves(x, kinds) for x in s.body)


_REFUSALS = {
    "AsyncFor": "'async for' cannot be compiled: use a plain loop",
    "AsyncWith": "'async with' cannot be compiled: use a plain `with`",
    "AsyncFunctionDef": "an async function cannot be compiled: use jit.fork and jit.wait",
    "Await": "'await' cannot be compiled: use jit.fork and jit.wait",
    "ClassDef": "a class inside a function cannot be compiled: define it at the top of the module",
    "Match": "'match' cannot be compiled: use `if` and `elif`",
    "Lambda": "a lambda cannot be compiled here: write a function at the top of the module and call it",
    "Yield": "'yield' cannot be compiled: collect the values in a list and return it",
    "YieldFrom": "'yield from' cannot be compiled: collect the values in a list and return it",
    "Set": "a set cannot be compiled: use a list, or a dictionary with these keys",
    "SetComp": "a set comprehension cannot be compiled: use a list or dictionary",
    "TypeAlias": "a type alias inside a function cannot be compiled: define it at the top of the module",
}


def refusal(node: ast.AST) -> str:
    """What to say of a statement or expression that cannot be compiled."""
    kind = type(node).__name__
    if kind in _REFUSALS:
        return _REFUSALS[kind]
    shown = ast.unparse(node).split("\n")[0][:60]
    return f"'{shown}' cannot be compiled ({kind})"
