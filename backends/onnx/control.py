"""Branches and loops whose course depends on the inputs, as ONNX `If` and `Loop`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import helper

from linstock.backends.onnx.builder import Builder, Dim, Sym, element_type
from linstock.backends.onnx.errors import Raised
from linstock.backends.onnx.values import (
    UNSET,
    Cell,
    DictCell,
    ListCell,
    Location,
    Pair,
    Quantized,
    Unset,
    View,
    key_of,
)
from linstock.ir import dtypes
from linstock.ir.errors import ExportError
from linstock.ir.graph import Block, Node, Value

if TYPE_CHECKING:
    from linstock.backends.onnx.exporter import Exporter

Environment = dict[Value, Any]
_SCALARS = {bool: 11, int: 4, float: 7}
#: rounds that add nodes, up to which a loop of known length is written out
_UNROLL = 64
_PLAIN_ROUNDS = 100_000
_ATTEMPTS = 24
_FOREVER = 1 << 62


# -- flattening --------------------------------------------------------------------------------------------------------
def flatten(value: Any, out: list[Any]) -> Any:
    """Append the tensors and numbers of a value to `out`; gives its structure, to rebuild it from others."""
    if isinstance(value, Cell):
        content = value.read()
        if isinstance(content, Pair):
            out += [content.real, content.imag]
            return ("pair", content.dtype)
        if isinstance(content, Quantized):
            out.append(content.ints)
            return ("quantized", content.scale, content.zero_point, content.dtype)
        out.append(content)
        return "tensor"
    if isinstance(value, ListCell):
        if isinstance(value.content, Sym):
            out.append(value.content)
            return "sequence"
        return ("list", [flatten(v, out) for v in value.content])
    if isinstance(value, DictCell):
        return ("dict", [key_of(k) for k, _ in value.content], [flatten(v, out) for _, v in value.content])
    if isinstance(value, tuple):
        return ("tuple", [flatten(v, out) for v in value])
    if isinstance(value, (Sym, bool, int, float)):
        out.append(value)
        return "number"
    return ("known", value)


def rebuild(structure: Any, values: Iterator[Any]) -> Any:
    """A value of this structure from tensors and numbers."""
    if structure == "tensor":
        return Cell(next(values))
    if structure == "sequence":
        return ListCell(next(values))
    if structure == "number":
        return next(values)
    kind = structure[0]
    if kind == "pair":
        real = next(values)
        return Cell(Pair(real, next(values), structure[1]))
    if kind == "quantized":
        return Cell(Quantized(next(values), *structure[1:]))
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
    if type(value) in _SCALARS:
        return _SCALARS[type(value)]
    raise ExportError("a quantised or complex tensor is carried through a branch or loop that depends on the inputs")


def _as_sym(b: Builder, value: Any, code: int) -> Sym:
    made = value if isinstance(value, Sym) else b.constant(np.asarray(value))
    return made if made.sequence or made.dtype == code else b.cast(made, code)


def _joined(b: Builder, x: Sym, y: Sym) -> tuple[Dim, ...] | None:
    if x.shape is None or y.shape is None or len(x.shape) != len(y.shape):
        return None
    return tuple(i if i == j else b.unknown() for i, j in zip(x.shape, y.shape, strict=True))


def _graph(builder: Builder, name: str, inputs: Sequence[Sym], outputs: Sequence[Sym]) -> onnx.GraphProto:
    """A subgraph. Shapes may differ from branch to branch and from round to round: they are left open, but for the
    numbers'.
    """

    def info(s: Sym) -> onnx.ValueInfoProto:
        return helper.make_value_info(s.name, s.type_proto(loose=s.shape != ()))

    return helper.make_graph(builder.nodes, name, [info(s) for s in inputs], [info(s) for s in outputs])


class _Trial:
    """A run into a subgraph. Its writes to what is outside are noted (`changed`) and taken back at the end."""

    def __init__(self, e: Exporter) -> None:
        self.e, self.outer = e, e.builder
        self.inner = e.builder.inner()
        self.changed: dict[Location, Any] = {}

    def __enter__(self) -> _Trial:
        self.e.builder = self.inner
        self.journal: dict[Location, Any] = {}
        self.e.journals.append(self.journal)
        self.start = Location(None).serial
        return self

    def __exit__(self, *_: Any) -> None:
        self.e.builder = self.outer
        self.e.journals.pop()
        for place, state in self.journal.items():
            if place.serial < self.start and not isinstance(place, View):
                self.changed[place] = place.content
            place.restore(state)

    def adopt(self) -> None:
        """Let what was run stay, as if it had been run outside."""
        self.outer.adopt(self.inner)
        for place, content in self.changed.items():
            self.e.write(place, content)


# -- if ----------------------------------------------------------------------------------------------------------------
def if_node(e: Exporter, node: Node, args: list[Any], env: Environment) -> list[Any]:
    """A branch: taken now if its condition is known, an `If` otherwise. A branch that raises is not taken."""
    condition = args[0]
    if not isinstance(condition, Sym):
        return _run(e, node.blocks[0 if condition else 1], env)
    trials: list[_Trial] = []
    results: list[list[Any]] = []
    raised: list[Raised | None] = []
    for block in node.blocks:
        trial = _Trial(e)
        with trial:
            try:
                results.append(_run(e, block, dict(env)))
                raised.append(None)
            except Raised as problem:
                results.append([])
                raised.append(problem)
        trials.append(trial)
    if raised[0] is not None and raised[1] is not None:
        raise raised[0]
    for side in (0, 1):
        if raised[1 - side] is not None:
            trials[side].adopt()
            return results[side]
    return _Merge(e, trials, results).made(condition)


def _run(e: Exporter, block: Block, env: Environment) -> list[Any]:
    e.block(block, env)
    return [e.value(v, env) for v in block.outputs]


Maker = Callable[[Iterator[Any]], Any]


class _Merge:
    """The results of two branches, and what they changed, as outputs of an If. What is the same on both sides passes
    by.
    """

    def __init__(self, e: Exporter, trials: Sequence[_Trial], results: Sequence[list[Any]]) -> None:
        self.e, self.trials = e, trials
        self.leaves: tuple[list[Sym], list[Sym]] = ([], [])
        self.shapes: list[Any] = []
        self.makers = [self.joined(x, y) for x, y in zip(results[0], results[1], strict=True)]
        self.places = list(dict.fromkeys([*trials[0].changed, *trials[1].changed]))
        self.place_makers = []
        for place in self.places:
            x, y = (t.changed.get(place, place.content) for t in trials)
            self.place_makers.append(self.joined(_wrapped(place, x), _wrapped(place, y)))

    def leaf(self, x: Any, y: Any, shape: Any = NotImplemented) -> Maker:
        """One tensor or number."""
        if x is y or (isinstance(x, Sym) and isinstance(y, Sym) and x.name == y.name):
            return lambda values: x
        if type(x) is type(y) and type(x) in _SCALARS and (x == y or (x != x and y != y)):
            return lambda values: x
        a, b = _code(x), _code(y)
        code = a
        if a != b:
            if {a, b} <= {4, 7, 11} and (type(x) in _SCALARS or type(y) in _SCALARS):
                code = max({4: 1, 7: 2, 11: 0}[a], {4: 1, 7: 2, 11: 0}[b])
                code = (11, 4, 7)[code]
            else:
                names = f"{dtypes.by_code(a).name} and {dtypes.by_code(b).name}"
                raise ExportError(f"the branches of a condition on the inputs give tensors of different types, {names}")
        sides = [_as_sym(t.inner, v, code) for t, v in zip(self.trials, (x, y), strict=True)]
        for side, sym in enumerate(sides):
            self.leaves[side].append(sym)
        self.shapes.append(_joined(self.e.builder, *sides) if shape is NotImplemented else shape)
        return next

    def joined(self, x: Any, y: Any) -> Maker:
        """Any value. Raises ExportError where ONNX cannot unite the two."""
        if x is y:
            return lambda values: x
        for this, other, first in ((x, y, False), (y, x, True)):
            if isinstance(this, Unset):
                return self.defined(other, first)
        if isinstance(x, Cell) and isinstance(y, Cell):
            a, b = x.read(), y.read()
            if isinstance(a, Pair) and isinstance(b, Pair):
                parts = [self.leaf(a.real, b.real), self.leaf(a.imag, b.imag)]
                return lambda values: Cell(Pair(parts[0](values), parts[1](values), a.dtype))
            if (
                isinstance(a, Quantized)
                and isinstance(b, Quantized)
                and (a.scale, a.zero_point, a.dtype) == (b.scale, b.zero_point, b.dtype)
            ):
                ints = self.leaf(a.ints, b.ints)
                return lambda values: Cell(Quantized(ints(values), a.scale, a.zero_point, a.dtype))
            one = self.leaf(a, b)
            return lambda values: Cell(one(values))
        if isinstance(x, ListCell) and isinstance(y, ListCell):
            return self.lists(x, y)
        if isinstance(x, DictCell) and isinstance(y, DictCell):
            keys = [[key_of(k) for k, _ in d.content] for d in (x, y)]
            if keys[0] == keys[1]:
                pairs = [(k, self.joined(v, w)) for (k, v), (_, w) in zip(x.content, y.content, strict=True)]
                return lambda values: DictCell(tuple((k, m(values)) for k, m in pairs))
        if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y):
            items = [self.joined(v, w) for v, w in zip(x, y, strict=True)]
            return lambda values: tuple(m(values) for m in items)
        numbers = (Sym, bool, int, float)
        if isinstance(x, numbers) and isinstance(y, numbers):
            return self.leaf(x, y)
        if type(x) is type(y) and x == y:
            return lambda values: x
        raise ExportError(
            f"the branches of a condition on the inputs give values that ONNX cannot unite: {_describe(x)} and {_describe(y)}"
        )

    def lists(self, x: ListCell, y: ListCell) -> Maker:
        """Two lists: element by element if they are equally long, as sequences if not."""
        if not isinstance(x.content, Sym) and not isinstance(y.content, Sym) and len(x.content) == len(y.content):
            items = [self.joined(v, w) for v, w in zip(x.content, y.content, strict=True)]
            return lambda values: ListCell(tuple(m(values) for m in items))
        sample = next((s for v in (x, y) for s in _elements(v)), None)
        if sample is None:
            raise ExportError("the branches of a condition on the inputs give lists of different length")
        code = _code(sample)
        made = [
            sequence(t.inner, v, code, getattr(sample, "shape", ())) for t, v in zip(self.trials, (x, y), strict=True)
        ]
        one = self.leaf(made[0], made[1])
        return lambda values: ListCell(one(values))

    def defined(self, value: Any, first: bool) -> Maker:
        """A value that only one branch defines; nobody reads it after the other one, where something of its type stands
        in.
        """
        out: list[Any] = []
        structure = flatten(value, out)
        makers = []
        for leaf in out:
            if not isinstance(leaf, Sym):
                makers.append(lambda values, leaf=leaf: leaf)
                continue
            inner = self.trials[1 if first else 0].inner
            if leaf.sequence:
                dummy = inner.op("SequenceEmpty", dtype=element_type(leaf.dtype))
            else:
                dummy = inner.constant(np.zeros((1,) * (leaf.rank or 0), dtypes.numpy_of(leaf.dtype)))
            pair = (leaf, dummy) if first else (dummy, leaf)
            makers.append(self.leaf(*pair, leaf.shape))  # type: ignore[arg-type]
        return lambda values: rebuild(structure, iter([m(values) for m in makers]))  # type: ignore[no-untyped-call]

    def made(self, condition: Sym) -> list[Any]:
        """Insert the If; gives the results after it."""
        b = self.e.builder
        outputs = []
        if self.leaves[0]:
            graphs = {}
            for side, name in enumerate(("then_branch", "else_branch")):
                inner = self.trials[side].inner
                graphs[name] = _graph(inner, name, [], _own(inner, self.leaves[side]))
            names = [b.names.take("if") for _ in self.leaves[0]]
            outputs = [
                Sym(n, x.dtype, s, x.sequence, number=x.number)
                for n, x, s in zip(names, self.leaves[0], self.shapes, strict=True)
            ]
            b.nodes.append(helper.make_node("If", [_condition(b, condition).name], names, name=names[0], **graphs))
        values = iter(outputs)
        results = [m(values) for m in self.makers]
        for place, maker in zip(self.places, self.place_makers, strict=True):
            _store(self.e, place, maker(values))
        return results


def _describe(value: Any) -> str:
    kinds = {
        Cell: "a tensor",
        View: "a tensor",
        ListCell: "a list",
        DictCell: "a dictionary",
        tuple: "a tuple",
        type(None): "None",
    }
    return kinds.get(type(value)) or (f"'{value}'" if isinstance(value, str) else type(value).__name__)


def _own(inner: Builder, values: Sequence[Sym]) -> list[Sym]:
    """Values as outputs of a subgraph, each of which one of its own nodes must give, once."""
    mine = {n for node in inner.nodes for n in node.output}
    seen: set[str] = set()
    made = []
    for v in values:
        if v.name not in mine or v.name in seen:
            name = inner.names.take("identity")
            inner.nodes.append(helper.make_node("Identity", [v.name], [name], name=name))
            v = Sym(name, v.dtype, v.shape, v.sequence)
        seen.add(v.name)
        made.append(v)
    return made


def _condition(b: Builder, value: Any) -> Sym:
    if not isinstance(value, Sym):
        return b.constant(np.asarray(bool(value)))
    return b.cast(value if value.rank == 0 else b.op("Reshape", value, b.ints()), 11)


def _wrapped(place: Location, content: Any) -> Any:
    """A location's content as a value that can be flattened."""
    if isinstance(place, Cell):
        return Cell(content)
    return type(place)(content) if isinstance(place, (ListCell, DictCell)) else content


