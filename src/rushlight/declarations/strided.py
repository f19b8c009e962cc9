"""Parts of a tensor that strides lead to: diagonals, windows, `as_strided`."""

from __future__ import annotations

from rushlight.core.traced import BatchedArray
from rushlight.declarations.batches import behind, flat
from rushlight.declarations.checks.strided import check_reach, check_strides
from rushlight.declarations.declare import composite, face, linear
from rushlight.declarations.shapes import integers, wrap_dim


def apart_in_memory(own: tuple, other: tuple, offset: int) -> int:
    """Returns a stride of the batch for which samples of either layout, (size, stride), have no memory in common."""
    reach = max([sum([(n - 1) * step for n, step in zip(*layout, strict=True)]) for layout in (own, other)])
    return 2 * (reach + abs(offset)) + 1


@linear(view=True)
class diagonal:
    """The diagonals of the matrices in two dimensions, as a last dimension."""

    def forward(xp, input: Tensor, offset=0, dim1=0, dim2=1):
        return xp.diagonal(input, offset, dim1, dim2)

    def d_input(F, g, input_shape, offset, dim1, dim2):
        return F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),))

    samples = lambda r: [(r(3, 4),), (r(3, 4), 1), (r(2, 3, 4), -1, -1, 0), (r(2, 2), 5)]


@linear(view=True)
class windows:
    """Every window of `size` along `dimension`, `step` apart, as a last dimension."""

    def forward(xp, input: Tensor, dimension, size: int, step):
        return xp.windows(input, dimension, size, step)

    def d_input(F, g, input_shape, dimension, step):
        return F.add_windows(g, input_shape, dimension, step)

    def batch(F, b, input, dimension, size, step):
        if input.ndim > 1:
            return F.windows(input, behind(dimension, input.ndim - 1), size, step)
        wrap_dim(dimension, 0)
        return F.select(F.windows(F.unsqueeze(input, 1), 1, 1, step), 1, 0) if size == 1 else NotImplemented

    samples = lambda r: [(r(8), 0, 5, 2), (r(2, 5), -1, 2, 1), (r(), 0, 1, 1), (r(4), 0, 0, 1), (r(3, 4, 2), 1, 4, 3)]


face(windows, spaces=(), method="unfold", node="UnfoldBackward0")


@linear(internal=True)
class add_windows:
    """The sum of windows, each where it was taken from: the transpose of `windows`."""

    def forward(xp, input: Tensor, shape, dimension, step):
        return xp.add_windows(input, shape, dimension, step)

    def d_input(F, g, input_shape, dimension, step):
        return F.windows(g, dimension, input_shape[-1], step)

    def batch(F, b, input, shape, dimension, step):
        if not shape:
            return F.sum(flat(F, input), 1, dtype=input.dtype)
        return F.add_windows(input, (b.size, *shape), behind(dimension, len(shape)), step)

    samples = lambda r: [(r(2, 3), (6,), 0, 2), (r(2, 4, 2), (2, 5), -1, 1)]


face(add_windows, node="UnfoldBackwardBackward0")


@composite(samples=lambda r: [(r(6), (2, 2), (1, 2), 1), (r(2, 3), (3,), (1,)), (r(4), (3, 2), (0, 1))])
def as_strided(F, input, size, stride: Ints, storage_offset=None):
    """The memory of `input` with another size, stride and offset, all in elements; gradients reach `input`'s part."""
    size, stride = integers("as_strided", "size", size), integers("as_strided", "stride", stride)
    start = input.storage_offset() if storage_offset is None else int(storage_offset)
    check_strides(input, size, stride, start)
    array = input._array
    if type(array) is BatchedArray:
        check_reach(input, size, stride, start)
    strides = tuple(step // array.itemsize for step in array.strides)
    return F.as_strided_from(input, size, stride, start - input.storage_offset(), strides)


face(as_strided, inplace=True, inplace_reshapes="None")


@linear(internal=True, view=True)
class as_strided_from:
    """The memory around `input`, which has `strides`, with another size and stride, `offset` elements further on."""

    def forward(xp, input: Tensor, size, stride, offset, strides):
        width = input.itemsize
        return xp.strided(input, size, tuple(step * width for step in stride), offset * width)

    def d_input(F, g, input_shape, size, stride, offset, strides):
        return F.strided_transpose(g, input_shape, size, stride, offset, strides)

    def batch(F, b, input, size, stride, offset, strides):
        step = input.stride(0)
        return F.as_strided(input, (b.size, *size), (step, *stride), input.storage_offset() + offset)

    samples = lambda r: [(r(6), (2, 2), (1, 2), 1, (1,)), (r(2, 3), (3,), (0,), 0, (3, 1)), (r(4), (2,), (2,), 0, (1,))]


face(as_strided_from, node="AsStridedBackward0")


@linear(internal=True)
class strided_copy:
    """The elements that `as_strided_from` reads, if `input` no longer has its old strides."""

    def forward(xp, input: Tensor, size, stride, offset, strides):
        own = xp.locations(input.shape, strides)
        return xp.regather(input, own, xp.locations(size, stride, offset), shared=own)

    def d_input(F, g, input_shape, size, stride, offset, strides):
        return F.strided_transpose(g, input_shape, size, stride, offset, strides)

    def batch(F, b, input, size, stride, offset, strides):
        step = apart_in_memory((input.shape[1:], strides), (size, stride), offset)
        return F.strided_copy(input, (b.size, *size), (step, *stride), offset, (step, *strides))

    samples = lambda r: [(r(6), (2, 2), (1, 2), 1, (1,)), (r(2, 3), (3,), (1,), 2, (0, 1))]


@linear(internal=True)
class strided_transpose:
    """The transpose of `strided_copy`: elements of one position are added; positions read twice share a gradient."""

    def forward(xp, input: Tensor, shape, size, stride, offset, strides):
        own = xp.locations(shape, strides)
        return xp.regather(input, xp.locations(size, stride, offset), own, shared=own)

    def d_input(F, g, size, stride, offset, strides):
        return F.strided_copy(g, size, stride, offset, strides)

    def batch(F, b, input, shape, size, stride, offset, strides):
        step = apart_in_memory((shape, strides), (size, stride), offset)
        return F.strided_transpose(input, (b.size, *shape), (b.size, *size), (step, *stride), offset, (step, *strides))

    samples = lambda r: [(r(2, 2), (6,), (2, 2), (1, 2), 1, (1,)), (r(3), (2, 3), (3,), (1,), 2, (0, 1))]


face(strided_transpose, node="AsStridedBackwardBackward0")
