"""The backend of a GPU: its arrays, its language, its memory, and the copies to and from the CPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from rushlight.arrays.cuda.again import Again
from rushlight.arrays.cuda.conditions import is_deferred
from rushlight.arrays.cuda.copies import fetched, outermost_first, sent
from rushlight.arrays.cuda.devices import Devices, cuda_error
from rushlight.arrays.cuda.meaning import Meaning
from rushlight.arrays.device_memory import DeviceMemory
from rushlight.arrays.philox import DRAWS
from rushlight.arrays.philox.generator import PhiloxGenerator
from rushlight.core.device import BACKENDS, CAPTURING, WAITS, Backend, device
from rushlight.core.errors import OutOfMemoryError
from rushlight.core.fp_errors import IGNORED
from rushlight.core.generator import Generator, default_generator
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.marked_dtypes import marked


def computes_at_once() -> bool:
    """Whether a simulated GPU captures, which computes what it captures, at once as the default stream does."""
    return bool(CAPTURING) and CAPTURING[-1].at_once


class Language:
    """The array language over a CuPy, real or fake: the files of `arrays/`, read again for all its devices."""

    def __init__(self, cupy: Any, cupyx: Any) -> None:
        self.cupy, self.meaning = cupy, Meaning(cupy, cupyx)
        again = Again(self.meaning, cupyx.scipy.special)
        self.table = again.import_module("rushlight.core.tables").xp
        self.table.IGNORED = IGNORED
        again.import_module("rushlight.core.formats")
        again.import_module("rushlight.arrays.cpu")


class Cuda(Backend):
    """One GPU."""

    has_strides = True
    generator_kind, distributions = PhiloxGenerator, DRAWS
    draws: Any = None  # fills arrays by kernels, where there are any
    cudnn: Any = None  # the module of NVIDIA's frontend, where it is installed
    load_nccl: Any = None  # returns CuPy's module for NCCL, or None if the library is not installed
    captures_streams = False  # whether `torch.cuda.graph` captures by CUDA

    def __init__(self, devices: Devices, index: int, language: Language) -> None:
        self.cupy = language.cupy
        super().__init__(
            "cuda", array_class(language.cupy, language.meaning), language.table, from_cpu=self._sent,
            to_cpu=self._fetched, adopt=self._adopted, place=device("cuda", index),
        )  # fmt: skip
        self.devices, self.index = devices, index
        self.properties = self.cupy.cuda.runtime.getDeviceProperties(index)
        self.full = self.cupy.cuda.memory.OutOfMemoryError
        self.failed = self.cupy.cuda.runtime.CUDARuntimeError
        self.memory = DeviceMemory(index, self.properties["totalGlobalMem"])
        self.generator: Any = None  # made when the device becomes available
        self.queues: WeakValueDictionary[int, Any] = WeakValueDictionary()  # CuPy's streams, by number
        self.lock = Lock()
        self.filling: list[tuple[Any, np.ndarray]] = []  # memory of the CPU that is being filled, and when it is

    def renew(self) -> None:
        """Gives a device that becomes available a generator, seeded as that of the CPU was."""
        self.generator = Generator(self.place).manual_seed(default_generator.initial_seed())

    def formula(self, op: Any) -> Any:
        """Returns what computes an operator, of the array language and the operands."""
        return op.forward if self.formulas is None else self.formulas.of(op)

    def drawn(self, distribution: str, shape: tuple, dtype: np.dtype, *state: Any) -> tuple[Any, int]:
        """Returns an array of random numbers, queued on the current stream, and the offset after them."""
        if self.devices.here.device != self.index:
            with self.entered():
                return self.drawn(distribution, shape, dtype, *state)
        try:
            array, offset = self.draws.drawn(distribution, shape, dtype, *state)
        except self.full as error:
            raise self.out_of_memory(error) from error
        self.hold(array := self._adopted(array))
        return array, offset

    def at(self, index: int | None) -> Backend:
        return self.devices[self.devices.here.device if index is None else index]

    # ---- streams

    def queue(self, number: int) -> Any:
        """Returns CuPy's stream of a number, made on first use; 0 is the default stream."""
        if not number:
            return self.cupy.cuda.Stream.null
        if (stream := self.queues.get(number)) is None:
            with self.cupy.cuda.Device(self.index):
                self.queues[number] = stream = self.cupy.cuda.Stream(non_blocking=True)
        return stream

    def enter(self) -> int:
        """Makes the device and its stream the current ones of this thread; returns the index of the device before."""
        here = self.devices.here
        before, here.device = here.device, self.index
        self.cupy.cuda.Device(self.index).use()
        self.current_queue().use()
        return before

    @contextmanager
    def entered(self) -> Iterator[None]:
        """In the block, the device and its stream are the current ones of this thread."""
        before = self.enter()
        try:
            yield
        finally:
            self.devices.made[before].enter()

    def current_queue(self) -> Any:
        """Returns CuPy's stream that this thread has chosen."""
        stream = self.devices.here.streams.get(self.index)
        return self.queue(0 if stream is None or computes_at_once() else stream.stream_id)

    def event(self, timed: bool, stream: Any) -> Any:
        """Returns an event of CuPy's that a stream of ours has recorded."""
        with self.cupy.cuda.Device(self.index):
            event = self.cupy.cuda.Event(disable_timing=not timed)
            event.record(self.queue(0 if computes_at_once() else stream.stream_id))
        return event

    def elapsed(self, start: Any, end: Any) -> float:
        """Returns the milliseconds between two events. Raises AcceleratorError unless both have happened."""
        if not (start.done and end.done):
            raise cuda_error("device not ready", "cudaErrorNotReady")
        return self.cupy.cuda.get_elapsed_time(start, end)

    def synchronize(self) -> None:
        """Waits for all work of the device."""
        self.cupy.cuda.Device(self.index).synchronize()
        self.release()

    # ---- calls

    def run(self, call, modes) -> list:
        """Computes a call; counts the memory of its tensors, and hands it to the captures under way."""
        if self.devices.here.device != self.index:
            with self.entered():
                return self.run(call, modes)
        try:
            if CAPTURING:
                return CAPTURING[-1].computed_call(self._run, call, modes)
            return self._run(call, modes)
        except self.full as error:
            raise self.out_of_memory(error) from error
        except self.failed as error:
            if not CAPTURING:
                raise
            raise CAPTURING[-1].refused(error, call.op.name) from error

    def out_of_memory(self, error: Exception) -> OutOfMemoryError:
        """Returns PyTorch's error for one of CuPy's, whose pool has given back all free blocks before."""
        words = re.search(r"allocating ([\d,]+) bytes", str(error))
        return self.memory.out_of_memory(int(words[1].replace(",", "")) if words else 0)

    def _run(self, call, modes) -> list:
        if call.op.cross_device:  # a copy to the CPU waits
            tensors = call.wrap(call.compute(), modes)
        else:
            with WAITS.without():  # what a formula reads, the program does not
                tensors = call.wrap(call.compute(), modes)
        for tensor in tensors:
            array = beneath(tensor._array)
            if isinstance(array, self.cupy.ndarray) and not call.op.view:
                BACKENDS.by_array[type(array)].hold(array)
        for listener in self.devices.here.listeners:
            listener(call, tensors)
        return tensors

    def hold(self, array: Any) -> None:
        """Counts the memory of an array until it dies."""
        here = self.devices.here
        stream = here.streams.get(self.index)
        pool = here.pools[-1] if here.pools else None
        self.memory.hold(array, 0 if stream is None else stream.stream_id, pool)

    def write(self, target: Any, values: Any) -> None:
        """Writes the elements of an array over those of another; casts and broadcasts them."""
        values = values if isinstance(values, self.cupy.ndarray) else self.cupy.asarray(values)
        self.cupy.copyto(target, values, casting="unsafe")

    def pinned(self, size: int) -> Any:
        """Returns page-locked memory of the CPU, a buffer of at least that many bytes."""
        with self.cupy.cuda.Device(self.index):
            return self.cupy.cuda.alloc_pinned_memory(size)

    def _sent(self, array: Any, place: device) -> Any:
        """Copies an array of the CPU, or of another device, to this one."""
        on_device = isinstance(array, self.cupy.ndarray)
        if not on_device and is_deferred():
            return CAPTURING[-1].constant(lambda: self._copied(array, False))
        return self._copied(array, on_device)

    def _copied(self, array: Any, on_device: bool) -> Any:
        try:
            copy = array.view(type=self.cupy.ndarray).copy("K") if on_device else sent(self.cupy, array, WAITS.queued)
        except self.full as error:
            raise self.out_of_memory(error) from error
        self.hold(copied := self._adopted(copy))
        return copied

    def _fetched(self, array: Any) -> np.ndarray:
        """Copies an array to the CPU's memory; waits for what computes it, unless there is a target to fill."""
        if (make := WAITS.target) is None:
            WAITS.begin("copy")
            return fetched(array)
        WAITS.target = None
        self.fill(target := make(array), array)
        return target

    def fill(self, target: np.ndarray, array: Any) -> None:
        """Queues a copy to pinned memory of the CPU, which is in one piece, and keeps that until it is done."""
        if not array.size:
            return
        if self.devices.here.device != self.index:
            with self.entered():
                self.fill(target, array)
            return
        order = outermost_first(target)
        array.transpose(order).get(out=target.transpose(order), blocking=False)
        event = self.cupy.cuda.Event(disable_timing=True)
        event.record()
        self.release()
        with self.lock:
            self.filling.append((event, target))

    def release(self) -> None:
        """Lets go of memory of the CPU that has been filled."""
        with self.lock:
            self.filling = [(event, target) for event, target in self.filling if not event.done]

    def _adopted(self, result: Any) -> Any:
        """Returns the result of a kernel, or a number, as an array of a tensor.

        It owns its memory, unless it is a view of another array of a tensor.
        """
        kind = self.array_type
        if type(result) is kind:
            return result
        if not isinstance(result, self.cupy.ndarray):
            result = self.cupy.asarray(result)
        if type(result.base) is kind:
            return result.view(type=kind)
        return kind(result.shape, result.dtype, result.data, result.strides)


def array_class(cupy: Any, meaning: Meaning) -> type:
    """Returns a class for the arrays of tensors: CuPy's, but for a dtype that the fast paths do not take.

    A function of NumPy's that is called on one means that of the device.
    """
    plain = cupy.ndarray.dtype.__get__

    class DeviceArray(cupy.ndarray):
        __slots__ = ()

        @property
        def dtype(self):
            return marked(plain(self))

        def item(self):
            WAITS.begin("item")
            return super().item()

        def copy(self, order="C"):
            return of_tensors(super().copy(order))

        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            if any(isinstance(x, np.ndarray) for x in inputs):
                return super().__array_ufunc__(ufunc, method, *inputs, **keywords)
            called = getattr(meaning, ufunc.__name__)
            result = (called if method == "__call__" else getattr(called, method))(*inputs, **keywords)
            return of_tensors(result)

        def __array_function__(self, function, types, arguments, keywords):
            if np.ndarray in types:
                raise TypeError(f"Unsupported type {np.ndarray}")
            return of_tensors(getattr(meaning, function.__name__)(*arguments, **keywords))

    def of_tensors(result):
        if type(result) is not cupy.ndarray:
            return result
        return DeviceArray(result.shape, result.dtype, result.data, result.strides)

    return DeviceArray