def _store(e: Exporter, place: Location, value: Any) -> None:
    if isinstance(place, Cell):
        e.write(place, value.read())
    elif isinstance(place, (ListCell, DictCell)):
        e.write(place, value.content)
    else:
        e.write(place, value)


def _elements(value: ListCell) -> list[Any]:
    if isinstance(value.content, Sym):
        return [value.content]
    return [v.read() if isinstance(v, Cell) else v for v in value.content]


def sequence(b: Builder, value: ListCell, code: int, shape: Any = None) -> Sym:
    """A list of tensors (or numbers) as a value of sequence type. `shape` is that of the elements of an empty one."""
    if isinstance(value.content, Sym):
        return value.content
    items = []
    for v in value.content:
        content = v.read() if isinstance(v, Cell) else v
        if not isinstance(content, (Sym, np.ndarray, bool, int, float)):
            raise ExportError("a list whose length depends on the inputs holds something other than tensors or numbers")
        items.append(_as_sym(b, content, code))
    if not items:
        return Sym(b.op("SequenceEmpty", dtype=element_type(code)).name, code, shape, True)
    shape = items[0].shape
    for item in items[1:]:
        shape = None if shape is None else _joined(b, Sym("", code, shape), item)
    made = b.op("SequenceConstruct", *items)
    return Sym(made.name, code, shape, True)


