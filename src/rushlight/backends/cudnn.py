"""`torch.backends.cudnn`: switches of cuDNN, which is not available; they are stored."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager

from rushlight.backends.switches import become_switches, precision, switched
from rushlight.core.tensor import Tensor

# The switches, set by the last line.
enabled: bool
benchmark: bool
deterministic: bool
allow_tf32: bool
benchmark_limit: int | None
fp32_precision: str

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
    limit = None if benchmark_limit == 10 else benchmark_limit
    return switched(
        __name__, enabled=enabled, benchmark=benchmark, benchmark_limit=limit, deterministic=deterministic,
        allow_tf32=allow_tf32,
    )  # fmt: skip


class Operators:
    """How float32 values may be rounded in one kind of operators: as set here, else as for all of cuDNN."""

    _precision: str | None = None

    @property
    def fp32_precision(self) -> str:
        """ "tf32", or "ieee" for not at all. It changes no result here."""
        whole = vars(sys.modules[__name__])
        rounded = "tf32" if whole["allow_tf32"] else "ieee"
        return self._precision or (rounded if whole["fp32_precision"] == "none" else whole["fp32_precision"])

    @fp32_precision.setter
    def fp32_precision(self, wanted: str) -> None:
        self._precision = precision("cuda", wanted)


conv, rnn = Operators(), Operators()
benchmark_limit, fp32_precision = None, "none"
become_switches(__name__, enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
