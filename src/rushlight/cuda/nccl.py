"""`torch.cuda.nccl`: NVIDIA's library for several GPUs, which is not supported."""

import warnings
from collections.abc import Iterable

from rushlight.core.tensor import Tensor

__all__ = ["is_available"]


def is_available(tensors: Iterable[Tensor]) -> bool:
    """Whether the library supports these tensors: always False."""
    warnings.warn("PyTorch is not compiled with NCCL support", stacklevel=2)
    return False
