"""`torch.distributed.tensor.placement_types`: the module in which PyTorch defines placements."""

from __future__ import annotations

from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.distributed.tensor.placements import _StridedShard as _StridedShard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]
