"""Branches and loops whose course depends on the inputs, as ONNX `If` and `Loop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import helper

from linstock.backends.onnx.builder import Builder, Sym, element_type
from linstock.backends.onnx.values import Cell, DictCell, ListCell, Location, is_known, plain
from linstock.ir import dtypes
from linstock.ir.errors import ExportError
from linstock.ir.graph import Block, Node, Value

if TYPE_CHECKING:
    from linstock.backends.onnx.exporter import Exporter

_SCALARS = {bool: 11, int: 4, float: 7}
_UNROLL = 64
_PLAIN_ROUNDS = 100_000


# -- flattening --------------------------------------------------------------------------------------------------------
def flatten(value: Any, out: list[Any]) -> Any:
    """Append the tensors and numbers of a value to `out`; gives its structure, to rebuild it from others."""
    if isinstance(value, Cell):
        out.append(value.read())
        return Cell
    if isinstance(value, ListCell):
        if isinstance(value.content, Sym):
            out.append(value.content)
            return "sequence"
        return ("list", [flatten(v, out) for v in value.content])
    if isinstance(value, DictCell):
        return ("dict", [plain(k) for k, _ in value.content], [flatten(v, out) for _, v in value.content])
    if isinstance(value, tuple):
        return ("tuple", [flatten(v, out) for v in value])
    if isinstance(value, (Sym, bool, int, float)):
        out.append(value)
        return "number"
    return ("known", value)


def rebuild(structure: Any, values: Any) -> Any:
    """A value of this structure from an iterator of tensors and numbers."""
    if structure is Cell:
        return Cell(next(values))
    if structure == "sequence":
        return ListCell(next(values))
    if structure == "number":
        return next(values)
    kind = structure[0]
    if kind == "list":
        return ListCell(tuple(rebuild(s, values) for s in structure[1]))
    if kind == "tuple":
        return tuple(rebuild(s, values) for s in structure[1])
    if kind == "dict":
        return DictCell(tuple(zip(structure[1], [rebuild(s, values) for s in structure[2]], strict=True)))
    return structure[1]


def _code(value: Any) -> int:
    if isinstance(value, Sym):
        return value.dtype
    if isinstance(value, np.ndarray):
        return dtypes.code_of(value.dtype)
    return _SCALARS[type(value)]


def _as_sym(b: Builder, value: Any, code: int) -> Sym:
    made = b.sym(value if isinstance(value, Sym) else np.asarray(value), None)
    return made if made.sequence or made.dtype == code else b.cast(made, code)


def _joined(a: Sym, b: Sym) -> tuple[Any, ...] | None:
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return None
    return tuple(x if x == y else None for x, y in zip(a.shape, b.shape, strict=True))


def _graph(builder: Builder, name: str, inputs: list[Sym], outputs: list[Sym], loose: bool) -> onnx.GraphProto:
    def info(s: Sym) -> onnx.ValueInfoProto:
        shape = None if loose else s.shape
        return helper.make_value_info(s.name, Sym(s.name, s.dtype, shape, s.sequence).type_proto())

    return helper.make_graph(builder.nodes, name, [info(s) for s in inputs], [info(s) for s in outputs])


class _Trial:
    """A run into a subgraph whose writes to outer locations are noted and taken back at the end."""

    def __init__(self, e: Exporter) -> None:
        self.e, self.outer = e, e.builder
        self.inner = e.builder.inner()

    def __enter__(self) -> _Trial:
        self.e.builder = self.inner
        self.journal: dict[Location, Any] = {}
        self.e.journals.append(self.journal)
        return self

    def __exit__(self, *_: Any) -> None:
        self.e.builder = self.outer
        self.e.journals.pop()
        self.changed = {place: place.content for place in self.journal}
        for place, old in self.journal.items():
            place.content = old


# -- if ----------------------------------------------------------------------------------------------------------------
def if_node(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> list[Any]:
    """A branch: taken now if its condition is known, an `If` otherwise."""
    condition = args[0]
    if not isinstance(condition, Sym):
        return _run(e, node.blocks[0 if condition else 1], env)
    from linstock.backends.onnx.exporter import Raised

    trials, results, raised = [], [], []
    for block in node.blocks:
        trial = _Trial(e)
        with trial:
            try:
                results.append(_run(e, block, dict(env)))
            except Raised as problem:
                raised.append(problem)
                results.append(None)
        trials.append(trial)
    if len(raised) == 2:
        raise raised[0]
    if raised:  # the other branch is the one of valid inputs
        return _run(e, node.blocks[0 if results[1] is None else 1], env)
    return _make_if(e, node, condition, trials, results)


def _run(e: Exporter, block: Block, env: dict[Value, Any]) -> list[Any]:
    e.block(block, env)
    return [e.value(v, env) for v in block.outputs]


def _make_if(e: Exporter, node: Node, condition: Sym, trials: list[_Trial], results: list[Any]) -> list[Any]:
    changed = [p for p in dict.fromkeys([*trials[0].changed, *trials[1].changed])]
    flat: list[list[Any]] = [[], []]
    structures: list[list[Any]] = [[], []]
    for side in (0, 1):
        for value in results[side]:
            structures[side].append(flatten(value, flat[side]))
        for place in changed:
            content = trials[side].changed.get(place, place.content)
            structures[side].append(flatten(_wrapped(place, content), flat[side]))
    merged = [_agree(e, x, y) for x, y in zip(structures[0], structures[1], strict=True)]
    if len(flat[0]) != len(flat[1]):
        raise ExportError("the two branches of a condition on the inputs give values of different structure", node.span)
    codes = [_common_code(x, y) for x, y in zip(flat[0], flat[1], strict=True)]
    graphs, sides = [], []
    for side, name in ((0, "then_branch"), (1, "else_branch")):
        inner = trials[side].inner
        syms = [_as_sym(inner, v, c) for v, c in zip(flat[side], codes, strict=True)]
        syms = [inner.op("Identity", s) if s.name not in {n for x in inner.nodes for n in x.output} else s for s in syms]
        sides.append(syms)
        graphs.append((name, inner, syms))
    outputs = [Sym(e.builder.names.take(), x.dtype, _joined(x, y), x.sequence) for x, y in zip(sides[0], sides[1], strict=True)]
    if not outputs:
        return []
    protos = {name: _graph(inner, name, [], syms, True) for name, inner, syms in graphs}
    test = condition if condition.rank == 0 else e.builder.op("Reshape", condition, np.asarray([], np.int64))
    made = helper.make_node("If", [e.builder.cast(test, 11).name], [o.name for o in outputs], **protos)
    e.builder.nodes.append(made)
    values = iter(outputs)
    rebuilt = [rebuild(s, values) for s in merged]
    count = len(results[0])
    for place, value in zip(changed, rebuilt[count:], strict=True):
        _store(e, place, value)
    return rebuilt[:count]


def _wrapped(place: Location, content: Any) -> Any:
    """A location's content as a value that can be flattened."""
    if isinstance(place, Cell):
        return Cell(content)
    return type(place)(content) if isinstance(place, (ListCell, DictCell)) else content


