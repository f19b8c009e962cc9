"""`torch.distributed`: not supported, which programs check first.

https://docs.pytorch.org/docs/stable/distributed.html
"""

from rushlight.distributed import device_mesh, rpc
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.groups import ProcessGroup

__all__ = ["DeviceMesh", "ProcessGroup", "device_mesh", "init_device_mesh", "is_available", "is_initialized", "rpc"]


def is_available() -> bool:
    """Returns False, as a PyTorch without distributed support does.

    >>> import rushlight as torch
    >>> torch.distributed.is_available() and torch.distributed.is_initialized()
    False
    """
    return False


def is_initialized() -> bool:
    """Returns False."""
    return False
