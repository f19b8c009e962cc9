"""Raw arrays put together, and their elements put elsewhere."""

from __future__ import annotations

from functools import lru_cache
from sys import getrefcount

import numpy as np
from numpy import ascontiguousarray

from rushlight.arrays.elementwise import FLOAT8_FINITE, narrowed
from rushlight.arrays.layouts import INSIDE, channels_are_last, channels_inside, channels_outside, in_planes
from rushlight.arrays.meta import MetaArray
from rushlight.arrays.strided import axis, check_plane, diagonal, strided, within_corners
from rushlight.core.numbers import ARRAY_NUMBERS
from rushlight.core.storage import address
from rushlight.core.strides import inverse, outermost_first
from rushlight.core.tables import primitive, xp


@primitive
def cat(arrays, dim):
    """Arrays one behind the other along a dimension; empty vectors count for nothing."""
    if type(dim) is int and type(arrays[0]) is np.ndarray:
        try:
            found = np.concatenate(arrays, dim)
            known = found.flags.c_contiguous and (found.ndim not in INSIDE or 1 not in arrays[0].shape)
            return found if known else joined_as(arrays, found)
        except ValueError:
            pass  # what follows finds out why
    return _cat_of_some(arrays, dim)


def _cat_of_some(arrays, dim):
    """`cat` where empty vectors stand beside arrays of other shapes. Raises PyTorch's errors for what does not fit."""
    for at, each in enumerate(arrays):
        if not each.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {at}) cannot be concatenated")
    counted = [(at, each) for at, each in enumerate(arrays) if each.shape != (0,)] or list(enumerate(arrays))
    first = counted[0][1]
    if first.shape == (0,):
        return first.copy()  # nothing but empty vectors, whatever the dimension
    dim = axis(dim, first.ndim)
    for at, each in counted[1:]:
        if each.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {each.ndim}")
        for place, (length, other) in enumerate(zip(first.shape, each.shape, strict=True)):
            if length != other and place != dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {length} but got size "
                    f"{other} "
                    f"for tensor number {at} in the list."
                )
    return joined_as([each for _, each in counted], np.concatenate([each for _, each in counted], dim))


def joined_as(arrays, found):
    """What arrays were joined to, as PyTorch lays it out: channels come last if they do in all, or nothing does."""
    if not all([channels_are_last(each) for each in arrays]):
        return in_planes(found)
    return found if channels_are_last(found) else channels_outside(in_planes(channels_inside(found)))


@primitive
def stack_along(arrays, dim):
    """Arrays of one shape beside each other along a new dimension."""
    shape = arrays[0].shape
    if dim == 0 and type(arrays[0]) is np.ndarray and (len(shape) not in INSIDE or arrays[0].flags.c_contiguous):
        try:
            found = np.array(arrays)  # a third of the time of np.stack
        except ValueError:
            pass  # what follows finds out why
        else:
            if found.shape[1:] == shape:
                return found
    for at, each in enumerate(arrays):
        if each.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(each.shape)} at "
                f"entry {at}"
            )
    dim = axis(dim, len(shape) + 1)
    if dim == len(shape):
        return xp.cat([each[..., None] for each in arrays], dim)
    # One behind the other, and then told apart: so channels stay last where they are.
    return xp.cat(arrays, dim).reshape((*shape[:dim], len(arrays), *shape[dim:]))


def undivided(parts, dim, *, stacked: bool):
    """The array whose parts these are, one behind the other along a dimension or, `stacked`, along a new one.

    None unless they are all of one array's memory and nothing else refers to that: whoever gets the whole may write.
    """
    if len(parts) < 2 or not all([type(each) is np.ndarray for each in parts]):
        return None
    first, base = parts[0], parts[0].base
    if type(base) is not np.ndarray or len(parts) * first.size != base.size or references(parts) - 1 > len(parts) + OWN:
        return None
    shape, strides, begin, step = first.shape, first.strides, address(first), address(parts[1]) - address(first)
    for number, each in enumerate(parts):
        if each.base is not base or each.shape != shape or each.strides != strides:
            return None
        if address(each) != begin + number * step:
            return None
    if stacked:
        return strided(first, (*shape[:dim], len(parts), *shape[dim:]), (*strides[:dim], step, *strides[dim:]))
    if step != strides[dim] * shape[dim]:
        return None
    return strided(first, (*shape[:dim], len(parts) * shape[dim], *shape[dim + 1 :]), strides)


def references(parts) -> int:
    """How many refer to the array behind some parts: these, whoever knows it, and this function."""
    base = parts[0].base
    return getrefcount(base)


OWN = references([*np.empty((2, 1))]) - 2


