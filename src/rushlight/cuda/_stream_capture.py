"""Captures the work of a program on a GPU, by CUDA's capture of a stream.

What the stream would queue becomes a graph, which is launched as one. Between two such pieces Python does at each
replay what changes from one to the next: it draws random numbers, copies from the CPU, makes the steps of optimizers,
which count. The pieces take memory from a pool of their own, which lives as long as they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from weakref import WeakValueDictionary

from rushlight.core.device import WAITS, is_on_gpu
from rushlight.core.errors import noted
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.tensor import Tensor
from rushlight.cuda._capture import Recorded, arrays_in, frozen, run_again, write
from rushlight.dispatch.interpreter import Call

DRAWING = frozenset(("dropout_mask", "kept_mask", "random_directions"))  # operators, by the shape of their operand


class PrivatePool:
    """Memory of graphs that share it; a pool of CuPy's."""

    def __init__(self, cupy: Any) -> None:
        self.memory = cupy.cuda.MemoryPool()


POOLS: WeakValueDictionary[tuple[int, int], PrivatePool] = WeakValueDictionary()  # those of captures, by handle


def pool_of(handle: tuple[int, int], cupy: Any) -> PrivatePool:
    """Returns the pool with a handle, made on first use."""
    pool = POOLS.get(handle)
    if pool is None:
        POOLS[handle] = pool = PrivatePool(cupy)
    return pool


class StreamCapture(Recorded):
    """What is captured of one stream of a GPU: pieces, and steps of Python's between them."""

    at_once = takes_closures = False

    def __init__(self, backend: Any, stream: Any, handle: tuple[int, int]) -> None:
        super().__init__()
        self.backend, self.cupy, self.handle = backend, backend.cupy, handle
        self.stream = backend.queue(stream.stream_id)
        self.pool = pool_of(handle, self.cupy)
        self.pieces: list[Any] = []
        self.kept: dict[int, Any] = {}  # arrays that the pieces read, and the program may forget
        self.conditions: list[tuple[Any, Exception]] = []  # whether what is checked has held, and what to say if not
        self.replayed_on: Any = None  # CuPy's stream
        self.allocator: Any = None  # a context in which this thread takes memory from the pool

    # ---- capturing

    def begin(self) -> None:
        self._record()
        self.allocator = self.cupy.cuda.using_allocator(self.pool.memory.malloc)
        self.allocator.__enter__()
        super().begin()

    def end(self) -> None:
        try:
            self._cut()
        except self.cupy.cuda.runtime.CUDARuntimeError:
            self.failed = True
        self.allocator.__exit__(None, None, None)
        super().end()

    def _record(self) -> None:
        # The relaxed mode, in which the pool may take memory of the GPU.
        self.stream.begin_capture(self.cupy.cuda.runtime.streamCaptureModeRelaxed)

    def _cut(self) -> None:
        """Ends a piece."""
        piece = self.stream.end_capture()

        def launch() -> None:
            piece.launch(self.backend.current_queue())

        self.pieces.append(piece)
        self.steps.append(launch)

    def between(self, step: Callable[[], None]) -> None:
        """Ends a piece; replays make a step before the next one."""
        self._cut()
        self.steps.append(step)
        self._record()

    def constant(self, copy: Callable[[], Any]) -> Any:
        """Returns a copy of numbers of the CPU that the pieces may read."""
        with self._outside():
            copied = copy()
        self.kept[id(copied)] = copied
        return copied

    @contextmanager
    def _outside(self) -> Iterator[None]:
        """In the block, work goes to the default stream, which is not captured, with the memory of all tensors."""
        self.paused += 1
        self.backend.queue(0).use()
        try:
            with self.cupy.cuda.using_allocator(self.cupy.get_default_memory_pool().malloc):
                yield
            self.backend.queue(0).synchronize()
        finally:
            self.stream.use()
            self.paused -= 1

    # ---- what the rest of the package tells of

    def computed_call(self, compute: Callable[..., list], call: Call, modes: Any) -> list:
        """Computes a call; one that draws is computed now, and by Python at each replay."""
        if not self.is_on or call.op.name not in DRAWING:
            return compute(call, modes)
        with self._outside():
            tensors = compute(call, modes)
        arguments, targets = frozen(call.arguments), [beneath(tensor._array) for tensor in tensors]
        self.kept.update((id(array), array) for array in targets)
        self.between(lambda: run_again(call.op, arguments, targets, []))
        return tensors

    def called(self, call: Call, tensors: list[Tensor]) -> None:
        """Keeps the arrays that a call reads, unless the pool keeps them."""
        for value in call.arguments:
            for array in arrays_of(value):
                block = self.backend.memory.block_of(array)
                if block is None or block.segment.where.pool != self.handle:
                    self.kept[id(array)] = array

    def moved(self, target: Any, values: Any) -> None:
        """Replays copy numbers of the CPU to the GPU again."""
        if self.is_on:
            self.kept[id(target)] = target
            self.between(lambda: write(target, values))

    def wrote(self, target: Any, values: Any) -> None:
        """Replays copy numbers of the CPU again; what an array of the GPU has been given is in a piece."""
        if self.is_on and is_on_gpu(target) and not is_on_gpu(values):
            self.moved(target, values)

    def filled(self, target: Any, values: Callable[[], Any]) -> None:
        """Replays draw again."""
        if self.is_on and is_on_gpu(target):
            self.kept[id(target)] = target
            self.between(lambda: write(target, values()))

    def computed(self, target: Any, values: Callable[[], Any]) -> None:
        """Does nothing: the computation is in a piece."""

    def whole(self, run: Callable[[], Any], before: Callable[[], AbstractContextManager]) -> None:
        """Replays call a function, between `before()` and its exit; nothing calls it now."""

        def step() -> None:
            with before():
                run()

        self.between(step)

    def checks(self, condition: Any, error: Exception) -> None:
        """Replays check a condition; the program hears of it when it next waits for the GPU."""
        held = self.constant(lambda: self.cupy.ones((), bool))
        self.cupy.logical_and(held, condition, out=held)
        self.conditions.append((held, error))

    def reports(self, codes: Any, complaint: Callable[..., Exception]) -> None:
        """Replays check that the codes of matrices are 0; which one is not is not known then."""
        self.checks(self.cupy.equal(codes, 0).all(), complaint("n"))

    # ---- replaying

    def run(self) -> None:
        super().run()
        self.replayed_on = self.backend.current_queue()
        if self.conditions and self.look not in WAITS.listeners:
            WAITS.listeners.append(self.look)

    def look(self, kind: str) -> None:
        """Raises the error of a condition that did not hold in a replay."""
        WAITS.listeners.remove(self.look)
        self.replayed_on.synchronize()
        failed = [error for held, error in self.conditions if not held.item()]
        if failed:
            for held, _ in self.conditions:
                held.fill(True)
            words = "Work that was captured has read it in a replay; this line only waits."
            raise noted(type(failed[0])(*failed[0].args), words)

    def prepare(self) -> None:
        """Sends the pieces to the GPU."""
        for piece in self.pieces:
            piece.upload(self.backend.current_queue())

    def replayed(self, run: Callable[[], None]) -> None:
        self.between(run)


def arrays_of(value: Any) -> Iterator[Any]:
    """Yields the raw arrays of tensors, and those among other arguments."""
    if isinstance(value, Tensor):
        yield beneath(value._array)
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_of(each)
    else:
        yield from arrays_in(value)
