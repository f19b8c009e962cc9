"""Views without their memory: `*_copy` returns what a view would show, `*_scatter` a copy with the view written to."""

from __future__ import annotations

from operator import index as as_integer

from rushlight.core.formats import CONTIGUOUS
from rushlight.declarations.batches import front
from rushlight.declarations.checks import copies as checks
from rushlight.declarations.declare import composite, face, linear, op
from rushlight.declarations.join import assembled
from rushlight.declarations.shapes import integers, wrap_dim
from rushlight.declarations.through_views import PATHS, read, replaced, written

# ---- copies of what views show


def contiguous_copy(F, view):
    """A copy of a view in memory of its own, its last dimension innermost."""
    return F.clone(view, memory_format=CONTIGUOUS)


@linear(exact=True)
class diagonal_copy:
    """A copy of the diagonals of the matrices in two dimensions, as a last dimension."""

    def forward(xp, input: Tensor, offset=0, dim1=0, dim2=1):
        return xp.copy(xp.diagonal(input, offset, dim1, dim2), "C")

    def d_input(F, g, input_shape, offset, dim1, dim2):
        return F.placed(g, input_shape, ((F.diagonal, (offset, dim1, dim2)),))

    samples = lambda r: [(r(3, 4),), (r(2, 3, 4), -1, -1, 0)]


face(diagonal_copy, method=None, out_same_dtype=True, node="DiagonalBackward0_copy")


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def alias_copy(F, input):
    """A copy of `input`."""
    return contiguous_copy(F, input)


face(alias_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3),), (r(),)])
def detach_copy(F, input):
    """A copy of `input` without its history."""
    return contiguous_copy(F, input.detach())


face(detach_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(6), (2, 2), (1, 2), 1), (r(2, 3), (3,), (1,))])
def as_strided_copy(F, input, size, stride: Ints, storage_offset=None):
    """A copy of what `as_strided` shows."""
    return contiguous_copy(F, F.as_strided(input, size, stride, storage_offset))


face(as_strided_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 1), (2, 3)), (r(), (2,))])
def expand_copy(F, input, size, *, implicit=False):
    """A copy of `input` expanded to `size`."""
    return contiguous_copy(F, F.expand(input, integers("expand_copy", "size", size)))


face(expand_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(4, 3), 0, 1, 2), (r(4, 3), -1, 0, 3), (r(3), 0, 3, 0)])
def narrow_copy(F, input, dim, start, length):
    """A copy of the `length` slices from `start` on along `dim`."""
    checks.check_narrow_copy(input, dim, start, length)
    return contiguous_copy(F, F.narrow(input, dim, start, length))


face(narrow_copy, method_names={"dim": "dimension"}, out=True)


@composite(samples=lambda r: [(r(2, 3, 4), (2, 0, 1)), (r(), ())])
def permute_copy(F, input, dims):
    """A copy of `input` with its dimensions in another order."""
    return contiguous_copy(F, F.permute(input, integers("permute_copy", "dims", dims)))


face(permute_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 1, 3, 1),), (r(2, 1), -1), (r(1, 2, 1), (0, 2))])
def squeeze_copy(F, input, dim=None):
    """A copy of `input` without its dimensions of size 1."""
    return contiguous_copy(F, F.squeeze(input, dim))


face(squeeze_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3),), (r(3),), (r(),)])
def t_copy(F, input):
    """A copy of a matrix transposed."""
    return contiguous_copy(F, F.t(input))


face(t_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3), 0, 1), (r(2, 3, 4), -1, 0)])
def transpose_copy(F, input, dim0, dim1):
    """A copy of `input` with two dimensions swapped."""
    return contiguous_copy(F, F.transpose(input, dim0, dim1))


face(transpose_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(6), 0, 3, 2), (r(2, 5), -1, 2, 1)])
def unfold_copy(F, input, dimension, size: int, step):
    """A copy of every window of `size` along `dimension`."""
    return contiguous_copy(F, F.windows(input, dimension, size, step))


