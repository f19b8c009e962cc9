"""`torch.distributed.optim`: optimizers of several processes. Those that need `torch.distributed.rpc` are not there.

https://docs.pytorch.org/docs/stable/distributed.optim.html
"""

from rushlight.distributed.optim.post_localSGD_optimizer import PostLocalSGDOptimizer
from rushlight.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["PostLocalSGDOptimizer", "ZeroRedundancyOptimizer"]
