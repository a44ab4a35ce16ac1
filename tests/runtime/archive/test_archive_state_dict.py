"""torch.save files of both kinds and safetensors: reading and writing, and PyTorch reading what was written."""

from __future__ import annotations

import io
import json
import pickle
import struct
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archive_helpers import DATA, parts, same, tensor, zip_of

from linstock.ir import dtypes
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.records import Quantizer, TensorData
from linstock.runtime.archive.state_dict import load_file, save_file


class Size(tuple[int, ...]):
    """Stands for torch.Size."""


def is_size(value: tuple[Any, ...]) -> bool:
    return isinstance(value, Size)


def saved(value: Any) -> bytes:
    target = io.BytesIO()
    save_file(value, target, parts, is_size)
    return target.getvalue()


def load(source: Any) -> Any:
    return load_file(source, same, make_size=Size)


@pytest.mark.parametrize("name", ["state.pt", "state_old.pt"])
@pytest.mark.parametrize("mapped", [True, False])
def test_files_of_pytorch(name: str, mapped: bool) -> None:
    got = load(DATA / name if mapped else (DATA / name).read_bytes())
    one, two, again = got["tied"]
    assert one is again and np.shares_memory(one.array, two.array)
    assert (
        one.array.tolist() == np.arange(20.0).reshape(4, 5).tolist() and two.array.tolist() == one.array.T[1:].tolist()
    )
    one.array[0, 1] = -1
    assert two.array[0, 0] == -1
    assert isinstance(got["sd"], OrderedDict) and got["sd"]._metadata == {"": {"version": 2}}  # type: ignore[attr-defined]
    assert got["sd"]["running_var"].array.tolist() == [1, 1, 1] and got["sd"]["num_batches_tracked"].sizes == ()
    assert got["p"].is_parameter and got["p"].requires_grad
    assert got["u"].dtype is dtypes.uint16 and got["bf"].dtype is dtypes.bfloat16
    assert got["bf"].array.astype(float).tolist() == [1, 1]
    assert (
        got["q"].quantizer.scale.astype(np.float32).tolist() == np.float32([0.1, 0.2]).tolist()
        and got["meta"].device == "meta"
    )
    assert got["size"] == (2, 3) and isinstance(got["size"], Size)
    assert got["dtype"] is dtypes.float16 and got["device"] == Device("cuda:1")
    assert (got["set"], got["bytes"], got["complex"], got["cnt"]) == ({1, 2}, b"\xffab", 1j, Counter("aab"))
    assert got["conj"].array.tolist() == [1 - 2j]
    assert load(saved(got))["q"].quantizer.axis == 0


def everything() -> dict[str, Any]:
    base = np.arange(12, dtype=np.float32).reshape(3, 4)
    shared = [1, 2]
    weights = OrderedDict(a=TensorData.of(base), b=TensorData.of(base[1:, ::2]))
    weights._metadata = OrderedDict({"": {"version": 1}})  # type: ignore[attr-defined]
    loop: list[Any] = []
    loop.append(loop)
    return {
        "weights": weights,
        "param": tensor([1, 2], requires_grad=True, is_parameter=True),
        "size": Size((1, 2)),
        "dtype": dtypes.int64,
        "device": Device("cuda", 1),
        "bytes": b"\x00\xff",
        "bytearray": bytearray(b"x"),
        "set": {3, 1},
        "complex": 1 - 2j,
        "ints": [0, 255, 256, 65535, 65536, -1, 2**31, -(2**31) - 1, 2**63, -(2**200)],
        "float": 0.1,
        "text": "äöü",
        "none": None,
        "bools": [True, False],
        "tuples": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "shared": [shared, shared],
        "loop": loop,
        "counter": Counter("aab"),
        3: {},
        "empty": [],
        "scalar": tensor(3, np.int64),
        "numpy": [np.float32(1.5), np.int8(-3), np.bool_(True)],
        "nothing": tensor(np.zeros((0, 3))),
        "grad": tensor([1], requires_grad=True),
        "bf16": tensor([1, 2], dtypes.bfloat16.numpy),
        "u32": tensor([7], np.uint32),
        "f8": tensor([1], dtypes.float8_e4m3fn.numpy),
        "meta": tensor([[1, 2]]).with_fields(device="meta"),
        "q": tensor([3, 4], np.uint8).with_fields(
            dtype=dtypes.quint8, quantizer=Quantizer("per_tensor_affine", 0.5, 1)
        ),
    }


