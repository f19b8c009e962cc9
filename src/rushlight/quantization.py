"""`torch.quantization`: the older name of `torch.ao.quantization`."""

from rushlight.ao import quantization
from rushlight.ao.quantization import *  # noqa: F403

__all__ = quantization.__all__  # noqa: PLE0605
