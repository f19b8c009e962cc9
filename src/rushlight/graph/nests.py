"""Fuses steps on large arrays: each group becomes a kernel that makes one pass over memory.

Steps over one space share a nest (`nest.py`), whether they use each other's results or not, unless a step in between
needs one of them and gives another. Steps are not moved across writes. A nest that saves no pass stays as its steps.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from rushlight.graph.nest import LEAST, Nest
from rushlight.graph.nest_kernel import kernel_of
from rushlight.graph.program import Kernel
from rushlight.graph.trace import Step, Trace
from rushlight.lower import llvm
from rushlight.lower.ir import Untraceable

RECENT = 8  # nests that a step is tried in


def fuse(trace: Trace) -> list[Step | Kernel]:
    """Returns the items of a program that computes a trace, with kernels instead of groups of steps.

    Needs llvmlite.
    """
    if not any(map(is_large(trace), trace.steps)) or not llvm.host().fit:
        return list(trace.steps)
    items: list[Step | Kernel] = []
    run: list[Step] = []
    for at, step in enumerate([*trace.steps, None]):
        if step is None or step.written() or step.draws:
            items += fused(trace, run, read_after(trace, at))
            run = []
            items += [] if step is None else [step]
        else:
            run.append(step)
    return items


def is_large(trace: Trace):
    """Returns the test whether a step works on large arrays."""
    metas = trace.metas
    return lambda step: any([math.prod(metas[each].shape) >= LEAST for each in (*step.operands(), *step.results)])


def read_after(trace: Trace, position: int) -> set[int]:
    """Returns the tensors that are read by the steps from a position on, or are results."""
    listed = {number for number in trace.outputs if number is not None}
    for step in trace.steps[position:]:
        listed.update(step.operands())
    return listed


class Group:
    """Steps that are computed together: one, or those of a nest."""

    def __init__(self, first: int, step: Step, nest: Nest | None, number: int, follows: int):
        self.first, self.last, self.nest = first, first, nest
        self.steps = [step]
        self.bit = 1 << number
        self.follows = follows  # the bits of the groups that compute what its steps need, directly or not

    def operands(self) -> list[int]:
        """Returns the tensors that the group reads: of a nest without views of its own values."""
        if self.nest is not None:
            return self.nest.tensors
        return [number for step in self.steps for number in step.operands()]


class Grouping:
    """Groups the steps of a run without writes."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.groups: list[Group] = []
        self.makers: dict[int, Group] = {}  # tensor -> the group that computes it
        self.recent: list[tuple[Group, Nest]] = []

    def add(self, at: int, step: Step) -> None:
        """Enters a step in the newest nest that takes it, or in one of its own."""
        shape = max([self.trace.metas[number].shape for number in (*step.operands(), *step.results)], key=math.prod)
        large = math.prod(shape) >= LEAST and not step.op.view
        follows = 0
        for number in step.operands():
            if number in self.makers:
                follows |= self.makers[number].bit | self.makers[number].follows
        if large:
            for group, nest in reversed(self.recent):
                if self._is_free(group, step) and nest.add(step):
                    group.steps.append(step)
                    group.last = at
                    self._follow(group, follows & ~group.bit)
                    self.makers.update(dict.fromkeys(step.results, group))
                    return
        own = Nest(self.trace, self.trace.metas[step.results[0]].shape) if large and step.results else None
        taken = own is not None and own.size >= LEAST and own.add(step)
        group = Group(at, step, own if taken else None, len(self.groups), follows)
        self.groups.append(group)
        self.makers.update(dict.fromkeys(step.results, group))
        if own is not None and taken:
            self.recent = [*self.recent, (group, own)][-RECENT:]

    def _follow(self, group: Group, follows: int) -> None:
        """Notes that a nest, and so all that follows from it, follows from other groups: from newer ones too."""
        if follows & ~group.follows:
            for each in self.groups:
                if each is group or each.follows & group.bit:
                    each.follows |= follows

    def _is_free(self, group: Group, step: Step) -> bool:
        """Whether no other group that follows from this one is needed by a step; views of a nest's values are not."""
        return not any([each is group or each.follows & group.bit for each in self._needed(group, step)])

    def _needed(self, group: Group, step: Step) -> list[Group]:
        """Returns the groups of the operands of a step, other than its own."""
        listed = []
        for number in step.operands():
            base = self.trace.base_of(number)
            if self.makers.get(base) is not group and number in self.makers:
                listed.append(self.makers[number])
        return listed

    def items(self, read: set[int]) -> list[Step | Kernel]:
        """Returns the items in an order in which each follows what it needs; views that nothing reads go."""
        for group in self.groups:
            if len(group.steps) < 2:
                group.nest = None
        kernels = self._kernels(read)
        live, _ = self._read(read)
        items: list[tuple[int, Step | Kernel]] = []
        for group in self.groups:
            if id(group) in kernels:
                items.append((group.last, kernels[id(group)]))
            elif id(group) in live:
                items += [(group.first, step) for step in group.steps]
        made = {number: at for at, (_, item) in enumerate(items) for number in item.results}
        return sorted_items(items, made)

    def _kernels(self, read: set[int]) -> dict[int, Kernel]:
        """Returns the kernels of nests; a nest without one, or whose results nothing reads, becomes its steps again."""
        while True:
            _, outside = self._read(read)
            kernels: dict[int, Kernel] = {}
            for group in self.groups:
                if group.nest is not None:
                    wanted = [number for step in group.steps for number in step.results if number in outside]
                    kernel = compiled(group.nest, wanted)
                    if kernel is None:
                        group.nest = None
                        break
                    kernels[id(group)] = kernel
            else:
                return kernels

    def _read(self, read: set[int]) -> tuple[set[int], set[int]]:
        """Returns the groups that are needed, by their ids, and the tensors that are read by other groups."""
        live, outside = set(), set(read)
        pending = [group for group in self.groups if group.nest is not None or not group.steps[0].op.view]
        pending += [self.makers[number] for number in read if number in self.makers]
        while pending:
            group = pending.pop()
            if id(group) not in live:
                live.add(id(group))
                needed = [number for number in group.operands() if self.makers.get(number) is not group]
                outside.update(needed)
                pending += [self.makers[number] for number in needed if number in self.makers]
        return live, outside


