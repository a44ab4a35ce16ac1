"""Reading control flow from the syntax: what a block assigns and where it leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Exit = ast.Return | ast.Break | ast.Continue | ast.Raise


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
    return False


def always_raises(statements: Sequence[ast.stmt]) -> bool:
    """Whether the statements always end in `raise`."""
    for s in statements:
        if isinstance(s, ast.Raise):
            return True
        if isinstance(s, ast.If) and s.orelse and always_raises(s.body) and always_raises(s.orelse):
            return True
    return False


def may_exit(statement: ast.stmt, in_loop: bool = False) -> bool:
    """Whether the statement holds a return, or a break or continue of the loop around it."""
    if isinstance(statement, ast.Return):
        return True
    if isinstance(statement, (ast.Break, ast.Continue)):
        return not in_loop
    if isinstance(statement, ast.If):
        return any(may_exit(s, in_loop) for s in (*statement.body, *statement.orelse))
    if isinstance(statement, (ast.For, ast.While)):
        return any(may_exit(s, True) for s in statement.body)
    if isinstance(statement, ast.With):
        return any(may_exit(s, in_loop) for s in statement.body)
    return False


def has_return(statements: Sequence[ast.stmt]) -> bool:
    """Whether a return statement is anywhere inside."""
    return any(isinstance(n, ast.Return) for s in statements for n in _own_nodes(s))


def has_stop(statements: Sequence[ast.stmt]) -> bool:
    """Whether the body of a loop can end it early: a `break` of this loop, or a return."""

    def stops(s: ast.stmt, inner: bool) -> bool:
        if isinstance(s, ast.Return):
            return True
        if isinstance(s, ast.Break):
            return not inner
        if isinstance(s, ast.If):
            return any(stops(x, inner) for x in (*s.body, *s.orelse))
        if isinstance(s, (ast.For, ast.While)):
            return any(stops(x, True) for x in s.body)
        if isinstance(s, ast.With):
            return any(stops(x, inner) for x in s.body)
        return False

    return any(stops(s, False) for s in statements)
