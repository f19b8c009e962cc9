"""The operators of torchvision's native library, defined when `torch.ops.torchvision` is first named."""

from rushlight._torchvision.definitions import define
from rushlight._torchvision.derivatives import register

define()
register()