def compiled(nest: Nest, wanted: Sequence[int]) -> Kernel | None:
    """Returns the kernel of a nest, None if it has none."""
    try:
        return kernel_of(nest, wanted) if wanted else None
    except Untraceable:
        return None


def sorted_items(items: list[tuple[int, Step | Kernel]], made: dict[int, int]) -> list[Step | Kernel]:
    """Returns items in an order in which each follows what it reads, otherwise as they were."""
    waits = [0] * len(items)
    users: list[list[int]] = [[] for _ in items]
    for at, (_, item) in enumerate(items):
        reads = item.operands if isinstance(item, Kernel) else item.operands()
        for before in {made[number] for number in reads if number in made and made[number] != at}:
            waits[at] += 1
            users[before].append(at)
    ready = [(items[at][0], at) for at in range(len(items)) if not waits[at]]
    heapq.heapify(ready)
    listed = []
    while ready:
        _, at = heapq.heappop(ready)
        listed.append(items[at][1])
        for user in users[at]:
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, (items[user][0], user))
    if len(listed) != len(items):
        raise RuntimeError("steps wait for each other")
    return listed


def fused(trace: Trace, steps: Sequence[Step], read: set[int]) -> list[Step | Kernel]:
    """Returns the items of a run without writes, of which some tensors are read later."""
    grouping = Grouping(trace)
    for at, step in enumerate(steps):
        grouping.add(at, step)
    return grouping.items(read)
