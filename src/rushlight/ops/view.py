"""Shape and memory: views, which always share memory, and the copies and casts that the machinery itself needs."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.arrays.strided import extent, needs_copy
from rushlight.core.device import moved
from rushlight.core.dtype import dtype as torch_dtype
from rushlight.core.formats import CONTIGUOUS, in_format
from rushlight.core.size import Size
from rushlight.core.unresolved import Unresolved, marks_of
from rushlight.ops.declare import OPS, composite, linear
from rushlight.ops.kinds import raw_dtype
from rushlight.ops.shapes import broadcast, integers, plain, wrapped

# ---- another shape


@linear(view=True, spaces=())
class view:
    """The same memory in another shape."""

    def forward(xp, input: Tensor, size):
        return xp.view(input, size)

    def d_input(F, g, input_shape):
        return F.reshape(g, input_shape)

    samples = lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1)), (r(), (1,)), (r(0, 3), (3, 0)), (r(1), ())]


@linear(view=True, spaces=())
class view_dtype:
    """The same memory read as another dtype."""

    def forward(xp, input: Tensor, kind):
        return xp.view_dtype(input, kind)

    def refuses(input):
        conj, neg = marks_of(input._array)
        if not (conj or neg):
            return None
        what = "conjugate view tensors" if conj else "tensors with negative bit set"
        return RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")

    samples = lambda r: [(r(2, 3), np.dtype("int64")), (r(3), np.dtype("int32"))]


@composite(spaces=(), method="view", samples=lambda r: [(r(2, 3), 3, 2), (r(2, 3), (-1,)), (r(), 1, 1)])
def view_variadic(F, input, *sizes, size=None, dtype=None):
    """The same memory in another shape or as another dtype. Raises RuntimeError where only a copy could be so."""
    if len(sizes) == 1 and type(sizes[0]) is torch_dtype:
        dtype = sizes[0]
    if dtype is not None:
        return F.view_dtype(input, dtype.numpy)
    return F.view(input, plain(sizes if size is None else size))


@linear(exact=True, spaces=(), out=False)
class unsafe_view:
    """A fresh copy in another shape, which takes its memory over: not a view as far as in-place is concerned."""

    def forward(xp, input: Tensor, size):
        return xp.reshape(input, size)

    def d_input(F, g, input_shape):
        return F.reshape(g, input_shape)

    samples = lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1)), (r(), (1,))]


@composite(
    out=False, method=None, samples=lambda r: [(r(2, 3), (3, 2)), (r(3, 2).T, (-1,)), (r(), (1, 1)), (r(0, 3), (3, 0))]
)
def reshape(F, input, shape):
    """`input` in another shape: a view where that is possible, else a copy."""
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else integers("reshape", "shape", shape)
    if needs_copy(getattr(input, "_array", input), shape):
        return F.unsafe_view(F.clone(input, memory_format=CONTIGUOUS), shape)
    return F.view(input, shape)


@composite(spaces=(), method="reshape", samples=lambda r: [(r(2, 3), 3, 2), (r(2, 3), (-1,)), (r(), 1, 1)])
def reshape_variadic(F, input, *sizes, shape=None):
    """`input` in another shape: a view where that is possible, else a copy."""
    return F.reshape(input, plain(sizes if shape is None else shape))


@composite(spaces=(), method="view_as", samples=lambda r: [(r(2, 3), r(3, 2)), (r(), r(1))])
def view_as(F, input, other):
    """`input` seen in the shape of `other`."""
    return F.view(input, tuple(other.shape))


@composite(spaces=(), method="reshape_as", samples=lambda r: [(r(2, 3), r(3, 2)), (r(), r(1))])
def reshape_as(F, input, other):
    """`input` in the shape of `other`."""
    return F.reshape(input, tuple(other.shape))


@composite(samples=lambda r: [(r(2, 3, 2),), (r(2, 3, 2), 1), (r(2, 3, 2), 0, -2), (r(),)])
def flatten(F, input, start_dim=0, end_dim=-1):
    """`input` with the dimensions from `start_dim` to `end_dim` made one; itself if that is one already."""
    rank = input.ndim
    if start_dim == 0 and end_dim == -1 and rank > 1:
        return F.reshape(input, (-1,))
    if not rank:
        wrapped(start_dim, 0), wrapped(end_dim, 0)
        return F.reshape(input, (1,))
    shape = input.shape
    start, end = wrapped(start_dim, rank), wrapped(end_dim, rank)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    length = 1
    for each in shape[start : end + 1]:
        length *= each
    return F.reshape(input, (*shape[:start], length, *shape[end + 1 :]))


@composite(samples=lambda r: [(r(6, 2), 0, (2, 3)), (r(2, 6), -1, (-1, 2))])
def unflatten(F, input, dim, sizes):
    """`input` with dimension `dim` split into several; one of the `sizes` may be -1."""
    dim, shape = wrapped(dim, input.ndim), tuple(input.shape)
    sizes = integers("unflatten", "sizes", sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if sizes.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")
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


@composite(samples=lambda r: [(r(2, 3),), (r(3, 2).T,), (r(),)])
def ravel(F, input):
    """`input` in one dimension."""
    return F.reshape(input, (-1,))


# ---- repeated without copying


@linear(view=True, spaces=())
class expand:
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""

    def forward(xp, input: Tensor, size):
        return xp.expand(input, size)

    def d_input(F, g, input_shape):
        return F.sum_to_size_of(g, input_shape)

    samples = lambda r: [(r(2, 1), (2, 3)), (r(3), (2, 3)), (r(), (2,)), (r(3, 1), (-1, 4)), (r(1, 3), (0, 3))]


@composite(spaces=(), method="expand", samples=lambda r: [(r(2, 1), 2, 3), (r(2, 1), (2, 3)), (r(3), 2, -1)])
def expand_variadic(F, input, *sizes, size=None, implicit=False):
    """`input` with dimensions of size 1 repeated to `size`, without copying; -1 keeps a size."""
    return F.expand(input, plain(sizes if size is None else size))


@composite(spaces=(), method="expand_as", samples=lambda r: [(r(2, 1), r(2, 3)), (r(), r(2))])
def expand_as(F, input, other):
    """`input` expanded to the shape of `other`."""
    return F.expand(input, tuple(other.shape))


@composite(samples=lambda r: [(r(2, 1), (2, 3)), (r(), (2,)), (r(3), (0, 3))], documented={"size": "shape"})
def broadcast_to(F, input, size: Ints | int):
    """`input` expanded to `size`."""
    return F.expand(input, integers("broadcast_to", "size", size))


@composite(method=None, samples=lambda r: [(r(2, 1), r(3)), (r(), r(2))])
def broadcast_tensors(F, *tensors):
    """The tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    shape = broadcast([each.shape for each in tensors])
    return tuple(each if tuple(each.shape) == shape else F.expand(each, shape) for each in tensors)


