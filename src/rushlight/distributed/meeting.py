"""Which machines take part in a job: those that have come when it starts, and those that remain when it starts again.

The agent that serves the store decides. A round is one start of the program. The keys of the store are

- `came/ROUND`: a line for each machine that waits for a round: its number, --node-rank and processes;
- `roster/ROUND`: who takes part in it, or how the job has ended; `round` is the last one that has a roster;
- `failed/ROUND`, `again/ROUND`: why it ends early: by a failure, or because one more machine has come;
- `lost/NUMBER`: the agent of a machine has ended.
"""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from rushlight.distributed.errors import DistNetworkError, DistStoreError
from rushlight.distributed.stores import TCPStore
from rushlight.distributed.workers import Settings

__all__ = ["JobOver", "Meeting", "Place", "is_this_machine"]

LOOKING = 0.05  # seconds between two looks at who has come
LEAVING = 5.0  # seconds that the agents of other machines have to hear how the job has ended
LOCAL = ("localhost", "127.0.0.1", "::1")
WITHOUT_LIMIT = timedelta(days=365)


class JobOver(Exception):
    """The job has ended without this machine; the text says how it has failed, and is empty if it has not."""


class Arrival(NamedTuple):
    """A machine that waits for a round."""

    number: int
    node_rank: int
    processes: int


@dataclass(frozen=True)
class Place:
    """The place of a machine in a round: its number of `machines`, and its first rank of `ranks`."""

    round: int
    machine: int
    machines: int
    first: int
    ranks: int
    restarts: int  # after failures


