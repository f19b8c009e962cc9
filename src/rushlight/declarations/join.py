"""Joining tensors, and cutting them into parts."""

from __future__ import annotations

from operator import index as as_integer

import numpy as np

from rushlight.arrays.concat import undivided
from rushlight.arrays.size_limits import check_size_fits
from rushlight.core.dtype import DEFAULTS, SCALAR_NAMES
from rushlight.core.tensor import Tensor, wrap
from rushlight.declarations.batches import behind
from rushlight.declarations.checks import join as checks
from rushlight.declarations.declare import Direct, composite, face, linear
from rushlight.declarations.shapes import integers, wrap_dim

BEHIND = lambda r: [([r(2, 3), r(1, 3)],), ([r(2, 3), r(2, 1), r(2, 0)], -1), ([r(0), r(2, 3)], 1), ([r(3)],)]
PLAIN = "type(dim) is int"
BESIDE = lambda r: [([r(2, 3), r(2, 3)],), ([r(2), r(2), r(2)], -1), ([r()],), ([r(0, 2), r(0, 2)], 1)]

# ---- joined


@linear(internal=True, dtype="common", exact=True)
class joined:
    """Tensors one behind the other along `dim`; empty vectors count for nothing."""

    def forward(xp, tensors: Tensors, dim=0):
        return xp.cat(tensors, dim)

    def d_tensors(F, g, tensors_shapes, dim):
        rank = max(map(len, tensors_shapes))
        dim = wrap_dim(dim, rank)
        lengths = tuple(0 if is_nothing(shape) and rank > 1 else shape[dim] for shape in tensors_shapes)
        parts = F.split_with_sizes(g, lengths, dim)
        return [
            F.new_zeros_of(g, shape) if is_nothing(shape) and rank > 1 else part
            for part, shape in zip(parts, tensors_shapes, strict=True)
        ]

    def batch(F, b, tensors, dim):
        several = [each for each in tensors if each.ndim != 2 or each.shape[1]]  # without empty vectors
        return F.joined(several or tensors, behind(dim, (several or tensors)[0].ndim - 1))

    samples = BEHIND


face(joined, node="CatBackward0")


def of_blocks(F, b, matrices):
    """Batches of matrices as one batch of matrices with these blocks on their diagonals."""
    width = sum(each.shape[2] for each in matrices)
    before, bands = 0, []
    for each in matrices:
        after = width - before - each.shape[2]
        bands.append(F.constant_pad_nd(each, (before, after)))
        before += each.shape[2]
    return F.joined(bands, 1)


def is_nothing(shape) -> bool:
    """Returns whether a shape is that of an empty vector, which `cat` accepts with any other shape."""
    return len(shape) == 1 and shape[0] == 0


@composite(samples=BEHIND)
def cat(F, tensors, dim=0):
    """The tensors concatenated along `dim`. Their other sizes must agree; dtypes are promoted."""
    checks.check_cat_not_empty(tensors)
    checks.check_tensors("cat", tensors)
    return F.joined(tensors, as_integer(dim))


face(
    cat,
    aliases=("concat",),
    method=None,
    direct=(Direct(PLAIN, "joined", {}),),
    out=True,
    overlap="none",
    checks_out=checks.check_out,
)


@composite(samples=BEHIND)
def concatenate(F, tensors, dim=0):
    """`cat` by NumPy's name."""
    return F.cat(tensors, dim)


face(
    concatenate,
    method=None,
    documented_names={"dim": "axis"},
    out="positional",
    overlap="none",
    checks_out=checks.check_out,
)


@linear(internal=True, dtype="common", exact=True)
class stacked:
    """Tensors of one shape stacked along a new dimension."""

    def forward(xp, tensors: Tensors, dim=0):
        return xp.stack_along(tensors, dim)

    def d_tensors(F, g, dim):
        return F.unbind(g, dim)

    def batch(F, b, tensors, dim):
        return F.stacked(tensors, behind(dim, tensors[0].ndim))

    samples = BESIDE


face(stacked, node="StackBackward0")


@composite(samples=BESIDE)
def stack(F, tensors, dim=0):
    """The tensors, all of one shape, stacked along a new dimension."""
    checks.check_some("stack", tensors)
    return F.stacked(tensors, as_integer(dim))


