"""`torch.autograd.profiler_util`: an address of the events of a profile.

https://docs.pytorch.org/docs/stable/autograd.html#profiler
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = list("EventList FunctionEvent FunctionEventAvg Interval".split())


def __getattr__(name: str) -> Any:
    """Returns a name of the profiler, which is of a higher level than this package."""
    if name == "_format_time":
        return import_module("rushlight.profiler.events").time_text
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("rushlight.profiler.autograd_profiler"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
