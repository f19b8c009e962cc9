"""What each rank called last, in memory that the ranks of a machine share: compared, and shown when something is wrong.

A rank writes each call before it starts it. MPI compares nothing: sums of different dtypes or different collectives can
end with wrong numbers and no error. So when a collective has ended, its ranks' entries are compared; and while one is
waited for, they show who is elsewhere, even of ranks that have been killed.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterable, Sequence
from struct import Struct
from types import CodeType
from typing import NamedTuple

from rushlight.core.dtype import BY_NAME
from rushlight.core.origin import Place

__all__ = ["AREA", "Call", "Calls", "memory_for"]

ENTRY = Struct("<6Q8Q")  # group, sequence, kind, elements, site, dims, shape
ENTRIES = 128  # calls of one rank that are kept
SITE = 256  # bytes of the text of one line of the program
SITES = 128
AREA = ENTRIES * ENTRY.size + SITES * SITE  # bytes of one rank
HEAD, BODY = Struct("<2Q"), Struct("<4Q8Q")  # the parts of an entry
BODIES = 1_000  # that a rank keeps
COMPARED = Struct("<4Q")

NAMES = (
    "", "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "reduce_scatter", "all_to_all",
    "barrier", "send", "recv", "new_group", "monitored_barrier",
)  # fmt: skip
NAME_NUMBER = {name: number for number, name in enumerate(NAMES)}
DTYPES = ("", *sorted(BY_NAME))
DTYPE_NUMBER = {name: number for number, name in enumerate(DTYPES)}
OPERATORS = ("", "SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM")
OPERATOR_NUMBER = {name: number for number, name in enumerate(OPERATORS)}


class Call(NamedTuple):
    """One call of a rank: its group's number, its number in the group, what it does, and the program's line."""

    group: int
    sequence: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    operator: str
    root: int  # of the group; -1 without one
    place: str

    def __str__(self) -> str:
        details = [f"{self.dtype} {list(self.shape)}"] if self.dtype else []
        details += [self.operator] if self.operator else []
        details += [f"rank {self.root} of the group"] if self.root >= 0 else []
        return f"{self.name}({', '.join(details)}) at {self.place}"


class Calls:
    """The calls of the ranks `ranks`, which are on this machine; `rank` is this process."""

    def __init__(self, memory: mmap.mmap, rank: int, ranks: Sequence[int]) -> None:
        self.memory = memory
        self.start = {each: AREA * k for k, each in enumerate(ranks)}
        self.mine = self.start[rank]
        self.sites: dict[tuple[int, int], tuple[int, CodeType]] = {}  # the code is kept, so that no other gets its id
        self.bodies: dict[tuple, bytes] = {}  # by (kind, elements, shape, id of the code, instruction)

    def note(self, group: int, key: tuple[int, int, int], shape: tuple, place: tuple) -> None:
        """Writes a call of this rank. `key` is (sequence, kind, elements), `place` from `core.source_lines`."""
        sequence, kind, elements = key
        code, instruction = place
        # By the id, as the hash of a code object takes 2 us
        body = self.bodies.get((kind, elements, shape, id(code), instruction)) or self.new_body(key, shape, place)
        at = self.mine + (group % ENTRIES + sequence) % ENTRIES * ENTRY.size
        self.memory[at + HEAD.size : at + ENTRY.size] = body
        HEAD.pack_into(self.memory, at, group, sequence)  # at last: others read the entry by these numbers

    def new_body(self, key: tuple[int, int, int], shape: tuple, place: tuple) -> bytes:
        """Returns the bytes of an entry after its head; keeps them for the next call of the same line and shape."""
        if len(self.bodies) >= BODIES or len(self.sites) >= SITES:
            self.bodies.clear()
            self.sites.clear()
        _, kind, elements = key
        code, instruction = place
        sizes = shape[:8] + (0,) * (8 - len(shape))
        body = BODY.pack(kind, elements, self.site_of(place), len(shape), *sizes)
        self.bodies[kind, elements, shape, id(code), instruction] = body
        return body

    def site_of(self, place: tuple) -> int:
        """Returns the number of a line of the program, whose text is written if it is new."""
        code, instruction = place
        site = self.sites.get((id(code), instruction))
        if site is not None:
            return site[0]
        number = len(self.sites)
        self.sites[id(code), instruction] = number, code
        at = self.mine + ENTRIES * ENTRY.size + number * SITE
        self.memory[at : at + SITE] = str(Place(*place)).encode()[:SITE].ljust(SITE, b"\0")
        return number

    def made(self) -> dict[int, int]:
        """Returns the number of this rank's last call in each group."""
        result: dict[int, int] = {}
        for k in range(ENTRIES):
            group, sequence, *_ = COMPARED.unpack_from(self.memory, self.mine + k * ENTRY.size)
            if sequence > result.get(group, 0):
                result[group] = sequence
        return result

    def other(self, ranks: Iterable[int], group: int, sequence: int, kind: int, elements: int) -> int | None:
        """Returns a rank that has made another call instead of this one, or None."""
        at = (group + sequence) % ENTRIES * ENTRY.size
        for rank in ranks:
            start = self.start.get(rank)
            if start is None or start == self.mine:
                continue
            result = COMPARED.unpack_from(self.memory, start + at)
            if result[0] == group and result[1] == sequence and (result[2] != kind or result[3] != elements):
                return rank
        return None

    def at(self, rank: int, group: int, sequence: int) -> Call | None:
        """Returns the call of a rank with that number, or None if it is not there."""
        start = self.start.get(rank)
        return None if start is None else self._read(start, (group + sequence) % ENTRIES, group, sequence)

    def last(self, rank: int, group: int) -> Call | None:
        """Returns the last call of a rank in a group, or None if it is on another machine or has made none."""
        start = self.start.get(rank)
        if start is None:
            return None
        result = [call for k in range(ENTRIES) if (call := self._read(start, k, group)) is not None]
        return max(result, key=lambda call: call.sequence, default=None)

    def _read(self, start: int, k: int, group: int, sequence: int | None = None) -> Call | None:
        numbers = ENTRY.unpack_from(self.memory, start + k * ENTRY.size)
        number, count, kind, elements, site, dims = numbers[:6]
        if number != group or not count or (sequence is not None and count != sequence):
            return None
        at = start + ENTRIES * ENTRY.size + site * SITE
        place = bytes(self.memory[at : at + SITE]).rstrip(b"\0").decode("utf-8", "replace")
        return Call(number, count, *parts_of(kind, tuple(numbers[6 : 6 + min(dims, 8)])), place)