# -- loops -------------------------------------------------------------------------------------------------------------
def loop_node(e: Exporter, node: Node, args: list[Any], env: Environment) -> list[Any]:
    """A loop: its rounds are run now as long as their number is known, a `Loop` otherwise."""
    limit, going, *carried = args
    block = node.blocks[0]
    if not isinstance(limit, Sym) and not isinstance(going, Sym):
        done = _unroll(e, block, limit, going, carried, env)
        if done is not None:
            return done
    return _Loop(e, block, limit, going, carried, env).made()


def _unroll(
    e: Exporter, block: Block, limit: int, going: Any, carried: list[Any], env: Environment
) -> list[Any] | None:
    """Run the rounds one after the other; None (with everything taken back) if they turn out to depend on the inputs or
    to be many.
    """
    trial = _Trial(e)
    index, rounds = 0, 0
    with trial:
        while index < limit and going is True:
            before = len(e.builder.nodes)
            inner = dict(env)
            inner.update(zip(block.inputs, [index, *carried], strict=True))
            going, *carried = _run(e, block, inner)
            index += 1
            rounds += len(e.builder.nodes) > before
            if isinstance(going, Sym) or rounds > _UNROLL or index > _PLAIN_ROUNDS:
                return None
    trial.adopt()
    return carried


