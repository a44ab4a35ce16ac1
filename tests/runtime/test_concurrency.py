"""Many threads: calling, compiling, loading and saving at once; and saving that is killed."""

from __future__ import annotations

import io
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linstock
from linstock import jit
from linstock.runtime.archive.container import ArchiveReader
from linstock.runtime.archive.records import ObjectRecord, TensorData
from linstock.runtime.archive.script import ScriptArchive, write_script

THREADS = 16
CODE = """class Net(Module):
  __parameters__ = ["weight", ]
  __buffers__ = []
  weight : Tensor
  training : bool
  inner : __torch__.Inner
  def forward(self: __torch__.Net,
    x: Tensor,
    times: int) -> Tensor:
    y = x
    for i in range(times):
      y0 = torch.add(torch.matmul(y, self.weight), (self.inner).forward(i, ))
      y = torch.relu(y0)
    return __torch__.last(y)
  def other(self: __torch__.Net,
    x: Tensor):
    return __torch__.undeclared(__torch__.undeclared(x))
class Inner(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.Inner,
    i: int) -> Tensor:
    xs = annotate(List[Tensor], [])
    for j in range(3):
      _0 = torch.append(xs, torch.mul(torch.ones([4]), torch.add(i, j)))
    return torch.sum(torch.stack(xs), [0])
def last(x: Tensor) -> Tensor:
  if torch.gt(torch.size(x, 0), 2):
    _0 = torch.softmax(x, -1)
  else:
    _0 = torch.div(x, 100.)
  return _0
def undeclared(x: Tensor):
  return torch.special_digamma(torch.cumsum(torch.abs(x), 0))
"""


def archive(weight: np.ndarray[Any, Any] | None = None) -> bytes:
    values = np.linspace(-0.5, 0.5, 16, dtype=np.float32).reshape(4, 4) if weight is None else weight
    state = {
        "weight": TensorData.of(values), "training": False, "inner": ObjectRecord("__torch__.Inner", {"training": False}),
    }  # fmt: skip
    target = io.BytesIO()
    root = ObjectRecord("__torch__.Net", state)
    whole = ScriptArchive(root, (), {"__torch__.py": CODE}, 10, name="net")
    write_script(target, whole, lambda value: value if isinstance(value, TensorData) else None)
    return target.getvalue()


