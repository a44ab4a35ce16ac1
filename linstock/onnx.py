"""`linstock.onnx.export`: scripted, traced and loaded models as ONNX files."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linstock.ir.errors import ExportError

#: the newest opset that is written
NEWEST_OPSET = 23
#: bytes of weights that fit into one file
_LIMIT = 2**31 - 2**24


class OnnxWarning(UserWarning):
    """Something of a model that its ONNX form does not carry over."""


def export(
    model: Any,
    args: Any = (),
    f: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int = 18,
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]] | None = None,
    verify: bool = False,
    method: str = "forward",
) -> Any:
    """Write a scripted, traced or loaded model (or a module, which is traced) as ONNX.

    `args` are example inputs (a tensor or a tuple): their element types, and their shapes but for `dynamic_axes`
    (`{"x": {0: "batch"}}`, or `{"x": [0]}`), are those of the exported model; numbers among them are fixed. Branches and loops
    that depend on the inputs become If and Loop. The file is checked by onnx.checker; with `verify` it is also run in ONNX
    Runtime and compared (1e-4). Gives the ModelProto. Raises ExportError, with the source line, for what ONNX cannot
    express.
    """
    import onnx

    from linstock.runtime.exporting import export_model

    if not 18 <= opset_version <= NEWEST_OPSET:
        raise ExportError(f"opset_version must be between 18 and {NEWEST_OPSET}, not {opset_version}")
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    axes = {
        n: {i: f"{n}_{i}" for i in a} if not isinstance(a, Mapping) else dict(a)
        for n, a in (dynamic_axes or {}).items()
    }
    made, notes, flat_inputs, expected = export_model(
        model, arguments, dict(kwargs or {}), method, input_names, output_names, axes, opset_version, verify
    )
    for note in notes:
        warnings.warn(note, OnnxWarning, stacklevel=2)
    if not _is_large(made):
        try:
            onnx.checker.check_model(made, full_check=True)
        except Exception as problem:
            raise ExportError(
                f"the exported model does not pass the ONNX checker: {str(problem).strip().splitlines()[0]}"
            ) from problem
    if f is not None:
        _save(made, f)
    if verify:
        _verify(made, flat_inputs, expected)
    return made


def _is_large(model: Any) -> bool:
    """Whether the model is too large for one file of the format, which holds 2 GiB."""
    return sum(len(t.raw_data) for t in model.graph.initializer) > _LIMIT


def _save(model: Any, f: str | os.PathLike[str] | BinaryIO) -> None:
    """Write to a temporary name beside the target and rename; weights over 2 GiB go into a file beside it."""
    import onnx

    large = _is_large(model)
    if not isinstance(f, (str, os.PathLike)):
        if large:
            raise ExportError("a model over 2 GiB is written as two files: give a path")
        f.write(model.SerializeToString())
        return
    path = Path(f)
    temporary = path.with_name(path.name + ".partial")
    try:
        if large:
            outside = type(model)()
            outside.CopyFrom(model)  # its weights are moved out of it
            path.with_name(path.name + ".data").unlink(missing_ok=True)
            onnx.save_model(outside, temporary, save_as_external_data=True, location=path.name + ".data")
        else:
            temporary.write_bytes(model.SerializeToString())
        temporary.replace(path)
    except OSError as problem:
        raise ExportError(f"{path} cannot be written: {problem.strerror or problem}") from None
    finally:
        temporary.unlink(missing_ok=True)


#: relative tolerance of the check in ONNX Runtime, by element type
_TOLERANCE = {"float16": 5e-3, "bfloat16": 3e-2}


def _verify(model: Any, inputs: Sequence[np.ndarray[Any, Any]], expected: Sequence[np.ndarray[Any, Any]]) -> None:
    """Compare with what ONNX Runtime gives. Raises ExportError where they differ."""
    try:
        import onnxruntime
    except ImportError:
        raise ExportError("verify=True needs ONNX Runtime: pip install onnxruntime") from None
    model = _with_float_faces(model)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.onnx")
        _save(model, path)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            names = [i.name for i in session.get_inputs()]
            by_name = {i.name: _plain(v) for i, v in zip(model.graph.input, inputs, strict=True)}
            found = session.run(None, {n: by_name[n] for n in names})
        except Exception as problem:
            text = str(problem).strip().splitlines()
            raise ExportError(
                f"ONNX Runtime does not run the exported model: {text[0] if text else type(problem).__name__}"
            ) from problem
    parts = [
        (v.name, g)
        for v, got in zip(model.graph.output, found, strict=True)
        for g in (got if isinstance(got, list) else [got])
    ]
    if len(parts) != len(expected):
        raise ExportError(f"the exported model gives {len(parts)} tensors in ONNX Runtime, {len(expected)} in linstock")
    for (name, got), want in zip(parts, expected, strict=True):
        _compare(name, np.asarray(got), want)


def _compare(name: str, got: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> None:
    if want.shape != got.shape:
        raise ExportError(f"output '{name}' has shape {got.shape} in ONNX Runtime, {want.shape} in linstock")
    tolerance = _TOLERANCE.get(want.dtype.name, 1e-4)
    x, y = got.astype(np.float64), want.astype(np.float64)
    scale = max(1.0, float(np.abs(y[np.isfinite(y)]).max(initial=0.0))) if want.dtype.kind not in "iub" else 0.0
    if not np.allclose(x, y, rtol=tolerance if scale else 0, atol=tolerance * scale, equal_nan=True):
        with np.errstate(invalid="ignore"):
            worst = float(np.nanmax(np.abs(x - y)))
        raise ExportError(f"output '{name}' differs from ONNX Runtime's by up to {worst:.3g}")


def _plain(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return value.astype(np.float32) if value.dtype.name == "bfloat16" else value


def _with_float_faces(model: Any) -> Any:
    """The model with float32 in place of bfloat16 inputs and outputs, which NumPy lacks (itself if it has none)."""
    from onnx import TensorProto, helper

    faces = [
        v for v in [*model.graph.input, *model.graph.output] if v.type.tensor_type.elem_type == TensorProto.BFLOAT16
    ]
    if not faces:
        return model
    made = type(model)()
    made.CopyFrom(model)
    before, after = [], []  # type: ignore[var-annotated]
    for values, casts in ((made.graph.input, before), (made.graph.output, after)):
        for v in values:
            if v.type.tensor_type.elem_type == TensorProto.BFLOAT16:
                inner, v.name = v.name, f"{v.name} as float"
                v.type.tensor_type.elem_type = TensorProto.FLOAT
                ends = (v.name, inner, TensorProto.BFLOAT16) if casts is before else (inner, v.name, TensorProto.FLOAT)
                casts.append(helper.make_node("Cast", [ends[0]], [ends[1]], to=ends[2]))
    nodes = [*before, *made.graph.node, *after]
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    return made
