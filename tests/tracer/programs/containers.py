"""Lists, dictionaries, tuples: literals, methods, slices, unpacking, comprehensions."""

from typing import Dict, List, Optional, Tuple

import linstock as torch
from tests.tracer.harness import case

Tensor = torch.Tensor


@case(([3, 1, 2], 5))
def list_methods(x: List[int], n: int) -> List[int]:
    x.append(n)
    x.extend([7, 8])
    x.insert(0, 9)
    x.remove(1)
    last = x.pop()
    first = x.pop(0)
    x.reverse()
    y = x.copy()
    y.sort()
    x.append(x.index(n))
    x.append(x.count(5))
    x.append(last + first)
    x += y
    y.clear()
    return x + y


@case(([3, 1, 2],))
def list_operators(x: List[int]):
    return x + [1], x * 2, [0] * 3, x == [3, 1, 2], x != [1], 3 in x, 4 not in x, len(x), min(x), max(x), sum(x)


@case(([3, 1, 2],))
def sorting(x: List[int]) -> Tuple[List[int], List[int], List[int]]:
    a = sorted(x)
    b = x.copy()
    b.sort(reverse=True)
    return a, b, sorted(x, reverse=True)


@case(([0, 1, 2, 3, 4, 5],))
def list_slices(x: List[int]):
    return x[1:3], x[:2], x[3:], x[-2:], x[:-2], x[::2], x[1::2], x[::-1], x[4:1:-1], x[:], x[10:], x[-100:2]


@case(([0, 1, 2, 3], 1, 3))
def list_slices_of_variables(x: List[int], a: int, b: int):
    return x[a:b], x[-b:], x[a], x[-a]


@case(([1, 2, 3],))
def list_assignment(x: List[int]) -> List[int]:
    x[0] = 10
    x[-1] += 5
    x[1] *= 3
    return x


@case(([1, 2, 3],))
def list_delete(x: List[int]) -> List[int]:
    del x[1]
    return x


@case(([1, 2, 3],), ([1],))
def list_index_out_of_range(x: List[int]) -> int:
    return x[2]


@case(([1, 2, 3],))
def list_unpack(x: List[int]) -> int:
    a, b, c = x
    return a * 100 + b * 10 + c


@case({"a": 1, "b": 2})
def dict_methods(d: Dict[str, int]):
    d["c"] = 3
    d.update({"d": 4})
    a = d.get("a", 0)
    x = d.get("x", -1)
    p = d.pop("b")
    q = d.pop("zz", 9)
    s = d.setdefault("e", 5)
    c = d.copy()
    del c["a"]
    return list(d.keys()), list(d.values()), len(d), a, x, p, q, s, c, "a" in d, "z" not in d


# Python raises KeyError
@case({"a": 1}, python=False)
def dict_missing(d: Dict[str, int]) -> int:
    return d["a"]


@case()
def dict_kinds():
    a = {1: "x", 2: "y"}
    b = {1.5: 2}
    c = {True: 1}
    d = {"k": [1, 2]}
    d["k"].append(3)
    e = dict([("a", 1), ("b", 2)])
    f: Dict[str, Dict[str, int]] = {"o": {"i": 1}}
    f["o"]["j"] = 2
    return a, b, c, d, e, f


@case({"a": 1})
def dict_augmented(d: Dict[str, int]) -> Dict[str, int]:
    d["a"] += 5
    d["a"] *= 2
    return d


@case({"a": 1})
def dict_items(d: Dict[str, int]) -> List[Tuple[str, int]]:
    return list(d.items())


@case({"b": 1, "a": 2})
def dict_clear_and_sorted(d: Dict[str, int]) -> Tuple[List[str], int]:
    keys = sorted(d.keys())
    d.clear()
    return keys, len(d)


@case(((1, 2.5, "a"),))
def tuples(t: Tuple[int, float, str]):
    a, b, c = t
    return t[0], t[-1], t[1:], t[:2], len(t), (a, b), t + (1,), (c,), ()


@case(((1, 2, 3), 1))
def tuple_dynamic_index(t: Tuple[int, int, int], i: int) -> int:
    return t[i] + t[-i]


@case(((1, 2), (1, 2)), ((1, 2), (1, 3)))
def tuple_comparison(a: Tuple[int, int], b: Tuple[int, int]):
    return a == b, a != b, 1 in a, 5 in b


@case(((1, (2, "a")),))
def nested_unpacking(t: Tuple[int, Tuple[int, str]]):
    a, (b, c) = t
    (d, e), f = (a, b), c
    return a, b, c, d, e, f


