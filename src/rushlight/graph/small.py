"""A whole trace of small tensors as one builtin function: arrays in, new arrays out, no Python in between.

Steps become nests (`small_steps.py`) over views of buffers (`small_memory.py`); nests of one space share a loop
(`small_groups.py`), whose elements are vectors in registers (`lower/small_text.py`). What groups hand on is in an arena
on the stack. Results are new arrays, or inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

import numpy as np

from rushlight.graph.program import Program
from rushlight.graph.small_groups import Groups, arena
from rushlight.graph.small_memory import MADE, Buffer, Unsupported
from rushlight.graph.small_plan import Plan
from rushlight.graph.small_steps import planned
from rushlight.graph.small_writer import Writer
from rushlight.graph.trace import Trace
from rushlight.lower import llvm, small_call

COLD, LIGHT = llvm.COLD, llvm.FORMULA
CALLS = 1024  # calls until a program is compiled again with optimisations, at most
FEWEST_CALLS = 64
# A line takes 0.1 ms to optimise, after which an element takes 0.1 ns less: a quarter of the calls that make up for it.
ELEMENTS_FOR_A_LINE = 250_000


def compile_small(trace: Trace, gear: str = "") -> Callable[..., tuple] | None:
    """Returns a function from the arrays of the inputs to a tuple of the outputs; None if it cannot be compiled so.

    The arrays have the shapes, strides and dtypes of the trace. One that the trace writes to overlaps no other. `gear`
    is "cold" or "light"; otherwise a program is "light" if it was compiled so before, or after some calls.
    """
    if not is_available():
        return None
    try:
        plan = planned(trace)
        results = results_of(plan)
        groups = Groups(plan.nests)
        offsets, size = arena(groups)
        writer = Writer(plan, groups, offsets)
        text = writer.text()
    except Unsupported:
        return None
    constants = [trace.constants[buffer.number]._array for buffer in plan.constants] + plan.tables
    if 1 + len(trace.inputs) + len(constants) + len(plan.made) > small_call.MOST:
        return None
    read = [int(number in writer.read) for number in range(len(trace.inputs))]
    words = np.array([len(trace.inputs), len(constants), len(trace.outputs), size, 0, 0, *read, *results], np.int64)
    improve = Improvement(text, words, sum([nest.work() for nest in plan.nests]))
    improve.begin(gear)
    return small_call.caller("small_program", words, StepByStep(trace), improve, constants)


@cache
def is_available() -> bool:
    """Whether there is machine code for this processor."""
    return llvm.is_available() and llvm.host().fit


class Improvement:
    """Compiles a program fast at first, and again with optimisations when it has been called often.

    `work` is how many elements a call computes: the more, the sooner optimisations pay off.
    """

    def __init__(self, text: str, words: np.ndarray, work: int):
        self.text, self.words, self.work = text, words, work

    def begin(self, gear: str) -> None:
        """Compiles the program, and enters its address into the words."""
        if gear == "light" or (gear != "cold" and llvm.host().is_known(self.text, LIGHT)):
            self()
            return
        self.words[small_call.PROGRAM] = address_of(self.text, COLD)
        self.words[small_call.LEFT] = 0 if gear else self.calls()

    def calls(self) -> int:
        """Returns after how many calls optimisations are expected to pay off."""
        return min(CALLS, max(FEWEST_CALLS, self.text.count("\n") * ELEMENTS_FOR_A_LINE // max(self.work, 1)))

    def __call__(self) -> None:
        self.words[small_call.PROGRAM] = address_of(self.text, LIGHT)
        self.text = ""


def address_of(text: str, passes: tuple[str, ...]) -> int:
    """Returns the address of a program, which is loaded once."""
    name = llvm.host().key(text, passes)
    with llvm.COMPILING:
        if name not in LOADED:
            LOADED[name] = llvm.build(text, "run", passes=passes)["run"]
    return LOADED[name]


LOADED: dict[str, int] = {}  # by their names in the cache of object code


class StepByStep:
    """The steps of a trace one by one, for inputs that its small program refuses: they raise the error."""

    def __init__(self, trace: Trace):
        self.trace = trace

    @cached_property
    def program(self) -> Program:
        return Program(self.trace)

    def __call__(self, *arrays) -> tuple:
        return tuple(self.program(*arrays))


def results_of(plan: Plan) -> list[int]:
    """Returns the words that describe the results. Raises Unsupported for one that shares memory with another."""
    trace, words = plan.trace, []
    order: list[Buffer] = []
    for number in trace.outputs:
        if number is None:
            words.append(small_call.NOTHING)
            continue
        if number in trace.inputs:
            words += [small_call.KEPT, trace.inputs.index(number)]
            continue
        if number not in plan.views:
            plan.constant(number)
        view, meta = plan.views[number], trace.metas[number]
        if view.buffer.home != MADE or view.buffer in order or view.offset or view.elements != view.buffer.size:
            raise Unsupported("a result that shares memory")
        order.append(view.buffer)
        words += [small_call.MADE, len(meta.shape), meta.dtype.num, *meta.shape, *meta.strides]
    plan.made[:] = order
    return words
