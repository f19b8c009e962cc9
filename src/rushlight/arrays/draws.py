"""Random draws: by which generator's numbers, and into arrays that need not be contiguous."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.device import BACKENDS, CPU
from rushlight.core.strides import inverse, outermost_first


def draw_of(generator, draw):
    """Returns the function for the numbers of a generator that computes the same distribution as one of `mt19937`."""
    if generator.device is CPU:
        return draw
    backend: Any = BACKENDS.on(generator.device)
    return backend.distributions.get(draw, draw)


def in_memory_order(draw, array, *args):
    """Draws values for an array in the order in which PyTorch fills memory: along the smallest stride first.

    `draw` takes a shape and `args`, which may include arrays of that shape; the result has the shape of `array` and its
    order of dimensions in memory.
    """
    if array.flags.c_contiguous:
        return draw(array.shape, *args)
    order = outermost_first(array.shape, array.strides)
    transposed = [arg.transpose(order) if isinstance(arg, np.ndarray) else arg for arg in args]
    drawn = draw(tuple(array.shape[axis] for axis in order), *transposed)
    return drawn.transpose(inverse(order))
