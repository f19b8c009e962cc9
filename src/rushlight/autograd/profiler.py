"""`torch.autograd.profiler`: the names of `rushlight.profiler` at their older address.

https://docs.pytorch.org/docs/stable/autograd.html#profiler
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = list("EventList FunctionEvent emit_itt emit_nvtx profile record_function".split())
__all__ = [*NAMES, "kineto_available"]


def kineto_available() -> bool:
    """Returns True, as in PyTorch's builds: programs ask before they profile."""
    return True


def _profiler_enabled() -> bool:
    """Whether a profile is being recorded."""
    return bool(import_module("rushlight.profiler.recorder").ACTIVE)


def __getattr__(name: str) -> Any:
    """Returns a name of the profiler, which observes modules and optimizers: a higher level than this package."""
    asked_by_import = name.startswith("__")  # whether this is a package
    module = None if asked_by_import else import_module("rushlight.profiler.autograd_profiler")
    if module is None or name not in module.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
