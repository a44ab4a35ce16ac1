"""Which overload a call means, and the conversions of its arguments: TorchScript's rules for schemas and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.errors import CompileError, UnknownOperatorError
from linstock.ir.graph import Value
from linstock.ir.program import MISSING, Parameter, Signature
from linstock.ir.schema import Argument, Schema
from linstock.ir.source import Span

if TYPE_CHECKING:
    from linstock.tracer.expressions import ExpressionEmitter as Emitter

Kwargs = dict[str, Value]


class _NoMatch(Exception):
    """An overload does not take the arguments; the text says why."""


_IMPLICIT = {T.INT: "aten::IntImplicit", T.FLOAT: "aten::FloatImplicit", T.COMPLEX: "aten::ComplexImplicit"}


def convert(e: Emitter, value: Value, wanted: T.Type, implicit: bool) -> Value:
    """The value as `wanted` where TorchScript converts without being asked; the value itself where it cannot."""
    have = value.type
    if isinstance(have, T.TupleType) and isinstance(wanted, (T.ListType, T.OptionalType)):
        target = T.without_none(wanted)
        if isinstance(target, T.ListType) and have.elements:
            elements = e.unpack_tuple(value)
            parts = [convert(e, v, target.element, implicit) for v in elements]
            if all(T.is_subtype(p.type, target.element) for p in parts):
                return e.list_of(parts, target.element)
            return value
    if isinstance(have, T.TupleType) and isinstance(wanted, T.TupleType) and not T.is_subtype(have, wanted):
        if not isinstance(wanted, T.NamedTupleType) and len(have.elements) == len(wanted.elements):
            parts = [convert(e, v, w, implicit) for v, w in zip(e.unpack_tuple(value), wanted.elements, strict=True)]
            return e.builder.value("prim::TupleConstruct", parts, T.TupleType(tuple(p.type for p in parts)))
    if have == T.NONE and wanted.is_optional() and value.is_constant:
        return e.builder.value("prim::Constant", (), wanted, value=None)
    target = T.without_none(wanted)
    if value in e.literals and type(have) is type(target) and not target.has_variables() and have != target:
        return e.builder.value(value.node.kind, (), target)
    if implicit:
        target = T.without_none(wanted) if wanted.is_optional() else wanted
        if isinstance(have, T.TensorType):
            if target in _IMPLICIT:
                return e.builder.op(_IMPLICIT[target], value)
            if target == T.NUMBER:
                return e.builder.op("aten::ScalarImplicit", value)
            if target == T.BOOL:
                return value
        if have == T.NUMBER and target in (T.INT, T.FLOAT, T.COMPLEX):
            name = {T.INT: "aten::Int.Scalar", T.FLOAT: "aten::Float.Scalar", T.COMPLEX: "aten::Complex.Scalar"}
            return e.builder.op(name[target], value)
        if have == T.STRING and target == T.DEVICE:
            return e.builder.op("aten::device", value)
        if have == T.INT and target == T.FLOAT and value.is_constant:
            return e.builder.constant(float(value.constant))
        if have == T.BOOL and target == T.INT and value.is_constant:
            return e.builder.constant(int(value.constant))
    return value


def _fit(e: Emitter, value: Value, formal: Argument, bound: dict[str, T.Type], implicit: bool) -> Value:
    wanted = formal.type
    target = T.without_none(wanted)
    if (
        formal.size is not None
        and isinstance(target, T.ListType)
        and not isinstance(value.type, (T.ListType, T.TupleType))
    ):
        element = convert(e, value, target.element, implicit)
        if T.is_subtype(element.type, target.element):
            return e.list_of([element] * formal.size, target.element)
    if wanted.has_variables():
        known = T.substitute(wanted, bound)
        if known is not None:
            value = convert(e, value, known, implicit)
        if isinstance(value.type, T.TupleType) and isinstance(wanted, T.ListType):
            elements = e.unpack_tuple(value)
            common: T.Type | None = elements[0].type if elements else None
            for v in elements:
                common = None if common is None else T.unify(common, v.type)
            if common is None:
                raise _NoMatch(f"the elements of the tuple given for '{formal.name}' have no common type")
            value = e.list_of(elements, common)
        problem = T.match_variables(wanted, value.type, bound)
        if problem:
            raise _NoMatch(f"argument '{formal.name}': {problem}")
        found = T.substitute(wanted, bound)
        if found is None:
            return value
        wanted = found
    value = convert(e, value, wanted, implicit)
    if not (T.is_subtype(value.type, wanted) or _list_fits(value.type, wanted)):
        raise _NoMatch(
            f"expected a value of type '{wanted.annotation()}' for argument '{formal.name}' "
            f"but instead found type '{value.type.annotation()}'"
        )
    return value


def _list_fits(have: T.Type, wanted: T.Type) -> bool:
    """Operators read lists: one of a subtype's elements fits (`Tensor[]` for `Tensor?[]`)."""
    wanted = T.without_none(wanted)
    return (
        isinstance(have, T.ListType) and isinstance(wanted, T.ListType) and T.is_subtype(have.element, wanted.element)
    )


