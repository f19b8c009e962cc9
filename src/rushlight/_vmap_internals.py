"""`torch._vmap_internals`: an older address of `vmap`, which packages import."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rushlight.func.vmap import vmap as current


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`torch.vmap`, with a FutureWarning."""
    warnings.warn("Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)


def _vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`torch.vmap`."""
    return current(func, in_dims, out_dims)
