"""`torch.backends.cudnn`: the switches of cuDNN, which computes convolutions, batch norms and attention on GPUs."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any

from rushlight.backends.switches import become_switches, precision, switched
from rushlight.core.device import BACKENDS
from rushlight.core.dtype import bfloat16, float16, float32, float64
from rushlight.core.tensor import Tensor

SUPPORTED = (float16, bfloat16, float32, float64)

# The switches, set by the last line.
enabled: bool
benchmark: bool
deterministic: bool
allow_tf32: bool
benchmark_limit: int | None
fp32_precision: str

__all__ = ["flags", "is_acceptable", "is_available", "version"]


def is_available() -> bool:
    """Whether cuDNN is available: on no machine without a GPU, nor for simulated ones."""
    return _library() is not None


def version() -> int | None:
    """Returns the version of cuDNN as a number, such as 91002; None without it."""
    return None if (library := _library()) is None else library.backend_version()


def _library() -> Any:
    """Returns the module that the current GPU calls cuDNN by, or None."""
    return getattr(BACKENDS.by_kind.get("cuda"), "cudnn", None)


def is_acceptable(tensor: Tensor) -> bool:
    """Whether cuDNN may compute with a tensor: if it is enabled and available, on a GPU, and of a floating dtype."""
    return sys.modules[__name__].enabled and is_available() and tensor.is_cuda and tensor.dtype in SUPPORTED


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
        """ "tf32", or "ieee" for not at all. On the CPU it changes no result."""
        whole = vars(sys.modules[__name__])
        rounded = "tf32" if whole["allow_tf32"] else "ieee"
        return self._precision or (rounded if whole["fp32_precision"] == "none" else whole["fp32_precision"])

    @fp32_precision.setter
    def fp32_precision(self, wanted: str) -> None:
        self._precision = precision("cuda", wanted)


conv, rnn = Operators(), Operators()
benchmark_limit, fp32_precision = None, "none"
become_switches(__name__, enabled=True, benchmark=False, deterministic=False, allow_tf32=True)
