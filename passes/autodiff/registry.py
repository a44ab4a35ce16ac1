"""The table of derivative rules, by operator name.

A rule is `rule(ops, grads, args, outputs)`:

- `ops.mul(a, b)` calls the operator `aten::mul` (overload by argument types), `ops.call("aten::mul.Tensor", a, b)` one
  overload. Rules do all arithmetic through `ops` and Python's operators: gradients can be differentiated again.
- `grads` holds the gradient of each output that is a tensor (lists are flattened). With several outputs, those that
  nobody used are zeros; for outputs that are not floating point it is None.
- `args` are the arguments in schema order, `outputs` the outputs like `grads`. Both may be used freely: a value that
  was overwritten since is found out when it is computed with (its `shape` and `dtype` may always be read).
- It returns one gradient per argument, in schema order, as a tuple: None where there is none, trailing ones may be
  left out; a list for a list of tensors. An entry (also of such a list) may be a function without arguments: it is
  called only if that gradient is needed.
- Gradients are fitted afterwards: what was broadcast is summed to the argument's shape, cast to its type, and made real
  for a real argument. A rule for `a * b` is just `g * conj(b), g * conj(a)`.

An operator that others compute can have its derivative from theirs: `@decomposed("aten::diff")` over a function
`f(ops, *arguments)`; `ops.vjp(f, args, grads)` differentiates any such function.

A rule for `aten::foo` also serves `aten::foo_` (the same overload). `reads_self=False` says that it does not use the
value of the first argument, so that an in-place call need not copy it. Files mirror the families of `ir/ops`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linstock.ir import operators
from linstock.ir.schema import Schema

Rule = Callable[[Any, Any, Any, Any], Any]


@dataclass(frozen=True)
class NotDifferentiable:
    """Why an operator passes no gradients: its results never require them."""

    reason: str


_RULES: dict[str, Rule | NotDifferentiable] = {}
_loaded: set[str] = set()


def derivative(*names: str, reads_self: bool = True) -> Callable[[Rule], Rule]:
    """Register a function as the derivative rule of each named operator."""

    def register(rule: Rule) -> Rule:
        for name in names:
            if name in _RULES:
                raise ValueError(f"two derivative rules for {name}")
            _RULES[name] = rule
        if not reads_self:
            rule.reads_self = False  # type: ignore[attr-defined]
        return rule

    return register


def decomposed(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `f(ops, *arguments)`, which computes the operator from other ones: its derivative follows from
    theirs."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def rule(ops: Any, grads: Any, args: Any, outputs: Any) -> Any:
            return ops.vjp(lambda *given: function(ops, *given), args, grads)

        derivative(*names)(rule)
        return function

    return register


def not_differentiable(names: str, reason: str) -> None:
    """Say that operators (names separated by spaces, "aten::" may be left out) pass no gradients, and why."""
    entry = NotDifferentiable(reason)
    for name in names.split():
        full = name if "::" in name else f"aten::{name}"
        if full in _RULES:
            raise ValueError(f"two derivative rules for {full}")
        _RULES[full] = entry


def _load(family: str) -> None:
    if family not in _loaded:
        _loaded.add(family)
        try:
            importlib.import_module(f"{__package__}.{family}")
        except ModuleNotFoundError as error:
            if error.name != f"{__package__}.{family}":
                raise


def rule_of(schema: Schema) -> Rule | NotDifferentiable | None:
    """The rule of an operator; for an in-place one that of its functional form. None where there is none."""
    name = schema.full_name
    _load(operators.family(name))
    found = _RULES.get(name)
    if found is not None:
        return found
    twin = functional_twin(schema)
    return rule_of(twin) if twin is not None else _RULES.get(schema.name)


def functional_twin(schema: Schema) -> Schema | None:
    """The functional overload of an in-place operator: same arguments, name without the underscore."""
    namespace, _, base = schema.name.partition("::")
    if not schema.arguments or not schema.arguments[0].writes or schema.out_arguments:
        return None
    if base.startswith("__i"):
        base = f"__{base[3:]}"
    elif base.endswith("_"):
        base = base[:-1]
    else:
        return None
    for other in operators.schemas(f"{namespace}::{base}"):
        if [a.type for a in other.arguments] == [a.type for a in schema.arguments]:
            return other
    return None
