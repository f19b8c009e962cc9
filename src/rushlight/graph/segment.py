"""A run of pure calls on tensors as programs: what a replay of a compiled function calls in their place.

A segment computes by its forward program. Where gradients are wanted, its results get one node, whose backward is a
second program. The call itself is a generated function: it reads arrays, makes tensors, and does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rushlight.core.modes import MODE, Modes, current
from rushlight.core.tensor import Tensor, wrap
from rushlight.core.traced import Untraceable
from rushlight.graph.backward import Derivative
from rushlight.graph.growing import with_rows_reused
from rushlight.graph.lowering import lower
from rushlight.graph.recording import FLOATS, level_of_recording, made_like, record, with_constants
from rushlight.graph.results import Forms, Made, Noted, View, noted
from rushlight.graph.segment_call import Caller
from rushlight.graph.trace import Trace


class Segment:
    """A pure function of tensors, compiled for inputs like some: `segment(*inputs)` returns its results as a list.

    A call has inputs of the same shapes, strides, dtypes, `requires_grad` and identities as `inputs`, as the caller
    checks. In another mode (grad mode, hooks on saved tensors, anomaly mode, ...) it calls the function as it is.
    Raises `Untraceable`, or what the function raises, if the function cannot be compiled.
    """

    def __init__(self, function: Callable, inputs: Sequence[Tensor], *, options: Mapping[str, Any] | None = None):
        self.function, self.options = function, options
        self.mode = plain_mode()
        examples = [example_of(tensor) for tensor in inputs]
        arguments: list[Any] = []
        entries: list[Noted] = []

        def noting(*passed: Tensor) -> list[Tensor | None]:
            arguments[:] = passed
            results = with_constants(level_of_recording(), function(*passed))
            entries[:] = noted(passed, results)
            return results

        self.trace = record(noting, examples)
        check_modes(entries)
        self.writes = counted_writes(self.trace)
        self._check(arguments, examples)
        self.forms = Forms(self.trace, arguments, entries).forms
        self.made = list(dict.fromkeys(filter(None, map(memory_of, self.forms))))
        self.derivative: Derivative | None = None
        if self.mode and any([each.requires_grad for each in self.made]):
            self.derivative = Derivative(self, examples)
        self.plain = self._lowered(examples) if self.derivative is None else self.derivative.forward
        self.source, names = Caller(self).written()
        exec(compile(self.source, "<segment>", "exec"), names)  # noqa: S102
        self.call: Callable[..., list] = names["call"]

    def __call__(self, *inputs: Tensor) -> list:
        return self.call(*inputs)

    def _check(self, arguments: Sequence[Any], examples: Sequence[Any]) -> None:
        """Raises Untraceable if the function changes more of its inputs than elements, or the history of one."""
        for number, argument, passed in zip(self.trace.inputs, arguments, examples, strict=True):
            array = argument._array
            if (array.number, array.strides) != (number, passed._array.strides):
                raise Untraceable("an input is passed other memory")
            if argument.requires_grad != passed.requires_grad or (number in self.writes and passed.requires_grad):
                raise Untraceable("an input with a history is written to")
        if self.mode and any([constant.requires_grad for constant in self.trace.constants.values()]):
            raise Untraceable("a tensor that requires grad is not an input")

    def _lowered(self, examples: Sequence[Tensor]) -> Callable[..., Sequence]:
        """Returns the program without a derivative: a function of arrays that returns new memory."""
        trace = Trace()
        trace.__dict__.update(self.trace.__dict__)
        trace.outputs = [each.number for each in self.made]
        return lower(with_rows_reused(trace, examples), self.options)


def plain_mode() -> Any:
    """Returns the mode. Raises Untraceable if it has hooks or other observers of calls."""
    modes = current()
    if modes != Modes(grad=modes.grad, inference=modes.inference, autocast=modes.autocast):
        raise Untraceable("calls are observed")
    return MODE.get()


def check_modes(entries: Sequence[Noted]) -> None:
    """Raises Untraceable for a result that a block inside has recorded if the call does not record."""
    results = [each.tensor for each in entries if each.tensor is not None and each.input is None]
    if not current().grad and any([result._edge is not None for result in results]):
        raise Untraceable("a result has a history, and the call does not record")


def example_of(tensor: Any, elements: bool = True) -> Tensor:
    """Returns a leaf with the elements, strides and `requires_grad` of an input, in memory of its own.

    Without `elements`, floating-point numbers are 0.
    """
    array = tensor._array
    if type(array) is not np.ndarray or min(array.strides, default=0) < 0:
        raise Untraceable("an input is not an array in the CPU's memory")
    copied = alike(array)
    if elements or array.dtype not in FLOATS:
        copied[...] = array
    with made_like(tensor):
        return wrap(copied).requires_grad_(tensor.requires_grad)


def alike(array: np.ndarray) -> np.ndarray:
    """Returns zeros in memory of their own, with the strides of an array, also in dimensions of size 1."""
    extent = sum([(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)])
    memory = np.zeros((extent + array.itemsize) * (array.size > 0), np.uint8)
    return np.ndarray(array.shape, array.dtype, memory, 0, array.strides)


def counted_writes(trace: Trace) -> dict[int, int]:
    """Returns the memory that is written to, each with how often the write is counted."""
    counts: dict[int, int] = {}
    for step in trace.steps:
        for base in map(trace.base_of, step.written()):
            counts[base] = counts.get(base, 0) + (step.op is None)
    return counts


def memory_of(form) -> Made | None:
    """Returns the new memory that a result needs."""
    source = form.source if type(form) is View else form
    return source if type(source) is Made else None
