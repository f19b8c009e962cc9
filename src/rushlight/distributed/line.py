"""The connection on which a rank hears what becomes of the others: a thread waits on it."""

from __future__ import annotations

import json
import os
import socket
import threading
from datetime import timedelta
from typing import Any

from rushlight.core.errors import noted
from rushlight.distributed.errors import DistNetworkError, DistStoreError
from rushlight.distributed.stores import connected
from rushlight.distributed.wire import Frames, packed, receive

__all__ = ["Line"]

SLACK = 5.0  # seconds that the server may be late


class Line:
    """Joins the world `name` on a server and hears of its ranks: `lost` has why a rank has ended, `left` the number of
    the last call in each group of a rank that has left in peace.

    `news` counts what was heard, so that who waits need only compare a number.
    """

    def __init__(self, address: tuple[str, int], name: str, rank: int, size: int) -> None:
        self.address, self.name, self.rank, self.size = address, name, rank, size
        self.lost: dict[int, str] = {}
        self.left: dict[int, dict[int, int]] = {}
        self.news = 0
        self.leaving = False
        self.said_bye = threading.Event()
        self.frames = Frames()

    def join(self, card: dict[str, Any], timeout: timedelta) -> dict[str, Any]:
        """Waits for all ranks; returns {"name": unique name of the world, "cards": what each rank has said}."""
        seconds = timeout.total_seconds()
        self.socket = connected(*self.address, timeout)
        fields = (self.name, str(self.size), str(self.rank), json.dumps(card), str(seconds))
        self.socket.settimeout(seconds + SLACK)
        try:
            self.socket.sendall(packed(b"world", b"join", *[field.encode() for field in fields]))
            kind, words = receive(self.socket, self.frames)
        except OSError as error:
            self.socket.close()
            raise DistNetworkError(
                f"The server at {self.address} has gone while ranks were waited for: {error}"
            ) from None
        if kind == b"go":
            self.socket.settimeout(None)
            threading.Thread(target=self.listen, name="rushlight-line", daemon=True).start()
            return json.loads(words)
        self.socket.close()
        if kind == b"refused":
            raise ValueError(f"rank {self.rank} of {self.size} cannot join: {words.decode()}")
        missing = json.loads(words)
        came = f"{self.size - len(missing)}/{self.size} clients joined."
        raise noted(
            DistStoreError(f"Timed out after {round(seconds)} seconds waiting for clients. {came}"),
            f"Rank {', '.join(map(str, missing))} did not come to init_process_group.",
        )

    def pmi(self) -> socket.socket:
        """Returns a connection that speaks PMI."""
        sock = connected(*self.address, timedelta(seconds=30))
        sock.sendall(packed(b"world", b"pmi", self.name.encode()))
        receive(sock, Frames())
        return sock

    # ---- what is heard

    def listen(self) -> None:
        """Notes the news until the connection ends."""
        try:
            while True:
                match receive(self.socket, self.frames):
                    case [b"lost", rank, words]:
                        self.lost[int(rank)] = words.decode()
                    case [b"left", rank, made]:
                        self.left[int(rank)] = dict(json.loads(made))
                    case [b"bye"]:
                        self.said_bye.set()
                self.news += 1
        except OSError:
            self.said_bye.set()
            if not self.leaving and 0 not in self.left:
                self.lost[-1] = "the process that serves the store (rank 0, or the launcher) has ended"
                self.news += 1

    # ---- what is said

    def leave(self, made: dict[int, int]) -> None:
        """Says that this rank ends as it should and what it called last; waits until the server has heard it."""
        if self.leaving:
            return
        self.leaving = True
        self.say(b"leaving", json.dumps(list(made.items())).encode())
        self.said_bye.wait(0.5)

    def fail(self, words: str) -> None:
        """Says that this rank cannot go on."""
        if not self.leaving:
            self.leaving = True
            self.say(b"failing", words.encode())

    def say(self, *fields: bytes) -> None:
        """Sends a message; the server may be gone."""
        try:
            self.socket.sendall(packed(*fields))
        except OSError:
            pass

    def abandon(self) -> None:
        """Closes the descriptor in a forked child: the parent's end must be heard although the child lives."""
        os.close(self.socket.detach())
