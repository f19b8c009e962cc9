"""`torch.cuda.nccl`: what is known of NVIDIA's library for several GPUs, which `torch.distributed` uses.

The calls between GPUs of one process are not there. Not yet run on a GPU.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from rushlight.core.device import BACKENDS
from rushlight.core.tensor import Tensor

__all__ = ["is_available", "unique_id", "version"]

MAJOR, MINOR = 10_000, 100  # what these count in NCCL's number of its version


def library() -> Any:
    """Returns CuPy's module for NCCL; None where there is no GPU, or the library is not installed."""
    backend: Any = BACKENDS.by_kind.get("cuda")
    load = getattr(backend, "load_nccl", None)
    return load and load()


def needed(name: str) -> Any:
    """Returns the library. Raises AttributeError as PyTorch without NCCL does."""
    module = library()
    if module is None:
        raise AttributeError(f"module 'torch._C' has no attribute '{name}'")
    return module


def is_available(tensors: Iterable[Tensor]) -> bool:
    """Whether the library takes these tensors: contiguous, and each on a GPU of its own."""
    if library() is None:
        warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
        return False
    tensors = list(tensors)
    fit = all(x.is_cuda and not x.is_sparse and x.is_contiguous() for x in tensors)
    return fit and len({x.get_device() for x in tensors}) == len(tensors)


def version() -> tuple[int, int, int]:
    """Returns the version of the library. Raises AttributeError if it is not there."""
    number = needed("_nccl_version").get_version()
    return number // MAJOR, number % MAJOR // MINOR, number % MINOR


def unique_id() -> bytes:
    """Returns the name of a new communicator, 128 bytes. Raises AttributeError if the library is not there."""
    return bytes(needed("_nccl_unique_id").get_unique_id())
