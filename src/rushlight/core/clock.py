"""The clock that numbers nodes and writes. Backward may run nodes in the order newest first."""

from functools import partial
from itertools import count

from rushlight.core.fast_new import next_of
from rushlight.core.tables import enter, objects

TICKS = count(1)
tick = next_of(TICKS)  # called with None
enter(objects, {"tick": tick})  # for nodes


class LastWrite:
    """The time of the last write to any memory: values saved by newer nodes cannot be stale."""

    __slots__ = ("tick",)
    tick: int


LAST_WRITE = LastWrite()
LAST_WRITE.tick = 0
# Called with None, it stores a new tick as the time of the last write. Only builtin functions run, so no other thread
# can intervene: a lock costs three times as much.
mark_write = next_of(map(partial(setattr, LAST_WRITE, "tick"), TICKS))
