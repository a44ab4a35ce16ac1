"""Plans, binding of arguments, conversions, results, exceptions."""

from __future__ import annotations

import threading
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from linstock.ir import dtypes
from linstock.ir import types as T
from linstock.ir.device import Device
from linstock.ir.errors import InputError, RaisedError
from linstock.ir.graph import Builder, Graph
from linstock.ir.program import MISSING, Function, Parameter, Signature
from linstock.ir.source import Source, Span
from linstock.runtime import objects
from linstock.runtime.conversion import convert
from linstock.runtime.executor import Executor, executor_of, optimized_execution
from linstock.runtime.modes import no_grad
from linstock.runtime.objects import Future, ScriptObject
from linstock.runtime.tensor import Parameter as TensorParameter
from linstock.runtime.tensor import Tensor, from_numpy


def tensor(*values: float) -> Tensor:
    return from_numpy(np.array(values, np.float32))


def identity(kind: T.Type, default: Any = MISSING, kwarg_only: bool = False) -> Executor:
    graph = Graph("f")
    value = graph.add_input(kind, "x")
    graph.add_output(value)
    parameters = (Parameter("x", kind, default, kwarg_only),)
    return executor_of(Function.of("__torch__.f", Signature(parameters, kind), graph))


def binary(op: str, *kinds: T.Type, span: Span | None = None) -> Executor:
    graph = Graph("f")
    inputs = [graph.add_input(k, n) for k, n in zip(kinds, "xyz", strict=False)]
    out = Builder(graph, span).op(op, *inputs)
    graph.add_output(out)
    parameters = tuple(Parameter(v.name, v.type) for v in inputs)
    return executor_of(Function.of("__torch__.f", Signature(parameters, out.type), graph))


# -- plans -------------------------------------------------------------------------------------------------------------
def test_plans_depend_on_kinds_not_on_sizes() -> None:
    f = binary("aten::relu", T.TENSOR)
    for n in (1, 2, 3):
        f(tensor(*[-1.0] * n))
    assert f.plan_count == 1
    f(from_numpy(np.zeros((2, 2), np.float32)))
    assert f.plan_count == 2
    f(from_numpy(np.zeros(2, np.float64)))
    assert f.plan_count == 3
    with no_grad():
        f(tensor(1.0))
    assert f.plan_count == 4
    f(tensor(1.0).requires_grad_())
    assert f.plan_count == 5
    with optimized_execution(False):
        f(tensor(1.0))
    assert f.plan_count == 6


def test_the_second_call_is_optimised() -> None:
    f = binary("aten::relu", T.TENSOR)
    f(tensor(1.0))
    assert set(f._compiled) == {False}
    f(tensor(1.0))
    assert set(f._compiled) == {False, True}


def test_optimised_at_once_when_asked() -> None:
    f = binary("aten::relu", T.TENSOR)
    with optimized_execution(True):
        f(tensor(1.0))
    assert set(f._compiled) == {True}


