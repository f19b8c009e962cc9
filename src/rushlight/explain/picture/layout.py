"""Layered layout: the steps of a graph in rows, with few crossings and straight long lines.

After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): rows, then
an order within the rows, then coordinates. A line that passes a row has a position in it, like a box; lines bend only
between rows. So lines never run through boxes.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from rushlight.explain.picture.coordinates import horizontal

BETWEEN_BOXES = 18.0
BETWEEN_ROWS = 28.0
STEEPEST = 0.12  # fraction of a line's horizontal distance that is added to the gap
SWEEPS = 8
LINE_WIDTH = 4.0  # width of a passing line in a row
WAIT = 2  # sweeps without improvement before the order is final
MIDDLE: Mapping[int, float] = MappingProxyType({})


class Size(NamedTuple):
    """A width and a height."""

    width: float
    height: float


class Line(NamedTuple):
    """A line from a box down to another, with the size of its label."""

    source: int
    target: int
    label: Size | None = None

    @property
    def ends(self) -> tuple[int, int]:
        return self.source, self.target


class Pass(NamedTuple):
    """Where a line passes a row, straight down at `x`."""

    x: float
    top: float
    bottom: float


class Layout(NamedTuple):
    """Centres of boxes, top and bottom of their rows, routes of lines, centres of labels, and the total size."""

    x: list[float]
    y: list[float]
    bands: list[tuple[float, float]]
    routes: list[list[Pass]]
    labels: list[tuple[float, float] | None]
    width: float
    height: float


def layered(
    sizes: Sequence[Size],
    lines: Sequence[Line],
    top: Sequence[int] = (),
    bottom: Sequence[int] = (),
    anchors: Mapping[int, float] = MIDDLE,
) -> Layout:
    """Places boxes so that every line leads down; those in `top` and `bottom` get the first and the last row.

    `anchors` are distances from the left edge to the aligned point, where it is not the middle.

    Raises ValueError if the lines form a cycle.
    """
    if not sizes:
        return Layout([], [], [], [], [], 0.0, 0.0)
    labelled = any(line.label for line in lines)
    rows = rows_of(len(sizes), lines, top, bottom)
    if labelled:
        rows = [2 * row for row in rows]
    grid = Grid(sizes, lines, rows)
    order = ordered(grid)
    widths = [size.width for size in grid.sizes]
    lefts = [anchors.get(number, width / 2) for number, width in enumerate(widths)]
    rights = [width - left for width, left in zip(widths, lefts, strict=True)]
    x = horizontal(order, grid.above, grid.below, (lefts, rights), grid.boxes, BETWEEN_BOXES, beside(grid, {*top}))
    x = [value + (right - left) / 2 for value, left, right in zip(x, lefts, rights, strict=True)]
    _to_the_left(order[0], x, widths, top)
    return _placed(grid, order, x, labelled, top, bottom)


# ---- rows


def rows_of(count: int, lines: Sequence[Line], top: Sequence[int] = (), bottom: Sequence[int] = ()) -> list[int]:
    """Returns the row of each box: as high as its predecessors allow, except that boxes wait for their successors."""
    above, below = neighbours(count, lines)
    order = downwards(above, below)
    rows = [0] * count
    pinned = {*top, *bottom}
    first = 1 if top else 0
    for box in order:
        if box not in pinned:
            rows[box] = max((rows[x] + 1 for x in above[box]), default=first)
            rows[box] = max(rows[box], first)
    for box in reversed(order):
        if below[box] and len(below[box]) > len(above[box]) and box not in pinned:
            free = [rows[x] for x in below[box] if x not in pinned]
            if free and len(free) == len(below[box]):
                rows[box] = min(free) - 1
    last = max((rows[x] for x in range(count) if x not in bottom), default=0) + 1
    for box in bottom:
        rows[box] = last
    return rows


def neighbours(count: int, lines: Sequence[Line]) -> tuple[list[list[int]], list[list[int]]]:
    """Returns the boxes above, and below, that each box has lines to."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target, _ in lines:
        above[target].append(source)
        below[source].append(target)
    return above, below


def downwards(above: list[list[int]], below: list[list[int]]) -> list[int]:
    """Returns the boxes in topological order."""
    missing = [len(x) for x in above]
    ready = [box for box, count in enumerate(missing) if not count]
    for box in ready:
        for lower in below[box]:
            missing[lower] -= 1
            if not missing[lower]:
                ready.append(lower)
    if len(ready) < len(above):
        raise ValueError("the lines form a circle: there is no order in which all of them lead down")
    return ready


class Grid:
    """Boxes and the positions of passing lines, in rows; lines join only neighbouring rows."""

    def __init__(self, sizes: Sequence[Size], lines: Sequence[Line], rows: Sequence[int]):
        self.boxes = len(sizes)
        self.sizes = list(sizes)
        self.rows = list(rows)
        self.chains: list[list[int]] = []  # per line: source, positions that it passes, target
        self.marked: list[int | None] = []  # per line: the position of its label
        for line in lines:
            self._add(line)
        pairs = [Line(*pair) for chain in self.chains for pair in pairwise(chain)]
        self.above, self.below = neighbours(len(self.sizes), pairs)

    def _add(self, line: Line) -> None:
        first, last = self.rows[line.source], self.rows[line.target]
        places = list(range(len(self.sizes), len(self.sizes) + last - first - 1))
        self.rows += range(first + 1, last)
        self.sizes += [Size(LINE_WIDTH, 0.0)] * len(places)
        self.chains.append([line.source, *places, line.target])
        self.marked.append(places[-1] if line.label else None)
        if line.label:
            self.sizes[places[-1]] = line.label


