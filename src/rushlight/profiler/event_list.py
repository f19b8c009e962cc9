"""`EventList`: the events of a profile, their averages by name, and their exports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rushlight.profiler import exports
from rushlight.profiler.events import FunctionEvent, FunctionEventAvg
from rushlight.profiler.table import table


class EventList(list):
    """Events, in the order in which they began; or their averages, by name."""

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
        record_shapes: bool = False,
        with_stack: bool = False,
        threads: Iterable[int] = (),
        origin: int = 0,
    ) -> None:
        super().__init__(events)
        self._profile_memory, self._with_flops, self._with_stack = profile_memory, with_flops, with_stack
        self._record_shapes = record_shapes
        self._threads, self._origin = list(threads), origin

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of the times of all events without those inside, in microseconds."""
        return sum([event.self_cpu_time_total for event in self])

    @property
    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` can add up."""
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

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
        """Returns the events as a table, at most `row_limit` of them (-1: all), largest `sort_by` first.

        `sort_by` is an attribute of an event, such as `cpu_time_total`, `self_cpu_time_total`, `cpu_memory_usage` or
        `count`; raises AttributeError for anything else. `time_unit` is one of `s`, `ms` and `us` for all times.
        """
        return table(
            self, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, time_unit, memory=self._profile_memory, flops=self._with_flops,
        )  # fmt: skip

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Returns the sums of events of one name, also by their input shapes, or by the first lines of their stack."""
        averages: dict[tuple, FunctionEventAvg] = {}
        for event in self:
            key: tuple = (event.key, event.is_user_annotation)
            if group_by_input_shapes:
                key = (*key, str(event.input_shapes))
            if group_by_stack_n:
                key = (*key, *event.stack[:group_by_stack_n])
            averages.setdefault(key, FunctionEventAvg()).add(event)
        for average in averages.values():
            average.input_shapes = average.input_shapes if group_by_input_shapes else ""
            average.stack = average.stack[:group_by_stack_n] if group_by_stack_n else []
        return self._like(averages.values())

    def total_average(self) -> FunctionEventAvg:
        """Returns the sum of all events, under the name `Total`."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events to a file that chrome://tracing and Perfetto show; compressed if it ends in `.gz`."""
        exports.write_trace(path, self, {})

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes a line for each stack with the sum of a metric, as flame graphs take them.

        Raises ValueError for a metric that is not among `supported_export_stacks_metrics`.
        """
        if metric not in self.supported_export_stacks_metrics:
            raise ValueError("metric should be one of: " + str(self.supported_export_stacks_metrics))
        exports.write_stacks(path, self, metric)

    def roots(self) -> list[FunctionEvent]:
        """Returns the events that ran inside no other."""
        return [event for event in self if event.cpu_parent is None]

    def _like(self, events: Iterable[Any]) -> EventList:
        return EventList(
            events, profile_memory=self._profile_memory, with_flops=self._with_flops, with_stack=self._with_stack,
            record_shapes=self._record_shapes, threads=self._threads, origin=self._origin,
        )  # fmt: skip