def _store(e: Exporter, place: Location, value: Any) -> None:
    if isinstance(place, (Cell, ListCell, DictCell)):
        e.write(place, value.content)
        if isinstance(place, Cell):
            place.settle()
    else:
        e.write(place, value)


def _agree(e: Exporter, x: Any, y: Any) -> Any:
    from linstock.backends.onnx.exporter import Unset

    if x == y:
        return x
    unset = [isinstance(s, tuple) and s[0] == "known" and isinstance(s[1], Unset) for s in (x, y)]
    if any(unset):
        return ("known", x[1] if unset[0] else y[1])
    if isinstance(x, tuple) and isinstance(y, tuple) and x[0] == y[0] and x[0] in ("list", "tuple") and len(x[1]) == len(y[1]):
        return (x[0], [_agree(e, a, b) for a, b in zip(x[1], y[1], strict=True)])
    raise ExportError("the branches of a condition on the inputs give values that ONNX cannot unite (lists of different length, None and a tensor, strings)")


def _common_code(x: Any, y: Any) -> int:
    a, b = _code(x), _code(y)
    if a == b:
        return a
    if not isinstance(x, (Sym, np.ndarray)) or not isinstance(y, (Sym, np.ndarray)):
        return max(a, b) if {a, b} <= {4, 7} else a
    raise ExportError(f"the branches of a condition on the inputs give tensors of different types, {dtypes.by_code(a).name} and {dtypes.by_code(b).name}")


# -- loops -------------------------------------------------------------------------------------------------------------
def loop_node(e: Exporter, node: Node, args: list[Any], env: dict[Value, Any]) -> list[Any]:
    """A loop: its rounds are run now as long as their number is known, a `Loop` otherwise."""
    limit, going, *carried = args
    block = node.blocks[0]
    if not isinstance(limit, Sym) and not isinstance(going, Sym):
        done = _unroll(e, block, limit, going, carried, env)
        if done is not None:
            return done
    return _make_loop(e, node, block, limit, going, carried, env)


def _unroll(e: Exporter, block: Block, limit: int, going: bool, carried: list[Any], env: dict[Value, Any]) -> list[Any] | None:
    """Run the rounds one after the other; None (with everything taken back) if they turn out to depend on the inputs or to be many."""
    journal: dict[Location, Any] = {}
    e.journals.append(journal)
    start = len(e.builder.nodes)
    index, rounds = 0, 0
    try:
        while index < limit and going is True:
            before = len(e.builder.nodes)
            inner = dict(env)
            inner.update(zip(block.inputs, [index, *carried], strict=True))
            going, *carried = _run(e, block, inner)
            index += 1
            rounds += len(e.builder.nodes) > before
            if isinstance(going, Sym) or rounds > _UNROLL or index > _PLAIN_ROUNDS:
                for place, old in journal.items():
                    place.content = old
                del e.builder.nodes[start:]
                return None
    finally:
        e.journals.pop()
    return carried


