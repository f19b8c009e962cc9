"""Steps in forward mode: what nodes do with a gradient that has a tangent, on raw arrays.

A pass inside `jvp` calls operators on dual tensors, each of which finds its rule. Where the values are plain, and the
tangents plain or batched by one `vmap` below, and no graph is made, a step needs none of that:

    elementwise            the backward function, on pairs of arrays: see `pairs.py`
    nothing saved          the step is linear: the values and the tangents take it by themselves

A node that is special takes its other step.
"""

from __future__ import annotations

from typing import Any

from numpy import ndarray

import rushlight._generated.functions as F
from rushlight.autograd.saved_values import refuse, release
from rushlight.core.clock import LAST_WRITE
from rushlight.core.graph import RELEASED
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray, DualArray
from rushlight.dispatch.planned import made_of
from rushlight.transforms.batched_steps import NUMBERS, RULES, is_plain
from rushlight.transforms.pairs import PAIRS, NotTaken, Pair


def step(level, task, node, g: Tensor, edges) -> list | None:
    """Returns the gradients that a node sends for one with a tangent; None if another step has to."""
    array: Any = g._array
    saved, op = node.saved, node.op
    value: Any = array.value._array if type(array) is DualArray else array
    if type(value) is not ndarray and type(value) is not BatchedArray:
        return None
    below = Below(level, (value.value._array if type(value) is BatchedArray else value).dtype)
    if not is_plain(node, below.dtype):
        return None
    if op.kind != "elementwise":
        return (
            None
            if saved or op.name not in RULES or type(array) is not DualArray
            else by_parts(level, node, array, edges)
        )
    if saved and (saved is RELEASED or node.created < LAST_WRITE.tick):
        refuse(node, task.starts)
    try:
        own = below.pair(array)
        results = node.backward(PAIRS, node, [below.pair(each) for each in saved], own, edges)
        sent = [g if each is own else below.on_level(each, array.shape) for each in results]
    except NotTaken:
        return None
    if saved and not task.keep:
        release(node, task.freed)
    return sent


class Below:
    """Arrays below a level of forward mode: those of one dtype and of one batch, the first that is met."""

    __slots__ = ("batch", "dtype", "level")

    def __init__(self, level, dtype):
        self.level, self.dtype, self.batch = level, dtype, None

    def pair(self, array: Any) -> Any:
        """Returns a traced array as a pair, or as an array without a tangent, and other values as they are."""
        if type(array) is DualArray and array.level is self.level:
            value, tangent = self.raw(array.value._array), array.tangent
            return value if tangent is None else Pair(value, self.raw(tangent._array))
        return array if type(array) in NUMBERS else self.raw(array)

    def raw(self, array: Any) -> ndarray:
        """Returns a raw array, with the batch in front if it has one."""
        if type(array) is BatchedArray:
            if self.batch is None:
                self.batch = array.level
            elif self.batch is not array.level:
                raise NotTaken
            array = array.value._array
        if type(array) is not ndarray or array.dtype is not self.dtype:
            raise NotTaken
        return array

    def on_level(self, result: Any, shape: tuple) -> Tensor | None:
        """Returns a gradient as a tensor of the level."""
        if result is None:
            return None
        if type(result) is Pair:
            return made_of(DualArray(self.level, self.tensor(result.primal, shape), self.tensor(result.tangent, shape)))
        return self.tensor(result, shape)

    def tensor(self, array: Any, shape: tuple) -> Tensor:
        """Returns a tensor on a raw array that has a shape, or the batch in front of it."""
        if type(array) is not ndarray or array.dtype is not self.dtype:
            raise NotTaken
        if array.shape == shape:
            return made_of(array)
        if self.batch is None or array.shape[1:] != shape:
            raise NotTaken
        return made_of(BatchedArray(self.batch, made_of(array)))


def by_parts(level, node, array: DualArray, edges) -> list | None:
    """Returns the gradients of a step that is linear in its gradient alone."""
    tangent = array.tangent
    values = linear(node, array.value, edges)
    tangents = [None] * len(edges) if tangent is None else linear(node, tangent, edges)
    if values is None or tangents is None:
        return None
    pairs = zip(values, tangents, strict=True)
    return [None if value is None else made_of(DualArray(level, value, tangent)) for value, tangent in pairs]


def linear(node, g: Tensor, edges) -> Any:
    """Returns the gradients of a step that has saved nothing, for a plain or a batched gradient; None for others."""
    array = g._array
    if type(array) is ndarray:
        return node.backward(F, node, (), g, edges)
    if type(array) is not BatchedArray or not array.batched or type(array.value._array) is not ndarray:
        return None
    results = RULES[node.op.name](node, (), (), array.value, edges)
    return results and [
        None if each is None else g if each is array.value else made_of(BatchedArray(array.level, each))
        for each in results
    ]
