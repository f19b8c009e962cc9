"""Hooks that run the steps of a `ZeroRedundancyOptimizer` while backward runs or buckets are reduced.

https://docs.pytorch.org/docs/stable/distributed.optim.html#torch.distributed.optim.ZeroRedundancyOptimizer
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import distributed as dist
from rushlight.core.tensor import Tensor
from rushlight.distributed.buckets import GradBucket
from rushlight.distributed.optim.overlap import Overlap
from rushlight.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from rushlight.futures import Future

__all__ = ["hook_with_zero_step", "hook_with_zero_step_interleaved"]

Hook = Callable[[Any, GradBucket], Future[Tensor]]


def hook_with_zero_step(hook: Hook, ddp: Any, zero: ZeroRedundancyOptimizer, shard_buckets: bool = False) -> Hook:
    """Returns a hook that reduces by `hook` and updates the parameters when backward has reached the last bucket.

    Steps of the first buckets run while the last ones are reduced. The first two passes, three of a static graph,
    update nothing. With `shard_buckets` several processes share in a bucket. Raises ValueError if `zero` was made
    without `overlap_with_ddp=True`.
    """
    overlap = Overlap(overlapping(zero), ddp, shard_buckets, zero.process_group)
    started: list[Future[Tensor]] = []

    def hook_with_zero_fn(state: Any, bucket: GradBucket) -> Future[Tensor]:
        future = hook(state, bucket)
        if bucket.index() == 0:
            started.clear()
        started.append(future)
        if overlap.begins(bucket) and bucket.is_last():
            for number, each in enumerate(started):
                overlap.take(number, each.wait())
        return future

    return hook_with_zero_fn


def hook_with_zero_step_interleaved(
    hook: Hook, ddp: Any, zero: ZeroRedundancyOptimizer, shard_buckets: bool = False
) -> Hook:
    """Returns a hook that reduces by `hook` and updates the parameters of a bucket as soon as it is reduced.

    Steps run while backward does. The first two passes, three of a static graph, update nothing. All processes of the
    group call it, as it makes a group for what it sends. With `shard_buckets` several processes share in a bucket.
    Raises ValueError if `zero` was made without `overlap_with_ddp=True`.
    """
    members = dist.get_process_group_ranks(overlapping(zero).process_group)
    # Buckets may be reduced between other calls on each process, and calls of one group have one order.
    group = dist.new_group(members, use_local_synchronization=True)
    overlap = Overlap(zero, ddp, shard_buckets, group)

    def hook_with_zero_interleaved_fn(state: Any, bucket: GradBucket) -> Future[Tensor]:
        future = hook(state, bucket)
        if not overlap.begins(bucket):
            return future
        number = bucket.index()

        def update(reduced: Future[Tensor]) -> Tensor:
            values = reduced.value()
            overlap.take(number, values)
            return values

        return future.then(update)

    return hook_with_zero_interleaved_fn


def overlapping(zero: ZeroRedundancyOptimizer) -> ZeroRedundancyOptimizer:
    """Returns an optimizer. Raises ValueError if it is not made for these hooks."""
    if not zero._overlap_with_ddp:
        raise ValueError(
            "ZeroRedundancyOptimizer must be constructed with `overlap_with_ddp=True` to use this hook properly"
        )
    return zero
