"""Loading archives: values become objects of the program, and it runs."""

from __future__ import annotations

import gc
import io
import sys
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linstock
from linstock.ir.errors import ArchiveError, RaisedError
from linstock.ir.source import Source, Span
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.records import EnumRecord, ObjectRecord, Quantizer, TensorData, TypedContainer
from linstock.runtime.archive.script import ScriptArchive, write_script
from linstock.runtime.load import load
from linstock.runtime.objects import ScriptObject
from linstock.runtime.script_module import RecursiveScriptModule

sys.path.insert(0, str(Path(__file__).parent / "archive"))
from archive_helpers import parts, tensor, zip_of

HEAD = """class Net(Module):
  __parameters__ = ["weight", ]
  __buffers__ = ["mean", ]
  weight : Tensor
  mean : Tensor
  training : bool
"""
FORWARD = """  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    _0 = torch.add(torch.mul(x, self.weight), CONSTANTS.c0)
    if torch.gt(torch.len(torch.size(x)), 1):
      ops.prim.RaiseException("too many dimensions", "builtins.ValueError")
    else:
      pass
    return torch.sub(_0, self.mean)
"""


def archive_bytes(code: str, state: dict[str, Any], constants: tuple[Any, ...] = (), **fields: Any) -> io.BytesIO:
    target = io.BytesIO()
    root = ObjectRecord("__torch__.Net", {"training": True, **state})
    files = {"__torch__.py": code}
    write_script(target, ScriptArchive(root, constants, files, fields.pop("version", 10), name="net", **fields), parts)
    target.seek(0)
    return target


def simple(**fields: Any) -> io.BytesIO:
    state = {"weight": tensor([1, 2, 3], requires_grad=True), "mean": tensor([0.5])}
    return archive_bytes(HEAD + FORWARD, state, (tensor([10.0]),), **fields)


def with_attributes(
    declared: str, body: str, state: dict[str, Any], more: str = "", constants: tuple[Any, ...] = ()
) -> Any:
    """A module with attributes and a `forward` without arguments, loaded."""
    code = "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
    code += "".join(f"  {line}\n" for line in declared.split("; ") if line)
    code += "  def forward(self: __torch__.Net)" + body + more
    return load(archive_bytes(code, state, constants))


def test_a_module_runs_and_shows_its_parts() -> None:
    module = load(simple())
    assert isinstance(module, RecursiveScriptModule)
    assert module(linstock.ones(3)).tolist() == [10.5, 11.5, 12.5]
    assert module.weight.requires_grad and not module.mean.requires_grad
    assert list(module.state_dict()) == ["weight", "mean"] and module.original_name == "Net"
    for _ in range(2):  # as captured, then optimised
        with pytest.raises(ValueError, match=r"^too many dimensions") as error:
            module(linstock.ones(1, 3))
        assert isinstance(error.value, RaisedError)
        assert 'File "net/code/__torch__.py", line 11' in error.value.__notes__[0]


