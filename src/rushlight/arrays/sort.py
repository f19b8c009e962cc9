"""Order: sorting, selecting by rank, extremes with their positions, what is equal to what.

NaN counts as larger than every number. Equal elements keep their order.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays.layouts import in_planes
from rushlight.arrays.reduce import FEW, highest
from rushlight.core.tables import primitive, xp


@primitive
def order(array, axis: int, descending: bool = False):
    """The positions that sort an array along an axis."""
    if not array.ndim:
        return np.zeros((), np.int64)
    keys = keys_of(array, axis, descending)
    if keys is not None:
        keys.sort(-1)
        return _places_in(keys, axis)
    if not descending:
        return array.argsort(axis, "stable")
    if array.size <= FEW and array.dtype.kind == "f" and array.size and (most := highest(array)) == most:
        return np.negative(array).argsort(axis, "stable")
    # Turned round twice, so that of equal elements the first stays first; few floats without NaN were negated instead
    turned = (slice(None),) * axis + (slice(None, None, -1),)
    return array.shape[axis] - 1 - array[turned].argsort(axis, "stable")[turned]


@primitive
def sort(array, axis: int, descending: bool = False) -> tuple:
    """(values, positions), sorted along an axis."""
    positions = xp.order(array, axis, descending)
    return take(array, positions, axis), positions


# A number of 32 bits and its position are one number of 64 bits, of which NumPy sorts several at a time; from so many
# elements on, in lines so long, that is worth making them.
MANY = 1 << 10
LONG = 64
FEW_PAIRS = 1 << 9
SIGN, REST, PLACE = np.int32(31), np.int32(0x7FFFFFFF), np.int64(0xFFFFFFFF)


def keys_of(array, axis: int, descending: bool):
    """Numbers that are ordered as the elements along an axis, equal ones by their positions; moved there, the last."""
    length = array.shape[axis]
    if array.size < MANY or length < LONG or type(array) is not np.ndarray:
        return None
    moved = np.ascontiguousarray(array if axis == array.ndim - 1 else np.moveaxis(array, axis, -1))
    numbers = _ordered_numbers(moved)
    if numbers is None:
        return None
    keys = (np.invert(numbers, numbers) if descending else numbers).astype(np.int64, copy=False)
    keys <<= np.int64(32)
    keys |= np.arange(length)
    return keys


def _ordered_numbers(array):
    """New whole numbers of 32 bits in the order of the elements; None where there are none."""
    if array.dtype == np.int64:
        low, high = np.minimum.reduce(array, None), np.maximum.reduce(array, None)
        return array - low if int(high) - int(low) < 1 << 31 else None
    if array.dtype == np.int32:
        return array.copy()
    if array.dtype != np.float32:
        return None
    if has_nan(array):
        array = np.where(np.isnan(array), np.float32(np.nan), array)  # the one that is above infinity
    bits = (array + np.float32(0)).view(np.int32)  # the negative zero becomes the positive one
    numbers = bits >> SIGN
    numbers &= REST
    numbers ^= bits
    return numbers


def _places_in(keys, axis: int):
    keys &= PLACE
    return keys if axis == keys.ndim - 1 else np.ascontiguousarray(np.moveaxis(keys, -1, axis))


def take(array, positions, axis: int):
    """The elements at positions along an axis; an array without dimensions has one."""
    if not array.ndim:
        return array.copy()
    if not array.size or axis != array.ndim - 1:
        return np.take_along_axis(array, positions, axis)
    # What is kept for the next call is not to take much memory
    starts = (starts_of if array.size < MANY else starts_of.__wrapped__)(array.shape)
    return array.reshape(-1).take(positions + starts)


@lru_cache(maxsize=64)
def starts_of(shape: tuple):
    """Where each line along the last axis begins in the flat array, in an array that broadcasts to positions there."""
    return np.arange(0, math.prod(shape), shape[-1]).reshape((*shape[:-1], 1))


@primitive
def top(array, count: int, axis: int, largest: bool) -> tuple:
    """(values, positions) of the largest or smallest elements along an axis, best first."""
    if not array.ndim:
        return (array.copy(), np.zeros((), np.int64)) if count else (array[None][:0], np.zeros(0, np.int64))
    length = array.shape[axis]
    along = (slice(None),) * axis
    if array.ndim == 1 and array.size < MANY:
        positions = xp.order(array, 0, largest)[:count]
        return array.take(positions), positions.copy()
    if not 0 < count < length // 2 or array.size < MANY or length < LONG:
        positions = np.ascontiguousarray(xp.order(array, axis, largest)[(*along, slice(count))])
        return take(array, positions, axis), positions
    if array.size == length:
        few = _may_be_top(array.reshape(-1), count, largest)
        if few is not None:
            values, within = xp.top(array.reshape(-1).take(few), count, 0, largest)
            shape = (1,) * axis + (count,) + (1,) * (array.ndim - axis - 1)
            return values.reshape(shape), few.take(within).reshape(shape)
    split, part = (length - count, slice(length - count, None)) if largest else (count - 1, slice(count))
    chosen = array.argpartition(split, axis)[(*along, part)]
    chosen.sort(axis)
    values, within = xp.sort(take(array, chosen, axis), axis, largest)
    return values, take(chosen, within, axis)


def _may_be_top(line, count: int, largest: bool):
    """The positions of what is as good as the last of the best in a part of a long line; None if that spares nothing.

    Of every n-th number, and of those that are left then, there are about as many.
    """
    step = math.isqrt(line.size // count)
    if step < 4:
        return None
    some = line[::step]
    split = some.size - count if largest else count - 1
    last = np.partition(some, split)[split]
    worse = line < last if largest else line > last
    few = np.flatnonzero(np.logical_not(worse, worse))  # a NaN is not worse than anything
    return few if few.size < line.size // 4 else None


def argmax(array, axis=None, out=None, keepdims: bool = False):
    """The place of the largest element along an axis, or of all: the first of equals, of NaN if there is one.

    The method of an array takes a quarter of the time of the function.
    """
    if type(array) is np.ndarray:
        return array.argmax(axis, out, keepdims=keepdims)
    return np.argmax(array, axis, out, keepdims=keepdims)


def argmin(array, axis=None, out=None, keepdims: bool = False):
    """The same of the smallest element."""
    if type(array) is np.ndarray:
        return array.argmin(axis, out, keepdims=keepdims)
    return np.argmin(array, axis, out, keepdims=keepdims)


@primitive
def extreme(array, axis: int, keepdims: bool, largest: bool) -> tuple:
    """(values, positions) of the largest or smallest element along an axis: the first of equals, NaN before all."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    if 0 < array.size <= MANY and axis == array.ndim - 1:  # NumPy finds places more quickly than it reduces short lines
        places = array.argmax(axis) if largest else array.argmin(axis)
        values = array.reshape(-1).take(np.arange(0, array.size, array.shape[axis]).reshape(places.shape) + places)
        return (values[..., None], places[..., None]) if keepdims else (values, places)
    find, reduce = (np.argmax, np.maximum.reduce) if largest else (np.argmin, np.minimum.reduce)
    values, places = reduce(array, axis, None, None, keepdims), find(array, axis, None, keepdims=keepdims)
    return (values, places) if values.ndim < 2 else (in_planes(values), in_planes(places))


