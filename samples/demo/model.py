"""A small streaming voice-activity detector: a convolutional front end, an LSTM cell whose state the caller carries
along.
"""

from __future__ import annotations

from typing import Tuple  # noqa: UP035  (the notation that PyTorch users know; tuple[...] works as well)

import linstock as torch
from linstock import nn

Tensor = torch.Tensor

SAMPLE_RATE = 16000
CHUNK = 512


class FrontEnd(nn.Module):
    """Raw samples (1, 512) to features (1, 32, 13)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, 16, 64, stride=16, padding=8),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2),
            nn.ReLU(),
        )

    def forward(self, chunk: Tensor) -> Tensor:
        return self.layers(chunk.unsqueeze(1))


class VoiceActivity(nn.Module):
    """One chunk and the carried state to the probability that somebody speaks, and the new state."""

    def __init__(self) -> None:
        super().__init__()
        self.front = FrontEnd()
        self.cell = nn.LSTMCell(32, 48)
        self.score = nn.Linear(48, 1)
        self.floor = 1e-4

    def forward(self, chunk: Tensor, hidden: Tensor, memory: Tensor) -> Tuple[Tensor, Tensor, Tensor]:  # noqa: UP006
        if float(chunk.abs().mean()) < self.floor:  # silence: skip the network, let the state fade
            return torch.zeros(1, 1), hidden * 0.5, memory * 0.5
        features = self.front(chunk)
        best = torch.zeros(1, 1)
        for step in range(features.size(2)):
            hidden, memory = self.cell(features[:, :, step], (hidden, memory))
            best = torch.maximum(best, torch.sigmoid(self.score(hidden)))
        return best, hidden, memory
