"""What the API says of files, inputs and places that are wrong: the cause in one line, and what to do."""

from __future__ import annotations

import io
import os
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linstock
from linstock import jit, nn
from linstock.ir.errors import ArchiveError, CompileError, InputError, LinstockError, MissingKernelError
from linstock.runtime.archive.records import EnumRecord, ObjectRecord, TensorData
from linstock.runtime.archive.script import ScriptArchive, write_script
from linstock.runtime.dispatch import is_runnable

sys.path.insert(0, str(Path(__file__).parent / "archive"))
from archive_helpers import parts, tensor, zip_of

HEAD = "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
FORWARD = "  def forward(self: __torch__.Net,\n    x: Tensor,\n    n: int=1,\n    xs: Optional[List[float]]=None) -> Tensor:\n"


def raw(code: str, state: dict[str, Any] | None = None, version: int = 10, constants: tuple[Any, ...] = ()) -> bytes:
    target = io.BytesIO()
    record = ObjectRecord("__torch__.Net", {"training": True, **(state or {})})
    write_script(target, ScriptArchive(record, constants, {"__torch__.py": code}, version, name="net"), parts)
    return target.getvalue()


def net(body: str = "return torch.mul(x, n)", **fields: Any) -> Any:
    return jit.load(raw(f"{HEAD}{FORWARD}    {body}\n", **fields))


# -- files -------------------------------------------------------------------------------------------------------------
def test_sources_that_are_none() -> None:
    for source in (None, 3, ["net.pt"]):
        with pytest.raises(ArchiveError, match="expected a path, a binary file object or bytes, got"):
            jit.load(source)  # type: ignore[arg-type]
    with pytest.raises(ArchiveError, match=r"open it in binary mode \('rb'\)"):
        jit.load(io.StringIO("text"))  # type: ignore[arg-type]
    closed = io.BytesIO(raw(HEAD))
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        jit.load(closed)


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        jit.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        jit.load(tmp_path / "net.pt")
    with pytest.raises(IsADirectoryError):
        linstock.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (
            b"\x80\x02}.",
            "it is a Python pickle that torch.save did not write; unpickling runs code, so linstock does not",
        ),
        (bytes(100), "it is filled with zero bytes, so it was not written completely: download or copy it again"),
        (raw(HEAD)[:500], "it is a zip archive without its directory, so it was cut short: download or copy it again"),
        (zip_of({"a.txt": "x"}), r"it is a zip archive of something else \(it holds a.txt\)"),
    ],
)
def test_content_that_is_no_archive(content: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=f"^the file is not a TorchScript archive: {message}"):
        jit.load(content)


def eager(value: Any) -> bytes:
    target = io.BytesIO()
    linstock.save(value, target)
    return target.getvalue()


def test_files_of_torch_save() -> None:
    for value in (nn.Linear(2, 1).state_dict(), {"model": nn.Linear(2, 1).state_dict(), "epoch": 3}, linstock.ones(3)):
        with pytest.raises(
            ArchiveError, match=r"a state_dict or other values, but no program: linstock\.load reads the values; to run"
        ):
            jit.load(eager(value))
    pickled = b"\x80\x02cmodel\nNet\n)\x81}b."
    with pytest.raises(
        ArchiveError,
        match=r"a pickled Python object of 'model\.Net', which only its source can read: save the model with",
    ):
        jit.load(zip_of({"data.pkl": pickled, "version": "3\n"}))
    layer = b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81}b."
    with pytest.raises(ArchiveError, match=r"'torch\.nn\.modules\.linear\.Linear'"):
        jit.load(zip_of({"data.pkl": layer, "version": "3\n"}))
    with pytest.raises(ArchiveError, match=r"refers to 'model\.Net', a class or function and not data"):
        linstock.load(io.BytesIO(zip_of({"data.pkl": pickled, "version": "3\n"})))


def test_newer_versions_name_both_numbers() -> None:
    with pytest.raises(
        ArchiveError, match="archive version 11 is newer than the newest known 10: update linstock, or save the model"
    ):
        jit.load(raw(HEAD, version=11))


def test_operators_that_nobody_knows() -> None:
    with pytest.raises(CompileError, match=r"unknown operator 'aten::relux'\. The nearest known: aten::relu") as error:
        net("return torch.relux(x)")(linstock.ones(1))
    assert 'File "net/code/__torch__.py", line 9' in str(error.value) and "^^^^" in str(error.value)
    with pytest.raises(CompileError, match="unknown operator 'torchvision::nms'"):
        net("return ops.torchvision.nms(x, x, 0.5)")(linstock.ones(1))


