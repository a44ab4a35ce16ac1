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
    (`{"x": {0: "batch"}}`), are those of the exported model; numbers among them are fixed. Branches and loops that
    depend on the inputs become
    If and Loop. The file is checked by onnx.checker; with `verify` it is also run in ONNX Runtime and compared (1e-4).
    Gives the ModelProto.
    Raises ExportError, with the source line, for what ONNX cannot express.
    """
    import onnx

    from linstock.runtime.exporting import export_model

    if not 18 <= opset_version <= NEWEST_OPSET:
        raise ExportError(f"opset_version must be between 18 and {NEWEST_OPSET}, not {opset_version}")
    arguments = tuple(args) if isinstance(args, (tuple, list)) else (args,)
    axes = {n: {i: f"{n}_{i}" for i in a} if not isinstance(a, Mapping) else dict(a) for n, a in (dynamic_axes or {}).items()}
    made, notes, flat_inputs, expected = export_model(model, arguments, dict(kwargs or {}), method, input_names, output_names, axes, opset_version, verify)
    for note in notes:
        warnings.warn(note, OnnxWarning, stacklevel=2)
    large = made.ByteSize() > 2**31 - 2**20
    if not large:
        try:
            onnx.checker.check_model(made, full_check=True)
        except Exception as problem:
            raise ExportError(f"the exported model does not pass the ONNX checker: {str(problem).strip().splitlines()[0]}") from problem
    if f is not None:
        _save(made, f, large)
    if verify:
        _verify(made, flat_inputs, expected)
    return made


def _save(model: Any, f: str | os.PathLike[str] | BinaryIO, large: bool) -> None:
    """Write to a temporary name beside the target and rename; weights over 2 GiB go into a file beside it."""
    import onnx

    if not isinstance(f, (str, os.PathLike)):
        f.write(model.SerializeToString())
        return
    path = Path(f)
    temporary = path.with_name(path.name + ".partial")
    try:
        if large:
            onnx.save_model(model, temporary, save_as_external_data=True, location=path.name + ".data")
        else:
            temporary.write_bytes(model.SerializeToString())
        temporary.replace(path)
    except OSError as problem:
        raise ExportError(f"{path} cannot be written: {problem.strerror or problem}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _verify(model: Any, inputs: Sequence[np.ndarray[Any, Any]], expected: Sequence[np.ndarray[Any, Any]]) -> None:
    try:
        import onnxruntime
    except ImportError:
        raise ExportError("verify=True needs ONNX Runtime: pip install onnxruntime") from None
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.onnx")
        _save(model, path, model.ByteSize() > 2**31 - 2**20)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        names = [i.name for i in session.get_inputs()]
        by_name = dict(zip([i.name for i in model.graph.input], inputs, strict=True))
        found = session.run(None, {n: by_name[n] for n in names})
    for value, want, got in zip(model.graph.output, expected, found, strict=True):
        want, got = np.asarray(want), np.asarray(got)
        if want.shape != got.shape:
            raise ExportError(f"output '{value.name}' has shape {got.shape} in ONNX Runtime, {want.shape} in linstock")
        scale = max(1.0, float(np.abs(want[np.isfinite(want)].astype(np.float64)).max(initial=0.0))) if want.dtype.kind in "fc" else 1.0
        if not np.allclose(got.astype(np.float64), want.astype(np.float64), rtol=1e-4, atol=1e-4 * scale, equal_nan=True):
            worst = float(np.nanmax(np.abs(got.astype(np.float64) - want.astype(np.float64))))
            raise ExportError(f"output '{value.name}' differs from ONNX Runtime's by up to {worst:.3g}")
