"""`torch.distributed.tensor.parallel`: layers whose weights are spread over processes.

https://docs.pytorch.org/docs/stable/distributed.tensor.parallel.html
"""

from rushlight.distributed.tensor.parallel.inputs import PrepareModuleInput, PrepareModuleOutput
from rushlight.distributed.tensor.parallel.loss import loss_parallel
from rushlight.distributed.tensor.parallel.plan import parallelize_module
from rushlight.distributed.tensor.parallel.styles import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleOutput", "RowwiseParallel",
    "SequenceParallel", "loss_parallel", "parallelize_module",
]  # fmt: skip