class _Loop:
    """A loop as an ONNX Loop. What its state consists of is found by attempts: at first all of it is taken to stay as
    it is.
    """

    def __init__(self, e: Exporter, block: Block, limit: Any, going: Any, carried: list[Any], env: Environment) -> None:
        self.e, self.block, self.limit, self.going, self.env = e, block, limit, going, env
        self.carried = carried
        self.places: list[Location] = []
        #: leaves of the state that change, and what is known of each one's shape while it does
        self.moving: dict[int, tuple[Dim, ...] | None] = {}
        #: values of the state that are lists of changing length, with the type and shape of their elements
        self.growing: dict[int, tuple[int, Any]] = {}
        self.codes: dict[int, int] = {}
        #: names of sizes that may differ from round to round
        self.free: set[Dim] = set()

    def made(self) -> list[Any]:
        """Insert the Loop; gives the carried values after it."""
        for _ in range(_ATTEMPTS):
            found = self.attempt()
            if found is not None:
                return found
        raise ExportError("the types of the variables of a loop over the inputs do not settle")

    def state(self) -> list[Any]:
        """The values before the loop: carried ones, then the contents of what is written."""
        values = [*self.carried, *[_wrapped(p, p.content) for p in self.places]]
        return [
            ListCell(sequence(self.e.builder, v, *self.growing[i])) if i in self.growing else v
            for i, v in enumerate(values)
        ]

    def attempt(self) -> list[Any] | None:
        """Write the loop, or learn more about what changes in it and give None."""
        b = self.e.builder
        before: list[Any] = []
        state = self.state()
        structures = [flatten(v, before) for v in state]
        index, test = Sym(b.names.take("round"), 4, (), number=True), Sym(b.names.take("going"), 11, ())
        inputs: dict[int, Sym] = {}
        for i, shape in self.moving.items():
            initial = before[i]
            number = isinstance(initial, (bool, int, float)) or (isinstance(initial, Sym) and initial.number)
            code = self.codes.get(i, _code(initial))
            inputs[i] = Sym(
                b.names.take("state"), code, shape, isinstance(initial, Sym) and initial.sequence, number=number
            )
        inside = [inputs.get(i, v) for i, v in enumerate(before)]
        trial = _Trial(self.e)
        with trial:
            values = iter(inside)
            rebuilt = [rebuild(s, values) for s in structures]
            count = len(self.carried)
            for place, value in zip(self.places, rebuilt[count:], strict=True):
                _store(self.e, place, value)
            local = dict(self.env)
            local.update(zip(self.block.inputs, [index, *rebuilt[:count]], strict=True))
            going, *ends = _run(self.e, self.block, local)
            fresh = [
                p for p in trial.journal if p.serial < trial.start and not isinstance(p, View) and p not in self.places
            ]
            if fresh:
                self.places += fresh
                return None
            ends += [_wrapped(p, p.content) for p in self.places]
            after: list[Any] = []
            ended = [flatten(v, after) for v in ends]
            if ended != structures:
                self.grown(state, ends, structures, ended)
                return None
            if self.widened(before, after, inputs):
                return None
            inner = self.e.builder
            outs = [_as_sym(inner, after[i], s.dtype) for i, s in inputs.items()]
            going_sym = _condition(inner, going)
            produced = _own(inner, [going_sym, *outs])
            body = _graph(inner, "body", [index, test, *inputs.values()], produced)
        return self.insert(body, before, structures, inputs)

    def grown(self, state: list[Any], ends: list[Any], structures: list[Any], ended: list[Any]) -> None:
        """Lists whose length changes become sequences."""
        for i, (a, c) in enumerate(zip(structures, ended, strict=True)):
            if a == c:
                continue
            value, new = state[i], ends[i]
            if not isinstance(value, ListCell) or not isinstance(new, ListCell) or i in self.growing:
                raise ExportError(
                    f"a variable of a loop over the inputs changes from {_describe(value)} to {_describe(new)}, or its structure changes"
                )
            samples = [*_elements(value), *_elements(new)]
            if not samples:
                raise ExportError("a list of a loop over the inputs changes in a way that ONNX has no form for")
            self.growing[i] = (
                _code(samples[-1]),
                samples[-1].shape if isinstance(samples[-1], (Sym, np.ndarray)) else (),
            )
        self.moving, self.codes = {}, {}  # the leaves of the state are numbered anew

    def widened(self, before: list[Any], after: list[Any], inputs: dict[int, Sym]) -> bool:
        """Note leaves that turn out to change, or to change more than was known."""
        more = False
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            now = inputs.get(i)
            if now is None:
                if old is new or (isinstance(old, Sym) and isinstance(new, Sym) and old.name == new.name):
                    continue
                if type(old) is type(new) and type(old) in _SCALARS and (old == new or old != old):
                    continue
                if type(old) in _SCALARS and {_code(old), _code(new)} == {4, 7}:
                    self.codes[i] = 7
                initial = _as_sym(self.e.builder, old, _code(old))
                self.moving[i], more = initial.shape, True
                continue
            if _code(new) != now.dtype:
                if {_code(new), now.dtype} == {4, 7} and now.number:
                    self.codes[i], more = 7, True
                    continue
                names = f"{dtypes.by_code(now.dtype).name} to {dtypes.by_code(_code(new)).name}"
                raise ExportError(f"a tensor of a loop over the inputs changes its type from {names}")
            shape = new.shape if isinstance(new, (Sym, np.ndarray)) else ()
            if now.shape is None:
                continue
            if shape is None or len(shape) != len(now.shape):
                self.moving[i], more = None, True
            elif any(o != n and o not in self.free for o, n in zip(now.shape, shape, strict=True)):
                self.moving[i], more = (
                    tuple(
                        o if o == n or o in self.free else self.loose() for o, n in zip(now.shape, shape, strict=True)
                    ),
                    True,
                )
        return more

    def loose(self) -> str:
        """A name for a size that differs from round to round."""
        name = self.e.builder.unknown()
        self.free.add(name)
        return name

    def insert(
        self, body: onnx.GraphProto, before: list[Any], structures: list[Any], inputs: dict[int, Sym]
    ) -> list[Any]:
        """The Loop node, and the state after it."""
        b = self.e.builder
        results = {
            i: Sym(b.names.take("loop"), s.dtype, s.shape, s.sequence, number=s.number) for i, s in inputs.items()
        }
        endless = not isinstance(self.limit, Sym) and self.limit >= _FOREVER
        most = (
            ""
            if endless
            else (self.limit if isinstance(self.limit, Sym) else b.constant(np.asarray(self.limit, np.int64))).name
        )
        initial = [_as_sym(b, before[i], s.dtype).name for i, s in inputs.items()]
        if results:
            names = [r.name for r in results.values()]
            b.nodes.append(
                helper.make_node(
                    "Loop", [most, _condition(b, self.going).name, *initial], names, name=names[0], body=body
                )
            )
        values = iter([results.get(i, v) for i, v in enumerate(before)])
        rebuilt = [rebuild(s, values) for s in structures]
        count = len(self.carried)
        for place, value in zip(self.places, rebuilt[count:], strict=True):
            _store(self.e, place, value)
        return rebuilt[:count]


