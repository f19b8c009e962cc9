"""The iteration space of a nest: how the memory of a tensor is laid out in it.

A space is a shape; where something is reduced along its last dimensions, these are a row. Strides are those of NumPy,
in bytes, one for each dimension of the space; 0 where an operand is broadcast.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.graph.trace import Meta

SHORTEST = 32  # elements of a row; the kernels of operators compute shorter ones side by side
Shape = tuple[int, ...]
Strides = tuple[int, ...]


class Layout(NamedTuple):
    """The outer dimensions of a nest, the elements of a row, and for each array its strides and its step in a row.

    The last row has `last` elements.
    """

    sizes: Shape
    length: int
    strides: list[Strides]
    steps: list[int]
    last: int


def viewed(shape: Shape, strides: Strides, through: Shape, space: Shape) -> Strides | None:
    """Returns the strides in a space of an array that is broadcast to a shape of as many elements; None if a view
    cannot have them.
    """
    array = np.broadcast_to(as_strided(np.empty(1, np.int8), shape, strides), through)
    if through == space:
        return normal(array.strides, space)
    try:
        array = array.view()
        array.shape = space
    except AttributeError:
        return None
    return normal(array.strides, space)


def normal(strides: Strides, shape: Shape) -> Strides:
    """Returns strides that are 0 for dimensions of one element."""
    return tuple([0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)])


def contiguous(shape: Shape, width: int) -> Strides:
    """Returns the strides of an array in C order."""
    strides = [math.prod(shape[axis + 1 :]) * width for axis in range(len(shape))]
    return normal(tuple(strides), shape)


def of_rows(space: Shape, split: int, width: int) -> Strides:
    """Returns the strides of an array with one element per row."""
    return (*contiguous(space[:split], width), *[0] * (len(space) - split))


def is_contiguous(meta: Meta) -> bool:
    """Whether a tensor is in C order."""
    return normal(meta.strides, meta.shape) == contiguous(meta.shape, meta.dtype.itemsize)


def merged(sizes: list[int], strides: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Merges dimensions that are contiguous with one another in all arrays; those of one element go."""
    kept_sizes: list[int] = []
    kept: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        if kept_sizes and all([each[-1] == old[axis] * size for each, old in zip(kept, strides, strict=True)]):
            kept_sizes[-1] *= size
            for each, old in zip(kept, strides, strict=True):
                each[-1] = old[axis]
        else:
            kept_sizes.append(size)
            for each, old in zip(kept, strides, strict=True):
                each.append(old[axis])
    return kept_sizes, kept


def laid_out(space: Shape, split: int | None, strides: list[Strides], outer: int) -> Layout | None:
    """Returns the loops over a space for arrays with these strides; None if they are more than `outer` and a row."""
    sizes = list(space)
    if split is not None:
        inner, in_rows = merged(sizes[split:], [list(each[split:]) for each in strides])
        if len(inner) > 1:
            return None
        sizes, before = merged(sizes[:split], [list(each[:split]) for each in strides])
        length, steps = (inner[0], [each[0] for each in in_rows]) if inner else (1, [0] * len(strides))
    else:
        sizes, before = merged(sizes, [list(each) for each in strides])
        length, steps = sizes.pop(), [each.pop() for each in before]
    if len(sizes) > outer:
        return None
    missing = outer - len(sizes)
    padded = [(*[0] * missing, *each) for each in before]
    return Layout((*[1] * missing, *sizes), length, padded, steps, length)


def is_fast(space: Shape, strides: Strides, width: int) -> bool:
    """Whether an operand is read in long contiguous rows, or is one element in each."""
    layout = laid_out(space, None, [strides, contiguous(space, width)], len(space))
    if layout is None or layout.steps[0] not in (0, width):
        return False
    return layout.length >= SHORTEST or math.prod(layout.sizes) == 1
