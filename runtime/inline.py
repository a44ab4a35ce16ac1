"""Operators on Python values that generated code computes itself, where a Python expression means exactly the same.

`expression(node, names)` gives the expression, or None where the kernel must be called. `names` are the inputs as they
are written in the generated code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from linstock.ir import types as T
from linstock.ir.graph import Node, Value

#: templates over the inputs; exact for every input of the types that the overload takes
_TEMPLATES: dict[str, str] = {
    "aten::add.float": "{0} + {1}",
    "aten::sub.float": "{0} - {1}",
    "aten::mul.float": "{0} * {1}",
    "aten::neg.float": "-{0}",
    "aten::add.str": "{0} + {1}",
    "aten::add.t": "{0} + {1}",
    "aten::__not__": "not {0}",
    "aten::__and__.bool": "{0} and {1}",
    "aten::__or__.bool": "{0} or {1}",
    "aten::__and__.int": "{0} & {1}",
    "aten::__or__.int": "{0} | {1}",
    "aten::__xor__.int": "{0} ^ {1}",
    "aten::__xor__.bool": "{0} is not {1}",
    "aten::len.t": "len({0})",
    "aten::len.any": "len({0})",
    "aten::__getitem__.t": "{0}[{1}]",
    "aten::_set_item.t": "{0}[{1}] = {2}",
    "aten::append.t": "{0}.append({1})",
    "aten::extend.t": "{0}.extend({1})",
    "aten::clear.t": "{0}.clear()",
    "aten::reverse.t": "{0}.reverse()",
    "aten::copy.t": "{0}[:]",
    "aten::list.t": "{0}[:]",
    "aten::join": "{0}.join({1})",
    "aten::Float.int": "float({0})",
    "aten::Float.bool": "float({0})",
    "aten::Int.bool": "int({0})",
    "aten::Bool.int": "{0} != 0",
    "aten::Bool.float": "{0} != 0.0",
    "prim::IfThenElse": "{1} if {0} else {2}",
    "prim::EnumName": "{0}.name",
    "prim::EnumValue": "{0}.value",
    "prim::EnumValue.int": "{0}.value",
    "prim::EnumValue.float": "{0}.value",
    "prim::EnumValue.str": "{0}.value",
    "aten::wait": "{0}.wait()",
    "aten::is_scripting": "True",
    "prim::unchecked_cast": "{0}",
    "prim::unchecked_unwrap_optional": "{0}",
    "aten::__isnot__": "{0} is not {1}",
    "aten::__is__": "{0} is {1}",
}
for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
    for _overload in ("int_float", "float_int"):
        _TEMPLATES[f"aten::{_name}.{_overload}"] = f"{{0}} {_sign} {{1}}"
for _name, _sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    for _overload in ("int", "float", "str"):
        _TEMPLATES[f"aten::{_name}.{_overload}"] = f"{{0}} {_sign} {{1}}"
for _overload in ("bool", "enum", "device", "int_list", "bool_list", "str_list"):
    _TEMPLATES[f"aten::eq.{_overload}"] = "{0} == {1}"
    _TEMPLATES[f"aten::ne.{_overload}"] = "{0} != {1}"
for _key in ("str", "int", "bool", "float"):
    _TEMPLATES[f"aten::len.Dict_{_key}"] = "len({0})"
    _TEMPLATES[f"aten::__contains__.{_key}"] = "{1} in {0}"
    _TEMPLATES[f"aten::_set_item.{_key}"] = "{0}[{1}] = {2}"
    _TEMPLATES[f"aten::get.{_key}"] = "{0}.get({1})"
    _TEMPLATES[f"aten::get.default_{_key}"] = "{0}.get({1}, {2})"
    _TEMPLATES[f"aten::keys.{_key}"] = "list({0})"
    _TEMPLATES[f"aten::values.{_key}"] = "list({0}.values())"
    _TEMPLATES[f"aten::items.{_key}"] = "list({0}.items())"
    _TEMPLATES[f"aten::copy.Dict_{_key}"] = "{0}.copy()"
for _key in ("int_list", "str_list"):
    _TEMPLATES[f"aten::__contains__.{_key}"] = "{1} in {0}"

#: templates that are statements: they have no value to assign
STATEMENTS = frozenset({"aten::clear.t", "aten::reverse.t", "aten::extend.t"}) | {
    f"aten::_set_item.{k}" for k in ("str", "int", "bool", "float")
}
#: statements whose output is their first input
RETURNS_FIRST = frozenset({"aten::append.t", "aten::_set_item.t"})

Rule = Callable[[Node, Sequence[str]], str | None]


def _literal(value: Value) -> int | None:
    constant = value.constant if value.is_constant else None
    return constant if type(constant) is int else None


_SMALL = 48
_SIZED = frozenset({
    "aten::len", "aten::size", "aten::dim", "aten::numel", "prim::rangelist", "aten::__range_length",
})  # fmt: skip


def bits(value: Value, depth: int = 3) -> int:
    """How many bits an integer can need at most; 64 when that is unknown. Sizes and counters need far fewer."""
    node = value.node
    if node.kind == "prim::Constant":
        constant = _literal(value)
        return 64 if constant is None else constant.bit_length()
    if node.kind in _SIZED:
        return _SMALL
    if node.kind == "prim::Param" and node.block is not None and node.block.owner is not None:
        return _SMALL if node.block.owner.kind == "prim::Loop" and value.index == 0 else 64
    if depth and node.schema is not None and node.full_name in ("aten::add.int", "aten::sub.int", "aten::mul.int"):
        a, b = (bits(v, depth - 1) for v in node.inputs[:2])
        return a + b if node.kind == "aten::mul" else max(a, b) + 1
    if node.kind == "aten::__getitem__" and node.inputs and node.inputs[0].node.kind in _SIZED:
        return _SMALL
    if node.kind in ("aten::floordiv", "aten::remainder") and _literal(node.inputs[1]):
        return bits(node.inputs[0], depth - 1) + 1 if depth else 64
    return 64


def _integer(sign: str) -> Rule:
    """Arithmetic that wraps around at 64 bits: checked where the result may not fit."""

    def rule(node: Node, names: Sequence[str]) -> str:
        expression = f"{names[0]} {sign} {names[1]}"
        a, b = bits(node.inputs[0]), bits(node.inputs[1])
        if (a + b if sign == "*" else max(a, b) + 1) < 64:
            return expression
        return f"wrap({expression})"

    return rule


def _by_literal(template: str, least: int = 1) -> Rule:
    """Division by a positive constant."""

    def rule(node: Node, names: Sequence[str]) -> str | None:
        divisor = _literal(node.inputs[1])
        return template.format(*names) if divisor is not None and divisor >= least else None

    return rule


def _slice(node: Node, names: Sequence[str]) -> str | None:
    step = _literal(node.inputs[3])
    if step != 1:
        return None
    ends = [
        "" if v.is_constant and v.constant is None else n for v, n in zip(node.inputs[1:3], names[1:3], strict=True)
    ]
    if ends[1] == "9223372036854775807":
        ends[1] = ""
    return f"{names[0]}[{ends[0]}:{ends[1]}]"


def _identity(node: Node, names: Sequence[str]) -> str | None:
    """`is` where one side is None; what else it may compare is the kernel's to say."""
    if not any(v.type == T.NONE for v in node.inputs):
        return None
    if all(v.is_constant for v in node.inputs):
        return str((node.inputs[0].constant is node.inputs[1].constant) == (node.kind == "aten::__is__"))
    return _TEMPLATES[node.full_name].format(*names)