def test_classes_written_in_cpp_are_named() -> None:
    code = HEAD + "  t : __torch__.torch.classes.my.Tokenizer\n"
    state = {"t": ObjectRecord("__torch__.torch.classes.my.Tokenizer", "state")}
    with pytest.raises(
        ArchiveError,
        match=r"an object of the custom class 'my\.Tokenizer', which is written in C\+\+ outside of it; linstock has",
    ):
        jit.load(raw(code, state))


def test_values_that_do_not_fit_the_code() -> None:
    with pytest.raises(
        ArchiveError,
        match=r"attribute 'n' of an object of '__torch__\.Net' should be of type int, but the archive holds a value of type str",
    ):
        jit.load(raw(HEAD + "  n : int\n", {"n": "text"}))
    with pytest.raises(
        ArchiveError, match=r"should be of type List\[int\], but the archive holds a value of type List\[str\]"
    ):
        jit.load(raw(HEAD + "  n : List[int]\n", {"n": ["a"]}))
    with pytest.raises(ArchiveError, match=r"data\.pkl of the file holds a tuple instead of a module"):
        records = {"data.pkl": b"\x80\x02).", "constants.pkl": b"\x80\x02).", "version": "3\n"}
        jit.load(zip_of(records))
    with pytest.raises(ArchiveError, match="its values do not fit its code"):
        jit.load(
            raw(
                HEAD + "  c : __torch__.Color\nclass Color(Enum):\n  RED = 1\n", {"c": EnumRecord("__torch__.Color", 7)}
            )
        )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = " + "(" * 300 + ")" * 300, "nests brackets more than 200 deep"),
        ("x = " + "-" * 5000 + "1", "chains more than 100 operators"),
        ("x = " + "not " * 5000 + "1", "chains more than 100 operators"),
        ("x = " + "2 ** " * 5000 + "1", "chains more than 100 operators"),
        ("x = " + "1 if x else " * 5000 + "1", "chains more than 100 operators"),
        ("if x:\n  pass\n" + "elif x:\n  pass\n" * 5000, "chains more than 100 operators"),
        ("x = '''" + "(" * 300 + "'''\nx = (", "cannot be parsed"),
        ('x = "a\\"' + "(" * 300 + '"\nx = (', "cannot be parsed"),
        ("x = 1 + \\\n  2", "continues a line by a backslash"),
        ("x = 1\0", "contains a null character"),
        ("".join(" " * i + "if x:\n" for i in range(150)) + " " * 150 + "pass", "cannot be parsed"),
        ("x = " + "1" * 5000, "cannot be parsed"),
        ("class Net(Module):\n  x : " + "List[" * 150 + "int" + "]" * 150, "does not define|nested|parts|no value"),
    ],
)
def test_code_that_would_overflow_a_parser(code: str, message: str) -> None:
    with pytest.raises(LinstockError, match=message):
        jit.load(raw(code))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("\n    ".join(["y = x", *["y = (y, y)"] * 60, "return x"]), "a type has .* parts"),
        ("t = (1, 2, 3, 4, 5, 6, 7, 8)\n    " + "".join(f"for a{i} in t:\n{' ' * (5 + i)}" for i in range(12)) + "pass", "too many steps to compile"),
        ("return torch.add(x, 0x" + "f" * 5000 + ")", "does not fit"),
        ("ops.prim.RaiseException()\n    return x", "not valid TorchScript"),
        ("return " + "torch.neg(" * 190 + "x" + ")" * 190, ""),
        ("return " + "+".join(["x"] * 4000), "nested too deeply|cannot be parsed|maximum recursion"),
        ("return CONSTANTS.c9", r"refers to constant 9, but constants\.pkl has 0"),
        ("x : 'List[' = x\n    return x", "not valid TorchScript|is not a type|invalid"),
    ],
)  # fmt: skip
def test_code_that_no_printer_wrote(body: str, message: str) -> None:
    if not message:
        assert net(body)(linstock.ones(1)).tolist() == [1.0]
        return
    with pytest.raises(LinstockError, match=message):
        net(body)(linstock.ones(1))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("while True:\n      self.n = 1", "does not come to an end"),
        ("for i in range(9223372036854775807):\n      self.n = i", "does not come to an end"),
        ("t = torch.zeros([100000, 100000])", "more than a file of its size can need"),
        ("t = torch.ones([1]).expand([100000, 100000])\n    t0 = torch.add(t, 1)", "more than a file of its size can need"),
        ("t = torch.ones([100000, 1])\n    t0 = torch.mul(t, torch.ones([1, 100000]))", "more than a file of its size can need"),
        ("s = \"x\"\n    for i in range(100):\n      s0 = torch.add(s, s)\n      s = s0", "makes a value of"),
        ("xs = [1]\n    for i in range(100):\n      torch.extend(xs, xs)", "makes a value of"),
        ("t = torch.arange(9000000000000)", "more than a file of its size can need"),
        ("t = torch.mm(torch.ones([5000, 5000]), torch.ones([5000, 5000]))\n    for i in range(1000):\n      t0 = torch.mm(t, t)", "more than a file"),
        ("t = torch.add(torch.ones([2]), torch.ones([3]))", "failed|runs when the file is loaded"),
        ("ops.prim.RaiseException(\"no\", \"builtins.ValueError\")", "^no"),
    ],
)  # fmt: skip
def test_code_that_runs_when_a_file_is_loaded_is_bounded(body: str, message: str) -> None:
    code = (
        HEAD
        + "  b : __torch__.B\nclass B:\n  n : int\n  def __setstate__(self: __torch__.B,\n    s: int) -> NoneType:\n    "
    )
    with pytest.raises(LinstockError, match=message):
        jit.load(raw(f"{code}{body}\n    return None\n", {"b": ObjectRecord("__torch__.B", 3)}))


