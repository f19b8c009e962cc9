"""Writes or adds to the elements of an array that an index or a mask selects, in place: the common, small cases.

The array that is written is in C order, of any size, and shares no memory with the other arguments. Arguments that do
not fit, rare cases and large indices raise before anything is written. `scatter.py` and `index_put.py` handle all
cases, out of place, and have PyTorch's messages.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rushlight.arrays.elementwise import element
from rushlight.arrays.indexing import ALL
from rushlight.arrays.reduce import highest
from rushlight.arrays.scatter import ACCUMULATIONS, INTP, MANY, add_at, steps_of
from rushlight.core.determinism import DETERMINISM
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

UINTP = np.dtype(np.uintp)


# ---- along one dimension, by an index of the source's shape


@primitive
def scatter_into(array, dim, index, source=None, value=None, reduce=None) -> None:
    """Writes an array or a scalar where `index` points along a dimension; `source` is cut to the shape of `index`.

    >>> x = np.zeros(3); scatter_into(x, 0, np.array([2, 0]), np.array([4.0, 5.0])); x
    array([5., 0., 4.])
    """
    if reduce is not None:
        raise TypeError
    positions = positions_along(array, dim, index)
    if value is None and type(source) is np.ndarray:
        array.reshape(-1)[positions] = part_of(array, source, index.shape)
    else:
        array.reshape(-1)[positions] = number_of(array, source if value is None else value)


@primitive
def scatter_add_into(array, dim, index, source) -> None:
    """Adds an array where `index` points along a dimension."""
    xp.scatter_reduce_into(array, dim, index, source, "sum")


@primitive
def scatter_reduce_into(array, dim, index, source, reduce, include_self=True) -> None:
    """Reduces an array into the elements where `index` points: "sum", "prod", "amax" or "amin"; KeyError for "mean"."""
    if not include_self or array.dtype.kind == "b":
        raise TypeError
    positions, values = positions_along(array, dim, index), part_of(array, source, index.shape)
    ACCUMULATIONS[reduce].at(array.reshape(-1), positions.reshape(-1), values.reshape(-1))


def positions_along(array, dim: int, index):
    """Returns the flat position for each element of an index, read-only. Raises IndexError if one is out of range."""
    refuse_many(index.size)
    step, others, length = steps_that_fit(index.shape, array.shape, dim)
    check_positions(index, length)
    if array.ndim == 1:
        return index
    return (index if step == 1 else index * ARRAY_NUMBERS[INTP][step]) + others


def refuse_many(count: int) -> None:
    """Raises IndexError for many positions: kernels are faster, and the cache of steps stays small."""
    if count >= MANY:
        raise IndexError


@lru_cache(maxsize=256)
def steps_that_fit(index_shape: tuple, shape: tuple, dim: int) -> tuple:
    """Returns the steps of `scatter.steps_of` and the size of the dimension. Raises IndexError if shapes do not fit."""
    if type(dim) is not int or len(index_shape) != len(shape) or not -len(shape) <= dim < len(shape):
        raise IndexError
    dim %= len(shape)
    if any([size > shape[axis] and axis != dim for axis, size in enumerate(index_shape)]) or 0 in index_shape:
        raise IndexError
    return *steps_of(index_shape, shape, dim), shape[dim]


def check_positions(index, length: int) -> None:
    """Raises IndexError for positions out of range."""
    if index.dtype is not INTP:
        raise IndexError
    if highest(index.view(UINTP)) >= length:  # as unsigned, negative positions are the largest
        raise IndexError


def fitted(array, source, shape: tuple):
    """Returns `source`. Raises TypeError if its dtype is not the array's, ValueError if its shape is not `shape`."""
    if source.dtype is not array.dtype:
        raise TypeError
    if source.shape != shape:
        raise ValueError
    return source


def part_of(array, source, shape: tuple):
    """Returns the part of a source that has the shape of the index. Raises as `fitted`."""
    if source.shape != shape and source.ndim == len(shape):
        source = source[tuple(map(slice, shape))]
    return fitted(array, source, shape)


def number_of(array, value):
    """Returns a scalar, or a 0-d array, as a 0-d array of the array's dtype. Raises if it does not fit."""
    if type(value) is np.ndarray:
        return fitted(array, value, ())
    return element(value, array.dtype)


# ---- slices, by a vector


@primitive
def index_add_into(array, dim, index, source, alpha=1) -> None:
    """Adds `alpha` times the slices of `source` to the slices that a vector selects along a dimension."""
    if array.dtype.kind == "b":
        raise TypeError
    positions, values = positions_of_slices(array, dim, index, source), source.reshape(-1)
    np.add.at(array.reshape(-1), positions.reshape(-1), values if alpha == 1 else values * element(alpha, array.dtype))


