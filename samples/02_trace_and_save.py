"""Trace a convolutional network on an example, save it, and run the loaded trace on images of another size."""

import tempfile
from pathlib import Path

import linstock
from linstock import nn

linstock.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1),
    nn.SiLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 5),
).eval()

with linstock.no_grad(), tempfile.TemporaryDirectory() as folder:
    traced = linstock.jit.trace(network, linstock.randn(1, 3, 32, 32))
    path = Path(folder) / "network.pt"
    traced.save(path)
    size = path.stat().st_size
    loaded = linstock.jit.load(path)
    images = linstock.randn(4, 3, 48, 40)
    difference = float((loaded(images) - network(images)).abs().max())

print(traced.code)
print(f"{size:,} bytes; largest difference from the network {difference:.1e}")
if difference > 1e-5:
    raise SystemExit("the loaded trace differs from the network")
print("ok: the trace made from one 32 x 32 image runs four of 48 x 40")