face(unfold_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3), 0), (r(), -1)])
def unsqueeze_copy(F, input, dim):
    """A copy of `input` with a dimension of size 1 at `dim`."""
    return contiguous_copy(F, F.unsqueeze(input, dim))


face(unsqueeze_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(2, 3), (3, 2)), (r(4), (2, -1))])
def view_copy(F, input, size=None, dtype=None):
    """A copy of `input` in another shape or dtype."""
    if size is not None and hasattr(size, "numpy"):
        size, dtype = None, size
    return contiguous_copy(
        F,
        F.view_dtype(input.detach(), dtype.numpy)
        if size is None
        else F.reshape(input, integers("view_copy", "size", size)),
    )


face(view_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 2),), (r(3, 2), -1)])
def unbind_copy(F, input, dim=0):
    """Copies of the slices along `dim`."""
    return tuple(contiguous_copy(F, each) for each in F.unbind(input, dim))


face(unbind_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(5, 2), (2, 0, 3)), (r(2, 3), (1, 2), -1)])
def split_with_sizes_copy(F, input, split_sizes, dim=0):
    """Copies of the parts of the given sizes along `dim`."""
    return tuple(contiguous_copy(F, each) for each in F.split_with_sizes(input, split_sizes, dim))


face(split_with_sizes_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(5, 2), 2), (r(2, 3), 1, -1)])
def split_copy(F, input, split_size, dim=0):
    """Copies of parts of one size along `dim`."""
    return tuple(contiguous_copy(F, each) for each in F.split(input, split_size, dim))


face(split_copy, method=None, out=True)


@composite(samples=lambda r: [(r(2, 3), 0, 1), (r(2, 3), -1, -1)])
def select_copy(F, input, dim, index: int):
    """A copy of the slice at position `index` along `dim`."""
    return contiguous_copy(F, F.select(input, dim, index))


face(select_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(5, 2), 0, 1, 4, 2), (r(2, 3), -1, -2)])
def slice_copy(F, input, dim=0, start: int = None, end: int = None, step=1):
    """A copy of the slices from `start` to `end` along `dim`."""
    checks.check_slice_copy(step)
    return contiguous_copy(F, F.slice_view(input, wrap_dim(dim, input.ndim), start, end, step))


face(slice_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3) * (2 + 1j),)])
def view_as_real_copy(F, input):
    """Complex numbers as pairs of real ones, in memory of their own."""
    return contiguous_copy(F, F.view_as_real(F.resolve_conj(input)))


face(view_as_real_copy, method=None, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 2),), (r(2),)])
def view_as_complex_copy(F, input):
    """Pairs of real numbers as complex ones, in memory of their own."""
    return contiguous_copy(F, F.view_as_complex(input))


face(view_as_complex_copy, method=None, out=True)


# ---- parts that autograd takes for tensors of their own


@op(exact=True, multi_output=True)
class unsafe_split:
    """Parts of one size along `dim`, which the caller promises not to write to."""

    returns = "first, others"

    def forward(xp, input: Tensor, split_size, dim=0):
        return xp.split_evenly(input, split_size, dim)

    def d_input(F, g, input_shape, split_size, dim):
        dim = wrap_dim(dim, len(input_shape))
        length = input_shape[dim]
        starts = range(0, length, split_size) if split_size else [0]
        return assembled(F, g, input_shape, dim, [min(split_size, length - start) for start in starts])

    samples = lambda r: [(r(5, 2), 2), (r(2, 3), 1, -1)]


face(
    unsafe_split,
    method="unsafe_split",
    documented_names={"input": "tensor", "split_size": "split_size_or_sections"},
    method_names={"split_size": "split_size"},
    out=False,
)


@op(exact=True, multi_output=True)
class unsafe_split_with_sizes:
    """Parts of the given sizes along `dim`, which the caller promises not to write to."""

    returns = "first, others"

    def forward(xp, input: Tensor, split_sizes, dim=0):
        return xp.split_with_sizes(input, split_sizes, dim)

    def d_input(F, g, input_shape, split_sizes, dim):
        return assembled(F, g, input_shape, dim, split_sizes)

    samples = lambda r: [(r(5, 2), (2, 0, 3)), (r(2, 3), (1, 2), -1)]


