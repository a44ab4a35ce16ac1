"""The command line: run, inspect, check, export TorchScript models and list operators, without PyTorch."""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from linstock.runtime.script_module import ScriptModule

app = typer.Typer(
    name="linstock",
    help="Run, inspect, check and export TorchScript models without PyTorch.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Model = Annotated[Path, typer.Argument(help="A TorchScript archive (.pt, .ptl).", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"linstock {version('linstock')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run, inspect, check and export TorchScript models without PyTorch."""


def _fail(message: str) -> NoReturn:
    typer.echo(f"linstock: {message}", err=True)
    raise SystemExit(2)


def _load(path: Path) -> ScriptModule:
    from linstock import jit

    if path.is_dir():
        _fail(f"{path} is a directory: give a model file")
    if not path.exists():
        _fail(f"no such file: {path}")
    return jit.load(path, map_location="cpu")


@app.command(epilog="Examples:  linstock run model.pt x.npy    linstock run vad.pt chunk.npy 16000 --out y.npz")
def run(
    model: Model,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help='Inputs in order: .npy files, .npz files (their arrays in order), or JSON values (16000, 0.5, true, "text", [1, 2]).',
            show_default=False,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the results to this .npy or .npz file.")] = None,
    method: Annotated[str, typer.Option(help="The method to call.")] = "forward",
    as_json: Json = False,
) -> None:
    """Run a model on inputs and print (or save) what it gives."""
    if out is not None:
        _check_out(out, (".npy", ".npz"))
    module = _load(model).eval()
    arguments = [v for text in inputs or () for v in _input(text)]
    if not callable(getattr(module, method, None)):
        _fail(f"the model has no method '{method}': `linstock inspect {model}` lists its methods")
    from linstock import no_grad

    with no_grad():
        result = module(*arguments) if method == "forward" else getattr(module, method)(*arguments)
    leaves = dict(_leaves(result, "output"))
    if out is not None:
        _write(out, leaves)
    if as_json:
        typer.echo(json.dumps({name: _summary(v) for name, v in leaves.items()}, allow_nan=False))
        return
    for name, value in leaves.items():
        typer.echo(f"{name}: {_describe(value)}")
    if out is not None:
        typer.echo(f"written to {out}")


def _input(text: str) -> list[Any]:
    """The values that one argument stands for."""
    import numpy as np

    from linstock import from_numpy

    path = Path(text)
    if path.suffix in (".npy", ".npz"):
        if not path.exists():
            _fail(f"no such file: {path}")
        try:
            data = np.load(path, allow_pickle=False)
            arrays = [data] if path.suffix == ".npy" else [data[k] for k in data.files]
        except (ValueError, OSError, EOFError) as problem:
            _fail(f"{path} cannot be read as NumPy arrays: {problem}")
        return [from_numpy(np.array(a)) for a in arrays]
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        if path.suffix:
            _fail(f"input '{text}' is neither a .npy or .npz file nor a JSON value")
        return [text]


def _leaves(value: Any, name: str) -> Any:
    """Tensors and plain values of a result with their places: output[0]['a']."""
    if isinstance(value, (list, tuple)):
        fields = getattr(value, "_fields", None)
        for i, v in enumerate(value):
            yield from _leaves(v, f"{name}.{fields[i]}" if fields else f"{name}[{i}]")
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from _leaves(v, f"{name}[{k!r}]")
    else:
        yield name, value


def _is_tensor(value: Any) -> bool:
    from linstock import is_tensor

    return is_tensor(value)  # type: ignore[no-any-return]


def _array(value: Any) -> Any:
    import numpy as np

    from linstock import bfloat16, float32

    if not _is_tensor(value):
        return np.asarray(value)
    value = value.dequantize() if value.is_quantized else value.detach()
    return (value.to(float32) if value.dtype is bfloat16 else value).numpy()


def _summary(value: Any) -> Any:
    if not _is_tensor(value):
        return _plain(value) if isinstance(value, (int, float, complex, str, bool, type(None))) else str(value)
    return {"dtype": value.dtype.name, "shape": list(value.shape), "data": _plain(_array(value).tolist())}


def _plain(value: Any) -> Any:
    """A number or nested list of them as JSON has it: NaN and infinities as text, complex numbers as pairs."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, complex):
        return [_plain(value.real), _plain(value.imag)]
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def _describe(value: Any) -> str:
    import numpy as np

    if not _is_tensor(value):
        return repr(value)
    a = _array(value)
    head = f"{value.dtype.name} {list(value.shape)}"
    if a.size == 0:
        return f"{head} (empty)"
    if a.size <= 16:
        return f"{head} {np.array2string(a, separator=', ', threshold=16)}"
    if a.dtype.kind == "b":
        return f"{head} {int(a.sum())} of {a.size} true"
    with np.errstate(all="ignore"):
        return f"{head} min {a.min():.6g}, mean {a.mean():.6g}, max {a.max():.6g}"


def _check_out(path: Path, suffixes: tuple[str, ...]) -> None:
    """Refuse a place that cannot be written, before the work is done."""
    if path.suffix not in suffixes:
        _fail(f"{path} cannot be written: the name must end in {' or '.join(suffixes)}")
    if path.is_dir():
        _fail(f"{path} cannot be written: it is a directory")
    if not path.parent.is_dir():
        _fail(f"{path} cannot be written: there is no directory {path.parent}")


def _write(path: Path, leaves: dict[str, Any]) -> None:
    """Save arrays, all of them or, where that fails, nothing."""
    import numpy as np

    from linstock.runtime.archive.new_file import NewFile

    arrays = {name: _array(v) for name, v in leaves.items()}
    if path.suffix == ".npy" and len(arrays) != 1:
        _fail(f"the model gives {len(arrays)} results: write them to an .npz file")
    try:
        new = NewFile(path)
        try:
            if path.suffix == ".npy":
                np.save(new.file, next(iter(arrays.values())))
            else:
                np.savez(new.file, **arrays)
            new.put_in_place()
        except BaseException:
            new.discard()
            raise
    except OSError as problem:
        _fail(f"{path} cannot be written: {problem.strerror or problem}")


def _console() -> Any:
    """Where tables go: as wide as the terminal, and wide enough for everything where there is none."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    return console if console.is_terminal else Console(highlight=False, soft_wrap=True, width=200)


@app.command(epilog="Examples:  linstock inspect model.pt    linstock inspect model.pt --code")
def inspect(
    model: Model,
    code: Annotated[bool, typer.Option("--code", help="Print the code of every method.")] = False,
    graph: Annotated[bool, typer.Option("--graph", help="Print the graph of every method.")] = False,
    as_json: Json = False,
) -> None:
    """Show a model's methods, parameters, operators, size and version."""
    from linstock.inspection import describe

    module = _load(model)
    facts = describe(module, model)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    from rich.table import Table

    console = _console()
    console.print(f"{facts['name']}  {facts['class']}", markup=False)
    console.print(f"file: {facts['bytes']:,} bytes, archive version {facts['version']}", markup=False)
    for row in facts["methods"]:
        console.print(f"method: {row}", markup=False)
    console.print(
        f"parameters: {facts['parameter_count']:,} in {len(facts['parameters'])} tensors; buffers: {len(facts['buffers'])}"
    )
    table = Table("name", "dtype", "shape", box=None)
    for row in facts["parameters"] + facts["buffers"]:
        table.add_row(row["name"], row["dtype"], str(row["shape"]))
    console.print(table)
    console.print(
        "operators: " + ", ".join(f"{k} x{n}" if n > 1 else k for k, n in facts["operators"].items()), markup=False
    )
    for problem in facts["problems"]:
        console.print(f"problem: {problem}", markup=False)
    if code or graph:
        from linstock.inspection import functions_of
        from linstock.ir.errors import LinstockError

        for function in functions_of(module, broken=True):
            typer.echo(f"\n# {function.name}")
            try:
                if code:
                    from linstock.runtime.archive.printer import code_of

                    typer.echo(code_of(function))
                if graph:
                    typer.echo(str(function.graph))
            except LinstockError as problem:
                typer.echo(f"# cannot be compiled: {problem.message}")


@app.command(epilog="Example:  linstock check model.pt")
def check(model: Model, as_json: Json = False) -> None:
    """Tell whether every operator and type of a model is supported, and where those are that are not. Exit code 1 if
    any is not.
    """
    from linstock.inspection import problems_of

    problems = problems_of(_load(model))
    if as_json:
        typer.echo(json.dumps({"supported": not problems, "problems": problems}))
    elif not problems:
        typer.echo(f"{model}: every operator and type is supported")
    else:
        for p in problems:
            typer.echo(f"{p['what']}: {p['why']}\n{p['where']}")
    if problems:
        raise SystemExit(1)


@app.command(epilog="Example:  linstock export model.pt model.onnx --input x.npy --dynamic x:0=batch --verify")
def export(
    model: Model,
    out: Annotated[Path, typer.Argument(help="The ONNX file to write.", show_default=False)],
    input: Annotated[
        list[str] | None,
        typer.Option("--input", help="An example input (.npy, .npz or JSON), in order; needed for ranks and --verify."),
    ] = None,
    dynamic: Annotated[
        list[str] | None, typer.Option("--dynamic", help="A dynamic axis as NAME:AXIS=SIZE_NAME.")
    ] = None,
    opset: Annotated[int, typer.Option(help="The ONNX operator set.")] = 18,
    verify: Annotated[bool, typer.Option("--verify", help="Run the result in ONNX Runtime and compare.")] = False,
) -> None:
    """Export a model as ONNX."""
    from linstock import onnx

    module = _load(model).eval()
    arguments = tuple(v for text in input or () for v in _input(text))
    axes: dict[str, dict[int, str]] = {}
    for item in dynamic or ():
        place, _, size = item.partition("=")
        name, _, axis = place.rpartition(":")
        if not name or not axis.lstrip("-").isdigit():
            _fail(f"--dynamic takes NAME:AXIS=SIZE_NAME, not '{item}'")
        axes.setdefault(name, {})[int(axis)] = size or f"{name}_{axis}"
    onnx.export(module, arguments, out, opset_version=opset, dynamic_axes=axes or None, verify=verify)
    typer.echo(f"written to {out}")


@app.command(epilog="Examples:  linstock ops    linstock ops conv    linstock ops --missing")
def ops(
    name: Annotated[str, typer.Argument(help="Only operators whose name contains this.")] = "",
    missing: Annotated[bool, typer.Option("--missing", help="Only those with something absent.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole table as Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """List the operators and what each room has for them: kernel, gradient, ONNX form."""
    from linstock.inspection import operator_rows, rows_as_markdown

    rows = [
        r
        for r in operator_rows()
        if name in r["name"] and (not missing or not all(r[k] == "yes" for k in ("kernel", "gradient", "onnx")))
    ]
    if not rows:
        from linstock.ir import operators

        near = operators.nearest(name if "::" in name else f"aten::{name}")
        hint = f"; the nearest known: {', '.join(near)}" if near else ""
        _fail(f"no operator's name contains '{name}'{' and has something absent' if missing else ''}{hint}")
    if as_json:
        typer.echo(json.dumps(rows))
    elif markdown:
        typer.echo(rows_as_markdown(rows))
    else:
        from rich.table import Table

        table = Table(box=None)
        table.add_column("operator", no_wrap=True, overflow="fold")
        for column in ("family", "kernel", "gradient", "ONNX"):
            table.add_column(column, overflow="fold")
        for r in rows:
            table.add_row(r["name"], r["family"], r["kernel"], r["gradient"], r["onnx"])
        _console().print(table)


def main(argv: list[str] | None = None) -> None:
    """Run the command line. Errors of the user's making are one line on stderr and exit code 2, without a traceback."""
    from linstock.ir.errors import LinstockError

    try:
        app(args=argv, standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        raise
    except typer.Exit as done:
        raise SystemExit(done.exit_code) from None
    except typer.Abort:
        raise SystemExit(130) from None
    except BrokenPipeError:  # whoever reads has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except Exception as problem:
        usage = getattr(problem, "format_message", None)
        if usage is not None:
            text = str(usage())
            typer.echo(text if text.startswith("Usage") else f"linstock: {text}", err=True)
            raise SystemExit(2) from None
        if isinstance(problem, (LinstockError, *_MISTAKES)):
            notes = "\n".join(getattr(problem, "__notes__", ()))
            typer.echo(f"linstock: {_one_line(problem)}" + (f"\n{notes}" if notes else ""), err=True)
            raise SystemExit(2) from None
        raise


#: what running a user's program on a user's inputs may raise
_MISTAKES = (
    RuntimeError, TypeError, ValueError, IndexError, KeyError, OSError, ArithmeticError, AssertionError, MemoryError,
)  # fmt: skip


def _one_line(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem) or type(problem).__name__


if __name__ == "__main__":
    main(sys.argv[1:])