def test_sources_path_bytes_and_files(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(simple().getvalue())
    with path.open("rb") as file:
        for source in (path, str(path), path.read_bytes(), file):
            assert load(source)(linstock.ones(3)).tolist() == [10.5, 11.5, 12.5]


def test_writing_to_a_parameter_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(simple().getvalue())
    module = load(path)
    with linstock.no_grad():
        module.weight.zero_()
    assert load(path).weight.tolist() == [1.0, 2.0, 3.0]


def test_extra_files() -> None:
    wanted: dict[str, Any] = {"note.txt": "", "missing": None}
    load(simple(extra_files={"note.txt": b"hello", "other": b"x"}), _extra_files=wanted)
    assert wanted == {"note.txt": b"hello", "missing": b""}


def test_errors_show_where_the_code_was_first_written() -> None:
    source = Source("def forward(self, x):\n    assert x.dim() == 1, 'too many dimensions'\n", "model.py")
    code = HEAD + FORWARD
    entries = [(0, None), (code.index("ops.prim"), Span(source, 2, 4, 2, 46)), (code.index("else:"), None)]
    module = load(simple(debug={"__torch__.py": SourceTable(entries, code)}))
    with pytest.raises(ValueError) as error:
        module(linstock.ones(1, 3))
    assert 'File "model.py", line 2, column 5' in error.value.__notes__[0]
    assert "assert x.dim() == 1" in error.value.__notes__[0]


def test_what_is_shared_stays_shared() -> None:
    more = "class Link:\n  next : Optional[__torch__.Link]\n  n : int\n"
    second = ObjectRecord("__torch__.Link", {"next": None, "n": 2})
    first = ObjectRecord("__torch__.Link", {"next": second, "n": 1})
    shared = TypedContainer([1, 2], "List[int]")
    body = " -> int:\n    return (self.a).n\n"
    declared = "a : __torch__.Link; b : __torch__.Link; p : List[int]; q : List[int]"
    module = with_attributes(declared, body, {"a": first, "b": second, "p": shared, "q": shared}, more)
    slots = module._object.slots
    assert slots["a"].slots["next"] is slots["b"]
    assert slots["p"] is slots["q"]
    assert module() == 1 and module.a.n == 1


def test_setstate_is_run() -> None:
    more = (
        "class Box:\n  n : int\n  def __getstate__(self: __torch__.Box) -> Tuple[int, int]:\n    return (self.n, 2)\n"
        "  def __setstate__(self: __torch__.Box,\n    state: Tuple[int, int]) -> NoneType:\n"
        "    a, b, = state\n    self.n = torch.mul(a, b)\n    return None\n"
    )
    module = with_attributes(
        "box : __torch__.Box",
        " -> int:\n    return (self.box).n\n",
        {"box": ObjectRecord("__torch__.Box", (21, 2))},
        more,
    )
    assert module() == 42


def test_enums_named_tuples_and_optionals() -> None:
    more = "class Color(Enum):\n  RED = 1\n  BLUE = 2\nclass Point(NamedTuple):\n  a : int\n  b : float\n"
    body = " -> Tuple[__torch__.Color, __torch__.Point, int]:\n    p = self.p\n    return (self.color, p, (p).a)\n"
    module = with_attributes(
        "color : __torch__.Color; p : __torch__.Point; maybe : Optional[int]; rate : float",
        body, {"color": EnumRecord("__torch__.Color", 2), "p": (3, 4.0), "rate": 2}, more,
    )  # fmt: skip
    color, point, a = module()
    assert color.name == "BLUE" and color.value == 2 and color is module.color
    assert (point.a, point.b, a) == (3, 4.0, 3)
    assert module.maybe is None and type(module.rate) is float


def test_constants_may_be_objects() -> None:
    more = "class Box:\n  n : int\n"
    body = " -> int:\n    return (CONSTANTS.c0).n\n"
    module = with_attributes("", body, {}, more, (ObjectRecord("__torch__.Box", {"n": 7}),))
    assert module() == 7


def test_quantised_tensors() -> None:
    data = TensorData.of(np.array([[0, 10], [20, 30]], np.uint8), dtype=linstock.quint8)
    data = data.with_fields(quantizer=Quantizer("per_tensor_affine", 0.5, 10))
    module = with_attributes("q : Tensor", " -> Tensor:\n    return torch.dequantize(self.q)\n", {"q": data})
    assert module().tolist() == [[-5.0, 0.0], [5.0, 10.0]]
    assert module.q.dtype is linstock.quint8


def test_devices_that_are_not_here() -> None:
    data = tensor([1.0], device="cuda:0")
    body = " -> Tensor:\n    return self.t\n"
    with pytest.warns(UserWarning, match="'cuda:0' are loaded into the CPU's memory"):
        module = with_attributes("t : Tensor", body, {"t": data})
    assert module().device.type == "cpu"
    code = "class Net(Module):\n  __parameters__ = []\n  training : bool\n  t : Tensor\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(archive_bytes(code, {"t": data}), map_location="cpu")
    with pytest.raises(RuntimeError):
        load(archive_bytes(code, {"t": data}), map_location="nonsense")
    with pytest.raises(TypeError, match="map_location"):
        load(archive_bytes(code, {"t": data}), map_location=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "state", "message"),
    [
        ("", {}, "does not define the class '__torch__.Net'"),
        ("class Net(Module):\n  training : bool\n  n : int\n", {}, "no value for its attribute 'n'"),
        (
            "class Net(Module):\n  training : bool\n  x : Any\n",
            {"x": ObjectRecord("__torch__.Nope", {})},
            "'__torch__.Nope'",
        ),
        ("class Net(Module):\n  training : bool\n  x : Any\n", {"x": EnumRecord("__torch__.Net", 1)}, "is not an enum"),
        (
            "class Net(Module):\n  training : bool\n  x : Any\n",
            {"x": ObjectRecord("__torch__.torch.classes.my.Tokenizer", "state")},
            "custom class 'my.Tokenizer'",
        ),
        ("class Net(Module:\n", {}, "cannot be parsed"),
    ],
)
def test_archives_that_do_not_fit_together(code: str, state: dict[str, Any], message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        load(archive_bytes(code, state))


def test_a_state_without_setstate() -> None:
    target = io.BytesIO()
    code = {"__torch__.py": "class Net(Module):\n  training : bool\n"}
    write_script(target, ScriptArchive(ObjectRecord("__torch__.Net", (1, 2)), (), code, 10, name="n"), parts)
    with pytest.raises(ArchiveError, match="no __setstate__"):
        load(target.getvalue())


def test_files_that_are_something_else() -> None:
    with pytest.raises(ArchiveError, match="not a TorchScript archive"):
        load(b"hello")
    with pytest.raises(ArchiveError, match="not a TorchScript archive"):
        load(zip_of({"a.txt": "x"}))
    with pytest.raises(OSError):
        load("/no/such/file.pt")


def test_code_that_is_never_called_may_be_wrong() -> None:
    code = (
        HEAD
        + FORWARD
        + "  def broken(self: __torch__.Net) -> Tensor:\n    return torch.no_such_operator(self.weight)\n"
    )
    state = {"weight": tensor([1.0]), "mean": tensor([0.0])}
    module = load(archive_bytes(code, state, (tensor([0.0]),)))
    assert module(linstock.ones(1)).tolist() == [1.0]
    with pytest.raises(RuntimeError, match="no_such_operator"):
        module.broken()


def test_objects_given_out_are_faces() -> None:
    more = "class Box:\n  n : int\n  def double(self: __torch__.Box) -> int:\n    return torch.mul(self.n, 2)\n"
    body = " -> List[__torch__.Box]:\n    return [self.box]\n"
    module = with_attributes("box : __torch__.Box", body, {"box": ObjectRecord("__torch__.Box", {"n": 4})}, more)
    (box,) = module()
    assert box is module.box and box.double() == 8
    box.n = 5
    assert isinstance(module._object.slots["box"], ScriptObject) and module.box.double() == 10


def test_a_module_that_is_let_go_is_freed_with_its_classes() -> None:
    module = load(simple())
    module(linstock.ones(3))
    module(linstock.ones(3))
    thing, kind = weakref.ref(module._object), weakref.ref(module._object.type)
    del module
    gc.collect()
    assert thing() is None and kind() is None