@primitive
def index_copy_into(array, dim, index, source) -> None:
    """Writes slices of `source` over those that a vector selects along a dimension; any number if that is the first."""
    if source.dtype is not array.dtype:
        raise TypeError
    if type(dim) is not int or index.ndim != 1 or not -array.ndim <= dim < array.ndim:
        raise IndexError
    dim %= array.ndim
    if dim:
        refuse_many(source.size)
    if source.shape != (*array.shape[:dim], *index.shape, *array.shape[dim + 1 :]):
        raise ValueError
    check_positions(index, array.shape[dim])
    array[(ALL,) * dim + (index,)] = source


def positions_of_slices(array, dim: int, index, source):
    """Returns the flat position for each element of `source`, read-only. Raises if arguments do not fit."""
    step, others, _, spread = steps_to_slices(array, dim, index, source)
    if array.ndim == 1:
        return index
    return (index if step == 1 else index * ARRAY_NUMBERS[INTP][step]).reshape(spread) + others


def steps_to_slices(array, dim: int, index, source) -> tuple:
    """Returns the steps of `steps_of_slices`. Raises if arguments do not fit."""
    if source.dtype is not array.dtype:
        raise TypeError
    refuse_many(source.size)
    steps = steps_of_slices(index.shape, source.shape, array.shape, dim)
    check_positions(index, steps[2])
    return steps


@lru_cache(maxsize=256)
def steps_of_slices(index_shape: tuple, source_shape: tuple, shape: tuple, dim: int) -> tuple:
    """Returns the result of `steps_that_fit`, and the shape that broadcasts a vector along the dimension."""
    step, others, length = steps_that_fit(source_shape, shape, dim)
    before, after = shape[: dim % len(shape)], shape[dim % len(shape) + 1 :]
    if len(index_shape) != 1 or source_shape != (*before, *index_shape, *after):
        raise IndexError
    return step, others, length, (*(1,) * len(before), -1, *(1,) * len(after))


@primitive
def index_fill_into(array, dim, index, value) -> None:
    """Writes a scalar over the slices that a vector, which may be negative, selects along a dimension."""
    rank = array.ndim
    if index.dtype is not INTP or index.ndim != 1 or type(dim) is not int or not -rank <= dim < rank:
        raise IndexError
    array[(ALL,) * (dim % rank) + (index,)] = number_of(array, value)


# ---- by flat positions, several indices, and masks


@primitive
def put_into(array, index, source, accumulate=False) -> None:
    """Writes an array to positions of the flat array, or adds it there.

    >>> x = np.zeros((2, 2)); put_into(x, np.array([3, 0]), np.array([4.0, 5.0])); x
    array([[5., 0.],
           [0., 4.]])
    """
    if source.dtype is not array.dtype or index.dtype is not INTP or (accumulate and array.dtype.kind == "b"):
        raise TypeError
    if DETERMINISM.wanted and not accumulate:
        raise TypeError  # refused, with a message, by the general function
    if source.size != index.size or not index.size:
        raise ValueError
    refuse_many(index.size)
    check_positions(index, array.size)
    if accumulate:
        np.add.at(array.reshape(-1), index.reshape(-1), source.reshape(-1))
    else:
        array.reshape(-1)[index.reshape(-1)] = source.reshape(-1)


@primitive
def index_put_into(array, indices, values, accumulate=False) -> None:
    """Writes values where index arrays select together, or adds them there.

    >>> x = np.zeros(3); index_put_into(x, (np.array([1, 1]),), np.array([2.0, 3.0]), True); x
    array([0., 5., 0.])
    """
    if values.dtype is not array.dtype:
        raise TypeError
    key = tuple(indices)
    if not all([index.dtype is INTP and index.ndim for index in key]):
        raise IndexError
    refuse_many(max([values.size, *[index.size for index in key]]))
    if not accumulate:
        array[key] = values
    elif array.dtype.kind == "b":
        raise TypeError
    else:
        add_at(array, key, values)


@primitive
def fill_where(array, mask, value) -> None:
    """Writes a scalar where a mask of the array's shape is true; the array may have any layout."""
    if mask.dtype.char != "?":
        raise TypeError
    array[mask] = value


@primitive
def masked_scatter_into(array, mask, source) -> None:
    """Writes the first elements of `source`, in order, where a mask of the array's shape is true."""
    refuse_many(mask.size)
    if mask.dtype.char != "?" or mask.shape != array.shape or source.dtype is not array.dtype:
        raise TypeError
    count = np.count_nonzero(mask)
    if source.size < count:
        raise ValueError
    array[mask] = source.reshape(-1)[:count]
