"""`torch.backends.cudnn`: there is no cuDNN; its switches keep what programs set."""

from __future__ import annotations

from contextlib import AbstractContextManager

from rushlight.backends.switches import become_switches, switched
from rushlight.core.tensor import Tensor

# The switches, which the last line sets.
enabled: bool
benchmark: bool
deterministic: bool
allow_tf32: bool

__all__ = ["flags", "is_acceptable", "is_available", "version"]


def is_available() -> bool:
    """Whether cuDNN is there: never."""
    return False


def version() -> int | None:
    """The version of cuDNN: None, as it is not there."""
    return None


def is_acceptable(tensor: Tensor) -> bool:
    """Whether cuDNN could compute on a tensor: never."""
    return False


def flags(
    enabled: bool | None = False, benchmark: bool | None = False, benchmark_limit: int | None = 10,
    deterministic: bool | None = False, allow_tf32: bool | None = True, fp32_precision: str = "none",
) -> AbstractContextManager[None]:  # fmt: skip
    """Sets the switches until the end of a `with` block.

    >>> import rushlight as torch
    >>> with torch.backends.cudnn.flags(enabled=True, deterministic=True):
    ...     torch.backends.cudnn.deterministic
    True
    """
    return switched(__name__, enabled=enabled, benchmark=benchmark, deterministic=deterministic, allow_tf32=allow_tf32)


become_switches(__name__, enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
