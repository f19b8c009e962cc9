"""Backward passes on several gradients at once, for `autograd.grad(is_grads_batched=True)`."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.transforms.levels import batch_level, batched, unbatched


def gradients_of_batch(run: Callable[[list], tuple], grad_outputs: tuple) -> tuple[Tensor | None, ...]:
    """Returns what a pass gives for a batch of gradients, stacked along a new first dimension.

    `run(gradients)` is the pass, from one gradient for each output.
    """
    size = next(gradient for gradient in grad_outputs if gradient is not None).shape[0]
    with batch_level(size) as level:
        vectors = [None if gradient is None else batched(level, gradient, 0) for gradient in grad_outputs]
        return tuple([None if result is None else unbatched(level, result, 0) for result in run(vectors)])
