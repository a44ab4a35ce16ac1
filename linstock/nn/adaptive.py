"""Softmax over many classes: frequent ones directly, rare ones by clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import linstock
from linstock.nn import functional as F
from linstock.nn.container import ModuleList, Sequential
from linstock.nn.linear import Linear
from linstock.runtime.module import Module
from linstock.runtime.tensor import Tensor


class ASMoutput(NamedTuple):
    """Log probabilities of the targets (N), and the loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive softmax: the head knows the first `cutoffs[0]` classes and one entry per cluster of the others.

    Raises ValueError for cutoffs that do not increase between 1 and n_classes - 1.
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            given != sorted(set(given))
            or min(given) <= 0
            or max(given) > n_classes - 1
            or any(int(c) != c for c in given)
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is "
                "between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // (div_value ** (i + 1)))
            count = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, device=device, dtype=dtype),
                    Linear(width, count, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        self.head.reset_parameters()
        for i in range(self.n_clusters):
            for layer in self.tail[i]:
                layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> ASMoutput:
        """(N, in_features) and classes (N), or both without N, to the classes' log probabilities and mean loss."""
        batched = target_.dim() > 0
        if batched and input_.shape[0] != target_.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if target_.dim() > 1 or input_.dim() != (2 if batched else 1):
            raise RuntimeError("0D or 1D target tensor with a matching 1D or 2D input tensor is expected")
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        used = 0
        output = input.new_zeros(target.shape[0])
        place = target.new_empty(target.shape[0])
        limits = [0, *self.cutoffs]
        for i in range(len(limits) - 1):
            low, high = limits[i], limits[i + 1]
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if i == 0:
                place.index_copy_(0, rows, target[mask])
            else:
                inside = target[mask] - low
                cluster = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                place.index_fill_(0, rows, self.shortlist_size + i - 1)
                output.index_copy_(0, rows, cluster.gather(1, inside.unsqueeze(1)).squeeze(1))
            used += rows.numel()
        if used != target.shape[0]:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output = output + head.gather(1, place.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i in range(self.n_clusters):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            out[:, self.cutoffs[i] : self.cutoffs[i + 1]] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """(N, in_features) to log probabilities of all classes (N, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """(N, in_features) to the most probable classes (N)."""
        head = self.head(input)
        found = linstock.argmax(head, dim=1)
        rare = found >= self.shortlist_size
        if bool(rare.any()):
            full = self._get_full_log_prob(input[rare], head[rare])
            found = found.clone()
            found[rare] = linstock.argmax(full, dim=1)
        return found
