"""The pickle machine: what it reads, and that it runs nothing and lets out nothing but ArchiveError."""

from __future__ import annotations

import pickle
import struct
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archive_helpers import same, tensor, text_op

from linstock.ir import dtypes
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.runtime.archive import unpickle
from linstock.runtime.archive.records import EnumRecord, Global, ObjectRecord, TensorData, TypedContainer
from linstock.runtime.archive.storages import Storage, StorageReader
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Unpickler

STORAGE = np.arange(12, dtype=np.float32)


def load(data: bytes, records: bool = True, **options: Any) -> Any:
    def fetch(key: str) -> np.ndarray[Any, Any] | None:
        return STORAGE.copy().view(np.uint8) if key == "0" else None

    return Unpickler(data, TensorRules(same, **options).rules("data.pkl", records), StorageReader(fetch)).load()


def glob(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def storage(kind: str = "FloatStorage", numel: int = 12, key: str = "0", device: str = "cpu") -> bytes:
    count = b"J" + struct.pack("<i", numel)
    return b"(" + text_op("storage") + glob("torch", kind) + text_op(key) + text_op(device) + count + b"tQ"


def numbers(*values: int) -> bytes:
    return b"(" + b"".join(b"J" + struct.pack("<i", value) for value in values) + b"t"


def tensor_op(sizes: tuple[int, ...], strides: tuple[int, ...], offset: int = 0, place: bytes = b"") -> bytes:
    head = glob("torch._utils", "_rebuild_tensor_v2") + b"(" + (place or storage()) + b"J" + struct.pack("<i", offset)
    hooks = glob("collections", "OrderedDict") + b")R"
    return head + numbers(*sizes) + numbers(*strides) + b"\x89" + hooks + b"tR"


def pickled(body: bytes) -> bytes:
    return b"\x80\x02" + body + b"."


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_values(protocol: int) -> None:
    shared = [1]
    value = {
        "none": None,
        "bools": (True, False),
        "ints": [0, 255, 256, 65536, -1, 2**31, -(2**63), 2**100],
        "float": 1.5,
        "text": "ä\ud800",
        "empty": ((), [], {}),
        "tuples": ((1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        "bytes": b"\xff",
        "shared": [shared, shared],
        "ordered": OrderedDict(a=1),
        "set": {1},
        "frozen": frozenset((2,)),
        "complex": 1 + 2j,
        "array": bytearray(b"x"),
        "counter": Counter("aab"),
        3: "key",
        (1, 2): "tuple",
    }
    got = load(pickle.dumps(value, protocol), records=False)
    assert got == value and got["shared"][0] is got["shared"][1]


def test_recursive_list() -> None:
    loop: list[Any] = []
    loop.append(loop)
    got = load(pickle.dumps(loop, 2), records=False)
    assert got[0] is got


def test_python2_strings() -> None:
    assert load(b"\x80\x02(U\x01aT\x02\x00\x00\x00\xffbt.") == ("a", b"\xffb")


def test_objects_and_containers() -> None:
    body = (
        glob("__torch__.foo", "Bar")
        + b"q\x00)\x81q\x01}("
        + text_op("x")
        + b"K\x03"
        + text_op("self")
        + b"h\x01"
        + text_op("color")
        + glob("__torch__", "Color")
        + b"K\x02R"
        + text_op("ints")
        + glob("torch.jit._pickle", "build_intlist")
        + b"(](K\x01K\x02etR"
        + text_op("dict")
        + glob("torch.jit._pickle", "restore_type_tag")
        + b"}("
        + text_op("a")
        + b"K\x01u"
        + text_op("Dict[str, int]")
        + b"\x86R"
        + text_op("device")
        + glob("torch", "device")
        + text_op("cuda:1")
        + b"\x85R"
        + text_op("complex")
        + glob("builtins", "complex")
        + b"G"
        + struct.pack(">d", 1)
        + b"G"
        + struct.pack(">d", -2)
        + b"\x86R"
        + b"ub"
    )
    got = load(pickled(body))
    assert isinstance(got, ObjectRecord) and got.class_name == "__torch__.foo.Bar"
    assert got.state["self"] is got and got.state["x"] == 3
    assert got.state["color"] == EnumRecord("__torch__.Color", 2)
    ints = got.state["ints"]
    assert isinstance(ints, TypedContainer) and (ints.value, ints.type_string) == ([1, 2], "List[int]")
    assert (got.state["dict"].value, got.state["dict"].type_string) == ({"a": 1}, "Dict[str, int]")
    assert got.state["device"] == Device("cuda:1") and got.state["complex"] == 1 - 2j


def test_object_with_getstate() -> None:
    got = load(pickled(glob("__torch__", "P") + b")\x81(K\x01K\x02tb"))
    assert (got.class_name, got.state) == ("__torch__.P", (1, 2))


def test_tensors_share_their_storage() -> None:
    first = tensor_op((3, 4), (4, 1), place=storage() + b"q\x01")
    got = load(pickled(b"(" + first + b"q\x02" + tensor_op((4, 2), (1, 4), 4, b"h\x01") + b"h\x02t"))
    one, two, again = got
    assert one is again and one.array.tolist() == STORAGE.reshape(3, 4).tolist()
    assert two.array.tolist() == STORAGE.reshape(3, 4)[1:].T.tolist()
    two.array[0, 0] = 99
    assert one.array[1, 0] == 99
    assert (one.sizes, one.strides, one.offset, one.device, one.dtype) == ((3, 4), (4, 1), 0, "cpu", dtypes.float32)


@pytest.mark.parametrize(
    ("sizes", "strides", "offset"),
    [
        ((13,), (1,), 0),
        ((12,), (1,), 1),
        ((2, 2), (11, 1), 0),
        ((1,), (1,), 12),
        ((3,), (1, 1), 0),
        ((-1,), (1,), 0),
        ((2,), (-1,), 3),
        ((1,), (1,), -1),
        ((2**31 - 1,) * 3, (0, 0, 0), 0),
    ],
)
def test_tensors_outside_of_their_storage(sizes: tuple[int, ...], strides: tuple[int, ...], offset: int) -> None:
    with pytest.raises(ArchiveError):
        load(pickled(tensor_op(sizes, strides, offset)))


def test_tensors_at_the_edge() -> None:
    assert load(pickled(tensor_op((), (), 11))).array == 11
    assert load(pickled(tensor_op((0, 3), (99, 1), 0))).array.shape == (0, 3)
    assert load(pickled(tensor_op((5, 2), (0, 1), 10))).array.tolist() == [[10, 11]] * 5


def test_storage_errors() -> None:
    for place, message in (
        (storage(numel=13), "13 elements"),
        (storage(key="1"), "missing"),
        (storage(numel=-1), "-1 elements"),
        (storage("ComplexHalfStorage"), "element type"),
        (b"K\x01", "instead of a storage"),
        (b"K\x01Q", "not a storage"),
    ):
        with pytest.raises(ArchiveError, match=message):
            load(pickled(tensor_op((1,), (1,), place=place)))


def test_other_byte_order() -> None:
    swapped = {"f": np.arange(3, dtype=">f4"), "c": np.array([1 + 2j], ">c16"), "h": np.array([0x3F80], ">u2")}
    reader = StorageReader(lambda key: swapped[key].view(np.uint8).copy(), "big")
    rules = TensorRules(same).rules("x", True)

    def read(key: str, kind: str, count: int) -> Any:
        body = tensor_op((count,), (1,), place=storage(kind, count, key))
        return Unpickler(pickled(body), rules, reader).load().array

    assert read("f", "FloatStorage", 3).tolist() == [0, 1, 2]
    assert read("f", "FloatStorage", 2).tolist() == [0, 1]
    assert read("c", "ComplexDoubleStorage", 1).tolist() == [1 + 2j]
    assert read("h", "BFloat16Storage", 1).astype(float).tolist() == [1.0]
    with pytest.raises(ArchiveError, match="byte order"):
        read("f", "ShortStorage", 2)


def test_names_are_never_imported(tmp_path: Path) -> None:
    target = tmp_path / "made"

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (target,)

    for records in (True, False):
        with pytest.raises(ArchiveError, match="running code"):
            load(pickle.dumps(Evil(), 2), records)
        for name in ("os system", "builtins eval", "builtins getattr", "torch.jit._pickle build_x"):
            module, _, function = name.partition(" ")
            with pytest.raises(ArchiveError, match="class or function"):
                load(pickled(glob(module, function) + text_op("x") + b"\x85R"), records)
    assert not target.exists()


def test_unknown_names_are_classes_only_in_scripts() -> None:
    body = pickled(glob("__torch__.a", "B"))
    assert load(body) == Global("__torch__.a", "B")
    with pytest.raises(ArchiveError, match=r"__torch__\.a\.B"):
        load(body, records=False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"K",
        b"X\xff\xff\xff\xffa",
        b"\x8d" + b"\xff" * 8,
        b"h\x05.",
        b"(.",
        b"N0.",
        b"NN.",
        b"}K\x01s.",
        b"]}(NNue.",
        b"(K\x01K\x02K\x03u.",
        b"NK\x01a.",
        b"K\x01)R.",
        b"K\x01)\x81.",
        b"NNb.",
        b"K\x01Q.",
        b"}]Ns.",
        b"I1\n.",
        b"\x8bxxxx",
        b"cos.",
        b"c\n\n)\x81NbNb.",
        b"\xff.",
        b"\x80\x09N.",
        b"\x85.",
        b"0.",
        b"t.",
        b"e.",
        b"u.",
        b"\x93.",
    ],
)
def test_malformed(body: bytes) -> None:
    with pytest.raises(ArchiveError):
        load(b"\x80\x02" + body)


def test_every_cut_is_an_error() -> None:
    whole = pickled(b"(" + tensor_op((3, 4), (4, 1)) + glob("__torch__", "P") + b")\x81}(" + text_op("a") + b"K\x01ubt")
    load(whole)
    for end in range(len(whole)):
        with pytest.raises(ArchiveError):
            load(whole[:end])


def test_nesting_is_limited() -> None:
    deep = b"]" + b"\x85" * (unpickle.MAX_DEPTH + 1)
    with pytest.raises(ArchiveError, match="deep"):
        load(pickled(deep))
    assert load(pickled(b"]" + b"\x85" * (unpickle.MAX_DEPTH // 2)))
    with pytest.raises(ArchiveError, match="key"):
        load(pickled(b"})" + b"\x85" * 100_000 + b"Ns"))
    laughs = b"}(" + b")" + b"q\x00h\x00h\x00\x870" * 1 + b"t0N"
    with pytest.raises(ArchiveError):
        load(pickled(laughs))


def test_wide_shared_keys_are_refused_quickly() -> None:
    body = b"})"
    for _ in range(40):
        body += b"q\x00" + b"h\x00" * 2 + b"\x87"
    with pytest.raises(ArchiveError, match="key"):
        load(pickled(body + b"Ns"))


def test_position_after_the_value() -> None:
    machine = Unpickler(b"\x80\x02N.\x80\x02K\x07.", TensorRules(same).rules("x", False))
    assert machine.load() is None and machine.position == 4
    assert Unpickler(machine._data, machine._rules, None, 4).load() == 7


def test_parameters_quantised_meta_and_sparse() -> None:
    hooks = glob("collections", "OrderedDict") + b")R"
    parameter = glob("torch._utils", "_rebuild_parameter") + tensor_op((2,), (1,)) + b"\x88" + hooks + b"\x87R"
    got = load(pickled(parameter), records=False)
    assert got.is_parameter and got.requires_grad
    with pytest.raises(ArchiveError, match="expects a tensor"):
        load(pickled(glob("torch._utils", "_rebuild_parameter") + b"N\x88N\x87R"), records=False)

    def quantised(place: bytes, params: bytes) -> bytes:
        return (
            glob("torch._utils", "_rebuild_qtensor")
            + b"("
            + place
            + b"K\x00"
            + numbers(2, 3)
            + numbers(3, 1)
            + params
            + b"\x89"
            + hooks
            + b"tR"
        )

    qint8 = storage("QInt8Storage", 6)
    affine = glob("torch", "per_tensor_affine") + b"G" + struct.pack(">d", 0.5) + b"K\x03\x87"
    got = load(pickled(quantised(qint8, affine)))
    assert (got.quantizer.scheme, got.quantizer.scale, got.quantizer.zero_point) == ("per_tensor_affine", 0.5, 3)
    assert got.dtype is dtypes.qint8
    pair = b"(" + glob("torch", "per_channel_affine") + tensor_op((2,), (1,)) + tensor_op((2,), (1,)) + b"K\x00t"
    got = load(pickled(quantised(qint8, pair)))
    assert got.quantizer.axis == 0 and got.quantizer.scale.tolist() == [0, 1]
    for bad in (affine[:-1] + b"0\x86", b"N", pair.replace(b"K\x00t", b"K\x02t"), pair.replace(b"K\x00t", b"K\x01t")):
        with pytest.raises(ArchiveError):
            load(pickled(quantised(qint8, bad)))
    with pytest.raises(ArchiveError, match="quantised tensor has elements"):
        load(pickled(quantised(storage(), affine)))

    meta = glob("torch._utils", "_rebuild_meta_tensor_no_storage") + b"(" + glob("torch", "float64")
    got = load(pickled(meta + numbers(2000, 3) + numbers(3, 1) + b"\x89tR"), records=False)
    assert got.device == "meta" and got.array.shape == (2000, 3) and got.array.dtype == np.float64

    layout = glob("torch.serialization", "_get_layout") + text_op("torch.sparse_coo") + b"\x85R"
    sparse = (
        glob("torch._utils", "_rebuild_sparse_tensor")
        + layout
        + b"("
        + tensor_op((1, 2), (2, 1))
        + tensor_op((2,), (1,))
        + numbers(4)
        + b"\x88t\x86R"
    )
    with pytest.raises(ArchiveError, match="sparse"):
        load(pickled(sparse), records=False)
    got = load(pickled(sparse), records=False, make_sparse=lambda data: data)
    assert (got.layout, got.sizes, got.is_coalesced, len(got.parts)) == ("sparse_coo", (4,), True, 2)


def test_numpy_values() -> None:
    value = {
        "f": np.float64(3),
        "i": np.int16(-2),
        "b": np.bool_(True),
        "a": np.arange(6.0).reshape(2, 3).T,
        "u": np.str_("x"),
    }
    got = load(pickle.dumps(value, 2), records=False)
    assert (
        got["f"] == 3 and got["i"] == -2 and got["b"] and got["a"].tolist() == value["a"].tolist() and got["u"] == "x"
    )
    with pytest.raises(ArchiveError):
        load(pickle.dumps(np.array([object()]), 2), records=False)
    with pytest.raises(ArchiveError):
        load(pickle.dumps(np.zeros(1, [("a", "O")]), 2), records=False)


def test_describing_arrays() -> None:
    base = np.arange(12, dtype=np.float32)
    view = base.reshape(3, 4)[1:, ::2]
    data = TensorData.of(view)
    assert data.storage.size == 12 and (data.offset, data.sizes, data.strides) == (4, (2, 2), (4, 2))
    assert np.shares_memory(data.array, base) and data.array.tolist() == view.tolist()
    for odd in (base[::-1], base.reshape(3, 4)[:, ::-1], base.astype(">f4"), base.view(np.uint8)[1:9].view(np.float32)):
        data = TensorData.of(odd)
        assert data.offset == 0 and data.array.tolist() == odd.tolist()
    assert TensorData.of(np.ones((2, 0, 3))).strides == (3, 3, 1)
    assert TensorData.of(np.float64(2)[()] * np.ones(())).sizes == ()
    fortran = np.asfortranarray(np.arange(6).reshape(2, 3))
    assert TensorData.of(fortran).strides == (1, 2)
    assert TensorData.of(base.view(np.int32)[2:4], base).offset == 2
    with pytest.raises(ArchiveError, match="packs"):
        _ = tensor([1], np.uint8).with_fields(dtype=dtypes.quint4x2).array
    assert Storage(np.zeros(7, np.uint8)).of(dtypes.int16).size == 3
