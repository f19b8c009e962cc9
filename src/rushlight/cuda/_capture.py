"""Captures the work of a program on simulated GPUs, and does it again on the same memory; `Recorded` is what this has
in common with the capture of a GPU (`_stream_capture.py`).

What a stream would queue is recorded as steps: calls of operators, writes to memory, draws of random numbers, steps of
optimizers. A step keeps the arrays that it reads and writes, so a replay reads what they hold by then, and writes its
results where the captured ones are.

A GPU does nothing during a capture. Here the work is done, so that the program gets tensors of the right shapes, and
undone at the end: memory that was there before, and generators, are as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import numpy as np

from rushlight.arrays.cuda.devices import cuda_error
from rushlight.core.device import BACKENDS, CAPTURING, WAITS, is_on_gpu
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.modes import MODE, current
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.factors import on_cpu, raise_for
from rushlight.dispatch.interpreter import Call

NOT_PERMITTED = "operation not permitted when stream is capturing", "cudaErrorStreamCaptureUnsupported"
INVALIDATED = "operation failed due to a previous error during capture", "cudaErrorStreamCaptureInvalidated"
# Operators whose results have as many elements as the values say: the program has to wait for the values.
SIZED_BY_VALUES = frozenset((
    "argwhere", "bincount", "masked_select", "nonzero", "nonzero_rows", "unique_elements", "unique_with_places",
))  # fmt: skip
AFTERWARDS = (
    "A graph repeats work on the GPU, and the program runs once: it cannot read a value while it is captured. Read it "
    "after replay(): value.item()."
)
BY_VALUES = (
    "Which elements it takes depends on values, which a graph cannot read: write masked_fill or where() for a mask, "
    "and make an index tensor before the capture, in place of a list."
)
IN_A_FORMULA = (
    "{name}() waits for the GPU while it computes, or copies from the CPU, which a graph does not repeat: call it "
    "before the capture, or after replay()."
)


class Recorded:
    """The steps of work that is being captured, or was."""

    at_once: bool  # whether what is captured is computed at once, on the default stream
    takes_closures: bool  # whether an optimizer's step may call a function that returns the loss

    def __init__(self) -> None:
        self.steps: list[Callable[[], None]] = []
        self.paused = 0  # inside a step that is repeated as a whole
        self.failed = False
        self.thread = get_ident()
        self.generators: list[tuple[Any, Tensor]] = []

    @property
    def is_on(self) -> bool:
        """Whether what this thread does is recorded."""
        return not self.paused and get_ident() == self.thread

    # ---- capturing

    def begin(self) -> None:
        """Starts to record what this thread does on GPUs."""
        CAPTURING.append(self)
        self.generators = [(backend.generator, backend.generator.get_state()) for backend in gpus()]
        gpus().here.listeners.append(self.called)
        WAITS.listeners.append(self.waited)

    def end(self) -> None:
        """Ends it. Raises AcceleratorError if something was not permitted."""
        CAPTURING.remove(self)
        gpus().here.listeners.remove(self.called)
        WAITS.listeners.remove(self.waited)
        for generator, state in self.generators:
            generator.set_state(state)
        self.generators = []
        if self.failed:
            self.steps.clear()
            raise cuda_error(*INVALIDATED)

    def called(self, call: Call, tensors: list[Tensor]) -> None:
        """Hears of a call of an operator."""
        raise NotImplementedError

    def computed_call(self, compute: Callable[..., list], call: Call, modes: Any) -> list:
        """Computes a call of an operator, and returns its tensors."""
        return compute(call, modes)

    def waited(self, kind: str) -> None:
        """Refuses to wait for the GPU, and makes the capture fail."""
        self.failed = True
        raise noted(cuda_error(*NOT_PERMITTED), BY_VALUES if kind == "values" else AFTERWARDS)

    def refused(self, error: Exception, name: str) -> Exception:
        """Returns PyTorch's error for one of CUDA's runtime during a call, which makes the capture fail."""
        self.failed = True
        cause, words = str(error).split(": ", 1)
        note = BY_VALUES if name in SIZED_BY_VALUES else IN_A_FORMULA.format(name=name)
        return noted(cuda_error(words, cause), note)

    @contextmanager
    def pause(self):
        """Records nothing in the block."""
        self.paused += 1
        try:
            yield
        finally:
            self.paused -= 1

    # ---- replaying

    def prepare(self) -> None:
        """Does beforehand what the first replay would do."""

    def replay(self) -> None:
        """Does all steps again. What is captured while it runs gets them too."""
        token = MODE.set(False)
        try:
            if CAPTURING:
                CAPTURING[-1].replayed(self.run)
            else:
                self.run()
        finally:
            MODE.reset(token)

    def replayed(self, run: Callable[[], None]) -> None:
        """Records the replay of another capture."""
        raise NotImplementedError

    def run(self) -> None:
        for step in self.steps:
            step()


class Capture(Recorded):
    """What is captured on simulated GPUs."""

    at_once = takes_closures = True

    def __init__(self) -> None:
        super().__init__()
        self.memory: list[tuple[Any, Any]] = []  # what was there before, with a copy
        self.kept: dict[int, Any] = {}  # arrays that arguments keep from forward for backward
        self.constants: dict[int, Any] = {}  # copied to the GPU during the capture

    def begin(self) -> None:
        for backend in gpus():
            backend.synchronize()
        super().begin()
        gpus()[gpus().here.device].enter()  # which computes at once from here on
        there = [array for backend in gpus() for _, array in backend.memory.in_use()]
        self.memory = [(array, array.copy()) for array in there]

    def end(self) -> None:
        try:
            super().end()
        finally:
            for array, copied in self.memory:
                write(array, copied)
            self.memory = []
            gpus()[gpus().here.device].enter()

    def called(self, call: Call, tensors: list[Tensor]) -> None:
        """Records a call of an operator."""
        if self.paused or call.op.view:
            return
        if call.op.name in SIZED_BY_VALUES or not all(map(self.is_recorded, arrays_in(call.arguments))):
            self.waited("values")
        arguments = frozen(call.arguments)
        targets = [beneath(tensor._array) for tensor in tensors]
        kept = [pair for value in arguments for pair in kept_arrays(value)]
        self.kept.update((id(array), array) for _, _, array in kept)
        self.steps.append(lambda: run_again(call.op, arguments, targets, kept))

    def is_recorded(self, array: Any) -> bool:
        """Whether a raw array is memory of a tensor, or of what a call keeps: no values that the program has read."""
        if id(array) in self.kept or not array.size:
            return True
        if id(array) in self.constants:
            return False
        return any(backend.memory.block_of(array) is not None for backend in gpus())

    def moved(self, target: Any, values: Any) -> None:
        """Records a copy to the GPU."""
        self.constants[id(target)] = target
        self.wrote(target, values)

    def wrote(self, target: Any, values: Any) -> None:
        """Records that the elements of an array were overwritten by those of another."""
        if self.is_on:
            self.steps.append(lambda: write(target, values))

    def filled(self, target: Any, values: Callable[[], Any]) -> None:
        """Records that an array has what a function returns, such as random numbers: each replay calls it again."""
        if self.is_on and is_on_gpu(target):
            self.kept[id(target)] = target
            self.steps.append(lambda: write(target, values()))

    computed = filled  # from other arrays of the GPU

    def reports(self, codes: Any, complaint: Callable[..., Exception]) -> None:
        """Checks that the codes of matrices are 0, now and in each replay."""

        def check() -> None:
            with WAITS.without():
                raise_for(on_cpu(codes), complaint)

        check()
        if is_on_gpu(codes):  # others are checked by the formula, which runs again
            self.steps.append(check)

    def whole(self, run: Callable[[], Any], before: Callable[[], Any]) -> Any:
        """Runs a function as one step, which replays call again, each between `before()` and its exit."""
        with self.pause(), WAITS.without():
            result = run()
        if self.is_on:

            def step() -> None:
                with before():
                    run()

            self.steps.append(step)
        return result

    def replayed(self, run: Callable[[], None]) -> None:
        with self.pause():
            run()
        self.steps.append(run)


def gpus() -> Any:
    """Returns the GPUs that are there."""
    return BACKENDS.by_kind["cuda"].devices


def is_array(value: Any) -> bool:
    """Whether a value is a raw array, of the CPU or of a GPU."""
    return isinstance(value, (np.ndarray, gpus()[0].cupy.ndarray))


def write(target: Any, values: Any) -> None:
    """Writes the elements of a raw array over those of another."""
    if isinstance(target, np.ndarray):
        np.copyto(target, gpus()[0].to_cpu(values) if is_on_gpu(values) else values, casting="unsafe")
    else:
        gpus()[0].write(target, values)


def run_again(op: Any, arguments: tuple, targets: list[Any], kept: list[tuple[Any, str, Any]]) -> None:
    """Computes a call once more, and writes the results over the former ones, also those that an argument keeps."""
    call = Call(op, arguments)
    results = call.wrap(call.compute(), current())
    for target, result in zip(targets, results, strict=True):
        values = beneath(result._array)
        if values is not target and is_array(target):
            write(target, values)
    for holder, name, array in kept:
        if (fresh := getattr(holder, name)) is not array:
            write(array, fresh)
            setattr(holder, name, array)


def kept_arrays(value: Any) -> list[tuple[Any, str, Any]]:
    """Returns what an operator has written to an argument for its backward: batch norm keeps the statistics so."""
    slots = getattr(type(value), "__slots__", ()) if not isinstance(value, Tensor) else ()
    names = [*vars(value)] if hasattr(value, "__dict__") and not isinstance(value, (Tensor, type)) else slots
    return [(value, name, array) for name in names if is_array(array := getattr(value, name, None))]


def frozen(value: Any) -> Any:
    """Returns arguments with other tensors on the same memory: the program may give its own new memory."""
    if isinstance(value, Tensor):
        return wrap(value._array)
    if type(value) in (tuple, list) and any(isinstance(each, (Tensor, tuple, list)) for each in value):
        return type(value)(map(frozen, value))
    return value  # a list of anything else may be what the operator writes to, and its backward reads


def arrays_in(value: Any) -> Iterator[Any]:
    """Yields the raw arrays among arguments: positions, of which an index or a mask was made."""
    if is_array(value):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_in(each)
