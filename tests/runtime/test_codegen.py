"""Generated Python: control flow, names, aliasing, constants, structure."""

from __future__ import annotations

import math
from typing import Any

import pytest

from linstock.ir import types as T
from linstock.ir.graph import Builder, Graph, Value
from linstock.ir.program import Function, Parameter, Signature
from linstock.runtime import inline
from linstock.runtime.codegen import FOREVER, generate
from linstock.runtime.dispatch import operator
from linstock.runtime.executor import executor_of, linker
from linstock.runtime.objects import ScriptObject


def run(graph: Graph, *args: Any) -> Any:
    return generate(graph, linker(True), operator).run(*args)


def function(name: str, graph: Graph) -> Function:
    parameters = tuple(Parameter(v.name, v.type) for v in graph.inputs)
    return Function.of(name, Signature(parameters, graph.outputs[0].type), graph)


def start(*kinds: T.Type) -> tuple[Graph, Builder, list[Value]]:
    graph = Graph("f")
    inputs = [graph.add_input(t, f"x{i}") for i, t in enumerate(kinds)]
    return graph, Builder(graph), inputs


def test_straight_line() -> None:
    g, b, (x, y) = start(T.INT, T.INT)
    g.add_output(b.op("aten::mul.int", b.op("aten::add.int", x, 2), y))
    assert run(g, 3, 4) == 20


def test_integers_wrap_around_at_64_bits() -> None:
    g, b, (x, y) = start(T.INT, T.INT)
    g.add_output(b.op("aten::add.int", x, y))
    assert run(g, 2**63 - 1, 1) == -(2**63)
    assert inline.wrap(-(2**63) - 1) == 2**63 - 1


def test_if_gives_values_of_the_branch_taken() -> None:
    g, b, (c, x) = start(T.BOOL, T.INT)
    node = b.node("prim::If", (c,), (T.INT, T.STRING))
    yes, no = node.add_block(), node.add_block()
    y = Builder(yes)
    yes.add_output(y.op("aten::neg.int", x))
    yes.add_output(y.constant("yes"))
    no.add_output(x)
    no.add_output(Builder(no).constant("no"))
    g.add_output(b.value("prim::TupleConstruct", node.outputs, T.TupleType((T.INT, T.STRING))))
    assert run(g, True, 3) == (-3, "yes")
    assert run(g, False, 3) == (3, "no")


def test_if_with_only_an_else_branch() -> None:
    g, b, (c, items) = start(T.BOOL, T.ListType(T.INT))
    node = b.node("prim::If", (c,))
    node.add_block()
    no = node.add_block()
    Builder(no).op("aten::append.t", items, 1)
    g.add_output(items)
    assert run(g, True, []) == []
    assert run(g, False, []) == [1]


def counted_loop(g: Graph, b: Builder, n: Value, first: Value, carried: list[Value]) -> Any:
    node = b.node("prim::Loop", [n, first, *carried])
    body = node.add_block()
    i = body.add_input(T.INT, "i")
    inner = [body.add_input(v.type) for v in carried]
    outs = [node.add_output(v.type) for v in carried]
    return body, i, inner, outs


def test_counted_loop_is_a_for() -> None:
    g, b, (n,) = start(T.INT)
    body, i, (total,), (out,) = counted_loop(g, b, n, b.constant(True), [b.constant(0)])
    inner = Builder(body)
    body.add_output(inner.constant(True))
    body.add_output(inner.op("aten::add.int", total, i))
    g.add_output(out)
    made = generate(g, linker(True), operator)
    assert "for " in made.source and "while" not in made.source
    assert [made.run(k) for k in (-1, 0, 5)] == [0, 0, 10]