def loop(
    b: Builder, states: Sequence[Sym], step: Callable[[Builder, Sym, list[Sym]], tuple[Sym | None, list[Sym], list[Sym]]], count: Any = None,
    going: Sym | None = None,
) -> tuple[list[Sym], list[Sym]]:  # fmt: skip
    """A Loop for a converter: the last states, and the results of all rounds, stacked.

    `step(builder, round, states)` gives whether to go on (None: always), the new states, of the old types and shapes, and the round's results.
    """
    inner = b.inner()
    index, test = Sym(b.names.take("round"), 4, ()), Sym(b.names.take("going"), 11, ())
    inputs = [Sym(b.names.take("state"), s.dtype, s.shape) for s in states]
    more, ends, rounds = step(inner, index, inputs)
    ends = [inner.cast(e, s.dtype) for e, s in zip(ends, inputs, strict=True)]
    body = _graph(inner, "body", [index, test, *inputs], _own(inner, [test if more is None else more, *ends, *rounds]))
    most = "" if count is None else b.sym(count, 4).name
    steps: Dim = count if isinstance(count, int) else b.unknown()
    results = [Sym(b.names.take("loop"), s.dtype, s.shape) for s in states]
    stacked = [Sym(b.names.take("loop"), r.dtype, None if r.shape is None else (steps, *r.shape)) for r in rounds]
    names = [r.name for r in (*results, *stacked)]
    first = "" if going is None else going.name
    b.nodes.append(helper.make_node("Loop", [most, first, *[s.name for s in states]], names, name=names[0], body=body))
    return results, stacked


__all__ = ["UNSET", "flatten", "if_node", "loop", "loop_node", "rebuild", "sequence"]
