"""`load`: each process reads what overlaps with the parts that it has now, however they were saved."""

from __future__ import annotations

import os
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.distributed.checkpoint.agreement import Processes
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, slices
from rushlight.distributed.checkpoint.files import FileSystemReader, metadata_from
from rushlight.distributed.checkpoint.planner import LoadItemType, LoadPlan, LoadPlanner, ReadItem
from rushlight.distributed.checkpoint.saving import needed, states_of
from rushlight.distributed.checkpoint.stateful import Stateful

__all__ = ["load"]


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: FileSystemReader | None = None,
    planner: LoadPlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Loads a checkpoint into a state, in place; all processes of the group call it together.

    The state says what is loaded: its tensors are overwritten, with the parts that they have in this process, and other
    values are replaced. The number of processes and the placements may differ from those that saved. A planner, by
    default `DefaultLoadPlanner()`, decides what each process reads. Raises
    CheckpointException on every process if one of them failed, for example as a name is missing or a shape differs;
    tensors are as they were then, unless a file could not be read.
    """
    reader = storage_reader or FileSystemReader(needed(checkpoint_id))
    plans = planner or DefaultLoadPlanner()
    processes = Processes(process_group, no_dist)
    alone = processes.rank if reader.is_of_ranks(processes.rank) else None
    if alone is not None:
        processes = Processes(process_group, no_dist, collectives=False)
    states = states_of(state_dict)
    entries: dict[str, Any] = {}

    def look() -> LoadPlan:
        entries.update(reader.entries(alone))
        plans.set_up_planner(states, metadata_from(entries), processes.is_first)
        return plans.create_local_plan()

    plan = processes.planned("load: plan", look, plans.create_global_plan)

    def read_all() -> None:
        for item in plans.finish_plan(plan).items:
            read(reader, plans, entries[item.storage_index.fqn], item)

    processes.every("load: read", read_all)
    for name, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(states[name])
        else:
            state_dict[name] = states[name]


def read(reader: FileSystemReader, planner: LoadPlanner, entry: dict[str, Any], item: ReadItem) -> None:
    """Reads an item. Raises AssertionError if the planner gives a tensor of another shape for it."""
    if item.type is LoadItemType.BYTE_IO:
        if "value" not in entry:
            planner.load_bytes(item, reader.bytes_of(entry))
        elif isinstance(planner, DefaultLoadPlanner) and type(planner).load_bytes is DefaultLoadPlanner.load_bytes:
            planner.put(item.dest_index.fqn, entry["value"])
        else:
            planner.load_bytes(item, reader.bytes_of(entry))
        return
    begin = list(item.storage_index.offset or ())
    chunk = next(each for each in entry["chunks"] if each["begin"] == begin)
    with no_grad():
        target = planner.resolve_tensor(item).detach()
        source = reader.chunk(entry, chunk)[slices(item.storage_offsets, item.lengths)]
        if target.shape != source.shape:
            raise AssertionError(f"req {item.storage_index} mismatch sizes {target.shape} vs {source.shape}")
        target.copy_(source)
        planner.commit_tensor(item, target)
