"""Changes the placements of a tensor along all dimensions of a mesh, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.tensor import Tensor
from rushlight.distributed.tensor.movement import moved
from rushlight.distributed.tensor.placements import Placement, Replicate, Shard, in_order, share
from rushlight.distributed.tensor.spec import Spec

__all__ = ["relaid"]


def relaid(local: Tensor, spec: Spec, target: Sequence[Placement]) -> Tensor:
    """Returns the part of this process under other placements.

    A dimension of the mesh that divides what another one has divided already is undone first, from the last on:
    strided ones divide last.
    """
    mesh, current, target = spec.mesh, list(spec.placements), tuple(target)
    changing = affected(current, target)
    for mesh_dim in reversed(in_order(current)):
        if mesh_dim in changing:
            alone = not any(is_nested(current, target, mesh_dim, other) for other in range(mesh.ndim))
            local = step_to(local, spec, current, mesh_dim, target[mesh_dim] if alone else Replicate())
    for mesh_dim in in_order(target):
        local = step_to(local, spec, current, mesh_dim, target[mesh_dim])
    return local


def affected(current: Sequence[Placement], target: Sequence[Placement]) -> set[int]:
    """Returns the dimensions of the mesh that change, and those whose parts are parts of what changes."""
    changing = {dim for dim, (before, after) in enumerate(zip(current, target, strict=True)) if before != after}
    order = in_order(current)
    inner = {
        other for dim in changing for other in order[order.index(dim) + 1 :] if is_nested(current, target, dim, other)
    }
    return changing | inner


def is_nested(current: Sequence[Placement], target: Sequence[Placement], one: int, other: int) -> bool:
    """Whether two dimensions of the mesh divide one dimension of the tensor, before or afterwards."""

    def dims(at: int) -> set[int]:
        return {each.dim for each in (current[at], target[at]) if isinstance(each, Shard)}

    return one != other and bool(dims(one) & dims(other))


def step_to(local: Tensor, spec: Spec, current: list[Placement], mesh_dim: int, target: Placement) -> Tensor:
    """Changes one placement of a part; `current` is kept up to date."""
    source = current[mesh_dim]
    size = 0
    if isinstance(source, Shard):
        size = spec.shape[source.dim]
        order = in_order(current)
        for outer in order[: order.index(mesh_dim)]:
            if current[outer].is_shard(source.dim):
                size = share(size, spec.mesh.size(outer), spec.mesh.get_local_rank(outer))[1]
    current[mesh_dim] = target
    return moved(local, source, target, spec.mesh.get_group(mesh_dim), size)
