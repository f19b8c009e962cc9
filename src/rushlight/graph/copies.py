"""Removes the copies that a training step makes of its results.

The gradient of a leaf is a copy of what arrived, since what arrived may be the gradient of another leaf too. The step
that runs the program copies results that turn out to be shared (`whole_step.py`); so the trace need not.
"""

from __future__ import annotations

from rushlight.graph.functional import substituted
from rushlight.graph.trace import Step, Trace


def without_copies(trace: Trace) -> Trace:
    """Returns a trace without copies of tensors that steps have made and that nothing is written to."""
    written = {trace.base_of(number) for step in trace.steps for number in step.written()}
    outputs = [number for number in trace.outputs if number is not None]
    kept = {*trace.inputs, *trace.constants, *outputs, *map(trace.base_of, outputs)}
    names: dict[int, int] = {}
    steps: list[Step] = []

    def now(number: int) -> int:
        return names.get(number, number)

    for step in trace.steps:
        if not names.keys().isdisjoint(step.operands()):
            step = step.with_values(substituted(step.values, now))
        if step.op is not None and step.op.name == "clone":
            source, copy = step.values["input"].number, step.results[0]
            owner = trace.base_of(source)
            alone = source not in kept and owner not in kept and written.isdisjoint((owner, copy))
            if alone and trace.metas[source] == trace.metas[copy]:
                names[copy] = source
                kept.update((source, owner))  # two copies of a tensor are not made one
                continue
        steps.append(step)
    made = Trace()
    made.__dict__.update(trace.__dict__)
    made.steps, made.outputs = steps, [None if number is None else now(number) for number in trace.outputs]
    return made
