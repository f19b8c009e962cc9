"""`torch.distributed`: several processes, on one machine or many, that compute together. MPI carries their data.

https://docs.pytorch.org/docs/stable/distributed.html
"""

from __future__ import annotations

from rushlight.distributed import constants, device_mesh, distributed_c10d, rpc
from rushlight.distributed.buckets import GradBucket
from rushlight.distributed.debug import DebugLevel, get_debug_level, set_debug_level, set_debug_level_from_env
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.distributed_c10d import *  # noqa: F403
from rushlight.distributed.distributed_c10d import __all__ as names_of_groups
from rushlight.distributed.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from rushlight.distributed.file_store import FileStore
from rushlight.distributed.reductions import _make_nccl_premul_sum as _make_nccl_premul_sum
from rushlight.distributed.state import is_available
from rushlight.distributed.stores import HashStore, TCPStore

__all__ = [
    *names_of_groups, "DebugLevel", "DeviceMesh", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError",
    "FileStore", "GradBucket", "HashStore", "QueueEmptyError", "TCPStore", "constants", "device_mesh",
    "distributed_c10d", "get_debug_level", "init_device_mesh", "is_available", "rpc", "set_debug_level",
    "set_debug_level_from_env",
]  # fmt: skip