def picked(array, positions, axis: int, keepdims: bool) -> tuple:
    """(values, positions) at one position per line along an axis."""
    values = take(array, positions, axis)
    if not keepdims and array.ndim:
        values, positions = values.squeeze(axis), positions.squeeze(axis)
    return in_planes(values), in_planes(positions)


def ranked(array, rank: int, axis: int, keepdims: bool) -> tuple:
    """(values, positions) of the element of a rank, counted from 0, along an axis."""
    if type(array) is np.ndarray and array.ndim == 1 and array.size >= RANKED and array.dtype.kind in "fiu":
        return picked(array, np.array([_place_of_rank(array, rank)]), axis, keepdims)
    positions = xp.order(array, axis)
    return picked(array, positions.take([rank], axis) if array.ndim else positions, axis, keepdims)


RANKED = 1 << 9  # elements of a line that is not sorted for the sake of one


def _place_of_rank(line, rank: int) -> int:
    """Where the element of a rank is: of equal ones, and of NaN, which are above all, each has its own in order."""
    value = np.partition(line, rank)[rank]
    if value != value:
        return np.flatnonzero(line != line)[rank - np.count_nonzero(line == line)]
    return np.flatnonzero(line == value)[rank - np.count_nonzero(line < value)]


def median(array, axis: int, keepdims: bool, ignore_nan: bool) -> tuple:
    """(values, positions) of the lower of the two middle elements; the first NaN if there is one and it counts."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    if not has_nan(array):
        return ranked(array, (array.shape[axis] - 1) // 2, axis, keepdims)
    positions = xp.order(array, axis)
    numbers = array.shape[axis] - np.count_nonzero(np.isnan(array), axis, keepdims=True)
    if ignore_nan:
        middle = np.maximum(numbers - 1, 0) // 2
    else:
        middle = np.where(numbers == array.shape[axis], (array.shape[axis] - 1) // 2, numbers)
    return picked(array, take(positions, middle, axis), axis, keepdims)


def median_of_all(array, ignore_nan: bool):
    """The lower of the two middle elements of a whole array, NaN if it is empty."""
    flat = array.reshape(-1)
    if array.dtype.kind == "f" and not flat.size:
        return np.asarray(np.nan, array.dtype)
    if has_nan(flat):
        flat = flat[flat == flat]
        if not flat.size or not ignore_nan:
            return np.asarray(np.nan, array.dtype)
    else:
        flat = flat.copy()
    middle = (flat.size - 1) // 2
    flat.partition(middle)
    return flat[middle]


def has_nan(array) -> bool:
    """Whether an array of real numbers has a NaN: squares add up to one if it has."""
    if array.dtype.kind == "V":  # small floats, to NumPy strangers
        return np.logical_or.reduce(np.isnan(array), None)
    return array.dtype.kind == "f" and np.isnan(np.vdot(array, array))


def mode(array, axis: int, keepdims: bool) -> tuple:
    """(values, positions) of the most frequent element along an axis: the smallest of several, where it comes last."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    values, positions = xp.sort(array, axis)
    values = values if axis == array.ndim - 1 else np.moveaxis(values, axis, -1)
    steps = np.arange(array.shape[axis])
    begins = np.ones(values.shape, np.bool_)
    np.not_equal(values[..., 1:], values[..., :-1], out=begins[..., 1:])
    so_far = steps - np.maximum.accumulate(steps * begins, -1)
    last = so_far.argmax(-1, keepdims=True)
    last = last if axis == array.ndim - 1 else np.moveaxis(last, -1, axis)
    return picked(array, take(positions, last, axis), axis, keepdims)


