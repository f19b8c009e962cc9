"""`save`: each process writes its parts of tensors to a file of its own; what several have, one of them writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.distributed.checkpoint.agreement import Processes
from rushlight.distributed.checkpoint.contents import Part, flat, part_of
from rushlight.distributed.checkpoint.files import FileSystemWriter
from rushlight.distributed.checkpoint.stateful import Stateful

__all__ = ["save"]


def save(
    state_dict: Mapping[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: FileSystemWriter | None = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> None:
    """Saves a state as a folder; all processes of the group call it together, each with its own parts.

    Values are tensors, distributed tensors, dicts and lists of these, objects with a `state_dict`, and what
    `torch.save` saves. Raises CheckpointException on every process if one of them failed; there is no checkpoint then.
    Raises NotImplementedError for a planner, and for `use_collectives=False`.
    """
    refuse(planner, use_collectives)
    writer = storage_writer or FileSystemWriter(needed(checkpoint_id))
    processes = Processes(process_group, no_dist)
    processes.every("save: prepare", lambda: writer.start() if processes.rank == 0 else None)
    items: dict[str, tuple[tuple, Any]] = {}

    def look() -> dict[str, tuple]:
        items.update({name: (path, part) for name, path, part in parts(states_of(state_dict))})
        return {name: claim(part) for name, (_, part) in items.items()}

    claims = processes.every("save: plan", look)
    own = shared_out(claims, processes.rank)

    def write() -> dict[str, Any]:
        values = {
            name: part.values if isinstance(part, Part) else part for name, (_, part) in items.items() if name in own
        }
        positions = writer.write(processes.rank, values)
        return {name: entry_of(*items[name], place) for name, place in positions.items()}

    written = processes.every("save: write", write)
    processes.every("save: finish", lambda: writer.finish(merged(written)) if processes.rank == 0 else None)


def refuse(planner: Any, use_collectives: bool = True) -> None:
    """Raises NotImplementedError for a planner of the program's own, and for files without `.metadata`."""
    if not use_collectives:
        raise NotImplementedError("torch.distributed.checkpoint does not support use_collectives=False.")
    if planner is not None:
        raise NotImplementedError("torch.distributed.checkpoint does not support planners of a program's own.")


def needed(checkpoint_id: str | os.PathLike | None) -> str | os.PathLike:
    """Returns where the checkpoint is. Raises RuntimeError if nothing says so."""
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return checkpoint_id


def states_of(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a state with the states of the objects in it."""
    return {name: each.state_dict() if isinstance(each, Stateful) else each for name, each in state_dict.items()}


def parts(state: Mapping[str, Any]) -> Any:
    """Yields name, path, and the part of a tensor or another value."""
    for name, path, value in flat(state):
        yield name, path, part_of(value) if isinstance(value, Tensor) else value


def claim(part: Any) -> tuple:
    """Returns what identifies a part, and its size: parts that are equal in several processes are saved once."""
    if not isinstance(part, Part):
        return (), 0
    size = part.values.numel() * part.values.element_size()
    return (part.begin, tuple(part.values.shape)), size


def shared_out(claims: list[dict[str, tuple]], rank: int) -> set[str]:
    """Returns what a process saves: of those that have a part, the one with least to write, as all of them find."""
    loads = [0] * len(claims)
    own = set()
    holders: dict[tuple, list[int]] = {}
    for holder, names in enumerate(claims):
        for name, (place, size) in names.items():
            holders.setdefault((name, place, size), []).append(holder)
    for (name, place, size), ranks in holders.items():
        if place and 0 in place[1]:
            ranks = ranks[:1]
        chosen = min(ranks, key=lambda each: loads[each])
        loads[chosen] += size
        if chosen == rank:
            own.add(name)
    return own


def entry_of(path: tuple, part: Any, place: dict[str, Any]) -> dict[str, Any]:
    """Returns what `.metadata` says of a value."""
    if not isinstance(part, Part):
        return {"path": list(path), **place}
    chunk = {"file": place["file"], "at": place["at"], "begin": part.begin, "shape": list(part.values.shape)}
    return {"path": list(path), "dtype": part.values.dtype.name, "shape": part.whole, "chunks": [chunk]}


def merged(written: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the entries of all processes, with all parts of each tensor. Raises ValueError if they do not fit."""
    entries: dict[str, Any] = {}
    for each in written:
        for name, entry in each.items():
            known = entries.setdefault(name, entry)
            if known is not entry and "chunks" in entry:
                if (known["dtype"], known["shape"]) != (entry["dtype"], entry["shape"]):
                    raise ValueError(
                        f"{name} has shape {entry['shape']} and dtype {entry['dtype']} in one process, and "
                        f"{known['shape']} and {known['dtype']} in another"
                    )
                known["chunks"] += entry["chunks"]
    return entries
