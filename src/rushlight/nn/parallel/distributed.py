"""`DistributedDataParallel`: a model that is trained by several processes. There are none, so none can be made."""

from typing import Any

from rushlight.core.errors import noted

from ..modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """A model whose gradients several processes average. Programs ask whether theirs is one, and unwrap it.

    Raises ValueError when it is made: it needs a process group, and `torch.distributed` cannot make one so far.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise noted(
            ValueError("Default process group has not been initialized, please make sure to call init_process_group."),
            "There is one process: train the model itself. torch.distributed.is_available() is False.",
        )
