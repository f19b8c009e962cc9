"""Strides in elements, as PyTorch counts them; NumPy counts bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np


@lru_cache(1000)
def contiguous_strides(shape: tuple) -> tuple:
    """The strides, in elements, of a fresh tensor of that shape; empty dimensions count as one."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def element_strides(array) -> tuple:
    """The strides of an array, in elements."""
    size = array.itemsize
    return tuple(step // size for step in array.strides)


def is_dense(array) -> bool:
    """Whether the elements fill their memory without gaps or overlaps, in some order of dimensions."""
    expected = array.itemsize
    for step, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length != 1:
            if step != expected:
                return False
            expected *= length
    return True


def laid_out_like(array, kind) -> np.ndarray:
    """Fresh memory without gaps, its dimensions in the order in which those of `array` lie."""
    if array.flags.c_contiguous:
        return np.empty(array.shape, kind)
    if 0 not in array.strides:
        return np.empty_like(array, kind, order="K", subok=False)
    order = outermost_first(array.shape, array.strides)
    memory = np.empty([array.shape[each] for each in order], kind)
    return memory.transpose(inverse(order))


def inverse(order: Sequence[int]) -> list[int]:
    """The order of dimensions that undoes another: of so few, sooner than NumPy makes an array of them."""
    return sorted(range(len(order)), key=order.__getitem__)


def outermost_first(shape: tuple, *operands: tuple) -> list[int]:
    """Dimensions from the largest stride to the smallest; an expanded one, of stride 0, is passed over.

    PyTorch's order for operands that are worked on together: the first one's strides count before the next one's.
    """
    order = list(reversed(range(len(shape))))
    for position in range(1, len(order)):
        moving = position
        for before in reversed(range(position)):
            inner, outer = order[before], order[moving]
            found = compared(inner, outer, shape, operands)
            if found > 0:
                order[before], order[moving] = outer, inner
                moving = before
            elif found < 0:
                break
    return order[::-1]


def compared(inner: int, outer: int, shape: tuple, operands: tuple) -> int:
    """Less than 0 if dimensions are in order, more if they are not, 0 if nothing says so."""
    for strides in operands:
        if strides[inner] and strides[outer]:
            if strides[inner] < strides[outer]:
                return -1
            if (strides[inner], shape[inner]) > (strides[outer], shape[outer]):
                return 1
    return 0
