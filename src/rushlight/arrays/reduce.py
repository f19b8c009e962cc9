"""Totals of many elements: exact to the last digits, and without overflow on the way."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.layouts import in_planes
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import WAITING, notice
from rushlight.core.tables import primitive, xp

# Below this many elements, adding one by one loses no more digits than the result has to spare.
MANY = 1 << 12
PARTS = 32
COLUMNS = 256
# BLAS adds up a line in some dozens of sums side by side, those of a matrix in four: longer ones lose digits there.
LONGEST, LONG = 1 << 10, 1 << 8
ONES = {np.dtype(kind): np.ones(LONGEST, kind) for kind in "fd"}
# So many numbers BLAS leaves to one thread; of more, the number of threads would change the last digits.
ALONE = 1 << 13

add_up = np.add.reduce


@primitive
def total(array, axes=None, dtype=None, keepdims: bool = False):
    """The sum along axes, None for all.

    NumPy adds pairwise along the innermost axis only; along others one by one, which is slow in narrow arrays and loses
    digits with every thousand rows. Here they are added in parts, side by side; rows and columns of real numbers by a
    product with ones, which takes BLAS a third of the time.
    """
    size = array.size
    if size >= MANY and WAITING:
        notice(size)
    if type(array) is np.ndarray:
        if dtype is None and axes is not None and (row := ONES.get(array.dtype)) is not None:
            found = _by_product(array, axes, row)
            if found is not None:
                return _with_dims_kept(found, axes, array.ndim) if keepdims else found
        if size < MANY:
            found = add_up(array, axes, dtype, keepdims=keepdims, out=...)  # an array, also of no dimensions
            return found if found.ndim < 2 else in_planes(found)
    if size < MANY or (axes is None and not array.flags.c_contiguous):
        return in_planes(add_up(array, axes, dtype, None, keepdims))
    if axes is None:
        found = _all_of(array.reshape(-1), dtype)
        return found.reshape((1,) * array.ndim) if keepdims else found
    axes = (axes,) if isinstance(axes, int) else axes
    inner = tuple(axis for axis in axes if _is_innermost(axis, axes, array.ndim))
    found = add_up(array, inner, dtype, None, True) if inner else array
    for axis in axes:
        if axis not in inner:
            found = _in_parts(found, axis, dtype)
    shape = found.shape if keepdims else tuple(n for axis, n in enumerate(found.shape) if axis not in axes)
    return in_planes(found.reshape(shape))


def _by_product(array, axes, ones):
    """The sum along the last axis or along leading ones, None where there is another way to go."""
    rank, shape = array.ndim, array.shape
    if axes == rank - 1 and rank > 1 and shape[-1] <= LONGEST:
        if rank == 2:
            return _sums_of_rows(array, ones)
        if array.flags.c_contiguous and array.size:
            return _sums_of_rows(array.reshape(-1, shape[-1]), ones).reshape(shape[:-1])
    elif axes == 0 and rank == 2:
        return _sums_of_columns(array, ones)
    elif type(axes) is tuple and 0 < len(axes) < rank and axes == tuple(range(len(axes))):
        length = math.prod(shape[: len(axes)])
        if array.size and array.flags.c_contiguous:
            found = _sums_of_columns(array.reshape(length, -1), ones)
            return None if found is None else found.reshape(shape[len(axes) :])
    return None


def _sums_of_rows(array, ones):
    """Of a matrix with rows that are not too long."""
    length = array.shape[1]
    if length <= LONG and array.size <= ALONE:
        return array.dot(ones[:length])
    return np.vecdot(array, ones[:length])


def _sums_of_columns(array, ones):
    """Of a matrix; None where NumPy adds up rows as fast. A few columns are added up one number after the other."""
    length, width = array.shape
    step = min(ALONE // max(width, 1), LONG if width >= 16 else LONG // 4)
    if length <= step:
        return ones[:length].dot(array)
    if step < 16 or length > PARTS * step:
        return None
    pieces = [array[at : at + step] for at in range(0, length, step)]
    return xp.total(np.array([np.dot(ones[: len(piece)], piece) for piece in pieces]), 0)


def _with_dims_kept(found, axes, rank: int):
    if axes is None:
        return found.reshape((1,) * rank)
    if axes == rank - 1:
        return found[..., None]
    return found[(None,) * (1 if axes == 0 else len(axes))]


def _is_innermost(axis: int, axes: tuple, rank: int) -> bool:
    return all(each in axes for each in range(axis, rank))


def _all_of(flat, dtype):
    """The sum of the elements in one line."""
    if flat.dtype.kind == "b" and dtype in (None, np.int64):
        return np.int64(np.count_nonzero(flat))
    if flat.dtype.kind in "biu":  # which lose no digits
        return add_up(flat, 0, dtype)
    if dtype is not None or flat.dtype not in ONES:
        return _in_parts(flat, 0, dtype)[0]
    ones, length = ONES[flat.dtype], flat.size
    if length <= LONGEST:
        return np.dot(flat, ones[:length])
    whole = length - length % LONGEST
    found = _all_of(_sums_of_rows(flat[:whole].reshape(-1, LONGEST), ones), None)
    return found + np.dot(flat[whole:], ones[: length - whole]) if whole < length else found


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


@primitive
def total_of_any(array, axes, dtype, keepdims: bool):
    """`total` of any kind of number, in a dtype if one is asked for.

    Otherwise small floats are added up in float32 and rounded once, whole numbers and bools in int64.
    """
    if dtype is not None:
        array = array.real.astype(dtype) if array.dtype.kind == "c" and dtype.kind != "c" else array.astype(dtype)
    elif array.dtype.kind in "biu":
        return xp.total(array, axes, np.int64, keepdims)
    if array.dtype.kind in "fV" and array.itemsize < 4:
        return xp.total(array.astype(np.float32), axes, None, keepdims).astype(array.dtype)
    return xp.total(array, axes, array.dtype, keepdims)


@primitive
def total_of_numbers(array, axes, dtype, keepdims: bool):
    """`total` of what is not NaN.

    >>> total_of_numbers(np.array([1.0, np.nan, 4.0]), 0, None, False)
    array(5.)
    """
    return xp.total(np.where(array == array, array, np.zeros((), array.dtype)), axes, dtype, keepdims)


@primitive
def product(array, axes, dtype, keepdims: bool):
    """The product along axes, None for all; a long one in many columns at a time."""
    if axes is not None or array.size < MANY or not array.flags.c_contiguous:
        found = np.multiply.reduce(array, axes, dtype, None, keepdims)
        return found if found.ndim < 2 else in_planes(found)
    flat = array.reshape(-1)
    whole = flat.size - flat.size % COLUMNS
    columns = np.multiply.reduce(flat[:whole].reshape(-1, COLUMNS), 0, dtype)
    found = np.multiply.reduce(columns) * np.multiply.reduce(flat[whole:], None, dtype)
    return found.reshape((1,) * array.ndim) if keepdims else found


@primitive
def mean(array, axes=None, dtype=None, keepdims: bool = False):
    """The arithmetic mean along axes, None for all; NaN of nothing."""
    found = xp.total(array, axes, dtype, keepdims)
    size = found.size
    if not array.size:
        with np.errstate(invalid="ignore"):  # of nothing there is no mean, which is no mistake of the numbers
            return found / number_for(found, 0)
    return found / number_for(found, array.size / size) if size else found


def number_for(array, number: float):
    """A number beside an array, as it is computed with soonest."""
    kind = array.dtype
    return ARRAY_NUMBERS[kind][number] if kind in ONES else number


def _is_last(axes, array) -> bool:
    return axes == array.ndim - 1 or axes == -1


@primitive
def total_of_squares(array, axes, keepdims: bool):
    """The sum of the squared absolute values along axes, None for all."""
    if array.dtype.kind == "c" and array.flags.c_contiguous and array.ndim and (axes is None or _is_last(axes, array)):
        array = array.view(array.real.dtype)  # as pairs: BLAS takes products of infinite parts from each other
    if isinstance(array, np.ndarray) and array.dtype.kind != "c":  # BLAS does both in one pass, and in registers
        if axes is None and not keepdims and array.flags.c_contiguous:
            return np.vdot(array, array)
        if _is_last(axes, array):
            found = np.vecdot(array, array, out=...)
            found = found if found.ndim < 2 else in_planes(found)
            return found[..., None] if keepdims else found
    squares = array.real**2 + array.imag**2 if array.dtype.kind == "c" else np.multiply(array, array)
    return xp.total(squares, axes, None, keepdims)


LEAST = 1e-30  # below it, squares of single precision may have vanished that the root of their sum would show
WIDER = {np.dtype("f"): np.dtype("d"), np.dtype("F"): np.dtype("D")}


def spread(array, axes, correction: float, keepdims: bool, root: bool) -> tuple:
    """(variance or its root, mean) along axes, None for all.

    Where the squares of single precision leave its range, all is computed in double precision. Of a few results Python
    finds that out sooner than NumPy.
    """
    found, middle = xp.variance(array, axes, correction, keepdims)
    if not found.ndim:
        fits = found < math.inf and (not root or LEAST < found)
    elif found.ndim == 1 and 0 < found.size <= 16:
        values = found.tolist()
        fits = sum(values) < math.inf and (not root or LEAST < min(values))
    else:
        fits = not found.size or (highest(found) < math.inf and (not root or LEAST < lowest(found)))
    if not fits and array.dtype in WIDER:
        wide = array.astype(WIDER[array.dtype])
        return _narrowed(*xp.variance(wide, axes, correction, keepdims), root, middle)
    return np.sqrt(found) if root else found, middle


def _narrowed(found, middle, root: bool, like) -> tuple:
    """What was computed in double precision, in single precision again."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.sqrt(found) if root else found
        return found.astype(like.real.dtype), middle.astype(like.dtype)


