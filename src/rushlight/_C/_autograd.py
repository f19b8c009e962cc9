"""`torch._C._autograd`: what a node saved, and queries about hooks and the pass under way."""

from __future__ import annotations

from rushlight.autograd.introspection import SavedTensor
from rushlight.autograd.running import keeps_graph as _get_current_graph_task_keep_graph
from rushlight.core.modes import current

__all__ = [
    "SavedTensor", "_get_current_graph_task_keep_graph", "_saved_tensors_hooks_get_disabled_error_message",
    "_saved_tensors_hooks_is_enabled",
]  # fmt: skip


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks on saved tensors may be added."""
    return current().saved_hooks_disabled is None


def _saved_tensors_hooks_get_disabled_error_message() -> str | None:
    """Returns the message with which hooks on saved tensors are refused; None if they are not."""
    return current().saved_hooks_disabled
