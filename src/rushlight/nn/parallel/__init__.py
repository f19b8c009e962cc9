"""`torch.nn.parallel`: a model on several GPUs, of which there is at most one, or in several processes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .data_parallel import DataParallel, data_parallel
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import gather, scatter

if TYPE_CHECKING:
    from .distributed import DistributedDataParallel

__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate", "scatter",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Imports what several processes need on first use: `torch.distributed` takes 15 ms."""
    if name in ("DistributedDataParallel", "distributed"):
        module = import_module(f"{__name__}.distributed")
        return getattr(module, name, module)
    return import_module("rushlight._missing").raise_for(__name__, name)
