"""What a check tells about a type: None checks, isinstance, assert, early returns."""

from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor


@case(3, (None,))
def is_none(x: Optional[int]) -> int:
    if x is None:
        y = 0
    else:
        y = x + 1
    return y


@case(3, (None,))
def is_not_none(x: Optional[int]) -> int:
    y = 0
    if x is not None:
        y = x + 1
    return y


@case(3, (None,))
def assigned_if_none(x: Optional[int]) -> int:
    if x is None:
        x = 7
    return x * 2


@case(3)
def by_assert(x: Optional[int]) -> int:
    assert x is not None
    return x + 1


@case((None,))
def assert_fails(x: Optional[int]) -> int:
    assert x is not None, "x must be given"
    return x + 1


@case(3, (None,))
def early_return(x: Optional[int]) -> int:
    if x is None:
        return -1
    return x + 1


@case(3, (None,))
def early_raise(x: Optional[int]) -> int:
    if x is None:
        raise ValueError("x is missing")
    return x + 1


@case((3, 4), (None, 4), (3, None), (None, None))
def conjunction(x: Optional[int], y: Optional[int]) -> int:
    if x is not None and y is not None:
        return x + y
    return -1


@case((3, 4), (None, 4), (3, None))
def disjunction(x: Optional[int], y: Optional[int]) -> int:
    if x is None or y is None:
        return -1
    return x + y


@case(3, 30, (None,))
def used_in_the_same_condition(x: Optional[int]) -> bool:
    return x is not None and x > 10


@case(3, 30, (None,))
def used_in_the_same_or(x: Optional[int]) -> bool:
    return x is None or x > 10


@case(3, (None,))
def negated(x: Optional[int]) -> int:
    if x is not None:
        return x
    return 0


@case((3, 4), (None, 4), (3, None))
def negated_or(x: Optional[int], y: Optional[int]) -> int:
    if not (x is None or y is None):
        return x * y
    return 0


@case(3, (None,))
def ternary(x: Optional[int]) -> int:
    y = x if x is not None else 5
    return y + (0 if x is None else x)


@case(3, (None,))
def in_loop(x: Optional[int]) -> int:
    total = 0
    for i in range(3):
        if x is None:
            continue
        total += x + i
    return total


@case(([1, None, 3],))
def elements(xs: List[Optional[int]]) -> int:
    total = 0
    for x in xs:
        if x is not None:
            total += x
    return total


@case(([1, None, 3],))
def element_through_variable(xs: List[Optional[int]]) -> int:
    first = xs[0]
    assert first is not None
    return first


@case({"a": 1}, {"b": 2})
def dict_get(d: Dict[str, int]) -> int:
    found = d.get("a")
    if found is None:
        return -1
    return found


@case(torch.ones(2), (None,))
def tensors(x: Optional[Tensor]) -> Tensor:
    if x is None:
        x = torch.zeros(3)
    return x + 1


@case((torch.ones(2), torch.ones(2)), (torch.ones(2), None))
def optional_passed_on(x: Tensor, y: Optional[Tensor] = None) -> Tensor:
    return add_if_there(x, y)


def add_if_there(x: Tensor, y: Optional[Tensor]) -> Tensor:
    if y is not None:
        x = x + y
    return x


@case(3, "a", (None,))
def union_by_isinstance(x: Union[int, str, None]) -> int:
    if isinstance(x, str):
        return len(x)
    elif isinstance(x, int):
        return x
    return 0


@case(3, 2.5)
def union_not_isinstance(x: Union[int, float]) -> float:
    if not isinstance(x, int):
        return x * 2
    return float(x)


@case(3, "a", 2.5)
def isinstance_of_several(x: Union[int, str, float]) -> str:
    if isinstance(x, (int, float)):
        return "number"
    return x


@case(3)
def isinstance_assert(x: Union[int, str]) -> int:
    assert isinstance(x, int)
    return x + 1


