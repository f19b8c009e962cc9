"""One hook for the gradients of several tensors: `torch.autograd.graph.register_multi_grad_hook`."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from rushlight.autograd.nesting import NESTING
from rushlight.core.errors import noted
from rushlight.core.graph import node_of
from rushlight.core.handle import RemovableHandle
from rushlight.core.history import edge_of
from rushlight.core.tensor import Tensor

MODES = ("all", "any")


def register_multi_grad_hook(tensors: Any, fn: Callable, *, mode: str = "all") -> MultiHandle:
    """Calls `fn` once per backward: with all gradients when the last has arrived, or with the first in mode "any".

    Backward passes, and threads, are counted apart.
    """
    if mode not in MODES:
        raise ValueError(f"Expects mode to be one of {MODES} but got {mode}")
    tensors = tuple(tensors)
    if mode == "any":
        hook = FirstGradient(fn)
        return MultiHandle([tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad])
    if not all(tensor.requires_grad for tensor in tensors):
        raise noted(
            AssertionError("Expected gradient function to be set"),
            "A hook waits for the gradients of all its tensors, and one of these gets none: requires_grad is False.",
        )
    counter = AllGradients(tensors, fn)
    return MultiHandle(
        [tensor.register_hook(functools.partial(counter.arrived, number)) for number, tensor in enumerate(tensors)]
    )


class FirstGradient:
    """Calls a function with the first gradient that arrives in each backward pass."""

    def __init__(self, function: Callable):
        self.function = function
        self.lock = threading.Lock()
        self.called: set = set()  # passes
        functools.update_wrapper(self, function, updated=())

    def __call__(self, gradient: Tensor | None) -> None:
        task = NESTING.tasks[-1]
        with self.lock:
            if task in self.called:
                return
            self.called.add(task)
            task.at_end = (*task.at_end, lambda: self.called.discard(task))
        self.function(gradient)


class AllGradients:
    """Calls a function when the gradients of all tensors that a backward pass reaches have arrived.

    It refers to the nodes that the tensors have now; a write in place gives them others. References are weak, because
    the nodes refer to its hooks.
    """

    def __init__(self, tensors: tuple, function: Callable):
        self.nodes = tuple(weakref.ref(node_of(edge_of(tensor))) for tensor in tensors)
        self.function = function
        self.lock = threading.Lock()
        self.passes: dict = {}  # pass -> [number of gradients still to arrive, the gradients]

    def arrived(self, number: int, gradient: Tensor | None) -> None:
        """Takes one gradient, None if it is undefined."""
        task = NESTING.tasks[-1]
        with self.lock:
            if task not in self.passes:
                expected = sum(task.reaches(node) for reference in self.nodes if (node := reference()) is not None)
                self.passes[task] = [expected, [None] * len(self.nodes)]
                task.at_end = (*task.at_end, lambda: self.passes.pop(task, None))
            waited = self.passes[task]
            waited[0] -= 1
            gradients = waited[1]
            gradients[number] = gradient
        if not waited[0]:
            self.function(gradients)


class MultiHandle(RemovableHandle):
    """The handle of several hooks."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Removes them all."""
        for handle in self.handles:
            handle.remove()

    def __reduce__(self):
        return MultiHandle, (self.handles,)
