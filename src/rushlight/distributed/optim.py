"""`torch.distributed.optim`: a sharded optimizer, for programs that look the name up.

https://docs.pytorch.org/docs/stable/distributed.optim.html
"""

from __future__ import annotations

from typing import Any

from rushlight.core.errors import noted
from rushlight.optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """Shards an optimizer's state in PyTorch. Raises ValueError here: there is one process."""

    def __init__(self, params: Any, optimizer_class: type[Optimizer], **defaults: Any) -> None:
        raise noted(
            ValueError("Default process group has not been initialized, please make sure to call init_process_group."),
            "There is one process, which keeps all of the state: "
            f"torch.optim.{optimizer_class.__name__}(params, ...) does the same.",
        )
