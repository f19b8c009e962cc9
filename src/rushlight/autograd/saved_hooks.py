"""`torch.autograd.graph.saved_tensors_hooks`: hooks on all tensors that are saved for backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.modes import change, current


def refuse_disabled(modes) -> None:
    """Raises RuntimeError where the program has disabled hooks."""
    if modes.saved_hooks_disabled is not None:
        raise RuntimeError(modes.saved_hooks_disabled)


class StopRecomputation(Exception):
    """Ends a function that a checkpoint runs again: everything that backward needs has been recomputed."""


class saved_tensors_hooks:
    """Passes what is saved for backward through `pack_hook`, and through `unpack_hook` when it is needed.

    >>> import rushlight as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 3, lambda t: t):
    ...     y = (x * x).sum()
    >>> y.backward(); x.grad
    tensor([6., 6.])
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        modes = current()
        refuse_disabled(modes)
        change(saved_hooks=(*modes.saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exception: Any) -> None:
        change(saved_hooks=current().saved_hooks[:-1])
