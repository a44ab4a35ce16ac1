"""What a node does besides computing its outputs, as far as the node alone tells (writes to memory: see `alias`)."""

from __future__ import annotations

from functools import cache

from linstock.ir import operators
from linstock.ir.graph import Node, Value

#: kinds that are always run, in order
_ACTIONS = frozenset({
    "prim::RaiseException", "prim::Print", "aten::warn", "prim::SetAttr", "prim::Enter", "prim::Exit", "prim::fork",
    "aten::wait", "prim::CallFunction", "prim::CallMethod", "aten::set_grad_enabled", "aten::save",
    "aten::manual_seed", "aten::seed", "aten::backward", "aten::retain_grad", "prim::AddStatValue",
})  # fmt: skip

#: kinds whose outputs depend on more than their inputs, or have an identity of their own
_VARYING = frozenset({
    "aten::empty", "aten::empty_like", "aten::empty_permuted", "aten::empty_strided", "aten::empty_quantized",
    "aten::new_empty", "aten::new_empty_strided", "aten::resize", "aten::from_file", "aten::is_grad_enabled",
    "aten::is_autocast_enabled", "aten::_get_tracing_state", "aten::Generator", "prim::CreateObject",
    "prim::Uninitialized", "prim::id", "aten::grad", "prim::grad",
})  # fmt: skip

#: operators of the random family that draw nothing
_NOT_RANDOM = frozenset({"aten::native_dropout_backward", "aten::initial_seed", "aten::Generator"})

#: kinds that may change the shape or element type of an existing tensor
RESHAPING = frozenset({
    "aten::resize_", "aten::resize_as_", "aten::set_", "aten::set_data", "aten::squeeze_", "aten::unsqueeze_",
    "aten::t_", "aten::transpose_", "aten::swapaxes_", "aten::swapdims_", "aten::as_strided_", "prim::CallMethod",
    "prim::CallFunction", "prim::fork", "aten::wait",
})  # fmt: skip

#: kinds that change how gradients are recorded
_MODES = frozenset({"prim::Enter", "prim::Exit", "aten::set_grad_enabled"})


def is_action(node: Node) -> bool:
    """Whether the node must run even if its outputs are not used, because of what it does outside memory: prints,
    raises, calls, draws random numbers, changes a mode. Blocks inside it are not looked into."""
    return node.kind in _ACTIONS or draws_random(node)


def changes_mode(node: Node) -> bool:
    """Whether the node changes how what follows is run (gradient mode, contexts)."""
    return node.kind in _MODES


def is_repeatable(node: Node) -> bool:
    """Whether running the node again on the same inputs gives the same outputs and nothing else happens outside
    memory.
    """
    return not node.blocks and node.kind not in _VARYING and not is_action(node)


def draws_random(node: Node) -> bool:
    """Whether the node advances a random number generator."""
    if node.schema is None or node.kind in _NOT_RANDOM:
        return False
    random, train, rate = _draws(node.schema.full_name)
    if train is not None and is_false(node.inputs[train]):
        return False
    return random or (rate is not None and not (node.inputs[rate].is_constant and node.inputs[rate].constant == 0))


@cache
def _draws(full_name: str) -> tuple[bool, int | None, int | None]:
    """Whether an operator is of the random family; its arguments that say "training" and how much is dropped."""
    if not operators.has_schema(full_name):
        return False, None, None
    schema = operators.schema(full_name)
    train = schema.index_of("train")
    rate = schema.index_of("dropout_p")
    return (
        operators.family(full_name) == "random",
        schema.index_of("training") if train is None else train,
        schema.index_of("dropout") if rate is None else rate,
    )


def is_false(value: Value) -> bool:
    """Whether this is the constant False."""
    return value.is_constant and value.constant is False


def is_true(value: Value) -> bool:
    """Whether this is the constant True."""
    return value.is_constant and value.constant is True
