"""What is in a state: its values by name, and of tensors the part that is here.

Nested dicts and lists are flattened: `{"model": {"weight": w}}` has the name `model.weight`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.tensor.operators import local_of
from rushlight.distributed.tensor.placements import Shard

__all__ = ["Part", "flat", "part_of", "replaced"]


class Part(NamedTuple):
    """The part of a tensor that is in this process: where it begins in the whole, and its values."""

    begin: tuple[int, ...]
    values: Tensor
    whole: tuple[int, ...]
    is_first: bool  # whether it is the first of equal parts in several processes


def flat(state: Mapping[str, Any], path: tuple = ()) -> Iterator[tuple[str, tuple, Any]]:
    """Yields name, path and value of everything in a nested state."""
    for key, value in state.items():
        yield from flattened((*path, key), value)


def flattened(path: tuple, value: Any) -> Iterator[tuple[str, tuple, Any]]:
    if isinstance(value, Mapping) and value:
        yield from flat(value, path)
    elif isinstance(value, list) and any(isinstance(each, Tensor | Mapping | list) for each in value):
        for number, each in enumerate(value):
            yield from flattened((*path, number), each)
    else:
        yield ".".join(map(str, path)), path, value


def replaced(state: Any, path: tuple, value: Any) -> None:
    """Replaces a value in a nested state."""
    for key in path[:-1]:
        state = state[key]
    state[path[-1]] = value


def part_of(tensor: Tensor) -> Part:
    """Returns the part of a tensor that is here: the own part of a distributed one, else all of it."""
    if not isinstance(tensor, DTensor):
        return Part((0,) * tensor.ndim, tensor.detach(), tuple(tensor.shape), True)
    begin, _ = tensor._spec.begin_and_shape()
    copies = [dim for dim, place in enumerate(tensor.placements) if not isinstance(place, Shard)]
    first = all(tensor.device_mesh.get_local_rank(dim) == 0 for dim in copies)
    if any(place.is_partial() for place in tensor.placements):
        raise ValueError(f"a tensor with placements {tensor.placements} cannot be saved or loaded; redistribute it")
    return Part(tuple(begin), local_of(tensor).detach(), tuple(tensor.shape), first)
