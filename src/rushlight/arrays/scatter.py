"""Gathering and accumulating by index on raw arrays: gather, scatter, index_add, put and the gradient of an embedding.

No argument is changed. An index out of range raises PyTorch's error; those of `put` and `indexed` may be negative. Half
precision is accumulated in float32 and rounded once; by `put`, and by `index_add` on a vector, it is rounded at every
step, as in PyTorch.
"""

import math
from functools import lru_cache

import numpy as np

from rushlight.arrays.convolution import widened
from rushlight.arrays.indexing import ALL, FEW, check_range, is_rare
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.tables import primitive, xp

ACCUMULATIONS = {
    "add": np.add,
    "sum": np.add,
    "multiply": np.multiply,
    "prod": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}

INTP = np.dtype(np.intp)
# Number of elements from which a sparse matrix product adds rows faster than NumPy.
MANY = 1 << 15


# Along one dimension


@primitive
def gather(input, dim, index):
    """`out[i, j] = input[i, index[i, j]]` for `dim` 1, and so on; the other dimensions of `index` may be shorter.

    >>> gather(np.array([[1, 2], [3, 4]]), 1, np.array([[1], [0]]))
    array([[2],
           [3]])
    """
    if index.ndim and is_rare(input, index.size):
        dim %= input.ndim
        check_range(index, input.shape[dim], dim)
        part = tuple([ALL if at == dim else slice(length) for at, length in enumerate(index.shape)])
        return np.ascontiguousarray(np.take_along_axis(input[part], index, dim))
    return input.reshape(-1).take(positions(index, input.shape, dim))


@primitive
def scatter(input, dim, index, source, reduce=None, include_self=True):
    """`out[i, index[i, j]] = source[i, j]` for `dim` 1, and so on, elsewhere `input`; `reduce` combines values.

    `source` is at least as long as `index` in each dimension, or 0-d. Without `reduce` the last value is kept. With
    `include_self` the element of `input` takes part in the reduction. The mean of integers rounds down.

    >>> scatter(np.array([1.0, 2.0]), 0, np.array([0, 0]), np.array([3.0, 5.0]), "mean")
    array([3., 2.])
    """
    if reduce == "mean":
        return mean_of_scattered(input, dim, index, source, include_self)
    where = positions(index, input.shape, dim).reshape(-1)
    values = source[tuple(map(slice, index.shape))] if source.shape != index.shape and source.ndim else source
    values = values.reshape(-1) if values.ndim else values
    if reduce is None:
        out = input.flatten()
        out[where] = values
        return out.reshape(input.shape)
    out = widened(input).flatten()
    if not include_self:
        out[where] = identity(reduce, out.dtype)
    ACCUMULATIONS[reduce].at(out, where, values.astype(out.dtype, copy=False))
    return out.reshape(input.shape).astype(input.dtype, copy=False)


def mean_of_scattered(input, dim, index, source, include_self):
    """`scatter` with "mean"; elements of the input without a source are unchanged."""
    wide = widened(input)
    start = wide if include_self else np.zeros_like(wide)
    total = xp.scatter(start, dim, index, widened(source), "sum")
    counts = np.full(input.shape, bool(include_self), np.int64)
    counts = xp.scatter(counts, dim, index, np.ones(index.shape, np.int64), "sum")
    return mean_of(total, counts, wide, include_self).astype(input.dtype, copy=False)


def mean_of(total, counts, wide, include_self):
    """Divides totals by counts; elements with count 0 are those of `wide`, unless `include_self`."""
    count = np.maximum(counts, 1).astype(wide.dtype)
    mean_ = total // count if wide.dtype.kind in "iu" else total / count
    return mean_ if include_self else np.where(counts == 0, wide, mean_)


