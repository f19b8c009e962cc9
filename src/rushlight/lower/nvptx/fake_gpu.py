"""A simulated GPU on which kernels are launched: the host runs their text, in the order of the streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.arrays.cuda.fake import streams
from rushlight.arrays.cuda.fake.namespace import cupy
from rushlight.lower.nvptx.lockstep import HostKernel
from rushlight.lower.nvptx.target import KernelText, Threads


class FakeGpu:
    """The GPU of the fake CuPy. A launch keeps the memory at the addresses that it is given."""

    capability, processors, most_threads = (0, 0), 2, 4096

    def __init__(self) -> None:
        self.kept: list[np.ndarray] = []

    def loaded(self, kernel: Callable[[Threads], KernelText]) -> Callable:
        """Returns a kernel ready to launch: a function of blocks, threads, parameters and stream."""
        on_host = HostKernel(kernel)

        def launch(blocks: int, threads: int, parameters: Sequence[np.generic], stream: Any = None) -> None:
            kept, self.kept = tuple(self.kept), []

            def run() -> None:
                on_host(blocks, threads, parameters)

            streams.read(kept)
            (stream or streams.current()).queue(run, kept)

        return launch

    def address(self, array: Any) -> int:
        self.kept.append(array.cells)
        return array.cells.ctypes.data

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return cupy.empty(shape, dtype)

    @staticmethod
    def from_host(array: np.ndarray) -> Any:
        return cupy.asarray(array)