face(stack, method=None, direct=(Direct(PLAIN, "stacked", {}),), out=True, overlap="none", checks_out=checks.check_out)


@composite(samples=lambda r: [([r(2), r(3)],), ([r(2, 3), r(2, 1)],), ([r(), r()],)])
def hstack(F, tensors):
    """The tensors side by side: along the first dimension if they are vectors, else the second."""
    checks.check_some("hstack", tensors)
    tensors = F.atleast_1d(list(tensors))
    return F.cat(tensors, 0 if tensors[0].ndim == 1 else 1)


face(hstack, method=None, out=True, overlap="none", checks_out=checks.check_out)


@composite(samples=lambda r: [([r(2), r(2)],), ([r(2, 3), r(1, 3)],), ([r(), r()],)])
def vstack(F, tensors):
    """The tensors, at least matrices, below each other."""
    checks.check_some("vstack", tensors)
    return F.cat(F.atleast_2d(list(tensors)), 0)


face(vstack, aliases=("row_stack",), method=None, out=True, overlap="none", checks_out=checks.check_out)


@composite(samples=lambda r: [([r(2), r(2)],), ([r(2, 3, 1), r(2, 3, 2)],)])
def dstack(F, tensors):
    """The tensors, of at least three dimensions, behind each other along the third."""
    checks.check_some("dstack", tensors)
    return F.cat(F.atleast_3d(list(tensors)), 2)


face(dstack, method=None, out=True, overlap="none", checks_out=checks.check_out)


@composite(samples=lambda r: [([r(2), r(2, 3)],), ([r(), r()],)])
def column_stack(F, tensors):
    """The tensors side by side; vectors become columns."""
    checks.check_some("column_stack", tensors)
    return F.cat([F.reshape(each, (-1, 1)) if each.ndim <= 1 else each for each in tensors], 1)


face(column_stack, method=None, out=True, overlap="none", checks_out=checks.check_out)


@linear(internal=True, dtype="common", exact=True)
class blocks:
    """A matrix with the tensors, at most matrices, on its diagonal."""

    def forward(xp, tensors: Tensors):
        return xp.block_diagonal(tensors)

    def d_tensors(F, g, tensors_shapes):
        results, row, column = [], 0, 0
        for shape in tensors_shapes:
            height, width = (1, *shape)[-2:] if shape else (1, 1)
            part = F.narrow(F.narrow(g, 0, row, height), 1, column, width)
            results.append(F.reshape(part, shape))
            row, column = row + height, column + width
        return results

    def batch(F, b, tensors):
        matrices = [F.reshape(each, (b.size, *(1, 1, *each.shape[1:])[-2:])) for each in tensors]
        return of_blocks(F, b, matrices)

    samples = lambda r: [([r(2, 3), r(3), r()],), ([r(2, 2)],), ([r(0), r(1, 2)],)]


face(blocks, node="BlockDiagBackward0")


@composite(samples=lambda r: [(r(2, 3), r(3), r()), (r(2, 2),), ()])
def block_diag(F, *tensors):
    """A matrix with the tensors, at most matrices, on its diagonal and zeros elsewhere."""
    for at, each in enumerate(tensors):
        checks.check_diagonal_block(each, at)
    return F.blocks(tensors) if tensors else wrap(np.zeros((1, 0), DEFAULTS.floating.numpy))


face(block_diag, method=None)


# ---- cut into parts: several views at once, which may not be written to


def assembled(F, g, shape, dim, lengths):
    """The gradient of what was cut: its parts' gradients in a row, zeros for those that are missing."""
    parts = g if isinstance(g, (tuple, list)) else (g,)
    dim = wrap_dim(dim, len(shape))
    known = next(each for each in parts if each is not None)
    whole = undivided(parts, dim, stacked=False)
    if whole is not None:
        return whole
    return F.joined(
        [
            F.new_zeros_of(known, (*shape[:dim], length, *shape[dim + 1 :])) if part is None else part
            for part, length in zip(parts, lengths, strict=True)
        ],
        dim,
    )


