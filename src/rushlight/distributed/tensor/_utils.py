"""`torch.distributed.tensor._utils`: which part of a whole tensor this process has."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.size import Size
from rushlight.distributed.device_mesh import DeviceMesh
from rushlight.distributed.tensor.placements import Placement
from rushlight.distributed.tensor.spec import Spec

__all__ = ["compute_local_shape_and_global_offset"]


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement], skip_offset: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the shape of this process's part and where it begins in the whole: an empty part at the end.

    With `skip_offset` no beginning. A process outside the mesh has `((0,), ())`.
    """
    if mesh.get_coordinate() is None:
        return (0,), ()
    begin, shape = Spec(mesh, tuple(placements), Size(global_shape)).begin_and_shape()
    if skip_offset:
        return tuple(shape), ()
    ends = zip(begin, shape, global_shape, strict=True)
    return tuple(shape), tuple(offset if length else whole for offset, length, whole in ends)
