"""`torch.distributed.tensor`: tensors that lie on several processes.

https://docs.pytorch.org/docs/stable/distributed.tensor.html
"""

from rushlight.distributed.device_mesh import DeviceMesh as DeviceMesh
from rushlight.distributed.device_mesh import init_device_mesh as init_device_mesh
from rushlight.distributed.tensor.distribute import distribute_module, distribute_tensor, empty, full, ones, zeros
from rushlight.distributed.tensor.dtensor import DTensor
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard

__all__ = [
    "DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor", "empty", "full",
    "ones", "zeros",
]  # fmt: skip