def test_while_with_a_limit_and_a_condition() -> None:
    g, b, (n, limit) = start(T.INT, T.INT)
    body, _, (x,), (out,) = counted_loop(g, b, n, b.op("aten::gt.int", limit, 0), [b.constant(1)])
    inner = Builder(body)
    doubled = inner.op("aten::mul.int", x, 2)
    body.add_output(inner.op("aten::lt.int", doubled, limit))
    body.add_output(doubled)
    g.add_output(b.value("prim::TupleConstruct", (out,), T.TupleType((T.INT,))))
    assert run(g, FOREVER, 100) == (128,)
    assert run(g, 3, 100) == (8,)
    assert run(g, 3, 0) == (1,)


def test_loop_exchanges_its_carried_values() -> None:
    g, b, (n,) = start(T.INT)
    body, _, (x, y), outs = counted_loop(g, b, n, b.constant(True), [b.constant("a"), b.constant("b")])
    for v in (Builder(body).constant(True), y, x):
        body.add_output(v)
    g.add_output(b.value("prim::TupleConstruct", outs, T.TupleType((T.STRING, T.STRING))))
    assert run(g, 3) == ("b", "a")
    assert run(g, 2) == ("a", "b")


def test_forever_loop_that_counts() -> None:
    g, b, (n,) = start(T.INT)
    body, i, _, _ = counted_loop(g, b, b.constant(FOREVER), b.constant(True), [])
    seen = b.node("prim::ListConstruct", (), (T.ListType(T.INT),)).output
    seen.node.move_before(body.owner)  # type: ignore[arg-type]
    inner = Builder(body)
    inner.op("aten::append.t", seen, i)
    body.add_output(inner.op("aten::lt.int", i, n))
    g.add_output(seen)
    assert run(g, 2) == [0, 1, 2]


def test_mutable_constants_are_fresh_at_each_use() -> None:
    g, b, (n,) = start(T.INT)
    constant = b.constant([1, 2])
    b.op("aten::append.t", constant, n)
    g.add_output(constant)
    made = generate(g, linker(True), operator)
    assert made.run(3) == made.run(4) == [1, 2]
    assert constant.constant == [1, 2]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, -0.0, 1e300, 2**62, "a'\"\n\0é", None, (1, 2.5)])
def test_constants_keep_their_value(value: Any) -> None:
    g, b, _ = start()
    g.add_output(b.constant(value))
    got = run(g)
    assert repr(got) == repr(value)


def test_integers_of_float_constants_become_floats() -> None:
    g, b, _ = start()
    g.add_output(b.constant([1, 2], T.ListType(T.FLOAT)))
    assert [type(v) for v in run(g)] == [float, float]


def test_cast_shares_the_name_and_lives_as_long() -> None:
    tensors = T.ListType(T.TENSOR)
    g, b, (x,) = start(tensors)
    made = b.op("aten::add.t", x, x)
    cast = b.value("prim::unchecked_cast", (made,), tensors)
    b.op("aten::len.t", made)
    g.add_output(b.op("aten::len.t", cast))
    assert run(g, []) == 0


def test_dead_tensors_are_dropped() -> None:
    g, b, (x,) = start(T.ListType(T.TENSOR))
    twice = b.op("aten::add.t", x, x)
    four = b.op("aten::add.t", twice, twice)
    g.add_output(b.op("aten::len.t", four))
    made = generate(g, linker(True), operator)
    assert made.source.count("del ") == 2
    assert made.run([1, 2]) == 8


def test_unpacking_checks_the_length() -> None:
    g, b, (x,) = start(T.ListType(T.INT))
    node = b.node("prim::ListUnpack", (x,), (T.INT, T.INT))
    g.add_output(b.op("aten::sub.int", *node.outputs))
    assert run(g, [5, 3]) == 2
    with pytest.raises(RuntimeError, match="Expected 2 elements in a list but found 3"):
        run(g, [1, 2, 3])


