"""Reductions of many elements: accurate to the last digits, and without overflow of intermediate results."""

from __future__ import annotations

import math

import numpy as np

from rushlight.arrays.layouts import in_planes
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.policy import WAITING, notice
from rushlight.core.tables import primitive, xp

# Below this many elements, adding one by one loses no significant digits.
MANY = 1 << 12
PARTS = 32
COLUMNS = 256
# BLAS adds a row in some dozens of parallel sums, a matrix in four: longer sums lose digits there.
LONGEST, LONG = 1 << 10, 1 << 8
ONES = {np.dtype(kind): np.ones(LONGEST, kind) for kind in "fd"}
# BLAS uses one thread for up to this many elements; more threads would change the last digits.
ALONE = 1 << 13

add_up = np.add.reduce


@primitive
def total(array, axes=None, dtype=None, keepdims: bool = False):
    """The sum along axes, None for all.

    NumPy adds pairwise along the innermost axis only; along others one by one, which is slow in narrow arrays and loses
    digits with every thousand rows. This function adds in parallel parts; rows and columns of real values by a product
    with ones, which takes BLAS a third of the time.
    """
    size = array.size
    if size >= MANY and WAITING:
        notice(size)
    if type(array) is np.ndarray:
        if dtype is None and axes is not None and (row := ONES.get(array.dtype)) is not None:
            result = _by_product(array, axes, row)
            if result is not None:
                return _with_dims_kept(result, axes, array.ndim) if keepdims else result
        if size < MANY:
            result = add_up(array, axes, dtype, keepdims=keepdims, out=...)  # an array, even if 0-d
            return result if result.ndim < 2 else in_planes(result)
    if size < MANY or (axes is None and not array.flags.c_contiguous):
        return in_planes(add_up(array, axes, dtype, None, keepdims))
    if axes is None:
        result = _all_of(array.reshape(-1), dtype)
        return result.reshape((1,) * array.ndim) if keepdims else result
    axes = (axes,) if isinstance(axes, int) else axes
    inner = tuple(axis for axis in axes if _is_innermost(axis, axes, array.ndim))
    result = add_up(array, inner, dtype, None, True) if inner else array
    for axis in axes:
        if axis not in inner:
            result = _in_parts(result, axis, dtype)
    shape = result.shape if keepdims else tuple(n for axis, n in enumerate(result.shape) if axis not in axes)
    return in_planes(result.reshape(shape))


def _by_product(array, axes, ones):
    """The sum along the last axis or along leading axes by products with ones; None if that is not applicable."""
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
            sums = _sums_of_columns(array.reshape(length, -1), ones)
            return None if sums is None else sums.reshape(shape[len(axes) :])
    return None


def _sums_of_rows(array, ones):
    """The sums of the rows of a matrix, which must not be too long."""
    length = array.shape[1]
    if length <= LONG and array.size <= ALONE:
        return array.dot(ones[:length])
    return np.vecdot(array, ones[:length])


