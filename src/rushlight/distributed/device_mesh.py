"""`torch.distributed.device_mesh`: meshes of processes, for programs that name the class; none can be created.

https://docs.pytorch.org/docs/stable/distributed.html#devicemesh
"""

from __future__ import annotations

from typing import NoReturn

from rushlight.distributed.groups import refuse

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """A mesh of processes. Raises NotImplementedError."""

    def __init__(self, *args, **kwargs) -> None:
        refuse("torch.distributed.device_mesh.DeviceMesh")


def init_device_mesh(*args, **kwargs) -> NoReturn:
    """Creates a mesh. Raises NotImplementedError."""
    refuse("torch.distributed.init_device_mesh")