def test_objects_attributes_and_methods() -> None:
    cls = T.ClassType("__torch__.Counter", attributes={"n": T.INT})
    g, b, (this, by) = start(cls, T.INT)
    have = b.value("prim::GetAttr", (this,), T.INT, name="n")
    total = b.op("aten::add.int", have, by)
    b.node("prim::SetAttr", (this, total), name="n")
    g.add_output(total)
    cls.methods["add"] = function("__torch__.Counter.add", g)
    g, b, (n,) = start(T.INT)
    made = b.value("prim::CreateObject", (), cls)
    b.node("prim::SetAttr", (made, n), name="n")
    b.value("prim::CallMethod", (made, b.constant(2)), T.INT, name="add")
    g.add_output(b.value("prim::CallMethod", (made, b.constant(3)), T.INT, name="add"))
    assert run(g, 1) == 6


def test_interface_calls_use_the_objects_class() -> None:
    face = T.InterfaceType("__torch__.I")
    classes = []
    for sign in ("aten::add.int", "aten::mul.int"):
        cls = T.ClassType(f"__torch__.{sign}")
        g, b, (_, x) = start(cls, T.INT)
        g.add_output(b.op(sign, x, 10))
        cls.methods["go"] = function("go", g)
        classes.append(cls)
    face.methods["go"] = classes[0].methods["go"].signature()
    g, b, (thing, x) = start(face, T.INT)
    g.add_output(b.value("prim::CallMethod", (thing, x), T.INT, name="go"))
    made = generate(g, linker(True), operator)
    assert [made.run(ScriptObject(c), 3) for c in (*classes, *classes)] == [13, 30, 13, 30]


def test_a_replaced_graph_is_bound_anew() -> None:
    g, b, (x,) = start(T.INT)
    g.add_output(b.op("aten::add.int", x, 1))
    callee = function("callee", g)
    g, b, (x,) = start(T.INT)
    g.add_output(b.value("prim::CallFunction", (b.constant(callee, T.FunctionType(callee)), x), T.INT))
    caller = function("caller", g)
    assert executor_of(caller)(1) == 2
    g, b, (x,) = start(T.INT)
    g.add_output(b.op("aten::add.int", x, 100))
    callee.set_graph(g)
    assert executor_of(caller)(1) == 101


def test_isinstance_by_type() -> None:
    g, b, (x,) = start(T.ANY)
    wanted = [T.ListType(T.INT), T.TupleType((T.STRING, T.FLOAT)), T.NONE]
    g.add_output(b.value("prim::isinstance", (x,), T.BOOL, types=wanted))
    made = generate(g, linker(True), operator)
    results = [made.run(v) for v in ([1], [], [1.0], ("a", 1.0), ("a", 1), None, True)]
    assert results == [True, True, False, True, False, True, False]


def test_isinstance_that_types_decide() -> None:
    g, b, (x,) = start(T.OptionalType(T.INT))
    known = b.value("prim::isinstance", (x,), T.BOOL, types=[T.STRING])
    always = b.value("prim::isinstance", (x,), T.BOOL, types=[T.INT, T.NONE])
    test = b.value("prim::isinstance", (x,), T.BOOL, types=[T.INT])
    g.add_output(b.value("prim::TupleConstruct", (known, always, test), T.TupleType((T.BOOL,) * 3)))
    assert run(g, 1) == (False, True, True)
    assert run(g, None) == (False, True, False)


def test_fork_keeps_the_exception_until_wait() -> None:
    g, b, (x,) = start(T.INT)
    node = b.node("prim::If", (b.op("aten::lt.int", x, 0),))
    bad = node.add_block()
    node.add_block()
    inner = Builder(bad)
    inner.node("prim::RaiseException", (inner.constant("negative"), inner.constant("builtins.ValueError")))
    g.add_output(x)
    forked = function("forked", g)
    g, b, (x, waits) = start(T.INT, T.BOOL)
    future = b.value("prim::fork", (x,), T.FutureType(T.INT), function=forked)
    node = b.node("prim::If", (waits,), (T.INT,))
    yes, no = node.add_block(), node.add_block()
    yes.add_output(Builder(yes).op("aten::wait", future))
    no.add_output(Builder(no).constant(0))
    g.add_output(node.output)
    assert run(g, 5, True) == 5
    assert run(g, -5, False) == 0
    with pytest.raises(ValueError, match="negative"):
        run(g, -5, True)


