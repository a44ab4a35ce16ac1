"""if, while and for, over everything that can be looped over, with every way out."""

from typing import Dict, List, Optional, Tuple

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor


@case(0, 1, 5, -3)
def if_elif_else(n: int) -> str:
    if n == 0:
        r = "zero"
    elif n < 0:
        r = "negative"
    elif n == 1:
        r = "one"
    else:
        r = "many"
    return r


@case(torch.ones(1), torch.zeros(1))
def if_tensor(x: Tensor) -> int:
    if x:
        return 1
    return 0


@case(([1],), ([],))
def if_list(x: List[int]) -> bool:
    if x:
        return True
    return False


@case(("a", 1, 0.5, {"k": 1}), ("", 0, 0.0, {}))
def truth_of_values(s: str, i: int, f: float, d: Dict[str, int]) -> List[bool]:
    r: List[bool] = []
    if len(s) > 0:
        r.append(True)
    if i:
        r.append(True)
    if f:
        r.append(True)
    if len(d) != 0:
        r.append(True)
    r.append(bool(i))
    r.append(bool(f))
    r.append(not i)
    return r


@case(5, 0)
def while_loop(n: int) -> int:
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


@case(5, 50)
def while_true(n: int) -> int:
    i = 0
    while True:
        i += 1
        if i * i > n:
            break
    return i


@case(torch.ones(1))
def while_tensor(x: Tensor) -> Tensor:
    while x < 10:
        x = x * 2
    return x


@case(5, 0)
def ranges(n: int) -> List[int]:
    out: List[int] = []
    for i in range(n):
        out.append(i)
    for i in range(2, n):
        out.append(i)
    for i in range(0, n, 2):
        out.append(i)
    for i in range(n, 0, -2):
        out.append(i)
    for i in range(-1, -n, -1):
        out.append(i)
    return out


@case(([3, 1, 2],), ([],))
def over_list(xs: List[int]) -> int:
    total = 0
    for x in xs:
        total = total * 10 + x
    return total


@case("abc", "")
def over_string(s: str) -> List[str]:
    out: List[str] = []
    for c in s:
        out.append(c + c)
    return out


@case(torch.arange(6.0).reshape(3, 2))
def over_tensor(x: Tensor) -> Tensor:
    total = torch.zeros(2)
    for row in x:
        total = total * 2 + row
    return total


@case(((1, 2.5, "a"),))
def over_tuple(t: Tuple[int, float, str]) -> List[str]:
    out: List[str] = []
    for v in t:
        out.append(str(v))
    return out


@case({"a": 1, "b": 2})
def over_dict(d: Dict[str, int]) -> Tuple[List[str], int, List[str]]:
    keys: List[str] = []
    total = 0
    for k in d:
        keys.append(k)
    for v in d.values():
        total += v
    pairs: List[str] = []
    for k, v in d.items():
        pairs.append(k + str(v))
    for k in d.keys():
        keys.append(k)
    return keys, total, pairs


@case(([5, 6, 7],))
def enumerated(xs: List[int]) -> List[int]:
    out: List[int] = []
    for i, x in enumerate(xs):
        out.append(i * x)
    for i, x in enumerate(xs, 1):
        out.append(i * x)
    for i, x in enumerate(xs, start=10):
        out.append(i * x)
    return out


@case((["a", "b"], 3))
def enumerated_from_variable(xs: List[str], n: int) -> Dict[int, str]:
    out: Dict[int, str] = {}
    for i, x in enumerate(xs, n):
        out[i] = x
    return out


@case(([1, 2, 3], ["a", "b"]))
def zipped(xs: List[int], ys: List[str]) -> List[str]:
    out: List[str] = []
    for x, y in zip(xs, ys):
        out.append(str(x) + y)
    for i, (x, y) in enumerate(zip(xs, ys)):
        out.append(str(i) + str(x) + y)
    for x, y, i in zip(xs, ys, range(5)):
        out.append(str(x) + y + str(i))
    return out


@case(([1, 2, 3],))
def backwards(xs: List[int]) -> List[int]:
    out: List[int] = []
    for x in reversed(xs):
        out.append(x)
    for i in range(len(xs) - 1, -1, -1):
        out.append(xs[i])
    for x in xs[::-1]:
        out.append(x)
    return out


@case(torch.arange(6).reshape(3, 2))
def enumerated_tensor(x: Tensor) -> Tensor:
    total = torch.zeros(2, dtype=torch.int64)
    for i, row in enumerate(x):
        total += i * row
    for a, b in zip(x, x):
        total += a * b
    return total


@case(10, 3, 0)
def breaks(n: int) -> int:
    total = 0
    for i in range(n):
        if i == 5:
            break
        total += i
    return total


@case(10, 3, 0)
def continues(n: int) -> int:
    total = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        total += i
    return total


@case(10, 3, 0)
def break_and_continue(n: int) -> Tuple[int, int]:
    total = 0
    i = 0
    while i < n:
        i += 1
        if i == 3:
            continue
        if i > 7:
            break
        total += i
    return total, i


@case(([1, 5, 9], 5), ([1, 5, 9], 4))
def return_in_loop(xs: List[int], wanted: int) -> int:
    for i, x in enumerate(xs):
        if x == wanted:
            return i
    return -1


@case((4, 6), (4, 100), (0, 0))
def return_in_nested_loops(n: int, wanted: int) -> Tuple[int, int]:
    for i in range(n):
        for j in range(n):
            if i * j == wanted:
                return i, j
    return -1, -1


