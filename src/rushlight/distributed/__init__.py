"""`torch.distributed`: whether there are several processes to train with. There are not, and programs ask first.

https://docs.pytorch.org/docs/stable/distributed.html
"""

from rushlight.distributed import device_mesh, rpc
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.groups import ProcessGroup

__all__ = ["DeviceMesh", "ProcessGroup", "device_mesh", "init_device_mesh", "is_available", "is_initialized", "rpc"]


def is_available() -> bool:
    """Whether processes can exchange tensors: never so far; PyTorch built without them says the same.

    >>> import rushlight as torch
    >>> torch.distributed.is_available() and torch.distributed.is_initialized()
    False
    """
    return False


def is_initialized() -> bool:
    """Whether this process is one of several that train together: never, as they cannot."""
    return False
