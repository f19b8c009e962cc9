"""`torch.cuda.nvtx`: names of blocks for NVIDIA's profiler; with a simulated GPU, for `rushlight.profiler`.

Without a GPU all raise, as in PyTorch's CPU build.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import Any

from rushlight.autograd import profiler
from rushlight.core.device import BACKENDS
from rushlight.core.errors import noted

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


class OfThread(local):
    """The blocks that a thread is in, innermost last."""

    def __init__(self) -> None:
        self.blocks: list[Any] = []


HERE = OfThread()
STARTED: dict[int, Any] = {}  # blocks of `range_start`, which another thread may end
NUMBERS = itertools.count(1)


def need_gpu() -> None:
    """Raises RuntimeError unless there is a GPU, real or simulated."""
    if "cuda" not in BACKENDS.by_kind:
        raise noted(
            RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?"),
            "rushlight.profiler.record_function() marks blocks for rushlight's profiles.",
        )


def block(msg: str) -> Any:
    """Returns a block of a profile, entered."""
    named = profiler.record_function(msg)
    named.__enter__()
    return named


def range_push(msg: str) -> int:
    """Starts a block inside those of this thread; returns how many it is in.

    >>> import rushlight as torch
    >>> with torch.cuda.simulate():
    ...     torch.cuda.nvtx.range_push("step"), torch.cuda.nvtx.range_push("forward")
    ...     torch.cuda.nvtx.range_pop(), torch.cuda.nvtx.range_pop()
    (0, 1)
    (1, 0)
    """
    need_gpu()
    HERE.blocks.append(block(msg))
    return len(HERE.blocks) - 1


def range_pop() -> int:
    """Ends the innermost block of this thread; returns how many it is in then. -2 if there was none."""
    need_gpu()
    if not HERE.blocks:
        return -2
    HERE.blocks.pop().__exit__(None, None, None)
    return len(HERE.blocks)


def range_start(msg: str) -> int:
    """Starts a block that any thread can end, and returns its number."""
    need_gpu()
    number = next(NUMBERS)
    STARTED[number] = block(msg)
    return number


def range_end(range_id: int) -> None:
    """Ends the block of a number from `range_start`."""
    need_gpu()
    if (started := STARTED.pop(range_id, None)) is not None:
        started.__exit__(None, None, None)


def mark(msg: str) -> None:
    """Marks this moment: a block without length."""
    need_gpu()
    block(msg).__exit__(None, None, None)


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Marks a `with` block; the message is formatted with the other arguments."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
