"""The worlds of a server: who has come, who has ended, and the PMI of each."""

from __future__ import annotations

import json
import uuid
from typing import Any

from rushlight.distributed.pmi import Manager

__all__ = ["WorldTable"]


class World:
    """Processes that start MPI together, by rank; `cards` has what each says of itself: pid, host, earlier world."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.cards: dict[int, dict] = {}
        self.connections: dict[int, Any] = {}
        self.manager: Manager | None = None
        self.gone: set[int] = set()

    def complete(self) -> bool:
        """Whether all have come."""
        return len(self.cards) == self.size

    def begin(self) -> None:
        """Tells all who the others are."""
        cards = [self.cards[rank] for rank in range(self.size)]
        name = f"rushlight_{uuid.uuid4().hex}"
        self.manager = Manager(name, [card["machine"] for card in cards])
        roster = json.dumps({"name": name, "cards": cards}).encode()
        for connection in self.connections.values():
            connection.reply(b"go", roster)

    def tell(self, rank: int, kind: bytes, words: bytes) -> None:
        """Tells the others what has become of a rank; the first news counts."""
        if rank in self.gone:
            return
        self.gone.add(rank)
        for other, connection in self.connections.items():
            if other != rank and other not in self.gone:
                connection.reply(kind, b"%d" % rank, words)


class WorldTable:
    """All worlds of a server, by name."""

    def __init__(self) -> None:
        self.worlds: dict[bytes, World] = {}

    def over(self) -> bool:
        """Whether no rank is there any more of the worlds that have begun."""
        return all(world.manager is None or len(world.gone) == world.size for world in list(self.worlds.values()))

    def command(self, connection: Any, message: list[bytes]) -> None:
        """Runs a command of a rank about its world."""
        match message:
            case [b"join", name, size, rank, card, timeout]:
                self.join(connection, name, int(size), int(rank), json.loads(card), float(timeout))
            case [b"pmi", name]:
                connect_pmi(connection, self.worlds[name].manager)

    def join(self, connection: Any, name: bytes, size: int, rank: int, card: dict, timeout: float) -> None:
        """Enters a rank; all hear of it when the last has come."""
        world = self.worlds.setdefault(name, World(size))
        if size != world.size or rank in world.cards:
            why = f"rank {rank} is there already" if size == world.size else f"others say world_size={world.size}"
            connection.reply(b"refused", why.encode())
            return
        world.cards[rank], world.connections[rank] = card, connection
        connection.closed = lambda: self.leave(world, name, rank)
        connection.hear = lambda data: hear_member(connection, world, rank, data)
        if world.complete():
            world.begin()
            return

        def late() -> list[bytes]:
            missing = [each for each in range(size) if each not in world.cards]
            return [b"late", json.dumps(missing).encode()] if world.manager is None else []

        connection.server.keep(connection, lambda: False, list, late, timeout)

    def leave(self, world: World, name: bytes, rank: int) -> None:
        """Notes that the connection of a rank has ended."""
        if world.manager is None:  # it has given up before all had come
            world.cards.pop(rank, None)
            world.connections.pop(rank, None)
        else:
            world.tell(rank, b"lost", b"")
        if len(world.gone) == world.size or not world.cards:
            self.worlds.pop(name, None)


def hear_member(connection: Any, world: World, rank: int, data: bytes) -> None:
    """Hears what a member of a world says: that it leaves, or that it fails and why."""
    for message in connection.frames.fed(data):
        match message:
            case [b"leaving", made]:
                world.tell(rank, b"left", made)
                connection.reply(b"bye")
            case [b"failing", words]:
                world.tell(rank, b"lost", words)


def connect_pmi(connection: Any, manager: Manager | None) -> None:
    """Speaks PMI on a connection from here on."""
    assert manager is not None  # ranks ask for it when all have come
    lines = bytearray()

    def hear(data: bytes) -> None:
        lines.extend(data)
        while (end := lines.find(b"\n")) >= 0:
            line = bytes(lines[:end]).decode()
            del lines[: end + 1]
            manager.hear(line, connection.send)

    connection.reply(b"ok")
    connection.hear = hear
