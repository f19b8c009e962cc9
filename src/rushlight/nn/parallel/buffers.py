"""Buffers under `DistributedDataParallel`: when they are sent, and hooks that send them instead."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NamedTuple

__all__ = ["BufferHook", "HookLocation"]


class HookLocation(Enum):
    """When a hook for buffers runs: before or after the forward of the module."""

    PRE_FORWARD = auto()
    POST_FORWARD = auto()


class BufferHook(NamedTuple):
    """A hook that gets a state and the named buffers, and may return futures that backward waits for."""

    buffer_comm_hook: Callable
    buffer_comm_hook_state: Any
    buffer_comm_hook_location: HookLocation
