"""The operators of torchvision's native library, defined at the first use of `torch.ops.torchvision`."""

from rushlight._torchvision.definitions import define
from rushlight._torchvision.derivatives import register

define()
register()