def at_once(work: Callable[[int], Any], count: int = THREADS) -> list[Any]:
    """What the work gives in each of some threads that start together."""
    results: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def run(i: int) -> None:
        barrier.wait()
        try:
            results[i] = work(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for t in threads:
            t.start()
        for t in threads:
            t.join(120)
    finally:
        sys.setswitchinterval(before)
    assert not any(t.is_alive() for t in threads), "threads wait for each other"
    for r in results:
        if isinstance(r, BaseException):
            raise r
    return results


def inputs(i: int) -> tuple[Any, int]:
    return linstock.from_numpy(np.full((1 + i % 5, 4), i / 7, np.float32)), i % 4


def test_the_first_call_may_come_from_many_threads_at_once() -> None:
    wanted = [jit.load(archive())(*inputs(i)).tolist() for i in range(THREADS)]
    for _ in range(3):
        module = jit.load(archive())
        assert [r.tolist() for r in at_once(lambda i, m=module: m(*inputs(i)))] == wanted
        # the calls made plans of their own; there is one kind of input in them
        assert module.forward._executor.plan_count == 1 if hasattr(module.forward, "_executor") else True
        assert [r.tolist() for r in at_once(lambda i, m=module: m(*inputs(i)))] == wanted


def test_inputs_of_many_kinds_at_once() -> None:
    dtypes = [np.float32, np.float64]

    def call(module: Any, i: int) -> tuple[Any, list[Any]]:
        value = np.full((2, 4) if i % 2 else (3, 2, 4), i + 1, dtypes[i // 2 % 2])
        result = module.other(linstock.from_numpy(value))
        return result.dtype, result.tolist()

    wanted = [call(jit.load(archive()), i) for i in range(THREADS)]
    module = jit.load(archive())
    for _ in range(4):
        assert at_once(lambda i: call(module, i)) == wanted


def test_gradients_and_modes_belong_to_their_thread() -> None:
    module = jit.load(archive())

    def call(i: int) -> bool:
        x = linstock.ones(2, 4, requires_grad=True)
        for _ in range(4):
            if i % 2:
                with linstock.no_grad():
                    result = module(x, 1)
            else:
                with jit.optimized_execution(i % 4 == 0):
                    result = module(x, 1)
            assert result.requires_grad == (i % 2 == 0)
        return bool(linstock.is_grad_enabled())

    assert all(at_once(call))


def test_compiling_for_looking_at_and_for_running_at_once() -> None:
    for _ in range(3):
        module = jit.load(archive())

        def look(i: int, module: Any = module) -> Any:
            if i % 4 == 0:
                return str(module.graph)
            if i % 4 == 1:
                return module.code
            if i % 4 == 2:
                return str(module.other.graph)
            return module(linstock.ones(2, 4), 2).tolist()

        found = at_once(look)
        assert all(len({str(r) for r in found[k::4]}) == 1 for k in range(4))


def test_attributes_are_the_same_objects_in_all_threads() -> None:
    module = jit.load(archive())
    assert len({id(m) for m in at_once(lambda i: module.inner)}) == 1


def test_loading_and_saving_at_once(tmp_path: Path) -> None:
    raw = archive()
    (tmp_path / "net.pt").write_bytes(raw)
    shared = jit.load(raw)
    wanted = shared(linstock.ones(3, 4), 2).tolist()

    def work(i: int) -> Any:
        if i % 3 == 0:
            module = jit.load(tmp_path / "net.pt")
        elif i % 3 == 1:
            jit.save(shared, tmp_path / f"{i}.pt")
            module = jit.load(tmp_path / f"{i}.pt")
        else:
            jit.save(shared, tmp_path / "all.pt")  # all to one place: the last one stays, and is whole
            module = shared
        return module(linstock.ones(3, 4), 2).tolist()

    assert all(r == wanted for r in at_once(work))
    assert jit.load(tmp_path / "all.pt")(linstock.ones(3, 4), 2).tolist() == wanted
    assert not [p.name for p in tmp_path.iterdir() if p.suffix not in (".pt",)]
    assert jit.load(raw).state_dict().keys() == shared.state_dict().keys()


def test_calls_leave_the_state_alone() -> None:
    module = jit.load(archive())
    before = {name: value.tolist() for name, value in module.state_dict().items()}
    at_once(lambda i: [module(*inputs(i)) for _ in range(20)])
    assert {name: value.tolist() for name, value in module.state_dict().items()} == before


_SAVER = """
import io, sys
import numpy as np
import linstock
from linstock import jit
source, target = sys.argv[1:]
module = jit.load(source)
jit.save(module, io.BytesIO())
print("ready", flush=True)
while True:
    jit.save(module, target)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system cannot kill processes")
def test_a_process_killed_while_saving_leaves_the_old_file_whole(tmp_path: Path) -> None:
    weight = np.arange(2_000_000, dtype=np.float32).reshape(-1, 4)
    source, target = tmp_path / "source.pt", tmp_path / "target.pt"
    source.write_bytes(archive(weight))
    target.write_bytes(archive())
    old = target.read_bytes()
    rng = random.Random(1)
    replaced = 0
    for _ in range(8):
        target.write_bytes(old)
        saver = subprocess.Popen([sys.executable, "-c", _SAVER, source, target], stdout=subprocess.PIPE)
        assert saver.stdout is not None and saver.stdout.readline() == b"ready\n"
        time.sleep(rng.random() * 0.3)
        os.kill(saver.pid, signal.SIGKILL)
        saver.wait()
        saver.stdout.close()
        if target.read_bytes() == old:
            continue
        replaced += 1
        with ArchiveReader(target) as reader:  # the new one, whole: check sums of all records are right
            assert all(len(reader.read(name)) >= 0 for name in reader.names())
        assert jit.load(target).weight.shape == (500_000, 4)
    assert [p.name for p in tmp_path.iterdir() if p not in (source, target)] == [] or not hasattr(os, "O_TMPFILE")
    assert replaced < 8 or target.exists()
    jit.save(jit.load(archive()), target)
    assert jit.load(target).weight.shape == (4, 4)
