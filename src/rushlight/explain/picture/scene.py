"""Final coordinates: the contents of groups placed inside one another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from rushlight.explain.picture.content import Route, Stage, closed_box
from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.legend import LEGEND_GAP, LEGEND_ROW, NARROWEST, Entry, legend
from rushlight.explain.picture.sheet import Box, Sheet

# ---- groups that are unfolded at first


def first_open(sheet: Sheet, visible: int) -> set[int]:
    """Returns the groups to unfold so that about `visible` boxes are visible: outer ones first, equal ones together.

    Chains stay folded: their boxes show their whole content.
    """
    opened: set[int] = set()
    if len(sheet.boxes) <= visible:
        return {x.number for x in sheet.whole.walk() if x.kind != "chain"}
    count = len(sheet.whole.members)
    waiting = [sheet.whole]
    while waiting:
        inner = [x for group in waiting for x in _inside(group)]
        equal: dict[int, list[Group]] = {}
        for inner_group in inner:
            equal.setdefault(inner_group.label, []).append(inner_group)
        waiting = []
        for groups in sorted(equal.values(), key=lambda groups: len(groups) * _costs(groups[0])):
            more = sum(map(_costs, groups))
            if count + more <= visible:
                count += more
                opened |= {group.number for group in groups}
                waiting += groups
    return opened


def _inside(group: Group) -> list[Group]:
    inner = group.groups()[:1] if group.kind == "repeat" else group.groups()
    return [x for x in inner if x.kind not in ("chain", "stretch") and not _is_small(x)]


def _is_small(group: Group) -> bool:
    """Whether a box is sufficient: a layer of one or two steps."""
    inner = group.groups()
    return len(inner) + len(group.members) <= 4 and all(x.kind == "chain" for x in inner)


def _costs(group: Group) -> int:
    """Returns the number of additional boxes when a group is unfolded."""
    return 0 if group.kind == "repeat" else len(group.members) - 1


# ---- one coordinate system


class Placed(NamedTuple):
    """A box with coordinates in the whole picture."""

    what: Box
    x: float
    y: float
    width: float
    height: float


class Framed(NamedTuple):
    """The frame of an open group with coordinates and nesting depth."""

    what: Group
    x: float
    y: float
    width: float
    height: float
    depth: int


@dataclass(slots=True)
class Scene:
    """A picture as a list of items with coordinates: frames from outside in, then wires, boxes and labels."""

    width: float
    height: float
    frames: list[Framed] = field(default_factory=list)
    boxes: list[Placed] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    legend: list[Entry] = field(default_factory=list)


def scene_of(sheet: Sheet, opened: Collection[int], unrolled: Collection[int] = ()) -> Scene:
    """Returns the picture with some groups unfolded, and some repetitions shown turn by turn."""
    stage = Stage(sheet, opened, unrolled, only_open=True)
    whole = stage.content_of(sheet.whole)
    scene = Scene(whole.width, whole.height)
    waiting = [(whole, 0.0, 0.0, 0)]
    while waiting:
        content, left, up, depth = waiting.pop()
        scene.routes += [_moved(route, left, up) for route in content.routes]
        for item in content.items:
            x, y = item.x + left, item.y + up
            size = (item.width, item.height)
            if not isinstance(item.what, Group):
                scene.boxes.append(Placed(sheet.boxes[item.what], x, y, *size))
            elif stage.is_open(item.what):
                scene.frames.append(Framed(item.what, x, y, *size, depth))
                waiting.append((stage.content_of(item.what), x, y, depth + 1))
            else:
                scene.boxes.append(Placed(closed_box(sheet, item.what), x, y, *size))
    scene.frames.sort(key=lambda frame: frame.depth)
    _add_legend(scene)
    return scene


def _add_legend(scene: Scene) -> None:
    """Adds the legend below the picture."""
    wide = max(scene.width, NARROWEST)
    kinds = {box.what.kind for box in scene.boxes} | {frame.what.kind for frame in scene.frames}
    for entry in legend(kinds, {route.kind for route in scene.routes}, wide):
        scene.legend.append(entry._replace(y=entry.y + scene.height + LEGEND_GAP))
    if scene.legend:
        scene.height = scene.legend[-1].y + LEGEND_ROW
        scene.width = max(scene.width, *(x.right for x in scene.legend))


def _moved(route: Route, left: float, up: float) -> Route:
    points = [(x + left, y + up) for x, y in route.points]
    at = None if route.label_at is None else (route.label_at[0] + left, route.label_at[1] + up)
    return route._replace(points=points, label_at=at)
