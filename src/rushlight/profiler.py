"""`torch.profiler`: names for profiling settings. Profiling itself is not implemented.

https://docs.pytorch.org/docs/stable/profiler.html
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from enum import Enum

from rushlight.autograd.profiler import Profiler, record_function, refuse

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerAction(Enum):
    """What a profiler does at a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class ProfilerActivity(Enum):
    """A kind of activity that a profiler records."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class profile(Profiler):  # noqa: N801  PyTorch's name
    """Profiles operations in PyTorch; raises NotImplementedError here."""


def kineto_available() -> bool:
    """Returns False: Kineto is not built in."""
    return False


def supported_activities() -> set[ProfilerActivity]:
    """Returns the activities that can be recorded: none."""
    return set()


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable:
    """Writes profiles in PyTorch; raises NotImplementedError here."""
    return refuse("torch.profiler.tensorboard_trace_handler")


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Returns a function from step number to action: cycles of waiting, warm-up and recording.

    The cycles start after `skip_first` steps.

    `repeat` is the number of cycles, 0 for no end; with `skip_first_wait` the first cycle does not wait.

    >>> import rushlight as torch
    >>> action = torch.profiler.schedule(wait=1, warmup=1, active=2)
    >>> [action(step).name for step in range(4)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE']
    """
    if not (wait >= 0 and warmup >= 0 and active > 0 and repeat >= 0 and skip_first >= 0):
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    cycle = wait + warmup + active
    begin = skip_first - (wait if skip_first_wait else 0)

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        after = step - begin
        if step < skip_first or (repeat and after // cycle >= repeat):
            return ProfilerAction.NONE
        position = after % cycle
        if position < wait:
            return ProfilerAction.NONE
        if position < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if position < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
