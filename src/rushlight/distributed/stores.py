"""The key-value stores by which processes find each other: in memory, over TCP, in a file, and parts of one.

https://docs.pytorch.org/docs/stable/distributed.html#distributed-key-value-store
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from rushlight.core.errors import noted
from rushlight.distributed.errors import DistNetworkError, DistStoreError
from rushlight.distributed.server import Server, without_delay
from rushlight.distributed.store_table import Table
from rushlight.distributed.wire import Frames, packed, receive

__all__ = ["HashStore", "PrefixStore", "Store", "TCPStore"]

FIVE_MINUTES = timedelta(seconds=300)
SLACK = 5.0  # seconds that a server may be late with its answer


def as_bytes(value: str | bytes) -> bytes:
    """Returns text as bytes. Raises TypeError for anything else: `bytes(3)` would be three zeros."""
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes | bytearray):
        words = f"a store has text or bytes as keys and values, not {type(value).__name__}"
        raise TypeError(f"incompatible function arguments: {words}")
    return bytes(value)


class Store(ABC):
    """Keys and values that all processes see. Values are text or bytes, and come back as bytes.

    Keys that are not there are waited for, up to the timeout; then DistStoreError is raised.
    """

    __module__ = "torch.distributed"

    def __init__(self) -> None:
        self._timeout = FIVE_MINUTES

    @abstractmethod
    def ask(self, name: bytes, *fields: bytes) -> list[bytes]:
        """Runs a command of `Table` and returns the fields of the answer."""

    @abstractmethod
    def ask_when_set(self, name: bytes, keys: list[bytes], timeout: timedelta) -> list[bytes]:
        """Returns the answer when all keys are there. Raises DistStoreError when the time is over."""

    def set(self, key: str, value: str | bytes) -> None:
        """Sets a value."""
        self.ask(b"set", as_bytes(key), as_bytes(value))

    def get(self, key: str) -> bytes:
        """Waits for a key and returns its value."""
        return self.ask_when_set(b"get", [as_bytes(key)], self.timeout)[0]

    def add(self, key: str, amount: int) -> int:
        """Adds to a number, which is 0 at first, and returns the sum."""
        return int(self.ask(b"add", as_bytes(key), b"%d" % amount)[0])

    def append(self, key: str, value: str | bytes) -> None:
        """Adds to the end of a value, which is empty at first."""
        self.ask(b"append", as_bytes(key), as_bytes(value))

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Sets a value if the old one is as expected, and returns the value after that."""
        return self.ask(b"compare_set", as_bytes(key), as_bytes(expected_value), as_bytes(desired_value))[0]

    def check(self, keys: Sequence[str]) -> bool:
        """Whether all keys are there."""
        return self.ask(b"check", *map(as_bytes, keys))[0] == b"1"

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Waits until all keys are there."""
        self.ask_when_set(b"wait", [as_bytes(key) for key in keys], timeout or self.timeout)

    def delete_key(self, key: str) -> bool:
        """Removes a key; returns whether it was there."""
        return self.ask(b"delete", as_bytes(key))[0] == b"1"

    def num_keys(self) -> int:
        """Returns the number of keys."""
        return int(self.ask(b"count")[0])

    def list_keys(self) -> list[str]:
        """Returns all keys."""
        return [key.decode() for key in self.ask(b"keys")]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """Sets several values at once."""
        if len(keys) != len(values):
            raise RuntimeError(f"multi_set: {len(keys)} keys and {len(values)} values")
        self.ask(b"multi_set", *[as_bytes(each) for pair in zip(keys, values, strict=True) for each in pair])

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Waits for several keys and returns their values."""
        return self.ask_when_set(b"multi_get", [as_bytes(key) for key in keys], self.timeout)

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets how long keys are waited for."""
        self._timeout = timeout

    @property
    def timeout(self) -> timedelta:
        """How long keys are waited for."""
        return self._timeout

    def has_extended_api(self) -> bool:
        """Whether `append`, `multi_get` and `multi_set` are there: they are in every store of ours."""
        return True


def not_set(keys: list[bytes], timeout: timedelta) -> Exception:
    """Returns the exception for keys that were not set in time."""
    names = ", ".join(key.decode("utf-8", "replace") for key in keys)
    words = f"wait timeout after {round(timeout.total_seconds() * 1000)}ms, keys: {names}"
    return noted(DistStoreError(words), "No process has set them: the one that should may have ended or be slow.")


class HashStore(Store):
    """A store in the memory of this process, for its threads.

    >>> store = HashStore()
    >>> store.set("key", "value")
    >>> store.get("key"), store.add("number", 3)
    (b'value', 3)
    """

    __module__ = "torch.distributed"

    def __init__(self) -> None:
        super().__init__()
        self._table, self._changed = Table(), threading.Condition()

    def ask(self, name: bytes, *fields: bytes) -> list[bytes]:
        """Runs a command."""
        with self._changed:
            answer = self._table.run(name, list(fields))
            self._changed.notify_all()
            return answer

    def ask_when_set(self, name: bytes, keys: list[bytes], timeout: timedelta) -> list[bytes]:
        """Waits for keys that other threads set."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._table.has(keys), timeout.total_seconds()):
                raise not_set([key for key in keys if not self._table.has([key])], timeout)
            return [] if name == b"wait" else [self._table.values[key] for key in keys]


