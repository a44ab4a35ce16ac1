"""Devices: where a tensor's memory lives."""

from __future__ import annotations


class Device:
    """A device, as in `torch.device`: `Device("cpu")`, `Device("cuda:1")`, `Device("cuda", 1)`.

    Raises RuntimeError for a malformed or unknown device string.
    """

    __slots__ = ("index", "type")
    KINDS = ("cpu", "cuda", "meta", "mps", "xpu", "mkldnn", "hip", "xla", "vulkan", "privateuseone", "mtia", "lazy")

    type: str
    index: int | None

    def __init__(self, type: str | Device, index: int | None = None) -> None:
        if isinstance(type, Device):
            index = type.index if index is None else index
            type = type.type
        kind, _, number = type.partition(":")
        if (number and (index is not None or not number.isdigit())) or kind not in self.KINDS or type.endswith(":"):
            raise RuntimeError(f"invalid device string: {type!r} (expected one like 'cpu', 'cuda' or 'cuda:0')")
        self.type = kind
        self.index = int(number) if number else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return (
            f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


CPU = Device("cpu")