def block_diagonal(arrays):
    """A matrix with arrays of at most two dimensions on its diagonal."""
    matrices = [np.atleast_2d(each) for each in arrays]
    shape = tuple(sum(each.shape[dim] for each in matrices) for dim in (0, 1))
    out = np.zeros_like(matrices[0], order="C", shape=shape)
    row = column = 0
    for each in matrices:
        height, width = each.shape
        out[row : row + height, column : column + width] = each
        row, column = row + height, column + width
    return out


def overwritten(array, source):
    """A new array like `array` with the values of `source`, broadcast and cast."""
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
        first, second = ((1,) * (rank - each.ndim) + each.shape for each in (array, source))
        dim = max(at for at in range(rank) if first[at] != second[at] and 1 not in (first[at], second[at]))
        return RuntimeError(
            f"The size of tensor a ({first[dim]}) must match the size of tensor b ({second[dim]}) at "
            "non-singleton dimension "
            f"{dim}"
        )
    return RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(reached)}")


# ---- turned round


def distinct_axes(dims, rank: int) -> tuple:
    """Dimensions counted from the front. Raises RuntimeError if one is named twice."""
    found = tuple([axis(dim, rank) for dim in dims])
    if len(set(found)) < len(found):
        double = next(each for each in found if found.count(each) > 1)
        raise RuntimeError(f"dim {double} appears multiple times in the list of dims")
    return found if rank else ()


@primitive
def flipped(array, dims):
    """A copy with the order along some dimensions reversed, which lie in memory as they did."""
    named = distinct_axes(dims, array.ndim)
    view = array[tuple([slice(None, None, -1) if dim in named else slice(None) for dim in range(array.ndim)])]
    if array.flags.c_contiguous:
        return view.copy()
    order = outermost_first(array.shape, array.strides)
    return view.transpose(order).copy().transpose(inverse(order))


def rolled(array, shifts, dims):
    """A copy shifted round along some dimensions, or as a whole."""
    shifts = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and not (len(shifts) == 1 and not dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not array.size:
        return np.copy(array)  # whatever the dimensions
    if not dims:
        return _rolled_along(array.reshape(-1), shifts[0], 0).reshape(array.shape)
    if not array.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    places = [axis(dim, array.ndim) for dim in dims]
    for shift, place in zip(shifts, places, strict=True):
        array = _rolled_along(array, shift, place)
    return array


def _rolled_along(array, shift: int, place: int):
    first = -shift % array.shape[place]
    before = (slice(None),) * place
    return xp.cat((array[(*before, slice(first, None))], array[(*before, slice(first))]), place)


def turned(array, quarters, dims):
    """A copy turned by quarters in the plane of two dimensions."""
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
    """A copy so many times along each dimension; counts in front of the array's dimensions make new ones."""
    new = len(repeats) - array.ndim
    lengths, steps, sizes = [], [], []  # of a view that repeats by steps of 0, and of the result
    for count, length, step in zip(repeats, (1,) * new + array.shape, (0,) * new + array.strides, strict=True):
        lengths += count, length
        steps += 0, step
        sizes.append(count * length)
    return in_other_order(strided(array, lengths, steps)).reshape(sizes)


def in_other_order(view):
    """A copy of a view in the order of its dimensions, which large ones have a kernel for."""
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
    """The lower triangles of matrices, as NumPy's function of that name gives them."""
    rows, columns = m.shape[-2:]
    return in_planes(np.where(lower(rows, columns, within_corners(rows, columns, k)), m, ARRAY_NUMBERS[m.dtype].zero))


@primitive
def triu(m, k=0):
    """The upper triangles of matrices, likewise."""
    rows, columns = m.shape[-2:]
    above = lower(rows, columns, within_corners(rows, columns, k) - 1)
    return in_planes(np.where(above, ARRAY_NUMBERS[m.dtype].zero, m))


def lower(rows: int, columns: int, diagonal: int):
    """Where the lower triangle of a matrix is; the masks of small ones are kept."""
    return (_mask if rows * columns < SMALL else _mask.__wrapped__)(rows, columns, diagonal)


SMALL = 1 << 14  # elements


@lru_cache(32)
def _mask(rows: int, columns: int, diagonal: int):
    return np.tri(rows, columns, diagonal, np.bool_)


def along_diagonal(array, shape):
    """A matrix of zeros with an array that has no dimensions all along its diagonal."""
    out = np.zeros_like(array, shape=shape)
    diagonal(out, 0, 0, 1)[...] = array
    return out


def diagonal_matrices(array, offset, dim1, dim2):
    """Matrices of zeros, in two new dimensions, with the last dimension of `array` on a diagonal."""
    rank = array.ndim + 1
    check_plane(rank, dim1, dim2)
    size = array.shape[-1] + abs(offset)
    rest = list(array.shape[:-1])
    shape = [0] * rank
    for place in range(rank):
        shape[place] = size if place in (axis(dim1, rank), axis(dim2, rank)) else rest.pop(0)
    out = np.zeros_like(array, shape=tuple(shape))
    diagonal(out, offset, dim1, dim2)[...] = array
    return out
