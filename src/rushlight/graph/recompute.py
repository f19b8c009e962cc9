"""Chooses what a backward program computes again from what is saved anyway, in place of values that would be saved.

Cheap elementwise steps cost less than the memory of their results; products, reductions and functions such as `exp` are
kept. Nothing that was written to is computed again, and no input is read that the node would not hold otherwise: what a
write makes stale is the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rushlight.graph.trace import Step, Trace

CHEAP = frozenset(
    (
        "add", "sub", "rsub", "mul", "neg", "relu", "le", "lt", "ge", "gt", "eq", "ne", "choose", "sign", "clone",
        "to_copy", "clamp_min", "clamp_max", "maximum", "minimum", "logical_and", "logical_or", "logical_not",
        "clamp_to_numbers", "fill_mask_with_number", "copy_values",
    )
)  # fmt: skip
MOST = 12  # steps for one value


class Recompute:
    """What can be computed again from `available` tensors and constants by the first steps of a trace."""

    def __init__(self, trace: Trace, steps: Iterable[Step], available: Collection[int]):
        self.trace = trace
        self.available = set(available)
        steps = list(steps)
        self.order = {id(step): at for at, step in enumerate(steps)}
        self.makers = {number: step for step in steps for number in step.results}
        self.written = {trace.base_of(number) for step in steps for number in step.written()}
        self.steps: dict[int, Step] = {}  # that are computed again, by their place

    def without(self, number: int) -> bool:
        """Computes a tensor again in place of saving it, if that is cheap; returns whether it is."""
        self.available.discard(number)
        steps = self.steps_for(number)
        if steps is None or len(steps) > MOST:
            self.available.add(number)
            return False
        self.steps.update(steps)
        return True

    def steps_for(self, number: int) -> dict[int, Step] | None:
        """Returns the steps that make a tensor from what is available, None if other steps were needed."""
        steps: dict[int, Step] = {}
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if self.trace.base_of(number) in self.written:
                return None
            if number in self.available or number in self.trace.constants:
                continue
            step = self.makers.get(number)
            if step is None or step.draws or not (step.op is not None and (step.op.view or step.op.name in CHEAP)):
                return None
            if (at := self.order[id(step)]) not in steps:
                steps[at] = step
                waiting += step.operands()
            if len(steps) > MOST:
                return None
        return steps
