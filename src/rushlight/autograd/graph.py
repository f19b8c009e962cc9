"""`torch.autograd.graph`: nodes, edges, and hooks on saved tensors and on several gradients at once.

https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rushlight.autograd.grad_mode import restore
from rushlight.autograd.methods import get_gradient_edge
from rushlight.autograd.nesting import NESTING
from rushlight.core.graph import GradientEdge, Node
from rushlight.core.modes import change, current
from rushlight.core.tensor import Tensor

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


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

    def __init__(self, pack_hook: Callable, unpack_hook: Callable):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook
        self._before: list = []

    def __enter__(self):
        modes = current()
        if modes.saved_hooks_disabled is not None:
            raise RuntimeError(modes.saved_hooks_disabled)
        self._before.append(modes.saved_hooks)
        change(saved_hooks=(*modes.saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exception):
        change(saved_hooks=self._before.pop())


class save_on_cpu(saved_tensors_hooks):
    """Keeps what is saved for backward in the CPU's memory, and moves it back when it is needed."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Makes `saved_tensors_hooks` raise RuntimeError with this message inside."""
    before = current()
    if before.saved_hooks:
        raise RuntimeError(error_message)
    change(saved_hooks_disabled=error_message)
    try:
        yield
    finally:
        restore(before)


def register_multi_grad_hook(tensors, fn: Callable, *, mode: str = "all") -> Handles:
    """Calls `fn` once per backward: with all gradients when the last has arrived, or with the first in mode "any".

    Backward passes, and threads, are counted apart.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    counter = MultiGradHook(tuple(tensors), fn, mode)
    handles = [each.register_hook(functools.partial(counter.arrived, i)) for i, each in enumerate(counter.tensors)]
    return Handles(handles)


class MultiGradHook:
    """Counts the gradients that have arrived in each backward pass."""

    def __init__(self, tensors: tuple, function: Callable, mode: str):
        self.tensors, self.function, self.mode = tensors, function, mode
        self.lock = threading.Lock()
        self.passes: dict = {}

    def arrived(self, number: int, gradient: Tensor) -> None:
        """Takes one gradient; calls the function when it is time."""
        task = NESTING.tasks[-1]
        with self.lock:
            gradients = self.passes.get(task)
            if gradients is None:
                gradients = self.passes[task] = [None] * len(self.tensors)
                task.at_end = (*task.at_end, lambda: self.passes.pop(task, None))
                if self.mode == "all":
                    task.expected = task.expected or {}
                    task.expected[self] = {i for i, each in enumerate(self.tensors) if task.reaches(each)}
            first = all(each is None for each in gradients)
            gradients[number] = gradient
            complete = self.mode == "all" and all(gradients[i] is not None for i in task.expected[self])
        if self.mode == "any":
            if first:
                self.function(gradient)
        elif complete:
            self.function(gradients)


class Handles:
    """The handle of several hooks that belong together."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for each in self.handles:
            each.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


def increment_version(tensor) -> None:
    """Counts a write to the memory of a tensor, or of several, that autograd has not seen."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        each._storage.written()


class allow_mutation_on_saved_tensors:
    """Lets a program change in place what was saved for backward: inside, copies are saved.

    Raises RuntimeError if one is entered inside another.
    """

    __module__ = "torch.autograd.graph"

    def __init__(self):
        self._hooks = saved_tensors_hooks(_saved_copy, lambda copied: copied)

    def __enter__(self):
        if any(pack is _saved_copy for pack, _ in current().saved_hooks):
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self._hooks.__enter__()
        return self

    def __exit__(self, *exception):
        self._hooks.__exit__(*exception)


def _saved_copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()