# the starred name is a tuple
@case(((1, 2, 3, 4),), python=False)
def starred_unpacking(t: Tuple[int, int, int, int]):
    a, *b = t
    *c, d = t
    e, *f, g = t
    return a, b, c, d, e, f, g


@case((1, 2))
def swap(a: int, b: int):
    a, b = b, a
    x = y = a
    x += 1
    return a, b, x, y


@case(((1, 2),))
def star_in_call(t: Tuple[int, int]) -> int:
    return three(*t, 3)


def three(a: int, b: int, c: int) -> int:
    return a * 100 + b * 10 + c


@case(([1, 2, 3, 4],))
def list_comprehensions(x: List[int]):
    return (
        [i * 2 for i in x],
        [i for i in x if i % 2 == 0],
        [str(i) for i in range(3)],
        [0 for _ in x],
        [(i, i * i) for i in x],
    )


@case(([1, 2, 3, 4],))
def more_comprehensions(x: List[int]):
    a = [i if i > 2 else -i for i in x]
    b = [[j for j in range(i)] for i in x]
    c = [i + k for i, k in enumerate(x)]
    d = [p * q for p, q in zip(x, x)]
    e = [c for c in "abc"]
    f = [i for i in x if i > 1 if i < 4]
    return a, b, c, d, e, f


@case(({"a": 1, "b": 2},))
def dict_comprehensions(d: Dict[str, int]):
    a = {k: v * 2 for k, v in d.items()}
    b = {i: str(i) for i in range(3)}
    c = {k: v for k, v in d.items() if v > 1}
    return a, b, c, [k for k in d], [v for v in d.values()]


@case(torch.arange(6.0).reshape(3, 2))
def comprehension_over_tensor(x: Tensor) -> List[Tensor]:
    return [row * 2 for row in x]


@case((torch.ones(2), 3))
def comprehension_of_tensors(x: Tensor, n: int) -> Tensor:
    return torch.stack([x * i for i in range(n)])


@case(((1, 2.5),))
def comprehension_over_tuple(t: Tuple[int, float]) -> List[float]:
    return [float(v) * 2 for v in t]


@case(([1, 2, 3],))
def generators(x: List[int]):
    return sum([i * 2 for i in x]), all([i > 0 for i in x]), any([i > 2 for i in x])


@case(([[1, 2], [3]],))
def nested_lists(x: List[List[int]]):
    x[0].append(9)
    x.append([])
    x[-1].append(4)
    y = x[0]
    y[0] = 100
    return x, len(x[1])


@case(([1, 2, 3],))
def lists_are_shared(x: List[int]):
    y = x
    y.append(4)
    z = list(x)
    z.append(5)
    return x, y, z


@case(("abc", [1, 2], {"a": 1}))
def list_of(s: str, x: List[int], d: Dict[str, int]):
    return list(s), list(x), list(range(3)), list(d), list(enumerate(x)), list(zip(x, s))


@case((1, 2.0))
def dict_of_tensors(a: int, b: float) -> Dict[str, Tensor]:
    return {"a": torch.tensor(a), "b": torch.tensor(b)}


@case()
def tensor_keys():
    a = torch.tensor(1)
    d = {"x": a, "y": a + 1}
    d["x"] = d["y"] + d["x"]
    return d


@case((torch.ones(1), None), (torch.ones(1), torch.zeros(1)))
def optional_list(x: Tensor, y: Optional[Tensor]) -> List[Optional[Tensor]]:
    return [x, y, None]


@case(([3, 1], [2.5, 1.0], ["b", "a"], [True, False]))
def sort_kinds(a: List[int], b: List[float], c: List[str], d: List[bool]):
    a.sort()
    b.sort()
    c.sort()
    return a, b, c, sorted(c, reverse=True), any(d), all(d)


@case(([torch.tensor(3), torch.tensor(1)],))
def sort_tensors(x: List[Tensor]) -> List[Tensor]:
    x.sort()
    return x


@case(([1, 2],))
def list_of_lists_equality(x: List[int]) -> bool:
    return x == [1, 2] and x + [1] != [1, 2]


@case(([1.5, 2.5], [1, 2]))
def mixed_arithmetic_in_lists(x: List[float], y: List[int]) -> List[float]:
    return [a * b for a, b in zip(x, y)]


@case(2)
def length_of_everything(n: int):
    return len([1, 2]), len((1, 2, 3)), len({"a": 1}), len("abc"), len(torch.zeros(4, 2)), len(range(n))


@case(3)
def repeated(n: int) -> Tuple[List[int], List[str], str]:
    return [1, 2] * n, ["a"] * 2, "ab" * n