class TCPStore(Store):
    """A store that one process serves: the one with `is_master=True`. Port 0 takes a free one; see `port`.

    Raises DistNetworkError if there is no server within the timeout, or if the port is in use.

    >>> store = TCPStore("localhost", 0, is_master=True)
    >>> store.set("key", b"value")
    >>> TCPStore("localhost", store.port).get("key")
    b'value'
    """

    __module__ = "torch.distributed"

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = FIVE_MINUTES,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        super().__init__()
        self._timeout = timeout
        self.host = host_name
        self._server = served(port, master_listen_fd) if is_master else None
        self.port = self._server.port if self._server else port
        self._turn = threading.Lock()
        self._socket = connected(host_name, self.port, timeout)
        self._frames = Frames()
        if world_size and wait_for_workers:
            self._wait_for_workers(world_size)

    def _wait_for_workers(self, size: int) -> None:
        if self.add("init/workers", 1) >= size:
            self.set("init/all", b"1")
        elif self._server is not None:
            self.wait(["init/all"])

    def ask(self, name: bytes, *fields: bytes) -> list[bytes]:
        """Runs a command in the server."""
        kind, *result = self._talk(self._timeout.total_seconds(), name, *fields)
        if kind == b"error":
            raise ValueError(result[0].decode())
        return result

    def ask_when_set(self, name: bytes, keys: list[bytes], timeout: timedelta) -> list[bytes]:
        """Waits for keys; the server answers when they are there."""
        seconds = timeout.total_seconds()
        kind, *result = self._talk(seconds, name, b"%f" % seconds, *keys)
        if kind == b"timeout":
            raise not_set(result, timeout)
        return result

    def _talk(self, seconds: float, *fields: bytes) -> list[bytes]:
        with self._turn:
            try:
                self._socket.settimeout(seconds + SLACK)
                self._socket.sendall(packed(*fields))
                return receive(self._socket, self._frames)
            except BaseException as error:
                self._socket.close()  # the answer may still come, and is not that to the next question
                if not isinstance(error, OSError):
                    raise
                words = f"The server of the store at {self.host}:{self.port} does not answer: {error}"
                raise noted(DistNetworkError(words), "It runs in the process of rank 0, or in the launcher.") from None

    def set_at_end(self, key: str) -> None:
        """Lets the server set a key as soon as this connection ends, which it does with this process."""
        self.ask(b"set_at_end", as_bytes(key))

    def clone(self) -> TCPStore:
        """Returns another connection to the same server."""
        return TCPStore(self.host, self.port, timeout=self._timeout)

    def __del__(self) -> None:
        if sys.is_finalizing() or not hasattr(self, "_socket"):
            return
        self._socket.close()
        if self._server is not None:
            self._server.owners -= 1
            if not self._server.owners and SERVERS.get(self.port) is self._server:
                del SERVERS[self.port]
                self._server.close()

    @property
    def libuvBackend(self) -> bool:
        """Whether PyTorch's libuv server is used: here it is ours."""
        return False

    def __repr__(self) -> str:
        return f"TCPStore(host={self.host}, port={self.port}, is_master={self._server is not None})"


SERVERS: dict[int, Server] = {}  # by port: a second store on the port of a first one shares its server


def served(port: int, descriptor: int | None = None) -> Server:
    """Returns a server on a port. Raises DistNetworkError if another program has the port."""
    if port and port in SERVERS:
        SERVERS[port].owners += 1
        return SERVERS[port]
    try:
        server = Server(port, None if descriptor is None else socket.socket(fileno=descriptor))
    except OSError as error:
        words = f"The server socket has failed to listen on any local network address. port: {port}, {error.strerror}"
        note = "Another program, or a run that has not ended, has this port: choose another, or 0 for a free one."
        raise noted(DistNetworkError(words), note) from None
    SERVERS[server.port] = server
    return server


def connected(host: str, port: int, timeout: timedelta) -> socket.socket:
    """Connects to a server, which may start later. Raises DistNetworkError when the time is over."""
    deadline = time.monotonic() + timeout.total_seconds()
    pause = 0.005
    while True:
        try:
            sock = socket.create_connection((host, port), timeout=max(deadline - time.monotonic(), 0.05))
            without_delay(sock)
            return sock
        except OSError as error:
            if time.monotonic() + pause > deadline:
                words = f"The client socket has timed out after {round(timeout.total_seconds() * 1000)}ms while trying "
                note = f"Is rank 0, or the launcher, running there? The last error was: {error}"
                raise noted(DistNetworkError(f"{words}to connect to ({host}, {port})."), note) from None
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


class PrefixStore(Store):
    """A part of another store: all keys begin with `prefix/`."""

    __module__ = "torch.distributed"

    def __init__(self, prefix: str, store: Store) -> None:
        self._prefix, self._store = as_bytes(prefix) + b"/", store

    def ask(self, name: bytes, *fields: bytes) -> list[bytes]:
        """Runs a command on keys with the prefix."""
        if name == b"count" or name == b"keys":
            return self._store.ask(name)
        step = {b"check": 1, b"multi_set": 2}.get(name, len(fields))
        prefixed = [self._prefix + field if k % step == 0 else field for k, field in enumerate(fields)]
        return self._store.ask(name, *prefixed)

    def ask_when_set(self, name: bytes, keys: list[bytes], timeout: timedelta) -> list[bytes]:
        """Waits for keys with the prefix."""
        return self._store.ask_when_set(name, [self._prefix + key for key in keys], timeout)

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets the timeout of the store."""
        self._store.set_timeout(timeout)

    @property
    def timeout(self) -> timedelta:
        """The timeout of the store."""
        return self._store.timeout

    @property
    def underlying_store(self) -> Store:
        """The store that this is a part of."""
        return self._store

    def clone(self) -> Any:
        """Returns the same part of a clone of the store."""
        clone: Callable = getattr(self._store, "clone", lambda: self._store)
        return PrefixStore(self._prefix[:-1].decode(), clone())
