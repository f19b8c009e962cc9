"""`FullyShardedDataParallel`, the older wrapper, which is not supported: packages ask whether a model is one."""

from __future__ import annotations

from typing import Any

from rushlight.core.errors import noted
from rushlight.nn.modules.module import Module

__all__ = ["FullyShardedDataParallel"]


class FullyShardedDataParallel(Module):
    """Raises NotImplementedError when it is made: `fully_shard` spreads the parameters of a model."""

    __module__ = "torch.distributed.fsdp.fully_sharded_data_parallel"

    def __init__(self, module: Module, *arguments: Any, **keywords: Any) -> None:
        raise noted(
            NotImplementedError("FullyShardedDataParallel is not supported."),
            "torch.distributed.fsdp.fully_shard(model) does the same: apply it to the blocks of a model, then to the "
            "model.",
        )
