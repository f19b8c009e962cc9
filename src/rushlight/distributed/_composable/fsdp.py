"""`torch.distributed._composable.fsdp`: the older place of `torch.distributed.fsdp.fully_shard`."""

from __future__ import annotations

from rushlight.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard

__all__ = ["CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "fully_shard"]
