"""Classes: script classes with all kinds of members, NamedTuples, enums, dataclasses, interfaces, context managers."""

import enum
from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor


class Counter:
    """Counts."""

    def __init__(self, start: int, step: int = 1) -> None:
        self.value = start
        self.step = step
        self.history: List[int] = []

    def add(self, n: int = 1) -> int:
        self.value += n * self.step
        self.history.append(self.value)
        return self.value

    def reset(self) -> None:
        self.value = 0

    @property
    def doubled(self) -> int:
        return self.value * 2

    @staticmethod
    def combine(a: int, b: int) -> int:
        return a * 10 + b


@case(3)
def script_class(n: int):
    c = Counter(n)
    c.add()
    c.add(5)
    d = Counter(1, step=2)
    d.add(n)
    c.step = 3
    c.add(1)
    d.reset()
    return c.value, d.value, c.history, c.doubled, Counter.combine(1, 2), c.combine(3, 4)


@case(3)
def object_is_shared(n: int) -> int:
    c = Counter(n)
    other = c
    other.add(10)
    use(other)
    return c.value


def use(c: Counter) -> None:
    c.add(100)


@case(3)
def objects_in_containers(n: int) -> int:
    items = [Counter(i) for i in range(n)]
    table: Dict[str, Counter] = {"a": items[0]}
    for c in items:
        c.add(5)
    table["a"].value += 1
    return items[0].value + items[2].value


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x = x
        self.y = y

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k: float) -> "Vector":
        return Vector(self.x * k, self.y * k)

    def __neg__(self) -> "Vector":
        return Vector(-self.x, -self.y)

    def __eq__(self, other: "Vector") -> bool:
        return self.x == other.x and self.y == other.y

    def __lt__(self, other: "Vector") -> bool:
        return self.x < other.x

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> float:
        if i > 1:
            raise IndexError("a vector has two elements")
        return self.x if i == 0 else self.y

    def __setitem__(self, i: int, v: float) -> None:
        if i == 0:
            self.x = v
        else:
            self.y = v

    def __contains__(self, v: float) -> bool:
        return v == self.x or v == self.y

    def __bool__(self) -> bool:
        return self.x != 0.0

    def __str__(self) -> str:
        return "<" + str(self.x) + ", " + str(self.y) + ">"

    def __call__(self, k: float) -> float:
        return self.x * k + self.y

    def __iadd__(self, other: "Vector") -> "Vector":
        self.x += other.x
        self.y += other.y
        return self


@case((1.5, 2.0))
def magic_methods(a: float, b: float):
    u = Vector(a, b)
    v = Vector(b, a)
    w = u + v * 2.0 - -u
    u[1] = 7.0
    same = u == v
    less = u < v
    total = 0.0
    for k in w:
        total += k
    v += u
    return w.x, w[1], u[1], same, less, len(u), 7.0 in u, str(v), u(2.0), total, bool(u), 3.0 not in u


@case((1.5, 2.0))
def magic_in_conditions(a: float, b: float) -> int:
    u = Vector(a, b)
    if u:
        return 1 if u != Vector(0.0, 0.0) else 2
    return 3


class Base:
    def __init__(self, n: int) -> None:
        self.n = n

    def value(self) -> int:
        return self.n

    def twice(self) -> int:
        return self.value() * 2


class Point(NamedTuple):
    x: float
    y: float = 2.0
    label: str = "p"


class Nested(NamedTuple):
    point: Point
    sizes: List[int]
    extra: Optional[Tensor] = None


@case(1.5)
def named_tuples(x: float):
    p = Point(x)
    q = Point(y=x, x=1.0, label="q")
    a, b, c = q
    n = Nested(p, [1, 2])
    return p, q, p.x + q.y, p[1], a, b, c, n.point.label, n.sizes[0], len(p), n.extra is None


@case((Point(1.0, 2.0, "z"),))
def named_tuple_argument(p: Point) -> Point:
    return Point(p.x + 1, p.y, p.label + "!")


@case(([Point(1.0), Point(2.0)],))
def list_of_named_tuples(ps: List[Point]) -> float:
    total = 0.0
    for p in ps:
        total += p.x
    for x, y, label in ps:
        total += y
    return total


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


@case(Color.RED, Color.GREEN)
def enums(c: Color):
    if c == Color.RED:
        r = "red"
    else:
        r = "other"
    return r, c.value, c.name, c != Color.RED, c == Color.GREEN


# PyTorch compares objects here, not members
@case(Color.RED, Color.GREEN, torch=False)
def enum_identity(c: Color) -> Tuple[bool, bool]:
    return c is Color.GREEN, c is not Color.GREEN


# PyTorch cannot give Python a member of an enum that it loaded
@case(Mode.FAST, torch=False)
def string_enums(m: Mode) -> Tuple[str, bool, Mode]:
    return m.value, m in [Mode.SLOW, Mode.FAST], Mode.SLOW


