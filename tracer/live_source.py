"""Source text of live functions and classes, dedented but with the user's own file and line numbers."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
import textwrap
from collections.abc import Callable
from typing import Any

from linstock.ir.errors import CompileError
from linstock.ir.source import Source, Span
from linstock.tracer.annotations import parsed_text
from linstock.tracer.control import refusal


def read(obj: Any) -> tuple[Source, ast.stmt]:
    """Source and syntax of a function or class. Raises CompileError if there is no source."""
    target = inspect.unwrap(obj) if callable(obj) and not isinstance(obj, type) else obj
    try:
        lines, first = inspect.getsourcelines(target)
        filename = inspect.getsourcefile(target) or "<unknown>"
    except (OSError, TypeError) as problem:
        raise CompileError(
            f"the source of {getattr(obj, '__qualname__', obj)!r} cannot be found ({problem}): scripting needs it; "
            f"define it in a file, or trace instead"
        ) from None
    text = "".join(lines)
    indent = len(lines[0]) - len(lines[0].lstrip())
    dedented = textwrap.dedent(text)
    if dedented[:1].isspace():  # a comment or string to the left of the definition
        dedented = "\n".join(line[indent:] if not line[:indent].strip() else line for line in text.split("\n"))
    source = Source(dedented.rstrip("\n"), filename, first, indent)
    tree = ast.parse(dedented, filename, type_comments=True)
    definition = tree.body[0]
    if isinstance(definition, ast.AsyncFunctionDef):
        place = Span(source, definition.lineno, definition.col_offset, definition.lineno, definition.col_offset + 5)
        raise CompileError(refusal(definition), place)
    if isinstance(definition, (ast.Assign, ast.Expr, ast.Return)) or not isinstance(
        definition, (ast.FunctionDef, ast.ClassDef)
    ):
        found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
        if len(found) == 1:
            wrapped = ast.FunctionDef(
                "<lambda>", found[0].args, [ast.copy_location(ast.Return(found[0].body), found[0].body)], [], None, None
            )
            return source, ast.copy_location(wrapped, found[0])
        raise CompileError(f"{getattr(obj, '__qualname__', obj)} is not a plain function or class definition")
    return source, definition


_COMMENT = re.compile(r"#\s*type:\s*(\(.*?\))\s*->\s*(.+?)\s*$", re.M)


def type_comment(source: Source, node: ast.FunctionDef) -> tuple[list[ast.expr | None], ast.expr] | None:
    """The signature in a `# type: (Tensor, int) -> Tensor` comment, or None.

    `(...) -> Tensor` goes with a `# type: int` comment on the line of each parameter.
    """
    text = node.type_comment
    if text is None:
        first = node.body[0].lineno
        head = "\n".join(source.text.split("\n")[node.lineno - 1 : first])
        found = _COMMENT.search(head)
        if found is None:
            return None
        text = f"{found.group(1)} -> {found.group(2)}"
    arguments, _, result = text.partition("->")
    returns = parsed_text(result, node)
    if arguments.strip() == "(...)":
        a = node.args
        each = [*a.posonlyargs, *a.args, *a.kwonlyargs]
        return [parsed_text(p.type_comment, p) if p.type_comment else p.annotation for p in each], returns
    parsed = parsed_text(arguments, node)
    return list(parsed.elts) if isinstance(parsed, ast.Tuple) else [parsed], returns


def lookup(function: Any) -> Callable[[str], Any]:
    """Names as the function sees them: closure, globals, built-ins. The result raises KeyError for unknown names."""
    import builtins

    plain = inspect.unwrap(function)
    cells: dict[str, Any] = {}
    code = getattr(plain, "__code__", None)
    closure = getattr(plain, "__closure__", None)
    if code is not None and closure:
        for name, cell in zip(code.co_freevars, closure, strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:
                continue
    spaces = (cells, getattr(plain, "__globals__", {}), vars(builtins))

    def find(name: str) -> Any:
        for space in spaces:
            if name in space:
                return space[name]
        raise KeyError(name)

    return find


def qualified_name(obj: Any) -> str:
    """`__torch__.pkg.mod.Name` of a function or class; `__main__` is left out."""
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__name__", "fn").replace("<lambda>", "lambda_")
    parts = [p for p in module.split(".") if p and p != "__main__"] + name.split(".")
    parts = [
        p if p.isidentifier() and not keyword.iskeyword(p) else re.sub(r"\W", "_", p) + "_" * keyword.iskeyword(p)
        for p in parts
    ]
    return ".".join(["__torch__", *parts])