# ---- equal elements


def unique(array, axis: int | None) -> tuple:
    """(values, where each element went, counts) of the different elements, or slices along an axis, sorted."""
    if axis is not None and not array.size:
        return _unique_of_nothing(array, axis)
    if axis is None and array.dtype.char in "bB?":
        return _unique_of_bytes(array)
    if axis is None:
        return _unique_of_line(array.reshape(-1), array.shape)
    values, inverse, counts = np.unique(array, False, True, True, axis, equal_nan=False)
    return values, inverse.reshape(-1), counts


def isin(elements, others, assume_unique: bool = False, invert: bool = False):
    """Whether each element is one of others: of a few NumPy's function has not found its way when all are compared."""
    if type(elements) is not np.ndarray or type(others) is not np.ndarray or elements.size * others.size > FEW_PAIRS:
        return np.isin(elements, others, assume_unique, invert)
    found = np.logical_or.reduce(elements[..., None] == others.reshape(-1), -1)
    return ~found if invert else found


@primitive
def different(array):
    """The different elements, sorted."""
    if array.dtype.char in "bB?":
        return _unique_of_bytes(array)[0]
    flat = np.sort(array, None)
    return flat[begins_of(flat)]


def begins_of(flat):
    """Where in a line an element differs from the one before."""
    begins = np.ones(flat.shape, bool)
    np.not_equal(flat[1:], flat[:-1], out=begins[1:])
    return begins


def _unique_of_line(flat, shape: tuple) -> tuple:
    values, positions = xp.sort(flat, 0)
    begins = begins_of(values)
    numbers = begins.cumsum()
    numbers -= 1
    inverse = np.empty(flat.size, np.int64)
    inverse[positions] = numbers
    return values[begins], inverse.reshape(shape), np.bincount(numbers)


def _unique_of_bytes(array) -> tuple:
    """Of numbers of which there are 256 it is counted how often each occurs, which takes no sorting."""
    lowest = -128 if array.dtype.char == "b" else 0
    places = array.view(np.uint8) - np.uint8(lowest % 256)
    occurring = np.bincount(places.reshape(-1), minlength=256)
    found = np.flatnonzero(occurring)
    values = (found + lowest).astype(array.dtype)
    return values, (np.cumsum(occurring > 0) - 1)[places], occurring[found]


def _unique_of_nothing(array, axis: int) -> tuple:
    none = np.zeros(0, np.int64)
    return array.copy(), none, none


@primitive
def unique_runs(array, axis: int | None, inverse: bool = True, counts: bool = True) -> tuple:
    """(values, where each element went, counts) with only neighbours that are equal joined; nothing for what of the
    last two is not wanted.
    """
    lines = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    differ = lines[1:] != lines[:-1]
    begins = np.ones(len(lines), bool)
    begins[1:] = differ.any(tuple(range(1, lines.ndim))) if lines.ndim > 1 else differ
    values = lines[begins]
    went = np.cumsum(begins) - 1 if inverse else np.zeros(0, np.int64)
    long = np.diff(np.flatnonzero(begins), append=len(lines)) if counts else np.zeros(0, np.int64)
    if axis is None:
        return values, went.reshape(array.shape) if inverse else went, long
    return np.moveaxis(values, 0, axis), went, long