@composite(method=None, samples=lambda r: [((2, 1), (3,)), ((), (4,)), (2, (1,)), ()])
def broadcast_shapes(F, *shapes):
    """The shape that tensors of these shapes broadcast to; an integer stands for a shape of one dimension."""
    shapes = [(each,) if isinstance(each, int) else checked_shape(each) for each in shapes]
    reached = [1] * max(map(len, shapes), default=0)
    for position, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            if shape[dim] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if shape[dim] in (1, reached[dim]):
                continue
            if reached[dim] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument "
                    "at index "
                    f"{position} had {shape}; but expected shape should be broadcastable to {reached}"
                )
            reached[dim] = shape[dim]
    return Size(reached)


def checked_shape(shape) -> tuple:
    """A shape that was given as a sequence. Raises RuntimeError for anything else."""
    if not isinstance(shape, (tuple, list)):
        raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    return tuple(shape)


# ---- dimensions in another order


@linear(view=True, aliases=("swapdims",), inplace=True, reshapes="TransposeBackward1")
class transpose:
    """`input` with two dimensions swapped."""

    def forward(xp, input: Tensor, dim0, dim1):
        return xp.swapaxes(input, dim0, dim1)

    def d_input(F, g, dim0, dim1):
        return F.transpose(g, dim0, dim1)

    samples = lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0), (r(), 0, -1)]