def test_contexts_are_left_when_an_exception_passes() -> None:
    log: list[str] = []
    cls = T.ClassType("__torch__.Context", attributes={"log": T.ListType(T.STRING)})
    for name, arity in (("__enter__", 0), ("__exit__", 3)):
        g, b, (this, *_) = start(cls, *[T.ANY] * arity)
        items = b.value("prim::GetAttr", (this,), T.ListType(T.STRING), name="log")
        b.op("aten::append.t", items, name)
        g.add_output(b.constant(None))
        cls.methods[name] = function(name, g)
    g, b, (thing, fails) = start(cls, T.BOOL)
    b.node("prim::Enter", (thing,), (T.NONE,))
    b.node("prim::Enter", (thing,), (T.NONE,))
    node = b.node("prim::If", (fails,))
    bad = node.add_block()
    node.add_block()
    inner = Builder(bad)
    inner.node("prim::RaiseException", (inner.constant("oh"), inner.constant(None)))
    b.node("prim::Exit", (thing,))
    b.node("prim::Exit", (thing,))
    g.add_output(b.constant(1))
    thing_ = ScriptObject(cls, {"log": log})
    made = generate(g, linker(True), operator)
    assert made.run(thing_, False) == 1
    with pytest.raises(Exception, match="oh"):
        made.run(thing_, True)
    assert log == ["__enter__", "__enter__", "__exit__", "__exit__"] * 2


@pytest.mark.parametrize("kind", ["prim::If", "prim::Loop"])
def test_nesting_beyond_pythons_limits(kind: str) -> None:
    depth = 150
    g, b, (x, total) = start(T.INT, T.ListType(T.INT))
    outer = b
    for level in range(depth):
        if kind == "prim::If":
            node = b.node("prim::If", (b.op("aten::gt.int", x, level),))
            body = node.add_block()
            node.add_block()
        else:
            node = b.node("prim::Loop", (b.constant(1), b.constant(True)))
            body = node.add_block()
            body.add_input(T.INT)
            body.add_output(Builder(body).constant(True))
        b = Builder(body)
        b.op("aten::append.t", total, level)
    g.add_output(outer.op("aten::len.t", total))
    assert run(g, depth, []) == depth
    if kind == "prim::If":
        assert run(g, 100, []) == 100


def test_values_pass_through_split_off_parts() -> None:
    g, b, (x,) = start(T.INT)
    outer = b
    ends = []
    value = x
    for _ in range(60):
        node = b.node("prim::If", (b.op("aten::gt.int", value, 0),), (T.INT,))
        yes, no = node.add_block(), node.add_block()
        no.add_output(value)
        ends.append((yes, node))
        b = Builder(yes)
        value = b.op("aten::sub.int", value, 1)
    for i, (yes, _) in enumerate(ends):
        yes.add_output(ends[i + 1][1].output if i + 1 < len(ends) else value)
    g.add_output(outer.op("aten::mul.int", ends[0][1].output, 10))
    assert run(g, 100) == 400
    assert run(g, 7) == 0


def test_lines_lead_to_spans() -> None:
    from linstock.ir.source import Source, Span

    source = Source("x = 1\ny = 2", "file.py")
    spans = [Span(source, 1, 0, 1, 1), Span(source, 2, 0, 2, 1)]
    g, b, (x,) = start(T.INT)
    b.span = spans[0]
    first = b.op("aten::add.int", x, 1)
    b.span = spans[1]
    g.add_output(b.op("aten::floordiv.int", first, x))
    made = generate(g, linker(True), operator)
    assert [s for s in made.namespace["__spans__"] if s] == [(spans[0],), (spans[1],)]
    assert len(made.namespace["__spans__"]) == made.source.count("\n")
