"""`save`: each process writes its parts of tensors to a file of its own; what several have, one of them writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.checkpoint.agreement import Processes
from rushlight.distributed.checkpoint.default_planner import DefaultSavePlanner
from rushlight.distributed.checkpoint.files import SIMPLE, FileSystemWriter
from rushlight.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from rushlight.distributed.checkpoint.planner import SavePlan, SavePlanner, WriteItem, WriteItemType
from rushlight.distributed.checkpoint.stateful import Stateful

__all__ = ["save"]


def save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: SavePlanner | None = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> None:
    """Saves a state as a folder; all processes of the group call it together, each with its own parts.

    Values are tensors, distributed tensors, dicts and lists of these, objects with a `state_dict`, and what
    `torch.save` saves. A planner, by default `DefaultSavePlanner()`, decides which process writes what. Raises
    CheckpointException on every process if one of them failed; there is no checkpoint then. With
    `use_collectives=False` each process saves all that it has, for itself, and the same processes load it.
    """
    writer = storage_writer or FileSystemWriter(needed(checkpoint_id))
    plans = planner or DefaultSavePlanner()
    processes = Processes(process_group, no_dist, use_collectives)
    alone = None if use_collectives else processes.rank
    processes.every("save: prepare", lambda: writer.start(alone) if processes.is_first else None)
    contents: list[Metadata] = []

    def look() -> SavePlan:
        plans.set_up_planner(states_of(state_dict), StorageMeta(writer.path), processes.is_first)
        return plans.create_local_plan()

    def decide(every: list[SavePlan]) -> list[SavePlan]:
        decided, metadata = plans.create_global_plan(every)
        contents.append(metadata)
        return decided

    plan = processes.planned("save: plan", look, decide)

    def write() -> list[tuple[MetadataIndex, dict[str, Any]]]:
        items = plans.finish_plan(plan).items
        return writer.write(processes.rank, ((item.index, data_of(plans, item)) for item in items))

    def finish(written: list[Any]) -> list[None]:
        writer.finish(entries_of(contents[0], written), alone)
        return [None] * len(written)

    processes.planned("save: write", write, finish)


def needed(checkpoint_id: str | os.PathLike | None) -> str | os.PathLike:
    """Returns where the checkpoint is. Raises RuntimeError if nothing says so."""
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return checkpoint_id


def states_of(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a state with the states of the objects in it."""
    return {name: each.state_dict() if isinstance(each, Stateful) else each for name, each in state_dict.items()}


def data_of(planner: SavePlanner, item: WriteItem) -> Any:
    """Returns what is written for an item.

    A number or a text is written as it is, unless the planner makes something else of it. Raises ValueError for a
    tensor of another shape than that of the item.
    """
    if item.type is WriteItemType.BYTE_IO:
        kind: Any = type(planner)
        if isinstance(planner, DefaultSavePlanner) and (kind.resolve_data, kind.transform_object) == AS_THEY_ARE:
            value = planner.lookup_object(item.index)
            if type(value) in SIMPLE:
                return value
        return planner.resolve_data(item)
    result = planner.resolve_data(item)
    assert item.tensor_data is not None
    wanted = tuple(item.tensor_data.chunk.sizes)
    if not isinstance(result, Tensor) or tuple(result.shape) != wanted:
        actual = tuple(result.shape) if isinstance(result, Tensor) else type(result).__name__
        raise ValueError(f"resolve_data of {item.index.fqn} must return a tensor of shape {wanted}, and gave {actual}")
    return result.detach()


AS_THEY_ARE = DefaultSavePlanner.resolve_data, DefaultSavePlanner.transform_object


def entries_of(metadata: Metadata, written: list[list[tuple[MetadataIndex, dict[str, Any]]]]) -> dict[str, Any]:
    """Returns what `.metadata` says. Raises ValueError for parts of one tensor with several dtypes."""
    paths = metadata.planner_data if isinstance(metadata.planner_data, Mapping) else {}
    entries: dict[str, Any] = {}
    for index, place in (each for process in written for each in process):
        name = index.fqn
        entry = entries.setdefault(name, {"path": list(paths.get(name, (name,)))})
        if "dtype" not in place:
            entry |= place
            continue
        if entry.setdefault("dtype", place["dtype"]) != place["dtype"]:
            raise ValueError(f"parts of {name} have dtypes {entry['dtype']} and {place['dtype']}")
        content: Any = metadata.state_dict_metadata[name]
        entry["shape"] = list(content.size)
        chunk = {"file": place["file"], "at": place["at"], "begin": list(index.offset or ()), "shape": place["shape"]}
        entry.setdefault("chunks", []).append(chunk)
    return entries
