"""Totals of many elements: exact to the last digits, and without overflow on the way."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

# Below this many elements, adding one by one loses no more digits than the result has to spare.
MANY = 1 << 12
PARTS = 32
COLUMNS = 256
ONE_THREAD = 1 << 13  # elements of a matrix that BLAS, which may else share a sum out, multiplies in one thread

add_up = np.add.reduce


def total(array, axes=None, dtype=None, keepdims: bool = False):
    """The sum along axes, None for all.

    NumPy adds pairwise along the innermost axis only; along others one by one, which is slow in narrow arrays and loses
    digits with every thousand rows. Here they are added in parts, side by side.
    """
    if type(array) is np.ndarray and array.size < MANY:
        return add_up(array, axes, dtype, keepdims=keepdims, out=...)  # an array, also of no dimensions
    if array.size < MANY or (axes is None and not array.flags.c_contiguous):
        return add_up(array, axes, dtype, None, keepdims)
    if axes is None:
        found = _in_parts(array.reshape(-1), 0, dtype)
        return found.reshape((1,) * array.ndim if keepdims else ())
    axes = (axes,) if isinstance(axes, int) else axes
    inner = tuple(axis for axis in axes if _is_innermost(axis, axes, array.ndim))
    found = add_up(array, inner, dtype, None, True) if inner else array
    for axis in axes:
        if axis not in inner:
            found = _in_parts(found, axis, dtype)
    return found if keepdims else found.reshape(tuple(n for axis, n in enumerate(found.shape) if axis not in axes))


def _is_innermost(axis: int, axes: tuple, rank: int) -> bool:
    return all(each in axes for each in range(axis, rank))


def _in_parts(array, axis: int, dtype):
    length = array.shape[axis]
    if length <= 2 * PARTS:
        return add_up(array, axis, dtype, None, True)
    whole = length - length % PARTS
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    along = (slice(None),) * axis
    parts = array[(*along, slice(whole))].reshape((*before, PARTS, whole // PARTS, *after))
    found = _in_parts(add_up(parts, axis, dtype), axis, dtype)
    return found + add_up(array[(*along, slice(whole, None))], axis, dtype, None, True) if whole < length else found


def total_of_any(array, axes, dtype, keepdims: bool):
    """`total` of any kind of number, in a dtype if one is asked for.

    Otherwise small floats are added up in float32 and rounded once, whole numbers and bools in int64.
    """
    if dtype is not None:
        array = array.real.astype(dtype) if array.dtype.kind == "c" and dtype.kind != "c" else array.astype(dtype)
    elif array.dtype.kind in "biu":
        return total(array, axes, np.int64, keepdims)
    if array.dtype.kind in "fV" and array.itemsize < 4:
        return total(array.astype(np.float32), axes, None, keepdims).astype(array.dtype)
    return total(array, axes, array.dtype, keepdims)


def product(array, axes, dtype, keepdims: bool):
    """The product along axes, None for all; a long one in many columns at a time."""
    if axes is not None or array.size < MANY or not array.flags.c_contiguous:
        return np.multiply.reduce(array, axes, dtype, None, keepdims)
    flat = array.reshape(-1)
    whole = flat.size - flat.size % COLUMNS
    columns = np.multiply.reduce(flat[:whole].reshape(-1, COLUMNS), 0, dtype)
    found = np.multiply.reduce(columns) * np.multiply.reduce(flat[whole:], None, dtype)
    return found.reshape((1,) * array.ndim) if keepdims else found


def mean(array, axes=None, dtype=None, keepdims: bool = False):
    """The arithmetic mean along axes, None for all; NaN of nothing."""
    found = total(array, axes, dtype, keepdims)
    return found / (array.size / found.size) if found.size else found


def total_of_squares(array, axes, keepdims: bool):
    """The sum of the squared absolute values along axes, None for all."""
    if isinstance(array, np.ndarray):  # BLAS does both in one pass, and in registers
        if axes is None and not keepdims and array.flags.c_contiguous:
            return np.vdot(array, array).real
        if axes == array.ndim - 1 or axes == -1:
            return np.vecdot(array, array, axis=-1, keepdims=keepdims).real
    squares = array.real**2 + array.imag**2 if array.dtype.kind == "c" else np.multiply(array, array)
    return total(squares, axes, None, keepdims)


def variance(array, axes, correction: float, keepdims: bool) -> tuple:
    """(variance, mean) along axes, None for all, in two passes: the mean first, then the squares of what is left."""
    middle = mean(array, axes, None, True)
    found = total_of_squares(array - middle, axes, keepdims)
    if found.size:
        found = np.divide(found, max(array.size / found.size - correction, 0))
    return found, middle if keepdims else middle.reshape(found.shape)


def logsumexp(array, axes, keepdims: bool):
    """The logarithm of the sum of exponentials along axes; the largest is taken out first, lest it overflow."""
    if not array.size:
        return np.log(np.add.reduce(np.exp(array), axes, None, None, keepdims))
    highest = np.maximum.reduce(array.real if array.dtype.kind == "c" else array, axes, None, None, True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    found = np.log(total(np.exp(array - highest), axes, None, True)) + highest
    return found if keepdims else np.squeeze(found, axes)


def vector_norm(array, order: float, axes, keepdims: bool):
    """`sum(|x|**order) ** (1 / order)` along axes, None for all; for 0, inf and -inf what that tends to."""
    if order == 2:
        return np.sqrt(total_of_squares(array, axes, keepdims))
    sizes = np.abs(array)
    if order == 0:
        return total((sizes != 0).astype(sizes.dtype), axes, None, keepdims)
    if order == 1:
        return total(sizes, axes, None, keepdims)
    if np.isinf(order):
        return (np.maximum if order > 0 else np.minimum).reduce(sizes, axes, None, None, keepdims)
    return total(sizes**order, axes, None, keepdims) ** (1 / order)


BOUND = 60  # of numbers of which neither an exponential nor a sum of exponentials is out of range


def softmax(array, axis):
    """Exponentials over their sum along an axis; if any may overflow, the largest is taken out first."""
    if not array.size or not array.ndim:
        return array - array + 1
    if (array.size <= ONE_THREAD and np.vdot(array, array) <= BOUND**2) or is_within(array, BOUND):
        out = np.exp(array)
    else:
        out = array - np.maximum.reduce(array, axis, None, None, True)
        out = np.exp(out, out)
    out /= along(out, axis)
    return out


def log_softmax(array, axis):
    """The logarithm of the softmax along an axis."""
    if not array.size or not array.ndim:
        return array - array
    # The logarithm of the sum of small ones is small: as many digits are lost beside it as by taking out the largest.
    out = array if is_within(array, 8) else array - np.maximum.reduce(array, axis, None, None, True)
    return out - np.log(along(np.exp(out), axis))


def is_within(array, bound: float) -> bool:
    """Whether no element is larger than a bound, on either side: two passes, in place of one for each row."""
    return np.maximum.reduce(array, None) <= bound and np.minimum.reduce(array, None) >= -bound


def along(array, axis):
    """The sums along an axis, which stays; of short rows by a product, since NumPy begins anew with each row."""
    if type(axis) is int and axis == array.ndim - 1 == 1 and array.size <= ONE_THREAD and array.flags.c_contiguous:
        return np.dot(array, ones(array.shape[1], array.dtype)).reshape(-1, 1)
    return np.add.reduce(array, axis, None, None, True)


@lru_cache(64)
def ones(length: int, kind):
    """As many ones, of a dtype."""
    return np.ones(length, kind)


def xor_of_bits(array, axes, keepdims: bool):
    """The exclusive or of the elements along axes, None for all, as floats or whole numbers of 64 bits."""
    wide = array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axes, keepdims=keepdims)
