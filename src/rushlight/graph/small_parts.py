"""Runs of steps as small programs, where a trace of small tensors has steps that are none.

Steps that small programs know run as early as what they read is there, and together; the others, in between; draws keep
their order. That needs a trace whose writes can come last, as those of an optimizer. Views that a run makes and others
read are made again outside of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heappop, heappush

from rushlight.graph.program import Kernel
from rushlight.graph.raw_steps import raw_call
from rushlight.graph.small import compile_small
from rushlight.graph.small_memory import GIVEN, Buffer, Unsupported, type_of
from rushlight.graph.small_plan import Plan
from rushlight.graph.small_steps import add
from rushlight.graph.trace import Step, Trace

LEAST = 2  # steps of a run, without views, for which a program pays off


def small_parts(trace: Trace) -> list[Step | Kernel] | None:
    """Returns the steps of a trace with small programs instead of some; None if there is none."""
    if (divided := with_writes_last(trace)) is None:
        return None
    trace, writes = divided
    items: list[Step | Kernel] = []
    reads = Counter([number for step in trace.steps for number in step.operands()])
    reads.update([number for number in trace.outputs if number is not None])
    reads.update([number for step in writes for number in step.operands()])
    for run, known in runs_of(trace):
        items += compiled(trace, run, reads) if known else run
    return [*items, *writes] if any([type(item) is Kernel for item in items]) else None


def with_writes_last(trace: Trace) -> tuple[Trace, list[Step]] | None:
    """Returns a trace without writes, and the writes, which may come after it; None if others read what they write."""
    steps: list[Step] = []
    writes: list[Step] = []
    written: set[int] = set()
    for step in trace.steps:
        if not written.isdisjoint(map(trace.base_of, step.operands())) or (step.op is not None and step.written()):
            return None
        if step.op is None:
            writes.append(step)
            written.update(map(trace.base_of, step.written()))
        else:
            steps.append(step)
    made = Trace()
    made.__dict__.update(trace.__dict__)
    made.steps = steps
    return made, writes


def is_known(plan: Plan, step: Step) -> bool:
    """Whether small programs know a step; the plan goes on with its results."""
    try:
        add(plan, step)
    except Unsupported:
        for at, number in enumerate(step.results):
            try:
                buffer = Buffer(GIVEN, -1 - at, 0, type_of(plan.trace.metas[number]))
                plan.views[number] = plan.whole(number, buffer)
            except Unsupported:
                pass  # nor will small programs know what reads it
        return False
    return True


def runs_of(trace: Trace) -> list[tuple[list[Step], bool]]:
    """Returns the steps in another order: in turn runs that small programs know, and others."""
    plan = Plan(trace)
    known = [is_known(plan, step) for step in trace.steps]
    waits, later = dependencies(trace)
    ready: dict[bool, list[int]] = {True: [], False: []}
    for at, count in enumerate(waits):
        if not count:
            heappush(ready[known[at]], at)
    runs: list[tuple[list[Step], bool]] = []
    kind = True
    while ready[True] or ready[False]:
        run = []
        while ready[kind]:
            run.append(trace.steps[at := heappop(ready[kind])])
            for other in later[at]:
                waits[other] -= 1
                if not waits[other]:
                    heappush(ready[known[other]], other)
        if run:
            runs.append((run, kind))
        kind = not kind
    return runs


def dependencies(trace: Trace) -> tuple[list[int], list[list[int]]]:
    """Returns for each step how many steps it waits for, and which ones wait for it; draws wait for each other."""
    makers: dict[int, int] = {}
    waits: list[int] = []
    later: list[list[int]] = []
    drawn: int | None = None
    for at, step in enumerate(trace.steps):
        before = {makers[number] for number in step.operands() if number in makers}
        if step.draws:
            before.update(() if drawn is None else (drawn,))
            drawn = at
        makers.update(dict.fromkeys(step.results, at))
        waits.append(len(before))
        later.append([])
        for each in before:
            later[each].append(at)
    return waits, later


def compiled(trace: Trace, run: list[Step], reads: Counter[int]) -> list[Step | Kernel]:
    """Returns the small program of a run, and the steps that make views of what it has made; or the run itself.

    `reads` counts who reads a tensor: the steps of the trace, and its outputs.
    """
    inside = {number for step in run for number in step.results}
    views = [step for step in run if not inside.isdisjoint(step.results) and trace.views.keys() >= set(step.results)]
    shown = {id(step) for step in views}
    if not pays_off(trace, [step for step in run if id(step) not in shown]):
        return [*run]
    own = [number for step in run for number in step.results if number not in trace.views]
    own_reads = Counter([number for step in run for number in step.operands()])
    read = {number for number in inside if reads[number] > own_reads[number]}
    outside = needed_views(views, read)
    read.update([number for step in outside for number in step.operands()])
    part = Trace()
    part.steps, part.metas, part.views = run, trace.metas, {at: trace.views[at] for at in inside & trace.views.keys()}
    operands = dict.fromkeys([number for step in run for number in step.operands()])
    part.constants = {number: trace.constants[number] for number in operands if number in trace.constants}
    part.inputs = [number for number in operands if number not in inside and number not in part.constants]
    part.outputs = [number for number in own if number in read]
    small = compile_small(part)
    if small is None:
        return [*run]
    return [Kernel(small, tuple(part.inputs), tuple(number for number in own if number in read)), *outside]


def pays_off(trace: Trace, steps: list[Step]) -> bool:
    """Whether a program of steps, without views, is faster: of several, or of one that an operator would compute."""
    return len(steps) >= LEAST or any([raw_call(step, trace.metas) is None for step in steps])


def needed_views(views: Sequence[Step], read: set[int]) -> list[Step]:
    """Returns the views that are read, after those that they are views of."""
    kept: list[Step] = []
    wanted = set(read)
    for step in reversed(views):
        if not wanted.isdisjoint(step.results):
            wanted.update(step.operands())
            kept.insert(0, step)
    return kept