def _bind(
    e: Emitter, schema: Schema, args: Sequence[Value], kwargs: Kwargs, implicit: bool
) -> tuple[list[Value], dict[str, T.Type]]:
    """The inputs of a call of `schema`. Raises _NoMatch."""
    bound: dict[str, T.Type] = {}
    given = dict(kwargs)
    inputs: list[Value] = []
    position = 0
    formals = schema.arguments
    for i, formal in enumerate(formals):
        value: Value | None = None
        if position < len(args) and not formal.kwarg_only:
            rest = args[position:]
            target = T.without_none(formal.type)
            last = i + 1 == len(formals) or formals[i + 1].kwarg_only
            if (
                last
                and isinstance(target, T.ListType)
                and formal.size is None
                and len(rest) >= 1
                and not schema.vararg
                and not isinstance(T.without_none(rest[0].type), (T.ListType, T.TupleType))
                and rest[0].type != T.NONE
                and not target.element.has_variables()
            ):
                value = e.list_of([convert(e, v, target.element, implicit) for v in rest], target.element)
                if any(not T.is_subtype(v.type, target.element) for v in value.node.inputs):
                    raise _NoMatch(f"argument '{formal.name}' takes a list of {target.element.annotation()}")
                position = len(args)
            else:
                value = args[position]
                position += 1
            if formal.name in given:
                raise _NoMatch(f"argument '{formal.name}' is given twice")
        elif formal.name in given:
            value = given.pop(formal.name)
        elif i == 0 and formal.name == "self" and "input" in given:
            value = given.pop("input")
        elif formal.has_default:
            inputs.append(e.default(formal))
            continue
        else:
            raise _NoMatch(f"argument '{formal.name}' is missing")
        inputs.append(_fit(e, value, formal, bound, implicit))
    if position < len(args):
        if not schema.vararg:
            raise _NoMatch(f"expected at most {len(formals)} arguments but found {len(args)} positional arguments")
        inputs += args[position:]
    if given:
        raise _NoMatch(f"unknown keyword argument '{next(iter(given))}'")
    return inputs, bound


_PLAIN = (T.INT, T.FLOAT, T.BOOL, T.STRING, T.COMPLEX)


def emit_builtin(e: Emitter, span: Span, name: str, args: Sequence[Value], kwargs: Kwargs) -> Value:
    """Emit a call of operator `name` ("aten::add"): the first overload that fits, without conversions before with them.

    Raises UnknownOperatorError for an unknown name, CompileError when no overload fits.
    """
    candidates = operators.lines(name)
    if not candidates:
        near = operators.nearest(name)
        hint = f" The nearest known: {', '.join(near)}." if near else ""
        raise UnknownOperatorError(f"unknown operator '{name}'.{hint}", span)
    return _emit_first(e, span, name, candidates, args, kwargs)


def emit_overload(e: Emitter, span: Span, full_name: str, args: Sequence[Value], kwargs: Kwargs) -> Value:
    """Emit a call of this very overload. Raises CompileError where the arguments do not fit."""
    return _emit_first(e, span, full_name, (operators.schema(full_name).line,), args, kwargs)


