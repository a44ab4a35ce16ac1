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

An operator that needs what it has forgotten (a dropout's mask) or whose parts are worth keeping (a batch norm's
statistics, the steps of an RNN) is recorded as its parts: `@expanded` over such a function, which then runs instead of
the kernel while gradients are recorded.

A rule for `aten::foo` also serves `aten::foo_` (the same overload). `reads_self=False` says that it does not use the
value of the first argument, so that an in-place call need not copy it. Files mirror the families of `ir/ops`.

What has no gradient has an entry that says why: `not_differentiable` where none is wanted (results do not require
gradients), `without_rule` where one could exist (going backward through it raises). Names may be patterns ("foo_*").
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from linstock.ir import operators
from linstock.ir import types as T
from linstock.ir.schema import Schema

Rule = Callable[[Any, Any, Any, Any], Any]


@dataclass(frozen=True)
class NotDifferentiable:
    """Why an operator passes no gradients: its results never require them."""

    reason: str


@dataclass(frozen=True)
class WithoutRule:
    """Why there is no rule where there could be one: going backward raises with this reason."""

    reason: str


@dataclass(frozen=True)
class Expanded:
    """An operator that runs as other ones while gradients are recorded.

    `function(ops, *arguments)` may return NotImplemented: then it is recorded itself, with `rule`.
    """

    function: Callable[..., Any]
    rule: Rule | None = None


Entry = Rule | NotDifferentiable | WithoutRule | Expanded

_RULES: dict[str, Entry] = {}
_PATTERNS: dict[str, Entry] = {}
_loaded: set[str] = set()


def derivative(
    *names: str, reads_self: bool = True, results: tuple[int, ...] | None = None
) -> Callable[[Rule], Rule]:  # fmt: skip
    """Register a function as the derivative rule of each named operator.

    `results`: those (by position) that require gradients, if not all. The others have gradients only when the rule
    itself is differentiated."""

    def register(rule: Rule) -> Rule:
        _enter(names, rule)
        if not reads_self:
            rule.reads_self = False  # type: ignore[attr-defined]
        if results is not None:
            rule.results = results  # type: ignore[attr-defined]
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


def expanded(*names: str, rule: Rule | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register `f(ops, *arguments)`, which runs in the operator's place while gradients are recorded. Where it returns
    NotImplemented, the operator itself is recorded, with `rule`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _enter(names, Expanded(function, rule))
        return function

    return register


def _enter(names: Iterable[str], entry: Entry) -> None:
    for name in names:
        full = name if "::" in name else f"aten::{name}"
        table = _PATTERNS if "*" in full else _RULES
        if full in table:
            raise ValueError(f"two derivative rules for {full}")
        table[full] = entry


def not_differentiable(names: str, reason: str) -> None:
    """Say that operators (names separated by spaces, "aten::" may be left out) pass no gradients, and why."""
    _enter(names.split(), NotDifferentiable(reason))


def without_rule(names: str, reason: str) -> None:
    """Say that going backward through operators (names as in `not_differentiable`) raises, and why."""
    _enter(names.split(), WithoutRule(reason))


def _load(family: str) -> None:
    if family not in _loaded:
        try:
            importlib.import_module(f"{__package__}.{family}")
        except ModuleNotFoundError as error:
            if error.name != f"{__package__}.{family}":
                raise
        _loaded.add(family)  # afterwards, so that no other thread looks before its rules are there


def rule_of(schema: Schema) -> Entry | None:
    """The entry of an operator; for an in-place one that of its functional form. None where there is none."""
    name = schema.full_name
    _load(operators.family(name))
    found = _RULES.get(name)
    if found is not None:
        return found
    twin = functional_twin(schema)
    if twin is not None:
        found = rule_of(twin)
    if found is None:
        found = _RULES.get(schema.name)
    if found is None:
        found = next((entry for pattern, entry in _PATTERNS.items() if fnmatchcase(name, pattern)), None)
    return found


def _holds_tensor(t: T.Type) -> bool:
    if isinstance(t, (T.OptionalType, T.ListType)):
        return _holds_tensor(t.element)
    return bool(t == T.TENSOR)


def support(full_name: str) -> str:
    """ "yes" or why an operator has no gradient, for the operator table. Raises KeyError for an unknown name."""
    schema = operators.schema(full_name)
    found = rule_of(schema)
    if isinstance(found, (NotDifferentiable, WithoutRule)):
        return found.reason
    if schema.out_arguments:
        return "forms with out= record no gradients"
    if found is not None:
        return "yes"
    family = operators.family(full_name)
    if family in ("container", "control"):
        return "it passes values on, nothing is computed"
    if not any(_holds_tensor(a.type) for a in schema.arguments):
        return "no argument is a tensor"
    if not any(_holds_tensor(r.type) for r in schema.returns):
        return "no result is a tensor"
    return "no rule has been written for it"


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
