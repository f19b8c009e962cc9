"""The processes that have started MPI together: how they come together, and what a process has heard of the others."""

from __future__ import annotations

import contextlib
import os
import socket
import uuid
from collections.abc import Callable, Hashable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from rushlight.core.errors import noted
from rushlight.distributed import mpi
from rushlight.distributed.calls import AREA, Calls, memory_for
from rushlight.distributed.errors import DistBackendError
from rushlight.distributed.line import Line
from rushlight.distributed.shared_sums import Sums, bytes_for
from rushlight.distributed.stores import PrefixStore, Store, TCPStore
from rushlight.distributed.waiting import pause_exactly

__all__ = ["World", "come_together"]


class Process:
    """What this process is in MPI for as long as it lives: MPI starts once. `world` is the open world, or None."""

    def __init__(self) -> None:
        self.name = ""  # of MPI's world
        self.rank = 0  # in it
        self.world: World | None = None
        self.joined: dict[Hashable, int] = {}  # worlds so far, by the store
        self.stores: list[Store] = []  # of these worlds: the others may need what they serve up to the end


PROCESS = Process()


class World:
    """An open world: `communicator` is MPI's, of exactly these ranks; `cards` has pid and host of each."""

    def __init__(self, line: Line, cards: list[dict[str, Any]], communicator: Any, store: Store) -> None:
        self.line, self.cards, self.communicator, self.store = line, cards, communicator, store
        self.rank, self.size = line.rank, line.size
        self.failure = ""  # why no call can succeed any more
        self.calls: Calls = None  # type: ignore[assignment]  # set once the memory is there
        self.sums: Sums | None = None  # of the default group, where its ranks share memory
        self.between_gpus: list[Any] = []  # NCCL's open communicators
        self.groups = 0  # that were made by all ranks together
        self.local: dict[tuple, int] = {}  # that were made by their members alone: how many of the same members

    def next_local(self, members: tuple[int, ...]) -> str:
        """Returns a name for one more group of these members, the same for each of them."""
        self.local[members] = self.local.get(members, 0) + 1
        return f"{'-'.join(map(str, members))}/{self.local[members]}"

    def fail(self, words: str) -> None:
        """Notes that no call can succeed any more, and tells the others why."""
        if not self.failure:
            self.failure = words
            self.line.fail(words)
            for carrier in self.between_gpus:
                carrier.give_up()

    def who(self, rank: int) -> str:
        """Returns a rank with its process and machine."""
        card = self.cards[rank]
        return f"rank {rank} (pid {card['pid']}, host {card['host']})"

    def leave(self) -> None:
        """Says goodbye, at the end of the process or of the world."""
        self.line.leave(self.calls.made())

    def close(self) -> None:
        """Says goodbye. MPI stays started, for a later world of the same processes."""
        self.leave()
        if PROCESS.world is self:
            PROCESS.world = None


def come_together(store: Store, rank: int, size: int, timeout: timedelta) -> World:
    """Makes one MPI world of the processes that share a store.

    Raises DistStoreError if not all come in time, RuntimeError if this process is in MPI with others already.
    """
    mpi.library()  # first of all, so that its errors do not leave others waiting
    pause_exactly()
    PROCESS.stores.append(store)
    place = place_of(store)
    count = PROCESS.joined.get(place, 0) + 1
    name = f"world/{os.environ.get('RUSHLIGHT_ROUND', '0')}/{count}"
    line = Line(served_at(store, rank, name), name, rank, size)
    card = {
        "pid": os.getpid(), "host": socket.gethostname(), "machine": machine(), "mpi": PROCESS.name,
        "rank": PROCESS.rank, "started": mpi.world_size(),
    }  # fmt: skip
    roster = line.join(card, timeout)
    PROCESS.joined[place] = count
    cards = roster["cards"]
    local = [each for each in range(size) if cards[each]["machine"] == card["machine"]]
    create = rank == local[0]
    label = f"{roster['name']}.{local[0]}"
    paths: list[str] = []
    calls: Any = None
    if create:
        calls, sums = shared(label, len(local), size, paths)
    look = partial(nobody_is_lost, line, cards)
    try:
        communicator = connect(line, roster["name"], cards, count, look)
        wait_for(communicator.Ibarrier(), look)
        if not create:
            calls, sums = shared(label, len(local), size)
        all_have = bytearray([sums is not None])
        kind = mpi.library().UINT8_T
        wait_for(communicator.Iallreduce(mpi.library().IN_PLACE, (all_have, 1, kind), mpi.library().MIN), look)
    finally:
        for path in paths:
            os.unlink(path)
        mpi.unlink_shared_memory()
    world = World(line, cards, communicator, store)
    world.calls = Calls(calls, rank, local)
    if sums is not None and all_have[0]:
        world.sums = Sums(sums, rank, size)
    PROCESS.world = world
    return world


