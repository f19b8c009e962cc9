"""Which plan of a graph is the quickest on this GPU, by trial: for `torch.backends.cudnn.benchmark`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.arrays.cuda.cudnn.plans import Plan

LIMIT = 10  # plans that are tried where `torch.backends.cudnn.benchmark_limit` is not set, as in PyTorch
REPEATS = 3  # of each plan, after one that is not timed


def quickest(
    cupy: Any, plans: Sequence[Plan], execute: Callable[..., None], operands: Sequence[Any], results: Sequence[Any]
) -> Plan:
    """Returns the plan that took the least time; a plan whose workspace does not fit into memory is no candidate.

    Results are written to memory of their own: one that is an operand too would change with each trial.
    """
    if len(plans) == 1:
        return plans[0]
    arrays = (*operands, *(cupy.empty_like(each) for each in results))
    times = {}
    for number, plan in enumerate(plans):
        try:
            times[number] = milliseconds(cupy, execute, plan, arrays)
        except cupy.cuda.memory.OutOfMemoryError:
            continue
    return plans[min(times, key=times.__getitem__, default=0)]


def milliseconds(cupy: Any, execute: Callable[..., None], *arguments: Any) -> float:
    """Returns how long the current stream takes for a function that queues work."""
    execute(*arguments)
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(REPEATS):
        execute(*arguments)
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(start, end)
