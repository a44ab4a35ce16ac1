"""What one fuzzed load may do: end well or with one of linstock's errors, in little time and memory, running nothing."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from linstock.ir import operators
from linstock.ir.errors import LinstockError

ROOT = Path(__file__).resolve().parents[2]
#: seconds of processor time that a load may take, and bytes of address space that it may add to what the process had
MAX_SECONDS, MAX_BYTES = 5.0, 1 << 30

#: events that no load has a reason for
_NEVER = (
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.remove", "os.rename", "os.rmdir",
    "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.putenv", "os.kill", "os.listdir", "os.scandir",
    "socket.", "shutil.", "ctypes.", "urllib.", "ftplib.", "pickle.", "marshal.dump", "webbrowser.", "tempfile.",
    "code.__new__", "function.__new__", "sys.settrace", "sys.setprofile", "sys.addaudithook", "pty.", "fcntl.",
    "resource.", "signal.", "builtins.input", "builtins.breakpoint", "glob.", "cpython.run",
)  # fmt: skip
#: modules that linstock or what it stands on may import when something is first needed, besides harmless ones of Python
_IMPORTS = ("linstock", "numpy", "scipy", "ml_dtypes", "lark")
_HARMFUL = frozenset(
    {
        "subprocess",
        "socket",
        "ctypes",
        "pickle",
        "shelve",
        "dbm",
        "pty",
        "runpy",
        "code",
        "webbrowser",
        "http",
        "urllib",
    }
)


class Hang(BaseException):
    """A load took too long; no `except Exception` may swallow it."""


class Finding(Exception):
    """Something that a load did and must not do."""


class Guard:
    """Runs loads. `what` of a failing run is a key under which the same failures come together."""

    def __init__(self) -> None:
        self.watching = False
        self.forbidden: str | None = None
        self._known = frozenset(sys.modules)
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGPROF, self._too_long)

    def _too_long(self, number: int, frame: Any) -> None:
        raise Hang

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event == "import":
            name = args[0]
            top = name.partition(".")[0]
            harmless = top in _IMPORTS or (top in sys.stdlib_module_names and top not in _HARMFUL)
            if not harmless and name not in self._known:
                self.forbidden = f"import of {name}"
        elif event == "exec":
            file = getattr(args[0], "co_filename", "?")
            if not (file.startswith("<linstock ") or file.endswith(".py") or _is_generated(file)):
                self.forbidden = f"exec of {file}"
        elif event == "open":
            path = str(args[0])
            if not path.endswith((".pyc", ".py", ".so", ".lark", "/", "<unknown>", "<archive>")) and not os.path.isdir(
                path
            ):
                self.forbidden = f"open of {path}"
        elif event.startswith(_NEVER) and not (
            event in ("os.listdir", "os.scandir") and str(args[0]).startswith(str(ROOT))
        ):
            self.forbidden = f"{event} {args!r:.80}"

    def run(self, load: Callable[[], Any]) -> tuple[str, str] | None:
        """None if the load ended as it may, else the key of the failure and its text."""
        self.forbidden = None
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        self.watching = True
        failure: tuple[str, str] | None = None
        try:
            load()
        except LinstockError as error:
            failure = self._memory(error)
        except Hang as error:
            failure = _described("hang", error)
        except BaseException as error:
            failure = _described(type(error).__name__, error)
        finally:
            self.watching = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        if self.forbidden is not None:
            return f"forbidden: {self.forbidden}", self.forbidden
        return failure

    @staticmethod
    def _memory(error: BaseException) -> tuple[str, str] | None:
        """An error of ours that hides that memory ran out is a finding, too."""
        seen: BaseException | None = error
        while seen is not None:
            if isinstance(seen, MemoryError):
                return _described("memory", seen)
            seen = seen.__cause__ or seen.__context__
        return None


def _is_generated(file: str) -> bool:
    """Code that linstock makes of its own tables (an operator's binder), or namedtuple of field names that it checked."""
    return operators.has_schema(file[1:-1]) or file.startswith("<string>")


def _described(kind: str, error: BaseException) -> tuple[str, str]:
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if "/fuzz/" not in f.filename]
    places = [f for f in own if "linstock" not in f.filename.partition("<")[0][-1:]]
    where = next((f for f in reversed(places) if "/lib/python" not in f.filename), None)
    place = f"{where.filename.rpartition('/main/')[2]}:{where.lineno} {where.name}" if where else "?"
    if len(frames) > 60:  # a recursion: the innermost frame is chance
        place = "recursion in " + ", ".join(sorted({f.name for f in frames[-30:]}))[:150]
    text = "".join(traceback.format_list(own[-14:])) + f"{type(error).__name__}: {str(error)[:300]}"
    return f"{kind} at {place}", text


def limit_memory() -> None:
    """Lets this process add at most MAX_BYTES of address space to what it has."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MAX_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))


@contextlib.contextmanager
def no_core_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
