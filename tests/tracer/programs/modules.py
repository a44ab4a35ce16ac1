"""Modules: attributes of all types, constants, submodules, methods, properties, hooks, containers, inheritance, interfaces."""

from typing import Any, Dict, Final, List, NamedTuple, Optional, Tuple, Union

import linstock as torch
from linstock import nn
from tests.tracer.harness import case

Tensor = torch.Tensor


class Info(NamedTuple):
    n: int
    name: str


@case(torch.ones(2))
class AttributesOfAllTypes(nn.Module):
    ratio: Final[float] = 0.5
    table: Dict[str, int]

    def __init__(self) -> None:
        super().__init__()
        self.i = 3
        self.f = 2.5
        self.b = True
        self.s = "text"
        self.ints = [1, 2]
        self.pair = (1, "a")
        self.table = {}
        self.scores = {"a": 0.5}
        self.maybe: Optional[int] = None
        self.given: Optional[int] = 4
        self.tensor = torch.full((2,), 2.0)
        self.tensors = [torch.ones(2), torch.zeros(2)]
        self.info = Info(1, "n")
        self.size = torch.ones(3, 4).shape
        self.device = torch.device("cpu")
        self.kind = torch.float64
        self.weight = nn.Parameter(torch.full((2,), 0.5))
        self.register_buffer("state", torch.ones(2))
        self.register_buffer("temporary", torch.zeros(2), persistent=False)
        self.register_parameter("missing", None)

    def forward(self, x: Tensor):
        self.table["n"] = self.i
        y = x * self.weight + self.state + self.temporary + self.tensor
        if self.missing is not None:
            y = y * 0
        given = self.given
        if given is not None:
            y = y + given
        return (
            y, self.i + 1, self.f, self.b, self.s + "!", self.ints, self.pair[1], self.table, self.scores["a"], self.maybe is None,
            self.tensors[0] + 1, self.info.name, self.size[0], self.ratio, x.to(self.kind), torch.zeros(1, device=self.device),
        )  # fmt: skip


