"""Checks that all processes have the same model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight import distributed as dist
from rushlight.core.dtype import int64
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros
from rushlight.create.from_data import tensor

__all__ = ["verify_shapes"]


def verify_shapes(group: Any, parameters: Sequence[Tensor], names: Sequence[str]) -> None:
    """Raises RuntimeError, on every process, unless all have parameters of the same number, shapes and dtypes."""
    if group.size() == 1:
        return
    own = [number for parameter in parameters for number in described(parameter)]
    lengths = gathered(group, [len(parameters), len(own)], parameters[0])
    me = group.rank()
    for rank, (count, _) in enumerate(lengths):
        if count != len(parameters):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank {me} has {len(parameters)} params, while rank "
                f"{rank} has inconsistent {count} params."
            )
    longest = max(length for _, length in lengths)
    others = gathered(group, own + [0] * (longest - len(own)), parameters[0])
    for rank, numbers in enumerate(others):
        compare(parameters, names, own, numbers, me, rank)


def described(parameter: Tensor) -> list[int]:
    """Returns dtype and shape of a parameter as numbers, preceded by how many there are."""
    return [parameter.ndim + 1, parameter._array.dtype.num, *parameter.shape]


def gathered(group: Any, numbers: list[int], like: Tensor) -> list[list[int]]:
    """Returns the numbers of every process; all must have equally many."""
    own = tensor(numbers, dtype=int64, device=like.device)
    every = [zeros(own.shape, dtype=int64, device=like.device) for _ in range(group.size())]
    dist.all_gather(every, own, group=group)
    return [each.tolist() for each in every]


def compare(
    parameters: Sequence[Tensor], names: Sequence[str], own: list[int], other: list[int], me: int, rank: int
) -> None:
    """Raises RuntimeError for the first parameter that is not the same in another process."""
    at = 0
    for number, (parameter, name) in enumerate(zip(parameters, names, strict=True)):
        length = own[at] + 1
        mine, theirs = own[at:][:length], other[at : at + other[at] + 1]
        if mine != theirs:
            raise noted(
                RuntimeError(
                    f"[{me}]: params[{number}] in this process with sizes {list(parameter.shape)} appears not to match "
                    f"sizes of the same param in process {rank}."
                ),
                f"The parameter is {name}: in process {rank} its shape is {tuple(theirs[2:])}"
                + (", and its dtype is another one." if mine[1] != theirs[1] else ". Build the same model everywhere."),
            )
        at += length
