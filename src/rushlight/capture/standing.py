"""Calls that run functions of the program, which read tensors by themselves: parameters of a module, a closure's.

While the calls are recorded, or made again, these tensors have the arrays and the history of the inputs that represent
them. Other threads must not use them while that runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rushlight.core.tensor import Tensor
from rushlight.graph.standing import put, slots_of

LOCK = threading.RLock()


class Standing:
    """A function of inputs, of which those at `positions` represent `tensors`."""

    def __init__(self, function: Callable[..., list], tensors: Sequence[Tensor], positions: Sequence[int]):
        self.function, self.tensors, self.positions = function, tensors, positions

    def __call__(self, *inputs: Tensor) -> list:
        with self.represented(*inputs):
            return self.function(*inputs)

    @contextmanager
    def represented(self, *inputs: Tensor) -> Iterator[None]:
        """Has the tensors the memory and the history of the inputs."""
        with LOCK:
            pairs = [(tensor, inputs[at]) for tensor, at in zip(self.tensors, self.positions, strict=True)]
            changed = [(tensor, arg, slots_of(tensor)) for tensor, arg in pairs if tensor is not arg]
            try:
                for tensor, arg, _ in changed:
                    put(tensor, slots_of(arg))
                yield
            finally:
                for tensor, _, before in changed:
                    put(tensor, before)
