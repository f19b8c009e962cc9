"""A store in a file that all processes can reach: the file is the list of all commands that have changed it."""

from __future__ import annotations

import atexit
import contextlib
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import BinaryIO

from rushlight.distributed.store_table import Table
from rushlight.distributed.stores import Store, not_set
from rushlight.distributed.wire import Frames, packed

try:
    import fcntl
except ImportError:  # Windows, where MPI's wheels are not either
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileStore"]

PAUSE = 0.01  # seconds between two looks at the file
READING = {b"check", b"count", b"keys"}
USERS: dict[tuple[int, str], int] = {}  # by process and path: the number of processes that use a file


class FileStore(Store):
    """A store in the file `file_name`, which is created if it is not there. Processes wait by reading it again.

    The last of `world_size` processes removes it at its end, so that a later run does not find the keys of this one.

    >>> import tempfile
    >>> store = FileStore(tempfile.mktemp())
    >>> store.set("key", "value")
    >>> FileStore(store.path).get("key")
    b'value'
    """

    __module__ = "torch.distributed"

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self.path = file_name
        self._table, self._frames, self._offset = Table(), Frames(), 0
        with self._file():
            pass
        if world_size > 0:
            if not USERS:
                atexit.register(remove_files)
            user = os.getpid(), os.path.abspath(file_name)
            USERS[user] = max(world_size, USERS.get(user, 0))

    @contextlib.contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        """Opens the file for this process alone and follows what others have written."""
        with open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
            if os.fstat(file.fileno()).st_size < self._offset:  # another file of the same name
                self._table, self._frames, self._offset = Table(), Frames(), 0
            file.seek(self._offset)
            data = file.read()
            for name, *fields in self._frames.fed(data):
                self._table.run(name, fields)
            self._offset += len(data)
            yield file

    def ask(self, name: bytes, *fields: bytes) -> list[bytes]:
        """Runs a command and adds it to the file."""
        with self._file() as file:
            answer = self._table.run(name, list(fields))
            if name not in READING:
                message = packed(name, *fields)
                file.write(message)
                self._offset += len(message)
            return answer

    def ask_when_set(self, name: bytes, keys: list[bytes], timeout: timedelta) -> list[bytes]:
        """Reads the file until all keys are there."""
        deadline = time.monotonic() + timeout.total_seconds()
        while True:
            with self._file():
                if self._table.has(keys):
                    return [] if name == b"wait" else [self._table.values[key] for key in keys]
            if time.monotonic() > deadline:
                raise not_set([key for key in keys if not self._table.has([key])], timeout)
            time.sleep(PAUSE)


def remove_files() -> None:
    """Counts this process as one that has ended, in each file that it used; removes files that are used no more."""
    for (process, path), size in USERS.items():
        if (
            process == os.getpid()
            and os.path.exists(path)
            and FileStore(path).add("processes that have ended", 1) >= size
        ):
            os.unlink(path)
