"""`torch.utils._foreach_utils`: what optimizers of packages ask before they step many tensors at once."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.core.device import device
from rushlight.core.tensor import Tensor
from rushlight.optim.helpers import foreach_devices as _get_foreach_kernels_supported_devices
from rushlight.optim.helpers import fused_devices as _get_fused_kernels_supported_devices
from rushlight.optim.helpers import grouped_by_device_and_dtype as _group_tensors_by_device_and_dtype

__all__ = [
    "_device_has_foreach_support", "_foreach_supported_types", "_get_foreach_kernels_supported_devices",
    "_get_fused_kernels_supported_devices", "_group_tensors_by_device_and_dtype", "_has_foreach_support",
]  # fmt: skip

_foreach_supported_types = [Tensor]


def _device_has_foreach_support(device: device) -> bool:
    """Whether PyTorch steps many tensors of a device at once, if the program requests it."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Tensor | None], device: device) -> bool:
    """Whether that holds for these tensors, all of them on the device: not for parameters and other subclasses."""
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)
