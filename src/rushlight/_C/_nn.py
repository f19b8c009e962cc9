"""`torch._C._nn`: what packages take from it."""

from __future__ import annotations

from rushlight.create.conversion import conversion_of


def _parse_to(*args, **kwargs) -> tuple:
    """What arguments of `to` ask for: (device, dtype, non_blocking, memory_format), None where nothing is asked.

    >>> import rushlight as torch
    >>> _parse_to("cpu", torch.float16)
    (device(type='cpu'), torch.float16, False, None)
    """
    return conversion_of(args, kwargs)
