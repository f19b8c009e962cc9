"""torch.cpu.amp: deprecated names of `torch.amp` without the device type argument; each warns."""

from __future__ import annotations

import warnings

import rushlight.amp as amp
from rushlight.core.annotations import Dtype
from rushlight.core.dtype import bfloat16


class autocast(amp.autocast):
    """`torch.amp.autocast("cpu", ...)`, deprecated."""

    __module__ = "torch.cpu.amp.autocast_mode"

    def __init__(self, enabled: bool = True, dtype: Dtype | None = bfloat16, cache_enabled: bool = True) -> None:
        _warn("autocast(args...)", "autocast('cpu', args...)")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler("cpu", ...)`, deprecated."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler(args...)", "GradScaler('cpu', args...)")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.cpu.amp.{old}` is deprecated. Please use `torch.amp.{new}` instead.", FutureWarning, stacklevel=3
    )