def _sums_of_columns(array, ones):
    """The sums of columns; None if NumPy adds rows as fast. Few columns are added one element after the other."""
    length, width = array.shape
    step = min(ALONE // max(width, 1), LONG if width >= 16 else LONG // 4)
    if length <= step:
        return ones[:length].dot(array)
    if step < 16 or length > PARTS * step:
        return None
    pieces = [array[at : at + step] for at in range(0, length, step)]
    return xp.total(np.array([np.dot(ones[: len(piece)], piece) for piece in pieces]), 0)


def _with_dims_kept(result, axes, rank: int):
    if axes is None:
        return result.reshape((1,) * rank)
    if axes == rank - 1:
        return result[..., None]
    return result[(None,) * (1 if axes == 0 else len(axes))]


def _is_innermost(axis: int, axes: tuple, rank: int) -> bool:
    return all(axis_ in axes for axis_ in range(axis, rank))


def _all_of(flat, dtype):
    """The sum of the elements of a 1-d array."""
    if flat.dtype.kind == "b" and dtype in (None, np.int64):
        return np.int64(np.count_nonzero(flat))
    if flat.dtype.kind in "biu":  # these lose no digits
        return add_up(flat, 0, dtype)
    if dtype is not None or flat.dtype not in ONES:
        return _in_parts(flat, 0, dtype)[0]
    ones, length = ONES[flat.dtype], flat.size
    if length <= LONGEST:
        return np.dot(flat, ones[:length])
    whole = length - length % LONGEST
    result = _all_of(_sums_of_rows(flat[:whole].reshape(-1, LONGEST), ones), None)
    return result + np.dot(flat[whole:], ones[: length - whole]) if whole < length else result


def _in_parts(array, axis: int, dtype):
    length = array.shape[axis]
    if length <= 2 * PARTS:
        return add_up(array, axis, dtype, None, True)
    whole = length - length % PARTS
    before, after = array.shape[:axis], array.shape[axis + 1 :]
    along = (slice(None),) * axis
    parts = array[(*along, slice(whole))].reshape((*before, PARTS, whole // PARTS, *after))
    result = _in_parts(add_up(parts, axis, dtype), axis, dtype)
    return result + add_up(array[(*along, slice(whole, None))], axis, dtype, None, True) if whole < length else result


@primitive
def total_of_any(array, axes, dtype, keepdims: bool):
    """`total` for any dtype, in `dtype` if it is given.

    Otherwise half precision is added in float32 and rounded once, integers and bools in int64.
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
    """`total` of the elements that are not NaN.

    >>> total_of_numbers(np.array([1.0, np.nan, 4.0]), 0, None, False)
    array(5.)
    """
    return xp.total(np.where(array == array, array, np.zeros((), array.dtype)), axes, dtype, keepdims)


@primitive
def product(array, axes, dtype, keepdims: bool):
    """The product along axes, None for all; a long one in many columns at a time."""
    if axes is not None or array.size < MANY or not array.flags.c_contiguous:
        result = np.multiply.reduce(array, axes, dtype, None, keepdims)
        return result if result.ndim < 2 else in_planes(result)
    flat = array.reshape(-1)
    whole = flat.size - flat.size % COLUMNS
    columns = np.multiply.reduce(flat[:whole].reshape(-1, COLUMNS), 0, dtype)
    result = np.multiply.reduce(columns) * np.multiply.reduce(flat[whole:], None, dtype)
    return result.reshape((1,) * array.ndim) if keepdims else result


@primitive
def mean(array, axes=None, dtype=None, keepdims: bool = False):
    """The arithmetic mean along axes, None for all; NaN for no elements."""
    result = xp.total(array, axes, dtype, keepdims)
    size = result.size
    if not array.size:
        with np.errstate(invalid="ignore"):  # no warning for the mean of no elements
            return result / number_for(result, 0)
    return result / number_for(result, array.size / size) if size else result


def number_for(array, number: float):
    """Returns a Python number as the operand that is fastest with an array."""
    dtype = array.dtype
    return ARRAY_NUMBERS[dtype][number] if dtype in ONES else number


def _is_last(axes, array) -> bool:
    return axes == array.ndim - 1 or axes == -1


@primitive
def total_of_squares(array, axes, keepdims: bool):
    """The sum of the squared absolute values along axes, None for all."""
    if array.dtype.kind == "c" and array.flags.c_contiguous and array.ndim and (axes is None or _is_last(axes, array)):
        array = array.view(array.real.dtype)  # as pairs: BLAS would subtract products of infinite parts
    if isinstance(array, np.ndarray) and array.dtype.kind != "c":  # BLAS needs one pass, in registers
        if axes is None and not keepdims and array.flags.c_contiguous:
            return np.vdot(array, array)
        if _is_last(axes, array):
            result = np.vecdot(array, array, out=...)
            result = result if result.ndim < 2 else in_planes(result)
            return result[..., None] if keepdims else result
    squares = array.real**2 + array.imag**2 if array.dtype.kind == "c" else np.multiply(array, array)
    return xp.total(squares, axes, None, keepdims)


CLOSE = 2.0**28  # a variance this much less than the squared mean has lost digits to the rounding of the mean
LEAST = 1e-30  # below it, single-precision squares may have underflowed to zero, which changes the root of their sum
WIDER = {np.dtype("f"): np.dtype("d"), np.dtype("F"): np.dtype("D")}


def spread(array, axes, correction: float, keepdims: bool, root: bool) -> tuple:
    """Returns (variance or its root, mean) along axes, None for all.

    If squares leave the range of single precision, or deviations its digits, all is computed in double precision. For
    a few results, Python checks that faster than NumPy.
    """
    result, mean_ = xp.variance(array, axes, correction, keepdims)
    if not result.ndim:
        fits = result < math.inf and (not root or LEAST < result) and result * CLOSE >= abs(mean_) ** 2
    elif result.ndim == 1 and 0 < result.size <= 16:
        values = result.tolist()
        fits = sum(values) < math.inf and (not root or LEAST < min(values)) and is_precise(min(values), result, mean_)
    else:
        least = lowest(result) if result.size else math.inf
        fits = not result.size or (
            highest(result) < math.inf and (not root or LEAST < least) and is_precise(least, result, mean_)
        )
    if not fits and array.dtype in WIDER:
        wide = array.astype(WIDER[array.dtype])
        return _narrowed(*xp.variance(wide, axes, correction, keepdims), root, mean_)
    return np.sqrt(result) if root else result, mean_


def is_precise(least: float, variances, means) -> bool:
    """Whether no variance, of which the smallest is `least`, has lost digits to the rounding of its mean."""
    if means.dtype.kind == "f" and float(np.vdot(means, means)) <= least * CLOSE:  # one pass
        return True
    return bool((np.abs(means) <= np.sqrt(variances * CLOSE)).all())


def _narrowed(result, mean_, root: bool, like) -> tuple:
    """Converts results from double precision back to single precision."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.sqrt(result) if root else result
        return result.astype(like.real.dtype), mean_.astype(like.dtype)


@primitive
def variance(array, axes, correction: float, keepdims: bool) -> tuple:
    """Returns (variance, mean) along axes, None for all, in two passes: the mean, then the squared deviations."""
    if 0 < array.size <= FEW and array.dtype in ONES and type(array) is np.ndarray:  # `dot` has no rule without data
        if (small := variance_of_few(array, axes, correction)) is not None:
            return tuple([_with_dims_kept(x, axes, array.ndim) for x in small]) if keepdims else small
    mean_ = xp.mean(array, axes, None, True)
    result = xp.total_of_squares(array - mean_, axes, keepdims)
    if result.size:
        result = np.divide(result, number_for(result, max(array.size / result.size - correction, 0)))
    return result, mean_ if keepdims else mean_.reshape(result.shape)


def variance_of_few(array, axes, correction: float) -> tuple | None:
    """`variance` of a small array, or of rows or columns of a small matrix, by products with ones; None otherwise."""
    rank, row = array.ndim, ONES[array.dtype]
    if axes is None or rank == 1:
        array = array.ravel()
        length, ones = array.size, row[: array.size]
        mean_ = array.dot(ones) / number_for(array, length)
        array = array - mean_
        return array.dot(array) / number_for(array, max(length - correction, 0)), mean_
    if rank != 2 or not (axes == 0 or axes == 1 or axes == -1):
        return None
    length = array.shape[axes]
    ones = row[:length]
    mean_ = ones.dot(array) if axes == 0 else array.dot(ones)
    mean_ /= number_for(array, length)
    array = array - (mean_ if axes == 0 else mean_[:, None])
    result = ones.dot(np.multiply(array, array, array)) if axes == 0 else np.vecdot(array, array)
    result /= number_for(array, max(length - correction, 0))
    return result, mean_


@primitive
def logsumexp(array, axes, keepdims: bool):
    """The logarithm of the sum of exponentials along axes; the maximum is subtracted first to avoid overflow.

    In small arrays where none can overflow, exponentials are added directly, by a product with ones.
    """
    if 0 < array.size <= FEW and type(axes) is int and array.dtype in ONES and is_moderate(array):
        result = np.log(xp.total(np.exp(array), axes, None, keepdims))
        return result if result.ndim < 2 else in_planes(result)
    if not array.size:
        return np.log(np.add.reduce(np.exp(array), axes, None, None, keepdims))
    highest = np.maximum.reduce(array.real if array.dtype.kind == "c" else array, axes, None, None, True)
    highest = np.where(np.isfinite(highest), highest, 0.0)
    result = np.log(xp.total(np.exp(array - highest), axes, None, True)) + highest
    return in_planes(result) if keepdims else in_planes(np.squeeze(result, axes))


def vector_norm(array, order: float, axes, keepdims: bool):
    """`sum(|x|**order) ** (1 / order)` along axes, None for all; for 0, inf and -inf the limit."""
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


BOUND = 60  # neither exponentials nor sums of exponentials of values up to it are out of range


@primitive
def softmax(array, axis):
    """Exponentials divided by their sum along an axis; the maximum is subtracted first if any may overflow."""
    if not array.size or not array.ndim:
        return array - array + 1
    if not array.flags.c_contiguous:
        array = in_planes(array)  # PyTorch's results are contiguous
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
    # The logarithm of a sum of small values is small: it loses as many digits as subtracting the maximum.
    if not is_within(array, 8):
        array = array - np.maximum.reduce(array, axis, None, None, True)
    sums = along(np.exp(array), axis)
    return array - np.log(sums, sums)


def is_moderate(array) -> bool:
    """Whether exponentials and their sums are in range without subtracting the maximum."""
    if array.size <= ALONE:
        line = array.ravel()
        if line.dot(line) <= BOUND**2:
            return True
    return is_within(array, BOUND)


def highest(array):
    """The largest element; for a small array, NumPy finds its index in a third of the time of a reduction."""
    return array.item(array.argmax()) if array.size <= ALONE else np.maximum.reduce(array, None)


def lowest(array):
    """The smallest element, like `highest`."""
    return array.item(array.argmin()) if array.size <= ALONE else np.minimum.reduce(array, None)


def is_within(array, bound: float) -> bool:
    """Whether no absolute value exceeds a bound: two passes, instead of one for each row."""
    if array.size <= ALONE:
        return array.item(array.argmax()) <= bound and array.item(array.argmin()) >= -bound
    return np.maximum.reduce(array, None) <= bound and np.minimum.reduce(array, None) >= -bound


def is_between(array, low: float, high: float) -> bool:
    """Whether no element is outside of two bounds, or NaN."""
    return bool(lowest(array) >= low and highest(array) <= high)


class Squares(dict):
    """Square matrices of ones, of one dtype, by their length."""

    def __init__(self, dtype):
        super().__init__()
        self.kind = dtype

    def __missing__(self, length):
        matrix = self[length] = np.ones((length, length), self.kind)
        return matrix


SQUARES = {np.dtype(kind): Squares(kind) for kind in "fd"}
# Up to these sizes, a full array of sums is computed and used faster than one that is broadcast.
FEW, SHORT = 1 << 9, 32


def along(array, axis):
    """The sums along an axis, with size 1 there, or repeated along it.

    Sums of short rows are computed by a product, since NumPy starts a new loop for each row.
    """
    dtype, rank = array.dtype, array.ndim
    row = ONES.get(dtype)
    if row is None:
        return np.add.reduce(array, axis, None, None, True)
    if array.size <= FEW and rank <= 2 and (length := array.shape[axis]) <= SHORT:
        square = SQUARES[dtype][length]
        return array.dot(square) if axis == rank - 1 or axis == -1 else square.dot(array)
    if rank == 2 and array.size <= ALONE:
        length = array.shape[axis]
        if axis == 1 and length <= LONGEST:
            return array.dot(row[:length])[:, None]
        if axis == 0 and length <= LONG:
            return row[:length].dot(array)
    return np.add.reduce(array, axis, None, None, True)


def ones(length: int, dtype):
    """Returns an array of ones, which is read-only."""
    return ONES[dtype][:length] if length <= LONGEST and dtype in ONES else np.ones(length, dtype)


def xor_of_bits(array, axes, keepdims: bool):
    """The exclusive or of the bits of elements along axes, None for all, as float64 or int64."""
    wide = array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)
    return np.bitwise_xor.reduce(wide.view(np.uint64), axes, keepdims=keepdims)
