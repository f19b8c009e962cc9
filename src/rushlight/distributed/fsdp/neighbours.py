"""Groups of neighbouring processes, which keep whole parameters together between forward and backward."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rushlight import distributed as dist
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.filled import zeros
from rushlight.distributed.account import LOGGER
from rushlight.distributed.device_mesh import DeviceMesh

__all__ = ["divided", "neighbours", "share_of"]

MADE: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()  # groups, by the group that they divide and size


def neighbours(mesh: DeviceMesh, size: int) -> Any:
    """Returns the group of `size` neighbouring ranks of a mesh that this process is in; all processes call it.

    Calls with the same mesh share their groups.
    """
    made = MADE.setdefault(mesh.get_group(mesh.ndim - 1), {})
    if size not in made:
        for row in np.reshape(mesh._all_like_this(mesh._get_root_mesh()), (-1, size)).tolist():
            group = dist.new_group(row)  # every process makes all of them, in one order
            if mesh.get_rank() in row:
                made[size] = group
    return made[size]


def divided(reshards: Any, mesh: DeviceMesh) -> tuple[bool | None, Any]:
    """Returns whether parameters are freed after forward, and the group that keeps shares of them, or None.

    A number is that of the processes in such a group. 1 means that each process keeps whole parameters, and the size of
    the mesh that it keeps its part alone. Raises ValueError for any other than a divisor of that size.
    """
    if reshards is None or isinstance(reshards, bool):
        return reshards, None
    size = mesh.size(mesh.ndim - 1)
    if not isinstance(reshards, int):
        raise ValueError(
            "reshard_after_forward should be a bool or an int representing the group size to reshard to, "
            f"not {reshards}"
        )
    if reshards < 1 or size % reshards:
        raise noted(
            ValueError(f"If passing reshard_after_forward as an int, it should be a factor of {size}, not {reshards}"),
            f"Write one of {[each for each in range(1, size + 1) if size % each == 0]}, or True or False.",
        )
    if reshards == 1:
        LOGGER.warning("reshard_after_forward=1 keeps whole parameters after forward, as False does; True frees them.")
        return False, None
    return True, None if reshards == size else neighbours(mesh, reshards)


def share_of(tensors: list[Tensor], count: int, position: int) -> Tensor:
    """Returns the part of one process of flat tensors that are one after the other, padded to the same length for all.

    >>> import rushlight as torch
    >>> [share_of([torch.tensor([1, 2]), torch.tensor([3])], 2, position).tolist() for position in range(2)]
    [[1, 2], [3, 0]]
    """
    length = -(-sum(each.numel() for each in tensors) // count)
    begin, end, at = position * length, (position + 1) * length, 0
    result = zeros(length, dtype=tensors[0].dtype, device=tensors[0].device)
    for each in tensors:
        first, last = max(begin, at), min(end, at + each.numel())
        if first < last:
            result[first - begin : last - begin] = each[first - at : last - at]
        at += each.numel()
    return result