class Meeting:
    """Meets the agents of the other machines before each round, and hears of them while it runs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = opened(settings)
        self.serves = self.store._server is not None
        self.number = self.store.add("machines", 1)
        self.store.set_at_end(f"lost/{self.number}")
        self.round = -1
        self.members: list[int] = []  # the numbers of the machines of this round
        if self.serves:
            self.store.set("round", "-1")

    # ---- before a round

    def next(self, restarts: int) -> Place:
        """Waits for the machines of the next round. Raises JobOver if there is none, DistStoreError if too few come."""
        self.round = max(self.round, int(self.store.get("round")))
        while True:
            self.round += 1
            arrival = Arrival(self.number, self.settings.machine or 0, self.settings.processes)
            self.store.append(f"came/{self.round}", f"{json.dumps(arrival)}\n")
            if self.serves:
                self.decide(restarts)
            self.store.wait([f"roster/{self.round}"], WITHOUT_LIMIT)
            roster = json.loads(self.store.get(f"roster/{self.round}"))
            if "over" in roster:
                raise JobOver(roster["over"])
            self.members = [number for number, _ in roster["members"]]
            if self.number in self.members:
                return self.place_in(roster)

    def place_in(self, roster: dict[str, Any]) -> Place:
        """Returns the place of this machine."""
        machine = self.members.index(self.number)
        counts = [processes for _, processes in roster["members"]]
        return Place(self.round, machine, len(counts), sum(counts[:machine]), sum(counts), roster["restarts"])

    def decide(self, restarts: int) -> None:
        """Waits until enough machines have come, and says who takes part in the round."""
        came = self.enough()
        if self.settings.machine is None:
            came.sort(key=lambda each: (each.number != self.number, each.number))
        else:
            came.sort(key=lambda each: each.node_rank)
        members = [(each.number, each.processes) for each in came]
        self.store.set(f"roster/{self.round}", json.dumps({"members": members, "restarts": restarts}))
        self.store.set("round", str(self.round))

    def enough(self) -> list[Arrival]:
        """Returns the machines that have come, once no further ones are waited for.

        If all are back that remain of the last round, there is no last call. Raises DistStoreError if too few come, or
        two with the same number.
        """
        settings = self.settings
        deadline, closing = time.monotonic() + settings.join, float("inf")
        while len(came := self.came(self.round)) < settings.machines:
            now, numbers = time.monotonic(), {each.number for each in came}
            if len(came) >= settings.least:
                if self.members and not self.remaining() - numbers:
                    break
                closing = min(closing, now + settings.last_call)
            if now >= closing and len(came) >= settings.least:
                break
            if now >= deadline:
                missing = f"{len(came)} of at least {settings.least} machines have come in {settings.join:g} seconds"
                raise DistStoreError(missing)
            time.sleep(LOOKING)
        ranks = [each.node_rank for each in came]
        if settings.machine is not None and len(set(ranks)) < len(ranks):
            raise DistStoreError(f"two machines have the same --node-rank: {sorted(ranks)}")
        return came[: settings.machines]

    def came(self, number: int) -> list[Arrival]:
        """Returns the machines that wait for a round."""
        if not self.store.check([f"came/{number}"]):
            return []
        lines = self.store.get(f"came/{number}").decode().splitlines()
        return [each for each in map(arrival_of, lines) if not self.is_lost(each.number)]

    def is_lost(self, number: int) -> bool:
        """Whether the agent of a machine has ended."""
        return self.store.check([f"lost/{number}"])

    def remaining(self) -> set[int]:
        """Returns the machines of the last round that are still there."""
        return {number for number in self.members if not self.is_lost(number)}

    # ---- while a round runs

    def fail(self, words: str) -> None:
        """Tells the others that this round has failed."""
        self.store.set(f"failed/{self.round}", words)

    def news(self) -> tuple[str, str]:
        """Returns why the round has failed on another machine, and why it starts again without a failure."""
        if self.serves:
            self.look()
        failed, again = (self.heard(f"{key}/{self.round}") for key in ("failed", "again"))
        return failed, again

    def heard(self, key: str) -> str:
        return self.store.get(key).decode() if self.store.check([key]) else ""

    def look(self) -> None:
        """Tells the others if the round cannot go on: a machine is lost, or one more has come and may take part."""
        lost = [number for number in self.members if self.is_lost(number)]
        if lost and not self.heard(f"failed/{self.round}"):
            self.fail(f"machine {self.members.index(lost[0])} has gone")
        elif not lost and len(self.members) < self.settings.machines and self.came(self.round + 1):
            self.store.set(f"again/{self.round}", "one more machine has come")

    def ended(self) -> bool:
        """Whether all machines have said that their ranks have ended well."""
        return int(self.store.add(f"ended/{self.round}", 0)) >= len(self.members)

    def end(self) -> None:
        """Says that the ranks of this machine have ended well."""
        self.store.add(f"ended/{self.round}", 1)

    # ---- at the end

    def leave(self, failure: str) -> None:
        """Says that this agent needs the store no more; the one that serves it waits for the others, not for long."""
        if not self.serves:
            self.store.set(f"lost/{self.number}", b"")
            return
        others = set(self.members)
        for number in (self.round, self.round + 1):
            others.update(each.number for each in self.came(number))
            if not self.store.check([f"roster/{number}"]):
                self.store.set(f"roster/{number}", json.dumps({"over": failure}))
        deadline = time.monotonic() + LEAVING
        while not all(map(self.is_lost, others - {self.number})) and time.monotonic() < deadline:
            time.sleep(LOOKING)


def opened(settings: Settings) -> TCPStore:
    """Returns the store of the job: served here by the first machine, or by the first agent on the machine `host`."""
    if settings.machine == 0 or (settings.machine is None and is_this_machine(settings.host)):
        try:
            return TCPStore(settings.host, settings.port, is_master=True)
        except DistNetworkError:
            if settings.machine is not None:
                raise
    return TCPStore(settings.host, settings.port, timeout=timedelta(seconds=settings.join))


def arrival_of(line: str) -> Arrival:
    """Returns what a machine has said when it came."""
    return Arrival(*json.loads(line))


def is_this_machine(host: str) -> bool:
    """Whether a host name means this machine."""
    if host in LOCAL or host in (socket.gethostname(), socket.getfqdn()):
        return True
    try:
        address = socket.gethostbyname(host)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
