"""Sorting, selection by rank, extremes with indices, unique elements.

NaN is larger than every number. Equal elements keep their order.
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
    """Returns the indices that sort an array along an axis."""
    if not array.ndim:
        return np.zeros((), np.int64)
    keys = keys_of(array, axis, descending)
    if keys is not None:
        keys.sort(-1)
        return _indices_in(keys, axis)
    if not descending:
        return array.argsort(axis, "stable")
    if array.size <= FEW and array.dtype.kind == "f" and array.size and (most := highest(array)) == most:
        return np.negative(array).argsort(axis, "stable")
    # Reversed twice, so that equal elements keep their order; small float arrays without NaN were negated instead
    backwards = (slice(None),) * axis + (slice(None, None, -1),)
    return array.shape[axis] - 1 - array[backwards].argsort(axis, "stable")[backwards]


@primitive
def sort(array, axis: int, descending: bool = False) -> tuple:
    """Returns (values, indices), sorted along an axis."""
    indices = xp.order(array, axis, descending)
    return take(array, indices, axis), indices


# A 32-bit value and its index are packed into one 64-bit integer, of which NumPy sorts several at a time; this pays off
# from this many elements on, in rows of this length.
MANY = 1 << 10
LONG = 64
FEW_PAIRS = 1 << 9
SIGN, REST, PLACE = np.int32(31), np.int32(0x7FFFFFFF), np.int64(0xFFFFFFFF)


def keys_of(array, axis: int, descending: bool):
    """Returns integers ordered like the elements along an axis, ties by index; the axis is moved to the end."""
    length = array.shape[axis]
    if array.size < MANY or length < LONG or type(array) is not np.ndarray:
        return None
    moved = np.ascontiguousarray(array if axis == array.ndim - 1 else np.moveaxis(array, axis, -1))
    values = _ordered_numbers(moved)
    if values is None:
        return None
    keys = (np.invert(values, values) if descending else values).astype(np.int64, copy=False)
    keys <<= np.int64(32)
    keys |= np.arange(length)
    return keys


def _ordered_numbers(array):
    """Returns new 32-bit integers in the order of the elements; None for other dtypes."""
    if array.dtype == np.int64:
        low, high = np.minimum.reduce(array, None), np.maximum.reduce(array, None)
        return array - low if int(high) - int(low) < 1 << 31 else None
    if array.dtype == np.int32:
        return array.copy()
    if array.dtype != np.float32:
        return None
    if has_nan(array):
        array = np.where(np.isnan(array), np.float32(np.nan), array)  # the NaN above infinity
    bits = (array + np.float32(0)).view(np.int32)  # negative zero becomes positive
    values = bits >> SIGN
    values &= REST
    values ^= bits
    return values


def _indices_in(keys, axis: int):
    keys &= PLACE
    return keys if axis == keys.ndim - 1 else np.ascontiguousarray(np.moveaxis(keys, -1, axis))


def take(array, positions, axis: int):
    """Returns the elements at indices along an axis; a 0-d array has one."""
    if not array.ndim:
        return array.copy()
    if not array.size or axis != array.ndim - 1:
        return np.take_along_axis(array, positions, axis)
    # The cache must not take much memory
    starts = (starts_of if array.size < MANY else starts_of.__wrapped__)(array.shape)
    return array.reshape(-1).take(positions + starts)


@lru_cache(maxsize=64)
def starts_of(shape: tuple):
    """Returns the flat index at which each row along the last axis begins, in a shape that broadcasts to positions."""
    return np.arange(0, math.prod(shape), shape[-1]).reshape((*shape[:-1], 1))


@primitive
def top(array, count: int, axis: int, largest: bool) -> tuple:
    """Returns (values, indices) of the largest or smallest elements along an axis, best first."""
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
        candidates = _may_be_top(array.reshape(-1), count, largest)
        if candidates is not None:
            values, within = xp.top(array.reshape(-1).take(candidates), count, 0, largest)
            shape = (1,) * axis + (count,) + (1,) * (array.ndim - axis - 1)
            return values.reshape(shape), candidates.take(within).reshape(shape)
    split, part = (length - count, slice(length - count, None)) if largest else (count - 1, slice(count))
    chosen = array.argpartition(split, axis)[(*along, part)]
    chosen.sort(axis)
    values, within = xp.sort(take(array, chosen, axis), axis, largest)
    return values, take(chosen, within, axis)


def _may_be_top(line, count: int, largest: bool):
    """Returns indices of candidates for the top elements of a long row, or None if there are too many.

    The bound is the worst of the best elements of every n-th position; about equally many are sampled and remain.
    """
    step = math.isqrt(line.size // count)
    if step < 4:
        return None
    some = line[::step]
    split = some.size - count if largest else count - 1
    last = np.partition(some, split)[split]
    worse = line < last if largest else line > last
    candidates = np.flatnonzero(np.logical_not(worse, worse))  # a NaN is never worse
    return candidates if candidates.size < line.size // 4 else None


def argmax(array, axis=None, out=None, keepdims: bool = False):
    """The index of the largest element along an axis, or of all: the first of equals, or of NaN if there is one.

    The method of an array takes a quarter of the time of the function.
    """
    if type(array) is np.ndarray:
        return array.argmax(axis, out, keepdims=keepdims)
    return np.argmax(array, axis, out, keepdims=keepdims)


def argmin(array, axis=None, out=None, keepdims: bool = False):
    """The index of the smallest element, like `argmax`."""
    if type(array) is np.ndarray:
        return array.argmin(axis, out, keepdims=keepdims)
    return np.argmin(array, axis, out, keepdims=keepdims)


@primitive
def extreme(array, axis: int, keepdims: bool, largest: bool) -> tuple:
    """Returns (values, indices) of the extreme along an axis: the first of equals, NaN before all."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    if 0 < array.size <= MANY and axis == array.ndim - 1:  # NumPy finds indices faster than it reduces short rows
        indices = array.argmax(axis) if largest else array.argmin(axis)
        values = array.reshape(-1).take(np.arange(0, array.size, array.shape[axis]).reshape(indices.shape) + indices)
        return (values[..., None], indices[..., None]) if keepdims else (values, indices)
    find, reduce = (np.argmax, np.maximum.reduce) if largest else (np.argmin, np.minimum.reduce)
    values, indices = reduce(array, axis, None, None, keepdims), find(array, axis, None, keepdims=keepdims)
    return (values, indices) if values.ndim < 2 else (in_planes(values), in_planes(indices))


