"""`torch._C._nn`: names that packages import."""

from __future__ import annotations

from rushlight._generated.functions import linear as linear
from rushlight.create.conversion import conversion_of


def _parse_to(*args, **kwargs) -> tuple:
    """Parses arguments of `to`: returns (device, dtype, non_blocking, memory_format), with None for missing ones.

    >>> import rushlight as torch
    >>> _parse_to("cpu", torch.float16)
    (device(type='cpu'), torch.float16, False, None)
    """
    return conversion_of(args, kwargs)