@primitive
def variance(array, axes, correction: float, keepdims: bool) -> tuple:
    """(variance, mean) along axes, None for all, in two passes: the mean first, then the squares of what is left."""
    if 0 < array.size <= FEW and array.dtype in ONES:
        if (few := variance_of_few(array, axes, correction)) is not None:
            return tuple([_with_dims_kept(each, axes, array.ndim) for each in few]) if keepdims else few
    middle = xp.mean(array, axes, None, True)
    found = xp.total_of_squares(array - middle, axes, keepdims)
    if found.size:
        found = np.divide(found, number_for(found, max(array.size / found.size - correction, 0)))
    return found, middle if keepdims else middle.reshape(found.shape)


def variance_of_few(array, axes, correction: float) -> tuple | None:
    """The same of a few numbers, of a matrix's rows or columns, by products with ones; None along other axes."""
    rank, row = array.ndim, ONES[array.dtype]
    if axes is None or rank == 1:
        array = array.ravel()
        length, ones = array.size, row[: array.size]
        middle = array.dot(ones) / number_for(array, length)
        array = array - middle
        return array.dot(array) / number_for(array, max(length - correction, 0)), middle
    if rank != 2 or not (axes == 0 or axes == 1 or axes == -1):
        return None
    length = array.shape[axes]
    ones = row[:length]
    middle = ones.dot(array) if axes == 0 else array.dot(ones)
    middle /= number_for(array, length)
    array = array - (middle if axes == 0 else middle[:, None])
    found = ones.dot(np.multiply(array, array, array)) if axes == 0 else np.vecdot(array, array)
    found /= number_for(array, max(length - correction, 0))
    return found, middle


