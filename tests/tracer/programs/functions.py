"""Calls: functions of other functions, defaults, closures, lambdas, recursion into other modules, fork, ignore."""

import functools
from typing import Any, Callable, Dict, List, Optional, Tuple

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor
SCALE = 3
NAMES = ["a", "b"]
SIZES = (2, 3)
RATE = 0.5


def double(x: Tensor) -> Tensor:
    return x * 2


def with_defaults(
    x: Tensor,
    n: int = 2,
    f: float = 0.5,
    flag: bool = True,
    name: Optional[str] = None,
    sizes: Tuple[int, int] = (1, 2),
) -> Tensor:
    if name is not None:
        x = x + len(name)
    if flag:
        x = x * sizes[1]
    return x * n + f


@case(torch.ones(2))
def calls(x: Tensor):
    return (
        double(double(x)),
        with_defaults(x),
        with_defaults(x, 3),
        with_defaults(x, f=1),
        with_defaults(x, flag=False, name="abc", n=4),
    )


@case(torch.ones(2))
def keywords(x: Tensor) -> Tensor:
    return with_defaults(n=2, x=x, sizes=(3, 4))


@case(torch.ones(2))
def globals_are_constants(x: Tensor):
    n = 0
    for name in NAMES:
        n += len(name)
    return x * SCALE + RATE, n, SIZES[0], [s for s in SIZES]


def made(factor: int) -> Callable[[Tensor], Tensor]:
    def scaled(x: Tensor) -> Tensor:
        return x * factor + helper(x)

    def helper(x: Tensor) -> Tensor:
        return x + factor

    return scaled


scaled_by_four = made(4)


@case(torch.ones(2))
def closures(x: Tensor) -> Tensor:
    return scaled_by_four(x)


square = lambda x: x * x  # noqa: E731


@case(torch.full((2,), 3.0))
def lambdas(x: Tensor) -> Tensor:
    return square(x)


def factorial_like(n: int) -> int:
    total = 1
    for i in range(1, n + 1):
        total *= i
    return total


@case(5)
def integers_through_functions(n: int) -> int:
    return factorial_like(n) + factorial_like(n - 1)


def several(x: Tensor) -> Tuple[Tensor, int, Dict[str, Tensor]]:
    return x, 3, {"x": x}


@case(torch.ones(2))
def several_results(x: Tensor):
    a, n, d = several(x)
    t = several(a)
    return d["x"] + n, t[1], t[2]["x"]


@case(torch.ones(2))
def lists_are_passed_by_reference(x: Tensor) -> List[int]:
    items = [1]
    extend(items)
    extend(items)
    return items


def extend(items: List[int]) -> None:
    items.append(len(items))


@case(torch.ones(2))
def forks(x: Tensor) -> Tensor:
    a = torch.jit.fork(double, x)
    b = torch.jit.fork(with_defaults, x, n=3)
    return torch.jit.wait(a) + torch.jit.wait(b)


@case(torch.ones(2))
def fork_list(x: Tensor) -> List[Tensor]:
    futures: List[torch.jit.Future[Tensor]] = []
    for i in range(3):
        futures.append(torch.jit.fork(double, x + i))
    return [torch.jit.wait(f) for f in futures]


class Forking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def helper(self, x: Tensor, n: int) -> Tensor:
        return self.layer(x) * n


@case(torch.ones(2))
class ForkMethods(Forking):
    def forward(self, x: Tensor) -> Tensor:
        a = torch.jit.fork(self.helper, x, 2)
        b = torch.jit.fork(self.layer, x)
        return torch.jit.wait(a) + b.wait()


@torch.jit.script
def scripted(x: Tensor, n: int) -> Tensor:
    return x * n


@case(torch.ones(2))
def calls_scripted(x: Tensor) -> Tensor:
    return scripted(x, 4)


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@decorated
def wrapped(x: Tensor) -> Tensor:
    return x + 5


@case(torch.ones(2))
def calls_wrapped(x: Tensor) -> Tensor:
    return wrapped(x)


@torch.jit.unused
def never(x: Tensor) -> Tensor:
    raise RuntimeError("not reached")


@case((torch.ones(2), 1))
def unused_branch(x: Tensor, n: int) -> Tensor:
    if n > 5:
        return never(x)
    return x


@case(torch.ones(2))
def scripting_differs(x: Tensor) -> Tensor:
    if torch.jit.is_scripting():
        return x * 2
    else:
        return double(x)


@case(torch.ones(2))
def python_only_code(x: Tensor) -> Tensor:
    if not torch.jit.is_scripting():
        import os

        print(os.name, *[1, 2])
    return x


def overload_like(x: Any) -> str:
    if isinstance(x, int):
        return "int"
    return "other"


@case(3)
def passes_any(n: int) -> List[str]:
    return [overload_like(n), overload_like("a")]


class FunctionAttributes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.activation = torch.relu
        self.helper = double
        self.other = nn.functional.silu

    def forward(self, x: Tensor) -> Tensor:
        return self.helper(self.activation(x)) + self.other(x)


@case(torch.tensor([-1.0, 1.0]))
class CallsAttributes(FunctionAttributes):
    pass


@case(([3, 1, 2],))
def mutual(xs: List[int]) -> int:
    return first(xs) + second(xs)


def first(xs: List[int]) -> int:
    return xs[0] + (second(xs) if len(xs) > 2 else 0)


def second(xs: List[int]) -> int:
    return xs[1]


@case((1, 2.0), (-1, 2.0))
def conditional_expressions(n: int, f: float):
    return n if n > 0 else -n, f if n > 0 else 0.0, "yes" if n else "no", (1 if f > 1 else 2) if n > 0 else 3


@case(torch.ones(1))
def print_something(x: Tensor) -> Tensor:
    print("value", 1, 2.5, True, [1, 2])
    return x


@case((1, 2))
def positional_only(a: int, /, b: int) -> int:
    return a * 10 + b
