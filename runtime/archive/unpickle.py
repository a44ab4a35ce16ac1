"""A pickle machine that reads data only: no name is imported, and nothing is called that the caller did not list."""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from linstock.ir.errors import ArchiveError
from linstock.runtime.archive.records import EnumRecord, Global, ObjectRecord, SparseData, TypedContainer

#: values nested deeper than this are refused, for code that walks them recurses
MAX_DEPTH = 2000
#: values that a walk may meet, shared ones each time: some, and more for longer pickles
FREE_PARTS, PARTS_PER_BYTE = 1_000_000, 8
_KEY_PARTS = 64


@dataclass(frozen=True)
class Rules:
    """What the names in a pickle mean.

    `values`: names that stand for a value. `calls`: names that may be called, each with the function of ours that does
    it. `builds`: types of ours whose instances take a state (BUILD). `records`: whether classes not listed become
    ObjectRecords and EnumRecords (TorchScript) or are refused (torch.save files). `what` names the file in messages.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    calls: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    builds: Mapping[type, Callable[[Any, Any], Any]] = field(default_factory=dict)
    records: bool = False
    what: str = "the pickle"


class Unpickler:
    """Reads one value from pickled bytes, starting at `position`, which then is where the pickle ended.

    `persistent` makes the values of persistent ids (storages). Raises ArchiveError for anything malformed, with the
    position; never anything else, and never runs code of the file.
    """

    def __init__(
        self, data: Any, rules: Rules, persistent: Callable[[Any], Any] | None = None, position: int = 0
    ) -> None:
        self._data = data
        self._rules = rules
        self._persistent = persistent
        self.position = position
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._names: dict[str, Any] = {}

    def load(self) -> Any:
        """Reads the value."""
        at = self.position
        try:
            while True:
                at = self.position
                code = self._data[at]
                self.position = at + 1
                step = _OPCODES[code]
                if step is not None:
                    step(self)
                elif code == _STOP:
                    break
                else:
                    raise self._error(at, f"the opcode 0x{code:02x} does not occur in archives")
            if len(self._stack) != 1 or self._marks:
                raise self._error(at, "it ends in the middle of a value")
            value = self._stack.pop()
        except ArchiveError:
            raise
        except (IndexError, struct.error):
            raise self._error(at, "it ends too early, or uses a value that is not there") from None
        except (
            TypeError, ValueError, KeyError, AttributeError, OverflowError, MemoryError, RuntimeError, ArithmeticError
        ) as error:  # fmt: skip
            raise self._error(at, f"{type(error).__name__}: {error}") from error
        _check_depth(value, self._rules.what, len(self._data))
        return value

    def _error(self, at: int, why: str) -> ArchiveError:
        return ArchiveError(f"{self._rules.what} is damaged at byte {at}: {why}")

    # reading

    def _bytes(self, count: int) -> bytes:
        start = self.position
        if count < 0 or start + count > len(self._data):
            raise IndexError
        self.position = start + count
        return bytes(self._data[start : start + count])

    def _number(self, form: struct.Struct) -> Any:
        (value,) = form.unpack_from(self._data, self.position)
        self.position += form.size
        return value

    def _line(self) -> str:
        for end in range(self.position, min(self.position + 4096, len(self._data))):
            if self._data[end] == 0x0A:
                text = bytes(self._data[self.position : end]).decode("utf-8")
                self.position = end + 1
                return text
        raise IndexError

    # the stack

    def _pop_mark(self) -> list[Any]:
        items = self._stack
        self._stack = self._marks.pop()
        return items

    def _push_marked(self, kind: Callable[[list[Any]], Any]) -> None:
        value = kind(self._pop_mark())
        self._stack.append(value)

    def _mark(self) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _push_tuple(self, count: int) -> None:
        if len(self._stack) < count:
            raise IndexError
        self._stack[-count:] = [tuple(self._stack[-count:])]

    def _get(self, index: int) -> None:
        try:
            self._stack.append(self._memo[index])
        except KeyError:
            raise ValueError(f"memo entry {index} was never put") from None

    def _duplicate(self) -> None:
        self._stack.append(self._stack[-1])

    # containers

    def _append(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is list:
            target.extend(items)
        elif type(target) is set:
            for item in items:
                _check_key(item)
                target.add(item)
        else:
            raise ValueError(f"appends to a {type(target).__name__}")

    def _set_items(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) not in (dict, OrderedDict, Counter) or len(items) % 2:
            raise ValueError(f"sets items of a {type(target).__name__}")
        for index in range(0, len(items), 2):
            _check_key(items[index])
            target[items[index]] = items[index + 1]

    # names and objects

    def _global(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise ValueError("a name is not text")
        qualified = f"{module}.{name}"
        if qualified not in self._names:
            rules = self._rules
            known = qualified in rules.calls or rules.records
            found = rules.values.get(qualified, Global(module, name) if known else None)
            if found is None:
                raise unknown_global(rules.what, qualified)
            self._names[qualified] = found
        self._stack.append(self._names[qualified])

    def _reduce(self) -> None:
        arguments = self._stack.pop()
        function = self._stack.pop()
        if not isinstance(function, Global):
            raise ValueError(f"calls a {type(function).__name__}")
        self._stack.append(self._call(function, arguments))

    def _call(self, function: Global, arguments: Any) -> Any:
        call = self._rules.calls.get(function.qualified)
        if call is not None:
            if type(arguments) is not tuple:
                raise ValueError(f"calls {function} with a {type(arguments).__name__}")
            return call(*arguments)
        # an enum's value stands alone, not in a tuple of arguments
        if self._rules.records and function.module.partition(".")[0] == "__torch__":
            return EnumRecord(function.qualified, arguments)
        raise unknown_global(self._rules.what, function.qualified)

    def _new_object(self) -> None:
        arguments = self._stack.pop()
        kind = self._stack.pop()
        if not isinstance(kind, Global):
            raise ValueError(f"makes an instance of a {type(kind).__name__}")
        if kind.qualified in self._rules.calls:
            self._stack.append(self._call(kind, arguments))
        elif self._rules.records and arguments == ():
            self._stack.append(ObjectRecord(kind.qualified, _EMPTY))
        else:
            raise unknown_global(self._rules.what, kind.qualified)

    def _build(self) -> None:
        state = self._stack.pop()
        target = self._stack[-1]
        if type(target) is ObjectRecord:
            if target.state is not _EMPTY:
                raise ValueError(f"sets the state of an object of {target.class_name} twice")
            target.state = state
            return
        build = self._rules.builds.get(type(target))
        if build is None:
            raise ValueError(f"sets the state of a {type(target).__name__}")
        build(target, state)

    def _load_persistent(self) -> None:
        identity = self._stack.pop()
        if self._persistent is None:
            raise ValueError("refers to something outside of it")
        self._stack.append(self._persistent(identity))


def _frozen_set(items: list[Any]) -> frozenset[Any]:
    for item in items:
        _check_key(item)
    return frozenset(items)


class _Empty:
    """The state of an object before BUILD."""

    def __repr__(self) -> str:
        return "<no state>"


_EMPTY = _Empty()
_STOP = 0x2E

_I8, _U8 = struct.Struct("<b"), struct.Struct("<B")
_U16, _I32, _U32, _U64, _F64 = (struct.Struct(form) for form in ("<H", "<i", "<I", "<Q", ">d"))


def _old_text(data: bytes) -> str | bytes:
    """A string of Python 2, which may be text or bytes."""
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        return data


def _steps() -> dict[int, Callable[[Unpickler], Any]]:
    """What each opcode does."""
    u = Unpickler

    def push(read: Callable[[Unpickler], Any]) -> Callable[[Unpickler], None]:
        return lambda m: m._stack.append(read(m))

    def constant(value: Any) -> Callable[[Unpickler], None]:
        return lambda m: m._stack.append(value)

    def text(form: struct.Struct) -> Callable[[Unpickler], None]:
        return lambda m: m._stack.append(m._bytes(m._number(form)).decode("utf-8", "surrogatepass"))

    def blob(form: struct.Struct, kind: Callable[[bytes], Any] = bytes) -> Callable[[Unpickler], None]:
        return lambda m: m._stack.append(kind(m._bytes(m._number(form))))

    def put(form: struct.Struct) -> Callable[[Unpickler], None]:
        return lambda m: m._memo.__setitem__(m._number(form), m._stack[-1])

    def protocol(m: Unpickler) -> None:
        if m._number(_U8) > 5:
            raise ValueError("an unknown pickle protocol")

    def integer(form: struct.Struct) -> Callable[[Unpickler], None]:
        def read(m: Unpickler) -> None:
            size = m._number(form)
            if not 0 <= size <= 8192:
                raise ValueError("an absurdly long integer")
            m._stack.append(int.from_bytes(m._bytes(size), "little", signed=True))

        return read

    def set_item(m: Unpickler) -> None:
        value = m._stack.pop()
        m._set_items([m._stack.pop(), value])

    def stack_global(m: Unpickler) -> None:
        name = m._stack.pop()
        m._global(m._stack.pop(), name)

    return {
        0x80: protocol,
        ord("("): u._mark,
        ord("t"): lambda m: m._push_marked(tuple),
        ord(")"): constant(()),
        0x85: lambda m: m._push_tuple(1),
        0x86: lambda m: m._push_tuple(2),
        0x87: lambda m: m._push_tuple(3),
        ord("]"): push(lambda m: []),
        ord("}"): push(lambda m: {}),
        0x8F: push(lambda m: set()),
        ord("l"): lambda m: m._push_marked(list),
        ord("a"): lambda m: m._append([m._stack.pop()]),
        ord("e"): lambda m: m._append(m._pop_mark()),
        0x90: lambda m: m._append(m._pop_mark()),
        0x91: lambda m: m._push_marked(_frozen_set),
        ord("s"): set_item,
        ord("u"): lambda m: m._set_items(m._pop_mark()),
        ord("N"): constant(None),
        0x88: constant(True),
        0x89: constant(False),
        ord("K"): push(lambda m: m._number(_U8)),
        ord("M"): push(lambda m: m._number(_U16)),
        ord("J"): push(lambda m: m._number(_I32)),
        0x8A: integer(_U8),
        0x8B: integer(_I32),
        ord("G"): push(lambda m: m._number(_F64)),
        ord("X"): text(_U32),
        0x8C: text(_U8),
        0x8D: text(_U64),
        ord("U"): blob(_U8, _old_text),
        ord("T"): blob(_I32, _old_text),
        ord("B"): blob(_U32),
        ord("C"): blob(_U8),
        0x8E: blob(_U64),
        0x96: blob(_U64, bytearray),
        ord("c"): lambda m: m._global(m._line(), m._line()),
        0x93: stack_global,
        ord("R"): u._reduce,
        0x81: u._new_object,
        ord("b"): u._build,
        ord("Q"): u._load_persistent,
        ord("q"): put(_U8),
        ord("r"): put(_U32),
        0x94: lambda m: m._memo.__setitem__(len(m._memo), m._stack[-1]),
        ord("h"): lambda m: m._get(m._number(_U8)),
        ord("j"): lambda m: m._get(m._number(_U32)),
        0x95: lambda m: m._number(_U64),
        ord("0"): lambda m: m._stack.pop(),
        ord("1"): u._pop_mark,
        ord("2"): u._duplicate,
    }


_OPCODES: list[Callable[[Unpickler], Any] | None] = [None] * 256
for _code, _step in _steps().items():
    _OPCODES[_code] = _step


def unknown_global(what: str, qualified: str) -> ArchiveError:
    """The error for a class or function that is not plain data."""
    return ArchiveError(
        f"{what} refers to {qualified!r}, a class or function and not data: reading it would mean running code. "
        "Save tensors, numbers, strings and containers of them (a module's state_dict()) instead"
    )


def _check_key(key: Any) -> None:
    """Refuses keys whose hash could recurse deeply or take long: tuples within tuples may share parts endlessly."""
    if type(key) is not tuple:
        return
    left = [key]
    for _ in range(_KEY_PARTS):
        if not left:
            return
        part = left.pop()
        if type(part) is tuple:
            if len(part) > _KEY_PARTS:
                break
            left.extend(part)
    raise ValueError("a key is a tuple with too many parts")


def _children(value: Any) -> list[Any]:
    kind = type(value)
    if kind in (list, tuple):
        return list(value)
    if kind in (dict, OrderedDict, Counter):
        return list(value.values())
    if kind is ObjectRecord:
        return [value.state]
    if kind in (TypedContainer, EnumRecord):
        return [value.value]
    if kind is SparseData:
        return list(value.parts)
    return []


def _check_depth(value: Any, what: str, size: int) -> None:
    """Raises ArchiveError if code that walks the value would recurse too deeply, or meet shared parts too often.

    Objects are walked once each; tuples, lists and dicts as often as something refers to them.
    """
    limit = FREE_PARTS + PARTS_PER_BYTE * size
    counts: dict[int, int] = {}  # by id: the parts that a walk from here meets
    path: list[tuple[Any, Any]] = [(None, iter([value]))]
    totals = [0]
    while path:
        owner, left = path[-1]
        item = next(left, _EMPTY)
        if item is _EMPTY:
            path.pop()
            total = totals.pop() + 1
            if total > limit:
                raise ArchiveError(f"{what} refers to the same values again and again, {total:,} times in all")
            if path:
                counts[id(owner)] = total
                totals[-1] += 1 if type(owner) is ObjectRecord else total
            continue
        known = counts.get(id(item))
        if known is not None:
            totals[-1] += 1 if type(item) is ObjectRecord else known
            continue
        children = _children(item)
        if not children:
            totals[-1] += 1
            continue
        counts[id(item)] = 1  # while it is being walked: a value may hold itself
        path.append((item, iter(children)))
        totals.append(0)
        if len(path) > MAX_DEPTH:
            raise ArchiveError(f"{what} nests values more than {MAX_DEPTH} deep")
