"""Plans for argmin/argmax along axes: which kernel (rows or columns), and in which axis order.

An array that is only transposed is scanned in memory order along one of its axes, and the smaller result is transposed
back; this does not change which of equal elements is first along one axis. Arrays with gaps or broadcast axes are
copied first, which costs one read.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.core.policy import LAID
from rushlight.core.strides import inverse
from rushlight.kernels.arguments import packed
from rushlight.kernels.reduce_calls import NARROW

MOST = 1 << 24  # elements; larger arrays are not copied


class Plan(NamedTuple):
    """An array as (before, length, after) around the reduced axes, and the shape of the result."""

    sizes: tuple[int, int, int]
    shape: tuple[int, ...]
    columns: bool


@lru_cache(maxsize=1024)
def planned(shape: tuple[int, ...], axes, keepdims: bool) -> Plan | None:
    """Returns the plan if the axes (None: all) are adjacent and reduce more than one element."""
    sizes = split(shape, axes)
    if (sizes[2] != 1 and sizes[2] < NARROW) or sizes[1] < 2:
        return None
    return Plan(sizes, kept(shape, axes, keepdims), sizes[2] != 1)


def split(shape, axes) -> tuple[int, int, int]:
    """Returns (before, length, after) for the axes (None: all); length is 1 if they are not adjacent."""
    first, last = ends(axes, len(shape))
    return math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])


@lru_cache(maxsize=256)
def ends(axes, rank: int) -> tuple[int, int]:
    """Returns the first and last of adjacent axes (None: all); otherwise a pair that spans nothing."""
    if axes is None:
        return 0, rank - 1
    dims = sorted(x % rank for x in as_tuple(axes))
    neighbours = dims and dims == list(range(dims[0], dims[-1] + 1))
    return (dims[0], dims[-1]) if neighbours else (rank, rank - 1)


def kept(shape, axes, keepdims: bool) -> tuple:
    """Returns the shape of the result."""
    reduced = range(len(shape)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    dropped = {x % len(shape) for x in reduced}
    return tuple(1 if dim in dropped else n for dim, n in enumerate(shape) if keepdims or dim not in dropped)


# ---- other memory orders


class Laid(NamedTuple):
    """An array with its axes in memory order, the reduced axes there, and the shape of the result."""

    array: np.ndarray
    axes: int | tuple[int, ...] | None
    order: tuple[int, ...] | None
    shape: tuple[int, ...]

    def restore(self, result):
        """Returns a keepdims result with the axes in their own order."""
        if self.order is not None:
            result = packed(result.transpose(inverse(self.order)))
        return result.reshape(self.shape)


def laid_out(array, axes, keepdims: bool) -> Laid | None:
    """Returns how to scan an array that is not in C order; None to leave it to NumPy."""
    if array.size < LAID or not array.flags.aligned:
        return None
    shape = kept(array.shape, axes, keepdims)
    order = in_memory(array.shape, array.strides)
    if order is not None and type(axes) is int:
        in_memory_order, axis = array.transpose(order), order.index(axes % array.ndim)
        if in_memory_order.flags.c_contiguous and planned(in_memory_order.shape, axis, True) is not None:
            return Laid(in_memory_order, axis, order, shape)
    if array.size > MOST or planned(array.shape, axes, keepdims) is None:
        return None
    return Laid(packed(array), axes, None, shape)


@lru_cache(maxsize=1024)
def in_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the axes by decreasing stride; None if a stride is zero or negative."""
    if min(strides) <= 0:
        return None
    return tuple(sorted(range(len(shape)), key=lambda dim: (-strides[dim], shape[dim] != 1)))


def as_tuple(axes) -> tuple[int, ...]:
    return axes if isinstance(axes, tuple) else (axes,)
