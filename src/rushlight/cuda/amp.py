"""torch.cuda.amp: deprecated names of `torch.amp` from before it took the device type; each warns."""

from __future__ import annotations

import warnings

import rushlight.amp as amp
from rushlight.core.dtype import float16


class autocast(amp.autocast):
    """Deprecated: `torch.amp.autocast("cuda", ...)`."""

    __module__ = "torch.cuda.amp.autocast_mode"

    def __init__(self, enabled: bool = True, dtype=float16, cache_enabled: bool = True):
        _warn("autocast(args...)", "autocast('cuda', args...)")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """Deprecated: `torch.amp.GradScaler("cuda", ...)`."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        _warn("GradScaler(args...)", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{old}` is deprecated. Please use `torch.amp.{new}` instead.", FutureWarning, stacklevel=3
    )


def custom_fwd(fwd=None, *, cast_inputs=None):
    """Deprecated: `torch.amp.custom_fwd(..., device_type="cuda")`."""
    _warn("custom_fwd(args...)", "custom_fwd(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """Deprecated: `torch.amp.custom_bwd(..., device_type="cuda")`."""
    _warn("custom_bwd(args...)", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
