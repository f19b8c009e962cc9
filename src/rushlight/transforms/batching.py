"""How operators compute on batches: rules that work on all samples at once, and a loop over samples for the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

import rushlight._generated.functions as F
from rushlight.core.tensor import Tensor
from rushlight.core.traced import BatchedArray
from rushlight.dispatch.planned import called


def interpret(level, op, values: dict) -> Any:
    """Returns the array of the result of an operator, or a list of them."""
    if op.batch is not None:
        batched = {name for name, value in values.items() if has_batch(level, value)}
        b = Batch(level.size, batched)
        arguments = [given(level, value, name in batched) for name, value in values.items()]
        result = op.batch(F, b, *arguments)
        if result is not NotImplemented:
            one = isinstance(result, Tensor)
            return BatchedArray(level, result) if one else [BatchedArray(level, each) for each in result]
    return looped(level, op, values)


class Batch(NamedTuple):
    size: int
    batched: set


def has_batch(level, value) -> bool:
    if isinstance(value, Tensor):
        return type(value._array) is BatchedArray and value._array.level is level and value._array.batched
    return type(value) in (list, tuple) and any(has_batch(level, each) for each in value)


def given(level, value, batched=True):
    if isinstance(value, Tensor):
        array = value._array
        return array.value if type(array) is BatchedArray and array.level is level else value
    if type(value) in (list, tuple) and batched:
        return type(value)(
            [
                given(level, each)
                if has_batch(level, each)
                else F.expand(given(level, each), (level.size, *each.shape))
                for each in value
            ]
        )
    return value


def looped(level, op, values: dict) -> Any:
    """Computes the samples one after the other."""
    samples = [called(op, [sample(level, value, i) for value in values.values()]) for i in range(level.size)]
    if isinstance(samples[0], Tensor):
        return BatchedArray(level, F.stack(samples))
    return [BatchedArray(level, F.stack(list(results))) for results in zip(*samples, strict=True)]


def sample(level, value, i: int):
    """Returns an argument as sample `i` has it."""
    if isinstance(value, Tensor):
        array = value._array
        if type(array) is not BatchedArray or array.level is not level:
            return value
        return F.select(array.value, 0, i) if array.batched else array.value
    if type(value) in (list, tuple):
        return type(value)([sample(level, each, i) for each in value])
    return value


def write(level, tensor: Tensor, source: Tensor) -> None:
    """Writes the elements of `source` to `tensor`, of which one is of the level; that of a batch only to a batch."""
    target, values = tensor._array, source._array
    if type(values) is BatchedArray and values.level is level:
        if values.batched and not (type(target) is BatchedArray and target.batched):
            raise RuntimeError(NOT_BATCHED)
        source = values.value
    (target.value if type(target) is BatchedArray and target.level is level else tensor).copy_(source)


NOT_BATCHED = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)
