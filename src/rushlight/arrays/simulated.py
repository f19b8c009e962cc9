"""Simulated GPUs: CPU arrays of a separate class for each device.

They are subclasses of NumPy arrays, so every kernel runs on them. Other code keeps them separate: transfers copy, the
general path refuses to mix classes, and `.numpy()` refuses them. The memory of each device is counted.
"""

from __future__ import annotations

import os
from functools import cache
from threading import local
from typing import Any

import numpy as np

from rushlight.arrays.device_memory import DeviceMemory
from rushlight.core.device import BACKENDS, WAITS, Backend, device
from rushlight.core.errors import AcceleratorError
from rushlight.core.generator import Generator, default_generator
from rushlight.core.lazy_conj_neg import beneath
from rushlight.core.marked_dtypes import marked
from rushlight.core.tables import xp

PAGES = "SC_AVPHYS_PAGES", "SC_PHYS_PAGES"  # free pages, and all
ASYNCHRONOUS = """
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.
"""


class SimulatedArray(np.ndarray):
    """An array in the memory of a simulated GPU."""

    @property
    def dtype(self):
        return marked(np.ndarray.dtype.__get__(self))

    @dtype.setter
    def dtype(self, dtype):  # called by `view` with a dtype
        np.ndarray.dtype.__set__(self, dtype)

    def item(self, *arguments):
        WAITS.begin("item")
        return super().item(*arguments)


@cache
def array_type(index: int) -> type[SimulatedArray]:
    """Returns the class of the arrays of a device."""
    return SimulatedArray if not index else type("SimulatedArray", (SimulatedArray,), {"__module__": __name__})


def cuda_error(words: str, name: str, more: str = "") -> AcceleratorError:
    """Returns the error of a failed call of CUDA, with PyTorch's text."""
    search = f"Search for `{name}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"
    return AcceleratorError(f"CUDA error: {words}\n{more}{search} for more information.{ASYNCHRONOUS}")


def invalid_device() -> AcceleratorError:
    """Returns the error for the index of a device that is not there."""
    question = "GPU device may be out of range, do you have enough GPUs?\n"
    return cuda_error("invalid device ordinal", "cudaErrorInvalidDevice", question)


def memory_of_machine() -> tuple[int, int]:
    """Returns the bytes of free and of total memory, as reported by the system; 0 if unknown."""
    names = getattr(os, "sysconf_names", {})
    free, total = (os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") if name in names else 0 for name in PAGES)
    return free or total, total


class OfThread(local):
    """What each thread chooses for itself."""

    device = 0

    def __init__(self) -> None:
        self.listeners: list[Any] = []  # called with each call that was computed, and its tensors
        self.streams: dict[int, Any] = {}  # the current stream of each device, if it is not the default one
        self.pools: list[Any] = []  # pools that new memory comes from, innermost last


class SimulatedDevice(Backend):
    """One simulated GPU."""

    def __init__(self, devices: Devices, index: int) -> None:
        super().__init__(
            "cuda", array_type(index), xp, from_cpu=self._from_cpu, to_cpu=to_cpu, adopt=self._adopt,
            place=device("cuda", index),
        )  # fmt: skip
        self.devices, self.index = devices, index
        self.memory = DeviceMemory(index, memory_of_machine()[1])
        self.generator: Any = None  # made when the device becomes available

    def renew(self) -> None:
        """Gives a device that becomes available a generator, seeded as that of the CPU was."""
        self.generator = Generator(self.place).manual_seed(default_generator.initial_seed())

    def at(self, index: int | None) -> SimulatedDevice:
        return self.devices[self.devices.here.device if index is None else index]

    def run(self, call, modes) -> list:
        """Computes a call; counts the memory of its tensors, and hands it to the captures under way."""
        if call.op.cross_device:  # a copy to the CPU waits
            tensors = call.wrap(call.compute(), modes)
        else:
            with WAITS.without():  # what a formula reads, the program does not
                tensors = call.wrap(call.compute(), modes)
        for tensor in tensors:
            array = beneath(tensor._array)
            if isinstance(array, SimulatedArray) and not call.op.view:
                BACKENDS.by_array[type(array)].hold(array)
        for listener in self.devices.here.listeners:
            listener(call, tensors)
        return tensors

    def hold(self, array: np.ndarray) -> None:
        here = self.devices.here
        stream = here.streams.get(self.index)
        pool = here.pools[-1] if here.pools else None
        self.memory.hold(array, 0 if stream is None else stream.stream_id, pool)

    def _from_cpu(self, array: np.ndarray, place) -> SimulatedArray:
        """Copies an array to this device's memory."""
        copied = np.array(array, order="K", copy=True, subok=False).view(self.array_type)
        self.hold(copied)
        return copied

    def _adopt(self, array) -> SimulatedArray:
        """Views the result of a kernel as an array of this device, without copying."""
        return np.asarray(array).view(self.array_type)


def to_cpu(array: SimulatedArray) -> np.ndarray:
    """Copies an array to the CPU's memory."""
    WAITS.begin("copy")
    return np.array(array, order="K", copy=True, subok=False)


class Devices:
    """The simulated GPUs. A device that is no longer available keeps its memory: tensors on it may be alive."""

    def __init__(self) -> None:
        self.made: list[SimulatedDevice] = []
        self.count = 0
        self.here = OfThread()

    def __getitem__(self, index: int) -> SimulatedDevice:
        if not 0 <= index < self.count:
            raise invalid_device()
        return self.made[index]

    def __iter__(self):
        return iter(self.made[: self.count])

    def set_count(self, count: int) -> None:
        """Makes this many devices available; none unregisters the device type."""
        while len(self.made) < count:
            self.made.append(SimulatedDevice(self, len(self.made)))
        added, removed = self.made[self.count : count], self.made[count : self.count]
        self.count = count
        for backend in removed:
            del BACKENDS.by_array[backend.array_type]
        if not count:
            BACKENDS.by_kind.pop("cuda", None)
            self.here.streams.clear()
        elif "cuda" not in BACKENDS.by_kind:
            BACKENDS.register(self.made[0])
        for backend in added:
            BACKENDS.by_array[backend.array_type] = backend
            backend.renew()
        if self.here.device >= max(count, 1):
            self.here.device = 0


DEVICES = Devices()
