"""Resizes a tensor in its own memory: for `resize_`, and for `out=` with a tensor of another shape."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.lazy_conj_neg import marks_of, unresolved
from rushlight.core.storage import flat
from rushlight.core.strides import inverse, is_dense, outermost_first
from rushlight.core.tensor import Tensor, look_at


def resize(tensor: Tensor, size: tuple, like=None) -> None:
    """Resizes a tensor from its storage offset on, with its dimensions in memory in the order of `like`.

    If its memory is too small it gets more, which its other views do not share. Raises RuntimeError if the memory is
    borrowed.
    """
    needed = math.prod(size)
    if needed >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    elements, offset = flat(tensor._memory()), tensor.storage_offset()
    if elements.size - offset < needed:
        if tensor._storage.memory is not None or tensor._storage.borrowed:
            raise RuntimeError("Trying to resize storage that is not resizable")
        grown = np.empty(needed + offset, tensor.dtype.numpy)
        grown[: elements.size] = elements
        elements = grown
    window = elements[offset : offset + needed]
    conj, neg = marks_of(tensor._array)
    look_at(tensor, unresolved(_in_order(window, size, like), conj=conj, neg=neg))


def _in_order(window: np.ndarray, size: tuple, like) -> np.ndarray:
    """Returns elements in a shape, with the memory order of the dimensions of `like` if that has no gaps."""
    if type(like) is not np.ndarray or like.flags.c_contiguous or not is_dense(like):
        return window.reshape(size)
    order = outermost_first(size, like.strides)
    return window.reshape([size[axis] for axis in order]).transpose(inverse(order))
