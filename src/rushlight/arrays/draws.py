"""Draws into arrays that need not be contiguous."""

from __future__ import annotations


def in_memory_order(draw, array):
    """Numbers for an array, drawn as PyTorch fills memory: along the smallest stride first.

    `draw` takes a shape; the result has the shape of `array` and its order of dimensions in memory.
    """
    if array.flags.c_contiguous:
        return draw(array.shape)
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    drawn = draw(tuple(array.shape[axis] for axis in order))
    return drawn.transpose([order.index(axis) for axis in range(array.ndim)])
