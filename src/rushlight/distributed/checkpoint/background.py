"""`async_save`: copies a state, and saves the copy in a thread while the program goes on.

The thread has a group of its own: MPI pairs the calls of a group by their order, and those of the program go on.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from enum import Enum
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from rushlight import distributed as dist
from rushlight.core.tensor import Tensor
from rushlight.distributed.checkpoint.agreement import Processes
from rushlight.distributed.checkpoint.files import FileSystemWriter
from rushlight.distributed.checkpoint.planner import SavePlanner
from rushlight.distributed.checkpoint.saving import save, states_of
from rushlight.distributed.process_group import ProcessGroup, default_group

__all__ = ["AsyncCheckpointerType", "async_save"]

GROUPS: WeakKeyDictionary[ProcessGroup, ProcessGroup] = WeakKeyDictionary()  # those of the thread, by the program's


class AsyncCheckpointerType(Enum):
    """What saves: a thread, or a process, which is not supported."""

    THREAD = "thread"
    PROCESS = "process"


def async_save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Future[None]:
    """Copies a state, and saves the copy as `save` does, in a thread; all processes of the group call it together.

    Returns a future: `result()` waits for the checkpoint, and raises CheckpointException if a process has failed. The
    state may change at once. Several calls save one after the other; the end of the program waits for them. Raises
    CheckpointException on every process if a state could not be copied, NotImplementedError for `PROCESS` and a stager.
    """
    if AsyncCheckpointerType(async_checkpointer_type) is AsyncCheckpointerType.PROCESS or async_stager is not None:
        raise NotImplementedError("torch.distributed.checkpoint.async_save supports threads only, without a stager.")
    processes = Processes(process_group, no_dist, use_collectives)
    known = dist.is_available() and dist.is_initialized()
    staged: dict[str, Any] = {}
    processes.every("async_save: stage", lambda: staged.update(copied(states_of(state_dict))))
    return worker().submit(
        save,
        staged,
        checkpoint_id=checkpoint_id,
        storage_writer=storage_writer,
        planner=planner,
        process_group=process_group if processes.alone else group_of_thread(process_group or default_group()),
        no_dist=no_dist or not known,
        use_collectives=use_collectives,
    )


@cache
def worker() -> ThreadPoolExecutor:
    """Returns the one thread, so that all processes save in the order of their calls."""
    return ThreadPoolExecutor(1, "checkpoint")


def group_of_thread(group: ProcessGroup) -> ProcessGroup:
    """Returns a group of the same processes, for the thread."""
    known = GROUPS.get(group)
    if known is None or known.communicator is None:
        made = dist.new_group(group.ranks, group.timeout, use_local_synchronization=True)
        assert isinstance(made, ProcessGroup)  # this process is in it
        GROUPS[group] = known = made
    return known


def copied(value: Any) -> Any:
    """Returns a copy of a state that later changes do not reach."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, Mapping):
        return {name: copied(each) for name, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(copied, value))
    return copy.deepcopy(value)
