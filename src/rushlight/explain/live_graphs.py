"""Live graphs by the line that made them: how much memory they keep, and what holds them."""

from __future__ import annotations

import gc
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from rushlight.autograd.reach import newest_first
from rushlight.core.graph import Leaf, Node, node_of
from rushlight.core.origin import Place, is_ours
from rushlight.core.tensor import Tensor
from rushlight.explain.attributes import attributes_of, module_with
from rushlight.explain.graph import freed_by, is_freed, memory_of, saved_values
from rushlight.explain.records import made_of
from rushlight.explain.result import Explanation, counted, in_bytes, listed
from rushlight.explain.tensors import SWITCH_ON
from rushlight.memory.layout import live_instances, live_tensors

MOST_LINES = 10  # lines in the text; `facts` has all
MOST_HOLDERS = 20  # holders for which names are searched
MAX_DEPTH = 3  # depth of nested containers in a name
CONTAINERS = (list, tuple, dict, set, deque)
OURS = (FrameType, ModuleType, Tensor, Node)  # attributes of these mean nothing to the program


class Living(NamedTuple):
    """The graphs whose last step was made by one line."""

    place: Place | None
    number: int  # of graphs
    steps: int
    bytes: int  # of values that only the graphs keep, each memory counted once
    freed: bool  # whether a backward has freed some of their values
    passes: int  # calls of backward that went through the newest graph
    held: list[str]


def census(frame: FrameType) -> Explanation:
    """Returns the explanation of all live graphs, largest first."""
    names = names_around(frame)  # first, because a frame caches the variables that it showed last
    gc.collect()  # drops graphs that only wait for the garbage collector
    ends = newest_steps()
    tensors = tensors_at(ends)
    holders = Holders({*tensors, *chain.from_iterable(tensors.values())}, ends)
    of_line: dict[Any, list[Node]] = {}
    for end in ends:
        of_line.setdefault(line_of(place_behind(end)), []).append(end)
    graphs_ = []
    for ends_here in of_line.values():
        targets = {id(end) for end in ends_here}.union(*(tensors[id(end)] for end in ends_here))
        graphs_.append(living(ends_here, holders.called(targets, names)))
    graphs_.sort(key=lambda x: (x.bytes, x.steps), reverse=True)
    return described(graphs_)


# ---- graphs


def newest_steps() -> list[Node]:
    """Returns the steps that no other step uses: the ends of the live graphs."""
    nodes = [instance for instance in live_instances(Node) if not isinstance(instance, Leaf)]
    older = {id(node_of(edge)) for node in nodes for edge in node.edges if edge is not None}
    return [node for node in nodes if id(node) not in older]


def tensors_at(ends: Sequence[Node]) -> dict[int, list[int]]:
    """Maps the id of each node in `ends` to the ids of the tensors that hold it."""
    result: dict[int, list[int]] = {id(end): [] for end in ends}
    for tensor in live_tensors():
        if tensor._edge is not None:
            result.get(id(node_of(tensor._edge)), []).append(id(tensor))
    return result


def place_behind(end: Node) -> Place | None:
    """Returns the line of a step, or of the newest step behind it with a known line."""
    waiting, seen = [(-end.created, id(end), end)], {id(end)}
    while waiting:
        *_, node = heappop(waiting)
        made = None if isinstance(node, Leaf) else made_of(node)
        if made is not None and made.place is not None:
            return made.place
        for older in (node_of(edge) for edge in node.edges if edge is not None):
            if id(older) not in seen:
                seen.add(id(older))
                heappush(waiting, (-older.created, id(older), older))
    return None


def line_of(place: Place | None) -> tuple | None:
    return None if place is None else (place.file, place.line)


def living(ends: list[Node], held: list[str]) -> Living:
    """Sums the graphs that end at one line: shared steps and memory count once, memory of leaves does not count."""
    nodes = newest_first(ends)
    steps = [node for node in nodes if not isinstance(node, Leaf)]
    of_leaves = {memory_of(node.array) for node in nodes if isinstance(node, Leaf)}
    values = (value for step in steps for value in saved_values(step))
    kept = {value.memory: value.bytes for value in values if value.memory not in of_leaves}
    passes = times_of(newest_first([max(ends, key=lambda end: end.created)]))
    freed = any(map(is_freed, steps))
    return Living(place_behind(ends[0]), len(ends), len(steps), sum(kept.values()), freed, len(passes), held)


def times_of(nodes: Iterable[Node]) -> set[int]:
    """Returns the times of the backward calls that freed some of the nodes."""
    return {freed.time for node in nodes if (freed := freed_by(node)) is not None}


# ---- holders


def names_around(frame: FrameType | None) -> dict[int, str]:
    """Maps ids of values to variable names in the program's running functions; the innermost frame wins."""
    result: dict[int, str] = {}
    while frame is not None:
        if not is_ours(frame.f_code.co_filename):
            for variables in (frame.f_locals, frame.f_globals):
                for name, value in tuple(variables.items()):
                    result.setdefault(id(value), name)
        frame = frame.f_back
    return result