def picked(array, positions, axis: int, keepdims: bool) -> tuple:
    """Returns (values, indices) at one position per row along an axis."""
    values = take(array, positions, axis)
    if not keepdims and array.ndim:
        values, positions = values.squeeze(axis), positions.squeeze(axis)
    return in_planes(values), in_planes(positions)


def ranked(array, rank: int, axis: int, keepdims: bool) -> tuple:
    """Returns (values, indices) of the element of a rank, counted from 0, along an axis."""
    if type(array) is np.ndarray and array.ndim == 1 and array.size >= RANKED and array.dtype.kind in "fiu":
        return picked(array, np.array([_place_of_rank(array, rank)]), axis, keepdims)
    positions = xp.order(array, axis)
    return picked(array, positions.take([rank], axis) if array.ndim else positions, axis, keepdims)


RANKED = 1 << 9  # minimum length of a row that is partitioned instead of sorted


def _place_of_rank(line, rank: int) -> int:
    """Returns the index of the element of a rank; equal elements, and NaN, which are largest, are ranked in order."""
    value = np.partition(line, rank)[rank]
    if value != value:
        return np.flatnonzero(line != line)[rank - np.count_nonzero(line == line)]
    return np.flatnonzero(line == value)[rank - np.count_nonzero(line < value)]


