"""The content of a picture: boxes with text, wires between them, and the group of each box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from rushlight.core.graph import Leaf, Node, short_name
from rushlight.explain.graph import Cut, Graph, Link, Step, memory_of, named_tensors
from rushlight.explain.picture.fold import Folder, Group, Order
from rushlight.explain.picture.formatting import preview, snake_case, typed
from rushlight.explain.result import in_bytes
from rushlight.explain.source_rewriting import spoken

CUTS = {
    "detach": "detach()",
    "no_grad": "no_grad",
    "left out": "older steps",
}
DRAWN = frozenset(("dropout", "bernoulli"))  # random operations whose result does not depend on the tensor's values


@dataclass(eq=False, slots=True)
class Box:
    """A step, leaf or constant as drawn: a title, lines below it, and facts for the details."""

    kind: str  # "step", "parameter", "leaf", "constant", "cut", "result"
    title: str
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


class Wire(NamedTuple):
    """The path of a value from box to box, and of its gradient back, if any."""

    source: int
    target: int
    kind: str = "gradient"  # of the gradient; "constant" or "cut" without one
    label: str = ""


@dataclass(eq=False, slots=True)
class Sheet:
    """Boxes, wires and groups: the input of the layout and the text formats."""

    boxes: list[Box] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    whole: Group = field(default_factory=lambda: Group("all", ""))
    homes: dict[int, Group] = field(default_factory=dict)  # the innermost group of each box


def sheet_of(graph: Graph, calls: Callable[[Step], tuple], titles: Callable, names=None, passed=None) -> Sheet:
    """Returns the sheet for a graph, read oldest step first.

    `calls` returns the module calls around a step, `titles` the title of a call; `names` maps the caller's names to
    tensors. `passed` has the gradients at steps and along links, if a backward was run.
    """
    return Writer(graph, calls, titles, names or {}, passed).sheet


class Writer:
    """Turns a graph into a sheet."""

    def __init__(self, graph: Graph, calls: Callable[[Step], tuple], titles: Callable, names: Mapping, passed):
        self.graph, self.passed, self.sheet = graph, passed, Sheet()
        named = list(named_tensors(names))
        self.names = {memory_of(tensor._array): name for name, tensor in named}
        self.results = {edge: name for name, tensor in named if isinstance(edge := tensor._edge, Node)}
        self.leaves = {memory_of(leaf_of(leaf).array): leaf.variable or "leaf" for leaf in graph.leaves}
        self.number: dict[int, int] = {}  # index of a step -> number of its box
        self.constants: dict[tuple, int] = {}  # a saved array and its text -> number of its box
        for step in reversed(graph.steps):
            self.number[step.index] = len(self.sheet.boxes)
            self.sheet.boxes.append(self._leaf(step) if step.is_leaf else self._step(step))
        operations = [step for step in reversed(graph.steps) if not step.is_leaf]
        for step in operations:
            for position, link in enumerate(step.links):
                self._wire(step, position, link)
        self._fold(operations, calls, titles)

    # ---- boxes

    def _leaf(self, step: Step) -> Box:
        leaf = leaf_of(step)
        array, gradient = leaf.array, leaf.grad
        parameter = getattr(leaf.kind, "_is_param", False)
        title = step.variable or ("parameter" if parameter else "leaf")
        kept = "nothing has been accumulated in .grad" if gradient is None else preview(gradient._array)
        facts = [("value", preview(array)), ("memory", in_bytes(array.nbytes)), (".grad", kept)]
        return Box(
            "parameter" if parameter else "leaf",
            title,
            self._lines(step, preview(array) if array.size == 1 else ""),
            (*self._gradient_facts(step), *facts),
        )

    def _step(self, step: Step) -> Box:
        root = step.index in self.graph.roots
        out = next((value.array for value in step.saved if value.name == "out" and value.array is not None), None)
        facts: list[tuple[str, str]] = [("node", step.name)]
        if step.place is not None:
            facts.append(("line", str(step.place)))
        facts += self._gradient_facts(step)
        facts += [(f"keeps {value.name}", _kept(value)) for value in step.saved]
        if step.saved:
            facts.append(("memory kept", in_bytes(step.bytes)))
        if step.freed:
            facts.append(("freed", f"by backward{f' at {step.freed_at}' if step.freed_at else ''}"))
        if step.hooks:
            facts.append(("hooks", str(step.hooks)))
        value = preview(out) if out is not None and out.size == 1 else ""
        return Box("result" if root else "step", title_of(step), self._lines(step, value), tuple(facts))

    def _lines(self, step: Step, value: str) -> tuple[str, ...]:
        lines = [typed(step.shape, step.dtype)]
        if step.node in self.results and not step.is_leaf:
            lines.append(f"as {self.results[step.node]}")
        if value:
            lines.append(f"= {value}")
        if self.passed is not None and (gradient := self.passed.at(step.node)) is not None:
            lines.append(f"grad {gradient.short}")
        return tuple(line for line in lines if line)

    def _gradient_facts(self, step: Step) -> list[tuple[str, str]]:
        gradient = None if self.passed is None else self.passed.at(step.node)
        return [] if gradient is None else [("gradient here", gradient.long)]

    # ---- wires

    def _wire(self, step: Step, position: int, link: Link) -> None:
        target = self.number[step.index]
        if link.step is not None:
            gradient = None if self.passed is None else self.passed.along(step.node, position)
            label = "" if gradient is None else gradient.short
            self.sheet.wires.append(Wire(self.number[link.step], target, "gradient", label))
        elif link.cut is not None:
            kept = next((value for value in step.saved if value.name == link.operand and value.array is not None), None)
            if (box := self._cut(kept, link.operand, link.cut)) is not None:
                self.sheet.wires.append(Wire(self._constant(kept, box), target, box.kind))

    def _constant(self, kept, box: Box) -> int:
        """Returns the box of an operand without gradient: one for each saved array."""
        new = len(self.sheet.boxes)
        array = None if kept is None else kept.array
        if isinstance(array, np.ndarray) and array.size > 1:
            key = (kept.memory, array.__array_interface__["data"][0], array.shape, array.strides, box.kind)
            new = self.constants.setdefault(key, new)
        if new == len(self.sheet.boxes):
            self.sheet.boxes.append(box)
        return new

    def _cut(self, kept, operand: str, cut: Cut) -> Box | None:
        """Returns the box of a cut operand: by its name, or by its box number if it was saved."""
        if kept is None or cut.reason not in ("unknown", "constant"):
            return _cut_box(operand, cut)
        if kept.memory in self.leaves:
            return _cut_box(operand, cut._replace(reason="detach"), f"{self.leaves[kept.memory]}.detach()")
        name = self.names.get(kept.memory)
        if name is None and kept.array.size == 1:
            return _cut_box(operand, cut, preview(kept.array))
        return _cut_box(operand, cut, name)

    # ---- groups

    def _fold(self, operations: list[Step], calls, titles) -> None:
        numbers = [self.number[operation.index] for operation in operations]
        place = {number: position for position, number in enumerate(numbers)}
        of_step = [calls(operation) for operation in operations]
        names = [self.sheet.boxes[number].title for number in numbers]
        order = Order(names, self._kinds(numbers, place), of_step, *self._followings(place))
        self.sheet.whole = Folder(order, titles).fold(range(len(numbers)))
        for group in self.sheet.whole.walk():
            group.members = [member if isinstance(member, Group) else numbers[member] for member in group.members]
            self.sheet.homes.update((member, group) for member in group.members if not isinstance(member, Group))
        Placing(self.sheet, set(numbers)).place_all()

    def _kinds(self, numbers: list[int], place: dict[int, int]) -> list[int]:
        """Numbers steps equally if they do the same with inputs from equal distances."""
        sources: dict[int, list] = {number: [] for number in numbers}
        for source, target, kind, _ in self.sheet.wires:
            box = self.sheet.boxes[source]
            back = place[target] - place[source] if source in place else (box.kind, box.lines[:1])
            sources[target].append((back, kind))
        known: dict[tuple, int] = {}
        looks = (
            (self.sheet.boxes[number].title, self.sheet.boxes[number].lines[:1], *sources[number]) for number in numbers
        )
        return [known.setdefault(look, len(known)) for look in looks]

    def _followings(self, place: dict[int, int]) -> tuple[dict[int, int], list[int]]:
        """Returns `after` and `carried` of `Order`."""
        sources: dict[int, list[int]] = {}
        users: dict[int, list[int]] = {}
        for source, target, _, _ in self.sheet.wires:
            sources.setdefault(target, []).append(source)
            users.setdefault(source, []).append(target)
        alone = {
            place[target]: place[made_by[0]]
            for target, made_by in sources.items()
            if len(made_by) == 1 and made_by[0] in place and len(users[made_by[0]]) == 1
            if self.sheet.boxes[target].kind == "step"
        }
        change = [0] * (len(place) + 1)
        for source, made_by in users.items():
            if source in place:
                change[place[source] + 1] += 1
                change[min(place[x] for x in made_by) + 1] -= 1
        return alone, list(accumulate(change))


class Placing:
    """Puts each leaf and constant into the innermost group that contains all its users."""

    def __init__(self, sheet: Sheet, steps: set[int]):
        self.sheet, self.steps = sheet, steps
        self.parents = {inner: group for group in sheet.whole.walk() for inner in group.groups()}
        self.users: dict[int, list[int]] = {}
        for number, wire in enumerate(sheet.wires):
            self.users.setdefault(wire.source, []).append(number)

    def place_all(self) -> None:
        for number in range(len(self.sheet.boxes)):
            if number not in self.steps:
                self._place(number, self.users.get(number, []))

    def _place(self, number: int, wires: list[int]) -> None:
        paths = [self._path(self.sheet.wires[wire].target) for wire in wires]
        depth = _common_depth(paths)
        group = self.sheet.whole if depth is None else paths[0][depth]
        group.members.append(number)
        self.sheet.homes[number] = group

    def _path(self, number: int) -> list:
        """Returns the groups around a step, outermost first, then the step, or its chain."""
        home = self.sheet.homes[number]
        path: list = [home, self.parents[home]] if home.kind == "chain" else [number, home]
        while path[-1] in self.parents:
            path.append(self.parents[path[-1]])
        return path[::-1]


def _common_depth(paths: list[list]) -> int | None:
    """Returns the depth of the innermost group shared by all paths; None without paths."""
    if not paths:
        return None
    depth = 0
    while all(len(path) > depth + 2 and path[depth + 1] is paths[0][depth + 1] for path in paths):
        depth += 1
    return depth


def leaf_of(step: Step) -> Leaf:
    assert isinstance(step.node, Leaf)
    return step.node


def title_of(step: Step) -> str:
    """Returns the title of a step: PyTorch's function name, `addmm`; the class of a custom function."""
    declared = getattr(type(step.node), "op", None) is not None
    return snake_case(short_name(step.node)) if declared else step.op


def _kept(value) -> str:
    if value.shape is None:
        return "packed by a hook"
    return f"{typed(value.shape, value.dtype)}, {in_bytes(value.bytes)}: {preview(value.array)}"


def _cut_box(operand: str, cut: Cut, title: str | None = None) -> Box | None:
    """Returns the box of an operand without gradient; None for scalars and unknown operands."""
    if cut.reason == "number" or (cut.reason == "unknown" and cut.shape is None):
        return None
    shown = typed(cut.shape, cut.dtype)
    where = (("line", str(cut.made.place)),) if cut.made is not None and cut.made.place is not None else ()
    if cut.reason == "not differentiable" and cut.made is not None and cut.made.op not in DRAWN:
        facts = (("gradient", "ends here: the operation has no derivative"), *where)
        return Box("cut", spoken(cut.made.op), ("not differentiable", shown), facts)
    if cut.reason in CUTS:
        facts = (("gradient", f"ends here: {cut.reason}"), *where)
        return Box("cut", title or CUTS[cut.reason], (shown,) if shown else (), facts)
    facts = (("gradient", "none: it did not require grad, or was cut from what does"), *where)
    return Box("constant", title or operand, (shown,) if shown else (), facts)