class Holders:
    """Referrers of a set of objects, found in one pass; `gc.get_referrers` would take one pass per object."""

    def __init__(self, wanted: set[int], but: list):
        self.objects: dict[int, Any] = {}
        self.inside: dict[int, set[int]] = {}  # ids of the objects that each holder refers to, by the holder's id
        for holder in gc.get_objects():
            if not issubclass(type(holder), OURS) and holder is not but:
                targets = wanted.intersection(map(id, gc.get_referents(holder)))
                if targets:
                    self.objects[id(holder)], self.inside[id(holder)] = holder, targets

    def called(self, targets: set[int], names: dict[int, str]) -> list[str]:
        """Describes what keeps some objects alive: variables, containers, attributes; most objects first."""
        count = Counter(f"`{names[target]}`" for target in targets if target in names)
        inside = Counter(
            {holder: len(targets_ & targets) for holder, targets_ in self.inside.items() if targets_ & targets}
        )
        for holder, number in inside.most_common(MOST_HOLDERS):
            count.update(dict.fromkeys(called(self.objects[holder], targets, names, MAX_DEPTH), number))
        return [f"{words} ({number})" if number > 1 else words for words, number in count.most_common()]


def called(holder, targets: set[int], names: dict[int, str], further: int) -> Iterator[str]:
    """Yields descriptions of a holder: a named container, or the chain of containers up to a named attribute."""
    if not isinstance(holder, CONTAINERS):
        yield from attributes(holder, targets)
    elif isinstance(holder, dict) and "__builtins__" in holder:
        return  # a module's globals, which are named already
    elif id(holder) in names:
        yield f"the {type(holder).__name__} `{names[id(holder)]}`"
    elif further:
        for owner in gc.get_referrers(holder):
            if getattr(owner, "__dict__", None) is holder:
                yield from attributes(owner, targets)
            elif isinstance(holder, dict) and (module := module_with(holder, owner)) is not None:
                yield from attributes(module, targets)
            else:
                yield from called(owner, {id(holder)}, names, further - 1)


def attributes(owner, targets: set[int]) -> Iterator[str]:
    """Yields `.history` of a Trainer for each attribute of an object that is one of the targets."""
    if not isinstance(owner, (*OURS, Holders)):
        for name, value in attributes_of(owner):
            if id(value) in targets:
                yield f"`.{name}` of a {type(owner).__name__}"


# ---- in words


def described(lines: list[Living]) -> Explanation:
    graphs, steps = sum(x.number for x in lines), sum(x.steps for x in lines)
    kept = sum(x.bytes for x in lines)
    explanation = Explanation("No graph is alive.")
    if lines:
        alive = f"{counted(graphs, 'graph')} {'is' if graphs == 1 else 'are'} alive"
        explanation.title = f"{alive}, with {counted(steps, 'operation')} and {in_bytes(kept)} kept for backward."
    explanation.facts |= {"title": explanation.title, "kind": "graphs", "count": graphs, "steps": steps, "bytes": kept}
    explanation.facts["graphs"] = [
        {
            "file": x.place and x.place.file, "line": x.place and x.place.line,
            "source": x.place and x.place.text, "count": x.number, "steps": x.steps,
            "bytes": x.bytes, "freed": x.freed, "passes": x.passes, "held": x.held,
        }
        for x in lines
    ]  # fmt: skip
    for line in lines[:MOST_LINES]:
        explanation.say(line.place.short if line.place is not None else "somewhere", *sentences(line))
    if len(lines) > MOST_LINES:
        explanation.say("more", f"{counted(len(lines) - MOST_LINES, 'line')} more, with less.")
    return explanation


def sentences(line: Living) -> Iterator[str | None]:
    yield SWITCH_ON if line.place is None else f"`{line.place.text}`" if line.place.text else None
    nothing = "nothing, backward() has freed it" if line.freed else "nothing"
    kept = in_bytes(line.bytes) if line.bytes else nothing
    yield f"{counted(line.number, 'graph')} of {counted(line.steps, 'operation')}. Kept for backward: {kept}."
    grows = line.passes > 1
    if grows:
        yield (
            f"{line.passes} calls of backward() have run through {'it' if line.number == 1 else 'the newest'}, and it "
            "grows with each."
        )
    yield f"Held by {listed(line.held)}." if line.held else "No variable with a name holds it."
    if grows or (line.freed and line.number > 1):
        yield "To write: collect loss.item(), a number, or loss.detach(), a tensor without a graph."


def graphs() -> Explanation:
    """Lists the live graphs: the lines that made them, their steps and bytes, and what holds them.

    A graph lives as long as a tensor that was computed in it; backward() frees its saved values. A loss that is logged
    as a tensor keeps its graph, so memory grows with each step.

    >>> import rushlight as torch
    >>> w = torch.ones(3, requires_grad=True)
    >>> losses = []
    >>> for step in range(3):
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     losses.append(loss)
    >>> [each["held"] for each in torch.graphs().facts["graphs"] if each["count"] == 3]
    [['the list `losses` (3)', '`loss`']]
    """
    return census(sys._getframe(1))
