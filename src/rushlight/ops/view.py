"""Shape and memory: views, which always share memory, and copies."""

from __future__ import annotations

import numpy as np

from rushlight.core.device import moved
from rushlight.core.formats import in_format
from rushlight.ops.declare import OPS, composite, linear
from rushlight.ops.kinds import raw_dtype


@linear(view=True)
class expand:
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""

    def forward(xp, input: Tensor, size):
        extra = len(size) - input.ndim
        return xp.broadcast_to(input, tuple(input.shape[i - extra] if n == -1 else n for i, n in enumerate(size)))

    def d_input(F, g, input_shape):
        return F.sum_to_size_of(g, input_shape)

    samples = lambda r: [(r(2, 1), (2, 3)), (r(3), (2, 3)), (r(), (2,)), (r(3, 1), (-1, 4))]


@linear(view=True, spaces=(), name="view", method="view")
class view:
    """The same memory in another shape."""

    def forward(xp, input: Tensor, size):
        return xp.reshape(input, size, copy=False)

    def d_input(F, g, input_shape):
        return F.reshape(g, input_shape)

    samples = lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1)), (r(), (1,))]


@linear(view=True)
class transpose:
    """`input` with two dimensions swapped."""

    def forward(xp, input: Tensor, dim0, dim1):
        if input.ndim == 0:
            return input[...]
        return xp.swapaxes(input, dim0, dim1)

    def d_input(F, g, dim0, dim1):
        return F.transpose(g, dim0, dim1)

    samples = lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0), (r(), 0, -1)]


@linear(view=True)
class t:
    """A matrix transposed; fewer dimensions are left as they are."""

    def forward(xp, input: Tensor):
        if input.ndim > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
        return xp.transpose(input)

    def d_input(F, g):
        return F.t(g)

    node = "TBackward0"
    samples = lambda r: [(r(2, 3),), (r(3),), (r(),)]


@linear(exact=True, out=False)
class clone:
    """A copy in memory of its own."""

    def forward(xp, input: Tensor, *, memory_format=None):
        return in_format(input, memory_format)

    def d_input(F, g):
        return g

    samples = lambda r: [(r(2, 3),), (r(3, 2).T,), (r(),)]


@linear(exact=True, spaces=(), out=False)
class to_copy:
    """A copy of `input` in another dtype, on another device, or both; None keeps either."""

    def forward(xp, input: Tensor, kind=None, place=None):
        array = input if kind is None else xp.astype(input, kind)
        return moved(array, place) if place is not None else (xp.copy(array) if array is input else array)

    def d_input(F, g, input_dtype, input_device):
        return F.to_copy(g, input_dtype, input_device)

    samples = lambda r: [(r(2, 3), np.dtype("float64")), (r(),)]


@linear(exact=True, spaces=(), out=False)
class copy_values:
    """`src` in the shape and dtype of `input`: what `input.copy_(src)` leaves."""

    def forward(xp, input: Tensor, src: Tensor):
        return xp.copy(xp.broadcast_to(xp.astype(src, input.dtype), input.shape))

    def d_input(F, g):
        return F.zeros_of(g)

    def d_src(F, g):
        return g

    node = "CopyBackwards"
    samples = lambda r: [(r(2, 3), r(2, 3)), (r(2, 3), r(3)), (r(2, 3), r())]


@composite(spaces=())
def zeros_of(F, input):
    """Zeros like `input`."""
    return F.new_zeros_of(input, tuple(input.shape))


@composite(spaces=())
def cast(F, input, kind):
    """`input` in another NumPy dtype; itself if it has it already."""
    return input if raw_dtype(input) == kind else F.to_copy(input, kind)


@composite(out=False)
def reshape(F, input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    try:
        return F.view(input, shape)
    except (RuntimeError, ValueError):
        return F.view(F.clone(input), shape)


@composite(spaces=())
def fit(F, input, shape, kind):
    """A gradient summed and cast to the shape and dtype of what it is the gradient of."""
    if tuple(input.shape) != tuple(shape):
        input = F.sum_to_size_of(input, shape)
    return F.cast(input, kind)


@linear(spaces=(), out=False)
class write_view:
    """`base` with the part that `path` leads to replaced by `value`."""

    def forward(xp, base: Tensor, value: Tensor, path):
        out = xp.copy(base)
        part = out
        for function, arguments in path:
            part = OPS[function.__name__].forward(xp, part, *arguments)
        part[...] = value
        return out

    def d_base(F, g, value_shape, path):
        return F.write_view(g, F.new_zeros_of(g, value_shape), path)

    def d_value(F, g, path):
        for function, arguments in path:
            g = getattr(F, function.__name__)(g, *arguments)
        return g

    node = "CopySlices"


@linear(spaces=(), exact=True, out=False)
class new_zeros_of:
    """Zeros of a shape, of the dtype and on the device of `input`."""

    def forward(xp, input: Tensor, shape):
        return xp.zeros_like(input, shape=shape)