def kind_of(name: str, dtype: str = "", operator: str = "", root: int = -1) -> int:
    """Returns what must be the same on all ranks, as a number."""
    return NAME_NUMBER[name] | DTYPE_NUMBER[dtype] << 8 | OPERATOR_NUMBER[operator] << 16 | root + 1 << 24


def parts_of(kind: int, shape: tuple[int, ...]) -> tuple[str, str, tuple[int, ...], str, int]:
    """Returns what `kind_of` has put into a number: name, dtype, the shape, operator, root."""
    name, dtype, operator = NAMES[kind & 255], DTYPES[kind >> 8 & 255], OPERATORS[kind >> 16 & 255]
    return name, dtype, shape, operator, (kind >> 24) - 1


def described(kind: int, elements: int) -> str:
    """Returns a call of another machine in words; its line of the program is not known here."""
    return str(Call(0, 0, *parts_of(kind, (elements,)), "another machine"))


def memory_for(name: str, size: int, create: bool) -> tuple[mmap.mmap, str]:
    """Creates or opens shared memory of a machine; returns it with its path, to be removed when all have it.

    Raises OSError if there is no room: writing to memory that is not there would end the process.
    """
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir()
    path = os.path.join(folder, name)
    descriptor = os.open(path, os.O_RDWR | (os.O_CREAT | os.O_EXCL if create else 0), 0o600)
    try:
        if create:
            getattr(os, "posix_fallocate", lambda file, _, length: os.ftruncate(file, length))(descriptor, 0, size)
        return mmap.mmap(descriptor, size), path
    except OSError:
        if create:
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)
