"""Averages gradients over all processes at first, later only in subgroups; a model averager does the rest."""

from __future__ import annotations

from typing import Any

from rushlight import distributed as dist
from rushlight.core.tensor import Tensor
from rushlight.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import averaged
from rushlight.distributed.buckets import GradBucket
from rushlight.futures import Future

__all__ = ["PostLocalSGDState", "post_localSGD_hook"]


class PostLocalSGDState:
    """The groups, and the step from which on gradients are averaged in `subgroup` only, or not at all.

    Without a `subgroup` the processes of each machine are one.
    """

    __slots__ = ["iter", "post_local_gradient_allreduce", "process_group", "start_localSGD_iter", "subgroup"]

    def __init__(
        self,
        process_group: Any,
        subgroup: Any,
        start_localSGD_iter: int,  # noqa: N803  # PyTorch's name
        post_local_gradient_allreduce: bool = True,
    ) -> None:
        self.process_group, self.subgroup = process_group, subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Counts a step at its last bucket."""
        if bucket.is_last():
            self.iter += 1


def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> Future[Tensor]:  # noqa: N802  # its name
    """Averages over all processes up to `start_localSGD_iter`, then as the state says."""
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        return noop_hook(state, bucket)
    if state.subgroup is None:
        state.subgroup, _ = dist.new_subgroups()
    return averaged(state.subgroup, bucket.buffer())
