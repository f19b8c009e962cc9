"""Memory formats: in which order the elements of a tensor lie."""

from __future__ import annotations

import numpy as np

from rushlight.core.errors import type_name
from rushlight.core.strides import (
    IN_MEMORY,
    contiguous_strides,
    element_strides,
    keeps_nothing,
    laid_out_like,
    ordered_strides,
    pointwise,
)
from rushlight.core.tables import primitive, xp
from rushlight.core.tensor import Tensor


class memory_format:
    """The order of a tensor's elements in memory. https://docs.pytorch.org/docs/stable/tensor_attributes.html"""

    __module__ = "torch"

    def __init__(self, name: str):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return (named, (self.name,))


CONTIGUOUS = memory_format("contiguous_format")
PRESERVE = memory_format("preserve_format")
CHANNELS_LAST = memory_format("channels_last")
CHANNELS_LAST_3D = memory_format("channels_last_3d")
FORMATS = (CONTIGUOUS, PRESERVE, CHANNELS_LAST, CHANNELS_LAST_3D)
RANKS = {CHANNELS_LAST: 4, CHANNELS_LAST_3D: 5}


def named(name: str) -> memory_format:
    """The memory format of that name."""
    return next(each for each in FORMATS if each.name == name)


def check_format(name: str, layout) -> None:
    """Raises TypeError for what is no memory format."""
    if type(layout) is not memory_format:
        raise TypeError(f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(layout)}")


def is_in_format(tensor: Tensor, layout: memory_format) -> bool:
    """Whether the elements of a tensor lie in that order already."""
    array = tensor._array
    if layout is PRESERVE:
        return True
    if layout is CONTIGUOUS:
        return bool(array.flags.c_contiguous)
    if array.ndim != RANKS[layout]:
        return False
    batch, *sizes, channels = contiguous_strides((array.shape[0], *array.shape[2:], array.shape[1]))
    steps = zip(array.shape, element_strides(array), (batch, channels, *sizes), strict=True)
    return all([length == 1 or step == wanted for length, step, wanted in steps])


@primitive
def in_order(array):
    """A copy of a raw array with its last dimension innermost."""
    return np.copy(array, order="C")


@primitive
def overwrite(target, values):
    """Writes the numbers of a raw array, broadcast and cast, to another; returns that."""
    np.copyto(target, values, casting="unsafe")
    return target


@primitive
def in_same_order(array):
    """A copy of a raw array that preserves its format."""
    if array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array)):
        return xp.in_order(array)
    return xp.overwrite(laid_out_like(array, array.dtype), array)


def laid_out(result, operands: list, ordered: bool):
    """What was computed element by element of operands, laid out as PyTorch does: in order, if it always is."""
    if result.ndim < 3 or all([each.flags.c_contiguous for each in operands]):
        return result
    return xp.in_order(result) if ordered else pointwise(result, *operands)


def format_strides(shape: tuple, layout: memory_format) -> tuple:
    """The strides of a fresh tensor in a format. Raises RuntimeError if that is for another number of dimensions."""
    if layout is CONTIGUOUS:
        return contiguous_strides(shape)
    check_rank(len(shape), layout)
    return ordered_strides(shape, IN_MEMORY[len(shape)])


def check_rank(rank: int, layout: memory_format) -> None:
    """Raises RuntimeError if a format is for another number of dimensions."""
    if rank != RANKS[layout]:
        raise RuntimeError(f"required rank {RANKS[layout]} tensor to use {layout.name} format")


def in_format(array, layout: memory_format | None):
    """A copy of a raw array in that order. Raises RuntimeError if the order is for another number of dimensions."""
    if not isinstance(array, np.ndarray):
        return array.copy()
    if layout is None or layout is PRESERVE:
        return xp.in_same_order(array)
    if layout is CONTIGUOUS:
        return xp.in_order(array)
    check_rank(array.ndim, layout)
    return np.moveaxis(xp.in_order(np.moveaxis(array, 1, -1)), -1, 1)
