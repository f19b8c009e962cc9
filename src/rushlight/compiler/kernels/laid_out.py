"""How an array is reduced along axes: cut into parts, and in which order of its dimensions.

An array whose dimensions are only in another order than memory is reduced as it lies; of its axes, those of the memory
are taken, and what is found is brought back, which is less. Which of equal elements comes first does not change along
one axis. What has gaps or repeats itself is copied first, which takes as long as to read it once.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rushlight.compiler.kernels.moving import copied
from rushlight.compiler.kernels.replacing import packed
from rushlight.compiler.sizes import LAID

BLOCK = 1 << 12
ROWS = 128  # lines that are added up before they are added to the others
WIDE = 1 << 11  # columns of a piece, at most: what is carried along stays in the first cache beside the lines
POSITIONS = "positions"  # of extremes: which of equal ones comes first counts
NARROW = 16  # fewer columns than a vector may have lanes
MOST = 1 << 24  # elements that are copied for this: of more, the memory counts


class Plan(NamedTuple):
    """How an array of a shape is reduced along axes.

    `sizes` are what kernels take: (before, length, parts), of columns also (after, width, strips). Where there are
    several parts, `room` is the number of their results.
    """

    sizes: tuple[int, ...]
    room: int
    shape: tuple[int, ...]
    columns: bool


@lru_cache(maxsize=1024)
def planned(shape: tuple[int, ...], axes, keepdims: bool) -> Plan | None:
    """The plan if the axes, None for all, are neighbours, and what is reduced is more than one element."""
    sizes = split(shape, axes)
    if sizes is None or (sizes[2] != 1 and sizes[2] < NARROW) or sizes[1] < 2:
        return None
    before, length, after = sizes
    columns = after != 1
    parts = -(-length // (ROWS if columns else BLOCK))
    strips = -(-after // WIDE)
    width = (-(-after // strips) + 15) // 16 * 16  # whole lines of the cache: no two threads write to one
    sizes = (before, length, parts, after, width, -(-after // width)) if columns else (before, length, parts)
    return Plan(sizes, before * parts * after if parts > 1 else 0, kept(shape, axes, keepdims), columns)


def split(shape, axes) -> tuple[int, int, int] | None:
    """(before, length, after) if the axes, None for all, are neighbours."""
    if axes is None:
        return 1, math.prod(shape), 1
    axes = sorted(each % len(shape) for each in (axes if isinstance(axes, tuple) else (axes,)))
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        return None
    return math.prod(shape[: axes[0]]), math.prod(shape[axes[0] : axes[-1] + 1]), math.prod(shape[axes[-1] + 1 :])


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

    def turned(self, each):
        """What belongs to the array as it was, as it is here."""
        return each if self.order is None else each.transpose(self.order)

    def returned(self, found):
        """A result that keeps its dimensions, in their own order."""
        if self.order is not None:
            found = packed(found.transpose(np.argsort(self.order)))
        return found.reshape(self.shape)


def laid_out(name: str, array, axes, keepdims: bool) -> Laid | None:
    """How an array that is not in C order is reduced by the kernel of that name; None where that is left to NumPy."""
    if array.size < LAID or not array.flags.aligned:
        return None
    shape = kept(array.shape, axes, keepdims)
    lies = in_memory(array.shape, array.strides)
    if lies is not None and (name != POSITIONS or type(axes) is int):
        whole = array.transpose(lies)
        named = None if axes is None else tuple(lies.index(each % array.ndim) for each in as_tuple(axes))
        if whole.flags.c_contiguous and planned(whole.shape, named, True) is not None:
            return Laid(whole, named, lies, shape)
    if not is_copied(name, array, axes) or planned(array.shape, axes, keepdims) is None:
        return None
    copy = copied(array)
    return None if copy is None else Laid(copy, axes, None, shape)


def is_copied(name: str, array, axes) -> bool:
    """Whether a copy is worth it. NumPy begins anew with each row, and takes many passes to find positions; along
    longer rows, for extremes, and where it reads every second element, its one pass takes less than the copy.
    """
    if array.size > MOST:
        return False
    if name == POSITIONS or array.shape[-1] < NARROW:
        return True
    along_rows = axes is not None and {each % array.ndim for each in as_tuple(axes)} == {array.ndim - 1}
    return name not in ("amax", "amin") and array.strides[-1] == array.itemsize and not along_rows


@lru_cache(maxsize=1024)
def in_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions from the one with the longest steps on; None if some step is none or backwards."""
    if min(strides) <= 0:
        return None
    return tuple(sorted(range(len(shape)), key=lambda dim: (-strides[dim], shape[dim] != 1)))


def as_tuple(axes) -> tuple[int, ...]:
    return axes if isinstance(axes, tuple) else (axes,)
