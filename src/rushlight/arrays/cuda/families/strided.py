"""Views of memory of the device: `as_strided`, which checks nothing, from the array that owns the memory."""

from __future__ import annotations

import numpy as np

from rushlight.arrays.strided import check_plane, counted, within_corners


def strided(array, shape, strides, offset=0):
    """Returns a view of the memory behind `array`; strides and offset are in bytes, from its first element."""
    size = array.itemsize
    if not offset:
        return np.lib.stride_tricks.as_strided(array, tuple(shape), tuple(strides))
    memory, start = whole(array)
    return np.lib.stride_tricks.as_strided(memory[start + offset // size :], tuple(shape), tuple(strides))


def whole(array) -> tuple:
    """Returns all memory behind an array in one dimension, and the place of its first element in it."""
    memory = owner(array)
    memory = memory if memory.flags.c_contiguous else flat(memory)
    memory = memory.reshape(-1)
    start = address(array) - address(memory)
    if memory.dtype != array.dtype:
        memory = memory.view(array.dtype)
    return memory, start // array.itemsize


def owner(array):
    """Returns the array that owns the memory."""
    while array.base is not None:
        array = array.base
    return array


def flat(root):
    """Returns memory as a 1-d view, in its own order."""
    order = sorted(range(root.ndim), key=lambda axis: -root.strides[axis])
    return root.transpose(order).reshape(-1, copy=False)


def address(array) -> int:
    """Returns the address of the first element on the device."""
    return array.data.ptr


def unmarked(array):
    """Returns the same memory as CuPy's own class."""
    return array.view()


def marked(result, array):
    """Returns a view: the backend gives it the class of the arrays of tensors."""
    return result


def diagonal(array, offset, dim1, dim2):
    """Returns the diagonals of the matrices in two dimensions, as a last dimension; CuPy's can be written to."""
    check_plane(array.ndim, dim1, dim2)
    offset = within_corners(array.shape[dim1], array.shape[dim2], counted(offset))
    return array.diagonal(offset, dim1, dim2)


def write_flat(out, indices, value):
    """Writes a value to the elements of `out` at flat indices `indices`, counted from 1; 0 is no element."""
    reached = indices > 0
    positions = np.unravel_index(indices[reached] - 1, out.shape)
    out[positions] = np.broadcast_to(value, indices.shape)[reached]
