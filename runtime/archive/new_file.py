"""Files that appear at their place whole or not at all, whatever stops the writing."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import BinaryIO


class NewFile:
    """A file to be written in place of `path`. Write to `file`, then call `put_in_place` or `discard`.

    Where the system has nameless files, a process that is killed leaves nothing behind; elsewhere a hidden file beside
    the path. A path that is no plain file (a device, a pipe) is written directly. Raises OSError.
    """

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise IsADirectoryError(21, "Is a directory", str(path))
        self._name: Path | None = None
        self._direct = path.exists() and not path.is_file()
        # a link stays, and what it leads to is replaced
        self._path = Path(os.path.realpath(path)) if path.is_symlink() else path
        if self._direct:
            self.file: BinaryIO = self._path.open("wb")
            return
        if not self._path.parent.is_dir():
            raise FileNotFoundError(2, "No such directory", str(self._path.parent))
        self.file = os.fdopen(self._create(), "wb", buffering=1 << 18)

    def put_in_place(self) -> None:
        """Ends the writing: from here on the path leads to the new content."""
        self.file.flush()
        if not self._direct:
            os.fsync(self.file.fileno())
            with contextlib.suppress(OSError):  # rights are a courtesy: some file systems have none
                os.chmod(self.file.fileno(), self._path.stat().st_mode & 0o777)
            if self._name is None:
                name = self._fresh()
                folder = os.open(self._path.parent, os.O_RDONLY)
                try:
                    # the folder's number makes Python use the call that follows the link
                    os.link(f"/proc/self/fd/{self.file.fileno()}", name.name, dst_dir_fd=folder, follow_symlinks=True)
                finally:
                    os.close(folder)
                self._name = name
            self.file.close()
            os.replace(self._name, self._path)
            self._name = None
        self.file.close()

    def discard(self) -> None:
        """Leaves whatever was at the path."""
        self.file.close()
        if self._name is not None:
            self._name.unlink(missing_ok=True)
            self._name = None

    def _fresh(self) -> Path:
        return self._path.with_name(f".{self._path.name[:100]}.{secrets.token_hex(4)}.tmp")

    def _create(self) -> int:
        nameless = getattr(os, "O_TMPFILE", 0)
        if nameless and os.path.isdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                return os.open(self._path.parent, nameless | os.O_WRONLY, 0o666)
        while True:
            self._name = self._fresh()
            try:
                return os.open(self._name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
            except FileExistsError:
                continue
