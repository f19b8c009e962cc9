"""Functions that programs call often without having compiled them: replayed where no program can tell the difference.

`func` has its transforms replayed so. A replay makes the calls on arrays that the function makes; what it leaves out is
the Python in between. A program is used if its first replay gives what the function has given. Last digits may differ
where an elementary function has several kernels; so which calls are replayed does not depend on times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.capture.calls import Call
from rushlight.capture.compiled import CompiledFunction
from rushlight.capture.origins import NotClosed
from rushlight.capture.program import Program
from rushlight.core.policy import OFTEN
from rushlight.core.tensor import Tensor
from rushlight.dispatch.plan import OBSERVING

PROGRAMS = 4  # for inputs of different shapes


class OftenCalled(CompiledFunction):
    """A compiled function that programs do not know of: no report has it, and it is never an error.

    It runs as written while results are observed. A call is watched only while there is one thread: others could see
    a module while a recording lends it other parameters.
    """

    idle = (*CompiledFunction.idle, OBSERVING)
    replays = np.zeros(1, np.int64)

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function, limit=PROGRAMS, options={"kernels": False, "trial": False})
        self.backend = None  # whatever the stance says of functions that are compiled
        self.pause = 0  # calls as written before the next one is watched

    def unfitting(self, surroundings: tuple, programs: tuple, args: tuple, kwargs: dict) -> Any:
        self.pause -= 1
        if len(programs) == PROGRAMS:
            self.missed[surroundings] += 1
        elif self.pause <= 0 and is_single_threaded() and self.may_watch(programs):
            self.pause = OFTEN
            return self.watched(surroundings, args, kwargs)
        return self.function(*args, **kwargs)

    def is_watched(self) -> None:
        pass

    def has_broken(self, problem: Any, place: tuple) -> None:
        pass

    def has_program(self, program: Program, why: Any) -> None:
        pass

    def refuse(self, problem: Any) -> None:
        pass

    def check(self, program: Program, args: tuple, kwargs: dict, result: Any) -> None:
        """Raises NotClosed if the call did more than to compute tensors without a history, or a replay differs."""
        calls = {item.number for item in program.watched.items if type(item) is Call}
        if [numbers for numbers, _ in program.parts] != [calls] or len(program.segments) != 1:
            raise NotClosed("the call does more than to compute tensors")
        segment = program.segments[0]
        if segment.derivative is not None:
            raise NotClosed("results have a history")
        if segment.writes or any([step.draws for step in segment.trace.steps]):
            raise NotClosed("elements are written or drawn")
        if (values := program.check(args, kwargs)) is None:
            raise NotClosed("the call has changed what its guards read")
        inputs = [value for value in values if isinstance(value, Tensor)]
        try:
            replayed = program.replay(*values)
        except Exception as error:
            raise NotClosed(f"a replay fails: {error}") from error
        if not is_same(result, replayed, inputs):
            raise NotClosed("a replay differs")


def is_same(result: Any, replayed: Any, inputs: list[Tensor]) -> bool:
    """Whether a program cannot tell two results from each other, but for last digits."""
    one, other = Look(result, inputs), Look(replayed, inputs)
    pairs = zip(one.arrays, other.arrays, strict=False)
    return one.structure == other.structure and one.shared == other.shared and all([agree(*pair) for pair in pairs])


class Look:
    """What a program can tell of a result: its structure, its arrays, and which of them share memory, or inputs'."""

    def __init__(self, result: Any, inputs: list[Tensor]):
        self.tensors: list[Tensor] = []
        self.structure = self._of(result)
        self.arrays = [each._array for each in self.tensors]
        pairs = [(one, other) for one in self.tensors for other in (*inputs, *self.tensors)]
        self.shared = [(one is other, np.may_share_memory(one._array, other._array)) for one, other in pairs]

    def _of(self, value: Any) -> Any:
        kind = type(value)
        if isinstance(value, Tensor):
            if type(array := value._array) is not np.ndarray:
                raise NotClosed("a result is no array in the CPU's memory")
            self.tensors.append(value)
            return kind, array.dtype, array.shape, array.strides, value.requires_grad
        if isinstance(value, dict):
            return kind, [(key, self._of(each)) for key, each in value.items()]
        if isinstance(value, (list, tuple)):
            return kind, [self._of(each) for each in value]
        return value


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays are equal but for last digits: elementary functions have several kernels."""
    if one.dtype.kind not in "fc":
        return bool((one == other).all())
    tolerance = 64 * np.finfo(one.dtype).eps
    most = np.abs(one[np.isfinite(one)]).max(initial=0)
    return np.allclose(one, other, rtol=tolerance, atol=tolerance * most, equal_nan=True)


def replayed(function: Callable[..., Any]) -> Callable[[tuple, dict], Any]:
    """Returns a function of arguments and keywords that does what `function` does."""
    return OftenCalled(function).front.call


def is_single_threaded() -> bool:
    """Whether there is no other thread now."""
    return len(sys._current_frames()) == 1
