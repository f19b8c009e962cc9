"""Copies with elements rearranged: repeated, flipped, rotated, cut to a triangle, combined."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import SCALAR_NAMES
from rushlight.core.formats import CONTIGUOUS
from rushlight.core.tensor import Tensor
from rushlight.declarations.checks import arrange as checks
from rushlight.declarations.declare import composite, face, linear, op
from rushlight.declarations.shapes import integers, unpack_sequence, wrap_dim

# ---- repeated


@linear(internal=True, exact=True)
class repeat:
    """`input` so many times along each dimension; further numbers in front make new dimensions."""

    def forward(xp, input: Tensor, repeats):
        checks.check_repeat_count(input, repeats)
        shape = (1,) * (len(repeats) - input.ndim) + input.shape
        if any(count < 0 for count in repeats):
            sizes = [length * count for length, count in zip(shape, repeats, strict=True)]
            checks.check_repeated_sizes(sizes)
            repeats = [max(count, 0) for count in repeats]  # an empty tensor stays empty
        return xp.tiled(input, repeats)

    def d_input(F, g, input_shape, repeats):
        shape = (1,) * (len(repeats) - len(input_shape)) + tuple(input_shape)
        pairs = [each for pair in zip(repeats, shape, strict=True) for each in pair]
        if 0 in repeats or not repeats:
            return F.new_zeros_of(g, input_shape) if repeats else g
        return F.reshape(F.sum(F.reshape(g, tuple(pairs)), tuple(range(0, len(pairs), 2))), tuple(input_shape))

    samples = lambda r: [
        (r(2, 3), (2, 1)),
        (r(3), (2, 3)),
        (r(), (2,)),
        (r(2, 3), (2, 0)),
        (r(), ()),
        (r(0, 2), (1, 2)),
    ]


@composite(samples=lambda r: [(r(2, 3), 2, 1), (r(3), (2, 2)), (r(), 3)])
def repeat_variadic(F, input, *counts, repeats=None):
    """`input` so many times along each dimension."""
    return F.repeat(input, integers("repeat", "repeats", unpack_sequence(counts) if repeats is None else repeats))


face(repeat_variadic, spaces=(), method="repeat")


@composite(samples=lambda r: [(r(2, 3), (2,)), (r(3), (2, 1)), (r(), (2, 2)), (r(2), ())])
def tile(F, input, dims):
    """`input` so many times along each of the last dimensions."""
    dims = integers("tile", "dims", dims)
    return F.repeat(input, (1,) * (input.ndim - len(dims)) + dims)


face(tile, method=None)


@composite(samples=lambda r: [(r(2, 3), 2), (r(3), 2, 1), (r(), (2, 2))])
def tile_variadic(F, input, dims: Ints | int, *more):
    """`input` so many times along each of the last dimensions."""
    return F.tile(input, unpack_sequence((dims, *more)))


face(tile_variadic, spaces=(), method="tile")


@composite(samples=lambda r: [(r(2, 3), 2), (r(2, 3), 2, 1), (r(3), r.integers(3, 3)), (r(2, 3), r.integers(3, 2), 0)])
def repeat_interleave(F, input, repeats: Tensor | int = None, dim: int = None, *, output_size: int = None):
    """Every element, or slice along `dim`, `repeats` times in a row; of counts alone, the positions to repeat by."""
    if repeats is None:
        return _repeated_positions(F, input, output_size)
    if dim is None:
        input, dim = F.reshape(input, (-1,)), 0
    dim = wrap_dim(dim, input.ndim)
    if not isinstance(repeats, Tensor):
        return _evenly_repeated(F, input, int(repeats), dim, output_size)
    length = input.shape[dim] if input.ndim else 1
    if repeats.ndim == 0 or tuple(repeats.shape) == (1,):
        repeats = F.expand(F.reshape(repeats, (1,)), (length,))
    checks.check_repeats(repeats, dim, length)
    return F.index_select(input, dim, _repeated_positions(F, repeats, output_size))


def _evenly_repeated(F, input, repeats: int, dim: int, output_size):
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = tuple(input.shape) or (1,)
    total = shape[dim] * repeats
    if output_size is not None and output_size != total:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
    spread = F.expand(F.unsqueeze(input, dim + 1 if input.ndim else 0), (*shape[: dim + 1], repeats, *shape[dim + 1 :]))
    copy = F.clone(spread, memory_format=CONTIGUOUS)
    return F.reshape(copy, (*shape[:dim], total, *shape[dim + 1 :]))


def _repeated_positions(F, repeats: Tensor, output_size) -> Tensor:
    if repeats.ndim != 1:
        raise RuntimeError(
            "repeats must be 0-dim or 1-dim tensor" if repeats.ndim else "repeat_interleave only accept 1D"
        )
    if repeats.is_meta:
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    if repeats.is_floating_point() or repeats.is_complex() or not repeats.is_signed():
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{SCALAR_NAMES[repeats.dtype]}'")
    return F.repeated_positions(repeats, output_size)


@op(internal=True, exact=True)
class repeated_positions:
    """Every position in a vector, as many times as the number there says."""

    def forward(xp, repeats: Constant, output_size):
        checks.check_not_negative(repeats)
        check_size_fits((int(repeats.sum()),), repeats.itemsize)
        result = xp.repeated(repeats)
        checks.check_allocated(output_size, result.size)
        return result

    samples = lambda r: [(r.integers(3, 4), None)]


# ---- turned round


@linear(exact=True)
class flip:
    """`input` with the order along some dimensions reversed."""

    def forward(xp, input: Tensor, dims):
        return xp.flipped(input, dims)

    def d_input(F, g, dims):
        return F.flip(g, dims)

    samples = lambda r: [(r(2, 3), (0,)), (r(2, 3), (0, -1)), (r(2, 3), ()), (r(), ()), (r(0, 2), (1,))]


face(flip, method=None, out=False)


@composite(samples=lambda r: [(r(2, 3), 0, 1), (r(2, 3), (1,)), (r(3), 0)])
def flip_variadic(F, input, dims: Ints | int, *more):
    """`input` with the order along some dimensions reversed."""
    return F.flip(input, integers("flip", "dims", unpack_sequence((dims, *more))))


face(flip_variadic, spaces=(), method="flip")


@composite(samples=lambda r: [(r(2, 3),), (r(2, 3, 2),)])
def fliplr(F, input):
    """`input` with the order along the second dimension reversed."""
    checks.check_fliplr_rank(input)
    return F.flip(input, (1,))


@composite(samples=lambda r: [(r(2, 3),), (r(3),)])
def flipud(F, input):
    """`input` with the order along the first dimension reversed."""
    checks.check_flipud_rank(input)
    return F.flip(input, (0,))


@linear(exact=True)
class roll:
    """`input` shifted along some dimensions, what leaves at one end coming in at the other; flattened if no `dims`."""

    def forward(xp, input: Tensor, shifts, dims: Ints | int | None = ()):
        return xp.rolled(input, shifts, () if dims is None else dims)

    def d_input(F, g, shifts, dims):
        return F.roll(g, tuple(-each for each in shifts) if isinstance(shifts, (tuple, list)) else -shifts, dims)

    samples = lambda r: [(r(2, 3), 1), (r(2, 3), 1, 0), (r(2, 3), (1, -2), (0, 1)), (r(), 1), (r(0, 2), 1, 1)]


face(roll, out=False)


@linear(exact=True)
class rot90:
    """`input` rotated by `k` times 90 degrees in the plane of two dimensions, from the first towards the second."""

    def forward(xp, input: Tensor, k=1, dims=(0, 1)):
        return xp.rotated(input, k, dims)

    def d_input(F, g, k, dims):
        return F.rot90(g, -k, dims)

    samples = lambda r: [(r(2, 3),), (r(2, 3), 2), (r(2, 3, 4), -1, (2, 0)), (r(2, 3), 4), (r(2, 3), 3, (-1, 0))]


face(rot90, out=False)


# ---- triangles and diagonals


@linear(exact=True)
class tril:
    """The lower triangles of matrices, up to a diagonal; zeros above."""

    def forward(xp, input: Tensor, diagonal=0):
        xp.check_matrices("tril", input)
        return xp.tril(input, diagonal)

    def d_input(F, g, diagonal):
        return F.tril(g, diagonal)

    samples = lambda r: [(r(3, 4),), (r(2, 3, 3), -1), (r(3, 2), 1), (r(0, 3),)]


face(tril, out_same_dtype=True, inplace=True)


@linear(exact=True)
class triu:
    """The upper triangles of matrices, from a diagonal on; zeros below."""

    def forward(xp, input: Tensor, diagonal=0):
        xp.check_matrices("triu", input)
        return xp.triu(input, diagonal)

    def d_input(F, g, diagonal):
        return F.triu(g, diagonal)

    samples = lambda r: [(r(3, 4),), (r(2, 3, 3), -1), (r(3, 2), 1), (r(0, 3),)]


face(triu, out_same_dtype=True, inplace=True)


@linear(exact=True)
class diag_embed:
    """Matrices of zeros, in two new dimensions, with the last dimension of `input` on a diagonal."""

    def forward(xp, input: Tensor, offset=0, dim1=-2, dim2=-1):
        return xp.diagonal_matrices(input, offset, dim1, dim2)

    def d_input(F, g, offset, dim1, dim2):
        return F.diagonal(g, offset, dim1, dim2)

    samples = lambda r: [(r(3),), (r(2, 3), 1), (r(2, 3), -2, 0, 2), (r(0),)]


face(diag_embed, out=False)


@composite(samples=lambda r: [(r(3),), (r(3), -1), (r(3, 4), 1), (r(2, 2), 5)])
def diag(F, input, diagonal=0):
    """A matrix with a vector on a diagonal, or a copy of the diagonal of a matrix."""
    if input.ndim == 1:
        return F.diag_embed(input, diagonal)
    if input.ndim == 2:
        return F.diagonal_copy(input, diagonal)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")


face(diag, out=True, out_same_dtype=True)


@composite(samples=lambda r: [(r(3),), (r(2, 2), 1), (r(), -1)])
def diagflat(F, input, offset=0):
    """A matrix with all the elements of `input` on a diagonal."""
    return F.diag_embed(F.reshape(input, (-1,)), offset)


# ---- combined


@composite(
    samples=lambda r: [
        (r(2), r(3), {"indexing": "ij"}),
        (r(2), r(3), {"indexing": "xy"}),
        (r(2), r(), r(1), {"indexing": "ij"}),
    ]
)
def meshgrid(F, *tensors, indexing=None):
    """The vectors expanded to the grid that they span, one dimension each; with "xy" the first two are exchanged."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=4,
        )
        indexing = "ij"
    checks.check_grid(tensors, indexing)
    swapped = indexing == "xy" and len(tensors) > 1
    if swapped:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    lengths = [each.numel() for each in tensors]
    grids = []
    for at, each in enumerate(tensors):
        shape = tuple(length if position == at else 1 for position, length in enumerate(lengths))
        grids.append(F.expand(F.view(each, shape), tuple(lengths)))
    return (grids[1], grids[0], *grids[2:]) if swapped else tuple(grids)


