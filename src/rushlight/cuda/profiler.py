"""`torch.cuda.profiler`: tells NVIDIA's profiler when to record. A simulated GPU has none to tell.

https://docs.pytorch.org/docs/stable/cuda.html
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.cuda._runtime import check_error, cudart

__all__ = ["profile", "start", "stop"]


def start() -> None:
    """Starts the recording. Raises AssertionError if there is no GPU."""
    check_error(cudart().cudaProfilerStart())


def stop() -> None:
    """Stops the recording. Raises AssertionError if there is no GPU."""
    check_error(cudart().cudaProfilerStop())


@contextmanager
def profile() -> Iterator[None]:
    """Records a `with` block."""
    try:
        start()
        yield
    finally:
        stop()
