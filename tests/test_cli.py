"""The command line: what each command prints, and what it says of input that is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import linstock
from linstock import jit, nn
from linstock.cli import main


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.register_buffer("steps", linstock.zeros(1, dtype=linstock.int64))

    def forward(self, x: linstock.Tensor, times: int = 1) -> linstock.Tensor:
        for _ in range(times):
            x = linstock.relu(x)
        return self.layer(x)

    @jit.export
    def parts(self, x: linstock.Tensor) -> tuple[linstock.Tensor, dict[str, float]]:
        return x + 1, {"mean": float(x.mean()), "none": float("nan")}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a model and inputs."""
    monkeypatch.chdir(tmp_path)
    linstock.manual_seed(0)
    jit.save(jit.script(Net()), "net.pt")
    np.save("x.npy", np.ones((2, 4), np.float32))
    np.savez("x.npz", a=np.ones((2, 4), np.float32))
    np.save("wrong.npy", np.ones((2, 5), np.float32))
    np.save("ints.npy", np.ones((2, 4), np.int64))
    np.save("nan.npy", np.full((1, 4), np.nan, np.float32))
    np.save("none.npy", np.ones((0, 4), np.float32))
    np.save("objects.npy", np.array([{}], dtype=object))
    (tmp_path / "folder").mkdir()
    return tmp_path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], work: Path) -> Run:
    """Runs a command: gives its exit code, output and error output."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = 0
        try:
            main(list(arguments))
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else 1
        out, err = capsys.readouterr()
        return code, out, err

    return call


def changed(change: Callable[[str, bytes], bytes | None], name: str = "changed.pt") -> str:
    """The model with records changed, or left out where the change gives None."""
    with zipfile.ZipFile("net.pt") as old, zipfile.ZipFile(name, "w") as new:
        for record in old.namelist():
            content = change(record, old.read(record))
            if content is not None:
                new.writestr(record, content)
    return name


def code_changed(old: bytes, new: bytes) -> str:
    return changed(lambda name, data: data.replace(old, new) if name.endswith(".py") else data)


# -- what works --------------------------------------------------------------------------------------------------------
def test_run(run: Run) -> None:
    code, out, err = run("run", "net.pt", "x.npy", "3")
    assert (code, err) == (0, "") and out.startswith("output: float32 [2, 2] [[")
    assert run("run", "net.pt", "x.npz", "3")[1] == out
    code, out, _ = run("run", "net.pt", "x.npy", "--method", "parts")
    assert code == 0 and "output[0]: float32 [2, 4]" in out and "output[1]['mean']: 1.0" in out


def test_run_writes_json_that_is_json(run: Run) -> None:
    found = json.loads(run("run", "net.pt", "x.npy", "--json")[1])
    assert found["output"]["dtype"] == "float32" and found["output"]["shape"] == [2, 2]
    found = json.loads(run("run", "net.pt", "x.npy", "--method", "parts", "--json")[1])
    assert found["output[1]['none']"] == "nan"
    found = json.loads(run("run", "net.pt", "nan.npy", "--json")[1])
    assert found["output"]["data"] == [["nan", "nan"]]


def test_run_writes_files(run: Run, work: Path) -> None:
    assert run("run", "net.pt", "x.npy", "--out", "y.npy")[0] == 0
    assert np.load("y.npy").shape == (2, 2)
    assert run("run", "net.pt", "x.npy", "--method", "parts", "--out", "y.npz")[0] == 0
    with np.load("y.npz") as found:
        assert found["output[1]['mean']"] == 1.0
    assert not [p for p in work.iterdir() if "partial" in p.name or p.suffix == ".tmp"]


def test_run_takes_nan_and_nothing(run: Run) -> None:
    assert run("run", "net.pt", "nan.npy")[1] == "output: float32 [1, 2] [[nan, nan]]\n"
    assert run("run", "net.pt", "none.npy")[1] == "output: float32 [0, 2] (empty)\n"


def test_inspect(run: Run) -> None:
    code, out, _ = run("inspect", "net.pt")
    assert code == 0
    for text in ("Net", "archive version", "method: forward(", "Tensor x, int times=1) -> Tensor", "method: parts(",
                 "parameters: 10 in 2 tensors; buffers: 1", "layer.weight", "steps", "int64", "aten::relu", "aten::linear"):  # fmt: skip
        assert text in out, text
    code, out, _ = run("inspect", "net.pt", "--code", "--graph")
    assert code == 0 and "def forward(self" in out and "graph(%self" in out and "prim::Loop" in out
    facts = json.loads(run("inspect", "net.pt", "--json")[1])
    assert facts["parameter_count"] == 10 and facts["buffers"][0]["name"] == "steps" and facts["problems"] == []
    assert facts["bytes"] == Path("net.pt").stat().st_size and facts["operators"]["aten::relu"] == 1


def test_inspect_shows_what_it_can_of_a_model_that_does_not_compile(run: Run) -> None:
    name = code_changed(b"torch.relu(", b"torch.relux(")
    code, out, _ = run("inspect", name)
    assert code == 0 and "layer.weight" in out and "problem: '__torch__" in out and "aten::relux" in out
    code, out, _ = run("inspect", name, "--code", "--graph")
    assert code == 0 and "# cannot be compiled: unknown operator 'aten::relux'" in out and "def parts(" in out
    assert "aten::relux" in json.loads(run("inspect", name, "--json")[1])["problems"][0]


def test_check(run: Run) -> None:
    assert run("check", "net.pt") == (0, "net.pt: every operator and type is supported\n", "")
    assert json.loads(run("check", "net.pt", "--json")[1]) == {"supported": True, "problems": []}
    name = code_changed(b"torch.relu(", b"torch.relux(")
    code, out, _ = run("check", name)
    assert code == 1 and "unknown operator 'aten::relux'. The nearest known: aten::relu" in out and "line" in out
    code, out, _ = run("check", name, "--json")
    assert code == 1 and not json.loads(out)["supported"]


def test_check_knows_operators_that_are_written_over_tensors(run: Run) -> None:
    name = code_changed(b"torch.relu(x0)", b"torch.mul(x0, int(ops.prim.requires_grad(x0)))")
    assert run("check", name)[0] == 0


def test_ops(run: Run) -> None:
    code, out, _ = run("ops")
    assert code == 0 and "aten::add.Tensor" in out and "…" not in out.split("\n")[1]
    rows = json.loads(run("ops", "relu", "--json")[1])
    assert {"name", "family", "kernel", "gradient", "onnx"} == set(rows[0]) and any(
        r["name"] == "aten::relu" for r in rows
    )
    assert run("ops", "--markdown")[1].startswith("# Operators\n")
    assert run("ops", "--missing")[0] == 0
    code, _, err = run("ops", "relux")
    assert (
        code == 2
        and err
        == "linstock: no operator's name contains 'relux'; the nearest known: aten::relu, aten::rrelu, aten::relu_\n"
    )


def test_export(run: Run) -> None:
    code, out, err = run("export", "net.pt", "net.onnx", "--input", "x.npy", "--dynamic", "x:0=batch")
    assert (code, out, err) == (0, "written to net.onnx\n", "")
    assert Path("net.onnx").stat().st_size > 100


def test_version_and_help(run: Run) -> None:
    assert run("--version")[1].startswith("linstock ")
    for command in ("run", "inspect", "check", "export", "ops"):
        code, out, _ = run(command, "--help")
        assert code == 0 and "Example" in out
    code, _, err = run()
    assert code == 2 and err.startswith("Usage: ")


def test_as_a_program(work: Path) -> None:
    """Exit codes and streams of the real thing; a reader that stops early is no error."""
    command = [sys.executable, "-m", "linstock.cli"]
    done = subprocess.run([*command, "run", "net.pt", "x.npy"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("output: ") and done.stderr == ""
    done = subprocess.run([*command, "run", "nosuch.pt"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "linstock: no such file: nosuch.pt\n")
    with subprocess.Popen([*command, "ops"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


# -- what is wrong -----------------------------------------------------------------------------------------------------
def bad_files() -> None:
    """Files that are no model, by name."""
    raw = Path("net.pt").read_bytes()
    Path("cut.pt").write_bytes(raw[: len(raw) // 2])
    Path("empty.pt").write_bytes(b"")
    Path("text.pt").write_text("hello\n")
    Path("page.pt").write_text("<!DOCTYPE html><html>404</html>")
    Path("pointer.pt").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 1\n")
    linstock.save(jit.load("net.pt").state_dict(), "state.pt")
    changed(lambda name, data: b"11\n" if name.endswith("version") else data, "newer.pt")
    changed(lambda name, data: None if name.endswith("version") else data, "unversioned.pt")
    changed(lambda name, data: None if name.endswith("data.pkl") else data, "headless.pt")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("nosuch.pt", "no such file: nosuch.pt"),
        ("folder", "folder is a directory: give a model file"),
        ("cut.pt", "it is a zip archive without its directory, so it was cut short: download or copy it again"),
        ("empty.pt", "it is empty"),
        ("text.pt", "it is text, beginning with 'hello'"),
        ("page.pt", "it is a web page: the download went wrong"),
        ("pointer.pt", "it is a Git LFS pointer, not the file: run `git lfs pull`"),
        ("x.npy", "it is a NumPy .npy file: read it with numpy.load"),
        (
            "state.pt",
            "it is a file of torch.save with a state_dict or other values, but no program: linstock.load reads",
        ),
        ("newer.pt", "archive version 11 is newer than the newest known 10: update linstock, or save the model with"),
        ("unversioned.pt", "has no version record"),
        ("headless.pt", "has no data.pkl"),
    ],
)
@pytest.mark.parametrize("command", ["run", "inspect", "check", "export"])
def test_files_that_are_no_model(run: Run, command: str, name: str, wanted: str) -> None:
    bad_files()
    arguments = [command, name, "out.onnx"] if command == "export" else [command, name]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and err.startswith("linstock: ") and wanted in err, err
    assert err.count("\n") == 1 and not Path("out.onnx").exists()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "forward() is missing value for argument 'x'. Declaration: forward("),
        (["x.npy", "1", "2"], "expected at most 3 argument(s) but received 4 argument(s)"),
        (["x.npy", "text"], "Expected a value of type 'int' for argument 'times' but instead found type 'str'"),
        (["x.npy", "1.5"], "Expected a value of type 'int' for argument 'times' but instead found type 'float'"),
        (['{"a": 1}'], "Expected a value of type 'Tensor' for argument 'x' but instead found type 'dict'"),
        (["wrong.npy"], "shapes cannot be multiplied"),
        (["ints.npy"], "expected arguments of the same dtype, but got Long and Float"),
        (["nosuch.npy"], "no such file: nosuch.npy"),
        (["objects.npy"], "objects.npy cannot be read as NumPy arrays"),
        (["net.pt"], "input 'net.pt' is neither a .npy or .npz file nor a JSON value"),
        (["x.npy", "--method", "nope"], "the model has no method 'nope': `linstock inspect net.pt` lists its methods"),
        (["x.npy", "--method", "training"], "the model has no method 'training'"),
        (["x.npy", "--out", "folder"], "folder cannot be written"),
        (["x.npy", "--out", "folder/"], "folder cannot be written"),
        (["x.npy", "--out", "nowhere/y.npy"], "nowhere/y.npy cannot be written: there is no directory nowhere"),
        (["x.npy", "--out", "y.txt"], "y.txt cannot be written: the name must end in .npy or .npz"),
        (["x.npy", "--method", "parts", "--out", "y.npy"], "the model gives 3 results: write them to an .npz file"),
        (["x.npy", "--nonsense"], "No such option: --nonsense"),
    ],
)
def test_wrong_ways_to_run(run: Run, work: Path, arguments: list[str], wanted: str) -> None:
    before = sorted(p.name for p in work.iterdir())
    code, out, err = run("run", "net.pt", *arguments)
    assert (code, out) == (2, "") and err.startswith("linstock: ") and wanted in err, err
    assert sorted(p.name for p in work.iterdir()) == before
    assert "site-packages" not in err and "runtime/" not in err  # no traceback of linstock's own


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "the example inputs lack a value for argument 'x'"),
        (["--input", "x.npy", "--dynamic", "x"], "--dynamic takes NAME:AXIS=SIZE_NAME, not 'x'"),
        (["--input", "x.npy", "--dynamic", "y:0"], "names 'y', but the inputs are x"),
        (["--input", "x.npy", "--dynamic", "x:9"], "dimension 9 of input 'x', which has 2"),
        (["--input", "x.npy", "--opset", "3"], "opset_version must be between"),
        (["--input", "nosuch.npy"], "no such file: nosuch.npy"),
    ],
)
def test_wrong_ways_to_export(run: Run, work: Path, arguments: list[str], wanted: str) -> None:
    before = sorted(p.name for p in work.iterdir())
    code, out, err = run("export", "net.pt", "out.onnx", *arguments)
    assert (code, out) == (2, "") and wanted in err, err
    assert sorted(p.name for p in work.iterdir()) == before


@pytest.mark.parametrize("target", ["nowhere/net.onnx", "folder"])
def test_places_that_onnx_cannot_be_written_to(run: Run, target: str) -> None:
    code, _, err = run("export", "net.pt", target, "--input", "x.npy")
    assert code == 2 and f"{target} cannot be written" in err and err.count("\n") == 1


def test_unknown_operators_are_named_with_their_place(run: Run) -> None:
    code, _, err = run("run", code_changed(b"torch.relu(", b"ops.torchvision.nms("), "x.npy")
    assert (
        code == 2 and err.startswith("linstock: unknown operator 'torchvision::nms'") and "line" in err and "^^^" in err
    )


def test_errors_of_the_program_show_its_own_lines(run: Run) -> None:
    _, _, err = run("run", "net.pt", "wrong.npy")
    assert "Traceback of the program" in err and "in forward" in err


def test_commands_that_are_not_there(run: Run) -> None:
    code, _, err = run("nonsense")
    assert code == 2 and "No such command 'nonsense'" in err
    code, _, err = run("run")
    assert code == 2 and "Missing argument" in err
