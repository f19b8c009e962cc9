"""Draws into arrays that need not be contiguous."""

from __future__ import annotations

import numpy as np

from rushlight.core.strides import inverse, outermost_first


def in_memory_order(draw, array, *given):
    """Numbers for an array, drawn as PyTorch fills memory: along the smallest stride first.

    `draw` takes a shape and what is given, arrays of that shape among it; the result has the shape of `array` and its
    order of dimensions in memory.
    """
    if array.flags.c_contiguous:
        return draw(array.shape, *given)
    order = outermost_first(array.shape, array.strides)
    turned = [each.transpose(order) if isinstance(each, np.ndarray) else each for each in given]
    drawn = draw(tuple(array.shape[axis] for axis in order), *turned)
    return drawn.transpose(inverse(order))
