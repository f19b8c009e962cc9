"""Padding: extends or crops an array at its ends, with one value or with its own elements.

`pads` holds the amounts to add (or, if negative, to cut) before and after each of the last dimensions, in their order.
Padding with own elements gathers elements along each dimension; its transpose adds them back.
"""

from functools import lru_cache

import numpy as np

from rushlight.arrays.elementwise import full
from rushlight.arrays.layouts import INSIDE, channels_are_last, channels_outside
from rushlight.arrays.size_limits import refused
from rushlight.core.tables import primitive


@primitive
def constant_pad(array, pads, value=0):
    """`array` padded with a constant.

    >>> constant_pad(np.array([1.0, 2.0, 3.0]), [(-1, 2)], 9)
    array([2., 3., 9., 9.])
    """
    shape, target, source = borders(array.shape, tuple(pads))
    last = channels_are_last(array)
    shape = [shape[dim] for dim in INSIDE[array.ndim]] if last else shape
    # PyTorch checks the value only if it is written
    grows = value != 0 and any([amount > 0 for pair in pads for amount in pair])
    try:
        out = full(value, shape, array.dtype) if grows else np.zeros(shape, array.dtype)
    except ValueError as error:
        raise refused(error, shape, array.itemsize) from None
    out = channels_outside(out) if last else out
    out[target] = array[source]
    return out


@lru_cache(maxsize=256)
def borders(shape, pads):
    """Returns the padded shape, the index of the array in it, and the index of the part of the array that is kept."""
    lead = len(shape) - len(pads)
    spans = list(zip(shape[lead:], pads, strict=True))
    grown = (*shape[:lead], *(n + before + after for n, (before, after) in spans))
    target = tuple(slice(max(before, 0), n + before + after - max(after, 0)) for n, (before, after) in spans)
    source = tuple(slice(max(-before, 0), n - max(-after, 0)) for n, (before, after) in spans)
    return grown, (..., *target), (..., *source)


@primitive
def own_pad(array, pads, mode):
    """Pads by reflection ("reflect"), the last element ("replicate") or the other end ("circular").

    >>> own_pad(np.array([1, 2, 3]), ((2, 1),), "reflect")
    array([3, 2, 1, 2, 3, 2])
    """
    if not array.size or min(map(min, pads)) < 0:
        return taken_pad(array, pads, mode)
    shape, target, source = borders(array.shape, tuple(pads))
    out = np.empty(shape, array.dtype)
    out[target] = array[source]
    for end, source_end in ends(mode, array.shape, tuple(pads)):  # the ends of later dimensions include the corners
        out[end] = out[source_end]
    return out


def taken_pad(array, pads, mode):
    """`own_pad` if ends are cut, which may remove elements that would be mirrored."""
    result = array
    for axis, (before, after) in enumerate(pads, array.ndim - len(pads)):
        if before or after:
            result = result.take(source_indices(mode, array.shape[axis], before, after)[0], axis)
    return array.copy() if result is array else result


@lru_cache(maxsize=256)
def ends(mode, shape, pads):
    """Returns, dimension by dimension, the indices of the padded ends and of the parts that they repeat."""
    result = []
    for axis, (before, after) in enumerate(pads, len(shape) - len(pads)):
        size, last = shape[axis], before + shape[axis]
        stop = last - 2 - after if last - 2 - after >= 0 else None  # a backward slice to the start ends with None
        first, end = {
            "reflect": (slice(2 * before, before, -1), slice(last - 2, stop, -1)),
            "replicate": (slice(before, before + 1), slice(last - 1, last)),
            "circular": (slice(size, size + before), slice(before, before + after)),
        }[mode]
        lead = (slice(None),) * axis
        result += [((*lead, slice(before)), (*lead, first))] * (before > 0)
        result += [((*lead, slice(last, last + after)), (*lead, end))] * (after > 0)
    return result


@primitive
def own_pad_input(grad, shape, pads, mode):
    """The transpose of `own_pad`: adds each element of `grad` to its source in an array of `shape`.

    >>> own_pad_input(np.array([1, 1, 1, 1, 1, 1]), (3,), ((2, 1),), "reflect")
    array([1, 3, 2])
    """
    total = grad
    for axis, (before, after) in enumerate(pads, len(shape) - len(pads)):
        if before or after:
            _, order, starts, reached = source_indices(mode, shape[axis], before, after)
            sums = np.add.reduceat(total.take(order, axis), starts, axis, total.dtype)
            total = np.zeros((*sums.shape[:axis], shape[axis], *sums.shape[axis + 1 :]), sums.dtype)
            total[(slice(None),) * axis + (reached,)] = sums
    return total


@lru_cache(maxsize=256)
def source_indices(mode, size, before, after):
    """Returns the source indices of padded elements; their sorted order, where each begins in it, and all of them."""
    at = np.arange(-before, size + after)
    if mode == "reflect":
        at = np.abs(at)
        at = np.where(at >= size, 2 * (size - 1) - at, at)
    elif mode == "replicate":
        at = at.clip(0, size - 1)
    else:
        first, last = max(-before, 0), size - max(-after, 0)
        at = (at - first) % (last - first) + first
    order = np.argsort(at, kind="stable")
    reached, starts = np.unique(at[order], return_index=True)
    return at, order, starts, reached
