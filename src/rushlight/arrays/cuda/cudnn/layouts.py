"""Where the elements of operands and results are, as cuDNN takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rushlight.arrays.layouts import channels_inside, channels_outside

BYTES = 16  # arrays begin at multiples of so many bytes: cuDNN's kernels read as many at once


class Layout(NamedTuple):
    """The layout of one operand; its strides count elements."""

    shape: tuple
    strides: tuple
    dtype: str
    by_value: bool  # a number in the memory of the CPU, which is read when the call is queued


def layout_of(array: Any) -> Layout:
    """Returns the layout of an array of the device, or of the CPU for a number that is passed by value."""
    size = array.dtype.itemsize
    strides = tuple(step // size for step in array.strides)
    return Layout(tuple(array.shape), strides, array.dtype.name, isinstance(array, np.ndarray))


def is_aligned(array: Any) -> bool:
    """Whether an array begins where cuDNN can read it; a view may not."""
    return array.data.ptr % BYTES == 0


def aligned(array: Any) -> Any:
    """Returns an array that begins where cuDNN can read it: itself, or a copy in the same layout."""
    return array if is_aligned(array) else array.copy("K")


def is_dense(array: Any) -> bool:
    """Whether an array is contiguous, or its channels are the innermost dimension."""
    order = (0, *range(2, array.ndim), 1)
    return array.flags.c_contiguous or array.transpose(order).flags.c_contiguous


def spread(array: Any) -> Any:
    """Returns lines as images of one row: cuDNN's operators of images have at least two dimensions."""
    return array.reshape(*array.shape[:2], 1, array.shape[2]) if array.ndim == 3 else array


def compact(cupy: Any, array: Any, channels_last: bool) -> Any:
    """Returns an aligned array without gaps, in order or with its channels last; itself if it is one."""
    if channels_last:
        return channels_outside(aligned(cupy.ascontiguousarray(channels_inside(array))))
    return aligned(cupy.ascontiguousarray(array))


def empty_as(cupy: Any, array: Any, channels_last: bool) -> Any:
    """Returns an array of the same shape and dtype, without gaps, in order or with its channels last."""
    if channels_last:
        return channels_outside(cupy.empty(channels_inside(array).shape, array.dtype))
    return cupy.empty(array.shape, array.dtype)