# ---- order within the rows


def ordered(grid: Grid) -> list[list[int]]:
    """Orders each row by barycentres: the best of several sweeps down and up."""
    order = _first_order(grid)
    best, fewest, waited = [list(row) for row in order], crossings(order, grid.below), 0
    for sweep in range(SWEEPS):
        if not fewest or waited == WAIT:
            break
        down = sweep % 2 == 0
        _sweep(order, grid.above if down else grid.below, order if down else order[::-1])
        count = crossings(order, grid.below)
        waited += 1
        if count < fewest:
            best, fewest, waited = [list(row) for row in order], count, 0
    return best


def _first_order(grid: Grid) -> list[list[int]]:
    """Orders each row by a depth-first walk down, which keeps connected parts together."""
    order: list[list[int]] = [[] for _ in range(max(grid.rows) + 1)]
    seen: set[int] = set()
    for start in sorted(range(len(grid.rows)), key=grid.rows.__getitem__):
        waiting = [start]
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                order[grid.rows[place]].append(place)
                waiting += reversed(grid.below[place])
    return order


def _sweep(order, towards: list[list[int]], rows: list[list[int]]) -> None:
    """Sorts each row by the mean position of its neighbours in the row before."""
    position = positions(order)
    for row in rows:
        means = {
            place: sum(position[toward] for toward in towards[place]) / len(towards[place])
            if towards[place]
            else position[place]
            for place in row
        }
        row.sort(key=means.__getitem__)
        for number, place in enumerate(row):
            position[place] = number


def positions(order: list[list[int]]) -> dict[int, int]:
    return {place: number for row in order for number, place in enumerate(row)}


def crossings(order: list[list[int]], below: list[list[int]]) -> int:
    """Counts crossing pairs of lines: the inversions among the lower ends, in the order of the upper ones.

    Barth, Juenger, Mutzel, "Simple and efficient bilayer cross counting" (2002).
    """
    position = positions(order)
    count = 0
    for row in order:
        met: list[int] = []
        for place in row:
            for end in sorted(position[x] for x in below[place]):
                count += len(met) - bisect_right(met, end)
                insort(met, end)
    return count


# ---- coordinates


def beside(grid: Grid, top: set[int]) -> set[tuple[int, int]]:
    """Returns pairs to keep apart: a step is placed below its operands from above, not below those that start there."""
    begin = [chain[0] not in top and not grid.above[chain[0]] for chain in grid.chains]
    main = {chain[-1] for chain, begins in zip(grid.chains, begin, strict=True) if not begins}
    return {
        (chain[-2], chain[-1]) for chain, begins in zip(grid.chains, begin, strict=True) if begins and chain[-1] in main
    }


def _to_the_left(row: list[int], x: list[float], widths: list[float], top: Sequence[int]) -> None:
    """Moves the first item of the first row, the title of a frame, to the corner."""
    if top and row[0] == top[0]:
        x[row[0]] = widths[row[0]] / 2


def _placed(grid: Grid, order: list[list[int]], x: list[float], labelled: bool, top, bottom) -> Layout:
    heights = [max((grid.sizes[place].height for place in row), default=0.0) for row in order]
    tops, y = [], 0.0
    for number, height in enumerate(heights):
        tops.append(y)
        at_frame = (number == 0 and top) or (number == len(heights) - 2 and bottom)
        if order[number]:  # between rows of boxes there is a row for labels, possibly empty
            y += height + _gap(grid, order[number], x, BETWEEN_ROWS * (0.6 if labelled or at_frame else 1.0))
    total = tops[-1] + heights[-1]
    centres = [tops[row] + heights[row] / 2 for row in grid.rows]
    routes = [
        [Pass(x[item], tops[grid.rows[item]], tops[grid.rows[item]] + heights[grid.rows[item]]) for item in chain[1:-1]]
        for chain in grid.chains
    ]
    labels = [None if item is None else (x[item], centres[item]) for item in grid.marked]
    width = max(x[item] + grid.sizes[item].width / 2 for item in range(len(x)))
    bands = [(tops[row], tops[row] + heights[row]) for row in grid.rows[: grid.boxes]]
    return Layout(x[: grid.boxes], centres[: grid.boxes], bands, routes, labels, width, total)


def _gap(grid: Grid, row: list[int], x: list[float], least: float) -> float:
    """Increases the gap between rows for lines that go far sideways."""
    furthest = max((abs(x[item] - x[place]) for place in row for item in grid.below[place]), default=0.0)
    return min(max(least, STEEPEST * furthest), 3 * BETWEEN_ROWS)
