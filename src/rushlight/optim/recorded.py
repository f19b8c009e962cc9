"""A step inside a recording of a whole training step (`graph/training.py`).

Small models: the formula on tensors whose calls are recorded, so that all of the step is one program. Its numbers are
inputs: the rate, which schedulers change, and the counters; options that rarely change are constants. Other models: the
step as the optimizer makes it anyway, in passes over the memory of many parameters. Either reads the optimizer anew at
each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rushlight.core.fp_errors import reset_errors, set_errors
from rushlight.core.modes import recording
from rushlight.core.tables import objects, xp
from rushlight.core.tensor import Tensor
from rushlight.core.traced import Untraceable
from rushlight.optim.arithmetic import Steps
from rushlight.optim.optimizer import AFTER_EVERY_STEP, BEFORE_EVERY_STEP, options, plain_option
from rushlight.optim.workspace import REAL, Members, Workspace, by_traits

# Options that are inputs: the rate from the start, others after they have changed once.
VARYING = ("lr",)
CHANGED: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
HOOKED = "all steps have hooks"
FIXED = {int, float, bool, str, type(None), tuple}  # types of options that cannot change in place


class RecordedStep:
    """The step of parameters of one group that have the same counters.

    `counts` is how many new values of counters the program computes for it.
    """

    counts = 0

    def __init__(self, optimizer, index: int, members: Members, names: Sequence[str]):
        self.optimizer, self.index, self.names = optimizer, index, tuple(names)
        self.counters: list[list[Tensor]] = [[state[name] for state in members.states] for name in optimizer._counters]

    def options(self):
        """Returns the options of the group, read anew."""
        return options(self.optimizer.param_groups[self.index], self.optimizer.defaults)

    def read(self) -> list | str:
        """Returns the inputs of the step, or why it is not the one that was recorded."""
        raise NotImplementedError

    def write(self, values: Sequence) -> None:
        """Sets the counters."""
        for tensors, value in zip(self.counters, values, strict=True):
            for tensor in tensors:
                tensor._array[...] = value
            objects.count_writes([tensor._storage for tensor in tensors])

    def counters_now(self) -> list | None:
        """Returns the values of the counters; None if they are no longer the same for all parameters."""
        values = []
        for tensors in self.counters:
            numbers = {tensor._array.item() for tensor in tensors}
            if len(numbers) != 1:
                return None
            values.append(numbers.pop())
        return values


class FormulaStep(RecordedStep):
    """A step by its formula, in the trace: its inputs are numbers, other options are constants."""

    def __init__(self, optimizer, index: int, members: Members, names: Sequence[str]):
        super().__init__(optimizer, index, members, names)
        o = vars(self.options())
        varying = {*VARYING, *CHANGED.get(optimizer, ())}
        self.inputs = [name for name, value in o.items() if name in varying and type(value) in (int, float)]
        self.constants = {name: value for name, value in o.items() if name not in (*self.inputs, "betas")}
        self.known = list(filter(optimizer.defaults.__contains__, optimizer.param_groups[index]))
        self.counts = len(self.counters)
        self.every: tuple | None = None  # their values when they were last compared
        self.read_inputs: list = []

    def read(self) -> list | str:
        if BEFORE_EVERY_STEP or AFTER_EVERY_STEP:
            return HOOKED
        every = tuple(map(self.optimizer.param_groups[self.index].get, self.known))
        if self.every is None or not all(map(is_, every, self.every)):
            o = vars(self.options())
            for name, value in self.constants.items():
                if name not in o or type(o[name]) is not type(value) or o[name] != value:
                    CHANGED.setdefault(self.optimizer, set()).add(name)
                    return name
            self.read_inputs = [o[name] for name in self.inputs]
            self.every = every if {type(value) for value in every} <= FIXED else None
        counters = self.counters_now()
        return "counters" if counters is None else [*self.read_inputs, *counters]


class ArrayStep(RecordedStep):
    """A step that the optimizer makes itself on arrays, as it does when it is not recorded."""

    def __init__(self, optimizer, index: int, members: Members, names: Sequence[str]):
        super().__init__(optimizer, index, members, names)
        self.size, self.workspace = len(members.params), Workspace()
        self.o: Any = None

    def read(self) -> list | str:
        if BEFORE_EVERY_STEP or AFTER_EVERY_STEP:
            return HOOKED
        optimizer = self.optimizer
        group = optimizer.param_groups[self.index]
        counters = self.counters_now()
        if counters is None or tuple(optimizer._state_names_for(group)) != self.names or group.get("differentiable"):
            return "counters or options"
        self.o = o = self.options()
        for name, value in zip(optimizer._counters, counters, strict=True):
            setattr(o, name, value)
        optimizer._prepare(o)
        return []

    def run(self, arrays: tuple) -> None:
        """Makes the step; `arrays` are those of the parameters, the states and the gradients."""
        size = self.size
        rows = [list(arrays[start : start + size]) for start in range(0, len(arrays), size)]
        errors = set_errors(xp.IGNORED)
        try:
            rows = [rows[0], rows[-1], *rows[1:-1]]
            self.optimizer._step_arrays(self.o, rows, self.names, self.workspace, in_program=True)
        finally:
            reset_errors(errors)

    def write(self, values: Sequence) -> None:
        self.optimizer._update_counters(self.o)
        super().write([getattr(self.o, name) for name in self.optimizer._counters])


def step_recorded(optimizer, index: int, group: dict[str, Any], params: list[Tensor], gradients: list[Tensor]) -> None:
    """Records the step of a group. Raises Untraceable if it is not the same for each call."""
    level = params[0]._array.level
    names: Sequence[str] = optimizer._state_names_for(group)
    states = [optimizer.state.get(param, {}) for param in params]
    if recording():
        raise Untraceable("a step is differentiated")
    if (optimizer._counters or names) and not all(states):
        raise Untraceable("a step makes the state")
    if any([state.get(name) is None for state in states for name in names]):
        raise Untraceable("a step makes a part of the state")
    if any([type(state[name]._array) is not np.ndarray for state in states for name in optimizer._counters]):
        raise Untraceable("a counter is not on the CPU")
    if len(set(map(id, params))) < len(params):
        raise Untraceable("a parameter is listed twice")
    members = Members(params, gradients, states, [param._array for param in params], [g._array for g in gradients])
    for subset in by_traits(members, optimizer._counters, optimizer._lazy_state):
        dtype = subset.own[0].dtype
        if level.formulas or dtype not in REAL or subset.others[0].dtype != dtype:
            record_formula(optimizer, level, FormulaStep(optimizer, index, subset, names), subset)
        else:
            rows = [[state[name] for state in subset.states] for name in names]
            written = [*subset.params, *[tensor for row in rows for tensor in row]]
            level.add_update(ArrayStep(optimizer, index, subset, names), written, subset.gradients)


def record_formula(optimizer, level, step: FormulaStep, members: Members) -> None:
    """Records the formula of a step."""
    o = step.options()
    for name in step.inputs:
        setattr(o, name, level.number_input(getattr(o, name)))
    for name, tensors in zip(optimizer._counters, step.counters, strict=True):
        setattr(o, name, level.number_input(plain_option(tensors[0], False)))
    optimizer._prepare(o)
    for param, gradient, state in zip(members.params, members.gradients, members.states, strict=True):
        optimizer._step_tensor(o, param, gradient, state, step.names, Steps)
    optimizer._update_counters(o)
    level.add_step(step, [getattr(o, name) for name in optimizer._counters])
