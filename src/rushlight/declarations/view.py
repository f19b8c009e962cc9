"""The same memory in another shape, or repeated without being copied."""

from __future__ import annotations

from operator import index

import numpy as np

from rushlight.arrays.strided import needs_copy
from rushlight.core.dtype import dtype as torch_dtype
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.size import Size
from rushlight.declarations.checks import view as checks
from rushlight.declarations.declare import Direct, composite, face, linear
from rushlight.declarations.shapes import broadcast, integers, plain, wrap_dim

# ---- another shape

LENGTHS = "sizes and type(sizes[0]) is int"  # the new shape, for a method, in separate integers
IN_ORDER = "input._array.flags.c_contiguous"


@linear(internal=True, view=True)
class view:
    """The same memory in another shape."""

    def forward(xp, input: Tensor, size):
        return xp.view(input, size)

    def d_input(F, g, input_shape):
        return F.reshape(g, input_shape)

    samples = lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1)), (r(), (1,)), (r(0, 3), (3, 0)), (r(1), ())]


@linear(internal=True, view=True)
class view_dtype:
    """The same memory read as another dtype."""

    def forward(xp, input: Tensor, kind):
        return xp.view_dtype(input, kind)

    samples = lambda r: [(r(2, 3), np.dtype("int64")), (r(3), np.dtype("int32"))]


face(view_dtype, refuses=checks.refusal_of_lazy_view)


@composite(samples=lambda r: [(r(2, 3), 3, 2), (r(2, 3), (-1,)), (r(), 1, 1)])
def view_variadic(F, input, *sizes, size=None, dtype=None):
    """The same memory in another shape or as another dtype. Raises RuntimeError where only a copy could be so."""
    if size is not None:
        sizes = tuple(size)
    elif len(sizes) == 1:
        (only,) = sizes
        if type(only) is torch_dtype:
            dtype = only
        elif type(only) is not int and isinstance(only, (tuple, list)):
            sizes = tuple(only)
    if dtype is not None:
        return F.view_dtype(input.detach(), dtype.numpy)  # other values, without history
    return F.view(input, sizes)


face(
    view_variadic,
    spaces=(),
    method="view",
    direct=(Direct(f"{LENGTHS} and size is None and dtype is None", "view", {"size": "sizes"}),),
)


@linear(internal=True, exact=True)
class unsafe_view:
    """The memory of a fresh copy in another shape; not a view for in-place operations."""

    def forward(xp, input: Tensor, size):
        return input.reshape(size)

    def d_input(F, g, input_shape):
        return F.reshape(g, input_shape)

    samples = lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1)), (r(), (1,))]


@composite(samples=lambda r: [(r(2, 3), (3, 2)), (r(3, 2).T, (-1,)), (r(), (1, 1)), (r(0, 3), (3, 0))])
def reshape(F, input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    if type(shape) is not tuple:
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else integers("reshape", "shape", shape)
    if needs_copy(getattr(input, "_array", input), shape):
        return F.unsafe_view(F.clone(input, memory_format=CONTIGUOUS), shape)
    return F.view(input, shape)


face(
    reshape,
    method=None,
    direct=(Direct(f"type(shape) is tuple and type(input) is Tensor and {IN_ORDER}", "view", {"size": "shape"}),),
    out=False,
)


@composite(samples=lambda r: [(r(2, 3), 3, 2), (r(2, 3), (-1,)), (r(), 1, 1)])
def reshape_variadic(F, input, *sizes, shape=None):
    """`input` in another shape: a view where that is possible, else a copy."""
    return F.reshape(input, plain(sizes if shape is None else shape))


face(
    reshape_variadic,
    spaces=(),
    method="reshape",
    direct=(Direct(f"{LENGTHS} and shape is None and {IN_ORDER}", "view", {"size": "sizes"}),),
)


@composite(samples=lambda r: [(r(2, 3), r(3, 2)), (r(), r(1))])
def view_as(F, input, other):
    """`input` seen in the shape of `other`."""
    return F.view(input, tuple(other.shape))


face(view_as, spaces=(), method="view_as")


@composite(samples=lambda r: [(r(2, 3), r(3, 2)), (r(), r(1))])
def reshape_as(F, input, other):
    """`input` in the shape of `other`."""
    return F.reshape(input, tuple(other.shape))


face(reshape_as, spaces=(), method="reshape_as")


@composite(samples=lambda r: [(r(2, 3, 2),), (r(2, 3, 2), 1), (r(2, 3, 2), 0, -2), (r(),)])
def flatten(F, input, start_dim=0, end_dim=-1):
    """`input` with the dimensions from `start_dim` to `end_dim` made one; itself if that is one already."""
    rank = input.ndim
    if start_dim == 0 and end_dim == -1 and rank > 1:
        return F.reshape(input, (-1,))
    if not rank:
        wrap_dim(start_dim, 0), wrap_dim(end_dim, 0)
        return F.reshape(input, (1,))
    shape = getattr(input, "_array", input).shape  # a plain tuple: slicing a `Size` takes longer
    start, end = wrap_dim(start_dim, rank), wrap_dim(end_dim, rank)
    checks.check_flatten_dims(start, end)
    if start == end:
        return input
    length = 1
    for each in shape[start : end + 1]:
        length *= each
    return F.reshape(input, (*shape[:start], length, *shape[end + 1 :]))


@composite(samples=lambda r: [(r(6, 2), 0, (2, 3)), (r(2, 6), -1, (-1, 2))])
def unflatten(F, input, dim, sizes):
    """`input` with dimension `dim` split into several; one of the `sizes` may be -1."""
    checks.check_unflatten_rank(input)
    dim, shape = wrap_dim(dim, input.ndim), tuple(input.shape)
    sizes = integers("unflatten", "sizes", sizes)
    checks.check_unflatten_sizes(sizes)
    known = 1
    for each in sizes:
        known *= 1 if each == -1 else each
    if -1 in sizes and known and shape[dim] % known == 0:
        sizes = tuple(shape[dim] // known if each == -1 else each for each in sizes)
    elif known != shape[dim] or -1 in sizes:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape[dim]}) in the "
            "input tensor"
        )
    return F.view(input, (*shape[:dim], *sizes, *shape[dim + 1 :]))