def shared(label: str, ranks: int, size: int, created: list[str] | None = None) -> tuple[Any, Any]:
    """Opens the memory of the ranks of this machine, for their calls and for sums; with a list creates it.

    That for sums is None if other ranks are elsewhere, or if there is no room.
    """
    calls, path = memory_for(f"{label}.calls", ranks * AREA, created is not None)
    paths, sums = [path], None
    if ranks == size and bytes_for(ranks):
        with contextlib.suppress(OSError):
            sums, path = memory_for(f"{label}.sums", bytes_for(ranks), created is not None)
            paths.append(path)
    if created is not None:
        created += paths
    return calls, sums


def machine() -> str:
    """Returns what is different on each machine: names alone may be the same."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return f"{socket.gethostname()} {file.read().strip()}"
    except OSError:
        return f"{socket.gethostname()} {uuid.getnode()}"


def beneath_prefixes(store: Store) -> Store:
    """Returns the store that a store is a part of."""
    while isinstance(store, PrefixStore):
        store = store.underlying_store
    return store


def place_of(store: Store) -> Hashable:
    """Returns what is the same for stores that mean the same place."""
    beneath = beneath_prefixes(store)
    if isinstance(beneath, TCPStore):
        return beneath.host, beneath.port
    return getattr(beneath, "path", id(beneath))


def served_at(store: Store, rank: int, name: str) -> tuple[str, int]:
    """Returns the address of the server: that of a TCPStore, else one that rank 0 starts and writes to the store."""
    beneath = beneath_prefixes(store)
    if isinstance(beneath, TCPStore):
        return beneath.host, beneath.port
    if rank == 0:
        served = TCPStore(reachable_name(), 0, is_master=True)
        PROCESS.stores.append(served)
        store.set(f"{name}/address", f"{served.host} {served.port}")
        return served.host, served.port
    host, port = store.get(f"{name}/address").decode().split()
    return host, int(port)


def reachable_name() -> str:
    """Returns a name of this machine by which others reach it."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return "127.0.0.1"
    return name


def connect(line: Line, name: str, cards: Sequence[dict[str, Any]], count: int, look: Callable[[], None]) -> Any:
    """Returns a communicator of these processes: by starting MPI, or from the world that it was started with."""
    earlier = {card["mpi"] for card in cards}
    if earlier == {""}:
        sizes = {card["started"] for card in cards}
        if sizes not in ({0}, {line.size}):
            raise started_alone([rank for rank, card in enumerate(cards) if card["started"]])
        world = mpi.start(None if mpi.started() else (line.pmi(), line.rank, line.size), look)
        PROCESS.name, PROCESS.rank = name, world.Get_rank()
        mpi.forget_place()
        communicator, request = world.Idup()
        wait_for(request, look)
        return communicator
    if len(earlier) > 1:
        raise noted(
            RuntimeError("init_process_group: some of these processes are in another MPI world already"),
            "MPI starts once in a process, so a later group can have the same processes or some of them, and no new "
            "ones: start the program again for these.",
        )
    world = mpi.start()
    members = world.Get_group().Incl([card["rank"] for card in cards])
    return world.Create_group(members, tag=count)


def started_alone(ranks: list[int]) -> Exception:
    """Returns the error for processes in which MPI was started before, without the others."""
    return noted(
        RuntimeError(f"init_process_group: MPI runs already in rank {', '.join(map(str, ranks))}, without the others"),
        "`from mpi4py import MPI` starts it, also in a package that looks for mpiexec: start the program with torchrun "
        "or mpiexec, or import mpi4py after init_process_group.",
    )


def nobody_is_lost(line: Line, cards: Sequence[dict[str, Any]]) -> None:
    """Raises RuntimeError if a process has ended before all have started."""
    for rank, why in line.lost.items():
        who = f"rank {rank} (pid {cards[rank]['pid']}, host {cards[rank]['host']}) has ended" if rank >= 0 else why
        raise DistBackendError(f"{who} while the process group was being made")


def wait_for(request: Any, look: Callable[[], None] = lambda: None) -> None:
    """Waits for a request at the start, when all have come; `look` raises if one has ended since."""
    while not request.Test():
        look()
        os.sched_yield()
