"""The derivative of a recorded function: a joint trace of forward and backward, cut in two.

What the backward half reads of the forward half is saved: inputs, results and values in between. A view is not saved;
the backward half makes it again from what it is a view of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from rushlight.autograd.gradients import grad
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import Untraceable
from rushlight.graph.recompute import Recompute
from rushlight.graph.recording import input_of, level_of_recording, record, with_constants
from rushlight.graph.results import Made, Result, View
from rushlight.graph.trace import Step, Trace


class Root(NamedTuple):
    """A tensor whose gradient a node gets: a result, or the tensor that a result is a view of."""

    position: int
    of_base: bool

    def of(self, results: Sequence[Any]) -> Tensor:
        """Returns the tensor."""
        result = results[self.position]
        return result._base if self.of_base else result


def root_of(forms: Sequence[Result], made: Made) -> Root:
    """Returns where to find new memory among results."""
    if made in forms:
        return Root(forms.index(made), False)
    for at, form in enumerate(forms):
        if type(form) is View and form.source == made and not form.detached and form.creation in (None, "many"):
            return Root(at, True)
    raise Untraceable("no view with a history shows the memory of results")


class Joint:
    """The trace of a function and of its gradients; the forward half are the first `middle` steps.

    `wanted` are the positions of the inputs whose gradients are computed, for gradients of `roots`, which are the
    trace's last inputs. The gradients are the last outputs of the trace.
    """

    def __init__(self, function: Callable, inputs: Sequence[Tensor], wanted: Sequence[int], roots: Sequence[Root]):
        self.wanted, self.roots, self.count = tuple(wanted), tuple(roots), len(inputs)
        self.middle = 0
        self.function = function
        self.trace = record(self._run, inputs)
        self.gradients: list[int | None] = self.trace.outputs[-len(self.wanted) :]

    def _run(self, *arguments: Tensor) -> list[Tensor | None]:
        represented = getattr(self.function, "represented", None)  # of tensors that its code reads by itself
        with nullcontext() if represented is None else represented(*arguments):
            return self._gradients(*arguments)

    def _gradients(self, *arguments: Tensor) -> list[Tensor | None]:
        """Returns the gradients. Code of the program may run in both passes."""
        level = level_of_recording()
        results = with_constants(level, self.function(*arguments))  # numbered as in the trace of the function
        self.middle = len(level.trace.steps)
        roots, targets = [root.of(results) for root in self.roots], [arguments[at] for at in self.wanted]
        pulls = [input_of(level, ones_like(root)) for root in roots]
        return list(grad(roots, targets, pulls, allow_unused=True))


def ones_like(tensor: Any) -> Tensor:
    """Returns a gradient to record with."""
    array = tensor._array
    return wrap(np.ones(array.shape, array.dtype.type))  # the dtype without a mark


class Halves:
    """A joint trace cut in two: the `forward` trace returns `results` and `saved`, the `backward` trace takes them.

    `saved` are the numbers of the values that the backward half reads, without constants: first those in the memory of
    inputs and results, which must not change in between. If `recomputes`, cheap values are computed again instead,
    from what is saved anyway; or from the `available` values of an earlier cut.
    """

    def __init__(
        self, joint: Joint, gradients: Sequence[int | None], results: Sequence[int], *, recomputes: bool,
        available: Collection[int] = (),
    ):  # fmt: skip
        trace, middle = joint.trace, joint.middle
        defined = [number for number in gradients if number is not None]
        backward = needed(trace.steps[middle:], defined)
        self.steps = self._with_views(trace, backward, defined, middle)
        pulls = trace.inputs[joint.count :]
        written = {trace.base_of(number) for step in trace.steps[:middle] for number in step.written()}
        shown = {trace.base_of(number) for number in (*trace.inputs, *results)}
        known = {*pulls, *[number for number in trace.constants if number not in written]}
        saved = self._read(defined, known)
        if recomputes:
            again = Recompute(trace, trace.steps[:middle], available or saved)
            for number in sorted(saved, reverse=True):
                if trace.base_of(number) not in shown and number not in available:
                    again.without(number)
            first = {id(step) for step in (*self.steps, *again.steps.values())}
            self.steps = [*[step for step in trace.steps[:middle] if id(step) in first], *backward]
            saved = self._read(defined, known)
        self.saved = sorted(saved, key=lambda number: trace.base_of(number) not in shown)
        made = {number for step in self.steps for number in step.results}
        for step in self.steps:
            if not made.issuperset(map(trace.base_of, step.written())):
                raise Untraceable("the derivative writes to a value of the function")
        self.backward = part(trace, self.steps, [*self.saved, *pulls], gradients)
        self.backward.owned = 0
        inputs = trace.inputs[: joint.count]
        self.extra = [number for number in self.saved if number not in inputs]
        outputs = [*results, *self.extra]
        self.forward = part(trace, needed(trace.steps[:middle], outputs), inputs, outputs)
        self.forward.owned = len(results)

    def _read(self, gradients: list[int], known: set[int]) -> list[int]:
        """Returns the tensors that the backward half reads, and does not make."""
        made = {number for step in self.steps for number in step.results}
        read = dict.fromkeys([number for step in self.steps for number in step.operands()] + gradients)
        return [number for number in read if number not in made and number not in known]

    @staticmethod
    def _with_views(trace: Trace, backward: list[Step], gradients: list[int], middle: int) -> list[Step]:
        """Returns the steps of the backward half, after the views of the forward half that they read."""
        makers = {number: step for step in trace.steps[:middle] for number in step.results}
        made = {number for step in backward for number in step.results}
        reads = [number for step in backward for number in step.operands()] + gradients
        views: dict[int, Step] = {}
        for number in reads:  # which grows
            step = makers.get(number)
            if number not in made and number in trace.views and step is not None and len(step.operands()) == 1:
                views[id(step)] = step
                reads.append(trace.views[number])
        return [*sorted(views.values(), key=trace.steps.index), *backward]


def needed(steps: Sequence[Step], outputs: Sequence[int]) -> list[Step]:
    """Returns the steps that outputs depend on, and all writes with what they depend on."""
    wanted = set(outputs)
    kept: list[Step] = []
    for step in reversed(steps):
        if step.written() or step.draws or not wanted.isdisjoint(step.results):
            wanted.update(step.operands())
            kept.insert(0, step)
    return kept


def part(trace: Trace, steps: list[Step], inputs: Sequence[int], outputs: Sequence[int | None]) -> Trace:
    """Returns a trace of some steps of another, with its numbers."""
    made = Trace()
    made.steps, made.metas, made.views = steps, trace.metas, trace.views
    made.inputs, made.outputs = list(inputs), list(outputs)
    read = {number for step in steps for number in step.operands()}.union(outputs)
    made.constants = {
        number: tensor for number, tensor in trace.constants.items() if number in read and number not in made.inputs
    }
    return made
