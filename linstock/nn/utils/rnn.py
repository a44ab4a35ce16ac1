"""Sequences of different lengths in one batch: padded, or packed so that recurrent layers skip what is padding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import linstock
from linstock.nn.scripting import annotate
from linstock.runtime.tensor import Tensor


class PackedSequence_(NamedTuple):
    """The fields of a packed sequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """Sequences sorted by falling length: the first steps of all, then the second steps of all that have one, and so
    on.

    `batch_sizes` says how many have each step; the indices lead from the given order to the sorted one and back.
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with its data in another type or on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        rest = (None if t is None else t.to(data.device) for t in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *rest)

    def cpu(self) -> PackedSequence:
        """The same in the CPU's memory."""
        return self.to("cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same on a CUDA device."""
        return self.to("cuda")

    def float(self) -> PackedSequence:
        """The same as float32."""
        return self.to(dtype=linstock.float32)

    def double(self) -> PackedSequence:
        """The same as float64."""
        return self.to(dtype=linstock.float64)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes one."""
    if permutation is None:
        return None
    output = linstock.empty_like(permutation)
    output.scatter_(0, permutation, linstock.arange(0, permutation.numel(), device=permutation.device))
    return output


def pack_padded_sequence(
    input: Tensor, lengths: Tensor, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack (T, N, *), or (N, T, *) with `batch_first`. `lengths` (also a list) must fall, unless
    `enforce_sorted=False`.

    Raises RuntimeError for lengths that do not fall, are not positive or are not N.
    """
    if not isinstance(lengths, Tensor):
        lengths = linstock.as_tensor(lengths, dtype=linstock.int64)
    sorted_indices = annotate("Tensor | None", None)
    unsorted_indices = annotate("Tensor | None", None)
    if not enforce_sorted:
        lengths, order = linstock.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
        sorted_indices = order
        unsorted_indices = invert_permutation(order)
    data, batch_sizes = linstock._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, sorted_indices, unsorted_indices)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Undo `pack_padded_sequence`: the padded batch and the lengths.

    Raises ValueError for a total length that is too short.
    """
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} "
                f"and max sequence length being {longest}"
            )
        longest = total_length
    padded, lengths = linstock._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is not None:
        return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]
    return padded, lengths


def pad_sequence(
    sequences: list[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack tensors (L, *) of different lengths, padded to the longest: (T, N, *), or (N, T, *) with `batch_first`."""
    if not isinstance(sequences, list):
        sequences = _listed(sequences)
    return linstock.pad_sequence(sequences, batch_first, padding_value, padding_side)


def _listed(sequences: Any) -> list[Tensor]:
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return list(sequences)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Undo `pad_sequence`: the sequences, each of its own length."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    unpadded = annotate("list[Tensor]", [])
    for i in range(lengths.size(0)):
        unpadded.append(rows[i, : int(lengths[i])])
    return unpadded


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack tensors (L, *) of different lengths."""
    lengths = linstock.tensor([v.size(0) for v in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Undo `pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
