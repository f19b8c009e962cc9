"""Memory formats: the order of a tensor's elements in memory."""

from __future__ import annotations

import numpy as np

from rushlight.core.errors import type_name
from rushlight.core.read_only import ReadOnly
from rushlight.core.strides import (
    IN_MEMORY,
    contiguous_strides,
    element_strides,
    keeps_nothing,
    laid_out_like,
    ordered_strides,
    pointwise,
    preserving,
)
from rushlight.core.tables import enter, primitive, xp
from rushlight.core.tensor import Tensor


class memory_format(ReadOnly):
    """The order of a tensor's elements in memory. https://docs.pytorch.org/docs/stable/tensor_attributes.html"""

    __module__ = "torch"

    name: str

    def __init__(self, name: str):
        self._set(name=name)

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
    """Returns the memory format with that name."""
    return next(format_ for format_ in FORMATS if format_.name == name)


def check_format(name: str, layout) -> None:
    """Raises TypeError for a value that is no memory format."""
    if type(layout) is not memory_format:
        raise TypeError(f"{name}(): argument 'memory_format' must be torch.memory_format, not {type_name(layout)}")


def is_in_format(tensor: Tensor, layout: memory_format) -> bool:
    """Whether the elements of a tensor are in that format already."""
    array = tensor._array
    if layout is PRESERVE:
        return True
    if layout is CONTIGUOUS:
        return bool(array.flags.c_contiguous)
    if array.ndim != RANKS[layout]:
        return False
    batch, *sizes, channels = contiguous_strides((array.shape[0], *array.shape[2:], array.shape[1]))
    steps = zip(array.shape, element_strides(array), (batch, channels, *sizes), strict=True)
    return all([length == 1 or step == expected for length, step, expected in steps])


@primitive
def in_order(array):
    """Copies a raw array to memory with its last dimension innermost."""
    return np.copy(array, order="C")


@primitive
def overwrite(target, values):
    """Copies the values of a raw array, broadcast and cast, to `target`; returns `target`."""
    np.copyto(target, values, casting="unsafe")
    return target


@primitive
def in_same_order(array):
    """Copies a raw array, preserving its format."""
    if array.flags.c_contiguous and (array.ndim < 3 or keeps_nothing(array)):
        return xp.in_order(array)
    return xp.overwrite(laid_out_like(array, array.dtype), array)


@primitive
def laid_out(result, operands: list, ordered: bool):
    """Returns an elementwise result in PyTorch's layout: contiguous if `ordered`, else by the operands."""
    if result.ndim < (2 if ordered else 3) or all([operand.flags.c_contiguous for operand in operands]):
        return result
    return xp.in_order(result) if ordered else pointwise(result, *operands)


def format_strides(shape: tuple, layout: memory_format) -> tuple:
    """Returns the strides of a fresh tensor in a format. Raises RuntimeError if the format is for another rank."""
    if layout is CONTIGUOUS:
        return contiguous_strides(shape)
    check_rank(len(shape), layout)
    return ordered_strides(shape, IN_MEMORY[len(shape)])


def check_rank(rank: int, layout: memory_format) -> None:
    """Raises RuntimeError if a format is for another rank."""
    if rank != RANKS[layout]:
        raise RuntimeError(f"required rank {RANKS[layout]} tensor to use {layout.name} format")


@primitive
def in_format(array, layout: memory_format | None):
    """Copies a raw array to that format. Raises RuntimeError if the format is for another rank."""
    if not isinstance(array, np.ndarray):
        return array.copy()
    if layout is None or layout is PRESERVE:
        return xp.in_same_order(array)
    if layout is CONTIGUOUS:
        return xp.in_order(array)
    check_rank(array.ndim, layout)
    return np.moveaxis(xp.in_order(np.moveaxis(array, 1, -1)), -1, 1)


enter(xp, {"preserving": preserving})