def _make_loop(
    e: Exporter, node: Node, block: Block, limit: Any, going: Any, carried: list[Any], env: dict[Value, Any]
) -> list[Any]:
    changed: list[Location] = []
    loose: set[int] = set()
    growing: set[int] = set()
    for _ in range(8):
        state = [*carried, *[_wrapped(p, p.content) for p in changed]]
        state = [_sequence(e, v) if i in growing else v for i, v in enumerate(state)]
        outcome = _try_loop(e, node, block, limit, going, state, len(carried), changed, loose, growing, env)
        if outcome is not None:
            return outcome
    raise ExportError("the types of the variables of a loop over the inputs do not settle", node.span)


def _sequence(e: Exporter, value: Any) -> Any:
    """A list as a value of sequence type."""
    if not isinstance(value, ListCell) or isinstance(value.content, Sym):
        return value
    items = [e.builder.sym(plain(v)) for v in value.content]
    if items:
        made = e.builder.op("SequenceConstruct", *items)
        return ListCell(Sym(made.name, items[0].dtype, None, True))
    return ListCell(e.builder.op("SequenceEmpty", dtype=element_type(6)))


def _try_loop(
    e: Exporter, node: Node, block: Block, limit: Any, going: Any, state: list[Any], count: int, changed: list[Location],
    loose: set[int], growing: set[int], env: dict[Value, Any],
) -> list[Any] | None:  # fmt: skip
    """One attempt to write the loop; None after more was learnt about what changes in it."""
    outer = e.builder
    flat: list[Any] = []
    structures = [flatten(v, flat) for v in state]
    initial = [_as_sym(outer, v, _code(v)) for v in flat]
    inputs = [
        Sym(outer.names.take(), s.dtype, None if i in loose else s.shape, s.sequence) for i, s in enumerate(initial)
    ]
    trial = _Trial(e)
    index, condition = Sym(outer.names.take(), 4, ()), Sym(outer.names.take(), 11, ())
    with trial:
        values = iter(inputs)
        inside = [rebuild(s, values) for s in structures]
        for place, value in zip(changed, inside[count:], strict=True):
            _store(e, place, value)
        local = dict(env)
        local.update(zip(block.inputs, [index, *inside[:count]], strict=True))
        next_going, *ends = _run(e, block, local)
        more = [p for p in trial.journal if p not in changed]
        ends += [_wrapped(p, p.content) for p in changed]
        after: list[Any] = []
        after_structures = [flatten(v, after) for v in ends]
        if not more and after_structures == structures:
            inner = e.builder
            outs = [_as_sym(inner, v, s.dtype) for v, s in zip(after, inputs, strict=True)]
            outs = [inner.op("Identity", o) for o in outs]
            test = inner.op("Identity", inner.cast(inner.sym(np.asarray(next_going) if not isinstance(next_going, Sym) else next_going), 11))
            body_nodes = inner
    if more:
        changed.extend(more)
        return None
    if after_structures != structures:
        fresh = {i for i, (a, b) in enumerate(zip(structures, after_structures, strict=True)) if a != b}
        lists = {i for i in fresh if _is_list(structures[i]) or _is_list(after_structures[i])}
        if not lists or lists <= growing:
            raise ExportError("a variable of a loop over the inputs changes its structure (its length, or from None to a tensor)", node.span)
        growing |= lists
        return None
    wider = {i for i, (a, b) in enumerate(zip(inputs, outs, strict=True)) if not a.sequence and i not in loose and a.shape is not None and a.shape != b.shape and not _fits(b, a)}
    if wider:
        loose |= wider
        return None
    results = [Sym(outer.names.take(), s.dtype, s.shape, s.sequence) for s in inputs]
    body = _graph(body_nodes, "body", [index, condition, *inputs], [test, *outs], True)
    most = "" if not isinstance(limit, Sym) and limit >= 2**62 else outer.sym(limit if isinstance(limit, Sym) else np.asarray(limit, np.int64)).name
    first = outer.sym(going if isinstance(going, Sym) else np.asarray(bool(going))).name
    made = helper.make_node("Loop", [most, first, *[s.name for s in initial]], [r.name for r in results], body=body)
    outer.nodes.append(made)
    values = iter(results)
    rebuilt = [rebuild(s, values) for s in structures]
    for place, value in zip(changed, rebuilt[count:], strict=True):
        _store(e, place, value)
    return rebuilt[:count]


def _is_list(structure: Any) -> bool:
    return structure == "sequence" or (isinstance(structure, tuple) and structure[0] == "list")


def _fits(new: Sym, old: Sym) -> bool:
    """Whether a loop variable keeps the shape it was declared with."""
    if new.shape is None or old.shape is None or len(new.shape) != len(old.shape):
        return False
    return all(o is None or n == o for n, o in zip(new.shape, old.shape, strict=True))


__all__ = ["flatten", "if_node", "is_known", "loop_node", "rebuild"]
