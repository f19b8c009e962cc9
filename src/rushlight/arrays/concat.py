"""Concatenation and rearrangement of raw arrays."""

from __future__ import annotations

from functools import lru_cache
from sys import getrefcount

import numpy as np
from numpy import ascontiguousarray

from rushlight.arrays.elementwise import FLOAT8_FINITE, narrowed
from rushlight.arrays.layouts import INSIDE, channels_are_last, channels_inside, channels_outside, in_planes
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.size_limits import refused
from rushlight.arrays.strided import axis, check_plane, diagonal, strided, within_corners
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.storage import address
from rushlight.core.strides import inverse, outermost_first
from rushlight.core.tables import primitive, xp


@primitive
def cat(arrays, dim):
    """Concatenates arrays along a dimension; empty vectors are ignored."""
    if type(dim) is int and type(arrays[0]) is np.ndarray:
        try:
            result = np.concatenate(arrays, dim)
            is_laid_out = result.flags.c_contiguous and (result.ndim not in INSIDE or 1 not in arrays[0].shape)
            return result if is_laid_out else joined_as(arrays, result)
        except ValueError:
            pass  # _cat_of_some finds the reason
    return _cat_of_some(arrays, dim)


def _cat_of_some(arrays, dim):
    """`cat` for lists with empty vectors next to other arrays. Raises PyTorch's errors if shapes do not match."""
    for at, array in enumerate(arrays):
        if not array.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {at}) cannot be concatenated")
    counted = [(at, array) for at, array in enumerate(arrays) if array.shape != (0,)] or list(enumerate(arrays))
    first = counted[0][1]
    if first.shape == (0,):
        return first.copy()  # only empty vectors, for any dimension
    dim = axis(dim, first.ndim)
    for at, array in counted[1:]:
        if array.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {array.ndim}")
        for dim_, (length, other_length) in enumerate(zip(first.shape, array.shape, strict=True)):
            if length != other_length and dim_ != dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {length} but got size "
                    f"{other_length} "
                    f"for tensor number {at} in the list."
                )
    return joined_as([array for _, array in counted], np.concatenate([array for _, array in counted], dim))


def joined_as(arrays, result):
    """Converts a concatenation to PyTorch's layout: channels last if all arrays are, else contiguous."""
    if not all([channels_are_last(array) for array in arrays]):
        return in_planes(result)
    return result if channels_are_last(result) else channels_outside(in_planes(channels_inside(result)))


@primitive
def stack_along(arrays, dim):
    """Stacks arrays of one shape along a new dimension."""
    shape = arrays[0].shape
    if dim == 0 and type(arrays[0]) is np.ndarray and (len(shape) not in INSIDE or arrays[0].flags.c_contiguous):
        try:
            result = np.array(arrays)  # a third of the time of np.stack
        except ValueError:
            pass  # the loop below finds the reason
        else:
            if result.shape[1:] == shape:
                return result
    for at, array in enumerate(arrays):
        if array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(array.shape)} at "
                f"entry {at}"
            )
    dim = axis(dim, len(shape) + 1)
    if dim == len(shape):
        return xp.cat([array[..., None] for array in arrays], dim)
    # Concatenated, then reshaped: channels last arrays stay so.
    return xp.cat(arrays, dim).reshape((*shape[:dim], len(arrays), *shape[dim:]))


def undivided(parts, dim, *, stacked: bool):
    """Returns the array whose consecutive parts along a dimension, or along a new one if `stacked`, these are.

    Returns None unless all are parts of one array's memory and there is no other reference to it: the caller may write
    to it.
    """
    if len(parts) < 2 or not all([type(part) is np.ndarray for part in parts]):
        return None
    first, base = parts[0], parts[0].base
    if type(base) is not np.ndarray or len(parts) * first.size != base.size or references(parts) - 1 > len(parts) + OWN:
        return None
    shape, strides, begin, step = first.shape, first.strides, address(first), address(parts[1]) - address(first)
    for index, part in enumerate(parts):
        if part.base is not base or part.shape != shape or part.strides != strides:
            return None
        if address(part) != begin + index * step:
            return None
    if stacked:
        return strided(first, (*shape[:dim], len(parts), *shape[dim:]), (*strides[:dim], step, *strides[dim:]))
    if step != strides[dim] * shape[dim]:
        return None
    return strided(first, (*shape[:dim], len(parts) * shape[dim], *shape[dim + 1 :]), strides)


def references(parts) -> int:
    """The number of references to the array behind some parts: theirs, the callers', and this function's."""
    base = parts[0].base
    return getrefcount(base)


OWN = references([*np.empty((2, 1))]) - 2


def block_diagonal(arrays):
    """Returns a matrix with arrays of at most two dimensions on its diagonal."""
    matrices = [np.atleast_2d(matrix) for matrix in arrays]
    shape = tuple(sum(matrix.shape[dim] for matrix in matrices) for dim in (0, 1))
    out = np.zeros_like(matrices[0], order="C", shape=shape)
    row = column = 0
    for matrix in matrices:
        height, width = matrix.shape
        out[row : row + height, column : column + width] = matrix
        row, column = row + height, column + width
    return out


def overwritten(array, source):
    """Returns a new array like `array` with the values of `source`, broadcast and cast."""
    out = np.empty_like(array)
    if source.dtype.kind == "c" and array.dtype.kind not in "cW":  # complex32 is of kind W
        source = source.real
    try:
        out[...] = narrowed(source, out.dtype) if out.dtype is FLOAT8_FINITE else source
    except ValueError:
        raise _unwritable(array, source) from None
    if source.ndim > array.ndim:
        raise _unwritable(array, source)
    return out


