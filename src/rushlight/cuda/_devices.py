"""Which GPU is in use until the end of a block, and what a GPU is like: the simulated one, the machine's processor."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.cuda import get_device_name
from rushlight.cuda._utils import _get_device_index, memory_of_machine, need_gpu
from rushlight.cuda.streams import SIMULATE

CAPABILITY = (0, 0)  # of no generation of GPUs, so that programs take no path that is written for one


class device:
    """Lets a GPU be the one in use until the end of a `with` block; a negative index leaves everything as it is.

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
    """Lets the GPU of a tensor be the one in use; a tensor on the CPU leaves everything as it is."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


class Properties(NamedTuple):
    """What `torch.cuda.get_device_properties` says of the simulated GPU."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int


def get_device_properties(device: Any = None) -> Properties:
    """The name, memory and number of processors of a GPU. Raises AssertionError where there is none."""
    need_gpu()
    return Properties(get_device_name(), *CAPABILITY, memory_of_machine()[1], os.cpu_count() or 1)


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The generation of a GPU: (0, 0) of the simulated one. Raises AssertionError where there is none."""
    need_gpu()
    return CAPABILITY


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one GPU reads the memory of another: there is no other. Raises AssertionError where there is none."""
    need_gpu()
    return False


def get_arch_list() -> list[str]:
    """The kinds of GPU that the library was built for: none."""
    return []


def get_gencode_flags() -> str:
    """How it was compiled for them: not at all."""
    return ""


def is_tf32_supported() -> bool:
    """Whether the GPU has products of rounded factors: no."""
    return False


def ipc_collect() -> None:
    """Frees what other processes have shared and left. Raises AssertionError where there is no GPU."""
    need_gpu()
