"""Making modules without drawing their weights."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules import Module


def skip_init(module_cls: type, *args: Any, **kwargs: Any):
    """The module `module_cls(*args, **kwargs)` with parameters whose numbers are whatever memory holds.

    It is made without numbers, on the device `meta`, and then given memory on `device` ("cpu" if none is named).

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
