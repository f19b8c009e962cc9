"""`torch._C._distributed_c10d`: names of PyTorch's compiled classes of `torch.distributed`."""

from __future__ import annotations

from rushlight.distributed.file_store import FileStore as FileStore
from rushlight.distributed.process_group import ProcessGroup as ProcessGroup
from rushlight.distributed.reductions import ReduceOp as ReduceOp
from rushlight.distributed.stores import HashStore as HashStore
from rushlight.distributed.stores import PrefixStore as PrefixStore
from rushlight.distributed.stores import Store as Store
from rushlight.distributed.stores import TCPStore as TCPStore
from rushlight.distributed.work import Work as Work
from rushlight.nn.parallel.reducer import Reducer as Reducer
