"""`torch.backends.cudnn`: switches of cuDNN, which is not available; they are stored."""

from __future__ import annotations

from contextlib import AbstractContextManager

from rushlight.backends.switches import become_switches, switched
from rushlight.core.tensor import Tensor

# The switches, set by the last line.
enabled: bool
benchmark: bool
deterministic: bool
allow_tf32: bool

__all__ = ["flags", "is_acceptable", "is_available", "version"]


def is_available() -> bool:
    """Whether cuDNN is available: False."""
    return False


def version() -> int | None:
    """Returns the version of cuDNN: None."""
    return None


def is_acceptable(tensor: Tensor) -> bool:
    """Whether cuDNN supports a tensor: False."""
    return False


def flags(
    enabled: bool | None = False, benchmark: bool | None = False, benchmark_limit: int | None = 10,
    deterministic: bool | None = False, allow_tf32: bool | None = True, fp32_precision: str = "none",
) -> AbstractContextManager[None]:  # fmt: skip
    """Sets the switches in a `with` block.

    >>> import rushlight as torch
    >>> with torch.backends.cudnn.flags(enabled=True, deterministic=True):
    ...     torch.backends.cudnn.deterministic
    True
    """
    return switched(__name__, enabled=enabled, benchmark=benchmark, deterministic=deterministic, allow_tf32=allow_tf32)


become_switches(__name__, enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