def median(array, axis: int, keepdims: bool, ignore_nan: bool) -> tuple:
    """Returns (values, indices) of the lower of the two middle elements; the first NaN if NaN counts."""
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    if not has_nan(array):
        return ranked(array, (array.shape[axis] - 1) // 2, axis, keepdims)
    positions = xp.order(array, axis)
    counts = array.shape[axis] - np.count_nonzero(np.isnan(array), axis, keepdims=True)
    if ignore_nan:
        middle = np.maximum(counts - 1, 0) // 2
    else:
        middle = np.where(counts == array.shape[axis], (array.shape[axis] - 1) // 2, counts)
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
    """Whether a real array contains NaN: the sum of squares is then NaN."""
    if array.dtype.kind == "V":  # half precision is not a float kind in NumPy
        return np.logical_or.reduce(np.isnan(array), None)
    return array.dtype.kind == "f" and np.isnan(np.vdot(array, array))


def mode(array, axis: int, keepdims: bool) -> tuple:
    """Returns (values, indices) of the most frequent element along an axis: the smallest of several, its last index."""
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
    """Returns (values, inverse indices, counts) of the unique elements, or slices along an axis, sorted."""
    if axis is not None and not array.size:
        return _unique_of_nothing(array, axis)
    if axis is None and array.dtype.char in "bB?":
        return _unique_of_bytes(array)
    if axis is None:
        return _unique_of_line(array.reshape(-1), array.shape)
    values, inverse, counts = np.unique(array, False, True, True, axis, equal_nan=False)
    return values, inverse.reshape(-1), counts


def isin(elements, others, assume_unique: bool = False, invert: bool = False):
    """Whether each element is in `others`; for small arrays, comparing all pairs is faster than NumPy's function."""
    if type(elements) is not np.ndarray or type(others) is not np.ndarray or elements.size * others.size > FEW_PAIRS:
        return np.isin(elements, others, assume_unique, invert)
    result = np.logical_or.reduce(elements[..., None] == others.reshape(-1), -1)
    return ~result if invert else result


@primitive
def different(array):
    """Returns the unique elements, sorted."""
    if array.dtype.char in "bB?":
        return _unique_of_bytes(array)[0]
    flat = np.sort(array, None)
    return flat[begins_of(flat)]


def begins_of(flat):
    """Returns where an element of a row differs from the one before."""
    begins = np.ones(flat.shape, bool)
    np.not_equal(flat[1:], flat[:-1], out=begins[1:])
    return begins


def _unique_of_line(flat, shape: tuple) -> tuple:
    values, positions = xp.sort(flat, 0)
    begins = begins_of(values)
    groups = begins.cumsum()
    groups -= 1
    inverse = np.empty(flat.size, np.int64)
    inverse[positions] = groups
    return values[begins], inverse.reshape(shape), np.bincount(groups)


def _unique_of_bytes(array) -> tuple:
    """Counts how often each of 256 values occurs, without sorting."""
    lowest = -128 if array.dtype.char == "b" else 0
    offsets = array.view(np.uint8) - np.uint8(lowest % 256)
    occurring = np.bincount(offsets.reshape(-1), minlength=256)
    present = np.flatnonzero(occurring)
    values = (present + lowest).astype(array.dtype)
    return values, (np.cumsum(occurring > 0) - 1)[offsets], occurring[present]


def _unique_of_nothing(array, axis: int) -> tuple:
    none = np.zeros(0, np.int64)
    return array.copy(), none, none


@primitive
def unique_runs(array, axis: int | None, inverse: bool = True, counts: bool = True) -> tuple:
    """Returns (values, inverse indices, counts) of runs of equal neighbours; empty arrays for those of the last two
    that are not requested.
    """
    lines = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    differ = lines[1:] != lines[:-1]
    begins = np.ones(len(lines), bool)
    begins[1:] = differ.any(tuple(range(1, lines.ndim))) if lines.ndim > 1 else differ
    values = lines[begins]
    inverse_indices = np.cumsum(begins) - 1 if inverse else np.zeros(0, np.int64)
    lengths = np.diff(np.flatnonzero(begins), append=len(lines)) if counts else np.zeros(0, np.int64)
    if axis is None:
        return values, inverse_indices.reshape(array.shape) if inverse else inverse_indices, lengths
    return np.moveaxis(values, 0, axis), inverse_indices, lengths
