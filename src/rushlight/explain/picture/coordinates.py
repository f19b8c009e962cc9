"""Horizontal coordinates of ordered rows: four greedy alignments, each compacted, and the mean of the middle two.

After Brandes and Koepf, "Fast and simple horizontal coordinate assignment" (2001).

An alignment joins positions of neighbouring rows into blocks on one vertical line; lines that pass several rows have
priority, so they are straight. Blocks are compacted by longest paths over all pairs of neighbours, which avoids the
classes of the paper and their published erratum.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise

Rows = list[list[int]]
Reach = tuple[list[float], list[float]]  # each position's extent left and right of its anchor


def horizontal(
    order: Rows,
    above: list[list[int]],
    below: list[list[int]],
    reach: Reach,
    boxes: int,
    gap: float,
    apart: Set[tuple[int, int]] = frozenset(),
) -> list[float]:
    """Returns the anchor of each position; those from `boxes` on are passing lines, which may be closer together.

    The pairs in `apart` are not aligned vertically.
    """
    forbidden = conflicts(order, above, boxes) | apart
    candidates = []
    for upwards in (False, True):
        for rightwards in (False, True):
            rows = [row[::-1] if rightwards else row for row in (order[::-1] if upwards else order)]
            roots = aligned(rows, below if upwards else above, forbidden)
            x = compacted(rows, roots, reach[::-1] if rightwards else reach, boxes, gap)
            candidates.append([-x for x in x] if rightwards else x)
    return balanced(candidates, reach)


def conflicts(order: Rows, above: list[list[int]], boxes: int) -> set[tuple[int, int]]:
    """Returns the lines, as pairs of positions, that cross the inner part of a longer line, which stays straight."""
    result = set()
    for upper, lower in pairwise(order):
        position = {place: number for number, place in enumerate(upper)}
        start, left = 0, -1
        for number, place in enumerate(lower):
            inner = above[place][0] if place >= boxes and above[place][0] >= boxes else None
            if inner is None and number < len(lower) - 1:
                continue
            right = len(upper) if inner is None else position[inner]
            for node in lower[start : number + 1]:
                for end in above[node]:
                    if not left <= position[end] <= right and not (node >= boxes and end >= boxes):
                        result.add((end, node))
            start, left = number + 1, right
    return result


def aligned(rows: Rows, towards: list[list[int]], forbidden: set[tuple[int, int]]) -> list[int]:
    """Returns the first position of each block: joins positions with their median neighbours in the row before."""
    count = sum(map(len, rows))
    roots, following = list(range(count)), list(range(count))
    position: dict[int, int] = {}
    for row in rows:
        furthest = -1
        for place in row:
            free = [toward for toward in towards[place] if not {(toward, place), (place, toward)} & forbidden]
            near = sorted(free, key=position.__getitem__)
            middle = (len(near) - 1) // 2
            for neighbour in near[middle : len(near) // 2 + 1]:
                if following[place] == place and furthest < position[neighbour]:
                    following[neighbour] = place
                    following[place] = roots[place] = roots[neighbour]
                    furthest = position[neighbour]
        position.update((place, number) for number, place in enumerate(row))
    return roots


def compacted(rows: Rows, roots: list[int], reach: Reach, boxes: int, gap: float) -> list[float]:
    """Moves blocks left as far as possible, then right up to the next block, to prevent drift."""
    apart = _distances(rows, roots, reach, boxes, gap)
    order = _left_to_right(apart, set(roots))
    x = dict.fromkeys(order, 0.0)
    for block in order:
        for right, distance in apart.get(block, {}).items():
            x[right] = max(x[right], x[block] + distance)
    for block in reversed(order):
        room = [x[right] - distance for right, distance in apart.get(block, {}).items()]
        if room:
            x[block] = max(x[block], min(room))
    return [x[root] for root in roots]


def _distances(rows: Rows, roots: list[int], reach: Reach, boxes: int, gap: float) -> dict[int, dict[int, float]]:
    """Returns each block's right neighbours, with the minimum distance of their anchors."""
    lefts, rights = reach
    apart: dict[int, dict[int, float]] = {}
    for row in rows:
        for left, right in pairwise(row):
            between = gap if left < boxes or right < boxes else gap * 0.6
            distance = rights[left] + lefts[right] + between
            beside = apart.setdefault(roots[left], {})
            beside[roots[right]] = max(beside.get(roots[right], 0.0), distance)
    return apart


def _left_to_right(apart: dict[int, dict[int, float]], blocks: set[int]) -> list[int]:
    missing = dict.fromkeys(blocks, 0)
    for beside in apart.values():
        for right in beside:
            missing[right] += 1
    ready = sorted(block for block, count in missing.items() if not count)
    for block in ready:
        for right in apart.get(block, ()):
            missing[right] -= 1
            if not missing[right]:
                ready.append(right)
    return ready


def balanced(candidates: list[list[float]], reach: Reach) -> list[float]:
    """Returns the mean of the two middle candidates, aligned with the narrowest at their left or right ends.

    Each candidate keeps the distances, so their order statistics do too.
    """
    lefts = [min(x - part for x, part in zip(candidate, reach[0], strict=True)) for candidate in candidates]
    rights = [max(x + part for x, part in zip(candidate, reach[1], strict=True)) for candidate in candidates]
    narrowest = min(range(len(candidates)), key=lambda number: rights[number] - lefts[number])
    shifted = []
    for number, candidate_ in enumerate(candidates):
        ends = rights if number % 2 else lefts
        shift = ends[narrowest] - ends[number]
        shifted.append([x + shift for x in candidate_])
    middle = [sum(sorted(four)[1:3]) / 2 for four in zip(*shifted, strict=True)]
    left = min(x - part for x, part in zip(middle, reach[0], strict=True))
    return [x - left for x in middle]
