"""Draws into arrays that need not be contiguous."""

from __future__ import annotations

from rushlight.core.strides import inverse, outermost_first


def in_memory_order(draw, array, *beside):
    """Numbers for an array, drawn as PyTorch fills memory: along the smallest stride first.

    `draw` takes a shape, and arrays of that shape if some are given; the result has the shape of `array` and its order
    of dimensions in memory.
    """
    if array.flags.c_contiguous:
        return draw(array.shape, *beside)
    order = outermost_first(array.shape, array.strides)
    drawn = draw(tuple(array.shape[axis] for axis in order), *[each.transpose(order) for each in beside])
    return drawn.transpose(inverse(order))
