"""Script a module with control flow, look at its code, save it, load it and run it: no PyTorch anywhere."""

import tempfile
from pathlib import Path

import linstock
from linstock import nn


class Gate(nn.Module):
    """Smooths its input until it hardly changes: how often depends on the data, so a trace could not hold it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Linear(width, width)
        self.limit = 0.05

    def forward(self, x: linstock.Tensor, most: int = 20) -> tuple[linstock.Tensor, int]:
        steps = 0
        change = 1.0
        while change > self.limit and steps < most:
            mixed = 0.5 * x + 0.25 * linstock.tanh(self.mix(x))
            change = float((mixed - x).abs().max())
            x = mixed
            steps += 1
        return x, steps


linstock.manual_seed(0)
gate = Gate(4).eval()
scripted = linstock.jit.script(gate)
print(scripted.code)

x = linstock.randn(2, 4)
with linstock.no_grad(), tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "gate.pt"
    linstock.jit.save(scripted, path)
    loaded = linstock.jit.load(path)
    wanted, steps = gate(x)
    found, loaded_steps = loaded(x)
    few = loaded(0.01 * x)[1]

print(f"{steps} steps for the input, {few} for a hundredth of it")
if not linstock.equal(found, wanted) or loaded_steps != steps or few >= steps:
    raise SystemExit("the loaded program differs from the module")
print("ok: the loaded program does what the module does")
