"""How the results of a recorded function are made from what its program returns.

A result is new memory (`Made`), one of the inputs (`Input`), another result (`Same`), or shares the memory of one of
these (`View`), as a real view that the view operators make again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.core.modes import current
from rushlight.core.tensor import Tensor
from rushlight.core.traced import RecordedArray, Untraceable
from rushlight.graph.trace import Step, Trace


class Made(NamedTuple):
    """A tensor on an array that the program returns, which is tensor `number` of the trace."""

    number: int
    requires_grad: bool
    inference: bool  # whether it is made in inference mode


class Input(NamedTuple):
    """The input at a position."""

    position: int


class Same(NamedTuple):
    """The same object as an earlier result."""

    position: int


class View(NamedTuple):
    """What view operators make of an input, or of a `Made`.

    `steps` has each step with the number of its result, if there are several. `creation` is that of the view: "no_grad"
    if it was made in such a block. A `detached` one is cut off from the history of its source first.
    """

    source: Input | Made
    steps: tuple[tuple[Step, int | None], ...]
    detached: bool
    creation: str | None


Result = Made | Input | Same | View | None


class Noted(NamedTuple):
    """What is known of a result before the trace is complete."""

    tensor: Any  # a Tensor or None
    input: int | None  # the position of the input that it is
    earlier: int | None  # the position of the result that it is


def noted(arguments: Sequence[Tensor], results: Sequence[Any]) -> list[Noted]:
    """Notes which results are inputs, or results twice. Raises Untraceable for what no program can return."""
    inputs = {id(argument): position for position, argument in enumerate(arguments)}
    seen: dict[int, int] = {}
    entries = []
    for position, result in enumerate(results):
        if result is None:
            entries.append(Noted(None, None, None))
            continue
        if type(result) is not Tensor or type(array_of(result)) is not RecordedArray:
            raise Untraceable("a result is not a tensor that the function has made")
        entries.append(Noted(result, inputs.get(id(result)), seen.get(id(result))))
        seen.setdefault(id(result), position)
    return entries


class Forms:
    """Finds out how each result of a trace is made; `arguments` are what the recorded function was given."""

    def __init__(self, trace: Trace, arguments: Sequence[Tensor], entries: Sequence[Noted]):
        self.trace, self.arguments, self.entries = trace, arguments, entries
        self.makers = {number: step for step in trace.steps for number in step.results}
        self.sources: dict[int, Input | Made] = {number: Input(at) for at, number in enumerate(trace.inputs)}
        self._find_sources()
        self.forms: list[Result] = []
        for each in entries:
            self.forms.append(self._form(each))

    def _find_sources(self) -> None:
        """Enters what results share memory with, by the number of the owner of the memory.

        If only one result shares it, that result is the source, also if the trace has it as a view.
        """
        shared: dict[int, list[Tensor]] = {}
        for each in self.entries:
            if each.tensor is not None and each.earlier is None:
                shared.setdefault(self._owner(number_of(each.tensor)), []).append(each.tensor)
        for base, group in shared.items():
            if base in self.sources:
                continue
            if any([tensor.requires_grad and tensor.is_leaf for tensor in group]):
                raise Untraceable("a result is a new leaf that requires grad")
            requires_grad = any([tensor.requires_grad for tensor in group])
            inference = group[0].is_inference()
            self.sources[base] = Made(number_of(group[0]) if len(group) == 1 else base, requires_grad, inference)

    def _owner(self, number: int) -> int:
        """Returns what a tensor is a view of; an operator that only happens to share memory makes no view."""
        while number in self.trace.views and number in self.makers and self.makers[number].op.view:
            number = self.trace.views[number]
        return number

    def _form(self, each: Noted) -> Result:
        """Returns how a result is made."""
        tensor = each.tensor
        if tensor is None:
            return None
        if each.input is not None:
            return Input(each.input)
        if each.earlier is not None:
            return Same(each.earlier)
        number = number_of(tensor)
        source = self.sources[self._owner(number)]
        if type(source) is Made and number == source.number and source not in self.forms:
            alone = self._owner(number) != number
            if alone or (tensor._base is None and tensor.requires_grad == source.requires_grad):
                return source
        return self._view(tensor, source)

    def _view(self, tensor: Any, source: Any) -> View:
        """Returns the form of a view, or of a detached tensor."""
        if (tensor.is_inference() or tensor._creation == "inference") is not current().inference:
            raise Untraceable("a view is made in another inference mode than that of the call")
        if type(source) is Input:
            owner, whole = self.trace.inputs[source.position], self.arguments[source.position]
            detached = tensor._base is not whole
        else:
            owner = source.number
            detached = source.requires_grad and not tensor.requires_grad and tensor._creation is None
        steps = self._path(number_of(tensor), owner)
        if not steps and tensor.requires_grad:
            raise Untraceable("a result is another tensor on the same memory")
        return View(source, steps, detached or not steps, tensor._creation)

    def _path(self, number: int, owner: int) -> tuple[tuple[Step, int | None], ...]:
        """Returns the view operators from the owner of memory to a view."""
        steps: list[tuple[Step, int | None]] = []
        while number != owner:
            step = self.makers[number]
            if len(step.operands()) != 1:
                raise Untraceable("a view depends on several tensors")
            several = step.op.multi_output or len(step.results) > 1
            steps.insert(0, (step, step.results.index(number) if several else None))
            number = self.trace.views[number]
        return tuple(steps)


def array_of(tensor: Any) -> Any:
    """Returns the array of a tensor."""
    return tensor._array


def number_of(tensor: Any) -> int:
    """Returns the number of a tensor of the trace."""
    return tensor._array.number