face(unsafe_split_with_sizes, out=False)


@composite(samples=lambda r: [(r(5, 2), 2), (r(2, 3), 4, -1)])
def unsafe_chunk(F, input, chunks, dim=0):
    """At most `chunks` parts along `dim`, which the caller promises not to write to."""
    checks.check_unsafe_chunk(chunks)
    length = input.shape[wrap_dim(dim, input.ndim)]
    size = -(-length // chunks)
    return F.unsafe_split(input, size, dim) if size else F.unsafe_split_with_sizes(input, (0,) * chunks, dim)


# ---- copies with a view written to


@linear(internal=True, exact=True)
class rewritten:
    """A copy of `input` with the part that `path` leads to replaced by `src`; `view` is the name of the last step."""

    def forward(xp, input: Tensor, src: Tensor, path, view):
        return written(xp, xp.copy(input, order="C"), src, path)

    def d_input(F, g, src_shape, path, view):
        return F.rewritten(g, F.new_zeros_of(g, src_shape), path, view)

    def d_src(F, g, path):
        return read(F, g, path)

    def batch(F, b, input, src, path, view):
        return replaced(F, b, front(F, b, "input", input), front(F, b, "src", src), path)

    samples = lambda r: [(r(2, 3), r(n), path, "select") for n, path in zip((3, 2, 3), PATHS(), strict=True)]


face(
    rewritten,
    node=(
        "SelectScatterBackward0 if view == 'select' else SliceScatterBackward0 if view == 'slice' else "
        "DiagonalScatterBackward0 if view == 'diagonal' else AsStridedScatterBackward0"
    ),
)


@composite(samples=lambda r: [(r(2, 3), r(3), 0, 1), (r(2, 3), r(2), -1, -1)])
def select_scatter(F, input, src, dim, index: int):
    """A copy of `input` with `src` as its slice at position `index` along `dim`."""
    part = F.select(input, dim, index)
    checks.check_src("slice", part, src)
    path = ((F.select, (dim, as_integer(index))),)
    return F.rewritten(input, F.cast(src, input._array.dtype), path, "select")


@composite(samples=lambda r: [(r(5, 2), r(2, 2), 0, 1, 4, 2), (r(2, 3), r(2, 2), -1, -2)])
def slice_scatter(F, input, src, dim=0, start=None, end: int = None, step=1):
    """A copy of `input` with `src` as its slices from `start` to `end` along `dim`."""
    checks.check_slice_scatter(step)
    position = (wrap_dim(dim, input.ndim), start, end, step)
    checks.check_src("slice", F.slice_view(input, *position), src)
    return F.rewritten(input, F.cast(src, input._array.dtype), ((F.slice_view, position),), "slice")


face(slice_scatter, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3, 4), r(3)), (r(3, 4), r(3), 1), (r(2, 3, 4), r(3, 2), -1, -1, 0)])
def diagonal_scatter(F, input, src, offset=0, dim1=0, dim2=1):
    """A copy of `input` with `src` as its diagonals."""
    checks.check_src("slice", F.diagonal(input, offset, dim1, dim2), src)
    path = ((F.diagonal, (offset, dim1, dim2)),)
    return F.rewritten(input, F.cast(src, input._array.dtype), path, "diagonal")


@composite(samples=lambda r: [(r(3, 3), r(2, 2), (2, 2), (1, 2), 1), (r(4), r(), (), (), 3)])
def as_strided_scatter(F, input, src, size, stride: Ints, storage_offset=None):
    """A copy of `input` with `src` as what `as_strided` shows of it."""
    checks.check_strided_scatter_shared(input, src)
    # PyTorch gives the gradient of `input` to what was overwritten instead of the rest: its own gradcheck fails on it
    part = F.as_strided(input, size, stride, storage_offset)
    checks.check_src("slice", part, src)
    return F.rewritten(input, F.cast(src, input._array.dtype), part._path[-1:], "as_strided")