face(meshgrid, method=None)


@composite(samples=lambda r: [(r(2), r(3)), (r(2),), (r(2), r(0))])
def cartesian_prod(F, *tensors):
    """Every choice of one element from each vector, one row each."""
    for each in tensors:
        checks.check_vector(each)
    if len(tensors) == 1:
        return tensors[0]
    return F.stack([F.reshape(each, (-1,)) for each in F.meshgrid(tensors, indexing="ij")], 1)


face(cartesian_prod, method=None)


@composite(samples=lambda r: [(r(4),), (r(4), 3), (r(3), 2, True), (r(2), 3), (r(3), 0)])
def combinations(F, input, r=2, with_replacement=False):
    """Every choice of `r` elements of a vector, in their order, one row each."""
    checks.check_combinations(input, r)
    check_size_fits((r,), 8)
    check_size_fits(input.shape, 8)
    if r > input.shape[0] and not with_replacement:
        return F.index(input, (np.empty((0, r), np.int64),))
    if r == 0:
        return F.new_zeros_of(input, (0,))
    return F.index(input, (choices(input.shape[0], r, with_replacement),))


face(combinations, method=None)


def choices(length: int, r: int, again: bool):
    """Every choice of `r` of so many positions, in their order, one row each; `again`, of one more than once.

    >>> choices(3, 2, False).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    rows = np.arange(length)[:, None]
    for _ in range(r - 1):
        first = rows[:, -1] + (not again)  # of the possible next positions
        counts = length - first
        ends = counts.cumsum()
        following = np.arange(counts.sum()) + np.repeat(first - ends + counts, counts)
        rows = np.concatenate([np.repeat(rows, counts, 0), following[:, None]], 1)
    return rows