_RULES: dict[str, Rule] = {
    "aten::add.int": _integer("+"),
    "aten::sub.int": _integer("-"),
    "aten::mul.int": _integer("*"),
    "aten::neg.int": lambda node, names: f"-{names[0]}" if bits(node.inputs[0]) < 63 else None,
    "aten::floordiv.int": _by_literal("{0} // {1}"),
    "aten::remainder.int": _by_literal("{0} % {1}"),
    "aten::div.int": _by_literal("float({0}) / {1}"),
    "aten::slice.t": _slice,
    "aten::__is__": _identity,
    "aten::__isnot__": _identity,
    "aten::__derive_index": lambda node, names: (
        f"{names[1]} + {names[0]} * {names[2]}" if max(map(bits, node.inputs[1:])) < 60 else None
    ),
}


def expression(node: Node, names: Sequence[str]) -> str | None:
    """What computes the node in Python, or None if its kernel must."""
    full_name = node.full_name
    rule = _RULES.get(full_name)
    if rule is not None:
        return rule(node, names)
    template = _TEMPLATES.get(full_name)
    return None if template is None else template.format(*names)


def wrap(value: int) -> int:
    """An integer as 64 bits hold it."""
    if -9223372036854775808 <= value <= 9223372036854775807:
        return value
    return (value + 9223372036854775808) % 18446744073709551616 - 9223372036854775808