def _unwritable(array, source) -> RuntimeError:
    try:
        reached = np.broadcast_shapes(array.shape, source.shape)
    except ValueError:
        rank = max(array.ndim, source.ndim)
        first, second = ((1,) * (rank - x.ndim) + x.shape for x in (array, source))
        dim = max(at for at in range(rank) if first[at] != second[at] and 1 not in (first[at], second[at]))
        return RuntimeError(
            f"The size of tensor a ({first[dim]}) must match the size of tensor b ({second[dim]}) at "
            "non-singleton dimension "
            f"{dim}"
        )
    return RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(reached)}")


# ---- reversed and rotated


def distinct_axes(dims, rank: int) -> tuple:
    """Returns dimensions counted from the front. Raises RuntimeError if one is repeated."""
    axes = tuple([axis(dim, rank) for dim in dims])
    if len(set(axes)) < len(axes):
        repeated = next(axis_ for axis_ in axes if axes.count(axis_) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return axes if rank else ()


@primitive
def flipped(array, dims):
    """Copies an array with some dimensions reversed, in the memory order of the original."""
    reversed_axes = distinct_axes(dims, array.ndim)
    view = array[tuple([slice(None, None, -1) if dim in reversed_axes else slice(None) for dim in range(array.ndim)])]
    if array.flags.c_contiguous:
        return view.copy()
    order = outermost_first(array.shape, array.strides)
    return view.transpose(order).copy().transpose(inverse(order))


def rolled(array, shifts, dims):
    """Copies an array shifted cyclically along some dimensions, or as a flat array."""
    shifts = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and not (len(shifts) == 1 and not dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not array.size:
        return np.copy(array)  # for any dimensions
    if not dims:
        return _rolled_along(array.reshape(-1), shifts[0], 0).reshape(array.shape)
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    axes = [axis(dim, array.ndim) for dim in dims]
    for shift, axis_ in zip(shifts, axes, strict=True):
        array = _rolled_along(array, shift, axis_)
    return array


def _rolled_along(array, shift: int, axis_: int):
    first = -shift % array.shape[axis_]
    before = (slice(None),) * axis_
    return xp.cat((array[(*before, slice(first, None))], array[(*before, slice(first))]), axis_)


def rotated(array, quarters, dims):
    """Rotates an array by quarter turns in the plane of two dimensions; a copy."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if array.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {array.ndim}")
    if axis(dims[0], array.ndim) == axis(dims[1], array.ndim):
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    quarters %= 4
    if quarters % 2 == 0:
        return xp.flipped(array, dims) if quarters else in_other_order(array)
    return xp.flipped(array, dims[1:] if quarters == 1 else dims[:1]).swapaxes(*dims)


def tiled(array, repeats):
    """Copies an array `repeats` times along each dimension; counts before the array's dimensions make new ones."""
    new = len(repeats) - array.ndim
    lengths, steps, sizes = [], [], []  # of a view that repeats with strides of 0, and of the result
    for count, length, step in zip(repeats, (1,) * new + array.shape, (0,) * new + array.strides, strict=True):
        lengths += count, length
        steps += 0, step
        sizes.append(count * length)
    try:
        return in_other_order(strided(array, lengths, steps)).reshape(sizes)
    except ValueError as error:
        raise refused(error, sizes, array.dtype.itemsize) from None


def in_other_order(view):
    """Copies a view to contiguous memory; there is a kernel for large ones."""
    if view.flags.c_contiguous or isinstance(view, MetaArray):
        return view.copy()
    return ascontiguousarray(view)


# ---- triangles and diagonals


def check_matrices(name: str, array) -> None:
    """Raises unless an array has at least two dimensions."""
    if array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@primitive
def tril(m, k=0):
    """The lower triangles of matrices, like NumPy's function of that name."""
    rows, columns = m.shape[-2:]
    return in_planes(np.where(lower(rows, columns, within_corners(rows, columns, k)), m, ARRAY_NUMBERS[m.dtype].zero))


@primitive
def triu(m, k=0):
    """The upper triangles of matrices, like NumPy's function of that name."""
    rows, columns = m.shape[-2:]
    above = lower(rows, columns, within_corners(rows, columns, k) - 1)
    return in_planes(np.where(above, ARRAY_NUMBERS[m.dtype].zero, m))


def lower(rows: int, columns: int, diagonal: int):
    """Returns the mask of the lower triangle of a matrix; small masks are cached."""
    return (_mask if rows * columns < SMALL else _mask.__wrapped__)(rows, columns, diagonal)


SMALL = 1 << 14  # elements


@lru_cache(32)
def _mask(rows: int, columns: int, diagonal: int):
    return np.tri(rows, columns, diagonal, np.bool_)


def along_diagonal(array, shape):
    """Returns a matrix of zeros with a 0-d array repeated along its diagonal."""
    out = np.zeros_like(array, shape=shape)
    diagonal(out, 0, 0, 1)[...] = array
    return out


def diagonal_matrices(array, offset, dim1, dim2):
    """Returns matrices of zeros, in two new dimensions, with the last dimension of `array` on a diagonal."""
    rank = array.ndim + 1
    check_plane(rank, dim1, dim2)
    size = array.shape[-1] + abs(offset)
    rest = list(array.shape[:-1])
    shape = [0] * rank
    for dim in range(rank):
        shape[dim] = size if dim in (axis(dim1, rank), axis(dim2, rank)) else rest.pop(0)
    out = np.zeros_like(array, shape=tuple(shape))
    diagonal(out, offset, dim1, dim2)[...] = array
    return out
