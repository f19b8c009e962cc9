"""`load`: each process reads what overlaps with the parts that it has now, however they were saved."""

from __future__ import annotations

import os
from typing import Any

from rushlight.autograd.grad_mode import no_grad
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.distributed.checkpoint.agreement import Processes
from rushlight.distributed.checkpoint.contents import Part, flat, part_of, replaced
from rushlight.distributed.checkpoint.files import FileSystemReader
from rushlight.distributed.checkpoint.saving import needed, refuse, states_of
from rushlight.distributed.checkpoint.stateful import Stateful

__all__ = ["load"]


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: FileSystemReader | None = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Loads a checkpoint into a state, in place; all processes of the group call it together.

    The state says what is loaded: its tensors are overwritten, with the parts that they have in this process, and other
    values are replaced. The number of processes and the placements may differ from those that saved. Raises
    CheckpointException on every process if one of them failed, for example as a name is missing or a shape differs;
    tensors are as they were then, unless a file could not be read.
    """
    refuse(planner)
    reader = storage_reader or FileSystemReader(needed(checkpoint_id))
    processes = Processes(process_group, no_dist)
    states = states_of(state_dict)
    items: list[tuple[tuple, Any, dict[str, Any]]] = []

    def look() -> None:
        entries = reader.entries()
        items.extend((path, value, entry_for(name, value, entries)) for name, path, value in flat(states))

    processes.every("load: plan", look)

    def read_all() -> None:
        for each in items:
            read(reader, states, *each)

    processes.every("load: read", read_all)
    for name, value in state_dict.items():
        if isinstance(value, Stateful):
            value.load_state_dict(states[name])
        else:
            state_dict[name] = states[name]


def entry_for(name: str, value: Any, entries: dict[str, Any]) -> dict[str, Any]:
    """Returns where a value is saved. Raises RuntimeError if it is not, ValueError if the shape differs."""
    entry = entries.get(name)
    if entry is None:
        raise noted(
            RuntimeError(f"Missing key in checkpoint state_dict: {name}."), f"The checkpoint has {len(entries)} names."
        )
    if isinstance(value, Tensor):
        if "chunks" not in entry:
            raise ValueError(f"{name} is a tensor, and what was saved is none")
        if list(value.shape) != list(entry["shape"]):
            raise ValueError(
                f"Size mismatch between saved {tuple(entry['shape'])} and current: {tuple(value.shape)} for {name}"
            )
    return entry


def read(reader: FileSystemReader, states: dict[str, Any], path: tuple, value: Any, entry: dict[str, Any]) -> None:
    """Reads one value."""
    if not isinstance(value, Tensor):
        replaced(states, path, reader.value(entry) if "chunks" not in entry else whole(reader, entry))
        return
    part = part_of(value)
    with no_grad():
        for chunk in entry["chunks"]:
            copy_overlap(part, reader, entry, chunk)


def whole(reader: FileSystemReader, entry: dict[str, Any]) -> Tensor:
    """Returns a tensor for a state that has another value in its place, such as None."""
    chunks = [reader.chunk(entry, chunk) for chunk in entry["chunks"]]
    result = chunks[0].new_empty(entry["shape"])
    part = Part((0,) * result.ndim, result, tuple(entry["shape"]), True)
    for chunk in entry["chunks"]:
        copy_overlap(part, reader, entry, chunk)
    return result


def copy_overlap(part: Part, reader: FileSystemReader, entry: dict[str, Any], chunk: dict[str, Any]) -> None:
    """Copies the elements that a saved part and a part in memory have in common."""
    here, there = [], []
    for own, length, other, size in zip(part.begin, part.values.shape, chunk["begin"], chunk["shape"], strict=True):
        begin, end = max(own, other), min(own + length, other + size)
        if begin >= end:
            return
        here.append(slice(begin - own, end - own))
        there.append(slice(begin - other, end - other))
    part.values[tuple(here)] = reader.chunk(entry, chunk)[tuple(there)]
