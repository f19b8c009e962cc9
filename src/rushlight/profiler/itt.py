"""`torch.profiler.itt`: marks for Intel's profiler, which is not there; `is_available()` says so.

https://docs.pytorch.org/docs/stable/profiler.html#intel-instrumentation-and-tracing-technology-apis
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rushlight.core.errors import noted

__all__ = ["is_available", "mark", "range", "range_pop", "range_push"]


def is_available() -> bool:
    """Whether marks can be made: False.

    >>> import rushlight as torch
    >>> torch.profiler.itt.is_available()
    False
    """
    return False


def range_push(msg: str) -> NoReturn:
    """Begins a range in PyTorch. Raises RuntimeError, as PyTorch without ITT."""
    refuse()


def range_pop() -> NoReturn:
    """Ends a range in PyTorch. Raises RuntimeError, as PyTorch without ITT."""
    refuse()


def mark(msg: str) -> NoReturn:
    """Marks an event in PyTorch. Raises RuntimeError, as PyTorch without ITT."""
    refuse()


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:  # noqa: A001  PyTorch's name
    """A range in PyTorch. Raises RuntimeError on entering, as PyTorch without ITT."""
    refuse()
    yield


def refuse() -> NoReturn:
    """Raises RuntimeError."""
    raise noted(
        RuntimeError("ITT functions not installed. Are you sure you have a ITT build?"),
        "rushlight.profiler.record_function() marks ranges in rushlight's own profiles.",
    )
