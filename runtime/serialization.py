"""`linstock.save` and `linstock.load`: state dicts and other plain values in PyTorch's file formats."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from linstock.ir.device import Device
from linstock.runtime.archive.records import SparseData, TensorData
from linstock.runtime.archive.sources import Buffer, Source, is_zip
from linstock.runtime.archive.state_dict import load_file, save_file
from linstock.runtime.compact import CompactParts
from linstock.runtime.load import TensorMaker
from linstock.runtime.save import tensor_parts
from linstock.runtime.tensor import Parameter, Tensor
from linstock.runtime.types import Size

MapLocation = Any


def _parts(value: Any) -> TensorData | None:
    data = tensor_parts(value)
    return replace(data, is_parameter=True) if data is not None and isinstance(value, Parameter) else data


class _Maker(TensorMaker):
    """Makes tensors, and parameters of what was saved as one, where `map_location` says."""

    def __init__(self, map_location: MapLocation) -> None:
        self._table: dict[Any, Any] = map_location if isinstance(map_location, dict) else {}
        self._function = map_location if callable(map_location) else None
        plain = None if self._table or self._function else map_location
        super().__init__(None if plain is None else str(plain))

    def __call__(self, data: TensorData) -> Tensor:
        if self._table or self._function:
            data = replace(data, device=self._mapped(data))
        tensor = super().__call__(data)
        return Parameter(tensor.detach(), requires_grad=data.requires_grad) if data.is_parameter else tensor

    def _mapped(self, data: TensorData) -> str:
        if self._function is not None:
            placed = self._function(data.storage, data.device)
            return data.device if placed is None else str(getattr(placed, "device", "cpu"))
        return str(self._table.get(data.device, self._table.get(Device(data.device), data.device)))


def _sparse(data: SparseData) -> Any:
    from linstock.runtime.resolve import call

    if data.layout == "sparse_coo":
        indices, values = data.parts
        return call("sparse_coo_tensor", (indices, values, list(data.sizes)), {})
    raise RuntimeError(f"tensors of layout {data.layout} are not supported")


def load(
    f: Source,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """The value in a file of `save`, of PyTorch's `torch.save`, or of safetensors; a TorchScript archive's module.

    Only data is read, whatever `weights_only` says: a pickled module or other object is refused with an ArchiveError.
    `map_location` is a device, a dict of devices, or a function of a storage and its device. Files on disk are mapped.
    """
    file: Any = f if hasattr(f, "seek") else None
    start = 0 if file is None else file.tell()
    buffer = Buffer(f)
    if file is not None:
        file.seek(start)
    if is_zip(buffer.head):
        from linstock.runtime.archive.container import ArchiveReader

        if ArchiveReader(buffer).is_torchscript:
            from linstock.runtime.load import load as load_module

            warnings.warn(
                "'load' received a zip file that looks like a TorchScript archive dispatching to 'jit.load' (call "
                "'jit.load' directly to silence this warning)",
                UserWarning,
                stacklevel=2,
            )
            given: Any = f
            return load_module(given, map_location=map_location)
    return load_file(f, _Maker(map_location), Size, _sparse)


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    *,
    compact: bool = False,
) -> None:
    """Write a value of tensors, numbers, strings and containers to a file that `torch.load` reads.

    A tensor that is a view of a larger one is saved with all of that one's memory, so that what is shared stays shared;
    with `compact` only with the elements that it shows.
    Raises ArchiveError for a value that is not plain data: save a module's `state_dict()`, or use `jit.save`.
    """
    save_file(obj, f, CompactParts(_parts) if compact else _parts, lambda value: isinstance(value, Size))
