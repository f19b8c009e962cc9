"""`torch.distributed.device_mesh`: processes in a grid, as a class that programs name. None can be made: there is one.

https://docs.pytorch.org/docs/stable/distributed.html#devicemesh
"""

from __future__ import annotations

from typing import NoReturn

from rushlight.distributed.groups import refuse

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """Several processes in a grid. Making one raises NotImplementedError."""

    def __init__(self, *args, **kwargs) -> None:
        refuse("torch.distributed.device_mesh.DeviceMesh")


def init_device_mesh(*args, **kwargs) -> NoReturn:
    """Makes a mesh. Raises NotImplementedError."""
    refuse("torch.distributed.init_device_mesh")
