"""`torch.profiler.profile`: records steps as a schedule says, and hands each cycle to a function.

https://docs.pytorch.org/docs/stable/profiler.html
"""

from __future__ import annotations

import json
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any
from uuid import uuid4

from rushlight.core.errors import noted
from rushlight.profiler import exports
from rushlight.profiler.autograd_profiler import profile as Profile
from rushlight.profiler.cycles import ProfilerAction
from rushlight.profiler.event_list import EventList
from rushlight.profiler.recorder import ACTIVE


class ProfilerActivity(Enum):
    """A kind of activity that a profiler records; only those of the CPU are there."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def always(step: int) -> ProfilerAction:
    """The schedule of a profile without one."""
    return ProfilerAction.RECORD


class profile:  # noqa: N801  PyTorch's name
    """Records what runs inside a `with` block: operators, nodes of backward passes, steps, batches, marked blocks.

    `schedule(step)` says what to do at each step, which `step()` ends; after a cycle `on_trace_ready(prof)` is called.
    `record_shapes` notes the shapes of arguments, `profile_memory` the bytes of new arrays, `with_stack` the lines of
    the program, `with_flops` the operations of products, convolutions, additions and multiplications, `with_modules`
    the modules. Times are of `time.perf_counter`. Raises AssertionError without a known activity.

    >>> import rushlight as torch
    >>> with torch.profiler.profile() as prof:
    ...     (torch.ones(2, 3) @ torch.ones(3, 2)).sum().item()
    12.0
    >>> [event.key for event in prof.key_averages()]
    ['aten::ones', 'aten::matmul', 'aten::sum', 'aten::item']
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        known = [*supported_activities()] if activities is None else [*activities]
        if not any([isinstance(each, (ProfilerActivity, dict)) for each in known]):
            raise AssertionError("No valid profiler activities found")
        self.activities = set(known) if not any([isinstance(each, dict) for each in known]) else known
        self.schedule, self.record_steps = schedule or always, schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack = (
            record_shapes or with_flops,
            profile_memory,
            with_stack,
        )
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.step_num, self.current_action = 0, self.schedule(0)
        self.profiler: Profile | None = None
        self.custom_trace_id_callback, self.trace_id = custom_trace_id_callback, ""
        self._metadata: dict[str, Any] = {}
        self._preset: dict[str, Any] = {}
        self._step_started: int | None = None
        self._kept = EventList()

    # ---- begin and end

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begins, with the action of step 0."""
        self._change(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        """Ends; a cycle that is being recorded is ready. Raises AssertionError before `start`."""
        if self.profiler is None and self.current_action in RECORDS:
            raise AssertionError("Profiler must be initialized before stopping trace")
        self._end_step()
        self._change(self.current_action, None)

    def step(self) -> None:
        """Ends a step: the next one is recorded or not, as the schedule says."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._change(before, self.current_action)
        self._begin_step()

    def _begin_step(self) -> None:
        self._step_started = time.perf_counter_ns() if self.record_steps else None

    def _end_step(self) -> None:
        if self._step_started is not None and self.profiler is not None and self.profiler.recorder in ACTIVE:
            self.profiler.recorder.note_block(f"ProfilerStep#{self.step_num}", self._step_started)

    def _change(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Goes from one action to the next; None is the end."""
        if before is ProfilerAction.WARMUP and after is ProfilerAction.NONE:
            warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=3)
        if before is ProfilerAction.RECORD and after in (ProfilerAction.NONE, ProfilerAction.WARMUP):
            warnings.warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=3)
        if before in RECORDS and (after not in RECORDS or before is ProfilerAction.RECORD_AND_SAVE):
            self.stop_trace()
            if self.on_trace_ready is not None and (before is ProfilerAction.RECORD_AND_SAVE or after is None):
                self.on_trace_ready(self)
            before = ProfilerAction.NONE
        if before is ProfilerAction.NONE and after not in (None, ProfilerAction.NONE):
            self.prepare_trace()
        if after in RECORDS and before not in RECORDS:
            self.start_trace()

    def prepare_trace(self) -> None:
        """Makes ready to record; `start_trace` begins."""
        zero = None
        if self.profiler is not None:
            self.profiler.__exit__()  # unless it has ended: `start` again begins anew
        if self.acc_events and self.profiler is not None:
            self._kept.extend(self.profiler._finished())
            zero = self._kept._origin = self.profiler._finished()._origin
        self.profiler = Profile(
            record_shapes=self.record_shapes, profile_memory=self.profile_memory, with_stack=self.with_stack,
            with_flops=self.with_flops, with_modules=self.with_modules,
        )  # fmt: skip
        self.profiler.recorder.zero = zero
        self._metadata = dict(self._preset)
        self.trace_id = self.custom_trace_id_callback() if self.custom_trace_id_callback else uuid4().hex.upper()

    def start_trace(self) -> None:
        """Begins to record."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before starting trace")
        self.profiler.__enter__()

    def stop_trace(self) -> None:
        """Ends recording. Raises AssertionError before `start_trace`."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before stopping trace")
        self.profiler.__exit__(None, None, None)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Stops or goes on recording inside the block; only `ProfilerActivity.CPU` is recorded at all."""
        if self.profiler is None or ProfilerActivity.CPU not in set(activities):
            return
        recorder = self.profiler.recorder
        recorder.detach()
        if enable and recorder in ACTIVE[-1:]:
            recorder.attach()

    # ---- results

    def events(self) -> EventList:
        """Returns the events of the last cycle, of all with `acc_events`. Raises AssertionError before the start."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        finished = self.profiler._finished()
        return finished._like([*self._kept, *finished]) if self._kept else finished

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Returns the sums of events by name, also by their input shapes, or by the first lines of their stack."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self.events().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events for chrome://tracing and Perfetto, with the metadata; compressed if it ends in `.gz`."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting chrome trace")
        exports.write_trace(path, self.events(), {**self._metadata, "trace_id": self.trace_id})

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes stacks with their times, for flame graphs. Raises AssertionError without `with_stack=True`."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting stacks")
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.events().export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Raises NotImplementedError: a profile here notes new memory and not when it is freed."""
        raise noted(
            NotImplementedError("export_memory_timeline() is not there: profiles do not note when memory is freed."),
            "key_averages().table(sort_by='self_cpu_memory_usage') has the new memory of each operator.",
        )

    # ---- metadata

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a field with a text to the exported trace."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds a field with a value, as JSON, to the exported trace. Raises ValueError for other text."""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Adds a field with a value, as JSON, to the traces of all cycles that begin from now on."""
        self._preset[key] = json.loads(value)

    def get_trace_id(self) -> str | None:
        """Returns the number of the last trace, None before the first."""
        return self.trace_id or None

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Sets what gives numbers to traces."""
        self.custom_trace_id_callback = callback


_KinetoProfile = profile


def supported_activities() -> set[ProfilerActivity]:
    """Returns the activities that can be recorded: those of the CPU."""
    return {ProfilerActivity.CPU}


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[profile], None]:
    """Returns a function for `on_trace_ready` that writes traces to a folder, one file per cycle.

    A file is called `WORKER.TIME.pt.trace.json`; the worker is the host and the process unless it is given. With
    `use_gzip` files are compressed. Raises RuntimeError if the folder cannot be made.
    """

    def handler(prof: profile) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        end = ".gz" if use_gzip else ""
        prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json{end}"))

    return handler
