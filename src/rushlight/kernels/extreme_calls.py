"""How positions of extremes are found along axes: in lines or in columns, and in which order of an array's dimensions.

An array whose dimensions are only in another order than memory is gone through as it lies, along an axis of memory, and
what is found is brought back, which is less. Which of equal elements comes first does not change along one axis. What
has gaps or repeats itself is copied first, which takes as long as to read it once.
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

MOST = 1 << 24  # elements that are copied for this: of more, the memory counts


class Plan(NamedTuple):
    """An array as (before, length, after) of what is reduced, and the shape of the result."""

    sizes: tuple[int, int, int]
    shape: tuple[int, ...]
    columns: bool


@lru_cache(maxsize=1024)
def planned(shape: tuple[int, ...], axes, keepdims: bool) -> Plan | None:
    """The plan if the axes, None for all, are neighbours, and what is reduced is more than one element."""
    sizes = split(shape, axes)
    if (sizes[2] != 1 and sizes[2] < NARROW) or sizes[1] < 2:
        return None
    return Plan(sizes, kept(shape, axes, keepdims), sizes[2] != 1)


def split(shape, axes) -> tuple[int, int, int]:
    """(before, length, after) of the axes, None for all; the length is 1 if they are not neighbours."""
    first, last = ends(axes, len(shape))
    return math.prod(shape[:first]), math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])


@lru_cache(maxsize=256)
def ends(axes, rank: int) -> tuple[int, int]:
    """The first and the last of axes that are neighbours, None for all; of others a pair with nothing between them."""
    if axes is None:
        return 0, rank - 1
    found = sorted(each % rank for each in as_tuple(axes))
    neighbours = found and found == list(range(found[0], found[-1] + 1))
    return (found[0], found[-1]) if neighbours else (rank, rank - 1)


def kept(shape, axes, keepdims: bool) -> tuple:
    """The shape of the result."""
    whole = range(len(shape)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    gone = {each % len(shape) for each in whole}
    return tuple(1 if at in gone else n for at, n in enumerate(shape) if keepdims or at not in gone)


# ---- what is not in order


class Laid(NamedTuple):
    """An array as it is reduced: its dimensions in the order of memory, the axes there, and the shape of the result."""

    array: np.ndarray
    axes: int | tuple[int, ...] | None
    order: tuple[int, ...] | None
    shape: tuple[int, ...]

    def returned(self, found):
        """A result that keeps its dimensions, in their own order."""
        if self.order is not None:
            found = packed(found.transpose(inverse(self.order)))
        return found.reshape(self.shape)


def laid_out(array, axes, keepdims: bool) -> Laid | None:
    """How positions along axes are found in an array that is not in C order; None where that is left to NumPy."""
    if array.size < LAID or not array.flags.aligned:
        return None
    shape = kept(array.shape, axes, keepdims)
    lies = in_memory(array.shape, array.strides)
    if lies is not None and type(axes) is int:
        whole, named = array.transpose(lies), lies.index(axes % array.ndim)
        if whole.flags.c_contiguous and planned(whole.shape, named, True) is not None:
            return Laid(whole, named, lies, shape)
    if array.size > MOST or planned(array.shape, axes, keepdims) is None:
        return None
    return Laid(packed(array), axes, None, shape)


@lru_cache(maxsize=1024)
def in_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions from the one with the longest steps on; None if some step is none or backwards."""
    if min(strides) <= 0:
        return None
    return tuple(sorted(range(len(shape)), key=lambda dim: (-strides[dim], shape[dim] != 1)))


def as_tuple(axes) -> tuple[int, ...]:
    return axes if isinstance(axes, tuple) else (axes,)