def test_states_must_be_of_the_declared_type() -> None:
    code = (
        HEAD
        + "  b : __torch__.B\nclass B:\n  n : int\n  def __setstate__(self: __torch__.B,\n    s: Tuple[int, str]) -> NoneType:\n    return None\n"
    )
    with pytest.raises(
        ArchiveError, match=r"the state of an object of '__torch__\.B' should be of type Tuple\[int, str\]"
    ):
        jit.load(raw(code, {"b": ObjectRecord("__torch__.B", (1, 2))}))


def test_values_that_share_parts_endlessly() -> None:
    doubled: Any = (1,)
    for _ in range(60):
        doubled = (doubled, doubled)
    with pytest.raises(ArchiveError, match="again and again"):
        jit.load(raw(HEAD + "  x : Any\n", {"x": doubled}))


def test_programs_cannot_reach_files() -> None:
    assert not any(map(is_runnable, ("aten::save", "aten::from_file", "aten::from_file.out")))
    with pytest.raises(MissingKernelError):
        net('y = torch.from_file("/etc/passwd", False, 10)\n    return y')(linstock.ones(1))


# -- inputs ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, x: m(), r"forward\(\) is missing value for argument 'x'\. Declaration: forward\("),
        (lambda m, x: m(x, 1, None, 4), r"expected at most 4 argument\(s\) but received 5 argument\(s\)"),
        (lambda m, x: m(x, k=1), "Unknown keyword argument 'k'"),
        (lambda m, x: m(x, x=x), "Argument 'x' specified both as positional and keyword argument"),
        (lambda m, x: m("a"), "Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'"),
        (lambda m, x: m([1.0]), "Expected a value of type 'Tensor' for argument 'x' but instead found type 'list'"),
        (lambda m, x: m(x, 1.0), "Expected a value of type 'int' for argument 'n' but instead found type 'float'"),
        (lambda m, x: m(x, "1"), "Expected a value of type 'int' for argument 'n' but instead found type 'str'"),
        (lambda m, x: m(x, 1 << 70), "it does not fit into 64 bits"),
        (lambda m, x: m(x, np.uint64(1 << 63)), "it does not fit into 64 bits"),
        (lambda m, x: m(x, 1, ["a"]), r"Expected a value of type 'Optional\[List\[float\]\]' for argument 'xs'"),
        (lambda m, x: m(x, 1, {"a": 1.0}), r"Expected a value of type 'Optional\[List\[float\]\]' for argument 'xs'"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(call: Callable[[Any, Any], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(net(), linstock.ones(2))


def test_shapes_and_types_that_do_not_fit_show_the_programs_line() -> None:
    weight = {"w": tensor(np.ones((2, 4)))}
    code = f"{HEAD}  w : Tensor\n{FORWARD}    return torch.linear(x, self.w)\n"
    module = jit.load(raw(code, weight))
    for value, message in (
        (linstock.ones(1, 5), "shapes cannot be multiplied"),
        (linstock.ones(1, 4, dtype=linstock.float64), "Double and Float"),
        (linstock.ones(1, 4, dtype=linstock.int64), "Long and Float"),
    ):
        for _ in range(2):  # as captured, then optimised
            with pytest.raises(RuntimeError, match=message) as error:
                module(value)
            assert any("line 10" in note and "torch.linear(x, self.w)" in note for note in error.value.__notes__)


def test_nan_infinity_and_empty_tensors_are_values_like_others() -> None:
    module = net()
    assert np.isnan(module(linstock.tensor([float("nan")]), 2).numpy()).all()
    assert module(linstock.tensor([float("inf")]), 2).tolist() == [float("inf")]
    assert module(linstock.ones(0, 3)).shape == (0, 3) and module(linstock.tensor(2.0), 3).item() == 6


# -- places to write to ------------------------------------------------------------------------------------------------
def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    module = net()
    for save in (lambda place: jit.save(module, place), lambda place: linstock.save({"a": linstock.ones(2)}, place)):
        with pytest.raises(IsADirectoryError):
            save(tmp_path)
        with pytest.raises(FileNotFoundError, match=r"No such directory: .*nowhere"):
            save(tmp_path / "nowhere" / "net.pt")
        with pytest.raises(ArchiveError, match="expected a path or a binary file object to write to, got int"):
            save(3)
        with pytest.raises(ArchiveError, match=r"open it in binary mode \('wb'\)"):
            save(io.StringIO())
    assert list(tmp_path.iterdir()) == []


class Full(io.RawIOBase):
    """A disk that is full after some bytes."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise OSError(28, "No space left on device")


def test_a_save_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    module, path = net(), tmp_path / "net.pt"
    jit.save(module, path)
    before = path.read_bytes()
    with pytest.raises(OSError, match="No space left"):
        jit.save(module, Full())  # type: ignore[arg-type]
    with pytest.raises(ArchiveError, match="not a relative path"):
        jit.save(module, path, {"../a": "x"})
    with pytest.raises(ArchiveError, match="cannot save a value of type"):
        linstock.save({"a": linstock.ones(2), "b": object()}, path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["net.pt"]


def test_links_and_devices(tmp_path: Path) -> None:
    """A link stays and what it leads to is replaced; a device is written to."""
    real, link = tmp_path / "real.pt", tmp_path / "link.pt"
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system has no links")
    jit.save(net(), link)
    assert link.is_symlink() and jit.load(real)(linstock.ones(1)).tolist() == [1.0]
    if Path("/dev/null").is_char_device():
        jit.save(net(), "/dev/null")
        assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_new_files_have_the_rights_of_new_files(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        jit.save(net(), tmp_path / "net.pt")
    finally:
        os.umask(before)
    if os.name == "posix":
        assert (tmp_path / "net.pt").stat().st_mode & 0o777 == 0o666 & ~mask
        (tmp_path / "net.pt").chmod(0o640)
        jit.save(net(), tmp_path / "net.pt")
        assert (tmp_path / "net.pt").stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_saved() -> None:
    with pytest.raises(TypeError, match="script or trace it first"):
        jit.save(nn.Linear(1, 1), io.BytesIO())
    with pytest.raises(TypeError, match="_extra_files maps names to str or bytes, not 'a' to int"):
        jit.save(net(), io.BytesIO(), {"a": 3})
    with pytest.raises(TypeError, match="_extra_files is a dict"):
        jit.load(raw(HEAD), _extra_files=["a"])  # type: ignore[arg-type]


def test_devices_that_are_not_here_are_told_before_anything_is_read() -> None:
    with pytest.raises(RuntimeError, match="invalid device string: 'nonsense'"):
        jit.load(raw(HEAD), map_location="nonsense")
    try:
        linstock.ones(1).to("cuda")
    except RuntimeError:
        with pytest.raises(RuntimeError, match=r"^CUDA is not available here.*map_location='cpu'"):
            jit.load(raw(HEAD), map_location="cuda")


def test_changed_names_of_records_are_safe() -> None:
    """No name of an archive leads outside of it, and none is written anywhere."""
    for name in ("../x", "/x", "a/../../x", "C:/x"):
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr("net/data.pkl", b"")
            archive.writestr(name, b"x")
        with pytest.raises(ArchiveError, match=r"unsafe name|not in a folder|two entries"):
            jit.load(target.getvalue())


def test_messages_are_short() -> None:
    """A hostile name does not fill the screen."""
    code = HEAD.replace("training : bool", "training : bool\n  x : int") + "a" * 3000 + " = 1\n"
    with pytest.raises(LinstockError) as error:
        jit.load(raw(code, {"x": "y" * 100_000}))
    assert len(re.sub(r"\s+", " ", str(error.value))) < 5000


def test_tensors_lie_within_their_records() -> None:
    data = TensorData.of(np.arange(4, dtype=np.float32))
    broken = data.with_fields(sizes=(1000,))
    with pytest.raises(ArchiveError, match="beyond its storage"):
        jit.load(raw(HEAD + "  t : Tensor\n", {"t": broken}))
