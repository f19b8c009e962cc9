"""`DistributedDataParallel`: a model trained by several processes. There is one process, so it cannot be created."""

from typing import Any

from rushlight.core.errors import noted

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A model whose gradients several processes average. Programs test for it with isinstance, and unwrap it.

    The constructor raises ValueError: it needs a process group, which `torch.distributed` cannot create yet.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise noted(
            ValueError("Default process group has not been initialized, please make sure to call init_process_group."),
            "There is one process: train the model itself. torch.distributed.is_available() is False.",
        )
