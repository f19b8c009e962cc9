"""Files of a profile: traces for chrome://tracing and Perfetto, stacks for flame graphs.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import gzip
import json
import os
import platform
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import uuid4


def write_trace(path: str, events: Any, metadata: dict[str, Any]) -> None:
    """Writes events as a trace; `metadata` are more fields of the file."""
    opened = gzip.open(path, "wt", encoding="utf-8") if path.endswith(".gz") else open(path, "w", encoding="utf-8")
    with opened as file:
        json.dump({**head(events), **metadata, "traceEvents": list(entries(events)), "traceName": path}, file)


def head(events: Any) -> dict[str, Any]:
    """Returns the fields of a trace before its events."""
    settings = {"profile_memory": events._profile_memory, "record_shapes": events._record_shapes}
    settings |= {"with_flops": events._with_flops, "with_stack": events._with_stack}
    return {
        "schemaVersion": 1,
        "deviceProperties": [],
        "trace_id": uuid4().hex.upper(),
        **{name: 1 for name, on in settings.items() if on},
        "host_name": platform.node(),
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": time.time_ns() - time.perf_counter_ns(),
    }


def entries(events: Any) -> Iterator[dict[str, Any]]:
    """Returns the entries of a trace. Times are in microseconds of the clock `time.perf_counter`."""
    process, origin = os.getpid(), events._origin / 1e3
    native = {thread.ident: thread.native_id for thread in threading.enumerate()}
    threads = [native.get(thread, thread) for thread in events._threads]
    yield from names(process, threads, origin)
    allocated = 0
    for event in events:
        thread = threads[event.thread - 1] if event.thread <= len(threads) else event.thread
        common = {"pid": process, "tid": thread}
        begin, length = event.time_range.start + origin, event.cpu_time_total
        yield {
            "ph": "X", "cat": event.category, "name": event.trace_name, **common, "ts": begin, "dur": length,
            "args": arguments(event, events),
        }  # fmt: skip
        if events._profile_memory and event.self_cpu_memory_usage:
            allocated += event.self_cpu_memory_usage
            noted = {"Total Allocated": allocated, "Bytes": event.self_cpu_memory_usage, "Device Type": 0}
            yield {
                "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", **common, "ts": begin + length,
                "args": {**noted, "Device Id": -1, "Ev Idx": event.id},
            }  # fmt: skip
    last = max([event.time_range.end for event in events], default=0.0)
    span = {"pid": "Spans", "tid": "PyTorch Profiler", "ts": origin, "dur": last}
    yield {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", **span, "args": {"Op count": len(events)}}
    yield {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": origin + last}


def names(process: int, threads: list[int], origin: float) -> Iterator[dict[str, Any]]:
    """Returns the entries that name the process and its threads."""
    program = os.path.basename(sys.executable) or "python"
    labels = [("process_name", {"name": program}), ("process_labels", {"labels": "CPU"})]
    for name, args in (*labels, ("process_sort_index", {"sort_index": 0})):
        yield {"name": name, "ph": "M", "ts": origin, "pid": process, "tid": 0, "args": args}
    for number, thread in enumerate(threads):
        common = {"ph": "M", "ts": origin, "pid": process, "tid": thread}
        yield {"name": "thread_name", **common, "args": {"name": f"thread {thread} ({program})"}}
        yield {"name": "thread_sort_index", **common, "args": {"sort_index": number}}


def arguments(event: Any, events: Any) -> dict[str, Any]:
    """Returns what else is known of an event."""
    result: dict[str, Any] = {"External id": event.id + 1, "Record function id": 0, "Ev Idx": event.id}
    if events._record_shapes and event.category == "cpu_op":
        values = ["" if each is None else str(each) for each in event.concrete_inputs]
        result |= {"Concrete Inputs": values, "Input type": event.input_dtypes, "Input Dims": event.input_shapes}
    if event.stack:
        result["Call stack"] = ";".join(event.stack)
    if event.flops:
        result["Flops"] = event.flops
    return result


def write_stacks(path: str, events: Any, metric: str) -> None:
    """Writes each stack, outermost line first, with the sum of a metric in whole units."""
    sums: Counter[str] = Counter()
    characters = str.maketrans(" ;\t\n", "____")
    for event in events:
        value = int(getattr(event, metric, 0))
        if event.stack and value > 0:
            sums[";".join([line.translate(characters) for line in reversed(event.stack)])] += value
    with open(path, "w", encoding="utf-8") as file:
        file.writelines([f"{stack} {value}\n" for stack, value in sums.items()])
