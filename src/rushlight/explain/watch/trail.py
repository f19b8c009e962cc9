"""Which line of the program recorded which node.

Every node takes its number from the one clock. While a watch is on, the clock notes whom it is asked by: a tenth of the
time of a small operation, where sending every operation down the general path would cost several times its time.
"""

from __future__ import annotations

import sys

from rushlight.core.clock import tick
from rushlight.core.graph import Node
from rushlight.core.origin import NOBODY, PACKAGE, Place
from rushlight.core.tables import objects
from rushlight.explain.watch.taps import Taps

LENGTH = 1 << 16  # how many of the newest nodes are remembered: a power of two


class Trail:
    """The places of the newest nodes, in a ring, by number."""

    def __init__(self) -> None:
        self.codes = [NOBODY] * LENGTH
        self.offsets = [0] * LENGTH
        self.first = tick(None)

    def lay(self, taps: Taps) -> None:
        """Begins to note places."""
        taps.attribute(objects, "tick", lambda count: noting(count, self.codes, self.offsets))

    def place_of(self, node: Node) -> Place | None:
        """Where a node was recorded, if that is still known."""
        return self.place_at(node.created)

    def place_at(self, number: int) -> Place | None:
        """Where the program was at a time of the clock."""
        if number < self.first or number <= tick(None) - LENGTH:
            return None
        position = number % LENGTH
        code = self.codes[position]
        return None if code is NOBODY else Place(code, self.offsets[position])


class Files(dict):
    """Whether files are the package's, by name: each is looked at once."""

    def __missing__(self, file: str) -> bool:
        result = self[file] = file.startswith(PACKAGE)
        return result


def noting(count, codes: list, offsets: list):
    """The clock of nodes, which notes the places that record them."""
    last, ours = LENGTH - 1, Files()
    frame_of = sys._getframe

    def tick_noting_places(nothing) -> int:
        frame = frame_of(1)
        code = frame.f_code
        while ours[code.co_filename]:
            outer = frame.f_back
            if outer is None:
                return count(nothing)
            frame, code = outer, outer.f_code
        number = count(nothing)
        codes[number & last] = code
        offsets[number & last] = frame.f_lasti
        return number

    return tick_noting_places