@composite(inplace=True, reshapes="None", samples=lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0)])
def swapaxes(F, input, axis0, axis1):
    """`input` with two dimensions swapped: `transpose` by NumPy's name."""
    return F.transpose(input, axis0, axis1)


@linear(view=True, inplace=True, reshapes="TBackward1")
class t:
    """A matrix transposed; fewer dimensions are left as they are."""

    def forward(xp, input: Tensor):
        return xp.t(input)

    def d_input(F, g):
        return F.t(g)

    node = "TBackward0"
    samples = lambda r: [(r(2, 3),), (r(3),), (r(),)]


@linear(view=True, method=None)
class permute:
    """`input` with its dimensions in another order."""

    def forward(xp, input: Tensor, dims):
        return xp.permute(input, dims)

    def d_input(F, g, dims):
        order = [dim % len(dims) for dim in dims]
        return F.permute(g, tuple(sorted(range(len(order)), key=order.__getitem__)))

    samples = lambda r: [(r(2, 3, 4), (2, 0, 1)), (r(2, 3), (-1, -2)), (r(), ())]


@composite(spaces=(), method="permute", samples=lambda r: [(r(2, 3, 4), 2, 0, 1), (r(2, 3), (-1, -2))])
def permute_variadic(F, input, *order, dims=None):
    """`input` with its dimensions in another order."""
    return F.permute(input, plain(order if dims is None else dims))


@composite(
    aliases=("moveaxis",),
    forms=("Tensor, int, int", "Tensor, Ints, Ints"),
    samples=lambda r: [(r(2, 3, 4), 0, 2), (r(2, 3, 4), (0, 1), (-1, 0)), (r(3), 0, 0)],
)
def movedim(F, input, source, destination):
    """`input` with some dimensions moved to other positions, the rest in their order."""
    source, destination = (each if isinstance(each, (tuple, list)) else (each,) for each in (source, destination))
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            "number of "
            f"dims as destination ({list(destination)} dims)"
        )
    places = []
    for name, given in (("source", source), ("destination", destination)):
        places.append([wrapped(dim, input.ndim) for dim in given])
        if len(set(places[-1])) != len(given):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not input.ndim:
        return F.permute(input, ())
    order = [dim for dim in range(input.ndim) if dim not in places[0]]
    for target, dim in sorted(zip(places[1], places[0], strict=True)):
        order.insert(target, dim)
    return F.permute(input, tuple(order))


@composite(spaces=())
def T(F, input):
    """`input` with all its dimensions in reverse order: a property."""
    if input.ndim == 2:
        return F.permute(input, (1, 0))
    _warn_about_rank("T", input.ndim)
    return F.permute(input, tuple(reversed(range(input.ndim))))


def _warn_about_rank(name: str, rank: int) -> None:
    if rank == 0:
        warnings.warn(
            f"Tensor.{name} is deprecated on 0-D tensors. "
            + ("Consider using x.conj()." if name in ("H", "mH") else "This function is the identity in these cases."),
            UserWarning,
            stacklevel=5,
        )
    elif name == "T" and rank > 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
            "will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange("
            "x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=5,
        )


@composite(spaces=())
def mT(F, input):
    """The matrices in the last two dimensions, transposed: a property."""
    return _matrix_transpose(F, input, "mT", conjugate=False)


@composite(spaces=())
def mH(F, input):
    """The matrices in the last two dimensions, transposed and conjugated: a property."""
    return _matrix_transpose(F, input, "mH", conjugate=True)


@composite(spaces=())
def H(F, input):
    """A matrix transposed and conjugated: a property."""
    if input.ndim not in (0, 2):
        hint = " For batches of matrices, consider using tensor.mH" if input.ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {input.ndim}-D tensor.{hint}")
    return _matrix_transpose(F, input, "H", conjugate=True)


@composite(samples=lambda r: [(r(2, 3),), (r(4, 2, 3),)])
def adjoint(F, input):
    """The matrices in the last two dimensions, transposed and conjugated."""
    return _matrix_transpose(F, input, "adjoint()", conjugate=True)