def test_round_trip_of_every_kind() -> None:
    value = everything()
    raw = saved(value)
    assert raw == saved(value) and saved(load(raw)) == raw
    got = load(raw)
    for name in (
        "size",
        "dtype",
        "device",
        "bytes",
        "bytearray",
        "set",
        "complex",
        "ints",
        "float",
        "text",
        "none",
        "bools",
        "tuples",
        "shared",
        "counter",
        "numpy",
        3,
        "empty",
    ):
        assert got[name] == value[name] and type(got[name]) is type(value[name]), name
    assert got["shared"][0] is got["shared"][1] and got["loop"][0] is got["loop"]
    assert [type(item) for item in got["numpy"]] == [float, int, bool]
    assert np.shares_memory(got["weights"]["a"].array, got["weights"]["b"].array)
    assert got["weights"]._metadata == {"": {"version": 1}}
    assert got["param"].is_parameter and got["grad"].requires_grad and not got["grad"].is_parameter
    assert got["nothing"].sizes == (0, 3) and got["scalar"].array == 3 and got["f8"].dtype is dtypes.float8_e4m3fn


def test_values_that_are_not_data() -> None:
    for bad, message in (
        (object(), "builtins.object.*state_dict"),
        (np.ones(2), "from_numpy"),
        (frozenset((1,)), "make it a set"),
        (len, "builtin_function"),
        (2**3000, "255 bytes"),
        (np.datetime64("2020"), "numpy.datetime64"),
    ):
        with pytest.raises(ArchiveError, match=message):
            saved({"a": [bad]})


def test_failure_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "w.pt"
    save_file({"a": 1}, path, parts)
    with pytest.raises(ArchiveError):
        save_file({"a": object()}, path, parts)
    assert load(path) == {"a": 1} and len(list(tmp_path.iterdir())) == 1


def test_other_files() -> None:
    with pytest.raises(ArchiveError, match=r"TorchScript archive.*jit\.load"):
        load(DATA / "zoo.pt")
    for content, message in (
        (b"", "empty"),
        (b"\x89HDF\r\n", "HDF5"),
        (pickle.dumps(1), "unpickling"),
        (b"PK\x03\x04", "cut short"),
    ):
        with pytest.raises(ArchiveError, match=message):
            load(content)
    with pytest.raises(ArchiveError, match="something else"):
        load(zip_of({"a.txt": "x"}))


def test_pickled_modules_are_refused() -> None:
    body = b"\x80\x02c__main__\nNet\n)\x81}b."
    with pytest.raises(ArchiveError, match=r"__main__\.Net.*state_dict"):
        load(zip_of({"data.pkl": body, "version": "3"}))


OLD_HEAD = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)


def old_file(body: bytes, keys: Any, storages: bytes, little: bool = True, head: bytes = OLD_HEAD) -> bytes:
    return head + pickle.dumps({"little_endian": little}, 2) + body + pickle.dumps(keys, 2) + storages


def old_tensor(view: bytes = b"N", key: str = "k", numel: int = 4, count: int = 2) -> bytes:
    text = b"X" + struct.pack("<I", len(key)) + key.encode()
    return (
        b"\x80\x02ctorch._utils\n_rebuild_tensor\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
        + text
        + b"X\x03\x00\x00\x00cpuK"
        + bytes((numel,))
        + view
        + b"tQK\x00K"
        + bytes((count,))
        + b"\x85K\x01\x85tR."
    )


