"""Groups that split the world: `new_subgroups`, `new_subgroups_by_enumeration`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rushlight.core.errors import noted
from rushlight.distributed.process_group import ProcessGroup
from rushlight.distributed.state import get_rank, get_world_size, new_group

__all__ = ["new_subgroups", "new_subgroups_by_enumeration"]


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """Splits the world into groups of `group_size` consecutive ranks; returns this rank's and all of them."""
    if group_size is None:
        raise noted(
            ValueError(
                "Default group size only takes effect when CUDA is available."
                "If your subgroup using a backend that does not depend on CUDA,please pass in 'group_size' correctly."
            ),
            "new_subgroups(group_size=2) makes groups of two.",
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world = get_world_size(group)
    if world < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({world})")
    if world % group_size:
        raise ValueError(f"The world size ({world}) must be divisible by '{group_size=}'")
    ranks = range(world) if group is None else group.ranks
    lists = [list(ranks[k : k + group_size]) for k in range(0, world, group_size)]
    return new_subgroups_by_enumeration(lists, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup | int | None, list[ProcessGroup | int]]:
    """Makes a group of each list of ranks, which have none in common; returns this rank's and all of them."""
    if ranks_per_subgroup_list is None or len(ranks_per_subgroup_list) == 0:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    every = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    twice = next((rank for rank in every if every.count(rank) > 1), None)
    if twice is not None:
        raise ValueError(f"Rank {twice} has appeared in more than one subgroup")
    made = [new_group(list(ranks), timeout, backend, pg_options) for ranks in ranks_per_subgroup_list]
    mine = [group for group, ranks in zip(made, ranks_per_subgroup_list, strict=True) if get_rank() in ranks]
    return (mine[0] if mine else None), made
