"""f-strings, `str.format` and `%`: all become `aten::format` or `aten::percentFormat`, with the pattern checked when
compiling.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

from linstock.ir import types as T
from linstock.ir.errors import CompileError
from linstock.ir.graph import Value
from linstock.ir.source import Span

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter
    from linstock.tracer.values import Args, Kwargs, Sugared

_NO_SPEC = (
    "a format specification ('{0}') cannot be compiled: compute what is to be shown, as with round(), and format that"
)


def _joined(e: ExpressionEmitter, span: Span, parts: Sequence[str | Value]) -> Value:
    """Text and values in a row. Braces of the text are arguments, for `aten::format` knows no way to escape them."""
    pattern, values = "", []
    for part in parts:
        if isinstance(part, str) and "{" not in part and "}" not in part:
            pattern += part
        else:
            pattern += "{}"
            values.append(e.at(span).constant(part) if isinstance(part, str) else part)
    if not values:
        return e.at(span).constant(pattern)
    return e.call_operator(span, "aten::format", [e.at(span).constant(pattern), *values], {})


def f_string(e: ExpressionEmitter, node: ast.JoinedStr) -> Value:
    """The value of an f-string. Raises CompileError for a format specification."""
    parts: list[str | Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        if part.format_spec is not None:
            raise e.error(part, _NO_SPEC.format(ast.unparse(part.format_spec)[2:-1]))
        if part.conversion not in (-1, ord("s")):
            raise e.error(part, f"the conversion '!{chr(part.conversion)}' in an f-string cannot be compiled")
        parts.append(as_text(e, e.span_of(part.value), e.expression(part.value)))
    return _joined(e, e.span_of(node), parts)


def as_text(e: ExpressionEmitter, span: Span, sugared: Sugared) -> Value:
    """A value as it stands in a format: an object's `__str__` is called."""
    value = sugared.value(e, span)
    if isinstance(value.type, T.ClassType) and "__str__" in value.type.methods:
        return sugared.attr(e, span, "__str__").call(e, span, (), {}).value(e, span)
    return value


def format_method(e: ExpressionEmitter, span: Span, pattern: Value, args: Args, kwargs: Kwargs) -> Value:
    """`pattern.format(...)`: places, numbers and names in a constant pattern are resolved now."""
    if not pattern.is_constant:
        if kwargs:
            raise CompileError("format() with names needs a constant pattern", span)
        return e.call_operator(span, "aten::format", [pattern, *[as_text(e, span, a) for a in args]], {})
    parts: list[str | Value] = []
    place = 0
    try:
        fields = list(string.Formatter().parse(pattern.constant))
    except ValueError as problem:
        raise CompileError(f"format(): {problem}", span) from None
    for text, name, spec, conversion in fields:
        if text:
            parts.append(text)
        if name is None:
            continue
        if spec:
            raise CompileError(_NO_SPEC.format(spec), span)
        if conversion not in (None, "s"):
            raise CompileError(f"the conversion '!{conversion}' in a format cannot be compiled", span)
        if name == "":
            name, place = str(place), place + 1
        chosen = kwargs.get(name)
        if name.isdigit() and int(name) < len(args):
            chosen = args[int(name)]
        if chosen is None:
            raise CompileError(f"format() has no argument for '{{{name}}}'", span)
        parts.append(as_text(e, span, chosen))
    return _joined(e, span, parts)


_SPECIFIER = re.compile(r"%([^a-zA-Z%]*)(.?)", re.S)


def percent(e: ExpressionEmitter, span: Span, pattern: Value, values: Value) -> Value:
    """`pattern % values`. Raises CompileError for a specifier that TorchScript does not know, or a wrong count."""
    count = len(values.type.elements) if isinstance(values.type, T.TupleType) else 1
    if pattern.is_constant:
        found = [m for m in _SPECIFIER.findall(pattern.constant) if m[1] != "%"]
        for flags, kind in found:
            if flags or kind not in tuple("sdifFeEc"):
                raise CompileError(
                    f"the format '%{flags}{kind}' cannot be compiled: %s, %d, %i, %f, %F, %e, %E and %c are known, "
                    f"without widths and precisions",
                    span,
                )
        if len(found) != count:
            raise CompileError(f"the format has {len(found)} places for {count} values", span)
    return e.call_operator(span, "aten::percentFormat", [pattern, values], {})
