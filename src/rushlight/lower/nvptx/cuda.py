"""A GPU on which kernels are launched, through CuPy: it loads PTX, which the driver compiles, and queues launches.

Not yet run on a GPU: `tests/cuda/run_on_gpu` is the program that will.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.lower.nvptx import target
from rushlight.lower.nvptx.target import KernelText, Threads


class CudaGpu:
    """One GPU; `cupy` is the module, whose current device is the one that kernels run on."""

    def __init__(self, cupy: Any, device: int = 0):
        self.cupy, self.device = cupy, device
        properties = cupy.cuda.runtime.getDeviceProperties(device)
        self.capability = properties["major"], properties["minor"]
        self.processors = properties["multiProcessorCount"]
        self.most_threads = self.processors * properties["maxThreadsPerMultiProcessor"]

    def loaded(self, kernel: Callable[[Threads], KernelText]) -> Callable:
        """Returns a kernel ready to launch: a function of blocks, threads, parameters and stream."""
        module = self.cupy.cuda.function.Module()
        with self.cupy.cuda.Device(self.device):
            module.load(target.ptx_of(kernel, self.capability).encode() + b"\0")
        function = module.get_function(target.SYMBOL)

        def launch(blocks: int, threads: int, parameters: Sequence[np.generic], stream=None) -> None:
            function((blocks, 1, 1), (threads, 1, 1), tuple(parameters), 0, stream)

        vars(launch)["module"] = module  # which unloads the function when it is collected
        return launch

    @staticmethod
    def address(array: Any) -> int:
        return array.data.ptr

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        return self.cupy.empty(shape, dtype)

    def from_host(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array)