def test_threads_share_plans() -> None:
    f = binary("aten::relu", T.TENSOR)
    results: list[float] = []
    threads = [threading.Thread(target=lambda: results.extend(f(tensor(-1.0, 2.0)).tolist())) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [0.0, 2.0] * 8
    assert f.plan_count == 1


def test_no_warnings_of_numpy_while_running() -> None:
    f = binary("aten::div.Tensor", T.TENSOR, T.TENSOR)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(f(tensor(1.0), tensor(0.0)).numpy())
    with pytest.warns(RuntimeWarning):
        np.ones(1) / np.zeros(1)


# -- arguments ---------------------------------------------------------------------------------------------------------
def test_binding_errors_say_the_declaration() -> None:
    f = binary("aten::add.int", T.INT, T.INT)
    declared = "f(int x, int y) -> int"
    with pytest.raises(InputError, match=r"f\(\) is missing value for argument 'y'") as error:
        f(1)
    assert declared in str(error.value)
    with pytest.raises(InputError, match=r"expected at most 2 argument\(s\) but received 3 argument\(s\)"):
        f(1, 2, 3)
    with pytest.raises(InputError, match="Unknown keyword argument 'z'"):
        f(1, 2, z=3)
    with pytest.raises(InputError, match="Argument 'x' specified both as positional and keyword argument"):
        f(1, x=2)
    assert f(1, y=2) == f(y=2, x=1) == 3


def test_wrong_type_names_argument_expected_and_found() -> None:
    with pytest.raises(
        InputError, match="Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'"
    ) as e:
        identity(T.TENSOR)("a")
    assert "Position: 0" in str(e.value) and "Value: 'a'" in str(e.value)
    with pytest.raises(InputError, match=r"at \[1\] expected 'int' but found 'str'"):
        identity(T.ListType(T.INT))([1, "a"])


def test_defaults_are_fresh() -> None:
    f = identity(T.ListType(T.INT), [1])
    f().append(2)
    assert f() == [1]


def test_keyword_only() -> None:
    f = identity(T.INT, kwarg_only=True)
    assert f(x=1) == 1
    assert f.declaration() == "f(*, int x) -> int"
    with pytest.raises(InputError, match="at most 0"):
        f(1)


POINT = T.NamedTupleType((T.INT, T.FLOAT), "__torch__.Point", ("a", "b"))
COLOR = T.EnumType("__torch__.Color", T.INT, {"RED": 1, "BLUE": 2})
ACCEPTED: list[tuple[T.Type, Any, Any]] = [
    (T.INT, True, 1),
    (T.INT, np.int64(3), 3),
    (T.INT, dtypes.float32, 6),
    (T.INT, from_numpy(np.array(4)), 4),
    (T.FLOAT, 3, 3.0),
    (T.FLOAT, True, 1.0),
    (T.FLOAT, np.float32(0.5), 0.5),
    (T.FLOAT, from_numpy(np.array(4)), 4.0),
    (T.BOOL, 2, True),
    (T.COMPLEX, 2, 2 + 0j),
    (T.NUMBER, 2.5, 2.5),
    (T.STRING, "a", "a"),
    (T.NONE, None, None),
    (T.DEVICE, "cuda:1", Device("cuda", 1)),
    (T.optional(T.FLOAT), 1, 1.0),
    (T.optional(T.FLOAT), None, None),
    (T.ListType(T.FLOAT), (1, 2), [1.0, 2.0]),
    (T.ListType(T.INT), np.array([1, 2]), [1, 2]),
    (T.DictType(T.STRING, T.FLOAT), {"a": 1}, {"a": 1.0}),
    (T.TupleType((T.INT, T.STRING)), (1, "a"), (1, "a")),
    (T.TupleType((T.INT, T.FLOAT)), [1, 2], (1, 2.0)),
    (T.union((T.INT, T.STRING)), "a", "a"),
    (T.union((T.FLOAT, T.ListType(T.INT))), [1], [1]),
    (T.ANY, [1, 2], [1, 2]),
    (T.ANY, {"a": (1, None)}, {"a": (1, None)}),
    (T.ANY, dtypes.int64, 4),
    (T.ListType(T.TupleType((T.INT, T.FLOAT))), [(1, 2)], [(1, 2.0)]),
]
REFUSED: list[tuple[T.Type, Any]] = [
    (T.INT, 1.5),
    (T.INT, "1"),
    (T.INT, None),
    (T.INT, tensor(1.0, 2.0)),
    (T.FLOAT, 1j),
    (T.FLOAT, "1"),
    (T.BOOL, "x"),
    (T.STRING, 1),
    (T.TENSOR, 1.0),
    (T.TENSOR, [1.0]),
    (T.TENSOR, np.array(["a"])),
    (T.NONE, 0),
    (T.DEVICE, "nonsense"),
    (T.ListType(T.INT), [1.5]),
    (T.ListType(T.TENSOR), tensor(1.0)),
    (T.ListType(T.STRING), "abc"),
    (T.DictType(T.STRING, T.INT), {1: 1}),
    (T.DictType(T.STRING, T.INT), [1]),
    (T.TupleType((T.INT, T.INT)), (1, 2, 3)),
    (T.union((T.INT, T.STRING)), [1]),
    (T.ANY, [1, "a"]),
    (T.ANY, object()),
    (COLOR, 1),
    (POINT, (1,)),
]


@pytest.mark.parametrize(("kind", "value", "wanted"), ACCEPTED, ids=lambda v: str(v)[:30])
def test_accepted(kind: T.Type, value: Any, wanted: Any) -> None:
    got = convert(value, kind, "f(): argument 'x'")
    assert got == wanted and type(got) is type(wanted)


@pytest.mark.parametrize(("kind", "value"), REFUSED, ids=lambda v: "object" if type(v) is object else str(v)[:30])
def test_refused(kind: T.Type, value: Any) -> None:
    with pytest.raises(InputError, match=r"f\(\): argument 'x': expected a value of type"):
        convert(value, kind, "f(): argument 'x'")


def test_arrays_of_others_become_tensors() -> None:
    array = np.zeros((2, 3), np.float32)
    got = convert(array, T.TENSOR, "x")
    assert isinstance(got, Tensor) and np.shares_memory(got.numpy(), array)
    parameter = TensorParameter(tensor(1.0))
    assert convert(parameter, T.TENSOR, "x") is parameter

    class Other:
        def __dlpack__(self, **options: Any) -> Any:
            return array.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return array.__dlpack_device__()

    assert np.shares_memory(convert(Other(), T.TENSOR, "x").numpy(), array)


def test_lists_are_copied_both_ways() -> None:
    f = identity(T.ListType(T.INT))
    given = [1, 2]
    got = f(given)
    assert got == given and got is not given


def test_named_tuples_and_enums_keep_their_class() -> None:
    made = identity(POINT)(namedtuple("Other", "a b")(1, 2))
    assert made._fields == ("a", "b") and made == (1, 2.0) and type(made).__name__ == "Point"
    assert objects.namedtuple_class(POINT) is type(made)
    red = objects.enum_member(COLOR, 1)
    assert red.name == "RED" and identity(COLOR)(red) is red
    import enum

    other = enum.Enum("Color", {"RED": 1, "BLUE": 2})
    assert identity(COLOR)(other.BLUE) is objects.enum_member(COLOR, 2)


def test_python_instances_convert_by_their_attributes() -> None:
    cls = T.ClassType("__torch__.Pair", attributes={"a": T.INT, "b": T.FLOAT})

    class Pair:
        a, b = 1, 2

    got = convert(Pair(), cls, "x")
    assert isinstance(got, ScriptObject) and got.slots == {"a": 1, "b": 2.0}

    class Other:
        a, b = 1, 2

    with pytest.raises(InputError):
        convert(Other(), cls, "x")


def test_futures() -> None:
    done = Future.run(lambda: 1)
    assert done.done() and done.wait() == done.value() == 1
    assert done.then(lambda f: f.wait() + 1).wait() == 2
    failed = Future.run(lambda: 1 / 0)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            failed.wait()


# -- exceptions --------------------------------------------------------------------------------------------------------
SOURCE = Source("def forward(x):\n    return x[5]\n", "model.py")


def raising(message: str, name: str | None) -> Executor:
    graph = Graph("f")
    b = Builder(graph, Span(SOURCE, 2, 4, 2, 15))
    b.node("prim::RaiseException", (b.constant(message), b.constant(name)))
    graph.add_output(b.value("prim::Uninitialized", (), T.INT))
    return executor_of(Function.of("__torch__.f", Signature((), T.INT), graph))


@pytest.mark.parametrize(
    ("name", "also"),
    [
        ("builtins.ValueError", ValueError),
        ("KeyError", KeyError),
        ("builtins.Exception", Exception),
        ("builtins.OSError", OSError),
    ],
)
def test_programs_raise_the_exception_they_name(name: str, also: type[Exception]) -> None:
    with pytest.raises(RaisedError) as error:
        raising("what happened", name)()
    assert isinstance(error.value, also)
    assert str(error.value) == "what happened"


def test_unknown_exception_classes_keep_their_name() -> None:
    for _ in range(2):
        with pytest.raises(RaisedError, match="oh") as error:
            raising("oh", "__main__.MyError")()
        assert type(error.value).__name__ == "MyError" and type(error.value).__module__ == "__main__"


def test_assertions_of_programs_are_assertion_errors() -> None:
    with pytest.raises(AssertionError, match=r"^no"):
        raising("AssertionError: no", None)()


def test_errors_show_the_users_line() -> None:
    f = binary("aten::__getitem__.t", T.ListType(T.INT), T.INT, span=Span(SOURCE, 2, 11, 2, 15))
    with pytest.raises(IndexError) as error:
        f([1], 5)
    (note,) = error.value.__notes__
    assert 'File "model.py", line 2, column 12, in f' in note
    assert "    return x[5]\n           ^^^^" in note
    frames = []
    trace = error.value.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    assert not any(name.startswith("<linstock") for name in frames)


@pytest.mark.parametrize("optimise", [True, False])
def test_errors_show_the_calls_that_led_to_them(optimise: bool) -> None:
    inner = binary("aten::__getitem__.t", T.ListType(T.INT), T.INT, span=Span(SOURCE, 2, 11, 2, 15)).function
    caller_source = Source("def g(x):\n    return f(x)\n", "caller.py")
    graph = Graph("g")
    x = graph.add_input(T.ListType(T.INT), "x")
    b = Builder(graph, Span(caller_source, 2, 11, 2, 15))
    call = (b.constant(inner, T.FunctionType(inner)), x, b.constant(5))
    graph.add_output(b.value("prim::CallFunction", call, T.INT))
    g = executor_of(Function.of("__torch__.g", Signature((Parameter("x", x.type),), T.INT), graph))
    with optimized_execution(optimise), pytest.raises(IndexError) as error:
        g([1])
    note = error.value.__notes__[0]
    assert note.index('"caller.py", line 2') < note.index('"model.py", line 2')
