"""The line of the program that recorded each node.

Every node gets its number from one clock. While a watch is on, the clock also records its caller. That costs a tenth of
a small operation; sending every operation through the general path would cost several times the operation.
"""

from __future__ import annotations

import sys

from rushlight.core.clock import tick
from rushlight.core.graph import Node
from rushlight.core.origin import NOBODY, PACKAGE, Place
from rushlight.core.tables import objects
from rushlight.explain.watch.taps import Taps

LENGTH = 1 << 16  # number of newest nodes that are remembered: a power of two


class NodeLines:
    """A ring buffer of the lines that recorded the newest nodes, by node number."""

    def __init__(self) -> None:
        self.codes = [NOBODY] * LENGTH
        self.offsets = [0] * LENGTH
        self.first = tick(None)

    def start(self, taps: Taps) -> None:
        """Starts recording lines."""
        taps.attribute(objects, "tick", lambda count: noting(count, self.codes, self.offsets))

    def place_of(self, node: Node) -> Place | None:
        """Returns the line that recorded a node, if still known."""
        return self.place_at(node.created)

    def place_at(self, number: int) -> Place | None:
        """Returns the program's line at a time of the clock."""
        if number < self.first or number <= tick(None) - LENGTH:
            return None
        position = number % LENGTH
        code = self.codes[position]
        return None if code is NOBODY else Place(code, self.offsets[position])


class Files(dict):
    """Caches whether a file is part of the package."""

    def __missing__(self, file: str) -> bool:
        result = self[file] = file.startswith(PACKAGE)
        return result


def noting(count, codes: list, offsets: list):
    """Returns a clock that also records its caller."""
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
