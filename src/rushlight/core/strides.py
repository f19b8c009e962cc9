"""Strides in elements, as PyTorch counts them; NumPy counts bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np


@lru_cache(1000)
def contiguous_strides(shape: tuple) -> tuple:
    """Returns the strides, in elements, of a fresh tensor of that shape; empty dimensions count as size 1."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def element_strides(array) -> tuple:
    """Returns the strides of an array, in elements."""
    size = array.itemsize
    return tuple(step // size for step in array.strides)


def extent(array) -> int:
    """Returns the bytes from the first element of an array to the end of its last."""
    if not array.size:
        return 0
    return sum((length - 1) * step for length, step in zip(array.shape, array.strides, strict=True)) + array.itemsize


def is_dense(array) -> bool:
    """Whether the elements fill their memory without gaps or overlaps, in some order of dimensions."""
    return fills_its_memory(array.shape, array.strides, array.itemsize)


def fills_its_memory(shape: tuple, strides: tuple, itemsize: int) -> bool:
    """Whether a shape with strides in bytes fills its memory without gaps or overlaps."""
    expected = itemsize
    for step, length in sorted(zip(strides, shape, strict=True)):
        if length != 1:
            if step != expected:
                return False
            expected *= length
    return True


def fresh(shape: tuple, strides: tuple, dtype) -> np.ndarray:
    """Returns an empty array with these strides, in elements, which must leave no gaps."""
    memory = np.empty(math.prod(shape), dtype)
    return np.ndarray(shape, dtype, memory, 0, tuple([step * memory.itemsize for step in strides]))


def laid_out_like(array, dtype) -> np.ndarray:
    """Returns an empty array without gaps that preserves the format of `array`, like PyTorch's `empty_like`."""
    if array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array)):
        return np.empty(array.shape, dtype)
    return fresh(array.shape, preserved_strides(array.shape, array.strides, array.itemsize), dtype)


def keeps_nothing(array) -> bool:
    """Whether a contiguous array has the strides of a fresh one, or NumPy's for dimensions of size 0 or 1."""
    return 1 not in array.shape or 0 in array.strides


@lru_cache(1000)
def preserved_strides(shape: tuple, strides: tuple, itemsize: int) -> tuple:
    """Returns the strides, in elements, of a copy: the same if there are no gaps, else the same order of dimensions.

    NumPy arrays with negative strides are copied as if the strides were positive.
    """
    strides = tuple(map(abs, strides))
    if fills_its_memory(shape, strides, itemsize):
        return tuple([step // itemsize for step in strides])
    return ordered_strides(shape, outermost_first(shape, strides))


def ordered_strides(shape: tuple, order: list[int]) -> tuple:
    """Returns the strides, in elements, of fresh memory with dimensions in that order, outermost first."""
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


# The order of dimensions in channels last images, by rank.
IN_MEMORY = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}


@lru_cache(1000)
def pointwise_strides(shape: tuple, *operands: tuple) -> tuple:
    """Returns the strides, in elements, of an elementwise result; operands are (shape, strides, itemsize).

    PyTorch's rules: operands with equal shapes and layouts decide together, else the first one that has an order.
    """
    steps = [tuple([step // size for step in strides]) for _, strides, size in operands]
    if all([x == shape for x, _, _ in operands]):
        if all([same_steps(shape, x, contiguous_strides(shape)) for x in steps]):
            return contiguous_strides(shape)
        if len(shape) == 4:
            last = ordered_strides(shape, IN_MEMORY[4])
            if all([same_steps(shape, x, last) for x in steps]):
                return last
        if all([x == steps[0] for x in steps]) and fills_its_memory(shape, steps[0], 1):
            return steps[0]
    spread = [broadcast_strides(own, x, shape) for (own, _, _), x in zip(operands, steps, strict=True)]
    return ordered_strides(shape, outermost_first(shape, *spread))


def same_steps(shape: tuple, strides: tuple, expected: tuple) -> bool:
    """Whether strides match the expected ones in every dimension with more than one element."""
    return all([n == 1 or step == other for n, step, other in zip(shape, strides, expected, strict=True)])


def broadcast_strides(own_shape: tuple, strides: tuple, shape: tuple) -> tuple:
    """Returns the strides of an operand in the shape that it is broadcast to."""
    extra = len(shape) - len(own_shape)
    kept = [
        0 if length == 1 != target else step
        for length, step, target in zip(own_shape, strides, shape[extra:], strict=True)
    ]
    return (0,) * extra + tuple(kept)


def pointwise(result, *operands):
    """Returns an elementwise result of NumPy's in PyTorch's layout: unchanged if the layout matches already.

    Missing operands are None, such as one bound of `clamp`.
    """
    steps, itemsize = result.strides, result.itemsize
    for operand in operands:
        if operand is not None and (operand.strides != steps or operand.itemsize != itemsize):
            break
    else:
        return result  # all have one layout, as is nearly always the case
    layouts = [(operand.shape, operand.strides, operand.itemsize) for operand in operands if operand is not None]
    strides = pointwise_strides(result.shape, *layouts)
    return restrided(result, strides)


def preserving(result, array):
    """Returns a copy or conversion of an array in the format of that array: unchanged if it matches already."""
    if type(array) is not np.ndarray or (array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array))):
        return result
    return restrided(result, preserved_strides(array.shape, array.strides, array.itemsize))


def restrided(result, strides: tuple):
    """Returns a result with these strides, in elements: unchanged if it has them already."""
    itemsize = result.itemsize
    if result.strides == tuple([step * itemsize for step in strides]):
        return result
    moved = fresh(result.shape, strides, result.dtype)
    np.copyto(moved, result)
    return moved


def inverse(order: Sequence[int]) -> list[int]:
    """Returns the inverse permutation of dimensions; for so few, faster than with NumPy."""
    return sorted(range(len(order)), key=order.__getitem__)


def outermost_first(shape: tuple, *operands: tuple) -> list[int]:
    """Returns dimensions from the largest stride to the smallest; an expanded one, of stride 0, is skipped.

    PyTorch's order for operands that are processed together: strides of earlier operands take precedence.
    """
    order = list(reversed(range(len(shape))))
    for position in range(1, len(order)):
        moving = position
        for before in reversed(range(position)):
            inner, outer = order[before], order[moving]
            order_sign = compared(inner, outer, shape, operands)
            if order_sign > 0:
                order[before], order[moving] = outer, inner
                moving = before
            elif order_sign < 0:
                break
    return order[::-1]


def compared(inner: int, outer: int, shape: tuple, operands: tuple) -> int:
    """Returns -1 if two dimensions are in order, 1 if not, 0 if the strides do not decide."""
    for strides in operands:
        if strides[inner] and strides[outer]:
            if strides[inner] < strides[outer]:
                return -1
            if (strides[inner], shape[inner]) > (strides[outer], shape[outer]):
                return 1
    return 0
