"""jit.freeze: attributes become constants, what is preserved or changed stays, results do not change."""

from __future__ import annotations

import io

import numpy as np
import pytest

import linstock as torch
from linstock import jit, nn


class Small(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(2, 3, 3)
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)
        self.factor = 2.0
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return self.drop(self.norm(self.conv(x))) * self.factor

    @jit.export
    def scale(self) -> float:
        return self.factor


def frozen(**options: object) -> tuple[jit.ScriptModule, jit.ScriptModule, torch.Tensor]:
    torch.manual_seed(1)
    model = Small()
    for _ in range(3):
        model(torch.randn(4, 2, 8) * 3 + 1)
    scripted = jit.script(model.eval())
    return scripted, jit.freeze(scripted, **options), torch.randn(2, 2, 6)


def test_same_results_without_attributes() -> None:
    scripted, small, x = frozen()
    np.testing.assert_allclose(small(x).detach().numpy(), scripted(x).detach().numpy(), atol=1e-5)
    assert [n for n, _ in small.named_parameters()] == []
    kinds = [n.kind for n in small.graph.walk()]
    assert "aten::batch_norm" not in kinds and "aten::dropout" not in kinds and kinds.count("aten::conv1d") == 1


def test_numerics_kept_exactly_on_request() -> None:
    scripted, small, x = frozen(optimize_numerics=False)
    np.testing.assert_array_equal(small(x).detach().numpy(), scripted(x).detach().numpy())
    assert "aten::batch_norm" in [n.kind for n in small.graph.walk()]


def test_a_changed_attribute_stays_one() -> None:
    _, small, x = frozen()
    before = small.calls
    small(x)
    small(x)
    assert small.calls == before + 2


def test_preserved_methods_and_attributes() -> None:
    _, small, _ = frozen(preserved_attrs=["scale", "factor"])
    assert small.scale() == 2.0
    small.factor = 5.0
    assert small.scale() == 5.0


def test_saved_and_loaded() -> None:
    _, small, x = frozen()
    file = io.BytesIO()
    jit.save(small, file)
    file.seek(0)
    np.testing.assert_array_equal(jit.load(file)(x).detach().numpy(), small(x).detach().numpy())


def test_refused() -> None:
    with pytest.raises(RuntimeError, match="eval"):
        jit.freeze(jit.script(Small()))
    with pytest.raises(TypeError, match="script it first"):
        jit.freeze(Small().eval())
    with pytest.raises(AttributeError, match="nothing"):
        jit.freeze(jit.script(Small().eval()), ["nothing"])
