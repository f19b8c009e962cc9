"""`torch.distributed.fsdp`: models whose parameters are spread over processes, by `fully_shard`.

The older wrapper, `FullyShardedDataParallel`, is there for `isinstance` and raises when it is called.

https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
"""

from rushlight.distributed.fsdp.fully_shard import FSDPModule, fully_shard
from rushlight.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel
from rushlight.distributed.fsdp.policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy

__all__ = [
    "CPUOffloadPolicy", "FSDPModule", "FullyShardedDataParallel", "MixedPrecisionPolicy", "OffloadPolicy",
    "fully_shard",
]  # fmt: skip
