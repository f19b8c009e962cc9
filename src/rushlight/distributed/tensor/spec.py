"""What a distributed tensor is as a whole: its mesh, its placements and its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rushlight.core.errors import noted
from rushlight.core.size import Size
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard, in_order, share

__all__ = ["Spec"]


class Spec(NamedTuple):
    """Mesh, placements and global shape."""

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    shape: Size

    def where(self, placements: Sequence[Placement]) -> Spec:
        """Returns the same with other placements."""
        return self._replace(placements=tuple(placements))

    def begin_and_shape(self) -> tuple[list[int], list[int]]:
        """Returns where the part of this process begins in the whole, and its shape."""
        begin, shape = [0] * len(self.shape), list(self.shape)
        for mesh_dim in in_order(self.placements):
            placement = self.placements[mesh_dim]
            if isinstance(placement, Shard):
                position = self.mesh.get_local_rank(mesh_dim)
                offset, length = share(shape[placement.dim], self.mesh.size(mesh_dim), position)
                begin[placement.dim] += offset
                shape[placement.dim] = length
        return begin, shape


def normalized(mesh: DeviceMesh, placements: Sequence[Placement] | None, ndim: int) -> tuple[Placement, ...]:
    """Returns placements with dimensions that are not negative; without any, `Replicate` everywhere.

    Raises ValueError unless there is one for each dimension of the mesh, and for a dimension that the tensor lacks.
    """
    if placements is None:
        return (Replicate(),) * mesh.ndim
    if len(placements) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: "
            f"{len(placements)}, and device_mesh.ndim: {mesh.ndim}."
        )
    return tuple(one_normalized(placement, ndim) for placement in placements)


def one_normalized(placement: Placement, ndim: int) -> Placement:
    if not isinstance(placement, Shard):
        return placement
    dim = placement.dim + ndim if placement.dim < 0 else placement.dim
    if not 0 <= dim < ndim:
        raise noted(
            ValueError(f"Sharding dim {placement.dim} greater than tensor ndim {ndim}"),
            f"The tensor has the dimensions 0 to {ndim - 1}.",
        )
    return replace(placement, dim=dim)


def has_partial(placements: Sequence[Placement]) -> bool:
    """Whether some placement is a term of a sum."""
    return any(isinstance(placement, Partial) for placement in placements)