def test_old_files_made_by_hand() -> None:
    data = struct.pack("<q4f", 4, 1, 2, 3, 4)
    assert load(old_file(old_tensor(), ["k"], data)).array.tolist() == [1, 2]
    view = b"(X\x01\x00\x00\x00vK\x01K\x02t"
    assert load(old_file(old_tensor(view), ["k"], data)).array.tolist() == [2, 3]
    swapped = struct.pack("<q", 4) + np.arange(4, dtype=">f4").tobytes()
    assert load(old_file(old_tensor(), ["k"], swapped, little=False)).array.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (old_file(old_tensor(), ["k"], struct.pack("<q2f", 4, 1, 2)), "cut short"),
        (old_file(old_tensor(), ["k"], struct.pack("<q", -1)), "cut short"),
        (old_file(old_tensor(), ["k"], struct.pack("<q", 1 << 60)), "cut short"),
        (old_file(old_tensor(), ["other"], struct.pack("<q4f", 4, 1, 2, 3, 4)), "cut short"),
        (old_file(old_tensor(), [], b""), "does not hold storage"),
        (old_file(old_tensor(), 7, b""), "no list of its storages"),
        (old_file(old_tensor(numel=5), ["k"], struct.pack("<q4f", 4, 1, 2, 3, 4)), "fewer than 5"),
        (old_file(old_tensor(count=5), ["k"], struct.pack("<q4f", 4, 1, 2, 3, 4)), "beyond"),
        (old_file(old_tensor(b"(NK\x03K\x02t"), ["k"], struct.pack("<q4f", 4, 1, 2, 3, 4)), "beyond its storage"),
        (old_file(b"\x80\x02K\x01Q.", [], b""), "not a storage"),
        (old_file(b"\x80\x02(X\x06\x00\x00\x00moduleNNNNtQ.", [], b""), "pickled module"),
        (old_file(b"\x80\x02N.", [], b"", head=OLD_HEAD[:-3] + b"\x07\x07."), "format number"),
    ],
)
def test_damaged_old_files(content: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        load(content)


# safetensors


def safetensors_of(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype: str, shape: Any, offsets: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def test_safetensors(tmp_path: Path) -> None:
    data = np.arange(6, dtype=np.float32).tobytes() + np.array([1, 2], np.int64).tobytes() + b"\x80\x3f"
    raw = safetensors_of(
        {
            "__metadata__": {"format": "pt"},
            "w": entry("F32", [2, 3], [0, 24]),
            "i": entry("I64", [2], [24, 40]),
            "b": entry("BF16", [], [40, 42]),
            "none": entry("F32", [0, 2], [42, 42]),
        },
        data,
    )
    path = tmp_path / "w.safetensors"
    path.write_bytes(raw)
    for source in (raw, path):
        got = load(source)
        assert list(got) == ["w", "i", "b", "none"]
        assert got["w"].array.tolist() == [[0, 1, 2], [3, 4, 5]] and got["i"].array.tolist() == [1, 2]
        assert float(got["b"].array) == 1.0 and got["none"].sizes == (0, 2)
        got["w"].array[:] = 0
    assert path.read_bytes() == raw


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (safetensors_of(b"{bad"), "not JSON"),
        (safetensors_of(b"{" + b"[" * 100_000), "not JSON"),
        (safetensors_of({"a": 3}), "no dtype"),
        (safetensors_of({"a": entry("F3", [], [0, 4])}, bytes(4)), "type F3"),
        (safetensors_of({"a": entry("F32", [2], [0, 4])}, bytes(4)), "does not lie"),
        (safetensors_of({"a": entry("F32", [1], [4, 8])}, bytes(4)), "does not lie"),
        (safetensors_of({"a": entry("F32", [-1], [0, 4])}, bytes(4)), "not lists of numbers"),
        (safetensors_of({"a": entry("F32", [1], [0])}, bytes(4)), "does not lie"),
    ],
)
def test_damaged_safetensors(content: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        load(content)


def test_safetensors_library_agrees() -> None:
    library = pytest.importorskip("safetensors.numpy")
    values = {"a": np.arange(4.0), "b": np.ones((2, 1), np.int8), "c": np.array([True])}
    got = load(library.save(values))
    assert {name: data.array.tolist() for name, data in got.items()} == {name: v.tolist() for name, v in values.items()}


# PyTorch


@pytest.mark.interop
@pytest.mark.parametrize("weights_only", [True, False])
def test_pytorch_reads_what_was_written(weights_only: bool, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    value = everything()
    path = tmp_path / "w.pt"
    save_file(value, path, parts, is_size)
    got = torch.load(path, weights_only=weights_only)
    assert got["weights"]["a"].tolist() == value["weights"]["a"].array.tolist()
    assert got["weights"]["b"].untyped_storage().data_ptr() == got["weights"]["a"].untyped_storage().data_ptr()
    assert got["weights"]["b"].stride() == (4, 2) and got["weights"]._metadata == {"": {"version": 1}}
    assert isinstance(got["param"], torch.nn.Parameter) and got["param"].requires_grad
    assert (
        isinstance(got["size"], torch.Size) and got["dtype"] is torch.int64 and got["device"] == torch.device("cuda:1")
    )
    for name in (
        "bytes",
        "bytearray",
        "set",
        "complex",
        "ints",
        "float",
        "text",
        "none",
        "bools",
        "tuples",
        "shared",
        "counter",
        "numpy",
        3,
        "empty",
    ):
        assert got[name] == value[name], name
    assert got["shared"][0] is got["shared"][1] and got["loop"][0] is got["loop"]
    assert got["bf16"].dtype is torch.bfloat16 and got["bf16"].tolist() == [1, 2]
    assert got["u32"].dtype is torch.uint32 and got["f8"].dtype is torch.float8_e4m3fn
    assert got["meta"].is_meta and got["meta"].stride() == (2, 1) and got["nothing"].shape == (0, 3)
    assert got["q"].q_scale() == 0.5 and got["q"].dequantize().tolist() == [1.0, 1.5]
    assert torch.load(path, mmap=True, weights_only=True)["weights"]["a"].tolist() == got["weights"]["a"].tolist()


@pytest.mark.interop
@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("new", [True, False])
def test_reads_every_protocol(protocol: int, new: bool) -> None:
    torch = pytest.importorskip("torch")
    target = io.BytesIO()
    base = torch.arange(6.0).reshape(2, 3)
    torch.save(
        {"a": base, "b": base.t()[1], "s": {1}}, target, pickle_protocol=protocol, _use_new_zipfile_serialization=new
    )
    got = load(target.getvalue())
    assert got["a"].array.tolist() == base.tolist() and got["b"].array.tolist() == [1, 4] and got["s"] == {1}
    assert np.shares_memory(got["a"].array, got["b"].array)
