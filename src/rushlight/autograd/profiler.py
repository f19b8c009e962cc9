"""`torch.autograd.profiler`: `record_function` runs its block; everything that measures raises NotImplementedError.

https://docs.pytorch.org/docs/stable/autograd.html#profiler
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any, NoReturn

from rushlight.core.errors import noted

__all__ = ["EventList", "emit_itt", "emit_nvtx", "profile", "record_function"]


class record_function(ContextDecorator):  # noqa: N801  PyTorch's name
    """Marks a part of a program for a profiler. There is none here, so the part just runs, as in PyTorch without
    one.

    >>> import rushlight as torch
    >>> with torch.autograd.profiler.record_function("double"):
    ...     (torch.ones(2) * 2).tolist()
    [2.0, 2.0]
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *raised: object) -> None:
        return None


class Profiler:
    """A profiler: it has a name, and raises NotImplementedError when it is made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse(f"{type(self).__module__}.{type(self).__name__}".replace("rushlight", "torch", 1))


def refuse(name: str) -> NoReturn:
    """Raises NotImplementedError for a profiler."""
    raise noted(
        NotImplementedError(f"{name} is not there: rushlight does not record times of operations."),
        "Python's profilers see every operation: python -m cProfile -s cumulative SCRIPT.",
    )


class profile(Profiler):  # noqa: N801
    """Measures operations in PyTorch; raises NotImplementedError here."""


class emit_nvtx(Profiler):  # noqa: N801
    """Marks operations for NVIDIA's profiler in PyTorch; raises NotImplementedError here."""


class emit_itt(Profiler):  # noqa: N801
    """Marks operations for Intel's profiler in PyTorch; raises NotImplementedError here."""


class EventList(list):
    """PyTorch's list of profiled events. No profiler runs here, so programs get none."""

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Raises NotImplementedError if there are events, which only a profiler of PyTorch can have recorded."""
        return refuse("torch.autograd.profiler.EventList.table") if self else ""
