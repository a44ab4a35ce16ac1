"""Annotations: every way to write a type, aliases, comments, defaults."""

import typing
from typing import Any, Dict, Final, List, Literal, NamedTuple, Optional, Tuple, Union

import linstock as torch
from tests.tracer.harness import case

Tensor = torch.Tensor
Ints = List[int]
Scores = Dict[str, List[float]]
MaybeInts = Optional[Ints]
LIMIT: Final[int] = 3


@case([1, 2, 3], [])
def builtin_list(x: list[int]) -> list[int]:
    return [v + 1 for v in x]


@case({"a": 1.5, "b": 2.0})
def builtin_dict(d: dict[str, float]) -> dict[str, int]:
    out: dict[str, int] = {}
    for k, v in d.items():
        out[k] = int(v)
    return out


@case(((1, "a"),))
def builtin_tuple(t: tuple[int, str]) -> tuple[str, int]:
    return t[1], t[0]


@case(3, (None,))
def new_optional(x: int | None) -> int:
    if x is None:
        return -1
    return x + 1


@case(3, "text")
def new_union(x: int | str) -> str:
    if isinstance(x, int):
        return str(x + 1)
    return x + "!"


@case(3, (None,), ())
def old_optional(x: Optional[int] = None) -> Optional[int]:
    return x


@case(3, 2.5, "text", ([1, 2],))
def old_union(x: Union[int, float, str, List[int]]) -> str:
    if isinstance(x, int):
        return "int"
    elif isinstance(x, float):
        return "float"
    elif isinstance(x, str):
        return "str " + x
    else:
        return "list " + str(len(x))


@case(torch.ones(2))
def no_annotations(x):
    y = x + 1
    return y * 2


@case((torch.ones(2), 3))
def result_is_inferred(x: Tensor, n: int):
    return x * n, n, [n], {"n": n}


@case((torch.ones(2), 2, 0.5))
def comment(x, n, scale=1.0):
    # type: (Tensor, int, float) -> Tuple[Tensor, float]
    return x * n, n * scale


@case((torch.ones(2), [1, 2]))
def comment_per_line(
    x,  # type: Tensor
    sizes,  # type: List[int]
):
    # type: (...) -> Tuple[Tensor, int]
    return x, len(sizes)


@case(([1, 2], {"a": [0.5]}, None), ([], {}, [4]))
def aliases(x: Ints, scores: Scores, more: MaybeInts) -> Tuple[int, int, int]:
    n = 0
    if more is not None:
        n = len(more)
    return len(x), len(scores), n


@case("left", "right")
def literal(side: Literal["left", "right"]) -> int:
    return 0 if side == "left" else 1


@case("1")
def literal_union(mode: "Literal['a', '1']" = "a") -> str:
    return mode * 2


@case((torch.ones(1), 2))
def quoted(x: "Tensor", n: "int") -> "List[Tensor]":
    return [x] * n


@case(torch.ones(1))
def qualified(x: torch.Tensor) -> typing.List[torch.Tensor]:
    return [x, x]


@case()
def any_values() -> List[str]:
    out: List[str] = []
    values: Tuple[Any, Any, Any] = (1, "a", [1.0])
    for v in values:
        if isinstance(v, int):
            out.append("int " + str(v))
        elif isinstance(v, str):
            out.append("str " + v)
        else:
            out.append("other")
    return out


@case(1, "a", ())
def any_argument(x: Any = None) -> bool:
    return isinstance(x, str)


@case(5)
def final_local(n: int) -> int:
    limit: Final[int] = 4
    return min(limit, n)


@case(5)
def final_global(n: int) -> int:
    return min(n, LIMIT)


@case(4)
def annotated_variables(n: int):
    a: float = 1.0
    b: Optional[int] = None
    c: List[Optional[int]] = [None, n]
    d: Dict[int, Tuple[int, float]] = {n: (n, a)}
    e: Tuple[Optional[str], int] = (None, n)
    f: Union[int, str] = n
    if n > 3:
        b = n
        f = "many"
    return a, b, c, d, e, f


@case(4)
def type_comments_on_variables(n: int):
    a = []  # type: List[int]
    a.append(n)
    b = {}  # type: Dict[int, str]
    b[n] = "x"
    c = None  # type: Optional[int]
    if n > 3:
        c = n
    return a, b, c


@case(4)
def annotate_call(n: int):
    a = torch.jit.annotate(List[int], [])
    a.append(n)
    b = torch.jit.annotate(Optional[int], None)
    c = torch.jit.annotate(Dict[str, Tensor], {})
    return a, b, len(c)


@case((1, 2.5, True, "s"))
def scalars(i: int, f: float, b: bool, s: str) -> Tuple[int, float, bool, str]:
    return i, f, b, s


@case(2j, 1 + 1j)
def complex_numbers(z: complex) -> Tuple[complex, float, complex]:
    return z * z + 1, abs(z), 1j - z


@case(("cpu",))
def devices(name: str) -> Tuple[torch.device, str, bool]:
    d = torch.device(name)
    return d, d.type, torch.zeros(1, device=d).device == d


@case(torch.ones(2))
def dtypes(x: Tensor, d: torch.dtype = torch.float64) -> Tuple[Tensor, bool, Tensor]:
    kind = x.dtype
    return x.to(d), kind == torch.float32, torch.zeros(1, dtype=kind)


class Pair(NamedTuple):
    first: Tensor
    second: Tensor


@case(torch.ones(2))
def named_tuple_result(x: Tensor) -> Pair:
    return Pair(x, second=x + 1)


@case(([1, 2], [3]))
def nested(x: List[int], y: List[int]) -> List[List[int]]:
    return [x, y, x + y]


@case(([(1, "a"), (2, "b")],))
def list_of_tuples(rows: List[Tuple[int, str]]) -> Dict[str, int]:
    out: Dict[str, int] = {}
    for n, name in rows:
        out[name] = n
    return out


@case(3, (None,))
def optional_of_union(x: Optional[Union[int, str]]) -> int:
    if x is None:
        return 0
    if isinstance(x, str):
        return len(x)
    return x


@case(((1, 2),))
def tuple_as_list(x: List[int]) -> int:
    return x[0] + len(x)


@case((1, 2))
def keyword_only(a: int, b: int = 3, *, c: int = 4) -> int:
    return helper(a, c=b) + c


def helper(a: int, *, c: int, d: float = 2.0) -> int:
    return a * 10 + c + int(d)


@case(torch.ones(3))
def empty_containers_take_their_type(x: Tensor):
    a = []
    a.append(x)
    b = {}
    b["x"] = x
    return a, b
