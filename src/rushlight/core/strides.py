"""Strides in elements, as PyTorch counts them; NumPy counts bytes."""

from __future__ import annotations

import math
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
    return fills_its_memory(array.shape, array.strides, array.itemsize)


def fills_its_memory(shape: tuple, strides: tuple, itemsize: int) -> bool:
    """The same of a shape with its strides."""
    expected = itemsize
    for step, length in sorted(zip(strides, shape, strict=True)):
        if length != 1:
            if step != expected:
                return False
            expected *= length
    return True


def fresh(shape: tuple, strides: tuple, kind) -> np.ndarray:
    """Fresh memory for a shape, its elements at those strides, in elements, which leave no gaps."""
    memory = np.empty(math.prod(shape), kind)
    return np.ndarray(shape, kind, memory, 0, tuple([step * memory.itemsize for step in strides]))


def laid_out_like(array, kind) -> np.ndarray:
    """Fresh memory without gaps that preserves the format of `array`, as PyTorch's `empty_like` does."""
    if array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array)):
        return np.empty(array.shape, kind)
    return fresh(array.shape, preserved_strides(array.shape, array.strides, array.itemsize), kind)


def keeps_nothing(array) -> bool:
    """Whether a contiguous array has the strides of a fresh one, or NumPy's for dimensions of one element or none."""
    return 1 not in array.shape or 0 in array.strides


@lru_cache(1000)
def preserved_strides(shape: tuple, strides: tuple, itemsize: int) -> tuple:
    """The strides, in elements, of a copy: the same where there are no gaps, else in the same order of dimensions.

    Arrays of NumPy's that run backwards are copied as if they ran forwards.
    """
    strides = tuple(map(abs, strides))
    if fills_its_memory(shape, strides, itemsize):
        return tuple([step // itemsize for step in strides])
    return ordered_strides(shape, outermost_first(shape, strides))


def ordered_strides(shape: tuple, order: list[int]) -> tuple:
    """The strides, in elements, of fresh memory whose dimensions lie in that order, the outermost first."""
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


# The order of dimensions in images whose channels come last, by their rank.
IN_MEMORY = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}


@lru_cache(1000)
def pointwise_strides(shape: tuple, *operands: tuple) -> tuple:
    """The strides, in elements, of what is computed element by element of operands, each (shape, strides, itemsize).

    PyTorch's rules: operands of one shape that lie alike decide together, else the first one that has an order does.
    """
    steps = [tuple([step // size for step in strides]) for _, strides, size in operands]
    if all([each == shape for each, _, _ in operands]):
        if all([lie_so(shape, each, contiguous_strides(shape)) for each in steps]):
            return contiguous_strides(shape)
        if len(shape) == 4:
            last = ordered_strides(shape, IN_MEMORY[4])
            if all([lie_so(shape, each, last) for each in steps]):
                return last
        if all([each == steps[0] for each in steps]) and fills_its_memory(shape, steps[0], 1):
            return steps[0]
    spread = [broadcast_strides(own, each, shape) for (own, _, _), each in zip(operands, steps, strict=True)]
    return ordered_strides(shape, outermost_first(shape, *spread))


def lie_so(shape: tuple, strides: tuple, wanted: tuple) -> bool:
    """Whether strides are the wanted ones, wherever a dimension has more than one element."""
    return all([length == 1 or step == other for length, step, other in zip(shape, strides, wanted, strict=True)])


def broadcast_strides(own: tuple, strides: tuple, shape: tuple) -> tuple:
    """The strides of an operand in the shape that it is broadcast to."""
    extra = len(shape) - len(own)
    kept = [
        0 if length == 1 != wanted else step for length, step, wanted in zip(own, strides, shape[extra:], strict=True)
    ]
    return (0,) * extra + tuple(kept)


def pointwise(result, *operands):
    """A result that NumPy computed element by element, laid out as PyTorch does: itself if it lies so already.

    Operands may be left out: None, as one bound of `clamp` is.
    """
    steps, itemsize = result.strides, result.itemsize
    for each in operands:
        if each is not None and (each.strides != steps or each.itemsize != itemsize):
            break
    else:
        return result  # all lie alike, as is nearly always so
    given = [(each.shape, each.strides, each.itemsize) for each in operands if each is not None]
    strides = pointwise_strides(result.shape, *given)
    return restrided(result, strides)


def preserving(result, array):
    """What an array was copied or converted to, in the format of that array: itself if it lies so already."""
    if type(array) is not np.ndarray or (array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array))):
        return result
    return restrided(result, preserved_strides(array.shape, array.strides, array.itemsize))


def restrided(result, strides: tuple):
    """The numbers of a result at those strides, in elements: itself if they lie so already."""
    itemsize = result.itemsize
    if result.strides == tuple([step * itemsize for step in strides]):
        return result
    moved = fresh(result.shape, strides, result.dtype)
    np.copyto(moved, result)
    return moved


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
