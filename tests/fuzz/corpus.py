"""What is mutated: small real archives where the conformance suites are, and archives that linstock makes itself."""

from __future__ import annotations

import ast
import io
import random
import re
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linstock.runtime.archive.records import EnumRecord, ObjectRecord, Quantizer, TensorData, TypedContainer
from linstock.runtime.archive.script import ScriptArchive, write_script

ROOT = Path(__file__).resolve().parents[2]
SUITES = ROOT.parent / "shared" / "conformance"
DATA = ROOT / "tests" / "runtime" / "archive" / "data"
_TOKEN = re.compile(r"""[A-Za-z_]\w*|\d[\w.]*(?:[eE][+-]\d+)?|"(?:[^"\\\n]|\\.)*"|\n[ ]*|[^\w\s]|[ ]+""")


@dataclass
class Seed:
    """An archive by name: its bytes, and what mutations of its parts need."""

    name: str
    raw: bytes
    is_state: bool = False

    @cached_property
    def records(self) -> dict[str, bytes]:
        """Its records with their full names, in order."""
        with zipfile.ZipFile(io.BytesIO(self.raw)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    @cached_property
    def root(self) -> str:
        return next(iter(self.records)).partition("/")[0] + "/"

    def find(self, *ends: str) -> list[str]:
        """Names of the records that end in one of these."""
        return [n for n in self.records if n.endswith(ends)]

    @cached_property
    def pickles(self) -> list[str]:
        return self.find(".pkl")

    @cached_property
    def code(self) -> dict[str, list[str]]:
        """Its code files as tokens, by name without the root and `code/`."""
        start = len(self.root) + 5
        names = [n for n in self.records if n.startswith(self.root + "code/") and n.endswith(".py")]
        return {n[start:]: tokens(self.records[n].decode()) for n in names}


@dataclass
class Corpus:
    seeds: list[Seed]
    #: identifiers, literals and lines that occur in the seeds' code, to be put in other places
    words: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        words: dict[str, None] = {}
        lines: dict[str, None] = {}
        for seed in self.scripts:
            for parts in seed.code.values():
                words.update(dict.fromkeys(t for t in parts if t.strip()))
                lines.update(dict.fromkeys("".join(parts).split("\n")))
        self.words, self.lines = list(words)[:4000], list(lines)[:4000]

    @cached_property
    def zips(self) -> list[Seed]:
        return [s for s in self.seeds if s.raw.startswith(b"PK")]

    @cached_property
    def scripts(self) -> list[Seed]:
        """Seeds with code files of the newer layout."""
        return [s for s in self.zips if not s.is_state and s.code]

    @cached_property
    def small_scripts(self) -> list[Seed]:
        return [s for s in self.scripts if sum(len(s.records[n]) for n in s.find(".py")) < 6000]


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def load_corpus(seed: int = 0, suites: bool = True) -> Corpus:
    """The seeds: those of the repository, and with `suites` a choice of the conformance suites where they are."""
    seeds = [*own(), *(Seed(p.name, p.read_bytes(), p.name.startswith("state")) for p in sorted(DATA.glob("*.pt")))]
    if suites and SUITES.exists():
        seeds += _of_suites(random.Random(seed))
    return Corpus(seeds)


def _of_suites(rng: random.Random) -> list[Seed]:
    found = [Seed(path.name, path.read_bytes()) for path in sorted((SUITES / "legacy").glob("*.pt"))]
    for suite, count, largest in (("ops.zip", 60, 5000), ("jit_suite.zip", 160, 9000), ("models.zip", 40, 60000)):
        if not (SUITES / suite).exists():
            continue
        with zipfile.ZipFile(SUITES / suite) as archive:
            small = [i for i in archive.infolist() if i.filename.endswith((".pt", ".ptl")) and i.file_size < largest]
            rng.shuffle(small)
            found += [Seed(i.filename, archive.read(i)) for i in small[:count]]
    return found


# -- archives of our own -----------------------------------------------------------------------------------------------
_CODE = """class Net(Module):
  __parameters__ = ["weight", ]
  __buffers__ = ["mean", ]
  weight : Tensor
  mean : Tensor
  training : bool
  _is_full_backward_hook : Optional[bool]
  box : __torch__.Box
  color : __torch__.Color
  point : __torch__.Point
  names : Dict[str, List[int]]
  maybe : Optional[Tuple[int, str]]
  scale : Final[float] = 0.5
  inner : __torch__.sub.___torch_mangle_0.Inner
  __annotations__["0"] = Tensor
  def forward(self: __torch__.Net,
    x: Tensor,
    times: int=2) -> Tuple[Tensor, int]:
    _0 = torch.add(torch.mul(x, self.weight), CONSTANTS.c0, alpha=1)
    box = self.box
    total = 0
    for i in range(times):
      if torch.gt(i, 1):
        total0 = torch.add(total, i)
      else:
        total0 = total
      total = total0
    _1 = torch.size(_0, 0)
    y = torch.slice(torch.transpose(_0, -1, 0), 0, 0, 9223372036854775807, 1)
    if torch.__isnot__(self.maybe, None):
      a, b, = unchecked_cast(Tuple[int, str], self.maybe)
      _2 = torch.format("{} {}", a, b)
    else:
      ops.prim.RaiseException("nothing here", "builtins.ValueError")
      _2 = uninitialized(str)
    z = (self.inner).forward(y, [1, 2, 3], )
    _3 = annotate(List[Optional[Tensor]], [torch.gt(z, 0.)])
    w = torch.index(z, _3)
    _4 = getattr(self, "0")
    _5 = annotate(Dict[str, Tensor], {"a": z, "b": w})
    keys = torch.keys(_5)
    f = __torch__.Box.__new__(__torch__.Box)
    _6 = (f).__init__(torch.len(keys), )
    while torch.lt(total, 3):
      total = torch.add(total, 1)
    p = __torch__.Point(a=total, b=1.5)
    _7 = torch.linear(z, self.weight, None)
    return (torch.sub(_7, self.mean), (f).double())
  def helper(self: __torch__.Net,
    xs: List[Tensor]) -> Tensor:
    _0 = [torch.relu(x) for x in xs]
    return __torch__.free(torch.cat(_0, 0), __torch__.Color.RED)
class Box:
  n : int
  def __init__(self: __torch__.Box,
    n: int) -> NoneType:
    self.n = n
    return None
  def double(self: __torch__.Box) -> int:
    return torch.mul(self.n, 2)
  def __getstate__(self: __torch__.Box) -> Tuple[int, int]:
    return (self.n, 2)
  def __setstate__(self: __torch__.Box,
    state: Tuple[int, int]) -> NoneType:
    a, b, = state
    for i in range(b):
      a = torch.add(a, i)
    self.n = torch.mul(a, b)
    return None
class Color(Enum):
  RED = 1
  BLUE = 2
class Point(NamedTuple):
  a : int
  b : float = 2.5
class Shape(ModuleInterface):
  def forward(self: __torch__.Shape,
    x: Tensor,
    dims: List[int]) -> Tensor:
    pass
def free(x: Tensor,
    c: __torch__.Color) -> Tensor:
  if torch.eq(c, __torch__.Color.RED):
    _0 = torch.neg(x)
  else:
    _0 = torch.conv2d(x, x, None, [1, 1], [0, 0], [1, 1], 1)
  return _0
"""
_SUB = """class Inner(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.sub.___torch_mangle_0.Inner,
    x: Tensor,
    dims: List[int]) -> Tensor:
    def body() -> Tensor:
      return torch.softmax(x, -1, None)
    _0 = fork(body)
    _1 = torch.wait(_0)
    return torch.reshape(_1, [-1])
"""


def _tensor(values: Any, dtype: Any = np.float32, **fields: Any) -> TensorData:
    return TensorData.of(np.array(values, dtype), **fields)


def _parts(value: Any) -> TensorData | None:
    return value if isinstance(value, TensorData) else None


def _root() -> ObjectRecord:
    shared = np.arange(6, dtype=np.float32)
    return ObjectRecord(
        "__torch__.Net",
        {
            "weight": TensorData.of(shared[:3], shared, requires_grad=True), "mean": TensorData.of(shared[3:], shared),
            "training": True, "_is_full_backward_hook": None, "box": ObjectRecord("__torch__.Box", (3, 2)),
            "color": EnumRecord("__torch__.Color", 2), "point": (1, 2.5), "maybe": (1, "text"),
            "names": TypedContainer({"a": TypedContainer([1, 2], "List[int]")}, "Dict[str, List[int]]"),
            "inner": ObjectRecord("__torch__.sub.___torch_mangle_0.Inner", {"training": False}), "0": _tensor([1, 2]),
        },
    )  # fmt: skip


def own() -> list[Seed]:
    """Archives with what the format can hold, made by the writer."""
    quantizer = Quantizer("per_tensor_affine", 0.5, 10)
    ints = TensorData.of(np.array([[0, 10], [20, 30]], np.uint8)).with_fields(quantizer=quantizer)
    from linstock.ir import dtypes

    ints = ints.with_fields(dtype=dtypes.quint8)
    code = {"__torch__.py": _CODE, "__torch__/sub/___torch_mangle_0.py": _SUB}
    ast.parse(_CODE), ast.parse(_SUB)
    simple = "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  q : Tensor\n"
    simple += "  c : complex\n  d : Device\n  l : List[Tensor]\n  any : Any\n"
    simple += "  def forward(self: __torch__.Net) -> Tensor:\n    return torch.dequantize(self.q)\n"
    many = TypedContainer([_tensor([1, 2], np.int64), _tensor([True], np.bool_)], "List[Tensor]")
    values = {"training": False, "q": ints, "c": 1 + 2j, "d": "cpu", "l": many, "any": TypedContainer([], "List[int]")}
    archives = [
        ScriptArchive(_root(), (_tensor([10.0]), "text"), code, 10, name="net"),
        ScriptArchive(_root(), (_tensor([10.0]), "text"), code, 2, name="old", extra_files={"a": b"b"}),
        ScriptArchive(ObjectRecord("__torch__.Net", values), (), {"__torch__.py": simple}, 3, name="q"),
    ]
    seeds = []
    for archive in archives:
        target = io.BytesIO()
        write_script(target, archive, _parts)
        seeds.append(Seed(f"own-{archive.name}", target.getvalue()))
    return seeds
