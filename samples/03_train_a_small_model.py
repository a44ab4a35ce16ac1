"""Train a small classifier on two interleaved spirals, then script it for use."""

import math

import linstock
from linstock import nn, optim
from linstock.nn import functional as F

linstock.manual_seed(0)
count = 100
turn = linstock.linspace(0.3, 1.0, count) * 1.5 * math.pi
radius = linstock.linspace(0.3, 1.0, count)
arm = linstock.stack([radius * turn.cos(), radius * turn.sin()], 1)
points = linstock.cat([arm, -arm]) + 0.02 * linstock.randn(2 * count, 2)
labels = linstock.cat([linstock.zeros(count), linstock.ones(count)]).long()

model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = optim.Adam(model.parameters(), lr=0.02)
schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=150)
for epoch in range(150):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(points), labels)
    loss.backward()
    optimizer.step()
    schedule.step()
    if epoch % 30 == 0:
        print(f"epoch {epoch:3}: loss {float(loss):.4f}, rate {schedule.get_last_lr()[0]:.4f}")

classifier = linstock.jit.script(model.eval())
with linstock.no_grad():
    right = float((classifier(points).argmax(1) == labels).float().mean())
print(f"loss {float(loss):.4f}, {right:.0%} right")
if right < 0.98:
    raise SystemExit("the classifier did not learn the spirals")
print("ok: the classifier tells the two spirals apart")
