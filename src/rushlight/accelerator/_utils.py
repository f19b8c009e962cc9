"""Resolves the GPU of a call, and raises errors if there is none."""

from __future__ import annotations

from typing import Any

from rushlight import cuda
from rushlight.core.device import as_device

ABSENT = "Cannot access accelerator device when none is available."


def check_there_is_one() -> None:
    """Raises RuntimeError unless there is a GPU."""
    if not cuda.is_available():
        raise RuntimeError(ABSENT)


def index_of(place: Any) -> int:
    """Returns the index of a GPU, by default of the current one. Raises RuntimeError if there is none."""
    check_there_is_one()
    if isinstance(place, int):
        return place
    if place is None:
        return cuda.current_device()
    chosen = as_device(place)
    if chosen.type != "cuda":
        raise ValueError(f"{chosen.type} doesn't match the current accelerator cuda.")
    return cuda.current_device() if chosen.index is None else chosen.index