@case()
def iterate_enum() -> List[int]:
    return [c.value for c in Color]


@case(Color.GREEN, torch=False)
def enum_keys(c: Color) -> List[Color]:
    found: List[Color] = []
    for known in [Color.RED, Color.GREEN]:
        if known != c:
            found.append(known)
    return found


@dataclass
class Config:
    size: int
    rate: float = 0.5
    name: str = "c"
    dims: List[int] = field(default_factory=lambda: [1, 2])

    def area(self) -> int:
        return self.size * self.dims[1]


@case(4, torch=False)
def dataclasses(n: int):
    a = Config(n)
    b = Config(n, name="b", dims=[3, 4])
    a.rate += 1.0
    return a.size, a.rate, b.name, a.area() + b.area(), b.dims, a.name


@dataclass
class Plain:
    x: int
    y: int = 3

    def total(self) -> int:
        return self.x + self.y


@case(4)
def plain_dataclass(n: int) -> int:
    p = Plain(n)
    q = Plain(n, 5)
    q.x = 1
    return p.total() * 100 + q.total()


@dataclass
class Checked:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        self.y = self.x * 2


@case(4)
def post_init(n: int) -> int:
    return Checked(n).y


class Tracker:
    def __init__(self) -> None:
        self.events: List[str] = []

    def __enter__(self) -> "Tracker":
        self.events.append("enter")
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.events.append("exit")


# PyTorch keeps no object that a `with` gives a name
@case(3, torch=False)
def context_managers(n: int) -> List[str]:
    t = Tracker()
    with t:
        t.events.append("body")
        if n > 2:
            t.events.append("deep")
    with Tracker() as u:
        u.events.append("other")
    return t.events + u.events


class Stack:
    def __init__(self) -> None:
        self.items: List[Tensor] = []
        self.limit: Optional[int] = None

    def push(self, x: Tensor) -> "Stack":
        limit = self.limit
        if limit is not None and len(self.items) >= limit:
            raise IndexError("the stack is full")
        self.items.append(x)
        return self

    def top(self) -> Tensor:
        return self.items[-1]


@case((torch.ones(2), 2), (torch.ones(2), 1))
def chained_methods(x: Tensor, limit: int) -> Tensor:
    s = Stack()
    s.limit = limit
    s.push(x).push(x * 2)
    return s.top()


class Node:
    def __init__(self, value: int) -> None:
        self.value = value
        self.children: List[int] = []
        self.parent: Optional[int] = None


@case(3)
def optional_attributes(n: int) -> int:
    node = Node(n)
    if node.parent is None:
        node.parent = n * 2
    parent = node.parent
    assert parent is not None
    return parent


@torch.jit.interface
class Shape:
    def area(self, scale: float) -> float:
        pass


@torch.jit.script
class Square(object):  # noqa: UP004
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self, scale: float) -> float:
        return self.side * self.side * scale


@torch.jit.script
class Circle(object):  # noqa: UP004
    def __init__(self, radius: float) -> None:
        self.radius = radius

    def area(self, scale: float) -> float:
        return 3.0 * self.radius * self.radius * scale


def area_of(s: Shape) -> float:
    return s.area(2.0)


@case(2.0)
def interfaces(x: float) -> float:
    shapes: List[float] = [area_of(Square(x)), area_of(Circle(x))]
    return shapes[0] + shapes[1]


class WithTensor:
    def __init__(self, x: Tensor) -> None:
        self.x = x

    def scale(self, k: float) -> Tensor:
        self.x = self.x * k
        return self.x


class UsesObject(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        holder = WithTensor(x)
        holder.scale(2.0)
        return holder.x + holder.scale(0.5)


@case(torch.ones(2))
class ObjectInModule(UsesObject):
    pass


class Settings:
    LIMIT = 7
    NAMES = ("a", "b")

    def __init__(self) -> None:
        self.n = 1


# PyTorch does not know attributes of a class
@case(1, torch=False)
def class_attributes(n: int):
    s = Settings()
    return Settings.LIMIT + n, s.LIMIT * 2, Settings.NAMES[0]


class Derived(Base):
    def __init__(self, n: int) -> None:
        super().__init__(n + 1)
        self.extra = n

    def value(self) -> int:
        return super().value() * 3


@case(2)
def inheritance(n: int) -> Tuple[int, int, int]:
    d = Derived(n)
    return d.value(), d.twice(), d.extra


@case(2)
def isinstance_of_classes(n: int) -> bool:
    c = Counter(n)
    return isinstance(c, Counter)


class Generic:
    def __init__(self, rows: List[List[float]], table: Dict[str, Tuple[int, str]]) -> None:
        self.rows = rows
        self.table = table

    def first(self) -> Tuple[float, str]:
        return self.rows[0][0], self.table["k"][1]


@case(0.5)
def structured_attributes(x: float) -> Tuple[float, str]:
    return Generic([[x]], {"k": (1, "v")}).first()
