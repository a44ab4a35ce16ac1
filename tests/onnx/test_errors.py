"""What cannot be exported says what it is, where it is written and what to do."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linstock as ls
import linstock.onnx
from linstock.ir.errors import ExportError, InputError

pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

X = np.ones((2, 3), np.float32)


def refused(text: str, *inputs: Any, **options: Any) -> str:
    function = ls.jit.CompilationUnit(text).f
    with pytest.raises((ExportError, InputError)) as raised:
        linstock.onnx.export(
            function, tuple(ls.tensor(i) if isinstance(i, np.ndarray) else i for i in inputs), **options
        )
    return str(raised.value)


def test_a_missing_operator_is_named_with_its_line_and_a_way_out() -> None:
    text = refused("def f(x):\n    y = x + 1\n    return torch.linalg.svdvals(y)", X)
    assert "operator aten::linalg_svdvals has no ONNX form" in text
    assert "line 3" in text and "return torch.linalg.svdvals(y)" in text and "^^^^" in text
    assert "Replace it" in text


def test_a_missing_operator_inside_a_branch_is_found() -> None:
    body = "    if bool(x.sum() > 0):\n        return torch.linalg.svdvals(x)\n    return x[0]"
    text = refused(f"def f(x):\n{body}", X)
    assert "aten::linalg_svdvals" in text and "line 3" in text


def test_a_model_that_raises_on_the_example() -> None:
    text = refused("def f(x):\n    assert x.dim() == 3, 'three dimensions are needed'\n    return x", X)
    assert "the model raises on these inputs" in text and "three dimensions are needed" in text


def test_branches_that_cannot_be_united() -> None:
    text = refused(
        "def f(x):\n    if bool(x.sum() > 0):\n        y = x\n    else:\n        y = x.to(torch.long)\n    return y", X
    )
    assert "different types, float32 and int64" in text
    text = refused(
        "from typing import Optional\ndef f(x):\n    y: Optional[Tensor] = None\n    if bool(x.sum() > 0):\n        y = x\n    return y",
        X,
    )
    assert "a tensor and None" in text


def test_writing_where_memory_overlaps() -> None:
    assert "clone() it first" in refused("def f(x):\n    y = x[0].expand(4, 3)\n    y[0] = 1.0\n    return y", X)


def test_nothing_to_export() -> None:
    assert "returns no tensor" in refused("def f(x):\n    return str(x.dim())", X)


def test_opsets() -> None:
    assert "opset_version must be between 18 and 23, not 17" in refused(
        "def f(x):\n    return x + 1", X, opset_version=17
    )
    text = refused("def f(x):\n    return torch.rand(2) + x[0, 0]", X, opset_version=23)
    assert "opset_version=21" in text


def test_wrong_inputs_and_names() -> None:
    assert "lack a value for argument 'y'" in refused("def f(x, y):\n    return x + y", X)
    assert "takes 1 arguments, 2 example inputs were given" in refused("def f(x):\n    return x", X, X)
    assert "input_names has 2 names, but there are 1 tensors" in refused(
        "def f(x):\n    return x + 1", X, input_names=["a", "b"]
    )
    assert "output_names has 2 names, but the model returns 1" in refused(
        "def f(x):\n    return x + 1", X, output_names=["a", "b"]
    )
    assert "dynamic_axes names 'z', but the inputs are x" in refused(
        "def f(x):\n    return x + 1", X, dynamic_axes={"z": [0]}
    )
    assert "dimension 5 of input 'x', which has 2" in refused("def f(x):\n    return x + 1", X, dynamic_axes={"x": [5]})


def test_what_is_exported_must_be_a_model() -> None:
    with pytest.raises(ExportError, match="takes a scripted, traced or loaded model, or a module, not int"):
        linstock.onnx.export(3, (ls.ones(1),))
    with pytest.raises(ExportError, match="no method 'nowhere'"):
        linstock.onnx.export(ls.jit.script(ls.nn.ReLU()), (ls.ones(1),), method="nowhere")


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    function = ls.jit.CompilationUnit("def f(x):\n    return x + 1").f
    missing = tmp_path / "nowhere" / "model.onnx"
    with pytest.raises(ExportError, match="cannot be written: No such file or directory") as raised:
        linstock.onnx.export(function, (ls.ones(1),), missing)
    assert str(missing) in str(raised.value)
    linstock.onnx.export(function, (ls.ones(1),), tmp_path / "model.onnx")
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]


def test_large_models_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linstock.onnx, "_LIMIT", 1000)
    path, net, x = tmp_path / "model.onnx", ls.jit.script(ls.nn.Linear(30, 40)), ls.randn(2, 30)
    for _ in range(2):
        linstock.onnx.export(net, (x,), path, verify=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.onnx", "model.onnx.data"]
    assert (tmp_path / "model.onnx.data").stat().st_size < 30 * 40 * 4 + 8192
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    found = session.run(None, {session.get_inputs()[0].name: x.numpy()})[0]
    np.testing.assert_allclose(found, net(x).detach().numpy(), rtol=1e-4, atol=1e-5)
    with pytest.raises(ExportError, match="give a path"):
        linstock.onnx.export(net, (x,), io.BytesIO())


class Training(ls.nn.Module):
    """Layers that act otherwise in training."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = ls.nn.BatchNorm1d(3)
        self.drop = ls.nn.Dropout(0.5)

    def forward(self, x: ls.Tensor) -> ls.Tensor:
        return self.drop(self.norm(x))


def test_training_mode_is_told() -> None:
    with pytest.warns(linstock.onnx.OnnxWarning) as told:
        linstock.onnx.export(ls.jit.script(Training()), (ls.randn(4, 3),))
    texts = [str(w.message) for w in told]
    assert any("dropout stays random: call model.eval()" in t for t in texts)
    assert any("batch normalisation in training" in t for t in texts)


def test_plain_modules_are_traced_in_evaluation_and_keep_their_mode() -> None:
    net = Training()
    model = linstock.onnx.export(net, (ls.randn(4, 3),), verify=True)
    assert net.training and net.norm.training
    assert [n.op_type for n in model.graph.node] == ["BatchNormalization"]


def test_sizes_that_must_be_known() -> None:
    text = refused("def f(x):\n    return torch.nn.functional.adaptive_max_pool1d(x, 2)", X, dynamic_axes={"x": [1]})
    assert "depends on the inputs" in text
    assert 'called from\n  File "<string>", line 2' in text