@case(([1, 2],), ({"a": 1},))
def isinstance_of_containers(x: Any) -> int:
    if torch.jit.isinstance(x, List[int]):
        return len(x) + x[0]
    if torch.jit.isinstance(x, Dict[str, int]):
        return x["a"] + 10
    return -1


@case((torch.ones(2),), ([torch.ones(2), torch.zeros(2)],))
def tensor_or_list(x: Union[Tensor, List[Tensor]]) -> Tensor:
    if isinstance(x, Tensor):
        return x
    total = x[0]
    for t in x:
        total = total + t
    return total


class Holder(nn.Module):
    def __init__(self, size: Optional[int] = None) -> None:
        super().__init__()
        self.size = size
        self.weight: Optional[Tensor] = None
        self.cache: Optional[Tensor] = torch.ones(2)

    def forward(self, x: Tensor) -> Tensor:
        size = self.size
        if size is not None:
            x = x * size
        weight = self.weight
        if weight is not None:
            x = x * weight
        if self.cache is not None:
            x = x + 1
        cache = self.cache
        assert cache is not None
        return x + cache


@case(torch.ones(2))
class Attributes(Holder):
    pass


@case(torch.ones(2))
class AttributesGiven(Holder):
    def __init__(self) -> None:
        super().__init__(3)
        self.weight = torch.full((2,), 2.0)


class Result(NamedTuple):
    value: Tensor
    extra: Optional[Tensor] = None


@case((torch.ones(2), True), (torch.ones(2), False))
def optional_field(x: Tensor, more: bool) -> Tensor:
    r = Result(x, x + 1) if more else Result(x)
    extra = r.extra
    if extra is not None:
        return extra
    return r.value


@case((torch.ones(2), 1), (torch.ones(2), 3))
def while_none(x: Tensor, n: int) -> Tensor:
    found: Optional[Tensor] = None
    i = 0
    while found is None:
        i += 1
        if i >= n:
            found = x * i
    return found


@case(2, (None,))
def none_from_call(x: Optional[int]) -> int:
    y = maybe(x)
    z = unwrap(y)
    return z


def maybe(x: Optional[int]) -> Optional[int]:
    if x is None:
        return None
    return x + 1


def unwrap(x: Optional[int]) -> int:
    return x if x is not None else -5


@case((1, 2), (None, 2), (1, None))
def walrus_free_chain(x: Optional[int], y: Optional[int]) -> Tuple[int, int]:
    if x is None:
        x = 10
    elif y is None:
        y = 20
    if y is None:
        y = 30
    return x, y


@case(([1, 2],), (None,))
def truth_of_optional_list(x: Optional[List[int]]) -> int:
    if x is not None and len(x) > 0:
        return x[-1]
    return 0


@case(3, (None,))
def is_with_booleans(x: Optional[int]) -> bool:
    missing = x is None
    return not missing


class Cached(nn.Module):
    cache: Optional[Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.cache = None
        self.limit: Optional[int] = None


@case(torch.ones(2))
class AttributePaths(Cached):
    """A check of an attribute holds until it is assigned."""

    def forward(self, x: Tensor) -> Tensor:
        if self.cache is None:
            self.cache = x * 2
        y = self.cache + 1
        if self.cache is not None and self.cache.size(0) > 1:
            y = y + self.cache
        self.cache = None if y.size(0) > 100 else y
        assert self.cache is not None
        for i in range(3):
            if self.cache is not None:
                y = y + self.cache.sum()
            if i == 1:
                self.cache = None
        return y if self.cache is None else self.cache


class Chain:
    def __init__(self, value: Optional[int]) -> None:
        self.value = value


@case(3, (None,))
def attributes_of_objects(n: Optional[int]) -> int:
    c = Chain(n)
    if c.value is not None:
        total = c.value + 1
        c = Chain(None)
        if c.value is None:
            total += 100
        return total
    c.value = 7
    return c.value * 2


@case({"a": 1}, {"b": 1})
def walrus(d: Dict[str, int]) -> int:
    if (found := d.get("a")) is not None:
        return found + 1
    n = 3
    while (m := n * 2) < 20:
        n = m
    return n