def _matrix_transpose(F, input, name: str, *, conjugate: bool):
    if input.ndim == 1:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    if input.ndim == 0:
        _warn_about_rank(name, 0)
    else:
        input = F.transpose(input, -2, -1)
    return F.conj(input) if conjugate and raw_dtype(input).kind == "c" else input


# ---- dimensions of size 1


@linear(
    view=True,
    inplace=True,
    reshapes="SqueezeBackward3 if dim is None else SqueezeBackward5 if isinstance(dim, tuple) else SqueezeBackward4",
)
class squeeze:
    """`input` without its dimensions of size 1: all of them, or those that `dim` names."""

    def forward(xp, input: Tensor, dim=None):
        return xp.drop_dims(input, dim)

    def d_input(F, g, input_shape):
        return F.view(g, input_shape)

    node = "SqueezeBackward0 if dim is None else SqueezeBackward1 if isinstance(dim, int) else SqueezeBackward2"
    samples = lambda r: [(r(2, 1, 3, 1),), (r(2, 1), -1), (r(2, 1), 0), (r(1, 2, 1), (0, 1, 2)), (r(), 0), (r(1), ())]


@linear(view=True, inplace=True, reshapes="UnsqueezeBackward1")
class unsqueeze:
    """`input` with a dimension of size 1 at `dim`."""

    def forward(xp, input: Tensor, dim):
        return xp.new_dim(input, dim)

    def d_input(F, g, dim):
        return F.squeeze(g, dim)

    samples = lambda r: [(r(2, 3), 0), (r(2, 3), -1), (r(2, 3), 1), (r(), 0), (r(0), 1)]


@composite(method=None, samples=lambda r: [(r(),), (r(2, 3),), (r(), r(2)), ([r(), r(2)],)])
def atleast_1d(F, *tensors):
    """The tensors with at least one dimension."""
    return _each(tensors, lambda x: F.reshape(x, (1,)) if x.ndim == 0 else x)


@composite(method=None, samples=lambda r: [(r(),), (r(3),), (r(2, 3),), (r(), r(2))])
def atleast_2d(F, *tensors):
    """The tensors with at least two dimensions, new ones in front."""
    return _each(tensors, lambda x: F.reshape(x, (1, 1)) if x.ndim == 0 else F.unsqueeze(x, 0) if x.ndim == 1 else x)


@composite(method=None, samples=lambda r: [(r(),), (r(3),), (r(2, 3),), (r(), r(2, 1))])
def atleast_3d(F, *tensors):
    """The tensors with at least three dimensions: vectors go to the middle, matrices get a last one."""
    return _each(tensors, lambda x: _three_dims(F, x))


def _three_dims(F, x):
    if x.ndim == 0:
        return F.reshape(x, (1, 1, 1))
    if x.ndim == 1:
        return F.unsqueeze(F.unsqueeze(x, 0), -1)
    return F.unsqueeze(x, -1) if x.ndim == 2 else x


def _each(tensors, change):
    if len(tensors) == 1:
        return tuple(map(change, tensors[0])) if isinstance(tensors[0], (tuple, list)) else change(tensors[0])
    return tuple(map(change, tensors))


# ---- parts


@linear(view=True)
class diagonal:
    """The diagonals of the matrices in two dimensions, as a last dimension."""

    def forward(xp, input: Tensor, offset=0, dim1=0, dim2=1):
        return xp.diagonal(input, offset, dim1, dim2)

    def d_input(F, g, input_shape, offset, dim1, dim2):
        return F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),))

    samples = lambda r: [(r(3, 4),), (r(3, 4), 1), (r(2, 3, 4), -1, -1, 0), (r(2, 2), 5)]


@linear(view=True, spaces=(), method="unfold")
class windows:
    """Every window of `size` along `dimension`, `step` apart, as a last dimension."""

    def forward(xp, input: Tensor, dimension, size: int, step):
        return xp.windows(input, dimension, size, step)

    def d_input(F, g, input_shape, dimension, step):
        return F.add_windows(g, input_shape, dimension, step)

    node = "UnfoldBackward0"
    samples = lambda r: [(r(8), 0, 5, 2), (r(2, 5), -1, 2, 1), (r(), 0, 1, 1), (r(4), 0, 0, 1), (r(3, 4, 2), 1, 4, 3)]


