"""Where everything stands: the contents of groups put into one another."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rushlight.explain.picture.content import Content, Route, Setting, closed_box
from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.joints import Joints
from rushlight.explain.picture.sheet import Box, Sheet

VISIBLE = 60  # boxes that a picture shows at once, unless asked for more


class Stage:
    """The contents of all groups, each laid out with those in `open` open inside it."""

    def __init__(self, sheet: Sheet, opened: Collection[int], unrolled: Collection[int] = (), *, only_open=False):
        self.sheet, self.opened, self.unrolled = sheet, opened, unrolled
        self.joints = Joints(sheet)
        self.contents: dict[tuple[Group, bool], Content] = {}  # of a group, all of it or one turn of a repetition
        wanted = set(self._shown()) if only_open else None
        for group in reversed(list(sheet.whole.walk())):
            for rolled in (True, False) if group.kind == "repeat" else (False,):
                if wanted is None or (group in wanted and rolled == self.is_rolled(group)):
                    self.contents[group, rolled] = Setting(self, group, rolled).content()

    def is_rolled(self, group: Group) -> bool:
        return group.kind == "repeat" and group.number not in self.unrolled

    def is_open(self, group: Group) -> bool:
        return group.number in self.opened or group.kind == "all"

    def content_of(self, group: Group) -> Content:
        """The content of a group as it is shown."""
        return self.contents[group, self.is_rolled(group)]

    def _shown(self) -> Iterator[Group]:
        waiting = [self.sheet.whole]
        while waiting:
            group = waiting.pop()
            yield group
            inner = group.groups()[:1] if self.is_rolled(group) else group.groups()
            waiting += [each for each in inner if self.is_open(each)]


# ---- what is shown at first


def first_open(sheet: Sheet, visible: int = VISIBLE) -> set[int]:
    """The groups to open so that about `visible` boxes are seen: outer ones first, equal ones together."""
    opened: set[int] = set()
    count = len(sheet.whole.members)
    waiting = [sheet.whole]
    while waiting:
        inner = [each for group in waiting for each in _inside(group)]
        equal: dict[int, list[Group]] = {}
        for each in inner:
            equal.setdefault(each.label, []).append(each)
        waiting = []
        for groups in sorted(equal.values(), key=lambda groups: len(groups) * _costs(groups[0])):
            more = sum(map(_costs, groups))
            if count + more <= visible:
                count += more
                opened |= {each.number for each in groups}
                waiting += groups
    return opened


def _inside(group: Group) -> list[Group]:
    inner = group.groups()[:1] if group.kind == "repeat" else group.groups()
    return [each for each in inner if each.kind != "chain"]


def _costs(group: Group) -> int:
    """How many boxes more there are when a group is open."""
    return 0 if group.kind == "repeat" else len(group.members) - 1


# ---- all in one coordinate system


class Placed(NamedTuple):
    """A box, or a frame, at its place in the whole picture."""

    what: Box | Group
    x: float
    y: float
    width: float
    height: float
    depth: int


@dataclass(slots=True)
class Scene:
    """A picture as a list of things at their places: frames from outside in, then wires, boxes and labels."""

    width: float
    height: float
    frames: list[Placed] = field(default_factory=list)
    boxes: list[Placed] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)


def scene_of(sheet: Sheet, opened: Collection[int], unrolled: Collection[int] = ()) -> Scene:
    """The picture with some groups open, and some repetitions shown turn by turn."""
    stage = Stage(sheet, opened, unrolled, only_open=True)
    whole = stage.content_of(sheet.whole)
    scene = Scene(whole.width, whole.height)
    waiting = [(whole, 0.0, 0.0, 0)]
    while waiting:
        content, left, up, depth = waiting.pop()
        scene.routes += [_moved(each, left, up) for each in content.routes]
        for item in content.items:
            x, y = item.x + left, item.y + up
            size = (item.width, item.height, depth)
            if not isinstance(item.what, Group):
                scene.boxes.append(Placed(sheet.boxes[item.what], x, y, *size))
            elif stage.is_open(item.what):
                scene.frames.append(Placed(item.what, x, y, *size))
                waiting.append((stage.content_of(item.what), x, y, depth + 1))
            else:
                scene.boxes.append(Placed(closed_box(sheet, item.what), x, y, *size))
    scene.frames.sort(key=lambda each: each.depth)
    return scene


def _moved(route: Route, left: float, up: float) -> Route:
    points = [(x + left, y + up) for x, y in route.points]
    at = None if route.label_at is None else (route.label_at[0] + left, route.label_at[1] + up)
    return route._replace(points=points, label_at=at)
