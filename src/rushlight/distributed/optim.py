"""`torch.distributed.optim`: the optimizer whose state is spread over processes, as a name that packages look for.

https://docs.pytorch.org/docs/stable/distributed.optim.html
"""

from __future__ import annotations

from typing import Any

from rushlight.core.errors import noted
from rushlight.optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """Spreads an optimizer's state over processes in PyTorch. There is one process: making one raises ValueError."""

    def __init__(self, params: Any, optimizer_class: type[Optimizer], **defaults: Any) -> None:
        raise noted(
            ValueError("Default process group has not been initialized, please make sure to call init_process_group."),
            "There is one process, which keeps all of the state: "
            f"torch.optim.{optimizer_class.__name__}(params, ...) does the same.",
        )