@linear(view=True, multi_output=True)
class unbind:
    """The slices along `dim`, without that dimension."""

    returns = "first, others"

    def forward(xp, input: Tensor, dim=0):
        return xp.unbind(input, dim)

    def d_input(F, g, input_shape, dim):
        parts = g if isinstance(g, (tuple, list)) else (g,)
        known = next(each for each in parts if each is not None)
        dim = wrap_dim(dim, len(input_shape))
        rest = (*input_shape[:dim], *input_shape[dim + 1 :])
        whole = undivided(parts, dim, stacked=True)
        if whole is not None:
            return whole
        return F.stacked([F.new_zeros_of(known, rest) if each is None else each for each in parts], dim)

    samples = lambda r: [(r(3, 2),), (r(3, 2), -1), (r(1, 2),)]


@linear(internal=True, view=True, multi_output=True)
class split_evenly:
    """Parts of `split_size` slices along `dim`; the last one may be smaller."""

    returns = "first, others"

    def forward(xp, input: Tensor, split_size, dim=0):
        return xp.split_evenly(input, split_size, dim)

    def d_input(F, g, input_shape, split_size, dim):
        length = input_shape[dim]
        starts = range(0, length or 1, split_size or 1)
        return assembled(F, g, input_shape, dim, [min(split_size, length - start) for start in starts])

    samples = lambda r: [(r(5, 2), 2), (r(2, 3), 1, -1), (r(0, 2), 0), (r(4), 9), (r(0, 2), 2)]


face(split_evenly, node="SplitBackward0")


@linear(view=True, multi_output=True)
class split_with_sizes:
    """Parts of the given sizes along `dim`."""

    returns = "first, others"

    def forward(xp, input: Tensor, split_sizes, dim=0):
        return xp.split_with_sizes(input, split_sizes, dim)

    def d_input(F, g, input_shape, split_sizes, dim):
        return assembled(F, g, input_shape, dim, split_sizes)

    samples = lambda r: [(r(5, 2), (2, 0, 3)), (r(2, 3), (1, 2), -1), (r(4), (4,))]


@composite(samples=lambda r: [(r(5, 2), 2), (r(5, 2), [2, 0, 3]), (r(2, 3), 1, -1)])
def split(F, tensor: Tensor, split_size_or_sections, dim=0):
    """Parts along `dim`: of one size, the last of which may be smaller, or of the sizes in a list."""
    checks.check_split_size(split_size_or_sections, dim)
    if isinstance(split_size_or_sections, (int, Tensor)):
        return F.split_evenly(tensor, int(split_size_or_sections), dim)
    sections = integers("split_with_sizes", "split_sizes", split_size_or_sections, " (position 2)")
    return F.split_with_sizes(tensor, sections, dim)


face(split, method=None)


@composite(samples=lambda r: [(r(5, 2), 2), (r(5, 2), [2, 0, 3]), (r(2, 3), 1, -1)])
def split_of_size(F, tensor, split_size: object, dim=0):
    """Parts along `dim`: of one size, the last of which may be smaller, or of the sizes in a list."""
    return F.split(tensor, split_size, dim)


face(split_of_size, spaces=(), method="split")


