"""`torch.cuda.nvtx`: ranges for NVIDIA's profiler, which is not supported: all raise, as in PyTorch's CPU build."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.core.errors import noted

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def refuse(*args: Any) -> NoReturn:
    """Raises RuntimeError: NVIDIA's profiler is not supported."""
    raise noted(
        RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?"),
        "Python's profilers see every operation: python -m cProfile -s cumulative SCRIPT.",
    )


mark = range_end = range_pop = range_push = range_start = refuse


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Marks a `with` block; the message is formatted with the other arguments."""
    range_push(msg.format(*args, **kwargs))
    yield
