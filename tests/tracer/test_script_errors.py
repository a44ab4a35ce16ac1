"""What cannot be compiled says so in English, at the user's line, and says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, List

import pytest

import linstock as torch
from linstock import nn
from linstock.jit import CompileError, script

Tensor = torch.Tensor
OUTSIDE = torch.ones(2)
MODULE = nn.Linear(2, 2)


def refused(program: Any, *words: str) -> str:
    """The message of the refusal; every text of `words` is in it, and so are file, line, and carets."""
    with pytest.raises(CompileError) as caught:
        script(program)
    text = str(caught.value)
    for word in words:
        assert re.search(word, text), f"{word!r} is not in:\n{text}"
    assert "test_script_errors.py" in text, text
    assert re.search(r"line \d+", text), text
    assert "^" in text, text
    return text


# -- statements --------------------------------------------------------------------------------------------------------
def with_try(x: Tensor) -> Tensor:
    try:
        return x + 1
    except ValueError:
        return x


def with_global(x: Tensor) -> Tensor:
    global OUTSIDE
    return x


def with_import(x: Tensor) -> float:
    import math

    return math.pi


def with_yield(x: Tensor):
    yield x


def with_class(x: Tensor) -> Tensor:
    class Inner:
        pass

    return x


def with_match(n: int) -> int:
    match n:
        case 1:
            return 2
    return 3


def with_loop_else(n: int) -> int:
    for _ in range(n):
        pass
    else:
        n = 3
    return n


def bare_raise(n: int) -> int:
    raise


def raises_object(n: int) -> int:
    raise n


def break_outside() -> Callable[..., Any]:
    def f(x: Tensor) -> Tensor:
        return x

    return f


async def coroutine(x: Tensor) -> Tensor:
    return x


@pytest.mark.parametrize(
    "program, words",
    [
        (with_try, ("'try' cannot be compiled", "check the condition first with `if`")),
        (with_global, ("'global'", "pass values in and return them")),
        (with_import, ("'import' inside a function", "at the top")),
        (with_yield, ("'yield'", "return it")),
        (with_class, ("a class inside a function", "top of the module")),
        (with_match, ("'match'", "if")),
        (with_loop_else, ("'else' of a loop",)),
        (bare_raise, ("'raise' without an exception",)),
        (raises_object, ("'raise' takes an exception class",)),
    ],
)
def test_statements(program: Any, words: tuple[str, ...]) -> None:
    refused(program, *words)


def test_coroutine() -> None:
    with pytest.raises(CompileError, match="async function"):
        script(coroutine)


# -- expressions -------------------------------------------------------------------------------------------------------
def undefined(x: Tensor) -> Tensor:
    return x + missing


def undefined_near(value: Tensor) -> Tensor:
    return valu + 1


def generator_argument(xs: list[int]) -> int:
    return sum(x for x in xs)


def set_literal(x: int) -> bool:
    return x in {1, 2}


def inner_lambda(x: Tensor) -> Tensor:
    f = [1]
    f.sort(key=lambda v: v)
    return x


def byte_string(x: Tensor) -> Tensor:
    y = b"abc"
    return x


def big(x: Tensor) -> int:
    return 99999999999999999999


def formatted(x: float) -> str:
    return f"{x:.2f}"


def star_kwargs(x: Tensor, options: dict[str, int]) -> Tensor:
    return torch.sum(x, **options)


def star_list(x: Tensor, items: list[int]) -> int:
    return max(*items)


def dict_unpack(d: dict[str, int]) -> dict[str, int]:
    return {**d, "a": 1}


def two_fors(xs: list[int]) -> list[int]:
    return [x * y for x in xs for y in xs if y]


def awaited(x: Tensor) -> Tensor:
    return x if x > (yield) else x


def unknown_operator(x: Tensor) -> Tensor:
    return torch.ops.aten.ad(x)


def unknown_function(x: Tensor) -> Tensor:
    return torch.concatt([x])


def unknown_method(x: Tensor) -> Tensor:
    return x.summ()


def string_slice_assign(xs: list[int]) -> list[int]:
    xs[0:1] = [1]
    return xs


def assign_to_call(x: Tensor) -> Tensor:
    x.sum().foo = 1
    return x


@pytest.mark.parametrize(
    "program, words",
    [
        (undefined, ("undefined value 'missing'",)),
        (undefined_near, ("undefined value 'valu'", "value")),
        (set_literal, ("a set",)),
        (inner_lambda, ("lambda",)),
        (byte_string, ("bytes cannot be compiled", "uint8 tensor")),
        (big, ("does not fit into 64 bits",)),
        (formatted, ("format specification", r"'\.2f'")),
        (star_kwargs, (r"'\*\*' arguments", "write the keyword arguments out")),
        (star_list, ("starred argument must be a tuple",)),
        (dict_unpack, (r"'\*\*' in a dictionary",)),
        (two_fors, ("more than one 'for'", "write the loops out")),
        (unknown_operator, ("ad", "add")),
        (unknown_function, ("has no attribute 'concatt'", "concat")),
        (unknown_method, ("no attribute or method 'summ'", "sum")),
        (string_slice_assign, ("assignment to a slice",)),
        (assign_to_call, ("attributes of a value of type 'Tensor' cannot be set",)),
    ],
)
def test_expressions(program: Any, words: tuple[str, ...]) -> None:
    refused(program, *words)


# -- names from outside ------------------------------------------------------------------------------------------------
class Plain:
    def __init__(self) -> None:
        self.thing = object()


PLAIN = Plain()


def outside_tensor(x: Tensor) -> Tensor:
    return x + OUTSIDE


def outside_module(x: Tensor) -> Tensor:
    return MODULE(x)


def outside_object(x: Tensor) -> Tensor:
    return x + PLAIN.thing


def builtin_without_meaning(x: Tensor) -> Tensor:
    return eval("x")


def makes_module(x: Tensor) -> Tensor:
    return nn.Linear(2, 2)(x)


def uses_os(x: Tensor) -> str:
    return re.escape("a")


@pytest.mark.parametrize(
    "program, words",
    [
        (outside_tensor, ("a tensor from outside", "pass it as an argument")),
        (outside_module, ("a module .Linear. from outside", "attribute of the scripted module")),
        (builtin_without_meaning, ("the built-in function 'eval' cannot be compiled",)),
        (makes_module, ("a module .Linear. cannot be made in a scripted program", "__init__")),
    ],
)
def test_names_from_outside(program: Any, words: tuple[str, ...]) -> None:
    refused(program, *words)


# -- signatures --------------------------------------------------------------------------------------------------------
def variable(*args: Tensor) -> Tensor:
    return args[0]


def keywords(**kwargs: Tensor) -> Tensor:
    return kwargs["a"]


def unknown_type(x: Nonsense) -> Tensor:  # type: ignore[name-defined]
    return x


def bare_list(x: List) -> int:  # type: ignore[type-arg]
    return len(x)


def any_tuple(x: tuple[int, ...]) -> int:
    return x[0]


def callable_type(f: Callable[[int], int]) -> int:
    return f(1)


def bad_key(x: dict[list[int], int]) -> int:  # type: ignore[type-var]
    return 1


def unsupported_class(x: re.Pattern) -> int:  # type: ignore[type-arg]
    return 1


@pytest.mark.parametrize(
    "program, words",
    [
        (variable, (r"'\*args' cannot be compiled", "fixed number of arguments", "pass a list")),
        (keywords, (r"'\*\*kwargs' cannot be compiled",)),
        (unknown_type, ("unknown type name 'Nonsense'",)),
        (bare_list, ("List without a contained type",)),
        (any_tuple, ("a tuple of any length", "use List")),
        (callable_type, ("Callable",)),
        (bad_key, ("dictionary's key cannot be of type",)),
        (unsupported_class, ("Pattern",)),
    ],
)
def test_signatures(program: Any, words: tuple[str, ...]) -> None:
    refused(program, *words)


# -- types -------------------------------------------------------------------------------------------------------------
def wrong_return(x: Tensor) -> int:
    return x.size()


def missing_return(n: int) -> int:
    if n > 0:
        return 1


def different_returns(n: int):
    if n > 0:
        return 1
    return "a"


def different_branches(n: int) -> int:
    if n > 0:
        y = 1
    else:
        y = "a"
    return len(y)


def only_one_branch(n: int) -> int:
    if n > 0:
        y = 1
    return y


def only_in_loop(n: int) -> int:
    for i in range(n):
        y = i
    return y


def changes_in_loop(n: int) -> int:
    y = 1
    for _ in range(n):
        y = "a"
    return len(y)


def wrong_annotation(n: int) -> int:
    y: str = n
    return 1


def wrong_argument(x: Tensor) -> Tensor:
    return torch.add(x, "a")


def wrong_function_argument(x: Tensor) -> int:
    return wants_int("a")


def wants_int(n: int, k: int = 1) -> int:
    return n


def too_many(x: Tensor) -> int:
    return wants_int(1, 2, 3)


def missing_argument(x: Tensor) -> int:
    return wants_int()


def unknown_keyword(x: Tensor) -> int:
    return wants_int(1, z=2)


def twice(x: Tensor) -> int:
    return wants_int(1, n=2)


def optional_used(x: int | None) -> int:
    return x + 1


def optional_method(x: Tensor | None) -> Tensor:
    return x.sum()


def union_used(x: int | str) -> int:
    return x + 1


def mixed_list() -> int:
    return len([1, "a"])


def empty_list_of_ints(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        out.append(x)
    return out


def tuple_index(i: int) -> int:
    return (1, "a")[i]


def tuple_range() -> int:
    return (1, 2)[5]


def unpack_count() -> int:
    a, b = (1, 2, 3)
    return a + b


def not_iterable(n: int) -> int:
    for i in n:
        return i
    return 0


def not_callable(n: int) -> int:
    return n(1)


def not_subscriptable(n: int) -> int:
    return n[0]


def not_a_condition(n: int | None) -> int:
    if n:
        return 1
    return 0


def ternary(n: int):
    return 1 if n > 0 else "a"


def raw_tolist(x: Tensor) -> int:
    y = x.tolist()
    return 1


def attribute_of_int(n: int) -> int:
    return n.real_part


def add_list(xs: list[int], ys: list[str]) -> int:
    return len(xs + ys)


def deleted(n: int) -> int:
    del n
    return n


def shadow(n: int) -> float:
    return undefined_call(n)


@pytest.mark.parametrize(
    "program, words",
    [
        (wrong_return, ("annotated as having type int but is actually of type List.int.",)),
        (missing_return, ("missing|may end without a return|NoneType",)),
        (different_returns, ("Previous return statement returned a value of type int", "str")),
        (
            different_branches,
            ("Type mismatch: y is set to type int in the true branch and type str in the false branch",),
        ),
        (only_one_branch, ("'y' is not defined in the false branch",)),
        (only_in_loop, ("'y' is only defined inside the loop", "define it before the loop")),
        (changes_in_loop, ("Variable 'y' previously had type int", "str")),
        (wrong_annotation, ("Variable 'y' is annotated with type str", "int")),
        (
            wrong_argument,
            ("'add' exists with these signatures", "expected a value of type 'Tensor' for argument 'other'"),
        ),
        (wrong_function_argument, (r"wants_int\(\) expected a value of type 'int' for argument 'n'", "'str'")),
        (too_many, (r"wants_int\(\) takes 2 positional arguments but 3 were given",)),
        (missing_argument, ("missing a value for argument 'n'", r"wants_int\(int n")),
        (unknown_keyword, ("unexpected keyword argument 'z'",)),
        (twice, ("multiple values for argument 'n'",)),
        (optional_used, ("Optional.int.",)),
        (optional_method, ("has no attribute or method 'sum'", "`if x is not None:`")),
        (union_used, ("Union.int, str.",)),
        (mixed_list, ("elements of a list must have one type", "int, str")),
        (empty_list_of_ints, ("append", "List|annotate|int")),
        (tuple_index, ("must be a constant",)),
        (tuple_range, ("out of range for a tuple of 2",)),
        (unpack_count, ("need 2 values to unpack, but 3 were provided",)),
        (not_iterable, ("'int' object is not iterable",)),
        (not_callable, ("cannot be called",)),
        (not_subscriptable, ("'int' object is not subscriptable",)),
        (not_a_condition, (r"Could not cast value of type Optional.int. to bool", "x is not None")),
        (ternary, ("int and str",)),
        (raw_tolist, ("needs an annotation",)),
        (attribute_of_int, ("'int' object has no attribute or method 'real_part'",)),
        (deleted, ("'n' was deleted",)),
        (shadow, ("undefined value 'undefined_call'",)),
    ],
)
def test_types(program: Any, words: tuple[str, ...]) -> None:
    refused(program, *words)


# -- classes and modules -----------------------------------------------------------------------------------------------
class UnknownAttribute(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * self.scal


class WrongAssignment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = 1

    def forward(self, x: Tensor) -> Tensor:
        self.n = "a"
        return x


class NewAttribute(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        self.fresh = x
        return x


class Unconvertible(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pattern = re.compile("a")
        self.mixed = [1, "a"]
        self.empty = []

    def forward(self, x: Tensor) -> Tensor:
        if self.pattern is None:
            return x
        return x


class UsesMixed(Unconvertible):
    def forward(self, x: Tensor) -> Tensor:
        return x + len(self.mixed)


class UsesEmpty(Unconvertible):
    def forward(self, x: Tensor) -> Tensor:
        return x + len(self.empty)


class OutOfRange(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2)])

    def forward(self, x: Tensor) -> Tensor:
        return self.layers[3](x)


class DynamicIndex(OutOfRange):
    def forward(self, x: Tensor, i: int = 0) -> Tensor:
        return self.layers[i](x)


class MissingKey(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({"a": nn.Linear(2, 2)})

    def forward(self, x: Tensor) -> Tensor:
        return self.layers["b"](x)


class Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = UnknownAttribute()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


class BadInit:
    def __init__(self) -> None:
        self.n = 1

    def set(self) -> None:
        self.m = 2


def uses_bad_init(n: int) -> int:
    b = BadInit()
    b.set()
    return b.n


def not_a_context(x: Tensor) -> Tensor:
    with BadInit():
        return x


@pytest.mark.parametrize(
    "program, words",
    [
        (UnknownAttribute, ("Module 'UnknownAttribute' has no attribute 'scal'",)),
        (WrongAssignment, ("expected a value of type 'int' for attribute 'n' but instead got 'str'",)),
        (NewAttribute, ("nonexistent attribute 'fresh'", "__init__")),
        (Unconvertible, ("no attribute 'pattern'", "'Pattern' has no type in TorchScript")),
        (UsesMixed, ("no attribute 'mixed'", "different types")),
        (UsesEmpty, ("no attribute 'empty'", "annotate the attribute")),
        (OutOfRange, ("index 3 is out of range for a container of 1",)),
        (DynamicIndex, ("constant|interface",)),
        (MissingKey, ("key 'b' is not in this ModuleDict", "it has a")),
        (Deep, ("has no attribute 'scal'", "in forward|called from|Traceback of the program|line")),
        (uses_bad_init, ("nonexistent attribute 'm'",)),
        (not_a_context, ("not a context manager", "__enter__ and __exit__")),
    ],
)
def test_classes_and_modules(program: Any, words: tuple[str, ...]) -> None:
    refused(program() if isinstance(program, type) else program, *words)


# -- recursion, source -------------------------------------------------------------------------------------------------
def recursive(n: int) -> int:
    return recursive(n - 1) if n > 0 else 0


def test_recursion() -> None:
    refused(recursive, "'recursive' calls itself", "recursion")


def test_no_source() -> None:
    scope: dict[str, Any] = {}
    exec("def f(x):\n    return x", scope)
    with pytest.raises(CompileError, match="source of 'f' cannot be found"):
        script(scope["f"])


def test_module_class_instead_of_instance() -> None:
    with pytest.raises(CompileError, match="script an instance"):
        script(UnknownAttribute)


def test_not_scriptable() -> None:
    with pytest.raises(CompileError, match="cannot script a int"):
        script(3)


def test_message_shows_the_expression() -> None:
    text = refused(optional_used, "Optional")
    assert "return x + 1" in text
    line = text.split("\n")
    at = next(i for i, row in enumerate(line) if "return x + 1" in row)
    assert line[at + 1].strip() == "^^^^^"
    assert line[at + 1].index("^") == line[at].index("x + 1")


# -- while it runs -----------------------------------------------------------------------------------------------------
class OwnError(ValueError):
    pass


def raises_named(n: int) -> int:
    if n == 0:
        raise ValueError("n is 0")
    if n == 1:
        raise KeyError(f"no {n}")
    if n == 2:
        raise OwnError("own", n)
    if n == 3:
        raise NotImplementedError
    assert n > 4, "n must be larger"
    return n


@pytest.mark.parametrize(
    "n, kind, text",
    [
        (0, ValueError, "n is 0"), (1, KeyError, "no 1"), (2, torch.jit.Error, "own"), (3, NotImplementedError, ""),
        (4, AssertionError, "n must be larger"),
    ],
)  # fmt: skip
def test_raised_exceptions(n: int, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        script(raises_named)(n)
    assert text in str(caught.value)
    notes = "\n".join(caught.value.__notes__)
    assert "test_script_errors.py" in notes and "in raises_named" in notes


def calls_raising(n: int) -> int:
    return raises_named(n) + 1


def test_traceback_shows_both_functions() -> None:
    with pytest.raises(ValueError, match="n is 0") as caught:
        script(calls_raising)(0)
    notes = "\n".join(caught.value.__notes__)
    assert "return raises_named(n) + 1" in notes and 'raise ValueError("n is 0")' in notes


def wrong_shapes(x: Tensor, y: Tensor) -> Tensor:
    return x @ y


def test_operator_errors_show_the_line() -> None:
    with pytest.raises(RuntimeError) as caught:
        script(wrong_shapes)(torch.ones(2, 3), torch.ones(2, 3))
    assert "return x @ y" in "\n".join(caught.value.__notes__)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ((), "missing value for argument 'n'"), (("a",), "Expected a value of type 'int' for argument 'n'"),
        ((1, 2, 3), "at most 2 argument"),
    ],
)  # fmt: skip
def test_wrong_calls(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        script(wants_int)(*arguments)