@case(5, 0)
def break_in_nested_loops(n: int) -> List[int]:
    out: List[int] = []
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            out.append(i * 10 + j)
        if i == 3:
            break
    return out


@case(4, 1, 0)
def return_in_while(n: int) -> int:
    i = 0
    while i < 10:
        if i == n:
            if n > 2:
                return i * 100
            else:
                break
        i += 1
    return i


@case(1, 2, 3, 4)
def many_returns(n: int) -> str:
    if n == 1:
        return "a"
    if n == 2:
        return "b"
    elif n == 3:
        return "c"
    else:
        return "d"


@case((1, 1), (1, -1), (-1, 1), (-1, -1))
def nested_returns(a: int, b: int) -> int:
    if a > 0:
        if b > 0:
            return 1
        a = 10
    else:
        if b > 0:
            return 2
        a = 20
    return a + b


@case(1, -1)
def return_nothing(n: int) -> None:
    if n > 0:
        return
    n = n + 1


@case(1)
def falls_off(n: int):
    n + 1


@case(3, -1)
def raise_in_branch(n: int) -> int:
    if n >= 0:
        r = n
    else:
        raise IndexError("negative index")
    return r


@case(0, 1, 2)
def raise_in_loop(n: int) -> int:
    for i in range(3):
        if i == n:
            if i > 1:
                raise RuntimeError("too far")
            return i
    return -1


@case(5)
def variable_defined_in_loop(n: int) -> int:
    last = 0
    for i in range(n):
        square = i * i
        last = square
    return last


@case(3)
def optional_in_loop(n: int) -> Optional[int]:
    found: Optional[int] = None
    for i in range(5):
        if i == n:
            found = i
    return found


@case(3)
def accumulate_tensor(n: int) -> Tensor:
    outs = []
    for i in range(n):
        outs.append(torch.full((2,), i))
    return torch.stack(outs)


@case((3, torch.ones(2)))
def loop_over_slices(n: int, x: Tensor) -> Tensor:
    for i in range(x.size(0)):
        x[i] += i * n
    return x


@case(([[1, 2], [3]],))
def over_nested_lists(xs: List[List[int]]) -> int:
    total = 0
    for inner in xs:
        for x in inner:
            total += x
    return total


@case(([1, 2, 3],))
def loop_modifies_list(xs: List[int]) -> List[int]:
    i = 0
    while i < len(xs):
        if xs[i] == 2:
            xs.pop(i)
        else:
            i += 1
    return xs


@case(3)
def loop_variable_after_loop(n: int) -> int:
    i = -1
    for i in range(n):
        pass
    return i


@case(3)
def over_literal(n: int) -> int:
    total = 0
    for k in [1, 2, n]:
        total += k
    for k in (1, 2, n):
        total += k
    for a, b in [(1, 2), (3, 4)]:
        total += a * b
    return total


@case(4)
def early_exit_of_unrolled(n: int) -> int:
    for k in (1, 2, 3):
        if k == n:
            return k
    return 0


@case(2, 4)
def break_in_unrolled(n: int) -> int:
    total = 0
    for k in (1, 2, 3):
        if k == n:
            break
        total += k
    return total


@case(2, 4)
def continue_in_unrolled(n: int) -> int:
    total = 0
    for k in (1, 2, 3):
        if k == n:
            continue
        total += k
    return total


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.stack = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        self.named = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})


@case(torch.ones(2))
class OverModules(Layers):
    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        for layer in self.stack:
            x = layer(x)
        for name, layer in self.named.items():
            x = layer(x)
            if name == "a":
                x = x * 2
        for layer in self.named.values():
            x = layer(x)
        for i, layer in enumerate(self.layers):
            x = layer(x) * i
        for a, b in zip(self.layers, self.stack):
            x = a(x) + b(x)
        return x


# PyTorch runs the last layer twice
@case(torch.ones(2), torch=False)
class OverSlice(Layers):
    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers[1:]:
            x = layer(x)
        for layer in self.stack[:-1]:
            x = layer(x)
        return x


@case(torch.ones(2))
class ReversedModules(Layers):
    def forward(self, x: Tensor) -> Tensor:
        for layer in reversed(self.layers):
            x = layer(x)
        for layer in self.layers[::-1]:
            x = layer(x)
        for i in range(2):
            for layer in self.layers:
                x = layer(x) + i
        return x


@case(torch.ones(2), torch.zeros(2))
class ReturnFromModuleLoop(Layers):
    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
            if bool(x.sum() > 100):
                return x
        return x * 2


@case((torch.ones(2), [torch.zeros(2), torch.ones(2), torch.ones(2)]))
class ModulesWithList(Layers):
    def forward(self, x: Tensor, others: List[Tensor]) -> List[Tensor]:
        out = []
        for i, layer in enumerate(self.layers):
            out.append(layer(others[i]) + x)
        for layer, other in zip(self.layers, others):
            out.append(layer(other))
        return out


@case(3)
def pass_and_docstring(n: int) -> int:
    """Docstrings are ignored."""
    if n > 2:
        pass
    else:
        n = 0
    "a bare string"
    return n


@case(3, 5)
def if_with_constant(n: int) -> int:
    if False:
        n = undefined_name  # noqa: F821
    if not True:
        n = 0
    return n


@case((2, True), (2, False))
def conditional_definition(n: int, flag: bool) -> int:
    if flag:
        m = n
    else:
        m = -n
    if flag:
        k = 1
    else:
        return m
    return m + k
