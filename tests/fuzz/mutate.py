"""Mutations of archives: of bytes, of zip structure, of pickle opcodes, of code. All take their chances from `rng`."""

from __future__ import annotations

import pickletools
import random
import struct
import zlib
from collections.abc import Sequence
from functools import lru_cache

#: numbers at which arithmetic on sizes goes wrong
EDGES = (0, 1, 2, 7, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
WIDE = (*EDGES, 1 << 32, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


def flip(rng: random.Random, data: bytes, low: int = 0, high: int | None = None) -> bytes:
    """A few changes of bytes between two places: overwritten, inserted, deleted, copied, cut."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        end = min(len(out), high if high is not None else len(out))
        at = rng.randrange(min(low, end), end + 1) if end else 0
        kind = rng.randrange(8)
        if kind == 0:
            out[at : at + 1] = bytes((rng.randrange(256),))
        elif kind == 1 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            out[at : at + 4] = struct.pack("<I", rng.choice(EDGES))
        elif kind == 3:
            out[at : at + 8] = struct.pack("<Q", rng.choice(WIDE))
        elif kind == 4:
            out[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 5:
            del out[at : at + rng.choice((1, 2, 4, 30))]
        elif kind == 6 and end > 8:
            start = rng.randrange(end)
            out[at:at] = out[start : start + rng.randrange(1, 40)]
        elif kind == 7:
            out[at : at + 2] = struct.pack("<H", rng.choice(EDGES) & 0xFFFF)
    return bytes(out)


# -- zip ---------------------------------------------------------------------------------------------------------------
NAMES = (
    "../../etc/passwd", "/etc/passwd", "m/../x", "m\\..\\x", "C:/x", "m/data.pkl", "m/code/__torch__.py", "m/version", "m/\0x",
    "", "m", "m/", "\u202e/x", "m/" + "a" * 70000, "m/.data/version", "m/constants.pkl", "m/data/0", "m/model.json",
)  # fmt: skip


def build_zip(records: Sequence[tuple[str | bytes, bytes]], rng: random.Random | None = None) -> bytes:
    """A zip of stored records without check sums; with `rng` some of its numbers are wrong."""
    out, directory = bytearray(), bytearray()
    odd = (lambda n, most: rng.choice(EDGES) & most if rng.random() < 0.04 else n) if rng else (lambda n, most: n)
    for name, content in records:
        label = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
        label = label[:65535]
        method, packed, size = 0, content, len(content)
        if rng and rng.random() < 0.1:
            packer = zlib.compressobj(1, zlib.DEFLATED, -15)
            method, packed = 8, packer.compress(content) + packer.flush()
            if rng.random() < 0.3:
                packed = flip(rng, packed)
        start = len(out)
        out += struct.pack(
            "<IHHHHHIIIHH", 0x04034B50, 0, 0x800, method, 0, 0, 0, odd(len(packed), 0xFFFFFFFF), odd(size, 0xFFFFFFFF),
            odd(len(label), 0xFFFF), 0,
        ) + label + packed  # fmt: skip
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, odd(0x800, 0xFFFF), odd(method, 0xFF), 0, 0, 0,
            odd(len(packed), 0xFFFFFFFF), odd(size, 0xFFFFFFFF), odd(len(label), 0xFFFF), odd(0, 0xFF), odd(0, 0xFF),
            0, 0, 0, odd(start, 0xFFFFFFFF),
        ) + label  # fmt: skip
    at = len(out)
    out += directory
    count = odd(len(records), 0xFFFF)
    out += struct.pack(
        "<IHHHHIIH", 0x06054B50, odd(0, 0xFF), 0, count, count, odd(len(directory), 0xFFFFFFFF), odd(at, 0xFFFFFFFF), 0
    )
    return bytes(out)


def zip_bytes(rng: random.Random, raw: bytes) -> bytes:
    """A mutated container: any byte, the directory at its end, a cut, a piece of another place."""
    kind = rng.randrange(5)
    if kind == 0:
        return flip(rng, raw)
    if kind == 1:
        start = raw.find(b"PK\x01\x02")
        return flip(rng, raw, max(start, 0))
    if kind == 2:
        return raw[: rng.randrange(len(raw))]
    if kind == 3:  # a number of some header
        out = bytearray(raw)
        mark = rng.choice((b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"))
        places = []
        at = raw.find(mark)
        while at >= 0 and len(places) < 200:
            places.append(at)
            at = raw.find(mark, at + 4)
        if places:
            at = rng.choice(places) + rng.randrange(4, 56)
            size = rng.choice((1, 2, 4, 8))
            value = rng.choice(WIDE) & ((1 << 8 * size) - 1)
            out[at : at + size] = value.to_bytes(size, "little")
        return bytes(out)
    return flip(rng, raw, len(raw) - 120)


def zip_records(rng: random.Random, records: dict[str, bytes]) -> bytes:
    """The records of an archive put together again with names doubled, lost, renamed, swapped, or emptied."""
    items: list[tuple[str | bytes, bytes]] = list(records.items())
    for _ in range(rng.choice((1, 1, 2, 4))):
        i, j = rng.randrange(len(items)), rng.randrange(len(items))
        kind = rng.randrange(8)
        if kind == 0:
            items.append(items[i])
        elif kind == 1 and len(items) > 1:
            del items[i]
        elif kind == 2:
            items[i] = (rng.choice(NAMES), items[i][1])
        elif kind == 3:
            items[i] = (items[i][0], items[j][1])
        elif kind == 4:
            items[i] = (
                items[i][0],
                rng.choice((b"", b"\0", b"10\n", b"99999999999\n", b"-1", "١".encode(), b"\xff" * 40)),
            )
        elif kind == 5:
            rng.shuffle(items)
        elif kind == 6:
            items[i] = (items[i][0], items[i][1][: rng.randrange(len(items[i][1]) + 1)])
        else:
            name = items[i][0]
            raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
            items[i] = (flip(rng, raw), items[i][1])
        if not items:
            break
    return build_zip(items, rng if rng.random() < 0.6 else None)


# -- pickle ------------------------------------------------------------------------------------------------------------
@lru_cache(4096)
def _pieces(data: bytes) -> tuple[bytes, ...]:
    """The pickle's opcodes with their arguments."""
    places = [place for _, _, place in pickletools.genops(data)]
    return tuple(data[a:b] for a, b in zip(places, [*places[1:], len(data)]) if a is not None)


def _text(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(raw)) + raw


_GLOBALS = (
    "os system", "builtins eval", "builtins exec", "builtins complex", "torch._utils _rebuild_tensor_v2", "torch FloatStorage",
    "torch LongStorage", "torch.jit._pickle restore_type_tag", "torch.jit._pickle build_intlist", "collections OrderedDict",
    "__torch__ Net", "__torch__ Box", "__torch__ Color", "__torch__.torch.classes.quantized Conv2dPackedParamsBase",
    "torch device", "torch._utils _rebuild_qtensor", "torch per_channel_affine", "torch Size", "torch._utils _rebuild_parameter",
    "builtins set", "builtins getattr", "subprocess Popen", "torch.storage _load_from_bytes", "torch.serialization _get_layout",
    "torch._utils _rebuild_sparse_tensor", "torch._tensor _rebuild_from_type_v2", "numpy dtype", "numpy.core.multiarray scalar",
    "numpy.core.multiarray _reconstruct", "_codecs encode", "builtins bytearray", "collections Counter", "torch int8",
    "torch._utils _rebuild_tensor_v3", "torch._utils _rebuild_meta_tensor_no_storage",
)  # fmt: skip
_OPS = [bytes((c,)) for c in b")]}(N\x88\x89tleausRbQ012.\x85\x86\x87\x81\x8f\x90\x91\x93\x94"]
_TYPES = (
    "Dict[str, int]",
    "List[",
    "List[" * 3000,
    "List[__torch__.Net]",
    "int",
    "Optional[Any]",
    "",
    "'" * 50,
    "Tuple[()]",
)


def _piece(rng: random.Random) -> bytes:
    kind = rng.randrange(9)
    if kind < 3:
        return rng.choice(_OPS)
    if kind == 3:
        return b"c" + rng.choice(_GLOBALS).replace(" ", "\n").encode() + b"\n"
    if kind == 4:
        return b"\x8a\x08" + struct.pack("<Q", rng.choice(WIDE))
    if kind == 5:
        return b"h" + bytes((rng.randrange(40),))
    if kind == 6:
        return _text(
            rng.choice(
                (*_TYPES, "0", "1", "cpu", "cuda:99", "meta", "storage", "training", "weight", "\ud800", "x" * 300)
            )
        )
    if kind == 7:
        return b"G" + rng.choice((struct.pack(">d", 1e308), b"\x7f\xf0" + bytes(6), b"\xff" * 8))
    return rng.choice((b"K", b"q")) + bytes((rng.randrange(256),))


def pickle_bytes(rng: random.Random, data: bytes) -> bytes:
    """A mutated pickle: opcodes replaced, doubled, lost, moved, nested; sometimes any bytes."""
    if rng.random() < 0.2:
        return flip(rng, data)
    try:
        parts = list(_pieces(data))
    except Exception:
        return flip(rng, data)
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        i = rng.randrange(len(parts))
        kind = rng.randrange(10)
        if kind < 3:
            parts[i] = _piece(rng)
        elif kind == 3:
            parts.insert(i, _piece(rng))
        elif kind == 4 and len(parts) > 2:
            del parts[i : i + rng.choice((1, 1, 2, 5))]
            parts = parts or [b"."]
        elif kind == 5:
            start = rng.randrange(len(parts))
            parts[i:i] = parts[start : start + rng.randrange(1, 12)]
        elif kind == 6:
            j = rng.randrange(len(parts))
            parts[i], parts[j] = parts[j], parts[i]
        elif kind == 7 and rng.random() < 0.4:
            depth = rng.choice((3, 50, 900, 1500, 5000))
            parts[i:i] = [b"(" * depth] if rng.random() < 0.3 else [b"N" + b"\x85" * depth]
        elif kind == 8 and len(parts[i]) > 1:
            parts[i] = flip(rng, parts[i])
        else:
            parts[i:i] = [_text("a"), _piece(rng), _piece(rng), rng.choice(_OPS)]
    return b"".join(parts)


# -- code --------------------------------------------------------------------------------------------------------------
_DEEP = (
    lambda n: "(" * n + "x" + ")" * n, lambda n: "-" * n + "1", lambda n: "not " * n + "x", lambda n: "[" * n + "]" * n,
    lambda n: "x" + ".a" * n, lambda n: "x" + "()" * n, lambda n: "+".join(["1"] * n), lambda n: "x" + "[0]" * n,
    lambda n: "List[" * n + "int" + "]" * n, lambda n: "Optional[" * n + "int" + "]" * n, lambda n: "~" * n + "x",
    lambda n: "1 if x else " * n + "2", lambda n: "lambda: " * n + "2", lambda n: " and ".join(["x"] * n), lambda n: "**".join(["2"] * n),
    lambda n: "torch.neg(" * n + "x" + ")" * n, lambda n: "x<" * n + "x", lambda n: "Tuple[" + "int, " * n + "]", lambda n: "{1:" * n + "1" + "}" * n,
    lambda n: "f(" + "1," * n + ")", lambda n: "f'{" * 3 + "x" + "}'" * 3, lambda n: "'" + "\\N{DIGIT ONE}" * n + "'", lambda n: "\\\n" * n + "x",
    lambda n: "await " * n + "x", lambda n: "*" * n + "x", lambda n: "x:=" * n + "1", lambda n: "@" * n + "x", lambda n: "(yield " * n + ")" * n,
)  # fmt: skip
_BLOCKS = (
    lambda n: "".join("\n" + " " * (4 + i) + "if x:" for i in range(n)) + "\n" + " " * (5 + n) + "pass",
    lambda n: "\n    if x:\n      y = 1" + "\n    elif x:\n      y = 1" * n,
    lambda n: "".join("\n" + " " * (4 + i) + "for i in range(3):" for i in range(n)) + "\n" + " " * (5 + n) + "x = annotate(Optional[int], 1)",
    lambda n: "".join("\n" + " " * (4 + i) + "while True:" for i in range(n)) + "\n" + " " * (5 + n) + "break",
    lambda n: "\n    x = (x, x)" * n, lambda n: "\n    x = [x]" * n, lambda n: "\n    t = (1, 2, 3, 4)" + "".join("\n" + " " * (4 + i) + "for a in t:" for i in range(n)) + "\n" + " " * (5 + n) + "b = 1",  # noqa: E501
    lambda n: "\n    try:\n      pass\n    except:\n      pass" * n, lambda n: "\n    with x as y:\n      pass" * n, lambda n: "\n    class A:\n      pass",
    lambda n: "\n    def f():\n      return f", lambda n: "\n    import os", lambda n: "\n    global x", lambda n: "\n    x = {x: x}" * n,
    lambda n: "\n    match x:\n      case 1:\n        pass", lambda n: "\n    async def f(): pass", lambda n: "\n    del x", lambda n: "\n    raise x",
    lambda n: "\n    assert x, x", lambda n: "\n    return (x, " + "x, " * n + ")", lambda n: "\n    x : " + "Tuple[int, int, " * min(n, 90) + "int" + "]" * min(n, 90) + " = x",  # noqa: E501
    lambda n: "\n    x = annotate(Tuple[int, int], x)" * n, lambda n: "\n    self.f = self\n    self.x = 1", lambda n: "\n    x += x" * n,
)  # fmt: skip
_WORDS = (
    "None", "True", "...", "self", "torch", "ops", "CONSTANTS", "CONSTANTS.c0", "CONSTANTS.c99999", "CONSTANTS.c²", "CONSTANTS.x", "__torch__",
    "__torch__.Net", "__torch__.Box", "__torch__.Color", "__torch__.Color.RED", "__torch__.Point", "__torch__.torch.classes.a.B", "inf", "nan",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 5000, "0x" + "f" * 5000, "1e999", "1j", "1_000", "0b1", "b'x'",
    "'\\ud800'", "'a' 'b'", "f'{x}'", '"__class__"', "int", "str", "List", "Dict", "Optional", "Any", "Tuple", "fork", "annotate", "unchecked_cast",
    "uninitialized", "isinstance", "getattr", "hasattr", "range", "enumerate", "zip", "len", "list", "dict", "tuple", "print", "max", "sorted",
    "sum", "reversed", "__import__", "eval", "exec", "open", "globals", "__builtins__", "__class__", "__init__", "__new__", "mro", "_x_", "ª",
    "Final", "Module", "Enum", "NamedTuple", "Interface", "_set_item", "append", "tolist", "__getitem__", "forward", "__getstate__", "__setstate__",
    "training", "*x", "**x", "x=1", "torch.nope", "ops.a.b", "ops.prim.RaiseException", "ops.quantized.linear", "ops.prim.Print", "ops.aten.save",
    "torch.from_file", "\t", "\0", "\r", "\x0c", "\ufeff", "#", ";", ":", ",", "->", ":=", "==", "is", "in", "lambda", "yield", "await", "@", "!",
)  # fmt: skip


def code_text(rng: random.Random, parts: list[str], words: Sequence[str], lines: Sequence[str]) -> str:
    """Mutated code: tokens replaced, lost, doubled, taken from elsewhere; arguments lost; lines moved; deep nesting put
    in.
    """
    out = list(parts)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        if not out:
            break
        i = rng.randrange(len(out))
        kind = rng.randrange(16)
        if kind < 4:
            out[i] = rng.choice(words) if rng.random() < 0.6 else rng.choice(_WORDS)
        elif kind == 4:
            del out[i]
        elif kind == 5:
            out.insert(i, rng.choice(_WORDS))
        elif kind == 6:
            j = rng.randrange(len(out))
            out[i], out[j] = out[j], out[i]
        elif kind == 7:  # the arguments of a call or the elements of a type, changed
            _change_brackets(rng, out, i, words)
        elif kind == 8:
            _change_line(rng, out, i, lines)
        elif kind == 9:
            size = rng.choice((2, 10, 60, 150, 250, 900, 3000, 20000))
            out[i] = rng.choice(_DEEP)(size)
        elif kind == 10:
            ends = [k for k, t in enumerate(out) if t.startswith("\n") and len(t) == 5]
            if ends:
                at = rng.choice(ends)
                out[at:at] = [rng.choice(_BLOCKS)(rng.choice((1, 2, 5, 9, 12, 30, 70, 400)))]
        elif kind == 11:
            start = rng.randrange(len(out))
            out[i:i] = out[start : start + rng.randrange(1, 30)]
        elif kind == 12:
            del out[i : i + rng.randrange(1, 20)]
        else:  # an identifier in place of an identifier, a literal of a literal: code that still parses
            names = [
                k for k in (rng.randrange(len(out)) for _ in range(8)) if out[k][:1].isalnum() or out[k][:1] == "_"
            ]
            if names:
                out[names[0]] = out[names[-1]] if rng.random() < 0.5 else rng.choice(words)
    return "".join(out)


def _change_brackets(rng: random.Random, out: list[str], i: int, words: Sequence[str]) -> None:
    opens = [k for k in range(i, min(i + 60, len(out))) if out[k] in "(["]
    if not opens:
        return
    start, depth = opens[0], 0
    for end in range(start, min(start + 300, len(out))):
        depth += (out[end] in ("(", "[")) - (out[end] in (")", "]"))
        if depth == 0:
            break
    else:
        return
    inner = out[start + 1 : end]
    kind = rng.randrange(5)
    if kind == 0:
        inner = []
    elif kind == 1:
        inner = [*inner, ",", rng.choice(words)]
    elif kind == 2:
        inner = [rng.choice(words), ",", *inner]
    elif kind == 3:
        inner = inner[: rng.randrange(len(inner) + 1)]
    else:
        inner = ["x", "=", *inner]
    out[start + 1 : end] = inner


def _change_line(rng: random.Random, out: list[str], i: int, lines: Sequence[str]) -> None:
    ends = [k for k, t in enumerate(out) if t.startswith("\n")]
    if len(ends) < 3:
        return
    k = rng.randrange(len(ends) - 1)
    line = out[ends[k] : ends[k + 1]]
    kind = rng.randrange(4)
    if kind == 0:
        del out[ends[k] : ends[k + 1]]
    elif kind == 1:
        at = rng.choice(ends)
        out[at:at] = line
    elif kind == 2:
        out[ends[k] : ends[k + 1]] = ["\n", rng.choice(lines)]
    else:
        out[ends[k]] = "\n" + " " * rng.choice((0, 1, 2, 4, 6, 8, 40))


# -- graphs ------------------------------------------------------------------------------------------------------------
_HOSTILE = (
    "9223372036854775807", "-9223372036854775808", "4611686018427387904", "1000000000000", "2147483648", "-1", "0", "1", "2", "3", "None", "inf",
    "nan", "1e308", "True", "x", "y", "[x, y]", "[1000000, 1000000, 1000000]", "[-1, -1]", "[0]", "[9223372036854775807]", "[2, 2]", "\"sum\"", "\"\"",
    "\"cuda\"", "[1.5]", "[[1, 2], [3]]", "self", "[None, x]", "(1, 2)", "CONSTANTS.c0", "1j", "[True]", "{\"a\": x}", "[]", "annotate(List[int], [])",
    "annotate(Optional[int], None)", "[\"a\"]", "torch.zeros([100000, 100000, 100000])", "torch.mul(9223372036854775807, 9223372036854775807)",
)  # fmt: skip
_GRAPH_HEAD = (
    "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n  w : Tensor\n"
    "  def forward(self: __torch__.Net,\n    x: Tensor,\n    y: Tensor) -> Tensor:\n"
)


def hostile_program(rng: random.Random, operators: Sequence[tuple[str, str, tuple[str, ...]]]) -> str:
    """A sound program that calls operators with arguments nobody would give. `operators`: (namespace, name, argument
    names).
    """
    lines = []
    for i in range(rng.choice((1, 2, 3, 5))):
        namespace, name, arguments = rng.choice(operators)
        given = []
        for argument in arguments:
            if rng.random() < 0.1:
                break
            value = rng.choice(("x", "y", "_0")) if i and rng.random() < 0.3 else rng.choice(_HOSTILE)
            given.append(f"{argument}={value}" if rng.random() < 0.1 and argument.isidentifier() else value)
        head = "torch" if namespace == "aten" else f"ops.{namespace}"
        line = f"_{i} = {head}.{name}({', '.join(given)})"
        if rng.random() < 0.15:
            line = rng.choice(
                (
                    f"while True:\n      {line}",
                    f"for i in range({rng.choice(_HOSTILE)}):\n      {line}",
                    f"if {rng.choice(_HOSTILE)}:\n      {line}",
                )
            )
        lines.append(f"    {line}\n")
    return _GRAPH_HEAD + "".join(lines) + "    return x\n"
