"""What one rank records for `python -m rushlight torchrun --report`, in a file that the launcher reads.

A step ends with the step of an optimizer: of the one that was first, if several take turns. The last calls between
ranks are kept, and the operators of the last steps, for the picture. Times are in nanoseconds of a clock that the
processes of a machine share.
"""

from __future__ import annotations

import json
import os
from collections import deque
from time import perf_counter_ns
from typing import Any, NamedTuple

from rushlight.distributed.calls import parts_of
from rushlight.distributed.process_group import ProcessGroup
from rushlight.distributed.work import Work
from rushlight.profiler.communication import CALLS
from rushlight.profiler.observed import Observed
from rushlight.profiler.recorder import FIELDS, Recorder, Settings, noted

__all__ = ["Rank"]

LAST = 3  # steps whose operators are kept: ranks may end with different numbers of steps
MOST = 500_000  # operators that are kept, and notes of calls between ranks
FROM_ONE = ("broadcast", "scatter")  # these need the root alone
TO_ONE = ("reduce", "gather")  # of these only the root needs others


class Entered(NamedTuple):
    """The kind of a note: this rank has come to a call of a group."""

    group: int
    sequence: int
    needs: list[int] | None  # the ranks that it waits for; None: all


class Blocked(NamedTuple):
    """The kind of a note: this rank was blocked in a call."""

    group: int
    sequence: int
    call: str


class Stepped(NamedTuple):
    """The kind of a note: an optimizer has made a step."""

    number: int  # from 1; 0 for optimizers that do not count


def entered(group: ProcessGroup, kind: int, shape: tuple, elements: int) -> Entered:
    """Returns what is noted of a call, for `ProcessGroup.enter_as`."""
    name, _, _, _, root = parts_of(kind, shape)
    needs: list[int] | None = None
    if name in FROM_ONE:
        needs = [group.ranks[root]]
    elif name in TO_ONE and root != group.mine:
        needs = []
    return Entered(group.number, group.sequence, needs)


def blocked(work: Work, timeout: Any = None) -> Blocked:
    """Returns what is noted of a wait, for `Work.wait`. Sends and receives have no number."""
    return Blocked(work.group.number, work.key[0] if work.key else 0, work.name)


class ObservedRank(Observed):
    """Observes when a rank comes to calls, is blocked in them, and ends steps."""

    counted: int | None = None  # the identity of the optimizer whose steps count
    number = 0  # of its steps
    others: frozenset[int] = frozenset()  # that have made a step since

    def begin(self) -> None:
        """Puts the observers in front of what there is now; what is loaded later follows."""
        self.named(ProcessGroup.enter_as, entered)
        self.named(Work.wait, blocked)  # first: what is observed once is not observed again
        self.communication()
        self.steps()

    def step(self, step: Any) -> None:
        """Observes the steps of the optimizers of a class."""
        self.named(step, self.stepped)

    def stepped(self, optimizer: Any, *arguments: Any) -> Stepped:
        """Returns what is noted of a step."""
        identity = id(optimizer)
        if self.counted is None or identity in self.others:  # twice: the one that counted is at rest
            self.counted = identity
        if self.counted != identity:
            self.others |= {identity}
            return Stepped(0)
        self.number, self.others = self.number + 1, frozenset()
        return Stepped(self.number)


class Rank:
    """Records this process from its creation to `write`."""

    def __init__(self) -> None:
        self.notes: deque[Any] = deque(maxlen=FIELDS * MOST)
        self.observed = ObservedRank(self.notes.extend, lambda name: None)
        self.recorder = Recorder(Settings(most=MOST))
        self.observed.begin()
        self.recorder.start()  # afterwards: what it notes of a wait is around what is noted here
        self.began = perf_counter_ns()

    def write(self, folder: str) -> None:
        """Ends recording, and writes the file of this rank."""
        self.observed.end()
        self.recorder.stop()
        name = os.environ["RANK"]
        path = os.path.join(folder, f"{name}.json")
        with open(f"{path}.new", "w", encoding="utf-8") as file:
            json.dump({"rank": int(name)} | self.recorded(), file)
        os.replace(f"{path}.new", path)

    def recorded(self) -> dict[str, Any]:
        """Returns all that was recorded."""
        notes = list(noted(self.notes))
        ends = [(kind.number, end) for kind, _, end, *_ in notes if isinstance(kind, Stepped) and kind.number]
        since = [self.began, *[end for _, end in ends]][-LAST - 1 :][0]
        return {
            "began": self.began,
            "ended": self.recorder.end,
            "steps": ends,
            "entered": [[*kind, start] for kind, start, *_ in notes if isinstance(kind, Entered)],
            "blocked": [[*kind, *times] for kind, *times, _ in notes if isinstance(kind, Blocked)],
            "calls": [[start, end] for kind, start, end, *_ in notes if getattr(kind, "category", "") == CALLS],
            "operators": [[*kind, *times] for kind, *times, _ in noted(self.recorder.notes) if times[0] >= since],
        }
