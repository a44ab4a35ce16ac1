"""The levels of fuzzing: each makes load number `index` of a seed from its own random numbers, so that any can be
repeated.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from linstock.inspection import functions_of
from linstock.ir import operators
from linstock.ir.errors import ArchiveError, LinstockError
from linstock.ir.program import Function
from linstock.ir.source import Source
from linstock.ir.types import ClassType
from linstock.runtime import dispatch, objects
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.debug import SourceTable
from linstock.runtime.archive.state_dict import load_file
from linstock.runtime.archive.storages import StorageReader
from linstock.runtime.archive.torch_rules import TensorRules
from linstock.runtime.archive.unpickle import Unpickler
from linstock.runtime.codegen import generate
from linstock.runtime.executor import linker, optimized
from linstock.runtime.load import ObjectBuilder, TensorMaker, load
from linstock.tracer.archive import ArchiveProgram

from . import mutate
from .corpus import Corpus, Seed


class Levels:
    """Entry points by name, over a corpus. `level(index)` gives the load as a function without arguments."""

    def __init__(self, corpus: Corpus, seed: int) -> None:
        self.corpus, self.seed = corpus, seed
        self.make_tensor = TensorMaker("cpu")
        self.rules = TensorRules(self.make_tensor).rules("data.pkl", True)
        self.state_rules = TensorRules(self.make_tensor).rules("data.pkl", False)
        self.storage = np.arange(4096, dtype=np.uint8)
        self.pickles = [(s, n) for s in corpus.zips for n in s.pickles if len(s.records[n]) < 20000]
        self.state_pickles = [(s, n) for s, n in self.pickles if s.is_state]
        self.debug = [(s, n) for s in corpus.zips for n in s.find(".debug_pkl") if len(s.records[n]) < 20000]
        self.files = [(s, n) for s in corpus.small_scripts for n in s.code]
        self.operators = _operator_rows()
        self.table: dict[str, tuple[int, Callable[[random.Random], Callable[[], Any]]]] = {
            "container": (32, self.container), "unpickler": (40, self.unpickler), "debug": (4, self.debug_record),
            "program": (7, self.program), "graph": (7, self.graph), "whole": (10, self.whole),
        }  # fmt: skip

    def load(self, level: str, index: int) -> Callable[[], Any]:
        return self.table[level][1](random.Random(f"{self.seed}:{level}:{index}"))

    # -- cheap entry points ------------------------------------------------------------------------------------------
    def container(self, rng: random.Random) -> Callable[[], Any]:
        seed = rng.choice(self.corpus.zips)
        raw = mutate.zip_records(rng, seed.records) if rng.random() < 0.3 else mutate.zip_bytes(rng, seed.raw)
        return lambda: _read_container(raw)

    def unpickler(self, rng: random.Random) -> Callable[[], Any]:
        seed, name = rng.choice(self.pickles)
        data = mutate.pickle_bytes(rng, seed.records[name])
        rules = self.state_rules if seed.is_state else self.rules
        storage = StorageReader(lambda key: self.storage.copy() if key != "9" else None)
        return lambda: Unpickler(data, rules, storage).load()

    def debug_record(self, rng: random.Random) -> Callable[[], Any]:
        seed, name = rng.choice(self.debug)
        data = mutate.pickle_bytes(rng, seed.records[name])

        def read() -> None:
            table = SourceTable.parse(data, "x = 1\n" * 20)
            table(rng.randrange(30), rng.randrange(9)), table.dump()

        return read

    # -- code --------------------------------------------------------------------------------------------------------
    def program(self, rng: random.Random) -> Callable[[], Any]:
        seed, name = rng.choice(self.files)
        text = mutate.code_text(rng, seed.code[name], self.corpus.words, self.corpus.lines)
        files = {n: "".join(parts) for n, parts in seed.code.items()} | {name: text}
        version = rng.choice((1, 3, 7, 10))
        return lambda: compile_files(files, version)

    def graph(self, rng: random.Random) -> Callable[[], Any]:
        text = mutate.hostile_program(rng, self.operators)
        return lambda: compile_files({"__torch__.py": text}, rng.choice((3, 10)), plan=True)

    # -- whole loads -------------------------------------------------------------------------------------------------
    def whole(self, rng: random.Random) -> Callable[[], Any]:
        seed = rng.choice(self.corpus.zips)
        kind = rng.randrange(10)
        if kind < 2:
            raw = mutate.zip_bytes(rng, seed.raw)
        elif kind < 3:
            raw = mutate.zip_records(rng, seed.records)
        else:
            raw = self._changed_record(rng, seed)
        if seed.is_state:
            return lambda: load_file(raw, self.make_tensor)
        compile_all = rng.random() < 0.2

        def read() -> None:
            module = load(raw, "cpu", {"a": ""})
            if compile_all:
                compile_functions(functions_of(module))

        return read

    def _changed_record(self, rng: random.Random, seed: Seed) -> bytes:
        names = seed.find(".pkl", ".py", ".debug_pkl", "model.json", "version", "byteorder")
        name = rng.choice(names)
        content = seed.records[name]
        if name.endswith("pkl"):
            content = mutate.pickle_bytes(rng, content)
        elif name.endswith(".py") and "/code/" in name and (parts := seed.code.get(name[len(seed.root) + 5 :])):
            content = mutate.code_text(rng, parts, self.corpus.words, self.corpus.lines).encode(
                "utf-8", "surrogatepass"
            )
        else:
            content = mutate.flip(rng, content)
        return mutate.build_zip([(n, content if n == name else c) for n, c in seed.records.items()])


def _read_container(raw: bytes) -> None:
    reader = ArchiveReader(raw)
    failed = 0
    for name in reader.names():
        try:
            reader.read(name)
        except ArchiveError:
            failed += 1
            if failed > 3:
                raise
    assert reader.byteorder in ("little", "big") and 1 <= reader.version <= 10
    reader.require_torchscript()


def compile_files(files: dict[str, str], version: int, plan: bool = False) -> None:
    """Everything in some code files: their classes and functions, compiled; with `plan` also optimised and generated."""
    sources = {n.removesuffix(".py"): Source(t, n) for n, t in files.items()}
    program = ArchiveProgram(sources.get, (), version)
    build = ObjectBuilder(program)
    program.constants = [build.constant(v) for v in (None, 1, "a", 2.5, [1, 2])]
    functions: list[Function] = []
    last: LinstockError | None = None
    for path in sources:
        for name in _definitions(program, path):
            try:
                found = program.find_type(name) or program.function(name)
            except LinstockError as error:
                last = error
                continue
            if isinstance(found, ClassType):
                functions += found.methods.values()
                objects.ScriptObject(found)
            elif isinstance(found, Function):
                functions.append(found)
    compile_functions(functions, plan)
    if last is not None:
        raise last


def _definitions(program: ArchiveProgram, path: str) -> list[str]:
    file = program._file(path)
    return [f"{path.replace('/', '.')}.{name}" for name in file[1]] if file else []


def compile_functions(functions: Any, plan: bool = False) -> None:
    """Compiles all; the last error is raised after the others had their turn."""
    last: LinstockError | None = None
    for function in functions:
        try:
            graph = function.graph
            if plan:
                graph = optimized(graph)
            generate(graph, linker(False), dispatch.operator, function.name)
        except LinstockError as error:
            last = error
    if last is not None:
        raise last


def _operator_rows() -> list[tuple[str, str, tuple[str, ...]]]:
    rows = []
    for full in operators.full_names():
        name = full.partition(".")[0]
        namespace, _, short = name.partition("::")
        if short.isidentifier():
            rows.append((namespace, short, tuple(a.name for a in operators.schema(full).arguments)))
    return rows
