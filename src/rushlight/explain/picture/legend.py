"""The legend of a picture: a sample and a word for each kind of box and wire in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from rushlight.explain.picture.text_size import fixed_width

BOXES = {
    "parameter": "parameter",
    "leaf": "leaf that requires grad",
    "step": "operation",
    "chain": "operations in a row",
    "group": "folded operations",
    "module": "module call",
    "repeat": "repetition",
    "turn": "one turn",
    "result": "result",
    "constant": "no gradient",
    "cut": "gradient ends",
}
WIRES = {"gradient": "value down, gradient back up", "constant": "value only"}
SAMPLE = (20.0, 12.0)
BETWEEN = 18.0  # between two entries
LEGEND_ROW = 18.0
LEGEND_GAP = 20.0  # between the picture and its legend
LEGEND_WIDTH = 560.0  # of a page
NARROWEST = 320.0  # minimum width of the legend


class Entry(NamedTuple):
    """A sample with its word, and its upper left corner."""

    kind: str
    words: str
    x: float
    y: float
    is_wire: bool

    @property
    def right(self) -> float:
        return self.x + SAMPLE[0] + 6.0 + fixed_width(self.words)


def legend(boxes: Collection[str], wires: Collection[str], width: float) -> list[Entry]:
    """Returns an entry for each kind, in rows of limited width."""
    chosen = [(kind, words, False) for kind, words in BOXES.items() if kind in boxes]
    chosen += [(kind, words, True) for kind, words in WIRES.items() if kind in wires]
    entries: list[Entry] = []
    x = y = 0.0
    for kind, words, is_wire in chosen:
        entry = Entry(kind, words, x, y, is_wire)
        if x and entry.right > width:
            x, y = 0.0, y + LEGEND_ROW
            entry = entry._replace(x=x, y=y)
        entries.append(entry)
        x = entry.right + BETWEEN
    return entries
