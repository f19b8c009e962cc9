"""Whole training steps as one trace: forward, `backward`, the optimizer's step, and what they change.

`record_whole(function, inputs, tensors, optimizers)` runs the function once on stand-ins (`standing.py`), which changes
nothing. What the function did to the tensors is described by effects: which are written, which `grad` is set, which
numbers advance. A `WholeStep` runs the program on the arrays that the tensors have now, and applies the effects.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.autograd.function_node import FunctionNode
from rushlight.core.graph import RELEASED, Leaf, node_of
from rushlight.core.storage import owner
from rushlight.core.tensor import Tensor
from rushlight.core.traced import RecordedArray, Untraceable
from rushlight.graph.copies import without_copies
from rushlight.graph.numbers import Numbers
from rushlight.graph.recording import RecordingLevel, input_of, recorded, recording_level
from rushlight.graph.segment import example_of, plain_mode
from rushlight.graph.simplify import simplify
from rushlight.graph.standing import Standing, gradient_of, standing
from rushlight.graph.trace import Array, Trace, Update, UpdateOp

LOCK = threading.RLock()  # a tensor belongs to one recording at a time


class TrainingLevel(RecordingLevel):
    """The level of a whole step: optimizers record theirs here."""

    def __init__(self, number: int, products: bool, optimizers: Sequence, formulas: bool):
        super().__init__(number, products)
        self.optimizers, self.formulas = optimizers, formulas
        self.numbers = Numbers(self)
        self.steps: list = []  # what the optimizers read and write back at each call
        self.counters: list = []  # the new values of their counters

    def check_step(self, optimizer, *, hooked: bool) -> None:
        """Raises Untraceable if the step of an optimizer cannot be recorded."""
        if not any([optimizer is each for each in self.optimizers]):
            raise Untraceable("an optimizer makes a step that is not recorded")
        if hooked or optimizer._optimizer_step_pre_hooks or optimizer._optimizer_step_post_hooks:
            raise Untraceable("the step of an optimizer has hooks")

    def number_input(self, value):
        """Returns a number that is an input of the program."""
        return self.numbers.input(value)

    def add_step(self, step, counters: list) -> None:
        """Notes what an optimizer reads and writes back, with the new values of its counters."""
        self.steps.append(step)
        self.counters += counters

    def add_update(self, step, written: Sequence[Tensor], read: Sequence[Tensor]) -> None:
        """Notes a step that an optimizer makes itself, on the arrays of tensors."""
        if not all([type(tensor._array) is RecordedArray for tensor in (*written, *read)]):
            raise Untraceable("an optimizer holds tensors that are not recorded")
        arrays = tuple([Array(self.number_of(tensor)) for tensor in (*written, *read)])
        self.trace.steps.append(Update(UpdateOp(step.run), arrays, len(written)))
        for tensor in written:
            tensor._storage.written()
        self.steps.append(step)


class Made(NamedTuple):
    """A new tensor: its position among the outputs, its history, of which nothing is left to run, and its version."""

    position: int
    edge: Any
    version: int


class Effects(NamedTuple):
    """What a recorded step does besides computing."""

    tensors: list[Tensor]  # the tensors of the program; the inputs of the trace after those of the function
    gradients: list[int | None]  # the position in `tensors` of each tensor's gradient before the step
    writes: list[int]  # how many writes each of `tensors` counts
    grads: list[Made | int | None]  # the gradient of each tensor afterwards: new, one of `tensors`, or None
    results: list[Made | int | None]  # what the function returned: likewise
    inputs: list[int]  # how many writes each input of the function counts


class Whole(NamedTuple):
    """A recorded step. The inputs of the trace are those of the function, the tensors of the effects, and numbers."""

    trace: Trace
    effects: Effects
    steps: list  # what the optimizers read and write back
    numbers: Callable  # from the numbers that the steps read to the 0-d arrays of the inputs, and new counters
    mode: bool  # the grad mode


def record_whole(
    function: Callable,
    inputs: Sequence[Tensor],
    tensors: Sequence[Tensor],
    optimizers: Sequence = (),
    formulas: bool = True,
) -> Whole:
    """Returns a function of tensors that trains as a `Whole`; nothing that it changes is changed by recording it.

    `tensors` are all tensors of the program whose elements or gradients the function reads or changes: parameters,
    buffers. `optimizers` are those that it steps: their `formulas` are in the trace, or one `Update` for each group.
    Raises `Untraceable` if a call is not like the next one.
    """
    return recorded(lambda products: _record_whole(function, inputs, tensors, optimizers, formulas, products))


def _record_whole(
    function: Callable,
    inputs: Sequence[Tensor],
    tensors: Sequence[Tensor],
    optimizers: Sequence,
    formulas: bool,
    products: bool,
) -> Whole:
    """Records once."""
    if type(mode := plain_mode()) is not bool:
        raise Untraceable("a mode is active")
    held = [*tensors, *[tensor for optimizer in optimizers for tensor in states_of(optimizer)]]
    held = list({id(tensor): tensor for tensor in held}.values())
    options = [(group, dict(group)) for optimizer in optimizers for group in optimizer.param_groups]
    with LOCK, recording_level(TrainingLevel, products, optimizers, formulas) as level:
        arguments = [argument(level, tensor) for tensor in inputs]
        with standing(level, held) as every:
            results = list(function(*arguments))
            check_rest(level, every, arguments)
            check_options(options)
            effects = effects_of(level, every, results, arguments)
        numbers = level.numbers.program(level.counters)
        trace = without_copies(simplify(level.trace))
        return Whole(trace, effects, level.steps, numbers, mode)


def states_of(optimizer) -> Iterator[Tensor]:
    """Yields the parameters of an optimizer and the tensors of its state, without the counters."""
    if not hasattr(optimizer, "_counters"):
        raise Untraceable(f"{type(optimizer).__name__} makes its step by other means than a formula")
    for group in optimizer.param_groups:
        for param in group["params"]:
            yield param
            state = optimizer.state.get(param, {})
            yield from [state[name] for name in optimizer._state_names_for(group) if state.get(name) is not None]


def argument(level: TrainingLevel, tensor: Tensor) -> Tensor:
    """Returns an input of the function, a leaf with the elements of a tensor."""
    copied = example_of(tensor, level.products)
    made = input_of(level, copied.detach())
    return made.requires_grad_() if copied.requires_grad else made


def check_rest(level: TrainingLevel, every: Sequence[Standing], arguments: Sequence[Tensor]) -> None:
    """Raises Untraceable if the function has changed, or read, what is not an effect."""
    for one in every:
        one.check_same()
    for number, tensor in zip(level.trace.inputs, arguments, strict=False):
        if type(tensor._array) is not RecordedArray or tensor._array.number != number:
            raise Untraceable("an input got other memory")
        if tensor._storage.version and tensor.requires_grad:
            raise Untraceable("an input that requires a gradient is written to")
    if any([gradient_of(tensor) is not None for tensor in arguments]):
        raise Untraceable("an input gets a gradient")
    owners = {id(owner(one.slots[0])) for one in every}
    for constant in level.trace.constants.values():
        if constant.requires_grad or id(owner(constant._array)) in owners:
            raise Untraceable("a tensor that is trained or written to is not among the tensors")


def check_options(options: list[tuple[dict, dict]]) -> None:
    """Raises Untraceable if options of optimizers have changed, which it takes back."""
    for group, before in options:
        if len(group) != len(before) or not all([group.get(name) is value for name, value in before.items()]):
            group.clear()
            group.update(before)
            raise Untraceable("the function changes the options of an optimizer")


def effects_of(
    level: TrainingLevel, every: Sequence[Standing], results: Sequence, arguments: Sequence[Tensor]
) -> Effects:
    """Returns what the function has done, and enters the outputs of the trace."""
    positions = {id(one.tensor): position for position, one in enumerate(every)}
    outputs: dict[int, Made] = {}  # id of a new tensor -> how it is made

    def form(tensor):
        if tensor is None or id(tensor) in positions:
            return None if tensor is None else positions[id(tensor)]
        if not isinstance(tensor, Tensor):
            raise Untraceable(f"a result is a {type(tensor).__name__}")
        if id(tensor) not in outputs:
            outputs[id(tensor)] = made_of(level, tensor, len(outputs))
        return outputs[id(tensor)]

    befores = [None if one.attributes is None else positions.get(id(one.attributes["grad"])) for one in every]
    grads = [form(gradient_of(one.tensor)) for one in every]
    writes = [one.writes for one in every]
    made = [form(result) for result in results]
    inputs = [argument._storage.version for argument in arguments]
    return Effects([one.tensor for one in every], befores, writes, grads, made, inputs)


def made_of(level: TrainingLevel, tensor: Tensor, position: int) -> Made:
    """Returns how a new tensor is made. Raises Untraceable if it is a view, or has a graph that can still be run."""
    array, trace = tensor._array, level.trace
    if type(tensor) is not Tensor or type(array) is not RecordedArray or array.level is not level:
        raise Untraceable("a result was not made by the function")
    if tensor._own_grad is not None:
        raise Untraceable("a result keeps its gradient")
    if tensor._base is not None or trace.base_of(array.number) in trace.inputs:
        raise Untraceable("a result is a view")
    if type(tensor._edge) is Leaf or not is_spent(tensor._edge):
        raise Untraceable("a result has a graph")
    trace.outputs.append(array.number)
    return Made(position, tensor._edge, tensor._storage.version)


def holds_objects(node) -> bool:
    """Whether a node of a custom function may keep tensors in attributes of its `ctx`."""
    if not node.takes_tensors:
        return False
    values = node.attributes.values() if isinstance(node, FunctionNode) else (node,)
    return not all([type(part) in NUMBERS for each in values for part in (each if type(each) is tuple else (each,))])


NUMBERS = (bool, int, float, complex, str, type(None))


def is_spent(edge) -> bool:
    """Whether no node of a graph has values that it saved: a backward has freed them."""
    waiting, seen = [] if edge is None else [node_of(edge)], set()
    while waiting:
        node = waiting.pop()
        if node in seen or type(node) is Leaf:
            continue
        seen.add(node)
        if node.saved is not RELEASED and (node.saved or holds_objects(node) or node.packed is not None):
            return False
        waiting += [node_of(each) for each in node.edges if each is not None]
    return True
