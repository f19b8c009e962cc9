"""The one clock. Its ticks number the nodes, and newest first is an order in which backward may run."""

from functools import partial
from itertools import count

from rushlight.core.fast_new import next_of
from rushlight.core.tables import enter, objects

TICKS = count(1)
tick = next_of(TICKS)  # called with None
enter(objects, {"tick": tick})  # for nodes


class LastWrite:
    """When memory was last written to: a newer node holds nothing stale."""

    __slots__ = ("tick",)
    tick: int


LAST_WRITE = LastWrite()
LAST_WRITE.tick = 0
# Called with None, it takes a tick for that of the last write. No other thread comes in between, for all of it is done
# by builtin functions: a lock costs three times as much.
mark_write = next_of(map(partial(setattr, LAST_WRITE, "tick"), TICKS))
