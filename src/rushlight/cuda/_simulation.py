"""`torch.cuda.simulate`: switches simulated GPUs on and off."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Self

from rushlight import cuda
from rushlight.arrays.cuda.fake.streams import LISTENERS
from rushlight.arrays.cuda.simulation import DEVICES
from rushlight.core.determinism import levels_to_the_program
from rushlight.core.errors import noted
from rushlight.cuda._memory_holders import explain
from rushlight.cuda.streams import Stream

ANNOUNCEMENT = (
    "rushlight: the cuda device is simulated on the CPU, to learn and test device code with. It is not faster than the "
    "CPU."
)
LARGER = {f"{unit}{end}": 1024**power for power, unit in enumerate("KMGT", 1) for end in ("", "B", "iB")}
UNITS = {"": 1, "B": 1, **LARGER}
MOST = 64  # devices


class Simulation:
    """Keeps simulated GPUs enabled; as a context, until the end of the block."""

    announced = False

    def __init__(self, devices: int | None = None, memory: int | str | None = None) -> None:
        if devices is not None and not 1 <= devices <= MOST:
            raise ValueError(f"simulate(): devices is a number from 1 to {MOST}, not {devices}")
        size = None if memory is None else size_of(memory)
        self._before = DEVICES.count
        self._make(devices or self._before or 1)
        self._sizes = [(backend.memory, backend.memory.total) for backend in DEVICES]
        if size is not None:
            for backend in DEVICES:
                backend.memory.total = size
        self._announce()

    def _make(self, count: int) -> None:
        DEVICES.set_count(count)
        explain(DEVICES)
        cuda._set_generators()

    def _announce(self) -> None:
        if not Simulation.announced:
            Simulation.announced = True
            LISTENERS.append(warn_of_missing_wait)
            print(ANNOUNCEMENT, file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for memory, size in self._sizes:
            memory.total = size
        self._make(self._before)


def warn_of_missing_wait(reader: Any, writer: Any) -> None:
    """Warns at the program's line that reads what another stream has not computed yet."""
    warnings.warn(
        f"{name_of(reader)} reads a tensor that {name_of(writer)} has not computed yet, and does not wait for it: the "
        "numbers are wrong. Above this line, with the stream that computes the tensor as `stream`, write "
        "torch.cuda.current_stream().wait_stream(stream)",
        UserWarning,
        stacklevel=levels_to_the_program(),
    )


def name_of(queue: Any) -> str:
    """Returns how the program sees a stream."""
    for backend in DEVICES:
        for number, known in backend.queues.items():
            if known is queue:
                return repr(Stream(backend.place, stream_id=number))
    return "Another stream" if queue.ptr else "The default stream"


def size_of(memory: int | str) -> int:
    """Returns a size in bytes, from a number or from text like "512MB" and "1.5 GiB"."""
    if isinstance(memory, int) and not isinstance(memory, bool) and memory > 0:
        return memory
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?i?B?)\s*", str(memory))
    if match is None or match[2] not in UNITS or isinstance(memory, (bool, float)) or not float(match[1]):
        raise noted(
            ValueError(f"simulate(): memory is a size like 8 * 2**30 or '8GB', not {memory!r}"),
            "Units: B, KB, MB, GB, TB, each 1024 times the one before.",
        )
    return int(float(match[1]) * UNITS[match[2]])