@primitive
def index_add(input, dim, index, source, alpha=1):
    """Adds `alpha` times the slices of `source` along `dim` to the slices of `input` selected by the 1-d `index`.

    >>> index_add(np.zeros(3), 0, np.array([2, 2]), np.array([1.0, 4.0]))
    array([0., 0., 5.])
    """
    if not input.ndim:
        return xp.index_add(input.reshape(1), 0, index, source.reshape(1), alpha).reshape(())
    dim %= input.ndim
    index = index if index.dtype is INTP and index.ndim == 1 else index.reshape(-1).astype(np.intp)
    values = source if alpha == 1 else source * source.dtype.type(alpha)
    try:
        check_range(index, input.shape[dim], dim)
    except RuntimeError as error:
        raise error if input.ndim > 1 else IndexError("index out of range in self") from None
    wide = input
    if input.ndim > 1:
        wide, values = widened(input), widened(values)
    if not dim and input.ndim == 2:
        return xp.with_rows_added(wide, index, values).astype(input.dtype, copy=False)
    before, size, after = math.prod(input.shape[:dim]), input.shape[dim], math.prod(input.shape[dim + 1 :])
    if not dim:
        out = xp.with_rows_added(wide.reshape(size, after), index, values.reshape(index.size, after))
        return out.reshape(input.shape).astype(input.dtype, copy=False)
    table = wide.reshape(before, size, after).swapaxes(0, 1)  # (size, before, after)
    rows = values.reshape(before, index.size, after).swapaxes(0, 1)
    out = xp.with_rows_added(table.reshape(size, before * after), index, rows.reshape(index.size, before * after))
    out = np.ascontiguousarray(out.reshape(size, before, after).swapaxes(0, 1))
    return out.reshape(input.shape).astype(input.dtype, copy=False)


def positions(index, shape, dim):
    """Returns the flat index in `shape` for each element of `index`, which replaces the coordinate along `dim`.

    The result may be the index itself, so it is read-only.
    """
    if not shape:
        check_range(index, 1, 0)
        return index
    dim %= len(shape)
    check_range(index, shape[dim], dim)
    integers = index if index.dtype is INTP else index.astype(INTP)
    if len(shape) == 1:
        return integers
    # the cache must not take much memory
    step, offsets = (steps_of if index.size < MANY else steps_of.__wrapped__)(index.shape, shape, dim)
    return (integers if step == 1 else integers * ARRAY_NUMBERS[INTP][step]) + offsets


@lru_cache(maxsize=64)
def steps_of(index_shape, shape, dim):
    """Returns the flat step of the coordinate along `dim`, and the flat offsets of the other coordinates."""
    offsets = np.zeros((), np.intp)
    for axis, size in enumerate(index_shape):
        if axis != dim and size > 1:
            step = math.prod(shape[axis + 1 :])
            offsets = offsets + np.arange(0, size * step, step or 1).reshape(-1, *[1] * (len(index_shape) - 1 - axis))
    if math.prod(index_shape) <= FEW:  # NumPy adds arrays of one shape in half the time
        offsets = np.broadcast_to(offsets, index_shape).copy()
    return math.prod(shape[dim + 1 :]), offsets


def identity(reduce, dtype):
    """Returns the neutral element of a reduction, its start without the input's own element."""
    if reduce not in ("amax", "amin"):
        return ACCUMULATIONS[reduce].identity
    if dtype.kind in "fb":
        return (-np.inf if reduce == "amax" else np.inf) if dtype.kind == "f" else reduce == "amin"
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max


# Rows


def embedding_gradient(grad, indices, rows, padding_index=None, scale_by_frequency=False):
    """The gradient of a table (rows, width) for a lookup of `indices`, given the `grad` of the looked up rows.

    The row `padding_index` gets zero; with `scale_by_frequency` a row's gradient is divided by the number of lookups.

    >>> embedding_gradient(np.array([[1.0], [2.0], [4.0]]), np.array([0, 2, 2]), 3)
    array([[1.],
           [0.],
           [6.]])
    """
    index = indices.reshape(-1).astype(np.intp, copy=False)
    check_range(index, rows, 0, IndexError)
    values = widened(grad).reshape(index.size, grad.shape[-1])
    if padding_index is not None:
        kept = index != padding_index
        if not kept.all():
            index, values = index[kept], values[kept]
    out = xp.sum_of_rows(rows, index, values)
    if scale_by_frequency:
        out /= np.maximum(np.bincount(index, minlength=rows), 1).astype(out.dtype)[:, None]
    return out.astype(grad.dtype, copy=False)


@primitive
def add_scaled_rows(total, table, indices, factors, rows):
    """Adds the table's rows at `indices`, times their factors, to `total[rows]`; in place, in order.

    Without `rows`, row i is added to row i.

    >>> add_scaled_rows(np.zeros((1, 2)), np.eye(2), np.array([1, 0]), np.array([4.0, 2.0]), np.array([0, 0]))
    array([[2., 4.]])
    """
    values = table.take(indices, 0) * factors[:, None]
    total += values if rows is None else embedding_gradient(values, rows, len(total))
    return total


@primitive
def with_rows_added(table, index, values):
    """Copies `table` (rows, width), with each row of `values` (n, width) added to the row given by `index` (n,)."""
    if is_worth_sparse(values):
        out = xp.sum_of_rows(len(table), index, values)
        out += table
    else:
        out = table.copy()
        add_rows(out, index, values)
    return out