@primitive
def logsumexp(array, axes, keepdims: bool):
    """The logarithm of the sum of exponentials along axes; the largest is taken out first, lest it overflow.

    Of few numbers of which none can, the exponentials are added up at once, by a product with ones.
    """
    if 0 < array.size <= FEW and type(axes) is int and array.dtype in ONES and is_moderate(array):
        found = np.log(xp.total(np.exp(array), axes, None, keepdims))
        return found if found.ndim < 2 else in_planes(found)
    if not array.size:
        return np.log(np.add.reduce(np.exp(array), axes, None, None, keepdims))
    highest = np.maximum.reduce(array.real if array.dtype.kind == "c" else array, axes, None, None, True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    found = np.log(xp.total(np.exp(array - highest), axes, None, True)) + highest
    return in_planes(found) if keepdims else in_planes(np.squeeze(found, axes))


def vector_norm(array, order: float, axes, keepdims: bool):
    """`sum(|x|**order) ** (1 / order)` along axes, None for all; for 0, inf and -inf what that tends to."""
    if order == 2:
        return np.sqrt(xp.total_of_squares(array, axes, keepdims))
    sizes = np.abs(array)
    if order == 0:
        return xp.total((sizes != 0).astype(sizes.dtype), axes, None, keepdims)
    if order == 1:
        return xp.total(sizes, axes, None, keepdims)
    if np.isinf(order):
        return in_planes((np.maximum if order > 0 else np.minimum).reduce(sizes, axes, None, None, keepdims))
    return xp.total(sizes**order, axes, None, keepdims) ** (1 / order)


BOUND = 60  # of numbers of which neither an exponential nor a sum of exponentials is out of range


@primitive
def softmax(array, axis):
    """Exponentials over their sum along an axis; if any may overflow, the largest is taken out first."""
    if not array.size or not array.ndim:
        return array - array + 1
    if not array.flags.c_contiguous:
        array = in_planes(array)  # PyTorch's results lie in the order of dimensions
    if is_moderate(array):
        out = np.exp(array)
    else:
        out = array - np.maximum.reduce(array, axis, None, None, True)
        out = np.exp(out, out)
    out /= along(out, axis)
    return out


@primitive
def log_softmax(array, axis):
    """The logarithm of the softmax along an axis."""
    if not array.size or not array.ndim:
        return array - array
    if not array.flags.c_contiguous:
        array = in_planes(array)
    # The logarithm of the sum of small ones is small: as many digits are lost beside it as by taking out the largest.
    if not is_within(array, 8):
        array = array - np.maximum.reduce(array, axis, None, None, True)
    sums = along(np.exp(array), axis)
    return array - np.log(sums, sums)


def is_moderate(array) -> bool:
    """Whether exponentials and their sums are in range without taking the largest out: of a few, a product may tell."""
    if array.size <= ALONE:
        line = array.ravel()
        if line.dot(line) <= BOUND**2:
            return True
    return is_within(array, BOUND)


def highest(array):
    """The largest element: of a few, NumPy finds the place in a third of the time in which it reduces to the value."""
    return array.item(array.argmax()) if array.size <= ALONE else np.maximum.reduce(array, None)


def lowest(array):
    """The smallest element, found likewise."""
    return array.item(array.argmin()) if array.size <= ALONE else np.minimum.reduce(array, None)


def is_within(array, bound: float) -> bool:
    """Whether no element is larger than a bound, on either side: two passes, in place of one for each row."""
    if array.size <= ALONE:
        return array.item(array.argmax()) <= bound and array.item(array.argmin()) >= -bound
    return np.maximum.reduce(array, None) <= bound and np.minimum.reduce(array, None) >= -bound


def is_between(array, low: float, high: float) -> bool:
    """Whether no element is outside of two bounds, or NaN."""
    return bool(lowest(array) >= low and highest(array) <= high)


class Squares(dict):
    """Square matrices of ones, of one dtype, by their length."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def __missing__(self, length):
        found = self[length] = np.ones((length, length), self.kind)
        return found


SQUARES = {np.dtype(kind): Squares(kind) for kind in "fd"}
# In so few numbers a sum beside each of them is found and used sooner than one that has to be broadcast.
FEW, SHORT = 1 << 9, 32


def along(array, axis):
    """The sums along an axis, which stays, or has them as often as it is long.

    Those of short rows are found by a product, since NumPy begins anew with each row.
    """
    kind, rank = array.dtype, array.ndim
    row = ONES.get(kind)
    if row is None:
        return np.add.reduce(array, axis, None, None, True)
    if array.size <= FEW and rank <= 2 and (length := array.shape[axis]) <= SHORT:
        square = SQUARES[kind][length]
        return array.dot(square) if axis == rank - 1 or axis == -1 else square.dot(array)
    if rank == 2 and array.size <= ALONE:
        length = array.shape[axis]
        if axis == 1 and length <= LONGEST:
            return array.dot(row[:length])[:, None]
        if axis == 0 and length <= LONG:
            return row[:length].dot(array)
    return np.add.reduce(array, axis, None, None, True)


def ones(length: int, kind):
    """As many ones, of a dtype, to be read only."""
    return ONES[kind][:length] if length <= LONGEST and kind in ONES else np.ones(length, kind)


def xor_of_bits(array, axes, keepdims: bool):
    """The exclusive or of the elements along axes, None for all, as floats or whole numbers of 64 bits."""
    wide = array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axes, keepdims=keepdims)
