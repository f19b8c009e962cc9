"""Barriers: all ranks wait for each other; a monitored one says who did not come."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from rushlight.distributed.collectives import ended
from rushlight.distributed.process_group import ProcessGroup, inside
from rushlight.distributed.work import Work

__all__ = ["barrier", "monitored_barrier"]


def barrier(group: ProcessGroup | None = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    """Waits until all ranks have called it."""
    group = inside(group, "barrier")
    if group is None:
        return None
    key = group.enter("barrier", "", ())
    return ended(Work(group, "barrier", [group.communicator.Ibarrier()], [], None, key, group.others), async_op)


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | None = None, wait_all_ranks: bool = False
) -> None:
    """Waits until all ranks have called it. Rank 0 raises RuntimeError that names a rank that has not come in time, or
    all of them with `wait_all_ranks`; the others raise soon after. Later calls are possible.
    """
    group = inside(group, "monitored_barrier")
    if group is not None:
        group.monitored_barrier(timeout, wait_all_ranks)
