"""What a process without further inputs does for `DistributedDataParallel`: it repeats the steps of the others."""

from __future__ import annotations

from typing import Any

from rushlight import distributed as dist
from rushlight.create.filled import zeros
from rushlight.distributed.algorithms.join import JoinHook

from .buffers import HookLocation

__all__ = ["ShadowSteps"]


class ShadowSteps(JoinHook):
    """Takes part in the communication of a step, in the order of `DistributedDataParallel.forward` and backward."""

    def __init__(self, ddp: Any) -> None:
        self.ddp = ddp

    def main_hook(self) -> None:
        ddp = self.ddp
        ddp.reducer.rebuild()
        if ddp._syncs_buffers(HookLocation.PRE_FORWARD):
            ddp._sync_buffers_from(ddp._common_rank(False))
        syncs = zeros(1, device=ddp.device)
        dist.all_reduce(syncs, group=ddp.process_group)
        ddp.require_forward_param_sync = bool(syncs.item())
        if ddp.require_forward_param_sync:
            ddp.reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        self.ddp._sync_states(self.ddp._common_rank(is_last_joiner), self.ddp.forward_sync_buffers)
