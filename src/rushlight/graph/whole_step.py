"""A recorded training step as a function: it looks at what is there now, runs the program, and applies the effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.graph.lowering import is_small, lower
from rushlight.graph.standing import check
from rushlight.graph.trace import Meta, Trace, Update
from rushlight.graph.training import Whole, record_whole
from rushlight.graph.whole_call import Caller, Stale
from rushlight.lower import llvm

SMALL = 1 << 14  # elements of all parameters whose optimizer's formula is part of one machine function
FEW = 48  # such parameters


def compile_whole(
    function: Callable,
    inputs: Sequence[Tensor],
    tensors: Sequence[Tensor],
    optimizers: Sequence = (),
    options: Mapping[str, Any] | None = None,
) -> WholeStep:
    """Records a training step as `record_whole` does; a small one becomes one machine function.

    Raises `Untraceable`, or what the function raises.
    """
    params = [param for optimizer in optimizers for group in optimizer.param_groups for param in group["params"]]
    if len(params) <= FEW and sum([param._array.size for param in params]) <= SMALL and llvm.is_available():
        step = WholeStep(record_whole(function, inputs, tensors, optimizers), options)
        if not optimizers or is_small(step.program):
            return step
    return WholeStep(record_whole(function, inputs, tensors, optimizers, False), options)


class WholeStep:
    """A recorded training step: `step(*inputs)` does what the function does with its inputs.

    The inputs have the sizes, strides and dtypes of those that it was recorded with: the caller checks this. Raises
    `Stale` if tensors or optimizers are not as they were, before anything has changed.
    """

    def __init__(self, whole: Whole, options: Mapping[str, Any] | None = None):
        self.whole, self.tensors = whole, whole.effects.tensors
        own = whole.trace.inputs[len(whole.effects.inputs) :]
        self.metas = [whole.trace.metas[number] for number in own[: len(self.tensors)]]
        self.owners = self._owners()
        self.trace, self.updates = split(whole.trace)
        self.options = options
        self.source, self.names = Caller(self, self.trace).written()
        self.call: Callable[..., list] = self._first_call

    def __call__(self, *inputs: Tensor) -> list:
        return self.call(*inputs)

    def _first_call(self, *inputs: Tensor) -> list:
        """Compiles the function, and calls it: a step that is not made again needs none."""
        exec(compile(self.source, "<step>", "exec"), self.names)  # noqa: S102
        self.call = self.names["call"]
        return self.call(*inputs)

    @cached_property
    def program(self) -> Callable:
        """The function from arrays to arrays that computes the trace."""
        return lower(self.trace, self.options)

    def first_program(self, *arrays: np.ndarray) -> Any:
        """Runs the program, which is lowered now."""
        self.names["program"] = self.program
        return self.program(*arrays)

    def look(self, place: int, array: Any) -> None:
        """Raises Stale unless the new array of a tensor is like the old one, and shares no memory with others."""
        self._check_meta(place, array)
        gradients = self.whole.effects.gradients
        others = [tensor._array for at, tensor in enumerate(self.tensors) if at not in (place, *gradients)]
        if any([owner(other) is owner(array) for other in others if type(other) is np.ndarray]):
            raise Stale("tensors share memory")
        self.names[f"L{place}"] = array
        self.owners = self._owners()

    def _owners(self) -> dict[int, np.ndarray]:
        """Returns the arrays whose memory the tensors have that are not gradients, by id."""
        gradients = {*self.whole.effects.gradients}
        arrays = [tensor._array for at, tensor in enumerate(self.tensors) if at not in gradients]
        return {id(each): each for each in map(owner, arrays)}

    def gradient(self, place: int, gradient: Tensor) -> None:
        """Raises Stale unless a gradient that the step reads or writes is like the old one."""
        array = gradient._array
        self._check_meta(place, array)
        check(gradient)
        if id(owner(array)) in self.owners:
            raise Stale("a gradient shares memory")
        self.names[f"G{place}"], self.names[f"B{place}"] = gradient, array

    def _check_meta(self, place: int, array: Any) -> None:
        if type(array) is not np.ndarray or Meta(array.shape, array.strides, array.dtype) != self.metas[place]:
            raise Stale("a tensor has another size, layout or dtype")


def split(trace: Trace) -> tuple[Trace, list[Update]]:
    """Returns a trace without unused inputs and without the updates at its end, and these.

    What the updates read are inputs and outputs of the trace.
    """
    steps = list(trace.steps)
    updates: list[Update] = []
    while steps and isinstance(last := steps[-1], Update):
        updates.insert(0, last)
        steps.pop()
    used = {*trace.outputs, *[number for step in steps for number in step.operands()]}
    known = {*trace.inputs, *trace.outputs}
    extra = dict.fromkeys([n for update in updates for n in update.operands() if n not in known])
    made = Trace()
    made.__dict__.update(trace.__dict__)
    made.steps, made.outputs = steps, [*trace.outputs, *extra]
    made.inputs = [number for number in trace.inputs if number in used]
    return made, updates
