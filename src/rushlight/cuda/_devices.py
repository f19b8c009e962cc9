"""The current GPU in a block, and properties of a GPU: for the simulated one, those of the machine."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.cuda import get_device_name
from rushlight.cuda._utils import _get_device_index, memory_of_machine, need_gpu
from rushlight.cuda.streams import SIMULATE

CAPABILITY = (0, 0)  # no actual GPU generation, so that programs take no path written for one


class device:
    """Sets the current GPU in a `with` block; a negative index changes nothing.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate(), torch.cuda.device(0):
    ...     torch.cuda.current_device()
    0
    """

    def __init__(self, device: Any) -> None:
        self.idx = _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is None or self.idx < 0:
            return
        if "cuda" not in BACKENDS.by_kind:
            raise noted(RuntimeError("PyTorch was compiled without CUDA support"), SIMULATE)
        if self.idx > 0:
            raise RuntimeError("CUDA error: invalid device ordinal")
        self.prev_idx = 0

    def __exit__(self, type: Any, value: Any, traceback: Any) -> None:
        return None


class device_of(device):
    """Sets the current GPU to that of a tensor; a tensor on the CPU changes nothing."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


class Properties(NamedTuple):
    """The result of `torch.cuda.get_device_properties` for the simulated GPU."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> Properties:
    """Returns the name, memory and number of processors of a GPU. Raises AssertionError if there is none."""
    need_gpu()
    return Properties(get_device_name(), *CAPABILITY, memory_of_machine()[1], os.cpu_count() or 1)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """Returns the compute capability of a GPU: (0, 0) for the simulated one. Raises AssertionError if there is none."""
    need_gpu()
    return CAPABILITY


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one GPU can read the memory of another: False. Raises AssertionError if there is no GPU."""
    need_gpu()
    return False


def get_arch_list() -> list[str]:
    """Returns the GPU architectures that the library was built for: none."""
    return []


def get_gencode_flags() -> str:
    """Returns the flags of its compilation: none."""
    return ""


def is_tf32_supported() -> bool:
    """Whether the GPU supports TF32 products: False."""
    return False


def ipc_collect() -> None:
    """Frees memory that other processes shared and released. Raises AssertionError if there is no GPU."""
    need_gpu()