def _emit_first(
    e: Emitter, span: Span, name: str, candidates: Sequence[str], args: Sequence[Value], kwargs: Kwargs
) -> Value:
    problems: dict[str, str] = {}
    plain = bool(args) and args[0].type in _PLAIN
    for implicit in (False, True):
        for line in candidates:
            if plain and line.startswith("Tensor", line.index("(") + 1):  # never fits: need not be parsed
                problems[line] = f"the first argument is a Tensor, but here it is of type {args[0].type.annotation()}"
                continue
            schema = operators.parsed(line)
            mark = e.builder.point.prev
            try:
                inputs, bound = _bind(e, schema, args, kwargs, implicit)
            except _NoMatch as problem:
                e.undo(mark)
                problems[schema.line] = str(problem)
                continue
            return emit_schema(e, span, schema, inputs, bound)
    if len(problems) == 1:
        line, why = next(iter(problems.items()))
        raise CompileError(f"{why[0].upper()}{why[1:]}, in a call of {line}", span)
    listing = "\n".join(f"  {line}\n    {why}" for line, why in problems.items())
    short = name.partition("::")[2]
    raise CompileError(f"Arguments for call are not valid: '{short}' exists with these signatures:\n{listing}", span)


def emit_schema(e: Emitter, span: Span, schema: Schema, inputs: Sequence[Value], bound: dict[str, T.Type]) -> Value:
    """Insert the node; several results come back as one tuple."""
    returns = [T.substitute(r.type, bound) for r in schema.returns]
    if any(r is None for r in returns):
        raise CompileError(f"{schema.full_name}: the type of the result cannot be told from the arguments", span)
    results = [r for r in returns if r is not None]
    before, e.builder.span = e.builder.span, span
    try:
        node = e.builder.node(schema.name, inputs, results, schema=schema)
        if len(results) == 1:
            return node.outputs[0]
        if not results:
            return e.builder.constant(None)
        return e.builder.value("prim::TupleConstruct", node.outputs, T.TupleType(tuple(results)))
    finally:
        e.builder.span = before


def bind_signature(
    e: Emitter,
    span: Span,
    name: str,
    signature: Signature,
    args: Sequence[Value],
    kwargs: Kwargs,
    skip_self: bool = False,
) -> list[Value]:
    """The inputs of a call of a function of this signature (`self` not among them with `skip_self`). Raises
    CompileError.
    """
    formals = signature.parameters[1:] if skip_self else signature.parameters
    given = dict(kwargs)
    inputs: list[Value] = []
    positional = [p for p in formals if not p.kwarg_only]
    if len(args) > len(positional):
        # one list argument may be written as several positional ones
        if len(formals) == 1 and isinstance(formals[0].type, T.ListType):
            args = [e.list_of(list(args), formals[0].type.element)]
        else:
            raise CompileError(
                f"{name}() takes {len(positional)} positional arguments but {len(args)} were given", span
            )
    for i, formal in enumerate(formals):
        if i < len(args) and not formal.kwarg_only:
            if formal.name in given:
                raise CompileError(f"{name}() got multiple values for argument '{formal.name}'", span)
            value = args[i]
        elif formal.name in given:
            value = given.pop(formal.name)
        elif formal.default is not MISSING:
            inputs.append(e.constant_of(formal.default, formal.type, span))
            continue
        else:
            raise CompileError(
                f"{name}() is missing a value for argument '{formal.name}'. Declaration: {name}{signature}", span
            )
        inputs.append(fit_parameter(e, span, name, value, formal))
    if given:
        raise CompileError(f"{name}() got an unexpected keyword argument '{next(iter(given))}'", span)
    return inputs


def fit_parameter(e: Emitter, span: Span, name: str, value: Value, formal: Parameter) -> Value:
    """The value converted to a parameter's type. Raises CompileError."""
    if formal.size is not None and value.type in (T.INT, T.FLOAT):
        value = e.list_of([value] * formal.size, value.type)
    converted = convert(e, value, formal.type, True)
    if (
        isinstance(formal.type, T.ListType)
        and isinstance(formal.type.element, T.TensorType)
        and _list_fits(converted.type, formal.type)
    ):
        return converted
    if not T.is_subtype(converted.type, formal.type):
        raise CompileError(
            f"{name}() expected a value of type '{formal.type.annotation()}' for argument '{formal.name}' "
            f"but instead found type '{value.type.annotation()}'",
            span,
        )
    return converted
