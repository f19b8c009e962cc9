"""The layout of one group: its members with coordinates, and the wires between them.

A group's content does not depend on its surroundings. Wires cross the frame at pins, one for each value that enters or
leaves, and continue in the surrounding content. So a page can fold and unfold groups without computing a layout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rushlight.explain.picture.fold import Group
from rushlight.explain.picture.joints import Joint, Joints
from rushlight.explain.picture.layout import Layout, Line, Size, layered
from rushlight.explain.picture.sheet import Box, Sheet
from rushlight.explain.picture.text_size import box_size, frame_size, label_size, shortened, summary

BORDER = 10.0  # between a frame and its content
PORTS = 16.0  # between wires that end at one box
SUMMANDS = 3  # labels for gradients that return along one wire, when several operands are the same value
MOST_TURNS = 100  # of a repetition that can be shown in full: its longest wires take the square of this
ALL_LABELS = 150  # maximum number of boxes for which gradients are written at all wires

Point = tuple[float, float]


@dataclass(eq=False, slots=True)
class Item:
    """A box or group with its coordinates in the surrounding content: upper left corner and size.

    `anchor` is the distance from the left edge to the point that is aligned: a pin of an open frame, else the middle.
    """

    what: int | Group  # the number of a box, or a group
    x: float
    y: float
    width: float
    height: float
    anchor: float


class Route(NamedTuple):
    """A wire inside one content; an end of None is a pin in the frame."""

    start: int | None
    end: int | None
    values: tuple[int, ...]  # the boxes whose values it carries
    points: list[Point]
    kind: str  # "gradient", "constant" or "cut", as for wires
    label: str
    label_at: Point | None
    arrow: bool  # whether it ends at a box, not inside a frame


@dataclass(eq=False, slots=True)
class Content:
    """The layout of a group, with the pins where values cross the frame: box of the value -> x."""

    items: list[Item] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    pins_in: dict[int, float] = field(default_factory=dict)
    pins_out: dict[int, float] = field(default_factory=dict)
    title: Size | None = None  # size of the frame's title in the upper left corner
    width: float = 0.0
    height: float = 0.0


def closed_box(sheet: Sheet, group: Group) -> Box:
    """Returns a group as one box: the amount of its content; the whole content of a chain."""
    boxes = [sheet.boxes[box] for box in group.boxes()]
    if group.kind != "chain":
        steps = [box for box in boxes if box.kind in ("step", "result")]
        shape = steps[-1].lines[0] if steps and steps[-1].lines else ""
        return Box("group", group.title, (f"{shape}, {summary(group)}" if shape else summary(group),))
    lines = tuple(" ".join((box.title, *box.lines)) for box in boxes)
    facts = tuple((box.title, "; ".join(f"{name}: {value}" for name, value in box.facts)) for box in boxes)
    return Box("chain", "", lines, facts)


class Stage:
    """The contents of all groups; groups in `open` are laid out unfolded."""

    def __init__(self, sheet: Sheet, opened: Collection[int], unrolled: Collection[int] = (), *, only_open=False):
        self.sheet, self.opened, self.unrolled = sheet, opened, unrolled
        self.joints = Joints(sheet)
        self.contents: dict[tuple[Group, bool], Content] = {}  # all of a group, or one turn of a repetition
        wanted = set(self._shown()) if only_open else None
        for group in reversed(list(sheet.whole.walk())):
            for rolled in self._variants(group):
                if wanted is None or (group in wanted and rolled == self.is_rolled(group)):
                    self.contents[group, rolled] = Setting(self, group, rolled).content()

    def _variants(self, group: Group) -> tuple[bool, ...]:
        """Returns whether one turn of a group is laid out, and whether all are; not for long repetitions by default."""
        if group.kind != "repeat":
            return (False,)
        return (True,) if group.turns > MOST_TURNS and group.number not in self.unrolled else (True, False)

    def is_rolled(self, group: Group) -> bool:
        return group.kind == "repeat" and group.number not in self.unrolled

    def is_open(self, group: Group) -> bool:
        return group.number in self.opened or group.kind == "all"

    def content_of(self, group: Group) -> Content:
        """Returns the content of a group as shown."""
        return self.contents[group, self.is_rolled(group)]

    def _shown(self) -> Iterator[Group]:
        waiting = [self.sheet.whole]
        while waiting:
            group = waiting.pop()
            yield group
            inner = group.groups()[:1] if self.is_rolled(group) else group.groups()
            waiting += [x for x in inner if self.is_open(x)]


class Setting:
    """The layout of one group's members."""

    def __init__(self, stage: Stage, group: Group, rolled: bool):
        self.stage, self.group, self.rolled = stage, group, rolled
        self.around = stage.joints.ancestors(group)
        joints = stage.joints.rolled(group) if rolled else stage.joints.of_group[group]
        members = group.groups()[:1] if rolled else group.members
        joined = {end for joint in joints for end in joint[:2]}
        self.members = [
            member for member in members if isinstance(member, Group) or member in joined or self._alone(member)
        ]
        self.place = {member: number for number, member in enumerate(self.members)}
        self.merged = self._merge(joints)

    def _alone(self, number: int) -> bool:
        return self.stage.sheet.boxes[number].kind not in ("parameter", "leaf") or len(self.stage.sheet.boxes) == 1

    def _merge(self, joints: dict[Joint, list[int]]) -> dict[tuple, tuple[list[int], list[int]]]:
        """Merges wires between the same two members, unless a frame is open: there each value has its pin."""
        merged: dict[tuple, tuple[list[int], list[int]]] = {}
        for joint, wires in joints.items():
            apart = any(x is None or (isinstance(x, Group) and self.stage.is_open(x)) for x in joint[:2])
            shown = self.shown(joint.value)
            values, numbers = merged.setdefault((joint.start, joint.end, shown if apart else None), ([], []))
            values.append(shown if self.rolled else joint.value)
            numbers += wires
        return merged

    def shown(self, value: int) -> int:
        """Returns the value that is drawn instead of one from a hidden turn."""
        for repeat, first in self.stage.joints.twins.get(value, ()):
            if repeat is self.group:
                hidden = self.rolled
            else:
                hidden = self.stage.is_rolled(repeat) and repeat not in self.around
            if hidden:
                return self.shown(first)
        return value

    # ---- sizes

    def _size(self, member: int | Group) -> Size:
        if not isinstance(member, Group):
            return box_size(self.stage.sheet.boxes[member])
        if not self.stage.is_open(member):
            return box_size(closed_box(self.stage.sheet, member))
        content = self.stage.content_of(member)
        return Size(content.width, content.height)

    def content(self) -> Content:
        """Returns the members with coordinates, and the wires between them."""
        sizes = [self._size(member) for member in self.members]
        framed = self.group.kind != "all"
        top = []
        if framed:
            top.append(len(sizes))
            sizes.append(frame_size(self.group))
        pins_in = self._pins(0, len(sizes))
        pins_out = self._pins(1, len(sizes) + len(pins_in))
        sizes += [Size(6.0, 0.0)] * (len(pins_in) + len(pins_out))
        top += pins_in.values()
        lines = [self._line(key, wires, pins_in, pins_out) for key, (_, wires) in self.merged.items()]
        anchors = self._anchors()
        layout = layered(sizes, lines, top, list(pins_out.values()), anchors)
        drawn = Drawn(self, sizes, lines, layout, pins_in, pins_out, BORDER if framed else 0.0, anchors)
        drawn.content.title = frame_size(self.group) if framed else None
        return drawn.content

    def _anchors(self) -> dict[int, float]:
        """Aligns open frames by the pins of their inputs, not by their middle."""
        anchors = {}
        for number, member in enumerate(self.members):
            if isinstance(member, Group) and self.stage.is_open(member):
                content = self.stage.content_of(member)
                pins = content.pins_in or content.pins_out
                if pins:
                    anchors[number] = sorted(pins.values())[len(pins) // 2]
        return anchors

    def _pins(self, side: int, first: int) -> dict[int, int]:
        """Maps each value that crosses the frame to the number of its pin in the layout."""
        values = dict.fromkeys(key[2] for key in self.merged if key[side] is None)
        return {value: first + number for number, value in enumerate(values)}

    def _line(self, key: tuple, wires: list[int], pins_in: dict[int, int], pins_out: dict[int, int]) -> Line:
        start, end, shown = key
        source = pins_in[shown] if start is None else self.place[start]
        target = pins_out[shown] if end is None else self.place[end]
        label = self.label(end, wires)
        return Line(source, target, label_size(label) if label else None)

    def label(self, end: int | Group | None, wires: list[int]) -> str:
        """Returns the size of the gradient's label on a wire, next to the box that sent it."""
        if isinstance(end, Group) or end is None or len(self.stage.sheet.boxes) > ALL_LABELS:
            return ""
        labels = [label for wire in wires if (label := self.stage.sheet.wires[wire].label)]
        return shortened(" + ".join(labels if len(labels) <= SUMMANDS else [*labels[: SUMMANDS - 1], ".."]))


class Drawn:
    """Turns a group's layout into its content: corners instead of centres, wires with their ends."""

    def __init__(
        self,
        setting: Setting,
        sizes: list[Size],
        lines: list[Line],
        layout: Layout,
        pins_in: dict[int, int],
        pins_out: dict[int, int],
        border: float,
        anchors: dict[int, float],
    ):
        self.setting, self.sizes, self.lines, self.layout, self.border = setting, sizes, lines, layout, border
        self.content = content = Content()
        content.width, content.height = layout.width + 2 * border, layout.height + 2 * border
        for number, member in enumerate(setting.members):
            width, height = sizes[number]
            corner = (layout.x[number] - width / 2 + border, layout.y[number] - height / 2 + border)
            content.items.append(Item(member, *corner, width, height, anchors.get(number, width / 2)))
        content.pins_in, content.pins_out = self._pins(0, pins_in), self._pins(1, pins_out)
        self.starts, self.ends = self._ports(0), self._ports(1)
        for number, (key, (values, wires)) in enumerate(setting.merged.items()):
            content.routes.append(self._route(number, key, values, wires))

    def _pins(self, side: int, pins: dict[int, int]) -> dict[int, float]:
        """Returns the pins of the values that cross the frame, including merged ones."""
        x_of = {value: self.layout.x[number] + self.border for value, number in pins.items()}
        setting = self.setting
        for joint in setting.stage.joints.of_group[setting.group]:
            if joint[side] is None and (shown := setting.shown(joint.value)) in x_of:
                x_of[joint.value] = x_of[shown]
        return x_of

    def _ports(self, side: int) -> dict[int, float]:
        """Returns each line's distance from the middle of its box, so that lines end side by side."""
        at_box: dict[int, list[int]] = {}
        for number, line in enumerate(self.lines):
            if line.ends[side] < len(self.setting.members):
                at_box.setdefault(line.ends[side], []).append(number)
        offsets: dict[int, float] = {}
        for box, numbers in at_box.items():
            if side == 0 and not isinstance(self.setting.members[box], Group):
                continue  # a step has one result: its wires start at one point
            numbers.sort(key=lambda number: self._next_x(number, side))
            step = min(PORTS, 0.8 * self.sizes[box].width / len(numbers))
            offsets |= {number: step * (at - (len(numbers) - 1) / 2) for at, number in enumerate(numbers)}
        return offsets

    def _next_x(self, number: int, side: int) -> float:
        """Returns the x coordinate of a line's next bend, seen from one end."""
        route = self.layout.routes[number]
        if route:
            return route[-side].x
        return self.layout.x[self.lines[number].ends[1 - side]]

    def _route(self, number: int, key: tuple, values: list[int], wires: list[int]) -> Route:
        start, end, _ = key
        line, setting = self.lines[number], self.setting
        points = [*self._start(number, start, values[0])]
        for bend in self.layout.routes[number]:
            points += [
                (bend.x + self.border, bend.top + self.border),
                (bend.x + self.border, bend.bottom + self.border),
            ]
        points += self._end(number, end, values[0])
        label_at = self.layout.labels[number]
        kinds = [setting.stage.sheet.wires[wire].kind for wire in wires]
        return Route(
            None if start is None else line.source,
            None if end is None else line.target,
            tuple(dict.fromkeys(values)),
            points,
            "gradient" if "gradient" in kinds else kinds[0],
            setting.label(end, wires),
            None if label_at is None else (label_at[0] + self.border, label_at[1] + self.border),
            not (end is None or (isinstance(end, Group) and setting.stage.is_open(end))),
        )

    def _start(self, number: int, start: int | Group | None, value: int) -> list[Point]:
        line = self.lines[number]
        bottom = self.layout.bands[line.source][1] + self.border
        if start is None:
            x = self.content.pins_in[value]
            return [(x, 0.0), (x, bottom)]
        item = self.content.items[line.source]
        x = self._pin(item, value, number, self.starts, incoming=False)
        return [(x, item.y + item.height), (x, bottom)]

    def _end(self, number: int, end: int | Group | None, value: int) -> list[Point]:
        line = self.lines[number]
        top = self.layout.bands[line.target][0] + self.border
        if end is None:
            x = self.content.pins_out[value]
            return [(x, top), (x, self.content.height)]
        item = self.content.items[line.target]
        x = self._pin(item, value, number, self.ends, incoming=True)
        return [(x, top), (x, item.y)]

    def _pin(self, item: Item, value: int, number: int, offsets: dict[int, float], *, incoming: bool) -> float:
        if isinstance(item.what, Group) and self.setting.stage.is_open(item.what):
            inner = self.setting.stage.content_of(item.what)
            pins = inner.pins_in if incoming else inner.pins_out
            return item.x + pins[value]
        return item.x + item.width / 2 + offsets.get(number, 0.0)
