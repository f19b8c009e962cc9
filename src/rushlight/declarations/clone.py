"""Copies and casts: what has memory of its own, and what the machinery makes of a gradient."""

from __future__ import annotations

import numpy as np

from rushlight.core.device import moved
from rushlight.core.formats import CHANNELS_LAST, CHANNELS_LAST_3D
from rushlight.declarations.batches import aligned, folded, front, rank_of, unfolded
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.dtype_rules import raw_dtype


@linear(exact=True)
class clone:
    """A copy in memory of its own."""

    def forward(xp, input: Tensor, *, memory_format=None):
        return xp.in_format(input, memory_format)

    def d_input(F, g):
        return g

    def batch(F, b, input, memory_format):
        if memory_format in (CHANNELS_LAST, CHANNELS_LAST_3D) and input.ndim > 1:
            return unfolded(F, F.clone(folded(F, input), memory_format=memory_format), b.size)
        return F.clone(input, memory_format=memory_format)

    samples = lambda r: [(r(2, 3),), (r(3, 2).T,), (r(),)]


face(clone, out=False)


@linear(internal=True, exact=True, cross_device=True)
class to_copy:
    """A copy of `input` in another dtype, on another device, or both; None keeps either."""

    def forward(xp, input: Tensor, kind=None, place=None):
        array = input if kind is None else xp.astype(input, kind)
        if place is not None:
            return moved(array, place, input)
        result = xp.copy(array) if array is input else array
        return result if result.ndim < 3 else xp.preserving(result, input)  # matrices have this layout already

    def d_input(F, g, input_dtype, input_device):
        return F.to_copy(g, input_dtype, input_device)

    samples = lambda r: [(r(2, 3), np.dtype("float64")), (r(),)]


@linear(internal=True, exact=True)
class copy_values:
    """`src` in the shape and dtype of `input`: what `input.copy_(src)` leaves."""

    def forward(xp, input: Tensor, src: Tensor):
        return xp.overwritten(input, src)

    def d_input(F, g):
        return F.zeros_of(g)

    def d_src(F, g, src_shape, src_dtype):
        return F.fit(g, src_shape, src_dtype)

    def batch(F, b, input, src):
        return F.copy_values(front(F, b, "input", input), aligned(F, b, rank_of(b, "input", input), "src", src))

    samples = lambda r: [(r(2, 3), r(2, 3)), (r(2, 3), r(3)), (r(2, 3), r())]


face(copy_values, node="CopyBackwards")


@composite(internal=True)
def zeros_of(F, input):
    """Zeros like `input`."""
    return F.new_zeros_of(input, tuple(input.shape))


@composite(internal=True)
def cast(F, input, kind):
    """`input` in another NumPy dtype; itself if it has it already."""
    return input if raw_dtype(input) == kind else F.to_copy(input, kind)


@composite(internal=True)
def fit(F, input, shape, kind):
    """A gradient summed and cast to the shape and dtype of what it is the gradient of."""
    if tuple(input.shape) != tuple(shape):
        input = F.sum_to_size_of(input, shape)
    return F.cast(input, kind)


@linear(internal=True, exact=True)
class new_zeros_of:
    """Zeros of a shape, of the dtype and on the device of `input`."""

    def forward(xp, input: Tensor, shape):
        return xp.zeros_like(input, shape=shape)

    samples = lambda r: [(r(2, 3), (4,)), (r(), ())]