@linear(spaces=(), out=False)
class add_windows:
    """The sum of windows, each where it was taken from: the transpose of `windows`."""

    def forward(xp, input: Tensor, shape, dimension, step):
        return xp.add_windows(input, shape, dimension, step)

    def d_input(F, g, input_shape, dimension, step):
        return F.windows(g, dimension, input_shape[-1], step)

    node = "UnfoldBackwardBackward0"
    samples = lambda r: [(r(2, 3), (6,), 0, 2), (r(2, 4, 2), (2, 5), -1, 1)]


@composite(
    inplace=True,
    reshapes="None",
    samples=lambda r: [(r(6), (2, 2), (1, 2), 1), (r(2, 3), (3,), (1,)), (r(4), (3, 2), (0, 1))],
)
def as_strided(F, input, size, stride: Ints, storage_offset=None):
    """The memory of `input` with another size, stride and offset, all in elements; gradients reach `input`'s part."""
    size, stride = integers("as_strided", "size", size), integers("as_strided", "stride", stride)
    start = input.storage_offset() if storage_offset is None else int(storage_offset)
    _check_strides(input, size, stride, start)
    array = input._array
    strides = tuple(step // array.itemsize for step in array.strides)
    return F.as_strided_from(input, size, stride, start - input.storage_offset(), strides)


def _check_strides(input, size, stride, start: int) -> None:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(length < 0 for length in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    reach = sum((n - 1) * step for n, step in zip(size, stride, strict=True)) + 1 + start if 0 not in size else 0
    needed, held = reach * input.itemsize, extent(input._memory())
    if needed > held:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize "
            f"{input.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {held}"
        )


@linear(view=True, spaces=())
class as_strided_from:
    """The memory around `input`, which has `strides`, with another size and stride, `offset` elements further on."""

    def forward(xp, input: Tensor, size, stride, offset, strides):
        width = input.itemsize
        return xp.strided(input, size, tuple(step * width for step in stride), offset * width)

    def d_input(F, g, input_shape, size, stride, offset, strides):
        return F.strided_transpose(g, input_shape, size, stride, offset, strides)

    node = "AsStridedBackward0"
    samples = lambda r: [(r(6), (2, 2), (1, 2), 1, (1,)), (r(2, 3), (3,), (0,), 0, (3, 1)), (r(4), (2,), (2,), 0, (1,))]


@linear(spaces=(), out=False)
class strided_copy:
    """What `as_strided_from` reads, where the elements of `input` no longer lie in the strides that it had."""

    def forward(xp, input: Tensor, size, stride, offset, strides):
        own = xp.locations(input.shape, strides)
        return xp.regather(input, own, xp.locations(size, stride, offset), shared=own)

    def d_input(F, g, input_shape, size, stride, offset, strides):
        return F.strided_transpose(g, input_shape, size, stride, offset, strides)

    samples = lambda r: [(r(6), (2, 2), (1, 2), 1, (1,)), (r(2, 3), (3,), (1,), 2, (0, 1))]


@linear(spaces=(), out=False)
class strided_transpose:
    """The transpose of `strided_copy`: elements in one place are added, places that it read twice share."""

    def forward(xp, input: Tensor, shape, size, stride, offset, strides):
        own = xp.locations(shape, strides)
        return xp.regather(input, xp.locations(size, stride, offset), own, shared=own)

    def d_input(F, g, size, stride, offset, strides):
        return F.strided_copy(g, size, stride, offset, strides)

    node = "AsStridedBackwardBackward0"
    samples = lambda r: [(r(2, 2), (6,), (2, 2), (1, 2), 1, (1,)), (r(3), (2, 3), (3,), (1,), 2, (0, 1))]


# ---- copies and casts


@linear(exact=True, out=False)
class clone:
    """A copy in memory of its own."""

    def forward(xp, input: Tensor, *, memory_format=None):
        return in_format(input, memory_format)

    def d_input(F, g):
        return g

    samples = lambda r: [(r(2, 3),), (r(3, 2).T,), (r(),)]


@linear(exact=True, spaces=(), out=False, crosses=True)
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
        return xp.overwritten(input, src)

    def d_input(F, g):
        return F.zeros_of(g)

    def d_src(F, g, src_shape, src_dtype):
        return F.fit(g, src_shape, src_dtype)

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


@composite(spaces=())
def fit(F, input, shape, kind):
    """A gradient summed and cast to the shape and dtype of what it is the gradient of."""
    if tuple(input.shape) != tuple(shape):
        input = F.sum_to_size_of(input, shape)
    return F.cast(input, kind)


@linear(spaces=(), exact=True, out=False)
class new_zeros_of:
    """Zeros of a shape, of the dtype and on the device of `input`."""

    def forward(xp, input: Tensor, shape):
        return xp.zeros_like(input, shape=shape)

    samples = lambda r: [(r(2, 3), (4,)), (r(), ())]


# ---- writing through views

# Views that depend on how the memory lies, and what reads the same from elements that lie otherwise.
READERS = {
    "as_strided_from": "strided_copy", "view": "reshape", "view_as_complex": "complex_copy", "conjugate": "conj",
    "_neg_view": "neg",
}  # fmt: skip
MARKS = {"conjugate": "conj", "_neg_view": "negative"}  # views that show other numbers, and what these are
# The second row of a matrix of three columns; its first diagonal below the main one; memory it shares.
PATHS = lambda: [
    ((OPS["getitem_view"].function, ((1, ...),)),),
    ((OPS["view"].function, ((3, 2),)), (OPS["diagonal"].function, (-1, 0, 1))),
    ((OPS["as_strided_from"].function, ((3,), (1,), 2, (3, 1))),),
]


@composite(spaces=())
def complex_copy(F, input):
    """Pairs of real numbers as complex ones, however they lie."""
    return F.view_as_complex(F.clone(input, memory_format=CONTIGUOUS))


def read(F, input, path):
    """The part of `input` that the view operations of a path lead to."""
    for function, arguments in path:
        name = function.__name__
        input = getattr(F, READERS.get(name, name))(input, *arguments)
    return input


def written(xp, out, value, path):
    """Writes `value` to the part of a raw array, whose elements lie in order, that a path leads to."""
    if any(function.__name__ == "as_strided_from" for function, _ in path):
        return _write_in_places(xp, out, value, path)
    part = out
    try:
        for function, arguments in path:
            forward = OPS[function.__name__].forward
            if type(part) is Unresolved:
                part = part.through(lambda array: forward(xp, array, *arguments))  # noqa: B023
            else:
                part = forward(xp, part, *arguments)
    except RuntimeError:  # the memory that the views were made of lay in another order
        return _write_in_places(xp, out, value, path)
    part[...] = xp.astype(value, part.dtype)
    return out


def _write_in_places(xp, out, value, path):
    places = xp.reshape(xp.arange(1, out.size + 1), out.shape)
    for function, arguments in path:
        name = function.__name__
        if name in MARKS:
            value = getattr(xp, MARKS[name])(value)
        elif name == "view":
            places = xp.reshape(places, *arguments)
        else:
            places = OPS["strided_copy" if name == "as_strided_from" else name].forward(xp, places, *arguments)
    xp.write_places(out, places, value)
    return out


@linear(spaces=(), out=False)
class write_view:
    """`base` with the part that `path` leads to replaced by `value`."""

    def forward(xp, base: Tensor, value: Tensor, path):
        return written(xp, xp.copy(base, order="C"), value, path)

    def d_base(F, g, value_shape, path):
        return F.write_view(g, F.new_zeros_of(g, value_shape), path)

    def d_value(F, g, path):
        return read(F, g, path)

    node = "CopySlices"
    samples = lambda r: [(r(2, 3), r(length), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]


@linear(spaces=(), exact=True, out=False)
class placed:
    """Zeros of `shape` with `input` in the part that `path` leads to: the transpose of a view."""

    def forward(xp, input: Tensor, shape, path):
        return written(xp, xp.zeros_like(input, order="C", shape=shape), input, path)

    def d_input(F, g, path):
        return read(F, g, path)

    samples = lambda r: [(r(length), (2, 3), path) for length, path in zip((3, 2, 3), PATHS(), strict=True)]
