"""Tensors of the program inside a recording: while it runs, a parameter has a recorded array instead of its own.

So modules, `backward`, `zero_grad` and optimizers run unchanged on the parameters that they hold. A tensor keeps its
leaf: a graph that is left over leads to the leaves of the program. The elements that the recording computes and writes
are copies; memory, version, gradient and leaf are put back afterwards, however it ended. Other threads must not use the
tensors while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rushlight.core.graph import Leaf
from rushlight.core.storage import Storage, owner
from rushlight.core.tensor import PLAIN_TYPES, Tensor, look_at, wrap
from rushlight.core.traced import RecordedArray, Untraceable
from rushlight.graph.segment import example_of

SLOTS = ("_array", "_meta_key", "_edge", "_base", "_generation", "_store")


def slots_of(tensor: Tensor) -> list:
    """Returns memory and history of a tensor."""
    if tensor._store is None:
        tensor._storage  # noqa: B018  makes it
    return [getattr(tensor, slot) for slot in SLOTS]


def put(tensor: Tensor, slots: Sequence) -> None:
    """Gives a tensor memory and history."""
    for slot, value in zip(SLOTS, slots, strict=True):
        setattr(tensor, slot, value)


class Standing:
    """A tensor of the program in a recording, under its `number` in the trace."""

    def __init__(self, level, tensor: Tensor):
        check(tensor)
        self.tensor = tensor
        self.leaf: Any = tensor._edge
        self.slots = slots_of(tensor)
        self.attributes: Any = None if self.leaf is None else dict(vars(self.leaf))
        copied = example_of(tensor, level.products)._array
        level.trace.inputs.append(number := level.kept(copied))
        self.number, self.array = number, RecordedArray(level, wrap(copied), number)

    def enter(self) -> None:
        """Gives the tensor its recorded array."""
        tensor = self.tensor
        look_at(tensor, self.array)
        tensor._store = Storage()
        tensor._base = tensor._generation = None
        if self.leaf is not None:
            self.leaf.hold(tensor)

    def check_same(self) -> None:
        """Raises Untraceable if the function has done more to the tensor than to write its elements and gradient."""
        leaf: Any = self.leaf
        if self.tensor._array is not self.array or self.tensor._edge is not leaf:
            raise Untraceable("a tensor got other memory or another history")
        if leaf is not None and leaf.hooked:  # type: ignore[union-attr]
            raise Untraceable("a leaf got a hook")

    def leave(self) -> None:
        """Puts back what the tensor had."""
        put(self.tensor, self.slots)
        if self.leaf is not None:
            vars(self.leaf).clear()
            vars(self.leaf).update(self.attributes)

    @property
    def writes(self) -> int:
        """How often the function has written to the tensor."""
        return self.tensor._storage.version


def check(tensor: Tensor) -> None:
    """Raises Untraceable for a tensor that cannot have a recorded array."""
    leaf: Any = tensor._edge
    if type(tensor) not in PLAIN_TYPES or type(tensor._array) is not np.ndarray:
        raise Untraceable("a tensor is not a plain one on the CPU")
    if tensor._storage.inference:
        raise Untraceable("a tensor was made in inference mode")
    if (leaf is not None and (type(leaf) is not Leaf or leaf.hooked)) or is_recorded(tensor._base):
        raise Untraceable("a tensor has a history or hooks")


def is_recorded(base: Tensor | None) -> bool:
    """Whether gradients of a view flow to its base."""
    return base is not None and (base._edge is not None or base._base is not None)


def gradient_of(tensor: Tensor) -> Tensor | None:
    """Returns the gradient of a leaf that requires one."""
    return tensor._edge.grad if type(tensor._edge) is Leaf else None


def with_gradients(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns tensors and their gradients, each object once. Raises Untraceable if two share memory."""
    every = [*tensors, *[gradient for tensor in tensors if (gradient := gradient_of(tensor)) is not None]]
    distinct = list({id(tensor): tensor for tensor in every}.values())
    if len({id(owner(tensor._array)) for tensor in distinct}) < len(distinct):
        raise Untraceable("tensors share memory")
    return distinct


@contextmanager
def standing(level, tensors: Sequence[Tensor]) -> Iterator[list[Standing]]:
    """Gives tensors and their gradients recorded arrays: inputs, in this order."""
    every = [Standing(level, tensor) for tensor in with_gradients(tensors)]
    entered: list[Standing] = []
    try:
        for one in every:
            entered.append(one)
            one.enter()
        yield every
    finally:
        for one in reversed(entered):
            one.leave()