@composite(samples=lambda r: [(r(2, 3),), (r(3, 2).T,), (r(),), (r(4, 6)[:, ::2],)])
def ravel(F, input):
    """`input` in one dimension, contiguous."""
    return F.reshape(input if input.is_contiguous() else F.clone(input, memory_format=CONTIGUOUS), (-1,))


# ---- repeated without copying


@linear(internal=True, view=True)
class expand:
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""

    def forward(xp, input: Tensor, size):
        return xp.expand(input, size)

    def d_input(F, g, input_shape):
        return F.sum_to_size_of(g, input_shape)

    samples = lambda r: [(r(2, 1), (2, 3)), (r(3), (2, 3)), (r(), (2,)), (r(3, 1), (-1, 4)), (r(1, 3), (0, 3))]


@composite(samples=lambda r: [(r(2, 1), 2, 3), (r(2, 1), (2, 3)), (r(3), 2, -1)])
def expand_variadic(F, input, *sizes, size=None, implicit=False):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    return F.expand(input, integers("expand", "size", plain(sizes if size is None else size), " (position 1)"))


face(
    expand_variadic,
    spaces=(),
    method="expand",
    direct=(Direct(f"{LENGTHS} and size is None", "expand", {"size": "sizes"}),),
)


@composite(samples=lambda r: [(r(2, 1), r(2, 3)), (r(), r(2))])
def expand_as(F, input, other):
    """`input` expanded to the shape of `other`."""
    return F.expand(input, tuple(other.shape))


face(expand_as, spaces=(), method="expand_as")


@composite(samples=lambda r: [(r(2, 1), (2, 3)), (r(), (2,)), (r(3), (0, 3))])
def broadcast_to(F, input, size: Ints | int):
    """`input` expanded to `size`."""
    return F.expand(input, integers("broadcast_to", "size", size))


face(broadcast_to, documented_names={"size": "shape"})


@composite(samples=lambda r: [(r(2, 1), r(3)), (r(), r(2))])
def broadcast_tensors(F, *tensors):
    """The tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    shapes = [each.shape for each in tensors]
    shape = broadcast(shapes)
    return tuple([each if own == shape else F.expand(each, shape) for each, own in zip(tensors, shapes, strict=True)])


face(broadcast_tensors, method=None)


@composite(samples=lambda r: [((2, 1), (3,)), ((), (4,)), (2, (1,)), ()])
def broadcast_shapes(F, *shapes):
    """The shape that tensors of these shapes broadcast to; an integer stands for a shape of one dimension."""
    shapes = [(each,) if isinstance(each, int) else checked_shape(each) for each in shapes]
    reached = [1] * max(map(len, shapes), default=0)
    for position, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            checks.check_length_not_negative(shape, dim)
            if shape[dim] in (1, reached[dim]):
                continue
            checks.check_broadcast_length(reached, dim, position, shape)
            reached[dim] = shape[dim]
    return Size(reached)


face(broadcast_shapes, method=None)


def checked_shape(shape) -> tuple:
    """A shape that was given as a sequence. Raises RuntimeError for anything else."""
    if not isinstance(shape, (tuple, list)):
        raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    return tuple(map(index, shape))
