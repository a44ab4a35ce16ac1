"""Whole TorchScript archives: reading, writing, and PyTorch reading what was written."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archive_helpers import DATA, parts, reread, same, script_bytes, tensor, text_op, zip_of

from linstock.ir import dtypes
from linstock.ir.device import Device
from linstock.ir.errors import ArchiveError
from linstock.ir.source import Source, Span
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.legacy_json import read_legacy
from linstock.runtime.archive.records import EnumRecord, ObjectRecord, Quantizer, TensorData, TypedContainer
from linstock.runtime.archive.script import ScriptArchive, read_script, write_script

CODE = """class Net(Module):
  __parameters__ = ["weight", ]
  __buffers__ = []
  weight : Tensor
  training : bool
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    _0 = torch.add(torch.mul(x, self.weight), CONSTANTS.c0)
    if torch.gt(torch.len(torch.size(x)), 1):
      ops.prim.RaiseException("too many dimensions")
    else:
      pass
    return _0
"""


def net(**state: Any) -> ScriptArchive:
    values = {"weight": tensor([1, 2, 3], requires_grad=True), "training": True, **state}
    return ScriptArchive(
        ObjectRecord("__torch__.Net", values),
        (tensor([10.0]),),
        {"__torch__.py": CODE},
        3,
        name="net",
        extra_files={"note.txt": b"hello"},
    )


def test_reading_a_file_of_pytorch() -> None:
    archive = read_script(ArchiveReader(DATA / "zoo.pt"), same)
    state = archive.root.state
    assert archive.root.class_name == "__torch__.zoo.M" and archive.version == 3
    assert archive.extra_files == {"note.txt": b"hello"} and list(archive.code) == ["__torch__/zoo.py"]
    assert state["w"] is state["w2"] and state["w"].requires_grad
    assert np.shares_memory(state["w"].array, state["b"].array)
    assert state["b"].array.tolist() == state["w"].array[1:].T.tolist()
    assert state["cj"].array.tolist() == [1 - 2j] and state["empty"].array.shape == (0,)
    assert state["c"] == EnumRecord("__torch__.zoo.Color", 2) and state["dev"] == Device("cuda:1")
    assert (state["d"].value, state["d"].type_string) == ({"a": 1, "b": 2}, "Dict[str, int]")
    assert [state[name].type_string for name in ("li", "lf", "lb", "lt", "ls", "ll", "lc")] == [
        "List[int]",
        "List[float]",
        "List[bool]",
        "List[Tensor]",
        "List[str]",
        "List[List[int]]",
        "List[complex]",
    ]
    assert state["tup"] == (1, "a", 2.0) and state["cx"] == 1 + 2j and state["big"] == 2**40 and state["neg"] == -3
    assert isinstance(state["obj"], ObjectRecord) and state["obj"].class_name == "__torch__.zoo.Obj"
    assert state["q"].quantizer.scale == 0.1 and state["qc"].quantizer.axis == 0
    assert [state[name].dtype for name in ("q", "qc", "u16", "f8")] == [
        dtypes.quint8,
        dtypes.qint8,
        dtypes.uint16,
        dtypes.float8_e5m2,
    ]


def test_debug_of_a_file_of_pytorch() -> None:
    with ArchiveReader(DATA / "zoo.pt") as reader:
        archive = read_script(reader, same)
    text, table = archive.code["__torch__/zoo.py"], archive.debug["__torch__/zoo.py"]
    line = next(index for index, line in enumerate(text.split("\n"), 1) if "torch.add(_3" in line)
    span = table(line, text.split("\n")[line - 1].index("torch.add"))
    assert span is not None and span.filename == "zoo.py"
    assert span.source.line(span.line).strip() == "return x+self.w[0,0]+self.obj2.x"
    shown = span.show()
    assert "^" * len("x+self.w[0,0]+self.obj2.x") in shown and '"zoo.py", line 47' in shown
    assert table(10_000, 0) is None and table(0, 0) is None


def test_writing_is_stable_and_keeps_everything() -> None:
    first = read_script(ArchiveReader(DATA / "zoo.pt"), same)
    raw = script_bytes(first)
    again = read_script(ArchiveReader(raw), same)
    assert script_bytes(again) == raw
    assert again.code == first.code and again.extra_files == first.extra_files and again.version == first.version
    assert again.root.state["w"] is again.root.state["w2"]
    assert np.shares_memory(again.root.state["w"].array, again.root.state["b"].array)
    assert again.root.state["qc"].quantizer.zero_point.tolist() == [1, 2]
    spans = [
        [span and (span.filename, span.lineno, span.column) for _, span in a.debug["__torch__/zoo.py"].entries]
        for a in (first, again)
    ]
    assert spans[0] == spans[1] and any(spans[0])


def test_objects_stay_shared() -> None:
    part = ObjectRecord("__torch__.Part", {"t": tensor([1])})
    numbers = TypedContainer([1, 2], "List[int]")
    got = reread(net(a=part, b=part, c=numbers, d=numbers)).root.state
    assert got["a"] is got["b"] and got["c"] is got["d"]


def test_views_share_a_record() -> None:
    base = np.arange(12, dtype=np.float32)
    archive = net(a=TensorData.of(base.reshape(3, 4)), b=TensorData.of(base[4:8]), c=TensorData.of(base.view(np.int32)))
    reader = ArchiveReader(script_bytes(archive))
    assert [name for name in reader.names() if name.startswith("data/")] == ["data/0", "data/1"]
    state = read_script(reader, same).root.state
    state["a"].array[1, 0] = -1
    assert state["b"].array[0] == -1 and state["c"].array.dtype == np.int32
    assert state["c"].array[4] == np.float32(-1).view(np.int32)


def test_values_that_cannot_be_stored() -> None:
    loop = ObjectRecord("__torch__.P", {})
    loop.state["self"] = loop
    items: list[Any] = []
    items.append(items)
    for bad, message in (
        (loop, "refers to itself"),
        (items, "refers to itself"),
        (2**63, "64 bits"),
        (object(), "type builtins.object"),
        (np.ones(2), "from_numpy"),
        ({1}, "builtins.set"),
        (b"x", "builtins.bytes"),
        (ObjectRecord("P", {}), "qualified"),
        (tensor([1], np.uint8).with_fields(dtype=dtypes.quint8), "scale and zero point"),
        (tensor([1]).with_fields(device="meta"), "meta"),
        (ObjectRecord("a.b\nc", {}), "cannot be called"),
    ):
        with pytest.raises(ArchiveError, match=message):
            script_bytes(net(bad=bad))


def test_failure_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    write_script(path, net(), parts)
    before = path.read_bytes()
    with pytest.raises(ArchiveError):
        write_script(path, net(bad=object()), parts)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_deep_values_do_not_recurse() -> None:
    value: Any = None
    for _ in range(900):
        value = ObjectRecord("__torch__.Link", {"next": value})
    got, depth = reread(net(first=value)).root.state["first"], 0
    while got is not None:
        got, depth = got.state["next"], depth + 1
    assert depth == 900


def test_damaged_scripts() -> None:
    good: dict[str, bytes | str] = {"data.pkl": b"\x80\x02N.", "constants.pkl": b"\x80\x02).", "version": "3\n"}
    assert read_script(ArchiveReader(zip_of(good)), same).root is None
    with pytest.raises(ArchiveError, match="instead of a tuple"):
        read_script(ArchiveReader(zip_of({**good, "constants.pkl": b"\x80\x02N."})), same)
    with pytest.raises(ArchiveError, match=r"data\.pkl.*damaged at byte"):
        read_script(ArchiveReader(zip_of({**good, "data.pkl": b"\x80\x02("})), same)
    with pytest.raises(ArchiveError, match="UTF-8"):
        read_script(ArchiveReader(zip_of({**good, "code/a.py": b"\xff"})), same)
    spoilt = read_script(ArchiveReader(zip_of({**good, "code/a.py": "x", "code/a.py.debug_pkl": b"x"})), same)
    assert spoilt.debug["a.py"](1, 0) is None


# debug records


def test_source_table_round_trip() -> None:
    source = Source("def f(x):\n    y = 'ä'\n    return y + x\n", "user.py", 41)
    traced = Source("", "frames.py", 7)
    entries = [
        (0, None),
        (10, Span(source, 3, 11, 3, 16)),
        (20, Span(source, 2, 4, 3, 4)),
        (30, Span(traced, 1, 0, 1, 0)),
    ]
    table = SourceTable(entries, "0123456789abcdefghij\nklmnopqrst")
    again = SourceTable.parse(table.dump())
    assert [offset for offset, _ in again.entries] == [0, 10, 20, 30]
    none, one, two, three = (span for _, span in again.entries)
    assert none is None and one is not None and two is not None and three is not None
    assert (one.filename, one.lineno, one.column, one.end_column) == ("user.py", 43, 11, 16)
    assert one.source.text == source.text and (two.line, two.end_line) == (2, 3)
    assert (three.filename, three.lineno) == ("frames.py", 7)
    assert again.find(15) is one and again.find(9) is None and table(1, 12) is entries[1][1]
    assert table(2, 0) is entries[2][1]
    assert SourceTable.parse(again.dump()).dump() == again.dump()


def test_older_debug_format() -> None:
    place = b"(" + text_op("  a\n  b + c\n") + text_op("old.py") + b"K\x05t"
    record = (
        b"\x80\x02((K\x0a("
        + place
        + b"K\x06K\x0btt(K\x14(("
        + text_op("trace.py(3): f\n")
        + b"NK\x00tK\x00K\x01tK\x02tt."
    )
    one, two = (span for _, span in SourceTable.parse(record).entries)
    assert one is not None and (one.filename, one.lineno, one.column) == ("old.py", 6, 2)
    assert two is not None and (two.filename, two.lineno) == ("trace.py", 3)
    for bad in (b"\x80\x02N.", b"\x80\x02(K\x01t.", b"\x80\x02(K\x01K\x02t\x85.", b"\x80\x02((K\x01(NK\x01K\x02ttt."):
        with pytest.raises(ArchiveError, match="debug record"):
            SourceTable.parse(bad)


# archives with a model.json


def legacy(**changes: Any) -> dict[str, bytes | str]:
    model = {
        "protoVersion": "5",
        "mainModule": {
            "name": "net",
            "torchscriptArena": {"key": "code/net.py"},
            "parameters": [{"tensorId": "0", "name": "weight"}, {"isBuffer": True, "tensorId": "1", "name": "mean"}],
            "attributes": [
                {"type": "Tensor", "name": "mean", "id": "-1"},
                {"type": "List[int]", "name": "sizes", "id": "0"},
                {"type": "Optional[int]", "name": "later", "id": "-1"},
            ],
            "submodules": [{"name": "0", "torchscriptArena": {"key": "code/net_0.py"}}],
        },
        "tensors": [
            {
                "dims": ["2", "2"],
                "strides": ["2", "1"],
                "offset": "0",
                "requiresGrad": True,
                "dataType": "FLOAT",
                "data": {"key": "tensors/0"},
                "device": "cpu",
            },
            {"dims": ["2"], "strides": ["1"], "offset": "1", "dataType": "FLOAT", "data": {"key": "tensors/0"}},
            {"offset": "0", "dataType": "INT64", "data": {"key": "tensors/1"}, "device": "cpu"},
        ],
    }
    model.update(changes)
    return {
        "version": "1\n",
        "model.json": json.dumps(model),
        "code/net.py": "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n"
        '  return torch.add((getattr(self, "0")).forward(x, ), self.weight)\n',
        "code/net_0.py": "op_version_set = 1\ndef forward(self,\n    x: Tensor) -> Tensor:\n"
        "  return torch.mul(x, CONSTANTS.c2)\n",
        "libs/__torch__/things.py": "op_version_set = 1\nclass Thing(NamedTuple):\n  a : int\n",
        "attributes.pkl": b"\x80\x02(ctorch.jit._pickle\nbuild_intlist\n(](K\x03etRctorch.jit._pickle\n"
        b"build_tensor_from_id\n(K\x01tRt.",
        "tensors/0": np.arange(4, dtype=np.float32).tobytes(),
        "tensors/1": np.int64(5).tobytes(),
    }


def test_legacy_archive() -> None:
    reader = ArchiveReader(zip_of(legacy(), "net/"))
    archive = read_legacy(reader, same)
    module = archive.module
    assert (module.class_name, module.submodules["0"].class_name) == ("__torch__.net", "__torch__.net._0")
    assert module.parameters["weight"].array.tolist() == [[0, 1], [2, 3]] and module.parameters["weight"].requires_grad
    assert np.shares_memory(module.parameters["weight"].array, module.buffers["mean"].array)
    assert module.attributes["sizes"][1].value == [3] and module.attributes["later"] == ("Optional[int]", None)
    assert "mean" not in module.attributes and len(archive.tensors) == 3
    script = read_script(reader, same)
    assert set(script.code) == {"__torch__.py", "__torch__/net.py", "__torch__/things.py"}
    assert "op_version_set" not in "".join(script.code.values())
    assert script.code["__torch__.py"].startswith(
        'class net(Module):\n  __parameters__ = ["weight", ]\n  __buffers__ = ["mean", ]\n  weight : Tensor\n'
        "  mean : Tensor\n  sizes : List[int]\n  later : Optional[int]\n"
        '  __annotations__["0"] = __torch__.net._0\n  training : bool\n  def forward(self,\n'
    )
    assert list(script.root.state) == ["weight", "mean", "sizes", "later", "0", "training"]
    assert script.constants[2].array == 5 and script.version == 1


def test_legacy_debug_and_state() -> None:
    records = legacy(
        tensors=[],
        mainModule={
            "name": "a.b",
            "torchscriptArena": {"key": "code/net.py"},
            "torchscriptDebugArena": {"key": "debug/net.pkl"},
            "getStateAttributeId": "0",
        },
    )
    text = str(records["code/net.py"])
    source = Source("return this\n", "user.py", 9)
    entries = [(text.index("torch.add"), Span(source, 1, 0, 1, 6))]
    records["debug/net.pkl"] = SourceTable(entries, text).dump()
    records["attributes.pkl"] = b"\x80\x02(K\x07K\x08\x86t."
    script = read_script(ArchiveReader(zip_of(records)), same)
    assert (script.root.class_name, script.root.state) == ("__torch__.a.b", (7, 8))
    code = script.code["__torch__/a.py"]
    line = next(index for index, line in enumerate(code.split("\n"), 1) if "torch.add" in line)
    span = script.debug["__torch__/a.py"](line, code.split("\n")[line - 1].index("torch.add"))
    assert span is not None and (span.filename, span.lineno) == ("user.py", 9)
    assert script.debug["__torch__/a.py"](line, 0) is None


def test_oldest_legacy_archive() -> None:
    model = {
        "protoVersion": "2",
        "mainModule": {"name": "m", "torchscriptArena": {"key": "code/m.py"}},
        "libs": {"torchscriptArena": {"key": "libs.py"}},
    }
    records: dict[str, bytes | str] = {
        "version": "1",
        "model.json": json.dumps(model),
        "code/m.py": "op_version_set = 0\ndef forward(self):\n  pass\n",
        "libs.py": "op_version_set = 0\nclass A:\n  pass\n",
        "attributes.pkl": b"\x80\x02](e.",
    }
    code = read_script(ArchiveReader(zip_of(records)), same).code["__torch__.py"]
    assert code.startswith("class A:\n  pass\n") and "class m(Module):" in code


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"protoVersion": "6"}, "format 6"),
        ({"mainModule": None}, "mainModule"),
        ({"tensors": {}}, "instead of a list"),
        ({"mainModule": {}}, "lacks the text 'name'"),
        ({"mainModule": {"name": "a", "parameters": [{"tensorId": "9"}]}}, "table"),
        ({"tensors": [{"dataType": "STRING", "data": {"key": "tensors/0"}}]}, "type STRING"),
        ({"tensors": [{"dataType": "FLOAT", "data": {"key": "tensors/9"}}]}, "no record"),
        ({"tensors": [{"dataType": "FLOAT", "data": {"key": "tensors/0"}, "dims": ["5"], "strides": ["1"]}]}, "beyond"),
        (
            {"tensors": [{"dataType": "FLOAT", "data": {"key": "tensors/0"}, "dims": [1.5], "strides": ["1"]}]},
            "for a number",
        ),
    ],
)
def test_damaged_legacy_archives(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        read_script(ArchiveReader(zip_of(legacy(**changes))), same)


def test_legacy_json_must_be_json() -> None:
    for text in ("{", "[]", "[" * 100_000, "\x00"):
        with pytest.raises(ArchiveError):
            read_script(ArchiveReader(zip_of({**legacy(), "model.json": text})), same)


# PyTorch


@pytest.mark.interop
def test_pytorch_runs_what_was_written() -> None:
    torch = pytest.importorskip("torch")
    source = Source("def forward(self, x):\n    raise 'mine'\n", "mine.py", 20)
    archive = net()
    at = CODE.index("ops.prim")
    archive.debug["__torch__.py"] = SourceTable([(0, None), (at, Span(source, 2, 4, 2, 16)), (at + 48, None)], CODE)
    extra = {"note.txt": ""}
    module = torch.jit.load(io.BytesIO(script_bytes(archive)), _extra_files=extra)
    assert extra == {"note.txt": b"hello"}
    assert module(torch.ones(3)).tolist() == [11, 12, 13] and module.weight.requires_grad
    with pytest.raises(Exception, match=r"mine\.py"):
        module(torch.ones(2, 3))


@pytest.mark.interop
def test_pytorch_reads_every_kind_of_value(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    first = read_script(ArchiveReader(DATA / "zoo.pt"), same)
    path = tmp_path / "copy.pt"
    write_script(path, first, parts)
    one, two = torch.jit.load(str(DATA / "zoo.pt"), map_location="cpu"), torch.jit.load(str(path), map_location="cpu")
    for name, value in one.state_dict().items():
        other = two.state_dict()[name]
        assert torch.equal(value, other) and value.stride() == other.stride() and value.dtype == other.dtype
    for name in ("d", "li", "lf", "lb", "ls", "ll", "lc", "o", "o2", "tup", "dev", "cx", "big", "neg"):
        assert getattr(one, name) == getattr(two, name), name
    assert torch.equal(one.q.dequantize(), two.q.dequantize()) and torch.equal(one.qc.dequantize(), two.qc.dequantize())
    assert two.w.untyped_storage().data_ptr() == two.b.untyped_storage().data_ptr()
    assert torch.equal(one(torch.ones(2)), two(torch.ones(2))) and one.code == two.code


@pytest.mark.interop
@pytest.mark.parametrize("version", [1, 3, 4, 5, 6, 9, 10])
def test_pytorch_reads_every_version(version: int) -> None:
    torch = pytest.importorskip("torch")
    archive = net()
    archive.version = version
    raw = script_bytes(archive)
    with zipfile.ZipFile(io.BytesIO(raw)) as records:
        assert ("net/.data/version" if version >= 6 else "net/version") in records.namelist()
    assert torch.jit.load(io.BytesIO(raw))(torch.ones(3)).tolist() == [11, 12, 13]
    assert ArchiveReader(raw).version == version


@pytest.mark.interop
def test_pytorch_reads_legacy_archives_in_the_new_form() -> None:
    torch = pytest.importorskip("torch")
    script = read_script(ArchiveReader(zip_of(legacy(), "net/")), same)
    module = torch.jit.load(io.BytesIO(script_bytes(script)))
    assert module(torch.ones(2, 2)).tolist() == [[5, 6], [7, 8]] and module.sizes == [3]


@pytest.mark.interop
def test_quantised_tensors_in_both_directions() -> None:
    torch = pytest.importorskip("torch")
    per_channel = tensor([[1, 2], [3, 4]], np.int8).with_fields(
        dtype=dtypes.qint8, quantizer=Quantizer("per_channel_affine", np.array([0.5, 0.25]), np.array([0, 1]), 1)
    )
    code = CODE.replace("  training", "  q : Tensor\n  training", 1)
    archive = net(q=per_channel)
    archive.code = {"__torch__.py": code}
    module = torch.jit.load(io.BytesIO(script_bytes(archive)))
    assert module.q.dequantize().tolist() == [[0.5, 0.25], [1.5, 0.75]]
