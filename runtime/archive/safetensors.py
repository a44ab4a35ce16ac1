"""Reading safetensors files: eight bytes of header length, a JSON header, then the tensors' bytes."""

from __future__ import annotations

import json
import sys
from typing import Any

from linstock.ir import dtypes
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.records import MakeTensor, TensorData
from linstock.runtime.archive.sources import Buffer
from linstock.runtime.archive.storages import Storage, check_bounds

_TYPES = {
    "BOOL": dtypes.bool_, "U8": dtypes.uint8, "I8": dtypes.int8, "I16": dtypes.int16, "U16": dtypes.uint16,
    "I32": dtypes.int32, "U32": dtypes.uint32, "I64": dtypes.int64, "U64": dtypes.uint64, "F16": dtypes.float16,
    "BF16": dtypes.bfloat16, "F32": dtypes.float32, "F64": dtypes.float64, "C64": dtypes.complex64,
    "F8_E5M2": dtypes.float8_e5m2, "F8_E4M3": dtypes.float8_e4m3fn,
}  # fmt: skip
#: the limit that the format sets
_MAX_HEADER = 100_000_000


def read_safetensors(buffer: Buffer, make_tensor: MakeTensor) -> dict[str, Any]:
    """The tensors of a safetensors file by name, in the file's order. Raises ArchiveError."""
    length = int.from_bytes(buffer.view[:8], "little")
    start = 8 + length
    if start > buffer.size or length > _MAX_HEADER:
        raise ArchiveError(f"{buffer.name} is not a whole safetensors file: its header is longer than the file")
    try:
        header = json.loads(bytes(buffer.view[8:start]).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"the header of {buffer.name} is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise ArchiveError(f"the header of {buffer.name} is not a JSON object")
    tensors: dict[str, Any] = {}
    for name, entry in header.items():
        if name != "__metadata__":
            tensors[name] = make_tensor(_tensor(buffer, start, name, entry))
    return tensors


def _tensor(buffer: Buffer, start: int, name: str, entry: Any) -> TensorData:
    where = f"tensor {name!r:.80} of {buffer.name}"
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        raise ArchiveError(f"{where} has no dtype, shape or data_offsets")
    dtype = _TYPES.get(str(entry["dtype"]))
    if dtype is None:
        raise ArchiveError(f"{where} has elements of type {entry['dtype']!s:.20}, which linstock does not have")
    sizes, offsets = entry["shape"], entry["data_offsets"]
    for numbers in (sizes, offsets):
        if not isinstance(numbers, list) or any(type(number) is not int or number < 0 for number in numbers):
            raise ArchiveError(
                f"{where} has the sizes {sizes!r:.40} and offsets {offsets!r:.40}, which are not lists of numbers"
            )
    strides, numel = [], 1
    for size in reversed(sizes):
        strides.append(max(numel, 1))
        numel *= size
    if len(offsets) != 2 or offsets[1] - offsets[0] != numel * dtype.itemsize or start + offsets[1] > buffer.size:
        raise ArchiveError(f"{where} does not lie within the file, or has another size than its shape says")
    data = Storage(buffer.array(start + offsets[0], numel * dtype.itemsize), swapped=sys.byteorder == "big").of(dtype)
    offset, shape, steps = check_bounds(len(data), dtype, 0, sizes, strides[::-1])
    return TensorData(data, dtype, offset, shape, steps)
