"""Runs of steps as small programs, where a trace of small tensors has steps that are none.

Steps that small programs know run as early as what they read is there, and together; the others, in between; draws keep
their order. That needs a trace without writes. Views that a run makes and others read are made again outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.graph.program import Kernel
from rushlight.graph.small import compile_small
from rushlight.graph.small_memory import GIVEN, Buffer, Unsupported, type_of
from rushlight.graph.small_plan import Plan
from rushlight.graph.small_steps import add
from rushlight.graph.trace import Step, Trace

LEAST = 2  # steps of a run, without views, for which a program pays off


def small_parts(trace: Trace) -> list[Step | Kernel] | None:
    """Returns the steps of a trace with small programs instead of some; None if there is none."""
    if any([step.written() for step in trace.steps]):
        return None
    items: list[Step | Kernel] = []
    for run, known in runs_of(trace):
        items += compiled(trace, run) if known else run
    return items if any([type(item) is Kernel for item in items]) else None


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
    waiting = {id(step): is_known(plan, step) for step in trace.steps}
    left = list(trace.steps)
    made: set[int] = set()
    for step in trace.steps:
        made.update(step.results)
    runs: list[tuple[list[Step], bool]] = []
    known = True
    while left:
        run, later, draws_wait = [], [], False
        for step in left:
            is_in_turn = not (step.draws and draws_wait)
            if is_in_turn and waiting[id(step)] is known and made.isdisjoint(step.operands()):
                run.append(step)
                made.difference_update(step.results)
            else:
                later.append(step)
                draws_wait = draws_wait or step.draws
        if run:
            runs.append((run, known))
        left, known = later, not known
    return runs


def compiled(trace: Trace, run: list[Step]) -> list[Step | Kernel]:
    """Returns the small program of a run, and the steps that make views of what it has made; or the run itself."""
    inside = {number for step in run for number in step.results}
    views = [step for step in run if not inside.isdisjoint(step.results) and trace.views.keys() >= set(step.results)]
    if len(run) - len(views) < LEAST:
        return [*run]
    own = [number for step in run for number in step.results if number not in trace.views]
    ids = {id(step) for step in run}
    read = {number for step in trace.steps if id(step) not in ids for number in step.operands()}
    read.update([number for number in trace.outputs if number is not None])
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


def needed_views(views: Sequence[Step], read: set[int]) -> list[Step]:
    """Returns the views that are read, after those that they are views of."""
    kept: list[Step] = []
    wanted = set(read)
    for step in reversed(views):
        if not wanted.isdisjoint(step.results):
            wanted.update(step.operands())
            kept.insert(0, step)
    return kept
