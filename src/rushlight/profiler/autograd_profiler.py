"""What `torch.autograd.profiler` offers: a profile without schedule, and contexts for other profilers.

https://docs.pytorch.org/docs/stable/autograd.html#profiler
"""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from typing import Any

from rushlight.autograd.profiler import kineto_available
from rushlight.core.errors import noted
from rushlight.profiler.event_list import EventList
from rushlight.profiler.events import DeviceType, FunctionEvent, FunctionEventAvg, Interval
from rushlight.profiler.recorder import ACTIVE, Recorder, Settings, record_function

__all__ = [
    "DeviceType", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "emit_itt", "emit_nvtx",
    "kineto_available", "profile", "record_function",
]  # fmt: skip


class profile:  # noqa: N801  PyTorch's name
    """Records the operators that run in a `with` block; `torch.profiler.profile` has schedules too.

    Arguments as in PyTorch; `use_device` other than the CPU has no events. Raises RuntimeError if it is entered twice.

    >>> import rushlight as torch
    >>> with torch.autograd.profiler.profile() as prof:
    ...     x = torch.ones(3) + 1
    >>> [event.key for event in prof.key_averages()]
    ['aten::ones', 'aten::add']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: dict | None = None,
    ) -> None:
        if use_cuda or use_device not in (None, "cpu"):
            warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=2)
        self.enabled, self.entered = enabled, False
        self.record_shapes, self.profile_memory, self.with_stack = (
            record_shapes or with_flops,
            profile_memory,
            with_stack,
        )
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        settings = Settings(self.record_shapes, profile_memory, with_stack, with_flops, with_modules)
        self.recorder = Recorder(settings)
        self._events: EventList | None = None

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self.recorder.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self.enabled:
            self.recorder.stop()

    @property
    def function_events(self) -> EventList | None:
        """The events, None before the block was left."""
        if self._events is None and self.entered and self.recorder not in ACTIVE:
            self._events = self.recorder.events()
        return self._events

    def _finished(self) -> EventList:
        return EventList() if (events := self.function_events) is None else events

    def __str__(self) -> str:
        return str(self._finished())

    __repr__ = __str__

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events without those inside, in microseconds."""
        return self._finished().self_cpu_time_total

    def table(self, *arguments: Any, **keywords: Any) -> str:
        """Returns the events as a table; see `EventList.table`."""
        return self._finished().table(*arguments, **keywords)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Returns the sums of events by name."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """Returns the sum of all events."""
        return self._finished().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as a trace."""
        self._finished().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes stacks with their times. Raises AssertionError without `with_stack=True`."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)


class emit_nvtx(AbstractContextManager):  # noqa: N801
    """Marks operators for NVIDIA's profiler in PyTorch. Raises AssertionError on entering, as PyTorch without CUDA."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_nvtx | None:
        if self.enabled:
            raise noted(
                AssertionError("Torch not compiled with CUDA enabled"),
                "rushlight.profiler.profile() records the operators on the CPU.",
            )
        return None

    def __exit__(self, *raised: object) -> None:
        return None


class emit_itt(AbstractContextManager):  # noqa: N801
    """Marks operators for Intel's profiler in PyTorch. Raises NotImplementedError on entering."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_itt | None:
        if self.enabled:
            raise noted(
                NotImplementedError("emit_itt() is not there: rushlight does not call Intel's tracing library."),
                "rushlight.profiler.profile() records the operators, and export_chrome_trace() writes them to a file.",
            )
        return None

    def __exit__(self, *raised: object) -> None:
        return None
