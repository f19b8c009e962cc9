"""The server by which processes find each other: a key-value store, PMI-1, and who has ended. One thread, one port.

It runs in the process of rank 0, or in the launcher. Each rank has up to three connections to it: one of its store, one
for PMI while MPI starts, and one on which it hears of the others.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import socket
import threading
import time
from collections.abc import Callable
from struct import error as StructError
from typing import Any

from rushlight.distributed.store_table import Table
from rushlight.distributed.wire import PIECE, Frames, packed
from rushlight.distributed.world_table import WorldTable

__all__ = ["Server"]

DAY = 86_400.0


class Connection:
    """One connection: bytes that arrive go to `hear`, and bytes that cannot be sent yet wait in `rest`."""

    def __init__(self, server: Server, sock: socket.socket) -> None:
        self.server, self.socket = server, sock
        self.frames, self.rest = Frames(), bytearray()
        self.hear: Callable[[bytes], None] = self.hear_frames
        self.closed: Callable[[], None] | None = None  # called when the other side has gone

    def hear_frames(self, data: bytes) -> None:
        """Runs the commands of a store or of a world."""
        self.frames.rest += data
        while self.hear == self.hear_frames and (message := self.frames.one()) is not None:
            self.server.command(self, message)

    def reply(self, *fields: bytes) -> None:
        """Sends a message."""
        self.send(packed(*fields))

    def send(self, data: bytes) -> None:
        """Sends bytes, at once as far as possible."""
        self.rest += data
        self.flush()

    def flush(self) -> None:
        """Sends what waits; what does not fit is sent when there is room."""
        try:
            while self.rest:
                sent = self.socket.send(self.rest)
                del self.rest[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.rest.clear()
        self.server.watch(self, bool(self.rest))


class Server:
    """Listens on a port of all interfaces; port 0 takes a free one. Raises OSError if the port is in use."""

    def __init__(self, port: int = 0, listener: socket.socket | None = None) -> None:
        self.listener = listener or _listening(port)
        self.port = self.listener.getsockname()[1]
        self.table, self.worlds = Table(), WorldTable()
        self.waiting: dict[int, tuple] = {}  # number: (connection, ready, answer, late)
        self.deadlines: list[tuple[float, int]] = []
        self.numbers = itertools.count()
        self.selector = selectors.DefaultSelector()
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ, None)
        self.waker, self.woken = socket.socketpair()
        self.selector.register(self.woken, selectors.EVENT_READ, None)
        self.running = True
        self.owners = 1  # stores of this process that need it
        self.thread = threading.Thread(target=self.run, name="rushlight-store", daemon=True)
        self.thread.start()

    # ---- the loop

    def run(self) -> None:
        """Serves until `close`."""
        while self.running:
            for key, events in self.selector.select(self.patience()):
                if key.fileobj is self.listener:
                    self.accept()
                elif key.data is not None:
                    self.serve(key.data, events)
            self.expire()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self.selector.close()

    def close(self) -> None:
        """Ends the server and all its connections."""
        self.running = False
        self.waker.close()
        self.thread.join(1)

    def linger(self, seconds: float) -> None:
        """Waits until all ranks have said goodbye, which may still need the store; not for long."""
        deadline = time.monotonic() + seconds
        while not self.worlds.over() and time.monotonic() < deadline:
            time.sleep(0.005)

    def abandon(self) -> None:
        """Closes the descriptors in a forked child, where the thread does not run."""
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    def patience(self) -> float | None:
        """Returns the seconds until the next wait is over, or a day: the system's calls take no number of weeks."""
        return min(max(self.deadlines[0][0] - time.monotonic(), 0), DAY) if self.deadlines else None

    def accept(self) -> None:
        try:
            sock, _ = self.listener.accept()
        except OSError:
            return
        sock.setblocking(False)
        without_delay(sock)
        self.selector.register(sock, selectors.EVENT_READ, Connection(self, sock))

    def serve(self, connection: Connection, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            connection.flush()
        if not events & selectors.EVENT_READ:
            return
        try:
            data = connection.socket.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            if data:
                connection.hear(data)
        except (ValueError, KeyError, StructError):  # a stranger that speaks another protocol
            data = b""
        if not data:
            self.drop(connection)

    def drop(self, connection: Connection) -> None:
        self.selector.unregister(connection.socket)
        connection.socket.close()
        self.waiting = {n: each for n, each in self.waiting.items() if each[0] is not connection}
        if connection.closed is not None:
            connection.closed()

    def watch(self, connection: Connection, also_writable: bool) -> None:
        """Chooses which events of a connection wake the server."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if also_writable else 0)
        try:
            if self.selector.get_key(connection.socket).events != events:
                self.selector.modify(connection.socket, events, connection)
        except (KeyError, ValueError):
            pass  # it has been closed

    # ---- commands

    def command(self, connection: Connection, message: list[bytes]) -> None:
        """Runs one command."""
        match message:
            case [b"get", timeout, key]:
                self.when_set(connection, [key], timeout, lambda: [b"ok", self.table.values[key]])
            case [b"wait", timeout, *keys]:
                self.when_set(connection, keys, timeout, lambda: [b"ok"])
            case [b"multi_get", timeout, *keys]:
                self.when_set(connection, keys, timeout, lambda: [b"ok", *[self.table.values[key] for key in keys]])
            case [b"set_at_end", key]:
                connection.closed = lambda: self.ended(key)
                connection.reply(b"ok")
            case [b"world", *rest]:
                self.worlds.command(connection, rest)
            case [name, *rest]:
                connection.reply(*self.answer(name, rest))
                self.look_again()

    def ended(self, key: bytes) -> None:
        """Sets the key that a process has left for its end."""
        self.table.values[key] = b""
        self.look_again()

    def answer(self, name: bytes, fields: list[bytes]) -> list[bytes]:
        """Returns the answer to a command that does not wait."""
        try:
            return [b"ok", *self.table.run(name, fields)]
        except ValueError as error:
            return [b"error", str(error).encode()]

    def when_set(self, connection: Connection, keys: list[bytes], timeout: bytes, answer: Callable) -> None:
        """Answers when all keys are there, or says which are not when the time is over."""
        if self.table.has(keys):
            connection.reply(*answer())
            return

        def late() -> list[bytes]:
            return [b"timeout", *[key for key in keys if key not in self.table.values]]

        self.keep(connection, lambda: self.table.has(keys), answer, late, float(timeout))

    def keep(self, connection: Any, ready: Callable, answer: Callable, late: Callable, seconds: float) -> None:
        """Keeps a question until `ready()`, or until its time is over."""
        number = next(self.numbers)
        self.waiting[number] = (connection, ready, answer, late)
        heapq.heappush(self.deadlines, (time.monotonic() + seconds, number))

    def look_again(self) -> None:
        """Answers the questions that have become ready."""
        for number, (connection, ready, answer, _) in list(self.waiting.items()):
            if ready():
                del self.waiting[number]
                connection.reply(*answer())

    def expire(self) -> None:
        """Refuses the questions whose time is over."""
        while self.deadlines and self.deadlines[0][0] <= time.monotonic():
            _, number = heapq.heappop(self.deadlines)
            if number in self.waiting:
                connection, _, _, late = self.waiting.pop(number)
                if fields := late():
                    connection.reply(*fields)


def _listening(port: int) -> socket.socket:
    if socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=1024)
    return socket.create_server(("", port), backlog=1024)


def without_delay(sock: socket.socket) -> None:
    """Sends small messages at once, and finds out within 15 s about machines that have gone."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 5)):
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # for what has been sent, too
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 15_000)