@case(torch.ones(2))
class Counts(nn.Module):
    """Attributes that change: the calls of one module see each other."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.seen: List[int] = []
        self.last: Optional[Tensor] = None
        self.total = torch.zeros(2)

    def forward(self, x: Tensor):
        self.calls += 1
        self.seen.append(self.calls)
        self.total = self.total + x
        self.last = x
        last = self.last
        assert last is not None
        return self.calls, self.seen, self.total + last


@case(torch.ones(2, 3))
class Submodules(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.0))
        self.shared = self.first

    def forward(self, x: Tensor) -> Tensor:
        x = self.second(self.first(x))
        return x + self.shared.weight.sum() + self.second[0].weight.mean()


class Methods(nn.Module):
    def __init__(self, n: int = 2) -> None:
        super().__init__()
        self.n = n

    def helper(self, x: Tensor, k: int = 1) -> Tensor:
        return x * self.n + k

    def forward(self, x: Tensor) -> Tensor:
        return self.helper(x) + self.helper(x, k=self.other())

    def other(self) -> int:
        return self.n * 10


@case(torch.ones(2))
class CallsMethods(Methods):
    pass


@case(torch.ones(2))
class Overrides(Methods):
    def __init__(self) -> None:
        super().__init__(3)

    def helper(self, x: Tensor, k: int = 1) -> Tensor:
        return super().helper(x, k) * 2

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + 1


@case(torch.ones(2))
class Properties(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = 3

    @property
    def visible(self) -> int:
        return self.hidden * 2

    @visible.setter
    def visible(self, value: int) -> None:
        self.hidden = value

    def forward(self, x: Tensor) -> Tensor:
        before = self.visible
        self.visible = 10
        return x * before + self.visible


@case(torch.ones(2))
class Statics(nn.Module):
    @staticmethod
    def scale(x: Tensor, k: int) -> Tensor:
        return x * k

    def forward(self, x: Tensor) -> Tensor:
        return self.scale(x, 2) + Statics.scale(x, 3)


@case(torch.ones(2))
class Constants(nn.Module):
    __constants__ = ["n", "names", "sizes", "flag", "nothing"]

    def __init__(self) -> None:
        super().__init__()
        self.n = 3
        self.names = ["a", "b"]
        self.sizes = (1, 2)
        self.flag = False
        self.nothing = None

    def forward(self, x: Tensor) -> Tensor:
        for name in self.names:
            x = x + len(name)
        if self.flag:
            x = x + undefined_function(x)  # noqa: F821
        if self.nothing is not None:
            x = x + self.nothing
        for s in self.sizes:
            x = x * s
        return x * self.n


class Block(nn.Module):
    def __init__(self, n: int, down: bool) -> None:
        super().__init__()
        self.layer = nn.Linear(n, n)
        self.down = nn.Linear(n, n) if down else None

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        if self.down is not None:
            y = self.down(y)
        return y + x


@case(torch.ones(2))
class OptionalSubmodule(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = Block(2, True)
        self.b = Block(2, False)

    def forward(self, x: Tensor) -> Tensor:
        return self.a(x) + self.b(x)


@case(torch.ones(2))
class Containers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)])
        self.table = nn.ModuleDict({"up": nn.Linear(2, 2), "down": nn.Linear(2, 2)})
        self.stack = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.full((2,), 2.0))])

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers[0](x) + self.layers[-1](x)
        x = self.table["up"](x)
        x = self.stack[1](self.stack[0](x))
        for w in self.weights:
            x = x * w
        x = x + self.weights[1]
        if "up" in self.table:
            x = x + len(self.layers) + len(self.table) + len(self.stack)
        for key in self.table.keys():
            x = x + len(key)
        for key in self.table:
            x = x - len(key)
        return x


@case(torch.ones(2))
class NestedContainers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.ModuleList([nn.ModuleList([nn.Linear(2, 2), nn.ReLU()]), nn.ModuleList([nn.Tanh()])])
        self.named = nn.ModuleDict({"a": nn.Sequential(nn.Linear(2, 2), nn.ReLU())})

    def forward(self, x: Tensor) -> Tensor:
        for row in self.rows:
            for layer in row:
                x = layer(x)
        for name, stack in self.named.items():
            x = stack(x) + len(name)
            for layer in stack:
                x = layer(x)
        return x


@case(torch.ones(2))
class TraversesModules(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        for name, p in self.named_parameters():
            x = x + p.sum() * len(name)
        for p in self.parameters():
            x = x + p.mean()
        return x


class Exporting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = 2

    @torch.jit.export
    def exported(self, x: Tensor) -> Tensor:
        return x * self.n

    def forward(self, x: Tensor) -> Tensor:
        return x + 1


@case(torch.ones(2))
class ExportsMethods(Exporting):
    pass


class Ignoring(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.training_only = True

    @torch.jit.unused
    def only_python(self, x: Tensor) -> Tensor:
        return [y for y in (x, x)][0]

    def forward(self, x: Tensor) -> Tensor:
        if x.numel() > 1000:
            return self.only_python(x)
        return x * 2


@case(torch.ones(2))
class UnusedMethods(Ignoring):
    pass


def pre_hook(self, inputs: Tuple[Tensor]) -> Tuple[Tensor]:
    return (inputs[0] * 2,)


def post_hook(self, inputs: Tuple[Tensor], output: Tensor) -> Tensor:
    return output + inputs[0]


@case(torch.ones(2))
class Hooks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.layer.register_forward_pre_hook(pre_hook)
        self.layer.register_forward_hook(post_hook)
        self.register_forward_hook(post_hook)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


@torch.jit.interface
class Transform(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass

    def inverse(self, x: Tensor, k: int) -> Tensor:
        pass


class Doubling(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2

    def inverse(self, x: Tensor, k: int) -> Tensor:
        return x / 2 - k


@case(torch.ones(2))
class UsesInterface(nn.Module):
    step: Transform

    def __init__(self) -> None:
        super().__init__()
        self.step = Doubling()

    def forward(self, x: Tensor) -> Tensor:
        return self.step.inverse(self.step.forward(x) + 1, 2)


@case((torch.ones(2), 0), (torch.ones(2), 1))
class DynamicIndex(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList([Doubling(), Doubling()])

    def forward(self, x: Tensor, i: int) -> Tensor:
        step: Transform = self.steps[i]
        return step.forward(x)


@case(torch.ones(2))
class SelfAttributesInLoops(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sizes = [1, 2, 3]
        self.names = {"a": 1, "b": 2}

    def forward(self, x: Tensor) -> Tensor:
        for s in self.sizes:
            x = x + s
        for k, v in self.names.items():
            x = x * v + len(k)
        if len(self.sizes) > 2 and self.sizes[0] == 1:
            x = x - 1
        return x


@case((torch.ones(2), torch.zeros(2)), (torch.ones(2),))
class OptionalArguments(nn.Module):
    def forward(self, x: Tensor, y: Optional[Tensor] = None, scale: float = 2.0, names: List[str] = []) -> Tensor:  # noqa: B006
        if y is not None:
            x = x + y
        return x * scale + len(names)


@case(torch.ones(2))
class Training(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            return x * 2
        return x


@case(torch.ones(1, 3, 8, 8))
class ConvNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Conv2d(4, 4, 3, groups=2),
        )
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.head = nn.Linear(4, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.features(x))
        return self.head(torch.flatten(x, 1)).softmax(dim=1)


@case(torch.ones(5, 2, 3))
class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(8, 4)
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        y, (h, c) = self.rnn(x)
        z, _ = self.gru(y)
        state = (z[0], z[0])
        for t in range(z.size(0)):
            state = self.cell(z[t], state)
        return state[0], h


@case((torch.ones(2, 5, 8), None), (torch.ones(2, 5, 8), torch.zeros(5, 5, dtype=torch.bool)))
class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x: Tensor, mask: Optional[Tensor]) -> Tensor:
        y, _ = self.attention(x, x, x, attn_mask=mask)
        return self.norm(x + y)


@case(torch.tensor([[1, 2], [0, 3]]))
class Embeddings(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(5, 4, padding_idx=0)
        self.register_buffer("positions", torch.arange(10))

    def forward(self, ids: Tensor) -> Tensor:
        return self.words(ids) + self.positions[: ids.size(1)].unsqueeze(-1)


@case(torch.ones(2, 5, 8))
class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.encoder(x)


@case(torch.ones(2))
class UnionAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.value: Union[int, str] = 3

    def forward(self, x: Tensor) -> Tensor:
        value = self.value
        if isinstance(value, int):
            return x * value
        return x


class Uncompilable:
    def __init__(self, *args: Any) -> None:
        self.args = args


@case(torch.ones(2))
class UnusedAttributeOfPythonType(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.python_object = Uncompilable(1, "a")
        self.callback = lambda v: v
        self.mixed = [1, "a"]
        self.empty = []
        self.module_type = nn.Linear

    def forward(self, x: Tensor) -> Tensor:
        return x + 1
