"""`torch.profiler`: what runs, how long, from which line, with how much memory.

https://docs.pytorch.org/docs/stable/profiler.html
"""

from __future__ import annotations

from rushlight.profiler import itt as itt
from rushlight.profiler.autograd_profiler import kineto_available
from rushlight.profiler.cycles import ProfilerAction, schedule
from rushlight.profiler.recorder import record_function
from rushlight.profiler.session import (
    ProfilerActivity,
    _KinetoProfile,
    profile,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "ProfilerAction", "ProfilerActivity", "_KinetoProfile", "itt", "kineto_available", "profile", "record_function",
    "schedule", "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip
