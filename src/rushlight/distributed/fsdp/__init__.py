"""`torch.distributed.fsdp`: models whose parameters are spread over processes.

`fully_shard` does it in place; `FullyShardedDataParallel`, the older interface, is a wrapper around it.

https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
"""

from rushlight.distributed.fsdp import wrap
from rushlight.distributed.fsdp.api import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalOptimStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)
from rushlight.distributed.fsdp.fully_shard import FSDPModule, fully_shard
from rushlight.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel
from rushlight.distributed.fsdp.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy

__all__ = [
    "BackwardPrefetch", "CPUOffload", "CPUOffloadPolicy", "FSDPModule", "FullOptimStateDictConfig",
    "FullStateDictConfig", "FullyShardedDataParallel", "LocalOptimStateDictConfig", "LocalStateDictConfig",
    "MixedPrecision", "MixedPrecisionPolicy", "OffloadPolicy", "OptimStateDictConfig", "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
    "fully_shard", "wrap",
]  # fmt: skip