@primitive
def sum_of_rows(rows, index, values):
    """Returns an array (rows, width) of the sums of the `values` (n, width) whose `index` (n,) is each row."""
    if not is_worth_sparse(values):
        out = np.zeros((rows, values.shape[1]), values.dtype)
        add_rows(out, index, values)
        return out
    from scipy.sparse import csc_array

    real = np.ascontiguousarray(values).view(values.real.dtype)
    choice = csc_array((np.ones(len(index), real.dtype), index, np.arange(len(index) + 1)), (rows, len(index)))
    return (choice @ real).view(values.dtype)


def is_worth_sparse(values):
    return values.size >= MANY and values.shape[1] > 1 and values.dtype.kind in "fc" and values.itemsize >= 4


def add_rows(out, index, values):
    """Adds rows in place; `np.add.at` is fast for flat arrays only."""
    width = out.shape[1]
    where = index if width == 1 else index[:, None] * width + np.arange(width)
    np.add.at(out.reshape(-1), where.reshape(-1), values.reshape(-1))


# General indices


def add_at(array, key, values):
    """Adds values to the elements selected by index arrays, in place, once per occurrence.

    >>> x = np.zeros(3); add_at(x, (np.array([[0, 1], [0, 2]]),), np.array([1.0, 2.0])); x
    array([2., 2., 2.])
    """
    if array.ndim == 1 == values.ndim < key[0].ndim:  # NumPy reads beyond such values instead of repeating them
        values = np.broadcast_to(values, key[0].shape)
    np.add.at(array, key, values)


def indexed(input, index):
    """`input[index]` by PyTorch's rules: integers select first, and do not count as index arrays.

    `index` holds slices, None, Ellipsis, integers, and arrays of integers or bools; without arrays the result is a
    view.

    >>> indexed(np.zeros((2, 3, 4)), (0, slice(None), np.array([1, 2]))).shape
    (3, 2)
    """
    selection, rest = split(index)
    return input[selection][rest]


def put(input, index, source, accumulate=False):
    """`input` with `source` written to `input[index]`, or added with `accumulate`, also for repeated indices.

    `index` is as in `indexed`; `source` broadcasts to the selected elements.

    >>> put(np.zeros(3), np.array([1, 1, -1]), np.array([1.0, 2.0, 4.0]), accumulate=True)
    array([0., 3., 4.])
    """
    selection, rest = split(index)
    if not accumulate:
        out = input.copy()
        out[selection][rest] = source
        return out
    selection, rest, row_dims = without_whole_dims(selection, rest, input.ndim)
    table = input.reshape(math.prod(input.shape[:row_dims]), math.prod(input.shape[row_dims:]))
    row_indices = np.arange(len(table)).reshape(input.shape[:row_dims])[selection][rest]
    shape = (*row_indices.shape, *input.shape[row_dims:])
    values = source.astype(table.dtype, copy=False)
    values = np.broadcast_to(values.reshape(values.shape[max(0, values.ndim - len(shape)) :]), shape)
    return xp.with_rows_added(table, row_indices.reshape(-1), values.reshape(row_indices.size, table.shape[1])).reshape(
        input.shape
    )


def split(index):
    """Splits an index into two to apply in turn: the integers, then all other items."""
    selection, rest = [], []
    for item in index if isinstance(index, tuple) else (index,):
        if item is None:
            rest.append(item)
        elif item is Ellipsis:
            selection.append(item)
            rest.append(item)
        elif isinstance(item, slice):
            selection.append(slice(None))
            rest.append(item)
        else:
            array = np.asarray(item)
            if array.ndim == 0 and array.dtype.kind in "iu":
                selection.append(int(array))
            else:
                selection.extend([slice(None)] * (array.ndim if array.dtype.kind == "b" else 1))
                rest.append(array)
    return closed(selection), closed(rest)


def without_whole_dims(selection, rest, ndim):
    """Removes trailing whole dimensions from both indices; returns also the number of dimensions before them."""
    if selection[-1] is not Ellipsis or rest[-1] is not Ellipsis:
        return selection, rest, ndim
    selection, rest = list(selection[:-1]), list(rest[:-1])
    while (
        selection
        and rest
        and all(isinstance(part[-1], slice) and part[-1] == slice(None) for part in (selection, rest))
    ):
        selection.pop()
        rest.pop()
    return (*selection, Ellipsis), (*rest, Ellipsis), len(selection)


def closed(index):
    """Appends an Ellipsis, so that selecting one element gives a 0-d array and not a scalar."""
    return tuple(index) if any(item is Ellipsis for item in index) else (*index, Ellipsis)
