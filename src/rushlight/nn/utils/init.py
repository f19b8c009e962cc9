"""Creates modules without initializing their weights."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules import Module


def skip_init(module_cls: type, *args: Any, **kwargs: Any):
    """Returns the module `module_cls(*args, **kwargs)` with uninitialized parameters.

    It is created on the device `meta`, without values, and then moved to empty memory on `device` ("cpu" by default).

    >>> import rushlight as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 2, 3).weight.shape
    torch.Size([3, 2])
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