@composite(samples=lambda r: [(r(5, 2), 2), (r(2, 3), 4, -1), (r(0, 2), 2)])
def chunk(F, input, chunks, dim=0):
    """At most `chunks` parts along `dim`, of one size but for the last."""
    checks.check_chunk(input, chunks)
    length = input.shape[wrap_dim(dim, input.ndim)]
    size = -(-length // chunks)
    return F.split_evenly(input, size, dim) if size else F.split_with_sizes(input, (0,) * chunks, dim)


CUT_BY = {"sections": "indices_or_sections", "indices": "indices_or_sections"}  # PyTorch has two forms


@composite(samples=lambda r: [(r(5, 2), 2), (r(5, 2), [1, 3]), (r(2, 3), 4, -1)])
def tensor_split(F, input, indices_or_sections: int | Ints | Tensor, dim=0):
    """Parts along `dim`: so many of almost the same size, or cut at the given positions."""
    checks.check_tensor_split_rank(input)
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = _cuts_of(indices_or_sections)
    dim = wrap_dim(dim, input.ndim)
    length = input.shape[dim]
    if isinstance(indices_or_sections, (tuple, list)):
        cuts = [0, *integers("tensor_split", "indices", indices_or_sections), length]
        return tuple(_between(F, input, dim, a, b) for a, b in zip(cuts, cuts[1:], strict=False))
    sections = as_integer(indices_or_sections)
    checks.check_section_count(sections)
    check_size_fits((sections,), BYTES_OF_A_PART)
    small, larger = divmod(length, sections)
    starts = [at * small + min(at, larger) for at in range(sections + 1)]
    return tuple(F.narrow(input, dim, a, b - a) for a, b in zip(starts, starts[1:], strict=False))


face(tensor_split, also_named={**CUT_BY, "tensor_indices_or_sections": "indices_or_sections"})


BYTES_OF_A_PART = 256  # a tensor, its array and its shape


def _between(F, input, dim: int, start: int, stop: int):
    start, stop, _ = slice(start, stop).indices(input.shape[dim])
    return F.narrow(input, dim, start, max(stop - start, 0))


def _cuts_of(tensor: Tensor):
    if tensor.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
            "tensor, but got a "
            f"tensor with {tensor.ndim} dims"
        )
    if tensor._array.dtype != "int64":
        name = SCALAR_NAMES[tensor.dtype]
        raise RuntimeError(f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {name}")
    return tensor.tolist()


@composite(samples=lambda r: [(r(4), 2), (r(2, 4), [1, 3]), (r(2, 4), 4)])
def hsplit(F, input, indices_or_sections: int | Ints):
    """Parts side by side: along the first dimension of a vector, else the second."""
    checks.check_hsplit_rank(input)
    return _cut(F, "hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1)


face(hsplit, method=None, also_named=CUT_BY)


@composite(samples=lambda r: [(r(4, 2), 2), (r(4, 2), [1, 3])])
def vsplit(F, input, indices_or_sections: int | Ints):
    """Parts below each other: along the first dimension of at least a matrix."""
    checks.check_rank("vsplit", input, 2)
    return _cut(F, "vsplit", input, indices_or_sections, 0)


face(vsplit, method=None, also_named=CUT_BY)


@composite(samples=lambda r: [(r(2, 1, 4), 2), (r(2, 1, 4), [1, 3])])
def dsplit(F, input, indices_or_sections: int | Ints):
    """Parts behind each other: along the third dimension."""
    checks.check_rank("dsplit", input, 3)
    return _cut(F, "dsplit", input, indices_or_sections, 2)


face(dsplit, method=None, also_named=CUT_BY)


def _cut(F, name: str, input, indices_or_sections, dim: int):
    if not isinstance(indices_or_sections, (tuple, list)):
        sections, length = as_integer(indices_or_sections), input.shape[dim]
        if sections <= 0 or length % sections:
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {length} is not "
                f"divisible by the split_size {sections}!"
            )
    return F.tensor_split(input, indices_or_sections, dim)


@composite(samples=lambda r: [(r(4), 2), (r(2, 4), 1, 3), (r(2, 4), [1, 3])])
def hsplit_variadic(F, input, split_size_or_sections=None, *more, sections=None, indices: object = None):
    """Parts side by side: along the first dimension of a vector, else the second."""
    return F.hsplit(input, _sections("hsplit", split_size_or_sections, more, sections, indices))


face(hsplit_variadic, spaces=(), method="hsplit")


@composite(samples=lambda r: [(r(4, 2), 2), (r(4, 2), 1, 3), (r(4, 2), [1, 3])])
def vsplit_variadic(F, input, split_size_or_sections=None, *more, sections=None, indices: object = None):
    """Parts below each other: along the first dimension of at least a matrix."""
    return F.vsplit(input, _sections("vsplit", split_size_or_sections, more, sections, indices))


face(vsplit_variadic, spaces=(), method="vsplit")


@composite(samples=lambda r: [(r(2, 1, 4), 2), (r(2, 1, 4), 1, 3)])
def dsplit_variadic(F, input, split_size_or_sections=None, *more, sections=None, indices: object = None):
    """Parts behind each other: along the third dimension."""
    return F.dsplit(input, _sections("dsplit", split_size_or_sections, more, sections, indices))


face(dsplit_variadic, spaces=(), method="dsplit")


def _sections(name: str, first, more: tuple, sections, indices):
    """Returns where a method splits: from an integer or a list, several integers, or PyTorch's own names."""
    result = (first, *more) if more else first
    given = [each for each in (result, sections, indices) if each is not None]
    if len(given) != 1:
        kinds = ", ".join(type(each).__name__ for each in given)
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
            " * (int sections)\n * (tuple of ints indices)\n * (tuple of ints indices)"
        )
    return given[0]
